"""Lines of loose text without what mail, forums and tables put around them; their places stay.

Quotes, bullets, bold type and cells become blanks, so that a line is as long as it was.
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
"""Letters of full width, and signs that nobody sees."""

_HTML: Final = re.compile(
    r"</?(?:table|thead|tbody|tr|td|th|p|br|h[1-6]|b|i|u|em|strong|li|ul|ol|div|span|pre|code|"
    r"html|head|body|title)\b[^<>]*>",
    re.IGNORECASE,
)


def plain_line(line: str) -> str:
    r"""Return a line with blanks in the place of what is no part of its words.

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
    is_rule = {"|", "-"} <= set(bare) <= set("|-: \t")  # between the headings of a table and rows
    if is_rule or _TURN.fullmatch(bare) or heading_of(cells) is not None:
        return " " * len(line)
    is_row = bare.lstrip().startswith("|") or (bare.count("|") > 1 and "{" not in bare)
    return _BOLD.sub(_without_marks, cells if is_row else bare)


def _without_marks(found: re.Match[str]) -> str:
    return found[0] if found[1] is None else " " * len(found[1]) + found[2] + " " * len(found[1])


class Saying(NamedTuple):
    """A move in a sentence: who plays it, and the line with blanks for all but the move."""

    who: str
    line: str


@lru_cache(maxsize=64)
def saying(line: str) -> Saying | None:
    """Return the move of a line such as `Move 3: Ann plays e5`; None where it has none.

    >>> saying("3. Ann places a stone on e5")
    Saying(who='Ann', line='                         e5')
    >>> saying("Ann should have played d4"), saying("White: b2")
    (None, None)
    """
    if (found := _SAID.fullmatch(line)) is None:
        return None
    is_numbered = re.search("[0-9]", line[: found.start("who")]) is not None
    if found["colon"] and not is_numbered:  # which may be a name
        return None
    begin, end = found.start("move" if found["move"] else "swap"), found.end("end")
    return Saying(found["who"], " " * begin + line[begin:end] + " " * (len(line) - end))


class Sides(NamedTuple):
    """Who is said to play each move, before a colon, and the text with blanks for that."""

    names: list[tuple[str, int]]
    """Each name in small letters, and where it stands."""
    text: str


_MOVE: Final = r"[A-Za-z]{1,3}[0-9]{1,2}(?:-[A-Za-z]?[0-9]{1,2})?|x[A-Z]|swaps?|pie|pass"
_SIDE: Final = re.compile(
    r"(?:(?<=\s)|(?<=[,;/|(.])|^)(?P<who>[^\W\d]\w{0,30}(?: [12])?)[ \t]?:[ \t]*"
    rf"(?=(?:{_MOVE})[!?+#.]*(?:[\s,;/|)]|$))",
    re.IGNORECASE | re.MULTILINE,
)
_LIST: Final = re.compile(rf"(?:{_MOVE})[,;]?[ \t]+(?:{_MOVE})\b", re.IGNORECASE)


def sides_of(text: str) -> Sides:
    r"""Return who plays each move, where the same name stands before two moves or more.

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
"""So many colons have the moves of two players at least."""
