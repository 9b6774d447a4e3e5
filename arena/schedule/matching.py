"""Who can be paired with whom so that nobody is left: matchings in a graph of people.

Edmonds' blossom algorithm ("Paths, trees, and flowers", 1965): a matching that can be larger has an
augmenting path, and odd circles on the way to it are shrunk to a point.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

Graph = Mapping[int, Collection[int]]
"""Who may meet whom, both ways."""

Mates = dict[int, int]
"""Who is paired with whom, both ways."""


def largest(people: Sequence[int], graph: Graph) -> Mates:
    """Return a matching of as many people as there can be; the first of them come first.

    Whoever is left out could not be paired without leaving out somebody earlier.

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
    """Return whether everybody can be paired."""
    return len(people) % 2 == 0 and len(largest(people, graph)) == len(people)


def first_choice(
    people: Sequence[int], graph: Graph, wishes: Iterable[tuple[int, Sequence[int]]]
) -> list[tuple[int, int]] | None:
    """Pair the wishers; each in turn gets the first wish that leaves a pairing of all the rest.

    Whoever has an opponent by then is passed over, as a wisher and as a wish. The wishes cover all
    whom their wisher may meet. None where not everybody can be paired.
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
    """Bend a matching of everybody left so that these two are paired; return whether it can be."""
    if mates[one] == other:
        return True
    bent = {person: mate for person, mate in mates.items() if not {person, mate} & {one, other}}
    if not _Search(mates[one], left - {one, other}, bent).succeeds(graph):
        return False
    mates.clear()
    mates |= bent | {one: other, other: one}
    return True


class _Search:
    """One search for an augmenting path, breadth first."""

    def __init__(self, root: int, among: set[int], mates: Mates) -> None:
        self._root = root
        self._mates = mates
        self.parent: Mates = {}
        """The way back, for those whom a path reaches by an edge outside of the matching."""
        self._base = {person: person for person in among}
        """The circle that a person was shrunk into, by its entrance."""
        self._reached = [root]
        """From whom the search goes on, in turn."""

    def succeeds(self, graph: Graph) -> bool:
        """Pair the root, and somebody else with it; return whether that was possible."""
        base, mates = self._base, self._mates
        for person in self._reached:  # grows on the way
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
                        while end is not None:  # all the way back, the other edges pair
                            before = self.parent[end]
                            after = mates.get(before)
                            mates[end], mates[before] = before, end
                            end = after
                        return True
                    self._reached.append(mate)
        return False

    def _shrink(self, one: int, other: int) -> None:
        """Make a point of the circle that an edge closes."""
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
        """Yield the circles on the way to the root, by their entrances."""
        while (base := self._base[person]) != self._root:
            yield base
            person = self.parent[self._mates[base]]
        yield base
