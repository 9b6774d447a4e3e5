"""Positions as numbers in files for machine learning: Parquet and numpy's `.npz`.

`lath.notation.tables.planes` defines the numbers. A file has the positions of one game, because
other games have other cells. Records of another game than the first one are left out and reported.

`.npz` is a zip file of arrays, each with a header and its values (numpy's enhancement proposal 1).
It is written without numpy.
"""

from __future__ import annotations

import json
import sys
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from itertools import chain, islice
from typing import IO, Any, Final
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from lath import games
from lath.games.errors import GameError
from lath.notation.files.files import temporary_file
from lath.notation.formats import FormatError, Lost, Numbered, UnheldError, held
from lath.notation.formats.tables import Written, arrow
from lath.notation.record.record import Record, all_comments
from lath.notation.tables.planes import Encoding, PlyNumbers

PLIES_AT_ONCE: Final = 10_000
"""The number of positions in memory."""


def parquet_of_planes(records: Iterable[Numbered], lost: Lost) -> Iterator[bytes]:
    """Yield a table with one row per ply; its metadata `lath` explains the numbers in JSON.

    Raises FormatError if pyarrow is missing, or if no record is given.
    """
    pa, parquet = arrow()
    encoding, rows = _encoded(records, lost)
    if not encoding.is_complete:
        rows = iter(list(rows))  # the metadata come first, and have every move
    size = len(encoding.planes) * len(encoding.cells)
    fields = [
        ("record", pa.int64()),
        ("ply", pa.int32()),
        ("seat", pa.uint8()),
        ("planes", pa.list_(pa.uint8(), size)),
        ("move", pa.int32()),
        ("score", pa.float32()),
        ("eval", pa.float32()),
    ]
    may_be_none = ("score", "eval")
    schema = pa.schema([pa.field(name, kind, name in may_be_none) for name, kind in fields])
    schema = schema.with_metadata({"lath": json.dumps(_meaning(encoding), ensure_ascii=False)})
    file = Written()
    with parquet.ParquetWriter(pa.PythonFile(file, mode="w"), schema) as writer:
        while some := list(islice(rows, PLIES_AT_ONCE)):
            arrays = []
            for values, field in zip(zip(*some, strict=True), schema, strict=True):
                if field.name == "planes":
                    flat = pa.py_buffer(b"".join(values))
                    inner = pa.Array.from_buffers(pa.uint8(), len(flat), [None, flat])
                    arrays.append(pa.FixedSizeListArray.from_arrays(inner, size))
                else:
                    arrays.append(pa.array(values, field.type))
            writer.write_table(pa.Table.from_arrays(arrays, schema=schema))
            yield file.take()
    yield file.take()


_ORDER: Final = {"little": "<", "big": ">"}[sys.byteorder]

_ARRAYS: Final = {
    "planes": ("B", "|u1"),
    "move": ("i", f"{_ORDER}i4"),
    "score": ("f", f"{_ORDER}f4"),
    "eval": ("f", f"{_ORDER}f4"),
    "seat": ("B", "|u1"),
    "record": ("q", f"{_ORDER}i8"),
    "ply": ("i", f"{_ORDER}i4"),
}
"""The types of the arrays with one entry per ply: Python's and numpy's."""

_BLOCK: Final = 1 << 20


def npz_of_planes(records: Iterable[Numbered], lost: Lost) -> Iterator[bytes]:
    """Yield a zip file of arrays with one entry per ply; `planes` has the axes ply, plane, cell.

    Further arrays are `game`, `plane_names`, `cells`, `moves` and `grid`. Missing numbers are NaN.
    Raises FormatError if no record is given.
    """
    encoding, rows = _encoded(records, lost)
    nan = float("nan")
    pieces = Written()
    with ExitStack() as stack:
        files = {
            name: stack.enter_context(temporary_file()) for name in _ARRAYS
        }  # the number of plies comes first in the file
        count = 0
        while some := list(islice(rows, PLIES_AT_ONCE)):
            count += len(some)
            for name, values in zip(PlyNumbers._fields, zip(*some, strict=True), strict=True):
                if name == "planes":
                    files[name].writelines(values)
                else:
                    numbers = (nan if value is None else value for value in values)
                    files[name].write(array(_ARRAYS[name][0], numbers).tobytes())
        zipped = stack.enter_context(ZipFile(pieces, "w", ZIP_DEFLATED))
        for name, file in files.items():
            shape = [count]
            if name == "planes":
                shape += [len(encoding.planes), len(encoding.cells)]
            yield from _member(
                zipped, pieces, name, _header(_ARRAYS[name][1], shape), _blocks(file)
            )
        meaning = _meaning(encoding)
        grid = array("i", chain.from_iterable(meaning.pop("grid")))
        head = _header(f"{_ORDER}i4", [len(encoding.cells), 2])
        yield from _member(zipped, pieces, "grid", head, [grid.tobytes()])
        for name, value in meaning.items():
            yield from _member(zipped, pieces, name, *_texts(value))
    yield pieces.take()


def _member(
    zipped: ZipFile, pieces: Written, name: str, header: bytes, blocks: Iterable[bytes]
) -> Iterator[bytes]:
    info = ZipInfo(
        f"{name}.npy", (1980, 1, 1, 0, 0, 0)
    )  # without the time, equal records give equal files
    info.compress_type = ZIP_DEFLATED
    with zipped.open(info, "w", force_zip64=True) as member:
        for block in chain([header], blocks):
            member.write(block)
            yield pieces.take()


def _blocks(file: IO[bytes]) -> Iterator[bytes]:
    file.seek(0)
    return iter(partial(file.read, _BLOCK), b"")


def _header(kind: str, shape: Sequence[int]) -> bytes:
    """Return the header of an array."""
    sizes = "".join(f"{size}, " for size in shape)
    words = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': ({sizes}), }}"
    words = words.ljust(-(-(len(words) + 11) // 64) * 64 - 11) + "\n"
    return b"\x93NUMPY\x01\x00" + len(words).to_bytes(2, "little") + words.encode("ascii")


def _texts(value: str | Sequence[str]) -> tuple[bytes, list[bytes]]:
    """Return the header and values of an array of texts, or of a single text."""
    texts = [value] if isinstance(value, str) else list(value)
    longest = max(map(len, texts), default=1) or 1
    kind = "utf-32-le" if _ORDER == "<" else "utf-32-be"
    shape = [] if isinstance(value, str) else [len(texts)]
    values = [text.ljust(longest, "\0").encode(kind) for text in texts]
    return _header(f"{_ORDER}U{longest}", shape), values


def _meaning(encoding: Encoding) -> dict[str, Any]:
    """Return the meaning of the numbers: planes, cells with their coordinates, all moves."""
    return {
        "game": encoding.game.id,
        "plane_names": list(encoding.planes),
        "cells": list(encoding.cells),
        "grid": [list(place) for place in encoding.game.board.grid],
        "moves": list(encoding.moves),
        **({} if encoding.moves else {"move_count": encoding.move_count}),
    }


def _encoded(records: Iterable[Numbered], lost: Lost) -> tuple[Encoding, Iterator[PlyNumbers]]:
    """Return the encoding of the first record's game, and the plies of all its records."""
    found = iter(records)
    if (first := next(found, None)) is None:
        raise FormatError("planes need at least one record")
    try:
        encoding = Encoding(games.get(first[1].game))
    except GameError as error:
        raise FormatError(str(error)) from error
    if not encoding.is_complete:
        lost(
            1,
            f"an index of each move, because {encoding.game.id} lists none; the indexes are those "
            "of `moves`, which has the moves of these records only",
        )
    return encoding, _rows(encoding, chain([first], found), lost)


def _rows(encoding: Encoding, records: Iterable[Numbered], lost: Lost) -> Iterator[PlyNumbers]:
    def hold(numbered: Numbered) -> tuple[list[PlyNumbers], Iterator[str]]:
        number, record = numbered
        try:
            if games.get(record.game).id != encoding.game.id:
                raise UnheldError(f"game {record.game} beside {encoding.game.id}")
            return list(encoding.rows(record, number)), _untold(record, encoding)
        except GameError as error:
            raise UnheldError("the position before an illegal move") from error

    return chain.from_iterable(held(records, lost, hold))


def _untold(record: Record, encoding: Encoding) -> Iterator[str]:
    """Yield the kinds of data that the arrays lack; players and dates count as one kind."""
    yield from encoding.texts
    if any(name not in _HELD and value for name, value in record.tags):
        yield "tags"
    said = chain.from_iterable(all_comments(record))
    if any(isinstance(part, str) or part.name != "eval" for part in said):
        yield "comments"
    if any(ply.glyph for ply in record.plies):
        yield "glyphs"
    if any(ply.variations for ply in record.plies):
        yield "variations"


_HELD: Final = frozenset({"Game", "Result", "Setup", "Position"})
"""Tags whose data is in the arrays."""
