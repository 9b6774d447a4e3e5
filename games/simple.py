"""Games in short files: `SimpleGame` makes a complete game from three functions over a `State`.

A subclass has a board and says which moves are legal, what a move changes, and how the game ends.
The tutorial docs/tutorials/add-a-game.md shows complete files.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import chain
from os.path import commonprefix
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

from lath.games.board import Board
from lath.games.capabilities import hash_of
from lath.games.core import (
    CELL_NAME,
    IDENTITY,
    RESULTS,
    SIDES,
    Move,
    Outcome,
    Piece,
    Result,
    Side,
    Symmetry,
    escaped,
    require_legal,
    unescaped,
)
from lath.games.errors import MoveSyntaxError, PositionError
from lath.games.reach import read_fields
from lath.games.stones import Rules, discs_of, letters_of

Extra = int | str
"""The value of a fact beside the board: a number, or a text without spaces."""

Symmetric = Literal["none", "all", "mirror", "half"]
"""The rotations and reflections of the board that do not change the rules: none, all, left for
right, or half a turn."""


class _Kept:
    """The computed values of a position; `None` is not computed yet."""

    __slots__ = ("begun", "hash", "legal", "outcome")

    def __init__(self) -> None:
        self.begun: Iterator[str] = iter(())
        """The legal moves that the game has not been asked for yet."""
        self.legal: tuple[Move, ...] | None = None
        self.outcome: Outcome | bool | None = None
        """False if the game is not over."""
        self.hash: int | None = None


class _Fields(NamedTuple):
    game: SimpleGame
    cells: tuple[int, ...]
    """The cells of each piece as a mask of `Board.bit`, in the order of `game.pieces`."""

    mover: int
    """The side to move, 0 or 1."""

    facts: tuple[Extra, ...]
    """The values of the game's `facts`, in their order."""

    kept: _Kept


class State(_Fields):
    """A position of a `SimpleGame`. It never changes: each method returns a new one.

    Cells are named, such as `b2`; sets of cells are masks, which `Board` describes.
    """

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        """Return whether the other is the same position of the same game."""
        return isinstance(other, State) and self[:4] == other[:4]

    def __ne__(self, other: object) -> bool:
        """Return whether the other differs."""
        return not self == other

    def __lt__(self, other: Any) -> bool:
        """Return an order, for the choice of one of several symmetric positions."""
        return bool(self[1:4] < other[1:4])

    def __hash__(self) -> int:
        """Return a hash that equal positions share."""
        if self.kept.hash is None:
            self.kept.hash = hash(self[1:4])
        return self.kept.hash

    def __repr__(self) -> str:
        """Return the game and the text of the position."""
        return f"<{self.game.id} {self.text()}>"

    def __reduce__(self) -> tuple[Callable[..., State], tuple[Any, ...]]:
        """Return how the position is made again."""
        return _state, tuple(self[:4])

    # For authors of games: what a position holds

    @property
    def full(self) -> int:
        """Return the cells with a piece."""
        found = 0
        for mask in self.cells:
            found |= mask
        return found

    @property
    def empty(self) -> int:
        """Return the cells without a piece."""
        return self.game.board.full & ~self.full

    @property
    def own(self) -> int:
        """Return the cells of the pieces of the player to move."""
        return self._of_side(self.mover)

    @property
    def theirs(self) -> int:
        """Return the cells of the pieces of the other player, who made the last move."""
        return self._of_side(1 - self.mover)

    def _of_side(self, side: int) -> int:
        found = 0
        for place in self.game.places_of_side[side]:
            found |= self.cells[place]
        return found

    def of(self, code: str) -> int:
        """Return the cells of the piece with this code."""
        return self.cells[self.game.place_of[code]]

    def on(self, cell: str) -> str:
        """Return the codes of the pieces on a cell, from the bottom up; empty for an empty cell."""
        bit = self.game.board.bit[cell]
        codes = zip(self.game.place_of, self.cells, strict=True)
        return "".join(code for code, mask in codes if mask & bit)

    def names(self, mask: int) -> list[str]:
        """Return the names of the cells of a mask, in the board's order."""
        return self.game.board.names_in(mask)

    def near(self, cell: str) -> int:
        """Return the neighbours of a cell."""
        return self.game.board.around(self.game.board.bit[cell])

    def slides(self, cell: str) -> int:
        """Return the empty cells in line with a cell, as a chess queen moves."""
        return self.game.board.slides(self.game.board.bit[cell], self.full)

    def group(self, cell: str) -> int:
        """Return the cells connected with a cell whose top piece is the same."""
        board, bit = self.game.board, self.game.board.bit[cell]
        top = next((mask for mask in reversed(self.cells) if mask & bit), 0)
        return board.group(top, bit) if top else 0

    def fact(self, name: str) -> Any:
        """Return the value of a fact beside the board."""
        return self.facts[self.game.place_of_fact[name]]

    # For authors of games: what a move changes

    def put(self, cell: str, code: str = "") -> State:
        """Return the position with one more piece. Default for `code`: the mover's first piece."""
        place = self.game.place_of[code] if code else self.game.places_of_side[self.mover][0]
        return self.with_cells({place: self.cells[place] | self.game.board.bit[cell]})

    def take(self, cells: str | int) -> State:
        """Return the position without the pieces on a cell, or on a mask of cells."""
        gone = ~(self.game.board.bit[cells] if isinstance(cells, str) else cells)
        return State(
            self.game, tuple([mask & gone for mask in self.cells]), self.mover, self.facts, _Kept()
        )

    def step(self, start: str, end: str) -> State:
        """Return the position with the top piece of one cell on another, whose pieces are gone."""
        bit = self.game.board.bit
        place = max(i for i, mask in enumerate(self.cells) if mask & bit[start])
        cells = [mask & ~bit[end] for mask in self.cells]
        cells[place] = cells[place] & ~bit[start] | bit[end]
        return State(self.game, tuple(cells), self.mover, self.facts, _Kept())

    def with_cells(self, changed: Mapping[int | str, int]) -> State:
        """Return the position with other masks for some pieces, given by code or place."""
        cells = list(self.cells)
        for which, mask in changed.items():
            cells[self.game.place_of[which] if isinstance(which, str) else which] = mask
        return State(self.game, tuple(cells), self.mover, self.facts, _Kept())

    def set(self, name: str, value: Extra) -> State:
        """Return the position with another value of a fact."""
        facts = list(self.facts)
        facts[self.game.place_of_fact[name]] = value
        return State(self.game, self.cells, self.mover, tuple(facts), _Kept())

    def add(self, name: str, by: int) -> State:
        """Return the position with a number beside the board increased."""
        return self.set(name, self.fact(name) + by)

    def again(self) -> State:
        """Return the position in which the player to move also makes the next move."""
        return State(self.game, self.cells, 1 - self.mover, self.facts, _Kept())

    # For authors of games: how it ends

    def won(self, ending: str, lines: int | Iterable[int] = ()) -> Outcome:
        """Return that the player of the last move wins; `lines` are the cells that decide it."""
        return Outcome(SIDES[1 - self.mover], ending, self._named(lines))

    def lost(self, ending: str, lines: int | Iterable[int] = ()) -> Outcome:
        """Return that the player of the last move loses by what that player made."""
        return Outcome(SIDES[self.mover], ending, self._named(lines), is_loss=True)

    def drawn(self, ending: str) -> Outcome:
        """Return that the game is drawn."""
        return Outcome(None, ending)

    def _named(self, lines: int | Iterable[int]) -> tuple[str, ...]:
        return self.game.board.names_of((lines,) if isinstance(lines, int) else lines)

    # The contract of positions

    @property
    def to_move(self) -> Side:
        """Return the side to move."""
        return SIDES[self.mover]

    @property
    def is_over(self) -> bool:
        """Return whether the game has ended by its rules."""
        return self.outcome() is not None

    @property
    def result(self) -> Result:
        """Return the result; `*` while the game is not over."""
        found = self.outcome()
        return RESULTS["*"] if found is None else found.result

    def outcome(self) -> Outcome | None:
        """Return how the game ended; None while it is not over."""
        kept, game = self.kept, self.game
        if kept.outcome is None:
            kept.outcome = game.ending(self) or False
            kept.begun = iter(() if kept.outcome else game.legal(self))
            if (first := next(kept.begun, None)) is not None:
                kept.begun = chain((first,), kept.begun)
            elif not kept.outcome:
                kept.outcome = game.stuck_at(self)
        return kept.outcome if isinstance(kept.outcome, Outcome) else None

    def legal_moves(self) -> tuple[Move, ...]:
        """Return every legal move in the order of the game's `legal`."""
        kept = self.kept
        if kept.legal is None:
            self.outcome()
            kept.legal = tuple(map(escaped if self.game.escapes else Move, kept.begun))
        return kept.legal

    def why_illegal(self, move: Move) -> str | None:
        """Return in the game's words why `move` is illegal here; None if it is legal."""
        if move in self.legal_moves():
            return None
        if self.is_over:
            return "the game is over"
        legal = self.legal_moves()
        if (whole := next((one for one in legal if _continues(move, one)), None)) is not None:
            return f"{move} is only the beginning of a move such as {whole}"
        if self._is_taken(move, legal):
            return f"{move} already has a piece"
        if own := self.game.why(self, move):
            return own
        nearest = max(legal, key=lambda one: len(commonprefix((move, one))))  # noqa: RUF071 - of texts
        return f"{move} is not a legal move here, expected a move such as {nearest}"

    def _is_taken(self, move: Move, legal: Sequence[Move]) -> bool:
        """Return whether a move is an occupied cell, in a game of moves to an empty cell."""
        bits, full = self.game.board.bit, self.full
        cells = [bits[one] for one in legal if one in bits]
        is_possible = bool(cells) or not any(map(CELL_NAME.search, legal))
        return (
            is_possible and bool(bits.get(move, 0) & full) and not any(full & one for one in cells)
        )

    def play(self, move: Move) -> State:
        """Return the position after `move`. Raises IllegalMoveError if it is illegal."""
        require_legal(self, move)
        return self.play_known(move)

    def play_known(self, move: Move) -> State:
        """Return the position after a move that is known to be legal."""
        text = unescaped(move) if self.game.escapes else move
        game, cells, mover, facts, _ = self.game.after(self, text)
        return State(game, cells, 1 - mover, facts, _Kept())

    def text(self) -> str:
        """Return the board, the side to move and the facts as text."""
        board, place_of = self.game.board, self.game.place_of
        fields = [
            board.format_rows({code: self.cells[place_of[code]] for code in codes})
            for codes in self.game.form.split()
        ]
        return " ".join((*fields, self.game.letters[self.mover], *map(str, self.facts)))

    def layers(self) -> Iterable[tuple[str, int]]:
        """Return the cells of each piece by its code."""
        return zip(self.game.place_of, self.cells, strict=True)

    def contents(self) -> tuple[str, ...]:
        """Return the pieces on each cell, from the bottom up."""
        return self.game.board.contents(self.layers())

    @property
    def extras(self) -> Mapping[str, Extra]:
        """Return what the position holds beside its cells, by name."""
        return dict(zip(self.game.facts, self.facts, strict=True))

    def key(self) -> int:
        """Return a hash of the state in 64 bits, the same in every process."""
        return hash_of(repr(self[1:4]))

    def turned(self, mask: Callable[[int], int]) -> State:
        """Return the position with `mask` applied to each set of cells."""
        return State(self.game, tuple(map(mask, self.cells)), self.mover, self.facts, _Kept())

    def _repr_html_(self) -> str:
        """Return the HTML that notebooks show."""
        from lath.games.drawing.board import html  # start-up time

        return html(self)


def _state(game: SimpleGame, cells: tuple[int, ...], mover: int, facts: tuple[Extra, ...]) -> State:
    return State(game, cells, mover, facts, _Kept())


class SimpleGame(Rules):
    """A game from three functions: the moves of a position, what a move changes, how it ends.

    A subclass has `id`, `title`, `credit`, `board` and these functions. `__init__` can take
    parameters as keyword arguments; see `lath.games.parameters`.
    """

    colours: tuple[str, str] = ("white", "black")
    facts: ClassVar[Mapping[str, Extra]] = MappingProxyType({})
    """The state of a position beside its cells: names in words, with values at the start.

    Numbers, or texts without spaces. An example is `{"white hand": 5, "black hand": 5}`.
    """

    rows: ClassVar[str] = ""
    """The pieces at the start, as in a position's text; empty for an empty board."""

    stuck: ClassVar[Literal["lost", "won", "drawn"]] = "drawn"
    """The result for the player to move if no legal move is left."""

    stuck_words: ClassVar[str] = ""
    """The ending when no legal move is left. Default: `no legal move`, or `board full`."""

    symmetric: ClassVar[Symmetric] = "none"

    side_owners: ClassVar[Sequence[int]] = ()
    """The player, 0 or 1, of each of `Board.sides`, which drawings colour, such as (0, 1, 0, 1)."""

    words: ClassVar[tuple[str, ...]] = ()
    """Moves that name no cell, such as `pass`."""

    escapes: ClassVar[bool] = False
    """True if moves can be any text, which the class escapes; see `lath.games.core.escaped`."""

    expected: str = ""

    if TYPE_CHECKING:
        board: Board

    @abstractmethod
    def legal(self, state: State) -> Iterable[str]:
        """Return the legal moves of a position that is not over, each as text."""

    @abstractmethod
    def after(self, state: State, move: str) -> State:
        """Return the position after a legal move; the other player is to move then.

        The result has the same player to move as `state`: the turn passes by itself, unless the
        result is from `State.again`.
        """

    @abstractmethod
    def ending(self, state: State) -> Outcome | None:
        """Return how the game has ended; None while it has not. See `State.won`.

        It must follow from the position alone.
        """

    # Optional

    def refuse(self, state: State) -> None:
        """Raise PositionError if no game reaches a position that a text describes."""

    def why(self, state: State, move: str) -> str | None:  # noqa: ARG002 - games can say more
        """Return in the game's words why a move is illegal; None for the usual words.

        Occupied cells and half-written moves have their own words, and `why` is not called.
        """
        return None

    def lean(self, state: State) -> float | None:  # noqa: ARG002 - games can estimate
        """Return an estimate of who is winning, from -1 to 1 for the player to move.

        Without one, searches play random games.
        """
        return None

    def every_move(self) -> Iterable[str]:
        """Return every text of a move, legal or not, which gives each move an index.

        Without such a list, a text is a move if `is_move` says so.
        """
        return ()

    def is_move(self, text: str) -> bool:
        """Return whether a text looks like a move of the game. Default: it names known cells."""
        cells = CELL_NAME.findall(text)
        return text in self.words or (bool(cells) and all(map(self.board.bit.__contains__, cells)))

    # The contract of games, from the above

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        """Return a disc for each player in the player's colour; a subclass can have others."""
        return discs_of(self.colours)

    @cached_property
    def moves(self) -> dict[str, Move]:  # type: ignore[override]  # computed when asked for
        """Return the canonical move for each text of `every_move`."""
        texts = map(escaped if self.escapes else Move, self.every_move())
        return {text: Move(text) for text in texts}

    @cached_property
    def letters(self) -> str:
        """Return the letters of the players in the text of a position."""
        return letters_of(self.colours)

    @cached_property
    def form(self) -> str:
        """Return the codes of the pieces in each field of a position's text.

        A piece that can share a cell with another needs a field of its own, such as `wb k`.
        """
        return "".join(piece.code for piece in self.pieces)

    @cached_property
    def place_of(self) -> dict[str, int]:
        """Return the place of each piece in `State.cells`, by its code."""
        return {piece.code: place for place, piece in enumerate(self.pieces)}

    @cached_property
    def place_of_fact(self) -> dict[str, int]:
        """Return the place of each fact in `State.facts`, by its name."""
        return {name: place for place, name in enumerate(self.facts)}

    @cached_property
    def places_of_side(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return the places of each player's own pieces: those named after the player's colour."""
        first, second = (
            tuple(i for i, piece in enumerate(self.pieces) if colour in piece.name.split())
            for colour in self.colours
        )
        return first, second

    def start(self, setup: str | None = None) -> State:
        """Return the first position. Raises SetupError for any setup."""
        if setup is not None:
            self.canonical_setup(setup)
        return self._first

    @cached_property
    def _first(self) -> State:
        fields = self.rows.split() or [self.board.format_rows({})] * len(self.form.split())
        return State(self, self._cells(fields), 0, tuple(self.facts.values()), _Kept())

    def _cells(self, fields: Sequence[str]) -> tuple[int, ...]:
        found: dict[str, int] = {}
        for codes, rows in zip(self.form.split(), fields, strict=True):
            found |= self.board.read_rows(rows, codes)
        return tuple(found[code] for code in self.place_of)

    def position(self, text: str) -> State:
        """Return the position that `text` describes. Raises PositionError with the reason."""
        words = text.split(" ")
        facts = words[len(words) - len(self.facts) :] if self.facts else []
        if facts:
            text = " ".join(words[: -len(facts)])
        names = ["board", *(f"cells of {codes}" for codes in self.form.split()[1:])]
        fields, mover = read_fields(text, names, self.letters)
        values = map(_read, self.facts.items(), facts)
        state = State(self, self._cells(fields), mover, tuple(values), _Kept())
        if state.text() != " ".join((text, *facts)):
            raise PositionError(f"the position is written {state.text()!r}")
        self.refuse(state)
        return state

    def canonical(self, text: str) -> Move:
        """Return the canonical text of a move. Raises MoveSyntaxError if it is not a move."""
        plain = text
        if self.escapes:
            with suppress(ValueError):
                plain = unescaped(Move(text))
        is_move = text in self.moves if self.moves else bool(plain) and self.is_move(plain)
        if not is_move or escaped(plain) != text:
            raise MoveSyntaxError(text, self.expected or self._such)
        return Move(text)

    @cached_property
    def _such(self) -> str:
        return f"expected a move such as {next(iter(self._first.legal_moves()))}"

    def stuck_at(self, state: State) -> Outcome:
        """Return how the game ends because no legal move is left."""
        words = self.stuck_words or ("no legal move" if state.empty else "board full")
        if self.stuck == "drawn":
            return state.drawn(words)
        # The player to move had no move left, and so brought the ending about.
        is_loss = self.stuck == "lost"
        return Outcome(SIDES[1 - state.mover if is_loss else state.mover], words, is_loss=is_loss)

    def symmetries(self, position: State) -> tuple[Symmetry, ...]:  # noqa: ARG002 - the same in every position
        """Return the rotations and reflections that `symmetric` names."""
        return self._ways

    @cached_property
    def _ways(self) -> tuple[Symmetry, ...]:
        kept = []
        for isometry in self.board.isometries[1:]:
            cells = isometry.cells
            is_half = self.symmetric == "half" and _is_half(self.board, cells)
            is_mirror = self.symmetric == "mirror" and _is_mirror(self.board, cells)
            if self.symmetric == "all" or is_half or is_mirror:
                kept.append(isometry)
        return (
            IDENTITY,
            *(Symmetry(_moving(one.cells), _turning(one.mask)) for one in kept),
        )


def _continues(begun: str, move: str) -> bool:
    """Return whether a move begins with a text that does not end within a number, as in `a1`."""
    return move.startswith(begun) and not (begun[-1:] + move[len(begun) :][:1]).isdigit()


def _read(fact: tuple[str, Extra], text: str) -> Extra:
    name, first = fact
    if not isinstance(first, int):
        return text
    if not re.fullmatch("-?[0-9]{1,9}", text):
        raise PositionError(f"{name} is {text!r}", "a whole number")
    return int(text)


def _moving(cells: Mapping[str, str]) -> Callable[[Move], Move]:
    return lambda move: Move(CELL_NAME.sub(lambda cell: cells.get(cell[0], cell[0]), move))


def _turning(mask: Callable[[int], int]) -> Callable[[State], State]:
    return lambda state: state.turned(mask)


def _is_mirror(board: Board, cells: Mapping[str, str]) -> bool:
    """Return whether an image keeps each cell in its row."""
    heights = dict(zip(board.names, (y for _, y in board.centres), strict=True))
    return all(abs(heights[cell] - heights[image]) < 1e-6 for cell, image in cells.items())


def _is_half(board: Board, cells: Mapping[str, str]) -> bool:
    """Return whether an image is half a turn: each cell's image is opposite to it."""
    centres = dict(zip(board.names, board.centres, strict=True))
    sums = {
        (round(x + centres[image][0], 3), round(y + centres[image][1], 3))
        for cell, image in cells.items()
        for x, y in [centres[cell]]
    }
    return len(sums) == 1
