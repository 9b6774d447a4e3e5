"""Rulings leave the games as they are, and count them for nothing; snapshots stay as they are."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import jsonschema
import pytest
from commands import Ran, arena
from quick_runs import play_nothing

from lath.arena.errors import DiskError
from lath.arena.tournament.run import folder, results
from lath.arena.tournament.store.database import outcome_state
from lath.arena.tournament.store.store import Store
from lath.reports.event import export
from lath.reports.page import document

if TYPE_CHECKING:
    from golden import Golden

WORDS: Final = (
    *("run", "--game", "yavalath", "--tc", "move 1", "-q"),
    *("--bot", "ann=x", "--bot", "bob=x", "--bot", "cat=x"),
)
AUTUMN: Final = Path("cup/snapshots/autumn-2026")


@pytest.fixture
def cup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Twelve games of three bots, four of each two, each won by whoever was first."""
    monkeypatch.chdir(tmp_path)
    play_nothing(monkeypatch)
    assert arena(*WORDS, "--rounds", 2, "--output", "cup", "--no-report").status == 0
    return Path("cup")


def run(*words: object, status: int = 0) -> Ran:
    ran = arena("run", "cup", *words, "--no-report")
    assert ran.status == status, ran.err
    return ran


def rule(*words: object, status: int = 0) -> Ran:
    return run(*words, "--reason", "power cut", status=status)


def freeze() -> Ran:
    return run("--snapshot", "Autumn 2026")


def standings(cup: Path) -> dict[str, Any]:
    told: dict[str, Any] = json.loads((cup / "standings.json").read_text())
    return told


def rated(cup: Path) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(arena("rate", cup, "--json").out)
    return told


def test_a_void_game_counts_for_nothing_and_stays_where_it_is(cup: Path) -> None:
    def kept() -> tuple[bytes, list[object]]:
        with closing(Store(cup)) as store:
            return (cup / "games.lath").read_bytes(), list(store.results())

    before = kept()
    ran = arena("run", "cup", "--void", 3, "--reason", "power cut")
    assert (ran.status, ran.err.splitlines()[0]) == (0, "ruled: game 3 is void: power cut")
    assert kept() == before
    told = standings(cup)
    assert (told["overall"]["games"], told["left_out"]) == (11, {"void by ruling": 1})
    now = rated(cup)
    jsonschema.Draft202012Validator(export.schema()).validate(now)
    (ruling,) = now["rulings"]
    assert (ruling["kind"], ruling["game"], ruling["reason"]) == ("void", 3, "power cut")
    shown = arena("rate", cup).out
    assert "Rulings" in shown
    assert "power cut" in shown
    assert '<h2 id="rulings-title">Rulings</h2>' in (cup / "report.html").read_text()
    data = json.loads(arena("report", cup, "--data", "-").out)
    assert data["facts"]["records"] == 12, "it is listed"
    assert sum(one["games"] for one in data["lengths"]) == 11, "and counts for no statistics"


def test_a_disqualified_bot_is_in_no_table_and_plays_no_more(cup: Path) -> None:
    rule("--disqualify", "bob")
    told = standings(cup)
    assert {row["name"] for row in told["overall"]["rows"]} == {"ann", "cat"}
    assert (told["overall"]["games"], told["left_out"]) == (4, {"bob disqualified": 8})
    run("--rounds", 3, "-q")
    with closing(Store(cup)) as store:
        pairings = [{game.first, game.second} for game in store.results()][12:]
    assert pairings == [{"ann", "cat"}] * 2
    assert standings(cup)["overall"]["games"] == 6, "the ruling survives another run"


def test_what_is_taken_back_leaves_the_standings_as_they_were(cup: Path) -> None:
    before = (cup / "standings.json").read_bytes()
    rule("--void", 1, "--void", 2, "--disqualify", "cat")
    assert (cup / "standings.json").read_bytes() != before
    ran = rule("--reinstate", 1, "--reinstate", 2, "--reinstate", "cat")
    assert "ruled: cat is no longer disqualified: power cut" in ran.err
    assert (cup / "standings.json").read_bytes() == before
    rulings = rated(cup)["rulings"]
    assert len(rulings) == 3
    assert all(one["lifted"] and one["lifted_reason"] == "power cut" for one in rulings)


def files(cup: Path) -> dict[Path, bytes]:
    """Return all files but a database that was opened to be written."""
    found = (path for path in cup.rglob("*") if path.is_file())
    return {path: path.read_bytes() for path in found if path != cup / "tournament.db"}


REFUSED: Final = (
    "cup --void 3",
    "cup --reason why",
    "cup --void 3 --reason why --plan",
    "cup --void 99 --reason why",
    "cup --disqualify eve --reason why",
    "cup --reinstate 3 --reason why",
    "cup --reinstate '' --reason why",
    "--output none --void 3 --reason why",
    "cup --snapshot AUTUMN-2026",
    "cup --snapshot ../..",
    "cup --snapshot Winter --rounds 9",
    "cup --snapshot Winter --plan",
    *(f"{AUTUMN}{more}" for more in ("", " --rounds 9", " --void 2 --reason why")),
    f"{AUTUMN} --snapshot Winter",
)


def test_what_cannot_be_ruled_or_frozen_is_refused_and_changes_nothing(
    cup: Path, golden: Golden
) -> None:
    freeze()
    said: dict[str, str] = {}
    before = files(cup)
    today = rated(AUTUMN)["snapshot"]["date"][:10]
    for words in REFUSED:
        ran = arena("run", *words.replace("''", "").split(" "))
        assert ran.status == 2
        said[words] = ran.err.replace(today, "2026-09-01")
    assert files(cup) == before
    golden(said)


def test_a_ruling_that_is_refused_late_is_not_kept(cup: Path) -> None:
    config = cup / "tournament.toml"
    text = config.read_text()
    config.write_text(text.replace("rounds = 2", "rounds = 1"))
    assert "more than rounds = 1" in rule("--void", 3, status=2).err
    config.write_text(text)
    ran = rule("--void", 3)  # it is not void already
    assert "cup: outcome.json, standings.json, standings.csv were written again" in ran.err


@pytest.mark.parametrize("failing", ["write_outcome", "write_page"])
def test_a_ruling_is_kept_though_no_file_can_be_written(
    cup: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    def full(*_: object) -> None:
        raise DiskError("the disk is full", is_full=True)

    assert arena("run", cup, "-q").status == 0, "there is a page"
    with monkeypatch.context() as patch:
        patch.setattr(results if failing == "write_page" else folder, failing, full)
        ran = arena("run", cup, "--void", 3, "--reason", "power cut")
    assert ran.status == 5
    assert "the disk is full; the ruling is kept\n" in ran.err
    assert b"games may be missing" in (cup / "report.html").read_bytes()
    assert (outcome_state(cup) == "false") == (failing == "write_outcome"), (
        "as if it had been killed there"
    )
    assert arena("run", cup, "-q").status == 0
    assert standings(cup)["left_out"] == {"void by ruling": 1}
    assert b"games may be missing" not in (cup / "report.html").read_bytes()


def told() -> list[bytes]:
    """Return all that is told of the snapshot, and all files that tell of it."""
    page = arena("report", AUTUMN, "-o", "-").out_bytes
    tables = [arena("rate", AUTUMN, *more).out_bytes for more in ((), ("--json",), ("--csv",))]
    files = [path.read_bytes() for path in sorted(AUTUMN.rglob("*")) if path.is_file()]
    return [page, *tables, *files]


def test_a_snapshot_stays_the_same_to_the_byte_whatever_is_played_later(cup: Path) -> None:
    rule("--void", 1)
    ran = arena("run", cup, "--snapshot", "Autumn 2026")
    said = "cup/snapshots/autumn-2026: the snapshot 'Autumn 2026', which later runs do not change\n"
    assert (ran.status, ran.err) == (0, said)
    before = told()
    assert before[0] == (AUTUMN / "report.html").read_bytes()
    run("--rounds", 5, "-q")
    rule("--reinstate", 1)
    assert told() == before
    values = json.loads(before[2])
    jsonschema.Draft202012Validator(export.schema()).validate(values)
    assert (values["overall"]["games"], values["snapshot"]["name"]) == (11, "Autumn 2026")
    data = json.loads(arena("report", AUTUMN, "--data", "-").out)
    jsonschema.Draft202012Validator(document.schema()).validate(data)
    assert b"Snapshot Autumn 2026, as of " in before[0]
    assert b"Snapshot Autumn 2026, as of " in before[1]
    assert (AUTUMN / "games.lath").read_bytes() in (cup / "games.lath").read_bytes()
    assert arena("check", AUTUMN, "--sound", "again").status == 0
    assert arena("run", "again", "-q", "--no-report").status == 0, "a copy goes on"


def test_a_copy_that_a_development_version_kept_as_a_season_is_a_snapshot(cup: Path) -> None:
    freeze()
    (cup / "snapshots").rename(cup / "seasons")
    former = cup / "seasons/autumn-2026"
    with closing(Store(former)) as store:
        store.keep_notes({"season": store.note("snapshot"), "snapshot": []})
    assert rated(former)["snapshot"]["name"] == "Autumn 2026"
    assert "the snapshot 'Autumn 2026' of 20" in arena("run", former, "-q").err
    assert arena("check", former, "--sound", "again").status == 0
    assert arena("run", "again", "-q", "--no-report").status == 0
