"""Values of records that cannot be written as text."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import pytest

from lath.notation.record.errors import RecordValueError
from lath.notation.record.record import Annotation, Ply, Record, Variation

GAME: Final = ("Game", "yavalath")


def nested(depth: int) -> Ply:
    """Return a ply with nested variations."""
    ply = Ply("e5")
    for _ in range(depth):
        ply = Ply("e5", variations=(Variation((ply,)),))
    return ply


class Wrong(NamedTuple):
    """An invalid value."""

    kind: type[Any]
    fields: dict[str, Any]

    def __str__(self) -> str:
        """Return the call that would make it, with only the invalid part."""
        said = ", ".join(f"{name}={value!r}" for name, value in self.fields.items())
        return f"{self.kind.__name__} {said}"

    @property
    def filled(self) -> dict[str, Any]:
        """All its fields without a default."""
        needed: dict[type[Any], dict[str, Any]] = {
            Record: {"tags": (GAME,)},
            Ply: {"move": "e5"},
            Annotation: {"name": "emt", "value": "0.500"},
        }
        return {**needed.get(self.kind, {}), **self.fields}


def refusal_of(wrong: Wrong) -> RecordValueError:
    """Return the reason why the value is refused."""
    with pytest.raises(RecordValueError) as refusal:
        wrong.kind(**wrong.filled)
    return refusal.value


_WRONG: Final[dict[type[Any], dict[str, tuple[Any, ...]]]] = {
    Record: {
        "tags": (
            *(None, (), [("Game", "g")], (("Site", ""),), (("game", "g"),), (("Site", ""), GAME)),
            *((GAME, GAME), (GAME, ("a b", "")), (GAME, (5, "")), (GAME, ("Site", None))),
            *((GAME, ("Site", "a\nb")), (GAME, ("Site", "\ud800"))),
        ),
        "result": ("won", None),
        "plies": (["e5"], ("e5",)),
        "comments": ("so", ("so",)),
    },
    Ply: {
        "move": ("", "e5 d4", "1-0", b"e5"),
        "glyph": ("$1", None),
        "comments": (
            *(["so"], ((),), (("a", "b"),), ((" a\n",),), (("[%clk 5]",),), ((5,),)),
            (("\udc00",),),
        ),
        "variations": ((Ply("e5"),),),
    },
    Variation: {"plies": ((),)},
    Annotation: {"name": ("no name",), "value": ("0.5", 0.5)},
}

CASES: Final = (
    *(
        Wrong(kind, {name: value})
        for kind, fields in _WRONG.items()
        for name, values in fields.items()
        for value in values
    ),
    Wrong(Variation, {"plies": (Ply("e5"),), "comments": None}),
    Wrong(Annotation, {"name": "pv", "value": "a]"}),
    Wrong(Annotation, {"name": "pv", "value": "\ud9ff"}),
)
