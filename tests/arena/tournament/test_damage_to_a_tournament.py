"""A damaged tournament is told of by the next run: no traceback, no game lost, nothing believed."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
from commands import Ran, arena
from damage import PAGE, damages
from quick_runs import play_nothing
from results import a_result

from lath.arena.directory import DATABASE, RECORDS
from lath.arena.errors import DamagedError, StoreError
from lath.arena.referee.record import GameResult
from lath.arena.tournament.outcome.validity import Invalid, look, rescue, stored
from lath.arena.tournament.store.database import read_texts
from lath.arena.tournament.store.store import Store
from lath.notation.rules.reading import read

if TYPE_CHECKING:
    from golden import Golden

GAMES: Final = 12
KEPT: Final = f"{RECORDS}.kept-"
RUN: Final = ("--bot", "ann=/nowhere ann", "--bot", "bob=/nowhere bob", "--game", "yavalath")


@pytest.fixture(autouse=True)
def _nothing_is_played(monkeypatch: pytest.MonkeyPatch) -> None:
    play_nothing(monkeypatch)


def run(folder: Path, *words: object) -> Ran:
    """Go on with a tournament, as far as it goes, in this process."""
    return arena("run", "--output", folder, "-q", "--no-report", *words)


@pytest.fixture
def cup(tmp_path: Path) -> Path:
    """Return the directory of a tournament of twelve games that is over."""
    folder = tmp_path / "cup"
    ran = run(folder, *RUN, "--rounds", GAMES // 2)
    assert ran.status == 0, ran.err
    assert games_in(folder) == set(range(1, GAMES + 1))
    return folder


def games_in(folder: Path, name: str = RECORDS) -> set[int]:
    """Return the numbers of the games of a file of records."""
    return {int(record.tag("Number")) for record in read(folder / name)}


def files_of(folder: Path) -> dict[str, bytes]:
    """Return what is in a directory, the empty lock apart."""
    files = (path for path in folder.iterdir() if path.is_file())
    return {path.name: path.read_bytes() for path in files if path.suffix != ".lock"}


def put(files: dict[str, bytes], folder: Path) -> None:
    """Let nothing but these files be in a directory."""
    for path in folder.iterdir():
        if path.is_file():
            path.unlink()
    for name, content in files.items():
        (folder / name).write_bytes(content)


def check(folder: Path, sound: dict[str, bytes], how: str) -> str:
    """Run a damaged tournament; return what became of it, which loses and hides nothing."""
    before = files_of(folder)
    ran = run(folder)
    after = files_of(folder)
    assert "Traceback" not in ran.err, (how, ran.err)
    assert "bug in the arena" not in ran.err, (how, ran.err)
    if before.get(RECORDS):
        copies = [text for name, text in after.items() if name.startswith(KEPT)]
        is_there = before[RECORDS] in (after[RECORDS], *copies)
        whole = after[RECORDS] == sound[RECORDS]
        assert is_there or whole, (how, "games.lath is gone")
    if ran.status:
        told = [line for line in ran.err.splitlines() if line.startswith("error: ")]
        assert len(told) == 1, (how, ran.err)
        assert before == after, (how, "a refusal has changed something")
        return "refused"
    assert after[RECORDS] == sound[RECORDS], (how, "other games, and nobody was told")
    assert json.loads(after["standings.json"]) == json.loads(sound["standings.json"]), how
    return "told" if ran.err else "nothing to tell"


CAMPAIGN: Final = pytest.mark.parametrize("number", [12])


def campaign(cup: Path, ways: Iterator[Callable[[Path], str]]) -> dict[str, int]:
    """Damage a tournament in each way and run it; return how often it came to what."""
    sound = files_of(cup)
    found: dict[str, int] = {}
    for damage in ways:
        put(sound, cup)
        how = damage(cup)
        came_to = check(cup, sound, how)
        if came_to == "refused" and (cup / RECORDS).read_bytes() == sound[RECORDS]:
            taken_back(cup, sound, how)
        found[came_to] = found.get(came_to, 0) + 1
    put(sound, cup)
    return found


def taken_back(cup: Path, sound: dict[str, bytes], how: str) -> None:
    """Check that no game is lost for good, since `games.lath` has them all."""
    out = cup.parent / "out"
    findings = rescue(cup, out)
    assert findings.sound == GAMES, (how, findings)
    assert (out / RECORDS).read_bytes() == sound[RECORDS], how
    shutil.rmtree(out)


@CAMPAIGN
def test_whatever_happens_to_its_files_a_run_tells_of_it(cup: Path, number: int) -> None:
    found = campaign(cup, damages(1, number))
    print(found)
    assert found["refused"] > number // 2


def damaged_pages(cup: Path, number: int) -> Iterator[Callable[[Path], str]]:
    """Yield what zeroes each page, doubles it over others, and cuts the database after it."""
    content = (cup / DATABASE).read_bytes()
    pages = range(len(content) // PAGE)

    def written(how: str, data: bytes) -> Callable[[Path], str]:
        def damage(folder: Path) -> str:
            (folder / DATABASE).write_bytes(data)
            return how

        return damage

    def with_page(page: int, data: bytes) -> bytes:
        return content[: page * PAGE] + data + content[(page + 1) * PAGE :]

    ways = [written(f"page {page} zeroed", with_page(page, bytes(PAGE))) for page in pages]
    ways += [written(f"cut before page {page}", content[: page * PAGE]) for page in pages]
    ways += [
        written(f"page {page} over {other}", with_page(other, content[page * PAGE :][:PAGE]))
        for page in pages
        for other in pages
        if page != other
    ]
    yield from random.Random(1).sample(ways, min(number, len(ways)))


@CAMPAIGN
def test_no_page_is_lost_or_there_twice_without_a_word(cup: Path, number: int) -> None:
    found = campaign(cup, damaged_pages(cup, number))
    print(found)
    assert found["refused"] == sum(found.values())


def test_a_database_that_is_gone_empty_or_older_costs_no_game_and_the_way_out_is_named(
    cup: Path, tmp_path: Path
) -> None:
    sound = files_of(cup)
    notes = read_texts(cup)
    older = tmp_path / "older"
    older.mkdir()
    with closing(Store(older)) as store:
        store.keep_notes({key: json.loads(value) for key, value in notes.items()})
        games = (game for game in stored(cup, GAMES) if isinstance(game, GameResult))
        store.add(game for game in games if game.number <= 4)
    for how in ("gone", "empty", "older"):
        put(sound, cup)
        (cup / DATABASE).unlink()
        if how == "empty":
            (cup / DATABASE).touch()
        elif how == "older":
            shutil.copy(older / DATABASE, cup)
        assert check(cup, sound, how) == "refused"
        lacks = 8 if how == "older" else 12
        said = run(cup).err
        assert f"{RECORDS}: holds {lacks} games that {DATABASE} lacks" in said
        assert f"arena check {cup} --sound OUT" in said
        taken_back(cup, sound, how)
    rescue(cup, tmp_path / "out")
    for rounds in (GAMES // 2, GAMES // 2 + 1):
        ran = run(tmp_path / "out", "--rounds", rounds)
        assert ran.status == 0, ran.err
        assert games_in(tmp_path / "out") == set(range(1, 2 * rounds + 1))
    assert look(tmp_path / "out").is_valid


def test_what_is_valid_in_either_is_counted(cup: Path) -> None:
    assert look(cup).is_valid
    with closing(sqlite3.connect(cup / DATABASE)) as database, database:
        database.execute("UPDATE game SET result = '7-7' WHERE number = 2")
        database.execute("UPDATE game SET plies = plies + 1 WHERE number = 3")
        database.execute("DELETE FROM game WHERE number = 5")
    text = (cup / RECORDS).read_text()
    (cup / RECORDS).write_text(text.replace('[Number "3"]', '[Number "3]', 1))
    found = look(cup)
    assert (found.stored, found.exported, found.sound) == (9, 11, 11)
    assert found.taken_back == (2, 5)
    first, second, third = found.unsound
    assert first.where.startswith(f"{RECORDS}:")
    assert second == Invalid(DATABASE, "game 2: its result is '7-7'")
    assert third == Invalid(DATABASE, "game 3: its checksum does not match")


def test_what_stands_in_the_place_of_games_lath_is_kept(tmp_path: Path) -> None:
    words: list[str] = []
    with closing(Store(tmp_path)) as store:
        for numbers in ((1, 2), (3,)):
            store.add(map(a_result, numbers))
            store.export(words.append)
        assert not words
        others = (a_result(2, ("bob", "cat")).record, a_result(9).record)
        (tmp_path / RECORDS).write_text("\n".join(others))
        for _ in range(2):
            store.export(words.append)
        held = f"{tmp_path / RECORDS} held 2 games that {DATABASE} has not, or not so"
        assert words == [f"{held}: it is kept as {KEPT}1"]
        assert games_in(tmp_path, f"{KEPT}1") == {2, 9}
        (tmp_path / "mine").mkdir()
        (tmp_path / "mine" / "my.lath").write_text(a_result(9).record)
        (tmp_path / RECORDS).unlink()
        (tmp_path / RECORDS).symlink_to(tmp_path / "mine" / "my.lath")
        store.export()
    assert games_in(tmp_path, f"{KEPT}2") == {9}, "what a link leads to"
    assert games_in(tmp_path) == games_in(tmp_path / "mine", "my.lath") == {1, 2, 3}


def test_a_game_that_is_damaged_while_a_run_goes_on_is_not_exported(tmp_path: Path) -> None:
    with closing(Store(tmp_path)) as store:
        store.add([a_result(number) for number in (1, 2, 3)])
        store.export()
        before = (tmp_path / RECORDS).read_bytes()
        with closing(sqlite3.connect(tmp_path / DATABASE)) as database, database:
            database.execute("UPDATE game SET record = replace(record, '1. h5', '1. h6')")
        with pytest.raises(StoreError, match="game 1: its checksum does not match"):
            store.export()
        assert (tmp_path / RECORDS).read_bytes() == before
    with pytest.raises(DamagedError, match="game 1: its checksum does not match"):
        Store(tmp_path)


CHANGES: Final[tuple[tuple[str, object], ...]] = (
    ("UPDATE game SET first = ? WHERE number = 1", "eve"),
    ("UPDATE game SET result = ? WHERE number = 1", "0-1"),
    ("UPDATE game SET plies = ? WHERE number = 1", "many"),
    ("UPDATE game SET record = ? WHERE number = 1", b"\xff"),
    ("UPDATE game SET checksum = ? WHERE number = 1", "x"),
    ("UPDATE game SET first_used_s = ?", 1e300),
    ("UPDATE game SET stderr = ?", "{"),
    ("UPDATE game SET log = CAST(? AS TEXT)", b"\xff"),
    ("UPDATE game SET number = ? WHERE number = 1", 2**62),
    ("DELETE FROM game WHERE number = ?", 1),
    ("ALTER TABLE game DROP COLUMN checksum", None),
    ("UPDATE about SET value = ? WHERE key = 'rounds'", "2"),
    ("UPDATE about SET value = ? WHERE key = 'checksum'", "x"),
    ("DELETE FROM about WHERE key = ?", "checksum"),
    ("INSERT INTO walkover VALUES (?, 'ann')", 9),
)
"""What no run has written, and a value."""


def test_what_no_run_has_written_is_told_of(tmp_path: Path, golden: Golden) -> None:
    with closing(Store(tmp_path)) as store:
        store.begin({"games": ["yavalath"]}, {"rounds": 1})
        store.add([a_result(1), a_result(2)])
    path, said = tmp_path / DATABASE, dict[str, str]()
    sound = path.read_bytes()
    assert read_texts(tmp_path)["rounds"] == "1"
    for question, value in CHANGES:
        with closing(sqlite3.connect(path)) as database, database:
            database.execute(question, () if value is None else (value,))
        before = path.read_bytes()
        with pytest.raises(DamagedError) as caught:
            Store(tmp_path)
        said[question.replace("?", repr(value))] = str(caught.value)
        assert not look(tmp_path).is_valid, question
        if " game " not in question:
            with pytest.raises(DamagedError, match="its notes do not"):
                read_texts(tmp_path)
        assert path.read_bytes() == before
        path.write_bytes(sound)
    golden(said)
