"""`arena tune`: the output of a tuning, and its result in sentences."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from lath.arena.cli.ending import audience, print_end_words, print_faults, unhurt_output
from lath.arena.cli.help import Printed, Topic
from lath.arena.cli.main import (
    TIMES,
    App,
    AsJson,
    BudgetOfRun,
    Cluster,
    GamesAtOnce,
    HostsAlike,
    OpeningsAsOfRun,
    Quiet,
    Sandbox,
    TestedElo,
    argument,
    option,
    positive,
    seconds,
    whole,
)
from lath.arena.entrants.flags import flag_of
from lath.arena.entrants.programs import bundled, resolve
from lath.arena.entrants.sizes import MOST_AHEAD
from lath.arena.errors import BETTER, FAULT, INTERRUPTED, NOT_BETTER, UNDECIDED
from lath.arena.flows.requests import TuneRequest
from lath.arena.flows.tuning import TuningEnd, held, values_of, verdict_of
from lath.arena.terminal.layout import Output
from lath.arena.terminal.notices import print_note
from lath.arena.terminal.tables import print_outcome
from lath.reports.counting.standings import TRIALS

app = App()


@app.command(
    example="arena tune mcts --option exploration=5..200 --game yavalath --tc 'nodes 50' "
    "--pairs 4 --sprt-pairs 2",
    statuses={
        BETTER: "The bot is better with the values found",
        NOT_BETTER: "The bot is not better with the values found",
        UNDECIDED: "Undecided",
    },
    prints=(Printed("verdict values start pairs elo elo_low elo_high llr folder"),),
)
def tune(
    bot: Annotated[
        str,
        argument(
            "BOT|DIR",
            "Folder, file, command or bundled bot; or the directory of a tuning to resume.",
        ),
    ],
    options: Annotated[
        list[str] | None,
        option(
            "--option",
            "NAME=LOW..HIGH",
            "Option of the bot and its range. 'from START' and 'step STEP' can follow. Repeatable.",
            Topic.MOST_USED,
        ),
    ] = None,
    games: Annotated[
        list[str] | None,
        option("--game", "GAME", "Game type to play, or its file. Repeatable.", Topic.MOST_USED),
    ] = None,
    pairs: Annotated[
        int | None,
        positive("--pairs", "Number of pairs of trial games.", Topic.MOST_USED, default="500"),
    ] = None,
    tc: Annotated[
        str | None,
        option(
            "--tc",
            "TIME",
            f"Time control: {TIMES}.",
            Topic.MOST_USED,
            default="0.5+0.01 with 1 s for the first move",
        ),
    ] = None,
    jobs: GamesAtOnce = None,
    budget: BudgetOfRun = None,
    out: Annotated[
        Path | None,
        option("--output -o", "DIR", "Directory of the tuning.", Topic.MOST_USED, default="tuning"),
    ] = None,
    sprt: TestedElo = None,
    openings: OpeningsAsOfRun = None,
    seed: Annotated[
        int | None, option("--seed", "N", "Random seed.", Topic.PAIRING, default="1", **whole(0))
    ] = None,
    sprt_pairs: Annotated[
        int | None,
        positive(
            "--sprt-pairs",
            "Maximum number of pairs in the final test.",
            Topic.PAIRING,
            default="500",
        ),
    ] = None,
    rate: Annotated[
        float | None,
        option(
            "--rate",
            "R",
            "Change of an option per won game near the end, in units of its step.",
            Topic.PAIRING,
            default="1 / sqrt(pairs)",
            **seconds(0.0, 100.0),
        ),
    ] = None,
    ahead: Annotated[
        int | None,
        option(
            "--ahead",
            "N",
            "Number of pairs started before the first result is used.",
            Topic.PAIRING,
            default="16",
            **whole(1, MOST_AHEAD),
        ),
    ] = None,
    sandbox: Sandbox = None,
    cluster: Cluster = None,
    hosts_alike: HostsAlike = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Find stronger values for a bot's options.

    The arena changes the values during trial games. Then it tests the values it found, and prints
    them in the form that --bot accepts. Run the same command again, or `arena tune DIR`, to resume.
    """
    request = TuneRequest(
        bot,
        options,
        games=games,
        pairs=pairs,
        sprt_pairs=sprt_pairs,
        rate=rate,
        ahead=ahead,
        tc=tc,
        sprt=sprt,
        openings=openings,
        budget=budget,
        seed=seed,
        jobs=jobs,
        sandbox=sandbox,
        cluster=cluster,
        hosts_alike=hosts_alike,
        out=out,
    )
    raise typer.Exit(_told(held(request, audience(quiet=quiet)), as_json=as_json, quiet=quiet))


def _told(ended: TuningEnd, *, as_json: bool, quiet: bool) -> int:
    """Print the result of a tuning and return the exit status."""
    _, out, summary, progress = ended
    command = f"arena tune {shlex.quote(str(out))}"
    with unhurt_output("what it came to"):
        if as_json:
            print(_as_json(ended))
        else:
            _print_result(ended, quiet=quiet)
    if not (as_json or quiet):
        print_faults(summary, out, Output(to_stdout=True, of_run=True))
    print_end_words(summary, progress)
    if not quiet and summary.unreported is None:
        print(f"report: {out / 'report.html'}", file=sys.stderr)
    if summary.unreported is not None:
        raise summary.unreported  # a bug, whose traceback is printed
    if summary.interrupted:
        print_note("interrupted", hint=f"resume with: {command}")
        return INTERRUPTED
    if summary.stopped:
        return FAULT
    status, _ = verdict_of(summary.outcome.data)
    if status == UNDECIDED and not quiet:
        more = "" if summary.is_spent else " --sprt-pairs N, for more"
        print_note("not decided yet", hint=f"continue with: {command}{more}")
    return status


def _print_result(ended: TuningEnd, *, quiet: bool) -> None:
    outcome = ended.summary.outcome
    status, word = verdict_of(outcome.data)
    said = outcome.verdict or "nothing is tested yet"
    print(said if status == UNDECIDED and outcome.verdict else f"{word}: {said}")
    if not quiet:
        output = Output(to_stdout=True, of_run=True)
        print_outcome(outcome, output)
        output.words(TRIALS)
    print(f"--bot {shlex.quote(flag_of(_tuned_table(ended)))}")


def _tuned_table(ended: TuningEnd) -> dict[str, Any]:
    """Return the bot's table with the tuned values."""
    config = ended.progress.config
    row, spec = dict(config.given["bot"][1]), config.bots[1]
    known = [name for name, words in bundled().items() if resolve(words, Path()) == spec.command]
    row["command"] = [known[0]] if known else list(spec.command)
    if known and known[0] == spec.name:
        del row["command"]
    options = {**spec.options, **values_of(ended.summary.outcome.data)}
    return {**row, **({"options": options} if options else {})}


def _as_json(ended: TuningEnd) -> str:
    data: Mapping[str, Any] = ended.summary.outcome.data
    test = data.get("sprt")
    return json.dumps(
        {
            "verdict": verdict_of(data)[1],
            "values": values_of(data),
            "start": {each["name"]: each["start"] for each in data["tune"]["options"]},
            "pairs": {"tuning": data["tune"]["done"], "test": sum(test["counts"]) if test else 0},
            **{key: test[key] if test else None for key in ("elo", "elo_low", "elo_high", "llr")},
            "folder": str(ended.folder),
        },
        indent=2,
        ensure_ascii=False,
    )
