"""Lines before the moves of loose text: headings of columns, and titles of games."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from lath.notation.formats.text_header import (
    SIDES,
    coloured,
    day_of,
    ending_of,
    game_meant,
    titles,
)

_PAIRS: Final = (
    *(("white", "black"), ("w", "b"), ("first", "second"), ("1st", "2nd"), ("orange", "purple")),
    *(("player1", "player2"), ("p1", "p2"), ("weiß", "schwarz"), ("weiss", "schwarz")),
)
"""Names of both sides, the first player's first."""

_COUNTING: Final = frozenset(
    (
        *("#", "n", "no", "nr", "ply", "turn", "move", "moves", "round", "time", "comment"),
        *("comments", "player", "players", "zug", "vs", "v", "versus", "and"),
    )
)


def heading_of(line: str) -> tuple[str, ...] | None:
    """Return the sides in the headings of columns of moves, in lowercase.

    The result is None if the line is not such a heading.

    >>> heading_of("#  White   Black"), heading_of("Black's move | White's move")
    (('white', 'black'), ('black', 'white'))
    >>> heading_of("Ply Move"), heading_of("White: Black"), heading_of("White  B")
    ((), None, None)
    """
    is_named = re.search(r":\s*[^\s:]", line) and not line.rstrip(" |*_\t").endswith(":")
    if len(line) > _LONGEST or is_named:
        return None
    plain = re.sub(r"['’]s\b|[:()*_`.=]", " ", line.lower())
    words = re.sub(r"\bplayer\s+([12])\b", r"player\1", plain).replace("-", " ").split()
    words = [word for part in words for word in re.split(r"[;,|/&]", part) if word]
    if not (seats := tuple(word for word in words if word not in _COUNTING)):
        return () if len(words) > 1 else None
    return seats if seats in _PAIRS or seats[::-1] in _PAIRS else None


_LONGEST: Final = 200


def is_turned(seats: tuple[str, ...]) -> bool:
    """Return whether a heading names the second player's column before the first player's."""
    return seats[::-1] in _PAIRS


def cells_of(line: str) -> list[str]:
    r"""Return the texts in the columns of a line, without numbers and words such as "move".

    >>> cells_of("No.   Ann   Bob"), cells_of("\t Ann Lee \t Bob \t"), cells_of("Ann Bob")
    (['Ann', 'Bob'], ['Ann Lee', 'Bob'], ['Ann Bob'])
    """
    parts = (part.strip(" *_`:") for part in re.split(r"\t|\s{2,}|\|", line))
    return [part for part in parts if part and part.lower().strip(".") not in _COUNTING]


def named_in_columns(line: str) -> tuple[str, str] | None:
    """Return the two names with colours above two columns, each with its colour after it.

    >>> named_in_columns("Ann (White)   Bob (Black)"), named_in_columns("White (Ann)  Black (Bob)")
    (('Ann (White)', 'Bob (Black)'), ('Ann (White)', 'Bob (Black)'))
    """
    cells = [
        re.sub(r"^(\w+)\s*\((.+)\)$", r"\2 (\1)", cell)
        if cell.split("(")[0].strip().lower() in SIDES
        else cell
        for cell in cells_of(line)
    ]
    seats = {coloured(cell, SIDES)[1] for cell in cells}
    return (cells[0], cells[1]) if len(cells) == 2 and seats == {0, 1} else None


# Titles


class Title(NamedTuple):
    """The data of a title line; missing values are empty."""

    players: tuple[str, str] | None = None
    result: str = ""
    game: str = ""
    day: str = ""
    round: str = ""


_RESULT: Final = re.compile(
    r"(?<![\w/.-])(?:(?:[01½]|1/2|0\.5)\s?[-–—−:]\s?(?:[01½]|1/2|0\.5)|½)(?![\w/.-])"
)
_MONTH: Final = r"(?:jan|feb|mar|mär|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez)[a-zä]*\.?"
_DAY: Final = re.compile(
    r"(?:\b(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?,?\s+)?(?<!\d)"
    rf"(?P<day>\d{{4}}[-./]\d\d?[-./]\d\d?|\d\d?[./]\d\d?[./](?:\d{{4}}|\d\d)"
    rf"|\d\d?(?:st|nd|rd|th|\.)?\s+(?:of\s+)?{_MONTH},?\s+\d{{4}}|{_MONTH}\s+\d\d?(?:st|nd|rd|th)?,?\s+\d{{4}})"
    r"(?!\d)(?:,?\s+\d\d?:\d\d\b)?",
    re.IGNORECASE,
)
_ROUND: Final = re.compile(r"\b(?:round|rd\.?)\s*(?P<round>\d{1,3}(?:\.\d{1,3})?)\b", re.IGNORECASE)
_COUNT: Final = re.compile(
    r"\b(?:board|game|match|nr\.?|no\.?)\s*#?\d{1,4}\b|#\d{1,4}\b", re.IGNORECASE
)
_FILLING: Final = re.compile(
    r"(?:a|an|our|the|my|game|match|of|played|on|was|result|date|partie)", re.IGNORECASE
)
_VERSUS: Final = re.compile(r"\s+(?:vs?\.?|versus|against)\s+|\s+[-–—]\s+", re.IGNORECASE)
_AGAINST: Final = re.compile(r"\s(?:vs?\.?|versus|against)\s", re.IGNORECASE)
_BLANK: Final = re.compile(r"\s")
_NAME: Final = re.compile(r"[^\W\d][^\t,;:|]{0,50}")


def title_of(line: str) -> Title | None:
    """Return the game, day, players and result of a title line; None if it says anything else.

    >>> title_of("Ann - Bob 0-1"), title_of("Ann 1-0 Bob").players
    (Title(players=('Ann', 'Bob'), result='0-1', game='', day='', round=''), ('Ann', 'Bob'))
    >>> title_of("Yavalath game, played 2024-03-12 19:30")
    Title(players=None, result='', game='yavalath', day='2024-03-12', round='')
    >>> title_of("Club evening - Leeds"), title_of("Yavalath, a game I liked")
    (None, None)
    """
    if len(line) > _LONGEST or not line.strip():
        return None
    rest = line.strip(" .#*=-\t")
    said: dict[str, str] = {}

    def taken(pattern: re.Pattern[str], name: str, text: str) -> str:
        if (found := pattern.search(text)) is None:
            return text
        said[name] = found[name] if name in pattern.groupindex else found[0]
        return f"{text[: found.start()]}\t{text[found.end() :]}"

    rest = taken(_DAY, "day", rest)
    if "day" in said and day_of(said["day"]) is None:
        return None
    rest = taken(_RESULT, "result", rest)
    if "result" in said and ending_of(said["result"], ("", ""), SIDES) is None:
        return None
    rest = taken(_ROUND, "round", rest)
    rest = _COUNT.sub("\t", rest)
    games = re.compile(rf"(?<![\w-])(?P<game>{titles()})(?![\w]|-[a-z6])", re.IGNORECASE)
    rest = taken(games, "game", rest)
    names = _names(
        rest,
        is_told=bool(said),
        is_result="result" in said,
        is_dated=bool(said.keys() & {"result", "day"}),
    )
    if names is None or (not names and not said):
        return None
    return Title(
        players=(names[0], names[1]) if names else None,
        result=said.get("result", ""),
        game=game_meant(said.get("game", "")),
        day=said.get("day", ""),
        round=said.get("round", ""),
    )


def _names(rest: str, *, is_told: bool, is_result: bool, is_dated: bool) -> list[str] | None:
    """Return the two names in the rest of a line; empty without names, None for other text."""
    parts = (
        re.sub(r"^[(\[](.*)[)\]]$", r"\1", part.strip(" .-–—"))
        for part in re.split(r"[\t,;:|]|\s{3,}", rest)
    )
    left = [part for part in parts if part and not all(map(_FILLING.fullmatch, part.split()))]
    if not left:
        return []
    if len(left) == 1:
        sides = _VERSUS.split(left[0])
        if len(sides) != 2 and is_dated and left[0].count("-") == 1:
            sides = left[0].split("-")
        is_sure = is_dated or _AGAINST.search(left[0]) is not None
        left = sides if is_sure or (is_told and not any(map(_BLANK.search, sides))) else []
    elif not is_result or len([part for part in rest.split("\t") if part.strip()]) != 2:
        return None
    are_names = all(_NAME.fullmatch(one) and len(one.split()) <= _MOST_WORDS for one in left)
    return left if len(left) == 2 and are_names else None


_MOST_WORDS: Final = 5

_BARE: Final = re.compile(
    r"\s*(?P<seat>white|black|first|second|orange|purple|player\s*[12]|p[12]|wei(?:ß|ss)|schwarz)"
    r"(?:\s*[-–—]\s*|\s+(?:is\s+|was\s+)?)(?P<name>[^\W\d][\w .'’(),-]{0,50}?)\s*",
    re.IGNORECASE,
)


def side_named(line: str) -> tuple[str, str] | None:
    """Return the side and the name in a line that names a player without a colon.

    >>> side_named("White Ann"), side_named("Black - Bob Lee"), side_named("White wins")
    (('White', 'Ann'), ('Black', 'Bob Lee'), None)
    >>> side_named("Ann (white)")
    ('White', 'Ann')
    """
    name, seat = coloured(line, SIDES)
    if seat is not None and _NAME.fullmatch(name) and line.rstrip().endswith((")", "]")):
        return ("White", "Black")[seat], name
    found = _BARE.fullmatch(line)
    if found is None or len(found["name"].split()) > _MOST_WORDS:
        return None
    return None if ending_of(line, ("", ""), SIDES) else (found["seat"], found["name"])
