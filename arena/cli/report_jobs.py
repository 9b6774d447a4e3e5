"""The work of `arena report`: a page, an index of several, or a page that follows a run."""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final
from urllib.parse import quote

from lath.arena.cli.files import writable
from lath.arena.cli.outputs import ANY_PAGE, DATA, PAGE, PNG, Kind, Target
from lath.arena.directory import REPORT
from lath.arena.errors import FAULT, INTERRUPTED, ArenaError, ConfigError
from lath.arena.machine import signals
from lath.arena.publishing.pages import Following, collect, needs_report, refuse_to_replace
from lath.arena.terminal import pictures
from lath.arena.terminal.notices import print_note, print_warning
from lath.arena.tournament.outcome.directories import tournaments_in
from lath.arena.tournament.outcome.notes import event_in
from lath.arena.tournament.outcome.page_files import write_page
from lath.arena.tournament.outcome.sources import Doubt, material_of
from lath.arena.tournament.outcome.taken import TAKEN
from lath.arena.tournament.store.anchors import scale_in
from lath.games.errors import count_of
from lath.notation.archive.given import GivenGames
from lath.notation.extras import EXTRAS
from lath.notation.rules.replay import positions
from lath.reports.event.export import invalid_words

if TYPE_CHECKING:
    from lath.reports.page.document import Gathered
    from lath.reports.page.page import Card, Page


def refuse_strange(
    names: Sequence[str], anchors: Mapping[str, float] | None, relative_to: str
) -> None:
    """Raise ConfigError if an option names a bot without a rated game."""
    from lath.reports.counting.scale import Scale  # start-up time

    try:
        Scale(anchors=anchors or {}, relative_to=relative_to).checked(names)
    except ValueError as error:
        raise ConfigError(str(error)) from error


def skipped_of() -> dict[str, int]:
    """Return the number of skipped records of unknown game types, by reason."""
    return {"other games": TAKEN.others.total()} if TAKEN.others else {}


def invalid_doubts(standings: Mapping[str, Any]) -> Iterator[Doubt]:
    """Yield a doubt on the invalid records that the standings leave out, if any."""
    if standings["unsound"]:
        words = invalid_words(standings["unsound"])
        yield Doubt(words, ArenaError(words))


def warn_of(doubts: Iterable[Doubt]) -> int:
    """Print warnings on the sources of records; return the exit status."""
    for doubt in doubts:
        print_warning(doubt.words)
    return FAULT if any(doubt.damage for doubt in doubts) else 0


@dataclass(slots=True, kw_only=True)
class WrittenFiles:
    """The files and folders that a command has written; prints each on standard error."""

    quiet: bool = False
    """True to print nothing."""

    names: dict[str, None] = field(default_factory=dict)

    def add(self, path: Path, words: str) -> None:
        """Note and print a written file or folder, with words on its content."""
        self.names[str(path)] = None
        self.say(f"{path}: {words}")

    def say(self, words: str) -> None:
        """Print a note, unless `quiet`."""
        if not self.quiet:
            print(words, file=sys.stderr)

    def as_json(self) -> dict[str, object]:
        """Return the names as JSON data."""
        return {"written": list(self.names)}


@dataclass(frozen=True, kw_only=True)
class PageJob:
    """The sources and settings of pages: a report, an index or a league."""

    given: Sequence[Path]
    title: str | None = None
    templates: Path | None = None
    rules: bool = True
    """True to leave out records that are invalid by the rules."""

    base_url: str = ""
    """The later address of the pages' folder; empty if unknown."""

    force: bool = False
    """True to replace existing files of any kind."""

    counts_again: bool = False
    """True to count duplicate games."""

    anchors: Mapping[str, float] | None = None
    """Bots with a fixed Elo; None for the stored ones."""

    written: WrittenFiles = field(default_factory=WrittenFiles)


@dataclass(frozen=True, kw_only=True)
class ReportJob(PageJob):
    """The report of some sources, with the files to write."""

    out: Path | None
    """The page to write, or None."""

    data: Path | None = None
    analysis: Path | None = None
    """Analysed records of the same games."""

    public: bool = False
    """True to leave out private data of bots and machines."""

    relative_to: str = ""
    """The bot whose Elo the differences are relative to."""

    season: str | None = None
    """The season to show; None for the last one."""

    ends: ClassVar = True
    """True if the job is done when all tournaments are over."""

    def sources(self) -> Sequence[Path]:
        """Return the sources, also missing ones."""
        return self.given

    def refuse(self) -> None:
        """Raise ConfigError if a file would be overwritten; called before anything is read."""
        if self.data is not None:
            self._output(self.data, DATA, "--data").refuse()
        if self.out is not None:
            self._page().refuse()

    def _output(self, path: Path, kind: Kind, name: str = "-o") -> Target:
        return Target(path=path, kind=kind, flag=name, inputs=self.given, force=self.force)

    def _page(self) -> Target:
        assert self.out is not None
        return self._output(self.out, PAGE if self.templates is None else ANY_PAGE)

    def other_files(self) -> Sequence[Path]:
        """Return the analysis, and the files of the user's template folder."""
        from lath.reports.page.page import KINDS  # start-up time

        found = () if self.templates is None else self.templates.rglob("*")
        analysis = () if self.analysis is None else (self.analysis,)
        return [*analysis, *sorted(path for path in found if path.suffix in KINDS)]

    def write(self, sources: Sequence[Path], *, refresh_s: float | None = None) -> list[Doubt]:
        """Write data and page in one pass over the records; with `refresh_s`, also without records.

        Returns the doubts about the sources.
        """
        from lath.reports.page.document import gather  # start-up time
        from lath.reports.page.page import page_of

        doubts: list[Doubt] = []
        records, background = material_of(
            sources,
            doubts,
            rules=self.rules,
            analysis=self.analysis,
            public=self.public,
            given=GivenGames(counts_again=self.counts_again),
            anchors=self.anchors,
            relative_to=self.relative_to,
            season=self.season,
        )
        gathered = gather(records, title=self.title, background=background)
        self.refuse_strange(gathered.document["standings"])
        gathered.document["standings"]["left_out"].update(skipped_of())
        games = gathered.document["facts"]["records"]
        doubts += invalid_doubts(gathered.document["standings"])
        if not self.title and (event := event_in(sources, gathered.document["facts"]["events"])):
            gathered.document["title"] = event
        if not games and refresh_s is None:
            self.written.say(f"no games in {', '.join(map(str, self.given))}: the page says so")
        card = self._card(gathered)
        make = partial(page_of, gathered, templates=self.templates, refresh_s=refresh_s, card=card)
        self._write(gathered.document, games, make)
        return doubts

    def refuse_strange(self, standings: Mapping[str, Any]) -> None:
        """Raise ConfigError if the job names a bot without a rated game, once there are games."""
        names = [row["name"] for row in standings["overall"]["rows"]]
        if names:
            refuse_strange(names, self.anchors, self.relative_to)

    def _address(self, name: str) -> str:
        return f"{self.base_url.rstrip('/')}/{quote(name)}"

    def _card(self, gathered: Gathered) -> Card | None:
        """Return the preview card of the page; writes a picture of the first game for it."""
        from lath.reports.page.page import Card  # start-up time

        if not self.base_url or self.out is None or str(self.out) == "-":
            return None
        is_special = self.out.exists() and not self.out.is_file()
        address, first = self._address(self.out.name), gathered.document["showpiece"]
        if first is None or is_special:
            return Card(address)
        if not pictures.has_libraries():
            self.written.say(f"{self.out}: it has no picture, for which {EXTRAS['images'].install}")
            return Card(address)
        record = gathered.packer.record(first["number"])
        played = list(positions(record))
        file = self.out.with_suffix(".png")
        drawn = pictures.svg(record, played, len(played) - 1)
        self._output(file, PNG).write([pictures.png(drawn, PICTURE)])
        shows = f"{first['title']}: {first['first']} against {first['second']}, at the end"
        return Card(address, self._address(file.name), shows)

    def _write(self, document: Mapping[str, Any], games: int, make: Callable[[], Page]) -> None:
        """Write the data and the page from `make`, and print a note; raises ArenaError."""
        if self.data is not None:
            text = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
            content = text.encode("utf-8", "replace")
            self._output(self.data, DATA, "--data").write([content])
            if str(self.data) != "-":
                self.written.add(self.data, content_words(games, len(content)))
        if self.out is None:
            return
        try:
            page = make()
        except Exception as error:  # from a user's template
            from lath.reports.page.page import fault_of  # start-up time

            fault = None if self.templates is None else fault_of(error, self.templates)
            if fault is None:
                raise
            raise ArenaError(fault) from error
        if str(self.out) == "-":
            self._page().write([page.html.encode()])
            return
        self._page().refuse()
        with writable(self.out):
            size = write_page(self.out, page)
        self.written.add(self.out, content_words(games, size))


def content_words(games: int, size: int) -> str:
    """Return the number of games and the size of a file as text.

    >>> content_words(1, 85_400), content_words(12_000, 5_731_000)
    ('1 game, 85 kB', '12,000 games, 5.7 MB')
    """
    size_words = f"{size / 1e6:.1f} MB" if size >= 1_000_000 else f"{size / 1000:.0f} kB"
    return f"{count_of(games, 'game')}, {size_words}"


@dataclass(frozen=True, kw_only=True)
class IndexJob(ReportJob):
    """The index page of a folder of tournaments, and their missing reports."""

    writes_reports: bool
    made: set[Path] = field(default_factory=set)
    """The tournaments whose reports this job has written."""

    ends: ClassVar = False
    """False, because another tournament can always begin."""

    def sources(self) -> Sequence[Path]:
        """Return the tournaments that exist now."""
        return tournaments_in(self.given[0])

    def write(self, sources: Sequence[Path], *, refresh_s: float | None = None) -> list[Doubt]:
        """Write missing reports, then the data and the index; `sources` are tournaments with games.

        A tournament that cannot be read is left out of the index and raises ArenaError at the end.
        """
        from lath.reports.page.index import Unreadable, render  # start-up time
        from lath.reports.page.page import Card

        if str(self.out) == "-":
            raise ConfigError("--output: an index page links to reports beside it, so name a FILE")
        for path in sources if self.writes_reports and self.out else ():
            # An existing report may be from a run, which includes private data.
            if not needs_report(path) and (path in self.made or not self.public):
                continue
            self.made.discard(path)
            out, how = path / REPORT, self.templates
            address = self._address(path.relative_to(self.given[0]).as_posix())
            job = ReportJob(
                given=[path],
                out=out,
                templates=how,
                rules=self.rules,
                base_url=self.base_url and address,
                public=self.public,
                force=self.force,
                counts_again=self.counts_again,
                written=self.written,
            )
            try:
                if not self.force:
                    refuse_to_replace(out, "report")
                job.write(job.given)
                self.made.add(path)
            except ArenaError as error:  # the other reports do not depend on it
                print_warning(f"{path}: no report was written: {error}")
        (folder,) = self.given
        base = folder if self.out is None else self.out.parent
        doubts: list[Doubt] = []
        found, damaged = collect(
            folder,
            self.sources(),
            base,
            self.title,
            doubts,
            rules=self.rules,
            public=self.made if self.public else None,
            counts_again=self.counts_again,
            scale=scale_in([folder, *self.sources()], anchors=self.anchors),
        )
        self.refuse_strange(found["standings"])
        found["unreadable"] = [
            Unreadable(
                name=path.relative_to(folder).as_posix(),
                reason="damaged" if self.public else _reason_of(path, error),
            )
            for path, error in sorted(damaged.items())
        ]
        doubts += invalid_doubts(found["standings"])
        card = Card(self._address(self.out.name)) if self.base_url and self.out else None
        make = partial(render, found, templates=self.templates, refresh_s=refresh_s, card=card)
        self._write(found, found["standings"]["overall"]["games"], make)
        if damaged:
            place = self.data if self.out is None else self.out
            lines = (f"{path}: left out of {place}: {error}" for path, error in damaged.items())
            warn_of(doubts)
            raise ArenaError("\n".join(lines))
        return doubts


def _reason_of(tournament: Path, error: ArenaError) -> str:
    """Return in one line why a tournament cannot be read, without its path."""
    words = str(error).replace(f"{tournament}/", "").replace(str(tournament), "the folder")
    return " ".join(words.split())


PICTURE: Final = 800
"""The width of a page's picture in pixels."""

SHARE: Final = 4
"""The least ratio of waiting to rendering: at most a fifth of the time goes into rendering."""

LOOK_S: Final = 1.0
"""The longest delay until the end of a run is noticed."""


def follow(job: ReportJob, *, every_s: float) -> int:
    """Write the pages again while tournaments run, and once at the end; return the exit status.

    The status is 0 at the end and 3 after Ctrl-C. The last page does not refresh itself. Raises
    ConfigError if nothing can be written; other errors print a warning, and the job tries again.
    """
    following = Following(job.sources, others=job.other_files)
    try:
        with signals.heeded(raises=True):
            return warn_of(_follow(job, following, every_s))
    except KeyboardInterrupt:  # a second Ctrl-C skips the last page
        if readable := following.look().readable:
            warn_of(job.write(readable))
        print_note("stopped watching; the page keeps its last state")
        return INTERRUPTED


def _follow(job: ReportJob, following: Following, every_s: float) -> list[Doubt]:
    """Write the pages after changes, limited by `every_s`; return after the last write.

    Each warning and each wait is printed once.
    """
    due_s, warnings = 0.0, list[str]()
    waits_for: tuple[Path, ...] = ()
    while True:
        sight = following.look()
        absent = tuple(one for one in job.sources() if one not in sight.readable)
        if absent and absent != waits_for:
            job.written.say(f"waiting for games in {', '.join(map(str, absent))}")
        waits_for = absent
        if job.ends and sight.is_over:
            return job.write(sight.readable)
        if sight.has_changed and time.monotonic() >= due_s:
            began_s = time.monotonic()
            before, warnings = warnings, []
            try:
                doubts = job.write(sight.readable, refresh_s=math.ceil(every_s))
                warnings = [doubt.words for doubt in doubts]
            except ConfigError:
                raise
            except ArenaError as error:  # such as half a record, or a template being edited
                warnings = [str(error)]
            for words in warnings if warnings != before else ():
                print_warning(words)
            following.rendered()
            now_s = time.monotonic()
            due_s = now_s + max(every_s, SHARE * (now_s - began_s))
        time.sleep(min(LOOK_S, every_s))
