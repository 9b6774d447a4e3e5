"""Records as people write them, and as PGN has them, by the commands that read them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from commands import arena
from doc_pages import DocPage
from exploring import MOST
from hypothesis import given, settings
from hypothesis import strategies as st
from sample_records import random_game

from lath.notation import formats
from lath.notation.text.splitting import Entry

PAGE = DocPage("repair-text-records")


@pytest.fixture(autouse=True)
def in_a_folder_with_the_files_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    PAGE.make_files(tmp_path)


def test_a_folder_of_such_files_is_checked_and_queried(tmp_path: Path) -> None:
    for name in ("bad.txt", "moves.txt"):
        (tmp_path / name).unlink()
    checked = arena("check", tmp_path)
    assert checked.status == 0
    assert "3 records: 3 valid, 0 invalid" in checked.out
    asked = arena("select", tmp_path, "--where", "winner = ann", "--count")
    assert (asked.status, asked.out) == (0, "2\n")
    assert asked.err.count("assumed: White is First (") == 1


def test_a_missing_game_is_one_message_for_a_file(tmp_path: Path) -> None:
    path = tmp_path / "many.txt"
    path.write_text("1. e5 d4 2. c3 1-0\n\n" * 30)
    ran = arena("check", path)
    assert ran.status == 1
    assert ran.out.count("error[no-game]") == 1
    assert "--game ID" in ran.out
    assert "the same problem in 29 more records" in ran.err
    assert arena("check", path, "--game", "yavalath").status == 0


def test_a_game_that_is_given_in_vain_says_how_to_choose_records_of_one(tmp_path: Path) -> None:
    path = tmp_path / "games.lath"
    path.write_text('[Game "yavalath"]\n\n1. e5 *\n')
    assert "--where 'game = yavalath'" in arena("stats", path, "--game", "yavalath").err


CLUB = '[White "ann"]\n[Black "bob"]\n[Result "1-0"]\n'


def test_pgn_of_other_games_and_of_headers_stays_results(tmp_path: Path) -> None:
    path = tmp_path / "club.pgn"
    for more in ("\n1. e4 e5 2. Nf3 1-0\n", '[Variant "shogi"]\n\n1. P-7f 1-0\n', ""):
        path.write_text(CLUB + more)
        assert '"without_moves": 1' in arena("rate", path, "--json").out


def test_every_command_says_that_moves_of_other_games_are_not_read(tmp_path: Path) -> None:
    path = tmp_path / "club.pgn"
    for tag, said in (("", "that names no game"), ("chess", "of other game types")):
        variant = f'[Variant "{tag}"]' if tag else ""
        path.write_text(f"{CLUB}{variant}\n\n1. e4 e5 2. Nf3 1-0\n")
        for command in ("check {}", "stats {}", "select {}", "rate {}", "convert {} - --to lath"):
            ran = arena(*command.format(path).split())
            assert f"the moves of 1 record {said} are not read" in ran.err
            is_hinted = command != "rate {}" and not tag
            assert ("--game NAME reads them" in ran.err) == is_hinted


MIXED = st.lists(
    st.tuples(
        st.sampled_from(["sound", "typo", "twice", "cut"]),
        st.sampled_from(["yavalath", "surikata", "manalath"]),
        st.integers(0, 20),
        st.integers(0, 30),
        st.booleans(),
    ),
    min_size=1,
    max_size=4,
)


@settings(max_examples=max(40, MOST))
@given(MIXED, st.booleans(), st.sampled_from(["games.pgn", "GAMES.PGN"]))
def test_moves_of_pgn_that_names_no_game_are_read_or_refused_never_dropped(
    games: list[tuple[str, str, int, int, bool]], is_beside_chess: bool, name: str
) -> None:
    head = '[White "ann"]\n[Black "bob"]\n[Result "{}"]\n\n'
    texts, wrong = [], []
    for kind, game_id, seed, place, is_named in games:
        record = random_game(game_id, seed)
        words = list(record.moves)
        at = place % (len(words) - 1) + 1
        if kind == "typo":
            words[at] = words[at][:-1] + "99"
        elif kind == "twice":
            words[at] = words[at - 1]
        elif kind == "cut":
            words = words[: max(3, at)]
        start = f'[Setup "{setup}"]\n' if (setup := record.tag("Setup")) else ""
        game = f'[Game "{game_id}"]\n' if is_named else ""
        texts.append(start + game + head.format(record.result) + " ".join(words) + "\n")
        wrong.append(kind)
    if is_beside_chess:
        texts.insert(len(texts) // 2, head.format("1-0") + "1. e4 e5 2. Nf3 Nc6 1-0\n")
        wrong.insert(len(wrong) // 2, "chess")
    found = list(entries_in("\n".join(texts), name))
    assert len(found) == len(texts)
    for entry, kind in zip(found, wrong, strict=True):
        dropped = entry.record and not entry.problems and entry.record.tag("Moves") == "not read"
        assert bool(dropped) == (kind == "chess"), (kind, entry)
        if kind in ("typo", "twice"):
            assert entry.problems
            assert all(problem.line > entry.line for problem in entry.problems)
            assert any(problem.expected or "illegal" in problem.code for problem in entry.problems)


def entries_in(text: str, name: str) -> Iterator[Entry]:
    """Yield what stands in a file of this name and text, as a command reads it."""
    with TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_text(text)
        format_name = formats.recognised(path)
        with path.open("rb") as stream:
            yield from formats.entries(stream, format_name, str(path), rules=True)


def test_text_of_ours_in_a_txt_file_stays_ours(tmp_path: Path) -> None:
    path = tmp_path / "games.txt"
    path.write_text('[Game "yavalath"]\n[First "ann"]\n\n1. e5   2. d4 *\n')
    assert arena("select", path).out == path.read_text()


def test_a_game_that_is_given_to_a_bad_record_is_not_in_vain(tmp_path: Path) -> None:
    path = tmp_path / "club.pgn"
    path.write_text('[White "ann"]\n[Date "2024.13.45"]\n\n1. e5 z9 1-0\n')
    ran = arena("check", path, "--game", "yavalath")
    assert ran.out.count("error[") == 2
    assert "hint" not in ran.err


@given(
    st.sets(st.sampled_from(["notes", "a.md", "b.zip", "photo.png", "c.docx"])),
    st.sets(st.sampled_from(["sub", "old.txt", "deep"])),
    st.sets(st.sampled_from([".hidden", "g.lath.idx"])),
    st.sampled_from(["check", "stats", "select", "rate"]),
)
def test_what_a_folder_has_beside_records_is_said_once(
    files: set[str], folders: set[str], unsaid: set[str], command: str
) -> None:
    with TemporaryDirectory() as name:
        for sub in folders:
            Path(name, sub).mkdir()
        for file in files | unsaid:
            Path(name, file).write_text("x")
        Path(name, "g.lath").write_text('[Game "yavalath"]\n\n1. e5 *\n')
        said = [line for line in arena(command, name).err.splitlines() if "skipped in " in line]
    assert len(said) == bool(files or folders)
    for found, what in ((files, "file"), (folders, "folder")):
        words = f"{len(found)} {what}{'s' * (len(found) > 1)} " if found else ""
        assert words in "".join(said)
        assert (f" {what}" in "".join(said)) == bool(found)
