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
from typing import TYPE_CHECKING, Any, Final

import jsonschema
import pytest
from commands import arena
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from places import ROOT

from lath import games
from lath.arena.doctor import doctor, sandboxes
from lath.arena.entrants import compiling
from lath.arena.errors import NOTHING, MachineError, Obstacle
from lath.arena.machine import system
from lath.arena.referee import process_trees
from lath.arena.sandbox import bubblewrap, cgroups, users
from lath.arena.sandbox.cgroups import GroupRights
from lath.arena.terminal.layout import Letters, Output
from lath.games.errors import UnknownGameError
from lath.notation.extras import EXTRAS

if TYPE_CHECKING:
    from golden import Golden

# What a machine has is told by replacing who looks: no test has another machine.
BWRAP: Final = Obstacle("bwrap is not installed", "install the package bubblewrap")


STATE: Final = compiling.state


def rows(*words: object) -> tuple[int, dict[str, dict[str, Any]]]:
    """Return the status, and what is found by the name of the point."""
    ran = arena("doctor", *words, "--json")
    return ran.status, {row["name"]: row for row in json.loads(ran.out)}


@pytest.fixture
def patch(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Give a machine on which nothing is missing, to take things from."""
    monkeypatch.setattr(bubblewrap, "why_not", lambda **_: NOTHING)
    monkeypatch.setattr(users, "can_be_given", lambda: False)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: free(10**12))
    monkeypatch.setattr(doctor, "_why_no_bot", lambda _: "")
    monkeypatch.setattr(compiling, "state", lambda: (True, "/cache/compiled"))
    return monkeypatch


pytestmark = pytest.mark.usefixtures("patch")


def test_it_tells_point_by_point_what_there_is(tmp_path: Path, patch: pytest.MonkeyPatch) -> None:
    is_compiled, where = STATE()
    patch.setattr(compiling, "state", lambda: (is_compiled, where))
    ran = arena("doctor", tmp_path)
    assert (ran.status, ran.err) == (0, "")
    groups = re.findall(r"^\w+", ran.out, re.MULTILINE)
    assert groups == [
        "program",
        "machine",
        "limits",
        "folders",
        "sandboxes",
        "installed",
        "terminal",
    ]
    assert "MISSING" not in ran.out
    status, told = rows(tmp_path)
    assert status == 0
    keys = {"group", "name", "verdict", "found", "remedy", "numbers"}
    assert {key for row in told.values() for key in row} == keys
    each = jsonschema.Draft202012Validator(json.loads(arena("schema", "doctor").out))
    assert [error for row in told.values() for error in each.iter_errors(row)] == []
    searches = told["searches"]
    assert (searches["verdict"], searches["found"]) == ("ok" if is_compiled else "note", where)
    assert told["results"]["found"].startswith(str(tmp_path))
    assert told["cores"]["found"].startswith(f"{len(system.available())} of ")
    assert told["bots"]["found"] == "alphabeta, greedy, mcts, monte-carlo, random, solver"


def free(room: int) -> SimpleNamespace:
    return SimpleNamespace(free=room)


def refused(_mark: str) -> None:
    raise MachineError("bots have no room for files in /scratch")


def nowhere() -> str:
    raise process_trees.lacking("no folder can hold scratch folders", 28)


def unloadable(game_id: str) -> object:
    raise UnknownGameError(f"game {game_id!r} cannot be loaded: no module")


HAS, FINDS = metadata.version, util.find_spec
CLOCKS: Final = {"current_clocksource": "hpet", "available_clocksource": "hpet tsc acpi_pm"}
ONLY_CPU: Final = GroupRights(home="/c", controllers=frozenset({"cpu"}), can_kill=True)
NO_GROUPS: Final = GroupRights(why_not=Obstacle("not mounted", "mount -t cgroup2"))
FEW: Final = system.open_files(1) - 1
DEEP: Final = SimpleNamespace(name="deep", value="no.bot")

NO_BWRAP: Final = (bubblewrap, "why_not", lambda **_: BWRAP)
NO_USER: Final = (users, "can_be_given", lambda: False)
A_USER: Final = (users, "can_be_given", lambda: True)
NOTHING_ELSE: Final = (sandboxes, "_why_not", lambda _: NOTHING)

Replaced = tuple[Any, str, Any]
LACKING: Final[dict[str, tuple[str, str, *tuple[Replaced, ...]]]] = {
    "no bwrap is noted": ("bwrap", "", NO_BWRAP),
    "no bwrap is missing where it is asked for": ("bwrap", "--sandbox bwrap", NO_BWRAP),
    "no user is missing too": ("user", "--sandbox user", NO_USER, (os, "geteuid", lambda: 0)),
    "no users for others": ("user", "", NO_USER, (os, "geteuid", lambda: 1000)),
    "a closed home": ("user", "", A_USER, (users, "closed_to", lambda *_: "/root")),
    "a folder that is a file": ("results", "file"),
    "a full disk": ("results", "", (system, "is_full", lambda _: True)),
    "little room": ("results", "not/there", (shutil, "disk_usage", lambda _: free(10**6))),
    "a disk of another machine": ("results", "", (doctor, "_file_system", lambda _: "nfs4")),
    "a folder that is closed": ("results", "", (os, "access", lambda *_: False)),
    "no room for scratch folders": ("scratch", "", (process_trees, "refuse_if_lacking", refused)),
    "no folder for scratch folders": ("scratch", "", (process_trees, "scratch_root", nowhere)),
    "a game that does not load": (
        *("game chess", ""),
        *((games, "plugin_ids", lambda: ("chess",)), (games, "get", unloadable)),
    ),
    "a bot that does not load": (
        *("bot deep", ""),
        *((metadata, "entry_points", lambda **_: [DEEP]), NOTHING_ELSE),
    ),
    "control groups of some": ("control groups", "", (cgroups, "what_is_here", lambda: ONLY_CPU)),
    "no control groups": ("control groups", "", (cgroups, "what_is_here", lambda: NO_GROUPS)),
    "few open files": ("open files", "", (resource, "getrlimit", lambda _: (FEW, FEW))),
    "a slow clock": (
        "clock",
        "",
        (doctor, "_text", lambda path: CLOCKS.get(Path(path).name, "")),
    ),
    "an old package": (
        *("packages", ""),
        (metadata, "version", lambda name: "13.6" if name == "rich" else HAS(name)),
    ),
    "no extra": (
        *("extra arrow", ""),
        (util, "find_spec", lambda name: None if name == "pyarrow" else FINDS(name)),
    ),
}
"""By what is lacking: the point that says so, what is asked, and what looks for it in vain."""

OF_THIS_MACHINE: Final = ("open files", "clock", "packages")


@pytest.mark.slow
def test_what_is_lacking_is_told_with_its_verdict_and_what_would_mend_it(
    tmp_path: Path, patch: pytest.MonkeyPatch, golden: Golden
) -> None:
    patch.chdir(tmp_path)
    (tmp_path / "file").touch()
    said, missing = {}, set()
    for name, (point, words, *replaced) in LACKING.items():
        with patch.context() as more:
            for where, what, by in replaced:
                more.setattr(where, what, by)
            status, told = rows(*words.split())
        row = told[point]
        found = (
            "" if point in OF_THIS_MACHINE else row["found"].partition("; memory of the kern")[0]
        )
        found = found.rpartition("; ")[2] if point == "results" else found
        remedy = re.sub("-n [0-9]+", "-n N", row["remedy"])
        said[name] = "\n".join(filter(None, (row["verdict"], found, remedy)))
        missing |= {name} if row["verdict"] == "missing" else set()
        assert (status == 1) == (name in missing), name
    golden(said)
    assert "--sandbox: 'moat' is not one of" in arena("doctor", "--sandbox", "moat").err
    needed = system.open_files(system.games_at_once(1))
    for most in (1 << 20, resource.RLIM_INFINITY):
        patch.setattr(resource, "getrlimit", lambda _, most=most: (most, most))
        files = rows()[1]["open files"]
        assert (files["verdict"], files["numbers"]["needed"]) == ("ok", needed)
    (tmp_path / "mygame.py").write_text("1 / 0\n")
    patch.setenv("LATH_GAMES", str(tmp_path / "mygame.py"))
    (broken,) = (row for name, row in rows()[1].items() if name.startswith("file "))
    assert "mygame.py:1: ZeroDivisionError" in broken["found"]


def test_a_bot_is_loaded_in_a_process_of_its_own(tmp_path: Path, patch: pytest.MonkeyPatch) -> None:
    patch.undo()
    assert doctor._why_no_bot("json") == ""  # a bot that fails so is installed nowhere
    (tmp_path / "deep_bot.py").write_text("1 / 0\n")
    patch.setenv("PYTHONPATH", str(tmp_path))
    assert doctor._why_no_bot("deep_bot") == "ZeroDivisionError: division by zero"


def test_lines_fit_the_terminal_and_lose_nothing(tmp_path: Path, patch: pytest.MonkeyPatch) -> None:
    patch.setattr(bubblewrap, "why_not", lambda **_: BWRAP)
    patch.setenv("COLUMNS", "80")
    once = list(doctor.findings(tmp_path))  # another time has other numbers
    patch.setattr("lath.arena.cli.doctor.findings", lambda *_: once)
    lines = arena("doctor", tmp_path).out.splitlines()
    assert max(len(line) for line in lines if "/" not in line) <= 80
    assert "  bwrap           note     not possible: bwrap is not installed" in lines
    shown = " ".join(" ".join(lines).split())
    assert all(" ".join(f"{one.found} {one.remedy}".split()) in shown for one in once)

    def in_ascii(**how: bool) -> Output:
        output = Output(**how)
        output.letters = Letters(is_ascii=True)  # type: ignore[misc]
        return output

    patch.undo()
    patch.setattr(doctor, "_file_system", lambda _: "é")
    patch.setattr("lath.arena.cli.doctor.Output", in_ascii)
    assert arena("doctor").out.isascii()


def test_the_list_of_extras_is_that_of_the_installation() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    assert {f"extra {name}" for name in extras} - set(rows()[1]) == {"extra dev", "extra docs"}
    asked = {
        name: {canonicalize_name(Requirement(text).name) for text in texts}
        for name, texts in extras.items()
        if name not in {"dev", "docs"}
    }
    brings = packages_distributions()
    listed = {
        extra.name: {canonicalize_name(brings[module][0]) for module in extra.modules}
        for extra in EXTRAS.values()
    }
    assert listed == asked
