"""State beside the cells, such as hands, captures and passes, appears wherever boards do."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from random import Random
from typing import Any, Final
from xml.etree import ElementTree as ET

import pyarrow.parquet as pq
import pytest
from commands import arena
from game_files import EXAMPLES
from hands import BETTER
from places import OURS, SUPPORT
from sample_records import random_game
from unpacking import data_in, opened, unpacked
from walks import playout, walk

from lath import games
from lath.arena.site.boards import board_json, boards_of, position_json
from lath.arena.terminal import pictures
from lath.arena.terminal.boards import coloured, drawing
from lath.games.capabilities import extras_of, extras_told
from lath.games.core import Move, Position
from lath.games.drawing.board import html, svg
from lath.games.trial import wrong_with
from lath.notation import format_record, parse, plies_table
from lath.notation.formats import plane_writer, ply_writer
from lath.notation.formats.tables import arrow_plies
from lath.notation.record.record import Record
from lath.notation.rules.effects import Dictionary
from lath.notation.rules.replay import positions
from lath.notation.tables.planes import LARGEST, Encoding
from lath.notation.text.writer import diagram
from lath.reports.page.page import render

NAMES: Final = ("white hand", "black hand", "white captured", "black captured", "passes")
"""The numbers; the last of the extras is a text."""


@pytest.fixture(autouse=True)
def _game() -> None:
    games.add(SUPPORT / "hands.py")


def sample(count: int = 8) -> list[Record]:
    return [random_game("hands", seed) for seed in range(count)]


def line_of(record: Record) -> list[Position]:
    return list(positions(record))


def test_the_game_of_the_tests_keeps_the_laws_and_its_games_change_every_extra() -> None:
    assert wrong_with(games.get("hands"), games=6, every=10, seconds=60) == ""
    seen: dict[str, set[int | str]] = {}
    for record in sample():
        for position in line_of(record):
            assert [*extras_of(position)] == [*NAMES, "last turn"]
            for name, value in extras_of(position).items():
                seen.setdefault(name, set()).add(value)
    assert min(map(len, seen.values())) > 1, seen


FAULTY: Final[dict[str, Any]] = {
    "expected a dict": lambda self: [("passes", self.passes)],
    "but [": lambda self: {"passes": 0} if self.passes else {},
    "before: both": lambda self: {"passes": self.passes or "none"},
    "expected new words": lambda self: {"white stone": self.passes},
    "'two  words'": lambda self: {"two  words": self.passes},
    "True": lambda self: {"passed": self.passes > 0 or True},
    "text() must describe them": lambda self: {"passes": id(self)},
}
"""Extras that break a law, by the words of the fault."""


@pytest.mark.parametrize("words", FAULTY)
def test_extras_that_change_their_names_or_that_no_text_tells_are_a_fault_of_the_game(
    words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = games.get("hands")
    monkeypatch.setattr(type(game.start()), "extras", property(FAULTY[words]))
    assert words in wrong_with(game, games=4)


@pytest.mark.parametrize("game_id", [*OURS, "konane", "order-and-chaos", "hands"])
def test_cells_side_to_move_and_extras_are_all_that_a_game_holds(game_id: str) -> None:
    """So the built-in games need no extras: the board shows which pieces are left in hand."""
    for path in ("konane", "order_and_chaos"):
        games.add(EXAMPLES / f"{path}.py")
    game = games.get(game_id)
    assert bool(extras_of(game.start())) == (game_id == "hands")
    seen: dict[Any, str] = {}
    for seed in range(6):
        for position, _ in walk(game, seed):
            held = (position.contents(), position.to_move, *extras_of(position).values())
            assert seen.setdefault(held, position.text()) == position.text()


def test_show_prints_them_for_programs_and_for_people(tmp_path: Path) -> None:
    record = sample()[3]
    (tmp_path / "games.lath").write_text(format_record(record))
    source = (tmp_path / "games.lath", "--game", SUPPORT / "hands.py")
    shown = [json.loads(line) for line in arena("show", *source, "--json").out.splitlines()]
    assert [line["extras"] for line in shown] == [dict(extras_of(at)) for at in line_of(record)]
    *_, last = line_of(record)
    assert extras_told(last) in arena("show", *source).out.splitlines()
    asked = json.loads(arena("explore", *source, "--json", "--after", record.moves[0]).out)
    assert asked["extras"] == dict(extras_of(line_of(record)[1]))


def test_each_ply_of_a_table_has_those_of_its_position() -> None:
    other = random_game("yavalath", 1)
    records = [*sample(3), other]
    expected = [dict(extras_of(at)) or None for record in records for at in line_of(record)[:-1]]
    written = {
        name: b"".join(ply_writer(name)(enumerate(records, 1), lambda *_: None))
        for name in ("jsonlines", "parquet")
    }
    lines = [json.loads(line) for line in written["jsonlines"].splitlines()]
    assert [line["extras"] for line in lines] == expected
    table = pq.read_table(io.BytesIO(written["parquet"])).to_pydict()
    assert [text and json.loads(text) for text in table["extras"]] == expected
    assert plies_table(records) == table
    assert arrow_plies(records).read_all().to_pydict() == plies_table(records)
    lost: list[tuple[int, str]] = []
    csv = b"".join(ply_writer("csv")(enumerate([other, *sample(3)], 1), lambda *n: lost.append(n)))
    assert b"extras" not in csv, "the first record decides on the columns, as for other games"
    assert (3, "extras") in lost


def test_a_number_fills_a_plane_and_a_text_has_none() -> None:
    encoding = Encoding(games.get("hands"))
    assert encoding.planes == ("white stone", "black stone", *NAMES, "second to move")
    assert encoding.texts == ("last turn",)
    cells = len(encoding.cells)
    for record in sample():
        for row, position in zip(encoding.rows(record, 1), line_of(record), strict=False):
            planes = [row.planes[at : at + cells] for at in range(0, len(row.planes), cells)]
            numbers = [extras_of(position)[name] for name in NAMES]
            assert planes[2:-1] == [bytes([int(number)]) * cells for number in numbers]
            assert planes[-1] == bytes([position.to_move]) * cells
    lost: list[tuple[int, str]] = []
    b"".join(plane_writer("npz")(enumerate(sample(1), 1), lambda *what: lost.append(what)))
    assert (1, "last turn") in lost
    far: Any = games.get("hands").start()
    big = encoding.encoded(far._replace(hands=(1000, -1)))
    assert big[2 * cells : 4 * cells] == bytes([LARGEST]) * cells + bytes(cells)


def words_below(drawn: str) -> list[str]:
    """Return the text of the line below a board, above the players and within the picture."""
    root = ET.fromstring(drawn)
    _, top, _, height = map(float, root.attrib["viewBox"].split())
    texts = [one for one in root if "y" in one.attrib and one.text]
    lines = [float(one.attrib["y"]) for one in texts]
    assert lines == sorted(set(lines))
    assert max(lines, default=0) < top + height
    found = [one for one in texts if one.get("class") == "extras"]
    return [one.text or "" for one in found]


def test_drawings_have_a_line_of_words_below_the_board() -> None:
    record = sample()[5]
    line = line_of(record)
    for ply, position in enumerate(line):
        told = extras_told(position)
        drawn = svg(position)
        assert words_below(drawn) == words_below(pictures.svg(record, line, ply)) == [told]
        assert told in (ET.fromstring(drawn)[1].text or "")
        assert told in unescape(html(position))
        assert diagram(position).endswith(f"\n\n{told}")
        assert told not in coloured(position).plain
        assert drawing(position).endswith(f"\n\n{told}")
    assert words_below(svg(games.get("yavalath").start())) == []


def test_boards_of_the_site_have_the_words() -> None:
    template = board_json("hands")
    assert template is not None
    assert words_below(template["drawn"]) == [extras_told(games.get("hands").start())]
    for before, position in zip(*[iter(line_of(sample()[2]))] * 2, strict=False):
        for value in (boards_of(position), position_json(position, before)):
            assert value["extras"] == extras_told(position)
    assert "extras" not in boards_of(games.get("yavalath").start())


def told_by(record: Record) -> list[str]:
    return list(map(extras_told, line_of(record)))


@pytest.mark.parametrize("seed", range(3))
def test_a_replay_has_those_of_the_positions_of_records_from_anywhere(seed: int) -> None:
    dictionary = Dictionary(games.get("hands"))
    chance = Random(seed)
    for number in range(40):
        record = random_game("hands", seed * 40 + number)
        at = line_of(record)[chance.randrange(len(record.plies))]
        begun = parse(f'[Game "hands"] [Position "{at.text()}"] {" ".join(playout(at, chance))} *')
        for each in (record, begun):
            assert list(dictionary.play(each).extras) == told_by(each)
            assert len(told_by(each)) == len(each.plies) + 1


def beside(data: dict[str, Any]) -> Iterator[tuple[list[str], dict[str, list[str]]]]:
    """Yield the words of each game that a page embeds: at each ply, and in better lines."""
    for chunk in map(opened, data["chunks"]):
        for plies, better in chunk["extras"]:
            lines = {ply: [chunk["words"][word] for word in line] for ply, line in better.items()}
            yield [chunk["words"][word] for word in plies], lines


def test_a_page_has_them_at_each_ply_and_in_better_lines() -> None:
    analysed = parse(BETTER)
    records = [*sample(), analysed, random_game("yavalath", 1)]
    page = data_in(render(records).html)
    *told, (plies, better), (other, _) = beside(page)
    assert [words for words, _ in told] == [told_by(record) for record in records[:-2]]
    assert plies == told_by(analysed)
    variation = line_of(analysed)[1]
    expected = []
    for move in map(Move, ("pass", "c3", "pass")):
        variation = variation.play(move)
        expected.append(extras_told(variation))
    assert (better, other) == ({"2": expected}, [])
    stacks = [game.stacks for game in unpacked(page)]
    assert stacks == [[at.contents() for at in line_of(record)] for record in records]


def openings_in(records: list[Record]) -> list[dict[str, Any]]:
    found = re.search(r'id="openings-data">(.*?)</script>', render(records).html)
    assert found is not None
    games_begun: list[dict[str, Any]] = opened(found[1])
    return games_begun


def test_an_opening_has_those_after_its_moves_and_the_start_comes_last() -> None:
    hands, yavalath = openings_in([parse(BETTER)] * 4 + [random_game("yavalath", 1)] * 4)
    start, *others = told_by(parse(BETTER))
    assert hands["extras"] == [*others, start]
    assert "extras" not in yavalath


def test_a_page_of_other_games_has_nothing_more() -> None:
    data = data_in(render([random_game(game_id, 1) for game_id in OURS]).html)
    assert not any({"extras", "words"} & opened(chunk).keys() for chunk in data["chunks"])
