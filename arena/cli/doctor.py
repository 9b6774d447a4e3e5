"""`arena doctor`: check that this machine can run tournaments."""

from __future__ import annotations

import textwrap
from dataclasses import asdict
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Annotated, Final

import typer

from lath.arena.cli.help import LIST, Printed, Topic
from lath.arena.cli.main import App, AsJson, argument, option, print_json
from lath.arena.doctor.doctor import findings
from lath.arena.doctor.findings import DoctorFinding
from lath.arena.entrants.origins import sandbox_of
from lath.arena.errors import FAULT, ConfigError
from lath.arena.terminal.layout import Output

app = App()

_MARKS: Final = {"ok": ("ok", "green"), "note": ("note", "yellow"), "missing": ("MISSING", "red")}
"""The word and the colour of each verdict."""


@app.command(
    example="arena doctor",
    statuses={FAULT: "Something necessary is missing, or a worker cannot play"},
    prints=(Printed(shape=LIST, schema="doctor"),),
)
def doctor(
    folder: Annotated[
        Path, argument("DIR", "Folder for the results.", default="the current folder")
    ] = Path(),
    sandbox: Annotated[
        str | None,
        option(
            "--sandbox",
            "LEVEL",
            "Sandbox that your bots need.",
            Topic.SANDBOX,
            choices=("user", "bwrap"),
        ),
    ] = None,
    cluster: Annotated[
        str | None,
        option(
            "--cluster",
            "ADDRESS",
            "Cluster to check instead of this machine: tls://HOST:PORT or local:N.",
            Topic.SANDBOX,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check that this machine can run tournaments.

    For each problem, the arena prints what to install or to set. With --cluster, it checks every
    worker, and starts the bots of the tournament in DIR there.
    """
    if cluster is not None:
        if sandbox is not None:
            raise ConfigError(
                "--sandbox: cannot be combined with --cluster, which checks sandboxes itself"
            )
        from lath.arena.cluster.opening import address_of  # start-up time

        with address_of(cluster) as named:
            from lath.arena.cluster.diagnosis import findings as of_workers  # start-up time

            found = list(
                of_workers(named.address, folder, workers=named.workers, is_trial=named.is_trial)
            )
    else:
        found = [*findings(folder, sandbox_of(sandbox)), _terminal(Output(to_stdout=True))]
    if as_json:
        print_json(list(map(asdict, found)))
    else:
        _print(found)
    raise typer.Exit(FAULT if any(one.verdict == "missing" for one in found) else 0)


def _terminal(output: Output) -> DoctorFinding:
    console = output.console
    if not console.is_terminal:
        return DoctorFinding(
            group="terminal", name="terminal", found="output is not a terminal: colours are off"
        )
    colours = {"truecolor": "16 million", "256": "256", "standard": "16"}
    count = colours.get(console.color_system or "", "no")
    is_ascii = output.letters.is_ascii
    return DoctorFinding(
        group="terminal",
        name="terminal",
        verdict="note" if is_ascii else "ok",
        found=f"{console.width} columns, {count} colours, {'ASCII' if is_ascii else 'Unicode'}",
        remedy="export LANG=C.UTF-8" if is_ascii else "",
        numbers={"columns": console.width},
    )


WIDTH: Final = 100
"""Columns of a line, if the terminal has as many."""

_NAME: Final = 14
"""Columns of the name; a longer name moves the text after it."""


def _print(found: list[DoctorFinding]) -> None:
    output = Output(to_stdout=True)
    wide, room = min(WIDTH, output.width), " " * (_NAME + 13)
    for group, rows in groupby(found, attrgetter("group")):
        output.console.print(output.text(group, "bold"))
        for one in rows:
            word, colour = _MARKS[one.verdict]
            begins = f"  {one.name:{_NAME}}  "
            for line in _wrapped(f"{begins}{word:7}  {one.found}", wide, room):
                text = output.text(line)
                if line.startswith(begins):
                    text.stylize(colour, len(begins), len(begins) + len(word))
                output.console.print(text, soft_wrap=True)
            for line in _wrapped(f"{room}{one.remedy}" if one.remedy else "", wide, room):
                output.console.print(output.text(line), soft_wrap=True)


def _wrapped(text: str, width: int, room: str) -> list[str]:
    """Return lines of at most `width` columns, except for longer words such as paths."""
    return textwrap.wrap(
        text, width, subsequent_indent=room, break_long_words=False, break_on_hyphens=False
    )
