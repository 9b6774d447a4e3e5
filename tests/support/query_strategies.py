"""Queries as trees: drawn, printed in many spellings, and answered.

The answers follow the documentation, slowly, and share no code with `lath.notation.query.query`.
"""

from __future__ import annotations

import string
from dataclasses import dataclass

from hypothesis import strategies as st
from sample_records import bare

from lath import games
from lath.games.core import Result
from lath.games.errors import GameError, MoveSyntaxError
from lath.notation.record.record import Ply, Record

TEXT_SUBJECTS = (
    *("game", "event", "first", "second", "player", "winner", "loser", "setup"),
    *("round", "Round", "tag.Round", "Annotator", "tag.Mood"),
)
ORDERED_SUBJECTS = ("round", "Round", "tag.Round", "Annotator", "tag.Mood")

VALUES = (
    *("ann", "bob", "Ann", "3", "03", "3.0", "-1", "10", "yavalath", "mammalath", "Autumn bots"),
    *("a*", "*", "?nn", 'say "hi"', "it's \\ it", "and", "not", "f", "1/2"),
)
MOVES = ("e5", "c3", "xb4-b2", "xb2-b4", "swap", "zz9", "xF")


@dataclass(frozen=True)
class Not:
    part: Tree


@dataclass(frozen=True)
class Joined:
    word: str
    parts: tuple[Tree, ...]


@dataclass(frozen=True)
class Test:
    __test__ = False

    subject: str
    sign: str
    """An operator, `in`, `not in` or `contains`; empty for a flag."""
    values: tuple[str, ...]


Tree = Not | Joined | Test


def _tests() -> st.SearchStrategy[Test]:
    values = st.sampled_from(VALUES)
    several = st.lists(values, min_size=1, max_size=3).map(tuple)
    moves = st.lists(st.sampled_from(MOVES), min_size=1, max_size=2).map(tuple)
    numbers = st.integers(0, 4).map(str)
    plies = st.integers(1, 4).map(lambda number: f"move {number}")
    dates = st.sampled_from(["2026", "2026-11", "2026-11-20", "2025-12-31"])
    named, ordered = st.sampled_from(TEXT_SUBJECTS), st.sampled_from(ORDERED_SUBJECTS)
    one, listed, any_order = ("=", "!="), ("in", "not in"), ("<", "<=", ">", ">=")
    return st.one_of(
        st.builds(Test, named, st.sampled_from([*one, "~"]), st.tuples(values)),
        st.builds(Test, named, st.sampled_from(listed), several),
        st.builds(Test, ordered, st.sampled_from(any_order), st.tuples(values)),
        st.builds(Test, st.just("plies"), st.sampled_from([*one, *any_order]), st.tuples(numbers)),
        st.builds(Test, st.just("date"), st.sampled_from([*one, *any_order]), st.tuples(dates)),
        st.builds(
            Test,
            st.just("result"),
            st.sampled_from([*one, *listed]),
            st.tuples(st.sampled_from(["1-0", "0-1", "1/2-1/2", "*"])),
        ),
        st.builds(Test, plies, st.sampled_from(listed), moves),
        st.builds(Test, plies, st.sampled_from(one), st.tuples(st.sampled_from(MOVES))),
        st.builds(Test, st.just("move"), st.just("contains"), st.tuples(st.sampled_from(MOVES))),
        st.builds(Test, st.sampled_from(["comments", "variations"]), st.just(""), st.just(())),
    )  # fmt: skip


TREES: st.SearchStrategy[Tree] = st.recursive(
    _tests(),
    lambda trees: st.one_of(
        st.builds(Not, trees),
        st.builds(
            Joined,
            st.sampled_from(["and", "or"]),
            st.lists(trees, min_size=2, max_size=3).map(tuple),
        ),
    ),
    max_leaves=8,
)

_NAMES = st.sampled_from(
    ["", "ann", "bob", "Ann", "anna", "and", 'say "hi"', "it's \\ it", "yavalath"]
)
_ROUNDS = st.sampled_from(["", "3", "03", "10", "x", "-1", "3.0"])


@st.composite
def records(draw: st.DrawFn) -> Record:
    """Draw a record with many missing values."""
    tags = {
        "Event": draw(st.sampled_from(["", "Autumn bots", "f"])),
        "Date": draw(st.sampled_from(["", "?", "2026-11-20", "2026-12-01", "2025-12-31", "2026"])),
        "Round": draw(_ROUNDS),
        "Annotator": draw(_NAMES),
        "Mood": draw(_ROUNDS),
    }
    game_id = draw(st.sampled_from(["yavalath", "mammalath", "chess"]))
    result = draw(st.sampled_from(["1-0", "0-1", "1/2-1/2", "*"]))
    kept = {name: value for name, value in tags.items() if value}
    record = bare(draw(_NAMES), draw(_NAMES), result, game_id=game_id, **kept)
    moves = draw(st.lists(st.sampled_from(MOVES), max_size=4))
    return Record(record.tags, tuple(map(Ply, moves)), Result(result))


def printed(tree: Tree, chance: st.DataObject) -> str:
    """Return a text of the tree, with necessary parentheses and some others."""
    text = _printed(tree, chance)
    return f"( {text})" if chance.draw(st.booleans()) else text


def _printed(tree: Tree, chance: st.DataObject) -> str:
    if isinstance(tree, Test):
        return _printed_test(tree, chance)
    if isinstance(tree, Not):
        inside = printed(tree.part, chance)
        return f"not ({inside})" if isinstance(tree.part, Joined) else f"not {inside}"
    parts = [printed(part, chance) for part in tree.parts]
    if tree.word == "and":
        parts = [
            f"({text})" if isinstance(part, Joined) and part.word == "or" else text
            for text, part in zip(parts, tree.parts, strict=True)
        ]
    return f" {tree.word}\n ".join(parts)


def _printed_test(test: Test, chance: st.DataObject) -> str:
    as_numbers = test.subject == "plies"
    values = [value if as_numbers else quoted(value, chance) for value in test.values]
    if test.sign == "contains":
        return f"contains move {values[0]}"
    if test.sign.endswith("in"):
        return f"{test.subject} {test.sign} ({', '.join(values)})"
    blank = " " if chance.draw(st.booleans()) else ""
    return blank.join([test.subject, test.sign, *values]) if test.sign else test.subject


_BARE = frozenset(string.ascii_letters + string.digits + "_.+/:@#%*?-")


def quoted(value: str, chance: st.DataObject) -> str:
    """Return the value as a query writes it: in either quotes, or in none if possible."""
    is_bare = value != "" and _BARE.issuperset(value) and value not in ("and", "or", "not")
    if is_bare and chance.draw(st.booleans()):
        return value
    quote = chance.draw(st.sampled_from(["'", '"']))
    return quote + value.replace("\\", "\\\\").replace(quote, f"\\{quote}") + quote


def answer(tree: Tree, record: Record) -> bool:
    """Return whether the record matches, by the documentation."""
    if isinstance(tree, Not):
        return not answer(tree.part, record)
    if isinstance(tree, Joined):
        together = all if tree.word == "and" else any
        return together([answer(part, record) for part in tree.parts])
    if tree.sign in ("!=", "not in"):
        return not any(_is(tree.subject, "=", value, record) for value in tree.values)
    if not tree.values:
        return False  # comments and variations are not drawn
    return any(_is(tree.subject, tree.sign, value, record) for value in tree.values)


def _is(subject: str, sign: str, value: str, record: Record) -> bool:
    if subject.startswith("move"):
        return _has_move(subject, value, record)
    if subject == "plies":
        return _stands(len(record.plies), sign, int(value))
    if subject == "setup" and sign == "=":
        return False  # not drawn
    return any(_passes(subject, text, sign, value) for text in _texts(subject, record) if text)


def _texts(subject: str, record: Record) -> list[str]:
    names = [record.tag("First"), record.tag("Second")]
    if subject == "player":
        return names
    if subject in ("winner", "loser"):
        won = {"1-0": 0, "0-1": 1}.get(record.result)
        if won is None:
            return []
        return [names[won if subject == "winner" else 1 - won]]
    name = subject.removeprefix("tag.")
    return [record.result if subject == "result" else record.tag(name[0].upper() + name[1:])]


def _passes(subject: str, text: str, sign: str, value: str) -> bool:
    if sign == "~":
        return is_like(value.casefold(), text.casefold())
    if subject == "date":
        return len(text) == 10 and _stands(text[: len(value)], sign.replace("in", "="), value)
    sign = sign.replace("in", "=")
    if subject in ORDERED_SUBJECTS:
        numbers = _number(text), _number(value)
        if None not in numbers:
            return _stands(numbers[0], sign, numbers[1])
        if sign != "=" and numbers[1] is not None:
            return False
    return _stands(text, sign, value)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _stands(left: object, sign: str, right: object) -> bool:
    compared: dict[str, bool] = {
        "=": left == right,
        "!=": left != right,
        "<": left < right,  # type: ignore[operator]  # two of one type
        "<=": left <= right,  # type: ignore[operator]
        ">": left > right,  # type: ignore[operator]
        ">=": left >= right,  # type: ignore[operator]
    }
    return compared[sign]


def is_like(pattern: str, text: str) -> bool:
    """Return whether the text matches the pattern, by trying all ways."""
    if not pattern:
        return not text
    if pattern[0] == "*":
        return is_like(pattern[1:], text) or (text != "" and is_like(pattern, text[1:]))
    return text != "" and pattern[0] in ("?", text[0]) and is_like(pattern[1:], text[1:])


def _has_move(subject: str, value: str, record: Record) -> bool:
    moves = [canonical(record.game, ply.move) for ply in record.plies]
    if subject != "move":
        ply = int(subject.removeprefix("move "))
        moves = moves[ply - 1 : ply]
    return canonical(record.game, value) in moves


def canonical(game_id: str, move: str) -> str:
    """Return the canonical text, or the text itself if the game cannot read it."""
    try:
        return games.get(game_id).canonical(move)
    except (MoveSyntaxError, GameError):
        return move
