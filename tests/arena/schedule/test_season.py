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
from lath.arena.schedule.core import Opening, PlayedGame, Schedule
from lath.arena.schedule.season import ScheduledDay, SeasonSchedule, Unit, circle, closed, drawn_up
from lath.games.core import Result

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


def pool(season: SeasonSchedule, names: tuple[str, ...], **more: Any) -> Schedule:
    return make("pool", **{"names": names, "games": GAMES, "rounds": 2, **more, "season": season})


def played_in(schedule: Schedule) -> list[GamePlan]:
    """Return all games that a schedule hands out, each reported at once."""
    games = []
    while (pair := schedule.next()) is not None:
        for game in pair.left(schedule.finished):
            schedule.report(game.number, *game.names, Result(by_chance(game)))
            games.append(game)
    return games


def test_games_before_the_season_do_not_count_in_it_and_openings_go_on() -> None:
    names = ("ann", "bob", "cat", "dan")
    before = make("pool", names=names, games=GAMES, rounds=2)
    old = played_in(before)
    last = max(game.number for game in old) // 2
    days = drawn_up(names, games=GAMES, rounds=2, legs=1, played=frozenset())
    season = SeasonSchedule(name="Autumn", from_pair=last + 1, offset=2, days=days, is_one_day=True)
    schedule = pool(season, names)
    schedule.take_in(PlayedGame(g.number, *g.names, Result("1-0"), g.game, g.round) for g in old)
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
    season = SeasonSchedule(name="Two", from_pair=5, offset=4, days=days)
    played_in(pool(season, ("ann", "bob"), rounds=3, games=("yavalath",), openings=book))
    assert book.turns == [5, 6, 7]


class Life:
    """A season that is played day after day, while entries come, go and are edited."""

    def __init__(self, games: tuple[str, ...], rounds: int, legs: int) -> None:
        self.games, self.rounds, self.legs = games, rounds, legs
        self.roster = ["ann", "bob", "cat"]
        self.come = 0
        self.edits: Counter[str] = Counter()
        self.entries: dict[str, str] = {}
        self.stored: list[GamePlan] = []
        self.noted: tuple[ScheduledDay, ...] = ()
        self.benched: set[str] = set()

    def change(self, what: str, which: int) -> None:
        """Let an entry come, go, or be edited."""
        if what == "come" and len(self.roster) < 6:
            self.come += 1
            self.roster.append(f"new {self.come}")
        elif what == "go" and len(self.roster) > 2:
            self.roster.pop(which % len(self.roster))
        elif what == "edit":
            self.edits[self.roster[which % len(self.roster)]] += 1
        elif what == "bench":
            self.benched.symmetric_difference_update({self.roster[which % len(self.roster)]})

    def played(self) -> set[Unit]:
        """Return what was played, by entries."""
        units: set[Unit] = set()
        for one in self.stored:
            first, other = sorted(map(self.entries.__getitem__, one.names))
            units.add((first, other, one.game, one.round))
        return units

    def day(self, most: int = 10**9) -> bool:
        """Play a match day, or so many pairs of it; return whether there is more to play."""
        names = {f"{name} v{self.edits[name]}": name for name in self.roster}
        self.entries |= names
        games = self.games
        played = self.played()
        begun = [day for day in self.noted if day.is_over or day.units(games) & played]
        days = drawn_up(
            self.roster, games=games, rounds=self.rounds, legs=self.legs, played=played, begun=begun
        )
        season = SeasonSchedule(
            name="S", from_pair=1, entries=dict(self.entries), days=days, is_one_day=True
        )
        schedule = pool(season, tuple(names), games=games, rounds=self.rounds)
        schedule.take_in(
            PlayedGame(g.number, *g.names, Result("1-0"), g.game, g.round) for g in self.stored
        )
        for name, entry in names.items():
            if entry in self.benched:
                schedule.bench(name)
        while most and (pair := schedule.next()) is not None:
            most -= 1
            for game in pair.left(schedule.finished):
                schedule.report(game.number, *game.names, Result("1-0"))
                self.stored.append(game)
        self.noted = tuple(closed(days, games, self.played()) if most else days)
        return not all(day.is_over for day in self.noted)


@given(data=st.data(), rounds=st.integers(1, 3), legs=st.integers(1, 3), games=st.integers(1, 2))
def test_whoever_comes_or_goes_each_two_that_stay_meet_in_every_round_once(
    data: st.DataObject, rounds: int, legs: int, games: int
) -> None:
    life = Life(GAMES[:games], rounds, min(legs, rounds))
    for _ in range(data.draw(st.integers(0, 9))):
        what = data.draw(st.sampled_from(("play", "part", "come", "go", "edit", "bench")))
        life.change(what, data.draw(st.integers(0, 5)))
        if what in ("play", "part"):
            life.day(10**9 if what == "play" else data.draw(st.integers(0, 3)))
    life.benched.clear()
    while life.day():
        pass
    entry = life.entries.__getitem__
    seats = Counter((*map(entry, one.names), one.game, one.round) for one in life.stored)
    assert set(seats.values()) == {1}, "a seat of a round is played twice"
    for one, other in combinations(life.roster, 2):
        units = {(game, turn) for a, b, game, turn in seats if {a, b} == {one, other}}
        assert units == {*product(GAMES[:games], range(1, rounds + 1))}
    opponents: dict[tuple[str, str], set[str]] = {}
    for game in life.stored:
        day = dict(game.tags)["MatchDay"]
        for name, opponent in (map(entry, game.names), map(entry, game.names[::-1])):
            opponents.setdefault((day, name), set()).add(opponent)
    assert {len(each) for each in opponents.values()} == {1}, "an entry meets two on a match day"


@given(st.integers(3, 6), st.integers(0, 5), st.integers(1, 2))
def test_a_bot_that_never_starts_holds_no_match_day_up(size: int, which: int, legs: int) -> None:
    life = Life(GAMES, 2, legs)
    life.roster = [f"bot {number}" for number in range(size)]
    out = life.roster[which % size]
    life.benched = {out}
    before = -1
    while len(life.stored) > before:
        before = len(life.stored)
        life.day()
    met = Counter(frozenset(map(life.entries.__getitem__, game.names)) for game in life.stored)
    others = combinations([name for name in life.roster if name != out], 2)
    assert set(met) == {*map(frozenset, others)}
    assert set(met.values()) == {2 * 2 * len(GAMES)}
    noted = life.noted
    life.day()
    assert life.noted == noted, "a run that plays nothing makes match days"


def test_an_entry_that_joins_meets_all_others_on_as_few_days_as_it_has_opponents() -> None:
    names = ["ann", "bob", "cat", "dan"]
    first = drawn_up(names, games=GAMES, rounds=1, legs=1, played=frozenset())[0]
    done = replace(first, is_over=True)
    played = {unit for fixture in done.fixtures for unit in fixture.units(GAMES)}
    days = drawn_up([*names, "eve"], games=GAMES, rounds=1, legs=1, played=played, begun=[done])
    assert [day.number for day in days] == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("size", [4, 5])
def test_days_that_have_not_begun_stay_as_they_were_announced(size: int) -> None:
    names = ("ann", "bob", "cat", "dan", "eve")[:size]
    first = drawn_up(names, games=GAMES, rounds=3, legs=2, played=frozenset())
    done = replace(first[0], is_over=True)
    played = {unit for fixture in done.fixtures for unit in fixture.units(GAMES)}
    again = drawn_up(names, games=GAMES, rounds=3, legs=2, played=played, begun=[done])
    assert again == (done, *first[1:])
