"""Processes that talk in lines: what is read, what is written, and how they and theirs end."""

from __future__ import annotations

import errno
import gc
import os
import resource
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from unittest import mock

import bad_bots
import processes
import pytest
from bad_bots import Good
from places import ROOT
from processes import alive_of, calm_s, gone, new_tree
from workers import play_in_worker

from lath.arena.referee import process_trees
from lath.arena.referee.bots import BotSpec
from lath.arena.referee.clock import Limits
from lath.arena.referee.process import MAX_GAME, MAX_OUTPUT, MOST_PIECES, STDERR_KEPT, Child
from lath.arena.referee.process_trees import sweep
from lath.arena.referee.watch import Watch
from lath.notation.protocol import TimeControl

SOON_S = 30.0
"""How long a test waits for what a child does next."""


class Room:
    """Children of one tree, and a watch over them."""

    def __init__(self) -> None:
        self.tree = new_tree()
        self.watch = Watch()
        self.children: list[Child] = []

    def start(self, code: str, *arguments: str, **more: object) -> Child:
        """Start a program of Python."""
        command = [sys.executable, "-I", "-S", "-c", code, *arguments]
        child = Child.start(command, tree=self.tree, **more)  # type: ignore[arg-type]
        self.watch.add(child)
        self.children.append(child)
        return child

    def end(self, child: Child) -> None:
        self.children.remove(child)
        self.watch.drop(child)
        child.kill()

    def until(self, holds: Callable[[], object]) -> bool:
        """Return whether something holds soon, the watch being at work."""
        until_s = time.monotonic() + SOON_S
        while not holds() and time.monotonic() < until_s:
            self.watch.wait(until_s)
        return bool(holds())

    def said(self, child: Child) -> list[str]:
        """Return all lines of a child that comes to its end."""
        assert self.until(lambda: child.out_closed)
        return [line.decode() for line in child.lines]


@pytest.fixture
def room() -> Iterator[Room]:
    """Give a room, and see that it is empty in the end."""
    room = Room()
    yield room
    for child in list(room.children):
        room.end(child)
    assert gone(lambda: alive_of(room.tree))
    assert not scratch_of(room.tree)


def scratch_of(tree: str) -> list[Path]:
    return list(Path(tempfile.gettempdir()).glob(f"lath-bot-{tree}*"))


def descriptors() -> set[str]:
    return set(os.listdir("/proc/self/fd"))  # noqa: PTH208


def test_the_calm_clock_stands_still_while_somebody_waits_for_a_core(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pressure = tmp_path / "cpu"
    monkeypatch.setattr(processes, "_PRESSURE", pressure)
    began_s = time.monotonic()
    untold_s = calm_s()
    pressure.write_text("some avg10=0.31 avg60=0.00 avg300=0.00 total=2500000\nfull total=7\n")
    told_s = calm_s()
    assert began_s <= untold_s <= told_s + 2.5 <= time.monotonic()


MARK = b"\xef\xbb\xbf"


def test_a_byte_order_mark_is_passed_by_before_the_first_line_alone(room: Room) -> None:
    for pieces in (
        [MARK + b"ok\n"],
        [MARK[:1], MARK[1:], b"o", b"k\n"],
        [MARK + b"\n" + MARK],
    ):
        child = room.start("input()")
        for piece in pieces:
            child.take(piece)
        *lines, rest = b"".join(pieces).removeprefix(MARK).split(b"\n")
        assert ([*child.lines], child.begun) == (lines, rest)


def test_lines_come_whole_however_they_were_written(room: Room) -> None:
    child = room.start("""if 1:
        import os, time
        for piece in (b"one\\ntw", b"o", b"\\n\\nthree\\r\\nfo", b"ur"):
            os.write(1, piece)
            time.sleep(0.02)
    """)
    assert room.said(child) == ["one", "two", "", "three\r"]
    assert not child.flooded


def test_sending_never_blocks_and_all_of_it_arrives(room: Room, tmp_path: Path) -> None:
    child = room.start(
        """if 1:
        import os, sys, time
        until_s = time.monotonic() + 20  # who waits for the pipe gets it empty then, and is late
        while not os.path.exists(sys.argv[1]) and time.monotonic() < until_s:
            time.sleep(0.01)
        data = sys.stdin.buffer.read(10_000_004)
        print(len(data), data[-4:])
        """,
        str(tmp_path / "read"),
    )
    for _ in range(10):
        child.send(b"x" * 1_000_000)
    child.send(b"end\n")
    assert child.unsent
    assert child.has_unread_input
    (tmp_path / "read").touch()
    assert room.said(child) == ["10000004 b'end\\n'"]
    assert not child.unsent
    assert not child.has_unread_input


def test_an_exchange_forgets_the_oldest_pieces(room: Room) -> None:
    child = room.start("input()")
    for number in range(MOST_PIECES + 5):
        child.send(b"%d\n" % number)
    assert len(child.exchange) == MOST_PIECES
    assert child.exchange[0][1:] == (True, b"5\n")


def test_what_is_forgotten_was_taken_from_the_pipe_too(room: Room) -> None:
    child = room.start("""if 1:
        import os
        os.write(1, b"one\\ntwo\\nhal")
        input()
        os.write(1, b"f a line, and ha")
        input()
        os.write(1, b"new\\n")
        input()
    """)
    assert room.until(lambda: child.lines)
    child.send(b"more\n")
    assert gone(lambda: not lies_in_the_pipe(child))
    child.forget_output()
    assert not child.lines
    assert not child.glance(0)
    child.send(b"more\n")
    assert room.until(lambda: child.lines)
    assert list(child.lines) == [b"new"]


def test_an_end_is_seen_in_what_is_forgotten(room: Room) -> None:
    child = room.start("print('good-bye')")
    assert child.wait(time.monotonic() + SOON_S)
    child.forget_output()
    assert not child.lines
    assert child.is_gone
    child.forget_output()
    assert child.end_words() == "exited with status 0"


def test_neither_a_line_that_is_too_long_nor_what_follows_is_heard(room: Room) -> None:
    for letters in (66_000, 65_537, 140_000):  # as much as a pipe holds, and more
        child = room.start(f"print('one\\n' + 'x' * {letters} + '\\ntwo\\n', end='')")
        assert room.until(lambda: child.has_ended)  # noqa: B023
        assert (child.flooded, list(child.lines)) == (True, [b"one"])


def test_a_flood_is_not_read_to_its_end_nor_forgotten(room: Room) -> None:
    child = room.start("while True: print('x' * 100)")
    assert room.until(lambda: child.flooded)
    lines = len(child.lines)
    assert 40_000 < lines < 50_000, "8 MiB, each line being 101 bytes and 80 more"
    room.watch.wait(time.monotonic() + 0.05)
    assert len(child.lines) == lines
    child.forget_output()
    assert (child.flooded, len(child.lines)) == (True, 0)


def test_a_flood_that_begins_while_it_is_forgotten_is_seen(room: Room) -> None:
    child = room.start("while True: print('x' * 100)")
    assert gone(lambda: not lies_in_the_pipe(child))
    until_s = time.monotonic() + SOON_S
    while not child.flooded and time.monotonic() < until_s:  # the pipe is empty now and then
        child.forget_output()
    assert (child.flooded, len(child.lines)) == (True, 0)


def lies_in_the_pipe(child: Child) -> bool:
    """Return whether a child has written something that was not read yet."""
    return bool(select.select([child.out_fd], [], [], 0)[0])


def test_only_the_end_of_standard_error_is_kept(room: Room) -> None:
    child = room.start("""if 1:
        import sys
        sys.stderr.write("x" * 3_000_000 + "the end")
    """)
    assert room.until(lambda: child.has_ended)
    assert len(child.stderr_text()) <= STDERR_KEPT
    assert child.stderr_text().endswith("the end")


def test_a_flood_of_a_whole_game_is_one_too_however_it_is_shared_out(room: Room) -> None:
    child = room.start(f"""if 1:
        import os
        while True:
            os.write(2, b"x" * {MAX_OUTPUT // 2})
            input()
    """)
    for turn in range(2 * MAX_GAME // MAX_OUTPUT + 1):
        assert not child.flooded
        child.output_bytes, read = 0, child.game_bytes
        child.send(b"go\n" if turn else b"")
        assert room.until(lambda: child.flooded or child.game_bytes - read >= MAX_OUTPUT // 2)  # noqa: B023
    assert child.flooded


ENDS = {
    "raise SystemExit(3)": "exited with status 3",
    "import os; os.kill(os.getpid(), 11)": "was ended by signal SIGSEGV",
    "import os; os.kill(os.getpid(), 40)": "was ended by signal 40",
    "import os, time; os.close(1); time.sleep(60)": "closed its standard output",
}


def test_how_a_process_ended_is_told_in_words(room: Room) -> None:
    children = {code: room.start(code) for code in ENDS}
    began_s = calm_s()
    assert room.until(lambda: all(child.is_gone for child in children.values()))
    assert {code: child.end_words() for code, child in children.items()} == ENDS
    assert calm_s() - began_s < SOON_S / 2, "the watch has to tell of it"


def test_the_watch_waits_to_its_limit_which_may_be_longer_than_the_system_can_count(
    room: Room,
) -> None:
    child = room.start("print('late'); input()")
    room.watch.wait(time.monotonic() + 1e9)
    assert room.until(lambda: child.lines)
    began_s = time.monotonic()
    room.watch.wait(began_s + 0.1)
    assert time.monotonic() - began_s >= 0.1


def test_a_child_whose_descriptors_are_used_again_is_forgotten(room: Room) -> None:
    old = room.start("print('old', flush=True); input()")
    numbers = {old.in_fd, old.out_fd, old.err_fd, old.pid_fd}
    assert room.until(lambda: old.lines)
    old.send(b"x" * 1_000_000)  # so that the watch waits for room
    room.watch.wait(time.monotonic() + 0.01)
    room.end(old)
    new = room.start("print('new', flush=True); input()")
    assert numbers & {new.in_fd, new.out_fd, new.err_fd, new.pid_fd}
    assert room.until(lambda: new.lines)
    assert list(new.lines) == [b"new"]
    assert len(old.lines) == 1


def test_a_child_has_three_descriptors_and_plain_signals(room: Room) -> None:
    reading, writing = os.pipe()
    other = room.start("input()")
    ignored = signal.signal(signal.SIGINT, signal.SIG_IGN)  # as in a worker
    try:
        child = room.start("""if 1:
            import os, signal
            print(sorted(map(int, os.listdir("/proc/self/fd")))[:-1])
            print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)
            print(signal.pthread_sigmask(signal.SIG_BLOCK, []))
            print(os.getsid(0) == os.getpid() == os.getpgid(0))
        """)
    finally:
        signal.signal(signal.SIGINT, ignored)
    assert room.said(child) == ["[0, 1, 2]", "True", "set()", "True"]
    assert other.out_fd > 2
    os.close(reading)
    os.close(writing)


def test_a_child_has_a_folder_of_its_own_which_goes_with_it(room: Room) -> None:
    code = """if 1:
        import os, tempfile
        open("a", "w").close(), os.mkdir("b", 0o500), tempfile.mkstemp()
        print(os.getcwd(), tempfile.gettempdir(), sep="\\n")
    """
    one, other = room.start(code), room.start(code)
    mine, theirs = room.said(one), room.said(other)
    assert mine[0] == mine[1] != theirs[0] == theirs[1]
    room.end(one)
    assert not Path(mine[0]).exists()
    assert len(list(Path(theirs[0]).iterdir())) == 3


def test_the_configured_environment_and_folder_come_first(room: Room, tmp_path: Path) -> None:
    code = "import os; print(os.getcwd(), os.environ['TMPDIR'], os.environ['LOG'])"
    child = room.start(code, cwd=tmp_path, env={"TMPDIR": "/elsewhere", "LOG": "1"})
    assert room.said(child) == [f"{tmp_path} /elsewhere 1"]


def test_more_memory_than_the_system_grants_is_no_error(room: Room) -> None:
    code = "import resource; print(resource.getrlimit(resource.RLIMIT_DATA)[0])"
    inner = f"""if 1:
        import resource, sys
        resource.setrlimit(resource.RLIMIT_DATA, (1 << 30, 1 << 30))
        from lath.arena.referee.process import Child
        child = Child.start([sys.executable, "-c", {code!r}], tree="t.", memory_bytes=1 << 40)
        child.wait(float("inf"))
        child.take_output()
        print(child.lines[0].decode())
        child.kill()
    """
    words = [sys.executable, "-c", inner]
    told = subprocess.run(words, capture_output=True, text=True, check=True, cwd=ROOT)
    assert told.stdout == f"{1 << 30}\n"


def test_a_child_dies_with_who_started_it(room: Room) -> None:
    code = f"""if 1:
        import time
        from lath.arena.referee.process import Child
        Child.start(["sleep", "600"], tree={room.tree!r})
        print("started", flush=True)
        time.sleep(600)
    """
    words = [sys.executable, "-c", code]
    with subprocess.Popen(words, stdout=subprocess.PIPE, cwd=ROOT) as parent:
        assert parent.stdout
        assert parent.stdout.readline() == b"started\n"
        assert alive_of(room.tree)
        parent.kill()
    assert gone(lambda: alive_of(room.tree))
    sweep(room.tree)  # its folder


def test_a_sweep_ends_a_tree_and_spares_another(room: Room) -> None:
    one = Child.start(["sleep", "600"], tree=f"{room.tree}1.")
    two = Child.start(["sleep", "600"], tree=f"{room.tree}2.")
    assert sweep(room.tree, spare=[f"{room.tree}2."]) == 1
    assert alive_of(room.tree) == {two.pid}
    assert len(scratch_of(room.tree)) == 1
    for child in (one, two):
        child.kill()
    assert sweep(room.tree) == 0


DEEP = """if 1:
    import os
    for _ in range(1500):
        os.mkdir("x")
        open("y", "w").close()
        os.symlink(KEPT, "z")
        os.chdir("x")
"""


def test_folders_however_deep_go_and_nothing_that_a_link_leads_to(
    room: Room, tmp_path: Path
) -> None:
    (tmp_path / "kept").touch()
    child = room.start(DEEP.replace("KEPT", repr(str(tmp_path))))
    assert room.until(lambda: child.out_closed)
    before = descriptors()
    room.end(child)
    assert not scratch_of(room.tree)
    assert len(descriptors()) < len(before)
    assert (tmp_path / "kept").exists()


def test_folders_that_their_bot_has_closed_are_opened(room: Room) -> None:
    for mode in (0o000, 0o500):
        code = f"import os; os.makedirs('x/y/z'); os.chmod('x/y', {mode}); os.chmod('x', {mode})"
        child = room.start(code)
        assert room.until(lambda: child.out_closed)  # noqa: B023
        room.end(child)
        assert not scratch_of(room.tree)


TRACER = """if 1:
    import ctypes, os, sys, time
    libc = ctypes.CDLL(None, use_errno=True)
    traced = int(sys.argv[1])
    seized = libc.ptrace(0x4206, ctypes.c_long(traced), None, None)
    print(os.strerror(ctypes.get_errno()) if seized else "traces", flush=True)
    time.sleep(600)
"""


def test_who_is_traced_by_another_bot_holds_nobody_up(room: Room) -> None:
    traced = room.start("input()")
    tracer = room.start(TRACER, str(traced.pid))
    assert room.until(lambda: tracer.lines or tracer.has_ended)
    if list(tracer.lines) != [b"traces"]:
        pytest.skip(f"this system grants no tracing: {list(tracer.lines)}")
    room.end(traced)  # comes back
    assert not tracer.has_ended
    assert alive_of(room.tree) == {tracer.pid}
    room.end(tracer)
    assert os.waitpid(traced.pid, 0)[0] == traced.pid


def test_a_link_in_the_place_of_a_scratch_folder_goes(room: Room, tmp_path: Path) -> None:
    (tmp_path / "kept").touch()
    child = room.start(
        "import os, sys; here = os.getcwd(); os.rmdir(here); os.symlink(sys.argv[1], here)",
        str(tmp_path),
    )
    assert room.until(lambda: child.out_closed)
    room.end(child)
    assert not scratch_of(room.tree)
    assert (tmp_path / "kept").exists()


def test_starting_and_ending_many_children_leaks_nothing(room: Room) -> None:
    before = descriptors()
    for _ in range(12):
        room.end(room.start("print('hello')"))
        with pytest.raises(FileNotFoundError):
            Child.start(["/nowhere"], tree=room.tree)
    assert gone(lambda: descriptors() ^ before)  # the watchdog's comes and goes
    assert not scratch_of(room.tree)


ENOUGH_STARTS = 3
"""With how many limits on descriptors a program is started; it is with all that are higher."""


@pytest.mark.skipif(
    sys.version_info < (3, 11, 4), reason="this Python's own Popen loses descriptors (gh-87474)"
)
def test_too_few_descriptors_are_an_error_that_leaves_nothing(room: Room) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    gc.collect()  # what other tests have left must not be closed meanwhile
    before = descriptors()
    started = 0
    refusals = set()
    for limit in range(3, max(map(int, before)) + 16):
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))
        try:
            room.start("input()")
            started += 1
        except OSError as error:
            refusals.add(error.errno)
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        for child in list(room.children):
            room.end(child)
        assert gone(lambda: descriptors() ^ before)  # the watchdog's comes and goes
        assert not alive_of(room.tree)
        if started == ENOUGH_STARTS:
            break
    assert started
    assert refusals == {errno.EMFILE}


def test_a_worker_keeps_no_zombies_of_its_bots_children(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    parent = BotSpec(
        name="parent",
        command=bad_bots.command(bad_bots.LeavesChildren),
        env={"LATH_BOT_PIDS": str(pids)},
    )
    good = BotSpec(name="good", command=bad_bots.command(Good))
    limits = Limits(time=TimeControl(move_ms=10_000))
    results, left = play_in_worker(parent, good, limits, times=3)
    assert {game.termination for result in results for game in result.games} == {"crash"}
    assert len(pids.read_text().split()) == 18
    assert left == 1, "the worker's only child is the good bot"


BURNS = """
import os, sys, time
def burn(seconds):
    until_s = time.process_time() + seconds
    while time.process_time() < until_s: pass
if os.fork() == 0:
    burn(0.05)
    os._exit(0)
os.wait()
if os.fork() == 0:
    burn(0.05)
    print("burnt", flush=True)
    sys.stdin.read()
    os._exit(0)
os.wait()
"""


def test_the_time_of_a_tree_is_that_of_its_living_and_of_its_dead(tmp_path: Path) -> None:
    program = tmp_path / "burns.py"
    program.write_text(BURNS)
    with subprocess.Popen(
        [sys.executable, "-I", "-S", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == b"burnt\n"
        assert 0.08 <= process_trees.cpu_s(parent.pid) < 1.0
    assert process_trees.cpu_s(parent.pid) == 0.0


def test_a_sweep_goes_on_while_another_thread_lets_go_of_bots(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker sweeps when its runner is gone; the thread that plays meets the dead bots then."""
    killed = [1 << 30, (1 << 30) + 1]  # no such processes
    asked: list[int] = []

    def state(pid: int) -> tuple[str, int]:
        asked.append(pid)
        process_trees.own.discard(pid)
        return "X", 0

    monkeypatch.setattr(process_trees, "_state", state)
    monkeypatch.setattr(process_trees, "_adopts", True)
    monkeypatch.setattr(
        process_trees, "_has_children", lambda: False
    )  # what the tests started is spared
    monkeypatch.setattr(process_trees, "own", set(killed))
    monkeypatch.setattr(process_trees, "_root", str(tmp_path))
    mark = new_tree()
    scratch = process_trees.new_scratch(mark)
    assert not sweep(mark)
    assert set(killed) <= set(asked)
    assert not Path(scratch).exists()


EPOLL = getattr(select, "epoll", None)


class Exhausted:
    """An epoll that takes so many descriptors: then others of this user have used up the rest."""

    def __init__(self, left: int) -> None:
        assert EPOLL is not None
        self._epoll, self._left = EPOLL(), left
        self.unregister, self.poll = self._epoll.unregister, self._epoll.poll

    def register(self, descriptor: int, event: int) -> None:
        self._left -= 1
        if self._left < 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        self._epoll.register(descriptor, event)


@pytest.mark.skipif(EPOLL is None, reason="this system has no epoll")
@pytest.mark.parametrize("left", [0, 1, 3, 5])
def test_a_watch_without_room_in_epoll_polls(
    left: int, room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(select, "epoll", lambda: Exhausted(left))
    watch = Watch()
    children = [room.start("while True: print(input())") for _ in range(2)]
    for child in children:
        watch.add(child)
    for child in children:
        child.send(b"hello\n" * 20_000)  # more than a pipe takes at once
        until_s = time.monotonic() + processes.PATIENCE_S
        while len(child.lines) < 20_000 and time.monotonic() < until_s:
            watch.wait(until_s)
        assert {*child.lines} == {b"hello"}
    for child in children:
        watch.drop(child)
    assert not watch._children


@pytest.mark.skipif(EPOLL is None, reason="this system has no epoll")
def test_a_watch_without_any_epoll_polls(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    none = mock.Mock(side_effect=OSError(errno.EMFILE, "Too many open files"))
    monkeypatch.setattr(select, "epoll", none)
    watch, child = Watch(), room.start("while True: print(input())")
    watch.add(child)
    assert watch.ask(child, b"hello\n", processes.PATIENCE_S) == b"hello\n"


def test_lines_that_nobody_asked_for_are_soon_a_flood(room: Room) -> None:
    code = "import sys; input(); sys.stdout.write('\\n' * 3000); sys.stdout.flush(); input()"
    for may_speak in (True, False):
        watch, child = Watch(), room.start(code)
        child.may_speak = partial(bool, may_speak)
        watch.add(child)
        child.send(b"go\n")
        until_s = time.monotonic() + processes.PATIENCE_S
        while len(child.lines) < 3000 and not child.flooded and time.monotonic() < until_s:
            watch.wait(until_s)
        assert child.flooded is not may_speak
        watch.drop(child)
