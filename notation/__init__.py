"""Records of games: text and data. `read` a file, `format_record` back, `check` against the rules.

>>> from lath import notation
>>> record = notation.parse('[Game "yavalath"] 1. e5 2. swap *')
>>> record.moves
('e5', 'swap')

The names are loaded when they are first used: a bot that needs only `lath.notation.protocol` does
not wait for the parser.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from lath.notation.errors import Fault, NotationError, Problem, RecordError, RecordSyntaxError
    from lath.notation.reader import Entry, entries, read
    from lath.notation.record import Annotation, Ply, Record, Termination, Variation
    from lath.notation.replay import canonical, check, positions, start_of
    from lath.notation.scanner import parse
    from lath.notation.validation import Findings, validate
    from lath.notation.writer import format_record, format_records

__all__ = [
    "Annotation",
    "Entry",
    "Fault",
    "Findings",
    "NotationError",
    "Ply",
    "Problem",
    "Record",
    "RecordError",
    "RecordSyntaxError",
    "Termination",
    "Variation",
    "canonical",
    "check",
    "entries",
    "format_record",
    "format_records",
    "parse",
    "positions",
    "read",
    "start_of",
    "validate",
]

_HOME: Final = {
    **dict.fromkeys(
        ("Fault", "NotationError", "Problem", "RecordError", "RecordSyntaxError"), "errors"
    ),
    **dict.fromkeys(("Findings", "validate"), "validation"),
    **dict.fromkeys(("parse",), "scanner"),
    **dict.fromkeys(("Entry", "entries", "read"), "reader"),
    **dict.fromkeys(("Annotation", "Ply", "Record", "Termination", "Variation"), "record"),
    **dict.fromkeys(("canonical", "check", "positions", "start_of"), "replay"),
    **dict.fromkeys(("format_record", "format_records"), "writer"),
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'lath.notation' has no attribute {name!r}")
    value = getattr(import_module(f"lath.notation.{_HOME[name]}"), name)
    globals()[name] = value
    return value
