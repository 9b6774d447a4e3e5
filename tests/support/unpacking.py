"""The unpacking of games in Python, like the page's scripts `js/packed.js` and `js/opened.js`."""

from __future__ import annotations

import base64
import json
import re
import zlib
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from lath.notation.rules.effects import applied


def opened(letters: str) -> Any:
    """Return the JSON value that `lath.reports.page.pack.json_letters` was given."""
    return json.loads(zlib.decompress(base64.b64decode(letters)))


def data_in(html: str) -> dict[str, Any]:
    """Return the data on records that a page embeds."""
    found = re.search(r'id="data">(.*?)</script>', html, re.DOTALL)
    assert found is not None
    chunks = re.findall(r'class="chunk">(.*?)</script>', html, re.DOTALL)
    return {**json.loads(found[1]), "chunks": chunks}


@dataclass
class Unpacked:
    """A game as the page shows it."""

    head: dict[str, str]
    moves: list[str]
    movers: list[int]
    stacks: list[tuple[str, ...]]
    """The content of each cell, ply by ply; empty without a replay."""
    deciding: list[int]
    is_loss: bool
    """True if the ending describes the loser."""
    tags: list[tuple[str, str]]
    said: list[str]
    """The text before the first move and after each move, as movetext."""
    better: list[tuple[int, list[str], list[tuple[str, ...]]]]
    """Better lines: the ply, the moves, and the content of each cell after each move."""
    legal: list[set[str]]
    """The texts of the legal moves, ply by ply."""


def unpacked(data: dict[str, Any]) -> list[Unpacked]:
    """Return the games that a page replays, in order."""
    head = opened(data["head"])
    chunks = [opened(chunk) for chunk in data["chunks"]]
    places = range(data["games"]) if head["replayed"] is None else head["replayed"]
    return [
        _game(head, place, chunks[at // data["chunk"]], at % data["chunk"])
        for at, place in enumerate(places)
    ]


def heads(data: dict[str, Any]) -> list[dict[str, str]]:
    """Return the list entries of all games, replayed or not."""
    columns = opened(data["head"])["columns"]
    return [_row(columns, place) for place in range(data["games"])]


def _row(columns: dict[str, Any], place: int) -> dict[str, str]:
    return {name: column["texts"][column["at"][place]] for name, column in columns.items()}


def _game(head: dict[str, Any], place: int, chunk: dict[str, Any], at: int) -> Unpacked:
    row = _row(head["columns"], place)
    family = head["families"][int(row["family"])]
    kinds = chunk["kinds"][at]
    movers = _movers(len(kinds) + 1, chunk["repeats"][at])
    stacks, shapes = [], {}
    if family["board"] is not None:
        pieces = head["boards"][family["board"]]["pieces"]
        shapes = {piece[0]: piece[2] for piece in pieces}
        stacks = [applied(chunk["starts"][at], family["plain"], shapes)]
        for kind, mover in zip(kinds, movers, strict=False):
            stacks.append(applied(family["kinds"][kind][1 + mover], stacks[-1], shapes))
    return Unpacked(
        head=row,
        moves=[family["kinds"][kind][0] for kind in kinds],
        movers=movers,
        stacks=stacks,
        deciding=[cell for cell in chunk["deciding"][at] if cell >= 0],
        is_loss=-1 in chunk["deciding"][at],
        tags=[(name, value) for name, value in chunk["tags"][at]],
        said=_said(chunk, at),
        better=[_better(family, shapes, line, stacks) for line in chunk["better"][at]],
        legal=_legal(family, kinds, chunk["legal"][at]) if stacks else [],
    )


def _better(
    family: dict[str, Any], shapes: dict[str, str], line: list[int], stacks: list[tuple[str, ...]]
) -> tuple[int, list[str], list[tuple[str, ...]]]:
    ply, *codes = line
    reached = [stacks[ply - 1]]
    for code in codes:
        effect = family["kinds"][code // 2][1 + code % 2]
        reached.append(applied(effect, reached[-1], shapes))
    return ply, [family["kinds"][code // 2][0] for code in codes], reached[1:]


def _movers(count: int, repeats: list[int]) -> list[int]:
    movers, mover = [], 1
    for i in range(count):
        mover = mover if i in repeats else 1 - mover
        movers.append(mover)
    return movers


def _said(chunk: dict[str, Any], at: int) -> list[str]:
    digits = iter(chunk["digits"][at])
    forms = [chunk["forms"][form] for form in chunk["said"][at]]
    return ["".join(next(digits) if sign == "1" else sign for sign in form) for form in forms]


def _legal(family: dict[str, Any], played: list[int], changes: list[list[int]]) -> list[set[str]]:
    legal, found = set(family["legal"]), []
    for ply, distances in enumerate(changes):
        if ply:
            legal.discard(played[ply - 1])
            if family["ends"]:
                legal -= _summed(family["ends"][played[ply - 1]])
                legal |= _summed(family["begins"][played[ply - 1]])
        legal ^= _summed(distances)
        found.append({family["kinds"][kind][0] for kind in legal})
    return found + [set()] * (len(played) + 1 - len(changes))


def _summed(distances: list[int]) -> set[int]:
    return set(accumulate(distances))
