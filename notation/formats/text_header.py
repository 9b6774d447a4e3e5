"""The text before and after the moves of a game: names, dates, results, in many spellings.

`text` describes the format.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import chain, count
from typing import Final, NamedTuple

from lath import games
from lath.games.core import Game, Result, Side
from lath.notation.record.tags import KNOWN_TAGS, Termination
from lath.notation.text.suggestions import meant_date, meant_result, meant_termination


class HeaderField(NamedTuple):
    """One `[Name "value"]` or `Name: value`, with its place."""

    name: str
    value: str
    at: int
    end: int


_ALIASES: Final[Mapping[str, str]] = {
    **{name.lower(): name for name in KNOWN_TAGS},
    **dict.fromkeys(("white", "whiteplayer", "playerwhite"), "White"),
    **dict.fromkeys(("black", "blackplayer", "playerblack"), "Black"),
    **dict.fromkeys(("player1", "firstplayer", "p1", "1stplayer"), "First"),
    **dict.fromkeys(("player2", "secondplayer", "p2", "2ndplayer"), "Second"),
    **dict.fromkeys(("variant", "gametype", "gamename"), "Game"),
    **dict.fromkeys(("day", "played", "playedon", "utcdate"), "Date"),
    **dict.fromkeys(("tournament", "competition"), "Event"),
    **dict.fromkeys(("place", "location", "venue"), "Site"),
    **dict.fromkeys(("score", "outcome", "winner"), "Result"),
    **dict.fromkeys(("ending", "endedby", "ended", "reason"), "Termination"),
    **dict.fromkeys(("time", "tc", "clock"), "TimeControl"),
    **dict.fromkeys(("annotatedby", "commentator"), "Annotator"),
    **dict.fromkeys(("comment", "comments", "note", "notes", "remark"), "Comment"),
    **dict.fromkeys(("players", "between"), "Players"),
    **dict.fromkeys(("moves", "game moves", "movelist"), "Moves"),
    **dict.fromkeys(("weiß", "weiss"), "White"),
    "schwarz": "Black",
    "spiel": "Game",
    "datum": "Date",
    "ergebnis": "Result",
    "runde": "Round",
    "turnier": "Event",
    "fen": "Position",
    "rd": "Round",
}
"""The tag for a name in lowercase, without spaces and punctuation."""

_TWO_WORDS: Final = (
    r"player\s*[12]|player\s+(?:white|black)|(?:first|second|white|black|1st|2nd)\s+player|"
    r"time\s+control|game\s+(?:type|name)|(?:played|ended|annotated)[ _](?:on|by)"
)
_NAMES: Final = (
    r"white|black|orange|purple|first|second|p[12]|player[12]|games?|variant|date|day|played|"
    r"event|tournament|competition|site|place|location|venue|round|rd|result|score|outcome|winner|"
    rf"termination|ending|reason|time|tc|annotator|opening|setup|position|fen|comments?|notes?|remark|players|moves|{_TWO_WORDS}"
)
_QUOTED: Final = r"\"(?:[^\"\\]|\\.)*\"|'[^']*'(?=\s*\])|[“„«][^”“»]*[”“»]"
_TAG: Final = re.compile(
    rf"\s*\[\s*((?i:{_TWO_WORDS})|[^\W\d][\w-]*)\s*[:=]?\s*({_QUOTED}|[^\]\"\n]*)\s*\]"
)
_KEY: Final = re.compile(rf"\s*((?i:{_NAMES}))(?:\s*[:=](?![-0-9]*\))|[ ]*\t\s*|[ ]{{2,}})\s*(.*)")
_ANY_KEY: Final = re.compile(r"\s*([^\W\d][\w' -]{0,24}?)(?:\s*:\s+|\s+=\s+)(\S.*)")
_NEXT_KEY: Final = re.compile(rf"(?:\s*[,;|]\s*|\s+)(?=(?i:{_NAMES})\s*[:=]\s)")
_COLOUR: Final = re.compile(
    r"\s*[(\[<]\s*([a-z]+|1st|2nd)(?:\s+player)?\s*[)\]>]\s*", re.IGNORECASE
)
_VERSUS: Final = re.compile(r"\s+(?:vs?\.?|versus|against)\s+", re.IGNORECASE)

SIDES: Final = {
    **dict.fromkeys(("white", "first", "1st"), Side.FIRST),
    **dict.fromkeys(("black", "second", "2nd"), Side.SECOND),
}


def tag_meant(name: str) -> str:
    """Return the tag that a name is another spelling of, or a tag made from the name.

    >>> tag_meant("WHITE"), tag_meant("player 1"), tag_meant("Time control"), tag_meant("Mood")
    ('White', 'First', 'TimeControl', 'Mood')
    """
    plain = re.sub(r"[\s_-]+", "", name.lower())
    tag = _ALIASES.get(plain) or re.sub(r"[^A-Za-z0-9_]+", "", name.replace(" ", "_"))
    return tag if tag[:1].isalpha() else f"Text{tag}"


def fields_of(line: str, at: int, *, loose: bool) -> tuple[list[HeaderField], int]:
    """Return the fields at the start of a line, and their end.

    An unknown name before a colon counts only if `loose`, which means before the moves.
    """
    found: list[HeaderField] = []
    end = 0
    while match := _TAG.match(line, end):
        value = match[2].strip()
        if len(value) > 1 and value[0] + value[-1] in ('""', "''", "“”", "„“", "«»"):
            value = re.sub(r"\\(.)", r"\1", value[1:-1])
        found.append(HeaderField(match[1], value, at + match.start(1) - 1, at + match.end()))
        end = match.end()
    if found:
        return found, end
    match = _KEY.match(line)
    if match is None and loose and players_in(line) is None:
        match = _ANY_KEY.match(line)
    if match is None:
        return [], 0
    parts = [match.start(1), *(cut.end() for cut in _NEXT_KEY.finditer(line, match.end(1)))]
    for begin, stop in zip(parts, [*parts[1:], len(line)], strict=True):
        name, value = re.split(r"\s*[:=]\s*|[ ]*\t\s*| {2,}", line[begin:stop], maxsplit=1)
        if tag_meant(name) == "Moves":
            return found, begin + len(line[begin:stop]) - len(value)
        value = value.strip().rstrip(",;|").strip()
        if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
            value = value[1:-1]
        found.append(HeaderField(name.strip(), value, at + begin, at + stop))
    return found, len(line)


def is_known_field(line: str) -> bool:
    """Return whether a line begins with the name of a known tag and a colon."""
    return _KEY.match(line) is not None


def players_in(line: str) -> tuple[str, str] | None:
    """Return the two names of `ann (white) vs bob (black)`, in their order.

    >>> players_in("Game 3: ann (white) vs. bob (black)"), players_in("Yavalath game 7 ann vs bob")
    (('ann (white)', 'bob (black)'), ('ann', 'bob'))
    >>> players_in("Round 3, board 2: ann (W) vs. bob (B), Yavalath")
    ('ann (W)', 'bob (B)')
    """
    if len(line) > _LONGEST_LINE:
        return None
    text = re.sub(r"^\s*[^:]{1,60}:\s+(?=\S)", "", line).strip(" .,-=#*")
    sides = _VERSUS.split(text)
    if len(sides) != 2:
        sides = re.split(r"\s+[-–—]\s+", text)
        if len(sides) != 2 or not all(re.search(r"\S\s*[(\[<].", side) for side in sides):
            return None
    first, second = _behind_game(sides[0]), sides[1]
    while (cut := re.fullmatch(r"(.+?)\s*[,(]\s*([^,()]+?)\s*\)?", second)) and is_about(cut[2]):
        second = cut[1]
    return (first, second) if all(len(side) <= 60 for side in (first, second)) else None


_LONGEST_LINE: Final = 200


def is_about(text: str) -> bool:
    """Return whether a text is a game's name or a day, not a part of a player's name."""
    return bool(game_meant(text)) or (not text.isdigit() and day_of(text) is not None)


def _behind_game(text: str) -> str:
    """Return the text after the name of a game and its number, at the start of a line."""
    number = r"(?:\s+(?:game|match))?(?:\s*#?[0-9]+)?[\s,:–-]+(?=\S)"
    return re.sub(rf"^(?:{titles()}){number}", "", text, flags=re.IGNORECASE)


def titles() -> str:
    """Return a pattern of the ids and titles of all games, the longest first."""
    names = {name for game in games.installed() for name in (game.id, game.title)}
    return "|".join(map(re.escape, sorted(names, key=len, reverse=True)))


def games_in(text: str) -> set[str]:
    """Return the ids of the games whose id or title appears in a text as a separate word.

    >>> games_in("Yavalath on a Sunday"), games_in("club-manalath-61.txt"), games_in("mammals")
    ({'yavalath'}, {'manalath-61'}, set())
    """
    found = re.findall(rf"(?<![a-z0-9])(?:{titles()})(?![a-z0-9]|-[a-z6])", text, re.IGNORECASE)
    return {game_meant(one) for one in found} - {""}


def coloured(name: str, colours: Mapping[str, Side]) -> tuple[str, Side | None]:
    """Return a name without the colour in parentheses after it, and the side with that colour.

    >>> coloured("ann (Black)", SIDES), coloured("ann (club 2)", SIDES)
    (('ann', <Side.SECOND: 1>), ('ann (club 2)', None))
    """
    found = _COLOUR.search(name)
    word = _LETTERS.get(found[1], found[1].lower()) if found else ""
    if word not in colours:
        return name.strip(), None
    return _COLOUR.sub(" ", name, count=1).strip(), colours[word]


_LETTERS: Final = {"W": "white", "B": "black"}


def players_of(game: Game | None, names: set[str]) -> Mapping[str, Side]:
    """Return the side of each colour; `names` are the colours in the header, in lowercase.

    White is the first player. In a game with other colours, the game's own colours count if the
    header names the other one of them.
    """
    if game is None:
        return SIDES
    own = dict(zip(game.colours, Side, strict=True))
    return SIDES | own if set(own) <= names or "white" not in own else {**own, **SIDES}


def game_meant(text: str) -> str:
    """Return the id of the game with this id or title; empty if it is unknown.

    >>> game_meant("Manalath (61 cells)"), game_meant("YAVALATH"), game_meant("chess")
    ('manalath-61', 'yavalath', '')
    """
    plain = re.sub(r"[\s_]+", "-", text.strip().lower())
    for game in games.installed():
        if plain in (game.id.lower(), re.sub(r"[\s_]+", "-", game.title.lower())):
            return game.id
    canonical = games.canonical_id(plain)
    return canonical if ":" in plain and canonical.partition(":")[0] in games.ids() else ""


_MONTHS: Final = {
    word: number
    for number, words in enumerate(
        (
            "jan",
            "feb",
            "mar mär",
            "apr",
            "may mai",
            "jun",
            "jul",
            "aug",
            "sep",
            "oct okt",
            "nov",
            "dec dez",
        ),
        1,
    )
    for word in words.split()
}


class ReadDate(NamedTuple):
    """A date in canonical form, and the assumption made to read it."""

    text: str
    assumed: str = ""


def day_of(text: str) -> ReadDate | None:
    """Return the day of a text, or None.

    >>> day_of("Sunday 3 Nov 2024").text, day_of("2024.03.11").text, day_of("March 2024").text
    ('2024-11-03', '2024-03-11', '2024-03-??')
    """
    if len(text) > _LONGEST_LINE:
        return None
    plain = re.sub(r"\s+\d{1,2}:\d{2}.*|T\d\d:\d\d.*", "", text.strip())
    if day := meant_date(plain):
        return ReadDate(day)
    if found := re.fullmatch(r"\d{4}", plain):
        return ReadDate(f"{plain}-??-??")
    words = re.findall(r"[^\W\d_]+|\d+", plain.lower())
    months = [_MONTHS[word[:3]] for word in words if word[:3] in _MONTHS and not word.isdigit()]
    numbers = [word for word in words if word.isdigit()]
    if len(months) == 1 and numbers:
        year = next((one for one in numbers if len(one) == 4), "")
        days = [one for one in numbers if len(one) <= 2]
        if not year or len(days) > 1 or len(numbers) != len(days) + 1:
            return None
        return _day(year, months[0], days[0] if days else "??")
    if found := re.fullmatch(r"(\d{1,2})([./-])(\d{1,2})\2(\d{4}|\d\d)", plain):
        one, sign, two, year = found.groups()
        said = "" if len(year) == 4 else "two-digit years are read as 20xx"
        year = year if len(year) == 4 else f"20{year}"
        if int(two) > 12:
            return _day(year, int(one), two, said)
        if int(one) <= 12 and one != two:
            order = sign.join(("day", "month", "year"))
            said = "; ".join(filter(None, (said, f"ambiguous dates are read as {order}")))
        return _day(year, int(two), one, said)
    return None


def _day(year: str, month: int, day: str, assumed: str = "") -> ReadDate | None:
    text = meant_date(f"{year}-{month:02}-{day:0>2}")
    return ReadDate(text, assumed) if text else None


class ReadEnding(NamedTuple):
    """A result, and why the game ended; each is empty if the text does not state it."""

    result: Result | None
    termination: str = ""


_WORDS: Final = {
    **dict.fromkeys(
        ("unfinished", "not finished", "in progress", "adjourned", "?"), Result.UNFINISHED
    ),
    **dict.fromkeys(("½", "1/2", "tie", "tied", "remis", "drawn", "draw agreed"), Result.DRAWN),
}
_DONE: Final = re.compile(
    r"(?P<who>.+?)(?:'s)?\s+(?P<does>wins?|won|victory|resign(?:s|ed)?|los(?:es|t)|gives? up|"
    r"gave up|timed out|forfeit(?:s|ed)?)\b[\s,:(]*(?P<how>.*)",
    re.IGNORECASE,
)
_HOW: Final = {
    r"resign|gives? up|gave up": Termination.RESIGNATION,
    r"time|clock|flag": Termination.TIME,
    r"illegal": Termination.ILLEGAL_MOVE,
    r"agree": Termination.AGREEMENT,
    r"adjudicat": Termination.ADJUDICATION,
    r"crash|disconnect": Termination.CRASH,
    r"in a row|in line|rules|group|board": Termination.RULES,
}


def who_ended(text: str) -> re.Match[str] | None:
    """Return the match of a player and a verb in a text such as `bob resigned`."""
    return _DONE.fullmatch(" ".join(text.strip(" .!\"'").split()))


def is_resigning(text: str) -> bool:
    """Return whether a text says that the side to move resigns."""
    return re.fullmatch(r"resign(?:s|ed)?[.!]*", text.strip(), re.IGNORECASE) is not None


def reason_in(text: str) -> str:
    """Return the Termination that some words mean; empty if they mean none."""
    exact = str(meant_termination(text))
    if exact or not text:
        return exact
    return next(
        (kind.value for words, kind in _HOW.items() if re.search(words, text, re.IGNORECASE)), ""
    )


def ending_of(
    text: str, players: tuple[str, str], colours: Mapping[str, Side]
) -> ReadEnding | None:
    """Return the result that a text states in figures or words, or None.

    >>> ending_of("1 : 0", ("ann", "bob"), SIDES), ending_of("bob resigned", ("ann", "bob"), SIDES)
    (ReadEnding(result=<Result.FIRST_WON: '1-0'>, termination=''), \
ReadEnding(result=<Result.FIRST_WON: '1-0'>, termination='resignation'))
    """
    plain = " ".join(text.strip(" .!\"'").split())
    if bracketed := re.fullmatch(r"\((.*?)[.!]*\)|\[(.*?)[.!]*\]", plain):
        plain = (bracketed[1] or bracketed[2] or "").strip()
    plain = re.sub(
        r"^(?:it (?:was|is|ended in) )?(?:an?|the) (?=draw|tie|win|victory)",
        "",
        plain,
        flags=re.IGNORECASE,
    )
    figures = re.match(
        r"[01½][\s]*(?:/\s*2)?\s*[-–—−:]\s*[01½]\s*(?:/\s*2)?(?![\d/])|\*|½|1/2", plain
    )
    if figures and (
        result := meant_result(re.sub(r"\s+", "", figures[0])) or _WORDS.get(figures[0])
    ):
        rest = plain[figures.end() :].strip(" ,;:()")
        if rest and not reason_in(rest) and ending_of(rest, players, colours) is None:
            return None
        return ReadEnding(result, reason_in(rest))
    lower = plain.lower()
    if result := meant_result(plain) or _WORDS.get(lower):
        return ReadEnding(result, Termination.AGREEMENT.value if "agreed" in lower else "")
    if re.match(r"(draw|drawn|tie)\b", lower):
        return ReadEnding(Result.DRAWN, reason_in(lower))
    if (who := _seat(plain, players, colours)) is not None:
        return ReadEnding(Result.won_by(who))
    if found := re.fullmatch(r"(?:win|victory|point)\s+(?:for|to|by)\s+(.+)", plain, re.IGNORECASE):
        who = _seat(found[1], players, colours)
        return None if who is None else ReadEnding(Result.won_by(who))
    return _by_name(plain, players, colours)


def _by_name(text: str, players: tuple[str, str], colours: Mapping[str, Side]) -> ReadEnding | None:
    """Return the result in a text that names a side: `ann won`, `ann 1, bob 0` or `W+R`."""
    if found := re.fullmatch(r"([WB])\+(.*)", text):
        why = {"r": "resign", "t": "time"}.get(found[2].lower(), found[2])
        return ReadEnding(Result.won_by(SIDES[_LETTERS[found[1]]]), reason_in(why))
    if len(text) > _LONGEST_LINE:
        return None
    if found := re.fullmatch(r"(.+?)\s+([01½])\s*[,;:–-]?\s+(.+?)\s+([01½])", text):
        one, other = _seat(found[1], players, colours), _seat(found[3], players, colours)
        points = (found[2], found[4]) if one == 0 else (found[4], found[2])
        result = meant_result("-".join(points))
        return ReadEnding(result) if {one, other} == {0, 1} and result else None
    if found := who_ended(text):
        if (who := _seat(found["who"], players, colours)) is None:
            return None
        does = found["does"].lower()
        is_won = does.startswith(("win", "won", "vic"))
        why = reason_in(found["how"] if is_won else f"{does} {found['how']}")
        return ReadEnding(Result.won_by(who if is_won else who.other), why)
    return None


def _seat(who: str, players: tuple[str, str], colours: Mapping[str, Side]) -> Side | None:
    plain = " ".join(who.lower().split()).removeprefix("the ")
    seats = {
        **{name: seat for name, seat in colours.items() if name},
        **dict.fromkeys(("player 1", "first player"), Side.FIRST),
        **dict.fromkeys(("player 2", "second player"), Side.SECOND),
    }
    named = {name.lower(): seat for name, seat in zip(players, Side, strict=True) if name}
    return {**seats, **named}.get(plain)


def free_name(name: str, taken: Mapping[str, str]) -> str:
    """Return a tag name that is not taken, with a number if necessary."""
    numbered = (f"{name}{number}" for number in count(2))
    return next(each for each in chain([name], numbered) if each not in taken)
