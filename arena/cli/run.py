"""`arena run`: a tournament's configuration from file and flags; plans, rulings, snapshots."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from lath.arena.cli.ending import (
    Failures,
    audience,
    events_of,
    print_end,
    resumable,
    unhurt_output,
)
from lath.arena.cli.main import (
    App,
    BudgetOfRun,
    Cluster,
    GamesAtOnce,
    HostsAlike,
    PlayedGames,
    Quiet,
    Sandbox,
    argument,
    flag,
    option,
    positive,
    print_done,
    print_json,
    seconds,
    whole,
)
from lath.arena.cli.outputs import EVENTS, Target
from lath.arena.directory import CONFIG, OUTCOME, REPORT
from lath.arena.errors import ConfigError
from lath.arena.flows.requests import DEFAULT_FOLDER, RunRequest
from lath.arena.flows.runs import FILES, place_of, played, settled
from lath.arena.machine import signals
from lath.arena.machine.system import PATIENCE_S
from lath.arena.schedule.core import seed_digest
from lath.arena.terminal.layout import Output
from lath.arena.tournament.configuration.config import load_own
from lath.arena.tournament.outcome.notes import played_in
from lath.arena.tournament.run.events import Event, RunEnded, Waiting
from lath.arena.tournament.run.folder import rule
from lath.arena.tournament.run.progress import Progress
from lath.arena.tournament.store.rulings import Orders

app = App()


@app.command()
def run(
    config: Annotated[
        Path | None,
        argument("CONFIG.toml|DIR", "The tournament, or where it is; else the built-in demo."),
    ] = None,
    out: Annotated[
        Path, option("--output -o", "DIR", "Where everything is written.")
    ] = DEFAULT_FOLDER,
    bots: Annotated[
        list[str] | None,
        option("--bot", "NAME=CMD", "A bot, NAME for a bundled one, settings after a ;"),
    ] = None,
    add: Annotated[
        list[str] | None, option("--add", "NAME=CMD", "Pool: a bot that comes, or another version.")
    ] = None,
    anyway: Annotated[
        bool, flag("--anyway", "Add a bot with --add even if it cannot play yet.")
    ] = False,
    retire: Annotated[
        list[str] | None, option("--retire", "NAME", "Pool: a bot that plays no more.")
    ] = None,
    games: PlayedGames = None,
    rounds: Annotated[int | None, positive("--rounds", "Rounds.")] = None,
    tc: Annotated[
        str | None,
        option(
            "--tc",
            "TIME",
            "10+0.1 (seconds), 'move 0.5', 'nodes 1000' or none; 'move 0.05 first 1'.",
        ),
    ] = None,
    jobs: GamesAtOnce = None,
    seed: Annotated[
        str | None, option("--seed", "N", "Random seed, or secret for an unguessable one.")
    ] = None,
    format_: Annotated[
        str | None,
        option("--format", "F", "round-robin, gauntlet, swiss, knockout, match, tune or pool."),
    ] = None,
    challengers: Annotated[
        int | None, positive("--challengers", "Gauntlet: the first N bots.")
    ] = None,
    pairs: Annotated[
        int | None, positive("--pairs", "Swiss, knockout: setups per game and encounter.")
    ] = None,
    sprt: Annotated[
        str | None, option("--sprt", "ELO0,ELO1[,ALPHA,BETA]", "Match: when it is decided.")
    ] = None,
    openings: Annotated[
        str | None,
        option(
            "--openings",
            "random:N|FILE[:N]",
            "Where games begin: after N plies at random, or of it.",
        ),
    ] = None,
    budget: BudgetOfRun = None,
    plan: Annotated[
        bool, flag("--plan", "Play nothing: say how many games, how long, and how sure.")
    ] = False,
    as_json: Annotated[
        bool, flag("--json", "Print how the run ended, or the plan, as a JSON object.")
    ] = False,
    fail_on: Annotated[
        str, option("--fail-on", "WHAT,WHAT", "Status 1 for a crash, flood, illegal or time loss.")
    ] = "",
    pin: Annotated[
        str | None, option("--pin", "auto|off", "auto: each game has cores of its own.")
    ] = None,
    sandbox: Sandbox = None,
    cluster: Cluster = None,
    hosts_alike: HostsAlike = False,
    anchors: Annotated[
        list[str] | None,
        option("--anchor", "BOT=ELO", "A bot whose Elo is given, stored; or none."),
    ] = None,
    bench_after: Annotated[
        int | None,
        option(
            "--bench-after",
            "N",
            "Bench a bot after N crashes in a row, or 0 for never.",
            **whole(0),
        ),
    ] = None,
    unbench: Annotated[
        list[str] | None, option("--unbench", "NAME", "Let a benched bot play again.")
    ] = None,
    log: Annotated[str | None, option("--log", "bad|all", "Games whose bot logs are kept.")] = None,
    void: Annotated[
        list[int] | None, option("--void", "N", "Rule that game N counts for nothing.", **whole(1))
    ] = None,
    disqualify: Annotated[
        list[str] | None, option("--disqualify", "BOT", "Rule that no game of BOT counts.")
    ] = None,
    reinstate: Annotated[
        list[str] | None, option("--reinstate", "N|BOT", "Take a ruling back.")
    ] = None,
    reason: Annotated[str, option("--reason", "TEXT", "Why it is ruled so.")] = "",
    season: Annotated[
        str | None, option("--season", "NAME", "Pool: begin a season, whose table starts at zero.")
    ] = None,
    match_day: Annotated[
        bool, flag("--match-day", "Pool: play the next match day of the season, and end.")
    ] = False,
    snapshot: Annotated[
        str | None,
        option("--snapshot", "NAME", "Keep a copy in DIR/snapshots, and end."),
    ] = None,
    force: Annotated[bool, flag("--force", "Resume even if a bot's files have changed.")] = False,
    no_report: Annotated[
        bool, flag("--no-report", "Write no HTML report; `arena report` makes one later.")
    ] = False,
    json_events: Annotated[
        bool, flag("--json-events", "Print what happens as JSON lines.")
    ] = False,
    json_events_to: Annotated[
        Path | None, option("--json-events-to", "FILE", "Write them to a file instead.")
    ] = None,
    disk_patience: Annotated[
        float,
        option(
            "--disk-patience",
            "SECONDS",
            "How long to wait for room on a full disk, workers, or what else is lacking.",
            **seconds(0),
        ),
    ] = PATIENCE_S,
    quiet: Quiet = False,
    verbose: Annotated[bool, flag("--verbose -v", "Report every game that ends.")] = False,
) -> None:
    """Play a tournament, or resume one.

    Run the same command again to resume.

    Exit status 0 if every game is played, or all that --budget allows. 1 if a bot was benched, a
    pairing was stopped, or a game ended as in --fail-on. 3 after Ctrl-C, 4 if the report failed. 5
    if the machine lacks disk, memory, processes or cluster workers: no bot loses by it, and the
    same command resumes later.

    Example: arena run --bot greedy --bot mine="node mybot.js" --game yavalath --rounds 10
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
    """What is printed of a run."""

    as_json: bool
    """Whether that is a JSON object of how it ended."""

    events: bool
    """Whether that is what happens, as JSON lines, on standard output or to a file."""

    quiet: bool
    verbose: bool


def _play(request: RunRequest, printed: _Printed, events: Target | None, failures: Failures) -> int:
    """Play what is asked for, and return the exit status; raises ArenaError."""
    is_for_programs = printed.as_json or (printed.events and events is None)
    watching = audience(
        quiet=printed.quiet,
        verbose=printed.verbose,
        is_shared=is_for_programs and sys.stdout.isatty(),
    )
    tournament, out = settled(request, watching.tell)
    watching.close()  # to bots that are greeted here; and workers may die
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
        raise summary.unreported  # a bug: its place is told
    return status


def _events_to(path: Path | None, config: Path | None, *, force: bool) -> Target | None:
    """Return where events go, refused where something would be destroyed; raises ConfigError."""
    if path is None:
        return None
    inputs = [config] if config and config.is_file() else []
    target = Target(path=path, kind=EVENTS, flag="--json-events-to", inputs=inputs, force=force)
    target.refuse()
    return target


def _print_ended(event: Event | Waiting) -> None:
    """Print for programs how a run ended."""
    if isinstance(event, RunEnded):
        with unhurt_output("how it ended"):
            print_json(asdict(event))


def _decided(
    request: RunRequest, orders: Orders, snapshot: str | None, *, is_plan: bool
) -> tuple[Mapping[str, object], Sequence[str]]:
    """Rule something of games that are played, or name a snapshot of them.

    Return what was done, for programs and in lines.
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
    """Print what a tournament would take and tell; raises ArenaError."""
    from lath.arena.tournament.run.plan import planned  # start-up time

    if request.cluster is not None:
        raise ConfigError("--plan: cannot be combined with --cluster; use --jobs")
    # Bots that come are not started for it.
    tournament, out = settled(replace(request, anyway=True), audience(quiet=quiet).tell)
    with signals.interruptible():
        found = planned(tournament, out, request.allowed)
    if as_json:
        print_json(asdict(found))
        return
    from lath.arena.terminal.plan import print_plan  # start-up time

    print_plan(found, Output(to_stdout=True))
