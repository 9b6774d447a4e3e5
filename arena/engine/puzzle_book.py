"""Puzzles as records: a position, the only move with its continuation, and a difficulty.

The puzzles of the project are in this folder, one file per game type.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, cast, get_args

from lath.arena.errors import ConfigError
from lath.games.core import Move, Position
from lath.games.errors import UnknownGameError
from lath.notation import Builder, Record, format_record, read
from lath.notation.files.files import folder_of
from lath.notation.rules.replay import start_of

if TYPE_CHECKING:
    from lath.arena.engine.solving import Solved

GRADES: Final = range(1, 6)

FOLDER: Final = folder_of("lath.arena.engine", "puzzles")
"""Folder of the project's puzzles."""

Task = Literal["win", "win-in", "hold"]
"""Win, win within a number of plies, or avoid losing."""

TASKS: Final[tuple[Task, ...]] = get_args(Task)


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A position in which only one move wins, wins within `plies` plies, or avoids losing."""

    position: Position
    task: Task
    plies: int
    """Plies until the win; 0 if the only move avoids losing."""

    tempting: int
    """Number of legal moves that neither lose at once nor allow a win with the next move."""

    line: tuple[Move, ...]
    """The only move and its continuation."""

    @property
    def key(self) -> str:
        """Return the name of the puzzle in addresses, which new puzzles do not change."""
        said = f"{self.position.game.id} {self.position.text()}"
        return hashlib.sha256(said.encode()).hexdigest()[:8]

    @property
    def answer(self) -> Move:
        """Return the only move."""
        return self.line[0]

    @property
    def grade(self) -> int:
        """Return the difficulty, from 1 to 5: it grows with the plies and with many tempting moves.

        Wins in 3 plies are 1, in 5 they are 2, in 7 or 8 they are 3, and longer wins and draws are
        4. Many tempting moves add 1.
        """
        depth = 4 if not self.plies else min(4, max(1, (self.plies - 1) // 2))
        return min(GRADES[-1], depth + (self.tempting >= _MANY))

    @property
    def question(self) -> str:
        """Return the question, such as `white to move wins`."""
        return f"{self.position.game.colours[self.position.to_move]} to move {self.words}"

    @property
    def words(self) -> str:
        """Return the effect of the only move, such as `wins in 5 plies`."""
        if self.task == "hold":
            return "does not lose"
        return f"wins in {self.plies} plies" if self.task == "win-in" else "wins"

    def record(self, number: int) -> Record:
        """Return a record with the tags `Puzzle`, `Plies`, `Tempting` and `Grade`, and the line."""
        made = Builder(self.position.game.id, position=self.position.text())
        made.tag(
            Event=f"puzzle {number}",
            Puzzle=self.task,
            Plies=str(self.plies),
            Tempting=str(self.tempting),
            Grade=str(self.grade),
        )
        made.play(*self.line)
        return made.record()


_MANY: Final = 10


@dataclass(frozen=True, slots=True)
class Refutation:
    """Why a move does not solve a puzzle."""

    line: tuple[Move, ...]
    """The move, the best answer to it, and the continuation; the move alone if it ends the game."""

    words: str
    """A sentence about the answer and what follows from it."""


def refuted(puzzle: Puzzle, move: Move, ask: Callable[[Position], Solved]) -> Refutation:
    """Return why a wrong move does not solve a puzzle; `ask` returns the value of a position.

    Raises IllegalMoveError, and the errors of `ask`.
    """
    after = puzzle.position.play(move)
    colours = after.game.colours
    if (outcome := after.outcome()) is not None:
        return Refutation((move,), _sentence(outcome.told(*colours)))
    found = ask(after)
    line = (move, *(found.line or after.legal_moves()[:1]))
    mine, theirs = colours[puzzle.position.to_move], colours[puzzle.position.to_move.other]
    end = after.play(line[1]).outcome()
    if end is not None and end.winner == puzzle.position.to_move.other:
        told = f"and wins at once: {end.ending}"
    elif found.value == "win":
        told = f"and wins{found.words.removeprefix('win')}"
    elif found.value == "draw":
        told = "and draws"
    elif puzzle.task == "hold":
        told = f"and {mine} cannot avoid losing"
    elif puzzle.task == "win":
        told = f"and {mine} cannot force a win"
    else:
        told = f"and {mine} does not win within {puzzle.plies} plies"
    return Refutation(line, _sentence(f"{theirs} answers {line[1]} {told}"))


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}."


def of_record(record: Record) -> Puzzle:
    """Return the puzzle of a record; raises ConfigError if it has none, and UnknownGameError."""
    try:
        task = cast("Task", record.tag("Puzzle"))
        if task not in TASKS or not record.moves:
            raise ValueError(f"no tag Puzzle that says one of {', '.join(TASKS)}, or no moves")
        position = start_of(record)
        plies, tempting = int(record.tag("Plies")), int(record.tag("Tempting"))
    except UnknownGameError:  # its message says how to install the game
        raise
    except ValueError as error:
        raise ConfigError(f"Puzzle: a record of {record.game} is not a puzzle: {error}") from error
    return Puzzle(position, task, plies, tempting, tuple(map(Move, record.moves)))


def all_built_in() -> list[Path]:
    """Return the puzzle files of the project."""
    return sorted(FOLDER.glob("*.lath"))


def built_in(game_id: str) -> Path:
    """Return the project's puzzle file for a game type; raises ConfigError if it has none."""
    files = {path.stem: path for path in all_built_in()}
    if game_id not in files:
        raise ConfigError(f"{game_id}: has no puzzles; choose one of {', '.join(files)}")
    return files[game_id]


def read_puzzles(file: Path) -> Iterator[Puzzle]:
    """Yield the puzzles of a file; raises ConfigError, RecordError and UnknownGameError."""
    return map(of_record, read(file))


def written(puzzles: Iterable[Puzzle]) -> str:
    """Return the text of a puzzle file, the easiest puzzles first."""
    ordered = sorted(puzzles, key=lambda one: (one.grade, one.plies, one.position.text()))
    return "\n".join(format_record(one.record(n)) for n, one in enumerate(ordered, 1))
