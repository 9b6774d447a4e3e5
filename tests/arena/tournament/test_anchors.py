"""Anchors are stored with tournaments, pools and leagues, and all later commands use them."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest
from commands import arena
from quick_runs import play_nothing
from sample_records import random_game

from lath.notation.record.record import Record
from lath.notation.text.writer import format_record

if TYPE_CHECKING:
    from golden import Golden

NAMES: Final = ("ann", "bob", "cat")


def tournament(folder: Path, *names: str, date: str = "2026-03-01", seed: int = 0) -> Path:
    pairs = [(one, other) for one in names for other in names if one != other]
    records: list[Record] = [
        random_game("yavalath", seed + n, first=one, second=other, Date=date, Number=str(n))
        for n, (one, other) in enumerate(pairs, 1)
    ]
    folder.mkdir(parents=True)
    (folder / "games.lath").write_text("\n".join(map(format_record, records)))
    return folder


def standings(*words: object) -> dict[str, Any]:
    ran = arena("rate", *words, "--json")
    assert ran.status == 0, ran.err
    found: dict[str, Any] = json.loads(ran.out)
    return found


def elos(told: dict[str, Any]) -> dict[str, float]:
    return {row["name"]: row["elo"]["value"] for row in told["overall"]["rows"]}


@pytest.fixture
def league(tmp_path: Path) -> Path:
    folder = tmp_path / "league"
    tournament(folder / "spring", *NAMES)
    tournament(folder / "club" / "autumn", "ann", "cat", "dan", date="2026-09-01", seed=50)
    return folder


def test_a_league_keeps_its_anchors_for_all_later_commands(league: Path) -> None:
    arena("report", league, "--no-reports", "--anchor", "ann=1500")
    assert tomllib.loads((league / "league.toml").read_text()) == {"anchors": {"ann": 1500.0}}
    spring, autumn = league / "spring", league / "club" / "autumn"
    data = json.loads(arena("report", league, "--no-reports", "--data", "-").out)["standings"]
    for told in (standings(spring), standings(autumn), standings(spring, autumn), data):
        assert (told["anchors"], elos(told)["ann"]) == ({"ann": 1500.0}, 1500.0)
    arena("report", league, "--site", site := league.parent / "site")
    assert "scale of the anchors" in (site / "index.html").read_text()
    # For one command another, and none; then for all.
    assert elos(standings(spring, "--anchor", "bob=3"))["bob"] == 3
    assert standings(spring, "--anchor", "none")["anchors"] == {}
    arena("report", league, "--no-reports", "--anchor", "none")
    assert standings(spring)["anchors"] == {}


def test_a_league_shows_what_its_newest_event_has_changed(league: Path) -> None:
    for newest, before in (("club/autumn", "spring"), ("spring", "club/autumn")):
        if newest == "spring":  # by its games, however old the file is
            path = league / "club" / "autumn" / "games.lath"
            path.write_text(path.read_text().replace("2026-09-01", "2025-09-01"))
        data = json.loads(arena("report", league, "--no-reports", "--data", "-").out)["standings"]
        then = standings(league / before)
        ranks = {row["name"]: row["rank"] for row in then["overall"]["rows"]}
        assert data["games_before"] == then["overall"]["games"]
        for row in data["overall"]["rows"]:
            if row["name"] in ranks:
                assert row["moved"]["rank"] == ranks[row["name"]] - row["rank"]
            else:
                assert row["moved"] is None
    arena("report", league, "--site", site := league.parent / "site")
    assert "Elo since last" in (site / "index.html").read_text()


def test_anchors_that_do_not_agree_are_told_with_both_files(tmp_path: Path) -> None:
    folders = [tournament(tmp_path / name, *NAMES) for name in ("one", "two")]
    for value, folder in enumerate(folders, 1):
        (folder / "tournament.toml").write_text(f"[anchors]\nann = {value}\n")
    ran = arena("rate", *folders)
    assert ran.status == 2
    for words in ("'ann'", str(folders[0] / "tournament.toml"), str(folders[1]), "--anchor"):
        assert words in ran.err
    assert elos(standings(*folders, "--anchor", "ann=3"))["ann"] == 3


WRONG: Final = ("anchors = 3", "[anchors]\nann = 'x'", "[anchors]\nann = nan")
FAR: Final = "[anchors]\na = 0\nb = 5000"


def test_anchors_that_are_none_are_an_error_with_file_or_flag(
    tmp_path: Path, golden: Golden
) -> None:
    folder, said = tournament(tmp_path / "cup", *NAMES), dict[str, str]()
    for words in (("rate", folder), ("report", folder, "-o", tmp_path / "page.html")):
        for flags in (("--anchor", "anm=3"), ("--relative-to", "anm")):
            ran = arena(*words, *flags)
            assert ran.status == 2
            said[f"{words[0]} {' '.join(flags)}"] = ran.err
    for text in (*WRONG, FAR):
        (folder / "tournament.toml").write_text(text)
        ran = arena("rate", folder)
        assert ran.status == 2
        said[text.replace("\n", " ")] = ran.err
    golden(said)


def run(pool: Path, *words: object) -> dict[str, Any]:
    ran = arena("run", pool, *words, "-q", "--no-report")
    assert ran.status == 0, ran.err
    found: dict[str, Any] = json.loads((pool / "standings.json").read_text())
    now = standings(pool)
    found.pop("checksum")
    assert {key: now[key] for key in found} == found
    return found


def test_a_pool_keeps_its_anchors_and_compares_with_the_run_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play_nothing(monkeypatch)
    pool = tmp_path / "pool"
    adds = [word for name in NAMES for word in ("--add", f"{name}=/bin/cat")]
    first = run(
        pool, *adds, "--game", "yavalath", "--rounds", 1, "--tc", "none", "--anchor", "ann=1500"
    )
    assert tomllib.loads((pool / "tournament.toml").read_text())["anchors"] == {"ann": 1500}
    assert (first["anchors"], first["games_before"]) == ({"ann": 1500.0}, 0)
    for _ in range(2):  # nothing is left to play the second time: no event
        second = run(pool, "--add", "dan=/bin/cat")
        assert second["games_before"] == first["overall"]["games"]
        assert elos(second)["ann"] == elos(standings(pool))["ann"] == 1500
        then = {row["name"]: row for row in first["overall"]["rows"]}
        for row in second["overall"]["rows"]:
            if before := then.get(row["name"]):
                assert row["moved"]["elo"] == pytest.approx(
                    row["elo"]["value"] - before["elo"]["value"], abs=1e-5
                )
            else:
                assert row["moved"] is None
    run(pool, "--retire", "ann")  # its games and its rating stay, and so does the anchor
    assert elos(standings(pool))["ann"] == 1500
    ran = arena("run", pool, "--anchor", "dam=3", "-q")
    assert ran.status == 2
    assert "did you mean 'dan'" in ran.err
