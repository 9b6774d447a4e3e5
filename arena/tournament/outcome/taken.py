"""What is said once, in the end, of the records of all sources.

That is what was assumed to read them, how many are of other games, and what many of them lack.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from lath.arena.errors import ConfigError, reading
from lath.notation import formats
from lath.notation.files.files import is_database
from lath.notation.record.errors import Problem, printable
from lath.notation.record.tags import MOVES, NOT_READ, UNKNOWN_GAME
from lath.notation.text.splitting import Entry

_ONCE: Final = ("unknown-game", "no-game")
"""Codes of problems that are of a file rather than of a record: one message is for all."""

BY_GAME: Final = "by --game"


class Taken:
    """What was taken of the sources of a command."""

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Forget everything: a command begins."""
        self.is_strict = False
        """Whether records of other games are problems like any other."""
        self.wants_moves = True
        """Whether results alone are less than the command could use."""
        self.unread = Counter[str]()
        """Records whose moves are not read, by their game."""
        self.game = ""
        """The game that `--game` gives to records that name none."""
        self.assumed = Counter[str]()
        self.others = Counter[str]()
        """Records of other games, by what those are called."""
        self.kept: tuple[int, str] = (0, "")
        """How many lines were not understood, and the file and number of the first."""
        self.passed: dict[Path, str] = {}
        """What of a folder was passed over, in words."""
        self.equal = dict[str, int]()
        """Of databases how many records were given that are equal to a game that is there once."""
        self._told = Counter[tuple[str, str, str]]()
        self._is_game_used = False
        formats.give_game("")

    def give_game(self, game_id: str) -> None:
        """Note the game of records that name none."""
        self.game = game_id
        formats.give_game(game_id)

    def entries(self, found: Iterable[Entry]) -> Iterator[Entry]:
        """Yield entries; those of other games are counted and passed over, if not strict."""
        yield from (entry for entry in found if not (self.note(entry) and not self.is_strict))

    def note(self, entry: Entry) -> bool:
        """Count what is said of an entry in the end; return whether it is of another game."""
        self._is_game_used |= any(words.endswith(BY_GAME) for words in entry.assumed)
        record = entry.record
        if record and not entry.problems and record.tag(MOVES) == NOT_READ:
            self.unread[record.game] += 1
        if entry.other_game and not self.is_strict:
            self.others[printable(entry.other_game)[:40]] += 1
        elif not entry.problems:
            self.kept = self.kept[0] + len(entry.kept), self.kept[1] or next(iter(entry.kept), "")
            self.assumed.update(list(dict.fromkeys(entry.assumed)))
        return bool(entry.other_game)

    def news(self, problems: Iterable[Problem]) -> list[Problem]:
        """Return the problems that are to be told: of those that many records have, the first."""
        told = []
        for problem in problems:
            said = "no game is named" if problem.code == "no-game" else problem.message
            key = problem.code, said, problem.file
            if problem.code in _ONCE:
                self._told[key] += 1
            if self._told[key] <= 1:
                told.append(problem)
        return told

    def lines(self) -> list[str]:
        """Return what is to be said in the end, a line each."""
        lines = [
            f"{printable(file)}: the same problem in {count - 1} more record{'s' * (count > 2)}: "
            f"{printable(message)}"
            for (_, message, file), count in self._told.items()
            if count > 1
        ]
        lines += [f"skipped in {printable(str(at))}: {what}" for at, what in self.passed.items()]
        if self.others:
            lines.append(self.skipped_words())
        lines += [
            f"{records:,} record{'' if records == 1 else 's'} given to {name} "
            f"{'is a duplicate' if records == 1 else 'are duplicates'}: a database holds each game "
            "once"
            for name, records in self.equal.items()
        ]
        assumed = [(words, n) for words, n in self.assumed.items() if not _is_drop(words)]
        if assumed:
            lines.append(f"assumed: {_counted(assumed)}")
        if dropped := [(words, n) for words, n in self.assumed.items() if _is_drop(words)]:
            told = [(words.removeprefix(_DROPPED), n) for words, n in dropped]
            lines.append(f"dropped: {_counted(told)}")
        if self.kept[0]:
            many = f"{self.kept[0]:,} line{'s' * (self.kept[0] > 1)}"
            first = f", the first at {printable(self.kept[1])}"
            lines.append(f"not understood, kept as comments: {many}{first}")
        lines += self._unread_lines()
        if self.game and not self._is_game_used:
            lines.append(
                f"note: --game {self.game} had no effect: all records name their game; "
                f"--where 'game = {self.game}' selects one game type"
            )
        return lines

    def _unread_lines(self) -> Iterator[str]:
        """Yield what is said of records whose moves are not read."""
        if unnamed := self.unread[UNKNOWN_GAME]:
            who = f"{unnamed:,} record{'s that name' if unnamed > 1 else ' that names'} no game"
            way = "; --game NAME reads them" if self.wants_moves else ""
            yield f"note: the moves of {who} are not read{way}"
        if named := self.unread - Counter({UNKNOWN_GAME: unnamed}):
            names = ", ".join(f"{printable(game)[:40]} {n:,}" for game, n in named.most_common(5))
            many = f"{named.total():,} record{'s' * (named.total() > 1)}"
            yield f"note: the moves of {many} of other game types are not read: {names}"

    def note_database(self, path: Path) -> None:
        """Note how many equal games a database has once; who reads it says what is wrong."""
        try:
            from lath.notation.database.reading import Database, DatabaseError  # start-up time
        except ImportError:
            return
        with suppress(DatabaseError, OSError), Database(path) as database:
            if records := database.equal():
                self.equal[printable(str(path))] = records

    def skipped_words(self) -> str:
        """Return how many records of other games were passed over."""
        total = self.others.total()
        most = self.others.most_common(5)
        names = ", ".join(f"{name} {count:,}" for name, count in most)
        more = f" and {len(self.others) - len(most)} more" if len(self.others) > len(most) else ""
        many = f"{total:,} record{'' if total == 1 else 's'}"
        return f"skipped {many} of other game types: {names}{more}; --strict makes this an error"


_DROPPED: Final = "dropped: "


def _is_drop(words: str) -> bool:
    return words.startswith(_DROPPED)


def _counted(told: Iterable[tuple[str, int]]) -> str:
    return "; ".join(
        f"{words} ({count:,} record{'' if count == 1 else 's'})" for words, count in told
    )


TAKEN: Final = Taken()
"""Of the command that this process runs."""


NO_FILES: Final = ", nor record files such as games.pgn or games.txt"
"""What is said of a folder that has nothing to read, behind what else it has not."""


def files_in(sources: Iterable[Path], *, is_refused: bool = True) -> list[Path]:
    """Return sources with the record files in the place of each folder that is no tournament's.

    Raises ConfigError for a folder without any, if such a one `is_refused`.
    """
    return [file for source in sources for file in _files_of(source, is_refused=is_refused)]


def _files_of(source: Path, *, is_refused: bool) -> list[Path]:
    if not source.is_dir():
        if is_database(source):
            TAKEN.note_database(source)
        return [source]
    from lath.arena.directory import DATABASE, RECORDS  # start-up time
    from lath.arena.tournament.outcome.directories import is_of_a_run

    if is_of_a_run(source):
        return [source]
    with reading(source):
        inside = sorted(source.iterdir())
    found = [file for file in inside if file.is_file() and is_record_file(file)]
    for file in filter(is_database, found):
        TAKEN.note_database(file)
    if found == [source / RECORDS] or not (found or is_refused):
        return [source]
    if not found:
        lacks = f"it has neither {DATABASE} nor {RECORDS}{NO_FILES}"
        raise ConfigError(f"{source}: not a tournament: {lacks}")
    if words := _passed_words([file for file in inside if file not in found]):
        TAKEN.passed[source] = words
    return found


def _passed_words(inside: Iterable[Path]) -> str:
    """Return how many files and folders are passed over, with the names of some."""
    from lath.notation.archive.index import SUFFIX  # start-up time

    names = {True: list[str](), False: list[str]()}
    for path in inside:
        if not (path.name.startswith(".") or path.name.endswith(SUFFIX)):
            names[path.is_dir()].append(printable(path.name)[:40])
    parts = []
    for is_folder, found in names.items():
        what = "folder" if is_folder else "file without a suffix of records"
        if found:
            some = ", ".join(found[:3]) + (", …" if len(found) > _SOME else "")
            plural = what.replace("file", "files") if not is_folder else "folders"
            parts.append(f"{len(found):,} {what if len(found) == 1 else plural} ({some})")
    return "; ".join(parts)


_SOME: Final = 3


def is_record_file(file: Path) -> bool:
    """Return whether a file of a folder is one of records by its suffix."""
    if file.name.startswith("."):
        return False
    try:
        return formats.TABLE[formats.name_for(file)].read is not None
    except formats.FormatError:
        return False
