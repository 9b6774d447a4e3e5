"""`arena check` and `arena show`: validate record files and draw their positions."""

from __future__ import annotations

import json
import shlex
import sqlite3
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Annotated, Final

import typer

from lath.arena.cli.files import (
    SOURCE,
    Jobs,
    Sources,
    is_one_of,
    is_special,
    read_from,
    refuse_other_formats,
    unless_cut,
    writable,
)
from lath.arena.cli.files import entries as entries_of_any_format
from lath.arena.cli.help import LINES, Printed, Topic
from lath.arena.cli.main import (
    App,
    GameFiles,
    Quiet,
    Strict,
    add_games,
    argument,
    flag,
    option,
    positive,
    print_done,
    refuse_json_beside,
    whole,
)
from lath.arena.cli.one_record import (
    AfterPly,
    RecordNumber,
    numbered,
    played_in,
    too_short,
)
from lath.arena.cli.outputs import GIF, PNG, RECORDS, Force, Target
from lath.arena.errors import FAULT, USAGE, ArenaError, ConfigError
from lath.arena.terminal.notices import print_error
from lath.arena.terminal.streams import fitted, unfiltered
from lath.arena.tournament.outcome.taken import TAKEN, files_in
from lath.games.core import Position
from lath.games.errors import count_of
from lath.notation import formats
from lath.notation.archive.archive import verbatim
from lath.notation.archive.index import SUFFIX, NoIndexError, write_index
from lath.notation.record.errors import printable
from lath.notation.record.record import Record
from lath.notation.rules.validation import Findings, validate
from lath.notation.tables.data import extras_to_json
from lath.notation.text.splitting import Entry

app = App()


@app.command(
    example="arena check games.lath",
    statuses={FAULT: "A record or game is invalid", USAGE: "A file cannot be read"},
    prints=(
        Printed("file line column code message expected record ply source meant", LINES),
        Printed("records sound bad problems plies seconds", LINES, "In the last line"),
    ),
)
def check(
    sources: Sources,
    as_json: Annotated[
        bool,
        flag("--json", "Print a JSON object per problem, then one with the counts.", Topic.OUTPUT),
    ] = False,
    max_errors: Annotated[
        int | None,
        positive(
            "--max-errors", "Maximum number of problems to print.", Topic.OUTPUT, default="all"
        ),
    ] = None,
    jobs: Jobs = 1,
    sound: Annotated[
        Path | None,
        option(
            "--sound",
            "OUT",
            "New file for the valid records, or new directory for the valid games of a tournament.",
            Topic.OUTPUT,
        ),
    ] = None,
    index: Annotated[
        bool,
        flag(
            "--index",
            "Write FILE.idx, an index that lets `arena show` find a record at once.",
            Topic.OUTPUT,
        ),
    ] = False,
    quiet: Quiet = False,
    strict: Strict = False,
    game: GameFiles = None,
) -> None:
    """Validate records and tournament directories.

    The arena prints each problem with its place, then the counts. If you use
    `--sound OUT` on a tournament, `arena run --output OUT` resumes it.
    """
    add_games(game, is_strict=strict)
    check = _Check(as_json=as_json, most=max_errors)
    sources = files_in(sources) if sound is not None else check.files_in(sources)
    folders = [path for path in sources if path.is_dir()]
    if sound is not None:
        _refuse_out(sound, sources, folders)
    if index and (sound or folders or any(map(is_special, sources))):
        raise ConfigError("--index: needs record files; FILE.idx is written beside each")
    with unless_cut(check.status):
        if sound is not None and not folders:
            Target(path=sound, kind=RECORDS).write(verbatim(check.valid_texts(sources)))
        else:
            for path in sources:
                if path in folders:
                    check.folder(path, sound, quiet=quiet)
                else:
                    is_read = check.file(path, jobs)
                    if index and is_read:
                        check.index(path, quiet=quiet)
        if not quiet and (check.records or check.has_read):
            check.print_counts()
    for why in check.unreadable:
        print_error(why)
    raise typer.Exit(check.status())


def _refuse_out(out: Path, sources: list[Path], folders: list[Path]) -> None:
    """Raise ConfigError if `out` would overwrite something, or could not hold all valid records."""
    if folders and len(sources) > 1:
        raise ConfigError("--sound: takes one folder, or record files, not both")
    is_empty = bool(folders) and out.is_dir() and not any(out.iterdir())
    if str(out) == "-" or (out.exists() and not is_empty):
        raise ConfigError(
            f"--sound: {out} already exists", hint="--sound OUT names a new file or folder"
        )
    if not folders:
        refuse_other_formats(out)


_COUNTED: Final = (
    "{stored_games} in tournament.db, {exported} in games.lath, {unsound} invalid; "
    "{only_stored} only in tournament.db, {only_exported} only in games.lath, {different} differ; "
    "{sound} valid in either"
)


_UNREAD: Final = ": add --game "
"""The words of the problem that all games of a tournament have if their game's file is missing."""


class _Check:
    """The problems in files, printed when they are found, and their counts."""

    def __init__(self, *, as_json: bool, most: int | None) -> None:
        self.records = self.bad = self.plies = self.problems = 0
        self.unreadable: Final[list[ConfigError]] = []
        """The errors of files that could not be read."""
        self.has_read = False
        """True if at least one record file was read."""
        self._as_json: Final = as_json
        self._most: Final = most
        self._began_s: Final = time.perf_counter()

    def status(self) -> int:
        """Return the exit status for the files checked until now."""
        return 2 if self.unreadable else 1 if self.bad or self.problems else 0

    def files_in(self, sources: list[Path]) -> list[Path]:
        """Return the existing sources, with the record files of each folder in its place."""
        found: list[Path] = []
        for source in sources:
            try:
                found += files_in([source])
            except ConfigError as error:
                self.unreadable.append(error)
        return found

    def file(self, path: Path, jobs: int) -> bool:
        """Check a file with `jobs` processes; return whether it could be read."""
        try:
            other_rules = Counter[tuple[str, str]]()
            for found in read_from(path, _findings(path, jobs)):
                other_rules.update(found.other_rules)
                self._add(found)
            if other_rules:
                TAKEN.by_rules(path).counts.update(other_rules)
        except ConfigError as error:
            self.unreadable.append(error)
            return False
        self.has_read = True
        return True

    def index(self, path: Path, *, quiet: bool) -> None:
        """Write the index of a checked file."""
        try:
            with writable(Path(f"{path}{SUFFIX}")):
                beside = write_index(path)
        except (NoIndexError, ConfigError) as error:
            self.unreadable.append(ConfigError(str(error)))
            return
        if not quiet:
            said = "the index is inside" if beside == path else f"the index is {beside}"
            print(f"{path}: {said}", file=sys.stderr)

    def valid_texts(self, paths: Iterable[Path]) -> Iterator[str]:
        """Check files and yield the text of each valid record."""
        for path in paths:
            try:
                for entry in read_from(path, entries_of_any_format(path, rules=True)):
                    self._add(_found(entry))
                    if not entry.problems:
                        yield entry.text
            except ConfigError as error:
                self.unreadable.append(error)

    def folder(self, folder: Path, out: Path | None, *, quiet: bool) -> None:
        """Check a tournament's directory; with `out`, create a directory of its valid games."""
        from lath.arena.directory import DATABASE, RECORDS  # start-up time
        from lath.arena.tournament.outcome.validity import look, rescue
        from lath.arena.tournament.store.database import read_records

        if not ((folder / DATABASE).is_file() or (folder / RECORDS).is_file()):
            why = f"{folder}: not a tournament: it has neither {DATABASE} nor {RECORDS}"
            self.unreadable.append(ConfigError(why))
            return
        found = look(folder) if out is None else rescue(folder, out)
        if (folder / DATABASE).is_file():
            with suppress(ArenaError, sqlite3.Error):  # `look` has reported damage
                others = TAKEN.by_rules(folder)
                for _, text in read_records(folder):
                    others.see_text(text)
        problems = [
            *((each.where, each.why) for each in found.unsound),
            *((RECORDS, f"game {n}: not in {DATABASE}") for n in found.taken_back),
            *((RECORDS, f"game {n}: differs from the game in {DATABASE}") for n in found.different),
        ]
        unread = Counter(where.partition(":")[0] for where, why in problems if _UNREAD in why)
        for where, why in problems:
            place, words = f"{folder / where}", why
            if _UNREAD in why and not self._as_json:
                if not (count := unread.pop(where.partition(":")[0], 0)):
                    self.problems += 1
                    continue
                more = count_of(count - 1, "more game")
                words += f" (and {more})" if count > 1 else ""
            self._print(
                partial(dict, file=place, message=why), partial("{}: {}".format, place, words)
            )
        counts = {
            "stored": found.stored,
            "exported": found.exported,
            "unsound": len(found.unsound),
            "only_stored": found.stored - (found.exported - len(found.taken_back)),
            "only_exported": len(found.taken_back),
            "different": len(found.different),
            "sound": found.sound,
        }
        if not quiet:
            valid = count_of(found.stored, "valid game")
            words = f"{folder}: {_COUNTED.format(stored_games=valid, **counts)}"
            print(json.dumps({"folder": str(folder), **counts}) if self._as_json else fitted(words))
        if out is not None and not quiet:
            command = f"arena run --output {shlex.quote(str(out))}"
            print(f"{out}: {count_of(found.sound, 'game')}; `{command}` resumes", file=sys.stderr)

    def _add(self, found: Findings) -> None:
        """Add to the counts, and print the problems."""
        self.records += found.records
        self.bad += found.bad
        self.plies += found.plies
        news = found.problems if self._as_json else TAKEN.news(found.problems)
        self.problems += len(found.problems) - len(news)
        for problem in news:
            self._print(problem.as_json, problem.__str__)

    def _print(self, as_json: Callable[[], object], words: Callable[[], str]) -> None:
        self.problems += 1
        if self._most is None or self.problems <= self._most:
            print(json.dumps(as_json()) if self._as_json else words())

    def print_counts(self) -> None:
        """Print the counts of records and problems, and the speed."""
        took_s = max(time.perf_counter() - self._began_s, 1e-9)
        counts = {
            "records": self.records,
            "sound": self.records - self.bad,
            "bad": self.bad,
            "problems": self.problems,
            "plies": self.plies,
            "seconds": round(took_s, 3),
            **TAKEN.rules_json(),
        }
        words = (
            f"{count_of(self.records, 'record')}: "
            f"{self.records - self.bad:,} valid, {self.bad:,} invalid "
            f"({count_of(self.problems, 'problem')}); {count_of(self.plies, 'ply')}; "
            f"{took_s:.2f} s, {self.records / took_s:,.0f} records/s, "
            f"{self.plies / took_s:,.0f} plies/s"
        )
        print(json.dumps(counts) if self._as_json else fitted(words))


def _findings(path: Path, jobs: int) -> Iterator[Findings]:
    """Yield the findings of a file of any format; the `lath` text format has a faster check."""
    if formats.recognised(path) in formats.OF_TEXT:
        yield from validate(path, jobs=jobs)
    else:
        yield from map(_found, entries_of_any_format(path, rules=True))


def _found(entry: Entry) -> Findings:
    plies = len(entry.record.plies) if entry.record else 0
    return Findings(1, bool(entry.problems), plies, entry.problems)


@app.command(
    example="arena show games.lath --record 3 --ply 12 --svg > board.svg",
    prints=(
        Printed("record ply position move legal", LINES),
        Printed("record ply written", when="With --png or --gif"),
    ),
)
def show(
    file: Annotated[Path, argument("SOURCE", SOURCE)],
    number: RecordNumber = None,
    ply: AfterPly = None,
    game: GameFiles = None,
    svg: Annotated[bool, flag("--svg", "Print SVG on standard output.", Topic.DRAWING)] = False,
    png: Annotated[Path | None, option("--png", "OUT", "PNG file to write.", Topic.DRAWING)] = None,
    gif: Annotated[
        Path | None,
        option(
            "--gif",
            "OUT",
            "GIF file to write: an animation of the game, up to --ply.",
            Topic.DRAWING,
        ),
    ] = None,
    size: Annotated[
        int | None,
        option(
            "--size",
            "PX",
            "Width of --png and --gif.",
            Topic.DRAWING,
            default="480",
            **whole(16, 4096),
        ),
    ] = None,
    aids: Annotated[
        bool, flag("--aids", "Draw the sizes of groups and the lines of sight.", Topic.DRAWING)
    ] = False,
    legal: Annotated[bool, flag("--legal", "Draw the legal moves.", Topic.DRAWING)] = False,
    as_json: Annotated[
        bool, flag("--json", "Print a JSON object per record and ply.", Topic.OUTPUT)
    ] = False,
    force: Force = False,
) -> None:
    """Draw a position or animate a recorded game.

    Without --record the arena draws the first record, or with --json every one. --png and --gif
    need the extra `images`.
    """
    picture = png or gif
    refuse_json_beside(Path("-") if svg else picture, as_json=as_json)
    _refuse_drawings(file, svg=svg, png=png, gif=gif, size=size, marks=aids or legal)
    output = None
    if picture is not None:
        kind, named = (GIF, "--gif") if gif else (PNG, "--png")
        output = Target(path=picture, kind=kind, flag=named, inputs=[file], force=force)
        output.refuse()
    add_games(game)
    wanted = number if number or (as_json and output is None) else 1
    status = short = 0
    why = ""
    for entry in read_from(file, numbered(file, wanted)):
        try:
            record, played = played_in(file, entry)
        except ArenaError as error:
            if wanted is not None:
                raise
            print_error(error)
            status = max(status, error.status)
            continue
        if ply is not None and ply >= len(played):
            short += 1
            why = why or f"{file}: {too_short(entry.number, ply, len(played) - 1)}"
        elif as_json and output is None:
            with unless_cut(partial(int, status)):
                _print_json(entry.number, record, played, ply)
        else:
            at = len(played) - 1 if ply is None else ply
            if output is None and not svg:
                _draw(entry.number, record, played, at)
                continue
            from lath.arena.terminal import pictures  # start-up time

            shown = range(at + 1) if gif else [at]
            svgs = [pictures.svg(record, played, one, aids=aids, legal=legal) for one in shown]
            if output is None:
                print(svgs[0])
            else:
                width = size or pictures.WIDTH
                output.write([pictures.gif(svgs, width) if gif else pictures.png(svgs[0], width)])
                done = {"record": entry.number, "ply": at, "written": [str(output.path)]}
                print_done(done, as_json=as_json)
    if short:
        others = (
            f"; {count_of(short - 1, 'more record')} {'is' if short == 2 else 'are'} too short"
            if short > 1
            else ""
        )
        raise ConfigError(why + others)
    raise typer.Exit(status)


def _refuse_drawings(
    file: Path, *, svg: bool, png: Path | None, gif: Path | None, size: int | None, marks: bool
) -> None:
    """Raise ConfigError for unsuitable options of drawings or a missing library."""
    ways = [name for name, is_given in (("--svg", svg), ("--png", png), ("--gif", gif)) if is_given]
    if len(ways) > 1:
        raise ConfigError(f"{ways[0]}: cannot be combined with {' or '.join(ways[1:])}")
    if marks and not ways:
        raise ConfigError("--aids and --legal: need --svg, --png or --gif")
    if size is not None and ways not in (["--png"], ["--gif"]):
        raise ConfigError("--size: needs --png or --gif")
    if picture := png or gif:
        from lath.arena.terminal.pictures import refuse_without_libraries  # start-up time

        refuse_without_libraries(ways[0])
        if is_one_of(picture, [file]):
            raise ConfigError(
                f"{ways[0]}: {picture} is the SOURCE, which would be lost",
                hint=f"{ways[0]} OTHER",
            )


def _print_json(number: int, record: Record, played: list[Position], only: int | None) -> None:
    for ply, (position, move) in enumerate(zip_longest(played, record.moves)):
        if only in (None, ply):
            shown = {
                "record": number,
                "ply": ply,
                "position": position.text(),
                **extras_to_json(position),
                "move": move,
                "legal": len(position.legal_moves()),
            }
            print(json.dumps(shown))


def _draw(number: int, record: Record, played: list[Position], ply: int) -> None:
    from lath.arena.terminal.boards import drawing  # start-up time
    from lath.arena.terminal.pictures import caption, moved

    position, outcome = played[ply], played[ply].outcome()
    title, last = caption(record), moved(played, ply)
    when = f"after {ply}. {record.plies[ply - 1].move}" if ply else "before the first move"
    state = f"{position.game.colours[position.to_move]} to move"
    if outcome:
        state = printable(f"{outcome.result}: {outcome.told(record.first, record.second)}")
    elif record.story and ply == len(record.plies):
        state = printable(f"{record.result}, ply {ply + 1}: {record.story}")
    drawn = drawing(position, last=last)
    print(f"record {number}: {title}, {when}\n")
    print(drawn, file=unfiltered(sys.stdout))
    print(f"\n{state}\n")
