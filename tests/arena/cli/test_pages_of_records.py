"""Pages about formats: their examples and tables are what the program writes and has."""

from __future__ import annotations

import re

from commands import arena
from places import DOC_PAGES, page_text
from reference import TABLES

_BLOCK = re.compile(r"^```(\w+) ?(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_line_of_json_is_what_is_written() -> None:
    page = page_text("formats")
    (line,) = (text for kind, _, text in _BLOCK.findall(page) if kind == "json")
    ours = ("--from", "jsonlines", "--to", "jsonlines")
    assert arena("convert", "-", "-", *ours, stdin=line).out == line


def test_tables_that_pages_name_are_made_from_the_program() -> None:
    pages = "".join(page.read_text(encoding="utf-8") for page in DOC_PAGES)
    assert "<!-- table: " in pages
    assert "<!--" not in TABLES.filled(pages)
    assert "| `ludii` | Ludii's trials | `.trl` | yes | - |" in TABLES.filled(pages)
