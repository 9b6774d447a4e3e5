"""A figure that is computed over a part of the games says over which, wherever it is printed."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from typing import Any, Final

import pytest
from commands import arena
from sample_records import random_game

from lath.notation import format_record, format_records
from lath.notation.record import Record

WHOLE: Final = [random_game("yavalath", n, annotated=True, Number=str(n + 1)) for n in range(8)]
TAGS: Final = '[Game "yavalath"]\n[First "ann"]\n[Second "bob"]\n'
LACKING: Final = {
    "nothing": "",
    "moves": f'{TAGS}[Moves "not recorded"]\n[Result "1-0"]\n\n1-0\n',
    "a result": f"{TAGS}\n1. e5 2. swap 3. d4 *\n",
    "an answer": f'{TAGS}[Termination "resignation"]\n\n1. e5 1-0\n',
    "evaluations": format_record(random_game("yavalath", 20)),
    "an end by the rules": f'{TAGS}[Termination "time"]\n\n1. e5 2. d4 3. a1 1-0\n',
}
"""By what a game lacks that the others have; games of a swap are few in all of them."""


def collection(lacks: str, folder: Path) -> Path:
    """Return a file of games of two kinds, of which one of the first lacks something."""
    texts = format_records([*WHOLE, *others()])
    path = folder / "games.lath"
    path.write_text("\n\n".join([*map(str.strip, texts), *([LACKING[lacks]] * bool(lacks))]))
    return path


def others() -> list[Record]:
    return [random_game("surikata", n, annotated=True, Number=str(n + 30)) for n in range(8)]


def text_of(page: Path) -> str:
    """Return what can be read of a page, its blanks run together."""
    bare = re.sub(r"(?s)<(script|style)\b.*?</\1>|<[^>]*>", " ", page.read_text())
    return " ".join(html.unescape(bare).split())


def parts_in(told: dict[str, Any]) -> list[tuple[str, str, int, int]]:
    """Return by game and measure over how many games that is, of how many."""
    return [
        (of["game"], each["measure"], each["games"], of["games"])
        for of in told["by_game"]
        for each in of["measures"]
    ]


every_lack = pytest.mark.parametrize("lacks", LACKING)


@every_lack
def test_measures_of_a_part_say_so_on_the_page_in_the_table_and_in_comparisons(
    lacks: str, tmp_path: Path
) -> None:
    path, page = collection(lacks, tmp_path), tmp_path / "page.html"
    parts = parts_in(json.loads(arena("stats", path, "--measures", "--json").out))
    table = arena("stats", path, "--measures").out
    assert arena("stats", path, "--measures", "--html", page).status == 0
    sections = re.split(r'<figure class="card" id="of-', page.read_text())[1:]
    shown = {one.partition('"')[0]: one.partition("</figure>")[0] for one in sections}
    assert {measure for _, measure, *_ in parts} == set(shown)
    for measure, drawn in shown.items():
        said = [
            f"{used} of {games} games"
            for _, m, used, games in parts
            if m == measure and used < games
        ]
        assert re.findall(r"<small>([0-9]+ of [0-9]+ games)</small>", drawn) == said, measure
    rows = [line.split() for line in table.splitlines() if re.search(r"%?\s+\d+$", line)]
    assert [int(row[-1]) for row in rows] == [used for *_, used, _ in parts]
    compared = arena("stats", path, "--measures", "--compare").out
    wide = arena("stats", path, "--measures", "--compare", "--html", page)
    assert wide.status == 0
    both = {m for g, m, *_ in parts if g == "surikata"} & {
        m for g, m, *_ in parts if g != "surikata"
    }
    for _, measure, used, games in parts:
        if used < games and measure in both:
            assert f"({used} of {games})" in compared
            assert f"<small>{used} of {games} games</small></td>" in page.read_text()


@every_lack
def test_a_survey_says_over_which_games_its_shares_and_means_are(
    lacks: str, tmp_path: Path
) -> None:
    path = collection(lacks, tmp_path)
    said = arena("stats", path).out
    few = {"lengths": "moves a result", "first scored": "a result", "openings": "moves an answer"}
    for what, kinds in few.items():
        line = f"{what}: over the 16 "
        assert (line in said) == (lacks in kinds and lacks != "nothing"), what
        if line in said:
            assert "(yavalath 8 of 9)" in said
        for name in ("yavalath", "surikata"):
            alone = arena("stats", path, "--where", f"game = {name}").out
            assert (f"{what}: over the 8 " in alone) == (line in said and name == "yavalath")


@every_lack
def test_lengths_of_a_report_say_of_how_many_games_they_are(lacks: str, tmp_path: Path) -> None:
    path, page, data = collection(lacks, tmp_path), tmp_path / "page.html", tmp_path / "data.json"
    assert arena("report", path, "-o", page, "--data", data).status == 0
    told = json.loads(data.read_text())
    all_games = {one["game"]: one["games"] for one in told["endings"]}
    for one in told["lengths"]:
        spread = f"{one['shortest']} to {one['longest']}"
        part = f"{spread}, {one['games']} of {all_games[one['game']]} games"
        assert spread in text_of(page)
        assert (part in text_of(page)) == (one["games"] < all_games[one["game"]])
    assert ("8 of 9 games" in text_of(page)) == (lacks == "moves")
