"""The changes of moves on a board: the cells that they change, and the pieces that come and go."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from lath.games.capabilities import extras_of
from lath.games.core import CELL_NAME, Move, Position, plain_move


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


MOST_WORDED: Final = 8
"""The most moves for which words are offered although cells stand for them, too."""

MOST_TOLD: Final = 4
"""The most cells in the words about one move."""


def worded(position: Position) -> dict[Move, str]:
    """Return what each legal move that cannot be pointed at does, such as `makes e5 a black stone`.

    Such a move does not name a cell. It changes no cell, as a pass, or replaces pieces, as a swap,
    or places a piece where another move places such a piece.
    """
    cells = set(position.game.board.names)
    moves = position.legal_moves()
    nameless = [move for move in moves if cells.isdisjoint(CELL_NAME.findall(plain_move(move)))]
    if not nameless:
        return {}
    before = position.contents()
    after = {move: position.play(move) for move in nameless}
    placed = {move: placement(before, after[move].contents()) for move in nameless}
    taken = set[tuple[int, str]]()
    if any(placed.values()):
        others = (position.play(move).contents() for move in moves if move not in after)
        taken = {put for one in others if (put := placement(before, one))}
    quiet = [move for move in nameless if after[move].contents() == before]
    found: list[Move] = []
    for move in nameless:
        pairs = zip(before, after[move].contents(), strict=True)
        only_takes = all(without(old, new) for old, new in pairs if old != new)
        if move in quiet or placed[move] in taken or not (placed[move] or only_takes):
            found.append(move)
    if len(found) > MOST_WORDED:
        found = quiet
    return {move: _told(position, after[move]) for move in found}


def _told(before: Position, after: Position) -> str:
    """Return what differs between two positions, as words after the name of a move."""
    names = {piece.code: piece.name for piece in before.game.pieces}
    triples = zip(before.game.board.names, before.contents(), after.contents(), strict=True)
    cells = [f"{cell} {_one(names, new)}" for cell, old, new in triples if old != new]
    if len(cells) > MOST_TOLD:
        cells[MOST_TOLD - 1 :] = [f"changes {len(cells) - MOST_TOLD + 1} more cells"]
    extras = extras_of(before)
    facts = [f"{name} {value}" for name, value in extras_of(after).items() if value != extras[name]]
    parts = [f"makes {', '.join(cells)}"] if cells else []
    parts += [f"sets {', '.join(facts)}"] if facts else []
    return " and ".join(parts) or "changes nothing on the board"


def _one(names: Mapping[str, str], content: str) -> str:
    if not content:
        return "empty"
    name = names.get(content[-1], content[-1])
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"


def changed_cells(before: Position, after: Position) -> list[str]:
    """Return the names of the cells that differ between two positions of one game.

    A cell that only lost a marker is left out if other cells differ, as on the report's boards.
    """
    triples = zip(after.game.board.names, before.contents(), after.contents(), strict=True)
    changed = [(name, old, new) for name, old, new in triples if old != new]
    markers = {ord(piece.code): None for piece in after.game.pieces if piece.shape == "marker"}
    meant = [name for name, old, new in changed if new != old.translate(markers)]
    return meant or [name for name, *_ in changed]
