"""`arena check`, `edit` and `show` as their users meet them: output, statuses, files."""

from __future__ import annotations

import gzip
import io
import json
import shlex
from importlib import util
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from commands import arena
from PIL import Image
from refusals import refusals
from seen_boards import differing_cells
from workers_here import work_here

from lath.arena.errors import ConfigError
from lath.arena.terminal.pictures import refuse_without_libraries
from lath.notation.rules.replay import positions
from lath.notation.text import splitting
from lath.notation.text.scanner import parse

if TYPE_CHECKING:
    from golden import Golden

GOOD = """\
[Game "yavalath"]
[First "ann"]
[Second "bob"]
[Termination "resignation"]
[Result "0-1"]

1. e5 2. swap 3. d4 0-1
"""

ILLEGAL = GOOD.replace("3. d4", "3. e5")


@pytest.fixture
def good(tmp_path: Path) -> Path:
    path = tmp_path / "good.lath"
    path.write_text(GOOD + "\n" + GOOD)
    return path


@pytest.fixture
def bad(tmp_path: Path) -> Path:
    path = tmp_path / "bad.lath"
    path.write_text(GOOD + "\n" + ILLEGAL + "\n" + GOOD)
    return path


def test_several_processes_write_what_one_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = GOOD.replace("1. e5", "1. e5! {[%emt 0.100] A good one.}")
    odd = f"{GOOD}\n".replace("1. e5", "{Here.} 1.e5")
    texts = [GOOD, ILLEGAL, told, odd, "rubbish\n", GOOD.replace("ann", "eve")] * 5
    (tmp_path / "games.lath").write_text("\n".join(texts))
    monkeypatch.setattr(splitting, "_BLOCK", 700)
    monkeypatch.chdir(tmp_path)
    work_here(monkeypatch)
    for command in (
        "select games.lath --where 'plies > 2' --sort date,first --distinct",
        "select games.lath --where 'plies <= 2' --invert --limit 7",
        "stats games.lath --endings --json",
        "rate games.lath --json",
        "convert games.lath - --to jsonlines",
    ):
        one, two = (arena(*shlex.split(command), "-j", jobs) for jobs in (1, 2))
        assert (one.status, one) == (1, two), command


def test_check_names_the_place_of_an_illegal_move_and_reads_on(
    good: Path, bad: Path, golden: Golden
) -> None:
    ran = arena("check", good)
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.startswith("2 records: 2 valid, 0 invalid (0 problems); 6 plies; ")
    texts, lines = arena("check", bad), arena("check", "--json", bad)
    assert (texts.status, lines.status) == (1, 1)
    told = {"text": texts.out, "json": lines.out}
    golden({way: "".join(text.splitlines(keepends=True)[:-1]) for way, text in told.items()})
    assert "\n3 records: 2 valid, 1 invalid (1 problem); 9 plies; " in texts.out


def test_edit_writes_the_canonical_form_in_place_and_once(tmp_path: Path) -> None:
    path = tmp_path / "loose.lath"
    path.write_text(GOOD.replace("1. e5 2. swap 3. d4", "e5   swap\n3.d4"))
    assert arena("edit", "--check", path).status == 1
    assert arena("edit", path).status == 0
    assert path.read_text() == GOOD
    assert arena("edit", "--check", path).status == 0


def test_edit_writes_releases_with_the_lower_end_first() -> None:
    text = '[Game "mammalath"]\n\n1. a1 2. xb4-b2 *\n'
    assert arena("edit", "-", stdin=text).out == text.replace("xb4-b2", "xb2-b4")


def test_edit_leaves_a_file_with_a_bad_record_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "broken.lath"
    path.write_text(GOOD + "\n[Game oops]\n")
    before = path.read_bytes()
    ran = arena("edit", path)
    assert ran.status == 1
    assert f"{path}:9:7: error[syntax]: the value is not in double quotes" in ran.err
    assert path.read_bytes() == before
    assert sorted(tmp_path.iterdir()) == [path]


def test_show_draws_the_board_after_a_ply(good: Path) -> None:
    ran = arena("show", good, "--record", 2, "--ply", 1)
    assert ran.status == 0
    assert "record 2: ann - bob, yavalath, after 1. e5" in ran.out
    assert "e  . . . . w . . . ." in ran.out
    assert "black to move" in ran.out


def test_show_says_who_lost_and_by_what(tmp_path: Path) -> None:
    (tmp_path / "lost.lath").write_text(
        '[Game "yavalath"]\n[First "ann"]\n[Second "bob"]\n\n1. e1 2. a1 3. e2 4. a2 5. e3 0-1\n'
    )
    ran = arena("show", tmp_path / "lost.lath")
    assert ran.out.endswith("\n0-1: ann made three in line and lost\n\n")


def test_a_suffix_in_capitals_is_the_same_suffix(tmp_path: Path) -> None:
    for name in ("GAMES.LATH.GZ", "GAMES.JSONL.ZST", "GAMES.CSV.XZ"):
        (tmp_path / "games.lath").write_text(GOOD)
        assert arena("convert", tmp_path / "games.lath", tmp_path / name).status == 0
        assert not (tmp_path / name).read_bytes().isascii()
        ran = arena("show", tmp_path / name, "--json", "--ply", 0)
        assert (ran.status, ran.out.count("\n")) == (0, 1)


def test_show_as_json_goes_on_after_a_bad_record(tmp_path: Path) -> None:
    path = tmp_path / "games.lath"
    path.write_text(f"{ILLEGAL}\n[Game oops]\n\n{GOOD}")
    ran = arena("show", path, "--json")
    assert {json.loads(line)["record"] for line in ran.out.splitlines()} == {3}
    assert (ran.status, ran.err.count("error")) == (1, 2)
    assert arena("show", path, "--json", "--record", 1).status == 1


def test_show_as_json_tells_position_move_and_number_of_legal_moves(good: Path) -> None:
    lines = [json.loads(line) for line in arena("show", good, "--json").out.splitlines()]
    assert len(lines) == 8
    assert lines[1] == {
        "record": 1,
        "ply": 1,
        "position": "5/6/7/8/4w4/8/7/6/5 b",
        "move": "swap",
        "legal": 61,
    }
    assert lines[3]["move"] is None


def test_show_as_svg_is_an_svg_file(good: Path) -> None:
    ran = arena("show", good, "--svg")
    assert ran.out.startswith("<svg ")
    assert ran.out.rstrip().endswith("</svg>")
    record = parse(GOOD)
    told = f"ply {len(record.plies)} of {len(record.plies)} · {record.result}</text>"
    assert all(f">{name}</text>" in ran.out for name in (record.first, record.second))
    assert told in ran.out


def test_show_as_svg_draws_legal_moves_and_aids_on_demand(good: Path) -> None:
    plain, legal = (
        arena("show", good, "--ply", 1, "--svg", *more).out for more in ((), ("--legal",))
    )
    assert legal.startswith(plain.removesuffix("</svg>\n").split("<desc>")[0])
    assert "Legal moves: a1 a2" in legal
    assert "Legal moves" not in plain
    assert arena("show", good, "--ply", 1, "--svg", "--aids").out == plain


def test_show_writes_a_position_and_a_game_as_pictures_always_the_same(
    good: Path, tmp_path: Path
) -> None:
    png, gif, again = (tmp_path / name for name in ("board.png", "game.gif", "again.gif"))
    assert arena("show", good, "--ply", 1, "--png", png, "--size", 300).status == 0
    line = list(positions(parse(GOOD)))
    image = Image.open(io.BytesIO(png.read_bytes()))
    assert (image.format, image.width, differing_cells(image, line[1])) == ("PNG", 300, [])
    for out in (gif, again):
        assert arena("show", good, "--gif", out).status == 0
    moving = Image.open(io.BytesIO(gif.read_bytes()))
    assert (moving.width, getattr(moving, "n_frames", 0), moving.info["loop"]) == (480, 4, 0)
    for ply, duration in enumerate((900, 900, 900, 4000)):
        moving.seek(ply)
        assert (moving.info["duration"], differing_cells(moving, line[ply])) == (duration, [])
    assert gif.read_bytes() == again.read_bytes()


def test_pictures_are_refused_where_they_cannot_be_made(monkeypatch: pytest.MonkeyPatch) -> None:
    find = util.find_spec
    monkeypatch.setattr(util, "find_spec", lambda name: None if name == "resvg_py" else find(name))
    with pytest.raises(
        ConfigError, match=r"--png: needs .*\nhint: pip install 'lath-arena\[images\]'"
    ):
        refuse_without_libraries("--png")


def test_show_refuses_what_is_not_there_or_not_drawn(
    good: Path, monkeypatch: pytest.MonkeyPatch, golden: Golden
) -> None:
    monkeypatch.chdir(good.parent)
    wrong = ["--aids", "--legal", "--record 9", "--ply 9", "--json --ply 99", "--png good.lath"]
    golden(refusals([*wrong, "--svg --gif a.gif", "--size 300"], "show", "good.lath"))


def test_show_names_the_record_with_an_illegal_move(bad: Path) -> None:
    ran = arena("show", bad, "--record", 2)
    assert ran.status == 1
    assert "record 2: illegal move e5" in ran.err


def test_a_record_is_shown_though_another_one_is_bad(tmp_path: Path) -> None:
    path = tmp_path / "games.lath"
    path.write_text('[Game oops]\n\n[Game "surikata"]\n\n1. Mc3 *\n')
    assert "after 1. Mc3" in arena("show", path, "--record", "2").out
    ran = arena("show", path, "--record", "1")
    assert ran.status == 1
    assert "error[syntax]" in ran.err


def test_show_reads_a_record_by_its_index_and_says_when_that_is_stale(tmp_path: Path) -> None:
    path = tmp_path / "games.lath"
    path.write_text('[Game "surikata"]\n\n1. Mc3 *\n\n[Game "surikata"]\n\n1. Ma1 *\n')
    ran = arena("check", path, "--index", "-q")
    assert (ran.status, ran.out, ran.err) == (0, "", "")
    ran = arena("check", path, "--index")
    assert f"{path}: the index is {path}.idx\n" in ran.err
    ran = arena("show", path, "--record", 2)
    assert ("after 1. Ma1" in ran.out, ran.err) == (True, "")
    assert "has 2 records; record 3 does not exist" in arena("show", path, "--record", 3).err
    path.write_text('[Game "surikata"]\n\n1. Me5 *\n')
    ran = arena("show", path, "--record", 1)
    assert "after 1. Me5" in ran.out
    assert f"{path}.idx is older than games.lath; reading from the beg" in ran.err


def test_an_index_replaces_nothing_but_an_index(tmp_path: Path) -> None:
    file, other = tmp_path / "games.lath", tmp_path / "other.lath"
    beside = tmp_path / "games.lath.idx"
    for path in (file, other):
        path.write_text('[Game "yavalath"]\n\n1. e5 *\n')
    for make in (lambda: beside.write_text("my notes"), lambda: beside.symlink_to(other)):
        make()
        before = beside.read_bytes()
        ran = arena("check", file, "--index")
        assert ran.status == 2
        assert f"{beside} already exists and is not an index; it was left unchanged\n" in ran.err
        assert beside.read_bytes() == before
        beside.unlink()
    assert [arena("check", file, "--index").status for _ in range(2)] == [0, 0]


def test_an_index_that_would_help_nobody_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "games.lath.gz"
    path.write_bytes(gzip.compress(GOOD.encode()))
    ran = arena("check", path, "--index")
    assert ran.status == 2
    assert "1 record: 1 valid" in ran.out
    assert "games.lath.zst` writes it" in ran.err
    ran = arena("select", path, "-o", tmp_path / "games.lath.zst")
    assert "the index is inside" in arena("check", tmp_path / "games.lath.zst", "--index").err
    assert arena("check", "-", "--index").status == 2
