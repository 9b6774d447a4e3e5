"""The protocol's lines, version 1, in both directions, and the text of time controls.

`docs/reference/protocol.md` says what the lines mean.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Final, Self

from lath.games.errors import LathError

COMPILED: Final = "compiled"
"""What a bundled bot says with `id version` that searches by compiled code."""

IN_PYTHON: Final = "Python"
"""How that begins where it does so in Python; why follows in brackets."""

_FORMS: Final = (
    "10+0.1 (seconds and increment), move 0.5, nodes 1000 or none; 'first 1' after it is for the "
    "first move"
)


def _time_forms(number: str) -> str:
    """Return the expression of a time control whose times are such numbers."""
    clock = rf"(?P<initial>{number})(?:\+(?P<increment>{number}))?"
    return rf"(?:none|move (?P<move>{number})|nodes (?P<nodes>\d{{1,15}})|{clock})"


_SECONDS: Final = r"\d{1,9}(?:\.\d{1,3})?"


@cache
def _in_seconds() -> re.Pattern[str]:
    """Return the expression of a tag's text; compiled when first asked for, for bots start so."""
    return re.compile(rf"{_time_forms(_SECONDS)}(?: first (?P<first>{_SECONDS}))?", re.ASCII)


class TimeControlError(LathError, ValueError):
    """The text is no time control."""

    def __init__(self, what: str, expected: str) -> None:
        super().__init__(f"{what}, expected {expected}")
        self.what = what
        self.expected = expected


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeControl:
    """One of four kinds: a clock with increment, a time for each move, nodes for each move, none.

    The first move may have a limit of its own. All zero: no limit.
    """

    initial_ms: int = 0
    """Time on the clock before the first move, in milliseconds; 0: no clock."""

    increment_ms: int = 0
    """Added after each move."""

    move_ms: int = 0
    """Fixed time for each move, in milliseconds; 0: not this kind."""

    nodes: int = 0
    """Nodes for each move, which the bot counts itself; 0: not this kind."""

    first_ms: int = 0
    """Time for the first move that a bot makes in a game, in milliseconds, in the place of any
    other limit; it leaves the clock as it is. 0: none of its own."""

    @property
    def of_first_go(self) -> Self:
        """Return what `go` says of a bot's first move: its time, but nodes as ever."""
        return type(self)(move_ms=self.first_ms) if self.first_ms and not self.nodes else self

    @property
    def has_clock(self) -> bool:
        """Return whether time runs down from move to move."""
        return self.initial_ms > 0

    @classmethod
    def read(cls, text: str) -> Self:
        """Return the time control of a record's tag, of a flag or of a configuration.

        Raises TimeControlError.

        >>> TimeControl.read("10+0.1").increment_ms
        100
        """
        if (time := cls.find(text)) is None:
            meant = meant_time_control(text)
            hint = f" (did you mean {meant!r}?)" if meant else ""
            raise TimeControlError(f"unknown time control {text!r}{hint}", _FORMS)
        if time.increment_ms and not time.initial_ms:
            raise TimeControlError(f"time control {text!r} begins with an empty clock", _FORMS)
        return time

    @classmethod
    def find(cls, text: str) -> Self | None:
        """Return the time control that a text is; None where it has another form."""
        found = _in_seconds().fullmatch(text)
        time = cls.of(found, unit_ms=1000) if found else cls()
        is_none = time == cls(first_ms=time.first_ms) and not text.startswith("none")
        is_wrong = found is None or is_none or (found["first"] and not time.first_ms)
        return None if is_wrong else time

    @classmethod
    def of(cls, found: re.Match[str], *, unit_ms: int) -> Self:
        """Return what the groups of `_time_forms` say."""
        return cls(
            nodes=int(found["nodes"] or 0),
            **{
                f"{name}_ms": round(float(found[name] or 0) * unit_ms)
                for name in ("initial", "increment", "move", "first")
            },
        )

    def __str__(self) -> str:
        """Return the text of a record's tag, such as `10+0.1`."""
        first = f" first {in_seconds(self.first_ms)}" if self.first_ms else ""
        return f"{self._text(in_seconds)}{first}"

    def words(self) -> str:
        """Return the text of the protocol's `tc`, in milliseconds, such as `60000+600`.

        Of the first move it says nothing.
        """
        return self._text(str)

    def _text(self, number: Callable[[int], str]) -> str:
        if self.initial_ms:
            return f"{number(self.initial_ms)}+{number(self.increment_ms)}"
        if self.move_ms:
            return f"move {number(self.move_ms)}"
        return f"nodes {self.nodes}" if self.nodes else "none"


def in_seconds(ms: int) -> str:
    """Return milliseconds as seconds in text, such as `0.1`."""
    return f"{ms / 1000:.3f}".rstrip("0").rstrip(".")


MAX_LINE: Final = 64 * 1024
"""Bytes of a line without its end; a longer one is a flood."""

HELLO: Final = "arena 1"
QUIT: Final = "quit"
STOP: Final = "stop"
RESIGN: Final = "resign"

PONDER: Final = "ponder"
WANTS: Final = ("legal", "position", PONDER)

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
        start = "" if self.setup is None else f" setup {self.setup}"
        start = start if self.position is None else f" position {self.position}"
        # Before `tc`: there 0.1.0 and its SDK pass over what they do not know.
        first = f" first {self.time.first_ms}" if self.time.first_ms else ""
        return (
            f"new {self.number} {self.game} side {self.side}{first} tc {self.time.words()} "
            f"seed {self.seed}{start}"
        )


_IN_MILLISECONDS: Final = _time_forms(r"\d{1,15}")


@cache
def _new() -> re.Pattern[str]:
    return re.compile(
        r"new (\d+) (\S+)(?: .*?)? side (\S+)(?: first (?P<first>\d{1,15}))?(?: .*?)? "
        rf"tc {_IN_MILLISECONDS} seed (?P<seed>\d+)"
        r"(?: (?P<kind>setup|position) ?(?P<start>.*)| .*)?",
        re.ASCII,
    )


def read_new(line: str) -> NewGame:
    """Return what `new …` says; raises ValueError."""
    if (found := _new().fullmatch(" ".join(line.split()))) is None:
        raise ValueError(f"not a new game: {line!r}")
    return NewGame(
        number=int(found[1]),
        game=found[2],
        side=found[3],
        time=TimeControl.of(found, unit_ms=1),
        seed=int(found["seed"]),
        setup=found["start"] if found["kind"] == "setup" else None,
        position=found["start"] if found["kind"] == "position" else None,
    )


def go_line(ply: int, time: TimeControl, first_ms: int, second_ms: int) -> str:
    """Return the line that asks for a move; the clocks are in milliseconds, never below 0."""
    return go_writer(time)(ply, first_ms, second_ms).decode().removesuffix("\n")


def go_writer(time: TimeControl) -> Callable[[int, int, int], bytes]:
    """Return what writes `go_line` with its end, made once for a game: it is written each ply."""
    if time.initial_ms:
        clocks = b"go %%d first %%d second %%d inc %d\n" % time.increment_ms
        return lambda ply, first_ms, second_ms: clocks % (ply, first_ms, second_ms)
    limit = b" nodes %d" % time.nodes if time.nodes else b""
    limit = b" move %d" % time.move_ms if time.move_ms else limit
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
    values = dict(zip(words[2::2], words[3::2], strict=False))
    names = ("first", "second", "inc", "move", "nodes")
    said = [words[1] if len(words) > 1 else "", *filter(None, map(values.get, names))]
    if not all(map(_INTEGER.fullmatch, said)):
        raise ValueError(f"not a go line: {line!r}")
    return Go(int(words[1]), *(int(values[n]) if n in values else None for n in names))


def ponder_line(ply: int) -> str:
    """Return the line that lets a bot think while the other is to move at this ply."""
    return f"ponder {ply}"


def result_line(number: int, result: str, why: str) -> str:
    """Return the line that ends a game."""
    return f"result {number} {result} {why}"


def setoption_line(name: str, value: object) -> str:
    """Return the line that sets an option; booleans as `true` and `false`."""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return f"setoption name {name} value {text}"


@dataclass(frozen=True, slots=True)
class Option:
    """One option that a bot has."""

    name: str
    type: str
    default: str | None = None
    minimum: int | None = None
    maximum: int | None = None
    choices: tuple[str, ...] = ()

    def line(self) -> str:
        """Return `option …`, which `read_option` reads back.

        >>> Option("style", "combo", "calm", choices=("calm", "wild")).line()
        'option name style type combo default calm var calm var wild'
        """
        parts = [f"option name {self.name} type {self.type}"]
        values = (("default", self.default), ("min", self.minimum), ("max", self.maximum))
        parts += [f"{word} {value}".rstrip() for word, value in values if value is not None]
        return " ".join([*parts, *(f"var {choice}" for choice in self.choices)])

    @property
    def initial(self) -> bool | int | str | None:
        """Return the default as its type has it; None where there is none, or it is not of it.

        >>> read_option("option name depth type spin default 3").initial
        3
        """
        if self.default is None or self.wrong_with(self.default):
            return None
        if self.type == "check":
            return self.default.lower() == "true"
        return int(self.default) if self.type == "spin" else self.default

    def wrong_with(self, value: object) -> str | None:
        """Return what the value should have been; None where it fits."""
        if self.type == "check":
            return None if str(value).lower() in ("true", "false") else "true or false"
        if self.type == "combo":
            return None if str(value) in self.choices else f"one of {', '.join(self.choices)}"
        if self.type != "spin":
            return None
        low, high = self.minimum, self.maximum
        is_bounded = low is not None and high is not None
        expected = "a whole number" + (f" from {low} to {high}" if is_bounded else "")
        if not _INTEGER.fullmatch(str(value)):
            return expected
        number = int(str(value))
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
    # each of these words has the words up to the next of them
    found = re.split(r"(?<!\S)(default|min|max|var)(?!\S)", " ".join(words[type_at + 2 :]))
    values = list(zip(found[1::2], map(str.strip, found[2::2]), strict=True))
    last = dict(values)
    if not all(_INTEGER.fullmatch(last.get(word, "0")) for word in ("min", "max")):
        raise ValueError(f"not an option: {line!r}, min and max are whole numbers")
    low, high = (int(last[word]) if word in last else None for word in ("min", "max"))
    choices = tuple(value for word, value in values if word == "var")
    return Option(name, kind, last.get("default"), low, high, choices)


def read_info(line: str) -> dict[str, str]:
    """Return what `info …` says of `depth`, `eval`, `nodes`, `nps`, `pv` and `text`.

    `pv` and `text` run to the line's end; values that make no sense are left out.
    """
    words = iter(line.split()[1:])
    found: dict[str, str] = {}
    name = next(words, None)
    while name is not None:
        if name in ("pv", "text"):
            found[name] = " ".join(words)
            break
        value = next(words, None)
        if value is not None and name in _INFO_NUMBERS:
            form, low, high = _INFO_NUMBERS[name]
            if form.fullmatch(value) and low <= float(value) <= high:
                found[name] = value
                value = next(words, None)
        name = value
    return found


_INTEGER: Final = re.compile(r"[-+]?[0-9]{1,19}")
_WHOLE: Final = re.compile(r"[0-9]{1,19}")
_REAL: Final = re.compile(
    r"-?(?:[0-9]{1,9}(?:\.[0-9]{0,19})?|\.[0-9]{1,19})(?:[eE][-+]?[0-9]{1,3})?"
)

_INFO_NUMBERS: Final = {
    "depth": (_WHOLE, 0, 1e6),
    "nodes": (_WHOLE, 0, 1e18),
    "nps": (_WHOLE, 0, 1e18),
    "eval": (_REAL, -1, 1),
}
"""Form and range of each number of an `info` line."""


def seconds_of(text: str) -> str:
    """Return the seconds of a time that is written as on a clock; empty for another text.

    >>> seconds_of("0:10:00"), seconds_of("9:59.5"), seconds_of("90s"), seconds_of("10:99")
    ('600', '599.5', '90', '')
    """
    if found := re.fullmatch(r"([0-9]{1,9}(?:\.[0-9]{1,9})?) ?(ms|s|sec|seconds)", text):
        return _plain(float(found[1]) / (1000 if found[2] == "ms" else 1))
    found = re.fullmatch(r"(?:([0-9]{1,6}):)?([0-9]{1,6}):([0-5]?[0-9](?:[.,][0-9]{1,9})?)", text)
    if found is None or (found[1] and int(found[2]) > 59):
        return ""
    hours, minutes = int(found[1] or 0), int(found[2])
    return _plain(3600 * hours + 60 * minutes + float(found[3].replace(",", ".")))


def meant_time_control(text: str) -> str:
    """Return the time control that a text is another way to write; empty where it is none.

    >>> meant_time_control("0:10:00+5"), meant_time_control("600"), meant_time_control("soon")
    ('600+5', '600+0', '')
    """
    if len(text) > LONGEST_MEANT:
        return ""
    words = re.split(r"([+ ])", re.sub(r"\s*\+\s*", "+", " ".join(text.split())).lower())
    plain = "".join(seconds_of(word) or word for word in words)
    return next((one for one in (plain, f"{plain}+0") if one != text and TimeControl.find(one)), "")


LONGEST_MEANT: Final = 40
"""Characters of a word that may be nearly right."""


def _plain(seconds: float) -> str:
    return f"{seconds:.3f}".rstrip("0").rstrip(".")
