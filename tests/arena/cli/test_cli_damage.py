"""Damaged directories: what is wrong is told, what is sound is kept, nothing is left unsaid."""

from __future__ import annotations

import json
import shlex
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import tomlkit
from commands import Ran, arena
from damage import DATABASE, RECORDS, damages
from results import a_config, a_result

from lath.arena.directory import CONFIG
from lath.arena.errors import DamagedError
from lath.arena.tournament.configuration.config import load
from lath.arena.tournament.outcome.notes import write_outcome
from lath.arena.tournament.outcome.validity import Invalid, stored
from lath.arena.tournament.store.database import ROUNDS, Walkover, read_texts
from lath.arena.tournament.store.store import Store
from lath.reports.notes.outcome import EventOutcome

pytestmark = pytest.mark.slow

GAMES = 12
COLUMNS = ("ann", "bob"), ("bob", "ann")


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a directory in which nothing is wrong."""
    folder = tmp_path_factory.mktemp("sound") / "cup"
    folder.mkdir()
    with closing(Store(folder)) as store:
        store.begin(a_config().identity(), {ROUNDS: 6})
        store.add([a_result(n, COLUMNS[n % 2], log="> go\n") for n in range(1, GAMES + 1)])
        store.add_walkovers([Walkover(20, "cat")])
        store.export()
    write_outcome(folder, EventOutcome(format="round-robin"))
    return folder


@pytest.fixture
def cup(sound: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a copy of it, in the current folder."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(sound, "cup")
    return Path("cup")


def rated(folder: Path) -> Ran:
    """Return what a directory is rated."""
    return arena("rate", folder, "--json")


def ratings(ran: Ran) -> dict[str, object]:
    """Return the numbers without the result, which nobody has written for another directory."""
    return {key: value for key, value in json.loads(ran.out).items() if key != "outcome"}


def change(folder: Path, question: str) -> None:
    """Write something into a database that no run has written."""
    with closing(sqlite3.connect(folder / DATABASE)) as database, database:
        database.execute(question)


def test_a_valid_directory_has_exact_counts_and_nothing_to_tell(cup: Path) -> None:
    ran = arena("check", "cup")
    assert (ran.status, ran.err) == (0, "")
    assert ran.out == (
        "cup: 12 valid games in tournament.db, 12 in games.lath, 0 invalid; 0 only in "
        "tournament.db, "
        "0 only in games.lath, 0 differ; 12 valid in either\n"
    )
    assert json.loads(arena("check", "cup", "--json").out) == {
        "folder": "cup", "stored": 12, "exported": 12, "unsound": 0, "only_stored": 0,
        "only_exported": 0, "different": 0, "sound": 12,
    }  # fmt: skip


LOOKS_AT_GAMES = (
    *("select", "select --sort plies --limit 5", "select --where 'plies > 20' --count", "stats"),
    *("stats --measures --json", "stats --openings --csv", "explore --all"),
    *("explore --after e5 --json", "explain ann", "rate --csv", "show --record 3 --ply 2"),
    "show --json",
)


def test_a_directory_answers_as_its_file_of_games_does(cup: Path) -> None:
    for words in map(shlex.split, LOOKS_AT_GAMES):
        told = [(ran.status, ran.out) for ran in (arena(*words, cup), arena(*words, cup / RECORDS))]
        assert told[0] == told[1], words
        assert told[0][0] == 0
        assert told[0][1]


def test_of_a_damaged_directory_what_is_valid_is_told_and_what_is_lost(cup: Path) -> None:
    commands = [words.split() for words in ("select", "stats", "explore --all", "show --json")]
    change(cup, "DELETE FROM game WHERE number = 12")
    change(cup, "UPDATE game SET log = 'x' WHERE number = 5")
    (cup / RECORDS).unlink()
    for ran in (arena(*words, cup) for words in commands):
        assert ran.status != 0
        assert "; 10 games are valid there or in games.lath" in ran.err
        assert "`arena check cup` counts them" in ran.err
    (cup / DATABASE).unlink()
    Path("cup/notes.txt").write_text("1. e5 d4 *\n")  # is not what is asked for
    none = "error: cup: not a tournament: it has neither tournament.db nor games.lath\n"
    assert [arena(*words, cup).err for words in commands] == [none] * len(commands)


def test_a_run_that_goes_on_storing_is_no_damage(tmp_path: Path) -> None:
    with closing(Store(tmp_path)) as store:
        store.add([a_result(2), a_result(3)])
        found = stored(tmp_path)
        next(found)
        store.add([a_result(1)])  # it took longer
        assert [game for game in found if isinstance(game, Invalid)] == []


def test_each_invalid_game_is_told_by_its_number_and_why(cup: Path) -> None:
    change(cup, "UPDATE game SET result = '7-7' WHERE number = 3")
    change(cup, "UPDATE game SET log = 'x' WHERE number = 5")
    change(cup, "DELETE FROM game WHERE number = 12")
    ran = arena("check", "cup")
    assert ran.status == 1
    assert "cup/tournament.db: game 3: its result is '7-7'\n" in ran.out
    assert "cup/tournament.db: game 5: its checksum does not match\n" in ran.out
    assert "cup/games.lath: game 12: not in tournament.db\n" in ran.out
    assert "9 valid games in tournament.db, 12 in games.lath, 2 invalid; 0 only in t" in ran.out
    lines = [json.loads(line) for line in arena("check", "cup", "--json").out.splitlines()]
    assert {"file": "cup/tournament.db", "message": "game 3: its result is '7-7'"} in lines
    assert lines[-1]["sound"] == 12


def test_what_is_valid_in_either_makes_a_tournament(cup: Path, sound: Path) -> None:
    change(cup, "UPDATE game SET result = '7-7' WHERE number = 3")
    text = (cup / RECORDS).read_text()
    (cup / RECORDS).write_text(text.replace('[Number "7"]\n', '[Number "7\n'))
    ran = arena("check", "cup", "--sound", "mended")
    assert ran.status == 1
    assert "mended: 12 games; `arena run --output mended` resumes\n" in ran.err
    assert arena("check", "mended").status == 0
    assert ratings(rated(Path("mended"))) == ratings(rated(sound))
    with closing(Store(Path("mended"))) as store:
        assert store.tournament() == a_config().identity()
        assert store.walkovers() == [Walkover(20, "cat")]
    again = arena("check", "cup", "--sound", "mended")
    assert (again.status, "already exists\nhint: --sound" in again.err) == (2, True)


def test_what_is_played_is_known_from_the_configuration_alone(tmp_path: Path) -> None:
    words = {"event": "Cup", "games": ["yavalath"], "bot": [{"name": "greedy"}, {"name": "random"}]}
    cup = tmp_path / "cup"
    cup.mkdir()
    (cup / CONFIG).write_text(tomlkit.dumps(words))
    config = load(cup / CONFIG, Path())
    with closing(Store(cup)) as store:
        store.add([a_result(n, ("greedy", "random")) for n in (1, 2)])
        store.export()
    (cup / DATABASE).unlink()
    assert arena("check", cup, "--sound", tmp_path / "mended").status == 1
    with closing(Store(tmp_path / "mended")) as store:
        assert store.tournament() == config.identity()
        assert store.note(ROUNDS) == config.rounds


def test_valid_records_of_files_go_into_a_file(cup: Path) -> None:
    text = (cup / RECORDS).read_text()
    Path("torn.lath").write_text(text[: text.rindex("1. ") + 8])
    ran = arena("check", "torn.lath", "-", "--sound", "whole.lath", stdin=text[:4000])
    assert ran.status == 1
    assert arena("check", "whole.lath").status == 0
    assert text.startswith(Path("whole.lath").read_text()[: text.index('[Number "12"]') - 500])


def test_invalid_games_are_left_out_and_told_of_with_a_status(cup: Path, sound: Path) -> None:
    change(cup, "UPDATE game SET result = '7-7' WHERE number = 3")
    (cup / RECORDS).unlink()
    for words in (["rate", "cup", "--json"], ["report", "cup", "-o", "page.html"]):
        ran = arena(*words)
        assert ran.status == 1
        assert "warning: cup/tournament.db: damaged: game 3: its" in ran.err
        assert "result is '7-7'; 11 games are valid there or in games.lath" in ran.err
        assert "`arena check cup --sound OUT` copies them to a new tournament" in ran.err
    assert json.loads(rated(cup).out)["overall"]["games"] == 11


def test_games_lath_serves_where_the_database_cannot_be_read(
    cup: Path, sound: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def told(status: int, why: str) -> None:
        ran = rated(cup)
        assert (ran.status, f"warning: {why}" in ran.err) == (status, True), ran.err
        assert ratings(ran) == expected

    expected = ratings(rated(sound))
    with monkeypatch.context() as patch:
        patch.setattr(sqlite3, "connect", refuse)
        why = "unable to open database file; read 12 games from games.lath"
        told(0, f"cup/tournament.db: {why}")
    (cup / DATABASE).write_bytes(b"no database" * 500)
    told(1, "cup/tournament.db: not a tournament: file is not a database; 12 games are")
    (cup / DATABASE).unlink()
    (cup / CONFIG).touch()
    told(0, "cup: has no tournament.db; read 12 games from games.lath of 2")


def test_records_alone_are_rated_without_a_word(cup: Path, sound: Path) -> None:
    (cup / DATABASE).unlink()
    (cup / "notes.txt").write_text("1. e5 d4 *\n")
    ran = rated(cup)
    assert (ran.status, ran.err) == (0, "")
    assert ratings(ran) == ratings(rated(sound))


_connect = sqlite3.connect


def refuse(path: str, **how: Any) -> Any:
    """Open no file, as where somebody else owns it: root reads all."""
    if not path:  # a database without a name
        return _connect(path, **how)
    error = sqlite3.OperationalError("unable to open database file")
    error.sqlite_errorcode = sqlite3.SQLITE_CANTOPEN
    raise error


def test_a_schema_of_any_bytes_is_damage(cup: Path) -> None:
    content = (cup / DATABASE).read_bytes()
    assert b"CREATE TABLE about (" in content
    (cup / DATABASE).write_bytes(
        content.replace(b"CREATE TABLE about (", b"CREATE T\xc1\xc1LE about (")
    )
    assert arena("check", "cup").status == 1
    ran = rated(cup)
    assert ran.status == 1
    assert "tournament.db: damaged: its schema is not UTF-8; 12 games are valid" in ran.err


LOOKS = (
    *(["check", "cup"], ["check", "cup", "--json"], ["check", "cup", "--sound", "mended"]),
    *(["rate", "cup"], ["report", "cup", "-o", "page.html"], ["report", ".", "-o", "index.html"]),
    *(["bot", "log", "cup", "2"], ["select", "cup/games.lath", "--count"]),
)


def test_games_that_have_lost_their_checksums_are_told_of(cup: Path) -> None:
    change(cup, "ALTER TABLE game DROP COLUMN checksum")
    ran = arena("check", "cup")
    assert (ran.status, "its games have lost their checksums" in ran.out) == (1, True)
    assert read_texts(cup)[ROUNDS] == "6"
    change(cup, "DELETE FROM about WHERE key = 'checksum'")  # as former versions stored games
    assert arena("check", "cup").status == 0


def test_a_changed_note_is_not_read(cup: Path) -> None:
    change(cup, f"UPDATE about SET value = '7' WHERE key = '{ROUNDS}'")
    with pytest.raises(DamagedError, match="its notes do not match"):
        read_texts(cup)


@pytest.mark.parametrize("number", [4])
def test_no_damage_is_believed_or_ends_in_a_traceback(
    number: int, sound: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    true = ratings(rated(sound))
    told = harmless = 0
    for damage in damages(12, number):
        for name in ("cup", "mended"):
            shutil.rmtree(name, ignore_errors=True)
        shutil.copytree(sound, "cup")
        what = damage(Path("cup"))
        looks = {" ".join(words): arena(*words) for words in LOOKS}
        for words, ran in looks.items():
            assert ran.status in (0, 1, 2), (what, words, ran.err)
            assert "Traceback" not in ran.err, (what, words, ran.err)
        ran = rated(Path("cup"))
        assert ran.status in (0, 1), (what, ran.err)
        if ran.status == 0 and not ran.err:
            assert ratings(ran) == true, what
        if looks["check cup"].status == 0:
            harmless += 1
            assert ratings(ran) == true, what
        if Path("mended", DATABASE).exists():
            assert arena("check", "mended").status == 0, what
        told += ran.status
    print(f"{number} damages: {told} told by rate, {harmless} harmless")
    assert told > number / 5
