"""The page of measures: what it says first, and that each drawing has its numbers beside it."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from report_pages import BOTS, hostile_measures, measures_of
from sample_records import random_game, tournament

from lath.reports.measures import MEASURES, SAYS, Group, Measure, compare_groups
from lath.reports.page.measures import Dot, Named, Panel, _fair, _most, render
from lath.reports.page.views import axis

PLIES, EQUAL = MEASURES[7], MEASURES[1]


def panel(measure: Measure, **dots: tuple[float, float | None, float | None]) -> Panel:
    found = [Dot(name, *of) for name, of in dots.items()]
    return Panel(measure, SAYS[measure.key], axis([0, 1], 0, 1), found, is_even=False)


def said(parts: tuple[object, object]) -> str:
    return " ".join("".join(text for text, _ in part) for part in parts).strip()  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("dots", "says"),
    [
        ({"a": (9.0, 8.0, 10.0), "b": (5.0, 4.0, 6.0)}, "a is the longest. 9.00 plies; b 5.00."),
        (
            {"b": (5.0, 4.0, 8.5), "a": (9.0, 8.0, 10.0)},
            "Which is the longest, the games do not tell.",
        ),
        (
            {"a": (9.0, 8.0, 10.0), "b": (5.0, 4.0, 8.5), "c": (1.0, 0.0, 2.0)},
            "a and b are the longest. Which of them, the games do not tell.",
        ),
        (
            {"a": (9.0, None, None), "b": (5.0, 4.0, 6.0)},
            "Which is the longest, the games do not tell.",
        ),
        ({"a": (9.0, 8.0, 10.0)}, "9.00 plies."),
    ],
)
def test_the_longest_is_said_as_far_as_intervals_tell(
    dots: dict[str, tuple[float, float | None, float | None]], says: str
) -> None:
    assert said(_most(panel(PLIES, **dots), "longest", "longer", "{} plies", None)) == says


def test_a_game_may_be_fair_whose_interval_has_a_half() -> None:
    found = panel(EQUAL, a=(49.0, 45.0, 53.0), b=(40.0, 35.0, 45.0), c=(60.0, 55.0, 65.0))
    assert said(_fair(found)) == (
        "a may be fair. The first player is better off in c. The second player is better off in b."
    )
    assert said(_fair(panel(EQUAL, b=(40.0, 35.0, 45.0)))).startswith("None is fair.")


class Seen(HTMLParser):
    """What of a page can be read, and how it is marked."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.text: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self._hidden = False
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._hidden = tag in ("script", "style")

    def handle_endtag(self, tag: str) -> None:
        self._hidden = self._hidden and tag not in ("script", "style")

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.text.append(data)

    def count(self, tag: str, word: str) -> int:
        return sum(
            kind == tag and word in (of.get("class") or "").split() for kind, of in self.tags
        )


@pytest.fixture(scope="module")
def compared() -> Seen:
    return Seen(measures_of("yavalath", "surikata", compare=True).html)


def test_each_dot_stands_in_the_row_of_its_numbers(compared: Seen) -> None:
    drawn = compared.count("svg", "interval")
    assert drawn == sum(tag == "circle" for tag, _ in compared.tags) > len(MEASURES)
    in_rows = [of for tag, of in compared.tags if tag == "th" and of.get("scope") == "row"]
    assert drawn <= len(in_rows)


def test_what_is_believed_to_differ_has_a_form_and_a_word(compared: Seen) -> None:
    words = " ".join(compared.text)
    assert compared.count("tr", "believed") == len(re.findall("[▲▼] (?:higher|lower)", words)) > 0
    assert compared.count("tr", "open") == compared.text.count("not shown") > 0


def test_every_measure_and_figure_says_what_made_it(compared: Seen) -> None:
    words = " ".join(compared.text)
    for measure in MEASURES:
        if f"of-{measure.key}" in {of.get("id") for _, of in compared.tags}:
            assert SAYS[measure.key] in words
    assert words.count("arena stats a.lath b.lath --measures --compare") >= len(MEASURES)


def test_names_of_files_are_text_and_nothing_of_the_page_is_fetched() -> None:
    page = hostile_measures().html
    assert "<script>alert" not in page
    assert " style=" not in page
    assert re.findall(r"(?:src|href)=\"(?!#|data:)", page) == []


def test_the_same_records_give_the_same_bytes() -> None:
    assert measures_of("yavalath").html == measures_of("yavalath").html


def test_nothing_is_said_of_drama_without_evaluations() -> None:
    page = " ".join(Seen(measures_of("yavalath", annotated=False).html).text)
    assert "Not measurable with these bots." in page
    assert "0 of 12 games are judged, 3 are needed" in page
    assert "arena run … --bot mcts" in page


def test_none_is_more_dramatic_than_one_whose_bots_know_nothing() -> None:
    one, other = (Group(game) for game in ("yavalath", "surikata"))
    for group, annotated in ((one, True), (other, False)):
        for record in tournament(BOTS, 2, game_ids=(group.game,), annotated=annotated):
            group.add(record)
    named = [Named(name=group.game, group=group) for group in (one, other)]
    for compared in (compare_groups(one, other), None):
        page = " ".join(" ".join(Seen(render(named, "arena", "-", compared).html).text).split())
        assert "More dramatic? Not measurable with these bots." in page
        assert "is more dramatic" not in page
        assert "the most dramatic" not in page


def test_nobody_is_called_fair_by_bots_of_whom_one_always_wins() -> None:
    group = Group("surikata")
    for seed in range(40):
        first, second = ("ann", "bob") if seed % 2 else ("bob", "ann")
        record = random_game("surikata", seed, first=first, second=second, Number=str(seed + 1))
        group.add(replace(record, result="1-0" if first == "ann" else "0-1"))
    named = [Named(name=group.game, group=group)]
    page = " ".join(" ".join(Seen(render(named, "arena", "-", None).html).text).split())
    assert "Fairer Not measurable with these bots. ann scores 100% of 40 games against bob" in page
    assert "may be fair" not in page


def test_a_page_without_games_says_so() -> None:
    page = Seen(measures_of().html)
    assert "No game counts." in page.text
