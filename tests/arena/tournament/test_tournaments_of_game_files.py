"""A tournament of a game of a file: it goes on by the rules that it has begun with, or asks."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from arena_runs import arena, numbers
from bad_bots import Good, command
from game_files import EXAMPLE, forget_games, write_game
from processes import new_tree
from quick_runs import play_nothing
from workers import a_job

from lath import games
from lath.arena.referee.bots import BotSpec
from lath.arena.referee.clock import Limits
from lath.arena.tournament.worker import play_pair, read_result
from lath.games import files
from lath.notation.protocol import TimeControl
from lath.reports import export

WORDS = ["run", "--bot", "greedy", "--bot", "random", "--tc", "nodes 1", "--jobs", "1"]
WORDS += ["--openings", "random:0", "--no-report", "-q", "--out", "out", "--game", "./mygame.py"]

CHANGED = "the file of order-and-chaos has changed since games were played"


@pytest.fixture
def begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a game's file and a tournament, in which every game was won at once."""
    play_nothing(monkeypatch)
    write_game(tmp_path)
    done = arena(*WORDS, "--rounds", "1", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    return tmp_path


def told(folder: Path) -> dict[str, Any]:
    told = arena("rate", "out", "--json", "--unchecked", cwd=folder)
    assert told.returncode == 0
    found: dict[str, Any] = json.loads(told.stdout)
    jsonschema.Draft202012Validator(export.schema()).validate(found)
    return found


def test_bots_and_workers_find_the_game_and_the_records_name_its_file(tmp_path: Path) -> None:
    path = write_game(tmp_path)
    done = arena(*WORDS, "--rounds", "1", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    lines = (tmp_path / "out" / "games.lath").read_text().splitlines()
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert lines.count(f'[GameFile "mygame.py sha256:{digest}"]') == 2
    assert lines.count('[Termination "rules"]') == 2
    assert 'games = ["' + str(path) in (tmp_path / "out" / "tournament.toml").read_text()


def test_it_goes_on_where_the_file_is_another_one_of_the_same_text(begun: Path) -> None:
    forget_games()
    (begun / "new").mkdir()
    (begun / "mygame.py").rename(begun / "new" / "mygame.py")
    lost = arena("run", "out", "--rounds", "2", cwd=begun)
    assert lost.returncode == 2
    assert f"games: {begun}/mygame.py: there is no such file, expected a Python" in lost.stderr
    assert lost.stderr.endswith("; --game takes the place of games\n")
    words = [*WORDS[:-1], "./new/mygame.py", "--rounds", "2"]
    found = arena(*words, cwd=begun)
    assert (found.returncode, found.stderr) == (0, "")
    assert numbers(begun / "out") == [1, 2, 3, 4]


def test_by_other_rules_it_goes_on_only_with_force_and_that_is_told(begun: Path) -> None:
    forget_games()
    write_game(begun, f"{(begun / 'mygame.py').read_text()}# other rules\n")
    refused = arena(*WORDS, "--rounds", "2", cwd=begun)
    why = f"{CHANGED}; choose another --out, or go on all the same with --force"
    assert (refused.returncode, refused.stderr) == (2, f"arena: {why}\n")
    assert numbers(begun / "out") == [1, 2]
    forced = arena(*WORDS, "--rounds", "2", "--force", cwd=begun)
    assert forced.returncode == 0
    assert f"warning: {CHANGED}; its games so far were played by other rules\n" in forced.stderr
    found = told(begun)
    (change,) = found["changes"]
    assert (change["bot"], change["setting"], change["games"]) == ("", "file of order-and-chaos", 2)
    shas = [played["game_files"]["mygame.py"] for played in found["provenance"]]
    assert len(set(shas)) == len(shas) == 2


def test_a_worker_whose_file_is_another_one_plays_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_game(tmp_path)
    monkeypatch.setenv(files.VARIABLE, f"{path}#sha256={'1f3a' * 16}")
    bots = [BotSpec(name=name, command=("/nowhere",)) for name in ("ann", "bob")]
    job = a_job(bots[0], bots[1], Limits(time=TimeControl(nodes=1)), tree="")
    plans = tuple(replace(plan, game="order-and-chaos") for plan in job.games)
    result = read_result(play_pair(replace(job, games=plans)))
    why = f"LATH_GAMES: {path} has changed since it was loaded: begin anew"
    assert (result.void, result.void_bot, result.games) == (why, "", ())


def test_rules_that_break_down_in_a_worker_stop_the_pairing_in_words(tmp_path: Path) -> None:
    slip = "self.canonical_setup(setup)"
    path = write_game(tmp_path, EXAMPLE.read_text(encoding="utf-8").replace(slip, "1 // 0"))
    games.add(path)
    bots = [BotSpec(name=name, command=command(Good)) for name in ("ann", "bob")]
    job = a_job(bots[0], bots[1], Limits(time=TimeControl(nodes=1)), tree=new_tree())
    plans = tuple(replace(plan, game="order-and-chaos", setup="x") for plan in job.games)
    result = read_result(play_pair(replace(job, games=plans)))
    why = (
        f"{path}:51: ZeroDivisionError: integer division or modulo by zero, at ply 0; no move was "
        "played yet"
    )
    assert (result.void, result.void_bot, result.games) == (why, "", ())


def test_who_only_looks_at_a_tournament_runs_no_file_that_it_names(begun: Path) -> None:
    forget_games()
    write_game(begun, f"open({str(begun / 'ran')!r}, 'w')")
    for words in (["check", "out"], ["check", "out", "--sound", "new"], ["rate", "out"]):
        looked = arena(*words, cwd=begun)
        assert looked.returncode == 1, looked.stderr
        assert not (begun / "ran").exists()
