"""What was said between the arena and the bots of a game, and when.

Must not know what the lines mean. Kept in memory, within bounds, as the bytes that passed; made
into text only for a game of which it is wanted.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

MOST_PIECES: Final = 2000
"""Writes and reads that are kept of a bot: the last ones."""

MOST_OF_A_LOG: Final = 256 << 10
"""Letters of a log: its beginning and its end."""

MOST_OF_A_PIECE: Final = 2048
"""Bytes that are kept of a write or a read: its beginning and its end."""


Piece = tuple[float, bool, bytes]
"""One write or read: when it was, on the monotonic clock; whether to the bot; what passed."""

Exchange = deque[Piece]


def new_exchange() -> Exchange:
    """Return a place for the pieces of one bot."""
    return deque(maxlen=MOST_PIECES)


def shortened(data: bytes) -> bytes:
    """Return the beginning and the end of what is too long to keep."""
    if len(data) <= MOST_OF_A_PIECE:
        return data
    half = MOST_OF_A_PIECE // 2
    return b"%b [... %d bytes ...] %b" % (data[:half], len(data) - 2 * half, data[-half:])


def text_of(exchanges: Mapping[str, Iterable[Piece]], errors: Mapping[str, str]) -> str:
    """Return the log of a game: a line for each line that passed, then the end of each stderr.

    `exchanges` and `errors` are by the bots' names. Times are seconds from the first line; `>` is
    what the arena wrote, `<` what the bot did. Control characters are escaped.
    """
    pieces = sorted(
        ((*piece, name) for name, those in exchanges.items() for piece in _joined(those)),
        key=lambda row: row[0],
    )
    began_s = pieces[0][0] if pieces else 0.0
    width = max(map(len, exchanges), default=0)
    lines = [
        f"{at_s - began_s:12.6f} {name:{width}} {'>' if is_sent else '<'} {line}\n"
        for at_s, is_sent, data, name in pieces
        for line in _lines(data)
    ]
    for name, said in errors.items():
        lines += (
            f"\n-- {name}, standard error --\n",
            *(f"{_escaped(line)}\n" for line in said.splitlines()),
        )
    return _cut("".join(lines))


def _cut(text: str) -> str:
    """Return whole lines of the beginning and the end of a text that is too long to keep."""
    if len(text) <= MOST_OF_A_LOG:
        return text
    half = MOST_OF_A_LOG // 2
    begin = text[: text.rindex("\n", 0, half) + 1]
    end = text[text.index("\n", len(text) - half) + 1 :]
    return f"{begin}[... {len(text) - len(begin) - len(end)} letters ...]\n{end}"


def _joined(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Yield pieces that end with a line, as far as they do: a bot may write letter by letter."""
    waiting: Piece | None = None
    for piece in pieces:
        if waiting is not None and waiting[1] == piece[1] and not waiting[2].endswith(b"\n"):
            piece = (waiting[0], piece[1], shortened(waiting[2] + piece[2]))  # noqa: PLW2901
        elif waiting is not None:
            yield waiting
        waiting = piece
    if waiting is not None:
        yield waiting


def _lines(data: bytes) -> Iterator[str]:
    """Yield the lines of a piece; the end of one that did not end in it has three dots."""
    *whole, rest = data.decode("utf-8", "replace").split("\n")
    for line in whole:
        yield _escaped(line.removesuffix("\r"))
    if rest:
        yield _escaped(rest) + " ..."


def _escaped(line: str) -> str:
    if line.isprintable():
        return line
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in line)
