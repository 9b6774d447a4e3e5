"""The tables of handwritten pages that are made from the program."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lath.reports.metrics.definitions import MEASURES


def filled(markdown: str) -> str:
    """Return a page's text with a table in the place of each comment that names one."""
    for name, make in {"game metrics": metrics}.items():
        markdown = markdown.replace(f"<!-- table: {name} -->", make())
    return markdown


def metrics() -> str:
    """Return the table of game metrics."""
    rows = [
        (each.name, f"`{each.key}`", each.says, each.needs, each.in_ludii or "-")
        for each in MEASURES
    ]
    return table(("metric", "in JSON", "definition", "needs", "in Ludii"), rows)


def table(heading: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table of Markdown."""
    cells = [heading, ["---"] * len(heading), *rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in cells)
