"""What a text from outside may hold at most: every reader refuses more, in words."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest
from any_commands import LONG, USUAL, leaves, met
from commands import arena
from strange_requests import Asking

from lath.notation.files.bounds import (
    MOST,
    BoundsError,
    half_in,
    read_json,
    read_toml,
    value_at,
    whole_number,
)

if TYPE_CHECKING:
    from golden import Golden

BOTS = '\n[[bot]]\nname = "greedy"\n\n[[bot]]\nname = "random"\n'


DEEP: Final = 101


def test_json_beyond_the_bounds_is_refused(golden: Golden) -> None:
    said = {}
    beyond: dict[str, str | bytes] = {
        "a long number": LONG,
        "a long number below 0": f"-{LONG}",
        "a float": "1e400",
        "a number of 65 bits": str(2**64),
        "a number of 400 zeros": "1" + "0" * 400,
        "not a number": "[NaN]",
        "infinity": "-Infinity",
        "open lists": "[" * 100_000,
        "lists": "[" * DEEP + "]" * DEEP,
        "objects": '{"a":' * DEEP + "1" + "}" * DEEP,
        "half a character": r'["\ud800"]',
        "half a character of a name": r'{"\udfff": 1}',
        "a name twice": '{"a": 1, "a": 2}',
        "two values": "1 2",
        "nothing": "",
        "no UTF-8": b"\xff",
    }
    for name, text in beyond.items():
        with pytest.raises(BoundsError) as refusal:
            read_json(text)
        said[name] = str(refusal.value)
    golden(said)


def test_what_is_within_the_bounds_is_read() -> None:
    for value in ({"a": [1, 2.5, "é", None, True]}, -MOST, 2**64 - 1, "\U0001f600", 1e308):
        text = json.dumps(value)
        assert read_json(text) == read_json(f" {text}\n".encode()) == value
    kept: Any = {"name": "ann\ud83c", "elo": 10**300}
    assert value_at(json.dumps(kept), 0, is_kept=True)[0] == kept
    assert (half_in("ann\ud83c"), half_in("Änn")) == (True, False)
    assert read_toml('a = 1\n[b]\nc = ["x"]\n') == {"a": 1, "b": {"c": ["x"]}}
    numbers = [whole_number(text) for text in ("7", "007", "-7", "1_0", "٣", "", LONG)]
    assert numbers == [7, 7, None, None, None, None, None]
    assert whole_number("-7", least=-9) == -7


CONFIGURATIONS: Final = (
    *(f"rounds = {LONG}", f"rounds = 0x{'f' * 5000}", f"rounds = 1{'0' * 400}", "rounds = nan"),
    *("rounds = 1e400", f"rounds = {'[' * 5000}", r'event = "\ud800"'),
    *(f"[time]\ninitial = 1{'0' * 400}", "[time]\ninitial = nan", "[time]\nmargin = inf"),
)
OPTIONS: Final = ("nan", "inf", "-inf", "1e400", f"1{'0' * 400}", r'"a\u0000b"')
LINES: Final = (
    *("select x.lath --where \udcff", "games moves \udcff"),
    *("solve yavalath --nodes 1000000000000000", "solve yavalath --seconds inf"),
    "analyze games.lath -o out.lath --nodes 9223372036854775807",
    "analyze games.lath -o out.lath --seconds 1e400",
    "puzzles make yavalath -o made.lath --nodes 1000000000000000",
    *("bot check greedy --puzzles --tc nodes", f"run --seed {'9' * 5000} --plan"),
)


def test_what_is_beyond_the_bounds_is_answered_as_any_mistake(
    golden: Golden, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("games.lath").write_text('[Game "yavalath"]\n\n1. e5 *\n')
    configurations = [f"{line}\n{BOTS}" for line in CONFIGURATIONS]
    configurations += [f"{BOTS}options = {{ level = {value} }}\n" for value in OPTIONS]
    said = []
    for text in configurations:
        Path("cup.toml").write_text(text)
        ran = arena("run", "cup.toml", "--plan", "--output", "out")
        assert (ran.status, ran.out) == (2, ""), text
        said.append(ran.err.splitlines()[-1])
    for line in LINES:
        ran = arena(*line.split())
        assert (ran.status, ran.out) == (2, ""), line
        said.append(ran.err.splitlines()[-1])
    golden(re.sub(r"(0{9}|9{9})[09]+", r"\1…", "\n".join(said)))


# Anything at all


@pytest.mark.slow
def test_the_site_answers_whatever_it_is_asked(tmp_path: Path) -> None:
    found = Asking(tmp_path).many(0, 200)
    assert {200, 400, 404, 411} <= found.keys()


def test_every_number_of_a_command_line_is_read_by_one_of_ours() -> None:
    """The command line's own readers take infinities, `1_0` and digits of any script."""
    read_by = {
        (name, one.name): one.type_descriptor.parameter_info.parser
        for name, command in leaves().items()
        for one in command.params
        if one.type_descriptor.annotation in (int, float)
    }
    assert len(read_by) > 40
    assert [where for where, parser in read_by.items() if parser is None] == []


def test_every_command_is_tried_with_anything() -> None:
    assert USUAL.keys() == leaves().keys()


SELDOM: Final = frozenset(
    {
        *("run", "match", "tune", "doctor", "analyze", "bot check", "bot pack", "init", "report"),
        *("puzzles make", "puzzles check"),
    }
)
"""Commands that start bots, or take long otherwise."""


@pytest.mark.slow
@pytest.mark.parametrize("name", USUAL)
def test_a_command_takes_or_refuses_anything(name: str) -> None:
    statuses = {met(name, number).status for number in ([1] if name in SELDOM else range(3))}
    assert statuses <= {0, 1, 2, 3, 5, 10, 11, 12}
