"""What a game or its positions can do besides: the one place where that is asked, with defaults.

No game needs any of it. Each class says what one power is: a game or a position that has its
members has the power, whatever it inherits from. The functions below it are how everybody asks.
The types of parameters, overlays and boards are those of the modules that stand on this one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Protocol, cast

from lath.games.contract import (
    IDENTITY,
    RESULTS,
    Game,
    Move,
    P,
    Position,
    Result,
    Side,
    Symmetry,
)
from lath.games.errors import RulesVersionError


def _able(owner: object, member: str) -> Any:
    """Return an owner of a member that is not None; None for any other.

    Its class is asked first: no property is computed only to see whether it is there.
    """
    if getattr(type(owner), member, None) is None and getattr(owner, member, None) is None:
        return None
    return owner


def lacking(owner: object, contract: type) -> list[str]:
    """Return the members of `Game` or `Position`, in their order, that an object does not have."""
    needed = (name for name in vars(contract) if not name.startswith("_"))
    return [name for name in needed if not hasattr(owner, name)]


def can_be_drawn(game: Game) -> bool:
    """Return whether a game has cells and pieces, as every game has that keeps the contract."""
    return _able(game, "board") is not None and _able(game, "pieces") is not None


# Of games


class Symmetric(Protocol):
    """A game that is the same when it is turned, or when things in it are renamed."""

    def symmetries(self, position: Any, /) -> Iterable[Symmetry]:
        """Return each symmetry of the rules, the identity first.

        Where they are many, so many that positions which are images of each other have the same
        images. `lath.games.core.least` is what they are good for.
        """


def symmetries(position: Position) -> tuple[Symmetry, ...]:
    """Return the symmetries that a game tells of at a position; the identity where it does not.

    >>> from lath import games
    >>> start = games.get("yavalath").start()
    >>> sorted({symmetry.move(Move("a1")) for symmetry in symmetries(start)})
    ['a1', 'a5', 'e1', 'e9', 'i1', 'i5']
    """
    able: Symmetric | None = _able(position.game, "symmetries")
    return (IDENTITY,) if able is None else tuple(able.symmetries(position))


class Renamable(Protocol):
    """A game with pieces that only their names tell apart, which its symmetries rename."""

    @property
    def alike(self) -> str:
        """Return the codes of these pieces; a move that names one takes all of it away."""


def alike_of(game: Game) -> str:
    """Return the codes of the pieces that only their names tell apart; empty for most games."""
    able: Renamable | None = _able(game, "alike")
    return "" if able is None else able.alike


class ListsMoves(Protocol):
    """A game that lists its moves."""

    @property
    def moves(self) -> Mapping[str, Move]:
        """Return every way to write a move, legal or not, with the one way."""


def spellings_of(game: Game) -> Mapping[str, Move]:
    """Return every way to write a move, with the one way; empty where a game lists none."""
    able: ListsMoves | None = _able(game, "moves")
    return able.moves if able and isinstance(able.moves, Mapping) else {}


class NumbersMoves(Protocol):
    """A game that has a bit for each of its moves; its positions then are `CountsMoves`."""

    @property
    def bits(self) -> Mapping[str, int]:
        """Return every move with a power of two of its own."""


def bits_of(game: Game) -> Mapping[str, int]:
    """Return every move with a power of two of its own; empty where a game has none."""
    able: NumbersMoves | None = _able(game, "bits")
    return {} if able is None else able.bits


class Revised(Protocol):
    """A game whose rules have changed since there were records of it."""

    @property
    def rules(self) -> str:
        """Return the version of the rules: a whole number as text."""

    @property
    def earlier(self) -> Mapping[str, Game]:
        """Return the games by the versions before, which may lack some."""


FIRST_VERSION: Final = "1"
"""Of the rules of a game that says nothing of versions, and of records that say nothing."""


def version_of(game: Game) -> str:
    """Return the version of a game's rules: a whole number as text.

    >>> from lath import games
    >>> version_of(games.get("yavalath"))
    '1'
    """
    able: Revised | None = _able(game, "rules")
    return FIRST_VERSION if able is None else able.rules


def is_version(text: str) -> bool:
    """Return whether a text is a version of rules: a whole number from 1 on, of a few digits."""
    return text.isascii() and text.isdigit() and text[0] != "0" and len(text) < 10


def by_version(game: Game, version: str) -> Game:
    """Return the game by a version of its rules; raises RulesVersionError with the reason.

    An earlier version has the same id, and is no game that anybody plays any more.
    """
    present = version_of(game)
    if version == present:
        return game
    able: Revised | None = _able(game, "earlier")
    if able is not None and version in able.earlier:
        return able.earlier[version]
    if not is_version(version):
        raise RulesVersionError(f"{version!r} is no version of the rules of {game.id}")
    is_old = int(version) < int(present)
    raise RulesVersionError(
        f"played by version {version} of the rules of {game.id}, which this arena "
        f"{'no longer has' if is_old else 'does not have yet'}: not checked"
    )


class Varied(Protocol):
    """A game of a family, which differs from its relatives in parameters."""

    @property
    def parameters(self) -> Sequence[Any]:
        """Return each `lath.games.parameters.Parameter`."""

    def variant(self, game_id: str, **values: Any) -> Game:
        """Return the game of these values, whose id this is; raises ValueError where they clash."""


def parameters_of(game: Game) -> tuple[Any, ...]:
    """Return the parameters that a game declares; empty where it says nothing of them."""
    able: Varied | None = _able(game, "parameters")
    return () if able is None else tuple(able.parameters)


def can_vary(game: Game) -> bool:
    """Return whether a game makes others by values of its parameters."""
    return _able(game, "variant") is not None


class HasCard(Protocol):
    """A game with its rules in a few lines."""

    @property
    def card(self) -> str:
        """Return the rules for a person, a paragraph each: the goal first, then what a turn is."""


def own_card(game: Game) -> str | None:
    """Return the rules in a few lines; None where a game has none: see `lath.games.cards`."""
    able: HasCard | None = _able(game, "card")
    return able.card if able and isinstance(able.card, str) else None


class Overlaid(Protocol):
    """A game that wants something drawn over its positions."""

    @property
    def overlays(self) -> tuple[Any, ...]:
        """Return what: each of the kinds in `lath.games.overlays`."""


def overlays_of(game: Game) -> tuple[Any, ...]:
    """Return what a game wants drawn over its positions; empty for most."""
    able: Overlaid | None = _able(game, "overlays")
    return () if able is None else able.overlays


class Boarded(Protocol):
    """A game with a board of its own for searches."""

    def fast(self, position: Any, /) -> Any:
        """Return a `lath.games.fast.FastBoard` that stands as a position does."""


def boarded(game: Game) -> Boarded | None:
    """Return a game that has a board of its own for searches; None for one that has not."""
    return cast("Boarded | None", _able(game, "fast"))


# Of positions


class KnowsResult(Protocol):
    """A position that knows its result sooner than its outcome."""

    @property
    def result(self) -> str:
        """Return what `outcome().result` is; `*` while the game goes on."""


def result_of(position: Position) -> Result:
    """Return the result; the game is not finished while its rules let it go on."""
    able: KnowsResult | None = _able(position, "result")
    if able is not None:
        return RESULTS[able.result]
    outcome = position.outcome()
    return outcome.result if outcome else Result.UNFINISHED


class CountsMoves(Protocol):
    """A position of a game that `NumbersMoves`."""

    @property
    def legal_bits(self) -> int:
        """Return the sum of the game's `bits` of all legal moves."""


def legal_bits(position: Position) -> int | None:
    """Return the sum of the game's `bits` of all legal moves; None where it has no bits."""
    able: CountsMoves | None = _able(position, "legal_bits")
    return None if able is None else able.legal_bits


def count_legal(position: Position) -> int:
    """Return how many legal moves there are.

    >>> from lath import games
    >>> count_legal(games.get("yavalath").start())
    61
    """
    bits = legal_bits(position)
    return len(position.legal_moves()) if bits is None else bits.bit_count()


class Layered(Protocol):
    """A position that knows where each kind of piece lies."""

    def layers(self) -> Iterable[tuple[str, int]]:
        """Return pairs of a piece's code and the cells where it lies, lowest first."""


def knows_layers(position: Position) -> bool:
    """Return whether a position says itself where each kind of piece lies."""
    return _able(position, "layers") is not None


def layers_of(position: Position) -> dict[str, int]:
    """Return the cells where each piece lies, as `Board.bit` has them, by its code.

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


class PlaysLines(Protocol):
    """A position that plays a whole line of moves at once."""

    def after(self, moves: Sequence[str], /) -> Position | None:
        """Return the position after all of them, as playing them one by one would have it.

        None where that would fail: for a text that is not canonical or a move that is not legal.
        """


def follow(position: Position, moves: Sequence[str]) -> Position | None:
    """Return the position after `moves`; None where one of them is not canonical or not legal."""
    able: PlaysLines | None = _able(position, "after")
    return one_by_one(position, moves) if able is None else able.after(moves)


def one_by_one(position: P, moves: Sequence[str]) -> P | None:
    """Return what `follow` does, playing each move for itself."""
    for move in moves:
        if position.why_illegal(Move(move)) is not None:
            return None
        position = position.play(Move(move))
    return position


class KnowsMovers(Protocol):
    """A position that knows who takes which turn without playing."""

    def movers(self, moves: Sequence[str], /) -> Sequence[Side]:
        """Return who decides on each of moves that can be played, and who after the last."""


def knows_movers(position: Position) -> bool:
    """Return whether `movers` answers without playing."""
    return _able(position, "movers") is not None


def movers(position: Position, moves: Sequence[str]) -> Sequence[Side]:
    """Return who decides on each of `moves`, all of which can be played, and who after the last.

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
