"""Standings as the page holds them for its script: as a table, and each meeting of two bots once.

Must not know how standings come about. A crosstable has everything twice, from both sides, and
those of many bots are most of a page's standings; `js/standings.js` puts them together again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lath.reports.standings.export import csv_of

Cell = Mapping[str, Any]


def halved(standings: Mapping[str, Any]) -> dict[str, Any]:
    """Return standings whose crosstables are `meetings`, and their `csv` as `standings.csv` has it.

    These are four lists (`wins`, `draws`, `losses`, `superiority`) of each row's bot against
    itself and the bots below it, row after row. Points and games follow from them.
    """
    return {
        **standings,
        "csv": csv_of(standings),
        "overall": _halved(standings["overall"]),
        "per_game": [_halved(table) for table in standings["per_game"]],
    }


def _halved(table: Mapping[str, Any]) -> dict[str, Any]:
    rows: Sequence[Sequence[Cell]] = table["crosstable"]
    cells = [cell for at, row in enumerate(rows) for cell in row[at:]]
    words = ("wins", "draws", "losses", "superiority")
    meetings = {word: [cell[word] for cell in cells] for word in words}
    others = {key: value for key, value in table.items() if key != "crosstable"}
    return {**others, "meetings": meetings}
