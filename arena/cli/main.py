"""The commands, their groups and the look of their help.

Each start of the program imports only the module of its own command, and `arena --help` none.
"""

from __future__ import annotations

import inspect
import json
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from functools import cache, wraps
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple, get_args

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption

from lath.arena.cli.help import AboutCommand, Documented, Printed, Topic, with_about
from lath.arena.errors import STATUSES, TYPED
from lath.arena.terminal.streams import data_output
from lath.notation.files.bounds import half_in
from lath.notation.record.errors import shortened


class Listed(NamedTuple):
    """A command: the module of this package that defines it, and the summary of its help."""

    module: str
    says: str


TREE: Final[Mapping[str, Mapping[str, Listed]]] = {
    "Play": {
        "init": Listed("init", "Create a commented tournament.toml and a first bot."),
        "run": Listed("run", "Play or resume a tournament."),
        "match": Listed("match", "Compare two bots, or find the level of one."),
        "tune": Listed("tune", "Find stronger values for a bot's options."),
        "play": Listed("play", "Play against a bot in the terminal."),
        "serve": Listed("serve", "Serve tournaments, records and bots as a local site."),
    },
    "Bots": {"bot": Listed("bots", "List, check, pack and debug bots.")},
    "Results": {
        "rate": Listed("report", "Print results, ratings and the crosstable."),
        "report": Listed("report", "Write the HTML report of tournaments or records."),
    },
    "Records": {
        "check": Listed("records", "Validate records and tournament directories."),
        "show": Listed("records", "Draw a position or animate a recorded game."),
        "convert": Listed("convert", "Convert records between formats."),
        "select": Listed("archives", "Write the records that match a query."),
        "analyze": Listed("analyze", "Add evaluations, marks and better moves to records."),
        "edit": Listed("edit", "Change tags, players and annotations of records."),
        "diff": Listed("diff", "Compare the records of two archives."),
    },
    "Study": {
        "stats": Listed("stats", "Summarise games by length, result, ending and opening."),
        "explore": Listed("explore", "Show the moves played from a position and their scores."),
        "explain": Listed("explain", "Find where a bot loses the most points."),
        "solve": Listed("solve", "Prove how a game ends from a position."),
        "puzzles": Listed("puzzles", "Solve, make and verify puzzles."),
    },
    "Setup": {
        "games": Listed("games", "List game types, their rules and legal moves."),
        "doctor": Listed("doctor", "Check that this machine can run tournaments."),
        "schema": Listed("games", "Print the JSON Schema of a format."),
    },
}
"""The commands by their groups, in the order of the help."""

COMMANDS: Final = {name: listed for group in TREE.values() for name, listed in group.items()}

MOVED: Final = {
    "bots": "arena bot list",
    "format": "arena edit FILE",
    "merge": "arena select A B -o OUT",
    "moves": "arena games moves GAME",
    "perft": "arena games perft GAME DEPTH",
    "sort": "arena select FILE --sort KEY -o OUT",
    "split": "arena select FILE --split KEY -o DIR",
}
"""Old names of commands, and the commands that replace them."""


@cache
def commands_of(module: str) -> Mapping[str, Any]:
    """Return the commands of a module in this package, by name."""
    return typer.main.get_group(import_module(f"lath.arena.cli.{module}").app).commands


def typed_command() -> str:
    """Return the words of the command line that name a command."""
    words = ["arena"]
    known: Mapping[str, Any] = COMMANDS
    for word in TYPED.get():
        if word not in known:
            break
        words.append(word)
        command = commands_of(COMMANDS[words[1]].module)[words[1]] if len(words) == 2 else None
        known = getattr(command, "commands", {})
    return " ".join(words)


# Any: Typer's classes for a context and for a formatter of help are private.


class _Light:
    """An option or argument that converts most values without the library's models.

    The models come from pydantic, which takes longer to load than most commands take for their
    work. The library converts every other value.
    """

    nargs: int
    multiple: bool
    type_descriptor: Any

    def get_runtime_param(self) -> Any:
        """Return the converter that the library calls."""
        return self

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the value with its declared type; raises typer.BadParameter."""
        is_one = self.nargs == 1 and not self.multiple
        if value is None:
            return None if is_one else ()
        annotation, info = self.type_descriptor.annotation, self.type_descriptor.parameter_info
        is_list = annotation in (list[str], list[Path])
        kind = get_args(annotation)[0] if is_list else annotation
        values = value if is_list else [value]
        if kind is Path and "" in values:  # such as from an unset shell variable
            raise typer.BadParameter("the path is empty", ctx=ctx, param=param)
        if kind is not Path and any(isinstance(one, str) and half_in(one) for one in values):
            raise typer.BadParameter("the value is not UTF-8 text", ctx=ctx, param=param)
        if is_one and (choices := self.type_descriptor.choices):
            return _chosen(value, choices, param=param, ctx=ctx)
        kinds: tuple[Any, ...] = (str, kind)
        cast: Callable[[Any], Any] | None = None
        if info.parser is not None:
            cast, kinds = info.parser if is_one else None, (object,)
        else:
            is_looked_at = info.exists or info.resolve_path or info.path_type or info.writable
            is_plain = kind is str or (kind is Path and not (is_looked_at or info.readable))
            cast = kind if is_plain and is_one is not is_list else None
        # Only text beyond ASCII can fail the library's checks.
        if cast and all(
            isinstance(one, kinds) and (not isinstance(one, str) or one.isascii()) for one in values
        ):
            return list(map(cast, values)) if is_list else cast(value)
        return super().get_runtime_param().coerce(value, param=param, ctx=ctx)  # type: ignore[misc]  # of the library


def _chosen(value: Any, choices: Iterable[Any], *, param: Any, ctx: Any) -> Any:
    """Return the choice with this name; raises typer.BadParameter."""
    named = {str(choice): choice for choice in choices}
    if str(value) not in named:
        words = f"{shortened(str(value))} is not one of {', '.join(named)}"
        raise typer.BadParameter(words, ctx=ctx, param=param)
    return named[str(value)]


class LightOption(_Light, TyperOption):
    """An option of the commands in this package."""


class LightArgument(_Light, TyperArgument):
    """An argument of the commands in this package."""


class _OfLight(Documented):
    """A command whose options and arguments are light.

    Typer creates options and arguments itself, always of its own two classes.
    """

    def __init__(self, *, params: Iterable[Any], **given: Any) -> None:
        """Replace the parameters by light ones."""
        super().__init__(params=list(map(_light, params)), **given)  # type: ignore[call-arg]
        self._help: Any = None

    def get_help_option(self, ctx: Any) -> Any:
        """Return the option --help, the same object each time."""
        if self._help is None:
            self._help = _light(super().get_help_option(ctx))  # type: ignore[misc]
            self._help.rich_help_panel, self._help.help = Topic.OUTPUT, "Show this help."
        return self._help


def _light(param: Any) -> Any:
    """Return the option or argument as a `LightOption` or `LightArgument`."""
    kind = LightOption if isinstance(param, TyperOption) else LightArgument
    ours = kind.__new__(kind)
    vars(ours).update(vars(param))
    return ours


class CommandGroup(_OfLight, TyperGroup):
    """A group of commands, listed with their summaries."""

    headings: Mapping[str, Iterable[str]] = {}
    """The names of the commands below each heading; empty for one list of all commands."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the options and the commands."""
        super().format_options(ctx, formatter)
        width = max(map(len, self.commands))
        for heading, names in (self.headings or {"Commands": self.commands}).items():
            rows = []
            for name in names:
                says, _, _ = (self.commands[name].help or "").partition("\n\n")
                rows.append((name.ljust(width), " ".join(says.split())))
            with formatter.section(heading):
                formatter.write_dl(rows)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command of this name; an unknown one fails with a close name."""
        name = args[0]
        if not name.startswith("-") and self.get_command(ctx, name) is None:
            from lath.arena.cli.usage import meant  # it imports this module

            now = MOVED.get(name, "") if self.headings else ""
            hint = now or meant(name, self.commands) or f"{ctx.command_path} --help"
            what = "has a new name" if now else f"not a command of `{ctx.command_path}`"
            ctx.fail(f"{shortened(name)[1:-1]}: {what}\nhint: {hint}")
        return super().resolve_command(ctx, args)


class ListGroup(CommandGroup):
    """A group whose default command is `list`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the command line."""
        is_list = not args or (args[0].startswith("-") and args[0] not in ctx.help_option_names)
        return super().parse_args(ctx, ["list", *args] if is_list else args)


class Program(CommandGroup):
    """The program; it loads each command only on demand."""

    headings = TREE

    def __init__(self, **given: Any) -> None:
        """Create the program without loading commands."""
        commands = {name: TyperCommand(name, help=one.says) for name, one in COMMANDS.items()}
        super().__init__(**{**given, "commands": commands})

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002 - Typer calls it
        """Return the command of this name, or None."""
        listed = COMMANDS.get(cmd_name)
        return None if listed is None else commands_of(listed.module)[cmd_name]


class Plain(_OfLight, TyperCommand):
    """A command whose usage line names arguments as the documentation does, such as SOURCE..."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the options and arguments, with optional ones in brackets."""
        pieces = super().collect_usage_pieces(ctx)
        # Typer writes a repeatable argument as `{FILE...}...`.
        once = (piece.removesuffix("...") if piece.count("...") > 1 else piece for piece in pieces)
        return [piece.removeprefix("{").removesuffix("}") for piece in once]


def _with_quiet(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return `function` as a command with the option -q."""
    signature = inspect.signature(function, eval_str=True)
    if "quiet" in signature.parameters:
        return function

    @wraps(function)
    def command(*, quiet: bool, **given: Any) -> Any:  # noqa: ARG001 - nothing is left out
        return function(**given)

    parameters = [
        *signature.parameters.values(),
        inspect.Parameter("quiet", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=Quiet),
    ]
    command.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {**function.__annotations__, "quiet": Quiet}
    return command


class App(typer.Typer):
    """The program, or commands of it."""

    def __init__(self, *, about: AboutCommand | None = None, **options: Any) -> None:
        """Create it without colours and completion; `about` is for a group with its own class."""
        cls = {} if about is None else {"cls": with_about(options["cls"], about)}
        plain = {"add_completion": False, "rich_markup_mode": None}
        super().__init__(**{**plain, **options, **cls})

    def command(
        self,
        *args: Any,
        example: str = "",
        statuses: Mapping[int, str] | None = None,
        prints: Sequence[Printed] = (),
        cls: Any = Plain,
        **options: Any,
    ) -> Callable[..., Any]:
        """Add a command with its example, its own exit statuses and what `--json` prints.

        If the command has no option -q, it gets one.
        """
        about = AboutCommand(example, statuses or {}, prints)
        add = super().command(*args, cls=with_about(cls, about), **options)
        return lambda function: (add(_with_quiet(function)), function)[1]


# Typer's check would also refuse files that are only written; reading reports its own errors.


def option(names: str, metavar: str, says: str, topic: Topic, **more: Any) -> Any:
    """Return an option with a value; `names` has a space between two.

    `choices` are listed after the meaning; `default` is the text for one that the command computes.
    """
    says += f" Choices: {', '.join(choices)}." if (choices := more.pop("choices", ())) else ""
    if default := more.pop("default", ""):
        more["show_default"] = default
    return typer.Option(
        *names.split(),
        metavar=metavar,
        help=says,
        rich_help_panel=topic,
        **{"readable": False, **more},
    )


MOST: Final = 2**63 - 1
"""The largest count that databases can store."""


def whole(least: int, most: int = MOST) -> Mapping[str, Any]:
    """Return keyword arguments that make a value a whole number from `least` to `most`.

    Only the digits 0 to 9 are allowed. The library itself also accepts `1_0`, `10.0` and digits of
    other scripts.
    """

    def read(text: str) -> int:
        number = int(text) if re.fullmatch("[0-9]{1,99}", text := str(text)) else -1
        if not least <= number <= most:
            upto = f" to {most}" if most < MOST else " to 2^63 - 1" if number > most else ""
            words = f"{shortened(text)} is not a whole number from {least}{upto}"
            raise typer.BadParameter(words)
        return number

    shown = {"max": most} if most < MOST else {}
    return {"min": least, **shown, "parser": read}


def seconds(least: float, most: float | None = None) -> Mapping[str, Any]:
    """Return keyword arguments that make a value a decimal number from `least` to `most`."""

    def read(text: str) -> float:
        if isinstance(text, float):  # the default of an option that was not given
            return text
        number = float(text) if _DECIMAL.fullmatch(text) else -1.0
        if number < least or (most is not None and number > most):
            upto = "" if most is None else f" to {most:g}"
            raise typer.BadParameter(f"{shortened(text)} is not a number from {least:g}{upto}")
        return number

    return {"min": least, **({} if most is None else {"max": most}), "parser": read}


_DECIMAL: Final = re.compile(r"[0-9]{1,9}(\.[0-9]{0,9})?|\.[0-9]{1,9}")


def positive(names: str, says: str, topic: Topic, **more: Any) -> Any:
    """Return an option whose value is a number N from 1."""
    return option(names, "N", says, topic, **whole(1), **more)


def flag(names: str, says: str, topic: Topic, **more: Any) -> Any:
    """Return an option without a value."""
    return typer.Option(*names.split(), help=says, rich_help_panel=topic, **more)


def argument(metavar: str, says: str, **more: Any) -> Any:
    """Return an argument; `default` is the text for a default that the command computes."""
    if default := more.pop("default", ""):
        more["show_default"] = default
    return typer.Argument(metavar=metavar, help=says, **{"readable": False, **more})


TIMES: Final = "10+0.1 (10 s per game and 0.1 s more per move), 'move 0.5', 'nodes 1000' or none"
"""Time controls, for help."""

Sandbox = Annotated[
    str | None,
    option(
        "--sandbox",
        "LEVEL",
        "Weakest sandbox allowed for any bot.",
        Topic.SANDBOX,
        choices=("auto", "none", "user", "bwrap"),
        default="auto",
    ),
]

Cluster = Annotated[
    str | None,
    option(
        "--cluster",
        "ADDRESS",
        "Dask cluster to play on: tls://HOST:PORT, or local:N for N workers on this machine.",
        Topic.SANDBOX,
    ),
]
HostsAlike = Annotated[
    bool,
    flag("--hosts-alike", "Refuse machines that differ in speed by more than 10%.", Topic.SANDBOX),
]


class SideOption(StrEnum):
    """The choices of the option --side."""

    FIRST = "first"
    SECOND = "second"


Bom = Annotated[
    bool, flag("--bom", "Write a byte order mark in CSV, for spreadsheets.", Topic.OUTPUT)
]
AsJson = Annotated[bool, flag("--json", "Print JSON on standard output.", Topic.OUTPUT)]
DoneAsJson = Annotated[bool, flag("--json", "Print a JSON summary of the result.", Topic.OUTPUT)]
Quiet = Annotated[bool, flag("--quiet -q", "Print only data, problems and warnings.", Topic.OUTPUT)]

WITHOUT: Final[Mapping[tuple[str, str], str]] = {
    ("schema", "--json"): "A schema is JSON already.",
}
"""Commands without one of the options that all others have, and why."""

BudgetOfRun = Annotated[
    str | None,
    option(
        "--budget",
        "N|TIME",
        "Limit of this run: N games, or a time such as 90s, 10m or 2h.",
        Topic.MOST_USED,
    ),
]
OpeningsAsOfRun = Annotated[
    str | None,
    option(
        "--openings",
        "random:N|FILE[:N]",
        "Openings of the games: N random plies, or the positions and the first N plies in FILE.",
        Topic.MOST_USED,
    ),
]


def games_option(default: str) -> Any:
    """Return the option --game of commands that play."""
    words = "Game type to play, or its file. Repeatable."
    return option("--game", "GAME", words, Topic.MOST_USED, default=default)


def jobs_option(default: str) -> Any:
    """Return the option --jobs of commands that play."""
    words = "Games played at the same time, or auto for as many as the cores allow."
    return option("--jobs -j", "N|auto", words, Topic.MOST_USED, default=default)


GamesAtOnce = Annotated[str | None, jobs_option("auto")]
TestedElo = Annotated[
    str | None,
    option(
        "--sprt",
        "ELO0,ELO1",
        "SPRT of two hypotheses: the new bot is better by at most ELO0, or by at least ELO1.",
        Topic.MOST_USED,
        default="0,40",
    ),
]
GameFiles = Annotated[
    list[str] | None,
    option(
        "--game",
        "GAME|FILE",
        "Game type of records that name none, or a file that defines a game type. Repeatable.",
        Topic.RECORDS,
    ),
]
OtherGames = Annotated[
    list[str] | None,
    option("--game", "FILE", "File that defines another game type. Repeatable.", Topic.GAMES),
]
GameId = Annotated[str, argument("GAME", "Game type from `arena games`, or its file.")]
Strict = Annotated[
    bool, flag("--strict", "Treat records of unknown game types as invalid.", Topic.RECORDS)
]


def print_json(value: object) -> None:
    """Print a value as JSON on standard output."""
    print(json.dumps(value, indent=2, ensure_ascii=False), file=data_output(), flush=True)


def print_done(
    done: Mapping[str, object], *lines: str, as_json: bool = False, quiet: bool = False
) -> None:
    """Print the summary of a command: as a JSON object, or as lines on standard error."""
    if as_json:
        print_json(done)
    elif lines and not quiet:
        print(*lines, sep="\n", file=sys.stderr)


def refuse_json_beside(*outs: Path | None, as_json: bool) -> None:
    """Raise BadParameter if --json and another output both need standard output."""
    if as_json and Path("-") in outs:
        raise typer.BadParameter(
            "--json: both --json and the other output need standard output\nhint: -o FILE"
        )


def require_csv(*, bom: bool, as_csv: bool) -> None:
    """Raise BadParameter for --bom without --csv."""
    if bom and not as_csv:
        raise typer.BadParameter("--bom: needs --csv")


def add_games(
    files: Iterable[str] | None, *, is_strict: bool = False, wants_moves: bool = True
) -> None:
    """Add the game types of the given files, so that commands can read records of them.

    A record without a game type belongs to the first of these game types. If `is_strict`, records
    of unknown game types are problems. If not `wants_moves`, results suffice. Raises ConfigError
    and GameFileError.
    """
    from lath import games  # start-up time
    from lath.arena.errors import ConfigError
    from lath.arena.tournament.outcome.taken import TAKEN

    TAKEN.is_strict, TAKEN.wants_moves = is_strict, wants_moves
    for game_id in (each for text in files or () for each in games.all_named(text)):
        if games.origin(game_id) is None:
            if wants_moves:
                games.get(game_id)  # raises an error for an unknown game type
            if TAKEN.game and TAKEN.game != game_id:
                raise ConfigError(f"--game: give one, not both {TAKEN.game} and {game_id}")
            TAKEN.give_game(game_id)


app = App(
    name="arena",
    cls=Program,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    about=AboutCommand("arena run --output demo", STATUSES),
)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version  # start-up time

        print(version("lath-arena"))
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool,
        flag("--version", "Show the version.", Topic.OUTPUT, callback=_version, is_eager=True),
    ] = False,
) -> None:
    """Bot tournaments, game records and ratings for small abstract games."""
