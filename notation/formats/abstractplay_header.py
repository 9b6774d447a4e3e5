"""The header of AbstractPlay's records as tags, in both directions, and its names of games.

`abstractplay` describes the format.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Final, NamedTuple, NoReturn

from lath import games
from lath.games.core import Result
from lath.games.errors import GameError, MoveSyntaxError, PositionError
from lath.notation.formats import UnheldError
from lath.notation.formats.json_text import load_strictly
from lath.notation.record.errors import Fault, RecordSyntaxError
from lath.notation.record.record import Record
from lath.notation.record.tags import date_of
from lath.notation.rules.replay import start_of
from lath.notation.tables.data import FieldError

SWAP: Final = "swap"


def refuse(
    code: str, message: str, expected: str, *steps: str | int, ply: int | None = None
) -> NoReturn:
    """Raise the FieldError of the value at these steps."""
    raise FieldError(Fault(code, message, expected, ply=ply), steps)


@dataclass(frozen=True, slots=True)
class Dialect:
    """AbstractPlay's notation of one game."""

    title: str
    """The name in the header."""
    game_id: str
    """The id of the game in the arena."""
    has_pie: bool
    has_pass: bool

    def move(self, word: str) -> str:
        """Return the canonical move for a word. Raises MoveSyntaxError if it is invalid."""
        coloured = re.fullmatch("([a-i][1-9])([wb])", word) if self.has_pass else None
        return games.get(self.game_id).canonical(
            "OP"["wb".index(coloured[2])] + coloured[1] if coloured else word
        )

    def word(self, move: str) -> str:
        """Return AbstractPlay's word for a move. Raises UnheldError for other moves."""
        try:
            text = games.get(self.game_id).canonical(move)
        except MoveSyntaxError as error:
            raise UnheldError(f"move {move}") from error
        return text[1:] + "wb"["OP".index(text[0])] if self.has_pass else text


DIALECTS: Final = (
    Dialect("Manalath", "manalath-61", has_pie=False, has_pass=True),
    Dialect("Yavalath", "yavalath", has_pie=True, has_pass=False),
)


Json = dict[str, Any]

SIDES: Final = ("First", "Second")

SidesOfPair = tuple[Json, Json]
"""The header's data of the first and the second player."""


class _Kind(NamedTuple):
    """The type of a value, and its form in a tag."""

    fits: Callable[[Any], bool]
    to_tag: Callable[[Any], str]
    from_tag: Callable[[str], Any]
    """Returns None if the tag does not have such a value."""


def _one_line(text: Any) -> str:
    """Return the text in a form that a tag can hold; empty if it is not text."""
    return readable(" ".join(text.splitlines())) if isinstance(text, str) else ""


def readable(text: str) -> str:
    """Return the text with a replacement character for each half surrogate pair."""
    return re.sub("[\ud800-\udfff]", "\N{REPLACEMENT CHARACTER}", text)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_id(value: Any) -> bool:
    return _is_text(value) or _is_number(value)


def _id_tag(value: str | float) -> str:
    """Return the tag of a game's id: the text, in quotes if it could be read as JSON.

    >>> _id_tag(7), _id_tag("7"), _id_tag("true")
    ('7', '"7"', 'true')
    """
    is_plain = isinstance(value, str) and _id(value) == value
    return _one_line(value) if is_plain else json.dumps(value)


def _id(tag: str) -> str | float:
    """Return the id of a tag, so that the same tag is written for it."""
    value = json_of(tag)
    return value if _is_id(value) and _id_tag(value) == tag else tag


def json_of(text: str | None) -> Any:
    """Return the value of a tag with JSON; None for another tag."""
    try:
        return None if text is None else load_strictly(text)
    except RecordSyntaxError:
        return None


_TEXT: Final = _Kind(_is_text, _one_line, str)
_NUMBER: Final = _Kind(_is_number, json.dumps, json_of)
_BOOL: Final = _Kind(lambda value: isinstance(value, bool), json.dumps, json_of)
_TEXTS: Final = _Kind(
    lambda value: isinstance(value, list) and value != [] and all(map(_is_text, value)),
    json.dumps,
    json_of,
)

_Fields = Mapping[str, tuple[str, _Kind]]
"""The tag and the type of a value, by its key."""

_MEETING: Final[_Fields] = {"event": ("Event", _TEXT), "round": ("Round", _TEXT)}
_GAME_ID: Final[_Fields] = {"gameid": ("GameId", _Kind(_is_id, _id_tag, _id))}
_VARIANTS: Final[_Fields] = {"variants": ("Variants", _TEXTS)}
_RATING: Final[_Fields] = {"unrated": ("Unrated", _BOOL)}
_PLAYER: Final[_Fields] = {
    "userid": ("UserId", _TEXT),
    "is_ai": ("IsAi", _BOOL),
    "score": ("Score", _NUMBER),
}


def _tags(values: Json, fields: _Fields, seat: str = "") -> dict[str, str]:
    """Return the tags of the existing fields; `seat` is the prefix of their names."""
    return {
        seat + tag: kind.to_tag(values[key])
        for key, (tag, kind) in fields.items()
        if kind.fits(values.get(key))
    }


def _take(left: dict[str, str], fields: _Fields, seat: str = "") -> Json:
    """Return the fields whose tags exist, and remove these tags from `left`."""
    values = {}
    for key, (tag, kind) in fields.items():
        if (text := left.get(seat + tag)) is not None and kind.fits(value := kind.from_tag(text)):
            values[key] = value
            del left[seat + tag]
    return values


NUMBERS: Final = {
    Result.FIRST_WON: (1, 0),
    Result.SECOND_WON: (0, 1),
    Result.DRAWN: (1, 1),
    Result.UNFINISHED: (0, 0),
}
"""The results of the first and second player in AbstractPlay, by the result."""

_TIMES: Final = {
    "date-start": "StartTime",
    "date-end": "EndTime",
    "date-generated": "GeneratedTime",
}

_MIDNIGHT: Final = "T00:00:00.000Z"
_NO_DAY: Final = "0001-01-01"

_PIE: Final = ("pied", "pie-invoked")
"""The fields for a taken pie; the tag `Pie` names them if it is not only the first one."""


def checked(value: Any) -> tuple[Json, Dialect, SidesOfPair]:
    """Return the header of a record, the notation of its game, and its players.

    Raises FieldError if the header is invalid.
    """
    for error in header_errors(value):
        raise error
    header = value["header"]
    one, two = header["players"]
    return header, dialect_of(header["game"]), (two, one) if is_pied(header) else (one, two)


def header_errors(value: Any) -> Iterator[FieldError]:
    """Yield the faults of the game and the players of a record."""
    header = value.get("header") if isinstance(value, dict) else None
    if not isinstance(header, dict):
        is_of_lines = isinstance(value, dict) and {"tags", "plies", "result"} & value.keys()
        what = "the record is JSON Lines, of which the suffix is .jsonl" if is_of_lines else ""
        expected = 'an object with "header" and "moves", as AbstractPlay writes'
        yield _error(what or "the record has no header", expected, "header")
        return
    try:
        dialect = dialect_of(header.get("game"))
    except FieldError as error:
        yield error
        return
    if is_pied(header) and not dialect.has_pie:
        keys = (key for key in _PIE if header.get(key))
        yield _error(f"{dialect.title} has no pie rule", "no pie", "header", *keys)
    players, steps = header.get("players"), ("header", "players")
    if not isinstance(players, list) or len(players) != 2:
        count = len(players) if isinstance(players, list) else "no"
        yield _error(f"{dialect.title} with {count} players", "two players", *steps)
        return
    for number, player in enumerate(players):
        if not isinstance(player, dict) or not isinstance(player.get("name"), str):
            yield _error("a player has no name", 'an object with a "name"', *steps, number)
        elif not _is_number(player.get("result")):
            message = f"player {player['name'][:40]!r} has no result"
            yield _error(message, "a number", *steps, number, "result")


def date_errors(value: Any) -> Iterator[FieldError]:
    """Yield the faults of dates that have the right form but do not exist."""
    header = value.get("header") if isinstance(value, dict) else None
    times = header if isinstance(header, dict) else {}
    for key in _TIMES:
        text = times[key] if isinstance(times.get(key), str) else ""
        if re.match(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?![0-9])", text) and not date_of(text[:10]):
            message, expected = f"{key} {text[:40]!r} is not a date", "a date such as 2024-11-03"
            yield _error(message, expected, "header", key)


def _error(message: str, expected: str, *steps: str | int) -> FieldError:
    return FieldError(Fault("header", message, expected), steps)


def dialect_of(game: Any) -> Dialect:
    """Return the notation of a game. Raises FieldError if the game is unknown."""
    name = game.get("name") if isinstance(game, dict) else None
    if not isinstance(name, str):
        refuse(
            "header", "the header does not name a game", 'an object with a "name"', "header", "game"
        )
    by_title = {dialect.title.lower(): dialect for dialect in DIALECTS}
    if dialect := by_title.get(name.lower()):
        return dialect
    known = " or ".join(dialect.title for dialect in DIALECTS)
    message = f"the game {name[:40]!r} is not supported"
    close = get_close_matches(name[:40].lower().strip(), by_title, n=1, cutoff=0.8)
    raise FieldError(
        Fault("unknown-game", message, known, meant=by_title[close[0]].title if close else ""),
        ("header", "game", "name"),
    )


def is_pied(header: Json) -> bool:
    """Return whether the header has a taken pie."""
    return any(header.get(key) is True for key in _PIE)


def players_of(record: Record) -> tuple[str, str]:
    """Return the tags of the players' names in the order of AbstractPlay's players."""
    return SIDES[::-1] if SWAP in record.moves else SIDES


def result_of(first: float, second: float, ending: str) -> Result:
    """Return the result of a game with these numbers and the word after the moves."""
    if first == second:
        return Result.UNFINISHED if ending == "abandoned" else Result.DRAWN
    return Result.FIRST_WON if first > second else Result.SECOND_WON


def tags_of(header: Json, dialect: Dialect, seats: SidesOfPair, usual: Result) -> dict[str, str]:
    """Return the tags of a header, except for the end; `usual` is the result in AbstractPlay."""
    site = header["site"] if isinstance(header.get("site"), dict) else {}
    tags = {"Game": dialect.game_id, **_tags(header, _MEETING)}
    if isinstance(name := site.get("name"), str) and name != "?":
        tags["Site"] = _one_line(name)
    tags |= _time_tags(header)
    for seat, player in zip(SIDES, seats, strict=True):
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
    for seat, player, number in zip(SIDES, seats, NUMBERS[usual], strict=True):
        tags |= _tags(player, _PLAYER, seat)
        if player["result"] != number:
            tags[f"{seat}Result"] = json.dumps(player["result"])
    return tags


def _time_tags(header: Json) -> dict[str, str]:
    """Return the tag of the day, and tags of times that do not follow from the time before."""
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
    left: dict[str, str], record: Record, dialect: Dialect, ruling: tuple[Result, Result] | None
) -> Json:
    """Return the header of a record, and remove the tags that it holds from `left`.

    `ruling` has the results of AbstractPlay and of the arena, if they differ.
    """
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
    numbers = dict(zip(SIDES, _take_numbers(left, record, ruling), strict=True))
    header["players"] = [
        {
            "name": left.pop(seat, "?"),
            **_take(left, _PLAYER, seat),
            "result": numbers[seat],
        }
        for seat in players_of(record)
    ]
    if (position := _take_position(left, record)) is not None:
        header["startingPosition"] = position
    return header


def _take_times(left: dict[str, str]) -> dict[str, str]:
    """Return the three times; a start on another day than `Date` stays in `left`."""
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
    left: dict[str, str], record: Record, ruling: tuple[Result, Result] | None
) -> tuple[float, float]:
    """Return the results of both players; those of the tags, if they mean the same."""
    result = record.result
    usual = NUMBERS[ruling[0] if ruling else result]
    tags = [f"{seat}Result" for seat in SIDES]
    numbers = {tag: number for tag in tags if _is_number(number := json_of(left.get(tag)))}
    first, second = (numbers.get(tag, default) for tag, default in zip(tags, usual, strict=True))
    if result_of(first, second, "" if result.is_finished else "abandoned") not in {
        result,
        *(ruling or ()),
    }:
        return usual
    for tag in numbers:
        del left[tag]
    return first, second


def _take_position(left: dict[str, str], record: Record) -> str | None:
    """Return the starting position, if it is not the default one."""
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
    return None  # it would be read as a position of another kind
