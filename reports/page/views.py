"""The document's numbers as the words that the page's tables have.

Must not know HTML, nor where the numbers come from.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

HEATS: Final = 9
"""Colours of the crosstable: 0 for a score rate of 0, 8 for 1, 4 for one half."""

DASH: Final = "\N{EN DASH}"

MINUS: Final = "\N{MINUS SIGN}"

THIN: Final = "\N{NO-BREAK SPACE}"

SHEET: Final = "By the rules of the tournament's format."
"""What stands above a result's table that has no title."""

LONGEST_NAME: Final = 26
"""Letters of a name where there is little room."""


def points(value: float) -> str:
    """Return points as people write them.

    >>> points(3.5), points(0.5), points(12.0), points(1200)
    ('3½', '½', '12', '1,200')
    """
    whole, half = divmod(round(value * 2), 2)
    return f"{'' if half and not whole else f'{whole:,}'}{'½' if half else ''}"


def percent(rate: float | None) -> str:
    """Return a rate as a percentage with one decimal; a dash where there is none.

    >>> percent(0.875).split(), percent(None)
    (['87.5', '%'], '–')
    """
    return DASH if rate is None else f"{100 * rate:.1f}{THIN}%"


def likely(rate: float | None) -> str:
    """Return a likelihood as a percentage that never says what is sure.

    >>> likely(0.87).split(), likely(0.99999).split(), likely(0.0).split()
    (['87.0', '%'], ['over', '99.9', '%'], ['under', '0.1', '%'])
    """
    if rate is not None and rate > 0.999:
        return f"over{THIN}99.9{THIN}%"
    if rate is not None and rate < 0.001:
        return f"under{THIN}0.1{THIN}%"
    return percent(rate)


def signed(value: float) -> str:
    """Return a whole number with its sign.

    >>> signed(12.4), signed(-3.0).isascii(), signed(-0.2)
    ('+12', False, '0')
    """
    whole = round(value)
    return f"{whole:+d}".replace("-", MINUS) if whole else "0"


def decimals(value: float, digits: int = 2) -> str:
    """Return a number with so many decimals and a real minus sign."""
    return f"{value:.{digits}f}".replace("-", MINUS)


def seconds(value: float) -> str:
    """Return a time in the unit that makes it easiest to read; records have milliseconds.

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
    return f"{number:,}{THIN}{word if number == 1 else words or f'{word}s'}".replace(THIN, " ")


def grouped(number: int) -> str:
    """Return a whole number with its thousands apart."""
    return f"{number:,}"


def shortened(name: str) -> str:
    """Return a name for where there is little room.

    >>> shortened("ann"), len(shortened("x" * 500))
    ('ann', 26)
    """
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1].rstrip()}…"


def heat(rate: float) -> int:
    """Return the colour of a score rate, 0..HEATS - 1.

    >>> heat(0.0), heat(0.5), heat(1.0)
    (0, 4, 8)
    """
    return round(rate * (HEATS - 1))


def games_of(score: Mapping[str, int]) -> int:
    """Return the games of a score, which has `wins`, `draws` and `losses`."""
    return score["wins"] + score["draws"] + score["losses"]


def points_of(score: Mapping[str, int]) -> float:
    """Return its points."""
    return score["wins"] + score["draws"] / 2


def rate_of(score: Mapping[str, int]) -> float | None:
    """Return its points per game in 0..1; None without games."""
    games = games_of(score)
    return points_of(score) / games if games else None


def won_drawn_lost(score: Mapping[str, int]) -> str:
    """Return a score in three numbers.

    >>> won_drawn_lost({"wins": 3, "draws": 0, "losses": 12})
    '3–0–12'
    """
    return DASH.join(f"{score[word]:,}" for word in ("wins", "draws", "losses"))


def total(scores: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """Return what scores come to together."""
    listed = list(scores)
    return {word: sum(score[word] for score in listed) for word in ("wins", "draws", "losses")}


def forfeits(lost_by: Mapping[str, int]) -> str:
    """Return how a bot lost otherwise than on the board; a dash if it never did."""
    return ", ".join(f"{games}{THIN}{word}" for word, games in lost_by.items() if games) or DASH


def some(lost_by: Mapping[str, int]) -> bool:
    """Return whether a bot ever lost otherwise than on the board."""
    return any(lost_by.values())


def forfeited(rows: Iterable[Mapping[str, Any]]) -> int:
    """Return how many games all of them together lost in such a way."""
    return sum(sum(row["lost_by"].values()) for row in rows)


def ranks(rows: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Return the rank of each bot by its name."""
    return {row["name"]: row["rank"] for row in rows}


def titles(games: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Return the title of each game by its id."""
    return {line["game"]: line["title"] for line in games}


def games_a_cell(crosstable: Iterable[Iterable[Mapping[str, Any]]]) -> int:
    """Return how often bots that met did so; 0 where some met more often than others."""
    met = {cell["games"] for row in crosstable for cell in row if cell["games"]}
    return met.pop() if len(met) == 1 else 0


def sheets(outcome: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the tables of a result, without columns that are empty in all their rows.

    `heads` is the column, from 0, whose cells say what a row is of.
    """
    return [_sheet(sheet) for sheet in outcome["sheets"]]


def _sheet(sheet: Mapping[str, Any]) -> dict[str, Any]:
    told, rows = sheet["columns"], sheet["rows"]
    filled = [at for at, _ in enumerate(told) if any(row[at] for row in rows)]
    columns = [told[at] for at in filled]
    names = (at for at, column in enumerate(columns) if column["kind"] == "name")
    return {
        "caption": sheet["title"] or SHEET,
        "columns": columns,
        "heads": next(names, 0),
        "rows": [[row[at] for at in filled] for row in rows],
    }


def left_out(standings: Mapping[str, Any]) -> str:
    """Return in a sentence which records do not count; empty if all do."""
    reasons = standings["left_out"]
    if not reasons:
        return ""
    told = ", ".join(f"{number} {word}" for word, number in reasons.items())
    only = standings["unranked"]
    named = f" Only there: {', '.join(only)}." if only else ""
    return f"Not counted: {count(sum(reasons.values()), 'record')} ({told}).{named}"


def dates(told: Mapping[str, Any]) -> str:
    """Return the first and the last date of the records; empty if none has one."""
    return f" {DASH} ".join(dict.fromkeys(filter(None, (told["first"], told["last"]))))


def listed(words: Sequence[str], most: int = 3) -> str:
    """Return the first words and how many more there are.

    >>> listed(["a", "b"]), listed(["a", "b", "c", "d", "e"])
    ('a · b', 'a · b · c and 2 more')
    """
    rest = len(words) - most
    return " · ".join(words[:most]) + (f" and {rest} more" if rest > 0 else "")
