"""Running `arena` commands in this process, as a shell would."""

from __future__ import annotations

import io
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass

from arena.__main__ import run


@dataclass(frozen=True, slots=True)
class Ran:
    """What a command left behind."""

    status: int
    out: str
    err: str


def arena(*arguments: object, stdin: str = "") -> Ran:
    """Run a command; returns its exit status and both outputs."""
    out, err = io.StringIO(), io.StringIO()
    before = sys.stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO(stdin.encode()), encoding="utf-8")
    try:
        with redirect_stdout(out), redirect_stderr(err):
            status = run([str(argument) for argument in arguments])
    finally:
        sys.stdin = before
    return Ran(status, out.getvalue(), err.getvalue())
