"""The limits for texts from outside, shared by all readers of numbers, JSON and TOML.

Numbers of JSON are finite, and whole numbers have 64 bits. Arrays and tables have a limited depth.
Text is Unicode, without half characters (lone surrogates). Other texts are refused with a message.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from itertools import accumulate
from math import isfinite
from typing import Any, Final, NoReturn

from lath.games.errors import LathError

MOST: Final = 2**63 - 1
"""The greatest whole number, of either sign, which every database can store."""

MOST_DIGITS: Final = 19
"""The most digits of a whole number. Python reads at most 4,300, and floats have at most 309."""

MAX_NESTING: Final = 100
"""The deepest nesting of arrays and objects."""

_HALF: Final = re.compile("[\ud800-\udfff]")

_MAY_BE_HALF: Final = re.compile(r"\\u[dD][89a-fA-F]")
"""Half a character, or one of a pair, in the escaped form of JSON."""


class BoundsError(LathError, ValueError):
    """A text exceeds the limits, or does not have the expected form."""

    def __init__(self, message: str, expected: str = "", at: int = 0) -> None:
        super().__init__(f"{message}, expected {expected}" if expected else message)
        self.message = message
        self.expected = expected
        self.at = at
        """The place in characters from the beginning; 0 if it is unknown."""


def half_in(text: str) -> bool:
    r"""Return whether a text has half a character, which cannot be written as Unicode.

    >>> half_in("\ud800"), half_in("é")
    (True, False)
    """
    return not text.isascii() and _HALF.search(text) is not None


def whole_number(text: str, least: int = 0, most: int = MOST) -> int | None:
    """Return the whole number of a text, if it is in the range; or else None.

    >>> whole_number("42"), whole_number("9" * 5000), whole_number("-1"), whole_number("1_0")
    (42, None, None, None)
    """
    found = re.fullmatch(r"(-?)0*([0-9]{1,19})", text)
    number = int(found[1] + found[2]) if found else None
    return number if number is not None and least <= number <= most else None


# JSON


def read_json(text: str | bytes, *, most_nested: int = MAX_NESTING) -> Any:
    """Return the value of a text of JSON. Raises BoundsError, which is a ValueError.

    Duplicate keys in an object are refused. So are NaN and infinities, which JSON does not have.
    """
    if isinstance(text, bytes):
        try:
            text = text.decode()
        except UnicodeDecodeError as error:
            raise BoundsError(f"not JSON: byte {error.start} is not UTF-8") from error
    value, end = value_at(text, len(text) - len(text.lstrip(" \t\r\n")), most_nested=most_nested)
    if rest := text[end:].strip(" \t\r\n"):
        raise BoundsError("not JSON: extra data", "its end", text.index(rest, end))
    return value


def value_at(
    text: str, at: int, *, most_nested: int = MAX_NESTING, is_kept: bool = False
) -> tuple[Any, int]:
    """Return the value of JSON that begins at `at`, and its end. Raises BoundsError.

    With `is_kept`, the value will be written again unchanged, so half characters and whole numbers
    up to the size of a float are accepted.
    """
    too_deep = f"arrays and objects are nested more than {most_nested} deep"
    try:
        value, end = _DECODERS[is_kept].raw_decode(text, at)
    except json.JSONDecodeError as error:
        said = f"{error.msg[:1].lower()}{error.msg[1:]}"
        raise BoundsError(f"not JSON: {said}", "a JSON object", error.pos) from error
    except RecursionError as error:
        raise BoundsError(too_deep, at=at) from error
    except BoundsError as error:
        error.at = at
        raise
    if text.count("[", at, end) + text.count("{", at, end) > most_nested:
        steps = (STEPS.get(match[0], 0) for match in TOKEN.finditer(text, at, end))
        if max(accumulate(steps)) > most_nested:
            raise BoundsError(too_deep, at=at)
    may_have = not is_kept and (_MAY_BE_HALF.search(text, at, end) or half_in(text[at:end]))
    if may_have and _has_half(value):
        raise BoundsError("a text has half a character (a lone surrogate)", "Unicode text", at)
    return value, end


STRING: Final = r'"(?:[^"\\\n]|\\.)*+"?'

TOKEN: Final = re.compile(rf"{STRING}|[{{}}\[\],]")
"""The tokens that determine the depth of JSON: texts, brackets and commas."""

STEPS: Final = {"{": 1, "[": 1, "}": -1, "]": -1}


def _has_half(value: Any) -> bool:
    values = [value]
    while values:
        inner: list[Any] = []
        for one in values:
            if isinstance(one, dict):
                inner += one.keys()
                inner += one.values()
            elif isinstance(one, list):
                inner += one
            elif isinstance(one, str) and half_in(one):
                return True
        values = inner
    return False


def _no_constant(word: str) -> NoReturn:
    raise BoundsError(f"not JSON: {word} is not a number")


def _finite(digits: str) -> float:
    number = float(digits)
    if not isfinite(number):
        raise BoundsError(f"not JSON: the number {digits[:40]} is too large")
    return number


def _whole(digits: str) -> int:
    if len(digits) > MOST_DIGITS + 1 or not -MOST - 1 <= int(digits) <= 2 * MOST + 1:
        raise BoundsError(f"not JSON: the number {digits[:40]} is too large")
    return int(digits)


def _whole_as_float(digits: str) -> int:
    _finite(digits)
    return int(digits)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        (key, _), *_ = Counter(key for key, _ in pairs).most_common(1)
        raise BoundsError(f"the key {key[:40]!r} appears twice in an object", "each key once")
    return found


_DECODERS: Final = [
    json.JSONDecoder(
        object_pairs_hook=_once, parse_constant=_no_constant, parse_float=_finite, parse_int=whole
    )
    for whole in (_whole, _whole_as_float)
]
"""The second decoder is for values with `is_kept`."""


# TOML

MOST_LETTERS: Final = 1 << 20
"""The most characters of a text of TOML; enough for thousands of bots."""

MOST_DEEP: Final = 8
"""The deepest nesting of tables and lists in TOML."""

_MANY_DOTS: Final = re.compile(r"""(?<![\w.-])(?:(?:[\w-]+|"[^"\n]*"|'[^'\n]*')\s*\.\s*){100}""")

_MOST_BITS: Final = 14_000
"""The most bits of a whole number in TOML, because Python writes at most 4,300 digits. Each key has
its own range."""


def read_toml(text: str) -> dict[str, Any]:
    """Return the tables of a text of TOML.

    Raises BoundsError; its message continues after a name.
    """
    import tomllib  # start-up time

    if len(text) > MOST_LETTERS:
        raise BoundsError(f"has {len(text)} characters, expected at most {MOST_LETTERS}")
    if text.startswith("\ufeff"):
        raise BoundsError("begins with a byte order mark: save it as UTF-8 without one")
    too_deep = f"nests tables or lists too deep, expected at most {MOST_DEEP} levels"
    if _MANY_DOTS.search(text):  # reading it would take a minute
        raise BoundsError(too_deep)
    try:
        toml = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BoundsError(f"is not TOML: {error}") from error
    except RecursionError:
        raise BoundsError(too_deep) from None
    except ValueError:  # Python reads at most 4,300 digits
        raise BoundsError("has a number with thousands of digits") from None
    values: list[Any] = [toml]
    for _ in range(MOST_DEEP + 1):
        if any(type(value) is int and value.bit_length() > _MOST_BITS for value in values):
            raise BoundsError("has a number with thousands of digits")
        tables = [value.values() for value in values if isinstance(value, dict)]
        lists = [value for value in values if isinstance(value, list)]
        values = [value for each in (*tables, *lists) for value in each]
    if values:
        raise BoundsError(too_deep)
    return toml
