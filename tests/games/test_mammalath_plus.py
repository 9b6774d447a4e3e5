"""What Mammalath Plus does otherwise than Mammalath: lines of four, 2x2 blocks, 32 tokens."""

from __future__ import annotations

import pytest
from drawn import after, animals_and_tokens, ending

from lath import games
from lath.games.core import Move, Outcome, Seat
from lath.games.errors import MoveSyntaxError

PLUS = games.get("mammalath-plus")

# No four in line and no block, for either player; a1 would be white's, h1 black's.
NEARLY_FULL = """
    Ab Bb Cw Dw Eb Fb Gw Hw
    Bw Cw Db Eb Fw Gw Hb Ab
    Cb Db Ew Fw Gb Hb Aw Bw
    Dw Ew Fb Gb Hw Aw Bb Cb
    Eb Fb Gw Hw Ab Bb Cw Dw
    Fw Gw Hb Ab Bw Cw Db Eb
    Gb Hb Aw Bw Cb Db Ew Fw
    H. Aw Bb Cb Dw Ew Fb G.
"""


def test_eight_each_of_eight_animals_fill_the_board() -> None:
    contents = PLUS.start(PLUS.draw_setup(7)).contents()
    assert {letter: contents.count(letter) for letter in "ABCDEFGH"} == dict.fromkeys("ABCDEFGH", 8)


@pytest.mark.parametrize("line", ["a1 b1 c1 d1", "a1 a2 a3 a4", "a1 b2 c3 d4", "a4 b3 c2 d1"])
def test_four_in_line_with_an_animal_lose_and_three_do_nothing(line: str) -> None:
    one, two, three, four = line.split()
    position = after(PLUS.start(), f"{one} h8 {two} f7 {three} h5")
    assert not position.is_over
    expected = Outcome(Seat.SECOND, "four with an animal", (one, two, three, four), is_loss=True)
    assert ending(after(position, four)) == expected


@pytest.mark.parametrize("line", ["a1 b1 c1 d1", "a1 a2 a3 a4", "a1 b2 c3 d4", "a4 b3 c2 d1"])
def test_four_in_line_without_an_animal_win(line: str) -> None:
    one, two, three, four = line.split()
    end = after(PLUS.start(), f"{one} x{one}-{four} {two} h8 {three} f7 {four}")
    assert ending(end) == Outcome(Seat.FIRST, "four without an animal", (one, two, three, four))


def test_a_block_with_an_animal_loses_like_a_line_of_four() -> None:
    end = after(PLUS.start(), "b2 h8 b3 f7 c2 h5 c3")
    assert ending(end) == Outcome(
        Seat.SECOND, "four with an animal", ("b2", "b3", "c2", "c3"), is_loss=True
    )


def test_a_block_without_an_animal_wins_like_a_line_of_four() -> None:
    end = after(PLUS.start(), "b2 xb2-c3 b3 h8 c2 f7 c3")
    assert ending(end) == Outcome(Seat.FIRST, "four without an animal", ("b2", "b3", "c2", "c3"))


def test_a_block_without_and_a_line_with_an_animal_at_once_lose() -> None:
    drawing = """
        A. B. C. D. E. F. G. H.
        B. C. D. E. F. G. H. A.
        C. D. E. F. G. H. A. B.
        D. E. F. G. H. A. B. Cb
        E. F. G. H. A. B. C. D.
        F. .w .w H. A. B. C. Db
        G. .w .. Bw Cw D. E. F.
        H. A. B. C. D. E. F. Gb
    """
    reached = after(PLUS.position(animals_and_tokens(drawing, "b")), "h8 c2")
    assert ending(reached) == Outcome(
        Seat.SECOND, "four with an animal", ("b2", "c2", "d2", "e2"), is_loss=True
    )


def test_a_block_is_released_with_tokens_staying() -> None:
    before = """
        A. B. C. D. E. F. G. H.
        B. C. D. E. F. G. H. A.
        C. D. E. F. G. H. A. B.
        D. E. F. G. H. A. B. C.
        E. F. G. H. A. B. C. D.
        F. G. Hw A. B. C. D. E.
        G. H. A. B. C. D. E. F.
        H. A. B. C. D. E. F. G.
    """
    behind = """
        A. B. C. D. E. F. G. H.
        B. C. D. E. F. G. H. A.
        C. D. E. F. G. H. A. B.
        D. E. F. G. H. A. B. C.
        E. F. G. H. A. B. C. D.
        F. .. .w A. B. C. D. E.
        G. .. .. B. C. D. E. F.
        H. A. B. C. D. E. F. G.
    """
    released = after(PLUS.position(animals_and_tokens(before, "b")), "xb2-c3")
    assert released.text() == animals_and_tokens(behind, "w")
    assert released.why_illegal(Move("xc2-d3")) == "the block c2-d3 has no animal on c2 and c3"
    assert released.why_illegal(Move("xa2-d2")) == "the line a2-d2 has no animal on b2 and c2"


@pytest.mark.parametrize(
    ("text", "canonical"),
    [("xc3-b2", "xb2-c3"), ("xh8-g7", "xg7-h8"), ("xd1-a4", "xa4-d1"), ("xa4-a1", "xa1-a4")],
)
def test_the_ends_of_a_release_may_be_given_in_either_order(text: str, canonical: str) -> None:
    assert PLUS.canonical(text) == canonical


@pytest.mark.parametrize("text", ["xb3-c2", "xc2-b3", "xa1-c1", "xa1-c3", "xa1-e1", "xh8-i9"])
def test_a_release_is_a_line_of_four_or_the_rising_diagonal_of_a_block(text: str) -> None:
    with pytest.raises(MoveSyntaxError, match=text):
        PLUS.canonical(text)


def test_blocks_and_lines_are_listed_together_by_text() -> None:
    moves = after(PLUS.start(), "h8").legal_moves()
    releases = moves[63 + 8 : -1]
    assert len(releases) == 130 + 49
    assert releases[:5] == ("xa1-a4", "xa1-b2", "xa1-d1", "xa1-d4", "xa2-a5")
    assert list(releases) == sorted(releases)


@pytest.mark.parametrize(("mover", "cell"), [("w", "a1"), ("b", "h1")])
def test_who_plays_all_32_tokens_without_a_line_or_a_block_draws(mover: str, cell: str) -> None:
    position = PLUS.position(animals_and_tokens(NEARLY_FULL, mover))
    assert ending(after(position, cell)) == Outcome(None, "all tokens placed")


def test_swap_is_there_too() -> None:
    swapped = after(PLUS.start(), "d4 swap")
    assert swapped.contents().count("Hb") == 1
    assert swapped.text().endswith("8/8/8/8/3b4/8/8/8 w")
