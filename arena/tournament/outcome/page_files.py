"""Report pages on disk: written whole, recognised as the arena's own, marked if out of date."""

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
"""The names of the files that long pages of former versions had in a folder beside them."""


def write_page(out: Path, page: Page) -> int:
    """Write a report and return its size in bytes.

    What a page of a former version has left beside it, such as `report-games/`, is removed; files
    in there that are not ours stay. Raises OSError; the page that was there is then as it was.
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
"""What pages have in their head, those of before `MADE_BY` too."""


def made_by(out: Path) -> str | None:
    """Return which kind of page of ours a file is: `report`, `index` or `site`; None for another.

    Empty for a page of a former version, and where the file cannot be read: who writes it will say
    what is wrong.
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
    """Let the report in a tournament's directory say that games may be missing; raises StoreError.

    It stays so until it is written anew, whatever ends the run.
    """
    path = folder / REPORT
    if path.is_file():
        with reading(path):
            page, made = path.read_bytes(), path.stat()
        if _STALE not in page and (place := _MAIN.search(page)):
            write_whole(path, [page[: place.end()], _STALE, page[place.end() :]])
            os.utime(path, ns=(made.st_atime_ns, made.st_mtime_ns))  # it is no newer by that
