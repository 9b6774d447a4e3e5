"""Standings as JSON and as CSV, for programs and spreadsheets."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any, Final

from lath.notation.formats.tables import guarded
from lath.reports.checksums import in_schema
from lath.reports.counting.columns import COLUMNS, TableColumn, rows_of
from lath.reports.counting.table import Standings, Table
from lath.reports.event.seasons import SeasonView
from lath.reports.event.versions import Standing
from lath.reports.notes.notes import Change, Provenance, Ruling, Snapshot
from lath.reports.notes.outcome import EventOutcome
from lath.reports.schema import Schema, schema_of, shape_of, written

_DIGITS: Final = 6
"""Decimals of ratings and rates: enough for readers, and too few to show differences of
machines."""


def schema() -> Schema:
    """Return the JSON Schema of `standings.json`."""
    found = schema_of(Standings, "Standings of a Lath Arena tournament")
    where = "the tournament's outcome.json, in the output of `arena rate --json` only"
    changed = {
        "description": "changes during the tournament, in the output of `arena rate --json` only",
        "type": "array",
        "items": shape_of(Change),
    }
    versions = {
        "description": "standings of the versions of a pool's bots, in `arena rate --json` only",
        "type": "array",
        "items": shape_of(Standing),
    }
    ruled = {
        "description": "rulings on games and bots, in the output of `arena rate --json` only",
        "type": "array",
        "items": shape_of(Ruling),
    }
    also = {
        "outcome": shape_of(EventOutcome) | {"description": where},
        "changes": changed,
        "versions": versions,
        "rulings": ruled,
        "snapshot": shape_of(Snapshot)
        | {"description": "the snapshot, in `arena rate --json` only"},
        "season": shape_of(SeasonView) | {"description": "the season, in `arena rate --json` only"},
        "provenance": {
            "description": "programs and machines of the games, in `arena rate --json` only",
            "type": "array",
            "items": shape_of(Provenance),
        },
    }
    return in_schema({**found, "properties": found["properties"] | also})


def to_json(standings: Standings | Table | Standing) -> dict[str, Any]:
    """Return standings, one of their tables, or the standing of a version as JSON values.

    `schema` describes them. Ratings and rates have six decimals. Without games, lists are empty and
    `first_score` is None.
    """
    found: dict[str, Any] = written(standings, _DIGITS)
    return found


def invalid_words(reasons: Sequence[Mapping[str, Any]]) -> str:
    """Return the number of invalid records with the reasons, and the first of them on lines.

    `reasons` is the value `unsound` of standings; it must not be empty.
    """
    records = sum(one["records"] for one in reasons)
    kinds = ", ".join(f"{one['reason']} {one['records']}" for one in reasons)
    words = f"{records} invalid record{' is' if records == 1 else 's are'} left out: {kinds}"
    return "\n  ".join((words, *(first for one in reasons for first in one["first"])))


def to_csv(standings: Mapping[str, Any], columns: Sequence[TableColumn] = COLUMNS) -> str:
    """Return standings, as `to_json` returns them, as CSV.

    The CSV follows RFC 4180: a header, one row per bot and table, and CRLF line ends. The table of
    all games comes first, with an empty `game`, followed by that of each game type. An unknown
    value is empty. An apostrophe precedes a text that a spreadsheet would read as a formula.
    """
    text = io.StringIO()
    writer = csv.writer(text)
    fields = [field for column in columns for field in column.fields]
    writer.writerow(["game", *(field.name for field in fields)])
    for table in (standings["overall"], *standings["per_game"]):
        for row in rows_of(table):
            cells = (table["game"], *(field.of(row) for field in fields))
            writer.writerow([guarded(cell) for cell in cells])
    return text.getvalue()
