"""Manalath, by Dieter Stein and Nestor Romeral Andres, 2012 (nestorgames).

The board is a hexagon of 70 cells, and the box has 25 pieces of each colour. On each turn, a player
places one piece of either colour on an empty cell. A placement that makes a group of more than five
pieces of one colour is illegal. At the end of a turn, all groups of the mover's own colour are
examined. A group of exactly four loses. Otherwise a group of exactly five wins. A player without
legal moves is examined in the same way; without such a group, the game is a draw. In a variant, one
to three cells are blocked by green pieces before the game begins.

Source: rulebook by nestorgames. Rulings are in docs/explanation/rules.md. `manalath_61.py` has the
board of the online servers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from random import Random
from typing import ClassVar, Final, NamedTuple

from lath.games.board import Board, hexagon_of
from lath.games.core import Lesson, Move, Outcome, Piece, Side, one_by_one, require_legal
from lath.games.errors import MoveSyntaxError, PositionError, SetupError
from lath.games.fast import DRAW, FastBoard, Tables, bounded, keys, mixed
from lath.games.overlays import Groups
from lath.games.parameters import Parameter
from lath.games.reach import read_fields, refuse_more
from lath.games.stones import (
    DRAWN,
    LOST,
    NUMBERS,
    OPEN,
    WON,
    Alternating,
    Judged,
    Turning,
    bystanders,
    shown_moves,
    winner_by,
)

MAX_BLOCKERS: Final = 3

_STUCK_WON, _STUCK_LOST = 4, 5
"""Verdicts on a player to move without legal moves who has a large group; without one it is DRAWN.
"""

SUPPLY: Final = 25
"""The pieces of each colour in the box, whatever the board."""

WIN: Final = Parameter(
    "win", 5, range(3, 9), "size of a winning group; one less loses, more are forbidden"
)


def over_three(board: Board, mask: int) -> int:
    """Return at least one cell of each group of four or more in `mask`.

    `mask` can combine two sets of cells, the second one shifted by `apart`. The groups of
    hexagons are not walked. A cell with three neighbours belongs to a group of four or more. So
    do two neighbouring cells with two neighbours each, unless the three cells form a triangle.
    """
    if board.shape != "hexagon":
        both = (mask & board.full, 0), (mask >> board.apart, board.apart)
        groups = ((group, by) for part, by in both for group in board.groups(part))
        return sum((group & -group) << by for group, by in groups if group.bit_count() > 3)
    one = two = three = triangles = 0
    across, up, diagonal = sorted(board.directions)
    for step in board.directions:
        pair = mask & mask >> step
        for near in (pair, pair << step):
            three |= two & near
            two |= one & near
            one |= near
    if not two:
        return 0
    for side in (across, up):
        lowest = mask & mask >> side & mask >> diagonal
        triangles |= lowest | lowest << side | lowest << diagonal
    inner = two & ~triangles
    return three | inner & (inner >> across | inner >> up | inner >> diagonal)


class Manalath(Turning):
    """The rules on one board."""

    id = "manalath"
    title = "Manalath"
    parameters: ClassVar[Sequence[Parameter]] = (
        Parameter(
            "size", 5, range(3, 9), "cells on four sides of the board; the other two have one more"
        ),
        WIN,
    )
    colours: Final = ("orange", "purple")
    credit: Final = "Dieter Stein and Nestor Romeral Andres, 2012"
    has_setups = True
    pieces: Final = (
        Piece("o", "orange piece", "disc", "#ee8a1d"),
        Piece("p", "purple piece", "disc", "#7d3c98"),
        Piece("g", "green blocker", "block", "#3f9142"),
    )
    overlays: Final = (Groups("op"),)

    def __init__(self, size: int = 5, win: int = 5) -> None:
        self.board: Final[Board] = self.board_of(size)
        self.supply: Final = self.supply_on(self.board)
        """The pieces of each colour in the box."""
        self.win: Final = win
        """The size of a winning group, which is also the largest allowed size."""
        self.lose: Final = win - 1
        """The size of a losing group."""
        self.examined: Final = {self.lose: LOST, win: WON}
        """The verdict of each examined group size for the player of the last turn. With both sizes,
        the greater one counts."""
        self.large: Final[Callable[[int], int]] = (
            partial(over_three, self.board) if self.lose == 4 else self._large
        )
        """Returns at least one cell of each examined group; accepts both colours, as in `bits`."""
        self.placements: Final = {
            Move(letter + name): (colour, bit)
            for name, bit in self.board.bit.items()
            for colour, letter in enumerate("OP")
        }
        """The colour (0 orange, 1 purple) and the cell of every move, in canonical order."""
        self.moves = {move: move for move in self.placements}
        self.expected = f"expected Oa1 to O{self.board.names[-1]} or Pa1 to P{self.board.names[-1]}"
        self.bits: Final[dict[str, int]] = {
            move: bit << self.board.apart * colour
            for move, (colour, bit) in self.placements.items()
        }
        """The bit of every move: its cell for orange, and the cell shifted by `Board.apart` for
        purple."""
        near = [self.board.around(bit) for bit in self.board.name]
        self.near: Final = dict(zip(self.board.name, near, strict=True))
        """The neighbours of each cell, by its bit."""
        self.placed: Final = tuple(
            (colour, bit, self.near[bit]) for colour, bit in self.placements.values()
        )
        """The colour, the cell and the cell's neighbours of each move."""
        self._lately: tuple[tuple[int, Sequence[tuple[int, int]]], ...] = ()
        """The pieces of one colour and their groups, for the latest calls."""
        self.counts: Final = sum(1 << self.board.apart * count for count in range(win + 1))
        """The factor that repeats a set of cells once for each count up to `win`."""
        # Without the game as part of the key, look-ups are faster. A turn changes only one colour.
        self.moves_on: Final = lru_cache(maxsize=1 << 14)(self._moves_on)
        """A cached `_moves_on`."""
        self.sums: Final = lru_cache(maxsize=1024)(self._sums)
        """A cached `_sums`."""

    def board_of(self, size: int) -> Board:
        """Return the board with sides of `size` cells."""
        return hexagon_of(size + 1, size)

    def supply_on(self, board: Board) -> int:  # noqa: ARG002 - `manalath_61` uses it
        """Return the number of pieces of each colour in the box."""
        return SUPPLY

    def _large(self, both: int) -> int:
        board = self.board
        return sum(
            group << shift
            for shift in (0, board.apart)
            for group in board.groups(both >> shift & board.full)
            if group.bit_count() >= self.lose
        )

    def crowded(self, pieces: int) -> int:
        """Return the cells where another piece of this colour would make too large a group."""
        if pieces.bit_count() < self.win:
            return 0
        return self.sums(pieces) >> self.board.apart * self.win

    def open_cells(self, stones: Sequence[int], empty: int) -> tuple[int, int]:
        """Return the empty cells where each colour can be placed."""
        orange, purple = stones
        return (
            empty & ~self.crowded(orange) if orange.bit_count() < self.supply else 0,
            empty & ~self.crowded(purple) if purple.bit_count() < self.supply else 0,
        )

    def can_move(self, stones: Sequence[int], empty: int) -> bool:
        """Return whether a legal move exists; usually the first, cheap test decides."""
        for mine in stones:
            if mine.bit_count() < self.supply and empty & ~self.board.around(mine):
                return True
        return any(self.open_cells(stones, empty))

    def beside(self, pieces: int, count: int) -> int:
        """Return the cells whose neighbouring groups of `pieces` have `count` pieces."""
        sums, apart = self.sums(pieces), self.board.apart
        return sums >> apart * count & ~(sums >> apart * (count + 1)) & self.board.full

    def _sums(self, pieces: int) -> int:
        """Return the cells with at least N pieces beside them, for N from 0 to `win`, joined.

        The sizes of the groups next to a cell are added up for all cells at once.
        """
        counts, each = self.board.full, self.counts
        for near, up in self._groups(pieces):  # `up` moves the cells by the size of the group
            counts |= near * each & (counts << up | (1 << up) - 1)
        return counts

    def _groups(self, pieces: int) -> Sequence[tuple[int, int]]:
        """Return the cells around each group, and the group's size times `Board.apart`.

        Groups only grow. So groups of a recent subset of these pieces are extended instead of
        recomputed.
        """
        lately = self._lately
        known = next((one for one in lately if one[0] & pieces == one[0]), (0, ()))
        groups = list(known[1])
        for bit in self.board.bits(pieces ^ known[0]):
            near, up, others = self.near[bit], self.board.apart, []
            for group in groups:
                if group[0] & bit:
                    near, up = near | group[0], up + group[1]
                else:
                    others.append(group)
            groups = [*others, (near, up)]
        self._lately = ((pieces, groups), known, *(one for one in lately if one is not known))[:4]
        return groups

    def _moves_on(self, place: int, orange: int, purple: int) -> tuple[Move, ...]:
        """Return the moves to these cells by colour, in order.

        The masks are shifted down by `place`.
        """
        cells = orange << place, purple << place
        placements = self.placements.items()
        return tuple([move for move, (colour, bit) in placements if cells[colour] & bit])

    def canonical(self, text: str) -> Move:
        """Return the canonical text of a move. Raises MoveSyntaxError if it is not a move."""
        if text in self.board.bit:
            raise MoveSyntaxError(text, f"expected the colour first, O{text} or P{text}")
        return super().canonical(text)

    @property
    def card(self) -> str:
        """Return the rules in a few lines."""
        win, lose = NUMBERS[self.win], NUMBERS[self.lose]
        return (
            f"a group of {win} pieces of your colour at the end of your turn wins, and a group of "
            f"{lose} loses. With both, you lose.\n"
            "On your turn, place a piece of either colour on an empty cell: Oe5 (orange) or Pe5 "
            f"(purple). No group may be larger than {win}. Green cells are blocked.\n"
            "A player who cannot move wins or loses by the same test; without such a group, "
            "the game is a draw."
        )

    @property
    def lessons(self) -> tuple[Lesson, ...]:
        """Return the groups that win, lose and are too large, as far as the board has room."""
        rows, win, lose = self.board.rows, self.win, self.lose
        middle = rows.index(max(rows, key=len))
        row, far = rows[middle], rows[middle + 2][:lose]
        many, few, left = NUMBERS[win], NUMBERS[lose], (win - 1) // 2
        joined = (*row[:left], *row[left + 1 : win], row[left])
        apart = (*row[: win // 2], *row[win // 2 + 1 : win + 1])
        if len(row) < win:
            return ()
        found = (
            self._lesson(
                f"A group of {many} wins",
                f"Orange joins two smaller groups into a group of {many}, so Orange wins.",
                joined,
                verdict=WON,
            ),
            self._lesson(
                f"A group of {few} loses",
                f"Orange makes a group of {few} and no group of {many}, so Orange loses.",
                row[:lose],
                verdict=LOST,
            ),
            self._lesson(
                f"With {few} and {many}, you lose",
                f"Purple makes an orange group of {few}; Orange's group of {many} does not help.",
                (*far[:-1], *joined) if len(far) == lose else (),
                handed=far[-1],
                verdict=LOST,
            ),
            self._lesson(
                f"No group is larger than {many}",
                "Orange cannot join the groups: the cell between them has only a purple dot.",
                apart if win - win // 2 < lose and len(apart) == win else (),
                shows_legal=True,
            ),
        )
        return tuple(lesson for lesson in found if lesson is not None)

    def _lesson(
        self,
        title: str,
        words: str,
        cells: Sequence[int],
        *,
        handed: int = 0,
        verdict: int = OPEN,
        shows_legal: bool = False,
    ) -> Lesson | None:
        """Return a lesson in which Orange plays on `cells`; None if the board has no room.

        Before the last of them, Purple plays an orange piece on the cell `handed`.
        """
        busy = sum(cells) | handed
        others = len(cells) - (verdict != OPEN) - bool(handed)
        free = bystanders(self.board, busy | self.board.around(handed), others)
        if not cells or len(free) < others:
            return None
        names = self.board.name
        purple = [f"P{cell}" for cell in free] + ([f"O{names[handed]}"] if handed else [])
        moves = shown_moves([f"O{names[bit]}" for bit in cells], purple)
        size = {WON: self.win, LOST: self.lose}.get(verdict, 0)
        return Lesson(
            title=title,
            words=words,
            moves=moves,
            begun=max(0, len(moves) - 3),
            ending=f"group of {NUMBERS[size]}" if size else "",
            is_win=verdict == WON if size else None,
            shows_legal=shows_legal,
        )

    def draw_setup(self, seed: int) -> str:
        """Return a setup of up to three blockers; `seed` decides their number and cells."""
        chance = Random(f"{self.id} {seed}")
        cells = chance.sample(self.board.names, chance.randint(0, MAX_BLOCKERS))
        return self.canonical_setup(" ".join(cells) or "-")

    def canonical_setup(self, setup: str) -> str:
        """Return `setup` with its cells in order. Raises SetupError if it is invalid."""
        return " ".join(self.board.names_in(self._read_setup(setup))) or "-"

    def _read_setup(self, setup: str) -> int:
        if setup == "-":
            return 0
        blockers = 0
        for name in setup.split(" "):
            bit = self.board.bit.get(name)
            if bit is None:
                cells = f"- or cells from a1 to {self.board.names[-1]} with one space between them"
                raise SetupError(f"setup {setup!r} has {name!r}", cells)
            if blockers & bit:
                raise SetupError(f"setup {setup!r} names {name} twice")
            blockers |= bit
        if blockers.bit_count() > MAX_BLOCKERS:
            raise SetupError(f"setup {setup!r} has more than {MAX_BLOCKERS} blockers")
        return blockers

    def start(self, setup: str | None = None) -> ManalathPosition:
        """Return the first position, with the blockers of `setup`. Default: no blockers."""
        blockers = 0 if setup is None else self._read_setup(setup)
        return ManalathPosition(self, (0, 0), blockers, 0, OPEN)

    def position(self, text: str) -> ManalathPosition:
        """Return the position that `text` describes. Raises PositionError with the reason."""
        (rows,), mover = read_fields(text, ["board"], "op")
        orange, purple, blockers = self.board.read_rows(rows, "opg").values()
        refuse_more(blockers.bit_count(), MAX_BLOCKERS, "green blockers")
        for colour, mask in zip(self.colours, (orange, purple), strict=True):
            refuse_more(mask.bit_count(), self.supply, f"{colour} pieces")
            for group in self.board.groups(mask):
                if group.bit_count() > self.win:
                    what = f"a group of {group.bit_count()} {colour} pieces"
                    cell = self.board.names_in(group)[0]
                    raise PositionError(f"{what} at {cell}", f"at most {self.win}")
        count = (orange | purple).bit_count()
        if count % 2 != mover:
            parity = ("an even", "an odd")[count % 2]
            raise PositionError(
                f"{self.colours[mover]} cannot be to move with {parity} number of pieces on the "
                f"board, {count}"
            )
        if not self._can_be_reached(orange | purple << self.board.apart, mover):
            sizes = f"{NUMBERS[self.lose]} or {NUMBERS[self.win]}"
            raise PositionError(
                f"groups of {sizes} that no two last turns made: the game was over before"
            )
        return ManalathPosition(self, (orange, purple), blockers, mover, OPEN).judged()

    def _can_be_reached(self, both: int, mover: int) -> bool:
        """Return whether the last two turns can have made all examined groups.

        A player is examined at the end of each own turn, and pieces never leave the board. `both`
        has the pieces of both colours, as in `bits`.
        """
        board, large = self.board, self.large
        if not large(both):
            return True
        first, second = board.full, board.full << board.apart
        last, to_move = (first, second) if mover else (second, first)
        return any(
            not large(before & last) or any(not large(before ^ bit) for bit in board.bits(before))
            for before in (both ^ bit for bit in board.bits(both))
            # Otherwise the player to move would have ended the game one turn earlier.
            if not large(before & to_move)
        )

    def fast(self, position: ManalathPosition) -> ManalathBoard:
        """Return a board for searches."""
        return ManalathBoard(position)


class _State(NamedTuple):
    """Pieces by colour, blockers, the side to move, and the verdict."""

    game: Manalath
    stones: tuple[int, int]
    blockers: int
    mover: int
    verdict: int


class ManalathPosition(_State, Alternating):
    """A position of Manalath; hashable and immutable."""

    __slots__ = ()

    RESULTS = (*Judged.RESULTS, Judged.RESULTS[LOST], Judged.RESULTS[WON])

    def judged(self) -> ManalathPosition:
        """Return this position with its verdict computed from the groups and moves."""
        losing, winning = self._large_groups(1 - self.mover)
        if losing or winning:
            return self._replace(verdict=LOST if losing else WON)
        if self.game.can_move(self.stones, self._empty):
            return self
        losing, winning = self._large_groups(self.mover)
        return self._replace(verdict=_STUCK_LOST if losing else _STUCK_WON if winning else DRAWN)

    def _large_groups(self, colour: int) -> tuple[int, int]:
        """Return the cells in losing groups and those in winning groups."""
        game, stones = self.game, self.stones[colour]
        losing = winning = 0
        if stones.bit_count() < game.lose:
            return 0, 0
        seeds = game.large(stones)
        while seeds:
            group = game.board.group(stones, seeds & -seeds)
            if group.bit_count() == game.lose:
                losing |= group
            else:
                winning |= group
            seeds &= ~group
        return losing, winning

    @property
    def _empty(self) -> int:
        return self.game.board.full & ~(self.stones[0] | self.stones[1] | self.blockers)

    def outcome(self) -> Outcome | None:
        """Return how the game ended; None while it is not over."""
        if self.verdict == OPEN:
            return None
        if self.verdict == DRAWN:
            return Outcome(None, "no move")
        is_stuck = self.verdict in (_STUCK_WON, _STUCK_LOST)
        examined = Side(self.mover if is_stuck else 1 - self.mover)
        has_won = self.verdict in (WON, _STUCK_WON)
        cells = self._large_groups(examined)[has_won]
        size = self.game.win if has_won else self.game.lose
        return Outcome(
            examined if has_won else examined.other,
            f"{'no move, ' if is_stuck else ''}group of {NUMBERS[size]}",
            tuple(self.game.board.names_in(cells)),
            is_loss=not has_won,
        )

    def legal_moves(self) -> tuple[Move, ...]:
        """Return the placements by cell, orange before purple."""
        if self.verdict != OPEN:
            return ()
        game = self.game
        (orange, purple), moves_on = game.open_cells(self.stones, self._empty), game.moves_on
        moves: list[Move] = []
        place = 0
        while orange or purple:
            moves += moves_on(place, orange & 0xFF, purple & 0xFF)
            orange, purple, place = orange >> 8, purple >> 8, place + 8
        return tuple(moves)

    @property
    def legal_bits(self) -> int:
        """Return the bits of the legal moves."""
        if self.verdict != OPEN:
            return 0
        game = self.game
        orange, purple = game.open_cells(self.stones, self._empty)
        return orange | purple << game.board.apart

    def why_illegal(self, move: Move) -> str | None:
        """Return in the game's words why `move` is illegal here; None if it is legal."""
        if self.verdict != OPEN:
            return "the game is over"
        placement = self.game.placements.get(move)
        if placement is None:
            return f"{self.game.id} does not have this move"
        colour, bit = placement
        cell, word = move[1:], self.game.colours[colour]
        if bit & self.blockers:
            return f"{cell} is blocked"
        if bit & (self.stones[0] | self.stones[1]):
            return f"{cell} already has a piece"
        if self.stones[colour].bit_count() >= self.game.supply:
            return f"the box has no {word} piece left"
        size = self.game.board.group(self.stones[colour] | bit, bit).bit_count()
        if size > self.game.win:
            return f"{word} on {cell} would make a group of {size}, more than {self.game.win}"
        return None

    def play(self, move: Move) -> ManalathPosition:
        """Return the position after `move`. Raises IllegalMoveError if it is illegal."""
        game, (orange, purple), blockers, _, verdict = self
        colour, bit = game.placements.get(move) or (0, 0)
        mine = purple if colour else orange
        is_alone = bit & ~(orange | purple | blockers) and not game.near[bit] & mine
        if not is_alone or verdict != OPEN or mine.bit_count() >= game.supply:
            require_legal(self, move)
        stones = (orange, purple | bit) if colour else (orange | bit, purple)
        return ManalathPosition(game, stones, blockers, 1 - self.mover, OPEN).judged()

    def after(self, moves: Sequence[str]) -> ManalathPosition | None:
        """Return the position after `moves`; None if one of them is illegal.

        Pieces stay and groups only grow. If a player has no examined group after that player's
        second-to-last turn, no earlier turn ended the game. A player who moved was not stuck.
        """
        if len(moves) < 3 or self.verdict != OPEN:
            return one_by_one(self, moves)
        game, board, apart = self.game, self.game.board, self.game.board.apart
        try:
            bits = list(map(game.bits.__getitem__, moves))
        except KeyError:
            return None
        before = self.stones[0] | self.stones[1] << apart
        both = before + sum(bits)
        orange, purple = stones = both & board.full, both >> apart
        count = before.bit_count() + len(bits)
        if both.bit_count() != count or (orange | purple | self.blockers).bit_count() != (
            count + self.blockers.bit_count()
        ):
            return None  # a cell is used twice
        if orange.bit_count() > game.supply or purple.bit_count() > game.supply:
            return None
        mover = self.mover ^ len(bits) & 1
        last_but_one, last = bits[-2:]
        # The pieces before the last turn of one player and the turn before it.
        mine = board.full if mover else board.full << apart
        if game.large(both & ~last & ~(last_but_one & mine)):
            return None
        verdict = OPEN
        for new in (last_but_one, last):  # every new large group contains one of these
            colour = new > board.full
            size = board.group(stones[colour], new >> apart * colour).bit_count()
            if size > game.win:
                return None
            if colour != mover:
                verdict = max(verdict, game.examined.get(size, OPEN))
        position = ManalathPosition(game, stones, self.blockers, mover, verdict)
        return position.judged() if verdict == OPEN else position

    def turned(self, mask: Callable[[int], int]) -> ManalathPosition:
        """Return the position with `mask` applied to each set of cells."""
        orange, purple = self.stones
        return self._replace(stones=(mask(orange), mask(purple)), blockers=mask(self.blockers))

    def text(self) -> str:
        """Return the board and the side to move as text."""
        layers = {"o": self.stones[0], "p": self.stones[1], "g": self.blockers}
        return f"{self.game.board.format_rows(layers)} {'op'[self.mover]}"

    def layers(self) -> Iterable[tuple[str, int]]:
        """Return the cells of the pieces of each colour and of the blockers."""
        return zip("opg", (*self.stones, self.blockers), strict=True)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class GroupTables(Tables):
    """The state for compiled searches. Group sizes end the game. `others` are the blockers."""

    supply: int
    """The pieces of each colour."""

    win: int
    lose: int
    near: Sequence[Sequence[int]]
    """The neighbours of each cell."""


class ManalathBoard(FastBoard):
    """A board for searches, with the pieces of each colour as a mask of `Board.bit`.

    The code of a move is twice the place of its cell in `Board.names`, plus one for purple.
    """

    game: Manalath

    def __init__(self, position: ManalathPosition) -> None:
        game = self.game = position.game
        self.moves = tuple(game.placements)
        self.stones = list(position.stones)
        """The cells of orange and of purple."""
        self.empty = game.board.full & ~(sum(self.stones) | position.blockers)
        self.blockers = position.blockers
        self.to_move = mover = position.mover
        self._verdict = position.verdict
        self.winner = self._winner(mover)
        self._has_large = [bool(game.large(stones)) for stones in self.stones]
        """For each colour, whether it has a group that would be examined."""
        self._past: list[tuple[int, int, bool]] = []
        many = keys("manalath", len(self.moves) + len(game.board.names) + 1)
        # Every turn changes the side to move, so each piece's key includes that change.
        self._keys = [key ^ many[-1] for key in many]
        self.key = mixed(many[len(self.moves) :], game.board.places_in(self.blockers))
        self.key ^= many[-1] if mover else 0
        for colour, stones in enumerate(self.stones):
            self.key ^= mixed(many[colour::2], game.board.places_in(stones))

    def _winner(self, mover: int) -> int | None:
        """Return the winner by the verdict; `mover` is the side to move."""
        if self._verdict in (_STUCK_WON, _STUCK_LOST):
            return mover if self._verdict == _STUCK_WON else 1 - mover
        return winner_by(self._verdict, mover)

    def plies_left(self) -> int:
        """Return the number of empty cells."""
        return self.empty.bit_count()

    def legal(self) -> list[int]:
        """Return the codes of the legal moves by cell, orange before purple."""
        if self.winner is not None:
            return []
        orange, purple = self.game.open_cells(self.stones, self.empty)
        places_in = self.game.board.places_in
        codes = [2 * place for place in places_in(orange)]
        codes += [2 * place + 1 for place in places_in(purple)]
        codes.sort()
        return codes

    def _size(self, colour: int, bit: int, near: int) -> int:
        """Return the size of the group that a new piece would join, or a size above `win`."""
        stones, near_of, win = self.stones[colour], self.game.near, self.game.win
        size, group, front = 1, bit, near & stones
        while front:
            low = front & -front
            group |= low
            size += 1
            if size > win:
                break
            front = (front | near_of[low] & stones) & ~group
        return size

    def play(self, code: int) -> None:
        """Place a piece."""
        game, mover, large = self.game, self.to_move, self._has_large
        colour, bit, near = game.placed[code]
        self._past.append((code, self.key, large[colour]))
        if not large[colour] and self._size(colour, bit, near) >= game.lose:
            large[colour] = True
        self.stones[colour] |= bit
        self.empty ^= bit
        self.key ^= self._keys[code]
        self.to_move = 1 - mover
        if large[mover] or not game.can_move(self.stones, self.empty):
            self._judge()

    def _judge(self) -> None:
        self._verdict = self.position().judged().verdict
        self.winner = self._winner(self.to_move)

    def undo(self) -> None:
        """Take back the last piece."""
        code, self.key, had_large = self._past.pop()
        colour, bit, _ = self.game.placed[code]
        self.stones[colour] ^= bit
        self.empty ^= bit
        self._has_large[colour] = had_large
        self.to_move = 1 - self.to_move
        self._verdict, self.winner = OPEN, None

    def position(self) -> ManalathPosition:
        """Return the state as a position."""
        orange, purple = self.stones
        return ManalathPosition(
            self.game, (orange, purple), self.blockers, self.to_move, self._verdict
        )

    def threats(self) -> tuple[list[int], list[int]]:
        """Return the moves that win at once and those that lose, by the mover's groups."""
        if self.winner is not None:
            return [], []
        game, mover, places_in = self.game, self.to_move, self.game.board.places_in
        opened = game.open_cells(self.stones, self.empty)
        if min(opened[0].bit_count(), opened[1].bit_count()) < 2:
            return super().threats()  # a move may leave the opponent without legal moves
        mine = self.stones[mover]
        if not self._has_large[mover]:
            wins = opened[mover] & game.beside(mine, game.win - 1)
            losses = opened[mover] & game.beside(mine, game.lose - 1)
            return (
                [2 * place + mover for place in places_in(wins)],
                [2 * place + mover for place in places_in(losses)],
            )
        groups = list(game.board.groups(mine))
        losing = [game.board.around(group) for group in groups if group.bit_count() == game.lose]
        has_five = any(group.bit_count() == game.win for group in groups)
        won, lost = [], []
        for code in self.legal():
            colour, bit, near = game.placed[code]
            size = self._size(colour, bit, near) if colour == mover else 0
            kept = [near for near in losing if colour != mover or not near & bit]
            if size == game.lose or kept:
                lost.append(code)
            elif size == game.win or has_five:
                won.append(code)
        return won, lost

    def tables(self) -> GroupTables:
        """Return the state for compiled searches."""
        game, places_in = self.game, self.game.board.places_in
        cells = len(game.board.names)
        return GroupTables(
            cells=cells,
            supply=game.supply,
            win=game.win,
            lose=game.lose,
            near=tuple(tuple(places_in(near)) for near in game.near.values()),
            stone_keys=(self._keys[: 2 * cells : 2], self._keys[1 : 2 * cells : 2]),
            stones=(places_in(self.stones[0]), places_in(self.stones[1])),
            others=places_in(self.blockers),
        )

    def lean(self) -> float:
        """Return an estimate from the cells where each player would win or lose."""
        game, mover = self.game, self.to_move
        ahead = 0
        for colour, sign in ((mover, 1), (1 - mover, -1)):
            stones = self.stones[colour]
            wins = self.empty & game.beside(stones, game.win - 1)
            losses = self.empty & game.beside(stones, game.lose - 1)
            ahead += sign * (3 * wins.bit_count() - losses.bit_count())
        return bounded(ahead / 40)

    def playout(self, chance: Random) -> tuple[int, int]:
        """Return the winner and number of plies of a random game.

        A move that cannot be played once can never be played later, so each move is drawn only
        once.
        """
        if self.winner is not None:
            return self.winner, 0
        game, random, near_of = self.game, chance.random, self.game.near
        placed, win, lose, supply = game.placed, game.win, game.lose, game.supply
        mover, stones, empty = self.to_move, self.stones.copy(), self.empty
        large = self._has_large.copy()
        options = self.legal()
        plies = 0
        for left in range(len(options), 0, -1):
            self.check()
            pick = int(random() * left)
            code = options[pick]
            options[pick] = options[left - 1]
            colour, bit, near = placed[code]
            mine = stones[colour]
            if not empty & bit or mine.bit_count() == supply:
                continue
            front = near & mine
            size = 1
            if front:
                group = bit
                while front:
                    low = front & -front
                    group |= low
                    size += 1
                    if size > win:
                        break
                    front = (front | near_of[low] & mine) & ~group
                if size > win:
                    continue
                if size >= lose:
                    large[colour] = True
            stones[colour] = mine | bit
            empty ^= bit
            plies += 1
            if large[mover]:
                return self._examined(stones, mover), plies
            mover = 1 - mover
        return self._examined(stones, mover), plies

    def _examined(self, stones: list[int], colour: int) -> int:
        """Return the winner when the groups of a colour are examined."""
        sizes = {group.bit_count() for group in self.game.board.groups(stones[colour])}
        if self.game.lose in sizes:
            return 1 - colour
        return colour if self.game.win in sizes else DRAW


GAME: Final = Manalath()
