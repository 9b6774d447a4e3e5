"""What a game between two bots leaves in the record, and what the bots are told."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import bad_bots
import pytest
from bad_bots import Good
from one_game import Table, a_table, record_of
from scripted import scripted

from lath import games
from lath.games.core import Position
from lath.notation.protocol import TimeControl
from lath.notation.record import Annotation, Termination
from lath.notation.replay import positions

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


def test_a_bot_that_wants_to_ponder_is_told_on_the_others_turn_where_that_is_allowed(
    table: Table,
) -> None:
    record = record_of(table.play(bad_bots.Ponders, bad_bots.Listens, ponder=True))
    plies = range(2, len(record.plies) + 1, 2)
    heard = [line for line in table.heard("ann") if line.startswith(("go ", "ponder ", "play "))]
    assert heard[1:4] == ["ponder 2", f"play 2 {record.moves[1]}", heard[3]]
    assert heard[3].startswith("go 3 ")
    assert table.heard("ann", "ponder ") == [f"ponder {ply}" for ply in plies]
    assert table.heard("bob", "ponder ") == []


def test_nobody_is_told_to_ponder_unless_the_tournament_allows_it(table: Table) -> None:
    table.play(bad_bots.Ponders, Good)
    assert table.heard("ann", "ponder ") == []


def test_who_ponders_hears_of_the_opening_before(table: Table) -> None:
    table.play(Good, bad_bots.Ponders, ponder=True, opening=("e5", "a1"))
    heard = [line for line in table.heard("bob") if line.startswith(("play ", "ponder "))]
    assert heard[:3] == ["play 1 e5", "play 2 a1", "ponder 3"]


def test_a_game_begins_with_its_opening_for_which_nobody_is_asked(table: Table) -> None:
    opening = ("e5", "a1", "i5")
    played = table.play(bad_bots.Listens, bad_bots.Listens, opening=opening)
    record = record_of(played)
    assert record.moves[:3] == opening
    assert [ply.used_s is None for ply in record.plies[:4]] == [True, True, True, False]
    assert played.first_moves + played.second_moves == played.plies - 3 == len(record.plies) - 3
    for name, first_go in (("ann", "go 5 "), ("bob", "go 4 ")):
        heard = table.heard(name)
        begun = next(at for at, line in enumerate(heard) if line.startswith("new "))
        assert heard[begun + 1 : begun + 4] == ["play 1 e5", "play 2 a1", "play 3 i5"]
        goes = [line for line in heard if line.startswith("go ")]
        assert goes[0].startswith(first_go)


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


def test_a_resignation_gives_the_other_the_game(table: Table) -> None:
    record = record_of(table.play(Good, bad_bots.Resigns))
    assert (record.result, record.termination) == ("1-0", Termination.RESIGNATION)
    assert len(record.plies) == 3


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
