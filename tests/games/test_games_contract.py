"""What `lath.games.core` promises of every game, checked on all that are installed, and relatives.

The laws are those of `lath.games.trial`, in more games than a trial has time for. Must not know any
particular game, built-in move counts aside: a new file in `games/` or a plugin is tested without a
change here.
"""

from __future__ import annotations

import copy
import dataclasses
import math
import pickle
import re
from random import Random
from typing import Any, Final

import pytest
from families import ALL, INSTALLED
from places import OURS
from walks import drawn_start, last_of, play_all, playout, some_position

from lath import games
from lath.games.board import Board
from lath.games.capabilities import bits_of, lessons_of
from lath.games.cards import lesson_faults, variants
from lath.games.core import (
    SIDES,
    Game,
    Move,
    least,
    least_line,
    owned_by,
    perft,
    read_move,
    symmetries,
)
from lath.games.errors import (
    IllegalMoveError,
    MoveSyntaxError,
    SetupError,
    UnknownGameError,
)
from lath.games.manalath import over_three
from lath.games.trial import STRANGE_SETUPS, wrong_with

KNOWN_MOVE_COUNTS = {
    # By arithmetic: 36 cells, then 35 cells, 6 types, 80 lines and the swap, 36 * 122 = 4392; on
    # 8x8 63 cells, 8 types, 130 lines, 49 blocks and the swap; 61 * 60 and 61 swaps in Yavalath.
    "manalath": (140, 19320),
    "manalath-61": (122, 14640),
    "mammalath": (36, 4392, 464724),
    "mammalath-plus": (64, 16064),
    "surikata": (25, 600, 13800),
    "yavalath": (61, 3721, 219600),
}
"""Paths of 1, 2, 3... moves from the plainest start."""

every_game = pytest.mark.parametrize("game", ALL, ids=lambda game: game.id)


def test_the_first_moves_of_every_game_of_ours_are_as_many_as_known() -> None:
    assert set(KNOWN_MOVE_COUNTS) == set(OURS)
    for game_id, counts in KNOWN_MOVE_COUNTS.items():
        start = games.get(game_id).start()
        found = tuple(perft(start, depth) for depth in range(1, len(counts) + 1))
        assert found == counts, game_id


def test_an_unknown_game_is_refused_with_the_games_there_are() -> None:
    with pytest.raises(UnknownGameError, match=r"'chess'.*surikata"):
        games.get("chess")


@every_game
def test_every_game_keeps_the_laws(game: Game) -> None:
    assert wrong_with(game, games=10 if game in INSTALLED else 4, every=6, seconds=math.inf) == ""


@pytest.mark.parametrize("game", INSTALLED, ids=lambda game: game.id)
def test_lessons_are_true_of_every_variant(game: Game) -> None:
    """Each lesson is a line of legal moves that ends as it says, and says who that is good for."""
    for one in (game, *map(games.get, variants(game))):
        assert list(lesson_faults(one)) == [], one.id
        lessons = lessons_of(one)
        assert len({lesson.title for lesson in lessons}) == len(lessons)
        for lesson in lessons:
            result = {True: "win", False: "lose", None: ""}[lesson.is_win]
            assert result in f"{lesson.title} {lesson.words}", lesson.title
        if game.id in OURS:
            endings = {lesson.is_win for lesson in lessons}
            assert {False, True} <= endings, f"{one.id}: what wins and what loses"


WRONG_LESSONS: Final[dict[str, dict[str, Any]]] = {
    "words": {"words": "word " * 21},
    "begun": {"begun": 99},
    "illegal move": {"moves": ("no such move",), "begun": 0},
    "but says 'nothing left'": {"ending": "nothing left"},
    "but says": {"is_win": None},
}


@pytest.mark.parametrize("told", WRONG_LESSONS)
def test_a_wrong_lesson_is_a_fault_of_the_game(told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    game = next(one for one in INSTALLED if lessons_of(one))
    lesson = next(one for one in lessons_of(game) if one.ending)
    wrong = dataclasses.replace(lesson, **WRONG_LESSONS[told])
    monkeypatch.setattr(type(game), "lessons", (wrong,), raising=False)
    assert told in wrong_with(game, games=1)


@every_game
def test_a_game_has_one_object_and_its_positions_travel(game: Game) -> None:
    assert games.get(game.id) is game
    assert re.fullmatch(r"[a-z][a-z0-9-]*(:[a-z0-9_=,-]+)?", game.id)
    position = some_position(game, seed=1, ply=4)
    assert pickle.loads(pickle.dumps(position)) == copy.deepcopy(position) == position


def check_that_random_games_end(game: Game, seeds: range) -> None:
    """Play quick games and see that each has an outcome, of cells that are of who made it."""
    chance = Random(f"{game.id} {seeds}")
    for seed in seeds:
        start = drawn_start(game, seed % 50)
        end = play_all(start, playout(start, chance))
        outcome = end.outcome()
        assert outcome is not None
        contents = dict(zip(game.board.names, end.contents(), strict=True))
        codes = set().union(*(contents[cell] for cell in outcome.cells))
        owners = {side for side in SIDES if not codes.isdisjoint(owned_by(game, side))}
        if owners and outcome.winner is not None:
            made = outcome.winner.other if outcome.is_loss else outcome.winner
            assert owners == {made}, (
                f"{end.text()!r}: the cells of an outcome are what the winner made, or with "
                f"is_loss=True what the loser made, and these are of {owners}"
            )


@every_game
def test_random_games_end_with_an_outcome(game: Game) -> None:
    check_that_random_games_end(game, range(50 if game in INSTALLED else 20))


@every_game
def test_reading_a_move_tells_bad_text_from_an_illegal_move(game: Game) -> None:
    start = game.start()
    move = start.legal_moves()[0]
    assert read_move(start, move) == move
    with pytest.raises(MoveSyntaxError, match="'no such move'"):
        read_move(start, "no such move")
    with pytest.raises(IllegalMoveError, match=re.escape(move)):
        read_move(last_of(game, seed=1), move)
    with pytest.raises(IllegalMoveError, match=r"^illegal move 'a\\n\\ud800': "):
        start.play(Move("a\n\ud800"))  # what is told has one line, and can be printed


@every_game
def test_images_of_a_position_and_of_a_line_have_one_least_image(game: Game) -> None:
    chance = Random(game.id)
    for seed in range(5):
        start = drawn_start(game, seed)
        position, moves = start, list[Move]()
        for _ in range(4):
            moves.append(chance.choice(position.legal_moves()))
            position = position.play(moves[-1])
            if position.is_over:
                break
        least_start, line = least_line(start, moves)
        folded = "symmetries(): a line and its images must come to the same least line and end"
        assert least(play_all(least_start, line)) == least(position), folded
        for symmetry in symmetries(start):
            image, images = symmetry.position(start), list(map(symmetry.move, moves))
            assert least_line(image, images) == (least_start, line), folded
            assert least(play_all(image, images)) == least(position), folded


@every_game
def test_setups_are_many_and_strange_ones_are_refused(game: Game) -> None:
    if not game.has_setups:
        assert game.draw_setup(1) is None
    elif game.id in OURS:
        assert len({game.draw_setup(seed) for seed in range(300)}) > 100
        for strange in STRANGE_SETUPS[1:]:
            with pytest.raises(SetupError):
                game.canonical_setup(strange)


def some_cells(board: Board, chance: Random) -> int:
    """Return a random set of cells."""
    share = chance.random() * 0.6
    return sum(bit for bit in board.name if chance.random() < share)


@every_game
def test_lines_are_found_without_looking_at_each(game: Game) -> None:
    board, chance = game.board, Random(3)
    for _ in range(100):
        one, other = some_cells(board, chance), some_cells(board, chance)
        for length in range(2, 9):
            lines = [line for line in board.lines(length) if one & line == line]
            others = [line for line in board.lines(length) if other & line == line]
            assert board.has_line(one, length) == bool(lines)
            assert board.has_line(one | other << board.apart, length) == bool(lines or others)
    assert bits_of(game) or game.id.partition(":")[0] not in OURS


def test_groups_of_four_are_found_without_walking_any() -> None:
    for game_id in ("manalath", "manalath-61", "yavalath"):
        board, chance = games.get(game_id).board, Random(4)
        seen = set()
        for _ in range(2000):
            one, other = some_cells(board, chance), some_cells(board, chance)
            found, both = over_three(board, one), over_three(board, one | other << board.apart)
            for group in board.groups(one):
                assert bool(group & found) == (group.bit_count() > 3)
                seen.add(bool(group & found))
            assert both == found | over_three(board, other) << board.apart
        assert seen == {True, False}
