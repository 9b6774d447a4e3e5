"""A comparison of the fast and the slow readers on random texts.

The slow path is Lark with the rules move by move. Must not know how the fast paths work.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from itertools import chain
from random import Random
from typing import TYPE_CHECKING, Final, NamedTuple
from unittest import mock

from record_texts import mutant, soup, written

from lath.notation.record.errors import Fault, RecordSyntaxError
from lath.notation.record.record import tag_faults
from lath.notation.rules import reading
from lath.notation.rules.quick_check import valid_plies
from lath.notation.rules.reading import entries_of
from lath.notation.rules.replay import faults_of
from lath.notation.rules.validation import Findings, validate_stream
from lath.notation.text import splitting
from lath.notation.text.parser import Parsed, parse_closely
from lath.notation.text.scanner import scan
from lath.notation.text.splitting import Entry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

FILE_EVERY: Final = 10
"""One text of this number is also put into a file, which Lark reads again."""

BATCH: Final = 40
"""The number of texts in such a file."""


class DifferenceError(AssertionError):
    """A fast path gives another result than the slow one."""


@dataclass
class Counts:
    """The counts of a campaign."""

    texts: int = 0
    scanned: int = 0
    """Texts that the scanner read itself."""
    refused: int = 0
    """Texts that Lark refused."""
    sound: int = 0
    """Texts that Lark and the rules find valid."""
    told: int = 0
    """Valid texts that the check of whole lines has accepted."""
    in_files: int = 0
    """Records of files that were read as a whole."""


def compare(text: str, counts: Counts) -> None:
    """Read a text in all ways and count it; raises DifferenceError."""
    scanned, plies, parsed = scan(text), valid_plies(text), closely(text)
    is_valid = parsed is not None and not wrong_with(parsed)
    if scanned is not None and not (
        parsed and scanned == parsed.record and numbers_are_right(parsed)
    ):
        raise DifferenceError(f"scan: {text!r} is {parsed}, not {scanned}")
    if plies is not None and not (is_valid and parsed and plies == len(parsed.record.plies)):
        raise DifferenceError(f"valid_plies: {text!r} is {parsed}, not {plies} sound plies")
    counts.texts += 1
    counts.scanned += scanned is not None
    counts.refused += parsed is None
    counts.sound += is_valid
    counts.told += plies is not None


def closely(text: str) -> Parsed | None:
    """Return Lark's result; None if it refuses the text."""
    try:
        return parse_closely(text)
    except RecordSyntaxError:
        return None


def wrong_with(parsed: Parsed) -> list[Fault]:
    """Return the faults of a record, its moves played one by one."""
    return [*tag_faults(parsed.record)] or faults_of(*parsed)


def numbers_are_right(parsed: Parsed) -> bool:
    """Return whether each number in the main line is missing or right."""
    return all(place.number in (None, ply) for ply, place in enumerate(parsed.places, 1))


def compare_files(texts: Sequence[str], chance: Random) -> int:
    """Read a file of the texts in all ways, also in small chunks; return the number of its records.

    Raises DifferenceError.
    """
    content = content_of(texts, chance)
    expected = by_lark(content, "f")
    block = chance.choice((1 << 20, 3000, 200))
    with mock.patch.object(splitting, "_BLOCK", block):
        entries = list(entries_of(io.BytesIO(content), "f"))
        found = together(validate_stream(io.BytesIO(content), "f"))
        judged_apart = list(reading.entries_judged_apart(io.BytesIO(content), "f", 1))
    for what, one, other in (
        ("entries", entries, expected),
        ("entries judged apart", judged_apart, expected),
        ("validate", found, totals(expected)),
    ):
        if one != other:
            raise DifferenceError(f"{what} in blocks of {block}: {content!r} is {other}, not {one}")
    return len(expected)


def content_of(texts: Iterable[str], chance: Random) -> bytes:
    """Return a file of these texts, with random separators."""
    ends = ("\n\n", "\n\n", "\n\n", "\r\n\r\n", "\n \t\n\n", "\n", "", "\n\n\x0c", "\n\n  ")
    content = bytearray("".join(text + chance.choice(ends) for text in texts).encode())
    if chance.random() < 0.2:
        content[:0] = b"\xef\xbb\xbf"
    if chance.random() < 0.2:
        content.insert(chance.randrange(len(content) + 1), 0xFF)
    return bytes(content)


def by_lark(content: bytes, name: str) -> list[Entry]:
    """Return the entries of a file, read by Lark and checked move by move."""
    with mock.patch.multiple(reading, valid_game=lambda _: None, parts=lambda _: None):
        return list(entries_of(io.BytesIO(content), name))


def totals(entries: Sequence[Entry]) -> Findings:
    """Return the findings of these entries."""
    problems = tuple(chain.from_iterable(entry.problems for entry in entries))
    plies = sum(len(entry.record.plies) for entry in entries if entry.record)
    bad = sum(bool(entry.problems) for entry in entries)
    return Findings(len(entries), bad, plies, problems)


def together(parts: Iterable[Findings]) -> Findings:
    """Return the findings of all parts of a file, merged."""
    found = list(parts)
    return Findings(
        sum(part.records for part in found),
        sum(part.bad for part in found),
        sum(part.plies for part in found),
        tuple(chain.from_iterable(part.problems for part in found)),
    )


def rule_made(count: int, number: int) -> Iterator[str]:
    """Yield games in canonical text and in other spellings."""
    return (written(Random(f"written {number} {case}")) for case in range(count))


def mutants(count: int, number: int) -> Iterator[str]:
    """Yield games with small changes."""
    for case in range(count):
        chance = Random(f"mutant {number} {case}")
        yield mutant(written(chance), written(chance), chance)


def soups(count: int, number: int) -> Iterator[str]:
    """Yield the symbols of the notation in random order."""
    return (soup(Random(f"soup {number} {case}")) for case in range(count))


class Source(NamedTuple):
    """A source of texts."""

    texts: Callable[[int, int], Iterator[str]]
    """Yields a number of texts; equal seeds give equal texts."""
    share: float
    """The share of the cases of a campaign."""


SOURCES: Final = {
    "rule-made": Source(rule_made, 0.40),
    "mutants": Source(mutants, 0.45),
    "soup": Source(soups, 0.15),
}


def campaign(source: str, cases: int, number: int = 0) -> Counts:
    """Compare a source's share of the cases, like `run`."""
    texts, share = SOURCES[source]
    return run(texts(round(cases * share), number), number)


def run(texts: Iterable[str], number: int = 0) -> Counts:
    """Compare the texts, and files of some of them; raises DifferenceError."""
    counts = Counts()
    batch: list[str] = []
    for case, text in enumerate(chain(texts, [None])):
        if text is not None:
            compare(text, counts)
            batch += [text] if case % FILE_EVERY == 0 else []
        if len(batch) == BATCH or text is None:
            counts.in_files += compare_files(batch, Random(f"file {number} {case}"))
            batch = []
    return counts
