"""`arena run`: a tournament's configuration from file and flags; plans, rulings and seasons of one.

Must not know how a tournament is played.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from lath.arena import signals
from lath.arena.cli.ending import Failures, at_cluster, events_of, print_end, resumable
from lath.arena.cli.main import (
    App,
    AsJson,
    Cluster,
    HostsAlike,
    Sandbox,
    argument,
    flag,
    option,
    positive,
    seconds,
    whole,
)
from lath.arena.errors import ConfigError
from lath.arena.referee import trees
from lath.arena.schedule.budget import UNLIMITED, Budget
from lath.arena.schedule.core import seed_digest
from lath.arena.terminal.layout import Output
from lath.arena.terminal.live import screen
from lath.arena.terminal.streams import data_output
from lath.arena.tournament.config import (
    Config,
    budget_of,
    build,
    demo,
    load,
    load_own,
    openings_table,
    sprt_table,
    time_table,
)
from lath.arena.tournament.database import CONFIG
from lath.arena.tournament.entrants import bot_flag, time_of
from lath.arena.tournament.events import Progress
from lath.arena.tournament.folder import rule
from lath.arena.tournament.folder import run as play
from lath.arena.tournament.rulings import Orders
from lath.arena.tournament.sources import played_in
from lath.arena.walls.limits import close_to_others
from lath.games.files import lasting

app = App()

DEFAULT_FOLDER: Final = Path("tournament")

FILES: Final = (
    *("tournament.toml", "games.lath", "outcome.json"),
    *("standings.json", "standings.csv", "report.html"),
)
"""What a run may leave in its directory."""


@app.command()
def run(
    config: Annotated[
        Path | None,
        argument("CONFIG.toml|DIR", "The tournament, or where it is; else the built-in demo."),
    ] = None,
    out: Annotated[Path, option("--out", "DIR", "Where everything is written.")] = DEFAULT_FOLDER,
    bot: Annotated[
        list[str] | None,
        option("--bot", "NAME=CMD", "A bot; NAME alone for a bundled one; more after a ;"),
    ] = None,
    add: Annotated[
        list[str] | None, option("--add", "NAME=CMD", "Pool: a bot that comes, or another version.")
    ] = None,
    retire: Annotated[
        list[str] | None, option("--retire", "NAME", "Pool: a bot that plays no more.")
    ] = None,
    game: Annotated[
        list[str] | None, option("--game", "GAME", "A game, or its file, to play.")
    ] = None,
    rounds: Annotated[int | None, positive("--rounds", "Rounds.")] = None,
    tc: Annotated[
        str | None,
        option(
            "--tc",
            "TIME",
            "10+0.1 (seconds), 'move 0.5', 'nodes 1000' or none; 'move 0.05 first 1'.",
        ),
    ] = None,
    jobs: Annotated[
        str | None, option("--jobs", "N", "Games at the same time; auto: one a core.")
    ] = None,
    seed: Annotated[
        str | None, option("--seed", "N", "For all chance; secret: one that nobody can guess.")
    ] = None,
    format_: Annotated[
        str | None,
        option("--format", "F", "round-robin, gauntlet, swiss, knockout, match or pool."),
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
    budget: Annotated[
        str | None, option("--budget", "N|TIME", "End for now after N games, or 90s, 10m, 2h.")
    ] = None,
    plan: Annotated[
        bool, flag("--plan", "Play nothing: say how many games, how long, and how sure.")
    ] = False,
    as_json: AsJson = False,
    fail_on: Annotated[
        str, option("--fail-on", "WHAT,WHAT", "Status 1 for a crash, flood, illegal or time loss.")
    ] = "",
    pin: Annotated[
        str | None, option("--pin", "auto|off", "auto: each game has cores of its own.")
    ] = None,
    sandbox: Sandbox = None,
    cluster: Cluster = None,
    hosts_alike: HostsAlike = False,
    log: Annotated[
        str | None, option("--log", "bad|all", "Of which games the lines are kept.")
    ] = None,
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
        str | None, option("--season", "NAME", "Keep all as it is in DIR/seasons, and end.")
    ] = None,
    force: Annotated[bool, flag("--force", "Go on though a bot's files have changed.")] = False,
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
    ] = 600.0,
    quiet: Annotated[bool, flag("--quiet -q", "Say nothing but warnings and errors.")] = False,
    verbose: Annotated[bool, flag("--verbose -v", "Tell of every game that ends.")] = False,
) -> None:
    """Play a tournament, or go on with one.

    Started again on the same directory it goes on where it stopped.

    Exit status 0 when every game is played, or all that --budget allows, 1 when a pairing had to be
    stopped or a game ended as --fail-on says, 3 after Ctrl-C, 4 when no report could be made, 5
    when the disk is full or failing, the machine lacks memory, processes or open files, or the
    cluster workers: nobody loses by it, and the same command goes on later.

    Example: arena run --bot greedy --bot mine="node mybot.js" --game yavalath --rounds 10
    """
    given = {
        "games": game and [lasting(text) for text in game],
        "rounds": rounds,
        "seed": int(seed) if seed and seed.isascii() and seed.isdecimal() else seed,
        "format": format_,
        "challengers": challengers,
        "pairs": pairs,
        "pin": pin,
        "log": log,
        "sandbox": sandbox,
        "jobs": int(jobs) if jobs and jobs.isascii() and jobs.isdigit() else jobs,
        "time": None if tc is None else time_table(time_of(tc)),
        "sprt": None if sprt is None else sprt_table(sprt),
        "openings": None if openings is None else _openings_of(openings),
        "bot": [bot_flag(text) for text in bot or ()] or None,
    }
    flags = {name: value for name, value in given.items() if value is not None}
    allowed = UNLIMITED if budget is None else budget_of(budget)
    config, out = _place(config, out, names_bots=bool(add or bot), makes_pool=bool(add))
    added = [bot_flag(text, "--add") for text in add or ()]
    failures = Failures(fail_on)
    if cluster is not None and jobs is not None:
        raise ConfigError("--jobs is for this machine: on a cluster each thread plays a game")
    orders = Orders(
        void=tuple(void or ()),
        disqualify=tuple(disqualify or ()),
        reinstate=tuple(reinstate or ()),
        reason=" ".join(reason.split()),
    )
    orders.check()
    if orders or season is not None:
        more = {"add": add, "retire": retire, "plan": plan, "json": as_json}
        flags |= {name: words for name, words in more.items() if words}
        _decide(config, out, flags, orders, season, with_report=not no_report)
        raise typer.Exit(0)
    with signals.interruptible():
        if added or retire:
            tournament = _other_roster(config, out, flags, added, retire or ())
        else:
            tournament = _configured(config, out, flags, quiet=quiet)
    if plan or as_json:
        if cluster is not None:
            raise ConfigError("--plan counts games at a time by --jobs: leave --cluster out")
        if not plan:
            raise ConfigError("--json is for --plan; --json-events tells programs of a run")
        print_planned(tournament, out, allowed, as_json=as_json)
        return
    progress = Progress(tournament)
    progress.listeners.append(failures)
    trees.adopt_orphans()  # of bots that are greeted here, and of workers that die
    close_to_others()
    has_events = json_events and json_events_to is None
    is_shared = has_events and sys.stdout.isatty()
    with (
        events_of(progress, to_stdout=json_events, path=json_events_to),
        resumable(out, tournament.text),
    ):
        with (
            at_cluster(cluster, hosts_alike=hosts_alike, patience_s=disk_patience) as elsewhere,
            screen(progress, quiet=quiet, verbose=verbose, is_shared=is_shared),
        ):
            summary = play(
                tournament,
                out,
                progress,
                force=force,
                with_report=not no_report,
                patience_s=disk_patience,
                budget=allowed,
                elsewhere=elsewhere,
            )
        status = print_end(
            summary,
            progress,
            out,
            quiet=quiet,
            with_report=not no_report,
            to_stdout=not has_events,
        )
        status = failures.status(status, out)
        if summary.is_complete and not quiet:
            told = f"{tournament.seed} (SHA-256 {seed_digest(tournament.seed)})"
            print(f"seed: {told}", file=sys.stderr)
        files = {name: str((out / name).resolve()) for name in FILES if (out / name).is_file()}
        progress(progress.ended(summary, status, files))
    if summary.unreported is not None:
        raise summary.unreported  # a bug: its place is told
    raise typer.Exit(status)


def _decide(
    config: Path | None,
    out: Path,
    flags: Mapping[str, object],
    orders: Orders,
    season: str | None,
    *,
    with_report: bool,
) -> None:
    """Rule something of games that are played, or name a season of them, and say what."""
    what = "a ruling" if orders else "a season"
    if config is not None or not (own := out / CONFIG).is_file():
        raise ConfigError(f"{what} is of games that are played: name their directory")
    if flags or (orders and season is not None):
        raise ConfigError(f"{what} goes alone: nothing is played, nothing else is changed")
    tournament = load_own(own, played=played_in(out))
    if season is not None:
        from lath.arena.tournament.seasons import freeze

        place = freeze(tournament, out, season, with_report=with_report)
        print(f"{place}: the season {season!r}, which stays as it is", file=sys.stderr)
        return
    given, summary = rule(tournament, out, orders, with_report=with_report)
    for ruling in given:
        print(f"ruled: {ruling.words}: {orders.reason}", file=sys.stderr)
    if summary.unreported is not None:
        raise summary.unreported
    report = ["report.html"] if with_report else []
    written = ", ".join(["outcome.json", "standings.json", "standings.csv", *report])
    print(f"{out}: {written} are written anew", file=sys.stderr)


def print_planned(tournament: Config, out: Path, budget: Budget, *, as_json: bool) -> None:
    """Print what a tournament would take and tell; raises ArenaError."""
    from lath.arena.tournament.plan import planned

    with signals.interruptible():
        found = planned(tournament, out, budget)
    if as_json:
        print(json.dumps(asdict(found), indent=2, ensure_ascii=False), file=data_output())
        return
    from lath.arena.terminal.tables import print_plan

    print_plan(found, Output(to_stdout=True))


def _place(
    config: Path | None, out: Path, *, names_bots: bool, makes_pool: bool
) -> tuple[Path | None, Path]:
    """Return which file says what is played, if one was named, and where; raises ConfigError.

    A directory is both, and so is what is to become one.
    """
    if config is None or config.is_file():
        return config, out
    if config.is_dir() or (makes_pool and config.suffix != ".toml"):
        if out not in (DEFAULT_FOLDER, config):
            raise ConfigError(
                f"{config} is a directory that is gone on with: leave --out {out} out"
            )
        if not names_bots and not (config / CONFIG).is_file():
            raise ConfigError(
                f"{config} has no {CONFIG}, so nothing to go on with: name the bots of a new pool "
                "there with --add"
            )
        return None, config
    return config, out


def _other_roster(
    config: Path | None,
    out: Path,
    flags: dict[str, Any],
    add: Sequence[dict[str, Any]],
    retire: Sequence[str],
) -> Config:
    """Return a pool with bots that come or go, or a new one of those that come.

    Raises ConfigError.
    """
    if config is not None:
        raise ConfigError(
            f"--add and --retire change what is in a directory: name that instead of {config}"
        )
    if "bot" in flags:
        raise ConfigError("--bot is not for a roster that --add and --retire change")
    if (out / CONFIG).is_file():
        return load_own(out / CONFIG, flags, add=add, retire=retire, played=played_in(out))
    if retire:
        raise ConfigError(f"--retire {retire[0]!r}: {out} has no {CONFIG}")
    made = {**demo(), "event": "Pool", "format": "pool", **flags}
    import tomlkit

    bots = [*{table["name"]: table for table in add}.values()]
    pool = build({**made, "bot": bots}, Path())
    # As people write it: a bundled bot needs no command, and stays one when the arena moves.
    return replace(pool, text=tomlkit.dumps({**pool.as_written, "bot": bots}))


def _refuse_another_roster(path: Path, tournament: Config) -> None:
    """Raise ConfigError where --bot would take bots out of a pool, or bring some in."""
    roster = load_own(path).names
    if {*roster} != {*tournament.names}:
        raise ConfigError(
            f"{path} has the bots {', '.join(roster)}: --add and --retire change who plays in a "
            "pool, or edit the file"
        )


def _openings_of(text: str) -> dict[str, Any]:
    """Return the table of a flag; a file is the current folder's, wherever the tournament is."""
    table = openings_table(text, Path.cwd())
    return table if "random" in table else {**table, "file": str(Path(table["file"]).resolve())}


def _configured(config: Path | None, out: Path, flags: dict[str, Any], *, quiet: bool) -> Config:
    """Return the tournament: the file, else what `out` holds, else the demo, and flags over it.

    Raises ConfigError where a file may be meant.
    """
    played = played_in(out)
    if config is not None:
        return load(config, config.parent, flags, played=played, own=out / CONFIG)
    if (own := out / CONFIG).is_file():
        tournament = load_own(own, flags, played=played)
        if tournament.format == "pool" and "bot" in flags:
            _refuse_another_roster(own, tournament)
        return tournament
    if "bot" in flags:
        return build({**demo(), "event": "Tournament", **flags}, Path(), played=played)
    if Path(CONFIG).is_file():
        raise ConfigError(
            f"there is a {CONFIG} here: name it, `arena run {CONFIG}`, or name the bots with "
            "--bot; the built-in demo is played in a folder without it"
        )
    if not quiet:
        print(f"no CONFIG and no --bot: this is the built-in demo, in {out}", file=sys.stderr)
    return build({**demo(), "openings": "random:0", **flags}, Path())
