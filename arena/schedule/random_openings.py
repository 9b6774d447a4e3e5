"""Random openings: new lines that are not lost, and about as balanced as a few playouts can show.

The n-th opening of a game type follows from the seed and from the openings before it, and is the
same on every machine. An opening is made when it is first needed. The search uses no knowledge of a
game beyond its rules.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from lath import games
from lath.arena.errors import ConfigError
from lath.arena.schedule.core import Opening, draw
from lath.arena.schedule.openings import known_by
from lath.games import faults
from lath.games.core import Game, Move, Position, follow
from lath.games.fast import fast_board

PLIES: Final = 4
"""Default length of an opening, in plies."""

TRIES: Final = 4000
"""Number of lines without a new one after which the search ends. A line with a probability of
1/600, that of the rarest pair of moves in Yavalath, is missed once in 800 searches."""

LOOKS: Final = 12
"""Number of new lines to compare for each opening if none of them is balanced."""

PLAYOUTS: Final = 16
"""Number of random games to play out from a line."""

SLOW_S: Final = 2.0
"""Seconds after which the arena reports, once per game type, that its openings take long."""

UNEVEN: Final = 3
"""Largest lead of one side in the playouts of a balanced opening."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomChoice:
    """The length of the lines and the game types that use them."""

    plies: int = PLIES
    everywhere: bool = True
    """True to play random moves in games with setups, too; False to use only the setups there."""

    def identity(self) -> dict[str, object]:
        """Return the settings that must not change during a tournament."""
        return {
            "random": self.plies,
            "of": "all games" if self.everywhere else "games without setups",
        }


@dataclass(slots=True)
class _Made:
    """The openings of one game type so far."""

    lines: list[bytes] = field(default_factory=list)
    positions: set[bytes] = field(default_factory=set)
    """Keys of the final positions, which are equal for symmetric positions."""

    has_all: bool = False
    """True if there are no more openings."""


class RandomOpenings:
    """The openings of a tournament, each made when it is needed."""

    def __init__(
        self,
        choice: RandomChoice,
        game_ids: Collection[str],
        seed: int,
        tell: Callable[[str], None],
    ) -> None:
        """`tell` gets one message for each game type with fewer openings than the tournament needs.

        Raises ConfigError if a game type has no opening.
        """
        self._choice: Final = choice
        self._of: Final = [seed, choice.identity()]
        self._seed: Final = seed
        self._tell: Final = tell
        self._made: Final[dict[str, _Made]] = {}
        self._slow: Final[set[str]] = set()
        """Game types for which the message about slow openings was given."""
        for game_id in game_ids:  # so a game type without openings is reported before play
            self.opening(game_id, 1)

    def opening(self, game_id: str, turn: int) -> Opening:
        """Return the `turn`-th opening of a game type, from 1; after the last comes the first."""
        game = games.get(game_id)
        if game.has_setups and not self._choice.everywhere:
            return Opening(setup=self._setup(game, turn))
        made = self._made.setdefault(game_id, _Made())
        while len(made.lines) < turn and not made.has_all:
            if (line := self._new(game, len(made.lines) + 1, made.positions)) is not None:
                made.lines.append(line)
            else:
                made.has_all = True
                self._say_how_many(game_id, len(made.lines))
        number = (turn - 1) % len(made.lines) + 1
        moves = made.lines[number - 1].decode()
        return Opening(
            setup=self._setup(game, number),
            moves=tuple(moves.split()),
            # named by the line, since a number is only valid in one tournament
            name=f"random:{self._choice.plies} {moves}".rstrip(),
        )

    def as_note(self) -> dict[str, Any]:
        """Return the openings made so far as JSON for `recall`."""
        lines = {game: [line.decode() for line in made.lines] for game, made in self._made.items()}
        return {"of": self._of, "lines": lines}

    def recall(self, note: Mapping[str, Any]) -> None:
        """Load the openings that were made earlier from the same seed."""
        if note["of"] != self._of:
            return
        for game_id, lines in note["lines"].items():
            game, made = games.get(game_id), _Made()
            for turn, line in enumerate(lines, 1):
                if (end := follow(game.start(self._setup(game, turn)), line.split())) is None:
                    return
                made.lines.append(line.encode())
                made.positions.add(known_by(end))
            self._made[game_id] = made

    def _setup(self, game: Game, turn: int) -> str | None:
        return game.draw_setup(draw(self._seed, "setup", turn, game.id))

    def _say_how_many(self, game_id: str, count: int) -> None:
        length = _number(self._choice.plies, "random ply")
        if not count:
            raise ConfigError(
                f"openings: {game_id} has no undecided line of {length} plies; use fewer plies"
            )
        what = f"{_number(count, 'different opening')} of {length}"
        self._tell(f"{game_id} has {what}, and more are needed: they come again in their order")

    def _new(self, game: Game, turn: int, known: set[bytes]) -> bytes | None:
        """Return the moves of the `turn`-th opening and note its end; None if no new line is found.

        It is the first balanced line, or the most balanced of `LOOKS` lines.
        """
        chance = random.Random(f"{self._seed} opening {game.id} {turn}")
        check = self._watch(game.id)
        start = game.start(self._setup(game, turn))
        found: dict[bytes, tuple[int, list[Move]]] = {}
        lost: set[bytes] = set()
        for _ in range(TRIES):
            if (line := _line(start, self._choice.plies, chance)) is None:
                continue
            moves, end = line
            key = known_by(end)
            if key in known or key in found or key in lost:
                continue
            with faults.held(game.id, moves):
                if is_lost(end, check):
                    lost.add(key)
                    continue
                found[key] = unevenness(end, chance, check), moves
            if found[key][0] <= UNEVEN or len(found) == LOOKS:
                break
        if not found:
            return None
        key = min(found, key=lambda key: found[key][0])
        known.add(key)
        return " ".join(found[key][1]).encode()

    def _watch(self, game_id: str) -> Callable[[], object]:
        """Return a function that reports slow openings; it is called often while one is made.

        It never changes the opening, so a slow machine gets the same one.
        """
        due_s = time.monotonic() + SLOW_S

        def check() -> None:
            if game_id not in self._slow and time.monotonic() >= due_s:
                self._slow.add(game_id)
                self._tell(
                    f"openings of {game_id} are being drawn, each by games that are played out: by "
                    "its rules that takes a while; --openings random:0 draws none"
                )

        return check


def _number(count: int, what: str) -> str:
    many = f"{what[:-1]}ies" if what.endswith("y") else f"{what}s"
    return f"{count} {what if count == 1 else many}"


def _line(start: Position, plies: int, chance: random.Random) -> tuple[list[Move], Position] | None:
    """Return random moves and their final position, or None if the game ends early."""
    moves: list[Move] = []
    position = start
    try:
        for _ in range(plies):
            if position.is_over:
                return None
            if not (legal := position.legal_moves()):
                raise faults.stuck(start.game.id, moves)
            moves.append(chance.choice(legal))
            position = position.play(moves[-1])
    except Exception as error:  # the rules in a user's game file may raise anything
        raise faults.raised(error, start.game.id, moves) from error
    return moves, position


def is_lost(position: Position, check: Callable[[], object] = lambda: None) -> bool:
    """Return whether the game is over or one of the next two moves is sure to win."""
    board = fast_board(position)
    board.check = check  # called during the search, like that of a searching bot
    wins, losses = board.threats()
    if wins or board.winner is not None:
        return True
    for code in board.legal():
        if code not in losses:
            board.play(code)
            holds = board.winner is not None or not board.threats()[0]
            board.undo()
            if holds:
                return False
    return True


def unevenness(
    position: Position, chance: random.Random, check: Callable[[], object] = lambda: None
) -> int:
    """Return the lead of one side over the other in `PLAYOUTS` random games.

    The random players do not blunder in one move, since such games say little. Once the lead is
    sure to exceed `UNEVEN`, the rest is not played, and the result is the least lead that remains
    possible.
    """
    board = fast_board(position)
    board.check = check  # called during the playouts, like that of a searching bot
    ahead = 0
    for left in reversed(range(PLAYOUTS)):
        winner, _ = board.careful_playout(chance)
        ahead += (1, -1, 0)[winner]
        if abs(ahead) - left > UNEVEN:
            return abs(ahead) - left
    return abs(ahead)
