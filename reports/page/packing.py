"""Records as compact JSON values, which the page's script unpacks.

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
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from lath.games.core import Game
from lath.notation.record import Record
from lath.reports.boards import template
from lath.reports.page.numbering import Numbering
from lath.reports.page.parts import Part, Told
from lath.reports.page.streams import json_deflated

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
