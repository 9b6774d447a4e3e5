"""Openings at random: new lines that nobody has lost, as even as a quick look tells.

The n-th of a game follows from the seed and from those before it, the same on every machine; each
is made when it is asked for. They need no more of a game than its contract.
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
"""Of an opening where nobody says how many."""

TRIES: Final = 4000
"""Lines without a new one among them that are enough: a game has no more. One in 600 lines, the
rarest pair of moves in Yavalath, is missed once in 800 times."""

LOOKS: Final = 12
"""New lines that are looked at closer for each opening: if none is even the nearest is taken."""

PLAYOUTS: Final = 16
"""Games that are played out for a closer look."""

SLOW_S: Final = 2.0
"""Of an opening that takes longer people hear, once a game: it may be the rules that are slow."""

UNEVEN: Final = 3
"""Games that one side may win more of these than the other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomChoice:
    """How long lines are, and in which games."""

    plies: int = PLIES
    everywhere: bool = True
    """Also where setups are drawn, which else is where such games begin."""

    def identity(self) -> dict[str, object]:
        """Return what may not change while a tournament is played."""
        return {
            "random": self.plies,
            "of": "all games" if self.everywhere else "games without setups",
        }


@dataclass(slots=True)
class _Made:
    """The openings of one game so far."""

    lines: list[bytes] = field(default_factory=list)
    positions: set[bytes] = field(default_factory=set)
    """Where they lead, by the least of their images."""

    has_all: bool = False
    """Whether there are no more."""


class RandomOpenings:
    """The openings of a tournament, made one by one."""

    def __init__(
        self,
        choice: RandomChoice,
        game_ids: Collection[str],
        seed: int,
        tell: Callable[[str], None],
    ) -> None:
        """`tell` hears once of each game that has fewer openings than are asked for.

        Raises ConfigError where a game has none at all.
        """
        self._choice: Final = choice
        self._of: Final = [seed, choice.identity()]
        self._seed: Final = seed
        self._tell: Final = tell
        self._made: Final[dict[str, _Made]] = {}
        self._slow: Final[set[str]] = set()
        """Games of which people know that their openings take long."""
        for game_id in game_ids:  # one that has none is told of before anything is played
            self.opening(game_id, 1)

    def opening(self, game_id: str, turn: int) -> Opening:
        """Return the `turn`-th opening of a game, from 1; after the last comes the first."""
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
            # by the line, for numbers are those of one tournament
            name=f"random:{self._choice.plies} {moves}".rstrip(),
        )

    def as_note(self) -> dict[str, Any]:
        """Return what was made so far as JSON, for `recall`."""
        lines = {game: [line.decode() for line in made.lines] for game, made in self._made.items()}
        return {"of": self._of, "lines": lines}

    def recall(self, note: Mapping[str, Any]) -> None:
        """Take over what was made before from the same seed, which would come out the same."""
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
                f"openings: {game_id} has no undecided line of {length}; choose fewer"
            )
        what = f"{_number(count, 'different opening')} of {length}"
        self._tell(f"{game_id} has {what}, and more are needed: they come again in their order")

    def _new(self, game: Game, turn: int, known: set[bytes]) -> bytes | None:
        """Return the moves of the `turn`-th opening and note where it leads; None if all are known.

        It is the first even one that comes up, and of `LOOKS` that are not the most even one.
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
        """Return what is called time and again while an opening is drawn: it tells once of a game.

        What is drawn is the same on a slow machine.
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
    """Return so many random moves and where they lead; None if the game was over before."""
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
    except Exception as error:  # the rules of somebody's file may raise anything
        raise faults.raised(error, start.game.id, moves) from error
    return moves, position


def is_lost(position: Position, check: Callable[[], object] = lambda: None) -> bool:
    """Return whether the game is over, the next move wins, or whatever it is the one after wins."""
    board = fast_board(position)
    board.check = check  # as searches do
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
    """Return how many more of `PLAYOUTS` random games one side wins than the other.

    In these nobody blunders at once: what such games decide says little. Where more than `UNEVEN`
    are certain the rest is not played: it is at least the number returned.
    """
    board = fast_board(position)
    board.check = check  # as searches do
    ahead = 0
    for left in reversed(range(PLAYOUTS)):
        winner, _ = board.careful_playout(chance)
        ahead += (1, -1, 0)[winner]
        if abs(ahead) - left > UNEVEN:
            return abs(ahead) - left
    return abs(ahead)
