"""Whether the text of a record is surely sound: its whole line of moves is played at once.

What is not surely sound is read and checked closely by `reader.entry_of`, which alone says what is
wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Final, NamedTuple

from lath.games.core import RESULTS, Outcome, Position, Result, follow, result_of
from lath.games.errors import GameError, UnknownGameError
from lath.notation.record.record import MAX_PARTS, MAX_WORDS, Record, bare_plies, record_as_read
from lath.notation.record.tags import MOVES, RULES
from lath.notation.rules.replay import check_tag, end_faults, result_faults, start_from
from lath.notation.text.scanner import NUMBERS, TAGS, Scanned, parts, plies
from lath.notation.text.tokens import unquoted


def valid_plies(text: str) -> int | None:
    """Return how many plies the record that `text` is has; None where it may not be sound."""
    (count,) = plain_plies((text,))
    if count is not None:
        return count
    found = scanned_game(text, parts(text))
    return len(found.line) if found else None


def plain_plies(texts: Sequence[str]) -> list[int | None]:
    """Return the same of each of the texts, but None of one that has not the form of most.

    That is a tag a line, an empty line, and numbered moves with harmless comments in braces. No
    expression looks at the whole of it, so that this is quick. Records of one game are played
    together, for the processor then has at hand what it needs.
    """
    counts: list[int | None] = [None] * len(texts)
    of_games: dict[str, list[tuple[int, _Plain]]] = {}
    for at, plain in enumerate(map(_plain, texts)):
        if plain is not None:
            of_games.setdefault(plain[1]["Game"], []).append((at, plain))
    for at, (_, values, line, _, _, result) in chain.from_iterable(of_games.values()):
        if _played(values, line, result):
            counts[at] = len(line)
    return counts


class ValidGame(NamedTuple):
    """A sound record that was read quickly."""

    tags: Sequence[tuple[str, str]]
    """Names and values, which are in their quotes."""

    values: Mapping[str, str]
    """The same by name."""

    line: Sequence[str]
    """The moves, in canonical text."""

    movetext: str
    """The moves with all that is said of them, as they stand in the text."""

    is_bare: bool
    """Whether there is nothing but moves: no comment, no glyph."""

    result: Result
    start: Position
    end: Position

    def record(self) -> Record:
        """Return the record, of which nothing but moves is read."""
        return _record(self.tags, self.line, self.result)

    def whole(self) -> Record | None:
        """Return the record with all that is said of its moves; None where the scanner must look.

        That is where something stands before the first of them.
        """
        if self.is_bare:
            return self.record()
        played = plies(self.movetext) if self.movetext.startswith("1.") else None
        if played is None or len(played) != len(self.line):
            return None
        return record_as_read(_unquoted(self.tags), played, self.result)


def _record(tags: Iterable[tuple[str, str]], line: Sequence[str], result: Result) -> Record:
    return record_as_read(_unquoted(tags), bare_plies(line), result)


def _unquoted(tags: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    return tuple([(name, unquoted(value)) for name, value in tags])


def bare_record(text: str) -> Record | None:
    """Return the record that a sound text is, if it has the usual form and nothing but moves.

    What is not known to be sound is not read so: nobody asks the rules here.
    """
    if (found := _plain(text)) is None:
        return None
    tags, _, line, movetext, _, result = found
    has_other_blanks = not movetext.replace("\n", " ").isprintable()  # as lines of Windows have
    return None if has_other_blanks or _is_told(movetext) else _record(tags, line, result)


def valid_game(text: str) -> ValidGame | None:
    """Return the record that `text` is; None where it may not be sound."""
    return plain_game(text) or scanned_game(text, parts(text))


def plain_game(text: str) -> ValidGame | None:
    """Return the same of a text that has the form of most; None of every other."""
    found = _plain(text)
    played = found and _played(found[1], found[2], found[5])
    return ValidGame(*found, *played) if found and played else None


_Plain = tuple[Sequence[tuple[str, str]], Mapping[str, str], Sequence[str], str, bool, Result]
"""What `ValidGame` has before its positions: the rules are not asked."""


def _plain(text: str) -> _Plain | None:
    """Return what stands in a text of the form in which most are; None for every other."""
    if len(text) > _MOST:
        return None
    head, _, tail = text.partition("\n\n")
    moves = tail = tail.rstrip(" \n")
    is_bare = "{" not in tail
    if not is_bare:
        moves = _HARMLESS_BRACES.sub("{}", tail).replace("\n", " ")
        if ";" in tail or tail.endswith("}") or ". {}" in moves:  # the move belongs to its number
            return None  # it is no record, or hard to say
        moves = moves.replace(" {} ", " ").removeprefix("{} ")
    words = _words(moves)
    line, result = words[1:-1:2], RESULTS.get(words[-1])
    is_told = words[:-1:2] == NUMBERS[: len(line)] and moves.isascii()
    if result is None or not is_told or len(head) > _MOST_TAGS:
        return None
    try:
        tags = list(map(TAGS.__getitem__, head.split("\n")))
    except KeyError:
        return None
    values = dict(tags)
    if tags[0][0] != "Game" or len(values) != len(tags):
        return None
    return tags, values, line, tail.removesuffix(result), is_bare, result


def _words(moves: str) -> list[str]:
    """Return the words of moves: an empty one, which nothing is, where two blanks stand."""
    return moves.replace("\n", " ").split(" ")


_MOST_TAGS: Final = 2000
"""Letters of tags, whose values are remembered."""

_MOST: Final = 2 * min(MAX_PARTS, MAX_WORDS)
"""Letters of a record that surely holds no more than a record may."""


def scanned_game(text: str, scanned: Scanned | None) -> ValidGame | None:
    """Return the record that a text with these parts is; None where it may not be sound."""
    if scanned is None:
        return None
    tags, before, moves, result = scanned
    if len(text) - len(moves) > _MOST_TAGS:  # what follows remembers their values
        return None
    values = dict(tags)
    is_usual = tags[0][0] == "Game" and len(values) == len(tags)
    if not is_usual or (before and _HARMLESS.sub("", before).strip()):
        return None
    line = _line(moves)
    if (played := _played(values, line, result)) is None:
        return None
    is_bare = not (before or _is_told(moves))
    return ValidGame(tags, values, line, before + moves, is_bare, result, *played)


def _played(
    values: Mapping[str, str], line: Sequence[str], result: Result
) -> tuple[Position, Position] | None:
    """Return the first position and the last one; None where something may be wrong.

    The values of tags are in their quotes.
    """
    tag, is_result_only = values.get, MOVES in values and not line  # which has no position
    if is_result_only or not _tags_are_valid(tag("Date"), tag("TimeControl")):
        return None
    try:
        start = _start(tag("Game", ""), tag("Setup"), tag("Position"), tag(RULES))
    except UnknownGameError:
        return None
    end = follow(start, line) if start else None
    if end is None or start is None:
        return None
    is_valid = _ends_validly(tag("Result"), result, tag("Termination"), result_of(end))
    return (start, end) if is_valid else None


@lru_cache(maxsize=4096)
def _tags_are_valid(date: str | None, time_control: str | None) -> bool:
    """Return whether nothing is wrong with these values, in their quotes; None where missing."""
    values = (("Date", date), ("TimeControl", time_control))
    return not any(check_tag(name, unquoted(value)) for name, value in values if value)


@lru_cache(maxsize=1024)
def _ends_validly(tag: str | None, result: Result, termination: str | None, ruled: Result) -> bool:
    """Return whether a record may end so; the values of tags are in their quotes.

    `ruled` is the result of the rules, `*` where the game goes on.
    """
    why = unquoted(termination) if termination else ""
    return not any(
        (
            check_tag("Termination", why),
            *result_faults(unquoted(tag) if tag else "", result, why),
            *end_faults(result, why, Outcome(ruled.winner, "") if ruled.is_finished else None),
        )
    )


def _line(moves: str) -> list[str]:
    """Return the moves, without what is harmless; with words that no game knows if more is left."""
    if _is_told(moves):
        moves = _HARMLESS.sub(" ", moves)
    words = moves.split()
    return words[1::2] if words[::2] == NUMBERS[: len(words) // 2] else words


def _is_told(moves: str) -> bool:
    """Return whether there are comments or glyphs among moves."""
    return "{" in moves or "!" in moves or "?" in moves or ";" in moves


_BRACES: Final = r"""
    \{ (?: [^{}\[]++ | \[% (?: (?:emt|clk)\ [0-9]{1,9}(?:\.[0-9]*)?
                            | eval\ -?(?:0(?:\.[0-9]*)?|1(?:\.0*)?)
                            | (?:depth|nodes)\ [0-9]{1,18}
                            | pv\ [^\[\]{}]*+ ) \] )*+ \}
"""

_HARMLESS: Final = re.compile(rf"{_BRACES} | ;[^\n\[;]*+(?=\n) | [!?]", re.VERBOSE)
"""Comments about which nothing can be wrong, and glyphs: checking the moves goes on without them.

What is left of any other comment is no move of any game."""

_HARMLESS_BRACES: Final = re.compile(rf"{_BRACES} (?: [\ \n]++ {_BRACES} )*+", re.VERBOSE)
"""Those of them that stand in braces, as many as follow each other."""


@lru_cache(maxsize=4096)
def _start(
    game: str, setup: str | None, position: str | None, rules: str | None
) -> Position | None:
    """Return the first position of a record; None where something may be wrong with it.

    The values are in their quotes. Raises UnknownGameError: one that is unknown may be added yet.
    """
    if position and setup:
        return None
    try:
        values = (game, setup, position, rules)
        return start_from(*[unquoted(value) if value else "" for value in values])
    except UnknownGameError:
        raise
    except GameError:
        return None
