"""One wrong bit in a finished tournament's directory changes nothing that is printed in silence.

Whatever file it is in: each command prints what it printed before, or says that something is wrong,
and `arena check` finds it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from random import Random

import pytest
import wrong_bits
from commands import arena

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _back() -> Iterator[None]:
    before = Path.cwd()
    yield
    os.chdir(before)


@pytest.mark.parametrize("name", wrong_bits.READ)
def test_a_wrong_bit_is_found_and_never_believed(name: str, tmp_path: Path) -> None:
    wrong(name, tmp_path, number=1, most=1)


@pytest.mark.parametrize("name", ["outcome.json", "standings.json"])
def test_no_bit_is_wrong_in_the_name_of_a_checksum_either(name: str, tmp_path: Path) -> None:
    content = (wrong_bits.finished() / "cup" / name).read_bytes()
    at = content.index(b'"checksum"')
    for place in (at, at + 10):
        found = wrong_bits.believed(name, place, place % 5, tmp_path / "here")
        assert found == []


def wrong(name: str, place: Path, *, number: int, most: int) -> None:
    """Turn some bits of a file, each for itself."""
    chance = Random(f"{name} {number}")
    for at, bit in islice(wrong_bits.flips(name, chance), most):
        assert wrong_bits.believed(name, at, bit, place / "here") == []


def test_a_result_of_other_games_is_not_believed(tmp_path: Path) -> None:
    """An old copy has a checksum that fits, and is of other games."""
    wrong_bits.copy_to(tmp_path / "here")
    old = Path("cup/outcome.json").read_bytes()
    again = arena("run", "cup", "--reinstate", "2", "--reason", "it was well", "-q")
    assert again.status == 0, again.err
    assert Path("cup/outcome.json").read_bytes() != old
    Path("cup/outcome.json").write_bytes(old)
    for words in (["rate", "cup"], ["report", "cup", "--data", "-"], ["check", "cup"]):
        ran = arena(*words)
        assert ran.status == 1
        said = "outcome.json: damaged: it does not belong to the stored games"
        assert said in ran.err or "outcome.json: it does not belong to the stored games" in ran.out
        assert "Result: swiss" not in ran.out
