"""Commands that `arena match` offers: what was typed, with all that was said, and what is new."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any, Final

from lath.arena.entrants.origins import spec_of
from lath.arena.flows.matches import BUDGET, SPRT

LONGER: Final = "10m"
"""A budget for who wants to know more surely: five times the usual one."""

_DEFAULTS: Final = {"budget": BUDGET, "sprt": SPRT, "seed": 1}

_FLAGS: Final = {
    "build": "--build",
    "run": "--run",
    "games": "--game",
    "tc": "--tc",
    "budget": "--budget",
    "sprt": "--sprt",
    "openings": "--openings",
    "seed": "--seed",
    "jobs": "--jobs",
    "sandbox": "--sandbox",
    "cluster": "--cluster",
    "hosts_alike": "--hosts-alike",
    "out": "--output",
}
"""How what `held` takes is typed."""


def match_command(bots: Sequence[str], said: Mapping[str, Any], **others: object) -> str:
    """Return the command that plays these bots with all that was said, but for `others`.

    >>> match_command(["my bot"], {"tc": "move 0.1", "seed": 1, "hosts_alike": True}, budget="10m")
    "arena match 'my bot' --tc 'move 0.1' --budget 10m --hosts-alike"
    """
    now = {**said, **others}
    words = ["arena", "match", *bots]
    for name, flag in _FLAGS.items():
        value = now.get(name)
        if value is True:
            words.append(flag)
        elif isinstance(value, (list, tuple)):
            words += [word for one in value for word in (flag, str(one))]
        elif value not in (None, "", False) and value != _DEFAULTS.get(name):
            words += [flag, str(value)]
    return shlex.join(words)


def check_command(table: Mapping[str, Any], game: str, said: Mapping[str, Any]) -> str:
    """Return the command that checks the bot of a table at a game, as it is entered there."""
    spec = spec_of(dict(table))
    words = ["arena", "bot", "check", "--game", game]
    if spec.protocol != "lath":
        words += ["--protocol", spec.protocol]
    for flag, value in (("--tc", said.get("tc")), ("--sandbox", said.get("sandbox"))):
        words += [flag, str(value)] if value else []
    for name, value in spec.options.items():
        words += ["--option", f"{name}={value}"]
    if table.get("cwd"):
        words += ["--cwd", str(table["cwd"])]
    return shlex.join([*words, "--", *spec.command])
