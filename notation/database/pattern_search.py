"""Patterns in databases: the games and plies with a pattern, found in thousands of games at once.

The boards of many games are bits in arrays; see `layers`. For a pattern on one cell, only the cells
of its symmetric forms are followed. Games whose boards cannot be followed are played one by one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property, reduce
from operator import or_
from typing import Any, Final, TypeAlias

import numpy as np

from lath.games.core import version_of
from lath.notation.database.keys import keys_of
from lath.notation.database.layers import Bits, Flags, Layers, Numbers
from lath.notation.database.reading import Database
from lath.notation.query.operators import OfPattern, question
from lath.notation.query.patterns import EMPTY, Compiled, Lying, Shapes
from lath.notation.query.questions import AskedRecord
from lath.notation.rules.replay import game_by
from lath.notation.text.scanner import parse

Moments: TypeAlias = Any
"""A sorted array of int64: the number of a game and, in its lowest bits, a ply from 0."""

MOMENT: Final = 32
"""The number of bits of a ply."""

_AT_ONCE: Final = 1 << 15
"""The number of games whose plies are read at once."""

_IN_STEP: Final = 1 << 14
"""The number of games that are played at once, so that their boards fit the processor's cache."""


def seen_in_games(database: Database, plan: OfPattern, among: Flags, *, is_any: bool) -> Moments:
    """Return the moments with a pattern; with `is_any`, at least one for each matching game.

    Raises GameError if a game is not installed.
    """
    rules, rules_of = database.rules
    found: list[Moments] = [np.empty(0, np.int64)]
    for kind in np.unique(rules_of[among]).tolist():
        if (compiled := plan.pattern.on(game_by(*rules[kind]))) is None:
            continue
        of_kind = among & (rules_of == kind)
        boards = _Boards(database, plan, compiled, is_any=is_any)
        untold = boards.untold(of_kind)
        found.append(_by_records(database, plan, np.flatnonzero(untold)))
        ids = np.flatnonzero(of_kind & ~untold)
        at_once = _AT_ONCE * (4 if boards.is_compact else 1)
        for first in range(0, len(ids), at_once):
            found += boards.seen_in_games(ids[first : first + at_once])
    return np.sort(np.concatenate(found))


def _by_records(database: Database, plan: OfPattern, ids: Numbers) -> Moments:
    """Return the moments with a pattern in games that are played one by one."""
    if not len(ids):
        return ids
    among = database.none()
    among[ids] = True
    asked = question(plan)
    return np.array(
        [
            number << MOMENT | ply
            for number, text in database.texts(among)
            for ply in asked.plies(AskedRecord(parse(text)))
        ],
        np.int64,
    )


class _Boards:
    """The boards of games of one kind, and a pattern to find on them."""

    def __init__(
        self, database: Database, plan: OfPattern, compiled: Compiled, *, is_any: bool
    ) -> None:
        game = compiled.game
        self._database, self._is_any = database, is_any
        self._is_owned = compiled.shapes[0] != compiled.shapes[1]
        is_fixed = plan.pattern.cell != ""
        bits = game.board.bit
        if is_fixed:
            followed = reduce(or_, map(_followed, compiled.shapes))
            names = [name for name, bit in bits.items() if bit & followed]
            places = {name: place for place, name in enumerate(names)}
        else:
            places = {name: bit.bit_length() - 1 for name, bit in bits.items()}
        self._layers = Layers(game, places)
        self._is_fixed = is_fixed
        self._places = {bits[name]: place for name, place in places.items()}
        self._tests = [
            (_Fixed if is_fixed else _Floating)(shapes, self._layers, self._places)
            for shapes in compiled.shapes
        ]
        of_game = [
            effect if by == game.id else ""
            for by, effect in zip(database.moves.games, database.moves.effects, strict=True)
        ]
        self._effects, self._is_untold = self._layers.effects(of_game)
        self._changes = self._layers.changes()
        self.is_compact = is_fixed and is_any and not self._is_owned
        """True if only plies that change the cells of the pattern are read."""
        self._are_of_boards = keys_of(game.id, version_of(game)).are_of_boards

    def untold(self, among: Flags) -> Flags:
        """Return the games whose boards cannot be followed through each ply."""
        if not self._are_of_boards:
            return among
        codes = ",".join(map(str, np.flatnonzero(self._is_untold).tolist()))
        if not codes:
            return among & False
        query = f"SELECT DISTINCT id FROM steps WHERE code IN ({codes})"  # noqa: S608 - only numbers
        return among & self._database.flags(query)

    def seen_in_games(self, ids: Numbers) -> Iterator[Moments]:
        """Yield the moments with the pattern in some games."""
        if self.is_compact:  # plies that change no relevant cell equal the one before
            steps = self._database.steps_of(ids, self._changes[self._effects])
        else:
            steps = self._database.steps(ids, are_seated=self._is_owned)
        lengths, effects = steps.lengths, self._effects[steps.codes]
        firsts = np.cumsum(lengths) - lengths
        order = np.argsort(-lengths, kind="stable")
        for first in range(0, len(order), _IN_STEP):
            rows = order[first : first + _IN_STEP]
            longest = int(lengths[rows[0]])
            at = firsts[rows, None] + np.arange(longest)
            at = np.minimum(at, len(effects) - 1)
            seats: Numbers = np.zeros((len(rows), longest + 1), np.uint8)
            if steps.seats is not None:
                seats[:, :longest] = steps.seats[at]
                seats[np.arange(len(rows)), lengths[rows]] = self._sides_after[steps.ids[rows]]
            yield self._in_step(steps.ids[rows], lengths[rows], effects[at], seats)

    @cached_property
    def _sides_after(self) -> Numbers:
        """Return the side to move after the last ply, by the number of a game."""
        flags = self._database.flags("SELECT id FROM games WHERE to_move = 'second'")
        return flags.astype(np.uint8)

    def _in_step(self, ids: Numbers, lengths: Numbers, effects: Numbers, seats: Numbers) -> Moments:
        seen: Flags = np.zeros(len(ids), bool)
        found = []
        for ply, (on, bits, _) in enumerate(self._layers.steps(self._begun(ids), lengths, effects)):
            rows: Any = slice(0, on)
            if self._is_any and ply:
                rows = np.flatnonzero(~seen[:on])
                if not len(rows):
                    break
                if len(rows) > on * _MOST:
                    rows = slice(0, on)
            boards = bits[:, :, rows]
            if self._is_owned:
                is_second = seats[rows, ply].astype(bool)
                has = np.where(is_second, self._tests[1].on(boards), self._tests[0].on(boards))
            else:
                has = self._tests[0].on(boards)
            here = np.arange(len(ids))[rows][has]
            seen[here] = True
            found.append(ids[here] << MOMENT | (0 if self._is_any else ply))
        moments = np.concatenate(found)
        return np.unique(moments) if self._is_any else moments

    def _begun(self, ids: Numbers) -> Bits:
        """Return the layers of the first position of each game."""
        bits = self._database.begun(ids)
        if not self._is_fixed:
            return bits
        followed: Bits = np.zeros((len(bits), self._layers.words, len(ids)), np.uint64)
        for bit, place in self._places.items():
            word, at = divmod(bit.bit_length() - 1, 64)
            lies = bits[:, word] >> np.uint64(at) & np.uint64(1)
            followed[:, place >> 6] |= lies << np.uint64(place & 63)
        return followed


_MOST: Final = 0.7
"""The fraction of boards that still qualify above which they are not selected separately."""


def _followed(shapes: Shapes) -> int:
    """Return the cells used by a pattern on one cell and its symmetric forms."""
    return reduce(
        or_, (image.cells << shift for image in shapes.images for _, shift in image.tests), 0
    )


def _words(mask: int, count: int) -> list[Any]:
    """Return a mask of cells as words of 64 bits."""
    return [np.uint64(mask >> 64 * word & (1 << 64) - 1) for word in range(count)]


class _Tests:
    """The conditions on the cells of boards."""

    def __init__(self, shapes: Shapes, layers: Layers, places: Mapping[int, int]) -> None:
        self._lying = shapes.lying
        self._codes = layers.codes
        self._words = layers.words
        self._full = np.array(
            _words(reduce(or_, (1 << at for at in places.values())), layers.words)
        )

    def _masks(self, boards: Bits) -> list[Bits]:
        """Return the cells that satisfy each condition, by word and board."""
        return [self._mask(lying, boards) for lying in self._lying]

    def _mask(self, lying: Lying, boards: Bits) -> Bits:
        layers = [boards[self._codes.index(code)] for code in lying.codes if code != EMPTY]
        if EMPTY in lying.codes:
            layers.append(self._full[:, None] & ~np.bitwise_or.reduce(boards))
        mask = reduce(or_, layers)
        return mask if lying.is_there else self._full[:, None] & ~mask


class _Fixed(_Tests):
    """A pattern on one cell, with its symmetric forms."""

    def __init__(self, shapes: Shapes, layers: Layers, places: Mapping[int, int]) -> None:
        super().__init__(shapes, layers, places)
        self._images = []
        begun = ((image, bit) for image in shapes.images for bit in places if bit & image.cells)
        for image, bit in begun:
            masks: dict[int, int] = {}
            for lying, shift in image.tests:
                masks[lying] = masks.get(lying, 0) | 1 << places[bit << shift]
            self._images.append(
                [
                    (lying, word, bits)
                    for lying, mask in masks.items()
                    for word, bits in enumerate(_words(mask, layers.words))
                    if bits
                ]
            )

    def on(self, boards: Bits) -> Flags:
        """Return which boards have the pattern."""
        masks = self._masks(boards)
        found: Flags = np.zeros(boards.shape[2], bool)
        for image in self._images:
            has = np.ones_like(found)
            for lying, word, bits in image:
                has &= masks[lying][word] & bits == bits
            found |= has
        return found


class _Floating(_Tests):
    """A pattern that can be anywhere; cells are bits of `Board.bit`."""

    def __init__(self, shapes: Shapes, layers: Layers, places: Mapping[int, int]) -> None:
        super().__init__(shapes, layers, places)
        self._images = [
            (np.array(_words(image.cells, layers.words))[:, None], image.tests)
            for image in shapes.images
        ]

    def on(self, boards: Bits) -> Flags:
        """Return which boards have the pattern."""
        masks = self._masks(boards)
        shifted: dict[tuple[int, int], Bits] = {}
        found: Bits = np.zeros(boards.shape[2], np.uint64)
        for cells, tests in self._images:
            left = cells
            for test in tests:
                if test not in shifted:
                    shifted[test] = self._shifted(masks[test[0]], test[1])
                left = left & shifted[test]
            found |= np.bitwise_or.reduce(left)
        return found != 0

    def _shifted(self, mask: Bits, shift: int) -> Bits:
        whole, rest = divmod(shift, 64)
        if not shift:
            return mask
        moved = np.zeros_like(mask)
        for word in range(self._words - whole):
            moved[word] = mask[word + whole] >> np.uint64(rest)
            if rest and word + whole + 1 < self._words:
                moved[word] |= mask[word + whole + 1] << np.uint64(64 - rest)
        return moved
