"""Setups and openings with their results: of each game, and of each bot in each seat.

Must not know rules: moves and setups are made canonical by who knows them.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

from lath import games
from lath.games.core import GameError
from lath.notation.archive.identity import spellings
from lath.reports.page.entries import Entry, game_title
from lath.reports.page.lines import Lines

PLIES: Final = 2
"""Of an opening: a move and its answer."""

SHOWN: Final = 5
"""Lines told of a game."""

SHOWN_OF_A_BOT: Final = 3
"""Lines told of a bot, for each game and seat."""

_MOST_OF_A_BOT: Final = 1_000

SEATS: Final = ("first", "second")


class Beginnings:
    """Counts while the records go by; the counts of setups are first's, those of bots their own."""

    def __init__(self) -> None:
        self._setups: dict[str, Lines] = {}
        self._openings: dict[str, Lines] = {}
        self._bots: dict[tuple[str, str, int], Lines] = {}

    def add(self, entry: Entry) -> None:
        """Count one game that counts."""
        if entry.points is None:
            return
        record, number = entry.record, entry.number
        if start := start_text(record.game, record.tag("Setup"), record.tag("Position")):
            setups = self._setups.setdefault(record.game, Lines())
            setups.add(start, entry.points, number)
        spelled = spellings(record.game)
        moves = [spelled[ply.move] for ply in record.plies[:PLIES]]
        if len(moves) == PLIES:
            openings = self._openings.setdefault(record.game, Lines())
            openings.add(" ".join(moves), entry.points, number)
        self._add_to_bots(entry, entry.points, moves)

    def _add_to_bots(self, entry: Entry, points: float, moves: list[str]) -> None:
        """Count first's first move and second's first answer."""
        record = entry.record
        for seat, name in enumerate((record.first, record.second)):
            if len(moves) > seat:
                key = (name, record.game, seat)
                lines = self._bots.setdefault(key, Lines(_MOST_OF_A_BOT))
                own = 1 - points if seat else points
                lines.add(" ".join(moves[: seat + 1]), own, entry.number)

    def setups(self) -> list[dict[str, Any]]:
        """Return the setups of each game id, sorted; a game without setups has no line."""
        return _by_game(self._setups)

    def openings(self) -> list[dict[str, Any]]:
        """Return the openings of each game id, sorted."""
        return _by_game(self._openings)

    def of_bot(self, name: str) -> list[dict[str, Any]]:
        """Return what a bot began with, by game id and seat."""
        return [
            {
                "game": game,
                "title": game_title(game),
                "seat": SEATS[seat],
                **self._bots[bot, game, seat].to_json(SHOWN_OF_A_BOT),
            }
            for bot, game, seat in sorted(self._bots)
            if bot == name
        ]


def _by_game(lines: dict[str, Lines]) -> list[dict[str, Any]]:
    return [
        {"game": game, "title": game_title(game), **lines[game].to_json(SHOWN)}
        for game in sorted(lines)
    ]


@lru_cache(maxsize=4096)
def start_text(game_id: str, setup: str, position: str) -> str:
    """Return where a game starts in canonical text, as it stands where its game refuses it.

    Empty for the game's own beginning.
    """
    try:
        game = games.get(game_id)
        if position:
            return game.position(position).text()
        return game.canonical_setup(setup) if setup else ""
    except GameError:
        return position or setup
