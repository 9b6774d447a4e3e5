"""A game whose moves have texts that need escaping."""

from __future__ import annotations

from game_files import EXAMPLES

TEXTS = ("0,1", "X From (3, 7)", "a#*", "é→", "100%2C", "1. {a};[!?]", '"\\=\n')
"""The moves of a game with seven columns."""


def odd_rules(moves: str = f"[*map(escaped, {TEXTS!r})]") -> str:
    """Return a game file whose columns have these moves, a Python list. Default: `TEXTS`."""
    changes = {
        'range(4, 10), "columns': 'range(4, 8), "columns',
        'id = "connect-four"': 'id = "odd-columns"',
        '[chr(ord("a") + column) for column in range(width)]': f"({moves})[:width]",
        'board.bit[f"{column}1"]': "board.bit['abcdefg'[columns.index(column)] + '1']",
        "across[cell[0]] + cell[1:]": "'abcdefg'[width - 1 - ord(cell[0]) + ord('a')] + cell[1:]",
        "import IDENTITY,": "import escaped, IDENTITY,",
    }
    text = (EXAMPLES / "connect_four.py").read_text(encoding="utf-8")
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    return text
