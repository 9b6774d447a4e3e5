"""Who follows a run: what it asks of the run, what it sees, and when it takes the run for over."""

from __future__ import annotations

import os
import time
from contextlib import closing
from pathlib import Path

import pytest
from results import a_result

from lath.arena.errors import StoreError
from lath.arena.tournament import outputs as exporting
from lath.arena.tournament.outputs import (
    EXPORT_S,
    OUTCOME,
    WISH,
    Exports,
    keep,
    unwish,
    wish,
    wished_s,
)
from lath.arena.tournament.sources import Following, Phase, phase_of
from lath.arena.tournament.store import DATABASE, RECORDS, Store
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
    monkeypatch.setattr(exporting, "time", clock)
    return clock


class Told:
    """An export that counts."""

    def __init__(self, clock: Clock) -> None:
        self.count = 0
        self.takes_s = 0.0
        self.error: StoreError | None = None
        self._clock = clock

    def export(self) -> None:
        self.count += 1
        self._clock.now_s += self.takes_s
        if self.error:
            raise self.error


def counts(folder: Path, clock: Clock, told: Told, *, seconds: int) -> int:
    """Return how often a run exports that has a new game every second."""
    exports = Exports(folder, told.export, print)
    for games in range(1, seconds + 1):
        clock.now_s += 1
        exports.sometimes(games)
    return told.count


# what a run is asked


def test_a_run_exports_every_thirty_seconds_unless_it_is_asked(
    tmp_path: Path, clock: Clock
) -> None:
    assert counts(tmp_path, clock, Told(clock), seconds=95) == 3


def test_a_run_that_is_followed_exports_as_often_as_it_is_asked(
    tmp_path: Path, clock: Clock
) -> None:
    wish(tmp_path, 5)
    assert counts(tmp_path, clock, Told(clock), seconds=40) == 8


def test_a_run_without_new_games_exports_nothing(tmp_path: Path, clock: Clock) -> None:
    told = Told(clock)
    exports = Exports(tmp_path, told.export, print)
    for games in (0, 0, 4, 4, 4, 6):
        clock.now_s += EXPORT_S
        exports.sometimes(games)
    assert told.count == 2


def test_a_large_file_is_written_in_a_twentieth_of_the_time(tmp_path: Path, clock: Clock) -> None:
    wish(tmp_path, 1)
    told = Told(clock)
    told.takes_s = 2.0
    assert counts(tmp_path, clock, told, seconds=82) == 3


def test_an_export_that_fails_is_told_of_and_not_tried_again_at_once(
    tmp_path: Path, clock: Clock
) -> None:
    wish(tmp_path, 1)
    told = Told(clock)
    told.error = StoreError("the disk is full")
    warnings: list[str] = []
    exports = Exports(tmp_path, told.export, warnings.append)
    for games in range(1, 65):
        clock.now_s += 1
        exports.sometimes(games)
    assert warnings == ["the disk is full"] * 3


@pytest.mark.parametrize(
    ("text", "wished"),
    [("5\n", 5), ("0.1", 1), ("1e9", 30), ("0", None), ("-3", None), ("nan", None), ("x", None)],
)
def test_a_wish_is_bounded_and_nonsense_is_none(
    text: str, wished: float | None, tmp_path: Path
) -> None:
    (tmp_path / WISH).write_text(text)
    assert wished_s(tmp_path) == wished


def test_an_old_wish_is_forgotten(tmp_path: Path, clock: Clock) -> None:
    wish(tmp_path, 5)
    told = Told(clock)
    assert counts(tmp_path, clock, told, seconds=300) == 45 // 5 + (300 - 45) // 30
    os.utime(tmp_path / WISH, (1, 1))  # touched again, whatever that disk's clock says
    assert counts(tmp_path, clock, told, seconds=10) > 45 // 5 + (300 - 45) // 30


def test_where_nobody_may_write_nothing_is_asked(tmp_path: Path) -> None:
    wish(tmp_path / "nowhere", 5)
    unwish(tmp_path / "nowhere")
    assert wished_s(tmp_path / "nowhere") is None


# what there is to see


def ended(folder: Path, *, done: int, total: int) -> None:
    """Write what a run leaves that has played so many games."""
    with closing(Store(folder)) as store:
        store.add([a_result(number) for number in range(1, done + 1)])
        store.export()
    keep(folder, Outcome(format="round-robin", done=done, total=total))


def test_the_phases_of_a_tournament(tmp_path: Path) -> None:
    assert phase_of(tmp_path / "out") is Phase.ABSENT
    with closing(Store(tmp_path)):
        assert phase_of(tmp_path) is Phase.PLAYING
    assert phase_of(tmp_path) is Phase.STOPPED
    ended(tmp_path, done=1, total=2)
    assert phase_of(tmp_path) is Phase.STOPPED
    ended(tmp_path, done=2, total=2)
    assert phase_of(tmp_path) is Phase.OVER
    (tmp_path / OUTCOME).write_text("{")
    assert phase_of(tmp_path) is Phase.STOPPED
    (tmp_path / DATABASE).unlink()
    assert phase_of(tmp_path) is Phase.OVER, "records alone do not grow"


def following(*sources: Path) -> Following:
    return Following(lambda: sources, every_s=5)


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
        assert one.look().readable == (), "locked, and games.lath is not written yet"
        store.add([a_result(1)])
        store.export()
        assert one.look().readable == (folder,)
        assert wished_s(folder) == 5
    one.stop()
    assert not (folder / WISH).exists()


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
    one = Following(lambda: [tmp_path], every_s=5, others=lambda: [template])
    one.look()
    one.rendered()
    template.write_text("ab")
    assert one.look().has_changed
