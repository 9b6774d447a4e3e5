"""When two records hold the same game: its id, where it starts, its moves. Nothing else counts.

Must not know files. Nothing is played, so that a game that its rules refuse has an identity too.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from hashlib import blake2b
from typing import Final

from lath import games
from lath.games.core import GameError, MoveSyntaxError
from lath.notation.record import SHORT, Record

SIZE: Final = 16
"""Bytes. Among ten million games, two that differ have one digest with a chance below 1e-24."""

_MOVES_KEPT: Final = 1 << 16
"""Spellings remembered a game; the built-in games have far fewer moves."""


def identity(record: Record) -> bytes:
    """Return 16 bytes that are equal for records of one game: id, start and moves of the main line.

    However they are spelled: a plain `Setup` and none, a `Setup` and the `Position` that it makes,
    `xb4-b2` and `xb2-b4` are the same. Players, result, other tags, comments and variations do
    not count. What the game cannot read counts as it stands.

    >>> from lath.notation import parse
    >>> short = parse('[Game "mammalath"] c3 xb4-b2 *')
    >>> long = parse('[Game "mammalath"] [First "ann"] 1. c3! {why not} 2. xb2-b4 1-0')
    >>> identity(short) == identity(long)
    True
    """
    game = record.game
    start = start_text(game, record.tag("Setup"), record.tag("Position"))
    words = "\n".join((game, start, *canonical_moves(record)))
    return blake2b(words.encode("utf-8", "surrogatepass"), digest_size=SIZE).digest()


def canonical_moves(record: Record) -> tuple[str, ...]:
    """Return the moves of the main line in canonical text, those that the game cannot read as is.

    Cheaper than `notation.canonical`: a game's spellings are looked up, not read again.
    """
    spelled = spellings(record.game)
    return tuple([spelled[move] for move in record.moves])


def start_text(game_id: str, setup: str, position: str) -> str:
    """Return the text of the position before the first ply, from the values of the tags.

    Of an unknown game, or what its game refuses, the value as it stands.
    """
    is_short = len(game_id) + len(setup) + len(position) <= SHORT
    return (_remembered if is_short else _start_text)(game_id, setup, position)


def _start_text(game_id: str, setup: str, position: str) -> str:
    try:
        game = games.get(game_id)
        start = game.position(position) if position else game.start(setup or None)
    except GameError:
        return f"Position {position}" if position else f"Setup {setup}"
    return start.text()


_remembered: Final = lru_cache(maxsize=4096)(_start_text)


class _Spellings(dict[str, str]):
    """The canonical text of the moves of one game, as they come by."""

    def __init__(self, game_id: str) -> None:
        self._game: Final = games.get(game_id)

    def __missing__(self, text: str) -> str:
        try:
            canonical: str = self._game.canonical(text)
        except MoveSyntaxError:
            canonical = text
        if len(self) >= _MOVES_KEPT:
            self.clear()
        if len(text) <= SHORT:
            self[text] = canonical
        return canonical


class _AsTheyStand(dict[str, str]):
    """The moves of a game that is not installed."""

    def __missing__(self, text: str) -> str:
        return text


def spellings(game_id: str) -> Mapping[str, str]:
    """Return the canonical text of each move of a game; of what it cannot read, the text itself.

    >>> spellings("mammalath")["xb4-b2"], spellings("chess")["e4"]
    ('xb2-b4', 'e4')
    """
    return _spellings(game_id) if len(game_id) <= SHORT else _AsTheyStand()


@lru_cache(maxsize=256)
def _spellings(game_id: str) -> Mapping[str, str]:
    try:
        return _Spellings(game_id)
    except GameError:
        return _AsTheyStand()
