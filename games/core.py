"""The types and functions of games that other layers import, and those that build on symmetries."""

from __future__ import annotations

import re
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
    Lesson,
    Move,
    Outcome,
    P,
    Piece,
    Position,
    Result,
    Side,
    Symmetry,
)
from lath.games.errors import GameError, IllegalMoveError, MoveSyntaxError

__all__ = [
    "CELL_NAME",
    "FIRST_VERSION",
    "IDENTITY",
    "RESULTS",
    "SIDES",
    "Game",
    "Lesson",
    "Move",
    "Outcome",
    "P",
    "Piece",
    "Position",
    "Result",
    "Side",
    "Symmetry",
    "by_version",
    "escaped",
    "find",
    "follow",
    "found_with",
    "is_image_of",
    "is_image_of_line",
    "is_version",
    "layers_of",
    "least",
    "least_line",
    "meant_escape",
    "movers",
    "one_by_one",
    "owned_by",
    "perft",
    "plain_move",
    "read_move",
    "read_typed_move",
    "require_legal",
    "result_of",
    "symmetries",
    "unescaped",
    "version_of",
]

CELL_NAME: Final = re.compile(r"[a-z][0-9]+")
"""The form of a cell's name, such as `b2`, as it stands in moves."""

_FINDERS: Final[list[Callable[[str], Game]]] = []


def found_with(finder: Callable[[str], Game]) -> None:
    """Set the function that finds games by id; `lath.games.registry` calls this."""
    _FINDERS[:] = [finder]


def find(game_id: str, version: str = "") -> Game:
    """Return the game of an id, under a rules version or the current one; used for unpickling."""
    game = _FINDERS[0](game_id)
    return by_version(game, version) if version else game


def read_move(position: Position, text: str) -> Move:
    """Return the canonical text of a legal move.

    Raises MoveSyntaxError if the text is not a move of the game, and IllegalMoveError if the move
    is not legal in `position`.
    """
    move = position.game.canonical(text)
    require_legal(position, move)
    return move


def read_typed_move(position: Position, text: str) -> Move:
    """Return the legal move that a person typed: in canonical text, or without its escapes.

    Raises MoveSyntaxError and IllegalMoveError as `read_move` does.
    """
    try:
        return read_move(position, text)
    except GameError:
        if not text or (move := escaped(text.encode(errors="replace").decode())) == text:
            raise
        try:
            return read_move(position, move)
        except GameError:
            pass
        raise


_UNSAFE: Final = re.compile(rb"\A[^A-Za-z]|[^A-Za-z0-9+=:@/-]")
_ESCAPE: Final = re.compile(rb"%([0-9A-Fa-f]{2})")


def escaped(text: str) -> Move:
    """Return a text as a move that every record and the protocol can hold.

    Letters stay, and after the first character also digits and `+ - = : @ /`. Each byte of the
    UTF-8 of all other characters becomes `%` and its two hexadecimal digits, as in RFC 3986.
    Raises ValueError for an empty text and for characters that UTF-8 lacks.

    >>> escaped("b2xc3#"), escaped("0,1"), escaped("e4"), unescaped("%30%2C1")
    ('b2xc3%23', '%30%2C1', 'e4', '0,1')
    """
    if not text:
        raise ValueError("a move is a text of at least one character, found ''")
    return Move(_UNSAFE.sub(lambda found: b"%%%02X" % ord(found[0]), text.encode()).decode())


def unescaped(move: str) -> str:
    """Return the text whose `escaped` form is this move.

    Raises MoveSyntaxError if the move is not such a form, for example because `%61` stands for `a`.
    """
    right = meant_escape(move)
    if not move or right != move:
        raise MoveSyntaxError(move, f"expected {right or 'a text, or UTF-8 escaped by %XX'}")
    return _decoded(move)


def meant_escape(move: str) -> str:
    """Return the only escaped form of the text of a move; empty if its escapes are not UTF-8.

    >>> meant_escape("%61%2c%62"), meant_escape("%FF")
    ('a%2Cb', '')
    """
    try:
        return escaped(_decoded(move))
    except ValueError:
        return ""


def plain_move(move: str) -> str:
    """Return a move for people: without its escapes, if the text is printable.

    >>> plain_move("a%2Cb"), plain_move("a%0Ab"), plain_move("e5")
    ('a,b', 'a%0Ab', 'e5')
    """
    if "%" not in move or meant_escape(move) != move:
        return move
    text = _decoded(move)
    return text if text.isprintable() else move


def _decoded(move: str) -> str:
    """Return a move with each `%XX` as its byte; raises UnicodeError if this is not UTF-8."""
    return _ESCAPE.sub(lambda found: bytes.fromhex(found[1].decode()), move.encode()).decode()


def require_legal(position: Position, move: Move) -> None:
    """Raise IllegalMoveError, with the reason, if `move` is illegal in `position`."""
    reason = position.why_illegal(move)
    if reason is not None:
        raise IllegalMoveError(move, reason)


def perft(position: Position, depth: int) -> int:
    """Return the number of sequences of `depth` legal moves from a position; 0 if the game is over.

    >>> from lath import games
    >>> perft(games.get("surikata").start(), 2)
    600
    """
    if depth == 0:
        return 1
    paths = 0
    left: list[tuple[Position, int]] = [(position, depth)]
    while (
        left
    ):  # an explicit stack, because a game can have more plies than Python allows nested calls
        position, depth = left.pop()
        moves = position.legal_moves()
        if depth == 1:
            paths += len(moves)
        else:
            left += [(position.play(move), depth - 1) for move in moves]
    return paths


def owned_by(game: Game, seat: Side) -> tuple[str, ...]:
    """Return the codes of a player's own pieces: those named after the player's colour.

    >>> from lath import games
    >>> owned_by(games.get("mammalath"), Side.SECOND)
    ('b',)
    """
    colour = game.colours[seat]
    return tuple(piece.code for piece in game.pieces if colour in piece.name.split())


def is_image_of(positions: Iterable[Position]) -> Callable[[Position], bool]:
    """Return a function that tests whether a position is symmetric to one of `positions`.

    All positions must be of one game. The test equals a comparison of `least`, but looks up one
    image instead of computing all.

    >>> from lath import games
    >>> start = games.get("yavalath").start()
    >>> is_image_of([start.play(Move("a1"))])(start.play(Move("i5")))
    True
    """
    images = {way.position(each) for each in positions for way in symmetries(each)}
    return lambda position: symmetries(position)[0].position(position) in images


def least(position: P) -> P:
    """Return the least of the positions symmetric to this one: symmetric positions share it.

    Tuples are compared as tuples, other positions by their texts, so the result does not depend on
    the process.
    """
    images: list[Any] = [symmetry.position(position) for symmetry in symmetries(position)]
    first: P = min(images) if isinstance(position, tuple) else min(images, key=type(position).text)
    return first


@lru_cache(maxsize=4096)
def _ways_to_least(
    game_id: str,  # noqa: ARG001 - positions of two games may be equal tuples
    start: Any,  # hashable, which mypy cannot see from a protocol
) -> tuple[Position, tuple[Symmetry, ...]]:
    """Return the least symmetric position, and the symmetries that map `start` to it."""
    end: Position = least(start)
    return end, tuple(each for each in symmetries(start) if each.position(start) == end)


def least_line(start: Position, moves: Sequence[Move]) -> tuple[Position, tuple[Move, ...]]:
    """Return the least symmetric form of a line: its least start, and its moves from there.

    Two lines have the same form if a symmetry maps one to the other. The moves change only if the
    start is symmetric itself, such as an empty board.

    >>> from lath import games
    >>> least_line(games.get("yavalath").start(), [Move("i5"), Move("swap"), Move("e5")])[1]
    ('a1', 'swap', 'e5')
    """
    least_start, ways = _ways_to_least(start.game.id, cast("Any", start))
    return least_start, min(tuple(map(way.move, moves)) for way in ways)


def is_image_of_line(start: Position, moves: Sequence[Move]) -> Callable[[Sequence[Move]], bool]:
    """Return a function that tests whether a line from `start` is symmetric to these moves.

    The test equals a comparison of `least_line`, but looks up one image instead of computing all.

    >>> from lath import games
    >>> start = games.get("yavalath").start()
    >>> is_image_of_line(start, [Move("a1"), Move("swap")])([Move("i5"), Move("swap")])
    True
    """
    _, ways = _ways_to_least(start.game.id, cast("Any", start))
    images = {tuple(map(way.move, moves)) for way in ways}
    turned = ways[0].move
    return lambda line: tuple(map(turned, line)) in images
