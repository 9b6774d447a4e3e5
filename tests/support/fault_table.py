"""The fault table of `make faults`, with a line per case; arguments are case numbers.

Seconds are those beyond an ordinary run, with the limits of the case. Strays are processes and
scratch folders that remain after two seconds. Memory is the growth of the runner or a worker.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from bot_faults import Plain, measure
from fault_cases import CASES, Fault
from fault_stand import MAX_GROWTH_KIB, SPARE_S, Stand

HEADING = "| case | fault | outcome | how | seconds | limit | strays | MB | |"


def row(fault: Fault, plain: Plain, folder: Path) -> tuple[str, bool]:
    """Try a fault; return its cells and whether its result is as expected."""
    stand = Stand(folder)
    seconds, wrong = 0.0, ""
    try:
        seconds = fault.play(stand, plain)
    except pytest.skip.Exception as skipped:
        return f"- | - | - | - | skipped: {skipped} |", True
    except Exception as error:  # noqa: BLE001 - a table has a line for each, whatever happens
        wrong = " ".join(f"{type(error).__name__}: {error}".split())[:200]
    strays = stand.clear()
    growth = max(0, stand.peaks.growth(plain.peaks))
    if seconds > fault.limit_s + SPARE_S or growth >= MAX_GROWTH_KIB or strays:
        wrong = wrong or "over its bounds"
    cells = f"{seconds:.1f} | {fault.limit_s:.1f} | {strays} | {growth / 1024:.1f}"
    return f"{cells} | {wrong or 'ok'} |", not wrong


def lines(numbers: set[int]) -> Iterator[tuple[str, bool]]:
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "plain").mkdir()
        with Stand(Path(name) / "plain") as stand:
            plain = measure(stand)
        for case in CASES:
            if numbers and case.number not in numbers:
                continue
            for index, fault in enumerate(case.faults):
                folder = Path(name) / f"{case.number}-{index}"
                folder.mkdir()
                cells, is_right = row(fault, plain, folder)
                start = f"| {case.number} | {case.words} | {case.outcome} | {fault.name}"
                yield f"{start} | {cells}", is_right


def main() -> int:
    print(f"{HEADING}\n{'| --- ' * 9}|")
    failed = 0
    for line, is_right in lines(set(map(int, sys.argv[1:]))):
        print(line, flush=True)
        failed += not is_right
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
