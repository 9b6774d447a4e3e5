"""What all processes of a bot may take together, where the system does not hold them to it."""

from __future__ import annotations

import os
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from processes import PATIENCE_S, alive_of, gone, new_tree

from lath.arena.referee import memory, process_trees, watchdog
from lath.arena.referee.process import Child
from lath.arena.referee.watch import Watch
from lath.arena.referee.watchdog import CpuBudget, Watched, trim_cache
from lath.arena.sandbox import cgroups
from lath.arena.sandbox.bubblewrap import View
from lath.arena.sandbox.kinds import BotSandbox, ProcessStart

MIB = 1 << 20

Begin = Callable[..., Child]


@pytest.fixture(params=["in a group", "in none"])
def begin(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Begin]:
    """Start a program of Python behind a wall, and wait for its first line; all end afterwards.

    Its processes are found by their group, or by where they come from.
    """
    here = cgroups.what_is_here()
    plain = replace(here, memory_home="", controllers=frozenset[str]())
    monkeypatch.setattr(
        cgroups,
        "what_is_here",
        cgroups.GroupRights if request.param == "in none" else lambda: plain,
    )
    monkeypatch.setattr(watchdog, "TICK_S", 0.05)
    monkeypatch.setattr(watchdog, "CACHE_S", 0.05)
    tree, children = new_tree(), []

    def start(code: str, wall: BotSandbox, *arguments: str) -> Child:
        command = [sys.executable, "-I", "-S", "-c", f"import os, time\n{code}", *arguments]
        children.append(child := Child.start(command, tree=tree, wall=wall))
        while not child.lines and not child.out_closed:
            child.glance(1000)
            child.take_output()
        return child

    yield start
    for child in children:
        child.kill()
    assert gone(lambda: alive_of(tree))


def how_it_ends(child: Child) -> str:
    watch = Watch()
    watch.add(child)
    until_s = time.monotonic() + PATIENCE_S
    while not child.has_ended and time.monotonic() < until_s:
        watch.wait(time.monotonic() + 1)
    watch.drop(child)
    assert child.has_ended
    return child.end_words()


EATERS = """
for _ in range(3):
    if os.fork() == 0:
        eaten = b"x" * (30 << 20)
        print("fed", flush=True)
        time.sleep(600)
time.sleep(600)
"""


def test_processes_that_hold_too_much_together_end_though_each_holds_little(begin: Begin) -> None:
    words = how_it_ends(begin(EATERS, BotSandbox(tree_bytes=64 * MIB)))
    found = re.fullmatch(r"was ended: its processes hold ([\d.]+) MiB \(64 MiB allowed\)", words)
    assert found
    assert 64 < float(found[1]) < 64 + 30 + 3 * 16


SHARERS = """
eaten = b"x" * (30 << 20)
for _ in range(3):
    if os.fork() == 0:
        time.sleep(600)
print("fed", flush=True)
time.sleep(600)
"""


def test_what_processes_share_counts_once(begin: Begin) -> None:
    wall = BotSandbox(tree_bytes=64 * MIB)
    child = begin(SHARERS, wall)
    watched = Watched(child.pid, child._mark, wall, child._start)
    watched.look()
    assert watched.over == ""
    claimed = [memory.claimed(pid) for pid in watched._members()]
    assert len(claimed) == 4
    assert sum(claimed) > 64 * MIB


HIDES = {
    "its own pages": "held = bytearray(80 << 20)",
    "a file in memory that nobody maps": """
file = os.memfd_create("hidden")
for _ in range(80):
    os.write(file, bytes(1 << 20))
""",
    "a file in memory that is mapped and closed": """
file = os.memfd_create("hidden")
os.ftruncate(file, 80 << 20)
held = mmap.mmap(file, 80 << 20)
os.close(file)
for _ in range(80):
    held.write(bytes(1 << 20))
""",
    "shared pages that are in nobody's table": """
held = mmap.mmap(-1, 80 << 20)
for _ in range(80):
    held.write(bytes(1 << 20))
held.madvise(mmap.MADV_DONTNEED)
""",
    "page tables": """
held = mmap.mmap(-1, 16 << 30, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, mmap.PROT_READ)
held.madvise(mmap.MADV_NOHUGEPAGE)
for place in range(0, 16 << 30, 2 << 20):
    held[place]
""",
    "pipes": """
pipes = [os.pipe() for _ in range(500)]
for _, end in pipes:
    os.set_blocking(end, False)
    os.write(end, bytes(1 << 16))
""",
    "sockets": """
import socket
for _ in range(180):
    pair = socket.socketpair()
    pipes = [*(pipes if _ else ()), pair]
    pair[0].setblocking(False)
    try:
        while pair[0].send(bytes(1 << 12)): pass
    except BlockingIOError:
        pass
""",
}
"""How 80 MiB of memory may be held, or what may stand for as much, by what it is."""


@pytest.mark.parametrize("where", HIDES)
def test_memory_counts_wherever_it_is_held_and_may_be_held_anywhere(
    where: str, begin: Begin
) -> None:
    most = {"page tables": 24, "pipes": 24, "sockets": 48}.get(where, 64)
    code = f"import mmap\n{HIDES[where]}\nprint('fed', flush=True)\ntime.sleep(600)"
    wall = BotSandbox(tree_bytes=512 * MIB)
    child = begin(code, wall)
    allowed = Watched(child.pid, child._mark, wall, child._start)
    allowed.look()
    assert (child.lines[0], allowed.over) == (b"fed", "")
    watched = Watched(child.pid, child._mark, BotSandbox(tree_bytes=most * MIB), child._start)
    watched.look()
    told = rf"its processes hold ([\d.]+) [MG]iB \({most} MiB allowed\)"
    assert re.fullmatch(told, watched.over), watched.over


BURNERS = {
    "two processes": "os.fork()\nwhile True: pass",
    "children that have ended": """
while True:
    if os.fork() == 0:
        sum(range(10**5))
        os._exit(0)
    os.wait()
""",
}


@pytest.mark.parametrize("who", BURNERS)
def test_who_computes_on_more_cores_than_it_may_have_ends(who: str, begin: Begin) -> None:
    words = how_it_ends(begin(f"print('on', flush=True)\n{BURNERS[who]}", BotSandbox(cores=0.05)))
    assert re.fullmatch(r"was ended: it computes on \d\.\d cores \(0\.05 allowed\)", words)


@pytest.mark.parametrize(
    ("cores", "used", "ends_s"),
    [
        (1, lambda s: min(2 * s, 8.0), None),  # a virtual machine warms up on both cores
        (1, lambda s: s, None),
        (1, lambda s: 2 * s, 5),
        (2, lambda s: 2 * s, None),
        (1, lambda s: 0.0 if s < 60 else 2 * (s - 60), 65),  # to rest saves no more than that
    ],
)
def test_a_burst_is_free_and_more_for_long_is_not(
    cores: float, used: Callable[[float], float], ends_s: float | None
) -> None:
    budget = CpuBudget(cores, 100.0)
    looks = ((tick / 4, budget.take(used(tick / 4), 100 + tick / 4)) for tick in range(1, 400))
    first = next(((s, why) for s, why in looks if why), None)
    if ends_s is None:
        assert first is None
    else:
        assert first == (ends_s + 0.25, "it computes on 2.0 cores (1 allowed)")


def cache_of(folder: Path, files: int, each: int) -> str:
    for number in range(files):
        deep = folder / f"{number % 3}/deeper"
        deep.mkdir(parents=True, exist_ok=True)
        (deep / str(number)).write_bytes(bytes(each))
    return str(folder)


def test_a_cache_that_is_overfilled_ends_its_bot_and_is_empty_at_the_next_start(
    begin: Begin, tmp_path: Path
) -> None:
    kept = cache_of(tmp_path, 4, 1000)
    wall = BotSandbox(view=View(cache=kept), cache_bytes=MIB)
    code = """
import sys
print(len(os.listdir(sys.argv[1])), flush=True)
with open(sys.argv[1] + "/large", "wb") as file:
    file.write(bytes(2 << 20))
time.sleep(600)
"""
    child = begin(code, wall, kept)
    assert list(child.lines) == [b"3"]
    assert how_it_ends(child) == "was ended: its cache holds more than the 1 MiB allowed"
    assert list(begin(code, wall, kept).lines) == [b"0"]


def test_a_cache_is_bounded_in_files_and_by_what_can_be_looked_through(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = cache_of(tmp_path, 4, 0)
    trim_cache(kept, MIB)
    assert any(tmp_path.iterdir())
    monkeypatch.setattr(watchdog, "CACHE_FILES", 10)
    trim_cache(kept, MIB)
    assert any(tmp_path.iterdir())
    cache_of(tmp_path, 6, 0)
    trim_cache(kept, MIB)
    assert not any(tmp_path.iterdir())


def test_the_system_is_believed_that_it_ended_a_bot_for_its_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = cgroups.GroupRights(home=str(tmp_path), controllers=frozenset({"memory", "cpu", "pids"}))
    monkeypatch.setattr(cgroups, "what_is_here", lambda: here)
    wall = BotSandbox(tree_bytes=2 << 30, cores=2)
    group = cgroups.make("bot", tree_bytes=wall.tree_bytes, cores=wall.cores, tasks=256)
    start = ProcessStart(words=(), env={}, cwd="/", restrict=lambda: None, group=group)
    watched = Watched(1, "mark", wall, start)
    events = tmp_path / "bot/memory.events"
    events.write_text("low 0\nmax 9\noom 1\noom_kill 0\noom_group_kill 0\n")
    assert watched.over == ""
    events.write_text("low 0\nmax 9\noom 1\noom_kill 3\noom_group_kill 1\n")
    assert watched.over == "its processes want more than the 2 GiB allowed"


def test_files_without_a_name_count_in_a_cache(begin: Begin, tmp_path: Path) -> None:
    code = """
import sys
for number in range(3):
    file = open(f"{sys.argv[1]}/{number}", "wb")
    file.write(bytes(1 << 20))
    os.unlink(file.name)
    held = [*(held if number else []), file]
print("full", flush=True)
time.sleep(600)
"""
    wall = BotSandbox(view=View(cache=str(tmp_path)), cache_bytes=2 * MIB)
    words = how_it_ends(begin(code, wall, str(tmp_path)))
    assert words == "was ended: files without a name hold 3 MiB of its cache"


def test_a_bot_that_maps_more_than_can_be_looked_at_ends(
    begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watchdog, "MAPPINGS", 5000)
    code = """
import mmap
held = [mmap.mmap(-1, 4096, prot=mmap.PROT_READ | number % 2 * 2) for number in range(10_000)]
print("mapped", flush=True)
time.sleep(600)
"""
    wall = BotSandbox(kind="user", tree_bytes=32 * MIB)
    child = begin("print('on', flush=True)\ntime.sleep(600)", BotSandbox())
    watched = Watched(child.pid, child._mark, wall, child._start)
    maps = begin(code, BotSandbox())
    watched._members = lambda: [maps.pid]  # type: ignore[method-assign]
    watched.look()
    assert watched.over == "its processes have more than the 5,000 mappings allowed"


THIEVES = """
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        while True: pass
print("on", flush=True)
time.sleep(600)
"""


def test_a_bot_that_computes_when_it_is_not_its_turn_is_noticed_and_can_be_stopped(
    begin: Begin,
) -> None:
    child, alarmed = begin(THIEVES, BotSandbox()), threading.Event()
    child.heed(lambda: 0.0, 1, alarmed.set)
    assert alarmed.wait(PATIENCE_S)
    assert child.excess_s >= watchdog.ODD_CPU_S
    watched, group = child._watched, child._start.group
    assert watched is not None
    members = [pid for pid in process_trees.family(child.pid, child._mark) if pid != os.getpid()]
    assert len(members) == 4
    child.stop()
    child.stop()  # once is enough
    assert gone(lambda: [pid for pid in members if group is None and state(pid) != "T"])
    assert gone(
        lambda: "frozen 1" not in cgroups._read(f"{group.path}/cgroup.events") if group else ()
    )
    before_s = process_trees.used_s(members)
    looks = iter(lambda: watched.turns._at_s, None)
    first = next(looks)
    assert gone(lambda: next(looks) < first + 1)  # it is looked at still
    assert process_trees.used_s(members) == before_s
    assert watched.over == ""
    child.resume()
    assert gone(lambda: process_trees.used_s(members) <= before_s)


def test_children_that_nobody_waits_for_are_seen_running(begin: Begin) -> None:
    code = """
import signal
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
print("on", flush=True)
until = time.monotonic() + 600
while time.monotonic() < until:
    if os.fork() == 0:
        end = time.monotonic() + 0.003
        while time.monotonic() < end: pass
        os._exit(0)
    time.sleep(0.003)
"""
    child, alarmed = begin(code, BotSandbox()), threading.Event()
    child.heed(lambda: 0.0, 1, alarmed.set)
    assert alarmed.wait(PATIENCE_S)


def state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def test_what_its_turns_allow_is_no_excess_and_a_bot_that_defies_its_stop_ends() -> None:
    turns, own_s, alarms = watchdog.ForeignTurns(), [0.0], []
    turns.own_time, turns.threads = lambda: own_s[0], 2
    turns.alarm = lambda: alarms.append(turns.excess_s)
    now_s = turns._at_s
    for _ in range(40):  # its own turns, in two threads
        now_s, own_s[0] = now_s + 1, own_s[0] + 1
        assert turns.take(2 * own_s[0], now_s) == ""
    assert turns.excess_s == 0
    seen_s = 2 * own_s[0]
    while not alarms:
        now_s, seen_s = now_s + 1, seen_s + 1  # the other's
        assert turns.take(seen_s, now_s) == ""
    most_s = watchdog.ODD_CPU_S + watchdog._ODD_SHARE * own_s[0]
    assert most_s < turns.excess_s < most_s + 1
    turns.is_stopped, words = True, ""
    while not words:
        now_s, seen_s = now_s + 0.1, seen_s + 0.1
        words = turns.take(seen_s, now_s)
    assert words == "it computes on the other's turn, though the arena has stopped it"
    assert len(alarms) == 1
