"""The operators of queries: their words, their meaning for a record, and their cost.

A query is a tree of plans, and each class of plans is one operator. There is a row for each in
`OPERATORS`, and one in `database.asking` for asking a database. The functions in `READERS` make
plans from a text.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from math import inf, prod
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar

from lath import games
from lath.games.core import Game, meant_escape
from lath.games.parameters import family
from lath.games.parameters import of as parameters_of
from lath.notation.query import moments, questions
from lath.notation.query.errors import KEYWORDS, WrongValueError, no_value
from lath.notation.query.patterns import Pattern, PatternError, read_pattern
from lath.notation.query.questions import FLAGS, SEAT_TAGS, TEXTS, Question
from lath.notation.query.texts import TextTest, number, range_error, text_test
from lath.notation.record.errors import listed
from lath.notation.record.tags import KNOWN_TAGS, WRITTEN_TAGS
from lath.notation.tokens import unquoted

if TYPE_CHECKING:
    from lark.lexer import Token

Bound = tuple[Literal["=", "<", "<=", ">", ">="], float]
"""A comparison with a number."""

When = int | Literal["every", "last"]
"""One ply by its number, every ply, or the last ply."""


@dataclass(frozen=True, slots=True)
class And:
    """True if all parts are true."""

    parts: tuple[Plan, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """True if any part is true."""

    parts: tuple[Plan, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """True if the part is false."""

    part: Plan


@dataclass(frozen=True, slots=True)
class OfText:
    """True if a text of the record passes the test. A missing text is empty and never passes."""

    name: str
    """A tag, or `winner`, `loser`, or `result` for the result after the moves."""
    passes: TextTest
    sign: str = ""
    """The sign of the comparison in the query; empty for ranges."""
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OfPlies:
    """True if the number of plies of the main line is in one of these ranges, ends included."""

    ranges: tuple[tuple[int, float], ...]
    """The least and the greatest number; the latter can be infinite."""


@dataclass(frozen=True, slots=True)
class OfSetup:
    """True if the tag Setup is one of these setups, in the canonical text of the game."""

    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OfNotes:
    """True if the record has this kind of part, one of FLAGS: comments in words, or variations."""

    kind: str


@dataclass(frozen=True, slots=True)
class OfMove:
    """True if the main line has one of these moves at `ply` (from 1), or anywhere if that is None.

    Moves are as in the query; each game reads them in its own way.
    """

    moves: tuple[str, ...]
    ply: int | None


@dataclass(frozen=True, slots=True)
class OfPosition:
    """True if the main line has one of these positions, or a symmetric one unless `is_plain`."""

    texts: tuple[str, ...]
    is_plain: bool


@dataclass(frozen=True, slots=True)
class OfBeginning:
    """True if the main line begins with these moves, or with symmetric ones unless `is_plain`.

    The moves begin at the start of the game, with the record's Setup.
    """

    moves: tuple[str, ...]
    is_plain: bool


@dataclass(frozen=True, slots=True)
class OfReached:
    """True if the main line reaches the position after these moves, or a symmetric one.

    The moves begin at the start of the game, with the record's Setup. With `is_plain`, symmetric
    positions do not count.
    """

    moves: tuple[str, ...]
    is_plain: bool


@dataclass(frozen=True, slots=True)
class OfPattern:
    """True if a position of the main line has the pattern; `Pattern.on` compiles it for a game."""

    pattern: Pattern


@dataclass(frozen=True, slots=True)
class OfNumber:
    """True if an annotation of some ply is a number that satisfies all bounds."""

    column: Literal["eval", "depth", "nodes", "time_s", "clock_s"]
    """The column of `tables.PLIES`."""
    of: str
    """The side of the ply: `mover` (any), `first`, `second`, `winner`, `loser`, or `player NAME`.
    """
    bounds: tuple[Bound, ...]


@dataclass(frozen=True, slots=True)
class At:
    """True if the part is true at one ply, at every ply, or at the last ply.

    Positions and patterns have plies from 0, the start. Moves have plies from 1. Numbers have the
    plies with an annotation. Without such a ply, the plan is false.
    """

    part: Plan
    when: When


@dataclass(frozen=True, slots=True)
class Then:
    """True if the parts are true one after another, each at a later ply than the one before.

    Each part is an operator about plies, Or of these, or At of one. The ply of a move is its
    number, and the position after it has the same ply.
    """

    parts: tuple[Plan, ...]
    within: tuple[int | None, ...]
    """The most plies between each part and the one before it; None means any number."""


Plan = (
    And | Or | Not | OfText | OfPlies | OfSetup | OfNotes | OfMove | OfPosition | OfBeginning
    | OfReached | OfPattern | OfNumber | At | Then
)  # fmt: skip
"""The tree of a query, or a part of it."""


def parts_of(plan: Plan) -> Sequence[Plan]:
    """Return the plans that a plan contains; empty for a plan without parts."""
    match plan:
        case And(parts) | Or(parts) | Then(parts, _):
            return parts
        case Not(part) | At(part, _):
            return (part,)
    return ()


Cost = int | Callable[[Any], int]
"""The cost of a plan of an operator; only the order of the sums matters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operator:
    """One kind of question: its words in a query, its meaning for a record, and its cost."""

    words: tuple[str, ...] = ()
    """The first words of its tests, besides `contains` and names of tags."""
    means: Callable[[Any], Question]
    """The function that makes a question about a record from a plan."""
    cost: Cost = 0
    """The cost of asking a record; a plan with parts costs their sum."""
    is_of_plies: bool = False
    """True if it is about single plies, so that it can be used with `then`."""


HEADER, LENGTH, MOVES, SETUP, COMMENTS, NOTES, REPLAY = 1, 2, 10, 50, 100, 200, 10_000
"""The costs of operators, by the parts of a record that they read."""

OPERATORS: Final[Mapping[type, Operator]] = {
    And: Operator(means=lambda plan: questions.joined(False, _questions(plan.parts))),
    Or: Operator(means=lambda plan: questions.joined(True, _questions(plan.parts))),
    Not: Operator(means=lambda plan: questions.inverse(question(plan.part))),
    OfText: Operator(
        words=(
            *("game", "event", "first", "second", "player", *TEXTS, "termination", "setup"),
            *("round", "date"),
        ),
        means=lambda plan: questions.of_text(plan.name, plan.passes),
        cost=HEADER,
    ),
    OfPlies: Operator(
        words=("plies",), means=lambda plan: questions.of_plies(plan.ranges), cost=LENGTH
    ),
    OfSetup: Operator(means=lambda plan: questions.of_setup(plan.texts), cost=SETUP),
    OfMove: Operator(
        words=("move",),
        means=lambda plan: moments.plays(plan.moves, plan.ply),
        cost=lambda plan: MOVES if plan.ply is None else LENGTH,
        is_of_plies=True,
    ),
    OfNotes: Operator(
        words=tuple(FLAGS), means=lambda plan: questions.of_flag(plan.kind), cost=COMMENTS
    ),
    OfPosition: Operator(
        words=("position",),
        means=lambda plan: moments.has_position(
            moments.position_test(plan.texts, is_plain=plan.is_plain)
        ),
        cost=REPLAY,
        is_of_plies=True,
    ),
    OfBeginning: Operator(
        words=("after",),
        means=lambda plan: moments.begins(plan.moves, is_plain=plan.is_plain),
        cost=MOVES,
        is_of_plies=True,
    ),
    OfReached: Operator(
        words=("reached",),
        means=lambda plan: moments.has_position(
            moments.end_test(plan.moves, is_plain=plan.is_plain)
        ),
        cost=REPLAY,
        is_of_plies=True,
    ),
    OfPattern: Operator(
        words=("pattern", "plain"),
        means=lambda plan: moments.has_position(moments.pattern_test(plan.pattern)),
        cost=REPLAY,
        is_of_plies=True,
    ),
    OfNumber: Operator(
        words=("eval", "depth", "nodes", "time", "clock"),
        means=lambda plan: moments.says(plan.column, plan.of, plan.bounds),
        cost=NOTES,
        is_of_plies=True,
    ),
    At: Operator(means=lambda plan: moments.at(question(plan.part), plan.when)),
    Then: Operator(means=lambda plan: moments.then(_questions(plan.parts), plan.within)),
}
"""Every operator, by the class of its plans. A new operator needs a class and a row here, a row in
`database.asking`, and words in `query.lark` and docs/reference/query-language.md. A new form of
value needs a reader. A new text needs only a row in both TEXTS, and a new flag one in FLAGS."""

WORDS: Final = tuple(word for operator in OPERATORS.values() for word in operator.words)
"""The first words of tests, besides tags and `contains`."""

TAGS: Final = {tag.casefold(): tag for tag in WRITTEN_TAGS if tag.casefold() not in WORDS}
"""The tags that the arena writes, by their names in lowercase, without those in `WORDS`."""


def question(plan: Plan) -> Question:
    """Return the question about a record for a plan."""
    return replace(OPERATORS[type(plan)].means(plan), cost=cost_of(plan, OPERATORS))


def _questions(plans: Iterable[Plan]) -> list[Question]:
    return list(map(question, plans))


def cost_of(plan: Plan, table: Mapping[type, Any]) -> int:
    """Return the cost of a plan by a table that has a row with a `cost` for each operator."""
    if parts := parts_of(plan):
        return sum(cost_of(part, table) for part in parts)
    cost: Cost = table[type(plan)].cost
    return cost if isinstance(cost, int) else cost(plan)


OF_A_PLY: Final = "a move, position, pattern or number, or several with 'or' in parentheses"
"""The possible parts on either side of `then`, in words."""


def _is_of_plies(plan: Plan) -> bool:
    """Return whether a question is about single plies."""
    plans = [plan]
    for each in plans:  # no recursion: a query can be nested deeper than Python calls
        if isinstance(each, Or):
            plans += each.parts
        elif (
            each.when == "every" if isinstance(each, At) else not OPERATORS[type(each)].is_of_plies
        ):
            return False
    return True


def _position(parts: Sequence[Any]) -> Plan:
    """Return the plan of `[plain] position` for one text or several."""
    *plain, _, last = parts
    values: list[Token] = last if isinstance(last, list) else [last]
    for value in values:
        if not _may_be_read(value):
            raise WrongValueError(
                value,
                f"{str(value)!r} is not a position of any installed game",
                "a position as `arena show --json` prints it",
            )
    return OfPosition(tuple(map(str, values)), is_plain=bool(plain))


def _line(parts: Sequence[Token]) -> Plan:
    """Return the plan of `[plain] after` or `[plain] reached` for moves."""
    *plain, word, value = parts
    if not (moves := value.split()):
        raise WrongValueError(value, "no move is given", "moves such as 'e5 swap d4'")
    kind = OfBeginning if word.type == "AFTER" else OfReached
    return kind(tuple(map(_move, moves)), is_plain=bool(plain))


def _move(text: str) -> str:
    """Return a move as records write it: its characters can be escaped or not."""
    return meant_escape(text) or text


def _pattern(parts: Sequence[Token]) -> Plan:
    """Return the plan of `[plain] pattern "…" [on CELL] [in either colour]`."""
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
            cell, f"{str(cell)!r} is not a cell of any installed game", "one such as c3"
        )
    if not _some_game(lambda game: pattern.on(game) is not None):
        raise WrongValueError(
            value,
            f"no installed game can have this pattern{f' on {cell}' if cell else ''}",
            "letters of one game's pieces, which fit onto its board",
        )
    return OfPattern(pattern)


_COLUMNS: Final = {"time": "time_s", "clock": "clock_s"}
"""The columns of plies whose names differ from the words in queries."""

_WHOSE: Final = ("mover", "first", "second", "winner", "loser")


def _number(parts: Sequence[Token]) -> Plan:
    """Return the plan of a test such as `eval of first > 0.5`."""
    what, *whose, last = parts
    bounds: list[tuple[Any, float]]
    if last.type == "RANGE":
        low, high = _ends(last, number, "range of numbers", "0.5..1")
        bounds = [(">=", float(low)), ("<=", float(high))]
    else:
        bounds = [(whose.pop(), float(last))]
    of = str(whose[0]) if whose else "mover"
    if whose and whose[0].type == "STRING":
        of = f"player {of}"
    elif of not in _WHOSE:
        alike = difflib.get_close_matches(of, _WHOSE, n=1)
        raise WrongValueError(
            whose[0],
            f"{of!r} is not a player{f': did you mean {alike[0]!r}?' if alike else ''}",
            "" if alike else f"{listed(_WHOSE, 'or')}, or a name in quotes",
        )
    column: Any = _COLUMNS.get(what, str(what))
    signs = tuple((str(sign), bound) for sign, bound in bounds)
    return OfNumber(column, of, signs)  # type: ignore[arg-type]  # the grammar allows no others


def _at(parts: Sequence[Any]) -> Plan:
    """Return the plan of a test with `at …`."""
    plan, when = parts
    if when.type == "NUMBER":
        if int(when) == 0 and isinstance(plan, OfNumber):
            raise WrongValueError(when, "ply 0 does not exist", "1 or more")
        return At(plan, int(when))
    return plan if when == "any" else At(plan, "every" if when == "every" else "last")


def _sequence(parts: Sequence[Any]) -> Plan:
    """Return the plan of `A then B`, with or without `within N plies`."""
    plans, steps = parts[::2], parts[1::2]
    for before, (mark, *within), after in zip(plans, steps, plans[1:], strict=False):
        if not _is_of_plies(before):
            raise _no_plies(mark, "before")
        if within and int(within[0]) == 0:
            raise WrongValueError(within[0], "'within 0 plies' matches nothing", "1 or more")
        if not _is_of_plies(after):
            raise _no_plies(mark, "after")
    most = (int(within[0]) if within else None for _, *within in steps)
    return Then(tuple(plans), tuple(most)) if steps else plans[0]


def _no_plies(mark: Token, where: str) -> WrongValueError:
    return WrongValueError(mark, f"the test {where} 'then' does not match single plies", OF_A_PLY)


def _may_be_read(text: str) -> bool:
    """Return whether a text is a position of an installed game, possibly with parameters."""
    return _some_game(lambda game: bool(moments.positions_of([game], [text])))


def _some_game(reads: Callable[[Game], bool]) -> bool:
    """Return whether this is true for an installed game, possibly with parameters."""
    installed = games.installed()
    return any(map(reads, installed)) or any(
        prod(len(each.values) for each in parameters_of(game)) > _MANY_GAMES
        or any(map(reads, family(game)))
        for game in installed
    )


_MANY_GAMES: Final = 200
"""The most variants of games that are tested for a text; beyond this number, any text is accepted.
The 120 variants of the built-in games take a quarter of a second."""


def _asked(subject: Token, sign: str, values: Sequence[Token]) -> Plan:
    """Return the plan of the comparison of `subject` with one of the values."""
    texts = tuple(map(str, values))
    is_range = values[0].type == "RANGE"
    if subject.type == "NUMBER":
        if int(subject) == 0:
            raise WrongValueError(subject, "ply 0 does not exist", "1 or more")
        return OfMove(tuple(map(_move, texts)), int(subject))
    if subject.type == "PLIES":
        if is_range:
            return OfPlies((_ends(values[0], _count, "range of plies", "20..30"),))
        return OfPlies(tuple(_COUNTS[sign](int(text)) for text in texts))
    if subject == "setup" and sign == "=":
        return OfSetup(texts)
    passes = text_test(subject, sign, values)
    if subject == "player":
        return Or(tuple(OfText(tag, passes, sign, texts) for tag in SEAT_TAGS))
    return OfText(_name_of(subject), passes, *(() if is_range else (sign, texts)))


_Number = TypeVar("_Number", int, Decimal)


def _ends(
    value: Token, read: Callable[[str], _Number | None], what: str, example: str
) -> tuple[_Number, _Number]:
    """Return the ends of a range of numbers, both of which `read` must accept."""
    low, high = map(read, value.split(".."))
    if low is None or high is None:
        raise WrongValueError(value, f"{str(value)!r} is not a {what}", f"one such as {example}")
    if low > high:
        raise range_error(value)
    return low, high


def _count(text: str) -> int | None:
    return int(text) if re.fullmatch("[0-9]{1,9}", text) else None


_COUNTS: Final[Mapping[str, Callable[[int], tuple[int, float]]]] = {
    "=": lambda bound: (bound, bound),
    "<": lambda bound: (0, bound - 1),
    "<=": lambda bound: (0, bound),
    ">": lambda bound: (bound + 1, inf),
    ">=": lambda bound: (bound, inf),
}
"""The least and the greatest whole number that satisfies each comparison."""


def _name_of(subject: Token) -> str:
    """Return the text that a word or tag name asks for: one of TEXTS, or a tag."""
    if subject in TEXTS:
        return str(subject)
    name = subject.removeprefix("tag.")
    if name != subject:
        return name
    if name in WORDS:
        return name.capitalize()
    is_word = name not in KNOWN_TAGS and name.lower() in WORDS
    meant = name.lower() if is_word else TAGS.get(name.casefold(), name)
    if meant != name:
        expected = f"{meant}, or tag.{name} for a tag of your own"
        raise WrongValueError(subject, f"the tag {name} does not exist", expected)
    return name


def _comparison(parts: Sequence[Any]) -> Plan:
    """Return the plan of `subject sign value` or `subject [not] in values`."""
    subject, *signs, values = parts
    sign = str(signs[0]) if signs else "="
    is_negated = sign in ("!=", "not")
    values = values if isinstance(values, list) else [values]
    plan = _asked(subject, "=" if is_negated else sign, values)
    return Not(plan) if is_negated else plan


def _value(parts: Sequence[Token]) -> Token:
    (word,) = parts
    if word in KEYWORDS:
        raise no_value(word)
    return _unquoted(parts)


def _unquoted(parts: Sequence[Token]) -> Token:
    (word,) = parts
    return word.update(value=unquoted(word)) if word.type == "STRING" else word


def _joined(kind: type[And | Or], parts: Sequence[Plan]) -> Plan:
    return kind(tuple(parts)) if len(parts) > 1 else parts[0]


READERS: Final[Mapping[str, Callable[[list[Any]], Any]]] = {
    **dict.fromkeys(("query", "nested", "move", "when"), itemgetter(0)),
    **dict.fromkeys(("values", "numbers", "texts", "next"), list),
    "any_of": partial(_joined, Or),
    "all_of": partial(_joined, And),
    "inverse": lambda parts: Not(parts[-1]),
    "flag": lambda parts: OfNotes(str(parts[0])),
    "contains": lambda parts: OfMove((_move(parts[0]),), None),
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
"""The functions that the parser applies to each rule; it builds no tree of its own."""
