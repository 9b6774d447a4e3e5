"""An organiser's Markdown on a page: what it looks like, and what it can never do."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lath.reports.page.about import to_html

PIECES = st.sampled_from(
    [
        *("# ", "### ", "###### ", "**", "*", "`", "```\n", "> ", "- ", "1. ", "\n", "\n\n", "| "),
        *("a | b\n---|---\n1 | 2\n", "[x](", "![y](", "](", ")", "<", ">", "&", '"', "'", "\\"),
        *("javascript:alert(1)", "data:text/html,x", "https://example.org/", "a.html", "//evil"),
        *("mailto:a@example.org", "<script>", "<img src=x onerror=y>", "words", "\t", "java&#115;"),
        *("[ref]: vbscript:x\n", "[ref]", "<javascript:x>", "\u202e", "\x00", "===\n", "---\n"),
    ]
)

TAGS = {
    *("h3", "h4", "h5", "h6", "p", "a", "strong", "em", "code", "pre", "ul", "ol", "li", "hr"),
    *("blockquote", "table", "thead", "tbody", "tr", "th", "td", "section", "br"),
}
ATTRIBUTES = {"href", "title", "scope", "class", "aria-label", "tabindex", "start", "style"}


class Seen(HTMLParser):
    """Collects what a browser would see."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


@given(st.lists(PIECES, max_size=25).map("".join))
def test_whatever_is_written_nothing_but_text_and_plain_links_come_of_it(text: str) -> None:
    html = str(to_html(text))
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\u202a-\u202e]", html)
    level = 2
    for tag, attributes in Seen(html).tags:
        assert tag in TAGS
        assert {*attributes} <= ATTRIBUTES
        if tag == "a":
            assert re.fullmatch(r"https?://.*|mailto:.*|(?!//)[^:]*", attributes["href"] or "")
        if tag[0] == "h" and tag != "hr":
            assert int(tag[1]) <= level + 1, "a level of headings is skipped"
            level = int(tag[1])
    assert not re.search(r"<h\d>\s*</h\d>|<a [^>]*>\s*</a>", html)
    assert not re.search(r"<p><strong>[^<]*</strong></p>", html.replace("</blockquote>", ""))


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("# Rules\n### More\n# Contact", "<h3>Rules</h3>\n<h4>More</h4>\n<h3>Contact</h3>\n"),
        ("**Next date**", "<h3><strong>Next date</strong></h3>\n"),
        (
            "Write to <mailto:a@b.org>",
            '<p>Write to <a href="mailto:a@b.org">mailto:a@b.org</a></p>\n',
        ),
        ("![logo](logo.png)", '<p><a href="logo.png">logo</a></p>\n'),
        ("<b>x</b>", "<p>&lt;b&gt;x&lt;/b&gt;</p>\n"),
        ("[x](javascript:a)", "<p>[x](javascript:a)</p>\n"),
    ],
)
def test_lines_look_as_written(text: str, html: str) -> None:
    assert str(to_html(text)) == html
