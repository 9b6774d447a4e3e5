"""The command line: thin over the library, a module for each group of commands (usage.py).

Commands import what they need when they run: `arena moves` does not wait for the report.
"""

from __future__ import annotations

from typing import Annotated

import typer

from lath.arena.cli.usage import App, Program

app = App(
    name="arena",
    cls=Program,
    help="Bot tournaments, game records and ratings for small abstract games.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(version("lath-arena"))
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version.", callback=_version, is_eager=True),
    ] = False,
) -> None:
    """Bot tournaments, game records and ratings for small abstract games."""
