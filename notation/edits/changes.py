"""Changes of a record that keep it true: moves cut off, words taken out, tags set.

Each returns a new record, or refuses.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Final

from lath.games.core import Result
from lath.notation.record.errors import Fault, RecordValueError
from lath.notation.record.record import (
    Annotation,
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
from lath.notation.record.tags import GAME_FILE, KNOWN_TAGS, RULES, Termination, place_of
from lath.notation.rules.replay import check_tag, faults_of


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
    if plies >= len(record.plies):
        return record
    now = {"Result": Result.UNFINISHED.value, "Termination": Termination.UNTERMINATED.value}
    tags = tuple((name, now.get(name, value)) for name, value in record.tags)
    comments = record.comments
    if record.story:
        told = tuple(part for part in comments[0] if isinstance(part, Annotation))
        comments = (*filter(None, (told,)), *comments[1:])
    return record_as_read(tags, record.plies[:plies], Result.UNFINISHED, comments)


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

    def goes(part: str | Annotation) -> bool:
        if isinstance(part, str):
            return comments
        return annotations if isinstance(annotations, bool) else part.name in annotations

    def of_comments(found: Iterable[Comment]) -> tuple[Comment, ...]:
        return tuple(filter(None, (_without(goes, parts) for parts in found)))

    def of_line(plies: Iterable[Ply]) -> tuple[Ply, ...]:
        return tuple(
            ply_as_read(
                ply.move,
                "" if glyphs else ply.glyph,
                of_comments(ply.comments),
                () if variations else tuple(map(of_variation, ply.variations)),
            )
            for ply in plies
        )

    def of_variation(variation: Variation) -> Variation:
        return variation_as_read(of_line(variation.plies), of_comments(variation.comments))

    return record_as_read(
        record.tags, of_line(record.plies), record.result, of_comments(record.comments)
    )


def _without(goes: Callable[[str | Annotation], bool], parts: Comment) -> Comment:
    """Return what is left of a comment."""
    while any(map(goes, parts)):  # what then stands together may be an annotation
        parts = comment(" ".join(str(part) for part in parts if not goes(part)))
    return parts


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
    names, values = rename or {}, values or {}
    tags = {}
    for name, value in ((names.get(name, name), value) for name, value in record.tags):
        if name in tags:
            raise RecordValueError(
                Fault("tag", f"the tag {name} would stand there twice", "each tag once", tag=name)
            )
        tags[name] = value
    for name, new in values.items():
        if new is None:
            tags.pop(name, None)
        else:
            tags = _with_tag(tags, name, new)
    changed = record_as_read(tuple(tags.items()), record.plies, record.result, record.comments)
    _refuse_untrue(record, changed)
    return changed


def _with_tag(tags: dict[str, str], name: str, value: str) -> dict[str, str]:
    """Return the tags with one set, in its place: the same, unless it comes between others."""
    if name in tags or name not in KNOWN_TAGS:  # there may be any number of these
        tags[name] = value
        return tags
    place = place_of(name, tuple(tags))
    items = list(tags.items())
    return dict([*items[:place], (name, value), *items[place:]])


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
