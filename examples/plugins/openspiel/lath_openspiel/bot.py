"""A bot of OpenSpiel that plays its games: `python -m lath_openspiel.bot`.

The option `bot` chooses Monte Carlo tree search with random rollouts, or random moves.
"""

from __future__ import annotations

from typing import Any, Final

import pyspiel

from lath.bots.sdk import Combo, Spin, Start, Turn, run
from lath.games.core import Move, Position
from lath.games.errors import GameError
from lath_openspiel import games
from lath_openspiel.rules import OpenSpielPosition

MOST_SIMULATIONS: Final = 10**9
"""The most simulations of a turn without a limit of nodes; the time ends it before."""

MOST_MB: Final = 200
"""The most megabytes of a search tree."""


class OpenSpielBot:
    """A bot with the searches of OpenSpiel."""

    def __init__(self) -> None:
        """Begin without a game."""
        self._simulation_s = 0.0
        """The most seconds that a simulation took on average in a search of this game."""

    def new_game(self, start: Start) -> None:
        """Raise GameError for a game that is not OpenSpiel's."""
        _require_own(start.position)
        self._simulation_s = 0.0

    def choose(self, position: Position, turn: Turn) -> Move:
        """Return a move: the best one of the longest search, or a random one."""
        own = _require_own(position)
        legal = own.legal_moves()
        began_s = turn.clock()
        left_s = turn.began_s + turn.budget_s - began_s
        has_no_time = left_s < self._simulation_s and not turn.nodes
        if turn.options["bot"] == "random" or len(legal) == 1 or has_no_time:
            return turn.chance.choice(legal)
        root = _searched(own, turn, left_s)
        took_s = (turn.clock() - began_s) / max(1, root.explore_count)
        self._simulation_s = max(self._simulation_s, took_s)
        if root.best_child() is None:  # no time for a single simulation
            return turn.chance.choice(legal)
        best, value = _best_of(own, root)
        turn.info(nodes=root.explore_count, eval=round(value, 3))
        return best


def _require_own(position: Position) -> OpenSpielPosition:
    if not isinstance(position, OpenSpielPosition):
        raise GameError(
            f"this bot plays only games whose ids begin with openspiel-, not {position.game.id}"
        )
    return position


def _searched(position: OpenSpielPosition, turn: Turn, left_s: float) -> Any:
    """Return the root of the tree of a search for as many nodes or as long as the turn allows."""
    seed = turn.chance.randrange(1 << 30)
    search = pyspiel.MCTSBot(
        position.game.native,
        pyspiel.RandomRolloutEvaluator(n_rollouts=1, seed=seed),
        turn.options["exploration"] / 10,
        turn.nodes or MOST_SIMULATIONS,
        MOST_MB,
        solve=True,
        seed=seed,
        verbose=False,
        max_wall_clock_time=-1.0 if turn.nodes else max(0.001, left_s),
    )
    return search.mcts_search(position.state)


def _best_of(position: OpenSpielPosition, root: Any) -> tuple[Move, float]:
    """Return the move of the best child of a root, and its expected score from -1 to 1."""
    best = root.best_child()
    by_action = dict(zip(position.state.legal_actions(), position.legal_moves(), strict=True))
    if best.outcome:
        value = best.outcome[position.state.current_player()]
    else:
        value = best.total_reward / max(1, best.explore_count)
    return by_action[best.action], max(-1.0, min(1.0, value))


def main() -> None:
    """Play until the arena says `quit`."""
    run(
        OpenSpielBot(),
        name="OpenSpiel MCTS",
        author="OpenSpiel",
        plays=[f"{game_id}:*" for game_id in games()],
        options=[Combo("bot", "mcts", ("mcts", "random")), Spin("exploration", 20, 1, 100)],
    )


if __name__ == "__main__":
    main()
