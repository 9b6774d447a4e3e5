"""The names of the laws that every game must obey, and the tests that need no random game."""

from __future__ import annotations

import copy
import pickle
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields
from enum import StrEnum, auto
from itertools import product
from random import Random
from typing import Any, Final, NamedTuple, get_args

from lath.games.board import Board
from lath.games.capabilities import (
    bits_of,
    legal_bits,
    overlays_of,
    side_owners_of,
    symmetries,
)
from lath.games.cards import lesson_faults
from lath.games.contract import RESULTS, SIDES, Move, Outcome, Piece, PieceShape, Symmetry
from lath.games.core import find, owned_by
from lath.games.errors import GameError, IllegalMoveError, SetupError


class Law(StrEnum):
    """The name of each law. A trial reports a law once, with the first place where it fails."""

    # Of the game
    LOOKS = auto()
    BOARD = auto()
    PIECES = auto()
    COLOUR = auto()
    OVERLAYS = auto()
    LESSON = auto()
    SETUP_TEXT = auto()
    SETUP_DRAWN = auto()
    # Of a position
    MEMBERS = auto()
    START = auto()
    SETTABLE = auto()
    BITS = auto()
    RAISES = auto()
    TO_MOVE = auto()
    LEGAL_TUPLE = auto()
    OUTCOME = auto()
    IS_OVER = auto()
    STUCK = auto()
    GOES_ON = auto()
    TWICE = auto()
    RESULT = auto()
    WINNER = auto()
    ENDING = auto()
    CELLS = auto()
    OWNER = auto()
    IS_LOSS = auto()
    WRITTEN = auto()
    CANONICAL = auto()
    EXPECTED = auto()
    TEXT = auto()
    TEXT_REFUSED = auto()
    TEXT_DIFFERS = auto()
    TEXT_STRANGE = auto()
    HASH = auto()
    EQUAL = auto()
    TRAVELS = auto()
    CONTENTS = auto()
    CODES = auto()
    LAYERS = auto()
    EXTRAS = auto()
    # Of moves
    LISTED = auto()
    PLAYABLE = auto()
    REASON = auto()
    REFUSED = auto()
    SAME_REASON = auto()
    GAME = auto()
    CHANGED = auto()
    REPEATABLE = auto()
    LINES = auto()
    # Of symmetries
    IMAGE = auto()
    LEAST = auto()
    GROUP = auto()
    # Of fast boards
    FAST_MOVES = auto()
    FAST_STATE = auto()
    FAST_KEY = auto()
    FAST_UNDO = auto()
    FAST_THREATS = auto()
    FAST_IMAGES = auto()


LAST: Final = frozenset(
    {
        *(Law.MEMBERS, Law.BOARD, Law.PIECES, Law.LEGAL_TUPLE, Law.OUTCOME),
        *(Law.TEXT, Law.TEXT_REFUSED, Law.HASH, Law.CONTENTS, Law.CODES),
    }
)
"""Laws after which nothing more can be tested in the same random game."""


class LawFault(NamedTuple):
    """A law that a game does not obey, and where."""

    law: Law
    words: str
    """The finding, and the expected value."""

    where: str = ""
    """The setup and the moves that lead there; empty if no game was played."""

    error: Exception | None = None
    """The exception of the rules, if they raised one."""

    @property
    def text(self) -> str:
        """Return the place and the words."""
        return ": ".join(filter(None, (self.where, self.words)))


Faults = Iterator[LawFault | None]
"""The faults of a game; None at each point where a trial can stop."""


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


def of_looks(game: Any) -> Faults:
    """Yield faults in the attributes of a game."""
    for name, value in (("title", game.title), ("credit", game.credit)):
        if not isinstance(value, str) or not value:
            yield LawFault(Law.LOOKS, f"{name} is {shown(value)}, expected a text")
    colours = game.colours
    if not (_are(colours, str) and len(set(colours)) == len(colours) == 2):
        yield LawFault(
            Law.LOOKS, f"colours are {shown(colours)}, expected two words for first and second"
        )
    if not isinstance(game.board, Board):
        yield LawFault(
            Law.BOARD, f"board is {shown(game.board)}, expected a Board of lath.games.board"
        )
    if len(game.board.names) != len(set(game.board.centres)):
        yield LawFault(Law.BOARD, "board has two cells with the same centre")
    if not _are(game.pieces, Piece):
        yield LawFault(Law.PIECES, f"pieces are {shown(game.pieces)}, expected a tuple of Piece")
    yield from _of_pieces(game)
    if (owners := side_owners_of(game)) and (
        len(owners) != len(game.board.sides) or not set(owners) <= {0, 1}
    ):
        expected = f"expected 0 or 1 for each of the board's {len(game.board.sides)} sides"
        yield LawFault(Law.BOARD, f"side_owners are {owners}, {expected}")
    for words in lesson_faults(game):
        yield LawFault(Law.LESSON, words)


def _of_pieces(game: Any) -> Faults:
    codes = [piece.code for piece in game.pieces]
    if not len(set(codes)) == len(codes) == len("".join(codes)):
        words = f"pieces have the codes {codes}, expected a different letter for each"
        yield LawFault(Law.PIECES, words)
    for piece in game.pieces:
        if piece.shape not in get_args(PieceShape):
            shapes = ", ".join(get_args(PieceShape))
            words = (
                f"the piece {piece.code} has the shape {piece.shape!r}, expected one of {shapes}"
            )
            yield LawFault(Law.PIECES, words)
        if not _COLOUR.fullmatch(piece.colour):
            words = f"the piece {piece.code} has the colour {piece.colour!r}, expected #rrggbb"
            yield LawFault(Law.COLOUR, words)
    for overlay in overlays_of(game):
        named = [getattr(overlay, field.name) for field in fields(overlay)]
        if not all(named) or not {*codes}.issuperset("".join(named)):
            words = f"overlays has {overlay}, expected codes of pieces: {listed(codes)}"
            yield LawFault(Law.OVERLAYS, words)


def of_setups(game: Any) -> Faults:
    """Yield strange setups that the game accepts wrongly."""
    for strange in STRANGE_SETUPS:
        with noted(f"the setup {strange!r}"):
            try:
                once = game.canonical_setup(strange)
            except SetupError:
                once = None
            else:
                if not game.has_setups or game.canonical_setup(once) != once:
                    words = f"canonical_setup({strange!r}) is {once!r}, expected SetupError"
                    yield LawFault(Law.SETUP_TEXT, words)
            try:
                game.start(strange)
            except GameError:
                continue
            if once is None:
                words = f"start({strange!r}) must raise SetupError, because canonical_setup does"
                yield LawFault(Law.SETUP_TEXT, words)


def of_start(position: Any) -> Faults:
    """Yield faults in the first position, and attributes that can be set."""
    if position.to_move != SIDES[0] or position.is_over:
        words = "the start must have to_move Side.FIRST and is_over False"
        if outcome := position.outcome():
            words += f", but outcome() says {outcome.ending!r}"
        yield LawFault(Law.START, words)
    bits = [] if legal_bits(position) is None else [*bits_of(position.game).values()]
    if len({*bits}) != len(bits) or any(bit.bit_count() != 1 for bit in bits):
        yield LawFault(Law.BITS, "bits must have a different power of two for each move")
    names = [name for name in dir(position) if name.islower() and not name.startswith("_")]
    names.sort(key=lambda name: callable(getattr(type(position), name, None)))
    for name in (*names, "an_attribute_of_nobody"):
        if _can_be_set(position, name):
            yield LawFault(
                Law.SETTABLE,
                f"{name} of a position can be set, but positions must not change: use a "
                "NamedTuple, a frozen dataclass, or a subclass of one with __slots__ = ()",
            )
            return


def _can_be_set(position: Any, name: str) -> bool:
    """Return whether an attribute of a position can be set; it has its old value afterwards."""
    own = getattr(position, "__dict__", {})
    had, before = name in own, getattr(position, name, None)
    try:
        setattr(position, name, None)
    except (AttributeError, TypeError, ValueError):  # the type depends on how the class is frozen
        return False
    if had or name not in getattr(position, "__dict__", {}):
        setattr(position, name, before)
    else:
        delattr(position, name)
    return True


def of_outcome(game: Any, outcome: Outcome) -> Faults:
    """Yield faults in the outcome of a position."""
    if outcome.winner not in (*SIDES, None):
        words = f"outcome() has the winner {shown(outcome.winner)}, expected a Side or None"
        yield LawFault(Law.WINNER, words)
        return
    if not outcome.ending or outcome.ending.strip() != outcome.ending:
        words = f"outcome() has the ending {outcome.ending!r}, expected a few words"
        yield LawFault(Law.ENDING, words)
    in_order = [name for name in game.board.names if name in outcome.cells]
    if list(outcome.cells) != in_order:
        words = f"outcome() has the cells {outcome.cells}, expected {in_order}: in board order"
        yield LawFault(Law.CELLS, words)
    if outcome.winner is None and outcome.is_loss:
        yield LawFault(Law.IS_LOSS, "outcome() is a draw, but has is_loss=True")


def of_owner(position: Any) -> Faults:
    """Yield that the cells of an outcome have pieces of the player who did not make the ending."""
    game, outcome = position.game, position.outcome()
    if outcome is None or outcome.winner not in SIDES:
        return
    contents = dict(zip(game.board.names, position.contents(), strict=False))
    codes = set().union(*(contents.get(cell, "") for cell in outcome.cells))
    owners = {side for side in SIDES if not codes.isdisjoint(owned_by(game, side))}
    if owners:
        made = outcome.winner.other if outcome.is_loss else outcome.winner
        if owners != {made}:
            what = "is_loss=True" if outcome.is_loss else "is_loss=False"
            yield LawFault(
                Law.OWNER,
                f"outcome() says that {outcome.winner.word} won, with the cells {outcome.cells} "
                f"and {what}: expected cells with pieces of {made.word} only",
            )


def of_refusal(position: Any, text: str) -> Faults:
    """Yield faults in refusing a text that is not a legal move."""
    move = Move(text)
    with noted(f"why_illegal({text!r})"):
        reason = position.why_illegal(move)
    if not isinstance(reason, str) or not reason.strip():
        yield LawFault(
            Law.REASON,
            f"{text!r} is not among legal_moves(), but why_illegal says {reason!r}, expected a "
            "reason",
        )
    with noted(f"play({text!r}): call require_legal(self, move) first"):
        try:
            position.play(move)
        except IllegalMoveError as error:
            if (error.move, error.reason) != (move, reason):
                yield LawFault(
                    Law.SAME_REASON,
                    f"play({text!r}) says {str(error)!r}, but why_illegal says {reason!r}",
                )
        else:
            yield LawFault(
                Law.REFUSED,
                f"play({text!r}) plays an illegal move: call require_legal(self, move) first",
            )


def of_travel(position: Any) -> Faults:
    """Yield that a position differs after pickling or copying, as between processes.

    Only games that are found by their ids are tested.
    """
    try:
        if find(position.game.id) is not position.game:
            return
    except GameError:
        return
    carried: Mapping[str, Callable[[Any], Any]] = {
        "pickle": lambda one: pickle.loads(pickle.dumps(one)),  # noqa: S301 - bytes of this process
        "copy.deepcopy": copy.deepcopy,
    }
    for name, copied in carried.items():
        try:
            again = copied(position)
        except (pickle.PicklingError, TypeError, AttributeError) as error:
            yield LawFault(Law.TRAVELS, f"a position cannot be copied by {name}: {error}")
            return
        if again != position or again.game is not position.game:
            yield LawFault(Law.TRAVELS, f"a copy of a position by {name} differs from the position")


def of_image(position: Any, way: Symmetry, chance: Random) -> Iterator[str]:
    """Yield differences between a position's image and the image of its play."""
    image = way.position(position)
    moves, legal, text = position.legal_moves(), set(image.legal_moves()), repr(image.text())
    images = {move: way.move(move) for move in moves}
    if (image.to_move, image.is_over) != (position.to_move, position.is_over):
        yield f"the symmetric position {text} has a different to_move or is_over"
    for move, to in images.items():
        if to not in legal:
            yield f"{move} is legal, but {to} is not legal in the symmetric position {text}"
            return
    if len(legal) != len(set(images.values())):
        yield f"{len(moves)} moves are legal, but {len(legal)} in the symmetric position {text}"
    for move in chance.sample(moves, min(2, len(moves))):
        end, played = way.position(position.play(move)), image.play(images[move])
        if end != played:
            yield (
                f"after {move} the symmetric position is {end.text()!r}, but "
                f"{images[move]} in {text} leads to {played.text()!r}"
            )
        yield ""
    before, now = position.outcome(), image.outcome()
    if before and (before.winner, before.ending, len(before.cells)) != (
        now.winner, now.ending, len(now.cells)
    ):  # fmt: skip
        yield f"outcome() is {before}, but {now} in the symmetric position"


def of_group(kept: Any, moves: Sequence[Move]) -> Faults:
    """Yield missing members of the group of symmetries that preserve a position."""
    keeping = [way.move for way in symmetries(kept) if way.position(kept) == kept]
    maps = {tuple(map(move, moves)) for move in keeping}
    if tuple(moves) not in maps:
        yield LawFault(Law.GROUP, f"symmetries() of {kept.text()!r} lacks the identity")
    for one, other in product(keeping, repeat=2):
        if tuple(one(other(move)) for move in moves) not in maps:
            words = f"symmetries() of {kept.text()!r} lacks the combination of two of them"
            yield LawFault(Law.GROUP, words)


def stages(position: Any, moves: Sequence[str]) -> Iterator[Any]:
    """Yield the positions after each move, up to the first illegal move."""
    yield position
    for move in moves:
        if position.why_illegal(Move(move)) is not None:
            return
        position = position.play(Move(move))
        yield position


def spoiled(moves: Sequence[str], chance: Random) -> list[str]:
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
def noted(words: str) -> Iterator[None]:
    """Add a note to exceptions in the `with` block."""
    try:
        yield
    except Exception as error:
        error.add_note(words)
        raise


def _are(values: object, kind: type) -> bool:
    return isinstance(values, tuple) and all(isinstance(value, kind) for value in values)


def listed(codes: Iterable[str]) -> str:
    """Return the codes of pieces, sorted, for a message."""
    return ", ".join(sorted(codes))


def shown(value: object) -> str:
    """Return a value as a message shows it, cut off if it is long."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
