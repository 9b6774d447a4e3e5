"""What a tournament writes besides its database: the outcome, and a report with its files.

Must not know the rules of any format, nor how a page is made.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from lath.arena.tournament.system import writing_error
from lath.notation.reader import write_atomically
from lath.reports.outcome import Outcome, to_json

if TYPE_CHECKING:
    from lath.reports.page.page import Page


REPORT: Final = "report.html"
"""The report of a tournament, in its directory."""

SHARD: Final = re.compile(r"[0-9]{3,}-[0-9a-f]{8}\.js")
"""The names of the files that a page may have in its folder; no others are ever removed."""


@dataclass(frozen=True, slots=True)
class Written:
    """What was written."""

    page_bytes: int
    shards: int = 0
    shard_bytes: int = 0
    folder: Path | None = None
    """Where the shards are; None where there are none."""


def shard_folder(out: Path) -> Path:
    """Return where the games of a long page stand.

    >>> shard_folder(Path("cup/report.html")).as_posix()
    'cup/report-games'
    """
    return out.with_name(f"{out.stem}-games")


def write_page(out: Path, page: Page) -> Written:
    """Write a report: first the files beside it, then the page, then away with what is left over.

    Raises OSError; the page that was there is then as it was.
    """
    shards = {out.parent / name: text.encode() for name, text in page.shards.items()}
    for path, content in shards.items():
        path.parent.mkdir(exist_ok=True)
        write_atomically(path, [content])
    html = page.html.encode()
    write_atomically(out, [html])
    _clear(shard_folder(out), keep=shards)
    size = sum(map(len, shards.values()))
    return Written(len(html), len(shards), size, next(iter(shards)).parent if shards else None)


def _clear(folder: Path, *, keep: Collection[Path]) -> None:
    """Remove what a former, longer page has left; files that are not ours stay."""
    if not folder.is_dir():
        return
    for path in sorted(folder.iterdir()):
        if path not in keep and SHARD.fullmatch(path.name):
            path.unlink(missing_ok=True)
    if not any(folder.iterdir()):
        folder.rmdir()


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
