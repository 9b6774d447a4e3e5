"""The messages for invalid queries, and for valid queries that probably contain a slip.

Places and expectations come from Lark. Words and signs of other query languages are recognised.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING, Final

from lath.games.core import Result
from lath.notation.query.errors import KEYWORDS, QueryError, no_value
from lath.notation.query.operators import (
    OF_A_PLY,
    TAGS,
    WORDS,
    OfBeginning,
    OfMove,
    OfReached,
    OfText,
    Plan,
    parts_of,
)
from lath.notation.record.errors import listed
from lath.notation.text.suggestions import about_game, about_unread_move, is_game

if TYPE_CHECKING:
    from lark.exceptions import UnexpectedCharacters, UnexpectedToken
    from lark.lexer import Token

_ENGLISH: Final = {
    "NAME": "a test such as plies > 20",
    "EQUALITY": "'=', '!='",
    "EQUAL": "'='",
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
    "PATTERN": "'pattern'",
    "_OF": "'of'",
    "LPAR": "a list such as (a, b)",
    "RANGE": "a range such as 20..30",
    "DECIMAL": "a number such as -0.5, of at most 15 digits",
    "_ON": "'on' and a cell",
    "EITHER": "'either colour'",
    "_COLOUR": "'colour'",
    "_AT": "'at' and a ply",
    "EACH": "'any ply', 'every ply'",
    "_THE": "'the last ply'",
    "LAST": "'last ply'",
    "_PLY": "'ply'",
    "COMMA": "','",
    "RPAR": "')'",
    "_AND": "'and'",
    "_OR": "'or'",
    "$END": "the end",
}
"""The English words for each terminal, in the order of messages. Every other terminal is possible
only together with one of these."""


def syntax_error(text: str, error: UnexpectedToken | UnexpectedCharacters) -> QueryError:
    """Return the error for the text that Lark refused."""
    from lark.exceptions import UnexpectedToken  # start-up time

    last = error.token_history[-1] if error.token_history else None
    if last is not None and last.type == "WORD" and last in KEYWORDS:
        return QueryError(text, *no_value(last).args)
    at = error.pos_in_stream
    if last is not None and last.type == "WORD" and text[last.end_pos or 0 :][:1] == "=":
        # for example the id of a game with parameters
        return QueryError(text, last.start_pos or 0, "the value has a '='", "quotes around it")
    if at is not None and (slip := _slip(text, at, last)):
        return slip
    wanted: set[str] = error.interactive_parser.accepts()  # type: ignore[no-untyped-call]
    expected = OF_A_PLY if last is not None and last.type == "THEN" else _in_english(wanted)
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
        return _no_such_name(text, at, found)
    return QueryError(text, at, f"{found!r} does not belong here", expected)


def _no_such_name(text: str, at: int, found: str) -> QueryError:
    """Return the error of an unknown word at the start of a test."""
    if meant := OTHER_NAMES.get(found.lower()):
        return QueryError(text, at, f"unknown name {found!r}: did you mean {meant!r}?")
    if tag := TAGS.get(found.casefold().replace("_", "")):
        return QueryError(text, at, f"unknown name {found!r}: did you mean the tag {tag}?")
    if not _TESTED.match(text, at + len(found)):
        message = f"{found!r} is not a test: write winner = {found}, for example"
        return QueryError(text, at, message)
    known = [*WORDS, "contains", "not"]
    if alike := difflib.get_close_matches(found.lower(), known, n=1, cutoff=0.65):
        return QueryError(text, at, f"unknown name {found!r}: did you mean {alike[0]!r}?")
    expected = "a field such as player, result, plies, move or position, or a tag such as Annotator"
    return QueryError(text, at, f"unknown name {found!r}", expected)


def _in_english(terminals: set[str]) -> str:
    """Return the possible terminals as a list in words."""
    shown = {"NAME"} if "NAME" in terminals else terminals
    if "WORD" in shown:
        shown = shown - {"STRING"}
    words = [words for name, words in _ENGLISH.items() if name in shown]
    if {"NOT", "_IN"} <= shown:
        words.append("'not in'")
    return listed(words, "or")


_TESTED: Final = re.compile(r"\s*(?:[^\w\s)]|(?:in|not|is|equals|contains)\b)")
"""The text after the name in a test."""

_WORD: Final = re.compile(r"[\w.+/:@#%*?-]{1,40}|[<>=!]+")

OTHER_NAMES: Final = {
    **dict.fromkeys(("ply", "length", "lengths", "shortest", "longest", "turns"), "plies"),
    "movetext": "move",
    **dict.fromkeys(("ending", "endings", "reason"), "termination"),
    **dict.fromkeys(("score", "draws", "draw"), "result"),
    "time_s": "time",
    "clock_s": "clock",
    "comment": "comments",
    **dict.fromkeys(("white", "player1", "sente"), "first"),
    **dict.fromkeys(("black", "player2", "gote"), "second"),
    **dict.fromkeys(("name", "players", "bot"), "player"),
    **dict.fromkeys(("winners", "won"), "winner"),
    **dict.fromkeys(("losers", "lost"), "loser"),
}
"""Words of other languages and of printed tables for the fields of records, with the correct words.
"""

OTHER_TAGS: Final = {
    "White": "First",
    "Black": "Second",
    "WhiteElo": "FirstElo",
    "BlackElo": "SecondElo",
}
"""The tags of other formats, with the names that records use."""

SEAT_WORDS: Final = {
    **dict.fromkeys(("first", "white", "player1", "1"), Result.FIRST_WON),
    **dict.fromkeys(("second", "black", "player2", "2"), Result.SECOND_WON),
    **dict.fromkeys(("draw", "none", "nobody"), Result.DRAWN),
}
"""Words for a side or a draw in the place of a name, with the result that they mean."""


def _every(plan: Plan) -> Iterator[Plan]:
    """Yield a plan and all plans in it, in the order of the text."""
    yield plan
    for part in parts_of(plan):
        yield from _every(part)


def slips_in(plan: Plan) -> list[str]:
    """Return the probable slips in a valid query, each as a sentence."""
    plans = list(_every(plan))
    texts = [each for each in plans if isinstance(each, OfText)]
    games = [
        game for each in texts if (each.name, each.sign) == ("Game", "=") for game in each.values
    ]
    named = list(filter(is_game, games))
    told = [about_game(game) for game in games if game not in named]
    told += chain.from_iterable(map(_hints, texts))
    lines = [each for each in plans if isinstance(each, OfMove | OfBeginning | OfReached)]
    moves = chain.from_iterable(each.moves for each in lines)
    told += [words for move in moves if (words := about_unread_move(move, named))]
    return list(dict.fromkeys(told))


def _hints(asked: OfText) -> list[str]:
    """Return hints for a test that finds nothing because it uses the wrong name."""
    name = asked.name
    if name in OTHER_TAGS:
        return [f"records use {OTHER_TAGS[name]} instead of {name}"]
    if name not in ("winner", "loser"):
        return []
    won = [SEAT_WORDS[text.lower()] for text in asked.values if text.lower() in SEAT_WORDS]
    meant = won if name == "winner" else [result.reversed for result in won]
    return [f"{name} is a player's name; did you mean result = {result}?" for result in meant]


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
"""Signs and words of other languages, with the correct ones; capital letters are recognised too."""

_OURS: Final = (*KEYWORDS, "in", "contains", "then", "within")

_BARE_VALUE: Final = re.compile(r"""[=~]\s*([^\s"'(),=~<>!][^"'(),=~<>!]*)\Z""")
"""A value without quotes, up to the place where a text is refused."""

_SIGN: Final = re.compile(
    r"[<>=!&|~:\N{NOT EQUAL TO}\N{LESS-THAN OR EQUAL TO}"
    r"\N{GREATER-THAN OR EQUAL TO}]+"
)


def _slip(text: str, at: int, last: Token | None) -> QueryError | None:
    """Return the error of a sign or word from another language, or None.

    `last` is the token before `at`, where the text is refused.
    """
    if last is not None and last.type == "POSITION" and text[at : at + 1] in ("=", "!"):
        meant = 'position "…", or plain position "…" without symmetric positions'
        return QueryError(text, at, f"a position has no {text[at]!r}", meant)
    if last is not None and last.type == "_AT" and re.match(r"[a-z][0-9]", text[at:]):
        cell = text[at:].split(maxsplit=1)[0]
        return QueryError(
            text, last.start_pos or 0, f"'at' is for plies: did you mean 'on {cell}'?"
        )
    if text[at : at + 1] == "," and (value := _BARE_VALUE.search(text, 0, at)):
        whole = re.split(r"\s+(?:and|or)\s", text[value.start(1) :], maxsplit=1)[0].strip()
        return QueryError(
            text, value.start(1), "the value has a ','", f'quotes around it: "{whole}"'
        )
    begin = at
    while begin and _SIGN.match(text, begin - 1):  # "==" is refused at its second sign
        begin -= 1
    found = _SIGN.match(text, begin) or _WORD.match(text, begin)
    word = found[0] if found else ""
    if last is not None and last.type == "ORDERED" and last.lower() in _OURS:
        begin, word = (
            last.start_pos or 0,
            str(last),
        )  # a word with a capital letter was read as a tag's name
    lower = word.lower()
    meant = lower if lower in _OURS and lower != word else _MEANT.get(lower, "")
    return QueryError(text, begin, f"{word!r}: did you mean {meant!r}?") if meant else None
