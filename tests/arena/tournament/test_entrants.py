"""What `--bot` says of a bot, in one text that shells take easily."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from lath.arena.entrants.flags import bot_flag
from lath.arena.entrants.origins import spec_of
from lath.arena.errors import ConfigError
from lath.arena.tournament.configuration.config import build
from lath.notation.protocol import TimeControl

if TYPE_CHECKING:
    from golden import Golden


def test_a_bot_has_a_command_and_how_it_runs_in_one_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "engines"
    home.mkdir()
    (home / "mybot").write_text("#!/bin/sh\n")
    (home / "mybot").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    text = (
        "mine=./mybot --fast; cwd=engines; option.threads=2; option.style=bold; option.book=true;"
        "tc=5+0.1;memory=512MiB; env.LOG=0; threads=3"
    )
    assert bot_flag(text) == {
        "name": "mine",
        "command": [str(home / "mybot"), "--fast"],
        "cwd": str(home),
        "options": {"threads": 2, "style": "bold", "book": True},
        "time": {"initial": "5000ms", "increment": "100ms"},
        "memory": "512MiB",
        "env": {"LOG": "0"},
        "threads": 3,
    }
    spec = spec_of(bot_flag(text))
    assert (spec.cwd, spec.memory_bytes, spec.threads) == (str(home), 512 << 20, 3)
    assert spec.time == TimeControl(initial_ms=5000, increment_ms=100)
    config = build({"bot": [bot_flag(text), bot_flag("greedy")]}, Path("/nowhere"))
    assert config.bots[0] == spec, "whatever the folder of the configuration is"


def test_what_stands_in_quotes_is_one_word_or_value() -> None:
    commands = {
        "a=sh -c 'b; c=1'": ["sh", "-c", "b; c=1"],
        'a=sh -c "b; c=\\"1\\""': ["sh", "-c", 'b; c="1"'],
        "a=b c=d": ["b", "c=d"],
        r"a=b \; c": ["b", ";", "c"],
    }
    for text, command in commands.items():
        assert bot_flag(text) == {"name": "a", "command": command}
    assert bot_flag("""greedy; option.book="a; b"; env.X='1  2'""") == {
        "name": "greedy",
        "options": {"book": "a; b"},
        "env": {"X": "1  2"},
    }


MISTAKES: Final = (
    *("mine=x; cdw=y", "mine=x; threads", "mine=x; ", "mine=x; option=3", "mine=x; cwd=nowhere"),
    *("mine=x; memory=5", "mine=x; tc=soon", "mine=x; tc=none", "mine=", "=x", "mine='x"),
    *("mine=x; memory=1MiB; memory=2MiB", "mine=x; option.a=1; option.a=2", "mine=x; cwd='"),
)


def test_a_mistake_names_the_flag_the_bot_and_the_part(golden: Golden) -> None:
    said = {}
    for text in MISTAKES:
        with pytest.raises(ConfigError) as caught:
            bot_flag(text)
        said[text] = str(caught.value)
        assert said[text].startswith(f"--bot {text.partition('=')[0]}: ")
    golden(said)
    with pytest.raises(ConfigError, match="--add mine: unknown part"):
        bot_flag(f"mine={sys.executable}; depth=3", "--add")


def test_a_program_or_a_folder_needs_no_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for place in ("mybot", "v2/deep", "greedy"):
        path = tmp_path / place
        path.parent.mkdir(exist_ok=True)
        path.write_text("#!/bin/sh\n")
        path.chmod(0o755)
    (tmp_path / "my.py").touch()

    def found(text: str) -> tuple[str, list[str]]:
        table = bot_flag(text)
        return table["name"], table["command"]

    program = str(tmp_path / "mybot")
    assert found("./mybot") == found("mybot") == ("mybot", [program])
    assert found("./mybot --level=1; threads=2") == ("mybot", [program, "--level=1"])
    assert found("my.py") == ("my", [sys.executable, str(tmp_path / "my.py")])
    for text, name in (("v2", "v2"), ("./v2; threads=2", "v2"), ("old=./v2", "old")):
        assert found(text) == (name, [str(tmp_path / "v2" / "deep")])
        assert bot_flag(text)["cwd"] == str(tmp_path / "v2")
    assert bot_flag("greedy") == {"name": "greedy"}, "a bundled bot, whatever files there are"
    for text in ("./nosuch", "v2/nosuch --fast"):
        with pytest.raises(ConfigError, match="not found; expected a program, a fold"):
            bot_flag(text)
    with pytest.raises(ConfigError, match="--bot v2: cwd needs a command"):
        bot_flag("./v2; cwd=.")


def test_what_a_folder_says_is_bounded_by_the_sandbox_of_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "eve").mkdir()
    text = '[[bot]]\nname = "eve"\ncommand = "sh eve.sh"\nmemory = "1GiB"\n'
    (tmp_path / "eve" / "tournament.toml").write_text(text)
    assert bot_flag("./eve")["memory"] == "1GiB"
    with pytest.raises(ConfigError, match=r"memory = .* is not allowed in the sandbox 'bwrap'"):
        bot_flag("./eve", "--bot", "bwrap")
