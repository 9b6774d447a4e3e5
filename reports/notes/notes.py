"""What an event keeps besides its games: changes, versions, rulings, benches, provenance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from lath.reports.schema import Count, Positive, T, checked


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A setting that became another one while a tournament was played."""

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
    """From 1, in the order of the versions of one bot."""

    sha256: str
    """The SHA-256 of its command, files and options."""

    command: tuple[str, ...]
    """The command that starts it."""
    options: Options = field(default_factory=dict)
    """Its options."""
    since: str = ""
    """The date on which it came, such as `2026-11-22T17:40:05+00:00`; empty if unknown."""

    games: Count = 0
    """How many games were stored by then."""

    retired: str = ""
    """The date on which it left or was replaced; empty while it plays."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """What an organiser has ruled of a game, or of all games of a bot: they count for nothing."""

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
        """Return it in a few words.

        >>> Ruling(kind="void", game=3, reason="power cut", date="2026-11-22").words
        'game 3 is void'
        """
        verb = "is no longer" if self.lifted else "is"
        return f"game {self.game} {verb} void" if self.game else f"{self.bot} {verb} disqualified"

    @property
    def tag(self) -> str:
        """Return the value of the tag `Ruling` that a record has while it is in force."""
        kind = "void by ruling" if self.game else f"{self.bot} disqualified"
        return " ".join(f"{kind}: {self.reason}".split())


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """A bot that is benched: it plays no more, and the others go on without it."""

    bot: str
    kind: Literal["start", "crashes"]
    """Why: it cannot play as it is, or it crashed in games in a row."""

    why: str
    date: str
    """When, by the organiser's clock."""

    since: Count = 0
    """The stage of the schedule then: of a swiss the number of rounds that were paired."""

    sha256: str = ""
    """Of what the bot was: command, options and files."""

    lifted: str = ""
    """When it was let play again; empty while it is benched."""

    until: Count = 0
    """The stage of the schedule then."""

    again_after: Count = 0
    """The number of its last game then: crashes are counted anew."""

    @property
    def words(self) -> str:
        """Return it in a sentence.

        >>> Bench(bot="ann", kind="start", why="there is no file ann", date="2026-11-22").words
        'ann is benched: there is no file ann'
        """
        return f"{self.bot} is benched: {self.why}"

    @property
    def in_short(self) -> str:
        """Return why without what is its owner's: paths, and what the bot said."""
        return self.why.partition(" (")[0] if self.kind == "crashes" else "it cannot play"


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """Since when a tournament stays as it is, and under which name."""

    name: str
    """Name of the snapshot."""
    date: str
    """The date, such as `2026-11-22T17:40:05+00:00`, by the organiser's clock."""

    @property
    def words(self) -> str:
        """Return it in a few words.

        >>> Snapshot(name="Autumn 2026", date="2026-11-22T17:40:05+00:00").words
        'Snapshot Autumn 2026, as of 2026-11-22 17:40'
        """
        return f"Snapshot {self.name}, as of {minute_of(self.date)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """Where games are played."""

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
    """A bot as it plays."""

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
    """With what games were played, until the next of these begins."""

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
    """Return what somebody has kept, such as changes; raises ValueError where one is none."""
    return tuple(checked(value, kind) for value in values)


Options = Mapping[str, str | int | float | bool]
"""Of a bot, as the configuration has them."""


def minute_of(date: str) -> str:
    """Return the day and the minute of a time, such as `2026-11-22 17:40`."""
    return date[:16].replace("T", " ")
