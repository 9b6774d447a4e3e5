"""The tournament runners that are compared: the arena and, where they are on PATH, its peers.

Each says which commands play a number of games between two processes of one bot, with records and
a clock of a minute a side. The peers play chess over UCI.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

_CHESS = 202
_YAVALATH = 61
"""Plies of the games that `instant.c` plays."""

CORES = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
"""Those that processes can be pinned to."""


@dataclass(frozen=True, slots=True)
class Setup:
    """How many games are played at a time, and whether each has a core of its own."""

    slots: int
    pinned: bool

    def __str__(self) -> str:
        """Return it in words."""
        return f"{self.slots} at a time{', pinned' if self.pinned else ''}"


def setups(most: int) -> list[Setup]:
    """Return those of at most so many slots that this machine has the cores for."""
    kinds = (False, True) if CORES else (False,)
    cores = len(CORES) or os.cpu_count() or 1
    return [
        Setup(slots, pinned) for slots in (1, 2) if slots <= min(cores, most) for pinned in kinds
    ]


class Contestant(Protocol):
    """A tournament runner."""

    name: str
    plies: int
    """Plies of its game."""

    share: float
    """How many plies it is given for each of the arena's: fewer, where it would take too long."""

    def commands(self, bot: Path, games: int, setup: Setup, think: str = "") -> list[list[str]]:
        """Return what is run at the same time to play `games`, a multiple of 4, in all.

        `think` is the argument of the bots, such as `5ms`; empty: they have none.
        """


_TOURNAMENT = """
import sys
from pathlib import Path
from lath.arena.referee.conversation import BotSpec
from lath.arena.referee.clock import Limits
from lath.arena.tournament.configuration.config import Config
from lath.arena.tournament.run.events import Warned
from lath.arena.tournament.run.runner import Runner
from lath.arena.tournament.store.store import Store
from lath.notation.protocol import TimeControl

def refuse(event):
    # These bots play one game again and again.
    if isinstance(event, Warned) and "have repeated others" not in event.text: sys.exit(event.text)

if __name__ == "__main__":
    bot, rounds, jobs, pin = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    think = sys.argv[5:]
    out = Path("results")
    out.mkdir()
    bots = tuple(BotSpec(name=name, command=(bot, *think)) for name in "ab")
    limits = Limits(time=TimeControl(initial_ms=60_000))
    config = Config(
        games=("yavalath",), rounds=rounds, jobs=jobs, limits=limits, bots=bots, pin=pin
    )
    assert Runner(config, Store(out), refuse).run().is_complete
"""
"""A tournament without report, as a program of its own."""


class Arena:
    """This project: a round is a game in each seat."""

    name = "arena"
    plies = _YAVALATH
    share = 1.0

    def commands(self, bot: Path, games: int, setup: Setup, think: str = "") -> list[list[str]]:
        """Return one command; the workers pin themselves."""
        pin = "auto" if setup.pinned else "off"
        numbers = [str(games // 2), str(setup.slots), pin, *([think] if think else [])]
        return [[sys.executable, "-c", _TOURNAMENT, str(bot), *numbers]]


class Fastchess:
    """It pins the threads that referee, one each to a core, and their bots."""

    name = "fastchess"
    plies = _CHESS
    share = 0.5

    def commands(self, bot: Path, games: int, setup: Setup, think: str = "") -> list[list[str]]:
        """Return one command."""
        also = f" args={think}" if think else ""
        words = [self.name, *_engines("-engine cmd={bot} name={name}" + also, bot), "-each"]
        words += ["tc=60"]
        words += ["-rounds", str(games // 2), "-games", "2", "-repeat"]
        words += ["-concurrency", str(setup.slots), "-pgnout", "file=games.pgn"]
        words += ["-use-affinity", ",".join(map(str, CORES[: setup.slots]))] * setup.pinned
        return [words]


class CChessCli:
    """It cannot pin: one process of it for each core stands in for that."""

    name = "c-chess-cli"
    plies = _CHESS
    share = 1.0

    def commands(self, bot: Path, games: int, setup: Setup, think: str = "") -> list[list[str]]:
        """Return one command, or one for each core."""

        def command(games: int, slots: int) -> list[str]:
            words = [self.name, "-each", "tc=60"]
            for name in "ab":
                words += ["-engine", f"cmd={bot} {think}".rstrip(), f"name={name}"]
            words += ["-games", str(games), "-concurrency", str(slots)]
            return [*words, "-pgn", "games.pgn"]

        return _on_cores(command, games, setup)


class Cutechess:
    """It cannot pin either."""

    name = "cutechess-cli"
    plies = _CHESS
    share = 0.25

    def commands(self, bot: Path, games: int, setup: Setup, think: str = "") -> list[list[str]]:
        """Return one command, or one for each core."""

        def command(games: int, slots: int) -> list[str]:
            also = f" arg={think}" if think else ""
            words = [self.name, *_engines("-engine cmd={bot} name={name}" + also, bot)]
            words += ["-each", "proto=uci", "tc=60", "-games", "2", "-rounds", str(games // 2)]
            return [*words, "-concurrency", str(slots), "-pgnout", "games.pgn"]

        return _on_cores(command, games, setup)


def _engines(words: str, bot: Path) -> Sequence[str]:
    return [word.format(bot=bot, name=name) for name in "ab" for word in words.split()]


def _on_cores(
    command: Callable[[int, int], list[str]], games: int, setup: Setup
) -> list[list[str]]:
    """Return `command` for games and slots; pinned, once for each core with its part of both."""
    if not setup.pinned:
        return [command(games, setup.slots)]
    return [
        ["taskset", "-c", str(core), *command(games // setup.slots, 1)]
        for core in CORES[: setup.slots]
    ]


def contestants(*, peers: bool) -> list[Contestant]:
    """Return the arena and, if `peers`, those that are installed."""
    others: list[Contestant] = [Fastchess(), CChessCli(), Cutechess()]
    return [Arena(), *(other for other in others if peers and shutil.which(other.name))]
