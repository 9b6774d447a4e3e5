"""The choice among equal games in a database: the one with most annotations is kept.

Games are equal if their tags, main line and result are equal, whatever their annotations.
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
"""Tags about the annotations of a game, not about the game."""


def identity(tags: Iterable[tuple[str, str]], moves: Sequence[str], result: str) -> bytes:
    """Return 16 bytes that are equal for equal games."""
    named = [f"{name} {value}" for name, value in tags if name not in _OF_ANNOTATIONS]
    text = "\n".join([*named, " ".join(moves), result])
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=SIZE).digest()


Said = Counter[tuple[object, ...]]
"""The annotations of the plies of a game, each with its place."""


def said_in(movetext: str | None) -> Said:
    """Return the annotations in a movetext; empty if it is None.

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
