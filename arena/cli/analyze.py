"""`arena analyze`: a bot's evaluations of positions, written into records."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Final

import typer

from lath.arena.cli.files import (
    Sources,
    bad_words,
    read_from,
    refuse_other_formats,
)
from lath.arena.cli.help import Printed, Topic
from lath.arena.cli.main import (
    App,
    DoneAsJson,
    GameFiles,
    Quiet,
    add_games,
    option,
    print_done,
    refuse_json_beside,
    seconds,
    whole,
)
from lath.arena.cli.one_record import RecordNumber, numbered, played_in, ply_in
from lath.arena.cli.outputs import RECORDS, Force, Target
from lath.arena.cli.selection import Selection, Where
from lath.arena.engine.analysing import (
    USUAL_BOT,
    USUAL_NODES,
    Analyst,
    AnswerCache,
    analysed,
)
from lath.arena.engine.engine import Engine
from lath.arena.engine.solving import note_on
from lath.arena.errors import FAULT, INTERRUPTED, ConfigError
from lath.arena.machine import signals
from lath.arena.referee.answers import MOST_NODES, Limit
from lath.arena.terminal.notices import INTERRUPTION, print_note, print_warning
from lath.arena.terminal.streams import tell_over
from lath.games.errors import count_of
from lath.notation.record.record import Record
from lath.notation.text.writer import format_record

app = App()


KEPT: Final = ".analysis"
"""The suffix of a file beside the output that stores the answers until the end."""


@app.command(
    example="arena analyze games.lath --bot alphabeta --nodes 20000 -o analysed.lath",
    statuses={FAULT: "An invalid record was left out"},
    prints=(Printed("analysed bad written"),),
)
def analyze(
    files: Sources,
    bot: Annotated[
        str, option("--bot", "BOT", "Bot that analyses the games.", Topic.MOST_USED)
    ] = USUAL_BOT,
    nodes: Annotated[
        int, option("--nodes", "N", "Nodes per position.", Topic.MOST_USED, **whole(1, MOST_NODES))
    ] = USUAL_NODES,
    seconds: Annotated[
        float | None,
        option(
            "--seconds",
            "S",
            "Seconds per position, instead of nodes.",
            Topic.MOST_USED,
            **seconds(0.001),
        ),
    ] = None,
    jobs: Annotated[
        int,
        option(
            "--jobs -j",
            "N",
            "Number of bots that analyse at the same time.",
            Topic.MOST_USED,
            **whole(1),
        ),
    ] = 1,
    out: Annotated[
        Path,
        option("--output -o", "FILE", "File to write.", Topic.MOST_USED, default="standard output"),
    ] = Path("-"),
    where: Where = None,
    number: RecordNumber = None,
    ply: Annotated[
        int | None,
        option(
            "--ply",
            "P",
            "With --record: analyse only the move after this ply.",
            Topic.POSITION,
            **whole(0),
        ),
    ] = None,
    game: GameFiles = None,
    force: Force = False,
    as_json: DoneAsJson = False,
    quiet: Quiet = False,
) -> None:
    """Add evaluations, marks and better moves to records.

    `??` marks a move that threw away a proven result, `?` a move that provably loses, and `!` the
    only move that keeps the result. Run the same command again to resume.
    """
    add_games(game)
    limit = Limit(nodes=nodes) if seconds is None else Limit(seconds=seconds)
    name = f"{bot} {limit.time}"
    refuse_json_beside(out, as_json=as_json)
    refuse_other_formats(out)
    output = Target(path=out, kind=RECORDS, inputs=files, force=force)
    output.refuse()
    kept_at = None if str(out) == "-" else out.with_name(f"{out.name}{KEPT}")
    if kept_at is not None and out.is_symlink():
        raise ConfigError(f"{out}: this is a symbolic link", hint="-o FILE names a regular file")
    selection = Selection(files, where)
    records = _taken(selection, files, where, number, ply)
    done = 0

    def texts(analysts: list[Analyst]) -> Iterator[bytes]:
        nonlocal done
        for record in analysed(records, analysts, ply):
            if done:
                yield b"\n"
            yield format_record(record).encode()
            done += 1
            if not quiet:
                tell_over(f"{count_of(done, 'record')} analysed")

    with signals.heeded(raises=True), ExitStack() as stack:
        kept = AnswerCache(kept_at)
        stack.callback(kept.close)
        engines = [stack.enter_context(Engine.open(bot)) for _ in range(jobs)]
        if (note := note_on(engines[0])) and not quiet:
            print_note(note)
        try:
            output.write(texts([Analyst(one, name, limit, kept) for one in engines]))
        except KeyboardInterrupt:
            print_note(INTERRUPTION)
            raise typer.Exit(INTERRUPTED) from None
    if kept_at is not None:
        kept_at.unlink(missing_ok=True)
    print_done({"analysed": done, "bad": selection.bad, "written": [str(out)]}, as_json=as_json)
    if selection.bad:
        print_warning(f"{bad_words(selection.bad)} left out")
        raise typer.Exit(1)


def _taken(
    selection: Selection, files: list[Path], where: str | None, number: int | None, ply: int | None
) -> Iterator[Record]:
    """Return the records to analyse, the one of --record or all; raises ArenaError."""
    if number is None:
        if ply is not None:
            raise typer.BadParameter("--ply: needs --record N")
        return (record for _, record in selection)
    if len(files) != 1 or where is not None:
        raise typer.BadParameter("--record: takes one FILE and cannot be combined with --where")
    return iter([_one(files[0], number, ply)])


def _one(file: Path, number: int, ply: int | None) -> Record:
    """Return one record with a move after the ply; raises ArenaError."""
    (entry,) = read_from(file, numbered(file, number))
    record, played = played_in(file, entry)
    if ply is not None and ply_in(file, number, ply, len(played) - 1) == len(played) - 1:
        raise ConfigError(
            f"{file}: record {number} has {count_of(ply, 'ply')}, so no move follows ply {ply}"
        )
    return record
