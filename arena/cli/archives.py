"""`arena select` and `arena stats`: the records of files that match a query, and what they hold."""

from __future__ import annotations

import json
import re
import sqlite3
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lath.arena.cli.records import Intake, Sieve, bad_words, entries, writable, write_records
from lath.arena.errors import ArenaError, ConfigError
from lath.games.errors import GameError
from lath.notation.errors import printable

if TYPE_CHECKING:
    from lath.notation.archive import Key, Parts
    from lath.notation.comparison import Comparison, Difference, Finding, Stands
    from lath.notation.reader import Entry
    from lath.notation.record import Record
    from lath.reports.archive import Survey


@dataclass(slots=True)
class _Counts:
    """How many of what there are; `bad` records were not compared."""

    equal: int = 0
    differ: int = 0
    only_in_a: int = 0
    only_in_b: int = 0
    bad_in_a: int = 0
    bad_in_b: int = 0

    def add(self, finding: Finding) -> None:
        self.differ += bool(finding.a and finding.b)
        self.only_in_a += finding.b is None
        self.only_in_b += finding.a is None

    @property
    def is_equal(self) -> bool:
        return self == _Counts(equal=self.equal)

    def words(self) -> str:
        told = f"{self.equal} equal, {self.differ} differ, "
        told += f"{self.only_in_a} only in A, {self.only_in_b} only in B"
        if self.bad_in_a or self.bad_in_b:
            told += f"; not compared: {self.bad_in_a} bad in A, {self.bad_in_b} bad in B"
        return told


def diff(
    a: Annotated[Path, typer.Argument(metavar="A", help="A record file; - is stdin.")],
    b: Annotated[Path, typer.Argument(metavar="B", help="The other; one of them may be -.")],
    key: Annotated[
        str,
        typer.Option(
            "--key",
            metavar="TAG[,TAG...]",
            help="What says which records belong together; else all tags that identify a game.",
        ),
    ] = "",
    moves_only: Annotated[
        bool, typer.Option("--moves-only", help="Compare game, start and moves alone.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print a JSON object a line, the counts last.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Leave the counts out.")] = False,
) -> None:
    """Compare two archives, whatever their order.

    Told are records that are in one of them alone, and games that differ. Layout and order make no
    difference. Records that are equal belong together; of the others those with the same key;
    without --key also those with the same moves.

    Exit status 0 if they are equal, 1 if not or if a record is bad, 2 if one cannot be read.

    Example: arena diff before.lath after.lath.gz
    """
    from lath.notation.comparison import Comparison

    comparison = Comparison(key=_keys(key), moves_only=moves_only)
    sides = _Side(a), _Side(b)
    counts = _Counts()
    for finding in _findings(comparison, *sides):
        counts.add(finding)
        for line in _as_json(finding) if as_json else _words(finding):
            print(line)
    counts.equal = comparison.equal
    counts.bad_in_a, counts.bad_in_b = (side.bad for side in sides)
    if as_json:
        print(json.dumps({"kind": "counts", **asdict(counts)}))
    elif not quiet:
        print(counts.words(), file=sys.stderr)
    raise typer.Exit(0 if counts.is_equal else 1)


def _keys(names: str) -> tuple[Key, ...]:
    from lath.notation.archive import KeyNameError, keys

    try:
        return keys(names) if names else ()
    except KeyNameError as error:
        raise ConfigError(f"--key {names}: {error}") from error


class _Side:
    """One of the two archives: its problems are told when it is read for the first time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._intake = Intake([path])
        self._was_read = False

    @property
    def bad(self) -> int:
        return self._intake.bad

    def __call__(self) -> Iterator[tuple[Entry, Record]]:
        if self._was_read:
            return self._again()
        self._was_read = True
        return iter(self._intake)

    def _again(self) -> Iterator[tuple[Entry, Record]]:
        for entry in entries(self.path):
            if entry.record is not None and not entry.problems:
                yield entry, entry.record


def _findings(comparison: Comparison, a: _Side, b: _Side) -> Iterator[Finding]:
    from lath.notation.comparison import A, B

    if not (a.path.is_file() or b.path.is_file()):
        missing = [path for path in (a.path, b.path) if str(path) != "-" and not path.exists()]
        if not missing:
            raise ConfigError("one of the two must be a file: it may have to be read twice")
    twice = A if a.path.is_file() or not b.path.is_file() else B
    try:
        yield from comparison.findings(a, b, twice=twice)
    except OSError as error:
        path = (a, b)[twice].path
        raise ConfigError(f"{path} cannot be read again: {error.strerror or error}") from error
    except sqlite3.Error as error:
        raise ArenaError(f"the temporary database cannot be written: {error}") from error


def _words(finding: Finding) -> Iterator[str]:
    """Yield the lines that people read, one thing a line."""
    if finding.a and finding.b and finding.difference:
        where = f"record {finding.a.number} / record {finding.b.number}"
        for words in _difference_words(finding.difference):
            yield printable(f"{where}: {words}")
    elif finding.a:
        yield printable(f"only in A: {_record_words(finding.a)}")
    elif finding.b:
        yield printable(f"only in B: {_record_words(finding.b)}")


def _record_words(stands: Stands) -> str:
    record = stands.record
    words = f"record {stands.number} (line {stands.line}): {record.first} - {record.second}, "
    words += record.game
    return f"{words}, round {record.tag('Round')}" if record.tag("Round") else words


def _difference_words(difference: Difference) -> Iterator[str]:
    if difference.ply is not None:
        yield _move_words(difference.ply, *difference.moves)
    for name, a, b in difference.tags:
        yield f"{name}: {'none' if a is None else a} / {'none' if b is None else b}"
    if difference.remarks == 0:
        yield "comments before the first move differ"
    elif difference.remarks is not None:
        yield f"comments or variations differ from ply {difference.remarks} on"


def _move_words(ply: int, a: str | None, b: str | None) -> str:
    if a is None:
        return f"A ends after ply {ply - 1}, B goes on with {b}"
    if b is None:
        return f"ply {ply} is {a} in A, B ends after ply {ply - 1}"
    return f"ply {ply} is {a} in A, {b} in B"


def _as_json(finding: Finding) -> Iterator[str]:
    told: dict[str, Any] = {"kind": "differs"}
    if finding.b is None:
        told["kind"] = "only in A"
    elif finding.a is None:
        told["kind"] = "only in B"
    told |= {"a": _stands_json(finding.a), "b": _stands_json(finding.b)}
    if finding.difference:
        told |= {
            "ply": finding.difference.ply,
            "moves": finding.difference.moves,
            "tags": {name: [one, other] for name, one, other in finding.difference.tags},
            "remarks": finding.difference.remarks,
        }
    yield json.dumps(told)


def _stands_json(stands: Stands | None) -> dict[str, str | int] | None:
    if stands is None:
        return None
    tags = {name: stands.record.tag(tag) for name, tag in _JSON_TAGS.items()}
    return {"record": stands.number, "line": stands.line, **tags}


_JSON_TAGS = {"game": "Game", "round": "Round", "first": "First", "second": "Second"}


Files = Annotated[list[Path], typer.Argument(metavar="FILE...", help="Record files; - is stdin.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but problems.")]
Out = Annotated[
    Path, typer.Option("--out", "-o", metavar="OUT", help="What is written; - is stdout.")
]
By = "KEY is date, event, round, first, second, game, result, plies or any tag"


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
    from lath.notation.archive import in_order, order_by

    keys = _keys_archives(by)
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
    from lath.notation.archive import Seen, identity

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
    from lath.notation.archive import COMPRESSIONS, Parts

    if (every is None) == (by is None):
        raise ConfigError("one of --every N and --by KEY says what a part is")
    if compress and compress not in COMPRESSIONS:
        raise ConfigError(f"--compress {compress}: expected one of {', '.join(COMPRESSIONS)}")
    keys = _keys_archives(by) if by else (None,)
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
        from lath.notation.archive import Names

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


def _keys_archives(names: str) -> tuple[Key, ...]:
    from lath.notation.archive import KeyNameError, keys

    try:
        return keys(names)
    except KeyNameError as error:
        raise ConfigError(f"--by {names}: {error}") from error


def _end(intake: Intake, told: str, quiet: bool) -> None:
    if not quiet:
        bad = f", {bad_words(intake.bad)} left out" if intake.bad else ""
        print(told + bad, file=sys.stderr)
    raise typer.Exit(1 if intake.bad else 0)


Where = Annotated[
    str | None,
    typer.Option(
        "--where",
        metavar="EXPR",
        help="A query, such as 'plies > 20 and winner = greedy'; docs/queries.md has the language.",
    ),
]
Distinct = Annotated[
    bool, typer.Option("--distinct", help="Of games with the same start and moves, the first.")
]


def select(
    files: Files,
    where: Where = None,
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="OUT", help="What is written; - is stdout.")
    ] = Path("-"),
    distinct: Distinct = False,
    invert: Annotated[bool, typer.Option("--invert", help="The games that do not match.")] = False,
    limit: Annotated[
        int | None, typer.Option("--limit", min=1, metavar="N", help="Stop after N records.")
    ] = None,
    only_count: Annotated[
        bool, typer.Option("--count", help="Print how many records there are, not the records.")
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Write the records that match a query.

    They are written as they stand in their files. OUT may be one of FILE. Exit status 0 also if
    nothing matches, 1 if a bad record was left out, 2 if EXPR is no query.

    Example: arena select games.lath --where 'winner = greedy' -o wins.lath
    """
    if only_count and str(out) != "-":
        raise ConfigError("--count prints a number, there is nothing to write to --out")
    sieve = Sieve(files, where, distinct=distinct, invert=invert)
    texts = (entry.text for entry, _ in islice(sieve, limit))
    if only_count:
        selected = sum(1 for _ in texts)
        print(selected)
    else:
        selected = write_records(out, texts, sources=files, bad=lambda: sieve.bad)
    if not quiet:
        told = f"{selected} of {sieve.records} records selected{sieve.told_left_out()}"
        print(told, file=sys.stderr)
    raise typer.Exit(1 if sieve.bad else 0)


def stats(
    files: Files,
    where: Where = None,
    distinct: Distinct = False,
    endings: Annotated[
        bool,
        typer.Option("--endings", help="Play the games for the rules' own words of the endings."),
    ] = False,
    opening_plies: Annotated[
        int,
        typer.Option("--opening-plies", min=1, max=8, metavar="K", help="How long openings are."),
    ] = 2,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for a program.")] = False,
    quiet: Quiet = False,
) -> None:
    """Count games, lengths, results by seat, endings and opening moves.

    Exit status 1 if a bad record was left out, 2 if EXPR is no query.

    Example: arena stats games.lath --where 'plies > 20 and player = mcts'
    """
    from lath.reports.archive import Survey, to_json

    sieve = Sieve(files, where, distinct=distinct)
    survey = Survey(opening_plies)
    _count(sieve, survey, _ending if endings else _termination)
    summary = survey.summary()
    if as_json:
        left_out = {"duplicates": sieve.duplicates, "bad": sieve.bad}
        told = {"records": sieve.records, "left_out": left_out, **to_json(summary)}
        print(json.dumps(told, indent=2))
    else:
        from lath.arena.terminal.tables import print_summary

        print_summary(summary)
    if not quiet and (where or sieve.told_left_out()):
        games = summary.numbers.games if summary.numbers else 0
        print(f"{games} of {sieve.records} records counted{sieve.told_left_out()}", file=sys.stderr)
    raise typer.Exit(1 if sieve.bad else 0)


def _count(sieve: Sieve, survey: Survey, ending_of: Callable[[Record], str | None]) -> None:
    for entry, record in sieve:
        try:
            ending = ending_of(record)
        except GameError as error:
            sieve.refuse(entry, error)
        else:
            survey.add(record, ending)


def _ending(record: Record) -> str:
    from lath.reports.archive import ending_of

    return ending_of(record)


def _termination(_: Record) -> None:
    return None


def add_to(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command()(diff)
    app.command()(merge)
    app.command("sort")(sort_records)
    app.command()(split)
    app.command()(select)
    app.command()(stats)
