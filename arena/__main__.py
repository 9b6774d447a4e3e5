"""The program `arena`: runs a command and turns errors into messages and an exit status.

This module must import little, because worker processes import it again.
"""

from __future__ import annotations

import sys

from lath.arena.machine import signals


def _is_run() -> bool:
    """Return whether the command plays games, whose results an early signal could lose."""
    return sys.argv[1:2] in (["run"], ["match"], ["tune"])


if __name__ == "__main__" or sys.argv[0].endswith("/arena"):  # before slow imports
    # A worker of `arena check` also runs this line, and must stop when it is asked to.
    signals.begin(*(signals.STOPPING if _is_run() else signals.STOPPING[:1]))

import errno
import gc
import io
import os
from typing import Final, cast

from lath.arena.errors import (
    BUG,
    FAULT,
    FULL,
    INTERRUPTED,
    LACKS,
    TYPED,
    USAGE,
    ArenaError,
)
from lath.arena.terminal.notices import print_error, print_note
from lath.arena.terminal.streams import behind_doors

OBJECTS: Final = {
    "FormatError": "format",
    "IllegalMoveError": "move",
    "MoveSyntaxError": "move",
    "PositionError": "position",
    "SetupError": "setup",
    "UnknownGameError": "game",
}
"""The objects that errors of the lower layers are about; their messages do not begin with them."""

SELDOM: Final = 100_000
"""New objects between two garbage collections: imports create many objects and no garbage."""


def main() -> None:
    """Run the command line and exit."""
    gc.set_threshold(SELDOM)
    signals.begin(*signals.STOPPING)
    try:
        with signals.pausable():
            if _is_run():
                status = _prepared_run()
            else:
                with signals.raising(1):
                    signals.look()
                    status = _prepared_run()
        signals.ignore()
    except KeyboardInterrupt:  # during start-up
        signals.ignore()
        status = _interrupted()
    try:
        sys.stdout.flush()
    except OSError:  # already reported
        _discard_output()
    if status == INTERRUPTED:
        # Python ends itself with SIGINT if the exception came through an `exec` of text.
        os._exit(status)
    gc.freeze()  # imported objects need no garbage collection at the exit
    sys.exit(status)


def _prepared_run() -> int:
    has_output = sys.stdout is not None
    _open_closed()
    if not has_output and not _is_run():  # the results of a run are in its directory
        print_error("standard output: it is closed")
        return USAGE
    if isinstance(sys.stdout, io.TextIOWrapper):
        _buffer_output()
        # names may have characters that the terminal's encoding lacks
        sys.stdout.reconfigure(errors="backslashreplace")
    return run(sys.argv[1:])


def _buffer_output() -> None:
    """Buffer standard output by line even if PYTHONUNBUFFERED is set.

    A write to an unbuffered stream may write only a part without an error.
    """
    before = cast("io.TextIOWrapper", sys.stdout)
    encoding, below = before.encoding, before.buffer
    if isinstance(below, io.RawIOBase):
        before.detach()  # or it would close the buffer
        buffer = io.BufferedWriter(below)
        sys.stdout = io.TextIOWrapper(buffer, encoding=encoding, line_buffering=True)


def _open_closed() -> None:
    """Open closed standard streams on the null device.

    Otherwise a database or a pipe could get the number of a closed stream, and be overwritten.
    Reading a closed standard input raises OSError.
    """
    if sys.stdin is None:
        sys.stdin = io.TextIOWrapper(io.BufferedReader(_ClosedInput()), encoding="utf-8")
    for descriptor, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number
        if getattr(sys, name) is None:  # never closed: the stream lives as long as the program
            setattr(sys, name, os.fdopen(descriptor, mode, encoding="utf-8"))


class _ClosedInput(io.RawIOBase):
    """A closed standard input: reading it raises OSError."""

    def readable(self) -> bool:
        """Return True, so that `readinto` is called."""
        return True

    def readinto(self, _: object, /) -> int:
        """Raise OSError."""
        raise OSError(errno.EBADF, "it is closed", "standard input")


def run(arguments: list[str]) -> int:
    """Run one command and return its exit status."""
    typed = TYPED.set(tuple(arguments))
    try:
        with behind_doors():
            return _run(arguments)
    finally:
        TYPED.reset(typed)


def _run(arguments: list[str]) -> int:
    from typer import Abort  # start-up time

    from lath.arena.cli.main import app
    from lath.games.errors import GameError, UnknownGameError

    status = 0
    _forget()
    try:
        status = int(app(arguments, prog_name="arena", standalone_mode=False) or 0)
        if status == 130:  # the status of the option parser after Ctrl-C
            return _interrupted()
        sys.stdout.flush()
        _print_taken(arguments)
    except (ArenaError, GameError) as error:
        about = OBJECTS.get(type(error).__name__)
        print_error(f"{about}: {error}" if about else error)
        if isinstance(error, ArenaError):
            return error.status
        return USAGE if isinstance(error, UnknownGameError) else FAULT
    except (BrokenPipeError, SystemExit) as error:
        # The option parser turns a broken pipe into SystemExit.
        if BrokenPipeError not in (type(error), type(error.__context__)):
            raise
        _discard_output()
        return status  # the reader has enough, which is not an error
    except OSError as error:
        what = error.filename
        if _output_fails():
            _discard_output()
            what = what or "standard output"
        print_error(f"{what or 'the operating system'}: {error.strerror or error}")
        return FULL if not what and error.errno in LACKS else USAGE
    except (KeyboardInterrupt, Abort):
        return _interrupted()
    except Exception as error:  # noqa: BLE001 - the last line of defence tells of it
        return _usage_or_bug(error)
    return status


_TAKEN: Final = "lath.arena.tournament.outcome.taken"
"""The module that commands load when they read records."""


def _forget() -> None:
    """Forget the notes on records that an earlier command of this process has read."""
    if _TAKEN in sys.modules:
        sys.modules[_TAKEN].TAKEN.begin()


def _print_taken(arguments: list[str]) -> None:
    """Print the notes that cover all records read by the command."""
    if _TAKEN in sys.modules and not {"-q", "--quiet"} & set(arguments):
        for line in sys.modules[_TAKEN].TAKEN.lines():
            print(line, file=sys.stderr)


def _output_fails() -> bool:
    """Return whether standard output can no longer be written."""
    try:
        sys.stdout.flush()
    except OSError:
        return True
    return False


def _discard_output() -> None:
    """Redirect standard output, so that Python does not complain about it at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _interrupted() -> int:
    print_note("interrupted; files that were being written are unchanged")
    return INTERRUPTED


def _usage_or_bug(error: Exception) -> int:
    """Print a usage error, a lack of memory or processes, a fault of a game file, or a bug.

    Returns the exit status.
    """
    if isinstance(error.__cause__, KeyboardInterrupt):  # Ctrl-C while Python created a class
        return _interrupted()
    if hasattr(error, "show") and hasattr(error, "message"):
        if type(error).__name__ == "NoArgsIsHelpError":
            print(error.message, file=sys.stderr)
            return USAGE
        from lath.arena.cli.main import typed_command  # start-up time
        from lath.arena.cli.usage import usage_text

        print_error(usage_text(error, typed_command()))
        return USAGE
    if isinstance(error, MemoryError) or "can't start new thread" in str(error):
        what = "memory" if isinstance(error, MemoryError) else "processes or threads (ulimit -u)"
        print_error(f"this machine: not enough {what}")
        return FULL
    if type(error).__name__ == "BrokenProcessPool":  # its module is slow to import
        print_error("worker process: killed from outside; this machine may be short of memory")
        return FULL
    from lath.games.errors import RulesError  # start-up time
    from lath.games.files import blamed, paths

    if why := str(error) if isinstance(error, RulesError) else blamed(error):
        print_error(why)
        return USAGE
    import traceback  # start-up time

    traceback.print_exc()
    whose = " or ".join(("a bug in the arena", *paths()))
    print_error(f"arena: this is {whose}\nhint: report the lines above")
    return BUG


if __name__ == "__main__":
    main()
