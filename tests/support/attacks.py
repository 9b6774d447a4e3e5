"""The table of attacks: what each is in words, and behind which wall it goes through.

`tests/arena/walls/test_attacks.py` asserts each cell, `docs/untrusted-bots.md` shows it.
"""

from __future__ import annotations

from typing import Final, NamedTuple

MODES: Final = ("none", "user", "bwrap")


class Attack(NamedTuple):
    """What a bot might do, and whether it can, wall by wall."""

    words: str
    none: bool | None
    """None: as the system allows, which is not ours to say."""

    user: bool
    bwrap: bool = False


ATTACKS: Final = {
    # of files
    "secret": Attack("read a file that only the organiser may read", True, False),
    "public": Attack("read a file that every user may read, such as another bot", True, True),
    "tournament": Attack("rewrite what is stored, when the run is over, too", True, False),
    "own_program": Attack("change its own program for the next game", True, False),
    "leftovers": Attack("leave a file in `/tmp`, `/var/tmp` or `/dev/shm`", True, True),
    "disk": Attack("take 300 MB of the disk", True, True),
    "long_file": Attack("write a file over 256 MiB", False, False),
    # of processes
    "own_environment": Attack("find the organiser's variables in its own", False, False),
    "runners_environment": Attack("read the variables of runner or worker", False, False),
    "runners_folder": Attack("find the tournament by the runner's working folder", False, False),
    "runners_pipes": Attack("forge results through a worker's pipes", False, False),
    "runners_memory": Attack("read the memory of runner or worker", False, False),
    "signal_runner": Attack("kill its worker when it loses, stop the runner for good", True, False),
    "kill": Attack("kill any process of the organiser's", True, False),
    "signal_opponent": Attack("kill its opponent", True, False),
    "opponents_pipes": Attack("resign in its opponent's name", True, False),
    "opponents_environment": Attack("read its opponent's variables", True, False),
    "trace": Attack("trace its opponent", None, False),
    "others": Attack("see which other processes there are", True, True),
    "descriptors": Attack("find an open file or pipe that is not its own", False, False),
    "daemon": Attack("leave a process that outlives it and its run", False, False),
    # of the network
    "port": Attack("connect to a port of the machine, or to anywhere", True, True),
    "unix_socket": Attack("connect to a service by a socket in the file system", True, True),
    "abstract_socket": Attack("connect to a service by an abstract socket", True, True),
    # of limits
    "processes": Attack("run 400 processes", True, False),
    "memory": Attack("take more memory than `memory` allows, in one process", False, False),
    "memory_of_all": Attack(
        "take more memory than `memory` allows, by all its processes together", False, False
    ),
    "limits": Attack("raise its own limits", False, False),
    "opponents_limits": Attack("lower its opponent's limits", True, False),
    "priority": Attack("run before others, by its niceness", False, False),
    "real_time": Attack("run before others, in real time", False, False),
    "affinity": Attack("compute on other cores than its game's", True, True),
    "core_dump": Attack("leave a core file", False, False),
    # of the wall
    "setuid_programs": Attack("gain rights by a program such as `su`", True, False),
    "namespaces": Attack("make namespaces of its own", None, False),
    "mount": Attack("mount a file system", False, False),
    "kernel": Attack("use `bpf`, `io_uring`, the kernel's keys", None, False),
    "terminal": Attack("read what is typed at the organiser's terminal", False, False),
    "shared_memory": Attack(
        "leave shared memory, semaphores or queues of messages behind", True, False
    ),
}
"""By the name of the function in `attacker.py`."""


def table() -> str:
    """Return the table in Markdown."""
    said = {True: "**yes**", False: "no", None: "as the system allows"}
    lines = ["| a bot can | `none` | `user` | `bwrap` |", "| --- | --- | --- | --- |"]
    for attack in ATTACKS.values():
        cells = (said[getattr(attack, mode)] for mode in MODES)
        lines.append(f"| {attack.words} | {' | '.join(cells)} |")
    return "\n".join(lines)
