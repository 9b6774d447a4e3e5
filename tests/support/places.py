"""Where things stand in the checkout, and whose games they are."""

from __future__ import annotations

from pathlib import Path
from typing import Final

OURS: Final = ("mammalath", "mammalath-plus", "manalath", "manalath-61", "surikata", "yavalath")
"""The games of this house, of which tests and pages ask more than of a game that somebody adds:
second rules, known counts, a row in rules.md, every refusal in the table of messages."""

ROOT: Final = Path(__file__).parent.parent.parent
DOCS: Final = ROOT / "docs"
DOC_PAGES: Final = [
    page for page in sorted(DOCS.rglob("*.md")) if page.parent != DOCS / "reference" / "api"
]
"""The pages of the site that people write."""

SAMPLES: Final = ROOT / "tests" / "samples"
WEB: Final = ROOT / "tests" / "web"
SUPPORT: Final = ROOT / "tests" / "support"

OWN_TEXT = [
    path
    for path in sorted((ROOT / "notation").rglob("*.py"))
    if not {"formats", "database"} & set(path.parts)
]
"""The modules that say what is wrong with a record in the notation's own text."""


def page_text(name: str) -> str:
    """Return the text of the page of this name, in whichever folder of docs/ it is."""
    (page,) = (page for page in DOC_PAGES if page.stem == name)
    return page.read_text(encoding="utf-8")
