"""Bundled bots keep their time in any game, whatever a call of its rules costs.

The clock is the test's: it goes on where the rules are asked, so a busy machine changes nothing.
"""

from __future__ import annotations

import dataclasses
import io
import random
from collections.abc import Callable
from itertools import pairwise, product
from typing import Any, Final

import pytest
from slow_games import Clock, Costs, SlowGame

from lath.bots import alphabeta, greedy, mcts, monte_carlo, random_mover, solver
from lath.bots.proof import ProofNumber
from lath.bots.results import SearchBudget
from lath.bots.sdk import Turn
from lath.bots.search import AlphaBeta
from lath.bots.searcher import Searcher
from lath.bots.uct import Uct
from lath.games.fast import FastBoard, fast_board

BOTS: Final[dict[str, Callable[[], Callable[[Any, Turn], str]]]] = {
    "random": lambda: random_mover.choose,
    "greedy": lambda: greedy.choose,
    "monte-carlo": lambda: monte_carlo.choose,
    "alphabeta": lambda: Searcher(alphabeta.search_for).choose,
    "mcts": lambda: Searcher(mcts.search_for).choose,
    "solver": lambda: Searcher(solver.search_for).choose,
}

OPTIONS: Final = {"level": 12, "hash": 1000, "blind": False, "exploration": 40, "tree": 1000}

AFTER: Final = 6
"""Calls of the rules that may come after the time is over: one was under way, some must be."""

COSTS: Final = (
    Costs(play=0.005),
    Costs(play=0.02),
    Costs(play=0.3),
    Costs(legal=0.03),
    Costs(outcome=0.03),
    Costs(text=0.03),
    Costs(play=0.01, legal=0.01, outcome=0.01, text=0.01),
)

every_bot = pytest.mark.parametrize("bot", BOTS)


def asked(bot: str, game: SlowGame, move_s: float) -> float:
    """Return how much time a bot takes for a move, in calls of the rules beyond what it has."""
    clock, costs = game.clock, game.costs
    position = game.start()
    clock.now_s = 0.0
    mine = turn(clock, move_s, io.StringIO())
    assert BOTS[bot]()(position, mine) in game.moves
    dearest: float = max(dataclasses.astuple(costs))
    return (clock.now_s - mine.budget_s) / dearest


def turn(clock: Clock, move_s: float, out: io.StringIO) -> Turn:
    """Return a turn that begins at 0."""
    return Turn(
        ply=1,
        remaining_s=None,
        increment_s=0.0,
        move_s=move_s,
        nodes=None,
        chance=random.Random(1),
        options=OPTIONS,
        began_s=0.0,
        out=out,
        clock=clock,
    )


@every_bot
def test_a_bot_answers_in_time_whatever_the_rules_take_and_however_long_a_game_is(bot: str) -> None:
    """One move alone, or four, at each of very many plies: nothing recurses without bounds."""
    games = [(SlowGame(Clock(), Costs(), size=3, rounds=10**9), 0.5)]
    for size, rounds in product((1, 2), (500, 10**9)):
        games.append((SlowGame(Clock(), Costs(), size=size, rounds=rounds), 20.0))
    for costs, (size, rounds), move_s in product(COSTS, ((2, 1), (6, 1), (10, 3)), (0.1, 1.0)):
        games.append((SlowGame(Clock(), costs, size=size, rounds=rounds), move_s))
    for game, move_s in games:
        assert asked(bot, game, move_s) <= AFTER, (game.costs, game.length, move_s)


class Told(io.StringIO):
    """What a bot writes, with the time of each line."""

    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self.clock = clock
        self.times_s: list[float] = []

    def write(self, text: str, /) -> int:
        """Note the time of a report."""
        if text.startswith("info"):
            self.times_s.append(self.clock.now_s)
        return super().write(text)


@pytest.mark.parametrize("bot", sorted(BOTS.keys() - {"random", "greedy"}))
def test_a_search_reports_within_a_second_in_however_slow_a_game(bot: str) -> None:
    """At 150 to 15,000 calls of the rules per second; a random game has 36 plies, or 9."""
    for cost_s, size in ((0.00007, 6), (0.0003, 6), (0.006, 3)):
        clock = Clock()
        out = Told(clock)
        game = SlowGame(clock, Costs(cost_s, cost_s, cost_s, cost_s), size=size)
        BOTS[bot]()(game.start(), turn(clock, 20.0, out))
        assert out.times_s[0] <= 1.0
        if bot in {"mcts", "monte-carlo"}:  # deeper searches and proofs say nothing in between
            assert all(after - one <= 1.0 for one, after in pairwise([*out.times_s, clock.now_s]))


def test_a_random_game_of_any_legal_moves_is_given_up_too() -> None:
    game = SlowGame(Clock(), Costs(), size=3, rounds=10**9)
    search = Uct(random.Random(1), playout=lambda board, chance: board.playout(chance)[0])
    search.run(fast_board(game.start()), SearchBudget(seconds=1.0, clock=game.clock))
    assert game.clock.now_s < 1.02


def test_a_search_that_is_stopped_anywhere_leaves_the_board_as_it_was() -> None:
    """Whichever call of the rules is the last one, no move stays played."""
    for make in (AlphaBeta, lambda: Uct(random.Random(1)), ProofNumber):
        for calls in range(1, 400, 3):
            game = SlowGame(Clock(), Costs(play=1.0), size=2, rounds=2)
            board = fast_board(game.start())
            search: Any = make()
            budget = SearchBudget(seconds=calls, clock=game.clock)
            if isinstance(search, ProofNumber):
                search.proves(board, 0, budget)
            else:
                search.run(board, budget)
            assert board.position().text() == "0"
            assert board.check is FastBoard.check
