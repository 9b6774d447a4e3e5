"""Up to a hundred thousand games as one JSON value, as exact as there is room for.

Must not know how the page looks, nor of other parts.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from lath import games
from lath.games.core import Game, GameError
from lath.notation.record import Record
from lath.reports.page.chunks import Chunk
from lath.reports.page.detail import DETAILS, EXACT, Detail
from lath.reports.page.dictionary import Dictionary
from lath.reports.page.families import Family
from lath.reports.page.legal import MOST_PLIES
from lath.reports.page.replays import Replay
from lath.reports.page.streams import Column

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
        """Return the part; `lath.reports.page.packing` describes its shape.

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
