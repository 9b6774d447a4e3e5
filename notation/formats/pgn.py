"""PGN files: headers of games of any kind, and complete records of the arena's games.

A record begins at the first tag after moves, after an empty line, or at a tag that the record
already has. Other programs write headers alone, with or without a result after them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO, Final

from lath.notation.formats import text as moves
from lath.notation.formats.pgn_headers import TAG, entry_of
from lath.notation.formats.pgn_moves import has_chess
from lath.notation.text.splitting import Entry, texts_by_line

_NAME: Final = re.compile(rb"\[\s*([A-Za-z]\w*)\s*\"", re.ASCII)


_ONE: Final = re.compile(TAG.pattern.encode(), re.ASCII)


_MARKS: Final = re.compile(rb"[{};]")


def read(stream: BinaryIO, name: str) -> Iterator[Entry]:
    """Yield the headers of a stream as records of results, lazily; known games have moves too."""
    is_beside = False
    for number, text in enumerate(texts_by_line(stream, _Beginning()), 1):
        is_chess = has_chess(text.text)
        is_beside |= is_chess
        is_ours = not is_chess and moves.is_of_ours(text, name, beside_chess=is_beside)
        yield (moves.entry_of if is_ours else entry_of)(text, name, number)


class _Beginning:
    """A test of each line of a stream whether a record begins there."""

    def __init__(self) -> None:
        self._names: set[bytes] = set()
        self._in_moves = self._in_comment = self._after_blank = False

    def __call__(self, line: bytes) -> bool:
        """Return whether a record begins with this line, the next one of the stream."""
        line = line.strip()
        was_blank, self._after_blank = self._after_blank, not line
        if not line or line.startswith(b"%"):
            return False
        is_tag = line.startswith(b"[")
        if self._in_comment:  # an unclosed comment ends at the next header
            is_tag = is_tag and was_blank and _ONE.match(line) is not None
        if not is_tag:
            self._in_moves = True
            self._follow(line)
            return False
        names = set(_NAME.findall(line))
        begins = self._in_moves or was_blank or not names.isdisjoint(self._names)
        self._names = names if begins else self._names | names
        self._in_moves = self._in_comment = False
        rest = _ONE.sub(b"", line).strip()
        if rest and not rest.startswith(b"["):
            self._in_moves = True
            self._follow(rest)
        return begins

    def _follow(self, moves: bytes) -> None:
        """Note whether a comment is open after a line of moves."""
        for mark in _MARKS.findall(moves):
            if self._in_comment:
                self._in_comment = mark != b"}"
            elif mark == b";":
                return
            else:
                self._in_comment = mark == b"{"
