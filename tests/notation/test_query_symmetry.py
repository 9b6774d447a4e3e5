"""Positions and openings of queries, held against comparing the least images of all positions."""

from __future__ import annotations

from random import Random

import pytest
from walks import playout

from lath import games
from lath.games.core import Game, Move, Position, follow, least, least_line, symmetries
from lath.notation import parse
from lath.notation.query import compile_query
from lath.notation.record import Ply, Record

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


def yavalath(moves: str, tags: str = "") -> Record:
    return parse(f'[Game "yavalath"] {tags} {moves} *')


def test_after_is_asked_of_the_first_moves_and_reached_of_any_way() -> None:
    assert answers('after "a1 e5"', yavalath("a1 e5 c3")) == (True, True)
    assert answers('after "i5 e5"', yavalath("a1 e5 c3")) == (True, False)
    assert answers('after "c3 e5 a1"', yavalath("a1 e5 c3")) == (False, False)
    assert answers('reached "c3 e5 a1"', yavalath("a1 e5 c3 d4")) == (True, True)
    assert answers('after "a1 e5 c3"', yavalath("a1 e5")) == (False, False)


def test_a_swap_is_a_move_of_an_opening() -> None:
    assert answers('after "e5 swap d4"', yavalath("e5 swap d4 a1")) == (True, True)
    assert answers('after "e5 swap d4"', yavalath("e5 swap f5 a1")) == (True, False)
    assert answers('reached "e5 swap d4"', yavalath("e5 d4 c3")) == (False, False)


def test_moves_lead_from_the_start_of_the_game_wherever_a_record_begins() -> None:
    start = '[Position "5/6/7/8/9/8/7/6/5 w"]'
    later = '[Position "5/6/7/8/9/8/7/6/w4 b"]'
    assert answers('after "a1 e5"', yavalath("a1 e5", start)) == (True, True)
    assert answers('after "e5"', yavalath("e5", later)) == (False, False)
    assert answers('reached "i5 e5"', yavalath("e5", later)) == (True, False)


def test_moves_are_read_as_the_game_of_the_record_reads_them() -> None:
    mammalath = parse('[Game "mammalath"] c3 xb4-b2 *')
    assert answers('after "c3 xb2-b4"', mammalath) == (True, True)
    assert answers('reached "c3 xb2-b4"', mammalath) == (True, True)
    chess = parse('[Game "chess"] e4 e5 *')
    assert answers('after "e4 e5"', chess) == (True, True)
    assert answers('after "e5"', chess) == (False, False)


def test_moves_that_cannot_be_played_lead_nowhere() -> None:
    broken = yavalath("e5 e5")
    assert answers('after "e5 e5"', broken) == (True, True), "nothing is played"
    assert answers('reached "e5 e5"', broken) == (False, False)
    assert answers('reached "zz"', broken) == (False, False)


def test_one_of_several_positions_is_enough() -> None:
    texts = "'5/6/7/8/9/8/7/6/4w b', '5/6/7/8/4w4/8/7/6/5 b'"
    assert answers(f"position in ({texts})", yavalath("a1")) == (True, False)
    assert answers(f"position in ({texts})", yavalath("e5")) == (True, True)
    assert answers(f"position in ({texts})", yavalath("b1")) == (False, False)
