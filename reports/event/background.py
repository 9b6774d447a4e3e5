"""Facts of a tournament beside its records: result, rulings, versions, changes, provenance."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from lath.reports.counting.ranking import RankedScore, members_of, ranking
from lath.reports.counting.scale import PLAIN_SCALE, Scale
from lath.reports.counting.table import Meeting, Row, Table
from lath.reports.event.seasons import Season
from lath.reports.notes.notes import Bench, Change, Provenance, Ruling, Snapshot, Version, minute_of
from lath.reports.notes.outcome import EventOutcome, Sheet, SheetColumn, to_json
from lath.reports.ratings.results import Elo, Scored

if TYPE_CHECKING:
    from lath.reports.counting.table import Standings


@dataclass(frozen=True, slots=True, kw_only=True)
class Background:
    """Facts of a tournament beside its records; empty if there are only records."""

    outcome: EventOutcome | None = None
    """The result by the rules of the format."""

    changes: tuple[Change, ...] = ()
    """Changes during the tournament."""

    versions: tuple[Version, ...] = ()
    """The versions of the bots of a pool, in the order of their arrival."""

    rulings: tuple[Ruling, ...] = ()
    """The rulings in their order, including revoked ones."""

    benches: tuple[Bench, ...] = ()
    """Bots that are benched now."""

    snapshot: Snapshot | None = None
    """The snapshot; None if the tournament can continue."""

    season: Season | None = None
    """The season of a league that the tables show. Default: all games."""

    provenance: tuple[Provenance, ...] = ()
    """The conditions of its games, in order; empty if they were not stored."""

    scale: Scale = PLAIN_SCALE
    """The scale of its ratings, and the bots to compare with."""

    @property
    def began(self) -> str:
        """Return the start of the latest run, if noted; empty otherwise."""
        return self.provenance[-1].date if self.provenance else ""

    @property
    def ranked(self) -> Scale:
        """Return the scale with the facts that decide ranks: outcome, members and season."""
        return replace(
            self.scale,
            outcome=self.outcome,
            members=members_of(self.versions),
            rule="season" if self.season else None,
        )

    def to_json(self) -> dict[str, Any]:
        """Return the facts as JSON values for `json.dumps`."""
        return {
            **({"outcome": to_json(self.outcome)} if self.outcome else {}),
            **({"changes": [asdict(change) for change in self.changes]} if self.changes else {}),
            **({"rulings": [asdict(one) for one in self.rulings]} if self.rulings else {}),
            **({"benched": [one.words for one in self.benches]} if self.benches else {}),
            **({"snapshot": asdict(self.snapshot)} if self.snapshot else {}),
            **({"provenance": [asdict(one) for one in self.provenance]} if self.provenance else {}),
        }

    def completed(self, standings: Standings) -> Background:
        """Return the facts with the parts of the outcome that need ratings."""
        return replace(self, outcome=self.outcome and completed(self.outcome, standings))


NO_BACKGROUND: Final = Background()


def changes_sheet(changes: Iterable[Change]) -> Sheet:
    """Return the table of changes, in their order."""
    rows = [
        (one.setting, one.bot, one.before, one.now, f"{one.games}", minute_of(one.date))
        for one in changes
    ]
    columns = (
        *(SheetColumn("setting", "text"), SheetColumn("bot", "name")),
        *(SheetColumn("before", "text"), SheetColumn("now", "text")),
        *(SheetColumn("after games"), SheetColumn("date", "text")),
    )
    return Sheet(columns, tuple(rows), "Changes during the tournament")


def rulings_sheet(rulings: Iterable[Ruling]) -> Sheet:
    """Return the table of rulings, in their order."""
    rows = [
        (
            f"game {one.game}" if one.game else one.bot,
            *(one.kind, one.reason, minute_of(one.date)),
            f"{minute_of(one.lifted)}: {one.lifted_reason}" if one.lifted else "",
        )
        for one in rulings
    ]
    columns = (
        *(
            SheetColumn("game or bot", "name"),
            SheetColumn("ruling", "text"),
            SheetColumn("reason", "text"),
        ),
        *(SheetColumn("date", "text"), SheetColumn("revoked", "text")),
    )
    return Sheet(columns, tuple(rows), "Rulings")


_CHALLENGERS: Final = (
    *(
        SheetColumn("#"),
        SheetColumn("challenger", "name"),
        SheetColumn("score"),
        SheetColumn("points"),
    ),
    *(SheetColumn("games"), SheetColumn("rating"), SheetColumn("Elo ± 95%")),
)

_OPPONENTS: Final = (
    *(SheetColumn("opponent", "name"), SheetColumn("score"), SheetColumn("points")),
    *(SheetColumn("games"), SheetColumn("difference ± 95%")),
)


def completed(outcome: EventOutcome, standings: Standings) -> EventOutcome:
    """Return an outcome with the parts that need ratings: the result of a gauntlet.

    Challengers are ordered by their ranks, which follow points per game. The opponents of each
    challenger are ordered by their score against it, the best first.
    """
    table, challenge = standings.overall, outcome.data.get("gauntlet")
    if outcome.format != "gauntlet" or not challenge:
        return outcome
    scores = {row.name: RankedScore(row.points, row.games) for row in table.rows}
    by_name = {row.name: row for row in table.rows}
    stands = [one for one in ranking(scores, {}, outcome).places if one.role == "challenger"]
    rows = [by_name[one.name] for one in stands]
    met = {row.name: _met_by(row, table, challenge["opponents"]) for row in rows}
    ranked = tuple(
        (
            *(f"{one.rank}", row.name, *_scored(row)),
            *(f"{row.strength.trueskill.exposed:.2f}", _interval(row.strength.elo)),
        )
        for one, row in zip(stands, rows, strict=True)
    )
    is_anchored = any(row.strength.elo.mean for row in rows)
    middle = "Elo relative to the anchors" if is_anchored else "0 Elo is the mean of all bots"
    title = f"Challengers by score ({middle})"
    sheets = [Sheet(_CHALLENGERS, ranked, title)] if ranked else []
    for name, opponents in met.items():
        lines = [(other, *_scored(own), _interval(ahead)) for other, own, ahead in opponents]
        title = f"{name} by opponent, worst score first"
        sheets.append(Sheet(_OPPONENTS, tuple(lines), title))
    found = [
        {
            "name": row.name,
            "exposed": row.strength.trueskill.exposed,
            "elo": _of_estimate(row.strength.elo),
            **_of_score(row),
            "opponents": [
                {"name": other, "elo": _of_estimate(ahead), **_of_score(own)}
                for other, own, ahead in met[row.name]
            ],
        }
        for row in rows
    ]
    data = {"gauntlet": {**challenge, "standing": found}}
    return replace(outcome, sheets=tuple(sheets), data=data)


def _met_by(row: Row, table: Table, opponents: Iterable[str]) -> list[tuple[str, Meeting, Elo]]:
    """Return a challenger's scores against its opponents and its leads in Elo."""
    places = {one.name: place for place, one in enumerate(table.rows)}
    found = []
    for name in filter(places.__contains__, opponents):
        own = table.crosstable[places[row.name]][places[name]]
        if own.games and (ahead := table.ratings.difference(row.name, name)) is not None:
            found.append((name, own, ahead))
    return sorted(found, key=lambda each: (each[1].score_rate or 0, each[0]))


def _scored(own: Scored) -> tuple[str, str, str]:
    return f"{own.score_rate or 0:.1%}", f"{own.points:g}", f"{own.games}"


def _interval(elo: Elo) -> str:
    return " ±".join(filter(None, elo.told))


def _of_score(own: Scored) -> dict[str, Any]:
    return {"games": own.games, "points": own.points, "score": own.score_rate}


def _of_estimate(elo: Elo) -> dict[str, float | None]:
    ends = {name: getattr(elo, name) for name in ("value", "low", "high", "mean")}
    return {name: None if end is None else round(end, 6) for name, end in ends.items()}
