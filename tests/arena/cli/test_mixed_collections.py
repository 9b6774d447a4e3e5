"""Collections of many games, formats and files: what is ours is taken, the rest is counted."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from commands import arena
from sample_records import random_game
from sites import served

from lath.notation.files.files import compressed
from lath.notation.formats import writer
from lath.notation.text.writer import format_records

RECORDS = [random_game("yavalath", seed, Round=str(seed)) for seed in range(3)]
LATH = "".join(format_records(RECORDS)).encode()


def abstractplay(name: str) -> dict[str, object]:
    players = [{"name": "a", "result": 1}, {"name": "b", "result": 0}]
    return {"header": {"game": {"name": name}, "players": players}, "moves": [["e5"], ["resign"]]}


MIXED = {
    "all.json": json.dumps([abstractplay(n) for n in ("Chess", "Yavalath", "Go", "Chess")]),
    "all.jsonl": "".join(
        json.dumps({"tags": [["Game", g]], "comments": [], "plies": [], "result": "*"}) + "\n"
        for g in ("chess", "yavalath", "go", "chess")
    ),
    "all.txt": "\n".join(
        f'[White "ann"]\n[Game "{g}"]\n\n1. e5 *\n' for g in ("chess", "yavalath", "go", "chess")
    ),
}


@pytest.mark.parametrize("name", MIXED)
def test_records_of_other_games_are_counted_and_no_fault_unless_strict(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_text(MIXED[name])
    said = "skipped 3 records of other game types: chess 2, go 1; --strict makes this an error"
    for command in ("check", "stats", "select", "explore", "rate", "convert"):
        words = [command, name, *(["out.lath"] if command == "convert" else [])]
        ran = arena(*words)
        assert ran.status == 0, ran.err
        skipped = [line.lower() for line in ran.err.splitlines() if line.startswith("skipped ")]
        assert skipped == [said]
        assert "error[" not in ran.out + ran.err
        Path("out.lath").unlink(missing_ok=True)
        assert arena(*words, "--strict").status == 1


def test_a_slip_of_a_name_and_a_game_of_a_file_are_problems(tmp_path: Path) -> None:
    line = '{"tags":[["Game","%s"]%s],"comments":[],"plies":[],"result":"*"}\n'
    path = tmp_path / "games.jsonl"
    path.write_text(line % ("yavalat", "") + line % ("mine", ',["GameFile","mine.py"]'))
    ran = arena("check", path)
    assert (ran.status, ran.out.count("error[unknown-game]")) == (1, 2)


def test_an_unknown_game_is_one_message_however_many_records_have_it(tmp_path: Path) -> None:
    path = tmp_path / "games.lath"
    path.write_text('[Game "mine"]\n[GameFile "mine.py"]\n\n1. a1 *\n\n' * 20)
    for command in ("check", "stats", "select"):
        ran = arena(command, path)
        assert ran.status == 1
        assert (ran.out + ran.err).count("error[unknown-game]") == 1
        assert "the same problem in 19 more records" in ran.err


def test_a_database_of_a_mixed_collection_has_ours(tmp_path: Path) -> None:
    path = tmp_path / "all.json"
    path.write_text(MIXED["all.json"])
    ran = arena("convert", path, tmp_path / "all.duckdb")
    assert (ran.status, "skipped 3 records" in ran.err) == (0, True)
    assert arena("select", tmp_path / "all.duckdb", "--count").out == "1\n"


def as_source(kind: str, folder: Path) -> tuple[Path, bytes]:
    """Return a source of three records of a kind, and standard input for it."""
    folder.mkdir()
    path = folder / f"games{kind}"
    if kind == "folder":
        (folder / "a.lath").write_text("".join(format_records(RECORDS[:1])))
        (folder / "b.jsonl").write_bytes(written("jsonlines", 1))
        return folder, b""
    if kind == "-":
        return Path("-"), LATH
    if kind == "- of JSON":
        return Path("-"), written("jsonlines", 0)
    if kind == ".duckdb":
        (folder / "games.lath").write_bytes(LATH)
        assert arena("convert", "-q", folder / "games.lath", path).status == 0
    elif kind == "tournament":
        (folder / "games.lath").write_bytes(LATH)
        return folder, b""
    elif kind in (".gz", ".zst"):
        path = folder / f"games.lath{kind}"
        path.write_bytes(compressed(LATH, kind))
    elif kind in (".lath", ".txt", ""):
        path.write_bytes(LATH)
    elif kind.startswith("loose"):
        path = folder / f"games{kind.removeprefix('loose')}"
        path.write_bytes(re.sub(rb"(?m)^\[(First|Second) ", _colour, LATH))
    else:
        names = {".jsonl": "jsonlines", ".csv": "csv", ".json": "abstractplay"}
        path.write_bytes(written(names[kind], 0))
    return path, b""


def _colour(seat: re.Match[bytes]) -> bytes:
    return b"[White " if seat[1] == b"First" else b"[Black "


def written(name: str, begin: int) -> bytes:
    return b"".join(writer(name)(RECORDS[begin:], lambda *_: None))


KINDS = [*(".lath", ".txt", "", ".gz", ".zst", ".jsonl", ".csv", ".json", ".duckdb")]
KINDS += ["loose.txt", "loose.pgn", "loose"]
KINDS += ["folder", "tournament", "-", "- of JSON"]
BOT = str(Path("examples/bots/legal.sh").resolve())
COMMANDS = {
    "check": ["check", "--json"],
    "stats": ["stats", "--json"],
    "select": ["select", "--count"],
    "explore": ["explore", "--json"],
    "rate": ["rate", "--json"],
    "explain": ["explain", "ann"],
    "show": ["show", "--record", "3"],
    "diff": ["diff"],
    "analyze": ["analyze", "--bot", BOT, "--nodes", "1", "--record", "3", "--ply", "0"],
    "report": ["report", "--data", "-"],
    "edit": ["edit", "--check", "--set", "Event=Cup"],
    "convert": ["convert", "--to", "lath"],
}
REFUSED = {
    "edit": {*(".jsonl", ".csv", ".json", "folder", "tournament", "- of JSON")}
    | {"loose.txt", "loose.pgn", "loose"}
}
"""What a command does not take, with the way to it: an edit keeps all other bytes of lath text."""


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_every_command_reads_every_kind_of_source(kind: str, tmp_path: Path) -> None:
    source, data = as_source(kind, tmp_path / "source")
    (tmp_path / "same.lath").write_bytes(LATH)
    for command, words in COMMANDS.items():
        if (command, kind) == ("check", "tournament"):
            continue  # which asks whether its database has the games, too: test_cli_damage
        more: list[object] = [tmp_path / "same.lath", "--moves-only"] if command == "diff" else []
        if command == "convert":
            more = [tmp_path / "out.lath", *_from(kind)]
        ran = arena(*words, source, *more, stdin=data)
        if kind in REFUSED.get(command, ()):
            assert (ran.status, ran.out) == (2, "")
            assert str(source) in ran.err
            assert "hint: arena " in ran.err
        else:
            # an edit would change something
            assert ran.status == int(command == "edit"), (command, ran.err)
            assert "error[" not in ran.out + ran.err


def test_an_edit_changes_no_file_where_another_is_refused(tmp_path: Path) -> None:
    one, two = tmp_path / "a.lath", tmp_path / "b.csv"
    one.write_bytes(LATH)
    two.write_bytes(written("csv", 0))
    assert arena("edit", one, two, "--set", "Event=Cup").status == 2
    assert one.read_bytes() == LATH


def _from(kind: str) -> list[str]:
    """Return what says the format of a stream, which has no suffix."""
    return {"-": ["--from", "lath"], "- of JSON": ["--from", "jsonlines"]}.get(kind, [])


@pytest.mark.slow
def test_a_site_shows_every_kind_of_file_that_is_named(tmp_path: Path) -> None:
    kinds = [kind for kind in KINDS if not kind.startswith("-")]
    sources = [as_source(kind, tmp_path / f"source{n}")[0] for n, kind in enumerate(kinds)]
    with served(*sources) as site:
        items = site.site.shelf.items()
        assert [item.reason for item in items] == [""] * len(kinds)
        asked = [site.post("/api/explore", {"key": i.key, "game": "yavalath"}) for i in items]
        counts = sorted((each.status, each.value["games"]) for each in asked)
        assert counts == [(200, 1), *[(200, 3)] * (len(kinds) - 1)]  # one of each file in a folder
        one_each = {item.kind: item for item in items if item.kind != "database"}
        for item in one_each.values():
            assert site.ask(f"/report/{item.key}", **site.cookie).status == 200


@pytest.mark.parametrize("to", [".lath", ".jsonl", ".csv", ".json", ".duckdb"])
def test_sources_of_any_formats_are_joined_in_their_order(to: str, tmp_path: Path) -> None:
    kinds = [".lath", ".jsonl", ".csv", ".json", ".txt", "folder"]
    if to == ".duckdb":  # which has a game once
        kinds = kinds[1:2]
    sources = [as_source(kind, tmp_path / f"source{n}")[0] for n, kind in enumerate(kinds)]
    out = tmp_path / f"out{to}"
    ran = arena("convert", *sources, out)
    assert ran.status == 0, ran.err
    back = arena("select", out, "--where", "game = yavalath")
    rounds = [line for line in back.out.splitlines() if line.startswith("[Round ")]
    assert rounds == [f'[Round "{n}"]' for n in range(3)] * len(sources)


def test_a_joined_file_may_be_one_of_the_sources(tmp_path: Path) -> None:
    one, two = tmp_path / "a.lath", tmp_path / "b.csv"
    one.write_bytes(LATH)
    two.write_bytes(written("csv", 0))
    assert arena("convert", one, two, one).status == 0
    assert arena("select", one, "--count", "--count-again").out == "6\n"


def test_a_share_of_a_part_of_the_games_says_of_how_many(tmp_path: Path) -> None:
    path = tmp_path / "games.lath"
    head = '[Game "yavalath"]\n[Termination "resignation"]\n\n'
    path.write_text(f'{head}1. e5 2. d4 1-0\n\n[Game "yavalath"]\n\n1. e5 *\n\n{head}1. e5 0-1\n')
    told = arena("stats", path).out
    assert "first player's score: 2 of 3 games (finished)" in told
    assert "openings: 1 of 3 games (with 2 plies)" in told
