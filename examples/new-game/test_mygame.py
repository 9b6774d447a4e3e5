"""The rules of My Game: each has an example here."""

from pathlib import Path

import pytest

from lath import games
from lath.games import cards
from lath.games.core import follow, perft
from lath.games.errors import IllegalMoveError
from lath.games.trial import wrong_with

GAME = games.add(Path(__file__).with_name("mygame.py"))


@pytest.mark.parametrize("game_id", [GAME.id, *cards.variants(GAME)])
def test_games_at_random_keep_the_contract(game_id: str) -> None:
    assert wrong_with(games.get(game_id), games=100, seconds=2) == ""


def test_the_first_player_has_a_choice_of_all_cells() -> None:
    assert [perft(GAME.start(), plies) for plies in (1, 2)] == [37, 37 * 36]


def test_four_in_line_win() -> None:
    position = follow(GAME.start(), ["a1", "d1", "b2", "e2", "c3", "f2"])
    assert position is not None
    assert position.outcome() is None
    outcome = position.play(GAME.canonical("d4")).outcome()
    assert outcome is not None
    assert (outcome.winner, outcome.ending) == (0, "a line")
    assert outcome.cells == ("a1", "b2", "c3", "d4")


def test_where_lines_are_avoided_they_lose() -> None:
    avoid = games.get("mygame:goal=avoid")
    moves = ["a1", "d1", "b2", "e2", "c3", "f2", "d4"]
    position = follow(avoid.start(), moves)
    assert position is not None
    outcome = position.outcome()
    assert outcome is not None
    assert outcome.winner == 1


def test_a_stone_stays_where_it_is() -> None:
    position = GAME.start().play(GAME.canonical("a1"))
    with pytest.raises(IllegalMoveError, match="a1 already has a piece"):
        position.play(GAME.canonical("a1"))
