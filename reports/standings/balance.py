"""Whether the seats of some games are balanced: TrueSkill's model knows no first-move advantage.

Must not know results.

If the first seat is worth `a`, the ratings r are wrong by about the solution of L r = a e, where L
is the Laplacian of the games and e a bot's games in the first seat less those in the second. So
nothing is wrong where e is 0 for every bot, also if two bots never changed seats; and it is e of a
bot, against all opponents together, that has to be looked at.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final

SHARE: Final = 0.1
"""Of a bot's games: with fewer too many in one seat, its rating is off by less than a tenth of
what the seat is worth."""

DEVIATIONS: Final = 3.0
"""Standard deviations of what seats drawn by lot come to; few bots of many are off by more."""


def is_unbalanced(games: Mapping[tuple[str, str], int]) -> bool:
    """Return whether a bot had one seat clearly more often; False without games.

    `games` says how often a bot was first against a second; games in which a bot met itself are
    passed over. With fewer than nine games no bot is ever too often in one seat.

    >>> is_unbalanced({("ann", "bob"): 9, ("bob", "ann"): 9}), is_unbalanced({("ann", "bob"): 9})
    (False, True)
    """
    seats, excess = Counter[str](), Counter[str]()
    for (first, second), times in games.items():
        if first != second:
            seats.update({first: times, second: times})
            excess.update({first: times})
            excess.subtract({second: times})
    return any(
        abs(more) > SHARE * seats[name] and abs(more) >= DEVIATIONS * seats[name] ** 0.5
        for name, more in excess.items()
    )
