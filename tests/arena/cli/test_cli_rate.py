"""`arena rate`: records of any format to tables, JSON and CSV, and what it says if it cannot."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import jsonschema
import pytest
from commands import arena
from places import SAMPLES
from sample_records import HOSTILE_NAMES, bare, random_game, tournament

from lath.notation.formats import READABLE, TABLE, reader, writer
from lath.notation.record.record import Record
from lath.notation.text.writer import format_record
from lath.reports.counting.standings import Tally
from lath.reports.event import export

if TYPE_CHECKING:
    from golden import Golden

TWO_GAMES = ("surikata", "yavalath")


def text_of(records: Sequence[Record]) -> str:
    return "\n".join(map(format_record, records))


def sheet(rows: Sequence[Sequence[str]], *names: str, between: str = ",") -> str:
    return "".join(f"{between.join(row)}\n" for row in (names, *rows))


def lines_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


@pytest.fixture(autouse=True)
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Games of two kinds between three bots, in the folder in which commands are typed."""
    monkeypatch.chdir(tmp_path)
    path = Path("games.lath")
    path.write_text(text_of(tournament(("ann", "bob", "cat"), 1, game_ids=TWO_GAMES)))
    return path


def test_a_file_gives_tables_json_and_a_sheet_of_all_games_and_of_each(file: Path) -> None:
    ran, more = arena("rate", file), arena("rate", file, "--by-game")
    assert (ran.status, ran.err) == (0, "")
    headings = ["Ratings: Sample", "Games", "12 games, first player's score"]
    headings += ["Ratings at surikata", "Ratings at yavalath"]
    places = [more.out.index(words) for words in headings]
    assert places == sorted(places)
    assert more.out.startswith(ran.out)
    schema = json.loads(arena("schema", "standings").out)
    assert schema == export.schema()
    told = json.loads(arena("rate", "--json", file).out)
    jsonschema.Draft202012Validator(schema).validate(told)
    assert (told["version"], told["overall"]["games"]) == (3, 12)
    assert [table["game"] for table in told["per_game"]] == list(TWO_GAMES)
    rows = lines_of(arena("rate", "--csv", file).out)
    assert [row["game"] for row in rows] == [game for game in ("", *TWO_GAMES) for _ in range(3)]
    both = arena("rate", "--csv", "--json", file)
    assert (both.status, "cannot be combined with" in both.err) == (2, True)


def test_the_number_behind_a_rating_is_the_longer_side_of_its_interval() -> None:
    all_won = [("ann", "bob", "1-0"), ("bob", "ann", "0-1")] * 20
    Path("a.csv").write_text(sheet(all_won, "first", "second", "result"))
    rows = json.loads(arena("rate", "a.csv", "--json").out)["overall"]["rows"]
    shown = arena("rate", "a.csv", "--columns", "bot,mu").out
    assert [row["high"] - row["mu"] > row["mu"] - row["low"] + 1 for row in rows] == [True, False]
    for row in rows:
        longer = max(row["high"] - row["mu"], row["mu"] - row["low"])
        assert f"{row['name']}  {row['mu']:.2f} ±{longer:.2f}" in shown


def test_bots_stand_by_the_method_that_is_asked_for_in_every_form() -> None:
    # ann won all her games before bob won all of his: only the order of games tells them apart.
    rows = [("ann", "bob", "1-0")] * 3 + [("bob", "ann", "1-0")] * 3 + [("cat", "ann", "0-1")]
    Path("a.csv").write_text(sheet(rows, "first", "second", "result"))
    found = {}
    for method, name in (
        ("all-games", "TrueSkill (all games at once)"),
        ("trueskill", "TrueSkill (in order of play)"),
    ):
        told, sheet_of = (
            arena("rate", "a.csv", form, "--method", method).out for form in ("--json", "--csv")
        )
        whole = json.loads(told)
        jsonschema.Draft202012Validator(export.schema()).validate(whole)
        table = whole["overall"]
        assert (table["ranked_by"], table["method"]) == (name, "TrueSkill (all games at once)")
        assert table["in_order"]["method"] == "TrueSkill (in order of play)"
        found[method] = [row["name"] for row in table["rows"]]
        assert [line["name"] for line in lines_of(sheet_of)][:3] == found[method]
        for line, row in zip(lines_of(sheet_of), table["rows"], strict=False):
            assert (line["ranked_by"], line["method"]) == (name, table["method"])
            assert line["sequential_method"] == table["in_order"]["method"]
            assert line["sequential_by"] == table["in_order"]["by"] == "the trueskill package"
            assert float(line["sequential_draw_rate"]) == table["in_order"]["draw_rate"]
            for figure in ("mu", "sigma", "exposed"):
                assert float(line[f"sequential_{figure}"]) == row["sequential"][figure]
    assert found == {"all-games": ["ann", "bob", "cat"], "trueskill": ["bob", "ann", "cat"]}


def test_the_page_names_both_ratings_and_their_draw_probability(file: Path) -> None:
    ran = arena("report", file, "-o", "page.html", "--data", "-")
    told = json.loads(ran.out)["standings"]["overall"]
    words = " ".join(Path("page.html").read_text().split())
    assert "<dt>TrueSkill (all games at once)</dt>" in words
    assert "<dt>TrueSkill (in order of play)</dt>" in words
    assert "The plot uses TrueSkill (in order of play)" in words
    table = words[words.index("<summary>TrueSkill (in order of play)") :].partition("</table>")[0]
    assert f"draw probability {100 * told['in_order']['draw_rate']:.2f}" in table
    for row in told["rows"]:
        for figure in ("exposed", "mu", "sigma"):
            kind = ' class="rating"' if figure == "exposed" else ""
            assert f"<td{kind}>{row['sequential'][figure]:.2f}</td>" in table


# What is rated


def test_records_of_any_format_that_is_read_are_rated_packed_or_not() -> None:
    records = [random_game("yavalath", n) for n in range(4)]
    for name in (name for name in READABLE if TABLE[name].write):
        for pack, end in (bytes, ""), (gzip.compress, ".gz"):
            path = Path(f"of-{name}{TABLE[name].suffixes[0]}{end}")
            path.write_bytes(pack(b"".join(writer(name)(records, lambda *_: None))))
            if end and name in ("parquet", "npz", "feather"):
                continue  # which are packed already
            ran = arena("rate", "--json", path)
            assert (ran.status, ran.err) == (0, ""), path
            assert json.loads(ran.out)["overall"]["games"] == 4, path
    told = json.loads(arena("rate", "--json", SAMPLES / "ludii-yavalath-swap.trl").out)
    assert [table["game"] for table in told["per_game"]] == ["yavalath"]


def test_standard_input_is_rated_alone_and_with_files(file: Path) -> None:
    assert arena("rate", "-", stdin=file.read_text()).out == arena("rate", file).out
    given = "--json", file, "-", "--count-again"
    told = json.loads(arena("rate", *given, stdin=file.read_text()).out)
    assert (told["overall"]["games"], told["overall"]["repeated"]) == (24, 12)


def test_no_records_are_no_error() -> None:
    Path("empty.lath").touch()
    assert arena("rate", "empty.lath").out == "no finished games\n"
    assert json.loads(arena("rate", "--json", "empty.lath").out)["overall"]["rows"] == []
    assert len(arena("rate", "--csv", "empty.lath").out.splitlines()) == 1


def test_no_name_moves_the_cursor() -> None:
    names = [*HOSTILE_NAMES, "\x1b[2J", "a\nb"]
    records = [bare(name, "bob", "1-0", Event=name, Termination="crash") for name in names]
    Path("a.lath").write_text(text_of(records))
    for how in ((), ("--by-game",), ("--json",)):
        told = arena("rate", "a.lath", *how).out
        assert "\x1b" not in told
        assert "bob" in told, "they are rated"


# What is not


UNREAD: Final = {
    "a.sgf": "x",
    "gone.jsonl": None,
    "a.lath": "x\n",
    "a.jsonl": "{}\n",
    "empty/": None,
    "bad/games.lath": '[Game "yavalath"]\n\n1. a1 {',
    **{
        f"row-{n}.csv": f"first,second,result\nann,bob,1-0\n{row}\nbob,ann,1-0\n"
        for n, row in enumerate(
            ("ann,bob,draw", "ann,bob,2-0", "ann,bob,", "ann,,1-0", "ann,bob"), 1
        )
    },
    **{
        f"head-{n}.csv": f"{head}\nann,bob,1-0,1\n"
        for n, head in enumerate(
            (
                "first,second",
                "first,result",
                "first,second,result,elo",
                "first,second,result,first",
            ),
            1,
        )
    },
}


def test_what_cannot_be_rated_is_told_with_its_place_and_what_was_expected(golden: Golden) -> None:
    said, statuses = {}, {}
    for name, text in UNREAD.items():
        path = Path(name)
        if text is None and name.endswith("/"):
            path.mkdir()
        elif text is not None:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        source = path.parent if path.parent.name else path
        ran = arena("rate", source)
        said[name], statuses[name] = ran.err, ran.status
        assert arena("report", source, "-o", "page.html").status == ran.status, name
        if name.startswith("row"):
            assert json.loads(arena("rate", "--json", source).out)["overall"]["games"] == 2
            assert f"{path}:3:1: error[" in arena("convert", path, "b.pgn").err
        elif ran.status == 1 and path.suffix in (".lath", ".jsonl") and source == path:
            assert ran.out == "no finished games\nleft out: invalid 1\n"
    assert [name for name, status in statuses.items() if status == 2] == ["a.sgf", "gone.jsonl"]
    assert set(statuses.values()) == {1, 2}
    golden(said)


# Results without moves

RESULTS: Final = (("ann", "bob", "1-0"), ("bob", "cat", "1/2-1/2"), ("cat", "ann", "0-1")) * 4


def as_pgn(rows: Sequence[Sequence[str]]) -> str:
    form = '[White "{}"]\n[Black "{}"]\n[Result "{}"]\n\n{}\n\n'
    return "".join(form.format(*row, row[2]) for row in rows)


WITHOUT_MOVES: Final = {
    "a.csv": sheet(RESULTS, "first", "second", "result"),
    "semicolons.csv": sheet(RESULTS, "First", "Second", "Result", between=";"),
    "game.csv": sheet([(*r, "chess") for r in RESULTS], "first", "second", "result", "game"),
    "mixed.csv": sheet(
        [(r[2], r[0], r[1], "") for r in RESULTS], "result", "first", "second", "game"
    ),
    "event.csv": sheet(
        [(*r, "cup", "1") for r in RESULTS], "first", "second", "result", "event", "round"
    ),
    "a.pgn": as_pgn(RESULTS),
}


def test_results_without_moves_count_each_and_the_output_says_so() -> None:
    for name, text in WITHOUT_MOVES.items():
        Path(name).write_text(text)
        told = json.loads(arena("rate", "--json", name).out)["overall"]
        assert (told["games"], told["rated"]) == (12, 12), name
        assert (told["without_moves"], told["repeated"]) == (12, 0)
        assert told["rows"][0]["name"] == "ann"
        ran = arena("rate", name)
        assert (ran.status, ran.err) == (0, "")
        assert "without moves: 12 games. Only the results count" in ran.out
    page = arena("report", "a.csv", "-o", "page.html", "--data", "-")
    facts = json.loads(page.out)
    assert (page.status, facts["lengths"], facts["showpiece"]) == (0, [], None)
    words = " ".join(Path("page.html").read_text().split())
    assert "12 of 12 games have no moves, so only their results are used." in words


def test_results_are_the_same_by_sheet_headers_and_the_games_themselves(file: Path) -> None:
    assert arena("convert", file, "headers.pgn").status == 0
    assert arena("convert", "headers.pgn", "table.csv").status == 0
    whole, *alone = (
        json.loads(arena("rate", "--json", one).out)["overall"]
        for one in (file, "headers.pgn", "table.csv")
    )
    for told in alone:
        assert told["without_moves"] == 12
        assert [row["elo"]["value"] for row in told["rows"]] == [
            row["elo"]["value"] for row in whole["rows"]
        ]


def test_two_results_are_a_pair_only_where_their_numbers_say_so() -> None:
    rows = [("ann", "bob", "1-0"), ("bob", "ann", "0-1")]
    for tag, pairs in ("", 2), ('[Number "{}"]\n', 1):
        text = "".join(tag.format(n) + as_pgn([row]) for n, row in enumerate(rows, 1))
        tally = Tally()
        for entry in reader("pgn")(io.BytesIO(text.encode()), "f"):
            assert entry.record
            tally.add(entry.record)
        assert len({result.pair for result in tally.results()}) == pairs
