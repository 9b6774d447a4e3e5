"""`arena sort`, `merge`, `split` and `diff`: archives that need not fit into memory."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lath.arena.cli.differences import diff
from lath.arena.cli.intake import Intake
from lath.arena.cli.outlet import bad_words, writable, write_records
from lath.arena.errors import ConfigError

if TYPE_CHECKING:
    from lath.notation.archive.keys import Key
    from lath.notation.archive.parts import Parts
    from lath.notation.record import Record

Files = Annotated[list[Path], typer.Argument(metavar="FILE...", help="Record files; - is stdin.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but problems.")]
Out = Annotated[
    Path, typer.Option("--out", "-o", metavar="OUT", help="What is written; - is stdout.")
]
By = "KEY is date, event, round, first, second, game, result, plies or any tag"


def add_to(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command()(diff)
    app.command()(merge)
    app.command("sort")(sort_records)
    app.command()(split)


def sort_records(
    files: Files,
    by: Annotated[str, typer.Option("--by", metavar="KEY[,KEY...]", help=f"{By}.")],
    out: Out,
    reverse: Annotated[bool, typer.Option("--reverse", help="The last comes first.")] = False,
    memory: Annotated[
        int, typer.Option("--memory", min=1, metavar="MIB", help="What may be in memory at once.")
    ] = 64,
    quiet: Quiet = False,
) -> None:
    """Sort records by date, players, result, plies or any tag.

    Those that are alike in every KEY stay in their order. Numbers come before words and count as
    numbers, also 1.2 and 1.10; what is missing or ? comes last. Records stay as they are written.
    OUT may be one of FILE. Exit status 1 if a bad record was left out.

    Example: arena sort games.lath.gz --by date,round -o sorted.lath.gz
    """
    from lath.notation.archive.keys import order_by
    from lath.notation.archive.ordering import in_order

    keys = _keys(by)
    intake = Intake(files)
    items = ((order_by(keys, record), entry.text.encode()) for entry, record in intake)
    texts = in_order(items, reverse=reverse, memory=memory << 20)
    written = write_records(out, texts, sources=files, bad=lambda: intake.bad)
    _end(intake, f"{written} records sorted", quiet)


def merge(
    files: Files,
    out: Out,
    distinct: Annotated[
        bool,
        typer.Option("--distinct", help="Leave out games that were there: same start and moves."),
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Join record files in their order.

    Records stay as they are written. OUT may be one of FILE. Exit status 1 if a bad record was
    left out.

    Example: arena merge monday.lath tuesday.lath.gz --distinct -o week.lath
    """
    from lath.notation.archive.duplicates import Seen
    from lath.notation.archive.identity import identity

    intake = Intake(files)
    seen = Seen()
    left_out = 0

    def texts() -> Iterator[str]:
        nonlocal left_out
        for entry, record in intake:
            if not distinct or seen.add(identity(record)):
                yield entry.text
            else:
                left_out += 1

    written = write_records(out, texts(), sources=files, bad=lambda: intake.bad)
    told = f", {left_out} left out that were there already" if distinct else ""
    _end(intake, f"{written} records merged{told}", quiet)


def split(
    files: Files,
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="DIR", help="Where the parts are written.")
    ],
    every: Annotated[
        int | None, typer.Option("--every", min=1, metavar="N", help="N records a part.")
    ] = None,
    by: Annotated[
        str | None, typer.Option("--by", metavar="KEY", help=f"A part for each value; {By}.")
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(
            "--name",
            metavar="TEMPLATE",
            help="With {number}, {number:4} and {value}; else part-{number:4} and {value}.",
        ),
    ] = None,
    compress: Annotated[
        str, typer.Option("--compress", metavar="F", help="gz, bz2, xz or zst.")
    ] = "",
    max_parts: Annotated[
        int, typer.Option("--max-parts", min=1, metavar="N", help="Refuse to write more.")
    ] = 10_000,
    force: Annotated[
        bool, typer.Option("--force", help="Replace files that are there already.")
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Divide records into files, by number or by what they say.

    Records stay as they are written and in their order. The parts get their names when all of
    them are whole. Exit status 1 if a bad record was left out.

    Example: arena split games.lath --by game -o games
    """
    from lath.notation.archive.parts import COMPRESSIONS, Parts

    if (every is None) == (by is None):
        raise ConfigError("one of --every N and --by KEY says what a part is")
    if compress and compress not in COMPRESSIONS:
        raise ConfigError(f"--compress {compress}: expected one of {', '.join(COMPRESSIONS)}")
    keys = _keys(by) if by else (None,)
    if len(keys) > 1:
        raise ConfigError(f"--by {by}: a part has one key, not {len(keys)}")
    if out.exists() and not out.is_dir():
        raise ConfigError(f"--out {out}: expected a directory, that is a file")
    if str(out) == "-" or (force and _holds_any(out, files)):
        raise ConfigError(f"--out {out}: expected a directory that holds no FILE")
    names = _PartNames(keys[0], every or 0, name)
    intake = Intake(files)
    with writable(out), Parts(out, compression=compress, replace=force) as parts:
        for entry, record in intake:
            parts.add(names.of(record), entry.text)
            _refuse_many(parts, max_parts)
    if not quiet:
        for part in parts.parts:
            print(f"{part.path}: {part.records} records", file=sys.stderr)
    records = sum(part.records for part in parts.parts)
    _end(intake, f"{records} records in {len(parts)} parts", quiet)


def _holds_any(folder: Path, files: Iterable[Path]) -> bool:
    return any(file.resolve().parent == folder.resolve() for file in files if str(file) != "-")


def _refuse_many(parts: Parts, most: int) -> None:
    if len(parts) > most:
        raise ConfigError(f"there would be more than {most} parts; --max-parts allows more")


class _PartNames:
    """Which part a record belongs to."""

    def __init__(self, key: Key | None, every: int, template: str | None) -> None:
        from lath.notation.archive.filenames import Names

        self._key = key
        self._every = every
        self._template = template or ("part-{number:4}" if key is None else "{value}")
        self._check_template(template)
        self._names = Names()
        self._records = 0

    def _check_template(self, template: str | None) -> None:
        rest = _FIELD.sub("", self._template)
        if "{" in rest or "}" in rest:
            raise ConfigError(
                f"--name {template!r}: expected {{number}}, {{number:4}} or {{value}}"
            )
        if self._key is None and "{value" in self._template:
            raise ConfigError(f"--name {template!r}: {{value}} stands only with --by KEY")

    def of(self, record: Record) -> str:
        """Return the name of the part that the next record belongs to, without a suffix."""
        self._records += 1
        if self._key is None:
            number = (self._records - 1) // self._every + 1
            return self._names.of(str(number), self._filled(number, ""))
        value = self._key.text(record)
        return self._names.of(value, self._filled(len(self._names) + 1, self._words(value)))

    def _filled(self, number: int, value: str) -> str:
        def field(match: re.Match[str]) -> str:
            return value if match[1] == "value" else str(number).zfill(int(match[2] or 0))

        return _FIELD.sub(field, self._template)

    def _words(self, value: str) -> str:
        assert self._key is not None
        if self._key.name == "Result":
            return {"1/2-1/2": "draw", "*": "unfinished"}.get(value, value)
        return value or f"no-{self._key.name.lower()}"


_FIELD = re.compile(r"\{(number|value)(?::([0-9]{1,2}))?\}")


def _keys(names: str) -> tuple[Key, ...]:
    from lath.notation.archive.keys import KeyNameError, keys

    try:
        return keys(names)
    except KeyNameError as error:
        raise ConfigError(f"--by {names}: {error}") from error


def _end(intake: Intake, told: str, quiet: bool) -> None:
    if not quiet:
        bad = f", {bad_words(intake.bad)} left out" if intake.bad else ""
        print(told + bad, file=sys.stderr)
    raise typer.Exit(1 if intake.bad else 0)
