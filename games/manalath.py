"""Manalath, by Dieter Stein and Nestor Romeral Andres, 2012 (nestorgames).

In a turn a player enters one piece of either colour, 25 of each being in the box, on an empty cell
of a hexagonal board of 70 cells; a placement that makes a group of more than five pieces of one
colour is forbidden. At the end of a turn the mover's own colour is examined over the whole board: a
group of exactly four loses, otherwise a group of exactly five wins; both at once lose. A player
without a legal move is examined in the same way, neither group making a draw. As a variant, one to
three cells are blocked by green pieces before the game begins.

Source: rulebook by nestorgames; rulings in docs/rules.md. `manalath_61.py` is the board of the
online servers.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Final, NamedTuple

from lath.games.board import Board, hexagon
from lath.games.core import Move, Outcome, Piece, Seat, one_by_one, require_legal
from lath.games.errors import MoveSyntaxError, PositionError, SetupError
from lath.games.overlays import Groups
from lath.games.stones import DRAWN, LOST, OPEN, WON, Judged, Rules, read_fields, refuse_more

_LOSING, _WINNING = 4, 5
"""Sizes of groups; the second is also the largest allowed."""

MAX_BLOCKERS: Final = 3

_STUCK_WON, _STUCK_LOST = 4, 5
"""Verdicts on the player to move who has no legal move; who has no large group has DRAWN."""

Big = tuple[tuple[int, int], tuple[int, int]]
"""For each colour the cells in groups of four and the cells in groups of five."""


class Manalath(Rules):
    """The rules on one board."""

    colours: Final = ("orange", "purple")
    credit: Final = "Dieter Stein and Nestor Romeral Andres, 2012"
    has_setups = True
    pieces: Final = (
        Piece("o", "orange piece", "disc", "#ee8a1d"),
        Piece("p", "purple piece", "disc", "#7d3c98"),
        Piece("g", "green blocker", "block", "#3f9142"),
    )
    overlays: Final = (Groups("op"),)

    def __init__(
        self, *, game_id: str, title: str, row_lengths: tuple[int, ...], supply: int | None
    ) -> None:
        self.id: Final = game_id
        self.title: Final = title
        self.board: Final[Board] = hexagon(row_lengths)
        self.supply: Final = len(self.board.names) if supply is None else supply
        """Pieces of each colour in the box."""

    @cached_property
    def placements(self) -> dict[Move, tuple[int, int]]:
        """The colour (0 orange, 1 purple) and the cell of every move, in canonical order."""
        return {
            Move(letter + name): (colour, bit)
            for name, bit in self.board.bit.items()
            for colour, letter in enumerate("OP")
        }

    @cached_property
    def paired(self) -> dict[str, int]:
        """The cell of every move, orange's as they are and purple's shifted by `Board.apart`."""
        return {
            move: bit << self.board.apart * colour
            for move, (colour, bit) in self.placements.items()
        }

    @cached_property
    def move_of(self) -> tuple[dict[int, Move], dict[int, Move]]:
        """For each colour the move that places it on a cell, by the cell's bit."""
        by_colour: tuple[dict[int, Move], dict[int, Move]] = ({}, {})
        for move, (colour, bit) in self.placements.items():
            by_colour[colour][bit] = move
        return by_colour

    def canonical(self, text: str) -> Move:
        """Return the one way to write the move; raises MoveSyntaxError."""
        if text in self.board.bit:
            raise MoveSyntaxError(text, f"expected the colour first, O{text} or P{text}")
        if text not in self.placements:
            raise MoveSyntaxError(
                text, f"expected O or P and a cell from a1 to {self.board.names[-1]}"
            )
        return Move(text)

    def draw_setup(self, seed: int) -> str:
        """Return none to three blockers, number and cells drawn from `seed`."""
        chance = random.Random(f"{self.id} {seed}")
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
                raise SetupError(
                    f"setup {setup!r} has {name!r}, expected - or cells from a1 to "
                    f"{self.board.names[-1]} with one blank between"
                )
            if blockers & bit:
                raise SetupError(f"setup {setup!r} names {name} twice")
            blockers |= bit
        if blockers.bit_count() > MAX_BLOCKERS:
            raise SetupError(f"setup {setup!r} has more than {MAX_BLOCKERS} blockers")
        return blockers

    def start(self, setup: str | None = None) -> ManalathPosition:
        """Return the first position, without blockers unless `setup` names some."""
        blockers = 0 if setup is None else self._read_setup(setup)
        return ManalathPosition(self, (0, 0), blockers, 0, ((0, 0), (0, 0)), OPEN)

    def position(self, text: str) -> ManalathPosition:
        """Return the position that `text` describes; raises PositionError."""
        (rows,), mover = read_fields(text, ["board"], "op")
        orange, purple, blockers = self.board.read_rows(rows, "opg").values()
        stones = (orange, purple)
        self._refuse_counts(stones, blockers, mover)
        big = (self._big(orange), self._big(purple))
        if any(map(any, big)):
            self._refuse_groups(stones, mover)
        return ManalathPosition(self, stones, blockers, mover, big, OPEN).judged()

    def _refuse_counts(self, stones: tuple[int, int], blockers: int, mover: int) -> None:
        refuse_more(blockers.bit_count(), MAX_BLOCKERS, "green blockers")
        for colour, mask in zip(self.colours, stones, strict=True):
            refuse_more(mask.bit_count(), self.supply, f"{colour} pieces")
            for group in self.board.groups(mask):
                if group.bit_count() > _WINNING:
                    raise PositionError(
                        f"a group of {group.bit_count()} {colour} pieces at "
                        f"{self.board.names_in(group)[0]}, expected at most {_WINNING}"
                    )
        count = (stones[0] | stones[1]).bit_count()
        if count % 2 != mover:
            parity = ("an even", "an odd")[count % 2]
            raise PositionError(
                f"{self.colours[mover]} cannot be to move with {parity} number of pieces on the "
                f"board, {count}"
            )

    def _big(self, stones: int) -> tuple[int, int]:
        """Return the cells in groups of four and those in groups of five."""
        fours = fives = 0
        for group in self.board.groups(stones):
            size = group.bit_count()
            if size == _LOSING:
                fours |= group
            elif size == _WINNING:
                fives |= group
        return fours, fives

    def _refuse_groups(self, stones: tuple[int, int], mover: int) -> None:
        """Refuse groups of four and five that must have ended the game before the last turn.

        Before its last two placements the position had none, for each player is examined at the
        end of each turn, and pieces never leave.
        """
        for before in self._takebacks(stones):
            if any(self._big(before[mover])):
                continue  # the player now to move had lost or won at the end of the turn before
            if not any(self._big(before[1 - mover])):
                return
            if any(
                not any(self._big(earlier[0])) and not any(self._big(earlier[1]))
                for earlier in self._takebacks(before)
            ):
                return
        raise PositionError(
            "groups of four or five that no two last turns made: the game was over before"
        )

    def _takebacks(self, stones: tuple[int, int]) -> Iterator[tuple[int, int]]:
        """Yield what can have lain there a turn before."""
        orange, purple = stones
        for bit in self.board.bits(orange):
            yield orange ^ bit, purple
        for bit in self.board.bits(purple):
            yield orange, purple ^ bit


class _State(NamedTuple):
    """Pieces by colour, blockers, who moves, large groups by colour, how the game ended."""

    game: Manalath
    stones: tuple[int, int]
    blockers: int
    mover: int
    big: Big
    verdict: int


class ManalathPosition(_State, Judged):
    """A position; hashable and immutable."""

    __slots__ = ()

    RESULTS = (*Judged.RESULTS, ("1-0", "0-1"), ("0-1", "1-0"))

    def judged(self) -> ManalathPosition:
        """Return this position with the verdict that its groups and moves call for."""
        fours, fives = self.big[1 - self.mover]
        if fours:
            return self._with(LOST)
        if fives:
            return self._with(WON)
        if self._can_move():
            return self
        fours, fives = self.big[self.mover]
        return self._with(_STUCK_LOST if fours else _STUCK_WON if fives else DRAWN)

    def _with(self, verdict: int) -> ManalathPosition:
        return ManalathPosition(*self[:-1], verdict)

    def _can_move(self) -> bool:
        board = self.game.board
        empty = self._empty
        for mask in self.stones:
            if mask.bit_count() < self.game.supply and empty & ~board.around(mask):
                return True
        return any(self._open_cells(colour) for colour in (0, 1))

    @property
    def _empty(self) -> int:
        return self.game.board.full & ~(self.stones[0] | self.stones[1] | self.blockers)

    def _open_cells(self, colour: int) -> int:
        """Return the empty cells where a piece of `colour` makes no group of more than five.

        The sizes of the groups next to a cell are added up for all cells at once, in three
        planes of bits and one for what overflows them.
        """
        mine = self.stones[colour]
        if mine.bit_count() >= self.game.supply:
            return 0
        board = self.game.board
        ones = twos = fours = over = 0
        for group in board.groups(mine):
            near = board.around(group)
            size = group.bit_count()
            carry = 0
            if size & 1:
                carry, ones = ones & near, ones ^ near
            if size & 2:
                carry, twos = (twos & near) | (twos ^ near) & carry, twos ^ near ^ carry
            else:
                carry, twos = twos & carry, twos ^ carry
            if size & 4:
                carry, fours = (fours & near) | (fours ^ near) & carry, fours ^ near ^ carry
            else:
                carry, fours = fours & carry, fours ^ carry
            over |= carry
        return self._empty & ~(over | fours & (ones | twos))

    def outcome(self) -> Outcome | None:
        """Return how the game ended; None while it goes on."""
        if self.verdict == OPEN:
            return None
        last, stuck = Seat(1 - self.mover), Seat(self.mover)
        names = self.game.board.names_in
        if self.verdict == LOST:
            return Outcome(last.other, "group of four", tuple(names(self.big[last][0])))
        if self.verdict == WON:
            return Outcome(last, "group of five", tuple(names(self.big[last][1])))
        if self.verdict == _STUCK_LOST:
            cells = tuple(names(self.big[stuck][0]))
            return Outcome(stuck.other, "no move, group of four", cells)
        if self.verdict == _STUCK_WON:
            return Outcome(stuck, "no move, group of five", tuple(names(self.big[stuck][1])))
        return Outcome(None, "no move")

    def legal_moves(self) -> tuple[Move, ...]:
        """Return the placements by cell, orange before purple."""
        if self.verdict != OPEN:
            return ()
        orange, purple = self._open_cells(0), self._open_cells(1)
        as_orange, as_purple = self.game.move_of
        moves = []
        for bit in self.game.board.bits(orange | purple):
            if orange & bit:
                moves.append(as_orange[bit])
            if purple & bit:
                moves.append(as_purple[bit])
        return tuple(moves)

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
        size = self._joined(colour, bit).bit_count()
        if size > _WINNING:
            return f"{word} on {cell} would make a group of {size}, more than {_WINNING}"
        return None

    def _joined(self, colour: int, bit: int) -> int:
        """Return the group that a piece of `colour` on `bit` would belong to."""
        return self.game.board.group(self.stones[colour] | bit, bit)

    def play(self, move: Move) -> ManalathPosition:
        """Return the position after `move`; raises IllegalMoveError."""
        require_legal(self, move)
        colour, bit = self.game.placements[move]
        group = self._joined(colour, bit)
        size = group.bit_count()
        fours, fives = self.big[colour]
        fours = fours & ~group | (group if size == _LOSING else 0)
        fives |= group if size == _WINNING else 0
        orange, purple = self.stones
        large = (fours, fives)
        if colour:
            stones, big = (orange, purple | bit), (self.big[0], large)
        else:
            stones, big = (orange | bit, purple), (large, self.big[1])
        mover = 1 - self.mover
        return ManalathPosition(self.game, stones, self.blockers, mover, big, OPEN).judged()

    def after(self, moves: Sequence[str]) -> ManalathPosition | None:
        """Return the position after all of `moves`; None where one of them cannot be played.

        Pieces stay, and groups only grow: if none of a player's groups is larger than three after
        her last turn but one, no turn before ended the game. Who could move was not stuck.
        """
        if len(moves) < 3 or self.verdict != OPEN:
            return one_by_one(self, moves)
        game = self.game
        try:
            bits = list(map(game.paired.__getitem__, moves))
        except KeyError:
            return None
        base = self.stones[0] | self.stones[1] << game.board.apart
        all_bits = base + sum(bits)
        orange, purple = all_bits & game.board.full, all_bits >> game.board.apart
        count = base.bit_count() + len(bits)
        if all_bits.bit_count() != count or (orange | purple | self.blockers).bit_count() != (
            count + self.blockers.bit_count()
        ):
            return None  # a cell twice
        if orange.bit_count() > game.supply or purple.bit_count() > game.supply:
            return None
        mover = self.mover ^ len(bits) & 1
        return self._after_turns((orange, purple), mover, bits[-1], bits[-2])

    def _after_turns(
        self, stones: tuple[int, int], mover: int, last: int, last_but_one: int
    ) -> ManalathPosition | None:
        """Return the position with these pieces, `last` and `last_but_one` having come last."""
        game, board = self.game, self.game.board
        apart = board.apart
        both = stones[0] | stones[1] << apart
        # Theirs without the last piece, mine without the last two: after the turns of each.
        before = both & ~last
        if mover:
            settled = before >> apart << apart | (before & ~last_but_one & board.full)
        else:
            settled = before & board.full | (before & ~last_but_one) >> apart << apart
        if board.has_group_over_three(settled):
            return None
        # All larger groups came with the last two pieces.
        fours, fives = [0, 0], [0, 0]
        for new in (last_but_one, last):
            colour = 1 if new >> apart else 0
            group = board.group(stones[colour], new >> apart if colour else new)
            size = group.bit_count()
            if size > _WINNING:
                return None
            if size == _LOSING:
                fours[colour] |= group
            elif size == _WINNING:
                fives[colour] |= group
        big = ((fours[0], fives[0]), (fours[1], fives[1]))
        position = ManalathPosition(game, stones, self.blockers, mover, big, OPEN)
        return position.judged()

    def text(self) -> str:
        """Return board and mover."""
        layers = {"o": self.stones[0], "p": self.stones[1], "g": self.blockers}
        return f"{self.game.board.format_rows(layers)} {'op'[self.mover]}"

    def contents(self) -> tuple[str, ...]:
        """Return the piece of each cell."""
        orange, purple = self.stones
        return tuple(
            "o" if orange & bit else "p" if purple & bit else "g" if self.blockers & bit else ""
            for bit in self.game.board.name
        )


GAME: Final = Manalath(
    game_id="manalath",
    title="Manalath",
    row_lengths=(6, 7, 8, 9, 10, 9, 8, 7, 6),
    supply=25,
)
