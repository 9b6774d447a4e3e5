"""Standings and report in a tournament's directory."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from lath.arena.directory import REPORT, STANDINGS, STANDINGS_CSV
from lath.arena.errors import ArenaError
from lath.arena.machine.system import HeldFolder, writing_error
from lath.arena.tournament.outcome.notes import event_in
from lath.arena.tournament.outcome.page_files import write_page
from lath.arena.tournament.outcome.sources import background_of, records_of
from lath.arena.tournament.run.progress import RunSummary
from lath.arena.tournament.store.exports import write_whole

if TYPE_CHECKING:
    from lath.reports.event.background import Background


def published(home: HeldFolder, summary: RunSummary, *, with_report: bool = True) -> RunSummary:
    """Write standings and report of a directory; return the summary with both.

    If the report fails, the summary notes why. Raises StoreError.
    """
    from lath.reports.checksums import with_checksum  # start-up time
    from lath.reports.counting import standings
    from lath.reports.event.export import to_csv, to_json
    from lath.reports.event.seasons import SeasonCounter

    background = background_of([home.path])
    seasons = SeasonCounter(background.season)
    table = standings.compute(seasons.shown(records_of([home.path])), background.ranked)
    values = to_json(table)
    write_whole(home.path / STANDINGS, [with_checksum(values)])
    write_whole(home.path / STANDINGS_CSV, [to_csv(values).encode()])
    summary = replace(summary, standings=table, season=seasons.told())
    return _with_report(home.path, summary, background) if with_report else summary


def with_report_of(folder: Path, summary: RunSummary) -> RunSummary:
    """Write the report of a directory without a run, with the outcome of the summary.

    If the report fails, the summary notes why. Raises ArenaError.
    """
    return _with_report(folder, summary, replace(background_of([folder]), outcome=summary.outcome))


def _with_report(folder: Path, summary: RunSummary, background: Background) -> RunSummary:
    unsound = summary.standings.unsound if summary.standings else ()
    try:
        from lath.reports.page.page import render  # start-up time

        records = records_of([folder], rules=bool(unsound))  # the standings have checked them
        events = summary.standings.events if summary.standings else ()
        page = render(records, title=event_in([folder], events), background=background)
        try:
            write_page(folder / REPORT, page)
        except OSError as error:
            raise writing_error(folder / REPORT, error) from error
    except ArenaError:
        raise
    except Exception as error:  # noqa: BLE001 - it runs games of plugins
        return replace(summary, unreported=error)
    return summary
