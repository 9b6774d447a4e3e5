"""`arena convert` as its users meet it: files, streams, warnings, counts, statuses."""

from __future__ import annotations

import gzip
import io
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from arena_runs import PATIENCE_S, environment
from commands import Ran, arena
from loaded import Run
from places import DOCS, SAMPLES
from sample_records import random_game

from lath.arena.cli import convert as convert_module
from lath.notation import Record, format_records, formats
from lath.notation.formats import READABLE, TABLE, WHOLE, WRITABLE, Lost

ONE = """\
[Game "yavalath"]
[First "ann"]
[Second "bob"]
[Termination "resignation"]
[Result "0-1"]

1. e5 2. swap 3. d4 0-1
"""
RICH = ONE.replace('[Result "0-1"]', '[Mood "grim"]\n[Result "0-1"]').replace(
    "3. d4", "(2. d4) 3. d4! {so be it}"
)
BAD = "[Game oops]\n"

HEADER = (
    "game,event,site,date,round,first,second,setup,position,time_control,opening,seed,annotator,"
    "plies,result,termination,moves,movetext,tags"
)
ROW = "yavalath,,,,,ann,bob,,,,,,,3,0-1,resignation,e5 swap d4,,"


def convert(*arguments: object, stdin: str | bytes = "") -> Ran:
    """Run the command."""
    return arena("convert", *arguments, stdin=stdin)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "games.lath"
    path.write_text(ONE)
    return path


def sample(name: str, folder: Path) -> Path:
    """Return a file of two games in a format that is read."""
    path = folder / f"sample{TABLE[name].suffixes[0]}"
    if name == "ludii":
        swapped = (SAMPLES / "ludii-yavalath-swap.trl").read_bytes()
        path.write_bytes((SAMPLES / "ludii-manalath.trl").read_bytes() + swapped)
        return path
    lath = folder / "made.lath"
    games = [random_game("yavalath", seed, Date="2026-11-20") for seed in range(2)]
    lath.write_text("".join(format_records(games)))
    if name == "text":  # our own text, which it reads, too
        path.write_text("; PGN\n\n" + lath.read_text())
        return path
    assert convert(lath, path).status == 0
    return path


@pytest.mark.parametrize("to", WRITABLE)
@pytest.mark.parametrize("from_", READABLE)
def test_every_format_that_is_read_becomes_every_format_that_is_written(
    from_: str, to: str, tmp_path: Path
) -> None:
    path = sample(from_, tmp_path)
    made = tmp_path / f"made{TABLE[to].suffixes[0]}"
    ran = convert(path, made)
    told = ran.err.splitlines()
    assert told[-1].startswith("converted ")
    assert all(line.startswith(f"warning: {to} cannot hold ") for line in told[:-1])
    assert made.read_bytes()
    if from_ != "ludii":  # which has a game that not all formats know
        assert (ran.status, told[-1]) == (0, "converted 2 records, left out 0")


@pytest.mark.parametrize(
    "name", [name for name in READABLE if name in WRITABLE and TABLE[name].holds_moves]
)
def test_a_format_that_is_read_and_written_holds_the_moves_of_a_game(
    name: str, tmp_path: Path
) -> None:
    path = sample(name, tmp_path)
    back = tmp_path / "back.lath"
    assert convert(path, back).status == 0
    found = [entry.record for entry in formats.reader("lath")(io.BytesIO(back.read_bytes()), "f")]
    moves = [record.moves for record in found if record]
    assert moves == [random_game("yavalath", seed).moves for seed in range(2)]


def test_what_the_target_holds_is_converted_without_a_word_but_the_counts(source: Path) -> None:
    made = source.with_suffix(".jsonl")
    ran = convert(source, made)
    assert (ran.status, ran.out, ran.err) == (0, "", "converted 1 record, left out 0\n")
    assert convert(made, "-", "--to", "lath", "-q") == Ran(0, ONE, "", ONE.encode())


def test_every_loss_has_one_warning_with_the_first_record_of_the_source(tmp_path: Path) -> None:
    source = tmp_path / "games.lath"
    source.write_text(f"{ONE}\n{BAD}\n{RICH}\n{BAD}\n{ONE}\n{RICH}")
    ran = convert(source, tmp_path / "games.ygn")
    assert ran.status == 1
    warnings = [line for line in ran.err.splitlines() if line.startswith("warning")]
    assert warnings == [
        "warning: ygn cannot hold tag First (4 records, the first is record 1)",
        "warning: ygn cannot hold tag Second (4 records, the first is record 1)",
        "warning: ygn cannot hold tag Termination (4 records, the first is record 1)",
        "warning: ygn cannot hold result 0-1 (4 records, the first is record 1)",
        "warning: ygn cannot hold tag Mood (2 records, the first is record 3)",
        "warning: ygn cannot hold glyphs (2 records, the first is record 3)",
        "warning: ygn cannot hold comments (2 records, the first is record 3)",
        "warning: ygn cannot hold variations (2 records, the first is record 3)",
    ]
    assert ran.err.endswith("\nconverted 4 records, left out 2\n")


def test_a_loss_in_one_record_names_it(tmp_path: Path) -> None:
    source = tmp_path / "games.lath"
    source.write_text(f"{ONE}\n{RICH}")
    ran = convert(source, tmp_path / "games.ygn")
    assert "warning: ygn cannot hold glyphs (record 2)\n" in ran.err


def test_a_bad_record_is_told_of_and_the_rest_is_converted(tmp_path: Path) -> None:
    source, made = tmp_path / "games.lath", tmp_path / "games.jsonl"
    source.write_text(f"{BAD}\n{ONE}")
    ran = convert(source, made)
    assert ran.status == 1
    assert ran.err == (
        f"{source}:1:7: error[syntax]: the value is not in double quotes; "
        'did you mean "oops"? (record 1)\n'
        "  [Game oops]\n"
        "        ^\n"
        "converted 1 record, left out 1\n"
    )
    assert made.read_text().count("\n") == 1


def test_strict_writes_nothing_where_anything_would_be_lost(source: Path) -> None:
    made = source.with_suffix(".ygn")
    assert convert(source, made).status == 0
    before = made.read_bytes()
    ran = convert(source, made, "--strict")
    assert ran.status == 1
    assert "games.ygn stays as it is, for --strict: " in ran.err
    assert made.read_bytes() == before
    made.unlink()
    assert "games.ygn is not written, for --strict: " in convert(source, made, "--strict").err
    ran = convert(source, "-", "--to", "ygn", "--strict")
    assert (ran.status, ran.out) == (1, "")
    assert [path.name for path in source.parent.iterdir()] == [source.name]
    assert convert(source, source.with_suffix(".jsonl"), "--strict").status == 0


@pytest.mark.parametrize("strict", [[], ["--strict"]])
@pytest.mark.parametrize("name", ["ygn", "sgf", "csv --positions"])
@pytest.mark.parametrize("by", ["games.lath", "link.lath", "hard.lath", "x/../games.lath"])
def test_a_source_is_never_replaced_by_what_holds_less(
    source: Path, name: str, by: str, strict: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(source.parent)
    source.write_text(RICH)
    Path("x").mkdir()
    Path("link.lath").symlink_to(source)
    Path("hard.lath").hardlink_to(source)
    before = sorted(source.parent.iterdir())
    ran = convert("games.lath", by, "--to", *name.split(), *strict)
    assert (ran.status != 0, ran.out) == (True, "")
    words = {"ygn": "would be lost", "sgf": "sgf is only written, not read"}
    assert words.get(name, "a table of plies holds less than records") in ran.err
    assert source.read_text() == RICH
    assert source.samefile("hard.lath")
    assert sorted(source.parent.iterdir()) == before


@pytest.mark.parametrize(
    "command",
    [
        "convert - - --from lath --to lath < games.lath >> games.lath",
        "select games.lath games.lath >> games.lath",
        "edit - --set Event=x -o games.lath < games.lath",
    ],
)
def test_what_a_shell_opens_is_the_file_that_is_read_all_the_same(
    source: Path, command: str
) -> None:
    words = re.split(" (?=<|>)", command)
    streams = {word.split()[0]: word.split()[1] for word in words[1:]}
    with ExitStack() as stack:
        given = stack.enter_context((source.parent / streams.get("<", os.devnull)).open("rb"))
        out = subprocess.PIPE
        if name := streams.get(">>"):
            out = stack.enter_context((source.parent / name).open("ab")).fileno()
        ran = subprocess.run(
            [sys.executable, "-m", "lath.arena", *words[0].split()],
            stdin=given,
            stdout=out,
            stderr=subprocess.PIPE,
            cwd=source.parent,
            env=environment(),
            timeout=PATIENCE_S,
            check=False,
        )
    assert ran.returncode == 2
    assert source.read_text() == ONE


def test_quiet_leaves_the_counts_out_but_no_problem_and_no_warning(tmp_path: Path) -> None:
    source = tmp_path / "games.lath"
    source.write_text(f"{BAD}\n{ONE}")
    ran = convert(source, tmp_path / "games.ygn", "-q")
    assert "error[syntax]" in ran.err
    assert ran.err.endswith("\nwarning: ygn cannot hold result 0-1 (record 2)\n")


def test_a_record_that_the_target_cannot_hold_at_all_counts_as_left_out(
    source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def picky(records: Iterable[Record], lost: Lost) -> Iterator[bytes]:
        for number, _ in enumerate(records, 1):
            lost(number, "comments")
            lost(number, "game yavalath")
            lost(number, WHOLE)
        yield b""

    monkeypatch.setattr(formats, "writer", lambda _: picky)
    ran = convert(source, source.with_suffix(".ygn"))
    assert (ran.status, ran.err) == (
        1,
        (
            "warning: ygn cannot hold comments (record 1)\n"
            "warning: ygn cannot hold game yavalath (record 1)\n"
            "converted 0 records, left out 1\n"
        ),
    )


def test_a_row_a_ply_has_the_number_that_the_record_has_in_the_source(tmp_path: Path) -> None:
    source, made = tmp_path / "games.lath", tmp_path / "plies.csv"
    source.write_text(f"{BAD}\n{ONE}")
    assert convert(source, made, "--positions").status == 1
    _, *rows = made.read_text().splitlines()
    assert [row.split(",")[:2] for row in rows] == [["2", "yavalath"]] * 3
    planes = tmp_path / "plies.npz"
    assert convert(source, planes, "--planes", "-q").status == 1
    assert planes.read_bytes()[:2] == b"PK"
    ran = convert(source, planes, "--planes", "--positions")
    assert "--positions and --planes exclude each other" in ran.err


def test_a_table_of_plies_never_takes_the_place_of_the_records(source: Path) -> None:
    made = source.with_suffix(".csv")
    convert(source, made)
    before = made.read_bytes()
    ran = convert(made, made, "--positions")
    assert (ran.status, made.read_bytes()) == (2, before)
    assert "is the source; a table of plies holds less than records" in ran.err


def test_games_that_end_otherwise_there_are_named_with_their_line(tmp_path: Path) -> None:
    source, made = tmp_path / "games.lath", tmp_path / "games.json"
    source.write_text(
        '[Game "yavalath"]\n\n*\n\n[Game "manalath-61"]\n[Result "0-1"]\n\n'
        "Oa1 Pi1 Oa2 Pi3 Oa4 Pi5 Oa5 Ph1 Og1 Ph3 Og2 Ph5 Og3 Oa3 Og4 0-1\n"
    )
    ends = (
        "a new group of four beside an older one of five: 1-0 by AbstractPlay's rules, 0-1 by ours"
    )
    assert convert(source, made).err.startswith(
        f"{source}:5: note: {ends}; 1-0 is written (record 2)\n"
    )
    back = convert(made, "-", "--to", "lath")
    assert back.err.startswith(f"{made}:3: note: {ends}; 0-1 is written (record 2)\n")
    assert '[Result "0-1"]' in back.out


def test_standard_streams_stand_for_files(source: Path) -> None:
    ran = convert("-", "-", "--from", "lath", "--to", "csv", stdin=ONE)
    assert (ran.status, ran.out_bytes) == (0, f"{HEADER}\r\n{ROW}\r\n".encode())
    ran = convert(source, "-", "--to", "parquet")
    assert ran.out_bytes[:4] == ran.out_bytes[-4:] == b"PAR1"
    again = convert("-", "-", "--from", "parquet", "--to", "lath", stdin=ran.out_bytes)
    assert again.out == ONE
    made = source.with_suffix(".jsonl")
    assert convert("-", made, "--from", "lath", stdin=ONE).status == 0
    assert made.read_text().startswith('{"tags":[["Game","yavalath"]')


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["-", "games.csv"],
            (
                "standard input has no suffix; name its format by --from, "
                "one of lath, jsonlines, abstractplay, ludii, ygn, pgn, text, csv, parquet"
            ),
        ),
        (
            ["games.lath", "-"],
            (
                "standard output has no suffix; name its format by --to, "
                f"one of {', '.join(WRITABLE)}"
            ),
        ),
        (
            ["games.pdn", "games.csv"],
            (
                "games.pdn: no format has the suffix .pdn; expected one of .lath, .jsonl, .ndjson, "
                ".json, .trl, .ygn, .sgf, .pgn, .txt, .csv, .parquet, .npz, .duckdb; or name it by "
                "--from"
            ),
        ),
        (["games.lath", "games.csv", "--to", "pdn"], "there is no format 'pdn'; expected one of "),
        (["games.sgf", "games.lath"], "sgf is only written; what can be read is lath, "),
        (
            ["games.lath", "games.ygn", "--positions"],
            "ygn has no row a ply; jsonlines, csv, parquet have",
        ),
        (
            ["games.lath", "games.npz"],
            "npz holds no records, only planes: `arena convert --planes`",
        ),
        (["games.lath", "games.sgf", "--planes"], "sgf has no planes; parquet, npz have"),
        (["games.lath", "games.trl"], "ludii is only read; what can be written is lath, "),
        (["none.lath", "games.csv"], "none.lath cannot be read: No such file or directory"),
    ],
)
def test_wrong_usage_says_what_was_expected(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = convert(*arguments)
    assert ran.status == 2
    assert ran.err.startswith(f"arena: {message}")
    assert list(tmp_path.iterdir()) == []


def test_a_name_goes_over_the_suffix(source: Path) -> None:
    made = source.with_name("games.txt")
    assert convert(source, made, "--to", "jsonlines").status == 0
    assert convert(made, "-", "--from", "jsonlines", "--to", "lath").out == ONE


def test_files_are_compressed_by_their_suffix(source: Path) -> None:
    packed = source.with_name("games.jsonl.gz")
    assert convert(source, packed).status == 0
    assert gzip.decompress(packed.read_bytes()).startswith(b'{"tags"')
    assert convert(packed, "-", "--to", "lath").out == ONE


def test_a_file_can_be_converted_into_itself(source: Path) -> None:
    source.write_text(ONE.replace("1. e5 2. swap", "e5   swap"))
    assert convert(source, source).status == 0
    assert source.read_text() == ONE


def test_a_damaged_source_leaves_the_old_destination(source: Path) -> None:
    damaged = source.with_name("damaged.lath.gz")
    damaged.write_bytes(gzip.compress(ONE.encode())[:-9])
    made = source.with_name("old.csv")
    made.write_text(HEADER)
    ran = convert(damaged, made)
    assert (ran.status, made.read_text()) == (2, HEADER)
    assert f"arena: {damaged} cannot be read: " in ran.err
    assert sorted(source.parent.iterdir()) == [damaged, source, made]


def test_a_destination_that_cannot_be_written_is_named(source: Path) -> None:
    made = source.with_name("missing") / "games.csv"
    ran = convert(source, made)
    assert (ran.status, ran.err) == (
        2,
        f"arena: {made} cannot be written: No such file or directory\n",
    )
    folder = source.with_name("folder.csv")
    folder.mkdir()
    assert convert(source, folder).err == f"arena: {folder} cannot be written: Is a directory\n"


def shell(command: str) -> subprocess.CompletedProcess[str]:
    """Run a line of a shell in which $arena is the program."""
    return subprocess.run(
        ["/bin/sh", "-c", command],
        env={
            **os.environ,
            "arena": f"{sys.executable} -m lath.arena",
            "PYTHONDONTWRITEBYTECODE": "1",  # a limit on files would cut those short
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def begun(source: Path, *, output: int) -> Run:
    """Begin to make CSV of a file, in a process of its own."""
    words = ["convert", str(source), "-", "--to", "csv"]
    return Run(words, cwd=source.parent, env=environment(), output=output)


def test_a_full_disk_leaves_the_old_destination(source: Path) -> None:
    """A limit on the size of files stands for the disk."""
    source.write_text("\n".join([ONE] * 1000))
    made = source.with_name("old.csv")
    made.write_text(HEADER)
    ran = shell(f"ulimit -f 8; exec $arena convert {source} {made}")
    assert (ran.returncode, made.read_text()) == (2, HEADER)
    assert ran.stderr == f"arena: {made} cannot be written: File too large\n"
    assert sorted(source.parent.iterdir()) == [source, made]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this Python's own system has none")
def test_a_full_standard_output_is_told_of_once(source: Path) -> None:
    run = begun(source, output=os.open("/dev/full", os.O_WRONLY))
    _, told = run.communicate(timeout=PATIENCE_S)
    assert (run.returncode, told) == (
        2,
        "arena: standard output cannot be written: No space left on device\n",
    )


def test_who_reads_no_further_hears_no_complaint(source: Path) -> None:
    source.write_text("\n".join([ONE] * 5000))
    reading, writing = os.pipe()
    run = begun(source, output=writing)
    with os.fdopen(reading) as rows:
        assert rows.readline() == f"{HEADER}\n"
    _, told = run.communicate(timeout=PATIENCE_S)
    assert told == ""


def test_without_pyarrow_parquet_says_what_to_install(
    source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    ran = convert(source, source.with_suffix(".parquet"))
    assert (ran.status, ran.err) == (
        2,
        "arena: Parquet and Arrow need pyarrow: pip install 'lath-arena[arrow]'\n",
    )
    assert list(source.parent.iterdir()) == [source]


def test_the_help_names_every_format() -> None:
    assert f"The formats are {', '.join(TABLE)}." in " ".join(
        (convert_module.convert.__doc__ or "").split()
    )


PAGE = (DOCS / "formats.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    """Return the page's first example in a language."""
    return PAGE.split(f"```{language}\n")[1].split("```\n")[0]


def test_the_example_of_the_docs_runs_as_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("games.lath").write_text(block("lath"))
    command, _, said = block("console").partition("\n")
    ran = arena(*command.removeprefix("$ arena ").split())
    assert (ran.status, ran.out, ran.err) == (0, "", said)
    assert Path("games.csv").read_text() == block("csv")


def test_the_json_of_the_docs_is_what_is_written_and_its_problem_what_is_told() -> None:
    ran = convert("-", "-", "--from", "jsonlines", "--to", "jsonlines", stdin=block("json"))
    assert ran.out == block("json")
    bad = block("text").splitlines()[1].encode()
    (entry,) = formats.reader("jsonlines")(io.BytesIO(bad.strip()), "games.jsonl")
    assert f"{entry.problems[0]}\n" == block("text")


def test_the_docs_have_a_row_for_every_format_as_the_table_says() -> None:
    rows = PAGE.split("| --- | --- | --- | --- | --- |\n")[1].split("\n\n")[0].splitlines()
    found = {}
    for row in rows:
        name, _, suffixes, is_read, is_written = row.strip("| ").split(" | ")
        found[name.strip("`")] = (suffixes.replace("`", "").split(", "), is_read, is_written)
    assert found == {
        name: (
            list(listed.suffixes),
            "yes" if listed.read else "-",
            "yes" if listed.write else "-",
        )
        for name, listed in TABLE.items()
    }


@pytest.mark.parametrize("suffix", ["csv", "parquet", "csv.gz", "parquet.zst"])
def test_a_table_of_games_is_read_by_every_command_that_reads_records(
    suffix: str, source: Path
) -> None:
    source.write_text(f"{ONE}\n{RICH}")
    table = source.with_name(f"games.{suffix}")
    assert convert(source, table).err == "converted 2 records, left out 0\n"
    assert arena("select", table, "-q").out == source.read_text()
    assert arena("diff", source, table).err == "2 equal, 0 differ, 0 only in A, 0 only in B\n"
    assert arena("stats", table).status == 0


def test_csv_begins_with_a_byte_order_mark_where_somebody_wants_it(source: Path) -> None:
    made, mark = source.with_suffix(".csv"), "\ufeff".encode()
    assert convert(source, made, "--bom").status == 0
    marked = made.read_bytes()
    assert convert(source, made).status == 0
    assert marked == mark + made.read_bytes()
    made.write_bytes(marked)
    assert convert(made, "-", "--to", "lath").out == ONE
    for command in (("rate", source, "--csv"), ("stats", source, "--csv", "--openings")):
        assert arena(*command, "--bom").out == "\ufeff" + arena(*command).out
        ran = arena(*(word for word in command if word != "--csv"), "--bom")
        assert (ran.status, "--bom is for --csv" in ran.err) == (2, True)
    ran = convert(source, source.with_suffix(".jsonl"), "--bom")
    assert (ran.status, "--bom is for CSV" in ran.err) == (2, True)
