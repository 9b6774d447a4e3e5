"""`arena bot check` as bot authors use it: good bots, what is printed, wrong usage, Ctrl-C."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import bad_bots
import odd_bots
import pytest
from arena_runs import PATIENCE_S, arena, environment
from bot_checks import HASTE, tried
from loaded import Run
from places import ROOT
from processes import gone, still_running
from tools import needs

EXAMPLES = ROOT / "examples" / "bots"


def found_in(ended: subprocess.CompletedProcess[str], *verdicts: str) -> dict[str, str]:
    """Return what was seen at the points with these verdicts."""
    points = [json.loads(line) for line in ended.stdout.splitlines()]
    return {point["id"]: point["seen"] for point in points if point["verdict"] in verdicts}


def assert_good(*words: str, flags: tuple[str, ...] = ()) -> None:
    ended = tried(
        lambda: arena("bot", "check", "--json", *flags, "--", *words, cwd=ROOT),
        lambda ended: found_in(ended, "fault", "warning").keys() <= HASTE,
    )
    bad = found_in(ended, "fault", "warning")
    assert bad.keys() <= HASTE, bad
    assert not found_in(ended, "fault")
    assert (ended.returncode, ended.stderr) == (0, "")


def is_silent(ended: subprocess.CompletedProcess[str]) -> bool:
    return not ended.stdout


def only(*ids: str) -> tuple[str, ...]:
    return tuple(f"--only={id_}" for id_ in ids)


THINKS = ("--game", "yavalath", "--tc", "move 0.02")
"""It thinks for as long as it may."""

ITS_OWN = only("first", "nodes", "no-limit", "no-increment", "little-time", "seed", "info", "quit")
"""Where a bot that looks ahead is more than what the SDK makes of every bundled one."""


@pytest.mark.parametrize(
    ("name", "flags"),
    [
        ("random", ()),
        ("greedy", ITS_OWN),
        ("monte-carlo", (*THINKS, *ITS_OWN)),
    ],
)
def test_a_bundled_bot_has_no_fault(name: str, flags: tuple[str, ...]) -> None:
    assert_good(name, flags=flags)


@pytest.mark.parametrize(
    ("file", "program"),
    [
        pytest.param("random.js", "node", marks=needs("node")),
        ("legal.sh", "sh"),
        ("dice.py", sys.executable),
    ],
)
def test_an_example_bot_has_no_fault(file: str, program: str) -> None:
    assert_good(program, str(EXAMPLES / file))


@needs("cc")
def test_an_example_bot_that_is_compiled_has_no_fault(tmp_path: Path) -> None:
    program, source = str(tmp_path / "bot"), str(EXAMPLES / "four_in_line.c")
    subprocess.run(["cc", "-O2", "-o", program, source], check=True, timeout=PATIENCE_S)
    assert_good(program)


# The command


def good(*flags: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return arena("bot", "check", *flags, "--", *odd_bots.command(odd_bots.Pongs), cwd=cwd)


def bad(*flags: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    words = bad_bots.command(bad_bots.PlaysAnIllegalMove)
    return arena("bot", "check", "--game", "yavalath", *flags, "--", *words, cwd=cwd)


def test_the_text_shows_the_exchange_once_and_how_to_mend_it(tmp_path: Path) -> None:
    ended = bad(cwd=tmp_path)
    assert (ended.returncode, ended.stderr) == (1, "")
    text = ended.stdout
    assert "fault    first          plays a whole game as first: illegal move a1" in text
    assert text.count("< bestmove 3 a1") == 1
    assert text.count("to mend: answer with a move of the last `legal` line") == 1
    assert "to mend: as for first (yavalath)" in text
    assert re.search(r"\n\d+ points: \d+ ok, .*\d+ faults; \d+\.\d s\n$", text)
    assert max(map(len, text.splitlines())) <= 110


CRASHES = """\
from lath.bots.sdk import run


def choose(position, turn):
    if turn.ply > 4:
        raise KeyError("the third move")
    return position.legal_moves()[0]


run(choose, name="Crash")
"""


def test_a_traceback_is_told_once_line_by_line(tmp_path: Path) -> None:
    (tmp_path / "crash.py").write_text(CRASHES)
    flags = ("--game", "yavalath", *only("first", "second", "move-time"))
    ended = arena("bot", "check", *flags, "--", "python", "crash.py", cwd=tmp_path)
    assert ended.returncode == 1
    assert ended.stdout.count("KeyError: 'the third move'") == 1
    assert "\n            standard error:\n              …\n" in ended.stdout
    assert "\n              KeyError: 'the third move'\n            to mend:" in ended.stdout
    assert "standard error: as for first (yavalath)" in ended.stdout


def test_a_script_that_is_not_there_is_named(tmp_path: Path) -> None:
    ended = arena("bot", "check", "--", "python", "nosuch.py", cwd=tmp_path)
    assert ended.returncode == 1
    told = " ".join(ended.stdout.split())
    assert f"nosuch.py is not in {tmp_path} (the bot runs in a scratch folder)" in told
    assert "lath-bot-" not in ended.stdout


def test_quiet_prints_what_is_bad_and_nothing_else(tmp_path: Path) -> None:
    quiet = tried(lambda: good("-q", "--game", "yavalath", cwd=tmp_path), is_silent)
    assert (quiet.returncode, quiet.stdout, quiet.stderr) == (0, "", "")
    some = bad("-q", *only("hello", "first"), cwd=tmp_path)
    assert "  ok " not in some.stdout
    assert "fault    first" in some.stdout


def test_single_points_may_be_tested(tmp_path: Path) -> None:
    ended = good("--json", "--game", "yavalath", "--only", "ping", "--only", "quit", cwd=tmp_path)
    points = [json.loads(line) for line in ended.stdout.splitlines()]
    assert [(point["id"], point["chapter"]) for point in points] == [
        ("ping", "manners"),
        ("quit", "end"),
    ]
    assert list(points[0]) == [
        *("id", "chapter", "game", "asks", "verdict", "seen", "mend", "exchange", "stderr")
    ]


def test_a_whole_command_may_be_one_word_and_files_are_those_of_the_folder(tmp_path: Path) -> None:
    for module in (bad_bots, odd_bots):
        shutil.copy(str(module.__file__), tmp_path)
    few = only("hello", "first", "quit")
    flags = ("-q", "--game", "yavalath", *few, "python -S odd_bots.py Pongs")
    ended = tried(lambda: arena("bot", "check", *flags, cwd=tmp_path), is_silent)
    assert (ended.returncode, ended.stdout) == (0, "")
    elsewhere = ("bot", "check", "--cwd", tmp_path, *flags)
    there = tried(lambda: arena(*elsewhere, cwd=ROOT), is_silent)
    assert (there.returncode, there.stdout) == (0, "")


@pytest.mark.parametrize(
    ("option", "told"),
    [
        ("hash size=65", "option hash size = '65'"),
        ("depth=3", "unknown option 'depth' (hash size, book, style, file, clear)"),
    ],
)
def test_an_option_that_the_bot_does_not_take_is_a_fault(
    option: str, told: str, tmp_path: Path
) -> None:
    words = odd_bots.command(odd_bots.HasOptions)
    flags = ("--game", "yavalath", *only("setoption"), "--option", option)
    ended = arena("bot", "check", *flags, "--", *words, cwd=tmp_path)
    assert ended.returncode == 1
    assert told in " ".join(ended.stdout.split())


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        (["--game", "chess"], "unknown game 'chess'"),
        (["--tc", "soon"], "--tc: unknown time control 'soon'"),
        (["--option", "depth"], "--option 'depth', expected NAME=VALUE"),
        (["--cwd", "/no/folder"], "--cwd: '/no/folder' is not a folder"),
        (["--seconds", "0"], "--seconds"),
        (["--only", "pong"], "no point of a check is called 'pong' (starts, hello, "),
    ],
)
def test_wrong_usage_is_told_before_the_bot_starts(
    flags: list[str], told: str, tmp_path: Path
) -> None:
    ended = good(*flags, cwd=tmp_path)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert told in ended.stderr


def test_a_bot_is_needed(tmp_path: Path) -> None:
    assert arena("bot", "check", cwd=tmp_path).returncode == 2
    assert arena("bot", "check", "", cwd=tmp_path).returncode == 2


def test_a_program_that_is_not_there_is_a_fault(tmp_path: Path) -> None:
    ended = arena("bot", "check", "./mybot", cwd=tmp_path)
    assert ended.returncode == 1
    assert f"cannot be started: there is no file {tmp_path}/mybot" in " ".join(ended.stdout.split())


@pytest.mark.parametrize("sandbox", ["none", pytest.param("bwrap", marks=needs("bwrap"))])
@pytest.mark.parametrize("command", ["./mybot", "no-such-program -v", "python nosuch.py"])
def test_what_is_not_there_is_named_in_each_sandbox_before_a_game_is_played(
    command: str, sandbox: str, tmp_path: Path
) -> None:
    told = {
        "./mybot": f"there is no file {tmp_path}/mybot",
        "no-such-program -v": "no-such-program is not on PATH",
        "python nosuch.py": f"nosuch.py is not in {tmp_path}",
    }[command]
    tmp_path.chmod(0o755)  # who is another user can look there
    flags = ["--sandbox", sandbox]
    checked = arena("bot", "check", *flags, "--", *command.split(), cwd=tmp_path)
    assert told in " ".join(checked.stdout.split())
    bots = ["--bot", f"mine={command}", "--bot", "greedy"]
    run = arena("run", *bots, "--game", "yavalath", "--rounds", "1", *flags, cwd=tmp_path)
    assert run.returncode == 1
    assert told in next(line for line in run.stderr.splitlines() if "warning: mine: " in line)
    assert "0 of 2 games are played" in run.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_check_that_is_stopped_leaves_nothing(number: signal.Signals, tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    words = bad_bots.command(bad_bots.HasChildrenAndPlays)
    said = ["bot", "check", "--json", "--", *words]
    with Run(
        said, cwd=tmp_path, env=environment(LATH_BOT_PIDS=str(pids)), has_output=True
    ) as running:
        assert running.stdout
        next(line for line in running.stdout if '"second"' in line)
        running.send_signal(number)
        assert running.wait(PATIENCE_S) == 3
    children = pids.read_text().split()
    assert gone(lambda: still_running(children))
