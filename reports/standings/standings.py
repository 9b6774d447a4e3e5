"""Who stands where: results, points, ratings and endings of records, as values.

Must not know how standings are shown or written, nor how a rating is made.

Law: the points of all rows together are the number of games counted. A bot that plays itself
therefore fills both seats of its row; such a game says nothing to the rating.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from lath.notation.record import Record, Termination
from lath.reports.ratings.rating import rate
from lath.reports.ratings.values import Ratings, Result
from lath.reports.standings.balance import is_unbalanced
from lath.reports.standings.tally import GameCounts, Tally, counts
from lath.reports.standings.values import Meeting, Row, Standings, Table

Scores = Counter[float]
"""How often a bot scored 1, 1/2 and 0."""


def compute(records: Iterable[Record]) -> Standings:
    """Return the standings of `records`, whose order counts for the sequential ratings alone.

    Records without a decided result are counted as left out, with the reason. Names are taken as
    they stand: bots of one name are one bot, and so are all that are known as `?`.
    """
    tally = Tally()
    for record in records:
        tally.add(record)
    return standings_of(tally)


def standings_of(tally: Tally) -> Standings:
    """Return what a tally comes to; it may be added to afterwards."""
    results = tally.results()
    fair = tally.on_the_board(results)
    per_game = tuple(_of_games(tally, results, fair))
    overall = _overall(tally, results, fair, per_game)
    return Standings(
        events=tuple(tally.events),
        overall=overall,
        per_game=per_game,
        left_out=counts(tally.left_out),
        unranked=tuple(sorted(tally.names.difference(row.name for row in overall.rows))),
    )


def _of_games(tally: Tally, results: Sequence[Result], fair: Sequence[Result]) -> Iterable[Table]:
    """Yield the table of each game id."""
    of_game, fair_of_game = _by_game(results), _by_game(fair)
    for game in sorted(tally.games):
        yield _table(game, tally.games[game], of_game[game], fair_of_game.get(game, []))


def _by_game(results: Iterable[Result]) -> dict[str, list[Result]]:
    found: dict[str, list[Result]] = {}
    for result in results:
        found.setdefault(result.game, []).append(result)
    return found


def _overall(
    tally: Tally, results: Sequence[Result], fair: Sequence[Result], per_game: Sequence[Table]
) -> Table:
    if len(per_game) == 1:
        return replace(per_game[0], game="")
    together = GameCounts()
    for game in tally.games.values():
        together.include(game)
    table = _table("", together, results, fair)
    return replace(table, unbalanced=table.unbalanced or any(t.unbalanced for t in per_game))


def _table(
    game: str, counted: GameCounts, results: Sequence[Result], fair: Sequence[Result]
) -> Table:
    """Return the table of games; `fair` are those of the results that were no forfeit."""
    ratings = rate(results)
    without = ratings if len(fair) == len(results) else rate(fair, in_order=False)
    meetings = _meetings(counted)
    rows = _rows(counted, meetings, ratings, without)
    ranked = [row.name for row in rows]
    scores = Counter[float]()
    for (_, _, score), times in counted.scores.items():
        scores[score] += times
    return Table(
        game=game,
        games=scores.total(),
        first_wins=scores[1.0],
        draws=scores[0.5],
        second_wins=scores[0.0],
        self_play=sum(n for (first, second, _), n in counted.scores.items() if first == second),
        repeated=counted.repeated,
        endings=counts(counted.endings),
        rows=rows,
        crosstable=tuple(
            tuple(_meeting(meetings, ratings, bot, other) for other in ranked) for bot in ranked
        ),
        ratings=ratings,
        unbalanced=is_unbalanced(Counter((r.first, r.second) for r in results)),
    )


def _meetings(counted: GameCounts) -> dict[tuple[str, str], Scores]:
    """Return what each bot scored against each; both seats of a game count."""
    meetings: dict[tuple[str, str], Scores] = {}
    for (first, second, score), times in counted.scores.items():
        meetings.setdefault((first, second), Counter())[score] += times
        meetings.setdefault((second, first), Counter())[1 - score] += times
    return meetings


def _meeting(
    meetings: Mapping[tuple[str, str], Scores], ratings: Ratings, bot: str, other: str
) -> Meeting:
    scores = meetings.get((bot, other), Counter())
    better = None if bot == other else ratings.superiority(bot, other)
    return Meeting(scores[1.0], scores[0.5], scores[0.0], better)


def _rows(
    counted: GameCounts,
    meetings: Mapping[tuple[str, str], Scores],
    ratings: Ratings,
    without: Ratings,
) -> tuple[Row, ...]:
    scores: dict[str, Scores] = {name: Counter() for name in ratings.strengths}
    for (bot, _), scored in meetings.items():
        scores[bot] += scored
    rows = [_row(name, scores[name], counted, ratings, without) for name in scores]
    rows.sort(key=_standing)
    return tuple(replace(row, rank=rank) for rank, row in enumerate(rows, 1))


def _standing(row: Row) -> tuple[int, float, float, str]:
    """Return by what rows are put in order."""
    # Rounded, for the last bits of a rating differ with the order of the records.
    exposed = round(row.strength.trueskill.exposed, 6)
    return row.strength.group, -exposed, -row.points, row.name


def _row(name: str, scores: Scores, counted: GameCounts, ratings: Ratings, without: Ratings) -> Row:
    return Row(
        rank=0,
        name=name,
        wins=scores[1.0],
        draws=scores[0.5],
        losses=scores[0.0],
        strength=ratings.strengths[name],
        without_forfeits=without.strengths.get(name),
        crashes=counted.forfeits[name, Termination.CRASH],
        time_losses=counted.forfeits[name, Termination.TIME],
        illegal_moves=counted.forfeits[name, Termination.ILLEGAL_MOVE],
        floods=counted.forfeits[name, Termination.FLOOD],
    )
