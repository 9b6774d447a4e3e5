"""Each attack behind each wall: what should hold holds, and what is said to be possible is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

import pytest
from attack_stand import NOBODY
from attacks import ATTACKS, MODES, table
from tools import needs

from lath.arena.walls import users

ROOT = Path(__file__).parents[3]

needs_users = pytest.mark.skipif(
    not users.can_be_given(), reason="this system grants no other user"
)
MARKS = {"none": needs(), "user": needs_users, "bwrap": needs("bwrap")}


@cache
def gone_through(mode: str) -> dict[str, bool]:
    """Return which attacks go through a wall, all tried by one bot."""
    user = NOBODY if mode == "none" and os.geteuid() == 0 else None
    with tempfile.TemporaryDirectory(prefix="attacked-") as folder:
        # Not started by the runner: it is of the organiser's user, and lives on.
        victim = subprocess.Popen(["sleep", "600"], user=user, cwd="/")
        try:
            stand = [sys.executable, str(ROOT / "tests" / "support" / "attack_stand.py")]
            ran = subprocess.run(
                [*stand, mode, folder, str(victim.pid)],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=300,
                check=False,
            )
            was_killed = victim.poll() is not None
        finally:
            victim.kill()
            victim.wait()
        assert ran.returncode == 0, ran.stderr
        found: dict[str, bool] = json.loads(ran.stdout)
        return {**found, "kill": was_killed}


@pytest.mark.parametrize("name", ATTACKS)
@pytest.mark.parametrize("mode", [pytest.param(mode, marks=MARKS[mode]) for mode in MODES])
@pytest.mark.xdist_group("attacks")
def test_an_attack_goes_through_where_the_table_says_so(mode: str, name: str) -> None:
    expected = getattr(ATTACKS[name], mode)
    if expected is not None:
        assert gone_through(mode)[name] is expected


def test_each_attack_is_tried() -> None:
    assert {*gone_through("none")} == {*ATTACKS, "done"}


def test_the_documents_show_the_table() -> None:
    assert table() in (ROOT / "docs" / "untrusted-bots.md").read_text(encoding="utf-8")


@needs_users
def test_no_two_bots_are_the_same_user(monkeypatch: pytest.MonkeyPatch) -> None:
    claimed = [users.claim() for _ in range(50)]
    assert len(set(claimed)) == 50
    few = sorted(claimed)[:1]
    monkeypatch.setattr(users, "FIRST", few[0])
    monkeypatch.setattr(users, "LAST", few[0])
    with pytest.raises(OSError, match="are all claimed"):
        users.claim()
    code = f"from lath.arena.walls import users as u; u.FIRST = u.LAST = {few[0]}; u.claim()"
    theirs = subprocess.run([sys.executable, "-c", code], stderr=subprocess.PIPE, check=False)
    assert b"are all claimed" in theirs.stderr
    for user in claimed:
        users.release(user)
    assert users.claim() == few[0]
    users.release(few[0])
