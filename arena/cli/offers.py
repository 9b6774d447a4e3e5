"""Commands that `arena match` suggests: the typed command with some options changed."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any, Final

from lath.arena.entrants.origins import in_words, spec_of
from lath.arena.flows.requests import MatchRequest

LONGER: Final = "10m"
"""The suggested budget for a more certain result: five times the default."""


def match_command(request: MatchRequest, **others: object) -> str:
    """Return the command for a match, with the fields in `others` replaced.

    >>> request = MatchRequest("my bot", tc="move 0.1", cluster="local:2", hosts_alike=True)
    >>> match_command(request, budget="10m")
    "arena match 'my bot' --tc 'move 0.1' --budget 10m --cluster local:2 --hosts-alike"
    """
    bots = [in_words(bot) for bot in (request.old, request.new) if bot is not None]
    return shlex.join(["arena", "match", *bots, *request.typed(**others)])


def check_command(table: Mapping[str, Any], game: str, request: MatchRequest) -> str:
    """Return the command that checks a bot at a game type, with the settings of its table."""
    spec = spec_of(dict(table))
    words = ["arena", "bot", "check", "--game", game]
    if spec.protocol != "lath":
        words += ["--protocol", spec.protocol]
    for flag, value in (("--tc", request.tc), ("--sandbox", request.sandbox)):
        words += [flag, str(value)] if value else []
    for name, option in spec.options.items():
        words += ["--option", f"{name}={option}"]
    if table.get("cwd"):
        words += ["--cwd", str(table["cwd"])]
    return shlex.join([*words, "--", *spec.command])
