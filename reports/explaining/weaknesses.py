"""What is tested of a bot's games: seats, openings, turning points, time, evaluations, repeats.

Each test gives a `Finding`, whatever came of it, for what was tested counts where it is decided
what to believe. Expected of a game is what the bot scores against that opponent, over all games at
once, with the first seat's advantage where games of others tell it. Must not know files, nor how a
finding is shown.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from statistics import median, quantiles
from typing import Final, Literal, NamedTuple

from lath.games.core import SEATS
from lath.notation.query import quoted
from lath.notation.record import FORFEITS, Record
from lath.reports.explaining.calibration import Calibration
from lath.reports.explaining.findings import (
    LEAST,
    Cost,
    Finding,
    Place,
    Spread,
    excess,
    fact,
    shares,
)
from lath.reports.explaining.repertoire import Reached, Repertoire, position_after
from lath.reports.explaining.turning import KINDS, Kind, Turn
from lath.reports.figures import of_game
from lath.reports.ratings.results import Estimate

OPENING: Final = 8
"""Plies of which an opening has no more; what comes later is a position."""

STEP: Final = 5
"""Plies between those after which games are said to be given away."""

LOW: Final = 0.1
"""The part of the initial time below which little is left."""

QUARTER: Final = 0.25
"""A move is quick, or slow, if it is of the quickest, or slowest, quarter of who made it."""

DOUBT: Final = 2
"""Games at a bot's mean that count for each opponent beside those against it."""


class Clock(NamedTuple):
    """What is known of a player's time at a move."""

    used: float | None
    """The part of the player's moves without a proof at this stage of this game that took less."""
    is_low: bool | None
    """Whether little was left; None without a clock."""


Speed = Literal["quick", "slow", "low"]

TIMED: Final[Mapping[Speed, str]] = {
    "quick": "by quick moves",
    "slow": "by slow moves",
    "low": "with little time left",
}
"""What it comes to."""


class Timed(NamedTuple):
    """Moves by which games turned, of which it is known how quick they were, or how late."""

    kind: Speed
    own: int
    """How many of the bot's were so."""
    of_own: int
    others: int
    of_others: int
    places: Mapping[int, Place]
    """The bot's, by their games' places in the repertoire."""


@dataclass(slots=True, kw_only=True)
class Played:
    """A game of the bot, as it is tested."""

    file: str
    number: int
    record: Record
    """Without comments."""

    seat: int
    points: float
    line: int
    """Its place in the repertoire; -1 if it was not played through."""

    cluster: int
    """With which others it hangs together: those of a pair."""

    turns: tuple[Turn, ...] = ()
    """Where it turned, and wins that were missed."""

    told: Sequence[tuple[int, float]] = ()
    """Plies, from 1, and what the bot said that it expected there, from -1 to 1."""

    clocks: Mapping[int, Clock] = field(default_factory=dict)
    """Of plies at which the game turned."""

    direction: str = ""
    """Along which the line lies that ended it, as two cells; empty where none did."""

    is_same: bool = False
    """Whether it repeats another one move by move."""

    expected: float = 0.5

    @property
    def game(self) -> str:
        """Return its game's id."""
        return self.record.game

    @property
    def opponent(self) -> str:
        """Return who else played."""
        return self.record.first if self.seat else self.record.second

    @property
    def is_forfeited(self) -> bool:
        """Return whether somebody lost it otherwise than on the board."""
        return self.record.termination in FORFEITS

    @property
    def is_told(self) -> bool:
        """Return whether it tells how the bot plays: a game of its own, decided on the board."""
        return not (self.is_same or self.is_forfeited)

    def place(self, ply: int) -> Place:
        """Return one of its plies."""
        return Place(self.file, self.number, ply)

    def turn(self, *, own: bool) -> Turn | None:
        """Return where it turned against the bot, or against the opponent."""
        of = self.seat if own else 1 - self.seat
        return next((one for one in self.turns if one.kind != "missed" and one.seat == of), None)


def expect(games: Sequence[Played], advantages: Mapping[str, Estimate]) -> None:
    """Set what was expected of each game, by the bot's score against each opponent on the board.

    The few games against one count together with `DOUBT` that went as all did. Games that are lost
    otherwise than on the board, or repeat others, teach nothing.
    """
    scored = [game.points for game in games if game.is_told]
    mean = math.fsum(scored) / len(scored) if scored else 0.5
    mean = min(1 - 1e-6, max(1e-6, mean))
    against: defaultdict[str, list[Played]] = defaultdict(list)
    for game in games:
        against[game.opponent].append(game)
    for of in against.values():
        telling = [game for game in of if game.is_told]
        ahead = [_ahead(game, advantages) for game in telling]
        points = math.fsum(game.points for game in telling) + DOUBT * mean
        low, high = -40.0, 40.0
        for _ in range(50):
            middle = (low + high) / 2
            total = math.fsum(_logistic(middle + more) for more in ahead)
            if total + DOUBT * _logistic(middle) < points:
                low = middle
            else:
                high = middle
        for game in of:
            game.expected = _logistic(low + _ahead(game, advantages))


def _ahead(game: Played, advantages: Mapping[str, Estimate]) -> float:
    advantage = advantages.get(game.game)
    value = 0.0 if advantage is None else advantage.value * math.log(10) / 400
    return -value if game.seat else value


def _logistic(value: float) -> float:
    return (1 + math.tanh(value / 2)) / 2


class Weaknesses:
    """The tests of a bot's games."""

    def __init__(
        self,
        bot: str,
        games: Sequence[Played],
        repertoire: Repertoire,
        calibration: Calibration,
        advantages: Mapping[str, Estimate],
    ) -> None:
        self._bot: Final = bot
        self._all: Final = games
        self._games: Final = [game for game in games if game.is_told]
        self._repertoire: Final = repertoire
        self._calibration: Final = calibration
        self._advantages: Final = advantages
        self._at_line: Final = {game.line: at for at, game in enumerate(self._games)}
        self.ids: Final = sorted({game.game for game in self._games})

    def tested(self) -> list[Finding]:
        """Return all that was tested."""
        return [
            *self._forfeits(),
            *self._repeats(),
            *self._of_games(),
            *self._of_seats(),
            *self._of_openings(),
            *self._of_novelties(),
            *self._of_turns(),
            *self._of_directions(),
            *self._of_phases(),
            *self._of_clocks(),
            *self._of_promises(),
        ]

    # Facts

    def _forfeits(self) -> Iterator[Finding]:
        for why in FORFEITS:
            lost = [
                game for game in self._all if game.record.termination == why and not game.points
            ]
            if not lost:
                continue
            plies = [len(game.record.plies) for game in lost]
            span = _plies(min(plies), max(plies))
            yield Finding(
                kind=f"forfeit.{why}",
                says=_FORFEITED[why],
                because=f"after {span}, the median being {median(plies):.0f}",
                games=len(lost),
                cost=fact(game.expected for game in lost),
                where=f'loser = {quoted(self._bot)} and termination = "{why}"',
                places=tuple(game.place(len(game.record.plies)) for game in lost),
            )

    def _repeats(self) -> Iterator[Finding]:
        lost = [game for game in self._all if game.is_same and not game.points]
        if lost:
            yield Finding(
                kind="same",
                says="loses the same game again, move by move",
                because="each had been lost before with the same moves",
                games=len(lost),
                cost=fact(game.expected for game in lost),
                places=tuple(game.place(len(game.record.plies)) for game in lost),
            )

    # Groups of games

    def _spread(self, stratum: Callable[[Played], object]) -> Spread:
        numbers: dict[object, int] = {}
        strata = [numbers.setdefault(stratum(game), len(numbers)) for game in self._games]
        values = [game.points - game.expected for game in self._games]
        return Spread(values, [game.cluster for game in self._games], strata)

    @cached_property
    def _by_seat(self) -> Spread:
        """Return what compares games with those of the same game's id and seat."""
        return self._spread(lambda game: (game.game, game.seat))

    def _group(
        self,
        kind: str,
        says: str,
        group: Sequence[int],
        cost: Cost | None,
        *,
        game: str = "",
        where: str = "",
        plies: Mapping[int, int] | None = None,
    ) -> Iterator[Finding]:
        """Yield what a group of games costs; nothing where that cannot be said."""
        if cost is None:
            return
        scored = math.fsum(self._games[at].points for at in group)
        of_all = len(group)
        lost = [at for at in group if not self._games[at].points] or group
        yield Finding(
            kind=kind,
            says=says,
            because=f"scores {scored / of_all:.0%}; by its other games "
            f"{_share((scored + cost.points) / of_all)} could be expected",
            games=of_all,
            cost=cost,
            game=game,
            where=where,
            places=tuple(
                self._games[at].place((plies or {}).get(at) or self._turn(at)) for at in lost
            ),
            members=frozenset(group),
        )

    def _turn(self, at: int) -> int:
        game = self._games[at]
        turn = game.turn(own=True)
        return turn.ply if turn else len(game.record.plies)

    def _where(self, game: str = "", *more: str) -> str:
        of = (f"game = {quoted(game)}",) if game and len(self.ids) > 1 else ()
        return " and ".join((f"player = {quoted(self._bot)}", *of, *more))

    def _of_games(self) -> Iterator[Finding]:
        if len(self.ids) < 2:
            return
        spread = self._spread(lambda _: 0)
        for game in self.ids:
            group = [at for at, one in enumerate(self._games) if one.game == game]
            says = f"is weak at {of_game(game)['title']}"
            where = self._where(game)
            yield from self._group("game", says, group, spread.cost(group), game=game, where=where)

    def _of_seats(self) -> Iterator[Finding]:
        spread = self._spread(lambda game: game.game)
        for game in self.ids:
            advantage = self._advantages.get(game)
            if advantage is None:  # nobody knows whether it is the seat or the bot
                continue
            for seat in SEATS:
                group = [
                    at
                    for at, one in enumerate(self._games)
                    if one.game == game and one.seat == seat
                ]
                chances = [self._games[at].expected for at in group]
                slope = math.fsum(each * (1 - each) for each in chances) * math.log(10) / 400
                cost = spread.cost(group, (2 * slope * advantage.error) ** 2)
                says = f"is weak as {seat.word}{self._at(game)}"
                where = self._where(game, f"{seat.word} = {quoted(self._bot)}")
                yield from self._group("seat", says, group, cost, game=game, where=where)

    def _at(self, game: str) -> str:
        return f" at {of_game(game)['title']}" if len(self.ids) > 1 else ""

    def _of_openings(self) -> Iterator[Finding]:
        for reached in self._repertoire.reached(LEAST, len(self._games) - LEAST):
            group = [self._at_line[line] for line in reached.lines if line in self._at_line]
            cost = self._by_seat.cost(group) if len(group) >= LEAST else None
            if cost is None:
                continue
            record, game = self._games[group[0]].record, self._games[group[0]].game
            plies = {at: self._ply_of(reached, at) for at in group}
            if reached.ply <= OPENING:
                moves = " ".join(
                    f"{ply}. {move}" for ply, move in enumerate(record.moves[: reached.ply], 1)
                )
                says = f"loses after {moves}"
            else:
                says = f"loses from a position that it meets after {reached.ply} plies"
            position = position_after(record, reached.ply).text()
            where = self._where(game, f'position "{position}"')
            found = self._group(
                "opening",
                f"{says}{self._at(game)}",
                group,
                cost,
                game=game,
                where=where,
                plies=plies,
            )
            yield from (replace(each, position=position) for each in found)

    def _ply_of(self, reached: Reached, at: int) -> int:
        """Return the ply after which a game came to a position."""
        lines = self._repertoire.lines
        key = lines[reached.lines[0]].keys[reached.ply]
        return lines[self._games[at].line].keys.index(key)

    def _of_novelties(self) -> Iterator[Finding]:
        lines = self._repertoire.lines
        of_line = [lines[game.line] for game in self._games]
        left = [
            at for at, line in enumerate(of_line) if line.novelty and line.novelty.seat == line.seat
        ]
        plies = {at: novelty.ply for at in left if (novelty := of_line[at].novelty)}
        says = "loses where it is the first to leave what is known"
        yield from self._group("novelty", says, left, self._by_seat.cost(left), plies=plies)
        again = [at for at, line in enumerate(of_line) if line.is_again]
        says = "goes again where it had lost every time"
        yield from self._group("again", says, again, self._by_seat.cost(again))

    # What both players may do

    def _turned(self, kind: Kind, *, own: bool) -> list[tuple[Played, Turn]]:
        """Return games with a turn of a kind by the bot, or by its opponents."""
        return [
            (game, turn)
            for game in self._games
            for turn in game.turns
            if turn.kind == kind and (turn.seat == game.seat) is own
        ]

    def _of_turns(self) -> Iterator[Finding]:
        for kind, says in KINDS.items():
            if kind in ("evaluation", "more"):  # that is how games are lost, and no weakness
                continue
            own, others = (self._turned(kind, own=own) for own in (True, False))
            if len(own) + len(others) < LEAST:
                continue
            plies = [turn.ply for _, turn in own]
            span = f", at ply {min(plies)} to {max(plies)}" if own else ""
            # A win that was missed was in hand; else half a point is what was not lost yet.
            worth = 0.5 if kind != "missed" else _mean(1 - game.points for game, _ in own)
            yield Finding(
                kind=f"turn.{kind}",
                says=says,
                because=f"{_games(len(own))} turned by that{span}; its opponents did so in "
                f"{len(others)}",
                games=len(own),
                cost=excess(len(own), len(others), worth),
                places=tuple(game.place(turn.ply) for game, turn in own),
                members=frozenset(game.line for game, _ in own),
            )

    def _of_directions(self) -> Iterator[Finding]:
        """Yield whether the lines that a bot overlooks lie along one direction."""
        for game_id in self.ids:
            lost: tuple[list[Played], list[Played]] = [], []
            for game in self._games:
                if game.game == game_id and game.direction and game.points in (0, 1):
                    lost[game.points == 1].append(game)
            directions = sorted({game.direction for of in lost for game in of})
            for direction in directions if len(directions) > 1 else ():
                own, others = ([one for one in of if one.direction == direction] for of in lost)
                cost = shares(len(own), len(lost[0]), len(others), len(lost[1]), worth=0.5)
                if cost is None:
                    continue
                yield Finding(
                    kind="line",
                    says=f"loses to lines along {direction}{self._at(game_id)}",
                    because=f"so lie {_of(len(own), len(lost[0]))} lines that decided a game "
                    f"against it, and {_of(len(others), len(lost[1]))} for it",
                    games=len(own),
                    cost=cost,
                    game=game_id,
                    places=tuple(one.place(len(one.record.plies)) for one in own),
                    members=frozenset(one.line for one in own),
                )

    def _of_phases(self) -> Iterator[Finding]:
        for game_id in self.ids:
            turned: tuple[list[tuple[Played, int]], list[tuple[Played, int]]] = [], []
            for game in self._games:
                for place, own in enumerate((True, False)):
                    if game.game == game_id and (turn := game.turn(own=own)):
                        turned[place].append((game, turn.ply))
            plies = [ply for of in turned for _, ply in of]
            if len(plies) < 2 * LEAST:
                continue
            # Where a quarter, half and three quarters of all have turned, whoever lost them.
            for after in sorted({round(each / STEP) * STEP for each in quantiles(plies, n=4)}):
                for is_late in (True, False):
                    yield from self._phase(game_id, turned, after, is_late=is_late)

    def _phase(
        self,
        game_id: str,
        turned: tuple[list[tuple[Played, int]], list[tuple[Played, int]]],
        after: int,
        *,
        is_late: bool,
    ) -> Iterator[Finding]:
        own, others = ([one for one in of if (one[1] > after) is is_late] for of in turned)
        cost = shares(len(own), len(turned[0]), len(others), len(turned[1]), worth=0.5)
        if cost is None:
            return
        word = "after" if is_late else "up to"
        yield Finding(
            kind="phase",
            says=f"gives games away {word} ply {after}{self._at(game_id)}",
            because=f"{_of(len(own), len(turned[0]))} games that it lost turned there, and "
            f"{_of(len(others), len(turned[1]))} that its opponents lost",
            games=len(own),
            cost=cost,
            game=game_id,
            places=tuple(game.place(ply) for game, ply in own),
            members=frozenset(game.line for game, _ in own),
        )

    def timed(self) -> list[Timed]:
        """Return how quick or late the moves were by which games turned, as far as that is told."""
        clocks: tuple[list[tuple[Played, int, Clock]], list[tuple[Played, int, Clock]]] = [], []
        for game in self._games:
            for place, own in enumerate((True, False)):
                turn = game.turn(own=own)
                if turn and (clock := game.clocks.get(turn.ply)):
                    clocks[place].append((game, turn.ply, clock))
        found = []
        for kind, asks in _CLOCKS.items():
            known = [[one for one in of if asks(one[2]) is not None] for of in clocks]
            so, others = ([one for one in of if asks(one[2])] for of in known)
            if any(known):
                places = [(game.line, game.place(ply)) for game, ply, _ in so]
                many = len(so), len(known[0]), len(others), len(known[1])
                found.append(Timed(kind, *many, dict(places)))
        return found

    def _of_clocks(self) -> Iterator[Finding]:
        for kind, own, of_own, others, of_others, places in self.timed():
            usual = QUARTER if kind != "low" else 0.0
            cost = shares(own, of_own, others, of_others, worth=0.5, usual=usual)
            if cost is None:
                continue
            yield Finding(
                kind=f"time.{kind}",
                says=f"gives games away {TIMED[kind]}",
                because=f"so were made {_of(own, of_own)} of its moves that lost a game, and "
                f"{_of(others, of_others)} of its opponents'",
                games=own,
                cost=cost,
                places=tuple(places.values()),
                members=frozenset(places),
            )

    # What it says itself

    def _of_promises(self) -> Iterator[Finding]:
        clusters = [game.cluster for game in self._games]
        for promise in self._calibration.promises(clusters):
            points = promise.gap.value * promise.gap.games
            half = (promise.gap.high or 0) - (promise.gap.low or 0)
            low, high = promise.gap.low, promise.gap.high
            cost = Cost(
                points,
                points - half if low is None else low * promise.gap.games,
                points + half if high is None else high * promise.gap.games,
                promise.p_value,
            )
            yield Finding(
                kind="trust",
                says=f"overrates positions from {promise.sure:.0%} on",
                because=f"the first time in a game that it expected so much, it expected "
                f"{promise.expected:.0%} and got {promise.observed:.0%}",
                games=promise.gap.games,
                cost=cost,
                places=tuple(self._games[at].place(ply) for at, ply in promise.games),
                members=frozenset(at for at, _ in promise.games),
            )


_FORFEITED: Final = dict(
    zip(
        FORFEITS,
        ("crashes", "loses on time", "plays illegal moves", "floods its output"),
        strict=True,
    )
)


def _is_quick(clock: Clock) -> bool | None:
    return None if clock.used is None else clock.used < QUARTER


def _is_slow(clock: Clock) -> bool | None:
    return None if clock.used is None else clock.used >= 1 - QUARTER


def _is_low(clock: Clock) -> bool | None:
    return clock.is_low


_CLOCKS: Final[Mapping[Speed, Callable[[Clock], bool | None]]] = {
    "quick": _is_quick,
    "slow": _is_slow,
    "low": _is_low,
}


def line_of(names: Sequence[str], bits: Mapping[str, int], directions: Iterable[int]) -> str:
    """Return the direction of cells in a line as its first two on the board, else an empty text.

    >>> from lath import games
    >>> board = games.get(games.builtin_ids()[-1]).board
    >>> line_of(("e2", "e3", "e4"), board.bit, board.directions)
    'a1-a2'
    """
    cells = sorted(bits[name] for name in names)
    names_of = {bit: name for name, bit in bits.items()}
    for step in directions:
        if len(cells) > 2 and all(other == one << step for one, other in pairwise(cells)):
            first = next(bit for bit in names_of if bit << step in names_of)
            return f"{names_of[first]}-{names_of[first << step]}"
    return ""


def _mean(values: Iterable[float]) -> float:
    every = list(values)
    return math.fsum(every) / len(every) if every else 1.0


def _share(value: float) -> str:
    return f"{max(0.0, min(1.0, value)):.0%}"


def _of(part: int, whole: int) -> str:
    return f"{part} of {whole}"


def _games(number: int) -> str:
    return f"{number} game{'' if number == 1 else 's'}"


def _plies(least: int, most: int) -> str:
    return f"{least} plies" if least == most else f"{least} to {most} plies"
