"""A match: is the new bot better than the old one? Two bots from anywhere, a verdict.

It is what `arena match` does, and the same from Python.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from lath import games as known_games
from lath.arena.directory import CONFIG
from lath.arena.entrants import minimum
from lath.arena.entrants.bot_spec import time_table
from lath.arena.entrants.flag_text import time_of
from lath.arena.entrants.origins import (
    BotOrigin,
    executables,
    in_words,
    origin_of,
    sandbox_in,
    sandbox_of,
    spec_of,
    table_in,
    table_of,
    time_in,
)
from lath.arena.entrants.programs import files_in
from lath.arena.entrants.revisions import Workshop, workshop
from lath.arena.entrants.toml_text import read_toml
from lath.arena.errors import (
    BETTER,
    NOT_BETTER,
    UNDECIDED,
    ArenaError,
    ConfigError,
    ContestBotError,
    GameVoidError,
)
from lath.arena.flows.runs import Decision, RunResult, at_cluster, greeting_of, heard_by, result_of
from lath.arena.machine import signals
from lath.arena.referee import process_trees
from lath.arena.referee.bridges import CONTESTS
from lath.arena.sandbox.limits import close_to_others
from lath.arena.schedule.openings import digest as sha256_of
from lath.arena.tournament.configuration.config import (
    Config,
    budget_of,
    build,
    openings_table,
    sprt_table,
)
from lath.arena.tournament.outcome.page_files import made_by
from lath.arena.tournament.run.events import Event
from lath.arena.tournament.run.folder import run as play
from lath.arena.tournament.run.progress import Progress, RunSummary
from lath.arena.tournament.run.resuming import fingerprints
from lath.games.naming import is_known, lasting
from lath.notation.files.folders import user_folder
from lath.notation.text.suggestions import is_game

ROUNDS: Final = 100_000
"""At most; the test or the budget ends it before."""

BUDGET: Final = "2m"

TIME: Final = "0.5+0.01 first 1"
"""Games of a second or two, so that some dozens fit into two minutes of two cores."""

SPRT: Final = "0,40"
"""Elo: what some hundred games can tell from nothing."""


def usual_time(origins: Sequence[BotOrigin]) -> str:
    """Return the time of a match for which nobody has said one: of a contest's bot the contest's.

    A bot in a folder is one where the file there says so.
    """
    said = set[str]()
    for one in origins:
        said.add(one.parts.get("protocol", ""))
        if one.kind == "folder" and not one.asked:
            with suppress(ConfigError):  # who reads it to play by it is told of it
                bots = read_toml(one.where / CONFIG)[0].get("bot")
                tables = bots if isinstance(bots, list) else []
                said |= {str(bot.get("protocol")) for bot in tables if isinstance(bot, dict)}
    return next((one.tc for one in CONTESTS.values() if one.id in said), TIME)


def clock_of(table: Mapping[str, Any], tc: str) -> str:
    """Return by which time the bot of a table plays."""
    return time_in(table) if "time" in table else tc


BUILDS: Final = "checkouts"
"""The folder of a match in which revisions are while it is played."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchTerms:
    """What decides a match besides who plays."""

    build: str
    run: str
    games: tuple[str, ...]
    tc: str
    sprt: str
    openings: str
    seed: int

    @classmethod
    def typed(
        cls,
        *,
        build: str,
        run: str,
        games: Sequence[str],
        tc: str,
        openings: str,
        seed: int,
        sprt: str = "",
    ) -> MatchTerms:
        """Return what is typed, with games and time as they are called; raises ArenaError."""
        return cls(
            build=build,
            run=run,
            games=tuple(known_games.get(known_games.named(one)).id for one in games),
            tc=str(time_of(tc)),
            sprt=sprt,
            openings=openings,
            seed=seed,
        )

    def digest(self, both: Sequence[BotOrigin]) -> str:
        """Return what another match has otherwise: other bots, another version, other terms.

        Raises ConfigError where a file of openings cannot be read.
        """
        rows: list[object] = [self.build, self.run, self.games, self.tc, self.sprt, self.seed]
        if self.openings:
            table = openings_table(self.openings, Path.cwd())
            rows.append(
                table | {"file": sha256_of(Path(table["file"]))} if "file" in table else table
            )
        rows += [file.sha256 for one in self.games if (file := known_games.origin(one))]
        for one in both:
            rows += [one.name, one.kind, dict(one.parts)]
            if one.revision is not None:
                rows += one.revision[1:3]
            elif one.kind == "folder":  # to read all that a build has left there takes too long
                found = [(path, path.stat()) for path in files_in(one.where) if not _is_page(path)]
                rows += [(str(path), file.st_size, file.st_mtime_ns) for path, file in found]
            else:
                spec = spec_of({"name": one.name, "command": list(one.words), **one.parts})
                rows += [spec.command, fingerprints([spec])]
        return hashlib.sha256(json.dumps(rows, default=str).encode()).hexdigest()[:10]


def _is_page(path: Path) -> bool:
    """Return whether a file is a page of ours, as a match lays beside the bots that it is of."""
    return path.suffix == ".html" and bool(made_by(path))


def folder_of(both: Sequence[str], digest: str) -> Path:
    """Return where a match is kept that nobody names a directory for: out of the user's way."""
    try:
        state = user_folder("state")
    except RuntimeError as error:
        raise ConfigError(
            "there is no home folder to keep the match in: name one, --output"
        ) from error
    names = "".join(
        letter if letter.isalnum() or letter in "-_." else "_" for letter in "-".join(both)
    )
    return state / "matches" / f"{names[:60]}-{digest}"


def entered(
    origins: Sequence[BotOrigin],
    roles: Sequence[str],
    terms: MatchTerms,
    shop: Workshop | None,
    tell: Callable[[str], None],
    *,
    on_cluster: bool,
) -> Iterator[tuple[dict[str, Any], Path | None]]:
    """Yield the table of each bot and its folder, checked out and built where it is a revision."""
    for one, role in zip(origins, roles, strict=True):
        called = f"{role.upper()}, {one.name}"
        asked = minimum.for_files(one.asked, on_cluster=on_cluster)
        if one.revision is None or shop is None:
            table = table_of(one, called, run=terms.run, build=terms.build, asked=asked)
            yield {**table, "name": one.name}, None if one.kind == "command" else one.where
            continue
        home, made = shop.check_out(one.revision, role, one.of_git), set[Path]()
        if terms.build:
            before = executables(home)
            tell(f"building {one.name}: {terms.build}")
            shop.build(terms.build, home, role, one.asked)
            made = executables(home) - before
        table = table_in(
            home,
            terms.run,
            made,
            called,
            asked=asked,
            typed=one.parts,
            build="" if terms.build else one.parts.get("build", ""),
        )
        own = {"sandbox": one.asked} if one.asked else {}
        yield {**own, **table, **one.parts, "name": one.name}, home


def games_of(home: Path | None, asked: str | None) -> list[str]:
    """Return the games that the configuration in a folder names; none without one.

    Those of files are added, before bots are asked what they play: the arena itself runs them, so
    with a sandbox only the organiser names them. Raises ConfigError and GameFileError.
    """
    if home is None or not (home / CONFIG).is_file():
        return []
    is_strict = minimum.asks(asked)
    if is_strict:
        minimum.refuse_link(home / CONFIG)
    named = read_toml(home / CONFIG)[0].get("games")
    texts = [text for text in named if isinstance(text, str)] if isinstance(named, list) else []
    if is_strict and (own := [text for text in texts if not is_known(text, home)]):
        raise ConfigError(
            f"{home / CONFIG}: games: {own[0]!r} is a file that the arena itself would run where "
            f"the sandbox {asked!r} is asked for, expected names of games\n"
            "  hint: name the games yourself, by --game, files among them"
        )
    return [game for text in texts if is_game(game := known_games.named(text, home))]


def both_play(
    tables: Sequence[Mapping[str, Any]], named: Iterable[str], where: Path, *, has_build: bool
) -> list[str]:
    """Return the games that all bots say that they play, `named` ones first; raises ArenaError."""
    common = list(dict.fromkeys((*named, *known_games.ids())))
    for table in tables:
        try:
            greeting = greeting_of(
                table, "match", where, [one for one in tables if one != table], common
            )
        except ContestBotError:
            raise
        except GameVoidError as error:
            hint = "" if has_build else "; --build CMD builds a git revision first"
            raise ArenaError(f"{error}{hint}") from error
        common = [game for game in common if greeting.plays(game)]
    if not common:
        raise ArenaError(
            "there is no installed game that both bots say that they play"
            if len(tables) > 1
            else f"{tables[0]['name']} says of no installed game that it plays it"
        )
    return common


def _configured(
    tables: Sequence[dict[str, Any]],
    played: Sequence[str],
    terms: MatchTerms,
    event: str,
    jobs: int | str,
) -> Config:
    """Return the match; the new bot is the first, of whom the test asks whether it is better."""
    toml = {
        "event": event,
        "games": [lasting(one) for one in played],
        "format": "match",
        "rounds": ROUNDS,
        "seed": terms.seed,
        "jobs": jobs,
        "time": time_table(time_of(terms.tc)),
        "sprt": sprt_table(terms.sprt),
        **({"openings": terms.openings} if terms.openings else {}),
        "bot": [tables[1], tables[0]],
    }
    return build(toml, Path.cwd())


def refuse_another(out: Path, event: str) -> None:
    """Raise ConfigError where a directory that was named holds something else."""
    if (out / CONFIG).is_file() and (held := read_toml(out / CONFIG)[0].get("event")) != event:
        raise ConfigError(
            f"{out} holds {held!r}, which is not this match: its bots, their files or its terms "
            "are others; choose another --output, or none"
        )


Word = Literal["better", "not better", "worse", "undecided"]
"""What a match says of the new bot."""


def jobs_of(jobs: int | str | None) -> int | str:
    """Return how many games are played at once, as a configuration has it. Default: `auto`."""
    if isinstance(jobs, str) and jobs.isdecimal():
        return int(jobs)
    return "auto" if jobs is None else jobs


def refuse_jobs(jobs: int | str | None, cluster: str | None) -> None:
    """Raise ConfigError for a number of games at once on a cluster, which counts itself."""
    if cluster is not None and jobs is not None:
        raise ConfigError("--jobs is for this machine: on a cluster each thread plays a game")


def verdict_of(test: Mapping[str, Any]) -> tuple[int, Word]:
    """Return the exit status that a test comes to, and the word for it."""
    if test["verdict"] == "H1":
        return BETTER, "better"
    if test["verdict"] is None:
        return UNDECIDED, "undecided"
    high = test["elo_high"]
    return NOT_BETTER, "worse" if high is not None and high < 0 else "not better"


class PlayedMatch(NamedTuple):
    """A match that has ended, for now."""

    names: tuple[str, str]
    """The old bot's and the new one's."""

    is_of_old: bool
    """Whether the old one is somebody's own, and the new one is bundled."""

    folder: Path
    summary: RunSummary
    progress: Progress
    clocks: tuple[str, ...] = ()
    """By which time each of them played."""


def _named_apart(
    old: BotOrigin, new: BotOrigin, note: Callable[[str], None]
) -> tuple[BotOrigin, BotOrigin]:
    """Return both bots under different names; `note` hears what may surprise."""
    for one in (old, new):
        if one.note:
            note(one.note)
    if old.revision and old.revision == new.revision:
        note("OLD and NEW are the same commit")
    if old.name.casefold() == new.name.casefold():
        return old._replace(name="old"), new._replace(name="new")
    return old, new


def _note_times(tables: Sequence[Mapping[str, Any]], note: Callable[[str], None]) -> None:
    """Say which bot plays with a time of its own, where the other does not have the same."""
    if tables[0].get("time") != tables[1].get("time"):
        for table in tables:
            if "time" in table:
                note(f"{table['name']} has a time of its own, {time_in(table)}")


def held(
    old: str,
    new: str,
    *,
    build: str = "",
    run: str = "",
    games: Sequence[str] = (),
    tc: str = "",
    budget: str = BUDGET,
    sprt: str = SPRT,
    openings: str = "",
    seed: int = 1,
    jobs: int | str | None = None,
    sandbox: str | None = None,
    cluster: str | None = None,
    hosts_alike: bool = False,
    out: Path | None = None,
    is_alone: bool = False,
    tell: Callable[[str], None] = lambda _: None,
    note: Callable[[str], None] = lambda _: None,
    watched: Callable[[Progress], AbstractContextManager[object]] = nullcontext,
) -> PlayedMatch:
    """Play a match, or go on with one, and return how it ended: all is named as of `arena match`.

    `tell` hears what is done, `note` what might be thought and is not so; the games are played in
    what `watched` gives. A process that `is_alone` does nothing else: it clears up after bots that
    leave orphans, and is closed to them. Raises ArenaError.
    """
    allowed, _, _ = budget_of(budget), sprt_table(sprt), sandbox_of(sandbox)  # before any build
    refuse_jobs(jobs, cluster)
    with signals.interruptible():
        # Both revisions are of one repository: if one of them is not trusted, it is not.
        of_git = minimum.strongest(sandbox, sandbox_in(old), sandbox_in(new))
        both = _named_apart(
            origin_of(old, "old", sandbox, of_git=of_git),
            origin_of(new, "new", sandbox, of_git=of_git),
            note,
        )
        if build and all(one.kind == "command" for one in both):
            raise ConfigError("--build is for folders and git revisions; a command has build=CMD")
        if run and all(one.kind == "command" for one in both):
            raise ConfigError("--run is for folders and git revisions; a command says it itself")
        terms = MatchTerms.typed(
            build=build,
            run=run,
            games=games,
            tc=tc or usual_time(both),
            openings=openings,
            seed=seed,
            sprt=sprt,
        )
        digest = terms.digest(both)
    where = folder_of([one.name for one in both], digest) if out is None else out
    event = f"{both[0].name} - {both[1].name} ({digest})"
    refuse_another(where, event)
    with ExitStack() as stack:
        shop = None
        if any(one.revision for one in both):
            shop = stack.enter_context(workshop((where / BUILDS).absolute()))
        if is_alone:
            process_trees.adopt_orphans()  # of bots; who clears up has begun before
            close_to_others()
        on_cluster = cluster is not None
        bots = list(entered(both, ("old", "new"), terms, shop, tell, on_cluster=on_cluster))
        tables = [table for table, _ in bots]
        _note_times(tables, note)
        asked = minimum.for_files(both[1].asked, on_cluster=on_cluster)
        named = [] if terms.games else games_of(bots[1][1], asked)
        common = both_play(tables, named, where, has_build=bool(build) or shop is None)
        wanted = terms.games or [one for one in named if one in common] or common
        config = _configured(tables, wanted, terms, event, jobs_of(jobs))
        progress = Progress(config)
        with at_cluster(cluster, hosts_alike=hosts_alike) as elsewhere, watched(progress):
            # What another match would be has another digest: a build is never twice the same.
            summary = play(config, where, progress, force=True, budget=allowed, elsewhere=elsewhere)
    is_of_old = both[0].is_own and not both[1].is_own
    clocks = tuple(clock_of(table, terms.tc) for table in tables)
    return PlayedMatch((both[0].name, both[1].name), is_of_old, where, summary, progress, clocks)


# The same from Python


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchResult(RunResult):
    """What a match has come to."""

    old: str
    """Its name in the match."""

    new: str

    @property
    def decision(self) -> Decision:
        """Return how its test stands, in which the new bot is the first."""
        return Decision.of(self.outcome)

    @property
    def verdict(self) -> Word:
        """Return what the test says of the new bot."""
        return verdict_of(self.outcome.data["sprt"])[1]

    @property
    def is_better(self) -> bool:
        """Return whether the test has found the new bot better."""
        return self.verdict == "better"


def match(
    old: str | Path | Sequence[str],
    new: str | Path | Sequence[str],
    *,
    build: str = "",
    run: str = "",
    games: Sequence[str] = (),
    tc: str = "",
    budget: str | int = BUDGET,
    sprt: str = SPRT,
    openings: str = "",
    seed: int = 1,
    jobs: int | Literal["auto"] | None = None,
    sandbox: str | None = None,
    cluster: str | None = None,
    hosts_alike: bool = False,
    out: str | Path | None = None,
    on_event: Callable[[Event], None] | None = None,
) -> MatchResult:
    """Say whether a bot is better than another, or than it was, as `arena match` does.

    All is named as there, and means the same: `old` and `new` are each a folder, a git revision, a
    file, a command, a list of its words, or a bundled bot. The same call goes on with the match,
    unless a bot or the terms are others by then. Without `tc` a contest's bot has the contest's
    time, and others have `TIME`.

    `on_event`, Ctrl-C and errors are as of `lath.arena.tournament`; a bot that does not start is an
    ArenaError here.
    """
    with heard_by(on_event) as hearing:
        ended = held(
            in_words(old),
            in_words(new),
            build=build,
            run=run,
            games=games,
            tc=tc,
            budget=str(budget),
            sprt=sprt,
            openings=openings,
            seed=seed,
            jobs=jobs,
            sandbox=sandbox,
            cluster=cluster,
            hosts_alike=hosts_alike,
            out=None if out is None else Path(out),
            watched=hearing,
        )
    result = result_of(ended.summary, ended.progress, ended.folder)
    for words in ended.summary.unable(ended.names):
        raise ArenaError(words)
    return MatchResult(
        folder=result.folder,
        summary=result.summary,
        warnings=result.warnings,
        old=ended.names[0],
        new=ended.names[1],
    )
