"""What a tournament writes besides its database: records, outcome, page.

Must not know how records are stored. Who follows a tournament asks for it more often by a file in
its directory, and says by touching that file that somebody still looks.

Must not know how a page is made.

Must not know the rules of any format, nor how it is shown.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from lath.arena.errors import StoreError
from lath.arena.tournament.system import writing_error
from lath.notation.reader import write_atomically
from lath.reports.outcome import Outcome, to_json

if TYPE_CHECKING:
    from lath.reports.page.page import Page


EXPORT_S: Final = 30.0
"""How often it is written, at most; less often when it is large."""

SHARE: Final = 20
"""At most so small a part of the runner's time goes into a large file: a twentieth."""

WISH: Final = ".followed.tmp"
"""The file that asks for it more often: seconds as text. A run that begins clears such files away;
whoever still looks writes it again."""

FORGOTTEN_S: Final = 30.0
"""A wish that nobody has touched for so long, and three times its own seconds, is an old one."""


class Exports:
    """Decides when the next export of one run is due, and does it."""

    def __init__(
        self, folder: Path, export: Callable[[], None], warned: Callable[[str], None]
    ) -> None:
        """`export` writes the file or raises StoreError, of which `warned` is told."""
        self._folder: Final = folder
        self._export: Final = export
        self._warned: Final = warned
        self._last_s = time.monotonic()
        self._least_s = 0.0
        """How long to wait whatever is wished: a file may be large, or a disk full."""

        self._games = 0
        self._touched = 0
        """When the wish was touched last, by the clock of its disk."""

        self._noticed_s = 0.0
        """When that was noticed, by ours: the two need not agree."""

    def sometimes(self, games: int) -> None:
        """Export if it is time to, and there are other games than the last time."""
        now_s = time.monotonic()
        if games == self._games or now_s < self._last_s + self._pause_s():
            return
        try:
            self._export()
        except StoreError as error:
            self._warned(str(error))
            self._least_s = EXPORT_S
        else:
            self._least_s = SHARE * (time.monotonic() - now_s)
        self._games = games
        self._last_s = time.monotonic()

    def _pause_s(self) -> float:
        """Return how long to wait between two exports."""
        return max(self._wished_s() or EXPORT_S, self._least_s)

    def _wished_s(self) -> float | None:
        """Return what somebody asks for who still looks."""
        try:
            touched = (self._folder / WISH).stat().st_mtime_ns
        except OSError:
            return None
        if touched != self._touched:
            self._touched, self._noticed_s = touched, time.monotonic()
        every_s = wished_s(self._folder)
        if every_s and time.monotonic() > self._noticed_s + FORGOTTEN_S + 3 * every_s:
            return None
        return every_s


def wish(folder: Path, every_s: float) -> None:
    """Ask a run in `folder`, or the next one there, for an export every so many seconds.

    It is forgotten unless it is said again and again. Where nobody may write, nothing is asked.
    """
    with suppress(OSError):
        (folder / WISH).write_text(f"{every_s:g}\n", encoding="ascii")


def unwish(folder: Path) -> None:
    """Ask no more."""
    with suppress(OSError):
        (folder / WISH).unlink()


def wished_s(folder: Path) -> float | None:
    """Return what somebody asks for, at least 1 and at most EXPORT_S; None if nobody does."""
    try:
        every_s = float((folder / WISH).read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None
    return min(EXPORT_S, max(1.0, every_s)) if every_s > 0 else None  # nan is not


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


def keep(folder: Path, outcome: Outcome) -> None:
    """Write what a tournament has come to; raises StoreError."""
    try:
        write_atomically(folder / OUTCOME, [text_of(outcome).encode()])
    except OSError as error:
        raise writing_error(folder / OUTCOME, error) from error
