"""Every key of a bot's description, through every command that takes one."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import commands
import pytest
import tomlkit

from lath.arena.cli import play as playing
from lath.arena.cli import run as running
from lath.arena.cli import serve as serving
from lath.arena.engine import engine
from lath.arena.entrants.bot_table import BotTable
from lath.arena.entrants.flags import bot_flag, flag_of
from lath.arena.entrants.origins import spec_of
from lath.arena.errors import ArenaError
from lath.arena.flows import matches, runs, tuning
from lath.arena.referee.bots import BotSpec, Greeting
from lath.arena.tournament.configuration.config import Config
from lath.notation.protocol import Option, TimeControl

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
        monkeypatch.setattr(module, "play", _tournament)
    monkeypatch.setattr(running, "play", _tournament)
    monkeypatch.setattr(running, "refuse_newcomers", lambda *_: None)
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


def test_what_a_table_says_is_said_by_the_text_of_it(home: Path) -> None:
    for key, (value, _, _) in SAMPLES.items():
        table = bot_flag(text_of({key: value} | ({"cwd": "home"} if key == "build" else {})))
        assert bot_flag(flag_of(table)) == table, key
        assert spec_of(bot_flag(flag_of(table))) == spec_of(table), key
    assert runs.table_of("mine=./mybot; startup=90; stop=2s") == {
        "name": "mine",
        "command": [str(home.parent / "mybot")],
        "startup": 90.0,
        "stop": "2s",
    }
