"""What `--option` says of an option that is tuned, and whether the bot has such an option.

Must not know how a bot is asked, nor what becomes of the range.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Final, NamedTuple

from lath.arena.errors import ConfigError
from lath.arena.schedule.spsa import LEAST_STEP, STEPS, Parameter
from lath.notation.protocol import Option

SHAPE: Final = "LOW..HIGH [from START] [step STEP]"

_WHOLE: Final = r"(-?[0-9]{1,15})"
_RANGE: Final = re.compile(
    rf"{_WHOLE}\s*\.\.\s*{_WHOLE}(?:\s+from\s+{_WHOLE})?(?:\s+step\s+([0-9]{{1,15}}(?:\.[0-9]+)?))?"
)


class Range(NamedTuple):
    """A range as somebody writes it."""

    low: int
    high: int
    start: int | None
    """None: not said."""

    step: float | None


def read_range(text: str) -> Range:
    """Return the range that a text says; raises ValueError, which says what was expected.

    >>> read_range("5..200 from 150")
    Range(low=5, high=200, start=150, step=None)
    """
    found = _RANGE.fullmatch(text.strip())
    if found is None:
        raise ValueError(f"expected {SHAPE}, such as 5..200 from 40 step 10")
    low, high, start, step = found.groups()
    from_ = None if start is None else int(start)
    said = Range(int(low), int(high), from_, None if step is None else float(step))
    if said.low >= said.high:
        raise ValueError(f"expected {said.low} to be less than {said.high}")
    if said.start is not None and not said.low <= said.start <= said.high:
        raise ValueError(f"expected from {said.start} to be in {said.low}..{said.high}")
    most = (said.high - said.low) / 2
    if said.step is not None and not LEAST_STEP <= said.step <= most:
        raise ValueError(f"expected step {said.step:g} to be from {LEAST_STEP:g} to {most:g}")
    return said


def parameter(name: str, said: Range, start: int) -> Parameter:
    """Return an option that is tuned in a range from a start; the usual step where none is said."""
    step = said.step or max(LEAST_STEP, (said.high - said.low) / STEPS)
    return Parameter(name=name, low=said.low, high=said.high, start=start, step=step)


def read_ranges(texts: Mapping[str, str]) -> tuple[Parameter, ...]:
    """Return the options of a table, each with its start; raises ValueError."""
    found = []
    for name, text in texts.items():
        try:
            said = read_range(text)
            if said.start is None:
                raise ValueError("expected a start, such as 5..200 from 40")
        except ValueError as error:
            raise ValueError(f"{name} = {text!r}, {error}") from error
        found.append(parameter(name, said, said.start))
    return tuple(found)


def declared(
    flags: Iterable[str], options: Mapping[str, Option], said: Mapping[str, object], bot: str
) -> tuple[Parameter, ...]:
    """Return the options that `--option` names, where the bot declares them so.

    `options` are those that it declares, `said` those that are set in its description. Where a
    range has no start, that is what is set, else what the bot declares. Raises ConfigError.
    """
    found: dict[str, Parameter] = {}
    for flag in flags:
        name, equals, text = flag.partition("=")
        name, called = name.strip(), f"--option {flag!r}: "
        if not (name and equals):
            raise ConfigError(f"{called}expected NAME={SHAPE}")
        if name in found:
            raise ConfigError(f"{called}{name!r} is named twice")
        try:
            range_ = read_range(text)
        except ValueError as error:
            raise ConfigError(f"{called}{error}") from error
        option = options.get(name)
        if option is None:
            raise ConfigError(f"{called}{_unknown(name, options, bot)}")
        if option.type != "spin":
            raise ConfigError(
                f"{called}{name!r} of {bot} is a {option.type}, and only a spin can be tuned, "
                "which is a whole number"
            )
        for value in (range_.low, range_.high):
            if expected := option.wrong_with(value):
                raise ConfigError(f"{called}{value} is not for {bot}, which expects {expected}")
        found[name] = parameter(name, range_, _start(range_, option, said, called))
    return tuple(found.values())


def _unknown(name: str, options: Mapping[str, Option], bot: str) -> str:
    spins = [each.name for each in options.values() if each.type == "spin"]
    known = f"expected one of {', '.join(spins)}" if spins else "and none that can be tuned"
    alike = get_close_matches(name.lower(), spins, n=1)
    meant = f"; did you mean {alike[0]!r}?" if alike else ""
    return f"{bot} declares no option {name!r}, {known}{meant}"


def _start(said: Range, option: Option, given: Mapping[str, object], called: str) -> int:
    """Return what a range starts from; raises ConfigError."""
    if said.start is not None:
        return said.start
    value = given.get(option.name, option.initial)
    if not isinstance(value, int):
        raise ConfigError(f"{called}the bot declares no default: say from where, as 5..200 from 40")
    if not said.low <= value <= said.high:
        raise ConfigError(
            f"{called}it starts from {value}, which is not in {said.low}..{said.high}: say from "
            "where, or another range"
        )
    return value
