"""Which bots are connected by games, and can therefore be compared.

Must not know results: a draw connects as a win does.
"""

from __future__ import annotations

from collections.abc import Iterable


def connected(names: Iterable[str], met: Iterable[tuple[str, str]]) -> tuple[tuple[str, ...], ...]:
    """Return the groups of `names` that `met` connects: the largest first, each sorted by name.

    Groups of one size stand in the order of their first names. A bot that met nobody, or only
    itself, is a group of its own. Both bots of a meeting are among the names.

    >>> connected("abcd", [("a", "c"), ("d", "d")])
    (('a', 'c'), ('b',), ('d',))
    """
    leaders = {name: name for name in names}
    for one, other in met:
        leaders[_leader(leaders, one)] = _leader(leaders, other)
    groups: dict[str, list[str]] = {}
    for name in sorted(leaders):
        groups.setdefault(_leader(leaders, name), []).append(name)
    return tuple(sorted(map(tuple, groups.values()), key=lambda group: (-len(group), group)))


def _leader(leaders: dict[str, str], name: str) -> str:
    while leaders[name] != name:
        leaders[name] = leaders[leaders[name]]  # halves the path: the next search is shorter
        name = leaders[name]
    return name
