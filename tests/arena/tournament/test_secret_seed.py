"""The seed: told by its hash first and itself in the end, and drawn so that nobody can guess it."""

from __future__ import annotations

import hashlib
import json
import tomllib
from pathlib import Path

import pytest
from commands import arena
from quick_runs import play_nothing

WORDS = ("--game", "yavalath", "--tc", "move 1", "--bot", "ann=x", "--bot", "bob=x", "--rounds", 2)


def digest(seed: int) -> str:
    return hashlib.sha256(f"lath-arena seed {seed}".encode()).hexdigest()


def seed_in(folder: str) -> int:
    seed = tomllib.loads(Path(folder, "tournament.toml").read_text())["seed"]
    assert isinstance(seed, int)
    return seed


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    play_nothing(monkeypatch)


def test_the_hash_comes_before_the_games_and_the_seed_after_them() -> None:
    ran = arena("run", *WORDS, "--seed", 42, "--out", "cup", "-v", "--no-report")
    lines = ran.err.splitlines()
    first, last = f"seed: SHA-256 {digest(42)}", f"seed: 42 (SHA-256 {digest(42)})"
    assert lines[0] == first
    assert lines.index(last) > next(at for at, line in enumerate(lines) if line.startswith("1. "))


def test_before_all_is_played_the_seed_is_told_nowhere_but_in_its_own_file() -> None:
    arena("run", *WORDS, "--seed", "secret", "--out", "cup", "--budget", 2)
    seed = seed_in("cup")
    told = arena("report", "cup", "--data", "-").out + arena("rate", "cup", "--json").out
    told += Path("cup/report.html").read_text()
    assert str(seed) not in told
    (played,) = json.loads(arena("rate", "cup", "--json").out)["provenance"]
    assert (played["seed"], played["seed_sha256"]) == (None, digest(seed))
    assert digest(seed) in Path("cup/report.html").read_text()
    ran = arena("run", "cup")
    assert (ran.status, seed_in("cup")) == (0, seed)
    assert f"seed: {seed} (SHA-256 {digest(seed)})" in ran.err
    (played,) = json.loads(arena("rate", "cup", "--json").out)["provenance"]
    assert played["seed"] == seed
    assert f"seed = {seed}" in played["configuration"]
    assert str(seed) in Path("cup/report.html").read_text()


def test_a_secret_seed_is_drawn_once_for_a_directory_and_anew_for_another() -> None:
    Path("cup.toml").write_text(
        'seed = "secret"\ngames = ["yavalath"]\n[[bot]]\nname = "ann"\ncommand = ["x"]\n'
        '[[bot]]\nname = "bob"\ncommand = ["x"]\n'
    )
    for name in ("one", "two"):
        assert (
            arena("run", "cup.toml", "--out", name, "--budget", 2, "-q", "--no-report").status == 0
        )
    drawn = seed_in("one")
    assert drawn != seed_in("two")
    assert max(drawn, seed_in("two")).bit_length() > 50
    again = (("cup.toml", "--out", "one"), ("one",), ("one", "--seed", "secret"))
    for more in again:
        assert arena("run", *more, "--rounds", 2, "-q", "--no-report").status == 0
        assert seed_in("one") == drawn


def test_a_seed_that_is_none_is_refused() -> None:
    ran = arena("run", *WORDS, "--seed", "mine", "--out", "cup")
    assert ran.status == 2
    assert "expected a whole number from 0 to 2^63 - 1, or 'secret'" in ran.err
