"""What a tournament came to by the rules of its format, as plain data for pages and terminals.

So is what was changed while it was played. Must not know tournaments: who held one says what it
came to. `outcome.json` is this.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from typing import Any, Literal

from lath.reports.schema import Count, Positive, Schema, schema_of

Kind = Literal["name", "number", "text"]
"""What a column holds: a name may be cut where room is short, the others may not."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a sheet."""

    heading: str
    """What stands above it."""

    kind: Kind = "number"


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table of words; where room is short columns may be left out, the last first."""

    columns: tuple[Column, ...]
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
class Outcome:
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

    data: Mapping[str, Any] = field(default_factory=dict)
    """The same for programs, as the format has it: docs/tournaments.md."""

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

        >>> Outcome(format="swiss", done=8, total=8).heading
        'Result: swiss'
        >>> Outcome(format="swiss", done=3, total=8).heading
        'Result so far: swiss, 3 of 8 games'
        """
        if self.is_complete:
            return f"Result: {self.format}"
        return f"Result so far: {self.format}, {self.done} of {self.total} games"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A setting that became another one while a tournament was played."""

    setting: str
    """As the configuration calls it, such as `memory` or `time.margin`."""

    bot: str = ""
    """Whose it is; empty where it is everybody's."""

    before: str
    """What it was, in words."""

    now: str
    """What it is since then."""

    games: Positive
    """How many games were stored by then, which were played before."""

    date: str
    """When, such as `2026-11-22T17:40:05+00:00`, by the organiser's clock."""


def changes_sheet(changes: Iterable[Change]) -> Sheet:
    """Return the table of changes, in their order."""
    rows = [
        (one.setting, one.bot, one.before, one.now, f"{one.games}", one.date[:16].replace("T", " "))
        for one in changes
    ]
    columns = (
        *(Column("setting", "text"), Column("bot", "name")),
        *(Column("before", "text"), Column("since then", "text")),
        *(Column("after games"), Column("when", "text")),
    )
    return Sheet(columns, tuple(rows), "Changes while it was played")


def to_json(outcome: Outcome) -> dict[str, Any]:
    """Return an outcome as `schema` describes it, ready for `json.dumps`."""
    written: dict[str, Any] = json.loads(json.dumps(asdict(outcome)))  # lists for tuples
    return written


def from_json(value: object) -> Outcome:
    """Return the outcome that somebody has kept; raises ValueError where it is none."""
    outcome: Outcome = _checked(value, Outcome, "outcome")
    return outcome


def changes_from_json(values: Sequence[object]) -> tuple[Change, ...]:
    """Return the changes that somebody has kept; raises ValueError where one is none."""
    return tuple(_checked(value, Change, "change") for value in values)


def _checked(value: object, kind: type, what: str) -> Any:
    """Return a value of a kind from what was kept of it; raises ValueError."""
    from pydantic import ValidationError

    try:
        return _adapter(kind).validate_python(value)
    except ValidationError as error:
        first = error.errors()[0]
        words = ": ".join(filter(None, (".".join(map(str, first["loc"])), first["msg"])))
        raise ValueError(f"it is no {what}: {words}") from error


@cache
def _adapter(kind: type) -> Any:
    """Return what checks values of a kind; it takes milliseconds to make."""
    from pydantic import TypeAdapter

    return TypeAdapter(kind)


def schema() -> Schema:
    """Return the JSON Schema of `outcome.json`."""
    return schema_of(Outcome, "What a Lath Arena tournament came to by the rules of its format")
