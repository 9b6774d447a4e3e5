"""The list of mistakes that tests must notice: entries find their places, and the tool judges."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import executed
import pytest
from executed import Map, branches_by_folder, map_of, run
from mutants import Court, folder_of, read_lists
from places import ROOT
from small_mistakes import sample, topics
from stand import stand
from yardstick import KILLED, OUT_OF_TIME, SURVIVED, Edit, Entry, LostError, Product

SMALL = '''
def larger(one: int, other: int) -> int:
    """Return the larger number."""
    if one > other:
        return one
    return other


class Counter:
    def down(self, number: int) -> list[int]:
        found = []
        while number > 0:
            number -= 1
            found.append(number)
        return found
'''

TESTS = """
from small import Counter, larger

def test_the_larger_one() -> None:
    assert larger(2, 1) == 2

def test_down() -> None:
    assert Counter().down(2) == [1, 0]

def test_that_fails_anyway() -> None:
    assert larger(1, 2) == 1
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A tree with one module and its tests, of which one always fails."""
    home = tmp_path / "home"
    for name, text in {
        "games/small.py": SMALL,
        "tests/games/test_small.py": TESTS,
        "tests/conftest.py": "import sys\nfrom pathlib import Path\n"
        "sys.path.insert(0, str(Path(__file__).parents[1] / 'games'))\n",
    }.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(text, encoding="utf-8")
    subprocess.run(["git", "init", "-q", str(home)], check=True)
    return home


def an_entry(function: str, before: str, after: str, module: str = "games/small.py") -> Entry:
    edit = Edit(module=module, function=function, before=before, after=after)
    return Entry(id="games 01", topic="games", kind="by hand", edits=(edit,))


TURNED = an_entry("larger", "if one > other:", "if one < other:")


def test_the_entries_of_the_list_have_names_of_their_own() -> None:
    """Whether each has its place in this tree, `mutants.py --placed` says."""
    entries = [entry for one in read_lists(ROOT) for entry in one.entries]
    assert entries
    assert len({entry.id for entry in entries}) == len(entries)
    assert all(Entry.from_line(entry.to_line()) == entry for entry in entries)


def test_what_tests_notice_is_killed_and_what_says_the_same_survives(tree: Path) -> None:
    same = an_entry("larger", "if one > other:", "if other < one:")
    endless = an_entry("Counter.down", "number -= 1", "number -= 0")
    with stand(tree) as made:
        court = Court(made, Product(made.root), Map(), ceiling_s=60)
        killed = court.verdict(TURNED)
        assert (killed.verdict, killed.test) == (
            KILLED,
            "tests/games/test_small.py::test_the_larger_one",
        )
        assert court.verdict(same).verdict == SURVIVED
        assert court.still_killed(replace(same, test=killed.test)).verdict == SURVIVED
        assert court.still_killed(killed) == killed
        fails = "tests/games/test_small.py::test_that_fails_anyway"
        other = Court(made, Product(made.root), Map(), ceiling_s=60)
        other.trust([fails, killed.test])
        assert (other.unsound, set(other.sound)) == ({fails}, {killed.test})
        # A file in which the map knows none of the tests that are there now.
        old = Map([executed.Test("tests/games/test_small.py::test_gone", 0.1, "passed")])
        found = Court(made, Product(made.root), old, ceiling_s=60).verdict(TURNED)
        assert (found.verdict, found.test) == (KILLED, killed.test)
        asked = ["tests/games/test_small.py::test_down"]
        with made.changed(court.product.edited(endless)):
            assert made.ask(asked, within_s=3).outcome == OUT_OF_TIME
        assert made.ask(asked, within_s=60).outcome == "passed"


@pytest.mark.parametrize(
    ("before", "after", "how"),
    [
        ("games/small.py", "games/small.py", "there"),
        ("games/small.py", "arena/schedule/counting.py", "moved"),
    ],
)
def test_a_statement_is_found_where_its_function_has_gone(
    tree: Path, before: str, after: str, how: str
) -> None:
    (tree / after).parent.mkdir(parents=True, exist_ok=True)
    text = f"import os\n\n\n{(tree / before).read_text()}"
    (tree / before).unlink()
    (tree / after).write_text(text.replace("if one > other", "if (one  # the first\n  > other)"))
    product = Product(tree)
    assert product.place(TURNED.edits[0]).how == how
    (new,) = product.edited(TURNED).values()
    assert b"    if one < other:\n        return one" in new
    inside = Edit(module="x.py", function="Other.down", before="number -= 1", after="")
    assert product.place(inside).how == "renamed"
    with pytest.raises(LostError, match="larger has no such statement any more"):
        product.place(replace(TURNED.edits[0], before="if other:"))


def test_a_statement_that_two_functions_have_is_lost(tree: Path) -> None:
    (tree / "games/other.py").write_text(SMALL)
    with pytest.raises(LostError, match=r"several functions have it: .*other\.py"):
        Product(tree).place(replace(TURNED.edits[0], module="games/gone.py"))


WATCHED = """
import subprocess, sys
import executed
import pytest
from small import Counter, larger

@pytest.fixture(scope="module")
def shared() -> list[int]:
    return Counter().down(1)

def test_one(shared: list[int]) -> None:
    assert shared == [0]

def test_other(shared: list[int]) -> None:
    pass

def test_that_starts_a_program() -> None:
    import small
    from pathlib import Path
    folder = str(Path(small.__file__).parent)
    code = f"import sys; sys.path[:0] = [{folder!r}]; import small; small.larger(1, 2)"
    subprocess.run([sys.executable, "-c", code], check=True)
"""


def test_the_map_knows_programs_and_what_a_shared_fixture_executes(tree: Path) -> None:
    (tree / "tests/games/test_small.py").write_text(WATCHED)
    notes = tree.parent / "notes"
    assert run(tree, Path(sys.executable), notes, ["tests"]) == 0
    made = map_of(tree, notes)

    def executing(function: str, text: str) -> list[str]:
        tests = made.executing(("games/small.py", function, text))
        return [test.name.rpartition("::")[2] for test in tests]

    assert executing("larger", "return other") == ["test_that_starts_a_program"]
    assert executing("larger", "return one") == []
    assert executing("Counter.down", "number -= 1") == ["test_one", "test_other"]
    # Two of two branches of the loop, and one of the two of the condition.
    (tree / "pyproject.toml").write_text("")
    assert branches_by_folder(tree, notes)["games"]["branches"] == 75.0


def test_each_mutant_is_another_program_and_a_seed_draws_the_same_again() -> None:
    product = Product(ROOT)
    (sources,) = (rows for topic, rows in topics(product).items() if topic == "arena/sandbox")
    drawn = sample("arena/sandbox", sources, 8, "1")
    assert (
        drawn
        == sample("arena/sandbox", sources, 8, "1")
        != sample("arena/sandbox", sources, 8, "2")
    )
    assert len({entry.edits for entry in drawn}) == 8


def test_each_product_folder_has_tests_of_its_name_or_of_one_above() -> None:
    assert folder_of(ROOT, "reports/page") == "tests/reports"
    for topic in topics(Product(ROOT)):
        assert folder_of(ROOT, topic) != "tests", topic
