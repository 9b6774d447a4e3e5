"""`arena edit`: what is touched, what stays byte for byte, and what becomes of the file before."""

from __future__ import annotations

import gzip
import io
import os
import shutil
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest
from commands import arena
from exploring import one_in
from hypothesis import given
from hypothesis import strategies as st
from patching import patched
from record_texts import written
from refusals import refusals

from lath.notation.rules.reading import entries_of

if TYPE_CHECKING:
    from golden import Golden

LOOSE = (
    b'\xef\xbb\xbf[Game "yavalath"]\r\n[First "ann"]\r\n[Second "bob"]\r\n\r\n1.e5  swap *\r\n \r\n'
)
OTHER = b'[Game "surikata"]\n[First "cat"]\n[Second "bob"]\n\n1. Mc3 {[%clk 3]   deep} 2. Mb2 *'
BAD = b'[Game "yavalath"]\n[First "ann"]\n\n1. e5 2. e5 *\n\n'


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "games.lath"
    path.write_bytes(LOOSE + BAD + OTHER)
    return path


def test_only_what_is_touched_changes_and_the_file_stays_as_a_copy(file: Path) -> None:
    before = file.read_bytes()
    ran = arena("edit", file, "--player", "cat=dog", "--player", "ann=eve")
    assert ran.status == 1
    assert f"{file}:10:" in ran.err
    assert "illegal move e5: e5 already has a stone (record 2, ply 2)" in ran.err
    copy = file.with_name("games.lath.bak")
    counts = "2 of 2 records changed; 1 invalid record unchanged"
    assert ran.err.endswith(f"{file}: {counts}; the original is kept as {copy}\n")
    assert copy.read_bytes() == before
    expected = LOOSE.replace(b"ann", b"eve") + BAD + OTHER.replace(b"cat", b"dog")
    assert file.read_bytes() == expected
    assert sorted(file.parent.iterdir()) == [file, copy]


def test_a_copy_is_never_replaced_unless_that_is_asked_for(file: Path) -> None:
    copy = file.with_name("games.lath.bak")
    copy.write_text("mine")
    before = file.read_bytes()
    ran = arena("edit", file, "--drop", "First")
    assert ran.status == 2
    assert f"{copy}: already exists\nhint: --force replaces it" in ran.err
    assert (file.read_bytes(), copy.read_text()) == (before, "mine")
    assert sorted(file.parent.iterdir()) == [file, copy]
    assert arena("edit", file, "--drop", "First", "--backup", ".old").status == 1
    assert file.with_name("games.lath.old").read_bytes() == before
    now = file.read_bytes()
    assert arena("edit", file, "--drop", "Second", "--force").status == 1
    assert copy.read_bytes() == now


def test_what_is_no_file_is_never_taken_for_a_copy(file: Path) -> None:
    before = file.read_bytes()
    copy = file.with_name("games.lath.bak")
    for target in (file, file.with_name("nowhere"), None):  # a link to FILE would hold the new text
        copy.unlink(missing_ok=True)
        copy.mkdir() if target is None else copy.symlink_to(target)
        for force in ([], ["--force"]):
            ran = arena("edit", file, "--drop", "First", *force)
            assert ran.status == 2
            assert f"{copy}: not a regular file, so it cannot be the copy" in ran.err
            assert file.read_bytes() == before
            assert sorted(file.parent.iterdir()) == [file, copy]


def test_players_of_whom_a_file_names_none_change_nothing(file: Path) -> None:
    names = file.with_name("names.csv")
    before = file.read_bytes()
    for text in ("", "\n"):
        names.write_text(text)
        ran = arena("edit", file, "--players", names)
        assert "0 of 2 records changed" in ran.err
        assert file.read_bytes() == before  # and not in canonical form


def test_nothing_is_written_where_nothing_changes(file: Path) -> None:
    os.utime(file, (1, 1))
    ran = arena("edit", file, "--player", "nobody=x")
    assert "0 of 2 records changed" in ran.err
    assert file.stat().st_mtime == 1
    assert list(file.parent.iterdir()) == [file]


@pytest.mark.parametrize("blow", [KeyboardInterrupt, OSError(28, "No space left on device")])
def test_an_edit_that_is_stopped_leaves_the_file_and_nothing_else(
    file: Path, monkeypatch: pytest.MonkeyPatch, blow: BaseException
) -> None:
    before = file.read_bytes()

    def stopped(*_: object) -> None:
        raise blow

    for name in ("replace", "hardlink_to"):  # before the copy is made, and before it is needed
        with monkeypatch.context() as patches:
            patches.setattr(Path, name, stopped)
            patches.setattr(shutil, "copy2", stopped)
            ran = arena("edit", file, "--drop", "First")
        assert ran.status in (2, 3, 5)
        assert file.read_bytes() == before
        assert list(file.parent.iterdir()) == [file]


def test_an_edit_that_was_killed_behind_its_copy_is_done_again(file: Path) -> None:
    before = file.read_bytes()
    copy = file.with_name("games.lath.bak")
    copy.hardlink_to(file)
    assert arena("edit", file, "--drop", "First").status == 1
    assert copy.read_bytes() == before != file.read_bytes()


def test_a_file_system_without_links_gets_a_copy_all_the_same(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(Path, "hardlink_to", none)
    before = file.read_bytes()
    copy = file.with_name("games.lath.bak")
    with monkeypatch.context() as patches:  # a file that may not be replaced needs no copy
        replace = Path.replace
        patches.setattr(Path, "replace", lambda a, b: none() if b == file else replace(a, b))
        assert arena("edit", file, "--drop", "First").status == 2
    assert list(file.parent.iterdir()) == [file]
    assert arena("edit", file, "--drop", "First").status == 1
    assert copy.read_bytes() == before != file.read_bytes()


def test_out_leaves_the_files_and_makes_a_folder_of_several(file: Path) -> None:
    other = file.with_name("other.lath.gz")
    other.write_bytes(gzip.compress(OTHER))
    before = file.read_bytes()
    out = file.with_name("out")
    assert arena("edit", file, other, "--set", "Mood=Riva", "-o", out).status == 1
    assert file.read_bytes() == before
    assert b'[Mood "Riva"]\n\n1. Mc3' in gzip.decompress((out / "other.lath.gz").read_bytes())
    ran = arena("edit", other, "--set", "Mood=Riva", "-o", other)
    assert ran.status == 2
    assert "is FILE itself" in ran.err
    (out / file.name).unlink()
    (out / file.name).symlink_to(other)  # which is read behind it
    ran = arena("edit", file, other, "--set", "Mood=Riva", "-o", out)
    assert (ran.status, gzip.decompress(other.read_bytes())) == (2, OTHER)
    assert f"{out / file.name} is FILE itself" in ran.err
    ran = arena("edit", file, other, "--set", "Mood=Riva", "-o", file)
    assert "is a file, but several FILE need a folder" in ran.err
    ran = arena("edit", "-", "--set", "Mood=Riva", stdin=OTHER)
    assert ran.out_bytes == OTHER.replace(b"\n\n", b'\n[Mood "Riva"]\n\n')


def test_where_says_which_records_are_edited(file: Path) -> None:
    ran = arena("edit", file, "--strip", "clk", "--where", "plies = 2 and first = cat", "-o", "-")
    assert ran.out_bytes == LOOSE + BAD + OTHER.replace(b"[%clk 3]   ", b"")
    assert "1 of 2 records changed" in ran.err


def test_an_edit_that_would_make_a_valid_record_bad_is_not_done(file: Path) -> None:
    ran = arena("edit", file, "--set", "Result=1-0", "-o", "-")
    assert ran.status == 1
    assert ran.out_bytes == LOOSE + BAD + OTHER
    assert (
        f"error: {file}:1: record 1 is unchanged: it would be invalid: the result is 1-0" in ran.err
    )
    assert "expected the result * or another Termination\n" in ran.err
    assert (
        "0 of 2 records changed; 2 would become invalid and are unchanged; "
        "1 invalid record unchanged"
    ) in ran.err
    ran = arena("edit", file, "--set", "Result=1-0", "--set", "Termination=time", "-o", "-")
    assert ran.out_bytes.count(b'[Termination "time"]') == 2


def test_what_the_rules_are_against_is_edited_when_that_is_asked_for() -> None:
    ran = arena("edit", "-", "--set", "First=x", "--unchecked", stdin=BAD)
    assert ran.out_bytes == BAD.replace(b"ann", b"x")


def test_players_come_from_two_columns(file: Path) -> None:
    names = file.with_name("names.csv")
    names.write_text('\ufeffann,"Ann, the first"\r\n\r\nbob,"say ""hi"""\r\n')
    ran = arena("edit", file, "--players", names, "-o", "-")
    assert b'[First "Ann, the first"]\r\n[Second "say \\"hi\\""]' in ran.out_bytes
    names.write_text("ann\teve, too\n")
    assert b'"eve, too"' in arena("edit", file, "--players", names, "-o", "-").out_bytes
    names.write_text("ann,eve\nbob\n")
    ran = arena("edit", file, "--players", names, "-o", "-")
    assert (ran.status, ran.out) == (2, "")
    assert f"{names}:2: expected two columns, the old name and the new one, not 1" in ran.err
    names.write_text("ann,eve\n,bob\n")
    ran = arena("edit", file, "--players", names, "-o", "-")
    assert (
        f"{names}:2: expected two columns, the old name and the new one; one of them is" in ran.err
    )


WRONG = [
    *("--set Event", "--set 'A b=x'", "--set 'Event=a\nb'", "--set Result=won"),
    *("--set Event=a --set Event=b", "--drop Game", "--rename A=Game", "--rename A=C --rename B=C"),
    *("--player a=b --player a=c", "--strip comment", "--strip variations --split-variations"),
    *("--where 'plies > 2'", "--drop A --check -o x", "--drop A -o x.csv"),
    *("--drop A -o x --backup .y", "--drop A --backup a/b", "--set Date=2026-13-01"),
    "--player ann=",
]


def test_what_makes_no_sense_is_refused_before_anything_is_written(
    file: Path, monkeypatch: pytest.MonkeyPatch, golden: Golden
) -> None:
    monkeypatch.chdir(file.parent)
    golden(refusals(WRONG, "edit", "games.lath"))
    assert list(file.parent.iterdir()) == [file]


def test_a_file_that_is_none_is_told_of(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.lath")
    for name, message in (
        ("no.lath", "no.lath: not found"),
        ("pipe.lath", "not a regular file"),
    ):
        ran = arena("edit", tmp_path / name, "--drop", "First")
        assert ran.status == 2
        assert message in ran.err


# Laws

_EDITS = st.lists(
    st.sampled_from(
        [
            *(["--set", "Event=X"], ["--drop", "First"], ["--rename", "Site=Venue"]),
            *(["--player", "ann=Ann"], ["--strip", "comments"], ["--strip", "emt,glyphs"]),
            *(["--strip", "annotations"], ["--plies", "3"], ["--split-variations"]),
        ]
    ),
    min_size=1,
    max_size=3,
    unique_by=tuple,
)


@given(st.integers(0, 1 << 32), _EDITS)
@one_in(2)
def test_records_that_are_not_touched_stay_and_valid_ones_stay_valid(
    seed: int, edits: list[list[str]]
) -> None:
    chance = Random(seed)
    texts = [written(chance) + chance.choice(["\n\n", "\r\n\r\n", "\n \n\n"]) for _ in range(6)]
    old = "".join(texts).encode("utf-8", "replace")
    options = [word for edit in edits for word in edit]
    ran = arena("edit", "-", "-q", *options, "--where", "plies > 2", stdin=old)
    new = ran.out_bytes
    assert "unchanged" not in ran.err
    diff = arena("edit", "-", "-q", *options, "--where", "plies > 2", "--dry-run", stdin=old)
    assert patched(old, diff.out_bytes) == new
    before, after = (list(entries_of(stream, "-")) for stream in map(io.BytesIO, (old, new)))
    if "--split-variations" in options:
        after = [entry for entry in after if not (entry.record and entry.record.tag("VariationOf"))]
    assert len(before) == len(after)
    for one, other in zip(before, after, strict=True):
        touched = one.record and not one.problems and len(one.record.plies) > 2
        assert touched or one.text == other.text
        assert not touched or not other.problems
