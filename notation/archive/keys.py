"""What records are ordered and divided by: a tag, the result or the number of plies.

Must not know files. A key's order is bytes that compare as its values should, so that it costs
little to keep, to write to a file and to compare.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final

from lath.notation.errors import NotationError
from lath.notation.record import KNOWN_TAGS, RESULTS, Record

UNKNOWN: Final = "?"
"""A value that says as much as none."""

_TAG: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]*")

_BY_ANY_CASE: Final = {name.casefold(): name for name in (*KNOWN_TAGS, "Number", "Plies")}

# 18 digits fit into 8 bytes; a longer one is no count of anything.
_NUMBERS: Final = re.compile(r"[0-9]{1,18}(\.[0-9]{1,18})*")

_NUMBER, _TEXT, _NOTHING = b"\x01", b"\x02", b"\x03"
"""What an order begins with: numbers come before texts, and what is not known comes last."""


class KeyNameError(NotationError):
    """The name of a key can be no tag's."""


@dataclass(frozen=True, slots=True)
class Key:
    """One thing that records are ordered or divided by; build it by `key`."""

    name: str
    """A tag, or `Plies`."""

    def text(self, record: Record) -> str:
        """Return the record's value; empty where it has none, and for `?`.

        >>> from lath.notation import parse
        >>> record = parse('[Game "yavalath"] [Date "?"] e5 swap 1-0')
        >>> Key("Result").text(record), Key("Plies").text(record), Key("Date").text(record)
        ('1-0', '2', '')
        """
        if self.name == "Plies":
            return str(len(record.moves))
        if self.name == "Result":
            return record.result
        value = record.tag(self.name)
        return "" if value == UNKNOWN else value

    def order(self, record: Record) -> bytes:
        """Return bytes that compare as the values do; none is the beginning of another.

        Numbers, and numbers joined by dots, part by part, come before texts; those go by the
        alphabet without regard to capitals; a missing value comes last. Results are in the order
        of RESULTS: first won, second won, a draw, not finished.
        """
        value = self.text(record)
        if not value:
            return _NOTHING
        if self.name == "Result":
            return _NUMBER + bytes([RESULTS.index(value)])
        if _NUMBERS.fullmatch(value):
            parts = [b"\1" + int(part).to_bytes(8, "big") for part in value.split(".")]
            return _NUMBER + b"".join(parts) + b"\0"
        return _TEXT + _ended(value.casefold()) + _ended(value)


def _ended(text: str) -> bytes:
    """Return the text with an end that no other text goes past."""
    return text.encode("utf-8", "surrogatepass").replace(b"\0", b"\0\xff") + b"\0\0"


def key(name: str) -> Key:
    """Return the key of a name; known tags in any case, others as records write them.

    Raises KeyNameError.

    >>> key("date"), key("Mood")
    (Key(name='Date'), Key(name='Mood'))
    """
    name = name.strip()
    if not _TAG.fullmatch(name):
        expected = "a tag such as Date or Round, result or plies"
        raise KeyNameError(f"{name!r} is nothing that records have; expected {expected}")
    known = _BY_ANY_CASE.get(name.casefold())
    close = None if known else get_close_matches(name.casefold(), _BY_ANY_CASE, n=1, cutoff=0.75)
    if close and name.islower():
        raise KeyNameError(f"{name!r} is no key; did you mean {close[0]}?")
    return Key(known or name)


def keys(names: str) -> tuple[Key, ...]:
    """Return the keys of names with commas between; raises KeyNameError."""
    return tuple(map(key, names.split(",")))


def order_by(keys: Sequence[Key], record: Record) -> bytes:
    """Return bytes that compare as the values of all keys do, the first counting most."""
    return b"".join([key.order(record) for key in keys])
