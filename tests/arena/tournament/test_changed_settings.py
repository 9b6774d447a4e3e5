"""What a run that goes on with other settings does: refuse them, note them, or pass them over."""

from __future__ import annotations

import json
import tomllib
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import commands
import pytest
from quick_runs import play_nothing

from lath.arena.tournament.configuration.config import build
from lath.arena.tournament.configuration.keys import TABLES, on_change
from lath.arena.tournament.outcome.notes import changes_in
from lath.arena.tournament.store.database import SETTINGS
from lath.arena.tournament.store.store import Store

Values = dict[str, Any]

BOTS: Final[list[Values]] = [{"name": "ann", "command": ["a"]}, {"name": "bob", "command": ["b"]}]
SPRT: Final = {"elo0": 0, "elo1": 10}
TUNE: Final = {"pairs": 9, "options": {"level": "1..9 from 4"}}

SEASON: Final[Values] = {"format": "pool", "rounds": 2, "season": {"name": "Autumn"}}

REFUSED, NOTED, FREE = "refused", "noted", "free"

CLASSES: Final[dict[str, dict[str, tuple[str, Any, Values]]]] = {
    "": {
        "event": (REFUSED, "Cup", {}),
        "games": (REFUSED, ["yavalath"], {}),
        "format": (REFUSED, "swiss", {}),
        "rounds": (FREE, 7, {}),  # more of them: see test_tournament.py
        "pairs": (REFUSED, 2, {"format": "swiss"}),
        "challengers": (REFUSED, 2, {"format": "gauntlet", "bot": [*BOTS, {"name": "greedy"}]}),
        "seed": (REFUSED, 2, {}),
        "jobs": (NOTED, 2, {}),
        "pin": (NOTED, "off", {}),
        "log": (FREE, "all", {}),
        "bench_after": (FREE, 3, {}),  # it changes no game that is played
        "sandbox": (NOTED, "none", {}),
        "anchors": (FREE, {"ann": 1500}, {}),  # no result depends on them
    },
    "time": {
        "initial": (REFUSED, "3s", {}),
        "increment": (REFUSED, "1s", {}),
        "move": (REFUSED, "1s", {"time": {"move": "2s"}}),
        "nodes": (REFUSED, 5, {"time": {"nodes": 6}}),
        "first": (REFUSED, "1s", {}),
        "margin": (NOTED, "1s", {}),
        "startup": (NOTED, "1s", {}),
        "stop": (NOTED, "2s", {}),
        "limit": (NOTED, "1s", {}),
        "ponder": (NOTED, True, {}),
    },
    "adjudication": {
        "plies": (REFUSED, 5, {}),
        "win_eval": (REFUSED, 0.5, {"adjudication": {"win_eval": 0.9, "win_after": 2}}),
        "win_after": (REFUSED, 5, {"adjudication": {"win_eval": 0.9, "win_after": 2}}),
        "draw_eval": (REFUSED, 0.5, {"adjudication": {"draw_eval": 0.9, "draw_after": 2}}),
        "draw_after": (REFUSED, 5, {"adjudication": {"draw_eval": 0.9, "draw_after": 2}}),
    },
    "sprt": {
        key: (REFUSED, value, {"format": "match", "sprt": SPRT})
        for key, value in (
            *(("elo0", 1), ("elo1", 5), ("alpha", 0.1), ("beta", 0.1), ("model", "normalized")),
        )
    },
    "tune": {
        key: (REFUSED, value, {"format": "tune", "sprt": SPRT, "tune": TUNE})
        for key, value in (
            *(("pairs", 8), ("rate", 0.5), ("ahead", 2), ("options", {"level": "1..9 from 5"})),
        )
    },
    "openings": {
        "file": (FREE, "copy.txt", {}),  # what is in it may not be another
        "order": (REFUSED, "random", {}),
        "plies": (REFUSED, 0, {}),
        "start": (REFUSED, 2, {}),
        "random": (REFUSED, 6, {"openings": {"random": 4}}),
    },
    "season": {  # of a pool, whose schedule knows what is missing
        "name": (FREE, "Spring", SEASON),
        "legs": (FREE, 2, SEASON),
        "match_days": (FREE, ["2026-12-05"], SEASON),
    },
    "league": {"about": (FREE, "copy.txt", {})},
    "bot": {
        "name": (REFUSED, "cat", {}),
        "command": (REFUSED, ["c"], {}),
        "files": (REFUSED, ["home"], {}),
        "cwd": (NOTED, "home", {}),
        "env": (NOTED, {"A": "1"}, {}),
        "options": (REFUSED, {"level": 3}, {}),
        "memory": (NOTED, "1MiB", {}),
        "time": (REFUSED, {"nodes": 3}, {}),
        "startup": (NOTED, "60s", {}),
        "margin": (NOTED, "75ms", {}),
        "stop": (NOTED, "3s", {}),
        "threads": (NOTED, 2, {}),
        "build": (REFUSED, "true", {"bot": [{**BOTS[0], "cwd": "home"}, BOTS[1]]}),
        "sandbox": (NOTED, "none", {}),
        "reads": (NOTED, ["home"], {}),
        "cache": (NOTED, "1MiB", {}),
        "hosts": (NOTED, {"gpu-*": ["mine"]}, {}),
        "protocol": (REFUSED, "codingame", {}),
    },
}
"""Of every key what becomes of another value, such a value, and what else stands there."""


def test_every_key_has_its_class() -> None:
    keys = {table: set(model.model_fields) for table, model in TABLES.items()}
    keys[""] -= set(TABLES)
    assert {table: set(classes) for table, classes in CLASSES.items()} == keys
    words = {"refused": REFUSED, "recorded": NOTED, "accepted": FREE}
    found = {
        (table, key): (words[on_change(table, key)], class_)
        for table, classes in CLASSES.items()
        for key, (class_, *_) in classes.items()
    }
    assert {place for place, (said, is_) in found.items() if said != is_} == {("openings", "file")}


def what_is_another(table: str, key: str, folder: Path) -> list[int]:
    """Return whether another value changes what a tournament is, and what is noted of it."""
    _, value, more = CLASSES[table][key]
    base: Values = {"time": {"initial": "2s"}, "bot": BOTS, **more}
    if table == "openings":
        base["openings"] = more.get("openings", {"file": "book.txt"})
    match table:
        case "":
            other = {**base, key: value}
        case "bot":
            first, *rest = base["bot"]
            other = {**base, "bot": [{**first, key: value}, *rest]}
        case _:
            other = {**base, table: {**base.get(table, {}), key: value}}
    one, changed = build(base, folder), build(other, folder)
    json.dumps(changed.noted)
    return [one.identity() != changed.identity(), one.noted != changed.noted]


def test_another_value_is_of_its_class(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    for name in ("book.txt", "copy.txt"):
        (tmp_path / name).write_text("yavalath 5/6/7/8/9/8/7/6/5 w\n")
    each = [(table, key) for table, keys in CLASSES.items() for key in keys]
    expected = {
        (table, key): {REFUSED: [1, key == "name"], NOTED: [0, 1], FREE: [0, 0]}[
            CLASSES[table][key][0]
        ]
        for table, key in each
    }
    assert {place: what_is_another(*place, tmp_path) for place in each} == expected
    ann, bob = BOTS
    one = build({"bot": [{**ann, "options": {"Threads": 2}}, bob]}, tmp_path)
    other = build({"bot": [{**ann, "options": {"Threads": 2}, "threads": 2}, bob]}, tmp_path)
    assert one.noted == other.noted, "what an option says is noted"


CUP: Final = """
games = ["yavalath"]
rounds = ROUNDS
[time]
move = "5s"
margin = "MARGIN"
[[bot]]
name = "ann"
command = ["ann"]
memory = "MEMORY"
env = { KEY = "SECRET" }
[[bot]]
name = "bob"
command = ["bob"]
"""
FIRST: Final = {"ROUNDS": "1", "MARGIN": "50ms", "MEMORY": "512MiB", "SECRET": "hush"}
OTHERS: Final = {"ROUNDS": "2", "MARGIN": "0.1s", "MEMORY": "1GiB", "SECRET": "shush"}


class Cup:
    """A tournament that is run several times."""

    def __init__(self, folder: Path) -> None:
        self.out = folder / "out"
        self._file = folder / "cup.toml"

    def run(self, *flags: str, **values: str) -> list[str]:
        """Play what is left with these values; return the warnings."""
        text = CUP
        for name, value in {**FIRST, **values}.items():
            text = text.replace(name, value)
        self._file.write_text(text)
        ran = commands.arena("run", self._file, "--output", self.out, "-q", "--no-report", *flags)
        assert ran.status == 0, ran.err
        return ran.err.splitlines()


@pytest.fixture
def cup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cup:
    play_nothing(monkeypatch)
    return Cup(tmp_path)


def test_changes_are_told_and_kept_with_old_and_new_values(cup: Cup, tmp_path: Path) -> None:
    assert cup.run() == []
    assert cup.run(**OTHERS) == [
        "warning: time.margin changed from 0.05 s to 0.1 s after 2 games",
        "warning: env of bot 'ann' changed from KEY to KEY (another value) after 2 games",
        "warning: memory of bot 'ann' changed from 512 MiB to 1 GiB after 2 games",
    ]
    assert cup.run(**{**OTHERS, "ROUNDS": "3"}) == [], "they are told once"
    assert tomllib.loads((cup.out / "tournament.toml").read_text())["bot"][0]["memory"] == "1GiB"
    shown = commands.arena("rate", cup.out, "--json")
    found = json.loads(shown.out)["changes"]
    assert [(one["bot"], one["setting"], one["games"]) for one in found] == [
        ("", "time.margin", 2),
        ("ann", "env", 2),
        ("ann", "memory", 2),
    ]
    page = tmp_path / "page.html"
    data = commands.arena("report", cup.out, "--data", "-")
    assert json.loads(data.out)["changes"] == found
    assert commands.arena("report", cup.out, "-o", page).status == 0
    assert "Changes during the tournament" in page.read_text()
    assert "512 MiB" in commands.arena("rate", cup.out).out
    told = (page.read_text(), data.out, shown.out)
    assert not any("hush" in text for text in told), "variables may be secret"


def test_what_is_changed_back_before_any_game_is_no_change(cup: Cup) -> None:
    cup.run()
    assert len(cup.run(MARGIN="1s")) == len(cup.run(MARGIN="2s")) == 1
    assert [change.before for change in changes_in([cup.out])] == ["0.05 s"]
    assert cup.run() == []
    assert changes_in([cup.out]) == ()


def test_changes_before_the_first_game_are_none(cup: Cup, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Store, "tally", lambda _: [])  # as if no game had been played
    cup.run()
    assert cup.run(**OTHERS) == []


def test_of_settings_that_were_not_noted_no_change_is_claimed(cup: Cup) -> None:
    cup.run()
    with closing(Store(cup.out)) as store:
        store.keep_notes({SETTINGS: None})  # as in a directory of 0.1.0
    assert cup.run(**OTHERS) == []
    assert changes_in([cup.out]) == ()
    assert len(cup.run(**{**OTHERS, "MARGIN": "1s"})) == 1, "from now on it is known"


DAMAGES: Final[dict[str, dict[str, Any]]] = {
    "changes": {"note of changes: not a valid change: ": [{"setting": 5}], "note of changes: ": 5},
    "settings": {"": {"ann": 5}, "note": [5]},
}
"""Notes of these names that are damaged, by what a reader says; of settings it says nothing."""


def test_damaged_notes_are_told(cup: Cup) -> None:
    cup.run()
    for key, notes in DAMAGES.items():
        for words, note in notes.items():
            with closing(Store(cup.out)) as store:
                store.keep_notes({"changes": [], SETTINGS: None, key: note})
            ran = commands.arena("rate", cup.out)
            is_told = f"tournament.db: damaged: its {words}" in ran.err
            assert (ran.status, is_told) == ((1, True) if key == "changes" else (0, False))
            ran = commands.arena("run", "--output", cup.out, "-q", "--no-report")
            assert (ran.status, "tournament.db: damaged: " in ran.err) == (1, True)


def test_a_note_whose_values_are_damaged_is_a_change(cup: Cup) -> None:
    cup.run()
    with closing(Store(cup.out)) as store:
        rubbish = {"memory": "?", "env": [1], "cwd": 7, "threads": None}
        store.keep_notes({SETTINGS: {"ann": rubbish, "": {"time.margin": {}}}})
    assert [line.partition(" after ")[0] for line in cup.run()] == [
        "warning: time.margin changed from {} to 0.05 s",
        "warning: cwd of bot 'ann' changed from 7 to a scratch folder",
        "warning: env of bot 'ann' changed from [1] to KEY",
        "warning: memory of bot 'ann' changed from ? to 512 MiB",
        "warning: threads of bot 'ann' changed from None to 1",
    ]
