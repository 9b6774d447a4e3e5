"""The house itself: names, links, docstrings and their examples."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
import subprocess
import sys
import tomllib

import pytest
from places import ROOT

from lath import notation

PACKAGES = ("games", "notation", "bots", "reports", "arena")

MODULES = sorted(
    {
        *(f"lath.{package}" for package in PACKAGES),
        *(
            module.name
            for package in PACKAGES
            for module in pkgutil.walk_packages([str(ROOT / package)], f"lath.{package}.")
            if not module.name.endswith("__main__")
        ),
    }
)


def test_the_examples_in_the_docstrings_of_all_modules_hold() -> None:
    failures = {name: doctest.testmod(importlib.import_module(name)).failed for name in MODULES}
    assert not [name for name, failed in failures.items() if failed]


def test_every_module_says_in_its_first_line_what_it_knows() -> None:
    docs = {name: importlib.import_module(name).__doc__ or "" for name in MODULES}
    firsts = {name: doc.partition("\n")[0] for name, doc in docs.items()}
    assert not [name for name, line in firsts.items() if len(line) <= 20 or line[-1] not in ".:"]


def test_no_module_is_named_like_one_of_the_standard_librarys() -> None:
    """Whoever runs a file of a folder has Python look there before its own modules."""
    folders = (*PACKAGES, "tests", "benchmarks", "examples")
    paths = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    names = {path.stem for path in (*paths, *ROOT.glob("*.py"))}
    assert {"greedy", "figures", "hatch_build", "test_house"} < names
    assert not names & set(sys.stdlib_module_names)


@pytest.mark.xdist_group("together")
def test_what_belongs_together_is_run_by_one_process(request: pytest.FixtureRequest) -> None:
    if not getattr(request.config.option, "loadgroup", False):
        pytest.skip("this Python's own process, or no groups are wanted")
    assert request.node.nodeid.endswith("@together"), "pytest-xdist has not heeded a group"


def test_there_are_no_symbolic_links() -> None:
    listed = subprocess.run(
        ["git", "ls-files", "-s"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listed.returncode:
        pytest.skip("not a git checkout")
    rows = [line.split(maxsplit=3) for line in listed.stdout.splitlines()]
    assert rows
    assert not [name for mode, _, _, name in rows if mode == "120000"]


WITHOUT = "import sys; sys.modules['fcntl'] = None; "
"""What makes this Python one of a system that has neither POSIX locks nor the rest."""


@pytest.mark.parametrize(
    ("program", "told"),
    [
        ("sys.argv[0] = 'C:/Scripts/arena.exe'; from lath.arena.__main__ import main", "error: "),
        ("import runpy; runpy.run_module('lath.arena', run_name='__main__')", "ImportError: "),
        ("from lath.arena import Engine", "ImportError: "),
        ("import lath.arena.tournament.store.store", "ImportError: "),
        ("import lath.arena.sandbox.limits", "ImportError: "),
    ],
)
def test_where_the_arena_cannot_run_one_sentence_says_where_it_does(
    program: str, told: str
) -> None:
    words = [sys.executable, "-c", WITHOUT + program]
    ran = subprocess.run(words, check=False, capture_output=True, text=True)
    assert ran.returncode == 1
    *before, last = ran.stderr.splitlines()
    sentence = "Lath Arena runs on Linux and macOS, and on Windows in WSL "
    assert last.startswith(told + sentence)
    assert (before == []) is (told == "error: ")


def test_records_are_read_everywhere() -> None:
    program = (
        "from lath import games, notation; import lath.bots.sdk; print(notation.check.__name__)"
    )
    assert subprocess.run([sys.executable, "-c", WITHOUT + program], check=False).returncode == 0


def test_every_name_of_the_notation_is_there_and_no_other_for_type_checkers_too() -> None:
    assert [hasattr(notation, name) for name in notation.__all__] == [True] * len(notation.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'chekc'"):
        notation.chekc  # type: ignore[attr-defined] # noqa: B018 - mypy says if it were none


def test_a_worker_and_a_bot_start_without_the_heavy_libraries() -> None:
    """Start-up counts: what a process does not need, it must not import."""
    code = (
        "import sys, lath.arena.__main__, lath.arena.tournament.run.worker, lath.bots.greedy\n"
        "heavy = {'lark', 'typer', 'rich', 'jinja2', 'trueskill', 'sqlite3', 'tomllib'}\n"
        "print(sorted((heavy | {'pydantic'}) & set(sys.modules)))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


def test_the_help_of_no_command_imports_the_models_of_configurations() -> None:
    code = """if True:
        import sys
        from lath.arena.__main__ import run
        from lath.arena.cli.main import COMMANDS
        for name in COMMANDS:
            assert run([name, "--help"]) == 0
            assert "pydantic" not in sys.modules, name
    """
    ran = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr


def test_only_who_reads_configurations_imports_pydantic() -> None:
    """It costs 145 ms; some releases of Typer import it by themselves when a command runs."""
    commands = ", ".join(f"lath.arena.cli.{name}" for name in ("main", "records", "report", "bots"))
    code = f"import sys, lath.arena.botcheck.check, {commands}; print('pydantic' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "False"


def test_no_module_of_tests_imports_another_but_campaigns_what_they_do_at_length() -> None:
    """What tests share stands in tests/support, the only folder on their path."""
    known = re.compile(r"^\s*(?:from|import) (?:tests\b|test_\w+)", re.MULTILINE)
    everyday = [path for path in (ROOT / "tests").rglob("*.py") if path.parent.name != "soak"]
    assert everyday
    assert not [path.name for path in everyday if known.search(path.read_text(encoding="utf-8"))]
    assert not [path.name for path in everyday if "mark." + "soak" in path.read_text("utf-8")]
    campaigns = {path.stem for path in (ROOT / "tests/soak").glob("test_*.py")}
    assert campaigns
    assert not campaigns & {path.stem for path in everyday}
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert config["tool"]["pytest"]["ini_options"]["pythonpath"] == ["tests/support"]


def test_no_page_says_a_name_from_before_the_namespace() -> None:
    old = re.compile(rf"^(?:>>> |\.\.\. )?(?:from|import) (?:{'|'.join(PACKAGES)})\b", re.MULTILINE)
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.md")]
    assert pages
    assert not [page.name for page in pages if old.search(page.read_text(encoding="utf-8"))]


def test_what_a_workflow_uses_is_pinned_by_its_commit_with_the_version_beside_it() -> None:
    """A tag can be moved to another commit; the version is for who reads."""
    pages = sorted((ROOT / ".github" / "workflows").glob("*.y*ml"))
    lines = [line.strip() for page in pages for line in page.read_text("utf-8").splitlines()]
    uses = [line for line in lines if re.match(r"(?:- )?uses\b", line)]
    assert uses
    pinned = re.compile(r"(?:- )?uses: [\w./-]+@[0-9a-f]{40} # v[0-9]+\.[0-9]+\.[0-9]+")
    assert not [line for line in uses if not pinned.fullmatch(line)]
