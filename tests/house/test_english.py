"""The style's rules that a program can check, over everything that people read.

Each surface has a count of offences that may only fall: lower it here when you mend some.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib import resources
from pathlib import Path
from typing import Final

import pytest
from places import ROOT
from plain_english import offences, prose

from lath.arena.cli.main import COMMANDS, commands_of
from lath.games.errors import count_of

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
            yield from command.about.statuses.values()
            left += getattr(command, "commands", {}).values()


def messages() -> Iterator[str]:
    """Yield what commands print when something is wrong, without quotes and JSON."""
    for file in ROOT.glob("tests/*/messages.txt"):
        for line in file.read_text("utf-8").splitlines():
            if not line.startswith(("---", "===", "{")):
                quoted = re.sub(r"(?<!\w)(['\"]).*?\1(?!\w)", "'value'", line)
                yield re.sub(r"[:;](?=\s)", ",", quoted)  # a colon ends each part of a place


def templates() -> Iterator[str]:
    """Yield the words of pages, without markup and without what is put in."""
    for folder in ("reports/templates", "arena/site/templates"):
        for page in (ROOT / folder).rglob("*.j2"):
            text = re.sub(r"(?s)\{#.*?#\}|<(script|style).*?</\1>", " ", page.read_text("utf-8"))
            text = re.sub(r"\{\{.*?\}\}", "code", text)
            yield from re.split(r"(?s)<[^>]*>|\{%.*?%\}", text)


def printed() -> Iterator[str]:
    """Yield the words that programs print, or put into pages and tables."""
    for layer in LAYERS:
        for path in (ROOT / layer).rglob("*.py"):
            for text in _written(ast.parse(path.read_text("utf-8"))):
                if not re.search(r"\n|-src |[A-Z]{5,} |^M[-\d]|[|\\]|^import ", text):
                    # policies, queries of SQL, paths of SVG, patterns, programs
                    yield re.sub(r"[:;](?=\s)", ",", text)
        for path in (ROOT / layer).rglob("*.js"):
            code = re.sub(r"(?m)(?:^|\s)//.*|/\*.*?\*/", "", path.read_text("utf-8"))
            for match in re.finditer(r'"([^"\n]*)"|`([^`\n]*)`', code):
                yield re.sub(
                    r"\$\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}", "code", match[1] or match[2] or ""
                )


def _written(node: ast.AST) -> Iterator[str]:
    """Yield the strings of code, without docstrings."""
    match node:
        case ast.Expr(ast.Constant()):
            return
        case ast.Constant(str(text)):
            yield text
        case ast.JoinedStr(parts):
            yield "".join(
                str(getattr(part, "value", "")) if isinstance(part, ast.Constant) else "code"
                for part in parts
            )
            for part in parts:
                yield from _written(part) if isinstance(part, ast.FormattedValue) else ()
        case _:
            for child in ast.iter_child_nodes(node):
                yield from _written(child)


def docstrings() -> Iterator[str]:
    """Yield the docstrings of modules, classes and functions, and of fields."""
    for layer in (*LAYERS, "examples"):
        for path in (ROOT / layer).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                match node:
                    case ast.Expr(ast.Constant(str(text))):
                        yield re.sub(r"(?m)^\s*(>>>|\.\.\.).*(\n(?!\s*$).*)*", "", text)


MOST: Final[dict[Callable[[], Iterator[str]], int]] = {
    documentation: 0,
    helps: 0,
    messages: 0,
    templates: 0,
    printed: 0,
    docstrings: 0,
}


@pytest.mark.parametrize("surface", MOST, ids=lambda surface: surface.__name__)
def test_people_read_plain_english(surface: Callable[[], Iterator[str]]) -> None:
    found = [offence for text in surface() for offence in offences(text)]
    assert len(found) <= MOST[surface], "run tests/support/plain_english.py on what you wrote"


KEPT: Final = {
    *(
        "analyze",
        "biased",
        "center",
        "color",
        "dialog",
        "gray",
        "normalized",
        "optimization",
        "practice",
    ),
    *(
        "program",
        "programs",
        "sanitizer",
        "sanitizers",
        "deserialization",
        "serialization",
        "stories",
        "story",
        "writable",
    ),
}
"""Words that British English spells so as well, of names, and of commands and code."""


def test_words_are_spelt_as_in_british_english(tmp_path: Path) -> None:
    """codespell knows only the way from British to American spelling: the test turns it round."""
    known = resources.files("codespell_lib") / "data" / "dictionary_en-GB_to_en-US.txt"
    pairs = [line.split("->") for line in known.read_text("utf-8").splitlines()]
    british = tmp_path / "british.txt"
    british.write_text(
        "".join(f"{us}->{gb}\n" for gb, us in pairs if us not in KEPT), encoding="utf-8"
    )
    for surface in MOST:
        (tmp_path / f"{surface.__name__}.md").write_text(
            "\n\n".join(map(prose, surface())), encoding="utf-8", errors="replace"
        )
    mistyped = "-L ned,ot,patern,selct,te"  # by users, whom messages quote; Ned is a name
    command: list[str | Path] = [sys.executable, "-m", "codespell_lib", *mistyped.split()]
    command += ["-D", "-", "-D", british]
    ran = subprocess.run(
        [*command, tmp_path, "--skip", british], stdout=subprocess.PIPE, text=True, check=False
    )
    assert ran.stdout.replace(f"{tmp_path}/", "") == ""
    (tmp_path / "bad.md").write_text("colour colorize recieve")
    assert subprocess.run([*command, tmp_path], stdout=subprocess.DEVNULL, check=False).returncode


MOST_BYTES: Final = {
    "README.md": 6_000,
    "CHANGELOG.md": 12_600,
    "docs/index.md": 3_000,
    "docs/how-to/*.md": 6_500,
    "docs/tutorials/*.md": 8_000,
    "docs/reference/*.md": 8_800,
    "docs/[er]*/*.md": 18_432,
    "docs/design/*.md": 10_000,
}
"""What each page of a pattern may have."""

MOST_OF_ALL: Final = 281_000
"""All of docs/ that people write: 274 kB."""


def test_no_page_has_more_bytes_than_its_kind_may() -> None:
    assert sum(page.stat().st_size for page in (ROOT / "docs").rglob("*.md")) <= MOST_OF_ALL
    too_long = {
        str(page.relative_to(ROOT)): page.stat().st_size
        for pattern, most in MOST_BYTES.items()
        for page in ROOT.glob(pattern)
        if page.stat().st_size > most
    }
    assert too_long == {}


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


BY_HAND: Final = re.compile(r"""else ['"]e?s['"]|['"]s['"] \* \([^)]*(>|!=)""")


def test_counts_agree_with_their_nouns() -> None:
    """One function makes plurals; its nouns have no plural after a 1 in any recorded message."""
    nouns: set[str] = set()
    for layer in LAYERS:
        for file in (ROOT / layer).rglob("*.py"):
            text = file.read_text("utf-8")
            assert not (found := BY_HAND.search(text)), f"{file}: {found}; use count_of"
            nouns |= {*re.findall(r"""count_of\(.*, ['"](?:[a-z -]* )?([a-z-]+)['"]\)""", text)}
    assert {"ply", "game", "copy"} <= nouns
    plurals = "|".join(sorted(count_of(2, noun)[2:] for noun in nouns))
    wrong = re.compile(rf"(?<![0-9.,:] )(?<![0-9.,:-])\b1 (?:[a-z]+ )?(?:{plurals})\b")
    for file in (ROOT / "tests").glob("*/messages.txt"):
        for line in file.read_text("utf-8").splitlines():
            assert not wrong.search(line), f"{file}: {line}"
