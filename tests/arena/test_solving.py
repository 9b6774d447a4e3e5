"""`arena solve` tells what exhaustive search finds, and nothing that its own line refutes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final

import commands
import pytest
from exhaustive import Minimax, ends_of, value_of

from lath import games
from lath.arena import Engine, Limit
from lath.arena.engine.solving import _holds, solve, solve_moves
from lath.arena.referee.answers import Proof
from lath.games.core import Move

pytestmark = pytest.mark.slow

VALUES: Final = {"win": 1, "draw": 0, "loss": -1}

ENOUGH: Final = Limit(nodes=20_000)


@pytest.fixture(scope="module")
def solver() -> Iterator[Engine]:
    with Engine.open("solver") as engine:
        yield engine


def test_what_is_proven_is_so_and_so_are_its_moves(solver: Engine) -> None:
    for game_id in ("surikata", "manalath:size=3"):
        ends = ends_of(games.get(game_id), 1)[:6]
        assert len(ends) >= 3
        for position, value in ends:
            assert VALUES[solve(solver, position, ENOUGH).value] == value
            moves = solve_moves(solver, position, ENOUGH)
            assert {move for move, _ in moves} == set(position.legal_moves())
            assert VALUES[moves[0][1].value] == value
            for move, one in moves:
                after = position.play(move)
                sign = 1 if after.to_move == position.to_move else -1
                assert VALUES[one.value] == sign * value_of(after)


TOLD_WRONG: Final = ("mw1mo/1omm1/om1ww/3w1/o4 d2 o", "mo1mw/w2ow/wm1o1/1oo1m/1wo1m d3 w")
"""Positions of Surikata whose moves were told with other lengths than those of minimax."""


def test_the_length_of_each_move_is_that_of_minimax(solver: Engine) -> None:
    for text in TOLD_WRONG:
        position, truth = games.get("surikata").position(text), Minimax(50_000)
        for move, one in solve_moves(solver, position, ENOUGH):
            end = truth.by(position, move)
            assert (VALUES[one.value], one.plies) == (end.value, end.plies), move
            assert len(one.line) == one.plies


def test_a_loser_who_cannot_stop_a_win_holds_out_until_it_comes(solver: Engine) -> None:
    """Each stone that would stop the win makes three in a row, and would lose a ply sooner."""
    text = "1bb2/5w/3ww2/bb2b1bw/1w4w2/1bww2b1/2w3b/2bbww/w4 b"
    assert solve(solver, games.get("yavalath").position(text), ENOUGH).words == "loss in 2 plies"


def test_a_bound_is_told_where_the_budget_ended_and_there_alone(solver: Engine) -> None:
    text = "b1w2/3bw1/1b3bw/wb1wbw2/2w1bwb1b/2bw1bwb/1w1bwbw/1bwbww/1wbw1 b"
    position = games.get("yavalath").position(text)  # won in 7, by second_opinion.cc
    said = set()
    for nodes in range(100, 8000, 300):
        found = solve(solver, position, Limit(nodes=nodes))
        said.add(found.words)
        assert found.value in ("win", "unknown")
        assert found.plies is not None or found.nodes == nodes
        assert found.plies is None or (found.plies, found.at_most) == (7, None)
        assert found.at_most is None or found.at_most >= 7
    assert {"win", "win in at most 7 plies", "win in 7 plies"} <= said


def test_a_claim_is_not_believed_that_its_line_refutes() -> None:
    """By the function itself: no bot here claims what is wrong."""
    won = games.get("yavalath").position("5/6/7/8/1ww1w4/bb1b4/7/6/5 w")
    four = (Move("e4"),)
    assert _holds(Proof("win", 1), won, four)
    assert not _holds(Proof("loss", 1), won, four)
    assert not _holds(Proof("draw", None), won, four)
    assert not _holds(Proof("win", 3), won, four)
    assert _holds(Proof("win", 3), won, (Move("a1"),))  # as far as it goes
    assert _holds(Proof("win", None, at_most=3), won, four)
    assert not _holds(Proof("loss", None, at_most=3), won, four)
    assert not _holds(Proof("win", None, at_most=0), won, four)


IN_PYTHON: Final = ("--bot", "solver; option.fast=off")
"""It begins sooner."""


def test_the_command_says_win_loss_and_what_it_does_not_know() -> None:
    place = ["yavalath", "--position", "5/6/7/8/1ww1w4/bb1b4/7/6/5 w"]
    won = commands.arena("solve", *place)
    assert won.status == 0
    assert won.out.startswith("white to move: win in 1 ply: e4\n")
    ran = commands.arena("solve", "yavalath", "e5", "--nodes", "30", "--json", *IN_PYTHON)
    assert ran.status == 12
    told = json.loads(ran.out)
    assert (told["value"], told["plies"], told["at_most"]) == ("unknown", None, None)
    assert 0 < told["nodes"] <= 30
    each = commands.arena("solve", *place, "--moves", "--nodes", "5", "--json", *IN_PYTHON)
    rows = json.loads(each.out)
    assert (rows[0]["move"], rows[0]["value"]) == ("e4", "win")
    assert len(rows) == len(games.get("yavalath").position(place[2]).legal_moves())


def test_who_solves_in_python_though_numba_is_there_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("lath.arena.entrants.compiling.IN_PYTHON", "compiled")
    monkeypatch.setattr("lath.arena.entrants.compiling.find_spec", lambda _: True)
    ran = commands.arena("solve", "yavalath", "e5", "--nodes", "5")
    if "note" not in ran.err:
        pytest.skip("numba is not installed")
    assert ran.err.startswith("note: Solver searches in Python, many times slower")
    assert "\nhint: " in ran.err
    assert ran.err.endswith(" -P -m lath.bots.compiled\n")


def test_what_cannot_be_solved_is_refused_in_a_sentence() -> None:
    for words, expected in (
        (["yavalath", "z9"], "'z9' is not a move"),
        (["yavalath", "e5", "e5"], "e5 already has a stone"),
        (["yavalath", "--nodes", "1", "--seconds", "1"], "cannot be combined with"),
        (["chess"], "unknown game 'chess'"),
    ):
        ran = commands.arena("solve", *words)
        assert ran.status in (1, 2)
        assert expected in " ".join(ran.err.split())
