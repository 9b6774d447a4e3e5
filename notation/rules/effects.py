"""The effect of each move of a record on the board, so that a viewer needs no rules.

An effect consists of words with spaces between. A word for one cell begins with the cell's place in
`Board.names`. The word `7+ok` puts pieces on top, and `7-1` removes pieces from the top. The word
`7~tile` removes all pieces of a shape, and `7=Aw` sets the pieces. Other words apply to the whole
board: `!k` removes every `k`, and `>wb` replaces every `w` by `b`. The script `js/effects.js`
applies the same words.

The effects are learned from the pieces on the cells before and after each move. At first every ply
is examined. A move is taken as known when it has had the same effect many times and no other
explanation is left. From then on only the end of each game is examined. A game of known moves is
not played ply by ply at all. If a known move has another effect, or a game ends differently than
expected, then the text of a move does not determine its effect in this game type. From then on,
every ply of that game type is examined.
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
from lath.games.capabilities import bits_of, extras_of, extras_told, knows_movers, legal_bits
from lath.games.core import Game, Move, Position, Side, follow, movers
from lath.games.errors import GameError
from lath.notation.record.record import Record
from lath.notation.rules.replay import end_of, start_of

_WORD: Final = re.compile(r"([0-9]*)([-+~=!>])([^ ]*)")

_COSTS: Final = {"+": 10, "~": 15, "!": 16, ">": 16, "-": 20, "=": 40}
"""The cost of each word; the effect with the lowest cost is taken as the meaning of the rules."""

Shapes = Mapping[str, str]
"""The shape of each piece by its code."""


@lru_cache(maxsize=65536)
def words(effect: str) -> tuple[tuple[int, str, str], ...]:
    """Return the words of an effect: cell (-1 for the whole board), kind of word, operand.

    >>> words("7+ok !k")
    ((7, '+', 'ok'), (-1, '!', 'k'))
    """
    return tuple((int(cell or -1), what, operand) for cell, what, operand in _WORD.findall(effect))


def apply(effect: str, contents: list[str], shapes: Shapes) -> None:
    """Apply an effect to `contents`, the pieces on each cell."""
    for cell, what, operand in words(effect):
        if what == "+":
            contents[cell] += operand
        elif what == "=":
            contents[cell] = operand
        elif what == "-":
            contents[cell] = contents[cell][: -int(operand)]
        elif what == "~":
            left = contents[cell]
            if len(left) == 1:  # the most frequent case
                contents[cell] = "" if shapes.get(left) == operand else left
            else:
                contents[cell] = "".join([c for c in left if shapes.get(c) != operand])
        else:
            old, new = operand[0], operand[1:]
            contents[:] = [content.replace(old, new) for content in contents]


def applied(effect: str, before: Sequence[str], shapes: Shapes) -> tuple[str, ...]:
    """Return the pieces on each cell after the effect."""
    contents = list(before)
    apply(effect, contents, shapes)
    return tuple(contents)


def explained(before: Sequence[str], after: Sequence[str], shapes: Shapes) -> str:
    """Return the likeliest effect that leads from `before` to `after`; empty if nothing changed."""

    def cost(effect: str) -> int:
        # Markers usually move: removing one from anywhere costs 5 less.
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
    """Yield the effect combined with changes to pieces that are not on the board."""
    for code in sorted(set(shapes).difference(*before)):
        yield f"!{code} {effect}".rstrip()
        alike = (other for other in shapes if other != code and shapes[other] == shapes[code])
        yield from (f">{code}{other} {effect}".rstrip() for other in alike)


def _starts(before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield the possible changes to the whole board."""
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
    """The kind of move of each ply, as its number in the game's `Dictionary`."""

    movers: tuple[Side, ...]
    """The side that moved at each ply."""

    to_move: Side
    """The side to move after the last ply."""

    deciding: tuple[int, ...]
    """The cells that decided the game, as places in `Board.names`."""

    is_loss: bool
    """True if the loser made the ending; see `Outcome.is_loss`."""

    extras: tuple[str, ...] = ()
    """The state beside the cells in words, at the start and after each ply; empty in most games."""


_TRIALS: Final = 12
"""The number of equal effects in a row after which a move is taken as known."""

_MANY: Final = 400
"""The number of legal moves above which the first position is not examined in advance."""

_TURNS: Final = 40
"""The number of turns of a game that is played first, so that moves are seen on a board with
pieces."""

_STRIDE: Final = 17
"""The distance between the moves of that game in the list of legal moves."""


class _Start(NamedTuple):
    """A first position, the pieces on its cells, and the effect that leads to it."""

    position: Position
    contents: tuple[str, ...]
    effect: str


class LastStep(NamedTuple):
    """The last move of a line, for a caller that knows the position before it."""

    before: int
    """The index of the line without this move in the list of lines; -1 for an empty line."""

    move: str
    effect: str
    extras: str
    """The state beside the cells in words, after the move; empty in most games."""


def steps(game: Game, lines: Iterable[str]) -> list[LastStep | None]:
    """Return the last move of each line of a game. A line must come after the line that it extends.

    The entry is None if the game refuses the line, for example under another rules version.
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
            effect = explained(position.contents(), after.contents(), shapes)
            step = LastStep(at, move, effect, extras_told(after))
        found.append(step)
    return found


class Dictionary:
    """The kinds of moves: the text of a move, and its effect for each side."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.shapes = {piece.code: piece.shape for piece in game.pieces}
        start = game.start()
        self.plain = start.contents()
        """The pieces on each cell at the start of a game without a setup."""
        self.has_extras = bool(extras_of(start))
        """True if positions hold a state beside their cells."""
        self.texts: list[str] = []
        """The move of each kind."""
        self.effects: list[list[str | None]] = []
        """The effects by kind and side; None if that side has not made such a move."""
        self._known: dict[str, list[int]] = {}
        """The kinds of each move, the latest one first."""
        self._streaks: dict[tuple[str, Side], tuple[int, int]] = {}
        self._granted: tuple[dict[str, int], dict[str, int]] = ({}, {})
        """For each side, the kind of each known move."""
        self._rivals: dict[tuple[int, Side], list[str]] = {}
        """By kind and side, the other effects that explain everything seen so far."""
        self._unseen: dict[tuple[int, Side], list[str]] = {}
        """By kind and side, the effects that differ only for pieces not on the board so far."""
        self._is_fickle = False
        """True if a known move of this game had another effect; then no move is taken as known."""
        # All built-in games together have fewer spellings of moves.
        self.read = lru_cache(maxsize=100_000)(game.canonical)
        """The cached function that returns the canonical text of a move; it raises MoveSyntaxError.
        """
        self._starts: dict[tuple[str, str], _Start] = {}
        self._last = ((start, self.plain),) * 2
        """The last two examined positions; one of them is usually that before the next move."""
        self._learn(start)

    def _learn(self, position: Position) -> None:
        """Examine the moves along one game, as long as this gives new information."""
        for turn in range(_TURNS):
            moves = position.legal_moves()
            if turn and len(moves) > _MANY:
                break
            for move in moves:  # the board's order compresses best
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
        """Return whether a side has not made a move yet, or its effect is not certain yet."""
        of_seat = [kind for kind in self._known.get(move, ()) if self.effects[kind][seat]]
        return not of_seat or any(self._unseen[kind, seat] for kind in of_seat)

    def play(self, record: Record) -> Replay:
        """Return the replay of a record of this game.

        Raises GameError if the game refuses the setup, or for an illegal move with its ply.
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
            extras=self.extras(begun, texts),
        )

    def extras(self, position: Position, texts: Sequence[str]) -> tuple[str, ...]:
        """Return the state beside the cells in words, at a position and after each move of a line.

        The result is empty for a game without such a state. Raises GameError as `play` does.
        """
        if not self.has_extras:
            return ()
        return tuple(map(extras_told, (position, *self._positions(position, texts))))

    def settled(self) -> dict[str, int]:
        """Return the kinds of the moves that are known with the same effect for both sides."""
        first, second = self._granted
        return {text: kind for text, kind in first.items() if second.get(text) == kind}

    def line(self, position: Position, texts: Sequence[str]) -> list[tuple[int, Side]]:
        """Return the kind and the side of each move of a line; every move is examined.

        Raises GameError if a move is illegal.
        """
        return [
            (self.kind(text, before, after), before.to_move)
            for text, before, after in self._steps(position, texts)
        ]

    def end(self, record: Record) -> Position:
        """Return the position after the last ply of a record. Raises GameError as `play` does.

        The dictionary learns nothing from this.
        """
        if (end := end_of(record)) is None:
            start = start_of(record)
            *_, end = start, *self._positions(start, record.moves)  # raises the error
        return end

    def start(self, record: Record) -> _Start:
        """Return the first position of a record. Raises GameError if the game refuses it."""
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
        """Return the kind and the side of each move from a position, and the last position.

        The result is None if a move must be examined or is illegal.
        """
        end = follow(position, texts) if knows_movers(position) else None
        found = None if end is None else self.for_granted(position, texts)
        return None if found is None or end is None else (*found, end)

    def for_granted(
        self, position: Position, texts: Sequence[str]
    ) -> tuple[list[int], Sequence[Side]] | None:
        """Return the kind and the side of each move of a legal line, without playing it.

        The result is None if a move must be examined, or if the sides cannot be found without
        playing. The caller must compare the last position with the expected one; if they differ,
        call `closely`.
        """
        if not knows_movers(position):
            return None
        seats = movers(position, texts)[: len(texts)]
        granted = self._granted
        kinds = [0] * len(seats)
        try:
            for turn in range(2):
                by = seats[turn::2]
                if by and by.count(by[0]) == len(
                    by
                ):  # the usual case: the kinds of many moves at once
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
        """Return the result of `at_once` after examining each move.

        Raises GameError for an illegal move. If `seats` is given, a known move had another effect;
        then no move is taken as known any more.
        """
        if seats:
            self._grant_nothing()
        kinds: list[int] = []
        if knows_movers(position) and (end := follow(position, texts)) is not None:
            seats = movers(position, texts)[: len(texts)]
            at = 0
            for ply, (text, seat) in enumerate(zip(texts, seats, strict=True)):
                kind = self._granted[seat].get(text)
                if kind is None:  # the plies between two such plies are played at once
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
        """Yield each move with the positions before and after it.

        Raises GameError for an illegal move.
        """
        for text, after in zip(texts, self._positions(position, texts), strict=True):
            yield text, position, after
            position = after

    def _positions(self, position: Position, texts: Sequence[str]) -> Iterator[Position]:
        """Yield the position after each move.

        Raises GameError, with the ply, for an illegal move.
        """
        for number, text in enumerate(texts, 1):
            try:
                position = position.play(self.read(text))
            except GameError as error:
                raise GameError(f"ply {number}: {error}") from error
            yield position

    def kind_of(self, move: Move, position: Position) -> int:
        """Return the kind of a legal move; a known move is not played."""
        kind = self._granted[position.to_move].get(move)
        return self.kind(move, position, position.play(move)) if kind is None else kind

    def kind(self, text: str, before: Position, after: Position) -> int:
        """Return the kind of the move that led from one position to the next."""
        seat = before.to_move
        old, new = self._contents(before), self._contents(after)
        known = self._known.setdefault(text, [])
        for kind in known:
            effects = self.effects[kind]
            effect = effects[seat]
            if effect is None:  # the effect may be the same as for the other side
                effect = effects[1 - seat] or ""
            if applied(effect, old, self.shapes) == new:
                effects[seat] = effect
                self._left(kind, seat, old, new)
                # The effect was confirmed: it is tried first from now on, or taken as known.
                last, times = self._streaks.get((text, seat), (kind, 0))
                self._streaks[text, seat] = kind, times + 1 if last == kind else 1
                known.remove(kind)
                known.insert(0, kind)
                is_sure = not (self._is_fickle or self._rivals[kind, seat])
                if times + 1 >= _TRIALS and last == kind and is_sure:
                    self._granted[seat][text] = kind
                return kind
        of_seat = [kind for kind in known if self.effects[kind][seat] is not None]
        for kind in (
            of_seat
        ):  # the move has this effect and that one, so earlier alternatives are possible again
            if others := self._left(kind, seat, old, new):
                self.effects[kind][seat] = others[0]
                for rivals in (self._rivals, self._unseen):
                    rivals[kind, seat] = [one for one in rivals[kind, seat] if one != others[0]]
                return kind
        self._streaks.pop((text, seat), None)
        kind = next((one for one in known if self.effects[one][seat] is None), len(self.texts))
        if of_seat:
            self._grant_nothing()
        if kind == len(self.texts):  # a new kind of move
            known.append(kind)
            self.texts.append(text)
            self.effects.append([None, None])
        self.effects[kind][seat] = explained(old, new, self.shapes)
        self._left(kind, seat, old, new)
        return kind

    def _left(self, kind: int, seat: Side, old: Sequence[str], new: Sequence[str]) -> Sequence[str]:
        """Return the other effects that explain all moves of a kind by a side, including this."""
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
        """Return whether an effect places a marker that is not on the board."""
        what, code = unseen[0], unseen[1]
        laid = "".join(operand for _, sign, operand in words(effect) if sign in "+=")
        return what == "!" and self.shapes[code] == "marker" and code in laid

    def _contents(self, position: Position) -> tuple[str, ...]:
        older, newer = self._last
        if newer[0] is not position:
            self._last = newer, older if older[0] is position else (position, position.contents())
        return self._last[1][1]


class LegalMoves:
    """The legal moves of records that a dictionary has played, as bits: one bit per kind of move.

    Settled kinds use the bits of the game's own moves, which makes them fast. Other kinds use
    higher bits. The dictionary must not play any more records.
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
        """Return the kinds of moves as bits: kind k is 1 << k."""
        settled = (1 << self._kind[bit] for bit in Board.bits(moves & self._settled))
        return reduce(or_, settled, moves >> self._above)
