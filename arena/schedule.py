"""Which games a tournament plays, in what order. Pure: the same configuration gives the same list.

Made lazily: a schedule of a million games takes no more memory than one of ten.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import games
from arena.scorebook import GamePlan


@dataclass(frozen=True, slots=True)
class Pair:
    """Two games from one setup, each bot first in one of them."""

    number: int
    """From 1."""
    games: tuple[GamePlan, GamePlan]

    @property
    def names(self) -> tuple[str, str]:
        """Return the two bots."""
        return self.games[0].names

    def left(self, finished: Collection[int]) -> tuple[GamePlan, ...]:
        """Return the games that are not among the finished numbers."""
        return tuple(game for game in self.games if game.number not in finished)


def round_robin(names: Sequence[str]) -> list[tuple[str, str]]:
    """Return every pairing once, in the order of the configuration.

    >>> round_robin(["a", "b", "c"])
    [('a', 'b'), ('a', 'c'), ('b', 'c')]
    """
    return list(combinations(names, 2))


def pairs(
    *,
    names: Sequence[str],
    game_ids: Sequence[str],
    rounds: int,
    seed: int,
    tags: tuple[tuple[str, str], ...] = (),
) -> Iterator[Pair]:
    """Yield the pairs of a round robin: each round, every pairing plays every game from one setup.

    The setup is drawn for the round and the game, so that all pairings meet the same one.
    """
    number = 0
    for round_number in range(1, rounds + 1):
        for game_id in game_ids:
            setup = games.get(game_id).draw_setup(draw(seed, "setup", round_number, game_id))
            for one, other in round_robin(names):
                number += 1
                yield _pair(number, round_number, game_id, setup, (one, other), seed, tags)


def _pair(  # noqa: PLR0917 - all of them make up the pair
    number: int,
    round_number: int,
    game_id: str,
    setup: str | None,
    names: tuple[str, str],
    seed: int,
    tags: tuple[tuple[str, str], ...],
) -> Pair:
    def plan(game_number: int, seats: tuple[str, str]) -> GamePlan:
        return GamePlan(
            number=game_number,
            round=round_number,
            game=game_id,
            setup=setup,
            names=seats,
            seeds=(draw(seed, "first", game_number), draw(seed, "second", game_number)),
            tags=tags,
        )

    one, other = names
    return Pair(number, (plan(2 * number - 1, (one, other)), plan(2 * number, (other, one))))


def draw(seed: int, *what: object) -> int:
    """Return a number below 2**31 that follows from the tournament's seed and what it is for."""
    words = " ".join(str(word) for word in (seed, *what))
    return int.from_bytes(hashlib.sha256(words.encode()).digest()[:4], "big") >> 1


def count_games(*, names: Sequence[str], game_ids: Sequence[str], rounds: int) -> int:
    """Return how many games `pairs` plans."""
    return 2 * rounds * len(game_ids) * len(round_robin(names))
