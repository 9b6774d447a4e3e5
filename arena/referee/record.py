"""The record of a game: plies with times and comments, and the totals of both bots."""

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
    """The plan of one game; picklable."""

    number: int
    """The number of the game, unique in its tournament, from 1.

    0 for a game outside a tournament, whose record contains its seed.
    """

    round: int
    """The round, from 1; 0 outside a tournament."""

    game: str
    setup: str | None
    names: tuple[str, str]
    """The names of the first and the second player."""

    seeds: tuple[int, int]
    position: str | None = None
    """A full position to start from, instead of a setup."""

    opening: tuple[str, ...] = ()
    """Canonical moves to play before a bot is asked; they must not end the game."""

    opening_name: str = ""
    """The source of the opening, for the record."""

    tags: tuple[tuple[str, str], ...] = ()
    """Tags of the event for the record, such as Event and Date."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GameResult:
    """One finished game, from the referee to its row in the store.

    The fields are the columns of the store and the keys of the JSON on the way.
    """

    number: int
    round: int
    game: str
    first: str
    """The name of the first player."""

    second: str
    result: Result
    termination: str
    plies: int
    """The number of plies, opening included."""

    first_used_s: float
    """The total time of the first player, in seconds."""

    second_used_s: float
    first_worst_s: float
    """The longest move of the first player, in seconds."""

    second_worst_s: float
    stray_lines: int
    """The number of lines that answered no request."""

    stderr: dict[str, str] = field(default_factory=dict)
    """The bots' `error` messages by name, with the end of standard error after a failure."""

    record: str
    """The record in canonical text."""

    first_moves: int = 0
    """The number of answers of the first player."""

    second_moves: int = 0
    log: str = ""
    """The log of the game, if it is kept."""

    notes: tuple[str, ...] = ()
    """Notes about odd behaviour of the bots; they are not stored."""


_Noted = tuple[Move, Side | None, float, float | None, Mapping[str, str] | None]
"""A move, its player (None for an opening), time used, time left, and the bot's comments."""


class Scorebook:
    """The notes of one game, from which its record is written."""

    def __init__(self, plan: GamePlan, times: tuple[TimeControl, TimeControl]) -> None:
        """Begin a record; `times` are the time controls of the first and the second player."""
        self._plan = plan
        self._times = times
        self._plies: list[_Noted] = []
        self.plies = 0
        """The number of plies so far."""
        self._refused: list[tuple[Side, float]] = []
        """The players and times of answers that were not legal moves."""

    @property
    def last_eval(self) -> float | None:
        """Return the score that the last mover expects, in -1..1; None if it did not report one."""
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
        """Note a move of `seat`; None for a move that no bot was asked for.

        `left_s` is the time left after it, None without clocks; `info` is the bot's comments. Text
        and sums are made at the end, because the bots wait during the game.
        """
        self._plies.append((move, seat, used_s, left_s, info))
        self.plies += 1

    @property
    def moves(self) -> list[str]:
        """Return the moves so far."""
        return [move for move, *_ in self._plies]

    def glimpse(self) -> dict[str, Any]:
        """Return the state of the game so far for spectators, as plain values.

        `evals` and `left_s` are the latest of the first and the second player, or None. `said` is
        the mover's evaluation at each ply, or None.
        """
        plan = self._plan
        evals: list[str | None] = [None, None]
        left = [time.initial_ms / 1000 if time.has_clock else None for time in self._times]
        for _, seat, _, left_s, info in self._plies[-4:]:  # a turn in Surikata has two plies
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
            "said": [info.get("eval") if info else None for *_, info in self._plies],
            "left_s": left,
        }

    def refuse(self, seat: Side, used_s: float) -> None:
        """Note the time of an answer that is a resignation or not a legal move."""
        self._refused.append((seat, used_s))

    def played_before(self, text: str, seat: Side) -> str:
        """Return a note for `seat` of who played this move before; empty if nobody did."""
        for ply, (move, mover, *_) in enumerate(self._plies, 1):
            if move == text:
                who = "the opening" if mover is None else "itself" if mover is seat else "the other"
                return f"; it was played at ply {ply} by {who}"
        return ""

    def answers_s(self, seat: Side) -> list[float]:
        """Return the times of all answers of a player, in seconds."""
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
        """Return the finished game; `words` describe a failure, if any.

        The other arguments are fields of GameResult.
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
        """Yield each ply with its number and its comment, to be wrapped into lines."""
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
            else:  # the usual case, made fast
                yield f"{ply}. {move} {{[%emt{TIE}{used_s:.3f}] [%clk{TIE}{left_s:.3f}]}}"

    def _tags(self, result: Result, why: Termination) -> list[tuple[str, str]]:
        plan = self._plan
        file = games.rules_origin(plan.game)
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
    """Return a bot's text, changed so that a record does not read it as an annotation."""
    return text.replace("[%", "[ %")
