"""Samples and shares: uniform, the same for any order, and games that are one stay together."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, product
from random import Random
from typing import TYPE_CHECKING

from walks import drawn_start, playout

from lath import games
from lath.games.core import Position, symmetries
from lath.notation.record import Record, bare_plies
from lath.notation.sampling import Row, Shares, sample

if TYPE_CHECKING:
    from collections.abc import Sequence


def rows(texts: Sequence[str]) -> list[Row]:
    return [Row(b"", "", text) for text in texts]


def drawn(texts: Sequence[str], size: int, seed: int) -> list[str]:
    return [row.text for row in sample(rows(texts), size, seed)]


def record(start: Position, moves: Sequence[str], result: str = "*") -> Record:
    tags = (("Game", start.game.id), ("Position", start.text()))
    return Record(tags, bare_plies(moves), result)


def test_every_set_of_so_many_is_as_likely_as_any_other() -> None:
    counts = Counter(tuple(drawn("abcde", 2, seed)) for seed in range(1000))
    assert set(counts) == set(combinations("abcde", 2)), "in their order, and all of them"
    chi_squared = sum((count - 100) ** 2 / 100 for count in counts.values())
    assert chi_squared < 27.9, "of 9 degrees of freedom 1 in 1000 is above"
    texts = ["same"] * 6 + ["one", "two", "three", "four"]
    copies = sum(drawn(texts, 5, seed).count("same") for seed in range(1000))
    assert abs(copies - 3000) < 6 * 27, "hypergeometric: 0.82 a draw"


def test_a_sample_is_the_same_for_any_order_and_keeps_the_order() -> None:
    texts = [f"game {Random(place).randrange(4000)}" for place in range(3000)]
    before = drawn(texts, 20, seed=7)
    shuffled = Random(1).sample(texts, len(texts))
    after = drawn(shuffled, 20, seed=7)
    assert sorted(after) == sorted(before)
    for whole, part in ((texts, before), (shuffled, after)):
        rest = iter(whole)
        assert all(text in rest for text in part), "each behind the one before it"
    assert drawn(texts, 20, seed=8) != before
    assert drawn("abca", 9, seed=1) == list("abca"), "all there are"


def test_a_game_and_its_images_have_one_part() -> None:
    shares, parts = Shares({"train": 1, "test": 1}, seed=3), set()
    for game_id, seed in product(games.ids(), range(3)):
        start = drawn_start(games.get(game_id), seed)
        moves = playout(start, Random(seed))
        of = {
            shares.part_of(record(way.position(start), list(map(way.move, moves)), result))
            for way in symmetries(start)
            for result in ("*", "1-0")
        }
        assert len(of) == 1, (game_id, seed)
        parts |= of
    assert parts == {"train", "test"}


def test_shares_are_what_was_asked_for_within_chance() -> None:
    shares = Shares({"train": 8, "validation": 1, "test": 1}, seed=1)
    start = games.get("surikata").start()
    chance = Random(1)
    lines = {tuple(playout(start, chance)[:12]) for _ in range(1000)}
    counts = Counter(shares.part_of(record(start, line)) for line in lines)
    for name, share in (("train", 0.8), ("validation", 0.1), ("test", 0.1)):
        bound = 4 * (len(lines) * share * (1 - share)) ** 0.5
        assert abs(counts[name] - share * len(lines)) < bound


def test_what_its_game_cannot_read_has_a_part_too() -> None:
    shares = Shares({"a": 1, "b": 1}, seed=1)
    for tags, move in (
        ((("Game", "chess"),), "e4"),
        ((("Game", "yavalath"),), "Qh4"),
        ((("Game", "yavalath"), ("Position", "?")), "e5"),
    ):
        odd = Record(tags, bare_plies([move]))
        assert shares.part_of(odd) == shares.part_of(odd) in {"a", "b"}
