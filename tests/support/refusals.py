"""Refused command lines, and their messages."""

from __future__ import annotations

import shlex
from collections.abc import Iterable

from commands import arena


def refusals(commands: Iterable[str], *before: object) -> dict[str, str]:
    """Return the message of each command: wrong usage has status 2 and no standard output.

    `before` comes before the words of each.
    """
    told, taken = {}, {}
    for command in commands:
        ran = arena(*before, *shlex.split(command))
        told[command] = ran.err
        if (ran.status, ran.out) != (2, ""):
            taken[command] = ran
    assert taken == {}
    return told
