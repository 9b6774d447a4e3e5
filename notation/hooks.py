"""What a lower package is given by a higher one: each is named here, and loaded when it is used."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class Hook:
    """A name of a module that stands above the one that uses it."""

    module: str
    name: str

    def load(self) -> Any:
        """Return what has the name; raises ImportError where its extra is not installed."""
        return getattr(import_module(self.module), self.name)


HTML: Final = Hook("lath.notation.notebook", "html_of")
"""From a Record to the HTML that notebooks show."""

DATABASE_TEXT: Final = Hook("lath.notation.database.reading", "DatabaseText")
"""From the path of a database to a stream of its records' text."""
