r"""The broken records of `broken_records.txt`, with their problems.

The file has names and texts. In a text whose name ends in [bytes], `\xff` is a byte.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import NamedTuple

from places import ROOT

from lath.notation.record.errors import Problem
from lath.notation.rules.reading import entries_of

TABLE = ROOT / "tests" / "notation" / "broken_records.txt"


class Case(NamedTuple):
    """A broken file of the table."""

    name: str
    content: bytes


def problems_in(content: bytes) -> list[Problem]:
    """Return all problems of a file."""
    entries = entries_of(io.BytesIO(content), "games.lath")
    return [problem for entry in entries for problem in entry.problems]


def cases() -> Iterator[Case]:
    """Yield each broken file of the table."""
    for case in TABLE.read_text(encoding="utf-8").removeprefix("=== ").split("\n=== "):
        name, _, text = case.partition("\n")
        content = text.encode()
        if name.endswith("[bytes]"):
            content = content.decode("unicode_escape").encode("latin-1")
        yield Case(name, content)


CASES = list(cases())
