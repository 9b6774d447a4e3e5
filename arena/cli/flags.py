"""What `arena run` may be told on the command line: the type of each flag, its name and help.

Must not know what they do.
"""

from pathlib import Path
from typing import Annotated

import typer

ConfigFile = Annotated[
    Path | None,
    typer.Argument(metavar="CONFIG.toml", help="The tournament; else the built-in demo."),
]

Out = Annotated[Path, typer.Option("--out", metavar="DIR", help="Where everything is written.")]

Bots = Annotated[
    list[str] | None,
    typer.Option("--bot", metavar="NAME=CMD", help="A bot; NAME alone for a bundled one."),
]

Games = Annotated[list[str] | None, typer.Option("--game", metavar="GAME", help="A game to play.")]

Rounds = Annotated[int | None, typer.Option("--rounds", min=1, help="Rounds.")]

Time = Annotated[
    str | None,
    typer.Option(
        "--tc", metavar="TIME", help="10+0.1 (seconds), 'move 0.5', 'nodes 1000' or none."
    ),
]

Jobs = Annotated[
    str | None,
    typer.Option("--jobs", metavar="N", help="Games at the same time; auto: one a core."),
]

Seed = Annotated[int | None, typer.Option("--seed", min=0, help="For all chance.")]

Format = Annotated[
    str | None,
    typer.Option("--format", metavar="F", help="round-robin, gauntlet, swiss, knockout or match."),
]

Challengers = Annotated[
    int | None, typer.Option("--challengers", min=1, help="Gauntlet: the first N bots.")
]

Pairs = Annotated[
    int | None,
    typer.Option("--pairs", min=1, help="Swiss, knockout: setups per game and encounter."),
]

SprtTerms = Annotated[
    str | None,
    typer.Option("--sprt", metavar="ELO0,ELO1[,ALPHA,BETA]", help="Match: when it is decided."),
]

OpeningBook = Annotated[
    Path | None, typer.Option("--openings", metavar="FILE", help="Where games begin.")
]

Pin = Annotated[
    str | None,
    typer.Option("--pin", metavar="auto|off", help="auto: each game has cores of its own."),
]

Log = Annotated[
    str | None,
    typer.Option("--log", metavar="bad|all", help="Of which games the lines are kept."),
]

Force = Annotated[bool, typer.Option("--force", help="Go on though a bot's files have changed.")]

JsonEvents = Annotated[
    bool, typer.Option("--json-events", help="Print what happens as JSON lines.")
]

JsonEventsTo = Annotated[
    Path | None,
    typer.Option("--json-events-to", metavar="FILE", help="Write them to a file instead."),
]

DiskPatience = Annotated[
    float,
    typer.Option(
        "--disk-patience",
        metavar="SECONDS",
        min=0.0,
        help="How long to wait for room on a full disk.",
    ),
]

Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Tell of every game that ends.")]

Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but warnings and errors.")]
