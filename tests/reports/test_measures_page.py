"""The page of measures: what it says first, and that each drawing has its numbers beside it."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

from report_pages import BOTS, hostile_measures, measures_of
from sample_records import random_game, tournament

from lath.games.core import Result
from lath.reports.metrics.comparing import compare_groups
from lath.reports.metrics.definitions import MEASURES, Measure
from lath.reports.metrics.measures import GameGroup

# What the page says first has no other name than these two.
from lath.reports.page.measures import Dot, NamedGroup, Panel, _fair, _most, render
from lath.reports.page.views import axis

PLIES, EQUAL = MEASURES[7], MEASURES[1]

Dots = dict[str, tuple[float, float | None, float | None]]


def panel(measure: Measure, dots: Dots) -> Panel:
    found = [Dot(name, *of) for name, of in dots.items()]
    return Panel(measure, measure.says, axis([0, 1], 0, 1), found, is_even=False)


def said(parts: tuple[object, object]) -> str:
    return " ".join("".join(text for text, _ in part) for part in parts).strip()  # type: ignore[attr-defined]


OPEN = "The differences are not statistically significant."

LONGEST: dict[str, Dots] = {
    "a is the longest. 9.00 plies; b 5.00.": {"a": (9.0, 8.0, 10.0), "b": (5.0, 4.0, 6.0)},
    OPEN: {"b": (5.0, 4.0, 8.5), "a": (9.0, 8.0, 10.0)},
    "a and b are the longest. The differences between them are not statistically significant.": {
        "a": (9.0, 8.0, 10.0),
        "b": (5.0, 4.0, 8.5),
        "c": (1.0, 0.0, 2.0),
    },
    "9.00 plies.": {"a": (9.0, 8.0, 10.0)},
}


def test_the_longest_and_the_fair_are_said_as_far_as_intervals_tell() -> None:
    def longest(dots: Dots) -> str:
        return said(_most(panel(PLIES, dots), "longest", "longer", "{} plies", None))

    assert {says: longest(dots) for says, dots in LONGEST.items()} == {
        says: says for says in LONGEST
    }
    assert longest({"a": (9.0, None, None), "b": (5.0, 4.0, 6.0)}) == OPEN
    dots: Dots = {"a": (49.0, 45.0, 53.0), "b": (40.0, 35.0, 45.0), "c": (60.0, 55.0, 65.0)}
    assert said(_fair(panel(EQUAL, dots))) == (
        "a may be fair. The first player has an advantage in c. "
        "The second player has an advantage in b."
    )
    assert said(_fair(panel(EQUAL, {"b": dots["b"]}))).startswith("No game type is fair.")


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

    @property
    def words(self) -> str:
        return " ".join(" ".join(self.text).split())

    def count(self, tag: str, word: str) -> int:
        return sum(
            kind == tag and word in (of.get("class") or "").split() for kind, of in self.tags
        )


def test_each_figure_has_its_numbers_what_made_it_and_a_form_for_what_is_believed() -> None:
    page = Seen(measures_of("yavalath", "surikata", compare=True).html)
    drawn = page.count("svg", "interval")
    assert drawn == sum(tag == "circle" for tag, _ in page.tags) > len(MEASURES)
    in_rows = [of for tag, of in page.tags if tag == "th" and of.get("scope") == "row"]
    assert drawn <= len(in_rows)
    assert page.count("tr", "believed") == len(re.findall("[▲▼] (?:higher|lower)", page.words)) > 0
    assert page.count("tr", "open") == page.text.count("no") > 0
    ids = {of.get("id") for _, of in page.tags}
    shown = [measure.key for measure in MEASURES if f"of-{measure.key}" in ids]
    assert shown
    words = " ".join(page.text)
    assert [each.key for each in MEASURES if each.key in shown and each.says not in words] == []
    assert words.count("arena stats a.lath b.lath --measures --compare") >= len(MEASURES)


def test_names_of_files_are_text_and_nothing_is_fetched_and_bytes_are_the_same() -> None:
    page = hostile_measures().html
    assert [words for words in ("<script>alert", " style=") if words in page] == []
    assert re.findall(r"(?:src|href)=\"(?!#|data:)", page) == []
    assert measures_of("yavalath").html == measures_of("yavalath").html
    assert "No games could be counted." in Seen(measures_of().html).text


def test_nothing_is_said_of_drama_without_evaluations() -> None:
    page = Seen(measures_of("yavalath", annotated=False).html).words
    assert "Not measurable with these bots." in page
    assert "0 of 12 games are evaluated, but 3 are needed" in page
    assert "arena run … --bot mcts" in page
    one, other = (GameGroup(game) for game in ("yavalath", "surikata"))
    for group, annotated in ((one, True), (other, False)):
        for record in tournament(BOTS, 2, game_ids=(group.game,), annotated=annotated):
            group.add(record)
    named = [NamedGroup(name=group.game, group=group) for group in (one, other)]
    for compared in (compare_groups(one, other), None):
        page = Seen(render(named, "arena", "-", compared).html).words
        assert "Drama Not measurable with these bots." in page
    many = measures_of("yavalath", "surikata", annotated=False).html
    card = many[many.index(">Drama</h3>") :]
    assert re.search(r"<p class=.said.>.*?</p>", card)[0].count(".") == 1  # type: ignore[index]
    assert "are evaluated" in card.partition('class="why"')[2]
    for compared in (compare_groups(one, other), None):
        page = Seen(render(named, "arena", "-", compared).html).words
        assert [words for words in ("is more", "the most") if f"{words} dramatic" in page] == []


def test_nobody_is_called_fair_by_bots_of_whom_one_always_wins() -> None:
    group = GameGroup("surikata")
    for seed in range(40):
        first, second = ("ann", "bob") if seed % 2 else ("bob", "ann")
        record = random_game("surikata", seed, first=first, second=second, Number=str(seed + 1))
        group.add(replace(record, result=Result("1-0") if first == "ann" else Result("0-1")))
    page = Seen(render([NamedGroup(name=group.game, group=group)], "arena", "-", None).html).words
    assert (
        "Fairness Not measurable with these bots. ann scores 100% in 40 games against bob" in page
    )
    assert "may be fair" not in page
