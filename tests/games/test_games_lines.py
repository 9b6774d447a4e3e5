"""Many moves at once: games may offer it for speed, and it must never differ from one by one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

import pytest
from families import ALL, INSTALLED
from walks import drawn_start, walk

from lath import games
from lath.games.board import Board
from lath.games.core import Game, Move, Position, follow, movers, result_of

LENGTHS = (2, 3, 4, 5, 6, 7, 8)
"""Lengths of lines that the games ask for."""


def one_by_one(position: Position, moves: Sequence[str]) -> Position | None:
    """Return the position after `moves`; None where one of them cannot be played."""
    for move in moves:
        if position.why_illegal(Move(move)) is not None:
            return None
        position = position.play(Move(move))
    return position


def some_moves(game: Game, seed: int) -> list[str]:
    """Return the moves of a random or a careful game."""
    return [str(move) for _, move in walk(game, seed) if move is not None]


def spoiled(moves: Sequence[str], chance: Random) -> list[str]:
    """Return the moves with nothing changed, or one left out, doubled, moved or put in."""
    changed = list(moves)
    at, to = chance.randrange(len(moves)), chance.randrange(len(moves))
    match chance.randrange(8):
        case 0:
            del changed[at]
        case 1:
            changed[at], changed[to] = changed[to], changed[at]
        case 2:
            changed[at] = moves[to]
        case 3:
            changed.insert(at, moves[to])
        case 4:
            changed.insert(at, chance.choice(["swap", "Ma1", "xA", "a1", "Oa1", "", "M", "no"]))
        case 5:
            changed = changed[: at + 1]
    return changed


def check_lines(game: Game, seeds: range) -> None:
    """Compare, from the start and from positions on the way, with moves in order and spoiled."""
    refused = 0
    for seed in seeds:
        chance = Random(seed)
        moves = some_moves(game, seed)
        begun = chance.randrange(len(moves)) if chance.random() < 0.3 else 0
        base = one_by_one(drawn_start(game, seed), moves[:begun])
        assert base is not None
        line = spoiled(moves[begun:], chance)
        expected = one_by_one(base, line)
        assert follow(base, line) == expected, (game, seed, line)
        refused += expected is None
        outcome = expected.outcome() if expected else None
        if expected is not None:
            assert result_of(expected) == (outcome.result if outcome else "*")
            stages = (one_by_one(base, line[:ply]) for ply in range(len(line) + 1))
            seats = [stage.to_move for stage in stages if stage]
            assert list(movers(base, line)) == seats, (game, seed, line)
    assert len(seeds) * 0.1 < refused < len(seeds) * 0.9


@pytest.mark.parametrize("game", ALL, ids=lambda game: game.id)
def test_moves_played_at_once_end_where_single_moves_do(game: Game) -> None:
    check_lines(game, range(50 if game in INSTALLED else 20))


@pytest.mark.parametrize("game", ALL, ids=lambda game: game.id)
def test_no_moves_and_moves_after_the_end_are_told_apart(game: Game) -> None:
    start = drawn_start(game, 1)
    moves = some_moves(game, 1)
    assert follow(start, []) == start
    end = follow(start, moves)
    assert end is not None
    assert follow(end, []) == end
    assert follow(end, moves[:1]) is None
    assert follow(start, [*moves, moves[0]]) is None


def some_cells(board: Board, chance: Random) -> int:
    """Return a random set of cells."""
    share = chance.random() * 0.6
    return sum(bit for bit in board.name if chance.random() < share)


@pytest.mark.parametrize("game", ALL, ids=lambda game: game.id)
def test_lines_are_found_without_looking_at_each(game: Game) -> None:
    board, chance = game.board, Random(3)
    for _ in range(100):
        one, other = some_cells(board, chance), some_cells(board, chance)
        for length in LENGTHS:
            lines = [line for line in board.lines(length) if one & line == line]
            others = [line for line in board.lines(length) if other & line == line]
            assert board.has_line(one, length) == bool(lines)
            assert board.has_line(one | other << board.apart, length) == bool(lines or others)


@pytest.mark.parametrize("game_id", ["manalath", "manalath-61", "yavalath"])
def test_groups_of_four_are_found_without_walking_any(game_id: str) -> None:
    board, chance = games.get(game_id).board, Random(4)
    seen = set()
    for _ in range(2000):
        one, other = some_cells(board, chance), some_cells(board, chance)
        found, both = board.over_three(one), board.over_three(one | other << board.apart)
        for group in board.groups(one):
            assert bool(group & found) == (group.bit_count() > 3)
            seen.add(bool(group & found))
        assert both == found | board.over_three(other) << board.apart
    assert seen == {True, False}


@pytest.mark.parametrize("game", ALL, ids=lambda game: game.id)
def test_the_bits_of_the_legal_moves_are_those_of_the_legal_moves(game: Game) -> None:
    bits: Mapping[str, int] | None = getattr(game, "bits", None)
    if bits is None:
        assert game not in INSTALLED
        return
    assert len(set(bits.values())) == len(bits)
    assert all(bit.bit_count() == 1 for bit in bits.values())
    for seed in range(10):
        for position, _ in walk(game, seed):
            expected = sum(bits[move] for move in position.legal_moves())
            assert getattr(position, "legal_bits") == expected, (seed, position)  # noqa: B009 - not in the protocol
