"""The pages are valid HTML by html-validate (from npm; `make web` installs it)."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from places import WEB
from report_pages import PAGES

from lath.reports.page.page import Page

Pages = Callable[[str], Page]


VALIDATOR: Final = WEB / "node_modules" / "html-validate" / "bin" / "html-validate.mjs"

CONFIG: Final = WEB / "htmlvalidate.cjs"


WRONG: Final = "wrong.html"
"""The one page there that is not valid."""


@pytest.fixture(scope="module")
def problems(the_page: Pages, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What html-validate says of the pages of all kinds and a wrong one: file, line, rule, words.

    One run of it for all.
    """
    node = shutil.which("node")
    if node is None or not VALIDATOR.is_file():
        pytest.skip("html-validate is not installed (make web)")
    folder = tmp_path_factory.mktemp("pages")
    for kind in PAGES:
        (folder / f"{kind}.html").write_text(the_page(kind).html, encoding="utf-8")
    wrong = the_page("empty").html.replace("<main", '<p id="x"></div><main id="x"', 1)
    (folder / WRONG).write_text(wrong, encoding="utf-8")
    told = folder / "told.json"
    command = [node, str(VALIDATOR), "--config", str(CONFIG), "--formatter", f"json={told}"]
    ran = subprocess.run([*command, str(folder)], capture_output=True, text=True, check=False)
    assert told.is_file(), ran.stderr
    return [said for report in json.loads(told.read_text()) for said in _told(report)]


def _told(report: dict[str, Any]) -> Iterator[str]:
    name = Path(report["filePath"]).name
    for said in report["messages"]:
        yield f"{name}:{said['line']}:{said['column']} {said['ruleId']}: {said['message']}"


def test_every_kind_of_report_is_valid(problems: list[str]) -> None:
    assert [said for said in problems if not said.startswith(f"{WRONG}:")] == []


def test_the_validator_would_tell(problems: list[str]) -> None:
    told = [said for said in problems if said.startswith(f"{WRONG}:")]
    assert {said.split()[1] for said in told} >= {"no-dup-id:", "close-order:"}
