"""Manalath, by Dieter Stein and Nestor Romeral Andres, 2012 (nestorgames).

In a turn a player enters one piece of either colour, 25 of each being in the box, on an empty cell
of a hexagonal board of 70 cells; a placement that makes a group of more than five pieces of one
colour is forbidden. At the end of a turn the mover's own colour is examined over the whole board: a
group of exactly four loses, otherwise a group of exactly five wins; both at once lose. A player
without a legal move is examined in the same way, neither group making a draw. As a variant, one to
three cells are blocked by green pieces before the game begins.

Source: rulebook by nestorgames; rulings in docs/explanation/rules.md. `manalath_61.py` is the
board of the
online servers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import ClassVar, Final, NamedTuple

from lath.games.board import Board, hexagon_of
from lath.games.core import Move, Outcome, Piece, Side, one_by_one, require_legal
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
    winner_by,
)

MAX_BLOCKERS: Final = 3

_STUCK_WON, _STUCK_LOST = 4, 5
"""Verdicts on the player to move who has no legal move; who has no large group has DRAWN."""

SUPPLY: Final = 25
"""Pieces of each colour in the box, whatever the board."""

WIN: Final = Parameter(
    "win", 5, range(3, 9), "pieces of a group that wins: one less loses, more are forbidden"
)


class Manalath(Turning):
    """The rules on one board."""

    id = "manalath"
    title = "Manalath"
    parameters: ClassVar[Sequence[Parameter]] = (
        Parameter("size", 5, range(3, 9), "cells on four sides of the board, two having one more"),
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
        """Pieces of each colour in the box."""
        self.win: Final = win
        """The size of a group that wins, the largest that is allowed."""
        self.lose: Final = win - 1
        """The size of one that loses."""
        self.examined: Final = {self.lose: LOST, win: WON}
        """What groups of these sizes give who took the turn; of both, the greater counts."""
        self.large: Final[Callable[[int], int]] = (
            self.board.over_three if self.lose == 4 else self._large
        )
        """Returns cells, one at least of each group that is examined; also of both colours, as in
        `bits`."""
        self.placements: Final = {
            Move(letter + name): (colour, bit)
            for name, bit in self.board.bit.items()
            for colour, letter in enumerate("OP")
        }
        """The colour (0 orange, 1 purple) and the cell of every move, in canonical order."""
        self.moves = {move: move for move in self.placements}
        self.expected = f"expected O or P and a cell from a1 to {self.board.names[-1]}"
        self.bits: Final[dict[str, int]] = {
            move: bit << self.board.apart * colour
            for move, (colour, bit) in self.placements.items()
        }
        """The cell of every move, orange's as they are and purple's shifted by `Board.apart`."""
        near = [self.board.around(bit) for bit in self.board.name]
        self.near: Final = dict(zip(self.board.name, near, strict=True))
        """The cells next to each, by its bit."""
        self.placed: Final = tuple(
            (colour, bit, self.near[bit]) for colour, bit in self.placements.values()
        )
        """For each move its colour, its cell, and the cells next to that."""
        self._lately: tuple[tuple[int, Sequence[tuple[int, int]]], ...] = ()
        """Pieces of one colour and their groups, those that were asked for last."""
        self.counts: Final = sum(1 << self.board.apart * count for count in range(win + 1))
        """What puts a set of cells side by side, for each count to `win`, by multiplication."""
        # Keys without the game are found sooner; a turn changes the pieces of one colour alone.
        self.moves_on: Final = lru_cache(maxsize=1 << 14)(self._moves_on)
        """The same as `_moves_on`, remembered."""
        self.sums: Final = lru_cache(maxsize=1024)(self._sums)
        """The same as `_sums`, remembered."""

    def board_of(self, size: int) -> Board:
        """Return the board of this size."""
        return hexagon_of(size + 1, size)

    def supply_on(self, board: Board) -> int:  # noqa: ARG002 - of `manalath_61`
        """Return how many pieces of each colour are in the box."""
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
        """Return the cells where a further piece of these's colour makes a group too large."""
        if pieces.bit_count() < self.win:
            return 0
        return self.sums(pieces) >> self.board.apart * self.win

    def open_cells(self, stones: Sequence[int], empty: int) -> tuple[int, int]:
        """Return the empty cells where a piece of each colour makes no group that is too large."""
        orange, purple = stones
        return (
            empty & ~self.crowded(orange) if orange.bit_count() < self.supply else 0,
            empty & ~self.crowded(purple) if purple.bit_count() < self.supply else 0,
        )

    def can_move(self, stones: Sequence[int], empty: int) -> bool:
        """Return whether there is a legal move, as nearly always at a first glance."""
        for mine in stones:
            if mine.bit_count() < self.supply and empty & ~self.board.around(mine):
                return True
        return any(self.open_cells(stones, empty))

    def beside(self, pieces: int, count: int) -> int:
        """Return the cells with exactly so many of these in groups next to them, below `win`."""
        sums, apart = self.sums(pieces), self.board.apart
        return sums >> apart * count & ~(sums >> apart * (count + 1)) & self.board.full

    def _sums(self, pieces: int) -> int:
        """Return for each count from 0 to `win`, side by side, where so many or more are beside.

        The sizes of the groups next to a cell are added up for all cells at once.
        """
        counts, each = self.board.full, self.counts
        for near, up in self._groups(pieces):  # which moves the cells around up by its size
            counts |= near * each & (counts << up | (1 << up) - 1)
        return counts

    def _groups(self, pieces: int) -> Sequence[tuple[int, int]]:
        """Return of each group the cells around it, and its size times `Board.apart`.

        Groups only grow: what was looked at lately and is among these pieces need not be again.
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
        """Return the moves to cells by colour, in order; the cells are shifted down by `place`."""
        cells = orange << place, purple << place
        placements = self.placements.items()
        return tuple([move for move, (colour, bit) in placements if cells[colour] & bit])

    def canonical(self, text: str) -> Move:
        """Return the one way to write the move; raises MoveSyntaxError."""
        if text in self.board.bit:
            raise MoveSyntaxError(text, f"expected the colour first, O{text} or P{text}")
        return super().canonical(text)

    @property
    def card(self) -> str:
        """Return the rules in a few lines."""
        win, lose = NUMBERS[self.win], NUMBERS[self.lose]
        return (
            f"at the end of your turn a group of {win} pieces of your colour wins, and one of "
            f"{lose} loses; both at once lose.\n"
            "A turn places a piece of either colour on an empty cell, such as Oe5 (orange) or Pe5 "
            f"(purple); no group may be larger than {win}. Green cells are blocked.\n"
            "Who cannot move is looked at in the same way; without such a group it is a draw."
        )

    def draw_setup(self, seed: int) -> str:
        """Return none to three blockers, number and cells drawn from `seed`."""
        chance = Random(f"{self.id} {seed}")
        cells = chance.sample(self.board.names, chance.randint(0, MAX_BLOCKERS))
        return self.canonical_setup(" ".join(cells) or "-")

    def canonical_setup(self, setup: str) -> str:
        """Return `setup` with its cells in order; raises SetupError."""
        return " ".join(self.board.names_in(self._read_setup(setup))) or "-"

    def _read_setup(self, setup: str) -> int:
        if setup == "-":
            return 0
        blockers = 0
        for name in setup.split(" "):
            bit = self.board.bit.get(name)
            if bit is None:
                cells = f"- or cells from a1 to {self.board.names[-1]} with one blank between"
                raise SetupError(f"setup {setup!r} has {name!r}", cells)
            if blockers & bit:
                raise SetupError(f"setup {setup!r} names {name} twice")
            blockers |= bit
        if blockers.bit_count() > MAX_BLOCKERS:
            raise SetupError(f"setup {setup!r} has more than {MAX_BLOCKERS} blockers")
        return blockers

    def start(self, setup: str | None = None) -> ManalathPosition:
        """Return the first position, without blockers unless `setup` names some."""
        blockers = 0 if setup is None else self._read_setup(setup)
        return ManalathPosition(self, (0, 0), blockers, 0, OPEN)

    def position(self, text: str) -> ManalathPosition:
        """Return the position that `text` describes; raises PositionError."""
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
        """Return whether the last two turns can have made the groups that are examined.

        Each player is examined at the end of each of her turns, and pieces never leave. `both` are
        the pieces of both colours, as in `bits`.
        """
        board, large = self.board, self.large
        if not large(both):
            return True
        first, second = board.full, board.full << board.apart
        last, to_move = (first, second) if mover else (second, first)
        return any(
            not large(before & last) or any(not large(before ^ bit) for bit in board.bits(before))
            for before in (both ^ bit for bit in board.bits(both))
            # Else the player to move had lost or won at the end of the turn before.
            if not large(before & to_move)
        )

    def fast(self, position: ManalathPosition) -> ManalathBoard:
        """Return a board for searches."""
        return ManalathBoard(position)


class _State(NamedTuple):
    """Pieces by colour, blockers, who moves, how the game ended."""

    game: Manalath
    stones: tuple[int, int]
    blockers: int
    mover: int
    verdict: int


class ManalathPosition(_State, Alternating):
    """A position; hashable and immutable."""

    __slots__ = ()

    RESULTS = (*Judged.RESULTS, Judged.RESULTS[LOST], Judged.RESULTS[WON])

    def judged(self) -> ManalathPosition:
        """Return this position with the verdict that its groups and moves call for."""
        losing, winning = self._large_groups(1 - self.mover)
        if losing or winning:
            return self._replace(verdict=LOST if losing else WON)
        if self.game.can_move(self.stones, self._empty):
            return self
        losing, winning = self._large_groups(self.mover)
        return self._replace(verdict=_STUCK_LOST if losing else _STUCK_WON if winning else DRAWN)

    def _large_groups(self, colour: int) -> tuple[int, int]:
        """Return the cells in groups that lose and those in groups that win."""
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
        """Return how the game ended; None while it goes on."""
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
        """Return in the game's words why `move` may not be played here; None when it may."""
        if self.verdict != OPEN:
            return "the game is over"
        placement = self.game.placements.get(move)
        if placement is None:
            return f"{self.game.id} has no such move"
        colour, bit = placement
        cell, word = move[1:], self.game.colours[colour]
        if bit & self.blockers:
            return f"{cell} is blocked"
        if bit & (self.stones[0] | self.stones[1]):
            return f"{cell} already has a piece"
        if self.stones[colour].bit_count() >= self.game.supply:
            return f"no {word} piece is left in the box"
        size = self.game.board.group(self.stones[colour] | bit, bit).bit_count()
        if size > self.game.win:
            return f"{word} on {cell} would make a group of {size}, more than {self.game.win}"
        return None

    def play(self, move: Move) -> ManalathPosition:
        """Return the position after `move`; raises IllegalMoveError."""
        game, (orange, purple), blockers, _, verdict = self
        colour, bit = game.placements.get(move) or (0, 0)
        mine = purple if colour else orange
        is_alone = bit & ~(orange | purple | blockers) and not game.near[bit] & mine
        if not is_alone or verdict != OPEN or mine.bit_count() >= game.supply:
            require_legal(self, move)
        stones = (orange, purple | bit) if colour else (orange | bit, purple)
        return ManalathPosition(game, stones, blockers, 1 - self.mover, OPEN).judged()

    def after(self, moves: Sequence[str]) -> ManalathPosition | None:
        """Return the position after all of `moves`; None where one of them cannot be played.

        Pieces stay, and groups only grow: if none of a player's groups is examined after her last
        turn but one, no turn before ended the game. Who could move was not stuck.
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
            return None  # a cell twice
        if orange.bit_count() > game.supply or purple.bit_count() > game.supply:
            return None
        mover = self.mover ^ len(bits) & 1
        last_but_one, last = bits[-2:]
        # Without what came after the last turn of the one, and after the last but one of the other.
        mine = board.full if mover else board.full << apart
        if game.large(both & ~last & ~(last_but_one & mine)):
            return None
        verdict = OPEN
        for new in (last_but_one, last):  # all larger groups came with these
            colour = new > board.full
            size = board.group(stones[colour], new >> apart * colour).bit_count()
            if size > game.win:
                return None
            if colour != mover:
                verdict = max(verdict, game.examined.get(size, OPEN))
        position = ManalathPosition(game, stones, self.blockers, mover, verdict)
        return position.judged() if verdict == OPEN else position

    def turned(self, mask: Callable[[int], int]) -> ManalathPosition:
        """Return the same with each set of cells where `mask` says."""
        orange, purple = self.stones
        return self._replace(stones=(mask(orange), mask(purple)), blockers=mask(self.blockers))

    def text(self) -> str:
        """Return board and mover."""
        layers = {"o": self.stones[0], "p": self.stones[1], "g": self.blockers}
        return f"{self.game.board.format_rows(layers)} {'op'[self.mover]}"

    def layers(self) -> Iterable[tuple[str, int]]:
        """Return the cells of the pieces of each colour, and the blockers."""
        return zip("opg", (*self.stones, self.blockers), strict=True)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class GroupTables(Tables):
    """The compiled form: groups end the game by their sizes; `others` are the blockers."""

    supply: int
    """Pieces of each colour."""

    win: int
    lose: int
    near: Sequence[Sequence[int]]
    """The cells next to each."""


class ManalathBoard(FastBoard):
    """A board for searches: pieces of each colour are cells as `Board.bit` has them.

    The code of a move is twice the place of its cell in `Board.names`, and one more for purple.
    """

    game: Manalath

    def __init__(self, position: ManalathPosition) -> None:
        game = self.game = position.game
        self.moves = tuple(game.placements)
        self.stones = list(position.stones)
        """Orange and purple."""
        self.empty = game.board.full & ~(sum(self.stones) | position.blockers)
        self.blockers = position.blockers
        self.to_move = mover = position.mover
        self._verdict = position.verdict
        self.winner = self._winner(mover)
        self._has_large = [bool(game.large(stones)) for stones in self.stones]
        """Of each colour, whether a group would be examined."""
        self._past: list[tuple[int, int, bool]] = []
        many = keys("manalath", len(self.moves) + len(game.board.names) + 1)
        # A turn changes who is to move: each key of a piece has that in it.
        self._keys = [key ^ many[-1] for key in many]
        self.key = mixed(many[len(self.moves) :], game.board.places_in(self.blockers))
        self.key ^= many[-1] if mover else 0
        for colour, stones in enumerate(self.stones):
            self.key ^= mixed(many[colour::2], game.board.places_in(stones))

    def _winner(self, mover: int) -> int | None:
        """Return who has won by the verdict, `mover` being to move."""
        if self._verdict in (_STUCK_WON, _STUCK_LOST):
            return mover if self._verdict == _STUCK_WON else 1 - mover
        return winner_by(self._verdict, mover)

    def legal(self) -> list[int]:
        """Return the codes by cell, orange before purple."""
        if self.winner is not None:
            return []
        orange, purple = self.game.open_cells(self.stones, self.empty)
        places_in = self.game.board.places_in
        codes = [2 * place for place in places_in(orange)]
        codes += [2 * place + 1 for place in places_in(purple)]
        codes.sort()
        return codes

    def _size(self, colour: int, bit: int, near: int) -> int:
        """Return the size of the group that a piece would be in; or one that is too large."""
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
        """Take the last piece back."""
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
        """Return the moves that win, and those that lose: what they make of the mover's groups."""
        if self.winner is not None:
            return [], []
        game, mover, places_in = self.game, self.to_move, self.game.board.places_in
        opened = game.open_cells(self.stones, self.empty)
        if min(opened[0].bit_count(), opened[1].bit_count()) < 2:
            return super().threats()  # a move may leave the opponent none
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
        """Return the compiled form of how the board stands."""
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
        """Return on how many more cells the player to move wins, and loses, than the opponent."""
        game, mover = self.game, self.to_move
        ahead = 0
        for colour, sign in ((mover, 1), (1 - mover, -1)):
            stones = self.stones[colour]
            wins = self.empty & game.beside(stones, game.win - 1)
            losses = self.empty & game.beside(stones, game.lose - 1)
            ahead += sign * (3 * wins.bit_count() - losses.bit_count())
        return bounded(ahead / 40)

    def playout(self, chance: Random) -> tuple[int, int]:
        """Play at random to the end; return the winner and how many plies that took.

        What cannot be played once can never be again: it is met once, and dropped.
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
        """Return who has won where the groups of a colour are examined."""
        sizes = {group.bit_count() for group in self.game.board.groups(stones[colour])}
        if self.game.lose in sizes:
            return 1 - colour
        return colour if self.game.win in sizes else DRAW


GAME: Final = Manalath()
