"""Searches find what an exhaustive look finds, keep to their budget, and play any game."""

from __future__ import annotations

from random import Random
from typing import Final

import pytest
from exhaustive import ends_of, value_of
from families import INSTALLED
from places import ROOT

from lath import games
from lath.bots.proof import ProofNumber
from lath.bots.search import AlphaBeta, Budget, Found
from lath.bots.uct import Uct
from lath.games.core import Game
from lath.games.fast import PlainBoard, fast_board

SMALL: Final = ("surikata", "yavalath:size=3", "manalath:size=3", "mammalath:size=4")

STRANGE: Final = str(ROOT / "examples" / "games" / "order_and_chaos.py")
"""A game that is not ours, without a board of its own."""


def proves(found: Found, value: int) -> bool:
    return found.is_proven and (found.value > 0) - (found.value < 0) == value


@pytest.mark.parametrize("game_id", [*SMALL, STRANGE])
def test_both_prove_what_exhaustive_search_finds(game_id: str) -> None:
    game = games.get(games.named(game_id))
    looked_at = 0
    for seed in range(2):
        for position, value in ends_of(game, seed):
            board = fast_board(position)
            for search in (AlphaBeta(), Uct(Random(1))):
                found = search.run(board, Budget(nodes=20_000))
                assert proves(found, value), (position.text(), search, found)
                assert board.position() == position
                after = value_of(position.play(found.move))
                mover = position.play(found.move).to_move
                assert (after if mover == position.to_move else -after) == value
            proofs, me = ProofNumber(), int(position.to_move)
            assert proofs.proves(board, me, Budget(nodes=20_000)) is (value == 1)
            assert proofs.proves(board, 1 - me, Budget(nodes=20_000)) is (value == -1)
            assert board.position() == position
            if value:
                winner = me if value == 1 else 1 - me
                for code in proofs.line(board, winner):
                    board.play(code)
                assert board.winner == winner
            looked_at += 1
    assert looked_at >= 4


@pytest.mark.parametrize("game", INSTALLED, ids=lambda game: game.id)
def test_a_search_keeps_to_its_nodes_and_plays_the_same_by_seed(game: Game) -> None:
    position = game.start(game.draw_setup(1))
    for make in (lambda: AlphaBeta(chance=Random(3)), lambda: Uct(Random(3))):
        board = fast_board(position)
        one, other = (make().run(board, Budget(nodes=60)) for _ in range(2))
        assert one == other
        assert one.nodes <= 60
        assert one.line[:1] in ([], [one.move])
        assert position.why_illegal(one.move) is None
        assert board.position() == position


@pytest.mark.parametrize("game", INSTALLED, ids=lambda game: game.id)
def test_a_search_that_is_late_stops_at_once_with_a_legal_move(game: Game) -> None:
    position = game.start()
    for search in (AlphaBeta(), Uct(Random(1))):
        found = search.run(fast_board(position), Budget(is_late=lambda: True))
        assert found.nodes == 0
        assert position.why_illegal(found.move) is None


def test_a_tree_is_kept_below_what_is_played() -> None:
    board = fast_board(games.get("yavalath:size=4").start())
    search = Uct(Random(1))
    found = search.run(board, Budget(nodes=400))
    board.play(board.code(found.move))
    search.played(board.code(found.move))
    assert search._root_at(board).visits > 1
    board.undo()
    search.played(-1)  # a move that nobody has thought of
    assert search._root_at(board).visits == 0


def test_a_game_of_a_file_is_searched_without_further_code() -> None:
    position = games.get(games.named(STRANGE)).start()
    board = fast_board(position)
    assert isinstance(board, PlainBoard)
    for search in (AlphaBeta(), Uct(Random(1))):
        found = search.run(board, Budget(nodes=30))
        assert position.why_illegal(found.move) is None
