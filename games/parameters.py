"""Parameters of games: what an id such as `yavalath:size=4,win=5` says after its colon.

A game declares them as `parameters`, and makes the game of some values by its method
`variant(game_id, **values)`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import product
from typing import Final, cast

from lath.games.capabilities import Varied, parameters_of
from lath.games.contract import Game
from lath.games.errors import GameError, UnknownGameError

Value = int | str
"""Of a parameter: a whole number, yes or no (a bool), or one of some words."""

_NAME: Final = re.compile("[a-z][a-z0-9_]*")
_WORD: Final = re.compile("-?[a-z0-9][a-z0-9_-]*")
_NUMBER: Final = re.compile(r"-?[0-9]{1,9}")

_LISTED: Final = 8
"""So many numbers that are not one after the other are listed; more are told by their step."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One thing that may differ between the games of a family."""

    name: str
    """Small letters, digits and `_`, a letter first: what `variant` calls it."""

    default: Value
    """What it is where the id does not say."""

    values: Sequence[Value]
    """All that it may be, in order: a `range`, `(False, True)`, or words of small letters,
    digits and hyphens."""

    about: str
    """What it is, in a few words."""

    def __post_init__(self) -> None:
        """Raise ValueError for what ids cannot hold, and a default that is no value."""
        words = list(map(written, self.values))
        if not _NAME.fullmatch(self.name) or not all(map(_WORD.fullmatch, words)):
            raise ValueError(
                f"parameter {self.name!r} of {self.values!r}, expected small letters, digits and _ "
                "for its name, and for words of values hyphens, too"
            )
        if self.default not in self.values:
            raise ValueError(f"parameter {self.name!r}: {self.default!r} is none of its values")

    @property
    def expected(self) -> str:
        """Return what it may be, in words.

        >>> Parameter("size", 5, range(3, 10), "Cells on a side.").expected
        'a number from 3 to 9'
        >>> Parameter("size", 6, range(4, 11, 2), "Cells on a side.").expected
        '4, 6, 8 or 10'
        """
        if isinstance(self.values, range) and (self.values.step == 1 or len(self.values) > _LISTED):
            steps = "" if self.values.step == 1 else f" in steps of {self.values.step}"
            return f"a number from {self.values[0]} to {self.values[-1]}{steps}"
        *others, last = map(written, self.values)
        return f"{', '.join(others)} or {last}" if others else last

    def read(self, text: str) -> Value:
        """Return the value that `text` is; raises GameError."""
        if isinstance(self.values, range):
            if _NUMBER.fullmatch(text) and int(text) in self.values:
                return int(text)
        else:
            for value in self.values:
                if written(value) == text:
                    return value
        raise GameError(f"{self.name} is {text!r}", self.expected)


def written(value: Value) -> str:
    """Return a value as ids hold it.

    >>> written(4), written(True), written("round")
    ('4', 'yes', 'round')
    """
    return ("no", "yes")[value] if isinstance(value, bool) else str(value)


def of(game: Game) -> tuple[Parameter, ...]:
    """Return the parameters that a game declares; none where it says nothing of them."""
    return parameters_of(game)


def id_with(game: Game, values: Mapping[str, Value]) -> str:
    """Return the one id of the game of these values: in declared order, without defaults.

    >>> from lath import games
    >>> id_with(games.get("yavalath"), {"win": 5, "size": 4, "lose": 3})
    'yavalath:size=4,win=5'
    """
    said = [
        f"{each.name}={written(values[each.name])}"
        for each in of(game)
        if values.get(each.name, each.default) != each.default
    ]
    return f"{game.id}:{','.join(said)}" if said else game.id


def read(game: Game, text: str) -> dict[str, Value]:
    """Return the values that stand after the colon of an id; raises GameError.

    >>> from lath import games
    >>> read(games.get("yavalath"), "win=5,size=4")
    {'win': 5, 'size': 4}
    """
    known = {each.name: each for each in of(game)}
    if not known:
        raise GameError(f"{game.id} has no parameters")
    values: dict[str, Value] = {}
    for part in text.split(","):
        name, sign, value = part.partition("=")
        if not sign:
            first = next(iter(known.values()))
            such = f"{first.name}={written(first.default)}"
            raise GameError(f"found {part!r}", f"a parameter and its value such as {such}")
        if name not in known:
            raise GameError(f"no parameter {name!r}", f"one of {', '.join(known)}")
        if name in values:
            raise GameError(f"{name} stands there twice", "each parameter once")
        values[name] = known[name].read(value)
    return values


def family(game: Game) -> Iterator[Game]:
    """Yield every game that the parameters of a game make, beginning with smaller values.

    There may be many: a board of each size, times the lengths of lines.
    """
    declared = of(game)
    for values in product(*(each.values for each in declared)):
        said = dict(zip((each.name for each in declared), values, strict=True))
        with suppress(UnknownGameError):  # values that do not go together
            yield made(game, id_with(game, said))


_MADE: Final[dict[tuple[int, str], tuple[Game, Game]]] = {}
"""Games that were made, by the identity of their family, which stands before them, and their id."""


def made(game: Game, game_id: str) -> Game:
    """Return the game of an id with parameters, which is one of the family of `game`.

    It is the same object whenever it is asked for, even where `games.get` has forgotten it. Raises
    UnknownGameError, also where the id is not in the one way to write it.
    """
    if ":" not in game_id:
        return game
    key = id(game), game_id
    if key not in _MADE:
        _MADE[key] = game, _make(game, game_id)
    return _MADE[key][1]


def _make(game: Game, game_id: str) -> Game:
    try:
        values = read(game, game_id.partition(":")[2])
        canonical = id_with(game, values)
        if canonical != game_id:
            raise GameError("there is one way to write it", repr(canonical))
        variant = cast("Varied", game).variant(game_id, **values)
    except GameError as error:
        raise UnknownGameError(f"game {game_id!r}: {error.what}", error.expected) from error
    except (TypeError, ValueError) as error:  # such as a class that takes no such values
        raise UnknownGameError(f"game {game_id!r}: {error}") from error
    if variant.id != game_id:
        raise UnknownGameError(f"game {game_id!r}: it calls itself {variant.id!r}")
    return variant


def earlier_variants(
    earlier: Mapping[str, Game], game_id: str, values: Mapping[str, Value]
) -> dict[str, Game]:
    """Return the game of these values by each earlier version of the rules that knows of them."""
    return {
        version: cast("Varied", old).variant(game_id, **values)
        for version, old in earlier.items()
        if values.keys() <= {each.name for each in of(old)}
    }


def title_of(title: str, game_id: str) -> str:
    """Return the title of the game of an id with parameters, `title` being its family's.

    >>> title_of("Yavalath", "yavalath:size=4,win=5")
    'Yavalath (size 4, win 5)'
    >>> title_of("Manalath (61 cells)", "manalath-61:win=4")
    'Manalath (61 cells, win 4)'
    """
    said = game_id.partition(":")[2].replace("=", " ").replace(",", ", ")
    if not said:
        return title
    return f"{title[:-1]}, {said})" if title.endswith(")") else f"{title} ({said})"
