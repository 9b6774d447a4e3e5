"""A cluster that is started here for a trial: nobody but its runner gets in, and no key is left."""

from __future__ import annotations

import os
import re
import socket
import ssl
import stat
import tempfile
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import dask.config
import distributed  # noqa: F401 - it has the defaults of what is set
import pytest
from clusters import until
from processes import children_of
from tools import needs

from lath.arena.cluster import opening, seat
from lath.arena.cluster.link import Link, security_of
from lath.arena.cluster.opening import address_of, new_certificate
from lath.arena.errors import ConfigError

KEY = b"PRIVATE KEY-----"


@dataclass
class Trial:
    """A scheduler and a worker that play for a runner."""

    link: Link
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
            closing(Link(named.address, security_of(named.address))) as link,
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
def test_the_key_of_a_trial_is_in_no_file_variable_or_command(trial: Trial) -> None:
    assert KEY in identity()[0].encode()
    assert all(
        KEY not in Path(path).read_bytes() for path in seat.secrets_here() if Path(path).is_file()
    )
    for pid in trial.pids:
        for name in ("environ", "cmdline"):
            assert KEY not in Path(f"/proc/{pid}/{name}").read_bytes()
    files = [path for path in trial.folder.rglob("*") if path.is_file()]
    assert files
    assert not [path for path in files if KEY in path.read_bytes()]


@pytest.mark.slow
@needs("openssl")
def test_the_key_of_a_trial_is_written_nowhere_for_a_moment_either(
    trial: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "mkdtemp", None)
    security = security_of(trial.link.address)
    assert security
    for who in ("client", "worker", "scheduler"):
        assert security.get_connection_args(who)["ssl_context"]
        assert security.get_listen_args(who)["ssl_context"]


@pytest.mark.slow
@needs("openssl")
def test_nobody_else_comes_to_the_files_of_a_trial(trial: Trial) -> None:
    (folder,) = trial.folder.iterdir()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    for who in ("scheduler", "worker"):  # each imports from a folder of its own
        assert list(folder.glob(f"{seat.DASKS}/{who}-*"))


def test_the_organisers_keys_are_closed_while_a_trial_has_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = tmp_path / "key"
    key.touch()
    monkeypatch.setenv("DASK_DISTRIBUTED__COMM__TLS__WORKER__KEY", str(key))
    text = f"-----BEGIN {KEY.decode()}\na/b\n"
    with dask.config.set({"distributed.comm.tls.worker.key": text}):
        assert str(key) in seat.secrets_here()


@pytest.mark.parametrize("program", ["no-such-program", "false", "true"])
def test_without_openssl_people_are_told_what_to_do(
    program: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "_CERTIFICATE", (program,))
    with (
        pytest.raises(ConfigError, match=r"local:N needs openssl, .*`--jobs N` plays here"),
        address_of("local:1"),
    ):
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
