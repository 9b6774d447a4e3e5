"""Positions and openings of queries, held against comparing the least images of all positions."""

from __future__ import annotations

from random import Random
from typing import Final

import pytest
from walks import playout

from lath import games
from lath.games.core import Game, Move, Position, follow, least, least_line, symmetries
from lath.notation import parse
from lath.notation.query import compile_query
from lath.notation.record import Ply, Record

TEXTS: Final = "'5/6/7/8/9/8/7/6/4w b', '5/6/7/8/4w4/8/7/6/5 b'"
every_game = pytest.mark.parametrize("game", games.installed(), ids=lambda game: game.id)


def record_of(game: Game, setup: str | None, moves: list[Move]) -> Record:
    tags = (("Game", game.id), *((("Setup", setup),) if setup else ()))
    return Record(tags, tuple(map(Ply, moves)))


def line(start: Position, moves: list[Move]) -> list[Position]:
    found = [start]
    for move in moves:
        found.append(found[-1].play(move))
    return found


def answers(query: str, record: Record) -> tuple[bool, bool]:
    return compile_query(query)(record), compile_query(f"plain {query}")(record)


@every_game
def test_a_position_is_found_where_a_position_of_the_line_has_its_least_image(game: Game) -> None:
    chance, found = Random(game.id), set()
    setup = game.draw_setup(1)
    lines = [playout(game.start(setup), chance)[: chance.randrange(1, 9)] for _ in range(8)]
    played = [line(game.start(setup), moves) for moves in lines]
    for number, positions in enumerate(played):
        sought = chance.choice(positions)
        if number % 2:
            sought = chance.choice(symmetries(sought)).position(sought)
        for moves, others in zip(lines, played, strict=True):
            asked = answers(f'position "{sought.text()}"', record_of(game, setup, moves))
            assert asked == (least(sought) in map(least, others), sought in others)
            found.add(asked)
    assert (True, True) in found
    assert (True, False) in found


@every_game
def test_first_moves_are_after_each_other_as_their_least_lines_are_one(game: Game) -> None:
    for setup in (None, game.draw_setup(2)):
        start = game.start(setup)
        moves = start.legal_moves()
        chosen = Random(game.id).sample(moves, min(12, len(moves)))
        for wanted in chosen:
            ask, ask_plainly = (
                compile_query(f'{plain} after "{wanted}"') for plain in ("", "plain")
            )
            same = least_line(start, [wanted])
            for move in moves:
                record = record_of(game, setup, [move])
                assert ask(record) is (least_line(start, [move]) == same)
                assert ask_plainly(record) is (move == wanted)


@every_game
def test_lines_are_after_and_have_reached_what_their_least_images_say(game: Game) -> None:
    chance, found = Random(game.id), set()
    for number in range(24):
        setup = game.draw_setup(number) if number % 2 else None
        start = game.start(setup)
        moves = playout(start, chance)[:6]
        wanted = moves[:3]
        if chance.randrange(2):
            wanted = [*reversed(wanted)]
        ways = [way for way in symmetries(start) if way.position(start) == start]
        if ways:
            wanted = list(map(chance.choice(ways).move, wanted))
        record, text = record_of(game, setup, moves), " ".join(wanted)
        same = least_line(start, moves[: len(wanted)]) == least_line(start, wanted)
        after = answers(f'after "{text}"', record)
        assert after == (same, moves[: len(wanted)] == wanted)
        positions, end = line(start, moves), follow(start, wanted)
        reached = answers(f'reached "{text}"', record)
        if end is None:
            assert reached == (False, False)
        else:
            assert reached == (least(end) in map(least, positions), end in positions)
        found.add((after[0], reached[0]))
    assert (True, True) in found
    assert (False, False) in found or (False, True) in found


YAVALATH: Final = (
    # after asks for the first moves, reached for any way
    ('after "a1 e5"', "a1 e5 c3", True, True),
    ('after "i5 e5"', "a1 e5 c3", True, False),
    ('after "c3 e5 a1"', "a1 e5 c3", False, False),
    ('reached "c3 e5 a1"', "a1 e5 c3 d4", True, True),
    ('after "a1 e5 c3"', "a1 e5", False, False),
    # a swap is a move of an opening
    ('after "e5 swap d4"', "e5 swap d4 a1", True, True),
    ('after "e5 swap d4"', "e5 swap f5 a1", True, False),
    ('reached "e5 swap d4"', "e5 d4 c3", False, False),
    # moves lead from the start of the game wherever a record begins
    ('after "a1 e5"', '[Position "5/6/7/8/9/8/7/6/5 w"] a1 e5', True, True),
    ('after "e5"', '[Position "5/6/7/8/9/8/7/6/w4 b"] e5', False, False),
    ('reached "i5 e5"', '[Position "5/6/7/8/9/8/7/6/w4 b"] e5', True, False),
    # moves that cannot be played lead nowhere, and after plays nothing
    ('after "e5 e5"', "e5 e5", True, True),
    ('reached "e5 e5"', "e5 e5", False, False),
    ('reached "zz"', "e5 e5", False, False),
    # one of several positions is enough
    (f"position in ({TEXTS})", "a1", True, False),
    (f"position in ({TEXTS})", "e5", True, True),
    (f"position in ({TEXTS})", "b1", False, False),
)
OTHER_GAMES: Final = (
    ('after "c3 xb2-b4"', '[Game "mammalath"] c3 xb4-b2', True, True),
    ('reached "c3 xb2-b4"', '[Game "mammalath"] c3 xb4-b2', True, True),
    ('after "e4 e5"', '[Game "chess"] e4 e5', True, True),
    ('after "e5"', '[Game "chess"] e4 e5', False, False),
)


def test_openings_and_positions_are_found_turned_and_plain() -> None:
    rows = [(query, f'[Game "yavalath"] {moves}', *found) for query, moves, *found in YAVALATH]
    for query, text, is_found, is_plainly in (*rows, *OTHER_GAMES):
        asked = answers(str(query), parse(f"{text} *"))
        assert asked == (is_found, is_plainly), (query, text)
