"""`arena report --watch` beside real runs: pages while they go on, a last one, and then the end."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Final

import pytest
from arena_runs import PATIENCE_S, Range, arena, flags, listened_to, stop, wait_until_it_plays
from bad_bots import Good, TakesAMillisecond
from processes import gone
from quick_runs import play_nothing

QUICK: Final = {"ann": Good, "bob": Good}
STEADY: Final = {"ann": TakesAMillisecond, "bob": TakesAMillisecond}
"""Two bots that play no more than some fifty games a second."""

WRITTEN: Final = re.compile(r"^page\.html: (\d+) games?, \d+ kB$", re.MULTILINE)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the directory of a tournament of two games that is over."""
    folder = tmp_path_factory.mktemp("finished")
    assert arena(*flags(QUICK, rounds=1, out=folder / "out", jobs=1), cwd=folder).returncode == 0
    return folder / "out"


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Range]:
    with Range(tmp_path) as place:
        yield place


def watching(place: Range, source: str = "out") -> subprocess.Popen[str]:
    """Start to watch, and return at once."""
    return place.begin("report", source, "--watch", "1", "-o", "page.html")


def page(place: Range) -> str:
    return (place.folder / "page.html").read_text(encoding="utf-8")


def is_refreshing(place: Range) -> bool:
    """Return whether the page, a whole one, loads itself again."""
    html = page(place)
    assert html.startswith("<!DOCTYPE html>")
    assert html.rstrip().endswith("</html>")
    every_s = re.findall(r'data-seconds="([^"]*)"', html)
    assert every_s in ([], ["1"])
    return bool(every_s)


def waits_for_a_page(place: Range) -> None:
    assert gone(lambda: not (place.folder / "page.html").exists(), PATIENCE_S)


def ended(watch: subprocess.Popen[str]) -> tuple[int, str]:
    _, said = watch.communicate(timeout=PATIENCE_S)
    return watch.returncode, said


def told(stream: IO[str], words: str) -> bool:
    """Return whether a line begins so before there are no more."""
    return any(line.startswith(words) for line in stream)


def test_a_watch_that_begins_before_the_run_ends_with_it(place: Range) -> None:
    watch = watching(place)
    waits_for_a_page(place)
    assert is_refreshing(place), "a page to open, though nothing is played yet"
    run = place.begin(*flags(STEADY, rounds=10, out=place.out, jobs=1))
    run.communicate(timeout=PATIENCE_S)
    status, said = ended(watch)
    assert (run.returncode, status) == (0, 0)
    assert said.startswith("waiting for games in out\n")
    counts = [int(count) for count in WRITTEN.findall(said)]
    assert (counts[0], counts[-1]) == (0, 20)
    assert counts == sorted(counts)
    assert not is_refreshing(place)
    again = watching(place)
    status, said = ended(again)
    assert (status, WRITTEN.findall(said)) == (0, ["20"]), "what is finished is written once"
    wrong = place.arena("report", "out", "--watch", "-o", "nowhere/page.html")
    assert (wrong.returncode, "cannot be written" in wrong.stderr) == (2, True)


def test_a_page_is_written_long_before_a_run_is_over(place: Range) -> None:
    run = place.begin(*flags(STEADY, rounds=5000, out=place.out, jobs=1))
    wait_until_it_plays(place, run, games=4)
    watch = watching(place)
    waits_for_a_page(place)
    assert not (place.out / "games.lath").exists(), "it is read where it is stored"
    assert gone(lambda: "<h1><bdi>out" not in page(place), PATIENCE_S)
    assert is_refreshing(place)
    stop(run, signal.SIGINT)
    status, said = ended(watch)
    assert status == 0, said
    assert not is_refreshing(place)


def test_ctrl_c_leaves_a_page_that_does_not_refresh(place: Range, finished: Path) -> None:
    shutil.copytree(finished, place.out)
    (place.out / "outcome.json").unlink()
    watch = watching(place)
    waits_for_a_page(place)
    assert is_refreshing(place), "a run may go on with it"
    said = stop(watch, signal.SIGINT)
    assert watch.returncode == 3
    assert "note: stopped watching" in said
    assert not is_refreshing(place)


def test_a_file_is_rendered_again_when_it_changes_and_half_a_record_is_waited_for(
    place: Range, finished: Path
) -> None:
    text = (finished / "games.lath").read_text()
    others = text.replace('[Event "', '[Event "another ')
    records = place.folder / "mine.lath"
    records.write_text(text)
    watch = watching(place, "mine.lath")
    with listened_to(watch) as said:
        assert told(said, "page.html: 2 games")
        records.write_text(text + "\n" + others[:-20])
        assert told(said, "page.html: 3 games")
        assert told(said, "warning: 1 invalid record is left out: syntax 1")
        assert is_refreshing(place)
        records.write_text(text + "\n" + others)
        assert told(said, "page.html: 4 games")
        watch.send_signal(signal.SIGTERM)
        assert told(said, "page.html: 4 games")
        assert told(said, "note: stopped watching")
        assert watch.wait(PATIENCE_S) == 3
    assert not is_refreshing(place)


def test_an_index_takes_in_tournaments_that_come_later(
    place: Range, finished: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play_nothing(monkeypatch)
    shutil.copytree(finished, place.folder / "all" / "one")
    watch = place.begin("report", "all", "--watch", "1")
    with listened_to(watch) as said:
        assert told(said, "all/index.html: 2 games")
        later = flags(QUICK, rounds=2, out=place.folder / "all" / "two", jobs=1)
        assert arena(*later, cwd=place.folder).returncode == 0
        assert told(said, "all/index.html: 6 games")
        watch.send_signal(signal.SIGINT)
        assert told(said, "note: stopped watching")
        assert watch.wait(PATIENCE_S) == 3
    assert "data-seconds" not in (place.folder / "all" / "index.html").read_text()
