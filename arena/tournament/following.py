"""Sources that somebody follows while runs write them: what has changed, and whether it is over.

Must not know what is made of them, nor wait: whoever follows looks now and then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Final

from lath.arena.errors import ArenaError
from lath.arena.tournament.exporting import unwish, wish
from lath.arena.tournament.outcomes import OUTCOME, outcome_in
from lath.arena.tournament.sources import is_being_played
from lath.arena.tournament.store import DATABASE, RECORDS


class Phase(Enum):
    """How far a tournament's directory is."""

    ABSENT = "absent"
    """There is no tournament yet."""

    STOPPED = "stopped"
    """Nobody plays, and games are left to play."""

    PLAYING = "playing"
    OVER = "over"
    """Nobody plays, and none is left."""


@dataclass(frozen=True, slots=True)
class Sight:
    """What there was to see."""

    has_changed: bool
    """Since `Following.rendered` was called; True before."""

    is_over: bool
    """Whether nothing will change any more, as far as one can tell."""

    readable: tuple[Path, ...]
    """The sources of which there is something to read now."""


Stamp = tuple[object, ...]


class Following:
    """Follows tournaments' directories, which may not be there yet, and files."""

    def __init__(
        self,
        sources: Callable[[], Sequence[Path]],
        *,
        every_s: float,
        others: Callable[[], Iterable[Path]] = tuple,
    ) -> None:
        """`sources` says what to follow now; a run there is asked for its games `every_s`.

        A change of `others` counts as one, too: they are files that something is made with.
        """
        self._sources: Final = sources
        self._every_s: Final = every_s
        self._others: Final = others
        self._rendered: Stamp | None = None
        self._seen: Stamp = ()
        self._played: set[Path] = set()
        """Directories in which a run was seen."""

    def look(self) -> Sight:
        """Return what there is to see."""
        sources = self._sources()
        phases = {source: phase_of(source) for source in sources}
        for source, phase in phases.items():
            self._heed(source, phase)
        self._seen = (
            *((source, _stamps(source, phase)) for source, phase in phases.items()),
            *((path, _stamp(path)) for path in self._others()),
        )
        return Sight(
            has_changed=self._seen != self._rendered,
            is_over=self._is_over(phases),
            readable=tuple(one for one, phase in phases.items() if has_records(one, phase)),
        )

    def rendered(self) -> None:
        """Note that something was made of what the last look saw."""
        self._rendered = self._seen

    def stop(self) -> None:
        """Ask no run for its games any more."""
        for source in self._sources():
            unwish(source)

    def _heed(self, source: Path, phase: Phase) -> None:
        """Note where somebody plays, and ask for games there."""
        if phase in (Phase.PLAYING, Phase.STOPPED):
            wish(source, self._every_s)
        if phase is Phase.PLAYING:
            self._played.add(source)

    def _is_over(self, phases: dict[Path, Phase]) -> bool:
        """Return whether all directories are done with; files alone never are.

        A run that was seen and is gone has said before what its games came to.
        """
        folders = {source: phase for source, phase in phases.items() if not source.is_file()}
        return bool(folders) and all(
            phase is Phase.OVER or (source in self._played and phase is not Phase.PLAYING)
            for source, phase in folders.items()
        )


def phase_of(source: Path) -> Phase:
    """Return how far a source is; a file, which nobody locks, is always STOPPED."""
    if source.is_file():
        return Phase.STOPPED
    if not (source / DATABASE).is_file():
        return Phase.OVER if (source / RECORDS).is_file() else Phase.ABSENT
    if is_being_played(source):
        return Phase.PLAYING
    try:
        outcome = outcome_in([source])
    except ArenaError:  # whoever reads the source is told of it
        return Phase.STOPPED
    return Phase.OVER if outcome is not None and outcome.is_complete else Phase.STOPPED


def has_records(source: Path, phase: Phase) -> bool:
    """Return whether there is something to read of a source in that phase."""
    if phase is Phase.PLAYING:
        return (source / RECORDS).is_file()
    return phase is not Phase.ABSENT


def _stamps(source: Path, phase: Phase) -> Stamp:
    """Return what changes when there is something new to read."""
    if source.is_file():
        return _stamp(source)
    names = [RECORDS, OUTCOME, *([] if phase is Phase.PLAYING else [DATABASE])]
    return (phase is Phase.PLAYING, *(_stamp(source / name) for name in names))


def _stamp(path: Path) -> Stamp:
    """Return what changes when a file is replaced or written; empty where there is none."""
    try:
        told = path.stat()
    except OSError:
        return ()
    return (told.st_ino, told.st_size, told.st_mtime_ns)
