"""Pages of the documentation: links that lead somewhere, and no more bytes than a reader takes."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from pathlib import Path
from typing import Final

from places import DOC_PAGES, DOCS, ROOT

PAGES: Final = [
    *sorted(ROOT.glob("*.md")),
    *DOC_PAGES,
    *sorted((ROOT / "examples").rglob("*.md")),
    *sorted((ROOT / "benchmarks").glob("*.md")),
]

MOST_BYTES: Final = {
    "README.md": 6_000,
    "CHANGELOG.md": 12_288,
    "docs/index.md": 3_000,
    "docs/how-to/*.md": 8_000,
    "docs/tutorials/*.md": 8_000,
    "docs/**/*.md": 12_000,
}
"""What each page of a pattern may have."""

MOST_OF_ALL: Final = 266_240
"""260 kB: all of docs/ that people write."""

_FENCE: Final = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
_LINK: Final = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")


def slug(heading: str) -> str:
    """Return the anchor of a heading, as Python-Markdown and GitHub make it."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)|[`*]", r"\1", heading)
    letters = unicodedata.normalize("NFKD", plain).encode("ascii", "ignore").decode()
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", letters).strip().lower())


@cache
def anchors_of(page: Path) -> frozenset[str]:
    """Return the anchors of a page."""
    text = _FENCE.sub("", page.read_text(encoding="utf-8"))
    headings = re.findall(r"^#+ (.+?)(?: *\{#([\w-]+)\})?$", text, re.MULTILINE)
    marks = re.findall(r'<a id="([\w-]+)">', text)
    return frozenset({*marks, *(given or slug(heading) for heading, given in headings)})


def broken_links(page: Path) -> list[str]:
    """Return the links of a page that lead nowhere."""
    broken = []
    for link in _LINK.findall(_FENCE.sub("", page.read_text(encoding="utf-8"))):
        name, _, anchor = link.partition("#")
        if re.match("[a-z]+:", link):
            continue
        target = (page.parent / name).resolve() if name else page
        is_there = target.exists() and (
            not anchor or "api" in target.parts or anchor in anchors_of(target)
        )
        if not is_there:
            broken.append(link)
    return broken


def test_every_link_leads_to_a_page_and_a_heading() -> None:
    assert sum(len(_LINK.findall(page.read_text(encoding="utf-8"))) for page in PAGES) > 300
    broken = {str(page.relative_to(ROOT)): broken_links(page) for page in PAGES}
    assert {page: links for page, links in broken.items() if links} == {}


def test_a_link_that_leads_nowhere_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# A `b` c\n[x](#a-b-c) [y](#d) [z](none.md) [u](page.md#a-b-c) [v](https://x)")
    assert broken_links(page) == ["#d", "none.md"]


def test_no_page_has_more_bytes_than_its_kind_may() -> None:
    assert sum(page.stat().st_size for page in DOCS.rglob("*.md")) <= MOST_OF_ALL
    too_long = {
        str(page.relative_to(ROOT)): page.stat().st_size
        for pattern, most in MOST_BYTES.items()
        for page in ROOT.glob(pattern)
        if page.stat().st_size > most
    }
    assert too_long == {}
