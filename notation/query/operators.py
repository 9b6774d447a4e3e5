"""What a query can ask: every operator with its words, what it means on a record, what it costs.

A query is a tree of plans, of which each class is one operator. `OPERATORS` has one row for each,
`database.asking` another, which says how a database is asked. `READERS` makes plans of a text.
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
from lath.games.core import Game
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
"""How a number shall stand to another."""

When = int | Literal["every", "last"]
"""The ply of that number, each of those that there are, or the last of these."""


@dataclass(frozen=True, slots=True)
class And:
    """Where all parts hold."""

    parts: tuple[Plan, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """Where some part holds."""

    parts: tuple[Plan, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """Where the part does not hold."""

    part: Plan


@dataclass(frozen=True, slots=True)
class OfText:
    """Where some text that is called so passes; one that is missing is empty, which none is."""

    name: str
    """`winner`, `loser`, `result` for what the moves end with, or a tag."""
    passes: TextTest
    sign: str = ""
    """How it shall stand to the values, as the query has it; of ranges there are none."""
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OfPlies:
    """Where the number of plies of the main line is in one of these ranges, ends included."""

    ranges: tuple[tuple[int, float], ...]
    """The least and the greatest, which may be infinite."""


@dataclass(frozen=True, slots=True)
class OfSetup:
    """Where the tag Setup says one of these setups, as the game reads them."""

    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OfNotes:
    """Where anything of this kind is said, of those of FLAGS: comments in words, variations."""

    kind: str


@dataclass(frozen=True, slots=True)
class OfMove:
    """Where the main line has one of these moves, at a ply from 1, or at any if that is None.

    Moves are as the query has them: each game reads them in its way.
    """

    moves: tuple[str, ...]
    ply: int | None


@dataclass(frozen=True, slots=True)
class OfPosition:
    """Where the main line comes to one of these positions or, unless `is_plain`, to an image."""

    texts: tuple[str, ...]
    is_plain: bool


@dataclass(frozen=True, slots=True)
class OfBeginning:
    """Where the main line begins with these moves at the start of the game, or with their image.

    The start is that of the record's Setup; with `is_plain` images do not count.
    """

    moves: tuple[str, ...]
    is_plain: bool


@dataclass(frozen=True, slots=True)
class OfReached:
    """Where the main line comes to where these moves lead from the start, or to an image of that.

    The start is that of the record's Setup; with `is_plain` images do not count.
    """

    moves: tuple[str, ...]
    is_plain: bool


@dataclass(frozen=True, slots=True)
class OfPattern:
    """Where some position of the main line has the pattern; `Pattern.on` compiles it for a game."""

    pattern: Pattern


@dataclass(frozen=True, slots=True)
class OfNumber:
    """Where an annotation of some ply is a number that stands so to all the bounds."""

    column: Literal["eval", "depth", "nodes", "time_s", "clock_s"]
    """As `tables.PLIES` has it."""
    of: str
    """Whose ply: `mover` (anybody's), `first`, `second`, `winner`, `loser`, or `player NAME`."""
    bounds: tuple[Bound, ...]


@dataclass(frozen=True, slots=True)
class At:
    """Where the part holds at one ply, at each, or at the last of those that it is asked of.

    Positions and patterns are asked of all plies from 0, the start, numbers of the plies that say
    one; moves of plies from 1. Where there is none it does not hold.
    """

    part: Plan
    when: When


@dataclass(frozen=True, slots=True)
class Then:
    """Where the parts hold one after another, each at a later ply than the one before it.

    Each is an operator that is asked of plies, Or of these, or At of one of them. The ply of a move
    is its number, and the position after it is of the same ply.
    """

    parts: tuple[Plan, ...]
    within: tuple[int | None, ...]
    """How many plies later each part but the first may be than the one before; None: any number."""


Plan = (
    And | Or | Not | OfText | OfPlies | OfSetup | OfNotes | OfMove | OfPosition | OfBeginning
    | OfReached | OfPattern | OfNumber | At | Then
)  # fmt: skip
"""What is asked of a record."""


def parts_of(plan: Plan) -> Sequence[Plan]:
    """Return the plans that a plan joins, or changes; none of one that stands by itself."""
    match plan:
        case And(parts) | Or(parts) | Then(parts, _):
            return parts
        case Not(part) | At(part, _):
            return (part,)
    return ()


Cost = int | Callable[[Any], int]
"""What a plan of some operator costs; only the order of the sums matters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operator:
    """One kind of question: the words that ask it, what it means on a record, and what it costs."""

    words: tuple[str, ...] = ()
    """What a test of it can begin with, besides `contains` and names of tags."""
    means: Callable[[Any], Question]
    """Makes the question to a record that a plan is."""
    cost: Cost = 0
    """What asking a record costs; of plans that have parts it is the sum of theirs."""
    is_of_plies: bool = False
    """Whether it is asked of single plies, so that it can stand beside `then`."""


HEADER, LENGTH, MOVES, SETUP, COMMENTS, NOTES, REPLAY = 1, 2, 10, 50, 100, 200, 10_000
"""What operators cost by what they look at in a record."""

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
"""Every operator by the class of its plans. A new one has its class and its row here, its row in
`database.asking`, and its words in `query.lark` and docs/reference/query-language.md; a new form
has a reader. A
text is a row of both TEXTS, and a flag one of FLAGS, in the place of class and rows."""

WORDS: Final = tuple(word for operator in OPERATORS.values() for word in operator.words)
"""What a test can begin with, besides a tag and `contains`."""

TAGS: Final = {tag.casefold(): tag for tag in WRITTEN_TAGS if tag.casefold() not in WORDS}
"""Tags that records have by the arena, by their names in any case; those of `WORDS` are words."""


def question(plan: Plan) -> Question:
    """Return the question to a record that a plan is."""
    return replace(OPERATORS[type(plan)].means(plan), cost=cost_of(plan, OPERATORS))


def _questions(plans: Iterable[Plan]) -> list[Question]:
    return list(map(question, plans))


def cost_of(plan: Plan, table: Mapping[type, Any]) -> int:
    """Return what a plan costs by a table with a row for each operator, which has its `cost`."""
    if parts := parts_of(plan):
        return sum(cost_of(part, table) for part in parts)
    cost: Cost = table[type(plan)].cost
    return cost if isinstance(cost, int) else cost(plan)


OF_A_PLY: Final = "a move, position, pattern or number, or several with 'or' in parentheses"
"""What can stand on either side of `then`."""


def _is_of_plies(plan: Plan) -> bool:
    """Return whether a question is asked of single plies."""
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
    """Return what `[plain] position` asks, of one text or several."""
    *plain, _, last = parts
    values: list[Token] = last if isinstance(last, list) else [last]
    for value in values:
        if not _may_be_read(value):
            raise WrongValueError(
                value,
                f"{str(value)!r} is a position of no installed game",
                "a text as `arena show --json` prints it",
            )
    return OfPosition(tuple(map(str, values)), is_plain=bool(plain))


def _line(parts: Sequence[Token]) -> Plan:
    """Return what `[plain] after` and `[plain] reached` ask of moves."""
    *plain, word, value = parts
    if not (moves := value.split()):
        raise WrongValueError(value, "there is no move", "moves such as 'e5 swap d4'")
    kind = OfBeginning if word.type == "AFTER" else OfReached
    return kind(tuple(moves), is_plain=bool(plain))


def _pattern(parts: Sequence[Token]) -> Plan:
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
    return OfPattern(pattern)


_COLUMNS: Final = {"time": "time_s", "clock": "clock_s"}
"""Where what annotations say has another name among the columns of plies."""

_WHOSE: Final = ("mover", "first", "second", "winner", "loser")


def _number(parts: Sequence[Token]) -> Plan:
    """Return what `eval of first > 0.5` and the like ask."""
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
            f"{of!r} is nobody{f': did you mean {alike[0]!r}?' if alike else ''}",
            "" if alike else f"{listed(_WHOSE, 'or')}, or a name in quotes",
        )
    column: Any = _COLUMNS.get(what, str(what))
    signs = tuple((str(sign), bound) for sign, bound in bounds)
    return OfNumber(column, of, signs)  # type: ignore[arg-type]  # the grammar has no other


def _at(parts: Sequence[Any]) -> Plan:
    """Return what a moment with `at …` asks."""
    plan, when = parts
    if when.type == "NUMBER":
        if int(when) == 0 and isinstance(plan, OfNumber):
            raise WrongValueError(when, "there is no ply 0", "1 or more")
        return At(plan, int(when))
    return plan if when == "any" else At(plan, "every" if when == "every" else "last")


def _sequence(parts: Sequence[Any]) -> Plan:
    """Return what `A then B` asks, with `within N plies` or without."""
    plans, steps = parts[::2], parts[1::2]
    for before, (mark, *within), after in zip(plans, steps, plans[1:], strict=False):
        if not _is_of_plies(before):
            raise _no_plies(mark, "before")
        if within and int(within[0]) == 0:
            raise WrongValueError(within[0], "nothing is later within 0 plies", "1 or more")
        if not _is_of_plies(after):
            raise _no_plies(mark, "after")
    most = (int(within[0]) if within else None for _, *within in steps)
    return Then(tuple(plans), tuple(most)) if steps else plans[0]


def _no_plies(mark: Token, where: str) -> WrongValueError:
    return WrongValueError(mark, f"what stands {where} 'then' is of no single ply", OF_A_PLY)


def _may_be_read(text: str) -> bool:
    """Return whether a text is a position of an installed game, or may be with parameters."""
    return _some_game(lambda game: bool(moments.positions_of([game], [text])))


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


def _asked(subject: Token, sign: str, values: Sequence[Token]) -> Plan:
    """Return the question whether `subject` stands so to one of the values."""
    texts = tuple(map(str, values))
    is_range = values[0].type == "RANGE"
    if subject.type == "NUMBER":
        if int(subject) == 0:
            raise WrongValueError(subject, "there is no ply 0", "1 or more")
        return OfMove(texts, int(subject))
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
    """Return the ends of a range of numbers, both of which have to be what `read` reads."""
    low, high = map(read, value.split(".."))
    if low is None or high is None:
        raise WrongValueError(value, f"{str(value)!r} is no {what}", f"one such as {example}")
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
"""The whole numbers that stand so to another: the least and the greatest."""


def _name_of(subject: Token) -> str:
    """Return what a word or the name of a tag asks for: one of TEXTS, else a tag."""
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
        raise WrongValueError(subject, f"there is no tag {name}", expected)
    return name


def _comparison(parts: Sequence[Any]) -> Plan:
    """Return what `subject sign value` and `subject [not] in values` ask."""
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
    "contains": lambda parts: OfMove((str(parts[0]),), None),
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
