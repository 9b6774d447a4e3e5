"""Ranges of tuned options as `--option` gives them, checked against the options of the bot."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Final, NamedTuple

from lath.arena.errors import ConfigError
from lath.arena.schedule.tuning.spsa import LEAST_STEP, STEPS, TunedOption
from lath.notation.protocol import Option

_TUNABLE: Final = ("spin", "string")
"""Types of options that may hold numbers."""

SHAPE: Final = "LOW..HIGH [from START] [step STEP]"

MOST_DIGITS: Final = 4
"""Maximum number of decimal places."""

_NUMBER: Final = rf"(-?[0-9]{{1,15}}|-?[0-9]{{1,9}}\.[0-9]{{1,{MOST_DIGITS}}})"
_RANGE: Final = re.compile(
    rf"{_NUMBER}\s*\.\.\s*{_NUMBER}(?:\s+from\s+{_NUMBER})?"
    r"(?:\s+step\s+([0-9]{1,15}(?:\.[0-9]{1,15})?))?"
)


class Range(NamedTuple):
    """A range as the user wrote it."""

    low: float
    high: float
    start: float | None
    """None if the user gave no start."""

    step: float | None
    digits: int = 0
    """Decimal places of the other numbers."""

    def from_(self, start: float) -> Range:
        """Return the range with another start, which may have more decimal places."""
        return self._replace(start=start, digits=max(self.digits, _digits(str(start))))

    @property
    def span(self) -> str:
        """Return the least and the greatest value as text."""
        return f"{self.low:.{self.digits}f}..{self.high:.{self.digits}f}"


def read_range(text: str) -> Range:
    """Return the range in a text; raises ValueError with a message about the expected form.

    >>> read_range("5..200 from 150")
    Range(low=5, high=200, start=150, step=None, digits=0)
    >>> read_range("0.5..2 from 1.25 step 0.1")
    Range(low=0.5, high=2, start=1.25, step=0.1, digits=2)
    """
    if (found := _RANGE.fullmatch(text.strip())) is None:
        raise ValueError(
            f"expected {SHAPE}, such as 5..200 from 40 step 10, or with up to {MOST_DIGITS} "
            "decimal places 0.5..2.0 from 1.25"
        )
    *numbers, step = found.groups()
    low, high, start = (None if text is None else _number(text) for text in numbers)
    assert low is not None
    assert high is not None
    digits = max(_digits(text) for text in numbers if text)
    said = Range(low, high, start, None if step is None else float(step), digits)
    if low >= high:
        raise ValueError(f"expected {low} to be less than {high}")
    if start is not None and not low <= start <= high:
        raise ValueError(f"expected from {start} to be in {low}..{high}")
    least, most = LEAST_STEP / 10**digits, (high - low) / 2
    if said.step is not None and not least <= said.step <= most:
        raise ValueError(f"expected step {said.step:g} to be from {least:g} to {most:g}")
    return said


def _number(text: str) -> int | float:
    return float(text) if "." in text else int(text)


def _digits(text: str) -> int:
    """Return the number of decimal places of a number in text."""
    return len(text.partition(".")[2])


def parameter(name: str, said: Range, start: float) -> TunedOption:
    """Return an option to tune in a range; a range without a step gets the default step."""
    said = said.from_(start)
    step = said.step or max(LEAST_STEP / 10**said.digits, (said.high - said.low) / STEPS)
    return TunedOption(
        name=name, low=said.low, high=said.high, start=start, step=step, digits=said.digits
    )


def read_ranges(texts: Mapping[str, str]) -> tuple[TunedOption, ...]:
    """Return the options in a configuration table, each with its start; raises ValueError."""
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
) -> tuple[TunedOption, ...]:
    """Return the options to tune that `--option` names, checked against those of the bot.

    `options` are those that the bot declares, `said` those that its description sets. A range
    without a start begins at the value in `said`, or at the bot's default. Raises ConfigError.
    """
    found: dict[str, TunedOption] = {}
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
        if (option := options.get(name)) is None:
            raise ConfigError(f"{called}{_unknown(name, options, bot)}")
        _refuse_type(range_, option, f"{called}{name!r} of {bot}")
        start = _start(range_, option, said, called)
        for value in (range_.low, range_.high, start):
            if expected := option.wrong_with(value):
                raise ConfigError(f"{called}{value} is not valid for {bot}; expected {expected}")
        found[name] = parameter(name, range_, start)
    return tuple(found.values())


def _refuse_type(said: Range, option: Option, of: str) -> None:
    """Raise ConfigError if an option does not hold numbers, or none with decimal places."""
    if option.type not in _TUNABLE:
        raise ConfigError(
            f"{of} is a {option.type}; only a spin (a whole number) or a string (any number) can "
            "be tuned"
        )
    if option.type == "spin" and said.digits:
        raise ConfigError(
            f"{of} is a spin, a whole number; decimal places need an option of type string"
        )


def _unknown(name: str, options: Mapping[str, Option], bot: str) -> str:
    spins = [each.name for each in options.values() if each.type in _TUNABLE]
    known = f"expected one of {', '.join(spins)}" if spins else "and none that can be tuned"
    alike = get_close_matches(name.lower(), spins, n=1)
    meant = f"; did you mean {alike[0]!r}?" if alike else ""
    return f"{bot} declares no option {name!r}, {known}{meant}"


def _start(said: Range, option: Option, given: Mapping[str, object], called: str) -> int | float:
    """Return the start of a range; raises ConfigError."""
    if said.start is not None:
        return said.start
    value = given.get(option.name, option.initial)
    if isinstance(value, bool) or not re.fullmatch(_NUMBER, text := str(value)):
        raise ConfigError(
            f"{called}the bot declares no default; give a start, such as 5..200 from 40"
        )
    value = _number(text)
    if not said.low <= value <= said.high:
        raise ConfigError(
            f"{called}the start {value} is not in {said.span}; give a start or another range"
        )
    return value
