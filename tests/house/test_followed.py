"""A reader follows each page, command by command, in a folder that has what the page presumes."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import tomllib
import venv
from pathlib import Path
from typing import Final

import commands
import pytest
from places import DOC_PAGES, FOLLOWED, ROOT, SAMPLES, page_text
from processes import PATIENCE_S
from reader import DEMO, FENCE, NOT_TYPED, Reader, Typed, typed_in
from reference import GENERATOR
from tools import needs

PAGES: Final = {
    str(page.relative_to(ROOT)): page.read_text("utf-8")
    for page in (
        ROOT / "README.md",
        ROOT / "SECURITY.md",
        *DOC_PAGES,
        *ROOT.glob("examples/**/*.md"),
    )
}
WITH_COMMANDS: Final = [name for name, text in PAGES.items() if "```console\n$ " in text]

COLUMNS: Final = {"docs/how-to/explore-positions.md": "150"}
"""How wide the terminal of a page is; others have 80 columns."""

RECORDS: Final = {
    "docs/reference/game-metrics.md": "metrics-wide.lath",
    "docs/reference/query-language.md": "queries.lath",
}
"""The sample that a page calls games.lath, because it would be too long there."""

SHOWN: Final = {
    "first-tournament": ("first.html", "demo/report.html"),
    "your-first-bot": ("my-bots/first/report.html", "my-bots/cup/report.html"),
    "run-a-club-league": ("public/index.html", "public/bots/ada.html"),
    "study-records": ("plies.csv", "game.gif", "yavalath.html"),
    "design-a-variant": ("longer.html", "avoid.html"),
    "add-a-game": ("tournament/report.html", "public/index.html"),
}
"""What the reader of each page has to show in the end."""

ANSWERS: Final = {"play": "resign\n", "puzzles ask": "quit\n"}
"""What is typed when a command asks."""

FOUND: Final = {
    "match": {0, 1, 10, 11, 12},
    "tune": {10, 11, 12},
    "diff": {0, 1},
    "bot log": {0, 1},
    "bot replay": {0, 1},
    "solve": {0, 12},
}
"""Statuses by which commands say what they have found; all others end with 0."""


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the directory of the built-in tournament, played by the quickest bots."""
    folder = tmp_path_factory.mktemp("demo") / "demo"
    ran = commands.arena("run", "--output", folder, *DEMO, "-q")
    assert ran.status == 0, ran.err
    assert (folder / "games.lath").read_text().count("[Event ") == 24
    return folder


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder, in which `python` is the one that has the arena."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    monkeypatch.setenv("PATH", path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "here").mkdir()
    return tmp_path / "here"


def wrong_with(typed: Typed, reader: Reader, *, is_exact: bool) -> str:
    """Type a command of a page; return how its end, or its output, differs from the page."""
    command = " ".join(typed.words[1 : 2 + (typed.words[1:2] in (["bot"], ["puzzles"]))])
    ran = reader.types(typed, ANSWERS.get(command, ""))
    if ran is None:
        return ""
    allowed = {0, 2} if typed.shown.startswith("error: ") else FOUND.get(command, {0})
    if ran.status not in allowed or "Traceback" in ran.err:
        return f"{typed.line}: {ran.status}: {ran.err[-500:]}"
    printed = [line.rstrip() for line in (ran.out + ran.err).splitlines()]
    is_shown = is_exact and typed.shown.strip() and reader.has_all_from_page(typed)
    return f"{typed.line}: prints {printed}" * bool(
        is_shown and printed != typed.shown.rstrip().splitlines()
    )


@pytest.mark.slow
@pytest.mark.parametrize("page", WITH_COMMANDS)
def test_every_command_of_a_page_works_in_its_order(
    page: str, empty: Path, demo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", COLUMNS.get(page, "80"))
    blocks = FENCE.findall(PAGES[page])
    if page.startswith("examples/"):
        shutil.copytree((ROOT / page).parent, empty, dirs_exist_ok=True)
    if page in RECORDS:
        shutil.copy(SAMPLES / RECORDS[page], empty / "games.lath")
    is_exact = page in RECORDS
    for kind, name, text in blocks:
        if name:
            (empty / name).write_text(text, encoding="utf-8")
            is_exact |= kind in ("lath", "text")
    reader = Reader(empty, demo)
    typed = [one for kind, _, text in blocks if kind == "console" for one in typed_in(text)]
    wrong = [said for one in typed if (said := wrong_with(one, reader, is_exact=is_exact))]
    assert "\n".join(wrong) == ""
    shown = SHOWN.get(Path(page).stem, ())
    assert [name for name in shown if not (empty / name).is_file()] == []


def test_each_tutorial_has_something_to_show() -> None:
    assert set(FOLLOWED) == set(SHOWN)


def test_every_reason_for_not_typing_a_command_is_needed() -> None:
    lines = [
        one.line
        for text in PAGES.values()
        for _, _, block in FENCE.findall(text)
        for one in typed_in(block)
    ]
    assert [part for part in NOT_TYPED if not any(part in line for line in lines)] == []


# The help of commands

ONCE: Final = {"puzzles make", "rate", "run", "show"}
"""Commands whose example does not go with --json: there is a file, or another output, already."""


@pytest.mark.slow
def test_the_example_of_every_command_runs_and_prints_the_keys_of_the_reference(
    empty: Path, demo: Path
) -> None:
    reader, wrong = Reader(empty, demo), []
    for words, command, _ in GENERATOR.commands():
        name, about = " ".join(words), command.about
        rest = Typed(about.example, "").words[1 + len(words) :]
        for flags in ((), ("--json",))[: 1 + (bool(about.prints) and name not in ONCE)]:
            line = shlex.join(["arena", *words, *flags, *rest])
            ran = reader.types(Typed(line, ""), ANSWERS.get(name, ""))
            if ran is None:
                continue
            if ran.status not in {0, *about.statuses} or "Traceback" in ran.err:
                wrong.append(f"{line}: {ran.status}: {ran.err[-500:]}")
            elif flags:
                documented = [one.keys.split() for one in about.prints if not one.schema]
                wrong += [
                    f"{line}: {keys}"
                    for keys in keys_of(ran.out)
                    if documented and keys not in documented
                ]
    assert "\n".join(wrong) == ""


def keys_of(printed: str) -> list[list[str]]:
    """Return the keys of each object that is printed: of one, of a list, or of lines."""
    try:
        found = json.loads(printed)
    except json.JSONDecodeError:
        found = [json.loads(line) for line in printed.splitlines()]
    return [list(one) for one in (found if isinstance(found, list) else [found])]


# A bot with its own packages


def test_the_table_of_a_bot_with_its_own_packages_is_one() -> None:
    page = page_text("your-first-bot")
    text = FENCE.findall(page[page.index("## A bot with its own") :])[1][2]
    assert tomllib.loads(text)["bot"][0]["cwd"] == "numpybot"


@pytest.mark.parametrize("wall", ["none", pytest.param("bwrap", marks=needs("bwrap"))])
def test_a_bot_has_packages_of_its_own_behind_a_sandbox_too(wall: str, tmp_path: Path) -> None:
    home = tmp_path / "numpybot"
    venv.create(home / ".venv", with_pip=False, symlinks=True)
    (packages,) = home.glob(".venv/lib/python*/site-packages")
    (packages / "onlyhere.py").write_text("NAME = 'Own packages'\n")
    (home / "bot.py").write_text(OWN)
    greeted = Path(sys.executable).with_name("arena")
    words = [str(greeted), "bot", "check", "--only", "first", "--sandbox", wall, "--"]
    ran = subprocess.run(
        [*words, ".venv/bin/python", "bot.py"],
        cwd=home,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr


OWN = """
import sys

import onlyhere

legal = []
for line in sys.stdin:
    match line.split():
        case ["arena", *_]:
            games = "mammalath mammalath-plus manalath manalath-61 surikata yavalath".split()
            print("id name", onlyhere.NAME)
            print("game", *(f"{game}:*" for game in games))
            print("want legal", "ok", sep="\\n", flush=True)
        case ["new", number, *_]:
            print("ready", number, flush=True)
        case ["legal", *legal]:
            pass
        case ["go", ply, *_]:
            print("bestmove", ply, legal[0], flush=True)
        case ["ping", number]:
            print("pong", number, flush=True)
        case ["quit"]:
            break
"""
