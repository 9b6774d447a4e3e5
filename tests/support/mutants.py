"""Hold the tests against a stored list of mistakes in the product: `make mutants`.

The list is `tests/yardstick/*.jsonl`: small mistakes (mutants) in each product folder, and fixes
from the history, reverted. Each has the verdict that the tests gave when it was recorded.
"""

from __future__ import annotations

import argparse
import difflib
import sys
from pathlib import Path
from typing import Final

from yardstick import Entry, LostError, Product, read

ROOT: Final = Path(__file__).resolve().parents[2]
LISTS: Final = "tests/yardstick"


def wanted(entry: Entry, path: Path, only: str | None) -> bool:
    """Say whether an entry is asked for by its id, its topic or the name of its list."""
    return only in {None, entry.id, entry.topic, path.stem}


def print_placed(product: Product, entries: list[Entry]) -> int:
    """Print the entries that cannot be placed, and those that are placed elsewhere."""
    lost = 0
    for entry in entries:
        try:
            places = [product.place(edit) for edit in entry.edits]
            product.edited(entry)
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
    """Print what the entries change, as unified diffs."""
    for entry in entries:
        for path, data in product.edited(entry).items():
            old = (product.root / path).read_text(encoding="utf-8").splitlines(keepends=True)
            new = data.decode().splitlines(keepends=True)
            sys.stdout.writelines(difflib.unified_diff(old, new, f"a/{path}", f"b/{path}"))
    return 0


def main() -> int:
    """Do what the options say."""
    words = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    words.add_argument("--tree", type=Path, default=ROOT, help="the tree that is judged")
    words.add_argument("--only", help="one topic, one list or the id of one entry")
    does = words.add_mutually_exclusive_group(required=True)
    does.add_argument("--placed", action="store_true", help="list what cannot be placed any more")
    does.add_argument("--diff", action="store_true", help="print what the entries change")
    told = words.parse_args()
    tree = told.tree.resolve()
    entries = [
        entry
        for path in sorted((tree / LISTS).glob("*.jsonl"))
        for entry in read(path)
        if wanted(entry, path, told.only)
    ]
    does_what = print_placed if told.placed else print_changes
    return does_what(Product(tree), entries)


if __name__ == "__main__":
    sys.exit(main())
