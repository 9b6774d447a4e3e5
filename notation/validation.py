"""Whole files of records checked: what is wrong, exact counts, on one core or several."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from lath.notation.errors import Problem
from lath.notation.files import open_bytes, read_errors
from lath.notation.quick_check import sound_plies
from lath.notation.reader import Chunk, chunks, entry_of, texts_of

if TYPE_CHECKING:
    from concurrent.futures import Future


@dataclass(frozen=True, slots=True)
class Findings:
    """What a part of a file holds."""

    records: int = 0
    bad: int = 0
    """Records with a problem."""
    plies: int = 0
    """Of the main lines of all records that could be read."""
    problems: tuple[Problem, ...] = ()
    """In order."""


def validate(path: str | Path, *, jobs: int = 1) -> Iterator[Findings]:
    """Yield what stands in a file part by part, in order, checked by `jobs` processes.

    `-` is standard input. Memory stays flat: a few parts of about a megabyte. Raises OSError.
    """
    with open_bytes(path) as stream:
        yield from validate_stream(stream, str(path), jobs=jobs)


def validate_stream(stream: BinaryIO, name: str, *, jobs: int = 1) -> Iterator[Findings]:
    """Yield what stands in a stream, as `validate` does; `name` is what problems call it."""
    number = 0
    in_turn = (validate_chunk(chunk, name) for chunk in chunks(stream))
    for found in in_turn if jobs == 1 else _in_parallel(stream, name, jobs):
        problems = [replace(p, record=p.record + number) for p in found.problems]
        yield replace(found, problems=tuple(problems))
        number += found.records


def _in_parallel(stream: BinaryIO, name: str, jobs: int) -> Iterator[Findings]:
    """Yield what the chunks hold, in order; at most two chunks a process are under way.

    If a place of the file cannot be read, what came before it is yielded before that is raised.
    """
    from concurrent.futures import ProcessPoolExecutor  # costs as much as the rules of all games
    from multiprocessing import get_context

    waiting: deque[Future[Findings]] = deque()
    unread: Exception | None = None
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        try:
            try:
                for chunk in chunks(stream):
                    waiting.append(pool.submit(validate_chunk, chunk, name))
                    if len(waiting) > 2 * jobs:
                        yield waiting.popleft().result()
            except read_errors() as error:
                unread = error
            while waiting:
                yield waiting.popleft().result()
            if unread is not None:
                raise unread
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def validate_chunk(chunk: Chunk, name: str) -> Findings:
    """Return what a chunk holds, its records being numbered as if no chunk came before."""
    records = bad = plies = 0
    problems: list[Problem] = []
    for text in texts_of(chunk):
        records += 1
        count = None if text.fault else sound_plies(text.text)
        if count is None:
            entry = entry_of(text, name, records)
            bad += bool(entry.problems)
            problems += entry.problems
            count = len(entry.record.plies) if entry.record else 0
        plies += count
    return Findings(records, bad, plies, tuple(problems))
