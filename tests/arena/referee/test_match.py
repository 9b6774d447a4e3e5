"""A game between two bots: what it leaves in the record and the log, and what the bots are told.

The bots are scripts.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import bad_bots
import odd_bots
import pytest
from bad_bots import Good
from one_game import CLOCK, Table, a_table, record_of
from scripted import scripted

from lath import games
from lath.arena.errors import GameVoidError
from lath.arena.referee.clock import Limits
from lath.arena.referee.match import Adjudication, Arbiter
from lath.games.core import Position, Side
from lath.notation.protocol import TimeControl
from lath.notation.record.record import Annotation
from lath.notation.record.tags import Termination
from lath.notation.rules.replay import positions

FIRST, SECOND = Side.FIRST, Side.SECOND

OPTIONS: dict[str, object] = {"options": {"depth": 3, "book": False}}
EVENT = (("Event", "Cup"), ("Date", "2026-11-20"))
MAMMALATH_SETUP = games.get("mammalath").draw_setup(4)


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    """Give a table at which bots are scripts."""
    with scripted(), a_table(tmp_path) as table:
        yield table


def test_the_tags_say_what_was_played_by_whom_and_how_it_ended(table: Table) -> None:
    record = record_of(table.play(game="mammalath", setup=MAMMALATH_SETUP, tags=EVENT))
    assert record.tags == (
        ("Game", "mammalath"),
        ("Event", "Cup"),
        ("Date", "2026-11-20"),
        ("Round", "4"),
        ("First", "ann"),
        ("Second", "bob"),
        ("Setup", MAMMALATH_SETUP),
        ("TimeControl", "10+0.5"),
        ("Number", "17"),
        ("Termination", "rules"),
        ("Result", record.result),
    )


def test_each_move_carries_its_time_and_what_the_clock_shows_after_it(table: Table) -> None:
    played = table.play(bad_bots.ThinksABit, Good)
    left = [10.0, 10.0]
    used = [0.0, 0.0]
    for index, ply in enumerate(record_of(played).plies):
        seat = index % 2
        assert ply.used_s is not None
        used[seat] += ply.used_s
        left[seat] += 0.5 - ply.used_s
        note = ply.annotation("clk")
        assert note is not None
        assert note.number == pytest.approx(left[seat], abs=0.0006 * (index + 2))
    assert [played.first_used_s, played.second_used_s] == pytest.approx(used, abs=0.02)
    assert used[0] >= 0.3
    assert played.first_worst_s == pytest.approx(record_of(played).plies[2].used_s, abs=0.001)


def test_without_a_clock_no_clock_is_noted(table: Table) -> None:
    record = record_of(table.play(time=TimeControl(nodes=10)))
    assert record.tag("TimeControl") == "nodes 10"
    assert all(ply.annotation("emt") and not ply.annotation("clk") for ply in record.plies)


def test_the_last_of_each_that_a_bot_says_of_a_move_is_noted(table: Table) -> None:
    record = record_of(table.play(bad_bots.SaysInfo, Good))
    (told,) = record.plies[2].comments
    assert told[2:] == (
        Annotation("depth", "3"),
        Annotation("eval", "0.25"),
        Annotation("nodes", "7"),
        Annotation("pv", "b1 c1"),
        "so so",
    )
    assert len(record.plies[4].comments[0]) == 2


def test_a_bot_hears_the_whole_game_in_numbered_lines(table: Table) -> None:
    record = record_of(table.play(Good, bad_bots.Listens, specs=({}, OPTIONS)))
    assert record.result == "1-0"
    heard = table.heard("bob")
    assert heard[:4] == [
        "arena 1",
        "setoption name depth value 3",
        "setoption name book value false",
        "new 17 yavalath side second tc 10000+500 seed 992",
    ]
    assert heard[-2:] == ["result 17 1-0 rules", "quit"]
    assert [line for line in heard if line.startswith("play ")] == [
        f"play {ply} {record.moves[ply - 1]}" for ply in range(1, len(record.plies), 2)
    ]
    goes = [line.split() for line in heard if line.startswith("go ")]
    assert [int(words[1]) for words in goes] == list(range(2, len(record.plies) + 1, 2))


def test_who_wants_to_ponder_is_told_on_the_others_turn_where_that_is_allowed(
    table: Table,
) -> None:
    record = record_of(table.play(bad_bots.Ponders, bad_bots.Listens, ponder=True))
    plies = range(2, len(record.plies) + 1, 2)
    heard = [line for line in table.heard("ann") if line.startswith(("go ", "ponder ", "play "))]
    assert heard[1:4] == ["ponder 2", f"play 2 {record.moves[1]}", heard[3]]
    assert heard[3].startswith("go 3 ")
    assert table.heard("ann", "ponder ") == [f"ponder {ply}" for ply in plies]
    assert table.heard("bob", "ponder ") == []
    (table.folder / "bob").unlink()
    table.play(Good, bad_bots.Ponders, ponder=True, opening=("e5", "a1"))
    heard = [line for line in table.heard("bob") if line.startswith(("play ", "ponder "))]
    assert heard[:3] == ["play 1 e5", "play 2 a1", "ponder 3"]
    before = table.heard("bob", "ponder ")
    table.play(Good, bad_bots.Ponders)
    assert table.heard("bob", "ponder ") == before, "nobody has allowed it"


def test_a_game_begins_with_its_opening_for_which_nobody_is_asked(table: Table) -> None:
    opening, kind = ("e5", "swap", "d4"), bad_bots.Listens
    played = table.play(kind, kind, opening=opening, opening_name="book.lath #3")
    record = record_of(played)
    assert (record.moves[:3], record.tag("Opening")) == (opening, "book.lath #3")
    assert [bool(ply.comments) for ply in record.plies[:4]] == [False, False, False, True]
    assert played.first_moves + played.second_moves == played.plies - 3 == len(record.plies) - 3
    for name, first_go in (("ann", "go 5 "), ("bob", "go 4 ")):
        heard = table.heard(name)
        begun = next(at for at, line in enumerate(heard) if line.startswith("new "))
        assert heard[begun + 1 : begun + 4] == ["play 1 e5", "play 2 swap", "play 3 d4"]
        assert table.heard(name, "go ")[0].startswith(first_go)


def test_the_time_of_an_answer_that_is_no_move_counts(table: Table) -> None:
    played = table.play(Good, bad_bots.ThinksAndResigns)
    (asked,) = [ply.used_s for ply in record_of(played).plies[1::2]]
    assert asked is not None
    assert played.second_used_s >= asked + 0.1
    assert played.second_worst_s >= 0.1
    assert played.second_moves == 2


def test_a_bot_hears_the_clocks_as_they_stand(table: Table) -> None:
    record = record_of(table.play(Good, bad_bots.Listens))
    goes = [line.split() for line in table.heard("bob") if line.startswith("go ")]
    for words, ply in zip(goes[1:], range(3, 100, 2), strict=False):
        assert words[2::2] == ["first", "second", "inc"]
        notes = [record.plies[index].annotation("clk") for index in (ply - 1, ply - 2)]
        shown = [round((note.number or 0.0) * 1000) for note in notes if note]
        assert [int(words[3]), int(words[5])] == pytest.approx(shown, abs=1)
        assert words[7] == "500"


def test_a_bot_that_wants_them_hears_position_and_legal_moves(table: Table) -> None:
    kinds = bad_bots.Listens, Good
    specs: tuple[dict[str, object], dict[str, object]] = (OPTIONS, {})
    record = record_of(table.play(*kinds, specs=specs, game="mammalath", setup=MAMMALATH_SETUP))
    line = list(positions(record))
    asked = [position for position in line[:-1] if position.to_move == 0]
    heard = table.heard("ann")
    assert heard[3].endswith(f"seed 991 setup {MAMMALATH_SETUP}")
    assert [words for words in heard if words.startswith("position ")] == [
        f"position {position.text()}" for position in asked
    ]
    assert [words for words in heard if words.startswith("legal ")] == [
        f"legal {' '.join(position.legal_moves())}" for position in asked
    ]


def test_a_swap_is_a_move_like_others(table: Table) -> None:
    record = record_of(table.play(Good, bad_bots.Swaps))
    assert record.moves[:2] == ("a1", "swap")
    assert record.termination == Termination.RULES


def test_a_bot_with_two_turns_in_a_row_is_asked_twice(table: Table) -> None:
    record = record_of(table.play(bad_bots.Listens, bad_bots.Listens, game="surikata"))
    movers = [position.to_move.word for position in list(positions(record))[:-1]]
    assert movers[3:7] == ["second", "first", "first", "second"]
    asked = [
        (int(line.split()[1]), word)
        for name, word in (("ann", "first"), ("bob", "second"))
        for line in table.heard(name)
        if line.startswith("go ")
    ]
    assert [word for _, word in sorted(asked)] == movers
    second_of_two = next(
        index for index, line in enumerate(table.heard("ann")) if line.startswith("go 6 ")
    )
    since = table.heard("ann")[second_of_two - 3 : second_of_two]
    assert [line.split()[0] for line in since] == ["go", "position", "legal"]


def test_a_thinker_is_told_to_stop_when_the_other_is_gone(table: Table) -> None:
    class_of_first, class_of_second = bad_bots.DiesAfterItsMove, bad_bots.HearsWhileItThinks
    record = record_of(table.play(class_of_first, class_of_second))
    assert (record.result, record.termination) == ("0-1", Termination.CRASH)
    assert table.heard("bob")[-3:] == ["stop", "result 17 0-1 crash", "quit"]


@pytest.mark.parametrize("game", games.builtin_ids())
def test_every_game_is_played_to_its_end(game: str, table: Table) -> None:
    setup = games.get(game).draw_setup(1)
    kind = bad_bots.PlaysAnything
    played = table.play(kind, kind, game=game, setup=setup, time=TimeControl(move_ms=9000))
    end: Position = list(positions(record_of(played)))[-1]
    outcome = end.outcome()
    assert outcome is not None
    assert record_of(played).result == outcome.result
    assert played.stray_lines == 0


# What each has of its own


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


def test_a_first_move_has_its_own_limit_whatever_the_clock_shows(table: Table) -> None:
    long = TimeControl(initial_ms=60_000, first_ms=100)
    late = table.play(bad_bots.OverlooksItsFirstTime, time=long)
    assert (late.result, late.termination) == ("0-1", Termination.TIME)
    assert "{ann (first): no answer within 0.150 s at ply 1" in late.record
    short = TimeControl(initial_ms=200, increment_ms=2000, first_ms=9000)
    fine = table.play(bad_bots.OverlooksItsFirstTime, time=short)
    assert fine.termination is Termination.RULES
    assert "[%clk 0.200]} 2. " in fine.record


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


WINS = Adjudication(win_eval=0.9, win_after=4)
DRAWS = Adjudication(draw_eval=0.05, draw_after=3)
A_WIN = ((FIRST, 0.95), (SECOND, -0.95), (FIRST, 0.95), (SECOND, -0.95))

VERDICTS: dict[str, tuple[Adjudication, tuple[tuple[Side, float | None], ...], str]] = {
    "both see it": (WINS, ((FIRST, 0.95), (SECOND, -0.9), (FIRST, 1.0), (SECOND, -0.99)), "1-0"),
    "second wins": (WINS, ((FIRST, -0.95), (SECOND, 0.9), (FIRST, -1), (SECOND, 0.99)), "0-1"),
    **{
        f"a doubt of {doubt}": (WINS, (*A_WIN[:3], (SECOND, doubt), *A_WIN), "1-0")
        for doubt in (None, 0.5, -0.89, 1.0)
    },
    "one alone": (WINS, ((FIRST, 1.0),) * 20, ""),
    "one alone, then the other": (WINS, (*[(FIRST, 1.0)] * 20, (SECOND, -1.0)), "1-0"),
    "both hope": (WINS, ((FIRST, 1.0), (SECOND, 1.0)) * 10, ""),
    "one is silent": (WINS, ((FIRST, 1.0), (SECOND, None)) * 20, ""),
    "nothing in it": (DRAWS, ((FIRST, 0.0), (SECOND, -0.05), (FIRST, 0.05)), "1/2-1/2"),
    "both are silent": (DRAWS, ((FIRST, None), (SECOND, None)) * 20, ""),
    "no rules": (Adjudication(), ((FIRST, 1.0), (SECOND, -1.0)) * 50, ""),
    "a limit": (Adjudication(plies=3), ((FIRST, None), (SECOND, None), (FIRST, None)), "1/2-1/2"),
}
"""What bots see of their games, ply by ply, and the result as soon as that is there; else none."""


def test_a_game_is_ended_when_both_have_seen_it_for_long_enough_and_not_before() -> None:
    wrong = {}
    for name, (rules, plies, result) in VERDICTS.items():
        arbiter = Arbiter(rules)
        verdicts = [arbiter.judge(ply, *seen) for ply, seen in enumerate(plies, 1)]
        found = ["" if verdict is None else verdict.result for verdict in verdicts]
        if found != [""] * (len(plies) - 1) + [result]:
            wrong[name] = found
    assert wrong == {}


def test_an_opening_longer_than_the_limit_ends_at_the_first_ply() -> None:
    verdict = Arbiter(Adjudication(plies=3)).judge(9, FIRST, None)
    assert verdict is not None
    assert (verdict.why, verdict.words) == (Termination.PLY_LIMIT, "no end by ply 9")


# Its log


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
