"""A game with openings, positions, each bot's own time, verdicts, and its log."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import bad_bots
import odd_bots
import pytest
from one_game import CLOCK, Table, a_table, record_of
from scripted import scripted

from lath import games
from lath.arena.errors import GameVoidError
from lath.arena.referee.clock import Limits
from lath.arena.referee.match import Adjudication
from lath.notation.protocol import TimeControl
from lath.notation.record import Termination


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    """Give a table at which bots are scripts."""
    with scripted(), a_table(tmp_path) as table:
        yield table


def test_both_bots_hear_the_moves_of_an_opening_and_go_on_from_there(table: Table) -> None:
    opening = ("e5", "swap", "d4")
    played = table.play(
        bad_bots.Listens, bad_bots.Listens, opening=opening, opening_name="book.lath #3"
    )
    assert record_of(played).moves[:3] == opening
    assert record_of(played).tag("Opening") == "book.lath #3"
    for name in ("ann", "bob"):
        assert table.heard(name, "play ")[:3] == ["play 1 e5", "play 2 swap", "play 3 d4"]
    assert table.heard("bob", "go ")[0].startswith("go 4 ")
    assert played.plies == len(record_of(played).plies)
    assert played.first_moves + played.second_moves == played.plies - 3, (
        "nobody has answered for the opening"
    )
    assert all(not ply.comments for ply in record_of(played).plies[:3])


def test_a_game_can_begin_with_any_position(table: Table) -> None:
    start = games.get("yavalath").start()
    for move in ("e5", "d4", "a1"):
        start = start.play(games.get("yavalath").canonical(move))
    played = table.play(bad_bots.Listens, bad_bots.Listens, position=start.text())
    assert record_of(played).tag("Position") == start.text()
    assert table.heard("ann", "new ")[0].endswith(f"seed 991 position {start.text()}")
    assert table.heard("bob", "go ")[0].startswith("go 1 "), "the second stone's owner moves"
    assert table.heard("ann", "go ")[0].startswith("go 2 ")


def test_each_bot_may_have_a_time_control_of_its_own(table: Table) -> None:
    own = {"time": TimeControl(move_ms=700)}
    record = record_of(table.play(bad_bots.Listens, bad_bots.Listens, specs=(own, {})))
    assert record.tag("TimeControl") == ""
    assert record.tag("FirstTimeControl") == "move 0.7"
    assert record.tag("SecondTimeControl") == "10+0.5"
    assert " tc move 700 " in table.heard("ann", "new ")[0]
    assert " tc 10000+500 " in table.heard("bob", "new ")[0]
    assert table.heard("ann", "go ")[1] == "go 3 move 700"
    assert table.heard("bob", "go ")[0] == "go 2 first 0 second 10000 inc 500"
    assert not record.plies[0].annotation("clk")
    assert record.plies[1].annotation("clk")


def test_each_bot_may_have_a_margin_of_its_own(table: Table) -> None:
    def late_ones(margin_s: float) -> str:
        own = {"margin_s": margin_s, "time": TimeControl(move_ms=1)}
        kinds = bad_bots.ThinksABit, bad_bots.Good
        return table.play(*kinds, specs=(own, {}), limits={"margin_s": 0.001}).termination

    assert late_ones(20.0) == "rules"
    assert late_ones(0.01) == Termination.TIME


def test_each_bot_may_have_a_time_of_its_own_to_start(table: Table) -> None:
    own, hasty = {"startup_s": 20.0}, {"startup_s": 0.001}
    assert table.play(bad_bots.Good, bad_bots.Good, specs=(own, own), limits=hasty).plies
    with pytest.raises(GameVoidError, match=r"did not say ok within 0.001 s"):
        table.play(bad_bots.HangsInHandshake, bad_bots.Good, specs=({}, own), limits=hasty)


def test_each_bot_may_have_a_time_of_its_own_to_end(table: Table) -> None:
    kinds = bad_bots.EndsSlowly, bad_bots.EndsSlowly
    table.play(*kinds, specs=({"stop_s": 20.0}, {}), limits={"stop_s": 0.001})
    assert [bot.parting_note for bot in table.bots] == ["", "did not end within 0.001 s of quit"]


def test_who_resigns_at_its_first_turn_is_noted(table: Table) -> None:
    at_once = {"command": odd_bots.command(odd_bots.ResignsAtOnce)}
    told = "resigned at its first turn, before it played a move"
    first = table.play(specs=(at_once, {}))
    assert first.notes == (f"ann {told}",)
    assert table.play(specs=({}, at_once), opening=("e5", "d4")).notes == (f"bob {told}",)
    assert table.play(bad_bots.Resigns).notes == (), "it has played"
    position = games.get("yavalath").start().text()
    assert table.play(specs=(at_once, {}), position=position).notes == (), "it may be lost there"


def test_the_first_move_of_each_bot_is_limited_by_first_alone(table: Table) -> None:
    time = TimeControl(initial_ms=10_000, increment_ms=500, first_ms=7000)
    own = {"time": TimeControl(move_ms=700, first_ms=6000)}
    opening = ("e5",)  # a book's moves are not the bot's
    kinds = bad_bots.Listens, bad_bots.Listens
    record = record_of(table.play(*kinds, specs=({}, own), time=time, opening=opening))
    assert record.tag("FirstTimeControl") == "10+0.5 first 7"
    assert record.tag("SecondTimeControl") == "move 0.7 first 6"
    assert " side first first 7000 tc 10000+500 seed " in table.heard("ann", "new ")[0]
    assert table.heard("bob", "go ")[:2] == ["go 2 move 6000", "go 4 move 700"]
    first, second = table.heard("ann", "go ")[:2]
    assert first == "go 3 move 7000"
    assert second == "go 5 first 10000 second 0 inc 500", "its clock was left alone"
    clock = record.plies[2].annotation("clk")
    assert clock is not None
    assert clock.value == "10.000"


def test_who_takes_too_long_for_its_first_move_loses_whatever_its_clock_shows(table: Table) -> None:
    time = TimeControl(initial_ms=60_000, first_ms=100)
    played = table.play(bad_bots.OverlooksItsFirstTime, time=time)
    assert (played.result, played.termination) == ("0-1", Termination.TIME)
    assert "{ann (first): no answer within 0.150 s at ply 1" in played.record


def test_a_first_move_may_take_longer_than_the_clock_allows_then(table: Table) -> None:
    time = TimeControl(initial_ms=200, increment_ms=2000, first_ms=9000)
    played = table.play(bad_bots.OverlooksItsFirstTime, time=time)
    assert played.termination is Termination.RULES
    assert "[%clk 0.200]} 2. " in played.record


def test_a_bot_with_little_time_of_its_own_loses_by_it_alone(table: Table) -> None:
    hasty = {"time": TimeControl(move_ms=200)}
    played = table.play(bad_bots.ThinksABit, bad_bots.ThinksABit, specs=(hasty, {}))
    assert (played.result, played.termination) == ("0-1", Termination.TIME)
    patient = table.play(bad_bots.ThinksABit, bad_bots.ThinksABit)
    assert patient.termination is Termination.RULES


def test_a_ply_limit_makes_a_draw_that_the_record_names(table: Table) -> None:
    played = table.play(adjudication=Adjudication(plies=5))
    assert (played.result, played.termination, played.plies) == ("1/2-1/2", "ply limit", 5)
    assert record_of(played).comments == (("no end by ply 5",),)


def test_both_bots_being_sure_ends_the_game(table: Table) -> None:
    rules = Adjudication(win_eval=0.8, win_after=4)
    played = table.play(bad_bots.IsSure, bad_bots.IsResigned, adjudication=rules)
    assert (played.result, played.termination, played.plies) == ("1-0", "adjudication", 4)
    assert record_of(played).comments == (("both bots saw at least 0.8 for first for 4 plies",),)


def test_the_log_of_a_game_is_kept_where_it_is_asked_for(table: Table) -> None:
    log = table.play(keep_log=True).log
    lines = [line.split(maxsplit=1)[1] for line in log.splitlines()]
    assert lines[0] == "ann > arena 1"
    assert "ann > new 17 yavalath side first tc 10000+500 seed 991" in lines
    assert "bob < ready 17" in lines
    assert "ann < bestmove 1 a1" in lines
    assert lines.index("ann < bestmove 1 a1") < lines.index("bob > play 1 a1")
    assert lines[-1].endswith("> result 17 1-0 rules")
    times = [float(line.split()[0]) for line in log.splitlines()]
    assert times == sorted(times)
    assert times[0] == 0.0


def test_a_game_that_ended_badly_has_a_log_and_a_good_one_has_none(table: Table) -> None:
    assert table.play().log == ""
    log = table.play(bad_bots.DiesInItsMove).log
    assert "result 17 0-1 crash" in log
    assert log.endswith("-- ann, standard error --\nsegmentation fault, sort of\n")


def test_a_log_begins_with_its_own_game(table: Table) -> None:
    played = table.play(keep_log=True)
    table.bots[0].start(Limits(time=CLOCK))
    assert len(table.bots[0].child.exchange) < 10
    assert played.log.count("> new ") == 2
