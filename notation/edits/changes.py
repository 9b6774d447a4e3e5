"""The edits of records as values; `editing` applies the same edits to their texts.

An edit must keep a record true, or it is refused. There are edits that truncate games, strip
comments, set tags and rename players.
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
"""The tag of a record made from a variation: its source record and ply."""

COMMENTS, ANNOTATIONS, GLYPHS, VARIATIONS = KINDS = (
    *("comments", "annotations"),
    *("glyphs", "variations"),
)
"""The kinds of parts that can be stripped, besides annotations by name; `comments` means their
words."""

KNOWN_ANNOTATIONS: Final = ("emt", "clk", "eval", "depth", "nodes", "pv")

_OF_A_CUT: Final = {
    "Result": Result.UNFINISHED.value,
    "Termination": Termination.UNTERMINATED.value,
}
"""The values of these tags in a truncated game, if it has them."""


class TagChanges:
    """The tags of a record during changes, with their original places."""

    def __init__(self, tags: Iterable[tuple[str, str]]) -> None:
        self.now: Final[list[tuple[int | None, str, str]]] = [
            (place, name, value) for place, (name, value) in enumerate(tags)
        ]
        """The original place (None for a new tag), the name and the value of each tag."""
        self.retold: Final[dict[str, str]] = {}
        """The new start of the comment on how a player lost, by its old start."""

    @property
    def tags(self) -> tuple[tuple[str, str], ...]:
        """Return names and values."""
        return tuple((name, value) for _, name, value in self.now)

    def value(self, name: str) -> str | None:
        """Return the value of a tag; None if it is missing."""
        return dict(self.tags).get(name)

    def drop(self, name: str) -> None:
        """Remove a tag if it exists."""
        self.now[:] = [tag for tag in self.now if tag[1] != name]

    def rename(self, names: Mapping[str, str]) -> None:
        """Rename tags, all at once. Raises RecordValueError if a name would appear twice."""
        self.now[:] = [(place, names.get(name, name), value) for place, name, value in self.now]
        for name, count in Counter(name for name, _ in self.tags).items():
            if count > 1:
                message = f"the tag {name} would appear twice"
                raise RecordValueError(Fault("tag", message, "each tag once", tag=name))

    def set(self, name: str, value: str) -> None:
        """Set the value of a tag; a missing tag is inserted where the arena writes it."""
        names = [name for name, _ in self.tags]
        if name in names:
            at = names.index(name)
            self.now[at] = self.now[at][0], name, value
        else:
            self.now.insert(place_of(name, names), (None, name, value))


@dataclass(frozen=True, slots=True, kw_only=True)
class Edits:
    """Edits in the order in which they are applied; an edit that does not apply changes nothing."""

    plies: int | None = None
    """The number of plies to keep; a truncated game is unfinished."""

    strip: frozenset[str] = frozenset()
    """Some of KINDS, and names of annotations with a `%` before them."""

    split: bool = False
    """True if variations become separate records."""

    drop: frozenset[str] = frozenset()
    """Names of tags to remove."""

    rename: Mapping[str, str] = field(default_factory=dict)
    """New names of tags by their old names."""

    set: Mapping[str, str] = field(default_factory=dict)
    """Values of tags by name; missing tags are added."""

    players: Mapping[str, str] = field(default_factory=dict)
    """New names of players by their old names, in NAME_TAGS and in the comment on how one lost."""

    def cuts(self, record: Record) -> bool:
        """Return whether a record has more plies than are kept."""
        return self.plies is not None and len(record.plies) > self.plies

    def of_tags(self, tags: Iterable[tuple[str, str]], *, is_cut: bool) -> TagChanges:
        """Return the changed tags of a record. Raises RecordValueError for an invalid change."""
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
        """Return a record with the edits applied, followed by its variations if they are split off.

        `number` is its number in the file. Raises RecordValueError for an invalid change.
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
        """Return a record with changed tags. Raises RecordValueError for an invalid change."""
        changes, comments = self.of_tags(record.tags, is_cut=is_cut), record.comments
        if changes.tags == record.tags:
            return record
        if changes.retold and comments:
            said = retold(" ".join(map(str, comments[0])), changes.retold)
            comments = (comment(said), *comments[1:])
        result = Result(self.set.get("Result", record.result))
        return record_as_read(changes.tags, record.plies, result, comments)


def truncate(record: Record, plies: int) -> Record:
    """Return the record with at most `plies` plies; 0 keeps only the start.

    A truncated game is unfinished: its result is `*`, the tags `Result` and `Termination` are
    updated if they exist, and the comment on how a player ended it is removed. Everything else
    stays: players, setup, times and comments. Raises ValueError for a negative number.

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
    """Return the record without some kinds of comments on its moves.

    `comments` removes the words and keeps the annotations. `annotations` removes all annotations,
    or those with the given names. `glyphs` removes glyphs such as `!`. `variations` removes
    variations with their comments. An empty comment is removed.

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
    """Return the stripped comments that are not empty."""
    texts = (left_of(" ".join(map(str, parts)), kinds) for parts in comments)
    return tuple(filter(None, map(comment, texts)))


def left_of(said: str, kinds: frozenset[str]) -> str:
    """Return the text of a comment without the stripped words and annotations."""
    while gone := list(
        _unwanted(said, kinds)
    ):  # after removal, neighbouring parts may form an annotation
        for start, end in reversed(gone):
            before, after = said[:start].rstrip(), said[end:].lstrip()
            said = f"{before} {after}" if before and after else before or after
    return said


def _unwanted(said: str, kinds: frozenset[str]) -> Iterator[tuple[int, int]]:
    """Yield the start and end of stripped words and annotations, without the spaces around them."""
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
    """Return the comment on how a player lost, with the player's new name."""
    for old, new in beginnings.items():
        if match := re.match(r"\s*+(" + r"\s+".join(map(re.escape, old.split())) + ")", said):
            return said[: match.start(1)] + new + said[match.end() :]
    return said


def split_variations(record: Record, origin: str) -> Iterator[Record]:
    """Yield each variation as a separate record; nested ones come after the one that contains them.

    A record has the moves of the game up to the variation, the tags except `Number`, and the tag
    `VariationOf`. That tag names `origin`, the ply and, if there are several, the number of the
    variation there. The Termination is `void`, so that the record counts for no player, and the
    result is that of the rules.
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
"""Tags of a game that its variations do not inherit."""


def _lines(
    plies: Sequence[Ply], begin: int, origin: str
) -> Iterator[tuple[str, int, tuple[Comment, ...], tuple[Ply, ...]]]:
    """Yield the variations of a line from a ply on, and those nested in them.

    Each comes with its source, its first ply, the comments before it, and all its plies.
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
    """Return the record with changed tags: set, removed (None) or renamed.

    Tags are renamed first, all at once; unknown names are ignored. A tag keeps its place. A new
    known tag is inserted where the arena writes it; any other new tag is the last one.

    The result is never made untrue. Raises RecordValueError for a name or value that cannot be
    written, for a name that would appear twice, and for a value that is invalid for its tag. The
    error is also raised for changes of `Result`, `Termination`, `Game`, `Setup`, `Position` or the
    rules after which moves, rules and tags no longer agree.

    >>> from lath import notation
    >>> record = notation.parse('[Game "yavalath"] [White "ann"] 1. e5 *')
    >>> retag(record, {"Date": "2026-11-20", "Site": None}, rename={"White": "First"}).tags
    (('Game', 'yavalath'), ('Date', '2026-11-20'), ('First', 'ann'))
    >>> retag(record, {"Result": "1-0"})
    Traceback (most recent call last):
    lath.notation.record.errors.RecordValueError: the Result tag is 1-0, but the moves end with *; \
expected equal results
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
"""The tags that can contradict moves and results."""


def _refuse_untrue(record: Record, changed: Record) -> None:
    """Raise RecordValueError for tags that cannot be written, or that add a fault to the record."""
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
