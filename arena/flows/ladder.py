"""The ladder: bundled bots of rising strength, with which `arena match BOT` rates one bot.

The levels and their measured strengths are in `ladder.toml`, which the strength benchmark
(`--ladder`) writes.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from lath.games import get
from lath.reports.counting.table import Meeting, Table
from lath.reports.ratings.numerics import Z95
from lath.reports.ratings.results import Elo

FILE: Final = Path(__file__).with_name("ladder.toml")

LOWEST: Final = "random; tc=nodes 1"
"""The bot of level 0."""


def level_bot(number: int) -> str:
    """Return the bot of a level between the lowest and the highest; it uses fewer nodes itself."""
    return f"alphabeta; option.level={number}; tc=nodes 10000"


UNMEASURED: Final = (LOWEST, *map(level_bot, range(1, 8)))
"""The bots of the levels for a game type without measured levels."""


@dataclass(frozen=True, slots=True)
class Level:
    """A bot of the ladder."""

    number: int
    bot: str
    """The bot in the syntax of `--bot`, without a name; its strength is the same at any clock."""

    elo: float | None = None
    """Elo above random; None if unmeasured."""

    margin: float = 0.0
    """Half the width of the 95% interval of `elo`."""

    @property
    def name(self) -> str:
        """The name of the level's bot in a tournament."""
        return name_of(self.number)

    @property
    def flag(self) -> str:
        """The value of `--bot` for this level."""
        return f"{self.name}={self.bot}"

    @property
    def words(self) -> str:
        """The level in a sentence, such as `level 3`."""
        return f"level {self.number}" if self.number else "level 0 (random)"


def name_of(number: int) -> str:
    """Return the name of a level's bot in a tournament."""
    return f"level-{number}"


@cache
def measured() -> dict[str, Any]:
    """Return the measured ladder of each game type, a table of `games` and `levels`."""
    return tomllib.loads(FILE.read_text(encoding="utf-8"))


def levels_of(game: str) -> tuple[Level, ...]:
    """Return the levels of a game type, from level 0; their Elo is None if unmeasured."""
    if (known := measured().get(game)) is None:
        return tuple(Level(number, bot) for number, bot in enumerate(UNMEASURED))
    return tuple(
        Level(number, row["bot"], row["elo"], (row["high"] - row["low"]) / 2)
        for number, row in enumerate(known["levels"])
    )


@dataclass(frozen=True, slots=True)
class LadderPlace:
    """The strength of a bot relative to the levels of a ladder."""

    bot: str
    game: str
    levels: tuple[Level, ...]
    elo: Elo
    """Elo above random, without the error of the ladder itself."""

    met: tuple[Meeting, ...]
    """The bot's score against each level."""

    is_measured: bool
    """True if the Elo of the levels is measured; if False, these games estimate it."""

    @property
    def nearest(self) -> Level:
        """The level with the closest Elo."""
        return self._closest(self.elo.value)

    @property
    def interval(self) -> tuple[float | None, float | None]:
        """The 95% interval of the Elo with the ladder's error; None for an unknown end."""
        ladder = self.nearest.margin
        if self.elo.unknown:
            low, high = self.elo.low, self.elo.high
            return (
                None if low is None else low - ladder,
                None if high is None else high + ladder,
            )
        margin = math.hypot(Z95 * self.elo.error, ladder)
        return self.elo.value - margin, self.elo.value + margin

    @property
    def level(self) -> Level | None:
        """The level that the bot is about equal to, above or below; None if that is unknown.

        If the bot has won or lost all games, this is the highest or lowest level. The bot must have
        met that level, and the bound of its rating must be closest to it.
        """
        if not self.elo.unknown:
            return self.nearest
        low, high = self.interval
        end = self.levels[-1] if self.elo.unknown == "above" else self.levels[0]
        bound = low if self.elo.unknown == "above" else high
        if bound is None or not self._has_met(end):
            return None
        return end if self._closest(bound) == end else None

    def _closest(self, elo: float) -> Level:
        return min(self.levels, key=lambda level: abs((level.elo or 0.0) - elo))

    def _has_met(self, level: Level) -> bool:
        return self.met[self.levels.index(level)].games > 0

    @property
    def is_wide(self) -> bool:
        """True if the interval is so wide that the bot may be on another level."""
        low, high = self.elo.low, self.elo.high
        return low is None or high is None or high - low > WIDE_ELO

    def sentences(self, clock: str = "", mishaps: str = "") -> Iterator[str]:
        """Yield sentences on the bot's strength, its clock and the games that it forfeited."""
        yield f"{self.bot} {self._where(get(self.game).id)}{self._beside()}{mishaps}"
        low, high = (None if end is None else f"{end:+.0f}" for end in self.interval)
        if low and high:
            told = f"{self.elo.value:+.0f} Elo (95%: {low} to {high})"
        elif low:
            told = f"at least {low} Elo: it has lost to no level"
        else:
            told = f"at most {high} Elo: it has beaten no level"
        games = sum(one.games for one in self.met)
        scale = "random = 0" if self.is_measured else "random = 0, levels as of these games alone"
        played = f"{games} {'game' if games == 1 else 'games'}"
        timed = f", clock {clock}" if clock else ""
        yield f"{told}, where {scale}; of {played}{timed}"

    def _where(self, game: str) -> str:
        top, bottom = self.levels[-1], self.levels[0]
        if self.elo.unknown and self.level is None:
            all_ = "lost to" if self.elo.unknown == "above" else "won against"
            return f"has {all_} no level that it met at {game}"
        is_above = self.elo.unknown == "above" or (self.elo.low or 0.0) > (top.elo or 0.0)
        if is_above and self._has_met(top):
            return f"is above {top.words}, the highest at {game}"
        is_below = self.elo.unknown == "below" or (self.elo.high or 0.0) < (bottom.elo or 0.0)
        if is_below and self._has_met(bottom):
            return f"is below {bottom.words} at {game}"
        return f"is about {self.nearest.words} at {game}"

    def _beside(self) -> str:
        """Return the scores against the nearest level and the next ones met below and above it."""
        played = [n for n, meeting in enumerate(self.met) if meeting.games]
        if self.elo.unknown:
            near = played[-1] if self.elo.unknown == "above" else played[0]
        else:
            near = self.levels.index(self.nearest)
        said = []
        if near in played:
            against = self.levels[near].words
            said.append(f"{_percent(self.met[near])} of {self.met[near].games} against {against}")
        for n in (*[n for n in played if n < near][-1:], *[n for n in played if n > near][:1]):
            share = self.met[n].points / self.met[n].games
            word = "beats" if share > _EVEN[1] else "loses to" if share < _EVEN[0] else "equals"
            of = f"{_percent(self.met[n])} of {self.met[n].games}"
            said.append(f"{word} {self.levels[n].words} ({of})")
        return f": {', '.join(said)}"


_EVEN: Final = (0.45, 0.55)
"""Scores between which two bots count as equal."""

WIDE_ELO: Final = 200
"""The approximate Elo difference of two levels."""


def _percent(met: Meeting) -> str:
    return f"{100 * met.points / met.games:.0f}%"


def place_in(table: Table, bot: str, game: str, levels: Sequence[Level]) -> LadderPlace | None:
    """Return the bot's place among the levels in a tournament's ratings; None without games."""
    places = {row.name: n for n, row in enumerate(table.rows)}
    if bot not in places:
        return None
    row = table.rows[places[bot]]
    is_measured = levels[0].elo is not None
    if not is_measured:
        strengths = {one.name: one.strength.elo.value for one in table.rows}
        levels = [
            Level(one.number, one.bot, strengths[one.name])
            for one in levels
            if one.name in strengths
        ]
    cells = table.crosstable[places[bot]]
    met = [cells[places[one.name]] if one.name in places else Meeting() for one in levels]
    if not any(one.games for one in met):
        return None
    return LadderPlace(bot, game, tuple(levels), row.strength.elo, tuple(met), is_measured)
