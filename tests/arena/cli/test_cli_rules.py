"""`arena games`, `bot list`, `schema`, the tree of commands, help, and versions of the rules."""

from __future__ import annotations

import itertools
import json
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Final

import jsonschema
import pytest
from commands import arena, refusals
from game_files import THREE_VERSIONS, write_game
from places import OURS, ROOT

from lath import games
from lath.arena.cli.main import COMMANDS, MOVED, TREE, commands_of
from lath.arena.referee.record import GamePlan, Scorebook
from lath.games.core import Result
from lath.notation import parse
from lath.notation.protocol import TimeControl
from lath.notation.record.tags import Termination

if TYPE_CHECKING:
    from golden import Golden


def python(code: str, *arguments: str, cwd: Path) -> tuple[str, str]:
    """Run code in a process of its own; return its last line, and what it said of errors."""
    words = [sys.executable, "-c", code, *arguments]
    ran = subprocess.run(words, capture_output=True, text=True, cwd=cwd, check=True)
    return ran.stdout.splitlines()[-1], ran.stderr


# games, bots and schemas


def test_moves_and_perft_count_what_can_be_played() -> None:
    ran = arena("games", "moves", "surikata", "--position", "5/5/5/5/mmm2 - w")
    assert ran.out.split() == [f"M{c}{r}" for c in "abc" for r in range(2, 6)] + [
        f"M{c}{r}" for c in "de" for r in range(1, 6)
    ]
    assert arena("games", "moves", "manalath", "--setup", "e5 c3", "--count").out == "136\n"
    for game in games.ids():
        moves = int(arena("games", "moves", game, "--count").out)
        *divided, whole = arena("games", "perft", game, 2, "--divide").out.splitlines()
        assert len(divided) == moves
        assert sum(int(line.split(": ")[1]) for line in divided) == int(whole)


def test_games_and_bots_are_listed_with_what_there_is_to_say_of_them() -> None:
    rows = {row["id"]: row for row in json.loads(arena("games", "--json").out)}
    assert list(rows) == list(games.ids())
    assert all(row["credit"] for row in rows.values())
    lose = {"name": "lose", "default": 3, "values": [3, 4, 5]}
    about = "length of a line that loses, or more"
    assert rows["surikata"]["rules"] == "1"
    assert rows["surikata"]["parameters"] == [{**lose, "about": about}]
    listed = arena("games").out
    assert "Cameron Browne" in listed
    assert "  size=5        cells on a side of the board; a number from 3 to 9" in listed
    assert arena("games", "list").out == listed
    names = {row["name"] for row in json.loads(arena("bot", "list", "--json").out)}
    assert {"random", "greedy", "monte-carlo"} <= names
    assert "lath.bots.greedy" in arena("bot", "list").out
    assert "compiled" not in arena("bot", "list").out
    assert arena("--version").out.strip() == version("lath-arena")


def test_a_game_without_a_compiled_form_says_so_beside_the_bots() -> None:
    told = arena("bot", "list", "-v", "--game", str(ROOT / "examples/games/order_and_chaos.py")).out
    bots, _, forms = told.partition("\n\n")
    assert bots == arena("bot", "list").out.rstrip()
    compiled, plain = re.findall("^  (.*)$", forms, re.MULTILINE)
    assert set(compiled.split(", ")) >= set(OURS)
    assert "order-and-chaos" in plain.split(", ")
    assert not set(plain.split(", ")) & set(OURS)


def test_schemas_are_valid_json_schemas() -> None:
    names = (
        "record",
        "config",
        "outcome",
        "plan",
        "standings",
        "report",
        "index",
        "events",
        "doctor",
    )
    for name in names:
        schema = json.loads(arena("schema", name).out)
        jsonschema.Draft202012Validator.check_schema(schema)


WRONG: Final = (
    *("games moves chess", "games moves yavalath --setup a --position b", "games yavalat"),
    *("games perft yavalath -1", "games perft yavalath deep", "nonsense", "schema everything"),
    *("selct", "games perf", *(f"{name} games.lath" for name in MOVED)),
)


def test_wrong_usage_and_wrong_input_have_their_own_statuses(golden: Golden) -> None:
    golden(refusals(WRONG), case="usage")
    impossible = ("--position 'x w'", "--setup e5")
    golden(refusals((f"games moves yavalath {words}" for words in impossible), 1), case="input")
    for name, now in MOVED.items():
        assert arena(*itertools.takewhile(str.islower, now.split()[1:]), "--help").status == 0, name


# commands and their help


def below(name: str) -> list[str]:
    """Return the commands of a group as they stand after `arena`; none of a command."""
    command = commands_of(COMMANDS[name].module)[name]
    return [f"{name} {inner}" for inner in getattr(command, "commands", ())]


def test_every_command_has_help_with_names_that_can_be_read() -> None:
    wrong = {}
    for command in [command for name in COMMANDS for command in (name, *below(name))]:
        ran = arena(*command.split(), "--help")
        found = {
            "status": ran.status == 0,
            "readable names": "<" not in ran.out.replace("<=", "") and "....." not in ran.out,
            "a plain usage": "{" not in ran.out.split("\n\n")[0],
        }
        if lacks := [what for what, is_there in found.items() if not is_there]:
            wrong[command] = lacks
    assert wrong == {}


def test_the_list_of_commands_is_that_of_their_modules_and_of_the_help() -> None:
    for module in {listed.module for listed in COMMANDS.values()}:
        listed = {name for name, one in COMMANDS.items() if one.module == module}
        assert set(commands_of(module)) == listed
    for name, one in COMMANDS.items():
        whole = commands_of(one.module)[name].help
        assert " ".join(whole.split("\n\n")[0].split()) == one.says, name
    sections = arena("--help").out.split("Play:\n")[1].split("\nExit status:")[0]
    rows = re.findall(r"^(?:(\w+):|  (\S+) +(.*))$", f"Play:\n{sections}", re.MULTILINE)
    assert [heading for heading, *_ in rows if heading] == list(TREE)
    assert [name for _, name, _ in rows if name] == list(COMMANDS)
    assert all(sentence.endswith(".") for heading, _, sentence in rows if not heading)


@pytest.mark.parametrize("command", ["init", "games", "bot", "puzzles"])
def test_a_command_that_needs_nothing_takes_nothing(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = arena(command)
    assert ran.status in {0, 2}
    assert "Traceback" not in ran.err
    assert bool(list(tmp_path.iterdir())) == (command == "init")


# what a process takes


def test_a_command_loads_what_it_needs_and_looks_for_no_garbage_in_it(tmp_path: Path) -> None:
    """Neither modules of other commands nor the library of models, for plain values."""
    (tmp_path / "games.lath").write_text('[Game "yavalath"]\n\n1. e5 *\n')
    code = (
        "import sys; from lath.arena.__main__ import run; run(['games']); run(['--help']);"
        "names = [name for name in sys.modules if name.startswith('lath.arena.cli.')];"
        "status = [run(words.split()) for words in sys.argv[1:]];"
        "print(*names, *status, 'pydantic' in sys.modules)"
    )
    commands = "check games.lath -j 1", "stats games.lath", "select games.lath --limit x"
    last, said = python(code, *commands, cwd=tmp_path)
    *modules, check, stats, select, has_models = last.split()
    assert {name.removeprefix("lath.arena.cli.") for name in modules} == {
        *("main", "help", "games", "files", "outputs")
    }
    assert [check, stats, select, has_models] == ["0", "0", "2", "False"]
    assert "error: --limit: 'x' is not a whole number from 1" in said
    code = (
        "import atexit, gc; from lath.arena.__main__ import main; looks = [];"
        "gc.callbacks.append(lambda _, about: looks.append(about['generation']));"
        "atexit.register(lambda: print(2 in looks, gc.get_freeze_count() > 10_000)); main()"
    )
    words = ["run", "--plan", "--bot", "greedy", "--bot", "random"]
    assert python(code, *words, cwd=tmp_path)[0] == "False True"


def test_a_command_that_nobody_reads_ends_without_a_traceback() -> None:
    line = f"{sys.executable} -m lath.arena games perft yavalath 2 --divide | head -n 1"
    process = subprocess.run(
        ["/bin/sh", "-c", line], capture_output=True, text=True, check=False, timeout=60
    )
    assert process.stdout == "a1: 61\n"
    assert "Traceback" not in process.stderr


# versions of the rules


def test_the_version_of_the_rules_is_written_and_records_of_others_are_refused_in_words(
    tmp_path: Path,
) -> None:
    games.add(write_game(tmp_path, THREE_VERSIONS))
    for game, rules in (("of-three-versions", "3"), ("yavalath", "")):
        names = ("ann", "bob")
        plan = GamePlan(number=1, round=0, game=game, setup=None, names=names, seeds=(1, 2))
        book = Scorebook(plan, (TimeControl(), TimeControl()))
        record = parse(book.close(Result("1-0"), Termination.RESIGNATION).record)
        assert record.tag("Rules") == rules, "where it is not the first"
    file, out = tmp_path / "old.lath", tmp_path / "out"
    file.write_text('[Game "of-three-versions"]\n\na1 a1 *\n', encoding="utf-8")
    for words in (
        *(("check", file), ("show", file), ("stats", file), ("stats", file, "--endings")),
        *(("rate", file), ("report", file, "-o", out), ("convert", file, tmp_path / "out.sgf")),
        ("select", file, "--where", "position '5/6/7/8/9/8/7/6/5 w'"),
    ):
        ran = arena(*words)
        assert "illegal" not in ran.out + ran.err, words
        assert "version 1 of the rules of of-three-versions" in ran.out + ran.err, words
