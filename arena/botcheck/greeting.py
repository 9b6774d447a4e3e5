"""What a bot says between `arena 1` and `ok`, sorted into what the protocol knows and what not.

Must not know processes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from lath.notation import wire


@dataclass(slots=True)
class Greeting:
    """A bot's words about itself."""

    name: str = ""
    games: list[str] = field(default_factory=list)
    """Ids as the bot gives them, installed or not."""

    options: list[wire.Option] = field(default_factory=list)
    bad_options: list[str] = field(default_factory=list)
    """Why lines of `option` cannot be read."""

    wants: list[str] = field(default_factory=list)
    banner: list[str] = field(default_factory=list)
    """Lines that mean nothing."""

    after_s: float = 0.0
    """How long `ok` took from the process's start."""


def read_greeting(lines: Iterable[str], after_s: float) -> Greeting:
    """Return what the lines before `ok` say."""
    greeting = Greeting(after_s=after_s)
    for line in lines:
        _take(greeting, line)
    return greeting


def _take(greeting: Greeting, line: str) -> None:
    match line.split():
        case []:
            pass
        case ["id", "name", *words] if words:
            greeting.name = " ".join(words)
        case ["id", "author", *_]:
            pass
        case ["game", *ids]:
            greeting.games += ids
        case ["want", *what]:
            greeting.wants += what
        case ["option", *_]:
            _take_option(greeting, line)
        case _:
            greeting.banner.append(line)


def _take_option(greeting: Greeting, line: str) -> None:
    try:
        greeting.options.append(wire.read_option(line))
    except ValueError as error:
        greeting.bad_options.append(str(error))


def odd_options(options: Iterable[wire.Option]) -> list[str]:
    """Return what is wrong with options that can be read, a line each.

    >>> odd_options([wire.Option("depth", "spin", "9", 1, 8)])
    ["option depth: default '9' is not a whole number from 1 to 8"]
    """
    told = []
    for option in options:
        if option.type == "combo" and not option.choices:
            told.append(f"option {option.name}: a combo without a `var` for each choice")
        elif option.default is not None and (expected := option.wrong_with(option.default)):
            told.append(f"option {option.name}: default {option.default!r} is not {expected}")
    return told


def bounds_of(option: wire.Option) -> list[str]:
    """Return the values at the edges of what an option takes; none where it has no edges.

    >>> bounds_of(wire.Option("depth", "spin", "3", 1, 8))
    ['1', '8']
    """
    if option.type == "check":
        return ["true", "false"]
    if option.type == "combo":
        return list(option.choices)
    return [str(bound) for bound in (option.minimum, option.maximum) if bound is not None]
