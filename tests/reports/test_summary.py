"""The first screen: what happened, in a sentence, how surely, who stands where, and the game."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import pytest
from sample_records import bare, tournament

from lath.notation.record.record import Ply, Record
from lath.reports.event.background import NO_BACKGROUND, Background
from lath.reports.notes.outcome import EventOutcome
from lath.reports.page.document import document
from lath.reports.page.page import Page, render
from lath.reports.page.summary import Sentence, summary

if TYPE_CHECKING:
    from browsing import Visit


def games(*scores: str) -> list[Record]:
    """Return games out of texts such as `ann bob 1-0 3`, which is three of them."""
    found = []
    for first, second, result, times in map(str.split, scores):
        found += [bare(first, second, result)] * int(times)
    return [replace(one, plies=(Ply(f"m{n}"),)) for n, one in enumerate(found)]  # none repeats


def told(
    records: Iterable[Record], outcome: EventOutcome | None = None
) -> tuple[str, str, list[tuple[int, str]]]:
    """Return what happened, how surely, and who stands where."""

    def plain(sentence: Sentence) -> str:
        return "".join(text for text, _ in sentence).replace("\N{NO-BREAK SPACE}", " ")

    background = Background(outcome=outcome) if outcome else NO_BACKGROUND
    found = summary(document(records, background=background))
    podium = [(place, row["name"]) for place, row in found.podium]
    return plain(found.said), plain(found.sure), podium


ALL: Final = (
    *("ann bob 1-0 2", "bob ann 0-1 1", "bob ann 1-0 1", "ann cat 1-0 2"),
    *("cat ann 0-1 2", "bob cat 1-0 2", "cat bob 0-1 2"),
)

SHARED: Final = ("ann bob 1-0 2", "bob ann 1-0 2", "ann cat 1-0 4", "bob cat 1-0 4")


def test_who_won_is_said_by_points_where_all_played_as_often_and_how_surely() -> None:
    said, sure, podium = told(games(*ALL))
    assert said == "ann won with 7 of 8 points, 2 more than bob."
    assert podium == [(1, "ann"), (2, "bob"), (3, "cat")]
    words = "The difference is not statistically significant: the probability that ann is stronger "
    assert (sure[: len(words)], sure[-2:]) == (words, "%.")
    _, sure, _ = told(games("ann bob 1-0 40", "bob ann 0-1 40"))
    assert sure == "The probability that ann is stronger than bob is over 99.9%."
    said, *_ = told(games(*ALL), EventOutcome(format="round-robin", done=12, total=24))
    assert said == "ann leads with 7 of 8 points, 2 more than bob.", "it has not won yet"
    said, sure, podium = told(games(*SHARED))
    assert said == "ann and bob share first place with 6 of 8 points each."
    assert (sure, podium[:2]) == ("", [(1, "ann"), (1, "bob")])
    said, *_ = told(games("ann bob 1/2-1/2 2", "bob cat 1/2-1/2 2", "cat ann 1/2-1/2 2"))
    assert said == "All 3 bots scored the same: 2 of 4 points each."
    assert told([]) == ("No game has been decided yet.", "", [])


def test_ratings_decide_where_some_played_more_often_and_nothing_where_bots_never_met() -> None:
    often = games("ann bob 1-0 15", "bob ann 0-1 15", "bob cat 1-0 5", "cat bob 0-1 5")
    said, _, podium = told(often)
    assert said == "ann is first by conservative rating, with a score of 100.0%."
    assert [name for _, name in podium] == ["ann", "bob", "cat"]
    said, sure, podium = told(games("ann bob 1-0 3", "cat dan 1-0 3"))
    assert said == "2 groups of bots have never met, so no bot is the overall winner."
    assert ([place for place, _ in podium], sure) == ([1, 1], "")


def _tie(one: str, other: str, scored: tuple[float, float], winner: str) -> dict[str, object]:
    return {"bots": (one, other), "points": scored, "how": "", "winner": winner}


def test_a_knockout_has_its_winner_whatever_the_ratings_say() -> None:
    semi_finals = [_tie("ann", "dan", (2, 0), "ann"), _tie("cat", "bob", (1, 1), "bob")]
    final = [_tie("ann", "bob", (0.5, 1.5), "bob")]
    drawn = [{"title": "Semi-finals", "ties": semi_finals}, {"title": "Final", "ties": final}]
    data = {"winner": "bob", "bracket": drawn}
    said, sure, podium = told(
        games("ann dan 1-0 9", "dan ann 0-1 9", "cat bob 1-0 1", "bob ann 0-1 4", "ann bob 1-0 4"),
        EventOutcome(format="knockout", verdict="Winner: bob", data=data),
    )
    assert said == "bob won the knockout, the final against ann by 1½ to ½."
    assert podium == [(1, "bob"), (2, "ann"), (3, "cat"), (3, "dan")]
    assert sure.startswith("By rating, the probability that ann is stronger than bob is ")


def test_a_swiss_a_challenger_and_a_test_are_told_by_what_decides_them() -> None:
    rows = [{"rank": rank, "name": name, "points": 3.5} for rank, name in ((1, "bob"), (2, "ann"))]
    swiss = EventOutcome(format="swiss", data={"swiss": rows}, verdict="x")
    said, *_ = told(games("ann bob 1/2-1/2 4"), swiss)
    assert said == "bob and ann have 3½ points each; bob won by the tie-breaks."
    third = EventOutcome(format="swiss", data={"swiss": [*rows, {"name": "cat", "points": 3}]})
    beaten = games("bob ann 1-0 4", "ann bob 1-0 3", "cat ann 1-0 9", "cat bob 1-0 9")
    third.data["swiss"][2] |= {"rank": 3}
    _, sure, _ = told(beaten, third)
    assert "bob is stronger than ann" in sure, "the first two are compared, not the best rated"
    rows[1] |= {"points": 1}
    said, *_ = told(games("ann bob 0-1 4"), swiss)
    assert said == "bob won with 3½ points, ahead of ann."
    rows.append({"rank": 3, "name": "cat", "points": 0})
    often = games("bob cat 1-0 4", "ann cat 1-0 30", "cat ann 1-0 8")
    _, sure, _ = told(often, swiss)  # the conservative rating of ann is higher, but not its mean
    assert sure.startswith("The difference")
    assert "that bob is stronger than ann is" in sure
    data = {"gauntlet": {"challengers": ["ann"], "opponents": ["bob", "cat"]}}
    gauntlet = EventOutcome(format="gauntlet", data=data)
    said, *_ = told(games("ann bob 1-0 3", "bob ann 1-0 1", "ann cat 1-0 4"), gauntlet)
    assert said.startswith("ann scored 87.5% of the points against 2 bots: +")
    words = "new is better than old (H1 accepted after 9 pairs)"
    test = EventOutcome(format="match", verdict=words)
    said, sure, _ = told(games("new old 1-0 9", "old new 0-1 9"), test)
    assert (said, sure) == (f"{words}.", "")


# In a browser

_AT: Final = "document.getElementById('showpiece-at').textContent"

_SHIFTS: Final = """new Promise(done => {
  const watcher = new PerformanceObserver(list => done(
    list.getEntries().map(entry => entry.value || 0)));
  for (const type of ["layout-shift", "navigation"]) watcher.observe({ type, buffered: true });
})"""
"""How far things have moved since the page began; of a navigation there is always an entry."""


@pytest.fixture(scope="module")
def address(address_of: Callable[[Page], str]) -> str:
    games = tournament(("ann", "bob"), 1, game_ids=["yavalath"], annotated=True)
    return address_of(render(games))


def test_the_game_plays_itself_while_it_is_seen_until_it_is_paused(
    visit: Visit, address: str
) -> None:
    visit.page.emulate_media(reduced_motion="no-preference")
    visit.open(address)
    visit.page.wait_for_function(f"() => /^[1-9]/.test({_AT})")
    for target, timer in (("#downloads", "=== 0"), ("#summary", "> 0")):
        visit.page.evaluate("to => document.querySelector(to).scrollIntoView()", target)
        visit.page.wait_for_function(f"() => lath.showpiece.timer {timer}")
    # While the page still scrolls, who clicks may scroll it elsewhere, where no board is seen.
    is_still = "() => scrollY === window.before || ((window.before = scrollY), false)"
    visit.page.wait_for_function(is_still)
    for name, timer in (("Play the game", "=== 0"), ("Pause the game", "> 0")):
        visit.page.click("#showpiece-play")
        assert visit.page.get_attribute("#showpiece-play", "aria-label") == name
        visit.page.wait_for_function(f"() => lath.showpiece.timer {timer}")  # scrolling goes on


def test_the_first_screen_has_all_and_nothing_moves_and_leads_to_the_replay(
    visit: Visit, address: str
) -> None:
    page: Any = visit.page
    for width, height in ((390, 844), (1280, 800), (1920, 1080)):
        page.set_viewport_size({"width": width, "height": height})
        page.goto("about:blank")
        visit.open(address)
        page.wait_for_selector("#showpiece.at-end")
        bottoms = page.evaluate(
            "['#summary h2', '.podium ol', '#showpiece-board']"
            ".map(one => document.querySelector(one).getBoundingClientRect().bottom)"
        )
        assert max(bottoms) <= height
        units = page.eval_on_selector_all(
            ".podium .head, .podium .elo .hidden",
            "all => all.map((one) => [one.textContent, one.getBoundingClientRect().width])",
        )
        assert any("Elo" in words and pixels > 10 for words, pixels in units)
        shifts: list[float] = page.evaluate(_SHIFTS)
        assert sum(shifts) < 0.02
    # Who wants no motion sees the end and may start it.
    at, plies = page.evaluate(_AT).split(" / ")
    assert at == plies
    assert page.inner_text("#showpiece-told").split()[0] in {"ann", "bob"}
    number = int(page.get_attribute("#showpiece", "data-number"))
    page.click("#showpiece-play")
    assert page.evaluate(_AT) == f"0 / {plies}"
    page.click("#showpiece-board")
    page.wait_for_function("() => location.hash.startsWith('#game=')")
    visit.await_game(number)
    assert page.url.endswith("&ply=" + page.evaluate(_AT).split(" / ")[0])
