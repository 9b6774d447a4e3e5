"""The starts of records in loose text, and their parts before the game is known: fields, moves.

`text` describes the format.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, NamedTuple

from lath import games
from lath.games.core import Game
from lath.games.errors import MoveSyntaxError
from lath.notation.formats.text_header import (
    SIDES,
    HeaderField,
    ending_of,
    fields_of,
    is_known_field,
    is_resigning,
    players_in,
    tag_meant,
    who_ended,
)
from lath.notation.formats.text_lines import Sides, plain_line, saying, sides_of
from lath.notation.formats.text_titles import (
    Title,
    cells_of,
    heading_of,
    named_in_columns,
    side_named,
    title_of,
)
from lath.notation.record.errors import Fault
from lath.notation.record.record import GLYPHS

_SWAP: Final = (
    r"(?i:swap(?:s|ped)?(?:[ \t]+(?:sides|seats|colou?rs|pieces))?|pie(?:[ \t]+rule)?)(?![\w-])"
)
_TOKEN: Final = re.compile(
    rf"""
      (?P<braces>\{{[^}}]*\}}?)
    | (?P<line>;[^\n]*)
    | (?P<aside>\([ \t]*[0-9][0-9:.,' \t]*(?:ms|s|sec|min|m|h)?[ \t]*\)
        | \[[0-9]+[0-9:.,']*\] | (?<!\S)[0-9]+(?:[.,][0-9]+)?(?:ms|s|sec|min)(?=\s|$))
    | (?P<swapped>\([ \t]*{_SWAP}[ \t]*[!.]?\))
    | (?P<open>\() | (?P<close>\))
    | (?P<nag>\$[0-9]+)
    | (?P<result>(?<![^\s,;])(?:
        (?:[01½](?:/2)?|0?\.5)[ \t]?[-–—−:][ \t]?(?:0?\.5|[01½](?:/2)?)(?![\w/-])
        | ½ | 1/2(?![\w/]) | \*+))
    | (?P<number>(?:(?<!\S)\#)?[0-9]{{1,4}}[ \t]?
        (?:\.(?:[ \t]?\.\.+|\))?|…|\)|:|/(?=\s))(?:[ \t]*(?:\.\.+|…))?
        | (?:(?<!\S)\#)?[0-9]{{1,4}}(?=[\s;,|]|$))
    | (?P<swap>{_SWAP})
    | (?P<glyph>[!?]+)
    | (?P<between>[,|→]|/(?=\s)|\.\.+|…|--+|[-–—](?=\s))
    | (?P<word>[^\s!?(){{}};,|$]+)
    | (?P<stray>\S)
    """,
    re.VERBOSE,
)
_MOVELIKE: Final = re.compile(
    rf"(?:[0-9]{{1,4}}(?:\.+|…|\)))?[A-Za-z]{{1,3}}[0-9]{{1,2}}(?:[-:x@=/]?[A-Za-z]?[0-9]{{0,2}})*"
    rf"[-!?+#=.,;:|]*|{_SWAP}|pass[,;]?"
)
_NUMBERED: Final = re.compile(r"\s*\(?[0-9]{1,4}(?:\s?(?:\.+|…|\))|:\s)\s*\S")
_DATE: Final = re.compile(r"\s*[0-9]{1,2}\.\s*(?:[0-9]{1,2}\.|[^\W\d]{3,}\.?\s+[0-9]{4})")
_FIRST: Final = re.compile(r"\s*\(?0*1(?:\s?(?:\.|…|\)|:)|\s)\s*(?!\.\.)")
_RULE: Final = re.compile(r"\s*(?:[-=_#~+]{2,}[-=_#~+\s]+|\*[*\s]*\*)\s*")
_RESULT: Final = re.compile(r"(?:^|\s)(?:[01]\s?[-–:]\s?[01]|½|1/2(?:-1/2)?|\*)\s*$")
ENDS: Final = ("Result", "Termination")


# Where a record begins


def _is_moves(line: str) -> bool:
    """Return whether a line that is not a field consists of moves."""
    if _NUMBERED.match(line) and not _DATE.match(line):
        return True
    words = re.split(r"[\s,;|]+", re.sub(r"\{[^}]*\}?|\([^)]*\)?", " ", line))
    words = [word for word in words if not re.fullmatch(r"[\W\d]*|1/2", word)]
    like = sum(_MOVELIKE.fullmatch(word) is not None or is_of_a_game(word) for word in words)
    return 2 * like > len(words) or (not words and _RESULT.search(line) is not None)


def is_movelike(word: str) -> bool:
    """Return whether a word has the form of a move of some game."""
    return _MOVELIKE.fullmatch(word) is not None


@lru_cache(maxsize=1 << 12)
def is_of_a_game(word: str) -> bool:
    """Return whether a word is a move of any installed game; it can consist of letters only."""
    bare = word.rstrip("!?+#=.,;:")
    return len(bare) <= _LONGEST and any(_canonical(game, bare) for game in games.installed())


_LONGEST: Final = 12


def _canonical(game: Game, word: str) -> str:
    try:
        return game.canonical(word)
    except MoveSyntaxError:
        return ""


class Beginning:
    """A test of each line of a stream whether a record begins there."""

    def __init__(self) -> None:
        self._names: set[str] = set()
        self._has_moves = self._is_ended = self._is_numbered = self._after_blank = False
        self._is_open = self._is_told = False
        """True if a comment is open, and true if moves are in sentences."""

    def __call__(self, data: bytes) -> bool:
        """Return whether a record begins with this line, the next one of the stream."""
        line = data.decode("utf-8", "replace").strip()
        if not self._is_open:
            plain = plain_line(line).strip()
            if not plain and line.strip("> "):
                return False  # headings of a table
            line = plain
            said = saying(line) if self._is_told or not self._has_moves else None
            self._is_told = said is not None or (self._is_told and self._has_moves)
            line = said.line.strip() if said else line
        was_blank, self._after_blank = self._after_blank, not line or bool(_RULE.fullmatch(line))
        if self._after_blank:
            return False
        found, end = _fields(line, 0, loose=not self._has_moves) if not self._is_open else ([], 0)
        names = {tag_meant(one.name) for one in found}
        rest = line[end:].strip()
        if found:
            is_behind = not was_blank or (line[0] != "[" and not self._is_ended)
            is_end = names <= set(ENDS) and is_behind and self._names.isdisjoint(names)
            begins = (self._has_moves and not is_end) or (
                not self._names.isdisjoint(names) and names != {"Comment"} and was_blank
            )
            self._note(names, rest, begins=begins)
            return begins
        if self._is_open or _is_moves(line):
            # if moves continue after an empty line, so do their numbers
            begins = self._has_moves and was_blank and not self._is_open
            begins = begins and (
                self._is_ended or not self._is_numbered or bool(_FIRST.match(line))
            )
            begins = begins or (self._is_ended and self._is_numbered and bool(_FIRST.match(line)))
            self._note(set(), line, begins=begins)
            return begins
        begins = self._has_moves and was_blank and not is_ending(line)
        self._note(set(), "", begins=begins)
        return begins

    def _note(self, names: set[str], moves: str, *, begins: bool) -> None:
        if begins:
            self._names = set()
            self._has_moves = self._is_ended = self._is_numbered = False
        self._names |= names
        if moves:
            self._is_numbered |= self._is_told or _NUMBERED.match(moves) is not None
            self._has_moves = True
            last = max(moves.rfind("{"), moves.rfind("}"))
            self._is_open = moves[last] == "{" if last >= 0 else self._is_open
            self._is_ended |= not self._is_open and _RESULT.search(moves) is not None


def _fields(line: str, at: int, *, loose: bool) -> tuple[list[HeaderField], int]:
    """Return the fields at the start of a line, and their end; titles have no fields."""
    if loose and re.fullmatch(r"[^:\[]+:[ \t]+[^:]+:\s*", line):
        return [], 0  # names above columns
    may_be_title = loose and ":" in line and line[:1] != "[" and not is_known_field(line)
    title = title_of(line) if may_be_title else None
    return ([], 0) if title and title.players else fields_of(line, at, loose=loose)


# The parts of one record


class TextLine(NamedTuple):
    """A line of words, with its place."""

    text: str
    at: int
    is_marked: bool
    """True if a character marks it as a comment."""


_NOBODY: Final = Sides([], "")


@dataclass(slots=True)
class TextParts:
    """The parts of the text of a record, before its game is known."""

    fields: list[HeaderField] = field(default_factory=list)
    body: str = ""
    """The text with spaces in the place of everything that is not a move."""
    before: list[TextLine] = field(default_factory=list)
    after: list[TextLine] = field(default_factory=list)
    """Lines that are neither fields nor moves, before the moves and after them."""
    headings: tuple[tuple[str, ...], int] | None = None
    """The sides above the columns of moves, with their place."""
    columns: tuple[TextLine, list[str]] | None = None
    """The line directly above the moves if it has two names, with these names."""
    sides: Sides = _NOBODY
    """The player of each move, if it is named before a colon."""
    players: tuple[str, str] | None = None
    tellers: tuple[str, str] | None = None
    """The players of moves in sentences, the first one first."""


def is_ending(line: str) -> bool:
    """Return whether a line after the moves of a game states how it ended.

    >>> is_ending("bob resigned"), is_ending("resigns"), is_ending("bob vs cid")
    (True, True, False)
    """
    return (
        ending_of(line, ("", ""), SIDES) is not None
        or is_resigning(line)
        or (len(line) <= _LONGEST_ENDING and who_ended(line) is not None)
    )


_LONGEST_ENDING: Final = 60

_COMMENT: Final = " \t;"
"""Characters before the words of a line that is a comment."""


def parts_of(text: str) -> TextParts:
    """Return the parts of the text of a record."""
    found = TextParts()
    found.sides, whole = sides_of(text), text
    text = found.sides.text
    at, kept = 0, []
    has_moves = is_open = False
    tellers: list[str] = []
    for line in text.splitlines(keepends=True):
        raw = bare = line.rstrip("\r\n")
        bare = bare if is_open else plain_line(bare)
        said = saying(bare) if not is_open and (tellers or not has_moves) else None
        if said:
            tellers.append(said.who)
            bare = said.line
        fields, end = ([], 0) if is_open else _fields(bare, at, loose=not has_moves)
        found.fields += fields
        rest = bare[end:]
        is_sided = any(at <= place < at + len(line) for _, place in found.sides.names)
        is_body = is_open or is_sided or bool(end and rest.strip())
        is_body = is_body or (bool(rest.strip()) and _is_moves(rest))
        if is_body:
            has_moves = True
            last = max(rest.rfind("{"), rest.rfind("}"))
            is_open = rest[last] == "{" if last >= 0 else is_open
        elif not fields and bare.strip() and not _RULE.fullmatch(bare):
            _note_words(
                found,
                bare,
                TextLine(
                    text=bare.lstrip(_COMMENT).rstrip(),
                    at=at,
                    is_marked=raw.lstrip(" \t>")[:1] in tuple(";#({%"),
                ),
                below=has_moves,
            )
        elif not (has_moves or is_open or bare.strip()) and (seats := heading_of(raw)):
            found.headings = seats, at
        kept.append(" " * end + rest if is_body else " " * len(bare))
        kept.append(line[len(bare) :])
        at += len(line)
    found.body = "".join(kept)
    tellers = tellers or [whole[at : at + len(name)] for name, at in found.sides.names]
    if len(set(tellers)) == 2:
        found.tellers = tellers[0], (set(tellers) - {tellers[0]}).pop()
    _name_sides(found)
    return found


def _note_words(found: TextParts, bare: str, line: TextLine, *, below: bool) -> None:
    """Note a line that is neither a field nor moves."""
    if below:
        found.after.append(line)
    elif title := title_of(bare):
        found.players = found.players or title.players
        _add_fields(found, title, line.at)
    elif found.players is None and (players := players_in(bare) or named_in_columns(bare)):
        found.players = players
    else:
        found.before.append(line)
        is_two = len(cells := cells_of(bare)) == 2 and not re.search("[0-9:]", "".join(cells))
        found.columns = (line, cells) if is_two else None


def _add_fields(found: TextParts, title: Title, at: int) -> None:
    values = {"Game": title.game, "Date": title.day, "Result": title.result, "Round": title.round}
    names = {tag_meant(one.name) for one in found.fields}
    found.fields += [
        HeaderField(name, value, at, at)
        for name, value in values.items()
        if value and (name not in names or name == "Result")
    ]


def _name_sides(found: TextParts) -> None:
    """Take lines such as `White Ann` and `Black Bob` as fields if both exist."""
    named = [(line, both) for line in found.before if (both := side_named(line.text))]
    if len({seat.lower() for _, (seat, _) in named}) == len(named) == 2:
        for line, (seat, name) in named:
            found.before.remove(line)
            found.fields.append(HeaderField(seat, name, line.at, line.at))


@dataclass(slots=True)
class WrittenMove:
    """A move as it appears in the text, with its comments, glyph and variations."""

    text: str
    at: int
    glyph: str = ""
    comments: list[str] = field(default_factory=list)
    lines: list[tuple[list[WrittenMove], str]] = field(default_factory=list)
    """The variations, each with its text."""


@dataclass(slots=True)
class UntypedMoves:
    """The moves of a record, before its game is known."""

    words: list[WrittenMove] = field(default_factory=list)
    before: list[str] = field(default_factory=list)
    numbers: list[tuple[int, int, int]] = field(default_factory=list)
    """A number, the ply after it, and its place."""
    ends: list[tuple[str, int]] = field(default_factory=list)
    """Results in figures, with their places."""
    faults: list[Fault] = field(default_factory=list)


def course_of(body: str) -> UntypedMoves:  # noqa: C901, PLR0912, PLR0915 - a case for each kind of token
    """Return the moves of a text."""
    course = UntypedMoves()
    stack: list[tuple[list[WrittenMove], int]] = []
    words, at = course.words, 0
    early: list[str] = []
    """The comments in a variation before its first move."""
    while match := _TOKEN.search(body, at):
        kind, token, at = match.lastgroup or "", match[0], match.end()
        if kind == "number" and stack and token.endswith(")"):
            at -= 1  # it closes an open parenthesis
        if kind == "line" and _is_list(token[1:]):
            at = match.start() + 1  # a semicolon between moves
        elif kind == "between" and (said := _behind_dash(token, body, at)):
            (words[-1].comments if words else course.before).append(said.strip())
            at += len(said)
        elif kind in ("braces", "line", "aside"):
            if kind == "braces" and not token.endswith("}"):
                course.faults.append(
                    Fault("syntax", "the comment is never closed", "}", match.start())
                )
            before = early if stack else course.before
            signs = "()[]" if kind == "aside" else "{};"
            (words[-1].comments if words else before).append(token.strip(signs).strip())
        elif kind == "open":
            stack.append((words, match.start()))
            words = []
        elif kind == "close" and stack:
            inner, (words, begin) = words, stack.pop()
            if words:
                words[-1].lines.append((inner, body[begin + 1 : match.start()]))
            else:
                course.before.append(body[begin + 1 : match.start()])
        elif kind == "close":
            course.faults.append(
                Fault("syntax", ") does not close a variation", "( before it", match.start())
            )
        elif kind == "nag" and words:
            number = int(token[1:4])
            if 0 < number <= len(GLYPHS) and not words[-1].glyph:
                words[-1].glyph = GLYPHS[number - 1]
            elif number:
                words[-1].comments.append(token)
        elif kind == "glyph" and words and token in GLYPHS and not words[-1].glyph:
            words[-1].glyph = token
        elif kind == "result" and not stack:
            course.ends.append((token, match.start()))
        elif kind == "number" and not stack:
            number = int(re.sub("[^0-9]", "", token))
            course.numbers.append((number, len(words) + 1, match.start()))
        elif kind in ("word", "swap", "swapped"):
            words.append(
                WrittenMove(token if kind == "word" else "swap", match.start(), comments=early)
            )
            early = []
    if stack:
        course.faults.append(Fault("syntax", "the variation is never closed", ")", stack[-1][1]))
        course.words = stack[0][0]
    return course


def _behind_dash(dash: str, body: str, at: int) -> str:
    """Return the words after a dash up to the end of a line; empty if they are moves."""
    end = body.find("\n", at)
    rest = re.split(r"[{(;]", body[at : end if end >= 0 else None])[0]
    words = [word for word in re.split(r"[\s,;.!?]+", rest) if word]
    is_said = dash[0] in "-–—" and len(words) > 0
    is_bare = not any(map(is_movelike, words)) and not re.search(r"[0-9½*]", rest)
    return rest if is_said and is_bare and not any(map(is_of_a_game, words)) else ""


def _is_list(rest: str) -> bool:
    """Return whether the text after a semicolon consists of moves."""
    return all(
        re.fullmatch(r"[\W\d]*", word) or _MOVELIKE.fullmatch(word) or is_of_a_game(word)
        for word in re.split(r"[\s,;]+", re.split(r"[{(]", rest)[0].strip())
    )


def number_faults(
    numbers: list[tuple[int, int, int]],
) -> Iterator[tuple[tuple[str, str], int, int]]:
    """Yield the first number that contradicts the others, which count plies or pairs."""
    wrong_plies = [one for one in numbers if one[0] != one[1]]
    wrong_pairs = [one for one in numbers if one[0] != (one[1] + 1) // 2]
    if wrong_plies and wrong_pairs:
        in_pairs = len(wrong_pairs) <= len(wrong_plies)
        number, ply, at = (wrong_pairs if in_pairs else wrong_plies)[0]
        right = (ply + 1) // 2 if in_pairs else ply
        message = (
            f"number {number} is written before ply {ply}",
            f"{right}: is a move missing before it?",
        )
        yield message, at, ply
