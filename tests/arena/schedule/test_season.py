"""A season's match days: who meets whom, from zero, whoever comes or goes."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from schedules import by_chance, make

from lath.arena.referee.record import GamePlan
from lath.arena.schedule.core import Opening, Played, Schedule
from lath.arena.schedule.season import MatchDay, Season, Unit, circle, drawn_up

GAMES = ("yavalath", "manalath")


@given(st.integers(2, 9))
def test_by_the_circle_method_each_two_meet_once_and_nobody_twice_on_a_day(size: int) -> None:
    names = [f"bot {number}" for number in range(size)]
    days = circle(names)
    met = Counter(frozenset(pairing) for day in days for pairing in day)
    assert met == Counter(map(frozenset, combinations(names, 2)))
    assert len(days) == size - (size % 2 == 0)
    for day in days:
        playing = [name for pairing in day for name in pairing]
        assert len(playing) == len(set(playing)) == size - size % 2


def pool(season: Season, names: tuple[str, ...], **more: Any) -> Schedule:
    return make("pool", **{"names": names, "games": GAMES, "rounds": 2, **more, "season": season})


def played_in(schedule: Schedule) -> list[GamePlan]:
    """Return all games that a schedule hands out, each reported at once."""
    games = []
    while (pair := schedule.next()) is not None:
        for game in pair.left(schedule.finished):
            schedule.report(game.number, *game.names, by_chance(game))
            games.append(game)
    return games


def test_games_before_the_season_do_not_count_in_it_and_openings_go_on() -> None:
    names = ("ann", "bob", "cat", "dan")
    before = make("pool", names=names, games=GAMES, rounds=2)
    old = played_in(before)
    last = max(game.number for game in old) // 2
    days = drawn_up(names, games=GAMES, rounds=2, legs=1, played=frozenset())
    season = Season(name="Autumn", from_pair=last + 1, offset=2, days=days, until=1)
    schedule = pool(season, names)
    schedule.take_in(Played(g.number, *g.names, "1-0", g.game, g.round) for g in old)
    new = played_in(schedule)
    assert len(new) == 2 * 2 * len(GAMES) * 2, "two pairings, two rounds, both sides"
    met = {frozenset(game.names) for game in new}
    assert met == {frozenset(("ann", "dan")), frozenset(("bob", "cat"))}
    assert {game.round for game in new} == {1, 2}
    assert all(dict(game.tags) == {"Season": "Autumn", "MatchDay": "1"} for game in new)
    assert schedule.done == schedule.total == len(old) + len(new)


class Opened:
    """Remembers the openings that were asked for."""

    def __init__(self) -> None:
        self.turns: list[int] = []

    def opening(self, _game: str, turn: int) -> Opening:
        """Return the same each time."""
        self.turns.append(turn)
        return Opening()


def test_a_season_begins_at_openings_that_no_earlier_one_has_used() -> None:
    days = drawn_up(("ann", "bob"), games=("yavalath",), rounds=3, legs=1, played=frozenset())
    book = Opened()
    season = Season(name="Two", from_pair=5, offset=4, days=days)
    played_in(pool(season, ("ann", "bob"), rounds=3, games=("yavalath",), openings=book))
    assert book.turns == [5, 6, 7]


@given(data=st.data())
def test_whoever_comes_or_goes_each_two_that_stay_meet_in_every_round_once(
    data: st.DataObject,
) -> None:
    """Day after day is played, some in part, while entries come, go and are edited."""
    roster = ["ann", "bob", "cat"]
    version = dict.fromkeys("abcdefgh", 1)
    rounds = data.draw(st.integers(1, 3))
    legs = data.draw(st.integers(1, rounds))
    games = GAMES[: data.draw(st.integers(1, 2))]
    stored: list[GamePlan] = []
    entries: dict[str, str] = {}
    noted: tuple[MatchDay, ...] = ()
    for _ in range(40):
        match data.draw(st.sampled_from(("play", "play", "come", "go", "edit", "part"))):
            case "come" if len(roster) < 6:
                roster.append(f"new {len(version)}")
                version[roster[-1]] = 1
            case "go" if len(roster) > 2:
                roster.pop(data.draw(st.integers(0, len(roster) - 1)))
            case "edit":
                version[roster[0]] = version.get(roster[0], 1) + 1
            case "part":
                noted = _day(roster, version, entries, games, rounds, legs, stored, noted, most=3)
                continue
        noted = _day(roster, version, entries, games, rounds, legs, stored, noted)
        if not [day for day in noted if not day.is_over]:
            break
    else:
        while [day for day in noted if not day.is_over]:
            noted = _day(roster, version, entries, games, rounds, legs, stored, noted)
    seats = Counter((*map(entries.__getitem__, one.names), one.game, one.round) for one in stored)
    assert set(seats.values()) == {1}, "a seat of a round is played twice"
    for one, other in combinations(roster, 2):
        units = {(game, turn) for a, b, game, turn in seats if {a, b} == {one, other}}
        assert units == {*product(games, range(1, rounds + 1))}
    of_day: dict[str, Counter[str]] = {}
    for game in stored:
        day = dict(game.tags)["MatchDay"]
        both = [entries[name] for name in game.names]
        met = of_day.setdefault(day, Counter())
        met.update({f"{both[0]}\n{both[1]}": 1, f"{both[1]}\n{both[0]}": 1})
    for met in of_day.values():
        opponents = Counter(pairing.partition("\n")[0] for pairing in met)
        assert set(opponents.values()) == {1}, "an entry meets two on a match day"


def _day(
    roster: list[str],
    version: dict[str, int],
    entries: dict[str, str],
    games: tuple[str, ...],
    rounds: int,
    legs: int,
    stored: list[GamePlan],
    noted: tuple[MatchDay, ...],
    *,
    most: int = 10**9,
) -> tuple[MatchDay, ...]:
    """Play a match day, or so many pairs of it; return all days, as they are noted then."""
    names = {f"{name} v{version.get(name, 1)}": name for name in roster}
    entries.update(names)
    played: set[Unit] = {
        (*sorted(map(entries.__getitem__, one.names)), one.game, one.round)  # type: ignore[misc]
        for one in stored
    }
    begun = [
        day
        for day in noted
        if day.is_over or any(u in played for f in day.fixtures for u in f.units(games))
    ]
    days = drawn_up(roster, games=games, rounds=rounds, legs=legs, played=played, begun=begun)
    open_ = [day.number for day in days if not day.is_over]
    if not open_:
        return days
    season = Season(name="S", from_pair=1, entries=dict(entries), days=days, until=open_[0])
    schedule = pool(season, tuple(names), games=games, rounds=rounds)
    schedule.take_in(Played(g.number, *g.names, "1-0", g.game, g.round) for g in stored)
    while most and (pair := schedule.next()) is not None:
        most -= 1
        for game in pair.left(schedule.finished):
            schedule.report(game.number, *game.names, "1-0")
            stored.append(game)
    is_over = most > 0
    return tuple(
        replace(day, is_over=day.is_over or (is_over and day.number == open_[0])) for day in days
    )


@pytest.mark.parametrize("size", [4, 5])
def test_days_that_have_not_begun_stay_as_they_were_announced(size: int) -> None:
    names = ("ann", "bob", "cat", "dan", "eve")[:size]
    first = drawn_up(names, games=GAMES, rounds=3, legs=2, played=frozenset())
    done = replace(first[0], is_over=True)
    played = {unit for fixture in done.fixtures for unit in fixture.units(GAMES)}
    again = drawn_up(names, games=GAMES, rounds=3, legs=2, played=played, begun=[done])
    assert again == (done, *first[1:])
