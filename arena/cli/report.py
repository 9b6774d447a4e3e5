"""`arena rate` and `arena report`: results and ratings of tournaments or records."""

from __future__ import annotations

import math
import os
import re
import shlex
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from lath.arena.cli.files import (
    CountAgain,
    Jobs,
    Sources,
    Unchecked,
    is_one_of,
    unless_cut,
    writable,
)
from lath.arena.cli.help import Printed, Topic
from lath.arena.cli.main import (
    App,
    AsJson,
    Bom,
    DoneAsJson,
    GameFiles,
    Plain,
    Quiet,
    Strict,
    add_games,
    argument,
    flag,
    option,
    print_done,
    print_json,
    refuse_json_beside,
    require_csv,
    seconds,
)
from lath.arena.cli.outputs import Force, made_folder
from lath.arena.cli.report_jobs import (
    IndexJob,
    PageJob,
    ReportJob,
    WrittenFiles,
    follow,
    invalid_doubts,
    refuse_strange,
    skipped_of,
    warn_of,
)
from lath.arena.directory import DATABASE, RECORDS, REPORT
from lath.arena.errors import FAULT, ArenaError, ConfigError
from lath.arena.publishing.pages import refuse_to_replace
from lath.arena.terminal.streams import BOM, data_output
from lath.arena.tournament.outcome.directories import is_collection, tournaments_in
from lath.arena.tournament.outcome.sources import Doubt, background_of, records_of
from lath.arena.tournament.outcome.taken import TAKEN
from lath.arena.tournament.store.anchors import LEAGUE, keep_in_league, read_anchors
from lath.notation.archive.given import GivenGames
from lath.notation.files.files import write_atomically
from lath.reports.counting.standings import Refused, compute

# The modules for pages take 100 ms to load, which `arena rate` avoids.
if TYPE_CHECKING:
    from lath.reports.counting.columns import TableColumn
    from lath.reports.counting.table import Standings
    from lath.reports.event.background import Background
    from lath.reports.event.seasons import SeasonView

app = App()


Anchor = Annotated[
    list[str] | None,
    option(
        "--anchor",
        "BOT=ELO",
        "Bot with a fixed Elo rating; none removes all anchors. Repeatable.",
        Topic.RATINGS,
        default="as stored",
    ),
]
RelativeTo = Annotated[
    str,
    option(
        "--relative-to", "BOT", "Print Elo differences to BOT, with 95% intervals.", Topic.RATINGS
    ),
]

SeasonShown = Annotated[
    str | None,
    option(
        "--season",
        "NAME|all",
        "Season of a pool, or all for the games of all seasons.",
        Topic.RATINGS,
        default="the last season",
    ),
]
Columns = Annotated[
    str,
    option(
        "--columns",
        "NAME,...",
        "Columns of the rating table and of --csv, in this order, or all.",
        Topic.MOST_USED,
    ),
]


@app.command(
    example="arena rate tournament --columns rank,bot,elo,ranks",
    statuses={FAULT: "An invalid record was left out"},
    prints=(Printed(schema="standings"),),
)
def rate(
    sources: Sources,
    by_game: Annotated[
        bool,
        flag(
            "--by-game",
            "Also print the tables of each game type.",
            Topic.MOST_USED,
        ),
    ] = False,
    columns: Columns = "",
    as_csv: Annotated[
        bool, flag("--csv", "Print CSV with a line per bot.", Topic.MOST_USED)
    ] = False,
    method: Annotated[
        Literal["", "all-games", "trueskill"],
        option(
            "--method",
            "NAME",
            "Rating that ranks the bots: all-games rates all games at once, trueskill in the "
            "order of play.",
            Topic.RATINGS,
            choices=("all-games", "trueskill"),
            default="the rule of the tournament's format",
        ),
    ] = "",
    versions: Annotated[
        bool, flag("--versions", "Print a line for each version of a bot in a pool.", Topic.RATINGS)
    ] = False,
    anchor: Anchor = None,
    relative_to: RelativeTo = "",
    season: SeasonShown = None,
    unchecked: Unchecked = False,
    count_again: CountAgain = False,
    jobs: Jobs = 1,
    strict: Strict = False,
    game: GameFiles = None,
    bom: Bom = False,
    as_json: AsJson = False,
) -> None:
    """Print results, ratings and the crosstable.

    Points decide the ranks if all bots have met equally often. A swiss, a knockout or a gauntlet
    has its own result. In all other cases the conservative rating decides.

    Invalid records are left out. Duplicate games count once.
    """
    from lath.reports.counting.columns import COLUMNS  # start-up time
    from lath.reports.event.export import to_csv, to_json
    from lath.reports.event.seasons import SeasonCounter
    from lath.reports.event.versions import standings_of
    from lath.reports.ratings.results import ALL_AT_ONCE, IN_ORDER

    add_games(game, is_strict=strict, wants_moves=False)
    if as_json and as_csv:
        raise typer.BadParameter("--json: cannot be combined with --csv")
    require_csv(bom=bom, as_csv=as_csv)
    if as_json and columns:
        raise typer.BadParameter("--columns: cannot be combined with --json, which has all columns")
    shown = _columns(columns)
    doubts: list[Doubt] = []
    scale: dict[str, Any] = {"anchors": read_anchors(anchor), "relative_to": relative_to}
    background = background_of(sources, doubts, season=season, **scale)
    given = GivenGames(counts_again=count_again)
    records = records_of(sources, doubts, rules=not unchecked, jobs=jobs, given=given)
    seasons = SeasonCounter(background.season)
    ranked_by = IN_ORDER if method == "trueskill" else ALL_AT_ONCE
    ranked = replace(background.ranked, ranked_by=ranked_by)
    if method:
        ranked = replace(ranked, rule="method")
    table = compute(seasons.shown(records), replace(ranked, members={}) if versions else ranked)
    table = replace(table, left_out={**table.left_out, **skipped_of()})
    names = sorted({*table.overall.ratings.strengths}.union(row.name for row in table.overall.rows))
    refuse_strange(names, scale["anchors"], relative_to)
    background = background.completed(table)
    standings = to_json(table)

    def warned() -> int:
        return warn_of([*doubts, *invalid_doubts(standings)])

    with unless_cut(warned):
        if as_json:
            by_version = [to_json(row) for row in standings_of(background, table)]
            more = {"versions": by_version, "season": seasons.told(), **TAKEN.rules_json()}
            said = {name: value for name, value in more.items() if value}
            print_json({**standings, **background.to_json(), **said})
        elif as_csv:
            text = to_csv(standings, shown or COLUMNS).replace("\r\n", "\n")
            data_output().write(BOM * bom + text)
        else:
            _print_rated(table, background, seasons.told(), by_game=by_game, columns=shown)
    raise typer.Exit(warned())


def _print_rated(
    table: Standings,
    background: Background,
    season: SeasonView | None,
    *,
    by_game: bool,
    columns: Sequence[TableColumn],
) -> None:
    """Print the season, the result, the standings and further tables."""
    from lath.arena.terminal.layout import Output  # start-up time
    from lath.arena.terminal.tables import (
        print_background,
        print_outcome,
        print_season,
        print_standings,
        print_versions,
    )

    output = Output(to_stdout=True)
    print_season(season, output)
    print_outcome(background.outcome, output)
    print_standings(table, output, by_game=by_game, columns=columns)
    print_versions(background, table, output)
    print_background(background, output)


def _columns(text: str) -> tuple[TableColumn, ...]:
    """Return the columns named by an option; raises ConfigError."""
    from lath.reports.counting.columns import named  # start-up time

    try:
        return named(text) if text else ()
    except ValueError as error:
        raise ConfigError(f"--columns: {error}") from error


WATCH = "--watch"
EVERY_S = 10.0
"""The default time between two updates of a watched page, in seconds."""


class Watchable(Plain):
    """A command whose option `--watch` can have a number after it."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the options and arguments; without a source, templates can still be copied."""
        pieces = super().collect_usage_pieces(ctx)
        return ["SOURCE..." if "SOURCE" in piece else piece for piece in pieces]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the command line."""
        return super().parse_args(ctx, with_seconds(args))


def with_seconds(args: list[str]) -> list[str]:
    """Return the command line with a number after each `--watch`.

    >>> with_seconds(["out", "--watch", "-o", "page.html"])
    ['out', '--watch', '10', '-o', 'page.html']
    >>> with_seconds(["--watch", "2.5", "out", "--", "--watch"])
    ['--watch', '2.5', 'out', '--', '--watch']
    """
    words = list(args)
    end = words.index("--") if "--" in words else len(words)
    for at in reversed([at for at, word in enumerate(words[:end]) if word == WATCH]):
        with suppress(ValueError):
            if not math.isnan(float("".join(words[at + 1 : min(at + 2, end)]))):
                continue
        words.insert(at + 1, f"{EVERY_S:g}")
    return words


@app.command(
    cls=Watchable,
    example="arena report tournament -o report.html",
    statuses={
        0: "Success, or the end of the tournament with --watch",
        FAULT: "An invalid record was left out",
    },
    prints=(Printed("written"),),
)
def report(
    sources: Annotated[
        list[Path] | None,
        argument(
            "SOURCE...",
            "Tournament directories, record files, databases, or a folder of tournaments.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        option("--output -o", "FILE", "Page to write.", Topic.MOST_USED, default="report.html"),
    ] = None,
    title: Annotated[
        str | None,
        option(
            "--title",
            "TEXT",
            "Title of the page.",
            Topic.MOST_USED,
            default="the names of the events",
        ),
    ] = None,
    watch: Annotated[
        float | None,
        option(
            WATCH,
            "[SECONDS]",
            "Seconds between updates of the page while a tournament is played.",
            Topic.MOST_USED,
            default=f"{EVERY_S:g}",
            **seconds(1, 86_400),
        ),
    ] = None,
    public: Annotated[
        bool,
        flag(
            "--public",
            "Leave out commands, environment, paths, hosts and the messages of bots.",
            Topic.MOST_USED,
        ),
    ] = False,
    data: Annotated[
        Path | None,
        option(
            "--data",
            "FILE",
            "File for the content of the page as JSON. Without -o, no page is written.",
            Topic.PAGES,
        ),
    ] = None,
    analysis: Annotated[
        Path | None,
        option(
            "--analysis",
            "FILE",
            "File with the same games, written by `arena analyze`.",
            Topic.PAGES,
        ),
    ] = None,
    templates: Annotated[
        Path | None,
        option(
            "--templates", "DIR", "Folder of templates that replace built-in ones.", Topic.PAGES
        ),
    ] = None,
    copy_templates: Annotated[
        Path | None,
        option(
            "--copy-templates",
            "DIR",
            "Folder for a copy of the built-in templates; no page is written.",
            Topic.PAGES,
        ),
    ] = None,
    no_reports: Annotated[
        bool,
        flag("--no-reports", "Write only the index page of a folder of tournaments.", Topic.PAGES),
    ] = False,
    site: Annotated[
        Path | None,
        option(
            "--site",
            "DIR",
            "Folder for the public pages of a league, a folder of tournaments.",
            Topic.PUBLIC,
        ),
    ] = None,
    about: Annotated[
        Path | None,
        option(
            "--about",
            "FILE",
            "With --site: Markdown file with the text for the first page.",
            Topic.PUBLIC,
        ),
    ] = None,
    owner: Annotated[
        str | None,
        option(
            "--owner",
            "BOT",
            "Write files for the owner of BOT into the folder of -o, instead of a page.",
            Topic.PUBLIC,
        ),
    ] = None,
    base_url: Annotated[
        str,
        option("--base-url", "URL", "URL where the page's folder will be published.", Topic.PUBLIC),
    ] = "",
    anchor: Anchor = None,
    relative_to: RelativeTo = "",
    season: SeasonShown = None,
    unchecked: Unchecked = False,
    count_again: CountAgain = False,
    strict: Strict = False,
    game: GameFiles = None,
    force: Force = False,
    as_json: DoneAsJson = False,
    quiet: Quiet = False,
) -> None:
    """Write the HTML report of tournaments or records.

    The report is one file that works without a network. For a folder of tournaments the arena
    writes FOLDER/index.html, and each report that is missing or older than its games.

    If SOURCE is a folder of tournaments, --anchor is saved in the folder's league.toml.
    """
    add_games(game, is_strict=strict, wants_moves=False)
    written = WrittenFiles(quiet=quiet or as_json)
    refuse_json_beside(out, data, as_json=as_json)
    if copy_templates is not None:
        _copy(copy_templates, written)
        print_done(written.as_json(), as_json=as_json)
        return
    if not sources:
        raise typer.BadParameter("SOURCE: name a tournament folder or a record file")
    _refuse_address(base_url, about, site)
    _refuse_files([*sources, *filter(None, [analysis])], out, data, watches=watch is not None)
    if templates is not None:
        _refuse_templates(templates)
    job = ReportJob(
        given=sources,
        out=out,
        data=data,
        title=title,
        templates=templates,
        rules=not unchecked,
        analysis=analysis,
        base_url=base_url,
        public=public,
        force=force,
        counts_again=count_again,
        anchors=read_anchors(anchor),
        relative_to=relative_to,
        season=season,
        written=written,
    )
    _keep_anchors(job)
    if site is not None or owner is not None:
        status = _published(job, site, owner, watch, about)
        print_done(written.as_json(), as_json=as_json)
        raise typer.Exit(status)
    is_index = len(sources) == 1 and is_collection(sources[0])
    for name, value in (
        ("--analysis", analysis),
        ("--relative-to", relative_to or None),
        ("--season", season),
    ):
        if is_index and value is not None:
            raise typer.BadParameter(f"{name}: needs a tournament; it cannot be used for an index")
    if out is None and data is None:
        page = sources[0] / "index.html" if is_index else Path(REPORT)
        if not force:
            refuse_to_replace(page, "index" if is_index else "report")
        job = replace(job, out=page)
    job.refuse()
    if is_index:
        job = IndexJob(**vars(job), writes_reports=not no_reports)
    status = follow(job, every_s=watch) if watch else warn_of(job.write(job.sources()))
    print_done(written.as_json(), as_json=as_json)
    raise typer.Exit(status)


def _refuse_address(base_url: str, about: Path | None, site: Path | None) -> None:
    if about is not None and site is None:
        raise typer.BadParameter("--about: needs --site")
    if base_url and not re.match("https?://[^/]", base_url):
        raise typer.BadParameter(
            f"--base-url: {base_url!r} does not begin with http:// or https://"
        )


def _keep_anchors(job: ReportJob) -> None:
    """Store the anchors of a job in its folder's league; raises ConfigError."""
    if job.anchors is None:
        return
    for folder in filter(is_collection, job.given):
        refuse_strange(sorted(_names_below(folder)), job.anchors, "")
        with writable(folder / LEAGUE):
            keep_in_league(folder, job.anchors)


def _names_below(folder: Path) -> set[str]:
    """Return the bots of all readable tournaments below a folder."""
    names: set[str] = set()
    for path in tournaments_in(folder):
        with suppress(ArenaError):
            for record in records_of([path], [], rules=False):
                if not isinstance(record, Refused):
                    names |= {record.first, record.second}
    return names


def _published(
    job: ReportJob, site: Path | None, owner: str | None, watch: float | None, about: Path | None
) -> int:
    """Write a league's pages, or the files for a bot's owner; return an exit status."""
    from lath.arena.cli.site_jobs import SiteJob, write_private  # start-up time

    flag = "--owner" if site is None else "--site"
    others: dict[str, object] = {
        "--owner": owner,
        "--data": job.data,
        "--watch": watch,
        "--analysis": job.analysis,
        **({"-o": job.out} if site is not None else {"--owner": None}),
        "--relative-to": job.relative_to or None,
        "--season": job.season,
        **({"--anchor": job.anchors, "--about": about} if owner is not None else {}),
    }
    for name, value in others.items():
        if value is not None:
            raise typer.BadParameter(f"{flag}: cannot be combined with {name}")
    if site is None:
        write_private(job.given, owner or "", job.out, job.written, force=job.force)
        return 0
    shared = {one.name: getattr(job, one.name) for one in fields(PageJob)}
    return warn_of(SiteJob(**shared, out=site, about=about).write())


def _refuse_files(
    sources: list[Path], out: Path | None, data: Path | None, *, watches: bool
) -> None:
    """Raise BadParameter or ConfigError for unsuitable streams, or a FILE that is needed."""
    if str(out) == "-" and str(data) == "-":
        raise typer.BadParameter("--data: -o - already uses standard output\nhint: --data FILE")
    if watches and "-" in (str(out), str(data)):
        raise typer.BadParameter("--watch: cannot write to standard output\nhint: -o FILE")
    if watches and Path("-") in sources:
        raise typer.BadParameter(
            "--watch: cannot read standard input\nhint: arena report SOURCE --watch"
        )
    inner = [one for path in sources if is_collection(path) for one in tournaments_in(path)]
    names = ("", DATABASE, RECORDS)
    read = {os.path.realpath(path / name) for path in (*sources, *inner) for name in names}
    # Devices and pipes are not replaced, and folders are refused elsewhere.
    named = [path for path in (out, data) if path is not None and str(path) != "-"]
    files = [path for path in named if path.is_file() or not path.exists()]
    real = [os.path.realpath(path) for path in files]
    for path, real_path in zip(files, real, strict=True):
        if real_path in read or is_one_of(path, sources):
            raise ConfigError(f"{path}: this is a SOURCE, which would be lost", hint="-o OTHER")
    if len(real) == 2 and real[0] == real[1]:
        raise typer.BadParameter("--data: this is also the file of -o\nhint: --data OTHER")


def _refuse_templates(folder: Path) -> None:
    """Raise ConfigError if the folder has no templates."""
    from lath.reports.page.page import in_use  # start-up time

    if not folder.is_dir():
        raise ConfigError(f"--templates: {folder} is not a folder")
    if not in_use(folder):
        raise ConfigError(
            f"--templates: {folder} has no template, such as page.html.j2",
            hint=f"arena report --copy-templates {shlex.quote(str(folder))}",
        )


def _copy(folder: Path, written: WrittenFiles) -> None:
    """Copy the built-in templates, and print which ones existed already."""
    from lath.reports.page.page import copy_to  # start-up time

    with made_folder(folder) as place:
        is_whole = place == folder  # a new folder gets its name when it is complete
        write = (
            (lambda path, text: write_atomically(path, [text])) if is_whole else Path.write_bytes
        )
        copied = list(copy_to(place, write))
    kept = [name for name, is_new in copied if not is_new]
    written.add(folder, f"{len(copied) - len(kept)} templates copied")
    if kept:
        written.say(f"unchanged: {', '.join(kept)}")
