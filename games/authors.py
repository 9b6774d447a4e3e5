"""Checks of what the authors of short games write, with messages in the words of their files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple, Self, get_args

from lath.games.board import Board
from lath.games.core import Piece
from lath.games.errors import GameError
from lath.games.images import Symmetric
from lath.games.parameters import Parameter


class AttributeKind(NamedTuple):
    """The values that an attribute of a game can have."""

    expected: str
    """The values in words."""

    has: Callable[[Any], bool]

    words: tuple[str, ...] = ()
    """All values, if they are words."""


def _one_of(*words: str) -> AttributeKind:
    quoted = [*map(repr, words)]
    expected = f"{', '.join(quoted[:-1])} or {quoted[-1]}"
    return AttributeKind(expected, lambda value: isinstance(value, str) and value in words, words)


def _each(kind: type, value: object) -> bool:
    return isinstance(value, tuple | list) and all(isinstance(one, kind) for one in value)


def _are_colours(value: Any) -> bool:
    is_pair = _each(str, value) and len(value) == len({*value}) == 2
    return is_pair and all(one[:1].isalpha() and one.split() == [one] for one in value)


def _are_pieces(value: Any) -> bool:
    return _each(Piece, value) and not any(piece.code in "0123456789/ " for piece in value)


def _are_facts(value: Any) -> bool:
    return isinstance(value, Mapping) and all(
        isinstance(name, str) and is_fact(fact) for name, fact in value.items()
    )


def is_fact(value: object) -> bool:
    """Return whether a text of a position can hold a value: a number, or a text without spaces."""
    if isinstance(value, str):
        return value.split() == [value]
    return isinstance(value, int) and not isinstance(value, bool)


_TEXT: Final = AttributeKind("a text", lambda value: isinstance(value, str))
_YES_OR_NO: Final = AttributeKind("True or False", lambda value: isinstance(value, bool))

OF_ALL: Final[Mapping[str, AttributeKind]] = MappingProxyType(
    {
        **dict.fromkeys(("id", "title", "credit", "rules", "expected"), _TEXT),
        "board": AttributeKind(
            "a board, such as squares(6)", lambda value: isinstance(value, Board)
        ),
        "colours": AttributeKind("two different words, such as ('white', 'black')", _are_colours),
        "parameters": AttributeKind(
            "a tuple of Parameter, such as (Parameter(…),)", lambda value: _each(Parameter, value)
        ),
        "pieces": AttributeKind("a tuple of Piece, each with a letter as its code", _are_pieces),
        "side_owners": AttributeKind(
            "a player, 0 or 1, for each side of the board, such as (0, 1, 0, 1)",
            lambda value: _each(int, value) and {*value} <= {0, 1},
        ),
    }
)
"""The attributes of every short game."""

OF_LINES: Final[Mapping[str, AttributeKind]] = MappingProxyType({**OF_ALL, "has_swap": _YES_OR_NO})
"""The attributes of a game of lines."""

OF_SIMPLE: Final[Mapping[str, AttributeKind]] = MappingProxyType(
    {
        **OF_ALL,
        **dict.fromkeys(("rows", "form", "stuck_words"), _TEXT),
        "escapes": _YES_OR_NO,
        "facts": AttributeKind("names with numbers, or with texts without spaces", _are_facts),
        "move_count": AttributeKind("a number", lambda value: isinstance(value, int)),
        "stuck": _one_of("drawn", "lost", "won"),
        "symmetric": _one_of(*get_args(Symmetric)),
        "words": AttributeKind(
            "a tuple of texts, such as ('pass',)", lambda value: _each(str, value) and all(value)
        ),
    }
)
"""The attributes of a `SimpleGame`."""

REQUIRED: Final = ("legal", "after", "ending")
"""The methods that a `SimpleGame` must have."""

_NEAR: Final = 0.82
_SHORTEST: Final = 5
"""How alike two names are if one is a slip for the other, and the least length of such a name."""


NOT_OF_LINES: Final = frozenset(
    {
        *("after", "ending", "facts", "legal", "rows", "stuck", "stuck_words"),
        *("swap", "symmetric", "words"),
    }
)
"""Members of a `SimpleGame`, and a wrong name of `has_swap`."""


class Authored:
    """A game that refuses wrong attributes when it is made, instead of playing by other rules."""

    kinds: ClassVar[Mapping[str, AttributeKind]] = OF_ALL
    foreign: ClassVar[frozenset[str]] = frozenset()
    """Members of other games, which have no effect here."""

    def __init_subclass__(cls) -> None:
        """Raise GameError for a member that has no effect."""
        strange = sorted(vars(cls).keys() & cls.foreign)
        if strange:
            expected = "win, lose and has_swap; other rules need a SimpleGame"
            raise GameError(f"{cls.__name__}.{strange[0]} has no effect in a LineGame", expected)

    def __new__(cls, *_: Any, **__: Any) -> Self:
        """Return a new game. Raises GameError for a wrong value, name or missing method."""
        for name in REQUIRED:
            if getattr(getattr(cls, name, None), "__isabstractmethod__", False):
                raise GameError(f"{cls.__name__} lacks {name}()", f"def {name}(self, state…)")
        for owner in cls.__mro__[: cls.__mro__.index(Authored)]:
            for name, value in vars(owner).items():
                if not hasattr(type(value), "__get__"):  # no method or property
                    cls._require(name, value)
                    cls._require_known(name)
        return super().__new__(cls)

    if not TYPE_CHECKING:  # a type checker would allow any attribute

        def __setattr__(self, name: str, value: Any) -> None:
            """Set an attribute. Raises GameError for a wrong value."""
            self._require(name, value)
            super().__setattr__(name, value)

    @classmethod
    def _require(cls, name: str, value: Any) -> None:
        kind = cls.kinds.get(name)
        if kind is None or kind.has(value):
            return
        near = _nearest(str(value), kind.words, 0.6)
        meant = f"; did you mean {near!r}?" if near else ""
        raise GameError(f"{cls.__name__}.{name} is {shown(value)}", f"{kind.expected}{meant}")

    @classmethod
    def _require_known(cls, name: str) -> None:
        """Raise GameError for a name that is a slip for an attribute that the class lacks."""
        library = next(one for one in cls.__mro__ if "kinds" in vars(one))
        if len(name) < _SHORTEST or name[0] == "_" or name in {*dir(library), *cls.kinds}:
            return
        others = cls.__mro__[: cls.__mro__.index(library)]
        lacking = [key for key in cls.kinds if not any(key in vars(one) for one in others)]
        if near := _nearest(name.lower(), lacking, _NEAR):
            raise GameError(f"{cls.__name__} has the unknown attribute {name}", near)


def _nearest(name: str, known: Iterable[str], alike: float) -> str:
    """Return the most similar known name; empty if none is as similar as a share in 0..1."""
    from difflib import get_close_matches  # start-up time

    return next(iter(get_close_matches(name, [*known], n=1, cutoff=alike)), "")


def shown(value: object) -> str:
    """Return a value as a message shows it, cut off if it is long."""
    return f"{value!r:.60}"


class NamedPlaces(dict[str, int]):
    """The place of each name, with a message for an unknown one."""

    def __init__(self, names: Iterable[str], what: str) -> None:
        super().__init__({name: place for place, name in enumerate(names)})
        self._what = what

    def __missing__(self, name: str) -> int:
        """Raise GameError, with the known names."""
        raise GameError(f"{name!r} is not {self._what}", f"one of {', '.join(self) or 'none'}")


_MOVES: Final = "texts of moves, such as state.names(state.empty)"


def moves_of(found: Any) -> Iterator[str]:
    """Return an iterator over what `legal` returned. Raises GameError if it cannot be moves."""
    if isinstance(found, str):
        raise GameError(f"legal() returned {shown(found)}", _MOVES)
    try:
        return iter(found)
    except TypeError:
        raise GameError(f"legal() returned {shown(found)}", _MOVES) from None


def refuse_move(move: object) -> None:
    """Raise GameError for a value of `legal` that is not a text."""
    raise GameError(f"legal() gave {shown(move)}", _MOVES)


def refuse_position(made: object) -> None:
    """Raise GameError for a value of `after` that is not a position."""
    raise GameError(f"after() returned {shown(made)}", "a position, such as state.put(move)")


def refuse_ending(found: object) -> None:
    """Raise GameError for a value of `ending` that is not an outcome."""
    expected = "None, state.won(…), state.lost(…) or state.drawn(…)"
    raise GameError(f"ending() returned {shown(found)}", expected)


TERMS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "outcome() says with is_loss=True": "state.lost(…) says",
        "outcome() says with is_loss=False": "state.won(…) says",
        "outcome()": "ending()",
        "legal_moves()": "legal()",
        "why_illegal": "why",
        "canonical() refuses it": "`words` (or is_move, or every_move) does not have it",
    }
)
"""The words of a `SimpleGame` for what messages about the contract name."""

MENDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "canonical": "add moves that name no cell to `words`, or define is_move(text)",
        "drawn": "place pieces in after(), as state.put(move) does",
        "ending": "name the ending in a few words, as in state.won('three in line')",
        "extras": "keep the same names in `facts`, with numbers, or texts without spaces",
        "hash": "keep only numbers, and texts without spaces, in `facts`",
        "image": "choose another word for `symmetric`; players never change places",
        "owner": "exchange state.won and state.lost, or name cells of the player of the last move",
        "raises": "correct what the message names",
        "reason": "return a few words from why(), or an empty text for the usual words",
        "repeatable": "use no random numbers and no attributes that change in legal() and after()",
        "start": "let ending() return None at the start, and legal() at least one move",
        "text_differs": "keep all that the rules need on the board and in `facts`; pieces that "
        "share a cell need their own fields in `form`",
        "text_refused": "keep only numbers, and texts without spaces, in `facts`, and accept in "
        "refuse() what games reach",
        "twice": "list each move once in legal()",
        "undeclared": "declare them by `symmetric`: 'all', 'mirror' or 'half'",
    }
)
"""The remedies in the words of a `SimpleGame`, by the law or the point of a check."""
