"""The tags of a record: which there are, their order, dates, numbers and endings."""

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
"""The tags that have a meaning, in the order in which the arena writes them."""


def date_of(text: str) -> dt.date | None:
    """Return the day that `2026-11-20` is; None for another text, `20261120` and `?` too."""
    with suppress(ValueError):
        date = dt.date.fromisoformat(text)
        return date if date.isoformat() == text else None
    return None


_DATE: Final = re.compile(r"([0-9]{4}|\?{4})-([0-9]{2}|\?\?)-([0-9]{2}|\?\?)")


def is_date(text: str) -> bool:
    """Return whether a text is a day, or one of which not all is known, as in old archives.

    >>> is_date("2026-11-20"), is_date("2026-11-??"), is_date("2026-11"), is_date("2026-13-??")
    (True, True, False, False)
    """
    if (found := _DATE.fullmatch(text)) is None:
        return False
    year, month, day = (part if part[0] != "?" else "" for part in found.groups())
    # a year of 366 days and a month of 31, where they are not known
    return date_of(f"{year or '2000'}-{month or '01'}-{day or '01'}") is not None


_NUMBER: Final = re.compile(r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")


def number_of(text: str) -> float | None:
    """Return the finite number that `0.5` is; None for another text.

    Its digits are 0 to 9: `1_0`, `inf` and digits of other scripts are none, though Python reads
    them.
    """
    return (_number_of if len(text) <= KEPT_TEXTS else _number_of.__wrapped__)(text)


@lru_cache(maxsize=1 << 14)
def _number_of(text: str) -> float | None:
    number = float(text) if _NUMBER.fullmatch(text) else inf
    return number if isfinite(number) else None


RULES: Final = "Rules"
"""The tag of the version of the rules that a game was played by; without it that is the first."""

RULING: Final = "Ruling"
"""The tag of a record that counts for nothing by an organiser's ruling: what it is, and why."""

SEASON: Final = "Season"

MATCH_DAY: Final = "MatchDay"
"""The tags of a record of a league: of which season the game is, and of which match day, from 1."""

ANALYSIS: Final = "Analysis"
"""The tag of a record that was analysed: by whom, by which limit."""

BY: Final = "by"
"""The annotation by which an analysis knows its own marks and variations."""

SAID: Final = "said"
"""What the player itself had said in `eval`, where an analysis has put its own there."""

TUNING: Final = "Tuning"
"""The tag of a record of a game by which options were tuned: its bots are trials."""

FIRST_OPTIONS: Final = "FirstOptions"

SECOND_OPTIONS: Final = "SecondOptions"
"""The tags of a record with options that a bot had in this pair of games alone."""

GAME_FILE: Final = "GameFile"
"""The tag of a record whose game is from a file: `games.origin(game_id).tag`, its name and hash."""

UNKNOWN_GAME: Final = "?"
"""The tag Game of a result of which nothing says at what it was played."""

MOVES: Final = "Moves"
"""The tag of a record of a result alone: why it has no moves, one of these."""

WRITTEN_TAGS: Final = (
    *KNOWN_TAGS,
    *("Number", "FirstTimeControl", "SecondTimeControl", FIRST_OPTIONS, SECOND_OPTIONS),
    *(RULES, RULING, ANALYSIS, TUNING, GAME_FILE, MOVES, "CopyOf"),
)
"""All tags that the arena writes, those without a meaning of their own among them."""

NOT_RECORDED: Final = "not recorded"

NOT_READ: Final = "not read"


class Termination(StrEnum):
    """Why a game ended: the values of the tag `Termination`."""

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
"""Endings by which a game is lost otherwise than on the board."""


def place_of(name: str, tags: Sequence[str]) -> int:
    """Return where a new tag comes among others: where the arena writes it, or last.

    >>> place_of("First", ["Game", "Date", "Result"]), place_of("Mood", ["Game", "Result"])
    (2, 2)
    """
    if name not in KNOWN_TAGS:
        return len(tags)
    later = KNOWN_TAGS[KNOWN_TAGS.index(name) + 1 :]
    return next((place for place, known in enumerate(tags) if known in later), len(tags))


KEPT_TEXTS: Final = 32
"""Letters of an annotation that may be kept: of most that bots write."""
