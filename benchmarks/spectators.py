"""What spectators of a live site cost the run that they watch.

    python benchmarks/spectators.py [--spectators 100] [--games 2000] [--runs 5] [--bot random]

A tournament is played on one core, a public site of its directory and the spectators, who are sent
an update a second at most, are on another; by turns with nobody watching. Prints games a second of
both, the loss pair by pair, what the site has held of memory in each quarter of a run, and how many
updates a spectator got. Bots: `random`, which answers at once, so that what is written for
spectators weighs most, or any others that are bundled.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import selectors
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PATIENCE_S = 20.0


def arena(core: int, *words: object) -> list[str]:
    """Return a command of ours that stays on a core, of the two."""
    cores = sorted(os.sched_getaffinity(0))
    pinned = ["taskset", "-c", str(cores[core % len(cores)])]
    return [*pinned, sys.executable, "-m", "lath.arena", *map(str, words)]


def played_s(*words: object) -> float:
    """Play on the first core; return how long that took."""
    began_s = time.perf_counter()
    command = arena(0, "run", *words, "--no-report", "-q")
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - began_s


class Site:
    """A public site of a folder, on the second core."""

    def __init__(self, folder: Path) -> None:
        self._process = subprocess.Popen(
            arena(1, "serve", folder, "--port", "0", "--public-read-only"),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert self._process.stdout is not None
        self.port = int(self._process.stdout.readline().rstrip("/\n").rpartition(":")[2])

    def key(self) -> str:
        """Return what the one tournament there is called."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        until_s = time.monotonic() + PATIENCE_S
        while time.monotonic() < until_s:
            connection.request("GET", "/api/items")
            if items := json.loads(connection.getresponse().read()):
                return str(items[0]["key"])
            time.sleep(0.1)
        raise SystemExit("the site shows no tournament")

    def mb(self) -> float:
        """Return what it has in memory."""
        status = Path(f"/proc/{self._process.pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0]) / 1024

    def close(self) -> None:
        """End it."""
        self._process.send_signal(signal.SIGINT)
        self._process.wait(PATIENCE_S)


def watch(folder: Path, spectators: int, pipe: int) -> None:
    """Look on until the pipe is closed; write there what was seen. Runs in a process of its own."""
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    site = Site(folder)
    key = site.key()
    selector = selectors.DefaultSelector()
    for _ in range(spectators):
        connection = http.client.HTTPConnection("127.0.0.1", site.port, timeout=PATIENCE_S)
        connection.request("GET", f"/t/{key}/events")
        assert connection.sock is not None
        connection.sock.setblocking(False)
        selector.register(connection.sock, selectors.EVENT_READ, connection)
    os.write(pipe, b"watching\n")
    updates, held = 0, [site.mb()]
    began_s = looked_s = time.monotonic()
    while not Path(folder, "over").exists() and time.monotonic() < began_s + 600:
        for key_, _ in selector.select(0.2):
            updates += key_.fileobj.recv(1 << 16).count(b"data: ")  # type: ignore[union-attr]
        if time.monotonic() - looked_s > 1:
            looked_s = time.monotonic()
            held.append(site.mb())
    watched_s = time.monotonic() - began_s
    site.close()
    quarters = [held[len(held) * part // 4] for part in range(4)] + held[-1:]
    told = " ".join(f"{mb:.1f}" for mb in quarters)
    os.write(pipe, f"{updates / spectators / watched_s:.2f} {told}\n".encode())


def watched(games: int, bot: str, spectators: int) -> tuple[float, str]:
    """Return how long a tournament took, and what its spectators saw."""
    with tempfile.TemporaryDirectory() as home:
        folder, cup = Path(home), Path(home) / "cup"
        bots = ["--bot", f"one={bot}", "--bot", f"other={bot}", "--game", "yavalath"]
        more = ["--jobs", 1, "--openings", "random:0", "--tc", "60+1"]
        played_s("--output", cup, *bots, *more, "--rounds", 1)  # so that there is one to watch
        config = cup / "tournament.toml"
        config.write_text(config.read_text().replace("rounds = 1\n", f"rounds = {games // 2}\n"))
        if not spectators:
            return played_s(cup), ""
        ours, theirs = os.pipe()
        if (child := os.fork()) == 0:
            watch(folder, spectators, theirs)
            os._exit(0)
        assert os.read(ours, 100) == b"watching\n"
        took_s = played_s(cup)
        (folder / "over").touch()
        seen = os.read(ours, 1000).decode().strip()
        os.waitpid(child, 0)
        return took_s, seen


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--spectators", type=int, default=100)
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--bot", default="random")
    asked = parser.parse_args()
    losses = []
    for run in range(asked.runs):
        order = (0, asked.spectators) if run % 2 else (asked.spectators, 0)
        took = {count: watched(asked.games, asked.bot, count) for count in order}
        alone, seen = took[0][0], took[asked.spectators]
        losses.append(100 * (1 - alone / seen[0]))
        updates, *held = seen[1].split()
        print(
            f"run {run + 1}: {asked.games / alone:.1f} games/s alone, {asked.games / seen[0]:.1f} "
            f"with {asked.spectators} spectators: loss {losses[-1]:.1f} %; {updates} updates a "
            f"second each; site {' '.join(held)} MB"
        )
    print(
        f"loss: median {statistics.median(losses):.1f} % ({min(losses):.1f} to {max(losses):.1f}) "
        f"of {asked.runs} runs"
    )


if __name__ == "__main__":
    main()
