"""The validated JSON messages between a runner and the machines of a cluster."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, Literal, TypeVar

from pydantic import Field, TypeAdapter, ValidationError

from lath.arena.errors import ArenaError
from lath.arena.referee.bots import BotSpec
from lath.arena.referee.clock import Limits
from lath.arena.referee.match import Adjudication
from lath.arena.referee.record import GamePlan

VERSION: Final = 5
"""The version of these messages; other versions are refused."""


Digest = Annotated[str, Field(pattern=r"\A[0-9a-f]{64}\z")]
"""A SHA-256 digest, used as a folder name."""

FileName = Annotated[str, Field(pattern=r"\A[^/\x00]*[^/\x00.][^/\x00]*\z")]
"""A file name without a path."""

ModuleName = Annotated[str, Field(pattern=r"\A(?:\w+/)*\w+\.py\z")]
"""The path of a Python module below a folder."""

Amount = Annotated[float, Field(ge=0, allow_inf_nan=False)]

Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]

Count = Annotated[int, Field(ge=0)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Traveller:
    """A bot in the form that is sent."""

    spec: BotSpec
    """The settings, with marks in place of paths that differ between machines."""

    bundle: Digest | Literal[""]
    """The digest of its files; empty without files."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GameFile:
    """The file of a game that is not part of a package."""

    name: FileName
    sha256: Digest
    """The digest of the file with its own modules."""

    source: str
    modules: Mapping[ModuleName, str] = field(default_factory=dict)
    """The sources of the modules that it imports from its folder or below, by path there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunTerms:
    """The settings of a run for all pairs, sent to each machine once."""

    version: Literal[5] = VERSION
    tree: str
    """The mark of the run's processes."""

    bots: tuple[Traveller, ...]
    games: tuple[str, ...]
    game_files: tuple[GameFile, ...]
    limits: Limits
    adjudication: Adjudication
    keeps_logs: bool
    pins: bool
    """True if games get cores of their own if possible."""

    wall: str
    """The sandbox of bots that do not ask for one: `auto`, `user` or `bwrap`."""

    must_be_walled: bool
    """True if machines without this sandbox are refused; otherwise their bots play without one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerEntry:
    """The message that prepares a worker."""

    terms: RunTerms
    digest: Digest
    """The digest of the terms, by which jobs name them."""

    host: str
    """The machine's name in records."""

    first: Count
    """The number of games that the workers before it play at a time on its machine."""

    slots: Count
    """The number of games that all workers of its machine play at a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BotSaid:
    """A bot's handshake before its first game."""

    name: str = ""
    author: str = ""
    version: str = ""
    void: str = ""
    """The reason why it did not start; otherwise empty."""

    wrong: str = ""
    """The reason why it cannot play in this tournament; otherwise empty."""

    words: str = ""
    """The reason in a sentence."""

    bot: str = ""
    """The name of the bot with the problem; otherwise empty."""

    hint: str = ""
    """The hint that belongs to the problem."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entered:
    """A worker's answer to its preparation."""

    missing: tuple[Digest, ...] = ()
    """The bundles that it needs before it is ready."""

    refused: str = ""
    """The reason why it cannot play; empty if it can."""

    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PairTask:
    """The remaining games of one pair."""

    pair: int
    games: tuple[GamePlan, ...]
    bots: tuple[str, str]
    options: tuple[Mapping[str, int | float | bool], ...]
    """The bots' options that differ between pairs; text options are in the terms."""

    spent: frozenset[str]
    started: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """Pairs that a worker plays one after the other."""

    terms: str
    """The digest of the terms."""

    pairs: tuple[PairTask, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskAnswer:
    """The result of a task."""

    results: tuple[str, ...] = ()
    """The `PairResult` texts of the pairs that were played, in order."""

    seconds: Amount = 0.0
    """The total time of all pairs in seconds; 0 if some were not played."""

    is_unknown: bool = False
    """True if the worker does not know the terms, for example after a restart."""

    died: bool = False
    """True if the process that played the next pair died."""

    lack: str = ""
    """The resource that the machine lacked for further games; otherwise empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GreetingOf:
    """The request to start a bot once for its handshake."""

    terms: str
    bot: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Hello:
    """A worker's description of itself and its machine."""

    node: str
    versions: Mapping[str, str]
    """The versions that must be equal on all machines, by name."""

    games: Mapping[str, str]
    """The versions of the rules of installed games."""

    packages: Mapping[str, str] = field(default_factory=dict)
    """The tags of the distributions that bring games, by `games.plugins.origins`."""

    cpu: str
    cores: Count
    speed: Positive
    """The speed of one core, in thousands of steps of fixed work per second of CPU time."""

    resolution_ns: Amount
    """The resolution of the clock, in nanoseconds."""

    reading_ns: Amount
    """The time to read the clock, in nanoseconds."""

    no_bwrap: str
    """The reason why bots cannot use bubblewrap there; empty if they can."""

    is_root: bool
    bots: tuple[str, ...]
    """The names of the bundled bots."""

    free_bytes: Count
    """The free space for bots' files, in bytes."""


Message = TypeVar("Message")

_ADAPTERS: Final[dict[type[Any], TypeAdapter[Any]]] = {}


def _adapter(kind: type[Message]) -> TypeAdapter[Message]:
    """Return the cached adapter of a message type, which takes milliseconds to create."""
    if kind not in _ADAPTERS:
        _ADAPTERS[kind] = TypeAdapter(kind)
    return _ADAPTERS[kind]


def write(message: object) -> str:
    """Return a message as a JSON text."""
    return _adapter(type(message)).dump_json(message).decode()


def read(kind: type[Message], text: str) -> Message:
    """Return the message in a text; raises ArenaError if it is not valid."""
    try:
        return _adapter(kind).validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"])) or "all of it"
        raise ArenaError(
            f"cluster: expected {kind.__name__}, found {text[:80]!r}: {where}: {first['msg']}"
        ) from error
