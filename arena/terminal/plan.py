"""The output of `arena run --plan`: games, time, and the expected precision of the ratings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lath.arena.terminal.layout import LayoutColumn, Output, span
from lath.arena.terminal.tables import print_waiting
from lath.games.errors import count_of
from lath.reports.counting.columns import likelihood
from lath.reports.event.seasons import pairing_words

if TYPE_CHECKING:
    from lath.arena.tournament.run.plan import Plan
    from lath.reports.metrics.power import Needed


def print_plan(plan: Plan, output: Output) -> None:
    """Print the expected games and time of a tournament, and the expected precision."""
    least, most = plan.games
    games = count_of(most, "game") if least == most else f"{least} to {count_of(most, 'game')}"
    so_far = f", {plan.played} are played" if plan.played else ""
    output.words(f"{plan.event}, a {plan.format}: {games} to play{so_far}")
    output.words(_plan_time(plan), *plan.slow)
    if plan.season:
        output.title(f"Season {plan.season}")
        output.words(*map(pairing_words, plan.match_days))
        if plan.waits_for:
            print_waiting(plan.waits_for, output)
        elif not plan.match_days:
            output.words("all match days are played")
    if plan.sprt is not None:
        expected = (
            f"{games} games at {elo:+g} Elo"
            for elo, games in zip(plan.sprt.elo, plan.sprt.games, strict=True)
        )
        output.words(f"average length of the test: {', '.join(expected)}")
        likely = (
            f"{likelihood(chance)} at {elo:+g} Elo"
            for elo, chance in zip(plan.sprt.elo, plan.sprt.within, strict=True)
        )
        output.words(
            f"probability of a decision within {plan.sprt.most} games: {', '.join(likely)}"
        )
    if not plan.bots:  # a tuning rates no bots
        return
    now = [
        LayoutColumn("played", [str(bot.played) for bot in plan.bots], rank=2),
        LayoutColumn("now", [_half_width(bot.now) for bot in plan.bots], rank=1),
    ]
    columns = [
        LayoutColumn("bot", [bot.name for bot in plan.bots], kind="name"),
        *(now if plan.played else []),
        LayoutColumn("games", [str(bot.games) for bot in plan.bots]),
        LayoutColumn("opponents", [str(bot.opponents) for bot in plan.bots], rank=3),
        LayoutColumn("Elo", [_half_width(bot.then) for bot in plan.bots]),
        LayoutColumn("games for ±20", [_about(bot.games_for_aim) for bot in plan.bots], rank=1),
    ]
    both = (
        "the difference between the two bots"
        if len(plan.bots) == 2
        else "each bot against the mean of all"
    )
    output.table(f"Expected 95% intervals of {both}", columns)
    output.words(_plan_noise(plan))
    _print_differences(plan.differences, output)


def _print_differences(differences: Sequence[Needed], output: Output) -> None:
    """Print the games needed to detect differences between game types, with the assumptions."""
    by_game: dict[str, list[Needed]] = {}
    for each in differences:
        by_game.setdefault(each.game, []).append(each)
    rows = list(by_game.values())
    titles = ("first-move advantage, 10 points", "length, 10%", "drama, 10 points")
    columns = [
        LayoutColumn("game", list(by_game), kind="name"),
        *(
            LayoutColumn(title, [f"{row[at].games or '-'}" for row in rows])
            for at, title in enumerate(titles)
        ),
    ]
    output.table("Games needed to detect a difference between two game types", columns)
    output.words("for 80% power at 5% significance (two-sided), testing this metric alone")
    if assumed := [each.game for each in differences if each.assumed]:
        output.words(
            f"{', '.join(assumed)}: the advantage assumes no draws, which gives the widest interval"
        )
    whys: dict[tuple[str, str], list[str]] = {}
    for each in differences:
        if each.why:
            name = {"plies": "length"}.get(each.measure, each.measure)
            whys.setdefault((each.game, each.why), []).append(name)
    for (game, why), names in whys.items():
        output.words(f"{game}, {' and '.join(names)}: {why}")


def _half_width(elo: float | None) -> str:
    return "-" if elo is None else f"±{elo:.0f}"


def _about(number: int | None) -> str:
    """Return a number rounded to two digits.

    >>> _about(2321), _about(None)
    ('2300', '-')
    """
    return "-" if number is None else f"{float(f'{number:.2g}'):.0f}"


def _plan_time(plan: Plan) -> str:
    """Return the expected time with its assumptions."""
    if plan.seconds is None:
        return "time: unknown without a time limit. Play some games, then plan again"
    low, high = map(span, plan.seconds)
    at_once = "one game at a time" if plan.jobs == 1 else f"{plan.jobs} concurrent games"
    why = "as fast as the games so far"
    if plan.plies is not None:
        shortest, longest = plan.plies
        why = (
            f"assuming {shortest:.0f} to {longest:.0f} plies per game and bots that use their time"
        )
    return f"time: {low if low == high else f'{low} to {high}'}, {at_once}, {why}"


def _plan_noise(plan: Plan) -> str:
    """Return the assumptions behind the intervals."""
    if not plan.played:
        return (
            "assuming equal bots and 10% draws; intervals are one sixth wider at a score of 75%, "
            "and two thirds wider at 90%"
        )
    words = "assuming the strengths and draw rate of the games so far"
    if plan.noise is None:
        return words
    return f"{words}; intervals are {plan.noise:.2f} times those of independent games"
