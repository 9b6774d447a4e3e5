"""`arena match`: the output of a match, and its result in sentences."""

from __future__ import annotations

import json
import shlex
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

import typer

from lath.arena.cli.ending import (
    audience,
    fault_words,
    print_end_words,
    print_faults,
    tell_report,
    unhurt_output,
)
from lath.arena.cli.help import LIST, Printed, Topic
from lath.arena.cli.main import (
    TIMES,
    App,
    AsJson,
    Cluster,
    GamesAtOnce,
    HostsAlike,
    OpeningsAsOfRun,
    Quiet,
    Sandbox,
    TestedElo,
    argument,
    games_option,
    option,
    whole,
)
from lath.arena.cli.offers import LONGER, match_command
from lath.arena.errors import BETTER, FAULT, INTERRUPTED, NOT_BETTER, UNDECIDED
from lath.arena.flows.matches import PlayedMatch, held, verdict_of
from lath.arena.flows.requests import BUDGET, SPRT, MatchRequest
from lath.arena.schedule.sprt import score_of
from lath.arena.terminal.layout import Output
from lath.arena.terminal.notices import INTERRUPTION, print_note
from lath.arena.tournament.outcome.outcomes import verdict_words, with_reason
from lath.arena.tournament.outcome.sources import records_of
from lath.arena.tournament.run.progress import mishaps_words
from lath.games.core import Side
from lath.games.errors import count_of
from lath.notation.record.record import Record
from lath.notation.text.suggestions import is_game

app = App()


def _sentences(played: PlayedMatch) -> Iterator[str]:
    """Yield sentences on the result of a match for the bot in question."""
    test, (old, new) = played.summary.outcome.data["sprt"], played.names
    if unable := list(played.summary.unable(played.names)):
        yield from unable
        return
    verdict = verdict_words((new, old), test, of_old=played.is_of_old)
    mishaps = mishaps_words(played.summary.bots, played.names)
    yield with_reason(verdict, test["why_nothing_new"]) + mishaps
    if played.is_of_old:
        test, new = _turned(test), old
    games = f"of {2 * sum(test['counts'])} games"
    if test["worth"] < 1:
        games += f" (worth {2 * test['worth'] * sum(test['counts']):.0f} different games)"
    if test["elo"] is not None:
        low, high = (
            "unbounded" if elo is None else f"{elo:+.0f}"
            for elo in (test["elo_low"], test["elo_high"])
        )
        score = f"expected score {score_of(test['elo']):.1%}"
        yield f"{score}, {test['elo']:+.0f} Elo (95%: {low} to {high}){_timed(played)}, {games}"
    elif any(test["counts"]):
        end = test["elo_low"] if test["counts"][4] else test["elo_high"]
        bound = (
            "" if end is None else f", at {'least' if test['counts'][4] else 'most'} {end:+.0f} Elo"
        )
        won = "won" if test["counts"][4] else "lost"
        yield f"{new} has {won} all {games}{bound}{_timed(played)}"


def _timed(played: PlayedMatch) -> str:
    """Return text on the clock of the match, or on each bot's clock if they differ."""
    clocks = dict.fromkeys(played.clocks)
    if len(clocks) < 2:
        return "".join(f", clock {clock}" for clock in clocks)
    both = zip(played.names, played.clocks, strict=True)
    return ", " + ", ".join(f"clock of {name} {clock}" for name, clock in both)


def _turned(test: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the figures of a test as seen from the old bot's side."""
    elo, low, high = (
        None if test[key] is None else 0.0 - test[key] for key in ("elo", "elo_high", "elo_low")
    )
    return {
        **test,
        "counts": test["counts"][::-1],
        "elo": elo,
        "elo_low": low,
        "elo_high": high,
    }


def _losses(records: Iterable[object], new: str, games: int) -> Iterator[str]:
    """Yield sentences on where the new bot lost points: its side, game type and worst opening.

    Only the games numbered up to `games` count; later ones ended after the verdict.
    """
    scores: dict[str, Counter[str]] = {}
    for record in records:
        if not isinstance(record, Record) or int(record.tag("Number") or 0) > games:
            continue
        side = Side.FIRST if record.first == new else Side.SECOND
        half = int(2 * record.result.points[side])
        opening = record.tag("Opening") or record.tag("Setup") or "its start"
        for key in (f"as {side.word}", f"at {record.game}", f"at {record.game} from {opening}"):
            scores.setdefault(key, Counter()).update(games=1, halves=half)

    def words(key: str) -> str:
        one = scores[key]
        return f"{one['halves'] / 2 / one['games']:.0%} {key} ({count_of(one['games'], 'game')})"

    seats = [f"as {seat}" for seat in ("first", "second") if f"as {seat}" in scores]
    played = [key for key in scores if is_game(key.removeprefix("at "))]
    if seats:
        yield f"{new} scored {', '.join(map(words, seats))}"
    if len(played) > 1:
        worst = min(played, key=lambda key: scores[key]["halves"] / scores[key]["games"])
        yield f"least: {words(worst)}"
    starts = [key for key in scores if key not in seats and key not in played]
    if len(starts) > len(played):
        lost = {key: 2 * scores[key]["games"] - scores[key]["halves"] for key in starts}
        worst = max(starts, key=lambda key: lost[key] - scores[key]["halves"])
        if lost[worst] > scores[worst]["halves"]:
            yield f"least from one opening: {words(worst)}"


def _print_verdict(played: PlayedMatch, *, as_json: bool, quiet: bool) -> None:
    names, is_of_old, out, summary, *_ = played
    with unhurt_output("the verdict"):
        if as_json:
            print(_as_json(summary.outcome.data["sprt"], played))
            return
        print(*_sentences(played), sep="\n")
        if quiet:
            return
        games = records_of([out], rules=False)
        losses = _losses(games, names[not is_of_old], summary.outcome.total)
        for words in chain(losses, fault_words(summary)):
            print(words)
    print_faults(summary, out, Output(to_stdout=True, of_run=True))


def _as_json(test: Mapping[str, Any], played: PlayedMatch) -> str:
    elo, summary, names = test["elo"], played.summary, played.names
    is_void = any(summary.unable(names))
    return json.dumps(
        {
            "verdict": None if is_void else verdict_of(test)[1],
            "clocks": dict(zip(names, played.clocks, strict=True)),
            **dict(zip(("old", "new"), names, strict=True)),
            "score": None if elo is None else round(score_of(elo), 6),
            **{key: test[key] for key in ("elo", "elo_low", "elo_high", "llr")},
            "games": 2 * sum(test["counts"]),
            "lost_by": {bot.name: dict(bot.lost_by) for bot in summary.bots},
            "folder": str(played.folder),
        },
        indent=2,
        ensure_ascii=False,
    )


@app.command(
    example="arena match random greedy --game yavalath --tc 'nodes 50' --budget 8",
    statuses={
        FAULT: "A build fails, a revision cannot be checked out, or a bot cannot be started or "
        "makes no move",
        BETTER: "NEW is better",
        NOT_BETTER: "NEW is not better than OLD by ELO1",
        UNDECIDED: "Undecided",
    },
    prints=(
        Printed("verdict clocks old new score elo elo_low elo_high llr games lost_by folder"),
        Printed(
            "bot game level says elo elo_low elo_high clock is_measured games lost_by folder",
            LIST,
            "For a BOT alone",
        ),
    ),
)
def match(
    old: Annotated[str, argument("BOT|OLD", "Folder, file, command, bundled bot or git revision.")],
    new: Annotated[
        str | None, argument("NEW", "Bot to compare with OLD; NAME=NEW gives it a name.")
    ] = None,
    games: Annotated[
        list[str] | None,
        games_option("those in NEW's tournament.toml, or all that both bots play"),
    ] = None,
    tc: Annotated[
        str,
        option(
            "--tc",
            "TIME",
            f"Time control: {TIMES}.",
            Topic.MOST_USED,
            default="0.5+0.01 with 1 s for the first move, or the contest protocol's",
        ),
    ] = "",
    budget: Annotated[
        str,
        option(
            "--budget",
            "N|TIME",
            "Limit of this run: N games, or a time such as 90s, 10m or 2h.",
            Topic.MOST_USED,
        ),
    ] = BUDGET,
    sprt: TestedElo = SPRT,
    jobs: GamesAtOnce = None,
    out: Annotated[
        Path | None,
        option(
            "--output -o",
            "DIR",
            "Directory of the match.",
            Topic.MOST_USED,
            default="a folder in ~/.local/state/lath-arena/matches",
        ),
    ] = None,
    build: Annotated[
        str,
        option(
            "--build",
            "CMD",
            "Shell command that builds the bot of a git revision, or of a copied folder.",
            Topic.GAMES,
        ),
    ] = "",
    run: Annotated[
        str,
        option(
            "--run", "CMD", "Command that starts the bot of a folder or git revision.", Topic.GAMES
        ),
    ] = "",
    openings: OpeningsAsOfRun = None,
    seed: Annotated[int, option("--seed", "N", "Random seed.", Topic.PAIRING, **whole(0))] = 1,
    sandbox: Sandbox = None,
    cluster: Cluster = None,
    hosts_alike: HostsAlike = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Compare two bots, or find the level of one.

    NEW and OLD play pairs of games until the test decides or the budget runs out. If you give only
    BOT, it plays against levels of the bundled bots, and the result is the nearest level.

    Run the same command again to continue, even with another --budget. If you change a bot, or an
    option that affects the games, a new match starts.
    """
    request = MatchRequest(
        old,
        new,
        build=build,
        run=run,
        games=games,
        tc=tc,
        budget=budget,
        sprt=sprt,
        openings=openings,
        seed=seed,
        jobs=jobs,
        sandbox=sandbox,
        cluster=cluster,
        hosts_alike=hosts_alike,
        out=out,
    )
    watching = audience(quiet=quiet)
    if new is None:
        from lath.arena.cli.placing import told  # start-up time

        raise typer.Exit(told(request, watching, as_json=as_json, quiet=quiet))
    raise typer.Exit(_told(held(request, watching), request, as_json=as_json, quiet=quiet))


def _told(played: PlayedMatch, request: MatchRequest, *, as_json: bool, quiet: bool) -> int:
    """Print the result of a match and return the exit status."""
    names, is_of_old, out, summary, progress, _ = played
    is_void = any(summary.unable(names))
    test = summary.outcome.data["sprt"]
    _print_verdict(played, as_json=as_json, quiet=quiet)
    print_end_words(summary, progress)
    if not quiet:
        folder = shlex.quote(str(out))
        halves = sum((number - 2) * count for number, count in enumerate(test["counts"]))
        if not is_void and (halves > 0 if is_of_old else halves < 0):  # scored less than half
            mine = shlex.quote(names[not is_of_old])
            print(f"analyse its losses: arena explain {mine} {folder}", file=sys.stderr)
        print(f"more statistics: arena rate {folder}", file=sys.stderr)
    if summary.unreported is not None:
        raise summary.unreported  # a bug, whose traceback is printed
    status, _ = verdict_of(test)
    if summary.interrupted:
        print_note(INTERRUPTION)
        status = INTERRUPTED
    elif summary.stopped or is_void:
        status = FAULT
    elif status == UNDECIDED and not (quiet or test["has_stopped"]):
        print(f"play longer: {match_command(request, budget=LONGER)}", file=sys.stderr)
    if not quiet:
        tell_report(out, "-".join(names), is_named=request.out is not None)
    return status
