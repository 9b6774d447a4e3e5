"""One position of a record, as `--record N --ply P` names it, whatever is done with it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from commands import arena
from refusals import refusals

from lath.notation import parse
from lath.reports.explaining.better import Better, better_at

if TYPE_CHECKING:
    from golden import Golden

GAMES = """[Game "yavalath"]
[First "ann"]
[Second "bob"]

1. e5 2. a1 3. e6 4. b1 5. e8 6. d1 7. i1 8. c1 0-1

[Game "yavalath"]
[First "bob"]
[Second "ann"]

1. e5 2. a1 *
"""


@pytest.fixture(autouse=True)
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("games.lath").write_text(GAMES)
    return Path("games.lath")


AT = ("--record", "1", "--ply", "6")
"""Before the move i1, where e7 wins."""


@pytest.mark.slow
def test_show_solve_and_analyze_mean_the_same_position() -> None:
    shown = arena("show", "games.lath", *AT)
    assert "record 1: ann - bob, yavalath, after 6. d1" in shown.out
    solver = ("--nodes", "500", "--bot", "solver; option.fast=off")
    solved = arena("solve", "games.lath", *AT, *solver)
    assert (solved.status, "white to move: win in 1 ply: e7" in solved.out) == (0, True)
    earlier = arena("solve", "games.lath", "--record", "1", "--ply", "2", *solver)
    assert (earlier.out != "", "win in 1 ply" in earlier.out) == (True, False)
    analysed = arena("analyze", "games.lath", *AT, *solver, "-q")
    (record,) = [parse(text) for text in [analysed.out]]
    judged = [at for at, ply in enumerate(record.plies, 1) if ply.eval is not None]
    assert (judged, record.plies[6].glyph) == ([7], "??")
    assert record.plies[6].variations[0].plies[0].move == "e7"


def test_a_record_or_ply_that_is_not_there_is_refused_with_how_many_there_are(
    golden: Golden,
) -> None:
    beyond = ("--record 3 --ply 1", "--record 2 --ply 3")
    wrong = [f"{name} games.lath {at}" for name in ("show", "solve", "analyze") for at in beyond]
    wrong += ["solve yavalath --ply 1", "analyze games.lath --ply 1", "solve games.lath"]
    golden(refusals(wrong))


def test_the_better_move_and_its_line_are_proven() -> None:
    record = parse(GAMES.split("\n\n[", maxsplit=1)[0])
    assert better_at(record, 7) == Better(
        played="i1", sort="wins", line=("e7",), against=("c1",), is_end=False
    )
    assert better_at(record, 1) == Better(played="e5")
    lost = parse(GAMES.split("\n\n[", maxsplit=1)[0].replace("7. i1 8. c1 0-1", "7. e7 1-0"))
    assert better_at(lost, 7) == Better(played="e7")
    analysed = better_at(record, 1, ("d4", "a1"))
    assert (analysed.sort, analysed.line) == ("analysis", ("d4", "a1"))
