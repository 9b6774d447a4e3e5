"""The headers of PGN: players and results, as Ordo, BayesElo and other programs read them.

Source: the Portable Game Notation specification (S. J. Edwards, 1994), sections 8.1 and 8.2.6. The
format has these rules:

- The tag `White` is First, and `Black` is Second. A `Date` is written with dots. The tags `Event`,
  `Site`, `Date` and `Round` are always written. Unknown values are `?`, which is not read as a tag.
- The game is the tag `Game`, which PGN does not define, or else `Variant`. Without either it is
  `?`. It need not be installed.
- Moves are not written. A record with moves of an installed game is read by `pgn`, as in `text`.
  The moves of other games are not read. Such records have the tag `Moves`: `not read` if the file
  has moves, or else `not recorded`. They count as results and are not checked against any rules.
- The result is that of the tag, or else the word after the moves. One of them must exist.
- `Termination` is also read in the words of PGN, such as `time forfeit`. A value of Termination,
  Date or TimeControl without a meaning here is kept in `PgnTermination`, `PgnDate` or
  `PgnTimeControl`, and written back.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from lath.games.core import RESULTS, Result
from lath.notation.formats import Lost, held, remarks
from lath.notation.formats.text_header import HeaderField
from lath.notation.record.errors import Fault, refused, shortened
from lath.notation.record.record import Record, record_as_read, tag_faults
from lath.notation.record.tags import (
    KNOWN_TAGS,
    MOVES,
    NOT_READ,
    NOT_RECORDED,
    UNKNOWN_GAME,
    is_date,
)
from lath.notation.rules.reading import entries_from
from lath.notation.rules.replay import check_tag, result_faults
from lath.notation.text.splitting import Entry, RecordText
from lath.notation.text.suggestions import RESULTS_IN_WORDS, meant_termination
from lath.notation.text.writer import tag_lines
from lath.notation.tokens import unquoted

_SEATS: Final = {"White": "First", "Black": "Second"}
_OURS: Final = {ours: theirs for theirs, ours in _SEATS.items()}

_ROSTER: Final = ("Event", "Site", "Date", "Round", "White", "Black", "Result")
"""The tags that PGN requires, in this order (8.1.1)."""

_UNKNOWN: Final = dict.fromkeys(_ROSTER, "?") | {"Date": "????.??.??"}

_KEPT: Final = "Pgn"
"""The prefix of a tag's name if its value has no meaning here."""

_EXAMPLE: Final = 'a tag such as [White "ann"]'

TAG: Final = re.compile(r'\s*\[\s*([A-Za-z]\w*)\s*("(?:[^"\\]|\\.)*")\s*\]', re.ASCII)
_SAID: Final = re.compile(r"\{[^}]*\}?|;[^\n]*|^%[^\n]*", re.MULTILINE)
"""Comments, and lines that do not belong to the game."""


# Reading


def entry_of(text: RecordText, name: str, number: int) -> Entry:
    """Return the entry of the headers of one text."""
    (entry,) = entries_from([text], name, _read)
    return replace(
        entry,
        number=number,
        problems=tuple(replace(problem, record=number) for problem in entry.problems),
    )


def _read(text: RecordText) -> tuple[Record, list[Fault]]:
    tags, moves = _parts(text.text)
    found = {tag.name: tag.value for tag in reversed(tags)}
    places = {_SEATS.get(tag.name, tag.name): tag.at for tag in reversed(tags)}
    faults = list(_missing(found))
    words = _SAID.sub(" ", moves).split()
    end = words.pop() if words and words[-1] in RESULTS else ""
    if not (said := found.get("Result", end)):
        faults.append(
            Fault("tag", "the tag Result is missing", f"a result ({RESULTS_IN_WORDS})", 0)
        )
    result = RESULTS.get(said, Result.UNFINISHED)
    record = record_as_read(tuple(_ours(tags, result, has_moves=bool(words))), (), result)
    faults += _no_days(found)
    if said:
        faults += result_faults(
            said, RESULTS.get(end, result), record.termination if end or said in RESULTS else ""
        )
    faults += tag_faults(record)
    faults = [
        one if one.at is not None else replace(one, at=places.get(one.tag, 0)) for one in faults
    ]
    return record, faults


def _missing(found: Mapping[str, str]) -> Iterator[Fault]:
    """Yield the fault of each side without a name."""
    for name in _SEATS:
        if not found.get(name, "").strip():
            what = "is empty" if name in found else "is missing"
            yield Fault("tag", f"the tag {name} {what}", f'[{name} "NAME"]', 0)


_LIKE_A_DAY: Final = re.compile(r"([0-9]{4})([./-])([0-9]{1,2})\2([0-9]{1,2})")


def _no_days(found: Mapping[str, str]) -> Iterator[Fault]:
    """Yield the fault of a Date that has the right form but does not exist."""
    value = found.get("Date", "")
    if (day := _LIKE_A_DAY.fullmatch(value.strip())) and not is_date(
        f"{day[1]}-{day[3]:0>2}-{day[4]:0>2}"
    ):
        message = f"the Date {shortened(value)} is not a date"
        yield Fault("tag", message, "a day such as 2024.11.03, or 2024.??.??", tag="Date")


def _parts(text: str) -> tuple[list[HeaderField], str]:
    """Return the tags of a text and the text after them. Raises RecordSyntaxError."""
    tags: list[HeaderField] = []
    at = 0
    for line in text.splitlines(keepends=True):
        if line.strip() and not line.startswith("%"):
            found = list(_tags_of(line.rstrip(), at))
            tags += found
            end = found[-1].end - at if found else 0
            if line[end:].strip():  # moves begin, on the line of a tag or on their own
                at += end
                break
        at += len(line)
    if not tags:
        raise refused(0, "moves without tags", _EXAMPLE)
    return tags, text[at:]


def _tags_of(line: str, begin: int) -> Iterator[HeaderField]:
    at = 0
    while (rest := line[at:].lstrip()).startswith("["):
        if (match := TAG.match(line, at)) is None:
            at = len(line) - len(rest)
            raise refused(begin + at, f"{shortened(rest)} is not a tag", _EXAMPLE)
        at = match.end()
        yield HeaderField(match[1], unquoted(match[2]), begin + match.start(1) - 1, begin + at)


def _ours(
    tags: Iterable[HeaderField], result: Result, *, has_moves: bool
) -> Iterator[tuple[str, str]]:
    """Yield the tags of the record: known ones in order, then the others, then its end."""
    values: dict[str, str] = {}
    again: list[tuple[str, str]] = []
    for name, value, *_ in tags:
        if name in (MOVES, "Result") or value == _UNKNOWN.get(name) or not value.strip():
            continue
        our_name, our_value = _our_tag(name, value)
        if our_name in values:
            again.append((our_name, our_value))  # a later check reports it
        else:
            values[our_name] = our_value
    game = values.pop("Game", "") or values.get("Variant", "") or UNKNOWN_GAME
    termination = values.pop("Termination", "")
    yield "Game", game
    for name in KNOWN_TAGS:
        if name in values:
            yield name, values.pop(name)
    yield MOVES, NOT_READ if has_moves else NOT_RECORDED
    yield from values.items()
    yield from again
    if termination:
        yield "Termination", termination
    yield "Result", result.value


def _our_tag(name: str, value: str) -> tuple[str, str]:
    ours, meant = _SEATS.get(name, name), value
    if ours == "Date":
        meant = value.replace(".", "-")
    if ours == "Termination":
        meant = str(meant_termination(value)) or value
    return (_KEPT + ours, value) if check_tag(ours, meant) else (ours, meant)


# Writing


def write(records: Iterable[Record], lost: Lost) -> Iterator[bytes]:
    """Yield the headers of the records, each with its result and an empty line after it."""
    return (text.encode("utf-8", "replace") for text in held(records, lost, _held))


def _held(record: Record) -> tuple[str, list[str]]:
    """Return the header of a record, and the names of the fields that it leaves out."""
    values: dict[str, str] = dict.fromkeys(_ROSTER, "")
    unheld = ["moves"] if record.plies else []
    for name, value in record.tags:
        if name in (MOVES, "Result") or (name == "Game" and value == UNKNOWN_GAME):
            continue
        theirs = _OURS.get(name, name.removeprefix(_KEPT))
        if name in _SEATS or values.get(theirs):
            unheld.append(f"tag {name}")
        else:
            values[theirs] = value.replace("-", ".") if name == "Date" else value
    values["Result"] = record.result
    tags = [
        (name, _UNKNOWN[name] if name in _UNKNOWN and value in ("", "?") else value)
        for name, value in values.items()
    ]
    return f"{tag_lines(tags)}\n{record.result}\n\n", [*unheld, *remarks(record)]
