"""The report's trees: what they count is what `explorer` counts of each position of a line."""

from __future__ import annotations

import random

import pytest
from places import OURS

from lath import games
from lath.games.core import IDENTITY, Move, Position, Seat, symmetries
from lath.notation.record import Ply, Record
from lath.reports.exploring.explorer import NodeCounter, Tally
from lath.reports.exploring.trees import FREE, Reached, TreeCounter, TreeLine
from lath.reports.figures import entry

pytestmark = pytest.mark.slow


def games_that_meet(game_id: str, count: int = 40) -> list[Record]:
    """Return games from the plain start whose few moves come in any order, turned by chance."""
    chance = random.Random(game_id)
    start = games.get(game_id).start()
    kept = [way for way in symmetries(start) if way.position(start) == start] or [IDENTITY]
    found = []
    for number in range(count):
        position: Position = start
        way, moves = chance.choice(kept), list[Move]()
        for _ in range(chance.randrange(1, 7)):
            legal = position.legal_moves()
            if not legal:
                break
            move = chance.choice([*legal[:3], *legal[-1:]])
            moves.append(way.move(move))
            position = position.play(move)
        names = ("ann", "bob") if number % 2 else ("bob", "ann")
        opening = f"random:2 {' '.join(moves[:2])}" if number % 4 > 1 and len(moves) > 1 else ""
        tags = [("Game", game_id), ("First", names[0]), ("Second", names[1]), ("Opening", opening)]
        tags += [("Number", f"{number + 1}")] if number < count // 2 else []
        result = chance.choice(("1-0", "0-1", "1/2-1/2"))
        found.append(Record(tuple(tags), tuple(map(Ply, moves)), result))
    return found


def tree_of(records: list[Record]) -> list[TreeLine]:
    counter = TreeCounter()
    for number, record in enumerate(records, 1):
        counter.add(entry(number, record, is_playable=True))
    return [line for tree in counter.trees() for line in tree["lines"]]


def counts(told: Tally) -> tuple[float, ...]:
    low, high = told.interval(Seat.FIRST) or (0.0, 1.0)
    return told.wins, told.draws, told.losses, round(low, 3), round(high, 3)


def as_told(line: TreeLine | Reached) -> tuple[float, ...]:
    return line["wins"], line["draws"], line["losses"], line["low"], line["high"]


@pytest.mark.parametrize("game_id", OURS)
def test_each_line_is_what_the_explorer_tells_of_its_last_move(game_id: str) -> None:
    records = games_that_meet(game_id)
    lines = tree_of(records)
    texts = {line["text"] for line in lines}
    assert max(len(text.split()) for text in texts) == FREE + 2
    assert all(text.rpartition(" ")[0] in {*texts, ""} for text in texts)
    nodes: dict[str, list[str]] = {}
    for line in random.Random(1).sample(lines, min(20, len(lines))):
        before, _, last = line["text"].rpartition(" ")
        position = games.get(game_id).start()
        for move in before.split():
            position = position.play(Move(move))
        counter = NodeCounter(position)
        for number, record in enumerate(records, 1):
            counter.add(record, "", number)
        rows = {row.move: row for row in counter.node().continuations}
        assert as_told(line) == counts(rows[Move(last)].played)
        assert as_told(line["reached"]) == counts(rows[Move(last)].reached)
        nodes[before] = [move for move, row in rows.items() if row.played.times]
    for before, moves in nodes.items():
        told = [text for text in texts if text.rpartition(" ")[0] == before]
        assert len(told) == len(moves), "of a position that is told every move that was played"


def test_games_that_meet_go_on_together() -> None:
    moves = ("e5 d4 f6 a1", "f6 d4 e5 a1", "f6 d4 e5 b1")
    records = [
        Record((("Game", "yavalath"),), tuple(map(Ply, map(Move, line.split()))), "1-0")
        for line in moves
    ]
    lines = {line["text"]: line for line in tree_of(records)}
    third = lines["e5 d4 f6"]
    assert (third["wins"], third["reached"]["wins"]) == (1, 3)
    assert [lines[f"e5 d4 f6 {move}"]["wins"] for move in ("a1", "b1")] == [2, 1]
