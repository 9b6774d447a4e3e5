"""A program that plays random games of a game type, so that two processes can be compared.

The order of a set differs between processes, and so does the hash of a text. Rules that depend on
either play another game in each process.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from random import Random
from typing import Any, Final

from lath import games
from lath.games.core import Game
from lath.games.laws import shown

GAMES: Final = 3
MOST_PLIES: Final = 60
"""The number of games of a comparison, and the most plies of each."""

_MEMBERS: Final = ("setup", "text()", "legal_moves()", "contents()", "outcome()")
"""The values of a state, in this order."""

WITHIN_S: Final = 60.0
"""The time limit of the other process."""


def states_of(game: Game) -> Iterator[list[Any]]:
    """Yield the state at each ply of some random games, as JSON values."""
    for seed in range(1, GAMES + 1):
        setup = game.draw_setup(seed) if game.has_setups else None
        position, chance = game.start(setup), Random(seed)
        for _ in range(MOST_PLIES):
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
        timeout=WITHIN_S,
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


def main() -> None:
    """Print the states of the game in the first argument, one per line."""
    printed = sys.stdout
    sys.stdout = sys.stderr  # the rules can print
    for state in states_of(games.get(sys.argv[1])):
        printed.write(f"{json.dumps(state)}\n")


if __name__ == "__main__":
    main()
