"""`arena analyze` marks what is so by proof and keeps what people wrote; reports merge it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import commands
import pytest
from exhaustive import value_of
from report_pages import ANALYSED

from lath import games
from lath.arena import Engine, Limit
from lath.arena.engine.analysing import Analyst, AnswerCache, analysed
from lath.arena.engine.solving import Solved, Value
from lath.arena.errors import ConfigError
from lath.arena.tournament.outcome.sources import Doubt, records_of, with_analysis
from lath.games.core import Move
from lath.notation import Record, parse, positions, read
from lath.notation.record.tags import ANALYSIS, BY

pytestmark = pytest.mark.slow

LOST_IN_THE_END: Final = """
[Game "surikata"]
[First "ann"]
[Second "bob"]
[Position "1wwom/2w1o/omm1o/w1m2/m4 c5 o"]
[Termination "rules"]
[Result "0-1"]

1. b1 {[%emt 1.000] [%eval 0.2] hm} 2. d4 3. b2! {mine} (3. d2 {or so}) 4. d2 5. c1 0-1
"""

BLUNDERS: Final = """
[Game "yavalath"]
[Position "5/6/7/8/1ww1w4/bb1b4/7/6/5 w"]
[Termination "rules"]
[Result "0-1"]

1. a1 2. d3 0-1
"""


@pytest.fixture(scope="module")
def solver() -> Iterator[Engine]:
    with Engine.open("solver") as engine:
        yield engine


def analyst(solver: Engine, file: Path | None = None) -> Analyst:
    return Analyst(solver, "solver nodes 8000", Limit(nodes=8000), AnswerCache(file))


@pytest.fixture(scope="module")
def surikata(solver: Engine) -> Record:
    return analyst(solver).record(parse(LOST_IN_THE_END))


def test_values_are_those_of_exhaustive_search(surikata: Record) -> None:
    at = list(positions(surikata))
    for ply, before, now in list(zip(surikata.plies, at, at[1:], strict=False))[1:]:
        sign = 1 if now.to_move == before.to_move else -1
        assert ply.eval == sign * value_of(now, 20_000)


def test_a_result_that_is_thrown_away_is_marked_and_the_better_move_shown(
    surikata: Record, solver: Engine
) -> None:
    assert [ply.glyph for ply in surikata.plies[2:]] == ["!", "", "??"]
    (better,) = surikata.plies[-1].variations
    at = list(positions(surikata))[-2]
    assert value_of(at.play(Move(better.plies[0].move)), 20_000) == -1  # for who is to move then
    missed, won = analyst(solver).record(parse(BLUNDERS)).plies
    assert (missed.glyph, missed.eval) == ("??", -1.0)
    assert [ply.move for ply in missed.variations[0].plies] == ["e4"]
    assert (won.glyph, won.eval) == ("", 1.0)  # not the only one that wins


def test_what_people_wrote_stays_and_a_second_analysis_replaces_its_own(
    surikata: Record, solver: Engine
) -> None:
    before = parse(LOST_IN_THE_END)
    assert surikata.plies[0].used_s == 1.0
    assert surikata.plies[2].glyph == "!"
    assert surikata.plies[2].variations == before.plies[2].variations
    assert surikata.tag(ANALYSIS) == "solver nodes 8000"
    said = surikata.plies[0].annotation("said")
    assert said
    assert said.value == "0.2"
    assert analyst(solver).record(surikata) == surikata
    assert all(not ply.annotation(BY) for ply in before.plies)


def test_what_was_asked_is_not_asked_again(solver: Engine, tmp_path: Path) -> None:
    file = tmp_path / "kept"
    first = analyst(solver, file).record(parse(LOST_IN_THE_END))
    closed = Engine.open("solver")
    closed.close()
    again = Analyst(closed, "solver nodes 8000", Limit(nodes=8000), AnswerCache(file))
    assert again.record(parse(LOST_IN_THE_END)) == first
    told = AnswerCache(file).get("solver nodes 8000|surikata|1wwom/2w1o/omm1o/w1m2/m4 c5 o")
    assert isinstance(told, Solved)


def test_records_come_in_their_order_whoever_is_done_first(solver: Engine) -> None:
    texts = [BLUNDERS, LOST_IN_THE_END, BLUNDERS, BLUNDERS]
    with Engine.open("solver", options={"fast": "off"}) as other:
        bots = [analyst(solver), Analyst(other, "few", Limit(nodes=100), AnswerCache(None))]
        found = list(analysed(map(parse, texts), bots))
    assert [record.game for record in found] == ["yavalath", "surikata", "yavalath", "yavalath"]


def test_the_command_writes_a_file_that_checks_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    source, out = tmp_path / "games.lath", tmp_path / "out.lath"
    source.write_text(BLUNDERS + LOST_IN_THE_END.replace("0-1", "1-0"))
    words = ("--nodes", "3000", "--bot", "solver; option.fast=off", "-q", "-o", out)
    ran = commands.arena("analyze", source, *words)
    assert ran.status == 1
    assert ran.err.endswith("1 invalid record left out\n")
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["games.lath", "out.lath"]
    assert commands.arena("check", out).status == 0
    (record,) = read(out)
    assert record.plies[0].glyph == "??"


# `arena report --analysis`: games with what was analysed of them, and of no others.

BARE = ANALYSED.split("[Analysis")[0] + "\n1. a1 {[%emt 0.5]} 2. d3 0-1\n"


def merged(tmp_path: Path, text: str, analysed: str) -> tuple[list[Record], list[Doubt]]:
    for name, content in (("games.lath", text), ("analysed.lath", analysed)):
        (tmp_path / name).write_text(content, encoding="utf-8")
    doubts: list[Doubt] = []
    given = records_of([tmp_path / "games.lath"], doubts)
    found = list(with_analysis(given, tmp_path / "analysed.lath", doubts))
    return [one for one in found if isinstance(one, Record)], doubts


def test_a_game_has_the_plies_of_its_analysis_and_its_own_tags_and_others_stay(
    tmp_path: Path,
) -> None:
    ruled = BARE.replace("[Term", '[Ruling "void: by hand"]\n[Term')
    [record], doubts = merged(tmp_path, ruled, ANALYSED)
    assert record.plies == parse(ANALYSED).plies
    assert record.tag("Ruling") == "void: by hand"
    assert record.tag(ANALYSIS) == "solver nodes 5000"
    assert doubts == []
    other = BARE.replace("ann", "cat")
    [record], [doubt] = merged(tmp_path, other, ANALYSED)
    assert record == parse(other)
    assert doubt.words.startswith("1 analysed game is of ")
    with pytest.raises(ConfigError, match="has no analysed records; `arena analyze` makes them"):
        merged(tmp_path, BARE, BARE)


@pytest.mark.parametrize(
    ("value", "best", "glyph"),
    [("unknown", "d4", "?"), ("unknown", "e5", ""), ("draw", "d4", "??"), ("loss", "d4", "")],
)
def test_a_move_that_is_proven_to_lose_is_marked_where_the_bot_knew_another(
    value: Value, best: str, glyph: str, solver: Engine
) -> None:
    before = games.get("yavalath").start()
    judge, move = analyst(solver), Move("e5")
    now = before.play(move)
    for position, found in (
        (before, Solved(value=value, line=(Move(best),))),
        (now, Solved(value="win", plies=5)),
    ):
        judge.kept.put(f"{judge.name}|yavalath|{position.text()}", found)
    judged = judge.judged(before, move, now)
    assert (judged.value, judged.glyph) == (-1.0, glyph)
    assert judged.better == ((Move(best),) if glyph else ())
