"""Test the tests with a stored list of mistakes in the product: `make mutants`.

The list is `tests/yardstick/*.jsonl`: small mistakes (mutants) in each product folder, and fixes
from the history, reverted. Each has the verdict of the tests at the time of recording.

    python tests/support/mutants.py --draw      # adds mutants of folders that have none
    python tests/support/mutants.py --map       # which tests execute what; branches by folder
    python tests/support/mutants.py --record    # tests entries without a verdict
    python tests/support/mutants.py --check     # tests the killed entries once more
    python tests/support/mutants.py --placed    # lists the entries that have lost their place

A killed run can be resumed.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import hashlib
import json
import signal
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from shutil import rmtree
from typing import Final

import executed
from executed import Map, Test
from small_mistakes import sample, topics
from stand import ENDLESS, NOTHING, PASSED, Answer, Stand, stand
from yardstick import (
    KILLED,
    OUT_OF_TIME,
    SURVIVED,
    Edit,
    Entry,
    LostError,
    Product,
    form,
    header_form,
    is_header,
    parsed,
    read,
    write,
)

ROOT: Final = Path(__file__).resolve().parents[2]

LISTS: Final = "tests/yardstick"
MUTANTS: Final = f"{LISTS}/mutants.jsonl"
COVERAGE: Final = f"{LISTS}/coverage.json"
KEPT: Final = ".yardstick"
"""The folder of a run's state; git ignores it."""

COUNT: Final = 20
SEED: Final = "46"

UNNOTICED: Final = frozenset({PASSED, NOTHING})
"""Outcomes of tests that do not notice a mistake."""

UNKNOWN_S: Final = 5.0
"""The assumed time of a test or file that the map does not know, in seconds."""

FIRST_S: Final = 4.0
"""Seconds of the first round of tests; each further round has four times as many."""


@dataclass
class List:
    """A file of entries."""

    path: Path
    entries: list[Entry]

    def put(self, entry: Entry) -> None:
        """Store an entry in place of the one with the same name, in the present file."""
        write(self.path, [entry if one.id == entry.id else one for one in read(self.path)])


def read_lists(tree: Path) -> list[List]:
    return [List(path, read(path)) for path in sorted((tree / LISTS).glob("*.jsonl"))]


def draw(tree: Path, count: int, seed: str) -> int:
    """Add mutants of the product folders that have none."""
    path = tree / MUTANTS
    path.parent.mkdir(exist_ok=True)
    entries = read(path) if path.exists() else []
    known = {entry.topic for entry in entries}
    product = Product(tree)
    for topic, sources in topics(product).items():
        if topic not in known:
            entries += sample(topic, sources, count, seed)
    write(path, entries)
    print(f"{len(entries)} mutants in {MUTANTS}")
    return 0


def print_placed(product: Product, entries: list[Entry]) -> int:
    """Print the entries that have lost their place, and those found at another place."""
    lost = 0
    for entry in entries:
        try:
            product.edited(entry)
            places = [product.place(edit) for edit in entry.edits]
        except LostError as error:
            lost += 1
            print(f"lost     {entry.id}: {error}")
            continue
        for place in places:
            if place.how != "there":
                print(f"{place.how:8} {entry.id}: {place.path} {place.function}")
    print(f"{len(entries) - lost} of {len(entries)} entries are placed, {lost} are lost")
    return 1 if lost else 0


def print_changes(product: Product, entries: list[Entry]) -> int:
    """Print the changes of the entries as unified diffs."""
    for entry in entries:
        for path, data in product.edited(entry).items():
            old = (product.root / path).read_text(encoding="utf-8").splitlines(keepends=True)
            new = data.decode().splitlines(keepends=True)
            sys.stdout.writelines(difflib.unified_diff(old, new, f"a/{path}", f"b/{path}"))
    return 0


@dataclass
class Court:
    """Chooses the tests for each entry, and runs them."""

    stand: Stand
    product: Product
    map: Map
    ceiling_s: float
    sound: dict[str, float] = field(default_factory=dict)
    """Tests that pass alone without a mistake, with their seconds."""

    unsound: set[str] = field(default_factory=set)
    """Tests that fail in the copy even without a mistake."""

    def verdict(self, entry: Entry) -> Entry:
        """Return the entry with the verdict of the tests; raises LostError if it has no place."""
        files = self.product.edited(entry)
        for names, seconds in self._rounds(entry):
            asked = [name for name in names if name not in self.unsound]
            while asked:
                with self.stand.changed(files):
                    answer = self.stand.ask(asked, 60 + 10 * seconds)
                suspect = self._suspect(answer, asked)
                if suspect is None:
                    break
                if self._is_sound(suspect) and self._fails_again(files, suspect):
                    verdict = OUT_OF_TIME if answer.outcome == ENDLESS else KILLED
                    test_s = round(self.sound[suspect], 2)
                    return replace(entry, verdict=verdict, test=suspect, test_s=test_s)
                self.unsound.add(suspect)
                ended = set(answer.seconds or ())
                asked = [name for name in asked if name != suspect and name not in ended]
                if suspect.partition("::")[0] in asked:  # a file that contains a failed test
                    asked.remove(suspect.partition("::")[0])
        return replace(entry, verdict=SURVIVED, test="", test_s=0.0)

    def still_killed(self, entry: Entry) -> Entry:
        """Return the entry with a new verdict, which is quick if the recorded test notices it."""
        files = self.product.edited(entry)
        if entry.test and self._is_there(entry.test):
            with self.stand.changed(files):
                answer = self.stand.ask([entry.test], 60 + 20 * entry.test_s)
            if answer.outcome not in UNNOTICED and self._is_sound(entry.test):
                return entry
        return self.verdict(entry)

    def trust(self, names: Iterable[str]) -> None:
        """Find out which of the tests pass without a mistake, and their times."""
        asked = _by_file([name for name in dict.fromkeys(names) if self._is_there(name)])
        while asked:
            answer = self.stand.ask(asked, 300 + 10 * sum(map(self._seconds, asked)))
            ended = dict(answer.seconds or {})
            suspect = self._suspect(answer, asked)
            if suspect is not None:
                self.unsound.add(suspect)
                ended.pop(suspect, None)
            self.sound |= {name: seconds for name, seconds in ended.items() if name in asked}
            if suspect is None:
                return
            asked = [name for name in asked if name not in ended and name != suspect]

    def _is_there(self, name: str) -> bool:
        """Return whether the file of a test exists, and its function in it."""
        file, _, test = name.partition("::")
        if file not in self._texts:
            path = self.product.root / file
            self._texts[file] = path.read_text(encoding="utf-8") if path.exists() else None
        text = self._texts[file]
        function = test.partition("[")[0].rpartition("::")[2]
        return text is not None and (not test or f"def {function}(" in text)

    def _suspect(self, answer: Answer, asked: list[str]) -> str | None:
        """Return the test that seems to notice the mistake; None if all passed."""
        if answer.outcome in UNNOTICED:
            return None
        if "::" in answer.test:
            return answer.test
        # An unreadable file or a failed pytest: one test stands for it.
        inside = [name for name in asked if name.startswith(f"{answer.test}::")]
        return (inside or asked)[0]

    def _is_sound(self, name: str) -> bool:
        """Return whether a test passes alone without a mistake."""
        if name not in self.sound and name not in self.unsound:
            answer = self.stand.ask([name], 120 + 20 * self._seconds(name))
            if answer.outcome == PASSED:
                self.sound[name] = sum((answer.seconds or {}).values())
            else:
                self.unsound.add(name)
        return name in self.sound

    def _fails_again(self, files: dict[str, bytes], name: str) -> bool:
        with self.stand.changed(files):
            answer = self.stand.ask([name], 60 + 20 * self.sound[name])
        return answer.outcome not in UNNOTICED

    def _seconds(self, name: str) -> float:
        return self._known.get(name, UNKNOWN_S)

    def __post_init__(self) -> None:
        self._known: dict[str, float] = {test.name: test.seconds for test in self.map.tests}
        self._by_file: dict[str, list[Test]] = {}
        self._texts: dict[str, str | None] = {}
        for test in self.map.tests:
            self._by_file.setdefault(test.file, []).append(test)
            self._known[test.file] = self._known.get(test.file, 0.0) + test.seconds

    def _rounds(self, entry: Entry) -> Iterator[tuple[list[str], float]]:
        """Yield rounds of tests with their seconds, a small round first."""
        names: list[str] = []
        sum_s, most_s, left_s = 0.0, FIRST_S, self.ceiling_s
        for name in self._order(entry):
            names.append(name)
            sum_s += self._seconds(name)
            if sum_s >= min(most_s, left_s) or (len(names) >= 60 and most_s == FIRST_S):
                yield _by_file(names), sum_s
                left_s -= sum_s
                if left_s <= 0:
                    return
                names, sum_s, most_s = [], 0.0, most_s * 4
        if names:
            yield _by_file(names), sum_s

    def _order(self, entry: Entry) -> Iterator[str]:
        """Yield all tests, the most informative and the fastest first."""
        told = set()
        for name in self._all(entry):
            if name not in told and self._is_there(name):
                told.add(name)
                yield name

    def _all(self, entry: Entry) -> Iterator[str]:
        yield from filter(None, (entry.test, *entry.tests))
        folder = folder_of(self.product.root, entry.topic)
        executing = self._executing(entry)
        yield from ranked(executing, folder)
        files = dict.fromkeys(test.file for test in ranked_tests(executing, folder))
        paths = sorted((self.product.root / folder).glob("test_*.py"))
        inside = [path.relative_to(self.product.root).as_posix() for path in paths]
        files = files or dict.fromkeys(inside)
        # What a file makes once counts for the test that ran first.
        yield from ranked((test for file in files for test in self._by_file.get(file, [])), folder)
        yield from (file for file in files if file not in self._by_file)
        # Tests unknown to the map: in changed or new files.
        yield from (file for file in (*files, *inside) if self._is_changed(file))

    def _is_changed(self, file: str) -> bool:
        known = self._by_file.get(file)
        return known is None or not all(self._is_there(test.name) for test in known)

    def _executing(self, entry: Entry) -> list[Test]:
        found: dict[str, Test] = {}
        for edit in entry.edits:
            if edit.module:
                placed = self.product.place(edit)
                # The map may be older, with the statement at the entry's original place.
                for path, function in {
                    (placed.path, placed.function),
                    (edit.module, edit.function),
                }:
                    for name, text in _statements(function, edit):
                        for test in self.map.executing((path, name, text)):
                            found[test.name] = test
        return list(found.values())


def _statements(function: str, edit: Edit) -> Iterator[tuple[str, str]]:
    """Yield the function and the text form of each statement that an edit changes."""
    if is_header(edit.before):
        yield function, header_form(parsed_header(edit.before))
        return
    for one in parsed(edit.before):
        for node in ast.walk(one):
            if isinstance(node, ast.stmt):
                yield function, form(node)


def parsed_header(text: str) -> ast.stmt:
    """Return a header as a statement with a minimal block."""
    text = text.strip().removeprefix("el") if text.strip().startswith("elif") else text.strip()
    return ast.parse(text + ("\n case _: pass" if text.startswith("match ") else " pass")).body[0]


def ranked_tests(tests: Iterable[Test], folder: str) -> list[Test]:
    """Return the tests in the order of running.

    Fast tests come first, those of the folder with the same name before others. Some cases of a
    test with many come late.
    """
    cases: Counter[str] = Counter()
    rows = []
    for test in sorted(tests, key=lambda one: one.seconds):
        name = test.name.partition("[")[0]
        far = 1 if PurePosixPath(test.file).parent.as_posix() == folder else 3
        rows.append((test.seconds * far + 0.03 * cases[name] * far, test.name, test))
        cases[name] += 1
    return [test for *_, test in sorted(rows, key=lambda row: row[:2])]


def ranked(tests: Iterable[Test], folder: str) -> Iterator[str]:
    return (test.name for test in ranked_tests(tests, folder))


def _by_file(names: list[str]) -> list[str]:
    """Return the tests grouped by file, so that a file makes its fixtures once."""
    order = {file: at for at, file in enumerate(dict.fromkeys(n.partition("::")[0] for n in names))}
    return sorted(names, key=lambda name: order[name.partition("::")[0]])


def folder_of(root: Path, topic: str) -> str:
    """Return the folder of tests for a product folder: with the same name, or the one above."""
    for place in (PurePosixPath(topic), *PurePosixPath(topic).parents):
        if list((root / "tests" / place).glob("test_*.py")):
            return (PurePosixPath("tests") / place).as_posix()
    return "tests"


def state_of(tree: Path) -> str:
    """Return a digest of the product and its tests."""
    digest = hashlib.sha256()
    for layer in ("games", "notation", "bots", "reports", "arena", "tests"):
        for path in sorted((tree / layer).rglob("*.*")):
            if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".jsonl":
                digest.update(f"{path.relative_to(tree)}\0".encode() + path.read_bytes())
    return digest.hexdigest()


def said(entry: Entry) -> str:
    where = entry.edits[0].file or f"{entry.edits[0].module} {entry.edits[0].function}"
    by = f" by {entry.test} ({entry.test_s} s)" if entry.test else ""
    return f"{entry.verdict:11} {entry.id}: {entry.title or entry.kind}, {where}{by}"


def record(tree: Path, only: list[str], ceiling_s: float) -> int:
    """Test each entry without a verdict, and store the verdicts."""
    with stand(tree) as made:
        court = _court(made, tree, ceiling_s)
        for one in read_lists(tree):
            for entry in one.entries:
                if entry.verdict or not is_wanted(entry, one, only):
                    continue
                try:
                    judged = court.verdict(entry)
                except LostError as error:
                    print(f"lost        {entry.id}: {error}", flush=True)
                    continue
                one.put(judged)
                print(said(judged), flush=True)
    return 0


def check(tree: Path, only: list[str], ceiling_s: float) -> int:
    """Test each killed entry again; return 1 if one survives now."""
    progress = tree / KEPT / "checked.json"
    progress.parent.mkdir(exist_ok=True)
    state = state_of(tree)
    told = json.loads(progress.read_text(encoding="utf-8")) if progress.exists() else {}
    done: dict[str, str] = told["verdicts"] if told.get("state") == state else {}
    rows: dict[str, Counter[str]] = {}
    with stand(tree) as made:
        court = _court(made, tree, ceiling_s)
        entries = [
            entry
            for one in read_lists(tree)
            for entry in one.entries
            if entry.verdict == KILLED and is_wanted(entry, one, only)
        ]
        court.trust(entry.test for entry in entries if entry.id not in done)
        for entry in entries:
            if entry.id not in done:
                done[entry.id] = _checked(court, entry)
                told = {"state": state, "verdicts": done}
                progress.write_text(json.dumps(told), encoding="utf-8")
            rows.setdefault(entry.topic, Counter())[done[entry.id]] += 1
    for topic, counts in rows.items():
        others = [f"{count} {verdict}" for verdict, count in counts.items() if verdict != KILLED]
        noticed = f"{counts[KILLED]} of {counts.total()} are noticed"
        print(f"{topic:20} {', '.join([noticed, *others])}")
    total = sum(rows.values(), Counter())
    print(f"{'all':20} {total[KILLED]} of {total.total()} are noticed")
    return 1 if total.total() != total[KILLED] + total[OUT_OF_TIME] else 0


def _checked(court: Court, entry: Entry) -> str:
    try:
        now = court.still_killed(entry)
    except LostError as error:
        print(f"lost        {entry.id}: {error}", flush=True)
        return "lost"
    print(said(now), flush=True)
    return now.verdict


def is_wanted(entry: Entry, one: List, only: list[str]) -> bool:
    """Return whether an entry is selected by its id, its topic or the name of its list."""
    return not only or not {entry.id, entry.topic, one.path.stem}.isdisjoint(only)


def _court(made: Stand, tree: Path, ceiling_s: float) -> Court:
    known = Map.load(tree / KEPT / "map")
    if known is None:
        print("No map of what tests execute: the tests of the folder of the same name are asked.")
        print("hint: make coverage", flush=True)
    made.compile()
    return Court(made, Product(made.root), known or Map(), ceiling_s)


def make_map(tree: Path, words: list[str], *, is_stored: bool) -> int:
    """Run the tests, store the map, and print the branches by folder."""
    kept = tree / KEPT
    notes = kept / "notes"
    state = f"{state_of(tree)} {words}"
    mark = notes / "state"
    if not mark.exists() or mark.read_text(encoding="utf-8") != state:
        rmtree(notes, ignore_errors=True)
        notes.mkdir(parents=True)
        mark.write_text(state, encoding="utf-8")
    with stand(tree) as made:
        made.compile()
        executed.run(made.root, made.python, notes, words)
        executed.map_of(made.root, notes).store(kept / "map")
        found = executed.branches_by_folder(made.root, notes)
    executed.write_data(tree, notes, tree / ".coverage")
    rmtree(notes)
    print_coverage(tree, found)
    if is_stored:
        text = json.dumps(found, indent=2)
        (tree / COVERAGE).write_text(f"{text}\n", encoding="utf-8")
    return 0


def print_coverage(tree: Path, found: dict[str, dict[str, float]]) -> None:
    """Print the percentages by folder, with the difference to the stored ones in points."""
    stored = json.loads((tree / COVERAGE).read_text("utf-8")) if (tree / COVERAGE).exists() else {}
    print(f"{'folder':22} {'branches':>9} {'lines':>8} {'branches, stored':>17}")
    for name, row in found.items():
        before = stored.get(name, {}).get("branches")
        told = "" if before is None else f"{before:.2f} ({row['branches'] - before:+.2f})"
        print(f"{name:22} {row['branches']:9.2f} {row['lines']:8.2f} {told:>17}")


def main() -> int:
    """Run the action that the options select."""
    words = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    words.add_argument("--tree", type=Path, default=ROOT, help="the tree that is judged")
    words.add_argument(
        "--only", action="append", default=[], help="a topic, a list or the id of an entry"
    )
    words.add_argument("--count", type=int, default=COUNT, help="mutants of a folder (--draw)")
    words.add_argument("--seed", default=SEED, help="of the mutants (--draw)")
    words.add_argument("--ceiling", type=float, default=60.0, help="seconds of tests for one entry")
    words.add_argument("--store", action="store_true", help=f"write {COVERAGE} (--map)")
    words.add_argument("tests", nargs="*", help="words for pytest instead of all tests (--map)")
    does = words.add_mutually_exclusive_group(required=True)
    for name in ("draw", "map", "record", "check", "placed", "diff"):
        does.add_argument(f"--{name}", action="store_true")
    told = words.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # exit removes the copy first
    tree = told.tree.resolve()
    if told.draw:
        return draw(tree, told.count, told.seed)
    if told.map:
        every = ["-n", "2", "--dist", "loadgroup", "--no-loadscope-reorder"]
        return make_map(tree, told.tests or every, is_stored=told.store)
    if told.record or told.check:
        return (record if told.record else check)(tree, told.only, told.ceiling)
    lists = read_lists(tree)
    entries = [e for one in lists for e in one.entries if is_wanted(e, one, told.only)]
    return (print_placed if told.placed else print_changes)(Product(tree), entries)


if __name__ == "__main__":
    sys.exit(main())
