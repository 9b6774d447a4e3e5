"""The language of `--where`: a text into one question to a record. docs/queries.md describes it.

>>> from lath.notation import parse
>>> from lath.notation.query import compile_query
>>> matches = compile_query("game = yavalath and (winner = ann or plies > 20)")
>>> matches(parse('[Game "yavalath"] [First "ann"] e5 1-0'))
True

`query.lark` is the grammar. The text is read once; what is asked of a record are `questions` inside
each other, the cheap ones first. Lark is loaded with the first query: it takes a while.
"""

from __future__ import annotations

import difflib
import re
from calendar import monthrange
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from importlib import resources
from math import inf, prod
from operator import itemgetter
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final

from lath import games
from lath.games.parameters import family
from lath.games.parameters import of as parameters_of
from lath.notation.errors import NotationError, listed, printable
from lath.notation.moments import begins, comes_to, plays, positions_of, reaches
from lath.notation.plans import Plan, TextTest
from lath.notation.questions import (
    WITH_COMMENTS,
    WITH_VARIATIONS,
    Question,
    both,
    dated,
    dated_so,
    equals,
    inverse,
    joined,
    like,
    number,
    of_plies,
    of_result,
    of_setup,
    of_tags,
    of_winner,
    ordered,
)
from lath.notation.record import KNOWN_TAGS, RESULTS, Record, Termination
from lath.notation.suggestions import about_game, about_unread_move, is_game

if TYPE_CHECKING:
    from lark import Lark
    from lark.exceptions import UnexpectedCharacters, UnexpectedToken
    from lark.lexer import Token

NAMES: Final = (
    *("game", "event", "first", "second", "player", "winner", "loser"),
    *("result", "termination", "setup"),
)
"""What is compared as text: by `=`, `!=`, `~` and `in`."""

ORDERED: Final = ("round", "date")
"""What has an order besides; as every tag by its own name has."""

WORDS: Final = (
    *(*NAMES, *ORDERED, "plies", "move", "comments", "variations"),
    *("position", "after", "reached", "plain"),
)
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
    "STRING": "a text in quotes",
    "POSITION": "'position'",
    "AFTER": "'after'",
    "REACHED": "'reached'",
    "LPAR": "a list such as (a, b)",
    "RANGE": "a range such as 20..30",
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
    """The text is no query; the message says what was expected, under the line with a caret."""

    def __init__(self, text: str, at: int, message: str, expected: str = "") -> None:
        self.at = at
        """Where, in characters from the start."""
        whole = f"{message}; expected {expected}" if expected else message
        start = text.rfind("\n", 0, at) + 1
        line = text[start:].partition("\n")[0]
        shown = printable(line).replace("\t", " ")
        super().__init__(f"{whole}\n  {shown}\n  {' ' * (at - start)}^")


MAX_NESTING: Final = 100
"""Parentheses and `not` inside each other; far beyond what people write."""


def compile_query(text: str) -> Callable[[Record], bool]:
    """Return whether a record matches, as a function; raises QueryError.

    The function raises GameError where the query asks for a position and the record cannot be
    played. It keeps what it learns of games, so that it is best kept for all records.
    """
    return _question(text).matches


def plan_of(text: str) -> Plan:
    """Return what a query asks, as a tree of values; raises QueryError.

    >>> plan_of("plies in 20..30 and not contains move swap").parts
    (OfPlies(ranges=((20, 30),)), Not(part=OfMove(moves=('swap',), ply=None)))
    """
    return _question(text).plan


def doubts(text: str) -> list[str]:
    """Return what in a query may be a slip, a sentence each; raises QueryError.

    A game that is not installed, and a move that no game reads which the query names, else no
    installed one. Neither is wrong: a record may have either. For who finds nothing.

    >>> doubts("game = yavalat")
    ["no game 'yavalat' is installed; did you mean 'yavalath'?"]
    """
    question = _question(text)
    named = [game for game in question.games if is_game(game)]
    told = [about_game(game) for game in question.games if game not in named]
    told += [words for move in question.moves if (words := about_unread_move(move, named))]
    return list(dict.fromkeys(told))


def _question(text: str) -> Question:
    from lark.exceptions import UnexpectedCharacters, UnexpectedToken

    try:
        question: Question = _lark().parse(text)  # type: ignore[assignment]  # by the transformer
    except _WrongValueError as error:
        raise QueryError(text, *error.args) from error
    except (UnexpectedToken, UnexpectedCharacters) as error:
        raise _syntax_error(text, error) from error
    if question.depth > MAX_NESTING:
        raise QueryError(text, 0, f"the query is nested more than {MAX_NESTING} deep")
    return question


def grammar() -> str:
    """Return the text of `query.lark`."""
    return (resources.files("lath.notation") / "query.lark").read_text(encoding="utf-8")


class _WrongValueError(Exception):
    """A value or a name means nothing, though the grammar takes it; has QueryError's arguments."""

    def __init__(self, token: Token, message: str, expected: str) -> None:
        super().__init__(token.start_pos, message, expected)


def _no_value(keyword: Token) -> _WrongValueError:
    """Return the error of a keyword where a value should stand."""
    return _WrongValueError(
        keyword, f"{str(keyword)!r} is no value", "a value before it, or it in quotes"
    )


def _syntax_error(text: str, error: UnexpectedToken | UnexpectedCharacters) -> QueryError:
    """Return what Lark found wrong with the text of a query."""
    from lark.exceptions import UnexpectedToken

    last = error.token_history[-1] if error.token_history else None
    if last is not None and last.type == "WORD" and last in KEYWORDS:
        return QueryError(text, *_no_value(last).args)
    at = error.pos_in_stream
    if last is not None and last.type == "WORD" and text[last.end_pos or 0 :][:1] == "=":
        # as the id of a game with parameters has one
        return QueryError(text, last.start_pos or 0, "the value has a '='", "it in quotes")
    if at is not None and (slip := _slip(text, at, last)):
        return slip
    wanted: set[str] = error.interactive_parser.accepts()  # type: ignore[no-untyped-call]
    expected = _in_english(wanted)
    if isinstance(error, UnexpectedToken) and error.token.type == "$END":
        message = "the query ends too early" if text.strip() else "the query is empty"
        return QueryError(text, len(text.rstrip()), message, expected)
    assert at is not None
    if text[at] in "\"'" and "STRING" in wanted:
        read = re.compile(r"""(["'])(?:(?!\1)[^\\]|\\["'\\])*""").match(text, at)
        assert read is not None
        if text[read.end() : read.end() + 1] == "\\":
            escape = text[read.end() : read.end() + 2]
            return QueryError(text, read.end(), f"unknown escape {escape!r}", r"\" or \' or \\")
        return QueryError(text, at, "the text is never closed", f"{text[at]} at its end")
    word = _WORD.match(text, at)
    found = word[0] if word else text[at]
    if "NAME" in wanted and found.isidentifier() and found not in KEYWORDS:
        alike = difflib.get_close_matches(found.lower(), [*WORDS, "contains", "not"], n=1)
        if alike:
            message = f"nothing is called {found!r}: did you mean {alike[0]!r}?"
            return QueryError(text, at, message)
        expected = f"one of {', '.join(WORDS)}, contains, or a tag such as Annotator"
        return QueryError(text, at, f"nothing is called {found!r}", expected)
    return QueryError(text, at, f"{found!r} does not belong here", expected)


def _in_english(terminals: set[str]) -> str:
    """Return what may stand somewhere, as a list in words."""
    shown = {"NAME"} if "NAME" in terminals else terminals
    if "WORD" in shown:
        shown = shown - {"STRING"}
    words = [words for name, words in _ENGLISH.items() if name in shown]
    if {"NOT", "_IN"} <= shown:
        words.append("'not in'")
    return listed(words, "or")


_WORD: Final = re.compile(r"[\w.+/:@#%*?-]{1,40}|[<>=!]+")

_MEANT: Final = {
    **dict.fromkeys(("==", "===", ":=", "is", "equals"), "="),
    **dict.fromkeys(("<>", "!==", "=!", "\N{NOT EQUAL TO}"), "!="),
    **dict.fromkeys(("=<", "\N{LESS-THAN OR EQUAL TO}"), "<="),
    **dict.fromkeys(("=>", "\N{GREATER-THAN OR EQUAL TO}"), ">="),
    **dict.fromkeys(("=~", "~=", "~~", "like"), "~"),
    **dict.fromkeys(("&", "&&"), "and"),
    **dict.fromkeys(("|", "||"), "or"),
    "!": "not",
}
"""What other languages write for our signs and words; in capitals they are others, too."""

_OURS: Final = (*KEYWORDS, "in", "contains")

_SIGN: Final = re.compile(
    r"[<>=!&|~:\N{NOT EQUAL TO}\N{LESS-THAN OR EQUAL TO}"
    r"\N{GREATER-THAN OR EQUAL TO}]+"
)


def _slip(text: str, at: int, last: Token | None) -> QueryError | None:
    """Return the error of a sign or word that another language has in the place of one of ours.

    `last` is what was read before `at`, where the text is refused.
    """
    if last is not None and last.type == "POSITION" and text[at : at + 1] in ("=", "!"):
        meant = 'position "…", or plain position "…" without images'
        return QueryError(text, at, f"a position has no {text[at]!r}", meant)
    begin = at
    while begin and _SIGN.match(text, begin - 1):  # "==" is refused at its second sign
        begin -= 1
    found = _SIGN.match(text, begin) or _WORD.match(text, begin)
    word = found[0] if found else ""
    if last is not None and last.type == "ORDERED" and last.lower() in _OURS:
        begin, word = last.start_pos or 0, str(last)  # what begins with a capital was a tag's name
    lower = word.lower()
    meant = lower if lower in _OURS and lower != word else _MEANT.get(lower, "")
    return QueryError(text, begin, f"{word!r}: did you mean {meant!r}?") if meant else None


def _position(parts: Sequence[Any]) -> Question:
    """Return what `[plain] position` asks, of one text or several."""
    *plain, _, last = parts
    values: list[Token] = last if isinstance(last, list) else [last]
    for value in values:
        if not _may_be_read(value):
            message = f"{str(value)!r} is a position of no installed game"
            raise _WrongValueError(value, message, "a text as `arena show --json` prints it")
    return comes_to(list(map(str, values)), is_plain=bool(plain))


def _line(parts: Sequence[Token]) -> Question:
    """Return what `[plain] after` and `[plain] reached` ask of moves."""
    *plain, word, value = parts
    moves = value.split()
    if not moves:
        raise _WrongValueError(value, "there is no move", "moves such as 'e5 swap d4'")
    ask = begins if word.type == "AFTER" else reaches
    return ask(moves, is_plain=bool(plain))


def _may_be_read(text: str) -> bool:
    """Return whether a text is a position of an installed game, or may be with parameters."""
    installed = games.installed()
    return bool(positions_of(installed, [text])) or any(
        prod(len(each.values) for each in parameters_of(game)) > _MANY_GAMES
        or positions_of(family(game), [text])
        for game in installed
    )


_MANY_GAMES: Final = 200
"""That parameters of a game may make, before anything is taken for a position of one. All 120 of
ours are made in a quarter of a second."""


def _asked(subject: Token, sign: str, values: Sequence[Token]) -> Question:
    """Return the question whether `subject` stands so to one of the values."""
    texts = list(map(str, values))
    if subject.type == "NUMBER":
        if int(subject) == 0:
            raise _WrongValueError(subject, "there is no ply 0", "1 or more")
        return plays(texts, int(subject))
    if values[0].type == "RANGE":
        return _in_range(subject, values[0])
    if subject.type == "PLIES":
        return of_plies([_COUNTS[sign](int(text)) for text in texts])
    if subject == "setup" and sign == "=":
        return of_setup(texts)
    question = _named(subject, _text_test(subject, sign, values))
    is_game = subject.removeprefix("tag.").capitalize() == "Game" and sign == "="
    return replace(question, games=tuple(texts)) if is_game else question


def _in_range(subject: Token, value: Token) -> Question:
    """Return whether `subject` lies in a range such as 20..30, of which both ends are part."""
    low, high = ends = value.split("..")
    least, most = number(low), number(high)
    if subject == "date":
        for end in ends:
            _require_allowed(subject, value.update(value=end))
        length = min(map(len, ends))
        is_empty = low[:length] > high[:length]
    elif subject.type == "PLIES" and not all(re.fullmatch("[0-9]{1,9}", end) for end in ends):
        raise _WrongValueError(value, f"{str(value)!r} is no range of plies", "one such as 20..30")
    elif least is not None and most is not None:
        is_empty = least > most
    elif least is most:
        is_empty = low > high
    else:
        raise _WrongValueError(value, f"{str(value)!r} has one number alone", "two, or none")
    if is_empty:
        raise _WrongValueError(value, "the range ends before it begins", f"{high}..{low}")
    if subject.type == "PLIES":
        return of_plies([(int(low), int(high))])
    compared = dated_so if subject == "date" else ordered
    return _named(subject, both(compared(">=", low), compared("<=", high)))


_COUNTS: Final[Mapping[str, Callable[[int], tuple[int, float]]]] = {
    "=": lambda bound: (bound, bound),
    "<": lambda bound: (0, bound - 1),
    "<=": lambda bound: (0, bound),
    ">": lambda bound: (bound + 1, inf),
    ">=": lambda bound: (bound, inf),
}
"""The whole numbers that stand so to another: the least and the greatest."""


def _text_test(subject: Token, sign: str, values: Sequence[Token]) -> TextTest:
    """Return whether a text stands so to one of the values, of which but `=` takes one alone."""
    first, *_ = texts = list(map(str, values))
    if sign == "~":
        return like(first)
    for value in values:
        _require_allowed(subject, value)
    if subject == "date":
        return dated(texts) if sign == "=" else dated_so(sign, first)
    if sign == "=":
        return equals(texts, as_numbers=subject.type == "ORDERED")
    return ordered(sign, first)


def _require_allowed(subject: Token, value: Token) -> None:
    """Raise _WrongValueError for what no record can have: a slip of the pen would find nothing."""
    if subject in _ALLOWED:
        allowed, expected = _ALLOWED[subject]
        if not allowed.fullmatch(value):
            raise _WrongValueError(value, f"{str(value)!r} is no {subject}", expected)
    if subject == "date":
        _require_day(value)


def _require_day(value: Token) -> None:
    """Raise _WrongValueError for a date that no calendar has, as far as it goes."""
    year, month, day = (*map(int, value.split("-")), 1, 1)[:3]
    months = 12
    if not 1 <= month <= months:
        raise _WrongValueError(value, f"there is no month {value[5:7]}", "01 to 12")
    days = monthrange(year or 4, month)[1]  # calendars begin with 1; 4 has a 29 February, too
    if not 1 <= day <= days:
        raise _WrongValueError(value, f"{value[:7]} has no day {value[8:]}", f"01 to {days}")


def _one_of(words: Sequence[str]) -> tuple[re.Pattern[str], str]:
    return re.compile("|".join(map(re.escape, words))), listed(words, "or")


_ALLOWED: Final = {
    "result": _one_of(RESULTS),
    "termination": _one_of([word.value for word in Termination]),
    "date": (re.compile(r"[0-9]{4}(?:-[0-9]{2}){0,2}"), "the form 2026-11-20, 2026-11 or 2026"),
}
"""Forms of the values that a record can have at all, and how people are told of them."""


def _named(subject: Token, test: TextTest) -> Question:
    """Return whether something that has this name passes."""
    if subject == "result":
        return of_result(test)
    if subject == "player":
        return of_tags(("First", "Second"), test)
    if subject in ("winner", "loser"):
        return of_winner(test, is_loser=subject == "loser")
    name = subject.removeprefix("tag.")
    if subject in (*NAMES, *ORDERED):
        name = subject.capitalize()
    elif name == subject and name not in KNOWN_TAGS and name.lower() in WORDS:
        expected = f"{name.lower()}, or tag.{name} for a tag of your own"
        raise _WrongValueError(subject, f"there is no tag {name}", expected)
    return of_tags((name,), test)


_FLAGS: Final[Mapping[str, Question]] = {"comments": WITH_COMMENTS, "variations": WITH_VARIATIONS}


def _comparison(parts: Sequence[Any]) -> Question:
    """Return what `subject sign value` and `subject [not] in values` ask."""
    subject, *signs, values = parts
    sign = str(signs[0]) if signs else "="
    is_negated = sign in ("!=", "not")
    values = values if isinstance(values, list) else [values]
    question = _asked(subject, "=" if is_negated else sign, values)
    return inverse(question) if is_negated else question


def _value(parts: Sequence[Token]) -> Token:
    (word,) = parts
    if word.type == "STRING":
        return word.update(value=re.sub(r"\\(.)", r"\1", word[1:-1]))
    if word in KEYWORDS:
        raise _no_value(word)
    return word


_BUILDERS: Final[Mapping[str, Callable[[list[Any]], Any]]] = {
    **dict.fromkeys(("query", "nested", "move"), itemgetter(0)),
    **dict.fromkeys(("values", "numbers", "texts"), list),
    "any_of": partial(joined, True),
    "all_of": partial(joined, False),
    "inverse": lambda parts: inverse(parts[-1]),
    "flag": lambda parts: _FLAGS[parts[0]],
    "contains": lambda parts: plays([str(parts[0])]),
    "position": _position,
    "line": _line,
    **dict.fromkeys(("comparison", "membership"), _comparison),
    "value": _value,
}
"""What the parser makes of each rule while it reduces; no tree stands in between."""


@cache
def _lark() -> Lark:
    from lark import Lark

    builders: Any = SimpleNamespace(**_BUILDERS)  # all that Lark asks of a Transformer
    return Lark(
        grammar(),
        start="query",
        parser="lalr",
        lexer="contextual",
        maybe_placeholders=False,
        transformer=builders,
    )
