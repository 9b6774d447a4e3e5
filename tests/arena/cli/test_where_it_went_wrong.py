"""After a game that a bot broke off, people are led from what a run prints to what was said."""

from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
from commands import arena, refusals
from decided import decide_games

from lath.arena.referee.record import GamePlan, GameResult, Scorebook
from lath.games.core import Move, Result, Side
from lath.notation.protocol import TimeControl
from lath.notation.record.tags import Termination
from lath.notation.text.scanner import parse

if TYPE_CHECKING:
    from golden import Golden

pytestmark = pytest.mark.slow

TRACEBACK = "Traceback (most recent call last):\nZeroDivisionError: division by zero\n"
REASON = f"exited with status 1; standard error: {' '.join(TRACEBACK.split())}"
SAID = f"    0.000000 bad  > go 2\n\n-- bad, standard error --\n{TRACEBACK}"


def broken(plan: GamePlan, _job: object) -> GameResult:
    """Return a game that `bad` broke off at its first turn."""
    book = Scorebook(plan, (TimeControl(), TimeControl()))
    seat = Side(plan.names.index("bad"))
    if seat is Side.SECOND:
        book.add(Move("e5"), Side.FIRST, 0.25)
    why = Termination.CRASH if plan.round < 3 else Termination.TIME
    words = (
        f"bad ({seat.word}): exited with status 1; standard error: {' '.join(TRACEBACK.split())}"
    )
    return book.close((Result("0-1"), Result("1-0"))[seat], why, words, log=SAID)


BOTS: Final = ("--bot", "good=true", "--bot", "bad=true", "--game", "yavalath")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Play four rounds into `a cup`; return where that is, and what the run said in the end."""
    folder = tmp_path_factory.mktemp("wrong")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("COLUMNS", "200")  # else the reasons are wrapped
        decide_games(patch, broken)
        ran = arena("run", "--output", "a cup", *BOTS, "--rounds", "4")
    assert ran.status == 0, ran.err
    return folder, ran.out


def test_what_went_wrong_is_told_by_the_run_the_log_the_page_and_the_board(
    home: tuple[Path, str], monkeypatch: pytest.MonkeyPatch, golden: Golden
) -> None:
    """With game, ply, bot and reason, and the commands that show it."""
    folder, told = home
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "200")
    log = ("bot", "log", "a cup")
    of_game = arena(*log, "2")
    golden(
        {
            "the run": "\n".join(told.partition("Failures\n")[2].splitlines()[:16]),
            "the log": arena(*log).out,
            "the log of a game": of_game.out + of_game.err,
        }
    )
    assert of_game.out.endswith(f"\n\n{SAID}")
    as_json = json.loads(arena(*log, "--json").out)
    assert [one["number"] for one in as_json] == [*range(1, 9)]
    assert as_json[0].keys() == {
        *("number", "game", "bot", "side", "opponent", "ply", "ending", "reason")
    }
    shown = json.loads(arena(*log, "2", "--json").out)
    assert shown["lines"] == [{"at_s": 0.0, "bot": "bad", "by": "arena", "line": "go 2"}]
    assert shown["stderr"] == {"bad": TRACEBACK.rstrip()}
    assert (shown["number"], shown["forfeit"]["ply"]) == (2, 1)
    html = Path("a cup/report.html").read_text()
    assert "<h1><bdi>a cup</bdi></h1>" in html, "no other name"
    section = re.search(r'<section id="forfeits".*?</section>', html, re.DOTALL)
    assert section is not None
    assert html.index('id="group-bots"') < section.start() < html.index('id="bots"')
    links = re.findall(r'href="#(game=[^"]*)"', section[0])
    assert links == [f"game={n}&amp;ply={n % 2}" for n in (1, 2, 3, 5, 6, 7)]
    for words in ("lost 4 games by crash", "arena bot log DIR 1", f"<pre>{TRACEBACK.rstrip()}\n"):
        assert words in section[0]
    line = "1-0, ply 2: bad (second): exited with status 1;"
    assert line in arena("show", "a cup/games.lath").out, "at the last ply"
    assert "ply 2" not in arena("show", "a cup/games.lath", "--ply", "0").out


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


def test_a_run_may_fail_on_games_of_its_own_that_ended_badly(
    home: tuple[Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, golden: Golden
) -> None:
    shutil.copytree(home[0] / "a cup", tmp_path / "a cup")
    monkeypatch.chdir(tmp_path)
    decide_games(monkeypatch, broken)

    def failing(on: str, *words: str) -> tuple[int, list[str]]:
        ran = arena("run", "--output", "a cup", "--fail-on", on, "-q", *words)
        return ran.status, ran.err.splitlines()

    assert failing("crash,time") == (0, []), "what was stored before was told of before"
    status, lines = failing("flood, time", "--rounds", "10")
    assert (status, len(lines)) == (1, 11)
    assert lines[0] == f"error: --fail-on: game 9, yavalath, ply 2: bad lost by time: {REASON}"
    assert lines[-1] == "error: --fail-on: 2 more games"
    assert failing("crash,flood,illegal", "--rounds", "11") == (0, [])
    unknown = ("stall", "crash,", "'crash;time'", "Crash")
    golden(refusals(f"run --output cup {' '.join(BOTS)} --fail-on {on}" for on in unknown))
    assert not Path("cup").exists()


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
    ran = arena("run", "--output", "cup", *bots, *flags, "--jobs", "1")
    assert ran.status == 0, ran.err
    told = re.search(r"\n  game 1, (ply \d+): illegal move \S+: \S+ already has a", ran.out)
    assert told, ran.out
    log, replay = re.findall(r"^.*: arena (bot (?:log|replay) .*)$", ran.out, re.MULTILINE)
    shown = arena(*log.split()).out
    why = f"{told[1]}: choose returned "
    assert why in shown.partition("-- mine, standard error --")[2]
    capfd.readouterr()
    again = arena(*replay.split())
    assert again.status == 1
    assert f"illegal move again at {told[1]}: " in again.out
    assert why in capfd.readouterr().err
