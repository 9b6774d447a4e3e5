"""The table of formats, and what each of them promises: there and back, losses, damage, names."""

from __future__ import annotations

import csv
import io
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest
from format_files import PIECES, entries, named, records_in, unmarked, whole, written
from hypothesis import given
from hypothesis import strategies as st
from record_strategies import RECORDS
from sample_records import BUILT_IN, HOSTILE_NAMES, bare, hostile_records, random_game, with_tags

from lath.notation import Record, format_record, formats, parse
from lath.notation.formats import (
    READABLE,
    TABLE,
    WHOLE,
    WRITABLE,
    FormatError,
    json_text,
    name_for,
    note_of,
    ply_writer,
    tables,
)
from lath.notation.text import splitting

if TYPE_CHECKING:
    from golden import Golden

HOLD_ALL = ("lath", "jsonlines", "csv", "parquet")
"""Formats in which nothing is lost."""

BOTH = tuple(name for name in WRITABLE if name in READABLE)

# The table


def test_the_table_names_functions_that_there_are_and_all_of_them() -> None:
    for name, known in TABLE.items():
        assert (name in READABLE, name in WRITABLE) == (bool(known.read), bool(known.write))
        assert not known.read or callable(formats.reader(name))
        assert not known.write or callable(formats.writer(name))
        assert known.plies is None or callable(ply_writer(name))
        assert (known.note is None) == (note_of(name) is None)
    assert PIECES.keys() == {*READABLE} - {"parquet", "duckdb"}, "of which files are made here"
    package = import_module("lath.notation.formats")
    (folder,) = package.__path__
    function = re.compile(r"^def ((?:read|write)(?:_[a-z]+)?)\((?:stream|records): ", re.MULTILINE)
    found = {
        f"{file.stem.removeprefix('__init__')}:{name}"
        for file in Path(folder).glob("*.py")
        for name in function.findall(file.read_text())
    }
    listed = [where for known in TABLE.values() for where in (known.read, known.write)]
    assert found == set(filter(None, listed))


def test_a_format_is_found_by_suffix_and_compression_is_looked_through() -> None:
    suffixes = [suffix for known in TABLE.values() for suffix in known.suffixes]
    assert len(suffixes) == len(set(suffixes))
    assert all(suffix.startswith(".") and suffix == suffix.lower() for suffix in suffixes)
    expected = {
        "games.lath": "lath",
        "games.lath.gz": "lath",
        "some/folder.csv/games.json.bz2": "abstractplay",
        "games.ndjson.xz": "jsonlines",
        "games.parquet.zst": "parquet",
        "GAMES.CSV": "csv",
        "a.b.trl": "ludii",
    }
    assert {path: name_for(path) for path in expected} == expected


def test_what_there_is_not_is_refused_with_what_there_is(golden: Golden) -> None:
    def refused(look_up: Callable[[str], object], name: str) -> str:
        with pytest.raises(FormatError) as caught:
            look_up(name)
        return str(caught.value)

    paths = ("games.pdn", "games.gz", "games", ".lath", "games.csv.gz.gz")
    asked: list[tuple[Callable[[str], object], str]] = [(name_for, path) for path in paths]
    asked += [(formats.reader, "pdn"), (formats.writer, "pdn"), (formats.reader, "sgf")]
    asked += [(formats.writer, "ludii"), (formats.writer, "npz"), (ply_writer, "ygn")]
    asked += [(formats.plane_writer, "sgf")]
    golden({f"{look_up.__name__} {name}": refused(look_up, name) for look_up, name in asked})


def test_finding_a_format_loads_no_other() -> None:
    code = (
        "import sys, lath.notation.formats as formats\n"
        "formats.name_for('games.csv.gz'), formats.writer('csv')\n"
        "print(sorted(m for m in sys.modules if m.startswith('lath.notation.formats.')))\n"
        "print(sorted({'lark', 'pyarrow'} & set(sys.modules)))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines() == ["['lath.notation.formats.tables']", "[]"]


# There and back


@given(st.lists(RECORDS, min_size=1, max_size=2))
def test_any_record_comes_back_whole_from_a_format_that_holds_all(records: list[Record]) -> None:
    expected = [parse(format_record(record)) for record in records]
    for name in HOLD_ALL:
        again = records_in(name, whole(name, records))
        if name == "lath":  # which is canonical
            assert whole(name, again) == whole(name, records)
        else:
            assert again == expected


def test_played_games_come_back_to_the_letter_or_in_their_moves() -> None:
    games = [random_game(game, 3, annotated=True) for game in BUILT_IN]
    for name in HOLD_ALL:
        assert records_in(name, whole(name, games)) == games
    for name in set(BOTH) - set(HOLD_ALL):
        played = [random_game("yavalath", seed, Date="2026-11-20") for seed in range(3)]
        moves = [record.moves for record in records_in(name, written(name, played)[0], rules=True)]
        assert moves == [record.moves if TABLE[name].holds_moves else () for record in played]


HARD = ("=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "'=1", "''-", "'", "'a", *HOSTILE_NAMES)
"""Names that a sheet takes for a formula, or that want to break out of what is round them."""


def test_names_that_want_to_break_out_come_back_or_are_told_of() -> None:
    records = [bare(name, "bob", "1-0", Event=name) for name in HARD]
    *sound, unreadable = hostile_records()
    records += sound
    for name in BOTH:
        content, lost = written(name, records)
        told, left_out = set(lost), {number for number, field in lost if field == WHOLE}
        again = iter(records_in(name, content))
        for number, record in enumerate(records, 1):
            if number in left_out:
                continue
            kept = next(again)
            for tag, value in record.tags:
                is_lost = {(number, what) for what in (f"tag {tag}", f"result {value}")} & told
                values = dict(kept.tags).values()  # of PGN under another name
                assert is_lost or {value, value.strip()} & {*values}, (name, tag, value)
        assert next(again, None) is None
        assert len(entries(name, written(name, [unreadable])[0])) <= 1
    sheet = whole("csv", records).decode()
    cells = [cell for row in csv.reader(io.StringIO(sheet, newline="")) for cell in row]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]


@given(RECORDS)
def test_what_a_format_cannot_hold_is_told_once_a_record(record: Record) -> None:
    yavalath = with_tags(record, Game="yavalath", Result=record.result)
    for name in WRITABLE:
        content, lost = written(name, [yavalath, record, with_tags(record, Game="manalath-61")])
        assert [what for what, count in Counter(lost).items() if count > 1] == []
        assert [number for number, _ in lost] == sorted(number for number, _ in lost)
        left_out = sum(field == WHOLE for _, field in lost)
        if name in BOTH:
            assert len(entries(name, content)) == 3 - left_out
        if name in HOLD_ALL:
            assert not lost


# Damage


@pytest.mark.parametrize("name", PIECES)
def test_a_bad_record_is_told_of_in_its_place_and_reading_goes_on(name: str) -> None:
    good, bad, code, _, before = PIECES[name]
    text, line, column = unmarked(f"{before}{good}{bad}")
    first, wrong, last = entries(name, text + good, rules=True)
    assert first.record == last.record is not None
    problem = wrong.problems[0]
    assert wrong.record is None or name in ("text", "pgn")  # which keep what can be read
    assert (problem.file, problem.code, problem.line) == (named(name), code, line)
    assert name == "pgn" or problem.column == column  # which names lines
    assert problem.record == wrong.number == 2
    assert str(problem).startswith(f"{named(name)}:{line}:{problem.column}: error[{code}]: ")
    assert not first.problems + last.problems


def test_a_byte_that_is_not_utf_8_is_told_of_in_its_place() -> None:
    for name in PIECES.keys() - {"text", "pgn"}:  # which take it for Latin-1
        good, _, _, _, before = PIECES[name]
        marked = (before + good).replace("ann", "\udcffnn").replace("E5", "E5 \udcff")
        marked = marked.replace("state=1", "state=\udcff")
        content = marked.encode("utf-8", "surrogateescape")
        bad, after = entries(name, content + good.encode())
        assert (bad.problems[0].code, bool(after.record)) == ("encoding", True), name
        assert re.fullmatch(r"byte 0xff( at offset \d+)? is not UTF-8", bad.problems[0].message)
        column = bad.problems[0].column
        assert bad.problems[0].source[column - 1] == "\N{REPLACEMENT CHARACTER}", name


LIMITS: dict[str, tuple[ModuleType, Mapping[str, int]]] = {
    "jsonlines": (splitting, {"MAX_RECORD": 400}),
    "abstractplay": (json_text, {"MAX_OBJECT": 400, "_BLOCK": 100}),
    "ludii": (splitting, {"MAX_RECORD": 400}),
    "ygn": (splitting, {"MAX_RECORD": 400}),
    "csv": (tables, {"MAX_RECORD": 400}),
}
"""Small limits: the true ones, of 16 MiB, would take a second each."""


@pytest.mark.parametrize("name", LIMITS)
def test_a_record_that_is_too_long_is_told_of_and_the_next_is_read(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    module, limits = LIMITS[name]
    for limit, value in limits.items():
        monkeypatch.setattr(module, limit, value)
    good, _, _, _, before = PIECES[name]
    long = good.replace("E5", "E5 " * 500).replace("ann", "a" * 5000)
    long = long.replace("state=1", "state=" + "1" * 5000)
    bad, after = entries(name, before + long + good)
    (problem,) = bad.problems
    is_csv = name == "csv"
    assert (problem.code, problem.line) == (("syntax", 2) if is_csv else ("size", 1))
    assert re.search("more than 400 (bytes|characters)$", problem.message)
    assert len(bad.text) == (402 if is_csv else 200)
    assert bad.record is None
    assert after.record is not None
    assert after.line == (before + long).count("\n") + 1


SIGNS = st.one_of(st.sampled_from(range(20)), st.text(max_size=3))


@given(st.lists(SIGNS, max_size=12), st.booleans(), st.integers(0, 400), st.integers(0, 40))
def test_whatever_stands_in_a_file_each_problem_has_a_place_in_it(
    words: list[int | str], is_inside: bool, at: int, cut: int
) -> None:
    for name, (good, _, _, signs, before) in PIECES.items():
        own = [*signs.split(" "), "\n", "\r\n", " ", "\ufeff"]
        junk = "".join(own[w % len(own)] if isinstance(w, int) else w for w in words)
        text = before + good
        place = at % len(text)
        text = text[:place] + junk + text[place + cut :] if is_inside else before + junk
        content = (text + "\n" + good).encode("utf-8", "surrogatepass")
        found = entries(name, content)
        assert [entry.number for entry in found] == list(range(1, len(found) + 1))
        lines = content.decode("utf-8", "replace").split("\n")
        for entry in found:
            assert entry.record is not None or entry.problems
            for problem in entry.problems:
                assert re.match(rf"{re.escape(named(name))}:\d+:\d+: error\[", str(problem))
                assert 1 <= problem.line <= len(lines), (name, text)
                assert problem.column >= 1
                assert problem.column <= len(problem.source) + 1 or len(problem.source) == 200
                line, source = (
                    re.sub(r"[\ufeff\r]", "", each).strip()
                    for each in (lines[problem.line - 1], problem.source)
                )
                assert source in line, (name, text, problem)


def test_text_of_windows_and_with_a_byte_order_mark_is_read_the_same(tmp_path: Path) -> None:
    """Of UTF-16 as well, but for our own text; and of nothing nothing is read."""
    for name, (good, _, _, _, before) in PIECES.items():
        text = before + good.replace("ann", "Zoë 🎲") * 2
        expected = [entry.record for entry in entries(name, text, rules=True)]
        assert len(expected) == 2
        for changed in (text.replace("\n", "\r\n"), "\ufeff" + text, text.rstrip("\n")):
            assert [each.record for each in entries(name, changed, rules=True)] == expected, name
        for encoding in ("utf-16-le", "utf-16-be") if name != "lath" else ():
            suffixes = ("", *TABLE[name].suffixes, *([".pgn"] if name == "text" else []))
            for suffix in suffixes if name not in ("csv", "pgn") else ():
                path = tmp_path / f"games{suffix}"
                path.write_bytes(("\ufeff" + text).encode(encoding))
                assert formats.recognised(path) == name
            content = ("\ufeff" + text).encode(encoding)
            assert [each.record for each in entries(name, content, rules=True)] == expected, name
        if name != "csv":  # which has a heading
            assert entries(name, "") == entries(name, " \n\r\n") == []


# Our own text


def test_our_own_text_is_written_canonically_and_read_without_the_rules() -> None:
    (record,) = records_in("lath", '[Game "mammalath"] a1 xb4-b2 xb4-b2 *')
    # b2 is empty the second time: that is for `arena check`
    assert whole("lath", [record]) == b'[Game "mammalath"]\n\n1. a1 2. xb2-b4 3. xb2-b4 *\n'


def test_without_pyarrow_one_error_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    uses: tuple[Callable[[], Any], ...] = (
        lambda: written("parquet", [random_game("yavalath", 1)]),
        lambda: entries("parquet", b""),
    )
    for use in uses:
        with pytest.raises(FormatError, match=r"pip install 'lath-arena\[arrow\]'$"):
            use()
