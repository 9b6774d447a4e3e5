"""`arena diff`, and what `arena select` joins, orders and divides."""

from __future__ import annotations

import gzip
import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from commands import Ran, arena
from refusals import refusals
from sample_records import tournament, with_tags

from lath.notation import format_record
from lath.notation.rules.reading import entries

if TYPE_CHECKING:
    from golden import Golden


def record(number: int, tags: str = "", moves: str = "e5 d4 *") -> str:
    if not moves.endswith("*"):  # a game that is over before its rules say so
        tags = f'[Termination "agreement"]\n{tags}'
    return f'[Game "yavalath"]\n[First "ann"]\n[Number "{number}"]\n{tags}\n{moves}\n'


BAD = "[Game oops]\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(path: str, *records: str) -> Path:
    Path(path).write_text("\n".join(records))
    return Path(path)


def texts(path: str | Path) -> list[str]:
    return [entry.text for entry in entries(path, rules=False)]


def numbers(path: str | Path) -> list[str]:
    records = [entry.record for entry in entries(path, rules=False)]
    return [record.tag("Number") for record in records if record]


# diff


def test_diff_says_nothing_of_equal_archives_but_the_counts(folder: Path) -> None:
    write("a.lath", record(1), record(2))
    Path("b.lath.gz").write_bytes(gzip.compress(f"{record(2)}\n{record(1)}".encode()))
    ran = arena("diff", "a.lath", "b.lath.gz")
    assert (ran.status, ran.out) == (0, "")
    assert ran.err == "2 equal, 0 differ, 0 only in A, 0 only in B\n"
    assert arena("diff", "-q", "a.lath", "b.lath.gz") == Ran(0, "", "", b"")


def test_diff_tells_moves_tags_and_remarks_a_line_each(folder: Path, golden: Golden) -> None:
    write("a.lath", record(1, '[Event "x"]\n', "{hello} e5 d4 {why} *"), record(2))
    write("b.lath", record(1, '[Site "y"]\n', "e5 d4 c3 0-1"), record(2, "", "e5 d4! *"))
    write("c.lath", record(1, '[Event "\x1b[31m"]\n'))
    told = {}
    for arguments in (
        *("a.lath b.lath --key Number", "a.lath b.lath --key number --moves-only"),
        *("c.lath a.lath --key Number", "a.lath b.lath --key Number --json"),
    ):
        ran = arena("diff", *arguments.split())
        assert ran.status == 1
        told[arguments] = ran.out
    golden(told)


def test_diff_takes_either_side_from_standard_input(folder: Path) -> None:
    write("a.lath", record(1), record(2))
    for arguments, told in ((("a.lath", "-"), "only in A"), (("-", "a.lath"), "only in B")):
        ran = arena("diff", *arguments, stdin=record(2))
        assert ran.status == 1
        assert ran.out == f"{told}: record 1 (line 1): ann - ?, yavalath\n"


def test_diff_reads_two_streams(folder: Path) -> None:
    for name in ("a", "b"):
        os.mkfifo(name)
    writers = [
        threading.Thread(target=Path(name).write_text, args=[text], daemon=True)
        for name, text in (("a", record(1)), ("b", f"{record(2)}\n{record(1)}"))
    ]
    for writer in writers:
        writer.start()
    ran = arena("diff", "a", "b")
    for writer in writers:
        writer.join()
    assert ran.out == "only in B: record 1 (line 1): ann - ?, yavalath\n"


def test_diff_tells_of_bad_records_once_and_never_calls_them_equal(folder: Path) -> None:
    write("a.lath", record(1), BAD, record(2))
    write("b.lath", record(2))
    ran = arena("diff", "a.lath", "b.lath")
    assert ran.status == 1
    assert ran.err.count("a.lath:7:7: error[syntax]") == 1
    assert ran.out == "only in A: record 1 (line 1): ann - ?, yavalath\n"
    assert ran.err.endswith(
        "1 equal, 0 differ, 1 only in A, 0 only in B; not compared: 1 bad in A, 0 bad in B\n"
    )
    assert arena("diff", "a.lath", "a.lath").status == 1


def test_diff_exits_with_2_for_what_it_cannot_read(folder: Path, golden: Golden) -> None:
    write("a.lath", record(1))
    wrong = [
        "a.lath none.lath",
        "none.lath a.lath",
        "none.lath no.lath",
        "a.lath a.lath --key 'a b'",
    ]
    golden(refusals([*wrong, "- -"], "diff"))


# merge


def test_merge_writes_records_as_they_stand_in_their_order(folder: Path) -> None:
    loose = '[Game "yavalath"]   [Number "7"]\r\n\r\n   e5 {a\r\n b} d4 *'
    write("a.lath", record(1), loose)
    write("b.lath", record(2))
    assert arena("select", "a.lath", "b.lath", "-", "-o", "out.lath.zst", stdin=record(3)).err == (
        "4 of 4 records selected\n"
    )
    assert numbers("out.lath.zst") == ["1", "7", "2", "3"]
    assert texts("out.lath.zst")[1] == loose
    ran = arena("select", "b.lath", "b.lath", "-o", "-", "-q")
    assert (ran.status, ran.out, ran.err) == (0, f"{record(2)}\n{record(2)}", "")


def test_copies_are_left_out_listed_and_written_with_what_they_are_copies_of(folder: Path) -> None:
    moves = "a1 e5 b2 d4 c6 f6 a4 g2 h3 i1 *"
    broken = f'[Game "yavalath"]\n[First "Ann"]\n\n{moves.replace(" h3 i1", "")}\n'
    write("a.lath", broken, record(2, "", "e5 d3 *"))
    write("b.lath", record(3, "", moves), record(4, "", moves))
    flags = "a.lath", "b.lath", "--without-copies"
    line = "a.lath:1: record 1 (yavalath, Ann - ?) is a copy of record 1 of b.lath"
    ran = arena("select", *flags, "-o", "out.lath")
    line += ", stops after ply 8 of 10, First Ann instead of ann"
    assert ran.err == f"{line}\n3 of 4 records selected; 1 copy left out\n"
    assert numbers("out.lath") == ["2", "3", "4"]
    ran = arena("select", *flags, "--removed", "gone.lath.gz", "--sort", "number", "--count")
    assert (ran.out, ran.err) == ("3\n", "3 of 4 records selected; 1 copy left out\n")
    marked = broken.replace("\n\n", '\n[CopyOf "record 1 of b.lath"]\n\n')
    assert texts("gone.lath.gz") == [marked.rstrip("\n")]
    assert arena("select", "out.lath", "--without-copies", "-q", "-o", "out.lath").err == ""
    assert numbers("out.lath") == ["2", "3", "4"]


def test_a_bad_record_is_told_of_and_left_out(folder: Path) -> None:
    write("a.lath", record(1), BAD, record(2))
    for order in ([], ["--sort", "number"]):
        ran = arena("select", *order, "a.lath", "-o", "out.lath")
        assert ran.status == 1
        assert "a.lath:7:7: error[syntax]" in ran.err
        assert ran.err.endswith("; 1 bad record left out\n")
        assert numbers("out.lath") == ["1", "2"]


def test_a_file_with_a_bad_record_is_not_replaced_by_one_without_it(folder: Path) -> None:
    path = write("a.lath", record(1), BAD, record(2))
    before = path.read_bytes()
    for order in ([], ["--sort", "number"]):
        ran = arena("select", *order, "a.lath", "-o", path.absolute())
        assert ran.status == 1
        assert "stays as it is: 1 bad record would be lost" in ran.err
        assert path.read_bytes() == before
        assert sorted(folder.iterdir()) == [path.absolute()]


# sort


def test_sort_is_stable_and_may_replace_its_own_file(folder: Path) -> None:
    rounds = ["10", "2", "final", "2", "?", "1"]
    write("a.lath", *(record(n, f'[Round "{r}"]\n') for n, r in enumerate(rounds)))
    assert (
        arena("select", "a.lath", "--sort", "round", "-o", "a.lath").err
        == "6 of 6 records selected\n"
    )
    assert numbers("a.lath") == ["5", "1", "3", "0", "2", "4"]
    arena("select", "a.lath", "--sort", "round", "--reverse", "-o", "a.lath")
    assert numbers("a.lath") == ["4", "2", "0", "1", "3", "5"]


def test_sort_of_more_than_fits_into_memory_gives_the_same(folder: Path) -> None:
    games = tournament(["ann", "bob", "eve"], 1, annotated=True)
    long = " ".join(["of that the record is long"] * 300)
    records = [with_tags(game, Round=str(n), Note=long) for n in range(12) for game in games]
    write("a.lath", *map(format_record, records))
    assert Path("a.lath").stat().st_size > 1 << 20
    arena("select", "a.lath", "--sort", "second,plies,round", "-o", "small.lath", "--memory", "1")
    arena("select", "a.lath", "--sort", "second,plies,round", "-o", "large.lath")
    assert Path("small.lath").read_bytes() == Path("large.lath").read_bytes()
    ordered = sorted(records, key=lambda one: (one.second, len(one.plies), int(one.tag("Round"))))
    assert texts("small.lath") == [format_record(one).rstrip("\n") for one in ordered]


# split


def test_split_and_merge_give_the_same_file(folder: Path) -> None:
    records = tournament(["ann", "bob"], 3, annotated=True)
    before = write("a.lath", *map(format_record, records)).read_bytes()
    ran = arena("select", "a.lath", "--split", 7, "-o", "parts", "--compress", "gz")
    assert ran.status == 0
    parts = sorted(Path("parts").iterdir())
    assert [part.name for part in parts[:2]] == ["part-0001.lath.gz", "part-0002.lath.gz"]
    assert arena("select", *parts, "-o", "b.lath").status == 0
    assert Path("b.lath").read_bytes() == before


def test_split_names_parts_by_their_values(folder: Path) -> None:
    write(
        "a.lath",
        record(1, '[Event "A b"]\n[Site "../etc/passwd"]\n', "e5 d4 1-0"),
        record(2, '[Event "a/b"]\n[Site "nul"]\n', "e5 d4 1/2-1/2"),
        record(3, '[Event "?"]\n'),
    )
    names = {
        "game": ["yavalath"],
        "result": ["1-0", "draw", "unfinished"],
        "Event": ["A-b", "a-b-2", "no-event"],
        "Site": ["_nul", "etc-passwd", "no-site"],
        "plies": ["2"],
    }
    found = {}
    for by in names:
        assert arena("select", "a.lath", "--split", by, "-o", by).status == 0
        found[by] = sorted(path.name.removesuffix(".lath") for path in Path(by).iterdir())
    assert found == names


def test_parts_of_another_split_are_not_left_beside_new_ones(folder: Path) -> None:
    write("a.lath", record(1), record(2), record(3))
    assert arena("select", "a.lath", "--split", 1, "--compress", "gz", "-o", "parts").status == 0
    before = {path: path.read_bytes() for path in Path("parts").iterdir()}
    for more in ("--split 2", "--split game --compress gz", "--split 2 --force"):
        ran = arena("select", "a.lath", *more.split(), "-o", "parts")
        assert ran.status == 2
        assert "parts has records that would be taken for parts: part-0001.lath.gz and 2" in ran.err
        assert {path: path.read_bytes() for path in Path("parts").iterdir()} == before


def test_split_replaces_nothing_unless_it_is_told_to(folder: Path) -> None:
    write("a.lath", record(1), record(2))
    Path("parts").mkdir()
    mine = write("parts/part-0002.lath", "mine")
    ran = arena("select", "a.lath", "--split", 1, "-o", "parts")
    assert ran.status == 2
    assert "parts/part-0002.lath is there already; --force replaces it" in ran.err
    assert [mine.read_text(), *Path("parts").iterdir()] == ["mine", mine]
    assert arena("select", "a.lath", "--split", 1, "-o", "parts", "--force").status == 0
    assert numbers(mine) == ["2"]


WRONG = [
    *("--split 0", "--split ''", "--split -1", "--split 1 --name ''", "--split 'a b'"),
    *("--split 1 --compress rar", "--split 1 --name {x}", "--split 1 --name {value}"),
    *("--split 1 --max-parts 2", "--split 1 --count", "--split a=1,b", "--split a=1,b=0"),
    *("--split a=1,a=2", "--split game --seed 1", "--name x", "--compress gz", "--max-parts 2"),
    *("--sort ''", "--sort date,", "--reverse", "--memory 1", "--removed b.lath"),
    *("--distinct --without-copies", "--without-copies --removed a.lath"),
    *("-o none/out.lath", "--split 1 -o a.lath"),
]


def test_select_refuses_what_makes_no_sense_and_writes_nothing(
    folder: Path, golden: Golden
) -> None:
    write("a.lath", record(1), record(2), record(3))
    golden(refusals(WRONG, "select", "a.lath", "-o", "parts"))
    assert list(folder.iterdir()) == [folder / "a.lath"]


def test_a_sample_is_the_same_from_files_in_any_order(folder: Path) -> None:
    a = write("a.lath", *map(record, range(10)))
    b = write("b.lath", *map(record, range(10, 20)))
    one = arena("select", a, b, "--sample", 6, "--seed", 3, "-o", "one.lath")
    assert one.err == "6 of 20 records selected\n"
    assert arena("select", b, a, "--sample", 6, "--seed", 3, "-o", "two.lath").status == 0
    drawn = [int(number) for number in numbers("one.lath")]
    assert drawn == sorted(drawn) == sorted(map(int, numbers("two.lath")))
    ran = arena("select", b, a, "--sample", 6, "--seed", 3, "--sort", "number", "-o", "two.lath")
    assert ran.status == 0
    assert Path("two.lath").read_text() == Path("one.lath").read_text()


def test_shares_keep_a_game_and_its_mirror_images_together(folder: Path) -> None:
    corners = ["a1", "a5", "e1", "e9", "i1", "i5"]  # of a hexagon, all of them one opening
    write("a.lath", *(record(n, moves=f"{corner} *") for n, corner in enumerate(corners)))
    for seed in range(8):
        out = f"parts{seed}"
        ran = arena("select", "a.lath", "--split", "train=1,test=1", "--seed", seed, "-o", out)
        assert ran.status == 0
        assert "6 of 6 records selected into 1 part" in ran.err
    assert {path.name for path in folder.glob("parts*/*")} == {"train.lath", "test.lath"}


def test_split_tells_of_a_bad_record_and_leaves_it_out(folder: Path) -> None:
    write("a.lath", record(1), BAD, record(2))
    ran = arena(
        "select", "a.lath", "--split", "number", "-o", "parts", "--name", "{number}-{value}"
    )
    assert ran.status == 1
    assert ran.err.endswith("2 of 2 records selected into 2 parts; 1 bad record left out\n")
    assert sorted(path.name for path in Path("parts").iterdir()) == ["1-1.lath", "2-2.lath"]


def test_what_is_selected_may_be_ordered_cut_and_divided_at_once(folder: Path) -> None:
    rounds = ["3", "10", "1", "2", "4"]
    tags = [f'[Round "{r}"]\n[Event "{"ab"[int(r) % 2]}\n"]\n' for r in rounds]
    write("a.lath", *(record(n, tag.replace('\n"', '"')) for n, tag in enumerate(tags)))
    query = ["--where", "round < 10", "--sort", "round", "--reverse", "--limit", 3]
    ran = arena("select", "a.lath", *query, "--split", "event", "-o", "parts")
    assert ran.err.endswith("3 of 5 records selected into 2 parts\n")
    assert [numbers(f"parts/{name}.lath") for name in "ab"] == [["4", "3"], ["0"]]


def test_a_date_known_in_part_makes_no_record_bad_and_finds_its_copies(tmp_path: Path) -> None:
    ended = '[Termination "resignation"]\n[Result "1-0"]'
    text = "1. e5 2. swap 3. d4 4. f6 5. a1 6. i5 7. c3 8. g2 9. h3 1-0\n"
    file = tmp_path / "in.lath"
    file.write_text(
        "\n".join(
            f'[Game "yavalath"]\n[Date "{date}"]\n[Round "3"]\n[First "ann"]\n[Second "bob"]\n'
            f"{ended}\n\n{text}"
            for date in ("2026-11-20", "2026-11-??", "2026-??-??")
        )
    )
    assert arena("check", file).status == 0
    ran = arena("select", file, "--without-copies", "--count")
    assert (ran.status, ran.out) == (0, "1\n"), ran.err
    for query, found in ("date >= 2026-11", 2), ("date = 2026", 3), ("date = 2026-11-20", 1):
        assert arena("select", file, "--where", query, "--count").out == f"{found}\n", query
