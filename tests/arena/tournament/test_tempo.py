"""Where a game's rules are too slow for a clock, a run says so before it plays, and what works."""

from __future__ import annotations

import re
import shlex
import time
from itertools import product
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from commands import arena
from quick_runs import play_nothing
from slow_games import Clock, Costs, SlowGame

from lath import games
from lath.arena.entrants.flag_text import time_table
from lath.arena.errors import ConfigError
from lath.arena.schedule import random_openings
from lath.arena.schedule.random_openings import RandomChoice, RandomOpenings
from lath.arena.tournament.configuration import tempo
from lath.arena.tournament.configuration.config import build
from lath.arena.tournament.configuration.tempo import MEASURED_S, Tempo, measured, warnings
from lath.arena.tournament.run import folder
from lath.bots.results import SearchBudget
from lath.bots.uct import Uct
from lath.games.fast import fast_board
from lath.notation.protocol import TimeControl

if TYPE_CHECKING:
    from golden import Golden

USUAL = ("0.2+0.005", "2+0.02", "10+0.1", "move 0.01", "move 0.05", "move 0.5", "nodes 50000")

SLOWER = 3
"""A machine may be so much slower than this one, and the rules of the games likewise."""


def times(factor: float, of: Tempo) -> Tempo:
    """Return a game so much slower."""
    return Tempo(of.plies, factor * of.ply_s, factor * of.look_s, factor * of.playout_s)


def a_tempo(plies: float, ply_s: float, moves: int = 10) -> Tempo:
    """Return that of a game in which each ply has so many moves."""
    return Tempo(plies, ply_s, moves * ply_s, plies * moves * ply_s)


def flat(done: Any) -> str:
    """Return what was printed, in one line."""
    return " ".join(done.out.split())


def words_of(
    tc: str, tempo_: Tempo, bots: tuple[str, ...] = ("greedy", "monte-carlo"), **more: Any
) -> list[str]:
    """Return the warnings of a tournament of a game at a time control."""
    control = time_table(TimeControl.read(tc))
    made = build(
        {"games": ["yavalath"], "time": control, "bot": [{"name": b} for b in bots], **more}, Path()
    )
    return list(warnings(made, lambda _: tempo_))


def test_no_built_in_game_is_too_slow_for_a_usual_clock() -> None:
    told: dict[str, list[str]] = {}
    for game_id in games.builtin_ids():
        found = measured(game_id, time.thread_time)  # whatever else the machine does
        for tc in USUAL:
            slower = [] if tc == "move 0.01" else words_of(tc, times(SLOWER, found))
            told[f"{game_id} {tc}"] = words_of(tc, found) + slower
    assert {name: words for name, words in told.items() if words} == {}


def test_a_slow_game_is_named_with_its_times_the_bots_and_what_to_type(golden: Golden) -> None:
    (words,) = words_of("move 0.05", a_tempo(20, 0.01), ("random", "greedy", "mcts"))
    golden(words)


def test_only_where_one_node_is_all_a_bot_is_said_to_play_by_chance() -> None:
    tempo_ = a_tempo(20, 0.001)  # a node of 110 ms
    (few,) = words_of("move 0.5", tempo_, ("mcts", "random"))
    (one,) = words_of("move 0.05", tempo_, ("mcts", "random"))
    assert "by chance" not in few
    assert "At one node per move, mcts plays at random. Try" in one


def test_what_is_proposed_is_not_too_slow_itself() -> None:
    controls = ("0.2+0.005", "10+0.1", "move 0.05", "move 5", "nodes 100000", "none")
    many = 0
    for tc, ply_s, plies in product(controls, (0.0003, 0.003, 0.03, 0.3, 2.0), (1, 9, 60, 400)):
        for words in words_of(tc, a_tempo(plies, ply_s)):
            tries = [shlex.split(text)[0] for text in re.findall(r"--tc ('[^']+')", words)]
            assert tries, words
            many += len(tries)
            for proposed in tries:
                if proposed != "nodes 1":  # there are no fewer
                    assert words_of(proposed, a_tempo(plies, ply_s)) == [], words
    assert many > 100


def test_bots_of_others_and_those_that_only_ask_for_moves_are_not_warned_of() -> None:
    slow = a_tempo(20, 0.1)
    others = [{"name": "random"}, {"name": "mine", "command": ["true"]}]
    assert words_of("move 0.05", slow, bot=others) == []
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
    assert clock.now_s <= MEASURED_S + 12 * cost
    assert found.plies >= 25


@pytest.mark.parametrize(
    ("costs", "nodes"),
    [(Costs(), 1), (Costs(), 12), (Costs(legal=0.03), 4), (Costs(outcome=0.004, text=0.0), 4)],
)
def test_a_game_by_nodes_takes_mcts_as_long_as_was_foretold(
    costs: Costs, nodes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bundled search itself is asked, by a clock that goes on where it asks the rules."""
    clock = Clock()
    game = SlowGame(clock, costs, size=4)
    monkeypatch.setattr(games, "get", lambda _: game)
    told_s = measured("slow", clock).move_s("mcts", TimeControl(nodes=nodes)) * game.length
    search, position, began_s = Uct(Random(1)), game.start(), clock.now_s
    while not position.is_over:
        board = fast_board(position)
        move = search.run(board, SearchBudget(nodes=nodes)).move
        search.played(board.code(move))
        position = position.play(move)
    assert told_s / 2 <= clock.now_s - began_s <= 2 * told_s


NEVER = "nodes 1000000000"
"""For which the rules of every game are too slow."""


def test_a_run_says_so_before_it_plays_and_not_when_all_is_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play_nothing(monkeypatch)
    words = ["run", "--bot", "greedy", "--bot", "mcts", "--game", "yavalath", "--tc", NEVER]
    words += ["--rounds", "1", "--no-report", "--output", str(tmp_path / "out"), "-q"]
    said = arena(*words).err
    assert said.startswith(f"warning: yavalath is too slow for {NEVER} (mcts): ")
    assert said.count("too slow") == 1
    assert "too slow" not in arena(*words).err


def test_who_is_warned_is_warned_before_openings_are_drawn(tmp_path: Path) -> None:
    said: list[str] = []
    (tmp_path / "book.txt").write_text("no opening")
    rows = {"games": ["yavalath"], "time": {"nodes": 10**9}, "openings": "book.txt"}
    config = build({**rows, "bot": [{"name": "mcts"}, {"name": "greedy"}]}, tmp_path)
    with pytest.raises(ConfigError, match=r"book\.txt"):
        folder.run(config, tmp_path / "out", lambda event: said.append(str(event)))
    assert [("too slow" in text) for text in said] == [True]


def test_a_plan_says_what_is_too_slow_and_how_long_games_by_nodes_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempo, "measured", lambda _: a_tempo(20, 0.1))  # on any machine
    words = ["run", "--bot", "greedy", "--bot", "mcts", "--game", "yavalath", "--plan"]
    words += ["--rounds", "1", "--output", str(tmp_path / "out"), "--tc"]
    assert "yavalath is too slow for move 0.05 (greedy, mcts)" in flat(arena(*words, "move 0.05"))
    told = flat(arena(*words, "nodes 2"))
    assert "yavalath: a game takes about 4 min" in told
    assert "too slow" not in told


def test_openings_that_take_long_are_told_of_once_and_are_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said: list[str] = []
    quick = RandomOpenings(RandomChoice(), ["yavalath"], 1, said.append)
    usual = [quick.opening("yavalath", turn) for turn in (1, 2)]
    said.clear()
    monkeypatch.setattr(random_openings, "SLOW_S", 0.0)
    slow = RandomOpenings(RandomChoice(), ["yavalath"], 1, said.append)
    assert [slow.opening("yavalath", turn) for turn in (1, 2)] == usual
    (words,) = said
    assert words.startswith("openings of yavalath are being drawn")
    assert "--openings random:0" in words
