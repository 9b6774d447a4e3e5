"""`arena edit`: change records and leave all other bytes of the file unchanged."""

from __future__ import annotations

import csv
import errno
import os
import re
import shutil
import sys
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from io import BytesIO, StringIO
from pathlib import Path
from typing import Annotated, Final, Self

import typer

from lath.arena.cli.files import (
    Files,
    Unchecked,
    bad_words,
    is_one_of,
    read_from,
    refuse_other_formats,
    refuse_to_edit_others,
    unless_cut,
    writable,
)
from lath.arena.cli.help import Printed, Topic
from lath.arena.cli.main import (
    App,
    DoneAsJson,
    GameFiles,
    Quiet,
    add_games,
    flag,
    option,
    print_done,
    refuse_json_beside,
    whole,
)
from lath.arena.cli.outputs import RECORDS, Force, Target, made_folder, refuse_tournament
from lath.arena.cli.selection import Query, Where
from lath.arena.errors import FAULT, ArenaError, ConfigError, reading
from lath.arena.terminal.notices import print_error
from lath.arena.terminal.streams import write_bytes
from lath.arena.tournament.outcome.taken import TAKEN
from lath.games.core import RESULTS
from lath.games.errors import GameError, LathError, count_of
from lath.notation.archive.index import note_for
from lath.notation.edits.changes import KINDS, KNOWN_ANNOTATIONS, Edits
from lath.notation.edits.editing import EditError, StreamPart, edited, is_one, pieces
from lath.notation.edits.unified_diff import unified_diff
from lath.notation.files.files import (
    half_of,
    is_database,
    open_bytes,
    remove_halves,
    sync,
    write_atomically,
)
from lath.notation.record.errors import RecordValueError, instead, printable
from lath.notation.rules.quick_check import valid_plies
from lath.notation.rules.reading import entries_of, entry_of
from lath.notation.rules.replay import canonical, check_tag
from lath.notation.text.splitting import RecordText, chunks
from lath.notation.text.writer import format_record
from lath.notation.tokens import is_tag_name

app = App()


@app.command(
    example="arena edit games.lath --set Event='Autumn bots' --drop Site",
    statuses={FAULT: "A record is or would become invalid, or with --check a file would change"},
    prints=(Printed("files written"),),
)
def edit(
    files: Files,
    set_: Annotated[
        list[str] | None, option("--set", "TAG=VALUE", "Tag to set. Repeatable.", Topic.MOST_USED)
    ] = None,
    drop: Annotated[
        list[str] | None, option("--drop", "TAG", "Tag to remove. Repeatable.", Topic.MOST_USED)
    ] = None,
    rename: Annotated[
        list[str] | None,
        option("--rename", "OLD=NEW", "Tag to rename. Repeatable.", Topic.MOST_USED),
    ] = None,
    player: Annotated[
        list[str] | None,
        option("--player", "OLD=NEW", "Player to rename. Repeatable.", Topic.MOST_USED),
    ] = None,
    where: Where = None,
    dry_run: Annotated[
        bool, flag("--dry-run", "Print a diff of the changes; write nothing.", Topic.MOST_USED)
    ] = False,
    players: Annotated[
        Path | None,
        option("--players", "FILE", "Table of old and new names of players.", Topic.CHANGES),
    ] = None,
    strip: Annotated[
        list[str] | None,
        option(
            "--strip",
            "KIND[,KIND...]",
            "Parts to remove: comments, annotations (or one, such as clk), glyphs or variations.",
            Topic.CHANGES,
        ),
    ] = None,
    plies: Annotated[
        int | None,
        option("--plies", "N", "Maximum plies per game.", Topic.CHANGES, **whole(0)),
    ] = None,
    split_variations: Annotated[
        bool,
        flag("--split-variations", "Write each variation as a separate record.", Topic.CHANGES),
    ] = False,
    unchecked: Unchecked = False,
    game: GameFiles = None,
    only_check: Annotated[
        bool,
        flag("--check", "Exit with status 1 if a file would change; write nothing.", Topic.OUTPUT),
    ] = False,
    out: Annotated[
        Path | None,
        option(
            "--output -o",
            "OUT",
            "File to write, or a folder if you give several FILE.",
            Topic.OUTPUT,
            default="FILE",
        ),
    ] = None,
    backup: Annotated[
        str | None,
        option("--backup", "SUFFIX", "Suffix of the kept original.", Topic.OUTPUT, default=".bak"),
    ] = None,
    force: Force = False,
    as_json: DoneAsJson = False,
    quiet: Quiet = False,
) -> None:
    """Change tags, players and annotations of records.

    The arena changes FILE in place and keeps the original as FILE.bak. Everything that you do not
    edit stays the same, and so do invalid records. If you give no edit, the arena writes FILE in
    canonical form.
    """
    add_games(game)
    edits = None
    asked = (set_, drop, rename, player, players, strip, plies, split_variations or None)
    if any(each is not None for each in asked):  # an empty file of players counts, too
        edits = Edits(
            strip=_kinds(strip or ()),
            plies=plies,
            split=split_variations,
            drop=frozenset(_tag("--drop", name) for name in drop or ()),
            rename=_new_names(rename or ()),
            set=_values(set_ or (), rules=not unchecked),
            players=_players(player or (), players),
        )
        _refuse(edits)
    elif where is not None:
        raise ConfigError("--where: needs an edit such as --set")
    refuse_to_edit_others(files)
    into = _Target.of(files, out, backup, force=force)
    if (only_check or dry_run) and (out or backup or force):
        raise ConfigError(
            "--check and --dry-run: write nothing, so --output, --backup and --force have no use"
        )
    written = [] if only_check else [Path("-")] if dry_run else [out] if out else files
    refuse_json_beside(*written, as_json=as_json)
    query, works = Query(where), list[_Work]()

    def status() -> int:
        """Return the exit status for the files edited until now."""
        return any(work.bad or work.refused or (only_check and work.is_changed) for work in works)

    with unless_cut(status), into.opened() as target:
        for path in files:
            work = _Work(path, edits, query, rules=not unchecked)
            works.append(work)
            changes = read_from(path, work.changes())
            if dry_run:
                with writable(Path("-")):
                    write_bytes(unified_diff(changes, str(path)))
            elif only_check:
                deque(changes, maxlen=0)
            else:
                work.copy = target.write(path, (new for _, new in changes), work)
            if not (as_json or quiet):
                work.print_counts(would=dry_run or only_check)
    query.print_doubts()
    places = [str(into.place_of(work.path)) for work in works if written and work.is_changed]
    print_done({"files": [work.as_json() for work in works], "written": places}, as_json=as_json)
    raise typer.Exit(status())


def _refuse(edits: Edits) -> None:
    """Raise ConfigError for edits that contradict each other."""
    if "Game" in {*edits.drop, *edits.rename, *edits.rename.values()}:
        raise ConfigError("Game: this tag cannot be dropped or renamed", hint="--set Game=ID")
    if edits.split and "variations" in edits.strip:
        raise ConfigError("--split-variations: cannot be combined with --strip variations")


def _pair(option: str, text: str, what: str) -> tuple[str, str]:
    """Return the text before and after the first `=`; raises ConfigError."""
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise ConfigError(f"{option}: {text!r} is not {what}")
    return name, _value(option, value)


def _value(option: str, value: str) -> str:
    """Return a valid value of a tag; raises ConfigError."""
    if "\n" in value or "\r" in value:
        raise ConfigError(f"{option}: {value!r} has a line break, which a tag value cannot have")
    if not value.isascii() and re.search("[\ud800-\udfff]", value):
        raise ConfigError(f"{option}: {value!r} is not UTF-8")
    return value


def _tag(option: str, name: str) -> str:
    """Return a valid name of a tag; raises ConfigError."""
    if not is_tag_name(name):
        raise ConfigError(f"{option}: {name!r} is not a tag name: use letters, digits and _")
    return name


def _once(option: str, pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the pairs as a mapping; raises ConfigError if two contradict each other."""
    known: dict[str, str] = {}
    for old, new in pairs:
        if known.setdefault(old, new) != new:
            raise ConfigError(f"{option}: {old} has two new values, {known[old]} and {new}")
    return known


def _values(texts: Sequence[str], *, rules: bool) -> dict[str, str]:
    """Return the values by tag; raises ConfigError, with `rules` for invalid values, too."""
    values = _once(
        "--set", (_pair("--set", text, 'TAG=VALUE, such as Site="Riva"') for text in texts)
    )
    for name, value in values.items():
        fault = check_tag(_tag("--set", name), value) if rules else None
        if fault is not None:
            wanted = instead(fault.meant, fault.expected)
            raise ConfigError(f"--set: {name}={value}: {fault.message}{wanted}")
    if values.get("Result", "*") not in RESULTS:
        raise ConfigError(f"--set: Result={values['Result']} is not one of {', '.join(RESULTS)}")
    return values


def _new_names(texts: Sequence[str]) -> dict[str, str]:
    """Return the new names of tags by their old names; raises ConfigError."""
    names = _once("--rename", (_pair("--rename", text, "OLD=NEW") for text in texts))
    for old, new in names.items():
        _tag("--rename", old)
        _tag("--rename", new)
    if len(set(names.values())) < len(names):
        raise ConfigError("--rename: two tags would have one name")
    return names


def _players(texts: Sequence[str], file: Path | None) -> dict[str, str]:
    """Return the new names of players by their old names; raises ConfigError."""
    pairs = [_pair("--player", text, "OLD=NEW") for text in texts]
    if unnamed := [old for old, new in pairs if not new.strip()]:
        raise ConfigError(f"--player: {unnamed[0]} has no new name", hint="--player OLD=NEW")
    if file is not None:
        with reading(file):
            pairs += _columns(file)
    return _once("--players", pairs)


def _columns(file: Path) -> Iterator[tuple[str, str]]:
    """Yield the rows of a file with two columns; raises ConfigError and OSError."""
    text = file.read_text(encoding="utf-8-sig")
    delimiter = "\t" if "\t" in text.partition("\n")[0] else ","
    rows = csv.reader(StringIO(text), delimiter=delimiter, strict=True)
    try:
        for row in rows:
            expected = "expected two columns, the old name and the new one"
            if len(row) > 2 or len(row) == 1:
                raise ConfigError(f"{file}:{rows.line_num}: {expected}, not {len(row)}")
            if not all(map(str.strip, row)):
                raise ConfigError(f"{file}:{rows.line_num}: {expected}; one of them is empty")
            if row:
                yield row[0], _value(f"{file}:{rows.line_num}", row[1])
    except csv.Error as error:
        raise ConfigError(f"{file}:{rows.line_num}: {error}") from error


def _kinds(texts: Sequence[str]) -> frozenset[str]:
    """Return the parts to strip, as `Edits` takes them; raises ConfigError."""
    kinds = set()
    for text in texts:
        for kind in map(str.strip, text.split(",")):
            if kind in KINDS or (kind.startswith("%") and is_tag_name(kind[1:])):
                kinds.add(kind)
            elif kind in KNOWN_ANNOTATIONS:
                kinds.add(f"%{kind}")
            else:
                known = ", ".join((*KINDS, *KNOWN_ANNOTATIONS))
                raise ConfigError(f"--strip: {kind!r} is not one of {known}, or %NAME")
    return frozenset(kinds)


Change = tuple[bytes, bytes]
"""The bytes of a part of a file before and after the edit."""


class _Work:
    """One edited file with its counts."""

    def __init__(self, path: Path, edits: Edits | None, query: Query, *, rules: bool) -> None:
        """Prepare the edit of a file; without `edits` it is rewritten in canonical form.

        With `rules`, only records that are valid by the rules are changed.
        """
        self.path: Final = path
        self._edits: Final = edits
        self._query: Final = query
        self._others: Final = TAKEN.by_rules(path)
        self._rules: Final = rules
        self.records = self.changed = self.split = self.bad = self.refused = 0
        self.is_changed = False
        """True if any byte differs; final once all changes were read."""
        self.copy: Path | None = None
        """The copy of the original file; None if there was nothing to change."""

    def changes(self) -> Iterator[Change]:
        """Yield the file part by part; raises OSError and ArenaError."""
        olds = news = b""  # not compared yet; one is empty while both files agree
        for old, new in self._canonical() if self._edits is None else self._edited(self._edits):
            yield old, new
            if self.is_changed or (old == new and olds == news):
                continue
            olds, news = olds + old, news + new
            both = min(len(olds), len(news))
            self.is_changed = olds[:both] != news[:both]
            olds, news = olds[both:], news[both:]
        self.is_changed |= olds != news

    def _pieces(self) -> Iterator[StreamPart]:
        with open_bytes(self.path) as stream:
            try:
                yield from pieces(chunks(stream))
            except EditError as error:
                raise ArenaError(f"{self.path}: unchanged: {error}") from error

    def _canonical(self) -> Iterator[Change]:
        for before, data, text in self._pieces():
            yield before, b""
            if text is not None:
                self._others.see_text(text.text)
                entry = entry_of(text, str(self.path), self.records + 1, rules=False)
                if entry.record is None or entry.problems:
                    raise ArenaError(str(entry.problems[0]))
                gap = "\n" if self.records else ""
                self.records += 1
                yield data, (gap + format_record(canonical(entry.record))).encode()

    def _edited(self, edits: Edits) -> Iterator[Change]:
        for before, data, text in self._pieces():
            yield before, before
            if text is not None:
                new = self._record(text, edits)
                yield data, data if new is None else new.encode()

    def _record(self, text: RecordText, edits: Edits) -> str | None:
        """Return the edited text of a record; None if it is unchanged."""
        number = self.records + self.bad + 1
        self._others.see_text(text.text)
        entry = entry_of(text, str(self.path), number, rules=self._rules)
        where = f"{printable(str(self.path))}:{entry.line}"
        if entry.record is None or entry.problems:
            self.bad += 1
            print(*entry.problems, sep="\n", file=sys.stderr)
            return None
        self.records += 1
        try:
            if not self._query.matches(entry.record):
                return None
            first, *others = edited(text.text, entry.record, edits, number)
            if first == text.text and not others:
                return None
            for each in (first, *others):
                self._refuse_bad(each)
        except (EditError, RecordValueError, GameError) as error:
            self.refused += 1
            print_error(f"{where}: record {number} is unchanged: {error}")
            return None
        self.changed += 1
        self.split += len(others)
        return ("\r\n\r\n" if "\r\n" in text.text else "\n\n").join((first, *others))

    def _refuse_bad(self, text: str) -> None:
        """Raise EditError if the text is not exactly one valid record."""
        if self._rules and valid_plies(text) is not None and is_one(text):
            return
        found = list(entries_of(BytesIO(text.encode()), "", rules=self._rules))
        if problems := [problem for entry in found for problem in entry.problems]:
            first = problems[0]
            wanted = instead(first.meant, first.expected)
            raise EditError(f"it would be invalid: {first.message}{wanted}")
        if len(found) > 1:
            raise EditError(f"it would become {len(found)} records")

    def as_json(self) -> dict[str, object]:
        """Return the counts as JSON data."""
        return {
            "file": str(self.path),
            "is_changed": self.is_changed,
            "records": self.records,
            "changed": self.changed,
            "split": self.split,
            "refused": self.refused,
            "bad": self.bad,
            "copy": None if self.copy is None else str(self.copy),
        }

    def print_counts(self, *, would: bool) -> None:
        """Print the counts; `would` is for a trial without writing."""
        kept = f"; the original is kept as {printable(str(self.copy))}" if self.copy else ""
        name = printable(str(self.path))
        if self._edits is None:
            if self.is_changed:
                said = "is not canonical" if would else "rewritten in canonical form"
                print(f"{name}: {said}{kept}", file=sys.stderr)
            return
        words = f"{self.changed} of {count_of(self.records, 'record')} "
        words += "would change" if would else "changed"
        if self.split:
            words += f", {self.split} split off"
        if self.refused:
            words += f"; {self.refused} would become invalid and are unchanged"
        if self.bad:
            words += f"; {bad_words(self.bad)} unchanged"
        print(f"{name}: {words}{kept}", file=sys.stderr)


class _SameError(LathError):
    """The file needs no change, so nothing is written."""


@dataclass(frozen=True, slots=True)
class _Target:
    """The destination of edited files: their own place with a copy of the original, or --output."""

    out: Path | None
    is_folder: bool
    suffix: str
    force: bool
    made: Path | None = None
    """The folder while it is filled."""

    @classmethod
    def of(
        cls, files: Sequence[Path], out: Path | None, suffix: str | None, *, force: bool
    ) -> Self:
        """Return the destination for the options; raises ConfigError."""
        if out is None:
            if is_one_of(Path("-"), [file for file in files if str(file) == "-"]):
                raise ConfigError("standard output: this is the FILE that is read", hint="-o OTHER")
            if suffix is not None and not re.fullmatch(r"[^/\0]{1,64}", suffix):
                raise ConfigError(f"--backup: {suffix!r} is not a suffix such as .bak")
            return cls(None, False, suffix or ".bak", force)
        if suffix is not None:
            raise ConfigError(
                "--backup: cannot be combined with --output, which leaves FILE unchanged"
            )
        if str(out) == "-" and len(files) > 1:
            raise ConfigError(
                "--output: - takes only one FILE", hint="arena select FILE... joins them"
            )
        is_folder = str(out) != "-" and (len(files) > 1 or out.is_dir())
        if is_folder and out.exists() and not out.is_dir():
            raise ConfigError(
                f"--output: {out} is a file, but several FILE need a folder", hint="-o DIR"
            )
        names = [file.name for file in files]
        if is_folder and ("-" in names or len(set(names)) < len(names)):
            raise ConfigError(
                f"--output: two FILE with the same name cannot both go into the folder {out}"
            )
        for target in [out / name for name in names] if is_folder else [out]:
            refuse_other_formats(target)
            if is_one_of(target, files):
                raise ConfigError(
                    f"--output: {target} is FILE itself",
                    hint="without --output, the arena edits FILE and keeps a copy",
                )
            Target(path=target, kind=RECORDS, flag="--output", force=force).refuse()
        return cls(out, is_folder, "", force)

    def place_of(self, path: Path) -> Path:
        """Return the path of an edited file."""
        return path if self.out is None else self.out / path.name if self.is_folder else self.out

    @contextmanager
    def opened(self) -> Iterator[Self]:
        """Give the destination for writing; a new folder gets its name when it is complete."""
        if self.out is None or not self.is_folder:
            yield self
            return
        with made_folder(self.out, force=self.force) as made:
            yield replace(self, made=made)

    def write(self, path: Path, pieces: Iterable[bytes], work: _Work) -> Path | None:
        """Write an edited file atomically; return the copy of the original, if any.

        Raises ConfigError.
        """
        out = path if self.out is None and str(path) == "-" else self.out
        if out is None:
            return self._replace(path, pieces, work)
        if self.is_folder:
            out = (self.made or out) / path.name
        Target(path=out, kind=RECORDS, flag="--output", force=self.force).write(pieces)
        return None

    def _replace(self, path: Path, pieces: Iterable[bytes], work: _Work) -> Path | None:
        """Write an edited file in its own place, after a copy of the original; return the copy."""
        if path.is_dir():
            deque(pieces, maxlen=0)  # reading fails with the usual error
        if is_database(path):
            raise ConfigError(f"{path}: a database cannot be edited", hint="-o OUT writes a file")
        if path.exists() and not path.is_file():
            raise ConfigError(
                f"{path}: not a regular file, so it cannot be replaced", hint="-o OUT"
            )
        refuse_tournament(path, force=self.force)
        remove_halves(path.parent, path.name)
        real = Path(os.path.realpath(path))
        beside = real if path.is_symlink() else path
        copy = beside.with_name(beside.name + self.suffix)
        is_new = False
        with reading(path):
            before = real.stat()

        def whole() -> Iterator[bytes]:
            nonlocal is_new
            yield from pieces
            if not work.is_changed:
                raise _SameError
            if _state(real.stat()) != _state(before):
                raise ArenaError(f"{path}: unchanged, because another program changed it meanwhile")
            is_new = _keep(real, copy, force=self.force)

        try:
            with writable(path):
                write_atomically(path, whole(), note=note_for(path))
        except _SameError:
            return None
        except BaseException:
            with suppress(OSError):
                if is_new and _state(real.stat()) == _state(before):  # the file was not replaced
                    copy.unlink()
            raise
        return copy


def _state(status: os.stat_result) -> tuple[int, ...]:
    return status.st_ino, status.st_size, status.st_mtime_ns


def _keep(path: Path, copy: Path, *, force: bool) -> bool:
    """Copy a file to another name; return False if the copy is already the same file.

    Raises FileExistsError if another file has the name, unless `force`. Raises OSError, and
    ConfigError if the name is that of a link, folder or device.
    """
    if copy.is_symlink() or (copy.exists() and not copy.is_file()):
        raise ConfigError(
            f"{copy}: not a regular file, so it cannot be the copy", hint="--backup SUFFIX"
        )
    if copy.exists() and copy.samefile(path):
        return False  # an earlier edit was killed before it replaced the file
    if copy.exists() and not force:
        raise FileExistsError(errno.EEXIST, "exists already", str(copy))
    hidden = half_of(copy)
    try:
        try:
            hidden.hardlink_to(path)
        except OSError:  # some file systems have no hard links
            shutil.copy2(path, hidden)
            sync(hidden)
        hidden.replace(copy)
    finally:
        hidden.unlink(missing_ok=True)
    sync(copy.parent)
    return True
