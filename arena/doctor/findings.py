"""What one point of `arena doctor` has found, as a value."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass, field
from typing import Literal

Verdict = Literal["ok", "note", "missing"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DoctorFinding:
    """What one point has found."""

    group: str
    """Where it belongs, such as `walls`."""

    name: str
    """No two findings of a group have the same."""

    verdict: Verdict = "ok"
    """`note`: a tournament can be run without it; `missing`: it cannot."""

    found: str
    """In words."""

    remedy: str = ""
    """What to install or set; empty where there is nothing to do."""

    numbers: dict[str, float] = field(default_factory=dict)
    """What `found` has as numbers; the end of a name is its unit, such as `free_bytes`."""


def said_by(command: list[str]) -> str:
    """Return the first line that a program says of itself."""
    try:
        ran = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=10, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"does not start: {error}"
    return next(iter(ran.stdout.splitlines()), "") or "version not reported"
