"""Benched bots, which cannot play or crash in game after game while others keep playing.

Notes on benches stay with the tournament. The next run tries again to start a bot that could not
start. A bot that crashed plays again if its program changes, or on request. Stored games decide how
many games in a row it crashed in, in whatever order they finished.
"""

from __future__ import annotations

import datetime as dt
import shlex
from bisect import insort
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Final, Literal

from lath.arena.referee.bots import BotSpec
from lath.arena.schedule.core import Absence
from lath.arena.tournament.outcome.versions import digest_of, makings_of
from lath.arena.tournament.store.database import BENCHES
from lath.arena.tournament.store.store import Store
from lath.reports.notes.notes import Bench, from_notes


def digests_of(bots: Iterable[BotSpec], files: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """Return a digest of each bot by name; `files` are the fingerprints of its files."""
    return {
        bot.name: digest_of(makings_of(bot), bot.options, bot.files, files.get(bot.name, {}))
        for bot in bots
    }


def mend_words(benched: Mapping[str, Bench], folder: Path) -> Iterator[str]:
    """Yield how benched bots can play again."""
    crashed = [name for name, one in benched.items() if one.kind == "crashes"]
    if len(crashed) < len(benched):
        yield "the next run tries again to start each bot that is benched because it cannot play"
    if crashed:
        flags = " ".join(f"--unbench {shlex.quote(name)}" for name in crashed)
        yield (
            "a bot benched for crashes plays again when its program changes, or with: "
            f"arena run {shlex.quote(str(folder))} {flags}"
        )


class Benches:
    """The benched bots of a tournament, kept in its store."""

    def __init__(self, store: Store) -> None:
        """Read the notes; raises StoreError, and ValueError if they are damaged."""
        self._store: Final = store
        self._rows = list(from_notes(store.note(BENCHES) or (), Bench))
        self.is_kept = True
        """True if the store has all changes."""

    @property
    def now(self) -> dict[str, Bench]:
        """Return the benches in force by bot."""
        return {one.bot: one for one in self._rows if not one.lifted}

    def absences(self) -> tuple[Absence, ...]:
        """Return present and past absences for the schedule."""
        return tuple(
            Absence(one.bot, one.since, one.until if one.lifted else None) for one in self._rows
        )

    def counted_from(self, name: str) -> int:
        """Return the number of the last game whose crashes no longer count; 0 for a new bot."""
        return max((one.again_after for one in self._rows if one.bot == name), default=0)

    def bench(
        self,
        name: str,
        why: str,
        *,
        stage: int,
        sha256: str = "",
        kind: Literal["start", "crashes"] = "start",
    ) -> bool:
        """Bench a bot, with the reason but without its name; return whether it was not benched."""
        known = self.now.get(name)
        row = Bench(
            bot=name,
            kind=kind,
            why=why,
            date=_now(),
            since=stage if known is None else known.since,
            sha256=sha256,
        )
        self._rows = [one for one in self._rows if one is not known]
        self._rows.append(row)
        self.is_kept = False
        return known is None

    def lift(self, name: str, *, stage: int) -> None:
        """Let a bot play again."""
        last = next((number for number, _ in self._store.last_games(name, 1)), 0)
        again = {"lifted": _now(), "until": stage, "again_after": last}
        self._rows = [
            replace(one, **again) if one.bot == name and not one.lifted else one  # type: ignore[arg-type]
            for one in self._rows
        ]
        self.is_kept = False

    def keep(self) -> None:
        """Store the benches; raises StoreError."""
        self._store.keep_notes({BENCHES: list(map(asdict, self._rows))})
        self.is_kept = True


def resting(
    known: Mapping[str, Bench], digests: Mapping[str, str], unbenched: Collection[str]
) -> set[str]:
    """Return benched bots not to try again: unchanged ones with crashes, unless `unbenched`."""
    return {
        name
        for name, one in known.items()
        if one.kind == "crashes" and name not in unbenched and digests.get(name) == one.sha256
    }


class Crashes:
    """Crashes in each bot's last games by number, in whatever order games finish.

    >>> crashes = Crashes(2)
    >>> for number, is_crash in ((5, True), (1, False), (7, True)):
    ...     crashes.add("ann", number, is_crash=is_crash)
    >>> crashes.are_too_many("ann"), crashes.are_too_many("bob")
    (True, False)
    """

    def __init__(self, most: int) -> None:
        """Allow fewer than `most` crashes in a row; with 0 any number."""
        self.most: Final = most
        self._last: Final[dict[str, list[tuple[int, bool]]]] = {}

    def add(self, name: str, number: int, *, is_crash: bool) -> None:
        """Count a game."""
        if self.most:
            games = self._last.setdefault(name, [])
            insort(games, (number, is_crash))
            del games[: -self.most]

    def forget(self, name: str) -> None:
        """Forget a bot's games."""
        self._last.pop(name, None)

    def are_too_many(self, name: str) -> bool:
        """Return whether a bot has crashed in `most` games in a row."""
        games: Sequence[tuple[int, bool]] = self._last.get(name, ())
        return 0 < self.most == len(games) and all(is_crash for _, is_crash in games)

    def words(self, name: str, folder: Path) -> str:
        """Return the reason to bench such a bot."""
        games = f"{self.most} games in a row" if self.most > 1 else "a game"
        last = max(number for number, _ in self._last[name])
        return f"crashed in {games} (see arena bot log {shlex.quote(str(folder))} {last})"


def _now() -> str:
    return dt.datetime.now().astimezone().isoformat(timespec="seconds")
