"""What the page gives away: a replay for another page, pictures of a position and of a game."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from axe import axe_core, violations
from browsing import Visit, new_window, visiting
from PIL import Image
from report_pages import played
from seen_boards import differing_cells
from tools import needs

from lath.notation.replay import positions
from lath.reports.page.page import Page

RECORDS = played()
NUMBER = next(
    number
    for number, record in enumerate(RECORDS, 1)
    if record.game == "yavalath" and len(record.plies) >= 6
)
LINE = list(positions(RECORDS[NUMBER - 1]))

FITS = """() => ["#board svg", "#players", ".controls", "#to-end"].every((wanted) => {
  const box = document.querySelector(wanted).getBoundingClientRect();
  const { width, left, top, right, bottom } = box;
  return width > 20 && left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight;
}) && document.documentElement.scrollHeight <= innerHeight"""

READ_PICTURE = """async () => {
  const [item] = await navigator.clipboard.read();
  const bytes = new Uint8Array(await (await item.getType("image/png")).arrayBuffer());
  return btoa(bytes.reduce((text, byte) => text + String.fromCharCode(byte), ""));
}"""


@pytest.fixture(scope="module")
def report(address_of: Callable[[Page], str], the_page: Callable[[str], Page]) -> str:
    return address_of(the_page("played"))


@pytest.fixture(scope="module")
def sharing(browser: Any, report: str) -> Iterator[Visit]:
    """A visitor who has the dialog open at the third ply of a game."""
    window = new_window(browser, permissions=["clipboard-read", "clipboard-write"])
    with visiting(window.new_page()) as visitor:
        visitor.open(f"{report}#game={NUMBER}&ply=3")
        visitor.await_game(NUMBER)
        visitor.page.click("#share-open")
        yield visitor
        visitor.look_away()
    window.close()


def saved(visit: Visit, button: str) -> tuple[str, bytes]:
    with visit.page.expect_download() as waiting:
        visit.page.click(button)
    return waiting.value.suggested_filename, Path(waiting.value.path()).read_bytes()


@needs("npm")
@pytest.mark.parametrize(("width", "height"), [(300, 300), (700, 320)])
def test_an_embedded_replay_is_board_players_and_controls_in_any_room(
    visit: Visit, report: str, width: int, height: int
) -> None:
    visit.page.set_viewport_size({"width": width, "height": height})
    visit.open(f"{report}#embed={NUMBER}&ply=3")
    visit.await_game(NUMBER)
    assert visit.page.evaluate(FITS)
    assert not any(visit.page.is_visible(f"#{one}") for one in ("games", "moves", "legal"))
    visit.page.click("#forward")
    visit.page.wait_for_url(f"**#embed={NUMBER}&ply=4")
    assert visit.page.get_attribute("#whole", "href").endswith(f"#game={NUMBER}")
    visit.page.evaluate(axe_core())
    assert violations(visit.page) == []


def test_the_code_embeds_the_replay_and_leaves_the_focus_to_the_other_page(
    visit: Visit, sharing: Visit, report: str, tmp_path: Path
) -> None:
    code = sharing.page.input_value("#embed-code").replace('loading="lazy"', "")
    host = tmp_path / "host.html"
    host.write_text(f"<!DOCTYPE html><title>A blog</title><p>Look:</p>{code}", encoding="utf-8")
    (tmp_path / report.rsplit("/", 1)[1]).write_bytes(Path(report[7:]).read_bytes())
    visit.page.goto(host.as_uri())
    frame = visit.page.frame_locator("iframe")
    assert frame.locator("#at").inner_text().startswith("3 /")
    assert not frame.locator("#games").is_visible()
    assert visit.page.evaluate("document.activeElement === document.body")


def test_pictures_of_a_position_show_it(sharing: Visit) -> None:
    name, content = saved(sharing, "#save-png")
    assert name == f"yavalath-{NUMBER}-ply-3.png"
    image = Image.open(io.BytesIO(content))
    assert (image.format, image.width, differing_cells(image, LINE[3])) == ("PNG", 480, [])
    assert differing_cells(image, LINE[2]) != []
    sharing.page.bring_to_front()  # the clipboard is there for the page with the focus
    sharing.page.click("#share-copy")
    sharing.page.wait_for_selector("#copied:has-text('copied')")
    copied = Image.open(io.BytesIO(base64.b64decode(sharing.page.evaluate(READ_PICTURE))))
    assert (copied.width, differing_cells(copied, LINE[3])) == (480, [])
    name, content = saved(sharing, "#save-svg")
    assert (name[-4:], content[:5]) == (".svg", b"<svg ")


def test_a_moving_picture_plays_the_whole_game(sharing: Visit) -> None:
    sharing.page.select_option("#share-width", "320")
    name, content = saved(sharing, "#save-gif")
    sharing.page.select_option("#share-width", "480")
    assert name == f"yavalath-{NUMBER}.gif"
    image = Image.open(io.BytesIO(content))
    assert (image.width, getattr(image, "n_frames", 0), image.info["loop"]) == (320, len(LINE), 0)
    for ply in (0, 1, len(LINE) - 2):
        image.seek(ply)
        assert (image.info["duration"], differing_cells(image, LINE[ply])) == (900, [])
    image.seek(len(LINE) - 1)
    assert image.info["duration"] == 4000
