"""What `arena report` writes, once or again and again: a page, its data, or an index of pages."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from arena.cli.outlet import writable, write_pieces
from arena.errors import ArenaError, ConfigError

if TYPE_CHECKING:
    from reports.page.document import Gathered
    from reports.page.index import Collection
    from reports.page.page import Page

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
        from arena.tournament.outcomes import outcome_in
        from arena.tournament.sources import records_of
        from reports.page.document import gather

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
        from arena.tournament.pages import shard_folder
        from reports.page.page import page_of

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
    out: Path
    title: str | None
    templates: Path | None
    writes_reports: bool
    ends: bool = field(default=False)

    def sources(self) -> Sequence[Path]:
        """Return the tournaments that are there now."""
        from arena.tournament.collection import tournaments_in

        return tournaments_in(self.folder)

    def others(self) -> Iterable[Path]:
        """Return the user's templates."""
        return templates_in(self.templates)

    def write(self, sources: Sequence[Path], *, refresh_s: float | None = None) -> None:
        """Write the reports that are missing, then the index; `sources` are those with games.

        A tournament that cannot be read is told of in the end, and keeps no other from the index.
        """
        from arena.tournament.collection import needs_report
        from reports.page.index import render

        if str(self.out) == "-":
            raise ConfigError("an index page links to reports beside it: -o needs a FILE")
        for tournament in sources if self.writes_reports else ():
            if needs_report(tournament):
                self._write_report(tournament)
        found, damaged = self._collected()
        page = by_template(
            lambda: render(found, title=self.title, templates=self.templates, refresh_s=refresh_s),
            self.templates,
        )
        put(self.out, page, found.standings.overall.games)
        if damaged:
            told = (f"{path} is not in {self.out}: {why}" for path, why in damaged.items())
            raise ArenaError("\n".join(told))

    def _collected(self) -> tuple[Collection, Mapping[Path, str]]:
        """Return what the tournaments come to, and why some of them cannot be read."""
        from arena.tournament.collection import UnreadableError, collect

        damaged: dict[Path, str] = {}
        while True:  # from the start: half of a damaged one was counted
            sound = [path for path in self.sources() if path not in damaged]
            try:
                return collect(self.folder, sound, self.out.parent), damaged
            except UnreadableError as error:
                damaged[error.tournament] = str(error)

    def _write_report(self, tournament: Path) -> None:
        from arena.tournament.pages import REPORT

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


def _write_data(data: Path, document: Mapping[str, Any], count: int) -> None:
    text = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    content = text.encode("utf-8", "replace")
    write_pieces(data, [content])
    if str(data) != "-":
        print(f"{data}: {games(count)}, {size(len(content))}", file=sys.stderr)


def templates_in(folder: Path | None) -> Iterator[Path]:
    """Yield the files of a user's folder of templates."""
    from reports.page.overriding import KINDS

    if folder is not None:
        yield from sorted(path for path in folder.rglob("*") if path.suffix in KINDS)


def by_template(make: Callable[[], Made], templates: Path | None) -> Made:
    """Return what is made; raises ArenaError for what goes wrong in a user's template."""
    try:
        return make()
    except ArenaError:
        raise
    except Exception as error:
        from reports.page.overriding import fault_of

        fault = None if templates is None else fault_of(error, templates)
        if fault is None:
            raise
        raise ArenaError(fault) from error


def put(out: Path, page: Page, count: int) -> None:
    """Write a page, and say what was written."""
    from arena.tournament.pages import write_page

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
