"""The positions of a `SimpleGame`, and what its author can ask of them and change in them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from os.path import commonprefix
from typing import Any, NamedTuple, Protocol

from lath.games.authors import (
    is_fact,
    moves_of,
    refuse_ending,
    refuse_move,
    refuse_position,
    shown,
)
from lath.games.capabilities import hash_of
from lath.games.core import (
    CELL_NAME,
    RESULTS,
    SIDES,
    Game,
    Move,
    Outcome,
    Result,
    Side,
    escaped,
    require_legal,
    unescaped,
)
from lath.games.errors import GameError

Extra = int | str
"""The value of a fact beside the board: a number, or a text without spaces."""


class Kept:
    """The computed values of a position; `None` is not computed yet."""

    __slots__ = ("begun", "hash", "legal", "outcome")

    def __init__(self) -> None:
        self.begun: Iterator[str] = iter(())
        """The legal moves that the game has not been asked for yet."""
        self.legal: tuple[Move, ...] | None = None
        self.outcome: Outcome | bool | None = None
        """False if the game is not over."""
        self.hash: int | None = None


class WrittenGame(Game, Protocol):
    """The members of a `SimpleGame` that its positions use."""

    @property
    def facts(self) -> Mapping[str, Extra]: ...  # noqa: D102 - `SimpleGame` describes them
    @property
    def form(self) -> str: ...  # noqa: D102
    @property
    def letters(self) -> str: ...  # noqa: D102
    @property
    def escapes(self) -> bool: ...  # noqa: D102
    @property
    def place_of(self) -> Mapping[str, int]: ...  # noqa: D102
    @property
    def place_of_fact(self) -> Mapping[str, int]: ...  # noqa: D102
    @property
    def places_of_side(self) -> Sequence[Sequence[int]]: ...  # noqa: D102
    @property
    def beside(self) -> Sequence[Sequence[int]]: ...  # noqa: D102
    def legal(self, state: Any, /) -> Iterable[str]: ...  # noqa: D102
    def after(self, state: Any, move: str, /) -> State: ...  # noqa: D102
    def ending(self, state: Any, /) -> Outcome | None: ...  # noqa: D102
    def stuck_at(self, state: Any, /) -> Outcome: ...  # noqa: D102
    def why(self, state: Any, move: str, /) -> str | None: ...  # noqa: D102


class _Fields(NamedTuple):
    game: WrittenGame
    cells: tuple[int, ...]
    """The cells of each piece as a mask of `Board.bit`, in the order of `game.pieces`."""

    mover: int
    """The side to move, 0 or 1."""

    facts: tuple[Extra, ...]
    """The values of the game's `facts`, in their order."""

    kept: Kept
    stays: bool = False
    """True if the move that makes the position leaves the turn with its player; see `again`."""


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
        """Return the cells of the pieces of the other player; `ending` sees the last mover's."""
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

    def put(self, cells: str | int, code: str = "") -> State:
        """Return the position with a piece on a cell, or on each cell of a mask.

        It replaces a piece there, unless `form` has both in different fields. Default for `code`:
        the mover's first piece.
        """
        game = self.game
        own = game.places_of_side[self.mover]
        if not code and not own:
            what = f"no piece is named after {game.colours[self.mover]}"
            raise GameError(f"put({cells!r}) has no code, and {what}", "the code of a piece")
        place = game.place_of[code] if code else own[0]
        bits = game.board.bit[cells] if isinstance(cells, str) else cells
        gone, beside = ~bits, game.beside[place]
        masks = [mask & gone for mask in self.cells]
        for other in beside:
            masks[other] = self.cells[other]
        masks[place] |= bits
        return State(game, tuple(masks), self.mover, self.facts, Kept(), self.stays)

    def take(self, cells: str | int) -> State:
        """Return the position without the pieces on a cell, or on a mask of cells."""
        gone = ~(self.game.board.bit[cells] if isinstance(cells, str) else cells)
        return self._with([mask & gone for mask in self.cells])

    def step(self, start: str, end: str) -> State:
        """Return the position with the top piece of one cell on another, whose pieces are gone."""
        bit = self.game.board.bit
        place = max((i for i, mask in enumerate(self.cells) if mask & bit[start]), default=-1)
        if place < 0:
            raise GameError(f"step({start!r}, {end!r}) begins on an empty cell", "a piece there")
        cells = [mask & ~bit[end] for mask in self.cells]
        cells[place] = cells[place] & ~bit[start] | bit[end]
        return self._with(cells)

    def with_cells(self, changed: Mapping[int | str, int]) -> State:
        """Return the position with other masks for some pieces, given by code or place."""
        cells = list(self.cells)
        for which, mask in changed.items():
            cells[self.game.place_of[which] if isinstance(which, str) else which] = mask
        return self._with(cells)

    def set(self, name: str, value: Extra) -> State:
        """Return the position with another value of a fact."""
        place = self.game.place_of_fact[name]
        if not is_fact(value):
            raise GameError(f"set({name!r}, {shown(value)})", "a number, or a text without spaces")
        facts = (*self.facts[:place], value, *self.facts[place + 1 :])
        return State(self.game, self.cells, self.mover, facts, Kept(), self.stays)

    def add(self, name: str, by: int) -> State:
        """Return the position with a number beside the board increased."""
        return self.set(name, self.fact(name) + by)

    def again(self) -> State:
        """Return the position in which the same player makes the next move, too.

        If the move ends the game, the turn passes, so that `State.won` names who made it.
        """
        return State(self.game, self.cells, self.mover, self.facts, Kept(), True)

    def _with(self, cells: Iterable[int]) -> State:
        return State(self.game, tuple(cells), self.mover, self.facts, Kept(), self.stays)

    # For authors of games: how it ends

    def won(self, ending: str, lines: int | Iterable[int] = ()) -> Outcome:
        """Return that the player of the last move wins: the one who is not to move.

        `lines` are the cells that decide it: a mask, or several. Words that begin with a number and
        `in`, `with` or `without` are what the player made; see `Outcome.told`.
        """
        return Outcome(SIDES[1 - self.mover], ending, self._named(lines))

    def lost(self, ending: str, lines: int | Iterable[int] = ()) -> Outcome:
        """Return that the player of the last move loses by what that player made."""
        return Outcome(SIDES[self.mover], ending, self._named(lines), is_loss=True)

    def drawn(self, ending: str) -> Outcome:
        """Return that the game is drawn."""
        return Outcome(None, ending)

    def _named(self, lines: int | Iterable[int]) -> tuple[str, ...]:
        masks = (lines,) if isinstance(lines, int) else (*lines,)
        if not all(isinstance(mask, int) for mask in masks):
            what = f"the cells of an ending are {shown(lines)}"
            raise GameError(what, "sets of cells, such as state.theirs")
        return self.game.board.names_of(masks)

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
            found = self._ended()
            begun = moves_of(() if found else game.legal(self))
            for first in begun:
                if not isinstance(first, str):
                    refuse_move(first)
                begun = chain((first,), begun)
                break
            else:
                found = found or game.stuck_at(self)
            kept.begun, kept.outcome = begun, found or False
        return kept.outcome if isinstance(kept.outcome, Outcome) else None

    def _ended(self) -> Outcome | None:
        found = self.game.ending(self)
        if found and not isinstance(found, Outcome):
            refuse_ending(found)
        return found or None

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
        made = self.game.after(self, text)
        if not isinstance(made, State):
            refuse_position(made)
        game, cells, mover, facts, _, stays = made
        passed = State(game, cells, 1 - mover, facts, Kept())
        return State(game, cells, mover, facts, Kept()) if stays and not passed._ended() else passed

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
        return self._with(map(mask, self.cells))

    def _repr_html_(self) -> str:
        """Return the HTML that notebooks show."""
        from lath.games.drawing.board import html  # start-up time

        return html(self)


def _state(
    game: WrittenGame, cells: tuple[int, ...], mover: int, facts: tuple[Extra, ...]
) -> State:
    return State(game, cells, mover, facts, Kept())


def _continues(begun: str, move: str) -> bool:
    """Return whether a move begins with a text that does not end within a number, as in `a1`."""
    return move.startswith(begun) and not (begun[-1:] + move[len(begun) :][:1]).isdigit()
