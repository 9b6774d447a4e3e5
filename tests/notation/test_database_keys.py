"""Keys of positions: the same for images under symmetries, others for others."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from random import Random
from typing import Any

import numpy as np
import pytest

from lath import games
from lath.games.core import Game, Move, Position, least, symmetries
from lath.notation.database import keys as module
from lath.notation.database.keys import NO_MOVE, PlayableLine, PositionKeys, keys_of, turns_of

pytestmark = pytest.mark.slow

GAMES = ("yavalath:size=4", "mammalath:size=4", *games.builtin_ids())


def played(game: Game, chance: Random, setup: str | None) -> list[Position]:
    """Return the positions of a game at random."""
    line: list[Position] = [game.start(setup)]
    while (moves := line[-1].legal_moves()) and len(line) < 40:
        # the last ones are releases and swaps, where there are some
        line.append(line[-1].play(chance.choice(moves[-12:] if chance.random() < 0.4 else moves)))
    return line


def move_between(before: Position, after: Position) -> Move:
    """Return the move that leads from one position to the next."""
    return next(move for move in before.legal_moves() if before.play(move) == after)


def image(line: PlayableLine, symmetry: Any) -> PlayableLine:
    """Return a line turned or mirrored, its pieces renamed."""
    moves = list(map(symmetry.move, map(Move, line.moves)))
    return PlayableLine(symmetry.position(line.start), moves, symmetry.position(line.end))


def lines_of(game: Game, count: int) -> list[PlayableLine]:
    """Return games at random, some of them twice, and images of some."""
    chance, lines = Random(f"keys {game.id}"), []
    for number in range(count):
        setup = game.draw_setup(number // 3) if game.has_setups and number % 2 else None
        positions = played(game, chance, setup)
        moves = [move_between(*pair) for pair in pairwise(positions)]
        lines.append(PlayableLine(positions[0], moves, positions[-1]))
        for symmetry in symmetries(positions[0])[1:3] if number % 4 == 0 else ():
            lines.append(image(lines[-1], symmetry))
    return lines


def positions_of(line: PlayableLine) -> Iterator[Position]:
    """Yield all positions of a line."""
    position = line.start
    yield position
    for move in map(Move, line.moves):
        position = position.play(move)
        yield position


@pytest.mark.parametrize("game_id", GAMES)
def test_positions_have_one_key_where_a_symmetry_takes_one_to_the_other(game_id: str) -> None:
    game, keys = games.get(game_id), PositionKeys(games.get(game_id))
    assert keys.are_of_boards
    lines = lines_of(game, 9)
    for some in (lines[:5], lines):  # what was learned of some moves holds of them later
        found = keys.play(some)
        by_least: dict[Position, int] = {}
        by_key: dict[int, Position] = {}
        children: dict[tuple[int, str], Position] = {}
        every, chance = [list(positions_of(line)) for line in some], Random(1)
        flat = [(position, at == len(of) - 1) for of in every for at, position in enumerate(of)]
        assert len(found.keys) == len(flat) == len(found.images)
        assert len(found.steps) == len(flat) - len(some)
        wanted = iter(zip(found.keys.tolist(), found.images.tolist(), strict=True))
        plies = iter(zip(found.steps.tolist(), found.seats.tolist(), strict=True))
        for line, of in zip(some, every, strict=True):
            for number, position in enumerate(of):
                key, turned = next(wanted)
                end = least(position)
                assert by_least.setdefault(end, key) == key
                assert by_key.setdefault(key, end) == end
                if number == len(of) - 1:
                    assert turned == NO_MOVE
                    continue
                text = keys.texts[turned]
                child = least(of[number + 1])  # of one position the same move leads there
                assert children.setdefault((key, text), child) == child
                step, seat = next(plies)
                assert (keys.steps[step].move, seat) == (line.moves[number], position.to_move)
                if chance.random() < 0.2:
                    assert keys.key(position) == key
                    assert keys.turned(position, [Move(line.moves[number])]) == [text]


@pytest.mark.parametrize("game_id", ["mammalath", "surikata"])
def test_a_move_that_does_something_else_is_looked_at(game_id: str) -> None:
    """Keys are right also where a move is known for what it does not do this time."""
    game = games.get(game_id)
    lines = lines_of(game, 8)
    right = PositionKeys(game).play(lines)
    misled = PositionKeys(game)
    misled.play(lines)
    granted = misled._dictionary._granted  # what moves are taken to do is told nowhere
    for seat in (0, 1):
        for line in lines:
            for move in line.moves[:3]:
                granted[seat][move] = 0
    for one, other in zip(right[:1], misled.play(lines)[:1], strict=True):
        assert np.array_equal(one, other)


def test_a_game_whose_cells_do_not_tell_all_has_keys_of_texts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game = games.get("yavalath:size=4")
    lines = lines_of(game, 4)
    monkeypatch.setattr(module, "turns_of", lambda _: None)
    keys = PositionKeys(game)
    assert not keys.are_of_boards
    found = keys.play(lines)
    ends: dict[int, Position] = {}
    every = [position for line in lines for position in positions_of(line)]
    for position, key in zip(every, found.keys.tolist(), strict=True):
        assert keys.key(position) == key
        assert ends.setdefault(key, least(position)) == least(position)
    assert len(ends) == len({least(position) for position in every})


def test_a_symmetry_that_only_some_positions_have_is_none_of_boards(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game = games.get("yavalath")
    assert turns_of(game) is not None
    monkeypatch.setattr(
        module, "symmetries", lambda position: symmetries(position)[: 1 + position.to_move]
    )
    assert turns_of(game) is None


def test_keys_are_the_same_in_every_process() -> None:
    """They are kept in files: another number here makes every database of today wrong."""
    start = games.get("yavalath").start()
    assert keys_of("yavalath").key(start) == START
    assert keys_of("yavalath") is keys_of("yavalath")


START = 7284506266836030311
