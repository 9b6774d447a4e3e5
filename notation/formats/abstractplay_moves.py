"""The moves of AbstractPlay's records: rounds of its words into plies, and back.

Must not know the header of a record.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from lath import games
from lath.games.core import GameError, MoveSyntaxError, Seat
from lath.notation.errors import Fault, NotationError
from lath.notation.formats.json_fields import Steps
from lath.notation.formats.piece import RefusedError
from lath.notation.record import Ply, Record, Termination, comment
from lath.notation.replay import positions, start_of

ENDINGS: Final = {
    "resign": Termination.RESIGNATION,
    "timeout": Termination.TIME,
    "draw": Termination.AGREEMENT,
    "abandoned": Termination.UNTERMINATED,
}
"""The words that stand after the last move of a game that its rules did not end."""

SWAP: Final = "swap"

_PASS: Final = "pass"  # noqa: S105 - a move
"""Manalath: there is no legal move."""


class UnheldError(NotationError):
    """AbstractPlay cannot hold the record; `field` says what of it."""

    def __init__(self, field: str) -> None:
        super().__init__(f"AbstractPlay has no {field}")
        self.field = field


@dataclass(frozen=True, slots=True)
class Dialect:
    """How AbstractPlay writes one game."""

    title: str
    """As the header names it."""
    game_id: str
    """Ours."""
    has_pie: bool
    has_pass: bool

    def move(self, word: str) -> str:
        """Return our move; raises MoveSyntaxError."""
        coloured = re.fullmatch("([a-i][1-9])([wb])", word) if self.has_pass else None
        text = "OP"["wb".index(coloured[2])] + coloured[1] if coloured else word
        return games.get(self.game_id).canonical(text)

    def word(self, move: str) -> str:
        """Return AbstractPlay's word for a move; raises UnheldError."""
        try:
            text = games.get(self.game_id).canonical(move)
        except MoveSyntaxError as error:
            raise UnheldError(f"move {move}") from error
        return text[1:] + "wb"["OP".index(text[0])] if self.has_pass else text


MANALATH: Final = Dialect("Manalath", "manalath-61", has_pie=False, has_pass=True)
YAVALATH: Final = Dialect("Yavalath", "yavalath", has_pie=True, has_pass=False)
DIALECTS: Final = (MANALATH, YAVALATH)


@dataclass(frozen=True, slots=True)
class Line:
    """The moves of one record."""

    plies: tuple[Ply, ...]
    ending: str = ""
    """One of ENDINGS, or empty."""


def read_moves(rounds: Any, dialect: Dialect, *, pied: bool = False) -> Line:
    """Return the plies of all rounds, with `swap` as the second if the pie was taken.

    Raises RefusedError.
    """
    plies: list[Ply] = []
    ending = passed = ""
    for slot in _slots(rounds):
        word = slot.word
        if over := ending or passed * (word not in {_PASS, *ENDINGS}):
            raise slot.refused(f"{word[:40]!r} stands after {over!r}", "no further move", plies)
        if word in ENDINGS:
            ending = word
        elif word == _PASS and dialect.has_pass:
            passed = word
        else:
            plies.append(_ply(slot, dialect, plies))
            if pied and len(plies) == 1:
                plies.append(Ply(SWAP))
    if pied and not plies:
        fault = Fault("move", "the pie was taken, but there is no move", "a first move")
        raise RefusedError(fault, ("moves",))
    return Line(tuple(plies), ending)


@dataclass(frozen=True, slots=True)
class _Slot:
    """One player's part of a round."""

    word: str
    told: str
    """The text of its result."""
    order: int | None
    """Its place in the round in the order of play, where that is given."""
    steps: Steps

    def refused(self, message: str, expected: str, before: list[Ply]) -> RefusedError:
        return RefusedError(Fault("move", message, expected, ply=len(before) + 1), self.steps)


def _ply(slot: _Slot, dialect: Dialect, before: list[Ply]) -> Ply:
    try:
        if slot.word == SWAP:  # the header says so, not the moves
            raise MoveSyntaxError(slot.word, "a cell")
        move = dialect.move(slot.word)
    except MoveSyntaxError as error:
        message = f"{slot.word[:40]!r} is not a move of {dialect.title}"
        example = "e5w or e5b" if dialect.has_pass else "e5"
        raise slot.refused(message, f"a cell from a1 to i5 such as {example}", before) from error
    said = comment(_readable(slot.told))
    return Ply(move, comments=(said,) if said else ())


def _slots(rounds: Any) -> Iterator[_Slot]:
    """Yield what was played in the order of play."""
    if not isinstance(rounds, list):
        raise RefusedError(Fault("move", "the moves are no rounds", "an array"), ("moves",))
    for i, each in enumerate(rounds):
        if not isinstance(each, list):
            raise RefusedError(Fault("move", "a round is no array", "an array"), ("moves", i))
        told = enumerate(each)
        played = [_slot(slot, ("moves", i, k)) for k, slot in told if slot is not None]
        if all(slot.order is not None for slot in played):
            played.sort(key=lambda slot: slot.order or 0)
        yield from (slot for slot in played if slot.word)


def _slot(slot: Any, steps: Steps) -> _Slot:
    told = slot if isinstance(slot, dict) else {"move": slot}
    move, order, result = told.get("move"), told.get("sequence"), told.get("result")
    if not isinstance(move, str):
        fault = Fault("move", "this is not a move", "a text, an object with a move, or null")
        raise RefusedError(fault, steps)
    return _Slot(
        word="".join(move.lower().split()),
        told=result if isinstance(result, str) else "",
        order=order if isinstance(order, int) else None,
        steps=steps,
    )


def _readable(text: str) -> str:
    """Return the text with a replacement character for half a surrogate pair."""
    return re.sub("[\ud800-\udfff]", "\N{REPLACEMENT CHARACTER}", text)


def format_moves(record: Record, dialect: Dialect, ending: str) -> list[list[Any]]:
    """Return the rounds of a record; raises UnheldError."""
    slots: list[Any] = [None] if _second_begins(record) else []
    for number, ply in enumerate(record.plies, 1):
        if ply.move == SWAP:
            if number != 2 or not dialect.has_pie:
                raise UnheldError("move swap")
            continue
        word = dialect.word(ply.move)
        told = " ".join(str(part) for said in ply.comments for part in said)
        slots.append({"move": word, "result": told} if told else word)
    if ending:
        slots.append(ending)
    elif dialect.has_pass:
        slots += [_PASS] * _passes(record)
    return [slots[i : i + 2] for i in range(0, len(slots), 2)]


def _second_begins(record: Record) -> bool:
    try:
        return bool(record.tag("Position")) and start_of(record).to_move is Seat.SECOND
    except GameError:
        return False


def _passes(record: Record) -> int:
    """Return how many players say in the end that they have no move: both before a draw."""
    try:
        *_, end = positions(record)
    except GameError:
        return 0
    outcome = end.outcome()
    if outcome is None or not outcome.ending.startswith("no move"):
        return 0
    return 2 if outcome.winner is None else 1
