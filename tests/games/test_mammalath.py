"""The rules of Mammalath, one example each; pictures of the rulebook where it has them."""

from __future__ import annotations

from random import Random

import pytest
from drawn import after, animals_and_tokens, ending, reasons

from lath import games
from lath.games.core import Move, Outcome, Seat, least, symmetries
from lath.games.errors import MoveSyntaxError

MAMMALATH = games.get("mammalath")

UNTOUCHED = """
    A. B. C. D. E. F.
    B. C. D. E. F. A.
    C. D. E. F. A. B.
    D. E. F. A. B. C.
    E. F. A. B. C. D.
    F. A. B. C. D. E.
"""

IN_BLOCKS = "AAADDD/AAADDD/BBBEEE/BBBEEE/CCCFFF/CCCFFF"
"""A setup whose types lie together: three of a type are in line twice."""

# Two in line at most, for either player; a1 would be white's, d1 black's.
NEARLY_FULL = """
    Ab Bb Cw Dw Eb Fb
    Bw Cw Db Eb Fw Aw
    Cb Db Ew Fw Ab Bb
    Dw Ew Fb Ab Bw Cw
    Eb Fb Aw Bw Cb Db
    F. Aw Bb C. Dw Ew
"""


def test_the_first_turn_of_the_game_must_place_a_token() -> None:
    start = MAMMALATH.start(IN_BLOCKS)
    assert list(start.legal_moves()) == [f"{x}{y}" for x in "abcdef" for y in range(1, 7)]
    for move in ("xA", "xa1-a3", "swap"):
        assert start.why_illegal(Move(move)) == "the first turn of the game must place a token"


def test_the_animals_of_a_setup_lie_as_they_are_written_from_the_top_left() -> None:
    start = MAMMALATH.position(animals_and_tokens(UNTOUCHED, "w"))
    on = dict(zip(MAMMALATH.board.names, start.contents(), strict=True))
    assert (on["a6"], on["f6"], on["a1"], on["f1"], on["b6"]) == ("A", "F", "F", "E", "B")


def test_a_token_goes_on_an_animal_or_an_empty_cell_but_not_on_a_token() -> None:
    drawing = """
        A. B. C. D. E. F.
        B. C. D. E. F. A.
        C. D. E. F. A. B.
        D. E. F. A. B. C.
        E. F. A. B. C. D.
        .w .. .. Cb D. E.
    """
    taken = "already has a token"
    expected = [None, None, f"a1 {taken}", f"d1 {taken}"]
    text = animals_and_tokens(drawing, "b")
    assert reasons(MAMMALATH, text, "b1 b2 a1 d1") == expected
    placed = after(MAMMALATH.position(text), "b2")
    assert dict(zip(MAMMALATH.board.names, placed.contents(), strict=True))["b2"] == "Fb"


def test_releasing_a_type_takes_all_its_animals_and_leaves_the_tokens() -> None:
    before = """
        A. B. C. D. E. Fw
        B. C. D. E. F. A.
        C. D. E. F. A. B.
        D. E. F. A. B. C.
        E. F. A. B. C. D.
        F. A. B. C. D. E.
    """
    behind = """
        A. B. C. D. E. .w
        B. C. D. E. .. A.
        C. D. E. .. A. B.
        D. E. .. A. B. C.
        E. .. A. B. C. D.
        .. A. B. C. D. E.
    """
    released = after(MAMMALATH.position(animals_and_tokens(before, "b")), "xF")
    assert released.text() == animals_and_tokens(behind, "w")
    assert released.why_illegal(Move("xF")) == "no F is left on the board"


def test_releasing_a_line_takes_three_animals_of_any_types_and_leaves_the_tokens() -> None:
    before = """
        A. B. C. D. E. F.
        B. C. D. E. F. A.
        C. D. E. F. A. B.
        D. Ew F. A. B. C.
        E. F. A. B. C. D.
        F. A. B. C. D. E.
    """
    behind = """
        A. B. C. D. E. F.
        B. C. D. E. F. A.
        C. .. E. F. A. B.
        D. .w F. A. B. C.
        E. .. A. B. C. D.
        F. A. B. C. D. E.
    """
    released = after(MAMMALATH.position(animals_and_tokens(before, "b")), "xb2-b4")
    assert released.text() == animals_and_tokens(behind, "w")


@pytest.mark.parametrize("release", ["xa1-c1", "xa1-a3", "xa1-c3", "xa3-c1"])
def test_lines_run_along_rows_columns_and_both_diagonals(release: str) -> None:
    start = MAMMALATH.start()
    assert release in after(start, "f6").legal_moves()
    assert after(start, f"f6 {release}").contents().count("") == 3


def test_an_empty_cell_may_not_be_in_a_released_line() -> None:
    position = after(MAMMALATH.start(), "f6 xb2-b4")
    reason = "the line a2-c2 has no animal on b2"
    assert position.why_illegal(Move("xa2-c2")) == reason
    assert "xa2-c2" not in position.legal_moves()
    assert "xa1-c1" in position.legal_moves()


@pytest.mark.parametrize("text", ["xa1-b1", "xa1-d1", "xa1-a1", "xa1-b3", "xa1-c2", "xe1-g1"])
def test_a_release_is_of_exactly_three_in_line(text: str) -> None:
    with pytest.raises(MoveSyntaxError, match=text):
        MAMMALATH.canonical(text)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [("xb4-b2", "xb2-b4"), ("xc1-a3", "xa3-c1"), ("xc1-a1", "xa1-c1"), ("xc3-a1", "xa1-c3")],
)
def test_the_ends_of_a_release_may_be_given_in_either_order(text: str, canonical: str) -> None:
    assert MAMMALATH.canonical(text) == canonical


def test_two_releases_that_lead_to_the_same_position_are_both_legal() -> None:
    position = after(MAMMALATH.start(IN_BLOCKS), "a1 xa5-c5")
    assert {"xA", "xa6-c6"}.issubset(position.legal_moves())
    assert after(position, "xA") == after(position, "xa6-c6")


def test_legal_moves_are_cells_then_types_then_lines_by_text_then_swap() -> None:
    moves = after(MAMMALATH.start(), "c3").legal_moves()
    cells = [f"{x}{y}" for x in "abcdef" for y in range(1, 7) if (x, y) != ("c", 3)]
    types = ["xA", "xB", "xC", "xD", "xE", "xF"]
    assert list(moves[:41]) == cells + types
    assert list(moves[41:-1]) == sorted(moves[41:-1])
    assert moves[41:45] == ("xa1-a3", "xa1-c1", "xa1-c3", "xa2-a4")
    assert (len(moves), moves[-1]) == (35 + 6 + 80 + 1, "swap")


def test_a_swap_gives_the_first_token_back_and_puts_one_of_seconds_in_its_place() -> None:
    after_swap = """
        A. B. C. D. E. F.
        B. C. D. E. F. A.
        C. D. E. F. A. B.
        D. E. Fb A. B. C.
        E. F. A. B. C. D.
        F. A. B. C. D. E.
    """
    position = after(MAMMALATH.start(), "c3 swap")
    assert position.text() == animals_and_tokens(after_swap, "w")
    assert MAMMALATH.position(animals_and_tokens(after_swap, "w")) == position


@pytest.mark.parametrize(
    "moves", ["c3 swap", "c3 d4", "c3 xA", "c3 swap d4", "c3 swap xA", "c3 xA d4"]
)
def test_swap_is_for_seconds_first_turn_only(moves: str) -> None:
    position = after(MAMMALATH.start(), moves)
    assert "swap" not in position.legal_moves()
    assert position.why_illegal(Move("swap")) == "swap is only for second's first turn"


def test_after_a_swap_first_may_release_as_well_as_place() -> None:
    assert len(after(MAMMALATH.start(), "c3 swap").legal_moves()) == 35 + 6 + 80


@pytest.mark.parametrize("line", ["a1 b1 c1", "a1 a2 a3", "a1 b2 c3", "a3 b2 c1"])
def test_three_in_line_with_an_animal_on_each_lose(line: str) -> None:
    one, two, three = line.split()
    end = after(MAMMALATH.start(), f"{one} f6 {two} e6 {three}")
    assert ending(end) == Outcome(
        Seat.SECOND, "three with an animal", (one, two, three), is_loss=True
    )


@pytest.mark.parametrize("line", ["a1 b1 c1", "a1 a2 a3", "a1 b2 c3", "a3 b2 c1"])
def test_three_in_line_without_an_animal_win(line: str) -> None:
    one, two, three = line.split()
    end = after(MAMMALATH.start(), f"f6 {one} e4 x{one}-{three} a6 {two} e6 {three}")
    assert ending(end) == Outcome(Seat.SECOND, "three without an animal", (one, two, three))


def test_figure_5_left_three_in_line_without_an_animal_win_for_black() -> None:
    drawing = """
        A. B. C. D. E. F.
        B. C. D. E. F. A.
        Cw D. E. F. A. B.
        D. .b .. .b B. C.
        E. F. A. B. C. D.
        F. A. B. C. Dw Ew
    """
    end = after(MAMMALATH.position(animals_and_tokens(drawing, "w")), "a6 c3")
    assert ending(end) == Outcome(Seat.SECOND, "three without an animal", ("b3", "c3", "d3"))


FIGURE_5_RIGHT = """
    A. B. C. D. E. F.
    B. C. D. E. F. A.
    C. D. E. F. A. B.
    Dw .w .. .w B. C.
    E. F. A. B. C. D.
    F. A. B. C. Db Eb
"""


def test_figure_5_right_who_would_win_and_lose_at_once_loses() -> None:
    end = after(MAMMALATH.position(animals_and_tokens(FIGURE_5_RIGHT, "w")), "c3")
    assert ending(end) == Outcome(
        Seat.SECOND, "three with an animal", ("a3", "b3", "c3"), is_loss=True
    )


def test_a_line_with_and_a_line_without_an_animal_through_one_cell_lose() -> None:
    drawing = """
        A. B. C. D. E. Fb
        B. C. D. E. F. A.
        C. D. E. F. A. B.
        .w .w .. A. B. C.
        E. F. Aw B. C. D.
        F. A. Bw C. Db Eb
    """
    end = after(MAMMALATH.position(animals_and_tokens(drawing, "w")), "c3")
    assert ending(end) == Outcome(
        Seat.SECOND, "three with an animal", ("c1", "c2", "c3"), is_loss=True
    )


def test_four_in_line_without_an_animal_win_as_two_threes() -> None:
    drawing = """
        .. B. C. D. E. F.
        B. C. D. E. F. ..
        C. D. E. F. .. B.
        .w .w .. .w B. C.
        E. F. .. B. C. D.
        F. .. B. C. D. Eb
    """
    end = after(MAMMALATH.position(animals_and_tokens(drawing, "w")), "c3")
    cells = ("a3", "b3", "c3", "d3")
    assert ending(end) == Outcome(Seat.FIRST, "three without an animal", cells)


def test_five_in_line_with_an_animal_at_one_end_lose_by_the_three_at_that_end() -> None:
    drawing = """
        .. B. C. D. E. F.
        B. C. D. E. F. ..
        C. D. E. F. .. B.
        .w .w .. .w Bw C.
        E. F. .. B. C. D.
        F. .. B. C. Db Eb
    """
    end = after(MAMMALATH.position(animals_and_tokens(drawing, "w")), "c3")
    assert ending(end) == Outcome(
        Seat.SECOND, "three with an animal", ("c3", "d3", "e3"), is_loss=True
    )


def test_a_release_under_tokens_never_ends_a_game() -> None:
    position = after(MAMMALATH.start(), "a1 f6 b1 xa1-c1")
    assert not position.is_over
    assert ending(after(position, "c1")).winner is Seat.FIRST


def test_three_tokens_of_two_players_are_no_line() -> None:
    assert not after(MAMMALATH.start(), "a1 b1 c1").is_over


def test_who_plays_the_last_token_without_a_line_draws() -> None:
    position = MAMMALATH.position(animals_and_tokens(NEARLY_FULL, "w"))
    assert ending(after(position, "a1")) == Outcome(None, "all tokens placed")


def test_a_release_puts_the_last_token_off() -> None:
    position = MAMMALATH.position(animals_and_tokens(NEARLY_FULL, "w"))
    assert not after(position, "xA").is_over
    assert ending(after(position, "xA d1")) == Outcome(None, "all tokens placed")


LAST_TOKENS_LINES = ("b3", "c2", "d1", "e1", "f1")
"""The cells of the two lines that white's last token on d1 makes."""


def test_the_last_token_loses_where_it_makes_a_line_with_an_animal() -> None:
    end = after(MAMMALATH.position(animals_and_tokens(NEARLY_FULL, "w")), "d1")
    assert ending(end) == Outcome(
        Seat.SECOND, "three with an animal", LAST_TOKENS_LINES, is_loss=True
    )


def test_the_last_token_wins_where_it_makes_a_line_without_an_animal() -> None:
    nearly = MAMMALATH.position(animals_and_tokens(NEARLY_FULL, "w"))
    end = after(nearly, "xd1-f1 xE xA xB d1")
    assert ending(end) == Outcome(Seat.FIRST, "three without an animal", LAST_TOKENS_LINES)


def test_the_token_that_a_swap_gave_back_can_be_placed_again() -> None:
    # 17 + 17 tokens, a release and the swap are 36 turns: it is white's nineteenth placement.
    drawing = NEARLY_FULL.replace("Ab Bb Cw", ".b .b .w")
    position = MAMMALATH.position(animals_and_tokens(drawing, "w"))
    assert ending(after(position, "a1")) == Outcome(None, "all tokens placed")


def test_after_a_swap_second_may_be_the_one_to_play_the_last_token() -> None:
    position = MAMMALATH.position(animals_and_tokens(NEARLY_FULL, "b"))
    assert ending(after(position, "d1")) == Outcome(None, "all tokens placed")


@pytest.mark.parametrize("game_id", ["mammalath", "mammalath-plus"])
def test_a_renaming_of_the_types_is_no_other_game(game_id: str) -> None:
    game, chance = games.get(game_id), Random(1)
    letters = "".join(piece.code for piece in game.pieces if piece.shape == "tile")
    for seed in range(20):
        setup = game.draw_setup(seed)
        assert setup is not None
        renamed = setup.translate(
            str.maketrans(letters, "".join(chance.sample(letters, len(letters))))
        )
        assert least(game.start(setup)) == least(game.start(renamed))


def test_the_setup_of_the_rules_keeps_the_symmetries_that_some_renaming_undoes() -> None:
    """Each row is the one below moved by one, that is 4 of 8; of a setup at random it is 1."""
    game = games.get("mammalath")
    start, drawn = least(game.start()), least(game.start(game.draw_setup(1)))
    assert sum(each.position(start) == start for each in symmetries(start)) == 4
    assert sum(each.position(drawn) == drawn for each in symmetries(drawn)) == 1
