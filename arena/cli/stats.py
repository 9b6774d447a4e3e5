"""`arena stats`: statistics of record archives."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any

import typer

from lath.arena.cli.files import (
    CountAgain,
    Jobs,
    Sources,
    Unchecked,
    is_one_of,
    unless_cut,
)
from lath.arena.cli.help import Printed, Topic
from lath.arena.cli.main import (
    App,
    AsJson,
    Bom,
    GameFiles,
    Quiet,
    Strict,
    add_games,
    flag,
    option,
    print_done,
    refuse_json_beside,
    require_csv,
    whole,
)
from lath.arena.cli.outputs import PAGE, Force, Target
from lath.arena.cli.selection import Distinct, Selection, Where
from lath.arena.errors import FAULT, ConfigError
from lath.arena.terminal.streams import BOM, data_output, fitted
from lath.games.errors import GameError, count_of
from lath.notation.archive.given import GivenGames
from lath.reports.counting.facts import ending_of
from lath.reports.counting.figures import Survey
from lath.reports.counting.openings import OpeningCounter
from lath.reports.metrics.comparing import compare_groups, compared_rows, compared_to_json
from lath.reports.metrics.measures import GameGroup, Measures, to_csv

app = App()


@app.command(
    example="arena stats games.lath --where 'plies > 20 and player = greedy'",
    statuses={FAULT: "An invalid record was left out"},
    prints=(
        Printed("records left_out games plies players dates opening_plies by_game"),
        Printed("records left_out opening_plies repeats missed lines", when="With --openings"),
        Printed("records left_out by_game", when="With --measures"),
        Printed("games written", when="With --html"),
    ),
)
def stats(
    files: Sources,
    where: Where = None,
    openings: Annotated[
        bool,
        flag(
            "--openings",
            "Print only the openings, with their frequency and results.",
            Topic.MOST_USED,
        ),
    ] = False,
    endings: Annotated[
        bool, flag("--endings", "Print endings by reason, such as 'four in line'.", Topic.MOST_USED)
    ] = False,
    measures: Annotated[
        bool,
        flag(
            "--measures",
            "Print only game metrics: first-move advantage, draws, drama and more.",
            Topic.MOST_USED,
        ),
    ] = False,
    compare: Annotated[
        bool,
        flag(
            "--compare",
            "With --measures: compare two files or two game types.",
            Topic.MOST_USED,
        ),
    ] = False,
    html: Annotated[
        Path | None,
        option("--html", "FILE", "With --measures: HTML page with plots.", Topic.MOST_USED),
    ] = None,
    as_csv: Annotated[
        bool, flag("--csv", "With --openings or --measures: print CSV.", Topic.MOST_USED)
    ] = False,
    opening_plies: Annotated[
        int, option("--opening-plies", "K", "Length of an opening.", Topic.RECORDS, **whole(0, 40))
    ] = 2,
    distinct: Distinct = False,
    unchecked: Unchecked = False,
    count_again: CountAgain = False,
    jobs: Jobs = 1,
    strict: Strict = False,
    game: GameFiles = None,
    as_json: AsJson = False,
    bom: Bom = False,
    force: Force = False,
    quiet: Quiet = False,
) -> None:
    """Summarise games by length, result, ending and opening.

    With --measures, the arena computes game metrics instead. Use them to compare game types.
    """
    add_games(game, is_strict=strict)
    if as_csv and (as_json or not (openings or measures)):
        why = "cannot be combined with --json" if as_json else "needs --openings or --measures"
        raise typer.BadParameter(f"--csv: {why}")
    require_csv(bom=bom, as_csv=as_csv)
    if measures and (openings or endings):
        raise typer.BadParameter("--measures: cannot be combined with --openings or --endings")
    if compare and not measures:
        raise typer.BadParameter("--compare: needs --measures")
    page = None
    if html is not None:
        _refuse_page(html, files, measures=measures, as_csv=as_csv)
        refuse_json_beside(html, as_json=as_json)
        page = Target(path=html, kind=PAGE, flag="--html", inputs=files, force=force)
        page.refuse()
    # Two files to compare can be the same file.
    given = None if compare and len(files) == 2 else GivenGames(counts_again=count_again)
    selection = Selection(
        files, where, distinct=distinct, rules=not unchecked, jobs=jobs, quiet=quiet, given=given
    )
    with unless_cut(lambda: bool(selection.bad)):
        data_output().write(BOM * bom)
        if measures:
            found = _measured(selection, apart=compare and len(files) == 2)
            if page is not None:
                command = _command(
                    files, where, distinct=distinct, unchecked=unchecked, game=game, compare=compare
                )
                _write_page(
                    page, found, files, command, compare=compare, as_json=as_json, quiet=quiet
                )
            elif compare:
                _print_compared(selection, found, files, as_json=as_json, as_csv=as_csv)
            else:
                _print(
                    selection,
                    csv=(lambda: to_csv(found.rows())) if as_csv else None,
                    counts=found.to_json if as_json else None,
                    shown=lambda terminal: terminal.print_measures(found),
                )
            counted = found.games
        elif openings:
            counted = _of_openings(selection, opening_plies, as_json=as_json, as_csv=as_csv)
        else:
            counted = _of_all(selection, opening_plies, endings=endings, as_json=as_json)
    left_out_words = selection.left_out_words()
    if not quiet and (where or left_out_words):
        words = f"{counted} of {count_of(selection.records, 'record')} counted{left_out_words}"
        print(fitted(words, sys.stderr), file=sys.stderr)
    raise typer.Exit(1 if selection.bad else 0)


def _of_openings(selection: Selection, plies: int, *, as_json: bool, as_csv: bool) -> int:
    """Print the results of each opening; return the number of games that counted."""
    openings = OpeningCounter(plies)
    for _, record in selection:
        openings.add(record)
    _print(
        selection,
        csv=openings.to_csv if as_csv else None,
        counts=openings.to_json if as_json else None,
        shown=lambda terminal: terminal.print_openings(openings),
    )
    return openings.games


def _measured(selection: Selection, *, apart: bool) -> Measures:
    """Return the metrics of the games, per file if `apart`."""
    found = Measures()
    for entry, record in selection:
        try:
            found.add(record, str(selection.path) if apart else "")
        except GameError as error:
            selection.refuse(entry, error)
    return found


def _two_of(found: Measures, files: list[Path]) -> list[tuple[str, GameGroup]]:
    """Return the two groups of games with their files; raises ConfigError if there are not two."""
    groups = [(source, group) for source, group in found.groups if group.games]
    sources = [source for source, _ in groups]
    if len(groups) != 2 or len(set(sources)) != (2 if len(files) == 2 else 1):
        names = ", ".join(f"{source} {group.game}".strip() for source, group in groups)
        raise ConfigError(
            f"--compare: needs two game types, or two files of one game type each; found "
            f"{names or 'no games'}",
            hint="--where 'game = GAME' selects games",
        )
    return groups


def _print_compared(
    selection: Selection, found: Measures, files: list[Path], *, as_json: bool, as_csv: bool
) -> None:
    """Print the differences of two groups of games; raises ConfigError if there are not two."""
    groups = _two_of(found, files)
    (_, one), (_, other) = groups
    compared = compare_groups(one, other)
    names_of = _names(groups)

    def counts() -> dict[str, Any]:
        return {
            "by_game": [
                {"name": name, **group.to_json()}
                for name, (_, group) in zip(names_of, groups, strict=True)
            ],
            "compared": compared_to_json(compared, one, other),
        }

    _print(
        selection,
        csv=(lambda: to_csv(compared_rows(compared, one, other))) if as_csv else None,
        counts=counts if as_json else None,
        shown=lambda terminal: terminal.print_compared(names_of, (one, other), compared),
    )


def _names(groups: list[tuple[str, GameGroup]]) -> tuple[str, str]:
    """Return names for two groups: their game types, or the names or paths of their files."""
    for names in (
        [group.game for _, group in groups],
        [Path(source).name for source, _ in groups],
        [source for source, _ in groups],
    ):
        if len(set(names)) == 2:
            break
    return names[0], names[1]


def _refuse_page(out: Path, files: list[Path], *, measures: bool, as_csv: bool) -> None:
    """Raise BadParameter or ConfigError for options that do not fit a page."""
    if not measures:
        raise typer.BadParameter("--html: needs --measures")
    if as_csv:
        raise typer.BadParameter("--html: cannot be combined with --csv")
    if is_one_of(out, files):
        raise ConfigError(f"--html: {out} is a record file that is read", hint="--html OTHER")


def _command(
    files: list[Path],
    where: str | None,
    *,
    distinct: bool,
    unchecked: bool,
    game: list[str] | None,
    compare: bool,
) -> str:
    """Return the command for the same metrics."""
    flags = {"--compare": compare, "--distinct": distinct, "--unchecked": unchecked}
    words = (
        *("arena", "stats", *map(str, files), "--measures"),
        *(flag for flag, is_given in flags.items() if is_given),
        *(() if where is None else ("--where", where)),
        *(word for one in game or () for word in ("--game", one)),
    )
    return shlex.join(words)


def _write_page(
    output: Target,
    found: Measures,
    files: list[Path],
    command: str,
    *,
    compare: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Write the page with plots and print a note; raises ConfigError."""
    from lath.arena.cli.report_jobs import content_words  # start-up time
    from lath.reports.page.measures import NamedGroup, names_of, render

    out = output.path
    by_source = _two_of(found, files) if compare else found.groups
    groups = [group for _, group in by_source]
    names = _names(by_source) if compare else names_of(groups)
    named = [
        NamedGroup(name=name if name != group.game else title, group=group)
        for name, title, group in zip(names, names_of(groups), groups, strict=True)
    ]
    compared = compare_groups(*groups) if compare else None
    content = render(named, command, str(out), compared).html.encode()
    output.write([content])
    words = [f"{out}: {content_words(found.games, len(content))}"] * (str(out) != "-")
    print_done({"games": found.games, "written": [str(out)]}, *words, as_json=as_json, quiet=quiet)


def _of_all(selection: Selection, plies: int, *, endings: bool, as_json: bool) -> int:
    """Print the statistics of all records; return the number of records that counted."""
    survey = Survey(plies)
    for entry, record in selection:
        try:
            survey.add(record, ending_of(record) if endings else record.termination)
        except GameError as error:
            selection.refuse(entry, error)
    _print(
        selection,
        counts=survey.to_json if as_json else None,
        shown=lambda terminal: terminal.print_survey(survey),
    )
    return survey.together().games


def _print(
    selection: Selection,
    *,
    csv: Callable[[], str] | None = None,
    counts: Callable[[], Mapping[str, Any]] | None = None,
    shown: Callable[[ModuleType], None],
) -> None:
    """Print CSV, JSON or tables, as requested."""
    if csv is not None:
        print(csv(), end="")
    elif counts is not None:
        told = {"records": selection.records, "left_out": selection.left_out(), **counts()}
        print(json.dumps(told, indent=2))
    else:
        from lath.arena.terminal import stats as terminal  # saves 100 ms with --json

        shown(terminal)
        print(selection.not_counted(), end="")
