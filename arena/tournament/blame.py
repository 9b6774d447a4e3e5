"""Whose fault it is that two bots play no more, in words for people: each cause is told once.

Must not know the screen.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final


def culprit_of(names: Iterable[str], why: str) -> str:
    """Return which of some bots a cause begins with; empty if none is to blame."""
    return next((name for name in names if why.startswith(f"{name}: ")), "")


def cause_of(why: str) -> str:
    """Return the cause without what the bot said to it, which differs from time to time."""
    return why.partition("; standard error:")[0]


class Blame:
    """Remembers of each bot the cause that people were told last."""

    def __init__(self, names: Collection[str]) -> None:
        self._names: Final = names
        self._told: Final[dict[str, str]] = {}

    def told(self, text: str) -> None:
        """Be told what people were told."""
        if culprit := culprit_of(self._names, text):
            self._told[culprit] = cause_of(text)

    def stop_words(self, pairing: Collection[str], why: str) -> str:
        """Return for people that two bots play no more, with the cause where it is news.

        >>> blame = Blame(["ann", "bob", "ill"])
        >>> blame.stop_words({"ill", "ann"}, "ill: exited with status 7")
        'ann - ill play no more: ill: exited with status 7'
        >>> blame.stop_words({"bob", "ill"}, "ill: exited with status 7")
        'bob - ill play no more because of ill'
        """
        culprit = culprit_of(pairing, why)
        words = f"{' - '.join(sorted(pairing))} play no more"
        if culprit and self._told.get(culprit) == cause_of(why):
            return f"{words} because of {culprit}"
        self.told(why)
        return f"{words}: {why}"


def end_words(stopped: Mapping[frozenset[str], str], told: Collection[str]) -> Iterator[str]:
    """Yield in the end, for each cause, which pairings were stopped.

    The cause itself is left out where it stands in one of the texts `told`.
    """
    by_cause: dict[tuple[str, str], list[str]] = {}
    first: dict[tuple[str, str], str] = {}
    for pairing, why in stopped.items():
        key = (culprit_of(pairing, why), cause_of(why))
        by_cause.setdefault(key, []).append(" - ".join(sorted(pairing)))
        first.setdefault(key, why)
    for (culprit, cause), pairings in by_cause.items():
        words = f"{', '.join(sorted(pairings))} {'was' if len(pairings) == 1 else 'were'} stopped"
        is_told = culprit and any(cause in text for text in told)
        yield f"{words} because of {culprit}" if is_told else f"{words}: {first[culprit, cause]}"
