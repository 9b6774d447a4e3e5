"""Weights and books are for the rules that the game has; what they say holds."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from random import Random

import pytest

import lath.bots.learned
from lath import games
from lath.bots.compiled.openings import winning
from lath.bots.compiled.searches import CompiledAlphaBeta
from lath.bots.learned.book import FOLDER, book_of, known
from lath.bots.learned.patterns import learned
from lath.bots.results import SearchBudget
from lath.bots.search import AlphaBeta
from lath.games.core import Move, Position, least, symmetries
from lath.games.fast import fast_board

FILES = sorted(Path(lath.bots.learned.__file__).with_name("weights").glob("*.json"))
BOOKS = sorted(Path(lath.bots.learned.__file__).with_name(FOLDER).glob("*.txt"))
MOST_BYTES = 2_000_000


def test_there_are_weights_of_a_size_that_can_be_shipped() -> None:
    assert FILES
    assert sum(file.stat().st_size for file in [*FILES, *BOOKS]) < MOST_BYTES


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_an_estimate_is_the_same_for_every_symmetric_position(file: Path) -> None:
    game = games.get(file.stem)
    estimate = learned(game)
    assert estimate is not None
    for seed in range(3):
        chance = Random(seed)
        board = fast_board(game.start())
        turned = [fast_board(game.start()) for _ in board.images()]
        while board.winner is None:
            code = chance.choice(board.legal())
            for other, image in zip(turned, board.images(), strict=True):
                other.play(image[code])
            board.play(code)
            assert len({round(estimate(other), 9) for other in (board, *turned)}) == 1
            assert -1 < estimate(board) < 1


@pytest.mark.skipif(find_spec("numba") is None, reason="numba is not installed")
def test_learning_writes_weights_the_same_by_seed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from lath.bots.compiled.learning import main

    written = []
    for seed in ("1", "1", "2"):
        out = tmp_path / "weights.json"
        words = ["surikata", "--length", "3", "--games", "3", "--rounds", "2", "--nodes", "60"]
        monkeypatch.setattr("sys.argv", ["learning", *words, "--seed", seed, "--output", str(out)])
        assert main() == 0
        written.append(out.read_text("utf-8"))
    assert written[0] == written[1] != written[2]
    told = json.loads(written[0])
    assert told["length"] == 3
    assert any(weight for _, some in told["weights"] for weight in some)


def wins(position: Position, search: AlphaBeta) -> bool:
    """Return whether the side that moved last, or moves again, has a proven win."""
    found = search.decided(fast_board(position), SearchBudget(nodes=50_000_000))
    assert found is not None
    return found.value < 0


@pytest.mark.skipif(find_spec("numba") is None, reason="numba is not installed")
@pytest.mark.parametrize("file", BOOKS, ids=lambda file: file.stem)
def test_a_move_of_a_book_wins_in_every_symmetric_position(file: Path) -> None:
    game = games.get(file.stem)
    book = book_of(game)
    assert book
    proven = 0
    for number, (text, move) in enumerate(sorted(book.items())):
        position = game.position(text)
        assert least(position) == position
        after = position.play(move)
        assert after.outcome() is None
        if after.to_move is position.to_move:
            assert known(book, after) is not None, "it is still in the book"
            continue
        if number % 100 == 0:
            for symmetry in symmetries(position):
                image = symmetry.position(position)
                answer = known(book, image)
                assert answer is not None
                assert least(image.play(answer)) == least(after)
        if proven < 2:
            assert wins(after, CompiledAlphaBeta())
            proven += 1
    assert proven


def test_a_book_has_the_moves_that_win() -> None:
    game, before = games.get("surikata"), {}
    for seed in range(12):
        chance, position = Random(seed), game.start()
        for _ in range(14):
            if position.outcome() is None:
                position = position.play(chance.choice(position.legal_moves()))
        if position.outcome() is None:
            before[least(position).text()] = least(position)
    lines = dict(line.split("\t") for line in winning(before, AlphaBeta()))
    assert lines
    for text, position in before.items():
        board = fast_board(position)
        found = AlphaBeta().decided(board, SearchBudget())
        assert found is not None
        is_over = bool(board.threats()[0])
        assert (text in lines) <= (found.value > 0)
        if found.value > 0 and not is_over:
            assert wins(position.play(Move(lines[text])), AlphaBeta())
