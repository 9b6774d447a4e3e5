"""The style rules that a program can check: long sentences, and words that confuse readers.

    python tests/support/plain_english.py docs/index.md README.md

prints the file, the line, the fault and the sentence of each offence. The exit status is 1 with any
offence.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

MOST_WORDS: Final = 30

OPENINGS: Final = re.compile(r"(?:Who|What|Whether|Of|Whoever|Whatever)\b")
"""Words that begin a clause in the place of the actor; questions can begin with them."""

PHRASES: Final = re.compile(
    r"\b("
    r"(?:is|are|was|were|be) (?:no|(?-i:none))\b"
    r"(?! (?:longer|more|fewer|less|later|earlier|larger|sooner))"
    r"|of ours|ours|somebody's|somebody|nobody's|whoever"
    r"|go(?:es|ing)? on\b|gone on|is gone|told of|(?:is|are) told|tells? of"
    r"|strangers?'?|walls?|walled|to mend|mended|as it (?:was|is)|as they (?:were|are)"
    r"|nobody trusts|games a second|a blank|blanks|spreadsheets? of sheets"
    r"|the other way round|be it|likewise|thereby|herein|hers?|hers|herself|she|he|his|him"
    r"|shall|is to be|are to be|unless told|else,|what is left|so to speak"
    r")\b",
    re.IGNORECASE,
)
"""Left sides of the glossary, and phrases that the style forbids."""

_CODE: Final = re.compile(r"^ *(```|~~~).*?^ *\1", re.MULTILINE | re.DOTALL)
_SPANS: Final = re.compile(r"`[^`\n]*`|<[^>\n]+>|\$\$?[^$\n]+\$\$?")
_LINK: Final = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_END: Final = re.compile(r"(?<=[.!?])[\"')*_]*\s+(?=[\"'(*_`]*[A-Z`0-9])")
_NOT_AN_END: Final = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|cf|Fig|No|[A-Z])\.)$")


class Offence(NamedTuple):
    """A sentence with its fault."""

    line: int
    what: str
    sentence: str


def offences(text: str) -> list[Offence]:
    """Return the faulty sentences of Markdown; code and addresses do not count."""
    return list(_offences(text))


def prose(text: str) -> str:
    """Return the words of Markdown on their lines, without code and addresses."""
    return _LINK.sub(r"\1", _SPANS.sub("code", _CODE.sub(_as_lines, text)))


def _offences(text: str) -> Iterator[Offence]:
    for line, block in _blocks(prose(text)):
        for at, sentence in _sentences(block):
            where = line + block.count("\n", 0, at)
            for what in wrong_with(sentence):
                yield Offence(where, what, sentence)


def _as_lines(match: re.Match[str]) -> str:
    return "\n" * match[0].count("\n")


def _blocks(text: str) -> Iterator[tuple[int, str]]:
    """Yield paragraphs, list items and table cells, each with its line from 1."""
    block: list[str] = []
    first = 1
    for number, line in enumerate([*text.split("\n"), ""], 1):
        begins = re.match(r"\s*(?:[-*+]|\d+\.|#+|>)\s+|\s*\|", line)
        if (not line.strip() or begins) and block:
            yield first, "\n".join(block)
            block = []
        if line.lstrip().startswith("|"):
            for cell in line.strip().strip("|").split("|"):
                if cell.strip(" -:"):
                    yield number, cell.strip()
        elif line.strip():
            first = first if block else number
            block.append(line[begins.end() :] if begins else line)


def _sentences(block: str) -> Iterator[tuple[int, str]]:
    start = 0
    for match in (*_END.finditer(block), None):
        end = match.start() if match else len(block)
        if match and _NOT_AN_END.search(block[start:end]):
            continue
        if sentence := " ".join(block[start:end].split()):
            yield start, sentence
        start = match.end() if match else end


def wrong_with(sentence: str) -> Iterator[str]:
    """Yield the faults of one sentence of plain text."""
    if (count := len(re.findall(r"[\w'’-]*\w", sentence))) > MOST_WORDS:
        yield f"{count} words"
    if not sentence.rstrip("\"')*_").endswith("?") and OPENINGS.match(sentence.lstrip("\"'(*_")):
        yield f"begins with {sentence.split(maxsplit=1)[0]}"
    for found in PHRASES.findall(sentence):
        yield f"says {found!r}"
    if len(re.findall(r"[:;](?=\s)", sentence)) > 1:
        yield "has a second colon or semicolon"


def main(paths: list[str]) -> int:
    """Print the offences of files; return the exit status."""
    count = 0
    for path in paths:
        for line, what, sentence in offences(Path(path).read_text("utf-8")):
            count += 1
            print(f"{path}:{line}: {what}: {sentence}")
    print(f"{count} offences in {len(paths)} files", file=sys.stderr)
    return count > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
