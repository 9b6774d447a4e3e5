"""`arena moves`, `perft`, `games`, `bots`, `schema`, help and usage errors."""

from __future__ import annotations

import json
import subprocess
import sys

import jsonschema
import pytest
from commands import arena
from places import DOCS

from lath import games
from lath.arena.cli.usage import MODULES, commands_of


def test_moves_lists_the_legal_moves_one_a_line() -> None:
    ran = arena("moves", "surikata", "--position", "5/5/5/5/mmm2 - w")
    assert ran.out.split() == [f"M{c}{r}" for c in "abc" for r in range(2, 6)] + [
        f"M{c}{r}" for c in "de" for r in range(1, 6)
    ]


def test_moves_counts_from_a_setup() -> None:
    assert arena("moves", "manalath", "--setup", "e5 c3", "--count").out == "136\n"


@pytest.mark.parametrize("game", games.ids())
def test_perft_counts_every_game_to_depth_two(game: str) -> None:
    moves = int(arena("moves", game, "--count").out)
    divided = arena("perft", game, 2, "--divide").out.splitlines()
    assert len(divided) == moves + 1
    assert sum(int(line.split(": ")[1]) for line in divided[:-1]) == int(divided[-1])


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["moves", "chess"], 2, "unknown game 'chess', expected one of mammalath, "),
        (["moves", "yavalath", "--position", "x w"], 1, "'x' has 1 rows, expected 9"),
        (["moves", "yavalath", "--setup", "e5"], 1, "yavalath has no setup, found 'e5'"),
        (["moves", "yavalath", "--setup", "a", "--position", "b"], 2, "exclude each other"),
        (["perft", "yavalath", "-1"], 2, "DEPTH"),
        (["perft", "yavalath", "deep"], 2, "DEPTH"),
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


def test_bots_lists_the_bundled_bots_with_their_commands() -> None:
    names = {row["name"] for row in json.loads(arena("bots", "--json").out)}
    assert {"random", "greedy", "monte-carlo"} <= names
    assert "lath.bots.greedy" in arena("bots").out


@pytest.mark.parametrize(
    "name", ["record", "config", "outcome", "standings", "report", "index", "events"]
)
def test_schemas_are_valid_json_schemas(name: str) -> None:
    schema = json.loads(arena("schema", name).out)
    jsonschema.Draft202012Validator.check_schema(schema)


@pytest.mark.parametrize("command", MODULES)
def test_every_command_has_help_with_an_example_and_stands_in_the_docs(command: str) -> None:
    ran = arena(command, "--help")
    assert ran.status == 0
    assert f"Example: arena {command}" in ran.out
    docs = DOCS / "command-line.md"
    assert f"`arena {command}" in docs.read_text()


@pytest.mark.parametrize("module", sorted(set(MODULES.values())))
def test_a_module_has_the_commands_that_it_is_said_to_have(module: str) -> None:
    assert set(commands_of(module)) == {name for name, where in MODULES.items() if where == module}


def test_a_command_waits_for_no_other_commands_module() -> None:
    code = (
        "import sys; from lath.arena.__main__ import run; run(['games']); "
        "print(*(name for name in sys.modules if name.startswith('lath.arena.cli.')))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    modules = {name.removeprefix("lath.arena.cli.") for name in ran.stdout.splitlines()[-1].split()}
    assert "installed" in modules
    assert not modules & (set(MODULES.values()) - {"installed"})


def test_the_help_lists_every_command_in_order_with_a_whole_sentence() -> None:
    ran = arena("--help")
    listed = [line.split(maxsplit=1) for line in ran.out.split("Commands:\n")[1].splitlines()]
    assert [name for name, _ in listed] == list(MODULES)
    assert all(sentence.endswith(".") and ".." not in sentence for _, sentence in listed)


@pytest.mark.parametrize("command", MODULES)
def test_what_a_command_takes_has_a_readable_name(command: str) -> None:
    told = arena(command, "--help").out
    assert "<" not in told.replace("<=", "")
    assert "....." not in told
    assert "{" not in told.split("\n\n")[0]


def test_quiet_is_told_for_what_it_is() -> None:
    assert "Say nothing but warnings and errors." in arena("run", "--help").out


def test_a_command_that_nobody_reads_ends_without_a_traceback() -> None:
    process = subprocess.run(
        ["/bin/sh", "-c", f"{sys.executable} -m lath.arena perft yavalath 2 --divide | head -n 1"],
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
