"""Each bot's results by opponent, game and seat, and the games of it that people want to see.

Must not know ratings: who is strong is told by the order of names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

from lath.reports.page.entries import Entry, game_title

SHOWN: Final = 3
"""Games shown of a kind."""

SEATS: Final = ("first", "second")

_Results = Counter[tuple[str, str, int, float]]
"""How often a bot had, against whom, at which game, in which seat, so many points."""


class Duels:
    """Counts while the records go by: memory grows with pairs of bots, not with games."""

    def __init__(self) -> None:
        self._results: dict[str, _Results] = {}
        self._shortest: dict[tuple[str, str], _Told] = {}
        """The shortest game that a bot won on the board against another."""
        self._losses: dict[str, list[_Told]] = {}
        self._forfeits: dict[str, list[_Told]] = {}

    def add(self, entry: Entry) -> None:
        """Count one game that counts."""
        if entry.points is None:
            return
        record = entry.record
        for seat, (bot, other) in enumerate(
            ((record.first, record.second), (record.second, record.first))
        ):
            points = 1 - entry.points if seat else entry.points
            results: _Results = self._results.setdefault(bot, Counter())
            results[other, record.game, seat, points] += 1
        if entry.winner_loser is not None:
            self._keep(entry, *entry.winner_loser)

    def _keep(self, entry: Entry, winner: str, loser: str) -> None:
        told = _Told(len(entry.record.plies), entry.number, winner, loser, entry)
        if entry.is_forfeit:
            forfeits = self._forfeits.setdefault(loser, [])
            if len(forfeits) < SHOWN:
                forfeits.append(told)
            return
        pair = winner, loser
        self._shortest[pair] = min(self._shortest.get(pair, told), told)
        losses = self._losses.setdefault(loser, [])
        losses.append(told)
        losses.sort()
        del losses[SHOWN:]

    def to_json(self, bot: str, ranked: Sequence[str]) -> dict[str, Any]:
        """Return what `schema.BOT` describes of a bot; `ranked` are all, the strongest first."""
        wins = [self._shortest[bot, other] for other in ranked if (bot, other) in self._shortest]
        lost = [
            self._shortest[other, bot]
            for other in reversed(ranked)
            if (other, bot) in self._shortest
        ]
        return {
            "games": self._by_game(bot),
            "opponents": self._by_opponent(bot, ranked),
            "best_wins": [one.to_json(one.loser) for one in wins[:SHOWN]],
            "worst_losses": [one.to_json(one.winner) for one in lost[:SHOWN]],
            "shortest_losses": [one.to_json(one.winner) for one in self._losses.get(bot, ())],
            "forfeits": [one.to_json(one.winner) for one in self._forfeits.get(bot, ())],
        }

    def _by_game(self, bot: str) -> list[dict[str, Any]]:
        results = self._results.get(bot, _Results())
        found: dict[str, Counter[tuple[int, float]]] = {}
        for (_, game, seat, points), games in results.items():
            found.setdefault(game, Counter())[seat, points] += games
        return [
            {
                "game": game,
                "title": game_title(game),
                **{word: _score(found[game], seat) for seat, word in enumerate(SEATS)},
            }
            for game in sorted(found)
        ]

    def _by_opponent(self, bot: str, ranked: Sequence[str]) -> list[dict[str, Any]]:
        found: dict[str, Counter[tuple[int, float]]] = {}
        for (other, _, _, points), games in self._results.get(bot, {}).items():
            found.setdefault(other, Counter())[0, points] += games
        return [{"name": other, **_score(found[other], 0)} for other in ranked if other in found]


def _score(counted: Counter[tuple[int, float]], seat: int) -> dict[str, int]:
    wins, draws, losses = (counted[seat, points] for points in (1.0, 0.5, 0.0))
    return {"wins": wins, "draws": draws, "losses": losses}


class _Told:
    """A decided game, in the order of length, then of number."""

    __slots__ = ("ending", "game", "loser", "number", "plies", "winner")

    def __init__(self, plies: int, number: int, winner: str, loser: str, entry: Entry) -> None:
        self.plies, self.number, self.winner, self.loser = plies, number, winner, loser
        self.game, self.ending = entry.record.game, entry.ending

    def __lt__(self, other: _Told) -> bool:
        return (self.plies, self.number) < (other.plies, other.number)

    def to_json(self, opponent: str) -> dict[str, Any]:
        return {
            "number": self.number,
            "plies": self.plies,
            "opponent": opponent,
            "game": self.game,
            "title": game_title(self.game),
            "ending": self.ending,
        }
