"""What the page's script does with packed games, in Python: `js/chunks.js` and `js/opened.js`."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from lath.reports.page.replay import applied, inflated

_PACKED = re.compile(r'<script type="text/plain" class="packed">(.*?)</script>')


def whole(html: str) -> str:
    """Return a page with what is packed in its place, as `js/unpack.js` puts it; scripts stay."""
    return _PACKED.sub(lambda packed: inflated(packed[1]).decode(), html)


class Reader:
    """Reads numbers from the beginning of bytes on."""

    def __init__(self, text: str) -> None:
        self.bytes = inflated(text)
        self.at = 0

    def byte(self) -> int:
        self.at += 1
        return self.bytes[self.at - 1]

    def next(self) -> int:
        value, shift = 0, 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7

    def signed(self) -> int:
        number = self.next()
        return -(number + 1) // 2 if number % 2 else number // 2

    def kind(self) -> int:
        byte = self.byte()
        if byte < 224:
            return byte
        return self.next() if byte == 255 else 224 + (byte - 224) * 256 + self.byte()

    def line(self, count: int) -> list[int]:
        found, value = [], 0
        for _ in range(count):
            value += self.signed()
            found.append(value)
        return found


def column(packed: dict[str, str], count: int) -> list[str]:
    """Return the text of each game."""
    if "all" in packed:
        return [packed["all"]] * count
    if "numbers" in packed:
        return [str(number) for number in Reader(packed["numbers"]).line(count)]
    texts, behind = (
        json.loads(inflated(packed.get("texts") or packed["squared"])),
        Reader(packed["at"]),
    )
    if "squared" in packed:
        texts = [_in_rows(text) for text in texts]
    found, fresh = [], 0
    for _ in range(count):
        at = fresh - behind.next()
        fresh += at == fresh
        found.append(texts[at])
    return found


def _in_rows(text: str) -> str:
    if text.startswith("/"):
        return text[1:]
    width = math.isqrt(len(text)) or 1
    return "/".join(text[i : i + width] for i in range(0, len(text), width))


@dataclass
class Unpacked:
    """A game as the page has it."""

    head: dict[str, str]
    moves: list[str]
    movers: list[int]
    stacks: list[tuple[str, ...]]
    """What lies on each cell, ply by ply; empty where there is no replay."""
    deciding: list[int]
    tags: list[tuple[str, str]]
    values: dict[str, list[float]]
    """What the numbers about plies come to, by annotation."""
    legal: list[set[str]]
    """The texts of the legal moves, ply by ply; empty where they are not told."""


def unpacked(data: dict[str, Any]) -> list[Unpacked]:
    """Return all games of a page without shards, in order."""
    part = data["parts"][0]["part"]
    return list(unpacked_part(part, json.loads(inflated(data["boards"]))))


def unpacked_part(part: dict[str, Any], boards: Sequence[dict[str, Any]]) -> Iterator[Unpacked]:
    """Yield the games of a part, in order."""
    columns = {name: column(packed, part["games"]) for name, packed in part["columns"].items()}
    heads = [{name: texts[i] for name, texts in columns.items()} for i in range(part["games"])]
    families = [
        _family(family, [head for head in heads if head["family"] == str(i)], boards, part)
        for i, family in enumerate(part["families"])
    ]
    for head in heads:
        yield next(families[int(head["family"])])


def _family(
    family: dict[str, Any],
    heads: list[dict[str, str]],
    boards: Sequence[dict[str, Any]],
    part: dict[str, Any],
) -> Iterator[Unpacked]:
    kinds = json.loads(inflated(family["kinds"]))
    board = None if family["board"] is None else boards[family["board"]]
    for chunk in family["chunks"]:
        mine, heads = heads[: chunk["games"]], heads[chunk["games"] :]
        yield from _Chunk(chunk, mine, part["scales"]).games(family, kinds, board)


class _Chunk:
    def __init__(
        self, packed: dict[str, Any], heads: list[dict[str, str]], scales: dict[str, Any]
    ) -> None:
        self.packed, self.heads, self.scales = packed, heads, scales
        self.forms = json.loads(inflated(packed["forms"]))
        names = ("plies", "deciding", "before", "noted")
        self.plies, self.deciding, self.before, self.noted = (
            Reader(packed[name]) for name in names
        )
        self.values = {key: Reader(text) for key, text in packed["values"].items()}
        self.tags = {
            name: iter(column(tags, packed["tagged"][name]))
            for name, tags in packed["tags"].items()
        }

    def games(
        self, family: dict[str, Any], kinds: list[list[str]], board: dict[str, Any] | None
    ) -> Iterator[Unpacked]:
        texts = [
            column(self.packed[name], len(self.heads)) for name in ("starts", "repeats", "schemas")
        ]
        legal = Reader(self.packed.get("legal", ""))
        foretold: set[int] = set()
        for head, start, repeats, schema in zip(self.heads, *texts, strict=True):
            count = int(head["plies"])
            played = [self.plies.kind() for _ in range(count)]
            deciding = self.deciding.line(self.deciding.next())
            forms = [self.before.next(), *(self.noted.next() for _ in range(count))]
            movers = list(_movers(count + 1, repeats))
            stacks = []
            if board:
                shapes = {piece[0]: piece[2] for piece in board["pieces"]}
                stacks = [_start(start, family["plain"], board, head["setup"])]
                for kind, mover in zip(played, movers, strict=False):
                    stacks.append(applied(kinds[kind][1 + mover], stacks[-1], shapes))
            sets = []
            if legal.bytes:
                foretold = first = _toggled(foretold, legal)
                sets = [first]
                for kind in played:
                    sets.append(_toggled(sets[-1] - {kind}, legal))
            yield Unpacked(
                head=head,
                moves=[kinds[kind][0] for kind in played],
                movers=movers,
                stacks=stacks,
                deciding=deciding,
                tags=list(self._tags(schema, head, family["id"])),
                values=self._values(forms),
                legal=[{kinds[kind][0] for kind in kinds_here} for kinds_here in sets],
            )

    def _tags(self, schema: str, head: dict[str, str], game_id: str) -> Iterator[tuple[str, str]]:
        known = {"Game": game_id} | {name.capitalize(): value for name, value in head.items()}
        for word in filter(None, schema.split("\n")):
            name, equals, value = word.partition("=")
            if not equals:
                value = next(self.tags[name]) if name in self.tags else known[name]
            yield name, value

    def _values(self, forms: list[int]) -> dict[str, list[float]]:
        keys = [piece[0] for form in forms for piece in self.forms[form] if isinstance(piece, list)]
        read: dict[str, list[int]] = {}
        for key in sorted(set(keys), key=lambda key: key.endswith("clk")):
            count = keys.count(key)
            spent = read.get(f"{key[0]}emt", []) if key[1:] == "clk" else []
            drops = spent if len(spent) == count else [0] * count
            numbers: list[int] = []
            for i in range(count):
                before = numbers[i - 2] if i > 1 else 0
                numbers.append(self.values[key].signed() + before - drops[i])
            read[key] = numbers
        return {key[1:]: [self._value(key, number) for number in read[key]] for key in read}

    def _value(self, key: str, number: int) -> float:
        scale = self.scales.get(key[1:])
        if not scale:
            return number / float(f"1e{key[0]}")
        if "steps" in scale:
            return float(number / int(scale["steps"]))
        ratio: float = scale["ratio"]
        return float(ratio ** float(number - 1)) / 1000 if number else 0.0


def _movers(count: int, repeats: str) -> Iterator[int]:
    mover = 1
    for i in range(count):
        mover = mover if str(i) in repeats.split(",") else 1 - mover
        yield mover


def _start(told: str, plain: list[str], board: dict[str, Any], setup: str) -> tuple[str, ...]:
    stacks = list(plain)
    if told == "rows":
        for cell, code in zip(board["rows"], setup.replace("/", ""), strict=True):
            stacks[cell] = code
    else:
        for cell, content in re.findall(r"([0-9]+)=(\S*)", told):
            stacks[int(cell)] = content
    return tuple(stacks)


def _toggled(kinds: set[int], legal: Reader) -> set[int]:
    toggled, kind = set(kinds), 0
    for _ in range(legal.next()):
        kind += legal.next()
        toggled ^= {kind}
    return toggled
