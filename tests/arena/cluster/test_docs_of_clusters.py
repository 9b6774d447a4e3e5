"""An organiser follows run-on-several-machines.md, from certificates to games."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import commands
import dask.config
import distributed  # noqa: F401 - it has the defaults of what is set
import pytest
from clusters import HOST, OTHER_HOST, hosts_of, until
from distributed.cli import dask_scheduler, dask_ssh, dask_worker
from places import ROOT, page_text
from processes import PATIENCE_S
from tools import needs

from lath.arena.sandbox.bubblewrap import why_not
from lath.arena.sandbox.limits import die_with

pytestmark = pytest.mark.slow

PAGE = page_text("run-on-several-machines")
SERVICE = (ROOT / "examples" / "cluster" / "dask-worker.service").read_text(encoding="utf-8")
MANIFEST = (ROOT / "examples" / "cluster" / "arena.yaml").read_text(encoding="utf-8")
CERTIFICATES, CONFIGURATION = re.findall(r"^```sh\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
SCHEDULER, WORKER, RUNNER = (
    next(re.finditer(rf"^{who}\$ /opt/arena/bin/(.*)$", PAGE, re.MULTILINE))[1]
    for who in ("scheduler", "worker1", "runner")
)


def lines_of_dask() -> Iterator[list[str]]:
    """Yield the words after `dask` of all commands of the page, the service and the manifest."""
    typed_ones = r"\bdask ((?:scheduler|worker|ssh) (?:-|tls:).*?)(?:;|$)"
    yield from map(shlex.split, re.findall(typed_ones, PAGE + SERVICE, re.MULTILINE))
    for inner in re.findall(r"args: \[dask, (.*)\]", MANIFEST):
        yield [word.strip('"') for word in inner.split(", ")]


@pytest.mark.parametrize("words", list(lines_of_dask()), ids=" ".join)
def test_dask_takes_the_commands_of_the_page(words: list[str]) -> None:
    command = {"scheduler": dask_scheduler.main, "worker": dask_worker.main, "ssh": dask_ssh.main}
    command[words[0]].make_context(words[0], words[1:])  # raises for what it does not know


def test_the_program_for_slurm_is_python() -> None:
    program = ROOT / "examples" / "cluster" / "slurm.py"
    compile(program.read_text(encoding="utf-8"), program.name, "exec")


def typed(commands_: str, home: Path) -> None:
    """Have a shell run what stands on the page, as the user of a home folder."""
    home.mkdir(exist_ok=True)
    env = {**os.environ, "HOME": str(home)}
    subprocess.run(["sh", "-e", "-c", commands_], env=env, cwd=home, check=True, timeout=PATIENCE_S)


@contextmanager
def started(line: str, home: Path, *more: str) -> Iterator[None]:
    """Run a `dask` command of the page as the user of a home folder; it ends with the block."""
    _, what, *words = shlex.split(line)
    with (home / "said.txt").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", f"distributed.cli.dask_{what}", *words, *more],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env={**os.environ, "HOME": str(home), "XDG_CACHE_HOME": str(home / "cache")},
            start_new_session=True,
            preexec_fn=partial(die_with, os.getpid()),  # noqa: PLW1509 - it allocates nothing
        )
    try:
        yield
    finally:
        process.terminate()
        process.wait(PATIENCE_S)


def address_in(file: Path) -> str:
    """Return where a scheduler is, as soon as it has said so."""
    with suppress(OSError, ValueError):  # it is not there, or half of it
        return str(json.loads(file.read_text())["address"])
    return ""


def certificates_of(home: Path, ca: Path) -> dict[str, str]:
    """Return Dask's settings: the runner's certificate in one home, the authority of another."""
    tls = Path(".config/dask/tls")
    settings = {
        "ca-file": ca / tls / "ca.pem",
        "client.cert": home / tls / "client.pem",
        "client.key": home / tls / "client.key",
    }
    return {f"distributed.comm.tls.{name}": str(path) for name, path in settings.items()}


@pytest.mark.xdist_group("cluster")
@needs("openssl")
def test_who_follows_the_page_has_an_encrypted_cluster_that_plays(tmp_path: Path) -> None:
    runner, scheduler, worker = homes = [tmp_path / who for who in ("runner", "one", "two")]
    typed(CERTIFICATES, runner)
    own = runner / ".config/dask/tls"
    keys = ["ca.key", "client.key", "scheduler.key", "worker.key"]
    assert sorted(path.name for path in own.glob("*.key")) == keys
    assert {path.stat().st_mode & 0o077 for path in own.iterdir()} == {0}
    for who, home in (("scheduler", scheduler), ("worker", worker)):
        there = home / ".config/dask/tls"
        there.mkdir(parents=True)
        for name in ("ca.pem", f"{who}.pem", f"{who}.key"):
            shutil.copy(own / name, there)
    for home in homes:
        typed(CONFIGURATION, home)
    at = scheduler / "address.json"
    begun = SCHEDULER.replace("10.0.0.1", HOST).replace(":8787", ":0")
    with started(begun, scheduler, "--port", "0", "--scheduler-file", str(at)):
        address = until(partial(address_in, at))
        assert address.startswith("tls://")
        begun = WORKER.replace("tls://10.0.0.1:8786", address).replace("10.0.0.11", OTHER_HOST)
        begun = begun.replace("--nthreads 16", "--nthreads 1")
        config = dask.config.collect([str(runner / ".config/dask")], env={})
        config = dask.config.merge(dask.config.config, config)
        with started(begun, worker), dask.config.set(config):
            typed_words = shlex.split(RUNNER.replace("tls://10.0.0.1:8786", address))[1:]
            typed_words.remove("league.toml")
            cup = ["--bot", "greedy", "--bot", "random", "--game", "yavalath", "--rounds", "1"]
            cup += ["--sandbox", "none"] if why_not() else []
            ran = commands.arena(*typed_words, *cup, "--output", tmp_path / "cup")
        typed(CERTIFICATES, tmp_path / "stranger")
        for ca in (tmp_path / "stranger", runner):
            with (
                dask.config.set(config),
                dask.config.set(certificates_of(tmp_path / "stranger", ca)),
            ):
                refused = commands.arena(*typed_words, *cup, "--output", tmp_path / "none")
            assert refused.status == 1
            assert "do not accept each other's certificates" in refused.err
    for home in (scheduler, worker):  # Dask imports from nowhere else
        assert list((home / ".cache/dask").iterdir())
    assert ran.status == 0, (ran.err, (worker / "said.txt").read_text())
    assert len(hosts_of(tmp_path / "cup")) == 2
