"""Many wrong bits in each file of a finished tournament's directory.

LATH_SOAK_BITS says how many of each file, LATH_SOAK_NUMBER draws others.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import pytest
from tests.arena.cli import test_wrong_bits as bits
from wrong_bits import READ

MOST: Final = int(os.environ.get("LATH_SOAK_BITS", "200"))
NUMBER: Final = int(os.environ.get("LATH_SOAK_NUMBER", "2"))


@pytest.mark.parametrize("name", READ)
def test_a_wrong_bit_is_found_and_never_believed_at_length(name: str, tmp_path: Path) -> None:
    bits.wrong(name, tmp_path, number=NUMBER, most=MOST)
