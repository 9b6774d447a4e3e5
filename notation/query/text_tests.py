"""Questions about a text, such as a tag's value: equal, like a pattern, before or after.

Must not know records. An empty text stands for a tag that is missing, and passes none of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from decimal import Decimal
from operator import eq, ge, gt, le, lt
from typing import Any, Final

TextTest = Callable[[str], bool]
"""Says whether a text passes."""

ORDERS: Final[dict[str, Callable[[Any, Any], bool]]] = {"<": lt, "<=": le, ">": gt, ">=": ge}


def equals(values: Collection[str], *, as_numbers: bool) -> TextTest:
    """Return whether a text is one of the values, with numbers also whether it is the same number.

    >>> equals(["3", "final"], as_numbers=True)("03")
    True
    """
    numbers = {number(value) for value in values} - {None} if as_numbers else set()
    wanted = frozenset(values) - {""}
    if not numbers:
        return wanted.__contains__
    return lambda text: text in wanted or number(text) in numbers


def ordered(order: str, value: str) -> TextTest:
    """Return whether a text stands so to the value: as numbers if that is one, else by letters.

    >>> ordered("<", "10")("9"), ordered("<", "10")("nine"), ordered("<", "b")("9")
    (True, False, True)
    """
    compare = ORDERS[order]
    bound = number(value)
    if bound is None:
        return lambda text: text != "" and compare(text, value)

    def test(text: str) -> bool:
        found = number(text)
        return found is not None and compare(found, bound)

    return test


_NUMBER: Final = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?")


def number(text: str) -> Decimal | None:
    """Return the exact number that a text is; None where it is none.

    >>> number("-0.50"), number("1e5"), number("nan")
    (Decimal('-0.50'), None, None)
    """
    return Decimal(text) if _NUMBER.fullmatch(text) else None


def like(pattern: str) -> TextTest:
    """Return whether the whole of a text is like the pattern, no matter the case.

    In it `*` is any text and `?` any one letter. What stands between stars is looked for from the
    left and kept where it is found first, which is enough, so that no pattern is slow.

    >>> like("gre*y?")("GREEDY2"), like("greed")("greedy")
    (True, False)
    """
    first, *others = (re.escape(part).replace(r"\?", ".") for part in pattern.split("*"))
    if others:
        *middle, last = others
        first += "".join(f"(?>.*?{part})" for part in middle) + f".*{last}"
    compiled = re.compile(first, re.IGNORECASE | re.DOTALL)
    return lambda text: text != "" and compiled.fullmatch(text) is not None


_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def dated(dates: Collection[str], order: str = "=") -> TextTest:
    """Return whether a text is a date that stands so to one of the dates, as far as that goes.

    >>> dated(["2026-11"])("2026-11-20"), dated(["2026-11"], ">")("2026-11-20")
    (True, False)
    """
    compare: Callable[[str, str], bool] = ORDERS.get(order, eq)

    def test(text: str) -> bool:
        if _DATE.fullmatch(text) is None:
            return False
        return any(compare(text[: len(date)], date) for date in dates)

    return test
