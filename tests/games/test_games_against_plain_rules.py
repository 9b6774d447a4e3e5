"""Every built-in game agrees, move for move, with the plain reading of `plain_rules`."""

from __future__ import annotations

from functools import cache

import plain_rules
import pytest
from hypothesis import given
from hypothesis import strategies as st
from places import OURS
from walks import last_of, walk

from lath import games
from lath.games.core import Game
from lath.games.errors import PositionError

BUILTIN = [games.get(game_id) for game_id in OURS]

OF_A_FAMILY = [
    games.get(game_id)
    for game_id in (
        *("mammalath:size=4", "mammalath:size=5,line=4", "mammalath-plus:size=5"),
        *("manalath:size=3", "manalath:size=4,win=3", "manalath-61:win=4", "manalath:size=4,win=6"),
        *("surikata:lose=4", "surikata:lose=5", "yavalath:size=3", "yavalath:size=4,win=5"),
        *("yavalath:size=4,win=3,lose=2", "yavalath:win=6,lose=4"),
    )
]

GAMES_EACH = 10
"""Enough for about 350 positions of a game; the campaign in `tests/soak` plays many more."""

EDIT_LETTERS = "/ -0123456789" + "ABCFHabcowpgmkbMx"

every_builtin_game = pytest.mark.parametrize("game", BUILTIN, ids=lambda game: game.id)


def check_same_game(game: Game, seed: int) -> None:
    """Play one random game on both sides and compare everything after each ply."""
    plain = plain_rules.start(game.id, game.draw_setup(seed))
    for position, move in walk(game, seed):
        assert position.text() == plain.text()
        assert list(position.legal_moves()) == plain.legal(), position.text()
        outcome = position.outcome()
        assert (outcome is not None) == plain.over, position.text()
        assert (outcome.winner if outcome else None) == plain.winner, position.text()
        if move is not None:
            plain.play(move)


@every_builtin_game
def test_random_games_go_the_same_way_by_the_plain_rules(game: Game) -> None:
    for seed in range(GAMES_EACH):
        check_same_game(game, seed)


def test_random_games_with_parameters_go_the_same_way_by_the_plain_rules() -> None:
    for game in OF_A_FAMILY:
        for seed in range(2):
            check_same_game(game, seed)


@every_builtin_game
def test_random_games_end_in_more_than_one_way(game: Game) -> None:
    """The comparison above would be blind to most endings."""
    endings = set()
    for seed in range(200):
        outcome = last_of(game, seed).outcome()
        assert outcome is not None
        endings.add(outcome.ending)
        if len(endings) > 1:
            return
    raise AssertionError(endings)


@cache
def texts_of(game_id: str, seed: int) -> tuple[str, ...]:
    """Return the texts of the positions of one random game."""
    return tuple(position.text() for position, _ in walk(games.get(game_id), seed))


@every_builtin_game
@given(
    seed=st.integers(0, 19),
    ply=st.integers(0, 80),
    edits=st.lists(
        st.tuples(
            st.sampled_from(["drop", "put", "change"]),
            st.integers(0, 150),
            st.sampled_from(EDIT_LETTERS) | st.characters(),
        ),
        min_size=1,
        max_size=3,
    ),
)
def test_an_edited_position_text_is_refused_or_read_as_a_position_that_it_describes(
    game: Game, seed: int, ply: int, edits: list[tuple[str, int, str]]
) -> None:
    texts = texts_of(game.id, seed)
    text = texts[ply % len(texts)]
    for kind, place, letter in edits:
        at = place % (len(text) or 1)
        text = text[:at] + ("" if kind == "drop" else letter) + text[at + (kind != "put") :]
    try:
        position = game.position(text)
    except PositionError:
        return
    again = game.position(position.text())
    assert (again, again.outcome()) == (position, position.outcome())
    assert (position.outcome() is None) == bool(position.legal_moves())
