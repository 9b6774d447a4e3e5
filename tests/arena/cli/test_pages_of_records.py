"""The pages about records: what their commands print, and their tables, are as they show them."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from commands import arena
from places import page_text

from lath.notation import formats
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


@pytest.mark.parametrize(
    "name", ["manage-archives", "query-language", "repair-text-records", "formats"]
)
def test_every_command_of_a_page_prints_what_it_shows(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    blocks = _BLOCK.findall(page_text(name))
    ran: list[str] = []
    for kind, file, text in blocks:
        if kind in ("lath", "text") and (file or (name == "formats" and kind == "lath")):
            Path(file or "games.lath").write_text(text)
        for session in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:] if kind == "console" else ():
            line, _, shown = session.partition("\n")
            if line.split()[0] not in ("arena", "grep"):
                continue
            output = [each.rstrip() for each in said(line).splitlines()]
            assert output == [each.rstrip() for each in shown.splitlines()], line
            ran.append(line)
        if name == "formats" and ran:  # what follows is of files that the reader has
            break
    assert len(ran) >= {"formats": 1}.get(name, 8)


def test_the_examples_of_formats_are_what_is_written_and_told(tmp_path: Path) -> None:
    page = page_text("formats")
    of: dict[str, str] = {}
    for kind, _, text in _BLOCK.findall(page):
        of.setdefault(kind, text)
    (tmp_path / "games.lath").write_text(of["lath"])
    to_csv = arena("convert", tmp_path / "games.lath", "-", "--to", "csv", "-q")
    assert to_csv.out.replace("\r", "") == of["csv"]
    ours = ("--from", "jsonlines", "--to", "jsonlines")
    assert arena("convert", "-", "-", *ours, stdin=of["json"]).out == of["json"]
    bad = tmp_path / "games.jsonl"
    bad.write_text(of["text"].splitlines()[1].strip())
    with bad.open("rb") as stream:
        (entry,) = formats.reader("jsonlines")(stream, "games.jsonl")
    assert f"{entry.problems[0]}\n" == of["text"]
    rows = page.split("| --- | --- | --- | --- | --- |\n")[1].split("\n\n")[0].splitlines()
    found = {}
    for row in rows:
        name, _, suffixes, is_read, is_written = row.strip("| ").split(" | ")
        found[name.strip("`")] = (suffixes.replace("`", "").split(", "), is_read, is_written)
    yes = {True: "yes", False: "-"}
    assert found == {
        name: (list(known.suffixes), yes[bool(known.read)], yes[bool(known.write)])
        for name, known in TABLE.items()
    }
    assert f"The formats are {', '.join(TABLE)}." in " ".join(
        arena("convert", "--help").out.split()
    )
