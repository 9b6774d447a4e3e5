"""The step about balance: the results and the lengths of many random games."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import fmean
from typing import Final

from lath.arena.gamecheck.lab import LONGEST, GameLab
from lath.arena.gamecheck.points import GameFinding, GameStep, fault, note, ok, warning
from lath.reports.counting.estimates import wilson


def _end(lab: GameLab) -> Iterator[GameFinding]:
    """Yield whether random games end."""
    found = lab.random_games
    mend = (
        "add a rule that ends each game, such as a draw after a number of plies without progress, "
        "and keep what it counts in the position"
    )
    if not found.finished:
        yield fault(f"none of {found.games} random games ended within {LONGEST:,} plies", mend)
        return
    if found.unfinished:
        yield warning(
            f"{found.unfinished} of {found.games} random games did not end within {LONGEST:,} "
            "plies",
            mend,
        )
        return
    lengths = found.lengths
    plural = "s" if found.games > 1 else ""
    yield ok(
        f"{found.games} random game{plural}, of {fmean(lengths):.1f} plies on average "
        f"({min(lengths)} to {max(lengths)})"
    )


def _share(lab: GameLab) -> Iterator[GameFinding]:
    """Yield the first player's share and the draws."""
    found = lab.random_games
    if not (games := found.finished):
        return
    share, draws = (found.first + found.drawn / 2) / games, found.drawn / games
    low, high = wilson(share, games)
    words = (
        f"the first player scores {share:.1%} (95% interval {low:.1%} to {high:.1%}), with "
        f"{draws:.1%} draws"
    )
    if games >= 30 and draws > 0.95:
        yield note(words, "almost all random games are drawn: is a win possible?")
    elif high < 0.2 or low > 0.8:
        yield note(words, "random games favour one player: a swap rule would let players balance")
    else:
        yield ok(words)


ENDS: Final = GameStep("length", "ends each random game", _end, needs="board")
SHARE: Final = GameStep(
    "first-player", "gives both players a chance in random games", _share, needs="board"
)
