"""Boards of many games at once: the pieces on the cells after each ply, as bits in numpy arrays.

A *layer* is the set of cells with a piece of one code. The effects of moves on layers are words of
`lath.notation.rules.effects`, applied to thousands of games together, ply by ply. This module must
not depend on a particular game, or on the storage of games.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

import numpy as np

from lath.games.core import Game, Position, layers_of
from lath.notation.rules.effects import words

Bits: TypeAlias = Any
"""An array of uint64, of keys, or of layers of boards by layer, word of 64 cells and board."""

Numbers: TypeAlias = Any
"""An array of int64."""

Flags: TypeAlias = Any
"""An array of booleans."""


class Layers:
    """The layers of a game's cells as bits, and the effects of its moves on them."""

    def __init__(self, game: Game, places: Mapping[str, int]) -> None:
        """Take the bit of each followed cell, 0 being the lowest."""
        self.codes: Final = tuple(piece.code for piece in game.pieces)
        """The code of the piece of each layer."""
        self.words: Final = max(places.values()) // 64 + 1
        self.places: Final = np.array([places.get(name, -1) for name in game.board.names])
        """The bit of each cell of the board; -1 for cells that are not followed."""
        self._shapes = {piece.code: piece.shape for piece in game.pieces}
        self._bytes = -(-max(game.board.name).bit_length() // 8)
        """The number of bytes of a set of cells in the form of `Board.bit`."""
        of_board = [bit.bit_length() - 1 for bit in game.board.name]
        order: Numbers = np.argsort(self.places)[(self.places < 0).sum() :]
        self._bits_of_board = np.array(of_board, np.int64)[order]
        """The bit in `Board.bit` of each followed cell, in the order of the places."""
        self._taken = self.places[order]
        self._effects: dict[str, int] = {}
        self._sets: list[Bits] = []
        self._clears: list[Bits] = []
        self._whole: list[tuple[tuple[str, str], ...]] = []
        """The words of each effect that apply to the whole board."""
        self.effect("")  # for games without moves

    def of(self, positions: Sequence[Position]) -> Bits:
        """Return the layers of the boards of positions."""
        size, codes = self._bytes, self.codes
        data = bytearray()
        for position in positions:
            layers = layers_of(position)
            for code in codes:
                data += layers.get(code, 0).to_bytes(size, "little")
        raw = np.frombuffer(data, np.uint8).reshape(-1, size)
        on_board = np.unpackbits(raw, axis=1, bitorder="little")
        cells: Flags = np.zeros((len(raw), self.words * 64), np.uint8)
        cells[:, self._taken] = on_board[:, self._bits_of_board]
        words: Bits = np.packbits(cells, axis=1, bitorder="little").view("<u8").astype(np.uint64)
        of_boards = words.reshape(len(positions), len(codes), self.words)
        return np.ascontiguousarray(np.moveaxis(of_boards, 0, -1))

    def effect(self, effect: str) -> int:
        """Return the number of an effect. Raises ValueError if layers cannot express it."""
        if (known := self._effects.get(effect)) is not None:
            return known
        sets: Bits = np.zeros((len(self.codes), self.words), np.uint64)
        clears = np.zeros_like(sets)
        whole: list[tuple[str, str]] = []
        for cell, what, operand in words(effect):
            if cell < 0:
                whole.append((what, operand))
                continue
            if what == "-":
                raise ValueError(effect)
            word, bit = divmod(int(self.places[cell]), 64)
            if word < 0:
                continue
            mask = np.uint64(1 << bit)
            for layer, code in enumerate(self.codes):
                if what == "=" or (what == "~" and self._shapes[code] == operand):
                    clears[layer, word] |= mask
                    sets[layer, word] &= ~mask
            for code in operand if what in "+=" else "":
                sets[self.codes.index(code), word] |= mask
        number = self._effects[effect] = len(self._sets)
        self._sets.append(sets)
        self._clears.append(clears)
        self._whole.append(tuple(whole))
        return number

    def effects(self, effects: Iterable[str | None]) -> tuple[Numbers, Flags]:
        """Return the number of each effect, and which effects (or None) layers cannot express."""
        numbers, untold = [], []
        for effect in effects:
            try:
                numbers.append(self.effect(effect or ""))
                untold.append(effect is None)
            except ValueError:
                numbers.append(0)
                untold.append(True)
        return np.array(numbers, np.int64), np.array(untold, bool)

    def sets(self) -> Bits:
        """Return the cells on which each effect places pieces: by layer, word and effect."""
        return np.ascontiguousarray(np.moveaxis(np.array(self._sets), 0, -1))

    def only_sets(self) -> Flags:
        """Return, for each effect, whether it only places pieces."""
        does_more = np.array(list(map(bool, self._whole)))
        return ~(does_more | np.array(self._clears).any(axis=(1, 2)))

    def changes(self) -> Flags:
        """Return, for each effect, whether it can change a followed cell."""
        is_whole = np.array(list(map(bool, self._whole)))
        return is_whole | (np.array(self._sets) | np.array(self._clears)).any(axis=(1, 2))

    def steps(
        self, start: Bits, lengths: Numbers, effects: Numbers
    ) -> Iterator[tuple[int, Bits, Numbers]]:
        """Yield the number of lines still being played, their layers, and the next effect of each.

        `start` has the layers of each line, the longest lines first. `effects` has the effect of
        each ply by line and ply. The layers are changed in place by the next step. The effects are
        empty after the end of all lines.
        """
        state = start
        sets, clears = self.sets(), np.moveaxis(np.array(self._clears), 0, -1)
        touched = [
            (layer, word, clears[layer, word].any())
            for layer in range(len(self.codes))
            for word in range(self.words)
            if sets[layer, word].any() or clears[layer, word].any()
        ]
        keeps = ~clears
        is_whole = np.array(list(map(bool, self._whole)))
        longest = int(lengths[0]) if len(lengths) else 0
        on = len(lengths)
        for ply in range(longest + 1):
            while on and lengths[on - 1] < ply:
                on -= 1
            going = int(np.searchsorted(-lengths, -ply, "left"))  # the lines longer than `ply`
            now = effects[:going, ply] if going else _NOTHING
            yield on, state[:, :, :on], now
            if not going:
                continue
            if is_whole.any() and (rows := np.flatnonzero(is_whole[now])).size:
                self._change(state, rows, now[rows])
            for layer, word, has_clears in touched:
                bits = state[layer, word, :going]
                if has_clears:
                    bits &= keeps[layer, word][now]
                bits |= sets[layer, word][now]

    def _change(self, state: Bits, rows: Numbers, effects: Numbers) -> None:
        """Apply effects on the whole board to some lines."""
        for effect in np.unique(effects).tolist():
            chosen = rows[effects == effect]
            for what, operand in self._whole[effect]:
                layer = self.codes.index(operand[0])
                if what == ">":
                    state[self.codes.index(operand[1])][:, chosen] |= state[layer][:, chosen]
                state[layer][:, chosen] = 0


_NOTHING: Numbers = np.empty(0, np.int64)


def counted(lengths: Numbers) -> Numbers:
    """Return 0, 1, 2, … for each length.

    >>> counted(np.array([2, 0, 3])).tolist()
    [0, 1, 0, 1, 2]
    """
    return np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
