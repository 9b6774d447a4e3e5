"""A finished tournament's directory with one wrong bit, and the commands that read it.

Must not know the content of any file, nor how it is protected.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Final

from commands import Ran, arena
from places import ROOT

from lath.arena.tournament.outcome.sources import record_and_log_of

LIGHT: Final = ROOT / "examples/bots/legal.sh"
"""A bot that starts fast."""

CUP: Final = f"""
format = "swiss"
event = "Cup"
games = ["surikata"]
rounds = 2
jobs = 1
[time]
nodes = 5
[[bot]]
name = "greedy"
command = "{LIGHT}"
[[bot]]
name = "random"
[[bot]]
name = "other"
command = "{LIGHT}"
"""

LOOKS: Final[Sequence[Sequence[str]]] = (
    ["rate", "cup"],
    ["rate", "cup", "--json"],
    ["rate", "cup/games.lath", "--csv"],
    ["report", "cup", "--data", "-"],
    ["report", ".", "--data", "-", "--no-reports"],
    ["report", "cup", "--owner", "greedy", "-o", "owner"],
    ["bot", "log", "cup"],
    ["bot", "log", "cup", "2"],
    ["explain", "greedy", "cup", "--json"],
    ["stats", "cup/games.lath", "--json"],
    ["explore", "cup/games.lath", "--json"],
    ["show", "cup/games.lath", "--record", "2", "--json"],
)
"""Commands that print results of games."""

READ: Final = (
    *("tournament.db", "tournament.toml", "games.lath", "outcome.json", "standings.json"),
    *("standings.csv", "logs/game-1.log"),
)
"""Files whose every bit matters, except for unused parts of databases."""


@cache
def finished() -> Path:
    """Return a folder with a tournament in `cup`, which is played once."""
    folder = Path(tempfile.mkdtemp(prefix="wrong-bits-"))
    (folder / "cup.toml").write_text(CUP)
    ran = arena(
        *("run", folder / "cup.toml", "--output", folder / "cup", "-q", "--no-report"),
        *("--log", "all"),
    )
    assert ran.status == 0, ran.err
    for words in ("--void", "2", "--reason", "a cable"), ("--snapshot", "May"):
        assert arena("run", folder / "cup", *words, "-q", "--no-report").status == 0
    shutil.rmtree(folder / "cup/snapshots")
    log = record_and_log_of(folder / "cup", 1)[1]  # a run writes the file only if a game ends badly
    (folder / "cup/logs/game-1.log").write_text(log)
    (folder / "cup.toml").unlink()
    assert {*READ} <= {str(path.relative_to(folder / "cup")) for path in files_of(folder / "cup")}
    return folder


def files_of(folder: Path) -> list[Path]:
    """Return all files below, sorted."""
    return sorted(path for path in folder.rglob("*") if path.is_file())


def copy_to(place: Path) -> None:
    """Replace a folder by a copy of the original, and change to it."""
    os.chdir("/")
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(finished(), place)
    os.chdir(place)


def flips(name: str, chance: Random) -> Iterator[tuple[int, int]]:
    """Yield places of bytes in a file of the tournament, with a bit of each; endless."""
    size = (finished() / "cup" / name).stat().st_size
    while True:
        yield chance.randrange(size), chance.randrange(8)


def flip(path: Path, at: int, bit: int) -> None:
    """Flip a bit of a file."""
    content = bytearray(path.read_bytes())
    content[at] ^= 1 << bit
    path.write_bytes(content)


def looked(words: Sequence[str]) -> tuple[Ran, Mapping[str, bytes]]:
    """Return the output of a command, and its output files."""
    shutil.rmtree("owner", ignore_errors=True)
    ran = arena(*words)
    return ran, {str(path): path.read_bytes() for path in files_of(Path("owner"))}


@cache
def sound() -> list[tuple[str, Mapping[str, bytes]]]:
    """Return the results of LOOKS without a wrong bit."""
    with tempfile.TemporaryDirectory() as folder:
        copy_to(Path(folder, "here"))
        found = []
        for words in LOOKS:
            ran, files = looked(words)
            assert ran.status == 0, (words, ran.err)
            found.append((ran.out, files))
        os.chdir("/")
        return found


def believed(name: str, at: int, bit: int, place: Path) -> list[str]:
    """Flip a bit; return descriptions of wrong results of commands."""
    before = sound()
    copy_to(place)
    flip(Path("cup", name), at, bit)
    wrong, is_harmless = [], True
    for words, (out, files) in zip(LOOKS, before, strict=True):
        ran, written = looked(words)
        is_same = (ran.out, written) == (out, files)
        is_harmless = is_harmless and is_same and ran.status == 0
        is_told = ran.status in (1, 2) or "warning: " in ran.err
        if ran.status not in (0, 1, 2) or "Traceback" in ran.err:
            wrong.append(f"{words}: status {ran.status}: {ran.err}")
        elif not is_same and not is_told:
            wrong.append(f"{words}: prints another thing without a word")
    checked = arena("check", "cup")
    is_found = checked.status == 1 and checked.out
    if not is_found and not (is_harmless and name == "tournament.db"):
        wrong.append(f"check: status {checked.status}: {checked.out}{checked.err}")
    return [f"bit {bit} of byte {at} of {name}: {words}" for words in wrong]
