"""The numbers by which a page, its links and its lists call the games.

Must not know what is said of them. A game that ends late in a tournament of several games at a
time comes between others, so that places shift: the tag Number, which the arena gives to each game
once and for all, does not. Where not every record has one of its own, places must do.
"""

from __future__ import annotations

import re
from array import array
from functools import cached_property
from typing import Any, Final

from lath.notation.record import Record

_TAG: Final = re.compile(r"[1-9][0-9]{0,8}", re.ASCII)

_LINKS: Final = ("number", "example")
"""The fields of the data that name a game by its number."""


class Numbering:
    """Takes records one by one, then knows their numbers; places are from 1."""

    def __init__(self) -> None:
        self._tags = array("L")
        self._all_have_one = True

    def add(self, record: Record) -> None:
        """Add the next record."""
        if self._all_have_one and _TAG.fullmatch(tag := record.tag("Number")):
            self._tags.append(int(tag))
        else:
            self._all_have_one, self._tags = False, array("L")

    @cached_property
    def by_tag(self) -> bool:
        """Return whether the numbers are those of the tags, and others than the places.

        Asked for once all records are there.
        """
        count = len(self._tags)
        is_by_place = all(place == tag for place, tag in enumerate(self._tags, 1))
        return self._all_have_one and not is_by_place and len(set(self._tags)) == count

    def number(self, place: int) -> int:
        """Return the number of the game at a place."""
        return self._tags[place - 1] if self.by_tag else place

    def bounds(self, first: int, games: int) -> list[int]:
        """Return the lowest and the highest number of so many games (at least one) in a row."""
        tags = self._tags[first - 1 : first - 1 + games]
        return [min(tags), max(tags)] if self.by_tag else [first, first + games - 1]

    def linked(self, told: Any) -> Any:
        """Return a part of the data with numbers where it has places to link to."""
        if isinstance(told, list):
            return [self.linked(inner) for inner in told]
        if not isinstance(told, dict):
            return told
        return {
            key: self.number(inner) if key in _LINKS else self.linked(inner)
            for key, inner in told.items()
        }
