"""What an edit changes, and records that are changed by it; `editing` changes their texts by it.

Edits keep a record true, or refuse: moves cut off, words taken out, tags set, players renamed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from lath.games.core import Result, result_of
from lath.notation.record.errors import Fault, RecordValueError
from lath.notation.record.record import (
    ANNOTATION,
    Comment,
    Ply,
    Record,
    Variation,
    comment,
    ply_as_read,
    record_as_read,
    require_record,
    tag_fault,
    tag_faults,
    variation_as_read,
)
from lath.notation.record.tags import GAME_FILE, RULES, Termination, place_of
from lath.notation.rules.replay import check_tag, end_of, faults_of

NAME_TAGS: Final = ("First", "Second", "Annotator")
"""Tags whose values are names of players."""

VARIATION: Final = "VariationOf"
"""The tag of a record that was a variation: of which record, at which ply."""

COMMENTS, ANNOTATIONS, GLYPHS, VARIATIONS = KINDS = (
    *("comments", "annotations"),
    *("glyphs", "variations"),
)
"""What may be stripped besides annotations by their names; `comments` are the words of them."""

KNOWN_ANNOTATIONS: Final = ("emt", "clk", "eval", "depth", "nodes", "pv")

_OF_A_CUT: Final = {
    "Result": Result.UNFINISHED.value,
    "Termination": Termination.UNTERMINATED.value,
}
"""What the tags of a game that was cut say, where they stand."""


class TagChanges:
    """The tags of a record while they are changed; each knows which one it was."""

    def __init__(self, tags: Iterable[tuple[str, str]]) -> None:
        self.now: Final[list[tuple[int | None, str, str]]] = [
            (place, name, value) for place, (name, value) in enumerate(tags)
        ]
        """Place before all changes (None for a new tag), name and value of each."""
        self.retold: Final[dict[str, str]] = {}
        """With what the story of how a player lost begins now, by what it began with."""

    @property
    def tags(self) -> tuple[tuple[str, str], ...]:
        """Return names and values."""
        return tuple((name, value) for _, name, value in self.now)

    def value(self, name: str) -> str | None:
        """Return the value of a tag; None where it is missing."""
        return dict(self.tags).get(name)

    def drop(self, name: str) -> None:
        """Take out a tag, if it is there."""
        self.now[:] = [tag for tag in self.now if tag[1] != name]

    def rename(self, names: Mapping[str, str]) -> None:
        """Give tags other names, all at once; raises RecordValueError for one that comes twice."""
        self.now[:] = [(place, names.get(name, name), value) for place, name, value in self.now]
        for name, count in Counter(name for name, _ in self.tags).items():
            if count > 1:
                message = f"the tag {name} would stand there twice"
                raise RecordValueError(Fault("tag", message, "each tag once", tag=name))

    def set(self, name: str, value: str) -> None:
        """Give a tag its value; one that is missing stands where the arena writes it."""
        names = [name for name, _ in self.tags]
        if name in names:
            at = names.index(name)
            self.now[at] = self.now[at][0], name, value
        else:
            self.now.insert(place_of(name, names), (None, name, value))


@dataclass(frozen=True, slots=True, kw_only=True)
class Edits:
    """What is changed, in this order; what does not apply to a record changes nothing there."""

    plies: int | None = None
    """How many plies are kept; a game that is cut is not finished."""

    strip: frozenset[str] = frozenset()
    """Some of KINDS, and names of annotations with a `%` before them."""

    split: bool = False
    """Whether variations become records of their own."""

    drop: frozenset[str] = frozenset()
    """Names of tags."""

    rename: Mapping[str, str] = field(default_factory=dict)
    """Names of tags, the new by the old."""

    set: Mapping[str, str] = field(default_factory=dict)
    """Values of tags by their names; those that are missing are added."""

    players: Mapping[str, str] = field(default_factory=dict)
    """Names of players, the new by the old: in NAME_TAGS, and where it is told how one lost."""

    def cuts(self, record: Record) -> bool:
        """Return whether a record has more plies than are kept."""
        return self.plies is not None and len(record.plies) > self.plies

    def of_tags(self, tags: Iterable[tuple[str, str]], *, is_cut: bool) -> TagChanges:
        """Return what becomes of the tags of a record; raises RecordValueError."""
        changes = TagChanges(tags)
        for name, value in _OF_A_CUT.items():
            if is_cut and changes.value(name) is not None:
                changes.set(name, value)
        for name in self.drop:
            changes.drop(name)
        changes.rename(self.rename)
        for name, value in self.set.items():
            changes.set(name, value)
        for name, seat in zip(NAME_TAGS, ("first", "second", ""), strict=True):
            known = changes.value(name) or ""
            if new := self.players.get(known, ""):
                changes.set(name, new)
                changes.retold.update({f"{known} ({seat}):": f"{new} ({seat}):"} if seat else {})
        return changes

    def applied(self, record: Record, number: int = 0) -> list[Record]:
        """Return a record with the edits; behind it its variations, if they are split off.

        It is the `number`-th of its file. Raises RecordValueError.
        """
        is_cut = self.cuts(record)
        if is_cut:
            comments = record.comments
            if record.story:
                comments = (*_left_of(comments[:1], frozenset({COMMENTS})), *comments[1:])
            plies = record.plies[: self.plies]
            record = record_as_read(record.tags, plies, Result.UNFINISHED, comments)
        if self.strip:
            record = _stripped(record, self.strip)
        others = []
        if self.split:
            others = list(split_variations(record, f"record {number}"))
            record = _stripped(record, frozenset({VARIATIONS}))
        return [self.retagged(record, is_cut=is_cut), *map(self.retagged, others)]

    def retagged(self, record: Record, *, is_cut: bool = False) -> Record:
        """Return a record with what becomes of its tags; raises RecordValueError."""
        changes, comments = self.of_tags(record.tags, is_cut=is_cut), record.comments
        if changes.tags == record.tags:
            return record
        if changes.retold and comments:
            said = retold(" ".join(map(str, comments[0])), changes.retold)
            comments = (comment(said), *comments[1:])
        result = Result(self.set.get("Result", record.result))
        return record_as_read(changes.tags, record.plies, result, comments)


def truncate(record: Record, plies: int) -> Record:
    """Return the record without what comes after so many plies; 0 leaves the start alone.

    Where something is cut off, the game is not finished: the result is `*`, the tags `Result` and
    `Termination` say so where they stand, and the story of how a player ended it goes. Everything
    else stays: who played, from which setup, the times and comments of what is left. Raises
    ValueError for a negative number.

    >>> from lath import notation
    >>> record = notation.parse('[Game "yavalath"] [Result "1-0"] 1. a1 2. e1 3. b1 1-0')
    >>> print(notation.format_record(truncate(record, 2)), end="")
    [Game "yavalath"]
    [Result "*"]
    <BLANKLINE>
    1. a1 2. e1 *
    """
    require_record(record)
    if plies < 0:
        raise ValueError(f"cannot keep {plies} plies, expected 0 or more")
    return Edits(plies=plies).applied(record)[0]


def strip(
    record: Record,
    *,
    comments: bool = False,
    annotations: bool | Collection[str] = False,
    glyphs: bool = False,
    variations: bool = False,
) -> Record:
    """Return the record without what is said about its moves.

    `comments` takes the words out and leaves the annotations; `annotations` takes out all of
    those, or the ones of the names given; `glyphs` the signs such as `!`; `variations` the moves
    that were not played, with what is said about them. A comment of which nothing is left goes.

    >>> from lath import notation
    >>> record = notation.parse('[Game "yavalath"] 1. e5! {book [%emt 1] [%eval 0]} (1. a1) *')
    >>> for change in {"comments": True}, {"annotations": ["emt"]}, {"variations": True}:
    ...     print(notation.format_record(strip(record, **change)).splitlines()[-1])
    1. e5! {[%emt 1.000] [%eval 0]} (1. a1) *
    1. e5! {book [%eval 0]} (1. a1) *
    1. e5! {book [%emt 1.000] [%eval 0]} *
    """
    require_record(record)
    if isinstance(annotations, str):
        raise TypeError(f"annotations is {annotations!r}, expected names such as [{annotations!r}]")
    names = () if isinstance(annotations, bool) else annotations
    asked = zip(KINDS, (comments, annotations is True, glyphs, variations), strict=True)
    kinds = {kind for kind, is_asked in asked if is_asked}
    return _stripped(record, frozenset({*kinds, *(f"%{name}" for name in names)}))


def _stripped(record: Record, kinds: frozenset[str]) -> Record:
    def of_line(plies: Iterable[Ply]) -> tuple[Ply, ...]:
        return tuple(
            ply_as_read(
                ply.move,
                "" if GLYPHS in kinds else ply.glyph,
                _left_of(ply.comments, kinds),
                () if VARIATIONS in kinds else tuple(map(of_variation, ply.variations)),
            )
            for ply in plies
        )

    def of_variation(variation: Variation) -> Variation:
        return variation_as_read(of_line(variation.plies), _left_of(variation.comments, kinds))

    comments = _left_of(record.comments, kinds)
    return record_as_read(record.tags, of_line(record.plies), record.result, comments)


def _left_of(comments: Iterable[Comment], kinds: frozenset[str]) -> tuple[Comment, ...]:
    """Return what is left of comments, without those of which nothing is."""
    texts = (left_of(" ".join(map(str, parts)), kinds) for parts in comments)
    return tuple(filter(None, map(comment, texts)))


def left_of(said: str, kinds: frozenset[str]) -> str:
    """Return the text of a comment without the words and annotations that are stripped."""
    while gone := list(_unwanted(said, kinds)):  # what then stands together may be an annotation
        for start, end in reversed(gone):
            before, after = said[:start].rstrip(), said[end:].lstrip()
            said = f"{before} {after}" if before and after else before or after
    return said


def _unwanted(said: str, kinds: frozenset[str]) -> Iterator[tuple[int, int]]:
    """Yield where words and annotations stand that are stripped, without blanks round them."""
    end = 0
    for match in (*ANNOTATION.finditer(said), None):
        words = said[end : match.start() if match else None]
        if COMMENTS in kinds and words.strip():
            begin = end + len(words) - len(words.lstrip())
            yield begin, begin + len(words.strip())
        if match and (ANNOTATIONS in kinds or f"%{match[1]}" in kinds):
            yield match.span()
        end = match.end() if match else 0


def retold(said: str, beginnings: Mapping[str, str]) -> str:
    """Return the text of a comment that tells how a player lost with the player's new name."""
    for old, new in beginnings.items():
        if match := re.match(r"\s*+(" + r"\s+".join(map(re.escape, old.split())) + ")", said):
            return said[: match.start(1)] + new + said[match.end() :]
    return said


def split_variations(record: Record, origin: str) -> Iterator[Record]:
    """Yield each variation as a record of its own, those in variations behind the one they are in.

    It has the moves of the game up to it, the tags but `Number`, and `Variation`, which says from
    where it is: of `origin`, at which ply, and where there are several there, which of them. Nobody
    has played it: its Termination is `void`, so that it counts for nobody, and its result is that
    of the rules.
    """
    kept = [tag for tag in record.tags if tag[0] not in _OF_THE_GAME]
    for where, at, before, plies in _lines(record.plies, 0, origin):
        line = [
            *(Ply(ply.move) for ply in plies[:at]),
            *(replace(p, variations=()) for p in plies[at:]),
        ]
        if at:
            line[at - 1] = replace(line[at - 1], comments=before)
        alone = Record(tuple(kept), tuple(line), comments=() if at else before)
        end = end_of(alone)
        result = alone.result if end is None else result_of(end)
        last = (
            (VARIATION, where),
            ("Termination", Termination.VOID.value),
            ("Result", result.value),
        )
        yield replace(alone, tags=(*kept, *last), result=result)


_OF_THE_GAME: Final = ("Number", "Termination", "Result", VARIATION)
"""Tags that a variation does not have from its game."""


def _lines(
    plies: Sequence[Ply], begin: int, origin: str
) -> Iterator[tuple[str, int, tuple[Comment, ...], tuple[Ply, ...]]]:
    """Yield the variations of a line from a ply on, and those in them.

    Each with where it is from, where it begins, what is said before it, and all of its plies.
    """
    for at in range(begin, len(plies)):
        variations = plies[at].variations
        for nth, variation in enumerate(variations, 1):
            where = f"{origin}, ply {at + 1}" + (f" ({nth})" if len(variations) > 1 else "")
            line = (*plies[:at], *variation.plies)
            yield where, at, variation.comments, line
            yield from _lines(line, at, where)


def retag(
    record: Record,
    values: Mapping[str, str | None] | None = None,
    *,
    rename: Mapping[str, str] | None = None,
) -> Record:
    """Return the record with other tags: some set, some dropped (None), some called otherwise.

    Tags are renamed first, all at once; what is not there is passed over. A tag keeps its place; a
    new one that is known stands where the arena writes it, any other comes last.

    Nothing untrue comes of it. Raises RecordValueError for a name or a value that has no text, for
    a name that would come twice, for a value that its tag cannot have (a `Date` that is none), and
    for a change of `Result`, `Termination`, `Game`, `Setup`, `Position` or of what names the rules
    after which the moves, the rules and the tags would no longer agree, where they did.

    >>> from lath import notation
    >>> record = notation.parse('[Game "yavalath"] [White "ann"] 1. e5 *')
    >>> retag(record, {"Date": "2026-11-20", "Site": None}, rename={"White": "First"}).tags
    (('Game', 'yavalath'), ('Date', '2026-11-20'), ('First', 'ann'))
    >>> retag(record, {"Result": "1-0"})
    Traceback (most recent call last):
    lath.notation.record.errors.RecordValueError: the tag says 1-0, but the moves end in *; \
expected the same result twice
    """
    require_record(record)
    changes = TagChanges(record.tags)
    changes.rename(rename or {})
    for name, new in (values or {}).items():
        if new is None:
            changes.drop(name)
        else:
            changes.set(name, new)
    changed = record_as_read(changes.tags, record.plies, record.result, record.comments)
    _refuse_untrue(record, changed)
    return changed


_DECIDING: Final = frozenset(
    {"Game", RULES, GAME_FILE, "Setup", "Position", "Result", "Termination"}
)
"""The tags that can make moves and results wrong."""


def _refuse_untrue(record: Record, changed: Record) -> None:
    """Refuse tags that have no text, or with which a record is wrong where it was not before."""
    different = set(record.tags) ^ set(changed.tags)
    for name, value in changed.tags:
        if (name, value) in different and (fault := tag_fault(name, value)):
            raise RecordValueError(fault)
    if not (faults := [*tag_faults(changed)]):
        faults += filter(None, (check_tag(*tag) for tag in changed.tags if tag in different))
    if not faults and _DECIDING.intersection(name for name, _ in different):
        faults += (Counter(faults_of(changed)) - Counter(faults_of(record))).elements()
    if faults:
        raise RecordValueError(faults[0])
