"""`arena check` on what users feed it: counts, places, statuses, every field of its JSON."""

from __future__ import annotations

import bz2
import dataclasses
import gzip
import json
import lzma
import random
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from commands import Ran, arena
from hypothesis import given
from hypothesis import strategies as st
from places import page_text
from problem_cases import CASES, problems_in
from refusals import refusals
from workers_here import work_here

from lath.notation.record.errors import Problem
from lath.notation.rules.reading import entries
from lath.notation.text import splitting as pieces_module

if TYPE_CHECKING:
    from golden import Golden

GOOD = '[Game "yavalath"]\n\n1. e5 2. swap 3. d4 *\n'
ILLEGAL = '[Game "yavalath"]\n\n1. e5 2. e5 *\n'
TWICE_WRONG = '[Game "yavalath"]\n[Date "soon"]\n\n1. e5 2. E4 *\n'
UNREADABLE = '[Game "yavalath"]\n\n1. e5 {never closed *\n'

COUNTS = re.compile(
    r"([\d,]+) records?: ([\d,]+) valid, ([\d,]+) invalid \(([\d,]+) problems?\); "
    r"([\d,]+) (?:ply|plies); \d+\.\d\d s, [0-9,]+ records/s, [0-9,]+ plies/s\n\Z"
)


def counts(ran: Ran) -> tuple[int, int, int, int, int]:
    """Return records, sound, bad, problems and plies as the last line has them."""
    last = ran.out.splitlines()[-1]
    if last.startswith("{"):
        told = json.loads(last)
        return told["records"], told["sound"], told["bad"], told["problems"], told["plies"]
    found = COUNTS.search(ran.out)
    assert found, ran.out
    records, sound, bad, problems, plies = (int(one.replace(",", "")) for one in found.groups())
    return records, sound, bad, problems, plies


def problems_of(ran: Ran) -> str:
    """Return the output before the counts."""
    return "".join(ran.out.splitlines(keepends=True)[:-1])


def write(path: Path, *records: str) -> Path:
    """Write a file of these records."""
    path.write_text("\n".join(records), encoding="utf-8")
    return path


def zstd_compress(content: bytes) -> bytes:
    """Return the content as a .zst file has it."""
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    compressed: bytes = zstd.compress(content)
    return compressed


COMPRESSIONS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": zstd_compress,
}

# Counts


def test_valid_and_bad_records_add_up_over_files_and_problems_come_in_their_order(
    tmp_path: Path,
) -> None:
    path = write(tmp_path / "mixed.lath", GOOD, TWICE_WRONG, ILLEGAL, UNREADABLE)
    ran = arena("check", path)
    assert (ran.status, counts(ran)) == (1, (4, 1, 3, 4, 3 + 2 + 2))
    assert ran.out.count("error[") == 4
    places = re.findall(r"^\S+?:(\d+):(\d+): ", ran.out, re.MULTILINE)
    numbers = [(int(line), int(column)) for line, column in places]
    assert numbers == [(6, 1), (8, 10), (12, 10), (16, 7)]
    one = write(tmp_path / "one.lath", GOOD, ILLEGAL)
    two = write(tmp_path / "two.lath", GOOD, GOOD, UNREADABLE)
    ran = arena("check", one, two, one)
    assert counts(ran) == (7, 4, 3, 3, 5 + 6 + 5)
    told = re.findall(r"^(\S+?):\d+:\d+: .*\(record (\d+)", ran.out, re.MULTILINE)
    assert told == [(str(one), "2"), (str(two), "3"), (str(one), "2")]
    ran = arena("check", write(tmp_path / "none.lath"))
    assert (ran.status, problems_of(ran), counts(ran)) == (0, "", (0, 0, 0, 0, 0))


def test_a_compressed_file_gives_what_the_plain_one_does(tmp_path: Path) -> None:
    plain = write(tmp_path / "games.lath", GOOD, TWICE_WRONG, GOOD)
    expected = arena("check", plain)
    assert counts(expected) == (3, 2, 1, 2, 8)
    for suffix, compress in COMPRESSIONS.items():
        packed = tmp_path / f"games.lath{suffix}"
        packed.write_bytes(compress(plain.read_bytes()))
        ran = arena("check", packed)
        assert (ran.status, counts(ran)) == (1, counts(expected))
        assert problems_of(ran) == problems_of(expected).replace(str(plain), str(packed))


def test_standard_input_is_called_a_dash_and_quiet_leaves_the_counts_out(tmp_path: Path) -> None:
    ran = arena("check", "-", stdin=f"{GOOD}\n{ILLEGAL}")
    assert ran.status == 1
    assert ran.out.startswith("-:7:10: error[illegal-move]: ")
    assert counts(ran) == (2, 1, 1, 1, 5)
    path = write(tmp_path / "bad.lath", ILLEGAL)
    for as_json in ((), ("--json",)):
        quiet = arena("check", "--quiet", path, *as_json)
        assert (quiet.status, quiet.err) == (1, "")
        assert quiet.out == problems_of(arena("check", path, *as_json)) != ""


def test_no_more_problems_than_the_limit_are_shown_and_all_are_counted(tmp_path: Path) -> None:
    path = write(tmp_path / "mixed.lath", ILLEGAL, TWICE_WRONG, GOOD, UNREADABLE)
    for limit, shown in ((1, 1), (3, 3), (4, 4), (99, 4)):
        for arguments in ([], ["--json"]):
            ran = arena("check", "--max-errors", limit, *arguments, path)
            assert ran.status == 1
            assert len(problems_of(ran).splitlines()) == shown * (1 if arguments else 3)
            assert counts(ran)[:4] == (4, 1, 3, 4)
    one, two = (write(tmp_path / f"{name}.lath", *[ILLEGAL] * 3) for name in ("one", "two"))
    ran = arena("check", "--max-errors", 4, one, two)
    assert [ran.out.count(f"{path}:") for path in (one, two)] == [3, 1]
    assert counts(ran)[:4] == (6, 0, 6, 6)


# Statuses


def test_the_status_is_that_of_the_worst_file(tmp_path: Path) -> None:
    good, bad = write(tmp_path / "good.lath", GOOD), write(tmp_path / "bad.lath", GOOD, ILLEGAL)
    none = tmp_path / "none.lath"
    statuses = {(good,): 0, (bad,): 1, (good, bad): 1, (bad, good): 1, (bad, none): 2}
    assert {paths: arena("check", *paths).status for paths in statuses} == statuses
    assert arena("check", bad, none).out.startswith(f"{bad}:7:10: error[illegal-move]")


def test_wrong_usage_and_a_file_that_cannot_be_read_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, golden: Golden
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    Path("torn.lath.gz").write_bytes(b"\x1f\x8b\x08junk")
    wrong = ["", "--max-errors 0 f", "--jobs 0 f", "--what f", "none", "folder", "none.lath.gz"]
    golden(refusals(wrong, "check"))
    ran = arena("check", "torn.lath.gz")
    assert (ran.status, "cannot be read: damaged" in ran.err) == (2, True)
    Path("torn.lath.gz").write_bytes(b"")
    assert "damaged: it is empty" in arena("check", "torn.lath.gz").err


# JSON


def test_the_json_of_every_broken_file_of_the_table_is_that_of_its_problems(tmp_path: Path) -> None:
    names = {field.name for field in dataclasses.fields(Problem)}
    path = tmp_path / "games.lath"
    for case in CASES:
        path.write_bytes(case.content)
        *told, last = map(json.loads, arena("check", "--json", path).out.splitlines())
        assert last["problems"] == len(told)
        assert all(one.keys() == names and one["file"] == str(path) for one in told)
        expected = [problem.as_json() for problem in problems_in(case.content)]
        assert [one | {"file": "games.lath"} for one in told] == expected


def test_the_page_on_the_notation_explains_every_field_of_the_json() -> None:
    page = page_text("notation")
    table = page.split("| field |")[1].split("\n\n")[0]
    explained = re.findall(r"`([a-z]+)`", "".join(re.findall(r"^\| (.*?) \|", table, re.MULTILINE)))
    assert sorted(explained) == sorted(field.name for field in dataclasses.fields(Problem))


# Whatever stands in the files


PARTS: Sequence[str | bytes] = (
    GOOD,
    ILLEGAL,
    TWICE_WRONG,
    UNREADABLE,
    *(case.content for case in CASES),
)


def joined(parts: Sequence[str | bytes]) -> bytes:
    """Return a file of these parts, an empty line after each."""
    return b"\n".join(part.encode() if isinstance(part, str) else part + b"\n" for part in parts)


@given(st.lists(st.sampled_from(PARTS), max_size=12))
def test_counts_are_those_of_the_reader_for_any_file(
    tmp_path_factory: pytest.TempPathFactory, parts: list[str | bytes]
) -> None:
    path = tmp_path_factory.mktemp("any") / "games.lath"
    path.write_bytes(joined(parts))
    found = list(entries(path))
    bad = [entry for entry in found if entry.problems]
    problems = [problem for entry in bad for problem in entry.problems]
    ran = arena("check", path)
    first = {
        (problem.code == "unknown-game" and problem.message) or number: problem
        for number, problem in reversed(list(enumerate(problems)))
    }
    told = [problem for problem in problems if problem in first.values()]
    assert problems_of(ran) == "".join(f"{problem}\n" for problem in told)
    assert counts(ran)[:4] == (len(found), len(found) - len(bad), len(bad), len(problems))
    assert ran.status == (1 if bad else 0)


def two_cores_print_what_one_does(path: Path, *arguments: object) -> None:
    """Check a file with one core and with two, by small chunks, and compare what they print."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pieces_module, "_BLOCK", 500)  # the workers get chunks; they cut none
        one = arena("check", *arguments, "--jobs", 1, path)
        two = arena("check", *arguments, "--jobs", 2, path)
    assert (one.status, problems_of(one)) == (two.status, problems_of(two))
    assert counts(one) == counts(two)


@pytest.fixture
def workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the work of two processes done in this one; in `make soak` two do it."""
    work_here(monkeypatch)


WAYS_TO_TELL: Sequence[Sequence[object]] = ([], ["--json"], ["--max-errors", 3])


@pytest.mark.usefixtures("workers")
@pytest.mark.parametrize("arguments", WAYS_TO_TELL, ids=str)
def test_two_cores_print_what_one_does_byte_by_byte(
    tmp_path: Path, arguments: Sequence[object]
) -> None:
    two_cores_print_what_one_does_in_odd_files(tmp_path, *arguments)


def test_two_processes_print_what_one_does_byte_by_byte(tmp_path: Path) -> None:
    two_cores_print_what_one_does_in_odd_files(tmp_path)


def two_cores_print_what_one_does_in_odd_files(tmp_path: Path, *arguments: object) -> None:
    parts = random.Random(1).sample(PARTS, len(PARTS))
    path = tmp_path / "games.lath"
    path.write_bytes(joined([*parts[:50], b"\xff\x00(", *parts[50:]]))
    two_cores_print_what_one_does(path, *arguments)


@pytest.mark.usefixtures("workers")
@pytest.mark.parametrize("jobs", [1, 2])
def test_places_are_right_in_files_of_many_blocks(
    tmp_path: Path, jobs: int, small_blocks: None
) -> None:
    path = write(tmp_path / "large.lath", *[GOOD] * 1000, ILLEGAL)
    ran = arena("check", "--jobs", jobs, path)
    assert ran.out.startswith(f"{path}:4003:10: error[illegal-move]: ")
    assert "(record 1001, ply 2)" in ran.out
    assert counts(ran)[:4] == (1001, 1000, 1, 1)


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read files by blocks of some hundred records."""
    monkeypatch.setattr(pieces_module, "_BLOCK", 1 << 13)


# Damaged files


def damaged(path: Path, suffix: str) -> Path:
    """Write a file that ends too early, many sound records and a bad one before its end."""
    content = "\n".join([ILLEGAL, *[GOOD] * 6000]).encode()
    # bzip2 gives whole blocks or nothing: the least have 100 kB.
    compressed = bz2.compress(content, 1) if suffix == ".bz2" else COMPRESSIONS[suffix](content)
    path.write_bytes(compressed[:-12])
    return path


def test_of_a_damaged_file_the_problems_before_the_damage_are_told(
    tmp_path: Path, small_blocks: None
) -> None:
    for suffix in COMPRESSIONS:
        path = damaged(tmp_path / f"games.lath{suffix}", suffix)
        ran = arena("check", path)
        assert ran.status == 2
        assert "error[illegal-move]" in ran.out
        assert f"{path}: cannot be read: damaged" in ran.err


@pytest.mark.usefixtures("workers")
@pytest.mark.parametrize("jobs", [1, 2])
def test_of_a_damaged_file_the_counts_so_far_are_told(
    jobs: int, tmp_path: Path, small_blocks: None
) -> None:
    path = damaged(tmp_path / "games.lath.gz", ".gz")
    ran = arena("check", "--jobs", jobs, path)
    assert ran.status == 2
    records, sound, bad, problems, _ = counts(ran)
    assert 2000 < records < 6001
    assert (sound, bad, problems) == (records - 1, 1, 1)
