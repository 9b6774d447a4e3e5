"""Tests whether a bot scores less than its rating predicts in groups of its games.

The input of each game is plain data: the players, the result, the length, and each player's
choices. All groups are formed before results are used, and are tested as one family. They are
opponents, sides, game types, openings and positions (also by side), swaps, length, speed, low
clocks, novelties, and conditions such as the time control.

An effect that all players share is not a weakness of one bot: a swap, little time or an opening can
matter to others as much. Such effects are fitted to all games, including games between other bots.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, NamedTuple

from lath.games.core import SIDES
from lath.notation.query.query import quoted
from lath.reports.counting.estimates import RATE
from lath.reports.counting.facts import of_game
from lath.reports.explaining.expected import SOME, Effect, Expectation, Leaning
from lath.reports.explaining.family import TestedHypothesis, chosen, weight
from lath.reports.explaining.findings import LEAST, Cost, Finding, topic_of
from lath.reports.ratings.numerics import Z95, Matrix, by_key, cdf
from lath.reports.ratings.results import DecidedGame

PARTS: Final = (0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5)
"""The shares of a bot's games that count as its longest, shortest, fastest or slowest, because a
natural limit does not exist."""

SCANNED: Final = ("length", "speed")
"""Topics with a test for each of `PARTS`."""

SCAN: Final = 0.5
"""The weight of each of these tests: they overlap, so together they count about as one test."""

POSITIONS: Final = 40
"""The most positions that are tested: those that split the games most evenly."""

MET: Final = 16
"""The least number of games through a tested position: among many positions, losing fewer games
could be chance."""

SAME: Final = 0.9
"""Positions with a larger share of common games count as one."""

LEAST_KNOWN: Final = 0.05
"""The least share of information that remains beside all other effects. Groups with less are not
tested."""

NAMED: Final[Mapping[str, str]] = {
    "swap.own": "is weak after its own swap",
    "swap.opponent": "is weak after its opponent's swap",
    "clock.low": "is weak when short of time",
    "novelty": "loses games in which it plays the novelty",
    "again": "repeats lines that it had always lost",
}
"""The states of players, with the words for a weakness in them."""

CONDITIONS: Final[Mapping[str, str]] = {
    "TimeControl": "at the time control",
    "Event": "in the event",
    "Host": "on the machine",
}
"""Tags that form groups, with their words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContrastedGame:
    """The facts of a game that groups are formed from."""

    result: DecidedGame
    plies: int
    states: tuple[frozenset[str], frozenset[str]] = (frozenset(), frozenset())
    """The states of the first and of the second player, in keys of `NAMED`."""

    quickness: tuple[float | None, float | None] = (None, None)
    """The average share of their own moves, at the same stage of a game, that took the first and
    the second player longer; None without times."""

    conditions: Mapping[str, str] = field(default_factory=dict)
    """The values of the tags in `CONDITIONS`."""


class Words(NamedTuple):
    """The texts for a position."""

    says: str
    where: str
    """The query that selects its games."""
    position: str
    """The text of the position."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared:
    """A position that several games reached."""

    games: frozenset[int]
    """The indices of these games, including games between other bots."""

    words: Callable[[], Words]


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast:
    """A group of a bot's games that is compared with the expected results."""

    kind: str
    says: str
    games: tuple[int, ...]
    """The indices of these games."""

    side: Literal["", "first", "second"] = ""
    game: str = ""
    where: str = ""
    position: str = ""

    @property
    def topic(self) -> str:
        """Return the topic of its kind."""
        return topic_of(self.kind)


class Contrasts:
    """All groups of a bot's games, and their tests."""

    def __init__(
        self, bot: str, games: Sequence[ContrastedGame], positions: Sequence[Shared]
    ) -> None:
        """Form the groups; `games` includes games between other bots."""
        self._bot: Final = bot
        self._games: Final = games
        self._own: Final[dict[int, int]] = {
            at: one.result.first != bot for at, one in enumerate(games) if bot in one.result[:2]
        }
        """The bot's games, with its side in them."""
        self._ids: Final = sorted({games[at].result.game for at in self._own})
        self._positions: Final = self._chosen(positions)
        self._contrasts: Final = self._different()

    def _chosen(self, positions: Sequence[Shared]) -> list[Shared]:
        """Return the positions that split the bot's games most evenly, without near-duplicates."""
        own, kept = len(self._own), list[tuple[frozenset[int], Shared]]()
        several = [(one.games & self._own.keys(), one) for one in positions]
        several = [each for each in several if MET <= len(each[0]) <= own - MET]
        for group, one in sorted(several, key=lambda each: abs(2 * len(each[0]) - own)):
            if all(len(group & other) < SAME * len(group | other) for other, _ in kept):
                kept.append((group, one))
            if len(kept) == POSITIONS:
                break
        return [one for _, one in kept]

    def _different(self) -> list[Contrast]:
        """Return the distinct groups that are large enough, like the rest of the games."""
        met = set[frozenset[int]]()
        found = []
        for one in self._every():
            group = frozenset(one.games)
            if LEAST <= len(group) <= len(self._own) - LEAST and group not in met:
                met.add(group)
                found.append(one)
        return found

    # Groups

    def _every(self) -> Iterator[Contrast]:
        yield from self._by_opponent()
        yield from self._by_side()
        yield from self._by_game()
        yield from self._by_state()
        yield from self._by_position()
        yield from self._by_length()
        yield from self._by_speed()
        yield from self._by_condition()

    def _where(self, *more: str) -> str:
        return " and ".join((f"player = {quoted(self._bot)}", *more))

    def _by_opponent(self) -> Iterator[Contrast]:
        met = by_key(
            (one.first if seat else one.second, at)
            for at, seat in self._own.items()
            for one in (self._games[at].result,)
        )
        for name, group in met.items():
            where = self._where(f"player = {quoted(name)}")
            yield _contrast("opponent", f"is weak against {name}", group, where=where)

    def _by_side(self) -> Iterator[Contrast]:
        for game in ("", *self._ids) if len(self._ids) > 1 else self._ids:
            for seat in SIDES:
                group = [
                    at
                    for at, own in self._own.items()
                    if own == seat and game in ("", self._games[at].result.game)
                ]
                at_game = f" at {of_game(game)['title']}" if game and len(self._ids) > 1 else ""
                where = f"{seat.word} = {quoted(self._bot)}" + (
                    f" and game = {quoted(game)}" if at_game else ""
                )
                yield _contrast(
                    "seat",
                    f"is weak as {seat.word} player{at_game}",
                    group,
                    where=where,
                    game=game,
                    side=seat.word,
                )

    def _by_game(self) -> Iterator[Contrast]:
        for game in self._ids:
            group = [at for at in self._own if self._games[at].result.game == game]
            where = self._where(f"game = {quoted(game)}")
            yield _contrast(
                "game", f"is weak at {of_game(game)['title']}", group, where=where, game=game
            )

    def _by_state(self) -> Iterator[Contrast]:
        for state, says in NAMED.items():
            group = [at for at, seat in self._own.items() if state in self._games[at].states[seat]]
            yield _contrast(state, says, group)

    def _by_position(self) -> Iterator[Contrast]:
        for one in self._positions:
            group = [at for at in self._own if at in one.games]
            game = self._games[group[0]].result.game
            says, where, position = one.words()
            more = {"game": game, "position": position}
            yield _contrast("opening", says, group, where=where, **more)
            for seat in SIDES if len(group) >= 2 * MET else ():
                side = [at for at in group if self._own[at] == seat]
                says_so = f"{says} as {seat.word} player"
                so = f"{where} and {seat.word} = {quoted(self._bot)}"
                yield _contrast("opening", says_so, side, where=so, side=seat.word, **more)

    def _by_length(self) -> Iterator[Contrast]:
        plies = {at: float(self._games[at].plies) for at in self._own}
        for part, is_most, group in self._extremes(plies):
            some = [self._games[at].plies for at in group]
            says = f"is weak in {'long' if is_most else 'short'} games"
            where = ""
            if len(self._ids) == 1:
                least, most = min(some), max(some)
                says += f" ({f'{least} plies or more' if is_most else f'up to {most} plies'})"
                where = self._where(f"plies >= {least}" if is_most else f"plies <= {most}")
            else:
                says += f" ({'longest' if is_most else 'shortest'} {part:.0%} by game type)"
            kind = f"length.{'long' if is_most else 'short'}"
            yield _contrast(kind, says, group, where=where)

    def _by_speed(self) -> Iterator[Contrast]:
        told = {
            at: quickness
            for at, seat in self._own.items()
            if (quickness := self._games[at].quickness[seat]) is not None
        }
        for part, is_most, group in self._extremes(told):
            word = "fast" if is_most else "slowly"
            says = f"is weak in games in which it moves {word} ({word.removesuffix('ly')}est"
            yield _contrast(f"speed.{'fast' if is_most else 'slow'}", f"{says} {part:.0%})", group)

    def _extremes(self, values: Mapping[int, float]) -> Iterator[tuple[float, bool, list[int]]]:
        """Yield the games with the least and greatest values of each game type, for each share."""
        by_game = by_key((self._games[at].result.game, at) for at in values)
        for is_most in (True, False):
            for part in PARTS:
                group: list[int] = []
                for of in by_game.values():
                    ranked = sorted((values[at] for at in of), reverse=is_most)
                    limit = ranked[min(len(of) - 1, round(part * len(of)))]
                    # Games equal to the limit are left out, so that equal games stay together.
                    group += [
                        at for at in of if (values[at] > limit if is_most else values[at] < limit)
                    ]
                if group:
                    yield len(group) / len(values), is_most, group

    def _by_condition(self) -> Iterator[Contrast]:
        for tag, reads in CONDITIONS.items():
            met = by_key((self._games[at].conditions.get(tag, ""), at) for at in self._own)
            met.pop("", None)
            for value, group in met.items():
                where = self._where(f"tag.{tag} = {quoted(value)}")
                yield _contrast(f"tag.{tag}", f"is weak {reads} {value}", group, where=where)

    # Effects that all players share

    def _effects(self) -> list[Effect]:
        """Return the effects that all players share."""
        found: list[dict[int, float]] = [
            {
                at: float((state in one.states[0]) - (state in one.states[1]))
                for at, one in enumerate(self._games)
                if (state in one.states[0]) != (state in one.states[1])
            }
            for state in NAMED
        ]
        found.append(
            {
                at: 2 * (one.quickness[0] - one.quickness[1])
                for at, one in enumerate(self._games)
                if one.quickness[0] is not None and one.quickness[1] is not None
            }
        )
        # A position that is an opening already has an effect.
        begun: defaultdict[tuple[str, Hashable], set[int]] = defaultdict(set)
        for at, one in enumerate(self._games):
            begun[one.result.game, one.result.opening].add(at)
        openings = {frozenset(of) for of in begun.values()}
        found += [
            dict.fromkeys(one.games, 1.0) for one in self._positions if one.games not in openings
        ]
        return [Effect(of, SOME) for of in found if of]

    def _expectation(self) -> Expectation:
        """Return the expected results, including an effect of strength in long games."""
        results = [one.result for one in self._games]
        effects = self._effects()
        plain = Expectation(results, effects, bot=self._bot, learns=False)
        by_game = by_key((one.game, at) for at, one in enumerate(results))
        longer = {
            at: plain.ahead(results[at]) * (2 * (place + 0.5) / len(of) - 1)
            for of in by_game.values()
            for place, at in enumerate(sorted(of, key=lambda at: self._games[at].plies))
        }
        # The stronger bot may win early or late: that is not a weakness in long games.
        return Expectation(results, [*effects, Effect(longer, SOME)], bot=self._bot)

    # Tests

    def tested(self, others: Sequence[TestedHypothesis] = (), *, kept: float = 1.0) -> Tested:
        """Return the results of the tests, together with independent other tests.

        Contrasts use the share `kept` of the error rate, and the others use the rest.
        """
        expectation = self._expectation()
        every, contrasts, leanings = len(self._own), [], []
        for contrast in self._contrasts:
            leaning = expectation.leaning(self._numbers(contrast))
            known = math.fsum(expectation.weights[at] for at in contrast.games)
            if leaning.information > LEAST_KNOWN * known:
                contrasts.append(contrast)
                leanings.append(leaning)
        found, p_values = chosen(
            [-each.z for each in leanings],
            [
                (SCAN if one.topic in SCANNED else 1.0)
                * weight(min(len(one.games), every - len(one.games)) / every)
                for one in contrasts
            ],
            _correlation(expectation, [self._numbers(one) for one in contrasts], leanings),
            others,
            kept=kept,
        )
        told = [
            self._finding(expectation, contrast, leaning, max(p_value, _NOT_BELIEVED))
            for contrast, leaning, p_value in zip(contrasts, leanings, p_values, strict=False)
        ]
        for one in found:
            told[one.at] = replace(told[one.at], adjusted=one.adjusted)
        for one in found:
            for at in one.alternatives:
                if not told[at].is_believed:
                    says = told[one.at].says
                    told[at] = replace(told[at], adjusted=one.adjusted, alternative_to=says)
        return Tested(findings=told, others=p_values[len(told) :], expectation=expectation)

    def _numbers(self, one: Contrast) -> dict[int, float]:
        return {at: -1.0 if self._own[at] else 1.0 for at in one.games}

    def _finding(
        self, expectation: Expectation, one: Contrast, leaning: Leaning, p_value: float
    ) -> Finding:
        known = math.fsum(expectation.weights[at] for at in one.games)
        unit = known / leaning.information if leaning.information > 0 else 0.0
        points, half = -unit * leaning.score, Z95 * unit * math.sqrt(leaning.variance)
        many = len(one.games)
        scored = math.fsum(
            1 - result.score if self._own[at] else result.score
            for at in one.games
            for result in (self._games[at].result,)
        )
        could = max(0.0, min(1.0, (scored + points) / many))
        return Finding(
            kind=one.kind,
            says=one.says,
            because=f"scored {scored / many:.0%}, but its other games predict {could:.0%}",
            games=many,
            cost=Cost(points, points - half, points + half, cdf(leaning.z)),
            side=one.side,
            game=one.game,
            where=one.where,
            position=one.position,
            members=frozenset(one.games),
            adjusted=p_value,
        )


_NOT_BELIEVED: Final = math.nextafter(RATE, 1)
"""The least p-value of a contrast that another finding explains equally well."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tested:
    """The results of all tests."""

    findings: list[Finding]
    """One finding per contrast."""

    others: list[float]
    """The adjusted p-values of the other tests."""

    expectation: Expectation


def _contrast(kind: str, says: str, games: Iterable[int], **more: Any) -> Contrast:
    return Contrast(kind=kind, says=says, games=tuple(games), **more)


def _correlation(
    expectation: Expectation, numbers: Sequence[Mapping[int, float]], leanings: Sequence[Leaning]
) -> Matrix:
    many = len(numbers)
    matrix = [[1.0] * many for _ in range(many)]
    for i, one in enumerate(numbers):
        for j in range(i):
            both = leanings[i].information * leanings[j].information
            covariance = expectation.together(one, numbers[j], leanings[i], leanings[j])
            by = covariance / math.sqrt(both) if both > 1e-18 else 0.0
            matrix[i][j] = matrix[j][i] = max(-1.0, min(1.0, by))
    return matrix
