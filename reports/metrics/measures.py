"""Game metrics for designers, measured from records alone; `definitions` says what each is."""

from __future__ import annotations

import math
from array import array
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from lath.games.capabilities import count_legal
from lath.games.core import Side
from lath.games.stones import SWAP
from lath.notation.archive.archive import SeenRecords
from lath.notation.record.record import Record
from lath.notation.record.tags import ANALYSIS, FORFEITS, Termination
from lath.notation.rules.replay import positions
from lath.reports.counting.courses import Courses, GameCourse
from lath.reports.counting.estimates import (
    Estimated,
    MetricValues,
    estimate,
)
from lath.reports.counting.facts import of_game
from lath.reports.counting.openings import chosen_plies, csv_of
from lath.reports.counting.rated import digest_of, place_of
from lath.reports.metrics.definitions import (
    ADVANTAGE,
    ANALYSE,
    DECIDED,
    DRAWN_BY_LOT,
    EQUALS,
    FIRST_EQUAL,
    HELP,
    LEAST_JUDGED,
    LEAST_MET,
    LEAST_ONE_SIDED,
    LEAST_OPENINGS,
    LEAST_SHARE,
    LEAST_SPREAD,
    LEAST_TOLD,
    MEASURES,
    ONE_SIDED,
    STONE_EQUAL,
    UNJUDGED,
    UNLIKE,
    UNMEASURABLE,
    Measure,
    Unjudged,
)
from lath.reports.ratings.rating import rate
from lath.reports.ratings.results import DecidedGame, Estimate, score_of

# One game


def played(record: Record) -> tuple[dict[str, float], GameCourse, Unjudged | None]:
    """Return the metrics of a decided game, its course, and the reason why it is not evaluated.

    Metrics that the game does not have are left out. The reason is None for an evaluated game.
    Raises GameError if the game cannot be replayed.
    """
    (points, of_second), winner = record.result.points, record.result.winner
    is_won, why = winner is not None, record.termination
    found = {"first_score": points}
    chosen, has_swap, legal = chosen_plies(record), False, array("q")
    seats: list[int] = []
    changed: set[int] = set()
    covered = array("q")
    before: tuple[str, ...] = ()
    for ply, position in enumerate(positions(record)):
        if ply == 1 and not record.tag("Position"):
            has_swap = SWAP in position.legal_moves()
        legal.append(count_legal(position))
        seats.append(int(position.to_move))
        contents = position.contents()
        both = enumerate(zip(contents, before or contents, strict=True))
        changed.update(at for at, (now, was) in both if now != was)
        covered.append(len(changed))
        before = contents
    ended = position.is_over
    found["drawn"] = float(not is_won and why != Termination.PLY_LIMIT)
    found["completion"] = float(is_won and (ended or why == Termination.RESIGNATION))
    if has_swap and len(record.plies) > 1:
        is_swapped = record.plies[1].move == SWAP
        found["first_stone"] = of_second if is_swapped else points
        if chosen < 2:
            found["swapped"] = float(is_swapped)
    plies = len(record.plies)
    course = GameCourse(plies, len(before))
    if ended and plies and not record.tag("Position"):
        of_plies = legal[:plies]
        course = course._replace(legal=of_plies, changed=covered[1:])
        found["plies"] = plies
        found["legal_moves"] = sum(of_plies) / plies
        found["choices"] = sum(number > 1 for number in of_plies) / plies
        found["coverage"] = len(changed) / len(before)
    told = evaluations(record, seats, chosen)
    unjudged, silent = judgement(record, seats)
    if not told or unjudged == "no evaluations":
        return found, course, "no evaluations"
    if unjudged is not None:
        return found, course, unjudged
    if silent and not (told := evaluations(record, seats, chosen, silent=silent)):
        return found, course, "no evaluations"
    if winner is not None:
        course = course._replace(leads=[(at, -value if winner else value) for at, value in told])
    return found | of_evaluations(told, plies, winner), course, None


def judgement(record: Record, seats: Sequence[int]) -> tuple[Unjudged | None, frozenset[int]]:
    """Return why a game is not evaluated, or None, and the sides that report nothing but proofs.

    A side evaluates positions if its evaluations strictly between -`DECIDED` and `DECIDED` differ
    by at least `LEAST_SPREAD`. An analysis evaluates positions for both sides.
    """
    said: dict[int, list[float]] = {}
    for seat, ply in zip(seats, record.plies, strict=False):
        if ply.eval is not None:
            said.setdefault(seat, []).append(ply.eval)
    if not said:
        return "no evaluations", frozenset()
    open_ = {seat: [each for each in of if abs(each) < DECIDED] for seat, of in said.items()}
    silent = {
        seat for seat, of in open_.items() if max(of, default=0) - min(of, default=0) < LEAST_SPREAD
    }
    if silent == said.keys():
        has_proofs = any(abs(each) >= DECIDED for of in said.values() for each in of)
        return "proofs alone" if has_proofs else "all level", frozenset(silent)
    return None, frozenset(() if record.tag(ANALYSIS) else silent)


def evaluations(
    record: Record,
    seats: Sequence[int],
    chosen: int = 0,
    *,
    silent: Collection[int] = (),
) -> list[tuple[int, float]]:
    """Return the plies, from 0, with an evaluation, and the first player's expected score in -1..1.

    For sides in `silent`, only proofs count.

    The score is the mean of the latest evaluations of both players: two bots see a position
    differently, which is not a lead change. In an analysed record, it is that of the analysis.
    `seats` has the side that decides on each ply. If fewer than one in `LEAST_TOLD` plies after the
    first `chosen` ones has an evaluation, the result is empty.
    """
    is_analysed = bool(record.tag(ANALYSIS))
    views: dict[int, float] = {}
    found: list[tuple[int, float]] = []
    for at, ply in enumerate(record.plies):
        if (said := ply.eval) is None:
            continue
        seat = seats[at]
        if seat in silent and abs(said) < DECIDED:
            continue
        views[0 if is_analysed else seat] = max(-1.0, min(1.0, -said if seat else said))
        found.append((at, math.fsum(views.values()) / len(views)))
    enough = len(found) * LEAST_TOLD >= len(record.plies) - chosen
    return found if enough and len(found) > 1 else []


def of_evaluations(
    told: Sequence[tuple[int, float]], plies: int, winner: Side | None
) -> dict[str, float]:
    """Return the metrics that need evaluations, for a game of this length; empty without them.

    >>> told = [(0, -0.2), (1, 0.1), (2, 0.5), (3, 0.9)]  # first was behind, and won
    >>> found = of_evaluations(told, 4, Side.FIRST)
    >>> found["drama"], found["decisiveness"]
    (0.05, 0.5)
    """
    if not told:
        return {}
    leaders = [value > 0 for _, value in told if value]
    changes = sum(one != other for one, other in pairwise(leaders))
    found = {"lead_changes": float(changes), "lead_changes_a_ply": changes / (len(told) - 1)}
    if winner is None:
        return found
    winners = [(at, -value if winner else value) for at, value in told]
    behind = [max(0.0, -value) for _, value in winners]
    above = max(-value for _, value in winners)
    since = plies
    for at, value in reversed(winners):
        if value <= 0:
            break
        since = at
    return found | {
        "drama": math.fsum(behind) / len(told),
        "greatest_drama": max(behind),
        "behind": sum(each > 0 for each in behind) / len(told),
        "time_to_decide": since / plies,
        "decisiveness": next((at for at, value in winners if value > above), plies) / plies,
    }


# All games


@dataclass(frozen=True, slots=True)
class MetricRow:
    """A metric of some games."""

    measure: Measure
    of: Estimated
    equals: Estimate | None = None
    """The first-move advantage in Elo points, for metrics of equal bots."""


class GameGroup:
    """Games that are measured together; only a few numbers of each are kept."""

    def __init__(self, game: str) -> None:
        self.game: Final = game
        self.games = 0
        """The number of counted games."""
        self.repeats = 0
        """The number of duplicate games among them."""
        self.left_out: Final = Counter[str]()
        """The number of other games, by `UNLIKE`."""
        self.unjudged: Final = Counter[Unjudged]()
        """The number of counted games without evaluated leads, by reason."""
        self.begun: Final = Counter[str]()
        """The number of games from random openings, by their kind, such as `random:4`."""
        self.courses: Final = Courses()
        """The courses of the games."""
        self._columns: Final[defaultdict[str, MetricValues]] = defaultdict(MetricValues)
        self._results: Final[dict[Measure, list[DecidedGame]]] = {FIRST_EQUAL: [], STONE_EQUAL: []}
        self._seen: Final = SeenRecords()
        self._pairs: Final = array("q")
        self._openings: Final = array("q")
        self._meetings: Final = array("q")
        self._met: Final[dict[frozenset[str], int]] = {}
        self._open: Final[dict[tuple[int, int, int], int]] = {}
        self._rows: list[MetricRow] | None = None
        self._one_sided: str | None = None

    def add(self, record: Record) -> None:
        """Count a record; raises GameError if it cannot be replayed."""
        if why := self._why_not(record):
            self.left_out[why] += 1
            return
        found, course, unjudged = played(record)
        if unjudged is not None:
            self.unjudged[unjudged] += 1
        self.courses.add(course)
        if drawn := DRAWN_BY_LOT.match(record.tag("Opening") or ""):
            self.begun[drawn[0]] += 1
        seats = record.first, record.second
        line = digest_of(record, seats, record.termination) if record.plies else None
        self.repeats += line is not None and not self._seen.add(line)
        key, number, opening = place_of(record, seats)
        seat = 2 if seats[0] == seats[1] else int(seats[0] > seats[1])
        pair = self._open.pop((key, number, 2 if seat == 2 else 1 - seat), None)
        if pair is None or (seat == 2 and not number):
            pair = self._open[key, number, seat] = self.games
        self._pairs.append(pair)
        self._openings.append(opening)
        self._meetings.append(self._met.setdefault(frozenset(seats), len(self._met)))
        for name, value in found.items():
            self._columns[name].add(value, self.games)
        of_first = DecidedGame(*seats, found["first_score"], record.game, pair, opening, line)
        self._results[FIRST_EQUAL].append(of_first)
        if (stone := found.get("first_stone")) is not None:
            is_swapped = record.plies[1].move == SWAP
            owner = of_first._replace(first=seats[1], second=seats[0], score=stone)
            self._results[STONE_EQUAL].append(owner if is_swapped else of_first)
        self.games += 1
        self._rows = self._one_sided = None

    def _why_not(self, record: Record) -> str:
        why = record.termination
        if record.ruling:
            return "ruled out"
        if not record.result.is_finished or why in (Termination.VOID, Termination.UNTERMINATED):
            return "unfinished"
        if why in FORFEITS:
            return "forfeited"
        return "" if record.plies else "without moves"

    @property
    def judged(self) -> int:
        """Return the number of evaluated games."""
        return self.games - self.unjudged.total()

    @property
    def needed(self) -> int:
        """Return the least number of evaluated games for metrics that need evaluations."""
        return max(LEAST_JUDGED, math.ceil(LEAST_SHARE * self.games))

    @property
    def lack(self) -> str:
        """Return a sentence about the evaluated games if there are too few; empty if not."""
        if self.judged >= self.needed:
            return ""
        are = "is" if self.judged == 1 else "are"
        words = f"{self.judged:,} of {self.games:,} games {are} evaluated, "
        words += f"but {self.needed:,} are needed"
        return f"{words} ({kinds})" if (kinds := self.unjudged_words()) else words

    @property
    def reason(self) -> str:
        """Return why metrics with evaluations are not measurable; empty if they are."""
        return f"{UNMEASURABLE}: {self.lack}" if self.lack else ""

    @property
    def help(self) -> str:
        """Return a hint that makes them measurable; empty if they are."""
        if not self.lack:
            return ""
        helps = list(dict.fromkeys(HELP[why] for why, _ in self.unjudged.most_common()))
        return "; or ".join([*helps, ANALYSE]) if helps else "more games"

    @property
    def one_sided(self) -> str:
        """Return words on unequal bots if their strength decides most games; empty if not."""
        if self._one_sided is None:
            self._one_sided = self._who_decides()
        return self._one_sided

    def _who_decides(self) -> str:
        scores: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        for one in self._results[FIRST_EQUAL]:
            if one.first != one.second:
                low, high = sorted((one.first, one.second))
                of = scores[low, high]
                of["games"] += 1
                of["halves"] += round(2 * (one.score if one.first == low else 1 - one.score))
        games = sum(of["games"] for of in scores.values())
        found = []
        for (low, high), of in scores.items():
            share = of["halves"] / (2 * of["games"])
            stronger, weaker = (low, high) if share > 0.5 else (high, low)
            share = max(share, 1 - share)
            if of["games"] >= LEAST_ONE_SIDED and share > ONE_SIDED:
                found.append((of["games"], share, stronger, weaker))
        if not found or sum(each[0] for each in found) <= ONE_SIDED * games:
            return ""
        most, share, stronger, weaker = max(found)
        words = f"{stronger} scores {share:.0%} in {most:,} games against {weaker}"
        return words if len(found) == 1 else f"{words}, and other pairs are as unequal"

    def why_none(self, measure: Measure) -> tuple[str, str]:
        """Return why a metric is not measurable with these bots, and a hint; both empty if it is.

        Both are also empty if the game type does not have the metric, such as one about swaps.
        """
        if measure.evaluated:
            return self.reason, self.help
        has_it = self._results[STONE_EQUAL] or measure.key not in ("first_stone", "stone_equal")
        if measure.key in ADVANTAGE and has_it and self.one_sided:
            return f"{UNMEASURABLE}: {self.one_sided}", EQUALS
        return "", ""

    def begun_words(self) -> str:
        """Return a sentence about games from random openings; empty without any."""
        if not self.begun:
            return ""
        return (
            f"{self.begun.total():,} of {self.games:,} games began with a balanced random opening "
            f"({', '.join(sorted(self.begun))}), so the first-move advantage is measured "
            "from there. To measure it from the starting position, use bots with randomness, "
            "such as mcts: arena run … --openings random:0"
        )

    def unjudged_words(self) -> str:
        """Return the numbers of games without evaluated leads, by reason; empty without any."""
        kinds = [why for why in UNJUDGED if self.unjudged[why]]
        return ", ".join(f"{self.unjudged[why]:,} {UNJUDGED[why]}" for why in kinds)

    @property
    def by_opening(self) -> bool:
        """Return whether the games of an opening count as one; then intervals hold for others."""
        openings = Counter(self._openings)
        return len(openings) >= LEAST_OPENINGS and 5 * max(openings.values()) <= self.games

    @property
    def clusters(self) -> int:
        """Return the number of openings, or of pairs and single games."""
        return len(set(self._openings if self.by_opening else self._pairs))

    def rows(self) -> list[MetricRow]:
        """Return the metrics of the games, in the order of `MEASURES`, without unknown ones."""
        if self._rows is None:
            clusters = self._openings if self.by_opening else self._pairs
            met = Counter(meeting for meeting, _ in set(zip(self._meetings, clusters, strict=True)))
            # Pairings with few games do not show the variation of their games.
            are_known = min(met.values(), default=0) >= LEAST_MET
            strata = self._meetings if are_known else array("q", bytes(8 * self.games))
            self._rows = [row for each in MEASURES if (row := self._row(each, clusters, strata))]
        return self._rows

    def _row(
        self, measure: Measure, clusters: Sequence[int], strata: Sequence[int]
    ) -> MetricRow | None:
        if self.why_none(measure)[0]:
            return None
        if measure in self._results:
            return self._equals(measure)
        column = self._columns.get(measure.key)
        if column is None:
            return None
        of = [clusters[game] for game in column.games]
        bounds = (0.0, 1.0 if measure.unit == "share" else math.inf)
        met = [strata[game] for game in column.games]
        # Duplicate games have one opening, which counts as one piece of evidence anyway.
        new = 1.0 if self.by_opening else 1 - self.repeats / self.games
        of_all = estimate(column.values, of, measure.kind, bounds, met, new=new)
        return None if of_all is None else MetricRow(measure, of_all)

    def _equals(self, measure: Measure) -> MetricRow | None:
        """Return a metric of equal bots, by the ratings' model; None without games between bots."""
        conditions = rate(self._results[measure], in_order=False).conditions
        if len(conditions) != 1:
            return None
        ((one,)) = conditions
        advantage = one.advantage
        slope = advantage.score * (1 - advantage.score) * math.log(10) / 400
        of = Estimated(
            value=advantage.score,
            low=score_of(advantage.low),
            high=score_of(advantage.high),
            games=one.games,
            clusters=self.clusters,
            degrees=self.clusters - 1,
            kind="mean",
            variance=(slope * advantage.error) ** 2,
            worth=0.0,
        )
        return MetricRow(measure, of, advantage)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON that docs/reference/game-metrics.md describes."""
        return {
            **of_game(self.game),
            "games": self.games,
            "repeats": self.repeats,
            "left_out": {why.replace(" ", "_"): self.left_out[why] for why in UNLIKE},
            "independent": self.clusters,
            "holds_for": self.holds_for,
            "begun": dict(sorted(self.begun.items())),
            "judged": self.judged,
            "unjudged": {why.replace(" ", "_"): self.unjudged[why] for why in UNJUDGED},
            "measures": [
                {"measure": row.measure.key, "unit": row.measure.unit, **numbers_of(row.of)}
                for row in self.rows()
            ]
            + [
                {
                    "measure": each.key,
                    "unit": each.unit,
                    **numbers_of(None),
                    **dict(zip(("reason", "help"), self.why_none(each), strict=True)),
                }
                for each in self.unmeasured
            ],
        }

    @property
    def unmeasured(self) -> list[Measure]:
        """Return the metrics that are not measurable with these bots; empty without games."""
        return [each for each in MEASURES if self.games and self.why_none(each)[0]]

    @property
    def holds_for(self) -> str:
        """Return what intervals are valid for: `openings of that kind` or `the openings played`."""
        return "openings of that kind" if self.by_opening else "the openings played"


def numbers_of(of: Estimated | None) -> dict[str, Any]:
    """Return the values of a metric as numbers."""
    if of is None:
        return {"value": None, "low": None, "high": None, "games": 0}
    return {"value": of.value, "low": of.low, "high": of.high, "games": of.games}


class Measures:
    """Measures records in groups, by source and game type."""

    def __init__(self) -> None:
        self._groups: Final[dict[tuple[str, str], GameGroup]] = {}

    def add(self, record: Record, source: str = "") -> None:
        """Count a record of a source; raises GameError if it cannot be replayed."""
        key = source, record.game
        group = self._groups.get(key)
        if group is None:
            group = self._groups[key] = GameGroup(record.game)
        group.add(record)

    @property
    def groups(self) -> list[tuple[str, GameGroup]]:
        """Return sources and groups, with the game types of a source sorted by id."""
        return [
            (source, self._groups[source, game])
            for source in dict.fromkeys(source for source, _ in self._groups)
            for game in sorted(game for of, game in self._groups if of == source)
        ]

    @property
    def games(self) -> int:
        """Return the number of counted games."""
        return sum(group.games for _, group in self.groups)

    def rows(self) -> list[dict[str, Any]]:
        """Return one row per metric and group for CSV."""
        return [
            {"game": group.game, "measure": measure.key, **numbers_of(of), "reason": reason}
            for _, group in self.groups
            for measure, of, reason in [
                *((row.measure, row.of, "") for row in group.rows()),
                *((each, None, group.why_none(each)[0]) for each in group.unmeasured),
            ]
        ]

    def to_json(self) -> dict[str, Any]:
        """Return the JSON that docs/reference/game-metrics.md describes."""
        return {"by_game": [group.to_json() for _, group in self.groups]}


# CSV


def to_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return rows as CSV with a header."""
    return csv_of(rows, "measure")
