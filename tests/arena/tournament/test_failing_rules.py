"""Where the rules of a game fail by themselves no bot loses by it, and everybody sees how."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final, NamedTuple

import pytest
from game_files import EXAMPLE, forget_games
from processes import new_tree

from lath import games
from lath.arena.referee.record import GamePlan
from lath.arena.schedule.random_openings import RandomChoice, RandomOpenings
from lath.arena.tournament.configuration.config import build
from lath.arena.tournament.run.worker import play_pair
from lath.arena.tournament.store.jobs import PairJob, PairResult, read_result
from lath.games import files
from lath.games.core import Move, Position
from lath.games.errors import GameFileError, RulesError

ID: Final = "order-and-chaos"

PLY: Final = 6
"""So many stones lie where the rules begin to fail."""


class Failure(NamedTuple):
    """A slip in the rules of an example, and what is said of it."""

    right: str
    wrong: str
    words: str


_STONES: Final = "sum(self.kinds).bit_count()"

FAILURES: Final = {
    "lists what it refuses": Failure(
        "empty = self.game.board.full & ~sum(self.kinds)",
        f"empty = self.game.board.full & ~sum(self.kinds) | sum(self.kinds) * ({_STONES} >= {PLY})",
        "already has a piece",
    ),
    "raises in play": Failure(
        "bit, kind = self.game.board.bit[move[1:]]",
        f"bit, kind = self.game.board.bit[move[1:] if {_STONES} < {PLY} else move + '?']",
        "KeyError: ",
    ),
    "raises in outcome": Failure(
        "if self.verdict == OPEN:\n            return None",
        f"1 // ({_STONES} < {PLY})\n        if self.verdict == OPEN:\n            return None",
        "ZeroDivisionError: ",
    ),
    "leaves no move": Failure(
        "if self.verdict != OPEN:\n            return ()",
        f"if self.verdict != OPEN or {_STONES} >= {PLY}:\n            return ()",
        "not over, but it has no legal move",
    ),
}


def failing_game(folder: Path, failure: Failure) -> Path:
    """Write the game with this slip and return its file."""
    text = EXAMPLE.read_text(encoding="utf-8")
    assert failure.right in text
    path = folder / "mygame.py"
    path.write_text(text.replace(failure.right, failure.wrong), encoding="utf-8")
    return path


@pytest.fixture(params=FAILURES)
def failure(request: pytest.FixtureRequest) -> Failure:
    return FAILURES[request.param]


@pytest.fixture
def added(tmp_path: Path, failure: Failure, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the file of a game that fails so, of which no trial was asked."""
    forget_games()
    path = failing_game(tmp_path, failure)
    monkeypatch.setattr(files, "try_out", lambda *_: None)
    games.add(path)
    return path


def moves_in(words: str) -> list[str]:
    """Return the moves that are said to lead there."""
    return re.findall(r"\b[xo][a-f][1-6]\b", words.partition("moves so far: ")[2].partition(",")[0])


def fails_after(moves: list[str]) -> bool:
    """Return whether the rules fail once these are played, or at the last of them."""
    position: Position = games.get(ID).start()
    try:
        for move in moves:
            position = position.play(Move(move))
        listed = position.legal_moves()
        position.outcome()
        return not listed or any(position.why_illegal(move) for move in listed)
    except Exception:  # noqa: BLE001 - that is it
        return True


def played(*bots: str) -> PairResult:
    tables = [{"name": name, "command": command} for name, command in zip("ab", bots, strict=True)]
    config = build({"games": [ID], "time": {"nodes": 5}, "bot": tables}, Path())
    one, other = config.bots
    seats = ((one.name, other.name), (other.name, one.name))
    plans = tuple(
        GamePlan(number=at, round=1, game=ID, setup=None, names=names, seeds=(1, 2))
        for at, names in enumerate(seats, 1)
    )
    job = PairJob(pair=1, games=plans, bots=(one, other), limits=config.limits, tree=new_tree())
    return read_result(play_pair(job))


@pytest.mark.parametrize("bots", [("random", "random"), ("monte-carlo", "greedy")])
def test_no_bot_loses_by_it_and_the_moves_lead_there_again(
    added: Path, failure: Failure, bots: tuple[str, str]
) -> None:
    found = played(*bots)
    assert (found.games, found.void_bot, found.voided) == ((), "", 0)
    told = str(found.void)
    assert told.startswith(str(added))
    assert failure.words in told
    assert re.search(r"ply \d+", told), told
    assert fails_after(moves_in(told)), told


def test_openings_that_are_drawn_meet_it_and_say_so(added: Path, failure: Failure) -> None:
    with pytest.raises(RulesError, match=re.escape(failure.words)) as caught:
        RandomOpenings(RandomChoice(plies=PLY + 1), [ID], 1, print)
    assert str(caught.value).startswith(str(added))
    assert fails_after(moves_in(str(caught.value)))
    with pytest.raises(RulesError, match=re.escape(failure.words)):
        RandomOpenings(RandomChoice(plies=PLY - 1), [ID], 1, print)  # a look ahead meets it


def test_who_names_the_file_hears_of_it_before_anything_is_played(
    tmp_path: Path, failure: Failure
) -> None:
    forget_games()
    path = failing_game(tmp_path, failure)
    with pytest.raises(GameFileError, match=re.escape(failure.words)) as caught:
        games.add(path)
    assert re.search(r"ply \d+, after ([xo][a-f][1-6] ?)+", str(caught.value))
    forget_games()
