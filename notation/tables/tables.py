"""Records as tables: the columns of a table of games and one of plies, and their rows.

A row is a tuple of plain values in the order of the columns; missing values are None. CSV, Parquet
and data frames share these columns.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import chain, islice
from math import isfinite
from operator import itemgetter
from typing import Any, Final, Literal, NamedTuple

from lath.games.capabilities import extras_of
from lath.games.core import RESULTS, Position
from lath.games.errors import GameError
from lath.notation.files.bounds import read_json
from lath.notation.record.errors import NotationError, instead, shortened
from lath.notation.record.record import SHORT, Annotation, Ply, Record, Remembered, record_as_read
from lath.notation.record.tags import (
    KNOWN_TAGS,
    MOVES,
    NOT_RECORDED,
    UNKNOWN_GAME,
    date_of,
)
from lath.notation.rules.replay import start_of
from lath.notation.text.suggestions import RESULTS_IN_WORDS, meant_result
from lath.notation.text.writer import format_record, tag_lines

Kind = Literal["text", "integer", "number", "date", "texts"]
"""The type of a column's values: `str`, `int`, `float`, `datetime.date`, `tuple[str, ...]`."""


class Column(NamedTuple):
    """One column of a table."""

    name: str
    kind: Kind
    meaning: str
    """The meaning of its values, with units."""
    is_always_there: bool = False
    """True if no value is None."""


def column_of(tag: str) -> str:
    """Return the name of a tag's column.

    >>> column_of("TimeControl")
    'time_control'
    """
    return re.sub("(?<=[a-z])(?=[A-Z])", "_", tag).lower()


TAG_COLUMNS: Final = {tag: column_of(tag) for tag in KNOWN_TAGS}
"""The columns of the tags that have their own column."""

_END: Final = ("Result", "Termination")
"""Tags whose columns come after the number of plies."""

GAMES: Final = (
    *(
        Column(column, "date" if tag == "Date" else "text", f"the tag {tag}")
        for tag, column in TAG_COLUMNS.items()
        if tag not in _END
    ),
    Column("plies", "integer", "number of moves made", is_always_there=True),
    Column("result", "text", "1-0, 0-1, 1/2-1/2 or *", is_always_there=True),
    Column("termination", "text", "the tag Termination"),
    Column("moves", "texts", "the moves of the main line", is_always_there=True),
    Column(
        "movetext",
        "text",
        "the moves with their comments, annotations and variations, if there are any",
    ),
    Column(
        "tags", "text", "all tag names in order as JSON; [name, value] if the tag has no column"
    ),
)
"""The columns of a table with one row per game. A row holds a complete record; see `text_of`."""

PLIES: Final = (
    Column("record", "integer", "number of the record in the source, from 1", is_always_there=True),
    Column("game", "text", "the tag Game", is_always_there=True),
    Column("event", "text", "the tag Event"),
    Column("date", "date", "the tag Date"),
    Column("round", "text", "the tag Round"),
    Column("first", "text", "the tag First"),
    Column("second", "text", "the tag Second"),
    Column("time_control", "text", "the tag TimeControl"),
    Column("ply", "integer", "number of the move in the game, from 1", is_always_there=True),
    Column("seat", "text", "the side to move: first or second", is_always_there=True),
    Column("move", "text", "the move in canonical form", is_always_there=True),
    Column("position", "text", "the position before the move", is_always_there=True),
    Column("score", "number", "the mover's points in this game: 1, 0.5 or 0; empty if unfinished"),
    Column("result", "text", "1-0, 0-1, 1/2-1/2 or *", is_always_there=True),
    Column("termination", "text", "the tag Termination"),
    Column("eval", "number", "the mover's expected score as annotated, from -1 to 1"),
    Column("depth", "integer", "search depth, as annotated"),
    Column("nodes", "integer", "nodes searched, as annotated"),
    Column("time_s", "number", "time used for the move, in seconds (emt)"),
    Column("clock_s", "number", "time left after the move, in seconds (clk)"),
    Column("glyph", "text", "the move's glyph, such as !?"),
)
"""The columns of a table with one row per ply of the main line."""

PLIES_AND_EXTRAS: Final = (
    *PLIES,
    Column("extras", "text", "the state beside the cells before the move, as a JSON object"),
)
"""The columns of a table whose first record has positions with a state beside their cells."""

_GAME_NAMES: Final = tuple(column.name for column in GAMES)


def game_row(record: Record) -> tuple[Any, ...]:
    """Return the row of GAMES of a record.

    A value that its column cannot hold, such as the date `?` or an empty text, is stored in `tags`.
    """
    is_plain = not record.comments and not any(
        ply.glyph or ply.is_commented or ply.variations for ply in record.plies
    )
    return row_of(
        record.tags, record.moves, record.result.value, None if is_plain else _movetext(record)
    )


def row_of(
    tags: Sequence[tuple[str, str]], moves: Sequence[str], result: str, movetext: str | None
) -> tuple[Any, ...]:
    """Return the row of GAMES for these parts; `movetext` is None if there are only moves."""
    names, values = zip(*tags, strict=True) if tags else ((), ())
    kept = _kept(names) if sum(map(len, names)) <= SHORT else None
    if kept is None or "" in values:
        return _row_closely(tags, moves, result, movetext)
    date = _DATES[values[kept.date]] if kept.date >= 0 else None
    if (kept.date >= 0 and not date) or (kept.result >= 0 and values[kept.result] != result):
        return _row_closely(tags, moves, result, movetext)
    return kept.row((*values, date, len(moves), result, moves, movetext, kept.tags, None))


class _Kept(NamedTuple):
    """The places for the values of tags with these names, if columns can hold all of them."""

    row: Callable[[tuple[Any, ...]], tuple[Any, ...]]
    """The function that makes a row from values, date, number of moves, result, moves, movetext,
    `tags` and None."""
    tags: str | None
    date: int
    """The place of the date among the values; -1 without a date."""
    result: int


@lru_cache(maxsize=4096)
def _kept(names: tuple[str, ...]) -> _Kept | None:
    """Return the places for values of these tags; None if each record must be examined."""
    if len(set(names)) != len(names) or not set(names) <= set(TAG_COLUMNS):
        return None
    after = {"date": 0, "plies": 1, "result": 2, "moves": 3, "movetext": 4, "tags": 5}
    of_tags = {TAG_COLUMNS[name]: place for place, name in enumerate(names)}
    places = {name: len(names) + place for name, place in after.items()}
    row = itemgetter(*[{**of_tags, **places}.get(name, len(names) + 6) for name in _GAME_NAMES])
    is_usual = "Result" in names and names == tuple(n for n in KNOWN_TAGS if n in names)
    date, result = (names.index(each) if each in names else -1 for each in ("Date", "Result"))
    return _Kept(row, None if is_usual else _tags_text(names), date, result)


_DATES: Final = Remembered(date_of, 4096)


def _row_closely(
    tags: Iterable[tuple[str, str]], moves: Sequence[str], result: str, movetext: str | None
) -> tuple[Any, ...]:
    """Return the row of a record with tags that columns cannot hold."""
    values: dict[str, Any] = {}
    kept: list[str | tuple[str, str]] = []
    for name, value in tags:
        is_true = value == result if name == "Result" else name != "Date" or date_of(value)
        if is_true and value and name in TAG_COLUMNS and name not in values:
            values[name] = value
            kept.append(name)
        else:
            kept.append((name, value))
    is_usual = "Result" in values and kept == [name for name in KNOWN_TAGS if name in values]
    row = {TAG_COLUMNS[name]: value for name, value in values.items()}
    row |= {
        "date": date_of(values.get("Date", "")),
        "plies": len(moves),
        "result": result,
        "moves": moves,
        "movetext": movetext,
        "tags": None if is_usual else _tags_text(kept),
    }
    return tuple(map(row.get, _GAME_NAMES))


def _tags_text(kept: Sequence[str | tuple[str, str]]) -> str:
    return json.dumps(kept, ensure_ascii=False, separators=(",", ":"))


def _movetext(record: Record) -> str:
    """Return the comments and moves as text, on one line if possible."""
    text = format_record(record_as_read((), record.plies, record.result, record.comments))
    text = text.strip().removesuffix(record.result).rstrip()
    return text if ";" in text else text.replace("\n", " ")


class RowError(NotationError):
    """A row is not a record; the error has the column, the problem and what was expected."""

    def __init__(self, column: str, message: str, expected: str, meant: str = "") -> None:
        super().__init__(f"column {column}: {message}{instead(meant, expected)}")
        self.column = column
        self.message = message
        self.expected = expected
        self.meant = meant


def text_of(row: Mapping[str, Any]) -> str:
    """Return the text of the record in a row of GAMES; columns can be missing.

    A column of its own takes precedence over `tags`. The text may be invalid, which its reader
    reports. Raises RowError if a value has the wrong type.
    """
    moves = _value(row, "movetext") or " ".join(moves_of(row))
    return f"{tag_lines(tags_of(row))}\n{moves}\n{_value(row, 'result') or '*'}\n"


def result_text_of(row: Mapping[str, Any]) -> str:
    """Return the text of the record in a row without moves. Raises RowError.

    The row must have both players and a result. Without a game, the game is `?`.

    >>> print(result_text_of({"first": "ann", "second": "bob", "result": "1-0"}))
    [Game "?"]
    [First "ann"]
    [Second "bob"]
    [Moves "not recorded"]
    [Result "1-0"]
    <BLANKLINE>
    1-0
    <BLANKLINE>
    """
    for column in ("first", "second"):
        if not _value(row, column).strip():
            raise RowError(column, f"the cell {column} is empty", "the name of a player")
    if (result := _value(row, "result")) not in RESULTS:
        what = f"{shortened(result)} is not a result" if result else "the cell result is empty"
        raise RowError("result", what, RESULTS_IN_WORDS, meant_result(result) or "")
    tags = tags_of({**row, "game": _value(row, "game") or UNKNOWN_GAME})
    if MOVES not in dict(tags):
        after = [name for name, _ in tags if name in _END]
        tags.insert(len(tags) - len(after), (MOVES, NOT_RECORDED))
    return f"{tag_lines(tags)}\n{result}\n"


def tags_of(row: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the tags of the record in a row of GAMES. Raises RowError."""
    values = {tag: _value(row, column) for tag, column in TAG_COLUMNS.items()}
    values["Result"] = values["Result"] or "*"
    if (kept := _kept_tags(row)) is None:
        return _with_time([(tag, value) for tag, value in values.items() if value], row)
    tags = []
    for name, value in kept:
        column = values.pop(name, "")
        if name == "Result" and value is not None:
            column = ""  # the moves have another result
        if column or value is not None:
            tags.append((name, column or value or ""))
    values.pop("Result", None)
    for name, column in values.items():
        if column:  # in the usual order
            later = [known for known, _ in tags if _PLACES.get(known, 0) > _PLACES[name]]
            at = tags.index(next(tag for tag in tags if tag[0] == later[0])) if later else None
            tags.insert(len(tags) if at is None else at, (name, column))
    return _with_time(tags, row)


def _with_time(tags: list[tuple[str, str]], row: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the tags with the time of day from a column of dates, after the date."""
    date = row.get("date")
    if not isinstance(date, dt.datetime) or date != date or date.time() == dt.time.min:  # noqa: PLR0124
        return tags
    names = [name for name, _ in tags]
    if START_TIME not in names:
        tags.insert(names.index("Date") + 1, (START_TIME, date.isoformat()))
    return tags


START_TIME: Final = "StartTime"
"""The tag with the start of a game, if more than the day is known."""


_PLACES: Final = {tag: place for place, tag in enumerate(KNOWN_TAGS)}


def moves_of(row: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the moves of a row of GAMES: a list, or text with spaces between. Raises RowError."""
    moves = row.get("moves")
    if isinstance(moves, str):
        return tuple(moves.split())
    if moves is None or moves != moves:  # noqa: PLR0124 - NaN
        return ()
    if not isinstance(moves, list | tuple) or not all(isinstance(move, str) for move in moves):
        raise RowError(
            "moves", f"{shortened(str(moves))} is not a list of moves", "a list of moves, or text"
        )
    return tuple(moves)


def _value(row: Mapping[str, Any], column: str) -> str:
    """Return a value as text; empty if it is missing. Spreadsheets may hold `7` as a number."""
    value = row.get(column)
    if value is None or value != value:  # noqa: PLR0124 - data frames use NaN for missing values
        return ""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, dt.datetime):
        value = value.date()
    if not isinstance(value, str | int | float | dt.date):
        raise RowError(column, f"{shortened(str(value))} is a {type(value).__name__}", "text")
    text = str(value)
    if column != "movetext" and ("\n" in text or "\r" in text):
        raise RowError(column, f"{shortened(text)} has a line break", "one line")
    return text


def _kept_tags(row: Mapping[str, Any]) -> list[tuple[str, str | None]] | None:
    """Return the names and values in the column `tags`; the value is None if a column has it."""
    if not (text := _value(row, "tags")):
        return None
    try:
        return [
            (each, None) if isinstance(each, str) else (_text(each[0]), _text(each[1]))
            for each in read_json(text)
        ]
    except (ValueError, TypeError, LookupError) as error:
        raise RowError("tags", f"{shortened(text)} is not a list of tags", _TAGS) from error


_TAGS: Final = 'an array of names and values such as ["Game",["Mood","grim"],"Result"]'


def _text(value: Any) -> str:
    if not isinstance(value, str) or "\n" in value or "\r" in value:
        raise TypeError(value)
    return value


def ply_columns(records: Iterable[Record]) -> tuple[Column, ...]:
    """Return the columns for the plies of `records`, of which only the first is examined."""
    for record in records:
        with suppress(GameError):
            return PLIES_AND_EXTRAS if extras_of(start_of(record)) else PLIES
        break
    return PLIES


def ply_rows(
    record: Record, number: int, columns: Sequence[Column] = PLIES
) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of PLIES of one record, the `number`-th of its source. Raises GameError.

    With the columns PLIES_AND_EXTRAS, each row ends with the extras, or with None.
    """
    tag = dict(record.tags).get
    before = (
        *(number, record.game, tag("Event"), date_of(tag("Date", "")), tag("Round")),
        *(tag("First"), tag("Second"), tag("TimeControl")),
    )
    end = (record.result.value, tag("Termination"))
    scores = record.result.points if record.result.is_finished else (None, None)
    position = start_of(record)
    canonical, has_extras = position.game.canonical, columns is PLIES_AND_EXTRAS
    for index, ply in enumerate(record.plies, 1):
        move, seat = canonical(ply.move), position.to_move
        following = position.play(move)
        at = (index, seat.word, move, position.text(), scores[seat])
        extras = (_extras_text(position),) if has_extras else ()
        yield *before, *at, *end, *notes_of(ply), *extras
        position = following


def _extras_text(position: Position) -> str | None:
    extras = dict(extras_of(position))
    return json.dumps(extras, ensure_ascii=False) if extras else None


def games_table(records: Iterable[Record]) -> dict[str, list[Any]]:
    """Return the columns of GAMES, each with the list of its values, as data frames accept them.

    >>> from lath import notation
    >>> table = games_table([notation.parse('[Game "yavalath"] [First "ann"] 1. e5 2. swap *')])
    >>> table["first"], table["plies"], table["moves"]
    (['ann'], [2], [('e5', 'swap')])
    """
    return _by_column(GAMES, map(game_row, records))


def plies_table(records: Iterable[Record], *, first: int = 1) -> dict[str, list[Any]]:
    """Return the columns of PLIES, each with the list of its values.

    `first` is the number of the first record. If the positions of its game have extras, there is a
    column for them. Raises GameError for an illegal move or an unknown game.

    >>> from lath import notation
    >>> table = plies_table([notation.parse('[Game "yavalath"] 1. e5 2. swap *')])
    >>> table["ply"], table["seat"], table["move"]
    ([1, 2], ['first', 'second'], ['e5', 'swap'])
    """
    columns, records = ahead(records)
    return _by_column(columns, rows_of_plies(records, first, columns))


def ahead(records: Iterable[Record]) -> tuple[tuple[Column, ...], Iterator[Record]]:
    """Return the columns for the plies of records, and these records; the first is read."""
    found = iter(records)
    begun = list(islice(found, 1))
    return ply_columns(begun), chain(begun, found)


def rows_of_plies(
    records: Iterable[Record], first: int, columns: Sequence[Column]
) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of `columns` of records that are numbered from `first`.

    Raises GameError with a note about the number of the record.
    """
    for number, record in enumerate(records, first):
        try:
            yield from ply_rows(record, number, columns)
        except GameError as error:
            error.add_note(f"in record {number}")
            raise


def _by_column(columns: Sequence[Column], rows: Iterable[Sequence[Any]]) -> dict[str, list[Any]]:
    names = [column.name for column in columns]
    values = list(zip(*rows, strict=True)) or [()] * len(names)
    return dict(zip(names, map(list, values), strict=True))


NOTED: Final = tuple(column.name for column in PLIES[-6:])
"""The columns of PLIES that `notes_of` fills."""

NOTHING: Final = (None,) * len(NOTED)


def notes_of(ply: Ply) -> tuple[Any, ...]:
    """Return evaluation, depth, nodes, time, clock and glyph of a ply."""
    if not (ply.comments or ply.glyph):
        return NOTHING
    notes: dict[str, Annotation] = {}
    for part in chain.from_iterable(ply.comments):
        if isinstance(part, Annotation):
            notes.setdefault(part.name, part)
    return (
        _number(notes, "eval"),
        _whole(notes, "depth"),
        _whole(notes, "nodes"),
        _number(notes, "emt"),
        _number(notes, "clk"),
        ply.glyph or None,
    )


def _number(notes: Mapping[str, Annotation], name: str) -> float | None:
    number = notes[name].number if name in notes else None
    return number if number is not None and isfinite(number) else None


def _whole(notes: Mapping[str, Annotation], name: str) -> int | None:
    """Return an annotation that is a whole number; None if a column cannot hold it."""
    text = notes[name].value if name in notes else ""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 18 else None
