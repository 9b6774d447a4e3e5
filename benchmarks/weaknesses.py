"""How often `arena explain` finds a planted weakness, and how often it finds one that is not there.

    python benchmarks/weaknesses.py [--runs 100] [--games 400] [--share 0.2] [--effect 150]

A bot plays in a round robin. In one group of its games it is 150 Elo points weaker than in the
others. No game is played: the results come from the model, and so does all else that `arena
explain` reads from records. A run finds the weakness if it is among the first three findings.
`alone` counts runs in which a test at 5% finds it that looks for nothing else. `any` counts runs
with a finding, whatever it is. `limit` is the share that the best possible procedure finds when it
must tell fifteen kinds apart and reports something in 5% of runs without a weakness.
"""

from __future__ import annotations

import argparse
import math
import random
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import combinations
from typing import Final, NamedTuple

from lath.games import builtin_ids
from lath.reports.counting.facts import of_game
from lath.reports.explaining.contrasts import ContrastedGame, Contrasts, Shared, Words
from lath.reports.explaining.findings import Finding, ranked
from lath.reports.ratings.elo import ELO, chances, logistic
from lath.reports.ratings.results import DecidedGame

GAMES: Final = builtin_ids()
BOT: Final = "planted"
EFFECT: Final = 150.0
ADVANTAGE: Final = 40.0
"""Elo points that the first player is ahead."""

FIRST: Final = 3
"""Findings among which the planted weakness must be."""


@dataclass(frozen=True, kw_only=True)
class Mix:
    """What an event is made of."""

    games: int = 400
    """Of the planted bot."""
    opponents: int = 3
    openings: int = 8
    game_types: int = 1
    share: float = 0.2
    """Of the games, those in which a state, such as its own swap, is so for a player."""
    strengths: float = 0.0
    """The standard deviation of the bots' strengths, in Elo points."""
    common: float = 30.0
    """That of what openings and states are worth to all players."""
    draws: float = -50.0
    """The logarithm of Davidson's n."""
    effect: float = EFFECT
    """Elo points that the planted bot is weaker."""


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A kind of weakness."""

    name: str
    kind: str
    """Of the finding that reports it."""
    side: str = ""
    """Of that finding."""
    says: str = ""
    """What that finding says; empty: anything."""
    mix: Callable[[Mix], Mix] = lambda mix: mix
    """Makes the group a share of the games where the event decides on that."""


def _opponents(mix: Mix) -> Mix:
    return replace(mix, opponents=round(1 / mix.share))


def _openings(mix: Mix) -> Mix:
    return replace(mix, openings=round(1 / mix.share))


def _sides(mix: Mix) -> Mix:
    return replace(mix, openings=max(2, int(1 / (2 * mix.share))))


def _types(mix: Mix) -> Mix:
    return replace(mix, game_types=round(1 / mix.share))


KINDS: Final = (
    Kind(name="as first player", kind="seat", side="first"),
    Kind(name="as second player", kind="seat", side="second"),
    Kind(
        name="against one opponent", kind="opponent", says="is weak against bot 0", mix=_opponents
    ),
    Kind(name="from one opening", kind="opening", says="loses after o0", mix=_openings),
    Kind(
        name="from one opening on one side",
        kind="opening",
        side="first",
        says="loses after o0 as first player",
        mix=_sides,
    ),
    Kind(
        name="at one game type",
        kind="game",
        says=f"is weak at {of_game(GAMES[0])['title']}",
        mix=_types,
    ),
    Kind(name="after its own swap", kind="swap.own"),
    Kind(name="after its opponent's swap", kind="swap.opponent"),
    Kind(name="in long games", kind="length.long"),
    Kind(name="in short games", kind="length.short"),
    Kind(name="when it moves fast", kind="speed.fast"),
    Kind(name="when it moves slowly", kind="speed.slow"),
    Kind(name="with little time left", kind="clock.low"),
    Kind(name="where it leaves known positions", kind="novelty"),
    Kind(
        name="at one time control",
        kind="tag.TimeControl",
        says="is weak at the time control 1+0",
    ),
)


class _Begun(NamedTuple):
    """A game before its first move."""

    first: str
    second: str
    game: str
    opening: int
    pair: int
    control: str


class _Course(NamedTuple):
    """What happens in a game, but for its result."""

    length: float
    """Its rank among all games, from 0 to 1."""
    states: tuple[set[str], set[str]]
    fast: tuple[float, float]


class Event:
    """The games of a planted bot and of others."""

    def __init__(self, seed: str, mix: Mix, kind: Kind | None) -> None:
        """Draw them; `kind` is None where nothing is planted."""
        self._chance: Final = random.Random(seed)
        self._mix: Final = kind.mix(mix) if kind else mix
        self._kind: Final = f"{kind.kind}.{kind.side}".rstrip(".") if kind else ""
        gauss, mix = self._chance.gauss, self._mix
        self._names: Final = [BOT, *(f"bot {number}" for number in range(mix.opponents))]
        self._strengths: Final = {name: gauss(0, mix.strengths) for name in self._names}
        worth = ("swap.own", "clock.low", "novelty")
        self._worth: Final = {state: gauss(0, mix.common) for state in worth}
        self._openings: Final = [gauss(0, mix.common) for _ in range(mix.openings)]
        self.games: Final = [self._game(begun) for begun in self._pairings()]

    def _pairings(self) -> Iterator[_Begun]:
        meetings = list(combinations(self._names, 2))
        pairs = self._mix.games // (2 * self._mix.opponents)
        for number in range(pairs * len(meetings)):
            one, other = meetings[number % len(meetings)]
            opening = (number // len(meetings) + number % len(meetings)) % self._mix.openings
            game = GAMES[self._chance.randrange(self._mix.game_types)]
            control = "1+0" if self._chance.random() < self._mix.share else "10+0"
            yield _Begun(one, other, game, opening, number, control)
            yield _Begun(other, one, game, opening, number, control)

    def _course(self) -> _Course:
        chance, share = self._chance, self._mix.share
        states: tuple[set[str], set[str]] = set(), set()
        fast = []
        length = chance.random()
        extreme = "length.long" if length > 1 - share else "length.short" if length < share else ""
        is_swapped = chance.random() < 2 * share  # by second: half of the games
        for seat, state in enumerate(states):
            state.add(extreme)
            if is_swapped:
                state.add("swap.own" if seat else "swap.opponent")
            state |= {name for name in ("clock.low", "novelty") if chance.random() < share}
            drawn = chance.random()
            speed = "speed.fast" if drawn < share else "speed.slow" if drawn > 1 - share else ""
            state.add(speed)
            usual = {"speed.fast": 0.8, "speed.slow": 0.2, "": 0.5}[speed]
            fast.append(chance.gauss(usual, 0.1))  # a mean of some fifteen moves
        return _Course(length, states, (fast[0], fast[1]))

    def _game(self, begun: _Begun) -> ContrastedGame:
        course = self._course()
        score = self._score(self._ahead(begun, course))
        one, other = (frozenset(state) for state in course.states)
        return ContrastedGame(
            result=DecidedGame(
                begun.first, begun.second, score, begun.game, begun.pair, begun.opening
            ),
            plies=12 + int(30 * course.length),
            states=(one, other),
            quickness=course.fast,
            conditions={"TimeControl": begun.control},
        )

    def _ahead(self, begun: _Begun, course: _Course) -> float:
        """Return by how many Elo points first is ahead; the stronger one is so in short games."""
        apart = self._strengths[begun.first] - self._strengths[begun.second]
        ahead = apart * (1.3 - 0.6 * course.length) + ADVANTAGE + self._openings[begun.opening]
        for state, sign in zip(course.states, (1, -1), strict=True):
            ahead += sign * sum(self._worth[name] for name in state & self._worth.keys())
        if BOT in begun[:2]:
            seat = int(begun.second == BOT)
            if self._kind in course.states[seat] | _circumstances(begun, seat):
                ahead += self._mix.effect if seat else -self._mix.effect
        return ahead

    def _score(self, ahead: float) -> float:
        """Draw a result whose expected score is that of a lead in Elo points."""
        wanted = logistic(ahead / ELO)
        win, draw = _chances(round(wanted, 4), self._mix.draws)
        drawn = self._chance.random()
        return 1.0 if drawn < win else 0.5 if drawn < win + draw else 0.0

    def positions(self) -> list[Shared]:
        """Return the openings, and after each of them two positions."""
        met: defaultdict[str, set[int]] = defaultdict(set)
        for at, one in enumerate(self.games):
            name = f"o{one.result.opening}"
            met[name].add(at)
            met[f"{name} {'ab'[one.plies % 2]}"].add(at)
        return [
            Shared(games=frozenset(of), words=partial(Words, f"loses after {name}", "", name))
            for name, of in met.items()
        ]


def _circumstances(begun: _Begun, seat: int) -> set[str]:
    """Return the kinds of weakness that show in a game before its first move."""
    is_so = {
        "seat.first": seat == 0,
        "seat.second": seat == 1,
        "opponent": begun[1 - seat] == "bot 0",
        "opening": begun.opening == 0,
        "opening.first": begun.opening == seat == 0,
        "game": begun.game == GAMES[0],
        "tag.TimeControl": begun.control == "1+0",
    }
    return {kind for kind, is_one in is_so.items() if is_one}


@cache
def _chances(wanted: float, log_draws: float) -> tuple[float, float]:
    """Return how likely a win and a draw are where a score is expected."""
    low, high = -60.0, 60.0
    for _ in range(60):
        middle = (low + high) / 2
        win, draw, _ = chances(middle, log_draws)
        low, high = (middle, high) if win + draw / 2 < wanted else (low, middle)
    return win, draw


@dataclass(frozen=True, kw_only=True)
class Found:
    """What came of some runs."""

    runs: int
    first: int
    """Those in which the planted weakness is among the first three findings."""
    alone: int
    """Those in which its own test, at 5%, finds it."""
    any: int
    """Those with a finding."""
    limit: float
    """The part of runs in which the best procedure could find it."""


def found(kind: Kind | None, mix: Mix, runs: int, *, seed: int = 0) -> Found:
    """Return how often a weakness is found."""
    first = alone = some = 0
    limits = []
    for run in range(runs):
        event = Event(f"{seed} {kind and kind.name} {run}", mix, kind)
        tested = Contrasts(BOT, event.games, event.positions()).tested().findings
        told = [one for one in ranked(tested) if one.is_believed]
        planted = [one for one in tested if kind and _is_of(one, kind)]
        first += any(one in planted for one in told[:FIRST])
        alone += any((one.cost.p_value or 0.0) <= 0.05 for one in planted)
        some += bool(told)
        if planted:
            wanted = mix.share * mix.games
            group = min(planted, key=lambda one: abs(one.games - wanted))
            limits.append(_limit(round(_errors(group, mix.effect), 1)))
    limit = math.fsum(limits) / len(limits) if limits else 0.0
    return Found(runs=runs, first=first, alone=alone, any=some, limit=limit)


def _is_of(finding: Finding, kind: Kind) -> bool:
    is_of = (finding.kind, finding.side) == (kind.kind, kind.side)
    return is_of and kind.says in ("", finding.says)


def _errors(finding: Finding, effect: float) -> float:
    """Return by how many standard errors a weakness in the games of a finding shows."""
    error = (finding.cost.high - finding.cost.low) / (2 * 1.96)
    return finding.games * (0.5 - logistic(-effect / ELO)) / error if error else 0.0


@cache
def _limit(errors: float) -> float:
    """Return how often the best test of fifteen equally likely, separate weaknesses finds one.

    By Neyman and Pearson that is the mean likelihood ratio; 5% of runs without one find one, too.
    """
    chance = random.Random(1)

    def ratio(shift: float) -> float:
        drawn = [chance.gauss(0, 1) for _ in KINDS]
        drawn[0] += shift
        return math.fsum(math.exp(errors * each - errors * errors / 2) for each in drawn)

    level = sorted(ratio(0.0) for _ in range(4000))[3800]
    return sum(ratio(errors) > level for _ in range(2000)) / 2000


def main() -> None:
    """Print how often each kind is found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--games", type=int, default=400, help="of the planted bot")
    parser.add_argument("--share", type=float, default=0.2, help="of them, the planted group")
    parser.add_argument("--effect", type=float, default=EFFECT, help="in Elo")
    parser.add_argument("--strengths", type=float, default=0.0, help="their deviation, in Elo")
    parser.add_argument("--draws", type=float, default=-50.0, help="the logarithm of Davidson's n")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="kinds whose names have this text")
    given = parser.parse_args()
    mix = Mix(
        games=given.games,
        share=given.share,
        effect=given.effect,
        strengths=given.strengths,
        draws=given.draws,
    )
    print(f"{'weak':33} first  alone    any  limit")
    for kind in (None, *KINDS):
        name = kind.name if kind else "nothing planted"
        if given.only in name:
            of = found(kind, mix, given.runs, seed=given.seed)
            shares = [of.first / of.runs, of.alone / of.runs, of.any / of.runs, of.limit]
            print(f"{name:33}" + "".join(f"{each:6.1%} " for each in shares), flush=True)


if __name__ == "__main__":
    main()
