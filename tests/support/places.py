"""Where things stand in the checkout, and whose games they are."""

from __future__ import annotations

from pathlib import Path
from typing import Final

OURS: Final = ("mammalath", "mammalath-plus", "manalath", "manalath-61", "surikata", "yavalath")
"""The games of this house, of which tests and pages ask more than of a game that somebody adds:
second rules, known counts, a row in docs/rules.md, every refusal in the table of messages."""

ROOT: Final = Path(__file__).parent.parent.parent
DOCS: Final = ROOT / "docs"
SAMPLES: Final = ROOT / "tests" / "samples"
WEB: Final = ROOT / "tests" / "web"
SUPPORT: Final = ROOT / "tests" / "support"

OWN_TEXT = [
    path
    for path in sorted((ROOT / "notation").rglob("*.py"))
    if not {"formats", "database"} & set(path.parts)
]
"""The modules that say what is wrong with a record in the notation's own text."""
