"""`arena games check` as authors of games use it: what is printed, written and exited with."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from commands import arena
from faulty_games import FAULTS, SOUND
from game_files import forget_games, write_game

from lath.arena.gamecheck.check import IDS

TWO = """
from lath.games.yavalath import Yavalath

class Ants(Yavalath):
    id = "ants"

class Wasps(Yavalath):
    id = "wasps"
    def start(self, setup=None):
        return 0

GAMES = [Ants(), Wasps()]
"""


@pytest.mark.slow
def test_a_sound_game_is_fit_for_tournaments_and_bots_play_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_game(tmp_path, SOUND)
    ran = arena("games", "check", "./mygame.py:size=4", "--quick")
    assert ran.status == 0, ran.out + ran.err
    lines = ran.out.splitlines()
    assert re.fullmatch(r"[0-9]+ points: .*; [0-9.]+ s", lines[-2])
    assert lines[-1] == "passing:size=4: fit for tournaments"
    assert "             a b c d" in ran.out, "a position as text"
    told = re.search(r"  (ok|note) +tournament .*", ran.out, re.DOTALL)
    assert told, ran.out
    played = " ".join(told[0].split())
    if told[1] == "ok":
        bots = set(re.findall(r"\b(random|greedy|mcts|alphabeta) [0-9.]+/[1-9]", played))
        assert len(bots) >= 2, played  # on a slow machine, the time ends before all have played
    else:
        assert "lost a game by time" in played, "nothing else is noted"


def test_a_fault_is_printed_with_its_remedy_and_a_picture_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    planted = FAULTS["pieces that look alike"]
    write_game(tmp_path, SOUND.replace(planted.right, planted.wrong))
    only = ("--only", "distinct", "--only", "drawn")
    ran = arena("games", "check", "./mygame.py", "--quick", "--picture", "board.svg", *only)
    assert (ran.status, ran.err) == (1, "")
    told = ran.out.splitlines()
    assert told[0] == "drawing"
    assert told[1].startswith("  fault    distinct       draws its pieces so that they differ: x ")
    assert "            fix: give one of them another colour, shape or glyph" in told
    assert told[-1] == "passing: 1 fault: not fit for tournaments"
    assert Path("board.svg").read_text().startswith("<svg ")
    quiet = arena("games", "check", "./mygame.py", "--quick", "-q", *only)
    assert (quiet.status, quiet.out.splitlines()[0]) == (1, "drawing")
    assert "drawn" not in quiet.out
    as_json = arena("games", "check", "./mygame.py", "--quick", "--json", *only)
    points = [json.loads(line) for line in as_json.out.splitlines()]
    assert [(point["id"], point["verdict"]) for point in points] == [
        ("distinct", "fault"),
        ("drawn", "ok"),
    ]
    assert points[0].keys() == {
        *("id", "chapter", "asks", "verdict", "seen", "mend", "where", "way")
    }


def test_a_name_of_no_game_or_of_no_check_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for words in (["./none.py"], ["chess"], ["yavalath", "--only", "nothing"]):
        ran = arena("games", "check", *words)
        assert (ran.status, ran.out) == (2, "")
    assert f"hint: choose from {', '.join(IDS)}" in ran.err
    write_game(tmp_path, TWO)
    ran = arena("games", "check", "./mygame.py")
    assert (ran.status, ran.out) == (2, "")
    assert "hint: arena games check ./mygame.py:ants" in ran.err
    ran = arena("games", "check", "./mygame.py:wasps", "--quick", "--only", "exceptions")
    assert ran.status == 0, "a position that is no position is one fault"
    ran = arena("games", "check", "./mygame.py:wasps", "--quick", "--only", "members")
    assert ran.status == 1
    assert "start() returned 0, which lacks game" in " ".join(ran.out.split())
    forget_games()
    write_game(tmp_path, "GAME = 1")
    ran = arena("games", "check", "./mygame.py")
    assert ran.status == 1
    assert "GAME lacks id" in " ".join(ran.out.split())
