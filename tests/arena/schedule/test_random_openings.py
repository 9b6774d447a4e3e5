"""Openings at random: new, not lost, even, and the same for the same seed."""

from __future__ import annotations

import json
import random
from itertools import product

import pytest
from places import OURS
from walks import play_all

from lath import games
from lath.arena.errors import ConfigError
from lath.arena.schedule.core import Dealer, Opening, Settings
from lath.arena.schedule.openings import known_by
from lath.arena.schedule.random_openings import (
    UNEVEN,
    RandomChoice,
    RandomOpenings,
    is_lost,
    unevenness,
)
from lath.games.core import Game, Move, Position, read_move

FIRST = {"yavalath": "f5 d5 e6 a5", "surikata": "Ma2 Ma3 Mc4 Mc1"}
"""Of seed 1: what every machine makes."""


def made(game_id: str, count: int, *, seed: int = 1, plies: int = 4) -> list[Opening]:
    said: list[str] = []
    source = RandomOpenings(RandomChoice(plies=plies), (game_id,), seed, said.append)
    found = [source.opening(game_id, turn) for turn in range(1, count + 1)]
    assert not said
    return found


def end_of(game: Game, opening: Opening) -> Position:
    position = game.start(opening.setup)
    return play_all(position, map(Move, opening.moves))


@pytest.mark.parametrize("game_id", OURS)
def test_each_is_new_legal_and_not_lost_and_the_same_seed_makes_the_same(game_id: str) -> None:
    game, seen = games.get(game_id), set()
    told = made(game_id, 3 if game_id in FIRST else 2)
    for opening in told:
        position = game.start(opening.setup)
        for move in opening.moves:
            position = position.play(read_move(position, move))
        assert len(opening.moves) == 4
        assert opening.name == f"random:4 {' '.join(opening.moves)}"
        assert not is_lost(position)
        seen.add(known_by(position))
    assert len(seen) == len(told)
    if game_id in FIRST:
        assert " ".join(told[0].moves) == FIRST[game_id]
        assert made(game_id, 3, seed=2) != told
        source = RandomOpenings(RandomChoice(), (game_id,), 1, lambda _: None)
        # In any order, too.
        assert [source.opening(game_id, turn) for turn in (3, 1, 2)] == [told[2], *told[:2]]


def test_where_there_are_no_more_they_come_again_and_that_is_said_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One ply of Yavalath: 61 cells, of which turns and mirrors leave 9."""
    monkeypatch.setattr("lath.arena.schedule.random_openings.TRIES", 500)
    said: list[str] = []
    source = RandomOpenings(RandomChoice(plies=1), ("yavalath",), 1, said.append)
    told = [source.opening("yavalath", turn) for turn in range(1, 28)]
    assert told[:9] * 3 == told
    assert len(set(told)) == 9
    words = "yavalath has 9 different openings of 1 random ply, and more are needed"
    assert said == [f"{words}: they come again in their order"]


def test_a_length_at_which_all_is_lost_is_refused_before_anything_is_played(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("lath.arena.schedule.random_openings.TRIES", 50)
    with pytest.raises(ConfigError, match="surikata has no undecided line of 26 random plies"):
        RandomOpenings(RandomChoice(plies=26), ("surikata",), 1, lambda _: None)


def test_games_with_setups_keep_to_them_where_nothing_is_said() -> None:
    settings = Settings(games=("mammalath", "yavalath"), seed=3)
    choice = RandomChoice(everywhere=False)
    source = RandomOpenings(choice, settings.games, 3, lambda _: None)
    drawn, found = (
        [
            dealer.deal(pair, ("ann", "bob"), round_number=1, index=pair - 1).games[0]
            for pair in (1, 2, 3, 4)
        ]
        for dealer in (Dealer(settings), Dealer(settings, source))
    )
    assert found[::2] == drawn[::2]
    assert [len(plan.opening) for plan in found] == [0, 4, 0, 4]


def test_who_wins_at_once_or_cannot_be_stopped_has_no_opening() -> None:
    for position, lost in {
        "w4/6/7/2ww1w2/b2b2b2/8/7/6/b1b2 w": True,  # f5 wins
        "5/6/7/2ww1w2/b2b5/8/7/6/5 b": False,  # black stops it
        "w4/6/7/2ww1w2/b2b2b2/8/ww1w3/6/b1b1b b": True,  # one of two
        "w4/6/7/2ww4/b2b2b2/8/ww1w3/6/b1b2 b": False,
        "5/6/7/8/9/8/7/6/5 w": False,
    }.items():
        assert is_lost(games.get("yavalath").position(position)) is lost, position


def test_what_is_made_is_more_even_than_chance() -> None:
    """Judged anew, with other random games than those that chose."""
    game, chance = games.get("yavalath"), random.Random(7)
    chosen = [end_of(game, opening) for opening in made("yavalath", 10, plies=8)]
    by_chance: list[Position] = []
    while len(by_chance) < 10:
        position = game.start()
        for _ in range(8):
            if position.is_over:
                break
            position = position.play(chance.choice(position.legal_moves()))
        if not is_lost(position):
            by_chance.append(position)

    def uneven(positions: list[Position]) -> int:
        looks = product(positions, range(2))
        return sum(unevenness(position, chance) > UNEVEN for position, _ in looks)

    assert uneven(chosen) < uneven(by_chance)


def test_what_was_made_is_not_made_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that goes on with a tournament has the openings of the runs before it at once."""
    choice = RandomChoice(plies=2)
    one = RandomOpenings(choice, ("yavalath",), 1, lambda _: None)
    told = [one.opening("yavalath", turn) for turn in (1, 2, 3, 4)]
    note = json.loads(json.dumps(one.as_note()))
    other = RandomOpenings(choice, ("yavalath",), 1, lambda _: None)
    other.recall(note)
    with monkeypatch.context() as patched:
        patched.delattr("lath.arena.schedule.random_openings.unevenness")
        assert [other.opening("yavalath", turn) for turn in (1, 2, 3, 4)] == told
    assert other.opening("yavalath", 5) == one.opening("yavalath", 5), "and no more than these"
    third = RandomOpenings(choice, ("yavalath",), 2, lambda _: None)
    third.recall(note)
    assert third.opening("yavalath", 1) != told[0], "they are of another seed"
