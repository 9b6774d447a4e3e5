"""Names from higher modules that lower modules use, loaded on first use."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class Hook:
    """A name in a module of a higher layer than its user."""

    module: str
    name: str

    def load(self) -> Any:
        """Return the named object. Raises ImportError if its extra is not installed."""
        return getattr(import_module(self.module), self.name)


HTML: Final = Hook("lath.notation.notebook", "html_of")
"""The function from a Record to the HTML that notebooks show."""

DATABASE_TEXT: Final = Hook("lath.notation.database.reading", "DatabaseText")
"""The class that reads the records of a database as a stream of text."""
