"""Games as one JSON value of the page.

Must not know where they are stored. Most comments of bots differ in their numbers only, such as
`{[%emt 0.500] [%eval 0.12]}`: what is left without the numbers is the note's form.

Must not know how they are stored. Moves, tags, comments and variations are always kept whole.

Must not know the rules of any game, nor the lists that a page shows of all games.

Must not know the lists that a page shows of all games.

Must not know how the page looks, nor of other parts.

Must not know how the page looks.

A part is up to a hundred thousand games, in the page itself or in a script file beside it:

- `games`, `columns`: what lists show of every game, see `parts.COLUMNS`; `streams.Column` says how
  a column is written. Streams are raw deflate in the letters of `streams.lettered`.
- `families`: games of one id. `kinds` names the moves and, in the words of `effects`, what each
  does to the board by who plays it; so the page shows every ply and knows no rules. `plain` is the
  board without a setup.
- `chunks` of a family: `plies` are kinds, game after game; `starts` (see `chunks.start_told`),
  `repeats` (plies before which the turn did not pass), `deciding` cells; `schemas` are the names of
  each game's tags, `tags` the values that `columns` has not, `tagged` how many each has; `before`
  and `noted` number the `forms` of what is said (see `notes`), `values` are the numbers in them as
  differences to the one two before; `legal` see `legal.LegalMoves`.
- `scales`, `lost`, `legal`: how exactly numbers are told, what is left out (see `detail`), and
  whether legal moves are there.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import add
from typing import Any, Final, NamedTuple

from lath import games
from lath.games.core import Game
from lath.games.errors import GameError
from lath.notation.record import Annotation, Comment, Ply, Record, Variation
from lath.notation.writer import comment_words, variation_words
from lath.reports.boards import template
from lath.reports.page.replay import (
    MOST_PLIES,
    SIGNED,
    Column,
    Dictionary,
    LegalMoves,
    Numbers,
    Replay,
    deflated,
    json_deflated,
    kind_code,
    lines,
    varint,
)
from lath.reports.statistics import Numbering

_DECIMAL: Final = re.compile(r"-?(?:0|[1-9][0-9]{0,11})(?:\.[0-9]{1,4})?", re.ASCII)


class Slot(NamedTuple):
    """Where a number stands: the annotation's name and how many decimals the number has."""

    name: str
    decimals: int

    @property
    def key(self) -> str:
        """Return the name of the slot's numbers, such as `3emt`."""
        return f"{self.decimals}{self.name}"


NotePart = str | Annotation | Slot

Parts = tuple[tuple[NotePart, ...], ...]


class Form(NamedTuple):
    """What is said about a ply, without numbers."""

    glyph: str = ""
    comments: Parts = ()
    variations: tuple[Variation, ...] = ()
    number: int = 0
    """The ply's number, if it has variations, for they begin with it; else 0."""


Values = list[tuple[Slot, int]]

NOTHING: Final = Form()


def form_of(ply: Ply, number: int) -> tuple[Form, Values]:
    """Return the form of what is said about the ply of this number, and what fills it."""
    comments, values = parted(ply.comments)
    return Form(ply.glyph, comments, ply.variations, number if ply.variations else 0), values


def parted(comments: Iterable[Comment]) -> tuple[Parts, Values]:
    """Return comments with slots in place of numbers, and the numbers."""
    values: Values = []
    return tuple([_with_slots(comment, values) for comment in comments]), values


def _with_slots(comment: Comment, values: Values) -> tuple[NotePart, ...]:
    parts: list[NotePart] = []
    for part in comment:
        filled = None if isinstance(part, str) else _read(part.name, part.value)
        if filled is None:
            parts.append(part)
        else:
            values.append(filled)
            parts.append(filled[0])
    return tuple(parts)


@lru_cache(maxsize=65536)
def _read(name: str, value: str) -> tuple[Slot, int] | None:
    """Return slot and number of an annotation that is written as numbers are; else None."""
    if not _DECIMAL.fullmatch(value):
        return None
    digits = value.replace(".", "")
    if digits.startswith("-") and not int(digits):
        return None  # -0.00 would come back without its sign
    decimals = len(value) - value.index(".") - 1 if "." in value else 0
    return Slot(name, decimals), int(digits)


Written = list[str | list[str]]
"""A form as movetext; a list of one text is the key of the number that stands there."""


def written(form: Form, keeps: Callable[[Annotation | Slot], bool]) -> Written:
    """Return what stands behind the move, glyph first, with those annotations that `keeps` wants.

    Words have single blanks between; a line end is a word of its own.
    """
    comments = [_kept(comment, keeps) for comment in form.comments]
    words = [word for comment in comments for word in comment_words(comment)]
    words += [word for line in form.variations for word in variation_words(line, form.number)]
    text = form.glyph + "".join(f" {word}" for word in words)
    slots = [part for comment in form.comments for part in comment if isinstance(part, Slot)]
    return list(_cut(text, [slot.key for slot in slots if keeps(slot)]))


_HOLE: Final = "\x00"
"""Stands for a number; a text that has one of its own keeps it, for only slots are cut out."""


def _kept(comment: tuple[NotePart, ...], keeps: Callable[[Annotation | Slot], bool]) -> Comment:
    kept = (part for part in comment if isinstance(part, str) or keeps(part))
    return tuple(Annotation(part.name, _HOLE) if isinstance(part, Slot) else part for part in kept)


def _cut(text: str, keys: list[str]) -> Iterator[str | list[str]]:
    for key in keys:
        hole = f"[%{key.lstrip('0123456789')} {_HOLE}]"
        before, _, text = text.partition(hole)
        yield before + hole[:-2]
        yield [key]
        text = f"]{text}"
    yield text


TIMES, EVALUATIONS, CLOCKS = "emt", "eval", "clk"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """Steps in place of exact numbers; either factor is 0."""

    ratio: float = 0.0
    """Steps grow: step n (from 1) stands for ratio^(n-1) thousandths, 0 for none."""

    steps: int = 0
    """Steps are equal: n stands for n/steps, in -1..1."""

    def step(self, value: float) -> int:
        """Return the step of a value (seconds, or an evaluation)."""
        if self.steps:
            return round(min(max(value, -1.0), 1.0) * self.steps)
        thousandths = value * 1000
        return 0 if thousandths < 0.5 else 1 + max(0, round(math.log(thousandths, self.ratio)))


EXACT: Final = Scale()


@dataclass(frozen=True, slots=True)
class Detail:
    """What is told of each ply beside the move and words."""

    scales: dict[str, Scale]
    """How each annotation is told, by name."""

    everything: bool = False
    """Whether annotations that `scales` does not name are told, too."""

    def keeps(self, part: Annotation | Slot) -> bool:
        """Return whether an annotation is told."""
        if part.name not in self.scales:
            return self.everything
        return isinstance(part, Slot) or self.scales[part.name] == EXACT

    def told(self, slot: Slot, values: Sequence[int]) -> list[int]:
        """Return the numbers of a slot as they are told."""
        scale = self.scales.get(slot.name, EXACT)
        if scale == EXACT:
            return list(values)
        unit: float = 10**slot.decimals
        steps = {value: scale.step(value / unit) for value in set(values)}
        return [steps[value] for value in values]


DETAILS: Final = (
    Detail({TIMES: EXACT, EVALUATIONS: EXACT, CLOCKS: EXACT}, everything=True),
    Detail({TIMES: EXACT, EVALUATIONS: EXACT}),
    # 33 steps each: 1 ms to 7 min to within 23 %, and evaluations to within 0.03.
    Detail({TIMES: Scale(ratio=1.5), EVALUATIONS: Scale(steps=16)}),
    Detail({EVALUATIONS: Scale(steps=16)}),
    Detail({EVALUATIONS: Scale(steps=4)}),
    Detail({}),
)
"""From the most to the least; a page has the first that fits."""


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
        self._forms: Numbers = Numbers({NOTHING: 0})
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
        before, values = parted(record.comments)
        self._before += varint(self._forms[Form("", before)])
        forms = []
        for number, ply in enumerate(record.plies, 1):
            if ply.comments or ply.glyph or ply.variations:
                form, more = form_of(ply, number)
                values += more
                forms.append(form)
            else:
                forms.append(NOTHING)
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
            "forms": json_deflated([written(form, detail.keeps) for form in self._forms]),
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


class Family:
    """Records of one game id; all of them can be replayed, or none."""

    def __init__(self, game_id: str, board: int | None, dictionary: Dictionary | None) -> None:
        self.game_id = game_id
        self.board = board
        """The number of its board in the page; None without replays."""
        self.dictionary = dictionary
        self.chunks: list[Chunk] = []
        self.legal: list[str] = []
        """The legal moves of each chunk, deflated; empty where they are not told."""
        self._plain = dictionary.game.start().contents() if dictionary else ()
        self._texts = Numbers()

    def add(self, record: Record, replay: Replay | None) -> None:
        """Add a record; `replay` is there if the family has a board."""
        if not self.chunks or self.chunks[-1].size == CHUNK:
            self.chunks.append(Chunk())
        if replay is None:
            kinds, start = tuple(self._texts[move] for move in record.moves), ""
        else:
            kinds, start = replay.kinds, start_told(replay, self._plain, record.tag("Setup"))
        self.chunks[-1].add(record, kinds, replay, start)

    def add_legal_moves(self, played: list[tuple[Record, Replay]]) -> None:
        """Work out the legal moves of all records, which are in order those of the family."""
        if self.dictionary is None:
            return
        moves = LegalMoves(self.dictionary)
        streams = [moves.of_game(record, replay.kinds) for record, replay in played]
        self.legal = [
            deflated(b"".join(streams[i : i + CHUNK])) for i in range(0, len(streams), CHUNK)
        ]

    @property
    def game(self) -> Game | None:
        """Return the rules; None without replays."""
        return self.dictionary.game if self.dictionary else None

    def games_to_json(self) -> dict[str, Any]:
        """Return the family without what is said about plies.

        `kinds`: for each kind of move its text and what it does if first, if second plays it.
        """
        return {
            "id": self.game_id,
            "title": self.game.title if self.game else self.game_id or "unknown game",
            "board": self.board,
            "plain": list(self._plain),
            "kinds": self.kinds_to_json(),
            "chunks": [chunk.games_to_json() for chunk in self.chunks],
        }

    def kinds_to_json(self) -> str:
        """Return the kinds of moves, which legal moves add to."""
        if self.dictionary is None:
            return json_deflated([[text, None, None] for text in self._texts])
        pairs = zip(self.dictionary.kinds, self.dictionary.effects, strict=True)
        return json_deflated([[text, *effects] for (text, _), effects in pairs])

    def notes_to_json(self, detail: Detail) -> list[dict[str, Any]]:
        """Return what is said about the plies, for each chunk."""
        return [chunk.notes_to_json(detail) for chunk in self.chunks]


_SCALES: Final = 150
"""Bytes for how exactly numbers are told."""

_MANY: Final = 4
"""Chunks of a game from which on the first one foretells the size of the others."""

_NEAR: Final = 1.3
"""How much larger than the room the foretold size may be; games get longer and shorter."""

COLUMNS: Final = ("family", "first", "second", "round", "result", "termination", "setup",
                  "position", "ending", "plies", "problem", "number")  # fmt: skip
"""What the list of all games has of each."""


@dataclass(frozen=True, slots=True)
class Told:
    """What playing a record through told."""

    ending: str
    """In the game's words how the rules ended it; empty where they did not."""

    problem: str
    """Why there is no replay; empty where there is one."""

    replay: Replay | None


class Part:
    """Takes records one by one; `board_number` gives each game's board a number in the page."""

    def __init__(self, board_number: Callable[[Game], int]) -> None:
        self.size = 0
        self._board_number = board_number
        self._families: dict[tuple[str, bool], Family] = {}
        self._dictionaries: dict[str, Dictionary] = {}
        self._columns = {name: Column() for name in COLUMNS}
        self._played: dict[tuple[str, bool], list[tuple[Record, Replay]]] | None = {}
        self._plies = 0

    def add(self, record: Record) -> Told:
        """Add a record."""
        told = self._told(record)
        key = (record.game, told.replay is not None)
        family = self._families.get(key) or self._open(key)
        family.add(record, told.replay)
        self._remember(key, record, told.replay)
        self._add_row(record, told, list(self._families).index(key))
        self.size += 1
        return told

    def _told(self, record: Record) -> Told:
        try:
            replay = self._dictionary(record.game).play(record)
        except GameError as error:
            return Told("", str(error), None)
        return Told(replay.ending, "", replay)

    def _dictionary(self, game_id: str) -> Dictionary:
        known = self._dictionaries.get(game_id)
        if known is None:
            known = self._dictionaries[game_id] = Dictionary(games.get(game_id))
        return known

    def _open(self, key: tuple[str, bool]) -> Family:
        dictionary = self._dictionaries[key[0]] if key[1] else None
        board = self._board_number(dictionary.game) if dictionary else None
        self._families[key] = family = Family(key[0], board, dictionary)
        return family

    def _remember(self, key: tuple[str, bool], record: Record, replay: Replay | None) -> None:
        """Keep the record for its legal moves, as long as these may fit."""
        self._plies += len(record.plies)
        if self._plies > MOST_PLIES:
            self._played = None
        if self._played is not None and replay is not None:
            self._played.setdefault(key, []).append((record, replay))

    def _add_row(self, record: Record, told: Told, family: int) -> None:
        row = (
            *(str(family), record.first, record.second, record.tag("Round"), record.result),
            *(record.termination, record.tag("Setup"), record.tag("Position"), told.ending),
            *(str(len(record.plies)), told.problem, record.tag("Number")),
        )
        for name, text in zip(COLUMNS, row, strict=True):
            self._columns[name].add(text)

    def to_json(self, room: int) -> dict[str, Any]:
        """Return the part; `lath.reports.page.pack` describes its shape.

        What is said about moves is as exact as fits into `room` bytes of JSON with all the rest.
        """
        families = [family.games_to_json() for family in self._families.values()]
        part = {
            "games": self.size,
            "columns": {name: column.to_json() for name, column in self._columns.items()},
            "families": families,
        }
        room -= _size(part) + _size(sorted(self._annotations)) + _SCALES
        detail, said = self._fitting(room)
        for family, chunks in zip(families, said, strict=True):
            for chunk, more in zip(family["chunks"], chunks, strict=True):
                chunk |= more  # noqa: PLW2901 - the dict is what changes
        part["scales"] = _scales(detail)
        part["lost"] = sorted(self._annotations - _kept_names(detail, self._annotations))
        part["legal"] = detail is DETAILS[0] and self._add_legal(families, room - _size(said))
        return part

    def _fitting(self, room: int) -> tuple[Detail, list[list[dict[str, Any]]]]:
        for detail in DETAILS:
            if detail is DETAILS[-1] or self._may_fit(detail, room):
                said = [family.notes_to_json(detail) for family in self._families.values()]
                if detail is DETAILS[-1] or _size(said) <= room:
                    break
        return detail, said

    def _may_fit(self, detail: Detail, room: int) -> bool:
        """Return whether it is worth trying, by the first chunk of each of many."""
        if all(len(family.chunks) < _MANY for family in self._families.values()):
            return True
        firsts = [(family.chunks[0], len(family.chunks)) for family in self._families.values()]
        told = sum(_size(chunk.notes_to_json(detail)) * (many - 1) for chunk, many in firsts)
        return told <= _NEAR * room

    def _chunks(self) -> Iterator[Chunk]:
        for family in self._families.values():
            yield from family.chunks

    @property
    def _annotations(self) -> set[str]:
        return {name for chunk in self._chunks() for name in chunk.annotations}

    def _add_legal(self, families: list[dict[str, Any]], room: int) -> bool:
        """Add the legal moves if they fit, and return whether they did."""
        if self._played is None:
            return False
        for key, played in self._played.items():
            self._families[key].add_legal_moves(played)
        streams = [family.legal for family in self._families.values()]
        kinds = [family.kinds_to_json() for family in self._families.values()]
        known = [family["kinds"] for family in families]
        if _size(streams) + _size(kinds) - _size(known) > room:
            return False
        for value, more, family in zip(families, kinds, self._families.values(), strict=True):
            value["kinds"] = more
            for chunk, stream in zip(value["chunks"], family.legal, strict=False):
                chunk["legal"] = stream
        return True


def _size(value: Any) -> int:
    return len(json.dumps(value, separators=(",", ":")))


def _scales(detail: Detail) -> dict[str, dict[str, float]]:
    return {
        name: {"ratio": scale.ratio} if scale.ratio else {"steps": scale.steps}
        for name, scale in detail.scales.items()
        if scale != EXACT
    }


def _kept_names(detail: Detail, names: set[str]) -> set[str]:
    return names if detail.everything else names & set(detail.scales)


__all__ = ["FOLDER", "PART", "Pack", "Packer", "Told", "pack"]

ROOM: Final = 600_000
"""Bytes that a page may always take."""

ROOM_A_GAME: Final = 60
"""Bytes a game where that is more: with 100,000 games a page takes 6 MB, and so does a file."""

PART: Final = 100_000
"""Games in the page itself; if there are more, each so many have a file of their own."""

FOLDER: Final = "report-games"
"""Where the files beside the page lie."""


_FRAME: Final = 200
"""Bytes of the words round boards and games, and more."""


@dataclass(frozen=True, slots=True)
class Pack:
    """What the page embeds, and what lies beside it."""

    data: dict[str, Any]
    """`boards` (a stream), `games` (how many), `parts`: a part's games, its `file` or `part`.

    Where games are not called by their place, also the lowest and the highest of its `numbers`.
    """

    shards: Mapping[str, str]
    """Script files by name, with `/` between folder and file; empty up to PART games."""


class Packer:
    """Takes records one by one, then gives all that the page has of them."""

    def __init__(self, *, part_games: int = PART) -> None:
        self.numbering = Numbering()
        self._part_games = part_games
        self._boards: dict[str, Game] = {}
        self._part = Part(self._board_number)
        self._sizes: list[int] = []
        self._texts: list[str] = []

    def add(self, record: Record) -> Told:
        """Add the next record and return what playing it through told."""
        if self._part.size == self._part_games:
            self._close()
        self.numbering.add(record)
        return self._part.add(record)

    def _board_number(self, game: Game) -> int:
        self._boards.setdefault(game.id, game)
        return list(self._boards).index(game.id)

    @property
    def is_split(self) -> bool:
        """Return whether the games are in files beside the page."""
        return bool(self._texts)

    def _close(self) -> None:
        """Write the part as a script file, and begin the next."""
        number = len(self._sizes)
        text = json.dumps(self._part.to_json(room(self._part.size)), separators=(",", ":"))
        self._texts.append(f"lath.shard({number},{text});\n")
        self._sizes.append(self._part.size)
        self._part = Part(self._board_number)

    def pack(self, folder: str = FOLDER, *, taken: int = 0) -> Pack:
        """Return everything, with files in `folder`; nothing can be added after that.

        `taken` bytes of the room are the page's without the games. What is said about moves is as
        exact as fits into the rest; the moves themselves are there even if they do not fit.
        """
        boards = json_deflated([_board_to_json(game) for game in self._boards.values()])
        shards: dict[str, str] = {}
        if self._texts:
            self._close()
            shards = {_file(folder, i, text): text for i, text in enumerate(self._texts, 1)}
            named = zip(self._sizes, shards, strict=True)
            parts: list[dict[str, Any]] = [{"games": n, "file": file} for n, file in named]
        else:
            rest = room(self._part.size) - taken - len(boards) - _FRAME
            parts = [{"games": self._part.size, "part": self._part.to_json(rest)}]
        if self.numbering.by_tag:
            self._tell_numbers(parts)
        data = {
            "games": sum(part["games"] for part in parts),
            "boards": boards,
            "parts": parts,
        }
        return Pack(data, shards)

    def _tell_numbers(self, parts: Iterable[dict[str, Any]]) -> None:
        first = 1
        for part in parts:
            part["numbers"] = self.numbering.bounds(first, part["games"])
            first += part["games"]


def pack(records: Iterable[Record], *, taken: int = 0) -> Pack:
    """Return the records for the page; the same records give the same bytes."""
    packer = Packer()
    for record in records:
        packer.add(record)
    return packer.pack(taken=taken)


def room(games: int) -> int:
    """Return how many bytes a page of so many games may take, or a file beside it.

    >>> room(300), room(10_000), room(100_000)
    (600000, 600000, 6000000)
    """
    return max(ROOM, ROOM_A_GAME * games)


def _file(folder: str, number: int, text: str) -> str:
    """Return a name that changes with the text: a page that is open keeps the files it knows."""
    return f"{folder}/{number:03}-{hashlib.sha256(text.encode()).hexdigest()[:8]}.js"


def _board_to_json(game: Game) -> dict[str, Any]:
    """Return what the script must know of a game's board.

    In addition to what the drawing takes: `credit`; `rows`, the cells in the order in which texts
    of setups list them; and `drawn`, the plate with all that can lie on it.
    """
    place = {name: i for i, name in enumerate(game.board.names)}
    rows = [place[game.board.name[bit]] for row in game.board.rows for bit in row]
    drawn = template.template(game)
    return {**template.to_json(game), "credit": game.credit, "rows": rows, "drawn": drawn}
