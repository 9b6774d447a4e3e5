"""Whether a game keeps what `lath.games.core` promises: games at random are played to see it.

Who brings rules of his own hears of a slip before a tournament begins. The contract tests look
closer.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any, Final

from lath.games.board import Board
from lath.games.capabilities import lacking
from lath.games.contract import Outcome, Piece, Position
from lath.games.errors import GameError

MOST_PLIES: Final = 200
"""Of each game."""

GAMES: Final = 50
"""So many at random show what one game in ten has, but for one time in twenty."""

LOOKS: Final = 12
"""So many moves of a position are tried for one that does not end the game, where it is to be long.
"""

SECONDS: Final = 1.0
"""How long that takes at most, but for a call of the rules that is just going on."""

_MOVE: Final = re.compile(r"[A-Za-z][A-Za-z0-9+=:@/-]*")
"""What a record can hold as a move."""


def wrong_with(
    game: Any,
    *,
    games: int = GAMES,
    seconds: float = SECONDS,
    clock: Callable[[], float] = time.thread_time,
) -> str:
    """Return the first thing that is wrong with a game; empty where random games show nothing.

    They are so many, and end after so long, by a clock of the time that this thread computes.
    Whatever the rules raise comes through, with the moves to it as a note.

    >>> from lath import games
    >>> wrong_with(games.get("mammalath"))
    ''
    """
    return next(_wrong(game, games, seconds, clock), "")


def _wrong(game: Any, games: int, seconds: float, clock: Callable[[], float]) -> Iterator[str]:
    yield from _wrong_looks(game)
    until_s = clock() + seconds
    for seed in range(1, games + 1):
        moves = list[str]()
        try:
            yield from _wrong_game(game, seed, moves, lambda: clock() > until_s)
        except Exception as error:
            if moves:
                error.add_note(f"ply {len(moves)}, after {' '.join(moves)}")
            raise
        if clock() > until_s:
            return


def _wrong_game(
    game: Any, seed: int, moves: list[str], is_late: Callable[[], bool]
) -> Iterator[str]:
    """Yield what is wrong in one random game, whose moves are added to `moves`."""
    setup = game.draw_setup(seed) if game.has_setups else None
    if setup is not None and game.canonical_setup(setup) != setup:
        yield f"draw_setup({seed}) is {setup!r}, which canonical_setup writes otherwise"
    called = "start()" if setup is None else f"start({setup!r})"
    position = game.start(setup)
    chance = Random(seed)
    while len(moves) < MOST_PLIES:
        after = f"ply {len(moves)}, after {' '.join(moves)}: " if moves else ""
        called = called if not moves else f"play({moves[-1]!r})"
        if missing := lacking(position, Position):
            yield f"{called} returned {_shown(position)}, which has no {', '.join(missing)}"
        yield from (f"{after}{words}" for words in _wrong_at(game, position))
        if position.is_over:
            return
        legal = position.legal_moves()
        for each in legal:
            if (why := position.why_illegal(each)) is not None:
                yield f"{after}{each} is among legal_moves(), but why_illegal says {why!r}"
            if is_late():
                return
        move = chance.choice(legal)
        if not seed % 2:  # every second game is long: boards fill
            others = chance.sample(legal, min(LOOKS, len(legal)))
            move = next((each for each in others if not _ends(position, each, moves)), move)
        moves.append(move)
        before, position = (position, position.text()), position.play(move)
        if before[0].text() != before[1]:
            yield f"{after}play({move!r}) has changed the position that it was played in"


def _ends(position: Any, move: str, moves: list[str]) -> bool:
    """Return whether a move ends the game; where the rules raise something it is among `moves`."""
    moves.append(move)
    is_over = bool(position.play(move).is_over)
    moves.pop()
    return is_over


def _wrong_looks(game: Any) -> Iterator[str]:
    """Yield what is wrong with the attributes of a game."""
    for name, value in (("title", game.title), ("credit", game.credit)):
        if not isinstance(value, str) or not value:
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
        yield f"to_move is {_shown(position.to_move)}, expected Side.FIRST or Side.SECOND"
    outcome, moves = position.outcome(), position.legal_moves()
    if not isinstance(moves, tuple):
        yield f"legal_moves() is {_shown(moves)}, expected a tuple"
    if outcome is not None and not isinstance(outcome, Outcome):
        yield f"outcome() is {_shown(outcome)}, expected an Outcome or None"
    if position.is_over != (outcome is not None):
        yield f"is_over is {position.is_over}, but outcome() is {_shown(outcome)}"
    if not moves and outcome is None:
        yield "not over, but no legal move: legal_moves() is empty and outcome() is None"
    if moves and outcome is not None:
        yield f"there are {len(moves)} legal moves, but outcome() is {_shown(outcome)}"
    if len(set(moves)) != len(moves):
        yield "legal_moves() has a move twice"
    yield from _wrong_moves(game, moves)
    yield from _wrong_texts(game, position)


def _wrong_moves(game: Any, moves: Sequence[Any]) -> Iterator[str]:
    """Yield what is wrong with how legal moves are written."""
    for move in moves:
        if not isinstance(move, str) or not _MOVE.fullmatch(move):
            yield (
                f"{_shown(move)} is no move that a record can hold: expected a letter, then "
                "letters, digits or any of + - = : @ /"
            )
        if (text := game.canonical(move)) != move:
            yield f"canonical({move!r}) is {_shown(text)}, but legal_moves() writes {move!r}"


def _wrong_texts(game: Any, position: Any) -> Iterator[str]:
    """Yield what is wrong with what a position says of itself."""
    text, contents = position.text(), position.contents()
    if not isinstance(text, str):
        yield f"text() is {_shown(text)}, expected a text"
    try:
        again = game.position(text)
    except GameError as error:
        yield f"position({text!r}) refuses the position's own text(): {error}"
        return
    try:
        hash(position)
    except TypeError as error:
        yield f"a position must be hashable, as a NamedTuple is: {error}"
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
