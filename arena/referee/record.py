"""What a game leaves on paper: plies with times and comments, what bots used, the record."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from lath import games
from lath.games.core import FIRST_VERSION, SIDES, Move, Result, Side, version_of
from lath.notation.protocol import TimeControl
from lath.notation.record.record import Annotation, annotation, comment
from lath.notation.record.tags import GAME_FILE, RULES, Termination
from lath.notation.text.writer import TIE, comment_words, filled, tag_lines, wrapped


@dataclass(frozen=True, slots=True, kw_only=True)
class GamePlan:
    """One game to play. Picklable."""

    number: int
    """Unique in its tournament, from 1; 0 for a game outside of one, whose record names its seed:
    nothing else tells it."""

    round: int
    """From 1; 0 outside of a tournament."""

    game: str
    setup: str | None
    names: tuple[str, str]
    """First and second."""

    seeds: tuple[int, int]
    position: str | None = None
    """A full position in place of a setup."""

    opening: tuple[str, ...] = ()
    """Canonical moves that are played before a bot is asked; they do not end the game."""

    opening_name: str = ""
    """Where the opening comes from, for the record."""

    tags: tuple[tuple[str, str], ...] = ()
    """Tags of the event for the record, such as Event and Date."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GameResult:
    """One finished game, by its rules or by a mishap, from the referee to its row in the store.

    The fields are the columns there and the keys of the JSON on the way.
    """

    number: int
    round: int
    game: str
    first: str
    """The name of the bot in this seat."""

    second: str
    result: Result
    termination: str
    plies: int
    """An opening's included."""

    first_used_s: float
    """Time used by first in all."""

    second_used_s: float
    first_worst_s: float
    """The longest move of first."""

    second_worst_s: float
    stray_lines: int
    """Lines that were no answer to anything."""

    stderr: dict[str, str] = field(default_factory=dict)
    """What the bots said with `error` and, where the game ended badly, what they last wrote to
    standard error; by name."""

    record: str
    """The record in canonical text."""

    first_moves: int = 0
    """How often first has answered."""

    second_moves: int = 0
    log: str = ""
    """What was said by whom and when, where it is kept."""

    notes: tuple[str, ...] = ()
    """What is odd about the bots, apart from the game; it is not stored."""


_Noted = tuple[Move, Side | None, float, float | None, Mapping[str, str] | None]
"""A move, who was asked for it (None: it is of the opening), the time used for it, the time left,
what was said of it."""


class Scorebook:
    """Takes down one game, in the words of its record."""

    def __init__(self, plan: GamePlan, times: tuple[TimeControl, TimeControl]) -> None:
        """`times` are the time controls of first and of second."""
        self._plan = plan
        self._times = times
        self._plies: list[_Noted] = []
        self.plies = 0
        """How many are taken down."""
        self._refused: list[tuple[Side, float]] = []
        """Who answered with what is no move, and in what time."""

    @property
    def last_eval(self) -> float | None:
        """Return what the bot that moved last expects, in -1..1; None where it did not say."""
        info = self._plies[-1][4] or {}
        return float(info["eval"]) if "eval" in info else None

    def add(
        self,
        move: Move,
        seat: Side | None,
        used_s: float = 0.0,
        left_s: float | None = None,
        info: Mapping[str, str] | None = None,
    ) -> None:
        """Note a move of `seat`; None where nobody was asked for it.

        `left_s` is what the clock shows after it, None without clocks; `info` what the bot said of
        it with `info`. Words and sums are made in the end: while bots wait for each other, only
        what must be done is.
        """
        self._plies.append((move, seat, used_s, left_s, info))
        self.plies += 1

    @property
    def moves(self) -> list[str]:
        """Return the moves so far."""
        return [move for move, *_ in self._plies]

    def glimpse(self) -> dict[str, Any]:
        """Return what who looks on may see of the game so far, as plain values.

        `evals` and `left_s` are the last of first and of second, None where there are none.
        """
        plan = self._plan
        evals: list[str | None] = [None, None]
        left: list[float | None] = [None, None]
        for _, seat, _, left_s, info in self._plies[-4:]:  # Surikata's turns are two in a row
            if seat is not None:
                left[seat], evals[seat] = left_s, (info or {}).get("eval")
        return {
            "number": plan.number,
            "round": plan.round,
            "game": plan.game,
            "setup": plan.setup,
            "position": plan.position,
            "names": plan.names,
            "moves": self.moves,
            "evals": evals,
            "left_s": left,
        }

    def refuse(self, seat: Side, used_s: float) -> None:
        """Note the time of an answer that is no move, a resignation or an illegal one."""
        self._refused.append((seat, used_s))

    def played_before(self, text: str, seat: Side) -> str:
        """Return in words who has played this move before, as a seat hears it; empty: nobody."""
        for ply, (move, mover, *_) in enumerate(self._plies, 1):
            if move == text:
                who = "the opening" if mover is None else "itself" if mover is seat else "the other"
                return f"; it was played at ply {ply} by {who}"
        return ""

    def answers_s(self, seat: Side) -> list[float]:
        """Return the times of all answers of a seat."""
        played = [used_s for _, mover, used_s, _, _ in self._plies if mover is seat]
        return played + [used_s for mover, used_s in self._refused if mover is seat]

    def close(
        self,
        result: Result,
        why: Termination,
        words: str = "",
        *,
        stray_lines: int = 0,
        stderr: Mapping[str, str] | None = None,
        log: str = "",
        notes: tuple[str, ...] = (),
    ) -> GameResult:
        """Return the game; `words` tell of a mishap, empty without one.

        The rest is as in GameResult.
        """
        first, second = (self.answers_s(seat) for seat in SIDES)
        plain = " ".join(_plain(words).split())
        before = f"{wrapped(comment_words((plain,)))}\n" if plain else ""
        moves = filled(" ".join((*self._movetext(), result)))
        return GameResult(
            number=self._plan.number,
            round=self._plan.round,
            game=self._plan.game,
            first=self._plan.names[0],
            second=self._plan.names[1],
            result=result,
            termination=why,
            plies=self.plies,
            first_used_s=sum(first),
            second_used_s=sum(second),
            first_worst_s=max(first, default=0.0),
            second_worst_s=max(second, default=0.0),
            stray_lines=stray_lines,
            stderr=dict(stderr or {}),
            record=f"{tag_lines(self._tags(result, why))}\n{before}{moves}\n",
            first_moves=len(first),
            second_moves=len(second),
            log=log,
            notes=notes,
        )

    def _movetext(self) -> Iterator[str]:
        """Yield each ply with its number and its comment, ready to be cut into lines."""
        for ply, (move, seat, used_s, left_s, info) in enumerate(self._plies, 1):
            if seat is None:
                yield f"{ply}. {move}"
            elif info:
                parts: list[str | Annotation] = [Annotation("emt", f"{used_s:.3f}")]
                if left_s is not None:
                    parts.append(Annotation("clk", f"{left_s:.3f}"))
                parts += [annotation(name, value) for name, value in info.items() if name != "text"]
                parts += comment(_plain(info.get("text", "")))
                words = comment_words(tuple(parts))
                yield f"{ply}. {move} {' '.join([word.replace(' ', TIE) for word in words])}"
            elif left_s is None:
                yield f"{ply}. {move} {{[%emt{TIE}{used_s:.3f}]}}"
            else:  # what most plies of most games are
                yield f"{ply}. {move} {{[%emt{TIE}{used_s:.3f}] [%clk{TIE}{left_s:.3f}]}}"

    def _tags(self, result: Result, why: Termination) -> list[tuple[str, str]]:
        plan = self._plan
        file = games.origin(plan.game)
        tags = [("Game", plan.game), *([(GAME_FILE, file.tag)] if file else [])]
        if (version := version_of(games.get(plan.game))) != FIRST_VERSION:
            tags.append((RULES, version))
        tags += plan.tags
        if plan.round:
            tags.append(("Round", str(plan.round)))
        tags += [("First", plan.names[0]), ("Second", plan.names[1])]
        if plan.position is not None:
            tags.append(("Position", plan.position))
        elif plan.setup is not None:
            tags.append(("Setup", plan.setup))
        first, second = self._times
        if first == second:
            tags.append(("TimeControl", str(first)))
        else:
            tags += [("FirstTimeControl", str(first)), ("SecondTimeControl", str(second))]
        if plan.opening_name:
            tags.append(("Opening", plan.opening_name))
        tags.append(("Number", str(plan.number)) if plan.number else ("Seed", str(plan.seeds[0])))
        return [*tags, ("Termination", str(why)), ("Result", result)]


def _plain(text: str) -> str:
    """Return a bot's words without what a record would take for an annotation."""
    return text.replace("[%", "[ %")
