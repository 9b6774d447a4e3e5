"""`arena bot check` as a library: its points, their order and words, and what a time asks for.

What it finds in each kind of bad bot is in referee/test_bad_bots.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import bad_bots
import odd_bots
import pytest
from bad_bots import Good
from places import page_text
from scripted import scripted

from lath.arena.botcheck.check import Report, check
from lath.arena.botcheck.lab import Lab
from lath.arena.botcheck.points import CheckPoint, Verdict
from lath.arena.botcheck.steps import CHAPTERS
from lath.arena.errors import ConfigError
from lath.arena.referee.bots import BotSpec
from lath.arena.referee.clock import Limits
from lath.notation.protocol import TimeControl, read_new

FAULT, NOTE, OK, UNTESTED = Verdict.FAULT, Verdict.NOTE, Verdict.OK, Verdict.UNTESTED


@pytest.fixture
def _scripts() -> Iterator[None]:
    with scripted():
        yield


scripts = pytest.mark.usefixtures("_scripts")


def lab_of(kind: type[Good], *games: str, startup_s: float = 10.0) -> Lab:
    module = odd_bots if kind.__module__ == odd_bots.__name__ else bad_bots
    limits = Limits(time=TimeControl(move_ms=400), startup_s=startup_s)
    return Lab(BotSpec(name="bot", command=module.command(kind)), games, limits=limits)


def found_in(kind: type[Good], *only: str, game: str = "yavalath") -> dict[str, CheckPoint]:
    return {point.id: point for point in check(lab_of(kind, game), only)}


def ids(points: dict[str, CheckPoint], *verdicts: Verdict) -> set[str]:
    return {id_ for id_, point in points.items() if point.verdict in verdicts}


@scripts
def test_a_bot_that_never_says_ok_is_not_asked_for_more() -> None:
    points = found_in(bad_bots.HangsInHandshake)
    assert ids(points, OK, FAULT) == {"starts", "hello"}
    assert {points[id_].seen for id_ in ids(points, UNTESTED)} == {"it failed at 'hello'"}


@scripts
def test_a_bot_that_hangs_is_given_up_but_its_end_is_tested() -> None:
    points = found_in(bad_bots.HangsInItsMove)
    assert ids(points, FAULT) == {"first", "second"}
    assert "many-games" in ids(points, UNTESTED)
    assert "quit" in ids(points, OK)


@scripts
def test_points_come_in_their_order_and_only_those_that_the_game_has() -> None:
    only = ("quit", "wants", "first", "swap-offered", "ping", "move-text")
    points = found_in(odd_bots.Pongs, *only, game="surikata")
    assert [*points] == ["wants", "first", "ping", "move-text", "quit"]


@scripts
def test_a_time_that_somebody_names_is_what_is_tested() -> None:
    spec = BotSpec(name="slow", command=odd_bots.command(odd_bots.TakesALongTime))
    only = ("move-time", "first-move", "no-increment", "sudden-end", "spaces")

    def found(asked: TimeControl | None) -> dict[str, CheckPoint]:
        limits = Limits(time=asked or TimeControl(move_ms=2000))
        lab = Lab(spec, ("yavalath",), limits=limits, asked=asked)
        return {point.id: point for point in check(lab, only)}

    assert {"move-time", "first-move"} <= ids(found(None), FAULT)
    named = found(TimeControl(move_ms=20_000))
    assert "of 20.0 s" in named["move-time"].seen
    assert "the first of 20000 ms, then `tc move 20000`" in named["first-move"].seen
    assert (ids(named, NOTE), ids(named, OK)) == ({"no-increment"}, {*only} - {"no-increment"})
    assert named["no-increment"].seen.endswith(" ms; `--tc` does not ask for that")
    clock = found(TimeControl(initial_ms=60_000, first_ms=30_000))
    assert clock["move-time"].verdict is NOTE
    assert "of 60.0 s" in clock["no-increment"].seen
    assert "the first of 30000 ms, then `tc 60000+0`" in clock["first-move"].seen


@pytest.mark.slow
def test_who_computes_in_place_of_an_answer_is_told_so_and_not_to_flush() -> None:
    busy = lab_of(odd_bots.ComputesWhenItIsGreeted, "yavalath", startup_s=0.5)
    *_, point = check(busy, ("hello",))
    assert re.fullmatch(r"no `ok` within 500 ms; it computed for 0\.\d+ s of that", point.seen)
    assert "flush" not in point.mend
    # Its start takes much less than a twentieth of this time, on a slow machine too.
    idle = lab_of(bad_bots.HangsInHandshake, "yavalath", startup_s=1.5)
    *_, point = check(idle, ("hello",))
    assert point.seen.endswith("; it waits, perhaps because it does not flush its output")
    assert "flush" in point.mend


@scripts
def test_what_must_hold_before_a_point_is_among_the_points_where_it_does_not() -> None:
    points = found_in(bad_bots.ExitsAtStart, "ping")
    assert {id_: point.verdict for id_, point in points.items()} == {
        "hello": FAULT,
        "ping": UNTESTED,
    }
    lab = lab_of(odd_bots.Pongs)
    with pytest.raises(ConfigError, match=r"--only: 'pong' is not a check"):
        next(check(lab, only={"pong"}))
    assert not lab.bot.has_process, "it is refused before the bot starts"


def test_a_bot_that_leaves_before_its_first_turn_is_not_started_again() -> None:
    with scripted(line_s=0.0) as clock:
        (point,) = check(lab_of(bad_bots.ExitsBeforeItsFirstGo, "yavalath"), {"ready"})
    assert (point.id, point.verdict, clock.starts.total()) == ("ready", FAULT, 1)
    assert point.seen.startswith("exited with status 3 before")


def test_points_that_were_not_tested_for_the_same_reason_are_told_together() -> None:
    values = {"asks": "plays", "chapter": "games", "verdict": UNTESTED, "seen": "it is too late"}
    report, lines = Report(), list[str]()
    for id_ in ("first", "second"):
        lines += report.add(CheckPoint(id=id_, **values))  # type: ignore[arg-type]
    assert [*lines, *report.rest()] == ["  untested first, second: it is too late"]


def test_the_manual_tells_of_every_point() -> None:
    page = page_text("check-a-bot")
    tables = page.split("## The checks")[1]
    cells = re.findall(r"^\| (`[a-z-]+`(?:, `[a-z-]+`)*) \|", tables, re.MULTILINE)
    named = re.findall("[a-z-]+", " ".join(cells))
    assert named == [step.id for steps in CHAPTERS.values() for step in steps]


def test_a_game_of_a_check_begins_with_a_setup_or_a_position_or_neither(tmp_path: Path) -> None:
    with scripted(LOG=str(tmp_path / "log")):
        points = list(check(lab_of(bad_bots.Listens, "mammalath")))
    assert not [point.id for point in points if point.verdict is FAULT and point.id != "games"]
    heard = (tmp_path / "log").read_text().splitlines()
    news = [read_new(line) for line in heard if line.startswith("new ")]
    begun = {(bool(new.setup), bool(new.position)) for new in news}
    assert begun == {(True, False), (False, True), (False, False)}
