"""Who follows a run: what the run writes for others, what there is to see, and when it is over."""

from __future__ import annotations

import time
from contextlib import closing
from pathlib import Path

import pytest
from results import a_result

from lath.arena.errors import StoreError
from lath.arena.tournament import runner
from lath.arena.tournament.database import DATABASE, RECORDS
from lath.arena.tournament.pages import Following
from lath.arena.tournament.runner import RECORDS_S, Refreshed
from lath.arena.tournament.sources import OUTCOME, is_over, write_outcome
from lath.arena.tournament.store import Store
from lath.reports.outcome import Outcome


class Clock:
    """A clock that goes on when it is told to."""

    def __init__(self) -> None:
        self.now_s = 1000.0

    def monotonic(self) -> float:
        return self.now_s

    def time(self) -> float:
        return time.time()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(runner, "time", clock)
    return clock


class File:
    """A file that a run writes, which takes a while or fails."""

    def __init__(self, clock: Clock, every_s: float) -> None:
        self.written = 0
        self.takes_s = 0.0
        self.error: StoreError | None = None
        self.warnings: list[str] = []
        self._clock = clock
        self._refreshed = Refreshed(self._write, self.warnings.append, every_s=every_s)

    def _write(self) -> None:
        self.written += 1
        self._clock.now_s += self.takes_s
        if self.error:
            raise self.error

    def after(self, seconds: int) -> int:
        """Return how often it is written by a run that has a new game every second."""
        for games in range(1, seconds + 1):
            self._clock.now_s += 1
            self._refreshed.sometimes(games)
        return self.written

    def with_games(self, *counts: int) -> int:
        """Return how often it is written by a run that has so many games, now and then."""
        for games in counts:
            self._clock.now_s += RECORDS_S
            self._refreshed.sometimes(games)
        return self.written


# what a run writes for others


def test_a_file_is_written_as_often_as_it_should(clock: Clock) -> None:
    assert File(clock, 30).after(95) == 3
    assert File(clock, 5).after(40) == 8


def test_without_new_games_nothing_is_written(clock: Clock) -> None:
    assert File(clock, 30).with_games(0, 0, 4, 4, 4, 6) == 2


def test_a_large_file_is_written_in_a_twentieth_of_the_time(clock: Clock) -> None:
    file = File(clock, 1)
    file.takes_s = 2.0
    assert file.after(82) == 3


def test_a_file_that_cannot_be_written_is_told_of_and_not_tried_again_at_once(
    clock: Clock,
) -> None:
    file = File(clock, 1)
    file.error = StoreError("the disk is full")
    file.after(64)
    assert file.warnings == ["the disk is full"] * 3


# what there is to see


def ended(folder: Path, *, done: int, total: int) -> None:
    """Write what a run leaves that has played so many games."""
    with closing(Store(folder)) as store:
        store.add([a_result(number) for number in range(1, done + 1)])
        store.export()
    write_outcome(folder, Outcome(format="round-robin", done=done, total=total))


def test_a_tournament_is_over_when_nobody_plays_and_nothing_is_left(tmp_path: Path) -> None:
    assert not is_over(tmp_path / "out")
    assert following(tmp_path / "out").look().readable == ()
    with closing(Store(tmp_path)):
        assert not is_over(tmp_path)
    assert not is_over(tmp_path)
    ended(tmp_path, done=1, total=2)
    assert not is_over(tmp_path)
    ended(tmp_path, done=2, total=2)
    assert is_over(tmp_path)
    with closing(Store(tmp_path)):
        assert not is_over(tmp_path)
    (tmp_path / OUTCOME).write_text("{")
    assert not is_over(tmp_path)
    (tmp_path / DATABASE).unlink()
    assert is_over(tmp_path), "records alone do not grow"


def following(*sources: Path) -> Following:
    return Following(lambda: sources)


def test_what_was_rendered_is_news_only_when_it_changes(tmp_path: Path) -> None:
    ended(tmp_path, done=1, total=4)
    one = following(tmp_path)
    assert one.look().has_changed
    one.rendered()
    assert not one.look().has_changed
    ended(tmp_path, done=2, total=4)
    assert one.look().has_changed


def test_a_finished_tournament_is_over_at_once(tmp_path: Path) -> None:
    ended(tmp_path, done=2, total=2)
    sight = following(tmp_path).look()
    assert (sight.is_over, sight.readable) == (True, (tmp_path,))


def test_one_that_was_stopped_is_over_when_a_run_was_seen(tmp_path: Path) -> None:
    ended(tmp_path, done=1, total=2)
    one = following(tmp_path)
    assert not one.look().is_over, "a run may go on with it"
    with closing(Store(tmp_path)):
        assert not one.look().is_over
    assert one.look().is_over


def test_what_is_not_there_yet_is_waited_for(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    one = following(folder)
    sight = one.look()
    assert (sight.is_over, sight.readable) == (False, ())
    folder.mkdir()
    with closing(Store(folder)) as store:
        assert one.look().readable == (folder,), "there is nothing in it, and it may be read"
        one.rendered()
        store.add([a_result(1)])
        assert one.look().has_changed, "a game counts as soon as it is stored"


def test_files_alone_are_never_over_and_those_beside_a_tournament_do_not_count(
    tmp_path: Path,
) -> None:
    ended(tmp_path, done=2, total=2)
    records = tmp_path / RECORDS
    assert not following(records).look().is_over
    assert following(records, tmp_path).look().is_over


def test_a_change_of_what_it_is_made_with_is_news(tmp_path: Path) -> None:
    ended(tmp_path, done=1, total=2)
    template = tmp_path / "page.html.j2"
    template.write_text("a")
    one = Following(lambda: [tmp_path], others=lambda: [template])
    one.look()
    one.rendered()
    template.write_text("ab")
    assert one.look().has_changed
