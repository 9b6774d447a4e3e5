"""What goes between a runner and the machines of a cluster: one JSON text each way, validated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal, TypeVar

from pydantic import Field, TypeAdapter, ValidationError

from lath.arena.errors import ArenaError
from lath.arena.referee.bots import BotSpec
from lath.arena.referee.clock import Limits
from lath.arena.referee.match import Adjudication
from lath.arena.referee.record import GamePlan

VERSION: Final = 4
"""Of these messages; those of other versions are not understood."""


Digest = Annotated[str, Field(pattern=r"\A[0-9a-f]{64}\z")]
"""A SHA-256, by which something is kept in a folder of that name."""

FileName = Annotated[str, Field(pattern=r"\A[^/\x00]*[^/\x00.][^/\x00]*\z")]
"""The name of a file, which leads nowhere else."""

Amount = Annotated[float, Field(ge=0, allow_inf_nan=False)]

Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]

Count = Annotated[int, Field(ge=0)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Traveller:
    """A bot as it is sent."""

    spec: BotSpec
    """Its texts have marks in the places of paths that each machine has elsewhere."""

    bundle: Digest | Literal[""]
    """The digest of its files; empty: it brings none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GameFile:
    """The file of a game that is nobody's package."""

    name: FileName
    sha256: Digest
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunTerms:
    """What holds for all pairs of a run, and is sent to each machine once."""

    version: Literal[4] = VERSION
    tree: str
    """Marks the processes that are started for the run."""

    bots: tuple[Traveller, ...]
    games: tuple[str, ...]
    game_files: tuple[GameFile, ...]
    limits: Limits
    adjudication: Adjudication
    keeps_logs: bool
    pins: bool
    """Whether games get cores of their own, where there are enough."""

    wall: str
    """Of bots that ask for none: `auto`, `user` or `bwrap`."""

    must_be_walled: bool
    """Whether a machine that has no such wall is refused; else its bots play without."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerEntry:
    """What a worker is told before it plays."""

    terms: RunTerms
    digest: Digest
    """Of the terms: jobs name them by it."""

    host: str
    """What its machine is called in records."""

    first: Count
    """How many games the workers before it play at a time on its machine."""

    slots: Count
    """How many all workers of its machine play at a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BotSaid:
    """What a bot says of itself before its first game."""

    name: str = ""
    author: str = ""
    version: str = ""
    void: str = ""
    """Why it could not be started; else empty."""

    wrong: str = ""
    """Why it cannot play in this tournament at all; else empty."""

    words: str = ""
    """The same in a sentence."""

    bot: str = ""
    """The bot that it has happened to; empty: none."""

    hint: str = ""
    """What to type or to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entered:
    """How a worker is ready to play."""

    missing: tuple[Digest, ...] = ()
    """Bundles that it has not: it is not ready, and wants them first."""

    refused: str = ""
    """Why it cannot play at all; empty: it can."""

    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PairTask:
    """The games of one pair that are still to be played."""

    pair: int
    games: tuple[GamePlan, ...]
    bots: tuple[str, str]
    options: tuple[Mapping[str, int | float | bool], ...]
    """What each of them is set to; texts stand in the terms, and are the same for all pairs."""

    spent: frozenset[str]
    started: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """Pairs that a worker plays one after the other."""

    terms: str
    """The digest of those that it was told."""

    pairs: tuple[PairTask, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskAnswer:
    """What came of a task."""

    results: tuple[str, ...] = ()
    """A `PairResult` as text for each pair that was played, in their order."""

    seconds: Amount = 0.0
    """How long all of its pairs took, together; 0 where they were not all played."""

    is_unknown: bool = False
    """Whether the worker does not know the terms: it is another one by now."""

    died: bool = False
    """Whether what played the next pair died of it."""

    lack: str = ""
    """What the machine lacks, so that nothing more was played; else empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GreetingOf:
    """Asks what a bot says of itself, which is started once for that."""

    terms: str
    bot: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Hello:
    """What a worker says of itself and its machine."""

    node: str
    versions: Mapping[str, str]
    """Of what has to be the same everywhere, by name."""

    games: Mapping[str, str]
    """Versions of the rules of the games that are installed."""

    cpu: str
    cores: Count
    speed: Positive
    """Of one core: steps of a fixed piece of work, in thousands a second of CPU time."""

    resolution_ns: Amount
    """Of the clock."""

    reading_ns: Amount
    """How long it takes to read it."""

    no_bwrap: str
    """Why bots cannot be walled off there; empty: they can."""

    is_root: bool
    bots: tuple[str, ...]
    """Bundled ones."""

    free_bytes: Count
    """Room for bots' files."""


Message = TypeVar("Message")

_ADAPTERS: Final[dict[type[Any], TypeAdapter[Any]]] = {}


def _adapter(kind: type[Message]) -> TypeAdapter[Message]:
    """Return what reads and writes messages of a kind; to make one takes milliseconds."""
    if kind not in _ADAPTERS:
        _ADAPTERS[kind] = TypeAdapter(kind)
    return _ADAPTERS[kind]


def write(message: object) -> str:
    """Return a message as a JSON text."""
    return _adapter(type(message)).dump_json(message).decode()


def read(kind: type[Message], text: str) -> Message:
    """Return the message that a text is; raises ArenaError for what is none."""
    try:
        return _adapter(kind).validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"])) or "all of it"
        raise ArenaError(
            f"cluster: expected {kind.__name__}, found {text[:80]!r}: {where}: {first['msg']}"
        ) from error
