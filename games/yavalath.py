"""Yavalath, by Cameron Browne's program Ludi, 2007 (nestorgames).

Players take turns to place a stone on any empty cell of a hexagonal board of 61 cells. Four or more
own stones in line win. Three in line without four lose. A stone that makes both wins. The second
player's first turn can be a swap instead: the stone on the board becomes the second player's. A
full board without a result is a draw.

Source: the rulings in docs/explanation/rules.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from random import Random
from typing import Final, NamedTuple

from lath.games.board import Board, hexagon_of
from lath.games.core import Lesson, Move, Outcome, Piece, Side, require_legal
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
    bystanders,
    past_swap,
    shown_moves,
    verdict_of,
    winner_by,
)


class Yavalath(Turning):
    """The rules of Yavalath."""

    id = "yavalath"
    title = "Yavalath"
    parameters = (
        Parameter("size", 5, range(3, 10), "cells on a side of the board"),
        Parameter("win", 4, range(3, 9), "length of a line that wins, or more"),
        Parameter("lose", 3, range(2, 6), "length of a line that loses, or more"),
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
                f"win is {win} and lose is {lose}",
                "win greater than lose and less than 2 × lose",
            )
        if win > 2 * size - 1:
            raise GameError(f"win is {win}", f"at most {2 * size - 1}, the longest row")
        self.win: Final = win
        self.lose: Final = lose
        self.lengths: Final = (win, lose)
        self.board: Final[Board] = hexagon_of(size)
        self.moves = {text: Move(text) for text in (*self.board.names, SWAP)}
        self.bits: Final = {**self.board.bit, SWAP: 1 << self.board.apart}
        """The bit of each move in `YavalathPosition.legal_bits`."""
        self.expected = f"expected a cell from a1 to {self.board.names[-1]}, or swap"
        self.losing_at: Final = self.board.through(self.board.lines(lose))
        self.winning_at: Final = self.board.through(self.board.lines(win))
        self.placed: Final = tuple(
            zip(self.board.name, self.losing_at.values(), self.winning_at.values(), strict=True)
        )
        """The bit of each cell, the losing lines through it, and the winning lines."""

    @property
    def card(self) -> str:
        """Return the rules in a few lines."""
        win, lose = NUMBERS[self.win], NUMBERS[self.lose]
        return (
            f"{win} or more of your stones in line win; {lose} in line, without {win}, lose.\n"
            "On your turn, place a stone on any empty cell, such as e5. The second "
            "player's first turn may be swap instead: it takes over the first player's stone.\n"
            "A full board is a draw."
        )

    @property
    def lessons(self) -> tuple[Lesson, ...]:
        """Return the lines that win and lose, a forced loss, and the swap."""
        board, win, lose = self.board, self.win, self.lose
        many, few = NUMBERS[win], NUMBERS[lose]
        longest = max(board.rows, key=len)
        row = longest[(len(longest) - win) // 2 :][:win]
        gap = row[win - lose]  # no line of `lose` on either side of it
        others = [bit for bit in row if bit != gap]
        ahead = next(line for line in self.losing_at[gap] if line & sum(row) == gap) ^ gap
        names = board.names_in
        white = [*names(sum(others)), *names(gap)]
        apart = bystanders(board, sum(row), win - 1)
        far = bystanders(board, sum(row) | ahead | board.around(ahead), win - lose - 1)
        block = [*names(ahead), *far, *names(gap)]
        losing = shown_moves(names(sum(row[:lose])), apart)[: 2 * lose - 1]
        swapped = names(longest[len(longest) // 2])
        return (
            Lesson(
                title=f"{many.capitalize()} in line win",
                words=f"White fills the gap: {many} in line, so White wins.",
                moves=shown_moves(white, apart),
                begun=2 * win - 4,
                ending=f"{many} in line",
                is_win=True,
            ),
            Lesson(
                title=f"{few.capitalize()} in line lose",
                words=f"White makes {few} in line, but not {many}, so White loses.",
                moves=losing,
                begun=2 * lose - 4,
                ending=f"{few} in line",
                is_win=False,
            ),
            Lesson(
                title="Force your opponent to lose",
                words=f"Black must block the gap, but the block makes {few} in line: Black loses.",
                moves=shown_moves(white[:-1], block),
                begun=2 * win - 5,
                ending=f"{few} in line",
                is_win=False,
            ),
            Lesson(
                title="Swap",
                words="Black's first turn may be a swap: it takes over the white stone.",
                moves=(*swapped, SWAP),
            ),
        )

    def start(self, setup: str | None = None) -> YavalathPosition:
        """Return the empty board. Raises SetupError for any setup."""
        if setup is not None:
            self.canonical_setup(setup)
        return YavalathPosition(self, (0, 0), 0, OPEN)

    def position(self, text: str) -> YavalathPosition:
        """Return the position that `text` describes. Raises PositionError with the reason."""
        (rows,), mover = read_fields(text, ["board"], "wb")
        white, black = self.board.read_rows(rows, "wb").values()
        ahead = white.bit_count() - black.bit_count()
        if ahead != mover and not (ahead == mover - 1 and black):
            raise PositionError(
                f"{self.colours[mover]} cannot be to move with {white.bit_count()} white "
                f"and {black.bit_count()} black stones, with or without a swap"
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
    """Stones of both players, the side to move, and the verdict on the last move."""

    game: Yavalath
    stones: tuple[int, int]
    mover: int
    verdict: int


class YavalathPosition(_State, Alternating):
    """A position of Yavalath; hashable and immutable."""

    __slots__ = ()

    @property
    def can_swap(self) -> bool:
        """Return whether this is the second player's first turn."""
        white, black = self.stones
        return self.mover == 1 and not black and white & (white - 1) == 0

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
        """Return in the game's words why `move` is illegal here; None if it is legal."""
        if self.verdict != OPEN:
            return "the game is over"
        if move == SWAP:
            return (
                None if self.can_swap else "swap is allowed only as the second player's first turn"
            )
        bit = self.game.board.bit.get(move)
        if bit is None:
            return f"{self.game.id} does not have this move"
        return f"{move} already has a stone" if bit & sum(self.stones) else None

    def play(self, move: Move) -> YavalathPosition:
        """Return the position after `move`. Raises IllegalMoveError if it is illegal."""
        game, (white, black), mover, verdict = self
        bit = game.board.bit.get(move)
        if bit is None or verdict != OPEN or bit & (white | black):
            require_legal(self, move)  # only a swap passes this
            return YavalathPosition(game, (0, white), 0, OPEN)
        mine = (black if mover else white) | bit
        stones = (white, mine) if mover else (mine, black)
        return YavalathPosition(game, stones, 1 - mover, self._made(bit, mine, stones))

    def after(self, moves: Sequence[str]) -> YavalathPosition | None:
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
        """Return the position with `mask` applied to each set of cells."""
        white, black = self.stones
        return self._replace(stones=(mask(white), mask(black)))

    def text(self) -> str:
        """Return the board and the side to move as text."""
        rows = self.game.board.format_rows(dict(zip("wb", self.stones, strict=True)))
        return f"{rows} {'wb'[self.mover]}"

    def layers(self) -> Iterable[tuple[str, int]]:
        """Return the cells of the stones of each player."""
        return zip("wb", self.stones, strict=True)


class YavalathBoard(SwapBoard):
    """A board for searches, with the stones of each player as a mask of `Board.bit`.

    The code of a cell is its place in `Board.names`; the code after the last cell is the swap.
    """

    game: Yavalath

    def __init__(self, position: YavalathPosition) -> None:
        game = self.game = position.game
        self.moves = (*map(Move, game.board.names), SWAP)
        self.stones = list(position.stones)
        """The stones of the first and the second player."""
        self.to_move = mover = position.mover
        self.winner = winner_by(position.verdict, mover)
        self._past: list[tuple[int, int]] = []
        self._swap = len(game.board.names)
        many = keys("yavalath", 2 * self._swap + 1)
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
        return self.to_move == 0 or black != 0 or white & (white - 1) != 0

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

    def position(self) -> YavalathPosition:
        """Return the state as a position."""
        (first, second), mover = self.stones, self.to_move
        verdict = verdict_of(self.winner, mover)
        return YavalathPosition(self.game, (first, second), mover, verdict)

    def ending_cells(self, mover: int) -> tuple[int, int]:
        """Return the empty cells where a stone of `mover` wins, and those where it loses."""
        game = self.game
        wins, losses = game.board.completing_each(self.stones[mover], game.lengths)
        wins &= ~self.stones[1 - mover]
        return wins, losses & ~(self.stones[1 - mover] | wins)

    def tables(self) -> LineTables:
        """Return the state for compiled searches."""
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
        """Return an estimate from the lines that only one player has stones in.

        Cells where a stone would lose count against their player.
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


GAME: Final = Yavalath()
