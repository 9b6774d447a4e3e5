"""Games of any type that meet again and again, and the same asked of a database and of records."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

import numpy as np

from lath import notation
from lath.games.core import Game, Move, Position, Result, symmetries
from lath.notation.database.asking import matching
from lath.notation.database.building import building
from lath.notation.database.columns import columns_of
from lath.notation.database.reading import Database
from lath.notation.query.query import compile_query, plan_of
from lath.notation.record.record import Ply, Record
from lath.notation.text.splitting import chunks, texts_of
from lath.reports.exploring.databases import DatabaseGames
from lath.reports.exploring.explorer import ExploredGames


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
        found.append(Record((*tags.items(),), tuple(map(Ply, moves)), Result(result)))
    return found


def database_of(records: Sequence[Record], path: Path) -> Database:
    """Return a database of records, no two of which are the same."""
    text = "\n".join(notation.format_records(records)).encode()
    with building(path) as made:
        for part in chunks(io.BytesIO(text)):
            made.add(columns_of(texts_of(part), "", made.counts.read + 1))
    assert made.counts.taken == len(records)
    return Database(path)


def explored_alike(
    database: Database, records: Sequence[Record], chance: Random, count: int
) -> None:
    """Ask a database and its records, all of one game, what was played from some positions."""
    kept = ExploredGames()
    for number, record in enumerate(records, 1):
        kept.add(record, "", number)
    asking = DatabaseGames(database, records[0].game, "")
    for _ in range(count):
        asked = chance.choice(list(notation.positions(chance.choice(records))))
        if chance.random() < 0.3:
            asked = chance.choice(symmetries(asked)).position(asked)
        assert asking.node(asked) == kept.node(asked), asked.text()


def found_alike(database: Database, records: Sequence[Record], query: str) -> list[int]:
    """Ask a database and its records the same query; return the numbers of those that match."""
    matches = compile_query(query)
    found: list[int] = np.flatnonzero(matching(database, plan_of(query))).tolist()
    assert found == [number for number, each in enumerate(records, 1) if matches(each)], query
    return found


class Questions:
    """Queries at random of some records."""

    def __init__(self, of: list[Record], seed: int) -> None:
        self._chance = Random(seed)
        self._records = of

    def one(self, depth: int = 0) -> str:
        """Return a query."""
        kinds: list[Callable[[], str]] = [self._tag, self._tag, self._moment, self._moment]
        if depth < 2:
            kinds += [self._joined, self._then, self._negated]
        return self._chance.choice(kinds)() if depth == 0 else f"({self._chance.choice(kinds)()})"

    def _joined(self) -> str:
        word = self._chance.choice([" and ", " or "])
        return word.join(self.one(1) for _ in range(2))

    def _negated(self) -> str:
        return f"not {self.one(1)}"

    def _then(self) -> str:
        chance = self._chance
        within = chance.choice(["", "within 1 ply ", "within 4 plies "])
        moments = [self._of_ply() for _ in range(chance.choice([2, 2, 3]))]
        return f" then {within}".join(moments)

    def _tag(self) -> str:
        return self._chance.choice(self.of_tags(self._chance.choice(self._records)))

    def of_tags(self, record: Record) -> list[str]:
        """Return a question of each kind that a record answers without its moves."""
        return [
            f'game = "{record.game}"',
            f"player = {self._chance.choice(['ann', 'bob', 'eve'])}",
            "winner = ann",
            "loser ~ *b",
            "first != bob",
            f"plies in {len(record.plies)}..{len(record.plies) + 9}",
            f"result = {record.result}",
            "date > 2026-11",
            "date in 2026-10..2026-11-03",
            "date = 2026-11",
            "date < 2026-12-01",
            "date >= 2026-11-02",
            "round = 3",
            "Mood ~ g*",
            "Annotator = eve",
            'Result = "*"',
            'Result ~ "?-?"',
            "comments",
            "variations",
            f'setup = "{record.tag("Setup") or "-"}"',
            "termination = rules",
        ]

    def _moment(self) -> str:
        chance = self._chance
        if chance.random() < 0.3:
            return f"{self._of_position()} {chance.choice(WHEN)}"
        if chance.random() < 0.3:
            return f"{self._number()} {chance.choice(WHEN[1:])}"
        return self._of_ply()

    def _of_ply(self) -> str:
        kinds = [self._of_position, self._of_position, self._number, self._line, self._move]
        return self._chance.choice(kinds)()

    def _number(self) -> str:
        whose = self._chance.choice(WHOSE)
        test = self._chance.choice(["> 0.2", "in -0.5..0.5", "= 0.5", "<= 0"])
        whole = self._chance.choice(["depth >= 3.5", "nodes < 100000"])
        return self._chance.choice([f"eval{whose} {test}", whole, "time > 0.5"])

    def _played(self) -> tuple[Record, list[Position], int]:
        record = self._chance.choice(self._records)
        positions = list(notation.positions(record))
        early = self._chance.choice([3, len(positions)])
        return record, positions, self._chance.randrange(min(early, len(positions)))

    def _plain(self) -> str:
        return self._chance.choice(["", "", "plain "])

    def _of_position(self) -> str:
        _, positions, ply = self._played()
        position = positions[ply]
        if self._chance.random() < 0.5:
            position = self._chance.choice(symmetries(position)).position(position)
        if self._chance.random() < 0.5:
            return f'{self._plain()}position "{position.text()}"'
        return self.pattern(position)

    def pattern(self, position: Position) -> str:
        """Return a query for what lies somewhere in a position."""
        chance, board = self._chance, position.game.board
        contents = dict(zip(board.names, position.contents(), strict=True))
        name = chance.choice(board.names)
        grid = dict(zip(board.names, board.grid, strict=True))
        names = {at: cell for cell, at in grid.items()}
        letter, place = grid[name]
        step = (1, 0) if board.shape == "square" else (0, 1)
        signs: list[str] = []
        for far in range(chance.choice([1, 2, 3])):
            cell = names.get((letter + step[0] * far, place + step[1] * far))
            if signs and signs[-1] == "#":
                break
            content = contents[cell] if cell else "#"
            sign = (chance.choice(content) if content else ".") if cell else "#"
            others = [sign, sign, sign, "[^.]", "?", "+"] if cell and far else [sign]
            signs.append(chance.choice(others))
        text = "".join(signs)
        if not set(text) - set("#?"):
            text = "."
        on = f" on {name}" if chance.random() < 0.5 and text[0] != "#" else ""
        return f'{self._plain()}pattern "{text}"{on}'

    def _line(self) -> str:
        record, _, ply = self._played()
        moves = [str(move) for move in record.moves[: max(ply, 1)]]
        if self._chance.random() < 0.3:
            self._chance.shuffle(moves)
        word = self._chance.choice(["after", "reached"])
        return f'{self._plain()}{word} "{" ".join(moves) or "e5"}"'

    def _move(self) -> str:
        record, _, ply = self._played()
        moves = record.moves or ("e5",)
        move = moves[min(ply, len(moves) - 1)]
        return self._chance.choice([f"move {ply + 1} = {move}", f"contains move {move}"])


WHOSE = ("", " of first", " of loser", " of 'ann'", " of winner")
WHEN = ("at ply 0", "at ply 2", "at every ply", "at the last ply")
