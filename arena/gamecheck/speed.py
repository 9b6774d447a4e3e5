"""The steps about speed: random games, and the positions that a search visits."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from random import Random
from typing import Any, Final

from lath.arena.gamecheck.lab import GameLab
from lath.arena.gamecheck.points import GameFinding, GameStep, fault, note, ok, rate_words, warning
from lath.games.builtin import builtin_ids
from lath.games.capabilities import boarded, key_of, playing
from lath.games.core import Game, Position
from lath.games.fast import FastBoard, fast_board, has_compiled_form
from lath.games.registry import get
from lath.games.simple import SimpleGame

_SECONDS: Final = 0.5
"""CPU seconds of each measurement."""

_MOST_PLIES: Final = 300

_TOO_SLOW: Final = 50
"""Positions per second below which a bot with 50 ms per move sees almost nothing."""

_SLOW: Final = 500

_TIMES_SLOWER: Final = 30
"""How many times slower than a built-in game a search can be without a warning."""


def _measure(lab: GameLab) -> Iterator[GameFinding]:
    """Yield the positions per second of random games, and the time of each member."""
    until_s = (began_s := time.thread_time()) + lab.seconds(_SECONDS)
    positions, seed = 0, lab.seed
    while time.thread_time() < until_s:
        for _ in lab.walk(seed, _MOST_PLIES):
            positions += 1
            if time.thread_time() > until_s:
                break
        seed += 1
    took_s = time.thread_time() - began_s
    rate = positions / took_s
    costs = costs_of(lab)
    each = ", ".join(f"{name} {_micro(cost)}" for name, cost in costs.items())
    words = f"{rate_words(positions, took_s)} positions per second ({each})"
    dearest = max(costs, key=costs.__getitem__)
    if rate < _TOO_SLOW:
        yield fault(words, f"make {dearest} faster: bots with 50 ms per move see almost nothing")
    elif rate < _SLOW:
        yield warning(words, f"make {dearest} faster; sets of cells as ints of Board help most")
    else:
        yield ok(words)


def costs_of(lab: GameLab) -> dict[str, float]:
    """Return the CPU seconds of one call of each member that a search needs at each position.

    The members are those that the author of the game wrote. The cost of `text()` is that of the key
    of the position, which is a hash of the text by default.
    """
    visits = [visit for visit in lab.sample if visit.move is not None][:60]
    game = lab.game
    played = "play()"
    members: dict[str, Callable[[Any], object]] = {
        "legal_moves()": lambda position: position.legal_moves(),
        "outcome()": lambda position: position.outcome(),
        "text()": key_of,
    }
    if isinstance(game, SimpleGame):
        played = "after()"
        members = {
            "legal()": lambda state: [*game.legal(state)],
            "ending()": game.ending,
            "the hash": key_of,
        }
    costs = {}
    share = lab.seconds(0.1)
    for name, call in members.items():
        # a new position each time: the last one may keep what it has computed
        fresh = [lab.game.position(visit.position.text()) for visit in visits]
        costs[name] = _time_of([partial(call, one) for one in fresh], share)
    plays = [partial(visit.position.play, visit.move) for visit in visits if visit.move]
    return {played: _time_of(plays, share), **costs}


def _time_of(calls: Iterable[Callable[[], object]], seconds: float) -> float:
    """Return the CPU seconds of one call."""
    began_s, count = time.thread_time(), 0
    for call in calls:
        call()
        count += 1
        if time.thread_time() - began_s > seconds:
            break
    return (time.thread_time() - began_s) / max(1, count)


def _micro(seconds: float) -> str:
    return f"{seconds * 1e3:.1f} ms" if seconds > 1e-3 else f"{seconds * 1e6:.0f} µs"


def nodes_per_second(position: Position, seconds: float) -> float:
    """Return how many positions per second random games visit on the board for searches.

    Each move is listed, played and taken back, as in a search.
    """
    board, chance = fast_board(position), Random(1)
    began_s, nodes = time.thread_time(), 0
    while (took_s := time.thread_time() - began_s) < seconds or not nodes:
        nodes += _played(board, chance, began_s + 2 * seconds)
    return nodes / took_s


def _played(board: FastBoard, chance: Random, until_s: float) -> int:
    """Return the plies of one random game, which is taken back."""
    plies = 0
    while board.winner is None and plies < _MOST_PLIES:
        codes = board.legal()
        board.play(codes[int(chance.random() * len(codes))])
        plies += 1
        if time.thread_time() > until_s:
            break
    for _ in range(plies):
        board.undo()
    return max(1, plies)


def peer_of(game: Game) -> Game:
    """Return the built-in game whose board is most like a game's: its shape, then its size."""
    cells, shape = len(game.board.names), game.board.shape
    others = [get(game_id) for game_id in builtin_ids() if game_id != game.id]
    return min(
        others, key=lambda one: (one.board.shape != shape, abs(len(one.board.names) - cells))
    )


def _compare(lab: GameLab) -> Iterator[GameFinding]:
    """Yield the speed of searches beside that of a built-in game."""
    game: Game = lab.game
    peer, seconds = peer_of(game), lab.seconds(_SECONDS)
    rate = nodes_per_second(lab.start(1), seconds)
    usual = nodes_per_second(peer.start(peer.draw_setup(1)), seconds)
    kind = "no fast board of its own" if boarded(game) is None else "its own fast board"
    if boarded(game) is not None and has_compiled_form(game):
        kind = "its own fast board with a compiled form"
    times = usual / rate
    beside = f"{times:.1f} times slower than" if times > 1 else f"{1 / times:.1f} times faster than"
    words = (
        f"{rate_words(rate, 1)} nodes per second with {kind}: {beside} {peer.title} "
        f"({rate_words(usual, 1)})"
    )
    if times > _TIMES_SLOWER:
        yield warning(words, hook_of(lab))
    elif times > 3:
        yield note(words, hook_of(lab))
    else:
        yield ok(words)


def hook_of(lab: GameLab) -> str:
    """Return the member that would make searches faster than any other, in words."""
    if boarded(lab.game) is not None:
        return "profile candidates() and play() of the fast board; they take the time"
    costs = costs_of(lab)
    name = max(costs, key=costs.__getitem__)
    share = f"{costs[name] / (sum(costs.values()) or 1.0):.0%} of a search is {name}"
    position = lab.sample[0].position
    if name == "play()" and playing(position) != type(position).play:
        return f"make play_known() faster: {share}"
    return f"{FASTER[name]}: {share}"


FASTER: Final = {
    "legal()": "let legal() compute with sets of cells and yield each move, because often only the "
    "first one is needed",
    "ending()": "let ending() look at sets of cells with has_line(), finished() or connects() of "
    "the board, and only at the pieces of the last player",
    "after()": "let after() change whole sets of cells with with_cells() and take()",
    "the hash": "define fast(position), which returns a FastBoard: the rules themselves are fast",
    "play()": "define play_known(move), which plays without a test of legality",
    "text()": "define key(), a hash of the position, instead of the default from text()",
    "outcome()": "find the outcome when a move is played, from that move, and keep it",
    "legal_moves()": "compute legal moves with sets of cells, and keep them in the position",
}
"""The remedy for each slow member, by its name."""


POSITIONS: Final = GameStep("speed", "plays random games quickly", _measure)
NODES: Final = GameStep("search", "is searched as fast as a built-in game", _compare, needs="board")
