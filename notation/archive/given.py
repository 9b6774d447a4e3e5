"""Games that were given before: the same game of the same event, however its record is annotated.

A directory and its own `games.lath`, a file that is named twice and an event of which a league has
a copy give the same games. Moves alone never make two games one, and neither are games of two
tournaments that are known to be different ones.
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
"""Tags that tell games of the same moves apart."""

AGAIN: Final = "--count-again"
"""The flag by which they count as often as they are given."""


def game_key(record: Record) -> bytes | None:
    """Return 16 bytes that records of one game have in common; None where nobody can know.

    That takes its number, or its event, its round and its moves: all else may be so of two games.

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
    """The games that were given so far, from one source after the other."""

    def __init__(self, *, counts_again: bool = False, has_flag: bool = True) -> None:
        """Take whether a game counts as often as it is given, and whether a flag says so."""
        self._counts_again: Final = counts_again
        self._once: Final = f"count once ({AGAIN}: again)" if has_flag else "count once"
        self._seen: Final = SeenRecords()
        """All games."""
        self._placed: Final = SeenRecords()
        """The same, each with its tournament, or as one of none that is known."""
        self._origin = b""
        self._files: Final = set[tuple[int, int]]()
        self._source = ""
        self._is_again = False
        self._again: Final = Counter[str]()

    @property
    def again(self) -> int:
        """Return how many games were given before."""
        return self._again.total()

    def begin(self, source: Path, origin: str = "") -> None:
        """Note that the next games are of this source, and of the tournament `origin`, if known.

        Games of two tournaments are never one; those of a copy have the same origin.
        """
        self._origin = origin.encode()
        self._source = printable(str(source))
        self._is_again = False
        try:
            found = source.stat()
        except OSError:  # whoever reads it says so
            return
        if S_ISREG(found.st_mode) or S_ISDIR(found.st_mode):
            file = found.st_dev, found.st_ino
            self._is_again = file in self._files
            self._files.add(file)

    def is_left_out(self, record: Record) -> bool:
        """Return whether a game was given before and does not count again."""
        key = game_key(record)
        is_new = key is None or self._is_new(key)
        if is_new and not self._is_again:
            return False
        self._again[self._source] += 1
        return not self._counts_again

    def _is_new(self, key: bytes) -> bool:
        """Keep a game; return whether it was not given before, as far as anybody can know."""
        is_first = self._seen.add(key)
        if not self._origin:
            return is_first and self._placed.add(key)
        own = blake2b(key + self._origin, digest_size=SIZE).digest()
        return (is_first or not self._placed.has(key)) and self._placed.add(own)

    def words(self) -> str:
        """Return what is to be said of games that were given before; empty where none was."""
        if not self._again:
            return ""
        were = "1 game was" if self.again == 1 else f"{self.again} games were"
        count = "count again" if self._counts_again else self._once
        places = ", ".join(f"{many} in {name}" for name, many in self._again.most_common(3))
        more = f" and {len(self._again) - 3} more" if len(self._again) > 3 else ""
        return f"{were} given before: {places}{more}; they {count}"
