"""`arena report --site` and `--owner`: a league's folder of pages, and what a bot's owner gets."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Sequence
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from commands import Ran, arena
from places import ROOT
from planted import pool, secret, secrets_below, secrets_in
from sample_records import HOSTILE_NAMES, random_game

from lath.arena.tournament.pages import MANIFEST
from lath.notation.record import Record
from lath.notation.writer import format_record
from lath.reports.league import address, addresses

pytestmark = pytest.mark.slow


def cup(folder: Path, names: Sequence[str], date: str = "2026-03-01", seed: int = 0) -> Path:
    """Make a tournament's directory of a game of each two bots in both seats."""
    pairs = [(one, other) for one in names for other in names if one != other]
    records: list[Record] = [
        random_game(
            "yavalath",
            seed + number,
            first=first,
            second=second,
            Event=f"The {folder.name}",
            Date=date,
            Number=str(number),
        )
        for number, (first, second) in enumerate(pairs, 1)
    ]
    folder.mkdir(parents=True)
    (folder / "games.lath").write_text("\n".join(map(format_record, records)), encoding="utf-8")
    return folder


@pytest.fixture
def league(tmp_path: Path) -> Path:
    """A league of two cups and a pool."""
    folder = tmp_path / "league"
    cup(folder / "spring", ("ann", "mine", "rex"))
    cup(folder / "club" / "autumn", ("ann", "mine"), "2026-09-01", seed=50)
    pool(folder / "lab")
    return folder


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


def test_a_league_is_a_page_of_all_one_a_bot_and_the_report_of_each_event(
    league: Path, tmp_path: Path
) -> None:
    out = tmp_path / "site"
    ran = site(league, out, "--title", "Our league")
    events = ["club-autumn-" + address("club/autumn")[-12:], "lab", "spring"]
    assert sorted(files_in(out)) == sorted(
        [
            *(MANIFEST, ".nojekyll", "index.html", "head-to-head.html"),
            *(f"bots/{name}.html" for name in ("ann", "mine", "rex")),
            *(f"events/{name}.html" for name in events),
        ]
    )
    assert re.fullmatch(rf"{out}: 3 events, 3 bots, 19 games, [\d.]+ [kM]B\n", ran.err)
    assert list(dead_links(out)) == []
    index = (out / "index.html").read_text()
    assert "<h1><bdi>Our league</bdi></h1>" in index
    titles = re.findall(r'href="events/[^"]*"><bdi>([^<]*)', index)
    assert titles == ["Sample", "The autumn", "The spring"], "the newest first"


def test_a_bots_page_has_its_versions_events_and_opponents(league: Path, tmp_path: Path) -> None:
    site(league, tmp_path / "site")
    html = (tmp_path / "site" / "bots" / "mine.html").read_text()
    events, versions, opponents = (
        html.partition(f'<section id="{part}"')[2].partition("</section>\n</section>")[0]
        for part in ("events", "versions-1", "opponents")
    )
    titles = re.findall(r'scope="row">.*?<bdi>([^<]*)', events)
    assert titles == ["Sample", "The autumn", "The spring"]
    names = re.findall(r'scope="row">.*?>([^<>]+)</bdi>', versions)
    assert names == ["mine", "mine v2"]
    rows = re.findall(r'scope="row">.*?>([^<>]+)</bdi></a></th><td>(\d+)', opponents)
    assert sorted(rows) == [("ann", "11"), ("rex", "2")], "of both versions; one game is void"
    assert 'href="../events/lab.html#games&amp;a=mine' in opponents


def test_a_site_has_nothing_private(league: Path, tmp_path: Path) -> None:
    site(league, tmp_path / "site")
    assert secrets_below(tmp_path / "site") == set()
    assert secrets_in((league / "lab" / "games.lath").read_text()), "there are some"
    assert str(tmp_path) not in "".join(map(bytes.decode, files_in(tmp_path / "site").values()))


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


def test_an_address_that_somebody_forged_takes_nobody_elses_place() -> None:
    forged = address("Ann")
    found = addresses(["Ann", forged, "ann"])
    assert (found[forged], found["ann"]) == (forged, "ann")
    assert len(set(found.values())) == 3


# written again


def test_the_same_league_gives_the_same_bytes_and_touches_nothing(
    league: Path, tmp_path: Path
) -> None:
    out = tmp_path / "site"
    site(league, out)
    before = files_in(out)
    for path in out.rglob("*.html"):
        os.utime(path, (1000, 1000))
    site(league, out)
    assert files_in(out) == before
    assert {path.stat().st_mtime for path in out.rglob("*.html")} == {1000}


def test_pages_of_what_is_gone_go_and_no_other_file(league: Path, tmp_path: Path) -> None:
    out = tmp_path / "site"
    site(league, out)
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
    assert autumn.exists()
    assert (out / "CNAME").exists()
    assert (out / "bots" / "notes.html").exists()
    assert victim.exists()
    autumn.write_text("edited by hand")
    (league / "club" / "autumn" / "games.lath").unlink()
    assert f"{autumn} stays: somebody has changed it" in site(league, out).err
    assert autumn.read_text() == "edited by hand"


def test_no_page_of_anybody_else_is_written_over(league: Path, tmp_path: Path) -> None:
    out = tmp_path / "site"
    out.mkdir()
    (out / "index.html").write_text("<title>My homepage</title>")
    ran = arena("report", league, "--site", out)
    assert (ran.status, list(files_in(out))) == (2, ["index.html"])
    assert "no page of ours" in ran.err
    ran = arena("report", league, "--site", league / "lab")
    assert (ran.status, "is a tournament" in ran.err) == (2, True)


def test_a_damaged_event_leaves_the_site_as_it_was(league: Path, tmp_path: Path) -> None:
    out = tmp_path / "site"
    site(league, out)
    before = files_in(out)
    cup(league / "new", ("ann", "rex"))
    (league / "lab" / "tournament.db").write_bytes(b"no database" * 99)
    (league / "lab" / "games.lath").unlink()
    ran = arena("report", league, "--site", out)
    assert ran.status == 1
    assert files_in(out) == before


def test_a_site_takes_no_flags_of_a_page(league: Path, tmp_path: Path) -> None:
    for words in (("-o", "x.html"), ("--data", "-"), ("--watch",), ("--owner", "mine")):
        ran = arena("report", league, "--site", tmp_path / "site", *words)
        assert (ran.status, "exclude each other" in ran.err) == (2, True), words
    assert not (tmp_path / "site").exists()


def test_the_example_of_a_workflow_publishes_what_is_written() -> None:
    text = (ROOT / "examples" / "pages" / "league.yml").read_text()
    (command,) = re.findall(r"run: (arena report .*)", text)
    out = command.split("--site ")[1].split()[0]
    assert f"path: {out}\n" in text
    assert command in (ROOT / "docs" / "publishing.md").read_text()


# what a bot's owner gets


def test_the_owner_gets_its_logs_faults_and_command_and_nobody_elses(
    league: Path, tmp_path: Path
) -> None:
    out = tmp_path / "private"
    ran = arena("report", league / "lab", "--owner", "mine", "-o", out)
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


def test_an_opponent_gets_nothing_of_who_crashed(league: Path, tmp_path: Path) -> None:
    out = tmp_path / "private"
    assert arena("report", league / "lab", "--owner", "ann", "-o", out).status == 0
    logs = [path for path in out.iterdir() if path.suffix == ".log"]
    assert "all is well here" in "".join(path.read_text() for path in logs)
    assert secrets_in("".join(path.read_text() for path in logs)) == set()
    assert json.loads((out / "faults.json").read_text()) == []


def test_who_is_not_there_or_has_no_logs_is_told_so(league: Path, tmp_path: Path) -> None:
    out = tmp_path / "private"
    ran = arena("report", league / "lab", "--owner", "nobody", "-o", out)
    assert (ran.status, "has no bot 'nobody'; its bots: ann, mine, mine v2" in ran.err) == (2, True)
    ran = arena("report", league / "spring", "--owner", "mine", "-o", out)
    assert (ran.status, "no logs are kept in" in ran.err) == (1, True)
    quiet = pool(tmp_path / "quiet", broken=())
    (quiet / "logs" / "build-mine.log").unlink()
    ran = arena("report", quiet, "--owner", "mine", "-o", out)
    assert ran.status == 1
    assert "no logs of mine are kept" in ran.err
    assert not out.exists()
