"""Games that reach the same positions often, and the same queries of a database and of records."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from random import Random

import numpy as np

from lath import notation
from lath.games.core import Game, Move, Position, Result, symmetries
from lath.games.points import Points
from lath.notation.database.asking import matching
from lath.notation.database.building import building
from lath.notation.database.columns import columns_of
from lath.notation.database.reading import Database
from lath.notation.query.operators import OPERATORS, OfNumber, OfText
from lath.notation.query.query import compile_query, plan_of, quoted
from lath.notation.query.questions import FLAGS
from lath.notation.record.record import Ply, Record
from lath.notation.record.tags import Termination
from lath.notation.tables.tables import NOTED, notes_of
from lath.notation.text.splitting import chunks, texts_of
from lath.reports.exploring.databases import DatabaseGames
from lath.reports.exploring.explorer import ExploredGames


def line_of(start: Position, chance: Random, plies: int) -> tuple[list[Move], Position]:
    """Return random moves and the position after them; some lines have many releases or swaps."""
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
    """Return records of which many reach the same positions, some rotated."""
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
    """Compare the moves from some positions in a database and in its records."""
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
    """Compare a query of a database and of its records; return the numbers that match."""
    matches = compile_query(query)
    found: list[int] = np.flatnonzero(matching(database, plan_of(query))).tolist()
    assert found == [number for number, each in enumerate(records, 1) if matches(each)], query
    return found


class Questions:
    """Random queries with values from some records."""

    def __init__(self, of: Sequence[Record], seed: int) -> None:
        self._chance = Random(seed)
        self._records = of
        texts = OPERATORS[OfText].words
        self.tests: dict[str, Callable[[], str]] = {
            **{word: partial(self._text, word) for word in (*texts, "tag")},
            "plies": self._plies,
            "move": self._move,
            "position": self._position,
            "after": partial(self._line, "after"),
            "reached": partial(self._line, "reached"),
            "pattern": self._pattern,
            **{word: partial(self._number, word) for word in OPERATORS[OfNumber].words},
        }
        """The function that makes a test, by the first word; `tag` is any tag by its own name."""
        self.tests |= {word: partial(str, word) for word in FLAGS}

    def one(self, depth: int = 0) -> str:
        """Return a query of tests of any operator, joined, negated and one after another."""
        kinds: list[Callable[[], str]] = [self._test, self._test, self._of_ply]
        if depth < 2:
            kinds += [self._joined, self._then, self._negated]
        query = self._chance.choice(kinds)()
        return query if depth == 0 else f"({query})"

    def _test(self) -> str:
        return self._chance.choice(list(self.tests.values()))()

    def _joined(self) -> str:
        word = self._chance.choice([" and ", " or "])
        return word.join(self.one(1) for _ in range(self._chance.choice([2, 2, 3])))

    def _negated(self) -> str:
        return f"not {self.one(1)}"

    def _then(self) -> str:
        chance = self._chance
        within = chance.choice(["", "within 1 ply ", "within 4 plies "])
        moments = [self._of_ply() for _ in range(chance.choice([2, 2, 3]))]
        if chance.random() < 0.3:
            moments[0] = f"({moments[0]} or {self._of_ply()})"
        return f" then {within}".join(moments)

    def _of_ply(self) -> str:
        words = ("move", "position", "after", "reached", "pattern", "eval", "time")
        while (query := self.tests[self._chance.choice(words)]()).endswith("every ply"):
            pass
        return query.removeprefix("not ")

    def _text(self, word: str) -> str:
        """Return a test of a text: a value of some record, a part of one, or an odd one."""
        chance, record = self._chance, self._chance.choice(self._records)
        subject = word
        if word == "tag":
            name = chance.choice([*dict(record.tags), "Mood", "Annotator", "Result"])
            subject = chance.choice([f"tag.{name}", name])
        named = {"player": "First", "winner": "First", "loser": "Second"}.get(word, word)
        name = subject.removeprefix("tag.") if word == "tag" else named.capitalize()
        value = record.result.value if name == "Result" else record.tag(name)
        if word == "termination":
            value = chance.choice([value, *list(Termination)]) or "time"
        if word == "date":
            values = [chance.choice(DATES), chance.choice(DATES)]
        elif word in ("result", "termination"):
            values = [value, value]
        else:
            values = [value, chance.choice([*ODD, value[:-1], f"{value}a"])]
        asked = list(map(quoted, values))
        signs = ["=", "!=", "in", "not in", "~"]
        if word in ("round", "date", "tag"):
            signs += ["<", "<=", ">", ">=", "..", "not .."]
        sign = chance.choice(signs)
        if sign == "~":
            cut = chance.randrange(len(values[0]) + 1)
            return f"{subject} ~ {quoted(values[0][:cut] + chance.choice(['*', '?', '']))}"
        if sign.endswith("in"):
            return f"{subject} {sign} ({', '.join(asked)})"
        if sign.endswith(".."):
            ends = (DATES, str) if word == "date" else (ROUNDS, float)
            low, high = sorted(chance.sample(ends[0], 2), key=ends[1])
            return f"{subject} {sign[:-2]}in {low}..{high}"
        return f"{subject} {sign} {chance.choice(asked)}"

    def _plies(self) -> str:
        count = len(self._chance.choice(self._records).plies)
        sign = self._chance.choice(["=", "!=", "<", "<=", ">", ">="])
        tests = (f"{sign} {count}", f"in {count}..{count + 9}", f"not in ({count}, 999999999)")
        return f"plies {self._chance.choice(tests)}"

    def _number(self, word: str) -> str:
        """Return a test of a ply's number, at a random time."""
        chance = self._chance
        record = chance.choice(self._records)
        place = NOTED.index({"time": "time_s", "clock": "clock_s"}.get(word, word))
        said = [value for ply in record.plies if (value := notes_of(ply)[place]) is not None]
        value = chance.choice([*said, 0, 0.5]) if said else chance.choice([0.5, 3.5, 100, -1])
        whose = chance.choice(WHOSE)
        test = chance.choice(["=", "<", "<=", ">", ">="]) + f" {value:.3f}"
        if chance.random() < 0.2:
            test = f"in {value - 0.25:.3f}..{value + 0.25:.3f}"
        return f"{word}{whose} {test}{chance.choice(['', '', *WHEN[1:]])}"

    def _played(self) -> tuple[Record, list[Position], int]:
        record = self._chance.choice(self._records)
        positions = list(notation.positions(record))
        early = self._chance.choice([3, len(positions)])
        return record, positions, self._chance.randrange(min(early, len(positions)))

    def _plain(self) -> str:
        return self._chance.choice(["", "", "plain "])

    def _position(self) -> str:
        texts = []
        for _ in range(self._chance.choice([1, 1, 2])):
            _, positions, ply = self._played()
            position = positions[ply]
            if self._chance.random() < 0.5:
                position = self._chance.choice(symmetries(position)).position(position)
            texts.append(f'"{position.text()}"')
        asked = texts[0] if len(texts) == 1 else f"in ({', '.join(texts)})"
        return f"{self._plain()}position {asked}{self._chance.choice(['', *WHEN])}"

    def _pattern(self) -> str:
        _, positions, ply = self._played()
        asked = self.pattern(positions[ply])
        either = self._chance.choice(["", "", " in either colour"])
        return f"{asked}{either}{self._chance.choice(['', *WHEN])}"

    def pattern(self, position: Position) -> str:
        """Return a query for a pattern in a position."""
        chance, board = self._chance, position.game.board
        contents = dict(zip(board.names, position.contents(), strict=True))
        name = chance.choice(board.names)
        grid = dict(zip(board.names, board.grid, strict=True))
        names = {at: cell for cell, at in grid.items()}
        letter, place = grid[name]
        step, _ = board.steps
        along = [names.get((letter + step[0] * far, place + step[1] * far)) for far in range(3)]
        if isinstance(board, Points):
            ways = [way for way in board.rays(board.names.index(name)) if len(way) > 1]
            way = chance.choice(ways or [()])
            along = [name, *(board.names[cell] for cell in way), None, None]
        signs: list[str] = []
        for far in range(chance.choice([1, 2, 3])):
            cell = along[far]
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

    def _line(self, word: str) -> str:
        record, _, ply = self._played()
        moves = [str(move) for move in record.moves[: max(ply, 1)]]
        if self._chance.random() < 0.3:
            self._chance.shuffle(moves)
        when = self._chance.choice(["", "", *WHEN]) if word == "reached" else ""
        return f'{self._plain()}{word} "{" ".join(moves) or "e5"}"{when}'

    def _move(self) -> str:
        chance = self._chance
        record, _, ply = self._played()
        moves = record.moves or ("e5",)
        move = moves[min(ply, len(moves) - 1)]
        tests = (f"move {ply + 1} = {move}", f"move {ply + 1} in ({move}, swap)")
        return chance.choice([*tests, f"contains move {move}"])


ODD = (
    *("", "ann", "Ann", "*", "?", "3", "03", "3.0", "-1", "+3", "NaN", "1e5", "0"),
    *("99999999999999999999", "-0.0", "and", "é", "\N{GRINNING FACE}", 'say "hi"', "it's \\ it"),
    *('","', "['Result']", "%", "_", "'; DROP TABLE games; --", "yavalath:size=4", "2026-11-??"),
)
"""Values that a column, SQL or JSON could misread."""

DATES = ("2026", "2026-11", "2026-11-03", "2026-10-01", "2026-12", "0000", "9999-12-31")
ROUNDS = ("-1", "0", "2.5", "3", "10", "9007199254740993")
WHOSE = ("", " of first", " of second", " of loser", " of 'ann'", " of winner", " of mover")
WHEN = (" at ply 0", " at ply 2", " at every ply", " at the last ply", " at any ply")
