"""A bot's score at puzzles: each puzzle is a separate question, answered correctly or not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from lath.arena.engine.engine import Engine, EngineError
from lath.arena.engine.puzzle_book import GRADES, Puzzle
from lath.arena.referee.answers import Limit


@dataclass
class PuzzleScore:
    """Number of correct answers, by game type and difficulty."""

    asked: Counter[tuple[str, int]] = field(default_factory=Counter)
    right: Counter[tuple[str, int]] = field(default_factory=Counter)
    failed: list[str] = field(default_factory=list)
    """Errors in place of answers, which count as wrong."""

    def lines(self) -> list[list[str]]:
        """Return a table: a header, a row for each game type, and the total."""
        names = sorted({game for game, _ in self.asked})
        head = ["game", "right", *(f"grade {grade}" for grade in GRADES)]
        rows = [self._row(name, [name]) for name in names]
        return [head, *rows, *([self._row("all", names)] if len(names) > 1 else [])]

    def _row(self, title: str, names: list[str]) -> list[str]:
        by_grade = [
            [sum(counts[name, grade] for name in names) for counts in (self.right, self.asked)]
            for grade in GRADES
        ]
        right, asked = (sum(column) for column in zip(*by_grade, strict=True))
        whole = f"{right}/{asked} {right / max(1, asked):.0%}"
        return [title, whole, *(f"{one}/{of}" if of else "-" for one, of in by_grade)]

    def as_json(self) -> list[dict[str, object]]:
        """Return a row for each game type and difficulty."""
        return [
            {"game": game, "grade": grade, "asked": asked, "right": self.right[game, grade]}
            for (game, grade), asked in sorted(self.asked.items())
        ]


def score(bot: Engine, puzzles: Iterable[Puzzle], limit: Limit) -> PuzzleScore:
    """Ask a bot puzzles; after a crash or a late answer, continue with the next one."""
    found = PuzzleScore()
    for puzzle in puzzles:
        key = puzzle.position.game.id, puzzle.grade
        found.asked[key] += 1
        try:
            found.right[key] += bot.play(puzzle.position, limit).move == puzzle.answer
        except EngineError as error:
            found.failed.append(f"{puzzle.position.game.id} {puzzle.position.text()}: {error}")
    return found
