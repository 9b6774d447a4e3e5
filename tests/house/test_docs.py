"""Every example of the documentation is run: records, boards, transcripts, Python, messages."""

from __future__ import annotations

import contextlib
import doctest
import hashlib
import io
import re
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import commands
import pytest
from drawn import animals_and_tokens, pieces, pieces_and_meerkat
from places import OURS, ROOT
from transcripts import ARENA, BOT, check_transcript

from lath import games
from lath.games.core import Move, Position
from lath.notation.reader import entries_of

PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    ROOT / "examples" / "bots" / "README.md",
]
OUR_PAGES = ("docs/notation.md", "docs/protocol.md", "docs/rules.md", "examples/bots/README.md")

_FENCE = re.compile(r"^```(\S+)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Example:
    """One fenced block of a page."""

    page: str
    line: int
    language: str
    words: tuple[str, ...]
    """What stands after the language."""

    text: str


def examples() -> Iterator[Example]:
    """Yield the fenced blocks of all pages."""
    for page in PAGES:
        content = page.read_text(encoding="utf-8")
        name = page.relative_to(ROOT).as_posix()
        for fence in _FENCE.finditer(content):
            line = content.count("\n", 0, fence.start()) + 1
            yield Example(name, line, fence[1], tuple(fence[2].split()), fence[3])


ALL = list(examples())


def every(language: str) -> pytest.MarkDecorator:
    """Return the mark that runs a test for each example in a language."""
    chosen = [example for example in ALL if example.language == language]
    return pytest.mark.parametrize(
        "example", chosen, ids=[f"{example.page}:{example.line}" for example in chosen]
    )


def test_the_pages_have_examples_of_each_kind() -> None:
    count = dict.fromkeys(("lath", "python", "protocol", "board"), 0)
    for example in ALL:
        if example.page in OUR_PAGES and example.language in count:
            count[example.language] += 1
    assert all(number >= 2 for number in count.values()), count
    assert all((ROOT / page).is_file() for page in OUR_PAGES)


@every("lath")
def test_a_record_of_the_docs_is_sound(example: Example) -> None:
    found = list(entries_of(io.BytesIO(example.text.encode()), example.page))
    assert found
    assert [str(problem) for entry in found for problem in entry.problems] == []


@pytest.mark.slow
@every("python")
def test_python_of_the_docs_runs_as_shown(
    example: Example, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("arena 1\nquit\n"))
    before = [other for other in ALL if other.page == example.page and other.line < example.line]
    monkeypatch.chdir(tmp_path)
    for record in [other.text for other in before if other.language == "lath"][:1]:
        Path("games.lath").write_text(record, encoding="utf-8")
    if "games.duckdb" in example.text:
        Path("some.lath").write_text('[Game "yavalath"]\n\ne5 swap d4 *', encoding="utf-8")
        assert commands.arena("convert", "some.lath", "games.duckdb").status == 0
    if ">>>" not in example.text:
        code = compile(example.text, f"{example.page}:{example.line}", "exec")
        with contextlib.redirect_stdout(io.StringIO()):
            exec(code, {"__name__": "example"})
        return
    session = [other.text for other in before if other.text.startswith(">>>")]
    parsed = doctest.DocTestParser().get_doctest(
        "\n".join([*session, example.text]), {}, example.page, example.page, example.line
    )
    report = io.StringIO()
    doctest.DocTestRunner(verbose=False).run(parsed, out=report.write)
    assert report.getvalue() == ""


def test_the_game_of_the_docs_is_played_from_its_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    (game,) = (one for one in ALL if one.language == "python" and "\nGAME = " in one.text)
    Path("mygame.py").write_text(game.text, encoding="utf-8")
    digest = hashlib.sha256(game.text.encode()).hexdigest()
    assert f"mygame.py (sha256 {digest[:12]}…)" in (ROOT / game.page).read_text(encoding="utf-8")
    typed = next(one for one in ALL if one.page == game.page and one.language == "console")
    first, told, *_ = typed.text.splitlines()
    assert commands.arena(*first.split()[2:]).out == f"{told}\n"
    Path("games.lath").write_text('[Game "noughts-and-crosses"] a1 b1 a2 b2 a3 1-0')
    ran = commands.arena("check", "games.lath", "--game", "./mygame.py", "-q")
    assert (ran.status, ran.out, ran.err) == (0, "", "")


@every("protocol")
def test_a_transcript_of_the_docs_keeps_the_protocol_and_the_rules(example: Example) -> None:
    check_transcript(example.text)


TRANSCRIPT = """\
> arena 1
< ok
> new 1 yavalath side first tc none seed 5
< ready 1
> go 1
< bestmove 1 e5
> play 2 swap
> ping 3
< pong 3
> result 1 * unterminated
"""


def test_a_right_transcript_is_right() -> None:
    assert check_transcript(TRANSCRIPT) >= {"arena", "ok", "new", "bestmove", "pong", "result"}


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("bestmove 1 e5", "bestmove 2 e5"),
        ("bestmove 1 e5", "bestmove 1 e9x"),
        ("bestmove 1 e5", "bestmove 1 swap"),
        ("ready 1", "ready 2"),
        ("pong 3", "ok"),
        ("> go 1", "> go 2"),
        ("> go 1", "> play 1 e5"),
        ("> go 1", "> position 5/6/7/8/9/8/7/6/5 b\n> go 1"),
        ("> go 1", "> legal a2 a1 …\n> go 1"),
        ("> go 1", "> legal a1 a2\n> go 1"),
        ("play 2 swap", "play 2 e5"),
        ("result 1 * unterminated", "result 1 1-0 rules"),
        ("result 1 * unterminated", "result 1 * bored"),
        ("< ok", "< okay"),
    ],
)
def test_a_wrong_transcript_is_found(right: str, wrong: str) -> None:
    assert right in TRANSCRIPT
    with pytest.raises((AssertionError, ValueError)):
        check_transcript(TRANSCRIPT.replace(right, wrong))


def test_the_docs_explain_every_word_of_the_protocol() -> None:
    page = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
    table = page.split("| line | meaning |")[1].split("\n\n")[0]
    explained = {quoted.split()[0] for quoted in re.findall(r"`([^`]+)`", table)}
    assert explained >= ARENA | BOT


@every("toml")
def test_a_configuration_of_the_docs_is_toml(example: Example) -> None:
    assert tomllib.loads(example.text)


def board_of(game_id: str, drawing: str, mover: str) -> Position:
    """Return the position that a page draws."""
    read = {"surikata": pieces_and_meerkat, "mammalath": animals_and_tokens}.get(game_id, pieces)
    return games.get(game_id).position(read(drawing, mover))


def what_happens(position: Position, text: str) -> str:
    """Return in the words of the page what a move does."""
    move = Move(text)
    reason = position.why_illegal(move)
    if reason is not None:
        return f"is illegal: {reason}"
    outcome = position.play(move).outcome()
    if outcome is None:
        return "goes on"
    if outcome.winner is None:
        return f"draws: {outcome.ending}"
    return f"{'wins' if outcome.winner is position.to_move else 'loses'}: {outcome.ending}"


@every("board")
def test_on_a_board_of_the_docs_happens_what_stands_below_it(example: Example) -> None:
    game_id, mover = example.words
    drawing, _, claims = example.text.partition("\n\n")
    position = board_of(game_id, drawing, mover)
    told = claims.strip().splitlines()
    moves = [claim.split(maxsplit=1)[0] for claim in told]
    assert told == [f"{move} {what_happens(position, move)}" for move in moves]


def test_every_message_of_the_docs_is_one_that_the_reader_gives() -> None:
    table = (ROOT / "tests" / "notation" / "problem_messages.txt").read_text(encoding="utf-8")
    shown = [example.text for example in ALL if example.text.startswith("games.lath:")]
    assert shown
    assert [message for message in shown if message not in table] == []


def test_the_docs_list_every_code_of_a_problem() -> None:
    page = (ROOT / "docs" / "notation.md").read_text(encoding="utf-8")
    table = page.split("| code |")[1].split("\n\n")[0]
    source = "".join(
        path.read_text(encoding="utf-8") for path in sorted((ROOT / "notation").glob("*.py"))
    )
    used = set(re.findall(r'(?:Fault\(\s*|code=)"([a-z-]+)"', source))
    assert set(re.findall(r"^\| `([a-z-]+)`", table, re.MULTILINE)) == used


def test_the_docs_show_the_first_position_of_every_game_of_ours() -> None:
    page = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
    for game_id in OURS:
        rows = re.findall(rf"^\| `{game_id}` \|.*`([^`]*)` \|$", page, re.MULTILINE)
        assert games.get(game_id).start().text() in rows
