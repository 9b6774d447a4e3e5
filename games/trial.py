"""Whether a game keeps what `lath.games.core` promises: one game at random is played to see it.

Who brings rules of his own hears of a slip before a tournament begins. The contract tests look
closer. Must not know any game, nor where one comes from.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any, Final

from lath.games.board import Board
from lath.games.core import Outcome, Piece

MOST_PLIES: Final = 200

_MOVE: Final = re.compile(r"[A-Za-z][A-Za-z0-9+=:@/-]*")
"""What a record can hold as a move."""

_MEMBERS: Final = (
    *("game", "to_move", "is_over", "outcome", "legal_moves"),
    *("why_illegal", "play", "text", "contents"),
)
"""What every position has."""


def wrong_with(game: Any) -> str:
    """Return the first thing that is wrong with a game; empty where a random game shows nothing.

    Whatever the rules raise comes through.

    >>> from lath import games
    >>> wrong_with(games.get("mammalath"))
    ''
    """
    return next(_wrong(game), "")


def _wrong(game: Any) -> Iterator[str]:
    yield from _wrong_looks(game)
    setup = game.draw_setup(1) if game.has_setups else None
    if setup is not None and game.canonical_setup(setup) != setup:
        yield f"draw_setup(1) is {setup!r}, which canonical_setup writes otherwise"
    called = "start()" if setup is None else f"start({setup!r})"
    position, moves = game.start(setup), list[str]()
    chance = Random(1)
    for _ in range(MOST_PLIES):
        after = f"after {' '.join(moves[-4:])} (ply {len(moves)}): " if moves else ""
        called = called if not moves else f"play({moves[-1]!r})"
        if lacking := [name for name in _MEMBERS if not hasattr(position, name)]:
            yield f"{called} returned {_shown(position)}, which has no {', '.join(lacking)}"
        yield from (f"{after}{words}" for words in _wrong_at(game, position))
        if position.is_over:
            return
        move = chance.choice(position.legal_moves())
        if (why := position.why_illegal(move)) is not None:
            yield f"{after}{move} is among legal_moves(), but why_illegal says {why!r}"
        moves.append(move)
        before, position = (position, position.text()), position.play(move)
        if before[0].text() != before[1]:
            yield f"{after}play({move!r}) has changed the position that it was played in"


def _wrong_looks(game: Any) -> Iterator[str]:
    """Yield what is wrong with the attributes of a game."""
    for name in ("title", "credit"):
        if not isinstance(value := getattr(game, name), str) or not value:
            yield f"{name} is {_shown(value)}, expected a text"
    colours = game.colours
    if not (_are(colours, str) and len(set(colours)) == len(colours) == 2):
        yield f"colours are {_shown(colours)}, expected two words for first and second"
    if not isinstance(game.board, Board):
        yield f"board is {_shown(game.board)}, expected a Board of lath.games.board"
    if not _are(game.pieces, Piece):
        yield f"pieces are {_shown(game.pieces)}, expected a tuple of Piece"
    codes = [piece.code for piece in game.pieces]
    if not len(set(codes)) == len(codes) == len("".join(codes)):
        yield f"pieces have the codes {codes}, expected a letter of its own for each"


def _wrong_at(game: Any, position: Any) -> Iterator[str]:
    """Yield what is wrong with one position."""
    if position.to_move not in (0, 1):
        yield f"to_move is {_shown(position.to_move)}, expected Seat.FIRST or Seat.SECOND"
    outcome, moves = position.outcome(), position.legal_moves()
    if not isinstance(moves, tuple):
        yield f"legal_moves() is {_shown(moves)}, expected a tuple"
    if outcome is not None and not isinstance(outcome, Outcome):
        yield f"outcome() is {_shown(outcome)}, expected an Outcome or None"
    if position.is_over != (outcome is not None):
        yield f"is_over is {position.is_over}, but outcome() is {_shown(outcome)}"
    if bool(moves) == (outcome is not None):
        yield f"there are {len(moves)} legal moves, but outcome() is {_shown(outcome)}"
    if len(set(moves)) != len(moves):
        yield "legal_moves() has a move twice"
    for move in moves:
        if not isinstance(move, str) or not _MOVE.fullmatch(move):
            yield (
                f"{_shown(move)} is no move that a record can hold: expected a letter, then "
                "letters, digits or any of + - = : @ /"
            )
        if (text := game.canonical(move)) != move:
            yield f"canonical({move!r}) is {_shown(text)}, but legal_moves() writes {move!r}"
    yield from _wrong_texts(game, position)


def _wrong_texts(game: Any, position: Any) -> Iterator[str]:
    """Yield what is wrong with what a position says of itself."""
    text, contents = position.text(), position.contents()
    if not isinstance(text, str):
        yield f"text() is {_shown(text)}, expected a text"
    again = game.position(text)
    if again != position or hash(again) != hash(position):
        yield f"position({text!r}), its own text, is another position"
    cells, codes = game.board.names, {piece.code for piece in game.pieces}
    if not isinstance(contents, Sequence) or len(contents) != len(cells):
        yield f"contents() is {_shown(contents)}, expected a text for each of {len(cells)} cells"
    if strange := sorted(set("".join(contents)) - codes):
        yield f"contents() has {strange[0]!r}, expected codes of pieces: {', '.join(sorted(codes))}"


def _are(values: object, kind: type) -> bool:
    return isinstance(values, tuple) and all(isinstance(value, kind) for value in values)


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
