"""The options that a bot declares: their types and ranges, and their current values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lath.notation import protocol as wire


@dataclass(frozen=True, slots=True)
class Spin:
    """A whole number. Raises ValueError if the default is out of range.

    >>> Spin("depth", 3, 1, 9).declared.line()
    'option name depth type spin default 3 min 1 max 9'
    """

    name: str
    default: int
    minimum: int
    maximum: int

    def __post_init__(self) -> None:
        _require_valid(self.declared)

    @property
    def declared(self) -> wire.Option:
        """Return the option of the handshake."""
        return wire.Option(self.name, "spin", str(self.default), self.minimum, self.maximum)

    def read(self, text: str) -> int:
        """Return the value of a valid text."""
        return int(text)


@dataclass(frozen=True, slots=True)
class Check:
    """A switch."""

    name: str
    default: bool

    def __post_init__(self) -> None:
        _require_valid(self.declared)

    @property
    def declared(self) -> wire.Option:
        """Return the option of the handshake."""
        return wire.Option(self.name, "check", str(self.default).lower())

    def read(self, text: str) -> bool:
        """Return the value of a valid text."""
        return text.lower() == "true"


@dataclass(frozen=True, slots=True)
class Combo:
    """One of several texts. Raises ValueError if the default is not one of them."""

    name: str
    default: str
    choices: Sequence[str]

    def __post_init__(self) -> None:
        _require_valid(self.declared)

    @property
    def declared(self) -> wire.Option:
        """Return the option of the handshake."""
        return wire.Option(self.name, "combo", self.default, choices=tuple(self.choices))

    def read(self, text: str) -> str:
        """Return the value of a valid text."""
        return text


@dataclass(frozen=True, slots=True)
class Text:
    """Any text on one line, such as the name of a file."""

    name: str
    default: str = ""

    def __post_init__(self) -> None:
        _require_valid(self.declared)

    @property
    def declared(self) -> wire.Option:
        """Return the option of the handshake."""
        return wire.Option(self.name, "string", self.default)

    def read(self, text: str) -> str:
        """Return the value of a valid text."""
        return text


Declared = Spin | Check | Combo | Text | str
"""An option, or its complete line; the value of the latter is a text."""


def _require_valid(option: wire.Option) -> None:
    """Raise ValueError if the line of an option would not read back as the option."""
    if option.default is not None and (expected := option.wrong_with(option.default)):
        default = option.default
        raise ValueError(f"option {option.name!r}: default {default!r}, expected {expected}")
    if wire.read_option(option.line()) != option:
        words = "the words default, min, max, var or type, two spaces in a row, or a line end"
        raise ValueError(f"option {option.name!r}: its name and texts must not contain {words}")


class Options:
    """The declared options of a bot, with their current values."""

    def __init__(self, declared: Iterable[Declared]) -> None:
        """Take the options. Raises ValueError for an invalid line."""
        self._known: dict[str, tuple[wire.Option, Declared]] = {}
        self.values: dict[str, Any] = {}
        """The current value of each option by name. Without declared options, all texts that were
        set."""
        self.lines: list[str] = []
        """The option lines of the handshake."""
        for one in declared:
            option = wire.read_option(one) if isinstance(one, str) else one.declared
            if option.name in self._known:
                raise ValueError(f"option {option.name!r} is declared twice")
            self._known[option.name] = option, one
            self.lines.append(one if isinstance(one, str) else option.line())
            if option.default is not None:
                self.values[option.name] = option.default if isinstance(one, str) else one.default

    def set(self, name: str, text: str) -> str:
        """Set an option; return the error message, or ""."""
        if not self._known:  # the bot interprets its options itself
            self.values[name] = text
            return ""
        if name not in self._known:
            return f"unknown option {name!r}, expected one of {', '.join(self._known)}"
        option, one = self._known[name]
        if expected := option.wrong_with(text):
            stays = self.values.get(name)
            return f"option {name}: {text!r}, expected {expected}; keeping {stays!r}"
        self.values[name] = text if isinstance(one, str) else one.read(text)
        return ""

    def now(self) -> Mapping[str, Any]:
        """Return a copy of the current values."""
        return dict(self.values)
