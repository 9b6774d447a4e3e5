"""`arena doctor`: each point of a machine, and what would mend it."""

from __future__ import annotations

import json
import os
import re
import resource
import shutil
import tomllib
from importlib import metadata, util
from importlib.metadata import packages_distributions
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jsonschema
import pytest
from commands import arena
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from places import ROOT

from lath import DOCUMENTATION, games
from lath.arena.errors import MachineError
from lath.arena.referee import trees
from lath.arena.terminal.layout import Letters, Output
from lath.arena.tournament import diagnosis, system
from lath.arena.walls import bubblewrap, cgroups, users
from lath.arena.walls.cgroups import Here
from lath.games.errors import UnknownGameError
from lath.notation.extras import EXTRAS


def rows(*words: object) -> tuple[int, dict[str, dict[str, Any]]]:
    """Return the status, and what is found by the name of the point."""
    ran = arena("doctor", *words, "--json")
    return ran.status, {row["name"]: row for row in json.loads(ran.out)}


@pytest.fixture(autouse=True)
def plenty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give a machine on which nothing is missing."""
    monkeypatch.setattr(bubblewrap, "why_not", lambda **_: "")
    monkeypatch.setattr(users, "can_be_given", lambda: False)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=10**12))
    monkeypatch.setattr(diagnosis, "_why_no_bot", lambda _: "")


def test_it_tells_point_by_point_what_there_is(tmp_path: Path) -> None:
    ran = arena("doctor", tmp_path)
    assert (ran.status, ran.err) == (0, "")
    groups = re.findall(r"^\w+", ran.out, re.MULTILINE)
    assert groups == ["program", "machine", "limits", "folders", "walls", "installed", "terminal"]
    status, found = rows(tmp_path)
    assert status == 0
    assert {key for row in found.values() for key in row} == {
        *("group", "name", "verdict", "found", "remedy", "numbers"),
    }
    each = jsonschema.Draft202012Validator(json.loads(arena("schema", "doctor").out))
    assert [error for row in found.values() for error in each.iter_errors(row)] == []
    assert found["results"]["found"].startswith(str(tmp_path))
    assert found["cores"]["found"].startswith(f"{len(system.available())} of ")
    assert found["bots"]["found"] == "alphabeta, greedy, mcts, monte-carlo, random, solver"
    assert "MISSING" not in ran.out


@pytest.mark.parametrize(("wall", "says"), [("user", "only the superuser"), ("bwrap", "package")])
def test_a_wall_that_is_needed_and_not_there_is_missing(
    wall: str, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bubblewrap, "why_not", lambda **_: "install the package bubblewrap")
    assert rows()[0] == 0
    status, found = rows("--sandbox", wall)
    assert (status, found[wall]["verdict"]) == (1, "missing")
    assert says in found[wall]["found"]
    assert f"{DOCUMENTATION}untrusted-bots/" in found[wall]["remedy"]
    ran = arena("doctor", "--sandbox", "moat")
    assert "--sandbox 'moat', expected one of auto, none, user, bwrap" in ran.err


def test_too_little_room_and_disks_of_other_machines_are_noted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=10**6))
    status, found = rows(tmp_path / "not" / "there")
    assert status == 0
    assert found["results"]["verdict"] == found["scratch"]["verdict"] == "note"
    assert found["results"]["found"].endswith("a tournament should have 100 MB; little room")
    monkeypatch.setattr(diagnosis, "_file_system", lambda _: "nfs4")
    assert "on a local disk" in rows(tmp_path)[1]["results"]["remedy"]


def test_what_a_run_cannot_do_without_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)

    def nowhere() -> str:
        raise trees.lacking("no folder can hold scratch folders", 28)

    monkeypatch.setattr(trees, "scratch_root", nowhere)
    monkeypatch.setattr(diagnosis, "_why_not", lambda _: "")
    status, found = rows(tmp_path)
    assert status == 1
    assert found["results"]["found"].endswith("cannot be written")
    assert found["results"]["remedy"] == "choose another folder: arena run --out DIR"
    assert "TMPDIR" in found["scratch"]["remedy"]
    monkeypatch.undo()
    (tmp_path / "file").touch()
    assert rows(tmp_path / "file")[1]["results"]["found"].count("is no folder") == 1
    monkeypatch.setattr(system, "is_full", lambda _: True)
    assert rows(tmp_path)[0] == 1


def test_games_and_bots_that_do_not_load_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(game_id: str) -> object:
        raise UnknownGameError(f"game {game_id!r} cannot be loaded: no module")

    point = SimpleNamespace(name="deep", value="no_such_package.bot")
    monkeypatch.setattr(games, "plugin_ids", lambda: ("chess",))
    monkeypatch.setattr(games, "get", broken)
    monkeypatch.setattr(metadata, "entry_points", lambda **_: [point])
    monkeypatch.setattr(diagnosis, "_why_not", lambda _: "")
    status, found = rows()
    assert status == 0
    assert found["game chess"]["verdict"] == "note"
    assert found["game chess"]["found"] == "game 'chess' cannot be loaded: no module"
    assert found["bot deep"]["found"] == "no_such_package.bot is not there"


def test_lines_fit_the_terminal_and_lose_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bubblewrap, "why_not", lambda **_: BWRAP)
    monkeypatch.setenv("COLUMNS", "80")
    once = list(diagnosis.findings(tmp_path))  # another time has other numbers
    monkeypatch.setattr("lath.arena.cli.doctor.findings", lambda *_: once)
    lines = arena("doctor", tmp_path).out.splitlines()
    assert max(len(line) for line in lines if "/" not in line) <= 80
    assert "  bwrap           note     not possible: bwrap is not installed" in lines
    shown = " ".join(" ".join(lines).split())
    assert all(" ".join(f"{one.found} {one.remedy}".split()) in shown for one in once)


BWRAP = "bwrap is not installed: install the package bubblewrap"


def test_what_mends_a_wall_is_its_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bubblewrap, "why_not", lambda **_: BWRAP)
    monkeypatch.setattr(users, "can_be_given", lambda: True)
    monkeypatch.setattr(users, "closed_to", lambda *_: "/root")
    _, found = rows()
    assert found["bwrap"]["remedy"].startswith(
        f"install the package bubblewrap; see {DOCUMENTATION}untrusted"
    )
    assert found["user"]["found"] == "not possible: /root is closed to other users"
    assert found["user"]["remedy"].startswith("`chmod o+rX` opens it")
    monkeypatch.setattr(users, "can_be_given", lambda: False)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert rows()[1]["user"]["remedy"].startswith("map the users 61184 to 65519 into")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert rows()[1]["user"]["remedy"].startswith("start the arena as root; ")


def test_what_no_control_group_bounds_a_watchdog_does(monkeypatch: pytest.MonkeyPatch) -> None:
    here = Here(home="/sys/fs/cgroup", controllers=frozenset({"cpu"}), can_kill=True)
    monkeypatch.setattr(cgroups, "what_is_here", lambda: here)
    assert "bounds cpu; a watchdog bounds memory and pids" in rows()[1]["control groups"]["found"]
    here = Here(why_not="control groups of version 2 are not mounted: mount -t cgroup2")
    monkeypatch.setattr(cgroups, "what_is_here", lambda: here)
    assert rows()[1]["control groups"]["remedy"] == "mount -t cgroup2"


def test_scratch_folders_are_tried_as_a_run_tries_them(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_mark: str) -> None:
        raise MachineError("bots have no room for files in /scratch")

    monkeypatch.setattr(trees, "refuse_if_lacking", refuse)
    status, found = rows()
    assert (status, found["scratch"]["verdict"]) == (1, "missing")
    assert found["scratch"]["found"] == "bots have no room for files in /scratch"


@pytest.mark.parametrize(
    ("most", "verdict"),
    [(system.open_files(1) - 1, "missing"), (1 << 20, "ok"), (resource.RLIM_INFINITY, "ok")],
)
def test_open_files_are_those_that_a_run_asks_for(
    most: int, verdict: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (most, most))
    files, needed = rows()[1]["open files"], system.open_files(system.games_at_once(1))
    assert (files["verdict"], files["numbers"]["needed"]) == (verdict, needed)


def test_a_slow_clock_is_told_with_a_better_one(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {"current_clocksource": "hpet", "available_clocksource": "hpet tsc acpi_pm"}
    monkeypatch.setattr(diagnosis, "_text", lambda path: texts.get(path.rpartition("/")[2], ""))
    assert rows()[1]["clock"]["remedy"].startswith("echo tsc > /sys/")


def test_an_old_package_is_named_with_what_brings_a_new_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    has = metadata.version
    monkeypatch.setattr(metadata, "version", lambda name: "13.6" if name == "rich" else has(name))
    status, found = rows()
    assert (status, found["packages"]["remedy"]) == (1, "pip install 'rich>=13.7'")


def test_an_extra_that_is_not_there_is_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    find = util.find_spec
    monkeypatch.setattr(util, "find_spec", lambda name: None if name == "pyarrow" else find(name))
    status, found = rows()
    assert (status, found["extra arrow"]["remedy"]) == (0, EXTRAS["arrow"].install)
    assert found["extra arrow"]["found"] == "pyarrow not installed: no Parquet and Arrow tables"
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = extras["optional-dependencies"]
    assert {f"extra {name}" for name in extras} - set(found) == {"extra dev", "extra docs"}


def test_the_list_of_extras_is_that_of_the_installation() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    asked = {
        name: {canonicalize_name(Requirement(text).name) for text in texts}
        for name, texts in project["optional-dependencies"].items()
        if name not in {"dev", "docs"}
    }
    brings = packages_distributions()
    listed = {
        extra.name: {canonicalize_name(brings[module][0]) for module in extra.modules}
        for extra in EXTRAS.values()
    }
    assert listed == asked


def test_a_file_of_a_game_that_fails_is_told_with_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "mygame.py"
    broken.write_text("1 / 0\n")
    monkeypatch.setenv("LATH_GAMES", str(broken))
    assert "mygame.py:1: ZeroDivisionError" in rows()[1][f"file {broken}"]["found"]


def test_a_bot_is_loaded_in_a_process_of_its_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.undo()
    assert diagnosis._why_no_bot("json") == ""
    (tmp_path / "deep_bot.py").write_text("1 / 0\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert diagnosis._why_no_bot("deep_bot") == "ZeroDivisionError: division by zero"


def test_a_terminal_of_ascii_is_shown_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    def in_ascii(**how: bool) -> Output:
        output = Output(**how)
        output.letters = Letters(is_ascii=True)  # type: ignore[misc]
        return output

    monkeypatch.setattr(diagnosis, "_file_system", lambda _: "é")
    monkeypatch.setattr("lath.arena.cli.doctor.Output", in_ascii)
    assert arena("doctor").out.isascii()
