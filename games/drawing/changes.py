"""The changes of moves on a board: the cells that they change, and the pieces that come and go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from lath.games.core import Position


@dataclass(slots=True)
class Effects:
    """The effects of the legal moves on a board; cells are places in `Board.names`."""

    dots: dict[int, str] = field(default_factory=dict)
    """The codes of the pieces that can be placed on each cell, in order of the moves."""

    kinds: dict[str, list[int]] = field(default_factory=dict)
    """The cells of each kind of piece that one move can remove completely, by the piece's code."""

    lines: list[list[int]] = field(default_factory=list)
    """The cells of each other move that only removes pieces."""

    turned: list[int] = field(default_factory=list)
    """The cells that other moves change, such as a swap, which replaces a piece.

    A move that changes no cell, such as a pass, is not shown.
    """


def effects(position: Position) -> Effects:
    """Return the effects of the legal moves."""
    found = Effects()
    before = position.contents()
    everything = "".join(before)
    for move in position.legal_moves():
        after = position.play(move).contents()
        pairs = enumerate(zip(before, after, strict=True))
        changed = {cell: (old, new) for cell, (old, new) in pairs if old != new}
        taken = [without(old, new) for old, new in changed.values()]
        if placed := placement(before, after):
            cell, code = placed
            found.dots[cell] = "".join(dict.fromkeys(found.dots.get(cell, "") + code))
        elif changed and all(taken):
            codes = "".join(taken)
            if len(set(codes)) == 1 and everything.count(codes[0]) == len(codes):
                found.kinds[codes[0]] = list(changed)
            else:
                found.lines.append(list(changed))
        else:
            found.turned += [cell for cell in changed if cell not in found.turned]
    return found


def without(old: str, new: str) -> str:
    """Return the pieces removed from a cell; empty if `new` is not the remainder of `old`.

    >>> without("Ab", "b"), without("Ab", "Aw"), without("", "w")
    ('A', '', '')
    """
    gone = ""
    for code in old:
        if new.startswith(code):
            new = new[1:]
        else:
            gone += code
    return "" if new else gone


def placement(before: Sequence[str], after: Sequence[str]) -> tuple[int, str] | None:
    """Return the cell and the code of the piece that a move places.

    The result is None if the move places pieces on no cell or on several, or replaces a piece. If
    it places several pieces on one cell, the lowest counts, because the others are markers.

    >>> placement(("A", "", "w", "k"), ("A", "ok", "w", ""))
    (1, 'o')
    """
    pairs = enumerate(zip(before, after, strict=True))
    changed = [(cell, old, new) for cell, (old, new) in pairs if old != new]
    gains = [(cell, new[len(old)]) for cell, old, new in changed if new.startswith(old)]
    losses = [cell for cell, old, new in changed if old.startswith(new)]
    return gains[0] if len(gains) == 1 == len(changed) - len(losses) else None


def changed_cells(before: Position, after: Position) -> list[str]:
    """Return the names of the cells that differ between two positions of one game.

    A cell that only lost a marker is left out if other cells differ, as on the report's boards.
    """
    triples = zip(after.game.board.names, before.contents(), after.contents(), strict=True)
    changed = [(name, old, new) for name, old, new in triples if old != new]
    markers = {ord(piece.code): None for piece in after.game.pieces if piece.shape == "marker"}
    meant = [name for name, old, new in changed if new != old.translate(markers)]
    return meant or [name for name, *_ in changed]
