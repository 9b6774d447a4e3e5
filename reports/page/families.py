"""The records of one game, replayed or not, in chunks.

Must not know the lists that a page shows of all games.
"""

from __future__ import annotations

from typing import Any

from lath.games.core import Game
from lath.notation.record import Record
from lath.reports.page.chunks import CHUNK, Chunk, start_told
from lath.reports.page.detail import Detail
from lath.reports.page.dictionary import Dictionary
from lath.reports.page.legal import LegalMoves
from lath.reports.page.replays import Replay
from lath.reports.page.streams import Numbers, deflated, json_deflated


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
