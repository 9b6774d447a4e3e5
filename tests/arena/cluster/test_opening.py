"""Which schedulers are talked to and how; a trial is started here, and no key of it is left."""

from __future__ import annotations

import asyncio
import os
import re
import socket
import ssl
import stat
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path

import dask.config
import distributed  # noqa: F401 - it has the defaults of what is set
import pytest
from clusters import until
from distributed.versions import VersionMismatchWarning
from processes import children_of
from tools import needs

from lath.arena.cluster import entry_point, opening
from lath.arena.cluster.link import INSIST, SchedulerLink, is_loopback, security_of
from lath.arena.cluster.opening import address_of, cluster_at, new_certificate
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


def test_this_machine_alone_is_talked_to_in_the_clear_if_somebody_insists(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    here = [f"tcp://{host}:8786" for host in ("127.0.0.1", "127.0.0.2", "localhost", "[::1]")]
    assert all(map(is_loopback, here))
    for address, setting in product(here, (None, True, "")):
        with (
            dask.config.set({IN_THE_CLEAR: setting}),
            pytest.raises(ConfigError, match=rf"(?s)needs no certificate, .* {INSIST} allows"),
        ):
            security_of(address)
    monkeypatch.setenv(*INSIST.split("="))
    with dask.config.set(dask.config.collect()):
        assert [security_of(address) for address in here] == [None] * 4
    for host in ("10.0.0.1", "0.0.0.0", "192.0.2.1", "nosuch.invalid"):
        address = f"tcp://{host}:8786"
        assert not is_loopback(address)
        with (
            dask.config.set({IN_THE_CLEAR: False}),
            pytest.raises(ConfigError, match="tcp:// works only on this machine"),
        ):
            security_of(address)


def test_what_is_no_address_is_refused_with_what_is_one() -> None:
    for address in ("", "8786", "ucx://127.0.0.1:1", "tls://10.0.0.1", "tcp://:1"):
        with pytest.raises(ConfigError, match="is not tls://HOST:PORT, local:N"):
            security_of(address)
    for named in ("local:0", "local:65", "local:", "local:two"):
        wrong = pytest.raises(ConfigError, match="is not local:N with N from 1 to 64")
        with wrong, cluster_at(named):
            pass


def test_tls_needs_certificates_and_a_key_that_is_ours(keys: dict[str, str]) -> None:
    missing = {**keys, "distributed.comm.tls.client.key": None}
    with (
        dask.config.set(missing),
        pytest.raises(ConfigError, match=r"distributed\.comm\.tls\.client\.key"),
    ):
        security_of("tls://10.0.0.1:8786")
    with dask.config.set(keys):
        found = security_of("tls://10.0.0.1:8786")
    assert found
    assert found.require_encryption
    Path(keys["distributed.comm.tls.client.key"]).chmod(0o644)
    with dask.config.set(keys), pytest.raises(ConfigError, match="can be read by every user"):
        security_of("tls://10.0.0.1:8786")


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

    monkeypatch.setattr(SchedulerLink, "_stay", cancelled)
    with pytest.raises(ArenaError, match=r"no scheduler answers: CancelledError"):
        SchedulerLink("tcp://127.0.0.1:9", None)


KEY = b"PRIVATE KEY-----"


@dataclass
class Trial:
    """A scheduler and a worker that play for a runner."""

    link: SchedulerLink
    folder: Path
    """Where programs make their temporary files."""

    pids: list[int]

    def ports(self) -> dict[int, str]:
        """Return where its processes listen: port and address, as the system writes that."""
        sockets = {
            found[1]
            for pid in self.pids
            for path in Path(f"/proc/{pid}/fd").iterdir()
            if (found := re.fullmatch(r"socket:\[(\d+)\]", str(path.readlink())))
        }
        rows = [
            line.split()
            for name in ("tcp", "tcp6")
            for line in Path(f"/proc/net/{name}").read_text().splitlines()[1:]
        ]
        listening = (row[1].split(":") for row in rows if row[3] == "0A" and row[9] in sockets)
        return {int(port, 16): address for address, port in listening}


@pytest.fixture(scope="module")
def trial(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Trial]:
    folder = tmp_path_factory.mktemp("temporary")
    before = set(children_of(os.getpid()))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMPDIR", str(folder))
        patch.setattr(tempfile, "tempdir", str(folder))
        with (
            address_of("local:1") as named,
            closing(SchedulerLink(named.address, security_of(named.address))) as link,
        ):
            until(lambda: link.workers)
            pids = sorted(set(children_of(os.getpid())) - before)
            yield Trial(link, folder, pids)
    assert not list(folder.iterdir())


def identity() -> tuple[str, str]:
    """Return the key and the certificate of the trial that this process runs."""
    text = Path(dask.config.get("distributed.comm.tls.client.key")).read_text()
    key, certificate = re.findall(r"-----BEGIN.*?-----END [A-Z ]+-----\n", text, re.DOTALL)
    return key, certificate


def heard_by(port: int, context: ssl.SSLContext | None) -> bytes:
    """Return what a port says to who comes by TLS of this kind, or without."""
    plain = socket.create_connection(("127.0.0.1", port), timeout=60)
    with suppress(OSError), plain:
        if context is None:
            plain.sendall(b"GET / HTTP/1.0\r\n\r\n")
            return plain.recv(1)
        with context.wrap_socket(plain) as walled:
            return walled.recv(1)  # TLS 1.3 refuses a certificate when the server has read it
    return b""


def context_of(folder: Path, key: str, certificate: str) -> ssl.SSLContext:
    """Return how somebody with a certificate comes, whatever the other side shows."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    if key:
        (folder / "own.pem").write_text(key + certificate)
        context.load_cert_chain(folder / "own.pem")
    return context


@pytest.mark.slow
@needs("openssl")
def test_each_port_of_a_trial_hears_nobody_without_its_certificate(
    trial: Trial, tmp_path: Path
) -> None:
    ports = trial.ports()
    assert len(ports) == len(trial.pids) == 2
    assert set(ports.values()) == {"0100007F"}
    stranger = context_of(tmp_path, *new_certificate())
    own = context_of(tmp_path, *identity())
    for port in ports:
        assert heard_by(port, own)
        for who in (None, context_of(tmp_path, "", ""), stranger):
            assert not heard_by(port, who)


@pytest.mark.slow
@needs("openssl")
def test_the_key_of_a_trial_is_in_no_file_variable_or_command_not_for_a_moment(
    trial: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert KEY in identity()[0].encode()
    (folder,) = trial.folder.iterdir()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    for who in ("scheduler", "worker"):  # each imports from a folder of its own
        assert list(folder.glob(f"{entry_point.DASKS}/{who}-*"))
    told = [f"/proc/{pid}/{name}" for pid in trial.pids for name in ("environ", "cmdline")]
    paths = [*map(Path, (*entry_point.secrets_here(), *told)), *trial.folder.rglob("*")]
    files = [path for path in paths if path.is_file()]
    assert len(files) > len(told)
    assert not [path for path in files if KEY in path.read_bytes()]
    monkeypatch.setattr(tempfile, "mkdtemp", None)
    security = security_of(trial.link.address)
    assert security
    for who in ("client", "worker", "scheduler"):
        assert security.get_connection_args(who)["ssl_context"]
        assert security.get_listen_args(who)["ssl_context"]


def test_the_organisers_keys_are_closed_while_a_trial_has_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = tmp_path / "key"
    key.touch()
    monkeypatch.setenv("DASK_DISTRIBUTED__COMM__TLS__WORKER__KEY", str(key))
    text = f"-----BEGIN {KEY.decode()}\na/b\n"
    with dask.config.set({"distributed.comm.tls.worker.key": text}):
        assert str(key) in entry_point.secrets_here()


def test_without_openssl_people_are_told_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    for program in ("no-such-program", "false", "true"):
        monkeypatch.setattr(opening, "_CERTIFICATE", (program,))
        told = pytest.raises(ConfigError, match=r"local:N: needs openssl .*`--jobs N` plays here")
        with told, address_of("local:1"):
            pass


def test_what_a_killed_trial_left_goes_and_what_is_others_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(opening, "_is_alive", partial(int.__eq__, 1))
    left, living = tmp_path / "lath-cluster-2-x", tmp_path / "lath-cluster-1-x"
    left.mkdir()
    living.mkdir()
    user = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: user + 1)
    opening._remove_left()
    assert left.exists()
    monkeypatch.setattr(os, "geteuid", lambda: user)
    opening._remove_left()
    assert not left.exists()
    assert living.exists()
