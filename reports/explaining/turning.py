"""The turning point of a game: the loser's last move that threw the game away.

There are three kinds of evidence, the surest first. One is an analysis in the record that proved a
move wrong (`?`, `??`). The second is a small proof, from the end of the game backwards, which
searches two moves of the opponent. The last are evaluations by the analysis or by both players,
from the ply where the loser fell behind for good. Missed wins in one are found too, for players who
did not win.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from typing import Final, Literal

from lath.games.errors import LathError
from lath.games.fast import FastBoard, fast_board
from lath.notation.record.record import Record, is_of_analysis
from lath.notation.record.tags import FORFEITS
from lath.notation.rules.replay import end_of, positions, spellings, start_of
from lath.reports.counting.openings import chosen_plies
from lath.reports.metrics.measures import evaluations

Kind = Literal["shape", "one", "two", "more", "missed", "proven", "evaluation"]

KINDS: Final[Mapping[Kind, str]] = {
    "shape": "loses immediately by its own move",
    "one": "allows a win in one",
    "two": "allows a win in two",
    "more": "enters a forced loss",
    "missed": "misses its own win in one",
    "proven": "throws away a proven result",
    "evaluation": "falls behind for good by evaluations",
}
"""The words for each kind, about the player who made the move."""

NODES: Final = 3000
"""The most positions that the proof of one game searches; without a result, nothing is proven."""

DEPTH: Final = 3
"""The plies after a losing move within which the opponent must win."""

PROOF: Final = 0.9995
"""The least evaluation of a player with a proof of winning; guesses are lower."""

BACK: Final = 4
"""The number of the loser's last moves that are searched."""


@dataclass(frozen=True, slots=True)
class TurningPoint:
    """A move that threw something away."""

    ply: int
    """The ply, from 1."""

    seat: int
    """The side that made the move: 0 or 1."""

    kind: Kind


@dataclass(frozen=True, slots=True)
class ReplayedGame:
    """A game that was replayed."""

    board: FastBoard
    """The board at the end."""

    codes: Sequence[int]
    seats: Sequence[int]
    """The side that decided on each ply."""


class SpentError(LathError):
    """The proof would exceed its limit of positions."""


class Nodes:
    """The number of positions that may still be searched."""

    def __init__(self, left: int) -> None:
        self._left = left

    def take(self) -> None:
        """Count a position; raises SpentError."""
        self._left -= 1
        if self._left < 0:
            raise SpentError


def played_through(record: Record) -> ReplayedGame:
    """Return a replayed game; raises GameError if it cannot be replayed."""
    if end_of(record) is None:
        *_, _ = positions(record)  # raises the error of the invalid move
    board = fast_board(start_of(record))
    spelled = spellings(record.game, record.tag("Rules"))
    codes, seats = [], []
    for ply in record.plies:
        code = board.code(spelled[ply.move])
        seats.append(board.to_move)
        codes.append(code)
        board.play(code)
    return ReplayedGame(board, codes, seats)


def turns_of(record: Record, played: ReplayedGame) -> list[TurningPoint]:
    """Return the known turning points of a game, and missed wins in one.

    For a decided game, the first one is the loser's. A game lost by a crash, an illegal move, a
    flood or the clock has no turning point. The board is unchanged afterwards.
    """
    loser = record.result.loser
    found: list[TurningPoint] = []
    if loser is not None and record.termination not in FORFEITS:
        turn = _marked(record, played, loser) or _unless_known(
            record, played, _proven(played, loser)
        )
        if turn := turn or _by_evaluation(record, played, loser):
            found.append(turn)
    return found + [each for each in _missed(played, record.result.winner) if each not in found]


def _marked(record: Record, played: ReplayedGame, loser: int) -> TurningPoint | None:
    """Return the loser's last move that an analysis proved wrong."""
    for at in range(len(record.plies) - 1, -1, -1):
        ply = record.plies[at]
        if played.seats[at] == loser and ply.glyph in ("?", "??") and is_of_analysis(ply.comments):
            return TurningPoint(at + 1, loser, "proven")
    return None


def _unless_known(
    record: Record, played: ReplayedGame, turn: TurningPoint | None
) -> TurningPoint | None:
    """Return the turning point, or the loser's last move before a player had proved the result.

    A bot that searches deeper than the small proof can know the result earlier.
    """
    if turn is None:
        return None
    since = turn.ply
    for seat in (0, 1):
        for at in range(turn.ply - 1, -1, -1):
            if played.seats[at] != seat:
                continue
            told = record.plies[at].eval
            if told is None or (told if seat == turn.seat else -told) > -PROOF:
                break
            since = min(since, at)
    if since == turn.ply:
        return turn
    own = [at for at in range(since) if played.seats[at] == turn.seat]
    return TurningPoint(own[-1] + 1, turn.seat, "more") if own else None


def _by_evaluation(record: Record, played: ReplayedGame, loser: int) -> TurningPoint | None:
    """Return the loser's move after which its evaluations were always negative."""
    told = evaluations(record, played.seats, chosen_plies(record))
    since = None
    for at, value in reversed(told):
        if (value if loser == 0 else -value) >= 0:
            break
        since = at
    if since is None:
        return None
    while since > 0 and played.seats[since] != loser:
        since -= 1
    return TurningPoint(since + 1, loser, "evaluation") if played.seats[since] == loser else None


def _rewound(played: ReplayedGame) -> Generator[int]:
    """Yield each ply, from 0, the last one first, with the board before it.

    The board is restored afterwards, also after an early stop.
    """
    board, back = played.board, 0
    try:
        for at in range(len(played.codes) - 1, -1, -1):
            board.undo()
            back += 1
            yield at
    finally:
        for code in played.codes[len(played.codes) - back :]:
            board.play(code)


def _missed(played: ReplayedGame, winner: int | None) -> list[TurningPoint]:
    """Return the last missed win in one of each player who did not win."""
    found: list[TurningPoint] = []
    board, last = played.board, len(played.codes) - 1
    wanted = {0, 1} - {winner}
    with closing(_rewound(played)) as plies:
        for at in plies:
            if (seat := played.seats[at]) not in wanted:
                continue
            wins, _ = board.threats()
            if wins and (at != last or played.codes[at] not in wins):
                found.append(TurningPoint(at + 1, seat, "missed"))
                wanted.remove(seat)
            if not wanted:
                break
    return found


def _proven(played: ReplayedGame, loser: int) -> TurningPoint | None:
    """Return the loser's last move with a better alternative, by a small proof."""
    nodes, looked, board = Nodes(NODES), 0, played.board
    with closing(_rewound(played)) as plies, suppress(SpentError):
        for at in plies:
            if played.seats[at] != loser:
                continue
            looked += 1
            kind = _how_lost(board, played.codes[at], loser, nodes) or (
                "more" if looked > 1 else ""
            )
            if looked > BACK or not kind:  # the loser resigned, or another reason decided
                break
            if _has_escape(board, played.codes[at], loser, nodes):
                return TurningPoint(at + 1, loser, kind)
    return None


def _how_lost(board: FastBoard, code: int, loser: int, nodes: Nodes) -> Kind | None:
    """Return how soon a move loses; None if no loss is proven."""
    board.play(code)
    try:
        if board.winner is not None:
            return "shape"
        if is_lost(board, loser, 1, nodes):
            return "one"
        return "two" if is_lost(board, loser, DEPTH, nodes) else None
    finally:
        board.undo()


def _has_escape(board: FastBoard, played: int, loser: int, nodes: Nodes) -> bool:
    """Return whether another move did not lose, within the depth of the proof."""
    wins, losses = board.threats()
    others = (code for code in board.legal() if code != played and code not in losses)
    return bool(wins) or not all(is_lost_after(board, code, loser, DEPTH, nodes) for code in others)


def is_lost_after(board: FastBoard, code: int, loser: int, plies: int, nodes: Nodes) -> bool:
    """Return whether a player has lost within `plies` after a move."""
    board.play(code)
    try:
        return is_lost(board, loser, plies, nodes)
    finally:
        board.undo()


def is_lost(board: FastBoard, loser: int, plies: int, nodes: Nodes) -> bool:
    """Return whether the opponent wins within `plies`, against any defence."""
    if board.winner is not None:
        return board.winner == 1 - loser
    if plies == 0:
        return False
    nodes.take()
    wins, losses = board.threats()
    is_own = board.to_move == loser
    if wins or plies == 1:
        return bool(wins) is not is_own and (not is_own or len(losses) == len(board.legal()))
    rest = (code for code in board.legal() if code not in losses)
    lost = (is_lost_after(board, code, loser, plies - 1, nodes) for code in rest)
    return all(lost) if is_own else any(lost)
