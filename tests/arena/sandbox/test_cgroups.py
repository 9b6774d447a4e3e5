"""Control groups: where they can be made, what bounds them, and that nothing leaves them alive."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from processes import PATIENCE_S, alive_of, children_of, gone, new_tree

from lath.arena.referee.process import Child
from lath.arena.referee.process_trees import sweep
from lath.arena.sandbox import cgroups
from lath.arena.sandbox.kinds import BotSandbox
from lath.arena.sandbox.limits import OWN_TASKS

needs_groups = pytest.mark.skipif(
    not cgroups.what_is_here().can_kill, reason="this system grants no control groups"
)


def test_our_group_and_those_around_it_are_found_where_they_are_mounted() -> None:
    for root, mount, own, homes in (
        ("/", "/sys/fs/cgroup", "/a/b.scope", ["/a/b.scope", "/a", ""]),
        ("/", "/sys/fs/cgroup", "/", [""]),
        ("/a", "/run/control\\040groups", "/a/b.scope", ["/b.scope", ""]),
        ("/elsewhere", "/sys/fs/cgroup", "/a", []),
        ("/", "/sys/fs/cgroup", "/../outside", []),
    ):
        mounts = (
            "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
            f"41 31 0:38 {root} {mount} rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"
        )
        found = cgroups.candidates(mounts, f"4:cpu:/old\n0::{own}\n")
        assert found == [mount.replace("\\040", " ") + home for home in homes]


def groups_of(tree: str) -> list[cgroups.ControlGroup]:
    return cgroups.leftovers(f"lath-bot-{tree}")


@needs_groups
def test_a_bot_that_drops_its_mark_and_forks_all_the_time_ends_with_its_group() -> None:
    tree = new_tree()
    code = """if 1:
        import os
        for _ in range(3):
            os.fork()
        os.write(1, b"forking\\n")
        while True:
            if os.fork():
                os._exit(0)
            os.setsid()
    """
    nameless = ["/usr/bin/env", "-i", sys.executable, "-I", "-S", "-c", code]
    child = Child.start(nameless, tree=tree)
    (group,) = groups_of(tree)
    while len(child.lines) < 8:
        child.take_output()
    group.kill()
    assert gone(group.processes)
    child.kill()
    assert groups_of(tree) == []


SPINS = """
import sys
import threading
from lath.arena.sandbox import cgroups
sys.setswitchinterval(1e-6)
threading.Thread(target=lambda: [None for _ in iter(int, 1)], daemon=True).start()
home = cgroups.what_is_here().home
assert home
for _ in range(30):
    assert cgroups._tried(home)
print("found")
"""


@needs_groups
def test_what_is_here_is_found_while_other_threads_compute() -> None:
    command = [sys.executable, "-c", SPINS]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.stdout, done.stderr) == ("found\n", "")


@needs_groups
def test_a_program_that_is_not_there_leaves_no_group_and_no_process() -> None:
    tree, before = new_tree(), set(children_of(os.getpid()))  # of other tests, which live on
    with pytest.raises(FileNotFoundError):
        Child.start(["/nowhere/bot"], tree=tree)
    assert groups_of(tree) == []
    assert set(children_of(os.getpid())) <= before


@needs_groups
def test_what_a_killed_runner_has_left_goes_with_a_later_sweep() -> None:
    tree = new_tree()
    empty, full = (cgroups.make(f"lath-bot-{tree}{name}") for name in ("empty", "full"))
    assert empty
    assert full
    other = cgroups.make(f"lath-bot-{tree}spared")
    assert other
    with full.start(["sleep", "600"], preexec_fn=lambda: None, start_new_session=True) as process:
        assert os.getsid(process.pid) == process.pid
        assert full.processes() == [process.pid]
        assert sweep(tree, spare=[f"{tree}spared"]) == 1
        process.wait()
    assert groups_of(tree) == [other]
    other.remove()


needs_memory_groups = pytest.mark.skipif(
    not cgroups.what_is_here().memory_home, reason="this system has no version 1 to bound memory by"
)


@needs_memory_groups
@pytest.mark.parametrize("has_version_2", [True, False])
def test_version_1_bounds_what_all_processes_of_a_bot_hold(
    has_version_2: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = cgroups.what_is_here()
    if not has_version_2:
        monkeypatch.setattr(cgroups, "what_is_here", lambda: replace(here, home="", can_kill=False))
    code = """if 1:
        import os, time
        os.write(1, b"on\\n")
        os.fork(), os.fork()
        held = b"x" * (30 << 20)
        time.sleep(600)
    """
    tree, wall = new_tree(), BotSandbox(tree_bytes=64 << 20)
    child = Child.start([sys.executable, "-I", "-S", "-c", code], tree=tree, wall=wall)
    assert len(groups_of(tree)) == 1 + has_version_2
    assert child.wait(time.monotonic() + PATIENCE_S)
    assert child.end_words() == "was ended: its processes want more than the 64 MiB allowed"
    child.kill()
    assert groups_of(tree) == []
    assert gone(lambda: alive_of(tree))


def test_a_group_is_held_to_the_bounds_of_its_sandbox(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Groups of plain files, as if all controllers were granted.
    here = cgroups.GroupRights(home=str(tmp_path), controllers=frozenset({"memory", "cpu", "pids"}))
    monkeypatch.setattr(cgroups, "what_is_here", lambda: here)
    cgroups.make("bot", tree_bytes=3 << 20, cores=1.5, tasks=OWN_TASKS)
    assert {path.name: path.read_text() for path in (tmp_path / "bot").iterdir()} == {
        "memory.max": "3145728",
        "memory.swap.max": "0",
        "memory.oom.group": "1",
        "cpu.max": "150000 100000",
        "pids.max": "256",
    }
    cgroups.make("free")
    assert list((tmp_path / "free").iterdir()) == []
