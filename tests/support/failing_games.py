"""A game whose rules fail by themselves from some ply on, in each way that there is."""

from __future__ import annotations

from pathlib import Path
from typing import Final, NamedTuple

from places import ROOT

PLY: Final = 6
"""So many stones lie where the rules begin to fail."""


class Failure(NamedTuple):
    """A slip in the rules of the game that `arena init --game` writes."""

    right: str
    wrong: str
    words: str
    """What is said of it; the ply and the moves come besides."""


_STONES: Final = "(self.white | self.black).bit_count()"

FAILURES: Final = {
    "lists what it refuses": Failure(
        "free = 0 if self.is_over else self.game.board.full & ~(self.white | self.black)\n"
        "        return tuple(map(Move, self.game.board.names_in(free)))",
        "free = 0 if self.is_over else self.game.board.full & ~(self.white | self.black)\n"
        f"        more = self.white if {_STONES} >= {PLY} and free else 0\n"
        "        return tuple(map(Move, self.game.board.names_in(free | more)))\n\n"
        "    def is_free(self, move):\n"
        "        bits = self.white | self.black\n"
        "        return not self.is_over and not bits & self.game.board.bit.get(move, 0)",
        "is not an empty cell",
    ),
    "raises in play": Failure(
        "bit = self.game.board.bit[move]",
        f"bit = self.game.board.bit[move if {_STONES} < {PLY} else move + '?']",
        "KeyError: ",
    ),
    "raises in outcome": Failure(
        "if line := self.line():\n            is_loss",
        f"1 // ({_STONES} < {PLY})\n        if line := self.line():\n            is_loss",
        "ZeroDivisionError: ",
    ),
    "leaves no move": Failure(
        "free = 0 if self.is_over else",
        f"free = 0 if self.is_over or {_STONES} >= {PLY} else",
        "not over, but no legal move",
    ),
}


def failing_game(folder: Path, failure: Failure) -> Path:
    """Write the game with this slip and return its file."""
    text = (ROOT / "examples" / "new-game" / "mygame.py").read_text(encoding="utf-8")
    text = (
        text.replace("if move in self.legal_moves():", "if self.is_free(move):")
        if ("def is_free" in failure.wrong)
        else text
    )
    assert failure.right in text
    path = folder / "mygame.py"
    path.write_text(text.replace(failure.right, failure.wrong), encoding="utf-8")
    return path
