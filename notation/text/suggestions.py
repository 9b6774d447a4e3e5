"""Suggestions for invalid words: the result, date, game or move that was probably meant.

These functions run only for invalid words, so they may be slow.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from typing import Final

from lath import games
from lath.games.core import RESULTS, Game, Result, meant_escape
from lath.games.errors import MoveSyntaxError, PositionError, SetupError, UnknownGameError
from lath.notation.protocol import LONGEST_MEANT
from lath.notation.record.errors import listed, shortened
from lath.notation.record.tags import Termination, is_date

RESULTS_IN_WORDS: Final = "1-0, 0-1, 1/2-1/2 or *"

_RESULT_SIGNS: Final = str.maketrans(
    {**dict.fromkeys("‐‑‒–—−:", "-"), "½": "1/2", "⁄": "/", ",": "."}
)

_RESULT_WORDS: Final = {
    **RESULTS,
    **dict.fromkeys(("draw", "drawn", "1/2", "0.5", "0.5-0.5", ".5-.5"), Result.DRAWN),
}

_TERMINATION_WORDS: Final = {
    **dict.fromkeys(("resign", "resigned", "resigns"), Termination.RESIGNATION),
    **dict.fromkeys(("timeout", "time out", "time forfeit"), Termination.TIME),
    **dict.fromkeys(("illegal", "rules infraction"), Termination.ILLEGAL_MOVE),
}
"""The terminations by the words of other programs and PGN."""


def meant_result(word: str) -> Result | None:
    """Return the result that `word` is another spelling of, or None.

    >>> meant_result("½–½"), meant_result("1:0"), meant_result("2-0")
    (<Result.DRAWN: '1/2-1/2'>, <Result.FIRST_WON: '1-0'>, None)
    """
    return _RESULT_WORDS.get(word.lower().translate(_RESULT_SIGNS).rstrip("."))


def meant_termination(value: str) -> str:
    """Return the Termination that `value` is another spelling of; empty if it is unknown."""
    plain = " ".join(re.split(r"[\s_-]+", value.lower().strip()))
    return plain if plain in list(Termination) else _TERMINATION_WORDS.get(plain, "")


def meant_date(value: str) -> str:
    """Return the date in its canonical form if the year is first; empty if it is not a date.

    >>> meant_date("2026.11.5"), meant_date("2026.11.??"), meant_date("2026-11")
    ('2026-11-05', '2026-11-??', '2026-11-??')
    >>> meant_date("????.??.??"), meant_date("5.11.2026")
    ('?', '')
    """
    if re.fullmatch(r"[?./-]+", value):
        return "?"
    part = r"([0-9]{1,2}|\?{1,2})"
    found = re.fullmatch(rf"([0-9]{{4}}|\?{{4}})([./-]?){part}\2{part}", value)
    if found is None and (found := re.fullmatch(rf"([0-9]{{4}})([./-]){part}()", value)):
        value = f"{value}{found[2]}??"
        found = re.fullmatch(rf"([0-9]{{4}})([./-]){part}\2{part}", value)
    if found is None:
        return ""
    month, day = ("??" if "?" in one else f"{one:0>2}" for one in (found[3], found[4]))
    date = f"{found[1]}-{month}-{day}"
    return date if is_date(date) else ""


_NO_MOVES: Final = {
    **dict.fromkeys(("resign", "resigned", "resigns"), 'only the tag [Termination "resignation"]'),
    "timeout": 'only the tag [Termination "time"]',
    "draw": 'only the result 1/2-1/2 and the tag [Termination "agreement"]',
}
"""The correct way to write the words that end games in other notations."""


def meant_game(value: str) -> str:
    """Return the only game with an id similar to `value`; empty if none or several are similar."""
    if len(value) > LONGEST_MEANT:
        return ""
    plain = re.sub(r"[\s_]+", "-", value.lower().strip())
    if is_game(canonical := games.canonical_id(plain)):
        return canonical
    close = get_close_matches(plain, games.ids(), cutoff=0.8)
    return close[0] if len(close) == 1 else ""


def near_game(text: str) -> str:
    """Return the game that a user probably means; empty if none is near.

    Unlike `meant_game`, it also takes a part of an id, such as `hex` for `hex-9`.
    """
    if (meant := meant_game(text)) or len(text) < 2:
        return meant
    part = text.lower()
    near = [one for one in games.ids() if one.startswith(part) or part in one.split("-")]
    return min(near, key=len, default="")


def is_game(game_id: str) -> bool:
    """Return whether a game with this id is installed."""
    try:
        games.get(game_id)
    except UnknownGameError:
        return False
    return True


def about_game(game_id: str) -> str:
    """Return a message that a game is not installed, with the game that was probably meant."""
    return f"game {shortened(game_id)} is not installed" + _did_you_mean(near_game(game_id))


def about_unread_move(text: str, game_ids: Sequence[str]) -> str:
    """Return a message that none of these games has a move, with the move that was probably meant.

    Without ids, all installed games are asked. The message is empty if one of them has the move.
    """
    readers = [games.get(game_id) for game_id in game_ids] or list(games.installed())
    if any(_is_move(game, text) for game in readers):
        return ""
    meant = next(filter(None, (meant_move(game, text) for game in readers)), "")
    if not meant and len(text) <= LONGEST_MEANT:
        words = sorted({word for game in readers for word in _words(game)})
        meant = next(iter(get_close_matches(text.lower(), words, n=1)), "")
    if len(game_ids) != 1:
        who = f"none of {', '.join(game_ids)}" if game_ids else "no installed game"
        return f"{who} has a move {shortened(text)}" + _did_you_mean(meant)
    other, expected = about_move(readers[0], text)
    said = other or f"{shortened(text)} is not a move of {game_ids[0]}"
    if expected and not meant:
        return f"{said}; expected {expected}"
    return said + _did_you_mean(meant)


def _words(game: Game) -> Iterator[str]:
    """Return the moves of the first two plies that contain no cell, such as swap."""
    start = game.start()
    moves = start.legal_moves()
    return filter(str.isalpha, (*moves, *start.play(moves[0]).legal_moves()))


def _did_you_mean(meant: str) -> str:
    return f"; did you mean {meant!r}?" if meant else ""


def meant_move(game: Game, text: str) -> str:
    """Return the only move that equals `text` except for capital letters and escapes, or ""."""
    if len(text) > LONGEST_MEANT:
        return ""
    head, tail = text[:1], text[1:]
    small, large = head.lower(), head.upper()
    cases = (text.lower(), small + tail, small + tail.upper(), large + tail.lower())
    spellings = (*cases, meant_escape(text))
    found = {spelling for spelling in spellings if _is_move(game, spelling)}
    return found.pop() if len(found) == 1 else ""


def about_move(game: Game, text: str) -> tuple[str, str]:
    """Return the meaning of `text`, which is not a move of `game`, and the correct form.

    Each is empty if nothing is certain.
    """
    if len(text) > LONGEST_MEANT:
        return "", ""
    if text.lower() in _NO_MOVES:
        return "", _NO_MOVES[text.lower()]
    for cell in re.findall(r"(?<![a-z0-9])[a-z][0-9]{1,3}", text):
        row = [name for name in game.board.names if name[0] == cell[0]]
        if row and cell not in row:
            place = f" in place of {cell}" if text != cell else ""
            is_whole = len(row) == int(row[-1][1:]) - int(row[0][1:]) + 1
            told = f"a cell from {row[0]} to {row[-1]}" if is_whole else listed(row, "or")
            return "", f"{told}{place}"
    others = [other for other in games.builtin_ids() if _is_move(games.get(other), text)]
    if not others or re.fullmatch(r"[a-z][0-9]+", text):
        return "", ""
    return f"{text!r} is a move of {listed(others, 'and')}, not of {game.id}", ""


def _is_move(game: Game, text: str) -> bool:
    try:
        game.canonical(text)
    except MoveSyntaxError:
        return False
    return True


def meant_start(game_id: str, name: str, value: str) -> str:
    """Return the tag that the value of Setup or Position belongs to, if it is the other one."""
    try:
        if name == "Setup":
            games.get(game_id).position(value)
            return "Position"
        games.get(game_id).canonical_setup(value)
    except (PositionError, SetupError, UnknownGameError):
        return ""
    return "Setup"
