"""With what games were played: noted when bots are greeted, told by page and JSON."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import commands
import jsonschema
import pytest
from quick_runs import play_nothing

from lath.arena.referee.bots import Greeting
from lath.arena.tournament import folder as directory
from lath.arena.tournament.database import seal_of
from lath.reports import export
from lath.reports.page import document

CONFIG: Final = """
event = "Cup"
games = ["yavalath"]
rounds = 1
seed = 7
pin = "off"

[time]
initial = "10s"
first = "1s"

[[bot]]
name = "mine"
command = ["python", "bots/mine.py", "--deep"]
options = { Threads = 1 }
env = { TOKEN = "do-not-tell" }
time = { move = "200ms" }

[[bot]]
name = "greedy"
"""

MINE: Final = "print('I play')\n"


def greeted(*_: object) -> dict[str, Greeting]:
    said = Greeting()
    for line in (b"id name Deep  Mine", b"id author Ann and Bob", b"id version 2.1", b"id version"):
        said.take(line)
    return {"mine": said}


@pytest.fixture(autouse=True)
def cup(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Stand in a folder with a configuration and a bot; nothing is played."""
    monkeypatch.chdir(tmp_path)
    play_nothing(monkeypatch)
    monkeypatch.setattr(directory, "_greet_bots", greeted)
    Path("bots").mkdir()
    Path("bots/mine.py").write_text(MINE)
    Path("cup.toml").write_text(CONFIG)


def run(*words: str) -> None:
    ran = commands.arena("run", *words, "--out", "out", "-q")
    assert ran.status == 0, ran.err


def told() -> dict[str, Any]:
    ran = commands.arena("rate", "out", "--json")
    assert (ran.status, ran.err) == (0, "")
    found: dict[str, Any] = json.loads(ran.out)
    jsonschema.Draft202012Validator(export.schema()).validate(found)
    return found


def noted() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = told()["provenance"]
    return found


def test_bots_machine_and_configuration_are_noted() -> None:
    run("cup.toml")
    (entry,) = noted()
    mine, greedy = entry["bots"]
    assert mine == {
        "name": "mine",
        "says": "Deep Mine",
        "author": "Ann and Bob",
        "version": "2.1",
        "command": ["python", "bots/mine.py", "--deep"],
        "options": {"Threads": 1},
        "time": "move 0.2",
        "files": {"bots/mine.py": hashlib.sha256(MINE.encode()).hexdigest()},
    }
    assert greedy["command"] == ["python", "-P", "-m", "lath.bots.greedy"]
    assert (greedy["says"], greedy["time"]) == ("", "10+0 first 1")
    assert (entry["games"], entry["seed"], entry["cores"]) == (0, 7, [])
    machine = entry["machine"]
    assert machine["cpu"]
    assert machine["system"]
    assert machine["python"].split()[1].startswith("3.")
    assert machine["cores"] >= 1
    assert machine["memory_bytes"] > 1 << 28
    assert 'command = ["python", "bots/mine.py", "--deep"]' in entry["configuration"]
    assert 'TOKEN = "(not shown)"' in entry["configuration"]
    assert "do-not-tell" not in Path("out/report.html").read_text(encoding="utf-8")


def test_a_run_notes_what_is_another_and_keeps_paths_as_they_were_given() -> None:
    run("cup.toml")
    first = noted()
    run()  # there is nothing left to play
    run("--rounds", "1", "--jobs", "2")
    assert noted() == first
    run("--rounds", "3")
    Path("bots/mine.py").write_text("another\n")
    run("--rounds", "4", "--force")
    entries = noted()
    assert [entry["games"] for entry in entries] == [0, 2, 6]
    assert entries[0] == first[0]
    assert "rounds = 3" in entries[1]["configuration"]
    assert entries[1]["bots"] == first[0]["bots"]
    assert entries[2]["bots"][0]["files"] != first[0]["bots"][0]["files"]


def test_what_no_game_was_played_with_is_not_told() -> None:
    run("cup.toml")
    first = noted()
    unplayed = {**first[0], "games": 2, "jobs": 8}  # of a run that was stopped at once
    notes = json.dumps([first[0], unplayed])
    change("UPDATE about SET value = ? WHERE key = 'provenance'", notes)
    assert noted() == [first[0], unplayed]
    run("--rounds", "2", "--jobs", "2")
    assert [(entry["games"], entry["jobs"]) for entry in noted()] == [(0, first[0]["jobs"]), (2, 2)]


def test_the_page_has_it_closed_at_its_end_and_the_data_have_it(tmp_path: Path) -> None:
    run("cup.toml")
    page = Path("out/report.html").read_text(encoding="utf-8")
    section = page[page.index('<section id="provenance"') :]
    assert "<details>" in section
    assert section.count("<section") == 1
    for words in ("Deep Mine", "Ann and Bob", "python bots/mine.py --deep", "10+0 first 1"):
        assert words in section
    assert "move 0.2" in section
    assert "1, not pinned to cores" in section
    assert commands.arena("report", "out", "--data", "data.json").status == 0
    data = json.loads(Path("data.json").read_text())
    jsonschema.Draft202012Validator(document.schema()).validate(data)
    assert data["provenance"] == noted()


def change(sql: str, *values: str) -> None:
    """Change a note, with its seal."""
    with closing(sqlite3.connect("out/tournament.db", isolation_level=None)) as database:
        database.execute(sql, values)
        seal = str(seal_of(database))
        database.execute("INSERT OR REPLACE INTO about VALUES ('checksum', ?)", (seal,))


def test_a_directory_of_before_says_nothing() -> None:
    run("cup.toml")
    change("DELETE FROM about WHERE key = 'provenance'")
    assert "provenance" not in told()
    assert commands.arena("report", "out", "-o", "page.html").status == 0
    assert "provenance" not in Path("page.html").read_text(encoding="utf-8").split("<style>")[0]
    assert 'id="provenance"' not in Path("page.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("damage", ["7", '[{"games": 0}]', "["])
def test_a_damaged_note_is_told(damage: str) -> None:
    run("cup.toml")
    change("UPDATE about SET value = ? WHERE key = 'provenance'", damage)
    ran = commands.arena("rate", "out")
    assert ran.status == 1
    assert ran.err.startswith("arena: out/tournament.db is damaged: its note of provenance: ")
