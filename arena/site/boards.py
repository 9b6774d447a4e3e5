"""Positions as pages draw them: contents, legal moves, and moves that win or lose at once."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from lath.games import get, ids, origin
from lath.games.capabilities import lessons_of
from lath.games.cards import card_of
from lath.games.core import Move, read_move, version_of
from lath.games.drawing import board
from lath.games.drawing.board import changed_cells
from lath.games.errors import GameError
from lath.games.fast import fast_board
from lath.notation.rules.replay import start_from

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lath.games.core import Game, Lesson, Position


def board_json(game_id: str) -> dict[str, Any] | None:
    """Return the values that `lath.makeBoard` needs for a game; None if the game does not exist.

    `card`: the rules in a few sentences, or an empty string.
    """
    try:
        game = get(game_id)
    except GameError:
        return None
    more = {"id": game.id, "credit": game.credit, "card": card_of(game)}
    lessons = [lesson_json(game, lesson) for lesson in lessons_of(game)]
    return {**board.to_json(game), **more, "drawn": board.template(game), "lessons": lessons}


def boards_of(position: Position, before: Position | None = None) -> dict[str, Any]:
    """Return the values to draw a position, and the ending of the game.

    - `stacks`: the contents of each cell
    - `moved` and `deciding`: indexes of cells
    - `is_loss`: true if the last mover lost by that move
    - `ending`: the ending in the rules' words
    - `winner`: a side, or null if the game is a draw or continues
    """
    names = position.game.board.names
    outcome = position.outcome()
    winner = outcome.winner if outcome else None
    return {
        "stacks": list(position.contents()),
        "moved": [
            names.index(name) for name in (changed_cells(before, position) if before else ())
        ],
        "deciding": [names.index(name) for name in (outcome.cells if outcome else ())],
        "to_move": int(position.to_move),
        "is_over": outcome is not None,
        "ending": outcome.ending if outcome else "",
        "winner": None if winner is None else int(winner),
        "is_loss": winner is not None and before is not None and before.to_move != winner,
    }


def position_json(position: Position, before: Position | None = None) -> dict[str, Any]:
    """Return a position with its legal moves, for a page on which a person plays.

    The values are those of `boards_of`, and these:

    - `text`: the position in the notation
    - `legal`: each move's text, and the cells that it changes with their new contents
    - `wins` and `loses`: the moves that end the game at once with this result for the mover
    """
    value = boards_of(position, before)
    value["text"] = position.text()
    contents, mover = position.contents(), position.to_move
    legal: list[tuple[Move, list[tuple[int, str]]]] = []
    wins: list[Move] = []
    loses: list[Move] = []
    for move in position.legal_moves():
        after = position.play(move)
        pairs = enumerate(zip(contents, after.contents(), strict=True))
        legal.append((move, [(cell, new) for cell, (old, new) in pairs if old != new]))
        if (outcome := after.outcome()) is not None and outcome.winner is not None:
            (wins if outcome.winner == mover else loses).append(move)
    return {**value, "legal": legal, "wins": wins, "loses": loses}


def titles() -> list[dict[str, str]]:
    """Return the id and title of each game type, those of files first."""
    found = []
    for game_id in sorted(ids(), key=lambda one: origin(one) is None):
        with suppress(ValueError):
            game = get(game_id)
            found.append({"id": game.id, "title": game.title})
    return found


def lesson_json(game: Game, lesson: Lesson) -> dict[str, Any]:
    """Return a lesson with the positions that its animation steps through.

    - `title` and `words`: the rule, and what to see
    - `steps`: `boards_of` at the beginning and after each move, and that in words as `told`
    - `legal`: as in `position_json`, if the lesson marks the legal moves after its last move
    """
    positions = [game.start()]
    for move in lesson.moves:
        positions.append(positions[-1].play(Move(move)))
    first, second = names = [colour.capitalize() for colour in game.colours]
    told = [f"{names[positions[lesson.begun].to_move]} to move."]
    for ply, move in enumerate(lesson.moves[lesson.begun :], lesson.begun):
        told.append(f"{names[positions[ply].to_move]} plays {move}.")
    if outcome := positions[-1].outcome():
        told[-1] += f" {outcome.told(first, second)}."
    steps = [
        {**boards_of(positions[ply], *positions[max(0, ply - 1) : ply]), "told": words}
        for ply, words in enumerate(told, lesson.begun)
    ]
    legal = position_json(positions[-1])["legal"] if lesson.shows_legal else None
    return {"title": lesson.title, "words": lesson.words, "steps": steps, "legal": legal}


def threats(position: Position) -> list[str]:
    """Return the moves with which the opponent would win at once after most of the mover's moves.

    Moves that win or lose at once do not count.
    """
    fast = fast_board(position)
    if fast.winner is not None:
        return []
    wins, losses = fast.threats()
    found: Counter[str] = Counter()
    quiet = sorted(set(fast.legal()).difference(wins, losses))
    for code in quiet:
        fast.play(code)
        if fast.winner is None and fast.to_move != position.to_move:
            found.update(fast.moves[one] for one in fast.threats()[0])
        fast.undo()
    return sorted(move for move, count in found.items() if 2 * count > len(quiet))


def played(game: str, setup: str, position: str, moves: Iterable[str]) -> list[Position]:
    """Return the starting position of a game and the position after each ply.

    Raises GameError, with the number of the ply.
    """
    positions = [start_from(game, setup, position, version_of(get(game)))]
    for ply, text in enumerate(moves, 1):
        try:
            positions.append(positions[-1].play(read_move(positions[-1], text)))
        except GameError as error:
            raise GameError(f"ply {ply}: {error}") from error
    return positions
