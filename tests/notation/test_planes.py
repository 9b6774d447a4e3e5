"""Positions as numbers for machine learning: what they mean, and files of them."""

from __future__ import annotations

import ast
import io
import json
import math
import re
import zipfile
from array import array
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from game_files import EXAMPLES, forget_games
from places import page_text
from sample_records import BUILT_IN, random_game

from lath import games
from lath.notation import Record, parse
from lath.notation.formats import FormatError, Numbered, plane_writer
from lath.notation.tables.planes import Encoding, PlanesError

GAME = parse('[Game "yavalath"] [Termination "resignation"] 1. e5 {[%eval 0.25]} 2. swap 3. d4 0-1')

UNFINISHED = parse('[Game "yavalath"] 1. a1 *')


def written(name: str, records: Iterable[Record | Numbered]) -> tuple[bytes, list[tuple[int, str]]]:
    """Return a file and what was lost; records have the numbers 5, 6, … unless they bring some."""
    lost: list[tuple[int, str]] = []
    numbered = (
        (number, record) if isinstance(record, Record) else record
        for number, record in enumerate(records, 5)
    )
    content = b"".join(plane_writer(name)(numbered, lambda *what: lost.append(what)))
    return content, lost


def npz(content: bytes) -> dict[str, tuple[str, tuple[int, ...], list[Any]]]:
    """Return type, shape and values of each array, read by the letter of numpy's NEP 1."""
    found = {}
    with zipfile.ZipFile(io.BytesIO(content)) as zipped:
        assert zipped.testzip() is None
        for name in zipped.namelist():
            data = zipped.read(name)
            assert data[:8] == b"\x93NUMPY\x01\x00"
            end = 10 + int.from_bytes(data[8:10], "little")
            assert (end % 64, data[end - 1 : end]) == (0, b"\n")
            head = ast.literal_eval(data[10:end].decode("ascii"))
            kind = head["descr"]
            if kind[1] == "U":
                size = 4 * int(kind[2:])
                values: list[Any] = [
                    data[at : at + size].decode("utf-32-le").rstrip("\0")
                    for at in range(end, len(data), size)
                ]
            else:
                codes = {"u1": "B", "i4": "i", "f4": "f", "i8": "q"}
                numbers = array(codes[kind[1:]])
                numbers.frombytes(data[end:])
                values = numbers.tolist()
            assert len(values) == math.prod(head["shape"])
            found[name.removesuffix(".npy")] = (kind, head["shape"], values)
    return found


def test_a_plane_has_the_cells_of_one_kind_of_piece_and_the_last_who_is_to_move() -> None:
    encoding = Encoding(games.get("yavalath"))
    assert encoding.planes == ("white stone", "black stone", "second to move")
    one, two, three = encoding.rows(GAME, 1)
    cells = len(encoding.cells)
    assert one.planes == bytes(3 * cells)
    e5 = encoding.cells.index("e5")
    assert (two.planes[e5], sum(two.planes)) == (1, 1 + cells)
    assert (three.planes[cells + e5], sum(three.planes)) == (1, 1)  # it has changed its colour
    assert [encoding.moves[row.move] for row in (one, two, three)] == ["e5", "swap", "d4"]
    assert [(row.seat, row.score, row.eval) for row in (one, two, three)] == [
        (0, 0.0, 0.25),
        (1, 1.0, None),
        (0, 0.0, None),
    ]


@pytest.mark.parametrize("game_id", BUILT_IN)
def test_planes_and_the_grid_say_what_lies_where_and_each_move_has_an_index(game_id: str) -> None:
    game, record = games.get(game_id), random_game(game_id, 4)
    encoding = Encoding(game)
    assert len(set(encoding.moves)) == len(encoding.moves)
    codes = [piece.code for piece in game.pieces]
    position: Any = game.start(record.tag("Setup") or None)
    for row in encoding.rows(record, 1):
        assert all(encoding.moves[encoding.index(m)] == m for m in position.legal_moves())
        size = len(encoding.cells)
        planes = [row.planes[at : at + size] for at in range(0, len(row.planes), size)]
        assert len(planes) == len(encoding.planes) == len(codes) + 1
        assert [
            {code for code, plane in zip(codes, planes, strict=False) if plane[cell]}
            for cell in range(size)
        ] == list(map(set, position.contents()))
        position = position.play(encoding.moves[row.move])
    board = game.board
    assert len(set(board.grid)) == len(board.names)
    ways = {(0, 1), (1, 0), (1, 1 if board.shape == "hexagon" else -1), (1, 1)}
    for cell, here in enumerate(board.grid):
        for other in board.neighbours(cell):
            there = board.grid[other]
            step = there[0] - here[0], there[1] - here[1]
            assert step in ways or (-step[0], -step[1]) in ways


def test_both_formats_have_the_same_numbers_and_say_what_they_mean() -> None:
    content, lost = written("npz", [GAME, UNFINISHED])
    assert lost == [(1, "tags")], "who played, and when, is told nowhere"
    arrays = npz(content)
    encoding = Encoding(games.get("yavalath"))
    assert arrays["planes"][:2] == ("|u1", (4, 3, 61))
    assert arrays["moves"][1:] == ((62,), list(encoding.moves))
    assert arrays["cells"][1:] == ((61,), list(encoding.cells))
    assert arrays["plane_names"][2] == list(encoding.planes)
    assert arrays["game"] == ("<U8", (), ["yavalath"])
    assert arrays["grid"][1:] == ((61, 2), [n for place in encoding.game.board.grid for n in place])
    table = pq.read_table(io.BytesIO(written("parquet", [GAME, UNFINISHED])[0]))
    meaning = json.loads(table.schema.metadata[b"lath"])
    assert {name: value for name, value in meaning.items() if name != "grid"} == {
        "game": "yavalath",
        **{name: arrays[name][2] for name in ("plane_names", "cells", "moves")},
    }
    rows = table.to_pylist()
    assert [n for row in rows for n in row["planes"]] == arrays["planes"][2]
    for name in ("move", "seat", "record", "ply"):
        assert [row[name] for row in rows] == arrays[name][2]
    for name in ("score", "eval"):
        numbers = [None if math.isnan(n) else n for n in arrays[name][2]]
        assert [row[name] for row in rows] == numbers
    assert [row["record"] for row in rows] == [5, 5, 5, 6]
    assert (rows[3]["score"], rows[0]["eval"]) == (None, 0.25)


def test_a_file_has_one_game_and_only_moves_that_are_legal() -> None:
    records = [GAME, random_game("surikata", 1), parse('[Game "yavalath"] e5 e5 *'), UNFINISHED]
    content, lost = written("parquet", records)
    assert lost == [
        (1, "tags"),
        (2, "game surikata beside yavalath"),
        (2, "the record"),
        (3, "the position before an illegal move"),
        (3, "the record"),
    ]
    assert pq.read_table(io.BytesIO(content))["record"].to_pylist() == [5, 5, 5, 8]


def test_a_record_of_another_game_has_no_numbers() -> None:
    for game_id in ("yavalath:size=4", "surikata", "chess"):
        record = parse(f'[Game "{game_id}"] 1. a1 *')
        told = f"the record is of '{game_id}', expected one of 'yavalath'"
        with pytest.raises(PlanesError, match=told):
            list(Encoding(games.get("yavalath")).rows(record, 1))


def test_a_game_that_lists_no_moves_has_the_indexes_of_its_records() -> None:
    game = games.add(EXAMPLES / "amazons.py")
    records = [random_game(game.id, seed) for seed in (1, 2)]
    content, lost = written("npz", records)
    assert lost[0][0] == 1
    assert "an index of each move, because amazons lists none" in lost[0][1]
    arrays = npz(content)
    moves, played = arrays["moves"][2], [move for record in records for move in record.moves]
    assert [moves[index] for index in arrays["move"][2]] == played
    assert len(moves) == len({*played})
    table = pq.read_table(io.BytesIO(written("parquet", records)[0]))
    assert json.loads(table.schema.metadata[b"lath"])["moves"] == moves
    assert table["move"].to_pylist() == arrays["move"][2]
    forget_games()


def test_what_no_planes_can_be_made_of_is_refused_in_words() -> None:
    refused = {
        "planes need at least one record": "",
        "unknown game 'chess'": "chess",
    }
    for words, game in refused.items():
        for name in ("npz", "parquet"):
            with pytest.raises(FormatError, match=words):
                written(name, [parse(f'[Game "{game}"] e4 *')] if game else [])


def test_the_example_of_the_docs_names_arrays_that_there_are(tmp_path: Path) -> None:
    """It is run where numpy is installed, which no part of the project needs."""
    page = page_text("formats")
    example = page.split("```py\n")[1].split("```\n")[0]
    content, _ = written("npz", [GAME, UNFINISHED])
    named = re.findall(r'data\["(\w+)"\]', example)
    assert set(named) > {"planes", "move", "score", "grid"}
    assert set(named) <= set(npz(content))
    assert 8 <= len(example.splitlines()) <= 12
    path = tmp_path / "plies.npz"
    path.write_bytes(content)
    code = compile(example.replace("plies.npz", str(path)), "formats.md", "exec")
    if find_spec("numpy"):
        exec(code, {})
