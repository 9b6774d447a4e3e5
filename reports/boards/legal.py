"""Where a move puts a piece, so that legal moves can be dots on cells.

Must not know any game, nor how it is drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lath.games.core import Move, Position

Change = tuple[int, str]
"""A cell by its place in `Board.names`, and what happens there: `+w` puts pieces on top, `-1` takes
so many from the top, `=Aw` is what lies there now where neither tells it."""


@dataclass(frozen=True, slots=True)
class Choices:
    """The legal moves of a position as they can be shown."""

    dots: dict[int, str]
    """For each cell where moves put a piece, the codes of the pieces, in order of the moves."""

    others: tuple[Move, ...]
    """All other legal moves."""


def choices(position: Position) -> Choices:
    """Return what can be played; nothing once the game is over."""
    dots: dict[int, str] = {}
    others = []
    before = position.contents()
    for move in position.legal_moves():
        placed = placement(changes(before, position.play(move).contents()))
        if placed is None:
            others.append(move)
        elif placed[1] not in dots.get(placed[0], ""):
            dots[placed[0]] = dots.get(placed[0], "") + placed[1]
    return Choices(dots, tuple(others))


def changes(before: Sequence[str], after: Sequence[str]) -> tuple[Change, ...]:
    """Return what changes from one `Position.contents` to another.

    >>> changes(("A", "Aw", "w", ""), ("Ab", "A", "b", ""))
    ((0, '+b'), (1, '-1'), (2, '=b'))
    """
    pairs = enumerate(zip(before, after, strict=True))
    return tuple((cell, _change(old, new)) for cell, (old, new) in pairs if old != new)


def _change(old: str, new: str) -> str:
    if new.startswith(old):
        return f"+{new.removeprefix(old)}"
    return f"-{len(old) - len(new)}" if old.startswith(new) else f"={new}"


def placement(changed: Sequence[Change]) -> tuple[int, str] | None:
    """Return the cell and the code of the piece that a move puts there.

    None where it puts pieces on no cell or several, or changes one for another. Of several pieces
    on one cell the lowest counts: a marker goes along.

    >>> placement(((3, "+ok"), (7, "-1")))
    (3, 'o')
    """
    gains = [(cell, what[1]) for cell, what in changed if what.startswith("+")]
    has_exchange = any(what.startswith("=") for _, what in changed)
    return gains[0] if len(gains) == 1 and not has_exchange else None
