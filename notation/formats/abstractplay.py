"""AbstractPlay's game records: JSON by the schema `gamerecord.json` of its RecRanks repository.

A file is one record, an array of records (as the site's `ALL.json`), or one record per line. Its
games are Manalath (`manalath-61` here) and Yavalath with two players. Other games are refused; a
record of one is left out when writing, and reported as lost. The format has these rules:

- `players` have the sides of the end of the game. If the pie was taken (`pied`, or `pie-invoked` as
  its game library writes), the moves do not show it. Here `swap` is then the second ply, and the
  names are exchanged.
- The higher `result` won, and equal ones are a draw. After `abandoned` the result is `*`.
- `resign`, `timeout`, `draw` and `abandoned` come after the last move as the Termination. Other
  ends outside the rules are written as the nearest of these. Manalath's `pass` (a player has no
  legal move) is not a ply here, because the game is over.
- The text `result` of a move is its comment. The format has no other comments.
- Fields without a known tag have a tag of their own, such as `GameId` or `FirstUserId`. Fields
  beyond the schema, or in an unusual form, are kept as JSON in `RecordExtra`, `HeaderExtra`,
  `FirstExtra`, `SecondExtra` and `AbstractPlayMoves`, so that they are written back unchanged.
- If other tags were edited and now contradict the kept JSON, it is not written, and reported as
  lost. The tag `Date` takes precedence over other times.
- In Manalath a new group of four always loses here. In AbstractPlay it wins if an older group of
  five exists (`ApRuling`). The record has the arena's result, the file has AbstractPlay's.
- A setup with blockers is written as the starting position. A record without a date gets a date in
  the year 1, because the schema requires one.
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
"""The words after the last move of a game that did not end by its rules."""

_PASS: Final = "pass"  # noqa: S105 - a move
"""A turn without a legal move, in Manalath."""


class ApMoves(NamedTuple):
    """The moves of one record."""

    plies: tuple[Ply, ...]
    ending: str
    """One of ENDINGS, or empty."""


class ApFault:
    """All faults of the moves of a record, with the places of the plies."""

    def __init__(self) -> None:
        self.errors: list[FieldError] = []
        self.led: list[Steps] = []
        """The steps to each ply."""


def read_moves(
    rounds: Any, dialect: Dialect, *, pied: bool = False, told: ApFault | None = None
) -> ApMoves:
    """Return the plies of all rounds, with `swap` as the second one if the pie was taken.

    Raises FieldError for an invalid move. If `told` is given, the error is added to it instead, and
    the ply becomes `x`.
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
        if word != SWAP:  # the header records a swap, not the moves
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
    """Add the fault of a word to `told`, or raise it as FieldError if that is None."""
    error = FieldError(Fault("move", message, expected, ply=number), steps)
    if told is None:
        raise error
    told.errors.append(error)


def _slots(rounds: Any) -> Iterator[tuple[str, Comment, Steps]]:
    """Yield the words in the order of play, with their comments and the steps to them."""
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
    """Return the rounds of a record. Raises UnheldError if a move cannot be written."""
    slots: list[Any] = []
    with suppress(GameError):  # the first slot is empty if the second player begins
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
            slots += [_PASS] * (
                2 if outcome.winner is None else 1
            )  # both players pass before a draw
    return [slots[i : i + 2] for i in range(0, len(slots), 2)]


class ApRuling(NamedTuple):
    """The result of a game by AbstractPlay's rules and by the arena's, if they differ."""

    theirs: Result
    ours: Result

    def __str__(self) -> str:
        """Return the ruling in words."""
        why = "a new group of four beside an older one of five"
        return f"{why}: {self.theirs} by AbstractPlay's rules, {self.ours} by the arena's"


def ruling_of(record: Record) -> ApRuling | None:
    """Return both results of a record; None if they are equal or unknown.

    In Manalath, AbstractPlay first examines the groups without the last piece (`checkEOG` of its
    `manalath.ts`). So an older group of five wins even if the last piece has made a group of four.
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
    """Return a note about a record that ends differently under AbstractPlay's rules, or "".

    `written` is the format in which the record is written.
    """
    ruling = None if record.termination in ENDINGS.values() else ruling_of(record)
    if ruling is None:
        return ""
    return f"{ruling}; {ruling.theirs if written == 'abstractplay' else ruling.ours} is written"


class _Extras:
    """The AbstractPlay fields that a record kept, to be written with the fields from its tags."""

    def __init__(self, value: Json, read: Callable[[Json], object]) -> None:
        self._value = value
        self._read = read
        self._said = read(value)
        self.overruled: list[str] = []
        """The fields that were not written, because the tags contradict them."""

    def put_back(self, left: dict[str, str], tag: str, *steps: str | int) -> None:
        """Write the fields that a tag holds as JSON, and remove the tag from `left`."""
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
"""The tags that keep fields without a tag of their own."""


_BEGINS: Final = re.compile(r'\{\s*"(?:header|moves)"\s*:')
"""The start of a record."""

_WORDS: Final = {reason: word for word, reason in ENDINGS.items()}

_NEAREST: Final = {
    Result.FIRST_WON: "resign",
    Result.SECOND_WON: "resign",
    Result.DRAWN: "draw",
    Result.UNFINISHED: "abandoned",
}
"""The word for an end outside the rules that AbstractPlay does not have."""


def read(stream: BinaryIO, name: str) -> Iterator[Entry]:
    """Yield the records of a stream lazily; the moves are read, but not played."""
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
    """Return all faults of the players and the moves of a record."""
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
    """Yield an array of the records, one per line; records of other games are left out."""
    before = b"[\n"
    for value in held(records, lost, to_json):
        yield before + _text(value)
        before = b",\n"
    yield b"[]\n" if before == b"[\n" else b"\n]\n"


def from_json(value: Any) -> Record:
    """Return the record of an AbstractPlay object. Raises FieldError if it is invalid."""
    known = _known(value)
    # tags for fields that these would not write back
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
    """Return the record from the fields that have tags of their own."""
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
    """Return the record as an AbstractPlay object, and the names of fields that it cannot hold.

    The object is read back as the same tags; each tag that is not read back is named. Raises
    UnheldError if the format cannot hold the record at all.
    """
    value, left = _plainly(record)
    line = read_moves(value["moves"], _dialect_of(record), pied=SWAP in record.moves)
    if "AbstractPlayMoves" in left:
        with suppress(FieldError):  # the kept moves are unchanged, unless the record was edited
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
        unheld.append("result *")  # the format has no unfinished games
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
"""Tags that are read back as other tags, or reported elsewhere."""


def _dialect_of(record: Record) -> Dialect:
    dialect = next((each for each in DIALECTS if each.game_id == record.game), None)
    if dialect is None:
        raise UnheldError(f"game {record.game}")
    return dialect


def _plainly(record: Record) -> tuple[Json, dict[str, str]]:
    """Return the object from the tags with a meaning, and the remaining tags.

    Raises UnheldError.
    """
    dialect = _dialect_of(record)
    left = {name: value for name, value in record.tags if name not in {"Game", "Result"}}
    ending = _take_ending(left, record.result)
    rounds = format_moves(record, dialect, ending)
    ruling = None if ending else ruling_of(record)
    told = ruling if ruling and ruling.ours == record.result else None
    return {"header": header_of(left, record, dialect, told), "moves": rounds}, left


def _can_be_read(value: Json) -> bool:
    """Return whether a file with only this record can be read back."""
    found = list(objects(io.BytesIO(_text(value)), _BEGINS))
    return [(text.fault, text.value) for text in found] == [(None, value)]


def _text(value: Json) -> bytes:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    # half surrogate pairs, from names that other programs cut, are not valid UTF-8
    return re.sub("[\ud800-\udfff]", lambda half: f"\\u{ord(half[0]):04x}", text).encode()


def _take_ending(left: dict[str, str], result: Result) -> str:
    """Return the word after the last move; another Termination stays in `left`."""
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
