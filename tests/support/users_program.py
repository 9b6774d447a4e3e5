"""A program by a user who has installed the arena."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import lath
from lath import games, notation
from lath.arena import Engine, Limit
from lath.bots.sdk import Turn, run
from lath.games.core import Move, Position
from lath.notation.record.record import Record


def choose(position: Position, turn: Turn) -> Move:
    return turn.chance.choice(position.legal_moves())


def winners(path: Path) -> Counter[str]:
    found: Counter[str] = Counter()
    for record in notation.read(path):
        found[record.first if record.result == "1-0" else record.second] += 1
    return found


def lengths(records: list[Record]) -> list[int]:
    return [sum(1 for _ in notation.positions(record)) for record in records]


def wrong(path: Path) -> int:
    return notation.read(path)  # type: ignore[return-value] # a type checker knows


def asked(bot: str) -> Move | None:
    with Engine.open(bot) as engine:
        return engine.play(games.get("yavalath").start(), Limit(nodes=5)).move


if __name__ == "__main__":
    print(lath.DOCUMENTATION, asked("greedy") in games.get("yavalath").start().legal_moves())
    print(winners(Path(sys.argv[1], "games.lath")).total())
    run(choose, name="Dice")
