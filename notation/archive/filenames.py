"""File names from any text, that every common system takes and keeps apart.

Must not know what the files hold.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

LONGEST: Final = 120
"""Bytes of a name without its suffix; systems allow 255, some of them fewer in a path."""

_RESERVED: Final = re.compile(r"(?i:con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9])(\..*)?")
"""Names of devices under Windows, whatever follows the first dot."""


def safe_name(text: str) -> str:
    """Return a name made of the letters and digits of `text`, and of `-`, `_`, `+` and `.`.

    Never empty, hidden, reserved, a path, or over LONGEST bytes of UTF-8. Different texts may
    have one name: `Names` keeps those apart.

    >>> safe_name("Autumn bots: 10+0.1"), safe_name("../etc/passwd"), safe_name("NUL")
    ('Autumn-bots-10+0.1', 'etc-passwd', '_NUL')
    """
    plain = unicodedata.normalize("NFKC", text)
    kept = "".join(letter if _is_kept(letter) else "-" for letter in plain)
    name = re.sub(r"-+", "-", kept).lstrip(".-").rstrip(".-")
    if _RESERVED.fullmatch(name):
        name = f"_{name}"
    return shortened(name, LONGEST) or "_"


def _is_kept(letter: str) -> bool:
    return letter in "-_+." or unicodedata.category(letter)[0] in "LMN"


def shortened(name: str, size: int) -> str:
    """Return the beginning of `name` that takes at most `size` bytes of UTF-8.

    >>> shortened("größer", 4)
    'grö'
    """
    return name.encode("utf-8", "ignore")[:size].decode("utf-8", "ignore").rstrip(".-")


class Names:
    """Names that were given to texts, so that two of them never are one file."""

    def __init__(self) -> None:
        self._given: Final[dict[str, str]] = {}
        self._taken: Final[set[str]] = set()
        self._numbers: Final[dict[str, int]] = {}
        """The last number that each name got."""

    def __len__(self) -> int:
        return len(self._given)

    def of(self, text: str, wanted: str | None = None) -> str:
        """Return the name of `text`, made of `wanted` (else of `text`) when it is first asked for.

        A name that is taken, be it in other capitals, gets a number: `bots`, `Bots-2`.
        """
        name = self._given.get(text)
        if name is None:
            name = self._given[text] = self._free(safe_name(text if wanted is None else wanted))
            self._taken.add(_folded(name))
        return name

    def _free(self, name: str) -> str:
        candidate = name
        number = self._numbers.get(_folded(name), 1)
        while _folded(candidate) in self._taken:
            number += 1
            candidate = f"{shortened(name, LONGEST - 10)}-{number}"
        self._numbers[_folded(name)] = number
        return candidate


def _folded(name: str) -> str:
    """Return what systems compare that make no difference between capitals and small letters."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
