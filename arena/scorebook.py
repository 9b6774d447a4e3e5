"""What a game leaves on paper: its plies with times and comments, what the bots used, the record.

Must not know how moves are asked for, nor what is kept where.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from games.core import Move, Seat
from notation import wire
from notation.record import Annotation, Comment, Ply, Record, Termination, annotation, comment
from notation.timecontrol import TimeControl


@dataclass(frozen=True, slots=True, kw_only=True)
class GamePlan:
    """One game to play. Picklable."""

    number: int
    """Unique in its tournament, from 1."""

    round: int
    game: str
    setup: str | None
    names: tuple[str, str]
    """First and second."""

    seeds: tuple[int, int]
    tags: tuple[tuple[str, str], ...] = ()
    """Tags of the event for the record, such as Event and Date."""


@dataclass(frozen=True, slots=True)
class Played:
    """A game that has ended, by its rules or by a mishap."""

    record: Record
    used_s: tuple[float, float]
    """Time used by first and by second."""

    worst_s: tuple[float, float]
    """Their longest moves."""

    stray_lines: int
    """Lines that were no answer to anything."""

    stderr: Mapping[str, str] = field(default_factory=dict)
    """What the bots said with `error` and, where the game ended badly, what they last wrote to
    standard error; by name."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A move that came in time."""

    move: str
    """As the bot wrote it."""

    used_s: float
    infos: list[bytes]
    """The last lines of `info` before it."""


class Scorebook:
    """Takes down one game."""

    def __init__(self, plan: GamePlan, time: TimeControl) -> None:
        self._plan = plan
        self._time = time
        self._plies: list[Ply] = []
        self._used_s = [0.0, 0.0]
        self._worst_s = [0.0, 0.0]
        self.stray_lines = 0
        """Lines that answer nothing, counted by who reads them."""

    @property
    def next_ply(self) -> int:
        """Return the number of the ply to come, from 1."""
        return len(self._plies) + 1

    def charge(self, seat: Seat, used_s: float) -> None:
        """Note the time of a move."""
        self._used_s[seat] += used_s
        self._worst_s[seat] = max(self._worst_s[seat], used_s)

    def add(self, move: Move, answer: Answer, left_s: float | None) -> None:
        """Note a move; `left_s` is what the clock shows after it, None without clocks."""
        comments = (_comment(answer, left_s),)
        self._plies.append(Ply(move, comments=comments))

    def close(self, result: str, why: Termination, words: str, stderr: Mapping[str, str]) -> Played:
        """Return the game; `words` tell of a mishap, empty without one."""
        return Played(
            self._record(result, why, words),
            (self._used_s[0], self._used_s[1]),
            (self._worst_s[0], self._worst_s[1]),
            self.stray_lines,
            stderr,
        )

    def _record(self, result: str, why: Termination, words: str) -> Record:
        plan = self._plan
        tags = [("Game", plan.game), *plan.tags, ("Round", str(plan.round))]
        tags += [("First", plan.names[0]), ("Second", plan.names[1])]
        if plan.setup is not None:
            tags.append(("Setup", plan.setup))
        tags += [
            ("TimeControl", str(self._time)),
            ("Number", str(plan.number)),
            ("Termination", str(why)),
            ("Result", result),
        ]
        plain = " ".join(_plain(words).split())
        comments: Sequence[Comment] = ((plain,),) if plain else ()
        return Record(tuple(tags), tuple(self._plies), result, tuple(comments))


def _comment(answer: Answer, left_s: float | None) -> Comment:
    parts: list[str | Annotation] = [Annotation("emt", f"{answer.used_s:.3f}")]
    if left_s is not None:
        parts.append(Annotation("clk", f"{left_s:.3f}"))
    if answer.infos:
        told: dict[str, str] = {}
        for line in answer.infos:
            told |= wire.read_info(line.decode("utf-8", "replace"))
        text = told.pop("text", "")
        parts += [annotation(name, value) for name, value in told.items()]
        parts += comment(_plain(text))
    return tuple(parts)


def _plain(text: str) -> str:
    """Return a bot's words without what a record would take for an annotation."""
    return text.replace("[%", "[ %")
