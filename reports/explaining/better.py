"""The better move at a ply where a game was given away, and its line, as far as it is proven.

By what an analysis has written into the record, else by the small proof of `turning`, two moves of
each player deep.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Final, Literal

from lath.games.fast import FastBoard
from lath.notation.record.record import Record, is_of_analysis
from lath.reports.explaining.turning import (
    DEPTH,
    NODES,
    Nodes,
    SpentError,
    is_lost,
    is_lost_after,
    played_through,
)

Sort = Literal["wins", "holds", "analysis", ""]

SAYS: Final[dict[Sort, str]] = {
    "wins": "wins",
    "holds": f"does not lose within {DEPTH + 1} plies",
    "analysis": "is better by the analysis",
}
"""What is known of the better move."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Better:
    """What is known of a move that was played."""

    played: str
    sort: Sort = ""
    """What is known of the better move; empty: there is none that is."""

    line: tuple[str, ...] = ()
    """The better move first, and how both go on."""

    against: tuple[str, ...] = ()
    """How the opponent wins after the move that was played, where that is proven."""

    is_end: bool = False
    """Whether the move that was played has lost at once."""


def analysed_lines(record: Record) -> dict[int, tuple[str, ...]]:
    """Return the better lines that an analysis has written, by the plies, from 1, of the moves."""
    return {
        at: tuple(ply.move for ply in variation.plies)
        for at, played in enumerate(record.plies, 1)
        for variation in played.variations
        if is_of_analysis(variation.comments)
    }


def better_at(record: Record, ply: int, analysed: tuple[str, ...] = ()) -> Better:
    """Return what is known of the move of a ply, from 1, of a record.

    `analysed` is the better line that an analysis says. Raises GameError.
    """
    played = played_through(record)
    board, codes = played.board, played.codes
    for _ in codes[ply - 1 :]:
        board.undo()
    code, seat, nodes = codes[ply - 1], board.to_move, Nodes(NODES)
    against: tuple[str, ...] = ()
    sort: Sort = "analysis" if analysed else ""
    line = analysed
    found, is_end = None, False
    with suppress(SpentError):
        against = _refutation(board, code, seat, nodes)
        board.play(code)
        is_end = board.winner == 1 - seat
        board.undo()
        found = _by_proof(board, code, seat, nodes, is_lost=is_end or bool(against))
    if found is not None and (found.sort == "wins" or not analysed):
        sort, line = found.sort, found.line
    return Better(
        played=record.moves[ply - 1], sort=sort, line=line, against=against, is_end=is_end
    )


def _by_proof(
    board: FastBoard, code: int, seat: int, nodes: Nodes, *, is_lost: bool
) -> Better | None:
    """Return a win that a move has missed, or, of a move that lost, one that had not."""
    text = board.moves
    for plies in (1, DEPTH):
        winners = _winners(board, seat, plies, nodes)
        if code in winners:
            return None
        if winners:
            return Better(played=text[code], sort="wins", line=_line(board, seat, plies, nodes))
    if not is_lost:
        return None
    _, losses = board.threats()
    for other in board.legal():
        if (
            other != code
            and other not in losses
            and not is_lost_after(board, other, seat, DEPTH, nodes)
        ):
            return Better(played=text[code], sort="holds", line=(text[other],))
    return None


def _refutation(board: FastBoard, code: int, seat: int, nodes: Nodes) -> tuple[str, ...]:
    """Return how the opponent wins after a move; empty where that is not proven."""
    board.play(code)
    try:
        if board.winner is not None:
            return ()
        for plies in (1, DEPTH):
            if is_lost(board, seat, plies, nodes):
                return _line(board, 1 - seat, plies, nodes)
        return ()
    finally:
        board.undo()


def _winners(board: FastBoard, seat: int, plies: int, nodes: Nodes) -> list[int]:
    """Return the first move that wins within so many plies for who is to move; all that end it."""
    wins, losses = board.threats()
    if wins or plies == 1:
        return list(wins)
    for code in board.legal():
        if code not in losses and is_lost_after(board, code, 1 - seat, plies - 1, nodes):
            return [code]
    return []


def _line(board: FastBoard, winner: int, plies: int, nodes: Nodes) -> tuple[str, ...]:
    """Return how a game goes on that a player has won by proof within so many plies."""
    if board.winner is not None or plies <= 0:
        return ()
    _, losses = board.threats()
    if board.to_move == winner:
        found = _winners(board, winner, plies, nodes)
        code = found[0] if found else None
    else:  # who is lost has no good move: one that does not lose at once, if there is one
        legal = board.legal()
        code = next((one for one in legal if one not in losses), legal[0] if legal else None)
    if code is None:
        return ()
    board.play(code)
    try:
        return (board.moves[code], *_line(board, winner, plies - 1, nodes))
    finally:
        board.undo()
