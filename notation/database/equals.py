"""Which of equal games a database keeps: the one of which more is said, and what is lost by that.

Games are equal where their tags, main line and result are, whoever has annotated them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import Final

from lath.notation.archive.archive import SIZE
from lath.notation.record.record import Comment, Ply
from lath.notation.record.tags import ANALYSIS
from lath.notation.text.scanner import parse

_OF_ANNOTATIONS: Final = frozenset({"Annotator", ANALYSIS})
"""Tags that tell of what is said of a game, not of the game."""


def identity(tags: Iterable[tuple[str, str]], moves: Sequence[str], result: str) -> bytes:
    """Return 16 bytes that equal games have in common."""
    named = [f"{name} {value}" for name, value in tags if name not in _OF_ANNOTATIONS]
    text = "\n".join([*named, " ".join(moves), result])
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=SIZE).digest()


Said = Counter[tuple[object, ...]]
"""What is said of the plies of a game, each thing with where it stands."""


def said_in(movetext: str | None) -> Said:
    """Return what a movetext says besides its main line; nothing where there is none.

    >>> said_in("1. e5! {[%eval 0.5] fine} 2. d4 (2. c3)").total(), said_in(None).total()
    (4, 0)
    """
    if movetext is None:
        return Counter()
    record = parse(f'[Game "any"]\n\n{movetext}\n*\n')
    return Counter([*_of_comments((), record.comments), *_of_line((), record.plies)])


def _of_line(before: tuple[object, ...], plies: Sequence[Ply]) -> Iterator[tuple[object, ...]]:
    for number, ply in enumerate(plies):
        place = (*before, number)
        yield from _of_comments(place, ply.comments)
        if ply.glyph:
            yield (*place, "glyph", ply.glyph)
        for variation in ply.variations:
            line = (*place, *(each.move for each in variation.plies))
            yield from ((*line, "ply", at) for at in range(len(variation.plies)))
            yield from _of_comments((*line, "before"), variation.comments)
            yield from _of_line(line, variation.plies)


def _of_comments(
    place: tuple[object, ...], comments: Iterable[Comment]
) -> Iterator[tuple[object, ...]]:
    return ((*place, part) for comment in comments for part in comment)
