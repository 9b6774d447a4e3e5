"""Which pairs listeners are told of, and how often."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any

import pytest
from workers import a_host, a_job

from lath.arena.referee.bots import BotSpec
from lath.arena.referee.clock import Limits
from lath.arena.tournament.events import Event, PairBegan, Waiting
from lath.arena.tournament.slots import Slot
from lath.notation.protocol import TimeControl


class Heard:
    """A listener that remembers what began."""

    def __init__(self) -> None:
        self.began_pairs: list[int] = []

    def __call__(self, event: Event | Waiting) -> None:
        assert isinstance(event, PairBegan)
        assert event.slot == 1
        self.began_pairs.append(event.pair)


class Hands(Executor):
    """Jobs that end when the test says so."""

    def __init__(self) -> None:
        self.futures: list[Future[str]] = []

    def submit(self, _fn: Callable[..., Any], /, *_args: Any, **_kwargs: Any) -> Future[Any]:
        self.futures.append(Future())
        return self.futures[-1]

    def finish(self) -> None:
        next(future for future in self.futures if not future.done()).set_result("")


class Scene:
    """One slot with a few jobs in hand, and who is told of them."""

    def __init__(self) -> None:
        self.heard = Heard()
        self.hands = Hands()
        self.rung: list[Slot] = []
        self.slot = Slot(lambda: self.hands, self.heard, a_host(), bell=self.rung.append)

    def submit(self, pair: int) -> None:
        ann, bob = (BotSpec(name=name, command=("true",)) for name in ("ann", "bob"))
        job = a_job(ann, bob, Limits(time=TimeControl(move_ms=1)), pair=pair, tree="")
        self.slot.submit(job)

    def show(self) -> list[int]:
        self.slot.show()
        return self.heard.began_pairs

    def collect(self) -> None:
        for future in [future for future in self.slot.jobs if future.done()]:
            self.slot.take(future)


@pytest.fixture
def scene() -> Scene:
    scene = Scene()
    for pair in (1, 2, 3):
        scene.submit(pair)
    return scene


def test_a_pair_is_told_of_once_when_it_begins(scene: Scene) -> None:
    assert scene.show() == [1]
    assert scene.show() == [1]
    scene.hands.finish()
    assert scene.show() == [1, 2]
    scene.collect()
    assert scene.show() == [1, 2]


def test_a_pair_that_was_over_before_anybody_looked_is_told_of_in_its_turn(scene: Scene) -> None:
    scene.hands.finish()
    assert scene.show() == [1, 2]
    scene.hands.finish()
    scene.hands.finish()
    scene.collect()
    assert scene.show() == [1, 2, 3]


def test_a_pair_whose_worker_died_is_told_of_again(scene: Scene) -> None:
    assert scene.show() == [1]
    scene.hands.finish()
    assert scene.show() == [1, 2]
    scene.collect()
    scene.slot.replace()
    scene.submit(2)
    assert scene.show() == [1, 2, 2]


def test_what_a_worker_had_played_before_it_died_is_rung_for_again(scene: Scene) -> None:
    scene.hands.finish()
    scene.rung.clear()
    assert [job.pair for job in scene.slot.replace()] == [2, 3]
    assert scene.rung == [scene.slot]
    scene.collect()
    scene.rung.clear()
    assert scene.slot.replace() == []
    assert scene.rung == []
