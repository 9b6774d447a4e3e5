"""Standings and report after Ctrl-C: of all that is kept, or called what they are."""

from __future__ import annotations

import json
import re
import signal
import time
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import Any, Final

import commands
import pytest
from quick_runs import AtOnce, play_nothing

from lath.arena.errors import ConfigError, StoreError
from lath.arena.tournament import folder as directory
from lath.arena.tournament.pages import mark_stale
from lath.arena.tournament.runner import Runner

pytestmark = pytest.mark.slow

BOTS: Final = ("--bot", "ann=/nowhere", "--bot", "bob=/nowhere")
WORDS: Final = ("run", "--game", "yavalath", "--tc", "move 5", *BOTS, "--out", "out", "-q")
STALE: Final = "warning: games may be missing in standings.json, standings.csv, report.html: "


class Stopped(AtOnce):
    """Somebody presses Ctrl-C after some pairs, perhaps twice."""

    def __init__(self, after: int, times: int) -> None:
        super().__init__([])
        self._left = after
        self._times = times

    def submit(self, _play: Callable[..., Any], /, *jobs: Any, **more: Any) -> Future[Any]:
        self._left -= 1
        for _ in range(0 if self._left else self._times):
            signal.raise_signal(signal.SIGINT)
        return super().submit(_play, *jobs, **more)


@pytest.fixture(autouse=True)
def interrupted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., str]:
    """Play a round; return what goes on for many, until Ctrl-C, and what that says."""
    monkeypatch.chdir(tmp_path)
    play_nothing(monkeypatch)

    def go_on(*words: str, times: int = 1, quiet: bool = True) -> str:
        with pytest.MonkeyPatch.context() as patch:
            runner = partial(Runner, executors=lambda *_: Stopped(5, times))
            patch.setattr(directory, "Runner", runner)
            ran = commands.arena(*(WORDS if quiet else WORDS[:-1]), "--rounds", "40", *words)
        assert ran.status == 3, ran.err
        assert re.fullmatch(r".* go on with: arena run --out out", ran.err.splitlines()[-1])
        assert quiet or "stopping: standings and report of the games so far are" in ran.err
        return ran.err if quiet else ran.out

    return go_on


def played(*words: str) -> None:
    ran = commands.arena(*WORDS, *words)
    assert (ran.status, ran.err) == (0, "")


def games() -> list[int]:
    """Return how many games there are, by what is stored, by the standings and by the page."""
    found = [Path("out/games.lath").read_text().count("[Number ")]
    found.append(json.loads(Path("out/standings.json").read_text())["overall"]["games"])
    if Path("out/report.html").exists():
        page = Path("out/report.html").read_text()
        found += map(int, re.findall(r"<dt>Games</dt><dd>([0-9]+)</dd>", page))
    return found


def is_marked() -> bool:
    return "This tournament was gone on with after" in Path("out/report.html").read_text()


def test_they_are_of_all_games_after_one_signal(interrupted: Callable[..., str]) -> None:
    played("--rounds", "1")
    assert games() == [2, 2, 2]
    assert "warning" not in interrupted()
    stored, *others = games()
    assert stored > 2
    assert others == [stored, stored]
    assert not is_marked()


def test_a_report_that_was_not_there_is_made_and_tables_are_printed(
    interrupted: Callable[..., str],
) -> None:
    shown = interrupted(quiet=False)
    stored, *others = games()
    assert others == [stored, stored]
    assert f"{stored} games; endings: rules {stored}" in shown
    interrupted("--no-report")
    assert is_marked(), "it was not asked for"


def test_what_takes_too_long_keeps_no_service_from_ending(
    interrupted: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def for_ever(*_: object, **__: object) -> None:
        while True:
            time.sleep(1)

    monkeypatch.setattr(directory, "STOP_S", 0.05)
    with monkeypatch.context() as patch:
        patch.setattr(directory, "background_of", for_ever)
        said = interrupted().splitlines()
    assert said[-2] == (
        "warning: there is no report: to write all of it takes longer than 0.05 s; "
        "make one with: arena report out -o out/report.html"
    )
    assert commands.arena("report", "out", "-o", "out/report.html").status == 0


def test_a_second_signal_skips_them_and_the_page_says_so(
    interrupted: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    played("--rounds", "1")
    with monkeypatch.context() as patch:
        patch.setattr(directory, "published", lambda *_, **__: signal.raise_signal(signal.SIGINT))
        assert interrupted().startswith(f"{STALE}they were not written anew\n")
    stored, *others = games()
    assert stored > 2
    assert others == [2, 2]
    assert is_marked()
    assert commands.arena("report", "out", "-o", "out/report.html").status == 0
    assert not is_marked()


def test_two_signals_at_once_skip_them(interrupted: Callable[..., str]) -> None:
    played("--rounds", "1")
    assert interrupted(times=2).startswith(f"{STALE}they were not written anew\n")
    assert games()[1:] == [2, 2]
    assert is_marked()


@pytest.mark.parametrize("fault", [StoreError("no room"), RuntimeError("a bug")])
def test_what_goes_wrong_then_is_told_and_no_other_status(
    fault: Exception, interrupted: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    played("--rounds", "1")

    def fail(*_: object) -> None:
        raise fault

    monkeypatch.setattr(directory, "write_page", fail)
    assert interrupted().startswith(f"{STALE}{fault}\n")
    assert is_marked()


def test_a_run_that_is_refused_marks_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    played("--rounds", "1")

    def refuse(*_: object) -> None:
        raise ConfigError("bot 'ann' does not play yavalath")

    monkeypatch.setattr(directory, "_greet_bots", refuse)
    assert commands.arena(*WORDS, "--rounds", "2").status == 2
    assert not is_marked()


def test_a_run_that_writes_no_report_marks_the_one_that_is_there() -> None:
    played("--rounds", "1")
    played("--rounds", "1", "--no-report")
    assert not is_marked(), "it played nothing"
    for rounds in ("2", "3"):
        played("--rounds", rounds, "--no-report")
        assert Path("out/report.html").read_text().count('id="stale"') == 1
    played("--rounds", "4")
    assert not is_marked()
    made_ns = Path("out/report.html").stat().st_mtime_ns
    mark_stale(Path("out"))
    assert is_marked()
    assert Path("out/report.html").stat().st_mtime_ns == made_ns, "else it passes for new"
    assert games() == [8, 8, 8]
