"""A map of the product's statements that each test executes, also in programs that it starts.

As a pytest plugin (`-p executed`) it notes the lines of each test and of each fixture that several
tests share. Programs started by a test measure themselves (`COVERAGE_PROCESS_START`) and leave a
file with the test's name. `run` collects all into one `Map`, and the branches taken into the file
`.coverage`. The notes remain, so a killed run can be resumed.
"""

from __future__ import annotations

import json
import os
import pickle
import re
import sqlite3
import subprocess
import threading
import time
import zlib
from collections import defaultdict
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO, Any, Final

import coverage
import pytest
from coverage.numbits import numbits_to_nums
from yardstick import LAYERS, Source, form, modules

NOTES: Final = "LATH_EXECUTED"
"""The variable with the folder of the notes."""

CONFIG: Final = "coveragerc"
CHILDREN: Final = "children.jsonl"
FIXTURE: Final = "fixture "

GROUP: Final = re.compile(r"@[^\]@]*$")
"""The suffix that xdist adds to a test's name."""

PHASE: Final = re.compile(r" \((?:setup|call|teardown)\)$")

Arcs = dict[str, set[tuple[int, int]]]
"""The jumps from line to line in each file."""


class Watcher:
    """The plugin, which notes what each test executes in its own process."""

    def __init__(self, folder: Path) -> None:
        current = coverage.Coverage.current()
        assert current is not None, "the interpreter did not start coverage"
        self._coverage = current
        # A fork must not write into this process's file.
        os.register_at_fork(after_in_child=lambda: vars(current).update(save=lambda: None))
        name = os.environ.get("PYTEST_XDIST_WORKER", "alone")
        self._notes = (folder / f"{name}.{os.getpid()}.jsonl").open("w", encoding="utf-8")
        self._done = {row["test"] for row in read_notes(folder) if "seconds" in row}
        self._told: Arcs = defaultdict(set)
        self._root = f"{Path.cwd().resolve()}{os.sep}"
        self._outcome = ""

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [item for item in items if name_of(item.nodeid) not in self._done]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        name = name_of(item.nodeid)
        self._lines()
        self._outcome = "passed"
        began_s = time.monotonic()
        result = yield
        seconds = time.monotonic() - began_s
        fixtures = sorted({key for one in _fixtures(item) if (key := _key(one))})
        self._note(test=name, outcome=self._outcome, seconds=seconds, fixtures=fixtures)
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if not report.passed:
            self._outcome = report.outcome

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(
        self, fixturedef: pytest.FixtureDef[Any]
    ) -> Generator[None, object, object]:
        """Note what a shared fixture and its programs execute, under the fixture's name."""
        key = _key(fixturedef)
        test = os.environ.get("PYTEST_CURRENT_TEST", "")
        if not key or not test:
            return (yield)
        self._note(test=name_of(PHASE.sub("", test)))
        os.environ["PYTEST_CURRENT_TEST"] = key
        try:
            return (yield)
        finally:
            self._note(test=key)
            os.environ["PYTEST_CURRENT_TEST"] = test

    def _note(self, **row: Any) -> None:
        arcs = self._lines()
        row["lines"] = {path: sorted(lines_of(some)) for path, some in arcs.items()}
        row["arcs"] = {path: sorted(new) for path, new in _new(arcs, self._told).items()}
        print(json.dumps(row), file=self._notes, flush=True)

    def _lines(self) -> Arcs:
        """Return the arcs executed since the last call."""
        data = self._coverage.get_data()
        arcs: Arcs = {path: set(data.arcs(path) or ()) for path in data.measured_files()}
        data.purge_files(list(arcs))
        return {path.removeprefix(self._root): some for path, some in arcs.items() if some}


def pytest_configure(config: pytest.Config) -> None:
    """Watch the processes that run tests, but not the xdist controller."""
    is_worker = "PYTEST_XDIST_WORKER" in os.environ
    if is_worker or not getattr(config.option, "numprocesses", None):
        config.pluginmanager.register(Watcher(Path(os.environ[NOTES])))


def name_of(nodeid: str) -> str:
    return GROUP.sub("", nodeid)


def _fixtures(item: pytest.Item) -> Iterator[pytest.FixtureDef[Any]]:
    known = getattr(item, "_fixtureinfo", None)  # private; pytest has no other access
    for found in known.name2fixturedefs.values() if known else ():
        yield from found


def _key(one: pytest.FixtureDef[Any]) -> str:
    """Return the name of a fixture that several tests share, or ""."""
    is_shared = one.scope != "function"
    return f"{FIXTURE}{one.baseid}::{one.argname}" if is_shared else ""


def _new(arcs: Arcs, told: Arcs) -> Arcs:
    """Return the arcs that are not in `told`, and add them to it."""
    new = {path: some - told.get(path, set()) for path, some in arcs.items()}
    for path, some in new.items():
        told.setdefault(path, set()).update(some)
    return {path: some for path, some in new.items() if some}


def lines_of(arcs: Iterable[tuple[int, int]]) -> set[int]:
    return {line for arc in arcs for line in arc if line > 0}


def read_notes(folder: Path) -> Iterator[dict[str, Any]]:
    """Yield the notes of former processes, without an incomplete last line."""
    for path in sorted(folder.glob("*.jsonl")):
        with path.open(encoding="utf-8") as lines:
            for line in lines:
                with suppress(ValueError):
                    yield json.loads(line)


@dataclass(frozen=True, slots=True)
class Test:
    """A test of the run that made the map."""

    name: str
    seconds: float
    outcome: str

    @property
    def file(self) -> str:
        return self.name.partition("::")[0]


Key = tuple[str, str, str]
"""A statement: the path of its module, its function and its text form."""


@dataclass
class Map:
    """Which tests execute which statement."""

    tests: list[Test] = field(default_factory=list)
    bits: dict[Key, bytes] = field(default_factory=dict)
    """The packed bits of each statement, one per test."""

    def executing(self, key: Key) -> list[Test]:
        """Return the tests that execute a statement, also if its module has moved."""
        found = self.bits.get(key)
        if found is None:
            others = [bits for one, bits in self.bits.items() if one[1:] == key[1:]]
            if len(others) != 1:
                return []
            found = others[0]
        return [self.tests[number] for number in numbits_to_nums(zlib.decompress(found))]

    @classmethod
    def load(cls, path: Path) -> Map | None:
        """Return the map that was stored, if there is one."""
        if not path.exists():
            return None
        tests, bits = pickle.loads(path.read_bytes())
        return cls([Test(*row) for row in tests], bits)

    def store(self, path: Path) -> None:
        rows = [(test.name, test.seconds, test.outcome) for test in self.tests]
        path.write_bytes(pickle.dumps((rows, self.bits)))


def run(root: Path, python: Path, folder: Path, words: list[str]) -> int:
    """Run tests in a tree and note what they execute in `folder`; returns pytest's status."""
    folder.mkdir(parents=True, exist_ok=True)
    data = folder / "data"
    data.mkdir(exist_ok=True)
    include = "".join(f"\n    {root}/{layer}/*" for layer in LAYERS)
    (folder / CONFIG).write_text(
        f"""[run]
branch = true
parallel = true
data_file = {data}/.coverage
context = ${{PYTEST_CURRENT_TEST-}}
patch = _exit
disable_warnings = no-data-collected, module-not-imported, module-not-measured, couldnt-parse
include ={include}
    {root}/front.py
""",
        encoding="utf-8",
    )
    env = {
        **os.environ,
        "COVERAGE_PROCESS_START": str(folder / CONFIG),
        "PYTHONPATH": str(Path(__file__).parent),
        NOTES: str(folder),
    }
    command = [str(python), "-m", "pytest", "-p", "executed", "-q", "-p", "no:cacheprovider"]
    with _collecting(root, folder):
        return subprocess.run([*command, *words], cwd=root, env=env, check=False).returncode


@contextmanager
def _collecting(root: Path, folder: Path) -> Iterator[None]:
    """Convert the files of programs to notes, repeatedly and at the end."""
    over = threading.Event()
    collector = Collector(folder, f"{root.resolve()}{os.sep}")

    def collect() -> None:
        with (folder / CHILDREN).open("a", encoding="utf-8") as out:
            while not over.wait(2):
                collector.collect(out, is_over=False)
            collector.collect(out, is_over=True)

    thread = threading.Thread(target=collect)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


class Collector:
    """Reads the measurements of programs, and keeps what is new."""

    def __init__(self, folder: Path, root: str) -> None:
        self._data = folder / "data"
        self._root = root
        self._told: Arcs = {}
        self._known: dict[str, dict[str, set[int]]] = {}

    def collect(self, out: IO[str], *, is_over: bool) -> None:
        """Note and remove the files of ended programs, or of all."""
        for path in sorted(self._data.glob(".coverage.*")):
            if is_over or _is_left(path):
                with suppress(sqlite3.Error):  # the program was killed while it wrote
                    for context, arcs in _read(path, self._root).items():
                        self._note(out, context, arcs)
                path.unlink(missing_ok=True)

    def _note(self, out: IO[str], context: str, arcs: Arcs) -> None:
        before = self._known.setdefault(context, {})
        lines = {one: lines_of(some) - before.get(one, set()) for one, some in arcs.items()}
        lines = {one: some for one, some in lines.items() if some}
        new = _new(arcs, self._told)
        for one, some in lines.items():
            before.setdefault(one, set()).update(some)
        if lines or new:
            row = {
                "test": name_of(PHASE.sub("", context)),
                "lines": {one: sorted(some) for one, some in lines.items()},
                "arcs": {one: sorted(arcs) for one, arcs in new.items()},
            }
            print(json.dumps(row), file=out, flush=True)


def _is_left(path: Path) -> bool:
    """Say whether the process that wrote a file has ended."""
    found = re.search(r"\.pid(\d+)\.|\.(\d+)\.", path.name)
    return found is None or not Path("/proc", found[1] or found[2]).exists()


def _read(path: Path, root: str) -> dict[str, Arcs]:
    """Return the arcs of each context of a data file."""
    found: dict[str, Arcs] = {}
    with sqlite3.connect(path) as base:
        for context, file, start, end in base.execute(
            "SELECT context.context, file.path, fromno, tono FROM arc"
            " JOIN file ON file.id = file_id JOIN context ON context.id = context_id"
        ):
            inside = file.removeprefix(root)
            found.setdefault(context, {}).setdefault(inside, set()).add((start, end))
    base.close()
    return found


def map_of(root: Path, folder: Path) -> Map:
    """Return the map of the notes in a folder."""
    made = Map()
    users: dict[str, list[int]] = {}
    for row in read_notes(folder):
        if "seconds" in row:
            for name in (row["test"], *row["fixtures"]):
                users.setdefault(name, []).append(len(made.tests))
            made.tests.append(Test(row["test"], row["seconds"], row["outcome"]))
    places = {path: _statements(root, path) for path in modules(root)}
    bits: dict[Key, bytearray] = {}
    for row in read_notes(folder):
        numbers = users.get(row["test"], ())
        for path, lines in row["lines"].items():
            table = places.get(path, {})
            for key in {table[line] for line in lines if line in table}:
                packed = bits.setdefault(key, bytearray((len(made.tests) + 7) // 8))
                for number in numbers:
                    packed[number // 8] |= 1 << number % 8
    made.bits = {key: zlib.compress(bytes(packed)) for key, packed in bits.items()}
    return made


def _statements(root: Path, path: str) -> dict[int, Key]:
    """Return the innermost statement of each line of a module."""
    source = Source(path, (root / path).read_bytes())
    found: dict[int, Key] = {}
    nodes = [
        (node, name) for name, blocks in source.blocks.items() for block in blocks for node in block
    ]
    for node, name in sorted(nodes, key=lambda one: one[0].lineno - (one[0].end_lineno or 0)):
        key = (path, name, form(node))
        found.update(dict.fromkeys(range(node.lineno, (node.end_lineno or 0) + 1), key))
    return found


def write_data(root: Path, folder: Path, whole: Path) -> None:
    """Write the notes of a folder as a file for `coverage report`."""
    arcs: Arcs = {}
    for row in read_notes(folder):
        for path, some in row["arcs"].items():
            arcs.setdefault(path, set()).update((start, end) for start, end in some)
    whole.unlink(missing_ok=True)
    data = coverage.CoverageData(str(whole))
    data.add_arcs({str(root / path): arcs[path] for path in modules(root) if path in arcs})
    data.touch_files([str(root / path) for path in modules(root)])
    data.write()
    data.close()


def branches_by_folder(root: Path, folder: Path) -> dict[str, dict[str, float]]:
    """Return the percentages of executed branches and lines by product folder."""
    whole = folder / ".coverage"
    write_data(root, folder, whole)
    report = folder / "report.json"
    judge = coverage.Coverage(data_file=str(whole), config_file=str(root / "pyproject.toml"))
    judge.set_option("run:source_pkgs", [])
    judge.load()
    judge.json_report(outfile=str(report), pretty_print=False)
    return _sums(root, json.loads(report.read_text(encoding="utf-8"))["files"])


def _sums(root: Path, files: dict[str, Any]) -> dict[str, dict[str, float]]:
    counts: dict[str, list[int]] = {}
    for path, told in files.items():
        inside = PurePosixPath(Path(root, path).resolve().relative_to(root.resolve()))
        names = ("covered_branches", "num_branches", "covered_lines", "num_statements")
        for name in (inside.parent.as_posix() if len(inside.parts) > 1 else "lath", "all"):
            row = counts.setdefault(name, [0, 0, 0, 0])
            row[:] = [a + told["summary"][key] for a, key in zip(row, names, strict=True)]
    order = sorted(counts, key=lambda name: (name == "all", name))
    return {
        name: {
            "branches": round(100 * counts[name][0] / max(counts[name][1], 1), 2),
            "lines": round(100 * counts[name][2] / max(counts[name][3], 1), 2),
        }
        for name in order
    }
