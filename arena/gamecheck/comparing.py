"""The steps that compare a game with itself: in another process, and on a rotated board.

Run as a program, the module plays random games of a game type. The order of a set and the hash of a
text differ between processes, so that rules that depend on them play another game there.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import Any, Final

from lath import games
from lath.arena.gamecheck.lab import GameLab
from lath.arena.gamecheck.points import GameFinding, GameStep, fault, note, ok, untested, warning
from lath.games.capabilities import mends_of, symmetries
from lath.games.core import Game, Move, Position
from lath.games.laws import shown

_MOST_PLIES: Final = 60
"""The most plies of each random game here."""

_PLAYED: Final = 3
"""The number of games that both processes play."""

_MEMBERS: Final = ("setup", "text()", "legal_moves()", "contents()", "outcome()")
"""The values of a state, in this order."""

_WITHIN_S: Final = 60.0
"""The time limit of the other process."""


def states_of(game: Game) -> Iterator[list[Any]]:
    """Yield the state at each ply of some random games, as JSON values."""
    for seed in range(1, _PLAYED + 1):
        setup = game.draw_setup(seed) if game.has_setups else None
        position, chance = game.start(setup), Random(seed)
        for _ in range(_MOST_PLIES):
            legal, outcome = position.legal_moves(), position.outcome()
            told = None if outcome is None else [outcome.result, outcome.ending, *outcome.cells]
            yield [setup, position.text(), [*legal], [*position.contents()], told]
            if not legal:
                break
            position = position.play(chance.choice(sorted(legal)))


def difference(game: Game) -> str:
    """Return in words how another process plays the game differently; empty if it does not."""
    hash_seed = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"
    ran = subprocess.run(
        [sys.executable, "-P", "-m", __name__, game.id],
        env=os.environ | {"PYTHONHASHSEED": hash_seed},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=_WITHIN_S,
    )
    if ran.returncode:
        *_, last = ran.stderr.splitlines() or [f"status {ran.returncode}"]
        return f"another process cannot play the game: {last}"
    other, here = map(json.loads, ran.stdout.splitlines()), map(_plain, states_of(game))
    for theirs, mine in zip(other, here, strict=False):
        for name, one, two in zip(_MEMBERS, mine, theirs, strict=True):
            if one != two:
                return f"{name} at {mine[1]!r} is {shown(one)} here, but {shown(two)} there"
    return ""


def _plain(state: list[Any]) -> Any:
    return json.loads(json.dumps(state))


def _same_elsewhere(lab: GameLab) -> Iterator[GameFinding]:
    """Yield how another process plays the game differently."""
    try:
        words = difference(lab.game)
    except subprocess.TimeoutExpired:
        yield untested(f"another process needs more than {_WITHIN_S:.0f} s for three games")
        return
    if words:
        yield fault(
            words,
            "let nothing depend on the order of a set or on hash(), which differ between "
            "processes: sort what comes from a set",
        )
    else:
        yield ok("another process has the same positions and moves")


ELSEWHERE: Final = GameStep("processes", "is the same game in each process", _same_elsewhere)

_TURNED: Final = 12
"""The number of random games in which a rotation or reflection is tried."""

_SECONDS: Final = 1.5


def turning(cells: Mapping[str, str]) -> Callable[[str], Move]:
    """Return the function that replaces each cell in a move's text by its image.

    >>> turning({"a1": "c1", "b2": "b2", "c1": "a1"})("xa1-b2")
    'xc1-b2'
    """
    names = sorted(cells, key=len, reverse=True)  # a longer name first: a11 before a1
    pattern = re.compile(rf"(?:{'|'.join(map(re.escape, names))})(?![0-9])")
    return lambda text: Move(pattern.sub(lambda cell: cells[cell[0]], text))


def _is_image(
    one: Position, other: Position, turned: Callable[[str], Move], cells: Mapping[str, str]
) -> bool:
    """Return whether a position looks like the image of another."""
    names = one.game.board.names
    there = dict(zip(names, other.contents(), strict=True))
    if any(there[cells[name]] != has for name, has in zip(names, one.contents(), strict=True)):
        return False
    if (one.to_move, one.is_over) != (other.to_move, other.is_over):
        return False
    if {*map(turned, one.legal_moves())} != {*other.legal_moves()}:
        return False
    outcome, image = one.outcome(), other.outcome()
    return outcome is None or (
        image is not None and (outcome.winner, outcome.ending) == (image.winner, image.ending)
    )


def holds(lab: GameLab, cells: Mapping[str, str], until_s: float) -> bool:
    """Return whether random games and their images go alike, by an image of each cell.

    The result is False if no game has come to its end in time: often only the end tells.
    """
    turned, ended = turning(cells), False
    for seed in range(lab.seed, lab.seed + _TURNED):
        other: Position | None = None
        for visit in lab.walk(seed, _MOST_PLIES):
            other = lab.start(seed) if other is None else other
            if not _is_image(visit.position, other, turned, cells):
                return False
            ended |= visit.position.is_over
            if time.thread_time() > until_s:
                return ended
            if visit.move is not None:
                other = other.play(turned(visit.move))
    return ended


def declared(game: Game, moves: list[Move]) -> set[tuple[Move, ...]]:
    """Return the images of some moves by each symmetry that the game declares at its start."""
    return {tuple(map(way.move, moves)) for way in symmetries(game.start())}


def _undeclared(lab: GameLab) -> Iterator[GameFinding]:
    """Yield the rotations and reflections that hold but are not declared."""
    game: Game = lab.game
    moves = [*{move: None for visit in lab.sample for move in visit.position.legal_moves()}]
    others = game.board.isometries[1:]
    if others and not any(name in move for move in moves for name in game.board.names):
        yield untested("no move names a cell, so that moves cannot be rotated")
        return
    known = declared(game, moves)
    share = lab.seconds(_SECONDS) / max(1, len(others))
    found = [
        each.cells
        for each in others
        if tuple(map(turning(each.cells), moves)) not in known
        and holds(lab, each.cells, time.thread_time() + share)
    ]
    which = f"{len(others)} rotations and reflections of the board"
    if found:
        how = mends_of(game).get("undeclared", "declare them with Turning, or in symmetries()")
        cell = next(cell for cell, image in found[0].items() if cell != image)
        yield warning(
            f"the rules look symmetric under {len(found)} of {which} that it does not declare, "
            f"such as the one that maps {cell} to {found[0][cell]}",
            f"{how}; otherwise openings, duplicate games and databases count each position up to "
            f"{len(known) + len(found)} times",
        )
    elif not others:
        yield ok("the board has no rotation or reflection")
    elif len(known) == 1:
        yield note(f"the rules distinguish all {which}")
    else:
        yield ok(f"{len(known)} symmetries at the start, and no other holds")


UNDECLARED: Final = GameStep(
    "undeclared", "declares each rotation and reflection that its rules allow", _undeclared
)


def main() -> None:
    """Print the states of the game in the first argument, one per line."""
    printed = sys.stdout
    sys.stdout = sys.stderr  # the rules can print
    for state in states_of(games.get(sys.argv[1])):
        printed.write(f"{json.dumps(state)}\n")


if __name__ == "__main__":
    main()
