"""`arena analyze`: what a bot thinks of the plies of records, written into them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Final

import typer

from lath.arena import signals
from lath.arena.analysing import Analyst, Kept, analysed
from lath.arena.answers import MOST_NODES, Limit
from lath.arena.cli.files import (
    Quiet,
    Sources,
    bad_words,
    refuse_other_formats,
)
from lath.arena.cli.main import App, GameFiles, add_games, option, seconds, whole
from lath.arena.cli.outputs import RECORDS, Force, Target
from lath.arena.cli.selection import Selection, Where
from lath.arena.engine import Engine
from lath.arena.errors import INTERRUPTED, ConfigError
from lath.arena.solving import note_on
from lath.arena.terminal.streams import tell_over
from lath.notation.writer import format_record

app = App()

Bot = Annotated[str, option("--bot", "BOT", "Who analyses; one that tells of proofs sees most.")]
Nodes = Annotated[int, option("--nodes", "N", "For each position.", **whole(1, MOST_NODES))]
Seconds = Annotated[
    float | None,
    option("--seconds", "S", "For each position, in place of nodes.", **seconds(0.001)),
]
Jobs = Annotated[int, option("--jobs", "N", "Bots that analyse at the same time.", **whole(1))]
Out = Annotated[Path, option("--output -o", "FILE", "Where the records go; - is standard output.")]

KEPT: Final = ".analysis"
"""What is written beside the output: the answers so far, until all is done."""


@app.command()
def analyze(
    files: Sources,
    bot: Bot = "solver",
    nodes: Nodes = 5000,
    seconds: Seconds = None,
    jobs: Jobs = 1,
    out: Out = Path("-"),
    where: Where = None,
    game: GameFiles = None,
    force: Force = False,
    quiet: Quiet = False,
) -> None:
    """Add evaluations, marks and better moves to records.

    `??` threw a proven result away, `?` loses by proof, `!` was the only move. Stopped, the same
    command goes on. Exit status 1 where records are bad.

    Example: arena analyze games.lath --bot alphabeta --nodes 20000 -o analysed.lath
    """
    add_games(game)
    limit = Limit(nodes=nodes) if seconds is None else Limit(seconds=seconds)
    name = f"{bot} {limit.time}"
    refuse_other_formats(out)
    output = Target(path=out, kind=RECORDS, inputs=files, force=force)
    output.refuse()
    kept_at = None if str(out) == "-" else out.with_name(f"{out.name}{KEPT}")
    if kept_at is not None and out.is_symlink():
        raise ConfigError(f"{out} is a link, expected a file of its own")
    selection = Selection(files, where)
    done = 0

    def texts(analysts: list[Analyst]) -> Iterator[bytes]:
        nonlocal done
        for record in analysed((record for _, record in selection), analysts):
            if done:
                yield b"\n"
            yield format_record(record).encode()
            done += 1
            if not quiet:
                tell_over(f"{done} records analysed")

    with signals.heeded(raises=True), ExitStack() as stack:
        kept = Kept(kept_at)
        stack.callback(kept.close)
        engines = [stack.enter_context(Engine.open(bot)) for _ in range(jobs)]
        if note := note_on(engines[0]):
            print(note, file=sys.stderr)
        try:
            output.write(texts([Analyst(one, name, limit, kept) for one in engines]))
        except KeyboardInterrupt:
            print("interrupted; the same command goes on where it was", file=sys.stderr)
            raise typer.Exit(INTERRUPTED) from None
    if kept_at is not None:
        kept_at.unlink(missing_ok=True)
    if selection.bad:
        print(f"{bad_words(selection.bad)} left out", file=sys.stderr)
        raise typer.Exit(1)
