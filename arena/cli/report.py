"""`arena rate` and `arena report`: what came of tournaments, or of any records."""

from __future__ import annotations

import json
import math
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Protocol, TypeVar

import typer

from lath.arena.cli.files import writable, write_pieces
from lath.arena.cli.main import App, Plain
from lath.arena.errors import ArenaError, ConfigError
from lath.arena.tournament.system import on_signals
from lath.arena.tournament.watch import Following, Sight
from lath.notation.errors import RecordError

if TYPE_CHECKING:
    from lath.arena.tournament.sources import UnreadableError
    from lath.reports.page.document import Gathered
    from lath.reports.page.index import Collection
    from lath.reports.page.page import Page


app = App()

Sources = Annotated[
    list[Path],
    typer.Argument(
        metavar="SOURCE...", help="Tournaments' directories or record files; - is stdin."
    ),
]


@app.command()
def rate(
    sources: Sources,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for a program.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print a line a bot for a sheet.")] = False,
    by_game: Annotated[
        bool, typer.Option("--by-game", help="Print the tables of each game, too.")
    ] = False,
) -> None:
    """Print result, ratings with intervals and crosstable.

    The result by the rules of the format comes first where SOURCE is one tournament's directory.
    A record file may be of any format that is read. JSON and CSV always have the tables of each
    game.

    Example: arena rate tournament --csv > standings.csv
    """
    from lath.arena.tournament.sources import outcome_in, records_of
    from lath.reports import outcome
    from lath.reports.export import to_csv, to_json
    from lath.reports.standings import compute

    if as_json and as_csv:
        raise typer.BadParameter("--json and --csv exclude each other")
    table = compute(records_of(sources))
    result = None if as_csv else outcome_in(sources)
    if as_json:
        told = to_json(table)
        told |= {} if result is None else {"outcome": outcome.to_json(result)}
        print(json.dumps(told, indent=2, ensure_ascii=False))
    elif as_csv:
        sys.stdout.write(to_csv(table).replace("\r\n", "\n"))
    else:
        from lath.arena.terminal.tables import print_outcome, print_standings

        print_outcome(result, to_stdout=True)
        is_alone = result is None or not result.says_something
        print_standings(table, to_stdout=True, is_first=is_alone, by_game=by_game)


Made = TypeVar("Made")


class Job(Protocol):
    """Something to write, perhaps again and again."""

    @property
    def ends(self) -> bool:
        """Return whether it is done when all tournaments are over; else more may come."""

    def sources(self) -> Sequence[Path]:
        """Return what it is made of now."""

    def others(self) -> Iterable[Path]:
        """Return the files that it is made with."""

    def write(self, sources: Sequence[Path], *, refresh_s: float | None = None) -> None:
        """Write it and say so; with `refresh_s` it may be empty. Raises ArenaError."""


@dataclass(kw_only=True)
class ReportJob:
    """The report of some sources."""

    given: tuple[Path, ...]
    out: Path | None
    """Where the page is written; None: nowhere."""

    data: Path | None
    title: str | None
    templates: Path | None
    ends: bool = True

    def sources(self) -> Sequence[Path]:
        """Return the sources, whether they are there or not."""
        return self.given

    def others(self) -> Iterable[Path]:
        """Return the user's templates."""
        return templates_in(self.templates)

    def write(self, sources: Sequence[Path], *, refresh_s: float | None = None) -> None:
        """Write data and page, from one pass over the records."""
        from lath.arena.tournament.sources import outcome_in, records_of
        from lath.reports.page.document import gather

        gathered = gather(records_of(sources), title=self.title, outcome=outcome_in(sources))
        count = gathered.document["facts"]["records"]
        if not count and refresh_s is None:
            raise ArenaError(f"no records in {', '.join(map(str, self.given))}")
        if self.data is not None:
            _write_data(self.data, gathered.document, count)
        if self.out is not None:
            self._write_page(self.out, gathered, count, refresh_s)

    def _write_page(
        self, out: Path, gathered: Gathered, count: int, refresh_s: float | None
    ) -> None:
        from lath.arena.tournament.outputs import shard_folder
        from lath.reports.page.page import page_of

        page = by_template(
            lambda: page_of(
                gathered,
                templates=self.templates,
                refresh_s=refresh_s,
                shard_folder=shard_folder(out).name,
            ),
            self.templates,
        )
        put(out, page, count)


@dataclass(kw_only=True)
class IndexJob:
    """The index page of a folder of tournaments, and their reports where they are missing."""

    folder: Path
    out: Path | None
    """Where the page is written; None: nowhere, and no report of a tournament either."""

    data: Path | None
    title: str | None
    templates: Path | None
    writes_reports: bool
    ends: bool = field(default=False)

    def sources(self) -> Sequence[Path]:
        """Return the tournaments that are there now."""
        from lath.arena.tournament.sources import tournaments_in

        return tournaments_in(self.folder)

    def others(self) -> Iterable[Path]:
        """Return the user's templates."""
        return templates_in(self.templates)

    def write(self, sources: Sequence[Path], *, refresh_s: float | None = None) -> None:
        """Write the reports that are missing, then data and index; `sources` are those with games.

        A tournament that cannot be read is told of in the end, and keeps no other from the index.
        """
        from lath.reports.page.index import document

        if str(self.out) == "-":
            raise ConfigError("an index page links to reports beside it: -o needs a FILE")
        if self.writes_reports and self.out is not None:
            self._write_reports(sources)
        found, damaged = self._collected()
        count = found.standings.overall.games
        if self.data is not None:
            _write_data(self.data, document(found, title=self.title), count)
        if self.out is not None:
            self._write_page(self.out, found, refresh_s)
        if damaged:
            place = self.data if self.out is None else self.out
            told = (f"{error.tournament} is not in {place}: {error}" for error in damaged)
            raise ArenaError("\n".join(told))

    def _write_page(self, out: Path, found: Collection, refresh_s: float | None) -> None:
        from lath.reports.page.index import render

        page = by_template(
            lambda: render(found, title=self.title, templates=self.templates, refresh_s=refresh_s),
            self.templates,
        )
        put(out, page, found.standings.overall.games)

    def _collected(self) -> tuple[Collection, Sequence[UnreadableError]]:
        """Return what the tournaments come to, and what is wrong with those that are left out."""
        from lath.arena.tournament.sources import UnreadableError, collect
        from lath.reports.page.index import Unreadable

        base = self.folder if self.out is None else self.out.parent
        damaged: dict[Path, UnreadableError] = {}
        while True:  # from the start: half of a damaged one was counted
            sound = [path for path in self.sources() if path not in damaged]
            try:
                found = collect(self.folder, sound, base)
            except UnreadableError as error:
                damaged[error.tournament] = error
            else:
                break
        left_out = (
            Unreadable(name=path.relative_to(self.folder).as_posix(), reason=reason_of(error))
            for path, error in sorted(damaged.items())
        )
        return replace(found, unreadable=tuple(left_out)), tuple(damaged.values())

    def _write_reports(self, tournaments: Sequence[Path]) -> None:
        from lath.arena.tournament.sources import needs_report

        for tournament in tournaments:
            if needs_report(tournament):
                self._write_report(tournament)

    def _write_report(self, tournament: Path) -> None:
        from lath.arena.tournament.outputs import REPORT

        report = ReportJob(
            given=(tournament,),
            out=tournament / REPORT,
            data=None,
            title=None,
            templates=self.templates,
        )
        try:
            report.write((tournament,))
        except ArenaError as error:  # one that nobody may write to does not keep us from the rest
            print(f"warning: no report of {tournament}: {error}", file=sys.stderr)


def reason_of(error: UnreadableError) -> str:
    """Return in a line why a tournament cannot be read, without where its folder is."""
    cause = error.__cause__ and error.__cause__.__cause__
    if isinstance(cause, RecordError):
        problem = replace(cause.problem, file="")
        told = str(problem).splitlines()[0]
        told = told.removeprefix(f":{problem.line}:{problem.column}: error[{problem.code}]: ")
        return f"{Path(cause.problem.file).name}, line {problem.line}: {told}"
    told = str(error).replace(f"{error.tournament}/", "")
    return " ".join(told.replace(str(error.tournament), "the folder").split())


def _write_data(data: Path, document: Mapping[str, Any], count: int) -> None:
    text = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    content = text.encode("utf-8", "replace")
    write_pieces(data, [content])
    if str(data) != "-":
        print(f"{data}: {games(count)}, {size(len(content))}", file=sys.stderr)


def templates_in(folder: Path | None) -> Iterator[Path]:
    """Yield the files of a user's folder of templates."""
    from lath.reports.page.page import KINDS

    if folder is not None:
        yield from sorted(path for path in folder.rglob("*") if path.suffix in KINDS)


def by_template(make: Callable[[], Made], templates: Path | None) -> Made:
    """Return what is made; raises ArenaError for what goes wrong in a user's template."""
    try:
        return make()
    except ArenaError:
        raise
    except Exception as error:
        from lath.reports.page.page import fault_of

        fault = None if templates is None else fault_of(error, templates)
        if fault is None:
            raise
        raise ArenaError(fault) from error


def put(out: Path, page: Page, count: int) -> None:
    """Write a page, and say what was written."""
    from lath.arena.tournament.outputs import write_page

    if str(out) == "-":
        if page.shards:
            raise ConfigError(f"{games(count)} need files beside the page: -o needs a FILE")
        write_pieces(out, [page.html.encode()])
        return
    with writable(out):
        written = write_page(out, page)
    told = f"{out}: {games(count)}, {size(written.page_bytes)}"
    if written.folder is not None:
        told += f"; {written.folder}: {written.shards} files, {size(written.shard_bytes)}"
    print(told, file=sys.stderr)


def games(count: int) -> str:
    """Return a number of games in words.

    >>> games(1), games(12000)
    ('1 game', '12,000 games')
    """
    return f"{count:,} game{'' if count == 1 else 's'}"


def size(count: int) -> str:
    """Return a number of bytes as people write it.

    >>> size(85_400), size(5_731_000)
    ('85 kB', '5.7 MB')
    """
    return f"{count / 1e6:.1f} MB" if count >= 1_000_000 else f"{count / 1000:.0f} kB"


SHARE: Final = 4
"""At most so small a part of the time goes into rendering: a fifth."""

LOOK_S: Final = 1.0
"""How long it may take to notice that a run is over."""

INTERRUPTED: Final = 3


def follow(job: Job, *, every_s: float) -> int:
    """Write what `job` is while tournaments run, and once more in the end; return a status.

    0 when all is over; 3 after Ctrl-C. The last page refreshes no more. Raises ConfigError where
    nothing can be written; other faults are told of, and mended by a later look.
    """
    following = Following(job.sources, others=job.others)
    watcher = _Watcher(job, following, every_s)
    try:
        with on_signals(_interrupt):
            watcher.follow()
    except KeyboardInterrupt:
        _part(job, following)
        return INTERRUPTED
    return 0


def _interrupt() -> None:
    raise KeyboardInterrupt


def _part(job: Job, following: Following) -> None:
    """Write the page once more, without refreshing; another Ctrl-C does without."""
    readable = following.look().readable
    if readable:
        job.write(readable)
    print("arena: watching no more; the page stays as it stands", file=sys.stderr)


class _Watcher:
    """Renders again when something has changed, and not too often."""

    def __init__(self, job: Job, following: Following, every_s: float) -> None:
        self._job: Final = job
        self._following: Final = following
        self._every_s: Final = every_s
        self._due_s = 0.0
        self._told = ""
        self._waits_for: tuple[Path, ...] = ()

    def follow(self) -> None:
        """Return when all is over and written."""
        while True:
            sight = self._following.look()
            self._tell_of_waiting(sight)
            if self._job.ends and sight.is_over:
                self._job.write(sight.readable)
                return
            if sight.has_changed and time.monotonic() >= self._due_s:
                self._render(sight)
            time.sleep(min(LOOK_S, self._every_s))

    def _render(self, sight: Sight) -> None:
        began_s = time.monotonic()
        try:
            self._job.write(sight.readable, refresh_s=math.ceil(self._every_s))
        except ConfigError:
            raise
        except ArenaError as error:  # half a record that somebody writes, a template at work
            self._tell(f"warning: {error}")
        else:
            self._told = ""
        self._following.rendered()
        now_s = time.monotonic()
        self._due_s = now_s + max(self._every_s, SHARE * (now_s - began_s))

    def _tell(self, words: str) -> None:
        """Say it unless it was said just before."""
        if words != self._told:
            print(words, file=sys.stderr)
        self._told = words

    def _tell_of_waiting(self, sight: Sight) -> None:
        """Say, once, what is not there yet."""
        absent = tuple(one for one in self._job.sources() if one not in sight.readable)
        if absent and absent != self._waits_for:
            print(f"waiting for games in {', '.join(map(str, absent))}", file=sys.stderr)
        self._waits_for = absent


WATCH = "--watch"
EVERY_S = 10.0
"""How often a page is rendered again that somebody watches."""


class Watchable(Plain):
    """A command whose `--watch` may have a number after it, or nothing."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the options and arguments; without sources templates can be copied, no more."""
        pieces = super().collect_usage_pieces(ctx)
        return ["SOURCE..." if "SOURCE" in piece else piece for piece in pieces]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the command line."""
        return super().parse_args(ctx, with_seconds(args))


def with_seconds(args: list[str]) -> list[str]:
    """Return a command line in which every `--watch` has its seconds.

    >>> with_seconds(["out", "--watch", "-o", "page.html"])
    ['out', '--watch', '10', '-o', 'page.html']
    >>> with_seconds(["--watch", "2.5", "out", "--", "--watch"])
    ['--watch', '2.5', 'out', '--', '--watch']
    """
    told = list(args)
    end = told.index("--") if "--" in told else len(told)
    for at in reversed([at for at, word in enumerate(told[:end]) if word == WATCH]):
        if not _is_number("".join(told[at + 1 : min(at + 2, end)])):
            told.insert(at + 1, f"{EVERY_S:g}")
    return told


def _is_number(word: str) -> bool:
    try:
        return not math.isnan(float(word))
    except ValueError:
        return False


@app.command(cls=Watchable)
def report(
    sources: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="SOURCE...",
            help="Tournaments' directories, record files, or a folder of tournaments.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", metavar="FILE", help="Where the page is written, else report.html."
        ),
    ] = None,
    title: Annotated[
        str | None, typer.Option("--title", metavar="TEXT", help="The page's heading.")
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option("--data", metavar="FILE", help="Write what the page shows as JSON."),
    ] = None,
    watch: Annotated[
        float | None,
        typer.Option(
            WATCH,
            metavar="[SECONDS]",
            min=1.0,
            max=86_400.0,
            help="Write it again and again while a run goes on.",
        ),
    ] = None,
    templates: Annotated[
        Path | None,
        typer.Option("--templates", metavar="DIR", help="Files there come before ours."),
    ] = None,
    copy_templates: Annotated[
        Path | None,
        typer.Option("--copy-templates", metavar="DIR", help="Copy our templates there, and end."),
    ] = None,
    no_reports: Annotated[
        bool,
        typer.Option("--no-reports", help="Of a folder of tournaments: write the index alone."),
    ] = False,
) -> None:
    """Write the HTML report: one file that needs no network.

    Of a folder with several tournaments it is an index page, FOLDER/index.html, with ratings over
    all of them; their own reports are written where they are missing or older than their games.

    With --data and without -o only the JSON is written; `-` is standard output. With --watch the
    page refreshes itself while a tournament is played; exit status 0 when that is over, 3 after
    Ctrl-C.

    Example: arena report tournament -o report.html
    """
    if copy_templates is not None:
        _copy(copy_templates)
        return
    if not sources:
        raise typer.BadParameter("expected a SOURCE: a tournament's directory or a record file")
    _refuse(sources, out, data, watch, templates)
    job = _job(sources, out, data, title=title, templates=templates, reports=not no_reports)
    if watch is None:
        job.write(job.sources())
        return

    raise typer.Exit(follow(job, every_s=watch))


def _refuse(
    sources: list[Path],
    out: Path | None,
    data: Path | None,
    watch: float | None,
    templates: Path | None,
) -> None:
    """Raise what is wrong with the options."""
    if str(out) == "-" and str(data) == "-":
        raise typer.BadParameter("-o and --data cannot both be standard output")
    _refuse_overwriting(sources, out, data)
    if watch is not None and "-" in (str(out), str(data)):
        raise typer.BadParameter("--watch needs files to write again, not standard output")
    if watch is not None and Path("-") in sources:
        raise typer.BadParameter("--watch needs files to read again, not standard input")
    if templates is None:
        return
    from lath.reports.page.page import in_use

    if not templates.is_dir():
        raise ConfigError(f"{templates} is no folder of templates: there is none of that name")
    if not in_use(templates):
        raise ConfigError(
            f"{templates} has no file of the name of one of ours, such as page.html.j2; "
            f"`arena report --copy-templates {templates}` copies ours there"
        )


def _refuse_overwriting(sources: list[Path], out: Path | None, data: Path | None) -> None:
    """Raise where a file would take the place of what it is made of, or of the other file."""
    from lath.arena.tournament.sources import is_collection, tournaments_in
    from lath.arena.tournament.store import DATABASE, RECORDS

    inner = [one for path in sources if is_collection(path) for one in tournaments_in(path)]
    names = ("", DATABASE, RECORDS)
    read = {os.path.realpath(path / name) for path in (*sources, *inner) for name in names}
    files = [path for path in (out, data) if path is not None and _is_replaced(path)]
    for path in files:
        if os.path.realpath(path) in read:
            raise ConfigError(f"{path} would be overwritten, and the report is made of it")
    if len(files) == 2 and os.path.realpath(files[0]) == os.path.realpath(files[1]):
        raise typer.BadParameter("-o and --data cannot both be the same file")


def _is_replaced(path: Path) -> bool:
    """Return whether what is there would be gone; a device or a pipe stays, a folder is refused."""
    return str(path) != "-" and (path.is_file() or not path.exists())


def _copy(folder: Path) -> None:
    """Copy our templates, and say which were there already."""
    from lath.reports.page.page import copy_to

    with writable(folder):
        copied = list(copy_to(folder))
    kept = [name for name, is_new in copied if not is_new]
    print(f"{folder}: {len(copied) - len(kept)} templates copied", file=sys.stderr)
    if kept:
        print(f"left as they were: {', '.join(kept)}", file=sys.stderr)


def _job(
    sources: list[Path], out: Path | None, data: Path | None, *, reports: bool, **more: Any
) -> Job:
    """Return what there is to write."""
    from lath.arena.tournament.sources import is_collection

    if len(sources) == 1 and is_collection(sources[0]):
        if out is None and data is None:
            out = sources[0] / "index.html"
        return IndexJob(folder=sources[0], out=out, data=data, writes_reports=reports, **more)
    if out is None and data is None:
        out = Path("report.html")
    return ReportJob(given=tuple(sources), out=out, data=data, **more)
