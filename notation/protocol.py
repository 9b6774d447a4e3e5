"""The protocol's lines, version 1, in both directions, and the text of time controls.

Must not know processes, time or rules. `docs/protocol.md` says what the lines mean.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Self

_FORMS: Final = "10+0.1 (seconds and increment), move 0.5, nodes 1000 or none"

_CLOCK: Final = re.compile(r"(\d{1,9}(?:\.\d{1,3})?)(?:\+(\d{1,9}(?:\.\d{1,3})?))?", re.ASCII)
_MOVE: Final = re.compile(r"move (\d{1,9}(?:\.\d{1,3})?)", re.ASCII)
_NODES: Final = re.compile(r"nodes (\d{1,15})", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeControl:
    """One of four kinds: a clock with increment, a time for each move, nodes for each move, none.

    All zero: no limit.
    """

    initial_ms: int = 0
    """Time on the clock before the first move, in milliseconds; 0: no clock."""

    increment_ms: int = 0
    """Added after each move."""

    move_ms: int = 0
    """Fixed time for each move, in milliseconds; 0: not this kind."""

    nodes: int = 0
    """Nodes for each move, which the bot counts itself; 0: not this kind."""

    @property
    def has_clock(self) -> bool:
        """Return whether time runs down from move to move."""
        return self.initial_ms > 0

    @classmethod
    def read(cls, text: str) -> Self:
        """Return the time control of a record's tag, of a flag or of a configuration.

        Raises ValueError.

        >>> TimeControl.read("10+0.1").increment_ms
        100
        """
        found = None
        if match := _CLOCK.fullmatch(text):
            found = cls(initial_ms=_ms(match[1]), increment_ms=_ms(match[2] or "0"))
        elif match := _MOVE.fullmatch(text):
            found = cls(move_ms=_ms(match[1]))
        elif match := _NODES.fullmatch(text):
            found = cls(nodes=int(match[1]))
        if text != "none" and (found is None or found == cls()):
            raise ValueError(f"unknown time control {text!r}, expected {_FORMS}")
        if found and found.increment_ms and not found.initial_ms:
            raise ValueError(f"time control {text!r} begins with an empty clock, expected {_FORMS}")
        return found or cls()

    def __str__(self) -> str:
        """Return the text of a record's tag, such as `10+0.1`."""
        if self.initial_ms:
            return f"{_seconds(self.initial_ms)}+{_seconds(self.increment_ms)}"
        if self.move_ms:
            return f"move {_seconds(self.move_ms)}"
        return f"nodes {self.nodes}" if self.nodes else "none"

    def words(self) -> str:
        """Return the text of the protocol's `tc`, in milliseconds, such as `60000+600`."""
        if self.initial_ms:
            return f"{self.initial_ms}+{self.increment_ms}"
        if self.move_ms:
            return f"move {self.move_ms}"
        return f"nodes {self.nodes}" if self.nodes else "none"


def _ms(seconds: str) -> int:
    return round(float(seconds) * 1000)


def _seconds(ms: int) -> str:
    return f"{ms / 1000:.3f}".rstrip("0").rstrip(".")


MAX_LINE: Final = 64 * 1024
"""Bytes of a line without its end; a longer one is a flood."""

HELLO: Final = "arena 1"
QUIT: Final = "quit"
STOP: Final = "stop"
RESIGN: Final = "resign"

WANTS: Final = ("legal", "position")

OPTION_TYPES: Final = ("check", "spin", "string", "combo", "button")


@dataclass(frozen=True, slots=True, kw_only=True)
class NewGame:
    """What a bot is told at the start of a game."""

    number: int
    game: str
    side: str
    """`first` or `second`."""
    time: TimeControl
    seed: int
    setup: str | None = None
    position: str | None = None
    """A full position in place of a setup."""

    def line(self) -> str:
        """Return `new …`."""
        start = ""
        if self.position is not None:
            start = f" position {self.position}"
        elif self.setup is not None:
            start = f" setup {self.setup}"
        return (
            f"new {self.number} {self.game} side {self.side} tc {self.time.words()} "
            f"seed {self.seed}{start}"
        )


def read_new(line: str) -> NewGame:
    """Return what `new …` says; raises ValueError."""
    words = line.split()
    try:
        number, game, side = int(words[1]), words[2], words[words.index("side") + 1]
        clock = words[words.index("tc") + 1 : words.index("seed")]
        seed_at = words.index("seed")
        seed, rest = int(words[seed_at + 1]), words[seed_at + 2 :]
        time = _read_clock_words(clock)
    except (ValueError, IndexError) as error:
        raise ValueError(f"not a new game: {line!r}") from error
    kind, text = (rest[0], " ".join(rest[1:])) if rest else ("", None)
    return NewGame(
        number=number,
        game=game,
        side=side,
        time=time,
        seed=seed,
        setup=text if kind == "setup" else None,
        position=text if kind == "position" else None,
    )


def _read_clock_words(words: list[str]) -> TimeControl:
    match words:
        case ["none"]:
            return TimeControl()
        case ["move", ms]:
            return TimeControl(move_ms=int(ms))
        case ["nodes", count]:
            return TimeControl(nodes=int(count))
        case [clock]:
            initial, _, increment = clock.partition("+")
            return TimeControl(initial_ms=int(initial), increment_ms=int(increment or 0))
    raise ValueError(f"unknown time control {' '.join(words)!r}")


def play_line(ply: int, move: str) -> str:
    """Return the line that tells a bot of the other side's move."""
    return f"play {ply} {move}"


def go_line(ply: int, time: TimeControl, first_ms: int, second_ms: int) -> str:
    """Return the line that asks for a move; the clocks are in milliseconds, never below 0."""
    return go_writer(time)(ply, first_ms, second_ms).decode().removesuffix("\n")


def go_writer(time: TimeControl) -> Callable[[int, int, int], bytes]:
    """Return what writes `go_line` with its end, made once for a game: it is written each ply."""
    if time.initial_ms:
        clocks = b"go %%d first %%d second %%d inc %d\n" % time.increment_ms
        return lambda ply, first_ms, second_ms: clocks % (ply, first_ms, second_ms)
    limit = b" nodes %d" % time.nodes if time.nodes else b""
    if time.move_ms:
        limit = b" move %d" % time.move_ms
    return lambda ply, _first_ms, _second_ms: b"go %d%b\n" % (ply, limit)


@dataclass(frozen=True, slots=True)
class Go:
    """What `go` says, in milliseconds; None where it says nothing of it."""

    ply: int
    first_ms: int | None = None
    second_ms: int | None = None
    increment_ms: int | None = None
    move_ms: int | None = None
    nodes: int | None = None


def read_go(line: str) -> Go:
    """Return what `go …` says; raises ValueError."""
    words = line.split()
    told = dict(zip(words[2::2], words[3::2], strict=False))

    def number(name: str) -> int | None:
        return int(told[name]) if name in told else None

    try:
        return Go(
            int(words[1]),
            number("first"),
            number("second"),
            number("inc"),
            number("move"),
            number("nodes"),
        )
    except (ValueError, IndexError) as error:
        raise ValueError(f"not a go line: {line!r}") from error


def legal_line(moves: Iterable[str]) -> str:
    """Return the line with the legal moves."""
    return "legal " + " ".join(moves)


def position_line(text: str) -> str:
    """Return the line with the position's text."""
    return f"position {text}"


def result_line(number: int, result: str, why: str) -> str:
    """Return the line that ends a game."""
    return f"result {number} {result} {why}"


def setoption_line(name: str, value: object) -> str:
    """Return the line that sets an option; booleans as `true` and `false`."""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return f"setoption name {name} value {text}"


def bestmove_line(ply: int, move: str) -> str:
    """Return a bot's answer to `go`."""
    return f"bestmove {ply} {move}"


@dataclass(frozen=True, slots=True)
class Option:
    """One option that a bot has."""

    name: str
    type: str
    default: str | None = None
    minimum: int | None = None
    maximum: int | None = None
    choices: tuple[str, ...] = ()

    def wrong_with(self, value: object) -> str | None:
        """Return what the value should have been; None where it fits."""
        if self.type == "check":
            return None if str(value).lower() in ("true", "false") else "true or false"
        if self.type == "combo":
            return None if str(value) in self.choices else f"one of {', '.join(self.choices)}"
        if self.type != "spin":
            return None
        low, high = self.minimum, self.maximum
        expected = "a whole number"
        if low is not None and high is not None:
            expected = f"a whole number from {low} to {high}"
        try:
            number = int(str(value))
        except ValueError:
            return expected
        fits = (low is None or low <= number) and (high is None or number <= high)
        return None if fits else expected


def read_option(line: str) -> Option:
    """Return what `option name N type T …` says; raises ValueError."""
    words = line.split()
    try:
        type_at = words.index("type")
        name = " ".join(words[words.index("name") + 1 : type_at])
        kind = words[type_at + 1]
    except (ValueError, IndexError) as error:
        raise ValueError(f"not an option: {line!r}") from error
    if not name or kind not in OPTION_TYPES:
        raise ValueError(f"not an option: {line!r}, expected a type of {', '.join(OPTION_TYPES)}")
    values = list(_option_values(words[type_at + 2 :]))
    told = dict(values)
    try:
        low, high = (int(told[word]) if word in told else None for word in ("min", "max"))
    except ValueError as error:
        raise ValueError(f"not an option: {line!r}, min and max are whole numbers") from error
    choices = tuple(value for word, value in values if word == "var")
    return Option(name, kind, told.get("default"), low, high, choices)


def _option_values(words: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield `default`, `min`, `max` and each `var` with the words up to the next of them."""
    name = ""
    value: list[str] = []
    for word in words:
        if word not in ("default", "min", "max", "var"):
            value.append(word)
            continue
        if name:
            yield name, " ".join(value)
        name, value = word, []
    if name:
        yield name, " ".join(value)


def read_info(line: str) -> dict[str, str]:
    """Return what `info …` says of `depth`, `eval`, `nodes`, `pv` and `text`.

    `pv` and `text` run to the line's end; values that make no sense are left out.
    """
    words = iter(line.split()[1:])
    told: dict[str, str] = {}
    name = next(words, None)
    while name is not None:
        if name in ("pv", "text"):
            told[name] = " ".join(words)
            break
        value = next(words, None)
        if name in _INFO_NUMBERS and value is not None and _is_number(value, *_INFO_NUMBERS[name]):
            told[name] = value
            value = next(words, None)
        name = value
    return told


_WHOLE: Final = re.compile(r"[0-9]{1,19}")
_REAL: Final = re.compile(
    r"-?(?:[0-9]{1,9}(?:\.[0-9]{0,19})?|\.[0-9]{1,19})(?:[eE][-+]?[0-9]{1,3})?"
)

_INFO_NUMBERS: Final = {"depth": (0.0, 1e6), "nodes": (0.0, 1e18), "eval": (-1.0, 1.0)}
"""Range of each number of an `info` line."""


def _is_number(text: str, low: float, high: float) -> bool:
    form = _REAL if low < 0 else _WHOLE
    return form.fullmatch(text) is not None and low <= float(text) <= high
