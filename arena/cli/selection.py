"""The records that a command takes: the valid ones that match a query, in the order of the files.

Problems of invalid records are printed on standard error and counted.
"""

from __future__ import annotations

import io
import shlex
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Self

from lath.arena.cli.files import bad_words, entries, is_one_of, read_database, read_from
from lath.arena.cli.help import Topic
from lath.arena.cli.main import flag, option
from lath.arena.errors import ConfigError
from lath.arena.terminal.notices import print_error, print_note, print_warning
from lath.arena.terminal.streams import tell_over
from lath.arena.tournament.outcome.sources import origin_of
from lath.arena.tournament.outcome.taken import TAKEN, files_in
from lath.games.errors import GameError, count_of
from lath.notation import formats
from lath.notation.archive.archive import Key, KeyNameError, SeenRecords, identity, keys
from lath.notation.archive.given import GivenGames
from lath.notation.files.files import is_database
from lath.notation.query.operators import And
from lath.notation.query.query import QueryError, compile_query, doubts, plan_of
from lath.notation.record.record import Record
from lath.notation.rules.reading import entries_of
from lath.notation.text.scanner import parse
from lath.notation.text.splitting import Entry

if TYPE_CHECKING:
    from lath.notation.database.layers import Flags
    from lath.notation.database.reading import Database

Where = Annotated[
    str | None,
    option(
        "--where",
        "EXPR",
        "Query for records, such as 'plies > 20 and winner = greedy'.",
        Topic.MOST_USED,
    ),
]
Distinct = Annotated[
    bool, flag("--distinct", "Keep the first of several games with the same moves.", Topic.RECORDS)
]


def _digest(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


class Query:
    """The query of --where, with the set of its answers."""

    def __init__(self, text: str | None) -> None:
        """Read the query; raises ConfigError. None matches everything."""
        self._text: Final = text
        try:
            self._matches = None if text is None else compile_query(text)
        except QueryError as error:
            raise ConfigError(f"--where: {error}") from error
        self.is_any: Final = text is not None
        """True if there is a query."""
        self._answers: Final[set[bool]] = set()

    def matches(self, record: Record) -> bool:
        """Return whether a record matches; raises GameError if its moves cannot be played."""
        if self._matches is None:
            return True
        answer = self._matches(record)
        self._answers.add(answer)
        return answer

    def found_in(self, database: Database) -> Flags:
        """Return a flag per game of a database, set if the game matches and can be replayed."""
        from lath.notation.database.asking import matching  # start-up time

        found = matching(database, plan_of(self._text) if self._text else And(()))
        answers = found[database.known]
        self._answers.update(answer for answer in (True, False) if (answers == answer).any())
        return found

    def print_doubts(self) -> None:
        """Print hints at mistakes in a query that all records or none have matched."""
        if self._text is not None and len(self._answers) == 1:
            for words in doubts(self._text):
                print_note(f"--where: {words}")


class Selection:
    """An iterable of the valid, matching entries of files; prints the problems of invalid ones."""

    def __init__(
        self,
        files: Sequence[Path],
        where: str | None = None,
        *,
        distinct: bool = False,
        invert: bool = False,
        rules: bool = True,
        jobs: int = 1,
        quiet: bool = True,
        is_asking: bool = False,
        replaced: Path | None = None,
        given: GivenGames | None = None,
    ) -> None:
        """Read the query; raises ConfigError.

        Records of games that were already `given` are left out.

        `replaced` is a file that will be overwritten: `lost_words` describes its records that are
        not written again.

        Without `rules` records are not checked by the rules; with it `jobs` processes check them.
        Unless `quiet`, a terminal shows the number of records read. A hint says that a database is
        faster, after a long wait for a query or with `is_asking`.
        """
        self._quiet = quiet
        self._is_asking = is_asking
        self._files = files = files_in(files)
        self._distinct = distinct
        self._invert = invert
        self._rules = rules
        self._jobs = jobs
        self.path = Path()
        """The file of the last yielded entry."""
        self.query: Final = Query(where)
        self.records = 0
        """Valid records read."""
        self.bad = 0
        """Invalid records left out."""
        self.duplicates = 0
        """Duplicate games left out."""
        self.unkept: set[bytes] | None = None
        """Digests of the replaced file's records not written again yet; None without a file."""
        self._replaced = replaced
        # A database has each game once, and --distinct leaves out duplicates, too.
        is_database_alone = len(files) == 1 and is_database(files[0])
        self._given: Final = None if distinct or is_database_alone else given
        self.copies = 0
        """Near-duplicates left out; set by the reader of the entries."""

    def __iter__(self) -> Iterator[tuple[Entry, Record]]:
        """Yield each entry and its record; raises ConfigError for an unreadable file."""
        seen, begun_s = SeenRecords(), time.monotonic()
        with Telling(quiet=self._quiet) as tell:
            for path in self._files:
                self.path = path
                if self._given is not None:
                    self._given.begin(path, origin_of(path))
                is_asked_at_once = self.query.is_any and is_database(path)
                found = self._found_in(path) if is_asked_at_once else self._matching(path, tell)
                for entry, record in found:
                    is_told = self._distinct and not record.is_result_only
                    if is_told and not seen.add(identity(record)):
                        self.duplicates += 1
                    elif self._given is None or not self._given.is_left_out(record):
                        yield entry, record
        self.query.print_doubts()
        if self._given is not None and (words := self._given.words()):
            print_warning(words)
        if not self._quiet and time.monotonic() - begun_s >= LONG_S:
            self._print_what_is_sooner()

    def _print_what_is_sooner(self) -> None:
        """Print a hint at a faster way, if there is one."""
        if (self._is_asking or self.query.is_any) and not any(map(is_database, self._files)):
            named = " ".join(shlex.quote(str(path)) for path in self._files)
            print_note(
                "a database answers faster than record files",
                hint=f"arena convert {named} games.duckdb",
            )

    def _matching(self, path: Path, tell: Telling) -> Iterator[tuple[Entry, Record]]:
        """Yield the entries of one file, which is read completely."""
        is_replaced = self._replaced is not None and is_one_of(self._replaced, [path])
        if is_replaced:
            self.unkept = self.unkept or set()
        for entry in read_from(path, entries(path, rules=self._rules, jobs=self._jobs)):
            record = entry.record
            if record is None or entry.problems:
                self.bad += 1
                for problem in TAKEN.news(entry.problems):
                    print(problem, file=sys.stderr)
                continue
            self.records += 1
            if is_replaced and self.unkept is not None:
                self.unkept.add(_digest(entry.text))
            tell(self.records)
            try:
                matches = self.query.matches(record)
            except GameError as error:
                self.refuse(entry, error)
                continue
            if matches is not self._invert:
                yield entry, record

    def _found_in(self, path: Path) -> Iterator[tuple[Entry, Record]]:
        """Yield the matching entries of a database."""
        with read_database(path) as database:
            for number, text in database.texts(self.asked(path, database)):
                record = parse(text)
                yield Entry(number, 1, record, (), text.rstrip("\n")), record

    def asked(self, path: Path, database: Database) -> Flags:
        """Return a flag per game of a database, set if it is taken.

        Games of unknown types count as invalid.
        """
        found, known = self.query.found_in(database), database.known
        for rules, error in database.unknown.items():
            number = int((database.rules[1][1:] == rules).sum())
            print_error(f"{path}: {error} ({count_of(number, 'record')})")
            self.bad += number
        self.records += int(known.sum())
        counts = TAKEN.by_rules(path)
        for game, tag, records in database.rows(_PLAYED_BY):
            counts.add(game, tag, records)
        return (found ^ self._invert) & known

    def counted(self) -> int | None:
        """Return the number of records if databases know it without reading; else None."""
        if self._distinct or self._given is not None or not all(map(is_database, self._files)):
            return None
        number = 0
        for path in self._files:
            with read_database(path) as database:
                number += int(self.asked(path, database).sum())
        self.query.print_doubts()
        return number

    def refuse(self, entry: Entry, error: GameError) -> None:
        """Count the last yielded record as invalid because of its moves; print the problem."""
        self.records -= 1
        self.bad += 1
        is_ours = str(self.path) == "-" or formats.recognised(self.path) in formats.OF_TEXT
        text = io.BytesIO(entry.text.encode())
        problems = [each for again in entries_of(text, str(self.path)) for each in again.problems]
        for problem in problems:
            line = problem.line - 1 if is_ours else 0  # otherwise the text differs from the file's
            print(replace(problem, line=entry.line + line, record=entry.number), file=sys.stderr)
        if not problems:
            print_error(f"{self.path}:{entry.line}: {error} (record {entry.number})")

    def left_out(self) -> dict[str, Any]:
        """Return the counts of left-out records as JSON data, without those that do not match."""
        return {
            "duplicates": self.duplicates,
            "bad": self.bad,
            "given_before": self._given.again if self._given is not None else 0,
            "equal": sum(TAKEN.equal.values()),
            "skipped": dict(TAKEN.others),
            **TAKEN.rules_json(),
        }

    def not_counted(self) -> str:
        """Return a line on the records that do not count; empty if all count."""
        others = TAKEN.others.total()
        words = [
            *([self.bad_words()] if self.bad else []),
            *([f"{others} of other games"] if others else []),
        ]
        return f"left out: {', '.join(words)}\n" if words else ""

    def left_out_words(self) -> str:
        """Return text on the left-out records without those that do not match; empty if none."""
        words = ""
        if self.duplicates:
            words += f"; {count_of(self.duplicates, 'duplicate')} left out"
        if self.copies:
            words += f"; {count_of(self.copies, 'copy')} left out"
        if self.bad:
            words += f"; {self.bad_words()} left out"
        return words

    def wrote(self, text: str) -> None:
        """Note that a record was written, to the replaced file or elsewhere."""
        if self.unkept:
            self.unkept.discard(_digest(text))

    def lost_words(self) -> str:
        """Return text on the records that the replaced file would lose; empty if none."""
        lost = len(self.unkept or ())
        words = count_of(lost, "record") if lost else ""
        return ", ".join(filter(None, (self.bad_words(), words)))

    def bad_words(self) -> str:
        """Return text on the number of invalid records; empty if none."""
        return bad_words(self.bad) if self.bad else ""


_PLAYED_BY: Final = r"""
    SELECT game, regexp_extract(tags, '"GameFile","([^"\\]+)"', 1) AS file, count(*)
    FROM games WHERE contains(tags, '"GameFile",') GROUP BY ALL HAVING file <> ''
"""
"""The query for the numbers of records by game and tag `GameFile`."""

EVERY_S: Final = 0.5
"""Seconds between two updates of the number of records read."""

LONG_S: Final = 20.0
"""Seconds of waiting before a hint at a faster way."""


class Telling:
    """A context manager that shows the number of records read on a terminal."""

    def __init__(self, *, quiet: bool) -> None:
        self._is_telling = not quiet and sys.stderr.isatty()
        self._next_s = time.monotonic() + EVERY_S
        self._told = ""

    def __enter__(self) -> Self:
        return self

    def __call__(self, count: int) -> None:
        """Show the number, unless one was shown within `EVERY_S`."""
        if self._is_telling and time.monotonic() > self._next_s:
            self._next_s = time.monotonic() + EVERY_S
            self._told = count_of(count, "record")
            tell_over(self._told)

    def __exit__(self, *_: object) -> None:
        if self._told:
            tell_over(" " * len(self._told))


def keys_of(option: str, names: str | None) -> tuple[Key, ...]:
    """Return the keys in the value of an option, empty for None; raises ConfigError."""
    try:
        return () if names is None else keys(names)
    except KeyNameError as error:
        raise ConfigError(f"{option}: {error}") from error
