"""The names of the files in a tournament's directory."""

from __future__ import annotations

from typing import Final

DATABASE: Final = "tournament.db"

RECORDS: Final = "games.lath"

CONFIG: Final = "tournament.toml"

LOCK: Final = "tournament.lock"
"""The file that a run locks while it writes; it stays, empty, after the run."""

OUTCOME: Final = "outcome.json"

STANDINGS: Final = "standings.json"

STANDINGS_CSV: Final = "standings.csv"

REPORT: Final = "report.html"
"""The report of a tournament."""
