"""Positions as pages draw them: what lies where, what may be played, what wins or loses at once."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from lath.games import get
from lath.games.cards import card_of
from lath.games.core import read_move, version_of
from lath.games.drawing import board
from lath.games.drawing.board import changed_cells
from lath.games.errors import GameError
from lath.games.fast import fast_board
from lath.notation.rules.replay import start_from

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lath.games.core import Move, Position


def board_json(game_id: str) -> dict[str, Any] | None:
    """Return what `lath.makeBoard` needs of a game; None where there is no such game.

    `card`: the rules in a few sentences; empty where a game has none.
    """
    try:
        game = get(game_id)
    except GameError:
        return None
    more = {"id": game.id, "credit": game.credit, "card": card_of(game)}
    return {**board.to_json(game), **more, "drawn": board.template(game)}


def boards_of(position: Position, before: Position | None = None) -> dict[str, Any]:
    """Return what a page draws of a position, and what became of the game.

    `stacks`: what lies on each cell; `moved` and `deciding`: cells by their place; `is_loss`: who
    moved last lost by it; `ending`: how the game ended, in the rules' words; `winner`: a seat, or
    null where it goes on or is drawn.
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
    """Return a position for somebody who moves in it.

    What `boards_of` says, and `text`, the position in the notation; `legal`: of each move its text
    and the cells that it changes, with what lies there then; `wins` and `loses`: those that end the
    game so for who plays them.
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


def threats(position: Position) -> list[str]:
    """Return the moves with which the other wins at once after most of what is played now.

    Moves that win or lose at once are passed over.
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
    """Return the start of a game and the position after each ply.

    Raises GameError, which says at which ply.
    """
    positions = [start_from(game, setup, position, version_of(get(game)))]
    for ply, text in enumerate(moves, 1):
        try:
            positions.append(positions[-1].play(read_move(positions[-1], text)))
        except GameError as error:
            raise GameError(f"ply {ply}: {error}") from error
    return positions
