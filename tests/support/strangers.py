"""Entrances for untrusted data, each with typical input and a function that reads it.

An entrance gets input that is slightly changed, spliced, cut or invalid, and may refuse it in its
own way. Any other exception is a fault of the arena. Must not know how the data is used.
"""

from __future__ import annotations

import io
import json
import re
import signal
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache, partial
from pathlib import Path
from random import Random
from types import FrameType
from typing import Final, NamedTuple

from babblers import SIGNS as SPOKEN
from commands import arena
from places import DOC_PAGES, ROOT, page_text
from record_texts import SIGNS as NOTATION
from record_texts import mutant, written
from results import a_result
from sample_records import BUILT_IN, random_game
from schedules import NAMES, a_schedule, outcome, played
from walks import walk

from lath import games, notation
from lath.arena.directory import OUTCOME, RECORDS
from lath.arena.errors import ArenaError, Cause, ConfigError
from lath.arena.schedule.formats import FORMATS
from lath.arena.schedule.openings import Book, BookChoice
from lath.arena.tournament.configuration.config import load
from lath.arena.tournament.outcome.notes import outcome_in
from lath.arena.tournament.outcome.sources import records_of
from lath.arena.tournament.store.jobs import PairResult, read_result
from lath.games.errors import GameError
from lath.notation import formats
from lath.notation.archive.archive import KeyNameError, identity, keys
from lath.notation.files.files import COMPRESSIONS, compressed
from lath.notation.query.query import QueryError, compile_query
from lath.notation.record.record import Record
from lath.notation.rules.reading import entries_of
from lath.notation.rules.replay import canonical, end_of
from lath.notation.rules.validation import check, validate_stream
from lath.notation.text.splitting import Entry
from lath.reports.counting.standings import Refused
from lath.reports.notes import outcome as outcomes

LONGEST_S: Final = 20
"""The maximum of processor seconds for one case; more counts as endless."""


class FoundError(AssertionError):
    """An entrance neither accepted nor refused its input."""


Meet = Callable[[bytes], bool]

BYTES: Final = tuple(map(chr, range(256)))


class Door(NamedTuple):
    """An entrance for untrusted data."""

    usual: Callable[[], Sequence[str]]
    """Typical inputs: bytes, as Latin-1 characters."""

    signs: Sequence[str]
    """Pieces that can be inserted."""

    meet: Meet
    """Returns whether the input was accepted; any exception is a fault."""


def case_of(door: Door, chance: Random) -> bytes:
    """Return a typical input with changes; some are cut, or pieces in random order."""
    usual = door.usual()
    kind = chance.random()
    if kind < 0.05:
        text = "".join(chance.choices(door.signs, k=chance.randrange(30)))
    else:
        text = mutant(chance.choice(usual), chance.choice(usual), chance, door.signs)
    if kind > 0.9:
        text = text[: chance.randint(0, len(text))]
    return text.encode("latin-1", "replace")


def met(name: str, number: int) -> bool:
    """Return whether an entrance accepts the numbered case; raises FoundError."""
    content = case_of(DOORS[name], Random(f"{name} {number}"))
    try:
        with _no_longer_than(LONGEST_S):
            return DOORS[name].meet(content)
    except Exception as error:
        shown = content if len(content) < 2000 else content[:2000] + b"..."
        raise FoundError(f"{name}, case {number}: {shown!r}") from error


@contextmanager
def _no_longer_than(seconds: float) -> Iterator[None]:
    """Raise TimeoutError in a computation that takes longer."""

    def give_up(_signal: int, _frame: FrameType | None) -> None:
        raise TimeoutError(f"it computes for more than {seconds} s")

    before = signal.signal(signal.SIGVTALRM, give_up)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _latin(texts: Sequence[str]) -> Sequence[str]:
    return [text.encode().decode("latin-1") for text in texts]


@contextmanager
def _file(name: str, content: bytes) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(content)
        yield path


def _refused(said: object) -> bool:
    """Assert that a message is safe to print and not too long; return False."""
    text = str(said)
    assert text
    assert text.replace("\n", "").replace("\t", "").isprintable(), text
    assert len(text) < 200_000
    return False


# Configurations


@cache
def _configs() -> Sequence[str]:
    """Return the configurations in the documentation."""
    texts = [
        found
        for page in DOC_PAGES
        for found in re.findall(r"^```toml\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)
    ]
    bots = '\n[[bot]]\nname = "random"\n\n[[bot]]\nname = "b"\ncommand = ["python", "b.py"]\n'
    return _latin([*texts, *(f"{text}{bots}" for text in texts), bots])


_TOML: Final = (
    "[", "]", "[[", "]]", "{", "}", "=", ".", ",", '"', "'", '"""', "\n", "#", "\\", "\\u0000",
    "\x00", "\xff", "\t", "1", "-1", "0", "9" * 30, "9" * 5000, "1e999", "nan", "inf", "-inf",
    "0x", "1979-05-27", "true", "[]", "{}", "''", "a." * 50, "[" * 40, "name", "bot", "time",
    "sprt", "openings", "'10s'", "'99999999999h'", "'1e3 GiB'", "[[bot]]", "[time]",
    "'\xe2\x80\xae'",
)  # fmt: skip


def _meet_config(content: bytes) -> bool:
    with _file("cup.toml", content) as path:
        try:
            config = load(path, path.parent)
        except ConfigError as error:
            return _refused(error)
    json.dumps(config.identity())
    return True


# Records, and files that contain them


@cache
def _records() -> Sequence[str]:
    """Return games as a run and people write them, annotated, and a file of several."""
    played = [random_game(game_id, 1, annotated=True) for game_id in BUILT_IN]
    by_people = [written(Random(number)) for number in range(20)]
    return _latin([*notation.format_records(played), *by_people, "\n\n".join(by_people[:3])])


def _take(record: Record) -> None:
    """Do with a record, valid or not, what the arena does with every one."""
    faults = check(record)
    end = None
    with suppress(GameError):
        end = end_of(record)
    assert faults or record.plies == () or end is not None
    identity(record)
    again = canonical(record)
    for name in formats.WRITABLE:
        if name != "parquet":
            for block in formats.writer(name)([record, again], lambda *_: None):
                assert isinstance(block, bytes)


def _meet_format(name: str) -> Meet:
    def meet(content: bytes) -> bool:
        is_valid = True
        for number, entry in enumerate(formats.reader(name)(io.BytesIO(content), "f"), 1):
            assert entry.number == number
            assert entry.record is not None or entry.problems
            for problem in entry.problems:
                is_valid = _refused(problem)
            if entry.record is not None:
                _take(entry.record)
        return is_valid

    return meet


def _meet_records(content: bytes) -> bool:
    """Read a file in all ways, which must agree."""
    found = read_and_check(content)
    parts = list(validate_stream(io.BytesIO(content), "f"))
    assert sum(part.records for part in parts) == len(found)
    assert sum(part.bad for part in parts) == sum(bool(entry.problems) for entry in found)
    _meet_format("lath")(content)
    return not any(entry.problems for entry in found)


def read_and_check(content: bytes) -> list[Entry]:
    """Return the entries of a file; check numbers, places, and that valid text is kept."""
    found = list(entries_of(io.BytesIO(content), "f"))
    assert [entry.number for entry in found] == list(range(1, len(found) + 1))
    lines = content.decode("utf-8", "replace").removeprefix("\ufeff").split("\n")
    for entry in found:
        assert entry.record is not None or entry.problems
        for problem in entry.problems:
            assert entry.line <= problem.line <= len(lines)
            assert 1 <= problem.column <= len(lines[problem.line - 1]) + 1
            shown = str(problem).split("\n")
            assert len(shown) == 3
            assert all(line.replace("\t", "").isprintable() for line in shown)
        if entry.record is not None:
            assert notation.parse(notation.format_record(entry.record)) == entry.record
    return found


@cache
def _of_format(name: str) -> Sequence[str]:
    suffix = formats.TABLE[name].suffixes[0]
    samples = [path.read_bytes() for path in sorted((ROOT / "tests/samples").glob(f"*{suffix}"))]
    if formats.TABLE[name].write:
        write = formats.writer(name)
        for game_id in BUILT_IN:
            played = [random_game(game_id, 2, annotated=True)]
            samples.append(b"".join(write(played, lambda *_: None)))
    return [sample.decode("latin-1") for sample in samples]


@cache
def _archives(suffix: str) -> Sequence[str]:
    texts = [text.encode("latin-1") for text in _records()[:4]]
    whole = compressed(b"\n".join(texts), suffix)
    return [made.decode("latin-1") for made in (whole, whole + compressed(texts[0], suffix))]


def _meet_source(name: str) -> Meet:
    def meet(content: bytes) -> bool:
        with _file(name, content) as path:
            return _reads(path)

    return meet


def _meet_directory(content: bytes) -> bool:
    """Read the `games.lath` of a directory without a database."""
    with _file(RECORDS, content) as path:
        return _reads(path.parent)


def _reads(source: Path) -> bool:
    try:
        played = list(records_of([source]))
        found = list(records_of([source], rules=False))
    except ArenaError as error:
        return _refused(error)
    assert len(played) == len(found), "whatever the rules say, each is one"
    return not any(isinstance(one, Refused) for one in found)


@cache
def _lines_of_a_book() -> Sequence[str]:
    walks = [list(walk(game, 1)) for game in map(games.get, BUILT_IN)]
    lines = [
        f"{game_id} {positions[len(positions) // 2][0].text()}"
        for game_id, positions in zip(BUILT_IN, walks, strict=True)
    ]
    setups = [f"{game_id} setup {games.get(game_id).draw_setup(1) or ''}" for game_id in BUILT_IN]
    return _latin(["# a book\n" + "\n".join(lines), "\n".join(setups)])


def _meet_book(name: str) -> Meet:
    def meet(content: bytes) -> bool:
        with _file(name, content) as path:
            try:
                book = Book(BookChoice(path=path, plies=4), ("yavalath",), 1)
            except ConfigError as error:
                return _refused(error)
        return bool(book.opening("yavalath", 3).name)

    return meet


@cache
def _outcomes() -> Sequence[str]:
    found = []
    for form in FORMATS:
        schedule = a_schedule(form, names=("ann", "bob") if form == "match" else NAMES)
        list(played(schedule))
        found.append(outcome(schedule, form))
    return _latin([json.dumps(outcomes.to_json(one), indent=2) for one in found])


def _meet_outcome(content: bytes) -> bool:
    with _file(OUTCOME, content) as path:
        try:
            found = outcome_in([path.parent])
        except ArenaError as error:
            return _refused(error)
    assert found is not None
    json.dumps(outcomes.to_json(found))
    return True


_COMMANDS: Final = (
    ("check",),
    ("rate",),
    ("stats", "--unchecked"),
    ("convert", "--to", "jsonlines"),
    ("select", "--where", "plies > 3", "--unchecked"),
    ("select", "--sort", "date,plies"),
)


def _meet_commands(content: bytes) -> bool:
    """Pass a file to a command: no bug, and messages that are safe to print.

    Its output keeps the file's content, unless it goes to a terminal.
    """
    words = _COMMANDS[len(content) % len(_COMMANDS)]
    with _file("games.lath", content) as path:
        ran = arena(*words, path)
    assert ran.status in (0, 1, 2), ran.err
    assert "Traceback" not in ran.err
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", ran.err), ran.err
    return ran.status == 0


# Queries and messages between processes


@cache
def _queries() -> Sequence[str]:
    """Return the queries in the documentation, one per line."""
    text = page_text("query-language")
    blocks = re.findall(r"^```query\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return _latin([line for block in blocks for line in block.splitlines() if line])


_ASKED: Final = (
    " ", "(", ")", "=", "!=", "<", ">=", "and", "or", "not", "in", "like", ",", '"', "'", "\\", "*",
    "?", "1", "9" * 5000, "1e999", "nan", "\x00", "\n", "plies", "date", "game", "first", "move",
    "position", "setup", "2026-13-45", "((((((((((" * 20, "not " * 200, "\xc3\xa9", "\xff", "[",
)  # fmt: skip


@cache
def _sample() -> Record:
    return random_game("yavalath", 1, Date="2026-11-22")


def _meet_query(content: bytes) -> bool:
    text = content.decode("utf-8", "replace")
    try:
        matches = compile_query(text)
    except QueryError as error:
        return _refused(error)
    with suppress(GameError):  # the query needs a position
        assert matches(_sample()) in (True, False)
    return True


def _meet_keys(content: bytes) -> bool:
    try:
        found = keys(content.decode("utf-8", "replace"))
    except KeyNameError as error:
        return _refused(error)
    return bool(found)


@cache
def _answers() -> Sequence[str]:
    games = (a_result(1), a_result(2, stderr={"ann": "oops"}, notes=("slow",)))
    results = (
        PairResult(pair=1, games=games),
        PairResult(pair=2, games=(), void=Cause("no", "b"), voided=1),
    )
    return _latin([result.as_text() for result in results])


def _meet_answer(content: bytes) -> bool:
    """Read a line as the answer of a worker."""
    try:
        result = read_result(content.decode("utf-8", "replace"))
    except ArenaError as error:
        return _refused(error)
    assert read_result(result.as_text()) == result
    return True


_JSON: Final = (
    "{", "}", "[", "]", ":", ",", '"', "null", "true", "-1", "0", "1", "1e999", "NaN", "9" * 30,
    "9" * 5000, '""', "[]", "{}", "\\u0000", "\\ud800", "\x00", "\xff", "\n", "[" * 2000, "1.5",
)  # fmt: skip


def _doors() -> Iterator[tuple[str, Door]]:
    yield "a configuration", Door(_configs, _TOML, _meet_config)
    yield "records", Door(_records, NOTATION, _meet_records)
    yield "the records of a directory", Door(_records, NOTATION, _meet_directory)
    commanding = (*NOTATION, "\x1b[31m", "\xc2\x9b")
    yield "records for commands", Door(_records, commanding, _meet_commands)
    for name in formats.READABLE:
        if name not in formats.OF_TEXT:
            signs = (*NOTATION, *_JSON)
            yield f"records as {name}", Door(partial(_of_format, name), signs, _meet_format(name))
    for suffix in COMPRESSIONS:
        archives = partial(_archives, suffix)
        yield f"records in {suffix}", Door(archives, BYTES, _meet_source(f"games.lath{suffix}"))
    yield "a book of records", Door(_records, NOTATION, _meet_book("book.lath"))
    yield "a book of positions", Door(_lines_of_a_book, NOTATION, _meet_book("book.txt"))
    yield "an outcome", Door(_outcomes, _JSON, _meet_outcome)
    yield "a query", Door(_queries, _ASKED, _meet_query)
    yield "keys of an order", Door(lambda: ("date,round,plies", "Result, Mood"), _ASKED, _meet_keys)
    yield "a worker's answer", Door(_answers, (*_JSON, *SPOKEN), _meet_answer)


DOORS: Final = dict(_doors())
