"""A trial of a game: random games that test the laws that every game must obey.

The trial reports a fault in a user's rules before a tournament begins. The contract tests check the
same laws with more games.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields
from itertools import count, product
from random import Random
from typing import Any, Final

from lath.games.board import Board
from lath.games.capabilities import (
    bits_of,
    follow,
    knows_layers,
    lacking,
    layers_of,
    legal_bits,
    movers,
    overlays_of,
    result_of,
    spellings_of,
    symmetries,
)
from lath.games.cards import lesson_faults
from lath.games.contract import RESULTS, SIDES, Move, Outcome, Piece, Position, Result, Symmetry
from lath.games.core import least, meant_escape
from lath.games.errors import (
    GameError,
    IllegalMoveError,
    MoveSyntaxError,
    PositionError,
    SetupError,
)

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

STRANGE_TEXTS: Final = (
    "", " ", "-", "M", "x", "0", "a0", "a1 ", " a1", "A1", "a01", "z9", "j1", "e44", "a1a1", "a1-",
    "-a1", "x-", "xZ", "xz", "xa1", "xa1-", "xa1-a1", "xa1-a9", "Mz9", "MMa1", "ma1", "Oz9", "oa1",
    "Gc3", "SWAP", "swap ", "swap!", "pass", "resign", "a²", "ａ1", "a1\n", "1. a1", *RESULTS,
    "swap", "a1", "Ma1", "Oa1", "xA", "no such move",
)  # fmt: skip
"""Texts from users, bots and damaged files. Some can be legal moves in some game."""

STRANGE_SETUPS: Final = (
    "-", "", " ", "/", "-/-", "zz", "a1 a1", "6/6/6/6/6/6", "99", "A" * 40, "a1,b1", "\n"
)  # fmt: skip
"""Texts that are setups in few games or none."""

_COLOUR: Final = re.compile(r"#[0-9a-fA-F]{6}")

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
    until_s = clock() + seconds
    for words in _Trial(game, every).of_games(games):
        if words or clock() > until_s:
            return words
    return ""


# Each law yields the faults that it finds, and an empty text at each point where a trial can stop.


class _Trial:
    """The laws, and the state of the trial of one game."""

    def __init__(self, game: Any, every: int) -> None:
        self.game: Final = game
        self.every: Final = every
        self.moves: Final = list[str]()
        """The moves of the current random game."""
        self.known: Final = set[Move]()
        """The moves that were legal in some position."""
        self.positions: Final = dict[Any, str]()
        """The text of each position met."""
        self.number: Final = count()

    def of_games(self, games: int) -> Iterator[str]:
        """Yield faults of a game: first without playing, then in random games."""
        yield from _of_looks(self.game)
        yield from _of_setups(self.game)
        for seed in range(1, games + 1):
            setup = self.game.draw_setup(seed) if self.game.has_setups else None
            if setup is not None and self.game.draw_setup(seed) != setup:
                yield f"draw_setup({seed}) is {setup!r} once and another setup the next time"
            if setup is not None and self.game.canonical_setup(setup) != setup:
                yield f"draw_setup({seed}) is {setup!r}, which is not its canonical_setup"
            self.moves.clear()
            try:
                for words in self.of_one(setup, Random(seed), is_long=not seed % 2):
                    yield words and ": ".join(filter(None, (self.where(setup), words)))
            except Exception as error:
                if where := self.where(setup):
                    error.add_note(where)
                raise

    def where(self, setup: str | None) -> str:
        """Return the setup and the moves of the current random game, for messages."""
        begun = [] if setup is None else [f"setup {setup!r}"]
        played = [f"ply {len(self.moves)}, after {' '.join(self.moves)}"] if self.moves else []
        return ", ".join(begun + played)

    def of_one(self, setup: str | None, chance: Random, *, is_long: bool) -> Iterator[str]:
        """Yield faults in one random game; its moves are added to `moves`."""
        position = self.game.start(setup)
        called = "start()" if setup is None else f"start({setup!r})"
        line = list[tuple[Any, str, int, Any]]()
        while True:
            if missing := lacking(position, Position):
                yield f"{called} returned {_shown(position)}, which lacks {', '.join(missing)}"
            yield from self.of_position(position)
            yield from () if line else _of_starts(position)
            if not next(self.number) % self.every:
                yield from self.of_state(position)
                yield from self.of_moves(position)
                yield from self.of_symmetries(position, chance)
                yield from self.of_texts(position)
            legal, text = position.legal_moves(), position.text()
            line.append((position, text, hash(position), legal))
            if self.positions.setdefault(position, text) != text:
                yield f"{text!r} and {self.positions[position]!r} are equal positions"
            if not legal or len(self.moves) == MOST_PLIES:
                break
            move = self.chosen(position, chance, LOOKS if is_long else 0)
            self.moves.append(move)
            called, after = f"play({move!r})", position.play(move)
            if position.text() != text:
                yield f"{called} changed the position that it was played in"
            if position.play(move) != after:
                yield f"{called} twice gives two positions: equal states must be equal"
            position = after
        yield from self.of_lines(line, chance)

    def chosen(self, position: Any, chance: Random, looks: int) -> Move:
        """Return a random move; one of `looks` others that does not end the game is preferred."""
        legal = position.legal_moves()
        move: Move = chance.choice(legal)
        others = chance.sample(legal, min(looks, len(legal)))  # a board may have fewer moves left
        return next((each for each in others if not self.ends(position, each)), move)

    def ends(self, position: Any, move: str) -> bool:
        """Return whether a move ends the game; `moves` includes it meanwhile, for error notes."""
        self.moves.append(move)
        is_over = bool(position.play(move).is_over)
        self.moves.pop()
        return is_over

    def of_position(self, position: Any) -> Iterator[str]:
        """Yield faults in the members of a position."""
        yield from self.of_ending(position)
        moves = position.legal_moves()
        for move in moves:
            yield from self.of_written(move)
        yield from self.of_text(position)
        yield from self.of_contents(position)
        yield from self.of_bits(position)
        for move in moves:
            if (why := position.why_illegal(move)) is not None:
                yield f"{move} is among legal_moves(), but why_illegal says {why!r}"
            yield ""

    def of_ending(self, position: Any) -> Iterator[str]:
        """Yield faults in `to_move`, `outcome` and `legal_moves`."""
        if position.to_move not in SIDES:
            yield f"to_move is {_shown(position.to_move)}, expected Side.FIRST or Side.SECOND"
        outcome, moves = position.outcome(), position.legal_moves()
        if not isinstance(moves, tuple):
            yield f"legal_moves() is {_shown(moves)}, expected a tuple"
        if outcome is not None and not isinstance(outcome, Outcome):
            yield f"outcome() is {_shown(outcome)}, expected an Outcome or None"
        if position.is_over != (outcome is not None):
            yield f"is_over is {position.is_over}, but outcome() is {_shown(outcome)}"
        if not moves and outcome is None:
            yield "the game is not over, but it has no legal move: legal_moves() is empty"
        if moves and outcome is not None:
            yield f"there are {len(moves)} legal moves, but outcome() is {_shown(outcome)}"
        if len(set(moves)) != len(moves):
            yield "legal_moves() has a move twice"
        if outcome is not None:
            yield from self.of_outcome(outcome)
        result, told = result_of(position), outcome.result if outcome else Result.UNFINISHED
        if result != told:
            yield f"result is {result}, but outcome() says {told}"

    def of_written(self, move: Any) -> Iterator[str]:
        """Yield faults in the text of a legal move."""
        if not isinstance(move, str) or not move or meant_escape(move) != move:
            yield (
                f"{_shown(move)} is not a move that a record can hold: expected a letter, then "
                "letters, digits or any of + - = : @ /; write Move(escaped(text)), with escaped "
                "of lath.games.core"
            )
        if (text := self.game.canonical(move)) != move:
            yield f"canonical({move!r}) is {_shown(text)}, but legal_moves() writes {move!r}"

    def of_outcome(self, outcome: Outcome) -> Iterator[str]:
        """Yield faults in an outcome."""
        if outcome.winner not in (*SIDES, None):
            yield f"outcome() has the winner {_shown(outcome.winner)}, expected a Side or None"
        if not outcome.ending or outcome.ending.strip() != outcome.ending:
            yield f"outcome() has the ending {outcome.ending!r}, expected a few words"
        in_order = [name for name in self.game.board.names if name in outcome.cells]
        if list(outcome.cells) != in_order:
            yield f"outcome() has the cells {outcome.cells}, expected {in_order}: in board order"
        if outcome.winner is None and outcome.is_loss:
            yield "outcome() is a draw, but has is_loss=True"

    def of_text(self, position: Any) -> Iterator[str]:
        """Yield faults in a position's text, which must describe the position completely."""
        text = position.text()
        if not isinstance(text, str):
            yield f"text() is {_shown(text)}, expected a text"
        try:
            again = self.game.position(text)
        except GameError as error:
            yield f"position({text!r}) refuses the position's own text(): {error}"
            return
        try:
            hash(position)
        except TypeError as error:
            yield f"a position must be hashable, for example a NamedTuple: {error}"
        if again != position or hash(again) != hash(position):
            yield from self.of_state(position)
            yield f"position({text!r}), its own text, differs from it by == or hash()"

    def of_state(self, position: Any) -> Iterator[str]:
        """Yield the members in which the position read from a position's text differs."""
        text = position.text()
        again = self.game.position(text)
        for name in _STATE:
            found, expected = (_value(each, name) for each in (again, position))
            if found != expected:
                yield (
                    f"position({text!r}), its own text, is another position: its {name} is "
                    f"{_shown(found)}, expected {_shown(expected)}"
                )

    def of_contents(self, position: Any) -> Iterator[str]:
        """Yield faults in the pieces on the cells."""
        contents = position.contents()
        cells, codes = self.game.board.names, {piece.code for piece in self.game.pieces}
        if not isinstance(contents, Sequence) or len(contents) != len(cells):
            yield (
                f"contents() is {_shown(contents)}, expected a text for each of {len(cells)} cells"
            )
        if strange := sorted(set("".join(contents)) - codes):
            yield f"contents() has {strange[0]!r}, expected codes of pieces: {_listed(codes)}"
        if not knows_layers(position):
            return
        layers = layers_of(position)
        if strange := sorted(layers.keys() - codes):
            yield f"layers() has {strange[0]!r}, expected codes of pieces: {_listed(codes)}"
        told = self.game.board.contents(layers.items())
        for cell, lies, said in zip(cells, told, contents, strict=True):
            if lies != said:
                yield f"layers() has {lies!r} on {cell}, but contents() has {said!r}"

    def of_bits(self, position: Any) -> Iterator[str]:
        """Yield faults in the bits of the legal moves, if the game has bits."""
        found, bits = legal_bits(position), bits_of(self.game)
        if found is None or found == sum(bits.get(move, 0) for move in position.legal_moves()):
            return
        moves = position.legal_moves()
        for move, bit in bits.items():
            if bool(found & bit) != (move in moves):
                has, is_ = ("lacks", "is") if move in moves else ("has", "is not")
                yield f"legal_bits {has} the bit of {move}, which {is_} among legal_moves()"
        yield "legal_bits is not the sum of the bits of the legal moves"

    def of_moves(self, position: Any) -> Iterator[str]:
        """Yield faults in playing legal moves, and in refusing illegal moves and strange texts."""
        moves = position.legal_moves()
        for move in moves:
            if (of := position.play(move).game) is not position.game:
                yield f"play({move!r}) leads to a position of {of!r}, expected {position.game!r}"
            yield ""
        self.known.update(moves)
        forms = {form for move in moves for form in (move.upper(), move.swapcase(), move + move)}
        spellings = spellings_of(self.game)
        written = set(spellings.values())
        for text in sorted({*STRANGE_TEXTS, *spellings, *self.known, *forms}):
            if text not in moves:
                yield from _of_refusal(position, text)
            with _noted(f"canonical({text!r})"):
                yield from self.of_canonical(text, written)
            yield ""

    def of_canonical(self, text: str, written: set[Move]) -> Iterator[str]:
        """Yield faults in the canonical text of a move, which must be one of `written`, if any."""
        try:
            once = self.game.canonical(text)
        except MoveSyntaxError as error:
            if not error.expected:
                yield f"canonical({text!r}) must have a message that says what is expected"
            return
        if self.game.canonical(once) != once or (written and once not in written):
            yield f"canonical({text!r}) is {_shown(once)}, which is not canonical itself"

    def of_texts(self, position: Any) -> Iterator[str]:
        """Yield strange texts that are accepted as positions although they are not canonical."""
        text = position.text()
        for strange in (
            *STRANGE_TEXTS, f"{text} ", f" {text}", f"{text} w", text[:-2], f"{text}\n"
        ):  # fmt: skip
            yield ""
            with _noted(f"position({strange!r})"):
                try:
                    read = self.game.position(strange).text()
                except PositionError:
                    continue
            if read != strange:
                yield f"position({strange!r}) must raise PositionError, but returns {read!r}"

    def of_symmetries(self, position: Any, chance: Random) -> Iterator[str]:
        """Yield faults in symmetries: the legal moves of images, and the positions after them."""
        with _noted("symmetries() fails"):
            ways = symmetries(position)
            for number, way in enumerate(ways):
                for words in _of_image(position, way, chance):
                    yield words and f"symmetries()[{number}] of {position.text()!r}: {words}"
            first = least(position)
            if self.game.position(first.text()) != first:
                yield f"symmetries(): position({first.text()!r}) differs from its source"
            image = chance.choice(ways).position(position)
            if least(image) != first:
                yield (
                    f"symmetries() of {image.text()!r} and its symmetric positions "
                    "do not share one least position"
                )
            known = sorted(self.known)
            yield from _of_group(first, chance.sample(known, min(60, len(known))))

    def of_lines(self, line: Sequence[tuple[Any, str, int, Any]], chance: Random) -> Iterator[str]:
        """Yield positions that have changed, and faults in `after` and `movers`."""
        for old, *then in line:
            if [old.text(), hash(old), old.legal_moves()] != then:
                yield f"the position {then[0]!r} has changed since: play() must return a new one"
        begun = chance.randrange(len(line))
        base, moves = line[begun][0], self.moves[begun:]
        for played in ([], moves, [*moves, *self.moves[:1]], _spoiled(moves, chance)):
            said = f"({played}) at {base.text()!r}"
            stages = list(_stages(base, played))
            end = stages[-1] if len(stages) > len(played) else None
            if follow(base, played) != end:
                yield f"after{said} differs from playing the moves one by one"
            seats = [stage.to_move for stage in stages]
            if end is not None and list(movers(base, played)) != seats:
                yield f"movers{said} differs from playing the moves one by one"
            yield ""


def _of_looks(game: Any) -> Iterator[str]:
    """Yield faults in the attributes of a game."""
    for name, value in (("title", game.title), ("credit", game.credit)):
        if not isinstance(value, str) or not value:
            yield f"{name} is {_shown(value)}, expected a text"
    colours = game.colours
    if not (_are(colours, str) and len(set(colours)) == len(colours) == 2):
        yield f"colours are {_shown(colours)}, expected two words for first and second"
    if not isinstance(game.board, Board):
        yield f"board is {_shown(game.board)}, expected a Board of lath.games.board"
    if len(game.board.names) != len(set(game.board.centres)):
        yield "board has two cells with the same centre"
    if not _are(game.pieces, Piece):
        yield f"pieces are {_shown(game.pieces)}, expected a tuple of Piece"
    yield from _of_pieces(game)
    yield from lesson_faults(game)


def _of_pieces(game: Any) -> Iterator[str]:
    codes = [piece.code for piece in game.pieces]
    if not len(set(codes)) == len(codes) == len("".join(codes)):
        yield f"pieces have the codes {codes}, expected a different letter for each"
    for piece in game.pieces:
        if not _COLOUR.fullmatch(piece.colour):
            yield f"the piece {piece.code} has the colour {piece.colour!r}, expected #rrggbb"
    for overlay in overlays_of(game):
        named = [getattr(overlay, field.name) for field in fields(overlay)]
        if not all(named) or not {*codes}.issuperset("".join(named)):
            yield f"overlays has {overlay}, expected codes of pieces: {_listed(codes)}"


def _of_setups(game: Any) -> Iterator[str]:
    """Yield strange setups that the game accepts wrongly."""
    for strange in STRANGE_SETUPS:
        with _noted(f"the setup {strange!r}"):
            try:
                once = game.canonical_setup(strange)
            except SetupError:
                once = None
            else:
                if not game.has_setups or game.canonical_setup(once) != once:
                    yield f"canonical_setup({strange!r}) is {once!r}, expected SetupError"
            try:
                game.start(strange)
            except GameError:
                continue
            if once is None:
                yield f"start({strange!r}) must raise SetupError, because canonical_setup does"


def _of_starts(position: Any) -> Iterator[str]:
    """Yield faults in the first position, and attributes that can be set."""
    if position.to_move != SIDES[0] or position.is_over:
        yield "the start must have to_move Side.FIRST and is_over False"
    bits = [] if legal_bits(position) is None else [*bits_of(position.game).values()]
    if len({*bits}) != len(bits) or any(bit.bit_count() != 1 for bit in bits):
        yield "bits must have a different power of two for each move"
    names = [name for name in dir(position) if name.islower() and not name.startswith("_")]
    names.sort(key=lambda name: callable(getattr(type(position), name, None)))
    for name in (*names, "an_attribute_of_nobody"):
        try:
            setattr(position, name, None)
        except (
            AttributeError,
            TypeError,
            ValueError,
        ):  # the type depends on how the class is frozen
            continue
        yield (
            f"{name} of a position can be set, but positions must not change: use a "
            "NamedTuple, a frozen dataclass, or a subclass of one with __slots__ = ()"
        )


def _of_refusal(position: Any, text: str) -> Iterator[str]:
    """Yield faults in refusing a text that is not a legal move."""
    move = Move(text)
    with _noted(f"why_illegal({text!r})"):
        reason = position.why_illegal(move)
    if not isinstance(reason, str) or not reason.strip():
        yield (
            f"{text!r} is not among legal_moves(), but why_illegal says {reason!r}, expected a "
            "reason"
        )
    with _noted(f"play({text!r}): call require_legal(self, move) first"):
        try:
            position.play(move)
        except IllegalMoveError as error:
            if (error.move, error.reason) != (move, reason):
                yield f"play({text!r}) says {str(error)!r}, but why_illegal says {reason!r}"
        else:
            yield f"play({text!r}) plays an illegal move: call require_legal(self, move) first"


def _of_image(position: Any, way: Symmetry, chance: Random) -> Iterator[str]:
    """Yield differences between a position's image and the image of its play."""
    image = way.position(position)
    moves, legal, shown = position.legal_moves(), set(image.legal_moves()), repr(image.text())
    images = {move: way.move(move) for move in moves}
    if (image.to_move, image.is_over) != (position.to_move, position.is_over):
        yield f"the symmetric position {shown} has a different to_move or is_over"
    for move, to in images.items():
        if to not in legal:
            yield f"{move} is legal, but {to} is not legal in the symmetric position {shown}"
    if len(legal) != len(set(images.values())):
        yield f"{len(moves)} moves are legal, but {len(legal)} in the symmetric position {shown}"
    for move in chance.sample(moves, min(2, len(moves))):
        end, played = way.position(position.play(move)), image.play(images[move])
        if end != played:
            yield (
                f"after {move} the symmetric position is {end.text()!r}, but "
                f"{images[move]} in {shown} leads to {played.text()!r}"
            )
        yield ""
    before, now = position.outcome(), image.outcome()
    if before and (before.winner, before.ending, len(before.cells)) != (
        now.winner, now.ending, len(now.cells)
    ):  # fmt: skip
        yield f"outcome() is {before}, but {now} in the symmetric position"


def _of_group(kept: Any, moves: Sequence[Move]) -> Iterator[str]:
    """Yield missing members of the group of symmetries that preserve a position."""
    keeping = [way.move for way in symmetries(kept) if way.position(kept) == kept]
    maps = {tuple(map(move, moves)) for move in keeping}
    if tuple(moves) not in maps:
        yield f"symmetries() of {kept.text()!r} lacks the identity"
    for one, other in product(keeping, repeat=2):
        if tuple(one(other(move)) for move in moves) not in maps:
            yield f"symmetries() of {kept.text()!r} lacks the combination of two of them"


def _stages(position: Any, moves: Sequence[str]) -> Iterator[Any]:
    """Yield the positions after each move, up to the first illegal move."""
    yield position
    for move in moves:
        if position.why_illegal(Move(move)) is not None:
            return
        position = position.play(Move(move))
        yield position


def _spoiled(moves: Sequence[str], chance: Random) -> list[str]:
    """Return the moves with one removed, moved, doubled, inserted or changed."""
    changed = list(moves) or ["a1"]
    at, to = chance.randrange(len(changed)), chance.randrange(len(changed))
    match chance.randrange(5):
        case 0:
            del changed[at]
        case 1:
            changed[at], changed[to] = changed[to], changed[at]
        case 2:
            changed[at] = changed[to]
        case 3:
            changed.insert(at, changed[to])
        case _:
            changed.insert(at, chance.choice(STRANGE_TEXTS))
    return changed


@contextmanager
def _noted(words: str) -> Iterator[None]:
    """Add a note to exceptions in the `with` block."""
    try:
        yield
    except Exception as error:
        error.add_note(words)
        raise


def _value(position: Any, name: str) -> Any:
    value = getattr(position, name)
    return value() if callable(value) else value


def _are(values: object, kind: type) -> bool:
    return isinstance(values, tuple) and all(isinstance(value, kind) for value in values)


def _listed(codes: Iterable[str]) -> str:
    return ", ".join(sorted(codes))


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
