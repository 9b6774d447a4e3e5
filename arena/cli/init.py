"""`arena init`: write a commented configuration with a bot, or a game type in one file.

The bots come from `examples/bots`, in the wheel `lath/arena/starters`. The game type comes from
`examples/new-game`, in the wheel `lath/arena/new_game`.
"""

from __future__ import annotations

import json
import keyword
import os
import re
import shlex
import sys
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from importlib import resources
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Final, Literal, NamedTuple

from lath import DOCUMENTATION, games
from lath.arena.cli.help import Printed, Topic
from lath.arena.cli.main import App, DoneAsJson, Plain, Quiet, argument, option, print_done
from lath.arena.cli.outputs import made_folder
from lath.arena.entrants.programs import build_command
from lath.arena.entrants.sizes import DEMO_GAMES
from lath.arena.errors import ConfigError
from lath.games.errors import hinted
from lath.notation.files.files import write_atomically
from lath.notation.record.errors import shortened

app = App()


Language = Literal["python", "javascript", "c", "cpp", "rust", "shell"]
"""The programming language of the bot."""


class Starter(NamedTuple):
    """A bot to start from: its file among the examples and its file in the new folder.

    `command` is in TOML syntax; `build` is the command that compiles the bot, or empty.
    """

    source: str
    file: str
    command: str
    games: Sequence[str] = DEMO_GAMES
    build: str = ""


STARTERS: Final[Mapping[Language, Starter]] = {
    "python": Starter("dice.py", "mybot.py", '["python", "mybot.py"]'),
    "javascript": Starter("random.js", "mybot.js", '["node", "mybot.js"]'),
    "c": Starter(
        "four_in_line.c", "mybot.c", '["./mybot"]', ["yavalath"], build_command("mybot.c")
    ),
    "cpp": Starter("legal.cpp", "mybot.cpp", '["./mybot"]', build=build_command("mybot.cpp")),
    "rust": Starter("legal.rs", "mybot.rs", '["./mybot"]', build=build_command("mybot.rs")),
    "shell": Starter("legal.sh", "mybot.sh", '["sh", "mybot.sh"]'),
}

_TOML: Final = """\
# A tournament. `arena run tournament.toml --output results` plays it into the folder results.
# Run the same command again to resume. All keys: {documents}reference/tournament-toml/

event = "My first tournament"
games = {games}        # `arena games` lists them
format = "round-robin"     # or gauntlet, swiss, knockout, match, tune, pool
rounds = 5                 # in a round, each pairing plays one opening of each game type twice
seed = 1                   # setups, openings and the bots' seeds follow from it
jobs = 1                   # games at the same time; "auto": as many as the cores allow

[time]
initial = "5s"             # on the clock before the first move
increment = "50ms"         # added after each move
# move = "500ms"           # instead of a clock: time for each move
# nodes = 1000             # instead of a clock: nodes for each move
# first = "1s"             # time for a bot's first move of a game

[[bot]]
name = "greedy"            # a bundled bot needs no command; `arena bot list` shows them

[[bot]]
name = "mine"
command = {command}
{build}# cwd = "engines"          # folder in which the bot runs
# env = {{ MYBOT_LOG = "0" }}
# options = {{ threads = 1 }}
# memory = "512MiB"
# time = {{ move = "1s" }}   # instead of [time]
"""


_README: Final = """\
# A bot
`{file}` is the bot. Change `choose`, or the code that answers `go`.

{built}- Does it keep the protocol? `arena bot check -- {command}`
- A game against it: `arena play yavalath --bot 'mine={command}'`
- The tournament of `tournament.toml`: `arena run tournament.toml --output results`,
  and then open `results/report.html`.
- Is a change better? `arena match 'old={command}; cwd=OLD' 'new={command}; cwd=.'`
- Opponents: `arena bot list`; beginners beat `mcts; option.level=2`.
"""


GAME_NAME: Final = "mygame"
"""The name of the game type in the examples, and the default name of a new one."""

_GAME_FILES: Final = (f"{GAME_NAME}.py", f"test_{GAME_NAME}.py", "README.md")

_NAME: Final = re.compile("[a-z][a-z0-9_]*")


class Init(Plain):
    """The command; its option `--game` can have no value."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the command line."""
        given: list[str] = []
        for word, after in pairwise([*args, "-"]):
            given += [word, GAME_NAME] if word == "--game" and after.startswith("-") else [word]
        return super().parse_args(ctx, given)


def _game_texts(name: str) -> dict[str, str]:
    """Return the files of a new game type; raises ConfigError for an invalid name."""
    _refuse_name(name)
    packed = resources.files("lath.arena") / "new_game"
    checkout = Path(__file__).resolve().parents[2] / "examples" / "new-game"
    words = name.split("_")
    new = {
        GAME_NAME: name,
        f'"{GAME_NAME}"': f'"{name.replace("_", "-")}"',
        f"{GAME_NAME}:goal=avoid": f"{name.replace('_', '-')}:goal=avoid",
        f"./{GAME_NAME}.py:goal=avoid": f"./{name}.py:goal=avoid",
        f'"{GAME_NAME}.py"': f'"{name}.py"',
        "MyGame": "".join(word.capitalize() for word in words),
        "My Game": " ".join(word.capitalize() for word in words if word),
    }
    pattern = re.compile("|".join(map(re.escape, sorted(new, key=len, reverse=True))))
    return {
        file.replace(GAME_NAME, name): pattern.sub(
            lambda found: new[found[0]],
            ((packed if packed.is_dir() else checkout) / file).read_text(encoding="utf-8"),
        )
        for file in _GAME_FILES
    }


def _refuse_name(name: str) -> None:
    """Raise ConfigError for an invalid name of a new game type, with a valid suggestion."""
    close = re.sub("[^a-z0-9]+", "_", name.removesuffix(".py").lower()).strip("_0123456789")
    fits = _NAME.fullmatch(close) and not _taken(close)
    hint = f"arena init --game {close if fits else 'my_game'}"
    if not _NAME.fullmatch(name) or name.endswith("_") or "__" in name or len(name) > MOST_LETTERS:
        words = (
            f"--game: {shortened(name)} is not a valid name; use at most {MOST_LETTERS} small "
            "letters, digits and single _, and begin with a letter"
        )
        raise ConfigError(hinted(words, hint))
    if why := _taken(name):
        raise ConfigError(hinted(f"--game: {name!r} is {why}", hint))


MOST_LETTERS: Final = 40
"""The maximum length of a new game type's name."""


def _taken(name: str) -> str:
    """Return what already uses a name; empty if the name is free."""
    if keyword.iskeyword(name) or keyword.issoftkeyword(name):
        return "a Python keyword"
    if name.replace("_", "-") in games.builtin_ids() + games.plugin_ids():
        return "the id of an installed game"
    if name in sys.stdlib_module_names or name in ("lath", "pytest", "conftest"):
        return "the name of a Python module"
    return "a name for tests" if name.startswith("test_") else ""


def _init_game(folder: Path, text: str, *, as_json: bool, quiet: bool) -> None:
    """Write a game type, its test and a README."""
    where, _, name = text.rpartition("/")
    folder = folder / where if where else folder
    try:
        texts = _game_texts(name)
        _write(folder, texts)
    except ConfigError as error:
        apart = "/".join(filter(None, (where, name, name)))
        raise ConfigError(hinted(str(error), f"arena init --game {apart}")) from error
    steps = [
        f"cd {shlex.quote(str(folder))}" if folder != Path() else "",
        f"arena games ./{name}.py",
        f"arena play ./{name}.py --bot mcts",
    ]
    words = f"{folder / name}.py, its test and README.md were written. Next:"
    _print_written(folder, texts, words, steps, as_json=as_json, quiet=quiet)


def _print_written(
    folder: Path,
    files: Iterable[str],
    words: str,
    steps: Iterable[str],
    *,
    as_json: bool,
    quiet: bool,
) -> None:
    """Print the names of the written files and the next steps."""
    done = {"written": [str(folder / file) for file in files]}
    lines = [words, *(f"  {step}" for step in steps if step)]
    print_done(done, *lines, as_json=as_json, quiet=quiet)


def _write(folder: Path, texts: Mapping[str, str]) -> None:
    """Write new files into a folder and overwrite none; raises ConfigError."""
    for name, text in texts.items():
        if os.path.lexists(folder / name) and not _is_as_written(folder / name, text):
            raise ConfigError(f"{folder / name}: already exists", hint="arena init DIR")
    with made_folder(folder) as made:
        for name, text in texts.items():
            write_atomically(made / name, [text.encode()])


def _is_as_written(path: Path, text: str) -> bool:
    """Return whether the file has this content already, from an interrupted earlier run."""
    try:
        return path.read_bytes() == text.encode()
    except OSError:
        return False


@app.command(cls=Init, example="arena init my-bots", prints=(Printed("written"),))
def init(
    folder: Annotated[
        Path, argument("DIR", "Folder to write into.", default="the current folder")
    ] = Path(),
    bot: Annotated[
        Language | None,
        option(
            "--bot",
            "LANG",
            "Programming language of the bot.",
            Topic.GAMES,
            choices=STARTERS,
            default="python",
        ),
    ] = None,
    game: Annotated[
        str | None,
        option(
            "--game",
            "[DIR/]NAME",
            "Name of a game type to create instead of a bot.",
            Topic.GAMES,
            default=GAME_NAME,
        ),
    ] = None,
    as_json: DoneAsJson = False,
    quiet: Quiet = False,
) -> None:
    """Create a commented tournament.toml and a first bot.

    The arena also writes a README.md that explains the next steps. With --game, it writes a game
    type in one file, a test and a README.md instead. It never overwrites a file.
    """
    if game is not None:
        if bot is not None:
            raise ConfigError("--bot: cannot be combined with --game")
        _init_game(folder, game, as_json=as_json, quiet=quiet)
        return
    starter = STARTERS[bot or "python"]
    packed = resources.files("lath.arena") / "starters" / starter.source
    checkout = Path(__file__).resolve().parents[2] / "examples" / "bots" / starter.source
    command = shlex.join(tomllib.loads(f"command = {starter.command}")["command"])
    build = f'build = "{starter.build}"\ncwd = "."\n' if starter.build else ""
    texts = {
        "tournament.toml": _TOML.format(
            documents=DOCUMENTATION,
            games=json.dumps(starter.games),
            command=starter.command,
            build=build,
        ),
        starter.file: (packed if packed.is_file() else checkout).read_text(encoding="utf-8"),
        "README.md": _README.format(
            file=starter.file,
            built=f"- Build it: `{starter.build}`\n" if starter.build else "",
            command=command,
        ),
    }
    _write(folder, texts)
    steps = [
        f"cd {folder}" if folder != Path() else "",
        starter.build,
        f"arena bot check -- {command}",
        "arena run tournament.toml --output results",
    ]
    words = f"{folder / starter.file} and {folder / 'tournament.toml'} were written. Next:"
    _print_written(folder, texts, words, steps, as_json=as_json, quiet=quiet)
