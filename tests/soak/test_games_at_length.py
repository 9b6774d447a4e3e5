"""Whether the laws of games hold in thousands of random games of each game that is installed.

LATH_SOAK_WALKS games of each kind are played; a game of a plugin, or of LATH_GAMES, is among them.
"""

from __future__ import annotations

import os
from itertools import islice, product
from random import Random
from typing import Final

import pytest
from families import ALL
from tests.games import test_fast_boards as boards
from tests.games import test_games_against_plain_rules as plain
from tests.games import test_games_contract as contract
from tests.games import test_games_reach as reach

from lath.games.core import Game
from lath.games.fast import FastBoard
from lath.games.parameters import family

GAMES: Final = int(os.environ.get("LATH_SOAK_WALKS", "5000"))
"""Random games of each kind."""


@contract.every_game
def test_many_random_games_end_with_an_outcome(game: Game) -> None:
    contract.check_that_random_games_end(game, range(50, 50 + GAMES))


@contract.every_game
def test_many_random_games_keep_the_laws_of_positions(game: Game) -> None:
    for seed in range(6, 6 + GAMES):
        contract.check_that_a_random_game_keeps_the_laws(game, seed)


@contract.every_game
def test_a_text_is_legal_exactly_when_it_is_among_the_legal_moves_of_many(game: Game) -> None:
    for position in contract.positions_of(game, range(6 + GAMES // 20)):
        contract.check_refusals(position, contract.known_texts(game.id))


@contract.every_game
def test_every_position_of_much_real_play_is_accepted_as_text(game: Game) -> None:
    for position in contract.positions_of(game, range(8, 8 + GAMES)):
        assert game.position(position.text()) == position


@contract.every_game
def test_moves_commute_with_every_symmetry_at_a_million_positions(game: Game) -> None:
    chance = Random(game.id)
    positions = contract.positions_of(game, range(8, 10**9))
    for position in islice(positions, 1_000_000 // len(ALL) * GAMES // 5000):
        contract.check_symmetries_of(position, chance)


@contract.every_game
def test_many_lines_played_at_once_end_where_single_moves_do(game: Game) -> None:
    contract.check_lines(game, range(1000, 1000 + GAMES))


@contract.every_game
def test_boards_of_many_games(game: Game) -> None:
    for seed in range(GAMES // 50):
        for board in boards.played(game, seed):
            assert board.threats() == FastBoard.threats(board)
            boards.assert_candidates(board)


@plain.every_builtin_game
def test_many_random_games_go_the_same_way_by_the_plain_rules(game: Game) -> None:
    for seed in range(plain.GAMES_EACH, plain.GAMES_EACH + GAMES):
        plain.check_same_game(game, seed)


@plain.every_builtin_game
def test_every_game_of_a_family_goes_the_same_way_by_the_plain_rules(game: Game) -> None:
    for one in family(game):
        if len(one.board.names) <= 130:  # larger ones take the plain rules minutes
            plain.check_same_game(one, 11)


@pytest.mark.parametrize(("supply", "blockers", "win"), [(3, 3, 5), (None, 3, 5), (None, 1, 4)])
def test_manalath_on_seven_cells_accepts_exactly_what_can_be_reached(
    supply: int | None, blockers: int, win: int
) -> None:
    reach.test_manalath_on_seven_cells_accepts_exactly_what_can_be_reached(supply, blockers, win)


def test_manalath_on_twelve_cells_accepts_exactly_what_can_be_reached() -> None:
    tiny = reach.manalath_on((2, 3, 4, 3), None)
    texts = map(" ".join, product(reach.all_rows(tiny.board, "op."), "op"))
    assert reach.wrongly_judged(tiny, [tiny.start()], texts) == set()
