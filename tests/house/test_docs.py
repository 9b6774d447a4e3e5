"""Every example of the documentation is run: records, boards, transcripts, Python, messages."""

from __future__ import annotations

import ast
import contextlib
import doctest
import hashlib
import io
import re
import shlex
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import commands
import pytest
import typer.main
from drawn import animals_and_tokens, pieces, pieces_and_meerkat
from places import DOC_PAGES, DOCS, OURS, OWN_TEXT, ROOT, page_text
from reader import Typed, typed_in
from reference import GENERATOR, TABLES, anchors, commands_page, section
from transcripts import ARENA, BOT, check_transcript

from lath import DOCUMENTATION, games
from lath.arena.cli.main import app
from lath.games.core import Move, Position
from lath.notation.edits.changes import VARIATION
from lath.notation.record.tags import MATCH_DAY, SEASON, WRITTEN_TAGS
from lath.notation.rules.reading import entries_of

PAGES = [ROOT / "README.md", *DOC_PAGES, ROOT / "examples" / "bots" / "README.md"]
FLOORS = ("games", "notation", "bots", "reports", "arena")
OUR_PAGES = (
    "docs/reference/notation.md",
    "docs/reference/protocol.md",
    "docs/explanation/rules.md",
    "examples/bots/README.md",
)

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
def test_a_record_of_the_docs_is_valid(example: Example) -> None:
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
    counted = r"^\$ arena (games perft .*)\n(\d+)$"
    ((typed, told),) = re.findall(counted, page_text("add-a-game"), re.MULTILINE)
    assert commands.arena(*typed.split()).out == f"{told}\n"
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
    page = page_text("protocol")
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
        return "is legal"
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
    table = (ROOT / "tests" / "notation" / "messages.txt").read_text(encoding="utf-8")
    shown = [example.text for example in ALL if example.text.startswith("games.lath:")]
    assert shown
    assert [message for message in shown if message not in table] == []


def test_the_docs_list_every_code_of_a_problem() -> None:
    page = page_text("notation")
    table = page.split("| code |")[1].split("\n\n")[0]
    source = "".join(path.read_text(encoding="utf-8") for path in sorted(OWN_TEXT))
    used = set(re.findall(r'(?:Fault\(\s*|code=)"([a-z-]+)"', source))
    assert set(re.findall(r"^\| `([a-z-]+)`", table, re.MULTILINE)) == used


def test_no_environment_of_the_docs_is_made_in_a_folder_of_the_checkout() -> None:
    made = [
        name for page in PAGES for name in re.findall(r"-m venv (\S+)", page.read_text("utf-8"))
    ]
    assert len(made) > 2
    assert [name for name in made if (ROOT / name).exists() and "/" not in name] == []


def test_the_docs_list_every_tag_that_the_arena_writes() -> None:
    rows = re.findall(r"^\| (`.*?`) \|", page_text("notation"), re.MULTILINE)
    told = {name for row in rows for name in re.findall("`([A-Za-z]+)`", row)}
    assert {*WRITTEN_TAGS, SEASON, MATCH_DAY, VARIATION} - told == set()


def test_the_docs_show_the_first_position_of_every_game_of_ours() -> None:
    page = page_text("rules")
    for game_id in OURS:
        rows = re.findall(rf"^\| `{game_id}` \|.*`([^`]*)` \|$", page, re.MULTILINE)
        assert games.get(game_id).start().text() in rows


# What is printed

_OF_A_CHECKOUT = re.compile(
    r"\b(?:docs|examples|benchmarks|tests)/[\w./-]+|\b(?!README)[A-Z]{6,}\.md\b"
)
"""Names of files that an installed program does not have."""

_PAGE = re.compile(
    r"(?:DOCUMENTATION ?}+|lath-arena\.github\.io/lath-arena/)([\w./-]+[\w-])?/?(#[\w-]+)?"
)


def docstrings_of(tree: ast.AST, *, has_help: bool) -> Iterator[ast.expr]:
    """Yield docstrings and what stands below names, but for those that are the help of commands."""
    for node in ast.walk(tree):
        is_help = has_help and getattr(node, "decorator_list", [])
        body = getattr(node, "body", ())
        for inner in body if isinstance(body, list) and not is_help else ():
            if isinstance(inner, ast.Expr):
                yield inner.value


@cache
def printed_texts() -> list[tuple[str, str]]:
    """Return each text that the program may print or write, with its place; f-strings whole."""
    found = []
    for path in sorted(one for floor in FLOORS for one in (ROOT / floor).rglob("*")):
        name = path.relative_to(ROOT).as_posix()
        if path.suffix in {".j2", ".js", ".css", ".toml"}:
            found.append((name, path.read_text(encoding="utf-8")))
        if path.suffix != ".py":
            continue
        source = path.read_text(encoding="utf-8")
        tree = ast.parse(source)
        docstrings = set(docstrings_of(tree, has_help=name.startswith("arena/cli/")))
        for node in ast.walk(tree):
            if node in docstrings:
                continue
            if isinstance(node, ast.JoinedStr):
                found.append((f"{name}:{node.lineno}", ast.unparse(node)))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.append((f"{name}:{node.lineno}", node.value))
    return found


@pytest.mark.slow
def test_nothing_that_is_printed_names_a_file_that_no_installation_has() -> None:
    assert len(printed_texts()) > 5000
    found = {
        (place, hit[0]) for place, text in printed_texts() if (hit := _OF_A_CHECKOUT.search(text))
    }
    assert found == set()


@pytest.mark.slow
def test_every_address_of_a_document_that_is_printed_is_there() -> None:
    metadata = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert metadata["project"]["urls"]["Documentation"] == DOCUMENTATION
    named = {hit[1] for _, text in printed_texts() for hit in _PAGE.finditer(text) if hit[1]}
    assert {"game-metrics", "run-untrusted-bots", "rules"} <= {
        page.rpartition("/")[2] for page in named
    }
    assert [page for page in named if not (DOCS / f"{page}.md").is_file()] == []


# Commands


@dataclass(frozen=True)
class Command:
    """A command of a page."""

    page: str
    words: tuple[str, ...]
    """What stands behind `arena`, up to a comment or a pipe."""

    is_whole: bool
    """Whether it can be typed as it stands; else it is named in a sentence."""


_INLINE = re.compile(r"`arena ([^`]+)`")
_PLACEHOLDER = re.compile(r"\b(?!HEAD\b)[A-Z]{2,}\b|\bN\b|…|\.\.\.|\[")


def commands_of(page: Path) -> Iterator[Command]:
    """Yield what a page says to type, and the commands that it names in sentences."""
    content = page.read_text(encoding="utf-8")
    name = page.relative_to(ROOT).as_posix()
    for fence in _FENCE.finditer(content):
        for typed in typed_in(fence[3]):
            if typed.line.startswith("arena "):
                yield Command(name, tuple(typed.words[1:]), is_whole=True)
    for line in _INLINE.findall(_FENCE.sub("", content)):
        if not _PLACEHOLDER.search(line) and line != "1":  # a line of the protocol
            yield Command(name, tuple(Typed(line, "").words), is_whole=False)


COMMANDS = [command for page in PAGES for command in commands_of(page)]


def why_not_a_command(command: Command) -> str:
    """Return what the command line has against a command; nothing is run."""
    one, words = typer.main.get_command(app), list(command.words)
    context = None
    try:
        while hasattr(one, "resolve_command"):
            if not words and not command.is_whole:
                return ""
            context = one.make_context(one.name or "arena", words, parent=context)
            _, one, words = one.resolve_command(context, [*context._protected_args, *context.args])
        one.make_context(one.name, words, parent=context)
    except Exception as error:  # noqa: BLE001 - of the library's own classes
        kind = type(error).__name__
        is_part = not command.is_whole and kind in ("Exit", "MissingParameter")
        is_part |= not command.is_whole and "requires an argument" in str(error)
        is_elsewhere = str(error).endswith("does not exist.")
        return "" if is_part or is_elsewhere else f"{shlex.join(command.words)}: {error}"
    return ""


def test_every_command_of_the_docs_is_one_that_the_program_has() -> None:
    assert len(COMMANDS) > 300
    wrong = [(command.page, why) for command in COMMANDS if (why := why_not_a_command(command))]
    assert wrong == []


# The reference of the commands

REFERENCE = list(GENERATOR.commands())

VERBS = {
    *("Add", "Bundle", "Change", "Check", "Compare", "Convert", "Count", "Create", "Draw", "Find"),
    *("List", "Play", "Print", "Prove", "Serve", "Show", "Solve", "Summarise"),
    *("Validate", "Verify", "Write"),
}


def test_the_help_of_every_command_has_a_short_summary_panels_and_an_address() -> None:
    addresses = {f"#{anchor}" for anchor in anchors(commands_page())}
    wrong = []
    for words, command, context in REFERENCE:
        summary = command.help.partition("\n\n")[0]
        shown = commands.arena(*words, "--help").out
        headings = [heading for heading, _ in command.sections(context)]
        options = sum(one.param_type_name == "option" for one in command.get_params(context))
        found = {
            "a summary": len(summary) < 60 and summary.split()[0].rstrip(",") in VERBS,
            "panels": options <= 10 or "Options" not in headings,
            "an example": f"\nExample: arena {' '.join(words)}" in shown,
            "an address": shown.rpartition("/commands/")[2].strip() in addresses,
        }
        wrong += [(words, what) for what, is_there in found.items() if not is_there]
    assert (len(REFERENCE) > 30, wrong) == (True, [])
    assert commands.arena("--help").out.endswith(f"Docs: {DOCUMENTATION}\n")


def test_the_reference_lists_every_option_and_exit_status_of_every_command() -> None:
    wrong = []
    for words, command, context in REFERENCE:
        text = section(words)
        named = {opt for param in command.get_params(context) for opt in param.opts}
        wrong += [
            (words, opt)
            for opt in named
            if opt.startswith("-") and not re.search(rf"^\| .*`{opt}[` ]", text, re.MULTILINE)
        ]
        rows = {int(n) for n in re.findall(r"^\| (\d+) \|", text, re.MULTILINE)}
        wrong += [(words, status) for status in rows ^ {*command.about.statuses}]
    assert wrong == []


def test_every_link_of_the_pages_leads_to_a_page_and_a_heading() -> None:
    pages = {
        page.resolve(): TABLES.filled(page.read_text("utf-8"))
        for page in (*PAGES, *ROOT.glob("*.md"))
    }
    found, wrong = 0, []
    for page, text in pages.items():
        for target, anchor in re.findall(r"\]\((?!https?:)([^)#\s]*)#?([^)\s]*)\)", text):
            found += 1
            to = (page.parent / target).resolve() if target else page
            is_page = to in pages or to.exists()
            if not is_page or (anchor and to in pages and anchor not in anchors(pages[to])):
                wrong.append((page.name, f"{target}#{anchor}"))
    assert (found > 500, wrong) == (True, [])


def test_the_architecture_says_of_each_package_what_its_docstring_says() -> None:
    packages = sorted(
        init.parent for floor in FLOORS for init in (ROOT / floor).rglob("__init__.py")
    )
    page = page_text("architecture")
    said = dict(
        re.findall(r"^\| `([a-z_/]+)/` \| (.+) \|$", page.split("## Packages")[1], re.MULTILINE)
    )
    assert said == {str(init.relative_to(ROOT)): first_sentence_of(init) for init in packages}


def first_sentence_of(package: Path) -> str:
    doc = ast.get_docstring(ast.parse((package / "__init__.py").read_text(encoding="utf-8"))) or ""
    return " ".join(doc.split("\n\n")[0].split())


def test_files_that_recipes_and_the_architecture_name_are_there() -> None:
    pages = [ROOT / "CONTRIBUTING.md", *(DOCS / "design").glob("[ad]*.md")]
    text = "".join(page.read_text(encoding="utf-8") for page in pages)
    named = set(re.findall(r"`((?:games|notation|bots|reports|arena|tests)/[\w/.-]+\.\w+)", text))
    made = {"tests/PACKAGE/messages.txt", *(name for name in named if "NAME" in name)}
    made.add("tests/yardstick/coverage.json")  # `make coverage` writes it
    assert len(named) > 20
    assert [name for name in sorted(named - made) if not (ROOT / name).exists()] == []
