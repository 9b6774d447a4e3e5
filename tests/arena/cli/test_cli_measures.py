"""`arena stats --measures` as its users meet it: the page's examples, JSON, sheets, refusals."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
from commands import arena, refusals
from doc_pages import DocPage
from markup import problems_in
from places import SAMPLES
from reference import TABLES
from tools import needs

from lath.reports.metrics.definitions import MEASURES

if TYPE_CHECKING:
    from golden import Golden

PAGE = DocPage("game-metrics")


@pytest.fixture(autouse=True)
def files_of_samples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Copy the files of samples and go where they are."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    for name in ("wide", "narrow"):
        shutil.copy(SAMPLES / f"metrics-{name}.lath", f"{name}.lath")


WIDE: Final = ("stats", "wide.lath", "--measures")
BOTH: Final = ("stats", "wide.lath", "narrow.lath", "--measures", "--compare")


def test_a_comparison_is_printed_as_the_sample_says() -> None:
    compared = (SAMPLES / "metrics-compared.txt").read_text(encoding="utf-8")
    assert [line.rstrip() for line in arena(*BOTH).out.splitlines()] == compared.splitlines()


def test_the_page_has_every_metric_as_the_report_does() -> None:
    filled = TABLES.filled(PAGE.text)
    for each in MEASURES:
        assert f"\n| {each.name} | `{each.key}` | {each.says} | {each.needs} | " in filled


def test_json_and_sheets_have_the_keys_that_the_page_names() -> None:
    told = json.loads(arena(*WIDE, "--json").out)
    assert set(told) == {"records", "left_out", "by_game"}
    (game,) = told["by_game"]
    named = set(re.findall(r"`\w+`", PAGE.text))
    assert {f"`{key}`" for key in game} <= named
    by_key = {row["measure"]: row for row in game["measures"]}
    assert list(by_key) == [measure.key for measure in MEASURES]
    assert by_key["first_score"]["value"] == 3 / 8
    assert all(row["low"] <= row["value"] <= row["high"] for row in game["measures"])
    told = json.loads(arena(*BOTH, "--json").out)
    assert [each["name"] for each in told["by_game"]] == ["yavalath", "yavalath:size=4"]
    assert {f"`{key}`" for key in told["compared"][0]} <= named
    differ = [each["measure"] for each in told["compared"] if each["differs"]]
    assert differ == ["legal_moves", "coverage"]
    heading, *rows = arena(*WIDE, "--csv").out.splitlines()
    assert (heading, len(rows)) == ("game,measure,value,low,high,games,reason", len(MEASURES))
    heading, *rows = arena(*BOTH, "--csv").out.splitlines()
    assert heading == "measure,one,other,difference,low,high,p_value,adjusted,differs,reason"
    assert len(rows) == len(MEASURES)


def test_games_of_one_file_are_compared_as_those_of_two_are_and_files_by_their_names() -> None:
    both = [Path(name).read_text() for name in ("wide.lath", "narrow.lath")]
    Path("all.lath").write_text("\n".join(both))
    assert arena("stats", "all.lath", "--measures", "--compare").out == arena(*BOTH).out
    Path("again.lath").write_text(both[0])
    ran = arena("stats", "wide.lath", "again.lath", "--measures", "--compare")
    assert ran.out.startswith("8 games of wide.lath and 8 games of again.lath\n")
    assert "no significant difference between wide.lath and again.lath" in ran.out


NEED_EVALUATIONS = {each.key for each in MEASURES if each.evaluated}

KNOWS_NOTHING: dict[str, Callable[[str], str]] = {
    "with too few evaluations": lambda text: re.sub(r" \{.*?\}", "", text),
    "with the same evaluation for every position": lambda text: re.sub(
        r"eval -?[\d.]+", "eval 0.0", text
    ),
    "with evaluations of proven wins and losses only": lambda text: re.sub(
        r"eval (-?)(\d\.\d)",
        lambda found: f"eval {found[1]}{1.0 if float(found[2]) > 0.5 else 0.0}",
        text,
    ),
}
"""What makes of a file one of bots that know nothing of leads, by what is said of its games."""


@pytest.mark.parametrize("says", KNOWS_NOTHING)
def test_what_bots_know_nothing_of_is_not_measured(says: str) -> None:
    Path("blind.lath").write_text(KNOWS_NOTHING[says](Path("wide.lath").read_text()))
    printed = " ".join(arena("stats", "blind.lath", "--measures").out.split())
    assert "drama 0.0%" not in printed
    assert (
        "not measurable with these bots: 0 of 8 games are evaluated, but 3 are needed (" in printed
    )
    assert says in printed
    helps = "use bots that evaluate positions: arena run … --bot mcts --bot twin=mcts"
    if "proven" in says:  # they do judge: others would prove as soon
        helps = (
            "give bots such as mcts more time or nodes, so that they evaluate unproven positions"
        )
    assert f"hint: {helps}; or add evaluations to the records: arena analyze FILE" in printed
    told = json.loads(arena("stats", "blind.lath", "--measures", "--json").out)["by_game"][0]
    rows = {row["measure"]: row for row in told["measures"]}
    assert {key for key, row in rows.items() if row["value"] is None} == NEED_EVALUATIONS
    assert all(says in rows[key]["reason"] and rows[key]["help"] for key in NEED_EVALUATIONS)
    sheet = arena("stats", "blind.lath", "--measures", "--csv").out
    assert len(re.findall(r"^yavalath,\w+,,,,0,", sheet, re.MULTILINE)) == len(NEED_EVALUATIONS)


def test_what_only_one_has_is_not_compared() -> None:
    level = next(how for says, how in KNOWS_NOTHING.items() if "every position" in says)
    Path("blind.lath").write_text(level(Path("narrow.lath").read_text()))
    both = ("stats", "wide.lath", "blind.lath", "--measures", "--compare")
    printed = " ".join(arena(*both).out.split())
    assert "yavalath:size=4: lead changes, changes/ply, drama" in printed
    assert "not measurable with these bots" in printed
    rows = json.loads(arena(*both, "--json").out)["compared"]
    nulls = {row["measure"]: row for row in rows if row["difference"] is None}
    assert set(nulls) == NEED_EVALUATIONS
    assert nulls["drama"]["one"]["value"] is not None
    assert nulls["drama"]["other"]["value"] is None
    assert nulls["drama"]["reason"].startswith("other: not measurable")
    page = arena(*both, "--html", "-").out
    assert "more dramatic." not in page
    assert "Not measurable with these bots." in page


def test_where_some_games_are_judged_it_is_said_which_and_what_does_not_count() -> None:
    level = next(how for says, how in KNOWS_NOTHING.items() if "every position" in says)
    wide = Path("wide.lath").read_text()
    again = ("stats", "-", "--measures", "--count-again")
    printed = " ".join(arena(*again, stdin=f"{wide}\n{level(wide)}").out.split())
    assert "use 8 evaluated games, without 8 with the same evaluation for every position" in printed
    (drama,) = re.findall(r"^drama +(\S+)", arena(*WIDE).out, re.MULTILINE)
    assert f"drama {drama}" in printed, "level games make it no smaller"
    lost = '\n[Game "yavalath"]\n[Termination "time"]\n[Result "1-0"]\n\n1. e5 1-0\n'
    ran = arena(*again, stdin=f"{wide}\n{wide}\n{lost}")
    assert "left out: 1 forfeited" in ran.out
    assert "duplicates: 8 games. All count" in ran.out
    assert arena("stats", "-", "--measures", stdin="").out == "no games\n"


def test_the_page_with_plots_has_the_numbers_of_the_json_and_marks_its_differences() -> None:
    ran = arena(*BOTH, "--html", "page.html")
    assert re.fullmatch(r"page\.html: 16 games, \d+ kB\n", ran.err)
    page = Path("page.html").read_text(encoding="utf-8")
    assert arena(*BOTH, "--html", "-").out.count("<h1>") == 1
    told = json.loads(arena(*BOTH, "--json").out)
    for measure in MEASURES:
        of_it = rf'<figure class="card" id="of-{measure.key}">.*?</table>'
        (panel,) = re.findall(of_it, page, re.DOTALL)
        unit = 100 if measure.unit == "share" else 1
        values = [float(text) / unit for text in re.findall(r"<b>([\d.]+)[^<]*</b>", panel)]
        expected = [
            row["value"]
            for game in told["by_game"]
            for row in game["measures"]
            if row["measure"] == measure.key
        ]
        assert values == pytest.approx(expected, abs=0.0006 if unit > 1 else 0.006), measure.key
    marked = re.findall(r'<tr class="believed">\s*<th scope="row"><a href="#of-(\w+)"', page)
    differ = [each["measure"] for each in told["compared"] if each["differs"]]
    assert sorted(marked) == sorted(differ)
    assert len(re.findall(r'<tr class="open">', page)) == len(told["compared"]) - len(marked)


def test_a_page_says_what_is_compared_and_by_which_command() -> None:
    both = ("narrow.lath", "--measures", "--compare", "--where", "plies < 99", "--html", "-")
    page = arena("stats", "wide.lath", *both).out
    assert "<h1><bdi>Yavalath and Yavalath (size 4) compared</bdi></h1>" in page
    assert "--compare --where &#39;plies &lt; 99&#39; --html -</code>" in page
    Path("again.lath").write_text(Path("narrow.lath").read_text())
    assert "<h1><bdi>again.lath and narrow.lath compared" in arena("stats", "again.lath", *both).out


@needs("node", "npm")
def test_pages_with_plots_are_valid_and_fetch_nothing(tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    Path("none.lath").write_text("\n", encoding="utf-8")
    plain = re.sub(r" \{.*?\}", "", Path("wide.lath").read_text(encoding="utf-8"))
    Path("plain.lath").write_text(plain, encoding="utf-8")
    files = {"one": ["wide.lath"], "plain": ["plain.lath"], "none": ["none.lath"]}
    files["compared"] = ["wide.lath", "narrow.lath", "--compare"]
    for name, words in files.items():
        made = pages / f"{name}.html"
        arena("stats", *words, "--measures", "--html", str(made))
        page = made.read_text(encoding="utf-8")
        assert not re.search(r'(?:src|href)="(?!#|data:)', page), name
    assert problems_in(pages) == []


WRONG: Final = (
    *("--compare", "--measures --openings", "--measures --compare", "--measures --csv --json"),
    *("--html page.html", "--measures --html page.html --csv", "--measures --html wide.lath"),
    *("--measures --html no/page.html", "--measures --compare --html page.html"),
    "narrow.lath --measures --compare --where 'game = yavalath'",
)


def test_what_cannot_be_meant_is_refused(golden: Golden) -> None:
    golden(refusals(f"stats wide.lath {words}" for words in WRONG))
    assert not Path("page.html").exists()
