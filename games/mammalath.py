"""Mammalath, by Grant Fikes (nestorgames).

Six each of six animals fill a 6x6 board. In a turn a player places a token of her colour on a cell
without a token (an animal may be there), releases all animals of one type, or releases exactly
three consecutive animals in a row, column or diagonal; tokens stay where animals leave. The first
turn of the game is a placement; on the very next turn, and only then, second may swap instead: the
token goes back and one of second's takes its cell. After a placement or swap the mover's tokens
are examined: three in line with an animal on at least one of the three lose, otherwise three in
line win, otherwise a player who has placed all 18 tokens has drawn the game.

Source: rulebook by nestorgames; rulings in docs/rules.md. `mammalath_plus.py` is the same on 8x8.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cached_property
from typing import Final, NamedTuple

from lath.games.board import Board, squares
from lath.games.core import Move, Outcome, Piece, Seat, one_by_one, require_legal
from lath.games.errors import MoveSyntaxError, PositionError, SetupError
from lath.games.stones import (
    DRAWN,
    LOST,
    OPEN,
    WON,
    Judged,
    Rules,
    read_fields,
    refuse_more,
    shapes_fit,
    share_a_cell,
)

ANIMALS: Final = (
    Piece(
        "A",
        "armadillo",
        "tile",
        "#dd383e",
        "M0-27Q5-29 9-29C5-46 13-50 20-47C28-43 27-33 24-26L35-20L31-14L37-7L32 0L35 7L28 13"
        "C18 24 10 32 9 43Q7 48 0 48Q-7 48-9 43C-10 32-18 24-28 13L-35 7L-32 0L-37-7L-31-14"
        "L-35-20L-24-26C-27-33-28-43-20-47C-13-50-5-46-9-29Q-5-29 0-27z",
    ),
    Piece(
        "B",
        "badger",
        "tile",
        "#ed7d21",
        "M0-42C14-42 24-38 29-34C34-43 48-34 43-24C41-18 38-17 37-14C39 4 28 18 18 30"
        "C16 43 8 46 0 46C-8 46-16 43-18 30C-28 18-39 4-37-14C-38-17-41-18-43-24"
        "C-48-34-34-43-29-34C-24-38-14-42 0-42zM8-42L19-40L17-27L12-28zM-8-42L-19-40L-17-27"
        "L-12-28z",
    ),
    Piece(
        "C",
        "cougar",
        "tile",
        "#fddf2f",
        "M0-34Q10-34 16-31C18-47 38-48 41-33C42-25 39-20 39-16C47 0 45 14 37 22"
        "C32 35 20 42 0 42C-20 42-32 35-37 22C-45 14-47 0-39-16C-39-20-42-25-41-33"
        "C-38-48-18-47-16-31Q-10-34 0-34z",
    ),
    Piece(
        "D",
        "deer",
        "tile",
        "#44d485",
        "M0-29L7-30L15-36L12-48L18-49L22-38L28-38L32-49L38-47L33-32L18-28L21-23"
        "C32-30 42-27 47-22C43-10 34-7 27-9C28 6 16 22 15 36C13 47 6 47 0 47"
        "C-6 47-13 47-15 36C-16 22-28 6-27-9C-34-7-43-10-47-22C-42-27-32-30-21-23L-18-28"
        "L-33-32L-38-47L-32-49L-28-38L-22-38L-18-49L-12-48L-15-36L-7-30L0-29z",
    ),
    Piece(
        "E",
        "elephant",
        "tile",
        "#90c0e3",
        "M0-36C10-36 16-32 18-28C26-42 48-38 48-12C48 8 36 22 25 16L22 26L26 37L15 31L10 34"
        "L10 44Q9 48 0 48Q-9 48-10 44L-10 34L-15 31L-26 37L-22 26L-25 16C-36 22-48 8-48-12"
        "C-48-38-26-42-18-28C-16-32-10-36 0-36z",
    ),
    Piece(
        "F",
        "fox",
        "tile",
        "#b65ce1",
        "M0-26Q10-28 14-27L35-47Q43-24 39-6L47 9Q34 24 20 32Q8 46 0 47Q-8 46-20 32"
        "Q-34 24-47 9L-39-6Q-43-24-35-47L-14-27Q-10-28 0-26z",
    ),
)
"""The six of both games.

The heads, drawn for this file, are symmetrical and differ in their outlines, for that is what one
recognises at thirty pixels. The colours are the rulebook's, in shades that stay apart for eyes that
see no red, no green or no blue: `tests/reports/test_board_colours.py` measures it.
"""

MORE_ANIMALS: Final = (
    Piece(
        "G",
        "giraffe",
        "tile",
        "#f8f6f1",
        "M0-30L7-30L8-37C1-48 21-48 15-37L15-29L20-25C28-36 40-36 47-31C45-18 35-13 27-13"
        "C29 2 26 12 19 22C16 30 23 36 19 42C15 48 6 48 0 48C-6 48-15 48-19 42"
        "C-23 36-16 30-19 22C-26 12-29 2-27-13C-35-13-45-18-47-31C-40-36-28-36-20-25L-15-29"
        "L-15-37C-21-48-1-48-8-37L-7-30L0-30z",
    ),
    Piece(
        "H",
        "hippopotamus",
        "tile",
        "#737886",
        "M0-36Q8-36 12-34C11-47 29-47 28-32C33-26 31-16 32-8C47-4 48 10 47 22"
        "C46 38 34 42 25 42L25 35L16 35L16 43Q8 44 0 44Q-8 44-16 43L-16 35L-25 35L-25 42"
        "C-34 42-46 38-47 22C-48 10-47-4-32-8C-31-16-33-26-28-32C-29-47-11-47-12-34"
        "Q-8-36 0-36z",
    ),
)
"""The two that the expansion adds."""


SWAP: Final = Move("swap")

_NUMBERS: Final = {3: "three", 4: "four"}


class Mammalath(Rules):
    """The rules on one size of board."""

    colours: Final = ("white", "black")
    has_setups = True

    def __init__(
        self,
        *,
        game_id: str,
        title: str,
        animals: tuple[Piece, ...],
        line_length: int,
        supply: int,
        blocks: bool,
    ) -> None:
        self.id: Final = game_id
        self.title: Final = title
        self.credit: Final = "Grant Fikes, nestorgames"
        self.size: Final = len(animals)
        self.supply: Final = supply
        """Tokens a player has."""
        self.line_length: Final = line_length
        self.letters: Final = tuple(animal.code for animal in animals)
        self.board: Final[Board] = squares(self.size)
        self.pieces: Final = (
            *animals,
            Piece("w", "white token", "disc", "#ffffff"),
            Piece("b", "black token", "disc", "#222222"),
        )
        self._blocks: Final = blocks

    @cached_property
    def shapes(self) -> tuple[int, ...]:
        """The shapes that decide the game and can be released: lines, and blocks in the Plus."""
        lines = self.board.lines(self.line_length)
        return lines + self.blocks if self._blocks else lines

    @cached_property
    def blocks(self) -> tuple[int, ...]:
        """All 2x2 blocks."""
        column = self.size + 1
        corners = (bit | bit << 1 | bit << column | bit << column + 1 for bit in self.board.name)
        return tuple(block for block in corners if block & self.board.full == block)

    @cached_property
    def shapes_at(self) -> dict[int, tuple[int, ...]]:
        """The shapes that each cell is part of, by its bit."""
        return {
            bit: tuple(shape for shape in self.shapes if shape & bit) for bit in self.board.name
        }

    @cached_property
    def releases(self) -> dict[Move, int]:
        """The cells that each release of a line or block empties, in order of the texts."""
        return dict(sorted((self._release_text(shape), shape) for shape in self.shapes))

    def _release_text(self, shape: int) -> Move:
        cells = self.board.names_in(shape)
        return Move(f"x{cells[0]}-{cells[-1]}")

    @cached_property
    def taken_by(self) -> dict[str, int]:
        """The cells that each release empties; for a type, its index's complement."""
        lines: dict[str, int] = {**self.releases}  # type: ignore[dict-item]  # a Move is a str
        return lines | {move: ~index for index, move in enumerate(self.type_releases)}

    @cached_property
    def tokens_of(self) -> dict[str, int]:
        """The cell that each move puts a token on; 0 for releases. Without swap."""
        releases: tuple[str, ...] = (*self.releases, *self.type_releases)
        return {**self.board.bit, **dict.fromkeys(releases, 0)}

    @cached_property
    def type_releases(self) -> tuple[Move, ...]:
        """The release of each type of animal."""
        return tuple(Move(f"x{letter}") for letter in self.letters)

    @cached_property
    def _spellings(self) -> dict[str, Move]:
        """Every way to write a move."""
        spellings = {name: Move(name) for name in self.board.names}
        spellings |= {release: release for release in self.type_releases}
        for release in self.releases:
            low, high = release[1:].split("-")
            spellings |= {f"x{low}-{high}": release, f"x{high}-{low}": release}
        return spellings | {SWAP: SWAP}

    def canonical(self, text: str) -> Move:
        """Return the one way to write the move; raises MoveSyntaxError."""
        move = self._spellings.get(text)
        if move is None:
            raise MoveSyntaxError(text, self._expected)
        return move

    @property
    def _expected(self) -> str:
        block = ", a block such as xb2-c3" if self._blocks else ""
        return (
            f"expected a cell from a1 to {self.board.names[-1]}, x and a type from A to "
            f"{self.letters[-1]}, x and the ends of a line of {_NUMBERS[self.line_length]} such as "
            f"x{self.board.names_in(self.board.lines(self.line_length)[0])[0]}-"
            f"{self.board.names_in(self.board.lines(self.line_length)[0])[-1]}{block}, or swap"
        )

    def draw_setup(self, seed: int) -> str:
        """Return the animals shuffled by `seed`."""
        animals = list("".join(self.letters) * self.size)
        random.Random(f"{self.id} {seed}").shuffle(animals)
        rows = (animals[i : i + self.size] for i in range(0, len(animals), self.size))
        return "/".join("".join(row) for row in rows)

    def canonical_setup(self, setup: str) -> str:
        """Return `setup` as it is written back; raises SetupError."""
        return self.board.format_rows(dict(zip(self.letters, self._read_setup(setup), strict=True)))

    def start(self, setup: str | None = None) -> MammalathPosition:
        """Return the first position; without a setup, each row is the one below moved by one."""
        kinds = self._read_setup(self.plain_setup if setup is None else setup)
        return MammalathPosition(self, kinds, self.board.full, (0, 0), 0, OPEN)

    @property
    def plain_setup(self) -> str:
        """The setup that is as regular as can be: ABC…, BC…A, C…AB."""
        letters = "".join(self.letters)
        return "/".join(letters[i:] + letters[:i] for i in range(self.size))

    def _read_setup(self, setup: str) -> tuple[int, ...]:
        try:
            layers = self.board.read_rows(setup, self.letters)
        except PositionError as error:
            raise SetupError(f"setup: {error}") from error
        for letter, mask in layers.items():
            if mask.bit_count() != self.size:
                raise SetupError(
                    f"setup {setup!r} has {mask.bit_count()} of {letter}, expected {self.size}"
                )
        return tuple(layers.values())

    def position(self, text: str) -> MammalathPosition:
        """Return the position that `text` describes; raises PositionError."""
        (animal_rows, token_rows), mover = read_fields(text, ["animals", "tokens"], "wb")
        kinds = tuple(self.board.read_rows(animal_rows, self.letters).values())
        white, black = self.board.read_rows(token_rows, "wb").values()
        animals = sum(kinds)
        self._refuse_unreachable(kinds, (white, black), mover)
        verdict = self._verdict((white, black)[1 - mover], animals)
        return MammalathPosition(self, kinds, animals, (white, black), mover, verdict)

    def _verdict(self, tokens: int, animals: int) -> int:
        """Return what the player with `tokens` has done by her last placement."""
        shapes = [shape for shape in self.shapes if tokens & shape == shape]
        if any(shape & animals for shape in shapes):
            return LOST
        if shapes:
            return WON
        return DRAWN if tokens.bit_count() == self.supply else OPEN

    def verdict_at(self, bit: int, tokens: int, animals: int) -> int:
        """Return what the player with `tokens` has done by placing the one on `bit`."""
        verdict = DRAWN if tokens.bit_count() == self.supply else OPEN
        for shape in self.shapes_at[bit]:
            if tokens & shape == shape:
                if shape & animals:
                    return LOST
                verdict = WON
        return verdict

    def has_ended(self, white: int, black: int) -> bool:
        """Return whether a player with these tokens has ended the game, one way or another."""
        both = white | black << self.board.apart
        return (
            white.bit_count() == self.supply
            or black.bit_count() == self.supply
            or self.board.has_line(both, self.line_length)
            or bool(self._blocks and self._corners(both))
        )

    def cells_in_shapes(self, tokens: int, touching: int) -> tuple[str, ...]:
        """Return the cells of `tokens` in lines and blocks that share one with `touching`."""
        cells = self.board.in_lines(tokens, self.line_length, touching)
        if self._blocks and self._corners(tokens):
            for block in self.blocks:
                if tokens & block == block and block & touching:
                    cells |= block
        return tuple(self.board.names_in(cells))

    def _corners(self, mask: int) -> int:
        """Return the lowest cell of each 2x2 block of cells of `mask`."""
        columns = mask & mask >> 1
        return columns & columns >> self.size + 1

    def _refuse_unreachable(
        self, kinds: tuple[int, ...], tokens: tuple[int, int], mover: int
    ) -> None:
        for letter, mask in zip(self.letters, kinds, strict=True):
            refuse_more(mask.bit_count(), self.size, f"animals of type {letter}")
        for colour, mask in zip(self.colours, tokens, strict=True):
            refuse_more(mask.bit_count(), self.supply, f"{colour} tokens")
        self._refuse_two_endings(tokens, mover)
        if not self._turns_add_up(kinds, tokens, mover):
            raise PositionError(
                f"{self.colours[mover]} cannot be to move: no sequence of placements and releases "
                f"leads to {tokens[0].bit_count()} white and {tokens[1].bit_count()} black tokens "
                f"and {sum(kinds).bit_count()} animals"
            )

    def _refuse_two_endings(self, tokens: tuple[int, int], mover: int) -> None:
        mine, theirs = tokens[mover], tokens[1 - mover]
        if any(mine & shape == shape for shape in self.shapes):
            raise PositionError(
                f"{self.colours[mover]} is to move, but has a finished line already"
            )
        if mine.bit_count() == self.supply:
            raise PositionError(
                f"{self.colours[mover]} is to move, but has placed all {self.supply} tokens"
            )
        if not share_a_cell([shape for shape in self.shapes if theirs & shape == shape]):
            raise PositionError(
                f"{self.colours[1 - mover]} has finished lines that no single token completed"
            )

    def _turns_add_up(self, kinds: tuple[int, ...], tokens: tuple[int, int], mover: int) -> bool:
        """Return whether some sequence of turns leads to these counts with `mover` to move.

        Of a type that is still on the board, animals can have left only in lines. Every type that
        is gone left by a release of its own, for one that left in lines alone could have done so
        with a line less; each such release took at least one animal.
        """
        missing = self.board.full & ~sum(kinds)
        count = missing.bit_count()
        white, black = (mask.bit_count() for mask in tokens)
        types = kinds.count(0)
        fewest = max(0, -(-(count - self.size * types) // self.line_length))
        return any(
            shapes_fit(self.shapes_at, missing, lines)
            for lines in range(fewest, (count - types) // self.line_length + 1)
            if any(self._counts_fit(white, black, lines + types, swap, mover) for swap in (0, 1))
        )

    @staticmethod
    def _counts_fit(white: int, black: int, releases: int, swap: int, mover: int) -> bool:
        """Return whether the turns can be shared out between the two players.

        A swap takes a turn of second's, as black's first token does, and gives first's back.
        """
        plies = white + black + releases + swap
        if plies % 2 != mover:
            return False
        first_turns, second_turns = (plies + 1) // 2, plies // 2
        if plies == 0:
            return True
        if swap:
            return black >= 1 and white <= first_turns - 1 and black <= second_turns
        return 1 <= white <= first_turns and black <= second_turns


class _State(NamedTuple):
    """Animals by type, all animals, tokens of both seats, who moves, what the last move did."""

    game: Mammalath
    kinds: tuple[int, ...]
    animals: int
    tokens: tuple[int, int]
    mover: int
    verdict: int


class MammalathPosition(_State, Judged):
    """A position; hashable and immutable."""

    __slots__ = ()

    def outcome(self) -> Outcome | None:
        """Return how the last placement ended the game; None while it goes on."""
        if self.verdict == OPEN:
            return None
        last = Seat(1 - self.mover)
        if self.verdict == DRAWN:
            return Outcome(None, "all tokens placed")
        game = self.game
        number = _NUMBERS[game.line_length]
        if self.verdict == LOST:
            cells = game.cells_in_shapes(self.tokens[last], self.animals)
            return Outcome(last.other, f"{number} with an animal", cells)
        cells = game.cells_in_shapes(self.tokens[last], game.board.full)
        return Outcome(last, f"{number} without an animal", cells)

    @property
    def is_first_turn(self) -> bool:
        """Return whether no turn has been taken."""
        return self.tokens == (0, 0)

    @property
    def can_swap(self) -> bool:
        """Return whether this is second's first turn."""
        white, black = self.tokens
        return (
            self.mover == 1
            and not black
            and white & (white - 1) == 0
            and self.animals == self.game.board.full
        )

    def legal_moves(self) -> tuple[Move, ...]:
        """Return placements by cell, releases of types, releases of lines by text, swap."""
        if self.verdict != OPEN:
            return ()
        game, animals = self.game, self.animals
        taken = self.tokens[0] | self.tokens[1]
        moves: list[Move] = game.board.names_in(game.board.full & ~taken)  # type: ignore[assignment]
        if not taken:
            return tuple(moves)
        moves += [move for move, kind in zip(game.type_releases, self.kinds, strict=True) if kind]
        moves += [move for move, shape in game.releases.items() if animals & shape == shape]
        if self.can_swap:
            moves.append(SWAP)
        return tuple(moves)

    def why_illegal(self, move: Move) -> str | None:
        """Return in the game's words why `move` may not be played here; None when it may."""
        game = self.game
        if self.verdict != OPEN:
            return "the game is over"
        bit = game.board.bit.get(move)
        if bit is not None:
            taken = (self.tokens[0] | self.tokens[1]) & bit
            return f"{move} already has a token" if taken else None
        if self.is_first_turn:
            return "the first turn of the game must place a token"
        if move == SWAP:
            return None if self.can_swap else "swap is only for second's first turn"
        shape = game.releases.get(move)
        if shape is not None:
            return self._why_kept(move, shape)
        if move in game.type_releases:
            kind = self.kinds[game.type_releases.index(move)]
            return None if kind else f"no {move[1]} is left on the board"
        return f"{game.id} has no such move"

    def _why_kept(self, move: Move, shape: int) -> str | None:
        bare = self.game.board.names_in(shape & ~self.animals)
        if not bare:
            return None
        kind = "block" if shape in self.game.blocks else "line"
        return f"the {kind} {move[1:]} has no animal on {' and '.join(bare)}"

    def play(self, move: Move) -> MammalathPosition:
        """Return the position after `move`; raises IllegalMoveError."""
        bit = self.game.board.bit.get(move)
        if bit is not None and self.verdict == OPEN:
            first, second = self.tokens
            if not (first | second) & bit:
                return self._placed(bit)
        require_legal(self, move)
        if move == SWAP:
            return self._replace(tokens=(0, self.tokens[0]), mover=0)
        shape = self.game.releases.get(move)
        if shape is None:
            shape = self.kinds[self.game.type_releases.index(move)]
        return self._released(shape)

    def _placed(self, bit: int) -> MammalathPosition:
        game, kinds, animals, (first, second), mover, _ = self
        mine = (second if mover else first) | bit
        tokens = (first, mine) if mover else (mine, second)
        verdict = game.verdict_at(bit, mine, animals)
        return MammalathPosition(game, kinds, animals, tokens, 1 - mover, verdict)

    def _released(self, shape: int) -> MammalathPosition:
        kept = self.animals & ~shape
        kinds = tuple(kind & kept for kind in self.kinds)
        return MammalathPosition(self.game, kinds, kept, self.tokens, 1 - self.mover, OPEN)

    def after(self, moves: Sequence[str]) -> MammalathPosition | None:
        """Return the position after all of `moves`; None where one of them cannot be played.

        Tokens stay, and so do their lines: if none stands before the last placement, and nobody
        had placed all her tokens, none ended the game. Releases only ask which animals are left.
        """
        start: MammalathPosition | None = self
        if SWAP in moves[:2]:
            swap = moves.index(SWAP) + 1
            start, moves = one_by_one(self, moves[:swap]), moves[swap:]
        if start is None:
            return None
        if not moves or start.verdict != OPEN:
            return None if moves else start
        if start.is_first_turn and moves[0] not in self.game.board.bit:
            return None
        return start.after_turns(moves)

    def after_turns(self, moves: Sequence[str]) -> MammalathPosition | None:
        """Return what `after` does, for one or more moves after which no swap is possible."""
        game = self.game
        try:
            bits = list(map(game.tokens_of.__getitem__, moves))
        except KeyError:
            return None
        animals: int | None = self.animals
        if 0 in bits:
            animals = self._animals_after(moves)
        mover = self.mover ^ len(bits) & 1
        mine = self.tokens[1 - mover] + sum(bits[-1::-2])  # of who took the last turn
        theirs = self.tokens[mover] + sum(bits[-2::-2])
        count = sum(self.tokens).bit_count() + len(bits) - bits.count(0)
        if animals is None or (mine + theirs).bit_count() != count:
            return None  # nothing to release, or a cell twice
        last = bits[-1]
        if game.has_ended(mine ^ last, theirs):
            return None
        verdict = game.verdict_at(last, mine, animals) if last else OPEN
        kinds = self.kinds
        if animals != self.animals:
            kinds = tuple([kind & animals for kind in kinds])
        tokens = (theirs, mine) if mover == 0 else (mine, theirs)
        return MammalathPosition(game, kinds, animals, tokens, mover, verdict)

    def _animals_after(self, moves: Sequence[str]) -> int | None:
        """Return the animals that the releases among `moves` leave; None: one is not legal."""
        animals = self.animals
        for taken in filter(None, map(self.game.taken_by.get, moves)):
            shape = taken if taken > 0 else self.kinds[~taken] & animals
            if not shape or animals & shape != shape:
                return None
            animals ^= shape
        return animals

    def text(self) -> str:
        """Return animals, tokens and mover."""
        rows = self.game.board.format_rows
        animals = rows(dict(zip(self.game.letters, self.kinds, strict=True)))
        tokens = rows({"w": self.tokens[0], "b": self.tokens[1]})
        return f"{animals} {tokens} {'wb'[self.mover]}"

    def contents(self) -> tuple[str, ...]:
        """Return the animal and the token of each cell, `Aw` being a token on an animal."""
        layers = (
            *zip(self.game.letters, self.kinds, strict=True),
            ("w", self.tokens[0]),
            ("b", self.tokens[1]),
        )
        cells = dict.fromkeys(self.game.board.name, "")
        for letter, mask in layers:
            for bit in self.game.board.bits(mask):
                cells[bit] += letter
        return tuple(cells.values())


GAME: Final = Mammalath(
    game_id="mammalath",
    title="Mammalath",
    animals=ANIMALS,
    line_length=3,
    supply=18,
    blocks=False,
)
