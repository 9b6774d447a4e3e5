"""A league's pages: its season from zero, match days, all time, and the organiser's own lines."""

from __future__ import annotations

import json
import re
import shutil
import sys
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


@pytest.mark.usefixtures("_here")
def test_a_snapshot_is_published_by_itself_as_its_pool_was() -> None:
    toml = LEAGUE / "tournament.toml"
    Path("texts").mkdir()
    Path("texts/rules.txt").write_text("Be on time.")
    toml.write_text(toml.read_text() + '\n[league]\nabout = "../texts/rules.txt"\n')
    assert arena("run", LEAGUE, "--snapshot", "With rules", "--no-report").status == 0
    whole = written(LEAGUE)
    of_pool = [path.name for path in sorted(Path("public/events").iterdir())]
    Path("texts/rules.txt").unlink()
    page = written("league/snapshots/with-rules")
    assert "<p>Be on time.</p>" in page
    for section in ("season", "all-time"):
        assert cells(page, section) == cells(whole, section)
    names = [path.name for path in sorted(Path("public/events").iterdir())]
    assert [name.replace("with-rules", "league") for name in names] == of_pool
    Path("league/snapshots/with-rules/about-rules.txt").unlink()
    assert "Be on time" not in written("league/snapshots/with-rules"), "as those made before"


def test_who_could_not_play_is_in_every_table_and_has_a_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    LEAGUE.mkdir()
    Path("league/finn.py").write_text("raise SystemExit(1)")
    bots = ["greedy", "random", "dan", "finn"]
    commands = {"dan": 'command = "random"', "finn": f'command = "{sys.executable} finn.py"'}
    lines = ['format = "pool"', 'games = ["yavalath"]', "rounds = 1", "[time]", "nodes = 2"]
    lines += ["[season]", 'name = "Autumn"']
    for name in bots:
        lines += ["[[bot]]", f'name = "{name}"', commands.get(name, "")]
    (LEAGUE / "tournament.toml").write_text("\n".join(lines))
    arena("run", LEAGUE, "--match-day", "-q", "--no-report")
    met = json.loads(arena("rate", LEAGUE, "--json").out)["season"]
    assert {row["name"]: row["mark"] for row in met["table"]}["finn"] == "benched"
    ((one, other),) = met["days"][0]["put_off"]
    assert "finn" in (one, other)
    page = written(LEAGUE)
    event = Path("public/events/league-autumn.html").read_text()
    for text, section in (page, "season"), (page, "all-time"), (event, "season"):
        assert ["finn benched", "0"] in [row[1:3] for row in cells(text, section)], section
    assert "put off" in event
    own = Path("public/bots/finn.html").read_text()
    assert "finn is benched: " in own
    assert "match day 1: " in own
    assert 'href="bots/finn.html"' in page
    assert "benched" in arena("rate", LEAGUE).out
    assert met["waits_for"] == [], "the others have games to play"
    arena("run", LEAGUE, "-q", "--no-report")
    way = "waits for finn, which is benched: mend it, or `arena run DIR --retire finn` ends the"
    for words in ("rate", LEAGUE), ("run", LEAGUE, "--plan"):
        told = " ".join(arena(*words).out.split())
        assert way in told
        assert "match day 4" not in told
    page = written(LEAGUE)
    assert "The season waits for finn, which is benched; all others have played" in page
    assert "Next: match day" not in page
    event = Path("public/events/league-autumn.html").read_text()
    assert " leads with" not in event
    assert "share the lead" not in event
    ran = arena("run", LEAGUE, "--retire", "finn", "-q", "--no-report")
    assert ran.status == 0, ran.err
    told = json.loads(arena("rate", LEAGUE, "--json").out)["season"]
    assert {row["name"]: row["mark"] for row in told["table"]}["finn"] == "retired"
    arena("run", LEAGUE, "--season", "Spring", "-q", "--no-report")
    told = json.loads(arena("rate", LEAGUE, "--json").out)["season"]
    assert "finn" not in [row["name"] for row in told["table"]], "it is not entered"
    told = json.loads(arena("rate", LEAGUE, "--json", "--season", "Autumn").out)["season"]
    assert "finn" in [row["name"] for row in told["table"]]
    assert told["coming"] == []
    arena("run", LEAGUE, "--season", "Summer", "--retire", "dan", "-q", "--no-report")
    assert "dan retired" in [row[1] for row in cells(written(LEAGUE), "all-time")]


ANNOUNCED = """format = "pool"
event = "Our league"
games = ["yavalath"]
rounds = 2

[season]
name = "Autumn 2026"
match_days = ["2026-10-02", "2026-10-09"]

[league]
about = "about.md"

[time]
nodes = 2

[[bot]]
name = "greedy"

[[bot]]
name = "random"

[[bot]]
name = "mcts"
"""


def test_a_season_is_published_before_its_first_game_as_it_will_be_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    LEAGUE.mkdir()
    (LEAGUE / "tournament.toml").write_text(ANNOUNCED)
    (LEAGUE / "about.md").write_text("Be on time.")
    coming = json.loads(arena("run", LEAGUE, "--plan", "--json").out)["match_days"]
    page = written(LEAGUE)
    files = sorted(path.name for path in LEAGUE.iterdir())
    assert files == ["about.md", "tournament.toml"], "nothing is written there"
    assert "<p>Be on time.</p>" in page
    assert "Next: match day 1, 2026-10-02" in page
    assert [row[1:3] for row in cells(page, "season")] == [
        [name, "0"] for name in ("greedy", "mcts", "random")
    ]
    (event,) = Path("public/events").iterdir()
    text = re.sub("<[^>]*>", "", event.read_text())
    for day in coming:
        assert f"atch day {day['number']}{', ' if day['date'] else ''}{day['date']}" in text
        for one, other in day["pairings"]:
            assert f"{one} – {other}" in text
    (LEAGUE / "tournament.toml").write_text(ANNOUNCED.replace("rounds = 2", "rounds = 0"))
    ran = arena("report", LEAGUE, "--site", "public")
    assert (ran.status, "tournament.toml:4: rounds = 0" in ran.err) == (2, True), ran.err
    (LEAGUE / "tournament.toml").write_text(ANNOUNCED)
    assert arena("run", LEAGUE, "--match-day", "-q", "--no-report").status == 0
    assert "Next: match day 2, 2026-10-09" in written(LEAGUE)
    assert [*Path("public/events").iterdir()] == [event], "its address stays"
