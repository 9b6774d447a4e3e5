"""A league's pages: its season from zero, match days, all time, and the organiser's own lines.

One number of a thing: index, event pages, bots' pages, head to head and terminal all agree, over
leagues by chance: seasons, edited, benched, retired and late bots, void games and snapshots.
"""

from __future__ import annotations

import json
import random
import re
import shutil
import sys
from contextlib import chdir, closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pytest
from commands import arena
from places import ROOT
from quick_runs import play_nothing

from lath.arena.tournament.store.store import Store

if TYPE_CHECKING:
    from golden import Golden

pytestmark = pytest.mark.slow

LEAGUE: Final = Path("league")
PUBLIC: Final = Path("public")
BOTS: Final = ("ann", "bob", "cat", "dan", "eve")
TERMS: Final = ("--game", "yavalath", "--tc", "move 1", "--rounds")


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    play_nothing(monkeypatch)


def added(number: int) -> list[str]:
    return [word for name in BOTS[:number] for word in ("--add", f"{name}=random")]


def run(*words: object) -> None:
    ran = arena("run", LEAGUE, *words, "-q", "--no-report")
    assert ran.status == 0, ran.err


def read(*parts: str | Path) -> str:
    return Path(*parts).read_text(encoding="utf-8")


def rated(*words: object) -> Any:
    return json.loads(arena("rate", *words, "--json").out)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A league with games before its first season, two seasons, and a snapshot of each."""
    home = tmp_path_factory.mktemp("club")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(home)
        play_nothing(patch)
        run(*added(4), *TERMS, 1)
        for season, days in (("Autumn 2026", 3), ("Spring 2027", 1)):
            for _ in range(days):
                run("--season", season, "--match-day")
            run("--snapshot", f"End of {season}")
            if days == 3:
                run("--void", 2, "--reason", "power cut")
    return home / "league"


@pytest.fixture
def _here(played: Path, tmp_path: Path) -> None:
    shutil.copytree(played, tmp_path / "league")


@pytest.fixture(scope="module")
def page(played: Path) -> str:
    """The first page of its site, which lies beside it."""
    with chdir(played.parent):
        return written(LEAGUE)


def cells(page: str, section: str) -> list[list[str]]:
    """Return the cells of a table of points, line by line."""
    found = re.search(rf'<section id="{section}".*?</table>', page, re.DOTALL)
    assert found, section
    rows = re.findall(r"<tr>(<td.*?)</tr>", found[0])
    return [
        [re.sub(r"^[dh]>", "", re.sub("<[^>]*>", "", cell)) for cell in row.split("</t")][:-1]
        for row in rows
    ]


def written(*sources: object) -> str:
    ran = arena("report", *sources, "--site", PUBLIC, "--title", "Our league", "--force")
    assert ran.status == 0, ran.err
    return read(PUBLIC, "index.html")


def events() -> list[str]:
    return sorted(path.name for path in (PUBLIC / "events").iterdir())


def test_the_first_page_has_the_season_from_zero_and_all_time_before_ratings(
    page: str, played: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(played.parent)
    order = [page.index(f'id="{one}"') for one in ("season", "next", "all-time", "events", "bots")]
    assert order == sorted(order)
    assert sum(int(row[2]) for row in cells(page, "season")) == 2 * 4, "a match day of 4 games"
    assert sum(int(row[2]) for row in cells(page, "all-time")) == 2 * (12 + 12 + 4 - 1)
    assert "Next: match day 2" in page
    assert events() == ["league-autumn-2026.html", "league-spring-2027.html", "league.html"]
    autumn = read(PUBLIC, "events/league-autumn-2026.html")
    assert autumn.count("After match day") == 3
    assert "Season <bdi>Autumn 2026</bdi></p>" in autumn
    assert "Next: match day" not in autumn
    assert [row[2] for row in cells(autumn, "season")] == ["6"] * 4


@pytest.mark.usefixtures("_here")
def test_games_alone_give_the_same_season_but_for_what_was_ruled_and_is_to_come() -> None:
    known = rated(LEAGUE)
    Path("alone").mkdir()
    shutil.copy(LEAGUE / "games.lath", "alone/games.lath")
    alone = rated("alone")
    for part in ("table", "days"):
        assert alone["season"][part] == known["season"][part]
    assert alone["overall"]["rows"] == known["overall"]["rows"]
    assert len(rated("alone", "--season", "Autumn 2026")["season"]["days"]) == 3
    assert rated("alone", "--season", "all")["overall"]["games"] == 28
    Path("new").mkdir()
    ran = arena("select", LEAGUE, "--where", 'Season = "Autumn 2026"', "-o", "new/games.lath")
    assert ran.status == 0, ran.err
    written("new")
    assert events() == ["new-autumn-2026.html"], "it began with its first season"


COPIES: Final = (
    LEAGUE,
    *(LEAGUE / "snapshots" / f"end-of-{s}" for s in ("autumn-2026", "spring-2027")),
)


@pytest.mark.usefixtures("_here")
def test_a_pool_with_any_snapshots_of_it_has_the_totals_of_the_pool(page: str) -> None:
    alone = cells(page, "all-time")
    for sources in (COPIES, COPIES[1::-1]):
        assert rated(*sources)["overall"]["games"] == 27, sources
    Path("club").mkdir()
    shutil.copytree(COPIES[1], "club/a snapshot")
    shutil.copytree(LEAGUE, "club/league")
    assert cells(written("club"), "all-time") == alone
    told = json.loads(arena("report", "club", "--data", "-").out)
    assert told["standings"]["overall"]["games"] == 27


def about(file: str) -> None:
    """Have a file's lines on the league's first page."""
    toml = LEAGUE / "tournament.toml"
    text = toml.read_text().partition("\n[league]")[0]
    toml.write_text(f'{text}\n[league]\nabout = "{file}"\n')


def test_the_organisers_lines_are_on_the_first_page_and_nothing_else_of_the_file(
    golden: Golden,
) -> None:
    run(*added(2), *TERMS, 1)
    about("about.md")
    wrong = {"absent": None, "no text": b"a\n\xff\n", "big": b"x" * 70_000}
    said = {}
    for name, content in wrong.items():
        if content is not None:
            (LEAGUE / "about.md").write_bytes(content)
        for words in (("report", LEAGUE, "--site", "new"), ("run", LEAGUE)):
            ran = arena(*words)
            assert ran.status == 2, words
            said[f"{name}, {words[0]}"] = ran.err
    assert not Path("new").exists()
    golden(said)
    (LEAGUE / "about.md").write_text("# Rules\n<script>x</script>\n\nWrite to <mailto:a@b.org>")
    page = written(LEAGUE)
    assert "<h3>Rules</h3>" in page
    assert "&lt;script&gt;x" in page
    assert arena("run", LEAGUE, "--plan", "-q").status == 0
    Path("own.md").write_text("Hello")
    assert arena("report", LEAGUE, "--site", PUBLIC, "--about", "own.md").status == 0
    assert "<p>Hello</p>" in read(PUBLIC, "index.html")


def test_a_snapshot_is_published_by_itself_as_its_pool_was() -> None:
    for season in ("Autumn", "Spring"):
        run(*added(3) * (season == "Autumn"), *TERMS, 1, "--season", season, "--match-day")
    Path("texts").mkdir()
    Path("texts/rules.txt").write_text("Be on time.")
    about("../texts/rules.txt")
    run("--snapshot", "With rules")
    whole, of_pool = written(LEAGUE), events()
    Path("texts/rules.txt").unlink()
    page = written("league/snapshots/with-rules")
    assert "<p>Be on time.</p>" in page
    for section in ("season", "all-time"):
        assert cells(page, section) == cells(whole, section)
    assert [name.replace("with-rules", "league") for name in events()] == of_pool
    Path("league/snapshots/with-rules/about-rules.txt").unlink()
    assert "Be on time" not in written("league/snapshots/with-rules"), "as those made before"


def test_who_could_not_play_is_in_every_table_and_has_a_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()  # these bots are started
    monkeypatch.chdir(tmp_path)
    LEAGUE.mkdir()
    Path("league/finn.py").write_text("raise SystemExit(1)")
    light = Path(ROOT, "examples/bots/legal.sh")
    commands = {"finn": f'command = "{sys.executable} finn.py"'}
    lines = ['format = "pool"', 'games = ["yavalath:size=3"]', "rounds = 1", "jobs = 1"]
    lines += ["[time]", "nodes = 2"]
    lines += ["[season]", 'name = "Autumn"']
    for name in ("greedy", "random", "dan", "finn"):
        lines += ["[[bot]]", f'name = "{name}"', commands.get(name, f'command = "{light}"')]
    (LEAGUE / "tournament.toml").write_text("\n".join(lines))
    arena("run", LEAGUE, "--match-day", "-q", "--no-report")
    met = rated(LEAGUE)["season"]
    assert {row["name"]: row["mark"] for row in met["table"]}["finn"] == "benched"
    ((one, other),) = met["days"][0]["put_off"]
    assert "finn" in (one, other)
    assert met["waits_for"] == [], "the others have games to play"
    page, event = written(LEAGUE), read(PUBLIC, "events/league-autumn.html")
    for text, section in (page, "season"), (page, "all-time"), (event, "season"):
        assert ["finn benched", "0"] in [row[1:3] for row in cells(text, section)], section
    assert "postponed" in event
    own = read(PUBLIC, "bots/finn.html")
    assert "finn is benched: " in own
    assert "match day 1: " in own
    assert 'href="bots/finn.html"' in page
    assert "benched" in arena("rate", LEAGUE).out
    arena("run", LEAGUE, "-q", "--no-report")
    way = "waits for finn, which is benched: fix it, or end the season with `arena run DIR "
    for words in ("rate", LEAGUE), ("run", LEAGUE, "--plan"):
        told = " ".join(arena(*words).out.split())
        assert way in told
        assert "match day 4" not in told
    page, event = written(LEAGUE), read(PUBLIC, "events/league-autumn.html")
    assert "The season waits for finn, which is benched. All other bots have" in page
    assert "Next: match day" not in page
    assert " leads with" not in event
    assert "share the lead" not in event
    play_nothing(monkeypatch)  # who starts does not matter any more
    run("--retire", "finn")
    season = rated(LEAGUE)["season"]
    assert {row["name"]: row["mark"] for row in season["table"]}["finn"] == "retired"
    run("--season", "Spring", "--match-day")
    season = rated(LEAGUE)["season"]
    assert "finn" not in [row["name"] for row in season["table"]], "it is not entered"
    season = rated(LEAGUE, "--season", "Autumn")["season"]
    assert "finn" in [row["name"] for row in season["table"]]
    assert season["coming"] == []
    run("--season", "Summer", "--match-day", "--retire", "dan")
    assert "dan retired" in [row[1] for row in cells(written(LEAGUE), "all-time")]


ANNOUNCED: Final = """format = "pool"
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


def test_a_season_is_published_before_its_first_game_as_it_will_be_played() -> None:
    LEAGUE.mkdir()
    toml = LEAGUE / "tournament.toml"
    toml.write_text(ANNOUNCED)
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
    toml.write_text(ANNOUNCED.replace("rounds = 2", "rounds = 0"))
    ran = arena("report", LEAGUE, "--site", PUBLIC)
    assert (ran.status, "tournament.toml:4: rounds = 0" in ran.err) == (2, True), ran.err
    toml.write_text(ANNOUNCED)
    run("--match-day")
    assert "Next: match day 2, 2026-10-09" in written(LEAGUE)
    assert [*Path("public/events").iterdir()] == [event], "its address stays"


# One number


def edit(bot: str, level: int) -> None:
    """Make a bot a new version."""
    toml = LEAGUE / "tournament.toml"
    line = f'name = "{bot}"\n'
    now = f"{line}options = {{ level = {level} }}\n"
    toml.write_text(re.sub(rf"{line}(options = .*\n)?", now, read(toml)))


def play(seed: int) -> None:
    """Play a league in which anything may happen between match days."""
    chance, level = random.Random(seed), 1
    first = ["--season", "Autumn", "--match-day"] if seed % 2 else []
    run(*added(4), *TERMS, 1, *first)
    for season in ("Autumn", "Spring") if seed % 3 else ("Autumn",):
        run("--season", season, "--match-day")
        for _ in range(2):
            entered = read(LEAGUE / "tournament.toml")
            match chance.randrange(5):
                case 0:
                    level += 1
                    edit(chance.choice(("ann", "bob")), level)
                case 1 if "eve" not in entered:
                    run("--add", "eve=random", "--match-day")
                case 2 if 'name = "dan"' in entered:
                    run("--retire", "dan", "--match-day")
                case 3:
                    games = arena("select", LEAGUE, "--where", "Number >= 1").out
                    number = chance.choice(re.findall(r'\[Number "(\d+)"\]', games))
                    run("--void", number, "--reason", "power cut")
                case 4:
                    run("--snapshot", f"{season} {chance.random()}")
            run("--match-day")


class Line(NamedTuple):
    """What the index says of an event."""

    title: str
    link: str
    games: int
    bots: int


def count(page: str, word: str) -> int:
    """Return how many of something the lead of a page names."""
    lead = page.partition('<p class="lead"')[2].partition("</p>")[0]
    found = re.search(rf"([\d,]+)\s{word}", lead.replace("\xa0", " "))
    assert found, (word, lead)
    return int(found[1].replace(",", ""))


def rows_of(page: str, section: str) -> list[str]:
    return page.partition(f'<section id="{section}"')[2].partition("</tbody>")[0].split("<tr>")[2:]


def lines(index: str) -> list[Line]:
    """Return the events of an index."""
    found = []
    for row in rows_of(index, "events"):
        ((link, title),) = re.findall(r'<a href="([^"]*)"><bdi>(.*?)</bdi>', row)
        games, bots = re.findall(r'data-label="(?:Games|Bots)"[^>]*>([\d,]+)', row)
        found.append(Line(title, link, int(games), int(bots)))
    return found


@pytest.mark.parametrize("seed", [9, 116])  # in which all of it happens
def test_every_number_of_games_and_bots_is_one_number(seed: int) -> None:
    play(seed)
    snapshots = sorted(Path("league/snapshots").glob("*"))
    for sources in ([LEAGUE, *snapshots], snapshots):
        if sources:
            agree(*sources)


def agree(*sources: Path) -> None:
    ran = arena("report", *sources, "--site", PUBLIC)
    assert ran.status == 0, ran.err
    told = re.search(r"public: (\d+) events?, (\d+) bots?, ([\d,]+) games?", ran.err)
    assert told, ran.err
    of_events, bots, games = (int(one.replace(",", "")) for one in told.groups())
    index = read(PUBLIC, "index.html")
    assert (count(index, "bot"), count(index, "game")) == (bots, games)
    assert count(read(PUBLIC, "head-to-head.html"), "game") == games
    assert len(lines(index)) == of_events
    for line in lines(index):
        page = read(PUBLIC, line.link)
        assert (count(page, "bot"), count(page, "game")) == (line.bots, line.games), line
        for names in re.findall(r"No game of ([^.]*) counts", page):
            for name in names.split(", "):
                assert f"<bdi>{name.split(' v')[0]}</bdi></a></th>" not in page, name
    seats = 0
    for path in (PUBLIC / "bots").iterdir():
        page = read(path)
        if "No game that counts" in page:
            continue
        rows = [
            re.findall(r"<td>([\d,]+)(?: <small>\+|</td>)", row) for row in rows_of(page, "events")
        ]
        assert sum(int(row[0]) for row in rows) == count(page, "game"), path
        seats += count(page, "game")
    table = "".join(rows_of(index, "all-time"))
    played = sum(int(row) for row in re.findall(r"</th><td>(\d+)</td>", table))
    assert (seats, played) == (2 * games, 2 * games)


def test_no_version_lacks_a_game_that_its_bot_has_and_a_result_by_rating_says_so() -> None:
    run(*added(3), *TERMS, 1)
    for level in (2, 3):
        edit("ann", level)
        run()
    run("--void", 1, "--reason", "power cut")
    told = arena("rate", LEAGUE).out
    assert "left out" in told, told
    assert "no game of" not in told
    assert rated(LEAGUE)["unranked"] == []
    run("--add", "eve=random", "--budget", "2")
    assert rated(LEAGUE)["overall"]["rule"] == "rating"
    assert "highest rating, " in written(LEAGUE)


def moves(by: float) -> str:
    """Return how a page writes a change."""
    if not round(by):
        return "±0"
    return f"{'▲' if by > 0 else '▼'} {abs(round(by))} {'up' if by > 0 else 'down'}"


def test_progress_is_that_of_the_season_and_since_last_that_of_the_terminal() -> None:
    words: list[object] = [*added(3), *TERMS, 1]
    for season in ("Autumn", "Spring"):
        run(*words, "--season", season, "--match-day")
        words = []
        outcome = json.loads(read(LEAGUE, "outcome.json"))
        assert (outcome["done"], outcome["total"]) == (2, 6)
        assert ">of 6</span>" in written(LEAGUE)
        page = read(PUBLIC, f"events/league-{season.lower()}.html")
        assert "So far: 2 of 6 games</p>" in page
        if season == "Spring":
            run("--match-day")
            rows = rated(LEAGUE, "--season", "all")["overall"]["rows"]
            moved = {row["name"]: row["moved"] for row in rows}
            assert any(one["elo"] for one in moved.values())
            written(LEAGUE)
            for name, one in moved.items():
                page = read(PUBLIC, f"bots/{name}.html")
                tiles = re.sub("<[^>]*>", "", page.partition("<dl")[2].partition("</dl>")[0])
                assert f"Since the last event{moves(one['elo'])} Elo" in tiles
                rose = f" {moves(one['rank'])}" if one["rank"] else ""
                assert re.search(rf"Rank of \d+\d{rose}\n", tiles)
        run()
        assert "So far" not in arena("report", LEAGUE, "-o", "-").out
    assert "So far" not in arena("report", LEAGUE, "-o", "-", "--season", "Autumn").out


def test_of_events_of_one_day_the_one_that_began_last_is_the_newest() -> None:
    words = ("--bot", "ann=random", "--bot", "bob=random", *TERMS, 1, "-q", "--no-report")
    names = ["b", "c", "a"]
    for minute, name in enumerate(names):
        assert arena("run", "--output", f"cups/{name}", *words).status == 0
        with closing(Store(Path("cups", name))) as store:
            (noted,) = store.note("provenance")
            # The same moment is written otherwise in each time zone.
            noted["date"] = f"2026-11-29T{12 + 3 * minute}:0{minute}:00+0{3 * minute}:00"
            store.keep_notes({"provenance": [noted]})
    told = json.loads(arena("report", "cups", "--no-reports", "--data", "-").out)
    assert [one["name"] for one in told["tournaments"]] == names[::-1]
    assert [line.link for line in lines(written("cups"))] == [
        f"events/{name}.html" for name in names[::-1]
    ]
