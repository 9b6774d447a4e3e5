"""Bots as values: how one is started, what it says in its handshake and beside its answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from lath.arena.referee.clock import Limits
from lath.arena.referee.originals import Original
from lath.arena.sandbox.kinds import NO_WALL, BotSandbox
from lath.notation import protocol as wire
from lath.notation.protocol import TimeControl
from lath.notation.record.errors import printable

INFO_KEPT: Final = 64
"""Lines of `info` a move that are looked at: the last ones."""

WORDS_KEPT: Final = 1000
"""Letters of a `text` and of a `pv` that go into the record."""

OURS: Final = "lath"
"""The protocol of docs/reference/protocol.md; bridges.py knows those of others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BotSpec:
    """How a bot is started. Picklable: it travels to the workers."""

    name: str
    command: tuple[str, ...]
    """Program and arguments, ready for the system: paths are absolute or found on PATH."""

    cwd: str | None = None
    """Where it runs; None: in a scratch directory of its own."""

    env: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, object] = field(default_factory=dict)
    memory_bytes: int | None = None
    wall: BotSandbox = NO_WALL
    time: TimeControl | None = None
    """Its own time control; None: the tournament's."""

    startup_s: float | None = None
    """For its `ok` and each `ready`; None: the tournament's, as of the next two."""

    margin_s: float | None = None
    stop_s: float | None = None

    threads: int = 1
    """Cores that it needs at the same time."""

    files: tuple[str, ...] = field(default=(), compare=False)
    """Files and folders that make it up, besides those of its command."""

    lacks: str = field(default="", compare=False)
    """Which file of the command is not there, in words, for when it does not start."""

    sandbox: str = "auto"
    """Which wall was asked for: `none`, `user`, `bwrap`, or `auto`, the best without asking."""

    reads: tuple[str, ...] = field(default=(), compare=False)
    """Files and folders that it may read besides its own."""

    cache_bytes: int = 0
    """How much it may keep in a folder of its own between games; 0: it has none."""

    originals: tuple[Original, ...] = field(default=(), compare=False)
    """What its files were when the run began; empty: nobody looks."""

    build: str = ""
    """What a shell makes it with, in its folder, before it is started."""

    hosts: Mapping[str, tuple[str, ...]] = field(default_factory=dict, compare=False)
    """Its command on the machines of a cluster whose names match, by pattern."""

    protocol: str = OURS
    """Which lines it speaks."""

    may_be_of_contest: bool = field(default=False, compare=False)
    """Whether nobody has said what it speaks: where its greeting fails, contests' are tried."""

    def own(self, limits: Limits) -> Limits:
        """Return the limits with those of this bot in their place."""
        return replace(
            limits,
            startup_s=limits.startup_s if self.startup_s is None else self.startup_s,
            margin_s=limits.margin_s if self.margin_s is None else self.margin_s,
            stop_s=limits.stop_s if self.stop_s is None else self.stop_s,
        )


ANY: Final = ":*"
"""After the id of a game, in a greeting: whatever its parameters."""


@dataclass(slots=True)
class Greeting:
    """What a bot says of itself before `ok`."""

    name: str = ""
    author: str = ""
    version: str = ""
    games: list[str] = field(default_factory=list)
    """Ids as the bot gives them, installed or not."""

    families: set[str] = field(default_factory=set)
    """Those of them that it plays with any parameters."""

    options: dict[str, wire.Option] = field(default_factory=dict)
    bad_options: list[str] = field(default_factory=list)
    """Why lines of `option` cannot be read."""

    wants: list[str] = field(default_factory=list)
    """`legal`, `position` and `ponder`, where it asked for them, and what there is not."""

    banner: list[str] = field(default_factory=list)
    """Lines that mean nothing, and harm nobody."""

    after_s: float = 0.0
    """How long `ok` took from the process's start."""

    def plays(self, game_id: str) -> bool:
        """Return whether the bot has said that it plays a game, which may have parameters."""
        return game_id in self.games or game_id.partition(":")[0] in self.families

    def wrong_options(self, options: Mapping[str, object]) -> Iterator[str]:
        """Yield what is wrong with values of options, a line each."""
        for name, value in options.items():
            if (option := self.options.get(name)) is None:
                yield f"unknown option {name!r} ({', '.join(self.options) or 'it has none'})"
            elif expected := option.wrong_with(value):
                yield f"option {name} = {value!r}, expected {expected}"

    def take(self, line: bytes) -> None:
        """Take in a line that does not end the greeting."""
        text = line.decode("utf-8", "replace")
        match text.split():
            case [] | ["id", "author" | "version"]:
                pass
            case ["id", "name" | "author" | "version" as what, *words] if words:
                setattr(self, what, " ".join(words))
            case ["game", *ids]:
                self.games += [game.removesuffix(ANY) for game in ids]
                self.families.update(game.removesuffix(ANY) for game in ids if game.endswith(ANY))
            case ["want", *what]:
                self.wants += what
            case ["option", *_]:
                try:
                    option = wire.read_option(text)
                except ValueError as error:
                    self.bad_options.append(str(error))
                else:
                    self.options[option.name] = option
            case _:
                self.banner.append(text.rstrip("\r"))


@dataclass(slots=True)
class Lines:
    """Lines of one kind: how many there were, and the beginnings of the first."""

    kept: int
    """How many are kept."""

    width: int
    """Letters that are kept of each."""

    number: int = 0
    first: list[str] = field(default_factory=list)

    def add(self, line: bytes | str) -> None:
        """Count a line."""
        self.number += 1
        if len(self.first) < self.kept:
            text = line if isinstance(line, str) else line.decode("utf-8", "replace")
            self.first.append(printable(text.rstrip("\r")[: self.width]))


@dataclass(slots=True)
class Asides:
    """What a bot has said that answers nothing, while this is kept: a game, a check."""

    infos: list[bytes] = field(default_factory=list)
    """Its lines of `info` for the present move: the last ones."""

    info_lines: int = 0
    """How many there were of all moves."""

    complaints: Lines = field(default_factory=lambda: Lines(20, 500))
    """What it has said with `error`."""

    strays: Lines = field(default_factory=lambda: Lines(3, 80))
    """Late, early, second and unknown lines."""

    last: str = ""
    """The last line that was no answer, since the bot was asked."""

    @property
    def wrong_answer(self) -> str:
        """Return it where it is a `bestmove`; else empty."""
        return self.last if self.last.split()[:1] == ["bestmove"] else ""

    forgiven: list[bytes] = field(default_factory=list)
    """How a line begins that is not counted: the answer to a `go` that was taken back."""

    def take(self, line: bytes) -> None:
        """Keep or count a line."""
        if not (words := line.split()):
            return
        if words[0] == b"info":
            self.info_lines += 1
            self.infos.append(line)
            if len(self.infos) > 2 * INFO_KEPT:
                del self.infos[:INFO_KEPT]
        elif words[0] == b"error":
            self.complaints.add(line)
        elif words[:2] != self.forgiven:
            self.strays.add(line)
            if not (self.wrong_answer and words[0] != b"bestmove"):
                self.last = line.decode("utf-8", "replace")

    def comments(self) -> dict[str, str]:
        """Return what the lines of `info` say of the move, the last of each; forget them."""
        said: dict[str, str] = {}
        for line in self.infos[-INFO_KEPT:]:
            said |= wire.read_info(line.decode("utf-8", "replace"))
        self.infos.clear()
        said.pop("nps", None)  # which time and nodes of a record say
        return {name: _in_words(value) for name, value in said.items()}


def _in_words(value: str) -> str:
    """Return as many words of a bot's comment or line of moves as a record keeps."""
    value = printable(value)
    if len(value) <= WORDS_KEPT:
        return value
    return value[:WORDS_KEPT].rpartition(" ")[0] or value[:WORDS_KEPT]
