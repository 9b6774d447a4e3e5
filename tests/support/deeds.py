"""Jobs of tests for a worker; they load no further modules there."""

from __future__ import annotations

import gc
import os
import signal
import time
from pathlib import Path


def children(_nothing: object) -> str:
    """Return how many children this process has, zombies among them."""
    count = 0
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = file.read_bytes().rpartition(b")")[2].split()
        except OSError:
            continue
        count += int(fields[1]) == os.getpid()
    return str(count)


def told(text: object) -> str:
    """Return a description of the worker."""
    assert isinstance(text, str)
    core_count = len(os.sched_getaffinity(0))
    return f"{text} {os.getpid()} {core_count} {signal.getsignal(signal.SIGINT).name}"  # type: ignore[union-attr]


def tidies(_nothing: object) -> str:
    """Return whether Python's garbage collection is on, and the number of frozen objects."""
    return f"{gc.isenabled()} {gc.get_freeze_count()}"


def dies(_nothing: object) -> str:
    os._exit(9)


def prints(_nothing: object) -> str:
    print("this is no answer", flush=True)
    return "answer"


def forges(_nothing: object) -> str:
    """Send a false first answer, as a program with the worker's permissions could."""
    for file in Path("/proc/self/fd").iterdir():
        if int(file.name) > 2 and file.is_fifo():
            os.write(int(file.name), b"\xff{\n")
    return "answer"


def sleeps(_nothing: object) -> str:
    time.sleep(600)
    return ""
