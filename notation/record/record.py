"""A game record as plain data: tags, plies with comments and variations, a result.

What has no text is refused where it is made: whatever is made can be written, and is read back
equal. Who reads a text makes its values by `…_as_read`, which refuses nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeGuard, TypeVar, cast

from lath.games.core import RESULTS, Result
from lath.notation.hooks import HTML
from lath.notation.record.errors import Fault, RecordValueError, listed, shortened
from lath.notation.record.tags import (
    BY,
    FORFEITS,
    KEPT_TEXTS,
    MOVES,
    NOT_READ,
    NOT_RECORDED,
    RULING,
    number_of,
)
from lath.notation.tokens import TAG_NAME, is_move, is_tag_name

GLYPHS: Final = ("!", "?", "!!", "??", "!?", "?!")

MAX_NESTING: Final = 100
"""Variations inside variations; far beyond what people write."""

MAX_PARTS: Final = 100_000
"""Tags, moves, variations, comments and annotations of one record, all together; the longest games
have a thousand moves."""

MAX_WORDS: Final = 1_000_000
"""Words of one record's text, those of its comments, too."""


MOST_SAID: Final = 120
"""Letters of a player's standard error that a reason has in short."""


class Forfeit(NamedTuple):
    """How a player lost a game otherwise than on the board."""

    number: int
    """The game's, of its tag `Number`; 0 where it has none."""

    game: str
    """Its id."""

    bot: str
    """Who lost it."""

    side: str
    """Where it sat: `first` or `second`."""

    opponent: str
    ply: int
    """At which ply it was, from 1: the one that was not played."""

    ending: str
    """One of FORFEITS."""

    reason: str
    """The story, as the record tells it; empty where it does not."""

    @property
    def in_short(self) -> str:
        """Return the reason with the last words of standard error, which say what it comes to."""
        event, mark, said = self.reason.partition("; standard error: ")
        if len(said) > MOST_SAID:
            said = f"…{said[-MOST_SAID:].partition(' ')[2]}"
        return f"{event}{mark}{said}" or "the record does not say why"


@dataclass(frozen=True, slots=True)
class Annotation:
    """One `[%name value]` of a comment; `annotation` makes it of any text."""

    name: str
    """Letters, digits and `_`, such as `emt`."""

    value: str
    """Without `[` and `]` and without blanks at its ends; times have three decimals."""

    def __post_init__(self) -> None:
        _refuse(_note_faults(self))

    def __str__(self) -> str:
        """Return the text, such as `[%emt 0.500]`."""
        return f"[%{self.name} {self.value}]" if self.value else f"[%{self.name}]"

    @property
    def number(self) -> float | None:
        """Return the value as a number; None where it is none."""
        return number_of(self.value)


Comment = tuple[str | Annotation, ...]
"""The parts of one comment in order, of which there is one at least.

Texts have single blanks inside and none at the ends; `comment` makes the parts of any text.
"""


@dataclass(frozen=True, slots=True)
class Variation:
    """Moves from the position before the ply that it belongs to."""

    plies: tuple[Ply, ...]
    """One at least."""

    comments: tuple[Comment, ...] = ()
    """What stands before its first move."""

    def __post_init__(self) -> None:
        _refuse(chain(_variation_faults(self), _too_deep(self, MAX_NESTING)))


class _Said:
    """What is said of a ply as it stood in the text: its comments are read when somebody asks.

    To read those of bots takes longer than all else of a record, and few ask.
    """

    __slots__ = ("said",)

    said: str
    """The comments as text, where they are annotations alone, as `format_record` writes them, but
    in one line; empty where there are none, or where they were made otherwise."""

    if not TYPE_CHECKING:  # or any name would do

        def __getattr__(self, name: str) -> Any:
            if name == "said":
                return ""
            if name != "comments":
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            comments = tuple(map(comment, self.said[1:-1].split("} {")))
            _set_said(self, comments)
            return comments


@dataclass(frozen=True, slots=True)
class Ply(_Said):
    """One move and what is said about it."""

    move: str
    """A word such as `e5`, as read; canonical once replayed."""

    glyph: str = ""
    """One of GLYPHS, or empty."""

    comments: tuple[Comment, ...] = ()
    variations: tuple[Variation, ...] = ()

    def __post_init__(self) -> None:
        _refuse(_ply_faults(self))

    @property
    def is_commented(self) -> bool:
        """Return whether it has comments, which are not read for that."""
        return bool(self.said or self.comments)

    @property
    def annotations(self) -> list[tuple[str, str]]:
        """Return name and value of each annotation in the comments, in order."""
        if self.said:
            return _NOTE_AS_WRITTEN.findall(self.said)
        return [
            (part.name, part.value)
            for comment in self.comments
            for part in comment
            if type(part) is Annotation
        ]

    def annotation(self, name: str) -> Annotation | None:
        """Return the first `[%name …]` of the comments; None where there is none."""
        for known, value in self.annotations:
            if known == name:
                return annotation_as_read(name, value)
        return None

    @property
    def used_s(self) -> float | None:
        """Return the time used for the move in seconds (`emt`); None where it is not known."""
        note = self.annotation("emt")
        return None if note is None else note.number

    @property
    def eval(self) -> float | None:
        """Return the mover's expected score in -1..1; None where it is not known."""
        note = self.annotation("eval")
        return None if note is None else note.number


SHORT: Final = 200
"""Characters of a text that is worth remembering: long ones do not come again."""

_Read = TypeVar("_Read")


class Remembered(dict[str, _Read]):
    """What a function makes of texts, as they come by: in an archive most come again and again.

    Where there are more than `most`, all are forgotten.
    """

    def __init__(self, read: Callable[[str], _Read], most: int) -> None:
        self._read: Final = read
        self._most: Final = most

    def __missing__(self, text: str) -> _Read:
        value = self._read(text)
        if len(self) >= self._most:
            self.clear()
        if len(text) <= SHORT:
            self[text] = value
        return value


@dataclass(frozen=True, slots=True)
class Record:
    """One game, finished or not.

    Raises RecordValueError for what has no text, as the other values here do; whether the moves
    are legal, `check` says.
    """

    tags: tuple[tuple[str, str], ...]
    """Names and values in order; `Game` comes first, no name comes twice."""

    plies: tuple[Ply, ...] = ()
    result: Result = Result.UNFINISHED

    comments: tuple[Comment, ...] = ()
    """What stands before the first move."""

    def __post_init__(self) -> None:
        _refuse(chain(_value_faults(self), tag_faults(self)))  # the second once it has tags
        _set_tags(self, tuple([(str(name), str(value)) for name, value in self.tags]))
        _set_result(self, Result(self.result))

    def tag(self, name: str, default: str = "") -> str:
        """Return a tag's value; `default` where it is missing."""
        for known, value in self.tags:
            if known == name:
                return value
        return default

    @property
    def game(self) -> str:
        """Return the id of the game."""
        return self.tag("Game")

    @property
    def first(self) -> str:
        """Return the name of who makes the first decision; `?` where it is missing or empty."""
        return self.tag("First") or "?"

    @property
    def second(self) -> str:
        """Return the opponent's name; `?` where it is missing or empty."""
        return self.tag("Second") or "?"

    @property
    def termination(self) -> str:
        """Return why the game ended, a value of Termination; empty where it is not said."""
        return self.tag("Termination")

    @property
    def is_result_only(self) -> bool:
        """Return whether its moves are unknown: it says who met whom, and what came of it."""
        return not self.plies and self.tag(MOVES) in (NOT_RECORDED, NOT_READ)

    @property
    def ruling(self) -> str:
        """Return by what ruling it counts for nothing; empty where it counts."""
        return self.tag(RULING).partition(":")[0]

    @property
    def number(self) -> int:
        """Return the game's number in its tournament; 0 where it has none."""
        number = self.tag("Number")
        return int(number) if number.isascii() and number.isdigit() and len(number) <= 15 else 0

    @property
    def story(self) -> str:
        """Return what is said before the first move of how a player ended the game, if anything.

        It begins with `NAME (first): ` or `NAME (second): `, and belongs behind the last move.
        """
        text = " ".join(part for one in self.comments[:1] for part in one if isinstance(part, str))
        players = (f"{self.first} (first):", f"{self.second} (second):")
        is_told = text.startswith(tuple(f"{' '.join(who.split())} " for who in players))
        return text if is_told else ""

    @property
    def forfeit(self) -> Forfeit | None:
        """Return how a player lost it otherwise than on the board; None where that is not so.

        None, too, of a result alone: nobody knows at which ply it was.
        """
        loser = self.result.loser
        if self.termination not in FORFEITS or loser is None or self.is_result_only:
            return None
        players = (self.first, self.second)
        bot, side = players[loser], loser.word
        return Forfeit(
            number=self.number,
            game=self.game,
            bot=bot,
            side=side,
            opponent=players[loser.other],
            ply=len(self.plies) + 1,
            ending=self.termination,
            reason=self.story.removeprefix(" ".join(f"{bot} ({side}):".split()) + " "),
        )

    @property
    def moves(self) -> tuple[str, ...]:
        """Return the moves of the main line."""
        return tuple([ply.move for ply in self.plies])

    def _repr_html_(self) -> str:
        """Return what notebooks show."""
        return str(HTML.load()(self))


def require_record(value: object) -> None:
    """Raise TypeError, in words, for what is no Record, such as a Builder or a path."""
    if not isinstance(value, Record):
        has_one = callable(getattr(value, "record", None))
        hint = "; its record() is one" if has_one else ""
        raise TypeError(f"{_shown(value)} is a {type(value).__name__}, expected a Record{hint}")


def _setter(of: type, name: str) -> Callable[[Any, Any], None]:
    """Return what sets a field of a new value, faster than `object.__setattr__` does."""
    return cast("Callable[[Any, Any], None]", of.__dict__[name].__set__)


_set_name, _set_value = (_setter(Annotation, name) for name in ("name", "value"))
_set_line, _set_words = (_setter(Variation, name) for name in ("plies", "comments"))
_set_move, _set_glyph, _set_said, _set_others = (
    _setter(Ply, name) for name in ("move", "glyph", "comments", "variations")
)
_set_text = _setter(_Said, "said")
_set_tags, _set_plies, _set_result, _set_comments = (
    _setter(Record, name) for name in ("tags", "plies", "result", "comments")
)


def annotation_as_read(name: str, value: str) -> Annotation:
    """Return an annotation that is known to have a text."""
    note = object.__new__(Annotation)
    _set_name(note, name)
    _set_value(note, value)
    return note


def variation_as_read(plies: tuple[Ply, ...], comments: tuple[Comment, ...] = ()) -> Variation:
    """Return a variation that is known to have a text."""
    variation = object.__new__(Variation)
    _set_line(variation, plies)
    _set_words(variation, comments)
    return variation


def ply_as_read(
    move: str,
    glyph: str = "",
    comments: tuple[Comment, ...] = (),
    variations: tuple[Variation, ...] = (),
) -> Ply:
    """Return a ply that is known to have a text."""
    ply = object.__new__(Ply)
    _set_move(ply, move)
    _set_glyph(ply, glyph)
    _set_said(ply, comments)
    _set_others(ply, variations)
    _set_text(ply, "")
    return ply


def ply_to_read(move: str, glyph: str, said: str) -> Ply:
    """Return a ply that is known to have a text, with comments that AS_WRITTEN matches."""
    ply = object.__new__(Ply)
    _set_move(ply, move)
    _set_glyph(ply, glyph)
    _set_text(ply, said)
    _set_others(ply, ())
    return ply


def record_as_read(
    tags: tuple[tuple[str, str], ...],
    plies: tuple[Ply, ...] = (),
    result: Result = Result.UNFINISHED,
    comments: tuple[Comment, ...] = (),
) -> Record:
    """Return a record of what stands in a text, where tags may yet be missing or come twice."""
    record = object.__new__(Record)
    _set_tags(record, tags)
    _set_plies(record, plies)
    _set_result(record, result)
    _set_comments(record, comments)
    return record


_BARE: Final = Remembered(ply_as_read, 10_000)
"""Plies of a move alone: most plies are such, and all games together have fewer moves."""


def bare_plies(moves: Iterable[str]) -> tuple[Ply, ...]:
    """Return plies of moves, known to have a text, of which nothing is said; one object a move."""
    return tuple(map(_BARE.__getitem__, moves))


def all_plies(plies: Iterable[Ply]) -> Iterator[Ply]:
    """Yield the plies of a line, each before those of its variations."""
    for ply in plies:
        yield ply
        for variation in ply.variations:
            yield from all_plies(variation.plies)


def all_comments(record: Record) -> Iterator[Comment]:
    """Yield every comment of a record, those in its variations too."""
    yield from record.comments
    for ply in all_plies(record.plies):
        yield from ply.comments
        for variation in ply.variations:
            yield from variation.comments


ANNOTATION: Final = re.compile(rf"\[%({TAG_NAME})(?:\s++([^\[\]]*+))?\]")
"""Groups: name, value."""


def comment(text: str) -> Comment:
    """Return the parts of a comment's text; blanks run together.

    >>> comment("book  move [%emt 0.5]")
    ('book move', Annotation(name='emt', value='0.500'))
    """
    if text.startswith("[%") and text.endswith("]") and text.isascii():  # what bots say, mostly
        pairs = [part.partition(" ") for part in text[2:-1].split("] [%")]
        for name, _, value in pairs:
            if name not in _OFTEN or "]" in value or "[" in value:
                break
        else:
            return tuple([_annotation_of(name, value) for name, _, value in pairs])
    words, *rest = ANNOTATION.split(text)
    parts: list[str | Annotation] = [" ".join(words.split())] if words else []
    given = iter(rest)
    for name, value, after in zip(given, given, given, strict=True):
        parts.append(_annotation_of(name, value or ""))
        if after and not after.isspace():
            parts.append(" ".join(after.split()))
    return tuple(filter(None, parts))


_NOTE: Final = (
    r"\[%(?:(?:emt|clk) (?:0|[1-9][0-9]{0,8}+)\.[0-9]{3}"
    rf"|(?!(?:emt|clk) ){TAG_NAME}(?: [^\s\[\]{{}}]++)++)\]"
)

AS_WRITTEN: Final = re.compile(rf"\{{{_NOTE}(?: {_NOTE})*+\}}(?: \{{{_NOTE}(?: {_NOTE})*+\}})*+")
"""Comments that are annotations alone, with the blanks that `format_record` would write."""

_NOTE_AS_WRITTEN: Final = re.compile(r"\[%(\w++) ([^\]]++)\]")
"""Groups: name, value; each annotation of such comments."""

_OFTEN: Final = frozenset({"emt", "clk", "eval", "depth", "nodes", "pv"})
"""Names of annotations that need no expression to be told."""


def is_of_analysis(comments: Iterable[Comment]) -> bool:
    """Return whether what has these comments is an analysis' own."""
    return any(
        isinstance(part, Annotation) and part.name == BY for part in chain.from_iterable(comments)
    )


def annotation(name: str, value: str) -> Annotation:
    """Return `[%name value]`, a time having three decimals; brackets in it are dropped.

    Raises RecordValueError for a name that is none, and for a value that is no Unicode text.
    """
    _refuse(_not_text(f"the value of %{name}", value))
    note = _annotation_of(name, value)
    _refuse(_note_faults(note))
    return note


def _annotation_of(name: str, value: str) -> Annotation:
    """Return the same of what stands in a text."""
    is_short = len(name) + len(value) <= KEPT_TEXTS
    return (_note_of if is_short else _note_of.__wrapped__)(name, value)


@lru_cache(maxsize=1 << 14)  # bots say the same times, depths and evaluations again and again
def _note_of(name: str, value: str) -> Annotation:
    value = " ".join(value.replace("[", "").replace("]", "").split())
    # a wrong one is kept, and named when the record is checked
    if name in ("emt", "clk") and (seconds := number_of(value)) is not None:
        value = f"{seconds:.3f}"
    return annotation_as_read(name, value)


# What has no text. Of values that got round their constructors, too, nothing is taken for granted.


def text_faults(record: Record) -> Iterator[Fault]:
    """Yield why a record has no text that is read back as the same; nothing where it has one.

    Its tags may still be wrong, as `tag_faults` says, and its moves.
    """
    yield from _value_faults(record)
    yield from _line_faults(record.plies, 1, 0)


def _line_faults(plies: Iterable[Ply], first_number: int, depth: int) -> Iterator[Fault]:
    if type(plies) is not tuple or depth > MAX_NESTING:
        return
    for number, ply in enumerate(plies, first_number):
        if type(ply) is not Ply:
            continue
        yield from (replace(fault, ply=number) for fault in _ply_faults(ply))
        for variation in ply.variations if type(ply.variations) is tuple else ():
            if type(variation) is Variation:
                yield from (replace(fault, ply=number) for fault in _variation_faults(variation))
                yield from _line_faults(variation.plies, number, depth + 1)


def _refuse(faults: Iterator[Fault]) -> None:
    for fault in faults:
        raise RecordValueError(fault)


_HALF: Final = re.compile("[\ud800-\udfff]")

_NAME_WORDS: Final = "a letter, then letters, digits and _"


def _not_text(what: str, value: object) -> Iterator[Fault]:
    """Yield why a value is no text that can be written."""
    if not _is_text(value):
        yield Fault("field", f"{what} is {_shown(value)}", "text")
    elif not value.isascii() and _HALF.search(value):
        yield Fault("field", f"{what} has half a character (a lone surrogate)", "Unicode text")


def _is_text(value: object) -> TypeGuard[str]:
    """Return whether a value is text, and written as what it is: not all enums are."""
    return isinstance(value, str) and str(value) == value


def _shown(value: object) -> str:
    if isinstance(value, str):
        return shortened(value)
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:80]}…"


def _note_faults(note: Annotation) -> Iterator[Fault]:
    if not _is_text(note.name) or not is_tag_name(note.name):
        yield Fault("field", f"{_shown(note.name)} is no name of an annotation", _NAME_WORDS)
        return
    faults = list(_not_text(f"the value of %{note.name}", note.value))
    yield from faults
    if not faults and (read := _annotation_of(note.name, note.value).value) != note.value:
        what = f"the value of %{note.name} is {_shown(note.value)}"
        yield Fault("field", what, f"{_shown(read)}, as `annotation` makes it")


def _of_tuple(what: str, values: object, kind: type, words: str) -> Iterator[Fault]:
    """Yield why values are no tuple of values of a kind, which `words` name."""
    if type(values) is not tuple:
        yield Fault("field", f"{what} is {_shown(values)}", f"a tuple of {words}")
    elif set(map(type, values)) - {kind}:
        odd = next(value for value in values if type(value) is not kind)
        yield Fault("field", f"{what} has {_shown(odd)}", words)


def comments_faults(comments: object) -> Iterator[Fault]:
    """Yield why comments have no text that is read back as the same."""
    faults = list(_of_tuple("comments", comments, tuple, "comments, such as `comment` makes"))
    yield from faults
    for parts in comments if not faults and type(comments) is tuple else ():
        yield from _comment_faults(parts)


def _comment_faults(parts: tuple[object, ...]) -> Iterator[Fault]:
    faults = [
        fault
        for part in parts
        for fault in (
            _note_faults(part)
            if type(part) is Annotation
            else _not_text("a part of a comment", part)
        )
    ]
    yield from faults
    if faults:
        return
    if not parts:
        yield Fault("field", "a comment is empty", "a text or an annotation in it")
    elif (read := comment(" ".join(map(str, parts)))) != parts:
        yield Fault("field", f"a comment is {_shown(parts)}", f"{_shown(read)}, as it is read")


def _ply_faults(ply: Ply) -> Iterator[Fault]:
    if not _is_text(ply.move) or not is_move(ply.move):
        signs = "a letter, then letters, digits and + - = : @ / only"
        yield Fault("field", f"the move is {_shown(ply.move)}", signs)
    if ply.glyph != "" and ply.glyph not in GLYPHS:
        yield Fault(
            "field", f"{_shown(ply.glyph)} is no glyph", f"{listed(GLYPHS, 'or')}, or nothing"
        )
    if not ply.said and ply.comments != ():
        yield from comments_faults(ply.comments)
    if ply.variations != ():
        yield from _of_tuple("variations", ply.variations, Variation, "variations")


def _variation_faults(variation: Variation) -> Iterator[Fault]:
    yield from _of_tuple("plies", variation.plies, Ply, "plies")
    if variation.plies == ():
        yield Fault("field", "the variation is empty", "a move")
    yield from comments_faults(variation.comments)


def _value_faults(record: Record) -> Iterator[Fault]:
    """Yield what is wrong with a record whose plies are sound by themselves."""
    tags = record.tags
    is_pairs = type(tags) is tuple and all(type(tag) is tuple and len(tag) == 2 for tag in tags)
    if not is_pairs:
        yield Fault("tag", f"tags is {_shown(tags)}", "a tuple of names and values")
    for name, value in tags if is_pairs else ():
        if fault := tag_fault(name, value):
            yield fault
    if not _is_text(record.result) or record.result not in RESULTS:
        yield Fault("result", f"{_shown(record.result)} is no result", listed(RESULTS, "or"))
    faults = list(_of_tuple("plies", record.plies, Ply, "plies"))
    yield from faults or _too_deep(record, MAX_NESTING + 1)
    yield from comments_faults(record.comments)


def _too_deep(line: Record | Variation, most: int) -> Iterator[Fault]:
    """Yield a fault where lines of plies, this one included, are nested more than so deep."""
    lines: list[Record | Variation] = [line]
    depth = 0
    while lines and depth <= most:
        lines = [one for line in lines for ply in line.plies for one in _variations(ply)]
        depth += 1
    if depth > most:
        yield Fault("field", f"variations are nested more than {MAX_NESTING} deep")


def _variations(ply: Ply) -> list[Variation]:
    """Return those that have lines, if anything is none."""
    if type(ply) is not Ply or ply.variations == () or type(ply.variations) is not tuple:
        return []
    return [one for one in ply.variations if type(one) is Variation and type(one.plies) is tuple]


def tag_fault(name: str, value: str) -> Fault | None:
    """Return why a tag has no text; None where it has one."""
    if not _is_text(name) or not is_tag_name(name):
        return Fault("tag", f"{_shown(name)} is no name of a tag", _NAME_WORDS)
    if fault := next(_not_text(f"the value of {name}", value), None):
        return replace(fault, code="tag", tag=name)
    if "\n" in value or "\r" in value:
        return Fault("tag", f"the value of {name} has a line break", "one line", tag=name)
    return None


def tag_faults(record: Record) -> Iterator[Fault]:
    """Yield what is wrong with the tags of a record whatever its game: order and repetition."""
    names = [name for name, _ in record.tags]
    if "Game" not in names:
        expected = 'a tag such as [Game "mammalath"]'
        if wrong := [name for name in names if name.lower() == "game"]:
            yield Fault(
                "tag", f"the tag is called {wrong[0]}", expected, tag=wrong[0], meant="Game"
            )
        else:
            yield Fault("tag", "the tag Game is missing", expected, at=0)
    elif names[0] != "Game":
        yield Fault("tag", f"the tag {names[0]} stands before Game", "Game first", at=0)
    counts = Counter(names)
    for name in sorted(name for name in counts if counts[name] > 1):
        often = "twice" if counts[name] == 2 else f"{counts[name]} times"
        yield Fault("tag", f"the tag {name} stands there {often}", "each tag once", tag=name)
