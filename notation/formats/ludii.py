"""Trials of Ludii, the text that its `LudiiTrial.saveTrialToTextFile` writes; it can only be read.

Its games are Manalath (`manalath-61` here) and Yavalath with two players on the board of 61 cells.
The format has these rules, by Ludii's sources:

- A trial begins with `game=`. Several can follow each other in one stream. Lines can end in CRLF.
- Sites 0 to 60 are the cells in the arena's order, `a1` to `i5`. Ludii numbers them by height, then
  from the left (`Graph.reorder`). Its picture shows the board after `(rotate 90 …)`, a quarter turn
  counter-clockwise, which does not change the numbers.
- Manalath's sites 61 and 62 hold the colours. Two moves of mover 0 place them, which are not plies
  here. `Copy` from 61 is orange, and from 62 purple.
- Yavalath's `Swap` exchanges the roles of the players, and the role that swapped moves again. So
  after it `mover=2` and `winner=2` are the first player here, and 1 is the second.
- `winner=` is a role, 0 for a draw, 3 for a tie (also a draw here), or -1 for an abandoned game
  (`void`). Without it, and without ranks, the game is unfinished (`unterminated`). After `Forfeit`
  the Termination is `resignation`. After `endtype=MoveLimit` or `TurnLimit` it is `ply limit`.
- `Pass` is written if a player has no legal move. Under the arena's rules the game is over then, so
  it is not a ply.
- The moves are played. Problems of the entry are illegal moves, a winner that the rules contradict,
  and a different number of legal moves (`LEGAL MOVES LIST SIZE`, `NEW LEGAL MOVES LIST`).
- Other fields are kept in tags such as `LudiiVersion`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import BinaryIO, Final

from lath import games
from lath.games.core import Position, Result, Side, read_move
from lath.games.errors import GameError, count_of
from lath.notation.record.errors import Fault, OtherGameError, RecordSyntaxError, refused, shortened
from lath.notation.record.record import Ply, Record
from lath.notation.record.tags import Termination, number_of
from lath.notation.rules.reading import entries_from
from lath.notation.rules.replay import faults_of
from lath.notation.text.scanner import size_fault
from lath.notation.text.splitting import Entry, RecordText, texts_by_line

BEGINS: Final = "game="
"""The start of the first line of a trial."""

LIMITS: Final = ("MoveLimit", "TurnLimit")
"""The end types of trials that Ludii stops."""

_END_TYPES: Final = ("NaturalEnd", *LIMITS, "Unknown", "NoEnd")

_TIE: Final = 3
"""The number of players plus one: all players win."""

_OPTIONS_BEGIN, _OPTIONS_END = "START GAME OPTIONS", "END GAME OPTIONS"
_LIST_BEGINS, _LIST_ENDS = "NEW LEGAL MOVES LIST", "END LEGAL MOVES LIST"
_SIZE: Final = "LEGAL MOVES LIST SIZE = "
_MOVE: Final = "Move="

_FORM: Final = "Move=[Move:mover=1,from=0,to=0,actions=[...]]"

_ACTION: Final = r"\[\w+:?[^\[\]]*\]"

_MOVE_LINE: Final = re.compile(
    r"Move=(?:\[Move:(?:mover=(?P<mover>\d{1,9})(?:,(?!actions=)\w+=[^,\[\]]*)*(?:,actions="
    rf"(?:(?P<actions>{_ACTION}(?:,{_ACTION})*)(?P<end>\])?)?)?)?)?",
    re.ASCII,
)
"""The valid part of a line; without `end` the line is not complete."""

_ACTIONS: Final = re.compile(r"\[(?P<name>\w+):?(?P<values>[^\[\]]*)\]", re.ASCII)

_COUNT: Final = re.compile(r"[0-9]{1,9}")

_FIELD: Final = re.compile(r"(?P<name>[A-Za-z][A-Za-z_ ]{0,40})=(?P<value>.*)")


@dataclass(frozen=True, slots=True)
class LudiiMove:
    """One move of a trial: the decided action, without its consequences."""

    at: int
    """The number of characters from the start of the trial to the action."""
    mover: int
    """The role, 1 or 2, which a swap exchanges; 0 for pieces placed by the rules."""
    action: str
    """The name, such as `Add`, `Copy`, `Swap`, `Pass` or `Forfeit`."""
    values: Mapping[str, str]
    """The values of the action, such as `to`, `from` and `what`."""

    def number(self, name: str) -> int | None:
        """Return a value of the action as a number; None if it is missing or not a number."""
        digits = self.values.get(name, "")
        return int(digits) if _COUNT.fullmatch(digits) else None


@dataclass(frozen=True, slots=True)
class Value:
    """The text after a `name=`, with its place."""

    at: int
    text: str


@dataclass(slots=True)
class LudiiTrial:
    """The data of one trial."""

    path: str = ""
    """The path of the game's description, such as `/lud/board/space/line/Yavalath.lud`."""
    options: list[Value] = field(default_factory=list)
    moves: list[LudiiMove] = field(default_factory=list)
    sizes: list[Value] = field(default_factory=list)
    """The number of legal moves before each decision, if the trial has it."""
    lists: list[Value] = field(default_factory=list)
    """The number of legal moves, counted from the lists of them."""
    fields: dict[str, Value] = field(default_factory=dict)
    """All other fields in order: `winner`, `endtype`, `rankings`, …"""


def read_trial(text: str) -> LudiiTrial:
    """Return the data of a trial. Raises RecordSyntaxError at the first invalid line."""
    lines = _lines(text)
    at, line = next(lines)
    if not line.startswith(BEGINS):
        raise refused(at, "no Ludii trial begins here", f"a line that begins {BEGINS}")
    trial = LudiiTrial(path=line.removeprefix(BEGINS))
    for at, line in lines:
        if line.startswith(_MOVE):
            trial.moves.append(_decision(at, line))
        elif line == _OPTIONS_BEGIN:
            trial.options += [Value(*row) for row in _until(_OPTIONS_END, lines, at, line)]
        elif line == _LIST_BEGINS:
            trial.lists.append(Value(at, str(len(list(_until(_LIST_ENDS, lines, at, line))))))
        elif line.startswith(_SIZE):
            digits = line.removeprefix(_SIZE)
            if not _COUNT.fullmatch(digits):
                raise refused(at + len(_SIZE), f"{shortened(digits)} is not a count", "a number")
            trial.sizes.append(Value(at, digits))
        else:
            if (field_line := _FIELD.fullmatch(line)) is None:
                expected = f"Move=, {_SIZE.strip()}, winner= or another field of a Ludii trial"
                raise refused(at, f"unknown line {shortened(line)}", expected)
            name, value = field_line.groups()
            if name in trial.fields:
                raise refused(at, f"{name}= appears twice in the trial", "one of them")
            trial.fields[name] = Value(at + field_line.start("value"), value)
    return trial


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines that are not empty, without their ends, and their places."""
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
    raise refused(at, f"{begin} is never closed", end)


def _decision(at: int, line: str) -> LudiiMove:
    match = _MOVE_LINE.match(line)
    assert match is not None  # the caller has tested the start of the line
    if match["end"] is None or match.end() < len(line):
        rest = line[match.end() :]
        message = f"{shortened(rest)} does not belong here" if rest else "the move is not complete"
        raise refused(at + match.end(), message, _FORM)
    actions = list(_ACTIONS.finditer(match["actions"]))
    decided = next((one for one in actions if "decision=true" in one["values"]), actions[0])
    pairs = (pair.partition("=") for pair in decided["values"].split(",") if pair)
    return LudiiMove(
        at=at + match.start("actions") + decided.start(),
        mover=int(match["mover"]),
        action=decided["name"],
        values={name: value for name, _, value in pairs},
    )


def winner(fields: Mapping[str, Value]) -> int | None:
    """Return the role that won, 0 for a draw, -1 for an abandoned game, None for an unfinished one.

    Raises RecordSyntaxError if winner and rankings are invalid or contradict each other.
    """
    value, ranks, ranked = fields.get("winner"), fields.get("rankings"), None
    if ranks:
        numbers = list(map(number_of, ranks.text.split(",")))
        if len(numbers) != 3 or None in numbers:
            message = f"the rankings {ranks.text!r} are not those of two players"
            raise refused(ranks.at, message, "the form 0.0,1.0,2.0")
        first, second = (number or 0 for number in numbers[1:])
        if first or second:  # the lower rank is better
            ranked = 0 if first == second else 1 if first < second else 2
    if value is None:
        return ranked
    if value.text not in ("-1", "0", "1", "2", str(_TIE)):
        raise refused(value.at, f"unknown winner {value.text!r}", "-1, 0, 1, 2 or 3")
    role = int(value.text) % _TIE if value.text != "-1" else -1
    if ranks and ranked not in (None, role):
        message = f"winner={value.text} and rankings={ranks.text} do not agree"
        raise refused(value.at, message, "the same winner twice", "result")
    return role


_GAMES: Final = {"Manalath": "manalath-61", "Yavalath": "yavalath"}
"""The arena's ids by the names of Ludii's descriptions."""

_DEFAULTS: Final = {"Manalath": (), "Yavalath": ("Players/2 Players", "Board Size/5x5")}
"""The options with which Ludii's game equals the arena's."""

_HANDS: Final = {"61": "1", "62": "2"}
"""The piece on each of Manalath's hand sites."""

_COLOURS: Final = {61: "O", 62: "P"}

_KNOWN: Final = ("winner", "endtype", "rankings", "numInitialPlacementMoves")

_TAGS: Final = {
    "LUDII_VERSION": "LudiiVersion",
    "RNG internal state": "LudiiRng",
    "SANDBOX": "LudiiSandbox",
}
"""The tags for fields without a meaning here; other fields get a tag from their own name."""


def read(stream: BinaryIO, name: str) -> Iterator[Entry]:
    """Yield the trials of a stream; the moves are played."""
    return entries_from(
        texts_by_line(stream, lambda line: line.startswith(BEGINS.encode())), name, _read
    )


def _read(text: RecordText) -> tuple[Record, list[Fault]]:
    if fault := size_fault(text.text):
        raise RecordSyntaxError(fault)
    trial = read_trial(text.text)
    course = _Course(_stem(trial))
    course.play(trial.moves)
    record = course.record(trial)
    return record, [
        *_setup_faults(trial, course.stem),
        *course.faults,
        *_count_faults(trial.sizes, course.counts),
        *_count_faults(trial.lists, course.counts),
        *(course.placed(fault, trial) for fault in faults_of(record)),
    ]


def _stem(trial: LudiiTrial) -> str:
    """Return the name of the game's description.

    Raises RecordSyntaxError if it is not supported.
    """
    stem = re.split(r"[/\\]", trial.path.strip())[-1].removesuffix(".lud")
    if stem not in _GAMES:
        message = f"the Ludii game {stem!r} is not supported"
        raise OtherGameError(Fault("unknown-game", message, " or ".join(_GAMES), len(BEGINS)), stem)
    for option in trial.options:
        if option.text not in _DEFAULTS[stem]:
            expected = " and ".join(_DEFAULTS[stem]) or "no options"
            message = f"{stem} with the option {option.text!r} is not supported"
            raise OtherGameError(
                Fault("unknown-game", message, expected, option.at), f"{stem} ({option.text})"
            )
    return stem


def _setup_faults(trial: LudiiTrial, stem: str) -> Iterator[Fault]:
    """Yield the faults of the moves of mover 0, which may only place Manalath's two colours."""
    placed = [move for move in trial.moves if move.mover == 0]
    expected = "piece 1 on site 61 and piece 2 on site 62 (Manalath only)"
    for move in placed:
        is_hand = _HANDS.get(move.values.get("to", "")) == move.values.get("what")
        if move.action != "Add" or not is_hand or stem != "Manalath":
            yield Fault("setup", f"mover 0 did {_shown(move)}", expected, at=move.at)
    count = trial.fields.get("numInitialPlacementMoves")
    if count and count.text != str(len(placed)):
        message = f"numInitialPlacementMoves is {count.text!r}, "
        message += f"but mover 0 did {count_of(len(placed), 'move')}"
        yield Fault("setup", message, str(len(placed)), at=count.at)


def _count_faults(counted: Sequence[Value], counts: Sequence[int | None]) -> Iterator[Fault]:
    """Yield the faults of Ludii's counts of legal moves: one per decision, or one more."""
    for number, (count, ours) in enumerate(zip(counted, counts, strict=False), 1):
        if ours is not None and int(count.text) != ours:
            counted_there = count_of(int(count.text), "legal move")
            message = f"Ludii counts {counted_there}, but the arena counts {ours}"
            yield Fault("legal-moves", message, str(ours), at=count.at, ply=number)
    if counted and not len(counts) - 1 <= len(counted) <= len(counts):
        message = (
            f"{count_of(len(counted), 'count')} of legal moves for "
            f"{count_of(len(counts) - 1, 'move')}"
        )
        yield Fault("legal-moves", message, "one count per move", at=counted[-1].at)


@dataclass(slots=True)
class _Course:
    """A trial played by the arena's rules."""

    stem: str
    plies: list[Ply] = field(default_factory=list)
    places: list[int] = field(default_factory=list)
    """The place of each ply in the trial."""
    counts: list[int | None] = field(default_factory=list)
    """The number of legal moves before each decision and after the last; None after an illegal
    move."""
    faults: list[Fault] = field(default_factory=list)
    is_swapped: bool = False
    loser: int = 0
    """The role that gave up; 0 if neither did."""

    def play(self, moves: Sequence[LudiiMove]) -> None:
        """Play the decisions in turn. Raises RecordSyntaxError for an invalid move."""
        position: Position | None = games.get(_GAMES[self.stem]).start()
        for move in (*(move for move in moves if move.mover), None):
            # if a player has no legal move, Ludii's list contains the forced pass
            self.counts.append(None if position is None else max(1, len(position.legal_moves())))
            if move:
                position = self._take(move, position)

    def _take(self, move: LudiiMove, position: Position | None) -> Position | None:
        """Return the position after a decision; None if it is illegal."""
        if self.loser:
            self._object(move, f"{_shown(move)} follows a Forfeit", "no move")
        if move.action == "Pass":
            if position is not None and (count := len(position.legal_moves())):
                self._object(move, f"role {move.mover} passes", f"one of {count} legal moves")
            return position
        if move.action == "Forfeit":
            self.loser = {"P1": 1, "P2": 2}.get(move.values.get("player", ""), 0)
            if not self.loser:
                raise refused(
                    move.at, f"{_shown(move)} does not say who gave up", "player=P1 or player=P2"
                )
            return position
        text = self._text(move)
        role = self._role(Side(len(self.plies) % 2))
        if move.mover != role:
            self._object(move, f"mover {move.mover} is not to move", f"mover={role}")
        self.plies.append(Ply(text))
        self.places.append(move.at)
        self.is_swapped |= text == "swap"
        with suppress(GameError):  # checking the record reports the reason
            return position and position.play(read_move(position, text))
        return None

    def _object(self, move: LudiiMove, message: str, expected: str) -> None:
        self.faults.append(
            Fault("illegal-move", message, expected, at=move.at, ply=len(self.plies) + 1)
        )

    def _role(self, seat: Side) -> int:
        return 1 + (seat.other if self.is_swapped else seat)

    def _text(self, move: LudiiMove) -> str:
        """Return the canonical text of a move. Raises RecordSyntaxError if it is invalid."""
        if self.stem == "Yavalath" and move.action == "Swap":
            return "swap"
        colour = ""
        if self.stem == "Manalath":
            colour = _COLOURS.get(move.number("from") or 0, "")
            is_move = move.action in ("Copy", "Move") and bool(colour)
            expected = "Copy from site 61/62 to site 0-60"
        else:
            is_move = move.action == "Add" and move.number("what") in (None, move.mover)
            expected = f"Add (piece {move.mover}, site 0-60) or Swap"
        names = games.get(_GAMES[self.stem]).board.names
        site = move.number("to")
        if not is_move or site is None or site >= len(names):
            message = f"{_shown(move)} is not a move of {self.stem}"
            raise refused(move.at, message, expected, "move", len(self.plies) + 1)
        return f"{colour}{names[site]}"

    def record(self, trial: LudiiTrial) -> Record:
        """Return the record of the trial. Raises RecordSyntaxError if its end is invalid."""
        role, ended = winner(trial.fields), trial.fields.get("endtype")
        if ended and ended.text not in _END_TYPES:
            raise refused(
                ended.at, f"unknown endtype {ended.text!r}", f"one of {', '.join(_END_TYPES)}"
            )
        result, termination = Result.UNFINISHED, Termination.UNTERMINATED
        if role == -1:
            termination = Termination.VOID
        elif role is not None:
            result = Result.won_by(next((side for side in Side if self._role(side) == role), None))
            termination = Termination.RULES
            if self.loser and role != self.loser:
                termination = Termination.RESIGNATION
            elif ended and ended.text in LIMITS:
                termination = Termination.PLY_LIMIT
        tags = (("Game", _GAMES[self.stem]), *_kept(trial))
        ends = (("Termination", str(termination)), ("Result", result.value))
        return Record(tags + ends, tuple(self.plies), result)

    def placed(self, fault: Fault, trial: LudiiTrial) -> Fault:
        """Return a fault of the record with its place in the trial."""
        at = 0
        if fault.ply:
            at = self.places[fault.ply - 1]
        elif fault.tag in ("Result", "Termination"):
            ends = [trial.fields[name].at for name in _KNOWN if name in trial.fields]
            at = ends[0] if ends else (self.places or [0])[-1]
        return replace(fault, at=at)


_NOT_SHOWN: Final = ("type", "typeFrom", "typeTo", "levelFrom", "decision")
"""Values of an action that are the same in every trial."""


def _shown(move: LudiiMove) -> str:
    values = (f"{name}={value}" for name, value in move.values.items() if name not in _NOT_SHOWN)
    return f"[{move.action}:{','.join(values)}]"


def _kept(trial: LudiiTrial) -> Iterator[tuple[str, str]]:
    """Yield the tags of fields without a meaning here; fields with equal tags get numbers."""
    counts: Counter[str] = Counter()
    if trial.options:
        counts["LudiiOptions"] = 1
        yield "LudiiOptions", "; ".join(option.text for option in trial.options)
    for name, value in trial.fields.items():
        if name not in _KNOWN:
            tag = _TAGS.get(name) or "Ludii" + re.sub(r"[^A-Za-z0-9]", "_", name)
            counts[tag] += 1  # names of fields have no digits, so the numbered tags are unique
            number = str(counts[tag]) if counts[tag] > 1 else ""
            yield f"{tag}{number}", value.text.replace("\r", " ")
