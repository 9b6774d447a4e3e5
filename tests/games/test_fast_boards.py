"""Boards for searches are what the positions are, of all games that are installed, and relatives.

Must not know any particular game: a new file in `games/` or a plugin is tested without a change.
"""

from __future__ import annotations

from functools import partial
from itertools import product
from random import Random
from statistics import fmean, stdev
from typing import Final

import pytest
from families import ALL, INSTALLED
from walks import drawn_start, last_of, some_position

from lath import games
from lath.arena.gamecheck.boards import board_faults
from lath.games import core
from lath.games.core import Game, symmetries
from lath.games.fast import DRAW, FastBoard, fast_board
from lath.games.plain_board import PlainBoard
from lath.games.stones import EndingBoard

pytestmark = pytest.mark.slow

PLAYOUTS: Final = 300
"""Random games on each of two boards, which are compared in the mean."""

every_game = pytest.mark.parametrize("game", ALL, ids=lambda game: game.id)
every_installed_game = pytest.mark.parametrize("game", INSTALLED, ids=lambda game: game.id)


BY_SHAPES: Final = [game for game in ALL if isinstance(fast_board(game.start()), EndingBoard)]


@every_game
def test_a_board_is_what_the_positions_are_there_and_back(game: Game) -> None:
    """Threats are the moves that end the game; what is no candidate loses or lets others win."""
    assert [fault.text for fault in board_faults(game, games=2, every=1) if fault] == []
    end = last_of(game, 3)
    board = fast_board(end)
    assert board.playout(Random(1)) == (board.winner, 0)
    assert (board.threats(), board.legal()) == (([], []), [])
    assert game.id not in games.builtin_ids() or not isinstance(board, PlainBoard)


@pytest.mark.parametrize("game", BY_SHAPES, ids=lambda game: game.id)
def test_moves_that_press_are_those_after_which_a_second_move_wins(game: Game) -> None:
    pressed = 0
    for seed in range(20):
        chance, board = Random(seed), fast_board(drawn_start(game, seed))
        while board.winner is None:
            assert isinstance(board, EndingBoard)
            me, pressing = board.to_move, board.pressing()
            is_hot = any(board.ending_cells(side)[0] for side in (0, 1))
            assert (pressing is None) == is_hot
            threats = set[int]()
            for code in board.candidates():
                board.play(code)
                is_swap = board.to_move == me or code == len(board.moves) - 1
                if board.winner is None and not is_swap and board.ending_cells(me)[0]:
                    threats.add(code)
                board.undo()
            if pressing is not None:
                assert threats <= set(pressing) <= set(board.legal())
                pressed += bool(threats)
            board.play(chance.choice(board.candidates()))
    assert pressed > 5


@every_game
def test_no_game_takes_longer_than_its_board_says(game: Game) -> None:
    for seed in range(20):
        chance, board = Random(seed), fast_board(drawn_start(game, seed))
        while board.winner is None:
            left = board.plies_left()
            board.play(chance.choice(board.legal()))
            after = board.plies_left()
            assert left is None or (after is not None and 0 <= after < left)


def perft(board: FastBoard, depth: int) -> int:
    """Return how many paths of `depth` moves start here, as `core.perft` does."""
    if depth == 0:
        return 1
    paths = 0
    for code in board.legal():
        board.play(code)
        paths += perft(board, depth - 1)
        board.undo()
    return paths


@every_installed_game
def test_paths_are_counted_and_moves_turned_as_positions_do(game: Game) -> None:
    for position in (drawn_start(game, 1), some_position(game, 1, 9)):
        board = fast_board(position)
        assert perft(board, 2) == core.perft(position, 2)
        legal = position.legal_moves()
        for image, symmetry in zip(board.images(), symmetries(position), strict=True):
            turned = {board.moves[image[code]] for code in board.legal()}
            assert turned == {*symmetry.position(position).legal_moves()}
            assert turned == {*map(symmetry.move, legal)}


@every_installed_game
@pytest.mark.parametrize("which", ["playout", "careful_playout"])
def test_playouts_are_random_games(game: Game, which: str) -> None:
    board = fast_board(some_position(game, 2, 2))
    before, many = board.position(), PLAYOUTS if len(game.board.names) < 64 else PLAYOUTS // 4
    samples = []
    for playout in (getattr(board, which), partial(getattr(FastBoard, which), board)):
        chance = Random(1)
        samples.append([playout(chance) for _ in range(many)])
        assert board.position() == before
    lengths = [[float(plies) for _, plies in sample] for sample in samples]
    wins = [[float(winner == 0) for winner, _ in sample] for sample in samples]
    for ours, plain in (lengths, wins):
        error = (stdev(ours) ** 2 / many + stdev(plain) ** 2 / many) ** 0.5
        assert abs(fmean(ours) - fmean(plain)) < 4 * error
    assert {winner for winner, _ in samples[0]} <= {0, 1, DRAW}


class Enough(Exception):  # noqa: N818 - the end of a search
    """Nobody has time for more."""


class Check:
    """What raises when it is asked the so many-th time."""

    def __init__(self, most: int) -> None:
        self._left = most

    def __call__(self) -> None:
        self._left -= 1
        if not self._left:
            raise Enough


@every_game
def test_a_random_game_can_be_ended_at_each_ply(game: Game) -> None:
    for which, ply in product(("playout", "careful_playout", "rollout"), (0, 2, 5)):
        board = fast_board(some_position(game, 1, ply))
        before, ended = board.position(), 0
        for most in range(1, 200):
            board.check = Check(most)
            try:
                getattr(board, which)(Random(3))
                break
            except Enough:
                ended += 1
                assert board.position() == before
        assert ended >= (1 if ply else 2), "it asks before each ply"
