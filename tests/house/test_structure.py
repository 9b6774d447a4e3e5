"""The structure that the next engineer moves into: small packages, one name per thing."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from places import OURS, ROOT

LAYERS: Final = ("games", "notation", "bots", "reports", "arena")

MOST_MODULES: Final = 15
OF_ONE_KIND: Final = {
    "arena/cli": "a module per group of commands",
    "games": "a module per game",
    "notation/formats": "a module per format",
}

MOST_LINES: Final = 600
SCRIPTS: Final = ("reports/templates/js", "arena/site/templates")
MOST_SCRIPT_LINES: Final = 6000
LONGER: Final = {
    "arena/botcheck/steps.py": "one table of steps, in the order in which they are run",
    "arena/cluster/cluster.py": "one class, whose methods share the state of a connection",
    "arena/referee/conversation.py": "one class: everything that is said to a bot and by it",
    "arena/tournament/run/runner.py": "one class: the loop that hands out games and stores them",
    "games/mammalath.py": "a game is one file",
    "games/manalath.py": "a game is one file",
    "games/surikata.py": "a game is one file",
    "notation/formats/text.py": "one reading of a text, whose steps share what is known so far",
    "notation/record/record.py": "the parts of a record, each of which refuses what has no text",
}

SPELLED: Final = {
    "arena/tournament/run/events.py": "the type of a field in the published schema of events",
    "games/contract.py": "the definition",
    "reports/counting/facts.py": "the keys of an object in the published schema of reports",
}


CAPABILITIES: Final = "games/capabilities.py"
ASKINGS: Final = 3
"""`getattr` and `hasattr` there: a member of a class or of an object, and what a contract lacks."""

NAMED: Final = {
    "arena/cli/init.py": "the game of a first bot that is written for people",
    "arena/entrants/sizes.py": "the games of the demo",
    "arena/referee/bridges.py": "the game of another contest",
    "bots/contests.py": "the game of another contest",
    "bots/searcher.py": "the levels that are measured for each game type",
    "notation/formats/abstractplay.py": "the game that a site plays by other rules",
    "notation/formats/abstractplay_header.py": "the names that a site has for games",
    "notation/formats/ludii.py": "the names that a program has for games",
    "notation/formats/ygn.py": "the one game of a format",
    "notation/rules/builder.py": "the example of an id in a message",
}
"""Modules apart from its own that name a game by its id, docstrings aside."""


@cache
def modules() -> dict[str, ast.Module]:
    paths = (path for layer in LAYERS for path in sorted((ROOT / layer).rglob("*.py")))
    return {str(path.relative_to(ROOT)): ast.parse(path.read_text("utf-8")) for path in paths}


def test_no_two_public_classes_share_a_name() -> None:
    homes = defaultdict(list)
    for path, module in modules().items():
        for node in module.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(path)
    assert len(homes) > 500
    assert {name: paths for name, paths in homes.items() if len(paths) > 1} == {}


def test_the_texts_of_results_stand_where_results_are_defined_and_in_schemas() -> None:
    """Everywhere else `Result` says who won, what that is worth, and what it is reversed."""
    spelled = {
        path
        for path, module in modules().items()
        for node in ast.walk(module)
        if isinstance(node, ast.Constant) and node.value in ("1-0", "0-1", "1/2-1/2")
    }
    assert spelled == SPELLED.keys()


def test_a_folder_has_few_modules_or_modules_of_one_kind() -> None:
    folders = defaultdict(list)
    for path in modules():
        if not path.endswith("__init__.py"):
            folders[str(Path(path).parent)].append(path)
    crowded = {folder for folder, paths in folders.items() if len(paths) > MOST_MODULES}
    assert crowded == OF_ONE_KIND.keys()


def test_a_module_is_short_or_says_why_it_is_not() -> None:
    lines = {path: (ROOT / path).read_text("utf-8").count("\n") for path in modules()}
    assert {path for path, count in lines.items() if count > MOST_LINES} == LONGER.keys()


def test_the_scripts_of_report_and_site_are_short() -> None:
    scripts = [path for folder in SCRIPTS for path in (ROOT / folder).glob("*.js")]
    assert len(scripts) > 40
    assert sum(path.read_text("utf-8").count("\n") for path in scripts) <= MOST_SCRIPT_LINES


def test_an_import_inside_a_function_says_why_it_is_there() -> None:
    found = 0
    silent = []
    for path, module in modules().items():
        lines = (ROOT / path).read_text("utf-8").splitlines()
        for group in imports_in_functions(module):
            found += 1
            first, last = group[0].lineno, group[-1].end_lineno or 0
            if not any("#" in line for line in lines[first - 1 : last]):
                silent.append(f"{path}:{first}")
    assert found > 100
    assert silent == []


def imports_in_functions(node: ast.AST, *, is_inside: bool = False) -> Iterator[list[ast.stmt]]:
    """Yield each group of imports that stand together inside a function."""
    for _, value in ast.iter_fields(node):
        group: list[ast.stmt] = []
        for child in value if isinstance(value, list) else []:
            if is_inside and isinstance(child, ast.Import | ast.ImportFrom):
                group.append(child)
                continue
            if group:
                yield group
                group = []
            if isinstance(child, ast.AST):
                is_function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
                yield from imports_in_functions(child, is_inside=is_inside or is_function)
        if group:
            yield group


def test_what_a_game_can_do_is_asked_in_one_module() -> None:
    powers = {
        member.name
        for node in modules()[CAPABILITIES].body
        if isinstance(node, ast.ClassDef) and ast.unparse(node.bases[0]) == "Protocol"
        for member in node.body
        if isinstance(member, ast.FunctionDef)
    }
    assert len(powers) > 12
    asked = [
        (path, ast.unparse(call))
        for path, module in modules().items()
        for call in ast.walk(module)
        if isinstance(call, ast.Call) and ast.unparse(call.func) in ("getattr", "hasattr")
        if path == CAPABILITIES or powers & {ast.unparse(word).strip("'") for word in call.args}
    ]
    assert [path for path, _ in asked] == [CAPABILITIES] * ASKINGS, asked


def test_a_game_is_named_in_its_own_module_or_for_a_reason() -> None:
    naming = {
        path
        for path, module in modules().items()
        for node in ast.walk(module)
        if isinstance(node, ast.Constant) and node.value in OURS
        if path != f"games/{str(node.value).replace('-', '_')}.py"
    }
    assert naming == NAMED.keys()
