"""Which games repeat another move by move, so that they say nothing new.

Must not know ratings. A game is known by 16 bytes; no move is kept.

Two bots that are deterministic play one game again and again. Counted as if they were chosen anew,
such games make intervals too narrow: with each game five times, 95 % intervals hold the truth in
62 % of cases. So a game is a repeat where the game's id, both seats, the start, the canonical
moves, the result and the ending are those of another. Two kinds of games never are:

- A game without a move: nobody has shown what they do, so it says nothing of being deterministic.
- A game that ended by time: a clock runs by the machine's load, not by the moves alone, so that it
  ran out twice at the same ply is told by both games. Leaving one out would also favour who lost.

A crash, an illegal move and a flood are what a program does with what it was sent, and count as
moves do.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Final

from lath.notation.archive.identity import SIZE, identity
from lath.notation.record import Record, Termination


def digest_of(record: Record, seats: tuple[str, str], why: str) -> bytes:
    """Return 16 bytes that are equal for games of which one may repeat the other.

    `seats` and `why` are the bots and the `Termination` of the record.
    """
    # A name may hold any letter, so that none can stand between two; the literals tell them apart.
    told = ascii((seats, record.result, why)).encode()
    return blake2b(identity(record) + told, digest_size=SIZE).digest()


class Repeats:
    """The games that were seen, by digest."""

    def __init__(self) -> None:
        self._places: Final[dict[bytes, int]] = {}

    def seen(self, digest: bytes, place: int, *, plies: int, why: str) -> int | None:
        """Return the place of the game that this one repeats; None, and it is noted, if it is new.

        `why` is its `Termination`.
        """
        if not plies or why == Termination.TIME:
            return None
        earlier = self._places.setdefault(digest, place)
        return None if earlier == place else earlier
