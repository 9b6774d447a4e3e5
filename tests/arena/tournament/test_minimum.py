"""The sandbox of the command line is the minimum, whoever writes otherwise, by whatever key."""

from __future__ import annotations

import inspect
import os
import re
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import commands
import pytest
import tomlkit
import typer.main
from places import page_text

import lath.arena
from lath.arena.cli.main import app
from lath.arena.engine.engine import Engine
from lath.arena.entrants import minimum
from lath.arena.entrants.bot_folders import table_in
from lath.arena.entrants.bot_table import KEYS
from lath.arena.entrants.origins import spec_of
from lath.arena.errors import Cause, ConfigError, GameVoidError
from lath.arena.flows import runs, tuning
from lath.arena.referee.bots import BotSpec, Greeting
from lath.arena.sandbox import users
from lath.arena.sandbox.kinds import SANDBOXES

if TYPE_CHECKING:
    from golden import Golden

BOT: Final = Path("examples/bots/legal.sh").resolve()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an entrant's folder with a bot, beside which there is a secret."""
    for name in ("STATE", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name))
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "eve"
    (folder / "deep").mkdir(parents=True)
    (folder / "bot.sh").write_bytes(BOT.read_bytes())
    (folder / "out").symlink_to(tmp_path / "secret")
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "key").write_text("secret")
    (secret / "key").chmod(0o755)
    return folder


def say(folder: Path, **keys: object) -> None:
    """Have the file in an entrant's folder say something of its bot."""
    row = {"name": "eve", "command": "sh bot.sh", **keys}
    (folder / "tournament.toml").write_text(tomlkit.dumps({"bot": [row]}))


# The order


def test_a_sandbox_is_weaker_that_may_come_to_less(monkeypatch: pytest.MonkeyPatch) -> None:
    at_least = {"none": 0, "auto": 0, "user": 1, "bwrap": 2}
    for has_users in (True, False):
        monkeypatch.setattr(users, "can_be_given", lambda has=has_users: has)
        promised = {**at_least, "auto": int(has_users)}
        for said, asked in product(SANDBOXES, SANDBOXES):
            weaker = said != asked and at_least[said] < promised[asked]
            assert minimum.is_weaker(said, asked) is weaker, (said, asked)
            assert not minimum.is_weaker(said, None)
            assert minimum.asks(asked) is (promised[asked] > 0)


# By whatever key

SECRET: Final = "../secret/key"

MOST: Final[dict[str, list[Any]]] = {
    "name": ["other"],
    "command": [f"sh bot.sh {SECRET}", SECRET, "out/key", "sh out/key", "sh {top}/secret/key"],
    "files": [[SECRET]],
    "cwd": ["..", "{top}", "out", "deep/../.."],
    "env": [{"PATH": "."}, {"LD_PRELOAD": "./evil.so"}, {"A": "1"}],
    "options": [{"Threads": 64, "depth": 9}],
    "memory": ["900GiB"],
    "time": [{"move": "99s"}],
    "startup": ["99s"],
    "margin": ["9s"],
    "stop": ["99s"],
    "threads": [64],
    "build": ["make"],
    "sandbox": ["none", "user", "auto"],
    "reads": [[".."], ["{top}/secret"], ["out"], ["bot.sh", SECRET]],
    "cache": ["99GiB"],
    "protocol": ["codingame"],
    "hosts": [{"*": ["/bin/sh"]}],
}
"""The most that an entrant can ask for by each key. A new key needs a line here, and a rule."""

LITTLE: Final[dict[str, Any]] = {
    "command": "/bin/sh bot.sh",
    "cwd": "deep",
    "options": {"threads": 1, "depth": 9},
    "threads": 1,
    "build": "make",
    "sandbox": "bwrap",
    "reads": ["deep", "bot.sh"],
    "protocol": "codingame",
}
"""What each key may say."""


def entered(folder: Path, asked: str | None, **typed: object) -> BotSpec:
    table = table_in(folder, "", set(), "NEW", asked=asked, typed=typed)
    return spec_of({**({"sandbox": asked} if asked else {}), **table, **typed, "name": "new"})


def attempted(folder: Path) -> tuple[BotSpec | None, str]:
    """Return the bot of a folder in the sandbox bwrap, or why it is refused."""
    try:
        return entered(folder, "bwrap"), ""
    except ConfigError as error:
        return None, str(error)


def beyond(spec: BotSpec, folder: Path) -> Iterator[str]:
    """Yield in what a bot has more than one that says nothing, in the sandbox bwrap."""
    paths = [*spec.reads, *spec.files, str(spec.cwd)]
    paths += [word for word in spec.command if word.startswith("/")]
    own = (str(folder), "/usr", sys.prefix, os.path.realpath(sys.base_prefix))
    for path in paths:
        if not any(Path(os.path.realpath(path)).is_relative_to(place) for place in own):
            yield path
    has: dict[str, object] = {"env": spec.env, "hosts": spec.hosts, "memory": spec.memory_bytes}
    has |= {"time": spec.time, "startup": spec.startup_s, "margin": spec.margin_s}
    has |= {"stop": spec.stop_s}
    yield from (name for name, value in has.items() if value)
    if (spec.sandbox, spec.cache_bytes, spec.threads, spec.name) != ("bwrap", 0, 1, "new"):
        yield "more"


def test_no_key_of_an_entrants_file_gives_its_bot_more(folder: Path) -> None:
    assert {*MOST} == {*KEYS}, "a new key needs a rule"
    beyond_it: dict[str, list[str]] = {}
    for key, value in [(key, value) for key, values in MOST.items() for value in values]:
        text = tomlkit.dumps({"value": value}).replace("{top}", str(folder.parent))
        say(folder, **{key: tomlkit.parse(text).unwrap()["value"]})
        spec, refused = attempted(folder)
        if spec is not None:
            beyond_it[f"{key} = {value}"] = list(beyond(spec, folder))
            continue
        assert refused.startswith(f"{folder / 'tournament.toml'}:")
        assert f": {key} = " in refused
        assert "is not allowed in the sandbox 'bwrap'; expected " in refused
        assert "\nhint: remove it from tournament.toml" in refused
    for key, value in LITTLE.items():
        say(folder, **{key: value})
        beyond_it[f"{key} = {value}"] = list(beyond(entered(folder, "bwrap"), folder))
    assert {said: more for said, more in beyond_it.items() if more} == {}


def test_the_docs_say_of_each_key_what_an_entrants_file_may_say() -> None:
    text = page_text("run-untrusted-bots")
    rows = text.partition("| key | an entrant's file may say |")[2].partition("\n\n")[0]
    told: dict[str, str] = {}
    for row in rows.splitlines()[2:]:
        _, keys, says, _ = row.split("|")
        told |= dict.fromkeys(re.findall(r"`(\w+)`", keys), says.strip())
    assert {*told} == {*KEYS, "games"}
    refused = {key for key, says in told.items() if says == "nothing"}
    assert refused == {name for name, key in KEYS.items() if key.entrant.holds is minimum.never}
    unread = {key for key, says in told.items() if "does not read" in says}
    assert unread == {name for name, key in KEYS.items() if not key.entrant.is_read}


def test_all_that_is_refused_is_told_at_once_with_its_lines(folder: Path, golden: Golden) -> None:
    say(folder, memory="1GiB", sandbox="none", env={"A": "1"})
    with pytest.raises(ConfigError) as refused:
        entered(folder, "user")
    lines = re.findall(r"tournament\.toml:(\d+): (\w+) = ", str(refused.value))
    assert lines == [("4", "memory"), ("5", "sandbox"), ("7", "env")]
    golden(str(refused.value))
    say(folder, memory="900GiB", options={"Threads": 64}, env={"A": "1"})
    spec = entered(folder, "bwrap", memory="1GiB", threads=2, env={"B": "2"})
    assert (spec.memory_bytes, spec.threads, spec.env) == (1 << 30, 2, {"B": "2"}), "as typed"


def test_where_no_sandbox_is_asked_for_a_folder_says_what_it_likes(folder: Path) -> None:
    say(folder, env={"A": "1"}, memory="1GiB", threads=2, reads=[".."], cache="1MiB", cwd="deep")
    for asked in (None, "none"):
        spec = entered(folder, asked)
        assert (spec.env, spec.memory_bytes, spec.threads) == ({"A": "1"}, 1 << 30, 2)
        assert (spec.reads, spec.cache_bytes) == ((str(folder.parent),), 1 << 20)
        assert spec.cwd == str(folder / "deep")
    say(folder, sandbox="bwrap")
    stronger = [entered(folder, asked).sandbox for asked in ("none", "user")]
    assert stronger == ["bwrap", "bwrap"], "a bot may have more than the minimum"


def test_a_configuration_or_program_that_is_a_link_to_anothers_is_refused(folder: Path) -> None:
    say(folder)
    config = folder / "tournament.toml"
    config.rename(folder.parent / "other.toml")
    config.symlink_to(folder.parent / "other.toml")
    with pytest.raises(
        ConfigError, match=r"tournament.toml: this link leads out of its folder; expected a"
    ):
        entered(folder, "bwrap")
    assert entered(folder, None).command
    config.unlink()
    (folder / "bot.sh").unlink()
    (folder / "bot").symlink_to(folder.parent / "secret" / "key")
    with pytest.raises(
        ConfigError, match="bot: this link leads out of its folder; expected a file in it"
    ):
        entered(folder, "bwrap")


# At whichever door


def spying(folder: Path, sandbox: str = "none") -> str:
    """Return a text that names a bot which would leave a mark, and has a weaker sandbox."""
    (folder / "spy.sh").write_text(f"touch {folder.parent}/mark\n")
    say(folder, command="sh spy.sh", sandbox=sandbox)
    return f"spy=sh {folder}/spy.sh; sandbox={sandbox}"


def wishing(folder: Path) -> str:
    """Return a text that asks for a sandbox for one bot, whose file asks for more."""
    say(folder, command="sh spy.sh", reads=[".."])
    return f"{folder}; sandbox=bwrap"


def a_config(folder: Path, place: str, **more: object) -> Path:
    """Return a configuration in which a bot has a weaker sandbox."""
    spy = {"name": "spy", "command": ["sh", str(folder / "spy.sh")], "sandbox": "none"}
    path = folder.parent / place
    path.parent.mkdir(exist_ok=True)
    toml = {"games": ["yavalath"], **more, "bot": [spy, {"name": "greedy"}]}
    path.write_text(tomlkit.dumps(toml))
    return path


def a_game(folder: Path) -> Path:
    """Return a folder whose file names the file of a game, which would leave a mark."""
    (folder / "game.py").write_text(f"open('{folder.parent}/mark', 'w')\n")
    bot = {"name": "eve", "command": "sh bot.sh"}
    toml = {"games": ["yavalath", "./game.py"], "bot": [bot]}
    (folder / "tournament.toml").write_text(tomlkit.dumps(toml))
    return folder


def tuned_before(folder: Path) -> Path:
    say(folder, env={"A": "1"}, command="sh spy.sh")
    row = {"name": "eve", "cwd": str(folder), "command": ["sh", "spy.sh"], "env": {"A": "1"}}
    own = folder.parent / "tuning" / "tournament.toml"
    own.parent.mkdir()
    tune = {"tune": {"pairs": 1, "options": {"x": "1..9"}}, "sprt": {"elo0": 0, "elo1": 9}}
    rows = [{**row, "name": "tuned"}, row]
    own.write_text(tomlkit.dumps({"games": ["yavalath"], "format": "tune", **tune, "bot": rows}))
    return own.parent


DOORS: Final = {
    "match, a folder's file": "match greedy {folder} {flags}",
    "match, the older bot's": "match {folder} greedy {flags}",
    "match, a bot's text": "match greedy {spy} {flags}",
    "match, a folder's text": (
        "match greedy 'x={folder}; sandbox=none; threads=1' --run 'sh spy.sh' {flags}"
    ),
    "match, a bot's own wish": "match greedy {wish}",
    "match, the file of a game": "match greedy {game} {flags}",
    "match, on a cluster": "match greedy {folder} --cluster local:1",
    "tune, a folder's file": "tune {folder} --option x=1..9 --game yavalath {flags}",
    "tune, on a cluster": "tune {folder} --option x=1..9 --game yavalath --cluster local:1",
    "tune, gone on with": "tune {tuned} {flags}",
    "run, a bot's text": "run --bot {spy} --bot greedy --game yavalath {flags}",
    "run, without asking": "run --bot {auto} --bot greedy --game yavalath {flags}",
    "run, a file": "run {file} {flags}",
    "run, a directory": "run {cup} {flags}",
    "run, a pool": "run {pool} --add random {flags}",
    "run, a new bot": "run {pool} --retire spy --add {spy} {flags}",
    "run, a new pool": "run --output cup --add {spy} --add greedy {flags}",
    "run, a plan": "run --plan {file} {flags}",
    "analyze, a bot's own wish": "analyze --bot {wish} none.lath",
    "solve, a bot's own wish": "solve yavalath --bot {wish}",
}
"""Commands that would start a bot in less than what is asked for."""

PLACES: Final[dict[str, Callable[[Path], object]]] = {
    "folder": lambda folder: folder,
    "flags": lambda _: None,
    "spy": spying,
    "auto": lambda folder: spying(folder, "auto"),
    "wish": wishing,
    "game": a_game,
    "tuned": tuned_before,
    "file": lambda folder: a_config(folder, "cup.toml"),
    "cup": lambda folder: a_config(folder, "cup/tournament.toml").parent,
    "pool": lambda folder: a_config(folder, "cup/tournament.toml", format="pool").parent,
}
"""What is prepared where a command has such a word."""


@pytest.mark.parametrize("door", DOORS)
def test_no_command_starts_a_bot_in_less_than_what_is_asked_for(door: str, folder: Path) -> None:
    spying(folder)
    (folder.parent / "none.lath").touch()
    named = re.findall(r"{(\w+)}", DOORS[door])
    words = {name: shlex.quote(str(PLACES[name](folder))) for name in named}
    text = DOORS[door].format(**{**words, "flags": "--sandbox bwrap"})
    if "new bot" in door:
        text = text.replace("'spy=", "'x=")
    ran = commands.arena(*shlex.split(text))
    assert ran.status == 2, ran
    wrong = (
        "is weaker than --sandbox bwrap; expected 'bwrap'",
        "is not allowed in the sandbox 'bwrap'",
        "would run outside the sandbox 'bwrap'",
    )
    assert any(words in ran.err for words in wrong), ran.err
    assert ("error: --add " in ran.err) is ("new" in door)
    assert not (folder.parent / "mark").exists()


def test_each_command_with_the_flag_has_a_door() -> None:
    def named(command: Any, name: str) -> Iterator[str]:
        for each, inner in getattr(command, "commands", {}).items():
            yield from named(inner, f"{name} {each}".strip())
        if any("--sandbox" in one.opts for one in command.params):
            yield name

    known = {door.partition(",")[0] for door in DOORS}
    # What they start is named by the flags alone, or nothing.
    known |= {"bot check", "doctor"}
    assert {*named(typer.main.get_command(app), "")} <= known


def test_each_call_from_python_with_the_setting_refuses_less(folder: Path) -> None:
    text = spying(folder)
    calls: dict[object, Callable[[], object]] = {
        lath.arena.match: lambda: lath.arena.match("greedy", folder, sandbox="bwrap"),
        lath.arena.tune: lambda: lath.arena.tune(
            folder, {"x": "1..9"}, games=["yavalath"], sandbox="bwrap"
        ),
        runs.tournament: lambda: lath.arena.tournament(
            bots=[text, "greedy"], games=["yavalath"], sandbox="bwrap"
        ),
        Engine.open: lambda: Engine.open(folder, sandbox="bwrap"),
    }
    found = [runs.tournament, *(getattr(lath.arena, name) for name in lath.arena.__all__)]
    functions = [one for one in found if inspect.isfunction(one)]
    takes = {one for one in functions if "sandbox" in inspect.signature(one).parameters}
    assert takes | {Engine.open} == {*calls}
    for call in calls.values():
        with pytest.raises(ConfigError, match="bwrap"):
            call()
    assert not (folder.parent / "mark").exists()
    with pytest.raises(ConfigError, match="is weaker than --sandbox bwrap"):
        Engine.open(text.partition("=")[2], sandbox="bwrap")


def test_a_bot_is_tuned_in_the_sandbox_that_is_asked_for(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    say(folder)
    seen: list[Mapping[str, Any]] = []

    def greeted(table: Mapping[str, Any], *_: object) -> Greeting:
        seen.append(table)
        raise GameVoidError(Cause("it was seen", "eve"))

    monkeypatch.setattr(tuning, "greeting_of", greeted)
    words = ("--option", "x=1..9", "--game", "yavalath", "--sandbox", "bwrap")
    assert "it was seen" in commands.arena("tune", folder, *words).err
    assert "it was seen" in commands.arena("tune", "greedy", *words).err
    assert [table["sandbox"] for table in seen] == ["bwrap", "bwrap"]
