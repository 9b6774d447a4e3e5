"""`arena diff`, and what `arena select` joins, orders and divides, and the page about them."""

from __future__ import annotations

import gzip
import json
import os
import re
import shlex
import threading
from pathlib import Path

import pytest
from commands import Ran, arena
from places import DOCS
from sample_records import tournament, with_tags

from lath.notation import format_record
from lath.notation.reader import entries

PAGE = DOCS / "archives.md"


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


# The page

_EXAMPLE = re.compile(r"^```(lath (\S+)|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def shell(line: str) -> str:
    """Return what a line of the page prints."""
    command, *arguments = shlex.split(line)
    if command == "grep":
        word, path = arguments
        return "".join(f"{text}\n" for text in Path(path).read_text().splitlines() if word in text)
    assert command == "arena"
    ran = arena(*arguments)
    return ran.out + ran.err


def test_every_example_of_the_page_gives_what_it_shows(folder: Path) -> None:
    shown: list[str] = []
    for language, name, text in _EXAMPLE.findall(PAGE.read_text(encoding="utf-8")):
        if language != "console":
            Path(name).write_text(text)
            continue
        for example in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
            line, _, output = example.partition("\n")
            assert shell(line) == output, line
            shown += line.split()
    assert {"diff", "--distinct", "--sort", "--split"} <= set(shown)


# diff


def test_diff_says_nothing_of_equal_archives_but_the_counts(folder: Path) -> None:
    write("a.lath", record(1), record(2))
    Path("b.lath.gz").write_bytes(gzip.compress(f"{record(2)}\n{record(1)}".encode()))
    ran = arena("diff", "a.lath", "b.lath.gz")
    assert (ran.status, ran.out) == (0, "")
    assert ran.err == "2 equal, 0 differ, 0 only in A, 0 only in B\n"
    assert arena("diff", "-q", "a.lath", "b.lath.gz") == Ran(0, "", "", b"")


def test_diff_tells_moves_tags_and_remarks_a_line_each(folder: Path) -> None:
    write("a.lath", record(1, '[Event "x"]\n', "{hello} e5 d4 {why} *"), record(2))
    write("b.lath", record(1, '[Site "y"]\n', "e5 d4 c3 0-1"), record(2, "", "e5 d4! *"))
    ran = arena("diff", "a.lath", "b.lath", "--key", "Number")
    assert ran.status == 1
    assert ran.out.splitlines() == [
        "record 1 / record 1: A ends after ply 2, B goes on with c3",
        "record 1 / record 1: Event: x / none",
        "record 1 / record 1: Result: * / 0-1",
        "record 1 / record 1: Termination: none / agreement",
        "record 1 / record 1: Site: none / y",
        "record 1 / record 1: comments before the first move differ",
        "record 2 / record 2: comments or variations differ from ply 2 on",
    ]
    (line,) = arena("diff", "a.lath", "b.lath", "--key", "number", "--moves-only").out.splitlines()
    assert line == "record 1 / record 1: A ends after ply 2, B goes on with c3"


def test_diff_takes_either_side_from_standard_input(folder: Path) -> None:
    write("a.lath", record(1), record(2))
    for arguments, told in ((("a.lath", "-"), "only in A"), (("-", "a.lath"), "only in B")):
        ran = arena("diff", *arguments, stdin=record(2))
        assert ran.status == 1
        assert ran.out == f"{told}: record 1 (line 1): ann - ?, yavalath\n"
    ran = arena("diff", "-", "-", stdin=record(2))
    assert ran.status == 2
    assert "one of the two must be a file" in ran.err


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


def test_diff_as_json_says_the_same(folder: Path) -> None:
    write("a.lath", record(1), record(2))
    write("b.lath", record(1, '[Event "x"]\n'), record(3))
    lines = [
        json.loads(line)
        for line in arena("diff", "a.lath", "b.lath", "--json").out.split("\n")[:-1]
    ]
    assert [line["kind"] for line in lines] == ["differs", "differs", "counts"]
    assert lines[0]["tags"] == {"Event": [None, "x"]}
    assert lines[0]["a"] == {
        "record": 1, "line": 1, "game": "yavalath", "round": "", "first": "ann", "second": ""
    }  # fmt: skip
    assert lines[2] == {
        "kind": "counts", "equal": 0, "differ": 2, "only_in_a": 0, "only_in_b": 0,
        "bad_in_a": 0, "bad_in_b": 0,
    }  # fmt: skip


def test_diff_lets_no_tag_write_to_the_terminal(folder: Path) -> None:
    write("a.lath", record(1, '[Event "\x1b[31m"]\n'))
    write("b.lath", record(1))
    assert arena("diff", "a.lath", "b.lath").out == "record 1 / record 1: Event: ·[31m / none\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a.lath", "none.lath"], "none.lath cannot be read: No such file"),
        (["none.lath", "a.lath"], "none.lath cannot be read: No such file"),
        (["none.lath", "no.lath"], "none.lath cannot be read: No such file"),
        (["a.lath", "a.lath", "--key", "a b"], "--key a b: 'a b' is nothing that records have"),
    ],
)
def test_diff_exits_with_2_for_what_it_cannot_read(
    folder: Path, arguments: list[str], message: str
) -> None:
    write("a.lath", record(1))
    ran = arena("diff", *arguments)
    assert ran.status == 2
    assert message in ran.err


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


def test_merge_writes_to_standard_output(folder: Path) -> None:
    write("a.lath", record(1))
    ran = arena("select", "a.lath", "a.lath", "-o", "-", "-q")
    assert (ran.status, ran.out, ran.err) == (0, f"{record(1)}\n{record(1)}", "")


def test_merge_leaves_out_games_that_were_there(folder: Path) -> None:
    write("a.lath", record(1), record(2, "", "e5 swap *"), record(3))
    write("b.lath", record(4, '[Event "x"]\n', "1. e5 {why} 2. d4 1-0"), record(5, "", "e5 d3 *"))
    ran = arena("select", "a.lath", "b.lath", "--distinct", "-o", "out.lath")
    assert ran.err == "3 of 5 records selected; 2 left out that were there already\n"
    assert numbers("out.lath") == ["1", "2", "5"]


def test_copies_are_left_out_listed_and_written_with_what_they_are_copies_of(folder: Path) -> None:
    moves = "a1 e5 b2 d4 c6 f6 a4 g2 h3 i1 *"
    broken = f'[Game "yavalath"]\n[First "Ann"]\n\n{moves.replace(" h3 i1", "")}\n'
    write("a.lath", broken, record(2, "", "e5 d3 *"))
    write("b.lath", record(3, "", moves), record(4, "", moves))
    flags = "a.lath", "b.lath", "--without-copies"
    line = "a.lath:1: record 1 (yavalath, Ann - ?) is a copy of record 1 of b.lath"
    ran = arena("select", *flags, "-o", "out.lath")
    line += ", stops after ply 8 of 10, First Ann for ann"
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


def test_what_cannot_be_written_is_wrong_usage(folder: Path) -> None:
    write("a.lath", record(1))
    ran = arena("select", "a.lath", "-o", "none/out.lath")
    assert ran.status == 2
    assert "none/out.lath cannot be written: No such file" in ran.err
    assert arena("select", "a.lath", "--split", 1, "-o", "a.lath").status == 2


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


def test_sort_refuses_a_key_that_can_be_none(folder: Path) -> None:
    write("a.lath", record(1))
    ran = arena("select", "a.lath", "--sort", "date,", "-o", "b.lath")
    assert ran.status == 2
    assert "--sort date,: '' is nothing that records have; expected a tag such as" in ran.err
    assert not Path("b.lath").exists()


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


@pytest.mark.parametrize(
    ("by", "names"),
    [
        ("game", ["yavalath"]),
        ("result", ["1-0", "draw", "unfinished"]),
        ("Event", ["A-b", "a-b-2", "no-event"]),
        ("Site", ["_nul", "etc-passwd", "no-site"]),
        ("plies", ["2"]),
    ],
)
def test_split_names_parts_by_their_values(folder: Path, by: str, names: list[str]) -> None:
    write(
        "a.lath",
        record(1, '[Event "A b"]\n[Site "../etc/passwd"]\n', "e5 d4 1-0"),
        record(2, '[Event "a/b"]\n[Site "NUL"]\n'.replace("NUL", "nul"), "e5 d4 1/2-1/2"),
        record(3, '[Event "?"]\n'),
    )
    assert arena("select", "a.lath", "--split", by, "-o", "parts").status == 0
    assert sorted(path.name for path in Path("parts").iterdir()) == [f"{n}.lath" for n in names]


@pytest.mark.parametrize("force", [[], ["--force"]])
def test_parts_of_another_split_are_not_left_beside_new_ones(
    folder: Path, force: list[str]
) -> None:
    write("a.lath", record(1), record(2), record(3))
    assert arena("select", "a.lath", "--split", 1, "--compress", "gz", "-o", "parts").status == 0
    before = {path: path.read_bytes() for path in Path("parts").iterdir()}
    for more in (["--split", 2], ["--split", "game", "--compress", "gz"]):
        ran = arena("select", "a.lath", *more, "-o", "parts", *force)
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


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--split", 0], "--split '0': expected a KEY, or how many records a part has"),
        (["--split", ""], "--split '': expected a KEY, or how many records a part has"),
        (["--split", "-1"], "--split '-1': expected a KEY, or how many records a part has"),
        (["--split", 1, "--name", ""], "--name '': expected {number}, {number:4} or {value}"),
        (["--split", "a b"], "--split a b: 'a b' is nothing that records have"),
        (["--split", 1, "--compress", "rar"], "--compress 'rar': expected one of gz, bz2, xz, zst"),
        (["--split", 1, "--name", "{x}"], "--name '{x}': expected {number}, {number:4} or {value}"),
        (["--split", 1, "--name", "{value}"], "{value} stands only with --split KEY"),
        (["--split", 1, "--max-parts", 2], "there would be more than 2 parts"),
        (["--split", 1, "--count"], "--count prints a number"),
        (["--split", "a=1,b"], "--split a=1,b: expected a NAME and its share such as train=0.9"),
        (["--split", "a=1,b=0"], "such as train=0.9, not 'b=0'"),
        (["--split", "a=1,a=2"], "--split a=1,a=2: a has two shares"),
        (["--split", "game", "--seed", 1], "--seed goes with --sample or --split NAME=SHARE"),
        (["--name", "x"], "--name goes with --split, which is missing"),
        (["--compress", "gz"], "--compress goes with --split, which is missing"),
        (["--max-parts", 2], "--max-parts goes with --split, which is missing"),
        (["--sort", ""], "'' is nothing that records have"),
        (["--reverse"], "--reverse goes with --sort, which is missing"),
        (["--memory", 1], "--memory goes with --sort or --without-copies, which is missing"),
        (["--removed", "b.lath"], "--removed goes with --without-copies, which is missing"),
        (["--distinct", "--without-copies"], "expected one of them"),
        (["--without-copies", "--removed", "a.lath"], "expected a file that is not read or writ"),
    ],
)
def test_split_refuses_what_makes_no_sense_and_writes_nothing(
    folder: Path, arguments: list[object], message: str
) -> None:
    write("a.lath", record(1), record(2), record(3))
    ran = arena("select", "a.lath", "-o", "parts", *arguments)
    assert ran.status == 2
    assert message in ran.err
    assert not Path("parts").exists()


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
