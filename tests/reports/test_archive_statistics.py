"""What is in an archive: exact counts, in memory that does not grow with the records."""

from __future__ import annotations

import statistics
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sample_records import BUILT_IN, bare, cut, random_game, tournament, with_tags

from lath.games.errors import IllegalMoveError
from lath.notation import Record, parse
from lath.notation.archive import Seen
from lath.reports.archive import Survey, ending_of, median, to_json
from lath.reports.openings import Opening, Openings

_FEW = bytes(byte % 2 for byte in range(256))
"""Makes of bytes such as come often across two identities."""


def surveyed(*records: Record, opening_plies: int = 2) -> Survey:
    survey = Survey(opening_plies)
    for record in records:
        survey.add(record)
    return survey


def test_no_records_have_no_numbers() -> None:
    summary = Survey().summary()
    assert summary.numbers is None
    assert summary.games == ()
    assert to_json(summary)["dates"] == {"first": None, "last": None, "undated": 0}


@given(st.lists(st.integers(0, 200), min_size=1))
def test_the_median_of_counted_lengths_is_that_of_the_lengths(lengths: list[int]) -> None:
    assert median(Counter(lengths)) == statistics.median(lengths)


def test_lengths_and_plies_are_those_of_the_main_lines() -> None:
    records = tournament(["ann", "bob"], 3)
    numbers = surveyed(*records).summary().numbers
    lengths = [len(record.plies) for record in records]
    assert numbers is not None
    assert numbers.games == len(records)
    assert numbers.plies == sum(lengths)
    assert numbers.lengths.mean == statistics.mean(lengths)
    assert (numbers.lengths.shortest, numbers.lengths.longest) == (min(lengths), max(lengths))


def test_results_are_counted_by_seat_and_only_decided_games_score() -> None:
    records = [bare("a", "b", result) for result in ("1-0", "1-0", "0-1", "1/2-1/2", "*")]
    numbers = surveyed(*records).summary().numbers
    assert numbers is not None
    results = numbers.results
    assert (results.first, results.second, results.draws, results.unfinished) == (2, 1, 1, 1)
    assert results.first_score == 2.5 / 4


def test_a_game_nobody_finished_has_no_score() -> None:
    numbers = surveyed(bare("a", "b", "*")).summary().numbers
    assert numbers is not None
    assert numbers.results.first_score is None


def test_games_come_by_their_number_then_by_id() -> None:
    ids = ["surikata", "yavalath", "manalath", "yavalath"]
    summary = surveyed(*(bare("a", "b", "1-0", game_id=game_id) for game_id in ids)).summary()
    assert [game.game for game in summary.games] == ["yavalath", "manalath", "surikata"]


def test_dates_span_what_is_a_date_and_players_are_different_names() -> None:
    dates = ["2026-11-20", "?", "2025-01-02", "yesterday", "2026-02-01"]
    records = [
        bare(name, "bob", "1-0", Date=date) for name, date in zip("aabbc", dates, strict=True)
    ]
    summary = surveyed(*records, bare("?", "bob", "1-0")).summary()
    assert (summary.first_date, summary.last_date, summary.undated) == (
        "2025-01-02",
        "2026-11-20",
        3,
    )
    assert summary.players == 4


def test_endings_are_what_termination_says_unless_somebody_knows_better() -> None:
    survey = Survey()
    survey.add(bare("a", "b", "1-0", Termination="time"))
    survey.add(bare("a", "b", "1-0", Termination=""))
    survey.add(bare("a", "b", "1-0"), "four in line")
    (game,) = survey.summary().games
    assert game.endings == (("four in line", 1), ("not stated", 1), ("time", 1))


@pytest.mark.parametrize("game_id", BUILT_IN)
def test_the_ending_of_a_played_game_is_the_rules_word(game_id: str) -> None:
    record = random_game(game_id, 1)
    assert ending_of(record) not in ("rules", "not stated")
    assert ending_of(with_tags(record, Termination="")) == ending_of(record)
    assert ending_of(cut(record, 2, "time", "1-0")) == "time"
    assert ending_of(cut(record, 2, "", "*")) == "not stated"


def test_a_game_that_cannot_be_played_has_no_ending() -> None:
    with pytest.raises(IllegalMoveError):
        ending_of(parse('[Game "yavalath"] e5 e5 *'))


def test_openings_are_counted_by_canonical_moves_with_the_score_of_first() -> None:
    texts = ["c3 xb4-b2 1-0", "c3! xb2-b4 (2. xF) d4 1/2-1/2", "c3 xF *", "c3 0-1"]
    records = [parse(f'[Game "mammalath"] {text}') for text in texts]
    elsewhere = parse('[Game "yavalath"] [Position "5/6/7/8/9/8/7/6/wb3 w"] e5 d4 *')
    mammalath, yavalath = surveyed(*records, elsewhere).summary().games
    assert mammalath.openings == (
        Opening(moves=("c3", "xb2-b4"), games=2, first_score=0.75),
        Opening(moves=("c3", "xF"), games=1, first_score=None),
    )
    assert mammalath.opening_games == 3
    assert (yavalath.openings, yavalath.opening_games) == ((), 0)


def test_only_the_most_common_openings_are_told() -> None:
    records = [
        parse(f'[Game "yavalath"] {move} *') for move in ["a1", *["b1"] * 2, *["c1"] * 3, "d1"]
    ]
    (game,) = surveyed(*records, opening_plies=1).summary(2).games
    assert [(opening.moves, opening.games) for opening in game.openings] == [
        (("c1",), 3),
        (("b1",), 2),
    ]


@given(st.lists(st.sampled_from("aaaaabbbcdefghijkl"), max_size=300), st.integers(2, 6))
def test_forgotten_openings_are_never_more_than_what_is_said_to_be_missed(
    moves: list[str], most: int
) -> None:
    openings = Openings(1, most)
    for move in moves:
        openings.add((move,), 1.0)
    told = openings.most_common(100)
    true = Counter(moves)
    assert len(told) <= most
    for opening in told:
        (move,) = opening.moves
        assert opening.games <= true[move] <= opening.games + openings.missed
    for move in set(true) - {opening.moves[0] for opening in told}:
        assert true[move] <= openings.missed
    if len(true) <= most:
        assert openings.missed == 0


def test_what_was_seen_is_new_once() -> None:
    seen = Seen()
    identities = [number.to_bytes(16, "big") for number in range(1000)]
    assert all(seen.add(identity) for identity in identities)
    assert not any(seen.add(identity) for identity in identities)


@given(st.lists(st.binary(min_size=4, max_size=4).map(lambda tail: b"xx" + tail.translate(_FEW))))
def test_what_was_seen_is_a_set_also_where_identities_overlap(identities: list[bytes]) -> None:
    seen, known = Seen(), set[bytes]()
    for identity in identities:
        assert seen.add(identity) is (identity not in known)
        known.add(identity)
