"""Tests of texts, such as `first = ann`, `date > 2026-11` and `round in 3..5`.

Every test fails for an empty text, so a missing tag never passes.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Collection, Sequence
from decimal import Decimal
from operator import eq, ge, gt, le, lt
from typing import TYPE_CHECKING, Final

from lath.games.core import RESULTS
from lath.notation.query.errors import WrongValueError
from lath.notation.record.errors import listed
from lath.notation.record.tags import Termination, is_date

if TYPE_CHECKING:
    from lark.lexer import Token

TextTest = Callable[[str], bool]
"""A function that tests a text; an empty text never passes."""


def text_test(subject: Token, sign: str, values: Sequence[Token]) -> TextTest:
    """Return the test whether a text compares so with one of the values; only `=` allows several.

    Raises WrongValueError for a value that no record can have.
    """
    texts = list(map(str, values))
    compared = dated if subject == "date" else ordered
    if sign == "~":
        return like(texts[0])
    if values[0].type == "RANGE":
        low, high = _ends(subject, values[0])
        from_low, to_high = compared(">=", low), compared("<=", high)
        return lambda text: from_low(text) and to_high(text)
    for value in values:
        _require_allowed(subject, value)
    if subject.type == "NAME":
        return (frozenset(texts) - {""}).__contains__
    tests = [compared(sign, text) for text in texts]
    return tests[0] if len(tests) == 1 else lambda text: any(test(text) for test in tests)


def _ends(subject: Token, value: Token) -> list[str]:
    """Return the ends of a range such as 3..5."""
    low, high = ends = value.split("..")
    least, most = map(number, ends)
    if subject == "date":
        for end in ends:
            _require_allowed(subject, value.update(value=end))
        length = min(map(len, ends))
        is_empty = low[:length] > high[:length]
    elif (least is None) is not (most is None):
        raise WrongValueError(value, f"{str(value)!r} has only one number", "two, or none")
    else:
        is_empty = low > high if least is None or most is None else least > most
    if is_empty:
        raise range_error(value)
    return ends


def range_error(value: Token) -> WrongValueError:
    """Return the error of a range that contains nothing."""
    low, high = value.split("..")
    return WrongValueError(value, "the range ends before it begins", f"{high}..{low}")


def _require_allowed(subject: Token, value: Token) -> None:
    """Raise WrongValueError for a value that no record can have, because it would find nothing."""
    if subject in _ALLOWED:
        allowed, expected = _ALLOWED[subject]
        if not allowed.fullmatch(value):
            raise WrongValueError(value, f"{str(value)!r} is not a {subject}", expected)
    if subject == "date":
        _require_day(value)


def _require_day(value: Token) -> None:
    """Raise WrongValueError for a date that does not exist; it may lack the day or month."""
    year, month, day = (*map(int, value.split("-")), 1, 1)[:3]
    if not 1 <= month <= 12:
        raise WrongValueError(value, f"month {value[5:7]} does not exist", "01 to 12")
    days = monthrange(year or 4, month)[
        1
    ]  # Python's calendar begins with year 1; year 4 has a 29 February
    if not 1 <= day <= days:
        raise WrongValueError(value, f"{value[:7]} has no day {value[8:]}", f"01 to {days}")


def _one_of(words: Collection[str]) -> tuple[re.Pattern[str], str]:
    return re.compile("|".join(map(re.escape, words))), listed(words, "or")


_ALLOWED: Final = {
    "result": _one_of(RESULTS),
    "termination": _one_of([word.value for word in Termination]),
    "date": (re.compile(r"[0-9]{4}(?:-[0-9]{2}){0,2}"), "the form 2026-11-20, 2026-11 or 2026"),
}
"""The form of possible values for some fields, with words for messages."""


SIGNS: Final = {"=": eq, "<": lt, "<=": le, ">": gt, ">=": ge}


def ordered(order: str, value: str) -> TextTest:
    """Return the test whether a text compares so with a value, as numbers or alphabetically.

    >>> ordered("<", "10")("9"), ordered("<", "10")("nine"), ordered("<", "b")("9")
    (True, False, True)
    >>> ordered("=", "3")("03")
    True
    """
    compare = SIGNS[order]
    if (bound := number(value)) is None:
        return lambda text: text != "" and compare(text, value)

    def test(text: str) -> bool:
        found = number(text)
        return found is not None and compare(found, bound)

    return test


_NUMBER: Final = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?")


def number(text: str) -> Decimal | None:
    """Return the exact number of a text, or None.

    >>> number("-0.50"), number("1e5"), number("nan")
    (Decimal('-0.50'), None, None)
    """
    return Decimal(text) if _NUMBER.fullmatch(text) else None


def like(pattern: str) -> TextTest:
    """Return the test whether a whole text matches a pattern, ignoring case.

    `*` is any text and `?` any one character. Each part between stars is matched at its first place
    from the left, which is sufficient and makes every pattern fast.

    >>> like("gre*y?")("GREEDY2"), like("greed")("greedy")
    (True, False)
    """
    first, *others = (re.escape(part).replace(r"\?", ".") for part in pattern.split("*"))
    if others:
        *middle, last = others
        first += "".join(f"(?>.*?{part})" for part in middle) + f".*{last}"
    compiled = re.compile(first, re.IGNORECASE | re.DOTALL)
    return lambda text: text != "" and compiled.fullmatch(text) is not None


def dated(order: str, date: str) -> TextTest:
    """Return the test whether a text is a date that compares so with a date, which may be partial.

    >>> dated("=", "2026-11")("2026-11-20"), dated(">", "2026-11")("2026-11-20")
    (True, False)
    >>> dated(">", "2026-11-20")("2026-12-??"), dated(">", "2026-11-20")("2026-11-??")
    (True, False)
    """
    compare: Callable[[str, str], bool] = SIGNS[order]
    places = len(date)

    def stands_so(text: str) -> bool:
        if not is_date(text):
            return False
        said = text[:places]
        known = said.partition("?")[0]  # the parts after a `?` are unknown
        if known == said:
            return compare(said, date)
        return known != date[: len(known)] and compare(known, date[: len(known)])

    return stands_so
