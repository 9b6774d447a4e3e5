"""Two hosts with networks of their own, encrypted, whose link is cut while they play."""

from __future__ import annotations

import os
import secrets
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest
from arena_runs import Range
from cluster_campaigns import Campaign, tended
from clusters import Machines, hosts_of
from processes import PATIENCE_S
from tools import works

HERE, THERE = "10.213.77.1", "10.213.77.2"

BEGUN: Final = 6
"""Games after which a run is seen to play."""


def _why_not() -> str:
    """Return why there can be no networks here; empty where there can."""
    if os.geteuid() != 0:
        return "only root makes networks"
    wanted = (("ip", "-V"), ("openssl", "version"))
    return next((f"no {words[0]} here" for words in wanted if not works(*words)), "")


def _granted() -> str:
    if why := _why_not():
        return why
    trial = ["unshare", "--net", "true"]
    made = subprocess.run(trial, capture_output=True, check=False, timeout=PATIENCE_S)
    return "" if made.returncode == 0 else "this system grants no network namespace"


pytestmark = [
    pytest.mark.xdist_group("cluster"),
    pytest.mark.skipif(bool(_granted()), reason=_granted()),
]


def typed(*words: str, cwd: Path | None = None) -> None:
    """Run a program of the system."""
    subprocess.run(words, cwd=cwd, check=True, capture_output=True, timeout=PATIENCE_S)


@dataclass(frozen=True)
class Networks:
    """Two of them, and a link from one to the other."""

    here: str
    there: str

    def under(self, name: str) -> tuple[str, ...]:
        """Return the command under which a program has this network."""
        return ("ip", "netns", "exec", name)

    def set_link(self, state: str) -> None:
        """Cut the link (`down`), or mend it (`up`)."""
        typed("ip", "-n", self.here, "link", "set", "wire", state)


@pytest.fixture
def networks() -> Iterator[Networks]:
    mark = secrets.token_hex(3)
    made = Networks(f"lath-{mark}-a", f"lath-{mark}-b")
    try:
        for name in (made.here, made.there):
            typed("ip", "netns", "add", name)
            typed("ip", "-n", name, "link", "set", "lo", "up")
        ends = ("wire", "netns", made.here), ("wire", "netns", made.there)
        typed("ip", "link", "add", *ends[0], "type", "veth", "peer", "name", *ends[1])
        for name, address in ((made.here, HERE), (made.there, THERE)):
            typed("ip", "-n", name, "address", "add", f"{address}/24", "dev", "wire")
            typed("ip", "-n", name, "link", "set", "wire", "up")
        yield made
    finally:
        for name in (made.here, made.there):
            subprocess.run(["ip", "netns", "del", name], check=False, timeout=PATIENCE_S)


def certificates(folder: Path) -> dict[str, str]:
    """Make certificates; return the variables that tell Dask of them."""
    folder.mkdir(mode=0o700)
    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    name = ["-subj", "/CN=lath", "-days", "2", "-keyout", "ca.key", "-out", "ca.pem"]
    typed("openssl", "req", "-x509", *key, *name, cwd=folder)
    variables = {
        "DASK_DISTRIBUTED__COMM__DEFAULT_SCHEME": "tls",
        "DASK_DISTRIBUTED__COMM__REQUIRE_ENCRYPTION": "True",
        "DASK_DISTRIBUTED__COMM__TLS__CA_FILE": str(folder / "ca.pem"),
    }
    for who in ("scheduler", "worker", "client"):
        asked = ["-subj", f"/CN={who}", "-keyout", f"{who}.key", "-out", f"{who}.csr"]
        typed("openssl", "req", *key, *asked, cwd=folder)
        by = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2"]
        typed("openssl", "x509", "-req", "-in", f"{who}.csr", *by, "-out", f"{who}.pem", cwd=folder)
        (folder / f"{who}.key").chmod(0o600)
        for what, end in (("CERT", "pem"), ("KEY", "key")):
            path = str(folder / f"{who}.{end}")
            variables[f"DASK_DISTRIBUTED__COMM__TLS__{who.upper()}__{what}"] = path
    return variables


def test_a_link_cut_for_10_and_for_40_seconds_loses_and_doubles_nothing(
    tmp_path: Path, networks: Networks
) -> None:
    (tmp_path / "cluster").mkdir()
    with Range(tmp_path) as place:
        campaign = Campaign(place, rounds=150)
        place.variables |= certificates(tmp_path / "tls")
        made = Machines(tmp_path / "cluster", env=campaign.env)
        try:
            made.under = networks.under(networks.here)
            made.start_scheduler(HERE)
            assert made.address.startswith("tls://")
            made.under = networks.under(networks.there)
            made.add(THERE)
            tend = tended(made, [THERE])
            run = campaign.begin(made.address, under=networks.under(networks.here))
            campaign.until_stored(run, BEGUN)
            for cut_s in (10, 40):
                networks.set_link("down")
                campaign.wait(run, cut_s, tend)
                networks.set_link("up")
                campaign.note(f"cut for {cut_s} s, at {campaign.stored()} games:")
                campaign.until_stored(run, campaign.stored() + BEGUN)
            campaign.finish(run, tend)
            campaign.assert_nothing_left(made)
        finally:
            made.stop()
        assert len(hosts_of(place.out)) == campaign.games
        report = campaign.assert_whole()
        print(f"{report}\n{campaign.said}")
