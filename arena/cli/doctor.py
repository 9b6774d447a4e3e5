"""`arena doctor`: what this machine can do."""

from __future__ import annotations

import json
from dataclasses import asdict
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Annotated, Final

import typer

from lath.arena.cli.main import App, AsJson, argument, option
from lath.arena.errors import FAULT
from lath.arena.terminal.layout import Output
from lath.arena.terminal.streams import data_output
from lath.arena.tournament.diagnosis import Finding, findings
from lath.arena.tournament.entrants import wall_of

app = App()

_MARKS: Final = {"ok": ("ok", "green"), "note": ("note", "yellow"), "missing": ("MISSING", "red")}
"""Of each verdict its word and its colour."""


@app.command()
def doctor(
    folder: Annotated[Path, argument("DIR", "Where results would be written.")] = Path(),
    sandbox: Annotated[
        str | None, option("--sandbox", "WALL", "The wall that bots need: user or bwrap.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Say what this machine can do, and what would mend the rest.

    Exit status 0 where a tournament can be run, 1 where something that it needs is missing; with
    --sandbox that wall is needed, too.

    Example: arena doctor --sandbox bwrap
    """
    found = list(findings(folder, wall_of(sandbox)))
    if as_json:
        rows = list(map(asdict, found))
        print(json.dumps(rows, indent=2, ensure_ascii=False), file=data_output())
    else:
        _print(found)
    raise typer.Exit(FAULT if any(one.verdict == "missing" for one in found) else 0)


def _print(found: list[Finding]) -> None:
    output = Output(to_stdout=True)
    width = max(len(one.name) for one in found)
    for group, rows in groupby(found, attrgetter("group")):
        output.console.print(output.text(group, "bold"))
        for one in rows:
            word, colour = _MARKS[one.verdict]
            line = output.text(f"  {one.name:{width}}  ")
            line.append(f"{word:7}", colour)
            line.append(f"  {one.found}")
            output.console.print(line, soft_wrap=True)
            if one.remedy:
                room = " " * (width + 13)
                output.console.print(output.text(f"{room}{one.remedy}"), soft_wrap=True)
