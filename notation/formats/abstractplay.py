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
  of five that is older (`Ruling`). The record has our result and the file theirs.
- A setup with blockers is written as the starting position. A record without a date is written
  with that of the year 1, for the schema wants one.

Must not know how a file is split into objects.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any, BinaryIO, Final, NamedTuple, NoReturn

from lath import games
from lath.games.core import Seat, follow
from lath.games.errors import GameError, MoveSyntaxError, PositionError
from lath.notation.data import FieldError, Steps
from lath.notation.errors import Fault, RecordSyntaxError
from lath.notation.formats import Lost, UnheldError, held, remarks
from lath.notation.formats.json_text import load_strictly, objects, placed
from lath.notation.reader import Entry, RecordText, entries_from
from lath.notation.record import Comment, Ply, Record, Termination, comment, date_of
from lath.notation.replay import end_of, start_of

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


def _refuse(
    code: str, message: str, expected: str, *steps: str | int, ply: int | None = None
) -> NoReturn:
    raise FieldError(Fault(code, message, expected, ply=ply), steps)


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


DIALECTS: Final = (
    Dialect("Manalath", "manalath-61", has_pie=False, has_pass=True),
    Dialect("Yavalath", "yavalath", has_pie=True, has_pass=False),
)


class Line(NamedTuple):
    """The moves of one record."""

    plies: tuple[Ply, ...]
    ending: str
    """One of ENDINGS, or empty."""


def read_moves(rounds: Any, dialect: Dialect, *, pied: bool = False) -> Line:
    """Return the plies of all rounds, with `swap` as the second if the pie was taken.

    Raises FieldError.
    """
    plies: list[Ply] = []
    ending = passed = ""
    for word, said, steps in _slots(rounds):
        number = len(plies) + 1
        if over := ending or passed * (word not in {_PASS, *ENDINGS}):
            message = f"{word[:40]!r} stands after {over!r}"
            _refuse("move", message, "no further move", *steps, ply=number)
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
            _refuse("move", message, expected, *steps, ply=number)
        plies.append(Ply(move, comments=(said,) if said else ()))
        if pied and number == 1:
            plies.append(Ply(SWAP))
    if pied and not plies:
        _refuse("move", "the pie was taken, but there is no move", "a first move", "moves")
    return Line(tuple(plies), ending)


def _slots(rounds: Any) -> Iterator[tuple[str, Comment, Steps]]:
    """Yield the words in the order of play, what is said of each, and the steps that lead to it."""
    if not isinstance(rounds, list):
        _refuse("move", "the moves are no rounds", "an array", "moves")
    for i, each in enumerate(rounds):
        if not isinstance(each, list):
            _refuse("move", "a round is no array", "an array", "moves", i)
        played = []
        for k, slot in enumerate(each):
            if slot is None:
                continue
            fields = slot if isinstance(slot, dict) else {"move": slot}
            move, order, result = map(fields.get, ("move", "sequence", "result"))
            if not isinstance(move, str):
                expected = "a text, an object with a move, or null"
                _refuse("move", "this is not a move", expected, "moves", i, k)
            said = comment(_readable(result)) if isinstance(result, str) else ()
            played.append((order, "".join(move.lower().split()), said, ("moves", i, k)))
        if all(isinstance(order, int) for order, *_ in played):
            played.sort(key=itemgetter(0))
        yield from ((word, said, steps) for _, word, said, steps in played if word)


def format_moves(record: Record, dialect: Dialect, ending: str) -> list[list[Any]]:
    """Return the rounds of a record; raises UnheldError."""
    slots: list[Any] = []
    with suppress(GameError):  # the slot of first stays empty where second begins
        if record.tag("Position") and start_of(record).to_move is Seat.SECOND:
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


Json = dict[str, Any]

SEATS: Final = ("First", "Second")

Seats = tuple[Json, Json]
"""First and second player, as the header tells of them."""


class _Kind(NamedTuple):
    """What a value is, and how a tag holds it."""

    fits: Callable[[Any], bool]
    to_tag: Callable[[Any], str]
    from_tag: Callable[[str], Any]
    """None where the tag holds no such value."""


def _one_line(text: Any) -> str:
    """Return the text as a tag can hold it; empty for what is no text."""
    return _readable(" ".join(text.splitlines())) if isinstance(text, str) else ""


def _readable(text: str) -> str:
    """Return the text with a replacement character for half a surrogate pair."""
    return re.sub("[\ud800-\udfff]", "\N{REPLACEMENT CHARACTER}", text)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_id(value: Any) -> bool:
    return _is_text(value) or _is_number(value)


def _are_variants(value: Any) -> bool:
    return isinstance(value, list) and value != [] and all(map(_is_text, value))


def _id_tag(value: str | float) -> str:
    """Return the tag of a game's id: a text as it stands, in quotes if it would be taken for JSON.

    >>> _id_tag(7), _id_tag("7"), _id_tag("true")
    ('7', '"7"', 'true')
    """
    is_plain = isinstance(value, str) and _id(value) == value
    return _one_line(value) if is_plain else json.dumps(value)


def _id(tag: str) -> str | float:
    """Return the id that a tag holds: what has this tag, so that it comes back as it was."""
    value = _json(tag)
    return value if _is_id(value) and _id_tag(value) == tag else tag


def _json(text: str | None) -> Any:
    """Return the value of a tag that holds JSON; None for another."""
    try:
        return None if text is None else load_strictly(text)
    except RecordSyntaxError:
        return None


_TEXT: Final = _Kind(_is_text, _one_line, str)
_NUMBER: Final = _Kind(_is_number, json.dumps, _json)
_BOOL: Final = _Kind(lambda value: isinstance(value, bool), json.dumps, _json)

_Fields = Mapping[str, tuple[str, _Kind]]
"""Tag and kind of a value by its key."""

_MEETING: Final[_Fields] = {"event": ("Event", _TEXT), "round": ("Round", _TEXT)}
_GAME_ID: Final[_Fields] = {"gameid": ("GameId", _Kind(_is_id, _id_tag, _id))}
_VARIANTS: Final[_Fields] = {"variants": ("Variants", _Kind(_are_variants, json.dumps, _json))}
_RATING: Final[_Fields] = {"unrated": ("Unrated", _BOOL)}
_PLAYER: Final[_Fields] = {
    "userid": ("UserId", _TEXT),
    "is_ai": ("IsAi", _BOOL),
    "score": ("Score", _NUMBER),
}


def _tags(values: Json, fields: _Fields, seat: str = "") -> dict[str, str]:
    """Return the tags of the fields that are there; `seat` begins their names."""
    return {
        seat + tag: kind.to_tag(values[key])
        for key, (tag, kind) in fields.items()
        if kind.fits(values.get(key))
    }


def _take(left: dict[str, str], fields: _Fields, seat: str = "") -> Json:
    """Return the fields whose tags are there, and take those from `left`."""
    values = {}
    for key, (tag, kind) in fields.items():
        if (text := left.get(seat + tag)) is not None and kind.fits(value := kind.from_tag(text)):
            values[key] = value
            del left[seat + tag]
    return values


_NUMBERS: Final = {"1-0": (1, 0), "0-1": (0, 1), "1/2-1/2": (1, 1), "*": (0, 0)}
"""The results of first and second, as AbstractPlay gives them."""

_TIMES: Final = {
    "date-start": "StartTime",
    "date-end": "EndTime",
    "date-generated": "GeneratedTime",
}

_MIDNIGHT: Final = "T00:00:00.000Z"
_NO_DAY: Final = "0001-01-01"

_PIE: Final = ("pied", "pie-invoked")
"""The fields that say that the pie was taken; the tag `Pie` says which, if not only the first."""


def checked(value: Any) -> tuple[Json, Dialect, Seats]:
    """Return the header of a record, how its game is written, and its players.

    Raises FieldError.
    """
    header = value.get("header") if isinstance(value, dict) else None
    if not isinstance(header, dict):
        expected = 'an object with "header" and "moves"'
        _refuse("header", "the record has no header", expected, "header")
    dialect = _dialect(header.get("game"))
    if is_pied(header) and not dialect.has_pie:
        keys = (key for key in _PIE if header.get(key))
        _refuse("header", f"{dialect.title} has no pie rule", "no pie", "header", *keys)
    players, steps = header.get("players"), ("header", "players")
    if not isinstance(players, list) or len(players) != 2:
        count = len(players) if isinstance(players, list) else "no"
        _refuse("header", f"{dialect.title} of {count} players", "two players", *steps)
    for number, player in enumerate(players):
        if not isinstance(player, dict) or not isinstance(player.get("name"), str):
            _refuse("header", "a player has no name", 'an object with a "name"', *steps, number)
        if not _is_number(player.get("result")):
            message = f"player {player['name'][:40]!r} has no result"
            _refuse("header", message, "a number", *steps, number, "result")
    one, two = players
    return header, dialect, (two, one) if is_pied(header) else (one, two)


def _dialect(game: Any) -> Dialect:
    name = game.get("name") if isinstance(game, dict) else None
    if not isinstance(name, str):
        _refuse("header", "the header names no game", 'an object with a "name"', "header", "game")
    for dialect in DIALECTS:
        if dialect.title.lower() == name.lower():
            return dialect
    known = " or ".join(dialect.title for dialect in DIALECTS)
    message = f"{name[:40]!r} is no game that is read"
    _refuse("unknown-game", message, known, "header", "game", "name")


def is_pied(header: Json) -> bool:
    """Return whether the header says that the pie was taken."""
    return any(header.get(key) is True for key in _PIE)


def seats_of(record: Record) -> tuple[str, str]:
    """Return the names of our seats in the order of AbstractPlay's players."""
    return SEATS[::-1] if SWAP in record.moves else SEATS


def result_of(first: float, second: float, ending: str) -> str:
    """Return the result of a game after whose moves the word `ending` stands."""
    if first == second:
        return "*" if ending == "abandoned" else "1/2-1/2"
    return "1-0" if first > second else "0-1"


class Ruling(NamedTuple):
    """How one game ended by AbstractPlay's rules and by ours, where that is not the same."""

    theirs: str
    ours: str

    def __str__(self) -> str:
        """Return it in words."""
        why = "a new group of four beside an older one of five"
        return f"{why}: {self.theirs} by AbstractPlay's rules, {self.ours} by ours"


def ruling_of(record: Record) -> Ruling | None:
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
    if _FIVE in older and _FIVE - 1 not in older:
        return Ruling(theirs=("1-0", "0-1")[loser], ours=outcome.result)
    return None


_FIVE: Final = 5


def note_of(record: Record, written: str) -> str:
    """Return in words how a record ends otherwise by AbstractPlay's rules; empty where not so.

    `written` is the format in which it is written.
    """
    ruling = None if record.termination in ENDINGS.values() else ruling_of(record)
    if ruling is None:
        return ""
    return f"{ruling}; {ruling.theirs if written == 'abstractplay' else ruling.ours} is written"


def tags_of(header: Json, dialect: Dialect, seats: Seats, usual: str) -> dict[str, str]:
    """Return the tags of a header, but for how the game ended; `usual` is the result there."""
    site = header["site"] if isinstance(header.get("site"), dict) else {}
    tags = {"Game": dialect.game_id, **_tags(header, _MEETING)}
    if isinstance(name := site.get("name"), str) and name != "?":
        tags["Site"] = _one_line(name)
    tags |= _time_tags(header)
    for seat, player in zip(SEATS, seats, strict=True):
        tags[seat] = _one_line(player["name"])
    if isinstance(position := header.get("startingPosition"), str):
        try:
            games.get(dialect.game_id).position(position)
            tags["Position"] = position
        except PositionError:
            tags["StartingPosition"] = _one_line(position)
    tags |= _tags(site, _GAME_ID) | _tags(header["game"], _VARIANTS) | _tags(header, _RATING)
    if header.get("pie-invoked") is True:
        tags["Pie"] = ", ".join(key for key in _PIE if header.get(key) is True)
    for seat, player, number in zip(SEATS, seats, _NUMBERS[usual], strict=True):
        tags |= _tags(player, _PLAYER, seat)
        if player["result"] != number:
            tags[f"{seat}Result"] = json.dumps(player["result"])
    return tags


def _time_tags(header: Json) -> dict[str, str]:
    """Return the day, and those times that do not follow from what stands before them."""
    tags = {}
    start = _one_line(header.get("date-start", ""))
    if start != _NO_DAY + _MIDNIGHT and date_of(start[:10]):
        tags["Date"] = start[:10]
    before = tags.get("Date", _NO_DAY) + _MIDNIGHT
    for key, tag in _TIMES.items():
        time = _one_line(header.get(key, before))
        if time and time != before:
            tags[tag] = before = time
    return tags


def header_of(
    left: dict[str, str], record: Record, dialect: Dialect, ruling: Ruling | None
) -> Json:
    """Return the header of a record, and take from `left` the tags that it holds."""
    header: Json = {
        "game": {"name": dialect.title, "variants": [], **_take(left, _VARIANTS)},
        **_take(left, _MEETING),
        "site": {"name": left.pop("Site", "?"), **_take(left, _GAME_ID)},
        **_take_times(left),
        **_take(left, _RATING),
    }
    if SWAP in record.moves:
        keys = left.get("Pie", "").split(", ")
        if set(keys) <= set(_PIE):
            del left["Pie"]
        else:
            keys = ["pied"]
        header |= dict.fromkeys(keys, True)
    numbers = dict(zip(SEATS, _take_numbers(left, record, ruling), strict=True))
    header["players"] = [
        {
            "name": left.pop(seat, "?"),
            **_take(left, _PLAYER, seat),
            "result": numbers[seat],
        }
        for seat in seats_of(record)
    ]
    if (position := _take_position(left, record)) is not None:
        header["startingPosition"] = position
    return header


def _take_times(left: dict[str, str]) -> dict[str, str]:
    """Return the three times; a beginning on another day than `Date` stays in `left`."""
    day = left.get("Date", "")
    before = (day if date_of(day) else _NO_DAY) + _MIDNIGHT
    times = {}
    for key, tag in _TIMES.items():
        time = left.get(tag, before)
        if key == "date-start" and date_of(day) and not time.startswith(day):
            time = before
        else:
            left.pop(tag, None)
        times[key] = before = time
    if date_of(day) or day == "?":
        left.pop("Date", None)
    return times


def _take_numbers(
    left: dict[str, str], record: Record, ruling: Ruling | None
) -> tuple[float, float]:
    """Return the results of first and second; those of the tags, if they say the same."""
    result = record.result
    usual = _NUMBERS[ruling.theirs if ruling else result]
    tags = [f"{seat}Result" for seat in SEATS]
    numbers = {tag: number for tag in tags if _is_number(number := _json(left.get(tag)))}
    first, second = (numbers.get(tag, default) for tag, default in zip(tags, usual, strict=True))
    if result_of(first, second, "abandoned" if result == "*" else "") not in {
        result,
        *(ruling or ()),
    }:
        return usual
    for tag in numbers:
        del left[tag]
    return first, second


def _take_position(left: dict[str, str], record: Record) -> str | None:
    """Return where the game starts, if not on the plain empty board."""
    if "Position" in left:
        return left.pop("Position")
    if "Setup" in left:
        try:
            start = start_of(record)
        except GameError:
            return None
        del left["Setup"]
        return None if start == start.game.start() else start.text()
    words = left.get("StartingPosition", "")
    try:
        games.get(record.game).position(words)
    except PositionError:
        return left.pop("StartingPosition", None)
    return None  # it would be read as one of ours


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
        extra = _json(left.get(tag))
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

_NEAREST: Final = {"1-0": "resign", "0-1": "resign", "1/2-1/2": "draw", "*": "abandoned"}
"""What is written for an end outside the rules that AbstractPlay has no word for."""


def read(stream: BinaryIO, name: str) -> Iterator[Entry]:
    """Yield the records of a stream, lazily; the moves are read, but not played."""
    return entries_from(objects(stream, _BEGINS), name, _read)


def _read(text: RecordText) -> tuple[Record, tuple[Fault, ...]]:
    try:
        return from_json(text.value), ()
    except FieldError as error:
        raise placed(error.fault, text.text, error.steps) from error


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
    players = zip(seats_of(known), header["players"], kept["players"], strict=True)
    for seat, player, same in players:
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
    ends = {"Termination": ENDINGS.get(line.ending, Termination.RULES).value, "Result": result}
    return replace(record, tags=(*tags.items(), *ends.items()), result=result)


def _rest(given: Json, written: Json) -> Json:
    missing = object()
    return {key: value for key, value in given.items() if written.get(key, missing) != value}


def to_json(record: Record) -> tuple[Json, list[str]]:
    """Return the record as AbstractPlay would tell it, and the names of what it cannot hold.

    What is returned is read as what the tags say; of the tags that are not read back so, each is
    named. Raises UnheldError where it cannot hold the record at all.
    """
    value, left = _plainly(record)
    line = read_moves(value["moves"], _dialect_of(record), pied=SWAP in record.moves)
    if "AbstractPlayMoves" in left:
        with suppress(FieldError):  # they are as they were read, unless the record is another now
            kept = _json(left["AbstractPlayMoves"])
            if read_moves(kept, _dialect_of(record), pied=SWAP in record.moves) == line:
                value["moves"] = kept
                del left["AbstractPlayMoves"]
    overruled: list[str] = []
    if any(tag in left for tag in EXTRAS):
        plain = json.loads(json.dumps(value))
        extras = _Extras(value, lambda told: replace(_known(told), plies=()))
        extras.put_back(left, "HeaderExtra", "header")
        for place, seat in enumerate(seats_of(record)):
            extras.put_back(left, f"{seat}Extra", "header", "players", place)
        extras.put_back(left, "RecordExtra")
        overruled = extras.overruled
        if not _can_be_read(value):
            value = plain
            overruled = [f"tag {tag}" for tag in EXTRAS if record.tag(tag) and tag not in left]
    unheld = [f"tag {name}" for name in left]
    if record.result == "*" and not record.termination:
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
    if ruling and ruling.ours != record.result:
        ruling = None
    return {"header": header_of(left, record, dialect, ruling), "moves": rounds}, left


def _can_be_read(value: Json) -> bool:
    """Return whether a file with this record alone has it."""
    found = list(objects(io.BytesIO(_text(value)), _BEGINS))
    return [(text.fault, text.value) for text in found] == [(None, value)]


def _text(value: Json) -> bytes:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    # halves of surrogate pairs, which other programs cut names into, are no UTF-8
    return re.sub("[\ud800-\udfff]", lambda half: f"\\u{ord(half[0]):04x}", text).encode()


def _take_ending(left: dict[str, str], result: str) -> str:
    """Return the word after the last move; Termination stays in `left` where it is another."""
    termination = left.pop("Termination", "")
    word = _WORDS.get(termination)  # type: ignore[call-overload]  # a StrEnum is a str
    holds = result != "1/2-1/2" if word == "abandoned" else result != "*"
    if word and holds:
        return str(word)
    if termination in {"", "rules"} and result != "*":
        return ""
    if termination:
        left["Termination"] = termination
    return _NEAREST[result]
