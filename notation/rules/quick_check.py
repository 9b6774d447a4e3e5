"""A quick test that the text of a record is valid: its whole main line is played at once.

`text.scanner` gives the parts. If the test is not certain, `replay` checks the record move by move
and reports the problem; `reading` combines the two.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from lath.games.core import Outcome, Position, Result, follow, result_of
from lath.games.errors import GameError, UnknownGameError
from lath.notation.record.tags import MOVES, RULES
from lath.notation.rules.replay import check_tag, end_faults, result_faults, start_from
from lath.notation.text.scanner import (
    MOST_TAGS,
    NUMBERS,
    SOUND,
    Parts,
    is_told,
    parts,
    plain_parts,
)


class ValidGame(NamedTuple):
    """A valid record that was read quickly."""

    parts: Parts
    line: Sequence[str]
    """The moves, in canonical text."""

    start: Position
    end: Position


def valid_game(text: str) -> ValidGame | None:
    """Return the record of a text; None if the text may be invalid."""
    for read in (plain_parts, parts):
        if (found := read(text)) and (played := _played(found)):
            return ValidGame(found, *played)
    return None


def valid_plies(text: str) -> int | None:
    """Return the number of plies of the record of a text; None if the text may be invalid."""
    return plies_of((text,))[0]


def plies_of(texts: Sequence[str]) -> list[int | None]:
    """Return the number of plies of each text; None for texts that may be invalid.

    Records of one game are played together, because that uses the processor's cache best.
    """
    counts: list[int | None] = [None] * len(texts)
    of_games: dict[str, list[tuple[int, Parts]]] = {}
    for at, text in enumerate(texts):
        if found := plain_parts(text):
            of_games.setdefault(found.tags[0][1], []).append((at, found))
    for at, found in chain.from_iterable(of_games.values()):
        if played := _played(found):
            counts[at] = len(played[0])
    if None in counts:
        for at, text in enumerate(texts):
            if counts[at] is None and (other := parts(text)) and (played := _played(other)):
                counts[at] = len(played[0])
    return counts


def _played(found: Parts) -> tuple[Sequence[str], Position, Position] | None:
    """Return the line of a record with these parts, and its first and last position.

    The result is None if the record may be invalid.
    """
    values, line = dict(found.tags), found.line
    if found.tags[0][0] != "Game" or len(values) != len(found.tags):
        return None
    if line is None and (line := _line(found)) is None:
        return None
    if MOVES in values and not line:  # a result without moves has no position
        return None
    tag = values.get
    if not _tags_are_valid(tag("Date"), tag("TimeControl")):
        return None
    try:
        start = _start(tag("Game", ""), tag("Setup", ""), tag("Position", ""), tag(RULES, ""))
    except UnknownGameError:
        return None
    end = follow(start, line) if start else None
    if end is None or start is None:
        return None
    is_valid = _ends_validly(
        tag("Result", ""), found.result, tag("Termination", ""), result_of(end)
    )
    return (line, start, end) if is_valid else None


def _line(found: Parts) -> Sequence[str] | None:
    """Return the moves of parts; None if they contain more than moves and harmless comments."""
    if sum(len(value) for _, value in found.tags) > MOST_TAGS:  # the functions below cache them
        return None
    if found.before and SOUND.sub("", found.before).strip():
        return None
    moves = found.moves
    words = (SOUND.sub(" ", moves) if is_told(moves) else moves).split()
    return words[1::2] if words[::2] == NUMBERS[: len(words) // 2] else words


@lru_cache(maxsize=4096)
def _tags_are_valid(date: str | None, time_control: str | None) -> bool:
    """Return whether these values are valid; None means that the tag is missing."""
    values = (("Date", date), ("TimeControl", time_control))
    return not any(check_tag(name, value) for name, value in values if value is not None)


@lru_cache(maxsize=1024)
def _ends_validly(tag: str, result: Result, termination: str, ruled: Result) -> bool:
    """Return whether a record may end with these tag values and this result.

    `ruled` is the result by the rules, `*` if they have not ended the game.
    """
    return not any(
        (
            check_tag("Termination", termination),
            *result_faults(tag, result, termination),
            *end_faults(
                result, termination, Outcome(ruled.winner, "") if ruled.is_finished else None
            ),
        )
    )


@lru_cache(maxsize=4096)
def _start(game: str, setup: str, position: str, rules: str) -> Position | None:
    """Return the first position for these tag values; None if they may be invalid.

    Raises UnknownGameError, because an unknown game may still be added.
    """
    if position and setup:
        return None
    try:
        return start_from(game, setup, position, rules)
    except UnknownGameError:
        raise
    except GameError:
        return None
