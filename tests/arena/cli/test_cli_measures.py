"""`arena stats --measures` as its users meet it: the page's examples, JSON, sheets, refusals."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from commands import arena
from doc_pages import DocPage, check_session
from markup import problems_in
from tools import needs

from lath.reports.measures import MEASURES, SAYS

PAGE = DocPage("measures.md")


@pytest.fixture(autouse=True)
def files_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the page's files and go where they are."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    PAGE.make_files(tmp_path)


@PAGE.every_session()
def test_a_command_of_the_page_prints_what_the_page_says(session: str) -> None:
    check_session(session)


def test_the_page_explains_every_measure() -> None:
    explained = dict(re.findall(r"^\| ([\w ]+) \| `(\w+)` \|", PAGE.text, re.MULTILINE))
    assert explained == {measure.name: measure.key for measure in MEASURES}


def test_json_has_the_keys_that_the_page_names() -> None:
    told = json.loads(arena("stats", "wide.lath", "--measures", "--json").out)
    assert set(told) == {"records", "left_out", "by_game"}
    (game,) = told["by_game"]
    assert {f"`{key}`" for key in game} <= set(re.findall(r"`\w+`", PAGE.text))
    by_key = {row["measure"]: row for row in game["measures"]}
    assert list(by_key) == [measure.key for measure in MEASURES]
    assert by_key["first_score"]["value"] == 3 / 8
    assert all(row["low"] <= row["value"] <= row["high"] for row in game["measures"])
    both = ("wide.lath", "narrow.lath", "--measures", "--compare")
    told = json.loads(arena("stats", *both, "--json").out)
    assert [each["name"] for each in told["by_game"]] == ["yavalath", "yavalath:size=4"]
    assert {f"`{key}`" for key in told["compared"][0]} <= set(re.findall(r"`\w+`", PAGE.text))
    differ = [each["measure"] for each in told["compared"] if each["differs"]]
    assert differ == ["legal_moves", "coverage"]


def test_sheets_have_a_line_a_measure() -> None:
    lines = arena("stats", "wide.lath", "--measures", "--csv").out.splitlines()
    assert lines[0] == "game,measure,value,low,high,games,reason"
    assert len(lines) == 1 + len(MEASURES)
    both = ("wide.lath", "narrow.lath", "--measures", "--compare", "--csv")
    heading, *rows = arena("stats", *both).out.splitlines()
    assert heading == "measure,one,other,difference,low,high,p_value,adjusted,differs,reason"
    assert len(rows) == len(MEASURES)


def test_two_games_of_one_file_are_compared_as_those_of_two_are() -> None:
    both = [Path(name).read_text() for name in ("wide.lath", "narrow.lath")]
    Path("all.lath").write_text("\n".join(both))
    one = arena("stats", "all.lath", "--measures", "--compare").out
    assert one == arena("stats", "wide.lath", "narrow.lath", "--measures", "--compare").out


def test_two_files_of_one_game_are_compared_by_their_names() -> None:
    Path("again.lath").write_text(Path("wide.lath").read_text())
    ran = arena("stats", "wide.lath", "again.lath", "--measures", "--compare")
    assert ran.out.startswith("8 games of wide.lath and 8 games of again.lath\n")
    assert "no difference between wide.lath and again.lath is shown" in ran.out


NEED_EVALUATIONS = {each.key for each in MEASURES if each.evaluated}

KNOWS_NOTHING: dict[str, Callable[[str], str]] = {
    "without evaluations, or with too few": lambda text: re.sub(r" \{.*?\}", "", text),
    "where each bot gives every position the same": lambda text: re.sub(
        r"eval -?[\d.]+", "eval 0.0", text
    ),
    "where bots tell wins and losses that they have proved, and nothing else": lambda text: re.sub(
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
    assert "not measurable with these bots: 0 of 8 games are judged, 3 are needed: " in printed
    assert says in printed
    helps = "let bots play that judge positions: arena run … --bot mcts --bot twin=mcts"
    if "proved" in says:  # they do judge: others would prove as soon
        helps = "give bots such as mcts more time or nodes, so that they judge before they prove"
    assert f"what helps: {helps}; or have the records judged: arena analyze FILE" in printed
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
    assert "yavalath:size=4: lead changes, changes a ply, drama" in printed
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


def test_where_some_games_are_judged_it_is_said_which() -> None:
    level = next(how for says, how in KNOWS_NOTHING.items() if "every position" in says)
    mixed = Path("wide.lath").read_text() + "\n" + level(Path("wide.lath").read_text())
    printed = " ".join(arena("stats", "-", "--measures", "--count-again", stdin=mixed).out.split())
    assert "are of 8 games; left out of them: 8 where each bot gives every position the" in printed
    alone = arena("stats", "wide.lath", "--measures").out
    drama = re.compile(r"^drama +(\S+)", re.MULTILINE)
    assert f"drama {drama.findall(alone)[0]}" in printed, "level games make it no smaller"


def test_what_does_not_count_is_told() -> None:
    twice = "\n".join([Path("wide.lath").read_text()] * 2)
    lost = '\n[Game "yavalath"]\n[Termination "time"]\n[Result "1-0"]\n\n1. e5 1-0\n'
    ran = arena("stats", "-", "--measures", "--count-again", stdin=twice + lost)
    assert "left out: 1 forfeited" in ran.out
    assert "repeated: 8 games, move by move the same as another" in ran.out
    assert arena("stats", "-", "--measures", stdin="").out == "no games\n"


def test_what_a_measure_is_stands_in_the_page_as_in_the_docs() -> None:
    rows = re.findall(r"^\| [\w ]+ \| `(\w+)` \| (.*?) \|", PAGE.text, re.MULTILINE)
    assert {key: re.sub(r"\[(.*?)\]\(.*?\)", r"\1", says) for key, says in rows} == SAYS


def test_the_page_with_plots_has_the_numbers_of_the_json() -> None:
    both = ("wide.lath", "narrow.lath", "--measures")
    assert re.fullmatch(
        r"page\.html: 16 games, \d+ kB\n", arena("stats", *both, "--html", "page.html").err
    )
    page = Path("page.html").read_text(encoding="utf-8")
    assert arena("stats", *both, "--html", "-").out.count("<h1>") == 1
    told = json.loads(arena("stats", *both, "--json").out)["by_game"]
    for measure in MEASURES:
        (panel,) = re.findall(
            rf'<figure class="card" id="of-{measure.key}">.*?</table>', page, re.DOTALL
        )
        values = [
            float(text) / (100 if measure.unit == "share" else 1)
            for text in re.findall(r"<b>([\d.]+)[^<]*</b>", panel)
        ]
        expected = [
            row["value"]
            for game in told
            for row in game["measures"]
            if row["measure"] == measure.key
        ]
        within = 0.0006 if measure.unit == "share" else 0.006
        assert values == pytest.approx(expected, abs=within), measure.key


def test_the_page_marks_the_differences_that_the_json_believes() -> None:
    both = ("wide.lath", "narrow.lath", "--measures", "--compare")
    arena("stats", *both, "--html", "page.html")
    page = Path("page.html").read_text(encoding="utf-8")
    marked = re.findall(r'<tr class="believed">\s*<th scope="row"><a href="#of-(\w+)"', page)
    told = json.loads(arena("stats", *both, "--json").out)["compared"]
    assert sorted(marked) == sorted(each["measure"] for each in told if each["differs"])
    assert len(re.findall(r'<tr class="open">', page)) == len(told) - len(marked)


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


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["wide.lath", "--compare"], "--compare is for --measures"),
        (["wide.lath", "--measures", "--openings"], "--measures tells of nothing else"),
        (["wide.lath", "--measures", "--compare"], "not 1: yavalath; --where selects"),
        (["wide.lath", "--measures", "--csv", "--json"], "without --json"),
        (["wide.lath", "--html", "page.html"], "--html is for --measures"),
        (
            ["wide.lath", "--measures", "--html", "page.html", "--json"],
            "--html writes a page, without --json and --csv",
        ),
        (["wide.lath", "--measures", "--html", "wide.lath"], "a file of records that is read"),
        (["wide.lath", "--measures", "--html", "no/page.html"], "no/page.html cannot be written"),
        (
            ["wide.lath", "--measures", "--compare", "--html", "page.html"],
            "not 1: yavalath; --where selects",
        ),
        (
            ["wide.lath", "narrow.lath", "--measures", "--compare", "--where", "game = yavalath"],
            "not 1: wide.lath yavalath",
        ),
    ],
)
def test_what_cannot_be_meant_is_refused(arguments: list[str], says: str) -> None:
    ran = arena("stats", *arguments)
    assert ran.status == 2
    assert says in " ".join(re.sub(r"[│╭╮╰╯─]", " ", ran.err).split())
    assert not Path("page.html").exists()
