"""What is in an archive, as tables in the terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from lath.arena.terminal.tables import framed
from lath.notation.errors import printable
from lath.reports.archive import Numbers, Summary

if TYPE_CHECKING:
    from rich.table import Table


def print_summary(summary: Summary) -> None:
    """Print the tables to standard output."""
    console = Console(highlight=False)
    if summary.numbers is None:
        console.print("no games")
        return
    for table in _tables(summary, summary.numbers, console):
        console.print(table)
        console.print()
    console.print(_words(summary, summary.numbers))


def _tables(summary: Summary, numbers: Numbers, console: Console) -> Iterator[Table]:
    yield _lengths(summary, numbers)
    results = _results(summary, numbers, _part)
    unlimited = console.options.update(max_width=1000)
    is_wide = console.measure(results, options=unlimited).maximum > console.width
    yield _results(summary, numbers, _rate) if is_wide else results
    yield _endings(summary)
    if any(game.openings for game in summary.games):
        yield _openings(summary)


def _table(title: str, words: Iterable[str], numbers: Iterable[str]) -> Table:
    """Return an empty table with these columns, as narrow as they can be."""
    table = framed(title)
    table.show_edge = False
    table.padding = (0, 1, 0, 0)
    for heading in words:
        table.add_column(heading, overflow="fold", min_width=8)
    for heading in numbers:
        table.add_column(heading, justify="right", no_wrap=True)
    return table


def _rows(summary: Summary, numbers: Numbers) -> Iterator[tuple[Text, Numbers]]:
    """Yield what stands in a row for each game, and for all of them if there are several."""
    for game in summary.games:
        yield _text(game.game, "bold"), game.numbers
    if len(summary.games) > 1:
        yield _text("all", "bold"), numbers


def _lengths(summary: Summary, numbers: Numbers) -> Table:
    headings = ("games", "%", "plies", "shortest", "median", "mean", "longest")
    table = _table("Games and their plies", ["game"], headings)
    for name, of_game in _rows(summary, numbers):
        lengths = of_game.lengths
        table.add_row(
            name,
            f"{of_game.games:,}",
            _rate(of_game.games, numbers.games),
            f"{of_game.plies:,}",
            f"{lengths.shortest:,}",
            f"{lengths.median:,g}",
            f"{lengths.mean:,.1f}",
            f"{lengths.longest:,}",
        )
    return table


def _results(summary: Summary, numbers: Numbers, shown: Callable[[int, int], str]) -> Table:
    headings = ["first won", "second won", "draw", "first scored"]
    if numbers.results.unfinished:
        headings.insert(3, "unfinished")
    table = _table("Results", ["game"], headings)
    for name, of_game in _rows(summary, numbers):
        results = of_game.results
        parts = [results.first, results.second, results.draws, results.unfinished]
        cells = [shown(part, of_game.games) for part in parts[: len(headings) - 1]]
        table.add_row(name, *cells, _percent(results.first_score))
    return table


def _endings(summary: Summary) -> Table:
    table = _table("Endings", ["game", "ending"], ["games", "%"])
    for game in summary.games:
        for number, (ending, count) in enumerate(game.endings):
            share = _rate(count, game.numbers.games)
            table.add_row(_once(game.game, number), _text(ending), f"{count:,}", share)
    return table


def _openings(summary: Summary) -> Table:
    title = "Openings" if summary.opening_plies == 1 else f"First {summary.opening_plies} plies"
    table = _table(title, ["game", "moves"], ["games", "%", "first scored"])
    for game in summary.games:
        for number, opening in enumerate(game.openings):
            table.add_row(
                _once(game.game, number),
                _text(" ".join(opening.moves)),
                f"{opening.games:,}",
                _rate(opening.games, game.opening_games),
                _percent(opening.first_score),
            )
    return table


def _once(name: str, number: int) -> Text:
    """Return the name, but only for the first of a game's rows."""
    return _text("" if number else name, "bold")


def _text(words: str, style: str = "") -> Text:
    return Text(printable(words), style=style)


def _words(summary: Summary, numbers: Numbers) -> str:
    told = f"{numbers.games:,} games, {numbers.plies:,} plies, {summary.players:,} players"
    if summary.first_date:
        told += f"; {summary.first_date} to {summary.last_date}"
        told += f", {summary.undated:,} without a date" if summary.undated else ""
    missed = max(game.opening_missed for game in summary.games)
    if missed:
        told += f"\nopenings may be counted too low, by up to {missed:,}: rare ones were forgotten"
    return told


def _part(part: int, whole: int) -> str:
    """Return a number and its share; shares of a column stand below each other."""
    return f"{part:,} {_rate(part, whole):>6}"


def _rate(part: int, whole: int) -> str:
    return _percent(part / whole if whole else None)


def _percent(rate: float | None) -> str:
    return "-" if rate is None else f"{rate:.1%}"
