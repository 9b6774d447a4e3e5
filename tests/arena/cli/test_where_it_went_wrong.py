"""After a game that a bot broke off, people are led from what a run prints to what was said."""

from __future__ import annotations

import json
import re
import sys
from functools import partial
from pathlib import Path

import commands
import pytest
from quick_runs import AtOnce, play_nothing

from lath.arena.referee.record import GamePlan, GameResult, Scorebook
from lath.arena.tournament import folder as directory
from lath.arena.tournament.runner import Runner
from lath.arena.tournament.worker import PairJob, PairResult
from lath.games.core import Move, Seat
from lath.notation.protocol import TimeControl
from lath.notation.record import Termination
from lath.notation.scanner import parse

pytestmark = pytest.mark.slow

TRACEBACK = "Traceback (most recent call last):\nZeroDivisionError: division by zero\n"
REASON = f"exited with status 1; standard error: {' '.join(TRACEBACK.split())}"
SAID = f"    0.000000 bad  > go 2\n\n-- bad, standard error --\n{TRACEBACK}"


def broken(plan: GamePlan) -> GameResult:
    """Return a game that `bad` broke off at its first turn."""
    book = Scorebook(plan, (TimeControl(), TimeControl()))
    seat = Seat(plan.names.index("bad"))
    if seat is Seat.SECOND:
        book.add(Move("e5"), Seat.FIRST, 0.25)
    why = Termination.CRASH if plan.round < 3 else Termination.TIME
    words = (
        f"bad ({seat.word}): exited with status 1; standard error: {' '.join(TRACEBACK.split())}"
    )
    return book.close(("0-1", "1-0")[seat], why, words, log=SAID)


class Breaks(AtOnce):
    """Has every game broken off."""

    def __init__(self) -> None:
        super().__init__([])

    def submit(self, *given: object, **_: object) -> object:  # type: ignore[override]
        from concurrent.futures import Future

        job = given[1]
        assert isinstance(job, PairJob)
        future: Future[str] = Future()
        games = tuple(map(broken, job.games))
        future.set_result(PairResult(pair=job.pair, games=games).as_text())
        return future


BOTS = ("--bot", "good=true", "--bot", "bad=true", "--game", "yavalath")


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """Play four rounds into `a cup`, and return what a run says in the end."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")  # else the reasons are wrapped
    play_nothing(monkeypatch)
    monkeypatch.setattr(directory, "Runner", partial(Runner, executors=lambda *_: Breaks()))
    ran = commands.arena("run", "--out", "a cup", *BOTS, "--rounds", "4")
    assert ran.status == 0, ran.err
    return ran.out


def test_a_run_names_game_ply_bot_reason_and_the_command_that_shows_it(told: str) -> None:
    assert told.partition("Where it went wrong\n")[2].splitlines()[:12] == [
        "bad lost 4 games by crash:",
        f"  game 1, ply 2: {REASON}",
        f"  game 2, ply 1: {REASON}",
        f"  game 3, ply 2: {REASON}",
        "  and 1 more",
        "bad lost 4 games by time:",
        f"  game 5, ply 2: {REASON}",
        f"  game 6, ply 1: {REASON}",
        f"  game 7, ply 2: {REASON}",
        "  and 1 more",
        "what was said: arena bot log 'a cup' 1",
        "the same game again: arena bot replay 'a cup' 1",
    ]


@pytest.mark.usefixtures("told")
def test_the_log_of_a_directory_lists_its_games_that_went_wrong() -> None:
    ran = commands.arena("bot", "log", "a cup")
    title, heading, *rows, after = ran.out.splitlines()
    assert (title, after) == (
        "8 games went wrong",
        "what was said in one: arena bot log 'a cup' 1",
    )
    assert heading.split() == [*("game", "ply", "bot", "of", "against", "lost", "by", "reason")]
    assert [row.split()[:6] for row in rows[3:5]] == [
        ["4", "1", "bad", "yavalath", "good", "crash"],
        ["5", "2", "bad", "yavalath", "good", "time"],
    ]
    as_json = json.loads(commands.arena("bot", "log", "a cup", "--json").out)
    assert [one["number"] for one in as_json] == [*range(1, 9)]
    assert as_json[0].keys() == {
        *("number", "game", "bot", "side", "opponent", "ply", "ending", "reason")
    }


@pytest.mark.usefixtures("told")
def test_the_log_of_a_game_begins_with_what_happened() -> None:
    ran = commands.arena("bot", "log", "a cup", "2")
    assert ran.out.startswith(
        "game 2: yavalath, bad (first) - good (second), 0-1, crash\nply 1: bad (first): exited with"
    )
    assert ran.out.endswith(f"\n\n{SAID}")
    assert ran.err == "the same game again: arena bot replay 'a cup' 2\n"
    shown = json.loads(commands.arena("bot", "log", "a cup", "2", "--json").out)
    assert shown["lines"] == [{"at_s": 0.0, "bot": "bad", "by": "arena", "line": "go 2"}]
    assert shown["stderr"] == {"bad": TRACEBACK.rstrip()}
    assert (shown["number"], shown["forfeit"]["ply"]) == (2, 1)


@pytest.mark.usefixtures("told")
def test_the_page_has_a_section_that_links_to_the_ply() -> None:
    html = Path("a cup/report.html").read_text()
    section = re.search(r'<section id="forfeits".*?</section>', html, re.DOTALL)
    assert section is not None
    assert html.index('id="standings"') < section.start() < html.index('id="crosstable"')
    links = re.findall(r'href="#(game=[^"]*)"', section[0])
    assert links == [f"game={n}&amp;ply={n % 2}" for n in (1, 2, 3, 5, 6, 7)]
    for words in ("lost 4 games by crash", "arena bot log DIR 1", "ZeroDivisionError"):
        assert words in section[0]


@pytest.mark.usefixtures("told")
def test_the_board_in_the_terminal_says_it_at_the_last_ply() -> None:
    line = "1-0, ply 2: bad (second): exited with status 1;"
    last = commands.arena("show", "a cup/games.lath")
    first = commands.arena("show", "a cup/games.lath", "--ply", "0")
    assert line in last.out
    assert "ply 2" not in first.out


def test_what_a_record_says_of_a_loss_is_of_who_lost() -> None:
    text = (
        '[Game "yavalath"]\n[First "a  b"]\n[Second "c"]\n[Termination "illegal move"]\n'
        '[Result "0-1"]\n\n{a b (first): illegal move x9 at ply 2} 1. e5 0-1\n'
    )
    lost = parse(text).forfeit
    assert lost is not None
    assert (lost.bot, lost.side, lost.opponent, lost.ply) == ("a  b", "first", "c", 2)
    assert (lost.ending, lost.reason) == ("illegal move", "illegal move x9 at ply 2")
    drawn = parse(text.replace("0-1", "1/2-1/2"))
    other = parse(text.replace("{a b", "{A game of a b"))
    assert drawn.forfeit is None
    assert other.forfeit is not None
    assert (other.forfeit.reason, other.story) == ("", "")


@pytest.mark.usefixtures("told")
def test_a_run_may_fail_on_games_of_its_own_that_ended_badly() -> None:
    again = commands.arena("run", "--out", "a cup", "--fail-on", "crash,time", "-q")
    assert (again.status, again.err) == (0, ""), "what was stored before was told of before"
    more = commands.arena(
        "run", "--out", "a cup", "--rounds", "10", "--fail-on", "flood, time", "-q"
    )
    assert more.status == 1
    lines = more.err.splitlines()
    assert lines[0] == f"arena: --fail-on: game 9, yavalath, ply 2: bad lost by time: {REASON}"
    assert len(lines) == 11
    assert lines[-1] == "arena: --fail-on: and 2 more"
    others = commands.arena(
        "run", "--out", "a cup", "--rounds", "11", "--fail-on", "crash,flood,illegal", "-q"
    )
    assert (others.status, others.err) == (0, "")


@pytest.mark.parametrize("text", ["stall", "crash,", "crash;time", "Crash"])
def test_a_fault_that_nobody_knows_is_wrong_usage(text: str, tmp_path: Path) -> None:
    ran = commands.arena("run", "--out", tmp_path / "cup", *BOTS, "--fail-on", text)
    assert ran.status == 2
    assert ran.err.startswith(f"arena: --fail-on {text!r}: unknown ")
    assert "expected some of crash, flood, illegal, time, parted by commas" in ran.err
    assert not (tmp_path / "cup").exists()


FORGETS = """
from lath.bots.sdk import run
mine = []


def choose(position, turn):
    if mine:
        return mine[0]  # the bug: it is taken
    mine.append(turn.chance.choice(position.legal_moves()))
    return mine[-1]


run(choose, name="Forgets")
"""


def test_who_follows_what_is_printed_finds_the_bug(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("forgets.py").write_text(FORGETS)
    flags = ("--game", "yavalath", "--rounds", "1", "--tc", "none", "--no-report")
    bots = ("--bot", "random", "--bot", f"mine={sys.executable} forgets.py")
    ran = commands.arena("run", "--out", "cup", *bots, *flags, "--jobs", "1")
    assert ran.status == 0, ran.err
    told = re.search(r"\n  game 1, (ply \d+): illegal move \S+: \S+ already has a", ran.out)
    assert told, ran.out
    log, replay = re.findall(r"^.*: arena (bot (?:log|replay) .*)$", ran.out, re.MULTILINE)
    shown = commands.arena(*log.split()).out
    why = f"{told[1]}: choose returned "
    assert why in shown.partition("-- mine, standard error --")[2]
    capfd.readouterr()
    again = commands.arena(*replay.split())
    assert again.status == 1
    assert f"illegal move again at {told[1]}: " in again.out
    assert why in capfd.readouterr().err
