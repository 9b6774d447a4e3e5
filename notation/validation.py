"""Whole files of records checked: what is wrong, exact counts, on one core or several.

Sound records are told from others by the whole line of moves at once; whatever is not surely sound
is read and checked closely by `reader.entry_of`, which alone says what is wrong.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

from lath.games.core import Outcome, Position, Seat, follow, result_of
from lath.games.errors import GameError
from lath.notation.errors import Problem
from lath.notation.reader import Chunk, chunks, entry_of, open_bytes, read_errors, texts_of
from lath.notation.replay import check_tag, end_faults, result_faults, start_from
from lath.notation.scanner import NUMBERS, parts, unquoted

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


def sound_plies(text: str) -> int | None:
    """Return how many plies the record that `text` is has; None where it may not be sound."""
    scanned = parts(text)
    if scanned is None:
        return None
    tags, before, moves, result = scanned
    if len(text) - len(moves) > 2000:  # what follows remembers the values of tags
        return None
    values = dict(tags)
    tag = values.get
    if tags[0][0] != "Game" or len(values) != len(tags):
        return None
    if before and _HARMLESS.sub("", before).strip():
        return None
    if not _tags_are_sound(tag("Date"), tag("TimeControl")):
        return None
    line = _line(moves)
    start = _start(tag("Game", ""), tag("Setup"), tag("Position"))
    end = follow(start, line) if start else None
    if end is None:
        return None
    is_sound = _ends_soundly(tag("Result"), result, tag("Termination"), result_of(end))
    return len(line) if is_sound else None


@lru_cache(maxsize=4096)
def _tags_are_sound(date: str | None, time_control: str | None) -> bool:
    """Return whether nothing is wrong with these values, in their quotes; None where missing."""
    values = (("Date", date), ("TimeControl", time_control))
    return not any(check_tag(name, unquoted(value)) for name, value in values if value)


@lru_cache(maxsize=1024)
def _ends_soundly(tag: str | None, result: str, termination: str | None, ruled: str) -> bool:
    """Return whether a record may end so; the values of tags are in their quotes.

    `ruled` is the result of the rules, `*` where the game goes on.
    """
    why = unquoted(termination) if termination else ""
    winner = {"1-0": Seat.FIRST, "0-1": Seat.SECOND}.get(ruled)
    faults = (
        check_tag("Termination", why),
        *result_faults(unquoted(tag) if tag else "", result, why),
        *end_faults(result, why, None if ruled == "*" else Outcome(winner, "")),
    )
    return not any(faults)


def _line(moves: str) -> list[str]:
    """Return the moves, without what is harmless; with words that no game knows if more is left."""
    if "{" in moves or "!" in moves or "?" in moves or ";" in moves:
        moves = _HARMLESS.sub(" ", moves)
    words = moves.split()
    return words[1::2] if words[::2] == NUMBERS[: len(words) // 2] else words


_HARMLESS: Final = re.compile(
    r"""
    \{ (?: [^{}\[]++ | \[% (?: (?:emt|clk)\ [0-9]{1,9}(?:\.[0-9]*)?
                            | eval\ -?(?:0(?:\.[0-9]*)?|1(?:\.0*)?)
                            | (?:depth|nodes)\ [0-9]{1,18}
                            | pv\ [^\[\]{}]*+ ) \] )*+ \}
    | ;[^\n\[;]*+(?=\n)
    | [!?]
    """,
    re.VERBOSE,
)
"""Comments about which nothing can be wrong, and glyphs: checking the moves goes on without them.

What is left of any other comment is no move of any game."""


@lru_cache(maxsize=4096)
def _start(game: str, setup: str | None, position: str | None) -> Position | None:
    """Return the first position of a record; None where something may be wrong with it.

    The values are in their quotes.
    """
    if position and setup:
        return None
    try:
        return start_from(*(unquoted(value or "") for value in (game, setup, position)))
    except GameError:
        return None
