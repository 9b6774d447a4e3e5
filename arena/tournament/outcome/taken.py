"""Remarks at the end of a command on the records of all its sources.

They say what was assumed to read the records, how many belong to other games, and what many lack.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from lath.arena.errors import ConfigError, reading
from lath.games.errors import count_of
from lath.notation import formats
from lath.notation.files.files import is_database
from lath.notation.record.errors import Problem, printable
from lath.notation.record.tags import MOVES, NOT_READ, UNKNOWN_GAME
from lath.notation.rules.origins import HINT, OtherRules
from lath.notation.text.splitting import Entry

_ONCE: Final = ("unknown-game", "no-game")
"""Codes of problems of a whole file, reported once for all its records."""

BY_GAME: Final = "by --game"


class Taken:
    """Counts of the records that a command has read from its sources."""

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Reset all counts at the start of a command."""
        self.is_strict = False
        """True if records of other games are errors."""
        self.wants_moves = True
        """True if the command needs moves, not only results."""
        self.unread = Counter[str]()
        """Records whose moves are not read, by game."""
        self.game = ""
        """The game from `--game` for records that name none."""
        self.assumed = Counter[str]()
        self.others = Counter[str]()
        """Records of other games, by the names of these games."""
        self.kept: tuple[int, str] = (0, "")
        """The number of lines that were not understood, and the file and number of the first."""
        self.passed: dict[Path, str] = {}
        """Names of the files and folders that were skipped, by folder."""
        self.other_rules: dict[str, OtherRules] = {}
        """Records that other versions of their rules have played, by file."""
        self.equal = dict[str, int]()
        """Duplicate records per database, which holds each game once."""
        self._told = Counter[tuple[str, str, str]]()
        self._is_game_used = False
        formats.give_game("")

    def give_game(self, game_id: str) -> None:
        """Set the game of records that name none."""
        self.game = game_id
        formats.give_game(game_id)

    def entries(self, found: Iterable[Entry]) -> Iterator[Entry]:
        """Yield entries; unless strict, entries of other games are counted and skipped."""
        yield from (entry for entry in found if not (self.note(entry) and not self.is_strict))

    def note(self, entry: Entry) -> bool:
        """Count an entry for the remarks; return whether it is of another game."""
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

    def by_rules(self, file: object) -> OtherRules:
        """Return new counts of records of a file that other versions of their rules have played.

        They replace the counts of an earlier reading of the file.
        """
        counts = self.other_rules[printable(str(file))] = OtherRules()
        return counts

    def seen(self, found: Iterable[Entry], file: object) -> Iterator[Entry]:
        """Yield the entries of a file; those of valid records are counted in `by_rules`."""
        counts = self.by_rules(file)
        for entry in found:
            if entry.record is not None:
                counts.see(entry.record)
            yield entry

    def rules_json(self) -> dict[str, object]:
        """Return the counts of `by_rules` as JSON data for an object; empty without any."""
        total = Counter[str]()
        for counts in self.other_rules.values():
            total.update({tag: count for (_, tag), count in counts.counts.items() if count})
        return {"other_rules": dict(total)} if total else {}

    def news(self, problems: Iterable[Problem]) -> list[Problem]:
        """Return the problems to report: of a problem that many records share, the first."""
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
        """Return the remarks at the end, one per line."""
        lines = [
            f"{printable(file)}: the same problem in {count_of(count - 1, 'more record')}: "
            f"{printable(message)}"
            for (_, message, file), count in self._told.items()
            if count > 1
        ]
        lines += [f"skipped in {printable(str(at))}: {what}" for at, what in self.passed.items()]
        if self.others:
            lines.append(self.skipped_words())
        lines += [
            f"{count_of(records, 'record')} given to {name} "
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
            many = count_of(self.kept[0], "line")
            first = f", the first at {printable(self.kept[1])}"
            lines.append(f"not understood, kept as comments: {many}{first}")
        lines += self._unread_lines()
        by_others = [line for file, each in self.other_rules.items() for line in each.lines(file)]
        if by_others:
            lines += [*by_others, f"hint: {HINT}"]
        if self.game and not self._is_game_used:
            lines.append(
                f"note: --game {self.game} had no effect: all records name their game; "
                f"--where 'game = {self.game}' selects one game type"
            )
        return lines

    def _unread_lines(self) -> Iterator[str]:
        """Yield remarks on records whose moves are not read."""
        if unnamed := self.unread[UNKNOWN_GAME]:
            who = f"{unnamed:,} record{'s that name' if unnamed > 1 else ' that names'} no game"
            way = "; --game NAME reads them" if self.wants_moves else ""
            yield f"note: the moves of {who} are not read{way}"
        if named := self.unread - Counter({UNKNOWN_GAME: unnamed}):
            names = ", ".join(f"{printable(game)[:40]} {n:,}" for game, n in named.most_common(5))
            many = count_of(named.total(), "record")
            yield f"note: the moves of {many} of other game types are not read: {names}"

    def note_database(self, path: Path) -> None:
        """Count the duplicates of a database; reading it later reports errors."""
        try:
            from lath.notation.database.reading import Database, DatabaseError  # start-up time
        except ImportError:
            return
        with suppress(DatabaseError, OSError), Database(path) as database:
            if records := database.equal():
                self.equal[printable(str(path))] = records

    def skipped_words(self) -> str:
        """Return a remark on skipped records of other games."""
        total = self.others.total()
        most = self.others.most_common(5)
        names = ", ".join(f"{name} {count:,}" for name, count in most)
        more = f" and {len(self.others) - len(most)} more" if len(self.others) > len(most) else ""
        many = count_of(total, "record")
        return f"skipped {many} of other game types: {names}{more}; --strict makes this an error"


_DROPPED: Final = "dropped: "


def _is_drop(words: str) -> bool:
    return words.startswith(_DROPPED)


def _counted(told: Iterable[tuple[str, int]]) -> str:
    return "; ".join(f"{words} ({count_of(count, 'record')})" for words, count in told)


TAKEN: Final = Taken()
"""The counts of the command that this process runs."""


NO_FILES: Final = ", nor record files such as games.pgn or games.txt"
"""The end of the error about a folder without anything to read."""


def files_in(sources: Iterable[Path], *, is_refused: bool = True) -> list[Path]:
    """Return the sources, with folders that are not tournaments replaced by their record files.

    If `is_refused`, raises ConfigError for a folder without record files.
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
    """Return how many files and folders are skipped, with some names."""
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
    """Return whether a file has the suffix of a record format."""
    if file.name.startswith("."):
        return False
    try:
        return formats.TABLE[formats.name_for(file)].read is not None
    except formats.FormatError:
        return False
