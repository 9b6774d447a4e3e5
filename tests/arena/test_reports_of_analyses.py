"""`arena report --analysis`: games of a source with what was analysed of them, and of no others."""

from __future__ import annotations

from pathlib import Path

import pytest
from report_pages import ANALYSED

from lath.arena.errors import ConfigError
from lath.arena.tournament.sources import Doubt, records_of, with_analysis
from lath.notation.record import ANALYSIS, Record
from lath.notation.scanner import parse

BARE = ANALYSED.split("[Analysis")[0] + "\n1. a1 {[%emt 0.5]} 2. d3 0-1\n"


def merged(tmp_path: Path, text: str, analysed: str) -> tuple[list[Record], list[Doubt]]:
    for name, content in (("games.lath", text), ("analysed.lath", analysed)):
        (tmp_path / name).write_text(content, encoding="utf-8")
    doubts: list[Doubt] = []
    given = records_of([tmp_path / "games.lath"], doubts)
    found = list(with_analysis(given, tmp_path / "analysed.lath", doubts))
    return [one for one in found if isinstance(one, Record)], doubts


def test_a_game_has_the_plies_of_its_analysis_and_its_own_tags(tmp_path: Path) -> None:
    ruled = BARE.replace("[Term", '[Ruling "void: by hand"]\n[Term')
    [record], doubts = merged(tmp_path, ruled, ANALYSED)
    assert record.plies == parse(ANALYSED).plies
    assert record.tag("Ruling") == "void: by hand"
    assert record.tag(ANALYSIS) == "solver nodes 5000"
    assert doubts == []


def test_another_game_stays_as_it_is_and_an_analysis_of_none_is_told_of(tmp_path: Path) -> None:
    other = BARE.replace("ann", "cat")
    [record], [doubt] = merged(tmp_path, other, ANALYSED)
    assert record == parse(other)
    assert doubt.words.startswith("1 analysed game is of ")


def test_a_file_that_nobody_analysed_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="has no analysed records; `arena analyze` makes them"):
        merged(tmp_path, BARE, BARE)
