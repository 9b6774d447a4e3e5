"""What a tournament came to by the rules of its format, as plain data for pages and terminals.

`outcome.json` is this.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Final, Literal

from lath.reports.checksums import in_schema
from lath.reports.schema import Count, Schema, checked, schema_of

Kind = Literal["name", "number", "text"]
"""What a column holds: a name may be cut where room is short, the others may not."""


LADDER: Final = "ladder"
"""The format of what is about one bot alone, whose opponents have a given strength."""


@dataclass(frozen=True, slots=True)
class SheetColumn:
    """A column of a sheet."""

    heading: str
    """What stands above it."""

    kind: Kind = "number"
    """How its cells are shown."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table of words; where room is short columns may be left out, the last first."""

    columns: tuple[SheetColumn, ...]
    """From left to right; one at least."""

    rows: tuple[tuple[str, ...], ...]
    """From the top; as many cells in each as there are columns."""

    title: str = ""
    """What it is one of, such as a round; empty where it stands alone."""

    def __post_init__(self) -> None:
        """Raise ValueError where cells and columns do not agree."""
        if not self.columns or any(len(row) != len(self.columns) for row in self.rows):
            raise ValueError(f"rows of a sheet need {len(self.columns)} cells")


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """A curve between bounds."""

    title: str
    """The heading of the curve."""
    across: str
    """What is counted from left to right."""

    points: tuple[tuple[float, float], ...]
    """From left to right; two at least, at most a hundred."""

    bounds: tuple[tuple[str, float], ...] = ()
    """Heights that mean something, and what."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventOutcome:
    """How a tournament ended, or stands, by the rules of its format."""

    version: Literal[1] = 1
    """Of this format."""

    format: str
    """Such as `swiss`."""

    event: str = ""
    """Its title."""

    done: Count = 0
    """Games that were played and count."""

    total: Count = 0
    """Games that there will be, as far as one can tell; >= done."""

    verdict: str = ""
    """What it came to, in a sentence; empty where that is open, or the sheets say it."""

    words: tuple[str, ...] = ()
    """The whole of it in lines for people."""

    sheets: tuple[Sheet, ...] = ()
    """The same as tables; none where the format says nothing that a crosstable does not."""

    plots: tuple[Plot, ...] = ()
    """The way to it, where the format has one."""

    data: Mapping[str, Any] = field(default_factory=dict)
    """The same for programs, as the format has it: docs/how-to/run-a-tournament.md."""

    @property
    def is_complete(self) -> bool:
        """Return whether all games are played."""
        return self.done >= self.total

    @property
    def says_something(self) -> bool:
        """Return whether there is anything to show."""
        return bool(self.sheets or self.verdict)

    @property
    def heading(self) -> str:
        """Return what stands above it.

        >>> EventOutcome(format="swiss", done=8, total=8).heading
        'Result: swiss'
        >>> EventOutcome(format="swiss", done=3, total=8).heading
        'Result so far: swiss, 3 of 8 games'
        """
        if self.is_complete:
            return f"Result: {self.format}"
        return f"Result so far: {self.format}, {self.progress}"

    @property
    def progress(self) -> str:
        """Return how far it is; empty where all games are played."""
        return "" if self.is_complete else f"{self.done} of {self.total} games"


def to_json(outcome: EventOutcome) -> dict[str, Any]:
    """Return an outcome as `schema` describes it, ready for `json.dumps`."""
    written: dict[str, Any] = json.loads(json.dumps(asdict(outcome)))  # lists for tuples
    return written


def from_json(value: object) -> EventOutcome:
    """Return the outcome that somebody has kept; raises ValueError where it is none."""
    if isinstance(value, Mapping) and (unknown := value.keys() - _FIELDS):
        raise ValueError(f"it has an unknown key {min(unknown)!r}")
    return checked(value, EventOutcome)


_FIELDS: Final = frozenset(one.name for one in fields(EventOutcome))


def schema() -> Schema:
    """Return the JSON Schema of `outcome.json`."""
    title = "What a Lath Arena tournament came to by the rules of its format"
    return in_schema(schema_of(EventOutcome, title))
