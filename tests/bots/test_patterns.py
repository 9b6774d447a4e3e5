"""Weights are for the rules that the game has, fit its board, and predict what games come to."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from random import Random

import pytest

import lath.bots.learned
from lath import games
from lath.bots.learned.patterns import learned
from lath.games.fast import fast_board

FILES = sorted(Path(lath.bots.learned.__file__).with_name("weights").glob("*.json"))
MOST_BYTES = 2_000_000


def test_there_are_weights_of_a_size_that_can_be_shipped() -> None:
    assert FILES
    assert sum(file.stat().st_size for file in FILES) < MOST_BYTES


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
