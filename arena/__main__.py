"""The program `arena`: runs a command and turns what went wrong into words and an exit status.

Must stay light: worker processes import this module again.
"""

from __future__ import annotations

import io
import os
import sys

FAULT, USAGE, INTERRUPTED, BUG = 1, 2, 3, 4
"""Exit statuses besides 0: the input or a bot is at fault, wrong usage, Ctrl-C, a bug."""


_SIGINT = 130
"""What the command line's library exits with on Ctrl-C."""


def main() -> None:
    """Run the command line and exit."""
    if sys.stdout is None:
        print("arena: standard output is closed", file=sys.stderr)
        sys.exit(USAGE)
    if isinstance(sys.stdout, io.TextIOWrapper):  # names of any letters on a terminal of few
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        sys.exit(run(sys.argv[1:]))
    except KeyboardInterrupt:  # before there was anything to interrupt
        sys.exit(_interrupted())


def run(arguments: list[str]) -> int:
    """Run one command and return its exit status."""
    from arena.cli import app
    from arena.errors import ArenaError, ConfigError
    from games.core import GameError, UnknownGameError

    try:
        status = app(arguments, standalone_mode=False) or 0
        return _interrupted() if status == _SIGINT else _flushed(status)
    except (ArenaError, GameError) as error:
        print(f"arena: {error}", file=sys.stderr)
        return USAGE if isinstance(error, ConfigError | UnknownGameError) else FAULT
    except BrokenPipeError:
        return _left_alone()
    except SystemExit as ended:  # the command line's library makes this of a broken pipe
        if isinstance(ended.__context__, BrokenPipeError):
            return _left_alone()
        raise
    except OSError as error:
        _discard_output()
        what = error.filename or "standard output"
        print(f"arena: {what} cannot be used: {error.strerror or error}", file=sys.stderr)
        return USAGE
    except KeyboardInterrupt:
        return _interrupted()
    except Exception as error:  # noqa: BLE001 - the last line of defence tells of it
        return _told_or_bug(error)


def _flushed(status: int) -> int:
    """Return the status of what has reached standard output; raises OSError."""
    sys.stdout.flush()
    return status


def _discard_output() -> None:
    """Keep Python from complaining, at exit, of what could not be written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _left_alone() -> int:
    """Return the status for a reader of our output who has seen enough: all is well."""
    _discard_output()
    return 0


def _interrupted() -> int:
    print("arena: interrupted; what was being written is as it was before", file=sys.stderr)
    return INTERRUPTED


def _told_or_bug(error: Exception) -> int:
    """Show a usage error as the command line's library does; anything else is ours."""
    from typer import Abort, Exit

    if isinstance(error, Abort):
        return _interrupted()
    if isinstance(error, Exit):
        return int(error.exit_code)
    if hasattr(error, "show") and hasattr(error, "exit_code"):
        error.show()
        return USAGE
    import traceback

    traceback.print_exc()
    print("arena: this is a bug in the arena; please report the lines above", file=sys.stderr)
    return BUG


if __name__ == "__main__":
    main()
