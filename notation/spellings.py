"""Results, terminations and dates as they are written elsewhere, and what they are here.

Asked about what was refused already. Must not know where a word stands, nor any game.
"""

from __future__ import annotations

import datetime as dt
import re
from typing import Final

from lath.notation.record import RESULTS, Termination

RESULTS_IN_WORDS: Final = "1-0, 0-1, 1/2-1/2 or *"

_RESULT_SIGNS: Final = str.maketrans(
    {**dict.fromkeys("‐‑‒–—−:", "-"), "½": "1/2", "⁄": "/", ",": "."}
)

_RESULT_WORDS: Final = {
    **{result: result for result in RESULTS},
    **dict.fromkeys(("draw", "drawn", "1/2", "0.5", "0.5-0.5", ".5-.5"), "1/2-1/2"),
}

_TERMINATION_WORDS: Final = {
    **dict.fromkeys(("resign", "resigned", "resigns"), Termination.RESIGNATION),
    **dict.fromkeys(("timeout", "time out", "time forfeit"), Termination.TIME),
    **dict.fromkeys(("illegal", "rules infraction"), Termination.ILLEGAL_MOVE),
}
"""What other programs and PGN call some of ours."""


def meant_result(word: str) -> str:
    """Return the result that `word` is another way to write; empty where it is none.

    >>> meant_result("½–½"), meant_result("0.5-0.5"), meant_result("2-0")
    ('1/2-1/2', '1/2-1/2', '')
    """
    return _RESULT_WORDS.get(word.lower().translate(_RESULT_SIGNS).rstrip("."), "")


def meant_termination(value: str) -> str:
    """Return the Termination that `value` is another way to write; empty where it is none."""
    plain = " ".join(re.split(r"[\s_-]+", value.lower().strip()))
    if plain in list(Termination):
        return plain
    return _TERMINATION_WORDS.get(plain, "")


def meant_date(value: str) -> str:
    """Return the date in its form, if it begins with the year; empty where it is none.

    >>> meant_date("2026.11.5"), meant_date("????.??.??"), meant_date("5.11.2026")
    ('2026-11-05', '?', '')
    """
    if re.fullmatch(r"[?.-]+", value):
        return "?"
    found = re.fullmatch(r"([0-9]{4})([./-]?)([0-9]{1,2})\2([0-9]{1,2})", value)
    if found is None:
        return ""
    try:
        return dt.date(int(found[1]), int(found[3]), int(found[4])).isoformat()
    except ValueError:
        return ""
