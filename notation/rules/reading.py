"""Files and streams as entries, one per record: the record, or the problems of its text.

`entry_of` tries `quick_check`, then `text.scanner` with `replay`, then `text.parser` with `replay`.
`validation` counts the entries of whole files.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import BinaryIO

from lath.notation.files.files import open_bytes
from lath.notation.files.parallel import in_order
from lath.notation.record.errors import (
    Fault,
    OtherGameError,
    Problem,
    RecordError,
    RecordSyntaxError,
    RecordValueError,
)
from lath.notation.record.record import Record, tag_faults
from lath.notation.rules.quick_check import valid_game
from lath.notation.rules.replay import faults_of
from lath.notation.text.scanner import parts
from lath.notation.text.splitting import Chunk, Entry, RecordText, chunks, texts_of


def read(
    path: str | Path, *, on_problem: Callable[[Problem], object] | None = None
) -> Iterator[Record]:
    """Yield the records of a file lazily; `-` is standard input.

    The moves are not played; use `notation.check` for that. Raises OSError if the file cannot be
    read, and RecordError at the first text that is not a record. With `on_problem`, reading
    continues instead: the function is called with each problem, and such texts are skipped.
    """
    for entry in entries(path, rules=False):
        if entry.record is not None and not entry.problems:
            yield entry.record
        elif on_problem is None:
            raise RecordError(entry.problems[0])
        else:
            for problem in entry.problems:
                on_problem(problem)


def entries(path: str | Path, *, rules: bool = True, jobs: int = 1) -> Iterator[Entry]:
    """Yield an entry for each record of a file, with its problems. Raises OSError.

    With `rules`, `jobs` processes play the moves and check results, tags and annotations. Without
    it, an entry is valid if its text is a record and its tags begin with Game and are unique.
    """
    with open_bytes(path) as stream:
        yield from entries_of(stream, str(path), rules=rules, jobs=jobs)


def entries_of(
    stream: BinaryIO, name: str, *, rules: bool = True, jobs: int = 1
) -> Iterator[Entry]:
    """Yield the entries of a stream, as `entries` does; problems call the stream `name`."""
    if rules and jobs > 1:
        return entries_judged_apart(stream, name, jobs)
    texts = enumerate(chain.from_iterable(map(texts_of, chunks(stream))), 1)
    return (entry_of(text, name, number, rules=rules) for number, text in texts)


def entries_judged_apart(stream: BinaryIO, name: str, jobs: int) -> Iterator[Entry]:
    """Yield the entries of a stream; `jobs` processes find the invalid ones.

    The processes send back only invalid entries. This process reads the valid ones again, because
    that takes less time than sending them.
    """
    waiting: deque[Chunk] = deque()

    def sent() -> Iterator[Chunk]:
        for chunk in chunks(stream):
            waiting.append(chunk)
            yield chunk

    number = 0
    for bad in in_order(partial(_bad_in, name=name), sent(), jobs, may_fork=True):
        for place, text in enumerate(texts_of(waiting.popleft())):
            number += 1
            if (found := bad.get(place)) is None:
                yield entry_of(text, name, number, rules=False)
            else:
                problems = tuple(replace(problem, record=number) for problem in found.problems)
                yield replace(found, number=number, problems=problems)


def _bad_in(chunk: Chunk, name: str) -> dict[int, Entry]:
    """Return the invalid entries of a chunk by place, with numbers as in a file of their own."""
    return {
        place: entry
        for place, text in enumerate(texts_of(chunk))
        if (text.fault or not valid_game(text.text)) and (entry := entry_of(text, name, 1)).problems
    }


def entry_of(text: RecordText, name: str, number: int, *, rules: bool = True) -> Entry:
    """Return the entry of one text, the `number`-th of the file that problems call `name`.

    Certainly valid texts are read quickly. Other texts that the scanner can read are checked move
    by move. Lark reads the rest, to find the place of the error.
    """
    if not text.fault:
        game = valid_game(text.text) if rules else None
        found = game.parts if game else parts(text.text)
        record = found and found.record()
        if record and (game or not (any(tag_faults(record)) or (rules and faults_of(record)))):
            return Entry(number, text.line, record, (), text.text)
    elif text.fault.code != "syntax":
        return text.entry(name, number, None, [text.fault])
    from lath.notation.text.parser import parse_closely  # Lark takes long to import

    try:
        parsed = parse_closely(text.text)
    except RecordSyntaxError as error:
        return text.entry(name, number, None, [error.fault])
    if text.fault:
        return text.entry(name, number, None, [text.fault])
    faults = list(tag_faults(parsed.record)) or (faults_of(*parsed) if rules else [])
    return text.entry(name, number, parsed.record, faults)


def entries_from(
    texts: Iterable[RecordText],
    name: str,
    read: Callable[[RecordText], tuple[Record | None, Sequence[Fault]]],
) -> Iterator[Entry]:
    """Yield the entries of another format.

    `read` must return a record or raise RecordSyntaxError.
    """
    for number, text in enumerate(texts, 1):
        record: Record | None = None
        faults: Sequence[Fault] = [text.fault] if text.fault else []
        other = ""
        if not faults:
            try:
                record, faults = read(text)
            except (RecordSyntaxError, RecordValueError) as error:
                faults = [error.fault]
                other = error.game if isinstance(error, OtherGameError) else ""
        entry = text.entry(name, number, record, faults)
        yield replace(entry, other_game=other) if other else entry
