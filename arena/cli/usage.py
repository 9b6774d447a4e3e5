"""How the help of commands looks: their order, and what stands for the values they take.

Must not know what they do.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import typer
from typer.core import TyperCommand, TyperGroup

if TYPE_CHECKING:
    from typer._click.core import Context
    from typer._click.formatting import HelpFormatter

ORDER: Final = (
    *("run", "init", "play", "rate", "report", "bot", "bots"),
    *("check", "format", "convert", "show", "select", "stats"),
    *("sort", "merge", "split", "diff", "games", "moves", "perft", "schema"),
)
"""Tournaments, bots, records, archives, games."""

PLAIN: Final = {"int": "N", "int range": "N", "float": "X", "float range": "X", "str": "TEXT"}
"""What stands for a value that has no name of its own, by what the library calls it."""


class Ordered(TyperGroup):
    """The commands in the order of `ORDER`."""

    def list_commands(self, ctx: Context) -> list[str]:
        """Return all of them, those that ORDER does not know last."""
        names = super().list_commands(ctx)
        return sorted(names, key=lambda name: ORDER.index(name) if name in ORDER else len(ORDER))


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
