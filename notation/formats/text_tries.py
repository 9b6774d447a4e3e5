"""Attempts to read the words of loose text as moves of each game, and how far this succeeds."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from typing import Final, NamedTuple

from lath import games
from lath.games.core import Game, read_move
from lath.games.errors import GameError, MoveSyntaxError
from lath.notation.formats.text_moves import WrittenMove
from lath.notation.record.errors import Fault, listed, shortened
from lath.notation.text.suggestions import meant_move

NAMED: Final = '[Game "ID"], or --game ID'
"""The expected text if the game is unknown."""


def move_in(game: Game, word: str) -> tuple[str, bool]:
    """Return the move of a word, or "", and whether characters after it were dropped."""
    return _move_of(game.id, word)


@lru_cache(maxsize=1 << 14)
def _move_of(game_id: str, word: str) -> tuple[str, bool]:
    game = games.get(game_id)
    dashed = re.sub("[‐‑‒–—−]", "-", word)
    bare = dashed.strip("+#=:.*'\"“”x-")
    turned = bare[-1:] + bare[:-1]
    for text in (word, re.sub(r"[+#=:.*'\"”x]+$", "", dashed), bare, bare.replace("-", ""), turned):
        try:
            return game.canonical(text), _count(text) < _count(dashed)
        except MoveSyntaxError:
            if text and (meant := meant_move(game, text)):
                return meant, _count(text) < _count(dashed)
    return "", False


def _count(text: str) -> int:
    """Return the number of characters of a move without its dashes."""
    return len(text) - text.count("-")


def as_moves(game: Game, words: list[WrittenMove]) -> list[WrittenMove]:
    """Return the words as moves: words with a dash are split, a piece and its cell are joined."""
    found: list[WrittenMove] = []
    for word in words:
        before = found[-1].text if found and not move_in(game, found[-1].text)[0] else ""
        if before.isalpha() and not move_in(game, word.text)[0]:
            piece = before[0] if before.lower() in game.colours else before
            if move_in(game, piece + word.text)[0]:
                found[-1] = replace(word, text=piece + word.text, at=found[-1].at)
                continue
        parts = [word.text] if move_in(game, word.text)[0] else re.split("[-‐‑‒–—−/]", word.text)
        if len(parts) != 2 or not all(move_in(game, part)[0] for part in parts):
            found.append(word)
            continue
        found += [
            WrittenMove(parts[0], word.at),
            replace(word, text=parts[1], at=word.at + len(parts[0]) + 1),
        ]
    return found


class Tried(NamedTuple):
    """How far the moves of a record are legal in one game."""

    game_id: str
    plies: int
    stop: WrittenMove | None
    """The first illegal move; None if all are legal."""


def tried(game: Game, given: list[WrittenMove]) -> Tried:
    """Return how far the moves are legal in a game; words of an ending can follow them."""
    words = as_moves(game, given)
    position = game.start()
    count = 0
    for count, word in enumerate(words):
        if not (move := move_in(game, word.text)[0]):
            behind = words[count:]
            is_end = count > 0 and not any(re.search("[0-9]", one.text) for one in behind)
            return Tried(game.id, count, None if is_end else word)
        try:
            position = position.play(read_move(position, move))
        except GameError:
            return Tried(game.id, count, word)
    return Tried(game.id, count + 1, None if words else WrittenMove("", 0))


def furthest_fault(some: list[Tried], words: list[WrittenMove]) -> Fault:
    """Return the fault of moves that no game allows, with the game that comes furthest."""
    expected = NAMED
    most = max(one.plies for one in some)
    best = [one for one in some if one.plies == most]
    word = best[0].stop or words[0]
    what = "no game allows all moves"
    if most:
        furthest = listed([one.game_id for one in best], "and")
        what += f"; {furthest} come furthest, to {shortened(word.text)} at ply {most + 1}"
    if most and len(best) == 1:
        expected += f" such as --game {best[0].game_id}"
    return Fault("no-game", what, expected, word.at)


def example(game: Game) -> str:
    """Return the expected text in the place of a word that is not a move."""
    return f"a move such as {game.start().legal_moves()[0]}"
