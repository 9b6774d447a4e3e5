"""Report pages on disk: written whole, recognised as the arena's, marked if out of date."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from lath.arena.directory import REPORT
from lath.arena.errors import reading
from lath.arena.tournament.store.exports import write_whole
from lath.notation.files.files import remove_halves, write_atomically

if TYPE_CHECKING:
    from lath.reports.page.page import Page

_FORMER: Final = re.compile(r"[0-9]{3,}-[0-9a-f]{8}\.js")
"""Names of files that former versions wrote beside long pages, in a folder."""


def write_page(out: Path, page: Page) -> int:
    """Write a report and return its size in bytes.

    It removes what former versions wrote beside the page, such as `report-games/`, and keeps other
    files there. Raises OSError and then leaves the old page unchanged.
    """
    html = page.html.encode()
    remove_halves(out.parent, out.name)
    write_atomically(out, [html])
    folder = out.with_name(f"{out.stem}-games")
    if folder.is_dir():
        for path in sorted(folder.iterdir()):
            if _FORMER.fullmatch(path.name):
                path.unlink(missing_ok=True)
        if not any(folder.iterdir()):
            folder.rmdir()
    return len(html)


MADE_BY: Final = re.compile(rb'<meta name="generator" content="lath-arena (\w+)">')

_OF_FORMER_VERSIONS: Final = (
    b'<meta http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;; style-src '
)
"""Text in the head of the arena's pages from before `MADE_BY`."""


def made_by(out: Path) -> str | None:
    """Return the kind of an arena page, `report`, `index` or `site`; None for other files.

    Empty for a page of a former version, and if the file cannot be read: writing it will report
    that.
    """
    try:
        with out.open("rb") as file:
            head = file.read(4096)
    except OSError:
        return ""
    if made := MADE_BY.search(head):
        return made[1].decode()
    return "" if _OF_FORMER_VERSIONS in head else None


_STALE: Final = (
    b'<p class="remark" id="stale">This tournament was resumed after the page was written: '
    b"games may be missing. <code>arena report</code> writes it anew.</p>"
)

_MAIN: Final = re.compile(rb"<main\b[^>]*>")


def mark_stale(folder: Path) -> None:
    """Mark the report in a tournament's directory as possibly lacking games; raises StoreError.

    The mark stays until the report is written again, however the run ends.
    """
    path = folder / REPORT
    if path.is_file():
        with reading(path):
            page, made = path.read_bytes(), path.stat()
        if _STALE not in page and (place := _MAIN.search(page)):
            write_whole(path, [page[: place.end()], _STALE, page[place.end() :]])
            os.utime(path, ns=(made.st_atime_ns, made.st_mtime_ns))  # it is not newer now
