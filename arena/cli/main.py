"""Which commands there are, in which group, and how their help looks.

The module of a command is read when the command is asked for: each start of the program waits for
its own only, and `arena --help` for none.
"""

from __future__ import annotations

import inspect
import json
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from functools import cache, wraps
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple, get_args

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption

from lath.arena.errors import TYPED
from lath.arena.terminal.streams import data_output
from lath.notation.files.bounds import half_in
from lath.notation.record.errors import shortened


class Listed(NamedTuple):
    """A command: the module of this package that has it, and the first sentence of its help."""

    module: str
    says: str


TREE: Final[Mapping[str, Mapping[str, Listed]]] = {
    "Play": {
        "init": Listed("init", "Write a commented tournament.toml and a bot to start from."),
        "run": Listed("run", "Play a tournament, or resume one."),
        "match": Listed("match", "Say how good a bot is, or whether it is better than another."),
        "tune": Listed("tune", "Look for the best values of a bot's options, and test them."),
        "play": Listed("play", "Play against a bot in the terminal."),
        "serve": Listed("serve", "Serve a local site: watch tournaments live, play, analyse."),
    },
    "Bots": {"bot": Listed("bots", "List the bots; check, pack or replay one, read what it said.")},
    "Publish": {
        "rate": Listed("report", "Print result, ratings with intervals and crosstable."),
        "report": Listed("report", "Write the HTML report: one file that needs no network."),
    },
    "Records": {
        "check": Listed(
            "records",
            "Validate records and tournaments' directories.",
        ),
        "show": Listed(
            "records",
            "Draw the board of a record, or its game as GIF.",
        ),
        "convert": Listed("convert", "Convert records from one format to another."),
        "select": Listed("archives", "Write the records that match a query, of one file or many."),
        "analyze": Listed("analyze", "Add evaluations, marks and better moves to records."),
        "edit": Listed("edit", "Change records: tags, players, comments, length, variations."),
        "diff": Listed("archives", "Compare two archives, whatever their order."),
    },
    "Ask": {
        "stats": Listed(
            "stats",
            "Count games, lengths, results, endings, openings; measure games.",
        ),
        "explore": Listed(
            "explore",
            "Say what was played from a position, and what came of it.",
        ),
        "explain": Listed(
            "explain",
            "Say what costs a bot most points, and which games show it.",
        ),
        "solve": Listed("solve", "Say how a game ends from a position, and by which line."),
        "puzzles": Listed("puzzles", "Ask, make and prove positions with one right move."),
    },
    "House": {
        "games": Listed("games", "List the games, their legal moves, and counts of paths."),
        "doctor": Listed(
            "doctor",
            "Check that this machine can run tournaments.",
        ),
        "schema": Listed("games", "Print the JSON Schema (2020-12) of a format."),
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
"""Names that commands had before there were groups, and what is typed in their place."""


@cache
def commands_of(module: str) -> Mapping[str, Any]:
    """Return the commands that a module of this package has, by their names."""
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


# Typer keeps the classes of a context and of a formatter of help to itself: they are Any here.


class _Light:
    """An option or argument whose values are mostly cast without the library's models.

    They come from pydantic, which takes longer to load than most commands take for their work.
    Whatever is not plain text for a plain type is left to the library.
    """

    nargs: int
    multiple: bool
    type_descriptor: Any

    def get_runtime_param(self) -> Any:
        """Return what casts, as the library asks for it."""
        return self

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the value as it is declared; raises typer.BadParameter."""
        is_one = self.nargs == 1 and not self.multiple
        if value is None:
            return None if is_one else ()
        annotation, info = self.type_descriptor.annotation, self.type_descriptor.parameter_info
        is_list = annotation in (list[str], list[Path])
        kind = get_args(annotation)[0] if is_list else annotation
        values = value if is_list else [value]
        if kind is Path and "" in values:  # as of a variable of the shell that is not set
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
        # Nobody refuses letters of ASCII; what is no text has none that are refused.
        if cast and all(
            isinstance(one, kinds) and (not isinstance(one, str) or one.isascii()) for one in values
        ):
            return list(map(cast, values)) if is_list else cast(value)
        return super().get_runtime_param().coerce(value, param=param, ctx=ctx)  # type: ignore[misc]  # of the library


def _chosen(value: Any, choices: Iterable[Any], *, param: Any, ctx: Any) -> Any:
    """Return the choice that a text names; raises typer.BadParameter."""
    named = {str(choice): choice for choice in choices}
    if str(value) not in named:
        words = f"{shortened(str(value))} is not one of {', '.join(named)}"
        raise typer.BadParameter(words, ctx=ctx, param=param)
    return named[str(value)]


class LightOption(_Light, TyperOption):
    """An option of all our commands."""


class LightArgument(_Light, TyperArgument):
    """An argument of all our commands."""


class _OfLight:
    """What all commands have: their options and arguments are light.

    Typer makes these by itself, of two classes that nothing replaces.
    """

    def __init__(self, *, params: Iterable[Any], **given: Any) -> None:
        """Take what the library gives."""
        super().__init__(params=list(map(_light, params)), **given)  # type: ignore[call-arg]
        self._help: Any = None

    def get_help_option(self, ctx: Any) -> Any:
        """Return the option --help, the same one each time."""
        if self._help is None:
            self._help = _light(super().get_help_option(ctx))  # type: ignore[misc]
        return self._help


def _light(param: Any) -> Any:
    """Return the same option or argument as one of ours."""
    kind = LightOption if isinstance(param, TyperOption) else LightArgument
    ours = kind.__new__(kind)
    vars(ours).update(vars(param))
    return ours


class CommandGroup(_OfLight, TyperGroup):
    """A group of commands, each with a whole sentence in its help."""

    headings: Mapping[str, Iterable[str]] = {}
    """Names of commands below each; none: all below one."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 - Typer calls it
        """Write which commands there are."""
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
    """A group that lists what there is where no command is named."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the command line."""
        is_list = not args or (args[0].startswith("-") and args[0] not in ctx.help_option_names)
        return super().parse_args(ctx, ["list", *args] if is_list else args)


class Program(CommandGroup):
    """All commands; each is made when it is asked for."""

    headings = TREE

    def __init__(self, **given: Any) -> None:
        """Take what the library gives, but for the commands."""
        commands = {name: TyperCommand(name, help=one.says) for name, one in COMMANDS.items()}
        super().__init__(**{**given, "commands": commands})

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002 - Typer calls it
        """Return a command with all it takes; None where there is none of that name."""
        listed = COMMANDS.get(cmd_name)
        return None if listed is None else commands_of(listed.module)[cmd_name]


class Plain(_OfLight, TyperCommand):
    """A command whose help names its values as the documentation does: SOURCE..., N."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the options and arguments; only what may be left out stands in brackets."""
        pieces = super().collect_usage_pieces(ctx)
        # Of what may come several times Typer makes `{FILE...}...`.
        once = (piece.removesuffix("...") if piece.count("...") > 1 else piece for piece in pieces)
        return [piece.removeprefix("{").removesuffix("}") for piece in once]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write what each argument and each option means."""
        params = self.get_params(ctx)
        for kind in ("argument", "option"):
            records = (one.get_help_record(ctx) for one in params if one.param_type_name == kind)
            # Without the type in Python: `FILE... <list[Path]>`.
            rows = [(record[0].partition(" <")[0], record[1]) for record in records if record]
            if rows:
                with formatter.section(f"{kind.capitalize()}s"):
                    formatter.write_dl(rows)


def _with_quiet(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a command that takes -q, whether `function` has something to leave out or not."""
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

    def __init__(self, **options: Any) -> None:
        """Have no colours and no completion, unless told otherwise."""
        super().__init__(**{"add_completion": False, "rich_markup_mode": None, **options})

    def command(self, *args: Any, **options: Any) -> Callable[..., Any]:
        """Add a command with plain help; one that says nothing beside its data has -q too."""
        add = super().command(*args, **{"cls": Plain, **options})
        return lambda function: (add(_with_quiet(function)), function)[1]


# Whether a file can be read is said by who reads it: one that is only written need not be.


def option(names: str, metavar: str, says: str, **more: Any) -> Any:
    """Return an option with a value; `names` has a blank between two."""
    return typer.Option(*names.split(), metavar=metavar, help=says, **{"readable": False, **more})


MOST: Final = 2**63 - 1
"""What no count reaches, and every database and loop holds."""


def whole(least: int, most: int = MOST) -> Mapping[str, Any]:
    """Return what makes the value of an option or argument a whole number in this range.

    Its digits are 0 to 9: `1_0`, `10.0` and digits of other scripts are none, though the library
    of the command line takes them.
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
    """Return what makes the value of an option a number in this range, likewise in digits."""

    def read(text: str) -> float:
        if isinstance(text, float):  # what holds where nothing was said
            return text
        number = float(text) if _DECIMAL.fullmatch(text) else -1.0
        if number < least or (most is not None and number > most):
            upto = "" if most is None else f" to {most:g}"
            raise typer.BadParameter(f"{shortened(text)} is not a number from {least:g}{upto}")
        return number

    return {"min": least, **({} if most is None else {"max": most}), "parser": read}


_DECIMAL: Final = re.compile(r"[0-9]{1,9}(\.[0-9]{0,9})?|\.[0-9]{1,9}")


def positive(names: str, says: str) -> Any:
    """Return an option whose value is a number N from 1."""
    return option(names, "N", says, **whole(1))


def flag(names: str, says: str, **more: Any) -> Any:
    """Return an option that is there or not."""
    return typer.Option(*names.split(), help=says, **more)


def argument(metavar: str, says: str, **more: Any) -> Any:
    """Return what stands without a name."""
    return typer.Argument(metavar=metavar, help=says, **{"readable": False, **more})


Sandbox = Annotated[
    str | None,
    option("--sandbox", "WALL", "Around each bot at least: auto, none, user (one each) or bwrap."),
]

Cluster = Annotated[
    str | None,
    option("--cluster", "ADDRESS", "Play on Dask's workers: tls://HOST:PORT, or local:N here."),
]
HostsAlike = Annotated[
    bool, flag("--hosts-alike", "Refuse machines whose speed differs by more than 10 %.")
]


class SideOption(StrEnum):
    """A seat, as flags name it."""

    FIRST = "first"
    SECOND = "second"


Bom = Annotated[bool, flag("--bom", "Begin CSV with a byte order mark, as spreadsheets want it.")]
AsJson = Annotated[bool, flag("--json", "Print JSON for a program.")]
DoneAsJson = Annotated[bool, flag("--json", "Print what was done as a JSON object.")]
Quiet = Annotated[bool, flag("--quiet -q", "Print only data, problems and warnings.")]

WITHOUT: Final[Mapping[tuple[str, str], str]] = {
    ("schema", "--json"): "A schema is JSON already.",
}
"""Commands that lack one of the options that all others have, and why."""

PlayedGames = Annotated[list[str] | None, option("--game", "GAME", "A game, or its file, to play.")]
BudgetOfRun = Annotated[
    str | None, option("--budget", "N|TIME", "End for now after N games, or 90s, 10m, 2h.")
]
TestedElo = Annotated[
    str | None, option("--sprt", "ELO0,ELO1", "No better than ELO0, or better by ELO1?")
]
OpeningsAsOfRun = Annotated[
    str | None,
    option("--openings", "random:N|FILE[:N]", "Where games begin: as of `arena run`."),
]
GamesAtOnce = Annotated[
    str | None, option("--jobs -j", "N", "Games at the same time, or auto for one per core.")
]
GameFiles = Annotated[
    list[str] | None,
    option("--game", "GAME|FILE", "The game of records that name none, or of ./mygame.py, too."),
]
GameId = Annotated[str, argument("GAME", "The game, see `arena games`; or a file.")]
Strict = Annotated[bool, flag("--strict", "Records of games that are not here are bad, too.")]


def print_json(value: object) -> None:
    """Print a value as JSON on standard output."""
    print(json.dumps(value, indent=2, ensure_ascii=False), file=data_output(), flush=True)


def print_done(
    done: Mapping[str, object], *lines: str, as_json: bool = False, quiet: bool = False
) -> None:
    """Print what a command did: for programs as an object, else in lines on standard error."""
    if as_json:
        print_json(done)
    elif lines and not quiet:
        print(*lines, sep="\n", file=sys.stderr)


def refuse_json_beside(*outs: Path | None, as_json: bool) -> None:
    """Raise BadParameter where one of the outputs is standard output, as that of --json is."""
    if as_json and Path("-") in outs:
        raise typer.BadParameter("--json: standard output is taken by -o -; name a file there")


def require_csv(*, bom: bool, as_csv: bool) -> None:
    """Raise BadParameter for a byte order mark where no CSV is printed."""
    if bom and not as_csv:
        raise typer.BadParameter("--bom: needs --csv")


def add_games(
    files: Iterable[str] | None, *, is_strict: bool = False, wants_moves: bool = True
) -> None:
    """Add the games of files that somebody names, so that records of them can be read.

    A game that is here already is that of records that name none. If `is_strict`, records of games
    that are not here are problems. If not `wants_moves`, results alone will do. Raises ConfigError
    and GameFileError.
    """
    from lath import games  # start-up time
    from lath.arena.errors import ConfigError
    from lath.arena.tournament.outcome.taken import TAKEN

    TAKEN.is_strict, TAKEN.wants_moves = is_strict, wants_moves
    for text in files or ():
        game_id = games.named(text)
        if games.origin(game_id) is None:
            if wants_moves:
                games.get(game_id)  # refused where there is no such game
            if TAKEN.game and TAKEN.game != game_id:
                raise ConfigError(f"--game: give one, not both {TAKEN.game} and {game_id}")
            TAKEN.give_game(game_id)


app = App(
    name="arena",
    cls=Program,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version  # start-up time

        print(version("lath-arena"))
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool, flag("--version", "Print the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Bot tournaments, game records and ratings for small abstract games."""
