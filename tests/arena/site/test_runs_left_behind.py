"""A site that is killed leaves its run playing, and the next site can stop it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import pytest
from sites import Served, a_long_cup, served, until

from lath.arena.site.guard import SiteKeys
from lath.arena.site.runs import Process, _Notes, process_of
from lath.arena.tournament.store.database import is_being_played

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.slow


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    yield (folder := a_long_cup(tmp_path))
    if (found := _Notes().read(folder / "long")) is not None:
        found[0].interrupt()  # a test has failed
        until(lambda: not found[0].goes_on)


def started(folder: Path) -> subprocess.Popen[str]:
    """Return a site in a process of its own that has started the tournament, which is played."""
    command = [sys.executable, "-m", "lath.arena", "serve", str(folder), "--port", "0"]
    site = subprocess.Popen(
        [*command, "--no-browser"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert site.stdout is not None
    address = urlsplit(site.stdout.readline())
    (token,) = parse_qs(address.query.strip())["token"]
    with served(folder) as other:
        key = other.key("long")
    keys, there = SiteKeys(token), Served(None, address.port or 0, None)  # type: ignore[arg-type]
    sent = {
        "Cookie": f"lath-arena={keys.cookie}",
        "Lath-Secret": keys.secret,
        "Origin": there.address,
        "Content-Type": "application/json",
    }
    answer = there.ask_outside(f"{keys.root}/t/{key}/start", "POST", "{}", **sent)
    assert answer.status == 200
    until(lambda: is_being_played(folder / "long") and (folder / "long/live/status.json").exists())
    return site


def test_the_next_site_finds_the_run_of_one_that_was_killed_and_stops_it(folder: Path) -> None:
    with started(folder) as site:
        with served(folder) as other:  # both are there
            key = other.key("long")
            assert not other.get("/api/items")[0]["is_ours"]
            assert "started elsewhere" in other.post(f"/t/{key}/stop", {}).value["error"]
        site.kill()
        site.wait()
        assert is_being_played(folder / "long")
        state = folder.parent / "state/lath-arena/runs"
        for mode, is_ours in ((0o777, False), (0o700, True)):  # notes that others may write
            state.chmod(mode)
            with served(folder) as other:
                line = other.get("/api/items")[0]
                assert (line["is_playing"], line["is_ours"]) == (True, is_ours)
        with served(folder) as other:
            assert "already running" in other.post(f"/t/{key}/start", {}).value["error"]
            assert other.post(f"/t/{key}/stop", {}).status == 200
            until(lambda: not is_being_played(folder / "long"))
            until(lambda: "resume with" in " ".join(other.site.runs.log(folder / "long")))
            assert (
                "this tournament is not running" in other.post(f"/t/{key}/stop", {}).value["error"]
            )
    done = json.loads((folder / "long/outcome.json").read_bytes())["done"]
    assert done < 100_000


@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_site_that_is_asked_to_end_leaves_nothing_behind(
    folder: Path, kind: signal.Signals
) -> None:
    with started(folder) as site:
        site.send_signal(kind)
        site.wait()
        assert not is_being_played(folder / "long")
        assert (folder / "long/games.lath").exists()


def test_a_process_is_not_taken_for_an_earlier_one_of_its_number() -> None:
    with subprocess.Popen(["sleep", "600"]) as other:
        known = process_of(other.pid)
        assert known is not None
        assert known.goes_on
        for wrong in (Process(other.pid, "at another time"), Process(2**22 + 1, known.began)):
            assert not wrong.goes_on
            wrong.interrupt()
        assert other.poll() is None
        known.interrupt()
        assert other.wait() == -signal.SIGINT
    assert process_of(other.pid) is None
    assert not known.goes_on
    assert process_of(os.getpid()) is not None
