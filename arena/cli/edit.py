"""`arena edit`: record files changed in place."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from lath.arena.cli.files import (
    Files,
    Quiet,
    read_from,
    refuse_to_read_other_formats,
    write_pieces,
)
from lath.arena.cli.main import App, GameFiles, add_games, flag
from lath.arena.errors import ArenaError
from lath.notation.errors import RecordError
from lath.notation.files import open_bytes
from lath.notation.reader import read as read_records
from lath.notation.replay import canonical
from lath.notation.writer import format_records

app = App()

OnlyCheck = Annotated[bool, flag("--check", "Change nothing; exit 1 if a file is not canonical.")]


@app.command()
def edit(
    files: Files, only_check: OnlyCheck = False, quiet: Quiet = False, game: GameFiles = None
) -> None:
    """Rewrite record files in canonical form.

    A file with a bad record stays as it is. Standard input is written to standard output.

    Example: arena edit --check games.lath
    """
    add_games(game)
    changed = 0
    for path in files:
        refuse_to_read_other_formats(path)
        pieces = read_from(path, _canonical(path))
        if str(path) == "-":
            write_pieces(path, pieces)
            continue
        if all(read_from(path, _is_as_written(path))):
            continue
        changed += 1
        if not only_check:
            write_pieces(path, pieces)
        if not quiet:
            said = "is not canonical" if only_check else "rewritten in canonical form"
            print(f"{path}: {said}", file=sys.stderr)
    raise typer.Exit(1 if only_check and changed else 0)


def _canonical(path: Path) -> Iterator[bytes]:
    try:
        yield from map(str.encode, format_records(map(canonical, read_records(path))))
    except RecordError as error:
        raise ArenaError(str(error)) from error


def _is_as_written(path: Path) -> Iterator[bool]:
    """Yield for each piece of the canonical text whether the file has it there."""
    with open_bytes(path) as stream:
        for piece in _canonical(path):
            yield stream.read(len(piece)) == piece
        yield not stream.read(1)
