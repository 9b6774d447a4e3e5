"""With what games were played: noted when bots are greeted, told by page and JSON.

And the seed, told by its hash first and by itself in the end, drawn so that nobody can guess it.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import tomllib
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import commands
import jsonschema
import pytest
from quick_runs import play_nothing

from lath.arena.referee.bots import Greeting
from lath.arena.tournament.run import folder as directory
from lath.arena.tournament.store.database import seal_of
from lath.reports.event import export
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
    monkeypatch.setattr(directory, "greet_bots", greeted)  # what a bot says, without a bot
    Path("bots").mkdir()
    Path("bots/mine.py").write_text(MINE)
    Path("cup.toml").write_text(CONFIG)


def run(*words: object, out: str = "out", has_report: bool = False) -> str:
    """Run the tournament; return what was said."""
    more = () if has_report else ("--no-report",)
    ran = commands.arena("run", *words, "--output", out, *more)
    assert ran.status == 0, ran.err
    return ran.err


def noted(folder: str = "out") -> list[dict[str, Any]]:
    ran = commands.arena("rate", folder, "--json")
    assert (ran.status, ran.err) == (0, "")
    told = json.loads(ran.out)
    jsonschema.Draft202012Validator(export.schema()).validate(told)
    found: list[dict[str, Any]] = told.get("provenance", [])
    return found


def change(sql: str, *values: str) -> None:
    """Change a note, with its seal."""
    with closing(sqlite3.connect("out/tournament.db", isolation_level=None)) as database:
        database.execute(sql, values)
        seal = str(seal_of(database))
        database.execute("INSERT OR REPLACE INTO about VALUES ('checksum', ?)", (seal,))


def test_bots_machine_and_configuration_are_noted_and_shown() -> None:
    run("cup.toml", has_report=True)
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
    page = Path("out/report.html").read_text(encoding="utf-8")
    assert "do-not-tell" not in page
    section = page[page.index('<section id="provenance"') :]
    assert section.count("<section") == 1, "it is at the end of the page"
    shown = ("<details>", "Deep Mine", "Ann and Bob", "python bots/mine.py --deep", "move 0.2")
    for words in (*shown, "10+0 first 1", "1, not pinned to cores"):
        assert words in section
    assert commands.arena("report", "out", "--data", "data.json").status == 0
    data = json.loads(Path("data.json").read_text())
    jsonschema.Draft202012Validator(document.schema()).validate(data)
    assert data["provenance"] == [entry]


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


def test_a_directory_of_before_says_nothing_and_a_damaged_note_is_told() -> None:
    run("cup.toml")
    for damage in ("7", '[{"games": 0}]', "["):
        change("UPDATE about SET value = ? WHERE key = 'provenance'", damage)
        ran = commands.arena("rate", "out")
        assert ran.status == 1
        assert ran.err.startswith("error: out/tournament.db: damaged: its note of provenance: ")
    change("DELETE FROM about WHERE key = 'provenance'")
    assert noted() == []
    assert commands.arena("report", "out", "-o", "page.html").status == 0
    page = Path("page.html").read_text(encoding="utf-8")
    assert "provenance" not in page.split("<style>")[0]
    assert 'id="provenance"' not in page


# The seed


def digest(seed: int) -> str:
    return hashlib.sha256(f"lath-arena seed {seed}".encode()).hexdigest()


def seed_in(folder: str) -> int:
    seed = tomllib.loads(Path(folder, "tournament.toml").read_text())["seed"]
    assert isinstance(seed, int)
    return seed


def test_the_hash_comes_before_the_games_and_the_seed_after_them() -> None:
    lines = run("cup.toml", "--seed", 42, "-v").splitlines()
    first, last = f"seed: SHA-256 {digest(42)}", f"seed: 42 (SHA-256 {digest(42)})"
    games = next(at for at, line in enumerate(lines) if line.startswith("1. "))
    assert lines.index(first) < games < lines.index(last)
    ran = commands.arena("run", "cup.toml", "--seed", "mine", "--output", "none")
    assert ran.status == 2
    assert "seed" in ran.err


def test_before_all_is_played_the_seed_is_told_nowhere_but_in_its_own_file() -> None:
    run("cup.toml", "--rounds", 2, "--seed", "secret", "--budget", 2, has_report=True)
    seed = seed_in("out")
    told = [commands.arena(*words).out for words in (("report", "out", "--data", "-"),)]
    told += [json.dumps(noted()), Path("out/report.html").read_text()]
    assert [str(seed) in text for text in told] == [False] * 3
    assert [digest(seed) in text for text in told] == [True] * 3
    (played,) = noted()
    assert (played["seed"], played["seed_sha256"]) == (None, digest(seed))
    assert f"seed: {seed} (SHA-256 {digest(seed)})" in run(has_report=True)
    assert seed_in("out") == seed
    (played,) = noted()
    assert played["seed"] == seed
    assert f"seed = {seed}" in played["configuration"]
    assert str(seed) in Path("out/report.html").read_text()


def test_a_secret_seed_is_drawn_once_for_a_directory_and_anew_for_another() -> None:
    Path("cup.toml").write_text(CONFIG.replace("seed = 7", 'seed = "secret"'))
    for name in ("one", "two"):
        run("cup.toml", "--rounds", 2, "--budget", 2, "-q", out=name)
    drawn = seed_in("one")
    assert drawn != seed_in("two")
    assert max(drawn, seed_in("two")).bit_length() > 50
    for words in (("cup.toml",), (), ("--seed", "secret")):
        run(*words, "--rounds", 2, "-q", out="one")
        assert seed_in("one") == drawn
