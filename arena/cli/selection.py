"""Which records of files a command takes: the sound ones that match a query, in their order.

What is bad is told of on standard error, and counted.
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
from lath.games.errors import GameError
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
    """The query of --where, and whether it told any records apart."""

    def __init__(self, text: str | None) -> None:
        """Read it; raises ConfigError. None: everything matches."""
        self._text: Final = text
        try:
            self._matches = None if text is None else compile_query(text)
        except QueryError as error:
            raise ConfigError(f"--where: {error}") from error
        self.is_any: Final = text is not None
        """Whether anything is asked at all."""
        self._answers: Final[set[bool]] = set()

    def matches(self, record: Record) -> bool:
        """Return whether a record matches; raises GameError where it cannot be played for that."""
        if self._matches is None:
            return True
        answer = self._matches(record)
        self._answers.add(answer)
        return answer

    def found_in(self, database: Database) -> Flags:
        """Return which games of a database match, by number, of those that can be played here."""
        from lath.notation.database.asking import matching  # start-up time

        found = matching(database, plan_of(self._text) if self._text else And(()))
        answers = found[database.known]
        self._answers.update(answer for answer in (True, False) if (answers == answer).any())
        return found

    def print_doubts(self) -> None:
        """Tell of what may be a slip, where all records were answered alike."""
        if self._text is not None and len(self._answers) == 1:
            for words in doubts(self._text):
                print_note(f"--where: {words}")


class Selection:
    """The sound entries of files that match, lazily; bad ones are told of on standard error."""

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

        Records of games that were `given` before are left out, if anybody asks for that.

        `replaced` is a file that is written: what of its records is not kept `lost_words` says.

        Without `rules` records are taken as they stand, whatever the rules say of them; else `jobs`
        processes check them. Unless `quiet` a terminal is told how many were read, and who has
        waited long for the answer to a query, or `is_asking` otherwise, that a database answers
        sooner.
        """
        self._quiet = quiet
        self._is_asking = is_asking
        self._files = files = files_in(files)
        self._distinct = distinct
        self._invert = invert
        self._rules = rules
        self._jobs = jobs
        self.path = Path()
        """The file of the last entry that was yielded."""
        self.query: Final = Query(where)
        self.records = 0
        """Sound records that were read."""
        self.bad = 0
        """Records left out because something is wrong with them."""
        self.duplicates = 0
        """Records left out because the same game came before."""
        self.unkept: set[bytes] | None = None
        """Of a file that is replaced: what its records are known by that are not in it again yet;
        None where none is."""
        self._replaced = replaced
        # One database has a game once, and --distinct leaves out more.
        is_database_alone = len(files) == 1 and is_database(files[0])
        self._given: Final = None if distinct or is_database_alone else given
        self.copies = 0
        """Records left out because they are copies of others, which who reads them has to say."""

    def __iter__(self) -> Iterator[tuple[Entry, Record]]:
        """Yield each entry and its record; raises ConfigError for a file that cannot be read."""
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
        """Tell what answers sooner, if anything does."""
        if (self._is_asking or self.query.is_any) and not any(map(is_database, self._files)):
            named = " ".join(shlex.quote(str(path)) for path in self._files)
            print_note(
                "a database answers faster than record files",
                hint=f"arena convert {named} games.duckdb",
            )

    def _matching(self, path: Path, tell: Telling) -> Iterator[tuple[Entry, Record]]:
        """Yield the same of one file, which is read from its start to its end."""
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
        """Yield the same of a database, which is asked for those that match."""
        with read_database(path) as database:
            for number, text in database.texts(self.asked(path, database)):
                record = parse(text)
                yield Entry(number, 1, record, (), text.rstrip("\n")), record

    def asked(self, path: Path, database: Database) -> Flags:
        """Return which games of a database are taken; those that cannot be played here are bad."""
        found, known = self.query.found_in(database), database.known
        for rules, error in database.unknown.items():
            number = int((database.rules[1][1:] == rules).sum())
            print_error(f"{path}: {error} ({number} records)")
            self.bad += number
        self.records += int(known.sum())
        return (found ^ self._invert) & known

    def counted(self) -> int | None:
        """Return how many records there are, if databases tell without reading any; else None."""
        if self._distinct or self._given is not None or not all(map(is_database, self._files)):
            return None
        number = 0
        for path in self._files:
            with read_database(path) as database:
                number += int(self.asked(path, database).sum())
        self.query.print_doubts()
        return number

    def refuse(self, entry: Entry, error: GameError) -> None:
        """Tell of a record that could not be played, and count it as bad: the last one yielded."""
        self.records -= 1
        self.bad += 1
        is_ours = str(self.path) == "-" or formats.recognised(self.path) in formats.OF_TEXT
        text = io.BytesIO(entry.text.encode())
        problems = [each for again in entries_of(text, str(self.path)) for each in again.problems]
        for problem in problems:
            line = problem.line - 1 if is_ours else 0  # else the text is not what the file has
            print(replace(problem, line=entry.line + line, record=entry.number), file=sys.stderr)
        if not problems:
            print_error(f"{self.path}:{entry.line}: {error} (record {entry.number})")

    def left_out(self) -> dict[str, Any]:
        """Return for programs what was left out besides what did not match."""
        return {
            "duplicates": self.duplicates,
            "bad": self.bad,
            "given_before": self._given.again if self._given is not None else 0,
            "equal": sum(TAKEN.equal.values()),
            "skipped": dict(TAKEN.others),
        }

    def not_counted(self) -> str:
        """Return a line of how many records count for nothing; empty if all do."""
        others = TAKEN.others.total()
        words = [
            *([self.bad_words()] if self.bad else []),
            *([f"{others} of other games"] if others else []),
        ]
        return f"left out: {', '.join(words)}\n" if words else ""

    def left_out_words(self) -> str:
        """Return in words what was left out besides what did not match; empty where nothing was."""
        words = ""
        if self.duplicates:
            words += f"; {self.duplicates} duplicate{'s' * (self.duplicates > 1)} left out"
        if self.copies:
            words += f"; {self.copies} {'copy' if self.copies == 1 else 'copies'} left out"
        if self.bad:
            words += f"; {self.bad_words()} left out"
        return words

    def wrote(self, text: str) -> None:
        """Note that a record is kept, in the file that is replaced or elsewhere."""
        if self.unkept:
            self.unkept.discard(_digest(text))

    def lost_words(self) -> str:
        """Return what the file that is replaced would lose, in words; empty where nothing is."""
        lost = len(self.unkept or ())
        words = f"{lost} record{'' if lost == 1 else 's'}" if lost else ""
        return ", ".join(filter(None, (self.bad_words(), words)))

    def bad_words(self) -> str:
        """Return how many bad records there were, in words; empty where there were none."""
        return bad_words(self.bad) if self.bad else ""


EVERY_S: Final = 0.5
"""How often it is told how many records were read."""

LONG_S: Final = 20.0
"""For so long somebody waits before she is told of what would be quicker."""


class Telling:
    """Tells on a terminal how many records were read by now, for as long as it is entered."""

    def __init__(self, *, quiet: bool) -> None:
        self._is_telling = not quiet and sys.stderr.isatty()
        self._next_s = time.monotonic() + EVERY_S
        self._told = ""

    def __enter__(self) -> Self:
        return self

    def __call__(self, count: int) -> None:
        """Tell of a number, if it was not told a moment ago."""
        if self._is_telling and time.monotonic() > self._next_s:
            self._next_s = time.monotonic() + EVERY_S
            self._told = f"{count:,} records"
            tell_over(self._told)

    def __exit__(self, *_: object) -> None:
        if self._told:
            tell_over(" " * len(self._told))


def keys_of(option: str, names: str | None) -> tuple[Key, ...]:
    """Return the keys that an option names, none where it is not given; raises ConfigError."""
    try:
        return () if names is None else keys(names)
    except KeyNameError as error:
        raise ConfigError(f"{option}: {error}") from error
