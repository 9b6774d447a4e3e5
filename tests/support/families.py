"""Games with parameters close to those of installed ones, for tests of every game type."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lath import games
from lath.games.core import Game
from lath.games.errors import UnknownGameError
from lath.games.parameters import Parameter, Value, id_with, of


def relatives(game: Game) -> Iterator[Game]:
    """Yield a game per parameter of a family, with a value next to the default."""
    for parameter in of(game):
        yield from first_of(game, ({parameter.name: value} for value in beside(parameter)))


def beside(parameter: Parameter) -> Iterator[Value]:
    """Yield the values next to a parameter's default, the smaller one first."""
    at = list(parameter.values).index(parameter.default)
    yield from parameter.values[max(at - 1, 0) : at]
    yield from parameter.values[at + 1 : at + 2]


def first_of(game: Game, many: Iterator[Mapping[str, Value]]) -> Iterator[Game]:
    """Yield the game of the first valid values, if there are any."""
    for values in many:
        try:
            yield games.get(id_with(game, values))
        except UnknownGameError:
            continue
        return


INSTALLED = games.installed()
FAMILIES = tuple(game for game in INSTALLED if of(game))
RELATIVES = tuple(one for game in FAMILIES for one in relatives(game))
ALL = INSTALLED + RELATIVES
