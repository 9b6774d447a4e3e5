"""What two bots have scored against each other in games of which one waits for all.

Sums only: the order in which games are reported leaves no trace.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from lath.arena.schedule.core import HALVES, Numbers


class Encounter:
    """The games of two bots that count together; they may be reported before the bots are known."""

    def __init__(self, games: int) -> None:
        """`games` is how many there are."""
        self._games: Final = games
        self._counted = 0
        self._halves: Final[Counter[str]] = Counter()
        self._lost: Final[Counter[str | None]] = Counter()
        """Games that were not played, by who lost them; None where nobody won."""

    @property
    def is_over(self) -> bool:
        """Return whether all games are reported or lost."""
        return self._counted >= self._games

    def report(self, first: str, second: str, result: str) -> None:
        """Count a game that was played."""
        self._counted += 1
        for name, halves in zip((first, second), HALVES.get(result, (0, 0)), strict=True):
            self._halves[name] += halves

    def lose(self, games: int, loser: str | None) -> None:
        """Count games that will not be played as won by the other bot, or by nobody."""
        self._counted += games
        self._lost[loser] += games

    def halves(self, one: str, other: str) -> tuple[int, int]:
        """Return the half points of both.

        >>> encounter = Encounter(4)
        >>> encounter.report("a", "b", "1/2-1/2")
        >>> encounter.lose(2, "b")
        >>> encounter.halves("a", "b"), encounter.is_over
        ((5, 1), False)
        """
        return (
            self._halves[one] + 2 * self._lost[other],
            self._halves[other] + 2 * self._lost[one],
        )


class Ledger:
    """The encounters of a tournament by a key, the games reported and the pairs lost."""

    def __init__(self) -> None:
        self.finished: Final = Numbers()
        self.done = 0
        """Games reported."""
        self.lost = 0
        """Games that will not be played."""
        self._lost_pairs: Final[set[int]] = set()
        self._encounters: Final[dict[tuple[int, ...], Encounter]] = {}

    def encounter(self, key: tuple[int, ...], games: int) -> Encounter:
        """Return the encounter of a key, new where there was none."""
        found = self._encounters.get(key)
        if found is None:
            found = self._encounters[key] = Encounter(games)
        return found

    def report(
        self, encounter: Encounter, number: int, names: tuple[str, str], result: str
    ) -> None:
        """Count a game."""
        self.finished.add(number)
        self.done += 1
        encounter.report(*names, result)

    def lose(self, encounter: Encounter, pair: int, loser: str | None) -> None:
        """Count what is not reported of a pair as lost, once."""
        left = [game for game in (2 * pair - 1, 2 * pair) if game not in self.finished]
        if pair not in self._lost_pairs:
            self._lost_pairs.add(pair)
            self.lost += len(left)
            encounter.lose(len(left), loser)

    def is_open(self, pair: int) -> bool:
        """Return whether a game of the pair is still to be played."""
        is_finished = 2 * pair in self.finished and 2 * pair - 1 in self.finished
        return not is_finished and pair not in self._lost_pairs


def points(halves: int) -> str:
    """Return half points as people write them.

    >>> points(5), points(1), points(4)
    ('2½', '½', '2')
    """
    whole, half = divmod(halves, 2)
    return f"{whole or '' if half else whole}{'½' if half else ''}"
