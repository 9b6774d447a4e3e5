"""The header of AbstractPlay's records: its fields into tags, and back.

Must not know how moves are written.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Iterable
from typing import Any, Final, NoReturn

from lath import games
from lath.games.core import GameError, PositionError
from lath.notation.errors import Fault
from lath.notation.formats.abstractplay_moves import DIALECTS, SWAP, Dialect
from lath.notation.formats.json_pieces import read_json
from lath.notation.formats.piece import RefusedError
from lath.notation.record import Record
from lath.notation.replay import start_of

Json = dict[str, Any]

Seats = tuple[Json, Json]
"""First and second player, as the header tells of them."""

_Field = tuple[str, str, type]
"""A key, the tag of its value, and what the value is; float stands for every number."""

_MEETING: Final[tuple[_Field, ...]] = (("event", "Event", str), ("round", "Round", str))
_SITE: Final[tuple[_Field, ...]] = (("name", "Site", str),)
_RATING: Final[tuple[_Field, ...]] = (("unrated", "Unrated", bool),)
_PLAYER: Final[tuple[_Field, ...]] = (
    ("userid", "UserId", str),
    ("is_ai", "IsAi", bool),
    ("score", "Score", float),
)

_NUMBERS: Final = {"1-0": (1, 0), "0-1": (0, 1), "1/2-1/2": (1, 1), "*": (0, 0)}
"""The results of first and second, as AbstractPlay gives them."""

_MIDNIGHT: Final = "T00:00:00.000Z"
_NO_TIME: Final = f"0001-01-01{_MIDNIGHT}"

_PIE: Final = ("pied", "pie-invoked")
"""The fields that say that the pie was taken; the tag `Pie` says which, if not only the first."""


def checked(told: Any) -> tuple[Json, Dialect, Seats]:
    """Return the header of a record, how its game is written, and its players.

    Raises RefusedError.
    """
    header = told.get("header") if isinstance(told, dict) else None
    if not isinstance(header, dict):
        _refuse("the record has no header", 'an object with "header" and "moves"')
    dialect = _dialect(header.get("game"))
    if is_pied(header) and not dialect.has_pie:
        _refuse(
            f"{dialect.title} has no pie rule", "no pie", *(key for key in _PIE if header.get(key))
        )
    one, two = _players(header.get("players"), dialect)
    return header, dialect, (two, one) if is_pied(header) else (one, two)


def _dialect(game: Any) -> Dialect:
    name = game.get("name") if isinstance(game, dict) else None
    if not isinstance(name, str):
        _refuse("the header names no game", 'an object with a "name"', "game")
    for dialect in DIALECTS:
        if dialect.title.lower() == name.lower():
            return dialect
    known = " or ".join(dialect.title for dialect in DIALECTS)
    fault = Fault("unknown-game", f"{name[:40]!r} is no game that is read", known)
    raise RefusedError(fault, ("header", "game", "name"))


def _players(players: Any, dialect: Dialect) -> Seats:
    if not isinstance(players, list) or len(players) != 2:
        count = len(players) if isinstance(players, list) else "no"
        _refuse(f"{dialect.title} of {count} players", "two players", "players")
    for number, player in enumerate(players):
        if not isinstance(player, dict) or not isinstance(player.get("name"), str):
            _refuse("a player has no name", 'an object with a "name"', "players", number)
        if not _is_a(float, player.get("result")):
            name = player["name"][:40]
            _refuse(f"player {name!r} has no result", "a number", "players", number, "result")
    return players[0], players[1]


def _refuse(message: str, expected: str, *steps: str | int) -> NoReturn:
    raise RefusedError(Fault("header", message, expected), ("header", *steps))


def is_pied(header: Json) -> bool:
    """Return whether the header says that the pie was taken."""
    return any(header.get(key) is True for key in _PIE)


def _is_a(kind: type, value: Any) -> bool:
    if kind is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    return isinstance(value, kind)


def seats_of(record: Record) -> tuple[str, str]:
    """Return the names of our seats in the order of AbstractPlay's players."""
    return ("Second", "First") if SWAP in record.moves else ("First", "Second")


def result_of(seats: Seats, ending: str) -> str:
    """Return the result of a game after whose moves the word `ending` stands."""
    return _result(seats[0]["result"], seats[1]["result"], ending)


def _result(first: float, second: float, ending: str) -> str:
    if first == second:
        return "*" if ending == "abandoned" else "1/2-1/2"
    return "1-0" if first > second else "0-1"


def tags_of(header: Json, dialect: Dialect, seats: Seats, result: str) -> dict[str, str]:
    """Return the tags of a header, but for how the game ended."""
    site = header.get("site")
    tags = {"Game": dialect.game_id, **_tags(header, _MEETING)}
    if isinstance(site, dict) and site.get("name") != "?":
        tags |= _tags(site, _SITE)
    tags |= _time_tags(header)
    for seat, player in zip(("First", "Second"), seats, strict=True):
        tags[seat] = _one_line(player["name"])
    tags |= _position_tags(header.get("startingPosition"), dialect)
    if isinstance(site, dict) and _is_game_id(site.get("gameid")):
        tags["GameId"] = _game_id_tag(site["gameid"])
    if header["game"].get("variants"):
        tags["Variants"] = json.dumps(header["game"]["variants"])
    tags |= _tags(header, _RATING)
    if header.get("pie-invoked") is True:
        tags["Pie"] = ", ".join(key for key in _PIE if header.get(key) is True)
    for seat, player, usual in zip(("First", "Second"), seats, _NUMBERS[result], strict=True):
        tags |= {seat + tag: value for tag, value in _tags(player, _PLAYER).items()}
        if player["result"] != usual:
            tags[f"{seat}Result"] = json.dumps(player["result"])
    return tags


def _tags(told: Json, fields: Iterable[_Field]) -> dict[str, str]:
    return {
        tag: _one_line(told[key]) if kind is str else json.dumps(told[key])
        for key, tag, kind in fields
        if _is_a(kind, told.get(key))
    }


def _time_tags(header: Json) -> dict[str, str]:
    """Return the day, and those times that do not follow from what stands before them."""
    tags = {}
    start = _one_line(header.get("date-start", _NO_TIME))
    if start != _NO_TIME and _is_day(start[:10]):
        tags["Date"] = start[:10]
    before = _time(tags.get("Date", ""))
    for key, tag in (("date-start", "Start"), ("date-end", "End"), ("date-generated", "Generated")):
        time = _one_line(header.get(key, before))
        if time and time != before:
            tags[f"{tag}Time"] = before = time
    return tags


def _time(day: str) -> str:
    return day + _MIDNIGHT if day else _NO_TIME


def _is_day(text: str) -> bool:
    try:
        return dt.date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _position_tags(text: Any, dialect: Dialect) -> dict[str, str]:
    """Return the starting position: as ours, where it is one."""
    if not isinstance(text, str):
        return {}
    try:
        games.get(dialect.game_id).position(text)
    except PositionError:
        return {"StartingPosition": _one_line(text)}
    return {"Position": text}


def _one_line(text: Any) -> str:
    """Return the text as a tag can hold it; empty for what is no text."""
    line = " ".join(text.splitlines()) if isinstance(text, str) else ""
    return re.sub("[\ud800-\udfff]", "\N{REPLACEMENT CHARACTER}", line)


def _is_game_id(value: Any) -> bool:
    return isinstance(value, str) or _is_a(float, value)


def _game_id_tag(value: str | float) -> str:
    """Return the tag of a game's id: a text as it stands, in quotes if it would be taken for JSON.

    >>> _game_id_tag(7), _game_id_tag("7"), _game_id_tag("true")
    ('7', '"7"', 'true')
    """
    is_plain = isinstance(value, str) and _game_id(value) == value
    return _one_line(value) if is_plain else json.dumps(value)


def _game_id(tag: str) -> str | float:
    """Return the id that a tag tells: what has this tag, so that it comes back as it was."""
    value = _json(tag)
    return value if _is_game_id(value) and _game_id_tag(value) == tag else tag


def _json(text: str | None) -> Any:
    """Return the value of a tag that holds JSON; None for another."""
    try:
        return None if text is None else read_json(text)
    except RefusedError:
        return None


def header_of(left: dict[str, str], record: Record, dialect: Dialect) -> Json:
    """Return the header of a record, and take from `left` the tags that it holds."""
    header: Json = {
        "game": {"name": dialect.title, "variants": _take_variants(left)},
        **_take(left, _MEETING),
        "site": {"name": left.pop("Site", "?"), **_take_game_id(left)},
        **_take_times(left),
        **_take(left, _RATING),
    }
    if SWAP in record.moves:
        header |= dict.fromkeys(_take_pie(left), True)
    header["players"] = _take_players(left, record)
    if position := _take_position(left, record):
        header["startingPosition"] = position
    extra = take_extra(left, "HeaderExtra")
    return {**header, **extra, "players": header["players"]}


def _take(left: dict[str, str], fields: Iterable[_Field], seat: str = "") -> Json:
    told = {}
    for key, tag, kind in fields:
        text = left.get(seat + tag)
        value = text if kind is str else _json(text)
        if _is_a(kind, value):
            told[key] = value
            del left[seat + tag]
    return told


def _take_variants(left: dict[str, str]) -> list[str]:
    variants = _json(left.get("Variants"))
    if not isinstance(variants, list) or not all(isinstance(each, str) for each in variants):
        return []
    del left["Variants"]
    return variants


def _take_game_id(left: dict[str, str]) -> Json:
    if "GameId" not in left:
        return {}
    return {"gameid": _game_id(left.pop("GameId"))}


def _take_pie(left: dict[str, str]) -> list[str]:
    keys = left.get("Pie", "").split(", ")
    if not set(keys) <= set(_PIE):
        return ["pied"]
    del left["Pie"]
    return keys


def _take_times(left: dict[str, str]) -> dict[str, str]:
    """Return the three times; a day that the first contradicts stays in `left`."""
    day = left.get("Date", "")
    before = _time(day if _is_day(day) else "")
    times = {}
    for key, tag in (("date-start", "Start"), ("date-end", "End"), ("date-generated", "Generated")):
        times[key] = before = left.pop(f"{tag}Time", before)
    if day in {"", "?"} or (_is_day(day) and times["date-start"].startswith(day)):
        left.pop("Date", None)
    return times


def _take_players(left: dict[str, str], record: Record) -> list[Json]:
    numbers = dict(zip(("First", "Second"), _take_numbers(left, record), strict=True))
    return [
        {
            "name": left.pop(seat, "?"),
            **_take(left, _PLAYER, seat),
            "result": numbers[seat],
            **take_extra(left, f"{seat}Extra"),
        }
        for seat in seats_of(record)
    ]


def _take_numbers(left: dict[str, str], record: Record) -> tuple[float, float]:
    """Return the results of first and second; those of the tags, if they say the same."""
    usual = _NUMBERS[record.result]
    tags = ("FirstResult", "SecondResult")
    told = {tag: number for tag in tags if _is_a(float, number := _json(left.get(tag)))}
    first, second = (told.get(tag, default) for tag, default in zip(tags, usual, strict=True))
    if _result(first, second, "abandoned" if record.result == "*" else "") != record.result:
        return usual
    for tag in told:
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
    return left.pop("StartingPosition", None)


def take_extra(left: dict[str, str], tag: str) -> Json:
    """Return the fields that a tag holds as JSON, and take it from `left` if it does."""
    extra = _json(left.get(tag))
    if not isinstance(extra, dict):
        return {}
    del left[tag]
    return extra
