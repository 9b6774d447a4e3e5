"""CSV and Parquet: a row a game holds a record whole, a row a ply says what came of a position."""

from __future__ import annotations

import csv
import datetime as dt
import io
import json
import sys
from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from record_strategies import RECORDS
from sample_records import BUILT_IN, HOSTILE_NAMES, bare, random_game

from lath.games.errors import IllegalMoveError
from lath.notation import Entry, Record, format_record, parse
from lath.notation.formats import FormatError, ply_writer, reader, tables, writer
from lath.notation.formats.tables import guarded, unguarded
from lath.notation.record import KNOWN_TAGS
from lath.notation.tables import (
    GAMES,
    PLIES,
    column_of,
    game_row,
    games_table,
    plies_table,
    ply_rows,
    text_of,
)

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


def made(name: str, records: Iterable[Record]) -> bytes:
    """Return a file; nothing may be lost on the way into it."""

    def lost(number: int, field: str) -> None:
        raise AssertionError(f"lost {field} of record {number}")

    return b"".join(writer(name)(iter(records), lost))


def read(name: str, content: bytes) -> list[Entry]:
    """Return what stands in a file."""
    return list(reader(name)(io.BytesIO(content), "f"))


def records_in(name: str, content: bytes) -> list[Record]:
    """Return the records of a file that has no problems."""
    found = read(name, content)
    assert [str(problem) for entry in found for problem in entry.problems] == []
    return [entry.record for entry in found if entry.record]


def csv_rows(content: bytes) -> list[dict[str, str]]:
    """Return the rows of a CSV file as a sheet has them."""
    return list(csv.DictReader(io.StringIO(content.decode(), newline="")))


def parquet_rows(content: bytes) -> list[dict[str, Any]]:
    """Return the rows of a Parquet file."""
    rows: list[dict[str, Any]] = pq.read_table(io.BytesIO(content)).to_pylist()
    return rows


# A row a game


@given(st.lists(RECORDS, max_size=2), st.sampled_from(["csv", "parquet"]))
def test_a_record_comes_back_whole_whatever_stands_in_it(records: list[Record], name: str) -> None:
    assert records_in(name, made(name, records)) == [parse(format_record(r)) for r in records]


@pytest.mark.parametrize("name", ["csv", "parquet"])
def test_whole_games_come_back_to_the_letter(name: str) -> None:
    games = [random_game(game, 3, annotated=True) for game in BUILT_IN]
    assert records_in(name, made(name, games)) == games


def test_the_columns_are_the_known_tags_the_moves_and_what_is_left() -> None:
    ends = ["plies", "result", "termination", "moves", "movetext", "tags"]
    assert [*map(column_of, KNOWN_TAGS[:-2]), *ends] == GAME_NAMES


def test_a_plain_record_says_nothing_twice() -> None:
    record = parse('[Game "yavalath"] [Event "x"] [Result "*"] 1. e5 2. d4 *')
    row = dict(zip(GAME_NAMES, game_row(record), strict=True))
    assert (row["moves"], row["movetext"], row["tags"]) == (("e5", "d4"), None, None)
    assert row["plies"] == 2


def test_what_a_column_cannot_hold_stands_among_the_tags() -> None:
    full, plain = csv_rows(made("csv", [FULL, PLAIN]))
    assert full["movetext"] == "{At last.} 1. e5! {[%emt 0.500]} 2. swap (2. d4 {or so}) 3. d4"
    assert json.loads(full["tags"])[4] == ["Mood", "grim"]
    assert (plain["date"], json.loads(plain["tags"])) == ("", ["Game", ["Date", "?"]])


@pytest.mark.parametrize(
    ("column", "value", "tags"),
    [
        ("event", "Spring", [("Game", "yavalath"), ("Event", "Spring"), ("Result", "*")]),
        ("event", "", [("Game", "yavalath"), ("Result", "*")]),
        ("date", "2026-01-02", [("Game", "yavalath"), ("Event", "x"), ("Date", "2026-01-02"),
                                ("Result", "*")]),
        ("result", "1-0", [("Game", "yavalath"), ("Event", "x"), ("Result", "1-0")]),
        ("seed", 7, [("Game", "yavalath"), ("Event", "x"), ("Seed", "7"), ("Result", "*")]),
        ("round", 3.0, [("Game", "yavalath"), ("Event", "x"), ("Round", "3"), ("Result", "*")]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("others", ["", '["Game","Event","Result"]'])
def test_an_edited_column_wins_and_stands_where_its_tag_belongs(
    column: str, value: Any, tags: list[tuple[str, str]], others: str
) -> None:
    row = {"game": "yavalath", "event": "x", "moves": "e5", "tags": others, column: value}
    assert list(parse(text_of(row)).tags) == tags


def test_a_sheet_of_somebody_elses_is_read_whatever_the_order_and_the_separator() -> None:
    content = b'\xef\xbb\xbfMoves;Game;Result\r\n"e5 d4";yavalath;*\r\n\r\nc3;yavalath;\n'
    first, second = records_in("csv", content)
    assert (first.moves, first.result) == (("e5", "d4"), "*")
    assert second.tags == (("Game", "yavalath"), ("Result", "*"))


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("", "1:1: error[field]: the column game is missing; expected columns such as"),
        ("game,result\n", "1:1: error[field]: the column moves is missing"),
        ("game,moves,elo\n", "1:1: error[field]: there is no column 'elo'"),
        ("game,moves,game\n", "1:1: error[field]: the column game stands there twice"),
        ("game,ply,move,position\n", "1:1: error[field]: this is a table of positions"),
        ("game,moves\nyavalath\n", "2:1: error[syntax]: the row has 1 cells; expected 2,"),
        ('game,moves\nyavalath,"e5\n', "2:1: error[syntax]: this is no CSV: unexpected end"),
        ('game,moves,tags\ny,e5,"{"\n', "2:1: error[field]: '{' holds no tags; expected an array"),
        ('game,moves\n"a\nb",e5\n', "2:1: error[field]: 'a\\nb' has a line end; expected one"),
        ("game,moves\nyavalath,e5 e9!?x\n", "2:1: error[syntax]: "),
        ("game,moves,result\nyavalath,e5,won\n", "2:1: error[syntax]: "),
        ("game,moves,movetext\ny,e5,1. e6\n", "2:1: error[field]: the columns moves and movetext"),
        ("game,moves\ny,\udcff\n", "2:3: error[encoding]: byte 0xff is not UTF-8"),
        ("\udcff\udcfeg\0a\0", "1:1: error[encoding]: byte 0xff is not UTF-8"),
    ],
)
def test_what_is_no_row_of_a_game_is_told_of_with_its_line(content: str, problem: str) -> None:
    (entry,) = read("csv", content.encode("utf-8", "surrogateescape"))
    assert str(entry.problems[0]).startswith(f"f:{problem}")


def test_after_a_bad_row_reading_goes_on() -> None:
    content = b'game,moves\nyavalath,"e5\n9"\nyavalath,"e"5\nyavalath,e5\n'
    bad, worse, good = read("csv", content)
    assert (bad.line, bad.record) == (2, None)
    assert worse.problems[0].message == "this is no CSV: ',' expected after '\"'"
    assert (good.line, good.record and good.record.moves) == (5, ("e5",))


def test_after_a_row_that_is_too_long_reading_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "MAX_RECORD", 100)
    content = f'game,moves\nyavalath,"{"x" * 300}"\nyavalath,e5\nyavalath,d4\n'.encode()
    bad, *good = read("csv", content)
    assert bad.problems[0].message == "this is no CSV: a row of more than 100 bytes"
    assert [(each.line, each.record and each.record.moves) for each in (bad, *good)] == [
        (2, None),
        (3, ("e5",)),
        (4, ("d4",)),
    ]


def test_a_heading_that_is_too_long_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "MAX_RECORD", 100)
    (entry,) = read("csv", f"game,moves,{'x' * 300}\nyavalath,e5,\n".encode())
    assert entry.problems[0].message == "this is no CSV: a row of more than 100 bytes"
    assert (entry.line, entry.record) == (1, None)


@pytest.mark.parametrize("content", [b"", b"PAR1", b"no table at all" * 9])
def test_what_is_no_parquet_is_told_of(content: bytes) -> None:
    (entry,) = read("parquet", content)
    assert entry.problems[0].message.startswith("this is no Parquet: ")


def test_a_parquet_of_data_frames_is_read(tmp_path: Any) -> None:
    columns = {"game": ["yavalath"] * 2, "moves": [["e5"], None], "round": [1.0, float("nan")]}
    file = io.BytesIO()
    pq.write_table(pa.table(columns), file)
    one, none = records_in("parquet", file.getvalue())
    assert (one.moves, one.tag("Round")) == (("e5",), "1")
    assert (none.moves, none.tag("Round", "none")) == ((), "none")


@pytest.mark.parametrize("value", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", *HOSTILE_NAMES])
def test_no_cell_of_csv_is_a_formula(value: str) -> None:
    content = made("csv", [bare(value, "bob", "1-0", Event=value)])
    (row,) = csv_rows(content)
    assert not row["event"].startswith(("=", "+", "-", "@", "\t", "\r"))
    assert records_in("csv", content)[0].first == value


@given(st.text("'=+-@ \ta", max_size=6))
def test_what_guards_a_cell_is_taken_away_again(text: str) -> None:
    assert unguarded(guarded(text)) == text


def test_parquet_has_types(tmp_path: Any) -> None:
    table = pq.read_table(io.BytesIO(made("parquet", [FULL, PLAIN])))
    types = {field.name: str(field.type) for field in table.schema}
    assert (types.pop("date"), types.pop("plies")) == ("date32[day]", "int64")
    assert types.pop("moves").startswith("list<")
    assert set(types.values()) == {"string"}
    full, plain = table.to_pylist()
    assert (full["date"], full["moves"]) == (dt.date(2026, 11, 20), ["e5", "swap", "d4"])
    assert (plain["date"], plain["event"]) == (None, None)


def test_a_file_of_no_records_has_the_columns_all_the_same() -> None:
    assert made("csv", []).decode() == ",".join(GAME_NAMES) + "\r\n"
    table = pq.read_table(io.BytesIO(made("parquet", [])))
    assert (table.column_names, table.num_rows) == (GAME_NAMES, 0)
    assert records_in("parquet", made("parquet", [])) == []


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


def test_without_pyarrow_one_error_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for use in (lambda: made("parquet", [FULL]), lambda: read("parquet", b"")):
        with pytest.raises(FormatError) as caught:
            use()
        assert (
            str(caught.value) == "Parquet and Arrow need pyarrow: pip install 'lath-arena[arrow]'"
        )


# A row a ply


def plies(name: str, records: Iterable[Record]) -> bytes:
    """Return a file of positions, the records being the third, the fourth and so on."""
    return b"".join(ply_writer(name)(enumerate(records, 3), lambda *_: None))


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


@pytest.mark.parametrize("game_id", BUILT_IN)
def test_the_move_of_each_row_leads_to_the_position_of_the_next(game_id: str) -> None:
    from lath import games

    record = random_game(game_id, 5, annotated=True)
    rows = parquet_rows(plies("parquet", [record]))
    after = [games.get(game_id).position(row["position"]).play(row["move"]).text() for row in rows]
    assert after[:-1] == [row["position"] for row in rows[1:]]
    assert [row["ply"] for row in rows] == list(range(1, len(record.plies) + 1))


def test_what_is_no_number_is_none_in_a_row_a_ply() -> None:
    said = "[%eval nan] [%clk inf] [%depth x] [%nodes 9999999999999999999] [%emt soon]"
    (row,) = ply_rows(parse(f'[Game "yavalath"] e5 {{{said}}} *'), 1)
    assert row[-6:] == (None,) * 6


def test_all_three_formats_have_the_same_values() -> None:
    records = [FULL, PLAIN]
    rows = parquet_rows(plies("parquet", records))
    lines = [json.loads(line) for line in plies("jsonlines", records).splitlines()]
    assert lines == json.loads(json.dumps(rows, default=str))
    sheet = csv_rows(plies("csv", records))
    assert sheet == [
        {name: "" if value is None else str(value) for name, value in row.items()} for row in rows
    ]
    assert [row["record"] for row in rows] == [3, 3, 3, 4]
    assert rows[3]["score"] is None


def test_a_record_that_cannot_be_played_is_left_out_of_the_positions() -> None:
    lost: list[tuple[int, str]] = []
    records = [(1, parse('[Game "yavalath"] e5 e5 *')), (2, PLAIN)]
    content = b"".join(ply_writer("csv")(iter(records), lambda *what: lost.append(what)))
    assert [row["record"] for row in csv_rows(content)] == ["2"]
    assert lost == [(1, "the position before a move that is not legal"), (1, "the record")]


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


@pytest.mark.parametrize("order", [None, '["Game","Date","Result"]', '["Game","Result"]'])
def test_a_time_of_day_stays_beside_the_date(order: str | None) -> None:
    when = [dt.datetime(2026, 11, 20, 10, 15, 30), dt.datetime(2026, 11, 21)]  # noqa: DTZ001
    columns = {"game": ["yavalath"] * 2, "moves": [["e5"]] * 2, "date": when, "tags": [order] * 2}
    file = io.BytesIO()
    pq.write_table(pa.table(columns), file)
    timed, whole = records_in("parquet", file.getvalue())
    assert (timed.tag("Date"), timed.tag("StartTime")) == ("2026-11-20", "2026-11-20T10:15:30")
    assert (whole.tag("Date"), whole.tag("StartTime", "none")) == ("2026-11-21", "none")


def test_what_is_said_of_moves_and_has_no_column_is_told_of() -> None:
    said = parse('[Game "yavalath"]\n\n1. e5 {[%eval 0.5] so} (1. d4) 2. c3! *')
    plain = parse('[Game "yavalath"]\n\n1. e5 {[%eval 0.5]} 2. c3! *')
    lost: list[tuple[int, str]] = []
    rows = list(enumerate((plain, said), 1))
    assert list(ply_writer("csv")(rows, lambda number, field: lost.append((number, field))))
    assert lost == [(2, "comments"), (2, "variations")]


def test_a_time_of_day_and_a_date_known_in_part_are_told_of_where_rows_of_plies_have_neither() -> (
    None
):
    tags = '[Date "2026-11-??"] [StartTime "10:11:12"] [Mine "x"] [First "ann"]'
    record = parse(f'[Game "yavalath"] {tags} 1. e5 2. d4 *')
    lost: list[tuple[int, str]] = []
    assert list(
        ply_writer("csv")([(1, record)], lambda number, field: lost.append((number, field)))
    )
    assert [field for _, field in lost] == ["tag Date", "tag StartTime", "tag Mine"]
