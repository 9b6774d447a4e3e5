"""The files of a tournament's directory, by their names."""

from __future__ import annotations

from typing import Final

DATABASE: Final = "tournament.db"

RECORDS: Final = "games.lath"

CONFIG: Final = "tournament.toml"

LOCK: Final = "tournament.lock"
"""Locked by the run that writes; it stays, empty, when that is over."""

OUTCOME: Final = "outcome.json"

STANDINGS: Final = "standings.json"

STANDINGS_CSV: Final = "standings.csv"

REPORT: Final = "report.html"
"""The report of a tournament, in its directory."""
