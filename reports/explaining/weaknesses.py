"""The tests of a bot's games: turning points, time, evaluations, duplicates and groups.

Each test gives a `Finding`, whatever its result, because the number of tests determines which
findings are significant. `contrasts` tests groups of games. This module has facts, events that
happen to both players, and the bot's own evaluations.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from operator import attrgetter
from statistics import fmean, median, quantiles
from typing import ClassVar, Final, Literal, NamedTuple

from lath.games.errors import count_of
from lath.notation.query.query import quoted
from lath.notation.record.record import Record
from lath.notation.record.tags import FORFEITS
from lath.reports.counting.facts import of_game
from lath.reports.explaining.calibration import Calibration
from lath.reports.explaining.contrasts import ContrastedGame, Contrasts, Shared, Words
from lath.reports.explaining.family import TestedHypothesis
from lath.reports.explaining.findings import LEAST, Cost, Finding, PlyInFile, excess, fact, shares
from lath.reports.explaining.repertoire import ReachedByPlayer, Repertoire, position_after
from lath.reports.explaining.turning import KINDS, Kind, TurningPoint
from lath.reports.ratings.results import DecidedGame

OPENING: Final = 8
"""The most plies of an opening; later ones are positions."""

STEP: Final = 5
"""The plies are rounded to multiples of this number in findings about phases."""

LOW: Final = 0.1
"""The share of the initial time below which little time is left."""

QUARTER: Final = 0.25
"""A move is quick or slow if it belongs to the player's quickest or slowest quarter."""

OTHERS: Final = 0.2
"""The share of the error rate for tests other than groups of games. Each topic has an equal part.
Real effects in these tests are far larger than chance."""


class ClockAtMove(NamedTuple):
    """The time use of a player at a move."""

    used: float | None
    """The share of the player's unproven moves at this stage that took less time."""
    is_low: bool | None
    """True if little time was left; None without a clock."""


Speed = Literal["quick", "slow", "low"]

TIMED: Final[Mapping[Speed, str]] = {
    "quick": "by quick moves",
    "slow": "by slow moves",
    "low": "with little time left",
}
"""The words for each kind of time use."""


@dataclass(frozen=True, slots=True)
class Timed:
    """Turning points with a known time use, for the bot and its opponents."""

    WRITTEN: ClassVar = "kind", "own", "of_own", "others", "of_others"

    kind: Speed
    own: int
    """The number of the bot's turning points of this kind."""
    of_own: int
    others: int
    of_others: int
    places: Mapping[int, PlyInFile]
    """The bot's plies, by the indices of their games in the repertoire."""


@dataclass(slots=True, kw_only=True)
class TestedGame:
    """A game of the bot and the facts for its tests."""

    file: str
    number: int
    record: Record
    """The record without comments."""

    result: DecidedGame
    seat: int
    points: float
    line: int
    """The index in the repertoire; -1 if the game was not replayed."""

    cluster: int
    """The number of its cluster of dependent games, such as a pair."""

    turns: tuple[TurningPoint, ...] = ()
    """The turning points and missed wins."""

    told: Sequence[tuple[int, float]] = ()
    """Plies, from 1, with the bot's evaluations, from -1 to 1."""

    clocks: Mapping[int, ClockAtMove] = field(default_factory=dict)
    """The time use at turning points."""

    direction: str = ""
    """The direction of the line that ended the game, as two cells; empty without a line."""

    is_same: bool = False
    """True if it is a duplicate of an earlier game."""

    expected: float = 0.5

    @property
    def game(self) -> str:
        """Return the id of its game type."""
        return self.record.game

    @property
    def opponent(self) -> str:
        """Return the name of the opponent."""
        return self.record.first if self.seat else self.record.second

    @property
    def is_forfeited(self) -> bool:
        """Return whether the game was lost by a forfeit."""
        return self.record.termination in FORFEITS

    @property
    def is_told(self) -> bool:
        """Return whether it is evidence of strength: a unique game, decided on the board."""
        return not (self.is_same or self.is_forfeited)

    def place(self, ply: int) -> PlyInFile:
        """Return a ply of the game with its file and record."""
        return PlyInFile(self.file, self.number, ply)

    def turn(self, *, own: bool) -> TurningPoint | None:
        """Return the turning point against the bot, or the one against the opponent."""
        of = self.seat if own else 1 - self.seat
        return next((one for one in self.turns if one.kind != "missed" and one.seat == of), None)


class Weaknesses:
    """All tests of a bot's games."""

    def __init__(
        self,
        bot: str,
        games: Sequence[TestedGame],
        repertoire: Repertoire,
        calibration: Calibration,
        told: Sequence[tuple[ContrastedGame, int]],
    ) -> None:
        """`told` are games that show the strength of bots, including others', and their lines."""
        self._bot: Final = bot
        self._all: Final = games
        self._games: Final = [game for game in games if game.is_told]
        self._repertoire: Final = repertoire
        self._calibration: Final = calibration
        self._facts: Final = [facts for facts, _ in told]
        self._at_line: Final = {line: at for at, (_, line) in enumerate(told)}
        of_line = {game.line: game for game in self._games}
        self._of_fact: Final = {
            at: of_line[line] for line, at in self._at_line.items() if line in of_line
        }
        self._keys: Final[dict[str, int]] = {}
        """The keys of positions, by their texts."""
        self.ids: Final = sorted({game.game for game in self._games})

    def tested(self) -> list[Finding]:
        """Return all tested findings; set the expected score of each game."""
        others = [
            *self._of_turns(),
            *self._of_directions(),
            *self._of_phases(),
            *self._of_clocks(),
            *self._of_promises(),
        ]
        contrasts = Contrasts(self._bot, self._facts, self._positions())
        tested = contrasts.tested(_tests(others), kept=1 - OTHERS if others else 1.0)
        expectation = tested.expectation
        for game in self._all:
            first = expectation.share(game.result)
            game.expected = 1 - first if game.seat else first
        return [
            *self._forfeits(),
            *self._repeats(),
            *(self._placed(finding) for finding in tested.findings),
            *(
                replace(finding, adjusted=p_value)
                for finding, p_value in zip(others, tested.others, strict=True)
            ),
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
            yield Finding(
                kind=f"forfeit.{why}",
                says=_FORFEITED[why],
                because=f"after {_plies(min(plies), max(plies))} (median {median(plies):.0f})",
                games=len(lost),
                cost=fact(game.expected for game in lost),
                adjusted=0.0,
                where=f'loser = {quoted(self._bot)} and termination = "{why}"',
                places=tuple(game.place(len(game.record.plies)) for game in lost),
            )

    def _repeats(self) -> Iterator[Finding]:
        lost = [game for game in self._all if game.is_same and not game.points]
        if lost:
            yield Finding(
                kind="same",
                says="loses duplicate games",
                because="it had lost an earlier game with the same moves",
                games=len(lost),
                cost=fact(game.expected for game in lost),
                adjusted=0.0,
                places=tuple(game.place(len(game.record.plies)) for game in lost),
            )

    # Groups of games

    def _placed(self, finding: Finding) -> Finding:
        """Return the finding of a group with the plies that show it, in lost games."""
        group = [self._of_fact[at] for at in sorted(finding.members)]
        lost = [game for game in group if not game.points] or group
        plies: dict[int, int] = {}
        if finding.kind == "novelty":
            plies = {
                game.line: novelty.ply
                for game in lost
                if (novelty := self._repertoire.lines[game.line].novelty)
            }
        elif finding.position:
            plies = self._plies_at(finding.position, lost)
        places = tuple(game.place(plies.get(game.line) or _turn(game)) for game in lost)
        return replace(finding, places=places)

    def _plies_at(self, position: str, games: Sequence[TestedGame]) -> dict[int, int]:
        """Return the plies after which games reached a position, by line."""
        key = self._keys[position]
        lines = self._repertoire.lines
        return {game.line: lines[game.line].keys.index(key) for game in games}

    def _positions(self) -> list[Shared]:
        """Return the positions that enough of the bot's games reached."""
        lines = self._repertoire.lines
        reached = self._repertoire.reached(LEAST, len(self._games) - LEAST)
        keys = {lines[one.lines[0]].keys[one.ply]: one for one in reached}
        came = self._repertoire.came_to(keys)
        return [
            Shared(
                games=frozenset(self._at_line[at] for at in came[key] if at in self._at_line),
                words=partial(self._words_of, key, one),
            )
            for key, one in keys.items()
        ]

    def _words_of(self, key: int, reached: ReachedByPlayer) -> Words:
        record = self._repertoire.lines[reached.lines[0]].record
        if reached.ply <= OPENING:
            moves = " ".join(
                f"{ply}. {move}" for ply, move in enumerate(record.moves[: reached.ply], 1)
            )
            says = f"loses after {moves}"
        else:
            says = f"loses from a position after {reached.ply} plies"
        position = position_after(record, reached.ply).text()
        self._keys[position] = key
        more = [f"game = {quoted(record.game)}"] if len(self.ids) > 1 else []
        where = " and ".join((f"player = {quoted(self._bot)}", *more, f'position "{position}"'))
        return Words(f"{says}{self._at(record.game)}", where, position)

    def _at(self, game: str) -> str:
        return f" at {of_game(game)['title']}" if len(self.ids) > 1 else ""

    # Events that happen to both players

    def _turned(self, kind: Kind, *, own: bool) -> list[tuple[TestedGame, TurningPoint]]:
        """Return games with a turning point of a kind by the bot, or by its opponents."""
        return [
            (game, turn)
            for game in self._games
            for turn in game.turns
            if turn.kind == kind and (turn.seat == game.seat) is own
        ]

    def _of_turns(self) -> Iterator[Finding]:
        for kind, says in KINDS.items():
            if kind in ("evaluation", "more"):  # how games are lost, not weaknesses
                continue
            own, others = (self._turned(kind, own=own) for own in (True, False))
            if len(own) + len(others) < LEAST:
                continue
            plies = [turn.ply for _, turn in own]
            span = f", at ply {min(plies)} to {max(plies)}" if own else ""
            # A missed win was worth the lost points; any other turning point costs half a point.
            worth = 0.5 if kind != "missed" else fmean([1 - game.points for game, _ in own] or [1])
            yield Finding(
                kind=f"turn.{kind}",
                says=says,
                because=f"the bot did so in {count_of(len(own), 'game')}{span}; its opponents did "
                f"so in {count_of(len(others), 'game')}",
                games=len(own),
                cost=excess(len(own), len(others), worth),
                places=tuple(game.place(turn.ply) for game, turn in own),
                members=frozenset(game.line for game, _ in own),
            )

    def _of_directions(self) -> Iterator[Finding]:
        """Yield findings about directions of lines that the bot overlooks."""
        for game_id in self.ids:
            lost: tuple[list[TestedGame], list[TestedGame]] = [], []
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
                    because=f"{_of(len(own), len(lost[0]))} decisive lines against the bot have "
                    f"this direction, and {_of(len(others), len(lost[1]))} for it",
                    games=len(own),
                    cost=cost,
                    game=game_id,
                    places=tuple(one.place(len(one.record.plies)) for one in own),
                    members=frozenset(one.line for one in own),
                )

    def _of_phases(self) -> Iterator[Finding]:
        for game_id in self.ids:
            turned: tuple[list[tuple[TestedGame, int]], list[tuple[TestedGame, int]]] = [], []
            for game in self._games:
                for place, own in enumerate((True, False)):
                    if game.game == game_id and (turn := game.turn(own=own)):
                        turned[place].append((game, turn.ply))
            plies = [ply for of in turned for _, ply in of]
            if len(plies) < 2 * LEAST:
                continue
            # The quartiles of the turning points of both players.
            for after in sorted({round(each / STEP) * STEP for each in quantiles(plies, n=4)}):
                for is_late in (True, False):
                    yield from self._phase(game_id, turned, after, is_late=is_late)

    def _phase(
        self,
        game_id: str,
        turned: tuple[list[tuple[TestedGame, int]], list[tuple[TestedGame, int]]],
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
            says=f"throws games away {word} ply {after}{self._at(game_id)}",
            because=f"{_of(len(own), len(turned[0]))} games that it lost have their turning point "
            f"there, and {_of(len(others), len(turned[1]))} that its opponents lost",
            games=len(own),
            cost=cost,
            game=game_id,
            places=tuple(game.place(ply) for game, ply in own),
            members=frozenset(game.line for game, _ in own),
        )

    def timed(self) -> list[Timed]:
        """Return the time use at turning points, as far as times are known."""
        clocks: tuple[
            list[tuple[TestedGame, int, ClockAtMove]], list[tuple[TestedGame, int, ClockAtMove]]
        ] = [], []
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
        for one in self.timed():
            usual = QUARTER if one.kind != "low" else 0.0
            cost = shares(one.own, one.of_own, one.others, one.of_others, worth=0.5, usual=usual)
            if cost is None:
                continue
            yield Finding(
                kind=f"time.{one.kind}",
                says=f"throws games away {TIMED[one.kind]}",
                because=f"{_of(one.own, one.of_own)} of its moves that lost a game are like this, "
                f"and {_of(one.others, one.of_others)} of its opponents'",
                games=one.own,
                cost=cost,
                places=tuple(one.places.values()),
                members=frozenset(one.places),
            )

    # The bot's evaluations

    def _of_promises(self) -> Iterator[Finding]:
        for promise in self._calibration.promises([game.cluster for game in self._games]):
            points = promise.gap.value * promise.gap.games
            half = (promise.gap.high or 0) - (promise.gap.low or 0)
            low, high = promise.gap.low, promise.gap.high
            yield Finding(
                kind="trust",
                says=f"overrates positions from {promise.sure:.0%}",
                because=f"at its first such evaluation in a game, it expected "
                f"{promise.expected:.0%} and scored {promise.observed:.0%}",
                games=promise.gap.games,
                cost=Cost(
                    points,
                    points - half if low is None else low * promise.gap.games,
                    points + half if high is None else high * promise.gap.games,
                    promise.p_value,
                ),
                places=tuple(self._games[at].place(ply) for at, ply in promise.games),
                members=frozenset(at for at, _ in promise.games),
            )


def _tests(findings: Sequence[Finding]) -> list[TestedHypothesis]:
    """Return tests that share the part `OTHERS` of the error rate by topic."""
    topics = Counter(one.topic for one in findings)
    return [
        TestedHypothesis(one.cost.p_value or 0.0, OTHERS / len(topics) / topics[one.topic])
        for one in findings
    ]


def _turn(game: TestedGame) -> int:
    turn = game.turn(own=True)
    return turn.ply if turn else len(game.record.plies)


_FORFEITED: Final = dict(
    zip(
        FORFEITS,
        ("crashes", "loses on time", "plays illegal moves", "exceeds the output limit"),
        strict=True,
    )
)


_CLOCKS: Final[Mapping[Speed, Callable[[ClockAtMove], bool | None]]] = {
    "quick": lambda clock: None if clock.used is None else clock.used < QUARTER,
    "slow": lambda clock: None if clock.used is None else clock.used >= 1 - QUARTER,
    "low": attrgetter("is_low"),
}


def line_of(names: Sequence[str], bits: Mapping[str, int], directions: Iterable[int]) -> str:
    """Return the direction of cells in a line as two board cells, or an empty text.

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


def _of(part: int, whole: int) -> str:
    return f"{part} of {whole}"


def _plies(least: int, most: int) -> str:
    return f"{least} plies" if least == most else f"{least} to {most} plies"
