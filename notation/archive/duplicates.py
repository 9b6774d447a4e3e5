"""Copies of one game in different texts: truncated, symmetric, or with misspelled names.

A record is a copy of another if nothing in either contradicts this, and enough supports it. In case
of doubt they are two games. Records wait in a temporary database, so memory use does not grow.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter
from types import TracebackType
from typing import TYPE_CHECKING, Final, NamedTuple, Self
from zlib import crc32

from lath.notation import parse
from lath.notation.archive.archive import (
    MEMORY,
    canonical_moves,
    digest_of,
    least_of,
    start_text_of,
    temporary_database,
)
from lath.notation.archive.sampling import SampledRecord
from lath.notation.record.record import Annotation, Comment, Ply, Record
from lath.notation.record.tags import RULES, Termination

if TYPE_CHECKING:
    import sqlite3

COPY_OF: Final = "CopyOf"
"""The tag of a record that was left out: the record that it is a copy of."""

ENOUGH: Final = 8
"""The number of plies in common that make two games one, if nothing contradicts it. With fewer
plies, their tags must support it."""

_FREE: Final = frozenset(
    {"Game", RULES, "Setup", "Position", "First", "Second", "Result", "Termination"}
    | {"Annotator", COPY_OF}
)
"""Tags that are compared in another way, or may differ between copies; other tags must be equal."""

_OF_LINES: Final = (RULES, "GameFile", "VariationOf")
"""Tags that make it another game with the same moves, even if only one record has them."""


# Names


class _Name(NamedTuple):
    """A name in the form in which it is compared."""

    folded: str
    """The name without case, spaces, accents and punctuation."""

    words: tuple[str, ...]
    """The same for each word."""

    digits: tuple[str, ...]
    """Its numbers, which are never misspelled: `mcts-100` is not `mcts-200`."""

    short: tuple[str, ...]
    """Its words of one or two letters, which are labels: `bot A` is not `bot B`."""


@lru_cache(maxsize=1 << 14)
def _name(text: str) -> _Name:
    plain = unicodedata.normalize("NFKC", text)
    surname, comma, given = plain.partition(",")
    if comma and "," not in given:
        plain = f"{given} {surname}"
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])", " ", plain)
    words = tuple(filter(None, map(_folded, re.split(r"[\s_.,;:/\\()-]+", apart))))
    short = tuple(word for word in words if len(word) < 3)
    return _Name("".join(words), words, tuple(re.findall(r"\d+", plain)), short)


@lru_cache(maxsize=1 << 14)
def _folded(text: str) -> str:
    """Return a text without case, accents, spaces and separating punctuation."""
    return "".join(
        letter
        for letter in unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
        if unicodedata.category(letter)[0] not in "ZCM" and letter not in "-_.,;:'\"`’()[]{}/\\"
    )


def is_same_name(a: str, b: str, *, misspelled: bool = True) -> bool:
    """Return whether two names may belong to one player; empty and `?` match every name.

    Case, spaces, accents, punctuation and `Surname, Name` are ignored. With `misspelled`, one
    wrong, missing, doubled or swapped letter is allowed in a word of five or more letters, and two
    in names of ten or more. Numbers, words of one or two letters and the last letter of a word must
    be equal, because they distinguish versions of a bot.

    >>> is_same_name("Leela Zero", "leela-zero"), is_same_name("greedy", "gredy")
    (True, True)
    >>> is_same_name("mcts-100", "mcts-200"), is_same_name("enginea", "engineb")
    (False, False)
    """
    one, other = sorted((_value(a), _value(b)))
    return not one or one == other or _is_near(one, other, misspelled)


@lru_cache(maxsize=1 << 16)
def _is_near(a: str, b: str, misspelled: bool) -> bool:
    one, other = _name(a), _name(b)
    if not one.folded or one.digits != other.digits:
        return False
    if one.folded == other.folded:
        return True
    if not misspelled or one.short != other.short:
        return False
    slips = 1 if min(len(one.folded), len(other.folded)) < 10 else 2
    if len(one.words) == len(other.words):
        pairs = [pair for pair in zip(one.words, other.words, strict=True) if pair[0] != pair[1]]
    elif one.folded[0] == other.folded[0]:
        pairs = [(one.folded, other.folded)]
    else:
        return False
    return sum(_slips(*pair) for pair in pairs) <= slips


def _slips(a: str, b: str) -> int:
    """Return the number of misspelled letters between two words; 9 if there are more than two."""
    if min(len(a), len(b)) < 5 or abs(len(a) - len(b)) > 2:
        return 9
    if a[-1] != b[-1]:
        return 1 if a[:-2] == b[:-2] and a[-2:] == b[:-3:-1] else 9
    before, row = [0] * (len(b) + 1), list(range(len(b) + 1))
    for i, letter in enumerate(a, 1):
        before, last, row = row, before, [i] + [0] * len(b)
        for j, other in enumerate(b, 1):
            row[j] = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == b[j - 2] and a[i - 2] == other:
                row[j] = min(row[j], last[j - 2] + 1)
    return row[-1] if row[-1] < 3 else 9


# The facts of a record


class RecordFacts(NamedTuple):
    """The facts of a record that are compared."""

    game: str
    """A text that is equal for records of one game and start, up to symmetries."""

    line: str
    """The least symmetric form of its moves, with a space after each."""

    plies: int
    first: str
    second: str

    is_cut: bool
    """True if the record only stops: no result, and no reason for an end."""

    result: str
    """The result; empty if `is_cut`."""

    ending: str
    """Its `Termination`; empty if it is missing."""

    emt: str
    """One letter for the time of each ply, or a space if it is unknown."""

    clk: str
    """One letter for the clock after each ply, or a space if it is unknown."""

    tags: Mapping[str, str]
    """The other tags with a value, in a comparable form."""

    weight: int
    """The number of comments, annotations, glyphs, plies of variations and tags."""


def facts_of(record: Record) -> RecordFacts:
    """Return the compared facts of a record."""
    start, moves = least_of(record)
    others = [_value(record.tag(name)) for name in _OF_LINES]
    ending = _value(record.termination)
    is_cut = record.result == "*" and ending in ("", Termination.UNTERMINATED)
    return RecordFacts(
        game="\n".join((record.game, start, *(other if other != "1" else "" for other in others))),
        line="".join(f"{move} " for move in moves),
        plies=len(moves),
        first=_value(record.first),
        second=_value(record.second),
        is_cut=is_cut,
        result="" if is_cut else record.result,
        ending="" if ending == Termination.UNTERMINATED else ending,
        emt=_times(record.plies, "emt"),
        clk=_times(record.plies, "clk"),
        tags={
            name: known
            for name, value in record.tags
            if name not in _FREE and (known := _comparable(name, value))
        },
        weight=sum(1 for _, value in record.tags if _value(value))
        + _said(record.comments)
        + sum(map(_weight_of, record.plies)),
    )


def _value(text: str) -> str:
    """Return the value of a tag; empty for a value that means unknown."""
    text = text.strip()
    return "" if text in ("?", "-") else text


@lru_cache(maxsize=1 << 14)
def _comparable(name: str, value: str) -> str:
    """Return the comparable form of a tag's value; empty if it is missing."""
    if not (value := _value(value)):
        return ""
    if name == "Date":
        return "" if set(value) <= set("?.-/ ") else re.sub(r"[./]", "-", value)
    if name in ("Round", "Number"):
        return re.sub(r"\d+", lambda match: match[0].lstrip("0") or "0", value.casefold())
    if name in ("Event", "Site"):  # numbers stay separate, because 1.2 is not 12
        return " ".join((_folded(value), *re.findall(r"\d+", value))).strip()
    return value


def _times(plies: Sequence[Ply], name: str) -> str:
    told = []
    for ply in plies:
        notes = [
            part.number
            for comment in ply.comments
            for part in comment
            if isinstance(part, Annotation) and part.name == name and part.number is not None
        ]
        told.append(chr(33 + crc32(b"%.3f" % notes[-1]) % 90) if notes else " ")
    return "".join(told).rstrip()


def _weight_of(ply: Ply) -> int:
    weight = _said(ply.comments) + bool(ply.glyph)
    for variation in ply.variations:
        weight += _said(variation.comments) + sum(1 + _weight_of(ply) for ply in variation.plies)
    return weight


def _said(comments: Sequence[Comment]) -> int:
    return sum(map(len, comments))


# Copies


def agree(a: RecordFacts, b: RecordFacts) -> bool:
    """Return whether two records can be of one game by everything except their moves."""
    return (
        is_same_name(a.first, b.first)
        and is_same_name(a.second, b.second)
        and (not a.result or not b.result or a.result == b.result)
        and (not a.ending or not b.ending or a.ending == b.ending)
        and all(_agrees(name, value, b.tags.get(name)) for name, value in a.tags.items())
        and _same_times(a.emt, b.emt)
        and _same_times(a.clk, b.clk)
    )


def _agrees(name: str, one: str, other: str | None) -> bool:
    if other is None or one == other:
        return True
    if name != "Date":
        return False
    parts = [value.split("-") for value in (one, other)]
    return all(a == b or "?" in a + b for a, b in zip(*parts, strict=False))


def _same_times(one: str, other: str) -> bool:
    return all(a == b or " " in (a, b) for a, b in zip(one, other, strict=False))


def is_copy(facts: RecordFacts, of: RecordFacts) -> bool:
    """Return whether a record is a copy of one that has at least as many plies.

    Three conditions must hold. Game, start and moves are the same up to a symmetry, or the record
    stops before the other ends. Both `agree`. There is enough in common: ENOUGH plies, or all
    names, dates and rounds, or all tags and the whole line.
    """
    if facts.game != of.game or not of.line.startswith(facts.line) or not agree(facts, of):
        return False
    if facts.plies < of.plies and not facts.is_cut:
        return False
    if facts.plies >= ENOUGH:
        return True
    if not (facts.first and facts.second and of.first and of.second):
        return False
    names = ((facts.first, of.first), (facts.second, of.second))
    is_named = all(is_same_name(*pair, misspelled=False) for pair in names)
    if not is_named or (not facts.plies and of.plies):
        return False
    known = _date_and_round(facts)
    is_dated = known is not None and known == _date_and_round(of)
    return is_dated or (facts.plies == of.plies and facts.tags == of.tags)


def _date_and_round(facts: RecordFacts) -> tuple[str, str] | None:
    date, number = facts.tags.get("Date", ""), facts.tags.get("Round", "")
    return (date, number) if number and _DAY.fullmatch(date) else None


_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


class RecordPlace(NamedTuple):
    """The place of a record."""

    file: str
    number: int
    """The number in the file, from 1."""

    line: int
    """The line on which it begins."""


@dataclass(frozen=True, slots=True)
class Copy:
    """A record that is left out, and the record that it is a copy of."""

    place: RecordPlace
    text: str
    record: Record
    of: RecordPlace
    of_record: Record

    def differences(self) -> list[str]:
        """Return the differences between both in words; empty without a notable difference."""
        a, b = self.record, self.of_record
        words = []
        if len(a.moves) < len(b.moves):
            words.append(f"stops after ply {len(a.moves)} of {len(b.moves)}")
        if _as_it_stands(a, len(a.moves)) != _as_it_stands(b, len(a.moves)):
            words.append("rotated or reflected")
        names = ((name, _value(a.tag(name)), _value(b.tag(name))) for name in ("First", "Second"))
        spelled = (
            f"{name} {one or 'missing'} instead of {other}"
            if other
            else f"{name} {one} instead of none"
            for name, one, other in names
            if one != other
        )
        return [*words, *spelled]


def _as_it_stands(record: Record, plies: int) -> tuple[str, ...]:
    return start_text_of(record), *canonical_moves(record)[:plies]


_PLAIN: Final = ("date", "round", "number", "event", "first", "second")
"""The values of records that the database compares; empty if missing."""

_TABLES: Final = (
    """CREATE TABLE item (place INTEGER PRIMARY KEY, file TEXT, number INTEGER, line INTEGER,
    sort BLOB, value TEXT, text TEXT, original INTEGER)""",
    """CREATE TABLE fact (place INTEGER PRIMARY KEY, plies INTEGER, cut INTEGER, weight INTEGER,
    facts TEXT)""",
    f"""CREATE TABLE kept (bucket BLOB, rank INTEGER, place INTEGER, facts TEXT, moves TEXT,
    {", ".join(_PLAIN)}, PRIMARY KEY (bucket, rank)) WITHOUT ROWID""",
    """CREATE TABLE member (original INTEGER, facts TEXT, PRIMARY KEY (original, facts))
    WITHOUT ROWID""",
)

_KEEP: Final = f"""
INSERT INTO kept VALUES (:bucket, :rank, :place, :facts, :moves,
{", ".join(f":{name}" for name in _PLAIN)})
"""  # noqa: S608 - constant words

_LIKE_IT: Final = " ".join(f"AND ({n} = '' OR :{n} = '' OR {n} = :{n})" for n in _PLAIN)

_CANDIDATES: Final = f"""
SELECT rank, place, facts FROM kept
WHERE bucket = :bucket AND substr(moves, 1, length(:moves)) = :moves {_LIKE_IT} ORDER BY rank
"""  # noqa: S608 - constant words
"""The kept records that one may be a copy of; clearly different games are excluded."""


class Copies:
    """Finds copies among records; a context manager that stores the records on disk.

    Call `add` for all records, then `settle`, then read `left_out` and `kept`. Both are in the
    order of the records. A record is left out if it is a copy of a better kept record and agrees
    with all copies of that record. So a record without tags does not join two different games. The
    better record is the longer one, then the one with a result, then the one with more information,
    then the first. Raises OSError if the disk is full.
    """

    def __init__(self, memory: int = MEMORY) -> None:
        """Take the memory limit in bytes; more data goes to the disk."""
        self._memory: Final = memory
        self._added = 0
        self.copies = 0
        """The number of records left out; valid after `settle`."""

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self._database: sqlite3.Connection = stack.enter_context(
                temporary_database(*_TABLES, memory=self._memory)
            )
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the database, and raise its own errors as TemporaryFileError."""
        self._stack.__exit__(kind, error, trace)

    def add(self, row: SampledRecord, record: Record, place: RecordPlace) -> None:
        """Add a record, with its row for the output and its place."""
        self._added += 1
        item = (self._added, *place, row.order, row.value, row.text)
        self._database.execute("INSERT INTO item VALUES (?, ?, ?, ?, ?, ?, ?, NULL)", item)
        facts = facts_of(record)
        fact = (self._added, facts.plies, facts.is_cut, facts.weight, json.dumps(facts))
        self._database.execute("INSERT INTO fact VALUES (?, ?, ?, ?, ?)", fact)

    def settle(self) -> None:
        """Decide which records are kept."""
        better = "SELECT place, facts FROM fact ORDER BY plies DESC, cut, weight DESC, place"
        for rank, (place, text) in enumerate(self._database.execute(better)):
            facts = RecordFacts(*json.loads(text))
            of, named = self._original(facts) or (place, facts)
            if of == place:
                for bucket in _buckets(facts):
                    row = {"bucket": bucket, "rank": rank, "place": place, "facts": text}
                    self._database.execute(_KEEP, {**row, **_plain(facts)})
            else:
                self.copies += 1
                self._database.execute("UPDATE item SET original = ? WHERE place = ?", (of, place))
            said = json.dumps(_beside(facts, named))
            self._database.execute("INSERT OR IGNORE INTO member VALUES (?, ?)", (of, said))

    def _original(self, facts: RecordFacts) -> tuple[int, RecordFacts] | None:
        """Return the place and the facts of the kept record that this is a copy of, or None."""
        plain = _plain(facts)
        found: list[tuple[int, int, RecordFacts]] = []
        for bucket in _buckets(facts)[: 1 if facts.plies >= ENOUGH else 2]:
            rows = self._database.execute(_CANDIDATES, {"bucket": bucket, **plain})
            for rank, place, text in rows:
                of = RecordFacts(*json.loads(text))
                if is_copy(facts, of) and self._agrees_with(_beside(facts, of), place):
                    found.append((rank, place, of))
                    break
        return min(found, key=itemgetter(0))[1:] if found else None

    def _agrees_with(self, facts: RecordFacts, of: int) -> bool:
        members = self._database.execute("SELECT facts FROM member WHERE original = ?", (of,))
        return all(agree(facts, RecordFacts(*json.loads(text))) for (text,) in members)

    def left_out(self) -> Iterator[Copy]:
        """Yield the records that are left out, in their order."""
        for row in self._database.execute(
            "SELECT one.file, one.number, one.line, one.text,"
            " other.file, other.number, other.line, other.text"
            " FROM item one JOIN item other ON one.original = other.place ORDER BY one.place"
        ):
            text, of_text = row[3], row[7]
            place, of = RecordPlace(*row[:3]), RecordPlace(*row[4:7])
            yield Copy(place, text, parse(text), of, parse(of_text))

    def kept(self) -> Iterator[SampledRecord]:
        """Yield the records that are kept, in their order."""
        query = "SELECT sort, value, text FROM item WHERE original IS NULL ORDER BY place"
        return map(SampledRecord._make, self._database.execute(query))


def _beside(facts: RecordFacts, of: RecordFacts) -> RecordFacts:
    """Return the facts that must agree among all copies of a record.

    Names that the record has itself are removed, because two copies can have different
    misspellings. Moves and weight do not identify a game.
    """
    first, second = "" if of.first else facts.first, "" if of.second else facts.second
    return facts._replace(line="", plies=0, weight=0, first=first, second=second)


def _buckets(facts: RecordFacts) -> list[bytes]:
    """Return keys of 16 bytes; a record shares at least one with each record it is a copy of."""
    buckets = [digest_of(("line", facts.game, " ".join(facts.line.split(" ", ENOUGH)[:ENOUGH])))]
    if facts.first and facts.second and (known := _date_and_round(facts)):
        names = (_name(facts.first).folded, _name(facts.second).folded)
        buckets.append(digest_of(("tags", facts.game, *names, *known)))
    return buckets


def _plain(facts: RecordFacts) -> dict[str, str]:
    """Return the values that a database can compare; empty if missing or not comparable."""
    tags = facts.tags
    date = tags.get("Date", "")
    return {
        "date": date if _DAY.fullmatch(date) else "",
        "round": tags.get("Round", ""),
        "number": tags.get("Number", ""),
        "event": tags.get("Event", ""),
        "first": _numbers(facts.first),
        "second": _numbers(facts.second),
        "moves": facts.line,
    }


def _numbers(name: str) -> str:
    """Return a text that is equal for names that may be the same; empty for a missing name."""
    return f"of {' '.join(_name(name).digits)}" if name else ""
