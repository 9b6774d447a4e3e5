"""Who can be paired with whom so that nobody is left: matchings in a graph of people.

Edmonds' blossom algorithm ("Paths, trees, and flowers", 1965): a matching that can be larger has an
augmenting path, and odd circles on the way to it are shrunk to a point. Must not know points.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence

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
            _augment(person, among, graph, mates)
    return mates


def is_perfect(people: Sequence[int], graph: Graph) -> bool:
    """Return whether everybody can be paired."""
    return len(people) % 2 == 0 and len(largest(people, graph)) == len(people)


def first_choice(
    people: Sequence[int], graph: Graph, wishes: Iterable[tuple[int, Sequence[int]]]
) -> list[tuple[int, int]] | None:
    """Pair everybody; each in turn gets the first of its wishes that leaves a pairing of the rest.

    Whoever has an opponent by then is passed over, as a wisher and as a wish. The wishers cover
    everybody, and their wishes everybody in the graph. None where not all can be paired.
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
    if not _augment(mates[one], left - {one, other}, graph, bent):
        return False
    mates.clear()
    mates |= bent | {one: other, other: one}
    return True


def _augment(root: int, among: set[int], graph: Graph, mates: Mates) -> bool:
    """Pair one more person, and another with it; return whether that was possible."""
    search = _Search(root, among, graph, mates)
    end = search.run()
    while end is not None:
        before = search.parent[end]
        after = mates.get(before)
        mates[end], mates[before] = before, end
        end = after
    return root in mates


class _Search:
    """One search for an augmenting path, breadth first."""

    def __init__(self, root: int, among: set[int], graph: Graph, mates: Mates) -> None:
        self.root = root
        self.among = among
        self.graph = graph
        self.mates = mates
        self.parent: dict[int, int] = {}
        self.base = {person: person for person in among}
        """The circle that a person was shrunk into, by its entrance."""
        self.reached = {root}
        self.queue = deque([root])

    def run(self) -> int | None:
        """Return the unpaired end of a path, None without one; `parent` leads back."""
        while self.queue:
            person = self.queue.popleft()
            for other in self.graph[person]:
                if other in self.among and (end := self._look(person, other)) is not None:
                    return end
        return None

    def _look(self, person: int, other: int) -> int | None:
        if self.base[person] == self.base[other] or self.mates.get(person) == other:
            return None
        mate = self.mates.get(other)
        if other == self.root or (mate is not None and mate in self.parent):
            self._shrink(person, other)
        elif other not in self.parent:
            self.parent[other] = person
            if mate is None:
                return other
            self._reach(mate)
        return None

    def _reach(self, person: int) -> None:
        if person not in self.reached:
            self.reached.add(person)
            self.queue.append(person)

    def _shrink(self, one: int, other: int) -> None:
        entrance = self._common(one, other)
        circle: set[int] = set()
        self._mark(one, entrance, other, circle)
        self._mark(other, entrance, one, circle)
        for person in self.among:
            if self.base[person] in circle:
                self.base[person] = entrance
                self._reach(person)

    def _common(self, one: int, other: int) -> int:
        """Return where the ways from the root to both part."""
        seen = set()
        while True:
            one = self.base[one]
            seen.add(one)
            if one == self.root:
                break
            one = self.parent[self.mates[one]]
        while (other := self.base[other]) not in seen:
            other = self.parent[self.mates[other]]
        return other

    def _mark(self, person: int, entrance: int, child: int, circle: set[int]) -> None:
        while self.base[person] != entrance:
            mate = self.mates[person]
            circle |= {self.base[person], self.base[mate]}
            self.parent[person] = child
            child = mate
            person = self.parent[mate]
