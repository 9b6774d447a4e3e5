"""Outcomes in words and tables, from the numbers that a schedule reports.

A format with more than a crosstable has a function in DESCRIBED.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from itertools import groupby
from typing import Any, Final

from lath.arena.schedule.fixed import Challenge, DuplicatesOnly, SprtStanding
from lath.arena.schedule.knockout import Bracket, Tie
from lath.arena.schedule.sprt import (
    FirstMoveAdvantage,
    Sprt,
    SprtState,
    fixed_advantage,
    normalized_of,
    stopped_advantage,
)
from lath.arena.schedule.swiss import Paired, SwissRow, SwissTable
from lath.arena.schedule.tune import TunedValue, TuneStanding
from lath.arena.schedule.tuning.spsa import TunedOption
from lath.games.errors import count_of
from lath.reports.counting.standings import TRIALS
from lath.reports.notes import outcome as written
from lath.reports.notes.outcome import EventOutcome, Plot, Sheet, SheetColumn
from lath.reports.schema import Schema, shape_of


def outcome_of(
    standing: object, form: str, *, event: str = "", done: int = 0, total: int = 0
) -> EventOutcome:
    """Return the outcome of a tournament from its schedule's standing, finished or not."""
    describe = DESCRIBED.get(type(standing))
    outcome = EventOutcome(format=form) if describe is None else describe(standing)
    return replace(outcome, format=form, event=event, done=done, total=max(done, total))


def points(value: float) -> str:
    """Return points with the fraction ½.

    >>> points(2.5), points(0.5), points(2)
    ('2½', '½', '2')
    """
    whole, half = divmod(round(2 * value), 2)
    return f"{whole or '' if half else whole}{'½' if half else ''}"


def _swiss(table: SwissTable) -> EventOutcome:
    """Return the table, with a column for byes if there are any."""
    rows = table.rows
    headings = ["points", *(["byes"] if any(row.byes for row in rows) else [])]
    columns = map(SheetColumn, (*headings, "Buchholz", "Sonneborn-Berger"))
    cells = tuple(
        (
            *(str(row.rank), row.name, points(row.points)),
            *([str(row.byes)] if "byes" in headings else []),
            *(points(row.buchholz), f"{row.sonneborn_berger:g}"),
        )
        for row in rows
    )
    return EventOutcome(
        format="swiss",
        words=tuple(
            f"{row.rank}. {row.name} {points(row.points)} "
            f"(Buchholz {points(row.buchholz)}, Sonneborn-Berger {row.sonneborn_berger:g})"
            for row in rows
        ),
        sheets=(
            Sheet((SheetColumn("#"), SheetColumn("bot", "name"), *columns), cells),
            *(
                Sheet(_MEETING_COLUMNS, tuple(map(_meeting_cells, paired)), f"Round {number}")
                for number, paired in enumerate(table.rounds, 1)
            ),
        ),
        data={
            "swiss": [asdict(row) for row in rows],
            "rounds": [[asdict(each) for each in paired] for paired in table.rounds],
        },
    )


_MEETING_COLUMNS: Final = (
    *(SheetColumn("bot", "name"), SheetColumn("score"), SheetColumn("opponent", "name")),
    SheetColumn("remark", "text"),
)


def _meeting_cells(paired: Paired) -> tuple[str, ...]:
    one, other = paired.bots
    if other is None:
        return one, points(paired.points[0]), "(bye)", ""
    remark = _walkover_words(paired.points, paired.walkovers)
    return one, _score(paired.points), other, remark if paired.is_over else "not over"


def _score(both: tuple[float, float]) -> str:
    return "-".join(map(points, both))


def _walkover_words(both: tuple[float, float], walkovers: int) -> str:
    """Return a remark on games that were lost without being played; empty without any."""
    if walkovers and sum(both) <= walkovers:
        return "walkover"
    return f"{walkovers} by walkover" if walkovers else ""


_TIE_COLUMNS: Final = (
    SheetColumn("bot", "name"),
    SheetColumn("score"),
    SheetColumn("opponent", "name"),
    SheetColumn("winner", "name"),
    SheetColumn("how", "text"),
)


def _knockout(bracket: Bracket) -> EventOutcome:
    """Return the ties so far in words, and a table for each round, also for those to come."""
    known = [tie for tie in bracket.ties if tie.is_known]
    verdict = f"Winner: {bracket.winner}" if bracket.winner else ""
    rounds = [(number, list(ties)) for number, ties in groupby(bracket.ties, lambda tie: tie.round)]
    return EventOutcome(
        format="knockout",
        words=(*map(_tie_words, known), *filter(None, (verdict,))),
        sheets=tuple(
            Sheet(_TIE_COLUMNS, tuple(map(_tie_cells, ties)), round_title(number, len(ties)))
            for number, ties in rounds
        ),
        verdict=verdict,
        data={
            "knockout": [asdict(tie) for tie in known],
            "winner": bracket.winner,
            "bracket": [
                {
                    "title": round_title(number, len(ties)),
                    "ties": [{**asdict(tie), "how": _how(tie)} for tie in ties],
                }
                for number, ties in rounds
            ],
        },
    )


def round_title(number: int, ties: int) -> str:
    """Return the title of a round.

    >>> round_title(1, 8), round_title(2, 4), round_title(3, 2), round_title(4, 1)
    ('Round 1', 'Quarter-finals', 'Semi-finals', 'Final')
    """
    return {4: "Quarter-finals", 2: "Semi-finals", 1: "Final"}.get(ties, f"Round {number}")


def _tie_words(tie: Tie) -> str:
    winner = f"{tie.winner} advances" if tie.winner else "not decided"
    why = " as the better seed" if tie.by_seed else ""
    one, other = tie.bots
    return f"Round {tie.round}: {one} - {other} {_score(tie.points)}, {winner}{why}"


def _how(tie: Tie) -> str:
    """Return how a tie was decided if its first games did not decide it; otherwise empty."""
    if tie.is_bye:
        return "bye"
    times = tie.prolonged
    prolonged = f"{count_of(times, 'tie-break')}" if times else ""
    seed = "tied: better seed" if tie.by_seed else ""
    return ", ".join(filter(None, (_walkover_words(tie.points, tie.walkovers), seed or prolonged)))


def _tie_cells(tie: Tie) -> tuple[str, ...]:
    one, other = (name or "?" for name in tie.bots)
    if tie.is_bye:
        return one, "bye", "-", one, ""
    if not tie.is_known:
        return one, "-", other, "", ""
    return one, _score(tie.points), other, tie.winner or "", _how(tie)


def _gauntlet(challenge: Challenge) -> EventOutcome:
    """Return the roles of the bots; `reports.outcome.completed` adds their results."""
    return EventOutcome(format="gauntlet", data={"gauntlet": asdict(challenge)})


def _test(test: SprtStanding) -> EventOutcome:
    """Return the numbers of a test, and how many pairs scored how many points."""
    now, sprt, new = test.state, test.sprt, test.names[0]
    show = (
        stopped_advantage(sprt, now) if test.has_stopped else fixed_advantage(now.counts, now.worth)
    )
    scales = {"Elo": (show.elo, show.low, show.high)}
    if sprt.model == "normalized":
        one, low, high = (normalized_of(now.counts, elo) for elo in scales["Elo"])
        scales["normalized Elo"] = one, low, high
    so_far = "" if test.has_stopped else " so far"
    llr = f"{now.llr:.2f} ({now.bounds[0]:.2f}, {now.bounds[1]:.2f})"
    shown = [
        (f"{name}{so_far}", _elo(elo), f"{_elo(low)} to {_elo(high)}")
        for name, (elo, low, high) in scales.items()
    ]
    interval = "95%" if test.has_stopped else "95%, running test"
    rows = (
        ("LLR", llr),
        ("H0", f"{sprt.elo0:g} Elo, {sprt.model}"),
        ("H1", f"{sprt.elo1:g} Elo, {sprt.model}"),
        *(row for name, elo, ends in shown for row in ((name, elo), (interval, ends))),
        *([("evidence", _worth(test))] if now.worth < 1 else []),
    )
    data = (
        asdict(sprt)
        | asdict(now)
        | {"elo": show.elo, "elo_low": show.low, "elo_high": show.high}
        | {"normalized": scales.get("normalized Elo")}
        | {"has_stopped": test.has_stopped, "repeating": test.repeating}
        | {"why_nothing_new": test.why_nothing_new}
    )
    verdict = verdict_words((new, test.names[1]), data)
    counts = ", ".join(map(str, now.counts))
    said = "; ".join(f"{name} {elo} ({interval}: {ends})" for name, elo, ends in shown)
    return EventOutcome(
        format="match",
        words=(
            f"{verdict}, LLR {llr}",
            f"pairs of 0, ½, 1, 1½, 2 points: {counts}; {said}",
            *filter(None, (test.why_nothing_new,)),
        ),
        sheets=(
            Sheet((SheetColumn("SPRT", "text"), SheetColumn("value", "text")), rows),
            Sheet(
                (SheetColumn("points", "text"), *map(SheetColumn, ("0", "½", "1", "1½", "2"))),
                (("pairs", *map(str, now.counts)),),
                f"Pairs by the points of {new}",
            ),
        ),
        plots=_path(test),
        verdict=with_reason(verdict, test.why_nothing_new),
        data={"sprt": data},
    )


def verdict_words(names: tuple[str, str], test: Mapping[str, Any], *, of_old: bool = False) -> str:
    """Return the finding of a match's test in words, about the new bot or, if `of_old`, the old.

    `names` are the new bot and the old one; `test` is `data["sprt"]` of the outcome.
    """
    new, old = names
    one, other = (old, new) if of_old else names
    if not (pairs := sum(test["counts"])):
        return f"{one} has played no whole pair of games against {other} yet"
    halves = sum(number * count for number, count in enumerate(test["counts"]))
    scored = points((4 * pairs - halves if of_old else halves) / 2)
    found, more = _found(test), ""
    told = ("not significantly different from", "stronger than", "weaker than")[
        -found if of_old else found
    ]
    is_ = "seems" if test["verdict"] is None and found else "is"
    elo = "Elo" if test["model"] == "logistic" else "normalized Elo"
    bound = test["elo0"] if test["verdict"] == "H1" else test["elo1"]
    if test["verdict"] is not None and bound:
        favoured = test["verdict"] == "H1"
        if (bound > 0) is favoured:  # the bound makes the finding stronger
            more = f", by more than {abs(bound):g} {elo}"
        elif found != (1 if favoured else -1):
            ahead = old if favoured else new
            more = f"; a lead of {ahead} by {abs(bound):g} {elo} or more is ruled out"
    so_far = "undecided" if test["has_stopped"] else "undecided so far"
    accepted = (
        f"{so_far}: neither H0 nor H1 accepted"
        if test["verdict"] is None
        else f"{test['verdict']} accepted"
    )
    return (
        f"{one} {is_} {told} {other}: {scored} of {2 * pairs} "
        f"{_many('point', 2 * pairs)}{more} ({accepted} after {pairs} {_many('pair', pairs)})"
    )


def _found(test: Mapping[str, Any]) -> int:
    """Return 1 if the new bot is stronger, -1 if it is weaker, 0 if that is unknown.

    The hypothesis that the test has accepted decides, otherwise the 95% interval.
    """
    if test["verdict"] == "H1" and test["elo0"] >= 0:
        return 1
    if test["verdict"] == "H0" and test["elo1"] <= 0:
        return -1
    low, high = test["elo_low"], test["elo_high"]
    return int(low is not None and low > 0) - int(high is not None and high < 0)


def _many(word: str, number: int) -> str:
    return word if number == 1 else f"{word}s"


def _worth(test: SprtStanding) -> str:
    """Return how many new pairs all pairs are worth, and why."""
    pairs = test.state.pairs
    words = f"that of {pairs * test.state.worth:.1f} new pairs"
    if test.repeating:
        return f"{words}: {test.repeating} of {pairs} repeat a game"
    return f"{words}: pairs from one opening are alike"


def with_reason(verdict: str, why_nothing_new: str) -> str:
    """Return a verdict with the reason why the match was stopped without one, if it was."""
    return f"{verdict}. {why_nothing_new[:1].upper()}{why_nothing_new[1:]}".rstrip(". ")


def _path(test: SprtStanding) -> tuple[Plot, ...]:
    """Return the curve of the LLR, or nothing before the first pair."""
    if len(test.path) < 2:
        return ()
    h0, h1 = test.state.bounds
    path = tuple((pairs, round(llr, 3)) for pairs, llr in test.path)
    bounds = ("H1 accepted", round(h1, 3)), ("H0 accepted", round(h0, 3))
    title = "Log-likelihood ratio (LLR) after so many pairs"
    return (Plot(title=title, across="pairs that count", points=path, bounds=bounds),)


_OPTION_COLUMNS: Final = (
    *(
        SheetColumn("option", "name"),
        SheetColumn("start"),
        SheetColumn("tuned"),
        SheetColumn("moved"),
    ),
    *(SheetColumn("range", "text"), SheetColumn("step")),
)


def _tuning(standing: TuneStanding) -> EventOutcome:
    """Return the values of the options, their curves, and the test of the result."""
    tuned, start, *_ = standing.names
    rows = tuple(
        (
            *(each.parameter.name, each.parameter.number(each.parameter.start)),
            each.parameter.number(each.value),
            f"{each.value - each.parameter.start:+.{each.parameter.digits}f}",
            *(each.parameter.span, f"{each.parameter.step:g}"),
        )
        for each in standing.options
    )
    is_over = standing.done == standing.pairs
    so_far = "" if is_over else f" so far ({standing.done} of {standing.pairs} pairs)"
    moves = ", ".join(
        f"{each.parameter.name} {each.parameter.number(each.parameter.start)} -> "
        f"{each.parameter.number(each.value)}"
        for each in standing.options
    )
    words = [f"tuned{so_far}: {moves}"]
    test = _test(standing.test) if standing.test else EventOutcome(format="tune")
    verdict = test.verdict
    if standing.is_same:
        verdict = f"{tuned} is {start}: its values are those of the start, and nothing is tested"
        words.append(verdict)
    return EventOutcome(
        format="tune",
        words=(*words, TRIALS, *test.words),
        sheets=(Sheet(_OPTION_COLUMNS, rows, f"Options{so_far}"), *test.sheets),
        plots=(*filter(None, map(_way, standing.options)), *test.plots),
        verdict=verdict,
        data={
            "tune": {
                "pairs": standing.pairs,
                "done": standing.done,
                "is_same": standing.is_same,
                "options": [
                    {**asdict(each.parameter), "at": each.at, "value": each.value}
                    for each in standing.options
                ],
            },
            **test.data,
        },
    )


def _way(each: TunedValue) -> Plot | None:
    """Return the curve of an option, or None before the first pair."""
    if len(each.path) < 2:
        return None
    return Plot(
        title=f"{each.parameter.name} after so many pairs",
        across="pairs of tuning",
        points=tuple((pairs, round(at, 3 + each.parameter.digits)) for pairs, at in each.path),
        bounds=(("start", each.parameter.start),),
    )


def _repeats(stopped: DuplicatesOnly) -> EventOutcome:
    """Return why a match without a test was stopped."""
    why = f"Stopped: {stopped.why_nothing_new}"
    return EventOutcome(format="match", words=(why,), verdict=why)


def _elo(elo: float | None) -> str:
    return "unbounded" if elo is None else f"{elo:+.1f}"


DESCRIBED: Final[Mapping[type, Callable[[Any], EventOutcome]]] = {
    SwissTable: _swiss,
    Bracket: _knockout,
    Challenge: _gauntlet,
    SprtStanding: _test,
    TuneStanding: _tuning,
    DuplicatesOnly: _repeats,
}


# The schema of `outcome.json`


def schema() -> Schema:
    """Return the JSON Schema of `outcome.json`, with the keys that each format writes in `data`."""
    made = written.schema()
    data = {**made["properties"]["data"], "properties": _data(), "additionalProperties": False}
    return {**made, "properties": {**made["properties"], "data": data}}


def _data() -> dict[str, Schema]:
    advantage = _fields(FirstMoveAdvantage)
    test = {
        **_fields(Sprt),
        **_fields(SprtState),
        "elo": advantage["elo"],
        "elo_low": advantage["low"],
        "elo_high": advantage["high"],
        "normalized": {
            "description": "The lead in normalized Elo with both ends, if that is the `model`.",
            "anyOf": [_list({"type": ["number", "null"]}), {"type": "null"}],
        },
        **_fields(SprtStanding, "has_stopped", "repeating", "why_nothing_new"),
    }
    how = {"description": "How a tie was decided, if not by its first games.", "type": "string"}
    bracket = {
        "title": {"description": "Title of the round.", "type": "string"},
        "ties": _list(_object(_fields(Tie) | {"how": how})),
    }
    option = _fields(TunedOption) | _fields(TunedValue, "at", "value")
    tune = _fields(TuneStanding, "pairs", "done", "is_same") | {"options": _list(_object(option))}
    return {
        "swiss": _list(shape_of(SwissRow), "Swiss: the table, the best bot first."),
        "rounds": _list(_list(shape_of(Paired)), "Swiss: the encounters of each round so far."),
        "knockout": _list(shape_of(Tie), "Knockout: the ties whose bots are known."),
        "winner": {
            "description": "Knockout: the winner; null while that is open.",
            "type": ["string", "null"],
        },
        "bracket": _list(_object(bracket), "Knockout: all rounds in order."),
        "gauntlet": {**shape_of(Challenge), "description": "Gauntlet: the bots by their role."},
        "sprt": _object(test, "Match and tune: the test."),
        "tune": _object(tune, "Tune: the tuned options."),
    }


def _fields(kind: type, *names: str) -> dict[str, Schema]:
    """Return the schemas of the fields of a dataclass, all or those named."""
    known: dict[str, Schema] = shape_of(kind)["properties"]
    return {name: known[name] for name in names or known}


def _list(items: Schema, description: str = "") -> Schema:
    said = {"description": description} if description else {}
    return {**said, "type": "array", "items": items}


def _object(properties: dict[str, Schema], description: str = "") -> Schema:
    said = {"description": description} if description else {}
    shape = {"type": "object", "properties": properties, "required": [*properties]}
    return {**said, **shape, "additionalProperties": False}
