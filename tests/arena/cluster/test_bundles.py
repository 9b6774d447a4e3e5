"""Bots' files on their way: what travels, what is kept, and what is refused."""

from __future__ import annotations

import io
import os
import shutil
import stat
import sys
import tarfile
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from lath.arena.cluster import bundles
from lath.arena.cluster.bundles import BotBundle, bundle_of, place_of, take, used
from lath.arena.cluster.preparation import travelling
from lath.arena.errors import ArenaError, ConfigError
from lath.arena.referee.bots import BotSpec


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Return a bot's folder, with what travels and what does not."""
    home = tmp_path / "bot"
    for name in ("main.py", "net/a.bin", ".git/config", "__pycache__/main.pyc", "env/bin/python"):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(name)
    (home / "env/pyvenv.cfg").write_text("home = /usr/bin")
    (home / "run.sh").write_text("#!/bin/sh")
    (home / "run.sh").chmod(0o755)
    (home / "results").mkdir()
    (home / "results/tournament.db").write_text("secret")
    return home


def packed(home: Path) -> BotBundle:
    found = bundle_of("mine", [str(home)], [str(home / "results")])
    assert found
    return found


def send(digest: str, chunks: Iterable[bytes]) -> None:
    for number, chunk in enumerate([*chunks, b""]):
        take(digest, "me", number, chunk)


def lacks(*digests: str) -> tuple[str, ...]:
    with used(digests) as missing:
        return missing


def sent(home: Path) -> tuple[str, Path]:
    """Send a folder; return its digest, and where its files are kept."""
    bundle = packed(home)
    send(bundle.digest, bundle.chunks())
    return bundle.digest, place_of(bundle.digest)


def test_a_folder_travels_without_what_is_made_anew_and_is_kept_with_its_rights(home: Path) -> None:
    bundle = packed(home)
    assert bundle.files == ("main.py", "net/a.bin", "run.sh")
    assert lacks(bundle.digest) == (bundle.digest,)
    _, place = sent(home)
    assert (place / "net/a.bin").read_text() == "net/a.bin"
    assert os.access(place / "run.sh", os.X_OK)
    assert lacks(bundle.digest) == ()
    moved = home.rename(home.parent / "moved")
    assert packed(moved).digest == bundle.digest, "the same files are the same bundle"
    (moved / "run.sh").chmod(0o644)
    assert packed(moved).digest != bundle.digest


def all_in(place: Path) -> dict[str, tuple[int, int, bytes]]:
    """Return rights, names and content of all that lies in a folder, links among it."""
    found = {}
    for path in [place, *place.rglob("*")]:
        status = path.lstat()
        content = path.read_bytes() if stat.S_ISREG(status.st_mode) else b""
        links = 0 if stat.S_ISDIR(status.st_mode) else status.st_nlink
        found[str(path.relative_to(place))] = status.st_mode, links, content
    return found


def rewrite(path: Path, content: bytes, *, same_time: bool = False) -> None:
    times = path.stat()
    path.chmod(0o644)
    path.write_bytes(content)
    path.chmod(times.st_mode & 0o777)
    if same_time:
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def elsewhere(place: Path) -> Path:
    return place.parent.parent / "elsewhere"


def link_to_a_copy(place: Path) -> None:
    place.rename(elsewhere(place))
    place.symlink_to(elsewhere(place))


def file_of_that_name(place: Path) -> None:
    place.rename(elsewhere(place))
    place.touch()


def link_of_a_file(place: Path, link: Callable[[Path, Path], object]) -> None:
    """Put a link to a file with the same content in the place of one."""
    shutil.copy2(place / "main.py", elsewhere(place))
    (place / "main.py").unlink()
    link(place / "main.py", elsewhere(place))


def instead_of_main(place: Path, make: Callable[[Path], object]) -> None:
    (place / "main.py").unlink()
    make(place / "main.py")


CHANGES: dict[str, Callable[[Path], object]] = {
    "an extra file": lambda at: (at / "extra.py").write_text("x"),
    "an extra file below": lambda at: (at / "net/extra").write_text("x"),
    "an extra file that is hidden": lambda at: (at / ".extra").touch(),
    "an extra file as it is unpacked": lambda at: os.close(os.open(at / "x", os.O_CREAT, 0o444)),
    "an extra folder": lambda at: (at / "json").mkdir(0o755),
    "an extra link": lambda at: (at / "extra").symlink_to("main.py"),
    "an extra link to a folder": lambda at: (at / "extra").symlink_to("net"),
    "an extra pipe": lambda at: os.mkfifo(at / "extra"),
    "another case": lambda at: shutil.copy2(at / "main.py", at / "Main.py"),
    "another form in unicode": lambda at: (at / "ma\u0131n.py").touch(0o444),
    "a missing file": lambda at: (at / "main.py").unlink(),
    "a missing folder": lambda at: shutil.rmtree(at / "net"),
    "nothing": shutil.rmtree,
    "other content": lambda at: rewrite(at / "main.py", b"rubbish"),
    "other content of that time": lambda at: rewrite(at / "main.py", b"MAIN.PY", same_time=True),
    "a longer file": lambda at: rewrite(at / "main.py", b"main.py\0"),
    "another name": lambda at: (at / "main.py").rename(at / "moved.py"),
    "an executable": lambda at: (at / "main.py").chmod(0o555),
    "no executable": lambda at: (at / "run.sh").chmod(0o444),
    "a set-uid bit": lambda at: (at / "run.sh").chmod(0o4555),
    "a set-gid bit": lambda at: (at / "run.sh").chmod(0o2555),
    "a file to write": lambda at: (at / "main.py").chmod(0o666),
    "a closed file": lambda at: (at / "main.py").chmod(0o400),
    "a folder to write": lambda at: (at / "net").chmod(0o777),
    "the folder to write": lambda at: at.chmod(0o777),
    "a link to the same": lambda at: link_of_a_file(at, Path.symlink_to),
    "a hard link to the same": lambda at: link_of_a_file(at, Path.hardlink_to),
    "a second name of a file": lambda at: elsewhere(at).hardlink_to(at / "main.py"),
    "a folder for a file": lambda at: instead_of_main(at, Path.mkdir),
    "a pipe for a file": lambda at: instead_of_main(at, os.mkfifo),
    "a link to it all": link_to_a_copy,
    "a file for it all": file_of_that_name,
}


if os.geteuid() == 0:  # the superuser alone gives files away
    CHANGES["another's file"] = lambda at: os.chown(at / "net/a.bin", 34567, -1)
    CHANGES["another's folder"] = lambda at: os.chown(at, 34567, -1)


def test_what_is_not_all_as_it_was_unpacked_is_sent_again(home: Path) -> None:
    (home / "run.sh").chmod(0o755)
    digest, place = sent(home)
    before = all_in(place)
    for change, make in CHANGES.items():
        make(place)
        with used([digest]) as missing:
            assert missing == (digest,), change
            sent(home)  # though somebody plays with what was changed
        assert all_in(place) == before, change
        assert lacks(digest) == (), change
        send(digest, [])
        left = sorted(path.name.partition(".")[2] for path in place.parent.iterdir())
        assert left == ["", "done", "lock", "turn"], change
        if os.path.lexists(there := elsewhere(place)):
            shutil.rmtree(there) if there.is_dir() else there.unlink()


@pytest.mark.parametrize("way", ["", "..", "../.."], ids=["its own", "above", "two above"])
def test_a_folder_that_others_can_change_keeps_no_bundles(home: Path, way: str) -> None:
    digest, place = sent(home)
    folder = (place.parent / way).resolve()
    folder.chmod(0o777)
    for act in (lambda: send(digest, [b""]), lambda: lacks(digest)):
        with pytest.raises(ArenaError, match=rf"other users can change {folder}; name another"):
            act()
    folder.chmod(0o1777)  # everybody changes what is his
    with nullcontext() if way else pytest.raises(ArenaError):
        assert lacks(digest) == ()


def test_two_runs_send_the_same_files_at_once_and_play_with_them(home: Path) -> None:
    bundle = packed(home)
    (chunk,) = bundle.chunks()
    for number, piece in enumerate((chunk[:99], chunk[99:], b"")):
        take(bundle.digest, "one", number, piece)
        if piece:
            take(bundle.digest, "other", number, piece)
    with used([bundle.digest]) as missing:
        assert missing == ()
        take(bundle.digest, "other", 2, b"")


def an_archive(*names: str, kind: bytes = tarfile.REGTYPE, size: int = 1) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:gz") as archive:
        for name in names:
            header = tarfile.TarInfo(name)
            header.type, header.linkname = kind, "/etc/passwd"
            header.size = size if kind == tarfile.REGTYPE else 0
            archive.addfile(header, io.BytesIO(bytes(size)))
    return file.getvalue()


NO_FILES = ("../out", "a/../../out", "/tmp/out", "//out", ".", "", "./out", "a//out", "a/./out")
REFUSED: tuple[tuple[bytes, str], ...] = (
    (b"rubbish", "not an archive"),
    (an_archive("main.py")[:-20], "not an archive"),
    (an_archive("main.py"), "has another digest"),
    *((an_archive(name), "is not a regular file") for name in NO_FILES),
    *((an_archive("x", kind=b"%d" % kind), "'x' is not a regular file") for kind in range(1, 8)),
    (an_archive("x", "x"), "'x' occurs twice, by this or a similar name"),
    (an_archive("x", "x/y"), "'x/y' occurs twice"),
    (an_archive("x/y", "x"), "'x' occurs twice"),
    (an_archive(*map(str, range(9))), "more than 256 MiB or 8 files"),
)


def test_what_is_not_what_was_to_be_sent_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bundles, "MOST_FILES", 8)
    digest = "0" * 64
    for archive, why in REFUSED:
        with pytest.raises(ArenaError, match=why):
            send(digest, [archive])
        assert not list(tmp_path.rglob("out"))
        assert not list((tmp_path / "cache/lath-arena/bundles").glob(f"{digest}*[!nk]"))
        assert lacks(digest) == (digest,)
    monkeypatch.setattr(bundles, "MOST_BYTES", 1000)
    with pytest.raises(ArenaError, match="not an archive of files: more than"):
        send(digest, [an_archive("zeros", size=1001)])
    with pytest.raises(ArenaError, match="bundle 000000000000: larger than a bundle may be"):
        send(digest, [b"x" * 2000, b"x"])


def test_a_bundle_is_named_by_a_digest_alone() -> None:
    for digest in ("", "..", "../x", "a" * 63, "a" * 65, "A" * 64, f"{'a' * 64}\n"):
        for act in (partial(take, digest, "me", 0, b"x"), partial(place_of, digest)):
            with pytest.raises(ArenaError, match="not a digest of 64 hexadecimal digits"):
                act()
        with pytest.raises(ArenaError, match="expected letters and digits"):
            take("a" * 64, f"../{digest}", 0, b"x")


def test_what_was_not_used_for_longest_goes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bundles, "KEPT_BYTES", 2500)
    digests: list[str] = []
    for number in range(3):
        home = tmp_path / f"bot{number}"
        home.mkdir()
        (home / "net").write_bytes(bytes([number]) * 1000)
        with used(digests[:1]):  # somebody plays with the first
            digest, place = sent(home)
            os.utime(place.with_suffix(".done"), (number, number))
        digests.append(digest)
    assert lacks(*digests) == (digests[1],)


def test_too_much_is_refused_with_the_way_out(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundles, "MOST_FILES", 2)
    mine = BotSpec(name="mine", command=("python", str(home / "main.py")))
    with pytest.raises(ConfigError, match=r"bot 'mine': .* holds more than .* with `hosts`"):
        travelling([mine], [])
    assert travelling([replace(mine, hosts={"*": ("/opt/mine",)})], [])[1] == {}


def test_a_link_takes_nothing_along_that_is_not_the_bots(home: Path, tmp_path: Path) -> None:
    (home / "inner").symlink_to("main.py")
    (home / "tool").symlink_to("/usr/bin/env")
    assert {"inner", "tool"} < set(packed(home).files)
    key = tmp_path / "client.key"
    key.write_text("secret")
    for name, target in (("key", key), ("games", home / "results/tournament.db")):
        (home / name).symlink_to(target)
        with pytest.raises(ConfigError, match=rf"bot 'mine': .*/{name} is a link to {target}"):
            packed(home)
        (home / name).unlink()


def test_a_bot_that_is_reached_by_a_link_travels_whole(home: Path, tmp_path: Path) -> None:
    link = tmp_path / "current"
    link.symlink_to(home)
    for cwd in (None, str(link)):
        mine = BotSpec(name="mine", command=("python", str(link / "main.py")), cwd=cwd)
        (bot,), bundles_ = travelling([mine], [])
        assert [bot.bundle] == list(bundles_)
        assert bot.spec.command[1] == "\0main.py\0"
        assert bot.spec.cwd == (cwd and "\0.\0")


def test_a_command_travels_with_its_files_and_python_as_what_they_are(home: Path) -> None:
    command = (sys.executable, str(home / "main.py"), "--net", str(home / "net"), "/usr/share/x")
    mine = BotSpec(name="mine", command=command, cwd=str(home))
    greedy = BotSpec(name="greedy", command=(sys.executable, "-m", "lath.bots.greedy"))
    (one, other), bundles_ = travelling([mine, greedy], [])
    assert one.spec.command == ("\0\0", "\0main.py\0", "--net", "\0net\0", "/usr/share/x")
    assert one.spec.cwd == "\0.\0"
    assert (list(bundles_), other.bundle) == ([one.bundle], "")
