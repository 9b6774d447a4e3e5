"""The plan of a tournament: its games, its time, and the precision of its ratings.

The arena simulates the tournament without bots. It draws results at the strengths estimated from
stored games, or between equal bots without games. The precision is that of ratings from the
simulated and the stored games. Nothing is written to the directory.
"""

from __future__ import annotations

import math
import random
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from pathlib import Path
from statistics import fmean, median, pstdev
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from lath.arena.directory import DATABASE
from lath.arena.errors import ConfigError, DamagedError
from lath.arena.machine.system import database_errors
from lath.arena.schedule.budget import UNLIMITED, Budget, Seen
from lath.arena.schedule.core import Opening, PlayedGame, Schedule, pair_of
from lath.arena.schedule.fixed import SprtStanding
from lath.arena.schedule.pool import PoolSchedule
from lath.arena.schedule.sprt import Length, Sprt, lengths
from lath.arena.schedule.tune import TuneStanding
from lath.arena.tournament.configuration import tempo
from lath.arena.tournament.configuration.config import Config
from lath.arena.tournament.configuration.tempo import Tempo
from lath.arena.tournament.outcome.strengths import Strengths, half_widths, strengths_of
from lath.arena.tournament.outcome.versions import POOL, entered
from lath.arena.tournament.run.benches import Benches
from lath.arena.tournament.run.open_games import OpenGames
from lath.arena.tournament.run.resuming import fingerprints, resumed
from lath.arena.tournament.store.database import opened_to_read
from lath.arena.tournament.store.rulings import in_force, rulings_of
from lath.arena.tournament.store.store import Store
from lath.games.core import Result
from lath.games.errors import GameError
from lath.notation import parse
from lath.notation.protocol import TimeControl
from lath.notation.record.errors import NotationError
from lath.reports.event.seasons import Coming, MatchDay, to_come
from lath.reports.metrics.measures import GameGroup
from lath.reports.metrics.power import Needed, needed
from lath.reports.ratings.elo import ELO
from lath.reports.ratings.numerics import Z95, cholesky, dot
from lath.reports.ratings.rating import rate
from lath.reports.ratings.results import DecidedGame
from lath.reports.schema import Schema, schema_of

AIM_ELO: Final = 20.0
"""Half of the 95% interval for which a plan counts the games."""

Range = tuple[float, float]
"""Minimum and maximum."""

MOST_PAIRS: Final = 20_000
"""The most pairs to simulate; a longer tournament is extrapolated."""

MOST_IN_BUDGET: Final = 2000
"""The most pairs with a budget: choosing the most informative games takes longer."""

TRIES: Final = 8
"""Simulations of a tournament whose pairings depend on results."""

FEW: Final = 3
"""Simulations of any other tournament, and the most that are rated: intervals hardly differ between
simulations."""

KNOCKOUTS: Final = 200
"""Simulations of a knockout, whose number of games depends on results."""

MOST_KNOCKOUT_PAIRS: Final = 20_000
"""The most pairs of these simulations. Long knockouts get fewer simulations, which vary less."""

OUTSIDE: Final = 0.02
"""The share of simulated knockouts that is left out at either end."""

DEVIATIONS: Final = 2.2
"""Standard deviations from the mean to either end, if there are fewer simulations."""

UNSEEN_SEAT: Final = 200 / ELO
"""The first-move advantage that is assumed for game types without results. It makes many pairs
level; most built-in games have a smaller one."""

PLIES: Final = 0.5, 1.5
"""Length of bots' games relative to random games. Measured: 0.5 to 1.4 (bundled bots, all built-in
games)."""

USED: Final[Mapping[str, Range]] = {"clock": (0.3, 1.0), "move": (0.5, 1.0)}
"""The share of its time that a bot uses; instant bots use less."""

AGAIN: Final = 0.8, 1.25
"""Duration of games to come relative to the stored ones."""

BESIDES_S: Final = 0.01
"""Seconds of a game besides the bots' thinking."""

MOST_MEASURED: Final = 400
"""The most games of a game type to measure their variance: a quarter of a second."""

ENOUGH: Final = 400
"""The fewest games to compare the intervals with those of independent games."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BotPlan:
    """The plan of one bot."""

    name: str
    """Name of the bot."""

    played: int
    """Games of the bot that are stored."""

    games: int
    """Games of the bot after the tournament; the mean if it depends on results."""

    opponents: int
    """Bots that it meets."""

    now: float | None
    """Half of the 95% interval of its Elo now, against the mean of all bots, or against the other
    of two; None before any game."""

    then: float | None
    """Half of the 95% interval of its Elo after the tournament."""

    games_for_aim: int | None
    """Games that an interval of ±20 Elo needs, against the same opponents."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SprtPlan:
    """The games until the test of a match decides."""

    elo: tuple[float, float, float]
    """Three leads in Elo: `elo0`, the middle, and `elo1`."""

    games: tuple[int, int, int]
    """Mean number of games until the test decides, at each lead, without a maximum."""

    most: int
    """Games left if the test does not decide."""

    within: tuple[float, float, float]
    """Chance that the test decides within these games, at each lead, from 0 to 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The plan of a tournament: games, time, and how narrow the intervals become."""

    format: str
    """Format of the tournament, such as `swiss`."""

    event: str
    """Title of the tournament."""

    played: int
    """Games that are stored."""

    games: tuple[int, int]
    """Games left, as minimum and maximum; for a knockout the range of 95 of 100 runs."""

    seconds: Range | None
    """Seconds for these games, as minimum and maximum; None if nothing limits the bots' time."""

    jobs: int
    """Games at the same time."""

    plies: Range | None
    """Plies of a game, as minimum and maximum; None if the time follows from stored games."""

    noise: float | None
    """Width of the intervals so far, relative to independent games; None if it is not known."""

    sprt: SprtPlan | None
    """The test of a match; None without `[sprt]`."""

    bots: tuple[BotPlan, ...]
    """The bots in the order of the configuration; empty for a tuning."""

    season: str = ""
    """Name of the season of a pool; empty without one."""

    match_days: tuple[Coming, ...] = ()
    """Match days of the season that are left, the next one first."""

    waits_for: tuple[str, ...] = ()
    """Benched bots without which no game of the season can be played."""

    slow: tuple[str, ...] = ()
    """Warnings about game types that are too slow for the time; length of games by nodes."""

    differences: tuple[Needed, ...]
    """Games that reveal a difference between two game types, for each game type and metric."""


def schema() -> Schema:
    """Return the JSON Schema of a plan."""
    return schema_of(Plan, "Plan of a tournament")


class _Anywhere:
    """Openings for simulated games."""

    def opening(self, _game: str, _turn: int) -> Opening:
        """Return an empty opening."""
        return Opening()


@contextmanager
def _copied(folder: Path) -> Iterator[Store]:
    """Open a copy of a directory's store, or a new empty store.

    Raises StoreError.
    """
    path = folder / DATABASE
    with TemporaryDirectory(prefix="arena-") as name:
        copy = Path(name) / DATABASE
        if path.is_file():
            with (
                database_errors(path),
                opened_to_read(path) as database,
                closing(sqlite3.connect(copy)) as copied,
            ):
                if database:
                    database.backup(copied)
        try:
            store = Store(copy.parent)
        except DamagedError as error:
            error.path = path
            raise
        with closing(store):
            yield store


def planned(config: Config, folder: Path, budget: Budget = UNLIMITED) -> Plan:
    """Return what `config` would play in `folder`; raises StoreError and ConfigError."""
    with _copied(folder) as store:
        config = resumed(store, config, folder)
        config = replace(config, ruled=in_force(rulings_of(store)))
        if config.format == POOL:
            config = entered(store, config, fingerprints(config.bots)).config
        return _plan(config, store, budget)


Met = tuple[str, str, str]
"""A game type, and two bots in alphabetical order."""


def _met(game: str, one: str, other: str) -> Met:
    return game, min(one, other), max(one, other)


def _plan(config: Config, store: Store, budget: Budget) -> Plan:
    trials = 2 * config.tuning.pairs if config.tuning else 0  # the games in which a bot was tuned
    stored = [
        game
        for game in store.results()
        if game.number > trials and not config.ruled.covers(game.number, game.first, game.second)
    ]
    seen = Counter((game.game, game.first, game.second, game.result) for game in stored)
    met = dict.fromkeys(name for _, first, second, _ in seen for name in (first, second))
    names = [*dict.fromkeys(config.names), *(name for name in met if name not in config.names)]
    strengths = strengths_of(names, seen)
    measure = cache(tempo.measured)
    game_s, plies = _game_s(config, store, measure)
    config, sprt, to_play = _without_test(config, store, strengths)
    budget = _in_games(budget, game_s, config.jobs)
    by_name = dict(zip(names, strengths.strengths, strict=True))
    drawn = [
        _drawn(_schedule(config, store, budget), by_name, strengths, budget, seed)
        for seed in range(TRIES if config.format in ("swiss", "knockout") else FEW)
    ]
    if to_play is None:
        of_each = [round(sum(one.games.values())) for one in drawn]
        to_play = min(of_each), max(of_each)
    if config.format == "knockout":
        played_at = {(game, name) for game, *both, _ in seen for name in both}
        unseen = None
        if not played_at >= {*product(config.games, config.names)}:
            no_results = UNSEEN_SEAT, -math.inf
            seats = {game: strengths.games.get(game, no_results) for game in config.games}
            unseen = replace(strengths, games=seats)
        to_play = _of_knockout(
            lambda: _schedule(config, store, budget), names, strengths, budget, unseen
        )
    more = _sums((met, number / len(drawn)) for one in drawn for met, number in one.games.items())
    before = _sums((_met(*row[:3]), number) for row, number in seen.items())
    known = half_widths(names, seen)
    noise = _noise(stored, known)
    wider = noise or 1.0
    after = _sums([*before.items(), *more.items()])
    each_then = [half_widths(names, seen + one.seen) for one in drawn[:FEW]]
    then = {name: median(widths[name] for widths in each_then) for name in names}
    coming, waits_for = _match_days(config, store)
    return Plan(
        format=config.format,
        event=config.event,
        played=sum(tally.games for tally in store.tally()),
        games=to_play,
        seconds=game_s
        and (game_s[0] * (to_play[0] / config.jobs), game_s[1] * (to_play[1] / config.jobs)),
        jobs=config.jobs,
        plies=plies,
        noise=noise,
        sprt=sprt,
        # Games of a tuning are not rated.
        bots=tuple(
            _bot_plan(name, before, after, wider * known[name], wider * then[name])
            for name in (() if config.tuning else config.names)
        ),
        differences=() if config.tuning else tuple(_differences(config.games, store)),
        season=config.season.name if config.season else "",
        match_days=tuple(coming),
        waits_for=tuple(waits_for),
        slow=(*tempo.warnings(config, measure), *tempo.lengths(config, measure)),
    )


def _match_days(config: Config, store: Store) -> tuple[list[Coming], list[str]]:
    """Return the match days of a season to come, and the bots for which it waits."""
    season, plan = config.season, config.season_plan
    if season is None or plan is None:
        return [], []
    days = (
        MatchDay(
            number=day.number,
            fixtures=day.fixtures,
            is_over=day.is_over,
            date=plan.date(day.number),
        )
        for day in season.days
    )
    return to_come(days, {season.entry(name) for name in Benches(store).now})


def _differences(game_ids: Iterable[str], store: Store) -> Iterator[Needed]:
    """Yield how many games reveal a difference of a game type, by the variance of stored ones."""
    for game_id in game_ids:
        group = GameGroup(game_id)
        for text in store.records_of(game_id, MOST_MEASURED):
            with suppress(GameError, NotationError):  # such as from changed rules
                group.add(parse(text))
        yield from needed(group)


def _schedule(config: Config, store: Store, budget: Budget = UNLIMITED) -> Schedule:
    return OpenGames(config, store, tree="", openings=_Anywhere(), budget=budget).schedule


def _without_test(
    config: Config, store: Store, strengths: Strengths
) -> tuple[Config, SprtPlan | None, tuple[int, int] | None]:
    """Return a match of the length that its test needs half way between its hypotheses.

    It also returns the plan of the test, and the range of games if a test decides it.
    """
    if config.sprt is None:
        return config, None, None
    schedule = _schedule(config, store)
    standing = schedule.standing()
    test = standing.test if isinstance(standing, TuneStanding) else standing
    most = max(0, schedule.total - schedule.done)
    state = test.state if isinstance(test, SprtStanding) else None
    if state and (state.verdict or not most):
        return replace(config, sprt=None, rounds=0), None, (0, 0)
    # The test of a tuning comes last.
    in_test = min(most, 2 * len(config.games) * config.rounds)
    found = lengths(
        config.sprt,
        _variance(store, strengths),
        llr=state.llr if state else 0.0,
        worth=state.worth if state else 1.0,
    )
    plan = _sprt_plan(config.sprt, found, in_test)
    ends = [2 * math.ceil(one.quantile(share)) for one in found for share in (0.025, 0.975)]
    least, longest = (most - in_test + min(in_test, end) for end in (min(ends), max(ends)))
    rounds = config.rounds - (in_test - min(in_test, plan.games[1])) // (2 * len(config.games))
    return replace(config, sprt=None, rounds=rounds), plan, (least, longest)


def _of_knockout(
    begun: Callable[[], Schedule],
    names: Sequence[str],
    strengths: Strengths,
    budget: Budget,
    unseen: Strengths | None,
) -> tuple[int, int]:
    """Return the range of games to play in a knockout, as in 95 of 100 runs.

    Strengths are drawn from what the games leave open. How often ties are level is unknown for bots
    and game types without results. If there are any, the minimum assumes that no tie is level. The
    maximum then also covers the model `unseen`: equal bots without draws, with a large first-move
    advantage.
    """
    unlevel = begun().total - begun().done
    rows = cholesky(strengths.covariance)
    chance = random.Random(0)
    tries = max(TRIES, min(KNOCKOUTS, MOST_KNOCKOUT_PAIRS // max(1, unlevel)))

    def games(model: Strengths, deviation: float) -> Iterator[float]:
        for seed in range(tries):
            lots = [deviation * chance.gauss(0, 1) for _ in names]
            drawn = [at + dot(row, lots) for at, row in zip(model.strengths, rows, strict=True)]
            by_name = dict(zip(names, drawn, strict=True))
            yield sum(_drawn(begun(), by_name, model, budget, seed).games.values())

    least, most = _range_of(games(strengths, 1.0))
    if unseen is None:
        return max(least, unlevel), most
    return unlevel, max(most, _range_of(games(unseen, 0.0))[1])


def _range_of(drawn: Iterable[float]) -> tuple[int, int]:
    """Return the range that holds nearly all of such numbers."""
    ordered = sorted(drawn)
    if len(ordered) == KNOCKOUTS:
        out = int(OUTSIDE * len(ordered))
        return round(ordered[out]), round(ordered[-1 - out])
    mean, far = fmean(ordered), DEVIATIONS * pstdev(ordered)
    return math.floor(mean - far), math.ceil(mean + far)


def _sums(numbers: Iterable[tuple[Met, float]]) -> dict[Met, float]:
    sums: dict[Met, float] = {}
    for met, number in numbers:
        sums[met] = sums.get(met, 0.0) + number
    return sums


class Drawn(NamedTuple):
    """A simulation of the rest of a tournament."""

    games: dict[Met, float]
    """Number of games by game type and pairing."""

    seen: Counter[Seen]
    """Number of games by game type, players and result."""


def _drawn(
    schedule: Schedule,
    strengths_by: Mapping[str, float],
    strengths: Strengths,
    budget: Budget,
    seed: int,
) -> Drawn:
    """Return a simulation of the schedule's rest."""
    chance = random.Random(seed)
    games: Counter[Met] = Counter()
    seen: Counter[Seen] = Counter()
    allowed = math.inf if budget.games is None else budget.games
    is_endless = budget.games is not None and isinstance(schedule, PoolSchedule)
    most = min(allowed, 2 * (MOST_IN_BUDGET if is_endless else MOST_PAIRS))
    while games.total() < most and (pair := schedule.next()) is not None:
        for each in pair.left(schedule.finished):
            first, second = each.names
            likely = strengths.chances(each.game, strengths_by[first] - strengths_by[second])
            (result,) = chance.choices((Result.FIRST_WON, Result.DRAWN, Result.SECOND_WON), likely)
            schedule.report(each.number, first, second, result)
            games[_met(each.game, first, second)] += 1
            seen[each.game, first, second, result] += 1
    longer = 1.0
    if games.total() >= most:
        left = allowed if is_endless else min(allowed, schedule.total - schedule.done)
        longer += max(0.0, min(left, allowed - games.total())) / games.total()
    return Drawn(
        {met: longer * number for met, number in games.items()},
        Counter({row: round(longer * number) for row, number in seen.items()}),
    )


def _bot_plan(
    name: str, before: Mapping[Met, float], after: Mapping[Met, float], now: float, then: float
) -> BotPlan:
    played, games = (
        round(sum(games for met, games in each.items() if name in met[1:]))
        for each in (before, after)
    )
    is_known = math.isfinite(then)
    return BotPlan(
        name=name,
        played=played,
        games=games,
        opponents=len({*()}.union(*(met[1:] for met in after if name in met[1:])) - {name}),
        now=now if math.isfinite(now) else None,
        then=then if is_known else None,
        games_for_aim=math.ceil(games * (then / AIM_ELO) ** 2) if is_known else None,
    )


def _noise(stored: Sequence[PlayedGame], alone: Mapping[str, float]) -> float | None:
    """Return the width of the intervals relative to new, independent games.

    It reflects pairs, openings and duplicate games. None for several game types, because strengths
    also vary by game type, and for few results.
    """
    if len(stored) < ENOUGH or len({game.game for game in stored}) > 1:
        return None
    found = rate(
        (
            DecidedGame(
                *(each.first, each.second, each.result.points[0], each.game),
                pair_of(each.number),
                line=each.moves or None,
            )
            for each in stored
        ),
        in_order=False,
    )
    both = 2 if len(found.strengths) == 2 else 1
    return median(
        both * Z95 * strength.elo.error / alone[name] for name, strength in found.strengths.items()
    )


def _game_s(
    config: Config, store: Store, measure: Callable[[str], Tempo]
) -> tuple[Range | None, Range | None]:
    """Return the seconds of a game, and its plies if the seconds follow from them.

    They are known from stored games, or follow from random games and the time controls.
    """
    bots = store.bots()
    used_s = sum(bot.moves * (bot.average_s or 0.0) for bot in bots)
    if any(bot.moves for bot in bots):
        each_s = used_s / (sum(bot.games for bot in bots) / 2) + BESIDES_S
        return (AGAIN[0] * each_s, AGAIN[1] * each_s), None
    length = fmean(measure(game_id).plies for game_id in config.games)
    plies = (PLIES[0] * length, PLIES[1] * length)
    times = [_of_control(bot.time or config.limits.time, plies) for bot in config.bots]
    ranges = [each for each in times if each]
    if len(ranges) < len(times):
        return None, plies
    least, most = (2 * fmean(each[end] for each in ranges) for end in (0, 1))
    return (least + BESIDES_S, most + BESIDES_S), plies


def _of_control(time: TimeControl, plies: Range) -> Range | None:
    """Return the seconds that a bot may think in a game of so many plies; None if unlimited."""
    if time.has_clock:
        clock = [time.initial_ms + time.increment_ms * each / 2 for each in plies]
        used = USED["clock"]
    elif time.move_ms:
        clock = [time.move_ms * each / 2 for each in plies]
        used = USED["move"]
    else:
        return None
    return used[0] * clock[0] / 1000, (used[1] * clock[1] + time.first_ms) / 1000


def _in_games(budget: Budget, game_s: Range | None, jobs: int) -> Budget:
    """Return a budget with the number of games that fit its time; raises ConfigError."""
    if budget.seconds is None:
        return budget
    if game_s is None:
        raise ConfigError(
            "--budget: without a time limit for bots, --plan needs a number of games",
            hint="--budget 200",
        )
    fits = max(1, round(budget.seconds * jobs / math.sqrt(game_s[0] * game_s[1])))
    return Budget(games=min(fits, budget.games or fits))


def _variance(store: Store, strengths: Strengths) -> float:
    """Return the variance of a pair's points per game, from stored pairs or from the model."""
    whole = [pair for pair in store.pairs() if pair.games == 2]
    pairs = sum(pair.pairs for pair in whole)
    if 2 * pairs < ENOUGH:
        return strengths.information(0.0) / 4
    mean = sum(pair.pairs * pair.points / 2 for pair in whole) / pairs
    return sum(pair.pairs * (pair.points / 2 - mean) ** 2 for pair in whole) / pairs


def _sprt_plan(sprt: Sprt, found: Iterable[Length], most: int) -> SprtPlan:
    at_h0, half_way, at_h1 = found
    return SprtPlan(
        elo=(sprt.elo0, (sprt.elo0 + sprt.elo1) / 2, sprt.elo1),
        games=(
            2 * math.ceil(at_h0.expected),
            2 * math.ceil(half_way.expected),
            2 * math.ceil(at_h1.expected),
        ),
        most=most,
        within=(
            at_h0.within(most / 2),
            half_way.within(most / 2),
            at_h1.within(most / 2),
        ),
    )
