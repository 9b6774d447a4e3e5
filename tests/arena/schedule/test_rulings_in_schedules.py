"""What a ruling does in each format: nobody has anything of a game, and nothing is taken back."""

from __future__ import annotations

import random
from typing import Any, Final

import pytest
from schedules import NAMES, a_schedule, by_strength, outcome, played, take_in

from lath.arena.referee.record import GamePlan
from lath.arena.schedule.core import Ruled, Schedule
from lath.arena.schedule.sprt import Sprt

SETTINGS: Final[dict[str, dict[str, Any]]] = {
    "round-robin": {},
    "gauntlet": {"challengers": 2},
    "swiss": {"pairs": 2},
    "knockout": {"pairs": 2},
    "match": {"names": ("ann", "bob"), "sprt": Sprt(elo0=0, elo1=100), "rounds": 60},
    "pool": {},
}


def games_of(schedule: Schedule) -> list[GamePlan]:
    return [game for pair in played(schedule) for game in pair.games]


@pytest.mark.parametrize("form", SETTINGS)
@pytest.mark.parametrize("number", range(8))
def test_a_tournament_goes_on_to_its_end_under_any_ruling(form: str, number: int) -> None:
    goes_on_under_a_ruling(form, number)


def goes_on_under_a_ruling(form: str, number: int) -> None:
    """Play a tournament for a while, rule something, and play it to its end."""
    chance = random.Random(number)
    every = games_of(a_schedule(form, **SETTINGS[form]))
    stored = every[: chance.randrange(len(every) + 1)]
    gone = chance.choice([[], [chance.choice(SETTINGS[form].get("names", NAMES))]])
    void = {game.number for game in stored if chance.random() < 0.2}
    ruled = Ruled(frozenset(void), frozenset(gone))
    schedule = a_schedule(form, ruled=ruled, **SETTINGS[form])
    take_in(schedule, stored)
    more = [pair.names for pair in played(schedule)]
    assert all(set(gone).isdisjoint(names) for names in more)
    assert schedule.done == schedule.total
    if not void and not gone:
        assert len(more) == (len(every) - len(stored) + 1) // 2
    outcome(schedule, form)


def ruled_after(form: str, ruled: Ruled, **settings: Any) -> Schedule:
    """Return a schedule that was played to its end before anything was ruled."""
    every = [
        game for pair in played(a_schedule(form, **settings), by_strength) for game in pair.games
    ]
    schedule = a_schedule(form, ruled=ruled, **settings)
    take_in(schedule, every, by_strength)
    return schedule


def test_a_void_game_takes_its_pair_out_of_the_evidence() -> None:
    settings = SETTINGS["match"]
    before = outcome(ruled_after("match", Ruled(), **settings)).words[0]
    assert "H1 accepted after 12 pairs" in before
    schedule = ruled_after("match", Ruled(frozenset({5, 20, 19})), **settings)
    assert "accepted after 10 pairs" in outcome(schedule).words[0]
    assert len(list(played(schedule, by_strength))) == 2, "as many as it lacks"
    assert "H1 accepted after 12 pairs" in outcome(schedule).words[0]
    assert (schedule.done, schedule.total) == (28, 28)


def test_a_swiss_leaves_its_rounds_as_they_were_paired() -> None:
    games = [pair.names for pair in played(a_schedule("swiss"), by_strength)]
    first = next(number for number, names in enumerate(games, 1) if "ann" in names)
    ruled = Ruled(frozenset({2 * first - 1, 2 * first}))
    schedule = ruled_after("swiss", ruled)
    assert schedule.next() is None
    points = {row["name"]: row["points"] for row in outcome(schedule).data["swiss"]}
    before = outcome(ruled_after("swiss", Ruled())).data["swiss"]
    assert points == {row["name"]: row["points"] - 2 * (row["name"] == "ann") for row in before}
    without = ruled_after("swiss", Ruled(bots=frozenset({"ann"})))
    rows = outcome(without).data["swiss"]
    assert [row["rank"] for row in rows] == [1, 2, 3, 4]
    assert "ann" not in {row["name"] for row in rows}


def test_who_went_on_in_a_knockout_stays_and_a_final_may_be_lost_by_a_ruling() -> None:
    names = ("ann", "bob", "cat", "dan")
    semi = ruled_after("knockout", Ruled(frozenset({1, 2})), names=names)
    assert semi.next() is None
    assert outcome(semi).data["winner"] == "ann"
    gone = ruled_after("knockout", Ruled(bots=frozenset({"ann"})), names=names)
    assert gone.next() is None
    assert outcome(gone).data["winner"] == "bob"


def test_before_the_next_round_the_other_goes_through() -> None:
    names = ("ann", "bob", "cat", "dan")
    first = [pair.games for pair in played(a_schedule("knockout", names=names), by_strength)][:2]
    schedule = a_schedule("knockout", names=names, ruled=Ruled(bots=frozenset({"ann"})))
    take_in(schedule, [game for games in first for game in games], by_strength)
    final = schedule.next()
    assert final is not None
    assert set(final.names) == {"bob", "dan"}, "dan had lost to ann"
