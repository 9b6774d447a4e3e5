"""The style's rules that a program can check, over everything that people read.

Each surface has a count of offences that may only fall: lower it here when you mend some.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from typing import Final

import pytest
from places import ROOT
from plain_english import offences

from lath.arena.cli.main import COMMANDS, commands_of

LAYERS: Final = ("games", "notation", "bots", "reports", "arena")


def documentation() -> Iterator[str]:
    """Yield each page that people read in the repository or on the site."""
    for pattern in ("*.md", "docs/**/*.md", "examples/**/*.md", "benchmarks/*.md"):
        for page in ROOT.glob(pattern):
            yield page.read_text("utf-8")


def helps() -> Iterator[str]:
    """Yield the help of each command, and of each of its options."""
    for module in {listed.module for listed in COMMANDS.values()}:
        left = [*commands_of(module).values()]
        while left:
            command = left.pop()
            yield command.help or ""
            yield from (getattr(param, "help", None) or "" for param in command.params)
            left += getattr(command, "commands", {}).values()


def messages() -> Iterator[str]:
    """Yield what commands print when something is wrong."""
    for file in ROOT.glob("tests/*/messages.txt"):
        for line in file.read_text("utf-8").splitlines():
            if not line.startswith(("---", "===")):  # a colon stands after each part of a place
                yield re.sub(r"[:;](?=\s)", ",", line)


def templates() -> Iterator[str]:
    """Yield the words of pages, without markup and without what is put in."""
    for folder in ("reports/templates", "arena/site/templates"):
        for page in (ROOT / folder).rglob("*.j2"):
            text = re.sub(r"(?s)\{#.*?#\}|<(script|style).*?</\1>", " ", page.read_text("utf-8"))
            text = re.sub(r"\{\{.*?\}\}", "code", text)
            yield from re.split(r"(?s)<[^>]*>|\{%.*?%\}", text)


def docstrings() -> Iterator[str]:
    """Yield the docstrings of modules, classes and functions, and of fields."""
    for layer in LAYERS:
        for path in (ROOT / layer).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                match node:
                    case ast.Expr(ast.Constant(str(text))):
                        yield re.sub(r"(?m)^\s*(>>>|\.\.\.).*(\n(?!\s*$).*)*", "", text)


MOST: Final[dict[Callable[[], Iterator[str]], int]] = {
    documentation: 95,
    helps: 0,
    messages: 118,
    templates: 0,
    docstrings: 2189,
}


@pytest.mark.parametrize("surface", MOST, ids=lambda surface: surface.__name__)
def test_people_read_plain_english(surface: Callable[[], Iterator[str]]) -> None:
    found = [offence for text in surface() for offence in offences(text)]
    assert len(found) <= MOST[surface], "run tests/support/plain_english.py on what you wrote"


def test_an_offence_is_found_and_plain_english_is_not() -> None:
    for text, whats in (
        ("The arena kills the bot after 5 s.", []),
        ("Who asks is told of it.", ["begins with Who", "says 'is told'"]),
        ("What does it cost?", []),
        ("It is no move. It is no longer a move.", ["says 'is no'"]),
        ("One: two: three; four.", ["has a second colon or semicolon"]),
        ("word " * 31, ["31 words"]),
        ("```\nOf code nothing is read.\n```\n`who` [goes on](who.md)", ["says 'goes on'"]),
        ("| a | Of b |\n| --- | --- |\n| c | d |", ["begins with Of"]),
    ):
        assert [offence.what for offence in offences(text)] == whats, text
