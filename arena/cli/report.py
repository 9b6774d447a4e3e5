"""`arena report`: the page that tournaments, or any records, come to; and an index of many."""

from __future__ import annotations

import math
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lath.arena.cli.usage import App, Plain
from lath.arena.errors import ConfigError

if TYPE_CHECKING:
    from typer._click.core import Context

    from lath.arena.cli.rendering import Job

WATCH = "--watch"
EVERY_S = 10.0
"""How often a page is rendered again that somebody watches."""


class Watchable(Plain):
    """A command whose `--watch` may have a number after it, or nothing."""

    def collect_usage_pieces(self, ctx: Context) -> list[str]:
        """Return the options and arguments; without sources templates can be copied, no more."""
        pieces = super().collect_usage_pieces(ctx)
        return ["SOURCE..." if "SOURCE" in piece else piece for piece in pieces]

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        """Read the command line."""
        return super().parse_args(ctx, with_seconds(args))


def with_seconds(args: list[str]) -> list[str]:
    """Return a command line in which every `--watch` has its seconds.

    >>> with_seconds(["out", "--watch", "-o", "page.html"])
    ['out', '--watch', '10', '-o', 'page.html']
    >>> with_seconds(["--watch", "2.5", "out", "--", "--watch"])
    ['--watch', '2.5', 'out', '--', '--watch']
    """
    told = list(args)
    end = told.index("--") if "--" in told else len(told)
    for at in reversed([at for at, word in enumerate(told[:end]) if word == WATCH]):
        if not _is_number("".join(told[at + 1 : min(at + 2, end)])):
            told.insert(at + 1, f"{EVERY_S:g}")
    return told


def _is_number(word: str) -> bool:
    try:
        return not math.isnan(float(word))
    except ValueError:
        return False


def add_to(app: App) -> None:
    """Add the command of this module."""
    app.command(cls=Watchable)(report)


def report(
    sources: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="SOURCE...",
            help="Tournaments' directories, record files, or a folder of tournaments.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", metavar="FILE", help="Where the page is written, else report.html."
        ),
    ] = None,
    title: Annotated[
        str | None, typer.Option("--title", metavar="TEXT", help="The page's heading.")
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option("--data", metavar="FILE", help="Write what the page shows as JSON."),
    ] = None,
    watch: Annotated[
        float | None,
        typer.Option(
            WATCH,
            metavar="[SECONDS]",
            min=1.0,
            max=86_400.0,
            help="Write it again and again while a run goes on.",
        ),
    ] = None,
    templates: Annotated[
        Path | None,
        typer.Option("--templates", metavar="DIR", help="Files there come before ours."),
    ] = None,
    copy_templates: Annotated[
        Path | None,
        typer.Option("--copy-templates", metavar="DIR", help="Copy our templates there, and end."),
    ] = None,
    no_reports: Annotated[
        bool,
        typer.Option("--no-reports", help="Of a folder of tournaments: write the index alone."),
    ] = False,
) -> None:
    """Write the HTML report: one file that needs no network.

    Of a folder with several tournaments it is an index page, FOLDER/index.html, with ratings over
    all of them; their own reports are written where they are missing or older than their games.

    With --data and without -o only the JSON is written; `-` is standard output. With --watch the
    page refreshes itself while a tournament is played; exit status 0 when that is over, 3 after
    Ctrl-C.

    Example: arena report tournament -o report.html
    """
    if copy_templates is not None:
        _copy(copy_templates)
        return
    if not sources:
        raise typer.BadParameter("expected a SOURCE: a tournament's directory or a record file")
    _refuse(sources, out, data, watch, templates)
    job = _job(sources, out, data, title=title, templates=templates, reports=not no_reports)
    if watch is None:
        job.write(job.sources())
        return
    from lath.arena.cli.watching import watch as follow

    raise typer.Exit(follow(job, every_s=watch))


def _refuse(
    sources: list[Path],
    out: Path | None,
    data: Path | None,
    watch: float | None,
    templates: Path | None,
) -> None:
    """Raise what is wrong with the options."""
    if str(out) == "-" and str(data) == "-":
        raise typer.BadParameter("-o and --data cannot both be standard output")
    _refuse_overwriting(sources, out, data)
    if watch is not None and "-" in (str(out), str(data)):
        raise typer.BadParameter("--watch needs files to write again, not standard output")
    if watch is not None and Path("-") in sources:
        raise typer.BadParameter("--watch needs files to read again, not standard input")
    if templates is None:
        return
    from lath.reports.page.overriding import in_use

    if not templates.is_dir():
        raise ConfigError(f"{templates} is no folder of templates: there is none of that name")
    if not in_use(templates):
        raise ConfigError(
            f"{templates} has no file of the name of one of ours, such as page.html.j2; "
            f"`arena report --copy-templates {templates}` copies ours there"
        )


def _refuse_overwriting(sources: list[Path], out: Path | None, data: Path | None) -> None:
    """Raise where a file would take the place of what it is made of, or of the other file."""
    from lath.arena.tournament.collection import is_collection, tournaments_in
    from lath.arena.tournament.store import DATABASE, RECORDS

    inner = [one for path in sources if is_collection(path) for one in tournaments_in(path)]
    names = ("", DATABASE, RECORDS)
    read = {os.path.realpath(path / name) for path in (*sources, *inner) for name in names}
    files = [path for path in (out, data) if path is not None and _is_replaced(path)]
    for path in files:
        if os.path.realpath(path) in read:
            raise ConfigError(f"{path} would be overwritten, and the report is made of it")
    if len(files) == 2 and os.path.realpath(files[0]) == os.path.realpath(files[1]):
        raise typer.BadParameter("-o and --data cannot both be the same file")


def _is_replaced(path: Path) -> bool:
    """Return whether what is there would be gone; a device or a pipe stays, a folder is refused."""
    return str(path) != "-" and (path.is_file() or not path.exists())


def _copy(folder: Path) -> None:
    """Copy our templates, and say which were there already."""
    from lath.arena.cli.outlet import writable
    from lath.reports.page.overriding import copy_to

    with writable(folder):
        copied = list(copy_to(folder))
    kept = [name for name, is_new in copied if not is_new]
    print(f"{folder}: {len(copied) - len(kept)} templates copied", file=sys.stderr)
    if kept:
        print(f"left as they were: {', '.join(kept)}", file=sys.stderr)


def _job(
    sources: list[Path], out: Path | None, data: Path | None, *, reports: bool, **more: Any
) -> Job:
    """Return what there is to write."""
    from lath.arena.cli.rendering import IndexJob, ReportJob
    from lath.arena.tournament.collection import is_collection

    if len(sources) == 1 and is_collection(sources[0]):
        if out is None and data is None:
            out = sources[0] / "index.html"
        return IndexJob(folder=sources[0], out=out, data=data, writes_reports=reports, **more)
    if out is None and data is None:
        out = Path("report.html")
    return ReportJob(given=tuple(sources), out=out, data=data, **more)
