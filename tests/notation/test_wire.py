"""The protocol's lines: what is written is read back, and what makes no sense is refused."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lath import games
from lath.notation import protocol as wire
from lath.notation.protocol import Go, NewGame, Option, TimeControl

MS = st.integers(0, 10**9)
POSITIVE = st.integers(1, 10**9)
TIMES = st.one_of(
    st.just(TimeControl()),
    st.builds(TimeControl, initial_ms=POSITIVE, increment_ms=MS, first_ms=MS),
    st.builds(TimeControl, move_ms=POSITIVE, first_ms=MS),
    st.builds(TimeControl, nodes=POSITIVE),
)
SETUPS = st.sampled_from(
    ["FABCDE/EFABCD/DEFABC/CDEFAB/BCDEFA/ABCDEF", "e5 c3", "-", "setup position seed 3 tc none"]
)
POSITIONS = st.sampled_from([games.get(game_id).start().text() for game_id in games.builtin_ids()])
STARTS = st.one_of(
    st.just((None, None)), st.tuples(SETUPS, st.none()), st.tuples(st.none(), POSITIONS)
)


NEW_GAMES = STARTS.flatmap(
    lambda start: st.builds(
        NewGame,
        number=st.integers(0),
        game=st.sampled_from(games.ids()),
        side=st.sampled_from(["first", "second"]),
        time=TIMES,
        seed=st.integers(0, 2**64),
        setup=st.just(start[0]),
        position=st.just(start[1]),
    )
)


@given(NEW_GAMES)
def test_a_new_line_reads_back(new: NewGame) -> None:
    assert wire.read_new(new.line()) == new
    assert wire.read_new(new.line() + "\r\n") == new


FORMER = re.compile(
    r"new (\d+) (\S+)(?: .*?)? side (\S+)(?: .*?)? "
    r"tc (?:none|move \d+|nodes \d+|\d+\+\d+) seed (\d+)(?: (setup|position) ?(.*)| .*)?"
)
"""As the bots of 0.1.0 read `new`."""


@given(NEW_GAMES)
def test_bots_of_former_versions_read_a_new_line_with_a_time_for_the_first_move(
    new: NewGame,
) -> None:
    found = FORMER.fullmatch(new.line())
    assert found is not None
    start = new.setup if new.position is None else new.position
    assert found[3] == new.side
    assert (found[4], found[6]) == (str(new.seed), start)


@given(POSITIVE, TIMES, MS, MS)
def test_a_go_line_reads_back(ply: int, time: TimeControl, first_ms: int, second_ms: int) -> None:
    go = wire.read_go(wire.go_line(ply, time, first_ms, second_ms))
    if time.has_clock:
        assert go == Go(ply, first_ms, second_ms, time.increment_ms)
    else:
        assert go == Go(ply, move_ms=time.move_ms or None, nodes=time.nodes or None)


NONSENSE: dict[str, tuple[Callable[[str], object], list[str]]] = {
    "a new game": (
        wire.read_new,
        [
            "new",
            "new 1",
            "new x yavalath side first tc none seed 1",
            "new 1 yavalath tc none seed 1",
            "new 1 yavalath side first seed 1",
            "new 1 yavalath side first tc none",
            "new 1 yavalath side first tc none seed",
            "new 1 yavalath side first tc none seed x",
            "new 1 yavalath side first tc 10 20 seed 1",
            "new 1 yavalath side first tc seed 1",
            "new 1 yavalath side first tc move seed 1",
            "new 1 yavalath side first tc x+y seed 1",
        ],
    ),
    "a go line": (wire.read_go, ["go", "go x", "go 1_0", "go 1 first x", "go 2 nodes 1.5"]),
    "an option": (
        wire.read_option,
        [
            *("option", "option name x", "option type spin", "option name type spin"),
            *("option name x type", "option name x type float", "option name x type spin min one"),
            "option name x type spin min 1_0",
        ],
    ),
}


def test_a_line_that_makes_no_sense_is_refused_with_the_line() -> None:
    for what, (read, lines) in NONSENSE.items():
        for line in lines:
            with pytest.raises(ValueError, match=f"^not {what}: ") as refusal:
                read(line)
            assert repr(line) in str(refusal.value)


def test_words_of_a_go_line_that_nobody_knows_are_ignored() -> None:
    assert wire.read_go("go 3 move 100 mood fine") == Go(3, move_ms=100)


def test_the_lines_of_the_arena_are_as_the_protocol_shows_them() -> None:
    clock = TimeControl(initial_ms=60000, increment_ms=600)
    assert wire.HELLO == "arena 1"
    assert wire.go_line(2, clock, 59400, 60000) == "go 2 first 59400 second 60000 inc 600"
    assert wire.go_line(2, TimeControl(move_ms=500), 0, 0) == "go 2 move 500"
    assert wire.go_line(2, TimeControl(nodes=9), 0, 0) == "go 2 nodes 9"
    assert wire.go_line(2, TimeControl(), 0, 0) == "go 2"
    assert wire.result_line(17, "0-1", "rules") == "result 17 0-1 rules"
    assert wire.setoption_line("use book", True) == "setoption name use book value true"
    assert wire.setoption_line("threads", 2) == "setoption name threads value 2"


OPTIONS = {
    "threads type spin default 1 min 1 max 8": Option("threads", "spin", "1", 1, 8),
    "use book type check default true": Option("use book", "check", "true"),
    "style type combo default calm var calm var wild": (
        Option("style", "combo", "calm", choices=("calm", "wild"))
    ),
    "book type string": Option("book", "string"),
    "book file type string default my book.lath": Option("book file", "string", "my book.lath"),
    "style type combo var very calm var wild default very calm": (
        Option("style", "combo", "very calm", choices=("very calm", "wild"))
    ),
    "clear type button\r\n": Option("clear", "button"),
}


def test_an_option_line_is_read() -> None:
    assert {line: wire.read_option(f"option name {line}") for line in OPTIONS} == OPTIONS


SPIN = Option("threads", "spin", "1", 1, 8)
CHECK = Option("book", "check", "true")
COMBO = Option("style", "combo", "calm", choices=("calm", "wild"))


VALUES: list[tuple[Option, object, str | None]] = [
    (SPIN, 1, None),
    (SPIN, "8", None),
    (Option("n", "spin"), -3, None),
    (CHECK, True, None),
    (CHECK, "false", None),
    (COMBO, "wild", None),
    (Option("path", "string"), "any thing", None),
    (SPIN, 0, "a whole number from 1 to 8"),
    (SPIN, "9", "a whole number from 1 to 8"),
    (SPIN, "two", "a whole number from 1 to 8"),
    (SPIN, "\u0661", "a whole number from 1 to 8"),
    (Option("n", "spin", minimum=1), 0, "a whole number"),
    (CHECK, "maybe", "true or false"),
    (COMBO, "mad", "one of calm, wild"),
]


def test_a_value_is_right_or_answered_with_what_the_option_can_take() -> None:
    found = [(option, value, option.wrong_with(value)) for option, value, _ in VALUES]
    assert found == VALUES


INFO: dict[str, dict[str, str]] = {
    "info depth 5 eval 0.34 nodes 8120 pv swap d4": (
        {"depth": "5", "eval": "0.34", "nodes": "8120", "pv": "swap d4"}
    ),
    "info": {},
    "info text depth 3 is enough": {"text": "depth 3 is enough"},
    "info eval -1": {"eval": "-1"},
    "info eval 1.5 depth 2": {"depth": "2"},
    "info eval nan nodes 7": {"nodes": "7"},
    "info eval inf": {},
    "info depth -1 nodes x": {},
    "info depth 2.5": {},
    "info depth": {},
    "info mood fine depth 4": {"depth": "4"},
    "info depth 3 depth 4": {"depth": "4"},
    "info pv": {"pv": ""},
}


def test_an_info_line_tells_what_makes_sense_of_it() -> None:
    assert {line: wire.read_info(line) for line in INFO} == INFO


@given(st.text(max_size=80))
def test_no_text_of_a_bot_makes_reading_raise_anything_but_a_value_error(text: str) -> None:
    wire.read_info(f"info {text}")
    with suppress(ValueError):
        wire.read_option(f"option {text}")


KNOWN_WORDS = (
    "new", "1", "side", "first", "tc", "none", "move", "5", "seed", "7", "setup", "position", "x",
    "option", "name", "type", "spin", "min", "go", "nodes",
)  # fmt: skip


@given(st.lists(st.sampled_from(KNOWN_WORDS)))
def test_no_order_of_known_words_makes_reading_raise_anything_but_a_value_error(
    words: list[str],
) -> None:
    for read in (wire.read_new, wire.read_go, wire.read_option):
        with suppress(ValueError):
            read(" ".join(words))
