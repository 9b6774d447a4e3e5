"""Which commands there are, and how their help looks.

Must not know what they do. The module of a command is read when the command is asked for: each
start of the program waits for its own only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

import typer
from typer.core import TyperCommand, TyperGroup

if TYPE_CHECKING:
    from typer._click.core import Command, Context
    from typer._click.formatting import HelpFormatter


_PHRASES: Final = (
    (r"^Value error, ", ""),
    (r"^(.*) is not one of (.*?)\.?$", r"\1, expected one of \2"),
    (r"^Input should be a valid integer\b.*", "expected a whole number"),
    (r"^(.*) is not a valid (?:integer|int)\.?$", r"\1, expected a whole number"),
    (r"^Input should be a valid number\b.*", "expected a number"),
    (r"^(.*) is not a valid float\.?$", r"\1, expected a number"),
    (r"^Input should be greater than or equal to (\S+)$", r"expected a number from \1"),
    (r"^Input should be less than or equal to (\S+)$", r"expected a number up to \1"),
)
"""What it says, with the models of pydantic or without, and what we say in its place."""


def plain(message: str) -> str:
    """Return the message; what is none of those that are known stays as it is.

    >>> plain("Value error, 'rust' is not one of 'python', 'c'.")
    "'rust', expected one of 'python', 'c'"
    >>> plain("Input should be a valid integer, unable to parse string as an integer")
    'expected a whole number'
    >>> plain("No such option: --frob")
    'No such option: --frob'
    """
    for phrase, ours in _PHRASES:
        message = re.sub(phrase, ours, message)
    return message


MODULES: Final = {
    "run": "run",
    "init": "run",
    "play": "play",
    "rate": "report",
    "report": "report",
    "bot": "bots",
    "bots": "games",
    "check": "records",
    "format": "records",
    "convert": "records",
    "show": "records",
    "select": "archives",
    "stats": "archives",
    "sort": "archives",
    "merge": "archives",
    "split": "archives",
    "diff": "archives",
    "games": "games",
    "moves": "games",
    "perft": "games",
    "schema": "games",
}
"""The module of this package that has each command, in the order of the help: tournaments, bots,
records, archives, games."""

PLAIN: Final = {"int": "N", "int range": "N", "float": "X", "float range": "X", "str": "TEXT"}
"""What stands for a value that has no name of its own, by what the library calls it."""


class Commands(Mapping[str, "Command"]):
    """The commands of `MODULES` by their names, each made when it is asked for."""

    def __getitem__(self, name: str) -> Command:
        """Return a command; raises KeyError."""
        return commands_of(MODULES[name])[name]

    def __iter__(self) -> Iterator[str]:
        """Return the names in the order of the help."""
        return iter(MODULES)

    def __len__(self) -> int:
        """Return how many there are."""
        return len(MODULES)


@cache
def commands_of(module: str) -> Mapping[str, Command]:
    """Return the commands that a module of this package has, by their names."""
    part = App(cls=TyperGroup, add_completion=False, rich_markup_mode=None)
    part.callback()(lambda: None)  # a group, also of one command
    import_module(f"lath.arena.cli.{module}").add_to(part)
    return typer.main.get_group(part).commands


class Program(TyperGroup):
    """All commands."""

    def __init__(self, **given: Any) -> None:
        """Take what the library gives, but for the commands."""
        super().__init__(**given)
        self.commands = Commands()  # type: ignore[assignment]  # none is ever added


class Plain(TyperCommand):
    """A command whose help names its values as the documentation does: SOURCE..., N."""

    def collect_usage_pieces(self, ctx: Context) -> list[str]:
        """Return the options and arguments; only what may be left out stands in brackets."""
        pieces = super().collect_usage_pieces(ctx)
        return [re.sub(r"^\{(.*?)(\.\.\.)?\}", r"\1", piece) for piece in pieces]

    def format_options(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write what each argument and each option means."""
        told: dict[str, list[tuple[str, str]]] = {"argument": [], "option": []}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None:
                told[param.param_type_name].append((_named(record[0]), record[1]))
        for kind, rows in told.items():
            if rows:
                with formatter.section(f"{kind.capitalize()}s"):
                    formatter.write_dl(rows)


def _named(text: str) -> str:
    """Return an option or an argument with the name of its value.

    >>> _named("SOURCE <list[Path]>"), _named("--rounds <int range>"), _named("--tc CONTROL")
    ('SOURCE', '--rounds N', '--tc CONTROL')
    """
    if not text.startswith("-"):
        return text.partition(" <")[0]
    return re.sub(r"<([^<>]*)>", lambda found: PLAIN.get(found[1], found[1]), text)


class App(typer.Typer):
    """The program, or a group of its commands."""

    def command(self, *args: Any, **options: Any) -> Callable[..., Any]:
        """Add a command, whose help is plain."""
        return super().command(*args, **{"cls": Plain, **options})
