"""What `arena init` writes: a commented configuration and a bot to start from.

The bots are those of `examples/bots`, which the wheel carries as `lath/arena/starters`.
"""

from __future__ import annotations

import shlex
import tomllib
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Final

from lath.arena.errors import ArenaError


@dataclass(frozen=True, slots=True)
class Starter:
    """A bot to start from."""

    source: str
    """File name among the examples."""

    file: str
    """File name in the new folder."""

    command: str
    """As TOML has it."""

    games: str
    """The games it plays, as TOML has it."""

    build: str = ""
    """What to do before it runs; empty: nothing."""


_ALL_GAMES: Final = '["mammalath", "manalath", "surikata", "yavalath"]'

STARTERS: Final = {
    "python": Starter("dice.py", "mybot.py", '["python", "mybot.py"]', _ALL_GAMES),
    "javascript": Starter("random.js", "mybot.js", '["node", "mybot.js"]', _ALL_GAMES),
    "c": Starter(
        "four_in_line.c", "mybot.c", '["./mybot"]', '["yavalath"]', "cc -O2 -o mybot mybot.c"
    ),
    "shell": Starter("legal.sh", "mybot.sh", '["sh", "mybot.sh"]', _ALL_GAMES),
}

_TOML: Final = """\
# A tournament. `arena run tournament.toml --out results` plays it and writes everything into
# results/; started again, it goes on where it stopped. `arena schema config` lists every key.

event = "My first tournament"
games = {games}        # `arena games` lists them
format = "round-robin"     # or gauntlet, swiss, knockout, match: docs/tournaments.md
rounds = 5                 # each round: every pairing plays every game, both seats of one setup
seed = 1                   # setups and the bots' seeds follow from it
jobs = 1                   # games at the same time; "auto": as many as there are cores for

[time]
initial = "5s"             # on the clock before the first move
increment = "50ms"         # added after each move
# move = "500ms"           # or: a fixed time for each move
# nodes = 1000             # or: nodes, which the bots count themselves

[[bot]]
name = "greedy"            # a bundled bot needs no command; `arena bot list` shows them

[[bot]]
name = "mine"
command = {command}
# cwd = "engines"          # where it runs; else in a scratch folder of its own
# env = {{ MYBOT_LOG = "0" }}
# options = {{ threads = 1 }}
# memory = "512MiB"
# time = {{ move = "1s" }}   # instead of [time]
"""


def write_starter(folder: Path, language: str) -> list[str]:
    """Write configuration and bot into `folder`; return what to do next, a line each.

    Raises ArenaError where a file is there already or cannot be written; nothing is written then.
    """
    starter = STARTERS[language]
    texts = {
        "tournament.toml": _TOML.format(games=starter.games, command=starter.command),
        starter.file: _example(starter.source),
    }
    there = [name for name in texts if (folder / name).exists()]
    if there:
        raise ArenaError(f"{folder / there[0]} is there already; choose another folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            (folder / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise ArenaError(f"{error.filename} cannot be written: {error.strerror}") from error
    steps = [] if folder == Path() else [f"cd {folder}"]
    steps += [starter.build] if starter.build else []
    return [
        f"{folder / starter.file} and {folder / 'tournament.toml'} are written. Next:",
        *(f"  {step}" for step in [*steps, *_commands(starter)]),
    ]


def _commands(starter: Starter) -> list[str]:
    words = tomllib.loads(f"command = {starter.command}")["command"]
    return [f"arena bot check -- {shlex.join(words)}", "arena run tournament.toml --out results"]


def _example(name: str) -> str:
    """Return an example's text: from the wheel, or else from the checkout."""
    packed = resources.files("lath.arena") / "starters" / name
    if packed.is_file():
        return packed.read_text(encoding="utf-8")
    checkout = Path(__file__).resolve().parent.parent
    return (checkout / "examples" / "bots" / name).read_text(encoding="utf-8")
