"""A runner under attack: it starts an opponent and an attacker in a sandbox, as a worker does.

    python attack_stand.py none|user|bwrap|bwrap-user FOLDER VICTIM [without-groups]

Prints the successful attacks as JSON. All files are in FOLDER, which other users can read, so only
the sandbox protects them. With `none` and `bwrap-user` the runner is an ordinary user, even if root
has started it; VICTIM is a process of that user.
"""

from __future__ import annotations

import codecs
import ctypes
import json
import os
import secrets
import shutil
import socket
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Final

from lath.arena.referee import process_trees
from lath.arena.referee.process import Child
from lath.arena.referee.watch import Watch
from lath.arena.sandbox import cgroups
from lath.arena.sandbox.bubblewrap import View
from lath.arena.sandbox.kinds import BotSandbox
from lath.arena.sandbox.limits import close_to_others

MEMORY: Final = 256 << 20

PATIENCE_S: Final = 60.0

PYTHON: Final = shutil.which("python3", path="/usr/bin:/bin") or sys.executable
"""The system's Python if there is one, since every user can read it."""


_OWN_PYTHON: Final = (sys.prefix, sys.base_prefix)

NOBODY: Final = 65534
"""The user of a runner without a sandbox if root runs the tests."""


def attacked(mode: str, folder: Path, victim: int) -> dict[str, bool]:
    """Return which attacks got through a sandbox."""
    folder.chmod(0o755)
    kind = mode.partition("-")[0]
    if mode in ("none", "bwrap-user") and os.geteuid() == 0:
        codecs.lookup("ascii")  # loaded on first use, perhaps unreadable then
        os.chown(folder, NOBODY, NOBODY)
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
    mark, tree = f"attack-{secrets.token_hex(6)}", f"stand-{secrets.token_hex(6)}."
    os.environ["TOURNAMENT_SECRET"] = mark
    places = {name: folder / name for name in ("cup", "ada", "bob", "scratch", "cache")}
    for place in places.values():
        place.mkdir(mode=0o755)
    (places["cup"] / "tournament.db").write_text("games")
    (places["cup"] / "secret").write_text("seed")
    (places["cup"] / "secret").chmod(0o600)
    (places["bob"] / "bot.py").write_text("import secrets")
    code = Path(__file__).with_name("attacker.py").read_bytes()
    program = str(places["ada"] / "attacker.py")
    for name in ("attacker.py", "attacker_escapes.py"):
        shutil.copy(Path(__file__).with_name(name), places["ada"])
    os.chdir(places["cup"])
    process_trees.settle(str(places["scratch"]))
    process_trees.adopt_orphans()
    close_to_others()
    left = [Path(place, mark) for place in ("/tmp", "/var/tmp", "/dev/shm")]
    key = secrets.randbelow(1 << 30) + 1
    # The attacker sees its own folder in the sandbox, but not the runner's arguments.
    wall = BotSandbox(
        kind="limits" if kind == "none" else kind,  # type: ignore[arg-type]
        view=View(
            reads=(str(places["ada"]), *(_OWN_PYTHON if sys.executable == PYTHON else ())),
            cache=str(places["cache"]) if kind == "bwrap" else "",
        ),
    )
    with (
        socket.create_server(("127.0.0.1", 0)) as tcp,
        socket.socket(socket.AF_UNIX) as unix,
        socket.socket(socket.AF_UNIX) as abstract,
    ):
        unix.bind(f"{folder}/socket")
        Path(folder, "socket").chmod(0o777)
        unix.listen()
        abstract.bind(f"\0{mark}")
        abstract.listen()
        opponent = Child.start([PYTHON, "-c", "input()"], tree=tree, wall=wall)
        goal = {
            "mark": mark,
            "secret": str(places["cup"] / "secret"),
            "public": str(places["bob"] / "bot.py"),
            "database": str(places["cup"] / "tournament.db"),
            "places": [str(path) for path in left],
            "runner": os.getpid(),
            "victim": victim,
            "opponent": _settled(opponent),
            "port": tcp.getsockname()[1],
            "unix": f"{folder}/socket",
            "memory": MEMORY,
            "key": key,
        }
        words = [PYTHON, "-I", "-S", program, json.dumps(goal)]
        attacker = Child.start(words, tree=tree, wall=wall, memory_bytes=MEMORY)
        found = _told(attacker)
        attacker.kill()
        opponent.kill()
        bounded = replace(wall, tree_bytes=MEMORY)
        words[-1] = json.dumps({**goal, "hogs": True})
        hog = Child.start(words, tree=tree, wall=bounded, memory_bytes=MEMORY)
        found["memory_of_all"] = not hog.wait(time.monotonic() + PATIENCE_S)
        hog.kill()
        found["daemon"] = _runs(mark)
        found["leftovers"] = any(path.exists() for path in left)
        for path in left:
            path.unlink(missing_ok=True)
        found["shared_memory"] |= _forget(key)
    found["tournament"] = (places["cup"] / "tournament.db").read_text() != "games"
    found["own_program"] = Path(program).read_bytes() != code
    return found


def _settled(child: Child) -> int:
    """Return the process of a bot after it has started."""
    until_s = time.monotonic() + PATIENCE_S
    while b"input()" not in _command(child.bot_pid) and time.monotonic() < until_s:
        time.sleep(0.005)
    return child.bot_pid


def _command(process: int) -> bytes:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return b""


def _told(attacker: Child) -> dict[str, bool]:
    watch, until_s = Watch(), time.monotonic() + PATIENCE_S
    watch.add(attacker)
    found: dict[str, bool] = {}
    while "done" not in found:
        watch.wait(until_s)
        found.update(json.loads(line) for line in attacker.lines)
        attacker.lines.clear()
        if attacker.is_gone or time.monotonic() > until_s:
            raise SystemExit(f"{attacker.end_words()}: {attacker.stderr_text()}, after {found}")
    return found


def _runs(mark: str) -> bool:
    """Return whether the daemon runs; only its arguments contain the mark."""
    return any(
        f": {mark}".encode() in _command(int(place.name))
        for place in Path("/proc").iterdir()
        if place.name.isdigit()
    )


def _forget(key: int) -> bool:
    """Return whether shared memory or semaphores exist, and remove them."""
    libc = ctypes.CDLL(None)
    memory, semaphores = int(libc.shmget(key, 0, 0)), int(libc.semget(key, 0, 0))
    if memory >= 0:
        libc.shmctl(memory, 0, None)
    if semaphores >= 0:
        libc.semctl(semaphores, 0, 0)
    return max(memory, semaphores) >= 0


if __name__ == "__main__":
    if sys.argv[4:]:
        cgroups.what_is_here = cgroups.GroupRights  # type: ignore[assignment]
    json.dump(attacked(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])), sys.stdout)
