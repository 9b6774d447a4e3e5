"""`arena doctor`: each point of a machine, and what would mend it."""

from __future__ import annotations

import json
import os
import re
import shutil
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace

import pytest
from commands import arena

from lath import games
from lath.arena.referee import trees
from lath.arena.tournament import diagnosis, system
from lath.arena.walls import bubblewrap, users
from lath.games.errors import UnknownGameError


def rows(*words: object) -> tuple[int, dict[str, dict[str, str]]]:
    """Return the status, and what is found by the name of the point."""
    ran = arena("doctor", *words, "--json")
    return ran.status, {row["name"]: row for row in json.loads(ran.out)}


@pytest.fixture(autouse=True)
def plenty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give a machine on which nothing is missing."""
    monkeypatch.setattr(bubblewrap, "why_not", lambda **_: "")
    monkeypatch.setattr(users, "can_be_given", lambda: False)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=10**12))


def test_it_tells_point_by_point_what_there_is(tmp_path: Path) -> None:
    ran = arena("doctor", tmp_path)
    assert (ran.status, ran.err) == (0, "")
    groups = re.findall(r"^\w+", ran.out, re.MULTILINE)
    assert groups == ["program", "machine", "limits", "folders", "walls", "installed"]
    status, found = rows(tmp_path)
    assert status == 0
    assert {key for row in found.values() for key in row} == {
        *("group", "name", "verdict", "found", "remedy"),
    }
    assert found["results"]["found"].startswith(str(tmp_path))
    assert found["cores"]["found"].startswith(f"{len(system.available())} of ")
    assert found["bots"]["found"] == "greedy, monte-carlo, random"
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
    assert "docs/untrusted-bots.md" in found[wall]["remedy"]
    ran = arena("doctor", "--sandbox", "moat")
    assert "--sandbox 'moat', expected one of auto, none, user, bwrap" in ran.err


def test_too_little_room_and_disks_of_other_machines_are_noted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=10**6))
    status, found = rows(tmp_path / "not" / "there")
    assert status == 0
    assert found["results"]["verdict"] == found["scratch"]["verdict"] == "note"
    assert found["results"]["remedy"] == "a tournament should have 100 MB"
    monkeypatch.setattr(diagnosis, "_file_system", lambda _: "nfs4")
    assert "on a disk of this machine" in rows(tmp_path)[1]["results"]["remedy"]


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
    assert found["results"]["remedy"] == "it may not be written: choose another --out"
    assert found["scratch"]["remedy"] == "set TMPDIR to a folder that can be written"


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
