"""All that a page shows is accessible and replayed right: more views, more games, each ply."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import pytest
from tests.reports import test_page_accessibility as accessibility
from tests.reports import test_replay_in_chromium as replaying

if TYPE_CHECKING:
    from browsing import Visit

MORE_VIEWS: Final = {"played": [("light", 1280), ("dark", 320)], "watched": [("dark", 1280)]}
"""Colour schemes and widths in pixels, by kind of page, besides those of the everyday tests."""

axe = accessibility.axe
open_page = accessibility.open_page
report, tab, replay = replaying.report, replaying.tab, replaying.replay


@pytest.mark.parametrize(
    ("which", "views", "listed"),
    [
        *(pytest.param(kind, views, 25, id=kind) for kind, views in accessibility.VIEWS.items()),
        *(
            pytest.param(kind, views, listed, id=f"more of {kind}-{listed}")
            for kind, views in MORE_VIEWS.items()
            for listed in (10, 25)
        ),
    ],
)
def test_axe_finds_nothing(
    open_page: Callable[..., Any], axe: str, which: str, views: list[tuple[str, int]], listed: int
) -> None:
    scheme, width = views[0]
    opened = open_page(which, width, color_scheme=scheme)
    opened.evaluate(accessibility.LIST, str(listed))
    accessibility.finds_nothing(opened, axe, views)


def test_axe_finds_nothing_in_forced_colours_by_any_rule(
    open_page: Callable[..., Any], axe: str
) -> None:
    opened = open_page("played", forced_colors="active")
    accessibility.finds_nothing_in_forced_colours(opened, axe)


@pytest.mark.parametrize(
    ("which", "width", "listed"),
    [
        *((kind, width, 25) for kind in ("played", "outcome", "hostile") for width in (320, 1280)),
        ("played", 320, 10),
        ("outcome", 1280, 10),
        ("hostile", 1280, 10),
    ],
)
def test_the_tab_key_reaches_all_in_the_documents_order_and_shows_where_it_is(
    open_page: Callable[..., Any], which: str, width: int, listed: int
) -> None:
    opened = open_page(which, width, reduced_motion="reduce")
    accessibility.tab_reaches_all(opened, listed)


def test_games_unpack_to_what_the_rules_say_at_each_ply(replay: Visit, report: str) -> None:
    replaying.test_games_unpack_to_what_the_rules_say(1, replay, report)
