"""The report as text: complete, balanced, closed to the outside, and the same every time."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest
from different_games import different_games
from jinja2 import TemplateSyntaxError, UndefinedError
from report_pages import PAGES, many_bots, page
from sample_records import HOSTILE_NAMES, bare, random_game, tournament
from unpacking import whole

import games
from reports.boards.colours import contrast
from reports.page import views
from reports.page.page import DEFAULT_TITLE, PARTS, TEMPLATES, render
from reports.page.streams import inflated

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
PAGE = render(SAMPLE).html


def test_the_page_is_balanced_and_says_what_it_is() -> None:
    page = Markup(PAGE)
    assert page.all("html") == [{"lang": "en"}]
    assert len(page.all("h1")) == 1
    assert page.texts["title"][0] == "Sample"


def test_no_records_make_a_page_too() -> None:
    page = Markup(render([]).html)
    assert page.texts["title"][0] == DEFAULT_TITLE
    assert "No game has been decided yet." in render([]).html


def test_a_title_can_be_given() -> None:
    page = Markup(render(SAMPLE, title="Winter <bots>").html)
    assert page.texts["title"][0] == "Winter <bots>"


def test_every_table_has_a_caption_and_every_heading_a_scope() -> None:
    scopes = ("col", "row", "rowgroup")
    for kind in PAGES:
        markup = Markup(whole(page(kind).html))
        assert len(markup.all("table")) == len(markup.all("caption")) > 0
        assert all(attributes.get("scope") in scopes for attributes in markup.all("th"))


def test_headings_go_down_by_one_level_at_a_time() -> None:
    for kind in PAGES:
        levels = [
            int(tag[1])
            for tag, _ in Markup(whole(page(kind).html)).elements
            if re.match("h[1-6]$", tag)
        ]
        assert levels[0] == 1
        assert all(after <= before + 1 for before, after in pairwise(levels))


def test_every_plot_is_told_or_stands_beside_its_numbers() -> None:
    for attributes in Markup(PAGE).all("svg"):
        told = {"aria-label", "aria-labelledby", "aria-hidden", "role"} & set(attributes)
        assert told or attributes.get("viewbox"), attributes


def test_ids_are_unique_and_what_is_named_is_there() -> None:
    for kind in PAGES:
        markup = Markup(whole(page(kind).html))
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
    inside = {link[1:] for link in links if link.startswith("#") and not link.startswith("#game=")}
    return named | inside


def test_nothing_points_outside_the_file() -> None:
    for _, attributes in Markup(PAGE).elements:
        assert not {"src", "style", "srcset", "data", "action"} & set(attributes)
        assert not any(name.startswith("on") for name in attributes)
        assert (attributes.get("href") or "#").startswith("#")
    assert "url(" not in PAGE
    assert "@import" not in PAGE


def _policy(html: str) -> str:
    for attributes in Markup(html).all("meta"):
        if attributes.get("http-equiv") == "Content-Security-Policy":
            return attributes["content"] or ""
    raise AssertionError("no policy")


def test_the_policy_allows_exactly_this_script_and_this_style() -> None:
    policy = _policy(PAGE)
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    for part in re.findall(r"<(?:script|style)>(.*?)</(?:script|style)>", PAGE, re.DOTALL):
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
    assert render(SAMPLE).html == PAGE
    assert render(iter(SAMPLE)).html == PAGE


def test_hostile_words_add_no_element() -> None:
    tame = Markup(render(tournament(("ann", "bob"), 1, game_ids=["yavalath"])).html)
    hostile = Markup(page("hostile").html)
    assert len(hostile.all("script")) == len(tame.all("script"))
    assert not hostile.all("img")
    assert not hostile.all("b")


def test_hostile_words_are_shown_as_they_are() -> None:
    shown = set(Markup(page("hostile").html).texts["bdi"])
    assert set(HOSTILE_NAMES) <= shown


def test_half_characters_and_control_characters_do_no_harm() -> None:
    html = render([bare("a\ud800b", "c\x00\x1bd", "1-0")]).html
    html.encode("utf-8")
    assert "\x00" not in html
    assert "\x1b" not in html
    Markup(html)


def test_records_left_out_are_named_on_the_page() -> None:
    html = render([*SAMPLE, bare("eve", "ann", "*", Termination="void")]).html
    assert "Not counted: 1 record (1 void). Only there: eve." in html


def test_a_bot_of_one_name_in_both_seats_is_shown() -> None:
    html = render([random_game("surikata", 2, first="ann", second="ann")]).html
    assert "1 game of a bot against itself" in html
    Markup(html)


def test_bots_that_no_game_connects_stand_apart() -> None:
    records = [bare("ann", "bob", "1-0"), bare("cat", "dog", "1-0")]
    html = render(records).html
    assert len(re.findall(r'scope="rowgroup"[^>]*>Group [12]: 2 bots', html)) == 2
    assert "<dt>Groups</dt>" in html
    assert "<dt>Groups</dt>" not in PAGE


def test_games_alike_in_number_are_told_once_and_others_in_each_cell() -> None:
    twice = [bare("ann", "bob", "1-0"), bare("bob", "ann", "1-0")]
    assert "Each cell is of 2 games." in render(twice).html
    uneven = render([*twice, bare("ann", "cat", "1-0")]).html
    assert "Each cell is of" not in uneven
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
    heats = [palette[f"heat-{level}"] for level in range(views.HEATS)]
    for ground in grounds:
        assert contrast(palette["soft"], ground) >= 4.5
        assert contrast(palette["accent"], ground) >= 4.5
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


def test_a_page_of_ten_thousand_games_stays_below_600_kilobytes() -> None:
    page = render(different_games(10_000))
    assert len(page.html.encode()) <= 600_000
    assert page.shards == {}


@pytest.mark.parametrize("count", [300, 2_500])
def test_what_the_page_takes_is_not_there_for_the_games(count: int) -> None:
    # Of few games everything fits; of more, numbers are told less exactly until they do.
    page = render(different_games(count))
    data = re.search(r'id="data">(.*?)</script>', page.html, re.DOTALL)
    assert data is not None
    part = json.loads(data[1])["parts"][0]["part"]
    assert len(page.html.encode()) <= 600_000
    assert (part["lost"], part["scales"]) == ([], {})
    assert part["legal"] == (count == 300)


def test_a_page_of_very_many_games_or_bots_packs_parts_of_itself() -> None:
    packed = page("many bots").html
    assert 'class="packed" id="script"' in packed
    assert 'id="bot-40"' not in packed
    assert 'id="bot-40"' in whole(packed)
    assert 'class="packed"' not in PAGE


def test_the_policy_allows_the_packed_script() -> None:
    html = page("many bots").html
    packed = re.search(r'id="script">(.*?)</script>', html)
    assert packed is not None
    digest = base64.b64encode(hashlib.sha256(inflated(packed[1])).digest()).decode()
    assert f"'sha256-{digest}'" in _policy(html)


def test_a_page_of_many_bots_grows_with_their_meetings_and_no_faster() -> None:
    sizes = [len(render(many_bots(count)).html.encode()) for count in (17, 34)]
    assert sizes[1] < 4 * sizes[0]


def test_a_users_template_comes_before_ours(tmp_path: Path) -> None:
    section = tmp_path / "sections" / "method.html.j2"
    section.parent.mkdir()
    section.write_text("<p>{{ document.facts.records }} records, all good</p>", encoding="utf-8")
    html = render(SAMPLE, templates=tmp_path).html
    assert f"<p>{len(SAMPLE)} records, all good</p>" in html
    assert "How the numbers were made" in PAGE
    assert "How the numbers were made" not in html


def test_a_users_style_comes_before_ours_and_is_allowed(tmp_path: Path) -> None:
    (tmp_path / "css").mkdir()
    (tmp_path / "css" / "print.css").write_text("h1 { color: teal }\n", encoding="utf-8")
    html = render(SAMPLE, templates=tmp_path).html
    style = re.findall(r"<style>(.*?)</style>", html, re.DOTALL)[0]
    assert "h1 { color: teal }" in style
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"style-src 'sha256-{digest}'" in _policy(html)


@pytest.mark.parametrize(
    ("text", "error"),
    [("{{ nobody.knows }}", UndefinedError), ("{% if %}", TemplateSyntaxError)],
)
def test_a_users_template_that_is_wrong_is_refused(
    tmp_path: Path, text: str, error: type[Exception]
) -> None:
    (tmp_path / "page.html.j2").write_text(text, encoding="utf-8")
    with pytest.raises(error):
        render(SAMPLE, templates=tmp_path)


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
    cells = re.findall(r'<td class="h\d"[^>]*>(.*?)<span>(.*?)</span></td>', PAGE, re.DOTALL)
    assert cells
    for shown, told in cells:
        assert re.match(r"\d|½", shown)
        assert re.search(r"\d+–\d+–\d+", told)
