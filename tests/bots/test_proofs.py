"""Searches keep to their budget, and whatever they say is proven is so, wherever they end.

The truth is found by plain minimax over all legal moves, which shares nothing with the searches.
"""

from __future__ import annotations

import tracemalloc
from itertools import count
from pathlib import Path
from random import Random
from typing import Final

import pytest
from exhaustive import ends_of, hardest, value_of
from families import ALL, INSTALLED
from places import ROOT
from provers import ALL_FORMS, COMPILED, IN_PYTHON, Asked, StopAt, forms_of

from lath import games
from lath.bots.proof import ProofNumber
from lath.bots.results import OutOfBudgetError, Oversight, SearchBudget, SearchProof, SearchResult
from lath.bots.search import REDUCTIONS, AlphaBeta
from lath.bots.uct import Uct
from lath.games.core import Game, Move, Position
from lath.games.fast import FastBoard, fast_board
from lath.games.plain_board import PlainBoard

STRANGE: Final = str(ROOT / "examples" / "games" / "order_and_chaos.py")
"""A game that is not ours, without a board of its own."""

EVERY_GAME: Final = [*(game.id for game in ALL), STRANGE]

SMALL: Final = ("surikata", "yavalath:size=3", "manalath:size=3", "mammalath:size=4")

ENOUGH: Final = 50_000
"""States that a search remembers which forgets none here."""

MOST: Final = 5000
"""The largest budget; where a search ends by itself before, a larger one changes nothing."""

every_game = pytest.mark.parametrize("game_id", EVERY_GAME, ids=lambda text: Path(text).stem)


def at_every_budget(asked: Asked, form: str) -> None:
    """Ask with one node, two and so on, until more change nothing."""
    make = forms_of(asked.position.game)[form]
    for nodes in range(1, MOST + 1):
        if asked.ask(make(ENOUGH), SearchBudget(nodes=nodes)).nodes < nodes:
            return


def at_every_check(asked: Asked, form: str, step: int) -> None:
    """Ask with a stop at the first look at the time, and every so many later, until none is met."""
    make = forms_of(asked.position.game)[form]
    for checks in count(1, step):
        stop = StopAt(checks)
        asked.ask(make(ENOUGH), SearchBudget(nodes=MOST, is_late=stop))
        if not stop.is_late:
            return


@every_game
def test_what_is_proven_is_so_whatever_ends_the_search(game_id: str) -> None:
    game = games.get(games.named(game_id))
    for seed, few in ((1, 40), (12, 100)) if game in INSTALLED else ((1, 40),):
        asked = Asked(*hardest(game, seed, few))
        for form, make in forms_of(game).items():
            at_every_budget(asked, form)
            if form in IN_PYTHON:
                at_every_check(asked, form, step=9)
            for size in (1, 5, 25):
                for nodes in (2, 9, 31, 100, 300):
                    asked.ask(make(size), SearchBudget(nodes=nodes))
        assert asked.claims > 20


@every_game
def test_a_search_that_remembers_other_positions_proves_no_less_exactly(game_id: str) -> None:
    """One search is asked about one position after the other, deep ones and shallow ones."""
    game, chance = games.get(games.named(game_id)), Random(Path(game_id).stem)
    _, truth = hardest(game, 5, few=400)
    positions = [at for at in truth.known if not at.is_over]
    for make in forms_of(game).values():
        search = make(200)
        for at in chance.sample(positions, min(30, len(positions))):
            Asked(at, truth).ask(search, SearchBudget(nodes=chance.choice((5, 30, 3000))))


TAKEN_FOR_LOST: Final = (
    ("mammalath", "1DDA2/BB2D1/1A2A1/1BB2B/E1D3/A4E 4b1/1b4/6/2ww2/6/2w2w b", 5),
    ("yavalath", "w1wbb/3w1b/2b2b1/ww1bb1ww/1bb2wbw1/3w2b1/6w/b5/wb2w w", 5),
    ("yavalath", "b3w/1bb2w/3w2b/5bw1/w1b2wbww/ww2b3/1b1b2w/6/4b w", 5),
    ("yavalath", "5/b1b2b/7/2ww2b1/3w5/1b2w3/4b2/5w/2w2 w", 5),
    ("surikata", "mo1o1/2w2/moomw/oww1w/m2mo b3 w", 8),
)
"""Positions that are won, and in how many plies by `tests/support/second_opinion.cc`.

Where a budget ended after the first move of a depth was refuted they were called lost.
"""


@pytest.mark.slow
@pytest.mark.parametrize("form", [form for form in ALL_FORMS if "mcts" not in form])
def test_a_won_position_is_lost_at_no_budget(form: str) -> None:
    is_quick = form in COMPILED and "solver" not in form
    for game_id, text, plies in TAKEN_FOR_LOST:
        position = games.get(game_id).position(text)
        if form not in forms_of(position.game):
            pytest.skip("numba is not installed")
        board, make = fast_board(position), forms_of(position.game)[form]
        for nodes in range(20, 2500 if is_quick else 600, 37 if is_quick else 83):
            proof = make(50_000).run(board, SearchBudget(nodes=nodes), lambda _: None).proof
            if proof is not None:
                assert proof.value == 1, (text, nodes)
                assert proof.plies in (None, plies), (text, nodes)
                assert proof.at_most is None or proof.at_most >= plies, (text, nodes)


@every_game
def test_what_is_no_candidate_ends_no_better(game_id: str) -> None:
    """Neither the value nor the length of a game is another where only candidates are played."""
    game = games.get(games.named(game_id))
    for seed in range(2):
        _, truth = hardest(game, seed, few=400)
        truth.few = 10**9
        for at in list(truth.known):
            if not at.is_over:
                board = fast_board(at)
                best = max(truth.by(at, board.moves[code]).rank for code in board.candidates())
                assert best == truth.of(at).rank, at.text()


@every_game
def test_an_end_that_goes_unnoticed_is_neither_taken_nor_proven(game_id: str) -> None:
    game = games.get(games.named(game_id))
    chance = Random(1)
    board = fast_board(game.start(game.draw_setup(1)))
    wins: list[int] = []
    while not wins:
        if board.winner is not None:
            board = fast_board(game.start(game.draw_setup(1)))
        wins = [code for code in board.legal() if is_won(board, code)]
        board.play(chance.choice(board.legal()))
    board.undo()
    assert board.code(AlphaBeta().run(board, SearchBudget(nodes=200), depth=1).move) in wins
    for unseen in (frozenset(wins), frozenset(range(len(board.moves)))):
        search = AlphaBeta()
        search.oversight = Oversight(unseen, 0.0, 0)
        told: list[SearchResult] = []
        found = search.run(board, SearchBudget(nodes=200), told.append, depth=1)
        for one in (found, *told):
            assert one.proof is None
            assert one.value < 1


def is_won(board: FastBoard, code: int) -> bool:
    """Return whether a move wins at once."""
    me = board.to_move
    board.play(code)
    winner = board.winner
    board.undo()
    return winner == me


def test_a_score_beyond_one_is_no_proof() -> None:
    board = fast_board(games.get("yavalath").start())
    for guess in (7.0, -7.0, float("nan")):
        found = AlphaBeta(evaluate=lambda _: guess).run(board, SearchBudget(nodes=200))  # noqa: B023
        assert found.proof is None
        assert -1 <= found.value <= 1


def test_what_is_known_of_one_game_type_proves_nothing_of_another() -> None:
    """The same stones have the same keys in games of a family, whatever wins there."""
    easy, hard = games.get("yavalath:size=3,win=3,lose=2"), games.get("yavalath:size=3")
    text = "w2/2b1/5/1bw1/3 w"
    for search in (AlphaBeta(), Uct(Random(1)), *_compiled()):
        assert (
            search.run(fast_board(easy.position(text)), SearchBudget(nodes=3000)).proof is not None
        )
        board = fast_board(hard.position(text))
        assert search.run(board, SearchBudget(nodes=3)).proof is None
    proofs = ProofNumber()
    assert proofs.proves(fast_board(easy.position(text)), 0, SearchBudget(nodes=3000)) is not None
    assert proofs.proves(fast_board(hard.position(text)), 0, SearchBudget(nodes=1)) is None


def _compiled() -> list[AlphaBeta | Uct]:
    if "mcts compiled" not in forms_of(games.get("yavalath")):
        return []
    made = (COMPILED[name](1000) for name in ("alphabeta compiled", "mcts compiled"))
    return [one for one in made if isinstance(one, AlphaBeta | Uct)]


WON: Final = "5/6/7/8/1ww1w4/bb1b4/7/6/5 w"
"""White wins on e4."""


def test_a_tree_is_not_used_of_another_position() -> None:
    game = games.get("yavalath")
    for search in (Uct(Random(1)), *_compiled()):
        assert search.run(fast_board(game.position(WON)), SearchBudget(nodes=300)).proof is not None
        assert search.run(fast_board(game.start()), SearchBudget(nodes=3)).proof is None


def test_a_search_without_room_finds_a_move_and_the_proof() -> None:
    won = games.get("yavalath").position(WON)
    for form, make in forms_of(won.game).items():
        found = make(1).run(fast_board(won), SearchBudget(nodes=200), lambda _: None)
        assert found.move == "e4", form
        assert found.proof is not None
        assert found.proof.value == 1
    proofs, board = ProofNumber(size=1), fast_board(won)
    assert proofs.proves(board, 0, SearchBudget(nodes=100))
    assert proofs.winning is not None
    assert board.moves[proofs.winning] == "e4", "though the numbers are forgotten at once"


def test_a_tree_holds_no_more_moves_than_it_may() -> None:
    board, kept = fast_board(games.get("surikata").start()), []
    for size in (60, 60, 100_000):  # of the first the board keeps something, too
        tracemalloc.start()
        search = Uct(Random(1), size=size)
        assert search.run(board, SearchBudget(nodes=300)).nodes == 300
        kept.append(tracemalloc.get_traced_memory()[0])
        tracemalloc.stop()
    assert kept[1] * 4 < kept[2]


def test_bounds_become_exact_when_all_shorter_ends_were_looked_at() -> None:
    assert SearchProof(1, at_most=9).joined(SearchProof(1, at_most=7), 5) == SearchProof(
        1, at_most=7
    )
    assert SearchProof(1, at_most=9).joined(SearchProof(1, at_most=7), 6) == SearchProof(1, 7)
    assert SearchProof(-1).joined(None, 30) == SearchProof(-1)
    assert SearchProof(1, 5).joined(SearchProof(1, at_most=9), 2) == SearchProof(1, 5)


class _TwoWins(FastBoard):
    """After the first move `a` the first player wins in five plies, and after `b` in three."""

    moves = (Move("a"), Move("b"))

    def __init__(self) -> None:
        self.game = games.get("yavalath")
        self._path: list[int] = []

    @property
    def to_move(self) -> int:  # type: ignore[override]
        """The side to move."""
        return len(self._path) % 2

    @property
    def winner(self) -> int | None:  # type: ignore[override]
        """The first player at the end."""
        return 0 if len(self._path) == (3 if self._path[:1] == [1] else 5) else None

    @property
    def key(self) -> int:  # type: ignore[override]
        """The moves as a number."""
        return int("".join(map(str, [1, *self._path])), 2)

    def legal(self) -> list[int]:
        """Return both moves."""
        return [] if self.winner == 0 else [0, 1]

    def play(self, code: int) -> None:
        """Play a move."""
        self._path.append(code)

    def undo(self) -> None:
        """Take it back."""
        self._path.pop()

    def position(self) -> Position:
        """Return no position."""
        raise NotImplementedError


class _Hasty(AlphaBeta):
    """Looks only one ply ahead at all moves but the first one, unless they seem better."""

    def _attempts(self, place: int, depth: int, low: int, beta: int) -> list[tuple[int, int]]:
        attempts = super()._attempts(place, depth, low, beta)
        is_reduced = place and self._active & REDUCTIONS
        return [(1, low + 1), *attempts] if is_reduced else attempts


def test_a_search_that_reduces_moves_still_proves_the_shortest_win() -> None:
    told: list[SearchProof | None] = []
    for seed in range(4):  # each tries the first moves in another order
        search = _Hasty(chance=Random(seed), parts=REDUCTIONS)
        found = search.run(
            _TwoWins(), SearchBudget(nodes=1000), lambda found: told.append(found.proof)
        )
        assert found.proof == SearchProof(1, 3)
    assert SearchProof(1, at_most=5) in told


def test_a_budget_of_a_share_of_a_share_counts_everywhere() -> None:
    whole = SearchBudget(nodes=100)
    small = whole.share(2).share(5)
    assert small.nodes == 10
    for _ in range(10):
        small.spend()
    with pytest.raises(OutOfBudgetError):
        small.spend()
    assert whole.used == 10


def proves(found: SearchResult, value: int) -> bool:
    return found.proof is not None and (found.value > 0) - (found.value < 0) == value


@pytest.mark.parametrize("game_id", [*SMALL, STRANGE])
def test_both_prove_what_exhaustive_search_finds(game_id: str) -> None:
    game = games.get(games.named(game_id))
    looked_at = 0
    for seed in range(2):
        for position, value in ends_of(game, seed):
            board = fast_board(position)
            for search in (AlphaBeta(), Uct(Random(1))):
                found = search.run(board, SearchBudget(nodes=20_000))
                assert proves(found, value), (position.text(), search, found)
                assert board.position() == position
                after = value_of(position.play(found.move))
                mover = position.play(found.move).to_move
                assert (after if mover == position.to_move else -after) == value
            decided = AlphaBeta().decided(board, SearchBudget(nodes=20_000))
            if board.plies_left() is not None:
                assert decided is not None, position.text()
                assert proves(decided, value), (position.text(), decided)
                then = position.play(decided.move)
                mine = 1 if then.to_move == position.to_move else -1
                assert mine * value_of(then) == value, (position.text(), decided)
            proofs, me = ProofNumber(), int(position.to_move)
            assert proofs.proves(board, me, SearchBudget(nodes=20_000)) is (value == 1)
            assert proofs.proves(board, 1 - me, SearchBudget(nodes=20_000)) is (value == -1)
            assert board.position() == position
            if value:
                winner = me if value == 1 else 1 - me
                for code in proofs.line(board, winner):
                    board.play(code)
                assert board.winner == winner
            looked_at += 1
    assert looked_at >= 4


@pytest.mark.parametrize("game", INSTALLED, ids=lambda game: game.id)
def test_a_search_keeps_to_its_nodes_and_plays_the_same_by_seed(game: Game) -> None:
    position = game.start(game.draw_setup(1))
    for make in (lambda: AlphaBeta(chance=Random(3)), lambda: Uct(Random(3))):
        board = fast_board(position)
        one, other = (make().run(board, SearchBudget(nodes=60)) for _ in range(2))
        assert one == other
        assert one.nodes <= 60
        assert one.line[:1] in ([], [one.move])
        late = make().run(board, SearchBudget(is_late=lambda: True))
        assert late.nodes == 0
        assert position.why_illegal(one.move) is position.why_illegal(late.move) is None
        assert board.position() == position


def test_a_tree_is_kept_below_what_is_played() -> None:
    """The line of a kept tree is longer than that of one that has just begun."""
    game = games.get("yavalath:size=4")
    for form in {"mcts", "mcts compiled"} & {*forms_of(game)}:
        board, search = fast_board(game.start()), forms_of(game)[form](100_000)
        found = search.run(board, SearchBudget(nodes=4000), lambda _: None)
        board.play(board.code(found.move))
        search.played(board.code(found.move))
        assert len(search.run(board, SearchBudget(nodes=1), lambda _: None).line) > 1, form
        board.undo()
        search.played(-1)  # a move that nobody has thought of
        assert len(search.run(board, SearchBudget(nodes=1), lambda _: None).line) <= 1, form


def test_a_game_of_a_file_is_searched_without_further_code() -> None:
    position = games.get(games.named(STRANGE)).start()
    board = fast_board(position)
    assert isinstance(board, PlainBoard)
    for search in (AlphaBeta(), Uct(Random(1))):
        found = search.run(board, SearchBudget(nodes=30))
        assert position.why_illegal(found.move) is None
