"""A league in which some entrants attack: folders with bots, and the attackers' targets.

Each attacker knows all paths and numbers: only the sandbox protects them.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from attacks import NO, TRIED, catalogue
from places import SUPPORT

PLAYER: Final = """
from lath.bots.sdk import run

run(lambda position, turn: turn.chance.choice(position.legal_moves()), name="Bot", author={author})
"""

ATTACKER: Final = """
import sys

sys.argv[1:] = [{goal!r}]
from attacker import tried

loot = [name for name, is_through in tried() if is_through]
"""

ATTACKS: Final = [
    name
    for name, words in TRIED.items()
    if {catalogue()[words][mode] for mode in ("bwrap", "bwrap-user")} == {NO}
    and name != "memory_of_all"  # it ends the bot that tries it
]
"""The attacks that no sandboxed bot succeeds in."""


class League:
    """The folder of a league, with the entered bots."""

    def __init__(self, folder: Path, listener: socket.socket, *, victim: int, mark: str) -> None:
        self.folder = folder
        self.out = folder / "out"
        self.mark = mark
        self.secret = f"{mark}-secret"
        (folder / "secret").write_text(self.secret)
        (folder / "secret").chmod(0o644)
        places = [self.out, folder, folder / "inbox" / "honest-0"]
        self._goal: dict[str, Any] = {
            "secret": str(folder / "secret"),
            "public": str(folder / "inbox" / "honest-0" / "note"),
            "database": str(self.out / "tournament.db"),
            "places": [str(place / "LEFT") for place in places],
            "runner": os.getpid(),
            "victim": victim,
            "opponent": victim,
            "port": listener.getsockname()[1],
            "unix": str(folder / "socket"),
            "memory": 512 << 20,
            "key": secrets.randbelow(1 << 30) + 1,
            "mark": mark,
        }
        self.bots: list[dict[str, Any]] = []

    def enter(self, name: str, attacks: Sequence[str] = ()) -> None:
        """Put a bot into the inbox; its handshake reports the successful attacks."""
        home = self.folder / "inbox" / name
        home.mkdir(parents=True)
        goal = json.dumps({**self._goal, "attacks": attacks})
        attack = ATTACKER.format(goal=goal) if attacks else ""
        author = "' '.join(['LOOT', *loot]) if loot else 'nobody'" if attacks else "'honest'"
        (home / "bot.py").write_text(attack + PLAYER.format(author=author))
        for program in ("attacker.py", "attacker_escapes.py") if attacks else ():
            shutil.copy(SUPPORT / program, home)
        (home / "note").write_text(self.secret)
        row = {"name": name, "cwd": f"inbox/{name}", "command": ["python", "bot.py"]}
        self.bots.append({**row, "memory": "512MiB", "env": {"KEY": "its own"}})


@contextmanager
def living() -> Iterator[subprocess.Popen[bytes]]:
    """Give a process that no bot should be able to end."""
    with subprocess.Popen(["sleep", "600"]) as process:
        try:
            yield process
        finally:
            process.kill()


@contextmanager
def listening() -> Iterator[tuple[socket.socket, list[object]]]:
    """Give a port of the loopback interface, and the list of its visitors."""
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
