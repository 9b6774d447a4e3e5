"""What a tournament writes besides its database: the outcome, and a report with its files.

Must not know the rules of any format, nor how a page is made.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from lath.arena.tournament.system import writing_error
from lath.notation.reader import write_atomically
from lath.reports.outcome import Outcome, to_json

if TYPE_CHECKING:
    from lath.reports.page.page import Page


REPORT: Final = "report.html"
"""The report of a tournament, in its directory."""

_FORMER: Final = re.compile(r"[0-9]{3,}-[0-9a-f]{8}\.js")
"""The names of the files that long pages of former versions had in a folder beside them."""


def write_page(out: Path, page: Page) -> int:
    """Write a report and return its size in bytes.

    What a page of a former version has left beside it, such as `report-games/`, is removed; files
    in there that are not ours stay. Raises OSError; the page that was there is then as it was.
    """
    html = page.html.encode()
    write_atomically(out, [html])
    folder = out.with_name(f"{out.stem}-games")
    if folder.is_dir():
        for path in sorted(folder.iterdir()):
            if _FORMER.fullmatch(path.name):
                path.unlink(missing_ok=True)
        if not any(folder.iterdir()):
            folder.rmdir()
    return len(html)


OUTCOME: Final = "outcome.json"


def text_of(outcome: Outcome) -> str:
    """Return the text of the file."""
    return json.dumps(to_json(outcome), indent=2, ensure_ascii=False) + "\n"


def write_outcome(folder: Path, outcome: Outcome) -> None:
    """Write what a tournament has come to; raises StoreError."""
    try:
        write_atomically(folder / OUTCOME, [text_of(outcome).encode()])
    except OSError as error:
        raise writing_error(folder / OUTCOME, error) from error
