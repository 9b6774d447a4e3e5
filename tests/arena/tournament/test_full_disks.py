"""Disks without room, and machines that lack more: runs wait, say so, end, and lose nothing.

`test_tournament_model.py` has what must hold whenever that happens; here is what is said, how long
it is waited for, and how real file systems and real machines that are too small are met.
"""

from __future__ import annotations

import re
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import full_disks
import pytest
import small_machines
from arena_runs import Range, exported, sequence
from full_disks import all_happened
from quick_runs import Watcher, won
from recorded_disk import Disk, Failure, Step, failing, full
from results import a_config, a_result, finished
from small_machines import GAMES_OF, ended, in_format

from lath.arena.errors import Cause, DiskError, StoreError
from lath.arena.machine import system
from lath.arena.tournament.run import runner as running
from lath.arena.tournament.run import slots
from lath.arena.tournament.run.events import warner
from lath.arena.tournament.run.open_games import OpenGames
from lath.arena.tournament.run.runner import Runner
from lath.arena.tournament.store.database import Walkover
from lath.arena.tournament.store.jobs import PairResult
from lath.arena.tournament.store.store import BufferedWriter, Store

if TYPE_CHECKING:
    import apsw
    from golden import Golden

FOUR: Final = ("A", "B", "C", "D")
MISSING: Final = "B"
"""Cannot be started."""

HELD: Final = 4
"""Games, at least, that were played when the disk is full."""


class Played(Executor):
    """Has the result of a pair when it is handed over, and counts them."""

    def __init__(self, pairs: Counter[int], *, is_missing: bool) -> None:
        self._pairs = pairs
        self._is_missing = is_missing

    def submit(self, _play: Callable[..., Any], /, *jobs: Any, **_: Any) -> Future[Any]:
        (job,) = jobs
        self._pairs[job.pair] += 1
        future: Future[Any] = Future()
        if self._is_missing and MISSING in job.pairing:
            void = Cause("cannot be started", MISSING)
            result = PairResult(pair=job.pair, games=(), void=void, void_bot=MISSING)
            future.set_result(result.as_text())
        else:
            future.set_result(won(job))
        return future


class TellingStore(Store):
    """Says when walkovers are about to be stored."""

    on_walkovers: Callable[[], None] = staticmethod(lambda: None)

    def add_walkovers(self, walkovers: Iterable[Walkover]) -> None:
        self.on_walkovers()
        super().add_walkovers(walkovers)


class Cup:
    """A tournament on a disk that fails from when its first `what` are to be stored, until mended.

    That is `games` of a round robin, or `walkovers` of a format in which they decide.
    """

    def __init__(self, folder: Path, what: str, form: str, how: Failure | None = None) -> None:
        folder.mkdir(parents=True)
        self.form, self.is_missing = form, what == "walkovers"
        self.how = how
        self.trouble: Failure | None = None
        self.tries = 0
        self.disk = Disk(self._fault)
        self.store = TellingStore(folder, connect=self.disk.connect)
        self.watcher = Watcher()
        self.pairs: Counter[int] = Counter()
        if what == "games":
            self.watcher.on_wait = self._break_after_some
        else:
            self.store.on_walkovers = self._break_once

    def _fault(self, step: Step) -> apsw.Error | None:
        if step.kind != "write" or self.trouble is None:
            return None
        self.tries += 1
        return self.trouble(step)

    def _break_once(self) -> None:
        self.trouble, self.how = self.how or self.trouble, None

    def _break_after_some(self) -> None:
        if len(self.watcher.stored) >= HELD:
            self._break_once()

    def mend(self) -> None:
        self.trouble = None

    def runner(self, patience_s: float = 600.0, **config: Any) -> Runner:
        """Return a new run of what is left."""
        told = {"rounds": 3, "pairs": 2, "jobs": 2, "bench_after": 0, **config}
        return Runner(
            a_config(names=FOUR, format=self.form, **told),
            self.store,
            self.watcher,
            executors=lambda *_: Played(self.pairs, is_missing=self.is_missing),
            patience_s=patience_s,
        )

    def close(self) -> None:
        self.store.close()
        self.disk.unregister()


KINDS: Final = (("games", "round-robin"), ("walkovers", "knockout"), ("walkovers", "swiss"))


@pytest.fixture(params=KINDS, ids=" of a ".join)
def make(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., Cup]]:
    """Give what makes such a tournament, with so much trouble."""
    monkeypatch.setattr(system, "FIRST_WAIT_S", 0.001)
    monkeypatch.setattr(running, "WAKE_S", 0.005)
    monkeypatch.setattr(slots.Pace, "window", lambda *_: 2)  # else all is played at once
    cups: list[Cup] = []

    def cup(how: Failure | None = None) -> Cup:
        what, form = request.param
        cups.append(Cup(tmp_path / f"{len(cups)}", what, form, how))
        return cups[-1]

    yield cup
    for one in cups:
        one.close()


def assert_goes_on(cup: Cup, whole: Cup) -> None:
    """Check that the next run, or this one, comes to what it comes to without trouble."""
    cup.mend()
    cup.watcher.on_wait = cup.watcher.on_warning = lambda: None
    assert set(cup.watcher.stored) <= finished(cup.store)
    summary, expected = cup.runner().run(), whole.runner().run()
    assert summary.is_complete
    assert expected.is_complete
    assert cup.store.walkovers() == whole.store.walkovers()
    assert bool(whole.store.walkovers()) == whole.is_missing
    assert list(cup.store.results()) == list(whole.store.results())
    assert exported(cup.store.folder) == sorted(finished(cup.store))
    assert summary.outcome == expected.outcome


@pytest.mark.parametrize("how", [full, failing])
def test_a_run_waits_until_the_disk_takes_results_again(
    how: Failure, make: Callable[..., Cup], golden: Golden
) -> None:
    cup, seen = make(how), list[tuple[int, int]]()
    before = cup.watcher.on_wait

    def mend_after_some_tries() -> None:
        before()
        if cup.trouble:
            seen.append((max(cup.pairs), sum(cup.pairs.values())))
            if cup.tries >= 2:
                cup.mend()

    cup.watcher.on_wait = mend_after_some_tries
    assert cup.runner().run().is_complete
    assert seen[-1][1] < sum(cup.pairs.values()), "what comes next is not played meanwhile"
    assert max(cup.pairs.values()) == 1, "a pair was played twice"
    golden(re.sub("[0-9]+ s", "0 s", "\n".join(cup.watcher.warnings)), folder=cup.store.folder)
    assert_goes_on(cup, make())


def interrupt(times: int) -> None:
    for _ in range(times):
        signal.raise_signal(signal.SIGINT)


def test_where_it_takes_none_for_long_the_run_ends_and_says_what_will_be_played_again(
    make: Callable[..., Cup], golden: Golden
) -> None:
    said = {}
    for name, how, signals in (
        *(("no room for too long", full, 0), ("it fails again and again", failing, 0)),
        *(("a signal", full, 1), ("two signals", full, 2)),
    ):
        cup = make(how)
        cup.watcher.on_warning = partial(interrupt, signals)
        runner = cup.runner(patience_s=0.05 if name == "no room for too long" else 600.0)
        with pytest.raises(DiskError) as caught:
            runner.run()
        said[name] = str(caught.value).replace(str(cup.store.folder), "<folder>")
        assert caught.value.is_full == (how is full)
        if how is failing:
            assert cup.tries == 1 + system.RETRIES
        assert set(cup.watcher.stored) == finished(cup.store)
        told, stored = runner.summary(), cup.runner().summary()
        assert (told.done, told.total, told.outcome) == (stored.done, stored.total, stored.outcome)
        assert_goes_on(cup, make())
    golden(said)


@pytest.mark.parametrize("signals", [1, 2])
def test_a_signal_costs_nothing_that_the_disk_takes(signals: int, make: Callable[..., Cup]) -> None:
    cup = make(full)

    def mend_and_interrupt() -> None:
        cup.mend()
        cup.watcher.on_warning = lambda: None
        interrupt(signals)

    cup.watcher.on_warning = mend_and_interrupt
    if signals == 1:
        assert cup.runner().run().interrupted
    else:
        with pytest.raises(KeyboardInterrupt):
            cup.runner().run()
    played = {game for pair in cup.pairs for game in (2 * pair - 1, 2 * pair)}
    lost = {pair for pair, _ in cup.store.walkovers()}
    assert bool(lost) == cup.is_missing
    missing = {(number + 1) // 2 for number in played - finished(cup.store)}
    assert missing <= lost or cup.is_missing


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_tie_of_more_pairs_than_workers_have_at_a_time_is_lost_whole(
    jobs: int, make: Callable[..., Cup]
) -> None:
    cup = make()
    summary = cup.runner(pairs=9, jobs=jobs).run()
    assert summary.is_complete or cup.form == "round-robin"
    assert not summary.interrupted
    if cup.is_missing:
        lost = {pair for pair, _ in cup.store.walkovers()}
        assert len(lost) == 9, "in a swiss it is paired in no further round"
        assert len(lost & set(cup.pairs)) < len(lost), "some were lost before they were begun"
    assert max(cup.pairs.values()) == 1


def test_waits_grow_from_half_a_second_to_ten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now_s, tries, warnings = 100.0, list[float](), Watcher()
    monkeypatch.setattr(time, "monotonic", lambda: now_s)

    class Refusing(Store):
        def add(self, *_: object) -> None:
            tries.append(now_s)
            raise DiskError("the disk is full", is_full=True)

    store = Refusing(tmp_path)
    held = BufferedWriter(store, warner(warnings), patience_s=60.0)
    job = OpenGames(a_config(), store, tree="").next()
    assert job is not None
    held.held.append((job, PairResult(pair=1, games=(a_result(1),))))
    for _ in range(4 * 60):
        assert held.store() == []
        now_s += 0.25
    with pytest.raises(DiskError, match="full; 1 finished game could not be stored"):
        held.store()
    waits = [later - before for before, later in pairwise(tries)]
    assert waits == [0.5, 1, 2, 4, 8, 10, 10, 10, 10, 4.5]
    assert len(warnings.warnings) == 1
    store.close()


def test_an_error_that_is_not_the_disks_ends_the_run_at_once(tmp_path: Path) -> None:
    class Refusing(Store):
        def add(self, *_: object) -> None:
            raise StoreError("attempt to write a readonly database")

    watcher, store = Watcher(), Refusing(tmp_path)
    runner = Runner(
        a_config(), store, watcher, executors=lambda *_: Played(Counter(), is_missing=False)
    )
    with pytest.raises(StoreError, match="readonly"):
        runner.run()
    assert watcher.warnings == []
    store.close()


def test_a_thousand_results_at_once_are_one_transaction(tmp_path: Path) -> None:
    cup, syncs = Cup(tmp_path / "cup", "games", "round-robin"), list[int]()
    cup.watcher.on_wait = lambda: syncs.append(cup.disk.count("sync"))
    before = cup.disk.count("sync")
    cup.runner(rounds=90, jobs=90).run()
    assert len(cup.watcher.stored) == 1080
    # What was there, and how much of it; the database; that it is done.
    assert syncs[0] - before <= 5
    cup.close()


# Real file systems that are too small

GAMES: Final = 6 * full_disks.ROUNDS

LEVELS: Final = (8, 40, 64, 88, 100, 400)
"""KiB: from a disk that does not hold an empty store to one that holds almost all."""

SMALL_LEVELS: Final = (2, 30, 58, 86, 114, 400)

needs_mounts = pytest.mark.skipif(
    "not full_disks.may_mount()", reason="this system grants no mount namespace"
)


def assert_kept(found: dict[str, Any], games: int = GAMES) -> None:
    """Check that a run on a disk of some size lost nothing, and that it could be resumed."""
    assert set(found["told"]) <= set(found["kept"]), "a game that was stored is lost"
    assert found["full"] == bool(found.get("why")), found
    assert set(found["exported"]) <= set(found["kept"]), "half of games.lath is there"
    assert not [name for name in found["left"] if ".tmp" in name], "a temporary file is left"
    assert found["again"] == sorted(set(sequence(games)) - set(found["kept"]))
    assert (found["integrity"], found["complete"], found["finished"]) == ("ok", True, True)


def assert_levels(levels: list[dict[str, Any]], most_full: int) -> None:
    for found in levels:
        assert_kept(found)
    print(*((found["size"], found["full"], len(found["kept"])) for found in levels))
    assert [found["full"] for found in levels[:most_full]] == [True] * most_full
    assert len({len(found["kept"]) for found in levels}) >= 3


Found = dict[str, list[dict[str, Any]]]


@pytest.fixture(scope="module")
def disks(tmp_path_factory: pytest.TempPathFactory) -> Found:
    """Return what has happened in each scenario on disks that are too small."""
    scenarios: dict[str, Sequence[int]] = {
        "level": LEVELS,
        **({"small_blocks": SMALL_LEVELS} if full_disks.may_loop() else {}),
        "command": (150,),
        "made": (20,),
        **dict.fromkeys(("unread", "unread_anywhere"), (4,)),
        **dict.fromkeys(("scratch", "scratch_room", "greed"), (SWISS + HALF_A_SCRATCH,)),
    }
    return all_happened(tmp_path_factory.mktemp("disks"), scenarios)


@needs_mounts
def test_a_disk_that_fills_up_at_any_level_loses_nothing(disks: Found) -> None:
    assert_levels(disks["level"], 3)


@needs_mounts
@pytest.mark.skipif("not full_disks.may_loop()", reason="this system mounts no file as a disk")
def test_nor_does_one_of_blocks_that_are_smaller_than_a_page(disks: Found) -> None:
    assert_levels(disks["small_blocks"], 3)


@needs_mounts
def test_the_program_ends_with_a_status_of_its_own_and_can_be_resumed(
    disks: Found, golden: Golden
) -> None:
    (found,) = disks["command"]
    assert found["status"] == 5, found
    ended = found["said"][found["said"].rindex("error: ") :]
    ended = re.sub("[0-9]+ finished", "40 finished", ended)
    golden(re.sub(r"/\S+/disk/", "<here>/disk/", ended))
    assert "has only 0.2 MB of free space; a tournament needs 100 MB" in found["said"]
    assert 0 < found["kept"] < 2 * full_disks.COMMAND_ROUNDS
    assert found["resumed"] == {"status": 0, "said": found["resumed"]["said"]}
    assert found["finished"]


@needs_mounts
def test_a_run_waits_for_room_before_there_is_anything(disks: Found) -> None:
    assert_waited(disks["made"])


def assert_waited(runs: list[dict[str, Any]]) -> None:
    for found in runs:
        assert (found["status"], found["games"]) == (0, [1, 2]), found
        assert "; waiting for room" in found["said"]
        assert "s the disk has room; the run resumes" in found["said"]


@needs_mounts
def test_where_nothing_has_room_games_lath_serves_and_that_is_said(disks: Found) -> None:
    (elsewhere,), (nowhere,) = disks["unread"], disks["unread_anywhere"]
    assert_read(elsewhere)
    assert nowhere["games"] == full_disks.READ_GAMES
    assert nowhere["rate"]["status"] == 0
    said = nowhere["rate"]["said"]
    assert "tournament.db: database or disk is full; read 600 games from" in said


def assert_read(found: dict[str, Any]) -> None:
    """Check that all games were read, and nothing else was to be said."""
    assert found["games"] == full_disks.READ_GAMES, found
    assert found["rate"] == {"status": 0, "said": ""}
    assert found["report"]["status"] == 0
    assert "warning" not in found["report"]["said"]
    assert found["page"] > 100_000


# Machines that lack room for scratch folders, or processes

SWISS: Final = 10 * list(GAMES_OF).index("swiss")
"""What says in sizes in which format a run is."""

HALF_A_SCRATCH: Final = 1
"""Folders that have room where a game needs two."""


def assert_nobody_lost(found: dict[str, Any], games: int) -> None:
    """Check that a run decided nothing that it did not play, and that it could be resumed."""
    for run in (found, found["resumed"]):
        assert not run["walkovers"]
        assert {tuple(game[2:]) for game in run["games"]} <= {("1-0", "rules")}
    if found["status"]:
        assert found["status"] == 5, found
        assert len(found["games"]) < games
        *_, error, hint = found["said"].splitlines()
        assert error.endswith("no bot has lost a game by it")
        assert hint.startswith("hint: when the machine has recovered, resume with: arena run ")
        waits, ends = found["said"].count("trying again"), found["said"].count("has enough")
        assert waits == ends + 1, "each wait is told once"
    assert (found["resumed"]["status"], len(found["resumed"]["games"])) == (0, games), found


@needs_mounts
def test_no_room_for_scratch_folders_costs_nobody_a_game(disks: Found) -> None:
    (lacks,), (needs,), (takes,) = (disks[one] for one in ("scratch", "scratch_room", "greed"))
    assert lacks["status"] == 5
    assert_nobody_lost(lacks, GAMES_OF["swiss"])
    assert {tuple(game[2:]) for game in needs["games"]} == {("1-0", "rules")}, "it plays again"
    first, second = needs["said"].splitlines()
    assert "bots have no room for files there" in first
    assert second.endswith("s the machine has enough again; the run resumes")
    assert (takes["status"], takes["said"]) == (0, "")
    for first, second, result, ending in takes["games"]:
        winner = first if result == "1-0" else second
        assert (winner, ending) == ("bob", "crash"), "who takes all the room loses"


# A worker needs two: runner and workers have a second thread.
@pytest.mark.skipif(
    "not small_machines.may_be_somebody()", reason="this system grants no other user"
)
@pytest.mark.parametrize(("form", "most"), [("knockout", 3)])
def test_too_few_processes_cost_nobody_a_game(form: str, most: int, tmp_path: Path) -> None:
    with Range(tmp_path) as place:
        words = in_format(form, place.out)
        run = place.begin(*words, "--disk-patience", "1", under=small_machines.with_processes(most))
        found = ended(place, run)
        found["resumed"] = ended(place, place.begin(*words))
        assert_nobody_lost(found, GAMES_OF[form])
        assert (found["status"] == 5) == (most < 6)
        print(form, most, found["status"], found["said"])
