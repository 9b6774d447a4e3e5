"""A game record as plain data: tags, plies with comments and variations, a result.

Constructors refuse values that cannot be written as text, so every record can be written and reads
back as an equal record. Readers of text use the `…_as_read` functions, which check nothing.
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
"""The deepest nesting of variations; far more than people write."""

MAX_PARTS: Final = 100_000
"""The most tags, moves, variations, comments and annotations of one record together. The longest
games have a thousand moves."""

MAX_WORDS: Final = 1_000_000
"""The most words of one record's text, including comments."""


MOST_SAID: Final = 120
"""The most characters of a bot's standard error in a short reason."""


_FRAME: Final = re.compile(r' *(File "[^"]*", line \d+(?:, in \S+)?) *')
_OPENING: Final = re.compile(
    r" +(?=Traceback \(|During handling of |The above exception |at \S+[(:]|note: |stack backtrace:"
    r"|[\w.]*(?:Error|Exception|Interrupt)\b)"
)
"""The space before a line of a traceback: records have it in a single line."""


def said_lines(said: str) -> list[str]:
    """Return the end of a standard error with the lines of its traceback.

    >>> said_lines('Traceback (most recent call last): File "a.py", line 1, in f g() KeyError: 3')
    ['Traceback (most recent call last):', '  File "a.py", line 1, in f', '    g()', 'KeyError: 3']
    """
    framed = _FRAME.sub(r"\n  \1\n    ", said)
    return [line for line in _OPENING.sub("\n", framed).split("\n") if line.strip()]


class Forfeit(NamedTuple):
    """A loss by forfeit, for example on time, instead of by the rules of the game."""

    number: int
    """The game's number from its tag `Number`; 0 without that tag."""

    game: str
    """The id of the game."""

    bot: str
    """The player that lost."""

    side: str
    """The side of that player: `first` or `second`."""

    opponent: str
    ply: int
    """The ply that was not played, from 1."""

    ending: str
    """One of FORFEITS."""

    reason: str
    """The explanation in the record, which can be empty."""

    @property
    def in_short(self) -> str:
        """Return the reason with the last words of standard error, which are the most useful."""
        event, mark, said = self.reason.partition("; standard error: ")
        if len(said) > MOST_SAID:
            said = f"…{said[-MOST_SAID:].partition(' ')[2]}"
        return f"{event}{mark}{said}" or "the record does not say why"

    @property
    def lines(self) -> list[str]:
        """Return the reason, and then the lines of standard error."""
        event, _, said = self.reason.partition("; standard error: ")
        return [event or "the record does not say why", *said_lines(said)]


@dataclass(frozen=True, slots=True)
class Annotation:
    """One `[%name value]` of a comment; `annotation` makes one from any text."""

    name: str
    """Letters, digits and `_`, such as `emt`."""

    value: str
    """The text without `[` and `]` and without spaces at its ends; times have three decimals."""

    def __post_init__(self) -> None:
        _refuse(_note_faults(self))

    def __str__(self) -> str:
        """Return the text, such as `[%emt 0.500]`."""
        return f"[%{self.name} {self.value}]" if self.value else f"[%{self.name}]"

    @property
    def number(self) -> float | None:
        """Return the value as a number, or None."""
        return number_of(self.value)


Comment = tuple[str | Annotation, ...]
"""The parts of one comment in order; there is at least one.

Texts have single spaces inside and no spaces at the ends; `comment` makes the parts of any text.
"""


@dataclass(frozen=True, slots=True)
class Variation:
    """Moves from the position before the ply that the variation belongs to."""

    plies: tuple[Ply, ...]
    """The moves; there is at least one."""

    comments: tuple[Comment, ...] = ()
    """The comments before the first move."""

    def __post_init__(self) -> None:
        _refuse(chain(_variation_faults(self), _too_deep(self, MAX_NESTING)))


class _Said:
    """The unread comments of a ply, which are parsed when they are first used.

    Parsing the comments of bots takes longer than reading the rest of a record, and few callers
    need them.
    """

    __slots__ = ("said",)

    said: str
    """The comments as text on one line, if they are only annotations in the form of
    `format_record`. Empty without comments, or if they were made in another way."""

    if not TYPE_CHECKING:  # otherwise the type checker would accept any name

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
    """One move with its glyph, comments and variations."""

    move: str
    """A word such as `e5`, in the form of the text; canonical after a replay."""

    glyph: str = ""
    """One of GLYPHS, or empty."""

    comments: tuple[Comment, ...] = ()
    variations: tuple[Variation, ...] = ()

    def __post_init__(self) -> None:
        _refuse(_ply_faults(self))

    @property
    def is_commented(self) -> bool:
        """Return whether the ply has comments, without parsing them."""
        return bool(self.said or self.comments)

    @property
    def annotations(self) -> list[tuple[str, str]]:
        """Return the name and the value of each annotation in the comments, in order."""
        if self.said:
            return _NOTE_AS_WRITTEN.findall(self.said)
        return [
            (part.name, part.value)
            for comment in self.comments
            for part in comment
            if type(part) is Annotation
        ]

    def annotation(self, name: str) -> Annotation | None:
        """Return the first annotation with this name, or None."""
        for known, value in self.annotations:
            if known == name:
                return annotation_as_read(name, value)
        return None

    @property
    def used_s(self) -> float | None:
        """Return the time used for the move in seconds (`emt`); None if it is unknown."""
        note = self.annotation("emt")
        return None if note is None else note.number

    @property
    def eval(self) -> float | None:
        """Return the mover's expected score in -1..1 (`eval`); None if it is unknown."""
        note = self.annotation("eval")
        return None if note is None else note.number


SHORT: Final = 200
"""The most characters of a cached text; longer ones are seldom repeated."""

_Read = TypeVar("_Read")


class Remembered(dict[str, _Read]):
    """A cache of a function of texts; in an archive most texts are repeated.

    If there are more than `most`, the cache is cleared.
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

    Raises RecordValueError for values that cannot be written as text; use `check` to test the
    moves.
    """

    tags: tuple[tuple[str, str], ...]
    """Names and values in order; `Game` is the first, and names are unique."""

    plies: tuple[Ply, ...] = ()
    result: Result = Result.UNFINISHED

    comments: tuple[Comment, ...] = ()
    """The comments before the first move."""

    def __post_init__(self) -> None:
        _refuse(chain(_value_faults(self), tag_faults(self)))  # tag_faults needs valid tags
        _set_tags(self, tuple([(str(name), str(value)) for name, value in self.tags]))
        _set_result(self, Result(self.result))

    def tag(self, name: str, default: str = "") -> str:
        """Return a tag's value; `default` if the tag is missing."""
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
        """Return the name of the first player; `?` if it is missing or empty."""
        return self.tag("First") or "?"

    @property
    def second(self) -> str:
        """Return the name of the second player; `?` if it is missing or empty."""
        return self.tag("Second") or "?"

    @property
    def termination(self) -> str:
        """Return the reason why the game ended, a value of Termination; empty if it is missing."""
        return self.tag("Termination")

    @property
    def is_result_only(self) -> bool:
        """Return whether the record has only players and a result, since its moves are missing."""
        return not self.plies and self.tag(MOVES) in (NOT_RECORDED, NOT_READ)

    @property
    def ruling(self) -> str:
        """Return the ruling by which the game does not count; empty if it counts."""
        return self.tag(RULING).partition(":")[0]

    @property
    def number(self) -> int:
        """Return the game's number in its tournament; 0 if it has none."""
        number = self.tag("Number")
        return int(number) if number.isascii() and number.isdigit() and len(number) <= 15 else 0

    @property
    def story(self) -> str:
        """Return the comment before the first move on how a player ended the game, or "".

        It begins with `NAME (first): ` or `NAME (second): `, and refers to the time after the last
        move.
        """
        text = " ".join(part for one in self.comments[:1] for part in one if isinstance(part, str))
        players = (f"{self.first} (first):", f"{self.second} (second):")
        is_told = text.startswith(tuple(f"{' '.join(who.split())} " for who in players))
        return text if is_told else ""

    @property
    def forfeit(self) -> Forfeit | None:
        """Return the forfeit by which a player lost, or None.

        None is also returned for a record without moves, because the ply is unknown.
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
        """Return the HTML that notebooks show."""
        return str(HTML.load()(self))


def require_record(value: object) -> None:
    """Raise TypeError, with a clear message, if a value is not a Record."""
    if not isinstance(value, Record):
        has_one = callable(getattr(value, "record", None))
        hint = "; its record() is one" if has_one else ""
        raise TypeError(f"{_shown(value)} is a {type(value).__name__}, expected a Record{hint}")


def _setter(of: type, name: str) -> Callable[[Any, Any], None]:
    """Return a function that sets a field of a new value faster than `object.__setattr__`."""
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
    """Return an annotation without checks; it must be valid."""
    note = object.__new__(Annotation)
    _set_name(note, name)
    _set_value(note, value)
    return note


def variation_as_read(plies: tuple[Ply, ...], comments: tuple[Comment, ...] = ()) -> Variation:
    """Return a variation without checks; it must be valid."""
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
    """Return a ply without checks; it must be valid."""
    ply = object.__new__(Ply)
    _set_move(ply, move)
    _set_glyph(ply, glyph)
    _set_said(ply, comments)
    _set_others(ply, variations)
    _set_text(ply, "")
    return ply


def ply_to_read(move: str, glyph: str, said: str) -> Ply:
    """Return a ply without checks; AS_WRITTEN must match its comments, which stay unparsed."""
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
    """Return a record without checks; its tags may be incomplete or not unique."""
    record = object.__new__(Record)
    _set_tags(record, tags)
    _set_plies(record, plies)
    _set_result(record, result)
    _set_comments(record, comments)
    return record


_BARE: Final = Remembered(ply_as_read, 10_000)
"""The plies without comments, by their moves: most plies, and all games have few moves together."""


def bare_plies(moves: Iterable[str]) -> tuple[Ply, ...]:
    """Return plies for valid moves without comments; equal moves share one object."""
    return tuple(map(_BARE.__getitem__, moves))


def all_plies(plies: Iterable[Ply]) -> Iterator[Ply]:
    """Yield the plies of a line, each before those of its variations."""
    for ply in plies:
        yield ply
        for variation in ply.variations:
            yield from all_plies(variation.plies)


def all_comments(record: Record) -> Iterator[Comment]:
    """Yield every comment of a record, including those in variations."""
    yield from record.comments
    for ply in all_plies(record.plies):
        yield from ply.comments
        for variation in ply.variations:
            yield from variation.comments


ANNOTATION: Final = re.compile(rf"\[%({TAG_NAME})(?:\s++([^\[\]]*+))?\]")
"""Groups: name, value."""


def comment(text: str) -> Comment:
    """Return the parts of a comment's text; runs of spaces become one space.

    >>> comment("book  move [%emt 0.5]")
    ('book move', Annotation(name='emt', value='0.500'))
    """
    if (
        text.startswith("[%") and text.endswith("]") and text.isascii()
    ):  # the usual comments of bots
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
"""Comments that are only annotations, with the spaces that `format_record` writes."""

_NOTE_AS_WRITTEN: Final = re.compile(r"\[%(\w++) ([^\]]++)\]")
"""Groups: the name and the value of each annotation in such comments."""

_OFTEN: Final = frozenset({"emt", "clk", "eval", "depth", "nodes", "pv"})
"""Names of frequent annotations, which are read without a regular expression."""


def is_of_analysis(comments: Iterable[Comment]) -> bool:
    """Return whether comments belong to an analysis."""
    return any(
        isinstance(part, Annotation) and part.name == BY for part in chain.from_iterable(comments)
    )


def annotation(name: str, value: str) -> Annotation:
    """Return an annotation; times get three decimals, and brackets are removed.

    Raises RecordValueError if the name is invalid, or the value is not Unicode text.
    """
    _refuse(_not_text(f"the value of %{name}", value))
    note = _annotation_of(name, value)
    _refuse(_note_faults(note))
    return note


def _annotation_of(name: str, value: str) -> Annotation:
    """Return an annotation from a text, without checks."""
    is_short = len(name) + len(value) <= KEPT_TEXTS
    return (_note_of if is_short else _note_of.__wrapped__)(name, value)


@lru_cache(maxsize=1 << 14)  # bots repeat times, depths and evaluations often
def _note_of(name: str, value: str) -> Annotation:
    value = " ".join(value.replace("[", "").replace("]", "").split())
    # an invalid time is kept, and reported when the record is checked
    if name in ("emt", "clk") and (seconds := number_of(value)) is not None:
        value = f"{seconds:.3f}"
    return annotation_as_read(name, value)


# Faults of values without a text. Nothing is assumed about values that were made without checks.


def text_faults(record: Record) -> Iterator[Fault]:
    """Yield the reasons why a record cannot be written and read back as an equal record.

    Its tags and moves may still be invalid; see `tag_faults`.
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
    """Yield the reason why a value is not text that can be written."""
    if not _is_text(value):
        yield Fault("field", f"{what} is {_shown(value)}", "text")
    elif not value.isascii() and _HALF.search(value):
        yield Fault("field", f"{what} has half a character (a lone surrogate)", "Unicode text")


def _is_text(value: object) -> TypeGuard[str]:
    """Return whether a value is a str that prints as its own value; some enums do not."""
    return isinstance(value, str) and str(value) == value


def _shown(value: object) -> str:
    if isinstance(value, str):
        return shortened(value)
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:80]}…"


def _note_faults(note: Annotation) -> Iterator[Fault]:
    if not _is_text(note.name) or not is_tag_name(note.name):
        yield Fault("field", f"{_shown(note.name)} is not a valid annotation name", _NAME_WORDS)
        return
    faults = list(_not_text(f"the value of %{note.name}", note.value))
    yield from faults
    if not faults and (read := _annotation_of(note.name, note.value).value) != note.value:
        what = f"the value of %{note.name} is {_shown(note.value)}"
        yield Fault("field", what, f"{_shown(read)}, as `annotation` makes it")


def _of_tuple(what: str, values: object, kind: type, words: str) -> Iterator[Fault]:
    """Yield the reasons why values are not a tuple of `kind`, which `words` names."""
    if type(values) is not tuple:
        yield Fault("field", f"{what} is {_shown(values)}", f"a tuple of {words}")
    elif set(map(type, values)) - {kind}:
        odd = next(value for value in values if type(value) is not kind)
        yield Fault("field", f"{what} has {_shown(odd)}", words)


def comments_faults(comments: object) -> Iterator[Fault]:
    """Yield the reasons why comments cannot be written and read back as equal."""
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
        yield Fault(
            "field", f"a comment is {_shown(parts)}", f"{_shown(read)}, as the reader returns it"
        )


def _ply_faults(ply: Ply) -> Iterator[Fault]:
    if not _is_text(ply.move) or not is_move(ply.move):
        signs = "a letter, then letters, digits and + - = : @ / only, or %XX for others"
        yield Fault("field", f"the move is {_shown(ply.move)}", signs)
    if ply.glyph != "" and ply.glyph not in GLYPHS:
        yield Fault(
            "field", f"{_shown(ply.glyph)} is not a glyph", f"{listed(GLYPHS, 'or')}, or nothing"
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
    """Yield the faults of a record whose plies are valid by themselves."""
    tags = record.tags
    is_pairs = type(tags) is tuple and all(type(tag) is tuple and len(tag) == 2 for tag in tags)
    if not is_pairs:
        yield Fault("tag", f"tags is {_shown(tags)}", "a tuple of names and values")
    for name, value in tags if is_pairs else ():
        if fault := tag_fault(name, value):
            yield fault
    if not _is_text(record.result) or record.result not in RESULTS:
        yield Fault("result", f"{_shown(record.result)} is not a result", listed(RESULTS, "or"))
    faults = list(_of_tuple("plies", record.plies, Ply, "plies"))
    yield from faults or _too_deep(record, MAX_NESTING + 1)
    yield from comments_faults(record.comments)


def _too_deep(line: Record | Variation, most: int) -> Iterator[Fault]:
    """Yield a fault if lines of plies, including this one, are nested deeper than `most`."""
    lines: list[Record | Variation] = [line]
    depth = 0
    while lines and depth <= most:
        lines = [one for line in lines for ply in line.plies for one in _variations(ply)]
        depth += 1
    if depth > most:
        yield Fault("field", f"variations are nested more than {MAX_NESTING} deep")


def _variations(ply: Ply) -> list[Variation]:
    """Return the variations of a ply that have plies, even if other values are invalid."""
    if type(ply) is not Ply or ply.variations == () or type(ply.variations) is not tuple:
        return []
    return [one for one in ply.variations if type(one) is Variation and type(one.plies) is tuple]


def tag_fault(name: str, value: str) -> Fault | None:
    """Return the reason why a tag cannot be written, or None."""
    if not _is_text(name) or not is_tag_name(name):
        return Fault("tag", f"{_shown(name)} is not a valid tag name", _NAME_WORDS)
    if fault := next(_not_text(f"the value of {name}", value), None):
        return replace(fault, code="tag", tag=name)
    if "\n" in value or "\r" in value:
        return Fault("tag", f"the value of {name} has a line break", "one line", tag=name)
    return None


def tag_faults(record: Record) -> Iterator[Fault]:
    """Yield the faults in the order and uniqueness of a record's tags, for any game."""
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
        yield Fault("tag", f"the tag {names[0]} comes before Game", "Game first", at=0)
    counts = Counter(names)
    for name in sorted(name for name in counts if counts[name] > 1):
        often = "twice" if counts[name] == 2 else f"{counts[name]} times"
        yield Fault("tag", f"the tag {name} appears {often}", "each tag once", tag=name)
