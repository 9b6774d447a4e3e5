"""A scripted conversation with one process of a bot: say lines, hear answers, keep what was said.

Must not know rules, nor what is right: it tells of silence, floods and ends, others judge.
"""

from __future__ import annotations

import os
import secrets
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from lath.arena.botcheck.points import FaultFoundError, SilenceError, duration
from lath.arena.referee import trees
from lath.arena.referee.bot import BotSpec
from lath.arena.referee.process import Child
from lath.arena.referee.watch import Watch

LINES_KEPT: Final = 10
"""Lines of the conversation that are shown when something goes wrong."""

STDERR_LINES: Final = 12
"""Lines of standard error that are shown: the last ones, which say what a traceback comes to."""

STDERR_WIDTH: Final = 300

_WIDTH: Final = 90
"""Letters of a line that are shown."""

_LEGAL_WIDTH: Final = 30
"""The same for a line of legal moves, of which the first say enough."""

_UNHEARD_KEPT: Final = 1000
"""Lines between two answers that are looked at: the last ones."""

FLUSH: Final = (
    "end the line with a newline and flush after every line "
    "(Python: print(…, flush=True); C: fflush(stdout))"
)

_KEEP_RUNNING: Final = "keep running, reading and writing until `quit`"

Words = list[str]


@dataclass(frozen=True, slots=True)
class Heard:
    """An answer."""

    words: Words
    after_s: float
    """How long it took from the question, on the wall clock."""


class Session:
    """One process of the bot and all that is said to and by it."""

    def __init__(self, spec: BotSpec, *, memory_bytes: int | None = None) -> None:
        """Start the bot; raises OSError where the system cannot."""
        self.unheard: Final[deque[str]] = deque(maxlen=_UNHEARD_KEPT)
        """Lines that were not what was waited for; the reader takes them away."""
        self._said: Final[deque[str]] = deque(maxlen=LINES_KEPT)
        self._tree: Final = f"check-{secrets.token_hex(4)}."
        self._watch: Final = Watch()
        self._asked_s = 0.0
        self._has_answered = False
        self._lacks: Final = spec.lacks
        self._child: Final = Child.start(
            spec.command,
            tree=self._tree,
            cwd=spec.cwd,
            env=spec.env,
            memory_bytes=memory_bytes or spec.memory_bytes,
        )
        self._watch.add(self._child)

    @property
    def exchange(self) -> tuple[str, ...]:
        """Return the last lines of both sides, those of the bot that nobody has heard too."""
        self._catch_up()
        return tuple(self._said)

    @property
    def is_alive(self) -> bool:
        """Return whether the bot still runs and listens, as far as is known now."""
        self._watch.wait(0.0)
        return not (self._child.is_gone or self._child.flooded)

    @property
    def pid(self) -> int:
        """Return the process, which is also the number of its session."""
        return self._child.pid

    def say(self, *lines: str, end: str = "\n") -> None:
        """Send lines in one write; what the bot said before is no answer to them."""
        self._catch_up()
        self._said.extend(f"> {_shown(line)}" for line in lines)
        self._child.expect()
        self._asked_s = time.monotonic()
        self._child.send("".join(f"{line}{end}" for line in lines).encode())

    def _catch_up(self) -> None:
        """Take what lies there; not more, for a flood has no end."""
        self._watch.wait(0.0)
        while self._child.lines:
            self.unheard.append(self._take())

    def _take(self) -> str:
        line = self._child.lines.popleft().decode("utf-8", "replace").rstrip("\r")
        self._said.append(f"< {_shown(line)}")
        return line

    def hear(self, is_answer: Callable[[Words], bool], within_s: float, what: str) -> Heard:
        """Return the answer to what was said last, at most `within_s` after it was.

        Other lines go to `unheard`. Raises FaultFoundError: the bot is silent, gone or floods.
        """
        child = self._child
        until_s = self._asked_s + within_s
        while True:
            while child.lines:
                words = (line := self._take()).split()
                if is_answer(words):
                    self._has_answered = True
                    return Heard(words, child.arrived_s - self._asked_s)
                self.unheard.append(line)
            if child.flooded:
                raise self._flood(what)
            if child.is_gone:
                if not child.out_closed:
                    child.take_output()  # what it said before it went
                if not child.lines:
                    raise self._end(what)
            elif time.monotonic() >= until_s:
                raise self._silence(what, within_s)
            else:
                self._watch.wait(until_s)

    def _flood(self, what: str) -> FaultFoundError:
        return FaultFoundError(
            f"flooded its output before {what}",
            "write lines of at most 64 KiB, and at most 8 MiB for one move",
            is_costly=True,
        )

    def _end(self, what: str) -> FaultFoundError:
        seen, mend = f"{self._child.end_words()} before {what}", _KEEP_RUNNING
        if self._lacks and not self._has_answered:
            seen, mend = (
                f"{seen}: {self._lacks}",
                "put the file there, or write its path from there",
            )
        return FaultFoundError(seen, mend, stderr=_last_lines(self._child.stderr_text()))

    def _silence(self, what: str, within_s: float) -> SilenceError:
        seen = f"no {what} within {duration(within_s)}"
        return SilenceError(seen, f"answer with {what}; {FLUSH}")

    def pause(self, seconds: float) -> None:
        """Do nothing for a while but listen."""
        until_s = time.monotonic() + seconds
        while time.monotonic() < until_s:
            self._watch.wait(until_s)
        self._catch_up()

    def close_input(self) -> None:
        """End the bot's input, as a parent that dies does."""
        self._said.append("> (end of the input)")
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self._child.in_fd)  # the descriptor stays the child's to close
        os.close(nowhere)

    def ends_within(self, seconds: float) -> str | None:
        """Return how the process ends, in words; None where it does not in this time."""
        until_s = time.monotonic() + seconds
        while not self._child.wait(time.monotonic() + 0.01):
            if time.monotonic() >= until_s:
                return None
            self._watch.wait(time.monotonic())  # a full pipe must not hold it up
        return self._child.end_words()

    def sweep(self) -> int:
        """End what the process has left behind; return how many processes that were."""
        return trees.sweep(self._tree)

    def close(self) -> None:
        """End the process and all that it started."""
        self._watch.drop(self._child)
        self._child.kill()


def _last_lines(text: str) -> tuple[str, ...]:
    """Return the last lines of standard error; `…` comes before them where there were more."""
    lines = [line.rstrip()[:STDERR_WIDTH] for line in text.splitlines() if line.strip()]
    more = ("…",) if len(lines) > STDERR_LINES else ()
    return (*more, *lines[-STDERR_LINES:])


def is_word(*wanted: str) -> Callable[[Words], bool]:
    """Return what tells a line that is just these words, whatever blanks are between them."""
    expected: Sequence[str] = list(wanted)
    return lambda words: words == expected


def _shown(line: str) -> str:
    """Return a line as people are shown it: cut off where it is long."""
    width = _LEGAL_WIDTH if line.startswith("legal ") else _WIDTH
    return line if len(line) <= width else f"{line[:width].rstrip()} … ({len(line)} letters)"
