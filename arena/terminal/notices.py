"""Errors, warnings and notes on standard error, in one format for all commands."""

from __future__ import annotations

import sys
from typing import Final

from lath.arena.errors import error_lines
from lath.games.errors import LathError, hinted

INTERRUPTION: Final = "interrupted; run the same command again to resume"


def print_error(error: LathError | str) -> None:
    """Print an error as `error: OBJECT: what is wrong`, then `hint: what to type`."""
    sys.stderr.write("".join(f"{line}\n" for line in error_lines(error)))


def print_warning(words: str, *, hint: str = "") -> None:
    """Print a warning: something was lost or skipped."""
    sys.stderr.write(f"{hinted(f'warning: {words}', hint)}\n")


def print_note(words: str, *, hint: str = "") -> None:
    """Print a note: neither an error nor a loss."""
    sys.stderr.write(f"{hinted(f'note: {words}', hint)}\n")
