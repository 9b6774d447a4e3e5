"""Games of any type that meet again and again, and the same asked of a database and of records."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from random import Random

import numpy as np

from lath import notation
from lath.games.core import Game, Move, Position, symmetries
from lath.notation.database.asking import matching
from lath.notation.database.building import building
from lath.notation.database.parcels import parcel_of
from lath.notation.database.reading import Database
from lath.notation.query import compile_query, plan_of
from lath.notation.reader import chunks, texts_of
from lath.notation.record import Ply, Record
from lath.reports.exploring.databases import DatabaseGames
from lath.reports.exploring.explorer import Games


def line_of(start: Position, chance: Random, plies: int) -> tuple[list[Move], Position]:
    """Return moves of a line and the position after them; some lines release or swap a lot."""
    position, moves = start, list[Move]()
    taste = chance.choice(["cells", "any", "others", "others"])
    while len(moves) < plies and (legal := position.legal_moves()):
        others = [move for move in legal if move not in position.game.board.names]
        if taste == "others" and others:
            move = chance.choice([*others[:3], *others[-3:], chance.choice(others)])
        else:
            move = chance.choice([*legal[:2], *legal[-2:]] if taste == "cells" else legal)
        moves.append(move)
        position = position.play(move)
    return moves, position


def meeting(game: Game, chance: Random, count: int) -> list[Record]:
    """Return records of which many come to the same positions, some turned."""
    found = []
    for number in range(count):
        is_drawn = game.has_setups and chance.random() < 0.6
        start: Position = game.start(game.draw_setup(number % 2) if is_drawn else None)
        moves, end = line_of(start, chance, chance.choice([2, 4, 8, 30]))
        tags = {"Game": game.id, "Event": str(number), "First": chance.choice("ab")}
        if chance.random() < 0.5:
            way = chance.choice(symmetries(start))
            moves, start = list(map(way.move, moves)), way.position(start)
            tags["Position"] = start.text()
        elif game.has_setups:
            tags["Position"] = start.text()
        outcome = end.outcome()
        result = outcome.result if outcome else "*"
        found.append(Record((*tags.items(),), tuple(map(Ply, moves)), result))
    return found


def database_of(records: Sequence[Record], path: Path) -> Database:
    """Return a database of records, no two of which are the same."""
    text = "\n".join(notation.format_records(records)).encode()
    with building(path) as made:
        for part in chunks(io.BytesIO(text)):
            made.add(parcel_of(texts_of(part), "", made.counts.read + 1))
    assert made.counts.taken == len(records)
    return Database(path)


def explored_alike(
    database: Database, records: Sequence[Record], chance: Random, count: int
) -> None:
    """Ask a database and its records, all of one game, what was played from some positions."""
    kept = Games()
    for number, record in enumerate(records, 1):
        kept.add(record, "", number)
    asking = DatabaseGames(database, records[0].game, "")
    for _ in range(count):
        asked = chance.choice(list(notation.positions(chance.choice(records))))
        if chance.random() < 0.3:
            asked = chance.choice(symmetries(asked)).position(asked)
        assert asking.node(asked) == kept.node(asked), asked.text()


def found_alike(database: Database, records: Sequence[Record], query: str) -> None:
    """Ask a database and its records the same query."""
    matches = compile_query(query)
    found = np.flatnonzero(matching(database, plan_of(query))).tolist()
    assert found == [number for number, each in enumerate(records, 1) if matches(each)], query
