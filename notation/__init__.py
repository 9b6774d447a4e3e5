"""Records of games, as text and as data.

The layers above play games and compute statistics.

The function `read` reads a file, `format_record` writes a record, and `check` tests it against the
rules:

>>> from lath import notation
>>> record = notation.parse('[Game "yavalath"] 1. e5 2. swap *')
>>> record.moves
('e5', 'swap')

Names are loaded when they are first used, so that a bot that needs only `lath.notation.protocol`
does not load the parser.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from lath.notation.archive.index import (
        NoIndexError,
        Records,
        StaleIndexWarning,
        open_records,
        write,
        write_index,
    )
    from lath.notation.edits.changes import retag, strip, truncate
    from lath.notation.record.errors import (
        Fault,
        NotationError,
        Problem,
        RecordError,
        RecordSyntaxError,
        RecordValueError,
    )
    from lath.notation.record.record import (
        Annotation,
        Comment,
        Ply,
        Record,
        Variation,
        annotation,
        comment,
    )
    from lath.notation.record.tags import Termination
    from lath.notation.rules.builder import Builder
    from lath.notation.rules.header import Header, headers
    from lath.notation.rules.reading import entries, read
    from lath.notation.rules.replay import canonical, positions, start_of
    from lath.notation.rules.validation import Findings, check, validate
    from lath.notation.rules.visitor import SKIP, Answer, Visitor, walk
    from lath.notation.tables.tables import games_table, plies_table
    from lath.notation.text.scanner import parse
    from lath.notation.text.splitting import Entry
    from lath.notation.text.writer import format_record, format_records

__all__ = [
    "SKIP",
    "Annotation",
    "Answer",
    "Builder",
    "Comment",
    "Entry",
    "Fault",
    "Findings",
    "Header",
    "NoIndexError",
    "NotationError",
    "Ply",
    "Problem",
    "Record",
    "RecordError",
    "RecordSyntaxError",
    "RecordValueError",
    "Records",
    "StaleIndexWarning",
    "Termination",
    "Variation",
    "Visitor",
    "annotation",
    "canonical",
    "check",
    "comment",
    "entries",
    "format_record",
    "format_records",
    "games_table",
    "headers",
    "open_records",
    "parse",
    "plies_table",
    "positions",
    "read",
    "retag",
    "start_of",
    "strip",
    "truncate",
    "validate",
    "walk",
    "write",
    "write_index",
]

_MODULES: Final = (
    "record.errors",
    "record.record",
    "text.scanner",
    "text.writer",
    "rules.replay",
    "text.splitting",
    "rules.reading",
    "rules.header",
    "rules.validation",
    "edits.changes",
    "rules.builder",
    "rules.visitor",
    "archive.index",
    "tables.tables",
)
"""The modules with the names; most modules import those before them anyway."""


if not TYPE_CHECKING:  # otherwise the type checker would accept any name

    def __getattr__(name: str) -> Any:
        for module in _MODULES if name in __all__ else ():
            home = import_module(f"lath.notation.{module}")
            if hasattr(home, name):
                return globals().setdefault(name, getattr(home, name))
        raise AttributeError(f"module 'lath.notation' has no attribute {name!r}")
