"""Position texts are accepted exactly when a game can reach them: shown in full on tiny boards.

On the real boards only one half can be shown, that nothing is refused which real play reaches; see
the contract tests. Here are both halves, and the searches of `lath.games.reach` against brute
force.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations, pairwise, permutations, product
from random import Random
from typing import TypeVar

import pytest
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

pytestmark = pytest.mark.slow

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


@pytest.mark.parametrize(
    ("supply", "blockers", "win"),
    [(2, 3, 5), (None, 1, 5), (None, 0, 3)],
)
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
        expected = any(union(some).bit_count() == 3 * count for some in combinations(inside, count))
        assert shapes_fit(at, cells, count) == expected
        verdicts.add((count, expected))
    assert {(2, True), (2, False), (3, True), (3, False)}.issubset(verdicts)


def union(shapes: Iterable[int]) -> int:
    """Return the cells of any of `shapes`."""
    together = 0
    for shape in shapes:
        together |= shape
    return together


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
    """A path through 3,000 cells, as many shapes, a game of as many plies."""
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
