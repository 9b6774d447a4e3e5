"""A trial of a game: random games that test the laws that every game must obey.

The trial reports a fault in a user's rules before a tournament begins. The contract tests and
`arena games check` test the same laws with more games.
"""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from random import Random
from typing import Any, Final

from lath.games.capabilities import (
    bits_of,
    extras_of,
    follow,
    knows_layers,
    lacking,
    layers_of,
    legal_bits,
    movers,
    result_of,
    spellings_of,
    symmetries,
)
from lath.games.contract import SIDES, Move, Outcome, Position, Result
from lath.games.core import least
from lath.games.errors import (
    GameError,
    IllegalMoveError,
    MoveSyntaxError,
    PositionError,
    error_words,
)
from lath.games.laws import (
    LAST,
    STRANGE_SETUPS,
    STRANGE_TEXTS,
    Faults,
    Law,
    LawFault,
    in_own_words,
    listed,
    noted,
    of_group,
    of_image,
    of_looks,
    of_outcome,
    of_owner,
    of_refusal,
    of_setups,
    of_start,
    of_travel,
    of_written,
    shown,
    spoiled,
    stages,
)

__all__ = [
    "GAMES",
    "MOST_PLIES",
    "STRANGE_SETUPS",
    "STRANGE_TEXTS",
    "TrialTally",
    "faults_of",
    "postponed",
    "wrong_with",
]

MOST_PLIES: Final = 200
"""The most plies of each random game."""

GAMES: Final = 50
"""The number of random games. A fault that one game in ten shows is found with at least 95%."""

EVERY: Final = 40
"""One in this many positions also gets the slow tests of symmetries and strange texts."""

LOOKS: Final = 12
"""The number of moves tried, in games that should be long, to find one that does not end the game.
"""

SECONDS: Final = 1.0
"""The most seconds of the trial; a call of the rules that has begun is not interrupted."""

_STATE: Final = ("to_move", "is_over", "outcome", "legal_moves", "contents", "text")
"""The members in which the trial compares two positions."""


def wrong_with(
    game: Any,
    *,
    games: int = GAMES,
    seconds: float = SECONDS,
    every: int = EVERY,
    clock: Callable[[], float] = time.thread_time,
) -> str:
    """Return the first fault of a game; empty if the random games show none.

    The trial plays `games` random games, for at most `seconds` by `clock` (default: this thread's
    CPU time). One in `every` positions also gets the slow tests. An exception of the rules is
    passed on, with a note about the moves that led to it.

    >>> from lath import games
    >>> wrong_with(games.get("mammalath"))
    ''
    """
    if _POSTPONED.get():
        return ""
    until_s = clock() + seconds
    for part in _Trial(game, every).parts(games):
        for fault in part:
            if fault or clock() > until_s:
                return in_own_words(game, fault).text if fault else ""
    return ""


_POSTPONED: Final = ContextVar("postponed", default=False)


@contextmanager
def postponed() -> Iterator[None]:
    """Make `wrong_with` find nothing in the `with` block, so that a faulty game can be loaded.

    The caller then lists all its faults with `faults_of`.
    """
    before = _POSTPONED.set(True)
    try:
        yield
    finally:
        _POSTPONED.reset(before)


@dataclass(slots=True)
class TrialTally:
    """The numbers of random games and positions that a trial has tested."""

    games: int = 0
    positions: int = 0


def faults_of(
    game: Any,
    *,
    games: int = GAMES,
    seconds: float = SECONDS,
    every: int = EVERY,
    clock: Callable[[], float] = time.thread_time,
    tally: TrialTally | None = None,
) -> Faults:
    """Yield the faults of a game, each law once; None at each point where the trial can stop.

    The arguments are those of `wrong_with`; `tally` counts what is tested. An exception of the
    rules is a fault, too; each line that raises one is reported once.
    """
    until_s = clock() + seconds
    known = set[object]()
    trial = _Trial(game, every, tally)
    for part in trial.parts(games):
        for fault in _with_errors(trial, part):
            if fault is not None and (key := _key(fault)) not in known:
                known.add(key)
                yield in_own_words(game, fault)
            yield None
            if clock() > until_s:
                return
            if fault is not None and fault.law in LAST:
                if not fault.where:  # a fault of the game itself, without which none can be played
                    return
                break


def _with_errors(trial: _Trial, part: Faults) -> Faults:
    """Yield the faults of a part, and an exception that ends it."""
    try:
        yield from part
    except Exception as error:  # noqa: BLE001 - the rules can raise anything
        told, where = error_words(error), trial.where()
        notes = [note for note in getattr(error, "__notes__", ()) if note != where]
        yield LawFault(
            Law.RAISES, f"{told} ({'; '.join(notes)})" if notes else told, where, error=error
        )


def _key(fault: LawFault) -> object:
    """Return what two reports of one fault share: the law, or the line that raises an error."""
    if fault.error is None:
        return fault.law
    last = traceback.extract_tb(fault.error.__traceback__)[-1]
    return type(fault.error), last.filename, last.lineno


# Each law yields the faults that it finds, and None at each point where a trial can stop.


class _Trial:
    """The laws, and the state of the trial of one game."""

    def __init__(self, game: Any, every: int, tally: TrialTally | None = None) -> None:
        self.game: Final = game
        self.tally: Final = TrialTally() if tally is None else tally
        self.every: Final = every
        self.setup: str | None = None
        """The setup of the current random game."""
        self.moves: Final = list[str]()
        """The moves of the current random game."""
        self.trying = Move("")
        """The move that is being played."""
        self.crashing: Final = set[Move]()
        """The moves that raised an exception. Later games avoid them, to find other faults."""
        self.first: tuple[str | None, list[str], list[tuple[str, Any]]] | None = None
        """The setup, the moves, and the texts and legal moves of the first random game."""
        self.known: Final = set[Move]()
        """The moves that were legal in some position."""
        self.positions: Final = dict[Any, str]()
        """The text of each position met."""
        self.extras: Final = list[list[tuple[str, type]]]()
        """The names and types of extras, once a position has been met."""

    def parts(self, games: int) -> Iterator[Faults]:
        """Yield the parts of a trial: first those without playing, then each random game."""
        yield of_looks(self.game)
        yield of_setups(self.game)
        for seed in range(1, games + 1):
            yield self.of_seed(seed)

    def of_seed(self, seed: int) -> Faults:
        """Yield faults in the setup and the random game of a seed."""
        self.moves.clear()
        self.setup = setup = self.game.draw_setup(seed) if self.game.has_setups else None
        if setup is not None and self.game.draw_setup(seed) != setup:
            words = f"draw_setup({seed}) is {setup!r} once and another setup the next time"
            yield LawFault(Law.SETUP_DRAWN, words)
        if setup is not None and self.game.canonical_setup(setup) != setup:
            words = f"draw_setup({seed}) is {setup!r}, which is not its canonical_setup"
            yield LawFault(Law.SETUP_DRAWN, words)
        self.tally.games += 1
        try:
            for fault in self.of_one(setup, Random(seed), is_long=not seed % 2):
                yield fault and fault._replace(where=self.where())
        except Exception as error:
            self.crashing.add(self.trying)
            if where := self.where():
                error.add_note(where)
            raise

    def of_first(self, setup: str | None, line: list[tuple[str, Any]]) -> Faults:
        """Keep the texts and legal moves of the first game; later yield whether a replay differs.

        A difference shows state outside of the positions, such as a counter in the game.
        """
        if self.first is None:
            self.first = setup, [*self.moves], line
            return
        begun, moves, told = self.first
        position = self.game.start(begun)
        for ply, (text, legal) in enumerate(told):
            if (position.text(), position.legal_moves()) != (text, legal):
                words = f"the moves {' '.join(moves[:ply])} led to {text!r} with {shown(legal)}"
                later = f"later to {position.text()!r} with {shown(position.legal_moves())}"
                yield LawFault(Law.REPEATABLE, f"{words}, {later}")
                return
            position = position.play(Move(moves[ply])) if ply < len(moves) else position
            yield None

    def where(self) -> str:
        """Return the setup and the moves of the current random game, for messages."""
        begun = [] if self.setup is None else [f"setup {self.setup!r}"]
        played = [f"ply {len(self.moves)}, after {' '.join(self.moves)}"] if self.moves else []
        return ", ".join(begun + played)

    def of_one(self, setup: str | None, chance: Random, *, is_long: bool) -> Faults:
        """Yield faults in one random game; its moves are added to `moves`."""
        position = self.game.start(setup)
        called = "start()" if setup is None else f"start({setup!r})"
        line = list[tuple[Any, str, int, Any]]()
        while True:
            if missing := lacking(position, Position):
                words = f"{called} returned {shown(position)}, which lacks {', '.join(missing)}"
                yield LawFault(Law.MEMBERS, words)
            yield from self.of_position(position)
            yield from () if line else of_start(position)
            yield from self.of_old_moves(position, line)
            self.tally.positions += 1
            if not (self.tally.positions - 1) % self.every:
                yield from self.of_state(position)
                yield from self.of_moves(position)
                yield from self.of_symmetries(position, chance)
                yield from self.of_texts(position)
                yield from of_travel(position)
            legal, text = position.legal_moves(), position.text()
            line.append((position, text, hash(position), legal))
            if self.positions.setdefault(position, text) != text:
                words = f"{text!r} and {self.positions[position]!r} are equal positions"
                yield LawFault(Law.EQUAL, words)
            if not legal or len(self.moves) == MOST_PLIES:
                break
            move = self.chosen(position, chance, LOOKS if is_long else 0)
            self.trying = move
            self.moves.append(move)
            called = f"play({move!r})"
            try:
                after, again = position.play(move), position.play(move)
            except IllegalMoveError as error:
                self.moves.pop()
                words = f"{move} is among legal_moves(), but {called} refuses it: {error.reason}"
                yield LawFault(Law.PLAYABLE, words)
                break
            if position.text() != text:
                yield LawFault(Law.CHANGED, f"{called} changed the position that it was played in")
            if again != after:
                words = f"{called} twice gives two positions: equal states must be equal"
                yield LawFault(Law.REPEATABLE, words)
            position = after
        yield from self.of_lines(line, chance)
        yield from self.of_first(setup, [(text, legal) for _, text, _, legal in line])

    def of_old_moves(self, position: Any, line: Sequence[tuple[Any, str, int, Any]]) -> Faults:
        """Yield faults in refusing the last move again, and every move after the end."""
        if not line:
            return
        *_, (_, _, _, before) = line
        legal, last = position.legal_moves(), Move(self.moves[-1])
        for move in (last, *before[:5]) if position.is_over else (last,):
            if move not in legal:
                yield from of_refusal(position, move)

    def chosen(self, position: Any, chance: Random, looks: int) -> Move:
        """Return a random move; one of `looks` others that does not end the game is preferred."""
        legal = position.legal_moves()
        legal = [move for move in legal if move not in self.crashing] or legal
        move: Move = chance.choice(legal)
        others = chance.sample(legal, min(looks, len(legal)))  # a board may have fewer moves left
        return next((each for each in others if not self.ends(position, each)), move)

    def ends(self, position: Any, move: Move) -> bool:
        """Return whether a move ends the game; `moves` includes it meanwhile, for error notes."""
        self.trying = move
        self.moves.append(move)
        is_over = bool(position.play(move).is_over)
        self.moves.pop()
        return is_over

    def of_position(self, position: Any) -> Faults:
        """Yield faults in the members of a position."""
        yield from self.of_ending(position)
        moves = position.legal_moves()
        for move in moves:
            yield from of_written(self.game, move)
        yield from self.of_text(position)
        yield from self.of_contents(position)
        yield from of_owner(position)
        yield from self.of_extras(position)
        yield from self.of_bits(position)
        for move in moves:
            if (why := position.why_illegal(move)) is not None:
                words = f"{move} is among legal_moves(), but why_illegal says {why!r}"
                yield LawFault(Law.LISTED, words)
            yield None

    def of_ending(self, position: Any) -> Faults:
        """Yield faults in `to_move`, `outcome` and `legal_moves`."""
        if position.to_move not in SIDES:
            words = f"to_move is {shown(position.to_move)}, expected Side.FIRST or Side.SECOND"
            yield LawFault(Law.TO_MOVE, words)
        outcome, moves = position.outcome(), position.legal_moves()
        if not isinstance(moves, tuple):
            yield LawFault(Law.LEGAL_TUPLE, f"legal_moves() is {shown(moves)}, expected a tuple")
        if outcome is not None and not isinstance(outcome, Outcome):
            words = f"outcome() is {shown(outcome)}, expected an Outcome or None"
            yield LawFault(Law.OUTCOME, words)
        if position.is_over != (outcome is not None):
            words = f"is_over is {position.is_over}, but outcome() is {shown(outcome)}"
            yield LawFault(Law.IS_OVER, words)
        if not moves and outcome is None:
            words = "the game is not over, but it has no legal move: legal_moves() is empty"
            yield LawFault(Law.STUCK, words)
        if moves and outcome is not None:
            words = f"there are {len(moves)} legal moves, but outcome() is {shown(outcome)}"
            yield LawFault(Law.GOES_ON, words)
        if len(set(moves)) != len(moves):
            yield LawFault(Law.TWICE, "legal_moves() has a move twice")
        if outcome is not None:
            yield from of_outcome(self.game, outcome)
        result, told = result_of(position), outcome.result if outcome else Result.UNFINISHED
        if result != told:
            yield LawFault(Law.RESULT, f"result is {result}, but outcome() says {told}")

    def of_text(self, position: Any) -> Faults:
        """Yield faults in a position's text, which must describe the position completely."""
        text = position.text()
        if not isinstance(text, str):
            yield LawFault(Law.TEXT, f"text() is {shown(text)}, expected a text")
        try:
            again = self.game.position(text)
        except GameError as error:
            words = f"position({text!r}) refuses the position's own text(): {error}"
            yield LawFault(Law.TEXT_REFUSED, words)
            return
        try:
            hash(position)
        except TypeError as error:
            words = f"a position must be hashable, for example a NamedTuple: {error}"
            yield LawFault(Law.HASH, words)
        if again != position or hash(again) != hash(position):
            yield from self.of_state(position)
            words = f"position({text!r}), its own text, differs from it by == or hash()"
            yield LawFault(Law.TEXT_DIFFERS, words)

    def of_state(self, position: Any) -> Faults:
        """Yield the members in which the position read from a position's text differs."""
        text = position.text()
        again = self.game.position(text)
        for name in _STATE:
            found, expected = (_value(each, name) for each in (again, position))
            if found != expected:
                yield LawFault(
                    Law.TEXT_DIFFERS,
                    f"position({text!r}), its own text, is another position: its {name} is "
                    f"{shown(found)}, expected {shown(expected)}",
                )

    def of_contents(self, position: Any) -> Faults:
        """Yield faults in the pieces on the cells."""
        contents = position.contents()
        cells, codes = self.game.board.names, {piece.code for piece in self.game.pieces}
        is_fit = isinstance(contents, Sequence) and len(contents) == len(cells)
        if not is_fit or not all(isinstance(text, str) for text in contents):
            yield LawFault(
                Law.CONTENTS,
                f"contents() is {shown(contents)}, expected a text for each of {len(cells)} cells",
            )
        if strange := sorted(set("".join(contents)) - codes):
            words = f"contents() has {strange[0]!r}, expected codes of pieces: {listed(codes)}"
            yield LawFault(Law.CODES, words)
        if not knows_layers(position):
            return
        layers = layers_of(position)
        if strange := sorted(layers.keys() - codes):
            words = f"layers() has {strange[0]!r}, expected codes of pieces: {listed(codes)}"
            yield LawFault(Law.CODES, words)
        told = self.game.board.contents(layers.items())
        for cell, lies, said in zip(cells, told, contents, strict=True):
            if lies != said:
                words = f"layers() has {lies!r} on {cell}, but contents() has {said!r}"
                yield LawFault(Law.LAYERS, words)

    def of_extras(self, position: Any) -> Faults:
        """Yield faults in the state beside the cells; its names and types must never change."""
        extras = extras_of(position)
        if not isinstance(extras, Mapping):
            words = f"extras is {shown(extras)}, expected a dict of names and values"
            yield LawFault(Law.EXTRAS, words)
            return
        kinds = [(name, type(value)) for name, value in extras.items()]
        if not self.extras:
            self.extras.append(kinds)
        if kinds != self.extras[0]:
            words = f"extras has {kinds}, but {self.extras[0]} before: both must be the same"
            yield LawFault(Law.EXTRAS, words)
        named = {piece.name for piece in self.game.pieces}
        for name, kind in kinds:
            if name in named or name != " ".join(name.split()) or kind not in (int, str):
                words = (
                    f"extras has {name!r}: {shown(extras[name])}, expected new words: int or str"
                )
                yield LawFault(Law.EXTRAS, words)
        if extras and extras_of(self.game.position(position.text())) != extras:
            words = f"position({position.text()!r}) has other extras: text() must describe them"
            yield LawFault(Law.EXTRAS, words)

    def of_bits(self, position: Any) -> Faults:
        """Yield faults in the bits of the legal moves, if the game has bits."""
        found, bits = legal_bits(position), bits_of(self.game)
        if found is None or found == sum(bits.get(move, 0) for move in position.legal_moves()):
            return
        moves = position.legal_moves()
        for move, bit in bits.items():
            if bool(found & bit) != (move in moves):
                has, is_ = ("lacks", "is") if move in moves else ("has", "is not")
                words = f"legal_bits {has} the bit of {move}, which {is_} among legal_moves()"
                yield LawFault(Law.BITS, words)
        yield LawFault(Law.BITS, "legal_bits is not the sum of the bits of the legal moves")

    def of_moves(self, position: Any) -> Faults:
        """Yield faults in playing legal moves, and in refusing illegal moves and strange texts."""
        moves = position.legal_moves()
        for move in moves:
            if move in self.crashing:
                continue
            self.trying = move
            try:
                with noted(f"play({move!r})"):
                    of = position.play(move).game
            except IllegalMoveError as error:
                words = f"{move} is among legal_moves(), but play refuses it: {error.reason}"
                yield LawFault(Law.PLAYABLE, words)
                continue
            if of is not position.game:
                words = f"play({move!r}) leads to a position of {of!r}, expected {position.game!r}"
                yield LawFault(Law.GAME, words)
            yield None
        self.known.update(moves)
        forms = {form for move in moves for form in (move.upper(), move.swapcase(), move + move)}
        spellings = spellings_of(self.game)
        written = set(spellings.values())
        for text in sorted({*STRANGE_TEXTS, *spellings, *self.known, *forms}):
            if text not in moves:
                yield from of_refusal(position, text)
            with noted(f"canonical({text!r})"):
                yield from self.of_canonical(text, written)
            yield None

    def of_canonical(self, text: str, written: set[Move]) -> Faults:
        """Yield faults in the canonical text of a move, which must be one of `written`, if any."""
        try:
            once = self.game.canonical(text)
        except MoveSyntaxError as error:
            if not error.expected:
                words = f"canonical({text!r}) must have a message that says what is expected"
                yield LawFault(Law.EXPECTED, words)
            return
        if self.game.canonical(once) != once or (written and once not in written):
            words = f"canonical({text!r}) is {shown(once)}, which is not canonical itself"
            yield LawFault(Law.CANONICAL, words)

    def of_texts(self, position: Any) -> Faults:
        """Yield strange texts that are accepted as positions although they are not canonical."""
        text = position.text()
        for strange in (
            *STRANGE_TEXTS, f"{text} ", f" {text}", f"{text} w", text[:-2], f"{text}\n"
        ):  # fmt: skip
            yield None
            with noted(f"position({strange!r})"):
                try:
                    read = self.game.position(strange).text()
                except PositionError:
                    continue
            if read != strange:
                words = f"position({strange!r}) must raise PositionError, but returns {read!r}"
                yield LawFault(Law.TEXT_STRANGE, words)

    def of_symmetries(self, position: Any, chance: Random) -> Faults:
        """Yield faults in symmetries: the legal moves of images, and the positions after them."""
        with noted("symmetries() fails"):
            ways = symmetries(position)
            for number, way in enumerate(ways):
                of = f"symmetries()[{number}] of {position.text()!r}"
                for words in of_image(position, way, chance):
                    yield LawFault(Law.IMAGE, f"{of}: {words}") if words else None
            first = least(position)
            if self.game.position(first.text()) != first:
                words = f"symmetries(): position({first.text()!r}) differs from its source"
                yield LawFault(Law.LEAST, words)
            image = chance.choice(ways).position(position)
            if least(image) != first:
                yield LawFault(
                    Law.LEAST,
                    f"symmetries() of {image.text()!r} and its symmetric positions "
                    "do not share one least position",
                )
            known = sorted(self.known)
            yield from of_group(first, chance.sample(known, min(60, len(known))))

    def of_lines(self, line: Sequence[tuple[Any, str, int, Any]], chance: Random) -> Faults:
        """Yield positions that have changed, and faults in `after` and `movers`."""
        for old, *then in line:
            if [old.text(), hash(old), old.legal_moves()] != then:
                words = f"the position {then[0]!r} has changed since: play() must return a new one"
                yield LawFault(Law.CHANGED, words)
        begun = chance.randrange(len(line))
        base, moves = line[begun][0], self.moves[begun:]
        for played in ([], moves, [*moves, *self.moves[:1]], spoiled(moves, chance)):
            said = f"({played}) at {base.text()!r}"
            steps = list(stages(base, played))
            end = steps[-1] if len(steps) > len(played) else None
            if follow(base, played) != end:
                yield LawFault(Law.LINES, f"after{said} differs from playing the moves one by one")
            seats = [stage.to_move for stage in steps]
            if end is not None and list(movers(base, played)) != seats:
                yield LawFault(Law.LINES, f"movers{said} differs from playing the moves one by one")
            yield None


def _value(position: Any, name: str) -> Any:
    value = getattr(position, name)
    return value() if callable(value) else value
