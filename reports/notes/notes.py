"""The notes of an event beside its games: changes, versions, rulings, benches, provenance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from lath.reports.schema import Count, Positive, T, checked


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A change of a setting during a tournament."""

    setting: str
    """The key in the configuration, such as `memory` or `time.margin`."""

    bot: str = ""
    """The bot that has it; empty if the setting is for all bots."""

    before: str
    """The old value, in words."""

    now: str
    """The new value, in words."""

    games: Positive
    """Number of games stored before the change."""

    date: str
    """The date, such as `2026-11-22T17:40:05+00:00`, by the organiser's clock."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """A version of a bot of a pool: the same program and files, with the same options."""

    name: str
    """Its name in records, such as `mine` and `mine v2`."""

    bot: str
    """The bot's name in the configuration."""

    number: Positive
    """The number from 1, in the order of the versions of one bot."""

    sha256: str
    """The SHA-256 of its command, files and options."""

    command: tuple[str, ...]
    """The command that starts it."""
    options: Options = field(default_factory=dict)
    """Its options."""
    since: str = ""
    """The date of its arrival, such as `2026-11-22T17:40:05+00:00`; empty if unknown."""

    games: Count = 0
    """The number of games stored before its arrival."""

    retired: str = ""
    """The date on which it left or was replaced; empty while it plays."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """An organiser's ruling on a game or a bot, whose games then do not count."""

    kind: Literal["void", "disqualified"]
    """`void` for a game, `disqualified` for a bot."""
    game: Count = 0
    """The number of the void game; 0 if a bot is disqualified."""

    bot: str = ""
    """The disqualified bot; empty if a game is void."""

    reason: str
    """The organiser's reason."""
    date: str
    """The date, such as `2026-11-22T17:40:05+00:00`, by the organiser's clock."""

    lifted: str = ""
    """The date on which it was reversed; empty while it is in force."""

    lifted_reason: str = ""
    """The reason for the reversal."""

    @property
    def words(self) -> str:
        """Return the ruling in a few words.

        >>> Ruling(kind="void", game=3, reason="power cut", date="2026-11-22").words
        'game 3 is void'
        """
        verb = "is no longer" if self.lifted else "is"
        return f"game {self.game} {verb} void" if self.game else f"{self.bot} {verb} disqualified"

    @property
    def tag(self) -> str:
        """Return the value of the tag `Ruling` in records while the ruling is in force."""
        kind = "void by ruling" if self.game else f"{self.bot} disqualified"
        return " ".join(f"{kind}: {self.reason}".split())


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """A benched bot, which does not play while the others continue."""

    bot: str
    kind: Literal["start", "crashes"]
    """The reason: `start` if it cannot be started, `crashes` if it crashed in consecutive games."""

    why: str
    date: str
    """The date by the organiser's clock."""

    since: Count = 0
    """The stage of the schedule at that time, such as the number of paired Swiss rounds."""

    sha256: str = ""
    """The SHA-256 of the bot's command, options and files."""

    lifted: str = ""
    """The date on which it could play again; empty while it is benched."""

    until: Count = 0
    """The stage of the schedule at the end of the bench."""

    again_after: Count = 0
    """The number of the bot's last game before the end of the bench; earlier crashes do not
    count."""

    @property
    def words(self) -> str:
        """Return the bench in a sentence.

        >>> Bench(bot="ann", kind="start", why="there is no file ann", date="2026-11-22").words
        'ann is benched: there is no file ann'
        """
        return f"{self.bot} is benched: {self.why}"

    @property
    def in_short(self) -> str:
        """Return the reason without private details, such as paths and the bot's output."""
        return self.why.partition(" (")[0] if self.kind == "crashes" else "it cannot play"


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """The name and date of a snapshot, from which on a tournament is fixed."""

    name: str
    """Name of the snapshot."""
    date: str
    """The date, such as `2026-11-22T17:40:05+00:00`, by the organiser's clock."""

    @property
    def words(self) -> str:
        """Return the snapshot in a few words.

        >>> Snapshot(name="Autumn 2026", date="2026-11-22T17:40:05+00:00").words
        'Snapshot Autumn 2026, as of 2026-11-22 17:40'
        """
        return f"Snapshot {self.name}, as of {minute_of(self.date)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """A machine that plays games."""

    cpu: str
    """The model of its processor."""

    cores: Positive
    """Number of its cores."""
    memory_bytes: Count
    """Its memory; 0 if the system does not report it."""

    system: str
    """Its operating system."""
    python: str
    """Its version of Python."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherMachine:
    """A machine of a cluster that plays games."""

    name: str
    """Its name, as in the tag Host of records."""

    cpu: str
    """The model of its processor."""
    cores: Positive
    """Number of its cores."""
    jobs: Positive
    """Games that it plays at the same time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entrant:
    """A bot as configured for a tournament."""

    name: str
    """Its name, as in the records."""

    says: str = ""
    """Its name by `id name`; empty without one."""

    author: str = ""
    """Its author by `id author`; empty without one."""
    version: str = ""
    """Its version by `id version`; empty without one."""
    command: tuple[str, ...]
    """The command that starts it."""
    options: Options
    """Its options."""
    time: str
    """Its time control, such as `10+0.1`."""

    files: Mapping[str, str]
    """The SHA-256 of the files of its command and of its other files, by path."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """The conditions of games, valid until the next entry begins."""

    games: Count
    """Number of games stored before these conditions."""

    date: str
    """The date on which they began, such as `2026-11-22T17:40:05+00:00`, by the organiser's
    clock."""

    arena: str
    """The version of Lath Arena."""

    machine: Machine
    """The machine that plays the games."""
    jobs: Positive
    """Games at the same time."""

    cores: tuple[tuple[Count, ...], ...]
    """The cores pinned to each game; empty without pinning."""

    hosts: tuple[OtherMachine, ...] = ()
    """The machines of a cluster at the start, instead of `machine`; otherwise empty."""

    seed: int | None
    """The random seed; None until all games are played."""

    seed_sha256: str = ""
    """The SHA-256 of `lath-arena seed N`, published before play."""

    game_files: Mapping[str, str] = field(default_factory=dict)
    """The SHA-256 of each file with rules, by its name."""

    bots: tuple[Entrant, ...]
    """The bots, in the order of the configuration."""

    configuration: str
    """The whole configuration as TOML, without the values of environment variables."""

    resolved: str
    """The SHA-256 of the configuration with absolute paths."""


def from_notes(values: Sequence[object], kind: type[T]) -> tuple[T, ...]:
    """Return stored notes, such as changes; raises ValueError if one is invalid."""
    return tuple(checked(value, kind) for value in values)


Options = Mapping[str, str | int | float | bool]
"""The options of a bot in the configuration."""


def minute_of(date: str) -> str:
    """Return the day and the minute of a date, such as `2026-11-22 17:40`."""
    return date[:16].replace("T", " ")
