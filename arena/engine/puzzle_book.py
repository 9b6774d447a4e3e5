"""Puzzles as records: a position, the right move with the line that shows it, and a grade.

Those that come with the project are the files of this folder, one a game.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, cast, get_args

from lath.arena.errors import ConfigError
from lath.games.core import Move, Position
from lath.games.errors import UnknownGameError
from lath.notation import Builder, Record, format_record, read
from lath.notation.files.files import folder_of
from lath.notation.rules.replay import start_of

GRADES: Final = range(1, 6)

FOLDER: Final = folder_of("lath.arena.engine", "puzzles")
"""Where those are that come with the project."""

Task = Literal["win", "win-in", "hold"]
"""To win, to win within so many plies, or not to lose."""

TASKS: Final[tuple[Task, ...]] = get_args(Task)


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A position in which one move alone wins, in so many plies or at all, or does not lose."""

    position: Position
    task: Task
    plies: int
    """Until the game is won or lost; of a draw, 0."""

    tempting: int
    """Legal moves that neither lose at once nor let the opponent win with the next."""

    line: tuple[Move, ...]
    """The right move, and how both go on."""

    @property
    def answer(self) -> Move:
        """Return the right move."""
        return self.line[0]

    @property
    def grade(self) -> int:
        """Return how hard it is, 1 to 5: by the plies, and one more where many moves tempt.

        Wins in 3 plies are 1, in 5 they are 2, in 7 or 8 they are 3, beyond that 4; draws are 4.
        """
        depth = 4 if not self.plies else min(4, max(1, (self.plies - 1) // 2))
        return min(GRADES[-1], depth + (self.tempting >= _MANY))

    @property
    def question(self) -> str:
        """Return what is asked for, such as `white to move wins`."""
        return f"{self.position.game.colours[self.position.to_move]} to move {self.words}"

    @property
    def words(self) -> str:
        """Return what the right move alone does, such as `wins in 5 plies`."""
        if self.task == "hold":
            return "does not lose"
        return f"wins in {self.plies} plies" if self.task == "win-in" else "wins"

    def record(self, number: int) -> Record:
        """Return it as a record: tags `Puzzle`, `Plies`, `Tempting` and `Grade`, and the line."""
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


def of_record(record: Record) -> Puzzle:
    """Return the puzzle of a record; raises ConfigError where it is none, UnknownGameError."""
    try:
        task = cast("Task", record.tag("Puzzle"))
        if task not in TASKS or not record.moves:
            raise ValueError(f"no tag Puzzle that says one of {', '.join(TASKS)}, or no moves")
        position = start_of(record)
        plies, tempting = int(record.tag("Plies")), int(record.tag("Tempting"))
    except UnknownGameError:  # it says what brings the game
        raise
    except ValueError as error:
        raise ConfigError(f"Puzzle: a record of {record.game} is not a puzzle: {error}") from error
    return Puzzle(position, task, plies, tempting, tuple(map(Move, record.moves)))


def all_built_in() -> list[Path]:
    """Return the files of puzzles that come with the project."""
    return sorted(FOLDER.glob("*.lath"))


def built_in(game_id: str) -> Path:
    """Return the file of a game's puzzles; raises ConfigError where none come with the project."""
    files = {path.stem: path for path in all_built_in()}
    if game_id not in files:
        raise ConfigError(f"{game_id}: has no puzzles; choose one of {', '.join(files)}")
    return files[game_id]


def read_puzzles(file: Path) -> Iterator[Puzzle]:
    """Yield the puzzles of a file; raises ConfigError, RecordError and UnknownGameError."""
    return map(of_record, read(file))


def written(puzzles: Iterable[Puzzle]) -> str:
    """Return puzzles as the text of a file, the easiest first."""
    ordered = sorted(puzzles, key=lambda one: (one.grade, one.plies, one.position.text()))
    return "\n".join(format_record(one.record(n)) for n, one in enumerate(ordered, 1))
