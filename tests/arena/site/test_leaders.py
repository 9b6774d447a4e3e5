"""Who a site says leads a tournament."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from sample_records import bare

from lath.arena.site.shelf import Item
from lath.arena.site.standing import Standings
from lath.notation.record import Record
from lath.reports.export import to_json
from lath.reports.standings import compute

WON, LOST, DRAWN = (bare("ann", "bob", result) for result in ("1-0", "0-1", "1/2-1/2"))


@pytest.mark.parametrize(
    ("games", "leader"),
    [
        ([WON, WON], "ann"),
        ([WON, LOST, DRAWN], ""),
        ([WON, bare("x", "y", "1-0")], ""),
    ],
)
def test_a_site_names_who_leads_alone(games: list[Record], leader: str, tmp_path: Path) -> None:
    """Equals lead together, and bots that never met lead nobody; who has won all is listed, too."""
    told = to_json(compute(games))
    (tmp_path / "standings.json").write_text(json.dumps(told))
    standings = Standings(is_public=True, is_ours=lambda _: False)
    line = standings.line(Item(key="cup", name="cup", path=tmp_path, kind="tournament"))
    assert line["leader"] == leader
    rows = standings.of(tmp_path)["standings"]
    assert [row["name"] for row in rows] == [row["name"] for row in told["overall"]["rows"]]
