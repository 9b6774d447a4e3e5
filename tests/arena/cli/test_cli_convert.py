"""`arena convert` as its users meet it: files, streams, warnings, counts, statuses."""

from __future__ import annotations

import gzip
import os
import re
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from arena_runs import PATIENCE_S, environment
from commands import Ran, arena
from loaded import Run
from places import SAMPLES
from refusals import refusals
from sample_records import random_game

from lath.notation import format_records
from lath.notation.formats import READABLE, TABLE, WRITABLE

if TYPE_CHECKING:
    from golden import Golden

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
OTHER = '[Game "mammalath"]\n\n1. c3 *\n'

HEADER = (
    "game,event,site,date,round,first,second,setup,position,time_control,opening,seed,annotator,"
    "plies,result,termination,moves,movetext,tags"
)
ROW = "yavalath,,,,,ann,bob,,,,,,,3,0-1,resignation,e5 swap d4,,"


def convert(*arguments: object, stdin: str | bytes = "") -> Ran:
    """Run the command."""
    return arena("convert", *arguments, stdin=stdin)


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a file, in the current folder."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "games.lath"
    path.write_text(ONE)
    return path


def sample(name: str, folder: Path) -> Path:
    """Return a file of two games in a format that is read."""
    path = folder / f"sample{TABLE[name].suffixes[0]}"
    if name == "ludii":
        files = ("ludii-manalath.trl", "ludii-yavalath-swap.trl")
        path.write_bytes(b"".join((SAMPLES / file).read_bytes() for file in files))
        return path
    lath = folder / "made.lath"
    games = [random_game("yavalath", seed, Date="2026-11-20") for seed in range(2)]
    lath.write_text("".join(format_records(games)))
    if name == "text":  # our own text, which it reads, too
        path.write_text("; PGN\n\n" + lath.read_text())
        return path
    assert convert(lath, path).status == 0
    return path


@pytest.mark.parametrize("from_", READABLE)
def test_every_format_that_is_read_becomes_every_format_that_is_written(
    from_: str, tmp_path: Path
) -> None:
    path = sample(from_, tmp_path)
    for to in WRITABLE:
        made = tmp_path / f"made{TABLE[to].suffixes[0]}"
        ran = convert(path, made)
        told = ran.err.splitlines()
        assert all(line.startswith(f"warning: {to} cannot hold ") for line in told[:-1])
        assert made.read_bytes()
        if from_ != "ludii":  # which has a game that not all formats know
            assert (ran.status, told[-1]) == (0, "converted 2 records, left out 0")


def test_what_the_target_holds_is_converted_without_a_word_but_the_counts(source: Path) -> None:
    made = source.with_suffix(".jsonl")
    ran = convert(source, made)
    assert (ran.status, ran.out, ran.err) == (0, "", "converted 1 record, left out 0\n")
    assert convert(made, "-", "--to", "lath", "-q") == Ran(0, ONE, "", ONE.encode())
    source.write_text(ONE.replace("1. e5 2. swap", "e5   swap"))
    assert convert(source, source).status == 0
    assert source.read_text() == ONE


def test_every_loss_has_one_warning_and_a_bad_record_its_place(
    source: Path, golden: Golden
) -> None:
    source.write_text(f"{ONE}\n{BAD}\n{RICH}\n{OTHER}\n{ONE}\n{RICH}")
    told = {}
    for arguments in ("games.ygn", "games.ygn -q", "games.jsonl"):
        ran = convert("games.lath", *arguments.split())
        assert ran.status == 1
        told[arguments] = ran.err
    golden(told)
    assert Path("games.jsonl").read_text().count("\n") == 5


def test_nothing_is_written_if_no_record_can_be_converted(source: Path) -> None:
    (source.parent / "other.lath").write_text(OTHER)
    (source.parent / "bad.lath").write_text(BAD)
    for name in sorted({*WRITABLE} - {"pgn"}):
        taken = "other.lath" if name in ("abstractplay", "ygn") else "bad.lath"
        made = source.parent / f"made{TABLE[name].suffixes[0]}"
        ran = convert(taken, made.name)
        assert (ran.status, made.exists()) == (1, False), name
        assert f"warning: {made.name}: not written, because no record can be converted\n" in ran.err
        hint = "hint: for JSON Lines, use made.jsonl or --to jsonlines\n"
        assert (hint in ran.err) == (name == "abstractplay")
    lines = convert(source, "-", "--to", "jsonlines").out
    (source.parent / "lines.json").write_text(lines)
    ran = arena("check", "lines.json")
    assert "the record is JSON Lines, of which the suffix is .jsonl" in ran.out


def test_help_says_which_formats_are_only_read_or_only_written() -> None:
    shown = " ".join(arena("convert", "--help").out.split())
    uses = ("Read and written", "Only read", "Only written")
    parts = re.search(": ([^.]*). ".join(uses) + ": ([^.]*).", shown)
    assert parts
    both, read, written = (set(part.split(", ")) for part in parts.groups())
    assert both | read == {*READABLE}
    assert both | written == {*WRITABLE, "npz", "duckdb"}
    assert len(both) + len(read) + len(written) == len(both | read | written)


def test_strict_writes_nothing_where_anything_would_be_lost(source: Path) -> None:
    made = source.with_suffix(".ygn")
    assert convert(source, made).status == 0
    before = made.read_bytes()
    ran = convert(source, made, "--strict")
    assert (ran.status, made.read_bytes()) == (1, before)
    assert "games.ygn: unchanged because of --strict: " in ran.err
    made.unlink()
    assert "games.ygn: not written because of --strict: " in convert(source, made, "--strict").err
    ran = convert(source, "-", "--to", "ygn", "--strict")
    assert (ran.status, ran.out) == (1, "")
    assert [path.name for path in source.parent.iterdir()] == [source.name]
    assert convert(source, source.with_suffix(".jsonl"), "--strict").status == 0


def test_a_source_is_never_replaced_by_what_holds_less(source: Path) -> None:
    source.write_text(RICH)
    Path("x").mkdir()
    Path("link.lath").symlink_to(source)
    Path("hard.lath").hardlink_to(source)
    before = sorted(source.parent.iterdir())
    less = {
        "ygn": "would be lost",
        "sgf": "sgf can be written but not read",
        "csv --positions": "a table of plies holds less than its records",
    }
    for by in ("games.lath", "link.lath", "hard.lath", "x/../games.lath"):
        for name, words in less.items():
            for strict in ([], ["--strict"]):
                ran = convert("games.lath", by, "--to", *name.split(), *strict)
                assert (ran.status != 0, ran.out, words in ran.err) == (True, "", True), (by, name)
    assert source.read_text() == RICH
    assert source.samefile("hard.lath")
    assert sorted(source.parent.iterdir()) == before
    made = source.with_suffix(".csv")
    convert(source, made)
    table = made.read_bytes()
    ran = convert(made, made, "--positions")
    assert (ran.status, made.read_bytes()) == (2, table)
    assert "this is the source; a table of plies holds less than its records" in ran.err


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
        line = [sys.executable, "-m", "lath.arena", *words[0].split()]
        ran = subprocess.run(
            line,
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


def test_a_row_a_ply_has_the_number_that_the_record_has_in_the_source(source: Path) -> None:
    source.write_text(f"{BAD}\n{ONE}")
    assert convert(source, "plies.csv", "--positions").status == 1
    _, *rows = Path("plies.csv").read_text().splitlines()
    assert [row.split(",")[:2] for row in rows] == [["2", "yavalath"]] * 3
    assert convert(source, "plies.npz", "--planes", "-q").status == 1
    assert Path("plies.npz").read_bytes()[:2] == b"PK"


def test_games_that_end_otherwise_there_are_named_with_their_line(
    source: Path, golden: Golden
) -> None:
    moves = "Oa1 Pi1 Oa2 Pi3 Oa4 Pi5 Oa5 Ph1 Og1 Ph3 Og2 Ph5 Og3 Oa3 Og4"
    source.write_text(
        f'[Game "yavalath"]\n\n*\n\n[Game "manalath-61"]\n[Result "0-1"]\n\n{moves} 0-1\n'
    )
    told = {"there": convert("games.lath", "games.json").err}
    back = convert("games.json", "-", "--to", "lath")
    golden({**told, "and back": back.err})
    assert '[Result "0-1"]' in back.out


def test_standard_streams_stand_for_files_and_a_name_goes_over_the_suffix(source: Path) -> None:
    ran = convert("-", "-", "--from", "lath", "--to", "csv", stdin=ONE)
    assert (ran.status, ran.out_bytes) == (0, f"{HEADER}\r\n{ROW}\r\n".encode())
    ran = convert(source, "-", "--to", "parquet")
    assert ran.out_bytes[:4] == ran.out_bytes[-4:] == b"PAR1"
    again = convert("-", "-", "--from", "parquet", "--to", "lath", stdin=ran.out_bytes)
    assert again.out == ONE
    assert convert("-", "games.txt", "--from", "lath", "--to", "jsonlines", stdin=ONE).status == 0
    assert Path("games.txt").read_text().startswith('{"tags":[["Game","yavalath"]')
    assert convert("games.txt", "-", "--from", "jsonlines", "--to", "lath").out == ONE
    assert convert(source, "games.jsonl.gz").status == 0
    assert gzip.decompress(Path("games.jsonl.gz").read_bytes()).startswith(b'{"tags"')
    assert convert("games.jsonl.gz", "-", "--to", "lath").out == ONE


WRONG = [
    *("- games.csv", "games.lath -", "games.pdn games.csv", "games.lath games.csv --to pdn"),
    *("games.sgf games.lath", "games.lath games.ygn --positions", "games.lath games.npz"),
    *("games.lath games.sgf --planes", "games.lath games.trl", "none.lath games.csv"),
    *("games.lath plies.npz --planes --positions", "games.lath missing/games.csv"),
    *("games.lath folder.csv", "games.lath games.jsonl --bom", "damaged.lath.gz old.csv"),
]


def test_wrong_usage_says_what_was_expected_and_writes_nothing(
    source: Path, golden: Golden
) -> None:
    Path("folder.csv").mkdir()
    Path("old.csv").write_text(HEADER)
    Path("damaged.lath.gz").write_bytes(gzip.compress(ONE.encode(), mtime=0)[:-9])
    before = sorted(Path().iterdir())
    golden(refusals(WRONG, "convert"))
    assert (sorted(Path().iterdir()), Path("old.csv").read_text()) == (before, HEADER)


def begun(source: Path, *, output: int) -> Run:
    """Begin to make CSV of a file, in a process of its own."""
    words = ["convert", str(source), "-", "--to", "csv"]
    return Run(words, cwd=source.parent, env=environment(), output=output)


def test_a_full_disk_leaves_the_old_destination(source: Path) -> None:
    """A limit on the size of files stands for the disk."""
    source.write_text("\n".join([ONE] * 1000))
    made = source.with_name("old.csv")
    made.write_text(HEADER)
    command = f"ulimit -f 8; exec {sys.executable} -m lath.arena convert {source} {made}"
    ran = subprocess.run(
        ["/bin/sh", "-c", command],
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},  # a limit would cut those short
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )
    assert (ran.returncode, made.read_text()) == (2, HEADER)
    assert ran.stderr == f"error: {made}: cannot be written: File too large\n"
    assert sorted(source.parent.iterdir()) == [source, made]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this Python's own system has none")
def test_a_full_standard_output_is_told_of_once(source: Path) -> None:
    run = begun(source, output=os.open("/dev/full", os.O_WRONLY))
    _, told = run.communicate(timeout=PATIENCE_S)
    words = "error: standard output: cannot be written: No space left on device\n"
    assert (run.returncode, told) == (2, words)


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
    words = "error: format: Parquet and Arrow need pyarrow: pip install 'lath-arena[arrow]'\n"
    assert (ran.status, ran.err) == (2, words)
    assert list(source.parent.iterdir()) == [source]


def test_a_table_of_games_is_read_by_every_command_that_reads_records(source: Path) -> None:
    source.write_text(f"{ONE}\n{RICH}")
    for suffix in ("csv", "parquet", "csv.gz", "parquet.zst"):
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
        assert (ran.status, "--bom: needs --csv" in ran.err) == (2, True)


def test_a_strict_conversion_into_a_pipe_gives_all_or_nothing(tmp_path: Path) -> None:
    good, bad, pipe = (tmp_path / name for name in ("good.lath", "bad.lath", "pipe.jsonl"))
    good.write_text('[Game "yavalath"]\n\n1. e5 2. d4 *\n\n[Game "yavalath"]\n\n1. a1 *\n')
    bad.write_text(good.read_text() + '\n[Game "yavalath"]\n\n1. z9 *\n')
    os.mkfifo(pipe)
    arena("convert", good, tmp_path / "file.jsonl")
    whole = (tmp_path / "file.jsonl").read_bytes()
    assert whole.count(b"\n") == 2
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        for source, status, content in ((good, 0, whole), (bad, 1, b"")):
            assert arena("convert", source, pipe, "--strict").status == status
            assert os.read(reading, 1 << 16) == content
    finally:
        os.close(reading)
