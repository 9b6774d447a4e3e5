"""Games that a page inflates together: moves, notes and tags of up to a few thousand of one kind.

Must not know the rules of any game, nor the lists that a page shows of all games.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from operator import add
from typing import Any, Final

from lath.notation.record import Record
from lath.reports.page import notes
from lath.reports.page.detail import CLOCKS, EXACT, TIMES, Detail
from lath.reports.page.notes import Form, Slot, Values
from lath.reports.page.replays import Replay
from lath.reports.page.streams import (
    SIGNED,
    Column,
    Numbers,
    deflated,
    json_deflated,
    kind_code,
    lines,
    varint,
)

CHUNK: Final = 2000
"""Games in a chunk: a replay is there in some milliseconds, and deflate has learned the moves."""

HEADED: Final = ("Game", "First", "Second", "Round", "Setup", "Position", "Termination", "Number")
"""Tags whose values the list of all games has."""

AS_ROWS: Final = "rows"
"""The start of a game whose setup says, row by row, what lies on each cell."""

Value = dict[str, Any]


class Chunk:
    """Games one after the other, as streams of bytes."""

    def __init__(self) -> None:
        self.size = 0
        self.deciding = bytearray()
        self.starts = Column()
        self.repeats = Column()
        self.schemas = Column()
        self.tags: dict[str, Column] = {}
        self._plies = bytearray()
        self._before = bytearray()
        self._noted = bytearray()
        self._forms: Numbers = Numbers({notes.NOTHING: 0})
        self._values: dict[Slot, tuple[array[int], array[int]]] = {}
        self._times: dict[int, Sequence[int]] | None = None

    def add(self, record: Record, kinds: Sequence[int], replay: Replay | None, start: str) -> None:
        """Add a game; `start` is how it begins, in the words of `start_told`."""
        self._plies += b"".join(map(kind_code, kinds))
        self._add_notes(record)
        self._add_tags(record)
        self.starts.add(start)
        movers = (*replay.movers, replay.to_move) if replay else ()
        self.repeats.add(",".join(_repeats(movers)))
        deciding = replay.deciding if replay else ()
        self.deciding += varint(len(deciding)) + lines(deciding)
        self.size += 1

    def _add_tags(self, record: Record) -> None:
        schema = []
        shown = {"First": record.first, "Second": record.second, "Result": record.result}
        for name, value in record.tags:
            if name in shown:
                schema.append(name if value == shown[name] else f"{name}={value}")
                continue
            schema.append(name)
            if name not in HEADED:
                self.tags.setdefault(name, Column()).add(value)
        self.schemas.add("\n".join(schema))

    def _add_notes(self, record: Record) -> None:
        before, values = notes.parted(record.comments)
        self._before += varint(self._forms[Form("", before)])
        forms = []
        for number, ply in enumerate(record.plies, 1):
            if ply.comments or ply.glyph or ply.variations:
                form, more = notes.form_of(ply, number)
                values += more
                forms.append(form)
            else:
                forms.append(notes.NOTHING)
        self._noted += b"".join([varint(self._forms[form]) for form in forms])
        self._add_values(values)

    def _add_values(self, values: Values) -> None:
        game: dict[Slot, list[int]] = {}
        for slot, value in values:
            game.setdefault(slot, []).append(value)
        for slot, numbers in game.items():
            # The games without such a number need no entry: the forms say how many there are.
            known, ends = self._values.setdefault(slot, (array("q"), array("q")))
            known.extend(numbers)
            ends.extend((self.size, len(numbers)))

    @property
    def annotations(self) -> set[str]:
        """Return the names of all annotations of plies."""
        parts = (part for form in self._forms for comment in form.comments for part in comment)
        return {part.name for part in parts if not isinstance(part, str)}

    def games_to_json(self) -> Value:
        """Return all but what is said about the plies."""
        return {
            "games": self.size,
            "plies": deflated(self._plies),
            "deciding": deflated(self.deciding),
            "starts": self.starts.to_json(),
            "repeats": self.repeats.to_json(),
            "schemas": self.schemas.to_json(),
            "tags": {name: column.to_json() for name, column in self.tags.items()},
            "tagged": {name: len(column) for name, column in self.tags.items()},
        }

    def notes_to_json(self, detail: Detail) -> Value:
        """Return what is said about the plies, as exactly as `detail` wants."""
        return {
            "before": deflated(self._before),
            "noted": deflated(self._noted),
            "forms": json_deflated([notes.written(form, detail.keeps) for form in self._forms]),
            "values": {
                slot.key: deflated(self._told(slot, detail))
                for slot in self._values
                if detail.keeps(slot)
            },
        }

    def _told(self, slot: Slot, detail: Detail) -> bytes:
        exact = detail.scales.get(slot.name, EXACT) == EXACT
        known, ends = self._values[slot]
        return b"".join(
            _differences(game, self._spent(slot, i, len(game)) if exact else ())
            for i, game in _by_game(detail.told(slot, known), ends)
        )

    def _spent(self, slot: Slot, game: int, count: int) -> Sequence[int]:
        """Return the times by which a game's clocks went down; none for what is no clock."""
        times = Slot(TIMES, slot.decimals)
        if slot.name != CLOCKS or times not in self._values:
            return ()
        if self._times is None:
            self._times = dict(_by_game(*self._values[times]))
        spent = self._times.get(game, ())
        return spent if len(spent) == count else ()


def _by_game(values: Sequence[int], ends: Sequence[int]) -> Iterator[tuple[int, Sequence[int]]]:
    """Yield games and their values; `ends` are each game and how many it has, by turns."""
    at = 0
    for i in range(0, len(ends), 2):
        yield ends[i], values[at : at + ends[i + 1]]
        at += ends[i + 1]


def _differences(numbers: Sequence[int], spent: Sequence[int]) -> bytes:
    """Return each number as what it is more than the one two before, which is the same bot's.

    `spent` is what they are foretold to go down by; empty for nothing.
    """
    before = (0, 0, *numbers[:-2])
    if spent:
        numbers = list(map(add, numbers, spent))
    return b"".join([SIGNED[new - old] for new, old in zip(numbers, before, strict=False)])


def _repeats(movers: Sequence[int]) -> Iterator[str]:
    """Yield the plies, from 0, before which the turn did not pass; before the first is second."""
    before = 1
    for i, mover in enumerate(movers):
        if mover == before:
            yield str(i)
        before = mover


def start_told(replay: Replay, plain: Sequence[str], setup: str) -> str:
    """Return in words what lies on the board at the start.

    Empty: as `plain`; AS_ROWS: as the setup's rows say; else the cells that differ from `plain`,
    such as `3=g 7=Aw`.
    """
    if replay.start == tuple(plain):
        return ""
    if setup and "/".join(rows_of(replay)) == setup:
        return AS_ROWS
    cells = enumerate(zip(plain, replay.start, strict=True))
    return " ".join(f"{i}={new}" for i, (old, new) in cells if old != new)


def rows_of(replay: Replay) -> list[str]:
    """Return the contents of the first position row by row."""
    board = replay.game.board
    contents = dict(zip(board.name, replay.start, strict=True))
    return ["".join(contents[cell] for cell in row) for row in board.rows]
