"""A folder of tournaments: where they are, and what they come to together.

Must not know how that is shown.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from lath.arena.errors import ArenaError
from lath.arena.tournament.following import Phase, has_records, phase_of
from lath.arena.tournament.outcomes import OUTCOME, outcome_in
from lath.arena.tournament.pages import REPORT
from lath.arena.tournament.sources import records_of
from lath.arena.tournament.store import DATABASE, RECORDS

if TYPE_CHECKING:
    from lath.reports.page.index import Collection

DEEPEST: Final = 3
"""How many folders below the first may hold tournaments: cup, season/cup, club/season/cup."""


class UnreadableError(ArenaError):
    """A tournament whose records cannot be read; `tournament` is its directory."""

    def __init__(self, tournament: Path, why: ArenaError) -> None:
        super().__init__(str(why))
        self.tournament = tournament


def is_collection(folder: Path) -> bool:
    """Return whether a folder is no tournament itself but holds some."""
    return folder.is_dir() and not _is_tournament(folder) and bool(tournaments_in(folder))


def tournaments_in(folder: Path) -> tuple[Path, ...]:
    """Return the tournaments' directories below, sorted; hidden folders and links are passed by."""
    return tuple(sorted(_below(folder, DEEPEST)))


def _below(folder: Path, depth: int) -> Iterator[Path]:
    if not depth:
        return
    try:
        inner = [path for path in folder.iterdir() if path.is_dir() and not path.is_symlink()]
    except OSError:  # not ours to read
        return
    for path in inner:
        if path.name.startswith("."):
            continue
        if _is_tournament(path):
            yield path
        else:
            yield from _below(path, depth - 1)


def _is_tournament(folder: Path) -> bool:
    return any((folder / name).is_file() for name in (DATABASE, RECORDS))


def needs_report(tournament: Path) -> bool:
    """Return whether its report is missing or older than what it is made of."""
    if not has_records(tournament, phase_of(tournament)):
        return False
    made_ns = _changed_ns(tournament / REPORT)
    return made_ns < max(_changed_ns(tournament / name) for name in (DATABASE, RECORDS, OUTCOME))


def _changed_ns(path: Path) -> int:
    """Return when a file was changed; -1 where there is none."""
    return path.stat().st_mtime_ns if path.is_file() else -1


def collect(folder: Path, tournaments: Sequence[Path], base: Path) -> Collection:
    """Return what tournaments below `folder` come to, for a page in `base`.

    Raises UnreadableError where one of them cannot be read.
    """
    from lath.reports.page.index import Collector

    collector = Collector()
    for tournament in tournaments:
        phase = phase_of(tournament)
        told = collector.begin(tournament.relative_to(folder).as_posix())
        if has_records(tournament, phase):
            try:
                told.add(records_of([tournament]), outcome_in([tournament]))
            except ArenaError as error:
                raise UnreadableError(tournament, error) from error
        told.end(is_playing=phase is Phase.PLAYING, link=link_to(tournament / REPORT, base))
    return collector.collection()


def link_to(path: Path, base: Path) -> str:
    """Return the address of a file for a page in the folder `base`; empty where there is no file.

    Whatever the name, it is a relative address that a browser takes for nothing else.
    """
    if not path.is_file():
        return ""
    relative = Path(os.path.relpath(path.resolve(), base.resolve())).as_posix()
    return "./" + quote(os.fsencode(relative), safe="/")
