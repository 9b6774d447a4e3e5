"""The organiser's text for a league's pages: Markdown in, HTML out.

Raw HTML is shown as text. Links can lead to http, https, mailto or relative addresses. Nothing is
fetched: a picture becomes a link to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count
from typing import TYPE_CHECKING, Final

from markupsafe import Markup

if TYPE_CHECKING:
    from markdown_it.token import Token

_LINK: Final = re.compile(r"(?:https?://|mailto:)[^\s]+|(?!//)[^:\s\\]*", re.IGNORECASE)
"""Addresses that links can lead to: these schemes, or relative ones."""

_CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Characters that pages cannot show, or that reverse the direction of text."""

FIRST_LEVEL: Final = 3
"""The level of the highest headings; those of the page's own sections have level 2."""


def to_html(text: str) -> Markup:
    """Return Markdown (CommonMark with tables) as HTML whose headings begin at level 3.

    >>> str(to_html("# Rules")).strip(), str(to_html("<b>Be kind</b>")).strip()
    ('<h3>Rules</h3>', '<p>&lt;b&gt;Be kind&lt;/b&gt;</p>')
    """
    from markdown_it import MarkdownIt  # start-up time

    reader = MarkdownIt("commonmark", {"html": False}).enable("table")
    setattr(reader, "validateLink", _leads)  # noqa: B010 - as its documentation says
    tokens = [*_levelled(reader.parse(_CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)))]
    for token in tokens:
        if token.children:
            token.children = [*_inline(token.children)]
    made = reader.renderer.render(tokens, reader.options, {})
    number = count(1)
    made = re.sub("<table>", lambda _: _TABLE.format(next(number)) + "<table>", made)
    made = made.replace("</table>", "</table></section>").replace("<th>", '<th scope="col">')
    return Markup(made)  # noqa: S704 - made by this module


_TABLE: Final = '<section class="scroll" aria-label="Table {} of the text" tabindex="0">'


def _leads(address: str) -> bool:
    return _LINK.fullmatch(address) is not None


def _levelled(tokens: list[Token]) -> Iterator[Token]:
    """Yield tokens without empty headings and skipped levels; a bold line becomes a heading."""
    level, shift = FIRST_LEVEL - 1, dict[int, int]()
    at = 0
    while at < len(tokens):
        token = tokens[at]
        is_heading, is_bold = token.type == "heading_open", _is_bold(tokens[at : at + 3])
        if not is_heading and not is_bold:
            yield token
            at += 1
            continue
        opening, inline, closing = tokens[at : at + 3]
        at += 3
        if not inline.content.strip():
            continue
        if is_heading:
            own = int(opening.tag[1:])
            above = [now for written, now in shift.items() if written < own]
            level = min(6, max(above, default=FIRST_LEVEL - 1) + 1)
            shift = {written: now for written, now in shift.items() if written < own} | {own: level}
        tag = f"h{level if is_heading else min(6, level + 1)}"
        opening.type, closing.type = "heading_open", "heading_close"
        opening.tag = closing.tag = tag
        yield from (opening, inline, closing)


def _is_bold(tokens: list[Token]) -> bool:
    """Return whether a top-level paragraph consists of bold text only."""
    if len(tokens) < 3 or tokens[0].type != "paragraph_open" or tokens[0].level:
        return False
    inner = [one for one in tokens[1].children or [] if one.content.strip() or one.nesting]
    ends = [one.type for one in (inner[:1] + inner[-1:])]
    is_one = sum(one.type == "strong_open" and one.level == 0 for one in inner) == 1
    return ends == ["strong_open", "strong_close"] and is_one


def _inline(tokens: list[Token]) -> Iterator[Token]:
    """Yield the tokens of a line; a picture becomes a link, and an empty link shows its address."""
    from markdown_it.token import Token  # start-up time

    for at, token in enumerate(tokens):
        if token.type == "image":
            address = str(token.attrs.get("src", ""))
            words = Token("text", "", 0, content=token.content.strip() or address)
            yield Token("link_open", "a", 1, attrs={"href": address})
            yield words
            yield Token("link_close", "a", -1)
            continue
        yield token
        if token.type == "link_open" and tokens[at + 1].type == "link_close":
            yield Token("text", "", 0, content=str(token.attrs.get("href", "")))
