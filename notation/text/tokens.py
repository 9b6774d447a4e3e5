"""The tokens of a record's text: the grammar that defines them, and what they say."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from pathlib import Path


@cache
def grammar() -> str:
    """Return the text of `grammar.lark`: the wheel's copy, or else the checkout's."""
    installed = resources.files("lath.notation") / "grammar.lark"
    if installed.is_file():
        return installed.read_text(encoding="utf-8")
    return (Path(__file__).resolve().parents[2] / "grammar.lark").read_text(encoding="utf-8")


def unquoted(text: str) -> str:
    """Return the value that a STRING is."""
    return re.sub(r"\\(.)", r"\1", text[1:-1]) if "\\" in text else text[1:-1]


def inside(text: str) -> str:
    """Return what BRACES or a LINE say, without what makes them a comment."""
    return text[1:-1] if text[0] == "{" else text[1:]
