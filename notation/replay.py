"""Records against the rules: the positions of a game, and what the rules object to in a record.

The only module of this package that plays moves.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

import games
from games.core import (
    IllegalMoveError,
    MoveSyntaxError,
    Outcome,
    Position,
    PositionError,
    SetupError,
    UnknownGameError,
    read_move,
)
from notation.errors import Fault
from notation.record import Annotation, Comment, Ply, Record, Termination
from notation.timecontrol import TimeControl


def start_of(record: Record) -> Position:
    """Return the position before the record's first ply.

    Raises GameError: an unknown game, or a setup or position that the game refuses.
    """
    game = games.get(record.game)
    position = record.tag("Position")
    return game.position(position) if position else game.start(record.tag("Setup") or None)


def positions(record: Record) -> Iterator[Position]:
    """Yield the first position and the one after each ply; raises GameError."""
    position = start_of(record)
    yield position
    for ply in record.plies:
        position = position.play(read_move(position, ply.move))
        yield position


def canonical(record: Record) -> Record:
    """Return the record with setup and moves in canonical text, for as far as its game reads them.

    The moves are not played: `check` does that.
    """
    try:
        game = games.get(record.game)
    except UnknownGameError:
        return record

    def of_move(text: str) -> str:
        try:
            return game.canonical(text)
        except MoveSyntaxError:
            return text

    def of_line(plies: Sequence[Ply]) -> tuple[Ply, ...]:
        return tuple(
            replace(
                ply,
                move=of_move(ply.move),
                variations=tuple(
                    replace(variation, plies=of_line(variation.plies))
                    for variation in ply.variations
                ),
            )
            for ply in plies
        )

    def of_tag(name: str, value: str) -> str:
        if name != "Setup":
            return value
        try:
            return game.canonical_setup(value)
        except SetupError:
            return value

    tags = tuple((name, of_tag(name, value)) for name, value in record.tags)
    return replace(record, tags=tags, plies=of_line(record.plies))


def check(record: Record) -> list[Fault]:
    """Return everything that is wrong with a record that was read; empty where it is sound."""
    faults = [*_check_tags(record), *_check_comments(record.comments, None)]
    faults += _check_result(record)
    try:
        start = start_of(record)
    except UnknownGameError as error:
        return [*faults, Fault("unknown-game", str(error), tag="Game")]
    except SetupError as error:
        return [*faults, Fault("setup", str(error), tag="Setup")]
    except PositionError as error:
        return [*faults, Fault("position", str(error), tag="Position")]
    end, line_faults = _check_line(start, record.plies, 1)
    faults += line_faults
    if end is not None:
        faults += _check_end(record, end)
    return faults


def _check_line(
    position: Position, plies: Sequence[Ply], first_number: int
) -> tuple[Position | None, list[Fault]]:
    """Return the position after `plies` (None where one cannot be played), and the faults."""
    faults: list[Fault] = []
    at: Position | None = position
    for number, ply in enumerate(plies, first_number):
        faults += _check_number(ply, number)
        faults += _check_comments(ply.comments, ply, number)
        if at is None:
            continue
        for variation in ply.variations:
            faults += _check_comments(variation.comments, ply, number)
            faults += _check_line(at, variation.plies, number)[1]
        try:
            at = at.play(read_move(at, ply.move))
        except MoveSyntaxError as error:
            faults.append(
                Fault(
                    "move",
                    f"{ply.move!r} is not a move of {at.game.id}",
                    error.expected.removeprefix("expected "),
                    at=ply.at,
                    ply=number,
                )
            )
            at = None
        except IllegalMoveError as error:
            faults.append(Fault("illegal-move", str(error), at=ply.at, ply=number))
            at = None
    return at, faults


def _check_number(ply: Ply, number: int) -> Iterator[Fault]:
    if ply.number is not None and ply.number != number:
        message = f"ply number {ply.number}. stands before ply {number}"
        yield Fault("ply-number", message, f"{number}.", at=ply.at, ply=number)


def _check_result(record: Record) -> Iterator[Fault]:
    tag = record.tag("Result")
    if tag and tag != record.result:
        message = f"the tag says {tag}, but the moves end in {record.result}"
        yield Fault("result", message, "the same result twice", tag="Result")
    if record.result == "*" and record.termination in _DECIDED:
        message = f"the result is *, but the Termination is {record.termination}"
        yield Fault("result", message, "a decided result", tag="Termination")


_DECIDED: Final = (
    *(Termination.RESIGNATION, Termination.TIME, Termination.ILLEGAL_MOVE, Termination.CRASH),
    *(Termination.FLOOD, Termination.ADJUDICATION, Termination.AGREEMENT),
)
"""Terminations after which somebody has won, or nobody."""


def _check_end(record: Record, end: Position) -> Iterator[Fault]:
    outcome = end.outcome()
    if outcome is not None:
        if outcome.result != record.result:
            message = f"the result is {record.result}, but {_told(outcome)}"
            yield Fault("result", message, outcome.result, tag="Result")
    elif record.result != "*" and record.termination in ("", Termination.RULES):
        message = f"the result is {record.result}, but the game goes on after the last move"
        expected = "the result *, or a Termination other than rules"
        yield Fault("result", message, expected, tag="Result")
    elif record.termination == Termination.RULES:
        message = "the Termination is rules, but the game goes on after the last move"
        yield Fault("termination", message, "another Termination", tag="Termination")


def _told(outcome: Outcome) -> str:
    if outcome.winner is None:
        return f"the game ended in a draw: {outcome.ending}"
    return f"{outcome.winner.word} won: {outcome.ending}"


def _check_tags(record: Record) -> Iterator[Fault]:
    if record.tag("Setup") and record.tag("Position"):
        message = "a record begins from a Setup or from a Position"
        yield Fault("tag", message, "one of the two", tag="Position")
    date = record.tag("Date", "?")
    if date != "?" and not _is_date(date):
        yield Fault("tag", f"the Date {date!r} is not a date", "the form 2026-11-20", tag="Date")
    words = [word.value for word in Termination]
    if record.termination and record.termination not in words:
        message = f"unknown Termination {record.termination!r}"
        yield Fault("termination", message, f"one of {', '.join(words)}", tag="Termination")
    time = record.tag("TimeControl", "?")
    if time != "?":
        try:
            TimeControl.read(time)
        except ValueError as error:
            yield Fault("tag", f"TimeControl: {error}", tag="TimeControl")


def _is_date(text: str) -> bool:
    try:
        return dt.date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _check_comments(
    comments: Sequence[Comment], ply: Ply | None, number: int | None = None
) -> Iterator[Fault]:
    at = ply.at if ply else 0
    for comment in comments:
        for part in comment:
            if isinstance(part, Annotation) and (wrong := _wrong_with(part)):
                message = f"{part} is not {wrong}"
                yield Fault("annotation", message, at=at, ply=number)


def _wrong_with(note: Annotation) -> str | None:
    """Return what a known annotation should have been; None where it is right or unknown."""
    number = note.number
    if note.name in ("emt", "clk"):
        right = number is not None and 0 <= number < float("inf")
        return None if right else "a time in seconds, 0 or more"
    if note.name == "eval":
        return None if number is not None and -1 <= number <= 1 else "a number from -1 to 1"
    if note.name in ("depth", "nodes"):
        return None if note.value.isascii() and note.value.isdigit() else "a whole number"
    return None
