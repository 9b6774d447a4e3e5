"""The page of records as people write them: each of its files is read as it shows."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import arena
from doc_pages import DocPage, check_session

PAGE = DocPage("text-records.md")


@pytest.fixture(autouse=True)
def in_a_folder_with_the_files_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    PAGE.make_files(tmp_path)


@PAGE.every_session()
def test_a_file_of_the_page_is_read_as_it_shows(session: str) -> None:
    check_session(session)


def test_a_folder_of_such_files_is_checked_and_queried(tmp_path: Path) -> None:
    for name in ("bad.txt", "moves.txt", "mixed.txt"):
        (tmp_path / name).unlink()
    checked = arena("check", tmp_path)
    assert checked.status == 0
    assert "8 records: 8 sound, 0 bad" in checked.err
    asked = arena("select", tmp_path, "--where", "winner = ann", "--count")
    assert (asked.status, asked.out) == (0, "5\n")
    assert asked.err.count("assumed: White is First (") == 1


def test_a_missing_game_is_one_message_for_a_file(tmp_path: Path) -> None:
    path = tmp_path / "many.txt"
    path.write_text("1. e5 d4 2. c3 1-0\n\n" * 30)
    ran = arena("check", path)
    assert ran.status == 1
    assert ran.out.count("error[no-game]") == 1
    assert "--game ID" in ran.out
    assert "the same of 29 more records" in ran.err
    assert arena("check", path, "--game", "yavalath").status == 0


def test_a_game_that_is_given_in_vain_says_how_to_choose_records_of_one(tmp_path: Path) -> None:
    path = tmp_path / "games.lath"
    path.write_text('[Game "yavalath"]\n\n1. e5 *\n')
    assert "--where 'game = yavalath'" in arena("stats", path, "--game", "yavalath").err


def test_pgn_of_other_games_and_of_headers_stays_results(tmp_path: Path) -> None:
    head = '[White "ann"]\n[Black "bob"]\n[Result "1-0"]\n'
    path = tmp_path / "club.pgn"
    for text in (
        f"{head}\n1. e4 e5 2. Nf3 1-0\n",
        f'{head}[Variant "shogi"]\n\n1. P-7f 1-0\n',
        head,
    ):
        path.write_text(text)
        assert "without moves" in arena("rate", path).out + arena("rate", path).err or (
            '"without_moves": 1' in arena("rate", path, "--json").out
        )


def test_pgn_whose_moves_are_of_no_game_says_how_they_are_read(tmp_path: Path) -> None:
    path = tmp_path / "club.pgn"
    path.write_text('[White "ann"]\n[Black "bob"]\n[Result "1-0"]\n\n1. e5 z9 1-0\n')
    for command in ("check", "stats", "select", "convert {} -"):
        words = (command if "{}" in command else f"{command} {{}}").format(path).split()
        ran = arena(*words, *(["--to", "lath"] if "convert" in command else []))
        assert "hint: the moves of 1 record that names no game are not read; --game NAME" in ran.err
    assert "hint" not in arena("rate", path).err


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
