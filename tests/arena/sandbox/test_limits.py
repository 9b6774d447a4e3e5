"""What a bot's process may use, and whether a run may open what it needs."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import pytest

from lath.arena.errors import ConfigError
from lath.arena.machine import system as descriptors
from lath.arena.sandbox.limits import (
    DESCRIPTORS,
    FILE_BYTES,
    MORE_TASKS,
    is_this_python,
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
    names = ("core", "files", "tasks", "longest", "data")
    return dict(zip(names, map(int, ran.stdout.split()), strict=True))


def test_a_bot_leaves_no_core_files_and_cannot_take_all_files_and_processes() -> None:
    found = limits_of_a_child(None)
    assert found["core"] == 0
    assert 0 < found["files"] <= DESCRIPTORS
    assert MORE_TASKS < found["tasks"] <= tasks_before() + MORE_TASKS
    assert found["longest"] == FILE_BYTES
    assert found["data"] == resource.getrlimit(resource.RLIMIT_DATA)[0], "unless somebody sets it"
    assert limits_of_a_child(1 << 28)["data"] == 1 << 28


def test_a_bot_that_says_so_died_of_its_memory_limit() -> None:
    mib, out = 1 << 20, " out of memory (128 MiB allowed)"
    for words in (
        "MemoryError",
        "terminate called after throwing an instance of 'std::bad_alloc'",
        "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory",
        "java.lang.OutOfMemoryError: Java heap space",
        "memory allocation of 4294967296 bytes failed",
    ):
        assert out_of_memory(128 * mib, f"oops\n{words}\n") == out
        assert out_of_memory(None, words) == ""
    sanitized = out.replace("allowed", "allowed; a build with sanitizers starts without `memory`")
    for words in (
        "==1==ERROR: AddressSanitizer failed to allocate 0x10000000 (268435456) bytes at 7fff7000",
        "==1==ERROR: ThreadSanitizer failed to allocate 0x1f0000000000 bytes (errno: 12)",
        "FATAL: ThreadSanitizer: unexpected memory mapping 0x5cf0f0000000-0x5cf0f0000000",
    ):
        assert out_of_memory(128 * mib, words) == sanitized
    near = " near its memory limit: it held 64 MiB (128 MiB allowed)"
    fault = "segmentation fault"
    assert out_of_memory(128 * mib, fault) == ""
    assert out_of_memory(128 * mib, fault, 64 * mib) == near, "it may have wanted more"
    assert out_of_memory(128 * mib, fault, 64 * mib - 1) == ""
    assert out_of_memory(None, fault, 1 << 40) == ""
    assert out_of_memory(128 * mib, "MemoryError", 64 * mib) == out


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


def test_a_limit_on_open_files_is_raised_as_far_as_needed_and_possible(
    limit: dict[str, int],
) -> None:
    with pytest.raises(
        ConfigError, match=r"8 games at a time need 80\d* open files, but the limit is 20"
    ):
        descriptors.ensure(8)
    limit["hard"] = 5000
    descriptors.ensure(512)
    assert limit == {"soft": 48 + 4 * 512, "hard": 5000}
    limit.update(soft=1024, hard=1024)
    descriptors.ensure(8)
    assert limit == {"soft": 1024, "hard": 1024}


def test_the_arenas_python_is_known_by_its_path_and_by_its_name_where_the_path_finds_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    own = tmp_path / "python3"
    own.symlink_to(sys.executable)
    monkeypatch.setattr(sys, "executable", str(own))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert is_this_python(str(own))
    assert is_this_python("python3")
    (tmp_path / "runner").symlink_to(own)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "runner"))
    assert not is_this_python("runner"), "a name of another program is nobody's Python"
    assert not is_this_python("python3")
