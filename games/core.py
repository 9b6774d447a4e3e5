"""The door to what games are and can do, and what follows from both: images, counts, read moves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any, Final, cast

from lath.games.capabilities import (
    FIRST_VERSION,
    by_version,
    follow,
    is_version,
    layers_of,
    movers,
    one_by_one,
    result_of,
    symmetries,
    version_of,
)
from lath.games.contract import (
    IDENTITY,
    RESULTS,
    SIDES,
    Game,
    Move,
    Outcome,
    P,
    Piece,
    Position,
    Result,
    Side,
    Symmetry,
)
from lath.games.errors import IllegalMoveError

__all__ = [
    "FIRST_VERSION",
    "IDENTITY",
    "RESULTS",
    "SIDES",
    "Game",
    "Move",
    "Outcome",
    "P",
    "Piece",
    "Position",
    "Result",
    "Side",
    "Symmetry",
    "by_version",
    "find",
    "follow",
    "found_with",
    "is_image_of",
    "is_image_of_line",
    "is_version",
    "layers_of",
    "least",
    "least_line",
    "movers",
    "one_by_one",
    "owned_by",
    "perft",
    "read_move",
    "require_legal",
    "result_of",
    "symmetries",
    "version_of",
]

_FINDERS: Final[list[Callable[[str], Game]]] = []


def found_with(finder: Callable[[str], Game]) -> None:
    """Name what finds games by their ids: `lath.games.registry` does so."""
    _FINDERS[:] = [finder]


def find(game_id: str, version: str = "") -> Game:
    """Return the game of this id, as `games.get` does, by some of its rules; games unpickle so."""
    game = _FINDERS[0](game_id)
    return by_version(game, version) if version else game


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


def owned_by(game: Game, seat: Side) -> tuple[str, ...]:
    """Return the codes of a player's own pieces: those with the word for her colour in the name.

    >>> from lath import games
    >>> owned_by(games.get("mammalath"), Side.SECOND)
    ('b',)
    """
    colour = game.colours[seat]
    return tuple(piece.code for piece in game.pieces if colour in piece.name.split())


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
    start: Any,  # hashable, which mypy does not see of a protocol
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
    least_start, ways = _ways_to_least(start.game.id, cast("Any", start))
    return least_start, min(tuple(map(way.move, moves)) for way in ways)


def is_image_of_line(start: Position, moves: Sequence[Move]) -> Callable[[Sequence[Move]], bool]:
    """Return what says whether moves from `start` are an image of these from there.

    The same as to compare the `least_line` of both, but quick: an image each is looked up.

    >>> from lath import games
    >>> start = games.get("yavalath").start()
    >>> is_image_of_line(start, [Move("a1"), Move("swap")])([Move("i5"), Move("swap")])
    True
    """
    _, ways = _ways_to_least(start.game.id, cast("Any", start))
    images = {tuple(map(way.move, moves)) for way in ways}
    turned = ways[0].move
    return lambda line: tuple(map(turned, line)) in images
