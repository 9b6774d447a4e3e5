"""What every game is: moves, sides, outcomes, positions, errors, and what follows from them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from functools import lru_cache
from typing import Any, Final, Literal, NewType, Protocol, Self, TypeVar

from lath.games.board import Board
from lath.games.errors import IllegalMoveError, RulesVersionError

Move = NewType("Move", str)
"""A move in its canonical text; only the game that made it knows what it means."""


class Side(IntEnum):
    """Who decides: *first* makes the first decision of the game."""

    FIRST = 0
    SECOND = 1

    @property
    def other(self) -> Side:
        """Return the opponent's seat."""
        return SIDES[1 - self]

    @property
    def word(self) -> str:
        """Return the seat's name in records and in the protocol: `first` or `second`."""
        return self.name.lower()


SIDES: Final = (Side.FIRST, Side.SECOND)


class Result(StrEnum):
    """What a game came to: the text that records write, which knows who won and what that is worth.

    >>> Result("0-1").winner, Result("0-1").points, Result("0-1").reversed.points
    (<Side.SECOND: 1>, (0.0, 1.0), (1.0, 0.0))
    """

    FIRST_WON = "1-0"
    SECOND_WON = "0-1"
    DRAWN = "1/2-1/2"
    UNFINISHED = "*"

    @classmethod
    def won_by(cls, winner: Side | None) -> Result:
        """Return the result of a game that a side won; of a draw if that is None."""
        return cls.DRAWN if winner is None else _WON[winner]

    @property
    def is_finished(self) -> bool:
        """Return whether the game has been won or drawn."""
        return self is not Result.UNFINISHED

    @property
    def winner(self) -> Side | None:
        """Return the side that won; None if the game is drawn or not finished."""
        return SIDES[_WON.index(self)] if self in _WON else None

    @property
    def loser(self) -> Side | None:
        """Return the side that lost; None if the game is drawn or not finished."""
        return self.reversed.winner

    @property
    def reversed(self) -> Result:
        """Return the result with the sides swapped."""
        return _WON[1 - _WON.index(self)] if self in _WON else self

    @property
    def points(self) -> tuple[float, float]:
        """Return the points of first and second; 0 for both if the game is not finished."""
        return _POINTS[self]


RESULTS: Final = {result.value: result for result in Result}
"""The results by their texts: first won, second won, a draw, not finished."""

_WON: Final = (Result.FIRST_WON, Result.SECOND_WON)
"""The results of games that somebody won, by the winner."""

_POINTS: Final = dict(zip(Result, ((1.0, 0.0), (0.0, 1.0), (0.5, 0.5), (0.0, 0.0)), strict=True))


_HAPPENED: Final = {
    "made": re.compile("(one|two|three|four|five|six|seven|eight|nine) "),
    "made a": re.compile("group of "),
    "had": re.compile("no "),
}
"""What is made, and what one has; of other endings it is said who won or lost by them."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended by its rules: why, apart from who."""

    winner: Side | None
    """The winner's seat; None for a draw."""

    ending: str
    """Why, in a few words of the game, such as `four in line`."""

    cells: tuple[str, ...] = ()
    """The cells that decided, in the board's order; empty when no cell did."""

    is_loss: bool = False
    """Whether the ending is what the loser made or had, such as three in line where that loses."""

    @property
    def result(self) -> Result:
        """Return the result.

        >>> print(Outcome(None, "board full").result)
        1/2-1/2
        """
        return Result.won_by(self.winner)

    def told(self, first: str, second: str) -> str:
        """Return how it ended, in a sentence with both names.

        >>> Outcome(Side.FIRST, "three in line", is_loss=True).told("ann", "bob")
        'bob made three in line and lost'
        >>> Outcome(Side.FIRST, "last row reached").told("ann", "bob")
        'ann won: last row reached'
        """
        if self.winner is None:
            return f"a draw: {self.ending}"
        whose = (first, second)[self.winner.other if self.is_loss else self.winner]
        came = "lost" if self.is_loss else "won"
        verb = next((verb for verb, words in _HAPPENED.items() if words.match(self.ending)), "")
        return (
            f"{whose} {verb} {self.ending} and {came}" if verb else f"{whose} {came}: {self.ending}"
        )


@dataclass(frozen=True, slots=True)
class Piece:
    """How one letter of a board is drawn."""

    code: str
    """The letter, as `Position.contents` gives it."""

    name: str
    """In the game's words, such as `white token` or `meerkat`; a player's own pieces have the word
    for her colour in it."""

    shape: Literal["tile", "disc", "block", "marker"]
    """A `tile` lies under everything, a `disc` is a player's piece, a `block` fills its cell for
    good, a `marker` stands on top."""

    colour: str
    """Fill colour, `#rrggbb`."""

    glyph: str = ""
    """Its outline as SVG path data, where the shape alone is too plain: a square of 100 units, the
    middle being 0 0, holes by the even-odd rule. A tile's glyph is solid in the middle, for the
    letter stands there."""


@dataclass(frozen=True, slots=True)
class Symmetry:
    """A way to turn a game, or to rename things in it, of which its rules take no notice.

    Whatever may be played, and comes of it, is the same before and after: the moves of the image
    of a position are the images of its moves.
    """

    move: Callable[[Move], Move]
    """Returns the image of a move, which is in canonical text; legality does not matter."""

    position: Callable[[Any], Any]
    """Returns the image of a position of the game."""


IDENTITY: Final = Symmetry(lambda move: move, lambda position: position)
"""What every game has, and a game that says nothing of symmetries alone."""


class Position(Protocol):
    """A state that the rules can reach. Immutable and hashable; equal states are equal.

    A game may give its positions some members more, for speed: `result`, what `outcome().result`
    is, or `*` while the game goes on; `after(moves)`, the position after all of them, as playing
    them one by one would have it, or None where that would fail, for a text that is not canonical
    or a move that is not legal; `movers(moves)`, who decides on each of moves that can be played
    one after the other, and who after the last; `legal_bits`, the sum of the game's `bits` of all
    legal moves; and `layers()`, pairs of a piece's code and the cells where it lies, lowest first.
    """

    @property
    def game(self) -> Game:
        """Return the game that this is a position of."""

    @property
    def to_move(self) -> Side:
        """Return who decides next; on a finished position, who would."""

    @property
    def is_over(self) -> bool:
        """Return whether the game has ended here by its rules."""

    def outcome(self) -> Outcome | None:
        """Return how the game ended here; None while it goes on."""

    def legal_moves(self) -> tuple[Move, ...]:
        """Return every legal move in the order of rules.md; empty once the game is over."""

    def why_illegal(self, move: Move) -> str | None:
        """Return in the game's words why `move` may not be played here; None when it may."""

    def play(self, move: Move) -> Self:
        """Return the position after `move`, which is in canonical text.

        Raises IllegalMoveError, also for a text that is no move of the game.
        """

    def text(self) -> str:
        """Return the whole state as text; `Game.position` reads it back."""

    def contents(self) -> tuple[str, ...]:
        """Return what lies on each cell, in the order of `Board.names`.

        Each is a text of piece codes from the bottom up, empty for an empty cell.
        """


P = TypeVar("P", bound=Position)


class Game(Protocol):
    """One set of rules. There is one object a game: `games.get(id)`.

    A game may have some members more. `parameters` and `variant` are for games of a family, see
    `lath.games.parameters`. `rules` is the version of its rules, `1` where it says nothing, and
    `earlier` has the games by the versions before, see `by_version` below.

    And it may have `symmetries(position)`, a tuple of each `Symmetry` of its rules or, where they
    are many, of so many that positions which are images of each other have the same images. See
    `symmetries` below for a game without it, and `least` for what it is good for. Another is
    `moves`, a mapping of every way to write a move, legal or not, to the one way; with positions
    that have `legal_bits` it has `bits`, a mapping of every move to a power of two of its own. And
    `fast(position)` is a board for searches, see `lath.games.fast`. `alike` has the codes of pieces
    that only their names tell apart, so that `symmetries` rename them as they lie on the board;
    what is named by one then takes away all of it. A `card` has the rules in a few
    lines for a person: the goal first, then what a turn is; without it `cards.card_of` takes
    the docstring.
    """

    @property
    def id(self) -> str:
        """Return the name in records and on the command line, such as `manalath-61`."""

    @property
    def title(self) -> str:
        """Return the name for people, such as `Manalath (61 cells)`."""

    @property
    def credit(self) -> str:
        """Return inventor and year, for people."""

    @property
    def colours(self) -> tuple[str, str]:
        """Return the words for first's and second's colour."""

    @property
    def board(self) -> Board:
        """Return the cells."""

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """Return everything that `Position.contents` can name."""

    @property
    def has_setups(self) -> bool:
        """Return whether something lies on the board before the first decision."""

    def draw_setup(self, seed: int) -> str | None:
        """Return a setup drawn from `seed`, in canonical text; None if the game has none."""

    def start(self, setup: str | None = None) -> Position:
        """Return the position before the first decision.

        Without `setup`: the game's plainest. Raises SetupError.
        """

    def canonical_setup(self, setup: str) -> str:
        """Return the one way to write `setup`. Raises SetupError."""

    def position(self, text: str) -> Position:
        """Return the position that `text` describes; raises PositionError with the reason."""

    def canonical(self, text: str) -> Move:
        """Return the one way to write the move; raises MoveSyntaxError."""


_FINDERS: Final[list[Callable[[str], Game]]] = []


def found_with(finder: Callable[[str], Game]) -> None:
    """Name what finds games by their ids: `lath.games.registry` does so."""
    _FINDERS[:] = [finder]


def find(game_id: str, version: str = "") -> Game:
    """Return the game of this id, as `games.get` does, by some of its rules; games unpickle so."""
    game = _FINDERS[0](game_id)
    return by_version(game, version) if version else game


FIRST_VERSION: Final = "1"
"""Of the rules of a game that says nothing of versions, and of records that say nothing."""


def version_of(game: Game) -> str:
    """Return the version of a game's rules: a whole number as text.

    >>> from lath import games
    >>> version_of(games.get("yavalath"))
    '1'
    """
    version: str = getattr(game, "rules", FIRST_VERSION)
    return version


def is_version(text: str) -> bool:
    """Return whether a text is a version of rules: a whole number from 1 on, of a few digits."""
    return text.isascii() and text.isdigit() and text[0] != "0" and len(text) < 10


def by_version(game: Game, version: str) -> Game:
    """Return the game by a version of its rules; raises RulesVersionError with the reason.

    An earlier version has the same id, and is no game that anybody plays any more.
    """
    present = version_of(game)
    if version == present:
        return game
    earlier: Mapping[str, Game] = getattr(game, "earlier", {})
    if version in earlier:
        return earlier[version]
    if not is_version(version):
        raise RulesVersionError(f"{version!r} is no version of the rules of {game.id}")
    is_old = int(version) < int(present)
    raise RulesVersionError(
        f"played by version {version} of the rules of {game.id}, which this arena "
        f"{'no longer has' if is_old else 'does not have yet'}: not checked"
    )


def read_move(position: Position, text: str) -> Move:
    """Return the canonical text of a legal move.

    Raises MoveSyntaxError where the text is no move of the game and IllegalMoveError where the
    move is not legal in `position`.
    """
    move = position.game.canonical(text)
    require_legal(position, move)
    return move


def require_legal(position: Position, move: Move) -> None:
    """Raise IllegalMoveError, with the reason, where `move` may not be played in `position`."""
    reason = position.why_illegal(move)
    if reason is not None:
        raise IllegalMoveError(move, reason)


def perft(position: Position, depth: int) -> int:
    """Return how many paths of `depth` moves start here; finished games have none.

    >>> from lath import games
    >>> perft(games.get("surikata").start(), 2)
    600
    """
    if depth == 0:
        return 1
    paths = 0
    left: list[tuple[Position, int]] = [(position, depth)]
    while left:  # a stack of our own: a game may be longer than calls may be nested
        position, depth = left.pop()
        moves = position.legal_moves()
        if depth == 1:
            paths += len(moves)
        else:
            left += [(position.play(move), depth - 1) for move in moves]
    return paths


def result_of(position: Position) -> Result:
    """Return the result; the game is not finished while its rules let it go on."""
    result: str | None = getattr(position, "result", None)
    if result is None:
        outcome = position.outcome()
        return outcome.result if outcome else Result.UNFINISHED
    return RESULTS[result]


def symmetries(position: Position) -> tuple[Symmetry, ...]:
    """Return the symmetries that a game tells of at a position; the identity where it does not.

    >>> from lath import games
    >>> start = games.get("yavalath").start()
    >>> sorted({symmetry.move(Move("a1")) for symmetry in symmetries(start)})
    ['a1', 'a5', 'e1', 'e9', 'i1', 'i5']
    """
    offered = getattr(position.game, "symmetries", None)
    return (IDENTITY,) if offered is None else tuple(offered(position))


def is_image_of(positions: Iterable[Position]) -> Callable[[Position], bool]:
    """Return what says whether a position is an image of one of these, all of one game.

    The same as to compare the `least` of both, but quick: an image each is looked up.

    >>> from lath import games
    >>> start = games.get("yavalath").start()
    >>> is_image_of([start.play(Move("a1"))])(start.play(Move("i5")))
    True
    """
    images = {way.position(each) for each in positions for way in symmetries(each)}
    return lambda position: symmetries(position)[0].position(position) in images


def layers_of(position: Position) -> dict[str, int]:
    """Return the cells where each piece lies, as `Board.bit` has them, by its code.

    >>> from lath import games
    >>> layers_of(games.get("yavalath").start().play(Move("a1")))
    {'w': 1, 'b': 0}
    """
    layers: Callable[[], Iterable[tuple[str, int]]] | None = getattr(position, "layers", None)
    if layers is not None:
        return dict(layers())
    game = position.game
    found = dict.fromkeys((piece.code for piece in game.pieces), 0)
    for bit, content in zip(game.board.name, position.contents(), strict=True):
        for code in content:
            found[code] |= bit
    return found


def owned_by(game: Game, seat: Side) -> tuple[str, ...]:
    """Return the codes of a player's own pieces: those with the word for her colour in the name.

    >>> from lath import games
    >>> owned_by(games.get("mammalath"), Side.SECOND)
    ('b',)
    """
    colour = game.colours[seat]
    return tuple(piece.code for piece in game.pieces if colour in piece.name.split())


def least(position: P) -> P:
    """Return the least image of a position: positions have the same if they are the same game.

    Which one that is is the same everywhere: positions that are tuples are compared as tuples,
    others by their texts.
    """
    images: list[Any] = [symmetry.position(position) for symmetry in symmetries(position)]
    first: P = min(images) if isinstance(position, tuple) else min(images, key=type(position).text)
    return first


@lru_cache(maxsize=4096)
def _ways_to_least(
    game_id: str,  # noqa: ARG001 - positions of two games may be equal tuples
    start: Any,
) -> tuple[Position, tuple[Symmetry, ...]]:
    """Return the least image of a position and the symmetries that lead there."""
    end: Position = least(start)
    return end, tuple(each for each in symmetries(start) if each.position(start) == end)


def least_line(start: Position, moves: Sequence[Move]) -> tuple[Position, tuple[Move, ...]]:
    """Return the least image of a line: from where it begins, which is least, and its moves.

    Lines have the same if some symmetry takes one to the other. A start that is symmetrical itself,
    such as an empty board, folds their moves; a setup that is not leaves them as they are.

    >>> from lath import games
    >>> least_line(games.get("yavalath").start(), [Move("i5"), Move("swap"), Move("e5")])[1]
    ('a1', 'swap', 'e5')
    """
    begun: Any = start  # hashable, which mypy does not see of a protocol
    least_start, ways = _ways_to_least(start.game.id, begun)
    return least_start, min(tuple(map(way.move, moves)) for way in ways)


def is_image_of_line(start: Position, moves: Sequence[Move]) -> Callable[[Sequence[Move]], bool]:
    """Return what says whether moves from `start` are an image of these from there.

    The same as to compare the `least_line` of both, but quick: an image each is looked up.

    >>> from lath import games
    >>> start = games.get("yavalath").start()
    >>> is_image_of_line(start, [Move("a1"), Move("swap")])([Move("i5"), Move("swap")])
    True
    """
    begun: Any = start  # hashable, which mypy does not see of a protocol
    _, ways = _ways_to_least(start.game.id, begun)
    images = {tuple(map(way.move, moves)) for way in ways}
    turned = ways[0].move
    return lambda line: tuple(map(turned, line)) in images


def follow(position: Position, moves: Sequence[str]) -> Position | None:
    """Return the position after `moves`; None where one of them is not canonical or not legal."""
    after: Callable[[Sequence[str]], Position | None] | None = getattr(position, "after", None)
    return one_by_one(position, moves) if after is None else after(moves)


def movers(position: Position, moves: Sequence[str]) -> Sequence[Side]:
    """Return who decides on each of `moves`, all of which can be played, and who after the last.

    >>> from lath import games
    >>> [seat.word for seat in movers(games.get("yavalath").start(), ["e5", "swap"])]
    ['first', 'second', 'first']
    """
    told: Callable[[Sequence[str]], Sequence[Side]] | None = getattr(position, "movers", None)
    if told is not None:
        return told(moves)
    seats = [position.to_move]
    for move in moves:
        position = position.play(Move(move))
        seats.append(position.to_move)
    return seats


def one_by_one(position: P, moves: Sequence[str]) -> P | None:
    """Return what `follow` does, playing each move for itself."""
    for move in moves:
        if position.why_illegal(Move(move)) is not None:
            return None
        position = position.play(Move(move))
    return position
