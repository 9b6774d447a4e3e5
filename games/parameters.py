"""Parameters of games: the part of an id such as `yavalath:size=4,win=5` after the colon.

A game declares them as `parameters`, and makes a variant with its method
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
"""The value of a parameter: a whole number, a bool (written yes or no), or one of several words."""

_NAME: Final = re.compile("[a-z][a-z0-9_]*")
_WORD: Final = re.compile("-?[a-z0-9][a-z0-9_-]*")
_NUMBER: Final = re.compile(r"-?[0-9]{1,9}")

_LISTED: Final = 8
"""The most values of a range with a step that are listed; a longer range is described."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter in which the variants of a game can differ."""

    name: str
    """Lowercase letters, digits and `_`, beginning with a letter: the keyword of `variant`."""

    default: Value
    """The value if the id does not give one."""

    values: Sequence[Value]
    """All possible values in order: a `range`, `(False, True)`, or words of lowercase letters,
    digits and hyphens."""

    about: str
    """The meaning of the parameter in a few words."""

    def __post_init__(self) -> None:
        """Raise ValueError for names and values that ids cannot hold, or an invalid default."""
        words = list(map(written, self.values))
        if not _NAME.fullmatch(self.name) or not all(map(_WORD.fullmatch, words)):
            raise ValueError(
                f"parameter {self.name!r} of {self.values!r}, expected a name of lowercase "
                "letters, digits and _, and values of these or hyphens"
            )
        if self.default not in self.values:
            raise ValueError(f"parameter {self.name!r}: {self.default!r} is not one of its values")

    @property
    def expected(self) -> str:
        """Return the possible values in words.

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
        """Return the value that `text` states. Raises GameError if it is not a possible value."""
        if isinstance(self.values, range):
            if _NUMBER.fullmatch(text) and int(text) in self.values:
                return int(text)
        else:
            for value in self.values:
                if written(value) == text:
                    return value
        raise GameError(f"{self.name} is {text!r}", self.expected)


def written(value: Value) -> str:
    """Return a value as text in an id.

    >>> written(4), written(True), written("round")
    ('4', 'yes', 'round')
    """
    return ("no", "yes")[value] if isinstance(value, bool) else str(value)


def of(game: Game) -> tuple[Parameter, ...]:
    """Return the parameters that a game declares; empty if it declares none."""
    return parameters_of(game)


def id_with(game: Game, values: Mapping[str, Value]) -> str:
    """Return the canonical id of a game with these values: in declared order, without defaults.

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
    """Return the values in the part of an id after the colon. Raises GameError if it is invalid.

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
            raise GameError(f"{name} appears twice", "each parameter once")
        values[name] = known[name].read(value)
    return values


def family(game: Game) -> Iterator[Game]:
    """Yield every variant of a game, smaller values first.

    There can be many: every board size is combined with every line length.
    """
    declared = of(game)
    for values in product(*(each.values for each in declared)):
        said = dict(zip((each.name for each in declared), values, strict=True))
        with suppress(UnknownGameError):  # values that clash
            yield made(game, id_with(game, said))


_MADE: Final[dict[tuple[int, str], tuple[Game, Game]]] = {}
"""The variants that were made, with their game, by the identity of the game and the id."""


def made(game: Game, game_id: str) -> Game:
    """Return the variant of `game` with this id.

    Each id gives the same object, even if `games.get` has forgotten it. Raises UnknownGameError if
    the parameters are invalid or not in canonical form.
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
            raise GameError("the parameters are not in canonical form", repr(canonical))
        variant = cast("Varied", game).variant(game_id, **values)
    except GameError as error:
        raise UnknownGameError(f"game {game_id!r}: {error.what}", error.expected) from error
    except (TypeError, ValueError) as error:  # for example a class that does not accept such values
        raise UnknownGameError(f"game {game_id!r}: {error}") from error
    if variant.id != game_id:
        raise UnknownGameError(f"game {game_id!r}: its id is {variant.id!r}")
    return variant


def earlier_variants(
    earlier: Mapping[str, Game], game_id: str, values: Mapping[str, Value]
) -> dict[str, Game]:
    """Return the variant with these values under each earlier version that has the parameters."""
    return {
        version: cast("Varied", old).variant(game_id, **values)
        for version, old in earlier.items()
        if values.keys() <= {each.name for each in of(old)}
    }


def title_of(title: str, game_id: str) -> str:
    """Return the title of the variant with this id; `title` is the title of its game.

    >>> title_of("Yavalath", "yavalath:size=4,win=5")
    'Yavalath (size 4, win 5)'
    >>> title_of("Manalath (61 cells)", "manalath-61:win=4")
    'Manalath (61 cells, win 4)'
    """
    said = game_id.partition(":")[2].replace("=", " ").replace(",", ", ")
    if not said:
        return title
    return f"{title[:-1]}, {said})" if title.endswith(")") else f"{title} ({said})"
