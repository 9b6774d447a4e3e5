"""Whose greeting fails is a contest's bot where it plays by a contest's lines, and only there."""

from __future__ import annotations

import dataclasses
import shlex
import sys
from contextlib import suppress
from pathlib import Path

import pytest
import tomlkit
from bot_faults import BAD_BOTS
from commands import arena
from contest_bots import CONTEST, INTS, OTHERS, Program
from processes import new_tree
from scripted import scripted

from lath.arena.errors import ConfigError, ContestBotError, GameVoidError
from lath.arena.referee import watch
from lath.arena.referee.bots import BotSpec
from lath.arena.referee.bridges import bot_of
from lath.arena.referee.clock import Limits
from lath.arena.referee.conversation import Bot
from lath.arena.referee.recognition import introduce, meet, recognised
from lath.notation.protocol import TimeControl

WAITING = Limits(time=TimeControl(), startup_s=1.0)
HASTY = dataclasses.replace(WAITING, startup_s=0.1)
"""For what fails anyhow."""

TRYING = (4.0, 20.0, 60.0)
"""Seconds for all contests: a bot waits for its share of them before its own is tried."""


def bot_with(name: str, command: tuple[str, ...]) -> Bot:
    spec = BotSpec(name=name, command=command, may_be_of_contest=True)
    return bot_of(spec, watch.Watch(), tree=new_tree())


def built(program: Program, name: str, folder: Path) -> Bot:
    words = program.command(name, folder)
    if words is None:
        pytest.skip(f"nothing starts {program.suffix} here")
    return bot_with(name, words)


@pytest.mark.parametrize("name", CONTEST)
def test_a_bot_of_a_contest_is_recognised(name: str, tmp_path: Path) -> None:
    bot = built(CONTEST[name], name, tmp_path)
    with pytest.raises(GameVoidError):
        bot.start(HASTY)
    limits = (dataclasses.replace(WAITING, startup_s=startup_s) for startup_s in TRYING)
    assert any(recognised(bot, each) == CONTEST[name].contest for each in limits)
    assert not bot.is_running


@pytest.mark.parametrize("name", OTHERS)
def test_no_other_program_is_called_one(name: str, tmp_path: Path) -> None:
    bot = built(OTHERS[name], name, tmp_path)
    with pytest.raises(GameVoidError) as error:
        meet(bot, WAITING)
    bot.kill()
    assert not isinstance(error.value, ContestBotError), error.value
    assert "before ok" in str(error.value) or "did not say ok" in str(error.value)


def test_no_bad_bot_is_called_one() -> None:
    kinds = [fault.kind for fault in BAD_BOTS if fault.kind and not fault.is_real]
    called, limits = [], dataclasses.replace(WAITING, startup_s=0.5)
    for kind in kinds:
        with scripted(LOG="/dev/null"), suppress(GameVoidError, ConfigError):
            bot = bot_with(kind.__name__, (sys.executable, kind.__name__))
            try:
                introduce(bot, limits, ["yavalath"])
            except ContestBotError as error:
                called.append(str(error))
            finally:
                bot.kill()
    assert called == []
    assert len(kinds) > 50


PYTHON = shlex.quote(sys.executable)

TYPED = {
    "match": ("match", "greedy", f"{PYTHON} -IS cg.py", "--budget", "2"),
    "run --bot": ("run", "--bot", "greedy", "--bot", f"cg={PYTHON} -IS cg.py", "--output", "out"),
    "run --add": ("run", "--add", f"cg={PYTHON} -IS cg.py", "--add", "greedy", "--output", "out"),
    "play": ("play", "yavalath", f"--bot=cg={PYTHON} -IS cg.py"),
}
"""Commands that meet a bot of CodinGame; with its protocol behind it they are what to type."""


@pytest.fixture
def stranger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "cg.py").write_text(INTS)
    return tmp_path


@pytest.mark.parametrize("name", TYPED)
def test_a_command_that_meets_one_says_what_to_type(name: str, stranger: Path) -> None:
    said = arena(*TYPED[name]).err
    assert "this looks like a CodinGame bot; add `; protocol=codingame`" in said
    again = next(line for line in said.splitlines() if "hint: arena" in line)
    words = shlex.split(again.partition("hint: ")[2])
    meant = [f"{word}; protocol=codingame" if "cg.py" in word else word for word in TYPED[name]]
    game = ["--game", "yavalath"] if name.startswith("run") else []
    assert words == ["arena", *meant, *game]


def test_a_protocol_that_is_said_is_the_only_one_tried(stranger: Path) -> None:
    bot = f"cg={PYTHON} -IS cg.py; protocol=lath"
    for words in (("play", "yavalath", "--bot", bot), ("match", "greedy", bot)):
        assert "exited with status 1 before ok" in (said := arena(*words).err)
        assert "looks like" not in said
    for more, is_recognised in ((["--protocol", "lath"], False), ([], True)):
        ran = arena("bot", "check", "--only", "hello", *more, "--", sys.executable, "-IS", "cg.py")
        mend = " ".join(ran.out.split())
        assert ("arena bot check --protocol codingame --only hello" in mend) is is_recognised


def test_a_configuration_is_told_by_its_line_and_key(stranger: Path) -> None:
    bots = [
        {"name": "greedy"},
        {"name": "cg", "command": [sys.executable, "-IS", "cg.py"]},
    ]
    text = tomlkit.dumps({"rounds": 1, "bot": bots})
    (stranger / "league.toml").write_text(text)
    said = arena("run", "league.toml", "--output", "out").err
    assert 'cg: this looks like a CodinGame bot; add `protocol = "codingame"`' in said
    line = (stranger / "league.toml").read_text().splitlines().index('name = "cg"') + 1
    assert f'league.toml:{line}: add the line protocol = "codingame" to this [[bot]]' in said
    assert 'games = ["yavalath"] at the top' in said
