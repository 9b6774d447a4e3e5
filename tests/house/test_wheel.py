"""What is installed from the built wheel: its description, its types, and launchers of it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import zipapp
import zipfile
from email import message_from_bytes
from pathlib import Path

import pytest
from places import ROOT, SUPPORT

from lath import DOCUMENTATION
from lath.arena.cli.help import PAGE

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("wheel")]

MAIN = "from lath.arena.__main__ import main\nmain()\n"

PROGRAM = SUPPORT / "users_program.py"
"""A strict type checker has read it: mypy takes it for one of our own files."""


def ran(*words: object, folder: Path, status: int = 0) -> str:
    """Return what a program prints that starts with few variables and has a status."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    ended = subprocess.run(
        [*map(str, words)],
        check=False,
        cwd=folder,
        env=kept,
        input="",
        capture_output=True,
        text=True,
    )
    assert ended.returncode == status, ended.stdout + ended.stderr
    return ended.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the wheel, as it is built from a copy of what git knows."""
    out = tmp_path_factory.mktemp("dist")
    build = (sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", out, ROOT)
    ran(*build, folder=out)
    (found,) = out.glob("*.whl")
    return found


def a_python(folder: Path) -> Path:
    """Return a Python that has all that the arena needs, but not the arena."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    (site,) = folder.glob("lib/python3*/site-packages")
    for path in Path(sysconfig.get_path("purelib")).iterdir():
        if path.suffix != ".pth" and "lath" not in path.name:
            (site / path.name).symlink_to(path)
    return folder / "bin" / "python"


def test_the_description_has_no_path_that_only_a_checkout_can_follow(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (one for one in archive.namelist() if one.endswith(".dist-info/METADATA"))
        told = message_from_bytes(archive.read(name))
    text = str(told.get_payload())
    links = re.findall(r"\]\(([^)\s]+)\)", text)
    assert len(links) > 20
    assert [link for link in links if not re.match("https://|#", link)] == []
    ours = {link.removeprefix(DOCUMENTATION) for link in links if link.startswith(DOCUMENTATION)}
    pages = {one.partition("#")[0].strip("/") for one in ours} - {PAGE}  # which is generated
    there = [ROOT / "docs" / (one if one.startswith("images/") else f"{one}.md") for one in pages]
    assert [path for path in there if not path.is_file()] == []
    assert told["Author"] == "Lath Arena contributors"


def test_every_file_of_the_package_is_in_it(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        there = set(archive.namelist())
    folders = ("games", "notation", "bots", "reports", "arena")
    files = [path for name in folders for path in (ROOT / name).rglob("*") if path.is_file()]
    kept = [path.relative_to(ROOT) for path in files if "__pycache__" not in path.parts]
    ours = {str(Path("lath", path)) for path in kept}
    assert ours - there == set()
    assert {"lath/arena/referee/codingame.cjs", "lath/py.typed"} <= there


def test_bots_workers_and_reports_start_where_a_launcher_has_the_modules(
    wheel: Path, tmp_path: Path
) -> None:
    """As pex and shiv do, too: modules are on the path of the program, not of its Python."""
    python, modules = a_python(tmp_path / "fresh"), tmp_path / "modules"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(modules)
    ran(python, "-c", "import lath", folder=tmp_path, status=1)
    where = f"PYTHONPATH={modules}"
    path = f"import sys; sys.path.insert(0, {str(modules)!r})\n"
    (tmp_path / "wrapper").write_text(path + MAIN)
    arena = ("env", where, python, "-m", "lath.arena")
    ran(*arena, "init", "mine", folder=tmp_path)
    plays_where_it_is_started(*arena, folder=tmp_path, out="cup")
    ran(*arena, "bot", "check", "--only", "info", "-q", "mcts", folder=tmp_path)
    assert ran(*arena, "select", "cup", "--count", folder=tmp_path) == "6\n"
    told = ran("env", where, python, PROGRAM, "cup", folder=tmp_path)
    assert told == f"{DOCUMENTATION} True\n6\n"
    plays_where_it_is_started(python, tmp_path / "wrapper", folder=tmp_path, out="second")
    (modules / "__main__.py").write_text(MAIN)
    for cached in [*modules.rglob("__pycache__")]:
        shutil.rmtree(cached)
    zipapp.create_archive(modules, tmp_path / "zipapp")
    shutil.rmtree(modules)
    plays_where_it_is_started(python, tmp_path / "zipapp", folder=tmp_path, out="third")


def plays_where_it_is_started(*started: object, folder: Path, out: str) -> None:
    # None of them is compiled, which takes half a minute.
    bots = ("--bot", "greedy", "--bot", "monte-carlo", "--bot", "mine=python mine/mybot.py")
    play = ("--game", "yavalath", "--rounds", "1", "--tc", "nodes 5", "--jobs", "2", "-q")
    ran(*started, "run", *bots, *play, "--output", out, folder=folder)
    assert (folder / out / "report.html").stat().st_size > 100_000
    assert "does not load" not in ran(*started, "doctor", folder=folder)
