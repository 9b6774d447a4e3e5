"""Records played through for the page: moves, what each does to the board, what was legal.

Must not know what the numbers mean. The page reads them with `js/streams.js`.

Must not know any game: effects are learned from what lies on the cells before and after.

An effect is words with blanks between. With a cell, by its place in `Board.names`, before it:
`7+ok` lays pieces on top, `7-1` takes pieces off the top, `7~tile` takes all pieces of a shape,
`7=Aw` says what lies there. Without a cell it goes for the whole board: `!k` takes every `k` away,
`>wb` turns every `w` into a `b`.

Must not know any game, nor how a page stores or shows a replay.

Must not know any game, nor how a page stores a replay. What a move does is learned from the rules:
at first from the positions before and after every ply, later, when a move has done the same thing
again and again, by looking at the end of each game only. A game whose end is not as foretold is
played once more, each ply being looked at.

Must not know any game, nor where a page stores this.
"""

from __future__ import annotations

import json
import re
import zlib
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any, Final

from lath.games.core import Game, Move, Position, Seat, read_move
from lath.games.errors import GameError
from lath.notation.record import Record
from lath.notation.replay import start_of

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


_WORD: Final = re.compile(r"([0-9]*)([-+~=!>])(.*)", re.DOTALL)

_COSTS: Final = {"+": 10, "~": 15, "!": 16, ">": 16, "-": 20, "=": 40}
"""How unlikely it is that the word is what the rules mean."""

_MARKER_MOVES: Final = 5
"""What is off the cost of taking a marker from wherever it is."""

Shapes = Mapping[str, str]
"""The shape of each piece by its code."""

Word = tuple[int, str, str]
"""A cell (-1: the whole board), what is done, and with what."""


@lru_cache(maxsize=65536)
def words(effect: str) -> tuple[Word, ...]:
    """Return the words of an effect; raises ValueError for what is none."""
    return tuple(_word(text) for text in effect.split(" ") if text)


def _word(text: str) -> Word:
    match = _WORD.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is no effect of a move")
    return int(match[1] or -1), match[2], match[3]


def apply(effect: str, contents: list[str], shapes: Shapes) -> None:
    """Do to `contents`, what lies on each cell, what the effect says."""
    for cell, what, operand in words(effect):
        if what == "+":
            contents[cell] += operand
        elif what == "=":
            contents[cell] = operand
        elif what == "-":
            contents[cell] = contents[cell][: -int(operand)]
        elif what == "~":
            contents[cell] = "".join(c for c in contents[cell] if shapes.get(c) != operand)
        else:
            old, new = operand[0], operand[1:]
            contents[:] = [content.replace(old, new) for content in contents]


def applied(effect: str, before: Sequence[str], shapes: Shapes) -> tuple[str, ...]:
    """Return what lies on each cell after the effect."""
    contents = list(before)
    apply(effect, contents, shapes)
    return tuple(contents)


def explained(before: Sequence[str], after: Sequence[str], shapes: Shapes) -> str:
    """Return the likeliest effect that leads from `before` to `after`; empty if nothing changed."""
    options = (_with_start(start, before, after, shapes) for start in _starts(before, after))
    return min(map(" ".join, options), key=lambda effect: _cost(effect, shapes))


def _cost(effect: str, shapes: Shapes) -> int:
    told = words(effect)
    markers = [word for word in told if word[1] == "!" and shapes.get(word[2]) == "marker"]
    return sum(_COSTS[what] for _, what, _ in told) - _MARKER_MOVES * len(markers)


def _starts(before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield what may have happened to the whole board."""
    pairs = [pair for pair in zip(before, after, strict=True) if pair[0] != pair[1]]
    gone = sorted({code for old, new in pairs for code in old if code not in new})
    come = sorted({code for old, new in pairs for code in new if code not in old})
    yield ()
    yield from ((f"!{code}",) for code in gone)
    if len(gone) > 1:
        yield tuple(f"!{code}" for code in gone)
    yield from ((f">{old}{new}",) for old in gone for new in come)


def _with_start(
    start: tuple[str, ...], before: Sequence[str], after: Sequence[str], shapes: Shapes
) -> tuple[str, ...]:
    reached = applied(" ".join(start), before, shapes)
    cells = enumerate(zip(reached, after, strict=True))
    rest = (f"{i}{_on_cell(old, new, shapes)}" for i, (old, new) in cells if old != new)
    return (*start, *rest)


def _on_cell(old: str, new: str, shapes: Shapes) -> str:
    if new.startswith(old):
        return f"+{new[len(old) :]}"
    for shape in _shapes_in(old, shapes):
        if new == "".join(code for code in old if shapes.get(code) != shape):
            return f"~{shape}"
    return f"-{len(old) - len(new)}" if old.startswith(new) else f"={new}"


def _shapes_in(content: str, shapes: Shapes) -> Iterable[str]:
    return dict.fromkeys(shapes[code] for code in content if code in shapes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """Everything that a viewer without rules needs to show a game."""

    game: Game
    start: tuple[str, ...]
    """As `Position.contents` of the first position."""

    kinds: tuple[int, ...]
    """The kind of move that each ply is, by its number in the game's `Dictionary`."""

    movers: tuple[Seat, ...]
    """Who decided on each ply."""

    to_move: Seat
    """Who decides, or would, after the last ply."""

    ending: str
    """In the game's words how the rules ended it; empty where they did not."""

    deciding: tuple[int, ...]
    """The cells that decided, by their place in `Board.names`."""


_TRIALS: Final = 20
"""How often in a row a move must have done the same thing before it is taken for granted."""

Effects = list[str | None]
"""What a kind of move does, by who plays it; None where nobody of that seat has."""


class Dictionary:
    """Kinds of moves: a move's text, and by seat what it does."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.shapes = {piece.code: piece.shape for piece in game.pieces}
        self.kinds = Numbers()
        """By text, and a number that tells apart what a move of this text does."""
        self.effects: list[Effects] = []
        """By kind."""
        self._known: dict[tuple[str, Seat], list[int]] = {}
        self._streaks: dict[tuple[str, Seat], tuple[int, int]] = {}
        self._granted: dict[tuple[str, Seat], int] = {}
        self._fickle: set[tuple[str, Seat]] = set()
        self._moves: dict[str, Move] = {}
        self._starts: dict[tuple[str, str], tuple[Position, tuple[str, ...]]] = {}
        self._last: tuple[Position, tuple[str, ...]] | None = None
        """The last position that was looked at: it is the one before the next ply."""

    def play(self, record: Record) -> Replay:
        """Return the replay of a record of this game.

        Raises GameError: a setup that the game refuses, or an illegal move, with the ply in the
        message.
        """
        start, begin = self._start(record)
        texts = [ply.move for ply in record.plies]
        kinds, movers, end = self._played(start, texts)
        if not self._leads(begin, kinds, movers, self._contents(end)):
            self._doubt(zip(texts, movers, strict=True))
            kinds, movers, end = self._played(start, texts)
        outcome = end.outcome()
        return Replay(
            game=self.game,
            start=begin,
            kinds=tuple(kinds),
            movers=tuple(movers),
            to_move=end.to_move,
            ending=outcome.ending if outcome else "",
            deciding=self._places(outcome.cells if outcome else ()),
        )

    def _start(self, record: Record) -> tuple[Position, tuple[str, ...]]:
        """Return the first position, and what lies on its cells."""
        key = record.tag("Setup"), record.tag("Position")
        known = self._starts.get(key)
        if known is None:
            position = start_of(record)
            known = position, position.contents()
            if len(self._starts) < _MANY_STARTS:
                self._starts[key] = known
        return known

    def _places(self, names: Sequence[str]) -> tuple[int, ...]:
        places = {name: i for i, name in enumerate(self.game.board.names)}
        return tuple(places[name] for name in names if name in places)

    def _played(
        self, position: Position, texts: Sequence[str]
    ) -> tuple[list[int], list[Seat], Position]:
        kinds: list[int] = []
        movers: list[Seat] = []
        granted = self._granted
        try:
            for text in texts:
                after = position.play(self._moves.get(text) or self._read(text))
                seat = position.to_move
                kind = granted.get((text, seat))
                kinds.append(self.kind(text, position, after) if kind is None else kind)
                movers.append(seat)
                position = after
        except GameError as error:
            raise GameError(f"ply {len(kinds) + 1}: {error}") from error
        return kinds, movers, position

    def _read(self, text: str) -> Move:
        move = self.game.canonical(text)
        if len(self._moves) < _MANY:
            self._moves[text] = move
        return move

    def kind(self, text: str, before: Position, after: Position) -> int:
        """Return which kind of move led from one position to the next."""
        seat = before.to_move
        old, new = self._contents(before), self._contents(after)
        known = self._known.setdefault((text, seat), [])
        for kind in known:
            effect = self.effects[kind][seat]
            if effect is not None and applied(effect, old, self.shapes) == new:
                self._note_use((text, seat), kind)
                return kind
        return self._learn(text, seat, explained(old, new, self.shapes))

    def _contents(self, position: Position) -> tuple[str, ...]:
        if self._last is None or self._last[0] is not position:
            self._last = position, position.contents()
        return self._last[1]

    def granted(self, text: str, seat: Seat) -> int | None:
        """Return what kind a seat's move is without looking; None where looking is called for."""
        return self._granted.get((text, seat))

    def _note_use(self, played: tuple[str, Seat], kind: int) -> None:
        """Count that a move did again what it did, and try this first from now on."""
        last, times = self._streaks.get(played, (kind, 0))
        self._streaks[played] = kind, times + 1 if last == kind else 1
        known = self._known[played]
        if known[0] != kind:
            known.remove(kind)
            known.insert(0, kind)
        if times + 1 >= _TRIALS and last == kind and played not in self._fickle:
            self._granted[played] = kind

    def _learn(self, text: str, seat: Seat, effect: str) -> int:
        known = self._known[text, seat]
        self._streaks.pop((text, seat), None)
        kind = self.kinds[text, len(known)]
        if kind == len(self.effects):
            self.effects.append([None, None])
        self.effects[kind][seat] = effect
        known.append(kind)
        return kind

    def _leads(
        self,
        start: Sequence[str],
        kinds: Sequence[int],
        movers: Sequence[Seat],
        end: Sequence[str],
    ) -> bool:
        contents = list(start)
        for kind, seat in zip(kinds, movers, strict=True):
            apply(self.effects[kind][seat] or "", contents, self.shapes)
        return contents == list(end)

    def _doubt(self, played: Iterable[tuple[str, Seat]]) -> None:
        """From now on look closely at these moves."""
        for move in played:
            self._fickle.add(move)
            self._granted.pop(move, None)


_MANY: Final = 100_000
"""Spellings that are remembered; the moves of all built-in games together are fewer."""

_MANY_STARTS: Final = 1000
"""Setups that are remembered; all games of a round share one."""


MOST_PLIES: Final = 60_000
"""Plies of a report from which on legal moves are left out: they would not fit."""


class LegalMoves:
    """Sets of kinds of moves, position by position."""

    def __init__(self, dictionary: Dictionary) -> None:
        self._dictionary = dictionary
        self._foretold: frozenset[int] = frozenset()
        """Of the next game's first position."""

    def of_game(self, record: Record, kinds: Sequence[int]) -> bytes:
        """Return the kinds that begin or cease to be legal at each position of a game.

        For each: how many, then their differences. What is foretold is the set before without the
        kind just played; for a game's first position, that of the game before.
        """
        position = start_of(record)
        foretold, parts = self._foretold, []
        for i in range(len(kinds) + 1):
            legal = self._kinds(position)
            parts.append(_toggled(foretold ^ legal))
            if i == 0:
                self._foretold = legal
            if i < len(kinds):
                foretold = legal - {kinds[i]}
                position = position.play(read_move(position, record.plies[i].move))
        return b"".join(parts)

    def _kinds(self, position: Position) -> frozenset[int]:
        seat, known = position.to_move, self._dictionary.granted
        found = []
        for move in position.legal_moves():
            kind = known(move, seat)
            if kind is None:
                kind = self._dictionary.kind(move, position, position.play(move))
            found.append(kind)
        return frozenset(found)


def _toggled(kinds: frozenset[int]) -> bytes:
    ordered = sorted(kinds)
    steps = (new - old for new, old in zip(ordered, (0, *ordered), strict=False))
    return varint(len(ordered)) + varints(steps)
