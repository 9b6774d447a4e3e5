"""Records that match `--where` and come for the first time, as commands read them from files."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from lath.arena.cli.intake import Intake
from lath.arena.cli.outlet import bad_words
from lath.arena.errors import ConfigError
from lath.games.core import GameError

if TYPE_CHECKING:
    from lath.notation.errors import Problem
    from lath.notation.reader import Entry
    from lath.notation.record import Record


class Sieve:
    """The entries of files that pass, lazily and once; bad ones are told of on standard error."""

    def __init__(
        self, files: Sequence[Path], where: str | None, *, distinct: bool, invert: bool = False
    ) -> None:
        """Read the query; raises ConfigError."""
        self._intakes = [(path, Intake([path])) for path in files]
        self._question = _question(where)
        self._distinct = distinct
        self._invert = invert
        self._path = Path()
        self._read = self._refused = 0
        self.duplicates = 0
        """Records left out because the same game came before."""

    @property
    def records(self) -> int:
        """Return how many sound records were read."""
        return self._read - self._refused

    @property
    def bad(self) -> int:
        """Return how many records were left out because something is wrong with them."""
        return self._refused + sum(intake.bad for _, intake in self._intakes)

    def __iter__(self) -> Iterator[tuple[Entry, Record]]:
        """Yield each entry and its record; raises ConfigError for a file that cannot be read."""
        return self._new(self._matching()) if self._distinct else self._matching()

    def _matching(self) -> Iterator[tuple[Entry, Record]]:
        for path, intake in self._intakes:
            self._path = path
            for entry, record in intake:
                self._read += 1
                try:
                    matches = self._question(record)
                except GameError as error:
                    self.refuse(entry, error)
                    continue
                if matches is not self._invert:
                    yield entry, record

    def _new(self, found: Iterator[tuple[Entry, Record]]) -> Iterator[tuple[Entry, Record]]:
        from lath.notation.archive.duplicates import Seen
        from lath.notation.archive.identity import identity

        seen = Seen()
        for entry, record in found:
            if seen.add(identity(record)):
                yield entry, record
            else:
                self.duplicates += 1

    def refuse(self, entry: Entry, error: GameError) -> None:
        """Tell of a record that could not be played, and count it as bad: the last one yielded."""
        self._refused += 1
        told = list(map(str, _problems(self._path, entry)))
        unexplained = f"{self._path}:{entry.line}: {error} (record {entry.number})"
        print(*(told or [unexplained]), sep="\n", file=sys.stderr)

    def told_left_out(self) -> str:
        """Return in words what was left out besides what did not match; empty where nothing was."""
        told = ""
        if self.duplicates:
            told += f"; {self.duplicates} left out that were there already"
        if self.bad:
            told += f"; {bad_words(self.bad)} left out"
        return told


def _question(where: str | None) -> Callable[[Record], bool]:
    if where is None:
        return lambda _: True
    from lath.notation.query import QueryError, compile_query

    try:
        return compile_query(where)
    except QueryError as error:
        raise ConfigError(f"--where: {error}") from error


def _problems(path: Path, entry: Entry) -> Iterator[Problem]:
    """Yield what is wrong with an entry by the rules, in its place in the file."""
    from lath.notation import formats
    from lath.notation.reader import entries_of

    is_ours = str(path) == "-" or not formats.is_other(path)
    for again in entries_of(io.BytesIO(entry.text.encode()), str(path)):
        for problem in again.problems:
            line = problem.line - 1 if is_ours else 0  # else the text is not what the file has
            yield replace(problem, line=entry.line + line, record=entry.number)
