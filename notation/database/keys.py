"""Keys of positions: 64 bits that are equal for symmetric positions.

Different positions almost always have different keys (Zobrist 1970). The key is the least key of
all symmetric positions, and is the same in every process. For most games, numpy computes keys of
many positions at once. This requires that the cells and the side to move are the whole position,
and that symmetries move cells. For other games, each key is computed from the text of the least
symmetric position.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from itertools import product
from random import Random
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np

from lath.games.capabilities import alike_of
from lath.games.core import (
    FIRST_VERSION,
    Game,
    Move,
    Position,
    Side,
    Symmetry,
    layers_of,
    least,
    movers,
    symmetries,
    version_of,
)
from lath.games.fast import keys as random_keys
from lath.notation.database.layers import Bits, Flags, Layers, Numbers
from lath.notation.rules.effects import Dictionary
from lath.notation.rules.replay import game_by

NO_MOVE: Final = -1
"""The move of a position in which no move was played."""


class PlayableLine(NamedTuple):
    """The legal main line of a game."""

    start: Position
    moves: Sequence[str]
    """The moves in canonical text."""

    end: Position


class PlayedLines(NamedTuple):
    """The positions of some lines, one line after the other.

    A line of n plies has n + 1 positions: the one before each ply, and the last.
    """

    keys: Bits
    """The key of each position."""

    images: Numbers
    """The move played in each position, as its place in `PositionKeys.texts`, in its turned form;
    NO_MOVE for the last position of a line."""

    steps: Numbers
    """The step of each ply, as its place in `PositionKeys.steps`."""

    seats: Numbers
    """The side that moved at each ply."""


class KeyStep(NamedTuple):
    """A move by one side, and its effect on the board."""

    move: str
    effect: str | None
    """The effect as in `lath.notation.rules.effects`; None if layers cannot express it."""


class PositionKeys:
    """The keys of one game under one rules version, and the known effects of its moves.

    A *turned* move is a move under the symmetries that map its position to the least one; of the
    resulting texts, the least is used. So moves that differ only by a symmetry have the same text.
    """

    def __init__(self, game: Game) -> None:
        version = version_of(game)
        name = game.id if version == FIRST_VERSION else f"{game.id} {version}"
        self.texts: Final[list[str]] = []
        """Every move met, in canonical text, and its symmetric moves."""
        self.steps: Final[list[KeyStep]] = []
        self._places: Final[tuple[dict[str, int], dict[KeyStep, int]]] = {}, {}
        turns = turns_of(game)
        self._on_boards = (
            None if turns is None else _OnBoards(game, name, turns, self.texts, self.text)
        )
        self._by_text = _ByText(name)
        self._dictionary = Dictionary(game)
        self._of_kinds: Numbers = np.empty(0, np.int64)
        """The step for each kind of move and side, at twice the kind plus the side; -1 if unknown.
        """

    @property
    def are_of_boards(self) -> bool:
        """Return whether many games can be played at once."""
        return self._on_boards is not None

    def text(self, move: str) -> int:
        """Return the place of a move in `texts`."""
        return _placed(move, self._places[0], self.texts)

    def _step(self, step: KeyStep) -> int:
        return _placed(step, self._places[1], self.steps)

    def key(self, position: Position) -> int:
        """Return the key of a position of this game."""
        return (self._on_boards or self._by_text).key(position)

    def turned(self, position: Position, moves: Sequence[Move]) -> list[str]:
        """Return the turned texts of moves in a position."""
        return (self._on_boards or self._by_text).turned(position, moves)

    def play(self, lines: Sequence[PlayableLine]) -> PlayedLines:
        """Return the keys of all positions of some lines, and the moves played there."""
        if self._on_boards is None:
            played = map(self._one_by_one, lines)
            return PlayedLines(*map(np.concatenate, zip(*played, strict=True)))
        return self._at_once(self._on_boards, lines)

    def _one_by_one(self, line: PlayableLine) -> PlayedLines:
        """Return the positions of one line, playing each ply."""
        position, keys, images, seats = line.start, [], [], []
        for move in map(Move, line.moves):
            of = self._on_boards or self._by_text
            keys.append(of.key(position))
            images.append(self.text(of.turned(position, [move])[0]))
            seats.append(int(position.to_move))
            position = position.play(move)
        return PlayedLines(
            np.array([*keys, self.key(position)], np.uint64),
            np.array([*images, NO_MOVE]),
            np.array([self._step(KeyStep(move, None)) for move in line.moves], np.int64),
            np.array(seats, np.uint8),
        )

    def _at_once(self, boards: _OnBoards, lines: Sequence[PlayableLine]) -> PlayedLines:
        """Return the positions of many lines, using the known effects of their moves.

        If a line ends in an unexpected position, each of its moves is examined.
        """
        kinds = [
            self._dictionary.for_granted(line.start, line.moves)
            or self._dictionary.closely(line.start, line.moves)[:2]
            for line in lines
        ]
        played, wrong = boards.play(lines, self._steps_of(kinds), self.steps)
        for place in wrong:
            line = lines[place]
            seats = movers(line.start, line.moves)
            found = self._dictionary.closely(line.start, line.moves, seats)[:2]
            one, is_wrong = boards.play([line], self._steps_of([found]), self.steps)
            _put(played, lines, place, self._one_by_one(line) if is_wrong else one)
        return played

    def _steps_of(self, found: Sequence[tuple[Sequence[int], Sequence[Side]]]) -> KeySteps:
        """Return the steps of lines by the kinds of their moves and the sides."""
        kinds, seats = array("q"), bytearray()
        for each, by in found:
            kinds.extend(each)
            seats += bytes(by)
        by_seat: Numbers = np.frombuffer(seats, np.uint8)  # a writable copy
        of_kinds = np.frombuffer(kinds, np.int64) * 2 + by_seat
        missing = 2 * len(self._dictionary.texts) - len(self._of_kinds)
        self._of_kinds = np.concatenate((self._of_kinds, np.full(missing, -1)))
        for place in np.unique(of_kinds[self._of_kinds[of_kinds] < 0]).tolist():
            kind, seat = divmod(place, 2)
            move, effect = self._dictionary.texts[kind], self._dictionary.effects[kind][seat]
            self._of_kinds[place] = self._step(KeyStep(move, effect))
            self.text(move)
        return KeySteps(self._of_kinds[of_kinds], by_seat)


_Met = TypeVar("_Met")


def _placed(one: _Met, places: dict[_Met, int], found: list[_Met]) -> int:
    """Return the place of a value in a list, adding it if it is new."""
    if (place := places.get(one)) is None:
        place = places[one] = len(found)
        found.append(one)
    return place


class KeySteps(NamedTuple):
    """The plies of some lines, one line after the other."""

    steps: Numbers
    seats: Numbers


def _put(played: PlayedLines, lines: Sequence[PlayableLine], place: int, one: PlayedLines) -> None:
    """Copy the positions of one line to their place among all."""
    plies = sum(len(line.moves) for line in lines[:place])
    for whole, part in zip(played, one, strict=True):
        first = plies + place * (len(one.keys) - len(part) == 0)
        whole[first : first + len(part)] = part


class _ByText:
    """Keys of positions of any game, one by one."""

    def __init__(self, name: str) -> None:
        self._name = name

    def key(self, position: Position) -> int:
        """Return the key of a position."""
        text = f"{self._name}\n{least(position).text()}"
        return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little")

    @staticmethod
    def turned(position: Position, moves: Sequence[Move]) -> list[str]:
        """Return the turned texts of moves in a position."""
        end = least(position)
        ways = [each for each in symmetries(position) if each.position(position) == end]
        return [min(way.move(move) for way in ways) for move in moves]


class _OnBoards:
    """Keys of many positions at once; for games whose positions are layers and a side to move."""

    def __init__(
        self,
        game: Game,
        name: str,
        turns: Sequence[Mapping[str, str]],
        texts: list[str],
        text: Callable[[str], int],
    ) -> None:
        """Take the image of each cell by symmetry, and the function that adds moves to `texts`."""
        cells = game.board.names
        self.layers: Final = Layers(game, {cell: place for place, cell in enumerate(cells)})
        self._texts, self._text = texts, text
        codes = self.layers.codes
        self._alike = [codes.index(code) for code in alike_of(game)]
        self._releases: Final = self._meet_releases(game)
        """The moves that remove all pieces of a layer that is like others, with that layer."""
        self._moves = [symmetry.move for symmetry in symmetries(game.start())]
        self._image_of: list[list[int]] = []
        """The symmetric moves of each move, as places in `texts`."""
        none: Numbers = np.empty((len(turns), 0), np.int64)
        self._ranked: tuple[Numbers, Numbers] = none[0], none
        place = {cell: number for number, cell in enumerate(cells)}
        images = np.array([[place[turn[cell]] for cell in cells] for turn in turns], np.int64)
        self._from = np.argsort(images, axis=1)
        """The cell that is mapped to each cell, by symmetry."""
        many = random_keys(f"database {name}", (len(codes) + 1) * len(cells) + 2)
        self._seats = np.array(many[-2:], np.uint64)
        values = np.arange(256)
        self._tables: Bits = np.zeros((len(codes), -(-len(cells) // 8), 256, len(turns)), np.uint64)
        for symmetry, turn in enumerate(turns):
            for layer, bit in product(range(len(codes)), range(len(cells))):
                row = len(codes) if layer in self._alike else layer
                key = np.uint64(many[row * len(cells) + place[turn[cells[bit]]]])
                has_bit = values >> (bit & 7) & 1 == 1
                self._tables[layer, bit >> 3, has_bit, symmetry] ^= key

    def _meet_releases(self, game: Game) -> dict[str, int]:
        """Return the moves that remove all of a layer by its name, with its place in `_alike`.

        Such a move must be legal as the second move. Removing all pieces of the layer is not
        enough, because another move could do that too: the symmetric move must have another name.
        """
        if not self._alike:
            return {}
        start = game.start()
        first = start.play(start.legal_moves()[0])
        before = layers_of(first)
        codes = [self.layers.codes[layer] for layer in self._alike]
        found: dict[str, int] = {}
        for move in first.legal_moves():
            after = layers_of(first.play(move))
            changed = [code for code in before if after.get(code, 0) != before[code]]
            if len(changed) == 1 and changed[0] in codes and not after.get(changed[0]):
                found[move] = codes.index(changed[0])
        images: dict[str, set[tuple[str, ...]]] = {move: set() for move in found}
        for position in at_random(game):
            ways = symmetries(position)
            for text, seen in images.items():
                seen.add(tuple(way.move(Move(text)) for way in ways))
            if all(len(seen) > 1 for seen in images.values()):
                break
        return {move: place for move, place in found.items() if len(images[move]) > 1}

    def key(self, position: Position) -> int:
        """Return the key of a position."""
        return int(self._whole(self.layers.of([position])).min() ^ self._seats[position.to_move])

    def turned(self, position: Position, moves: Sequence[Move]) -> list[str]:
        """Return the turned texts of moves in a position."""
        bits = np.repeat(self.layers.of([position]), len(moves), axis=2)
        keys = self._whole(bits)
        texts = np.array(list(map(self._text, moves)), np.int64)
        is_least = keys == keys.min(axis=0)
        images = self._images(texts, is_least)
        for place, move in enumerate(moves):
            if move in self._releases:
                row = slice(place, place + 1)
                images[row] = self._released(
                    texts[row], is_least[:, row], bits[self._alike][:, :, row]
                )
        return [self._texts[image] for image in images.tolist()]

    def play(
        self, lines: Sequence[PlayableLine], steps: KeySteps, known: Sequence[KeyStep]
    ) -> tuple[PlayedLines, list[int]]:
        """Return the positions of lines, and the places of lines that ended unexpectedly.

        The longest lines come first, so that the lines still being played are always the first
        ones.
        """
        lengths = np.array([len(line.moves) for line in lines], np.int64)
        order = np.argsort(-lengths, kind="stable")
        plies = (np.cumsum(lengths) - lengths)[order]
        first = plies + order
        lengths = lengths[order]
        at = plies[:, None] + np.arange(lengths.max(initial=0))
        by_line = steps.steps[np.minimum(at, len(steps.steps) - 1)]
        texts = np.array([self._text(step.move) for step in known], np.int64)
        effects, untold = self.layers.effects(step.effect for step in known)
        state = self._starts(lines, order)
        ends = self.layers.of([lines[place].end for place in order.tolist()])
        count = len(steps.steps) + len(lines)
        keys: Bits = np.empty(count, np.uint64)
        images: Numbers = np.full(count, NO_MOVE, np.int64)
        wrong = set(order[untold[by_line].any(axis=1)].tolist()) if untold.any() else set()
        now = self._whole(state)
        current: Numbers = np.empty(0, np.int64)
        changes, always = self._changes()
        waiting = []
        releases = list(map(self._text, self._releases))
        for ply, (on, bits, following) in enumerate(
            self.layers.steps(state, lengths, effects[by_line])
        ):
            if ply:
                now[:, : len(current)] ^= changes[:, current]
                if (rows := np.flatnonzero(~always[current])).size:
                    now[:, rows] = self._whole(bits[:, :, rows])
            here, going = first[:on] + ply, len(following)
            keys[here] = lowest = now[:, :on].min(axis=0)
            is_least = now[:, :going] == lowest[:going]
            played = texts[by_line[:going, ply]] if going else following
            images[here[:going]] = self._images(played, is_least)
            if self._releases and (rows := np.flatnonzero(np.isin(played, releases))).size:
                kinds = bits[self._alike][:, :, rows]
                waiting.append((here[rows], played[rows], is_least[:, rows], kinds))
            is_other = (bits[:, :, going:] != ends[:, :, going:on]).any(axis=(0, 1))
            wrong.update(order[going:on][is_other].tolist())
            current = following
        if waiting:
            here, played, is_least, kinds = (
                np.concatenate(p, axis=-1) for p in zip(*waiting, strict=True)
            )
            images[here] = self._released(played, is_least, kinds)
        to_move: Numbers = np.empty(count, np.uint8)
        last = first + lengths
        is_last: Flags = np.zeros(count, bool)
        is_last[last] = True
        to_move[~is_last] = steps.seats
        to_move[last] = [lines[place].end.to_move for place in order.tolist()]
        return PlayedLines(keys ^ self._seats[to_move], images, *steps), sorted(wrong)

    def _starts(self, lines: Sequence[PlayableLine], order: Numbers) -> Bits:
        """Return the layers of the first position of each line, in this order."""
        positions = [lines[place].start for place in order.tolist()]
        found = {id(position): position for position in positions}
        places = {of: place for place, of in enumerate(found)}
        bits = self.layers.of(list(found.values()))
        return bits[:, :, [places[id(position)] for position in positions]]

    def _changes(self) -> tuple[Bits, Flags]:
        """Return how each effect changes a key, by symmetry, and which effects do nothing else."""
        sets = self.layers.sets()
        return self._whole(sets), self.layers.only_sets() & ~sets[self._alike].any(axis=(0, 1))

    def _whole(self, bits: Bits) -> Bits:
        """Return the keys of boards by symmetry, without the side to move."""
        count = bits.shape[2]
        parts = np.ascontiguousarray(bits).view(np.uint8).reshape(*bits.shape, 8)
        keys: Bits = np.zeros((count, len(self._from)), np.uint64)
        kinds = np.zeros_like(keys)
        for layer, tables in enumerate(self._tables):
            key = np.zeros_like(keys)
            for byte, table in enumerate(tables):  # by value and symmetry
                key ^= table[parts[layer, byte >> 3, :, byte & 7]]
            if layer in self._alike:
                kinds += _mixed(key)  # a sum does not depend on the order of the layers
            else:
                keys ^= key
        if self._alike:
            keys ^= _mixed(kinds)
        return np.ascontiguousarray(keys.T)

    def _images(self, played: Numbers, is_least: Flags) -> Numbers:
        """Return the least symmetric move under the symmetries that give the least key."""
        images, ranks = self._table()
        return images[np.where(is_least, ranks[:, played], len(self._texts)).min(axis=0)]

    def _table(self) -> tuple[Numbers, Numbers]:
        """Return the moves sorted by text, and the rank of each symmetric move.

        Both are computed again if new moves were met.
        """
        texts = self._texts
        if len(self._ranked[0]) != len(texts):
            while len(self._image_of) < len(texts):  # symmetric moves are moves too
                move = Move(texts[len(self._image_of)])
                self._image_of.append([self._text(image(move)) for image in self._moves])
            order = np.array(sorted(range(len(texts)), key=texts.__getitem__), np.int64)
            self._ranked = order, np.argsort(order)[np.array(self._image_of, np.int64).T]
        return self._ranked

    def _released(self, played: Numbers, is_least: Flags, kinds: Bits) -> Numbers:
        """Return the least symmetric moves of moves that remove one of the layers `kinds`.

        The names of the layers have no meaning: the layer with the lowest cell is the first, and so
        on.
        """
        images, ranks = self._table()
        named = np.full(len(self._alike), -1)
        of_move = np.full(len(self._texts), -1)
        for move, layer in self._releases.items():
            named[layer] = ranks[0, self._text(move)]
            of_move[self._text(move)] = layer
        row, turn = np.nonzero(is_least.T)  # most positions have only one
        cells = self._from[turn]
        lowest = np.full((len(kinds), len(row)), cells.shape[1])
        bits = kinds[:, :, row]
        for image in range(cells.shape[1] - 1, -1, -1):
            cell = cells[:, image]
            word = bits[:, cell >> 6, np.arange(len(row))] if bits.shape[1] > 1 else bits[:, 0]
            lowest[(word >> (cell & 63).astype(np.uint64) & np.uint64(1)).astype(bool)] = image
        place = (lowest < lowest[of_move[played[row]], np.arange(len(row))]).sum(axis=0)
        best = np.minimum.reduceat(named[place], np.searchsorted(row, np.arange(len(played))))
        return images[best]


def _mixed(key: Bits) -> Bits:
    """Return a value that can be added without losing the identity of the keys; 0 for 0."""
    key = (key ^ key >> np.uint64(32)) * np.uint64(0xD6E8FEB86659FD93)
    key = (key ^ key >> np.uint64(32)) * np.uint64(0xD6E8FEB86659FD93)
    return key ^ key >> np.uint64(32)


_GAMES: Final = 24
_PLIES: Final = 16
"""The plies of the random games that test whether cells and side to move are the whole position."""

_TURNED: Final = 5
"""One in this many of these positions is tested for symmetries, which is slow."""


def turns_of(game: Game) -> list[Mapping[str, str]] | None:
    """Return the image of each cell for each symmetry of the game, or None.

    None means that cells and side to move are not the whole position, that a cell can hold a piece
    twice, or that a symmetry does not move the board. Then arrays cannot be used.
    """
    seen: dict[tuple[Any, ...], str] = {}
    stacks: dict[tuple[str, ...], str] = {}
    isometries = game.board.isometries
    fitting: list[set[int]] = []
    for number, position in enumerate(at_random(game)):
        contents = position.contents()
        if seen.setdefault((contents, position.to_move), position.text()) != position.text():
            return None
        for content in set(contents):
            if stacks.setdefault(tuple(sorted(set(content))), content) != content:
                return None
        if number % _TURNED:
            continue
        turns = symmetries(position)
        fitting = fitting or [set(range(len(isometries))) for _ in turns]
        if len(turns) != len(fitting):
            return None
        for turn, fits in zip(turns, fitting, strict=True):
            fits.intersection_update(_fitting(turn, position, fits))
    return [isometries[min(fits)].cells for fits in fitting] if all(fitting) else None


def _fitting(turn: Symmetry, position: Position, among: Iterable[int]) -> set[int]:
    """Return the isometries of the board, by place, that equal a symmetry at a position."""
    game, contents = position.game, position.contents()
    image = _unnamed(game, turn.position(position).contents())
    isometries = game.board.isometries
    return {
        place
        for place in among
        if _unnamed(game, _moved(game, isometries[place].cells, contents)) == image
    }


def at_random(game: Game) -> Iterator[Position]:
    """Yield positions of some random games, always the same ones."""
    chance = Random(f"database {game.id}")
    for number in range(_GAMES):
        position = game.start(game.draw_setup(number) if game.has_setups and number else None)
        for _ in range(_PLIES):
            yield position
            if not (moves := position.legal_moves()):
                break
            position = position.play(chance.choice(moves))


def _moved(game: Game, cells: Mapping[str, str], contents: Sequence[str]) -> list[str]:
    by_name = dict(zip(map(cells.__getitem__, game.board.names), contents, strict=True))
    return [by_name[name] for name in game.board.names]


def _unnamed(game: Game, contents: Sequence[str]) -> list[str]:
    """Return the pieces on cells, with pieces that differ only by name numbered in order."""
    alike = alike_of(game)
    met: dict[str, str] = {}
    return [
        "".join(met.setdefault(c, str(len(met))) if c in alike else c for c in content)
        for content in contents
    ]


def keys_of(game_id: str, rules: str = "") -> PositionKeys:
    """Return the keys of a game under a rules version. Raises UnknownGameError if it is unknown."""
    return _keys_of(game_id, rules or FIRST_VERSION)


@lru_cache(maxsize=256)
def _keys_of(game_id: str, rules: str) -> PositionKeys:
    return PositionKeys(game_by(game_id, rules))
