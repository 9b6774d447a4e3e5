"""The scale of ratings: anchors, the rule of ranks, and the bots to compare with."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Final

from lath.games.errors import hinted
from lath.reports.counting.ranking import Members, Rule
from lath.reports.notes.outcome import EventOutcome
from lath.reports.ratings.results import ALL_AT_ONCE, Method

MOST_ELO: Final = 10_000.0
"""The largest absolute value of an anchor."""

MOST_APART: Final = 4_000.0
"""The largest difference of two anchors in Elo points: no number of games can rate a bot between
anchors that are further apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """The scale of ratings, the rule of ranks, and the bots to compare with."""

    ranked_by: Method = ALL_AT_ONCE
    """The rating that is shown and can decide ranks."""

    rule: Rule | None = None
    """A fixed rule of ranks. Default: the rule that `ranking` chooses."""

    outcome: EventOutcome | None = None
    """The result of a tournament by the rules of its format, which may decide ranks."""

    members: Members = field(default_factory=dict)
    """The versions of each member, which share a row in tables."""

    anchors: Mapping[str, float] = field(default_factory=dict)
    """Bots with a fixed Elo; without anchors, the mean of a group is 0."""

    relative_to: str = ""
    """The bot that differences refer to; empty for none."""

    until: int = 0
    """The number of the last game before the latest event of a pool; 0 for no comparison."""

    @property
    def of_one_game(self) -> Scale:
        """Return the scale for one game type of several, without a Swiss or knockout result."""
        data = self.outcome.data if self.outcome else {}
        is_of_all = data.get("swiss") or data.get("bracket")
        return replace(self, outcome=None) if is_of_all else self

    def checked(self, names: Iterable[str]) -> Scale:
        """Return the scale; raises ValueError if it names a bot that is not in `names`."""
        known = sorted(names)
        for flag, name in (
            *(("--anchor", anchor) for anchor in self.anchors),
            *((("--relative-to", self.relative_to),) if self.relative_to else ()),
        ):
            if name not in known:
                raise ValueError(f"{flag} {name!r}: {hinted(*unknown_words(name, known))}")
        return self


PLAIN_SCALE: Final = Scale()


def unknown_words(name: str, known: Sequence[str]) -> tuple[str, str]:
    """Return the problem with an unknown bot name, and a suggestion."""
    close = get_close_matches(name, known, 1)
    listed = ", ".join(known[:12]) + (f" and {len(known) - 12} more" if len(known) > 12 else "")
    meant = f"did you mean {close[0]!r}?" if close else ""
    return f"no such bot; expected one of {listed or '(no bots found)'}", meant


def anchor_of(text: str) -> tuple[str, float]:
    """Return the bot and the Elo of a text such as `mine=1500`; raises ValueError.

    >>> anchor_of("mine v2=1500"), anchor_of("a=b=-20.5")
    (('mine v2', 1500.0), ('a=b', -20.5))
    """
    name, equals, number = text.rpartition("=")
    if not equals or not name.strip():
        raise ValueError(f"{text!r}: expected BOT=ELO, such as mine=1500")
    try:
        value = float(number)
    except ValueError:
        value = math.nan
    if not abs(value) <= MOST_ELO:
        wanted = f"expected a number from {-MOST_ELO:.0f} to {MOST_ELO:.0f}, such as {name}=1500"
        raise ValueError(f"{text!r}: {number!r} is not an Elo rating; {wanted}")
    return name.strip(), value


def anchors_of(texts: Iterable[str]) -> dict[str, float]:
    """Return the anchors of texts such as `mine=1500`; raises ValueError if they do not fit."""
    found: dict[str, float] = {}
    for name, value in map(anchor_of, texts):
        if found.setdefault(name, value) != value:
            raise ValueError(f"{name!r} has two values: {found[name]:g} and {value:g}")
    refuse_far_apart(found)
    return found


def refuse_far_apart(anchors: Mapping[str, float]) -> None:
    """Raise ValueError if anchors are too far apart for games to rate bots between them."""
    if not anchors:
        return
    low, high = (end(anchors, key=anchors.__getitem__) for end in (min, max))
    if anchors[high] - anchors[low] > MOST_APART:
        raise ValueError(
            f"{low}={anchors[low]:g} and {high}={anchors[high]:g} are more than {MOST_APART:.0f} "
            "points apart; expected anchors of one scale"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """The changes of a bot since the last event."""

    rank: int
    """The number of ranks that the bot has risen; negative if it has fallen."""

    rating: float
    """The increase of the conservative rating (mu - 3 sigma)."""

    elo: float
    """The increase in Elo points; without anchors, new bots shift the mean of the field, which is
    0."""
