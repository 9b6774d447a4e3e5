"""Whether whatever is called proven is so, in very many searches, each of which ends somewhere.

LATH_SOAK_BUDGETS searches are made in all, of every game that is installed and its relatives.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from random import Random
from typing import Final

import pytest
from exhaustive import hardest
from judging import compiled_in, judged
from provers import Asked, StopAt, forms_of
from tests.bots import test_proofs as proofs
from walks import some_position

from lath import games
from lath.arena.engine.puzzle_book import all_built_in
from lath.bots.results import SearchBudget, SearchResult
from lath.bots.searcher import Search
from lath.games.fast import fast_board

BUDGETS: Final = int(os.environ.get("LATH_SOAK_BUDGETS", "100000"))

MIDDLES: Final = BUDGETS // 500
"""Positions in the middle of games, of each game type that comes with the arena."""

EACH: Final = 400
"""Searches of a position."""


@proofs.every_game
def test_whatever_is_proven_is_so(game_id: str) -> None:
    game, chance = games.get(games.named(game_id)), Random(Path(game_id).stem)
    forms = forms_of(game)
    asked, claims = 0, 0
    while asked < BUDGETS / len(proofs.EVERY_GAME):
        few = int(40 * 75 ** chance.random())
        one = Asked(*hardest(game, chance.randrange(10**6), few))
        kept: dict[str, Search] = {}
        for _ in range(EACH):
            form = chance.choice(list(forms))
            search = forms[form](chance.choice((1, 20, 500, 50_000)))
            if chance.random() < 0.3:  # one that remembers
                search = kept.setdefault(form, search)
            one.ask(search, a_budget(chance))
        asked, claims = asked + EACH, claims + one.claims
    print(f"{game.id}: {asked} searches, {claims} claims, all of them true")
    assert claims > asked / 10


def a_budget(chance: Random) -> SearchBudget:
    """Return so many nodes, or a stop at some look at the time."""
    most = chance.choice((50, 400, 5000))
    if chance.random() < 0.7:
        return SearchBudget(nodes=chance.randint(1, most))
    return SearchBudget(nodes=5000, is_late=StopAt(chance.randint(0, most)))


@pytest.fixture(scope="module")
def second_opinion(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled_in(tmp_path_factory.mktemp("second"))


@pytest.mark.parametrize("file", all_built_in(), ids=lambda file: file.stem)
def test_a_second_program_finds_every_puzzle_right(file: Path, second_opinion: Path) -> None:
    print(file.stem, judged(second_opinion, [file]), end="")


@pytest.mark.parametrize("game_id", games.builtin_ids())
def test_a_second_program_agrees_with_what_is_proven_in_the_middle_of_games(
    game_id: str, second_opinion: Path
) -> None:
    """Positions that no full solver reaches; the program looks as deep as a claim says."""
    game, chance = games.get(game_id), Random(game_id)
    forms = forms_of(game)
    claims: set[str] = set()

    def keep(found: SearchResult) -> None:
        if (proof := found.proof) is not None:
            value = ("draw", "win", "loss")[proof.value]
            lengths = (str(one or "-") for one in (proof.plies, proof.at_most))
            claims.add("\t".join((game_id, text, value, *lengths)))

    for seed in range(MIDDLES):
        position = some_position(game, seed, chance.randrange(6, 60))
        if position.is_over:
            continue
        board, text = fast_board(position), position.text()
        for make in forms.values():
            search = make(chance.choice((500, 50_000)))
            keep(search.run(board, SearchBudget(nodes=chance.randint(1, 5000)), keep))
    ran = subprocess.run(
        [second_opinion, "--claims"],
        input="\n".join(sorted(claims)) + "\n",
        env={**os.environ, "NODES": "3000000"},
        capture_output=True,
        text=True,
        check=False,
    )
    told = ran.stdout.splitlines()
    print(game_id, told[-1])
    assert [line for line in told[:-1] if not line.endswith("?")] == []
    assert len(claims) > MIDDLES / 20
