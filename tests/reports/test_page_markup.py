"""The pages are valid HTML by html-validate (from npm; `make web` installs it)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pytest
from markup import problems_in
from report_pages import PAGES
from tools import needs

from lath.reports.page.page import Page

pytestmark = [pytest.mark.slow, needs("node", "npm")]

Pages = Callable[[str], Page]


WRONG: Final = "wrong.html"
"""The one page there that is not valid."""


@pytest.fixture(scope="module")
def problems(the_page: Pages, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What html-validate says of the pages of all kinds and a wrong one: file, line, rule, words.

    One run of it for all.
    """
    folder = tmp_path_factory.mktemp("pages")
    for kind in PAGES:
        (folder / f"{kind}.html").write_text(the_page(kind).html, encoding="utf-8")
    wrong = the_page("empty").html.replace("<main", '<p id="x"></div><main id="x"', 1)
    (folder / WRONG).write_text(wrong, encoding="utf-8")
    return problems_in(folder)


def test_every_kind_of_report_is_valid(problems: list[str]) -> None:
    assert [said for said in problems if not said.startswith(f"{WRONG}:")] == []


def test_the_validator_would_tell(problems: list[str]) -> None:
    told = [said for said in problems if said.startswith(f"{WRONG}:")]
    assert {said.split()[1] for said in told} >= {"no-dup-id:", "close-order:"}
