"""A disk that is full or breaks once, at any moment: the store says so, and can be used on."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Final, TypeVar

import pytest
from arena_runs import sequence
from recorded_disk import Disk, Failure, Fault, Step, failing, full, nth
from results import a_result, finished

from lath.arena.errors import DiskError, StoreError
from lath.arena.tournament.database import DATABASE
from lath.arena.tournament.store import Store

Value = TypeVar("Value")

CHANGES: Final = ("open", "write", "truncate", "sync", "delete")
GROUPS: Final = [range(number, number + 3) for number in range(1, 31, 3)]
EVERY: Final = 5
"""One step in so many fails in a test; `make soak` has one for each that may be the first."""

LARGE: Final = {"ann": "oops " * 200}


class Story:
    """A tournament that is stored on a disk; what fails is tried again."""

    def __init__(self, folder: Path, disk: Disk) -> None:
        self.folder = folder
        self.disk = disk
        self.errors: list[StoreError] = []

    def again(self, do: Callable[[], Value]) -> Value:
        while True:
            try:
                return do()
            except StoreError as error:
                self.errors.append(error)
                assert len(self.errors) < 10, self.errors

    def play(self) -> None:
        store = self.again(lambda: Store(self.folder, connect=self.disk.connect))
        self.again(lambda: store.begin({"rounds": 1}))
        for numbers in GROUPS:
            group = [a_result(number, stderr=LARGE) for number in numbers]
            self.again(lambda: store.add(group))  # noqa: B023 - called at once
            assert sorted(finished(store)) == sequence(numbers[-1])
        store.close()


def played(folder: Path, fault: Fault = lambda _step: None) -> Story:
    """Return the story of a new folder, checked to have a good end."""
    folder.mkdir()
    with Disk(fault, checkpoint=12) as disk:
        story = Story(folder, disk)
        story.play()
    with closing(Store(folder)) as store:
        assert finished(store) == set(sequence(30))
        assert store.tournament() == {"rounds": 1}
        assert store._database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    shutil.rmtree(folder)
    return story


@pytest.fixture(scope="module")
def changes(tmp_path_factory: pytest.TempPathFactory) -> list[Step]:
    """Return what the disk is told when nothing fails."""
    story = played(tmp_path_factory.mktemp("whole") / "a")
    assert story.errors == []
    return [step for step in story.disk.steps if step.kind in CHANGES]


def test_the_story_writes_and_syncs_database_and_journal(changes: list[Step]) -> None:
    kinds = {(step.kind, step.file) for step in changes}
    assert kinds >= {("write", DATABASE), ("write", f"{DATABASE}-journal"), ("sync", DATABASE)}
    assert 150 < len(changes) < 600


@pytest.mark.parametrize("first", [1])
@pytest.mark.parametrize("times", [1, 4])
@pytest.mark.parametrize("make", [full, failing])
def test_each_step_may_fail_and_every_game_is_there_once(
    make: Failure, times: int, first: int, changes: list[Step], tmp_path: Path
) -> None:
    told = 0
    tried = range(first, len(changes) + 1, EVERY)
    for number in tried:
        story = played(tmp_path / "a", nth(number, CHANGES, times=times, make=make))
        told += len(story.errors)
        assert len(story.errors) <= times
        assert all(isinstance(error, DiskError) for error in story.errors), story.errors
    print(f"{told} failures were told, of {len(tried)} steps")
    assert told > len(tried) // 2
