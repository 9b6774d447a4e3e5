"""`arena init`: a commented configuration and a bot to start from.

The bots are those of `examples/bots`, which the wheel carries as `lath/arena/starters`.
"""

from __future__ import annotations

import os
import shlex
import sys
import tomllib
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Annotated, Final, Literal, NamedTuple

from lath import DOCUMENTATION
from lath.arena.cli.main import App, argument, option
from lath.arena.cli.outputs import made_folder
from lath.arena.errors import ConfigError
from lath.arena.tournament.programs import build_command
from lath.notation.files import write_atomically

app = App()


Language = Literal["python", "javascript", "c", "cpp", "rust", "shell"]
"""What a first bot is written in."""


class Starter(NamedTuple):
    """A bot to start from: its file among the examples, and in the new folder.

    Command and games are as TOML has them; `build` is what to do before it runs, empty: nothing.
    """

    source: str
    file: str
    command: str
    games: str = '["mammalath", "manalath", "surikata", "yavalath"]'
    build: str = ""


STARTERS: Final[Mapping[Language, Starter]] = {
    "python": Starter("dice.py", "mybot.py", '["python", "mybot.py"]'),
    "javascript": Starter("random.js", "mybot.js", '["node", "mybot.js"]'),
    "c": Starter(
        "four_in_line.c", "mybot.c", '["./mybot"]', '["yavalath"]', build_command("mybot.c")
    ),
    "cpp": Starter("legal.cpp", "mybot.cpp", '["./mybot"]', build=build_command("mybot.cpp")),
    "rust": Starter("legal.rs", "mybot.rs", '["./mybot"]', build=build_command("mybot.rs")),
    "shell": Starter("legal.sh", "mybot.sh", '["sh", "mybot.sh"]'),
}

_TOML: Final = """\
# A tournament. `arena run tournament.toml --out results` plays it and writes everything into
# results/; started again, it goes on where it stopped. `arena schema config` lists every key.

event = "My first tournament"
games = {games}        # `arena games` lists them
# or gauntlet, swiss, knockout, match, tune, pool: {documents}tournaments/
format = "round-robin"
rounds = 5                 # each round: every pairing plays every game, both seats of one setup
seed = 1                   # setups and the bots' seeds follow from it
jobs = 1                   # games at the same time; "auto": as many as there are cores for

[time]
initial = "5s"             # on the clock before the first move
increment = "50ms"         # added after each move
# move = "500ms"           # or: a fixed time for each move
# nodes = 1000             # or: nodes, which the bots count themselves
# first = "1s"             # the first move alone, off the clock

[[bot]]
name = "greedy"            # a bundled bot needs no command; `arena bot list` shows them

[[bot]]
name = "mine"
command = {command}
{build}# cwd = "engines"          # where it runs; else in a scratch folder of its own
# env = {{ MYBOT_LOG = "0" }}
# options = {{ threads = 1 }}
# memory = "512MiB"
# time = {{ move = "1s" }}   # instead of [time]
"""

BotLanguage = Annotated[
    Language, option("--bot", "LANG", "python, javascript, c, cpp, rust or shell.")
]

_README: Final = """\
# A bot
`{file}` is the bot; `choose`, or what answers `go`, is where yours begins.

{built}- Does it keep the protocol? `arena bot check -- {command}`
- A game against it: `arena play yavalath --bot 'mine={command}'`
- The tournament of `tournament.toml`: `arena run tournament.toml --out results`,
  and then open `results/report.html`.
- Is a change better? `arena match 'old={command}; cwd=OLD' 'new={command}; cwd=.'`
- Opponents: `arena bot list`; beginners beat `mcts; option.level=2`.
"""


def _is_as_written(path: Path, text: str) -> bool:
    """Return whether a file is what is to be written: somebody was stopped before the next one."""
    try:
        return path.read_bytes() == text.encode()
    except OSError:
        return False


@app.command()
def init(
    folder: Annotated[Path, argument("DIR", "Made if it is missing.")] = Path(),
    bot: Annotated[
        Language, option("--bot", "LANG", "python, javascript, c, cpp, rust or shell.")
    ] = "python",
) -> None:
    """Write a commented tournament.toml and a bot to start from.

    A README.md comes with them. No file is overwritten.

    Example: arena init my-bots --bot javascript
    """
    starter = STARTERS[bot]
    packed = resources.files("lath.arena") / "starters" / starter.source
    checkout = Path(__file__).resolve().parents[2] / "examples" / "bots" / starter.source
    command = shlex.join(tomllib.loads(f"command = {starter.command}")["command"])
    build = f'build = "{starter.build}"\ncwd = "."\n' if starter.build else ""
    texts = {
        "tournament.toml": _TOML.format(
            documents=DOCUMENTATION, games=starter.games, command=starter.command, build=build
        ),
        starter.file: (packed if packed.is_file() else checkout).read_text(encoding="utf-8"),
        "README.md": _README.format(
            file=starter.file,
            built=f"- Build it: `{starter.build}`\n" if starter.build else "",
            command=command,
        ),
    }
    for name, text in texts.items():
        if os.path.lexists(folder / name) and not _is_as_written(folder / name, text):
            raise ConfigError(f"{folder / name} is there already; choose another folder")
    with made_folder(folder) as made:
        for name, text in texts.items():
            write_atomically(made / name, [text.encode()])
    steps = [
        f"cd {folder}" if folder != Path() else "",
        starter.build,
        f"arena bot check -- {command}",
        "arena run tournament.toml --out results",
    ]
    written = f"{folder / starter.file} and {folder / 'tournament.toml'} are written. Next:"
    print(written, *(f"  {step}" for step in steps if step), sep="\n", file=sys.stderr)
