"""The language of `--where`: a text into one question to a record. docs/queries.md describes it.

>>> from lath.notation import parse
>>> from lath.notation.query import compile_query
>>> matches = compile_query("game = yavalath and (winner = ann or plies > 20)")
>>> matches(parse('[Game "yavalath"] [First "ann"] e5 1-0'))
True

`query.lark` is the grammar. The text is read once; what is asked of a record are functions inside
each other, the cheap ones first. Lark is loaded with the first query: it takes a while.
"""

from __future__ import annotations

import difflib
import re
from calendar import monthrange
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache, lru_cache, partial
from importlib import resources
from itertools import chain, product
from math import prod
from operator import attrgetter, eq, ge, gt, itemgetter, le, lt
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final

from lath import games
from lath.games.core import Game, Position
from lath.games.errors import PositionError
from lath.games.parameters import family
from lath.games.parameters import of as parameters_of
from lath.notation.archive import start_text
from lath.notation.errors import NotationError, listed, printable
from lath.notation.record import KNOWN_TAGS, RESULTS, RULES, Record, Termination, all_comments
from lath.notation.replay import game_by, positions, spellings
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
    shown = {"NAME"} if "NAME" in wanted else wanted
    words = [words for name, words in _ENGLISH.items() if name in shown]
    if {"NOT", "_IN"} <= shown:
        words.append("'not in'")
    expected = listed(words, "or")
    if isinstance(error, UnexpectedToken) and error.token.type == "$END":
        message = "the query ends too early" if text.strip() else "the query is empty"
        return QueryError(text, len(text.rstrip()), message, expected)
    assert at is not None
    if text[at] in "\"'" and "WORD" in wanted:
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


TextTest = Callable[[str], bool]
"""Says whether a text passes."""

_SIGNS: Final = {"=": eq, "<": lt, "<=": le, ">": gt, ">=": ge}


def equals(values: Collection[str], *, as_numbers: bool) -> TextTest:
    """Return whether a text is one of the values, with numbers also whether it is the same number.

    >>> equals(["3", "final"], as_numbers=True)("03")
    True
    """
    numbers = {number(value) for value in values} - {None} if as_numbers else set()
    wanted = frozenset(values) - {""}
    if not numbers:
        return wanted.__contains__
    return lambda text: text in wanted or number(text) in numbers


def ordered(order: str, value: str) -> TextTest:
    """Return whether a text stands so to the value: as numbers if that is one, else by letters.

    >>> ordered("<", "10")("9"), ordered("<", "10")("nine"), ordered("<", "b")("9")
    (True, False, True)
    """
    compare = _SIGNS[order]
    bound = number(value)
    if bound is None:
        return lambda text: text != "" and compare(text, value)

    def test(text: str) -> bool:
        found = number(text)
        return found is not None and compare(found, bound)

    return test


_NUMBER: Final = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?")


def number(text: str) -> Decimal | None:
    """Return the exact number that a text is; None where it is none.

    >>> number("-0.50"), number("1e5"), number("nan")
    (Decimal('-0.50'), None, None)
    """
    return Decimal(text) if _NUMBER.fullmatch(text) else None


def like(pattern: str) -> TextTest:
    """Return whether the whole of a text is like the pattern, no matter the case.

    In it `*` is any text and `?` any one letter. What stands between stars is looked for from the
    left and kept where it is found first, which is enough, so that no pattern is slow.

    >>> like("gre*y?")("GREEDY2"), like("greed")("greedy")
    (True, False)
    """
    first, *others = (re.escape(part).replace(r"\?", ".") for part in pattern.split("*"))
    if others:
        *middle, last = others
        first += "".join(f"(?>.*?{part})" for part in middle) + f".*{last}"
    compiled = re.compile(first, re.IGNORECASE | re.DOTALL)
    return lambda text: text != "" and compiled.fullmatch(text) is not None


def dated(dates: Collection[str], order: str = "=") -> TextTest:
    """Return whether a text is a date that stands so to one of the dates, as far as that goes.

    >>> dated(["2026-11"])("2026-11-20"), dated(["2026-11"], ">")("2026-11-20")
    (True, False)
    """
    compare = _SIGNS[order]

    def test(text: str) -> bool:
        is_date = re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text)
        return bool(is_date) and any(compare(text[: len(date)], date) for date in dates)

    return test


_TAG, _PLIES, _MOVES, _SETUP, _COMMENTS, _REPLAY = 1, 2, 10, 50, 100, 10_000
"""What questions cost; only the order of the sums matters."""

_once_a_game: Final = lru_cache(1 << 8)
"""Remembers answers for that many games; a file may name any number."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question about a record."""

    matches: Callable[[Record], bool]
    cost: int
    depth: int = 1
    """How many calls it takes inside each other."""

    games: tuple[str, ...] = ()
    """The ids that it asks for."""

    moves: tuple[str, ...] = ()
    """The moves that it asks for, as the query has them."""


def joined(decisive: bool, parts: Sequence[Question]) -> Question:
    """Return the answer of several: `decisive` as soon as one says so; the cheap are asked first.

    So `or` is joined by True, and `and` by False.
    """
    if len(parts) == 1:
        return parts[0]
    asked = tuple(part.matches for part in sorted(parts, key=attrgetter("cost")))

    def matches(record: Record) -> bool:
        for ask in asked:
            if ask(record) is decisive:
                return decisive
        return not decisive

    return Question(
        matches,
        sum(part.cost for part in parts),
        1 + max(part.depth for part in parts),
        tuple(chain.from_iterable(part.games for part in parts)),
        tuple(chain.from_iterable(part.moves for part in parts)),
    )


def inverse(part: Question) -> Question:
    """Return whether it says no."""
    ask = part.matches
    return replace(part, matches=lambda record: not ask(record), depth=part.depth + 1)


def setup(texts: Collection[str]) -> Question:
    """Return whether the tag Setup says one of these setups, as its game reads them."""
    wanted = _once_a_game(lambda game_id: {start_text(game_id, text, "") for text in texts})

    def matches(record: Record) -> bool:
        found = record.tag("Setup")
        return found != "" and start_text(record.game, found, "") in wanted(record.game)

    return Question(matches, _SETUP)


def plays(texts: Collection[str], where: slice, cost: int) -> Question:
    """Return whether there the main line has one of these moves, as its game reads them."""

    def matches(record: Record) -> bool:
        spelled = spellings(record.game, record.tag(RULES))
        wanted = {spelled[text] for text in texts}
        return any(spelled[move] in wanted for move in record.moves[where])

    return Question(matches, cost, moves=tuple(texts))


def passes(values: Sequence[Token]) -> Question:
    """Return whether some position of the main line is one of these, as its game reads them.

    Plays the moves: raises GameError where a record breaks the rules before it comes to one. Where
    the game reads none of the texts nothing is played.
    """
    for value in values:
        if not _may_be_read(value):
            message = f"{str(value)!r} is a position of no installed game"
            raise _WrongValueError(value, message, "a text as `arena show --json` prints it")

    @_once_a_game
    def wanted(game_id: str, rules: str) -> set[Position]:
        return _positions_of([game_by(game_id, rules)], values)

    def matches(record: Record) -> bool:
        sought = wanted(record.game, record.tag(RULES))
        return bool(sought) and not sought.isdisjoint(positions(record))

    return Question(matches, _REPLAY)


def _may_be_read(text: str) -> bool:
    """Return whether a text is a position of an installed game, or may be with parameters."""
    installed = games.installed()
    return bool(_positions_of(installed, [text])) or any(
        prod(len(each.values) for each in parameters_of(game)) > _MANY_GAMES
        or _positions_of(family(game), [text])
        for game in installed
    )


_MANY_GAMES: Final = 200
"""That parameters of a game may make, before anything is taken for a position of one. All 120 of
ours are made in a quarter of a second."""


def _positions_of(readers: Iterable[Game], texts: Iterable[str]) -> set[Position]:
    """Return the positions that some text is of in some of the games."""
    found = set()
    for game, text in product(readers, texts):
        with suppress(PositionError):
            found.add(game.position(str(text)))
    return found


def _asked(subject: Token, sign: str, values: Sequence[Token]) -> Question:
    """Return the question whether `subject` stands so to one of the values."""
    texts = list(map(str, values))
    if subject.type == "NUMBER":
        if int(subject) == 0:
            raise _WrongValueError(subject, "there is no ply 0", "1 or more")
        return plays(texts, slice(int(subject) - 1, int(subject)), _PLIES)
    if subject.type == "PLIES":
        compare, bounds = _SIGNS[sign], list(map(int, texts))
        return Question(
            lambda record: any(compare(len(record.plies), bound) for bound in bounds), _PLIES
        )
    if subject.type == "POSITION":
        return passes(values)
    if subject == "setup" and sign == "=":
        return setup(texts)
    question = _named(subject, _text_test(subject, sign, values))
    is_game = subject.removeprefix("tag.").capitalize() == "Game" and sign == "="
    return replace(question, games=tuple(texts)) if is_game else question


def _text_test(subject: Token, sign: str, values: Sequence[Token]) -> TextTest:
    """Return whether a text stands so to one of the values, of which but `=` takes one alone."""
    first, *_ = texts = list(map(str, values))
    if sign == "~":
        return like(first)
    if subject in _ALLOWED:
        allowed, expected = _ALLOWED[subject]
        for value in values:
            if not allowed.fullmatch(value):  # a slip of the pen would find nothing
                raise _WrongValueError(value, f"{str(value)!r} is no {subject}", expected)
    if subject == "date":
        for value in values:
            _require_day(value)
        return dated(texts, sign)
    if sign == "=":
        return equals(texts, as_numbers=subject.type == "ORDERED")
    return ordered(sign, first)


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
    if texts_of := _TEXTS.get(subject):
        return Question(lambda record: any(map(test, texts_of(record))), 2 * _TAG)
    name = subject.removeprefix("tag.")
    if subject in (*NAMES, *ORDERED):
        name = subject.capitalize()
    elif name == subject and name not in KNOWN_TAGS and name.lower() in WORDS:
        expected = f"{name.lower()}, or tag.{name} for a tag of your own"
        raise _WrongValueError(subject, f"there is no tag {name}", expected)
    return Question(lambda record: test(record.tag(name)), _TAG)


_SEATS: Final = {"1-0": ("First", "Second"), "0-1": ("Second", "First")}
"""Who won and who lost."""

_TEXTS: Final[Mapping[str, Callable[[Record], Iterable[str]]]] = {
    "result": lambda record: [record.result],
    "player": lambda record: [record.tag("First"), record.tag("Second")],
    "winner": lambda record: map(record.tag, _SEATS.get(record.result, ())[:1]),
    "loser": lambda record: map(record.tag, _SEATS.get(record.result, ())[1:]),
}
"""What is said of a record under names that are no tags' of their own."""


_FLAGS: Final[Mapping[str, Question]] = {
    # `[%emt 0.5]` alone are no words
    "comments": Question(
        lambda record: any(
            isinstance(part, str) for comment in all_comments(record) for part in comment
        ),
        _COMMENTS,
    ),
    "variations": Question(lambda record: any(ply.variations for ply in record.plies), _COMMENTS),
}


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
    **dict.fromkeys(("values", "numbers"), list),
    "any_of": partial(joined, True),
    "all_of": partial(joined, False),
    "inverse": lambda parts: inverse(parts[-1]),
    "flag": lambda parts: _FLAGS[parts[0]],
    "contains": lambda parts: plays([str(parts[0])], slice(None), _MOVES),
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
