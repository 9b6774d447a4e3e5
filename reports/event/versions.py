"""Standings of the versions of a pool's bots, each compared with the version before it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import ClassVar

from lath.reports.counting.table import Standings
from lath.reports.event.background import Background
from lath.reports.notes.notes import Version
from lath.reports.notes.outcome import Sheet, SheetColumn
from lath.reports.ratings.counts import SideScore
from lath.reports.ratings.numerics import by_key
from lath.reports.ratings.results import Elo
from lath.reports.schema import Amount, Count, Share


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A version of a bot, by the ratings over all games."""

    version: Version
    games: Count
    """Counted games of this version."""
    wins: Count = 0
    """Games won."""
    draws: Count = 0
    """Games drawn."""
    losses: Count = 0
    """Games lost."""
    points: Amount = 0.0
    """Points of its own games."""

    elo: Elo | None
    """Elo relative to the mean of its group; null before any game."""

    before: str
    """The version before it that has played; empty without one."""

    difference: Elo | None
    """Elo difference to the version before; null if no games connect the two."""

    better: Share | None
    """The likelihood that it is stronger than the version before."""

    disqualified: bool = False
    """True if it is disqualified now, so that its games do not count."""

    WRITTEN: ClassVar = (
        *(f"version.{field.name}" for field in fields(Version) if field.name != "games"),
        *("games", "wins", "draws", "losses", "points"),
        *("elo", "before", "difference", "better", "disqualified"),
    )

    @property
    def is_worse(self) -> bool:
        """Return whether it is worse than the version before it, with a significant difference."""
        high = self.difference.high if self.difference else None
        return high is not None and high < 0


def standings_of(background: Background, standings: Standings) -> tuple[Standing, ...]:
    """Return the standings of versions, bot by bot in order of arrival, each bot's in order."""
    of_bot = by_key((version.bot, version) for version in background.versions)
    out = {one.bot for one in background.rulings if not one.lifted}
    return tuple(
        replace(row, disqualified=row.version.name in out)
        for rows in of_bot.values()
        for row in _of_bot(sorted(rows, key=lambda version: version.number), standings)
    )


def _of_bot(versions: Sequence[Version], standings: Standings) -> Iterator[Standing]:
    ratings, scores = standings.overall.ratings, standings.overall.scores
    before = ""
    for version in versions:
        name, row = version.name, ratings.strengths.get(version.name)
        own = scores.get(name, SideScore())
        difference = ratings.difference(name, before) if before and row else None
        yield Standing(
            version=version,
            games=own.games,
            wins=own.wins,
            draws=own.draws,
            losses=own.losses,
            points=own.points,
            elo=row.elo if row else None,
            before=before,
            difference=difference,
            better=ratings.superiority(name, before) if difference else None,
        )
        before = name if row else before


def are_told(rows: Iterable[Standing]) -> bool:
    """Return whether a version follows another, is retired or is disqualified."""
    return any(row.before or row.version.retired or row.disqualified for row in rows)


def regressions(rows: Iterable[Standing]) -> list[str]:
    """Return a sentence for each current version that is worse than the version before it."""
    return [
        f"{row.version.name} is worse than {row.before}: {_words(row.difference)}"
        for row in rows
        if row.is_worse and row.difference and not row.version.retired
    ]


def _words(one: Elo) -> str:
    if one.unknown:
        return f"{one.told[0]} Elo"
    return f"{one.value:+.0f} Elo (95%: {one.low:+.0f} to {one.high:+.0f})"


def versions_sheet(rows: Iterable[Standing]) -> Sheet:
    """Return the table of versions."""
    columns = (
        *(
            SheetColumn("version", "name"),
            SheetColumn("Elo ± 95%"),
            SheetColumn("change ± 95%"),
        ),
        *(
            SheetColumn("stronger"),
            SheetColumn("games"),
            SheetColumn("points"),
            SheetColumn("W-D-L"),
        ),
        *(SheetColumn("active", "text"), SheetColumn("since", "text")),
    )
    return Sheet(columns, tuple(map(_cells, rows)), "Versions of bots")


def _cells(row: Standing) -> tuple[str, ...]:
    version = row.version
    since, until = version.since[:16].replace("T", " "), version.retired[:10]
    elo, apart = (
        " ±".join(filter(None, one.told)) if one else "" for one in (row.elo, row.difference)
    )
    better = "" if row.better is None else f"{min(max(row.better, 0.001), 0.999):.1%}"
    plays = "disqualified" if row.disqualified else f"until {until}" if until else "yes"
    won = f"{row.wins}-{row.draws}-{row.losses}" if row.games else ""
    return (
        *(version.name, elo, apart, better, f"{row.games}"),
        *(f"{row.points:g}" if row.games else "", won, plays, since),
    )
