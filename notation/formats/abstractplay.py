"""AbstractPlay's game records: JSON by the schema `gamerecord.json` of its RecRanks repository.

A file is one record, an array of them (as the site's `ALL.json`), or a record a line. Its games are
Manalath (our `manalath-61`) and Yavalath of two players; others are refused, and when writing told
of as lost, the record being left out. What stands where:

- `players` are in the seats of the game's end. If the pie was taken (`pied`, or `pie-invoked` as
  its game library writes), the moves do not say so: `swap` is the second ply here, and the names
  change places.
- The higher `result` won, equal ones are a draw. After `abandoned` nobody has one: `*`.
- `resign`, `timeout`, `draw` and `abandoned` stand after the last move and are the Termination.
  Other ends outside the rules are written as the nearest of these. Manalath's `pass` (a player has
  no move) is no ply here: the game is over.
- The text `result` of a move is its comment; nothing else of the format holds one.
- Fields without a known tag have one of their own, such as `GameId` or `FirstUserId`. What a
  record has beyond the schema, or otherwise than the writer would write it, is kept as JSON in
  `RecordExtra`, `HeaderExtra`, `FirstExtra`, `SecondExtra` and `AbstractPlayMoves`, so that it
  comes back whole. What of that would be read otherwise than the other tags say is not written,
  and told of: they have been edited since. Of times, `Date` counts.
- In Manalath a new group of four loses here, whatever else there is, and wins there beside a group
  of five that is older (`ApRuling`). The record has our result and the file theirs.
- A setup with blockers is written as the starting position. A record without a date is written
  with that of the year 1, for the schema wants one.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from operator import itemgetter
from typing import Any, BinaryIO, Final, NamedTuple

from lath.games.core import Result, Side, follow
from lath.games.errors import GameError, MoveSyntaxError
from lath.notation.formats import Lost, UnheldError, held, remarks
from lath.notation.formats.abstractplay_header import (
    DIALECTS,
    SWAP,
    Dialect,
    Json,
    checked,
    date_errors,
    dialect_of,
    header_errors,
    header_of,
    is_pied,
    json_of,
    players_of,
    readable,
    refuse,
    result_of,
    tags_of,
)
from lath.notation.formats.json_text import objects, placed
from lath.notation.record.errors import Fault, OtherGameError
from lath.notation.record.record import Comment, Ply, Record, comment
from lath.notation.record.tags import Termination
from lath.notation.rules.reading import entries_from
from lath.notation.rules.replay import check_line, end_of, start_from, start_of
from lath.notation.tables.data import FieldError, Steps
from lath.notation.text.splitting import Entry, RecordText

ENDINGS: Final = {
    "resign": Termination.RESIGNATION,
    "timeout": Termination.TIME,
    "draw": Termination.AGREEMENT,
    "abandoned": Termination.UNTERMINATED,
}
"""The words that stand after the last move of a game that its rules did not end."""

_PASS: Final = "pass"  # noqa: S105 - a move
"""Manalath: there is no legal move."""


class ApMoves(NamedTuple):
    """The moves of one record."""

    plies: tuple[Ply, ...]
    ending: str
    """One of ENDINGS, or empty."""


class ApFault:
    """What is wrong with the moves of a record, where all of it is told of, and where plies are."""

    def __init__(self) -> None:
        self.errors: list[FieldError] = []
        self.led: list[Steps] = []
        """What leads to each ply."""


def read_moves(
    rounds: Any, dialect: Dialect, *, pied: bool = False, told: ApFault | None = None
) -> ApMoves:
    """Return the plies of all rounds, with `swap` as the second if the pie was taken.

    Raises FieldError. Words that are no moves are `told` instead, where that is given, and are the
    ply `x`.
    """
    plies: list[Ply] = []
    ending = passed = ""
    for word, said, steps in _slots(rounds):
        number = len(plies) + 1
        if over := ending or passed * (word not in {_PASS, *ENDINGS}):
            _tell(
                told, f"{word[:40]!r} is written after {over!r}", "no further move", steps, number
            )
            continue
        if word in ENDINGS:
            ending = word
            continue
        if word == _PASS and dialect.has_pass:
            passed = word
            continue
        move = ""
        if word != SWAP:  # the header says so, not the moves
            with suppress(MoveSyntaxError):
                move = dialect.move(word)
        if not move:
            message = f"{word[:40]!r} is not a move of {dialect.title}"
            expected = f"a cell from a1 to i5 such as {'e5w or e5b' if dialect.has_pass else 'e5'}"
            _tell(told, message, expected, steps, number)
        played = [Ply(move or "x", comments=(said,) if said else ())]
        played += [Ply(SWAP)] * (pied and number == 1)
        plies += played
        if told:
            told.led += [steps] * len(played)
    if pied and not plies:
        refuse("move", "the pie rule was used, but no move was played", "a first move", "moves")
    return ApMoves(tuple(plies), ending)


def _tell(told: ApFault | None, message: str, expected: str, steps: Steps, number: int) -> None:
    """Note what is wrong with a word; raises it as FieldError where nobody wants to be told."""
    error = FieldError(Fault("move", message, expected, ply=number), steps)
    if told is None:
        raise error
    told.errors.append(error)


def _slots(rounds: Any) -> Iterator[tuple[str, Comment, Steps]]:
    """Yield the words in the order of play, what is said of each, and the steps that lead to it."""
    if not isinstance(rounds, list):
        refuse("move", "the moves are not rounds", "an array", "moves")
    for i, each in enumerate(rounds):
        if not isinstance(each, list):
            refuse("move", "a round is not an array", "an array", "moves", i)
        played = []
        for k, slot in enumerate(each):
            if slot is None:
                continue
            fields = slot if isinstance(slot, dict) else {"move": slot}
            move, order, result = map(fields.get, ("move", "sequence", "result"))
            if not isinstance(move, str):
                expected = "a text, an object with a move, or null"
                refuse("move", "this is not a move", expected, "moves", i, k)
            said = comment(readable(result)) if isinstance(result, str) else ()
            played.append((order, "".join(move.lower().split()), said, ("moves", i, k)))
        if all(isinstance(order, int) for order, *_ in played):
            played.sort(key=itemgetter(0))
        yield from ((word, said, steps) for _, word, said, steps in played if word)


def format_moves(record: Record, dialect: Dialect, ending: str) -> list[list[Any]]:
    """Return the rounds of a record; raises UnheldError."""
    slots: list[Any] = []
    with suppress(GameError):  # the slot of first stays empty where second begins
        if record.tag("Position") and start_of(record).to_move is Side.SECOND:
            slots.append(None)
    for number, ply in enumerate(record.plies, 1):
        if ply.move == SWAP:
            if number != 2 or not dialect.has_pie:
                raise UnheldError("move swap")
            continue
        word = dialect.word(ply.move)
        said = " ".join(str(part) for comment in ply.comments for part in comment)
        slots.append({"move": word, "result": said} if said else word)
    if ending:
        slots.append(ending)
    elif dialect.has_pass:
        end = end_of(record)
        outcome = None if end is None else end.outcome()
        if outcome and outcome.ending.startswith("no move"):
            slots += [_PASS] * (2 if outcome.winner is None else 1)  # both say so before a draw
    return [slots[i : i + 2] for i in range(0, len(slots), 2)]


class ApRuling(NamedTuple):
    """How one game ended by AbstractPlay's rules and by ours, where that is not the same."""

    theirs: Result
    ours: Result

    def __str__(self) -> str:
        """Return it in words."""
        why = "a new group of four beside an older one of five"
        return f"{why}: {self.theirs} by AbstractPlay's rules, {self.ours} by the arena's"


def ruling_of(record: Record) -> ApRuling | None:
    """Return how a record ended there and here; None where that is the same, or not known.

    In Manalath, AbstractPlay looks at the groups that the last piece is not part of first: a five
    among them wins though the last piece has made a four (`checkEOG` of its `manalath.ts`).
    """
    if record.game != "manalath-61" or not record.plies:
        return None
    try:
        end = follow(start_of(record), record.moves)
    except GameError:
        return None
    outcome = end.outcome() if end else None
    if end is None or outcome is None or outcome.ending != "group of four":
        return None
    assert outcome.winner is not None
    loser, board = outcome.winner.other, end.game.board
    contents = zip(board.bit.values(), end.contents(), strict=True)
    own = sum(bit for bit, content in contents if content == "op"[loser])
    last = board.bit[record.moves[-1][1:]]
    older = [group.bit_count() for group in board.groups(own) if not group & last]
    if 5 in older and 4 not in older:
        return ApRuling(theirs=outcome.result.reversed, ours=outcome.result)
    return None


def note_of(record: Record, written: str) -> str:
    """Return in words how a record ends otherwise by AbstractPlay's rules; empty where not so.

    `written` is the format in which it is written.
    """
    ruling = None if record.termination in ENDINGS.values() else ruling_of(record)
    if ruling is None:
        return ""
    return f"{ruling}; {ruling.theirs if written == 'abstractplay' else ruling.ours} is written"


class _Extras:
    """What a record kept of AbstractPlay's fields, as it is put back beside what its tags say."""

    def __init__(self, value: Json, read: Callable[[Json], object]) -> None:
        self._value = value
        self._read = read
        self._said = read(value)
        self.overruled: list[str] = []
        """What was not put back, for the tags say otherwise now."""

    def put_back(self, left: dict[str, str], tag: str, *steps: str | int) -> None:
        """Put back the fields that a tag holds as JSON, and take it from `left` if it does."""
        extra = json_of(left.get(tag))
        if isinstance(extra, dict):
            del left[tag]
            target: Any = self._value
            for step in steps:
                target = target[step]
            self._put(target, extra, f"of the tag {tag}")

    def _put(self, target: Json, extra: Json, where: str) -> None:
        missing = object()
        for key, kept in extra.items():
            before = target.get(key, missing)
            target[key] = kept
            if self._is_read_the_same():
                continue
            if before is missing:
                del target[key]
            else:
                target[key] = before
            if isinstance(kept, dict) and isinstance(before, dict):
                self._put(before, kept, f"of {key[:40]} {where}")
            else:
                self.overruled.append(f"{key[:40]} {where}, which other tags overrule")

    def _is_read_the_same(self) -> bool:
        try:
            return self._read(self._value) == self._said
        except FieldError:
            return False


EXTRAS: Final = ("RecordExtra", "HeaderExtra", "FirstExtra", "SecondExtra", "AbstractPlayMoves")
"""The tags that keep what no other tag holds."""


_BEGINS: Final = re.compile(r'\{\s*"(?:header|moves)"\s*:')
"""How a record begins."""

_WORDS: Final = {reason: word for word, reason in ENDINGS.items()}

_NEAREST: Final = {
    Result.FIRST_WON: "resign",
    Result.SECOND_WON: "resign",
    Result.DRAWN: "draw",
    Result.UNFINISHED: "abandoned",
}
"""What is written for an end outside the rules that AbstractPlay has no word for."""


def read(stream: BinaryIO, name: str) -> Iterator[Entry]:
    """Yield the records of a stream, lazily; the moves are read, but not played."""
    return entries_from(objects(stream, _BEGINS), name, _read)


def _read(text: RecordText) -> tuple[Record | None, list[Fault]]:
    errors = list(date_errors(text.value))
    record = None
    try:
        record = from_json(text.value)
    except FieldError as error:
        if error.fault.code == "unknown-game" and not error.fault.meant:
            refused = placed(error.fault, text.text, error.steps)
            raise OtherGameError(refused.fault, text.value["header"]["game"]["name"]) from error
        errors += _all_errors(text.value) or [error]
    else:
        if errors:
            errors += _all_errors(text.value)
    return record, [placed(one.fault, text.text, one.steps).fault for one in errors]


def _all_errors(value: Json) -> list[FieldError]:
    """Return all that is wrong with the players and the moves of a record."""
    errors, told = list(header_errors(value)), ApFault()
    header = value.get("header") if isinstance(value, dict) else None
    if not isinstance(header, dict):
        return errors
    told.errors += errors
    position = header.get("startingPosition")
    try:
        dialect = dialect_of(header.get("game"))
    except FieldError:
        return errors
    try:
        pied = is_pied(header) and dialect.has_pie
        line = read_moves(value.get("moves"), dialect, pied=pied, told=told)
        start = start_from(dialect.game_id, "", position if isinstance(position, str) else "")
    except FieldError as error:
        return [*told.errors, error]
    except GameError:
        return told.errors
    _, faults = check_line(start, line.plies, None, 1)
    return told.errors + [
        FieldError(fault, told.led[fault.ply - 1])
        for fault in faults
        if fault.ply and fault.code == "illegal-move"
    ]


def write(records: Iterable[Record], lost: Lost) -> Iterator[bytes]:
    """Yield an array of the records, a line each; a record of another game is left out."""
    before = b"[\n"
    for value in held(records, lost, to_json):
        yield before + _text(value)
        before = b",\n"
    yield b"[]\n" if before == b"[\n" else b"\n]\n"


def from_json(value: Any) -> Record:
    """Return the record that an object of AbstractPlay describes; raises FieldError."""
    known = _known(value)
    # tags for whatever would not come back from these
    written, _ = _plainly(known)
    header, kept = value["header"], written["header"]
    rest = {
        "RecordExtra": _rest(value, {"header": header, "moves": value["moves"]}),
        "HeaderExtra": _rest(header, {**kept, "players": header["players"]}),
    }
    for seat, player, same in zip(
        players_of(known), header["players"], kept["players"], strict=True
    ):
        rest[f"{seat}Extra"] = _rest(player, same)
    if value["moves"] != written["moves"]:
        rest["AbstractPlayMoves"] = value["moves"]
    extras = [(tag, json.dumps(extra)) for tag, extra in rest.items() if extra]
    return replace(known, tags=(*known.tags[:-2], *extras, *known.tags[-2:]))


def _known(value: Any) -> Record:
    """Return the record of what has tags of its own."""
    header, dialect, seats = checked(value)
    line = read_moves(value.get("moves"), dialect, pied=is_pied(header))
    result = result_of(seats[0]["result"], seats[1]["result"], line.ending)
    tags = tags_of(header, dialect, seats, result)
    record = Record(tuple(tags.items()), line.plies, result)
    if not line.ending and (ruling := ruling_of(record)):
        result = ruling.ours if result == ruling.theirs else result
        tags = tags_of(header, dialect, seats, ruling.theirs)
    ends = {
        "Termination": ENDINGS.get(line.ending, Termination.RULES).value,
        "Result": result.value,
    }
    return replace(record, tags=(*tags.items(), *ends.items()), result=result)


def _rest(given: Json, written: Json) -> Json:
    return {
        key: value for key, value in given.items() if key not in written or written[key] != value
    }


def to_json(record: Record) -> tuple[Json, list[str]]:
    """Return the record as AbstractPlay would tell it, and the names of what it cannot hold.

    What is returned is read as what the tags say; of the tags that are not read back so, each is
    named. Raises UnheldError where it cannot hold the record at all.
    """
    value, left = _plainly(record)
    line = read_moves(value["moves"], _dialect_of(record), pied=SWAP in record.moves)
    if "AbstractPlayMoves" in left:
        with suppress(FieldError):  # they are as they were read, unless the record is another now
            kept = json_of(left["AbstractPlayMoves"])
            if read_moves(kept, _dialect_of(record), pied=SWAP in record.moves) == line:
                value["moves"] = kept
                del left["AbstractPlayMoves"]
    overruled: list[str] = []
    if any(tag in left for tag in EXTRAS):
        plain = json.loads(json.dumps(value))
        extras = _Extras(value, lambda told: replace(_known(told), plies=()))
        extras.put_back(left, "HeaderExtra", "header")
        for place, seat in enumerate(players_of(record)):
            extras.put_back(left, f"{seat}Extra", "header", "players", place)
        extras.put_back(left, "RecordExtra")
        overruled = extras.overruled
        if not _can_be_read(value):
            value = plain
            overruled = [f"tag {tag}" for tag in EXTRAS if record.tag(tag) and tag not in left]
    unheld = [f"tag {name}" for name in left]
    if not (record.result.is_finished or record.termination):
        unheld.append("result *")  # the format has no game that goes on
    unheld += overruled
    again = dict(_known(value).tags)
    for name, tag in record.tags:
        is_told = name in left or name in EXTRAS or name in _OTHERWISE_READ or tag == "?"
        if not is_told and again.get(name) != tag and f"tag {name}" not in unheld:
            unheld.append(f"tag {name}")
    comments = [ply.comments for ply in line.plies]
    holds_comments = not record.comments and comments == [ply.comments for ply in record.plies]
    lost = (name for name in remarks(record) if name != "comments" or not holds_comments)
    return value, [*unheld, *lost]


_OTHERWISE_READ: Final = ("Setup", "Termination", "Result")
"""Tags that come back as another, or that are told of elsewhere."""


def _dialect_of(record: Record) -> Dialect:
    dialect = next((each for each in DIALECTS if each.game_id == record.game), None)
    if dialect is None:
        raise UnheldError(f"game {record.game}")
    return dialect


def _plainly(record: Record) -> tuple[Json, dict[str, str]]:
    """Return what the tags with a meaning say, and those that are left; raises UnheldError."""
    dialect = _dialect_of(record)
    left = {name: value for name, value in record.tags if name not in {"Game", "Result"}}
    ending = _take_ending(left, record.result)
    rounds = format_moves(record, dialect, ending)
    ruling = None if ending else ruling_of(record)
    told = ruling if ruling and ruling.ours == record.result else None
    return {"header": header_of(left, record, dialect, told), "moves": rounds}, left


def _can_be_read(value: Json) -> bool:
    """Return whether a file with this record alone has it."""
    found = list(objects(io.BytesIO(_text(value)), _BEGINS))
    return [(text.fault, text.value) for text in found] == [(None, value)]


def _text(value: Json) -> bytes:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    # halves of surrogate pairs, which other programs cut names into, are no UTF-8
    return re.sub("[\ud800-\udfff]", lambda half: f"\\u{ord(half[0]):04x}", text).encode()


def _take_ending(left: dict[str, str], result: Result) -> str:
    """Return the word after the last move; Termination stays in `left` where it is another."""
    termination = left.pop("Termination", "")
    word = _WORDS.get(termination)  # type: ignore[call-overload]  # a StrEnum is a str
    holds = result is not Result.DRAWN if word == "abandoned" else result.is_finished
    if word and holds:
        return str(word)
    if termination in {"", "rules"} and result.is_finished:
        return ""
    if termination:
        left["Termination"] = termination
    return _NEAREST[result]
