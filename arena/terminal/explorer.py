"""The output of `arena explore`: a board, sentences and a table of moves."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from lath.arena.terminal.boards import drawing
from lath.arena.terminal.layout import LayoutColumn, Output, figure, interval
from lath.arena.terminal.streams import unfiltered
from lath.games.core import plain_move
from lath.games.errors import count_of

if TYPE_CHECKING:
    from lath.games.core import Position
    from lath.reports.exploring.explorer import Continuation, Node, Reference, ResultTally

SHOWN: Final = 15
"""The number of moves that fit on a screen below a board."""


def print_node(
    node: Node, asked: Position, *, title: str, last: Sequence[str] = (), has_all: bool = False
) -> None:
    """Print a position and its statistics on standard output.

    `last` has the cells of the move before. At most `SHOWN` moves are printed, unless `has_all`.
    """
    output = Output(to_stdout=True)
    output.title(title)
    print(f"\n{drawing(asked, last=last)}", file=unfiltered(sys.stdout))
    output.console.line()
    output.words(*_told(node, asked))
    rows = node.continuations if has_all else node.continuations[:SHOWN]
    left_out = node.continuations[len(rows) :]
    if rows:
        output.table("Moves played and positions reached", _columns(node, rows))
        if left_out:
            played = sum(each.played.times for each in left_out)
            words = f"and {count_of(len(left_out), 'more move')}, {count_of(played, 'game')}"
            output.words(f"{words}: --all shows them")


def _told(node: Node, asked: Position) -> list[str]:
    """Return sentences on the side to move and on the results of the games in this position."""
    colour, outcome = asked.game.colours[node.to_move], asked.outcome()
    state = f"{colour} ({node.to_move.word}) to move"
    if outcome:
        state = outcome.told(*asked.game.colours)
    games = count_of(node.games, "game")
    if not node.here.times:
        return [f"{state}; none of {games} reaches this position"]
    verb = "reaches" if node.here.times == 1 else "reach"
    come = f"{state}; {node.here.times:,} of {games} {verb} this position"
    if node.ended and not outcome:
        come += f", {node.ended:,} {'ends' if node.ended == 1 else 'end'} here"
    here = node.here
    score, ends = here.score(node.to_move), here.interval(node.to_move)
    results = f"first player: {here.wins:,} won, {here.draws:,} drawn, {here.losses:,} lost"
    if here.undecided:
        results += f", {here.undecided:,} unfinished"
    if score is not None and ends is not None:
        results += f"; {node.to_move.word} player's score {score:.1%} ({interval(ends)})"
    if here.mean_plies is not None:
        which = " of the finished" if here.undecided else ""
        results += f"; {here.mean_plies:.1f} plies on average{which}"
    return [come, results]


def _columns(node: Node, rows: Sequence[Continuation]) -> list[LayoutColumn]:
    mover, other = node.to_move, node.to_move.other
    several = len({ref.source for row in rows for ref in (row.newest, row.best) if ref}) > 1
    played, reached = [row.played for row in rows], [row.reached for row in rows]
    columns = [
        LayoutColumn("move", [plain_move(row.move) for row in rows], kind="name"),
        LayoutColumn("symmetric", [f"{1 + len(row.same)}" for row in rows], rank=7),
        LayoutColumn("played", [f"{one.times:,}" for one in played]),
        LayoutColumn("%", [f"{one.times / max(1, node.here.times):.1%}" for one in played], rank=3),
        LayoutColumn(f"{mover.word} scored", [figure(one.score(mover), ".1%") for one in played]),
        LayoutColumn("95%", [interval(one.interval(mover)) for one in played], rank=1),
        LayoutColumn("1-0 ½ 0-1", [_results(one) for one in played], rank=6),
        LayoutColumn("plies", [figure(one.mean_plies, ".1f") for one in played], rank=5),
        LayoutColumn("reached", [f"{one.times:,}" for one in reached], rank=2),
        LayoutColumn("scored", [figure(one.score(mover), ".1%") for one in reached], rank=4),
        LayoutColumn("95%", [interval(one.interval(mover)) for one in reached], rank=4),
        LayoutColumn("newest", [_newest(row.newest, several) for row in rows], rank=8, kind="text"),
        LayoutColumn("best", [_best(row.best, several) for row in rows], rank=9, kind="name"),
    ]
    if not any(row.same for row in rows):
        del columns[1]
    if mover:  # the other scores are the second player's
        first = LayoutColumn(
            f"{other.word} scored", [figure(one.score(other), ".1%") for one in played], rank=7
        )
        columns.insert(-7, first)
    return columns


def _results(tally: ResultTally) -> str:
    return f"{tally.wins:,} {tally.draws:,} {tally.losses:,}" if tally.games else "-"


def _place(game: Reference, several: bool) -> str:
    return f"{game.source} {game.number}" if several else f"{game.number}"


def _newest(game: Reference | None, several: bool) -> str:
    return "-" if game is None else f"{game.date} #{_place(game, several)}".lstrip()


def _best(game: Reference | None, several: bool) -> str:
    if game is None:
        return "-"
    return f"#{_place(game, several)} {game.first} - {game.second} {game.result}"
