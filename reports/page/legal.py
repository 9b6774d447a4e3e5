"""Which moves were legal at every ply of a game, as what changed since the ply before.

Must not know any game, nor where a page stores this.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from lath.games.core import Position, read_move
from lath.notation.record import Record
from lath.notation.replay import start_of
from lath.reports.page.dictionary import Dictionary
from lath.reports.page.streams import varint, varints

MOST_PLIES: Final = 60_000
"""Plies of a report from which on legal moves are left out: they would not fit."""


class LegalMoves:
    """Sets of kinds of moves, position by position."""

    def __init__(self, dictionary: Dictionary) -> None:
        self._dictionary = dictionary
        self._foretold: frozenset[int] = frozenset()
        """Of the next game's first position."""

    def of_game(self, record: Record, kinds: Sequence[int]) -> bytes:
        """Return the kinds that begin or cease to be legal at each position of a game.

        For each: how many, then their differences. What is foretold is the set before without the
        kind just played; for a game's first position, that of the game before.
        """
        position = start_of(record)
        foretold, parts = self._foretold, []
        for i in range(len(kinds) + 1):
            legal = self._kinds(position)
            parts.append(_toggled(foretold ^ legal))
            if i == 0:
                self._foretold = legal
            if i < len(kinds):
                foretold = legal - {kinds[i]}
                position = position.play(read_move(position, record.plies[i].move))
        return b"".join(parts)

    def _kinds(self, position: Position) -> frozenset[int]:
        seat, known = position.to_move, self._dictionary.granted
        found = []
        for move in position.legal_moves():
            kind = known(move, seat)
            if kind is None:
                kind = self._dictionary.kind(move, position, position.play(move))
            found.append(kind)
        return frozenset(found)


def _toggled(kinds: frozenset[int]) -> bytes:
    ordered = sorted(kinds)
    steps = (new - old for new, old in zip(ordered, (0, *ordered), strict=False))
    return varint(len(ordered)) + varints(steps)
