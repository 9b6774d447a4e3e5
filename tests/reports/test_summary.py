"""The first screen: what happened, in a sentence, how surely, who stands where, and the game."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import pytest
from sample_records import bare, tournament

from lath.notation.record import Ply, Record
from lath.reports.background import NO_BACKGROUND, Background
from lath.reports.outcome import Outcome
from lath.reports.page.document import document
from lath.reports.page.page import Page, render
from lath.reports.page.summary import Sentence, Summary, summary

if TYPE_CHECKING:
    from browsing import Visit

Address = Callable[[Page], str]


def games(*scores: str) -> list[Record]:
    """Return games out of texts such as `ann bob 1-0 3`, which is three of them."""
    found = []
    for first, second, result, times in map(str.split, scores):
        found += [bare(first, second, result)] * int(times)
    return [replace(one, plies=(Ply(f"m{n}"),)) for n, one in enumerate(found)]  # none repeats


def told(records: Iterable[Record], outcome: Outcome | None = None) -> Summary:
    background = Background(outcome=outcome) if outcome else NO_BACKGROUND
    return summary(document(records, background=background))


def plain(sentence: Sentence) -> str:
    return "".join(text for text, _ in sentence).replace("\N{NO-BREAK SPACE}", " ")


def said(found: Summary) -> str:
    return plain(found.said)


def sure(found: Summary) -> str:
    return plain(found.sure)


def podium(found: Summary) -> list[tuple[int, str]]:
    return [(place, row["name"]) for place, row in found.podium]


ALL: Final = (
    *("ann bob 1-0 2", "bob ann 0-1 1", "bob ann 1-0 1", "ann cat 1-0 2"),
    *("cat ann 0-1 2", "bob cat 1-0 2", "cat bob 0-1 2"),
)


def test_who_won_is_said_by_points_where_all_played_as_often() -> None:
    found = told(games(*ALL))
    assert said(found) == "ann won with 7 of 8 points, 2 more than bob."
    assert podium(found) == [(1, "ann"), (2, "bob"), (3, "cat")]


def test_who_is_ahead_has_not_won_yet() -> None:
    outcome = Outcome(format="round-robin", done=12, total=24)
    assert said(told(games(*ALL), outcome)) == "ann leads with 7 of 8 points, 2 more than bob."


def test_what_games_do_not_tell_is_said() -> None:
    found = told(games(*ALL))
    assert sure(found).startswith("But it is only ")
    assert sure(found).endswith(
        " likely to be stronger than bob: these games do not tell the two apart."
    )
    clear = told(games("ann bob 1-0 40", "bob ann 0-1 40"))
    assert sure(clear) == "It is stronger than bob with a likelihood of over 99.9 %."


def test_first_place_may_be_shared() -> None:
    found = told(games("ann bob 1-0 2", "bob ann 1-0 2", "ann cat 1-0 4", "bob cat 1-0 4"))
    assert said(found) == "ann and bob share first place with 6 of 8 points each."
    assert podium(found)[:2] == [(1, "ann"), (1, "bob")]
    level = told(games("ann bob 1/2-1/2 2", "bob cat 1/2-1/2 2", "cat ann 1/2-1/2 2"))
    assert said(level) == "All 3 bots scored alike, 2 of 4 points each."


def test_nobody_is_first_by_a_rating_that_others_have_too() -> None:
    found = told(games("ann bob 1-0 2", "bob ann 1-0 2", "ann cat 1-0 4", "bob cat 1-0 4"))
    assert sure(found) == ""


def test_ratings_decide_where_some_played_more_often() -> None:
    found = told(games("ann bob 1-0 15", "bob ann 0-1 15", "bob cat 1-0 5", "cat bob 0-1 5"))
    assert said(found) == "ann stands first by rating, with 100.0 % of its points."
    assert [name for _, name in podium(found)] == ["ann", "bob", "cat"]


def test_bots_that_never_met_have_no_winner() -> None:
    found = told(games("ann bob 1-0 3", "cat dan 1-0 3"))
    assert said(found) == "2 groups of bots never met: there is no winner of all."
    assert [place for place, _ in podium(found)] == [1, 1]
    assert sure(found) == ""


def _tie(one: str, other: str, scored: tuple[float, float], winner: str) -> dict[str, object]:
    return {"bots": (one, other), "points": scored, "how": "", "winner": winner}


def test_a_knockout_has_its_winner_whatever_the_ratings_say() -> None:
    semi_finals = [_tie("ann", "dan", (2, 0), "ann"), _tie("cat", "bob", (1, 1), "bob")]
    final = _tie("ann", "bob", (0.5, 1.5), "bob")
    drawn = [
        {"title": title, "ties": ties}
        for title, ties in (("Semi-finals", semi_finals), ("Final", [final]))
    ]
    outcome = Outcome(
        format="knockout", verdict="Winner: bob", data={"winner": "bob", "bracket": drawn}
    )
    found = told(
        games("ann dan 1-0 9", "dan ann 0-1 9", "cat bob 1-0 1", "bob ann 0-1 4", "ann bob 1-0 4"),
        outcome,
    )
    assert said(found) == "bob won the knockout, the final against ann by 1½ to ½."
    assert podium(found) == [(1, "bob"), (2, "ann"), (3, "cat"), (3, "dan")]
    assert sure(found).startswith("By rating ann stands before bob, stronger with a likelihood of ")


def test_a_swiss_may_be_decided_by_its_tie_breaks() -> None:
    rows = [{"rank": rank, "name": name, "points": 3.5} for rank, name in ((1, "bob"), (2, "ann"))]
    outcome = Outcome(format="swiss", data={"swiss": rows}, verdict="x")
    found = told(games("ann bob 1/2-1/2 4"), outcome)
    assert said(found) == "bob and ann have 3½ points each; bob won by the tie-breaks."
    rows[1] |= {"points": 1}
    assert said(told(games("ann bob 0-1 4"), outcome)) == "bob won with 3½ points, ahead of ann."


def test_a_challenger_is_told_by_its_score() -> None:
    data = {"gauntlet": {"challengers": ["ann"], "opponents": ["bob", "cat"]}}
    outcome = Outcome(format="gauntlet", data=data)
    found = told(games("ann bob 1-0 3", "bob ann 1-0 1", "ann cat 1-0 4"), outcome)
    assert said(found).startswith("ann scored 87.5 % of the points against 2 bots: +")


def test_a_test_speaks_for_itself() -> None:
    words = "new is better than old (H1 accepted after 9 pairs)"
    found = told(games("new old 1-0 9", "old new 0-1 9"), Outcome(format="match", verdict=words))
    assert said(found) == f"New{words[3:]}."
    assert sure(found) == ""


def test_an_event_without_games_makes_a_page_that_says_so() -> None:
    assert said(told([])) == "No game has been decided yet."
    assert told([]).podium == []


# In a browser

_AT: Final = "document.getElementById('showpiece-at').textContent"


_SHIFTS: Final = """new Promise(done => {
  const watcher = new PerformanceObserver(list => done(
    list.getEntries().map(entry => entry.value || 0)));
  for (const type of ["layout-shift", "navigation"]) watcher.observe({ type, buffered: true });
})"""
"""How far things have moved since the page began; of a navigation there is always an entry."""


@pytest.fixture(scope="module")
def page() -> Page:
    return render(tournament(("ann", "bob"), 1, game_ids=["yavalath"], annotated=True))


def test_the_game_plays_itself_while_it_is_seen_until_it_is_paused(
    visit: Visit, address_of: Address, page: Page
) -> None:
    visit.page.emulate_media(reduced_motion="no-preference")
    visit.open(address_of(page))
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


def test_who_wants_no_motion_sees_the_end_and_may_start_it(
    visit: Visit, address_of: Address, page: Page
) -> None:
    visit.open(address_of(page))
    visit.page.wait_for_selector("#showpiece.at-end")
    at, plies = visit.page.evaluate(_AT).split(" / ")
    assert at == plies
    assert visit.page.inner_text("#showpiece-told").split()[0] in {"ann", "bob"}
    visit.page.click("#showpiece-play")
    assert visit.page.evaluate(_AT) == f"0 / {plies}"


@pytest.mark.parametrize(("width", "height"), [(390, 844), (1280, 800), (1920, 1080)])
def test_the_first_screen_has_sentence_podium_and_board_and_nothing_moves(
    visit: Visit, address_of: Address, page: Page, width: int, height: int
) -> None:
    visit.page.set_viewport_size({"width": width, "height": height})
    visit.open(address_of(page))
    visit.page.wait_for_selector("#showpiece.at-end")
    bottoms = visit.page.evaluate(
        "['#summary h2', '.podium ol', '#showpiece-board']"
        ".map(one => document.querySelector(one).getBoundingClientRect().bottom)"
    )
    assert max(bottoms) <= height
    shifts: list[float] = visit.page.evaluate(_SHIFTS)
    assert sum(shifts) < 0.02


def test_a_click_on_the_board_leads_to_its_replay(
    visit: Visit, address_of: Address, page: Page
) -> None:
    visit.open(address_of(page))
    visit.page.wait_for_selector("#showpiece.at-end")
    visit.page.click("#showpiece-board")
    visit.page.wait_for_function("() => location.hash.startsWith('#game=')")
    number = visit.page.get_attribute("#showpiece", "data-number")
    visit.await_game(int(number))
    assert visit.page.url.endswith("&ply=" + visit.page.evaluate(_AT).split(" / ")[1])
