"""The moves of one game's records, by number, and what each does to the board.

Must not know any game, nor how a page stores a replay. What a move does is learned from the rules:
at first from the positions before and after every ply, later, when a move has done the same thing
again and again, by looking at the end of each game only. A game whose end is not as foretold is
played once more, each ply being looked at.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from lath.games.core import Game, GameError, Move, Position, Seat
from lath.notation.record import Record
from lath.notation.replay import start_of
from lath.reports.page.effects import applied, apply, explained
from lath.reports.page.replays import Replay
from lath.reports.page.streams import Numbers

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
