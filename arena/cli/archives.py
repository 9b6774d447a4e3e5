"""`arena select`: select, join, sort and split archives of any size."""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, count, islice
from pathlib import Path
from typing import Annotated, Final

import typer

from lath.arena.cli.files import (
    CountAgain,
    Jobs,
    Sources,
    Unchecked,
    is_one_of,
    refuse_other_formats,
    unless_cut,
    unless_lossy,
    writable,
)
from lath.arena.cli.help import Printed, Topic
from lath.arena.cli.main import (
    App,
    DoneAsJson,
    GameFiles,
    Quiet,
    Strict,
    add_games,
    flag,
    option,
    positive,
    print_done,
    refuse_json_beside,
    whole,
)
from lath.arena.cli.outputs import RECORDS, Force, Target, refuse_tournament
from lath.arena.cli.selection import Distinct, Selection, Where, keys_of
from lath.arena.errors import FAULT, ConfigError
from lath.games.core import Result
from lath.games.errors import count_of
from lath.notation.archive.archive import (
    COMPRESSIONS,
    MEMORY,
    ArchivePart,
    ArchiveParts,
    Key,
    Names,
    in_order,
    order_by,
    verbatim,
)
from lath.notation.archive.duplicates import COPY_OF, Copies, Copy, RecordPlace
from lath.notation.archive.given import GivenGames
from lath.notation.archive.sampling import SampledRecord, Shares
from lath.notation.archive.sampling import sample as draw
from lath.notation.edits.changes import Edits
from lath.notation.edits.editing import edited
from lath.notation.record.errors import printable, shortened
from lath.notation.record.record import Record
from lath.notation.text.splitting import Entry

app = App()

_KEYS: Final = "date, event, round, first, second, game, result, plies or any tag"

MOST_PARTS: Final = 10_000


@app.command(
    example="arena select games.lath --where 'winner = greedy' -o wins.lath",
    statuses={
        0: "Success, even if no record matches",
        FAULT: "An invalid record was left out",
    },
    prints=(Printed("selected records left_out written"),),
)
def select(
    files: Sources,
    where: Where = None,
    out: Annotated[
        Path,
        option(
            "--output -o",
            "OUT",
            "File to write; with --split a folder.",
            Topic.MOST_USED,
            default="standard output",
        ),
    ] = Path("-"),
    sort: Annotated[
        str | None,
        option("--sort", "KEY[,KEY...]", f"Order of the records: {_KEYS}.", Topic.MOST_USED),
    ] = None,
    limit: Annotated[
        int | None, positive("--limit", "Maximum number of records.", Topic.MOST_USED)
    ] = None,
    sample: Annotated[
        int | None, positive("--sample", "Number of records to choose at random.", Topic.MOST_USED)
    ] = None,
    only_count: Annotated[
        bool, flag("--count", "Print only the number of records.", Topic.MOST_USED)
    ] = False,
    split: Annotated[
        str | None,
        option(
            "--split",
            "BY",
            "One file per value of a KEY, per N records, or per share (train=0.9,test=0.1).",
            Topic.MOST_USED,
        ),
    ] = None,
    invert: Annotated[
        bool, flag("--invert", "Select the records that do not match.", Topic.RECORDS)
    ] = False,
    distinct: Distinct = False,
    without_copies: Annotated[
        bool,
        flag(
            "--without-copies", "Keep the longest record of several near-duplicates.", Topic.RECORDS
        ),
    ] = False,
    removed: Annotated[
        Path | None,
        option(
            "--removed",
            "FILE",
            "With --without-copies: file for the removed records.",
            Topic.RECORDS,
        ),
    ] = None,
    unchecked: Unchecked = False,
    count_again: CountAgain = False,
    jobs: Jobs = 1,
    strict: Strict = False,
    game: GameFiles = None,
    reverse: Annotated[
        bool, flag("--reverse", "With --sort: reverse the order.", Topic.SORTING)
    ] = False,
    memory: Annotated[
        int | None,
        option(
            "--memory",
            "MIB",
            "Memory for --sort and --without-copies.",
            Topic.SORTING,
            default="64",
            **whole(1),
        ),
    ] = None,
    seed: Annotated[
        int | None,
        option(
            "--seed",
            "N",
            "With --sample or shares: random seed.",
            Topic.SORTING,
            default="0",
            **whole(0),
        ),
    ] = None,
    name: Annotated[
        str | None,
        option(
            "--name",
            "TEMPLATE",
            "With --split: names of the files.",
            Topic.SORTING,
            default="part-{number:4} or {value}",
        ),
    ] = None,
    compress: Annotated[
        str | None,
        option(
            "--compress", "F", "With --split: compression.", Topic.SORTING, choices=COMPRESSIONS
        ),
    ] = None,
    max_parts: Annotated[
        int | None,
        positive(
            "--max-parts",
            "With --split: maximum number of files.",
            Topic.SORTING,
            default=str(MOST_PARTS),
        ),
    ] = None,
    force: Force = False,
    as_json: DoneAsJson = False,
    quiet: Quiet = False,
) -> None:
    """Write the records that match a query.

    The text of records does not change, and OUT can be one of the sources. If you split by shares,
    symmetric copies of a game stay in the same file.
    """
    add_games(game, is_strict=strict)
    needed, copies = sort or without_copies or None, without_copies or None
    by_chance = sample or (split if split and "=" in split else None)
    for what, given, flags in (
        ("--sort", sort, {"--reverse": reverse}),
        ("--sort or --without-copies", needed, {"--memory": memory}),
        ("--split", split, {"--name": name, "--compress": compress, "--max-parts": max_parts}),
        ("--without-copies", copies, {"--removed": removed}),
        ("--sample or --split NAME=SHARE,...", by_chance, {"--seed": seed is not None}),
    ):
        _refuse_without(what, given, flags)
    if without_copies and distinct:
        raise ConfigError("--distinct: cannot be combined with --without-copies")
    if only_count and (split is not None or str(out) != "-"):
        raise ConfigError(
            "--count: prints a number; it cannot be combined with --output or --split"
        )
    refuse_json_beside(None if only_count else out, as_json=as_json)
    output = Target(path=out, kind=RECORDS, force=force)
    left = _removed_to(removed, [*files, out], force=force)
    if not split:
        refuse_other_formats(out)
        output.refuse()
    order = keys_of("--sort", sort)
    division = None
    if split is not None:
        division = _Division(
            split, name, compress, max_parts or MOST_PARTS, seed=seed or 0, force=force
        )
        division.refuse_folder(out, files)
    selection = Selection(
        files,
        where,
        distinct=distinct,
        invert=invert,
        rules=not unchecked,
        jobs=jobs,
        quiet=quiet or (str(out) == "-" and not only_count and sys.stdout.isatty()),
        replaced=None if split else out,
        given=GivenGames(counts_again=count_again) if only_count and not without_copies else None,
    )
    selected = iter(selection)
    space = memory << 20 if memory else MEMORY
    found_rows = _rows(selection, selected, order, division)
    rows: Iterator[SampledRecord] = (
        _without_copies(found_rows, selection, left, space, quiet=quiet)
        if without_copies
        else (row for row, _, _ in found_rows)
    )
    if sample:
        rows = draw(rows, sample, seed or 0, space)
    found = _in_order(rows, reverse, space) if order else ((row.value, row.text) for row in rows)
    passed = count()
    found = (each for each, _ in zip(islice(found, limit), passed, strict=False))
    into, written = "", [removed] * (removed is not None)
    if only_count:
        are_all = not (without_copies or sample or limit)
        passed = count(_number(selection, found, are_all=are_all, is_told=not as_json))
    elif division is None:
        pieces = verbatim(_noted((text for _, text in found), selection))
        if is_one_of(out, files):  # records beyond the limit would be lost
            pieces = chain(pieces, (b"" for _ in selected))
        lost = str if force else selection.lost_words
        with unless_cut(lambda: bool(selection.bad)):
            output.write(unless_lossy(out, pieces, files, lost))
        written.append(out)
    else:
        parts = division.write(found, out, quiet=quiet or as_json)
        written += [part.path for part in parts]
        into = f" into {count_of(len(parts), 'part')}"
    done = {
        "selected": next(passed),
        "records": selection.records,
        "left_out": selection.left_out(),
        "written": list(map(str, written)),
    }
    words = f"{done['selected']} of {count_of(selection.records, 'record')} selected{into}"
    print_done(done, words + selection.left_out_words(), as_json=as_json, quiet=quiet)
    raise typer.Exit(1 if selection.bad else 0)


def _noted(texts: Iterable[str], selection: Selection) -> Iterator[str]:
    """Yield the texts and note them as written, so that none counts as lost."""
    for text in texts:
        selection.wrote(text)
        yield text


def _number(selection: Selection, found: Iterable[object], *, are_all: bool, is_told: bool) -> int:
    """Return the number of records found, and print it if `is_told`.

    If `are_all`, databases return their number without reading records.
    """
    number = selection.counted() if are_all else None
    if number is None:
        number = sum(1 for _ in found)
    if is_told:
        print(number)
    return number


def _refuse_without(needed: str, given: object, flags: Mapping[str, object]) -> None:
    """Raise ConfigError for a flag in use without the option `needed` that it belongs to."""
    for name, value in flags.items():
        if value and given is None:
            raise ConfigError(f"{name}: needs {needed}")


def _removed_to(removed: Path | None, others: Iterable[Path], *, force: bool) -> Target | None:
    """Return the file for removed records; raises ConfigError if it would overwrite other data."""
    if removed is None:
        return None
    refuse_other_formats(removed)
    for other in others:
        same = str(other) == str(removed) or other.resolve() == removed.resolve()
        if same or is_one_of(removed, [other]):
            raise ConfigError(
                f"--removed: {removed} is also read or written", hint="--removed OTHER"
            )
    target = Target(path=removed, kind=RECORDS, flag="--removed", force=force)
    target.refuse()
    return target


def _rows(
    selection: Selection,
    selected: Iterable[tuple[Entry, Record]],
    order: Sequence[Key],
    division: _Division | None,
) -> Iterator[tuple[SampledRecord, Record, RecordPlace]]:
    """Yield each record with its sort key, its part and its place."""
    for entry, record in selected:
        value = division.value_of(record) if division else ""
        place = RecordPlace(printable(str(selection.path)), entry.number, entry.line)
        yield SampledRecord(order_by(order, record), value, entry.text), record, place


def _in_order(
    rows: Iterable[SampledRecord], reverse: bool, memory: int
) -> Iterator[tuple[str, str]]:
    """Yield the value and the text of each row, in order."""
    # values have no line ends, so one separates value and text
    items = ((row.order, f"{row.value}\n{row.text}".encode()) for row in rows)
    for item in in_order(items, reverse=reverse, memory=memory):
        value, _, text = item.decode().partition("\n")
        yield value, text


def _without_copies(
    found: Iterable[tuple[SampledRecord, Record, RecordPlace]],
    selection: Selection,
    removed: Target | None,
    memory: int,
    *,
    quiet: bool,
) -> Iterator[SampledRecord]:
    """Yield the longest record of several near-duplicates; print or write the others first."""
    with Copies(memory) as copies:
        for each in found:
            copies.add(*each)
        copies.settle()
        selection.copies = copies.copies
        if removed:
            removed.write(verbatim(_marked(copy, selection) for copy in copies.left_out()))
        elif not quiet:
            for copy in copies.left_out():
                print(_copy_words(copy), file=sys.stderr)
        yield from copies.kept()


def _marked(copy: Copy, selection: Selection) -> str:
    """Return a left-out record with a tag that names the kept one."""
    selection.wrote(copy.text)
    value = f"record {copy.of.number} of {copy.of.file}"
    (text,) = edited(copy.text, copy.record, Edits(set={COPY_OF: value}))
    return text


def _copy_words(copy: Copy) -> str:
    record = copy.record
    words = f"{copy.place.file}:{copy.place.line}: record {copy.place.number} ({record.game}"
    if record.tag("First") or record.tag("Second"):
        words += f", {record.first} - {record.second}"
    words += f") is a copy of record {copy.of.number}"
    if copy.of.file != copy.place.file:
        words += f" of {copy.of.file}"
    return ", ".join([words, *copy.differences()])


class _Division:
    """The files of --split, and the rule that assigns records to them."""

    def __init__(
        self,
        by: str,
        template: str | None,
        compress: str | None,
        most: int,
        *,
        seed: int,
        force: bool,
    ) -> None:
        """Read `by`, which is a key, a number of records or names with shares.

        Raises ConfigError.
        """
        self._every = int(by) if re.fullmatch("0*[1-9][0-9]{0,17}", by) else None
        if not self._every and re.fullmatch("[-+]?[0-9]*", by):
            shown = shortened(by)
            raise ConfigError(f"--split: {shown} is not a KEY or a number of records per file")
        self._shares: Final = Shares(_shares(by), seed) if "=" in by else None
        keys = keys_of("--split", None if self._every or self._shares else by)
        if len(keys) > 1:
            raise ConfigError(
                f"--split: {by!r} has {len(keys)} keys, but only one is possible",
                hint=f"--split {keys[0].name}",
            )
        if compress not in (None, *COMPRESSIONS):
            raise ConfigError(f"--compress: {compress!r} is not one of {', '.join(COMPRESSIONS)}")
        self._key: Final = keys[0] if keys else None
        default = "part-{number:4}" if self._every else "{value}"
        self._template: Final = default if template is None else template
        rest = _FIELD.sub("", self._template)
        if "{" in rest or "}" in rest or not self._template:
            fields = "{number}, {number:4} or {value}"
            raise ConfigError(f"--name: {self._template!r} must contain {fields}")
        if self._every and "{value" in self._template:
            raise ConfigError("--name: {value} needs --split KEY")
        self._compression: Final = compress or ""
        self._most: Final = most
        self._force: Final = force
        self._names: Final = Names()

    def value_of(self, record: Record) -> str:
        """Return the value that assigns a record to a file; empty if its place in order does."""
        if self._shares:
            return self._shares.part_of(record)
        return self._key.text(record) if self._key else ""

    def refuse_folder(self, out: Path, files: Iterable[Path]) -> None:
        """Raise ConfigError if `out` cannot hold the parts, or a part could replace an input."""
        if str(out) == "-":
            raise ConfigError("--split: needs a folder for the files", hint="-o DIR")
        if out.exists() and not out.is_dir():
            raise ConfigError(
                f"--output: {out} is a file, but --split needs a folder", hint="-o DIR"
            )
        folders = {file.resolve().parent for file in files if str(file) != "-"}
        if self._force and out.resolve() in folders:
            raise ConfigError(
                f"--output: {out} contains a file that the command reads", hint="-o OTHER"
            )
        refuse_tournament(out / "games.lath", force=self._force)

    def write(
        self, rows: Iterable[tuple[str, str]], out: Path, *, quiet: bool
    ) -> Sequence[ArchivePart]:
        """Write the parts of the records, given with their values; raises ConfigError.

        Writes either all parts or none.
        """
        with (
            writable(out),
            ArchiveParts(out, compression=self._compression, replace=self._force) as parts,
        ):
            for number, (value, text) in enumerate(rows):
                parts.add(self._name_of(number, value), text)
                if len(parts) > self._most:
                    raise ConfigError(
                        f"--max-parts: more than {self._most} files are needed",
                        hint=f"--max-parts {self._most * 10}",
                    )
            if out.is_dir():
                _refuse_others(out, {part.path.name for part in parts.parts})
        if not quiet:
            for part in parts.parts:
                many = count_of(part.records, "record")
                print(f"{part.path}: {many}", file=sys.stderr)
        return parts.parts

    def _name_of(self, number: int, value: str) -> str:
        """Return the name of a record's part, without a suffix."""
        part, text, words = len(self._names) + 1, value, value
        if self._every:
            part = number // self._every + 1
            text = str(part)
        elif self._key and self._key.name == "Result":
            words = {Result.DRAWN.value: "draw", Result.UNFINISHED.value: "unfinished"}.get(
                value, value
            )
        elif self._key and not value:
            words = f"no-{self._key.name.lower()}"

        def field(match: re.Match[str]) -> str:
            return words if match[1] == "value" else str(part).zfill(int(match[2] or 0))

        return self._names.of(text, _FIELD.sub(field, self._template))


def _refuse_others(folder: Path, names: Collection[str]) -> None:
    """Raise ConfigError if the folder has other record files, such as those of an earlier split."""
    others = sorted(
        path.name
        for path in folder.iterdir()
        if path.name not in names and path.is_file() and re.search(_RECORDS, path.name.lower())
    )
    if others:
        more = f" and {len(others) - 1} more" if len(others) > 1 else ""
        raise ConfigError(
            f"{folder}: other records there could be mistaken for parts: {others[0]}{more}; "
            "move them, or name another folder"
        )


_RECORDS: Final = rf"\.lath(?:\.(?:{'|'.join(COMPRESSIONS)}))?$"


def _shares(text: str) -> dict[str, float]:
    """Return the shares by the names of the parts; raises ConfigError."""
    shares: dict[str, float] = {}
    for part in text.split(","):
        match = _SHARE.fullmatch(part.strip())
        if match is None or not float(match[2]):
            raise ConfigError(f"--split: {part!r} is not NAME=SHARE, such as train=0.9")
        if match[1] in shares:
            raise ConfigError(f"--split: {match[1]} has two shares in {text!r}")
        shares[match[1]] = float(match[2])
    return shares


_SHARE: Final = re.compile(r"([A-Za-z0-9_-]{1,60})=([0-9]{1,9}(?:\.[0-9]{0,9})?|\.[0-9]{1,9})")

_FIELD: Final = re.compile(r"\{(number|value)(?::([0-9]{1,2}))?\}")
