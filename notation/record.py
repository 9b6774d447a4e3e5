"""A game record as plain data: tags, plies with comments and variations, a result.

Must not know how a record is written in any format, nor the rules of any game.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple, TypeVar

from lath.notation.errors import Fault, shortened

RESULTS: Final = ("1-0", "0-1", "1/2-1/2", "*")
"""First won, second won, a draw, not finished."""

GLYPHS: Final = ("!", "?", "!!", "??", "!?", "?!")

KNOWN_TAGS: Final = (
    *("Game", "Event", "Site", "Date", "Round", "First", "Second"),
    *("Setup", "Position", "TimeControl", "Opening", "Seed"),
    *("Annotator", "Termination", "Result"),
)
"""The tags that have a meaning, in the order in which the arena writes them."""


def date_of(text: str) -> dt.date | None:
    """Return the day that `2026-11-20` is; None for another text, `20261120` and `?` too."""
    with suppress(ValueError):
        date = dt.date.fromisoformat(text)
        return date if date.isoformat() == text else None
    return None


_TAG_NAME: Final = re.compile("[A-Za-z][A-Za-z0-9_]*")


def tag_fault(name: str, value: str) -> Fault | None:
    """Return why a tag has no text; None where it has one."""
    if type(name) is not str or not _TAG_NAME.fullmatch(name):
        what = f"{shortened(str(name))} is no name of a tag"
        return Fault("tag", what, "a letter, then letters, digits and _")
    if type(value) is not str:
        return Fault("tag", f"the value of {name} is {value!r}", "text", tag=name)
    if "\n" in value or "\r" in value:
        return Fault("tag", f"the value of {name} has a line break", "one line", tag=name)
    if not value.isascii() and _HALF.search(value):
        what = f"the value of {name} has half a character (a lone surrogate)"
        return Fault("tag", what, "Unicode text", tag=name)
    return None


_HALF: Final = re.compile("[\ud800-\udfff]")

RULING: Final = "Ruling"
"""The tag of a record that counts for nothing by an organiser's ruling: what it is, and why."""

GAME_FILE: Final = "GameFile"
"""The tag of a record whose game is from a file: `games.origin(game_id).tag`, its name and hash."""


class Termination(StrEnum):
    """Why a game ended: the values of the tag `Termination`."""

    RULES = "rules"
    RESIGNATION = "resignation"
    TIME = "time"
    ILLEGAL_MOVE = "illegal move"
    CRASH = "crash"
    FLOOD = "flood"
    ADJUDICATION = "adjudication"
    AGREEMENT = "agreement"
    PLY_LIMIT = "ply limit"
    VOID = "void"
    UNTERMINATED = "unterminated"


FORFEITS: Final = (
    Termination.CRASH,
    Termination.TIME,
    Termination.ILLEGAL_MOVE,
    Termination.FLOOD,
)
"""Endings by which a game is lost otherwise than on the board."""


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
    """One `[%name value]` of a comment."""

    name: str
    """Letters, digits and `_`, such as `emt`."""

    value: str
    """Without `[` and `]` and without blanks at its ends; times have three decimals."""

    def __str__(self) -> str:
        """Return the text, such as `[%emt 0.500]`."""
        return f"[%{self.name} {self.value}]" if self.value else f"[%{self.name}]"

    @property
    def number(self) -> float | None:
        """Return the value as a number; None where it is none."""
        try:
            return float(self.value)
        except ValueError:
            return None


Comment = tuple[str | Annotation, ...]
"""The parts of one comment in order; texts have single blanks inside and none at the ends."""


@dataclass(frozen=True, slots=True)
class Variation:
    """Moves from the position before the ply that it belongs to."""

    plies: tuple[Ply, ...]
    comments: tuple[Comment, ...] = ()
    """What stands before its first move."""


@dataclass(frozen=True, slots=True)
class Ply:
    """One move and what is said about it."""

    move: str
    """As read; canonical once replayed."""

    glyph: str = ""
    """One of GLYPHS, or empty."""

    comments: tuple[Comment, ...] = ()
    variations: tuple[Variation, ...] = ()

    def annotation(self, name: str) -> Annotation | None:
        """Return the first `[%name …]` of the comments; None where there is none."""
        annotations = (
            part
            for comment in self.comments
            for part in comment
            if isinstance(part, Annotation) and part.name == name
        )
        return next(annotations, None)

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


_BARE: Final = Remembered(Ply, 10_000)
"""Plies of a move alone: most plies are such, and all games together have fewer moves."""


def bare_plies(moves: Iterable[str]) -> tuple[Ply, ...]:
    """Return plies of moves about which nothing is said, one object a move."""
    return tuple(map(_BARE.__getitem__, moves))


@dataclass(frozen=True, slots=True)
class Record:
    """One game, finished or not."""

    tags: tuple[tuple[str, str], ...]
    """Names and values in order; `Game` comes first, no name comes twice."""

    plies: tuple[Ply, ...] = ()
    result: str = "*"
    """One of RESULTS."""

    comments: tuple[Comment, ...] = ()
    """What stands before the first move."""

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
        """Return how a player lost it otherwise than on the board; None where that is not so."""
        if self.termination not in FORFEITS or self.result not in RESULTS[:2]:
            return None
        is_second = self.result == "1-0"
        players = (self.first, self.second)
        bot, side = players[is_second], ("first", "second")[is_second]
        return Forfeit(
            number=self.number,
            game=self.game,
            bot=bot,
            side=side,
            opponent=players[not is_second],
            ply=len(self.plies) + 1,
            ending=self.termination,
            reason=self.story.removeprefix(" ".join(f"{bot} ({side}):".split()) + " "),
        )

    @property
    def moves(self) -> tuple[str, ...]:
        """Return the moves of the main line."""
        return tuple(ply.move for ply in self.plies)

    def _repr_html_(self) -> str:
        """Return what notebooks show."""
        from lath.notation.notebook import html_of

        return html_of(self)


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


ANNOTATION: Final = re.compile(r"\[%([A-Za-z][A-Za-z0-9_]*+)(?:\s++([^\[\]]*+))?\]")
"""Groups: name, value."""


def comment(text: str) -> Comment:
    """Return the parts of a comment's text; blanks run together.

    >>> comment("book  move [%emt 0.5]")
    ('book move', Annotation(name='emt', value='0.500'))
    """
    words, *rest = ANNOTATION.split(text)
    parts: list[str | Annotation] = [" ".join(words.split())]
    for name, value, after in zip(rest[::3], rest[1::3], rest[2::3], strict=True):
        parts += (annotation(name, value or ""), " ".join(after.split()))
    return tuple(filter(None, parts))


def annotation(name: str, value: str) -> Annotation:
    """Return `[%name value]`, a time having three decimals; brackets in it are dropped."""
    value = " ".join(value.replace("[", "").replace("]", "").split())
    if name in ("emt", "clk"):
        with suppress(ValueError):  # a wrong one is kept, and named when the record is checked
            value = f"{float(value):.3f}"
    return Annotation(name, value)
