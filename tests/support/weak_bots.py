"""Games of a bot with a known weakness and of others, to test whether the weakness is found.

All bots are careful: each plays an immediate win, and prevents the opponent's. So their strengths
are equal, except for the planted weakness.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final, NamedTuple

from lath import games
from lath.games.core import Result
from lath.games.fast import FastBoard, fast_board
from lath.notation.record.record import Annotation, Ply, Record
from lath.reports.explaining.findings import Finding
from lath.reports.explaining.weaknesses import line_of

GAME: Final = "yavalath"
BOT: Final = "planted"
OTHERS: Final = ("one", "two", "three")
OPENINGS: Final = 8
INITIAL_S: Final = 60.0

Mover = Callable[[FastBoard, random.Random, "Setting"], int]


class Setting(NamedTuple):
    """A bot's knowledge of its game; `ply` is the number of moves played."""

    seat: int
    ply: int
    opening: int


@dataclass(frozen=True)
class Weakness:
    """The weakness of the planted bot, and the findings that show it."""

    name: str
    move: Mover
    is_told: Callable[[Finding], bool]
    late: int = 0
    """The ply from which on it loses every second game on time; 0 for never."""
    trust: float = 1.0
    """The factor by which the logarithm of its odds is too large."""


class Event:
    """Games of the planted bot and of others, each pairing on both sides.

    `games` is the number of the planted bot's games; the others have as many among themselves.
    """

    def __init__(self, seed: int, games: int, weakness: Weakness) -> None:
        self.seed, self.games, self.weakness = seed, games, weakness
        self.chance = random.Random(f"{weakness.name} {seed}")

    def records(self) -> list[Record]:
        """Return the records in the order of play."""
        lines = openings(self.seed)
        played = [self._play(*each, lines) for each in self._pairings()]
        return _evaluated(played, self.chance, self.weakness.trust)

    def _pairings(self) -> Iterator[tuple[int, str, str, int]]:
        meetings = list(combinations((BOT, *OTHERS), 2))
        for pair in range(self.games):
            first, second = meetings[pair % len(meetings)]
            opening = pair // len(meetings) % OPENINGS
            yield 2 * pair + 1, first, second, opening
            yield 2 * pair + 2, second, first, opening

    def _play(
        self, number: int, first: str, second: str, opening: int, lines: Sequence[Sequence[str]]
    ) -> Record:
        board, names = fast_board(games.get(GAME).start()), (first, second)
        moves = list(lines[opening])
        for move in moves:
            board.play(board.code(move))
        plies = [Ply(move) for move in moves]
        clocks = [INITIAL_S, INITIAL_S]
        ending, result = "rules", ""
        is_slow = self.chance.random() < 0.5
        while board.winner is None:
            seat = board.to_move
            weakness = self.weakness if names[seat] == BOT else NONE
            if is_slow and 0 < weakness.late <= len(moves):
                ending, result = "time", ("0-1", "1-0")[seat]
                break
            code = weakness.move(board, self.chance, Setting(seat, len(moves), opening))
            used = self.chance.expovariate(1.0)
            clocks[seat] = max(0.1, clocks[seat] - used)
            times = Annotation("emt", f"{used:.3f}"), Annotation("clk", f"{clocks[seat]:.3f}")
            moves.append(board.moves[code])
            plies.append(Ply(moves[-1], comments=(times,)))
            board.play(code)
        result = result or ("1-0", "0-1", "1/2-1/2")[board.winner or 0]
        said = f"random: {' '.join(lines[opening])}"
        tags = {"Game": GAME, "Round": f"{(number + 1) // 2}", "First": first, "Second": second}
        tags |= {"TimeControl": f"{INITIAL_S:g}+0", "Opening": said, "Number": f"{number}"}
        tags |= {"Termination": ending, "Result": result}
        return Record(tuple(tags.items()), tuple(plies), Result(result))


def openings(seed: int) -> list[list[str]]:
    """Return lines of two plies to begin games with."""
    chance = random.Random(f"openings {seed}")
    board = fast_board(games.get(GAME).start())
    cells = [str(board.moves[code]) for code in board.legal()]
    chance.shuffle(cells)
    return [cells[2 * at : 2 * at + 2] for at in range(OPENINGS)]


def _evaluated(records: Sequence[Record], chance: random.Random, trust: float) -> list[Record]:
    """Return the records with each bot's expected score, which is right on average.

    The expectation uses more and more of the result. The logarithm of its odds moves by normal
    steps whose variance is twice their mean, from the bot's overall score.
    """
    scored: dict[str, list[float]] = {}
    for record in records:
        for name, points in zip((record.first, record.second), _points(record), strict=True):
            scored.setdefault(name, []).append(points)
    return [_told(record, scored, chance, trust) for record in records]


def _points(record: Record) -> tuple[float, float]:
    first = {"1-0": 1.0, "0-1": 0.0}.get(record.result, 0.5)
    return first, 1 - first


def _told(
    record: Record, scored: dict[str, list[float]], chance: random.Random, trust: float
) -> Record:
    names, odds = (record.first, record.second), []
    for name in names:
        mean = min(0.95, max(0.05, math.fsum(scored[name]) / len(scored[name])))
        odds.append(math.log(mean / (1 - mean)))
    plies = []
    for at, ply in enumerate(record.plies):
        seat = at % 2
        drift = 0.15 * (2 * _points(record)[seat] - 1)
        odds[seat] += chance.gauss(drift, math.sqrt(0.3))
        if not ply.comments:
            plies.append(ply)
            continue
        value = math.tanh(odds[seat] * (trust if names[seat] == BOT else 1.0) / 2)
        (times,) = ply.comments
        plies.append(replace(ply, comments=((*times, Annotation("eval", f"{value:.3f}")),)))
    return replace(record, plies=tuple(plies))


# Bots


def careful(board: FastBoard, chance: random.Random, _: Setting) -> int:
    """Play one of the promising moves."""
    return chance.choice(board.candidates())


def _at_random(is_so: Callable[[Setting], bool], often: float) -> Mover:
    def move(board: FastBoard, chance: random.Random, setting: Setting) -> int:
        if is_so(setting) and chance.random() < often:
            return chance.choice(board.legal())
        return careful(board, chance, setting)

    return move


def _blind_along(direction: str) -> Mover:
    """Return a player that does not see the opponent's wins along a direction of the board."""

    def move(board: FastBoard, chance: random.Random, setting: Setting) -> int:
        wins, losses = board.threats()
        if wins:
            return chance.choice(wins)
        code = chance.choice(
            [code for code in board.legal() if code not in losses] or board.legal()
        )
        board.play(code)
        seen = board.winner is None and [
            win for win in board.threats()[0] if _line_after(board, win) != direction
        ]
        board.undo()
        return careful(board, chance, setting) if seen else code

    return move


def _line_after(board: FastBoard, code: int) -> str:
    board.play(code)
    outcome = board.position().outcome()
    board.undo()
    assert outcome is not None
    field_of_play = board.game.board
    return line_of(outcome.cells, field_of_play.bit, field_of_play.directions)


NONE: Final = Weakness("none", careful, lambda _: False)


def weakness(name: str, seed: int) -> Weakness:
    """Return a weakness of a kind; the seed gives its opening, side, ply or direction."""
    chance = random.Random(f"{name} {seed}")
    if name == "opening":
        bad = chance.randrange(OPENINGS)
        position = games.get(GAME).start()
        for text in openings(seed)[bad]:
            position = position.play(position.game.canonical(text))
        where = position.text()
        move = _at_random(lambda setting: setting.opening == bad, 0.5)
        return Weakness(name, move, lambda one: one.kind == "opening" and where in one.where)
    if name == "seat":
        seat = chance.randrange(2)
        word = ("first", "second")[seat]
        move = _at_random(lambda setting: setting.seat == seat, 0.4)
        return Weakness(name, move, lambda one: one.kind == "seat" and word in one.says)
    if name == "late":
        ply = chance.choice((20, 25, 30))
        move = _at_random(lambda setting: setting.ply >= ply, 0.3)
        says = f"after ply {ply}", f"after ply {ply - 5}", f"after ply {ply + 5}"

        def is_late(one: Finding) -> bool:
            """Return whether the finding names the ply, or behaviour after it alone."""
            since = one.kind == "turn.shape" and min(place.ply for place in one.places) > ply
            return since or (one.kind == "phase" and one.says.endswith(says))

        return Weakness(name, move, is_late)
    if name == "line":
        direction = chance.choice(("a1-a2", "a1-b1", "a1-b2"))
        is_told = lambda one: one.kind == "line" and direction in one.says  # noqa: E731
        return Weakness(name, _blind_along(direction), is_told)
    if name == "time":
        late = chance.choice((25, 30, 35))
        return Weakness(name, careful, lambda one: one.kind == "forfeit.time", late=late)
    assert name == "trust"
    return Weakness(name, careful, lambda one: one.kind == "trust", trust=3.0)


NAMES: Final = ("opening", "seat", "late", "line", "time", "trust")
