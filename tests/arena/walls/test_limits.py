"""What a bot's process may use, and whether a run may open what it needs."""

from __future__ import annotations

import resource
import subprocess
import sys

import pytest

from lath.arena.errors import ConfigError
from lath.arena.tournament import system as descriptors
from lath.arena.walls.limits import (
    DESCRIPTORS,
    FILE_BYTES,
    MORE_TASKS,
    out_of_memory,
    restriction,
    tasks_before,
)


def limits_of_a_child(memory_bytes: int | None) -> dict[str, int]:
    """Return the soft limits that a program finds."""
    code = (
        "import resource as r; "
        "print(*(r.getrlimit(getattr(r, 'RLIMIT_' + n))[0] for n in "
        "'CORE NOFILE NPROC FSIZE DATA'.split()))"
    )
    ran = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code],
        preexec_fn=restriction(memory_bytes),
        capture_output=True,
        text=True,
        check=True,
    )
    return dict(
        zip(
            ("core", "files", "tasks", "longest", "data"), map(int, ran.stdout.split()), strict=True
        )
    )


def test_a_bot_leaves_no_core_files_and_cannot_take_all_files_and_processes() -> None:
    found = limits_of_a_child(None)
    assert found["core"] == 0
    assert 0 < found["files"] <= DESCRIPTORS
    assert 0 < found["tasks"] <= tasks_before() + MORE_TASKS
    assert found["longest"] == FILE_BYTES
    assert found["data"] == resource.getrlimit(resource.RLIMIT_DATA)[0], "unless somebody sets it"


def test_a_bot_with_a_memory_limit_has_it() -> None:
    assert limits_of_a_child(1 << 28)["data"] == 1 << 28


@pytest.mark.parametrize(
    "words",
    [
        "MemoryError",
        "terminate called after throwing an instance of 'std::bad_alloc'",
        "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory",
        "java.lang.OutOfMemoryError: Java heap space",
        "memory allocation of 4294967296 bytes failed",
    ],
)
def test_a_bot_that_says_so_died_of_its_memory_limit(words: str) -> None:
    assert out_of_memory(1 << 27, f"oops\n{words}\n") == " out of memory (128 MiB allowed)"
    assert out_of_memory(None, words) == ""
    assert out_of_memory(1 << 27, "segmentation fault") == ""


def test_a_bot_that_held_half_of_its_memory_may_have_wanted_more() -> None:
    near = " near its memory limit: it held 64 MiB (128 MiB allowed)"
    assert out_of_memory(1 << 27, "segmentation fault", 1 << 26) == near
    assert out_of_memory(1 << 27, "segmentation fault", (1 << 26) - 1) == ""
    assert out_of_memory(None, "segmentation fault", 1 << 40) == ""
    assert out_of_memory(1 << 27, "MemoryError", 1 << 26) == " out of memory (128 MiB allowed)"


@pytest.mark.parametrize(
    "words",
    [
        "==1==ERROR: AddressSanitizer failed to allocate 0x10000000 (268435456) bytes at 7fff7000",
        "==1==ERROR: ThreadSanitizer failed to allocate 0x1f0000000000 bytes (errno: 12)",
        "FATAL: ThreadSanitizer: unexpected memory mapping 0x5cf0f0000000-0x5cf0f0000000",
    ],
)
def test_a_build_with_sanitizers_is_told_what_it_cannot_have(words: str) -> None:
    told = " out of memory (128 MiB allowed; a build with sanitizers starts without `memory`)"
    assert out_of_memory(1 << 27, words) == told


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has such a score")
def test_the_system_ends_a_bot_before_anything_else() -> None:
    ran = subprocess.run(
        ["cat", "/proc/self/oom_score_adj"],
        preexec_fn=restriction(None),
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout == "1000\n"


@pytest.fixture
def limit(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """Give limits on open files that can be set without touching this process."""
    limit = {"soft": 20, "hard": 20}
    monkeypatch.setattr(resource, "getrlimit", lambda _what: (limit["soft"], limit["hard"]))
    monkeypatch.setattr(
        resource, "setrlimit", lambda _what, to: limit.update(soft=to[0], hard=to[1])
    )
    return limit


def test_too_few_files_are_told_of_before_anything_starts(limit: dict[str, int]) -> None:
    with pytest.raises(ConfigError, match=r"may have 20 files open, and 8 games at a time need 80"):
        descriptors.ensure(8)


def test_a_soft_limit_is_raised_as_far_as_needed(limit: dict[str, int]) -> None:
    limit["hard"] = 5000
    descriptors.ensure(512)
    assert limit == {"soft": 48 + 4 * 512, "hard": 5000}


def test_enough_files_are_left_as_they_are(limit: dict[str, int]) -> None:
    limit.update(soft=1024, hard=1024)
    descriptors.ensure(8)
    assert limit == {"soft": 1024, "hard": 1024}
