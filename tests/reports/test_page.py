"""The report as text: complete, balanced, closed to the outside, and the same every time."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable
from functools import cache
from html.parser import HTMLParser
from itertools import pairwise, permutations
from pathlib import Path

import pytest
from different_games import different_games
from jinja2 import TemplateSyntaxError, UndefinedError
from report_pages import ANALYSED, MANY_BOTS, PAGES
from sample_records import HOSTILE_NAMES, bare, random_game, tournament
from unpacking import data_in, opened

from lath import games
from lath.games.drawing.shapes import contrast
from lath.notation.record import Record
from lath.notation.scanner import parse
from lath.reports.page.document import DEFAULT_TITLE, document
from lath.reports.page.page import PARTS, TEMPLATES, Page, render

VOID_ELEMENTS = frozenset(("meta", "link", "input", "br", "img", "hr"))


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


SAMPLE = tournament(("ann", "bob"), 1, annotated=True)


@cache
def plain() -> str:
    """Return the page of the sample."""
    return render(SAMPLE).html


@cache
def plain_markup() -> Markup:
    return Markup(plain())


@pytest.fixture(scope="module")
def markups(the_page: Callable[[str], Page]) -> dict[str, Markup]:
    """The pages of all kinds."""
    return {kind: Markup(the_page(kind).html) for kind in PAGES}


def test_the_page_is_balanced_and_says_what_it_is() -> None:
    page = plain_markup()
    assert page.all("html") == [{"lang": "en"}]
    assert len(page.all("h1")) == 1
    assert page.texts["title"][0] == "Sample"


def test_no_records_make_a_page_too() -> None:
    html = render([]).html
    assert Markup(html).texts["title"][0] == DEFAULT_TITLE
    assert "No game has been played yet." in html
    assert "<table" not in html


def test_a_title_can_be_given() -> None:
    page = Markup(render(SAMPLE[:2], title="Winter <bots>").html)
    assert page.texts["title"][0] == "Winter <bots>"


def test_every_table_has_a_caption_and_every_heading_a_scope(markups: dict[str, Markup]) -> None:
    scopes = ("col", "row", "rowgroup")
    for kind, markup in markups.items():
        assert len(markup.all("table")) == len(markup.all("caption"))
        assert bool(markup.all("table")) == (kind != "empty")
        assert all(attributes.get("scope") in scopes for attributes in markup.all("th"))


def test_headings_go_down_by_one_level_at_a_time(markups: dict[str, Markup]) -> None:
    for markup in markups.values():
        levels = [int(tag[1]) for tag, _ in markup.elements if re.match("h[1-6]$", tag)]
        assert levels[0] == 1
        assert all(after <= before + 1 for before, after in pairwise(levels))


def test_every_plot_is_told_or_stands_beside_its_numbers() -> None:
    for attributes in plain_markup().all("svg"):
        told = {"aria-label", "aria-labelledby", "aria-hidden", "role"} & set(attributes)
        assert told or attributes.get("viewbox"), attributes


def test_ids_are_unique_and_what_is_named_is_there(markups: dict[str, Markup]) -> None:
    for markup in markups.values():
        ids = [attributes["id"] for _, attributes in markup.elements if "id" in attributes]
        assert len(ids) == len(set(ids))
        assert _wanted(markup) <= set(ids)


def _wanted(markup: Markup) -> set[str]:
    """Return the ids that something names, but for those of games."""
    named = {
        word
        for _, attributes in markup.elements
        for name in ("aria-labelledby", "aria-describedby", "for")
        for word in (attributes.get(name) or "").split()
    }
    links = {attributes.get("href") or "" for _, attributes in markup.elements}
    inside = {
        link[1:] for link in links if link.startswith("#") and not re.match("#games?[=&]", link)
    }
    return named | inside


def test_nothing_points_outside_the_file() -> None:
    for _, attributes in plain_markup().elements:
        assert not {"src", "style", "srcset", "data", "action"} & set(attributes)
        assert not any(name.startswith("on") for name in attributes)
        assert (attributes.get("href") or "#").startswith(("#", "data:image/svg+xml,"))
    assert "url(" not in plain()
    assert "@import" not in plain()


def _policy(page: Markup) -> str:
    for attributes in page.all("meta"):
        if attributes.get("http-equiv") == "Content-Security-Policy":
            return attributes["content"] or ""
    raise AssertionError("no policy")


def test_the_policy_allows_exactly_this_script_and_this_style() -> None:
    policy = _policy(plain_markup())
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    for part in re.findall(r"<(?:script|style)>(.*?)</(?:script|style)>", plain(), re.DOTALL):
        digest = base64.b64encode(hashlib.sha256(part.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy


@pytest.mark.parametrize("name", sorted(path.name for path in TEMPLATES.glob("[cj]*/*")))
def test_script_and_style_cannot_end_their_element(name: str) -> None:
    text = (TEMPLATES / name.rpartition(".")[2] / name).read_text(encoding="utf-8")
    assert "</" not in text
    assert "<!--" not in text
    assert "innerHTML" not in text
    assert "eval(" not in text


def test_the_same_records_give_the_same_bytes() -> None:
    assert render(iter(SAMPLE[::4])).html == render(SAMPLE[::4]).html


def test_hostile_words_add_no_element(markups: dict[str, Markup]) -> None:
    tame = Markup(render(tournament(("ann", "bob"), 1, game_ids=["yavalath"])).html)
    hostile = markups["hostile"]
    assert len(hostile.all("script")) == len(tame.all("script"))
    assert not hostile.all("img")
    assert not hostile.all("b")


def test_hostile_words_are_shown_as_they_are(markups: dict[str, Markup]) -> None:
    shown = set(markups["hostile"].texts["bdi"])
    assert set(HOSTILE_NAMES) <= shown


def test_half_characters_and_control_characters_do_no_harm() -> None:
    html = render([bare("a\ud800b", "c\x00\x1bd", "1-0")]).html
    html.encode("utf-8")
    assert "\x00" not in html
    assert "\x1b" not in html
    Markup(html)


def test_records_left_out_are_named_on_the_page() -> None:
    html = render([*SAMPLE[:2], bare("eve", "ann", "*", Termination="void")]).html
    assert "Not counted: 1 record (1 void). No game of eve counts." in html


def test_a_bot_of_one_name_in_both_seats_is_shown() -> None:
    html = render([random_game("surikata", 2, first="ann", second="ann")]).html
    assert "1 game of a bot against itself" in html
    Markup(html)


def test_bots_that_no_game_connects_stand_apart() -> None:
    records = [bare("ann", "bob", "1-0"), bare("cat", "dog", "1-0")]
    html = render(records).html
    assert len(re.findall(r'scope="rowgroup"[^>]*>Group [12]: 2 bots', html)) == 2
    assert "<dt>Groups</dt>" in html
    assert "<dt>Groups</dt>" not in plain()


def test_games_alike_in_number_are_told_once_and_others_in_each_cell() -> None:
    twice = [bare("ann", "bob", "1-0"), bare("bob", "ann", "1-0")]
    assert "against the column’s, of 2 games each." in render(twice).html
    uneven = render([*twice, bare("ann", "cat", "1-0")]).html
    assert "games each" not in uneven
    assert "<small>/2</small>" in uneven


def palettes() -> list[dict[str, str]]:
    """Return the colours of the light page and of the dark one."""
    css = (TEMPLATES / "css" / "base.css").read_text(encoding="utf-8")
    blocks = re.findall(r":root \{(.*?)\}", css, re.DOTALL)[:2]
    return [dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", block)) for block in blocks]


@pytest.mark.parametrize("palette", palettes(), ids=["light", "dark"])
def test_every_ink_is_readable_on_every_ground(palette: dict[str, str]) -> None:
    # WCAG 2.2, success criteria 1.4.3 (text) and 1.4.11 (what shows the focus).
    grounds = [palette[name] for name in ("page", "card", "mark")]
    heats = [colour for name, colour in palette.items() if name.startswith("heat-")]
    assert len(heats) == 9  # one for each that the crosstable's template has
    for ground in grounds:
        assert contrast(palette["soft"], ground) >= 4.5
        assert contrast(palette["accent"], ground) >= 4.5
        # marks of mistakes, and of good moves
        assert contrast(palette["series-6"], ground) >= 4.5
        assert contrast(palette["series-5"], ground) >= 4.5
        assert contrast(palette["focus"], ground) >= 3
    assert all(contrast(palette["ink"], ground) >= 4.5 for ground in (*grounds, *heats))
    drawn = ("first", "second", *(f"series-{number}" for number in range(8)))
    assert all(contrast(palette[name], palette["card"]) >= 3 for name in drawn)


def test_no_game_is_named_in_the_code_of_reports() -> None:
    files = [
        path for path in TEMPLATES.parent.rglob("*.*") if path.is_file() and path.suffix != ".pyc"
    ]
    for file in files:
        text = file.read_text(encoding="utf-8").lower()
        # Whole words: the project's name may stand there.
        assert not [game for game in games.ids() if re.search(rf"\b{game}\b", text)], file.name


def test_the_page_itself_leaves_room_for_the_games() -> None:
    html = render(different_games(40)).html
    assert len(html.encode()) - len(json.dumps(data_in(html))) <= 370_000


def test_a_page_of_many_bots_is_whole_without_its_script(the_page: Callable[[str], Page]) -> None:
    html = the_page("many bots").html
    assert f'id="bot-{MANY_BOTS}"' in html
    assert html.count("<noscript>") == plain().count("<noscript>")


def test_standings_are_there_to_be_downloaded() -> None:
    letters = re.search(r'id="standings-data">(.*?)</script>', plain())
    assert letters is not None
    files = opened(letters[1])
    assert files["json"] == document(SAMPLE)["standings"]
    assert files["csv"].startswith("game,")


def test_a_page_of_many_bots_grows_with_their_meetings_and_no_faster() -> None:
    few, more, many = (len(render(met(bots)).html) for bots in (17, 24, 34))
    # Meetings: 272, 552 and 1122. What each adds gets less, for bots alone take some, too: 0.78.
    assert (many - more) / (1122 - 552) < 0.9 * (more - few) / (552 - 272)


def met(bots: int) -> list[Record]:
    """Return two games without moves of every two bots."""
    pairs = permutations([f"bot-{i:02}" for i in range(bots)], 2)
    return [bare(*pair, "1-0") for pair in pairs]


def test_accuracy_is_told_where_games_are_analysed_and_nowhere_else() -> None:
    html = render([parse(ANALYSED)]).html
    assert 'id="accuracy-title"' in html
    assert 'href="#accuracy"' in html
    assert 'id="accuracy-title"' not in render([parse(ANALYSED.replace("Analysis", "X"))]).html


def test_a_users_template_comes_before_ours(tmp_path: Path) -> None:
    section = tmp_path / "sections" / "method.html.j2"
    section.parent.mkdir()
    section.write_text("<p>{{ document.facts.records }} records, all good</p>", encoding="utf-8")
    html = render(SAMPLE[:2], templates=tmp_path).html
    assert "<p>2 records, all good</p>" in html
    assert "How the numbers were made" in plain()
    assert "How the numbers were made" not in html


def test_a_users_style_comes_before_ours_and_is_allowed(tmp_path: Path) -> None:
    (tmp_path / "css").mkdir()
    (tmp_path / "css" / "print.css").write_text("h1 { color: teal }\n", encoding="utf-8")
    html = render(SAMPLE[:2], templates=tmp_path).html
    style = re.findall(r"<style>(.*?)</style>", html, re.DOTALL)[0]
    assert "h1 { color: teal }" in style
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"style-src 'sha256-{digest}'" in _policy(Markup(html))


@pytest.mark.parametrize(
    ("text", "error"),
    [("{{ nobody.knows }}", UndefinedError), ("{% if %}", TemplateSyntaxError)],
)
def test_a_users_template_that_is_wrong_is_refused(
    tmp_path: Path, text: str, error: type[Exception]
) -> None:
    (tmp_path / "page.html.j2").write_text(text, encoding="utf-8")
    with pytest.raises(error):
        render(SAMPLE[:2], templates=tmp_path)


def test_what_a_users_template_shows_of_a_record_is_no_markup(tmp_path: Path) -> None:
    text = "{% for bot in document.bots %}{{ bot.name }}{% endfor %}"
    (tmp_path / "page.html.j2").write_text(text, encoding="utf-8")
    html = render([bare("<b>ann</b>", "bob", "1-0")], templates=tmp_path).html
    assert "&lt;b&gt;ann&lt;/b&gt;" in html


def test_no_text_of_a_script_goes_over_several_lines() -> None:
    # The page leaves out what stands before lines, and lines that are comments.
    for name in PARTS["js"]:
        for line in (TEMPLATES / "js" / f"{name}.js").read_text(encoding="utf-8").splitlines():
            assert line.lstrip().startswith("//") or line.count("`") % 2 == 0, (name, line)


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
    assert "It ends at 2.95 after 1,500. H1 accepted at 2.94. H0 accepted at −2.94." in html
    curve = html.partition('class="plot bounded"')[2].partition("</svg>")[0]
    assert curve.count('class="bound"') == 2
    assert 'class="line s0" d="M30 ' in curve
