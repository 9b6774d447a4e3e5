"""The words of a record's text as `grammar.lark` defines them, for code that does not use Lark.

Each constant is the regular expression of the terminal with its name, without groups.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any, Final, cast


@cache
def grammar() -> str:
    """Return the text of `grammar.lark`: the wheel's copy, or else the one in the repository."""
    loader: Any = cast("Any", __spec__).loader
    try:
        data: bytes = loader.get_data(
            str(Path(__file__).with_name("grammar.lark"))
        )  # of a zip, too
    except OSError:
        data = (Path(__file__).resolve().parents[1] / "grammar.lark").read_bytes()
    return data.decode()


_TERMINALS: Final = {
    name: f"(?>{pattern})"
    for name, pattern in re.findall(r"^([A-Z_]+): /(.*)/$", grammar(), re.MULTILINE)
}

TAG_NAME: Final = _TERMINALS["TAG_NAME"]
STRING: Final = _TERMINALS["STRING"]
NUMBER: Final = _TERMINALS["NUMBER"]
MOVE: Final = _TERMINALS["MOVE"]
GLYPH: Final = _TERMINALS["GLYPH"]
RESULT: Final = _TERMINALS["RESULT"]
BRACES: Final = _TERMINALS["BRACES"]
LINE: Final = _TERMINALS["LINE"]

OPEN_STRING: Final = f"{STRING[:-1]}?)"
OPEN_BRACES: Final = f"{BRACES[:-1]}?)"
"""These patterns also match without their last character, so that every text can be scanned once.
"""

BEGINNING: Final = "[Game"
"""The usual start of a record, even if no empty line comes before it."""

BLANKS: Final = r"[ \t\r\n]*+"
"""The characters allowed between two words."""

TAG: Final = rf"\[{BLANKS}({TAG_NAME}){BLANKS}({STRING}){BLANKS}\]"
"""Groups: name, value in its quotes."""

COMMENT: Final = rf"(?:{BRACES}|{LINE})"

is_tag_name: Final = re.compile(TAG_NAME).fullmatch
is_move: Final = re.compile(MOVE).fullmatch


def plain(pattern: str) -> str:
    """Return the expression of a terminal for a whole text, in the syntax of JSON Schema.

    >>> plain(TAG_NAME)
    '[A-Za-z][A-Za-z0-9_]*'
    """
    return pattern[3:-1].partition("(?!")[0].replace(r"\/", "/")


def unquoted(text: str) -> str:
    """Return the value of a STRING."""
    return re.sub(r"\\(.)", r"\1", text[1:-1]) if "\\" in text else text[1:-1]


def inside(text: str) -> str:
    """Return what BRACES or a LINE say, without what makes them a comment."""
    return text[1:-1] if text[0] == "{" else text[1:]
