"""Values of records that have no text, and what is said of each."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from lath.notation.record import Annotation, Ply, Record, Variation

GAME: Final = ("Game", "yavalath")


def nested(depth: int) -> Ply:
    """Return a ply with variations inside each other."""
    ply = Ply("e5")
    for _ in range(depth):
        ply = Ply("e5", variations=(Variation((ply,)),))
    return ply


class Wrong(NamedTuple):
    """A value that must not be."""

    kind: type[Any]
    fields: dict[str, Any]
    told: str


def _record(told: str, **fields: Any) -> Wrong:
    return Wrong(Record, {"tags": (GAME,), **fields}, told)


def _ply(told: str, **fields: Any) -> Wrong:
    return Wrong(Ply, {"move": "e5", **fields}, told)


def _note(told: str, **fields: Any) -> Wrong:
    return Wrong(Annotation, {"name": "emt", "value": "0.500", **fields}, told)


_SIGNS: Final = "a letter, then letters, digits and + - = : @ / only"

CASES: Final = (
    _record("tags is None; expected a tuple of names and values", tags=None),
    _record("the tag Game is missing; expected a tag such as", tags=()),
    _record("tags is [('Game', 'g')]; expected a tuple of names and values", tags=[("Game", "g")]),
    _record("the tag Game is missing; expected a tag such as", tags=(("Site", ""),)),
    _record("the tag is called game; did you mean 'Game'?", tags=(("game", "g"),)),
    _record("the tag Site stands before Game; expected Game first", tags=(("Site", ""), GAME)),
    _record("the tag Game stands there twice; expected each tag once", tags=(GAME, GAME)),
    _record("'a b' is no name of a tag; expected a letter, then letters", tags=(GAME, ("a b", ""))),
    _record("5 is no name of a tag; expected a letter, then letters", tags=(GAME, (5, ""))),
    _record("the value of Site is None; expected text", tags=(GAME, ("Site", None))),
    _record("the value of Site has a line break; expected one line", tags=(GAME, ("Site", "a\nb"))),
    _record(
        "the value of Site has half a character (a lone surrogate)", tags=(GAME, ("Site", "\ud800"))
    ),
    _record("'won' is no result; expected 1-0, 0-1, 1/2-1/2 or *", result="won"),
    _record("None is no result; expected 1-0, 0-1, 1/2-1/2 or *", result=None),
    _record("plies is ['e5']; expected a tuple of plies", plies=["e5"]),
    _record("plies has 'e5'; expected plies", plies=("e5",)),
    _record("comments is 'so'; expected a tuple of comments", comments="so"),
    _record("comments has 'so'; expected comments, such as `comment` makes", comments=("so",)),
    _ply(f"the move is ''; expected {_SIGNS}", move=""),
    _ply(f"the move is 'e5 d4'; expected {_SIGNS}", move="e5 d4"),
    _ply(f"the move is '1-0'; expected {_SIGNS}", move="1-0"),
    _ply(f"the move is b'e5'; expected {_SIGNS}", move=b"e5"),
    _ply("'$1' is no glyph; expected !, ?, !!, ??, !? or ?!, or nothing", glyph="$1"),
    _ply("None is no glyph; expected !, ?, !!, ??, !? or ?!, or nothing", glyph=None),
    _ply("comments is ['so']; expected a tuple of comments", comments=["so"]),
    _ply("a comment is empty; expected a text or an annotation in it", comments=((),)),
    _ply("a comment is ('a', 'b'); expected ('a b',), as it is read", comments=(("a", "b"),)),
    _ply("a comment is (' a\\n',); expected ('a',), as it is read", comments=((" a\n",),)),
    _ply("a comment is ('[%clk 5]',); expected (Annotation(", comments=(("[%clk 5]",),)),
    _ply("a part of a comment is 5; expected text", comments=((5,),)),
    _ply("a part of a comment has half a character (a lone surrogate)", comments=(("\udc00",),)),
    _ply(
        "variations has Ply(move='e5', glyph='', comments=(), variations=()); expected",
        variations=(Ply("e5"),),
    ),
    Wrong(Variation, {"plies": ()}, "the variation is empty; expected a move"),
    Wrong(Variation, {"plies": (Ply("e5"),), "comments": None}, "comments is None; expected"),
    _note("'no name' is no name of an annotation; expected a letter", name="no name"),
    _note("the value of %emt is '0.5'; expected '0.500', as `annotation` makes it", value="0.5"),
    _note(
        "the value of %pv is 'a]'; expected 'a', as `annotation` makes it", name="pv", value="a]"
    ),
    _note("the value of %emt is 0.5; expected text", value=0.5),
    _note("the value of %pv has half a character (a lone surrogate)", name="pv", value="\ud9ff"),
)
