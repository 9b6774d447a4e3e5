"""`arena report --site` and `--owner`: a league's pages, and the files for a bot's owner."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from lath.arena.cli.outputs import made_folder
from lath.arena.cli.report_jobs import (
    PageJob,
    WrittenFiles,
    content_words,
    invalid_doubts,
    refuse_strange,
)
from lath.arena.errors import ArenaError, ConfigError
from lath.arena.publishing.pages import Website, newest_of
from lath.arena.publishing.private import private_below
from lath.arena.terminal.notices import print_warning
from lath.arena.tournament.configuration.about import read_about
from lath.arena.tournament.outcome.announced import announced, is_announced
from lath.arena.tournament.outcome.directories import is_collection, tournaments_in
from lath.arena.tournament.outcome.notes import about_in, seasons_in, snapshot_in
from lath.arena.tournament.outcome.sources import (
    Doubt,
    Material,
    live_first,
    material_of,
    origin_of,
)
from lath.arena.tournament.outcome.versions import POOL
from lath.arena.tournament.store.anchors import before_last_event, scale_in
from lath.arena.tournament.store.database import is_being_played
from lath.games.errors import count_of
from lath.notation.archive.given import GivenGames
from lath.notation.files.files import write_atomically
from lath.notation.record.record import Record
from lath.notation.record.tags import SEASON
from lath.reports.counting.standings import Refused
from lath.reports.event.background import Background
from lath.reports.event.league import Event, address, addresses, league_of
from lath.reports.notes.outcome import EventOutcome

if TYPE_CHECKING:
    from lath.reports.page.index import Collector, IndexDocument

_EVENTS: Final = "events"

ABOUT: Final = "bot.json"
"""The file that marks a folder of a bot's logs."""


@dataclass(frozen=True, kw_only=True)
class SiteJob(PageJob):
    """The public pages of a league, with their sources and settings."""

    out: Path
    about: Path | None = None
    """The organiser's Markdown file; None for the one named by a configuration, if any."""

    doubts: list[Doubt] = field(default_factory=list)
    """Doubts about the sources of records."""

    def write(self) -> list[Doubt]:
        """Write all pages, the first page last; return the doubts about the sources.

        All sources are read before anything is written. Raises ArenaError if one of them cannot be
        read, since the league would be wrong without it.
        """
        from lath.reports.page.league import INDEX, MEETINGS, pages  # start-up time

        Website(self.out, force=self.force)  # checks the folder before anything is read
        sources = _of_seasons(_named(self.given))
        links = {
            name: f"{_EVENTS}/{short}.html"
            for name, short in addresses(one.name for one in sources).items()
        }
        if self.about is None:
            about = about_in(one.path for one in sources)
        else:
            about = read_about(self.about, "--about")
        index = self._index(sources, links)
        if not index["facts"]["records"] and not any(one.is_announced for one in sources):
            raise ArenaError(f"{', '.join(map(str, self.given))}: no records found")
        names = [
            *(row["name"] for row in index["standings"]["overall"]["rows"]),
            *(bot for one in sources for bot in _entered(one)),
        ]
        own = [f"bots/{short}.html" for short in addresses(names).values()]
        with made_folder(self.out) as place:
            website = Website(place, force=self.force)
            for name in (INDEX, MEETINGS, *links.values(), *own):
                website.refuse(name)
            found = dict(self._events(sources, links, index, website))
            ordered = [found[one["name"]] for one in index["tournaments"] if one["name"] in found]
            league = league_of(ordered, index["standings"]["overall"])
            for name, page in pages(
                league, index, templates=self.templates, base_url=self.base_url, about=about
            ):
                website.put(name, page.html.encode())
            kept = website.finish()
        for name in kept:
            print_warning(f"{self.out / name}: kept, because it was changed by hand")
        words = content_words(index["standings"]["overall"]["games"], website.size)
        events, bots = len(index["tournaments"]), len(league.entrants)
        self.written.add(self.out, f"{count_of(events, 'event')}, {count_of(bots, 'bot')}, {words}")
        return [*self.doubts, *invalid_doubts(index["standings"])]

    def _material(self, source: _Source, doubts: list[Doubt]) -> Material:
        """Return the records of a source or of its season, with the other material."""
        if source.is_announced:
            return Material(iter(()), announced(source.path))
        records, found = material_of(
            [source.path],
            doubts,
            season=source.season,
            public=True,
            anchors=self.anchors,
            rules=self.rules,
        )
        if source.is_part:
            whole = found.outcome or EventOutcome(format=POOL)
            now = EventOutcome(format=whole.format, event=whole.event)
            found = replace(found, outcome=whole if source.is_last else now)
        return Material(records, found)

    def _index(self, sources: Sequence[_Source], links: dict[str, str]) -> IndexDocument:
        """Return the data of the events and of the overall table; raises ArenaError."""
        from lath.reports.page.index import Collector  # start-up time
        from lath.reports.page.league import DEFAULT_TITLE

        paths = list(dict.fromkeys(one.path for one in sources))
        scale = scale_in([*self.given[:1], *paths], anchors=self.anchors)
        newest = newest_of([(one.name, one.path) for one in sources])
        while True:
            given = GivenGames(counts_again=self.counts_again)
            until = before_last_event([one.path for one in sources if one.name == newest])
            collector = Collector(given, newest=newest, until=until, scale=scale)
            self.doubts.clear()
            self._collect(collector, given, sources, links)
            if collector.newest in ("", newest):
                break
            newest = collector.newest
        if words := given.words():
            self.doubts.append(Doubt(words))
        found = collector.document(self.title or DEFAULT_TITLE)
        if names := [row["name"] for row in found["standings"]["overall"]["rows"]]:
            refuse_strange(names, self.anchors, "")
        announced_ones = {one.name for one in sources if one.is_announced}
        parts = {one.name for one in sources if one.is_part and not one.season}
        found["tournaments"] = [
            one
            for one in found["tournaments"]
            if one["facts"]["records"] or one["name"] not in parts
        ]
        for one in found["tournaments"]:
            if not one["facts"]["records"] and one["name"] not in announced_ones:
                one["link"] = ""
        return found

    def _collect(
        self,
        collector: Collector,
        given: GivenGames,
        sources: Sequence[_Source],
        links: Mapping[str, str],
    ) -> None:
        """Count the records of all sources; raises ArenaError."""
        begun: set[Path] = set()
        for place, source in enumerate(sources):
            name, path = source.name, source.path
            if path not in begun:
                given.begin(path, origin_of(path))
            begun.add(path)
            records, background = self._material(source, self.doubts)
            collector.add(
                name,
                source.of_part(records),
                background.outcome,
                is_playing=path.is_dir() and source.is_last and is_being_played(path),
                link=links[name],
                versions=background.versions,
                place=place if source.is_part else 0,
                part=_part_words(source, background),
                began=background.began,
            )
            for doubt in self.doubts:
                if doubt.damage is not None:
                    raise doubt.damage

    def _events(
        self,
        sources: Sequence[_Source],
        links: dict[str, str],
        index: IndexDocument,
        website: Website,
    ) -> Iterator[tuple[str, Event]]:
        """Write the report of each event with games; yield the data for the other pages."""
        from lath.reports.page.document import gather  # start-up time
        from lath.reports.page.page import Card, Home, page_of

        rows = {one["name"]: one for one in index["tournaments"]}
        for source in sources:
            name = source.name
            row, link = rows.get(name), links[name]
            if row is None or not row["link"]:
                continue
            records, background = self._material(source, [])
            records = source.before(records)
            gathered = gather(records, title=row["title"], background=background)
            document = gathered.document
            page = page_of(
                gathered,
                templates=self.templates,
                card=Card(f"{self.base_url.rstrip('/')}/{link}") if self.base_url else None,
                home=Home(index["title"], "../index.html"),
            )
            website.put(link, page.html.encode())
            yield (
                name,
                Event(
                    title=row["title"],
                    link=link,
                    date=row["facts"]["dates"]["last"],
                    table=document["standings"]["overall"],
                    versions=document["versions"],
                    regressions=document["regressions"],
                    again=row["again_by_bot"],
                    season=document["season"],
                    is_last=source.is_last,
                    benched=document["benched"] if source.is_last else (),
                ),
            )


class _Source(NamedTuple):
    """The source of one event of a league: a tournament, or a part of a pool."""

    name: str
    path: Path
    season: str = ""
    """The name of the season, or an empty text."""

    is_part: bool = False
    """True for one of several events of a pool with seasons."""

    is_last: bool = True
    """True for the part that is being played."""

    is_announced: bool = False
    """True for a season that has not begun."""

    def of_part(self, records: Iterable[Record | Refused]) -> Iterator[Record | Refused]:
        """Yield the records of this part."""
        for record in records:
            season = None if isinstance(record, Refused) else record.tag(SEASON)
            if not self.is_part or season in (self.season, None):
                yield record

    def before(self, records: Iterator[Record | Refused]) -> Iterator[Record | Refused]:
        """Return the records; before the first season, those of later seasons are left out."""
        return self.of_part(records) if self.is_part and not self.season else records


def _entered(source: _Source) -> set[str]:
    """Return the bots of a season, also those without a game."""
    if source.is_announced:
        season = announced(source.path).season
        return season.entered() if season else set()
    return {
        name
        for one in seasons_in([source.path])
        if source.season == one.name
        for name in one.entered()
    }


def _part_words(source: _Source, background: Background) -> str:
    """Return the name of the event's part of a tournament; empty for a whole tournament."""
    if source.is_announced and background.season:
        return background.season.name
    if source.season or not background.snapshot:
        return source.season
    return f"snapshot {background.snapshot.name}"


def _of_seasons(named: Sequence[tuple[str, Path]]) -> list[_Source]:
    """Return an event per season of each pool; snapshots of included pools come last.

    A snapshot gets the organiser's later rulings. A game in two events counts in the first. If a
    pool is not included, its newest snapshot replaces it.
    """
    found, copies = list[_Source](), list[_Source]()
    pools = set[str]()

    def order(one: tuple[str, Path]) -> tuple[bool, float]:
        snapshot = snapshot_in([one[1]])
        return snapshot is not None, -_time_of(snapshot.date) if snapshot else 0.0

    ordered = live_first(path for _, path in sorted(named, key=order))
    for name, path in sorted(named, key=lambda one: ordered.index(one[1])):
        origin = origin_of(path)
        if snapshot_in([path]) and origin in pools:
            copies.append(_Source(name, path))
            continue
        pools.add(origin)
        if is_announced(path):
            season = announced(path).season
            own = _slug(name, season.name if season else "")
            found.append(_Source(own, path, is_announced=True))
            continue
        seasons = [one.name for one in seasons_in([path])]
        if not seasons:
            found.append(_Source(name, path))
            continue
        found.append(_Source(name, path, is_part=True, is_last=False))
        taken = {one.name for one in found}
        for title in seasons:
            slug = _slug(name, title)
            number, own = 2, slug
            while own in taken:
                number, own = number + 1, f"{slug}-{number}"
            taken.add(own)
            found.append(_Source(own, path, title, is_part=True, is_last=title == seasons[-1]))
    return [*found, *copies]


def _slug(name: str, season: str) -> str:
    """Return the text for a season in addresses."""
    words = re.sub(r"[\W_]+", "-", season.casefold()).strip("-")
    return f"{name}-{words}"


def _time_of(date: str) -> float:
    try:
        return dt.datetime.fromisoformat(date).timestamp()
    except (OverflowError, ValueError):
        return 0.0


def _named(given: Sequence[Path]) -> list[tuple[str, Path]]:
    """Return the events with their names, those of their folders or paths in a collection."""
    found: dict[str, Path] = {}
    for source in given:
        if str(source) == "-":
            raise ConfigError(
                "--site: cannot read standard input", hint="arena report SOURCE --site DIR"
            )
        if is_collection(source):
            inner = [(path.relative_to(source).as_posix(), path) for path in tournaments_in(source)]
        else:
            name = source.resolve().name
            inner = [(name if source.is_dir() else name.partition(".")[0], source)]
        for name, path in inner:
            number, own = 2, name
            while own in found:
                number, own = number + 1, f"{name} {number}"
            found[own] = path
    return list(found.items())


def write_private(
    given: Sequence[Path], bot: str, out: Path | None, written: WrittenFiles, *, force: bool = False
) -> None:
    """Write the logs and faults of one bot into a folder; raises ArenaError.

    Several tournaments get a subfolder each. Existing files that the arena did not write remain.
    """
    named = _named(given)
    for _, folder in named:
        if not folder.is_dir():
            raise ConfigError(
                f"{folder}: not the folder of a tournament, and only tournaments have logs"
            )
    folder = out or Path(f"private-{address(bot)}")
    if folder.exists() and not folder.is_dir():
        raise ConfigError(f"--output: {folder} is not a folder; --owner writes one")
    names, places = {path: name for name, path in named}, addresses(name for name, _ in named)
    for source, files in private_below([path for _, path in named], bot):
        place = folder / places[names[source]] if len(named) > 1 else folder
        if place.resolve() == source.resolve():
            raise ConfigError(f"--output: {place} is the tournament itself", hint="-o OTHER")
        count = 0
        is_ours = (place / ABOUT).is_file()
        with made_folder(place, force=force) as made:
            if made != place:
                made.chmod(0o700)
            for name, text in files:
                if made == place and not (is_ours or force) and (place / name).exists():
                    why = "already exists and was not written by arena"
                    raise ConfigError(f"{place / name}: {why}", hint="-o OTHER, or --force")
                write_atomically(made / name, [text.encode("utf-8", "replace")])
                count += name.startswith("game-")
        written.add(place, f"logs of {count_of(count, 'game')} of {bot}")
