"""The site's own templates, styles and scripts, beside those of the report."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

import jinja2

from lath.notation.files.files import folder_of
from lath.reports.page.formats import bracket, swiss_sheet
from lath.reports.page.page import environment_of

TEMPLATES: Final = folder_of("lath.arena.site", "templates")
"""The folder of the site's templates."""


@cache
def environment() -> jinja2.Environment:
    """Return the environment of the site's templates, which can include the report's."""
    report = environment_of(None)
    assert report.loader is not None
    own = jinja2.FileSystemLoader(TEMPLATES)
    return report.overlay(loader=jinja2.ChoiceLoader([own, report.loader]))


MOST_CELLS: Final = 4_000
"""The largest sheet, in results of a bot in a round."""


def sheet_of(standing: Mapping[str, Any], key: str) -> str:
    """Return the sheet of a swiss or the bracket of a knockout as HTML; empty without one.

    The results come from files that the site does not trust, so a damaged one has no sheet. Links
    lead to the tournament's report.
    """
    outcome: dict[str, Any] = {"data": standing.get("format")}
    drawn = environment().get_template("formats.html.j2")
    report = f"../report/{key}"
    try:
        macros: Any = drawn.make_module()
        if rounds := bracket(outcome):
            html = macros.bracket_drawing(rounds, outcome["data"].get("winner"), report)
        elif rows := swiss_sheet(outcome):
            is_small = len(rows) * len(rows[0]["cells"]) <= MOST_CELLS
            html = macros.swiss_drawing(rows, report) if is_small else ""
        else:
            return ""
        return str(html).encode("utf-8", "replace").decode("utf-8")
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        return ""
    except jinja2.TemplateError:
        return ""
