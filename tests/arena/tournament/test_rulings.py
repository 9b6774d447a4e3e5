"""Rulings: they leave the games as they are, count them for nothing, and can be taken back."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from commands import Ran, arena
from quick_runs import play_nothing

from lath.arena.errors import DiskError
from lath.arena.tournament import folder
from lath.arena.tournament.database import has_fallen_behind
from lath.arena.tournament.store import Store
from lath.reports import export

WORDS = (
    *("run", "--game", "yavalath", "--tc", "move 1", "-q"),
    *("--bot", "ann=x", "--bot", "bob=x", "--bot", "cat=x"),
)


@pytest.fixture
def cup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Twelve games of three bots, four of each two, each won by whoever was first."""
    monkeypatch.chdir(tmp_path)
    play_nothing(monkeypatch)
    assert arena(*WORDS, "--rounds", 2, "--out", "cup", "--no-report").status == 0
    return Path("cup")


def rule(*words: object) -> Ran:
    return arena("run", "cup", *words, "--reason", "power cut", "--no-report")


def standings(cup: Path) -> dict[str, Any]:
    told: dict[str, Any] = json.loads((cup / "standings.json").read_text())
    return told


def played(cup: Path) -> tuple[bytes, list[object]]:
    """Return all that is kept of the games."""
    with closing(Store(cup)) as store:
        return (cup / "games.lath").read_bytes(), list(store._rows("SELECT * FROM game"))


def test_a_void_game_counts_for_nothing_and_stays_where_it_is(cup: Path) -> None:
    before, kept = standings(cup), played(cup)
    ran = arena("run", "cup", "--void", 3, "--reason", "power cut")
    assert (ran.status, ran.err.splitlines()[0]) == (0, "ruled: game 3 is void: power cut")
    assert played(cup) == kept
    assert standings(cup)["overall"]["games"] == before["overall"]["games"] - 1
    assert standings(cup)["left_out"] == {"void by ruling": 1}
    told = json.loads(arena("rate", cup, "--json").out)
    jsonschema.Draft202012Validator(export.schema()).validate(told)
    (ruling,) = told["rulings"]
    assert (ruling["kind"], ruling["game"], ruling["reason"]) == ("void", 3, "power cut")
    shown = arena("rate", cup).out
    assert "Rulings" in shown
    assert "power cut" in shown
    page = (cup / "report.html").read_text()
    assert '<h2 id="rulings-title">Rulings</h2>' in page
    data = json.loads(arena("report", cup, "--data", "-").out)
    assert data["facts"]["records"] == 12, "it is listed"
    assert sum(one["games"] for one in data["lengths"]) == 11, "and counts for no statistics"


def test_a_disqualified_bot_is_in_no_table_and_plays_no_more(cup: Path) -> None:
    assert rule("--disqualify", "bob").status == 0
    told = standings(cup)
    assert {row["name"] for row in told["overall"]["rows"]} == {"ann", "cat"}
    assert (told["overall"]["games"], told["left_out"]) == (4, {"bob disqualified": 8})
    assert arena("run", "cup", "--rounds", 3, "-q", "--no-report").status == 0
    with closing(Store(cup)) as store:
        pairings = [{game.first, game.second} for game in store.results()][12:]
    assert pairings == [{"ann", "cat"}] * 2
    assert standings(cup)["overall"]["games"] == 6, "the ruling survives another run"


def test_what_is_taken_back_leaves_the_standings_as_they_were(cup: Path) -> None:
    before = (cup / "standings.json").read_bytes()
    assert rule("--void", 1, "--void", 2, "--disqualify", "cat").status == 0
    assert (cup / "standings.json").read_bytes() != before
    ran = rule("--reinstate", 1, "--reinstate", 2, "--reinstate", "cat")
    assert "ruled: cat is disqualified no more: power cut" in ran.err
    assert (cup / "standings.json").read_bytes() == before
    rulings = json.loads(arena("rate", cup, "--json").out)["rulings"]
    assert all(one["lifted"] and one["lifted_reason"] == "power cut" for one in rulings)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--void", "3"], "--reason TEXT is missing"),
        (["--reason", "why"], "--reason goes with"),
        (["--void", "3", "--reason", "why", "--plan"], "a ruling goes alone"),
        (["--void", "99", "--reason", "why"], "--void 99: there is no such game"),
        (["--disqualify", "eve", "--reason", "why"], "only these have played: ann, bob, cat"),
        (["--reinstate", "3", "--reason", "why"], "no ruling on such a game or bot is in force"),
        (["--out", "none", "--void", "3", "--reason", "why"], "name their directory"),
    ],
)
def test_a_ruling_that_cannot_be_is_refused(cup: Path, words: list[str], why: str) -> None:
    ran = arena("run", *(["cup"] if "--out" not in words else []), *words)
    assert ran.status == 2
    assert why in ran.err
    assert "rulings" not in json.loads(arena("rate", cup, "--json").out)


def test_a_ruling_that_is_refused_late_is_not_kept(cup: Path) -> None:
    config = cup / "tournament.toml"
    text = config.read_text()
    config.write_text(text.replace("rounds = 2", "rounds = 1"))
    ran = rule("--void", 3)
    assert (ran.status, "rounds = 1 are fewer" in ran.err) == (2, True)
    config.write_text(text)
    ran = rule("--void", 3)
    assert ran.status == 0, "it is not void already"
    assert "cup: outcome.json, standings.json, standings.csv are written anew" in ran.err
    assert rule("--reinstate", "").status == 2, "nothing is named"


@pytest.mark.parametrize("failing", ["write_outcome", "write_page"])
def test_a_ruling_is_kept_though_no_file_can_be_written(
    cup: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    def full(*_: object) -> None:
        raise DiskError("the disk is full", is_full=True)

    assert arena("run", cup, "-q").status == 0, "there is a page"
    with monkeypatch.context() as patch:
        patch.setattr(folder, failing, full)
        ran = arena("run", cup, "--void", 3, "--reason", "power cut")
    assert ran.status == 5
    assert "the disk is full; what was ruled is kept; " in ran.err
    assert b"games may be missing" in (cup / "report.html").read_bytes()
    assert has_fallen_behind(cup) == (failing == "write_outcome"), "as if it had been killed there"
    assert arena("run", cup, "-q").status == 0
    assert standings(cup)["left_out"] == {"void by ruling": 1}
    assert b"games may be missing" not in (cup / "report.html").read_bytes()
