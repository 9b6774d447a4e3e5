"""The language of `--where`: a text into one question to a record. docs/queries.md describes it.

>>> from lath.notation import parse
>>> from lath.notation.query.query import compile_query
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
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from importlib import resources
from math import inf, prod
from operator import itemgetter
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final, cast

from lath import games
from lath.games.core import RESULTS, Game
from lath.games.parameters import family
from lath.games.parameters import of as parameters_of
from lath.notation.query.mistakes import (
    KEYWORDS,
    NAMES,
    OF_A_PLY,
    ORDERED,
    OTHER_TAGS,
    SEAT_WORDS,
    TAGS,
    WORDS,
    QueryError,
    WrongValueError,
    no_value,
    syntax_error,
)
from lath.notation.query.moments import (
    at,
    begins,
    comes_to,
    plays,
    positions_of,
    reaches,
    says,
    shows,
    then,
)
from lath.notation.query.patterns import PatternError, read_pattern
from lath.notation.query.plans import OfNumber, Plan, TextTest
from lath.notation.query.questions import (
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
from lath.notation.record.errors import listed
from lath.notation.record.record import Record
from lath.notation.record.tags import KNOWN_TAGS, Termination
from lath.notation.text.suggestions import about_game, about_unread_move, is_game
from lath.notation.tokens import unquoted

if TYPE_CHECKING:
    from lark import Lark
    from lark.lexer import Token

__all__ = ["QueryError", "compile_query", "doubts", "grammar", "plan_of"]

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


def quoted(value: str) -> str:
    """Return a text as a query has it for a value: a word as it stands, all else in quotes.

    >>> quoted("greedy-2"), quoted("Deep Blue"), quoted("and")
    ('greedy-2', '"Deep Blue"', '"and"')
    """
    if re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", value) and value not in KEYWORDS:
        return value
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


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
    told += question.hints
    told += [words for move in question.moves if (words := about_unread_move(move, named))]
    return list(dict.fromkeys(told))


def _question(text: str) -> Question:
    from lark.exceptions import UnexpectedCharacters, UnexpectedToken  # start-up time

    try:
        question: Question = _lark().parse(text)  # type: ignore[assignment]  # by the transformer
    except WrongValueError as error:
        raise QueryError(text, *error.args) from error
    except (UnexpectedToken, UnexpectedCharacters) as error:
        raise syntax_error(text, error) from error
    if question.depth > MAX_NESTING:
        raise QueryError(text, 0, f"the query is nested more than {MAX_NESTING} deep")
    return question


def grammar() -> str:
    """Return the text of `query.lark`."""
    return (resources.files("lath.notation") / "query.lark").read_text(encoding="utf-8")


def _position(parts: Sequence[Any]) -> Question:
    """Return what `[plain] position` asks, of one text or several."""
    *plain, _, last = parts
    values: list[Token] = last if isinstance(last, list) else [last]
    for value in values:
        if not _may_be_read(value):
            message = f"{str(value)!r} is a position of no installed game"
            raise WrongValueError(value, message, "a text as `arena show --json` prints it")
    return comes_to(list(map(str, values)), is_plain=bool(plain))


def _line(parts: Sequence[Token]) -> Question:
    """Return what `[plain] after` and `[plain] reached` ask of moves."""
    *plain, word, value = parts
    if not (moves := value.split()):
        raise WrongValueError(value, "there is no move", "moves such as 'e5 swap d4'")
    return (begins if word.type == "AFTER" else reaches)(moves, is_plain=bool(plain))


def _pattern(parts: Sequence[Token]) -> Question:
    """Return what `[plain] pattern "…" [on CELL] [in either colour]` asks."""
    by_type = {part.type: part for part in parts}
    value, cell = by_type["STRING"], by_type.get("WORD")
    try:
        pattern = read_pattern(
            str(value),
            cell=str(cell or ""),
            is_plain="PLAIN" in by_type,
            is_either="EITHER" in by_type,
        )
    except PatternError as error:
        raise WrongValueError(value, error.message, error.expected, 1 + error.at) from error
    if cell and not _some_game(lambda game: cell in game.board.bit):
        raise WrongValueError(
            cell, f"{str(cell)!r} is a cell of no installed game", "one such as c3"
        )
    if not _some_game(lambda game: pattern.on(game) is not None):
        raise WrongValueError(
            value,
            f"no installed game can have this pattern{f' on {cell}' if cell else ''}",
            "letters of one game's pieces, which fit onto its board",
        )
    return shows(pattern)


_COLUMNS: Final = {"time": "time_s", "clock": "clock_s"}
"""Where what annotations say has another name among the columns of plies."""

_WHOSE: Final = ("mover", "first", "second", "winner", "loser")


def _number(parts: Sequence[Token]) -> Question:
    """Return what `eval of first > 0.5` and the like ask."""
    what, *whose, last = parts
    bounds: list[tuple[Any, float]]
    if last.type == "RANGE":
        low, high = map(number, last.split(".."))
        if low is None or high is None:
            message = f"{str(last)!r} is no range of numbers"
            raise WrongValueError(last, message, "one such as 0.5..1")
        if low > high:
            raise _range_error(last)
        bounds = [(">=", float(low)), ("<=", float(high))]
    else:
        bounds = [(whose.pop(), float(last))]
    of: str = str(whose[0]) if whose else "mover"
    if whose and whose[0].type == "STRING":
        of = f"player {of}"
    elif of not in _WHOSE:
        alike = difflib.get_close_matches(of, _WHOSE, n=1)
        expected = f"{listed(_WHOSE, 'or')}, or a name in quotes"
        message = f"{of!r} is nobody"
        if alike:
            message, expected = f"{of!r} is nobody: did you mean {alike[0]!r}?", ""
        raise WrongValueError(whose[0], message, expected)
    column: Any = _COLUMNS.get(what, str(what))
    signs = tuple((str(sign), bound) for sign, bound in bounds)
    return says(OfNumber(column, of, signs))  # type: ignore[arg-type]  # the grammar has no other


def _at(parts: Sequence[Any]) -> Question:
    """Return what a moment with `at …` asks."""
    question, when = parts
    if when.type == "NUMBER":
        if int(when) == 0 and isinstance(question.plan, OfNumber):
            raise WrongValueError(when, "there is no ply 0", "1 or more")
        return at(question, int(when))
    return question if when == "any" else at(question, "every" if when == "every" else "last")


def _sequence(parts: Sequence[Any]) -> Question:
    """Return what `A then B` asks, with `within N plies` or without."""
    if len(parts) == 1:
        return cast("Question", parts[0])
    questions: list[Question] = []
    within: list[int | None] = []
    mark: Token | None = None
    for part in parts:
        if isinstance(part, Question):
            questions.append(part)
            if mark is not None and part.judged is None:
                raise _no_plies(mark, "after")
        elif part.type == "THEN":
            if mark is None and questions[0].judged is None:
                raise _no_plies(part, "before")
            mark = part
            within.append(None)
        else:
            if int(part) == 0:
                raise WrongValueError(part, "nothing is later within 0 plies", "1 or more")
            within[-1] = int(part)
    return then(questions, within)


def _no_plies(mark: Token, where: str) -> WrongValueError:
    return WrongValueError(mark, f"what stands {where} 'then' is of no single ply", OF_A_PLY)


def _may_be_read(text: str) -> bool:
    """Return whether a text is a position of an installed game, or may be with parameters."""
    return _some_game(lambda game: bool(positions_of([game], [text])))


def _some_game(reads: Callable[[Game], bool]) -> bool:
    """Return whether this is so of an installed game, or may be with parameters."""
    installed = games.installed()
    return any(map(reads, installed)) or any(
        prod(len(each.values) for each in parameters_of(game)) > _MANY_GAMES
        or any(map(reads, family(game)))
        for game in installed
    )


_MANY_GAMES: Final = 200
"""That parameters of a game may make, before anything is taken for a text of one. All 120 of ours
are made in a quarter of a second."""


def _asked(subject: Token, sign: str, values: Sequence[Token]) -> Question:
    """Return the question whether `subject` stands so to one of the values."""
    texts = list(map(str, values))
    if subject.type == "NUMBER":
        if int(subject) == 0:
            raise WrongValueError(subject, "there is no ply 0", "1 or more")
        return plays(texts, int(subject))
    if values[0].type == "RANGE":
        return _in_range(subject, values[0])
    if subject.type == "PLIES":
        return of_plies([_COUNTS[sign](int(text)) for text in texts])
    if subject == "setup" and sign == "=":
        return of_setup(texts)
    question = _named(subject, _text_test(subject, sign, values))
    name = subject.removeprefix("tag.")
    is_game = name.capitalize() == "Game" and sign == "="
    if hints := _hints(name, texts):
        return replace(question, hints=hints)
    return replace(question, games=tuple(texts)) if is_game else question


def _hints(name: str, texts: Sequence[str]) -> tuple[str, ...]:
    """Return what was surely meant by a test that finds nothing, for it is called otherwise."""
    if name in OTHER_TAGS:
        return (f"records have {OTHER_TAGS[name]} in the place of {name}",)
    if name in ("winner", "loser"):
        return tuple(
            f"{name} is a player's name; did you mean result = "
            f"{won if name == 'winner' else won.reversed}?"
            for text in texts
            if (won := SEAT_WORDS.get(text.lower()))
        )
    return ()


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
        raise WrongValueError(value, f"{str(value)!r} is no range of plies", "one such as 20..30")
    elif least is not None and most is not None:
        is_empty = least > most
    elif least is most:
        is_empty = low > high
    else:
        raise WrongValueError(value, f"{str(value)!r} has one number alone", "two, or none")
    if is_empty:
        raise _range_error(value)
    if subject.type == "PLIES":
        return of_plies([(int(low), int(high))])
    compared = dated_so if subject == "date" else ordered
    return _named(subject, both(compared(">=", low), compared("<=", high)))


def _range_error(value: Token) -> WrongValueError:
    """Return the error of a range that nothing lies in."""
    low, high = value.split("..")
    return WrongValueError(value, "the range ends before it begins", f"{high}..{low}")


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
    """Raise WrongValueError for what no record can have: a slip of the pen would find nothing."""
    if subject in _ALLOWED:
        allowed, expected = _ALLOWED[subject]
        if not allowed.fullmatch(value):
            raise WrongValueError(value, f"{str(value)!r} is no {subject}", expected)
    if subject == "date":
        _require_day(value)


def _require_day(value: Token) -> None:
    """Raise WrongValueError for a date that no calendar has, as far as it goes."""
    year, month, day = (*map(int, value.split("-")), 1, 1)[:3]
    if not 1 <= month <= 12:
        raise WrongValueError(value, f"there is no month {value[5:7]}", "01 to 12")
    days = monthrange(year or 4, month)[1]  # calendars begin with 1; 4 has a 29 February, too
    if not 1 <= day <= days:
        raise WrongValueError(value, f"{value[:7]} has no day {value[8:]}", f"01 to {days}")


def _one_of(words: Collection[str]) -> tuple[re.Pattern[str], str]:
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
        raise WrongValueError(subject, f"there is no tag {name}", expected)
    elif name == subject and (meant := TAGS.get(name.casefold(), name)) != name:
        raise WrongValueError(
            subject, f"there is no tag {name}", f"{meant}, or tag.{name} for a tag of your own"
        )
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
    if word in KEYWORDS:
        raise no_value(word)
    return _unquoted(parts)


def _unquoted(parts: Sequence[Token]) -> Token:
    (word,) = parts
    return word.update(value=unquoted(word)) if word.type == "STRING" else word


_BUILDERS: Final[Mapping[str, Callable[[list[Any]], Any]]] = {
    **dict.fromkeys(("query", "nested", "move", "when", "within"), itemgetter(0)),
    **dict.fromkeys(("values", "numbers", "texts"), list),
    "any_of": partial(joined, True),
    "all_of": partial(joined, False),
    "inverse": lambda parts: inverse(parts[-1]),
    "flag": lambda parts: _FLAGS[parts[0]],
    "contains": lambda parts: plays([str(parts[0])]),
    "position": _position,
    "line": _line,
    "pattern": _pattern,
    "number": _number,
    "at": _at,
    "sequence": _sequence,
    "whose": _unquoted,
    **dict.fromkeys(("comparison", "membership"), _comparison),
    "value": _value,
}
"""What the parser makes of each rule while it reduces; no tree stands in between."""


@cache
def _lark() -> Lark:
    from lark import Lark  # start-up time

    builders: Any = SimpleNamespace(**_BUILDERS)  # all that Lark asks of a Transformer
    return Lark(
        grammar(),
        start="query",
        parser="lalr",
        lexer="contextual",
        maybe_placeholders=False,
        transformer=builders,
    )
