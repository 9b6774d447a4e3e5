"""Each attack behind each wall: what should hold holds, and what is said to be possible is."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

import pytest
from attack_stand import NOBODY
from attacks import ELSEWHERE, MODES, NO, SYSTEM, TRIED, catalogue
from places import ROOT
from processes import gone, new_tree
from tools import needs

from lath.arena.referee import memory
from lath.arena.referee.process import Child
from lath.arena.sandbox import users
from lath.arena.sandbox.kinds import BotSandbox

needs_users = pytest.mark.skipif(
    not users.can_be_given(), reason="this system grants no other user"
)
MARKS = {
    "none": needs(),
    "user": needs_users,
    "bwrap": needs("bwrap"),
    "bwrap-user": needs("bwrap"),
}


@cache
def gone_through(mode: str, *how: str) -> dict[str, bool]:
    """Return which attacks go through a wall, all tried by one bot."""
    is_ordinary = mode in ("none", "bwrap-user") and os.geteuid() == 0
    user = NOBODY if is_ordinary else None
    with tempfile.TemporaryDirectory(prefix="attacked-") as folder:
        # Not started by the runner: it is of the organiser's user, and lives on.
        victim = subprocess.Popen(["sleep", "600"], user=user, cwd="/")
        try:
            stand = [sys.executable, str(ROOT / "tests" / "support" / "attack_stand.py")]
            ran = subprocess.run(
                [*stand, mode, folder, str(victim.pid), *how],
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


MODES_HERE = [pytest.param(mode, marks=MARKS[mode]) for mode in MODES]


def expected_in(mode: str) -> dict[str, bool]:
    """Return which attacks go through, without those of which the system decides."""
    cells = {name: catalogue()[words][mode] for name, words in TRIED.items()}
    return {name: cell != NO for name, cell in cells.items() if cell != SYSTEM}


@pytest.mark.parametrize("mode", MODES_HERE)
@pytest.mark.xdist_group("attacks")
def test_attacks_go_through_where_the_catalogue_says_so(mode: str) -> None:
    found = gone_through(mode)
    assert {name: found[name] for name in expected_in(mode)} == expected_in(mode)


def test_each_attack_of_the_document_is_tried_by_the_attacker_or_by_a_test() -> None:
    assert sorted(catalogue()) == sorted([*TRIED.values(), *ELSEWHERE])
    assert {*gone_through("none")} == {*TRIED, "done"}
    tests = [path.read_text(encoding="utf-8") for path in (ROOT / "tests/arena").rglob("test_*.py")]
    names = {*re.findall(r"^def (\w+)\(", "\n".join(tests), re.MULTILINE), ""}
    assert [name for name in ELSEWHERE.values() if name not in names] == []


SCRATCH = {
    "in files": "open(f'{place}/big', 'wb').write(bytes(16 << 20))",
    "in their names": "[open(f'{place}/{n}', 'w').close() for n in range(16_000)]",
}


@needs("bwrap")
@pytest.mark.parametrize("how", SCRATCH)
def test_files_in_memory_count(how: str) -> None:
    code = f"for place in ('/home/bot', '/tmp', '/dev/shm'):\n    {SCRATCH[how]}\n"
    words = ["/usr/bin/python3", "-c", f"{code}print('full', flush=True)\ninput()"]
    child = Child.start(words, tree=new_tree(), wall=BotSandbox(kind="bwrap"))
    try:
        assert gone(lambda: child.take_output() or not child.lines)  # type: ignore[func-returns-value]
        assert child.bot_pid != child.pid
        held = memory.opened([], child._start.inner_pid)
        assert 45 << 20 < held < 60 << 20
    finally:
        child.kill()


@needs_users
def test_no_two_bots_are_the_same_user(monkeypatch: pytest.MonkeyPatch) -> None:
    claimed = [users.claim() for _ in range(50)]
    assert len(set(claimed)) == 50
    few = sorted(claimed)[:1]
    monkeypatch.setattr(users, "FIRST", few[0])
    monkeypatch.setattr(users, "LAST", few[0])
    with pytest.raises(OSError, match="are all in use"):
        users.claim()
    code = f"from lath.arena.sandbox import users as u; u.FIRST = u.LAST = {few[0]}; u.claim()"
    theirs = subprocess.run([sys.executable, "-c", code], stderr=subprocess.PIPE, check=False)
    assert b"are all in use" in theirs.stderr
    for user in claimed:
        users.release(user)
    assert users.claim() == few[0]
    users.release(few[0])


@needs_users
def test_who_shares_a_user_keeps_it_when_another_lets_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = users.claim_owner(str(tmp_path))
    assert users.claim_owner(str(tmp_path)) == owner
    monkeypatch.setattr(users, "FIRST", owner)
    monkeypatch.setattr(users, "LAST", owner)
    for _ in range(2):
        with pytest.raises(OSError, match="are all in use"):
            users.claim()
        users.release(owner)
    assert users.claim() == owner
    users.release(owner)
