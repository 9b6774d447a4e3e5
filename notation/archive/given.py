"""Games that were read before: the same game of the same event, with any annotations.

Such games come from a directory and its own `games.lath`, from a file that is named twice, or from
an event with a copy in a league. Equal moves alone never make two games one. Games of two different
known tournaments are never one either.
"""

from __future__ import annotations

from collections import Counter
from hashlib import blake2b
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import Final

from lath.notation.archive.archive import SIZE, SeenRecords, identity
from lath.notation.record.errors import printable
from lath.notation.record.record import Record

_TOLD: Final = ("Event", "Date", "Round", "Number", "First", "Second", "Result")
"""Tags that distinguish games with the same moves."""

AGAIN: Final = "--count-again"
"""The option with which repeated games count each time."""


def game_key(record: Record) -> bytes | None:
    """Return 16 bytes that are equal for records of one game; None if this cannot be decided.

    The record must have a number, or an event, a round and moves, because all other values may be
    equal in two games.

    >>> from lath.notation import parse
    >>> one = parse('[Game "yavalath"] [Number "7"] [First "ann"] 1. e5 {fine} 2. d4 1-0')
    >>> game_key(one) == game_key(parse('[Game "yavalath"] [First "ann"] [Number "7"] e5 d4 1-0'))
    True
    >>> game_key(parse('[Game "yavalath"] [First "ann"] [Round "7"] e5 d4 1-0')) is None
    True
    """
    values = [record.tag(name) for name in _TOLD]
    event, _, round_, number, *_ = (value.strip(" ?-") for value in values)
    if not number and (record.is_result_only or not (event and round_)):
        return None
    values[-1] = record.result
    text = "\n".join(values).encode("utf-8", "surrogatepass")
    return blake2b(identity(record) + text, digest_size=SIZE).digest()


class GivenGames:
    """The games that were read so far, from one source after the other."""

    def __init__(self, *, counts_again: bool = False, has_flag: bool = True) -> None:
        """Take whether repeated games count each time, and whether an option for it exists."""
        self._counts_again: Final = counts_again
        self._once: Final = (
            f"count once (use {AGAIN} to count them again)" if has_flag else "count once"
        )
        self._seen: Final = SeenRecords()
        """All games."""
        self._placed: Final = SeenRecords()
        """All games with their tournament, or marked as of an unknown one."""
        self._origin = b""
        self._files: Final = set[tuple[int, int]]()
        self._source = ""
        self._is_again = False
        self._again: Final = Counter[str]()

    @property
    def again(self) -> int:
        """Return the number of games that were read before."""
        return self._again.total()

    def begin(self, source: Path, origin: str = "") -> None:
        """Note the source of the next games, and their tournament `origin` if it is known.

        Games of two tournaments are never one; those of a copy have the same origin.
        """
        self._origin = origin.encode()
        self._source = printable(str(source))
        self._is_again = False
        try:
            found = source.stat()
        except OSError:  # the reader of the source reports it
            return
        if S_ISREG(found.st_mode) or S_ISDIR(found.st_mode):
            file = found.st_dev, found.st_ino
            self._is_again = file in self._files
            self._files.add(file)

    def is_left_out(self, record: Record) -> bool:
        """Return whether a game was read before and does not count again."""
        key = game_key(record)
        is_new = key is None or self._is_new(key)
        if is_new and not self._is_again:
            return False
        self._again[self._source] += 1
        return not self._counts_again

    def _is_new(self, key: bytes) -> bool:
        """Add a game; return whether it was not read before."""
        is_first = self._seen.add(key)
        if not self._origin:
            return is_first and self._placed.add(key)
        own = blake2b(key + self._origin, digest_size=SIZE).digest()
        return (is_first or not self._placed.has(key)) and self._placed.add(own)

    def words(self) -> str:
        """Return the notice about repeated games; empty without any."""
        if not self._again:
            return ""
        were = "1 game was" if self.again == 1 else f"{self.again} games were"
        count = "count again" if self._counts_again else self._once
        places = ", ".join(f"{many} in {name}" for name, many in self._again.most_common(3))
        more = f" and {len(self._again) - 3} more" if len(self._again) > 3 else ""
        return f"{were} read before: {places}{more}; repeated games {count}"
