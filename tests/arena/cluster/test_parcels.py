"""Bots' files on their way: what travels, what is kept, and what is refused."""

from __future__ import annotations

import io
import os
import tarfile
from dataclasses import replace
from pathlib import Path

import pytest

from lath.arena.cluster import parcels
from lath.arena.cluster.parcels import Parcel, parcel_of, place_of, take, used
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


def packed(home: Path) -> Parcel:
    found = parcel_of("mine", [str(home)], [str(home / "results")])
    assert found
    return found


def send(digest: str, chunks: list[bytes]) -> None:
    for number, chunk in enumerate([*chunks, b""]):
        take(digest, "me", number, chunk)


def test_a_folder_travels_without_what_is_made_anew_or_is_the_tournament(home: Path) -> None:
    assert packed(home).files == ("main.py", "net/a.bin", "run.sh")


def test_what_was_sent_is_kept_with_its_rights_and_found_again(home: Path) -> None:
    parcel = packed(home)
    with used([parcel.digest]) as missing:
        assert missing == (parcel.digest,)
    send(parcel.digest, list(parcel.chunks()))
    place = place_of(parcel.digest)
    assert (place / "net/a.bin").read_text() == "net/a.bin"
    assert os.access(place / "run.sh", os.X_OK)
    with used([parcel.digest]) as missing:
        assert missing == ()


def test_what_was_changed_on_the_machine_is_sent_again(home: Path) -> None:
    parcel = packed(home)
    send(parcel.digest, list(parcel.chunks()))
    changed = place_of(parcel.digest) / "main.py"
    changed.chmod(0o644)
    changed.write_text("another")
    with used([parcel.digest]) as missing:
        assert missing == (parcel.digest,)
    send(parcel.digest, list(parcel.chunks()))
    assert changed.read_text() == "main.py"


def test_two_runs_send_the_same_files_at_once_and_play_with_them(home: Path) -> None:
    parcel = packed(home)
    (chunk,) = parcel.chunks()
    for number, piece in enumerate((chunk[:99], chunk[99:], b"")):
        take(parcel.digest, "one", number, piece)
        if piece:
            take(parcel.digest, "other", number, piece)
    with used([parcel.digest]) as missing:
        assert missing == ()
        take(parcel.digest, "other", 2, b"")


def test_the_same_files_are_the_same_parcel_wherever_they_lie(home: Path, tmp_path: Path) -> None:
    before = packed(home)
    home.rename(tmp_path / "elsewhere")
    after = packed(tmp_path / "elsewhere")
    assert before.digest == after.digest
    (tmp_path / "elsewhere/run.sh").chmod(0o644)
    assert packed(tmp_path / "elsewhere").digest != before.digest


def an_archive(name: str, kind: bytes = tarfile.REGTYPE) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:gz") as archive:
        header = tarfile.TarInfo(name)
        header.type, header.linkname, header.size = kind, "/etc/passwd", 1 - (kind != b"0")
        archive.addfile(header, io.BytesIO(b"x"))
    return file.getvalue()


@pytest.mark.parametrize(
    ("sent", "why"),
    [
        (b"rubbish", "is no archive"),
        (an_archive("../out"), "'../out' is no plain file in it"),
        (an_archive("/tmp/out"), "is no plain file in it"),
        (an_archive("link", tarfile.SYMTYPE), "'link' is no plain file in it"),
        (an_archive("main.py"), "has another digest"),
    ],
    ids=["rubbish", "in a parent", "absolute", "a link", "another"],  # else the archive's time
)
def test_what_is_not_what_was_to_be_sent_is_refused(sent: bytes, why: str, tmp_path: Path) -> None:
    digest = "0" * 64
    with pytest.raises(ArenaError, match=why):
        send(digest, [sent])
    assert not (tmp_path / "cache/lath-arena/out").exists()
    with used([digest]) as missing:
        assert missing == (digest,)


def test_what_was_not_used_for_longest_goes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parcels, "KEPT_BYTES", 2500)
    digests: list[str] = []
    for number in range(3):
        home = tmp_path / f"bot{number}"
        home.mkdir()
        (home / "net").write_bytes(bytes([number]) * 1000)
        parcel = packed(home)
        with used(digests[:1]):  # somebody plays with the first
            send(parcel.digest, list(parcel.chunks()))
            os.utime(place_of(parcel.digest).with_suffix(".done"), (number, number))
        digests.append(parcel.digest)
    with used(digests) as missing:
        assert missing == (digests[1],)


def test_too_much_is_refused_with_the_way_out(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parcels, "MOST_FILES", 2)
    mine = BotSpec(name="mine", command=("python", str(home / "main.py")))
    with pytest.raises(ConfigError, match=r"bot 'mine': .* holds more than .* say with `hosts`"):
        travelling([mine], [])
    _, sent = travelling([replace(mine, hosts={"*": ("/opt/mine",)})], [])
    assert sent == {}


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
        (bot,), sent = travelling([mine], [])
        assert [bot.parcel] == list(sent)
        assert (bot.command[1].kind, bot.command[1].text) == ("files", "main.py")
        assert cwd is None or (bot.cwd and (bot.cwd.kind, bot.cwd.text) == ("files", "."))


def test_a_command_travels_with_its_files_and_python_as_what_they_are(home: Path) -> None:
    import sys

    command = (sys.executable, str(home / "main.py"), "--net", str(home / "net"), "/usr/share/x")
    mine = BotSpec(name="mine", command=command, cwd=str(home))
    greedy = BotSpec(name="greedy", command=(sys.executable, "-m", "lath.bots.greedy"))
    (one, other), sent = travelling([mine, greedy], [])
    kinds = [(word.kind, word.text) for word in one.command]
    assert kinds == [
        ("python", ""),
        ("files", "main.py"),
        ("text", "--net"),
        ("files", "net"),
        ("text", "/usr/share/x"),
    ]
    assert one.cwd
    assert (one.cwd.kind, one.cwd.text) == ("files", ".")
    assert list(sent) == [one.parcel]
    assert other.parcel == ""
