"""Checks before play that the rules of a game type are fast enough for the bots' time.

The bundled bots search by the rules. If the rules are slow, these bots see nothing in their time or
lose on time. A node is measured with `lath.games.fast`, which the bots use themselves.
"""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from random import Random
from statistics import fmean
from typing import Final

from lath import games
from lath.arena.entrants.programs import bundled
from lath.arena.referee.bots import BotSpec
from lath.arena.tournament.configuration.config import Config
from lath.games.core import Game
from lath.games.errors import LathError
from lath.games.fast import fast_board
from lath.notation.protocol import TimeControl

MEASURED_S: Final = 1.0
"""The most seconds to measure a game type, besides the call that is running at the end.

Random games take one half, a search the other.
"""

MEASURED_GAMES: Final = 20
"""The most random games to play; the shortest time per ply counts."""

FEWEST: Final = 6
"""The fewest nodes with which a search is of use. A node of the built-in games takes 0.05 to 0.3
ms."""

ENOUGH: Final = 4
"""The factor on the least time, for the time that is proposed."""

LEAST_MOVES: Final = ("random",)
"""Bundled bots that need only a legal move from the rules."""


@dataclass(frozen=True, slots=True)
class Tempo:
    """The times that the rules of a game type take."""

    plies: float
    """The approximate number of plies of a random game."""

    ply_s: float
    """Seconds to get the legal moves, play one and check for the end of the game."""

    look_s: float
    """Seconds to try each move of the first position and check for the end of the game."""

    playout_s: float
    """Seconds to play the game out from its start in that way, as a node of `mcts` does."""

    def node_s(self, bot: str) -> float:
        """Return the seconds per node of a bundled bot, averaged over a game."""
        match bot:
            case "mcts":  # it also tries the moves of the new position
                return self.look_s + max(self.playout_s, self.plies * self.ply_s) / 2
            case "monte-carlo":  # it plays without trying moves
                return self.plies * self.ply_s / 2
        return self.look_s

    def search_s(self, bot: str) -> float:
        """Return the seconds that a bot needs for a move: to try all moves, and some nodes."""
        return self.look_s + (0 if bot == "greedy" else FEWEST * self.node_s(bot))

    def move_s(self, bot: str, control: TimeControl) -> float:
        """Return the seconds per move with a time per move or a number of nodes."""
        if control.move_ms:
            return control.move_ms / 1000
        nodes = 0 if bot == "greedy" else control.nodes or 0
        return self.look_s + nodes * self.node_s(bot)


def measured(game_id: str, clock: Callable[[], float] = time.thread_time) -> Tempo:
    """Return the times of a game type's rules, by a clock of this thread's computing time."""
    game = games.get(game_id)
    plies, ply_s = _random_games(game, clock)
    look_s, playout_s = _searched(game, plies, ply_s, clock)
    return Tempo(plies, ply_s, look_s, playout_s)


def _random_games(game: Game, clock: Callable[[], float]) -> tuple[float, float]:
    """Return the approximate plies of a random game, and the seconds per ply."""
    began_s, lengths = clock(), list[int]()
    fastest_s, is_over = float("inf"), False
    for seed in range(MEASURED_GAMES):
        chance, position = Random(seed), game.start(game.draw_setup(seed))
        from_s, plies = clock(), 0
        while not (is_over := position.outcome() is not None):
            position = position.play(chance.choice(position.legal_moves()))
            plies += 1
            if clock() - began_s >= MEASURED_S / 2:
                break
        fastest_s = min(fastest_s, (clock() - from_s) / max(plies, 1))
        lengths.append(plies)
        if clock() - began_s >= MEASURED_S / 2:
            break
    length = sum(lengths) / len(lengths)
    # If no game was seen to its end, the size of the board is a guess of its length.
    whole = length if is_over or len(lengths) > 1 else max(length, len(game.board.names))
    return whole, fastest_s


class _LateError(LathError):
    """The time for the measurement is over."""


def _searched(
    game: Game, plies: float, ply_s: float, clock: Callable[[], float]
) -> tuple[float, float]:
    """Return the seconds to try the first moves, and to play out a game in that way.

    If the time does not suffice, both are extrapolated.
    """
    board, chance = fast_board(game.start(game.draw_setup(1))), Random(1)
    began_s = clock()
    looked, look_s = 0, 0.0

    def check() -> None:
        nonlocal looked
        looked += 1
        if clock() - began_s >= MEASURED_S / 2:
            raise _LateError

    moves = max(1, len(board.legal()))
    board.check = check  # as searches set it
    try:
        board.candidates()
        look_s = clock() - began_s
        looked = 0
        board.rollout(chance)
    except _LateError:
        if not look_s:
            look_s = max((clock() - began_s) * moves / max(1, looked), ply_s)
            return look_s, plies * look_s / 2  # a game has fewer moves later on
        return look_s, (clock() - began_s - look_s) * plies / max(1, looked)
    return look_s, clock() - began_s - look_s


def warnings(config: Config, measure: Callable[[str], Tempo] = measured) -> Iterator[str]:
    """Yield a warning for each game type whose rules are too slow for the bots' time.

    It is about the bundled bots only: others may have rules of their own.
    """
    ours = _bundled_in(config)
    for game_id in config.games if ours else ():
        try:
            tempo = measure(game_id)
        except Exception:  # noqa: BLE001,S112 - playing reports failing rules
            continue
        slow = [(bot, kind) for bot, kind in ours if _is_too_short(bot, kind, tempo, config)]
        if slow:
            yield _words(game_id, tempo, slow, config)


def lengths(config: Config, measure: Callable[[str], Tempo] = measured) -> Iterator[str]:
    """Yield how long a game takes if all bots are bundled bots with a number of nodes per move."""
    ours = [(bot, kind) for bot, kind in _bundled_in(config) if _time_of(bot, config).nodes]
    if len(ours) < len(config.bots):
        return  # the times of other bots are unknown
    for game_id in config.games:
        tempo = measure(game_id)
        each = [tempo.move_s(kind, _time_of(bot, config)) for bot, kind in ours]
        yield f"{game_id}: a game takes about {_seconds(tempo.plies * fmean(each))}"


def _bundled_in(config: Config) -> list[tuple[BotSpec, str]]:
    """Return the bundled bots that search by the rules, each with its bundled name."""
    names = {command: name for name, command in bundled().items()}
    kinds = [(bot, names.get(bot.command, LEAST_MOVES[0])) for bot in config.bots]
    return [(bot, kind) for bot, kind in kinds if kind not in LEAST_MOVES]


def _time_of(bot: BotSpec, config: Config) -> TimeControl:
    return bot.time or config.limits.time


def _allowed_s(control: TimeControl, tempo: Tempo, limit_s: float) -> float:
    """Return the seconds that a bot has per move."""
    if control.has_clock:
        return (control.initial_ms / max(1.0, tempo.plies / 2) + control.increment_ms) / 1000
    return control.move_ms / 1000 if control.move_ms else limit_s


def _is_too_short(bot: BotSpec, kind: str, tempo: Tempo, config: Config) -> bool:
    """Return whether a search sees nothing in its time, or exceeds the limit per move."""
    control, limit_s = _time_of(bot, config), config.limits.hard_limit_s
    if control.nodes:
        return tempo.move_s(kind, control) > limit_s
    return _allowed_s(control, tempo, limit_s) < tempo.search_s(kind)


def _words(game_id: str, tempo: Tempo, slow: Sequence[tuple[BotSpec, str]], config: Config) -> str:
    controls = dict.fromkeys(str(_time_of(bot, config)) for bot, _ in slow)
    names = ", ".join(bot.name for bot, _ in slow)
    limit_s = config.limits.hard_limit_s
    slowest = max({kind for _, kind in slow}, key=tempo.search_s)
    needs_s, node_s = tempo.search_s(slowest), tempo.node_s(slowest)
    move = _rounded_up(ENOUGH * needs_s)
    nodes = _rounded_down(min(ENOUGH * FEWEST, (limit_s - tempo.look_s) / max(node_s, 1e-9)))
    by_nodes = f"--tc {shlex.quote(f'nodes {nodes}')}"
    each = [tempo.move_s(kind, TimeControl(nodes=nodes)) for _, kind in _bundled_in(config)]
    told = {by_nodes: tempo.plies * fmean(each)}
    if move < limit_s:
        told = {f"--tc {shlex.quote(f'move {move:g}')}": tempo.plies * move} | told
    what = f"reading all legal moves takes {_seconds(tempo.look_s)}"
    if slowest != "greedy":
        what += f", a node of {slowest} {_seconds(node_s)}"
    blind = [
        bot.name
        for bot, kind in slow
        if not (control := _time_of(bot, config)).nodes
        and _allowed_s(control, tempo, limit_s) < tempo.look_s + 2 * tempo.node_s(kind)
    ]
    chance = ""
    if blind:
        has = "plays" if len(blind) == 1 else "play"
        chance = f". At one node per move, {', '.join(blind)} {has} at random"
    return (
        f"{game_id} is too slow for {' and '.join(controls)} ({names}): {what}{chance}. "
        f"Try {' or '.join(told)}; a game then takes about "
        f"{' or '.join(map(_seconds, told.values()))}"
    )


def _seconds(seconds: float) -> str:
    """Return a time in two significant figures.

    >>> _seconds(0.034), _seconds(2.13), _seconds(21.4), _seconds(500)
    ('34 ms', '2.1 s', '21 s', '8 min')
    """
    if seconds < 1:
        return f"{1000 * seconds:.0f} ms"
    if seconds < 100:
        return f"{seconds:.2g} s"
    return f"{seconds / 60:.0f} min"


def _rounded_up(seconds: float) -> float:
    """Return the next round number of seconds: 1, 2 or 5 times a power of ten.

    >>> _rounded_up(0.031), _rounded_up(0.21), _rounded_up(7)
    (0.05, 0.5, 10.0)
    """
    return next(round(time_s, 3) for time_s in _round_numbers(0.001) if time_s >= seconds)


def _rounded_down(nodes: float) -> int:
    """Return the last round number of nodes, at least 1.

    >>> _rounded_down(40.0), _rounded_down(7.3), _rounded_down(0.2)
    (20, 5, 1)
    """
    return int(max(takewhile(lambda number: number <= nodes, _round_numbers(1.0)), default=1))


def _round_numbers(size: float) -> Iterator[float]:
    """Yield 1, 2, 5, 10, 20, … times a size, without end."""
    while True:
        yield from (size, 2 * size, 5 * size)
        size *= 10
