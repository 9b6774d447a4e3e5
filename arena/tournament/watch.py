"""Follows tournaments while they are played: what there is to see, and when all is over.

Must not know how that is shown, nor wait: whoever follows looks now and then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from lath.arena.tournament.outputs import OUTCOME
from lath.arena.tournament.sources import Phase, phase_of
from lath.arena.tournament.store import DATABASE, RECORDS


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
        others: Callable[[], Iterable[Path]] = tuple,
    ) -> None:
        """`sources` says what to follow now.

        A change of `others` counts as one, too: they are files that something is made with.
        """
        self._sources: Final = sources
        self._others: Final = others
        self._rendered: Stamp | None = None
        self._seen: Stamp = ()
        self._played: set[Path] = set()
        """Directories in which a run was seen."""

    def look(self) -> Sight:
        """Return what there is to see."""
        phases = {source: phase_of(source) for source in self._sources()}
        self._played |= {source for source, phase in phases.items() if phase is Phase.PLAYING}
        self._seen = (
            *((source, _stamps(source, phase)) for source, phase in phases.items()),
            *((path, _stamp(path)) for path in self._others()),
        )
        return Sight(
            has_changed=self._seen != self._rendered,
            is_over=self._is_over(phases),
            readable=tuple(one for one, phase in phases.items() if phase is not Phase.ABSENT),
        )

    def rendered(self) -> None:
        """Note that something was made of what the last look saw."""
        self._rendered = self._seen

    def _is_over(self, phases: dict[Path, Phase]) -> bool:
        """Return whether all directories are done with; files alone never are.

        A run that was seen and is gone has said before what its games came to.
        """
        folders = {source: phase for source, phase in phases.items() if not source.is_file()}
        return bool(folders) and all(
            phase is Phase.OVER or (source in self._played and phase is not Phase.PLAYING)
            for source, phase in folders.items()
        )


def _stamps(source: Path, phase: Phase) -> Stamp:
    """Return what changes when there is something new to read."""
    if source.is_file():
        return _stamp(source)
    names = (DATABASE, RECORDS, OUTCOME)
    return (phase is Phase.PLAYING, *(_stamp(source / name) for name in names))


def _stamp(path: Path) -> Stamp:
    """Return what changes when a file is replaced or written; empty where there is none."""
    try:
        found = path.stat()
    except OSError:
        return ()
    return (found.st_ino, found.st_size, found.st_mtime_ns)
