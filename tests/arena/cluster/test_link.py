"""Which schedulers are talked to, and how."""

from __future__ import annotations

import asyncio
import warnings
from pathlib import Path

import dask.config
import distributed  # noqa: F401 - it has the defaults of what is set
import pytest
from distributed.versions import VersionMismatchWarning

from lath.arena.cluster.link import INSIST, Link, is_loopback, security_of
from lath.arena.cluster.opening import cluster_at
from lath.arena.errors import ArenaError, ConfigError


@pytest.fixture
def keys(tmp_path: Path) -> dict[str, str]:
    """Return Dask's configuration with certificates, which are only looked for here."""
    for name in ("ca.pem", "cert.pem", "key.pem"):
        (tmp_path / name).write_text(name)
        (tmp_path / name).chmod(0o600)
    return {
        "distributed.comm.tls.ca-file": str(tmp_path / "ca.pem"),
        "distributed.comm.tls.client.cert": str(tmp_path / "cert.pem"),
        "distributed.comm.tls.client.key": str(tmp_path / "key.pem"),
    }


IN_THE_CLEAR = "distributed.comm.require-encryption"


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.2", "localhost", "[::1]"])
def test_this_machine_is_talked_to_in_the_clear_if_somebody_insists(
    host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = f"tcp://{host}:8786"
    assert is_loopback(address)
    for setting in (None, True, ""):
        with (
            dask.config.set({IN_THE_CLEAR: setting}),
            pytest.raises(ConfigError, match=rf"asks for no certificate, .* {INSIST} insists"),
        ):
            security_of(address)
    monkeypatch.setenv(*INSIST.split("="))
    with dask.config.set(dask.config.collect()):
        assert security_of(address) is None


@pytest.mark.parametrize("host", ["10.0.0.1", "0.0.0.0", "192.0.2.1", "nosuch.invalid"])
def test_another_machine_is_not(host: str) -> None:
    assert not is_loopback(f"tcp://{host}:8786")
    with (
        dask.config.set({IN_THE_CLEAR: False}),
        pytest.raises(ConfigError, match="tcp:// is for this machine alone"),
    ):
        security_of(f"tcp://{host}:8786")


@pytest.mark.parametrize("address", ["", "8786", "ucx://127.0.0.1:1", "tls://10.0.0.1", "tcp://:1"])
def test_what_is_no_address_is_refused_with_what_is_one(address: str) -> None:
    with pytest.raises(ConfigError, match="expected tls://HOST:PORT or local:N"):
        security_of(address)


def test_tls_needs_certificates(keys: dict[str, str]) -> None:
    missing = {**keys, "distributed.comm.tls.client.key": None}
    with (
        dask.config.set(missing),
        pytest.raises(ConfigError, match=r"distributed\.comm\.tls\.client\.key of Dask's"),
    ):
        security_of("tls://10.0.0.1:8786")
    with dask.config.set(keys):
        found = security_of("tls://10.0.0.1:8786")
    assert found
    assert found.require_encryption


def test_a_key_that_everybody_may_read_is_refused(keys: dict[str, str]) -> None:
    Path(keys["distributed.comm.tls.client.key"]).chmod(0o644)
    with dask.config.set(keys), pytest.raises(ConfigError, match="can be read by everybody"):
        security_of("tls://10.0.0.1:8786")


@pytest.mark.parametrize("named", ["local:0", "local:65", "local:", "local:two"])
def test_a_trial_has_some_workers(named: str) -> None:
    with (
        pytest.raises(ConfigError, match="expected local:N with N from 1 to 64"),
        cluster_at(named),
    ):
        pass


def test_without_dask_people_are_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(ConfigError, match=r"lath-arena\[dask\]"), cluster_at("local:2"):
        pass


def test_versions_are_told_in_our_words_alone(recwarn: pytest.WarningsRecorder) -> None:
    with dask.config.set({IN_THE_CLEAR: False}), cluster_at("tcp://127.0.0.1:1"):
        warnings.warn(VersionMismatchWarning("a table of versions"), stacklevel=1)
    assert not recwarn.list


def test_who_waits_for_a_scheduler_is_told_whatever_dask_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def cancelled(*_: object) -> None:
        raise asyncio.CancelledError

    monkeypatch.setattr(Link, "_stay", cancelled)
    with pytest.raises(ArenaError, match=r"no scheduler answers at .*: CancelledError"):
        Link("tcp://127.0.0.1:9", None)
