"""Snapshots: what was called so stays as it is, whatever is played and ruled later."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import jsonschema
import pytest
from commands import arena
from quick_runs import play_nothing

from lath.arena.tournament import snapshots
from lath.arena.tournament.store import Store
from lath.reports import export
from lath.reports.page import document

WORDS = ("run", "--game", "yavalath", "--tc", "move 1", "-q", "--bot", "ann=x", "--bot", "bob=x")
AUTUMN = Path("cup/snapshots/autumn-2026")


@pytest.fixture
def cup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Four games of two bots, of which one is void."""
    monkeypatch.chdir(tmp_path)
    play_nothing(monkeypatch)
    assert arena(*WORDS, "--rounds", 2, "--out", "cup", "--no-report").status == 0
    assert arena("run", "cup", "--void", 1, "--reason", "power cut", "--no-report").status == 0
    return Path("cup")


def files() -> dict[Path, bytes]:
    """Return all files of the snapshot."""
    return {path: path.read_bytes() for path in sorted(AUTUMN.rglob("*")) if path.is_file()}


def told() -> list[bytes]:
    """Return all that is told of the snapshot, and all files that tell of it."""
    page = arena("report", AUTUMN, "-o", "-").out_bytes
    rated = [arena("rate", AUTUMN, *more).out_bytes for more in ((), ("--json",), ("--csv",))]
    return [page, *rated, *files().values()]


def test_a_snapshot_stays_the_same_to_the_byte_whatever_is_played_later(
    cup: Path,
) -> None:
    ran = arena("run", cup, "--snapshot", "Autumn 2026")
    assert (ran.status, ran.err) == (
        0,
        "cup/snapshots/autumn-2026: the snapshot 'Autumn 2026', which stays as it is\n",
    )
    before = told()
    assert before[0] == (AUTUMN / "report.html").read_bytes()
    assert arena("run", cup, "--rounds", 5, "-q", "--no-report").status == 0
    assert (
        arena("run", cup, "--reinstate", 1, "--reason", "it was played", "--no-report").status == 0
    )
    assert told() == before
    values = json.loads(before[2])
    jsonschema.Draft202012Validator(export.schema()).validate(values)
    assert (values["overall"]["games"], values["snapshot"]["name"]) == (3, "Autumn 2026")
    data = json.loads(arena("report", AUTUMN, "--data", "-").out)
    jsonschema.Draft202012Validator(document.schema()).validate(data)
    assert "Snapshot Autumn 2026, as of " in before[0].decode()
    assert "Snapshot Autumn 2026, as of " in before[1].decode()
    assert (AUTUMN / "games.lath").read_bytes() in (cup / "games.lath").read_bytes()
    assert arena("check", AUTUMN, "--sound", "again").status == 0
    assert arena("run", "again", "-q", "--no-report").status == 0, "a copy goes on"


def test_nobody_goes_on_with_a_snapshot(cup: Path) -> None:
    arena("run", cup, "--snapshot", "Autumn 2026", "--no-report")
    before = files()
    words = "is the snapshot 'Autumn 2026' of 20"
    for more in (
        (AUTUMN,),
        (AUTUMN, "--rounds", 9),
        (AUTUMN, "--void", 2, "--reason", "why"),
        (AUTUMN, "--snapshot", "Winter"),
    ):
        ran = arena("run", *more, "-q")
        assert ran.status == 2
        assert words in ran.err
    assert files() == before


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--snapshot", "AUTUMN-2026"], "autumn-2026 is there already: choose another name"),
        (["--snapshot", "../.."], "expected 1 to 100 letters or digits"),
        (["--snapshot", "Winter", "--rounds", "9"], "a snapshot goes alone"),
        (["--snapshot", "Winter", "--plan"], "a snapshot goes alone"),
    ],
)
def test_a_snapshot_that_cannot_be_is_refused(cup: Path, words: list[str], why: str) -> None:
    arena("run", cup, "--snapshot", "Autumn 2026", "--no-report")
    ran = arena("run", cup, *words)
    assert ran.status == 2
    assert why in ran.err
    assert [path.name for path in (cup / "snapshots").iterdir()] == ["autumn-2026"]


def test_what_is_killed_half_way_leaves_no_snapshot(
    cup: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class KilledError(BaseException):
        """What no program hears of."""

    def killed(*_: object, **__: object) -> None:
        raise KilledError

    with monkeypatch.context() as patch:
        patch.setattr(snapshots, "published", killed)
        patch.setattr(snapshots, "rmtree", lambda _: None)
        with pytest.raises(KilledError):
            arena("run", cup, "--snapshot", "Autumn 2026", "--no-report")
    assert not AUTUMN.exists()
    assert arena("run", cup, "--rounds", 3, "-q", "--no-report").status == 0
    assert arena("run", cup, "--snapshot", "Autumn 2026", "--no-report").status == 0
    assert [path.name for path in (cup / "snapshots").iterdir()] == ["autumn-2026"]
    assert json.loads(arena("rate", AUTUMN, "--json").out)["overall"]["games"] == 5


def test_a_copy_that_a_development_version_kept_as_a_season_is_a_snapshot(cup: Path) -> None:
    arena("run", cup, "--snapshot", "Autumn 2026", "--no-report")
    (cup / "snapshots").rename(cup / "seasons")
    former = cup / "seasons/autumn-2026"
    with closing(Store(former)) as store:
        store.keep_notes({"season": store.note("snapshot"), "snapshot": []})
    before = arena("rate", former, "--json").out
    assert json.loads(before)["snapshot"]["name"] == "Autumn 2026"
    assert "is the snapshot 'Autumn 2026' of 20" in arena("run", former, "-q").err
    assert arena("check", former, "--sound", "again").status == 0
    assert arena("run", "again", "-q", "--no-report").status == 0
