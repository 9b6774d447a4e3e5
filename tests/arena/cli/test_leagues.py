"""A league's pages: its season from zero, match days, all time, and the organiser's own lines."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from commands import arena

LEAGUE = Path("league")
BOTS = ("greedy", "random", "monte-carlo", "mcts")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A league with games before its first season, two seasons, and a snapshot of each."""
    folder = tmp_path_factory.mktemp("club") / "league"
    added = [word for name in BOTS for word in ("--add", name)]
    more = ("-q", "--no-report")
    arena("run", folder, *added, "--game", "yavalath", "--rounds", 1, "--tc", "nodes 2", *more)
    for season, days in (("Autumn 2026", 3), ("Spring 2027", 1)):
        for _ in range(days):
            ran = arena("run", folder, "--season", season, "--match-day", *more)
            assert ran.status == 0, ran.err
        assert arena("run", folder, "--snapshot", f"End of {season}", "--no-report").status == 0
        if days == 3:
            words = ("--void", 2, "--reason", "power cut", "--no-report")
            assert arena("run", folder, *words).status == 0
    return folder


@pytest.fixture
def _here(played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(played, tmp_path / "league")
    monkeypatch.chdir(tmp_path)


def rows_of(page: str, section: str) -> list[list[str]]:
    """Return the cells of a table of points, line by line."""
    found = re.search(rf'<section id="{section}".*?</table>', page, re.DOTALL)
    assert found, section
    lines = re.findall(r"<tr>(<td.*?)</tr>", found[0])
    return [[re.sub("<[^>]*>", "", cell) for cell in line.split("</t")][:-1] for line in lines]


def cells(page: str, section: str) -> list[list[str]]:
    return [[re.sub(r"^[dh]>", "", cell) for cell in row] for row in rows_of(page, section)]


def written(*sources: object) -> str:
    ran = arena("report", *sources, "--site", "public", "--title", "Our league", "--force")
    assert ran.status == 0, ran.err
    return Path("public/index.html").read_text()


@pytest.mark.usefixtures("_here")
def test_the_first_page_has_the_season_from_zero_and_all_time_before_ratings() -> None:
    page = written(LEAGUE)
    order = [page.index(f'id="{one}"') for one in ("season", "next", "all-time", "events", "bots")]
    assert order == sorted(order)
    assert sum(int(row[2]) for row in cells(page, "season")) == 2 * 4, "a match day of 4 games"
    assert sum(int(row[2]) for row in cells(page, "all-time")) == 2 * (12 + 12 + 4 - 1)
    assert "Next: match day 2" in page
    files = sorted(path.name for path in Path("public/events").iterdir())
    assert files == ["league-autumn-2026.html", "league-spring-2027.html", "league.html"]
    autumn = Path("public/events/league-autumn-2026.html").read_text()
    assert autumn.count("After match day") == 3
    assert "Season <bdi>Autumn 2026</bdi></p>" in autumn
    assert "Next: match day" not in autumn
    assert [row[2] for row in cells(autumn, "season")] == ["6"] * 4


@pytest.mark.usefixtures("_here")
def test_games_alone_give_the_same_season_but_for_what_was_ruled_and_is_to_come() -> None:
    known = json.loads(arena("rate", LEAGUE, "--json").out)
    Path("alone").mkdir()
    shutil.copy(LEAGUE / "games.lath", "alone/games.lath")
    alone = json.loads(arena("rate", "alone", "--json").out)
    assert alone["season"]["table"] == known["season"]["table"]
    assert alone["season"]["days"] == known["season"]["days"]
    assert alone["overall"]["rows"] == known["overall"]["rows"]
    of_autumn = json.loads(arena("rate", "alone", "--json", "--season", "Autumn 2026").out)
    assert len(of_autumn["season"]["days"]) == 3
    everything = json.loads(arena("rate", "alone", "--json", "--season", "all").out)
    assert everything["overall"]["games"] == 28


@pytest.mark.usefixtures("_here")
def test_a_league_that_began_with_its_first_season_has_no_event_before_it() -> None:
    Path("new").mkdir()
    ran = arena("select", LEAGUE, "--where", 'Season = "Autumn 2026"', "-o", "new/games.lath")
    assert ran.status == 0, ran.err
    written("new")
    assert [path.name for path in Path("public/events").iterdir()] == ["new-autumn-2026.html"]


COPIES = ("league", "league/snapshots/end-of-autumn-2026", "league/snapshots/end-of-spring-2027")


@pytest.mark.usefixtures("_here")
@pytest.mark.parametrize("sources", [COPIES, COPIES[::-1], COPIES[1::-1], COPIES[::2]])
def test_a_pool_with_any_snapshots_of_it_has_the_totals_of_the_pool(sources: Sequence[str]) -> None:
    assert json.loads(arena("rate", *sources, "--json").out)["overall"]["games"] == 27
    assert cells(written(*sources), "all-time") == cells(written(LEAGUE), "all-time")


@pytest.mark.usefixtures("_here")
def test_a_folder_that_holds_a_pool_and_snapshots_counts_each_game_once() -> None:
    alone = cells(written(LEAGUE), "all-time")
    Path("club").mkdir()
    shutil.copytree(LEAGUE / "snapshots/end-of-autumn-2026", "club/a snapshot")
    shutil.copytree(LEAGUE, "club/league")
    assert cells(written("club"), "all-time") == alone
    told = json.loads(arena("report", "club", "--data", "-").out)
    assert told["standings"]["overall"]["games"] == 27


@pytest.mark.usefixtures("_here")
def test_the_organisers_lines_are_on_the_first_page_and_nothing_else_of_the_file() -> None:
    toml = LEAGUE / "tournament.toml"
    toml.write_text(toml.read_text() + '\n[league]\nabout = "about.md"\n')
    (LEAGUE / "about.md").write_text("# Rules\n<script>x</script>\n\nWrite to <mailto:a@b.org>")
    page = written(LEAGUE)
    assert "<h3>Rules</h3>" in page
    assert "&lt;script&gt;x" in page
    assert arena("run", LEAGUE, "--plan", "-q").status == 0
    Path("own.md").write_text("Hello")
    ran = arena("report", LEAGUE, "--site", "public", "--about", "own.md")
    assert ran.status == 0
    assert "<p>Hello</p>" in Path("public/index.html").read_text()


@pytest.mark.usefixtures("_here")
@pytest.mark.parametrize(
    ("content", "why"),
    [
        (None, "about.md is not there, expected a Markdown file"),
        (b"a\n\xff\n", "about.md, line 2, is not UTF-8 text"),
        (b"x" * 70_000, "about.md is too big, expected at most 64 KiB of Markdown"),
    ],
)
def test_what_is_wrong_with_the_lines_is_one_error(content: bytes | None, why: str) -> None:
    toml = LEAGUE / "tournament.toml"
    toml.write_text(toml.read_text() + '\n[league]\nabout = "about.md"\n')
    if content is not None:
        (LEAGUE / "about.md").write_bytes(content)
    for words in (("report", LEAGUE, "--site", "new"), ("run", LEAGUE)):
        ran = arena(*words)
        assert ran.status == 2, words
        assert why in ran.err
        assert "about" in ran.err.replace("about.md", "")
        assert "tournament.toml" in ran.err
    assert not Path("new").exists()
