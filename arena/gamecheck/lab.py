"""The game of a check, its random games, and the time that each part of the check may take."""

from __future__ import annotations

import inspect
import os
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from random import Random
from typing import Any, Final

from lath import games
from lath.arena.gamecheck.boards import board_faults
from lath.games.core import Game, Move, Position
from lath.games.fast import fast_board
from lath.games.laws import LAST, LawFault
from lath.games.trial import TrialTally, faults_of

_TRIAL_S: Final = 5.0
_BOARDS_S: Final = 1.0
_SAMPLE_S: Final = 0.5
_BALANCE_S: Final = 3.0
"""CPU seconds of each part: the trial, the comparison of boards, the random games that other steps
look at, and those whose results are counted."""

_TRIAL_GAMES: Final = 200
_EVERY: Final = 8
"""One in this many positions of the trial gets its slow tests."""

QUICK: Final = 0.2
"""The effort of a quick check."""

_SAMPLE_GAMES: Final = 30
_BALANCE_GAMES: Final = 1000
LONGEST: Final = 2000
"""The most plies of a random game: a game type with longer ones counts as endless."""


@dataclass(frozen=True, slots=True)
class Visit:
    """A position of a random game, and the move that was played there; None at its end."""

    position: Position
    move: Move | None
    ply: int


@dataclass(frozen=True, slots=True)
class RandomGames:
    """The results of random games."""

    first: int
    drawn: int
    second: int
    lengths: tuple[int, ...]
    """The plies of the finished games."""

    unfinished: int
    """The number of games that reached the most plies."""

    @property
    def finished(self) -> int:
        """Return the number of finished games."""
        return len(self.lengths)

    @property
    def games(self) -> int:
        """Return the number of games."""
        return self.finished + self.unfinished


@dataclass
class GameLab:
    """A game to check, and what several steps share."""

    game: Any
    named: str
    """The name of the game as the user typed it."""

    effort: float = 1.0
    """The share of the usual time that each part of the check takes."""

    seed: int = 1
    stopped: set[str] = field(default_factory=set)
    """Ids of the points with faults in the rules, so that other points cannot be tested."""

    raised: set[str] = field(default_factory=set)
    """The files and lines of exceptions that were reported."""

    tally: TrialTally = field(default_factory=TrialTally)

    def seconds(self, usual: float) -> float:
        """Return the time of a part that usually takes some seconds."""
        return usual * self.effort

    @cached_property
    def faults(self) -> list[LawFault]:
        """The faults of the rules, each law once."""
        found = faults_of(
            self.game,
            games=_TRIAL_GAMES,
            seconds=self.seconds(_TRIAL_S),
            every=_EVERY,
            tally=self.tally,
        )
        faults = [fault for fault in found if fault is not None]
        if not any(fault.law in LAST for fault in faults):
            return faults
        # The trial itself can fail after such a fault, such as at a position that is a number.
        return [fault for fault in faults if fault.error is None or self.where(fault.error)]

    @cached_property
    def board_faults(self) -> list[LawFault]:
        """The differences between the fast board and the positions."""
        found = board_faults(self.game, games=50, seconds=self.seconds(_BOARDS_S))
        return [fault for fault in found if fault is not None]

    def start(self, seed: int) -> Position:
        """Return the first position of the setup drawn from a seed."""
        game: Game = self.game
        return game.start(game.draw_setup(seed) if game.has_setups else None)

    def walk(self, seed: int, most: int = LONGEST) -> Iterator[Visit]:
        """Yield the positions of a random game, up to a number of plies."""
        position, chance, ply = self.start(seed), Random(seed), 0
        while moves := () if ply == most else position.legal_moves():
            move = chance.choice(moves)
            yield Visit(position, move, ply)
            position, ply = position.play(move), ply + 1
        yield Visit(position, None, ply)

    @cached_property
    def sample(self) -> list[Visit]:
        """Positions of some random games, for steps that look at each."""
        found, until_s = list[Visit](), time.thread_time() + self.seconds(_SAMPLE_S)
        for seed in range(self.seed, self.seed + _SAMPLE_GAMES):
            for visit in self.walk(seed, 300):
                found.append(visit)
                if time.thread_time() > until_s and len(found) > 1:
                    return found
        return found

    @cached_property
    def random_games(self) -> RandomGames:
        """The results of random games of some seconds, at least one."""
        until_s = time.thread_time() + self.seconds(_BALANCE_S)
        results, lengths, unfinished = [0, 0, 0], list[int](), 0
        for seed in range(self.seed, self.seed + _BALANCE_GAMES):
            board, chance, plies = fast_board(self.start(seed)), Random(seed), 0
            is_late = False
            while board.winner is None and plies < LONGEST and not is_late:
                codes = board.legal()
                board.play(codes[int(chance.random() * len(codes))])
                plies += 1
                is_late = bool(lengths or unfinished) and time.thread_time() > until_s
            if board.winner is not None:
                results[board.winner] += 1
                lengths.append(plies)
            elif not is_late:
                unfinished += 1
            if time.thread_time() > until_s:
                break
        first, second, drawn = results
        return RandomGames(first, drawn, second, tuple(lengths), unfinished)

    @cached_property
    def file(self) -> str:
        """The absolute path of the file with the rules; empty for rules without a file."""
        if origin := games.origin(self.game.id):
            return origin.path
        try:
            return os.path.abspath(inspect.getsourcefile(type(self.game)) or "")  # noqa: PTH100 - text is compared
        except TypeError:
            return ""

    def where(self, error: BaseException) -> str:
        """Return the file and line of the rules at which an exception was raised, or an empty text.

        The last line in the game's own file counts.
        """
        frames = traceback.extract_tb(error.__traceback__)
        own = [frame for frame in frames if frame.filename == self.file]
        if not own:
            return ""
        said = self.named.partition(":")[0]
        path = said if said.endswith(".py") else os.path.basename(self.file)  # noqa: PTH119
        return f"{path}:{own[-1].lineno}"
