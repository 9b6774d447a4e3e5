"""What is in an archive: exact counts, in memory that does not grow with the records."""

from __future__ import annotations

import statistics
from collections import Counter
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sample_records import BUILT_IN, bare, cut, random_game, tournament, with_tags

from lath.games.errors import IllegalMoveError
from lath.notation import Record, parse
from lath.notation.archive.archive import SeenRecords
from lath.reports.counting.facts import ending_of
from lath.reports.counting.figures import Survey, Ways, median


def surveyed(*records: Record, opening_plies: int = 2) -> Survey:
    survey = Survey(opening_plies)
    for record in records:
        survey.add(record)
    return survey


@given(st.lists(st.integers(0, 200), min_size=1))
def test_the_median_of_counted_lengths_is_that_of_the_lengths(lengths: list[int]) -> None:
    assert median(Counter(lengths)) == statistics.median(lengths)


def test_lengths_results_and_scores_are_those_of_the_records() -> None:
    told = Survey().to_json()
    assert (told["games"], told["by_game"]) == (0, [])
    assert told["dates"] == {"first": None, "last": None, "undated": 0}
    records = tournament(["ann", "bob"], 3)
    counted = surveyed(*records).together()
    lengths = [len(record.plies) for record in records]
    assert (counted.games, counted.plies) == (len(records), sum(lengths))
    assert (spread := counted.spread)
    assert spread["mean"] == statistics.mean(lengths)
    assert (spread["shortest"], spread["longest"]) == (min(lengths), max(lengths))
    alone = bare("ann", "bob", "1-0", Moves="not recorded")  # has no length
    assert surveyed(*records, alone, alone).together().spread == spread
    assert surveyed(alone).together().spread is None
    results = [bare("a", "b", result) for result in ("1-0", "1-0", "0-1", "1/2-1/2", "*")]
    counted = surveyed(*results).together()
    assert counted.results == {"1-0": 2, "0-1": 1, "1/2-1/2": 1, "*": 1}
    assert counted.first_score == 2.5 / 4
    assert surveyed(bare("a", "b", "*")).together().first_score is None
    ids = ["surikata", "yavalath", "manalath", "yavalath"]
    survey = surveyed(*(bare("a", "b", "1-0", game_id=game_id) for game_id in ids))
    assert [game for game, _ in survey.games] == ["yavalath", "manalath", "surikata"]


def test_facts_are_time_controls_dates_and_players() -> None:
    slow, fast = "10+0.1", "move 0.5"
    own = [{"FirstTimeControl": a, "SecondTimeControl": b} for a, b in permutations((slow, fast))]
    tags = [*own, {"TimeControl": slow}, {"FirstTimeControl": fast}, {}]
    facts = surveyed(*(bare("a", "b", "1-0", **each) for each in tags)).facts
    assert [(each["control"], each["records"]) for each in facts["time_controls"]] == [
        ("10+0.1 against move 0.5", 2),
        ("10+0.1", 1),
        ("move 0.5", 1),
        ("not stated", 1),
    ]
    dates = ["2026-11-20", "?", "2025-01-02", "yesterday", "2026-02-01"]
    records = [
        bare(name, "bob", "1-0", Date=date) for name, date in zip("aabbc", dates, strict=True)
    ]
    facts = surveyed(*records, bare("?", "bob", "1-0")).facts
    assert facts["dates"] == {"first": "2025-01-02", "last": "2026-11-20", "undated": 3}
    assert facts["bots"] == 4


def test_endings_are_what_termination_says_unless_the_rules_know_better() -> None:
    survey = surveyed(
        bare("a", "b", "1-0", Termination="time"), bare("a", "b", "1-0", Termination="")
    )
    survey.add(bare("a", "b", "1-0"), "four in line")
    (told,) = survey.to_json()["by_game"]
    assert list(told["endings"].items()) == [("four in line", 1), ("not stated", 1), ("time", 1)]
    for game_id in BUILT_IN:
        record = random_game(game_id, 1)
        assert ending_of(record) not in ("rules", "not stated")
        assert ending_of(with_tags(record, Termination="")) == ending_of(record)
        assert ending_of(cut(record, 2, "time", "1-0")) == "time"
        assert ending_of(cut(record, 2, "", "*")) == "not stated"
    with pytest.raises(IllegalMoveError):
        ending_of(parse('[Game "yavalath"] e5 e5 *'))


def test_openings_are_counted_by_canonical_moves_with_the_score_of_first() -> None:
    texts = ["c3 xb4-b2 1-0", "c3! xb2-b4 (2. xF) d4 1/2-1/2", "c3 xF *", "c3 0-1"]
    records = [parse(f'[Game "mammalath"] {text}') for text in texts]
    elsewhere = parse('[Game "yavalath"] [Position "5/6/7/8/9/8/7/6/wb3 w"] e5 d4 *')
    mammalath, yavalath = surveyed(*records, elsewhere).to_json()["by_game"]
    assert mammalath["openings"] == {
        "games": 3,
        "missed": 0,
        "lines": [
            {"moves": ["c3", "xb2-b4"], "games": 2, "first_score": 0.75},
            {"moves": ["c3", "xF"], "games": 1, "first_score": None},
        ],
    }
    assert yavalath["openings"] == {"games": 0, "missed": 0, "lines": []}
    moves = ("a1", "b1", "b1", "c1", "c1", "c1", "d1")
    records = [parse(f'[Game "yavalath"] {move} *') for move in moves]
    (told,) = surveyed(*records, opening_plies=1).to_json(2)["by_game"]
    lines = [(line["moves"], line["games"]) for line in told["openings"]["lines"]]
    assert lines == [(["c1"], 3), (["b1"], 2)], "only the most common ones"


@given(st.lists(st.sampled_from("aaaaabbbcdefghijkl"), max_size=300), st.integers(2, 6))
def test_forgotten_openings_are_never_more_than_what_is_said_to_be_missed(
    moves: list[str], most: int
) -> None:
    ways = Ways(most)
    for number, move in enumerate(moves):
        ways.add(move, 1.0, number)
    told, true = ways.ranked(), Counter(moves)
    assert len(told) <= most
    for move, way in told:
        assert way.times <= true[move] <= way.times + ways.missed
    for move in set(true) - {move for move, _ in told}:
        assert true[move] <= ways.missed
    assert len(true) > most or ways.missed == 0


@given(st.lists(st.binary(min_size=4, max_size=4)))
def test_what_was_seen_is_a_set_also_where_identities_overlap(tails: list[bytes]) -> None:
    few = bytes(byte % 2 for byte in range(256))  # such as come often across two identities
    seen, known = SeenRecords(), set[bytes]()
    numbers = [number.to_bytes(6, "big") for number in range(500)]
    for identity in [*(b"xx" + tail.translate(few) for tail in tails), *numbers, *numbers[::9]]:
        assert seen.add(identity) is (identity not in known)
        known.add(identity)
