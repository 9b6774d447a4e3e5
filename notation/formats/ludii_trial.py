"""The text of one Ludii trial: its moves, counts of legal moves and fields, and where they stand.

As `Trial.saveTrialToTextFile` of Ludii writes it. Must not know the rules of any game.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import BinaryIO, Final

from lath.notation.errors import Fault
from lath.notation.formats.piece import RefusedError
from lath.notation.pieces import MAX_RECORD

BEGINS: Final = "game="
"""What the first line of a trial begins with."""

_BOM: Final = b"\xef\xbb\xbf"
_BLOCK: Final = 1 << 20

LIMITS: Final = ("MoveLimit", "TurnLimit")
"""How a trial ends that Ludii stops."""

_END_TYPES: Final = ("NaturalEnd", *LIMITS, "Unknown", "NoEnd")

_TIE: Final = 3
"""The number of players and one: everybody wins."""

_OPTIONS_BEGIN, _OPTIONS_END = "START GAME OPTIONS", "END GAME OPTIONS"
_LIST_BEGINS, _LIST_ENDS = "NEW LEGAL MOVES LIST", "END LEGAL MOVES LIST"
_SIZE: Final = "LEGAL MOVES LIST SIZE = "
_MOVE: Final = "Move="

_FORM: Final = "Move=[Move:mover=1,from=0,to=0,actions=[Add:type=Cell,to=0,what=1,decision=true]]"

_ACTION: Final = r"\[\w+:?[^\[\]]*\]"

_MOVE_LINE: Final = re.compile(
    r"Move=(?:\[Move:(?:mover=(?P<mover>\d{1,9})(?:,(?!actions=)\w+=[^,\[\]]*)*(?:,actions="
    rf"(?:(?P<actions>{_ACTION}(?:,{_ACTION})*)(?P<end>\])?)?)?)?)?",
    re.ASCII,
)
"""As much of a line as is sound; without `end` it is not the whole."""

_ACTIONS: Final = re.compile(r"\[(?P<name>\w+):?(?P<values>[^\[\]]*)\]", re.ASCII)

_FIELD: Final = re.compile(r"(?P<name>[A-Za-z][A-Za-z_ ]{0,40})=(?P<value>.*)")


@dataclass(frozen=True, slots=True)
class Decision:
    """One move of a trial: the action that was decided on, without what followed from it."""

    at: int
    """Characters from the start of the trial to the action."""
    mover: int
    """1 or 2, as roles are numbered, which a swap exchanges; 0 for what the rules place."""
    action: str
    """Such as `Add`, `Copy`, `Swap`, `Pass` or `Forfeit`."""
    values: Mapping[str, str]
    """Of the action, such as `to`, `from` and `what`."""

    def number(self, name: str) -> int | None:
        """Return a value of the action; None where it is missing or no number."""
        digits = self.values.get(name, "")
        return int(digits) if digits.isdecimal() and len(digits) < 10 else None


@dataclass(frozen=True, slots=True)
class Count:
    """How many legal moves there were before one decision."""

    at: int
    value: int


@dataclass(frozen=True, slots=True)
class Value:
    """What stands behind a `name=`."""

    at: int
    text: str


@dataclass(slots=True)
class Trial:
    """What one trial says."""

    path: str = ""
    """Of the game's description, such as `/lud/board/space/line/Yavalath.lud`."""
    options: list[Value] = field(default_factory=list)
    moves: list[Decision] = field(default_factory=list)
    sizes: list[Count] = field(default_factory=list)
    """One a decision, where the trial has them."""
    lists: list[Count] = field(default_factory=list)
    """The same, where the trial has the legal moves themselves."""
    fields: dict[str, Value] = field(default_factory=dict)
    """Everything else, in order: `winner`, `endtype`, `rankings`, …"""


def trials(stream: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Yield where each trial begins and its bytes; of one that is too long only the beginning."""
    lines: list[bytes] = []
    first, size = 1, 0
    for number, line in enumerate(_byte_lines(stream), 1):
        if lines and line.startswith(BEGINS.encode()):
            yield first, b"".join(lines)
            lines, size = [], 0
        if not lines:
            first = number
        if size <= MAX_RECORD and (lines or not line.isspace()):
            lines.append(line)
            size += len(line)
    if lines:
        yield first, b"".join(lines)


def _byte_lines(stream: BinaryIO) -> Iterator[bytes]:
    """Yield the lines with their ends; of one of more than MAX_RECORD bytes a bit more of it."""
    line = stream.readline(MAX_RECORD + 2).removeprefix(_BOM)
    while line:
        yield line
        while not line.endswith(b"\n") and (line := stream.readline(_BLOCK)):
            pass  # the rest of a line that is too long
        line = stream.readline(MAX_RECORD + 2)


def read_trial(text: str) -> Trial:
    """Return what a trial says; raises RefusedError at the first line that belongs to none."""
    lines = _lines(text)
    at, line = next(lines)
    if not line.startswith(BEGINS):
        raise RefusedError(_fault(at, "no Ludii trial begins here", f"a line that begins {BEGINS}"))
    trial = Trial(path=line.removeprefix(BEGINS))
    for at, line in lines:
        _read_line(trial, lines, at, line)
    return trial


def _read_line(trial: Trial, lines: Iterator[tuple[int, str]], at: int, line: str) -> None:
    if line.startswith(_MOVE):
        trial.moves.append(_decision(at, line))
    elif line == _OPTIONS_BEGIN:
        trial.options += [Value(*row) for row in _until(_OPTIONS_END, lines, at, line)]
    elif line == _LIST_BEGINS:
        trial.lists.append(Count(at, len(list(_until(_LIST_ENDS, lines, at, line)))))
    elif line.startswith(_SIZE):
        trial.sizes.append(_count(at, line))
    else:
        _read_field(trial, at, line)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines that are not empty, without their ends, and where they begin."""
    at = 0
    for line in text.split("\n"):
        stripped = line.rstrip("\r")
        if stripped.strip():
            yield at, stripped
        at += len(line) + 1


def _until(
    end: str, lines: Iterator[tuple[int, str]], at: int, begin: str
) -> Iterator[tuple[int, str]]:
    for inner_at, line in lines:
        if line == end:
            return
        yield inner_at, line
    raise RefusedError(_fault(at, f"{begin} is never closed", end))


def _count(at: int, line: str) -> Count:
    digits = line.removeprefix(_SIZE)
    if not (digits.isascii() and digits.isdecimal() and len(digits) < 10):
        raise RefusedError(_fault(at + len(_SIZE), f"{_shown(digits)} is no count", "a number"))
    return Count(at, int(digits))


def _read_field(trial: Trial, at: int, line: str) -> None:
    match = _FIELD.fullmatch(line)
    if match is None:
        expected = "Move=, LEGAL MOVES LIST SIZE =, winner= or another field of a Ludii trial"
        raise RefusedError(_fault(at, f"unknown line {_shown(line)}", expected))
    if match["name"] in trial.fields:
        raise RefusedError(_fault(at, f"{match['name']}= stands twice in the trial", "one of them"))
    trial.fields[match["name"]] = Value(at + match.start("value"), match["value"])


def _decision(at: int, line: str) -> Decision:
    match = _MOVE_LINE.match(line)
    assert match is not None  # the line begins so
    if match["end"] is None or match.end() < len(line):
        rest = line[match.end() :]
        message = f"{_shown(rest)} does not belong here" if rest else "the move is not complete"
        raise RefusedError(_fault(at + match.end(), message, _FORM))
    actions = list(_ACTIONS.finditer(match["actions"]))
    decided = next((one for one in actions if "decision=true" in one["values"]), actions[0])
    pairs = (pair.partition("=") for pair in decided["values"].split(",") if pair)
    return Decision(
        at=at + match.start("actions") + decided.start(),
        mover=int(match["mover"]),
        action=decided["name"],
        values={name: value for name, _, value in pairs},
    )


def _fault(at: int, message: str, expected: str) -> Fault:
    return Fault("syntax", message, expected, at=at)


def _shown(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:40] + "…")


def end_type(fields: Mapping[str, Value]) -> str:
    """Return how the trial ended, one of Ludii's EndType; `Unknown` where it does not say."""
    value = fields.get("endtype")
    if value and value.text not in _END_TYPES:
        message = f"unknown endtype {value.text!r}"
        raise RefusedError(Fault("syntax", message, f"one of {', '.join(_END_TYPES)}", at=value.at))
    return value.text if value else "Unknown"


def winner(fields: Mapping[str, Value]) -> int | None:
    """Return the role that won, 0 for a draw, -1 for an abandoned game, None for none yet.

    Raises RefusedError where winner and rankings do not agree, or make no sense.
    """
    told = fields.get("winner")
    ranked = _best_ranked(fields.get("rankings"))
    if told is None:
        return ranked
    if told.text not in ("-1", "0", "1", "2", str(_TIE)):
        message = f"unknown winner {told.text!r}"
        raise RefusedError(Fault("syntax", message, "-1, 0, 1, 2 or 3", at=told.at))
    role = int(told.text) % _TIE if told.text != "-1" else -1
    if ranked not in (None, role):
        message = f"winner={told.text} and rankings={fields['rankings'].text} do not agree"
        raise RefusedError(Fault("result", message, "the same winner twice", at=told.at))
    return role


def _best_ranked(told: Value | None) -> int | None:
    """Return the role of the lower rank, 0 for equal ones, None where there are none."""
    if told is None:
        return None
    try:
        _, first, second = map(float, told.text.split(","))
    except ValueError as error:
        message = f"the rankings {told.text!r} are not those of two players"
        fault = Fault("syntax", message, "the form 0.0,1.0,2.0", at=told.at)
        raise RefusedError(fault) from error
    if first == second:
        return 0 if first else None
    return 1 if first < second else 2
