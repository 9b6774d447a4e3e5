"""The tags of a record: their names and order, and the values of dates, numbers and endings."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from contextlib import suppress
from enum import StrEnum
from functools import lru_cache
from math import inf, isfinite
from typing import Final

KNOWN_TAGS: Final = (
    *("Game", "Event", "Site", "Date", "Round", "First", "Second"),
    *("Setup", "Position", "TimeControl", "Opening", "Seed"),
    *("Annotator", "Termination", "Result"),
)
"""The tags with a meaning, in the order in which the arena writes them."""


def date_of(text: str) -> dt.date | None:
    """Return the day of a text such as `2026-11-20`; None for others, such as `20261120` or `?`."""
    with suppress(ValueError):
        date = dt.date.fromisoformat(text)
        return date if date.isoformat() == text else None
    return None


_DATE: Final = re.compile(r"([0-9]{4}|\?{4})-([0-9]{2}|\?\?)-([0-9]{2}|\?\?)")


def is_date(text: str) -> bool:
    """Return whether a text is a day, which may be partly unknown, as in old archives.

    >>> is_date("2026-11-20"), is_date("2026-11-??"), is_date("2026-11"), is_date("2026-13-??")
    (True, True, False, False)
    """
    if (found := _DATE.fullmatch(text)) is None:
        return False
    year, month, day = (part if part[0] != "?" else "" for part in found.groups())
    # for unknown parts, a year of 366 days and a month of 31 days
    return date_of(f"{year or '2000'}-{month or '01'}-{day or '01'}") is not None


_CHOSEN: Final = re.compile(r"random:.*|.* #[0-9]+(?:: (.*))?", re.DOTALL)


def opening_name(text: str) -> str:
    """Return the name in a tag `Opening`; empty for random moves and unnamed entries of a book.

    >>> opening_name("Corner"), opening_name("book.lath #3: Corner"), opening_name("book.lath #3")
    ('Corner', 'Corner', '')
    """
    chosen = _CHOSEN.fullmatch(text)
    return text if chosen is None else chosen[1] or ""


_NUMBER: Final = re.compile(r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")


def number_of(text: str) -> float | None:
    """Return the finite number of a text such as `0.5`; None for other texts.

    Only the digits 0 to 9 are accepted. Python also reads `1_0`, `inf` and digits of other scripts.
    """
    return (_number_of if len(text) <= KEPT_TEXTS else _number_of.__wrapped__)(text)


@lru_cache(maxsize=1 << 14)
def _number_of(text: str) -> float | None:
    number = float(text) if _NUMBER.fullmatch(text) else inf
    return number if isfinite(number) else None


RULES: Final = "Rules"
"""The tag with the rules version of the game. Default: the first version."""

RULING: Final = "Ruling"
"""The tag of a game that does not count, by an organiser's ruling: the ruling and its reason."""

SEASON: Final = "Season"

MATCH_DAY: Final = "MatchDay"
"""The tags of a league game: its season, and its match day from 1."""

ANALYSIS: Final = "Analysis"
"""The tag of an analysed record: the analysing bot and its limit."""

BY: Final = "by"
"""The annotation that marks the glyphs and variations of an analysis."""

SAID: Final = "said"
"""The annotation with the player's own `eval`, if an analysis has replaced it."""

TUNING: Final = "Tuning"
"""The tag of a game in which options were tuned: its bots are trials."""

FIRST_OPTIONS: Final = "FirstOptions"

SECOND_OPTIONS: Final = "SecondOptions"
"""The tags with the options that a bot had only in this pair of games."""

GAME_FILE: Final = "GameFile"
"""The tag with the file of the game: `games.origin(game_id).tag`, its name and hash."""

UNKNOWN_GAME: Final = "?"
"""The value of the tag Game if a result does not name its game."""

MOVES: Final = "Moves"
"""The tag of a record without moves, with one of these reasons."""

WRITTEN_TAGS: Final = (
    *KNOWN_TAGS,
    *("Number", "FirstTimeControl", "SecondTimeControl", FIRST_OPTIONS, SECOND_OPTIONS),
    *(RULES, RULING, ANALYSIS, TUNING, GAME_FILE, MOVES, "CopyOf"),
)
"""All tags that the arena writes, including those that readers ignore."""

NOT_RECORDED: Final = "not recorded"

NOT_READ: Final = "not read"


class Termination(StrEnum):
    """The reasons why a game ended: the values of the tag `Termination`."""

    RULES = "rules"
    RESIGNATION = "resignation"
    TIME = "time"
    ILLEGAL_MOVE = "illegal move"
    CRASH = "crash"
    FLOOD = "flood"
    ADJUDICATION = "adjudication"
    AGREEMENT = "agreement"
    PLY_LIMIT = "ply limit"
    VOID = "void"
    UNTERMINATED = "unterminated"


FORFEITS: Final = (
    Termination.CRASH,
    Termination.TIME,
    Termination.ILLEGAL_MOVE,
    Termination.FLOOD,
)
"""The endings by which a player loses off the board."""


def place_of(name: str, tags: Sequence[str]) -> int:
    """Return the place for a new tag: where the arena writes it, or last.

    >>> place_of("First", ["Game", "Date", "Result"]), place_of("Mood", ["Game", "Result"])
    (2, 2)
    """
    if name not in KNOWN_TAGS:
        return len(tags)
    later = KNOWN_TAGS[KNOWN_TAGS.index(name) + 1 :]
    return next((place for place, known in enumerate(tags) if known in later), len(tags))


KEPT_TEXTS: Final = 32
"""The most characters of a cached annotation; most annotations of bots are shorter."""
