"""Records played through: what each move does to the board, so that a viewer needs no rules.

An effect is words with blanks between. With a cell, by its place in `Board.names`, before it:
`7+ok` lays pieces on top, `7-1` takes pieces off the top, `7~tile` takes all pieces of a shape,
`7=Aw` says what lies there. Without a cell it goes for the whole board: `!k` takes every `k` away,
`>wb` turns every `w` into a `b`. `js/effects.js` applies the same words.

What a move does is learned from what lies on the cells before and after: at first of every ply,
later, when a move has done the same thing again and again, and nothing else that it may be doing is
left, by looking at the end of each game only. A game of which every move is taken for granted is
not played ply by ply at all. A move that does something else here than there, or an end that is not
as foretold, shows that a move's text does not tell what it does in this game: of that game each ply
is looked at from then on.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache, reduce
from operator import or_
from typing import Final, NamedTuple

from lath.games.board import Board
from lath.games.capabilities import bits_of, knows_movers, legal_bits
from lath.games.core import Game, Move, Position, Side, follow, movers
from lath.games.errors import GameError
from lath.notation.record.record import Record
from lath.notation.rules.replay import end_of, start_of

_WORD: Final = re.compile(r"([0-9]*)([-+~=!>])([^ ]*)")

_COSTS: Final = {"+": 10, "~": 15, "!": 16, ">": 16, "-": 20, "=": 40}
"""How unlikely it is that the word is what the rules mean."""

Shapes = Mapping[str, str]
"""The shape of each piece by its code."""


@lru_cache(maxsize=65536)
def words(effect: str) -> tuple[tuple[int, str, str], ...]:
    """Return the words of an effect: a cell (-1: the whole board), what is done, and with what.

    >>> words("7+ok !k")
    ((7, '+', 'ok'), (-1, '!', 'k'))
    """
    return tuple((int(cell or -1), what, operand) for cell, what, operand in _WORD.findall(effect))


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
            left = contents[cell]
            if len(left) == 1:  # as mostly
                contents[cell] = "" if shapes.get(left) == operand else left
            else:
                contents[cell] = "".join([c for c in left if shapes.get(c) != operand])
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

    def cost(effect: str) -> int:
        # Markers move: 5 less for taking one from wherever it is.
        return sum(
            _COSTS[what] - 5 * (what == "!" and shapes.get(operand) == "marker")
            for _, what, operand in words(effect)
        )

    return min(_explanations(before, after, shapes), key=cost)


def _explanations(before: Sequence[str], after: Sequence[str], shapes: Shapes) -> list[str]:
    """Return the effects that lead from `before` to `after`."""
    options = (_with_start(start, before, after, shapes) for start in _starts(before, after))
    return list(map(" ".join, options))


def _unseen(effect: str, before: Sequence[str], shapes: Shapes) -> Iterator[str]:
    """Yield the effect with what it may also do to pieces of which none lies on the board."""
    for code in sorted(set(shapes).difference(*before)):
        yield f"!{code} {effect}".rstrip()
        alike = (other for other in shapes if other != code and shapes[other] == shapes[code])
        yield from (f">{code}{other} {effect}".rstrip() for other in alike)


def _starts(before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield what may have happened to the whole board."""
    pairs = [pair for pair in zip(before, after, strict=True) if pair[0] != pair[1]]
    gone = sorted({code for old, new in pairs for code in old if code not in new})
    come = sorted({code for old, new in pairs for code in new if code not in old})
    yield ()
    yield from ((f"!{code}",) for code in gone)
    if len(gone) > 1:
        yield tuple(f"!{code}" for code in gone)
    yield from ((f">{old}{new}",) for old in gone for new in come if old != new)


def _with_start(
    start: tuple[str, ...], before: Sequence[str], after: Sequence[str], shapes: Shapes
) -> tuple[str, ...]:
    cells = enumerate(zip(applied(" ".join(start), before, shapes), after, strict=True))
    return (*start, *(f"{i}{_on_cell(old, new, shapes)}" for i, (old, new) in cells if old != new))


def _on_cell(old: str, new: str, shapes: Shapes) -> str:
    if new.startswith(old):
        return f"+{new[len(old) :]}"
    for shape in dict.fromkeys(shapes[code] for code in old if code in shapes):
        if new == "".join(code for code in old if shapes.get(code) != shape):
            return f"~{shape}"
    return f"-{len(old) - len(new)}" if old.startswith(new) else f"={new}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """Everything that a viewer without rules needs to show a game."""

    start: str
    """The effect that leads from the board of a game without a setup to the first position."""

    kinds: tuple[int, ...]
    """The kind of move that each ply is, by its number in the game's `Dictionary`."""

    movers: tuple[Side, ...]
    """Who decided on each ply."""

    to_move: Side
    """Who decides, or would, after the last ply."""

    deciding: tuple[int, ...]
    """The cells that decided, by their place in `Board.names`."""

    is_loss: bool
    """Whether the ending is what the loser made or had."""


_TRIALS: Final = 12
"""How often in a row a move must have done the same thing before it is taken for granted."""

_MANY: Final = 400
"""Moves of a turn that it takes too long to look at before any game is played."""

_TURNS: Final = 40
"""Of a game that is played before any other, so that moves are seen on a board with pieces."""

_STRIDE: Final = 17
"""How far apart the moves of that game are among those that can be played."""


class _Start(NamedTuple):
    """A first position, what lies on its cells, and the effect that puts it there."""

    position: Position
    contents: tuple[str, ...]
    effect: str


class LastStep(NamedTuple):
    """The last move of a line, for who has seen what the line before it leads to."""

    before: int
    """The place of that line among the lines; -1 where it is none."""

    move: str
    effect: str


def steps(game: Game, lines: Iterable[str]) -> list[LastStep | None]:
    """Return the last move of each line of a game, which comes after the one that it goes on.

    None where the game refuses the line, as that of other rules may be.
    """
    shapes = {piece.code: piece.shape for piece in game.pieces}
    reached: dict[str, tuple[int, Position]] = {"": (-1, game.start())}
    found: list[LastStep | None] = []
    for place, text in enumerate(lines):
        before, _, move = text.rpartition(" ")
        step = None
        with suppress(GameError, KeyError):
            at, position = reached[before]
            after = position.play(game.canonical(move))
            reached[text] = place, after
            step = LastStep(at, move, explained(position.contents(), after.contents(), shapes))
        found.append(step)
    return found


class Dictionary:
    """Kinds of moves: a move's text, and by seat what it does."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.shapes = {piece.code: piece.shape for piece in game.pieces}
        start = game.start()
        self.plain = start.contents()
        """What lies on the board of a game without a setup."""
        self.texts: list[str] = []
        """The move of each kind."""
        self.effects: list[list[str | None]] = []
        """By kind and seat; None where nobody of that seat has made such a move."""
        self._known: dict[str, list[int]] = {}
        """The kinds of a move, the one that was met last at first."""
        self._streaks: dict[tuple[str, Side], tuple[int, int]] = {}
        self._granted: tuple[dict[str, int], dict[str, int]] = ({}, {})
        """By seat, what kind a move is without looking."""
        self._rivals: dict[tuple[int, Side], list[str]] = {}
        """By kind and seat, what else explains all that was seen of such moves."""
        self._unseen: dict[tuple[int, Side], list[str]] = {}
        """By kind and seat, the same with pieces of which none lay on the board at first."""
        self._is_fickle = False
        """Whether a move of the game has done other things: then none is taken for granted."""
        # The moves of all built-in games together have fewer spellings.
        self.read = lru_cache(maxsize=100_000)(game.canonical)
        """Returns the one way to write a move, remembered; raises MoveSyntaxError."""
        self._starts: dict[tuple[str, str], _Start] = {}
        self._last = ((start, self.plain),) * 2
        """The last two positions that were looked at: one is that before the next move."""
        self._learn(start)

    def _learn(self, position: Position) -> None:
        """Look at what moves do along a game, at each while there is something to be learned."""
        for turn in range(_TURNS):
            moves = position.legal_moves()
            if turn and len(moves) > _MANY:
                break
            for move in moves:  # in the board's order, in which they pack best
                if self._is_new(move, position.to_move):
                    self.kind(move, position, position.play(move))
            # Another place each time, so that most moves can still be played later.
            places = ((turn * _STRIDE + at) % len(moves) for at in range(len(moves)))
            going_on = (position.play(moves[place]) for place in places)
            after = next((each for each in going_on if not each.is_over), None)
            if after is None:
                break
            position = after

    def _is_new(self, move: Move, seat: Side) -> bool:
        """Return whether a move was not seen by a seat, or might do what could not be seen yet."""
        of_seat = [kind for kind in self._known.get(move, ()) if self.effects[kind][seat]]
        return not of_seat or any(self._unseen[kind, seat] for kind in of_seat)

    def play(self, record: Record) -> Replay:
        """Return the replay of a record of this game.

        Raises GameError: a setup that the game refuses, or an illegal move, with the ply in the
        message.
        """
        start = self.start(record)
        texts = [ply.move for ply in record.plies]
        begun = start.position
        kinds, seats, end = self.at_once(begun, texts) or self.closely(begun, texts)
        contents = list(start.contents)
        for kind, seat in zip(kinds, seats, strict=True):
            apply(self.effects[kind][seat] or "", contents, self.shapes)
        if tuple(contents) != self._contents(end):
            kinds, seats, end = self.closely(begun, texts, seats)
        outcome = end.outcome()
        names = self.game.board.names
        return Replay(
            start=start.effect,
            kinds=tuple(kinds),
            movers=tuple(seats),
            to_move=end.to_move,
            deciding=tuple(
                names.index(cell) for cell in (outcome.cells if outcome else ()) if cell in names
            ),
            is_loss=bool(outcome and outcome.is_loss),
        )

    def settled(self) -> dict[str, int]:
        """Return the kinds of the moves that are taken for granted, the same for both seats."""
        first, second = self._granted
        return {text: kind for text, kind in first.items() if second.get(text) == kind}

    def line(self, position: Position, texts: Sequence[str]) -> list[tuple[int, Side]]:
        """Return the kind and the seat of each move of a line from a position, each looked at.

        Raises GameError.
        """
        return [
            (self.kind(text, before, after), before.to_move)
            for text, before, after in self._steps(position, texts)
        ]

    def end(self, record: Record) -> Position:
        """Return the position after the last ply of a record; raises what `play` does.

        Nothing is learned from it.
        """
        if (end := end_of(record)) is None:
            start = start_of(record)
            *_, end = start, *self._positions(start, record.moves)  # says what is wrong
        return end

    def start(self, record: Record) -> _Start:
        """Return the first position of a record; raises GameError."""
        key = record.tag("Setup"), record.tag("Position")
        if (known := self._starts.get(key)) is None:
            position = start_of(record)
            contents = position.contents()
            cells = " ".join(_with_start((), self.plain, contents, self.shapes))
            known = _Start(position, contents, cells)
            if len(self._starts) < 1000:  # all games of a round share one
                self._starts[key] = known
        return known

    def at_once(
        self, position: Position, texts: Sequence[str]
    ) -> tuple[list[int], Sequence[Side], Position] | None:
        """Return the kind and the seat of each move from a position, and the position at the end.

        None where a move must be looked at, or cannot be played.
        """
        end = follow(position, texts) if knows_movers(position) else None
        found = None if end is None else self.for_granted(position, texts)
        return None if found is None or end is None else (*found, end)

    def for_granted(
        self, position: Position, texts: Sequence[str]
    ) -> tuple[list[int], Sequence[Side]] | None:
        """Return the kind and the seat of each move of a line that can be played.

        None where a move must be looked at, or finding out who moves takes as long as playing. Who
        asks has to see at the end whether all did what they are known for; if not, `closely` tells.
        """
        if not knows_movers(position):
            return None
        seats = movers(position, texts)[: len(texts)]
        granted = self._granted
        kinds = [0] * len(seats)
        try:
            for turn in range(2):
                by = seats[turn::2]
                if by and by.count(by[0]) == len(by):  # as nearly always: many at once
                    kinds[turn::2] = map(granted[by[0]].__getitem__, texts[turn::2])
                else:
                    pairs = zip(by, texts[turn::2], strict=True)
                    kinds[turn::2] = [granted[seat][text] for seat, text in pairs]
        except KeyError:
            return None
        return kinds, seats

    def closely(
        self, position: Position, texts: Sequence[str], seats: Sequence[Side] = ()
    ) -> tuple[list[int], Sequence[Side], Position]:
        """Return what `at_once` does, looking at each move; raises GameError.

        With `seats` one of the moves is not what it was taken for: none is granted from now on.
        """
        if seats:
            self._grant_nothing()
        kinds: list[int] = []
        if knows_movers(position) and (end := follow(position, texts)) is not None:
            seats = movers(position, texts)[: len(texts)]
            at = 0
            for ply, (text, seat) in enumerate(zip(texts, seats, strict=True)):
                kind = self._granted[seat].get(text)
                if kind is None:  # what lies between two such plies is played at once
                    before = follow(position, texts[at:ply])
                    assert before is not None
                    at, position = ply + 1, before.play(Move(text))
                    kind = self.kind(text, before, position)
                kinds.append(kind)
            return kinds, seats, end
        by: list[Side] = []
        end = position
        for text, before, end in self._steps(position, texts):
            kind = self._granted[before.to_move].get(text)
            kinds.append(self.kind(text, before, end) if kind is None else kind)
            by.append(before.to_move)
        return kinds, by, end

    def _grant_nothing(self) -> None:
        self._is_fickle = True
        for granted in self._granted:
            granted.clear()

    def _steps(
        self, position: Position, texts: Sequence[str]
    ) -> Iterator[tuple[str, Position, Position]]:
        """Yield each move with the positions before and after it; raises as `_positions`."""
        for text, after in zip(texts, self._positions(position, texts), strict=True):
            yield text, position, after
            position = after

    def _positions(self, position: Position, texts: Sequence[str]) -> Iterator[Position]:
        """Yield the position after each move; raises GameError, with the ply in the message."""
        for number, text in enumerate(texts, 1):
            try:
                position = position.play(self.read(text))
            except GameError as error:
                raise GameError(f"ply {number}: {error}") from error
            yield position

    def kind_of(self, move: Move, position: Position) -> int:
        """Return which kind a legal move is, which is not played where it is taken for granted."""
        kind = self._granted[position.to_move].get(move)
        return self.kind(move, position, position.play(move)) if kind is None else kind

    def kind(self, text: str, before: Position, after: Position) -> int:
        """Return which kind of move led from one position to the next."""
        seat = before.to_move
        old, new = self._contents(before), self._contents(after)
        known = self._known.setdefault(text, [])
        for kind in known:
            effects = self.effects[kind]
            effect = effects[seat]
            if effect is None:  # perhaps it does the same as for the other seat
                effect = effects[1 - seat] or ""
            if applied(effect, old, self.shapes) == new:
                effects[seat] = effect
                self._left(kind, seat, old, new)
                # It did again what it did: that is tried first from now on, or taken for granted.
                last, times = self._streaks.get((text, seat), (kind, 0))
                self._streaks[text, seat] = kind, times + 1 if last == kind else 1
                known.remove(kind)
                known.insert(0, kind)
                is_sure = not (self._is_fickle or self._rivals[kind, seat])
                if times + 1 >= _TRIALS and last == kind and is_sure:
                    self._granted[seat][text] = kind
                return kind
        of_seat = [kind for kind in known if self.effects[kind][seat] is not None]
        for kind in of_seat:  # all that was seen of it may have been something else, which this is
            if others := self._left(kind, seat, old, new):
                self.effects[kind][seat] = others[0]
                for rivals in (self._rivals, self._unseen):
                    rivals[kind, seat] = [one for one in rivals[kind, seat] if one != others[0]]
                return kind
        self._streaks.pop((text, seat), None)
        kind = next((one for one in known if self.effects[one][seat] is None), len(self.texts))
        if of_seat:
            self._grant_nothing()
        if kind == len(self.texts):  # a kind of move that the seat had not
            known.append(kind)
            self.texts.append(text)
            self.effects.append([None, None])
        self.effects[kind][seat] = explained(old, new, self.shapes)
        self._left(kind, seat, old, new)
        return kind

    def _left(self, kind: int, seat: Side, old: Sequence[str], new: Sequence[str]) -> Sequence[str]:
        """Return what else explains all that was seen of a kind by a seat, this included."""
        effect, key = self.effects[kind][seat] or "", (kind, seat)
        if key not in self._rivals:
            told = {*_explanations(old, new, self.shapes)} - {effect}
            more = [each for one in (effect, *told) for each in _unseen(one, old, self.shapes)]
            moved = {each for each in more if self._lays(effect, each)}
            self._rivals[key] = sorted(told | moved, key=len)
            self._unseen[key] = [each for each in more if each not in moved]
        if self._rivals[key]:
            held = (each for each in self._rivals[key] if applied(each, old, self.shapes) == new)
            self._rivals[key] = list(held)
        if self._unseen[key]:
            there = set("".join(old))
            self._unseen[key] = [
                each
                for each in self._unseen[key]
                if each[1] not in there or applied(each, old, self.shapes) == new
            ]
        return (*self._rivals[key], *self._unseen[key])

    def _lays(self, effect: str, unseen: str) -> bool:
        """Return whether an effect lays a marker, which moves as a rule: it came from nowhere."""
        what, code = unseen[0], unseen[1]
        laid = "".join(operand for _, sign, operand in words(effect) if sign in "+=")
        return what == "!" and self.shapes[code] == "marker" and code in laid

    def _contents(self, position: Position) -> tuple[str, ...]:
        older, newer = self._last
        if newer[0] is not position:
            self._last = newer, older if older[0] is position else (position, position.contents())
        return self._last[1][1]


class LegalMoves:
    """Which moves are legal in games that a dictionary has played, as bits: a bit a kind of move.

    Kinds that are settled have the bits of the game's own, so that nothing is asked of such moves;
    others come above these. Nothing is to be played by the dictionary any more.
    """

    def __init__(self, dictionary: Dictionary) -> None:
        self._dictionary = dictionary
        bits = bits_of(dictionary.game)
        settled = {bits[text]: kind for text, kind in dictionary.settled().items() if text in bits}
        self._kind = settled
        self._bit = {kind: bit for bit, kind in settled.items()}
        self._settled = sum(settled)
        self._others = {bit: Move(text) for text, bit in bits.items() if bit not in settled}
        self._above = max(bits.values(), default=0).bit_length()

    def of(self, record: Record) -> Iterator[int]:
        """Yield the legal moves of each position of a record that the dictionary has played."""
        position, read = self._dictionary.start(record).position, self._dictionary.read
        for move in (None, *record.moves):
            if move is not None:
                position = position.play(read(move))
            bits = legal_bits(position) if self._settled else None
            if bits is None:
                yield self._looked_at(position, position.legal_moves())
                continue
            legal = bits & self._settled
            if bits != legal:
                others = map(self._others.__getitem__, Board.bits(bits ^ legal))
                legal |= self._looked_at(position, others)
            yield legal

    def _looked_at(self, position: Position, moves: Iterable[Move]) -> int:
        kinds = (self._dictionary.kind_of(move, position) for move in moves)
        return reduce(or_, map(self.bit, kinds), 0)

    def bit(self, kind: int) -> int:
        """Return the bit of a kind."""
        return self._bit.get(kind) or 1 << self._above + kind

    def kinds(self, moves: int) -> int:
        """Return the kinds of moves as bits, kind k being 1 << k."""
        settled = (1 << self._kind[bit] for bit in Board.bits(moves & self._settled))
        return reduce(or_, settled, moves >> self._above)
