"""Which two games are a pair: one start, the same two bots, each first in one of them.

Must not know ratings. What two games of a pair score hangs together, since they begin alike; errors
are therefore counted by pair. The order of the records leaves no trace here.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from itertools import groupby
from typing import Final

from lath.notation.archive.identity import start_text
from lath.notation.record import Record

_LONGEST: Final = 18
"""Digits of a number that 64 bits hold for sure."""


class Pairs:
    """The games that are paired off: four numbers for each.

    Games belong together by game id, both bots, `Event`, `Round`, `Opening` and the start, however
    it is spelled. The arena numbers the games of its n-th pair 2n - 1 and 2n (`Number`): those are
    one. What has no such number, or lost its partner, is paired off in the order of digests: games
    that all begin alike are as good as each other. Games of one digest, which have no moves or
    ended by time, stay alone.
    """

    def __init__(self) -> None:
        self._keys: Final = array("Q")
        """What the games of a pair have in common, as a digest."""
        self._numbers: Final = array("Q")
        """The arena's number of the pair; 0 where there is none."""
        self._orders: Final = array("Q")
        """By what games of one key are put in order."""
        self._seats: Final = bytearray()
        """0 where first comes before second by name, 1 where after, 2 where they are the same."""

    def add(self, record: Record, seats: tuple[str, str], digest: bytes) -> None:
        """Note a game of two bots; `digest` is the same for the same game, wherever it stands."""
        key, number = _place_of(record, seats)
        first, second = seats
        self._keys.append(key)
        self._numbers.append(number)
        self._orders.append(int.from_bytes(digest[:8]))
        self._seats.append(2 if first == second else first > second)

    def add_repeat(self, place: int, record: Record, seats: tuple[str, str]) -> None:
        """Note that a game repeats the one noted at `place`, counted from 0.

        Of all repeats the one that is kept is in the smallest of their pairs, not in the earliest.
        """
        known = self._keys[place], self._numbers[place]
        self._keys[place], self._numbers[place] = min(known, _place_of(record, seats))

    def numbers(self) -> list[int]:
        """Return the number of each game's pair, from 0; a game without a partner has its own."""
        found = [-1] * len(self._keys)
        number = 0
        places = sorted(range(len(self._keys)), key=self._keys.__getitem__)
        for _, alike in groupby(places, key=self._keys.__getitem__):
            for pair in self._paired_off(list(alike)):
                for place in pair:
                    found[place] = number
                number += 1
        return found

    def _paired_off(self, places: list[int]) -> Iterator[Sequence[int]]:
        """Yield the places of games of one key, by ones and twos."""
        if len(places) == 1:
            yield places
            return
        places.sort(key=lambda place: (self._numbers[place], self._orders[place]))
        single: list[int] = []
        for number, alike in groupby(places, key=self._numbers.__getitem__):
            of_one = list(alike)
            pairs, left = self._across(of_one) if number else ([], of_one)
            yield from pairs
            single += left
        # Games without a move are alike if their results are: an order would pair like with like.
        times = Counter(self._orders[place] for place in single)
        several = [place for place in single if times[self._orders[place]] > 1]
        one_each = [place for place in single if times[self._orders[place]] == 1]
        pairs, left = self._across(sorted(one_each, key=self._orders.__getitem__))
        yield from pairs
        yield from ([place] for place in (*left, *several))

    def _across(self, places: Sequence[int]) -> tuple[list[tuple[int, int]], list[int]]:
        """Return the first of one seat with the first of the other, and so on, and who is left."""
        one, other, alone = ([at for at in places if self._seats[at] == seat] for seat in range(3))
        pairs = list(zip(one, other, strict=False))
        return pairs, [*one[len(pairs) :], *other[len(pairs) :], *alone]


def _place_of(record: Record, seats: tuple[str, str]) -> tuple[int, int]:
    """Return the digest of what the games of a pair have in common, and the pair's number."""
    tags = dict(record.tags)  # looked up often enough to pay
    game, setup, position = (tags.get(name, "") for name in ("Game", "Setup", "Position"))
    start = start_text(game, setup, position)
    more = [tags.get(name, "") for name in ("Event", "Round", "Opening")]
    words = ascii((game, min(seats), max(seats), start, *more))
    digest = blake2b(words.encode(), digest_size=8).digest()
    return int.from_bytes(digest), _pair_number(tags.get("Number", ""))


def _pair_number(number: str) -> int:
    is_one = number.isascii() and number.isdecimal() and len(number) <= _LONGEST
    return (int(number) + 1) // 2 if is_one else 0
