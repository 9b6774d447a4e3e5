"""The parts of pages that are made from the program."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Final

import _commands
import _tournament_toml

from lath.arena.tournament.run.events import schema
from lath.notation.formats import TABLE
from lath.notation.tables.tables import GAMES, PLIES, Column
from lath.reports.metrics.definitions import MEASURES

ABOUT: Final = {
    "lath": "notation.md",
    "abstractplay": "#abstractplay",
    "pgn": "#results-without-moves",
    "text": "../how-to/repair-text-records.md",
    "npz": "#planes-for-machine-learning",
    "duckdb": "#databases",
}
"""The pages that explain formats."""


def filled(markdown: str) -> str:
    """Return a page's text with a table in the place of each comment that names one."""
    return re.sub(r"<!-- table: (.*) -->", lambda named: _TABLES[named[1]](), markdown)


def _formats() -> str:
    rows = []
    for name, each in TABLE.items():
        about = f"[{each.about}]({ABOUT[name]})" if name in ABOUT else each.about
        can = ("yes" if way else "-" for way in (each.read, each.write))
        rows.append((f"`{name}`", about, ", ".join(f"`{one}`" for one in each.suffixes), *can))
    return _table(("name", "format", "suffix", "read", "written"), rows)


def _columns(columns: Iterable[Column]) -> str:
    return _table(("column", "contents"), [(f"`{each.name}`", each.meaning) for each in columns])


def _events() -> str:
    rows: list[Sequence[str]] = []
    for each in schema()["anyOf"]:
        fields = each["properties"]
        rows.append((f"`{fields['type']['const']}`", "", each["description"]))
        rows += [
            ("", f"`{name}`", field["description"].replace("|", "\\|"))
            for name, field in fields.items()
            if name not in ("type", "time_s")
        ]
    return _table(("type", "field", "comes, or holds"), rows)


def _metrics() -> str:
    rows = [
        (each.name, f"`{each.key}`", each.says, each.needs, each.in_ludii or "-")
        for each in MEASURES
    ]
    return _table(("metric", "in JSON", "definition", "needs", "in Ludii"), rows)


def _table(heading: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    cells = [heading, ["---"] * len(heading), *rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in cells)


_TABLES: Final[Mapping[str, Callable[[], str]]] = {
    "commands": _commands.sections,
    "keys of tournament.toml": _tournament_toml.sections,
    "formats": _formats,
    "columns of games": partial(_columns, GAMES),
    "columns of plies": partial(_columns, PLIES),
    "events": _events,
    "game metrics": _metrics,
}
