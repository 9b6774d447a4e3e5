"""Every key of a bot's description, through every command that takes one."""

from __future__ import annotations

import dataclasses
import shlex
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import commands
import hypothesis.strategies as st
import pytest
import tomlkit
from hypothesis import HealthCheck, given, settings

from lath.arena.cli import play as playing
from lath.arena.cli import serve as serving
from lath.arena.cluster.messages import Traveller
from lath.arena.cluster.messages import read as read_message
from lath.arena.cluster.messages import write as write_message
from lath.arena.cluster.preparation import _UNCHANGED, _spec, travelling
from lath.arena.engine import engine
from lath.arena.entrants.bot_table import (
    KEYS,
    BotTable,
    bot_spec,
    checked,
    identity_of,
    located,
    parts_text,
    read_parts,
)
from lath.arena.entrants.flag_text import split_parts
from lath.arena.entrants.flags import bot_flag
from lath.arena.entrants.origins import spec_of
from lath.arena.errors import ArenaError
from lath.arena.flows import matches, runs, tuning
from lath.arena.referee.bots import BotSpec, Greeting
from lath.arena.sandbox.kinds import SANDBOXES
from lath.arena.tournament.configuration.config import Config
from lath.notation.protocol import Option, TimeControl, setoption_line

SAMPLES: dict[str, tuple[Any, str, object]] = {
    "files": (["more.txt"], "files", "more.txt"),
    "cwd": ("home", "cwd", "home"),
    "env": ({"LOG": "a b"}, "env", {"LOG": "a b"}),
    "options": ({"book": "c d"}, "options", {"book": "c d"}),
    "memory": ("512MiB", "memory_bytes", 512 << 20),
    "time": ({"move": "500ms"}, "time", TimeControl(move_ms=500)),
    "startup": ("60s", "startup_s", 60.0),
    "margin": ("75ms", "margin_s", 0.075),
    "stop": ("3s", "stop_s", 3.0),
    "threads": (2, "threads", 2),
    "build": ("true", "build", "true"),
    "sandbox": ("none", "sandbox", "none"),
    "reads": (["tables"], "reads", "tables"),
    "cache": ("64MiB", "cache_bytes", 64 << 20),
    "protocol": ("botzone", "protocol", "botzone"),
    "hosts": ({"gpu-*": "./fast -v"}, "hosts", {"gpu-*": ("./fast", "-v")}),
}
"""By key: its value in a file, the field of a `BotSpec` that it fills, and what stands there then.
Paths stand there absolute."""


class CapturedError(ArenaError):
    """A bot was described; nothing is played."""

    def __init__(self, bots: tuple[BotSpec, ...]) -> None:
        super().__init__("captured")
        self.bots = bots


def _bot(spec: BotSpec, *_: object, **__: object) -> None:
    raise CapturedError((spec,))


def _tournament(config: Config, *_: object, **__: object) -> None:
    raise CapturedError(config.bots)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a bot in it; whatever would be played is captured."""
    home = tmp_path / "home"
    (home / "tables").mkdir(parents=True)
    for place in (tmp_path, home):
        (place / "mybot").write_text("#!/bin/sh\n")
        (place / "mybot").chmod(0o755)
        (place / "more.txt").touch()
    (tmp_path / "tables").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    tunable = Greeting(games=["yavalath"], options={"depth": Option("depth", "spin", "3", 1, 9)})
    for module in (matches, tuning):
        monkeypatch.setattr(module, "greeting_of", lambda *_: tunable)
    monkeypatch.setattr(runs, "play", _tournament)
    monkeypatch.setattr(runs, "refuse_newcomers", lambda *_: None)
    monkeypatch.setattr(engine, "bot_of", _bot)
    for module in (playing, serving):
        monkeypatch.setattr(module, "ready", _bot)
    return home


def _written(home: Path, table: dict[str, Any]) -> Path:
    """Write the configuration of a folder that has one bot with a command; return the folder."""
    rows = [{"name": "mine", "command": "./mybot", **table}, {"name": "greedy"}]
    (home / "tournament.toml").write_text(tomlkit.dumps({"bot": rows}))
    return home


def _file(home: Path, table: dict[str, Any]) -> str:
    _written(home.parent, table)
    return str(home.parent / "tournament.toml")


_TUNE = ["--option", "depth=1..9", "--game", "yavalath"]

ENTRANCES: dict[str, Callable[[Path, dict[str, Any]], list[str]]] = {
    "run FILE": lambda home, table: ["run", _file(home, table)],
    "run --bot": lambda _, table: ["run", "--bot", text_of(table), "--bot", "greedy"],
    "run --bot FOLDER": lambda home, table: [
        *("run", "--bot", str(_written(home, table)), "--bot", "greedy")
    ],
    "run --add": lambda _, table: ["run", "pool", "--add", text_of(table), "--add", "greedy"],
    "match NEW": lambda _, table: ["match", "greedy", text_of(table)],
    "match FOLDER": lambda home, table: ["match", "greedy", str(_written(home, table))],
    "tune BOT": lambda _, table: ["tune", text_of(table), *_TUNE],
    "tune FOLDER": lambda home, table: ["tune", str(_written(home, table)), *_TUNE],
    "play --bot": lambda _, table: ["play", "yavalath", "--bot", text_of(table)],
    "serve --bot": lambda _, table: ["serve", "--bot", text_of(table)],
    "solve --bot": lambda _, table: ["solve", "yavalath", "--bot", text_of(table)],
}


def text_of(table: dict[str, Any]) -> str:
    """Return what `--bot` says of a table, as a person types it."""
    parts: dict[str, Callable[[Any], list[str]]] = {
        "files": lambda value: [f"files={','.join(value)}"],
        "reads": lambda value: [f"reads={','.join(value)}"],
        "env": lambda value: [f"env.{name}={shlex.quote(one)}" for name, one in value.items()],
        "options": lambda value: [
            f"option.{name}={shlex.quote(one)}" for name, one in value.items()
        ],
        "hosts": lambda value: [f"host.{name}={one}" for name, one in value.items()],
        "time": lambda _: ["tc=move 0.5"],
    }
    words = [
        word
        for key, value in table.items()
        for word in (parts[key](value) if key in parts else [f"{key}={value}"])
    ]
    return "; ".join(["mine=./mybot", *words])


def test_there_is_a_sample_of_every_key() -> None:
    assert {*SAMPLES} == {*BotTable.model_fields} - {"name", "command"}


ALONE = ("build", "protocol", "hosts")
"""Keys that change what others are, or do not go with them."""


@pytest.mark.parametrize("entrance", ENTRANCES)
def test_every_command_carries_every_key(
    entrance: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A folder is where its bot runs.
    together = {*SAMPLES} - {*ALONE} - ({"cwd"} if "FOLDER" in entrance else set())
    for keys in (together, *({key} for key in ALONE)):
        table: dict[str, Any] = {key: SAMPLES[key][0] for key in SAMPLES if key in keys}
        if keys == {"build"} and "FOLDER" not in entrance:
            table["cwd"] = "home"
        captured = _captured(ENTRANCES[entrance](home, table), monkeypatch)
        wrong = {}
        for key in keys:
            _, field, expected = SAMPLES[key]
            found = getattr(captured, field)
            if key in ("files", "reads"):
                found, expected = [Path(one).name for one in found], [expected]  # absolute by then
            elif key == "cwd":
                expected = str(home)
            elif key == "options":
                found = {name: found[name] for name in found if name != "depth"}
            if found != expected:
                wrong[key] = found
        assert wrong == {}


def _captured(words: list[str], monkeypatch: pytest.MonkeyPatch) -> BotSpec:
    seen: list[BotSpec] = []

    def told(error: CapturedError) -> str:
        seen.extend(bot for bot in error.bots if bot.name.startswith(("mine", "home")))
        return "captured"

    monkeypatch.setattr(CapturedError, "__str__", told)
    commands.arena(*words)
    assert seen, words
    assert len({(one.command, one.cwd) for one in seen}) == 1, "the tuned bot is the same program"
    return seen[-1]


# Every key, whatever its value

TEXTS = st.text(st.characters(exclude_categories=("C", "Z"), include_characters=" "), max_size=9)
LINES = st.text(max_size=9).filter(lambda text: not {*"\n\0"} & {*text})
WORDS = TEXTS.map(str.strip).filter(bool)
NAMES = st.text(max_size=9).filter(lambda name: name and not {*"=\0"} & {*name})
DURATIONS = st.integers(1, 10**6).map("{}ms".format) | st.integers(1, 99)
SIZES = st.tuples(st.integers(1, 999), st.sampled_from(("KiB", "MiB", "GiB"))).map("%d%s".__mod__)
TIMES = st.fixed_dictionaries({"nodes": st.integers(1, 99)}, optional={"first": DURATIONS})
CLOCKS = st.fixed_dictionaries({"initial": DURATIONS}, optional={"increment": DURATIONS})

VALUES: dict[str, st.SearchStrategy[Any]] = {
    "name": WORDS,
    "command": st.lists(WORDS, min_size=1, max_size=3),
    "files": st.lists(WORDS, min_size=1, max_size=3),
    "cwd": st.just("home"),
    "env": st.dictionaries(NAMES, st.text(max_size=9).filter(lambda text: "\0" not in text)),
    "options": st.dictionaries(LINES, LINES | st.integers(-(10**9), 10**9) | st.booleans()),
    "memory": SIZES,
    "time": TIMES | CLOCKS,
    **dict.fromkeys(("startup", "margin", "stop"), DURATIONS),
    "threads": st.integers(1, 512),
    "build": WORDS,
    "sandbox": st.sampled_from(SANDBOXES),
    "reads": st.lists(WORDS, min_size=1, max_size=3),
    "cache": SIZES,
    "protocol": st.sampled_from(("codingame", "botzone")),
    "hosts": st.dictionaries(NAMES, WORDS.map(shlex.quote)),
}
"""By key what may stand there. A new key needs a line."""

TABLES = st.fixed_dictionaries(
    {"name": st.just("mine"), "command": st.just(["./mybot"])},
    optional={key: value for key, value in VALUES.items() if key not in ("name", "command")},
).map(lambda table: {**table, "cwd": "home"} if "build" in table else table)


def facts(spec: BotSpec) -> dict[str, Any]:
    """Return all of a bot, options as it is told them."""
    told = {name: setoption_line(name, value) for name, value in spec.options.items()}
    fields = {each.name: getattr(spec, each.name) for each in dataclasses.fields(spec)}
    return {**fields, "options": told}


@given(TABLES)
@pytest.mark.usefixtures("home")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_all_of_a_table_is_in_its_text_its_toml_and_what_is_sent(table: dict[str, Any]) -> None:
    assert VALUES.keys() == KEYS.keys()
    row = located(table, checked(table, ""), Path.cwd())
    spec = spec_of(table)
    parts = read_parts(parts_text(row), "")
    assert read_parts(split_parts(";".join(parts_text(parts))), "") == parts if parts else True
    again = {**row, **parts}
    for said in (again, tomllib.loads(tomlkit.dumps(row))):
        assert facts(bot_spec(checked(said, ""), Path("/"))) == facts(spec)
    # Paths of what a bot brings are those of another machine: `cluster/test_travelling.py`.
    bare = dataclasses.replace(spec, command=("sh",), cwd=None, files=(), lacks="", hosts={})
    (sent,), _ = travelling([bare], [])
    there = _spec(read_message(Traveller, write_message(sent)), "machine")
    assert facts(there) == {**facts(bare), "env": {**_UNCHANGED, **bare.env}}


def test_a_key_that_decides_games_makes_another_bot_and_no_other_key_does(home: Path) -> None:
    table: dict[str, Any] = {"name": "mine", "command": ["./mybot"]}
    usual = identity_of(spec_of(table))
    others = {**{key: value for key, (value, _, _) in SAMPLES.items()}, "name": "other"}
    others["command"] = [str(home / "mybot")]
    found = {key for key in KEYS if identity_of(spec_of({**table, key: others[key]})) != usual}
    assert found - {"cwd"} == {name for name, key in KEYS.items() if key.decides}  # the command's


def test_a_number_without_a_unit_is_seconds(home: Path) -> None:
    assert bot_flag("mine=./mybot; startup=90; stop=2s") == {
        "name": "mine",
        "command": [str(home.parent / "mybot")],
        "startup": 90.0,
        "stop": "2s",
    }
