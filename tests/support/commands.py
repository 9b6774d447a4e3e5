"""Running `arena` commands in this process, as a shell would."""

from __future__ import annotations

import io
import os
import shlex
import sys
from collections.abc import Callable, Iterable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cache
from unittest import mock

import typer.main

from lath.arena.__main__ import run
from lath.arena.referee import process_trees
from lath.notation import formats

_command_line = cache(typer.main.get_command)
"""Typer builds all commands for each call, which takes longer than most commands."""


@dataclass(frozen=True, slots=True)
class Ran:
    """The result of a command."""

    status: int
    out: str
    err: str
    out_bytes: bytes
    """The bytes of `out`."""


def arena(*arguments: object, stdin: str | bytes = "") -> Ran:
    """Run a command; returns its exit status and both outputs."""
    raw = io.BytesIO()
    out, err = io.TextIOWrapper(raw, encoding="utf-8", newline="\n"), io.StringIO()
    before = sys.stdin
    given = stdin.encode() if isinstance(stdin, str) else stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO(given), encoding="utf-8")
    try:
        with (
            redirect_stdout(out),
            redirect_stderr(err),
            mock.patch.object(typer.main, "get_command", _command_line),
            # Other children of this process, such as a browser's driver, are not bots' orphans.
            mock.patch.object(process_trees, "adopt_orphans"),
        ):
            status = run([str(argument) for argument in arguments])
    finally:
        sys.stdin = before
        formats.give_game("")  # a separate process would have ended
    out.flush()
    written = raw.getvalue()
    return Ran(status, written.decode(errors="replace"), err.getvalue(), written)


def refusals(
    commands: Iterable[str], status: int = 2, ask: Callable[..., Ran] = arena
) -> dict[str, str]:
    """Run commands that are refused with this status; return the messages by command."""
    said, wrong = {}, {}
    with mock.patch.dict(os.environ, COLUMNS="100", NO_COLOR="1"):
        for command in commands:
            ran = ask(*shlex.split(command))
            said[command] = ran.err
            if (ran.status, ran.out) != (status, "") or "Traceback" in ran.err or not ran.err:
                wrong[command] = ran
    assert wrong == {}
    return said
