"""Which games were met before, by their identities: kept small, for there may be ten millions.

Must not know records (`identity.py` does) nor files.
"""

from __future__ import annotations

from typing import Final

_SHELF: Final = 2
"""Bytes of an identity that say on which shelf the others are."""


class Seen:
    """The identities that were met, in 20 bytes each where there are millions.

    A set would take 110. Here the first two bytes choose one of 65 536 shelves, and a shelf is
    the other bytes of its identities on end: of 150 identities where there are ten millions.
    """

    def __init__(self) -> None:
        self._shelves: dict[bytes, bytearray] = {}

    def add(self, identity: bytes) -> bool:
        """Keep an identity, all of which are of one length; return whether it is new.

        >>> seen = Seen()
        >>> seen.add(b"0123456789abcdef"), seen.add(b"0123456789abcdef")
        (True, False)
        """
        name, kept = identity[:_SHELF], identity[_SHELF:]
        shelf = self._shelves.get(name)
        if shelf is None:
            self._shelves[name] = bytearray(kept)
            return True
        at = shelf.find(kept)
        while at > 0 and at % len(kept):  # it was found across two others
            at = shelf.find(kept, at + 1)
        if at < 0:
            shelf += kept
        return at < 0
