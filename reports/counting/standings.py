"""Standings as values: results, points, ratings and endings of records.

`compute` is what most callers need. A `Tally` takes the records one by one. It keeps a row of
numbers of each rated game (`rated.py`) and only counts of the others, but no record or move.

Invariant: the points of all rows add up to the number of counted games. So a bot that plays against
itself fills both sides in its row; such a game does not change ratings.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from statistics import fmean
from typing import Final, NamedTuple

from lath.notation.files.parallel import MANY, beside
from lath.notation.record.record import Record
from lath.notation.record.tags import FORFEITS, TUNING, Termination
from lath.reports.counting.comparisons import compared
from lath.reports.counting.ranking import (
    Members,
    RankedRating,
    RankedScore,
    RankingPlace,
    Rule,
    member_of,
    ranking,
)
from lath.reports.counting.rated import Rated, RatedGames
from lath.reports.counting.scale import PLAIN_SCALE, Scale
from lath.reports.counting.table import UNSTATED, Meeting, Reason, Row, Standings, Table, counts
from lath.reports.ratings.counts import SideScore, SidesOfPair
from lath.reports.ratings.rating import rate
from lath.reports.ratings.results import IN_ORDER, DecidedGame, Ratings

TRIALS: Final = "Tuning games are not rated, because each trial of a bot has its own options."
"""The explanation for standings that leave out tuning games."""

FEW: Final = 3
"""The most invalid records that are listed per reason."""


def why_left_out(record: Record) -> str:
    """Return why the record does not count; empty if it counts."""
    if ruling := record.ruling:
        return ruling
    if record.tag(TUNING):
        return "tuning"
    if record.termination in (Termination.VOID, Termination.UNTERMINATED):
        return str(record.termination)
    return "" if record.result.is_finished else "no result"


# Records that count


class Refused(NamedTuple):
    """An invalid record, in place of the record."""

    where: str
    """The file and line, or the database and number."""

    kind: str
    """The problem in a word or two, such as `illegal move`."""

    why: str
    """The problem in a sentence."""


# Counts of records


@dataclass(slots=True)
class GameResults:
    """The counts of the games of one type, or of several."""

    scores: Counter[tuple[str, str, float]] = field(default_factory=Counter)
    """How often the first player scored 1, 1/2 or 0 against the second."""

    endings: Counter[str] = field(default_factory=Counter)
    forfeits: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Games lost by a forfeit, by loser and one of FORFEITS."""

    repeated: int = 0
    """Duplicate games."""

    without_moves: int = 0
    """Games with a result but without moves."""


class Tally:
    """Counts records one by one, in their order, and collects the rated games."""

    def __init__(self, *, until: int = 0) -> None:
        """Begin without games; games up to the number `until` are also counted separately."""
        self.before: Tally | None = Tally() if until else None
        """The counts before the last event."""
        self._until: Final = until
        self.events: Final[dict[str, None]] = {}
        """The different event titles, in order of appearance."""
        self.untitled = 0
        """The number of games without an event title."""
        self.games: Final[defaultdict[str, GameResults]] = defaultdict(GameResults)
        """The counts by game type, in order of appearance."""
        self.left_out: Final[Counter[str]] = Counter()
        self.names: Final[set[str]] = set()
        """All bot names, including those in records left out."""
        self._unsound: Final[dict[str, tuple[int, list[str]]]] = {}
        """For each reason, the number of invalid records and the first of them."""
        self._rated: Final = RatedGames()

    def add(self, record: Record, ending_words: str | None = None) -> None:
        """Count one record, or the reason for leaving it out.

        `ending_words` are the rules' words for the ending. Default: its `Termination`.
        """
        if self.before is not None and record.number <= self._until:
            self.before.add(record, ending_words)
        event = record.tag("Event")
        if event:
            self.events[event] = None
        self.untitled += not event
        first, second = record.first, record.second
        self.names.update((first, second))
        if reason := why_left_out(record):
            self.left_out[reason] += 1
            return
        score, why, game = record.result.points[0], record.termination, record.game
        counts = self.games[game]
        counts.scores[first, second, score] += 1
        counts.endings[ending_words or why or UNSTATED] += 1
        counts.without_moves += record.is_result_only
        if is_forfeit := why in FORFEITS and score != 0.5:
            counts.forfeits[second if score else first, why] += 1
        # Games without moves cannot be recognised as duplicates. Losing on time depends on the load
        # of the machine too, so two equal games with this ending are both evidence.
        counts.repeated += self._rated.add(
            record,
            (first, second, score, game),
            why,
            may_repeat=bool(record.plies) and why != Termination.TIME,
            is_forfeit=is_forfeit,
        )

    def sound(self, records: Iterable[Record | Refused]) -> Iterator[Record]:
        """Yield the valid records, which the caller must add; count the invalid ones."""
        for record in records:
            if not isinstance(record, Refused):
                yield record
                continue
            times, first = self._unsound.get(record.kind, (0, []))
            if times < FEW:
                first.append(f"{record.where}: {record.why}")
            self._unsound[record.kind] = times + 1, first

    def unsound(self) -> tuple[Reason, ...]:
        """Return the reasons for invalid records, the most frequent first."""
        reasons = (Reason(kind, n, tuple(first)) for kind, (n, first) in self._unsound.items())
        return tuple(sorted(reasons, key=lambda one: (-one.records, one.reason)))

    def results(self) -> list[DecidedGame]:
        """Return the rated games, in their order, each with its pair and opening."""
        return list(self._rated.results())

    def rated(self) -> Rated:
        """Return the rated games as a lazy selection, without pairs and openings."""
        return Rated(self._rated)

    @property
    def games_rated(self) -> int:
        """Return the number of rated games."""
        return len(self._rated)


# Standings


def compute(records: Iterable[Record | Refused], scale: Scale = PLAIN_SCALE) -> Standings:
    """Return the standings of `records`, whose order matters only for the sequential ratings.

    Records without a decided result are counted as left out, with the reason. Bots with the same
    name are one bot, including all that are called `?`.
    """
    tally = Tally(until=scale.until)
    for record in tally.sound(records):
        tally.add(record)
    return standings_of(tally, scale)


def standings_of(tally: Tally, scale: Scale = PLAIN_SCALE, *, is_shared: bool = False) -> Standings:
    """Return the standings of a tally, which can be added to afterwards.

    If it `is_shared`, other processes make the tables of the game types.
    """
    now, before = _standings_of(tally, scale, is_shared=is_shared), None
    if tally.before is not None and tally.before.games_rated:
        # By today's rules, because a change of rule would change ranks.
        rules = {table.game: table.rule for table in (now.overall, *now.per_game)}
        before = _standings_of(tally.before, scale, rules)
    return compared(now, scale, before)


def leaders_of(tally: Tally, scale: Scale = PLAIN_SCALE) -> tuple[Rule, dict[str, RankedScore]]:
    """Return the rule that ranks a tally's bots, and the scores of the bots on rank 1.

    In a gauntlet, only challengers count. If groups of bots never met, no bot leads.
    """
    counted = _scores(_together(tally.games.values()), member_of(scale.members))
    scores, met = _of_each(counted), _games(counted)
    found = ranking(scores, met, scale.outcome, rule=scale.rule)
    if not found.without_ratings:
        first = [one for one in found.places if one.rank == 1 and one.role != "opponent"]
        is_one = len({one.section for one in first}) == 1
        return found.rule, {one.name: scores[one.name] for one in first if is_one}
    # Ratings take the most time, and few callers need them.
    table = _standings_of(tally, scale).overall
    rows = [row for row in table.rows if row.rank == 1]
    is_one = len({row.group for row in rows}) == 1
    return table.rule, {row.name: scores[row.name] for row in rows if is_one}


def _standings_of(
    tally: Tally,
    scale: Scale,
    rules: Mapping[str, Rule] | None = None,
    *,
    is_shared: bool = False,
) -> Standings:
    """Return standings without comparisons; `rules` fixes the rules of ranks, by game type."""
    rated, rules = tally.rated(), dict(rules or {})
    if scale.rule:
        rules = dict.fromkeys(("", *tally.games), scale.rule)
    several = len(tally.games) > 1
    names = sorted(tally.games)

    def tables(of: Iterable[str]) -> dict[str, Table]:
        return {
            game: _table(
                game,
                tally.games[game],
                replace(rated, game=game) if several else rated,
                scale.of_one_game if several else scale,
                rules.get(game),
            )
            for game in of
        }

    if is_shared and several and tally.games_rated >= MANY:
        made = [beside(partial(tables, part)) for part in (names[::2], names[1::2])]
    else:
        made = [partial(tables, names)]
    if several or not names:
        overall = _table("", _together(tally.games.values()), rated, scale, rules.get(""))
    of_game = {game: table for part in made for game, table in part().items()}
    per_game = tuple(of_game[game] for game in names)
    if len(per_game) == 1:
        overall = replace(per_game[0], game="")
    else:
        unbalanced = overall.unbalanced or any(table.unbalanced for table in per_game)
        overall = replace(overall, unbalanced=unbalanced)
    return Standings(
        events=() if tally.untitled else tuple(tally.events),
        overall=overall,
        per_game=per_game,
        left_out=counts(tally.left_out),
        unranked=tuple(sorted(_without_games(tally, overall, scale))),
        unsound=tally.unsound(),
    )


def _without_games(tally: Tally, table: Table, scale: Scale) -> set[str]:
    """Return the bots without counted games; a member counts with all its versions."""
    whose = member_of(scale.members)
    met = {whose.get(name, name) for name in tally.names}
    return met.difference(row.name for row in table.rows)


def _together(games: Iterable[GameResults]) -> GameResults:
    """Return the sum of counts."""
    together = GameResults()
    for counted in games:
        together.scores += counted.scores
        together.endings += counted.endings
        together.forfeits += counted.forfeits
        together.repeated += counted.repeated
        together.without_moves += counted.without_moves
    return together


@dataclass(slots=True)
class _Scores:
    """The scores of all bots, with the versions of a member together."""

    seats: SideScore = field(default_factory=SideScore)
    met: defaultdict[tuple[str, str], SideScore] = field(
        default_factory=lambda: defaultdict(SideScore)
    )
    """The results of the first bot against the second."""

    own: defaultdict[str, SideScore] = field(default_factory=lambda: defaultdict(SideScore))
    by_name: defaultdict[str, SideScore] = field(default_factory=lambda: defaultdict(SideScore))
    """The results of each version."""

    lost_by: Counter[tuple[str, str]] = field(default_factory=Counter)


def _scores(counted: GameResults, whose: Mapping[str, str]) -> _Scores:
    """Return the scores of all bots; `whose` gives the member of each version."""
    found = _Scores()
    for (first, second, score), times in counted.scores.items():
        found.seats.add(score, times)
        one, other = (whose.get(name, name) for name in (first, second))
        for bot, against, name, points in (
            (one, other, first, score),
            (other, one, second, 1 - score),
        ):
            found.met[bot, against].add(points, times)
            found.own[bot].add(points, times)
            found.by_name[name].add(points, times)
    for (name, way), times in counted.forfeits.items():
        found.lost_by[whose.get(name, name), way] += times
    return found


def _of_each(found: _Scores) -> dict[str, RankedScore]:
    return {name: RankedScore(own.points, own.games) for name, own in found.own.items()}


def _games(found: _Scores) -> dict[tuple[str, str], int]:
    """Return the number of games of each two bots, in one order of names."""
    return {pair: one.games for pair, one in found.met.items() if pair[0] < pair[1]}


def _playing(ratings: Ratings, members: Members) -> dict[str, str]:
    """Return, by bot, the name whose rating counts: the last version that has played."""
    whose = member_of(members)
    found = {whose.get(name, name): name for name in ratings.strengths}
    for member, versions in members.items():
        played = [version for version in versions if version in ratings.strengths]
        found.update((member, version) for version in played[-1:])
    return found


def _table(
    game: str, counted: GameResults, rated: Rated, scale: Scale, rule: Rule | None = None
) -> Table:
    """Return the table of games; `rule` defaults to the rule that follows from the games."""
    ranked_by, anchors = scale.ranked_by, scale.anchors
    ratings = rate(rated, anchors=anchors)
    without = ratings
    if counted.forfeits:
        without = rate(replace(rated, fair=True), in_order=ranked_by == IN_ORDER, anchors=anchors)
    whose = member_of(scale.members)
    meetings = Counter[tuple[str, str]]()
    won: defaultdict[tuple[str, str], float] = defaultdict(float)
    """Wins between members, with duplicate games counted once."""
    different, played = rated.different(), Counter[SidesOfPair]()
    cells = rated.cells()
    for (first, second, _, game_id), times in cells.items():
        played[SidesOfPair(game_id, first, second)] += times
    for (first, second, score, game_id), times in cells.items():
        meetings[first, second] += times
        if score != 0.5:
            sat = SidesOfPair(game_id, first, second)
            weight = different.get(sat, games := played[sat]) / games
            one, other = (whose.get(name, name) for name in (first, second))
            won[(one, other) if score else (other, one)] += times * weight
    found = _scores(counted, whose)
    met, own = found.met, found.own
    plays_as = _playing(ratings, scale.members)
    ranked = ranking(
        _of_each(found),
        _games(found),
        scale.outcome,
        {
            name: RankedRating(one.group, one.by(ranked_by).exposed)
            for name, version in plays_as.items()
            for one in (ratings.strengths[version],)
        },
        rule,
    )

    def row_of(place: RankingPlace) -> Row:
        name, version = place.name, plays_as[place.name]
        is_swiss, is_knockout = (ranked.rule == rule for rule in ("swiss", "knockout"))
        return Row(
            rank=place.rank,
            number=place.number,
            name=name,
            plays_as=version,
            role=place.role,
            swiss_points=place.number if is_swiss else None,
            rounds=int(place.number) if is_knockout else None,
            wins=own[name].wins,
            draws=own[name].draws,
            losses=own[name].losses,
            strength=ratings.strengths[version],
            without_forfeits=without.strengths.get(version),
            lost_by={str(way): found.lost_by[name, way] for way in FORFEITS},
        )

    rows = tuple(map(row_of, ranked.places))

    def meeting(one: Row, other: Row) -> Meeting:
        scored = met[one.name, other.name]
        of_both = scored.wins, scored.draws, scored.losses
        if one is other:
            return Meeting(*of_both)
        wins, losses = won[one.name, other.name], won[other.name, one.name]
        alone = more_wins(round(wins), round(losses)) if scored.games else None
        return Meeting(*of_both, ratings.superiority(one.plays_as, other.plays_as), alone)

    return Table(
        game=game,
        games=found.seats.games,
        first_wins=found.seats.wins,
        draws=found.seats.draws,
        second_wins=found.seats.losses,
        self_play=sum(n for (first, second, _), n in counted.scores.items() if first == second),
        repeated=counted.repeated,
        without_moves=counted.without_moves,
        endings=counts(counted.endings),
        rows=rows,
        crosstable=tuple(tuple(meeting(row, other) for other in rows) for row in rows),
        ratings=ratings,
        scores=found.by_name,
        ranked_by=ranked_by,
        rule=ranked.rule,
        unbalanced=is_unbalanced(meetings),
    )


EXACT: Final = 100
"""For more trials, a normal approximation replaces the exact sum."""


def more_wins(wins: int, losses: int) -> float:
    """Return the likelihood that a bot with these results wins more often than it loses, in 0..1.

    With a uniform prior, the share of wins has a beta distribution, and this is its probability
    above 1/2. Draws do not matter.

    >>> [round(more_wins(*score), 4) for score in ((0, 0), (3, 1), (4, 0), (2, 2), (15, 5))]
    [0.5, 0.8125, 0.9688, 0.5, 0.9867]
    """
    tosses = wins + losses + 1
    if tosses > EXACT:
        return math.erfc((tosses - 2 * wins - 1) / math.sqrt(2 * tosses)) / 2
    return float(sum(math.comb(tosses, heads) for heads in range(wins + 1)) / 2**tosses)


SHARE: Final = 0.1
"""A smaller surplus of games on one side, relative to the bot's games, shifts its rating by less
than a tenth of the first-move advantage."""

DEVIATIONS: Final = 3.0
"""A surplus within this number of standard deviations can come from random sides."""


def is_unbalanced(games: Mapping[tuple[str, str], int]) -> bool:
    """Return whether a bot played one side clearly more often; False without games.

    `games` is the number of games by first and second player; games of a bot against itself are
    ignored. With fewer than nine games, no bot counts as unbalanced.

    If the first-move advantage is `a`, the error of the ratings r is about the solution of L r = a
    e. L is the Laplacian of the games, and e is a bot's number of games as first player minus those
    as second player. So the error is 0 if e is 0 for every bot, even if two bots never changed
    sides. Therefore e counts over all opponents together.

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


def greatest_gap(ratings: Ratings) -> tuple[str, float] | None:
    """Return the bot whose two TrueSkill ratings differ most, or None; the first bot wins ties.

    The second value is the mean of the converged rating minus that of the sequential one. The
    sequential ratings are shifted first, so that each group has the same mean in both.
    """
    gaps: list[tuple[str, float]] = []
    for group in ratings.groups:
        strengths = [ratings.strengths[name] for name in group]
        apart = [one.trueskill.mu - one.sequential.mu for one in strengths if one.sequential]
        if len(apart) == len(group) > 1:
            mean = fmean(apart)
            gaps += [(name, mu - mean) for name, mu in zip(group, apart, strict=True)]
    return max(gaps, key=lambda gap: abs(gap[1]), default=None)
