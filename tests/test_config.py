"""Configurations: what each key takes, and how a wrong one is named."""

from __future__ import annotations

import os
import sys
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import tomli_w

from arena import config, keys
from arena.errors import ConfigError

FULL = """\
event = "Autumn bots"
games = ["mammalath", "manalath"]
format = "round-robin"
rounds = 10
seed = 42
jobs = 2

[time]
initial = "10s"
increment = "0.1s"
margin = "20ms"

[[bot]]
name = "greedy"

[[bot]]
name = "mine"
command = ["./mybot", "--threads", "1"]
env = { MYBOT_LOG = "0" }
options = { threads = 1 }
memory = "512MiB"
"""


def read(tmp_path: Path, text: str) -> config.Config:
    path = tmp_path / "t.toml"
    path.write_text(text)
    return config.build(config.read_toml(path), tmp_path, source=str(path))


def test_every_key_of_the_example_reaches_the_tournament(tmp_path: Path) -> None:
    got = read(tmp_path, FULL)
    assert (got.event, got.games, got.rounds, got.seed, got.jobs) == (
        "Autumn bots",
        ("mammalath", "manalath"),
        10,
        42,
        2,
    )
    assert (got.limits.time.initial_ms, got.limits.time.increment_ms) == (10_000, 100)
    assert got.limits.margin_s == 0.02
    mine = got.bots[1]
    assert mine.command == (str(tmp_path / "mybot"), "--threads", "1")
    assert (mine.env, mine.options, mine.memory_bytes) == (
        {"MYBOT_LOG": "0"},
        {"threads": 1},
        512 << 20,
    )


def test_a_bundled_bot_needs_only_its_name(tmp_path: Path) -> None:
    assert read(tmp_path, FULL).bots[0].command == (sys.executable, "-P", "-m", "bots.greedy")


def test_arguments_that_name_files_are_taken_from_the_configurations_folder(
    tmp_path: Path,
) -> None:
    (tmp_path / "bot.js").touch()
    text = FULL.replace('["./mybot", "--threads", "1"]', '["node", "bot.js", "other.js"]')
    assert read(tmp_path, text).bots[1].command == ("node", str(tmp_path / "bot.js"), "other.js")


def test_a_command_may_be_one_text(tmp_path: Path) -> None:
    text = FULL.replace('["./mybot", "--threads", "1"]', "\"node 'my bot.js' -x\"")
    assert read(tmp_path, text).bots[1].command == ("node", "my bot.js", "-x")


def test_cwd_is_where_the_bot_runs_and_where_its_program_is_looked_for(tmp_path: Path) -> None:
    (tmp_path / "engines").mkdir()
    got = read(tmp_path, FULL.replace("env =", 'cwd = "engines"\nenv =')).bots[1]
    assert got.cwd == tmp_path / "engines"
    assert got.command[0] == str(tmp_path / "engines" / "mybot")


def test_what_is_written_for_a_resume_says_the_same_from_another_folder(tmp_path: Path) -> None:
    got = read(tmp_path, FULL)
    again = config.build(tomllib.loads(tomli_w.dumps(got.as_written)), tmp_path / "elsewhere")
    assert again.identity() == got.identity()
    assert again.bots == got.bots


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("rounds = 10", "round = 10", ":4: unknown key 'round', expected one of event, games, "),
        ("rounds = 10", "rounds = 0", ":4: rounds = 0, expected a whole number from 1"),
        ("rounds = 10", "rounds = true", ":4: rounds = True, expected a whole number from 1"),
        ("seed = 42", "seed = -1", ":5: seed = -1, expected a whole number from 0"),
        (
            "jobs = 2",
            'jobs = "all"',
            ":6: jobs = 'all', expected a whole number from 1 to 512, or 'auto'",
        ),
        ('event = "Autumn bots"', "event = 3", ":1: event = 3, expected a text"),
        ('"round-robin"', '"ladder"', ":3: format = 'ladder', expected one of round-robin"),
        ('["mammalath", "manalath"]', "[]", ":2: games = [], expected a list of different games"),
        ('["mammalath", "manalath"]', '["go"]', ": games: unknown game 'go', expected one of "),
        ('initial = "10s"', 'initial = "soon"', ":9: initial = 'soon', expected a duration"),
        ('initial = "10s"', "initial = 0", ":9: initial = 0, expected a duration from 1ms"),
        ('initial = "10s"', "initial = nan", ":9: initial = nan, expected a duration from 1ms"),
        ('initial = "10s"', "depth = 5", ":9: unknown key 'depth' in [time], expected one of "),
        ('margin = "20ms"', "nodes = 5", ": time: initial and nodes, expected one of them"),
        ('name = "mine"\n', "", ":16: bot: expected a name"),
        ('name = "mine"', 'name = "greedy"', ": two bots are called 'greedy', expected different"),
        ('name = "mine"', 'name = "a\\nb"', ":17: name = 'a\\nb', expected a text"),
        ('memory = "512MiB"', 'memory = "512MB"', ":21: memory = '512MB', expected a size"),
        ('{ MYBOT_LOG = "0" }', "{ MYBOT_LOG = 0 }", ":19: env = {'MYBOT_LOG': 0}, expected"),
        ('{ MYBOT_LOG = "0" }', '{ "A=B" = "0" }', ":19: env = {'A=B': '0'}, expected"),
        ("{ threads = 1 }", "{ threads = [1] }", ":20: options = {'threads': [1]}, expected a"),
        ('[[bot]]\nname = "greedy"\n', "", ": expected at least two bots, found 1"),
        ('command = ["./mybot", "--threads", "1"]\n', "", "bot 'mine' has no command, and is not"),
        ('command = ["./mybot", "--threads", "1"]', "command = []", ":18: command = [], expected"),
        ("env =", 'cwd = "gone"\nenv =', "is not a folder"),
        ("seed = 42", "seed = ", " is not TOML: Invalid value (at line 5"),
    ],
)
def test_what_is_wrong_is_named_with_file_line_key_and_what_is_allowed(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    assert old in FULL
    with pytest.raises(ConfigError) as error:
        read(tmp_path, FULL.replace(old, new))
    assert message in str(error.value)
    if not message.startswith("bot") and "folder" not in message:
        assert str(error.value).startswith(str(tmp_path / "t.toml"))


def test_a_file_that_is_not_there_or_not_text_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read: No such file"):
        config.read_toml(tmp_path / "gone.toml")
    (tmp_path / "bytes.toml").write_bytes(b"event = '\xff'")
    with pytest.raises(ConfigError, match="is not UTF-8: byte 9"):
        config.read_toml(tmp_path / "bytes.toml")


def test_the_demo_is_a_sound_configuration() -> None:
    got = config.build(config.demo(), Path())
    assert len(got.games) == 4
    assert set(got.names) >= {"random", "greedy"}
    assert got.jobs == os.cpu_count()


@pytest.mark.parametrize("told", [tomllib.loads(FULL), config.demo()])
def test_the_schema_accepts_what_the_reader_accepts(told: dict[str, Any]) -> None:
    jsonschema.validate(told, keys.schema(), cls=jsonschema.Draft202012Validator)


@pytest.mark.parametrize("wrong", [{"round": 1}, {"rounds": 0}, {"time": {"depth": 1}}])
def test_the_schema_refuses_what_the_reader_refuses(wrong: dict[str, Any]) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(wrong, keys.schema(), cls=jsonschema.Draft202012Validator)


@pytest.mark.parametrize(
    ("text", "seconds"), [("50ms", 0.05), ("0.1s", 0.1), ("2m", 120.0), ("1.5 h", 5400.0), (3, 3.0)]
)
def test_durations_have_units(text: object, seconds: float) -> None:
    assert keys.seconds(text) == pytest.approx(seconds)


@pytest.mark.parametrize("env", ['{ "A=B" = "0" }', '{ A = "\\u0000" }', '{ "" = "0" }'])
def test_variables_that_no_process_can_have_are_refused(tmp_path: Path, env: str) -> None:
    with pytest.raises(ConfigError, match=r"19: env = .*, expected a table of texts"):
        read(tmp_path, FULL.replace('{ MYBOT_LOG = "0" }', env))
