"""`arena bot check` as bot authors use it: good bots, what is printed, wrong usage, Ctrl-C."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import bad_bots
import odd_bots
import pytest
from arena_runs import PATIENCE_S, arena, environment
from bad_bots import Good
from bot_checks import HASTE, tried
from loaded import Run
from places import ROOT
from processes import gone, still_running
from scripted import scripted
from tools import needs

if TYPE_CHECKING:
    from golden import Golden

EXAMPLES = ROOT / "examples" / "bots"
THINKS = ("--game", "yavalath", "--tc", "move 0.02")
"""It thinks for as long as it may."""


def only(*ids: str) -> tuple[str, ...]:
    return tuple(f"--only={id_}" for id_ in ids)


ITS_OWN = only("first", "nodes", "no-limit", "no-increment", "little-time", "seed", "info", "quit")
"""Where a bot that looks ahead is more than what the SDK makes of every bundled one."""


def check(kind: type[Good], *flags: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Check a script at Yavalath."""
    words = (odd_bots if kind.__module__ == "odd_bots" else bad_bots).command(kind)
    with scripted():
        return arena("bot", "check", "--game", "yavalath", *flags, "--", *words, cwd=cwd)


def found_in(ended: subprocess.CompletedProcess[str], *verdicts: str) -> set[str]:
    """Return the ids of the points with these verdicts."""
    points = [json.loads(line) for line in ended.stdout.splitlines()]
    return {point["id"] for point in points if point["verdict"] in verdicts}


def assert_good(*words: str, flags: tuple[str, ...] = ()) -> None:
    ended = tried(
        lambda: arena("bot", "check", "--json", *flags, "--", *words, cwd=ROOT),
        lambda ended: found_in(ended, "fault", "warning") <= HASTE,
    )
    assert found_in(ended, "fault", "warning") <= HASTE, ended.stdout
    assert not found_in(ended, "fault")
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "flags"),
    [
        pytest.param(("random",), (), id="random"),
        pytest.param(("greedy",), ITS_OWN, id="greedy"),
        pytest.param(("monte-carlo",), (*THINKS, *ITS_OWN), id="monte-carlo"),
        pytest.param(("node", f"{EXAMPLES}/random.js"), (), id="node", marks=needs("node")),
        pytest.param(("sh", f"{EXAMPLES}/legal.sh"), (), id="sh"),
        pytest.param((sys.executable, f"{EXAMPLES}/dice.py"), ITS_OWN, id="python"),
        pytest.param(("four_in_line.c",), (), id="c", marks=needs("cc")),
    ],
)
def test_a_bot_that_we_ship_has_no_fault(
    words: tuple[str, ...], flags: tuple[str, ...], tmp_path: Path
) -> None:
    if words[0].endswith(".c"):
        program = str(tmp_path / "bot")
        built = ["cc", "-O2", "-o", program, str(EXAMPLES / words[0])]
        subprocess.run(built, check=True, timeout=PATIENCE_S)
        words = (program,)
    assert_good(*words, flags=flags)


def test_the_text_shows_the_exchange_once_and_how_to_mend_it(tmp_path: Path) -> None:
    ended = check(bad_bots.PlaysAnIllegalMove, cwd=tmp_path)
    assert (ended.returncode, ended.stderr) == (1, "")
    text = ended.stdout
    assert "fault    first          plays a whole game as first: illegal move a1" in text
    assert text.count("< bestmove 3 a1") == 1
    assert text.count("fix: answer with a move of the last `legal` line") == 1
    assert "fix: as for first (yavalath)" in text
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
    assert "\n              KeyError: 'the third move'\n            fix:" in ended.stdout
    assert "standard error: as for first (yavalath)" in ended.stdout


def test_quiet_prints_what_is_bad_and_nothing_else(tmp_path: Path) -> None:
    quiet = check(odd_bots.Pongs, "-q", cwd=tmp_path)
    assert (quiet.returncode, quiet.stdout, quiet.stderr) == (0, "", "")
    some = check(bad_bots.PlaysAnIllegalMove, "-q", *only("hello", "first"), cwd=tmp_path)
    assert "  ok " not in some.stdout
    assert "fault    first" in some.stdout


def test_single_points_may_be_tested(tmp_path: Path) -> None:
    ended = check(odd_bots.Pongs, "--json", *only("ping", "quit"), cwd=tmp_path)
    points = [json.loads(line) for line in ended.stdout.splitlines()]
    chapters = [(point["id"], point["chapter"]) for point in points]
    assert chapters == [("ping", "robustness"), ("quit", "end")]
    assert list(points[0]) == [
        *("id", "chapter", "game", "asks", "verdict", "seen", "mend", "exchange", "stderr")
    ]


def test_a_whole_command_may_be_one_word_and_files_are_those_of_the_folder(tmp_path: Path) -> None:
    for module in (bad_bots, odd_bots):
        shutil.copy(str(module.__file__), tmp_path)
    few = only("first", "quit")
    words = ("bot", "check", "-q", "--game", "yavalath", *few)
    program = "python -S odd_bots.py Pongs"
    for cwd, more in ((tmp_path, ()), (ROOT, ("--cwd", str(tmp_path)))):
        ended = arena(*words, *more, program, cwd=cwd)
        assert (ended.returncode, ended.stdout) == (0, "")


def test_an_option_that_the_bot_does_not_take_is_a_fault(tmp_path: Path) -> None:
    for option, told in (
        ("hash size=65", "option hash size = '65'"),
        ("depth=3", "unknown option 'depth' (hash size, book, style, file, clear)"),
    ):
        flags = (*only("setoption"), "--option", option)
        ended = check(odd_bots.HasOptions, *flags, cwd=tmp_path)
        assert ended.returncode == 1
        assert told in " ".join(ended.stdout.split())


def test_wrong_usage_is_told_before_the_bot_starts(tmp_path: Path, golden: Golden) -> None:
    wrong = {
        "game": ("--game", "chess", "x"),
        "time": ("--tc", "soon", "x"),
        "option": ("--option", "depth", "x"),
        "folder": ("--cwd", "/no/folder", "x"),
        "seconds": ("--seconds", "0", "x"),
        "point": ("--only", "pong", "--", *odd_bots.command(odd_bots.Pongs)),
        "no bot": (),
        "an empty bot": ("",),
    }
    ran = {name: arena("bot", "check", *flags, cwd=tmp_path) for name, flags in wrong.items()}
    assert {(ended.returncode, ended.stdout) for ended in ran.values()} == {(2, "")}
    golden({name: ended.stderr for name, ended in ran.items()})


@pytest.mark.parametrize("sandbox", ["none", pytest.param("bwrap", marks=needs("bwrap"))])
def test_what_is_not_there_is_named_in_each_sandbox_before_a_game_is_played(
    sandbox: str, tmp_path: Path
) -> None:
    told = {
        "./mybot": f"{tmp_path}/mybot does not exist",
        "no-such-program -v": "no-such-program is not on PATH",
        "python nosuch.py": f"nosuch.py is not in {tmp_path} (the bot runs in a scratch folder)",
    }
    tmp_path.chmod(0o755)  # who is another user can look there
    flags = ("--sandbox", sandbox)
    for command, why in told.items():
        checked = arena("bot", "check", *flags, "--", *command.split(), cwd=tmp_path)
        assert checked.returncode == 1
        assert why in " ".join(checked.stdout.split())
        assert "lath-bot-" not in checked.stdout
    if sandbox != "none":  # each word of a command is looked for alike
        told = dict(list(told.items())[-1:])
    bots = [f"--bot={at}={command}" for at, command in enumerate(told)]
    words = ("run", f"--bot=there={EXAMPLES}/legal.sh", *bots, "--game=yavalath", "--rounds=1")
    run = arena(*words, "--format=gauntlet", "--jobs=1", *flags, cwd=tmp_path)
    assert run.returncode == 1
    for at, why in enumerate(told.values()):
        assert why in next(line for line in run.stderr.splitlines() if f"warning: {at}: " in line)
    assert f"only 0 of {2 * len(told)} games were played" in run.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_check_that_is_stopped_leaves_nothing(number: signal.Signals, tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    said = ["bot", "check", "--json", "--", *bad_bots.command(bad_bots.HasChildrenAndPlays)]
    variables = environment(LATH_BOT_PIDS=str(pids))
    with Run(said, cwd=tmp_path, env=variables, has_output=True) as running:
        assert running.stdout
        next(line for line in running.stdout if '"second"' in line)
        running.send_signal(number)
        assert running.wait(PATIENCE_S) == 3
    children = pids.read_text().split()
    assert gone(lambda: still_running(children))
