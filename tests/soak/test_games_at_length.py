"""Whether the laws of games hold in thousands of random games of each game that is installed.

LATH_SOAK_WALKS games of each kind are played; a game of a plugin, or of LATH_GAMES, is among them.
"""

from __future__ import annotations

import math
import os
from itertools import product
from typing import Final

import pytest
from tests.games import test_games_against_plain_rules as plain
from tests.games import test_games_contract as contract
from tests.games import test_games_reach as reach

from lath.arena.gamecheck.boards import board_faults
from lath.games.core import Game
from lath.games.parameters import family
from lath.games.trial import wrong_with

GAMES: Final = int(os.environ.get("LATH_SOAK_WALKS", "5000"))
"""Random games of each kind."""


@contract.every_game
def test_many_random_games_end_with_an_outcome(game: Game) -> None:
    contract.check_that_random_games_end(game, range(50, 50 + GAMES))


@contract.every_game
def test_many_random_games_keep_the_laws(game: Game) -> None:
    assert wrong_with(game, games=GAMES, seconds=math.inf) == ""


@contract.every_game
def test_many_positions_keep_the_laws_in_every_image_and_with_every_text(game: Game) -> None:
    assert wrong_with(game, games=GAMES // 20, every=1, seconds=math.inf) == ""


@contract.every_game
def test_boards_of_many_games(game: Game) -> None:
    faults = board_faults(game, games=GAMES // 50, every=1)
    assert [fault.text for fault in faults if fault] == []


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
