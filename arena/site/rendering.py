"""The site's own templates, styles and scripts, beside those of the report."""

from __future__ import annotations

from functools import cache
from typing import Final

import jinja2

from lath.notation.files.files import folder_of
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
