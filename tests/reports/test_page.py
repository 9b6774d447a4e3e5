"""The report as text: complete, balanced, closed to the outside, and the same every time."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator
from functools import cache
from html.parser import HTMLParser
from itertools import pairwise, permutations
from pathlib import Path

import pytest
from different_games import different_games
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import Environment, TemplateSyntaxError, UndefinedError
from markup import tokens_in
from report_pages import ANALYSED, MANY_BOTS, PAGES
from sample_records import HOSTILE_NAMES, bare, random_game, tournament
from tools import needs
from unpacking import data_in, opened

from lath import games
from lath.arena.site.rendering import TEMPLATES as OF_THE_SITE
from lath.games.drawing.shapes import contrast
from lath.notation.files.parallel import beside
from lath.notation.record.record import Record
from lath.notation.text.scanner import parse
from lath.reports.counting import standings
from lath.reports.page import pack as packing
from lath.reports.page.about import to_html
from lath.reports.page.document import DEFAULT_TITLE, document, gather
from lath.reports.page.page import (
    PARTS,
    TEMPLATES,
    Page,
    environment_of,
    page_of,
    parts,
    policy,
    render,
)
from lath.reports.page.sections import GROUPS, Group

pytestmark = pytest.mark.slow

VOID_ELEMENTS = frozenset(("meta", "link", "input", "br", "img", "hr"))


@cache
def sample() -> list[Record]:
    """Return some games of each game."""
    return tournament(("ann", "bob"), 1, annotated=True)


class Markup(HTMLParser):
    """What a page is made of; fails on tags that do not match."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID_ELEMENTS:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open:
            self.texts.setdefault(self.open[-1], []).append(data)

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


@cache
def plain() -> str:
    """Return the page of the sample."""
    return render(sample()).html


@pytest.fixture(scope="module")
def markups(the_page: Callable[[str], Page]) -> dict[str, Markup]:
    """The pages of all kinds."""
    return {kind: Markup(the_page(kind).html) for kind in PAGES}


def test_every_kind_of_page_is_balanced_and_names_only_what_is_there(
    markups: dict[str, Markup],
) -> None:
    for kind, markup in markups.items():
        assert markup.all("html") == [{"lang": "en"}]
        tables = len(markup.all("table"))
        assert tables == len(markup.all("caption")), kind
        assert bool(tables) == (kind != "empty")
        scopes = {attributes.get("scope") for attributes in markup.all("th")}
        assert scopes <= {"col", "row", "rowgroup"}
        levels = [int(tag[1]) for tag, _ in markup.elements if re.match("h[1-6]$", tag)]
        assert (levels[0], levels.count(1)) == (1, 1)
        assert all(after <= before + 1 for before, after in pairwise(levels))
        ids = [attributes["id"] for _, attributes in markup.elements if "id" in attributes]
        assert len(ids) == len(set(ids))
        assert _wanted(markup) <= set(ids), kind
        for attributes in markup.all("svg"):
            told = {"aria-label", "aria-labelledby", "aria-hidden", "role"} & set(attributes)
            assert told or attributes.get("viewbox"), attributes


def test_sections_are_in_four_groups_and_explanations_closed_after_what_they_explain(
    the_page: Callable[[str], Page],
) -> None:
    for kind in ("played", "outcome", "many bots", "one game", "watched"):
        html = the_page(kind).html
        found = re.findall(r'<(?:h2 class="group-title"|section) id="([\w-]+)"', html)
        shown = [
            Group(title, [one for one in sections if one.id in found])
            for title, sections in GROUPS.items()
        ]
        inner = {"board"}  # a part of the replay
        assert [one for one in found if one not in inner] == [
            anchor for group in shown for anchor in (group.id, *(one.id for one in group.sections))
        ], kind
        contents = html[html.index('<nav class="contents"') : html.index("</nav>")]
        assert re.findall(r'href="#([\w-]+)"', contents) == [one for one in found if one != "board"]
        names = re.findall(r'<details class="why"><summary aria-label="(.+?)">', html)
        assert len(names) == len(set(names)) == html.count('class="why"') > 5
        for section in re.split(r'\n<section id="', html.partition("<main")[2])[1:]:
            before, mark, _ = section.partition('class="why"')
            assert not mark or re.search(r"<table|<svg|<ol|class=\"explorer", before), section[:20]


def _wanted(markup: Markup) -> set[str]:
    """Return the ids that something names, but for those of games."""
    named = {
        word
        for _, attributes in markup.elements
        for name in ("aria-labelledby", "aria-describedby", "for")
        for word in (attributes.get(name) or "").split()
    }
    links = {attributes.get("href") or "" for _, attributes in markup.elements}
    return named | {
        link[1:] for link in links if link.startswith("#") and not re.match("#games?[=&]", link)
    }


def test_the_title_is_the_callers_the_events_or_a_plain_one_and_bytes_are_the_same() -> None:
    assert Markup(plain()).texts["title"][0] == "Sample"
    empty = render([]).html
    assert Markup(empty).texts["title"][0] == DEFAULT_TITLE
    assert "No game has been played yet." in empty
    assert "<table" not in empty
    titled = Markup(render(sample()[:2], title="Winter <bots>").html)
    assert titled.texts["title"][0] == "Winter <bots>"
    assert render(iter(sample()[::6])).html == render(sample()[::6]).html


# Closed to the outside


def hashed(text: str) -> str:
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def policy_of(html: str) -> str:
    (told,) = (each for each in Markup(html).all("meta") if each.get("http-equiv"))
    assert told["http-equiv"] == "Content-Security-Policy"
    return told["content"] or ""


def test_a_page_allows_its_own_style_and_script_alone_and_points_nowhere() -> None:
    assert policy("p {}", "go()").split("; ") == [
        "default-src 'none'",
        f"style-src {hashed('p {}')}",
        f"script-src {hashed('go()')}",
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
    ]
    found = re.findall(r"<(?:script|style)>(.*?)</(?:script|style)>", plain(), re.DOTALL)
    assert len(found) == 2
    assert policy_of(plain()) == policy(*found)
    for _, attributes in Markup(plain()).elements:
        assert not {"src", "style", "srcset", "data", "action"} & set(attributes)
        assert not any(name.startswith("on") for name in attributes)
        assert (attributes.get("href") or "#").startswith(("#", "data:image/svg+xml,"))
    assert [word for word in ("url(", "@import") if word in plain()] == []


def test_scripts_and_styles_end_no_element_and_run_no_text() -> None:
    for path in TEMPLATES.glob("[cj]*/*"):
        text = path.read_text(encoding="utf-8")
        found = [word for word in ("</", "<!--", "innerHTML", "eval(") if word in text]
        assert found == [], path.name
    # The page leaves out what stands before lines, lines that are comments, and types.
    assert "/*" not in parts(environment_of(None), "js", PARTS["js"])
    for name in PARTS["js"]:
        for line in (TEMPLATES / "js" / f"{name}.js").read_text(encoding="utf-8").splitlines():
            assert line.lstrip().startswith("//") or line.count("`") % 2 == 0, (name, line)


def test_a_script_loses_spaces_around_signs_and_none_within_texts_and_patterns(
    tmp_path: Path,
) -> None:
    texts = ['"a = b"', "'( c )'", "`d : e ${f} , g`", "`${h ? `i = j` : 'k'} , l`", '"m \\" = n"']
    patterns = ["/[/ ] = \\/ , /u", "/ ?: [(] /gu"]
    (tmp_path / "js").mkdir()
    lines = [f"const o = ({text});\n  p (q / 2, - -r) + s;\n" for text in (*texts, *patterns)]
    (tmp_path / "js" / "own.js").write_text("".join(lines), encoding="utf-8")
    packed = parts(environment_of(tmp_path), "js", ["own"])
    for text in (*texts, *patterns):
        assert f"({text});\n" in packed
    assert packed.count("p(q / 2,- -r)+ s;\n") == len(lines)


@needs("node", "npm")
def test_a_page_has_the_scripts_with_nothing_but_spaces_and_comments_removed(
    tmp_path: Path,
) -> None:
    sources = [(TEMPLATES / "js" / f"{name}.js").read_text("utf-8") for name in PARTS["js"]]
    packed = parts(environment_of(None), "js", PARTS["js"])
    (tmp_path / "scripts.json").write_text(json.dumps(["\n".join(sources), packed]))
    whole, short = tokens_in(tmp_path / "scripts.json")
    assert whole == short
    assert any("random:" in token for token in whole)


def test_every_element_that_a_script_asks_for_by_its_id_stands_in_a_template() -> None:
    """What `tests/web/scripts.d.ts` says of ids; the type check knows no templates."""
    texts = {
        suffix: "".join(
            path.read_text("utf-8")
            for folder in (TEMPLATES, OF_THE_SITE)
            for path in folder.rglob(f"*.{suffix}")
        )
        for suffix in ("js", "j2")
    }
    asked = set(re.findall(r'\bbyId\("([\w-]+)"\)', texts["js"]))
    assert len(asked) > 100
    assert asked <= set(re.findall(r'\bid="([\w-]+)"', texts["j2"]))


def test_hostile_words_add_no_element_and_are_shown_as_they_are(
    markups: dict[str, Markup],
) -> None:
    tame = Markup(render(tournament(("ann", "bob"), 1, game_ids=["yavalath"])).html)
    hostile = markups["hostile"]
    assert len(hostile.all("script")) == len(tame.all("script"))
    assert hostile.all("img") == hostile.all("b") == []
    assert set(HOSTILE_NAMES) <= set(hostile.texts["bdi"])
    html = render([bare("a\ud800b", "c\x00\x1bd", "1-0")]).html
    html.encode("utf-8")
    assert not {"\x00", "\x1b"} & set(html)
    Markup(html)


# What it says


def test_what_is_special_about_records_is_told_and_nothing_where_nothing_is() -> None:
    analysed = parse(ANALYSED)
    twice = [bare("ann", "bob", "1-0"), bare("bob", "ann", "1-0")]
    apart = render([bare("ann", "bob", "1-0"), bare("cat", "dog", "1-0")]).html
    assert len(re.findall(r'scope="rowgroup"[^>]*>Group [12]: 2 bots', apart)) == 4
    pages = {
        "Not counted: 1 record (1 void). No game of eve counts.": [
            *sample()[:2],
            bare("eve", "ann", "*", Termination="void"),
        ],
        "In 1 game, a bot played against itself": [
            random_game("surikata", 2, first="ann", second="ann")
        ],
        "<dt>Groups</dt>": [bare("ann", "bob", "1-0"), bare("cat", "dog", "1-0")],
        "against the column’s bot, in 2 games per pair.": twice,
        "<small>/2</small>": [*twice, bare("ann", "cat", "1-0")],
        'id="accuracy-title"': [analysed],
        'href="#accuracy"': [analysed],
    }
    for words, records in pages.items():
        html = render(records).html
        Markup(html)
        assert words in html
        assert words not in plain() or "per pair" in words, words
    assert "games per pair" not in render(pages["<small>/2</small>"]).html


def test_colours_are_not_all_that_a_crosstable_says() -> None:
    cells = re.findall(r'<td class="h\d"[^>]*>(.*?)<span>(.*?)</span></td>', plain(), re.DOTALL)
    assert cells
    for shown, told in cells:
        assert re.match(r"\d|½", shown)
        assert re.search(r"\d+–\d+–\d+", told)


def test_a_curve_of_the_result_says_where_it_ends_and_what_its_bounds_mean(
    the_page: Callable[[str], Page],
) -> None:
    html = the_page("outcome").html
    assert "The line ends at 2.95 after 1,500. H1 accepted at 2.94. H0 accepted at −2.94." in html
    curve = html.partition('class="plot bounded"')[2].partition("</svg>")[0]
    assert curve.count('class="bound"') == 2
    assert 'class="line s0" d="M30 ' in curve


def test_every_ink_is_readable_on_every_ground() -> None:
    css = (TEMPLATES / "css" / "base.css").read_text(encoding="utf-8")
    colours = re.findall(r"--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);", css)
    for at in (1, 2):  # light and dark
        palette = {colour[0]: colour[at] for colour in colours}
        # WCAG 2.2, success criteria 1.4.3 (text) and 1.4.11 (what shows the focus).
        grounds = [palette[name] for name in ("page", "card", "mark")]
        heats = [colour for name, colour in palette.items() if name.startswith("heat-")]
        assert len(heats) == 9  # one for each that the crosstable's template has
        for ground in grounds:
            # The last two: marks of mistakes, and of good moves.
            for ink in ("soft", "accent", "series-6", "series-5"):
                assert contrast(palette[ink], ground) >= 4.5, ink
            assert contrast(palette["focus"], ground) >= 3
        assert all(contrast(palette["ink"], ground) >= 4.5 for ground in (*grounds, *heats))
        drawn = ("first", "second", *(f"series-{number}" for number in range(8)))
        assert all(contrast(palette[name], palette["card"]) >= 3 for name in drawn)


def test_no_game_is_named_in_the_code_of_reports() -> None:
    for file in TEMPLATES.parent.rglob("*.*"):
        if file.is_file() and file.suffix != ".pyc":
            text = file.read_text(encoding="utf-8").lower()
            # Whole words: the project's name may stand there.
            named = [game for game in games.ids() if re.search(rf"\b{game}\b", text)]
            assert named == [], file.name


# How large it is


def test_pages_leave_room_for_games_and_grow_with_the_meetings_of_bots_and_no_faster(
    the_page: Callable[[str], Page],
) -> None:
    html = render(different_games(40)).html
    assert len(html.encode()) - len(json.dumps(data_in(html))) <= 375_000
    sizes = []
    for bots in (17, 20, 24):
        pairs = permutations([f"bot-{i:02}" for i in range(bots)], 2)
        sizes.append(len(render([bare(*pair, "1-0") for pair in pairs]).html))
    # Meetings: 272, 380 and 552. What each adds gets less, for bots alone take some, too.
    few, more, many = sizes
    assert (many - more) / (552 - 380) < (more - few) / (380 - 272)
    html = the_page("many bots").html  # is whole without its script
    assert f'id="bot-{MANY_BOTS}"' in html
    assert html.count("<noscript>") == plain().count("<noscript>")


def test_standings_are_there_to_be_downloaded() -> None:
    letters = re.search(r'id="standings-data">(.*?)</script>', plain())
    assert letters is not None
    files = opened(letters[1])
    assert files["json"] == document(sample())["standings"]
    assert files["csv"].startswith("game,")


# A user's templates, and compiled ones


def test_a_users_template_and_style_come_before_ours(tmp_path: Path) -> None:
    (tmp_path / "sections").mkdir()
    (tmp_path / "css").mkdir()
    section, style = tmp_path / "sections/method.html.j2", tmp_path / "css/print.css"
    section.write_text("<p>{{ document.facts.records }} records, all good</p>", encoding="utf-8")
    style.write_text("h1 { color: teal }\n", encoding="utf-8")
    html = render(sample()[:2], templates=tmp_path).html
    assert "<p>2 records, all good</p>" in html
    how = "How the numbers were made"
    assert (how in plain(), how in html) == (True, False)
    style_of = re.findall(r"<style>(.*?)</style>", html, re.DOTALL)[0]
    assert "h1 { color: teal }" in style_of
    assert f"style-src {hashed(style_of)}" in policy_of(html)
    page = tmp_path / "page.html.j2"
    page.write_text("{% for bot in document.bots %}{{ bot.name }}{% endfor %}", encoding="utf-8")
    shown = render([bare("<b>ann</b>", "bob", "1-0")], templates=tmp_path).html
    assert "&lt;b&gt;ann&lt;/b&gt;" in shown, "what it shows of a record is no markup"
    for text, error in (("{{ nobody.knows }}", UndefinedError), ("{% if %}", TemplateSyntaxError)):
        folder = tmp_path / error.__name__
        folder.mkdir()
        (folder / page.name).write_text(text, encoding="utf-8")
        with pytest.raises(error):
            render(sample()[:2], templates=folder)


WORDS = "words.html.j2"


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], list[Path]]]:
    """What lies in the user's cache, which is empty."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    yield lambda: sorted(path for path in (tmp_path / "cache").rglob("*") if path.is_file())
    environment_of.cache_clear()


def another(templates: Path | None = None) -> Environment:
    """Return what another process would have."""
    environment_of.cache_clear()
    return environment_of(templates)


def compiled(monkeypatch: pytest.MonkeyPatch) -> bool:
    """Return whether another process has to compile a template."""
    environment, calls = another(), []
    compile_ = environment.compile

    def counted(*args: object, **named: object) -> object:
        calls.append(args)
        return compile_(*args, **named)  # type: ignore[call-overload]

    monkeypatch.setattr(environment, "compile", counted)
    environment.get_template(WORDS)
    return bool(calls)


def test_a_template_is_compiled_once_in_a_folder_that_is_the_users_alone(
    kept: Callable[[], list[Path]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert compiled(monkeypatch)
    [path] = kept()
    assert not compiled(monkeypatch)
    whole = path.read_bytes()
    for damaged in (b"", b"nonsense", whole[:-9]):  # is made anew
        path.write_bytes(damaged)
        assert compiled(monkeypatch)
        assert path.read_bytes() == whole
    assert path.parent.stat().st_mode & 0o077 == 0
    path.parent.chmod(0o777)
    assert compiled(monkeypatch)
    # A user's own template is compiled each time.
    for words in ("mine", "mine again"):
        (tmp_path / WORDS).write_text(words, encoding="utf-8")
        assert another(tmp_path).get_template(WORDS).render() == words
        assert another().get_template(WORDS).render() != words
    assert kept() == [path]
    for place in ("/proc/nowhere", "in/this/folder"):
        monkeypatch.setenv("XDG_CACHE_HOME", place)
        assert compiled(monkeypatch)
    assert not Path("in").exists()


# An organiser's Markdown: what it looks like, and what it can never do

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


@given(st.lists(PIECES, max_size=25).map("".join))
def test_whatever_is_written_nothing_but_text_and_plain_links_come_of_it(text: str) -> None:
    html = str(to_html(text))
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\u202a-\u202e]", html)
    level = 2
    for tag, attributes in Markup(html).elements:
        assert tag in TAGS
        assert {*attributes} <= ATTRIBUTES
        if tag == "a":
            assert re.fullmatch(r"https?://.*|mailto:.*|(?!//)[^:]*", attributes["href"] or "")
        if tag[0] == "h" and tag != "hr":
            assert int(tag[1]) <= level + 1, "a level of headings is skipped"
            level = int(tag[1])
    assert not re.search(r"<h\d>\s*</h\d>|<a [^>]*>\s*</a>", html)
    assert not re.search(r"<p><strong>[^<]*</strong></p>", html.replace("</blockquote>", ""))


def test_lines_look_as_written() -> None:
    shown = {
        "# Rules\n### More\n# Contact": "<h3>Rules</h3>\n<h4>More</h4>\n<h3>Contact</h3>\n",
        "**Next date**": "<h3><strong>Next date</strong></h3>\n",
        "Write to <mailto:a@b.org>": (
            '<p>Write to <a href="mailto:a@b.org">mailto:a@b.org</a></p>\n'
        ),
        "![logo](logo.png)": '<p><a href="logo.png">logo</a></p>\n',
        "<b>x</b>": "<p>&lt;b&gt;x&lt;/b&gt;</p>\n",
        "[x](javascript:a)": "<p>[x](javascript:a)</p>\n",
    }
    assert {text: str(to_html(text)) for text in shown} == shown


def test_processes_that_share_the_work_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    records = [*sample(), *different_games(40)]
    alone = page_of(gather(records)).html
    begun: list[object] = []

    def noted(work: Callable[[], object]) -> Callable[[], object]:
        begun.append(work)
        return beside(work)

    for module in (packing, standings):
        monkeypatch.setattr(module, "MANY", 1)
        monkeypatch.setattr(module, "beside", noted)
    assert page_of(gather(records, is_shared=True)).html == alone
    assert len(begun) == 3


def test_work_in_another_process_gives_its_result_or_its_error() -> None:
    assert beside(os.getpid)() != os.getpid()
    local = [lambda: 5]
    assert beside(lambda: local)() is local  # it cannot be sent
    with pytest.raises(ZeroDivisionError):
        beside(lambda: 1 // 0)()
