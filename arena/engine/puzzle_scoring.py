"""How well a bot does at puzzles: each is a question of its own, with the right move or not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from lath.arena.engine.engine import Engine, EngineError
from lath.arena.engine.puzzle_book import GRADES, Puzzle
from lath.arena.referee.answers import Limit


@dataclass
class PuzzleScore:
    """How many were answered rightly, by game and grade."""

    asked: Counter[tuple[str, int]] = field(default_factory=Counter)
    right: Counter[tuple[str, int]] = field(default_factory=Counter)
    failed: list[str] = field(default_factory=list)
    """What went wrong where there was no answer, which is not right."""

    def lines(self) -> list[list[str]]:
        """Return a table: a head, a row for each game, and all together."""
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
        """Return a row for each game and grade."""
        return [
            {"game": game, "grade": grade, "asked": asked, "right": self.right[game, grade]}
            for (game, grade), asked in sorted(self.asked.items())
        ]


def score(bot: Engine, puzzles: Iterable[Puzzle], limit: Limit) -> PuzzleScore:
    """Ask a bot puzzles; one that dies or is too late at a puzzle is asked the next one."""
    found = PuzzleScore()
    for puzzle in puzzles:
        key = puzzle.position.game.id, puzzle.grade
        found.asked[key] += 1
        try:
            found.right[key] += bot.play(puzzle.position, limit).move == puzzle.answer
        except EngineError as error:
            found.failed.append(f"{puzzle.position.game.id} {puzzle.position.text()}: {error}")
    return found
