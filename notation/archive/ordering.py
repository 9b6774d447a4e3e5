"""Sorting more than fits into memory: sorted runs in temporary files, merged when all are there.

Must not know what it sorts: keys are bytes, and so is what they order.
"""

from __future__ import annotations

import heapq
import struct
import tempfile
from collections.abc import Iterable, Iterator
from operator import itemgetter
from typing import IO, Final

MEMORY: Final = 64 << 20
"""Bytes of what is being sorted that are in memory at once."""

_OVERHEAD: Final = 150
"""Bytes that Python takes for two values, their pair and its place in a list."""

_MOST_RUNS: Final = 64
"""Files open at once; common limits for a process are 256 and 1024."""

_LENGTHS: Final = struct.Struct(">II")

_BUFFER: Final = 1 << 17

Item = tuple[bytes, bytes]
"""A key, and what it orders."""

_KEY: Final = itemgetter(0)


def in_order(
    items: Iterable[Item], *, reverse: bool = False, memory: int = MEMORY
) -> Iterator[bytes]:
    """Yield what `items` hold in the order of their keys; equal keys stay in their order.

    `memory` is in bytes. What is over it lies in temporary files without a name, which vanish
    when the process ends, however it ends. Raises OSError where there is no room for them.

    >>> list(in_order([(b"2", b"two"), (b"1", b"one"), (b"2", b"deux")]))
    [b'one', b'two', b'deux']
    """
    runs: list[IO[bytes]] = []
    try:
        chunk: list[Item] = []
        size = 0
        for item in items:
            chunk.append(item)
            size += len(item[0]) + len(item[1]) + _OVERHEAD
            if size >= memory:
                chunk.sort(key=_KEY, reverse=reverse)
                _spill(runs, chunk, reverse)
                chunk.clear()
                size = 0
        chunk.sort(key=_KEY, reverse=reverse)
        sources = [*map(_read, runs), iter(chunk)]
        for _, value in heapq.merge(*sources, key=_KEY, reverse=reverse):
            yield value
    finally:
        for run in runs:
            run.close()


def _spill(runs: list[IO[bytes]], chunk: list[Item], reverse: bool) -> None:
    """Write a sorted chunk to a run of its own; many runs become one first."""
    if len(runs) == _MOST_RUNS:
        merged = _written(heapq.merge(*map(_read, runs), key=_KEY, reverse=reverse))
        for run in runs:
            run.close()
        runs[:] = [merged]
    runs.append(_written(chunk))


def _written(items: Iterable[Item]) -> IO[bytes]:
    run = tempfile.TemporaryFile(prefix="arena-sort-", buffering=_BUFFER)  # noqa: SIM115 - the caller closes it
    try:
        for key, value in items:
            run.write(_LENGTHS.pack(len(key), len(value)))
            run.write(key)
            run.write(value)
        run.seek(0)
    except BaseException:
        run.close()
        raise
    return run


def _read(run: IO[bytes]) -> Iterator[Item]:
    while lengths := run.read(_LENGTHS.size):
        key, value = _LENGTHS.unpack(lengths)
        yield run.read(key), run.read(value)
