"""Which records of files a command takes: the sound ones that match a query, in their order.

Must not know what is done with them. What is bad is told of on standard error, and counted.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from lath.arena.cli.files import bad_words, entries, read_from
from lath.arena.cli.main import flag, option
from lath.arena.errors import ConfigError
from lath.games.errors import GameError
from lath.notation import formats
from lath.notation.archive import Key, KeyNameError, Seen, identity, keys
from lath.notation.errors import Problem
from lath.notation.query import QueryError, compile_query
from lath.notation.reader import Entry, entries_of
from lath.notation.record import Record

_QUERY = "A query, such as 'plies > 20 and winner = greedy'; docs/queries.md has the language."

Where = Annotated[str | None, option("--where", "EXPR", _QUERY)]
Distinct = Annotated[bool, flag("--distinct", "Of games with the same start and moves, the first.")]

Found = tuple[Entry, Record]
"""A sound entry of a file, and its record."""


class Selection:
    """The sound entries of files that match, lazily; bad ones are told of on standard error."""

    def __init__(
        self,
        files: Sequence[Path],
        where: str | None = None,
        *,
        distinct: bool = False,
        invert: bool = False,
    ) -> None:
        """Read the query; raises ConfigError."""
        self._files = files
        self._matches = _question(where)
        self._distinct = distinct
        self._invert = invert
        self._path = Path()
        self._was_read = False
        self.records = 0
        """Sound records that were read."""
        self.bad = 0
        """Records left out because something is wrong with them."""
        self.duplicates = 0
        """Records left out because the same game came before."""

    def __iter__(self) -> Iterator[Found]:
        """Yield each entry and its record; raises ConfigError for a file that cannot be read.

        Problems are told of and counted the first time only.
        """
        is_first, self._was_read = not self._was_read, True
        found = self._matching(self._sound(is_first=is_first))
        return self._new(found) if self._distinct else found

    def _sound(self, *, is_first: bool) -> Iterator[Found]:
        for path in self._files:
            self._path = path
            for entry in read_from(path, entries(path)):
                if entry.record is not None and not entry.problems:
                    self.records += is_first
                    yield entry, entry.record
                elif is_first:
                    self.bad += 1
                    print(*entry.problems, sep="\n", file=sys.stderr)

    def _matching(self, found: Iterator[Found]) -> Iterator[Found]:
        for entry, record in found:
            try:
                matches = self._matches(record)
            except GameError as error:
                self.refuse(entry, error)
                continue
            if matches is not self._invert:
                yield entry, record

    def _new(self, found: Iterator[Found]) -> Iterator[Found]:
        seen = Seen()
        for entry, record in found:
            if seen.add(identity(record)):
                yield entry, record
            else:
                self.duplicates += 1

    def refuse(self, entry: Entry, error: GameError) -> None:
        """Tell of a record that could not be played, and count it as bad: the last one yielded."""
        self.records -= 1
        self.bad += 1
        problems = list(map(str, _problems(self._path, entry)))
        unexplained = f"{self._path}:{entry.line}: {error} (record {entry.number})"
        print(*(problems or [unexplained]), sep="\n", file=sys.stderr)

    def left_out_words(self) -> str:
        """Return in words what was left out besides what did not match; empty where nothing was."""
        words = ""
        if self.duplicates:
            words += f"; {self.duplicates} left out that were there already"
        if self.bad:
            words += f"; {bad_words(self.bad)} left out"
        return words


def _question(where: str | None) -> Callable[[Record], bool]:
    if where is None:
        return lambda _: True
    try:
        return compile_query(where)
    except QueryError as error:
        raise ConfigError(f"--where: {error}") from error


def _problems(path: Path, entry: Entry) -> Iterator[Problem]:
    """Yield what is wrong with an entry by the rules, in its place in the file."""
    is_ours = str(path) == "-" or not formats.is_other(path)
    for again in entries_of(io.BytesIO(entry.text.encode()), str(path)):
        for problem in again.problems:
            line = problem.line - 1 if is_ours else 0  # else the text is not what the file has
            yield replace(problem, line=entry.line + line, record=entry.number)


def keys_of(option: str, names: str | None) -> tuple[Key, ...]:
    """Return the keys that an option names, none where it is not given; raises ConfigError."""
    try:
        return () if names is None else keys(names)
    except KeyNameError as error:
        raise ConfigError(f"{option} {names}: {error}") from error
