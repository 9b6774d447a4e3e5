"""CSV and Parquet: a row per game holds a whole record, a row per ply holds one position."""

from __future__ import annotations

import csv
import datetime as dt
import io
import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from format_files import entries, records_in, whole
from hypothesis import given
from hypothesis import strategies as st
from sample_records import BUILT_IN, random_game

from lath import games
from lath.games.errors import IllegalMoveError
from lath.notation import Record, parse
from lath.notation.formats import ply_writer, tables, writer
from lath.notation.formats.tables import guarded, unguarded
from lath.notation.record.tags import KNOWN_TAGS
from lath.notation.tables.tables import (
    GAMES,
    PLIES,
    column_of,
    game_row,
    games_table,
    plies_table,
    ply_rows,
    text_of,
)

if TYPE_CHECKING:
    from golden import Golden

FULL = parse("""\
[Game "yavalath"]
[Event "Autumn, bots"]
[Date "2026-11-20"]
[TimeControl "10+0.1"]
[Mood "grim"]
[Termination "resignation"]
[Result "0-1"]

{At last.} 1. e5! {[%emt 0.5]} 2. swap (2. d4 {or so}) 3. d4 0-1
""")

PLAIN = parse('[Game "yavalath"] [Date "?"] 1. e5 *')

GAME_NAMES = [column.name for column in GAMES]


def csv_rows(content: bytes) -> list[dict[str, str]]:
    """Return the rows of a CSV file as a sheet has them."""
    return list(csv.DictReader(io.StringIO(content.decode(), newline="")))


def parquet_rows(content: bytes) -> list[dict[str, Any]]:
    """Return the rows of a Parquet file."""
    rows: list[dict[str, Any]] = pq.read_table(io.BytesIO(content)).to_pylist()
    return rows


# A row a game


def test_the_columns_are_the_known_tags_the_moves_and_what_is_left() -> None:
    ends = ["plies", "result", "termination", "moves", "movetext", "tags"]
    assert [*map(column_of, KNOWN_TAGS[:-2]), *ends] == GAME_NAMES


def test_a_plain_record_says_nothing_twice() -> None:
    record = parse('[Game "yavalath"] [Event "x"] [Result "*"] 1. e5 2. d4 *')
    row = dict(zip(GAME_NAMES, game_row(record), strict=True))
    assert (row["moves"], row["movetext"], row["tags"]) == (("e5", "d4"), None, None)
    assert row["plies"] == 2


def test_what_a_column_cannot_hold_stands_among_the_tags() -> None:
    full, plain = csv_rows(whole("csv", [FULL, PLAIN]))
    assert full["movetext"] == "{At last.} 1. e5! {[%emt 0.500]} 2. swap (2. d4 {or so}) 3. d4"
    assert json.loads(full["tags"])[4] == ["Mood", "grim"]
    assert (plain["date"], json.loads(plain["tags"])) == ("", ["Game", ["Date", "?"]])


EDITED: list[tuple[str, Any, str]] = [
    ("event", "Spring", "Game=yavalath Event=Spring Result=*"),
    ("event", "", "Game=yavalath Result=*"),
    ("date", "2026-01-02", "Game=yavalath Event=x Date=2026-01-02 Result=*"),
    ("result", "1-0", "Game=yavalath Event=x Result=1-0"),
    ("seed", 7, "Game=yavalath Event=x Seed=7 Result=*"),
    ("round", 3.0, "Game=yavalath Event=x Round=3 Result=*"),
]


def test_an_edited_column_wins_and_stands_where_its_tag_belongs() -> None:
    for column, value, tags in EDITED:
        for others in ("", '["Game","Event","Result"]'):
            row = {"game": "yavalath", "event": "x", "moves": "e5", "tags": others, column: value}
            assert " ".join(map("=".join, parse(text_of(row)).tags)) == tags


def test_a_sheet_of_somebody_elses_is_read_whatever_the_order_and_the_separator() -> None:
    content = b'\xef\xbb\xbfMoves;Game;Result\r\n"e5 d4";yavalath;*\r\n\r\nc3;yavalath;\n'
    first, second = records_in("csv", content)
    assert (first.moves, first.result) == (("e5", "d4"), "*")
    assert second.tags == (("Game", "yavalath"), ("Result", "*"))


BAD_TABLES = [
    "",
    "game,result\n",
    "game,moves,elo\n",
    "game,moves,game\n",
    "game,ply,move,position\n",
    "game,moves\nyavalath\n",
    'game,moves\nyavalath,"e5\n',
    'game,moves,tags\ny,e5,"{"\n',
    'game,moves\n"a\nb",e5\n',
    "game,moves\nyavalath,e5 e9!?x\n",
    "game,moves,result\nyavalath,e5,won\n",
    "game,moves,movetext\ny,e5,1. e6\n",
    "game,moves\ny,\udcff\n",
    "\udcff\udcfeg\0a\0",
    "no Parquet",
]


def test_what_is_no_row_of_a_game_is_told_of_with_its_line(golden: Golden) -> None:
    told = {}
    for text in BAD_TABLES:
        name = "parquet" if text == "no Parquet" else "csv"
        (entry,) = entries(name, text.encode("utf-8", "surrogateescape"))
        told[repr(text)] = str(entry.problems[0]).splitlines()[0]
    golden(told)
    for content in (b"", b"PAR1", b"no table at all" * 9):
        (entry,) = entries("parquet", content)
        assert entry.problems[0].message.startswith("not valid Parquet: ")


def test_after_a_bad_row_or_one_that_is_too_long_reading_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    content = 'game,moves\nyavalath,"e5\n9"\nyavalath,"e"5\nyavalath,e5\n'
    found = entries("csv", content)
    assert [(each.line, each.record and each.record.moves) for each in found] == [
        *((2, None), (4, None), (5, ("e5",)))
    ]
    assert found[1].problems[0].message == "not valid CSV: ',' expected after '\"'"
    monkeypatch.setattr(tables, "MAX_RECORD", 100)
    long = "not valid CSV: a row of more than 100 bytes"
    found = entries("csv", f'game,moves\nyavalath,"{"x" * 300}"\nyavalath,e5\nyavalath,d4\n')
    assert found[0].problems[0].message == long
    assert [(each.line, each.record and each.record.moves) for each in found] == [
        *((2, None), (3, ("e5",)), (4, ("d4",)))
    ]
    (heading,) = entries("csv", f"game,moves,{'x' * 300}\nyavalath,e5,\n")
    assert (heading.problems[0].message, heading.line, heading.record) == (long, 1, None)


def parquet(**columns: list[Any]) -> bytes:
    """Return a file of these columns."""
    file = io.BytesIO()
    pq.write_table(pa.table(columns), file)
    return file.getvalue()


def test_a_parquet_of_data_frames_is_read_and_a_time_of_day_stays_beside_the_date() -> None:
    games = ["yavalath"] * 2
    one, none = records_in("parquet", parquet(game=games, moves=[["e5"], None], round=[1.0, NAN]))
    assert (one.moves, one.tag("Round")) == (("e5",), "1")
    assert (none.moves, none.tag("Round", "none")) == ((), "none")
    when = [dt.datetime(2026, 11, 20, 10, 15, 30), dt.datetime(2026, 11, 21)]  # noqa: DTZ001
    for order in (None, '["Game","Date","Result"]', '["Game","Result"]'):
        told = parquet(game=games, moves=[["e5"]] * 2, date=when, tags=[order] * 2)
        timed, whole_day = records_in("parquet", told)
        assert (timed.tag("Date"), timed.tag("StartTime")) == ("2026-11-20", "2026-11-20T10:15:30")
        assert (whole_day.tag("Date"), whole_day.tag("StartTime", "none")) == ("2026-11-21", "none")


NAN = float("nan")


@given(st.text("'=+-@ \ta", max_size=6))
def test_what_guards_a_cell_is_taken_away_again(text: str) -> None:
    assert unguarded(guarded(text)) == text


def test_parquet_has_types_and_a_file_of_no_records_its_columns() -> None:
    table = pq.read_table(io.BytesIO(whole("parquet", [FULL, PLAIN])))
    types = {field.name: str(field.type) for field in table.schema}
    assert (types.pop("date"), types.pop("plies")) == ("date32[day]", "int64")
    assert types.pop("moves").startswith("list<")
    assert set(types.values()) == {"string"}
    full, plain = table.to_pylist()
    assert (full["date"], full["moves"]) == (dt.date(2026, 11, 20), ["e5", "swap", "d4"])
    assert (plain["date"], plain["event"]) == (None, None)
    assert whole("csv", []).decode() == ",".join(GAME_NAMES) + "\r\n"
    table = pq.read_table(io.BytesIO(whole("parquet", [])))
    assert (table.column_names, table.num_rows) == (GAME_NAMES, 0)
    assert records_in("parquet", whole("parquet", [])) == []


def test_rows_come_in_groups_while_records_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "ROWS_PER_GROUP", 2)
    taken = 0

    def records() -> Iterator[Record]:
        nonlocal taken
        for taken in range(1, 6):
            yield random_game("yavalath", taken)

    pieces = writer("parquet")(records(), lambda *_: None)
    content = next(pieces)
    assert taken == 2
    file = pq.ParquetFile(io.BytesIO(content + b"".join(pieces)))
    groups = [file.metadata.row_group(i).num_rows for i in range(file.metadata.num_row_groups)]
    assert groups == [2, 2, 1]


# A row a ply


def plies(name: str, *records: Record) -> tuple[bytes, list[tuple[int, str]]]:
    """Return a file of positions, the records being the third and so on; and what was lost."""
    lost: list[tuple[int, str]] = []
    pieces = ply_writer(name)(enumerate(records, 3), lambda *what: lost.append(what))
    return b"".join(pieces), lost


def test_a_ply_says_what_was_there_what_was_played_and_what_it_brought() -> None:
    names = [column.name for column in PLIES]
    one, two, three = (dict(zip(names, row, strict=True)) for row in ply_rows(FULL, 3))
    assert {name: value for name, value in one.items() if value is not None} == {
        "record": 3,
        "game": "yavalath",
        "event": "Autumn, bots",
        "time_control": "10+0.1",
        "date": dt.date(2026, 11, 20),
        "ply": 1,
        "seat": "first",
        "move": "e5",
        "position": "5/6/7/8/9/8/7/6/5 w",
        "score": 0.0,
        "result": "0-1",
        "termination": "resignation",
        "time_s": 0.5,
        "glyph": "!",
    }
    assert (two["seat"], two["move"], two["score"]) == ("second", "swap", 1.0)
    assert (three["position"], three["time_s"]) == ("5/6/7/8/4b4/8/7/6/5 w", None)


def test_the_move_of_each_row_leads_to_the_position_of_the_next() -> None:
    for game_id in BUILT_IN:
        record = random_game(game_id, 5, annotated=True)
        rows = parquet_rows(plies("parquet", record)[0])
        before = [games.get(game_id).position(row["position"]) for row in rows]
        after = [at.play(row["move"]).text() for at, row in zip(before, rows, strict=True)]
        assert after[:-1] == [row["position"] for row in rows[1:]]
        assert [row["ply"] for row in rows] == list(range(1, len(record.plies) + 1))


def test_what_is_no_number_is_none_in_a_row_a_ply() -> None:
    said = "[%eval nan] [%clk inf] [%depth x] [%nodes 9999999999999999999] [%emt soon]"
    (row,) = ply_rows(parse(f'[Game "yavalath"] e5 {{{said}}} *'), 1)
    assert row[-6:] == (None,) * 6


def test_all_three_formats_have_the_same_values() -> None:
    rows = parquet_rows(plies("parquet", FULL, PLAIN)[0])
    lines = [json.loads(line) for line in plies("jsonlines", FULL, PLAIN)[0].splitlines()]
    assert lines == json.loads(json.dumps(rows, default=str))
    assert csv_rows(plies("csv", FULL, PLAIN)[0]) == [
        {name: "" if value is None else str(value) for name, value in row.items()} for row in rows
    ]
    assert [row["record"] for row in rows] == [3, 3, 3, 4]
    assert rows[3]["score"] is None


LOST: Mapping[str, list[str]] = {
    "e5 e5": ["the position before an illegal move", "the record"],
    "1. e5 {[%eval 0.5] so} (1. d4) 2. c3!": ["comments", "variations"],
    "1. e5 {[%eval 0.5]} 2. c3!": [],
    '[Date "2026-11-??"] [StartTime "10:11:12"] [Mine "x"] [First "ann"] 1. e5 2. d4': (
        ["tag Date", "tag StartTime", "tag Mine"]
    ),
}


def test_what_has_no_column_is_told_of_and_what_cannot_be_played_left_out() -> None:
    for text, fields in LOST.items():
        content, lost = plies("csv", parse(f'[Game "yavalath"] {text} *'), PLAIN)
        assert lost == [(1, field) for field in fields]
        numbers = {row["record"] for row in csv_rows(content)}
        assert numbers == ({"4"} if "the record" in fields else {"3", "4"})


# Data frames


def test_tables_have_a_list_a_column_also_of_no_records() -> None:
    table = games_table([FULL, PLAIN])
    assert list(table) == GAME_NAMES
    assert list(zip(*table.values(), strict=True)) == [game_row(FULL), game_row(PLAIN)]
    table = plies_table([FULL, PLAIN], first=7)
    assert (table["record"], table["move"]) == ([7, 7, 7, 8], ["e5", "swap", "d4", "e5"])
    for empty, columns in ((games_table([]), GAMES), (plies_table([]), PLIES)):
        assert empty == {column.name: [] for column in columns}


def test_arrow_has_the_rows_of_the_tables_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "PLIES_PER_GROUP", 3)
    records = [random_game(game, 2, annotated=True) for game in BUILT_IN]
    plies = [len(batch) for batch in tables.arrow_plies(records)]
    assert (sum(plies), set(plies[:-1])) == (sum(len(each.plies) for each in records), {3})
    assert tables.arrow_plies(records).read_all().to_pydict() == plies_table(records)
    found = tables.arrow_games(records).read_all().to_pydict()
    assert {**found, "moves": list(map(tuple, found["moves"]))} == games_table(records)


def test_a_move_that_is_not_legal_is_told_with_its_record() -> None:
    records = [FULL, parse('[Game "yavalath"] 1. e5 2. d4 3. e5 *')]
    with pytest.raises(IllegalMoveError, match="e5 already has a stone") as caught:
        plies_table(records)
    assert caught.value.__notes__ == ["in record 2"]
    with pytest.raises(IllegalMoveError):
        tables.arrow_plies(records).read_all()
