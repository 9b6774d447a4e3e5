"""One number of a thing: index, event pages, bots' pages, head to head and terminal all agree.

Over leagues by chance: seasons, edited, benched, retired and late bots, void games and snapshots.
"""

from __future__ import annotations

import json
import random
import re
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest
from commands import arena
from quick_runs import play_nothing

from lath.arena.tournament.store import Store
from lath.reports.page.views import signed

LEAGUE = Path("league")
BOTS = ("ann", "bob", "cat", "dan", "eve")


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    play_nothing(monkeypatch)


def run(*words: object) -> str:
    ran = arena("run", LEAGUE, *words, "-q", "--no-report")
    assert ran.status == 0, ran.err
    return ran.err


def edit(bot: str, level: int) -> None:
    """Make a bot a new version."""
    toml = LEAGUE / "tournament.toml"
    line = f'name = "{bot}"\n'
    now = f"{line}options = {{ level = {level} }}\n"
    toml.write_text(re.sub(rf"{line}(options = .*\n)?", now, read(toml)))


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def play(seed: int) -> None:
    """Play a league in which anything may happen between match days."""
    chance = random.Random(seed)
    added = [word for name in BOTS[:4] for word in ("--add", f"{name}=random")]
    more = ("--game", "yavalath", "--tc", "move 1", "--rounds", chance.choice((1, 2)))
    first = ["--season", "Autumn"] if seed % 2 else []
    run(*added, *more, *first, *(["--match-day"] if first else []))
    level = 1
    for season in ("Autumn", "Spring") if seed % 3 else ("Autumn",):
        run("--season", season, "--match-day")
        for _ in range(2):
            match chance.randrange(5):
                case 0:
                    level += 1
                    edit(chance.choice(("ann", "bob")), level)
                case 1 if "eve" not in read(LEAGUE / "tournament.toml"):
                    run("--add", "eve=random", "--match-day")
                case 2 if 'name = "dan"' in read(LEAGUE / "tournament.toml"):
                    run("--retire", "dan", "--match-day")
                case 3:
                    number = chance.choice(numbers())
                    run("--void", number, "--reason", "power cut")
                case 4:
                    name = f"{season} {chance.random()}"
                    assert arena("run", LEAGUE, "--snapshot", name).status == 0
            run("--match-day")


def numbers() -> list[int]:
    """Return the numbers of the games."""
    text = arena("select", LEAGUE, "--where", "Number >= 1").out
    return [int(number) for number in re.findall(r'\[Number "(\d+)"\]', text)]


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


def lines(index: str) -> list[Line]:
    """Return the events of an index."""
    body = index.partition('<section id="events"')[2].partition("</tbody>")[0]
    found = []
    for row in body.split("<tr>")[2:]:
        found_link = re.findall(r'<a href="([^"]*)"><bdi>(.*?)</bdi>', row)
        assert found_link, row
        link, title = found_link[0]
        games, bots = re.findall(r'data-label="(?:Games|Bots)"[^>]*>([\d,]+)', row)
        found.append(Line(title, link, int(games), int(bots)))
    return found


@pytest.mark.parametrize("seed", range(6))
def test_every_number_of_games_and_bots_is_one_number(seed: int) -> None:
    play(seed)
    snapshots = sorted(Path("league/snapshots").glob("*"))
    for sources in ([LEAGUE], [LEAGUE, *snapshots], [*snapshots, LEAGUE][:1], snapshots):
        if sources:
            agree(*sources)


def agree(*sources: Path) -> None:
    ran = arena("report", *sources, "--site", "public")
    assert ran.status == 0, ran.err
    told = re.search(r"public: (\d+) events?, (\d+) bots?, ([\d,]+) games?", ran.err)
    assert told, ran.err
    events, bots, games = (int(one.replace(",", "")) for one in told.groups())
    index, meetings = read(Path("public/index.html")), read(Path("public/head-to-head.html"))
    assert (count(index, "bot"), count(index, "game")) == (bots, games)
    assert count(meetings, "game") == games
    of_events = lines(index)
    assert len(of_events) == events
    for line in of_events:
        page = read(Path("public", line.link))
        assert (count(page, "bot"), count(page, "game")) == (line.bots, line.games), line
        assert_names_the_uncounted(page)
    seats = 0
    for path in Path("public/bots").iterdir():
        page = read(path)
        if "No game that counts" in page:
            continue
        body = page.partition('<section id="events"')[2].partition("</tbody>")[0]
        in_table = body.split("<tr>")[2:]
        rows = [re.findall(r"<td>([\d,]+)(?: <small>\+|</td>)", row) for row in in_table]
        assert sum(int(row[0]) for row in rows) == count(page, "game"), path
        seats += count(page, "game")
    assert seats == 2 * games
    table = index.partition('<section id="all-time"')[2].partition("</tbody>")[0]
    assert sum(int(row) for row in re.findall(r"</th><td>(\d+)</td>", table)) == 2 * games


def assert_names_the_uncounted(page: str) -> None:
    """Assert that who is said to have no game that counts has no row."""
    for names in re.findall(r"No game of ([^.]*) counts", page):
        for name in names.split(", "):
            assert f"<bdi>{name.split(' v')[0]}</bdi></a></th>" not in page, name


def test_no_version_is_said_to_have_no_game_that_its_bot_has() -> None:
    run(
        *(word for name in BOTS[:3] for word in ("--add", f"{name}=random")),
        "--game",
        "yavalath",
        "--tc",
        "move 1",
        "--rounds",
        1,
    )
    for level in (2, 3):
        edit("ann", level)
        run()
    run("--void", 1, "--reason", "power cut")
    told = arena("rate", LEAGUE).out
    assert "left out" in told, told
    assert "no game of" not in told
    assert json.loads(arena("rate", LEAGUE, "--json").out)["unranked"] == []


def test_progress_is_that_of_the_season() -> None:
    added = [word for name in BOTS[:4] for word in ("--add", f"{name}=random")]
    more: tuple[object, ...] = ("--game", "yavalath", "--tc", "move 1", "--rounds", 2)
    for season in ("Autumn", "Spring"):
        run(*added, *more, "--season", season, "--match-day")
        added, more = [], ()
        assert json.loads(read(LEAGUE / "outcome.json"))["done"] == 8
        assert json.loads(read(LEAGUE / "outcome.json"))["total"] == 24
        assert arena("report", LEAGUE, "--site", "public").status == 0
        assert ">of 24</span>" in read(Path("public/index.html"))
        page = read(Path(f"public/events/league-{season.lower()}.html"))
        assert "So far: 8 of 24 games</p>" in page
        run()
        assert "So far" not in arena("report", LEAGUE, "-o", "-").out
    assert "So far" not in arena("report", LEAGUE, "-o", "-", "--season", "Autumn").out


def test_a_result_by_rating_says_so() -> None:
    added = [word for name in BOTS[:3] for word in ("--add", f"{name}=random")]
    run(*added, "--game", "yavalath", "--tc", "move 1", "--rounds", 4)
    run("--add", "eve=random", "--budget", "2")
    assert json.loads(arena("rate", LEAGUE, "--json").out)["overall"]["rule"] == "rating"
    assert arena("report", LEAGUE, "--site", "public").status == 0
    assert "first by rating, " in read(Path("public/index.html"))


def test_of_events_of_one_day_the_one_that_began_last_is_the_newest() -> None:
    words = ("--bot", "ann=random", "--bot", "bob=random", "--game", "yavalath", "--tc", "move 1")
    names = ["b", "c", "a"]
    for minute, name in enumerate(names):
        assert arena("run", "--out", f"cups/{name}", *words, "-q", "--no-report").status == 0
        with closing(Store(Path("cups", name))) as store:
            (played,) = store.note("provenance")
            # The same moment is written otherwise in each time zone.
            played["date"] = f"2026-11-29T{12 + 3 * minute}:0{minute}:00+0{3 * minute}:00"
            store.keep_notes({"provenance": [played]})
    told = json.loads(arena("report", "cups", "--no-reports", "--data", "-").out)
    assert [one["name"] for one in told["tournaments"]] == names[::-1]
    assert arena("report", "cups", "--site", "public").status == 0
    links = [line.link for line in lines(read(Path("public/index.html")))]
    assert links == [f"events/{name}.html" for name in names[::-1]]


def test_since_last_is_the_same_on_the_index_and_in_the_terminal() -> None:
    added = [word for name in BOTS[:4] for word in ("--add", f"{name}=random")]
    run(*added, "--game", "yavalath", "--tc", "move 1", "--rounds", 2, "--season", "Autumn")
    for _ in range(2):
        run("--season", "Spring", "--match-day")
    told = json.loads(arena("rate", LEAGUE, "--json", "--season", "all").out)["overall"]["rows"]
    moved = {row["name"]: row["moved"] for row in told}
    assert any(one["elo"] for one in moved.values())
    assert arena("report", LEAGUE, "--site", "public").status == 0
    for name, one in moved.items():
        page = read(Path(f"public/bots/{name}.html"))
        assert f"<dd>{signed(one['elo'])} <small>Elo, rank {signed(one['rank'])}</small>" in page
