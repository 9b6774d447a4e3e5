"""How a game ends if both play their best, as far as a bot proves it.

The bot is a process like any other, asked by `Engine`; what it claims is played, as far as its line
goes, before it is told.
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
from lath.games.errors import hinted

Value = Literal["win", "loss", "draw", "unknown"]

_OTHER: Final[dict[Value, Value]] = {
    "win": "loss",
    "loss": "win",
    "draw": "draw",
    "unknown": "unknown",
}

ORDER: Final[dict[Value, int]] = {"win": 0, "draw": 1, "unknown": 2, "loss": 3}
"""The best first; of what is unknown only that it is not proven to lose."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Solved:
    """What is known of a position, for who is to move there."""

    value: Value
    plies: int | None = None
    """Exactly until the game ends if both play their best; None where that is not known."""

    at_most: int | None = None
    """The same where only a bound is known, since the search ended before it was exact."""

    line: tuple[Move, ...] = ()
    """How both play, as far as the bot says."""

    expected: float | None = None
    """The score that it expects where nothing is proven, from -1 to 1."""

    depth: int | None = None
    """How many plies the bot has looked at in full, where it says so."""

    nodes: int = 0
    seconds: float = 0.0

    @property
    def guess(self) -> str:
        """Return the score that the bot expects in words; empty where it says none."""
        if self.expected is None:
            return ""
        return f"expected score {round(self.expected, 2) + 0.0:+.2f}"

    @property
    def words(self) -> str:
        """Return it in a few words, such as `win in 7 plies` or `win in at most 9 plies`."""
        if self.value == "unknown":
            return f"unknown, {self.guess}" if self.guess else "unknown"
        if self.plies is not None:
            return f"{self.value} in {self.plies} {_plies(self.plies)}"
        if self.at_most is not None:
            return f"{self.value} in at most {self.at_most} {_plies(self.at_most)}"
        return self.value


def _plies(count: int) -> str:
    return "ply" if count == 1 else "plies"


def note_on(bot: Engine) -> str:
    """Return in words that a bot searches slower than it could; empty: it does not."""
    return hinted(words, shlex.join(COMMAND)) if (words := slow({bot.name: bot.version})) else ""


def solve(bot: Engine, position: Position, limit: Limit) -> Solved:
    """Return what a bot proves of a position within a limit.

    Raises GameError where the game is over there, and what `Engine.play` raises. A claim whose own
    line ends otherwise is none: `unknown`.
    """
    answer = bot.play(position, limit)
    return said(answer.info, position, answer.used_s)


def said(info: Info, position: Position, seconds: float = 0.0) -> Solved:
    """Return what a bot that thinks about a position claims, as far as its line does not refute it.

    `seconds` is how long it has thought.
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
    """Return whether the line does not show that a claim is wrong."""
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
    """Return what a bot proves of each legal move, the best first; `limit` is for each."""
    ask = partial(_solve_or_end, bot, limit=limit)
    found = (
        (move, after(ask, position, move, position.play(move))) for move in position.legal_moves()
    )
    return sorted(found, key=lambda pair: _rank(pair[1]))


def _solve_or_end(bot: Engine, position: Position, limit: Limit) -> Solved:
    return value_at_end(position) if position.is_over else solve(bot, position, limit)


def solve_move(bot: Engine, position: Position, move: Move, limit: Limit) -> Solved:
    """Return what a bot proves of a move, for who plays it."""
    return after(partial(_solve_or_end, bot, limit=limit), position, move, position.play(move))


def value_at_end(position: Position) -> Solved:
    """Return how a game has ended, for who would be to move."""
    if (outcome := position.outcome()) is None:
        raise ValueError("the game goes on")
    value: Value = "draw"
    if outcome.winner is not None:
        value = "win" if outcome.winner == position.to_move else "loss"
    return Solved(value=value, plies=0)


def after(
    ask: Callable[[Position], Solved], position: Position, move: Move, end: Position
) -> Solved:
    """Return what is known of a move that leads to `end`, for who plays it."""
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
    """Return a key by which the best moves come first: soon to win, late to lose."""
    plies = found.plies or found.at_most or 0
    return (
        ORDER[found.value],
        -plies if found.value == "loss" else plies,
        -(found.expected or 0),
    )
