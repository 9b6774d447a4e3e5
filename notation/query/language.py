"""The language of `--where`, by `query.lark`: its text into one question to a record.

Must not know what a query means (`language.py`), only which words it may have.

>>> from lath.notation import parse
    >>> matches = compile_query("game = yavalath and (winner = ann or plies > 20)")
    >>> matches(parse('[Game "yavalath"] [First "ann"] e5 1-0'))
    True

The text is read once; what is asked of a record are functions inside each other, of which
`predicates.py` has all. docs/queries.md says what the words mean.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Sequence
from functools import cache
from importlib import resources
from typing import Any, Final

from lark import Lark, Transformer
from lark.exceptions import UnexpectedCharacters, UnexpectedToken
from lark.lexer import Token

from lath import games
from lath.notation.errors import NotationError
from lath.notation.query import predicates
from lath.notation.query.predicates import Predicate, TextTest
from lath.notation.record import KNOWN_TAGS, RESULTS, Record, Termination

NAMES: Final = (
    *("game", "event", "first", "second", "player", "winner", "loser"),
    *("result", "termination", "setup"),
)
"""What is compared as text: by `=`, `!=`, `~` and `in`."""

ORDERED: Final = ("round", "date")
"""What has an order besides; as every tag by its own name has."""

WORDS: Final = (*NAMES, *ORDERED, "plies", "position", "move", "comments", "variations")
"""What a test can begin with, besides a tag and `contains`."""

_ENGLISH: Final = {
    "NAME": "a test such as plies > 20",
    "EQUALITY": "'=', '!='",
    "ORDER": "'<', '<=', '>', '>='",
    "LIKE": "'~'",
    "_IN": "'in'",
    "_MOVE": "'move' and a move",
    "NUMBER": "a whole number of at most 9 digits",
    "WORD": "a word or a text in quotes",
    "LPAR": "a list such as (a, b)",
    "COMMA": "','",
    "RPAR": "')'",
    "_AND": "'and'",
    "_OR": "'or'",
    "$END": "the end",
}
"""What a terminal is in English, in the order in which messages list them; the others are possible
only beside one of these."""

KEYWORDS: Final = ("and", "or", "not")
"""Words that are values in quotes only: who leaves a value out shall be told of that."""


class QueryError(NotationError):
    """The text is no query; the message shows where and says what was expected."""

    def __init__(self, text: str, at: int, message: str, expected: str = "") -> None:
        self.message = message
        """What is wrong, on one line."""
        self.expected = expected
        """What would have been right; empty where the message says it all."""
        self.at = at
        """Where, in characters from the start."""
        told = f"{message}; expected {expected}" if expected else message
        super().__init__(f"{told}\n{_excerpt(text, at)}")


def _excerpt(text: str, at: int) -> str:
    """Return the line of the place, and a caret under it."""
    start = text.rfind("\n", 0, at) + 1
    line = text[start:].partition("\n")[0]
    shown = "".join(letter if letter.isprintable() else " " for letter in line)
    return f"  {shown}\n  {' ' * (at - start)}^"


class WrongValueError(Exception):
    """A value or a name that the grammar takes, but that means nothing."""

    def __init__(self, at: int, message: str, expected: str = "") -> None:
        super().__init__(message)
        self.at = at
        self.message = message
        self.expected = expected


def place(token: Token) -> int:
    """Return where a token of the query stands."""
    assert token.start_pos is not None
    return token.start_pos


def no_value(word: str) -> tuple[str, str]:
    """Return the message and what was expected in the place of a keyword."""
    return f"{str(word)!r} is no value", "a value before it, or it in quotes"


def syntax_error(text: str, error: UnexpectedToken | UnexpectedCharacters) -> QueryError:
    """Return what Lark found wrong with the text of a query."""
    last = error.token_history[-1] if error.token_history else None
    if last is not None and last.type == "WORD" and last in KEYWORDS:
        return QueryError(text, place(last), *no_value(last))
    at = error.pos_in_stream
    wanted: set[str] = error.interactive_parser.accepts()  # type: ignore[no-untyped-call]
    expected = _english(wanted)
    if isinstance(error, UnexpectedToken) and error.token.type == "$END":
        message = "the query ends too early" if text.strip() else "the query is empty"
        return QueryError(text, len(text.rstrip()), message, expected)
    assert at is not None
    if text[at] in "\"'" and "WORD" in wanted:
        return _quote_error(text, at)
    word = _WORD.match(text, at)
    found = word[0] if word else text[at]
    if "NAME" in wanted and found.isidentifier() and found not in KEYWORDS:
        return QueryError(text, at, *_unknown_name(found))
    return QueryError(text, at, f"{found!r} does not belong here", expected)


_WORD: Final = re.compile(r"[\w.+/:@#%*?-]{1,40}|[<>=!]+")


def _quote_error(text: str, at: int) -> QueryError:
    read = re.compile(r"""(["'])(?:(?!\1)[^\\]|\\["'\\])*""").match(text, at)
    assert read is not None
    if text[read.end() : read.end() + 1] == "\\":
        escape = text[read.end() : read.end() + 2]
        return QueryError(text, read.end(), f"unknown escape {escape!r}", r"\" or \' or \\")
    return QueryError(text, at, "the text is never closed", f"{text[at]} at its end")


def _unknown_name(word: str) -> tuple[str, str]:
    """Return the message and what was expected in the place of a name that means nothing."""
    alike = difflib.get_close_matches(word.lower(), [*WORDS, "contains", "not"], n=1)
    if alike:
        return f"nothing is called {word!r}: did you mean {alike[0]!r}?", ""
    names = f"one of {', '.join(WORDS)}, contains, or a tag such as Annotator"
    return f"nothing is called {word!r}", names


def _english(terminals: set[str]) -> str:
    if "NAME" in terminals:
        terminals = {"NAME"}
    words = [words for name, words in _ENGLISH.items() if name in terminals]
    if {"NOT", "_IN"} <= terminals:
        words.append("'not in'")
    *most, last = words
    return f"{', '.join(most)} or {last}" if most else last


MAX_NESTING: Final = 100
"""Parentheses and `not` inside each other; far beyond what people write."""


def compile_query(text: str) -> Callable[[Record], bool]:
    """Return whether a record matches, as a function; raises QueryError.

    The function raises GameError where the query asks for a position and the record cannot be
    played. It keeps what it learns of games, so that it is best kept for all records.
    """
    try:
        read = _lark().parse(text)
    except WrongValueError as error:
        raise QueryError(text, error.at, error.message, error.expected) from error
    except (UnexpectedToken, UnexpectedCharacters) as error:
        raise syntax_error(text, error) from error
    question: Predicate = read  # type: ignore[assignment]  # by the transformer
    if question.depth > MAX_NESTING:
        raise QueryError(text, 0, f"the query is nested more than {MAX_NESTING} deep")
    return question.matches


def grammar() -> str:
    """Return the text of `query.lark`."""
    return (resources.files("lath.notation.query") / "query.lark").read_text(encoding="utf-8")


@cache
def _lark() -> Lark:
    return Lark(
        grammar(),
        start="query",
        parser="lalr",
        lexer="contextual",
        maybe_placeholders=False,
        transformer=_ToPredicate(),
    )


class _ToPredicate(Transformer[Token, Predicate]):
    """Builds the question while the parser reduces; no tree stands in between."""

    def query(self, parts: list[Predicate]) -> Predicate:
        return parts[0]

    def any_of(self, parts: list[Predicate]) -> Predicate:
        return predicates.any_of(parts)

    def all_of(self, parts: list[Predicate]) -> Predicate:
        return predicates.all_of(parts)

    def inverse(self, parts: list[Any]) -> Predicate:
        return predicates.inverse(parts[-1])

    def nested(self, parts: list[Predicate]) -> Predicate:
        return parts[0]

    def flag(self, parts: list[Token]) -> Predicate:
        return _FLAGS[parts[0]]()

    def contains(self, parts: list[Token]) -> Predicate:
        return predicates.contains(str(parts[0]))

    def comparison(self, parts: list[Token]) -> Predicate:
        subject, sign, value = parts
        if sign == "!=":
            return predicates.inverse(_asked(subject, "=", [value]))
        return _asked(subject, str(sign), [value])

    def membership(self, parts: list[Any]) -> Predicate:
        subject, *negation, values = parts
        question = _asked(subject, "=", values)
        return predicates.inverse(question) if negation else question

    def move(self, parts: list[Token]) -> Token:
        return parts[0]

    def values(self, parts: list[Token]) -> list[Token]:
        return parts

    def numbers(self, parts: list[Token]) -> list[Token]:
        return parts

    def value(self, parts: list[Token]) -> Token:
        (word,) = parts
        if word.type == "STRING":
            return word.update(value=re.sub(r"\\(.)", r"\1", word[1:-1]))
        if word in KEYWORDS:
            raise WrongValueError(place(word), *no_value(word))
        return word


_FLAGS: Final = {
    "comments": predicates.has_comments,
    "variations": predicates.has_variations,
}


def _asked(subject: Token, sign: str, values: Sequence[Token]) -> Predicate:
    """Return the question whether `subject` stands so to one of the values."""
    if subject.type == "NUMBER":
        if int(subject) == 0:
            raise WrongValueError(place(subject), "there is no ply 0", "1 or more")
        return predicates.move(int(subject), list(map(str, values)))
    if subject.type == "PLIES":
        return predicates.plies(_of_number(sign, list(map(int, values))))
    if subject.type == "POSITION":
        return _position(values)
    if subject == "setup" and sign == "=":
        return predicates.setup(list(map(str, values)))
    _refuse_unknown(subject, sign, values)
    return _named(subject, _of_text(subject, sign, list(map(str, values))))


def _named(subject: Token, test: TextTest) -> Predicate:
    """Return the question to what has this name."""
    if subject in _SPECIAL:
        return _SPECIAL[subject](test)
    if subject in (*NAMES, *ORDERED):
        return predicates.tag(subject.capitalize(), test)
    name = subject.removeprefix("tag.")
    if name == subject and name not in KNOWN_TAGS and name.lower() in WORDS:
        message = f"there is no tag {name}"
        expected = f"{name.lower()}, or tag.{name} for a tag of your own"
        raise WrongValueError(place(subject), message, expected)
    return predicates.tag(name, test)


_SPECIAL: Final[dict[str, Callable[[TextTest], Predicate]]] = {
    "result": predicates.result,
    "player": predicates.player,
    "winner": predicates.winner,
    "loser": predicates.loser,
}


def _of_text(subject: Token, sign: str, values: list[str]) -> TextTest:
    if sign == "~":
        return predicates.like(values[0])
    if subject == "date":
        return predicates.dated(values, sign)
    if sign == "=":
        return predicates.equals(values, as_numbers=subject.type == "ORDERED")
    return predicates.ordered(sign, values[0])


def _of_number(sign: str, values: list[int]) -> Callable[[int], bool]:
    if sign == "=":
        return frozenset(values).__contains__
    compare = predicates.ORDERS[sign]
    (bound,) = values
    return lambda number: compare(number, bound)


def _position(values: Sequence[Token]) -> Predicate:
    for value in values:
        if next(predicates.read_by(games.installed(), [value]), None) is None:
            message = f"{str(value)!r} is a position of no installed game"
            raise WrongValueError(place(value), message, "a text as `arena show --json` prints it")
    return predicates.passes(list(map(str, values)))


def _refuse_unknown(subject: Token, sign: str, values: Sequence[Token]) -> None:
    """Refuse what can never be true of a record: a slip of the pen would find nothing."""
    if sign == "~" or subject not in _ALLOWED:
        return
    allowed, expected = _ALLOWED[subject]
    for value in values:
        if not allowed.fullmatch(value):
            message = f"{str(value)!r} is no {subject}"
            raise WrongValueError(place(value), message, expected)


def _one_of(words: Sequence[str]) -> tuple[re.Pattern[str], str]:
    *most, last = words
    return re.compile("|".join(map(re.escape, words))), f"{', '.join(most)} or {last}"


_ALLOWED: Final = {
    "result": _one_of(RESULTS),
    "termination": _one_of([word.value for word in Termination]),
    "date": (re.compile(r"[0-9]{4}(?:-[0-9]{2}){0,2}"), "the form 2026-11-20, 2026-11 or 2026"),
}
