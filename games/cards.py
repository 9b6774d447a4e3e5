"""The texts that people read before they play a game: its rules in a few lines, and its variants.

No bot needs this module.
"""

from __future__ import annotations

import inspect
import sys
from contextlib import suppress
from typing import Final

from lath.games.capabilities import own_card
from lath.games.contract import Game
from lath.games.errors import UnknownGameError
from lath.games.parameters import id_with, made
from lath.games.parameters import of as parameters_of


def card_of(game: Game) -> str:
    """Return the rules in a few lines, one paragraph per line; empty if the game has no text.

    The text is the game's `card`, or else the docstring of its module, or else that of its class.

    >>> from lath import games
    >>> card_of(games.get("yavalath")).splitlines()[-1]
    'A full board is a draw.'
    """
    if (card := own_card(game)) is not None:
        return card
    module = sys.modules.get(type(game).__module__)
    text = inspect.cleandoc((module and module.__doc__) or type(game).__doc__ or "")
    return "\n".join(" ".join(part.split()) for part in text.split("\n\n"))


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
