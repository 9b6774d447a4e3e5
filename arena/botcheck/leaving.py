"""How a bot ends: told to, or left alone; and what it leaves behind."""

from __future__ import annotations

from typing import Final

from lath.arena.botcheck.handshake import ready_s
from lath.arena.botcheck.lab import Lab
from lath.arena.botcheck.points import Finding, duration, note, ok, untested, warning
from lath.arena.botcheck.probe import Probe
from lath.arena.referee.bot import QUIT_S
from lath.games.core import Seat
from lath.notation import wire

CLEAN: Final = "exited with status 0"

TIDY_S: Final = 0.2
"""For what a bot has started to end after it."""


def quits(lab: Lab) -> Finding:
    """Say `quit`."""
    lab.session().say(wire.QUIT)
    return _ending(lab, "`quit`", "end on `quit`; until then the arena waits, then it kills")


def leaves_with_its_parent(lab: Lab) -> Finding:
    """Close its input, as happens when the arena is killed."""
    lab.drop()
    lab.session().close_input()
    return _ending(lab, "its input has ended", "end where reading a line finds the end of the file")


def _ending(lab: Lab, event: str, mend: str) -> Finding:
    """Return what to think of how the bot ends now."""
    ended = lab.session_as_it_is().ends_within(QUIT_S)
    if ended is None:
        return warning(f"runs on {duration(QUIT_S)} after {event}", mend)
    return ok(ended) if ended == CLEAN else note(ended, f"exit with status 0 after {event}")


def leaves_nothing(lab: Lab) -> Finding:
    """Look for processes of the bot that outlive it, after it was made ready for a game."""
    lab.drop()
    session = lab.session()
    if lab.has_been_ready:
        ready_s(lab, session, Seat.FIRST)
    session.say(wire.QUIT)
    if session.ends_within(QUIT_S) is None:
        return untested("it does not end by itself")
    session.pause(TIDY_S)
    left = session.sweep()
    if left:
        ran = "1 process still ran" if left == 1 else f"{left} processes still ran"
        return warning(
            f"{ran} {duration(TIDY_S)} after it",
            "end what you start; the arena kills what is left",
        )
    return ok("no process is left")


ENDINGS: Final = (
    Probe("quit", f"ends on `quit` within {QUIT_S:g} s", quits),
    Probe("end-of-input", "ends when its input does", leaves_with_its_parent),
    Probe("leaves-nothing", "leaves no process behind", leaves_nothing),
)
