"""The values that describe a bot: how it starts, its handshake and its other output."""

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
"""The number of `info` lines per move that the arena reads: the last ones."""

WORDS_KEPT: Final = 1000
"""The number of characters of a `text` or a `pv` that the record keeps."""

OURS: Final = "lath"
"""The protocol of docs/reference/protocol.md; bridges.py has the protocols of contests."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BotSpec:
    """The settings with which a bot starts; picklable, because workers receive it."""

    name: str
    command: tuple[str, ...]
    """Program and arguments, ready for the system: paths are absolute or found on PATH."""

    cwd: str | None = None
    """The working directory; None for a scratch directory of its own."""

    env: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, object] = field(default_factory=dict)
    memory_bytes: int | None = None
    wall: BotSandbox = NO_WALL
    time: TimeControl | None = None
    """The bot's own time control; None for the tournament's."""

    startup_s: float | None = None
    """The time limit for `ok` and for each `ready`, in seconds; None for the tournament's value.

    `margin_s` and `stop_s` default to the tournament's values, too.
    """

    margin_s: float | None = None
    stop_s: float | None = None

    threads: int = 1
    """The number of cores that the bot needs at the same time."""

    files: tuple[str, ...] = field(default=(), compare=False)
    """The bot's files and folders, besides those in its command."""

    lacks: str = field(default="", compare=False)
    """The part of the error message that names a file of the command that does not exist."""

    sandbox: str = "auto"
    """The sandbox that was asked for: `none`, `user`, `bwrap` or `auto` (the best available)."""

    reads: tuple[str, ...] = field(default=(), compare=False)
    """Files and folders that the bot can read besides its own."""

    cache_bytes: int = 0
    """The size limit of a folder that the bot keeps between games; 0 for no such folder."""

    originals: tuple[Original, ...] = field(default=(), compare=False)
    """The bot's files when the run began; empty if the arena does not check for changes."""

    build: str = ""
    """The shell command that builds the bot in its folder before it starts."""

    hosts: Mapping[str, tuple[str, ...]] = field(default_factory=dict, compare=False)
    """The command to use on cluster machines, by a pattern of their names."""

    protocol: str = OURS
    """The protocol that the bot speaks."""

    may_be_of_contest: bool = field(default=False, compare=False)
    """True if no protocol was stated: if the handshake fails, the arena tries contests'."""

    def own(self, limits: Limits) -> Limits:
        """Return `limits` with the bot's own values in place of the tournament's."""
        return replace(
            limits,
            startup_s=limits.startup_s if self.startup_s is None else self.startup_s,
            margin_s=limits.margin_s if self.margin_s is None else self.margin_s,
            stop_s=limits.stop_s if self.stop_s is None else self.stop_s,
        )


ANY: Final = ":*"
"""The suffix of a game id in a handshake that means "with any parameters"."""


@dataclass(slots=True)
class Greeting:
    """The bot's description of itself before `ok`."""

    name: str = ""
    author: str = ""
    version: str = ""
    games: list[str] = field(default_factory=list)
    """Game ids as the bot gives them; they may be unknown to the arena."""

    families: set[str] = field(default_factory=set)
    """Ids of the games that the bot plays with any parameters."""

    options: dict[str, wire.Option] = field(default_factory=dict)
    bad_options: list[str] = field(default_factory=list)
    """The reasons why `option` lines cannot be read."""

    wants: list[str] = field(default_factory=list)
    """The words of `want` lines: `legal`, `position`, `ponder` and unknown ones."""

    banner: list[str] = field(default_factory=list)
    """Other lines, which the arena ignores."""

    after_s: float = 0.0
    """The time from the start of the process to `ok`, in seconds."""

    def plays(self, game_id: str) -> bool:
        """Return True if the bot has declared that it plays this game, with these parameters."""
        return game_id in self.games or game_id.partition(":")[0] in self.families

    def wrong_options(self, options: Mapping[str, object]) -> Iterator[str]:
        """Yield one line of text for each option value that is wrong."""
        for name, value in options.items():
            if (option := self.options.get(name)) is None:
                yield f"unknown option {name!r} ({', '.join(self.options) or 'it has none'})"
            elif expected := option.wrong_with(value):
                yield f"option {name} = {value!r}, expected {expected}"

    def take(self, line: bytes) -> None:
        """Process a line that does not end the handshake."""
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
    """The number of lines of one kind, and the beginnings of the first few."""

    kept: int
    """The number of lines that are kept."""

    width: int
    """The number of characters that are kept of each line."""

    number: int = 0
    first: list[str] = field(default_factory=list)

    def add(self, line: bytes | str) -> None:
        """Count a line, and keep it if there is room."""
        self.number += 1
        if len(self.first) < self.kept:
            text = line if isinstance(line, str) else line.decode("utf-8", "replace")
            self.first.append(printable(text.rstrip("\r")[: self.width]))


@dataclass(slots=True)
class Asides:
    """The bot's output that does not answer a request, during one game or check."""

    infos: list[bytes] = field(default_factory=list)
    """The last `info` lines for the current move."""

    info_lines: int = 0
    """The number of `info` lines for all moves."""

    complaints: Lines = field(default_factory=lambda: Lines(20, 500))
    """The text of its `error` lines."""

    strays: Lines = field(default_factory=lambda: Lines(3, 80))
    """Unexpected lines: early, late, repeated or unknown."""

    last: str = ""
    """The last line since the request that did not answer it."""

    @property
    def wrong_answer(self) -> str:
        """Return `last` if it is a `bestmove` line, or an empty string."""
        return self.last if self.last.split()[:1] == ["bestmove"] else ""

    forgiven: list[bytes] = field(default_factory=list)
    """The beginnings of lines that do not count: answers to a `go` that was withdrawn."""

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
        """Return the last `info` value of each kind for the current move, and forget them."""
        said: dict[str, str] = {}
        for line in self.infos[-INFO_KEPT:]:
            said |= wire.read_info(line.decode("utf-8", "replace"))
        self.infos.clear()
        said.pop("nps", None)  # the record's time and nodes give it already
        return {name: _in_words(value) for name, value in said.items()}


def _in_words(value: str) -> str:
    """Return the words of a bot's comment or variation that fit into the record."""
    value = printable(value)
    if len(value) <= WORDS_KEPT:
        return value
    return value[:WORDS_KEPT].rpartition(" ")[0] or value[:WORDS_KEPT]
