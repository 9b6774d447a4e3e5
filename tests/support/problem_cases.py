"""The broken records of `problem_messages.txt`, and what is said of each."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import NamedTuple

from places import ROOT

from lath import games
from lath.notation.errors import Problem
from lath.notation.reader import entries_of

TABLE = ROOT / "tests" / "notation" / "problem_messages.txt"


class Case(NamedTuple):
    """A broken file of the table, and what is said of it."""

    name: str
    content: bytes
    messages: str


def problems_in(content: bytes) -> list[Problem]:
    """Return everything that is wrong in a file."""
    return [
        problem
        for entry in entries_of(io.BytesIO(content), "games.lath")
        for problem in entry.problems
    ]


def cases() -> Iterator[Case]:
    """Yield each broken file of the table."""
    table = TABLE.read_text(encoding="utf-8").replace("<GAMES>", ", ".join(games.ids()))
    for case in table.removeprefix("=== ").split("\n=== "):
        name, _, rest = case.partition("\n")
        text, _, messages = rest.partition("---\n")
        content = text.encode()
        if name.endswith("[bytes]"):
            content = content.decode("unicode_escape").encode("latin-1")
        yield Case(name, content, messages.rstrip("\n"))


CASES = list(cases())
