"""A finding of `arena doctor` as a value."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass, field
from typing import Literal

Verdict = Literal["ok", "note", "missing"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DoctorFinding:
    """The result of one point of the check."""

    group: str
    """Group of the point, such as `sandboxes`."""

    name: str
    """Name of the point, unique in its group."""

    verdict: Verdict = "ok"
    """`missing` if a tournament cannot be run without this; `note` if it can."""

    found: str
    """The result in words."""

    remedy: str = ""
    """Package to install or setting to change; empty if nothing is needed."""

    numbers: dict[str, float] = field(default_factory=dict)
    """Numbers in `found`; a name ends with its unit, such as `free_bytes`."""


def said_by(command: list[str]) -> str:
    """Return the first line of a program's output, or an error message."""
    try:
        ran = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=10, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"does not start: {error}"
    return next(iter(ran.stdout.splitlines()), "") or "version not reported"
