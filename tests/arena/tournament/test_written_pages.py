"""What a run writes for others, and who follows it: when there is news, and when it is over."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from results import a_result

from lath.arena.directory import DATABASE, OUTCOME, RECORDS
from lath.arena.errors import StoreError
from lath.arena.publishing.pages import Following
from lath.arena.tournament.outcome.directories import is_over
from lath.arena.tournament.outcome.notes import write_outcome
from lath.arena.tournament.outcome.page_files import write_page
from lath.arena.tournament.run import runner
from lath.arena.tournament.run.runner import RECORDS_S, Refreshed
from lath.arena.tournament.store.store import Store
from lath.reports.notes.outcome import EventOutcome
from lath.reports.page.page import Page

# A page is one file


def files(folder: Path) -> dict[str, str]:
    found = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_text() for path in found}


def test_a_page_is_replaced_whole(tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    assert write_page(page, Page("höchst")) == 7
    with page.open() as reader:
        write_page(page, Page("long"))
        assert reader.read() == "höchst"
    assert files(tmp_path) == {"report.html": "long"}


def test_files_that_a_former_version_had_beside_it_go_and_no_others(tmp_path: Path) -> None:
    """They were the games of a long page."""
    games = {"report-games/001-ab12cd34.js": "", "report-games/002-0123abcd.js": ""}
    (tmp_path / "report-games").mkdir()
    for name in games:
        (tmp_path / name).touch()
    write_page(tmp_path / "other.html", Page("of another"))
    (tmp_path / "report.html").mkdir()
    with pytest.raises(OSError, match="report"):
        write_page(tmp_path / "report.html", Page("short"))
    assert files(tmp_path) == {"other.html": "of another", **games}, "it could not be written"
    (tmp_path / "report.html").rmdir()
    (tmp_path / "report-games/mine.js").touch()
    for _ in range(2):
        write_page(tmp_path / "report.html", Page("short"))
        left = {path.name for path in tmp_path.rglob("*")}
        assert left == {"other.html", "report.html", "report-games", "mine.js"}
    (tmp_path / "report-games/mine.js").rename(tmp_path / "report-games/001-ab12cd34.js")
    write_page(tmp_path / "report.html", Page("short"))
    assert not (tmp_path / "report-games").exists()


# What a run writes now and then


class Clock:
    """A clock that goes on when it is told to."""

    def __init__(self) -> None:
        self.now_s = 1000.0

    def monotonic(self) -> float:
        return self.now_s

    def time(self) -> float:
        return time.time()


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
        return self.with_games(*range(1, seconds + 1), every_s=1)

    def with_games(self, *counts: int, every_s: float = RECORDS_S) -> int:
        """Return how often it is written by a run that has so many games, now and then."""
        for games in counts:
            self._clock.now_s += every_s
            self._refreshed.sometimes(games)
        return self.written


def test_a_file_is_written_as_often_as_it_should(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    monkeypatch.setattr(runner, "time", clock)

    def file(every_s: float = 1, takes_s: float = 0.0, error: StoreError | None = None) -> File:
        new = File(clock, every_s)
        new.takes_s, new.error = takes_s, error
        return new

    assert (file(30).after(95), file(5).after(40)) == (3, 8)
    assert file(30).with_games(0, 0, 4, 4, 4, 6) == 2, "without new games nothing is written"
    assert file(takes_s=2.0).after(82) == 3, "a large one in a twentieth of the time"
    broken = file(error=StoreError("the disk is full"))
    broken.after(64)
    assert broken.warnings == ["the disk is full"] * 3, "it is not tried again at once"


# What there is to see


def ended(folder: Path, *, done: int, total: int) -> None:
    """Write what a run leaves that has played so many games."""
    with closing(Store(folder)) as store:
        store.add([a_result(number) for number in range(1, done + 1)])
        store.export()
    write_outcome(folder, EventOutcome(format="round-robin", done=done, total=total))


def following(*sources: Path) -> Following:
    return Following(lambda: sources)


def test_a_tournament_is_over_when_nobody_plays_and_nothing_is_left(tmp_path: Path) -> None:
    assert not is_over(tmp_path / "out")
    for done, over in ((0, False), (1, False), (2, True)):
        if done:
            ended(tmp_path, done=done, total=2)
        with closing(Store(tmp_path)):
            assert not is_over(tmp_path)
        assert is_over(tmp_path) == over
    (tmp_path / OUTCOME).write_text("{")
    assert not is_over(tmp_path)
    (tmp_path / DATABASE).unlink()
    assert is_over(tmp_path), "records alone do not grow"


def test_what_was_rendered_is_news_only_when_it_changes(tmp_path: Path) -> None:
    template = tmp_path / "page.html.j2"

    def change_template() -> None:
        template.write_text("ab")

    template.write_text("a")
    ended(tmp_path, done=1, total=4)
    one = Following(lambda: [tmp_path], others=lambda: [template])
    changes: list[Callable[[], None]] = [lambda: ended(tmp_path, done=2, total=4), change_template]
    for change in changes:
        assert one.look().has_changed
        one.rendered()
        assert not one.look().has_changed
        change()
    assert one.look().has_changed


def test_what_is_followed_is_over_once_it_was_seen_to_end(tmp_path: Path) -> None:
    ended(tmp_path, done=1, total=2)
    one = following(tmp_path)
    assert not one.look().is_over, "a run may go on with it"
    with closing(Store(tmp_path)):
        assert not one.look().is_over
    assert one.look().is_over
    ended(tmp_path, done=2, total=2)
    sight = following(tmp_path).look()
    assert (sight.is_over, sight.readable) == (True, (tmp_path,)), "at once"
    records = tmp_path / RECORDS
    assert not following(records).look().is_over, "a file may be written on"
    assert following(records, tmp_path).look().is_over, "but not one beside a tournament"


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
