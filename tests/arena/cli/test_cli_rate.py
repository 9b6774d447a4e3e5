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

from lath.notation.formats import READABLE, TABLE, reader, writer
from lath.notation.record import Record
from lath.notation.writer import format_record
from lath.reports import export
from lath.reports.standings import Tally

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


def test_bots_stand_by_the_method_that_is_asked_for_in_every_form(tmp_path: Path) -> None:
    # ann won all her games before bob won all of his: only the order of games tells them apart.
    path = tmp_path / "a.csv"
    rows = [("ann", "bob", "1-0")] * 3 + [("bob", "ann", "1-0")] * 3 + [("cat", "ann", "0-1")]
    path.write_text(sheet(rows, "first", "second", "result"))
    found = {}
    for method, name in (
        ("all-games", "TrueSkill (all games at once)"),
        ("trueskill", "TrueSkill (in order of play)"),
    ):
        told, sheet_of = (
            arena("rate", path, form, "--method", method).out for form in ("--json", "--csv")
        )
        whole = json.loads(told)
        jsonschema.Draft202012Validator(export.schema()).validate(whole)
        table = whole["overall"]
        assert (table["ranked_by"], table["method"]) == (name, "TrueSkill (all games at once)")
        assert table["in_order"]["method"] == "TrueSkill (in order of play)"
        lines = list(csv.DictReader(io.StringIO(sheet_of)))
        found[method] = [row["name"] for row in table["rows"]]
        assert [line["name"] for line in lines][:3] == found[method]
        for line, row in zip(lines, table["rows"], strict=False):
            assert (line["ranked_by"], line["method"]) == (name, table["method"])
            assert line["sequential_method"] == table["in_order"]["method"]
            assert line["sequential_by"] == table["in_order"]["by"] == "the trueskill package"
            assert float(line["sequential_draw_rate"]) == table["in_order"]["draw_rate"]
            for figure in ("mu", "sigma", "exposed"):
                assert float(line[f"sequential_{figure}"]) == row["sequential"][figure]
    assert found["all-games"] == ["ann", "bob", "cat"]
    assert found["trueskill"] == ["bob", "ann", "cat"]


def test_the_page_names_both_ratings_and_their_draw_probability(file: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    ran = arena("report", file, "-o", page, "--data", "-")
    told = json.loads(ran.out)["standings"]["overall"]
    words = " ".join(page.read_text().split())
    assert "<dt>TrueSkill (all games at once)</dt>" in words
    assert "<dt>TrueSkill (in order of play)</dt>" in words
    assert "This is TrueSkill (in order of play), by the trueskill package" in words
    table = words[words.index("<summary>TrueSkill (in order of play)") :]
    table = table[: table.index("</table>")]
    assert f"draw probability of {100 * told['in_order']['draw_rate']:.2f}" in table
    for row in told["rows"]:
        for figure in ("exposed", "mu", "sigma"):
            assert (
                f"<td{{}}>{row['sequential'][figure]:.2f}</td>".format(
                    ' class="rating"' if figure == "exposed" else ""
                )
                in table
            )


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
    assert (ran.status, ran.out) == (1, "no finished games\nleft out: not sound 1\n")
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


# Results without moves

RESULTS = (("ann", "bob", "1-0"), ("bob", "cat", "1/2-1/2"), ("cat", "ann", "0-1")) * 4


def sheet(rows: Sequence[Sequence[str]], *names: str, between: str = ",") -> str:
    return "".join(f"{between.join(row)}\n" for row in (names, *rows))


def as_pgn(rows: Sequence[Sequence[str]]) -> str:
    tags = (
        '[White "{}"]\n[Black "{}"]\n[Result "{}"]\n\n{}\n\n'.format(*row, row[2]) for row in rows
    )
    return "".join(tags)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", sheet(RESULTS, "first", "second", "result")),
        ("a.csv", sheet(RESULTS, "First", "Second", "Result", between=";")),
        ("a.csv", sheet([(*row, "chess") for row in RESULTS], "first", "second", "result", "game")),
        (
            "a.csv",
            sheet(
                [(row[2], row[0], row[1], "") for row in RESULTS],
                "result",
                "first",
                "second",
                "game",
            ),
        ),
        (
            "a.csv",
            sheet(
                [(*row, "cup", "1") for row in RESULTS],
                "first",
                "second",
                "result",
                "event",
                "round",
            ),
        ),
        ("a.pgn", as_pgn(RESULTS)),
    ],
)
def test_results_without_moves_count_each_and_the_output_says_so(
    name: str, text: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_text(text)
    told = json.loads(arena("rate", "--json", path).out)["overall"]
    assert (told["games"], told["rated"]) == (12, 12)
    assert (told["without_moves"], told["repeated"]) == (12, 0)
    assert told["rows"][0]["name"] == "ann"
    ran = arena("rate", path)
    assert (ran.status, ran.err) == (0, "")
    assert "without moves: 12 games, of which only the results count" in ran.out
    page = arena("report", path, "-o", tmp_path / "page.html", "--data", "-")
    assert page.status == 0
    facts = json.loads(page.out)
    assert (facts["lengths"], facts["showpiece"]) == ([], None)
    words = " ".join((tmp_path / "page.html").read_text().split())
    assert "12 games of 12 have no moves: only the results count." in words


def test_results_are_the_same_by_sheet_headers_and_the_games_themselves(
    file: Path, tmp_path: Path
) -> None:
    headers = tmp_path / "games.pgn"
    assert arena("convert", file, headers).status == 0
    table = tmp_path / "games.csv"
    assert arena("convert", headers, table).status == 0
    whole, *alone = (json.loads(arena("rate", "--json", one).out) for one in (file, headers, table))
    for told in alone:
        assert told["overall"]["without_moves"] == 12
        assert [row["elo"]["value"] for row in told["overall"]["rows"]] == [
            row["elo"]["value"] for row in whole["overall"]["rows"]
        ]


@pytest.mark.parametrize(("tag", "pairs"), [("", 2), ('[Number "{}"]\n', 1)])
def test_two_results_are_a_pair_only_where_their_numbers_say_so(tag: str, pairs: int) -> None:
    rows = [("ann", "bob", "1-0"), ("bob", "ann", "0-1")]
    text = "".join(tag.format(n) + as_pgn([row]) for n, row in enumerate(rows, 1))
    tally = Tally()
    for entry in reader("pgn")(io.BytesIO(text.encode()), "f"):
        assert entry.record
        tally.add(entry.record)
    assert len({result.pair for result in tally.results()}) == pairs


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("ann,bob,draw", "'draw' is no result; did you mean '1/2-1/2'?"),
        ("ann,bob,2-0", "'2-0' is no result; expected 1-0, 0-1, 1/2-1/2 or *"),
        ("ann,bob,", "the cell result is empty; expected 1-0, 0-1, 1/2-1/2 or *"),
        ("ann,,1-0", "the cell second is empty; expected the name of a player"),
        ("ann,bob", "the row has 2 cells; expected 3, as many as there are columns"),
    ],
)
def test_a_bad_row_is_told_of_with_its_line_and_what_was_expected(
    row: str, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"first,second,result\nann,bob,1-0\n{row}\nbob,ann,1-0\n")
    ran = arena("rate", "--json", path)
    assert (ran.status, json.loads(ran.out)["overall"]["games"]) == (1, 2)
    assert f"{path}:3: {message}\n" in ran.err
    assert f"{path}:3:1: error[" in arena("convert", path, tmp_path / "b.pgn").err


@pytest.mark.parametrize(
    ("head", "message"),
    [
        ("first,second", "the column result is missing"),
        ("first,result", "the column second is missing"),
        ("first,second,result,elo", "there is no column 'elo'"),
        ("first,second,result,first", "the column first stands there twice"),
    ],
)
def test_a_wrong_heading_says_what_columns_are_expected(
    head: str, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"{head}\nann,bob,1-0,1\n")
    ran = arena("rate", path)
    assert ran.status == 1
    assert f"{path}:1: {message}; expected" in ran.err
