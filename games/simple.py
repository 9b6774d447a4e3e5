"""Games in short files: `SimpleGame` makes a complete game from three functions over a `State`.

A subclass has a board and says which moves are legal, what a move changes, and how the game ends.
The tutorial docs/tutorials/add-a-game.md shows complete files.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, Literal

from lath.games.authors import MENDS, OF_SIMPLE, TERMS, Authored, NamedPlaces
from lath.games.board import Board
from lath.games.core import (
    CELL_NAME,
    SIDES,
    Move,
    Outcome,
    Piece,
    Symmetry,
    escaped,
    unescaped,
)
from lath.games.errors import GameError, MoveSyntaxError, PositionError
from lath.games.images import Symmetric, images_of
from lath.games.reach import read_fields
from lath.games.state import Extra, Kept, State
from lath.games.stones import Rules, discs_of, letters_of

__all__ = ["Extra", "SimpleGame", "State"]


class SimpleGame(Authored, Rules):
    """A game from three functions: the moves of a position, what a move changes, how it ends.

    A subclass has `id`, `title`, `credit`, `board` and these functions. `__init__` can take
    parameters as keyword arguments; see `lath.games.parameters`.
    """

    kinds, terms, mends = OF_SIMPLE, TERMS, MENDS

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

        It must follow from the position alone. The player of the last move is the one who is not to
        move, also after `State.again`.
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
        return NamedPlaces((piece.code for piece in self.pieces), "the code of a piece")

    @cached_property
    def beside(self) -> tuple[tuple[int, ...], ...]:
        """Return, for each piece, the places of the others that can share a cell with it."""
        field_of = {code: at for at, codes in enumerate(self.form.split()) for code in codes}
        return tuple(
            tuple(place for other, place in self.place_of.items() if field_of[other] != field)
            for field in map(field_of.__getitem__, self.place_of)
        )

    @cached_property
    def place_of_fact(self) -> dict[str, int]:
        """Return the place of each fact in `State.facts`, by its name."""
        return NamedPlaces(self.facts, "one of the facts")

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
        codes, forms = "".join(self.place_of), self.form.split()
        if sorted("".join(forms)) != sorted(codes):
            raise GameError(f"form is {self.form!r}", f"each code of a piece once, as in {codes!r}")
        fields = self.rows.split() or [self.board.format_rows({})] * len(forms)
        if len(fields) != len(forms):
            raise GameError(f"rows has {len(fields)} of the {len(forms)} fields of form")
        try:
            cells = self._cells(fields)
        except PositionError as error:
            raise GameError(f"rows: {error}") from None
        return State(self, cells, 0, tuple(self.facts.values()), Kept())

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
        state = State(self, self._cells(fields), mover, tuple(values), Kept())
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
        moves = self._first.legal_moves()
        plain = map(unescaped, moves) if self.escapes else moves
        known = (move for move, text in zip(moves, plain, strict=True) if self.is_move(text))
        return f"expected a move such as {next(known, moves[0])}"

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
        return images_of(self.board, self.symmetric)


def _read(fact: tuple[str, Extra], text: str) -> Extra:
    name, first = fact
    if not isinstance(first, int):
        return text
    if not re.fullmatch("-?[0-9]{1,9}", text):
        raise PositionError(f"{name} is {text!r}", "a whole number")
    return int(text)
