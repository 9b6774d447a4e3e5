"""What `arena report` makes: one page, an index of several, or a page that follows a run."""

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
    """Raise ConfigError where a flag names a bot that has no rated game."""
    from lath.reports.counting.scale import Scale  # start-up time

    try:
        Scale(anchors=anchors or {}, relative_to=relative_to).checked(names)
    except ValueError as error:
        raise ConfigError(str(error)) from error


def skipped_of() -> dict[str, int]:
    """Return how many records of games that are not here were passed over, as a reason."""
    return {"other games": TAKEN.others.total()} if TAKEN.others else {}


def invalid_doubts(standings: Mapping[str, Any]) -> Iterator[Doubt]:
    """Yield what is to be said of records that were left out of standings, if any were."""
    if standings["unsound"]:
        words = invalid_words(standings["unsound"])
        yield Doubt(words, ArenaError(words))


def warn_of(doubts: Iterable[Doubt]) -> int:
    """Say where records come from that do not come from where they should; return a status."""
    for doubt in doubts:
        print_warning(doubt.words)
    return FAULT if any(doubt.damage for doubt in doubts) else 0


@dataclass(slots=True, kw_only=True)
class WrittenFiles:
    """The files and folders that a command has written; each is named on standard error."""

    quiet: bool = False
    """Whether none is named there."""

    names: dict[str, None] = field(default_factory=dict)

    def add(self, path: Path, words: str) -> None:
        """Note a file or a folder, and say what is in it."""
        self.names[str(path)] = None
        self.say(f"{path}: {words}")

    def say(self, words: str) -> None:
        """Print a note."""
        if not self.quiet:
            print(words, file=sys.stderr)

    def as_json(self) -> dict[str, object]:
        """Return for programs what was written."""
        return {"written": list(self.names)}


@dataclass(frozen=True, kw_only=True)
class PageJob:
    """What pages are made of, and how: those of a report, an index or a league."""

    given: Sequence[Path]
    title: str | None = None
    templates: Path | None = None
    rules: bool = True
    """Whether records that the rules are against are left out."""

    base_url: str = ""
    """The address of the folder in which the pages will lie; empty: nobody knows."""

    force: bool = False
    """Whether what is there is replaced, whatever it is."""

    counts_again: bool = False
    """Whether a game that is given twice counts twice."""

    anchors: Mapping[str, float] | None = None
    """Bots whose Elo is given; None: those that are stored."""

    written: WrittenFiles = field(default_factory=WrittenFiles)


@dataclass(frozen=True, kw_only=True)
class ReportJob(PageJob):
    """The report of some sources: where it and its data are written, and what makes them."""

    out: Path | None
    """Where the page is written; None: nowhere."""

    data: Path | None = None
    analysis: Path | None = None
    """The records of the same games, analysed."""

    public: bool = False
    """Whether it is for everybody: then it has nothing that is somebody's own."""

    relative_to: str = ""
    """The bot to which differences are shown."""

    season: str | None = None
    """The season of which the page is; None: the last one."""

    ends: ClassVar = True
    """It is done when all tournaments are over."""

    def sources(self) -> Sequence[Path]:
        """Return the sources, whether they are there or not."""
        return self.given

    def refuse(self) -> None:
        """Raise ConfigError where a file would be destroyed; before anything is read."""
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
        """Return the analysis and the files of the user's folder of templates."""
        from lath.reports.page.page import KINDS  # start-up time

        found = () if self.templates is None else self.templates.rglob("*")
        analysis = () if self.analysis is None else (self.analysis,)
        return [*analysis, *sorted(path for path in found if path.suffix in KINDS)]

    def write(self, sources: Sequence[Path], *, refresh_s: float | None = None) -> list[Doubt]:
        """Write data and page, from one pass over the records; with `refresh_s` of none, too.

        Returns what is to be said of where they come from.
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
        if not games and not self.title and (event := event_in(sources)):
            gathered.document["title"] = event
        if not games and refresh_s is None:
            self.written.say(f"no games in {', '.join(map(str, self.given))}: the page says so")
        card = self._card(gathered)
        make = partial(page_of, gathered, templates=self.templates, refresh_s=refresh_s, card=card)
        self._write(gathered.document, games, make)
        return doubts

    def refuse_strange(self, standings: Mapping[str, Any]) -> None:
        """Raise ConfigError where it names a bot that has no rated game, once games are there."""
        names = [row["name"] for row in standings["overall"]["rows"]]
        if names:
            refuse_strange(names, self.anchors, self.relative_to)

    def _address(self, name: str) -> str:
        return f"{self.base_url.rstrip('/')}/{quote(name)}"

    def _card(self, gathered: Gathered) -> Card | None:
        """Return what others show of the page; the picture of the first game is written for it."""
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
        """Write the data and the page that `make` returns, and say so; raises ArenaError."""
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
        except Exception as error:  # of a user's template
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
    """Return how many games and bytes a file has, as people write it.

    >>> content_words(1, 85_400), content_words(12_000, 5_731_000)
    ('1 game, 85 kB', '12,000 games, 5.7 MB')
    """
    size_words = f"{size / 1e6:.1f} MB" if size >= 1_000_000 else f"{size / 1000:.0f} kB"
    return f"{games:,} game{'' if games == 1 else 's'}, {size_words}"


@dataclass(frozen=True, kw_only=True)
class IndexJob(ReportJob):
    """The index page of a folder of tournaments, and their reports where they are missing."""

    writes_reports: bool
    made: set[Path] = field(default_factory=set)
    """The tournaments whose reports this job has written."""

    ends: ClassVar = False
    """Another tournament may always begin there."""

    def sources(self) -> Sequence[Path]:
        """Return the tournaments that are there now."""
        return tournaments_in(self.given[0])

    def write(self, sources: Sequence[Path], *, refresh_s: float | None = None) -> list[Doubt]:
        """Write the reports that are missing, then data and index; `sources` are those with games.

        A tournament that cannot be read is told of in the end, and keeps no other from the index.
        """
        from lath.reports.page.index import Unreadable, render  # start-up time
        from lath.reports.page.page import Card

        if str(self.out) == "-":
            raise ConfigError("--output: an index page links to reports beside it, so name a FILE")
        for path in sources if self.writes_reports and self.out else ():
            # One that is there may be a run's, which hides nothing.
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
            except ArenaError as error:  # one that nobody may write to keeps us not from the rest
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
    """Return in a line why a tournament cannot be read, without where its folder is."""
    words = str(error).replace(f"{tournament}/", "").replace(str(tournament), "the folder")
    return " ".join(words.split())


PICTURE: Final = 800
"""Pixels of the width of the picture beside a page."""

SHARE: Final = 4
"""At most so small a part of the time goes into rendering: a fifth."""

LOOK_S: Final = 1.0
"""How long it may take to notice that a run is over."""


def follow(job: ReportJob, *, every_s: float) -> int:
    """Write what `job` is while tournaments run, and once more in the end; return a status.

    0 when all is over; 3 after Ctrl-C. The last page refreshes no more. Raises ConfigError where
    nothing can be written; other faults are told of, and mended by a later look.
    """
    following = Following(job.sources, others=job.other_files)
    try:
        with signals.heeded(raises=True):
            return warn_of(_follow(job, following, every_s))
    except KeyboardInterrupt:  # another Ctrl-C does without the last page
        if readable := following.look().readable:
            warn_of(job.write(readable))
        print_note("stopped watching; the page keeps its last state")
        return INTERRUPTED


def _follow(job: ReportJob, following: Following, every_s: float) -> list[Doubt]:
    """Write again when something has changed, not too often; return when all is over and written.

    What is waited for, and what goes wrong, is said once.
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
            except ArenaError as error:  # half a record that somebody writes, a template at work
                warnings = [str(error)]
            for words in warnings if warnings != before else ():
                print_warning(words)
            following.rendered()
            now_s = time.monotonic()
            due_s = now_s + max(every_s, SHARE * (now_s - began_s))
        time.sleep(min(LOOK_S, every_s))
