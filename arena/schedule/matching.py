"""Matchings in a graph of people: pairings that leave out as few people as possible.

Edmonds' blossom algorithm ("Paths, trees, and flowers", 1965). A matching that can be larger has an
augmenting path. The search for one shrinks each odd cycle on its way to a single point.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

Graph = Mapping[int, Collection[int]]
"""The people that each person may meet; symmetric."""

Mates = dict[int, int]
"""The partner of each paired person; symmetric."""


def largest(people: Sequence[int], graph: Graph) -> Mates:
    """Return a matching of as many people as possible; earlier people have priority.

    A person is left out only if pairing that person would leave out an earlier one.

    >>> sorted(largest([1, 2, 3, 4], {1: [2, 3], 2: [1], 3: [1], 4: []}).items())
    [(1, 2), (2, 1)]
    """
    mates: Mates = {}
    among = set(people)
    for person in people:
        if person not in mates:
            _Search(person, among, mates).succeeds(graph)
    return mates


def is_perfect(people: Sequence[int], graph: Graph) -> bool:
    """Return whether all people can be paired."""
    return len(people) % 2 == 0 and len(largest(people, graph)) == len(people)


def first_choice(
    people: Sequence[int], graph: Graph, wishes: Iterable[tuple[int, Sequence[int]]]
) -> list[tuple[int, int]] | None:
    """Pair all people; each in turn gets the first wish that still lets all others be paired.

    People who are already paired are skipped, both as wishers and as wishes. The wishes of a person
    must contain everyone whom that person may meet. Return None if not all people can be paired.
    """
    mates = largest(people, graph)
    if len(mates) < len(people):
        return None
    left = set(people)
    pairs = []
    for person, wished in wishes:
        if person not in left:
            continue
        choice = next(
            other
            for other in wished
            if other in left
            and other in graph[person]
            and _rematch(person, other, left, graph, mates)
        )
        left -= {person, choice}
        pairs.append((person, choice))
    return pairs


def _rematch(one: int, other: int, left: set[int], graph: Graph, mates: Mates) -> bool:
    """Change a perfect matching so that these two are paired; return whether that is possible."""
    if mates[one] == other:
        return True
    bent = {person: mate for person, mate in mates.items() if not {person, mate} & {one, other}}
    if not _Search(mates[one], left - {one, other}, bent).succeeds(graph):
        return False
    mates.clear()
    mates |= bent | {one: other, other: one}
    return True


class _Search:
    """One breadth-first search for an augmenting path."""

    def __init__(self, root: int, among: set[int], mates: Mates) -> None:
        self._root = root
        self._mates = mates
        self.parent: Mates = {}
        """The previous person on the path to each person reached by an unmatched edge."""
        self._base = {person: person for person in among}
        """The entrance of the cycle into which each person was shrunk."""
        self._reached = [root]
        """People from whom the search continues, in order."""

    def succeeds(self, graph: Graph) -> bool:
        """Pair the root with someone and return whether that was possible."""
        base, mates = self._base, self._mates
        for person in self._reached:  # grows during the loop
            for other in graph[person]:
                if other not in base or base[person] == base[other] or mates.get(person) == other:
                    continue
                mate = mates.get(other)
                if other == self._root or mate in self.parent:
                    self._shrink(person, other)
                elif other not in self.parent:
                    self.parent[other] = person
                    if mate is None:
                        end: int | None = other
                        while end is not None:  # swap matched and unmatched edges back to the root
                            before = self.parent[end]
                            after = mates.get(before)
                            mates[end], mates[before] = before, end
                            end = after
                        return True
                    self._reached.append(mate)
        return False

    def _shrink(self, one: int, other: int) -> None:
        """Shrink the cycle that an edge closes to one point."""
        above = set(self._way(one))
        entrance = next(person for person in self._way(other) if person in above)
        circle = set()
        for ends in ((one, other), (other, one)):
            person, child = ends
            while self._base[person] != entrance:
                mate = self._mates[person]
                circle |= {self._base[person], self._base[mate]}
                self.parent[person] = child
                child, person = mate, self.parent[mate]
        reached = set(self._reached)
        for person, base in self._base.items():
            if base in circle:
                self._base[person] = entrance
                if person not in reached:
                    self._reached.append(person)

    def _way(self, person: int) -> Iterator[int]:
        """Yield the entrances of the cycles on the way to the root."""
        while (base := self._base[person]) != self._root:
            yield base
            person = self.parent[self._mates[base]]
        yield base
