"""`arena report --site` and `--owner`: a league's folder of pages, and what a bot's owner gets."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator, Sequence
from html.parser import HTMLParser
from itertools import permutations
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from commands import Ran, arena
from places import ROOT, page_text
from planted import pool, secret, secrets_below, secrets_in
from sample_records import HOSTILE_NAMES, random_game

from lath.arena.publishing.pages import MANIFEST
from lath.notation.text.writer import format_record
from lath.reports.event.league import address, addresses

pytestmark = pytest.mark.slow


def cup(folder: Path, names: Sequence[str], date: str = "2026-03-01", seed: int = 0) -> None:
    """Make a tournament's directory of a game of each two bots in both seats."""
    tags: dict[str, Any] = {"Event": f"The {folder.name}", "Date": date}
    pairs = [(one, other) for one in names for other in names if one != other]
    records = [
        random_game("yavalath", seed + n, first=first, second=second, **tags, Number=str(n))
        for n, (first, second) in enumerate(pairs, 1)
    ]
    folder.mkdir(parents=True)
    (folder / "games.lath").write_text("\n".join(map(format_record, records)), encoding="utf-8")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a league of two cups and a pool, and the site that is made of it."""
    home = tmp_path_factory.mktemp("publishing")
    cup(home / "league" / "spring", ("ann", "mine", "rex"))
    cup(home / "league" / "club" / "autumn", ("ann", "mine"), "2026-09-01", seed=50)
    pool(home / "league" / "lab")
    ran = site(home / "league", home / "site", "--title", "Our league")
    assert re.fullmatch(rf"{home}/site: 3 events, 3 bots, 19 games, [\d.]+ [kM]B\n", ran.err)
    return home


@pytest.fixture
def league(made: Path, tmp_path: Path) -> Path:
    """Return a copy of the league; its site is beside it."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return tmp_path / "league"


def site(league: Path, out: Path, *words: object) -> Ran:
    ran = arena("report", league, "--site", out, *words)
    assert ran.status == 0, ran.err
    return ran


def files_in(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


class Links(HTMLParser):
    """The links and ids of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: set[str] = set()
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = dict(attrs)
        if tag == "a":
            self.links.append(told["href"] or "")
        self.ids.add(told.get("id") or "")


def dead_links(folder: Path) -> Iterator[str]:
    """Yield the links of the league's own pages that lead out of the folder, or nowhere."""
    pages = {path.resolve(): Links(path.read_text()) for path in folder.rglob("*.html")}
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            there = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            is_fine = not (parts.scheme or parts.netloc or parts.path.startswith("/"))
            is_game = parts.fragment.partition("=")[0] in ("game", "embed", "games&a")
            is_there = there in pages and (
                is_game or not parts.fragment or parts.fragment in pages[there].ids
            )
            if not (is_fine and is_there):
                yield f"{path.name}: {link}"


# the pages


def test_a_league_has_a_page_of_all_events_and_of_each_bot_and_nothing_private(made: Path) -> None:
    out = made / "site"
    assert list(dead_links(out)) == []
    autumn = [path.name for path in (out / "events").glob("club-*")]
    bots = [f"bots/{name}.html" for name in ("ann", "mine", "rex")]
    events = [f"events/{name}" for name in ("lab.html", "spring.html", *autumn)]
    assert sorted(files_in(out)) == sorted(
        [MANIFEST, ".nojekyll", "index.html", "head-to-head.html", *bots, *events]
    )
    index = (out / "index.html").read_text()
    assert "<h1><bdi>Our league</bdi></h1>" in index
    titles = re.findall(r'href="events/[^"]*"><bdi>([^<]*)', index)
    assert titles == ["Sample", "The autumn", "The spring"], "the newest first"
    html = (out / "bots" / "mine.html").read_text()
    of_events, versions, opponents = (
        html.partition(f'<section id="{part}"')[2].partition("</section>\n</section>")[0]
        for part in ("events", "versions-1", "opponents")
    )
    assert re.findall(r'scope="row">.*?<bdi>([^<]*)', of_events) == titles
    assert re.findall(r'scope="row">.*?>([^<>]+)</bdi>', versions) == ["mine", "mine v2"]
    rows = re.findall(
        r'scope="row">.*?>([^<>]+)</bdi></a></th>.*?–\d+</td><td>(\d+)</td>', opponents
    )
    assert sorted(rows) == [("ann", "11"), ("rex", "2")], "of both versions; one game is void"
    assert 'href="../events/lab.html#games&amp;a=mine' in opponents
    assert secrets_below(out) == set()
    assert secrets_in((made / "league" / "lab" / "games.lath").read_text()), "there are some"
    assert str(made) not in "".join(map(bytes.decode, files_in(out).values()))


def test_changes_in_a_league_are_those_of_its_table_by_the_newest_event(tmp_path: Path) -> None:
    names = ("ann", "bob", "cat", "dan")
    cup(tmp_path / "league" / "spring", names)
    cup(tmp_path / "league" / "summer", names[1:], "2026-06-01", seed=30)
    site(tmp_path / "league", tmp_path / "before")
    cup(tmp_path / "league" / "autumn", (*names, "eve"), "2026-09-01", seed=50)
    site(tmp_path / "league", tmp_path / "now")
    before, now = (rated_in(tmp_path / name / "index.html") for name in ("before", "now"))
    assert now["eve"][2:] == ["new", "new"]
    for name in names:
        rank, elo, rose, gained = now[name]
        assert change_of(rose) == int(before[name][0]) - int(rank)
        assert abs(change_of(gained) - (float(elo) - float(before[name][1]))) <= 1
    assert any(change_of(now[name][2]) for name in names)
    # The results of two bots have an address, which the crosstable and both their pages know.
    pages = {name: (tmp_path / "now" / "bots" / f"{name}.html").read_text() for name in names}
    crosstable = (tmp_path / "now" / "head-to-head.html").read_text()
    for one, other in permutations(names, 2):
        assert f'<tr id="vs-{other}">' in pages[one]
        assert f'href="bots/{one}.html#vs-{other}"' in crosstable
        assert f'href="../bots/{one}.html#vs-{other}"' in pages[other]
    assert list(dead_links(tmp_path / "now")) == []


def rated_in(index: Path) -> dict[str, list[str]]:
    """Return rank, Elo and both changes of each bot in the ratings of a league's first page."""
    shown = index.read_text().partition('id="bots"')[2].replace("−", "-")
    found = {}
    for row in re.findall(r'<tr><td class="rank">.*?</tr>', shown):
        rank, name, _, elo, _, _, *moved = re.sub("<[^>]*>", "", row.replace("</t", "|</t")).split(
            "|"
        )
        named, _, rose = name.partition(" ")
        found[named] = [rank, elo.split()[0], rose or "±0", *moved[:1]]
    return found


def change_of(words: str) -> int:
    """Return the number of a change such as `▲ 2 up`."""
    return 0 if words == "±0" else int(words.split()[1]) * (1 if words[0] == "▲" else -1)


def test_names_become_files_that_any_system_has_and_no_two_share(tmp_path: Path) -> None:
    names = ("../x", "CON", "con", "Ann", "ann", "日本", "日本 ", "a/b", ".", "nul.txt", "-o")
    out, hostile = tmp_path / "site", (*names, *HOSTILE_NAMES)
    cup(tmp_path / "league" / "cup", hostile)
    site(tmp_path / "league", out)
    bots = [path for path in files_in(out) if path.startswith("bots/")]
    assert len(bots) == len({path.casefold() for path in bots}) == len(hostile)
    assert all(re.fullmatch(r"bots/[a-z0-9][a-z0-9-]{0,60}\.html", path) for path in bots)
    assert {"bots/ann.html"} == {path for path in bots if "-" not in path} - {"bots/con.html"} - {
        f"bots/{address(name)}.html" for name in hostile if name != "ann"
    }
    assert list(dead_links(out)) == []
    assert "<script>alert" not in (out / "index.html").read_text()
    forged = address("Ann")
    found = addresses(["Ann", forged, "ann"])
    assert (found[forged], found["ann"], len(set(found.values()))) == (forged, "ann", 3)


# written again


def test_the_same_league_gives_the_same_bytes_and_touches_nothing(
    league: Path, tmp_path: Path
) -> None:
    out = tmp_path / "site"
    before = files_in(out)
    for path in out.rglob("*.html"):
        os.utime(path, (1000, 1000))
    site(league, out, "--title", "Our league")
    assert files_in(out) == before
    assert {path.stat().st_mtime for path in out.rglob("*.html")} == {1000}
    cup(league / "new", ("ann", "rex"))
    (league / "lab" / "tournament.db").write_bytes(b"no database" * 99)
    (league / "lab" / "games.lath").unlink()
    assert arena("report", league, "--site", out).status == 1
    assert files_in(out) == before, "a damaged event leaves the site as it was"


def test_pages_of_what_is_gone_go_and_no_other_file(league: Path, tmp_path: Path) -> None:
    out = tmp_path / "site"
    (out / "CNAME").write_text("bots.example.org")
    (out / "bots" / "notes.html").write_text("mine")
    victim = tmp_path / "victim.html"
    victim.write_text("x")
    told = json.loads((out / MANIFEST).read_text())
    told["files"]["../victim.html"] = told["files"]["bots/../../victim.html"] = "0" * 64
    (out / MANIFEST).write_text(json.dumps(told))
    (league / "spring" / "games.lath").unlink()
    autumn = next((out / "events").glob("club-*"))
    site(league, out)
    assert not (out / "events" / "spring.html").exists()
    assert not (out / "bots" / "rex.html").exists()
    stay = (autumn, out / "CNAME", out / "bots" / "notes.html", victim)
    assert all(path.exists() for path in stay)
    autumn.write_text("edited by hand")
    (league / "club" / "autumn" / "games.lath").unlink()
    assert f"{autumn}: kept, because it was changed by hand" in site(league, out).err
    assert autumn.read_text() == "edited by hand"


def test_no_page_of_anybody_else_is_written_over_and_no_flag_of_a_page_is_taken(
    league: Path, tmp_path: Path
) -> None:
    out = tmp_path / "homepage"
    out.mkdir()
    (out / "index.html").write_text("<title>My homepage</title>")
    ran = arena("report", league, "--site", out)
    assert (ran.status, list(files_in(out))) == (2, ["index.html"])
    assert "was not written by arena" in ran.err
    ran = arena("report", league, "--site", league / "lab")
    assert (ran.status, "is the folder of a tournament" in ran.err) == (2, True)
    for words in (("-o", "x.html"), ("--data", "-"), ("--watch",), ("--owner", "mine")):
        ran = arena("report", league, "--site", tmp_path / "none", *words)
        assert (ran.status, "cannot be combined with" in ran.err) == (2, True), words
    assert not (tmp_path / "none").exists()


def test_the_example_of_a_workflow_publishes_what_is_written() -> None:
    text = (ROOT / "examples" / "pages" / "league.yml").read_text()
    (command,) = re.findall(r"run: (arena report .*)", text)
    out = command.split("--site ")[1].split()[0]
    assert f"path: {out}\n" in text
    assert command in page_text("publish-results")


# what a bot's owner gets


def test_the_owner_gets_its_logs_faults_and_command_and_nobody_elses(
    made: Path, tmp_path: Path
) -> None:
    out = tmp_path / "private"
    ran = arena("report", made / "league" / "lab", "--owner", "mine", "-o", out)
    assert (ran.status, ran.err) == (0, f"{out}: logs of 2 games of mine\n")
    files = {name: content.decode() for name, content in files_in(out).items()}
    assert sorted(files) == [
        *("bot.json", "build-mine.log", "faults.json", "game-1.log", "game-2.log")
    ]
    text = "".join(files.values())
    assert "all is well here" not in text, "which is what ann wrote"
    assert secrets_in(text) >= {"command", "stderr", "complaint", "crash", "log"}
    faults = json.loads(files["faults.json"])
    assert [(one["number"], one["bot"], one["log"]) for one in faults] == [
        *((1, "mine", "game-1.log"), (2, "mine v2", "game-2.log"))
    ]
    assert files["game-1.log"].splitlines()[2:6] == [
        "",
        "    0.100000 > go 1",
        f"    0.200000 < info text {secret('log')}",
        "",
    ]
    told = json.loads(files["bot.json"])
    assert [one["name"] for one in told["versions"]] == ["mine", "mine v2"]
    assert {one["name"] for key in ("played", "begun") for one in told[key]} == {"mine", "mine v2"}
    assert out.stat().st_mode & 0o077 == 0


def test_an_opponent_gets_nothing_of_who_crashed_and_who_has_no_logs_is_told_so(
    made: Path, tmp_path: Path
) -> None:
    lab, out = made / "league" / "lab", tmp_path / "private"
    assert arena("report", lab, "--owner", "ann", "-o", out).status == 0
    logs = "".join(path.read_text() for path in out.iterdir() if path.suffix == ".log")
    assert ("all is well here" in logs, secrets_in(logs)) == (True, set())
    assert json.loads((out / "faults.json").read_text()) == []
    quiet = pool(tmp_path / "quiet", broken=())
    (quiet / "logs" / "build-mine.log").unlink()
    for source, owner, status, words in (
        (lab, "nobody", 2, "has no bot 'nobody'; its bots: ann, mine, mine v2"),
        (lab.parent / "spring", "mine", 1, "has no logs, because"),
        (quiet, "mine", 1, "no logs of mine are kept"),
    ):
        ran = arena("report", source, "--owner", owner, "-o", tmp_path / "none")
        assert (ran.status, words in ran.err) == (status, True), ran.err
    assert not (tmp_path / "none").exists()
