"""Places in the checkout, and the project's own game types."""

from __future__ import annotations

from pathlib import Path
from typing import Final

OURS: Final = ("mammalath", "mammalath-plus", "manalath", "manalath-61", "surikata", "yavalath")
"""The project's own game types. Tests and pages demand more of them than of others: second rules,
known counts, a row in rules.md, and every refusal in the table of messages."""

ROOT: Final = Path(__file__).parent.parent.parent
DOCS: Final = ROOT / "docs"
DOC_PAGES: Final = [
    page for page in sorted(DOCS.rglob("*.md")) if page.parent != DOCS / "reference" / "api"
]
"""The pages of the site that people write."""

FOLLOWED: Final = [page.stem for page in DOC_PAGES if page.parent.name in ("start", "tutorials")]
"""The pages that tests/house/test_tutorials.py follows, command by command."""

SAMPLES: Final = ROOT / "tests" / "samples"
WEB: Final = ROOT / "tests" / "web"
SUPPORT: Final = ROOT / "tests" / "support"

OWN_TEXT = [
    path
    for path in sorted((ROOT / "notation").rglob("*.py"))
    if not {"formats", "database"} & set(path.parts)
]
"""The modules with the messages on records in the notation's own text."""


def page_text(name: str) -> str:
    """Return the text of the page of this name, in any folder of docs/."""
    (page,) = (page for page in DOC_PAGES if page.stem == name)
    return page.read_text(encoding="utf-8")
