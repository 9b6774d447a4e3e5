"""How many small mistakes the tests would notice: `make mutants`, which is no part of `make test`.

A mutant is the tree with one mistake in it: a comparison turned, a bound moved by one, a statement
left out. Each topic has its modules and the tests that judge them; a seeded sample of its mutants
is made in a copy of the tree, and each is given to these tests, those that take long left out.

`python tests/support/mutants.py --tree CHECKOUT --topics TOPICS.toml` does so for another tree, for
instance one of before a change: the rates of both are what is compared.
"""

from __future__ import annotations

import argparse
import ast
import compileall
import copy
import os
import pickle
import py_compile
import random
import resource
import shutil
import signal
import sys
import tempfile
import threading
import time
import tomllib
import traceback
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from itertools import accumulate
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Final

import pytest

TOPICS: Final = Path(__file__).with_name("mutants.toml")

FOLDERS: Final = ("arena", "bots", "examples", "games", "notation", "reports", "tests")
FILES: Final = ("pyproject.toml", "grammar.lark")

LONGEST_S: Final = 0.25
"""The seconds of CPU that a test may take to be asked about each mutant."""

ALL_S: Final = 3.0
"""The seconds of CPU that all tests of a mutant may take together; the quickest are asked first."""

MOST_S: Final = 30
"""The seconds of CPU after which a process of a mutant is taken for one that never ends."""

MEMORY: Final = 4 << 30
"""Address space of a mutant: one that collects for ever should not take the machine along."""

LIBRARIES: Final = (
    "hypothesis.strategies",
    "lark",
    "rich.console",
    "sqlite3",
    "trueskill",
    "typer",
)
"""Loaded once, not once a mutant."""

ORDERS: Final[Mapping[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}

SUMS: Final[Mapping[type[ast.operator], type[ast.operator]]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}

Change = tuple[str, ast.AST]
"""What is done, and what stands there then."""


@dataclass(frozen=True, slots=True)
class Topic:
    """What is judged, and by which tests."""

    name: str
    modules: tuple[str, ...]
    tests: tuple[str, ...]


@dataclass(frozen=True, slots=True, order=True)
class Function:
    """Where a function begins, its decorators included."""

    module: str
    line: int


@dataclass(frozen=True, slots=True)
class Mutant:
    """A module with one mistake."""

    function: Function
    line: int
    change: str
    text: str
    """Of the whole module."""

    def __str__(self) -> str:
        return f"{self.function.module}:{self.line}: {self.change}"


def changes(node: ast.AST) -> Iterator[Change]:
    """Yield each small mistake that could have been made at this node."""
    if isinstance(node, ast.stmt):
        yield from _changes_of_statement(node)
    elif isinstance(node, ast.expr):
        yield from _changes_of_expression(node)


def _changes_of_statement(node: ast.stmt) -> Iterator[Change]:
    match node:
        case ast.If() | ast.While() if not isinstance(node.test, ast.Compare | ast.Constant):
            new = copy.deepcopy(node)
            new.test = ast.UnaryOp(ast.Not(), new.test)
            yield "condition turned", new
        case ast.Return(value=ast.expr() as value) if ast.unparse(value) != "None":
            yield "nothing returned", ast.Return(ast.Constant(None))
        case ast.Assign() | ast.AugAssign() | ast.Raise():
            yield "left out", ast.Pass()
        case ast.Expr(value=ast.Call() | ast.Yield() | ast.YieldFrom()):
            yield "left out", ast.Pass()
        case ast.Continue():
            yield "break for continue", ast.Break()
        case ast.Break():
            yield "continue for break", ast.Continue()


def _changes_of_expression(node: ast.expr) -> Iterator[Change]:
    match node:
        case ast.Compare(ops=[order, *_]) if type(order) in ORDERS:
            new = copy.deepcopy(node)
            new.ops[0] = ORDERS[type(order)]()
            yield "comparison turned", new
        case ast.BoolOp(op=op, values=values):
            yield (
                "and for or",
                ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values),
            )
        case ast.UnaryOp(op=ast.Not()):
            yield "not left out", node.operand
        case ast.BinOp(op=op) if type(op) in SUMS:
            yield "operator", ast.BinOp(node.left, SUMS[type(op)](), node.right)
        case ast.IfExp():
            yield "condition turned", ast.IfExp(node.test, node.orelse, node.body)
        case ast.Constant(value=bool() as value):
            yield "constant", ast.Constant(not value)
        case ast.Constant(value=int() | float() as value):
            yield "one more", ast.Constant(value + 1)
            yield "one less", ast.Constant(value - 1)


def mutants(module: str, text: str, only: str = "") -> Iterator[Mutant]:
    """Yield every mutant of a module, or of a class in it, that is made inside a function."""
    tree = ast.parse(text)
    parts = [part for part in tree.body if only in {"", getattr(part, "name", "")}]
    for place in (place for part in parts for place in _places(part, None)):
        node = place.node
        for change, new in changes(node):
            place.put(ast.copy_location(new, node))
            mutated = ast.unparse(ast.fix_missing_locations(tree))
            place.put(node)
            line: int = node.lineno  # type: ignore[attr-defined]
            words = f"{change}: {ast.unparse(node).partition(chr(10))[0][:70]}"
            yield Mutant(Function(module, place.function), line, words, mutated)


@dataclass(frozen=True, slots=True)
class _Place:
    """A node, and where it stands: in a field of the one above it, at an index of a list there."""

    node: ast.AST
    above: ast.AST
    field: str
    index: int | None
    function: int
    """The line in which the function around it begins."""

    def put(self, node: ast.AST) -> None:
        if self.index is None:
            setattr(self.above, self.field, node)
        else:
            getattr(self.above, self.field)[self.index] = node


def _places(node: ast.AST, function: int | None) -> Iterator[_Place]:
    """Yield each node in the body of a function, but for annotations and default values."""
    is_function = False
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        is_function = True
        function = min(one.lineno for one in [node, *node.decorator_list])
    for field, value in ast.iter_fields(node):
        if field == "annotation" or (is_function and field != "body"):
            continue
        for index, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if isinstance(child, ast.AST):
                if function is not None:
                    yield _Place(child, node, field, index, function)
                yield from _places(child, function)


def sample(tree: Path, topic: Topic, count: int, seed: int) -> list[Mutant]:
    """Return mutants of a topic, chosen by chance from all that its modules have."""
    every: list[Mutant] = []
    for told in topic.modules:
        pattern, _, only = told.partition("::")
        for path in sorted(tree.glob(pattern)):
            text = path.read_text(encoding="utf-8")
            every += mutants(path.relative_to(tree).as_posix(), text, only)
    return random.Random(f"{seed} {topic.name}").sample(every, min(count, len(every)))


def copy_of(tree: Path, place: Path) -> Path:
    """Copy what tests need, and let Python find the copy as `lath` before any other."""
    root = place / "tree"
    unwanted = shutil.ignore_patterns("__pycache__", "node_modules", ".hypothesis")
    for name in FOLDERS:
        shutil.copytree(tree / name, root / name, ignore=unwanted)
    for name in FILES:
        shutil.copy(tree / name, root / name)
    links = root / ".links" / "lath"
    links.mkdir(parents=True)
    for package in ("arena", "bots", "games", "notation", "reports"):
        (links / package).symlink_to(root / package)
        # By their text: a mutant is as old and as long as what it was made from.
        mode = py_compile.PycInvalidationMode.CHECKED_HASH
        compileall.compile_dir(root / package, quiet=1, invalidation_mode=mode)
    return root


@dataclass(frozen=True, slots=True)
class Judge:
    """A test, the seconds of CPU that it takes, and the functions that it calls in its process."""

    name: str
    used_s: float
    functions: frozenset[Function]

    @property
    def file(self) -> str:
        return self.name.partition("::")[0]


class Watcher:
    """A plugin of pytest that finds the tests that hold and are quick, and what they call."""

    def __init__(self, root: Path) -> None:
        self._root = f"{root.resolve()}{os.sep}"
        self._called: set[CodeType] = set()
        self._failed: set[str] = set()
        self._judges: list[Judge] = []

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        self._called = set()
        began_s = _cpu_s()
        threading.setprofile(self._note)
        sys.setprofile(self._note)
        result = yield
        sys.setprofile(None)
        threading.setprofile(None)
        used_s = _cpu_s() - began_s
        places = [(os.path.realpath(code.co_filename), code) for code in self._called]
        functions = frozenset(
            Function(path.removeprefix(self._root), code.co_firstlineno)
            for path, code in places
            if path.startswith(self._root)
        )
        self._judges.append(Judge(item.nodeid, used_s, functions))
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if not report.passed:
            self._failed.add(report.nodeid)

    def judges(self) -> list[Judge]:
        """Return the quick tests, the quickest first."""
        sound = [one for one in self._judges if one.name not in self._failed]
        return sorted((one for one in sound if one.used_s <= LONGEST_S), key=lambda one: one.used_s)

    def _note(self, frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            self._called.add(frame.f_code)


class Only:
    """A plugin of pytest that leaves out all tests but these, and keeps their order."""

    def __init__(self, names: Iterable[str]) -> None:
        self._places = {name: place for place, name in enumerate(names)}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        kept = [item for item in items if item.nodeid in self._places]
        items[:] = sorted(kept, key=lambda item: self._places[item.nodeid])


def _cpu_s() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def run_tests(root: Path, files: Iterable[str], plugin: object, *more: str) -> int:
    """Run tests in this process, which can do nothing else afterwards."""
    os.setsid()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_S, MOST_S + 1))
    nothing = os.open(root.parent / "said", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(nothing, 1)
    os.dup2(nothing, 2)
    os.environ["PYTHONPATH"] = os.pathsep.join([str(root / ".links"), str(root)])
    sys.path[:0] = [str(root / ".links"), str(root)]
    os.chdir(root)
    quiet = ["-q", "-W", "ignore:Module already imported"]  # those of LIBRARIES
    words = [*quiet, "-p", "no:cacheprovider", "-p", "no:xdist", *more, *files]
    return int(pytest.main(words, plugins=[plugin]))


def verdict_on(root: Path, judges: Sequence[Judge], within_s: float) -> str:
    """Return what tests make of the mutant: killed, survived, or out of time."""
    pid = os.fork()
    if pid == 0:
        files = dict.fromkeys(judge.file for judge in judges)
        os._exit(run_tests(root, files, Only(judge.name for judge in judges), "-x"))
    until_s = time.monotonic() + within_s
    while time.monotonic() < until_s:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU:
                break
            return "survived" if status == 0 else "killed"
        time.sleep(0.02)
    with suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)
    with suppress(ChildProcessError):
        os.waitpid(pid, 0)
    return "out of time"


def judges_of(root: Path, topic: Topic) -> list[Judge]:
    """Return the tests that judge mutants, after a run of all without a mistake."""
    found = root.parent / "judges"
    if (pid := os.fork()) == 0:
        watcher = Watcher(root)
        try:
            run_tests(root, topic.tests, watcher)
            found.write_bytes(pickle.dumps(watcher.judges()))
        except BaseException:  # noqa: BLE001 - a copy of this process must not go on as it would
            traceback.print_exc()
        os._exit(0)
    os.waitpid(pid, 0)
    if not found.exists():
        raise SystemExit((root.parent / "said").read_text())
    judges: list[Judge] = pickle.loads(found.read_bytes())
    return judges


def judge(root: Path, topic: Topic, chosen: list[Mutant], within_s: float) -> Counter[str]:
    """Give each mutant to the tests that call its function, and say what came of it.

    A function that none calls in its own process, though perhaps in one of the arena's, is judged
    by all.
    """
    judges = judges_of(root, topic)
    print(f"{topic.name}: {len(chosen)} mutants, {len(judges)} tests", flush=True)
    counts: Counter[str] = Counter()
    for mutant in chosen:
        path = root / mutant.function.module
        text = path.read_text(encoding="utf-8")
        path.write_text(mutant.text, encoding="utf-8")
        callers = [judge for judge in judges if mutant.function in judge.functions] or judges
        sums = accumulate(judge.used_s for judge in callers)
        callers = [judge for judge, sum_s in zip(callers, sums, strict=True) if sum_s <= ALL_S]
        verdict = verdict_on(root, callers, within_s)
        path.write_text(text, encoding="utf-8")
        counts[verdict] += 1
        print(f"  {verdict:11} {mutant} ({len(callers)} tests)", flush=True)
    return counts


def read_topics(path: Path) -> list[Topic]:
    told: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    return [Topic(name, tuple(row["modules"]), tuple(row["tests"])) for name, row in told.items()]


def main() -> None:
    """Judge the topics and print the counts."""
    words = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    words.add_argument("--tree", type=Path, default=Path(__file__).resolve().parents[2])
    words.add_argument("--topics", type=Path, default=TOPICS)
    words.add_argument("--count", type=int, default=75, help="mutants of each topic")
    words.add_argument("--seed", type=int, default=11)
    words.add_argument("--only", help="one topic")
    words.add_argument("--within", type=float, default=120.0, help="seconds that a mutant has")
    told = words.parse_args()
    for name in LIBRARIES:
        import_module(name)
    rows = {}
    for topic in read_topics(told.topics):
        if told.only in (None, topic.name):
            chosen = sample(told.tree, topic, told.count, told.seed)
            with tempfile.TemporaryDirectory(prefix="mutants-") as place:
                root = copy_of(told.tree.resolve(), Path(place))
                rows[topic.name] = judge(root, topic, chosen, told.within)
    for name, counts in rows.items():
        caught = counts.total() - counts["survived"]
        said = ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items()))
        print(f"{name:10} {caught / counts.total():.0%} of {counts.total()} noticed: {said}")
    whole = sum(rows.values(), Counter())
    print(f"{'all':10} {1 - whole['survived'] / whole.total():.1%} of {whole.total()} noticed")


if __name__ == "__main__":
    main()
