"""Records for laws of the notation: everything that the grammar can express.

Must not know the rules of any game: moves are words, and most would be illegal.
"""

from __future__ import annotations

import string

from exploring import FEW, MOST, drawn
from hypothesis import strategies as st

from lath.games.core import Result, escaped
from lath.notation.record.record import (
    GLYPHS,
    Annotation,
    Comment,
    Ply,
    Record,
    Variation,
    annotation,
    comment,
)
from lath.notation.record.tags import KNOWN_TAGS


def _word(signs: str, max_size: int) -> st.SearchStrategy[str]:
    """Return a letter followed by up to `max_size` letters, digits and `signs`."""
    others = st.text(string.ascii_letters + string.digits + signs, max_size=max_size)
    return st.tuples(st.sampled_from(string.ascii_letters), others).map("".join)


TAG_NAMES = st.one_of(st.sampled_from(KNOWN_TAGS[1:]), _word("_", 8)).filter(
    lambda name: name != "Game"
)

TAG_VALUES = st.one_of(
    st.text(st.characters(exclude_characters="\n\r", exclude_categories=["Cs"]), max_size=30),
    st.text('\\"[]{}; ab', max_size=12),
    st.text(string.ascii_letters, min_size=101, max_size=130),
)

MOVES = st.one_of(
    st.sampled_from(["e5", "swap", "c3", "xF", "xb2-b4", "Oe5", "Mc3", "resign"]),
    _word("+=:@/-", 12),
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8).map(escaped),
    st.text("a1,*#% .!(", min_size=1, max_size=6).map(escaped),
)

_WORDS = dict(
    zip(
        string.ascii_letters,
        ("[Game", '[Game "x"]', "[%emt", "[%clk 3]", "]", "}", "{", ";", "(", ")", "1-0", "e5",
         '"', "[", "1.", "*", "word", "x" * 99, "y" * 120),
        strict=False,
    )
)  # fmt: skip
"""The words by letter: drawing a text of letters is much faster than drawing a list of words."""

COMMENT_TEXTS = st.one_of(
    st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), max_size=40),
    st.text(list(_WORDS), max_size=30).map(lambda text: " ".join(map(_WORDS.__getitem__, text))),
)
"""Texts that look like tags, annotations and movetext, and words that fill a line."""

ANNOTATIONS = st.builds(
    annotation,
    st.sampled_from(["emt", "clk", "eval", "depth", "nodes", "pv", "mood"]),
    st.one_of(
        st.floats(0, 1e6).map(str),
        st.integers(0).map(str),
        st.sampled_from(["", "e5 swap d4", "a}b", "[x", "no number"]),
    ),
)


def _comment(parts: list[str | Annotation]) -> Comment:
    return comment(" ".join(map(str, parts)))


COMMENTS = st.lists(st.one_of(COMMENT_TEXTS, ANNOTATIONS), max_size=3).map(_comment).filter(bool)
"""Comments as reading returns them, without empty ones."""

FEW_COMMENTS = st.lists(COMMENTS, max_size=2).map(tuple)


def _plies(variations: st.SearchStrategy[tuple[Variation, ...]]) -> st.SearchStrategy[Ply]:
    return st.builds(
        Ply,
        move=MOVES,
        glyph=st.sampled_from(["", *GLYPHS]),
        comments=FEW_COMMENTS,
        variations=variations,
    )


def _variations(plies: st.SearchStrategy[Ply]) -> st.SearchStrategy[Variation]:
    lines = st.lists(plies, min_size=1, max_size=3).map(tuple)
    return st.builds(Variation, plies=lines, comments=FEW_COMMENTS)


def _nested(depth: int) -> st.SearchStrategy[Ply]:
    """Return plies with variations in variations, up to a depth."""
    plain = _plies(st.just(()))
    if depth == 0:
        return plain
    return plain | _plies(st.lists(_variations(_nested(depth - 1)), max_size=2).map(tuple))


PLIES = _nested(3)

_TAGS = st.lists(
    st.tuples(TAG_NAMES, TAG_VALUES), max_size=6, unique_by=lambda tag: tag[0]
).flatmap(lambda tags: TAG_VALUES.map(lambda game: (("Game", game), *tags)))

ALL_RECORDS = st.builds(
    Record,
    tags=_TAGS,
    plies=st.lists(PLIES, max_size=5).map(tuple),
    result=st.sampled_from(Result),
    comments=FEW_COMMENTS,
)
"""Records as they could be read."""

RECORDS = st.deferred(
    lambda: ALL_RECORDS if MOST > FEW else st.sampled_from(drawn(ALL_RECORDS, 3 * FEW, 1))
)
"""Records for laws: with few examples, those of all laws are drawn once, by the first law."""
