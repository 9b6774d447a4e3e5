"""CSV and Parquet: a row a game, values of sensible types, and every loss told."""

from __future__ import annotations

import csv
import datetime as dt
import io
import sys
from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from record_strategies import RECORDS
from sample_records import HOSTILE_NAMES, bare, random_game

from lath.notation import Record, parse
from lath.notation.formats import FormatError, tables, writer
from lath.notation.formats.tables import COLUMNS
from lath.notation.record import KNOWN_TAGS

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


def made(name: str, records: Iterable[Record]) -> tuple[bytes, list[tuple[int, str]]]:
    """Return a file and what was lost on the way into it."""
    lost: list[tuple[int, str]] = []
    content = b"".join(writer(name)(iter(records), lambda *what: lost.append(what)))
    return content, lost


def csv_rows(records: Iterable[Record]) -> list[dict[str, str]]:
    """Return the rows of a CSV file as a sheet has them."""
    text = made("csv", records)[0].decode()
    return list(csv.DictReader(io.StringIO(text, newline="")))


def parquet_rows(records: Iterable[Record]) -> list[dict[str, Any]]:
    """Return the rows of a Parquet file."""
    rows: list[dict[str, Any]] = pq.read_table(io.BytesIO(made("parquet", records)[0])).to_pylist()
    return rows


def test_the_columns_are_the_known_tags_and_the_number_of_plies() -> None:
    tags = "game event site date round first second setup position time_control opening seed"
    assert " ".join(COLUMNS) == f"{tags} annotator plies result termination"
    assert len(COLUMNS) == len(KNOWN_TAGS) + 1


def test_a_row_of_csv_has_tags_plies_result_and_termination() -> None:
    content, _ = made("csv", [FULL, PLAIN])
    assert content.decode() == (
        "game,event,site,date,round,first,second,setup,position,time_control,opening,seed,"
        "annotator,plies,result,termination\r\n"
        'yavalath,"Autumn, bots",,2026-11-20,,,,,,10+0.1,,,,3,0-1,resignation\r\n'
        "yavalath,,,?,,,,,,,,,,1,*,\r\n"
    )


def test_a_file_of_no_records_has_the_columns_all_the_same() -> None:
    assert made("csv", [])[0].decode() == ",".join(COLUMNS) + "\r\n"
    table = pq.read_table(io.BytesIO(made("parquet", [])[0]))
    assert table.column_names == [*COLUMNS, "moves"]
    assert table.num_rows == 0


@pytest.mark.parametrize("value", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", *HOSTILE_NAMES])
def test_no_cell_of_csv_is_a_formula(value: str) -> None:
    (row,) = csv_rows([bare(value, "bob", "1-0", Event=value)])
    assert row["first"] in {value, f"'{value}"}
    assert not row["event"].startswith(("=", "+", "-", "@", "\t", "\r"))


@given(RECORDS)
def test_csv_holds_a_record_whatever_stands_in_it(record: Record) -> None:
    (row,) = csv_rows([record])
    assert (int(row["plies"]), row["result"]) == (len(record.plies), record.result)
    assert row["game"] in {record.game, f"'{record.game}"}
    assert row["time_control"] in {record.tag("TimeControl"), f"'{record.tag('TimeControl')}"}


def test_parquet_has_the_same_columns_with_types_and_the_moves() -> None:
    table = pq.read_table(io.BytesIO(made("parquet", [FULL, PLAIN])[0]))
    types = {field.name: str(field.type) for field in table.schema}
    assert types.pop("date") == "date32[day]"
    assert types.pop("plies") == "int32"
    assert types.pop("moves").startswith("list<")
    assert set(types.values()) == {"string"}
    full, plain = table.to_pylist()
    assert {name: value for name, value in full.items() if value is not None} == {
        "game": "yavalath",
        "event": "Autumn, bots",
        "date": dt.date(2026, 11, 20),
        "time_control": "10+0.1",
        "plies": 3,
        "result": "0-1",
        "termination": "resignation",
        "moves": ["e5", "swap", "d4"],
    }
    assert plain["date"] is None


@given(RECORDS)
def test_parquet_holds_a_record_whatever_stands_in_it(record: Record) -> None:
    (row,) = parquet_rows([record])
    tags = dict(record.tags)
    assert tuple(row["moves"]) == record.moves
    assert (row["game"], row["event"]) == (tags["Game"], tags.get("Event"))
    assert (row["result"], row["seed"]) == (record.result, tags.get("Seed"))


def test_what_the_columns_do_not_hold_is_told() -> None:
    beside = ["glyphs", "comments", "variations", "tag Mood"]
    assert made("csv", [PLAIN, FULL])[1] == [
        (1, "moves"),
        *((2, field) for field in ["moves", *beside]),
    ]
    assert made("parquet", [PLAIN, FULL])[1] == [(2, field) for field in beside]


def test_what_stands_in_variations_only_is_told_too() -> None:
    record = parse('[Game "yavalath"] e5 (d4 (c3 d3!)) (a1 ({why} b1)) *')
    assert [field for _, field in made("parquet", [record])[1]] == [
        "glyphs",
        "comments",
        "variations",
    ]


def test_a_record_without_moves_loses_none_in_csv() -> None:
    assert made("csv", [bare("ann", "bob", "1-0")])[1] == []


@pytest.mark.parametrize("date", ["2026-11", "20261120", "2026-02-30", "2026-W47-5", "soon", ""])
def test_a_date_that_is_none_is_null_in_parquet_and_counts_as_lost(date: str) -> None:
    record = bare("ann", "bob", "1-0", Date=date)
    assert parquet_rows([record])[0]["date"] is None
    assert made("parquet", [record])[1] == [(1, "tag Date")]
    assert made("csv", [record])[1] == []


def test_a_result_tag_that_contradicts_the_moves_is_lost() -> None:
    record = parse('[Game "yavalath"] [Result "1-0"] 1. e5 *')
    assert made("parquet", [record])[1] == [(1, "tag Result")]
    assert parquet_rows([record])[0]["result"] == "*"


def test_rows_come_in_groups_while_records_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "ROWS_PER_GROUP", 2)
    read = 0

    def records() -> Iterator[Record]:
        nonlocal read
        for read in range(1, 6):
            yield random_game("yavalath", read)

    pieces = writer("parquet")(records(), lambda *_: None)
    content = next(pieces)
    assert read == 2
    file = pq.ParquetFile(io.BytesIO(content + b"".join(pieces)))
    groups = [file.metadata.row_group(i).num_rows for i in range(file.metadata.num_row_groups)]
    assert groups == [2, 2, 1]


def test_without_pyarrow_one_error_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(FormatError) as caught:
        made("parquet", [FULL])
    assert str(caught.value) == "parquet needs pyarrow: pip install 'lath-arena[arrow]'"
