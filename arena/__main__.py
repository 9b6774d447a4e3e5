"""The program `arena`: runs a command and turns what went wrong into words and an exit status.

Must stay light: worker processes import this module again.
"""

from __future__ import annotations

import io
import os
import sys

FAULT, USAGE, INTERRUPTED, BUG = 1, 2, 3, 4
"""Exit statuses besides 0: the input or a bot is at fault, wrong usage, Ctrl-C, a bug."""


def main() -> None:
    """Run the command line and exit."""
    if isinstance(sys.stdout, io.TextIOWrapper):  # names of any letters on a terminal of few
        sys.stdout.reconfigure(errors="backslashreplace")
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run one command and return its exit status."""
    from arena.cli import app
    from arena.errors import ArenaError, ConfigError
    from games.core import GameError, UnknownGameError

    try:
        return app(arguments, standalone_mode=False) or 0
    except (ArenaError, GameError) as error:
        print(f"arena: {error}", file=sys.stderr)
        return USAGE if isinstance(error, ConfigError | UnknownGameError) else FAULT
    except BrokenPipeError:
        # who reads our output has seen enough; keep Python from complaining at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAULT
    except KeyboardInterrupt:
        print("arena: interrupted", file=sys.stderr)
        return INTERRUPTED
    except Exception as error:  # noqa: BLE001 - the last line of defence tells of it
        return _told_or_bug(error)


def _told_or_bug(error: Exception) -> int:
    """Show a usage error as the command line's library does; anything else is ours."""
    from typer import Abort, Exit

    if isinstance(error, Exit):
        return int(error.exit_code)
    if isinstance(error, Abort):
        return INTERRUPTED
    if hasattr(error, "show") and hasattr(error, "exit_code"):
        error.show()
        return USAGE
    import traceback

    traceback.print_exc()
    print("arena: this is a bug in the arena; please report the lines above", file=sys.stderr)
    return BUG


if __name__ == "__main__":
    main()
