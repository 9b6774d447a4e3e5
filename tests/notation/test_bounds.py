"""What a text from outside may hold at most: every reader refuses more, in words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from any_commands import LONG, USUAL, leaves, met
from commands import arena
from strange_requests import Asking

from lath.notation.bounds import (
    MOST,
    BoundsError,
    half_in,
    read_json,
    read_toml,
    value_at,
    whole_number,
)

BOTS = '\n[[bot]]\nname = "greedy"\n\n[[bot]]\nname = "random"\n'


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (LONG, "is too large"),
        (f"-{LONG}", "is too large"),
        ("1e400", "is too large"),
        (str(2**64), "is too large"),
        ("1" + "0" * 400, "is too large"),
        ("[NaN]", "NaN is not a number"),
        ("-Infinity", "-Infinity is not a number"),
        ("[" * 100_000, "nested more than 100 deep"),
        ("[" * 101 + "]" * 101, "nested more than 100 deep"),
        ('{"a":' * 101 + "1" + "}" * 101, "nested more than 100 deep"),
        (r'["\ud800"]', "half a letter"),
        (r'{"\udfff": 1}', "half a letter"),
        ('{"a": 1, "a": 2}', "stands in an object twice"),
        ("1 2", "extra data"),
        ("", "not JSON"),
        (b"\xff", "byte 0 is not UTF-8"),
    ],
)
def test_json_beyond_the_bounds_is_refused(text: str | bytes, words: str) -> None:
    with pytest.raises(BoundsError, match=words):
        read_json(text)


@pytest.mark.parametrize(
    "value", [{"a": [1, 2.5, "é", None, True]}, -MOST, 2**64 - 1, "\U0001f600", 1e308]
)
def test_json_within_the_bounds_is_what_python_reads(value: object) -> None:
    text = json.dumps(value)
    assert read_json(text) == read_json(f" {text}\n".encode()) == value


def test_what_is_kept_comes_back_as_it_was() -> None:
    value: Any = {"name": "ann\ud83c", "elo": 10**300}
    assert value_at(json.dumps(value), 0, is_kept=True)[0] == value
    assert (half_in("ann\ud83c"), half_in("Änn")) == (True, False)


@pytest.mark.parametrize(
    ("text", "number"),
    [("7", 7), ("007", 7), ("-7", None), ("1_0", None), ("٣", None), ("", None), (LONG, None)],
)
def test_a_whole_number_is_of_few_digits(text: str, number: int | None) -> None:
    assert whole_number(text) == number
    assert whole_number("-7", least=-9) == -7


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (f"rounds = {LONG}", "a number of thousands of digits"),
        (f"rounds = 0x{'f' * 5000}", "a number of thousands of digits"),
        (f"rounds = 1{'0' * 400}", "rounds = 1000"),
        ("rounds = nan", "rounds = nan, expected a whole number"),
        ("rounds = 1e400", "rounds = inf, expected a whole number"),
        (f"rounds = {'[' * 5000}", "tables or lists in each other"),
        (r'event = "\ud800"', "is not TOML"),
        (f"[time]\ninitial = 1{'0' * 400}", "initial = 1000"),
        ("[time]\ninitial = nan", "initial = nan"),
        ("[time]\nmargin = inf", "margin = inf"),
    ],
)
def test_a_configuration_beyond_the_bounds_is_answered_as_any_mistake(
    line: str, words: str, tmp_path: Path
) -> None:
    path = tmp_path / "cup.toml"
    path.write_text(f"{line}\n{BOTS}")
    ran = arena("run", path, "--plan", "--out", tmp_path / "out")
    assert (ran.status, words in ran.err) == (2, True), ran.err


@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "1e400", f"1{'0' * 400}", r'"a\u0000b"'])
def test_a_bot_is_told_no_option_that_is_no_number(value: str, tmp_path: Path) -> None:
    path = tmp_path / "cup.toml"
    path.write_text(f"{BOTS}options = {{ level = {value} }}\n")
    ran = arena("run", path, "--plan", "--out", tmp_path / "out")
    assert (ran.status, "options = " in ran.err) == (2, True), ran.err


def test_what_toml_within_the_bounds_says() -> None:
    assert read_toml('a = 1\n[b]\nc = ["x"]\n') == {"a": 1, "b": {"c": ["x"]}}


def test_an_option_that_is_no_text_is_refused() -> None:
    for words in (("select", "x.lath", "--where", "first = \udcff"), ("games", "moves", "\udcff")):
        ran = arena(*words)
        assert (ran.status, "it is no UTF-8" in ran.err) == (2, True)


@pytest.mark.parametrize(
    "line",
    [
        "solve yavalath --nodes 1000000000000000",
        "solve yavalath --seconds inf",
        "analyze games.lath -o out.lath --nodes 9223372036854775807",
        "analyze games.lath -o out.lath --seconds 1e400",
        "puzzles make yavalath -o made.lath --nodes 1000000000000000",
        "bot check greedy --puzzles --tc nodes",
        f"run --seed {'9' * 5000} --plan",
    ],
)
def test_a_limit_beyond_what_a_bot_can_be_told_is_refused(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("games.lath").write_text('[Game "yavalath"]\n\n1. e5 *\n')
    ran = arena(*line.split())
    assert (ran.status, "expected" in ran.err) == (2, True), ran.err


# Anything at all


@pytest.mark.slow
def test_the_site_answers_whatever_it_is_asked(tmp_path: Path) -> None:
    found = Asking(tmp_path).many(0, 400)
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


SELDOM = ("run", "match", "tune", "doctor", "analyze", "bot check", "bot pack", "puzzles make")
"""Commands that start bots, or take long otherwise."""


@pytest.mark.slow
@pytest.mark.parametrize("name", USUAL)
def test_a_command_takes_or_refuses_anything(name: str) -> None:
    statuses = {met(name, number).status for number in range(3 if name in SELDOM else 12)}
    assert statuses <= {0, 1, 2, 3, 5, 10, 11, 12}
