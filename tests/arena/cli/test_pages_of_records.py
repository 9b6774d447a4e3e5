"""The pages about records: what their commands print, and their tables, are as they show them."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest
from commands import arena
from places import DOC_PAGES, SAMPLES, page_text
from reference import TABLES

from lath.notation.formats import TABLE

_BLOCK = re.compile(r"^```(\w+) ?(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def said(line: str) -> str:
    """Return what a line of a page prints: a command of ours, or grep."""
    command, *arguments = shlex.split(line)
    if command == "grep":
        word, path = arguments
        return "".join(f"{text}\n" for text in Path(path).read_text().splitlines() if word in text)
    assert command == "arena"
    ran = arena(*arguments)
    return ran.out + ran.err


@pytest.mark.parametrize("name", ["manage-archives", "query-language", "repair-text-records"])
def test_every_command_of_a_page_prints_what_it_shows(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    blocks = _BLOCK.findall(page_text(name))
    shutil.copy(SAMPLES / "queries.lath", "games.lath")
    ran: list[str] = []
    for kind, file, text in blocks:
        if kind in ("lath", "text") and file:
            Path(file).write_text(text)
        for session in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:] if kind == "console" else ():
            line, _, shown = session.partition("\n")
            if line.split()[0] not in ("arena", "grep"):
                continue
            output = [each.rstrip() for each in said(line).splitlines()]
            assert output == [each.rstrip() for each in shown.splitlines()], line
            ran.append(line)
    assert len(ran) >= {"query-language": 2, "repair-text-records": 3}.get(name, 8)


def test_the_line_of_json_is_what_is_written_and_all_formats_are_named() -> None:
    page = page_text("formats")
    (line,) = (text for kind, _, text in _BLOCK.findall(page) if kind == "json")
    ours = ("--from", "jsonlines", "--to", "jsonlines")
    assert arena("convert", "-", "-", *ours, stdin=line).out == line
    assert f"The formats are {', '.join(TABLE)}." in " ".join(
        arena("convert", "--help").out.split()
    )


def test_tables_that_pages_name_are_made_from_the_program() -> None:
    pages = "".join(page.read_text(encoding="utf-8") for page in DOC_PAGES)
    assert "<!-- table: " in pages
    assert "<!--" not in TABLES.filled(pages)
    assert "| `ludii` | Ludii's trials | `.trl` | yes | - |" in TABLES.filled(pages)
