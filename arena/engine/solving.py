"""The proven value of a position: the result of best play by both sides, as far as a bot proves it.

The bot is a normal process, asked by `Engine`. The arena plays the line of each claim before it
accepts the claim.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final, Literal

from lath.arena.engine.engine import Engine
from lath.arena.entrants.compiling import COMMAND, slow
from lath.arena.referee.answers import Info, Limit, Proof
from lath.games.core import Move, Position
from lath.games.errors import count_of, hinted

Value = Literal["win", "loss", "draw", "unknown"]

_OTHER: Final[dict[Value, Value]] = {
    "win": "loss",
    "loss": "win",
    "draw": "draw",
    "unknown": "unknown",
}

ORDER: Final[dict[Value, int]] = {"win": 0, "draw": 1, "unknown": 2, "loss": 3}
"""Values from best to worst; an unknown value may still be better than a loss."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Solved:
    """The known value of a position for the side to move."""

    value: Value
    plies: int | None = None
    """Exact plies until the game ends with best play; None if unknown."""

    at_most: int | None = None
    """Upper limit of the plies if the search ended before they were exact."""

    line: tuple[Move, ...] = ()
    """Best play by both sides, according to the bot."""

    expected: float | None = None
    """Score that the bot expects if nothing is proven, from -1 to 1."""

    depth: int | None = None
    """Depth in plies of the bot's complete search, if it reports that."""

    nodes: int = 0
    seconds: float = 0.0

    @property
    def guess(self) -> str:
        """Return the bot's expected score in words; empty if it gives none."""
        if self.expected is None:
            return ""
        return f"expected score {round(self.expected, 2) + 0.0:+.2f}"

    @property
    def words(self) -> str:
        """Return the value in words, such as `win in 7 plies` or `win in at most 9 plies`."""
        if self.value == "unknown":
            return f"unknown, {self.guess}" if self.guess else "unknown"
        if self.plies is not None:
            return f"{self.value} in {count_of(self.plies, 'ply')}"
        if self.at_most is not None:
            return f"{self.value} in at most {count_of(self.at_most, 'ply')}"
        return self.value


def note_on(bot: Engine) -> str:
    """Return a note that the bot could search faster; empty if it could not."""
    return hinted(words, shlex.join(COMMAND)) if (words := slow({bot.name: bot.version})) else ""


def solve(bot: Engine, position: Position, limit: Limit) -> Solved:
    """Return the value of a position that a bot proves within a limit.

    A claim that the bot's own line refutes counts as `unknown`. Raises GameError if the game is
    over, and the errors of `Engine.play`.
    """
    answer = bot.play(position, limit)
    return said(answer.info, position, answer.used_s)


def said(info: Info, position: Position, seconds: float = 0.0) -> Solved:
    """Return a bot's claim about a position, unless its own line refutes it.

    `seconds` is the thinking time so far.
    """
    line = info.line(position)
    if (proof := info.proof) is not None and not _holds(proof, position, line):
        proof = None
    return Solved(
        value="unknown" if proof is None else proof.value,
        plies=None if proof is None else proof.plies,
        at_most=None if proof is None else proof.at_most,
        line=line,
        expected=info.eval,
        depth=info.depth,
        nodes=info.nodes or 0,
        seconds=seconds,
    )


def _holds(proof: Proof, position: Position, line: tuple[Move, ...]) -> bool:
    """Return whether a claim agrees with the end of its line."""
    me = position.to_move
    for move in line:
        position = position.play(move)
    if (outcome := position.outcome()) is None:
        return True
    if outcome.winner is None:
        return proof.value == "draw"
    is_longer = proof.at_most is not None and len(line) > proof.at_most
    if is_longer or proof.plies not in (None, len(line)):
        return False
    return proof.value == ("win" if outcome.winner == me else "loss")


def solve_moves(bot: Engine, position: Position, limit: Limit) -> list[tuple[Move, Solved]]:
    """Return the value of each legal move, the best first; `limit` is for each move."""
    ask = partial(_solve_or_end, bot, limit=limit)
    found = (
        (move, after(ask, position, move, position.play(move))) for move in position.legal_moves()
    )
    return sorted(found, key=lambda pair: _rank(pair[1]))


def _solve_or_end(bot: Engine, position: Position, limit: Limit) -> Solved:
    return value_at_end(position) if position.is_over else solve(bot, position, limit)


def solve_move(bot: Engine, position: Position, move: Move, limit: Limit) -> Solved:
    """Return the value of a move that a bot proves, for its player."""
    return after(partial(_solve_or_end, bot, limit=limit), position, move, position.play(move))


def value_at_end(position: Position) -> Solved:
    """Return the value of a finished game, for the side that would move next."""
    if (outcome := position.outcome()) is None:
        raise ValueError("the game is not over")
    value: Value = "draw"
    if outcome.winner is not None:
        value = "win" if outcome.winner == position.to_move else "loss"
    return Solved(value=value, plies=0)


def after(
    ask: Callable[[Position], Solved], position: Position, move: Move, end: Position
) -> Solved:
    """Return the value of a move that leads to `end`, for its player."""
    found = ask(end)
    is_other = end.to_move != position.to_move
    guess = found.expected
    return Solved(
        value=_OTHER[found.value] if is_other else found.value,
        plies=None if found.plies is None else found.plies + 1,
        at_most=None if found.at_most is None else found.at_most + 1,
        line=(move, *found.line),
        expected=-guess if is_other and guess is not None else guess,
        depth=None if found.depth is None else found.depth + 1,
        nodes=found.nodes,
        seconds=found.seconds,
    )


def _rank(found: Solved) -> tuple[float, ...]:
    """Return a sort key with the best moves first: the quickest wins and the slowest losses."""
    plies = found.plies or found.at_most or 0
    return (
        ORDER[found.value],
        -plies if found.value == "loss" else plies,
        -(found.expected or 0),
    )
