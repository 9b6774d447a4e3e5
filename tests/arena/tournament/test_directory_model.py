"""What a directory survives: kills and full disks amid rulings, versions, seasons and snapshots.

A club has a pool: bots come, go and are edited, seasons begin, games are ruled void, and commands
are killed or without room at any step, as hypothesis says. The model is what was promised: each
game is there, once, for ever. Then come examples of each step at which a command may be
killed. `test_tournament_model.py` has the same of a store, and of power cuts.
"""

from __future__ import annotations

import json
import random
import shutil
import tempfile
import tomllib
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from contextlib import ExitStack
from functools import partial
from itertools import permutations
from pathlib import Path
from typing import Any, Final

import commands
import pytest
from arena_runs import exported, stored
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
)
from quick_runs import play_nothing
from steps import in_a_copy
from stories import quick, told

from lath.arena.tournament.outcome.directories import is_over
from lath.arena.tournament.outcome.notes import outcome_in, snapshot_in
from lath.arena.tournament.outcome.sources import background_of
from lath.reports.notes.notes import Version

pytestmark = pytest.mark.slow

# A directory as people have it

STEPS_OF_A_RUN: Final = 30

HOW: Final = st.one_of(
    st.just(("", 0)),
    st.tuples(st.sampled_from(["kill", "full"]), st.integers(1, STEPS_OF_A_RUN)),
)
"""Whether a command is killed or without room at first, and at which step."""

BEGUN_AS, BETTER = "as it began", "better"
"""What a bot is made of."""

How = tuple[str, int]

Key = tuple[Any, ...]


class Club(RuleBasedStateMachine):
    """A pool that lives on, whatever comes, goes, is edited or ruled; nothing is really played."""

    def __init__(self) -> None:
        super().__init__()
        self._place: Final = Path(tempfile.mkdtemp())
        self.out: Final = self._place / "out"
        self.nets = self._place / "nets"
        self.nets.mkdir()
        self._undo: Final = ExitStack()
        self._undo.enter_context(quick())
        play_nothing(self._undo.enter_context(pytest.MonkeyPatch.context()))
        self.games: dict[int, Key] = {}
        """All that were ever stored, by number, each with what it was and under which terms."""
        self.terms: Final[dict[int, Key]] = {}
        self.versions: Final[dict[Key, str]] = {}
        """By bot and text, under which name it has played."""
        self.void: Final[set[int]] = set()
        self.snapshots: Final[dict[Path, bytes]] = {}
        self.seasons = 0
        self._count = 0

    def teardown(self) -> None:
        try:
            if self._count:
                self.go_on((), ("", 0))
        finally:
            self._undo.close()
            shutil.rmtree(self._place)

    # What people do

    @initialize(has_season=st.booleans())
    def begin(self, *, has_season: bool) -> None:
        words = [word for _ in range(2) for word in ("--add", self._new_bot())]
        season = ("--season", "S0") if has_season else ()
        self._run(*words, *season, "--game", "yavalath", "--rounds", 1, "--tc", "move 5")

    @rule(how=HOW)
    def come(self, how: How) -> None:
        self.go_on(("--add", self._new_bot()), how)
        assert f"bot {self._count}" in self.roster

    @precondition(lambda self: len(self.roster) > 2)
    @rule(which=st.integers(0, 9), how=HOW)
    def retire(self, which: int, how: How) -> None:
        name = self.roster[which % len(self.roster)]
        self.go_on(("--retire", name), how)
        assert name not in self.roster

    @rule(which=st.integers(0, 9), how=HOW)
    def edit(self, which: int, how: How) -> None:
        """Edit a bot, or edit it back."""
        net = self.nets / self.roster[which % len(self.roster)]
        net.write_text(BETTER if net.read_text() == BEGUN_AS else BEGUN_AS)
        self.go_on((), how)

    @rule(number=st.integers(0, 9), how=HOW)
    def move(self, number: int, how: How) -> None:
        """Move all programs: they are the same ones."""
        before, self.nets = self.nets, self.nets.rename(self._place / f"nets{number}")
        self._edit(f"{before}/", f"{self.nets}/")
        self.go_on((), how)

    @precondition(lambda self: not self.season)
    @rule(
        words=st.sampled_from(
            [
                *(("--rounds", 1), ("--rounds", 2), ("--tc", "move 5"), ("--tc", "nodes 1")),
                *(("--game", "yavalath"), ("--game", "surikata")),
            ]
        ),
        how=HOW,
    )
    def change(self, words: tuple[object, ...], how: How) -> None:
        self.go_on(words, how)

    @precondition(lambda self: self.season)
    @rule(how=HOW, by_days=st.booleans())
    def begin_season(self, how: How, *, by_days: bool) -> None:
        self.seasons += 1
        name = f"S{self.seasons}"
        self.go_on(("--season", name, *(["--match-day"] if by_days else [])), how)
        assert self.season == name

    @precondition(lambda self: self.season)
    @rule(how=HOW)
    def play_match_day(self, how: How) -> None:
        self.go_on(("--match-day",), how)

    @precondition(lambda self: self.games)
    @rule(which=st.integers(0, 99), how=HOW)
    def rule_void(self, which: int, how: How) -> None:
        number = sorted(self.games)[which % len(self.games)]
        back = number in self.void
        self.go_on(("--reinstate" if back else "--void", number, "--reason", "power cut"), how)
        self.void.symmetric_difference_update({number})
        self._check_rulings()

    @rule(how=HOW)
    def freeze(self, how: How) -> None:
        name = f"day-{len(self.snapshots)}"
        self.go_on(("--snapshot", name), how)
        folder = self.out / "snapshots" / name
        self.snapshots.update({path: path.read_bytes() for path in folder.rglob("*.*")})
        snapshot = snapshot_in([folder])
        assert snapshot
        assert snapshot.name == name

    # How it is done

    def _new_bot(self) -> str:
        self._count += 1
        name = f"bot {self._count}"
        (self.nets / name).write_text(BEGUN_AS)
        return f"{name}=/bin/cat '{self.nets / name}'"

    def _edit(self, before: str, after: str) -> None:
        config = self.out / "tournament.toml"
        config.write_text(config.read_text().replace(before, after))

    def go_on(self, words: tuple[object, ...], how: How) -> None:
        """Give a command, which may be killed or have no room at some step, until it is done."""
        trouble, step = how
        if trouble == "kill":
            ended = in_a_copy(self.out, partial(said_by, self.out, *words), kill=step)
            assert ended.status in (0, -9), ended
        elif trouble == "full":
            full = range(step, step + 3)
            ended = in_a_copy(self.out, partial(said_by, self.out, *words), full=full)
            assert ended.status in (0, 5), ended
        if trouble:
            self._check()
        self._run(*words, may_be_done=bool(trouble))

    def _run(self, *words: object, may_be_done: bool = False) -> None:
        status, said = said_by(self.out, *words)
        if status == 2 and may_be_done:  # such as to add who is there already
            words = ()
            status, said = said_by(self.out)
        assert status == 0, said
        self._check(
            is_complete=not {"--match-day", "--void", "--reinstate", "--snapshot"} & {*words}
        )

    # What must hold

    @property
    def toml(self) -> dict[str, Any]:
        return tomllib.loads((self.out / "tournament.toml").read_text())

    @property
    def roster(self) -> list[str]:
        return [row["name"] for row in self.toml["bot"]]

    @property
    def season(self) -> str:
        season = background_of([self.out]).season if self.out.exists() else None
        return season.name if season else ""

    def _check(self, *, is_complete: bool = False) -> None:
        """Compare what is stored with what was, and with what is wanted."""
        columns = "number, first, second, game, round, result, checksum"
        games: dict[int, Any] = {row[0]: list(row[1:]) for row in stored(self.out, columns)}  # type: ignore[misc]
        assert self.games.items() <= games.items(), "a game is lost, or another one"
        self.games = games
        if not (self.out / "tournament.toml").exists():
            assert not games
            return
        told = background_of([self.out])
        bots = {version.name: version.bot for version in told.versions}
        terms = (self.season, json.dumps(self.toml["time"]))
        for number in games:
            self.terms.setdefault(number, terms)
        seats = Counter(self._seat(number, bots) for number in games)
        assert set(seats.values()) <= {1}, "a seat of an opening was played twice"
        assert all(path.read_bytes() == data for path, data in self.snapshots.items())
        if is_complete:
            self._check_versions(
                told.versions, {name for row in games.values() for name in row[:2]}
            )
            self._check_all_met(bots, told.versions, {seat[:-1] for seat in seats}, terms)

    def _seat(self, number: int, bots: Mapping[str, str]) -> Key:
        """Return who sat where in what: in a season a bot is one, whatever its version."""
        first, second, game, turn, *_ = self.games[number]
        terms = self.terms[number]
        both = (bots[first], bots[second]) if terms[0] else (first, second)
        return (*both, game, terms, turn)

    def _check_versions(self, versions: Iterable[Version], played: Container[object]) -> None:
        """Check that a text has one name, and the name one text, from its first game on."""
        playing = {one.bot: one.name for one in versions if not one.retired}
        assert sorted(playing) == sorted(self.roster)
        for bot, name in playing.items():
            if name in played:
                text = (self.nets / bot).read_text()
                assert self.versions.setdefault((bot, text), name) == name
        assert len(set(self.versions.values())) == len(self.versions), "two play as one"

    def _check_all_met(
        self,
        bots: Mapping[str, str],
        versions: Iterable[Version],
        seats: Container[Key],
        terms: Key,
    ) -> None:
        playing = [one.name for one in versions if not one.retired]
        names = [bots[name] for name in playing] if terms[0] else playing
        wanted = [
            (*both, game, terms) for both in permutations(names, 2) for game in self.toml["games"]
        ]
        assert [seat for seat in wanted if seat not in seats] == []

    def _check_rulings(self) -> None:
        rated = rated_in(self.out)
        in_force = {one["game"] for one in rated["rulings"] if not one["lifted"]}
        assert in_force == self.void
        if not self.season:
            assert rated["overall"]["games"] == len(self.games) - len(self.void)


def rated_in(folder: Path) -> dict[str, Any]:
    """Return what `arena rate` says of a directory."""
    ran = commands.arena("rate", folder, "--json")
    assert ran.status == 0, ran.err
    rated: dict[str, Any] = json.loads(ran.out)
    return rated


def said_by(out: Path, *words: object) -> tuple[int, str]:
    """Go on with a directory in this process; return the status, and what is said."""
    ran = commands.arena("run", out, *words, "-q", "--no-report")
    assert "Traceback" not in ran.err, ran.err
    assert "bug in the arena" not in ran.err, ran.err
    return ran.status, ran.err


LIVES: Final[dict[str, tuple[tuple[Any, ...], ...]]] = {
    "without seasons": (
        *(("come",), ("edit", 0), ("freeze",), ("rule_void", 3), ("change", ("--rounds", 2))),
        *(("edit", 0), ("retire", 1), ("move", 1), ("edit", 1), ("change", ("--tc", "nodes 1"))),
        *(("change", ("--game", "surikata")), ("rule_void", 3), ("change", ("--rounds", 1))),
    ),
    "with seasons": (
        *(("come",), ("begin_season", True), ("play_match_day",), ("edit", 0), ("come",)),
        *(("rule_void", 4), ("begin_season", False), ("retire", 0), ("freeze",), ("edit", 1)),
        *(("begin_season", True), ("edit", 1), ("play_match_day",), ("come",)),
    ),
}


@pytest.mark.parametrize("name", LIVES)
def test_a_club_lives_through_every_change(name: str) -> None:
    chance, club = random.Random(46), Club()
    club.begin(has_season=name == "with seasons")
    try:
        for change, *given in LIVES[name]:
            how = chance.choice(["", "kill", "kill", "full"]), chance.randint(1, STEPS_OF_A_RUN)
            if change == "begin_season":
                club.begin_season(how=how, by_days=given[0])
            else:
                getattr(club, change)(*given, how=how)
    finally:
        club.teardown()


@pytest.mark.parametrize("stories", [1])
def test_a_club_keeps_its_games_its_versions_its_seasons_and_its_rulings(stories: int) -> None:
    told(Club, stories)


# Examples of each step at which a command may be killed

SWISS: Final = ("run", "--format", "swiss", "--game", "yavalath", "--tc", "move 5", "-q")
THREE: Final = ("--bot", "ann=/bin/cat", "--bot", "bob=/bin/cat", "--bot", "cid=/bin/cat")

SCENES: Final[dict[str, tuple[str, tuple[object, ...]]]] = {
    "a tournament begins": ("", (*SWISS[1:-1], *THREE, "--rounds", 1)),
    "it goes on": ("swiss", ("--rounds", 3)),
    "a game is ruled void": ("swiss", ("--void", 1, "--reason", "power cut", "--no-report")),
    "a snapshot is taken": ("swiss", ("--snapshot", "Autumn", "--no-report")),
    "it becomes a pool": ("swiss", ("--format", "pool", "--no-report")),
    "a season begins": ("pool", ("--season", "S1", "--no-report")),
}
"""What is there before a command, and its words."""

NEW: Final = "make logs, make cup, write tournament.lock, commit about"
BEGUN: Final = "make logs, write tournament.lock, commit nothing, remove tournament.db-shm"
NOTED: Final = "write tournament.toml, put tournament.toml, commit about"
SHOWN: Final = "make live, write status.new, put status.json, end live"
SETTLED: Final = "write outcome.json, put outcome.json, commit about"
GAMES: Final = "commit game, write games.lath, put games.lath"
RATED: Final = "write standings.json, put standings.json, write standings.csv, put standings.csv"
PAGE: Final = "write report.html, put report.html"
PLAYED: Final = (BEGUN, NOTED, SHOWN, SETTLED, GAMES, RATED)

KILL_POINTS: Final = {
    "a tournament begins": (NEW, "remove tournament.db-shm", *PLAYED[1:], PAGE),
    "it goes on": (*PLAYED, PAGE),
    "a game is ruled void": (
        "write tournament.lock, commit nothing, commit about",
        SETTLED,
        RATED,
        PAGE,
    ),
    "a snapshot is taken": (
        "write tournament.lock, commit nothing, make snapshots, make half, make autumn, make logs",
        *(NOTED, SETTLED, GAMES.partition(", ")[2], RATED, "put autumn, end half"),
    ),
    "it becomes a pool": (*PLAYED, PAGE),
    "a season begins": PLAYED,
}
"""The steps of each command, at some of which it is killed once, at first or in the end."""

STEPS_OF: Final = {
    scene: sorted(set(", ".join(parts).split(", "))) for scene, parts in KILL_POINTS.items()
}

DECISIVE: Final = frozenset(
    {"commit about", "commit game", "put tournament.toml", "put outcome.json", "put autumn"}
)
"""Steps by which it is another directory: the command is killed there in each scene. At the others,
which are done anew whatever is played, one command is killed, each time another one."""


def points() -> Iterator[tuple[str, str]]:
    """Yield where which command is killed."""
    for number, step in enumerate(sorted(set().union(*STEPS_OF.values()))):
        scenes = [scene for scene, steps in STEPS_OF.items() if step in steps]
        chosen = scenes if step in DECISIVE else [scenes[number % len(scenes)]]
        yield from ((scene, step) for scene in chosen)


class Scenes:
    """Directories in which commands are given, and what they come to where nothing happens."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self._made: dict[str, Path] = {}
        self._facts: dict[str, tuple[list[str], dict[str, Any]]] = {}

    def before(self, kind: str) -> Path | None:
        """Return a directory that is never changed."""
        if kind and kind not in self._made:
            folder = self._made[kind] = self._place / kind
            assert commands.arena(*SWISS, *THREE, "--rounds", 2, "--output", folder).status == 0
            if kind == "pool":
                assert said_by(folder, "--format", "pool", "--rounds", 1)[0] == 0
        return self._made.get(kind)

    def begun(self, scene: str, folder: Path) -> Callable[[], tuple[int, str]]:
        """Make a directory as it is before; return what then gives the command."""
        kind, words = SCENES[scene]
        if before := self.before(kind):
            shutil.copytree(before, folder)
            return partial(given, folder, *words)
        return partial(given, "--output", folder, *words)

    def whole(self, scene: str) -> tuple[list[str], dict[str, Any]]:
        """Return the steps of a command, and what is there then."""
        if scene not in self._facts:
            folder = self._place / scene / "cup"
            folder.parent.mkdir()
            ended = in_a_copy(folder, self.begun(scene, folder))
            assert ended.status == 0, ended.said
            self._facts[scene] = (ended.steps, facts(folder))
        return self._facts[scene]


def given(*words: object) -> tuple[int, str]:
    ran = commands.arena("run", *words, "-q")
    assert "Traceback" not in ran.err, ran.err
    return ran.status, ran.err


def facts(folder: Path) -> dict[str, Any]:
    """Return what is in a directory, whenever it was written."""
    rated = json.loads((folder / "standings.json").read_text())
    told = background_of([folder])
    return {
        "games": stored(folder, GAME),
        "exported": exported(folder),
        "files": sorted(
            str(path.relative_to(folder)) for path in folder.rglob("*.*") if path.is_file()
        ),
        "table": rated["overall"],
        "outcome": outcome_in([folder]),
        "rulings": [(one.kind, one.game, one.reason, bool(one.lifted)) for one in told.rulings],
        "versions": [(one.name, one.bot, bool(one.retired)) for one in told.versions],
        "season": told.season and (told.season.name, len(told.season.days)),
    }


GAME: Final = "number, first, second, game, round, result, plies"


@pytest.fixture(scope="module")
def scenes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scenes]:
    with quick(), pytest.MonkeyPatch.context() as patch:
        play_nothing(patch)
        yield Scenes(tmp_path_factory.mktemp("scenes"))


def test_each_step_of_a_command_is_known(scenes: Scenes) -> None:
    steps = {scene: sorted(set(scenes.whole(scene)[0])) for scene in SCENES}
    assert steps == STEPS_OF


@pytest.mark.parametrize(("scene", "point"), list(points()))
def test_who_is_killed_there_loses_nothing_and_goes_on(
    scene: str, point: str, scenes: Scenes, tmp_path: Path
) -> None:
    steps, whole = scenes.whole(scene)
    folder = tmp_path / "cup"
    command = scenes.begun(scene, folder)
    before = stored(folder, GAME)
    kill = [number for number, step in enumerate(steps, 1) if step == point][len(scene) % 2 - 1]
    assert in_a_copy(folder, command, kill=kill).status == -9
    games = stored(folder, GAME)
    assert {*before} <= {*games} <= {*whole["games"]}, "a game is lost, or another one"
    told = outcome_in([folder])
    assert told is None or told.format == "pool" or told.done == len(games), "of another time"
    if kill > steps.index("commit about") + 1:  # what is to be played is noted
        assert not is_over(folder) or len(games) == len(whole["games"])
    if games:
        rated = rated_in(folder)
        left_out = sum(rated.get("left_out", {}).values())
        assert "season" in rated or rated["overall"]["games"] + left_out == len(games)
    status, said = command()
    if status == 2 or list(folder.glob(".*.tmp*")):  # it is done: the next run does the rest
        status, said = given(folder, "--no-report" if "--no-report" in SCENES[scene][1] else "-q")
    assert status == 0, said
    assert facts(folder) == whole
