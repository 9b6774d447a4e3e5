"""The bundled bots play legally in every game, the same for a seed, and as well as they claim."""

from __future__ import annotations

import dataclasses
import io
import random
import re
import sys
from contextlib import ExitStack
from functools import cache

import pytest
from drawn import rows
from talking import greet, play_both_seats, play_game, started, wants_of

from lath import games
from lath.bots import alphabeta, greedy, mcts, monte_carlo, random_mover, solver
from lath.bots.listening import Thinking
from lath.bots.sdk import Choose, Start, Turn
from lath.bots.searcher import Searcher, levels_of
from lath.games.core import SIDES, Move, Position, Side, result_of
from lath.notation import protocol as wire

SEARCHERS = ("lath.bots.alphabeta", "lath.bots.mcts", "lath.bots.solver")
MODULES = ("lath.bots.random_mover", "lath.bots.greedy", "lath.bots.monte_carlo", *SEARCHERS)
CAREFUL: tuple[Choose, ...] = (greedy.choose, monte_carlo.choose)

every_module = pytest.mark.parametrize("module", MODULES)
every_game = pytest.mark.parametrize("game_id", games.builtin_ids())
every_careful_bot = pytest.mark.parametrize(
    "choose", CAREFUL, ids=lambda choose: choose.__module__.rpartition(".")[2]
)


def turn(*, seed: int = 1, nodes: int | None = 10, move_s: float | None = None) -> Turn:
    """Return a turn of a bot under test, without a clock."""
    return Turn(
        ply=1,
        remaining_s=None,
        increment_s=0.0,
        move_s=move_s,
        nodes=nodes,
        chance=random.Random(seed),
        out=io.StringIO(),
    )


def said_in(of: Turn) -> str:
    """Return the lines that a bot has written in a turn."""
    assert isinstance(of.out, io.StringIO)
    return of.out.getvalue()


def command_of(module: str) -> list[str]:
    """Return how to start a bundled bot."""
    return [sys.executable, "-P", "-m", module]


@every_module
@pytest.mark.parametrize("seeds", [range(1, 2)], ids=["1"])
def test_a_bundled_bot_plays_whole_games_of_legal_moves_the_same_by_seed(
    module: str, seeds: range
) -> None:
    """Again in another process; a searcher, which loads what is compiled, in the same."""
    with ExitStack() as stack:
        bot = stack.enter_context(started(command_of(module)))
        wants, another = wants_of(greet(bot)), bot
        if module not in SEARCHERS:
            another = stack.enter_context(started(command_of(module)))
            greet(another)
        for game_id in games.builtin_ids():
            play_both_seats(bot, game_id, seeds=seeds, wants=wants)
        played = [play_game(bot, "surikata", seed=seed, wants=wants) for seed in (5, 6)]
        again = [play_game(another, "surikata", seed=seed, wants=wants) for seed in (5, 6)]
        assert bot.quit() == (0, [])
    assert played == again
    assert played[0] != played[1]


def test_the_random_mover_plays_every_legal_move_sooner_or_later() -> None:
    for game_id in games.builtin_ids():
        position, mine = games.get(game_id).start(), turn()
        moves = position.legal_moves()
        found = {random_mover.choose(position, mine) for _ in range(len(moves) * 20)}
        assert found == {*moves}, game_id


FOUR_ON_F4 = """
       . . . . .
      . . . . . .
     . . . . . . .
    . . w . w w . .
   . . . . . . . . .
    b . . . . . . .
     b . . b . . .
      . . . . . .
       . . . . .
"""

BARE_LINE_FOR_WHITE = """
    A B C D E F
    B C D E F A
    . . . F A B
    D E F A B C
    E F A B C D
    F A B C D E
"""

TOKENS = """
    . b . . b .
    . . . . . .
    w w . . . .
    . . . . . .
    . . . . . b
    . . w . . .
"""


ALL_BUT_ONE_CELL_LOSE = """
    m o m . .
    o . o w m
    w . w . w
    m . o o .
    o o m w w
"""
"""The meerkat is on c4; white loses by a line on b2, b3, d3, e2 and e5."""

OBVIOUS: dict[str, tuple[str, str]] = {
    f"{rows(FOUR_ON_F4)} w": ("yavalath", "f4"),
    f"{rows(BARE_LINE_FOR_WHITE)} {rows(TOKENS)} w": ("mammalath", "c4"),
    f"{rows(ALL_BUT_ONE_CELL_LOSE)} c4 w": ("surikata", "d5"),
}


@every_careful_bot
def test_a_careful_bot_completes_its_line_and_finds_the_only_move_that_makes_none(
    choose: Choose,
) -> None:
    for text, (game_id, move) in OBVIOUS.items():
        assert choose(games.get(game_id).position(text), turn()) == move


def outcomes(position: Position) -> dict[Move, str]:
    """Return what each legal move leads to for the player: won, lost, drawn or open."""
    me = position.to_move
    found = {}
    for move in position.legal_moves():
        outcome = position.play(move).outcome()
        if outcome is None:
            found[move] = "open"
        elif outcome.winner is None:
            found[move] = "drawn"
        else:
            found[move] = "won" if outcome.winner is me else "lost"
    return found


@cache
def sharp_positions(game_id: str, seed: int) -> list[tuple[Position, dict[Move, str]]]:
    """Return the positions of a random game in which a move wins or loses at once.

    Each with what its moves lead to.
    """
    game = games.get(game_id)
    chance = random.Random(f"sharp {game_id} {seed}")
    position: Position = game.start(game.draw_setup(seed))
    found = []
    while moves := position.legal_moves():
        kinds = outcomes(position)
        if len({*kinds.values()}) > 1:
            found.append((position, kinds))
        going_on = [move for move, kind in kinds.items() if kind == "open"]
        position = position.play(chance.choice(going_on or list(moves)))
    return found


@every_careful_bot
@every_game
def test_a_careful_bot_wins_when_it_can_and_never_loses_at_once_when_it_can_avoid_it(
    choose: Choose, game_id: str
) -> None:
    seen = set()
    for seed in range(4):
        for position, kinds in sharp_positions(game_id, seed):
            played = kinds[Move(choose(position, turn(seed=seed, nodes=3)))]
            best = next(kind for kind in ("won", "open", "drawn", "lost") if kind in kinds.values())
            assert played == best, position.text()
            seen.add(best)
    assert "open" in seen


def test_monte_carlo_tells_what_it_found_before_it_moves() -> None:
    mine = turn(nodes=25)
    position = games.get("surikata").start()
    move = monte_carlo.choose(position, mine)
    words = said_in(mine).split()
    assert (words[0], words[-2:]) == ("info", ["pv", move])
    assert words[words.index("nodes") + 1] == "25"


def wins_against_chance(choose: Choose, seat: Side, seeds: range) -> int:
    """Return in how many games of Surikata the bot beats random moves."""
    wins = 0
    for seed in seeds:
        position: Position = games.get("surikata").start()
        mine = turn(seed=seed, nodes=60)
        while not position.is_over:
            mover = choose if position.to_move is seat else random_mover.choose
            position = position.play(Move(mover(position, mine)))
        outcome = position.outcome()
        wins += outcome is not None and outcome.winner is seat
    return wins


@pytest.mark.parametrize("seat", SIDES)
@pytest.mark.parametrize(("games", "wins"), [(5, 5)])
def test_monte_carlo_beats_chance_nearly_always(games: int, wins: int, seat: Side) -> None:
    assert wins_against_chance(monte_carlo.choose, seat, range(games)) >= wins


@pytest.mark.parametrize("bot", [alphabeta.BOT, mcts.BOT, solver.BOT], ids=["ab", "mcts", "solver"])
def test_a_searcher_follows_the_game_and_says_what_it_found(bot: Searcher) -> None:
    start = games.get("yavalath").start()
    chance = random.Random(1)
    options = {"level": 12, "hash": 1000, "exploration": 40, "tree": 1000}
    control = wire.read_new("new 1 yavalath side first tc nodes 40 seed 1").time
    bot.new_game(
        Start(position=start, side=Side.FIRST, time=control, chance=chance, options=options)
    )
    position, history = start, list[str]()
    for _ in range(6):
        mine = dataclasses.replace(turn(nodes=40), chance=chance, options=options, history=history)
        move = bot.choose(position, mine)
        assert position.why_illegal(move) is None
        told = re.fullmatch(
            r"info depth \d+ eval (-?[01]\.\d+) nodes (\d+) nps \d+ pv (\S+).*\n", said_in(mine)
        )
        assert told
        assert int(told[2]) <= 40
        assert told[3] == move
        history = [*history, move]
        position = position.play(move)


def test_a_level_bounds_what_a_bot_looks_at() -> None:
    position = games.get("yavalath:size=4").start()
    for level, (_, nodes) in enumerate(levels_of("yavalath"), 1):
        mine = dataclasses.replace(turn(nodes=None, move_s=60.0), options={"level": level})
        assert position.why_illegal(alphabeta.BOT.choose(position, mine)) is None
        assert int(said_in(mine).split("nodes ")[1].split()[0]) <= nodes


@pytest.mark.parametrize("game_id", games.builtin_ids())
def test_level_1_loses_to_a_child_who_wins_where_it_can_and_loses_at_once_nowhere(
    game_id: str,
) -> None:
    points = 0.0
    for seed in range(12):
        child, chance = list(SIDES)[seed % 2], random.Random(seed)
        position = games.get(game_id).start(games.get(game_id).draw_setup(seed))
        while (end := position.outcome()) is None:
            is_child = position.to_move is child
            chosen = greedy.choose if is_child else mcts.BOT.choose
            mine = dataclasses.replace(turn(nodes=None), chance=chance, options={"level": 1})
            position = position.play(chosen(position, mine))
        points += 0.5 if end.winner is None else end.winner is child
    assert points >= 7


def test_a_searcher_takes_a_win_and_stops_when_told() -> None:
    won = games.get("yavalath").position("5/6/7/8/1ww1w4/bb1b4/7/6/5 w")
    thought = Thinking()
    thought.stopped = True
    for bot in (alphabeta.BOT, mcts.BOT, solver.BOT):
        options = {"level": 12, "hash": 1000, "exploration": 40, "tree": 1000}
        mine = dataclasses.replace(turn(nodes=None, move_s=60.0), options=options, thought=thought)
        assert result_of(won.play(bot.choose(won, mine))) == "1-0"
