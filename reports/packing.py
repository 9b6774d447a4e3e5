"""Records and their replays as one compact JSON value, which the page's script unpacks.

Must not know how the page looks.

The shape of the value is written down at `pack`. A cell or a stack (what lies on a cell) is one
character of `alphabet`, its place there being the number; texts that come again and again are
stored once and named by number.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from games.core import Game, GameError
from notation.record import Comment, Ply, Record, Variation
from reports import board
from reports.replays import Replay, replay

_SAFE: Final = "".join(chr(code) for code in range(33, 127) if chr(code) not in "\"'\\<>&")
"""Characters that JSON in HTML writes as themselves, blank excepted, which separates plies."""

_BEYOND: Final = 0x100
"""Where the alphabet goes on when a board has more cells, or a game more stacks."""

_SHOWN_ELSEWHERE: Final = frozenset(
    ("Game", "Round", "First", "Second", "Setup", "Position", "Termination", "Result")
)
"""Tags that are not listed with a game, because the page shows them in another way."""


def alphabet(size: int) -> str:
    """Return `size` different characters."""
    beyond = "".join(chr(_BEYOND + i) for i in range(max(0, size - len(_SAFE))))
    return (_SAFE + beyond)[:size]


class Numbers(dict[str, int]):
    """Texts by the number under which each is stored, from 0 in order of appearance."""

    def __missing__(self, text: str) -> int:
        self[text] = number = len(self)
        return number


@dataclass(frozen=True, slots=True)
class PackedBoard:
    """A game whose board the page can draw."""

    game: Game
    stacks: Numbers = field(default_factory=lambda: Numbers({"": 0}))
    """Every content of a cell that occurs; 0 is the empty cell."""


@dataclass(frozen=True, slots=True)
class Pack:
    """What the page embeds."""

    data: dict[str, Any]
    boards: tuple[PackedBoard, ...]


def pack(records: Iterable[Record]) -> Pack:
    """Return the records for the page: JSON values only, deterministic.

    `texts`: the stored texts. `boards`: per game `title`, `credit`, `seats` (word and colour of
    both), `cells`, `centres` (x, y, x, y, …) and `stacks` (in words). `games`: a list per record,
    see `_Packer.game`.
    """
    packer = _Packer()
    games = [packer.game(record) for record in records]
    boards = tuple(packer.boards.values())
    sizes = [max(len(one.stacks), len(one.game.board.names)) for one in boards]
    data = {
        "alphabet": alphabet(max(sizes, default=0)),
        "texts": list(packer.texts),
        "boards": [_board_to_json(one) for one in boards],
        "games": games,
    }
    return Pack(data, boards)


def _board_to_json(packed: PackedBoard) -> dict[str, Any]:
    game, pieces = packed.game, board.pieces_of(packed.game)
    centres = (round(at, 1) for centre in game.board.centres for at in board.placed(centre))
    return {
        "title": game.title,
        "credit": game.credit,
        "seats": [[word, _seat_colour(word, game)] for word in game.colours],
        "cells": list(game.board.names),
        "centres": list(centres),
        "stacks": [board.piece_words(content, pieces) for content in packed.stacks],
    }


def _seat_colour(word: str, game: Game) -> str:
    """Return the colour of the piece whose name begins with the word; grey if there is none."""
    named = (piece.colour for piece in game.pieces if piece.name.split(" ")[0] == word)
    return next(named, "#808080")


class _Packer:
    """Stores texts and stacks once while records go by."""

    def __init__(self) -> None:
        self.texts = Numbers()
        self.boards: dict[str, PackedBoard] = {}

    def game(self, record: Record) -> list[Any]:
        """Return the record as a list.

        In it, T being the number of a text: 0 game id T, 1 first T, 2 second T, 3 round T,
        4 result T, 5 termination T, 6 plies, 7 moves with glyphs joined by blanks, 8 thinking
        times in ms, 9 evaluations in hundredths (both joined by blanks, an empty word where there
        is none, or an empty text where there are none at all), 10 notes by ply (0: before the
        first move), 11 other tags (T, T, …), 12 the replay or, as a text, why there is none.
        """
        return [
            self.texts[record.game],
            self.texts[record.first],
            self.texts[record.second],
            self.texts[record.tag("Round")],
            self.texts[record.result],
            self.texts[record.termination],
            len(record.plies),
            " ".join(_one_word(ply.move + ply.glyph) for ply in record.plies),
            _joined(_scaled(ply.used_s, 1000) for ply in record.plies),
            _joined(_scaled(ply.eval, 100) for ply in record.plies),
            _notes(record),
            [
                self.texts[word]
                for tag in record.tags
                if tag[0] not in _SHOWN_ELSEWHERE
                for word in tag
            ],
            self._replay(record),
        ]

    def _replay(self, record: Record) -> list[Any] | str:
        """Return the replay as a list, or why there is none.

        0 board, 1 start T (a stack per cell), 2 changes (cell, stack, cell, stack, …; plies joined
        by blanks), 3 movers (a digit a ply, empty if the seats alternate from first on), 4 ending
        T, 5 deciding cells.
        """
        try:
            played = replay(record)
        except GameError as error:
            return str(error)
        packed = self.boards.setdefault(played.game.id, PackedBoard(played.game))
        place = list(self.boards).index(played.game.id)
        return [
            place,
            self.texts["".join(_letter(packed.stacks[content]) for content in played.start)],
            " ".join(
                "".join(_letter(cell) + _letter(packed.stacks[new]) for cell, new in change)
                for change in played.changes
            ),
            _movers(played),
            self.texts[played.ending],
            "".join(_letter(cell) for cell in played.deciding),
        ]


def _letter(number: int) -> str:
    return _SAFE[number] if number < len(_SAFE) else chr(_BEYOND + number - len(_SAFE))


def _movers(played: Replay) -> str:
    alternate = all(seat == i % 2 for i, seat in enumerate(played.movers))
    return "" if alternate else "".join(str(int(seat)) for seat in played.movers)


def _one_word(move: str) -> str:
    """Return a move without blanks, which separate moves; no game of ours has one."""
    return "_".join(move.split()) or "_"


def _scaled(value: float | None, unit: int) -> str:
    return str(round(value * unit)) if value is not None and math.isfinite(value) else ""


def _joined(words: Iterable[str]) -> str:
    listed = list(words)
    return " ".join(listed) if any(listed) else ""


def _notes(record: Record) -> dict[str, str]:
    """Return what is said in words about each ply; 0 stands for the start."""
    said = {"0": _words(record.comments)}
    said |= {str(number): _said_of(ply) for number, ply in enumerate(record.plies, 1)}
    return {number: words for number, words in said.items() if words}


def _said_of(ply: Ply) -> str:
    return " ".join(filter(None, (_words(ply.comments), *map(_line, ply.variations))))


def _line(variation: Variation) -> str:
    """Return a variation in brackets with all that is said in it."""
    words = [_words(variation.comments)]
    for ply in variation.plies:
        words += [ply.move + ply.glyph, _said_of(ply)]
    return f"({' '.join(filter(None, words))})"


def _words(comments: Sequence[Comment]) -> str:
    return " ".join(part for parts in comments for part in parts if isinstance(part, str))
