"""What a move does to a board, in a few words that hold wherever it is played.

Must not know any game: effects are learned from what lies on the cells before and after.

An effect is words with blanks between. With a cell, by its place in `Board.names`, before it:
`7+ok` lays pieces on top, `7-1` takes pieces off the top, `7~tile` takes all pieces of a shape,
`7=Aw` says what lies there. Without a cell it goes for the whole board: `!k` takes every `k` away,
`>wb` turns every `w` into a `b`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final

_WORD: Final = re.compile(r"([0-9]*)([-+~=!>])(.*)", re.DOTALL)

_COSTS: Final = {"+": 10, "~": 15, "!": 16, ">": 16, "-": 20, "=": 40}
"""How unlikely it is that the word is what the rules mean."""

_MARKER_MOVES: Final = 5
"""What is off the cost of taking a marker from wherever it is."""

Shapes = Mapping[str, str]
"""The shape of each piece by its code."""

Word = tuple[int, str, str]
"""A cell (-1: the whole board), what is done, and with what."""


@lru_cache(maxsize=65536)
def words(effect: str) -> tuple[Word, ...]:
    """Return the words of an effect; raises ValueError for what is none."""
    return tuple(_word(text) for text in effect.split(" ") if text)


def _word(text: str) -> Word:
    match = _WORD.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is no effect of a move")
    return int(match[1] or -1), match[2], match[3]


def apply(effect: str, contents: list[str], shapes: Shapes) -> None:
    """Do to `contents`, what lies on each cell, what the effect says."""
    for cell, what, operand in words(effect):
        if what == "+":
            contents[cell] += operand
        elif what == "=":
            contents[cell] = operand
        elif what == "-":
            contents[cell] = contents[cell][: -int(operand)]
        elif what == "~":
            contents[cell] = "".join(c for c in contents[cell] if shapes.get(c) != operand)
        else:
            old, new = operand[0], operand[1:]
            contents[:] = [content.replace(old, new) for content in contents]


def applied(effect: str, before: Sequence[str], shapes: Shapes) -> tuple[str, ...]:
    """Return what lies on each cell after the effect."""
    contents = list(before)
    apply(effect, contents, shapes)
    return tuple(contents)


def explained(before: Sequence[str], after: Sequence[str], shapes: Shapes) -> str:
    """Return the likeliest effect that leads from `before` to `after`; empty if nothing changed."""
    options = (_with_start(start, before, after, shapes) for start in _starts(before, after))
    return min(map(" ".join, options), key=lambda effect: _cost(effect, shapes))


def _cost(effect: str, shapes: Shapes) -> int:
    told = words(effect)
    markers = [word for word in told if word[1] == "!" and shapes.get(word[2]) == "marker"]
    return sum(_COSTS[what] for _, what, _ in told) - _MARKER_MOVES * len(markers)


def _starts(before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield what may have happened to the whole board."""
    pairs = [pair for pair in zip(before, after, strict=True) if pair[0] != pair[1]]
    gone = sorted({code for old, new in pairs for code in old if code not in new})
    come = sorted({code for old, new in pairs for code in new if code not in old})
    yield ()
    yield from ((f"!{code}",) for code in gone)
    if len(gone) > 1:
        yield tuple(f"!{code}" for code in gone)
    yield from ((f">{old}{new}",) for old in gone for new in come)


def _with_start(
    start: tuple[str, ...], before: Sequence[str], after: Sequence[str], shapes: Shapes
) -> tuple[str, ...]:
    reached = applied(" ".join(start), before, shapes)
    cells = enumerate(zip(reached, after, strict=True))
    rest = (f"{i}{_on_cell(old, new, shapes)}" for i, (old, new) in cells if old != new)
    return (*start, *rest)


def _on_cell(old: str, new: str, shapes: Shapes) -> str:
    if new.startswith(old):
        return f"+{new[len(old) :]}"
    for shape in _shapes_in(old, shapes):
        if new == "".join(code for code in old if shapes.get(code) != shape):
            return f"~{shape}"
    return f"-{len(old) - len(new)}" if old.startswith(new) else f"={new}"


def _shapes_in(content: str, shapes: Shapes) -> Iterable[str]:
    return dict.fromkeys(shapes[code] for code in content if code in shapes)
