"""What the scanner has stored is what the grammar makes; else it is not used."""

from __future__ import annotations

import json

import pytest

from lath.notation import scanner
from lath.notation.scanner import grammar


def test_the_stored_expressions_are_those_of_the_grammar() -> None:
    stored = scanner.stored()
    assert stored == json.loads(scanner.to_store()), "`make expressions` stores them anew"


@pytest.mark.parametrize("stored", [None, {"grammar": "of yesterday", "record": "(?!)"}])
def test_without_expressions_of_this_grammar_they_are_made(
    stored: dict[str, str] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = scanner.patterns()
    monkeypatch.setattr(scanner, "stored", lambda: stored)
    assert scanner.patterns.__wrapped__() == expected


def test_another_grammar_has_another_digest() -> None:
    assert scanner.digest(grammar()) != scanner.digest(grammar().replace("*", "+"))
