"""`arena bot replay`: a bot hears the same game again, under its debugger if somebody likes."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import commands
import pytest
from arena_runs import PATIENCE_S
from arena_runs import command as command_line
from results import a_result

from lath.arena.tournament.store.store import Store

MOVES = "1. e5 {[%emt 0.250] [%clk 1.850]} 2. a1 {[%emt 0.500] [%clk 1.600]}"

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


def broken(
    ending: str,
    story: str = "a story",
    moves: str = f"{MOVES} 3. e6\n{{[%emt 0.001] [%clk 1.949]}}",
    time: str = "2+0.1",
) -> str:
    """Write a game that `bad`, the second, broke off at ply 4, or after these moves."""
    tags = {"Game": "yavalath", "First": "good", "Second": "bad", "TimeControl": time}
    tags |= {"Number": "7", "Termination": ending, "Result": "1-0"}
    lines = "\n".join(f'[{name} "{value}"]' for name, value in tags.items())
    text = f"{lines}\n\n{{bad (second): {story}}}\n{moves} 1-0\n"
    Path("g.lath").write_text(text)
    return text


def bot(moves: str) -> list[str]:
    """Write a bot that plays these at their plies; return its command."""
    Path("bot.py").write_text(f"MOVES = {moves}\n{BOT}")
    return [sys.executable, "-I", "-S", "bot.py"]


def again(moves: str, *flags: str) -> commands.Ran:
    return commands.arena("bot", "replay", "g.lath", "7", *flags, "--", *bot(moves))


Heard = Callable[[], list[str]]
"""Returns what the bot has told of what it hears, since the last time."""


@pytest.fixture
def heard(capfd: pytest.CaptureFixture[str]) -> Heard:
    def lines() -> list[str]:
        return capfd.readouterr().err.splitlines()

    return lines


def test_what_happens_at_the_ply_where_it_went_wrong_is_said() -> None:
    wrong = {}
    for ending, move, words, status in (
        ("illegal move", "'x9'", "illegal move again at ply 4: 'x9' is not a move", 1),
        ("illegal move", "'a2'", r"ply 4: it plays a2 this time, after 0\.\d+ s$", 0),
        ("crash", "lambda: os._exit(3)", "crash again at ply 4: exited with status 3", 1),
        ("crash", "'x9'", "illegal move at ply 4: 'x9' is not a move", 1),
        ("time", "lambda: sys.stdin.read()", "time again at ply 4: no answer within 0.200 s", 1),
        ("flood", "'a' * 70000", "flood again at ply 4: wrote too much: a line over 64 KiB", 1),
    ):
        broken(ending)
        limit = ("--seconds", "0.2") if ending == "time" else ()
        ran = again(f"{{2: 'a1', 4: {move}}}", *limit)
        first, story, how, *after = ran.out.splitlines()
        if (
            (first, story, ran.status, ran.err, len(after))
            != (
                f"game 7: yavalath, good (first) - bad (second), 1-0, {ending}",
                "ply 4: bad (second): a story",
                *(status, "", 1),
            )
            or not how.startswith("bad (second): ")
            or not re.match(words, after[0])
        ):
            wrong[ending, move] = ran
    assert wrong == {}


def test_the_bot_hears_what_it_heard_then(heard: Heard) -> None:
    broken("illegal move")
    again("{2: 'a1', 4: 'x9'}", "--seed", "5")
    assert heard()[1:] == [
        "new 7 yavalath side second tc 2000+100 seed 5",
        "go 2 first 1850 second 2000 inc 100",
        "go 4 first 1949 second 1600 inc 100",
    ]
    assert again("{4: 'x9'}", "--from", "4").status == 1
    assert not [line for line in heard() if line.startswith("go 2")]


def test_where_it_answers_something_else_the_game_goes_on_with_the_record(heard: Heard) -> None:
    broken("illegal move")
    told, found = again("{2: 'i5', 4: 'x9'}").out.splitlines()[-2:]
    assert told == "ply 2: it plays i5, and a1 in the record; the game continues with that move"
    assert found.startswith("illegal move again at ply 4: ")
    lines = heard()
    assert [line.split()[0] for line in lines[1:] if line[0] in "ng"] == ["new", "go", "new", "go"]


def test_a_time_for_the_first_move_is_for_that_alone(heard: Heard) -> None:
    moves = f"{MOVES.replace('1.600', '2.000')} 3. e6 {{[%emt 0.001] [%clk 1.949]}}"
    broken("illegal move", moves=moves, time="2+0.1 first 1")
    again("{2: 'i5', 4: 'x9'}", "--seed", "5")
    assert [line for line in heard() if not line.startswith("hears")] == [
        "new 7 yavalath side second first 1000 tc 2000+100 seed 5",
        "go 2 move 1000",
        "new 7 yavalath side second tc 2000+100 seed 5",
        "go 4 first 2099 second 2000 inc 100",
    ]
    again("{4: 'x9'}", "--from", "4")
    assert "go 4 first 2099 second 2000 inc 100" in heard()


def test_what_the_opening_played_it_is_not_asked_for(heard: Heard) -> None:
    Path("g.lath").write_text(
        '[Game "yavalath"]\n[First "bad"]\n[Second "good"]\n[Opening "random:2 #1"]\n[Number "7"]\n'
        '[Termination "time"]\n[Result "0-1"]\n\n1. e5 2. a1 0-1\n'
    )
    assert again("{3: 'e6'}").out.splitlines()[-1].startswith("ply 3: it plays e6 this time")
    assert not [line for line in heard() if line.startswith("go 1")]


def test_a_crash_on_the_others_turn_is_waited_for() -> None:
    broken("crash", moves=MOVES)
    ran = again("{2: lambda: print('bestmove 2 a1', flush=True) or os._exit(5)}")
    assert ran.out.splitlines()[-1] == "crash again at ply 3: exited with status 5"


def test_what_is_missing_is_said() -> None:
    broken("resignation")
    moves = "{1: 'e5', 2: 'a1', 3: 'e6'}"
    told = (
        "error: --side: needed, because no bot is at fault in game 7\n"
        "hint: --side first, or --side second\n"
    )
    assert again(moves).err == told
    for side in ("first", "second"):
        ran = again(moves, "--side", side)
        assert (ran.status, ran.out.splitlines()[-1]) == (0, "the game is over after ply 3")
    broken("crash")
    Path("tool.py").touch()
    for words, error in (
        (("8",), "g.lath: has no game 8"),
        (
            ("7",),
            (
                "g.lath: does not say how bad is started\n"
                "hint: arena bot replay g.lath GAME -- COMMAND"
            ),
        ),
        (
            ("7", "--", "tool.py", "-n"),
            "CMD: tool.py is a file, but not a program on PATH\nhint: -- python tool.py -n",
        ),
    ):
        ran = commands.arena("bot", "replay", "g.lath", *words)
        assert (ran.status in (1, 2), ran.err) == (True, f"error: {error}\n")


def test_a_directory_tells_command_and_seed(heard: Heard) -> None:
    command = bot("{2: 'a1', 4: 'x9'}")
    log = "    0.000000 bad  > new 7 yavalath side second tc 500+0 seed 99\n"
    end = {"result": "1-0", "termination": "illegal move", "log": log}
    game = a_result(7, ("good", "bad"), record=broken("illegal move"), **end)
    Path("cup").mkdir()
    with closing(Store(Path("cup"))) as store:
        store.begin({}, {})
        store.add([game])
    words = ", ".join(f'"{word}"' for word in (*command[:-1], str(Path("bot.py").resolve()), "-v"))
    text = (
        'games = ["yavalath"]\n[[bot]]\nname = "good"\ncommand = ["true"]\n'
        f'[[bot]]\nname = "bad"\ncommand = [{words}]\n'
    )
    Path("cup/tournament.toml").write_text(text)
    assert commands.arena("bot", "replay", "cup", "7").status == 1
    lines = heard()
    assert "hears ['-v']" in lines
    assert "new 7 yavalath side second tc 500+0 seed 99" in lines
    # Another command is of the folder where one types it, wherever the bot ran.
    Path("cup/tournament.toml").write_text(f'{text}cwd = "{Path("cup").resolve()}"\n')
    replay = ("bot", "replay", "cup", "7", "--")
    assert commands.arena(*replay, "bot.py").status == 1, "the file starts as it does in a match"
    assert "hint: -- python bot.py -v" in commands.arena(*replay, "bot.py", "-v").err
    Path("bot.py").write_text("raise SystemExit(3)")
    ran = commands.arena("bot", "replay", "cup", "7", "--", "python", "bot.py")
    assert ran.err.endswith("error: bad: exited with status 3 before ok\n"), "the file is there"


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
    broken("crash")
    *_, file = bot("{2: 'a1', 4: lambda: 1 / 0}")
    told = debug("c\np 'at ' + words[1]\nq\nq\n", sys.executable, "-m", "pdb", file)
    assert "'at 4'" in told
    assert "crash again at ply 4: " in told
