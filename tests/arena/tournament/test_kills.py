"""A run that is killed, interrupted or started twice loses no game and doubles none."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest
import tomlkit
from arena_runs import (
    PATIENCE_S,
    Range,
    exported,
    flags,
    numbers,
    sequence,
    stored,
    wait_until_it_plays,
)
from bad_bots import (
    Good,
    HasChildrenAndPlays,
    PlaysBySeed,
    TakesAMillisecond,
    command,
)
from processes import calm_s, gone, workers_of

from lath.notation.text.scanner import parse

STEADY = {"ann": TakesAMillisecond, "bob": TakesAMillisecond}
"""Two bots that play some ten games a second, with LATH_BOT_PACE_S."""

SLOWLY = {"LATH_BOT_PACE_S": "0.01"}
"""Lets runs last with few games in them."""

BEGUN = 3
"""Games after which a run is seen to play."""

KILLS = 5
ROUNDS = 40
"""More than steady bots can play between so many kills."""

LONGEST_S = 0.7
"""A run is killed at the latest after this time: in its start, or some hundred games later."""

WORKERS_SHARE = 0.3
"""How likely it is that a worker is killed before the runner is; then perhaps another."""

BOTH_SHARE = 0.2
"""How likely it is that the workers are killed with the runner: nobody is left to clean up."""

SLOTS = 2
GAMES_OF_A_PAIR = 2
"""A worker hands over a pair of games at a time: that is what a kill may cost a slot."""

ORPHANS_S = 0.2
"""How long bots live on after their runner was killed, as a rule, on the calm clock."""

LONGEST_ORPHANS_S = 2.0
"""How long they do at most."""


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Range]:
    """Give a folder to run in; nothing that ran there may be left."""
    with Range(tmp_path) as place:
        place.variables |= SLOWLY
        yield place


class Form(NamedTuple):
    """A format as it is killed: what its configuration has beside that of all."""

    settings: dict[str, Any]
    bots: tuple[str, ...]
    long: str
    """Which setting makes it long."""

    games: int
    """How many there are for each of `long`, at least."""

    def of_games(self, games: int) -> dict[str, Any]:
        """Return the configuration of a tournament of at least so many games."""
        return {**self.settings, self.long: -(-games // self.games)}


ROUND_ROBIN: Final = Form({"format": "round-robin"}, ("ann", "bob"), "rounds", 2)


@dataclass
class Campaign:
    """Runs of one tournament that are killed: the runner, a worker or both, at random times."""

    place: Range
    games: int
    chance: random.Random
    form: Form = ROUND_ROBIN
    kills: int = 0
    counts: list[int] = field(default_factory=lambda: [0])
    """Games there were after each kill of the runner."""

    both: int = 0
    """Kills of the runner and its workers together."""

    orphans_s: list[float] = field(default_factory=list)
    """How long the processes of a killed runner lived on, on the calm clock."""

    def words(self, jobs: int = 2) -> list[object]:
        """Return the words of a run whose bots note the games that they begin."""
        config = self.place.folder / "cup.toml"
        told = {"games": ["yavalath"], "seed": 7, "jobs": jobs, **self.form.of_games(self.games)}
        rows = [
            {"name": name, "command": list(command(PlaysBySeed)), "env": {"LOG": str(self.log)}}
            for name in self.form.bots
        ]
        config.write_text(tomlkit.dumps({**told, "time": {"nodes": 1}, "bot": rows}))
        return ["run", config, "--output", self.place.out, "-q"]

    @property
    def log(self) -> Path:
        return self.place.folder / "begun"

    def kill(self, kills: int) -> None:
        """Kill so often; none of these runs comes to its end, and the first plays some games."""
        while self.kills < kills:
            run = self.place.begin(*self.words())
            if not self.kills:
                wait_until_it_plays(self.place, run, BEGUN)
            while self.chance.random() < WORKERS_SHARE:
                self._kill_a_worker(run)
            with pytest.raises(subprocess.TimeoutExpired):
                run.communicate(timeout=self.chance.uniform(0.05, LONGEST_S))
            workers = workers_of(run.pid) if self.chance.random() < BOTH_SHARE else []
            run.kill()
            for pid in workers:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            self.kills += 1
            self.both += bool(workers)
            began_s = calm_s()
            assert gone(self.place.alive), "orphans"
            self.orphans_s.append(calm_s() - began_s)
            run.communicate()
            self.counts.append(len(numbers(self.place.out)))

    def _kill_a_worker(self, run: subprocess.Popen[str]) -> None:
        """Kill a worker at some time after its run plays, and wait until its successor does."""
        begun = self.begun()
        assert gone(lambda: self.begun() == begun, PATIENCE_S), "the run plays no games"
        time.sleep(self.chance.uniform(0.0, 0.2))
        # It may be the bot of a dead worker that has begun a game.
        assert gone(lambda: not workers_of(run.pid), PATIENCE_S)
        os.kill(self.chance.choice(workers_of(run.pid)), signal.SIGKILL)
        self.kills += 1

    def finish(self) -> None:
        """Let a run come to its end, with no time to lose."""
        self.place.variables["LATH_BOT_PACE_S"] = "0"
        last = self.place.begin(*self.words())
        _, said = last.communicate(timeout=PATIENCE_S + self.games)
        assert last.returncode == 0, said

    def begun(self) -> int:
        """Return how many games were begun, those that were lost in a kill among them."""
        return len(self.log.read_text().split()) // 2 if self.log.exists() else 0

    def report(self) -> str:
        games = len(numbers(self.place.out))
        middle_s, most_s = sorted(self.orphans_s)[len(self.orphans_s) // 2], max(self.orphans_s)
        return (
            f"{self.kills} kills, {len(self.counts) - 1} of them of the runner, {self.both} of "
            f"these with its workers; {games} games, {self.begun() - games} begun again; "
            f"orphans {middle_s:.3f} s, at most {most_s:.3f} s"
        )


def campaign(
    place: Range, *, kills: int, games: int, seed: str, form: Form = ROUND_ROBIN
) -> Campaign:
    """Kill a tournament and check that it lost nothing, doubled nothing, and left nothing."""
    trial = Campaign(place, games, random.Random(seed), form=form)
    trial.kill(kills)
    assert trial.counts == sorted(trial.counts), "a game that was kept is lost"
    assert 0 < trial.counts[-1] < games
    trial.finish()
    print(trial.report())
    played = len(numbers(place.out))
    again = trial.begun() - played
    assert 0 <= again <= trial.kills * SLOTS * GAMES_OF_A_PAIR, trial.report()
    assert sorted(trial.orphans_s)[len(trial.orphans_s) // 2] < ORPHANS_S, trial.report()
    assert max(trial.orphans_s) < LONGEST_ORPHANS_S, trial.report()
    return trial


def moves_of(folder: Path) -> list[tuple[object, ...]]:
    """Return the moves and the ending of each game, by number."""
    rows = stored(folder, "number, first, second, result, termination, record")
    return [(*row, parse(str(text)).moves) for *row, text in rows]


def test_a_run_killed_again_and_again_has_every_game_once_and_those_of_its_seed(
    place: Range,
) -> None:
    trial = campaign(place, kills=KILLS, games=2 * ROUNDS, seed="1")
    assert numbers(place.out) == exported(place.out) == sequence(2 * ROUNDS)
    checked = place.arena("check", place.out)
    assert checked.returncode == 0, checked.stdout
    whole = place.folder / "whole"
    ended = place.arena(*trial.words(jobs=1)[:2], "--output", whole, "--no-report", "-q")
    assert ended.returncode == 0, ended.stderr
    assert moves_of(place.out) == moves_of(whole), "not as by one worker and without kills"


def test_a_killed_run_leaves_no_child_of_a_bot_and_no_scratch_folder(place: Range) -> None:
    bots = {"ann": TakesAMillisecond, "bob": HasChildrenAndPlays}
    run = place.begin(*flags(bots, rounds=ROUNDS, out=place.out))
    wait_until_it_plays(place, run, BEGUN)
    assert len(place.alive()) > 10
    run.kill()
    run.communicate()
    assert gone(place.alive)
    assert gone(lambda: list(place.scratch.iterdir()))


def test_runner_and_workers_killed_together_are_cleaned_up_by_the_next_run(place: Range) -> None:
    words = flags({"ann": Good, "bob": Good}, rounds=100, out=place.out)
    run = place.begin(*flags(STEADY, rounds=ROUNDS, out=place.out))
    wait_until_it_plays(place, run, BEGUN)
    for pid in [run.pid, *workers_of(run.pid)]:  # nobody is left to clean up
        os.kill(pid, signal.SIGKILL)
    run.communicate()
    assert gone(place.alive)
    assert list(place.scratch.iterdir())
    refused = place.arena(*words)
    assert refused.returncode == 2
    assert "another configuration (bots)" in refused.stderr
    assert not list(place.scratch.iterdir())


def test_a_hangup_under_nohup_does_not_stop_the_run(place: Range) -> None:
    words = flags(STEADY, rounds=4, out=place.out)
    run = place.begin(*words, under=["nohup"])
    wait_until_it_plays(place, run, 0)
    run.send_signal(signal.SIGHUP)
    _, said = run.communicate(timeout=PATIENCE_S)
    assert run.returncode == 0, said
    assert numbers(place.out) == sequence(8)
