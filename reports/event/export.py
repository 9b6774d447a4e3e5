"""Standings as JSON and as CSV, for programs and sheets."""

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
"""Decimals of ratings and rates: more than anybody reads, fewer than machines differ in."""


def schema() -> Schema:
    """Return the JSON Schema of `standings.json`."""
    found = schema_of(Standings, "Standings of a Lath Arena tournament")
    where = "in what `arena rate --json` prints of one tournament: its outcome.json"
    changed = {
        "description": "in the same place, what was changed while it was played, if anything was",
        "type": "array",
        "items": shape_of(Change),
    }
    versions = {
        "description": "in the same place, how the versions of a pool's bots stand",
        "type": "array",
        "items": shape_of(Standing),
    }
    ruled = {
        "description": "in the same place, what was ruled of its games, if anything was",
        "type": "array",
        "items": shape_of(Ruling),
    }
    also = {
        "outcome": shape_of(EventOutcome) | {"description": where},
        "changes": changed,
        "versions": versions,
        "rulings": ruled,
        "snapshot": shape_of(Snapshot) | {"description": "likewise, which snapshot it is"},
        "season": shape_of(SeasonView) | {"description": "likewise, of which season they are"},
        "provenance": {
            "description": "in the same place, with what its games were played, if that was noted",
            "type": "array",
            "items": shape_of(Provenance),
        },
    }
    return in_schema({**found, "properties": found["properties"] | also})


def to_json(standings: Standings | Table | Standing) -> dict[str, Any]:
    """Return the standings, one of their tables, or those of a version: for `json.dumps`.

    They are as `schema` describes them. Ratings and rates have six decimals. Without games lists
    are empty and `first_score` is None.
    """
    found: dict[str, Any] = written(standings, _DIGITS)
    return found


def invalid_words(reasons: Sequence[Mapping[str, Any]]) -> str:
    """Return how many records are left out as unsound, why, and on a line each the first of them.

    `reasons` are the `unsound` of standings; there is one at least.
    """
    records = sum(one["records"] for one in reasons)
    kinds = ", ".join(f"{one['reason']} {one['records']}" for one in reasons)
    words = f"{records} invalid record{' is' if records == 1 else 's are'} left out: {kinds}"
    return "\n  ".join((words, *(first for one in reasons for first in one["first"])))


def to_csv(standings: Mapping[str, Any], columns: Sequence[TableColumn] = COLUMNS) -> str:
    """Return standings, given as `to_json` does, as a table.

    A header line and a line a bot and table, CRLF after each, as RFC 4180 has it.

    The table of all games comes first, its `game` is empty; then that of each game. A value that is
    not known is empty. A text that a spreadsheet would read as a formula has an apostrophe before
    it.
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
