"""What is said once, in the end, of the records of all sources.

That is what was assumed to read them, how many are of other games, and what many of them lack.

Must not know what is done with the records.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from lath.arena.errors import ConfigError
from lath.notation import formats
from lath.notation.errors import Problem, printable
from lath.notation.reader import Entry

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
        self.game = ""
        """The game that `--game` gives to records that name none."""
        self.assumed = Counter[str]()
        self.others = Counter[str]()
        """Records of other games, by what those are called."""
        self._told = Counter[tuple[str, str, str]]()
        formats.give_game("")

    def give_game(self, game_id: str) -> None:
        """Note the game of records that name none."""
        self.game = game_id
        formats.give_game(game_id)

    def entries(self, found: Iterable[Entry]) -> Iterator[Entry]:
        """Yield entries; those of other games are counted and passed over, if not strict."""
        for entry in found:
            if not (self.note(entry) and not self.is_strict):
                yield entry

    def note(self, entry: Entry) -> bool:
        """Count what is said of an entry in the end; return whether it is of another game."""
        if entry.other_game and not self.is_strict:
            self.others[printable(entry.other_game)[:40]] += 1
        elif entry.assumed and not entry.problems:
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
        lines = []
        for (_, message, file), count in self._told.items():
            if count > 1:
                more = f"{count - 1} more record{'s' * (count > 2)}"
                lines.append(f"{printable(file)}: the same of {more}: {printable(message)}")
        if self.others:
            lines.append(self.skipped_words())
        assumed = [(words, n) for words, n in self.assumed.items() if not _is_drop(words)]
        if assumed:
            lines.append(f"assumed: {_counted(assumed)}")
        if dropped := [(words, n) for words, n in self.assumed.items() if _is_drop(words)]:
            told = [(words.removeprefix(_DROPPED), n) for words, n in dropped]
            lines.append(f"dropped: {_counted(told)}")
        if self.game and not any(words.endswith(BY_GAME) for words in self.assumed):
            lines.append(
                f"hint: --game {self.game} is for records of text that name no game; "
                f"--where 'game = {self.game}' takes those of one game"
            )
        return lines

    def skipped_words(self) -> str:
        """Return how many records of other games were passed over."""
        total = self.others.total()
        most = self.others.most_common(5)
        names = ", ".join(f"{name} {count:,}" for name, count in most)
        more = f" and {len(self.others) - len(most)} more" if len(self.others) > len(most) else ""
        many = f"{total:,} record{'' if total == 1 else 's'}"
        return f"skipped {many} of other games: {names}{more}; --strict makes that an error"


_DROPPED: Final = "dropped: "


def _is_drop(words: str) -> bool:
    return words.startswith(_DROPPED)


def _counted(told: Iterable[tuple[str, int]]) -> str:
    return "; ".join(
        f"{words} ({count:,} record{'' if count == 1 else 's'})" for words, count in told
    )


TAKEN: Final = Taken()
"""Of the command that this process runs."""


def files_in(sources: Iterable[Path]) -> list[Path]:
    """Return sources with the record files in the place of each folder that has no tournament.

    Raises ConfigError for a folder without any.
    """
    return [file for source in sources for file in _files_of(source)]


def _files_of(source: Path) -> list[Path]:
    if not source.is_dir():
        return [source]
    from lath.arena.tournament.database import DATABASE
    from lath.arena.tournament.sources import is_tournament

    found = sorted(file for file in source.iterdir() if file.is_file() and is_record_file(file))
    if is_tournament(source) and ((source / DATABASE).is_file() or len(found) == 1):
        return [source]
    if not found:
        raise ConfigError(
            f"{source} has no tournament and no record files; "
            "expected files such as games.lath, games.pgn or games.txt in it"
        )
    return found


def is_record_file(file: Path) -> bool:
    """Return whether a file of a folder is one of records by its suffix."""
    if file.name.startswith("."):
        return False
    try:
        return formats.TABLE[formats.name_for(file)].read is not None
    except formats.FormatError:
        return False
