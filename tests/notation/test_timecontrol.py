"""Time controls: seconds in records, milliseconds in the protocol, four kinds in both."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lath.notation.protocol import TimeControl

if TYPE_CHECKING:
    from golden import Golden

POSITIVE = st.integers(1, 10**11)
KINDS = st.one_of(
    st.just(TimeControl()),
    st.builds(TimeControl, initial_ms=POSITIVE, increment_ms=st.integers(0, 10**11)),
    st.builds(TimeControl, move_ms=POSITIVE),
    st.builds(TimeControl, nodes=POSITIVE),
)
TIMES = st.builds(replace, KINDS, first_ms=st.just(0) | POSITIVE)


READ: Final = (
    ("10+0.1", TimeControl(initial_ms=10_000, increment_ms=100), "10000+100"),
    ("10", TimeControl(initial_ms=10_000), "10000+0"),
    ("60+0", TimeControl(initial_ms=60_000), "60000+0"),
    ("1.001+0.02", TimeControl(initial_ms=1_001, increment_ms=20), "1001+20"),
    ("0.001", TimeControl(initial_ms=1), "1+0"),
    ("move 0.5", TimeControl(move_ms=500), "move 500"),
    ("nodes 1000", TimeControl(nodes=1000), "nodes 1000"),
    ("none", TimeControl(), "none"),
    ("move 0.05 first 1", TimeControl(move_ms=50, first_ms=1000), "move 50"),
    ("5 first 1.5", TimeControl(initial_ms=5000, first_ms=1500), "5000+0"),
    ("nodes 9 first 2.5", TimeControl(nodes=9, first_ms=2500), "nodes 9"),
    ("none first 1", TimeControl(first_ms=1000), "none"),
)


def test_a_time_control_is_read_in_seconds_and_told_to_bots_in_milliseconds() -> None:
    for text, time, words in READ:
        assert TimeControl.read(text) == time
        assert (time.words(), time.has_clock) == (words, "+" in words)
        written = re.sub(r"^([0-9.]+)(?![0-9.+])", r"\1+0", text)  # as short as can be
        assert str(time) == written


@given(TIMES)
def test_the_text_of_a_time_control_reads_back(time: TimeControl) -> None:
    assert TimeControl.read(str(time)) == time


def test_what_is_no_time_control_is_refused_with_the_forms_there_are(golden: Golden) -> None:
    said = []
    for text in (
        *("", " ", "10s", "-1", "1e3", "10+", "+1", "10 + 1", "10+0.1+1", "1.2345", "0", "0+0"),
        *("0.0", "move", "move 0", "move -1", "move 1 2", "nodes", "nodes 0", "nodes 1.5"),
        *("nodes x", "first 1", "10 first", "10 first 0", "none first 0", "0 first 1", "0+1"),
        *("10 first 1 first 1", "None", "none ", "nan", "inf", "1_0", "١٠", "9999999999"),
    ):
        with pytest.raises(ValueError, match=re.escape(repr(text))) as refusal:
            TimeControl.read(text)
        said.append(str(refusal.value))
    golden("\n".join(said))


@given(st.text(max_size=12))
def test_any_text_is_read_or_refused_with_a_value_error(text: str) -> None:
    try:
        time = TimeControl.read(text)
    except ValueError:
        return
    assert TimeControl.read(str(time)) == time


def test_go_says_the_time_of_the_first_move_but_nodes_are_counted_as_ever() -> None:
    clock = TimeControl(initial_ms=5000, increment_ms=50, first_ms=1000)
    assert clock.of_first_go == TimeControl(move_ms=1000)
    assert TimeControl(first_ms=1000).of_first_go == TimeControl(move_ms=1000)
    nodes = TimeControl(nodes=9, first_ms=1000)
    assert nodes.of_first_go == nodes
    assert TimeControl(move_ms=50).of_first_go == TimeControl(move_ms=50)
