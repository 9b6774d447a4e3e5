"""Boards of many games at once: what lies where after each ply, as bits in arrays of numpy.

A *layer* is all cells on which a piece of one code lies. What moves do to layers is said in the
words of `lath.notation.rules.effects`, and is done to thousands of games in step, ply by ply. Must
not know any particular game, nor where games are kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

import numpy as np

from lath.games.core import Game, Position, layers_of
from lath.notation.rules.effects import words

Bits: TypeAlias = Any
"""An array of uint64: layers of many boards, by layer, word of 64 cells and board; or keys."""

Numbers: TypeAlias = Any
"""An array of int64."""

Flags: TypeAlias = Any
"""An array of booleans."""


class Layers:
    """How what lies on the cells of a game is bits, and what its moves do to them."""

    def __init__(self, game: Game, places: Mapping[str, int]) -> None:
        """`places` has the bit of each cell that is followed: 0 for the lowest one."""
        self.codes: Final = tuple(piece.code for piece in game.pieces)
        """The code of the piece of each layer."""
        self.words: Final = max(places.values()) // 64 + 1
        self.places: Final = np.array([places.get(name, -1) for name in game.board.names])
        """The bit of each cell of the board; -1 for those that are not followed."""
        self._shapes = {piece.code: piece.shape for piece in game.pieces}
        self._bytes = -(-max(game.board.name).bit_length() // 8)
        """Of a set of cells, as `Board.bit` has them."""
        of_board = [bit.bit_length() - 1 for bit in game.board.name]
        order: Numbers = np.argsort(self.places)[(self.places < 0).sum() :]
        self._bits_of_board = np.array(of_board, np.int64)[order]
        """Of each place that is taken, from the lowest, the bit of its cell in `Board.bit`."""
        self._taken = self.places[order]
        self._effects: dict[str, int] = {}
        self._sets: list[Bits] = []
        self._clears: list[Bits] = []
        self._whole: list[tuple[tuple[str, str], ...]] = []
        """Of each effect what it does to the whole board."""
        self.effect("")  # of games without moves

    def of(self, positions: Sequence[Position]) -> Bits:
        """Return the layers of what lies on the boards of positions."""
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
        """Return the number of an effect; raises ValueError for one that layers do not tell."""
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
        """Return the number of each effect, and which of them layers do not tell, None being so."""
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
        """Return the cells that each effect lays pieces on: by layer, word and effect."""
        return np.ascontiguousarray(np.moveaxis(np.array(self._sets), 0, -1))

    def only_sets(self) -> Flags:
        """Return of each effect whether it does no more than that."""
        does_more = np.array(list(map(bool, self._whole)))
        return ~(does_more | np.array(self._clears).any(axis=(1, 2)))

    def changes(self) -> Flags:
        """Return of each effect whether it may change a cell that is followed."""
        is_whole = np.array(list(map(bool, self._whole)))
        return is_whole | (np.array(self._sets) | np.array(self._clears)).any(axis=(1, 2))

    def steps(
        self, start: Bits, lengths: Numbers, effects: Numbers
    ) -> Iterator[tuple[int, Bits, Numbers]]:
        """Yield how many lines are still on, their layers, and the effect that comes next.

        `start` has the layers of each line, of which the longest come first; `effects` is what each
        ply of each line does, by line and ply. The layers are changed in place with the next step.
        The effects are none where no line goes on.
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
            going = int(np.searchsorted(-lengths, -ply, "left"))  # those longer than `ply`
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
        """Do what effects do to the whole board of some lines."""
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
