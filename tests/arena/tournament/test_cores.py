"""Which cores a slot has for itself."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lath.arena.tournament import system as cores


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a machine of four physical cores with two threads each, and no container."""
    for core in range(8):
        folder = tmp_path / f"cpu{core}" / "topology"
        folder.mkdir(parents=True)
        (folder / "thread_siblings_list").write_text(f"{core % 4},{core % 4 + 4}\n")
    monkeypatch.setattr(cores, "_TOPOLOGY", tmp_path)
    monkeypatch.setattr(cores, "_QUOTA", tmp_path / "cpu.max")
    monkeypatch.setattr(os, "sched_getaffinity", lambda _pid: set(range(8)), raising=False)
    return tmp_path


def test_physical_cores_come_before_their_siblings(machine: Path) -> None:
    assert cores.available() == (0, 1, 2, 3, 4, 5, 6, 7)
    (machine / "cpu1/topology/thread_siblings_list").write_text("0,4")
    assert cores.available() == (0, 2, 3, 5, 1, 4, 6, 7)


def test_only_what_this_process_may_use_counts(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _pid: {5, 1, 2}, raising=False)
    assert cores.available() == (1, 2, 5)


@pytest.mark.parametrize(
    ("quota", "count"),
    [("max 100000", 8), ("250000 100000", 2), ("50000 100000", 1), ("9900000 100000", 8), ("", 8)],
)
def test_a_container_gets_no_more_cores_than_it_pays_for(
    quota: str, count: int, machine: Path
) -> None:
    (machine / "cpu.max").write_text(quota)
    assert len(cores.available()) == count


def test_a_machine_that_tells_nothing_has_cores_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cores, "_TOPOLOGY", tmp_path)
    monkeypatch.setattr(cores, "_QUOTA", tmp_path / "cpu.max")
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert cores.available() == (0,)


def test_slots_share_no_core() -> None:
    assert cores.shares(3, 2, (0, 1, 2, 3, 4, 5, 6)) == [(0, 1), (2, 3), (4, 5)]


def test_too_few_cores_are_not_shared_out() -> None:
    assert cores.shares(3, 1, (0, 1)) is None
    assert cores.shares(1, 3, (0, 1)) is None
