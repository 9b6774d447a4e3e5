"""Where a bot is tested: its process while it lives, a fresh one when it broke, what was heard.

Must not know games or verdicts.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Final

from lath.arena.botcheck.greeting import Greeting, read_greeting
from lath.arena.botcheck.points import FaultFoundError
from lath.arena.botcheck.session import Session, Words, is_word
from lath.arena.botcheck.tally import Tally
from lath.arena.referee.bot import BotSpec
from lath.notation import wire
from lath.notation.timecontrol import TimeControl

DEFAULT_TIME: Final = TimeControl(initial_ms=2000, increment_ms=20)

SILENCES: Final = 2
"""After so many silences and floods, nothing more is asked."""

BREAKS: Final = 30
"""After so many points that ended the session, the rest would not tell anything new."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """How a bot is tested."""

    games: tuple[str, ...] = ()
    """Ids; empty: all that the bot names and that are installed."""

    startup_s: float = 10.0
    """For `ok` and each `ready`."""

    move_s: float = 10.0
    """For a move where the time control sets no limit."""

    time: TimeControl = field(default=DEFAULT_TIME)
    """Of the whole games."""

    seed: int = 1


class Lab:
    """The bot under test, one process after the other."""

    def __init__(self, spec: BotSpec, terms: Terms) -> None:
        self.spec: Final = spec
        self.terms: Final = terms
        self.tally: Final = Tally()
        self.greeting = Greeting()
        """What the bot said of itself when it was started last."""
        self.has_been_ready = False
        """Whether it can play at all."""
        self.silences = 0
        self.breaks = 0
        self._session: Session | None = None
        self._number = 0
        self._opened_s = 0.0

    def session(self) -> Session:
        """Return a session with the bot greeted; a fresh one where there is none that lives.

        Raises FaultFoundError.
        """
        if self._session is None or not self._session.is_alive:
            self.drop()
            self.open()
            self.greet()
        assert self._session is not None
        return self._session

    def session_as_it_is(self) -> Session:
        """Return the session that there is, alive or not."""
        assert self._session is not None
        return self._session

    def open(self, *, memory_bytes: int | None = None) -> None:
        """Start a process; raises FaultFoundError."""
        self.drop()
        self._opened_s = time.monotonic()
        try:
            self._session = Session(self.spec, memory_bytes=memory_bytes)
        except OSError as error:
            what = error.filename or self.spec.command[0]
            raise FaultFoundError(
                f"cannot be started: {error.strerror}: {str(what)!r}",
                "check the path, that the file may be executed, and its first line (#!…)",
            ) from error

    def greet(self) -> None:
        """Say hello and set the options that the user gave; raises FaultFoundError."""
        session = self._session
        assert session is not None
        session.say(wire.HELLO)
        session.hear(is_word("ok"), self.terms.startup_s, "`ok`")
        self.greeting = read_greeting(session.unheard, time.monotonic() - self._opened_s)
        session.unheard.clear()
        for name, value in self.spec.options.items():
            session.say(wire.setoption_line(name, value))

    def next_number(self) -> int:
        """Return the number of the next game: none comes twice."""
        self._number += 1
        return self._number

    def drain(self, forgiving: Words | None = None) -> None:
        """Count what was said and answered nothing, but for lines with these first words."""
        if self._session is not None:
            lines = list(self._session.unheard)
            self._session.unheard.clear()
            if forgiving is not None:
                lines = [line for line in lines if line.split()[: len(forgiving)] != forgiving]
            self.tally.hear(lines)

    @property
    def exchange(self) -> tuple[str, ...]:
        """Return the last lines of the session."""
        return self._session.exchange if self._session is not None else ()

    def drop(self) -> None:
        """End the session; the next one begins with a fresh process."""
        if self._session is not None:
            self.drain()
            session, self._session = self._session, None
            session.close()

    @property
    def gave_up(self) -> str:
        """Return why nothing more is asked of the bot; empty while it is."""
        if self.silences >= SILENCES:
            return f"it fell silent or flooded {self.silences} times before; mend that first"
        if self.breaks >= BREAKS:
            return f"{self.breaks} sessions broke before; mend them first"
        return ""
