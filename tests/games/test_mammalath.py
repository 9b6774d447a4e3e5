"""The rules of Mammalath and Mammalath Plus; pictures of the rulebook where it has them."""

from __future__ import annotations

from random import Random

import pytest
from drawn import after, animals_and_tokens, ending, reasons

from lath import games
from lath.games.core import Game, Move, Outcome, Position, Side, least, symmetries
from lath.games.errors import MoveSyntaxError
from lath.games.fast import DRAW as DRAWN
from lath.games.fast import fast_board

MAMMALATH, PLUS = games.get("mammalath"), games.get("mammalath-plus")

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

# No four in line and no block, for either player; a1 would be white's, h1 black's.
PLUS_NEARLY_FULL = """
    Ab Bb Cw Dw Eb Fb Gw Hw
    Bw Cw Db Eb Fw Gw Hb Ab
    Cb Db Ew Fw Gb Hb Aw Bw
    Dw Ew Fb Gb Hw Aw Bb Cb
    Eb Fb Gw Hw Ab Bb Cw Dw
    Fw Gw Hb Ab Bw Cw Db Eb
    Gb Hb Aw Bw Cb Db Ew Fw
    H. Aw Bb Cb Dw Ew Fb G.
"""

FIGURE_5_LEFT = """
    A. B. C. D. E. F.
    B. C. D. E. F. A.
    Cw D. E. F. A. B.
    D. .b .. .b B. C.
    E. F. A. B. C. D.
    F. A. B. C. Dw Ew
"""

FIGURE_5_RIGHT = """
    A. B. C. D. E. F.
    B. C. D. E. F. A.
    C. D. E. F. A. B.
    Dw .w .. .w B. C.
    E. F. A. B. C. D.
    F. A. B. C. Db Eb
"""

FOUR_BARE = """
    .. B. C. D. E. F.
    B. C. D. E. F. ..
    C. D. E. F. .. B.
    .w .w .. .w B. C.
    E. F. .. B. C. D.
    F. .. B. C. D. Eb
"""

FIVE_WITH_AN_ANIMAL_AT_ONE_END = """
    .. B. C. D. E. F.
    B. C. D. E. F. ..
    C. D. E. F. .. B.
    .w .w .. .w Bw C.
    E. F. .. B. C. D.
    F. .. B. C. Db Eb
"""


def won(seat: Side, length: str, cells: str) -> Outcome:
    return Outcome(seat, f"{length} without an animal", tuple(cells.split()))


def lost(length: str, cells: str) -> Outcome:
    """Return how a game ends in which first made a line with an animal."""
    return Outcome(Side.SECOND, f"{length} with an animal", tuple(cells.split()), is_loss=True)


LAST_TOKENS_LINES = "b3 c2 d1 e1 f1"
"""The cells of the two lines that white's last token on d1 makes."""

DRAW = Outcome(None, "all tokens placed")

ENDINGS: dict[str, tuple[Game, str, str, Outcome]] = {
    "figure 5, left: three bare in line win for black": (
        MAMMALATH, FIGURE_5_LEFT, "w a6 c3", won(Side.SECOND, "three", "b3 c3 d3")
    ),
    "figure 5, right: who would win and lose at once loses": (
        MAMMALATH, FIGURE_5_RIGHT, "w c3", lost("three", "a3 b3 c3")
    ),
    "four bare in line win as two threes": (
        MAMMALATH, FOUR_BARE, "w c3", won(Side.FIRST, "three", "a3 b3 c3 d3")
    ),
    "of five in line the three with the animal lose": (
        MAMMALATH, FIVE_WITH_AN_ANIMAL_AT_ONE_END, "w c3", lost("three", "c3 d3 e3")
    ),
    "the last token without a line draws": (MAMMALATH, NEARLY_FULL, "w a1", DRAW),
    "a release puts the last token off": (MAMMALATH, NEARLY_FULL, "w xA d1", DRAW),
    "the last token may lose": (MAMMALATH, NEARLY_FULL, "w d1", lost("three", LAST_TOKENS_LINES)),
    "the last token may win": (
        MAMMALATH, NEARLY_FULL, "w xd1-f1 xE xA xB d1", won(Side.FIRST, "three", LAST_TOKENS_LINES)
    ),
    # 17 + 17 tokens, a release and the swap are 36 turns: it is white's nineteenth placement.
    "the token that a swap gave back is placed again": (
        MAMMALATH, NEARLY_FULL.replace("Ab Bb Cw", ".b .b .w"), "w a1", DRAW
    ),
    "after a swap second may play the last token": (MAMMALATH, NEARLY_FULL, "b d1", DRAW),
    "plus: the last of 32 tokens draws": (PLUS, PLUS_NEARLY_FULL, "w a1", DRAW),
    "plus: after a swap second's does": (PLUS, PLUS_NEARLY_FULL, "b h1", DRAW),
}  # fmt: skip
"""The game, the drawn position, who is to move and what is played, how it ends."""


def test_a_game_ends_by_lines_and_by_the_last_token() -> None:
    for rule, (game, drawing, words, expected) in ENDINGS.items():
        mover, _, moves = words.partition(" ")
        position = game.position(animals_and_tokens(drawing, mover))
        assert ending(after(position, moves)) == expected, rule


def test_careful_random_games_are_drawn_by_the_last_token_too() -> None:
    board = fast_board(MAMMALATH.position(animals_and_tokens(NEARLY_FULL, "w")))
    assert DRAWN in {board.careful_playout(Random(seed))[0] for seed in range(20)}


LINES = ("a1 b1 c1 d1", "a1 a2 a3 a4", "a1 b2 c3 d4", "a4 b3 c2 d1")


def test_lines_along_rows_columns_and_diagonals_and_blocks_lose_with_animals_and_win_bare() -> None:
    for line in LINES:
        one, two, three, four = line.split()
        short = f"{one} {two} {three}"
        end = after(MAMMALATH.start(), f"{one} f6 {two} e6 {three}")
        assert ending(end) == lost("three", short)
        end = after(MAMMALATH.start(), f"f6 {one} e4 x{one}-{three} a6 {two} e6 {three}")
        assert ending(end) == won(Side.SECOND, "three", short)
        reached = after(PLUS.start(), f"{one} h8 {two} f7 {three} h5")
        assert not reached.is_over
        assert ending(after(reached, four)) == lost("four", line)
        end = after(PLUS.start(), f"{one} x{one}-{four} {two} h8 {three} f7 {four}")
        assert ending(end) == won(Side.FIRST, "four", line)
    block = "b2 b3 c2 c3"
    assert ending(after(PLUS.start(), "b2 h8 b3 f7 c2 h5 c3")) == lost("four", block)
    end = after(PLUS.start(), "b2 xb2-c3 b3 h8 c2 f7 c3")
    assert ending(end) == won(Side.FIRST, "four", block)
    assert not after(MAMMALATH.start(), "a1 b1 c1").is_over, "tokens of two players are no line"


def test_a_release_under_tokens_never_ends_a_game() -> None:
    position = after(MAMMALATH.start(), "a1 f6 b1 xa1-c1")
    assert not position.is_over
    assert ending(after(position, "c1")).winner is Side.FIRST


def test_the_first_turn_of_the_game_must_place_a_token() -> None:
    start = MAMMALATH.start(IN_BLOCKS)
    assert list(start.legal_moves()) == [f"{x}{y}" for x in "abcdef" for y in range(1, 7)]
    for move in ("xA", "xa1-a3", "swap"):
        assert start.why_illegal(Move(move)) == "the first turn of the game must place a token"


def on(position: Position, cell: str) -> str:
    return dict(zip(position.game.board.names, position.contents(), strict=True))[cell]


def test_animals_lie_as_they_are_written_from_the_top_left() -> None:
    start = MAMMALATH.start("ABCDEF/BCDEFA/CDEFAB/DEFABC/EFABCD/FABCDE")
    found = [on(start, cell) for cell in ("a6", "f6", "a1", "f1", "b6")]
    assert found == ["A", "F", "F", "E", "B"]
    contents = PLUS.start(PLUS.draw_setup(7)).contents()
    assert {letter: contents.count(letter) for letter in "ABCDEFGH"} == dict.fromkeys("ABCDEFGH", 8)


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
    text = animals_and_tokens(drawing, "b")
    expected = [None, None, f"a1 {taken}", f"d1 {taken}"]
    assert reasons(MAMMALATH, text, "b1 b2 a1 d1") == expected
    assert on(after(MAMMALATH.position(text), "b2"), "b2") == "Fb"


RELEASED = """
    A. B. C. D. E. .w
    B. C. D. E. .. A.
    C. D. E. .. A. B.
    D. E. .. A. B. C.
    E. .. A. B. C. D.
    .. A. B. C. D. E.
"""

LINE_RELEASED = """
    A. B. C. D. E. F.
    B. C. D. E. F. A.
    C. .. E. F. A. B.
    D. .w F. A. B. C.
    E. .. A. B. C. D.
    F. A. B. C. D. E.
"""

BLOCK_RELEASED = """
    A. B. C. D. E. F. G. H.
    B. C. D. E. F. G. H. A.
    C. D. E. F. G. H. A. B.
    D. E. F. G. H. A. B. C.
    E. F. G. H. A. B. C. D.
    F. .. .w A. B. C. D. E.
    G. .. .. B. C. D. E. F.
    H. A. B. C. D. E. F. G.
"""


def test_a_release_takes_a_type_a_line_or_a_block_of_animals_and_leaves_the_tokens() -> None:
    for game, moves, drawing, empty in (
        (MAMMALATH, "f6 xF", RELEASED, {"xF": "the board has no F left"}),
        (MAMMALATH, "b3 xb2-b4", LINE_RELEASED, {"xa2-c2": "the line a2-c2 has no animal on b2"}),
        (
            PLUS,
            "c3 xb2-c3",
            BLOCK_RELEASED,
            {
                "xc2-d3": "the block c2-d3 has no animal on c2 and c3",
                "xa2-d2": "the line a2-d2 has no animal on b2 and c2",
            },
        ),
    ):
        rows = animals_and_tokens(drawing, "w").split()[0]
        whole = "ABCDEFGH"[: len(rows.split("/"))]
        start = game.start("/".join(whole[at:] + whole[:at] for at in range(len(whole))))
        reached = after(start, moves)
        assert reached.text() == animals_and_tokens(drawing, "w")
        for move, reason in empty.items():
            assert reached.why_illegal(Move(move)) == reason
            assert move not in reached.legal_moves()


def test_the_ends_of_a_release_may_be_given_in_either_order_and_others_are_none() -> None:
    for game, ends in (
        (MAMMALATH, "xb2-b4 xa3-c1 xa1-c1 xa1-c3 xa1-a3"),
        (PLUS, "xb2-c3 xg7-h8 xa4-d1 xa1-a4"),
    ):
        for text in ends.split():
            one, other = text[1:].split("-")
            assert game.canonical(f"x{other}-{one}") == game.canonical(text) == text
            assert text in after(game.start(), "f6").legal_moves()
    for game, ends in (
        (MAMMALATH, "xa1-b1 xa1-d1 xa1-a1 xa1-b3 xa1-c2 xe1-g1"),
        (PLUS, "xb3-c2 xc2-b3 xa1-c1 xa1-c3 xa1-e1 xh8-i9"),
    ):
        for text in ends.split():
            with pytest.raises(MoveSyntaxError, match=text):
                game.canonical(text)


def test_two_releases_that_lead_to_the_same_position_are_both_legal() -> None:
    position = after(MAMMALATH.start(IN_BLOCKS), "a1 xa5-c5")
    assert {"xA", "xa6-c6"}.issubset(position.legal_moves())
    assert after(position, "xA") == after(position, "xa6-c6")


def test_legal_moves_are_cells_then_types_then_lines_and_blocks_by_text_then_swap() -> None:
    moves = after(MAMMALATH.start(), "c3").legal_moves()
    cells = [f"{x}{y}" for x in "abcdef" for y in range(1, 7) if (x, y) != ("c", 3)]
    assert list(moves[:41]) == [*cells, "xA", "xB", "xC", "xD", "xE", "xF"]
    assert list(moves[41:-1]) == sorted(moves[41:-1])
    assert moves[41:45] == ("xa1-a3", "xa1-c1", "xa1-c3", "xa2-a4")
    assert (len(moves), moves[-1]) == (35 + 6 + 80 + 1, "swap")
    releases = after(PLUS.start(), "h8").legal_moves()[63 + 8 : -1]
    assert len(releases) == 130 + 49
    assert releases[:5] == ("xa1-a4", "xa1-b2", "xa1-d1", "xa1-d4", "xa2-a5")
    assert list(releases) == sorted(releases)


def test_a_swap_puts_a_token_of_seconds_in_the_place_of_the_first_one() -> None:
    position = after(MAMMALATH.start(), "c3 swap")
    assert position.text().split()[1:] == ["6/6/6/2b3/6/6", "w"]
    assert MAMMALATH.position(position.text()) == position
    assert len(position.legal_moves()) == 35 + 6 + 80
    swapped = after(PLUS.start(), "d4 swap")
    assert (on(swapped, "d4"), swapped.text().split()[1:]) == ("Hb", ["8/8/8/8/3b4/8/8/8", "w"])
    for moves in ("c3 swap", "c3 d4", "c3 xA", "c3 swap d4", "c3 swap xA", "c3 xA d4"):
        position = after(MAMMALATH.start(), moves)
        assert "swap" not in position.legal_moves()
        assert (
            position.why_illegal(Move("swap"))
            == "swap is allowed only as the second player's first turn"
        )


def test_a_renaming_of_the_types_is_no_other_game() -> None:
    chance = Random(1)
    for game in (MAMMALATH, PLUS):
        letters = "".join(piece.code for piece in game.pieces if piece.shape == "tile")
        for seed in range(20):
            setup = game.draw_setup(seed)
            assert setup is not None
            other = str.maketrans(letters, "".join(chance.sample(letters, len(letters))))
            assert least(game.start(setup)) == least(game.start(setup.translate(other)))


def test_the_setup_of_the_rules_keeps_the_symmetries_that_some_renaming_undoes() -> None:
    """Each row is the one below moved by one, that is 4 of 8; of a setup at random it is 1."""
    for setup, kept in ((None, 4), (MAMMALATH.draw_setup(1), 1)):
        start = least(MAMMALATH.start(setup))
        assert sum(each.position(start) == start for each in symmetries(start)) == kept
