"""Bytes as text in a page: whole numbers and columns of texts, deflated, in 91 letters.

Must not know what the numbers mean. The page reads them with `js/streams.js`.
"""

from __future__ import annotations

import json
import re
import zlib
from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import Any, Final

LETTERS: Final = "".join(chr(code) for code in range(33, 127) if chr(code) not in '"<\\')
"""What ASCII can print without the blank and what ends a text or begins a tag in scripts: 91."""

_PAIR_BITS: Final = 13
_LETTER_BITS: Final = 6

_PAIRS: Final = tuple(map("".join, product(LETTERS, repeat=2)))[: 1 << _PAIR_BITS]
_PLACES: Final = {pair: place for place, pair in enumerate(_PAIRS)}
_OF_BITS: Final = {f"{place:013b}": pair for place, pair in enumerate(_PAIRS)}

_NUMBER: Final = re.compile(r"0|[1-9][0-9]{0,8}", re.ASCII)


class Numbers(dict[Any, int]):
    """Values by the number under which each is stored, from 0 in order of appearance."""

    def __missing__(self, value: Any) -> int:
        self[value] = number = len(self)
        return number


def deflated(data: bytes | bytearray) -> str:
    """Return bytes as raw deflate in letters; empty for none."""
    if not data:
        return ""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return lettered(packer.compress(data) + packer.flush())


def inflated(text: str) -> bytes:
    """Return what `deflated` was given."""
    return zlib.decompress(unlettered(text), -15) if text else b""


def lettered(data: bytes) -> str:
    """Return bytes as LETTERS: two for 13 bits, one for the last six or fewer.

    That is 1.23 letters a byte, base64 has 1.33. Bits beyond the last byte are 0.
    """
    bits = f"{int.from_bytes(data):0{8 * len(data)}b}" if data else ""
    whole = len(bits) - len(bits) % _PAIR_BITS
    pairs = [_OF_BITS[bits[i : i + _PAIR_BITS]] for i in range(0, whole, _PAIR_BITS)]
    rest = bits[whole:]
    if len(rest) > _LETTER_BITS:
        pairs.append(_OF_BITS[rest.ljust(_PAIR_BITS, "0")])
    elif rest:
        pairs.append(LETTERS[int(rest.ljust(_LETTER_BITS, "0"), 2)])
    return "".join(pairs)


def unlettered(text: str) -> bytes:
    """Return what `lettered` was given; raises KeyError for what it never makes."""
    pairs = (text[i : i + 2] for i in range(0, len(text), 2))
    bits = "".join(
        f"{_PLACES[pair]:013b}" if len(pair) == 2 else f"{LETTERS.index(pair):06b}"
        for pair in pairs
    )
    count = len(bits) // 8
    return int(bits[: 8 * count] or "0", 2).to_bytes(count)


def json_deflated(value: Any) -> str:
    """Return a JSON value, deflated; what UTF-8 cannot say becomes a question mark."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return deflated(text.encode("utf-8", "replace"))


def varint(number: int) -> bytes:
    r"""Return a whole number >= 0 in bytes of seven bits, the lowest first.

    >>> varint(5), varint(300)
    (b'\x05', b'\xac\x02')
    """
    if number < 0x80:
        return _SMALL[number]
    parts = []
    while number >= 0x80:
        parts.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes((*parts, number))


_SMALL: Final = tuple(bytes((i,)) for i in range(0x80))


def varints(numbers: Iterable[int]) -> bytes:
    """Return whole numbers >= 0, each as `varint` does."""
    return b"".join(map(varint, numbers))


def kind_code(number: int) -> bytes:
    r"""Return the number of a kind of move: one byte for the first 224, two for the next 7936.

    >>> kind_code(223), kind_code(224), kind_code(8160)
    (b'\xdf', b'\xe0\x00', b'\xff\xe0?')
    """
    if number < _ONE_BYTE:
        return bytes((number,))
    beyond = number - _ONE_BYTE
    if beyond < _TWO_BYTES:
        return bytes((_ONE_BYTE + (beyond >> 8), beyond & 0xFF))
    return b"\xff" + varint(number)


_ONE_BYTE: Final = 224
_TWO_BYTES: Final = 31 << 8


def folded(number: int) -> int:
    """Return a whole number as one that is not negative: 0, -1, 1, -2 become 0, 1, 2, 3."""
    return 2 * number if number >= 0 else -2 * number - 1


def lines(numbers: Sequence[int]) -> bytes:
    """Return whole numbers as their differences, folded."""
    return b"".join([SIGNED[new - old] for old, new in zip((0, *numbers), numbers, strict=False)])


class _Signed(dict[int, bytes]):
    """Whole numbers, each folded and as `varint` has it; those of one or two bytes are known."""

    def __missing__(self, number: int) -> bytes:
        return varint(folded(number))


SIGNED: Final = _Signed({number: varint(folded(number)) for number in range(-8192, 8192)})


class Column:
    """A text for each of many games, each different text being stored once."""

    def __init__(self) -> None:
        self.texts = Numbers()
        self.at = array("I")

    def __len__(self) -> int:
        """Return how many texts it has."""
        return len(self.at)

    def add(self, text: str) -> None:
        """Add the text of the next game."""
        self.at.append(self.texts[text])

    def to_json(self) -> dict[str, str]:
        """Return `all`: the one text of all; or `numbers`: the texts are numbers; or both others.

        `texts` is the list of texts; in `squared` those that are square are without `/`, and others
        have one before them. `at` is for each game how far its text is behind the next new one,
        0 being that one.
        """
        texts = list(self.texts)
        if len(texts) <= 1:
            return {"all": "".join(texts)}
        if len(texts) > _FEW and all(map(_NUMBER.fullmatch, texts)):
            values = [int(text) for text in texts]
            return {"numbers": deflated(lines([values[at] for at in self.at]))}
        at = deflated(varints(self._behind()))
        if any("/" in text and is_square(text) for text in texts):
            return {"squared": json_deflated([_squared(text) for text in texts]), "at": at}
        return {"texts": json_deflated(texts), "at": at}

    def _behind(self) -> Iterator[int]:
        new = 0
        for at in self.at:
            yield new - at
            new += at == new


def _squared(text: str) -> str:
    return text.replace("/", "") if is_square(text) else f"/{text}"


def is_square(text: str) -> bool:
    """Return whether a text is of as many rows as each has letters, with `/` between.

    >>> is_square("ab/cd"), is_square(""), is_square("ab/c")
    (True, True, False)
    """
    rows = text.split("/") if text else []
    return all(len(row) == len(rows) for row in rows)


_FEW: Final = 16
"""Different texts up to which numbers are stored as texts."""
