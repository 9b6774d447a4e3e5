"""Yavalath, by Cameron Browne's program Ludi, 2007 (nestorgames).

Players place a stone in turn on any empty cell of a hexagonal board of 61 cells. Four or more own
stones in line win; three in line without four lose; both at once win. Second's first turn may be a
swap instead: the one stone becomes second's, where it lies. A full board without a result is a
draw.

Source: rulings in docs/explanation/rules.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from random import Random
from typing import Final, NamedTuple

from lath.games.board import Board, hexagon_of
from lath.games.core import Move, Outcome, Piece, Side, require_legal
from lath.games.errors import GameError, PositionError
from lath.games.fast import DRAW, bounded, keys, mixed
from lath.games.parameters import Parameter
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
    past_swap,
    verdict_of,
    winner_by,
)


class Yavalath(Turning):
    """The rules."""

    id = "yavalath"
    title = "Yavalath"
    parameters = (
        Parameter("size", 5, range(3, 10), "cells on a side of the board"),
        Parameter("win", 4, range(3, 9), "stones in line that win, or more"),
        Parameter("lose", 3, range(2, 6), "stones in line that lose, or more"),
    )
    credit: Final = "Cameron Browne's Ludi, 2007"
    colours: Final = ("white", "black")
    pieces: Final = (
        Piece("w", "white stone", "disc", "#ffffff"),
        Piece("b", "black stone", "disc", "#222222"),
    )

    def __init__(self, size: int = 5, win: int = 4, lose: int = 3) -> None:
        if not lose < win < 2 * lose:
            raise GameError(
                f"win is {win} and lose {lose}",
                "win to be more than lose, and less than twice as much: longer lines hold one that "
                "loses before they are finished",
            )
        if win > 2 * size - 1:
            raise GameError(f"win is {win}", f"at most {2 * size - 1}, the longest row")
        self.win: Final = win
        self.lose: Final = lose
        self.board: Final[Board] = hexagon_of(size)
        self.moves = {text: Move(text) for text in (*self.board.names, SWAP)}
        self.bits: Final = {**self.board.bit, SWAP: 1 << self.board.apart}
        """What each move is in `YavalathPosition.legal_bits`."""
        self.expected = f"expected a cell from a1 to {self.board.names[-1]}, or swap"
        self.losing_at: Final = self.board.through(self.board.lines(lose))
        self.winning_at: Final = self.board.through(self.board.lines(win))
        self.placed: Final = tuple(
            zip(self.board.name, self.losing_at.values(), self.winning_at.values(), strict=True)
        )
        """For each cell its bit, the lines through it that lose, and those that win."""

    @property
    def card(self) -> str:
        """Return the rules in a few lines."""
        win, lose = NUMBERS[self.win], NUMBERS[self.lose]
        return (
            f"{win} or more of your stones in line win; {lose} in line, without {win}, lose.\n"
            "A turn places a stone on any empty cell, such as e5, which stays there. The second "
            "player's first turn may be swap instead: the one stone on the board becomes hers.\n"
            "A full board is a draw."
        )

    def start(self, setup: str | None = None) -> YavalathPosition:
        """Return the empty board; raises SetupError for any setup."""
        if setup is not None:
            self.canonical_setup(setup)
        return YavalathPosition(self, (0, 0), 0, OPEN)

    def position(self, text: str) -> YavalathPosition:
        """Return the position that `text` describes; raises PositionError."""
        (rows,), mover = read_fields(text, ["board"], "wb")
        white, black = self.board.read_rows(rows, "wb").values()
        ahead = white.bit_count() - black.bit_count()
        if ahead != mover and not (ahead == mover - 1 and black):
            raise PositionError(
                f"{self.colours[mover]} cannot be to move with {white.bit_count()} white and "
                f"{black.bit_count()} black stones, with or without a swap"
            )
        losing = self.board.lines(self.lose)
        refuse_two_endings(losing, (white, black), mover, self.colours, "stone")
        verdict = DRAWN if white | black == self.board.full else OPEN
        theirs = (white, black)[1 - mover]
        if self.board.finished(losing, theirs):
            verdict = WON if self.board.finished(self.board.lines(self.win), theirs) else LOST
        return YavalathPosition(self, (white, black), mover, verdict)

    def fast(self, position: YavalathPosition) -> YavalathBoard:
        """Return a board for searches."""
        return YavalathBoard(position)


class _State(NamedTuple):
    """Stones of both seats, who moves, what the last move did."""

    game: Yavalath
    stones: tuple[int, int]
    mover: int
    verdict: int


class YavalathPosition(_State, Alternating):
    """A position; hashable and immutable."""

    __slots__ = ()

    @property
    def can_swap(self) -> bool:
        """Return whether this is second's first turn."""
        white, black = self.stones
        return self.mover == 1 and not black and white & (white - 1) == 0

    def outcome(self) -> Outcome | None:
        """Return how the last placement ended the game; None while it goes on."""
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
        return Outcome(winner, f"{NUMBERS[length]} in line", cells, is_loss=not won)

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
        """Return in the game's words why `move` may not be played here; None when it may."""
        if self.verdict != OPEN:
            return "the game is over"
        if move == SWAP:
            return None if self.can_swap else "swap is only for second's first turn"
        bit = self.game.board.bit.get(move)
        if bit is None:
            return f"{self.game.id} has no such move"
        return f"{move} already has a stone" if bit & sum(self.stones) else None

    def play(self, move: Move) -> YavalathPosition:
        """Return the position after `move`; raises IllegalMoveError."""
        game, (white, black), mover, verdict = self
        bit = game.board.bit.get(move)
        if bit is None or verdict != OPEN or bit & (white | black):
            require_legal(self, move)  # which nothing but a swap is
            return YavalathPosition(game, (0, white), 0, OPEN)
        mine = (black if mover else white) | bit
        stones = (white, mine) if mover else (mine, black)
        return YavalathPosition(game, stones, 1 - mover, self._made(bit, mine, stones))

    def after(self, moves: Sequence[str]) -> YavalathPosition | None:
        """Return the position after all of `moves`; None where one of them cannot be played.

        Stones stay, and so do lines: if none stands before the last move, none ended the game.
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
        mine = stones[1 - mover] + sum(bits[-1::-2])  # who played the last move
        theirs = stones[mover] + sum(bits[-2::-2])
        if (mine + theirs).bit_count() != len(bits) + sum(stones).bit_count():
            return None  # a cell twice
        if board.has_line(mine ^ last | theirs << board.apart, self.game.lose):
            return None
        stones = (mine, theirs) if mover else (theirs, mine)
        return YavalathPosition(self.game, stones, mover, self._made(last, mine, stones))

    def _made(self, bit: int, mine: int, stones: tuple[int, int]) -> int:
        for line in self.game.losing_at[bit]:
            if mine & line == line:
                won = any(mine & longer == longer for longer in self.game.winning_at[bit])
                return WON if won else LOST
        return DRAWN if stones[0] | stones[1] == self.game.board.full else OPEN

    def turned(self, mask: Callable[[int], int]) -> YavalathPosition:
        """Return the same with each set of cells where `mask` says."""
        white, black = self.stones
        return self._replace(stones=(mask(white), mask(black)))

    def text(self) -> str:
        """Return board and mover."""
        rows = self.game.board.format_rows(dict(zip("wb", self.stones, strict=True)))
        return f"{rows} {'wb'[self.mover]}"

    def layers(self) -> Iterable[tuple[str, int]]:
        """Return the cells of the stones of each seat."""
        return zip("wb", self.stones, strict=True)


class YavalathBoard(SwapBoard):
    """A board for searches: the stones of each seat are cells as `Board.bit` has them.

    The code of a cell is its place in `Board.names`; the one after the last is the swap.
    """

    game: Yavalath

    def __init__(self, position: YavalathPosition) -> None:
        game = self.game = position.game
        self.moves = (*map(Move, game.board.names), SWAP)
        self.stones = list(position.stones)
        """Of first and of second."""
        self.to_move = mover = position.mover
        self.winner = winner_by(position.verdict, mover)
        self._past: list[tuple[int, int]] = []
        self._swap = len(game.board.names)
        many = keys("yavalath", 2 * self._swap + 1)
        # A turn changes who is to move: each key of a stone has that in it.
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
        """Return whether second's first turn is over, or not to come."""
        white, black = self.stones
        return self.to_move == 0 or black != 0 or white & (white - 1) != 0

    def legal(self) -> list[int]:
        """Return the codes of the empty cells, then the swap's."""
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
        """Take the last stone or the swap back."""
        code, self.key = self._past.pop()
        mover = self.to_move = 1 - self.to_move
        self.winner = None
        if code == self._swap:
            self.stones.reverse()
        else:
            self.stones[mover] ^= self.game.placed[code][0]

    def position(self) -> YavalathPosition:
        """Return the state as a position."""
        (first, second), mover = self.stones, self.to_move
        verdict = verdict_of(self.winner, mover)
        return YavalathPosition(self.game, (first, second), mover, verdict)

    def ending_cells(self, mover: int) -> tuple[int, int]:
        """Return the empty cells where a stone of `mover` wins, and those where it loses.

        Of all cells at once: how many own stones stand in a row before and after each.
        """
        board, win, lose = self.game.board, self.game.win, self.game.lose
        mine = self.stones[mover]
        wins = losses = 0
        for step in board.directions:
            before, after = [-1], [-1]  # by how many stones at least
            for shift in range(step, win * step, step):
                before.append(before[-1] & mine << shift)
                after.append(after[-1] & mine >> shift)
            for count in range(win):
                wins |= before[count] & after[win - 1 - count]
            for count in range(lose):
                losses |= before[count] & after[lose - 1 - count]
        empty = board.full & ~(self.stones[0] | self.stones[1])
        wins &= empty
        return wins, losses & empty & ~wins

    def tables(self) -> LineTables:
        """Return the compiled form of how the board stands."""
        board, game = self.game.board, self.game
        winning, losing = board.lines(game.win), board.lines(game.lose)
        return LineTables(
            cells=self._swap,
            shapes=tuple(tuple(board.places_in(line)) for line in (*winning, *losing)),
            losing=(False,) * len(winning) + (True,) * len(losing),
            has_swap=True,
            turn_key=self._turn,
            stone_keys=self._keys,
            stones=(board.places_in(self.stones[0]), board.places_in(self.stones[1])),
        )

    def lean(self) -> float:
        """Return how many more rows a win may still come of, than of the opponent's.

        Those of which two stones are there and nobody else's; where a stone loses counts against.
        """
        mover = self.to_move
        mine, theirs = self.stones[mover], self.stones[1 - mover]
        ahead = 0
        for line in self.game.board.lines(self.game.win):
            own, other = (line & mine).bit_count(), (line & theirs).bit_count()
            if not other:
                ahead += own * own
            elif not own:
                ahead -= other * other
        lost = self.ending_cells(mover)[1].bit_count()
        their_lost = self.ending_cells(1 - mover)[1].bit_count()
        return bounded((ahead + 4 * (their_lost - lost)) / 100)

    def play_on(self, chance: Random) -> tuple[int, int]:
        """Play at random to the end; return the winner and how many plies that took."""
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
        """Do the same with `candidates`; cells where a stone wins are kept from ply to ply."""
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


GAME: Final = Yavalath()
