"""Values of records: what has no text is refused where it is made, and told by `check`."""

from __future__ import annotations

import io
import pickle
from copy import copy
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

import pytest
from exploring import FEW
from hypothesis import given, settings
from hypothesis import strategies as st
from record_strategies import RECORDS
from sample_records import random_game
from wrong_values import CASES, nested, refusal_of

from lath.notation import (
    Annotation,
    Builder,
    Ply,
    Record,
    Termination,
    Variation,
    annotation,
    canonical,
    check,
    format_record,
    format_records,
    positions,
    retag,
    start_of,
    strip,
    truncate,
)
from lath.notation.errors import RecordValueError
from lath.notation.reader import entries_of
from lath.notation.record import MAX_NESTING

if TYPE_CHECKING:
    from collections.abc import Callable

    from golden import Golden

SOUND = Record((("Game", "yavalath"),), (Ply("e5"), Ply("d4")))


def forced(value: Any, /, **odd: Any) -> Any:
    """Return a copy of a value in which fields are what no constructor takes."""
    changed = copy(value)
    for name, part in odd.items():
        object.__setattr__(changed, name, part)
    return changed


def record_around(value: Any) -> Record:
    """Return a record in which a value stands, whatever it is."""
    if type(value) is Annotation:
        value = forced(Ply("e5"), comments=((value,),))
    if type(value) is Variation:
        value = forced(Ply("e5"), variations=(value,))
    if type(value) is Ply:
        value = forced(SOUND, plies=(value,))
    assert type(value) is Record
    return value


def is_read_back(record: Record) -> bool:
    """Return whether a file of the record holds the same, and nothing else."""
    try:
        content = format_record(record).encode()
    except (AttributeError, TypeError, ValueError):
        return False
    entries = list(entries_of(io.BytesIO(content), "one.lath", rules=False))
    return [(entry.record, entry.problems) for entry in entries] == [(record, ())]


def test_what_has_no_text_is_refused_and_told_of_where_it_got_round(golden: Golden) -> None:
    golden({str(wrong): str(refusal_of(wrong)) for wrong in CASES})
    for wrong in CASES:
        value = object.__new__(wrong.kind)
        for field in fields(value):
            object.__setattr__(value, field.name, wrong.filled.get(field.name, field.default))
        record = record_around(value)
        fault = check(record)[0]
        assert fault.message == refusal_of(wrong).fault.message
        assert fault.ply == (None if value is record else 1), wrong
        assert not is_read_back(record), wrong


ODD: st.SearchStrategy[Any] = st.one_of(
    st.sampled_from(
        (
            *("won", "*", "$1", "!?", "", " ", "a b", "a  b", "a\nb", "a\rb", "a\u2028b", "\ud800"),
            *("e5", "Game", "emt", "[%emt 1]", "[%emt 1.000]", "}", "[Game", ";", '"\\', "\x1f"),
            *(Termination.RULES, "0.5", "0.500", 5, None, True, b"e5", (), [], ((),), ("a",)),
            *((("a",),), (("a", "b"),), (("a b",), ("c",)), ["a"], (Ply("e5"),), [Ply("e5")]),
            *((Variation((Ply("e5"),)),), Annotation("pv", ""), ((Annotation("pv", ""),),)),
            *((("Game", "g"),), (("Site", "g"),), (("Game", "g", ""),), (("Game", "g"),) * 2),
        )
    ),
    st.text(max_size=3),
)
"""Values that would be right in another place, or nearly."""

PLACES: list[Callable[[Record, Any], tuple[Any, str, Any]]] = [
    lambda record, odd: (record, "tags", odd),
    lambda record, odd: (record, "tags", (*record.tags, (odd, "value"))),
    lambda record, odd: (record, "tags", (*record.tags, ("Odd", odd))),
    lambda record, odd: (record, "result", odd),
    lambda record, odd: (record, "comments", odd),
    lambda record, odd: (record, "comments", (odd,)),
    lambda record, odd: (record, "comments", ((odd,),)),
    lambda record, odd: (record, "plies", odd),
    lambda record, odd: (record, "plies", (*record.plies, odd)),
    lambda _, odd: (Ply("e5"), "move", odd),
    lambda _, odd: (Ply("e5", "!"), "glyph", odd),
    lambda _, odd: (Ply("e5"), "comments", odd),
    lambda _, odd: (Ply("e5"), "comments", (("book",), (odd, Annotation("pv", "e5"), odd))),
    lambda _, odd: (Ply("e5"), "variations", odd),
    lambda _, odd: (Variation((Ply("e5"),)), "plies", odd),
    lambda _, odd: (Variation((Ply("e5"),)), "comments", odd),
    lambda _, odd: (Annotation("pv", "e5"), "name", odd),
    lambda _, odd: (Annotation("pv", "e5"), "value", odd),
    lambda _, odd: (Annotation("clk", "1.000"), "value", odd),
]
"""A value, one of its fields, and what that shall be."""


@settings(max_examples=20 * FEW)
@given(RECORDS, st.sampled_from(PLACES), ODD)
def test_a_constructor_refuses_exactly_what_is_not_read_back(
    record: Record, place: Callable[[Record, Any], tuple[Any, str, Any]], odd: Any
) -> None:
    value, field, part = place(record, odd)
    wrong = record_around(forced(value, **{field: part}))
    if is_read_back(wrong):
        assert record_around(replace(value, **{field: part})) == wrong
        return
    with pytest.raises(RecordValueError) as refusal:
        replace(value, **{field: part})
    assert check(wrong)[0].message == refusal.value.fault.message


def test_variations_are_refused_beyond_the_depth_that_is_read() -> None:
    deepest = Record(SOUND.tags, (nested(MAX_NESTING),))
    assert is_read_back(deepest)
    assert check(deepest) == []
    line = forced(Variation((Ply("e5"),)), plies=(nested(MAX_NESTING),))
    plies = (Ply("e5", variations=(line,)),)
    for make in (lambda: Variation((nested(MAX_NESTING),)), lambda: Record(SOUND.tags, plies)):
        with pytest.raises(RecordValueError) as refusal:
            make()
        assert check(forced(SOUND, plies=plies))[0].message == refusal.value.fault.message


class Loud(str):
    """Text that is written as another."""

    __slots__ = ()

    def __format__(self, _: str) -> str:
        return self.upper()


def test_what_else_has_no_text_is_told_in_words(golden: Golden) -> None:
    builder: Any = Builder("yavalath")
    doors: tuple[Callable[[Any], object], ...] = (
        *(check, format_record, canonical, strip, retag, start_of),
        *(lambda value: truncate(value, 1), lambda value: list(positions(value))),
        lambda value: "".join(format_records([value])),
    )
    said = set()
    for door in doors:
        for value in (builder, "games.lath"):
            with pytest.raises(TypeError) as refused:
                door(value)
            said.add(str(refused.value))
    for name, value in (("", "1"), ("é", "1"), ("emt", 1), ("emt", "\ud800")):
        with pytest.raises(RecordValueError) as refusal:
            annotation(name, value)  # type: ignore[arg-type]
        said.add(str(refusal.value))
    loud = replace(SOUND, tags=(*SOUND.tags, (Loud("Site"), "here")))
    said |= {fault.message for fault in check(loud)}
    golden("\n".join(sorted(said)))


def test_values_go_through_pickles_and_copies() -> None:
    record = random_game("mammalath", 1, annotated=True)
    assert pickle.loads(pickle.dumps(record)) == copy(record) == record
