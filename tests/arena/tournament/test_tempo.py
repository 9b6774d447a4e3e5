"""Where a game's rules are too slow for a clock, a run says so before it plays, and what works."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from commands import arena
from quick_runs import play_nothing
from slow_games import Clock, Costs, SlowGame

from lath import games
from lath.arena.tournament import tempo
from lath.arena.tournament.config import build, time_table
from lath.arena.tournament.tempo import MEASURED_S, Tempo, measured, warnings
from lath.notation.protocol import TimeControl

USUAL = ("0.2+0.005", "2+0.02", "10+0.1", "move 0.01", "move 0.05", "move 0.5", "nodes 100000")

SLOWER = 3
"""A machine may be so much slower than this one, and the rules of the games likewise."""


def words_of(
    tc: str, tempo_: Tempo, bots: tuple[str, ...] = ("greedy", "monte-carlo"), **more: Any
) -> list[str]:
    """Return the warnings of a tournament of a game at a time control."""
    control = time_table(TimeControl.read(tc))
    made = build(
        {"games": ["yavalath"], "time": control, "bot": [{"name": b} for b in bots], **more}, Path()
    )
    return list(warnings(made, lambda _: tempo_))


@pytest.mark.parametrize("tc", USUAL)
@pytest.mark.parametrize("game_id", games.builtin_ids())
def test_no_built_in_game_is_too_slow_for_a_usual_clock(game_id: str, tc: str) -> None:
    found = measured(game_id)
    slower = Tempo(found.plies, SLOWER * found.ply_s)
    assert words_of(tc, found) == []
    if tc != "move 0.01":
        assert words_of(tc, slower) == []


def test_a_slow_game_is_named_with_its_time_the_bots_and_what_to_type() -> None:
    (words,) = words_of("move 0.05", Tempo(20, 0.1), ("random", "greedy", "mcts"))
    assert words == (
        "yavalath is too slow for move 0.05 (greedy, mcts): by its rules a random game takes 2 s, "
        "and a search plays some for each move; try --tc 'move 50' or --tc 'nodes 20': a game then "
        "takes about 17 min"
    )


@pytest.mark.parametrize(
    "tc", ["0.2+0.005", "10+0.1", "move 0.05", "move 5", "nodes 100000", "none"]
)
@pytest.mark.parametrize("ply_s", [0.0003, 0.003, 0.03, 0.3, 2.0])
@pytest.mark.parametrize("plies", [1, 9, 60, 400])
def test_what_is_proposed_is_not_too_slow_itself(tc: str, ply_s: float, plies: int) -> None:
    for words in words_of(tc, Tempo(plies, ply_s)):
        tries = re.findall(r"--tc ('[^']+')", words)
        assert tries
        for text in tries:
            (proposed,) = shlex.split(text)
            if proposed != "nodes 1":  # there are no fewer
                assert words_of(proposed, Tempo(plies, ply_s)) == [], words


def test_bots_of_others_and_those_that_only_ask_for_moves_are_not_warned_of(tmp_path: Path) -> None:
    slow = Tempo(20, 1.0)
    assert (
        words_of(
            "move 0.05",
            slow,
            ("random", "random2"),
            bot=[{"name": "random"}, {"name": "mine", "command": ["true"]}],
        )
        == []
    )
    own = [{"name": "random"}, {"name": "mcts", "time": {"move": "2m"}}]
    assert words_of("move 0.05", slow, bot=own) == [], "its own time suffices"


@pytest.mark.parametrize("cost", [0.0001, 0.02, 0.4, 5.0])
def test_measuring_is_bounded_whatever_the_rules_cost(
    cost: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    game = SlowGame(clock, Costs(play=cost, legal=cost, outcome=cost), size=5, rounds=4)
    monkeypatch.setattr(games, "get", lambda _: game)
    found = measured("slow", clock)
    assert found.ply_s == pytest.approx(3 * cost, rel=0.5)
    assert clock.now_s <= MEASURED_S + 4 * cost
    assert found.plies >= 25


def test_a_run_says_so_before_it_plays_and_not_when_all_is_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play_nothing(monkeypatch)
    monkeypatch.setattr(tempo, "measured", None)
    monkeypatch.setattr(tempo.warnings, "__defaults__", (lambda _: Tempo(20, 0.1),))
    words = ["run", "--bot", "greedy", "--bot", "mcts", "--game", "yavalath", "--tc", "move 0.05"]
    words += ["--rounds", "1", "--no-report", "--out", str(tmp_path / "out"), "-q"]
    said = arena(*words).err
    assert said.startswith("warning: yavalath is too slow for move 0.05 (greedy, mcts): ")
    assert said.count("too slow") == 1
    assert "too slow" not in arena(*words).err
