"""Mammalath, by Grant Fikes (nestorgames).

Six animals of each of six types fill a 6x6 board. On each turn, a player does one of three things:

- place a token of the own colour on a cell without a token, with or without an animal;
- release all animals of one type;
- release exactly three consecutive animals in a row, column or diagonal.

Tokens stay when animals leave. The first turn of the game must place a token. The second player's
first turn can be a swap instead: the token is replaced by a token of the second player. After a
placement or swap, the mover's tokens are examined. Three in line with an animal on at least one of
their cells lose. Otherwise three in line win. Otherwise a player who has placed all 18 tokens draws
the game.

Source: rulebook by nestorgames. Rulings are in docs/explanation/rules.md. `mammalath_plus.py` has
the 8x8 game.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import ClassVar, Final, NamedTuple

from lath.games.board import Board, squares
from lath.games.core import Lesson, Move, Outcome, Piece, Side, Symmetry, require_legal
from lath.games.errors import GameError, PositionError, SetupError
from lath.games.fast import DRAW, bounded, keys, mixed
from lath.games.parameters import Parameter
from lath.games.reach import read_fields, refuse_more, refuse_two_endings, shapes_fit
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
    halfway,
    past_swap,
    shown_moves,
    verdict_of,
    winner_by,
)

_COLOURS: Final = {
    "armadillo": "#dd383e",
    "badger": "#ed7d21",
    "cougar": "#fddf2f",
    "deer": "#44d485",
    "elephant": "#90c0e3",
    "fox": "#b65ce1",
    "giraffe": "#f8f6f1",
    "hippopotamus": "#737886",
}
"""The rulebook's, in shades that stay apart for eyes that see no red, no green or no blue:
`tests/games/test_board_svg.py` measures it."""

_HEADS: Final = {
    "armadillo": "M-34 8C-34-20-20-37-6-37C9-37 19-24 22-3L27-6C23-16 25-26 30-26C35-26 36-16 34-5"
    "C41 0 44 12 50 24Q50 29 46 29C38 29 30 27 25 23L22 29L24 42H9L8 32H-14L-15 42H-30L-29 31"
    "C-38 31-42 38-49 46Q-50 24-34 8z"
    "M-15-35Q-24-2-18 31Q-24-2-15-35zM-24-28Q-32-4-27 29Q-32-4-24-28z"
    "M9-33Q20-2 15 31Q20-2 9-33zM16-26Q26-4 22 26Q26-4 16-26zM36 8V10",
    "badger": "M0-42C10-42 20-40 27-35C31-45 47-42 45-29C44-22 40-19 37-17C44-6 42 8 34 16"
    "C24 22 17 26 15 34C13 44 7 48 0 48C-7 48-13 44-15 34C-17 26-24 22-34 16C-42 8-44-6-37-17"
    "C-40-19-44-22-45-29C-47-42-31-45-27-35C-20-40-10-42 0-42z"
    "M15-38Q20-4 9 31Q20-4 15-38zM19-37Q24-4 10 30Q24-4 19-37zM23-36Q29-4 12 28Q29-4 23-36z"
    "M-15-38Q-20-4-9 31Q-20-4-15-38zM-19-37Q-24-4-10 30Q-24-4-19-37z"
    "M-23-36Q-29-4-12 28Q-29-4-23-36z"
    "M-6 40H6M-4 43H4",
    "cougar": "M0-34Q10-34 16-31C18-47 38-48 41-33C42-25 39-20 39-16C47 0 45 14 37 22"
    "C32 35 20 42 0 42C-20 42-32 35-37 22C-45 14-47 0-39-16C-39-20-42-25-41-33C-38-48-18-47-16-31"
    "Q-10-34 0-34z"
    "M-7 23H7M-4 26H4M0 26V33M-10 35Q-2 37 0 33Q2 37 10 35Q2 37 0 33Q-2 37-10 35z"
    "M20 23L37 19M20 28L35 29M-20 23L-37 19M-20 28L-35 29",
    "deer": "M0-29L7-30L15-36L12-48L18-49L22-38L28-38L32-49L38-47L33-32L18-28L21-23"
    "C32-30 42-27 47-22C43-10 34-7 27-9C28 6 16 22 15 36C13 47 6 47 0 47C-6 47-13 47-15 36"
    "C-16 22-28 6-27-9C-34-7-43-10-47-22C-42-27-32-30-21-23L-18-28L-33-32L-38-47L-32-49L-28-38"
    "L-22-38L-18-49L-12-48L-15-36L-7-30L0-29z",
    "elephant": "M0-36C10-36 16-32 18-28C26-42 48-38 48-12C48 8 36 22 25 16L22 26L26 37L15 31"
    "L10 34L10 44Q9 48 0 48Q-9 48-10 44L-10 34L-15 31L-26 37L-22 26L-25 16C-36 22-48 8-48-12"
    "C-48-38-26-42-18-28C-16-32-10-36 0-36z",
    "fox": "M0-26Q10-28 14-27L35-47Q43-24 39-6L47 9Q34 24 20 32Q8 46 0 47Q-8 46-20 32Q-34 24-47 9"
    "L-39-6Q-43-24-35-47L-14-27Q-10-28 0-26z"
    "M-5 40H5M-3 43H3",
    "giraffe": "M0-30L7-30L8-37C1-48 21-48 15-37L15-29L20-25C28-36 40-36 47-31C45-18 35-13 27-13"
    "C29 2 26 12 19 22C16 30 23 36 19 42C15 48 6 48 0 48C-6 48-15 48-19 42C-23 36-16 30-19 22"
    "C-26 12-29 2-27-13C-35-13-45-18-47-31C-40-36-28-36-20-25L-15-29L-15-37C-21-48-1-48-8-37L-7-30"
    "L0-30z"
    "M-7 36V38M7 36V38",
    "hippopotamus": "M0-36Q8-36 12-34C11-47 29-47 28-32C33-26 31-16 32-8C47-4 48 10 47 22"
    "C46 38 34 42 25 42L25 35L16 35L16 43Q8 44 0 44Q-8 44-16 43L-16 35L-25 35L-25 42"
    "C-34 42-46 38-47 22C-48 10-47-4-32-8C-31-16-33-26-28-32C-29-47-11-47-12-34Q-8-36 0-36z"
    "M-9 28V31M9 28V31",
}
"""The outlines of the animals, drawn for this project and easy to tell apart at thirty pixels.
Bands, stripes and whiskers are stroked lines, so that they are visible in grey and in print. The
middle is free for the letter."""

ANIMALS: Final = tuple(
    Piece(name[0].upper(), name, "tile", colour, _HEADS[name]) for name, colour in _COLOURS.items()
)
"""The six animals of both games, and the two of the expansion."""


_REMEMBERED: Final = 4096
"""The number of sets of animals for which a board caches the releases."""

SIZES: Final = range(4, len(ANIMALS) + 1)
"""The sizes of boards: there is one animal type for each row."""

SIZE: Final = "rows of the board, animal types, and animals of each type"


class Mammalath(Turning):
    """The rules of Mammalath on one size of board."""

    id = "mammalath"
    title = "Mammalath"
    credit: Final = "Grant Fikes, nestorgames"
    colours: Final = ("white", "black")
    has_setups = True
    parameters: ClassVar[Sequence[Parameter]] = (
        Parameter("size", 6, SIZES, SIZE),
        Parameter("line", 3, range(3, 6), "length of a line that ends the game or can be released"),
    )
    has_blocks = False

    def __init__(self, size: int = 6, line: int = 3) -> None:
        if line > size:
            raise GameError(f"line is {line}", f"at most the size, {size}")
        animals = ANIMALS[:size]
        self.size: Final = size
        self.supply: Final = size * size // 2
        """The tokens of each player."""
        self.line_length: Final = line
        self.letters: Final = tuple(animal.code for animal in animals)
        self.alike: Final = "".join(self.letters)
        self.form: Final = f"{self.alike} wb"
        self.board: Final[Board] = squares(self.size)
        self.pieces: Final = (
            *animals,
            Piece("w", "white token", "disc", "#ffffff"),
            Piece("b", "black token", "disc", "#222222"),
        )
        column = self.size + 1
        block = 1 | 1 << 1 | 1 << column | 1 << column + 1
        anywhere = (block * bit for bit in (self.board.name if self.has_blocks else ()))
        self.blocks: Final = tuple(self.board.finished(anywhere, self.board.full))
        self.shapes: Final = self.board.lines(line) + self.blocks
        """The shapes that decide the game and can be released: lines, and blocks in Mammalath Plus.
        """
        self.shapes_at: Final = self.board.through(self.shapes)
        """The shapes that contain each cell, by its bit."""
        ends = {shape: self.board.names_in(shape) for shape in self.shapes}
        self.releases: Final = dict(
            sorted((Move(f"x{cells[0]}-{cells[-1]}"), shape) for shape, cells in ends.items())
        )
        """The cells that each release of a line or block empties, ordered by move."""
        self.type_releases: Final = tuple(Move(f"x{letter}") for letter in self.letters)
        """The release of each type of animal."""
        types = {move: ~index for index, move in enumerate(self.type_releases)}
        self.taken_by: Final[dict[str, int]] = {**self.releases, **types}  # type: ignore[dict-item]  # a Move is a str
        """The cells that each release empties; for a type, its index's complement."""
        self.tokens_of: Final = {**self.board.bit, **dict.fromkeys(self.taken_by, 0)}
        """The cell where each move places a token; 0 for releases. Swap is not included."""
        forms = sorted({shape // (shape & -shape) for shape in self.shapes})
        self.forms: Final = tuple(
            tuple(map(int.bit_length, Board.bits(form >> 1))) for form in forms
        )
        """The places of the other cells of each form of shape, relative to its lowest cell."""
        self.bits: Final = self._bits_of_moves(forms)
        """The bit of each move in `MammalathPosition.legal_bits`."""
        backwards = {
            f"x{cells[-1]}-{cells[0]}": Move(f"x{cells[0]}-{cells[-1]}") for cells in ends.values()
        }
        self.moves = backwards | {text: Move(text) for text in (*self.tokens_of, SWAP)}
        low, *_, high = ends[self.shapes[0]]
        self.expected = (
            f"expected a1 to {self.board.names[-1]}, xA to x{self.letters[-1]}, "
            f"x{low}-{high} (line){', xb2-c3 (block)' if self.has_blocks else ''} or swap"
        )

    def _bits_of_moves(self, forms: Sequence[int]) -> dict[str, int]:
        """Return the bit of each move.

        A shape is its lowest cell, in a block of bits for its form.
        """
        at = {form: self.board.apart * number for number, form in enumerate((*forms, 0), 1)}
        bits: dict[str, int] = {**self.board.bit}
        for move, shape in self.releases.items():
            lowest = shape & -shape
            bits[move] = lowest << at[shape // lowest]
        others = enumerate((*self.type_releases, SWAP), at[0])
        return {**bits, **{move: 1 << place for place, move in others}}

    @property
    def card(self) -> str:
        """Return the rules in a few lines."""
        number, others = NUMBERS[self.line_length], " or a 2x2 block" if self.has_blocks else ""
        low, *_, high = self.board.names_in(self.shapes[0])
        return (
            f"{number} of your tokens in line{others} win if their cells hold no animal. "
            "If any of these cells holds an animal, you lose.\n"
            "On your turn, place a token on a cell without a token (b3), release all animals of "
            f"one type (xA), or release {number} animals in line{others} (x{low}-{high}). "
            "The first turn must place a token. The second player's first turn may be swap.\n"
            f"If a player places all {self.supply} tokens without ending the game, it is a draw."
        )

    @property
    def lessons(self) -> tuple[Lesson, ...]:
        """Return the shapes that win and lose, releases, and the swap."""
        names, start = self.board.names_in, self.start()
        line = next(shape for shape in self.shapes if names(shape)[0].startswith("b"))
        number, first = NUMBERS[self.line_length], names(start.kinds[0])[self.size // 2]
        lost = shown_moves(names(line), bystanders(self.board, line, self.line_length - 1))
        black = bystanders(self.board, self.board.bit[first], 1)
        blocks = self.blocks[self.size : self.size + 1]
        return (
            self._winning(line, f"{number.capitalize()} in line win"),
            Lesson(
                title="Animals make a line lose",
                words=f"White's {number} tokens stand on animals, and one is enough: White loses.",
                moves=lost,
                begun=len(lost) - 3,
                ending=f"{number} with an animal",
                is_win=False,
            ),
            Lesson(
                title="Release all animals of one type",
                words="White releases every armadillo, and the tokens stay where they are.",
                moves=(first, *black, self.type_releases[0]),
                begun=2,
            ),
            *(self._winning(block, "A 2x2 block counts as a line") for block in blocks),
            Lesson(
                title="Swap",
                words="On the first turn, Black may put a black token in place of the white one.",
                moves=(first, SWAP),
            ),
        )

    def _winning(self, shape: int, title: str) -> Lesson:
        """Return the lesson that releases the animals of a shape and then fills it."""
        release = next(move for move, cells in self.releases.items() if cells == shape)
        first, *others = self.board.names_in(shape)
        return Lesson(
            title=title,
            words="White releases the animals first, and fills the empty cells: White wins.",
            moves=shown_moves(
                (first, release, *others), bystanders(self.board, shape, self.line_length)
            ),
            begun=2,
            ending=f"{NUMBERS[self.line_length]} without an animal",
            is_win=True,
        )

    def draw_setup(self, seed: int) -> str:
        """Return the animals shuffled by `seed`."""
        animals = list("".join(self.letters) * self.size)
        Random(f"{self.id} {seed}").shuffle(animals)
        rows = (animals[i : i + self.size] for i in range(0, len(animals), self.size))
        return "/".join("".join(row) for row in rows)

    def canonical_setup(self, setup: str) -> str:
        """Return the canonical text of `setup`. Raises SetupError if it is invalid."""
        return self.board.format_rows(dict(zip(self.letters, self._read_setup(setup), strict=True)))

    def start(self, setup: str | None = None) -> MammalathPosition:
        """Return the first position. By default, each row is the row below shifted by one."""
        letters = "".join(self.letters)
        if setup is None:
            setup = "/".join(letters[i:] + letters[:i] for i in range(self.size))
        return MammalathPosition(self, self._read_setup(setup), self.board.full, (0, 0), 0, OPEN)

    def symmetries(self, position: MammalathPosition) -> tuple[Symmetry, ...]:
        """Return each rotation and reflection of the board, with the animal types renamed to match.

        Types differ only by name, so each of the 5,760 or more combinations is a symmetry. For each
        rotation or reflection, only one renaming is returned: the type on the lowest cell becomes
        A, and so on.
        """
        return self.renamings(position.kinds)

    @lru_cache(maxsize=256)  # noqa: B019 - a game lives as long as the program
    def renamings(self, kinds: tuple[int, ...]) -> tuple[Symmetry, ...]:
        """Return the rotations and reflections with the renamings that fit these types."""
        return tuple(
            self._renaming(turn, isometry.mask, kinds)
            for turn, isometry in zip(self._turns, self.board.isometries, strict=True)
        )

    def _renaming(
        self, turn: Symmetry, mask: Callable[[int], int], kinds: tuple[int, ...]
    ) -> Symmetry:
        """Return one rotation or reflection with the renaming that fits these types."""
        turned = list(map(mask, kinds))
        # a type that is no longer on the board comes last
        order = sorted(range(self.size), key=lambda type_: turned[type_] & -turned[type_] or -1)
        gone = turned.count(0)
        order = order[gone:] + order[:gone]
        names = {self.type_releases[old]: self.type_releases[new] for new, old in enumerate(order)}

        def position(other: MammalathPosition) -> MammalathPosition:
            image: MammalathPosition = turn.position(other)
            return image._replace(kinds=tuple([image.kinds[old] for old in order]))

        return Symmetry(lambda move: names.get(move) or turn.move(move), position)

    def moved(self, cells: Mapping[str, str]) -> dict[Move, Move]:
        """Return the image of each move; the image of a block may be named by other corners."""
        bit = self.board.bit
        by_shape = {shape: move for move, shape in self.releases.items()}
        named = {Move(name): Move(cell) for name, cell in cells.items()}
        for move, shape in self.releases.items():
            named[move] = by_shape[sum(bit[cells[name]] for name in self.board.names_in(shape))]
        return {**named, **{move: move for move in (*self.type_releases, SWAP)}}

    # Only releases change the possible releases, and most turns place a token.
    @lru_cache(maxsize=1024)  # noqa: B019 - a game lives as long as the program
    def releasable(self, kinds: tuple[int, ...]) -> list[Move]:
        """Return the possible releases for the animals of each type, types first.

        A line or block can be released if animals are on all of its cells.
        """
        animals = sum(kinds)
        moves = [move for move, kind in zip(self.type_releases, kinds, strict=True) if kind]
        moves += [move for move, shape in self.releases.items() if animals & shape == shape]
        return moves

    @lru_cache(maxsize=1024)  # noqa: B019 - a game lives as long as the program
    def releasable_bits(self, kinds: tuple[int, ...]) -> int:
        """Return the bits of `releasable`, computed for all shapes of a form at once."""
        animals, bits = sum(kinds), 0
        for move, kind in zip(self.type_releases, kinds, strict=True):
            if kind:
                bits |= self.bits[move]
        for number, places in enumerate(self.forms, 1):
            lowest = animals
            for place in places:
                lowest &= animals >> place
            bits |= lowest << self.board.apart * number
        return bits

    def _read_setup(self, setup: str) -> tuple[int, ...]:
        try:
            layers = self.board.read_rows(setup, self.letters)
        except PositionError as error:
            raise SetupError(f"setup: {error.what}", error.expected) from error
        for letter, mask in layers.items():
            if mask.bit_count() != self.size:
                what = f"setup {setup!r} has {mask.bit_count()} of {letter}"
                raise SetupError(what, str(self.size))
        return tuple(layers.values())

    def position(self, text: str) -> MammalathPosition:
        """Return the position that `text` describes. Raises PositionError with the reason."""
        (animal_rows, token_rows), mover = read_fields(text, ["animals", "tokens"], "wb")
        kinds = tuple(self.board.read_rows(animal_rows, self.letters).values())
        white, black = self.board.read_rows(token_rows, "wb").values()
        tokens, animals = (white, black), sum(kinds)
        for letter, mask in zip(self.letters, kinds, strict=True):
            refuse_more(mask.bit_count(), self.size, f"animals of type {letter}")
        for colour, mask in zip(self.colours, tokens, strict=True):
            refuse_more(mask.bit_count(), self.supply, f"{colour} tokens")
        refuse_two_endings(self.shapes, tokens, mover, self.colours, "token")
        if tokens[mover].bit_count() == self.supply:
            raise PositionError(
                f"{self.colours[mover]} is to move, but has already placed all {self.supply} tokens"
            )
        if not self._turns_add_up(kinds, tokens, mover):
            raise PositionError(
                f"{self.colours[mover]} cannot be to move: no sequence of placements and releases "
                f"leads to {white.bit_count()} white and {black.bit_count()} black tokens "
                f"and {animals.bit_count()} animals"
            )
        verdict = self.verdict(tokens[1 - mover], animals, self.shapes)
        return MammalathPosition(self, kinds, animals, tokens, mover, verdict)

    def verdict(self, tokens: int, animals: int, shapes: Sequence[int]) -> int:
        """Return the verdict on the player with `tokens`, who can have finished only `shapes`."""
        verdict = DRAWN if tokens.bit_count() == self.supply else OPEN
        for shape in shapes:
            if tokens & shape == shape:
                if shape & animals:
                    return LOST
                verdict = WON
        return verdict

    def has_ended(self, white: int, black: int) -> bool:
        """Return whether a player with these tokens has ended the game."""
        both = white | black << self.board.apart
        columns = both & both >> 1
        return (
            white.bit_count() == self.supply
            or black.bit_count() == self.supply
            or self.board.has_line(both, self.line_length)
            or bool(self.blocks and columns & columns >> self.size + 1)
        )

    def _turns_add_up(self, kinds: tuple[int, ...], tokens: tuple[int, int], mover: int) -> bool:
        """Return whether some sequence of turns leads to these counts with `mover` to move.

        Animals of a type still on the board can have left only in lines. Each missing type is taken
        to have left by its own release: if it had left in lines alone, one line fewer would have
        been enough. Each such release took at least one animal.
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
        """Return whether the turns can be divided between the two players.

        A swap is a turn of the second player. It also turns the first player's token black.
        """
        plies = white + black + releases + swap
        first_turns, second_turns = (plies + 1) // 2, plies // 2
        if plies % 2 != mover or black > second_turns:
            return False
        if swap:
            return black >= 1 and white < first_turns
        return plies == 0 or 1 <= white <= first_turns

    def fast(self, position: MammalathPosition) -> MammalathBoard:
        """Return a board for searches."""
        return MammalathBoard(position)


class _State(NamedTuple):
    """Animals by type, all animals, tokens of both players, the side to move, and the verdict."""

    game: Mammalath
    kinds: tuple[int, ...]
    animals: int
    tokens: tuple[int, int]
    mover: int
    verdict: int


class MammalathPosition(_State, Alternating):
    """A position of Mammalath; hashable and immutable."""

    __slots__ = ()

    def outcome(self) -> Outcome | None:
        """Return how the last placement ended the game; None while it is not over."""
        if self.verdict == OPEN:
            return None
        last = Side(1 - self.mover)
        if self.verdict == DRAWN:
            return Outcome(None, "all tokens placed")
        game = self.game
        number = NUMBERS[game.line_length]
        shapes = game.board.finished(game.shapes, self.tokens[last])
        if self.verdict == LOST:
            cells = game.board.names_of(shape for shape in shapes if shape & self.animals)
            return Outcome(last.other, f"{number} with an animal", cells, is_loss=True)
        return Outcome(last, f"{number} without an animal", game.board.names_of(shapes))

    @property
    def can_swap(self) -> bool:
        """Return whether this is the second player's first turn."""
        white, black = self.tokens
        return (
            self.mover == 1
            and not black
            and white & (white - 1) == 0
            and self.animals == self.game.board.full
        )

    def legal_moves(self) -> tuple[Move, ...]:
        """Return placements by cell, releases of types, releases of lines by text, and swap."""
        if self.verdict != OPEN:
            return ()
        game = self.game
        taken = self.tokens[0] | self.tokens[1]
        moves: list[Move] = game.board.names_in(game.board.full & ~taken)  # type: ignore[assignment]
        if not taken:
            return tuple(moves)
        moves += game.releasable(self.kinds)
        if self.can_swap:
            moves.append(SWAP)
        return tuple(moves)

    @property
    def legal_bits(self) -> int:
        """Return the bits of the legal moves."""
        if self.verdict != OPEN:
            return 0
        game = self.game
        taken = self.tokens[0] | self.tokens[1]
        bits = game.board.full & ~taken
        if taken:
            bits |= game.releasable_bits(self.kinds)
        return bits | game.bits[SWAP] if self.can_swap else bits

    def why_illegal(self, move: Move) -> str | None:
        """Return in the game's words why `move` is illegal here; None if it is legal."""
        game = self.game
        if self.verdict != OPEN:
            return "the game is over"
        taken = self.tokens[0] | self.tokens[1]
        bit = game.board.bit.get(move)
        if bit is not None:
            return f"{move} already has a token" if taken & bit else None
        if not taken:
            return "the first turn of the game must place a token"
        if move == SWAP:
            return (
                None if self.can_swap else "swap is allowed only as the second player's first turn"
            )
        shape = game.taken_by.get(move)
        if shape is None:
            return f"{game.id} does not have this move"
        if shape < 0:
            return None if self.kinds[~shape] else f"the board has no {move[1]} left"
        bare = game.board.names_in(shape & ~self.animals)
        kind = "block" if shape in game.blocks else "line"
        return f"the {kind} {move[1:]} has no animal on {' and '.join(bare)}" if bare else None

    def play(self, move: Move) -> MammalathPosition:
        """Return the position after `move`. Raises IllegalMoveError if it is illegal."""
        game, kinds, animals, (first, second), mover, verdict = self
        bit = game.board.bit.get(move)
        if bit is not None and verdict == OPEN and not (first | second) & bit:
            mine = (second if mover else first) | bit
            tokens = (first, mine) if mover else (mine, second)
            verdict = game.verdict(mine, animals, game.shapes_at[bit])
            return MammalathPosition(game, kinds, animals, tokens, 1 - mover, verdict)
        require_legal(self, move)
        if move == SWAP:
            return self._replace(tokens=(0, first), mover=0)
        taken = game.taken_by[move]
        kept = animals & ~(taken if taken > 0 else kinds[~taken])
        kinds = tuple([kind & kept for kind in kinds])
        return MammalathPosition(game, kinds, kept, self.tokens, 1 - mover, OPEN)

    def after(self, moves: Sequence[str]) -> MammalathPosition | None:
        """Return the position after `moves`; None if one of them is illegal.

        Tokens stay, and so do lines. If no line exists before the last placement and neither player
        has placed all tokens, no earlier turn ended the game. Releases depend only on the animals
        left.
        """
        start, moves = past_swap(self, moves)
        if start is None or not moves or start.verdict != OPEN:
            return None if moves else start
        game, kinds, before, tokens, mover, _ = start
        if tokens == (0, 0) and moves[0] not in game.board.bit:
            return None
        try:
            bits = list(map(game.tokens_of.__getitem__, moves))
        except KeyError:
            return None
        animals = start.animals_after(moves) if 0 in bits else before
        mover ^= len(bits) & 1
        mine = tokens[1 - mover] + sum(bits[-1::-2])  # of the player of the last turn
        theirs = tokens[mover] + sum(bits[-2::-2])
        count = sum(tokens).bit_count() + len(bits) - bits.count(0)
        if animals is None or (mine + theirs).bit_count() != count:
            return None  # an impossible release, or a cell used twice
        last = bits[-1]
        if game.has_ended(mine ^ last, theirs):
            return None
        verdict = game.verdict(mine, animals, game.shapes_at[last]) if last else OPEN
        if animals != before:
            kinds = tuple([kind & animals for kind in kinds])
        tokens = (theirs, mine) if mover == 0 else (mine, theirs)
        return MammalathPosition(game, kinds, animals, tokens, mover, verdict)

    def animals_after(self, moves: Sequence[str]) -> int | None:
        """Return the animals left after the releases in `moves`; None if a release is illegal."""
        animals = self.animals
        for taken in filter(None, map(self.game.taken_by.get, moves)):
            shape = taken if taken > 0 else self.kinds[~taken] & animals
            if not shape or animals & shape != shape:
                return None
            animals ^= shape
        return animals

    def turned(self, mask: Callable[[int], int]) -> MammalathPosition:
        """Return the position with `mask` applied to each set of cells."""
        kinds, (white, black) = tuple(map(mask, self.kinds)), self.tokens
        tokens = mask(white), mask(black)
        return self._replace(kinds=kinds, animals=mask(self.animals), tokens=tokens)

    def text(self) -> str:
        """Return the animals, the tokens and the side to move as text."""
        rows = self.game.board.format_rows
        animals = rows(dict(zip(self.game.letters, self.kinds, strict=True)))
        tokens = rows(dict(zip("wb", self.tokens, strict=True)))
        return f"{animals} {tokens} {'wb'[self.mover]}"

    def layers(self) -> Iterable[tuple[str, int]]:
        """Return the cells of the animals by type, and of the tokens of each player."""
        return zip((*self.game.letters, *"wb"), (*self.kinds, *self.tokens), strict=True)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ReleaseTables(LineTables):
    """The state for compiled searches. A shape without animals wins; `others` are the animals."""

    releases: Sequence[Sequence[int]]
    """The cells of each release: first those of each type, then those of each shape."""


class MammalathBoard(SwapBoard):
    """A board for searches, with tokens and animals as masks of `Board.bit`.

    Codes are in this order: cells by their place in `Board.names`, types, lines and blocks by their
    text, swap.
    """

    game: Mammalath

    def __init__(self, position: MammalathPosition) -> None:
        game = self.game = position.game
        cells = len(game.board.names)
        self.moves = (*map(Move, game.board.names), *game.type_releases, *game.releases, SWAP)
        self.animals = position.animals
        self.tokens = list(position.tokens)
        """The tokens of the first and the second player."""
        self.to_move = mover = position.mover
        self.winner = winner_by(position.verdict, mover)
        self._swap = len(self.moves) - 1
        self._bits = tuple(game.board.name)
        shapes = game.releases.values()
        self._taken = (*(0,) * cells, *position.kinds, *shapes)
        """The cells that each release empties; for a type, its cells at the beginning."""
        self._kinds = [(cells + type_, kind) for type_, kind in enumerate(position.kinds)]
        self._shapes = list(enumerate(shapes, cells + game.size))
        self._at = tuple(game.shapes_at.values())
        self._releasable: dict[int, list[int]] = {}
        """The possible releases for each set of animals."""
        self._past: list[tuple[int, int, int]] = []
        many = keys("mammalath", (2 + game.size) * cells + 1)
        # Every turn changes the side to move, so each token's key includes that change.
        self._turn = many[-1]
        raw = many[:cells], many[cells : 2 * cells]
        self._keys = tuple([key ^ self._turn for key in own] for own in raw)
        self._animal_keys = dict.fromkeys(self._bits, 0)
        for type_, kind in enumerate(position.kinds, 2):
            for place in game.board.places_in(kind):
                self._animal_keys[self._bits[place]] = many[type_ * cells + place]
        self.key = mixed(self._animal_keys, game.board.bits(self.animals))
        self.key ^= self._turn if mover else 0
        for tokens, own in zip(self.tokens, raw, strict=True):
            self.key ^= mixed(own, game.board.places_in(tokens))

    def _releases(self) -> list[int]:
        """Return the codes of the releases that the animals allow."""
        animals = self.animals
        known = self._releasable.get(animals)
        if known is None:
            if len(self._releasable) > _REMEMBERED:
                self._releasable.clear()
            known = [code for code, kind in self._kinds if kind & animals]
            known += [code for code, shape in self._shapes if animals & shape == shape]
            self._releasable[animals] = known
        return known

    def legal(self) -> list[int]:
        """Return the codes of placements, releases of types, releases of lines, and swap."""
        if self.winner is not None:
            return []
        white, black = self.tokens
        board = self.game.board
        codes = board.places_in(board.full & ~(white | black))
        if white or black:
            codes += self._releases()
            if not black and self._can_swap:
                codes.append(self._swap)
        return codes

    @property
    def _can_swap(self) -> bool:
        white, black = self.tokens
        is_first_turn = self.animals == self.game.board.full and self.to_move == 1
        return is_first_turn and not black and white & (white - 1) == 0

    @property
    def has_begun(self) -> bool:
        """Return whether the opening rules (place first, swap) no longer apply."""
        return any(self.tokens) and not self._can_swap

    def play(self, code: int) -> None:
        """Place a token, release animals, or swap."""
        mover, tokens = self.to_move, self.tokens
        self._past.append((code, self.animals, self.key))
        self.to_move = 1 - mover
        if code < len(self._bits):
            mine = tokens[mover] = tokens[mover] | self._bits[code]
            self.key ^= self._keys[mover][code]
            self._examine(mover, mine, code)
        elif code == self._swap:
            tokens.reverse()
            (first,) = self.game.board.places_in(tokens[1])
            self.key ^= self._keys[0][first] ^ self._keys[1][first] ^ self._turn
        else:
            taken = self._taken[code] & self.animals
            self.animals ^= taken
            self.key ^= self._turn ^ mixed(self._animal_keys, self.game.board.bits(taken))

    def _examine(self, mover: int, mine: int, code: int) -> None:
        """Set the winner if a token at `code` ended the game."""
        for shape in self._at[code]:
            if mine & shape == shape:
                if shape & self.animals:
                    self.winner = 1 - mover
                    return
                self.winner = mover
        if self.winner is None and mine.bit_count() == self.game.supply:
            self.winner = DRAW

    def undo(self) -> None:
        """Take back the last turn."""
        code, self.animals, self.key = self._past.pop()
        mover = self.to_move = 1 - self.to_move
        self.winner = None
        if code < len(self._bits):
            self.tokens[mover] ^= self._bits[code]
        elif code == self._swap:
            self.tokens.reverse()

    def position(self) -> MammalathPosition:
        """Return the state as a position."""
        (first, second), mover = self.tokens, self.to_move
        verdict = verdict_of(self.winner, mover)
        kinds = tuple(kind & self.animals for _, kind in self._kinds)
        return MammalathPosition(self.game, kinds, self.animals, (first, second), mover, verdict)

    def ending_cells(self, mover: int) -> tuple[int, int]:
        """Return the empty cells where a token of `mover` wins, and those where it loses."""
        empty = self.game.board.full & ~(self.tokens[0] | self.tokens[1])
        return _ends(self._nearly(self.tokens[mover]), empty, self.animals)

    def pressing(self) -> list[int] | None:
        """Return the cells and releases that threaten to complete a shape without animals."""
        mover, animals, full = self.to_move, self.animals, self.game.board.full
        wins, losses = self.ending_cells(mover)
        if wins or self.ending_cells(1 - mover)[0]:
            return None
        mine, free = self.tokens[mover], full & ~(self.tokens[0] | self.tokens[1])
        bare = (shape for shape in self.game.shapes if not shape & animals)
        codes = self.game.board.places_in(halfway(mine, free, bare) & ~losses)
        guarded = [
            shape & animals
            for shape in self.game.shapes
            if shape & animals and (shape & ~mine).bit_count() == 1 and not shape & ~mine & ~free
        ]
        return codes + [
            code
            for code in self._releases()
            if any(self._taken[code] & held == held for held in guarded)
        ]

    def tables(self) -> ReleaseTables:
        """Return the state for compiled searches."""
        places_in = self.game.board.places_in
        shapes = tuple(tuple(places_in(shape)) for shape in self.game.releases.values())
        return ReleaseTables(
            cells=len(self._bits),
            shapes=shapes,
            losing=(False,) * len(shapes),
            is_loss_first=True,
            supply=self.game.supply,
            releases=(*(tuple(places_in(kind)) for _, kind in self._kinds), *shapes),
            has_swap=True,
            turn_key=self._turn,
            stone_keys=(self._keys[0], self._keys[1]),
            other_keys=tuple(self._animal_keys.values()),
            stones=(places_in(self.tokens[0]), places_in(self.tokens[1])),
            others=places_in(self.animals),
        )

    def lean(self) -> float:
        """Return an estimate from the shapes that only one player has tokens in.

        Shapes with animals on them count less.
        """
        mover, animals = self.to_move, self.animals
        mine, theirs = self.tokens[mover], self.tokens[1 - mover]
        ahead = 0
        for shape in self.game.shapes:
            own, other = (shape & mine).bit_count(), (shape & theirs).bit_count()
            if own and not other:
                ahead += own * own * (1 if shape & animals else 3)
            elif other and not own:
                ahead -= other * other * (1 if shape & animals else 3)
        return bounded(ahead / 150)

    def play_on(self, chance: Random) -> tuple[int, int]:
        """Return the winner and plies of a random game from the third turn on.

        A move that cannot be played once can never be played later, so each move is drawn only
        once.
        """
        random, bits, at, taken = chance.random, self._bits, self._at, self._taken
        cells, lines, supply = len(bits), len(bits) + self.game.size, self.game.supply
        mover, animals = self.to_move, self.animals
        mine, theirs = self.tokens[mover], self.tokens[1 - mover]
        options = self.legal()
        left = len(options)
        plies = 1
        placed = [theirs.bit_count(), mine.bit_count()]  # indexed by the parity of the ply
        while True:
            self.check()
            pick = int(random() * left)
            left -= 1
            code = options[pick]
            options[pick] = options[left]
            if code < cells:
                mine |= bits[code]
                placed[plies & 1] += 1
                for shape in at[code]:
                    if mine & shape == shape:
                        has_won = self.game.verdict(mine, animals, at[code]) == WON
                        return mover if has_won else 1 - mover, plies
                if placed[plies & 1] == supply:
                    return DRAW, plies
            else:
                gone = taken[code] & animals
                if not gone or (code >= lines and gone != taken[code]):
                    continue
                animals ^= gone
            plies += 1
            mine, theirs, mover = theirs, mine, 1 - mover

    def play_on_with_care(  # noqa: C901, PLR0912 - one hot loop
        self, chance: Random
    ) -> tuple[int, int]:
        """Return the winner and plies of a random game of candidates from the third turn on.

        The shapes that lack one token are kept from ply to ply, because only that token changes
        them.
        """
        random, bits, at, taken = chance.random, self._bits, self._at, self._taken
        cells, lines = len(bits), len(bits) + self.game.size
        mover, animals = self.to_move, self.animals
        mine, theirs = self.tokens[mover], self.tokens[1 - mover]
        nearly, their_nearly = self._nearly(mine), self._nearly(theirs)
        empty = self.game.board.full & ~(mine | theirs)
        options = self.legal()
        left, plies = len(options), 1

        def may_release(code: int) -> bool:
            gone = taken[code] & animals
            return gone != 0 and (code < lines or gone == taken[code])

        while True:
            self.check()
            wins, losses = _ends(nearly, empty, animals)
            if wins:
                return mover, plies
            forced = self.game.board.places_in(_ends(their_nearly, empty, animals)[0])
            choice, count = (forced, len(forced)) if forced else (options, left)
            while count:  # until a move does not lose
                pick = int(random() * count)
                code = choice[pick]
                count -= 1
                if code < cells:
                    if not bits[code] & losses:
                        break
                    choice[pick], choice[count] = choice[count], code
                    continue
                gone = taken[code] & animals
                if may_release(code):
                    break
                left -= 1  # it can never be played again
                choice[pick], choice[count] = choice[count], choice[left]
            else:
                spared = empty & ~losses if forced else 0
                if spared and mine.bit_count() + 1 == self.game.supply:
                    return DRAW, plies
                rest = options[:left] if forced else []
                waits = spared or any(code >= cells and may_release(code) for code in rest)
                return 1 - mover, plies + (1 if waits else 0)
            left -= 1
            options[options.index(code) if forced else pick] = options[left]
            if code < cells:
                mine |= bits[code]
                empty ^= bits[code]
                for shape in at[code]:
                    missing = shape & ~mine
                    if missing & empty and missing & (missing - 1) == 0:
                        nearly.append((missing, shape))
                if mine.bit_count() == self.game.supply:
                    return DRAW, plies
            else:
                animals ^= gone
            plies += 1
            mine, theirs, mover = theirs, mine, 1 - mover
            nearly, their_nearly = their_nearly, nearly

    def _nearly(self, mine: int) -> list[tuple[int, int]]:
        """Return the shapes that lack one token, each with the missing cell."""
        lacking = ((shape & ~mine, shape) for shape in self.game.shapes)
        return [(missing, shape) for missing, shape in lacking if missing & (missing - 1) == 0]


def _ends(nearly: list[tuple[int, int]], empty: int, animals: int) -> tuple[int, int]:
    """Return the winning and losing cells, and remove blocked shapes from `nearly`."""
    nearly[:] = [pair for pair in nearly if pair[0] & empty]
    wins = losses = 0
    for missing, shape in nearly:
        if shape & animals:
            losses |= missing
        else:
            wins |= missing
    return wins & ~losses, losses


GAME: Final = Mammalath()
