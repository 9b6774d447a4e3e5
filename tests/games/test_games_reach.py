"""Position texts are accepted exactly when a game can reach them: shown in full on tiny boards.

On the real boards only one half can be shown, that nothing is refused which real play reaches; see
the contract tests. Here are both halves, the searches of `lath.games.reach` against brute force,
and the reasons with which texts are refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import reduce
from itertools import combinations, pairwise, permutations, product
from operator import or_
from random import Random
from typing import TypeVar

import pytest
from places import OURS
from plain_rules import PlainSurikata
from slow_games import Clock, Costs, SlowGame

from lath import games
from lath.games.board import Board, hexagon
from lath.games.core import Game, Position, perft
from lath.games.errors import PositionError
from lath.games.mammalath import Mammalath
from lath.games.manalath import Manalath
from lath.games.reach import path_exists, shapes_fit, share_a_cell
from lath.games.yavalath import Yavalath

Cell = TypeVar("Cell")


def reachable_texts(starts: Iterable[Position]) -> set[str]:
    """Return the texts of all positions that lie on any way from `starts`."""
    seen = set(starts)
    to_visit = list(seen)
    while to_visit:
        position = to_visit.pop()
        for move in position.legal_moves():
            following = position.play(move)
            if following not in seen:
                seen.add(following)
                to_visit.append(following)
    return {position.text() for position in seen}


def all_rows(board: Board, letters: str) -> list[str]:
    """Return every way to fill the board with `letters` and empty cells (`.`)."""
    filled = []
    for cells in product(letters, repeat=len(board.names)):
        layers = dict.fromkeys(letters, 0)
        for name, letter in zip(board.names, cells, strict=True):
            layers[letter] |= board.bit[name]
        del layers["."]
        filled.append(board.format_rows(layers))
    return filled


def is_accepted(game: Game, text: str) -> bool:
    """Return whether `game` reads `text` as a position."""
    try:
        game.position(text)
    except PositionError:
        return False
    return True


def wrongly_judged(game: Game, starts: Iterable[Position], texts: Iterable[str]) -> set[str]:
    """Return the texts that are accepted but cannot be reached, or the other way round."""
    reachable = reachable_texts(starts)
    assert len(reachable) > 500, "too few positions to show anything"
    return {text for text in texts if is_accepted(game, text) != (text in reachable)}


@pytest.mark.slow
def test_mammalath_on_four_cells_accepts_exactly_what_can_be_reached() -> None:
    tiny = Mammalath(size=2, line=2)
    rows = {"".join(animals) for animals in permutations("AABB")}
    starts = [tiny.start(f"{row[:2]}/{row[2:]}") for row in sorted(rows)]
    fields = product(all_rows(tiny.board, "AB."), all_rows(tiny.board, "wb."), "wb")
    assert wrongly_judged(tiny, starts, map(" ".join, fields)) == set()


def manalath_on(row_lengths: tuple[int, ...], supply: int | None, win: int = 5) -> Manalath:
    """Return Manalath on a board that no id names, without a limit to the pieces or with one."""

    class Tiny(Manalath):
        def board_of(self, size: int) -> Board:  # noqa: ARG002 - it has but one
            return hexagon(row_lengths)

        def supply_on(self, board: Board) -> int:
            return len(board.names) if supply is None else supply

    return Tiny(win=win)


@pytest.mark.slow
@pytest.mark.parametrize(("supply", "blockers", "win"), [(2, 3, 5), (None, 0, 3)])
def test_manalath_on_seven_cells_accepts_exactly_what_can_be_reached(
    supply: int | None, blockers: int, win: int
) -> None:
    tiny = manalath_on((2, 3, 2), supply, win)
    counts = range(blockers + 1)
    some = [cells for count in counts for cells in combinations(tiny.board.names, count)]
    starts = [tiny.start(" ".join(cells) or "-") for cells in some]
    rows = [
        text
        for text in all_rows(tiny.board, "opg.")
        if text.count("g") not in {1, 2, 3} - {*counts}
    ]
    assert wrongly_judged(tiny, starts, map(" ".join, product(rows, "op"))) == set()


@pytest.mark.slow
def test_yavalath_on_seven_cells_accepts_exactly_what_can_be_reached() -> None:
    tiny = Yavalath(size=2, win=3, lose=2)
    fields = product(all_rows(tiny.board, "wb."), "wb")
    assert wrongly_judged(tiny, [tiny.start()], map(" ".join, fields)) == set()


def can_be_placed(mounds: list[str], order: list[str]) -> bool:
    """Return whether the plain rules allow the pieces in this order."""
    game = PlainSurikata()
    game.mounds = set(mounds)
    for move in order:
        if move not in game.legal():
            return False
        game.play(move)
    return True


def surikata_text(mounds: list[str], orange: list[str], white: list[str], last: str) -> str:
    """Return a position that may be out of reach."""
    game = PlainSurikata()
    game.mounds = set(mounds)
    game.pieces = dict.fromkeys(orange, 0) | dict.fromkeys(white, 1)
    game.meerkat = last
    game.mover = len(game.pieces) % 2
    return game.text()


@pytest.mark.slow
def test_surikata_accepts_a_few_pieces_exactly_when_an_order_of_them_is_legal() -> None:
    surikata = games.get("surikata")
    chance = Random(5)
    verdicts = []
    for _ in range(400):
        cells = chance.sample(surikata.board.names, 11)
        count = chance.randint(2, 6)
        mounds, orange, white = cells[:5], cells[5 : 5 + count : 2], cells[6 : 5 + count : 2]
        last = chance.choice(orange if count % 2 else white)
        orders = orders_in_turn(orange, white)
        reachable = any(order[-1] == last and can_be_placed(mounds, order) for order in orders)
        text = surikata_text(mounds, orange, white, last)
        assert is_accepted(surikata, text) == reachable, text
        verdicts.append(reachable)
    assert min(verdicts.count(True), verdicts.count(False)) > 80


def test_shapes_share_a_cell_when_one_is_in_all_of_them() -> None:
    chance = Random(1)
    for _ in range(2000):
        shapes = [chance.getrandbits(8) for _ in range(chance.randint(1, 4))]
        shared = [bit for bit in range(8) if all(shape >> bit & 1 for shape in shapes)]
        assert share_a_cell(shapes) == bool(shared)


def test_shapes_fit_when_some_choice_of_them_touches_no_cell_twice() -> None:
    chance = Random(2)
    bits = [1 << index for index in range(10)]
    verdicts = set()
    for _ in range(1500):
        shapes = {sum(chance.sample(bits, 3)) for _ in range(chance.randint(10, 14))}
        shapes |= {bits[i % 10] | bits[(i + 1) % 10] | bits[(i + 2) % 10] for i in range(10)}
        at = {bit: [shape for shape in sorted(shapes) if shape & bit] for bit in bits}
        cells, count = chance.getrandbits(10), chance.randint(0, 3)
        inside = [shape for shape in shapes if shape & ~cells == 0]
        expected = any(
            reduce(or_, some, 0).bit_count() == 3 * count for some in combinations(inside, count)
        )
        assert shapes_fit(at, cells, count) == expected
        verdicts.add((count, expected))
    assert {(2, True), (2, False), (3, True), (3, False)}.issubset(verdicts)


def test_a_path_exists_when_some_order_of_the_cells_is_one() -> None:
    chance = Random(3)
    verdicts = []
    for _ in range(600):
        count = chance.randint(1, 7)
        cells = [1 << index for index in range(count)]
        steps = dict.fromkeys(cells, 0)
        for one, other in combinations(cells, 2):
            if chance.random() < 0.6:
                steps[one] |= other
                steps[other] |= one
        last_set, other_set = cells[: (count + 1) // 2], cells[(count + 1) // 2 :]
        end = chance.choice(last_set)
        expected = any(
            is_path([*order], steps, end) for order in orders_in_turn(last_set, other_set)
        )
        verdicts.append(expected)
        assert path_exists(steps, (sum(last_set), sum(other_set)), end) == expected
    assert min(verdicts.count(True), verdicts.count(False)) > 100


def orders_in_turn(beginning: list[Cell], other: list[Cell]) -> Iterator[list[Cell]]:
    """Yield every order of the cells that takes the two sets in turn from `beginning` on."""
    for first_ones in permutations(beginning):
        for second_ones in permutations(other):
            order = [*first_ones, *second_ones]
            order[::2] = first_ones
            order[1::2] = second_ones
            yield order


def is_path(backwards: list[int], steps: dict[int, int], end: int) -> bool:
    """Return whether each cell is a neighbour of the next one, from `end` on."""
    pairs = pairwise(backwards)
    return backwards[0] == end and all(steps[one] & other for one, other in pairs)


def test_a_board_of_any_size_is_searched_without_recursion() -> None:
    many = 3000
    ahead = {
        1 << at: sum(1 << to for to in (at - 1, at + 1) if 0 <= to < many) for at in range(many)
    }
    sets = sum(1 << at for at in range(0, many, 2)), sum(1 << at for at in range(1, many, 2))
    assert path_exists(ahead, sets, 1)
    assert not path_exists(ahead, (sets[0] & ~4, sets[1]), 1)
    full = (1 << many) - 1
    pairs = {1 << at: [3 << at] if at + 1 < many else [] for at in range(many)}
    pairs[1 << many - 1] = [3 << many - 2]
    assert shapes_fit(pairs, full, many // 2)
    assert perft(SlowGame(Clock(), Costs(), size=1, rounds=many).start(), many) == 1


ANIMALS = "ABCDEF/BCDEFA/CDEFAB/DEFABC/EFABCD/FABCDE"
EIGHT_BY_SEVEN = "ABCDEFGH/BCDEFGHA/CDEFGHAB/DEFGHABC/EFGHABCD/FGHABCDE/GHABCDEF"
EMPTY = "6/6/6/6/6/6"

FULL_OF_TOKENS = "bbwwbb/wwbbww/bbwwbb/wwbbww/bbwwbb"

REFUSED = {
    "mammalath": [
        # What is there is too much.
        (f"FBCDEF/BCDEFA/CDEFAB/DEFABC/EFABCD/FABCDE {EMPTY} w", "7 animals of type F"),
        (f"{ANIMALS} wwbwwb/wwbwwb/bbwbbw/wwbwwb/wwbww1/w5 b", "19 white tokens"),
        (f"{ANIMALS} {FULL_OF_TOKENS}/wwbbww w", "all 18 tokens"),
        # Lines that must have ended the game before.
        (f"{ANIMALS} www3/bb4/6/6/6/6 w", "white is to move, but already has a finished line"),
        (f"{ANIMALS} www3/bbb3/6/6/6/6 w", "white is to move, but already has a finished line"),
        (f"{ANIMALS} www3/bbb3/6/6/6/6 b", "black is to move, but already has a finished line"),
        (f"{ANIMALS} www3/2bb2/bb4/5b/6/www3 b", "no single token completed"),
        # Turns that do not add up.
        (f"{ANIMALS} {EMPTY} b", "black cannot be to move"),
        (f"{ANIMALS} w5/6/6/6/6/6 w", "white cannot be to move"),
        (f"{ANIMALS} wwb3/6/6/6/6/6 w", "white cannot be to move"),
        (f"{ANIMALS} ww4/6/6/6/6/6 w", "white cannot be to move"),
        (f"{ANIMALS} bb4/6/6/6/6/6 w", "white cannot be to move"),
        (f"{ANIMALS} bb4/w5/6/6/6/6 b", "black cannot be to move"),
        # Animals that no release took.
        (f"3DEF/BCDEFA/CDEFAB/DEFABC/EFABCD/FABCDE {EMPTY} b", "black cannot be to move"),
        ("1BCDEF/BCDEFA/CDEFAB/DEFABC/EFABCD/FABCDE w5/6/6/6/6/6 w", "35 animals"),
        ("1B1D1F/BCDEFA/CDEFAB/DEFABC/EFABCD/FABCDE w5/6/6/6/6/6 w", "33 animals"),
        # No positions at all.
        ("", "expected animals, tokens, w/b to move"),
        (f"{ANIMALS} {EMPTY}", "expected animals, tokens, w/b to move"),
        (f"{ANIMALS} {EMPTY} o", "expected animals, tokens, w/b to move"),
        (f"{ANIMALS}/6 {EMPTY} w", "7 rows, expected 6"),
        (f"ABCDEFA/BCDEFA/CDEFAB/DEFABC/EFABCD/FABCDE {EMPTY} w", "7 cells, expected 6"),
        (f"GBCDEF/BCDEFA/CDEFAB/DEFABC/EFABCD/FABCDE {EMPTY} w", "'G', expected one of A B C"),
        (f"{ANIMALS} o5/6/6/6/6/6 b", "'o', expected one of w b"),
        (f"{ANIMALS} 99999999999999999999/6/6/6/6/6 w", "cells, expected 6"),
    ],
    "mammalath-plus": [
        (
            f"{EIGHT_BY_SEVEN}/HABCDEFG ww6/ww6/bbb5/8/8/8/8/8 w",
            "white is to move, but already has",
        ),
        (f"{EIGHT_BY_SEVEN}/1ABCDEFG w7/8/8/8/8/8/8/8 w", "63 animals"),
    ],
    "manalath": [
        ("gggg2/7/8/9/10/9/8/7/6 o", "4 green blockers, expected at most 3"),
        ("ooo1oo/7/ooo1ooo1/9/ooo1ooo1oo/9/ooo1ooo1/7/oo4 p", "27 orange pieces, expected at"),
        ("oooooo/7/8/9/10/9/8/7/6 o", "a group of 6 orange pieces at i1"),
        ("6/7/8/9/4o5/9/8/7/6 o", "orange cannot be to move with an odd number of pieces on the"),
        ("6/7/8/9/10/9/8/7/6 p", "purple cannot be to move with an even number of pieces on the"),
        # Orange to move has two fours, of which purple's last turn made one at most.
        ("oooo2/7/8/9/10/9/8/7/oooo2 o", "the game was over before"),
        # A four each that was there a turn before, beside a third one.
        ("oooo2/7/8/9/pppp6/9/8/7/oooo2 o", "the game was over before"),
        ("ooooo1/7/8/9/oooo2oooo/9/8/7/p5 o", "the game was over before"),
        # Who moved last has three fours, of which the last two turns made two at most.
        ("pppp2/7/8/9/pppp6/9/8/7/pppp2 o", "the game was over before"),
        ("oooo2/7/8/9/oooo6/9/8/7/oooop1 p", "the game was over before"),
        ("6/7/8/9/4x5/9/8/7/6 o", "'x', expected one of o p g"),
        ("6/7/8/9/10/9/8/7/6", "expected board, o/p to move"),
        ("6/7/8/9/10/9/8/7/6 g", "expected board, o/p to move"),
        ("5/6/7/8/9/8/7/6/5 o", "5 cells, expected 6"),
    ],
    "manalath-61": [
        ("gggg1/6/7/8/9/8/7/6/5 o", "4 green blockers"),
        ("6/7/8/9/10/9/8/7/6 o", "6 cells, expected 5"),
    ],
    "surikata": [
        ("mmmmm/m4/5/5/5 - o", "6 mounds, expected at most 5"),
        ("mmmm1/o4/5/5/5 a4 w", "there are pieces, but only 4 of 5 mounds"),
        ("m4/5/5/5/5 - o", "orange cannot be to move, white is"),
        ("mmmmm/5/5/5/5 - w", "white cannot be to move, orange is"),
        ("mmmmm/o4/5/5/5 a4 o", "orange cannot be to move, white is"),
        ("mmmmm/o1o2/5/5/5 a4 o", "turns alternate"),
        ("mmmmm/ow3/5/5/1w2o a4 o", "is on a4, expected the cell of a piece of white"),
        ("mmmmm/o4/1w3/5/5 a4 o", "is on a4, expected the cell of a piece of white"),
        ("mmmmm/o4/5/5/5 b3 w", "is on b3, expected the cell of a piece of orange"),
        ("mmmmm/o4/5/5/5 - w", "is not on the board, expected the cell of"),
        ("mmmmm/5/5/5/5 a1 o", "expected - before any piece"),
        ("mmmmm/ooo2/4w/3w1/w4 a1 o", "orange is to move, but already has three in line"),
        ("mmmmm/ooo2/3w1/4w/o1w2 a1 w", "without the piece placed last"),
        ("mmmmm/ow3/5/5/5 b4 o", "out of the meerkat's sight"),
        ("mmmmm/5/5/5/5 f1 o", "'f1' must be - or a1 to e5"),
        ("mmmmm/5/5/5/5 o", "expected board, the meerkat's cell or -, o/w to move"),
    ],
    "yavalath": [
        ("0w4/6/7/8/9/8/7/6/5 b", "'0', expected one of w b or a number"),
        ("05/6/7/8/9/8/7/6/5 w", "'05', expected one of w b or a number"),
        ("5/6/7/8/9/8/7/6/5 b", "black cannot be to move with 0 white and 0 black"),
        ("w4/6/7/8/9/8/7/6/5 w", "white cannot be to move"),
        ("w4/b5/b6/b7/9/8/7/6/5 w", "white cannot be to move with 1 white and 3 black"),
        ("5/b5/b6/8/9/8/7/6/5 w", "white cannot be to move"),
        ("www2/bb4/b6/8/9/8/7/6/5 w", "white is to move, but already has a finished line"),
        ("www2/bbb3/7/8/9/8/7/6/5 w", "white is to move, but already has a finished line"),
        ("www2/6/7/8/b1b1b1b1b/b7/7/6/www2 b", "no single stone completed"),
        ("5/wwwwww/7/8/b1b1b1b1b/8/7/6/5 b", "no single stone completed"),
        ("5/6/7/8/4o4/8/7/6/5 b", "'o', expected one of w b"),
        ("5/6/7/8/9/8/7/6/5", "expected board, w/b to move"),
    ],
}
"""For each game texts and what the reason says."""


def test_a_text_that_no_game_reaches_is_refused_with_the_reason() -> None:
    assert set(REFUSED) == set(OURS)
    for game_id, rows in REFUSED.items():
        for text, reason in rows:
            with pytest.raises(PositionError) as refusal:
                games.get(game_id).position(text)
            assert reason in str(refusal.value), (game_id, text)


def test_groups_that_the_last_two_turns_can_have_made_are_read() -> None:
    for text, ending in (
        ("pppp2/7/8/9/10/9/8/7/pppp2 o", "group of four"),  # one handed over, one made
        ("oooo2/7/8/9/10/9/8/7/pppp2 o", "group of four"),  # one each, by the other
        ("ppppp1/7/8/9/10/9/8/7/p4p p", None),
        ("ppppp1/7/8/9/10/9/8/7/p5 o", "group of five"),
    ):
        outcome = games.get("manalath").position(text).outcome()
        assert (outcome.ending if outcome else None) == ending
