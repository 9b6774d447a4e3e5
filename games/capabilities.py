"""The optional features of games and positions, with a function that reads each one or its default.

Each protocol describes one feature. A game or position that has the members of a protocol has the
feature, whatever class it inherits from. Other modules must use the functions here and not look for
the members. Parameters, overlays and fast boards are typed `Any`, because the modules that define
them import this one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, Protocol, cast

from lath.games.contract import (
    IDENTITY,
    RESULTS,
    Game,
    Lesson,
    Move,
    P,
    Position,
    Result,
    Side,
    Symmetry,
)
from lath.games.errors import RulesVersionError


def _able(owner: object, member: str) -> Any:
    """Return `owner` if it has a member of this name that is not None, or else None.

    The class is asked first, so that no property is computed only to see whether it exists.
    """
    if getattr(type(owner), member, None) is None and getattr(owner, member, None) is None:
        return None
    return owner


def lacking(owner: object, contract: type) -> list[str]:
    """Return the members of `contract` (`Game` or `Position`) that an object lacks, in order."""
    needed = (name for name in vars(contract) if not name.startswith("_"))
    # A property of the class that fails with an AttributeError is not missing.
    return [name for name in needed if not (hasattr(owner, name) or name in dir(type(owner)))]


def can_be_drawn(game: Game) -> bool:
    """Return whether a game has a board and pieces, as the contract requires."""
    return _able(game, "board") is not None and _able(game, "pieces") is not None


# Of games


class Symmetric(Protocol):
    """A game with symmetries: rotations, reflections, or pieces that can be renamed."""

    def symmetries(self, position: Any, /) -> Iterable[Symmetry]:
        """Return the symmetries of the rules at a position, the identity first.

        If there are too many, return a subset such that symmetric positions have the same images.
        See `lath.games.core.least` for their use.
        """


def symmetries(position: Position) -> tuple[Symmetry, ...]:
    """Return the symmetries that a game declares at a position. Default: only the identity.

    >>> from lath import games
    >>> start = games.get("yavalath").start()
    >>> sorted({symmetry.move(Move("a1")) for symmetry in symmetries(start)})
    ['a1', 'a5', 'e1', 'e9', 'i1', 'i5']
    """
    able: Symmetric | None = _able(position.game, "symmetries")
    return (IDENTITY,) if able is None else tuple(able.symmetries(position))


class Renamable(Protocol):
    """A game with pieces that differ only by name, so that its symmetries can rename them."""

    @property
    def alike(self) -> str:
        """Return the codes of these pieces. A move that names one removes all such pieces."""


def alike_of(game: Game) -> str:
    """Return the codes of the pieces that differ only by name; empty for most games."""
    able: Renamable | None = _able(game, "alike")
    return "" if able is None else able.alike


class ListsMoves(Protocol):
    """A game that lists its moves."""

    @property
    def moves(self) -> Mapping[str, Move]:
        """Return the canonical move for every way to write a move, legal or not."""


def spellings_of(game: Game) -> Mapping[str, Move]:
    """Return the canonical move for every way to write a move; empty if the game lists none."""
    able: ListsMoves | None = _able(game, "moves")
    return able.moves if able and isinstance(able.moves, Mapping) else {}


class IndexesMoves(Protocol):
    """A game that has an index for each move without a list of all moves."""

    @property
    def move_count(self) -> int:
        """Return the number of indexes."""

    def index(self, move: Move, /) -> int:
        """Return the index of a move, legal or not: a whole number from 0."""


def indexing(game: Game) -> IndexesMoves | None:
    """Return the game if it has its own indexes of moves, or else None."""
    return cast("IndexesMoves | None", _able(game, "index"))


class EncodesPositions(Protocol):
    """A game that has its own planes for machine learning."""

    @property
    def plane_names(self) -> Sequence[str]:
        """Return the meaning of each plane."""

    def planes(self, position: Any, /) -> Iterable[Sequence[int]]:
        """Return the planes: for each name the numbers of all cells in order, from 0 to 255."""


def encoding(game: Game) -> EncodesPositions | None:
    """Return the game if it has its own planes, or else None."""
    return cast("EncodesPositions | None", _able(game, "planes"))


class NumbersMoves(Protocol):
    """A game that has a bit for each of its moves; its positions are `CountsMoves`."""

    @property
    def bits(self) -> Mapping[str, int]:
        """Return a different power of two for each move."""


def bits_of(game: Game) -> Mapping[str, int]:
    """Return a different power of two for each move; empty if the game has none."""
    able: NumbersMoves | None = _able(game, "bits")
    return {} if able is None else able.bits


class Revised(Protocol):
    """A game whose rules have changed since the first records of it were written."""

    @property
    def rules(self) -> str:
        """Return the version of the rules: a whole number as text."""

    @property
    def earlier(self) -> Mapping[str, Game]:
        """Return the game under each earlier version of the rules; some versions can be missing."""


FIRST_VERSION: Final = "1"
"""The rules version of a game or record that does not name one."""


def version_of(game: Game) -> str:
    """Return the version of a game's rules: a whole number as text.

    >>> from lath import games
    >>> version_of(games.get("yavalath"))
    '1'
    """
    able: Revised | None = _able(game, "rules")
    return FIRST_VERSION if able is None else able.rules


def is_version(text: str) -> bool:
    """Return whether a text is a rules version: a whole number from 1 of at most 9 digits."""
    return text.isascii() and text.isdigit() and text[0] != "0" and len(text) < 10


def by_version(game: Game, version: str) -> Game:
    """Return the game under one version of its rules; it has the same id as the current game.

    Raises RulesVersionError, with the reason, if the version is not available.
    """
    present = version_of(game)
    if version == present:
        return game
    able: Revised | None = _able(game, "earlier")
    if able is not None and version in able.earlier:
        return able.earlier[version]
    if not is_version(version):
        raise RulesVersionError(f"{version!r} is not a version of the rules of {game.id}")
    is_old = int(version) < int(present)
    raise RulesVersionError(
        f"played under version {version} of the rules of {game.id}, which this arena "
        f"{'no longer has' if is_old else 'does not have yet'}; the record was not checked"
    )


class Varied(Protocol):
    """A game type with parameters, such as the size of its board."""

    @property
    def parameters(self) -> Sequence[Any]:
        """Return each `lath.games.parameters.Parameter`."""

    def variant(self, game_id: str, **values: Any) -> Game:
        """Return the game with these values and this id. Raises ValueError if values clash."""


def parameters_of(game: Game) -> tuple[Any, ...]:
    """Return the parameters that a game declares; empty if it declares none."""
    able: Varied | None = _able(game, "parameters")
    return () if able is None else tuple(able.parameters)


def can_vary(game: Game) -> bool:
    """Return whether a game can make variants by the values of its parameters."""
    return _able(game, "variant") is not None


class HasCard(Protocol):
    """A game that states its rules in a few lines."""

    @property
    def card(self) -> str:
        """Return the rules for people, one paragraph per line: first the goal, then the turn."""


def own_card(game: Game) -> str | None:
    """Return the game's own rules text; None if it has none, see `lath.games.cards`."""
    able: HasCard | None = _able(game, "card")
    return able.card if able and isinstance(able.card, str) else None


class Taught(Protocol):
    """A game that shows its rules by a few moves each."""

    @property
    def lessons(self) -> Sequence[Lesson]:
        """Return the lessons that hold for the game's parameters, in the order to learn them."""


def lessons_of(game: Game) -> tuple[Lesson, ...]:
    """Return the lessons of a game; empty if it has none."""
    able: Taught | None = _able(game, "lessons")
    return () if able is None else tuple(able.lessons)


class Overlaid(Protocol):
    """A game that draws overlays on its positions."""

    @property
    def overlays(self) -> tuple[Any, ...]:
        """Return the overlays, each of a kind from `lath.games.overlays`."""


def overlays_of(game: Game) -> tuple[Any, ...]:
    """Return the overlays of a game; empty for most games."""
    able: Overlaid | None = _able(game, "overlays")
    return () if able is None else able.overlays


class OwnsSides(Protocol):
    """A game in which the sides of the board belong to the players, as in Hex."""

    @property
    def side_owners(self) -> Sequence[int]:
        """Return the player, 0 or 1, of each of `Board.sides`, which drawings colour."""


def side_owners_of(game: Game) -> tuple[int, ...]:
    """Return the player of each side of the board; empty for most games."""
    able: OwnsSides | None = _able(game, "side_owners")
    return () if able is None else tuple(able.side_owners)


class SaysInOwnWords(Protocol):
    """A game whose authors do not write the contract's members, and so read other words."""

    @property
    def terms(self) -> Mapping[str, str]:
        """Return the authors' words for words of messages about the contract."""

    @property
    def mends(self) -> Mapping[str, str]:
        """Return the remedies in the authors' words, by the law or the point of a check."""


def terms_of(game: Game) -> Mapping[str, str]:
    """Return the authors' words for words of messages; empty for most games."""
    able: SaysInOwnWords | None = _able(game, "terms")
    return {} if able is None else able.terms


def mends_of(game: Game) -> Mapping[str, str]:
    """Return the remedies in the authors' words, by the law or point; empty for most games."""
    able: SaysInOwnWords | None = _able(game, "mends")
    return {} if able is None else able.mends


class Formed(Protocol):
    """A game whose positions have a form of their own as text."""

    @property
    def form(self) -> str:
        """Return the pieces' codes in each field before the side to move, such as `mow k`.

        A field is the rows of the board with these pieces, or for one marker its cell or `-`.
        """


def form_of(game: Game) -> str:
    """Return the pieces' codes in each field of a position. Default: all pieces in one field."""
    able: Formed | None = _able(game, "form")
    return able.form if able else "".join(piece.code for piece in game.pieces)


class Boarded(Protocol):
    """A game with its own fast board for searches."""

    def fast(self, position: Any, /) -> Any:
        """Return a `lath.games.fast.FastBoard` at this position."""


def boarded(game: Game) -> Boarded | None:
    """Return the game if it has its own fast board for searches, or else None."""
    return cast("Boarded | None", _able(game, "fast"))


# Of positions


class KnowsResult(Protocol):
    """A position that can compute its result faster than its outcome."""

    @property
    def result(self) -> str:
        """Return `outcome().result`; `*` while the game is not over."""


def result_of(position: Position) -> Result:
    """Return the result of a position; `UNFINISHED` while the game is not over."""
    able: KnowsResult | None = _able(position, "result")
    if able is not None:
        return RESULTS[able.result]
    outcome = position.outcome()
    return outcome.result if outcome else Result.UNFINISHED


class CountsMoves(Protocol):
    """A position that can return its legal moves as bits; its game is `NumbersMoves`."""

    @property
    def legal_bits(self) -> int:
        """Return the sum of the game's `bits` of all legal moves."""


def legal_bits(position: Position) -> int | None:
    """Return the sum of the game's `bits` of all legal moves; None if the game has no bits."""
    able: CountsMoves | None = _able(position, "legal_bits")
    return None if able is None else able.legal_bits


def count_legal(position: Position) -> int:
    """Return the number of legal moves.

    >>> from lath import games
    >>> count_legal(games.get("yavalath").start())
    61
    """
    bits = legal_bits(position)
    return len(position.legal_moves()) if bits is None else bits.bit_count()


class Layered(Protocol):
    """A position that can return the cells of each kind of piece."""

    def layers(self) -> Iterable[tuple[str, int]]:
        """Return pairs of a piece's code and its cells as a mask, the lowest layer first."""


def knows_layers(position: Position) -> bool:
    """Return whether a position has its own `layers`."""
    return _able(position, "layers") is not None


def layers_of(position: Position) -> dict[str, int]:
    """Return the cells of each piece by its code, as a mask of `Board.bit`.

    >>> from lath import games
    >>> layers_of(games.get("yavalath").start().play(Move("a1")))
    {'w': 1, 'b': 0}
    """
    able: Layered | None = _able(position, "layers")
    if able is not None:
        return dict(able.layers())
    game = position.game
    found = dict.fromkeys((piece.code for piece in game.pieces), 0)
    for bit, content in zip(game.board.name, position.contents(), strict=True):
        for code in content:
            found[code] |= bit
    return found


class HasExtras(Protocol):
    """A position with a state beside its cells, such as hands, captured pieces or passes."""

    @property
    def extras(self) -> Mapping[str, int | str]:
        """Return each number or text by its name in words, such as `{"white hand": 3}`.

        All positions of a game have the same names in the same order, with values of the same
        types. The state is also part of the position's `text()`.
        """


def extras_of(position: Position) -> Mapping[str, int | str]:
    """Return the state that a position holds beside its cells, by name; empty for most games.

    >>> from lath import games
    >>> extras_of(games.get("yavalath").start())
    {}
    """
    able: HasExtras | None = _able(position, "extras")
    return {} if able is None else able.extras


def extras_told(position: Position) -> str:
    """Return the state beside the cells in words, such as `white hand 3, passes 1`, or ""."""
    return ", ".join(f"{name} {value}" for name, value in extras_of(position).items())


class PlaysLines(Protocol):
    """A position that can play many moves at once."""

    def after(self, moves: Sequence[str], /) -> Position | None:
        """Return the position after all moves; None if one is not canonical or not legal.

        The result must equal the position after playing the moves one by one.
        """


def follow(position: Position, moves: Sequence[str]) -> Position | None:
    """Return the position after `moves`; None where one of them is not canonical or not legal."""
    able: PlaysLines | None = _able(position, "after")
    return one_by_one(position, moves) if able is None else able.after(moves)


def one_by_one(position: P, moves: Sequence[str]) -> P | None:
    """Return the result of `follow`, playing the moves one by one."""
    for move in moves:
        if position.why_illegal(Move(move)) is not None:
            return None
        position = position.play(Move(move))
    return position


class KnowsMovers(Protocol):
    """A position that knows the side to move at each ply without playing the moves."""

    def movers(self, moves: Sequence[str], /) -> Sequence[Side]:
        """Return the side to move before each of `moves`, which must be legal, and after them."""


def knows_movers(position: Position) -> bool:
    """Return whether `movers` works without playing the moves."""
    return _able(position, "movers") is not None


def movers(position: Position, moves: Sequence[str]) -> Sequence[Side]:
    """Return the side to move before each of `moves`, which must be legal, and after the last.

    >>> from lath import games
    >>> [seat.word for seat in movers(games.get("yavalath").start(), ["e5", "swap"])]
    ['first', 'second', 'first']
    """
    able: KnowsMovers | None = _able(position, "movers")
    if able is not None:
        return able.movers(moves)
    seats = [position.to_move]
    for move in moves:
        position = position.play(Move(move))
        seats.append(position.to_move)
    return seats


class PlaysKnown(Protocol):
    """A position that can play a move without testing whether it is legal."""

    def play_known(self, move: Move, /) -> Position:
        """Return the position after a move that is known to be legal."""


def playing(position: P) -> Callable[[P, Move], P]:
    """Return the function of this kind of position that plays a move known to be legal."""
    kind: Any = type(position)
    able: PlaysKnown | None = _able(position, "play_known")
    return cast("Callable[[P, Move], P]", kind.play if able is None else kind.play_known)


class Keyed(Protocol):
    """A position that can compute a hash of its state."""

    def key(self) -> int:
        """Return a hash in 64 bits, the same in every process; equal positions have equal keys."""


def key_of(position: Position) -> int:
    """Return a hash of a position in 64 bits. Default: of its text."""
    able: Keyed | None = _able(position, "key")
    return hash_of(position.text()) if able is None else able.key()


def hash_of(text: str) -> int:
    """Return 64 bits of a hash of a text, the same in every process."""
    from hashlib import blake2b  # only searches need it

    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little")


class Evaluating(Protocol):
    """A game that estimates who is winning."""

    def lean(self, position: Any, /) -> float | None:
        """Return an estimate from -1 to 1 for the side to move; None without one."""


def leaning(position: Position) -> float | None:
    """Return the game's own estimate for the side to move; None if it has none."""
    able: Evaluating | None = _able(position.game, "lean")
    return None if able is None else able.lean(position)
