"""Where things stand in the checkout."""

from __future__ import annotations

from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parent.parent.parent
DOCS: Final = ROOT / "docs"
SAMPLES: Final = ROOT / "tests" / "samples"
WEB: Final = ROOT / "tests" / "web"
SUPPORT: Final = ROOT / "tests" / "support"
