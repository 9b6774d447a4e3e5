"""One odd file in a served folder is listed with a reason, and all else is as without it."""

from __future__ import annotations

import json
import os
import tempfile
import threading
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import odd_files
import pytest
from odd_files import CANARY, LISTED, ODD, RECORD, either
from sites import served, until

from lath.arena.site import shelf
from lath.arena.site.shelf import Shelf
from lath.arena.site.standing import SiteStandings
from lath.arena.tournament.store.database import is_being_played

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.slow

NOBODY = 65_534


@contextmanager
def as_anybody() -> Iterator[None]:
    """Be a user who may not read everything, if this one may."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def place() -> Iterator[Path]:
    """A place that anybody may enter; pytest's are for one user."""
    with tempfile.TemporaryDirectory() as made:
        Path(made).chmod(0o755)
        yield Path(made).resolve()
        for path in [*Path(made).rglob("odd"), *Path(made).rglob("odd.*")]:
            if not path.is_symlink():
                path.chmod(0o700)


def lines_of(found: Shelf, *, is_public: bool) -> list[dict[str, Any]]:
    return SiteStandings(is_public, lambda _: False).lines(found.items())


def test_whatever_lies_there_the_rest_is_listed_and_it_with_a_reason(place: Path) -> None:
    wrong = {}
    for number, name in enumerate(ODD):
        folder = place / str(number)
        odd_files.make(folder / "served", folder / "out", name)
        for is_public, is_played in product((False, True), repeat=2):
            with either(folder / "served/odd", is_played=is_played), as_anybody():
                lines = lines_of(Shelf([folder / "served"]), is_public=is_public)
            if not is_listed(lines, ODD[name].reason):
                wrong[name, is_public, is_played] = lines
    assert wrong == {}


def is_listed(lines: list[dict[str, Any]], reason: str | None) -> bool:
    """Return whether the good file is in a list, and the odd one with its reason, or not at all."""
    told = json.dumps(lines, allow_nan=False, ensure_ascii=False).encode()
    good = [line["kind"] for line in lines if line["name"] == "good.lath"]
    odd = [line for line in lines if line["name"] != "good.lath"]
    if reason is None:  # passed by
        expected = not odd
    else:
        expected = (
            len(odd) == 1
            and odd[0]["name"].isprintable()
            and (odd[0]["kind"] != "unreadable") == (reason == LISTED)
            and reason in odd[0].get("reason", "")
        )
    return expected and good == ["records"] and CANARY.encode() not in told


def test_all_odd_files_together_hold_up_neither_a_page_nor_a_stream(place: Path) -> None:
    for number, name in enumerate(ODD):
        odd_files.make(place / f"served/{number:02}", place / "out", name)
        (place / f"served/{number:02}/good.lath").unlink()
    odd_files.make(place / "served", place / "out", "name-not-utf-8", "deep-lists", "pipe")
    for is_public in (True, False):
        with served(place / "served", is_public=is_public) as site:
            home = site.ask("/", **site.cookie)
            items = site.ask("/api/items", **site.cookie)
            assert (home.status, items.status) == (200, 200)
            assert CANARY not in home.text + items.text
            assert "odd.toml</bdi> <span>it is nested too deeply</span>" in home.text
            assert [line["kind"] for line in items.value].count("tournament") > 25
            for number, line in enumerate(items.value):
                if is_public == number % 2:  # reports take long, and half of them tell both
                    report = site.ask(f"/report/{line['key']}", **site.cookie)
                    allowed = (200, 409) if line["kind"] != "unreadable" else (404,)
                    assert report.status in allowed
                    assert CANARY not in report.text
                page = site.ask(f"/t/{line['key']}", **site.cookie)
                is_tournament = line["kind"] == "tournament"
                assert page.status == (200 if is_tournament else 404)
                assert CANARY not in page.text
                if is_tournament:
                    news = site.news(f"/t/{line['key']}/events")
                    assert {next(news)["part"], next(news)["part"]} == {"status", "boards"}
                    news.close()


def test_what_is_gone_when_it_is_looked_at_is_no_matter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "good.lath").write_text(RECORD)
    gone = [("gone", True), ("gone.lath", False), ("gone.toml", False)]
    of = shelf._Entries.of
    monkeypatch.setattr(shelf._Entries, "of", lambda self, *at: [*gone, *of(self, *at)])
    lines = lines_of(Shelf([tmp_path]), is_public=True)
    assert lines[0]["name"] == "good.lath"
    assert {line["kind"] for line in lines[1:]} <= {"unreadable"}


def test_files_that_come_change_and_go_while_they_are_listed_are_no_matter(tmp_path: Path) -> None:
    (tmp_path / "good.lath").write_text(RECORD)
    is_over = threading.Event()

    def change() -> None:
        number = 0
        while not is_over.is_set():
            number += 1
            cup = tmp_path / f"cup{number % 5}"
            cup.mkdir(exist_ok=True)
            (cup / "games.lath").write_text(RECORD)
            (cup / "standings.json").write_text("[" * (number % 9_000))
            (tmp_path / "x.toml").write_text("[[bot]]\n" * (number % 3))
            (tmp_path / "x.toml").replace(tmp_path / "x.lath")
            (tmp_path / "x.lath").unlink()
            for path in cup.iterdir():
                path.unlink()
            cup.rmdir()

    changing = threading.Thread(target=change)
    changing.start()
    try:
        seen = set()
        found = Shelf([tmp_path])
        for _ in range(300):
            found.found_s = None
            lines = lines_of(found, is_public=True)
            assert lines[0]["name"] == "good.lath" or lines[0]["kind"] == "tournament"
            seen |= {line["name"] for line in lines}
    finally:
        is_over.set()
        changing.join()
    assert "good.lath" in seen


def test_more_than_can_be_listed_is_said_to_be_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(30):
        (tmp_path / f"{number:02}.lath").write_text(RECORD)
    monkeypatch.setattr(shelf, "MOST", 20)
    found = Shelf([tmp_path])
    assert (len(found.items()), found.more) == (20, True)
    monkeypatch.setattr(shelf, "MOST", 2_000)
    monkeypatch.setattr(shelf, "MOST_ENTRIES", 25)
    with served(tmp_path, is_public=True) as site:
        assert "This list is incomplete" in site.ask("/").text
        assert len(site.ask("/api/items").value) == 25


def test_no_link_is_followed_that_comes_after_the_list_was_made(place: Path) -> None:
    odd_files.make(here := place / "served", out := place / "out")
    (here / "odd").mkdir()
    changed = {here / "odd.lath": out / "secret.lath", here / "odd/games.lath": out / "games.lath"}
    (out / "games.lath").write_text((out / "secret.lath").read_text())
    for file in changed:
        file.write_text(RECORD)
    (here / "cup.toml").write_text('games = ["yavalath"]\n[[bot]]\nname = "random"\n' * 2)
    with served(here) as site:
        keys = [site.key("odd.lath"), site.key("odd")]
        assert [site.ask(f"/report/{key}", **site.cookie).status for key in keys] == [200, 200]
        for file, target in changed.items():
            file.unlink()
            file.symlink_to(target)
            assert CANARY in file.read_text()
        for key in keys:
            explored = site.post("/api/explore", {"key": key})
            assert "leads out of the folder" in explored.text
            report = site.ask(f"/report/{key}", **site.cookie)
            for answer in (explored, report, site.post(f"/t/{key}/start", {})):
                assert (answer.status in (404, 409), CANARY in answer.text) == (True, False)
        cup = site.key("cup")
        (here / "cup").symlink_to(out / "empty")
        answer = site.post(f"/t/{cup}/start", {})
        assert (answer.status, "leads out of the folder" in answer.text) == (409, True)
        assert site.site.runs.log(here / "cup") == []
        kept = {"game": "yavalath", "kind": "game", "line": [{"move": "e5"}]}
        for target in (out / "new.lath", out / "secret.lath"):
            (here / "played.lath").symlink_to(target)
            answer = site.post("/api/keep", kept)
            assert (answer.value["file"], "1. e5 *" in answer.value["text"]) == ("", True)
            (here / "played.lath").unlink()
    assert [*(out / "empty").iterdir()] == []
    assert not (out / "new.lath").exists()
    assert (out / "secret.lath").read_text().count("[Game") == 1


def test_a_link_to_a_folder_outside_is_named_because_it_is_not_followed(tmp_path: Path) -> None:
    here, out = tmp_path / "served", tmp_path / "out"
    for folder in (out / "cup", here / "deep"):
        folder.mkdir(parents=True)
    (out / "cup/games.lath").write_text(RECORD)
    (here / "inside").symlink_to(here / "deep")
    found = Shelf([here])
    assert (found.items(), found.link) == ((), "")
    (here / "deep/one").symlink_to(out / "cup")
    found = Shelf([here])
    assert (found.items(), found.link) == ((), "deep/one")
    with served(here) as site:
        for page in ("/", "/explore"):
            text = site.ask(page, **site.cookie).text
            assert "does not contain a tournament" in text
            assert "does not follow links to other folders, such as <bdi>deep/one</bdi>" in text
    with served(here, is_public=True) as site:
        assert "deep/one" not in site.ask("/").text


def test_a_pipe_in_the_place_of_a_lock_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "tournament.lock")
    assert not is_being_played(tmp_path)


def test_what_comes_later_is_listed_later(tmp_path: Path) -> None:
    (tmp_path / "good.lath").write_text(RECORD)
    with served(tmp_path) as site:
        assert [line["name"] for line in site.get("/api/items")] == ["good.lath"]
        (tmp_path / "new.lath").write_text(RECORD)
        until(lambda: [line["name"] for line in site.get("/api/items")][1:] == ["new.lath"])
        assert "new.lath" in site.ask("/", **site.cookie).text


def test_no_module_is_taken_from_a_served_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "good.lath").write_text(RECORD)
    (tmp_path / "cup.toml").write_text(
        'games = ["yavalath"]\nrounds = 1\n[time]\nnodes = 1\n[[bot]]\nname = "random"\n'
        '[[bot]]\nname = "greedy"\n'
    )
    for name in ("json.py", "lath.py", "typing_extensions.py", "uvicorn.py"):
        (tmp_path / name).write_text(f"open({str(tmp_path / 'was_run')!r}, 'w')\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    with served(tmp_path) as site:
        assert site.ask(f"/report/{site.key('good.lath')}", **site.cookie).status == 200
        assert site.post(f"/t/{site.key('cup')}/start", {}).status == 200
        until(lambda: not site.site.runs.is_ours(tmp_path / "cup"))
        assert (tmp_path / "cup/games.lath").exists(), site.site.runs.log(tmp_path / "cup")
    assert not (tmp_path / "was_run").exists()
