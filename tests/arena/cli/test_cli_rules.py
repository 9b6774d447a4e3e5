"""`arena games`, `bot list`, `schema`, the tree of commands, help and usage errors."""

from __future__ import annotations

import itertools
import json
import re
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
from commands import arena
from places import DOCS

from lath import games
from lath.arena.cli.main import COMMANDS, MOVED, TREE, commands_of


def test_moves_lists_the_legal_moves_one_a_line() -> None:
    ran = arena("games", "moves", "surikata", "--position", "5/5/5/5/mmm2 - w")
    assert ran.out.split() == [f"M{c}{r}" for c in "abc" for r in range(2, 6)] + [
        f"M{c}{r}" for c in "de" for r in range(1, 6)
    ]


def test_moves_counts_from_a_setup() -> None:
    assert arena("games", "moves", "manalath", "--setup", "e5 c3", "--count").out == "136\n"


@pytest.mark.parametrize("game", games.ids())
def test_perft_counts_every_game_to_depth_two(game: str) -> None:
    moves = int(arena("games", "moves", game, "--count").out)
    divided = arena("games", "perft", game, 2, "--divide").out.splitlines()
    assert len(divided) == moves + 1
    assert sum(int(line.split(": ")[1]) for line in divided[:-1]) == int(divided[-1])


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["games", "moves", "chess"], 2, "unknown game 'chess', expected one of mammalath, "),
        (["games", "moves", "yavalath", "--position", "x w"], 1, "'x' has 1 rows, expected 9"),
        (["games", "moves", "yavalath", "--setup", "e5"], 1, "yavalath has no setup, found 'e5'"),
        (
            ["games", "moves", "yavalath", "--setup", "a", "--position", "b"],
            2,
            "exclude each other",
        ),
        (["games", "perft", "yavalath", "-1"], 2, "DEPTH"),
        (["games", "perft", "yavalath", "deep"], 2, "DEPTH"),
        (["nonsense"], 2, "nonsense"),
        (["schema", "everything"], 2, "everything"),
    ],
)
def test_wrong_usage_and_wrong_input_have_their_own_statuses(
    arguments: list[str], status: int, message: str
) -> None:
    ran = arena(*arguments)
    assert ran.status == status
    assert message in ran.err
    assert "Traceback" not in ran.err


def test_games_lists_every_game_with_its_inventor() -> None:
    rows = json.loads(arena("games", "--json").out)
    assert [row["id"] for row in rows] == list(games.ids())
    assert all(row["credit"] for row in rows)
    assert "Cameron Browne" in arena("games").out
    assert arena("games", "list").out == arena("games").out


def test_games_lists_the_parameters_of_each() -> None:
    rows = {row["id"]: row for row in json.loads(arena("games", "--json").out)}
    assert rows["surikata"]["rules"] == "1"
    assert rows["surikata"]["parameters"] == [
        {
            "name": "lose",
            "default": 3,
            "values": [3, 4, 5],
            "about": "pieces in line that lose, or more",
        }
    ]
    assert (
        "  size=5        cells on a side of the board; a number from 3 to 9" in arena("games").out
    )


def test_bots_lists_the_bundled_bots_with_their_commands() -> None:
    names = {row["name"] for row in json.loads(arena("bot", "list", "--json").out)}
    assert {"random", "greedy", "monte-carlo"} <= names
    assert "lath.bots.greedy" in arena("bot", "list").out


@pytest.mark.parametrize(
    "name", ["record", "config", "outcome", "standings", "report", "index", "events", "doctor"]
)
def test_schemas_are_valid_json_schemas(name: str) -> None:
    schema = json.loads(arena("schema", name).out)
    jsonschema.Draft202012Validator.check_schema(schema)


def below(name: str) -> list[str]:
    """Return the commands of a group as they stand after `arena`; none of a command."""
    command = commands_of(COMMANDS[name].module)[name]
    return [f"{name} {inner}" for inner in getattr(command, "commands", ())]


ALL = [command for name in COMMANDS for command in (name, *below(name))]


@pytest.mark.parametrize("command", ALL)
def test_every_command_has_help_with_an_example_and_stands_in_the_docs(command: str) -> None:
    ran = arena(*command.split(), "--help")
    assert ran.status == 0
    assert f"Example: arena {command}" in ran.out
    docs = DOCS / "command-line.md"
    assert f"`arena {command}" in docs.read_text()


@pytest.mark.parametrize("module", sorted({listed.module for listed in COMMANDS.values()}))
def test_a_module_has_the_commands_that_it_is_said_to_have(module: str) -> None:
    listed = {name for name, one in COMMANDS.items() if one.module == module}
    assert set(commands_of(module)) == listed


@pytest.mark.parametrize("command", COMMANDS)
def test_the_programs_help_says_of_a_command_what_its_own_help_says_first(command: str) -> None:
    listed = COMMANDS[command]
    whole = commands_of(listed.module)[command].help
    assert " ".join(whole.split("\n\n")[0].split()) == listed.says


def test_a_command_waits_for_no_other_commands_module() -> None:
    code = (
        "import sys; from lath.arena.__main__ import run; run(['games']); run(['--help']);"
        "print(*(name for name in sys.modules if name.startswith('lath.arena.cli.')))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    modules = {name.removeprefix("lath.arena.cli.") for name in ran.stdout.splitlines()[-1].split()}
    assert modules == {"main", "games"}


def test_nobody_looks_for_garbage_among_all_that_was_imported(tmp_path: Path) -> None:
    code = (
        "import atexit, gc; from lath.arena.__main__ import main; looks = [];"
        "gc.callbacks.append(lambda _, about: looks.append(about['generation']));"
        "atexit.register(lambda: print(2 in looks, gc.get_freeze_count() > 10_000)); main()"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code, "run", "--plan", "--bot", "greedy", "--bot", "random"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=True,
    )
    assert ran.stdout.splitlines()[-1] == "False True"


def test_plain_values_need_no_models_of_the_library(tmp_path: Path) -> None:
    """They take as long to load as a small command's own work."""
    (tmp_path / "games.lath").write_text('[Game "yavalath"]\n\n1. e5 *\n')
    code = (
        "import sys; from lath.arena.__main__ import run;"
        "status = [run(words.split()) for words in sys.argv[1:]];"
        "print(status, 'pydantic' in sys.modules)"
    )
    commands = "check games.lath -j 1", "stats games.lath", "select games.lath --limit x"
    ran = subprocess.run(
        [sys.executable, "-c", code, *commands],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=True,
    )
    assert ran.stdout.splitlines()[-1] == "[0, 0, 2] False"
    assert "Invalid value for '--limit': 'x', expected a whole number from 1" in ran.stderr


def test_the_help_lists_every_command_in_its_group_with_a_whole_sentence() -> None:
    sections = arena("--help").out.split("Play:\n")[1]
    listed = re.findall(r"^(?:(\w+):|  (\S+) +(.*))$", f"Play:\n{sections}", re.MULTILINE)
    assert [heading for heading, *_ in listed if heading] == list(TREE)
    assert [name for _, name, _ in listed if name] == list(COMMANDS)
    assert all(sentence.endswith(".") for heading, _, sentence in listed if not heading)


@pytest.mark.parametrize("name", MOVED)
def test_an_old_name_is_told_the_new_one(name: str) -> None:
    ran = arena(name, "games.lath")
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.endswith(f"Error: '{name}' is now '{MOVED[name]}'\n")
    assert arena(*itertools.takewhile(str.islower, MOVED[name].split()[1:]), "--help").status == 0


def test_a_mistyped_name_is_told_the_one_that_is_meant() -> None:
    assert "No such command 'selct'. Did you mean 'select'?" in arena("selct").err
    assert "No such command 'perf'. Did you mean 'perft'?" in arena("games", "perf").err
    assert "unknown game 'yavalat', expected one of " in arena("games", "yavalat").err


@pytest.mark.parametrize("command", ["init", "games", "bot", "puzzles"])
def test_a_command_that_needs_nothing_takes_nothing(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = arena(command)
    assert ran.status in {0, 2}
    assert "Traceback" not in ran.err
    assert bool(list(tmp_path.iterdir())) == (command == "init")


@pytest.mark.parametrize("command", ALL)
def test_what_a_command_takes_has_a_readable_name(command: str) -> None:
    told = arena(*command.split(), "--help").out
    assert "<" not in told.replace("<=", "")
    assert "....." not in told
    assert "{" not in told.split("\n\n")[0]


def test_quiet_is_told_for_what_it_is() -> None:
    assert "Say nothing but warnings and errors." in arena("run", "--help").out


def test_a_command_that_nobody_reads_ends_without_a_traceback() -> None:
    process = subprocess.run(
        [
            "/bin/sh",
            "-c",
            f"{sys.executable} -m lath.arena games perft yavalath 2 --divide | head -n 1",
        ],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert process.stdout == "a1: 61\n"
    assert "Traceback" not in process.stderr


def test_the_version_is_the_distributions() -> None:
    from importlib.metadata import version

    assert arena("--version").out.strip() == version("lath-arena")
