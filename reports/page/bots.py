"""What the page says of each bot: how long it thinks, whom it beat and where, how it begins.

Must not know ratings: who is strong is told by the order of names. Times come from the records
(`emt`), in whole milliseconds.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple

from typing_extensions import TypedDict

from lath.notation.record import Termination
from lath.reports.figures import (
    Entry,
    Link,
    OfGame,
    Score,
    Ways,
    WaysOfGame,
    first_moves,
    of_game,
    quantile,
    score_of,
    start_text,
    ways_by_game,
)
from lath.reports.ratings.results import SeatScore
from lath.reports.schema import Amount, Count, Positive
from lath.reports.standings import FORFEITS, GameResults

SHOWN: Final = 3
"""Games of a kind, and ways to begin for each game and seat."""

_MOST_WAYS: Final = 1_000
"""Ways kept of a bot, for each game and seat."""

# Times


class Slowest(TypedDict):
    """Where a bot took longest."""

    number: Link
    ply: Positive
    """of the slowest move"""


class Times(TypedDict):
    """How long a bot thinks."""

    name: str
    moves: Positive
    """with a known time, of games that can be replayed"""
    mean_s: Amount
    """seconds a move"""
    median_s: Amount
    """to the millisecond, and to four digits"""
    p95_s: Amount
    """95 % of moves take no longer; likewise"""
    worst_s: Amount
    worst: Slowest
    games: Positive
    """counted games"""
    lost_on_time: Count
    """those of them that it lost on time"""


@dataclass(slots=True)
class _Spent:
    """What one bot used."""

    moves: Counter[int] = field(default_factory=Counter)
    """How many moves took so many milliseconds, to four digits."""

    total_ms: float = 0.0
    worst_ms: float = -1.0
    worst: Slowest = field(default_factory=lambda: Slowest(number=0, ply=0))
    games: int = 0
    lost: int = 0

    def add(self, used_ms: float, number: int, ply: int) -> None:
        self.moves[four_digits(used_ms)] += 1
        self.total_ms += used_ms
        if used_ms > self.worst_ms:
            self.worst_ms, self.worst = used_ms, {"number": number, "ply": ply}


def four_digits(value: float) -> int:
    """Return a whole number of at most four digits that are not 0: so few that all can be kept.

    >>> four_digits(0.4), four_digits(1234.4), four_digits(123456.0)
    (0, 1234, 123500)
    """
    return round(value) if value < 10_000 else int(float(f"{value:.4g}"))


class TimeCounter:
    """Counts the times of games that count for the standings."""

    def __init__(self) -> None:
        self._bots: defaultdict[str, _Spent] = defaultdict(_Spent)

    def add(self, entry: Entry) -> None:
        """Count one game; where it cannot be replayed, nobody knows who moved."""
        players = entry.record.first, entry.record.second
        spent = [self._bots[name] for name in players]
        for one in spent:
            one.games += 1
        if entry.record.termination == Termination.TIME and entry.points != 0.5:
            spent[entry.points == 1].lost += 1
        for ply, (mover, made) in enumerate(zip(entry.movers, entry.record.plies, strict=False), 1):
            used_s = made.used_s
            if used_s is not None and 0 <= used_s < math.inf:
                spent[mover].add(used_s * 1000, entry.number, ply)

    def times(self, names: Sequence[str]) -> list[Times]:
        """Return a line for each bot of `names` whose moves were timed, in their order."""
        return [
            {
                "name": name,
                "moves": spent.moves.total(),
                "mean_s": round(spent.total_ms / spent.moves.total() / 1000, 6),
                "median_s": quantile(spent.moves, 0.5) / 1000,
                "p95_s": quantile(spent.moves, 0.95) / 1000,
                "worst_s": round(spent.worst_ms / 1000, 6),
                "worst": spent.worst,
                "games": spent.games,
                "lost_on_time": spent.lost,
            }
            for name, spent in ((name, self._bots[name]) for name in names)
            if spent.moves
        ]


# Results, and games to look at


class ScoreBySeat(OfGame):
    """A bot's results at one game."""

    first: Score
    second: Score


class ScoreAgainst(Score):
    """A bot's results against one other."""

    name: str


def scores_by_seat(games: Mapping[str, GameResults]) -> dict[str, list[ScoreBySeat]]:
    """Return each bot's results by game id, sorted, and seat."""
    found: defaultdict[str, dict[str, tuple[SeatScore, SeatScore]]] = defaultdict(dict)
    for game in sorted(games):
        for (first, second, points), times in games[game].scores.items():
            for seat, name, own in ((0, first, points), (1, second, 1 - points)):
                scores = found[name].setdefault(game, (SeatScore(), SeatScore()))
                scores[seat].add(own, times)
    return {
        name: [
            {**of_game(game), "first": score_of(first), "second": score_of(second)}
            for game, (first, second) in by_game.items()
        ]
        for name, by_game in found.items()
    }


class Duel(OfGame):
    """A decided game of a bot."""

    number: Link
    plies: Count
    opponent: str
    ending: str


class Duels(TypedDict):
    """Games of a bot to look at."""

    best_wins: list[Duel]
    """the shortest against each of the highest rated it beat"""
    worst_losses: list[Duel]
    """the shortest to each of the lowest rated it lost to"""
    shortest_losses: list[Duel]
    """all of these three: without forfeits"""
    forfeits: list[Duel]
    """the first games that it lost by a forfeit"""


class _Decided(NamedTuple):
    """A decided game, in the order of length, then of number."""

    plies: int
    number: int
    winner: str
    loser: str
    game: str
    ending: str

    def against(self, opponent: str) -> Duel:
        """Return it as the other one sees it."""
        return {
            "number": self.number,
            "plies": self.plies,
            "opponent": opponent,
            **of_game(self.game),
            "ending": self.ending,
        }


class DuelCounter:
    """Keeps the games to look at: memory grows with pairs of bots, not with games."""

    def __init__(self) -> None:
        self._shortest: dict[tuple[str, str], _Decided] = {}
        """The shortest game that a bot won on the board against another."""
        self._losses: defaultdict[str, list[_Decided]] = defaultdict(list)
        self._forfeits: defaultdict[str, list[_Decided]] = defaultdict(list)

    def add(self, entry: Entry) -> None:
        """Count one game, which is kept if somebody won it."""
        record, number = entry.record, entry.number
        if entry.points not in (0, 1):
            return
        players = record.first, record.second
        winner, loser = players if entry.points else players[::-1]
        game = _Decided(len(record.plies), number, winner, loser, record.game, entry.ending)
        if record.termination in FORFEITS:
            self._forfeits[loser] = [*self._forfeits[loser], game][:SHOWN]
            return
        pair = winner, loser
        self._shortest[pair] = min(self._shortest.get(pair, game), game)
        self._losses[loser] = sorted([*self._losses[loser], game])[:SHOWN]

    def duels(self, bot: str, ranked: Sequence[str]) -> Duels:
        """Return those of a bot; `ranked` are all names, the strongest first."""
        shortest = self._shortest
        wins = [shortest[bot, other] for other in ranked if (bot, other) in shortest]
        lost = [shortest[other, bot] for other in reversed(ranked) if (other, bot) in shortest]
        return {
            "best_wins": [game.against(game.loser) for game in wins[:SHOWN]],
            "worst_losses": [game.against(game.winner) for game in lost[:SHOWN]],
            "shortest_losses": [game.against(game.winner) for game in self._losses[bot]],
            "forfeits": [game.against(game.winner) for game in self._forfeits[bot]],
        }


# Ways to begin


class WaysOfBot(WaysOfGame):
    """Ways in which a bot began games of one id, or answered."""

    seat: Literal["first", "second"]


class StartCounter:
    """Counts in which setups games began, and with which moves bots did."""

    def __init__(self) -> None:
        self._setups: dict[str, Ways] = {}
        self._bots: dict[tuple[str, str, int], Ways] = {}

    def add(self, entry: Entry) -> None:
        """Count a game that counts for the standings: first's first move, second's first answer."""
        record, number, points = entry.record, entry.number, entry.points
        if points is None:
            return
        if start := start_text(record.game, record.tag("Setup"), record.tag("Position")):
            self._setups.setdefault(record.game, Ways()).add(start, points, number)
        moves = first_moves(record, 2)
        for seat, name in enumerate((record.first, record.second)):
            if len(moves) > seat:
                ways = self._bots.setdefault((name, record.game, seat), Ways(_MOST_WAYS))
                ways.add(" ".join(moves[: seat + 1]), 1 - points if seat else points, number)

    def setups(self) -> list[WaysOfGame]:
        """Return the setups of each game id; scores are first's."""
        return ways_by_game(self._setups)

    def of_bot(self, name: str) -> list[WaysOfBot]:
        """Return what a bot began with, by game id and seat; scores are its own."""
        return [
            {
                **of_game(game),
                "seat": "second" if seat else "first",
                **self._bots[bot, game, seat].summary(SHOWN),
            }
            for bot, game, seat in sorted(self._bots)
            if bot == name
        ]
