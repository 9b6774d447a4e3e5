"""Lines of loose text without the marks of mail, forums and tables; the places of words stay.

Quote marks, bullets, bold type and cell borders become spaces, so that a line keeps its length.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

from lath.notation.formats.text_titles import heading_of

_BEFORE: Final = re.compile(r"\s*(?:>\s*)*(?:(?:[-+•]|\*(?!\*)|\#{1,6})\s+(?=\S))?")
_BOLD: Final = re.compile(r"\{[^}]*\}?|(\*\*|__|`)(?=[^\s*_`])(.{0,300}?[^\s*_`])(\1)")
_TURN: Final = re.compile(r"\s*(?:move|turn|ply)\s+#?[0-9]{1,4}\s*[:.]?\s*", re.IGNORECASE)
_AUXILIARY: Final = r"have|has|had|should|could|would|might|may|must|can|to|not|if|when|i|he|she"
_SAID: Final = re.compile(
    r"\s*(?:(?:(?:move|turn|ply)\s+)?\#?[0-9]{1,4}\s*[.:)-]?\s*)?"
    rf"(?P<who>[^\W\d](?:(?!\b(?:{_AUXILIARY})\b)[\w .'-]){{0,30}}?)"
    r"(?:(?:\s+(?:plays?|played|plac(?:es?|ed)|puts?|drops?|dropped|moves?|moved|chooses?|chose)"
    r"(?:\s+[a-z]+){0,5}?\s+|(?P<colon>\s*:\s*))"
    r"(?P<move>[A-Za-z]{1,3}[0-9]{1,2}(?:-[A-Za-z]?[0-9]{1,2})?|x[A-Z])"
    r"|\s+(?P<swap>swap(?:s|ped)?(?:\s+(?:sides|seats|colou?rs))?))"
    r"(?P<end>!?(?:\s+(?:[01½][01½/2.\s:–-]*|\*))?)[.\s]*",
    re.IGNORECASE,
)


_ODD: Final[dict[int, int | str]] = {
    **{code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)},
    **dict.fromkeys((0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF, 0xAD, 0x3000), " "),
}
"""Full-width characters and invisible characters, with their replacements."""

_HTML: Final = re.compile(
    r"</?(?:table|thead|tbody|tr|td|th|p|br|h[1-6]|b|i|u|em|strong|li|ul|ol|div|span|pre|code|"
    r"html|head|body|title)\b[^<>]*>",
    re.IGNORECASE,
)


def plain_line(line: str) -> str:
    r"""Return a line with spaces in the place of everything that is not part of its words.

    >>> plain_line("> - **White**: ann"), plain_line("| 1 | e5 | d4 |")
    ('      White  : ann', '\t 1 \t e5 \t d4 \t')
    >>> plain_line("|---|----|").strip(), plain_line("# | White | Black").strip()
    ('', '')
    """
    line = line.translate(_ODD)
    if "<" in line:
        line = _HTML.sub(lambda found: " " * len(found[0]), line)
    begin = _BEFORE.match(line)
    bare = line if begin is None else " " * begin.end() + line[begin.end() :]
    cells = bare.replace("|", "\t")
    is_rule = (
        {"|", "-"} <= set(bare) <= set("|-: \t")
    )  # between the headings of a table and its rows
    if is_rule or _TURN.fullmatch(bare) or heading_of(cells) is not None:
        return " " * len(line)
    is_row = bare.lstrip().startswith("|") or (bare.count("|") > 1 and "{" not in bare)
    return _BOLD.sub(_without_marks, cells if is_row else bare)


def _without_marks(found: re.Match[str]) -> str:
    return found[0] if found[1] is None else " " * len(found[1]) + found[2] + " " * len(found[1])


class Saying(NamedTuple):
    """A move in a sentence: the player, and the line with spaces for everything but the move."""

    who: str
    line: str


@lru_cache(maxsize=64)
def saying(line: str) -> Saying | None:
    """Return the move of a line such as `Move 3: Ann plays e5`, or None.

    >>> saying("3. Ann places a stone on e5")
    Saying(who='Ann', line='                         e5')
    >>> saying("Ann should have played d4"), saying("White: b2")
    (None, None)
    """
    if (found := _SAID.fullmatch(line)) is None:
        return None
    is_numbered = re.search("[0-9]", line[: found.start("who")]) is not None
    if found["colon"] and not is_numbered:  # it may be a player's name
        return None
    begin, end = found.start("move" if found["move"] else "swap"), found.end("end")
    return Saying(found["who"], " " * begin + line[begin:end] + " " * (len(line) - end))


class Sides(NamedTuple):
    """The player named before each move with a colon, and the text with spaces for the names."""

    names: list[tuple[str, int]]
    """Each name in lowercase, with its place."""
    text: str


_MOVE: Final = r"[A-Za-z]{1,3}[0-9]{1,2}(?:-[A-Za-z]?[0-9]{1,2})?|x[A-Z]|swaps?|pie|pass"
_SIDE: Final = re.compile(
    r"(?:(?<=\s)|(?<=[,;/|(.])|^)(?P<who>[^\W\d]\w{0,30}(?: [12])?)[ \t]?:[ \t]*"
    rf"(?=(?:{_MOVE})[!?+#.]*(?:[\s,;/|)]|$))",
    re.IGNORECASE | re.MULTILINE,
)
_LIST: Final = re.compile(rf"(?:{_MOVE})[,;]?[ \t]+(?:{_MOVE})\b", re.IGNORECASE)


def sides_of(text: str) -> Sides:
    r"""Return the player of each move, if a name appears before at least two moves.

    >>> sides_of("1. White: g1\n2. Black: i5\n3. White: c5").names
    [('white', 3), ('black', 16), ('white', 29)]
    >>> sides_of("White: g1\nBlack: i5").names
    []
    """
    if text.count(":") < _LEAST:
        return Sides([], text)
    all_found = [one for one in _SIDE.finditer(text) if not _LIST.match(text, one.end())]
    names = [one["who"].lower() for one in all_found]
    if not any(names.count(name) > 1 for name in set(names)):
        return Sides([], text)
    for one in all_found:
        text = text[: one.start()] + " " * len(one[0]) + text[one.end() :]
    return Sides([(one["who"].lower(), one.start("who")) for one in all_found], text)


_LEAST: Final = 3
"""The least number of colons in the moves of two players."""
