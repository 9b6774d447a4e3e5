"""What is said about plies: forms that come again and again, and the numbers that fill them.

Must not know where they are stored. Most comments of bots differ in their numbers only, such as
`{[%emt 0.500] [%eval 0.12]}`: what is left without the numbers is the note's form.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from lath.notation.record import Annotation, Comment, Ply, Variation
from lath.notation.writer import comment_words, variation_words

_DECIMAL: Final = re.compile(r"-?(?:0|[1-9][0-9]{0,11})(?:\.[0-9]{1,4})?", re.ASCII)


class Slot(NamedTuple):
    """Where a number stands: the annotation's name and how many decimals the number has."""

    name: str
    decimals: int

    @property
    def key(self) -> str:
        """Return the name of the slot's numbers, such as `3emt`."""
        return f"{self.decimals}{self.name}"


Part = str | Annotation | Slot

Parts = tuple[tuple[Part, ...], ...]


class Form(NamedTuple):
    """What is said about a ply, without numbers."""

    glyph: str = ""
    comments: Parts = ()
    variations: tuple[Variation, ...] = ()
    number: int = 0
    """The ply's number, if it has variations, for they begin with it; else 0."""


Values = list[tuple[Slot, int]]

NOTHING: Final = Form()


def form_of(ply: Ply, number: int) -> tuple[Form, Values]:
    """Return the form of what is said about the ply of this number, and what fills it."""
    comments, values = parted(ply.comments)
    return Form(ply.glyph, comments, ply.variations, number if ply.variations else 0), values


def parted(comments: Iterable[Comment]) -> tuple[Parts, Values]:
    """Return comments with slots in place of numbers, and the numbers."""
    values: Values = []
    return tuple([_with_slots(comment, values) for comment in comments]), values


def _with_slots(comment: Comment, values: Values) -> tuple[Part, ...]:
    parts: list[Part] = []
    for part in comment:
        filled = None if isinstance(part, str) else _read(part.name, part.value)
        if filled is None:
            parts.append(part)
        else:
            values.append(filled)
            parts.append(filled[0])
    return tuple(parts)


@lru_cache(maxsize=65536)
def _read(name: str, value: str) -> tuple[Slot, int] | None:
    """Return slot and number of an annotation that is written as numbers are; else None."""
    if not _DECIMAL.fullmatch(value):
        return None
    digits = value.replace(".", "")
    if digits.startswith("-") and not int(digits):
        return None  # -0.00 would come back without its sign
    decimals = len(value) - value.index(".") - 1 if "." in value else 0
    return Slot(name, decimals), int(digits)


Written = list[str | list[str]]
"""A form as movetext; a list of one text is the key of the number that stands there."""


def written(form: Form, keeps: Callable[[Annotation | Slot], bool]) -> Written:
    """Return what stands behind the move, glyph first, with those annotations that `keeps` wants.

    Words have single blanks between; a line end is a word of its own.
    """
    comments = [_kept(comment, keeps) for comment in form.comments]
    words = [word for comment in comments for word in comment_words(comment)]
    words += [word for line in form.variations for word in variation_words(line, form.number)]
    text = form.glyph + "".join(f" {word}" for word in words)
    slots = [part for comment in form.comments for part in comment if isinstance(part, Slot)]
    return list(_cut(text, [slot.key for slot in slots if keeps(slot)]))


_HOLE: Final = "\x00"
"""Stands for a number; a text that has one of its own keeps it, for only slots are cut out."""


def _kept(comment: tuple[Part, ...], keeps: Callable[[Annotation | Slot], bool]) -> Comment:
    kept = (part for part in comment if isinstance(part, str) or keeps(part))
    return tuple(Annotation(part.name, _HOLE) if isinstance(part, Slot) else part for part in kept)


def _cut(text: str, keys: list[str]) -> Iterator[str | list[str]]:
    for key in keys:
        hole = f"[%{key.lstrip('0123456789')} {_HOLE}]"
        before, _, text = text.partition(hole)
        yield before + hole[:-2]
        yield [key]
        text = f"]{text}"
    yield text
