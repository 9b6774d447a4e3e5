"""`arena run`: play a tournament, show its plan, store rulings or create a snapshot."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from lath.arena.cli.ending import (
    FAIL_ON,
    Failures,
    audience,
    events_of,
    print_end,
    resumable,
    unhurt_output,
)
from lath.arena.cli.help import Printed, Topic
from lath.arena.cli.main import (
    TIMES,
    App,
    BudgetOfRun,
    Cluster,
    HostsAlike,
    OpeningsAsOfRun,
    Quiet,
    Sandbox,
    argument,
    flag,
    games_option,
    jobs_option,
    option,
    positive,
    print_done,
    print_json,
    seconds,
    whole,
)
from lath.arena.cli.outputs import EVENTS, Target
from lath.arena.directory import CONFIG, OUTCOME, REPORT
from lath.arena.entrants.sizes import DEMO_GAMES
from lath.arena.errors import BUG, FAULT, ConfigError
from lath.arena.flows.requests import DEFAULT_FOLDER, RunRequest
from lath.arena.flows.runs import FILES, place_of, played, settled
from lath.arena.machine import signals
from lath.arena.machine.system import PATIENCE_S
from lath.arena.schedule.core import seed_digest
from lath.arena.schedule.formats import FORMATS
from lath.arena.terminal.layout import Output
from lath.arena.tournament.configuration.config import load_own
from lath.arena.tournament.outcome.notes import played_in
from lath.arena.tournament.run.events import Event, RunEnded, Waiting
from lath.arena.tournament.run.folder import rule
from lath.arena.tournament.run.progress import Progress
from lath.arena.tournament.store.rulings import Orders

app = App()


@app.command(
    example="arena run --bot greedy --bot random --game yavalath --rounds 2 --tc 'nodes 50'",
    statuses={
        0: "Every game is played, or the budget is used up",
        FAULT: "A bot was benched or cannot be added, a pairing was stopped, a game ended as "
        "named by --fail-on, or the directory is damaged, in use or not a tournament",
        BUG: "The report failed; everything else is written",
    },
    prints=(
        Printed(shape="the event `ended`", schema="events"),
        Printed(
            "format event played games seconds jobs plies noise sprt bots season match_days "
            "waits_for slow differences",
            when="With --plan",
        ),
        Printed("ruled written", when="For a ruling"),
        Printed("written", when="With --snapshot"),
    ),
)
def run(
    config: Annotated[
        Path | None,
        argument(
            "CONFIG.toml|DIR",
            "Configuration file of a tournament, or the directory of one.",
            default="the tournament in the directory of --output, or a demo",
        ),
    ] = None,
    bots: Annotated[
        list[str] | None,
        option(
            "--bot",
            "NAME=CMD",
            "Bundled bot by its NAME, or your bot as NAME=CMD; settings follow after ';'. "
            "Repeatable.",
            Topic.MOST_USED,
        ),
    ] = None,
    games: Annotated[
        list[str] | None,
        games_option(", ".join(DEMO_GAMES)),
    ] = None,
    format_: Annotated[
        str | None,
        option(
            "--format",
            "FORMAT",
            "Format of the tournament.",
            Topic.MOST_USED,
            choices=FORMATS,
            default="round-robin",
        ),
    ] = None,
    rounds: Annotated[
        int | None,
        positive(
            "--rounds",
            "Number of rounds. In a round, each pairing plays one opening per game type twice, "
            "with sides swapped.",
            Topic.MOST_USED,
            default="3, or 1 with CONFIG",
        ),
    ] = None,
    tc: Annotated[
        str | None,
        option("--tc", "TIME", f"Time control: {TIMES}.", Topic.MOST_USED, default="2+0.02"),
    ] = None,
    openings: OpeningsAsOfRun = None,
    jobs: Annotated[
        str | None,
        jobs_option("auto, or 1 with CONFIG"),
    ] = None,
    seed: Annotated[
        str | None,
        option(
            "--seed",
            "N|secret",
            "Random seed, or secret for a seed that nobody can guess.",
            Topic.MOST_USED,
            default="1",
        ),
    ] = None,
    budget: BudgetOfRun = None,
    out: Annotated[
        Path, option("--output -o", "DIR", "Directory of the tournament.", Topic.MOST_USED)
    ] = DEFAULT_FOLDER,
    unbench: Annotated[
        list[str] | None,
        option("--unbench", "NAME", "Benched bot that can play again. Repeatable.", Topic.GAMES),
    ] = None,
    bench_after: Annotated[
        int | None,
        option(
            "--bench-after",
            "N",
            "Crashes in a row after which a bot is benched (plays no more games), or 0 for never.",
            Topic.GAMES,
            default="5",
            **whole(0),
        ),
    ] = None,
    force: Annotated[
        bool, flag("--force", "Resume even if the files of a bot have changed.", Topic.GAMES)
    ] = False,
    challengers: Annotated[
        int | None,
        positive(
            "--challengers",
            "Gauntlet: number of challengers. They are the first bots, and each plays all bots "
            "that are not challengers.",
            Topic.PAIRING,
            default="1",
        ),
    ] = None,
    pairs: Annotated[
        int | None,
        positive(
            "--pairs",
            "Swiss and knockout: number of openings per game type when two bots meet.",
            Topic.PAIRING,
            default="1",
        ),
    ] = None,
    sprt: Annotated[
        str | None,
        option(
            "--sprt",
            "ELO0,ELO1[,ALPHA,BETA]",
            "Match: stop when an SPRT decides between a gain of ELO0 and a gain of ELO1.",
            Topic.PAIRING,
        ),
    ] = None,
    pin: Annotated[
        str | None,
        option(
            "--pin",
            "auto|off",
            "CPU cores reserved for each game, or not.",
            Topic.RESOURCES,
            default="auto",
        ),
    ] = None,
    disk_patience: Annotated[
        float,
        option(
            "--disk-patience",
            "SECONDS",
            "Longest wait for disk space, workers or other resources.",
            Topic.RESOURCES,
            **seconds(0),
        ),
    ] = PATIENCE_S,
    sandbox: Sandbox = None,
    cluster: Cluster = None,
    hosts_alike: HostsAlike = False,
    add: Annotated[
        list[str] | None,
        option(
            "--add",
            "NAME=CMD",
            "Pool: bot to add, or new version of a bot. Repeatable.",
            Topic.POOLS,
        ),
    ] = None,
    anyway: Annotated[
        bool,
        flag(
            "--anyway",
            "With --add: add the bot as benched if it cannot play.",
            Topic.POOLS,
        ),
    ] = False,
    retire: Annotated[
        list[str] | None,
        option("--retire", "NAME", "Pool: bot that plays no more games. Repeatable.", Topic.POOLS),
    ] = None,
    season: Annotated[
        str | None, option("--season", "NAME", "Pool: season to begin or resume.", Topic.POOLS)
    ] = None,
    match_day: Annotated[
        bool, flag("--match-day", "Pool: play only the next match day of the season.", Topic.POOLS)
    ] = False,
    void: Annotated[
        list[int] | None,
        option(
            "--void",
            "N",
            "Number of a game that does not count. Repeatable.",
            Topic.RULINGS,
            **whole(1),
        ),
    ] = None,
    disqualify: Annotated[
        list[str] | None,
        option("--disqualify", "BOT", "Bot whose games do not count. Repeatable.", Topic.RULINGS),
    ] = None,
    reinstate: Annotated[
        list[str] | None,
        option("--reinstate", "N|BOT", "Game or bot that counts again. Repeatable.", Topic.RULINGS),
    ] = None,
    reason: Annotated[
        str, option("--reason", "TEXT", "Reason for the ruling.", Topic.RULINGS)
    ] = "",
    anchors: Annotated[
        list[str] | None,
        option(
            "--anchor",
            "BOT=ELO",
            "Bot with a fixed Elo rating, stored in DIR; none removes all anchors. Repeatable.",
            Topic.RATINGS,
        ),
    ] = None,
    plan: Annotated[
        bool,
        flag(
            "--plan",
            "Print the expected number of games, time and precision; play nothing.",
            Topic.OUTPUT,
        ),
    ] = False,
    fail_on: Annotated[
        str,
        option(
            "--fail-on",
            "KIND,...",
            "Endings that make the command exit with status 1.",
            Topic.OUTPUT,
            choices=FAIL_ON,
        ),
    ] = "",
    log: Annotated[
        str | None,
        option(
            "--log",
            "bad|all",
            "Games whose logs are kept: those that ended with a failure (bad), or all.",
            Topic.OUTPUT,
            default="bad",
        ),
    ] = None,
    snapshot: Annotated[
        str | None,
        option(
            "--snapshot",
            "NAME",
            "Name for a copy of the tournament in DIR/snapshots; no game is played.",
            Topic.OUTPUT,
        ),
    ] = None,
    no_report: Annotated[
        bool, flag("--no-report", "Do not write the HTML report.", Topic.OUTPUT)
    ] = False,
    as_json: Annotated[
        bool,
        flag("--json", "Print how the run ended, or the plan, as a JSON object.", Topic.OUTPUT),
    ] = False,
    json_events: Annotated[
        bool, flag("--json-events", "Print events as JSON lines on standard output.", Topic.OUTPUT)
    ] = False,
    json_events_to: Annotated[
        Path | None,
        option("--json-events-to", "FILE", "File for the events as JSON lines.", Topic.OUTPUT),
    ] = None,
    quiet: Quiet = False,
    verbose: Annotated[
        bool, flag("--verbose -v", "Print a line per finished game.", Topic.OUTPUT)
    ] = False,
) -> None:
    """Play or resume a tournament.

    Run the same command again to resume. `arena run DIR` resumes the tournament in DIR, or plays
    DIR/tournament.toml. Options override the configuration.

    If you give bots with --bot but no CONFIG, the arena plays a tournament with the defaults below.
    If you give neither, it plays a demo with bundled bots.
    """
    request = RunRequest(
        config=config,
        out=out,
        bots=bots,
        add=add,
        anyway=anyway,
        retire=retire,
        games=games,
        rounds=rounds,
        tc=tc,
        jobs=jobs,
        seed=seed,
        format=format_,
        challengers=challengers,
        pairs=pairs,
        sprt=sprt,
        openings=openings,
        budget=budget,
        pin=pin,
        sandbox=sandbox,
        cluster=cluster,
        hosts_alike=hosts_alike,
        anchors=anchors,
        bench_after=bench_after,
        unbench=unbench,
        log=log,
        season=season,
        match_day=match_day,
        force=force,
        report=not no_report,
        disk_patience=disk_patience,
    )
    orders = Orders(
        void=tuple(void or ()),
        disqualify=tuple(disqualify or ()),
        reinstate=tuple(reinstate or ()),
        reason=" ".join(reason.split()),
    )
    orders.check()
    if json_events and json_events_to is None and as_json:
        raise ConfigError(
            "--json: cannot be combined with --json-events", hint="--json-events-to FILE"
        )
    events = _events_to(json_events_to, config, force=force)
    failures = Failures(fail_on)
    if orders or snapshot is not None:
        done, lines = _decided(request, orders, snapshot, is_plan=plan)
        print_done(done, *lines, as_json=as_json, quiet=quiet)
    elif plan:
        print_planned(request, as_json=as_json, quiet=quiet)
    else:
        printed = _Printed(as_json=as_json, events=json_events, quiet=quiet, verbose=verbose)
        raise typer.Exit(_play(request, printed, events, failures))


class _Printed(NamedTuple):
    """The output that a run prints for programs."""

    as_json: bool
    """True to print a JSON object at the end."""

    events: bool
    """True to write events as JSON lines, on standard output or to a file."""

    quiet: bool
    verbose: bool


def _play(request: RunRequest, printed: _Printed, events: Target | None, failures: Failures) -> int:
    """Play the tournament and return the exit status; raises ArenaError."""
    is_for_programs = printed.as_json or (printed.events and events is None)
    watching = audience(
        quiet=printed.quiet,
        verbose=printed.verbose,
        is_shared=is_for_programs and sys.stdout.isatty(),
    )
    tournament, out = settled(request, watching.tell)
    watching.close()  # before bots start in this process; and workers may die
    progress = Progress(tournament)
    progress.listeners.extend([failures, *[_print_ended] * printed.as_json])
    with (
        events_of(progress, to_stdout=printed.events, output=events),
        resumable(out, tournament.text),
    ):
        summary, _ = played(request, tournament, out, watching, progress)
        status = print_end(
            summary,
            progress,
            out,
            quiet=printed.quiet,
            with_report=request.report,
            to_stdout=not is_for_programs,
        )
        status = failures.status(status, out)
        if summary.is_complete and not printed.quiet:
            seed = f"{tournament.seed} (SHA-256 {seed_digest(tournament.seed)})"
            print(f"seed: {seed}", file=sys.stderr)
        files = {name: str((out / name).resolve()) for name in FILES if (out / name).is_file()}
        progress(progress.ended(summary, status, files))
    if summary.unreported is not None:
        raise summary.unreported  # a bug, whose traceback is printed
    return status


def _events_to(path: Path | None, config: Path | None, *, force: bool) -> Target | None:
    """Return the file for events; raises ConfigError if writing it would destroy other data."""
    if path is None:
        return None
    inputs = [config] if config and config.is_file() else []
    target = Target(path=path, kind=EVENTS, flag="--json-events-to", inputs=inputs, force=force)
    target.refuse()
    return target


def _print_ended(event: Event | Waiting) -> None:
    """Print the end of a run as JSON."""
    if isinstance(event, RunEnded):
        with unhurt_output("how it ended"):
            print_json(asdict(event))


def _decided(
    request: RunRequest, orders: Orders, snapshot: str | None, *, is_plan: bool
) -> tuple[Mapping[str, object], Sequence[str]]:
    """Store rulings on games or create a snapshot.

    Returns what was done, as JSON data and as lines.
    """
    what = "ruling" if orders else "--snapshot"
    config, out = place_of(request)
    if config is not None or not (own := out / CONFIG).is_file():
        raise ConfigError(f"{what}: needs the folder of a tournament that was played")
    changes = request.keys() or request.add or request.retire or request.match_day
    if changes or is_plan or (orders and snapshot is not None):
        raise ConfigError(
            f"{what}: cannot be combined with options that play or change anything else"
        )
    tournament = load_own(own, played=played_in(out))
    if snapshot is not None:
        from lath.arena.tournament.run.snapshots import freeze  # start-up time

        place = freeze(tournament, out, snapshot, with_report=request.report)
        words = f"{place}: the snapshot {snapshot!r}, which later runs do not change"
        return {"written": [str(place)]}, [words]
    given, summary = rule(tournament, out, orders, with_report=request.report)
    ruled = [ruling.words for ruling in given]
    if summary.unreported is not None:
        raise summary.unreported
    names = [OUTCOME, "standings.json", "standings.csv", *([REPORT] if request.report else [])]
    lines = [f"ruled: {words}: {orders.reason}" for words in ruled]
    done: Mapping[str, object] = {"ruled": ruled, "written": [str(out / name) for name in names]}
    return done, [*lines, f"{out}: {', '.join(names)} were written again"]


def print_planned(request: RunRequest, *, as_json: bool, quiet: bool) -> None:
    """Print the expected games, time and precision of a tournament; raises ArenaError."""
    from lath.arena.tournament.run.plan import planned  # start-up time

    if request.cluster is not None:
        raise ConfigError("--plan: cannot be combined with --cluster", hint="--plan --jobs N")
    # A plan does not start new bots.
    tournament, out = settled(replace(request, anyway=True), audience(quiet=quiet).tell)
    with signals.interruptible():
        found = planned(tournament, out, request.allowed)
    if as_json:
        print_json(asdict(found))
        return
    from lath.arena.terminal.plan import print_plan  # start-up time

    print_plan(found, Output(to_stdout=True))
