"""`arena bot replay`: a bot hears the same game again, under its debugger if somebody likes."""

from __future__ import annotations

import re
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import commands
import pytest
from arena_runs import PATIENCE_S
from arena_runs import command as command_line

from lath.arena.referee.record import GameResult
from lath.arena.tournament.store import Store
from lath.notation.scanner import parse

RECORD = """[Game "yavalath"]
[First "good"]
[Second "bad"]
[TimeControl "2+0.1"]
[Number "7"]
[Termination "{ending}"]
[Result "1-0"]

{{bad (second): {story}}}
1. e5 {{[%emt 0.250] [%clk 1.850]}} 2. a1 {{[%emt 0.500] [%clk 1.600]}} 3. e6
{{[%emt 0.001] [%clk 1.949]}} 1-0
"""

BOT = """
import os, sys
print("hears", sys.argv[1:], file=sys.stderr)
for line in sys.stdin:
    words = line.split()
    if words[0] == "arena":
        print("game yavalath\\nok", flush=True)
    elif words[0] == "new":
        print(line, end="", file=sys.stderr, flush=True)
        print("ready", words[1], flush=True)
    elif words[0] == "go":
        print(line, end="", file=sys.stderr, flush=True)
        move = MOVES[int(words[1])]
        if callable(move):
            move = move()
        print("bestmove", words[1], move, flush=True)
    elif words[0] == "quit":
        break
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def broken(ending: str, story: str) -> None:
    """Write a game that `bad` broke off at ply 4."""
    Path("g.lath").write_text(RECORD.format(ending=ending, story=story))


def bot(moves: str) -> list[str]:
    """Write a bot that plays these at their plies; return its command."""
    Path("bot.py").write_text(f"MOVES = {moves}\n{BOT}")
    return [sys.executable, "-I", "-S", "bot.py"]


AGAIN = [
    ("illegal move", "'x9'", "illegal move again at ply 4: 'x9' is not a move", 1),
    ("illegal move", "'a2'", r"ply 4: it plays a2 this time, after 0\.\d+ s$", 0),
    ("crash", "lambda: os._exit(3)", "crash again at ply 4: exited with status 3", 1),
    ("crash", "'x9'", "illegal move at ply 4: 'x9' is not a move", 1),
    ("time", "lambda: sys.stdin.read()", "time again at ply 4: no answer within 0.200 s", 1),
    ("flood", "'a' * 70000", "flood again at ply 4: wrote a line over 64 KiB", 1),
]


@pytest.mark.parametrize(("ending", "move", "words", "status"), AGAIN)
def test_what_happens_at_the_ply_where_it_went_wrong_is_said(
    ending: str, move: str, words: str, status: int
) -> None:
    broken(ending, "a story")
    limit = ("--seconds", "0.2") if ending == "time" else ()
    command = bot(f"{{2: 'a1', 4: {move}}}")
    ran = commands.arena("bot", "replay", *limit, "g.lath", "7", "--", *command)
    first, story, how, *after = ran.out.splitlines()
    assert first == f"game 7: yavalath, good (first) - bad (second), 1-0, {ending}"
    assert story == "ply 4: bad (second): a story"
    assert how.startswith("bad (second): ")
    assert len(after) == 1, after
    assert re.match(words, after[0]), after
    assert (ran.status, ran.err) == (status, "")


def test_the_bot_hears_what_it_heard_then(capfd: pytest.CaptureFixture[str]) -> None:
    broken("illegal move", "a story")
    commands.arena("bot", "replay", "g.lath", "7", "--seed", "5", "--", *bot("{2: 'a1', 4: 'x9'}"))
    assert capfd.readouterr().err.splitlines()[1:] == [
        "new 7 yavalath side second tc 2000+100 seed 5",
        "go 2 first 1850 second 2000 inc 100",
        "go 4 first 1949 second 1600 inc 100",
    ]


def test_where_it_answers_something_else_the_game_goes_on_with_the_record(
    capfd: pytest.CaptureFixture[str],
) -> None:
    broken("illegal move", "a story")
    command = bot("{2: 'i5', 4: 'x9'}")
    ran = commands.arena("bot", "replay", "g.lath", "7", "--", *command)
    told, found = ran.out.splitlines()[-2:]
    assert told == "ply 2: it plays i5, and a1 in the record: the game goes on with that"
    assert found.startswith("illegal move again at ply 4: ")
    heard = capfd.readouterr().err
    assert heard.count("new 7 ") == 2
    assert len(re.findall("^go ", heard, re.MULTILINE)) == 2


def test_a_time_for_the_first_move_is_for_that_alone(capfd: pytest.CaptureFixture[str]) -> None:
    broken("illegal move", "a story")
    record = Path("g.lath").read_text()
    Path("g.lath").write_text(record.replace("2+0.1", "2+0.1 first 1").replace("1.600", "2.000"))
    replay = ("bot", "replay", "g.lath", "7", "--seed", "5")
    commands.arena(*replay, "--", *bot("{2: 'i5', 4: 'x9'}"))
    assert capfd.readouterr().err.splitlines()[1:] == [
        "new 7 yavalath side second first 1000 tc 2000+100 seed 5",
        "go 2 move 1000",
        "new 7 yavalath side second tc 2000+100 seed 5",
        "go 4 first 2099 second 2000 inc 100",
    ]
    commands.arena(*replay, "--from", "4", "--", *bot("{4: 'x9'}"))
    assert "go 4 first 2099 second 2000 inc 100" in capfd.readouterr().err


def test_what_the_opening_played_it_is_not_asked_for(capfd: pytest.CaptureFixture[str]) -> None:
    Path("g.lath").write_text(
        '[Game "yavalath"]\n[First "bad"]\n[Second "good"]\n[Opening "random:2 #1"]\n[Number "7"]\n'
        '[Termination "time"]\n[Result "0-1"]\n\n1. e5 2. a1 0-1\n'
    )
    ran = commands.arena("bot", "replay", "g.lath", "7", "--", *bot("{3: 'e6'}"))
    assert ran.out.splitlines()[-1].startswith("ply 3: it plays e6 this time"), ran.out
    assert "go 1" not in capfd.readouterr().err


def test_a_crash_on_the_others_turn_is_waited_for() -> None:
    broken("crash", "a story")
    text = Path("g.lath").read_text()
    Path("g.lath").write_text(text[: text.index(" 3. e6")] + " 1-0\n")
    dies = "{2: lambda: print('bestmove 2 a1', flush=True) or os._exit(5)}"
    command = bot(dies)
    ran = commands.arena("bot", "replay", "g.lath", "7", "--", *command)
    assert ran.out.splitlines()[-1] == "crash again at ply 3: exited with status 5"


def test_it_may_be_asked_from_a_ply_on(capfd: pytest.CaptureFixture[str]) -> None:
    broken("illegal move", "a story")
    command = bot("{4: 'x9'}")
    ran = commands.arena("bot", "replay", "g.lath", "7", "--from", "4", "--", *command)
    assert ran.status == 1
    assert "go 2" not in capfd.readouterr().err


def test_a_game_in_which_nothing_went_wrong_needs_a_side() -> None:
    broken("resignation", "a story")
    command = bot("{1: 'e5', 2: 'a1', 3: 'e6'}")
    ran = commands.arena("bot", "replay", "g.lath", "7", "--", *command)
    assert ran.err == "arena: no bot broke game 7 off: say --side first or --side second\n"
    for side in ("first", "second"):
        ran = commands.arena("bot", "replay", "g.lath", "7", "--side", side, "--", *command)
        assert (ran.status, ran.out.splitlines()[-1]) == (0, "the game is over after ply 3")


def test_what_is_missing_is_said() -> None:
    broken("crash", "a story")
    Path("tool.py").touch()
    told = {
        ("g.lath", "8"): "g.lath has no game 8",
        ("g.lath", "7"): "g.lath does not say how bad is started: say it after --",
        ("g.lath", "7", "--", "tool.py"): (
            "tool.py is a file, and no program on PATH; write: python tool.py"
        ),
    }
    for words, error in told.items():
        ran = commands.arena("bot", "replay", *words)
        assert ran.err == f"arena: {error}\n"
        assert ran.status in (1, 2)


def test_a_directory_tells_command_and_seed(capfd: pytest.CaptureFixture[str]) -> None:
    command = bot("{2: 'a1', 4: 'x9'}")
    text = RECORD.format(ending="illegal move", story="a story")
    log = "    0.000000 bad  > new 7 yavalath side second tc 500+0 seed 99\n"
    record = parse(text)
    game = GameResult(
        number=7,
        round=1,
        game="yavalath",
        first="good",
        second="bad",
        result="1-0",
        termination="illegal move",
        plies=len(record.plies),
        first_used_s=0.0,
        second_used_s=0.0,
        first_worst_s=0.0,
        second_worst_s=0.0,
        stray_lines=0,
        record=text,
        log=log,
    )
    Path("cup").mkdir()
    with closing(Store(Path("cup"))) as store:
        store.begin({}, {})
        store.add([game])
    words = ", ".join(f'"{word}"' for word in (*command[:-1], str(Path("bot.py").resolve()), "-v"))
    Path("cup/tournament.toml").write_text(
        f'games = ["yavalath"]\n[[bot]]\nname = "good"\ncommand = ["true"]\n'
        f'[[bot]]\nname = "bad"\ncommand = [{words}]\n'
    )
    ran = commands.arena("bot", "replay", "cup", "7")
    assert ran.status == 1, ran.err
    heard = capfd.readouterr().err
    assert "hears ['-v']" in heard
    assert "new 7 yavalath side second tc 500+0 seed 99" in heard
    # Another command is of the folder where one types it, wherever the bot ran.
    text = Path("cup/tournament.toml").read_text()
    Path("cup/tournament.toml").write_text(f'{text}cwd = "{Path("cup").resolve()}"\n')
    Path("bot.py").touch()
    assert "write: python bot.py" in commands.arena("bot", "replay", "cup", "7", "--", "bot.py").err
    Path("bot.py").write_text("raise SystemExit(3)")
    ran = commands.arena("bot", "replay", "cup", "7", "--", "python", "bot.py")
    assert ran.err.endswith("arena: bad: exited with status 3 before ok\n"), "the file is there"


def debug(typed: str, *command: str) -> str:
    """Return what a debugger prints to whom types this."""
    ran = subprocess.run(
        command_line("bot", "replay", "g.lath", "7", "--", *command),
        input=typed,
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE_S,
        check=False,
    )
    return ran.stdout


def test_pythons_debugger_has_the_terminal_and_the_bot_its_lines() -> None:
    broken("crash", "a story")
    *_, file = bot("{2: 'a1', 4: lambda: 1 / 0}")
    told = debug("c\np 'at ' + words[1]\nq\nq\n", sys.executable, "-m", "pdb", file)
    assert "'at 4'" in told
    assert "crash again at ply 4: " in told
