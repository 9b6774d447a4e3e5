"""What `arena report` writes, once or again and again: a page, its data, or an index of pages."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from lath.arena.cli.outlet import writable, write_pieces
from lath.arena.errors import ArenaError, ConfigError
from lath.notation.errors import RecordError

if TYPE_CHECKING:
    from lath.arena.tournament.collection import UnreadableError
    from lath.reports.page.document import Gathered
    from lath.reports.page.index import Collection
    from lath.reports.page.page import Page

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
        from lath.arena.tournament.outcomes import outcome_in
        from lath.arena.tournament.sources import records_of
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
        from lath.arena.tournament.pages import shard_folder
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
        from lath.arena.tournament.collection import tournaments_in

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
        from lath.arena.tournament.collection import UnreadableError, collect
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
        from lath.arena.tournament.collection import needs_report

        for tournament in tournaments:
            if needs_report(tournament):
                self._write_report(tournament)

    def _write_report(self, tournament: Path) -> None:
        from lath.arena.tournament.pages import REPORT

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
    from lath.reports.page.overriding import KINDS

    if folder is not None:
        yield from sorted(path for path in folder.rglob("*") if path.suffix in KINDS)


def by_template(make: Callable[[], Made], templates: Path | None) -> Made:
    """Return what is made; raises ArenaError for what goes wrong in a user's template."""
    try:
        return make()
    except ArenaError:
        raise
    except Exception as error:
        from lath.reports.page.overriding import fault_of

        fault = None if templates is None else fault_of(error, templates)
        if fault is None:
            raise
        raise ArenaError(fault) from error


def put(out: Path, page: Page, count: int) -> None:
    """Write a page, and say what was written."""
    from lath.arena.tournament.pages import write_page

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
