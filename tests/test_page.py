"""The report as text: complete, balanced, closed to the outside, and the same every time."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import time
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import pytest
from sample_records import (
    HOSTILE_NAMES,
    bare,
    cut,
    hostile_records,
    random_game,
    tournament,
    with_tags,
)

import games
from games.core import GameError
from notation.record import Ply, Record, Variation, comment
from notation.replay import positions
from reports import views
from reports.drawing import contrast
from reports.packing import pack
from reports.page import DEFAULT_TITLE, TEMPLATES, render
from reports.replays import replay

VOID_ELEMENTS = frozenset(("meta", "link", "input", "br", "img", "hr"))


class Page(HTMLParser):
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


def data_of(html: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', html, re.DOTALL)
    assert found
    data: dict[str, Any] = json.loads(found[1])
    return data


SAMPLE = tournament(("ann", "bob"), 1, annotated=True)
PAGE = render(SAMPLE)


def test_the_page_is_balanced_and_says_what_it_is() -> None:
    page = Page(PAGE)
    assert page.all("html") == [{"lang": "en"}]
    assert len(page.all("h1")) == 1
    assert page.texts["title"][0] == "Sample"


def test_no_records_make_a_page_too() -> None:
    page = Page(render([]))
    assert page.texts["title"][0] == DEFAULT_TITLE
    assert "No game has been decided yet." in render([])


def test_a_title_can_be_given() -> None:
    page = Page(render(SAMPLE, title="Winter <bots>"))
    assert page.texts["title"][0] == "Winter <bots>"


def test_every_table_has_a_caption_and_every_heading_a_scope() -> None:
    page = Page(PAGE)
    assert len(page.all("table")) == len(page.all("caption")) == 4
    assert all(attributes.get("scope") in ("col", "row") for attributes in page.all("th"))


def test_ids_are_unique_and_what_is_named_is_there() -> None:
    page = Page(PAGE)
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    for name in ("aria-labelledby", "for"):
        wanted = {attributes[name] for _, attributes in page.elements if name in attributes}
        assert wanted <= set(ids)


def test_nothing_points_outside_the_file() -> None:
    page = Page(PAGE)
    for _, attributes in page.elements:
        assert not {"src", "style", "srcset", "data", "action"} & set(attributes)
        assert not any(name.startswith("on") for name in attributes)
        assert (attributes.get("href") or "#").startswith("#")
    assert "url(" not in PAGE
    assert "@import" not in PAGE


def test_the_policy_allows_exactly_this_script_and_this_style() -> None:
    policy = next(
        attributes["content"] or ""
        for attributes in Page(PAGE).all("meta")
        if attributes.get("http-equiv") == "Content-Security-Policy"
    )
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    for part in re.findall(r"<(?:script|style)>(.*?)</(?:script|style)>", PAGE, re.DOTALL):
        digest = base64.b64encode(hashlib.sha256(part.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy


@pytest.mark.parametrize("name", ["page.css", "page.js"])
def test_script_and_style_cannot_end_their_element(name: str) -> None:
    text = (TEMPLATES / name).read_text(encoding="utf-8")
    assert "</" not in text
    assert "<!--" not in text
    assert "innerHTML" not in text
    assert "eval(" not in text


def test_the_same_records_give_the_same_bytes() -> None:
    assert render(SAMPLE) == PAGE
    assert render(list(SAMPLE)) == PAGE


def test_hostile_words_add_no_element() -> None:
    page = Page(render(hostile_records()))
    assert len(page.all("script")) == 2
    assert not page.all("img")
    assert not page.all("b")


def test_hostile_words_are_shown_as_they_are() -> None:
    html = render(hostile_records())
    names = {attributes.get("title") for attributes in Page(html).all("bdi")}
    assert set(HOSTILE_NAMES) <= names
    assert set(HOSTILE_NAMES) <= set(data_of(html)["texts"])
    assert "{{ 7*7 }}" in html


def test_half_characters_and_control_characters_do_no_harm() -> None:
    html = render([bare("a\ud800b", "c\x00\x1bd", "1-0")])
    html.encode("utf-8")
    assert "\x00" not in html
    assert "\x1b" not in html
    Page(html)


def test_replays_come_out_as_the_positions_are() -> None:
    for record in SAMPLE:
        seen = replay(record)
        stacks = list(seen.start)
        assert len(seen.changes) == len(record.plies)
        for change, position in zip(((), *seen.changes), positions(record), strict=True):
            for cell, content in change:
                stacks[cell] = content
            assert tuple(stacks) == position.contents()


def test_the_packed_replay_unpacks_to_the_positions() -> None:
    packed = pack(SAMPLE)
    number = {letter: i for i, letter in enumerate(packed.data["alphabet"])}
    for record, game in zip(SAMPLE, packed.data["games"], strict=True):
        place, start, changes, *_ = game[12]
        contents = list(packed.boards[place].stacks)
        stacks = [number[letter] for letter in packed.data["texts"][start]]
        for change, position in zip(["", *changes.split(" ")], positions(record), strict=True):
            numbers = [number[letter] for letter in change]
            for cell, stack in zip(numbers[::2], numbers[1::2], strict=True):
                stacks[cell] = stack
            assert tuple(contents[stack] for stack in stacks) == position.contents()


def test_only_changed_cells_are_stored() -> None:
    changes = replay(random_game("yavalath", 3)).changes
    assert {len(change) for change in changes} == {1}


def test_movers_are_stored_where_turns_do_not_alternate() -> None:
    surikata, yavalath = (pack([random_game(g, 1)]).data for g in ("surikata", "yavalath"))
    assert surikata["games"][0][12][3].startswith("01010010")
    assert yavalath["games"][0][12][3] == ""


def test_the_deciding_cells_are_those_of_the_outcome() -> None:
    record = random_game("yavalath", 1)
    seen = replay(record)
    names = seen.game.board.names
    outcome = list(positions(record))[-1].outcome()
    assert outcome
    assert tuple(names[i] for i in seen.deciding) == outcome.cells
    assert replay(cut(record, 2, "resignation", "1-0")).deciding == ()


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (bare("ann", "bob", "1-0", game_id="no-such-game"), "unknown game"),
        (bare("ann", "bob", "1-0", Setup="e5"), "no setup"),
        (
            replace(bare("ann", "bob", "1-0"), plies=(Ply("e5"), Ply("e5"))),
            "ply 2: illegal move e5",
        ),
        (replace(bare("ann", "bob", "1-0"), plies=(Ply("hop"),)), "ply 1: 'hop' is not a move"),
    ],
)
def test_what_cannot_be_replayed_is_listed_with_the_reason(record: Record, reason: str) -> None:
    with pytest.raises(GameError, match=re.escape(reason)):
        replay(record)
    game = data_of(render([record]))["games"][0]
    assert reason in game[12]
    assert game[6] == len(record.plies)


def test_records_left_out_are_named_on_the_page() -> None:
    html = render([*SAMPLE, bare("eve", "ann", "*", Termination="void")])
    assert "Not counted: 1 record (1 void). Only there: eve." in html
    assert len(data_of(html)["games"]) == len(SAMPLE) + 1


def test_comments_evaluations_times_and_variations_are_kept() -> None:
    record = random_game("yavalath", 1)
    aside = Variation((Ply("a1", comments=(comment("corner"),)),), (comment("or"),))
    said = (comment("best [%eval 0.345] [%emt 1.5]"),)
    spoken = replace(record.plies[1], glyph="!", comments=said, variations=(aside,))
    record = replace(record, plies=(record.plies[0], spoken, *record.plies[2:]))
    record = replace(record, comments=(comment("before"),))
    game = pack([record]).data["games"][0]
    assert game[7].split(" ")[1] == f"{record.plies[1].move}!"
    assert game[8].split(" ")[:3] == ["", "1500", ""]
    assert game[9].split(" ")[:3] == ["", "34", ""]
    assert game[10] == {"0": "before", "2": "best (or a1 corner)"}


@pytest.mark.parametrize("value", ["nan", "inf", "much"])
def test_an_evaluation_that_is_no_number_is_none(value: str) -> None:
    record = random_game("yavalath", 1)
    plies = (replace(record.plies[0], comments=(comment(f"[%eval {value}]"),)), *record.plies[1:])
    assert pack([replace(record, plies=plies)]).data["games"][0][9] == ""


def test_a_bot_of_one_name_in_both_seats_is_shown() -> None:
    html = render([random_game("surikata", 2, first="ann", second="ann")])
    assert "1 game of a bot against itself" in html
    Page(html)


def test_a_record_without_moves_has_a_replay_of_its_start() -> None:
    game = data_of(render([bare("ann", "bob", "1-0", Termination="crash")]))["games"][0]
    assert game[6] == 0
    assert game[12][2] == ""


def palettes() -> list[dict[str, str]]:
    """Return the colours of the light page and of the dark one."""
    css = (TEMPLATES / "page.css").read_text(encoding="utf-8")
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


def test_no_game_is_named_in_the_code_of_reports() -> None:
    files = [*TEMPLATES.iterdir(), *TEMPLATES.parent.glob("*.py")]
    for file in files:
        text = file.read_text(encoding="utf-8").lower()
        # Whole words: the project's name may stand there.
        assert not [game for game in games.ids() if re.search(rf"\b{game}\b", text)], file.name


def test_a_thousand_games_make_at_most_600_kilobytes() -> None:
    hundred = tournament(("ann", "bob", "cat"), 3, annotated=True)[:100]
    thousand = [with_tags(record, Seed=str(i)) for i, record in enumerate(hundred * 10)]
    # Repeated setups are stored once; count them as if each game had its own.
    setups = sum(len(record.tag("Setup").replace("/", "")) for record in thousand)
    began = time.perf_counter()
    size = len(render(thousand).encode())
    assert size + setups <= 600_000
    assert time.perf_counter() - began < 30
