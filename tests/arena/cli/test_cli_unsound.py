"""Only games that were played count: what `arena check` finds no other command takes for a game."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
from commands import Ran, arena
from results import a_result

from lath.arena.tournament.store.store import Store
from lath.reports.event import export

SOUND = """\
[Game "yavalath"]
[First "ann"]
[Second "bob"]
[Termination "resignation"]
[Result "1-0"]

1. e5 2. d4 1-0
"""

UNSOUND = """\
[Game "yavalath"]
[First "ann"]
[Second "eve"]
[Termination "resignation"]
[Result "1-0"]

1. e5 2. e5 3. e5 0-1

[Game "chess"]
[Date "2026-99-01"]
[First "eve"]
[Second "bob"]
[Termination "time"]
[Result "1-0"]

1. e4 0-1
"""
"""Two illegal moves, a result that is two, a game that is none of ours, a month that is none, and
again two results."""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("sound.lath").write_text(SOUND)
    path = Path("games.lath")
    path.write_text(f"{SOUND}\n{UNSOUND}")
    return path


def counted(ran: Ran) -> int:
    return int(json.loads(ran.out)["overall"]["games"])


COMMANDS: dict[str, Callable[[Ran], int]] = {
    "rate games.lath --json": counted,
    "report games.lath --data -": lambda ran: int(
        json.loads(ran.out)["standings"]["overall"]["games"]
    ),
    "stats games.lath --json": lambda ran: int(json.loads(ran.out)["games"]),
    "select games.lath": lambda ran: ran.out.count("[Game "),
    "convert games.lath - --to jsonlines": lambda ran: len(ran.out.splitlines()),
    "convert games.jsonl - --to lath": lambda ran: ran.out.count("[Game "),
    "rate games.jsonl --json": counted,
    "diff games.lath none.lath": lambda ran: ran.out.count("only in A"),
}
"""What takes records, and how many games it took."""


def test_every_command_leaves_out_what_check_finds(file: Path) -> None:
    ran = arena("check", file, "--sound", "out.lath")
    assert (ran.status, ran.out.count(": error[")) == (1, 6)
    assert "3 records: 1 valid, 2 invalid (6 problems)" in ran.out
    assert Path("out.lath").read_text() == SOUND
    Path("none.lath").write_text("")
    arena("convert", file, "games.jsonl", "--unchecked")
    for command, games_of in COMMANDS.items():
        ran = arena(*command.split())
        assert (ran.status, games_of(ran)) == (1, 1), command
        name = command.split()[1]
        place = "games.lath:13" if name == "games.lath" else "games.jsonl:2"
        assert place in ran.err, "the first is named with its place"
        every = arena(*command.split(), "--unchecked")
        assert games_of(every) == 3
        assert every.status == (1 if command.startswith("diff") else 0), "that is what differs"
        assert name not in every.err


def test_standings_and_page_say_how_many_are_left_out_and_why(file: Path) -> None:
    ran = arena("rate", file, "--json")
    told = json.loads(ran.out)
    jsonschema.Draft202012Validator(export.schema()).validate(told)
    reasons = [(one["reason"], one["records"]) for one in told["unsound"]]
    assert reasons == [("result", 1), ("unknown game", 1)]
    words = "2 invalid records are left out: result 1, unknown game 1"
    assert ran.err.startswith(f"warning: {words}\n  games.lath:13: the Result tag is 1-0, but ")
    assert told["unranked"] == [], "nobody is known by a game that is none"
    assert arena("report", file).status == 1
    page = Path("report.html").read_text()
    assert f'<p class="remark" id="unsound">{words}.</p>' in page
    assert "<li>games.lath:17: unknown game &#39;chess&#39;" in page
    method = page[page.index('<section id="method"') :]
    assert words in method
    assert "No record was left out" not in method


def test_where_nothing_is_valid_the_page_says_why(file: Path) -> None:
    file.write_text(UNSOUND)
    ran = arena("report", file)
    assert ran.status == 1
    assert "warning: 2 invalid records are left out" in ran.err
    page = Path("report.html").read_text()
    assert "No valid games were found." in page
    assert "unknown game &#39;chess&#39;" in page


def test_of_a_directory_what_the_rules_refuse_is_left_out_too(tmp_path: Path) -> None:
    good = a_result(1)
    (tmp_path / "cup").mkdir()
    with closing(Store(tmp_path / "cup")) as store:
        store.begin({"rounds": 1, "bots": []})
        bad = a_result(2)
        record = bad.record.replace(bad.result, bad.result.reversed)
        store.add([good, replace(bad, result=bad.result.reversed, record=record)])
        store.export()
    ran = arena("rate", tmp_path / "cup", "--json")
    assert (ran.status, counted(ran)) == (1, 1)
    assert "cup/tournament.db: game 2: the result is " in ran.err
    assert counted(arena("rate", tmp_path / "cup", "--json", "--unchecked")) == 2
    index = arena("report", tmp_path, "--data", "-")
    assert (index.status, json.loads(index.out)["standings"]["overall"]["games"]) == (1, 1)
    assert str(tmp_path) not in index.out, "a page does not tell where a folder is"
