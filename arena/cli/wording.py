"""What the command line's library says of a wrong value, in the words of this program."""

from __future__ import annotations

import re
from typing import Final

_PHRASES: Final = (
    (r"^Value error, ", ""),
    (r"^(.*) is not one of (.*?)\.?$", r"\1, expected one of \2"),
    (r"^Input should be a valid integer\b.*", "expected a whole number"),
    (r"^(.*) is not a valid (?:integer|int)\.?$", r"\1, expected a whole number"),
    (r"^Input should be a valid number\b.*", "expected a number"),
    (r"^(.*) is not a valid float\.?$", r"\1, expected a number"),
    (r"^Input should be greater than or equal to (\S+)$", r"expected a number from \1"),
    (r"^Input should be less than or equal to (\S+)$", r"expected a number up to \1"),
)
"""What it says, with the models of pydantic or without, and what we say in its place."""


def plain(message: str) -> str:
    """Return the message; what is none of those that are known stays as it is.

    >>> plain("Value error, 'rust' is not one of 'python', 'c'.")
    "'rust', expected one of 'python', 'c'"
    >>> plain("Input should be a valid integer, unable to parse string as an integer")
    'expected a whole number'
    >>> plain("No such option: --frob")
    'No such option: --frob'
    """
    for phrase, ours in _PHRASES:
        message = re.sub(phrase, ours, message)
    return message
