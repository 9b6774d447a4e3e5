"""`arena rate`: records of any format to tables, JSON and CSV, and what it says if it cannot."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Sequence
from pathlib import Path

import jsonschema
import pytest
from commands import arena
from places import SAMPLES
from sample_records import HOSTILE_NAMES, bare, random_game, tournament

from lath.notation.formats import READABLE, TABLE, writer
from lath.notation.record import Record
from lath.notation.writer import format_record
from lath.reports import export

TWO_GAMES = ("surikata", "yavalath")


def text_of(records: Sequence[Record]) -> str:
    return "\n".join(map(format_record, records))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Games of two kinds between three bots."""
    path = tmp_path / "games.lath"
    path.write_text(text_of(tournament(("ann", "bob", "cat"), 1, game_ids=TWO_GAMES)))
    return path


def test_a_file_gives_ratings_crosstable_games_and_endings(file: Path) -> None:
    ran = arena("rate", file)
    assert (ran.status, ran.err) == (0, "")
    headings = ["Ratings: Sample", "Games", "12 games; endings: rules 12"]
    places = [ran.out.index(words) for words in headings]
    assert places == sorted(places)


def test_by_game_prints_the_tables_of_each_game(file: Path) -> None:
    plain, ran = arena("rate", file), arena("rate", file, "--by-game")
    assert ran.out.startswith(plain.out)
    more = ran.out[len(plain.out) :]
    assert more.index("Ratings at surikata") < more.index("Ratings at yavalath")


def test_the_json_keeps_its_schema_and_has_each_game(file: Path) -> None:
    told = json.loads(arena("rate", "--json", file).out)
    jsonschema.Draft202012Validator(export.schema()).validate(told)
    assert (told["version"], told["overall"]["games"]) == (3, 12)
    assert [table["game"] for table in told["per_game"]] == list(TWO_GAMES)


def test_the_schema_is_printed() -> None:
    assert json.loads(arena("schema", "standings").out) == export.schema()


def test_the_csv_has_a_line_for_each_bot_and_table(file: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(arena("rate", "--csv", file).out)))
    assert [row["game"] for row in rows] == [game for game in ("", *TWO_GAMES) for _ in range(3)]


@pytest.mark.parametrize("name", [name for name in READABLE if TABLE[name].write])
def test_records_of_any_format_that_is_read_are_rated(name: str, tmp_path: Path) -> None:
    records = [random_game("yavalath", n) for n in range(4)]
    path = tmp_path / f"games{TABLE[name].suffixes[0]}"
    path.write_bytes(b"".join(writer(name)(records, lambda *_: None)))
    ran = arena("rate", "--json", path)
    assert (ran.status, ran.err) == (0, "")
    assert json.loads(ran.out)["overall"]["games"] == 4


def test_a_file_of_another_program_is_rated() -> None:
    told = json.loads(arena("rate", "--json", SAMPLES / "ludii-yavalath-swap.trl").out)
    assert [table["game"] for table in told["per_game"]] == ["yavalath"]


def test_a_compressed_file_of_another_format_is_rated(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl.gz"
    pieces = writer("jsonlines")([random_game("yavalath", 1)], lambda *_: None)
    path.write_bytes(gzip.compress(b"".join(pieces)))
    assert "1 game; endings: rules 1" in arena("rate", path).out


def test_standard_input_is_rated(file: Path) -> None:
    assert arena("rate", "-", stdin=file.read_text()).out == arena("rate", file).out


def test_files_and_standard_input_are_rated_together(file: Path) -> None:
    given = "--json", file, "-", "--count-again"
    told = json.loads(arena("rate", *given, stdin=file.read_text()).out)
    assert (told["overall"]["games"], told["overall"]["repeated"]) == (24, 12)


def test_a_format_that_is_only_written_is_refused_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "games.sgf"
    path.write_text("x")
    ran = arena("rate", path)
    assert (ran.status, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert f"{path}: sgf is only written; what can be read is lath, jsonlines" in ran.err


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    ran = arena("rate", tmp_path / "gone.jsonl")
    assert (ran.status, ran.err.count("\n")) == (2, 1)
    assert "gone.jsonl cannot be read: No such file" in ran.err


@pytest.mark.parametrize(("name", "text"), [("a.lath", "x\n"), ("a.jsonl", "{}\n")])
def test_a_bad_record_is_named_with_its_place(name: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(text)
    ran = arena("rate", path)
    assert (ran.status, ran.out) == (1, "no finished games\n")
    assert f"{path}:1:" in ran.err


def test_no_records_are_no_error(tmp_path: Path) -> None:
    path = tmp_path / "games.lath"
    path.write_text("")
    assert arena("rate", path).out == "no finished games\n"
    assert json.loads(arena("rate", "--json", path).out)["overall"]["rows"] == []
    assert len(arena("rate", "--csv", path).out.splitlines()) == 1


def test_no_name_moves_the_cursor(tmp_path: Path) -> None:
    path = tmp_path / "games.lath"
    names = [*HOSTILE_NAMES, "\x1b[2J", "a\nb"]
    path.write_text(text_of([bare(name, "bob", "1-0", Event=name) for name in names]))
    for how in ((), ("--by-game",), ("--json",)):
        assert "\x1b" not in arena("rate", path, *how).out
