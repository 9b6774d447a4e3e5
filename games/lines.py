"""Games in which players place stones, and lines of stones win or lose: rules and fast boards.

A game is a subclass of `LineGame` with a board and the lengths of its lines:

    class Squava(LineGame):
        id, title, credit = "squava", "Squava", "Nestor Romeral Andres, 2012"

        def __init__(self):
            super().__init__(squares(5), win=4, lose=3)

The lengths and the size of the board are parameters of the game, as in `squava.py:size=6,win=5`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import cached_property, partial
from random import Random
from typing import Any, ClassVar, Final, NamedTuple, Self

from lath.games.authors import NOT_OF_LINES, OF_LINES, Authored
from lath.games.board import Board, hexagon_of, rhombus, squares, triangle
from lath.games.capabilities import own_card
from lath.games.core import Move, Outcome, Side, require_legal
from lath.games.errors import GameError, PositionError
from lath.games.fast import DRAW, bounded, keys, mixed
from lath.games.parameters import Parameter, earlier_variants, title_of
from lath.games.reach import read_fields, refuse_two_endings
from lath.games.stones import (
    DRAWN,
    LOST,
    NUMBERS,
    OPEN,
    SWAP,
    WON,
    Alternating,
    LineTables,
    SwapBoard,
    Turning,
    discs_of,
    halfway,
    letters_of,
    past_swap,
    verdict_of,
    winner_by,
)

_BOARDS: Final[tuple[Callable[[int], Board], ...]] = (
    squares,
    partial(squares, diagonals=False),
    hexagon_of,
    rhombus,
    triangle,
)
"""The boards of one size: cells on a side."""

_LONGEST: Final = 9
"""The largest size and length among the parameters, unless a game's own board has more."""


def _sized(board: Board) -> tuple[Callable[[int], Board], int] | None:
    """Return the function and size that make a board; None for a board of no single size."""
    count = len(board.rows)
    for make in _BOARDS:
        size = (count + 1) // 2 if make is hexagon_of else count
        with suppress(GameError):  # too many rows for a function
            one = make(size)
            is_same = (one.names, one.centres) == (board.names, board.centres)
            if is_same and one.lines(2) == board.lines(2):
                return make, size
    return None


def _longest(board: Board) -> int:
    """Return the length of the longest line."""
    return next(n for n in range(len(board.names), 0, -1) if board.lines(n))


class LineGame(Authored, Turning):
    """A game of stones placed in turn on empty cells; lines of stones win or lose.

    A full board without a result is a draw. The board's rotations and reflections are symmetries.
    """

    kinds = OF_LINES
    foreign = NOT_OF_LINES
    colours = ("white", "black")
    has_swap: ClassVar[bool] = False
    """True if the second player's first turn can be a swap: the first stone changes its owner."""

    def __init__(self, board: Board, *, win: int = 0, lose: int = 0) -> None:
        """Take the board and the lengths of lines that win and lose: so many stones, or more.

        0 means that no line wins, or that none loses. A stone that makes both lines wins. Raises
        GameError if both lengths are 0, or if a line that wins can be made only by a stone that
        joins lines that lose.
        """
        for name, length in (("win", win), ("lose", lose)):
            if not isinstance(length, int) or length < 0:
                raise GameError(f"{name} is {length!r}", "the length of a line, or 0")
        if not win and not lose:
            raise GameError("win and lose are 0", "the length of a line")
        if win and lose and not lose < win < 2 * lose:
            raise GameError(
                f"win is {win} and lose is {lose}",
                "win greater than lose and less than 2 × lose",
            )
        self.board: Final[Board] = board
        self.pieces: Final = discs_of(self.colours, "stone")
        self.codes: Final = letters_of(self.colours)
        if not board.lines(max(win, lose)):
            raise GameError(
                f"{'win' if win else 'lose'} is {win or lose}",
                f"at most {_longest(board)}, the longest row",
            )
        self.win: Final = win
        self.lose: Final = lose
        self.shortest: Final = lose or win
        """The length of the lines that end the game."""
        self.moves = {text: Move(text) for text in board.names}
        self.bits: Final = dict(board.bit)
        """The bit of each move in `LinePosition.legal_bits`."""
        self.expected = f"expected a cell from a1 to {board.names[-1]}"
        if self.has_swap:
            self.moves[SWAP] = SWAP
            self.bits[SWAP] = 1 << board.apart
            self.expected += ", or swap"
        self.lengths: Final = tuple(filter(None, (win, lose)))
        self.ending_lines: Final = board.lines(self.shortest)
        self.winning_lines: Final = board.lines(win) if win else ()
        self.ending_at: Final = board.through(self.ending_lines)
        self.winning_at: Final = board.through(self.winning_lines)
        self.placed: Final = tuple(
            zip(board.name, self.ending_at.values(), self.winning_at.values(), strict=True)
        )
        """The bit of each cell, the lines through it that end the game, and the winning lines."""

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:  # type: ignore[override]  # a class can have its own
        """Return the lengths of lines and, if the board has one size, that of the board."""
        sized, longest = _sized(self.board), _longest(self.board)
        lengths = (0, *range(2, (max(longest, _LONGEST) if sized else longest) + 1))
        found = [
            Parameter("win", self.win, lengths, "length of a line that wins, or more; 0 for none"),
            Parameter(
                "lose", self.lose, lengths, "length of a line that loses, or more; 0 for none"
            ),
        ]
        if sized is not None:
            sizes = range(2, max(sized[1], _LONGEST) + 1)
            found.insert(0, Parameter("size", sized[1], sizes, "cells on a side of the board"))
        return tuple(found)

    def variant(self, game_id: str, **values: Any) -> Self:
        """Return the game with these values and this id. Raises ValueError if values clash."""
        if not isinstance(type(self).parameters, cached_property):
            return super().variant(game_id, **values)
        board, sized = self.board, _sized(self.board)
        if sized is not None and "size" in values:
            board = sized[0](values["size"])
        game = object.__new__(type(self))  # the class may take no arguments, or others
        kind: Any = type(self)
        for name, value in vars(self).items():
            if not isinstance(getattr(kind, name, None), cached_property):  # of this board
                game.__dict__[name] = value
        game.__dict__["parameters"] = self.parameters
        LineGame.__init__(
            game, board, win=values.get("win", self.win), lose=values.get("lose", self.lose)
        )
        game.__dict__.update(
            id=game_id,
            title=title_of(self.title, game_id),
            earlier=earlier_variants(self.earlier, game_id, values),
        )
        if own_card(self) is None:
            game.__dict__["card"] = game.line_card  # the docstring has the lengths of this game
        return game

    @property
    def line_card(self) -> str:
        """Return the rules in a few lines, with the lengths of lines."""
        win, lose = (NUMBERS.get(length, str(length)) for length in (self.win, self.lose))
        middle = self.board.names[len(self.board.names) // 2]
        goal = f"{win} or more of your stones in line win"
        if self.lose:
            other = f", without {win}," if self.win else " or more of your stones in line"
            goal = f"{goal}; {lose} in line{other} lose" if self.win else f"{lose}{other} lose"
        swap = (
            " The second player's first turn may be swap instead: it takes over the first "
            "player's stone."
        )
        return (
            f"{goal}.\n"
            f"On your turn, place a stone on any empty cell, such as {middle}."
            f"{swap if self.has_swap else ''}\nA full board is a draw."
        )

    def start(self, setup: str | None = None) -> LinePosition:
        """Return the empty board. Raises SetupError for any setup."""
        if setup is not None:
            self.canonical_setup(setup)
        return LinePosition(self, (0, 0), 0, OPEN)

    def position(self, text: str) -> LinePosition:
        """Return the position that `text` describes. Raises PositionError with the reason."""
        (rows,), mover = read_fields(text, ["board"], self.codes)
        stones = tuple(self.board.read_rows(rows, self.codes).values())
        ahead = stones[0].bit_count() - stones[1].bit_count()
        if ahead != mover and not (self.has_swap and ahead == mover - 1 and stones[1]):
            counts = " and ".join(
                f"{mask.bit_count()} {colour}"
                for mask, colour in zip(stones, self.colours, strict=True)
            )
            swap = ", with or without a swap" if self.has_swap else ""
            raise PositionError(
                f"{self.colours[mover]} cannot be to move with {counts} stones{swap}"
            )
        refuse_two_endings(self.ending_lines, (stones[0], stones[1]), mover, self.colours, "stone")
        verdict = DRAWN if sum(stones) == self.board.full else OPEN
        theirs = stones[1 - mover]
        if self.board.finished(self.ending_lines, theirs):
            verdict = WON if self.board.finished(self.winning_lines, theirs) else LOST
        return LinePosition(self, (stones[0], stones[1]), mover, verdict)

    def fast(self, position: LinePosition) -> LineBoard:
        """Return a board for searches."""
        return LineBoard(position)


class _State(NamedTuple):
    """Stones of both players, the side to move, and the verdict on the last move."""

    game: LineGame
    stones: tuple[int, int]
    mover: int
    verdict: int


class LinePosition(_State, Alternating):
    """A position of a `LineGame`; hashable and immutable."""

    __slots__ = ()

    @property
    def can_swap(self) -> bool:
        """Return whether this is the second player's first turn."""
        white, black = self.stones
        is_first = self.mover == 1 and not black and white & (white - 1) == 0
        return is_first and self.game.has_swap

    def outcome(self) -> Outcome | None:
        """Return how the last placement ended the game; None while it is not over."""
        if self.verdict == OPEN:
            return None
        if self.verdict == DRAWN:
            return Outcome(None, "board full")
        last = Side(1 - self.mover)
        game, won = self.game, self.verdict == WON
        length = game.win if won else game.lose
        lines = game.board.finished(game.board.lines(length), self.stones[last])
        winner = last if won else last.other
        cells = game.board.names_of(lines)
        words = f"{NUMBERS.get(length, length)} in line"
        return Outcome(winner, words, cells, is_loss=not won)

    def legal_moves(self) -> tuple[Move, ...]:
        """Return the placements by cell, then swap."""
        if self.verdict != OPEN:
            return ()
        board = self.game.board
        moves: list[Move] = board.names_in(board.full & ~sum(self.stones))  # type: ignore[assignment]
        if self.can_swap:
            moves.append(SWAP)
        return tuple(moves)

    @property
    def legal_bits(self) -> int:
        """Return the bits of the legal moves."""
        if self.verdict != OPEN:
            return 0
        game = self.game
        return game.board.full & ~sum(self.stones) | (game.bits[SWAP] if self.can_swap else 0)

    def why_illegal(self, move: Move) -> str | None:
        """Return in the game's words why `move` is illegal here; None if it is legal."""
        if self.verdict != OPEN:
            return "the game is over"
        if move == SWAP and self.game.has_swap:
            return (
                None if self.can_swap else "swap is allowed only as the second player's first turn"
            )
        bit = self.game.board.bit.get(move)
        if bit is None:
            return f"{self.game.id} does not have this move"
        return f"{move} already has a stone" if bit & sum(self.stones) else None

    def play(self, move: Move) -> LinePosition:
        """Return the position after `move`. Raises IllegalMoveError if it is illegal."""
        game, (white, black), mover, verdict = self
        bit = game.board.bit.get(move)
        if bit is None or verdict != OPEN or bit & (white | black):
            require_legal(self, move)  # only a swap passes this
            return LinePosition(game, (0, white), 0, OPEN)
        mine = (black if mover else white) | bit
        stones = (white, mine) if mover else (mine, black)
        return LinePosition(game, stones, 1 - mover, self._made(bit, mine, stones))

    def after(self, moves: Sequence[str]) -> LinePosition | None:
        """Return the position after `moves`; None if one of them is illegal.

        Stones stay, and so do lines: if no line exists before the last move, no earlier one ended
        the game.
        """
        start, moves = past_swap(self, moves)
        if start is None or not moves or start.verdict != OPEN:
            return None if moves else start
        board, stones = self.game.board, start.stones
        try:
            bits = list(map(board.bit.__getitem__, moves))
        except KeyError:
            return None
        last, mover = bits[-1], start.mover ^ len(bits) & 1
        mine = stones[1 - mover] + sum(bits[-1::-2])  # of the player of the last move
        theirs = stones[mover] + sum(bits[-2::-2])
        if (mine + theirs).bit_count() != len(bits) + sum(stones).bit_count():
            return None  # a cell is used twice
        if board.has_line(mine ^ last | theirs << board.apart, self.game.shortest):
            return None
        stones = (mine, theirs) if mover else (theirs, mine)
        return LinePosition(self.game, stones, mover, self._made(last, mine, stones))

    def _made(self, bit: int, mine: int, stones: tuple[int, int]) -> int:
        for line in self.game.ending_at[bit]:
            if mine & line == line:
                won = any(mine & longer == longer for longer in self.game.winning_at[bit])
                return WON if won else LOST
        return DRAWN if stones[0] | stones[1] == self.game.board.full else OPEN

    def turned(self, mask: Callable[[int], int]) -> LinePosition:
        """Return the position with `mask` applied to each set of cells."""
        white, black = self.stones
        return self._replace(stones=(mask(white), mask(black)))

    def text(self) -> str:
        """Return the board and the side to move as text."""
        codes = self.game.codes
        rows = self.game.board.format_rows(dict(zip(codes, self.stones, strict=True)))
        return f"{rows} {codes[self.mover]}"

    def layers(self) -> Iterable[tuple[str, int]]:
        """Return the cells of the stones of each player."""
        return zip(self.game.codes, self.stones, strict=True)


class LineBoard(SwapBoard):
    """A board for searches, with the stones of each player as a mask of `Board.bit`.

    The code of a cell is its place in `Board.names`; the code after the last cell is the swap.
    """

    game: LineGame

    def __init__(self, position: LinePosition) -> None:
        game = self.game = position.game
        self.moves = tuple(game.moves.values())
        self.stones = list(position.stones)
        """The stones of the first and the second player."""
        self.to_move = mover = position.mover
        self.winner = winner_by(position.verdict, mover)
        self._past: list[tuple[int, int]] = []
        self._swap = len(game.board.names)
        many = keys("lines", 2 * self._swap + 1)
        # Every turn changes the side to move, so each stone's key includes that change.
        self._turn = many[-1]
        self._keys = (
            [key ^ self._turn for key in many[::2]],
            [key ^ self._turn for key in many[1::2]],
        )
        self.key = self._turn if mover else 0
        for seat, stones in enumerate(self.stones):
            self.key ^= mixed(many[seat::2], game.board.places_in(stones))

    @property
    def has_begun(self) -> bool:
        """Return whether the second player's first turn is over."""
        white, black = self.stones
        is_first = self.to_move == 1 and not black and white & (white - 1) == 0
        return not is_first or not self.game.has_swap

    def legal(self) -> list[int]:
        """Return the codes of the empty cells, then the code of the swap."""
        if self.winner is not None:
            return []
        white, black = self.stones
        board = self.game.board
        codes = board.places_in(board.full & ~(white | black))
        if not black and not self.has_begun:
            codes.append(self._swap)
        return codes

    def play(self, code: int) -> None:
        """Place a stone, or swap."""
        mover, stones = self.to_move, self.stones
        self._past.append((code, self.key))
        self.to_move = 1 - mover
        if code == self._swap:
            stones.reverse()
            (first,) = self.game.board.places_in(stones[1])
            self.key ^= self._keys[0][first] ^ self._keys[1][first] ^ self._turn
            return
        bit, lines, longer = self.game.placed[code]
        mine = stones[mover] = stones[mover] | bit
        self.key ^= self._keys[mover][code]
        for line in lines:
            if mine & line == line:
                self.winner = mover if any(mine & line == line for line in longer) else 1 - mover
                return
        if mine | stones[1 - mover] == self.game.board.full:
            self.winner = DRAW

    def undo(self) -> None:
        """Take back the last stone or the swap."""
        code, self.key = self._past.pop()
        mover = self.to_move = 1 - self.to_move
        self.winner = None
        if code == self._swap:
            self.stones.reverse()
        else:
            self.stones[mover] ^= self.game.placed[code][0]

    def position(self) -> LinePosition:
        """Return the state as a position."""
        (first, second), mover = self.stones, self.to_move
        verdict = verdict_of(self.winner, mover)
        return LinePosition(self.game, (first, second), mover, verdict)

    def ending_cells(self, mover: int) -> tuple[int, int]:
        """Return the empty cells where a stone of `mover` wins, and those where it loses."""
        game, theirs = self.game, self.stones[1 - mover]
        found = game.board.completing_each(self.stones[mover], game.lengths)
        wins = found[0] & ~theirs if game.win else 0
        losses = found[-1] & ~(theirs | wins) if game.lose else 0
        return wins, losses

    def pressing(self) -> list[int] | None:
        """Return the cells where a stone threatens to complete a line of the winning length."""
        mover, game = self.to_move, self.game
        wins, losses = self.ending_cells(mover)
        if wins or self.ending_cells(1 - mover)[0]:
            return None
        free = game.board.full & ~(self.stones[0] | self.stones[1])
        return game.board.places_in(halfway(self.stones[mover], free, game.winning_lines) & ~losses)

    def plies_left(self) -> int:
        """Return the number of empty cells, plus one for a swap that is still possible."""
        white, black = self.stones
        may_swap = self.game.has_swap and not black and white & (white - 1) == 0
        return len(self.game.board.names) - (white | black).bit_count() + may_swap

    def tables(self) -> LineTables:
        """Return the state for compiled searches."""
        board, game = self.game.board, self.game
        winning, losing = game.winning_lines, game.ending_lines if game.lose else ()
        return LineTables(
            cells=self._swap,
            shapes=tuple(tuple(board.places_in(line)) for line in (*winning, *losing)),
            losing=(False,) * len(winning) + (True,) * len(losing),
            has_swap=game.has_swap,
            turn_key=self._turn,
            stone_keys=self._keys,
            stones=(board.places_in(self.stones[0]), board.places_in(self.stones[1])),
        )

    def lean(self) -> float:
        """Return an estimate from the lines that only one player has stones in.

        Cells where a stone would lose count against their player.
        """
        mover = self.to_move
        mine, theirs = self.stones[mover], self.stones[1 - mover]
        ahead = 0
        for line in self.game.winning_lines:
            own, other = (line & mine).bit_count(), (line & theirs).bit_count()
            if not other:
                ahead += own * own
            elif not own:
                ahead -= other * other
        lost = self.ending_cells(mover)[1].bit_count()
        their_lost = self.ending_cells(1 - mover)[1].bit_count()
        return bounded((ahead + 4 * (their_lost - lost)) / 100)

    def play_on(self, chance: Random) -> tuple[int, int]:
        """Return the winner and number of plies of a random game."""
        placed, random = self.game.placed, chance.random
        mover = self.to_move
        mine, theirs = self.stones[mover], self.stones[1 - mover]
        free = self.legal()
        for left in range(len(free), 0, -1):
            self.check()
            pick = int(random() * left)
            code = free[pick]
            free[pick] = free[left - 1]
            bit, lines, longer = placed[code]
            mine |= bit
            for line in lines:
                if mine & line == line:
                    has_won = any(mine & line == line for line in longer)
                    return mover if has_won else 1 - mover, len(free) - left + 1
            mine, theirs, mover = theirs, mine, 1 - mover
        return DRAW, len(free)

    def play_on_with_care(self, chance: Random) -> tuple[int, int]:
        """Return the winner and plies of a random game of `candidates`.

        The cells where a stone wins are kept from ply to ply.
        """
        placed, random, places_in = self.game.placed, chance.random, self.game.board.places_in
        mover = self.to_move
        mine, theirs = self.stones[mover], self.stones[1 - mover]
        wins, their_wins = self.ending_cells(mover)[0], self.ending_cells(1 - mover)[0]
        free = self.legal()
        empty = self.game.board.full & ~(mine | theirs)
        for left in range(len(free), 0, -1):
            self.check()
            if wins:
                return mover, len(free) - left + 1
            forced = places_in(their_wins) if their_wins else []
            choice, count = (forced, len(forced)) if forced else (free, left)
            while True:
                pick = int(random() * count)
                code = choice[pick]
                bit, lines, longer = placed[code]
                with_it = mine | bit
                for line in lines:
                    if with_it & line == line:
                        break  # it loses, since no cell wins
                else:
                    break
                count -= 1
                if not count:
                    can_wait = forced and not all(self._ends(mine, one) for one in free[:left])
                    return 1 - mover, len(free) - left + (2 if can_wait else 1)
                choice[pick], choice[count] = choice[count], code
            if forced:
                pick = free.index(code)
            free[pick] = free[left - 1]
            free[left - 1] = -1
            empty ^= bit
            for line in longer:
                missing = line & ~with_it
                if missing & empty and missing & (missing - 1) == 0:
                    wins |= missing
            mine, theirs, mover = theirs, with_it, 1 - mover
            wins, their_wins = their_wins & empty, wins
        return DRAW, len(free)

    def _ends(self, mine: int, code: int) -> bool:
        """Return whether one more stone finishes a row, short or long."""
        bit, lines, _ = self.game.placed[code]
        return any((mine | bit) & line == line for line in lines)
