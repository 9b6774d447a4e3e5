"""Whether the rules of a game are fast enough for the time that bots have, before it is played.

Bots of the arena that search look at moves and play random games by the rules: where these are slow
they see nothing in their time, or lose by it. A few random games tell how slow. Must not know how
games are played.
"""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Final

from lath import games
from lath.arena.referee.bots import BotSpec
from lath.arena.tournament.config import Config
from lath.arena.tournament.programs import bundled
from lath.notation.protocol import TimeControl

MEASURED_S: Final = 1.0
"""How long a game is looked at, at most, besides the call of the rules that is just going on."""

MEASURED_GAMES: Final = 3
"""Random games that are played then; of the time for a ply the least counts."""

FEWEST: Final = 6
"""Random games, from the middle, that a search needs for a move: with fewer it knows nothing. Those
of the built-in games take 0.05 to 0.3 ms."""

ENOUGH: Final = 4
"""So many times as much time is proposed."""

LEAST_MOVES: Final = ("random",)
"""Bundled bots that ask the rules for nothing but a legal move."""


@dataclass(frozen=True, slots=True)
class Tempo:
    """How long a random game takes."""

    plies: float
    """Of a game, about."""

    ply_s: float
    """To ask for the legal moves, play one and see whether that ends the game."""

    @property
    def game_s(self) -> float:
        """Return the seconds of a game."""
        return self.plies * self.ply_s

    @property
    def search_s(self) -> float:
        """Return the seconds that a search needs for a move: games from the middle."""
        return FEWEST * self.game_s / 2


def measured(game_id: str, clock: Callable[[], float] = time.thread_time) -> Tempo:
    """Return how long a random game takes, by a clock of the time that this thread computes."""
    game = games.get(game_id)
    began_s, lengths = clock(), list[int]()
    fastest_s, is_over = float("inf"), False
    for seed in range(MEASURED_GAMES):
        chance, position = Random(seed), game.start(game.draw_setup(seed))
        from_s, plies = clock(), 0
        while not (is_over := position.outcome() is not None):
            position = position.play(chance.choice(position.legal_moves()))
            plies += 1
            if clock() - began_s >= MEASURED_S:
                break
        fastest_s = min(fastest_s, (clock() - from_s) / max(plies, 1))
        lengths.append(plies)
        if clock() - began_s >= MEASURED_S:
            break
    length = sum(lengths) / len(lengths)
    # Of a game that was not seen to its end the board says how long it may be.
    whole = length if is_over or len(lengths) > 1 else max(length, len(game.board.names))
    return Tempo(whole, fastest_s)


def warnings(config: Config, measure: Callable[[str], Tempo] = measured) -> Iterator[str]:
    """Yield what people should know of each game whose rules are too slow for the bots' time.

    It is told of the bundled bots: others may have rules of their own.
    """
    ours = {command: name for name, command in bundled().items()}
    bots = [bot for bot in config.bots if ours.get(bot.command, LEAST_MOVES[0]) not in LEAST_MOVES]
    for game_id in config.games if bots else ():
        try:
            tempo = measure(game_id)
        except Exception:  # noqa: BLE001,S112 - whose rules fail is told of where they are played
            continue
        slow = [bot for bot in bots if _is_too_short(_time_of(bot, config), tempo, config)]
        if slow:
            yield _words(game_id, tempo, slow, config)


def _time_of(bot: BotSpec, config: Config) -> TimeControl:
    return bot.time or config.limits.time


def _is_too_short(control: TimeControl, tempo: Tempo, config: Config) -> bool:
    """Return whether a search sees nothing in its time, or does not end within the limit."""
    limit_s = config.limits.hard_limit_s
    if control.has_clock:
        moves = max(1.0, tempo.plies / 2)
        return (control.initial_ms / moves + control.increment_ms) / 1000 < tempo.search_s
    if control.move_ms:
        return control.move_ms / 1000 < tempo.search_s
    if control.nodes:  # a node is a random game, or less
        return control.nodes * tempo.game_s / 2 > limit_s
    return limit_s < tempo.search_s


def _words(game_id: str, tempo: Tempo, slow: list[BotSpec], config: Config) -> str:
    controls = dict.fromkeys(str(_time_of(bot, config)) for bot in slow)
    names = ", ".join(bot.name for bot in slow)
    limit_s = config.limits.hard_limit_s
    move = _rounded_up(ENOUGH * tempo.search_s)
    nodes = _rounded_down(min(ENOUGH * FEWEST, limit_s / tempo.game_s))
    tries = [f"--tc {shlex.quote(f'nodes {nodes}')}"]
    if move < limit_s:
        tries.insert(0, f"--tc {shlex.quote(f'move {move:g}')}")
    length_s = tempo.plies * (move if move < limit_s else nodes * tempo.game_s / 2)
    return (
        f"{game_id} is too slow for {' and '.join(controls)} ({names}): by its rules a random game "
        f"takes {_seconds(tempo.game_s)}, and a search plays some for each move; "
        f"try {' or '.join(tries)}: a game then takes about {_seconds(length_s)}"
    )


def _seconds(seconds: float) -> str:
    """Return a time in two figures.

    >>> _seconds(0.034), _seconds(2.13), _seconds(21.4), _seconds(500)
    ('34 ms', '2.1 s', '21 s', '8 min')
    """
    if seconds < 1:
        return f"{1000 * seconds:.0f} ms"
    if seconds < 100:
        return f"{seconds:.2g} s"
    return f"{seconds / 60:.0f} min"


def _rounded_up(seconds: float) -> float:
    """Return the next time that people name.

    >>> _rounded_up(0.031), _rounded_up(0.21), _rounded_up(7)
    (0.05, 0.5, 10.0)
    """
    size = 0.001
    while True:
        for step in (1, 2, 5):
            if step * size >= seconds:
                return round(step * size, 3)
        size *= 10


def _rounded_down(nodes: float) -> int:
    """Return the last number that people name; 1 at least.

    >>> _rounded_down(40.0), _rounded_down(7.3), _rounded_down(0.2)
    (20, 5, 1)
    """
    size, found = 1, 1
    while True:
        for step in (1, 2, 5):
            if step * size > nodes:
                return found
            found = step * size
        size *= 10
