"""The texts that people read before they play a game: its rules in a few lines, and its variants.

No bot needs this module.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from lath.games.capabilities import lessons_of, one_by_one, own_card
from lath.games.contract import Game, Lesson, Position
from lath.games.errors import UnknownGameError
from lath.games.parameters import id_with, made
from lath.games.parameters import of as parameters_of


def card_of(game: Game) -> str:
    """Return the rules in a few lines, one paragraph per line; empty if the game has no text.

    The text is the game's `card`, or else the docstring of its module, or else that of its class.
    It has no backticks: pages and terminals show it as plain text.

    >>> from lath import games
    >>> card_of(games.get("yavalath")).splitlines()[-1]
    'A full board is a draw.'
    """
    if (card := own_card(game)) is None:
        module = sys.modules.get(type(game).__module__)
        text = inspect.cleandoc((module and module.__doc__) or type(game).__doc__ or "")
        card = "\n".join(" ".join(part.split()) for part in text.split("\n\n"))
    return card.replace("`", "")


def named_card(game: Game) -> str:
    """Return `card_of` with the game's title in front, if the text does not begin with its name.

    The name is the title without a size, brackets or how a variant differs: `Hex 9x9` is Hex, and
    `Yavalath on squares` is Yavalath.

    >>> from lath import games
    >>> named_card(games.get("yavalath")).split(";")[0]
    'Yavalath: four or more of your stones in line win'
    """
    card = card_of(game)
    name = re.split(r"\W*(?:\(|\b\d|\b(?:on|with|without)\b)", game.title)[0] or game.title
    start = rf"(?:the\b[^.:;,]*?\s)?{re.escape(name)}(?!\w)"
    is_named = re.match(start, card, re.IGNORECASE)
    return card if is_named or not card else f"{game.title}: {card}"


def credit_told(game: Game) -> str:
    """Return the credit of a game as words that suit a name, a year or `traditional`.

    >>> from lath import games
    >>> credit_told(games.get("yavalath"))
    "Credit: Cameron Browne's Ludi, 2007."
    """
    return f"Credit: {game.credit.rstrip('.')}."


MOST_WORDS: Final = 20
"""The most words of a lesson."""


def lesson_faults(game: Game) -> Iterator[str]:
    """Yield what is wrong with the lessons of a game; nothing for a game without lessons."""
    for lesson in lessons_of(game):
        fault = _fault_of(lesson, game.start())
        if fault:
            yield f"the lesson {lesson.title!r} {fault}"


def _fault_of(lesson: Lesson, start: Position) -> str:
    if not lesson.title or not 0 < len(lesson.words.split()) <= MOST_WORDS:
        return f"must have a title and 1 to {MOST_WORDS} words"
    if not 0 <= lesson.begun < len(lesson.moves):
        return f"must show at least one of its {len(lesson.moves)} moves: begun is {lesson.begun}"
    before = one_by_one(start, lesson.moves[:-1])
    end = before and one_by_one(before, lesson.moves[-1:])
    if before is None or end is None:
        return f"has an illegal move: {' '.join(lesson.moves)}"
    outcome = end.outcome()
    found = outcome.ending if outcome else ""
    is_decided = outcome is not None and outcome.winner is not None
    is_win = outcome.winner == before.to_move if outcome and is_decided else None
    if (found, is_win) != (lesson.ending, lesson.is_win):
        return (
            f"ends with {found!r} and is_win {is_win}, but says {lesson.ending!r} and "
            f"{lesson.is_win}"
        )
    return ""


MOST_OF_ONE: Final = 4
"""The most values of one parameter among the variants: those nearest to the default."""


def variants(game: Game) -> tuple[str, ...]:
    """Return the ids of variants to choose from; each differs from the game in one parameter.

    >>> from lath import games
    >>> variants(games.get("yavalath"))[:4]
    ('yavalath:size=3', 'yavalath:size=4', 'yavalath:size=6', 'yavalath:size=7')
    """
    found = []
    for each in parameters_of(game):
        values = list(each.values)
        usual = values.index(each.default)
        taken: list[int] = []
        for _, place in sorted((abs(place - usual), place) for place in range(len(values))):
            if place != usual and len(taken) < MOST_OF_ONE:
                with suppress(UnknownGameError):  # the value may clash with the other defaults
                    made(game, id_with(game, {each.name: values[place]}))
                    taken.append(place)
        found += [id_with(game, {each.name: values[place]}) for place in sorted(taken)]
    return tuple(found)
