"""The better move at a ply that threw a game away, and its proven line.

The evidence is an analysis in the record, or the small proof of `turning`, which searches two moves
of each player.
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
"""The words for each kind of evidence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Better:
    """The evaluation of a played move, and a better move."""

    played: str
    sort: Sort = ""
    """The evidence for the better move; empty if no better move is known."""

    line: tuple[str, ...] = ()
    """The better move, followed by the line after it."""

    against: tuple[str, ...] = ()
    """The line with which the opponent wins after the played move, if that is proven."""

    is_end: bool = False
    """True if the played move lost immediately."""


def analysed_lines(record: Record) -> dict[int, tuple[str, ...]]:
    """Return the better lines of an analysis, by ply from 1."""
    return {
        at: tuple(ply.move for ply in variation.plies)
        for at, played in enumerate(record.plies, 1)
        for variation in played.variations
        if is_of_analysis(variation.comments)
    }


def better_at(record: Record, ply: int, analysed: tuple[str, ...] = ()) -> Better:
    """Return the evaluation of the move at a ply, from 1, of a record.

    `analysed` is the better line from an analysis. Raises GameError.
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
    """Return a win that a move missed, or, for a losing move, a move that does not lose."""
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
    """Return the line with which the opponent wins after a move; empty if that is not proven."""
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
    """Return the immediate wins, or one move that wins within `plies`, for the side to move."""
    wins, losses = board.threats()
    if wins or plies == 1:
        return list(wins)
    for code in board.legal():
        if code not in losses and is_lost_after(board, code, 1 - seat, plies - 1, nodes):
            return [code]
    return []


def _line(board: FastBoard, winner: int, plies: int, nodes: Nodes) -> tuple[str, ...]:
    """Return the line of a game that `winner` has won by proof within `plies`."""
    if board.winner is not None or plies <= 0:
        return ()
    _, losses = board.threats()
    if board.to_move == winner:
        found = _winners(board, winner, plies, nodes)
        code = found[0] if found else None
    else:  # the loser plays a move that does not lose immediately, if possible
        legal = board.legal()
        code = next((one for one in legal if one not in losses), legal[0] if legal else None)
    if code is None:
        return ()
    board.play(code)
    try:
        return (board.moves[code], *_line(board, winner, plies - 1, nodes))
    finally:
        board.undo()
