"""Numbers as the words of a page: points, percentages, Elo, seconds, counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from lath.reports.counting.figures import part_of

DASH: Final = "\N{EN DASH}"

MINUS: Final = "\N{MINUS SIGN}"

THIN: Final = "\N{NO-BREAK SPACE}"


def points(value: float) -> str:
    """Return points with a fraction sign for half points.

    >>> points(3.5), points(0.5), points(12.0), points(1200)
    ('3½', '½', '12', '1,200')
    """
    whole, half = divmod(round(value * 2), 2)
    return f"{'' if half and not whole else f'{whole:,}'}{'½' if half else ''}"


def percent(rate: float | None, digits: int = 1) -> str:
    """Return a rate as a percentage; a dash without a value. Default: one decimal.

    >>> percent(0.875), percent(None)
    ('87.5%', '–')
    """
    return DASH if rate is None else f"{100 * rate:.{digits}f}%"


def of_hundred(value: float | None) -> str:
    """Return a number of per cent with one decimal; a dash without a value.

    >>> of_hundred(87.46), of_hundred(None)
    ('87.5', '–')
    """
    return DASH if value is None else f"{value:.1f}"


def likely(rate: float | None) -> str:
    """Return a likelihood as a percentage, which is never shown as 0 or 100.

    >>> likely(0.87).split(), likely(0.99999).split(), likely(0.0).split()
    (['87.0%'], ['over', '99.9%'], ['under', '0.1%'])
    """
    if rate is not None and rate > 0.999:
        return f"over{THIN}99.9%"
    if rate is not None and rate < 0.001:
        return f"under{THIN}0.1%"
    return percent(rate)


def signed(value: float) -> str:
    """Return a whole number with its sign.

    >>> signed(12.4), signed(-3.0).isascii(), signed(-0.2)
    ('+12', False, '0')
    """
    whole = round(value)
    return f"{whole:+d}".replace("-", MINUS) if whole else "0"


def capitalised(heading: str) -> str:
    """Return a heading with a capital first letter.

    >>> capitalised("rank +/-"), capitalised("Elo")
    ('Rank +/-', 'Elo')
    """
    return heading[:1].upper() + heading[1:]


def elo_number(value: float, mean: float = 0.0) -> str:
    """Return a whole number of Elo points, with a sign if the mean is 0.

    >>> elo_number(70.2), elo_number(1650.4, 1600.0)
    ('+70', '1650')
    """
    return f"{round(value)}".replace("-", MINUS) if mean else signed(value)


def elo_words(elo: Mapping[str, Any]) -> str:
    """Return an Elo with half of its 95% interval, or a bound if one end is unknown.

    >>> elo_words({"value": 70.0, "low": 31.0, "high": 109.0})
    '+70 ±39'
    >>> elo_words({"value": 792.0, "low": 277.4, "high": None})
    'at least +277'
    """
    low, high, mean = elo["low"], elo["high"], elo.get("mean", 0.0)
    if low is None and high is None:
        return "unknown"
    if high is None:
        return f"at least {elo_number(low, mean)}"
    if low is None:
        return f"at most {elo_number(high, mean)}"
    return f"{elo_number(elo['value'], mean)} ±{round((high - low) / 2)}"


def decimals(value: float, digits: int = 2) -> str:
    """Return a number with this many decimals and a real minus sign."""
    return f"{value:.{digits}f}".replace("-", MINUS)


def seconds(value: float) -> str:
    """Return a time with the unit that is easiest to read.

    >>> [seconds(s).replace(THIN, " ") for s in (0.0002, 0.117, 2.5, 90, 5400)]
    ['< 1 ms', '117 ms', '2.50 s', '1.5 min', '1.5 h']
    """
    if value < 0.001:
        return f"<{THIN}1{THIN}ms"
    if value < 1:
        return f"{value * 1000:.0f}{THIN}ms"
    if value < 60:
        return f"{value:.2f}{THIN}s"
    return f"{value / 60:.1f}{THIN}min" if value < 3600 else f"{value / 3600:.1f}{THIN}h"


def count(number: int, word: str, words: str = "") -> str:
    """Return a number and its noun.

    >>> count(1, "game"), count(1200, "game"), count(2, "loss", "losses")
    ('1 game', '1,200 games', '2 losses')
    """
    return f"{number:,} {word if number == 1 else words or f'{word}s'}"


def of_which(used: int, games: int) -> str:
    """Return how many of the games a figure covers, after a comma; empty if it covers all.

    >>> of_which(5, 7), of_which(7, 7)
    (', 5 of 7 games', '')
    """
    words = part_of(used, games)
    return f", {words}" if words else ""


def grouped(number: int) -> str:
    """Return a whole number with separated thousands."""
    return f"{number:,}"


def about(value: float | None) -> str:
    """Return a large number with three digits; a dash without a value.

    >>> [about(value).replace(THIN, " ") for value in (None, 0.5, 812, 47_327, 999_700)]
    ['–', '0.5', '812', '47.3 k', '1 M']
    """
    if value is None:
        return DASH
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= 0.9995 * size:  # rounds to at least the size
            return f"{value / size:.3g}{THIN}{unit}"
    return f"{value:.3g}"


def shortened(name: str) -> str:
    """Return a name, shortened to fit small spaces.

    >>> shortened("ann"), len(shortened("x" * 500))
    ('ann', 26)
    """
    return name if len(name) <= 26 else f"{name[:25].rstrip()}…"


def memory(size: int) -> str:
    """Return an amount of memory in GiB; a dash if it is unknown.

    >>> memory(8_232_300_544).split(), memory(0)
    (['7.7', 'GiB'], '–')
    """
    return f"{size / (1 << 30):.1f}{THIN}GiB" if size else DASH
