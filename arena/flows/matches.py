"""A match: is the new bot better than the old one? Two bots from anywhere, a verdict.

It is what `arena match` does, and the same from Python.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from lath import games as known_games
from lath.arena.directory import CONFIG
from lath.arena.entrants import minimum
from lath.arena.entrants.bot_folders import executables, table_in
from lath.arena.entrants.flag_text import time_of, time_table
from lath.arena.entrants.origins import (
    BotOrigin,
    in_words,
    origin_of,
    sandbox_in,
    spec_of,
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
from lath.arena.flows.requests import SPRT, Audience, MatchRequest, door, jobs_of
from lath.arena.flows.runs import Decision, RunResult, greeting_of, heard_by, played, result_of
from lath.arena.machine import signals
from lath.arena.referee.bridges import CONTESTS
from lath.arena.schedule.openings import digest as sha256_of
from lath.arena.tournament.configuration.config import (
    build,
    openings_table,
    sprt_table,
)
from lath.arena.tournament.outcome.page_files import made_by
from lath.arena.tournament.run.progress import Progress, RunSummary
from lath.arena.tournament.run.resuming import fingerprints
from lath.games.naming import is_known, lasting
from lath.notation.files.folders import user_folder
from lath.notation.text.suggestions import is_game

ROUNDS: Final = 100_000
"""At most; the test or the budget ends it before."""

TIME: Final = "0.5+0.01 first 1"
"""Games of a second or two, so that some dozens fit into two minutes of two cores."""


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
    def of(cls, request: MatchRequest, tc: str, sprt: str) -> MatchTerms:
        """Return what is asked for, with games and time as they are called; raises ArenaError.

        `tc` is the time where none is asked for; `sprt` is empty where nothing is tested.
        """
        return cls(
            build=request.build,
            run=request.run,
            games=request.ids,
            tc=str(time_of(request.tc or tc)),
            sprt=sprt,
            openings=request.openings or "",
            seed=int(request.seed or 0),
        )

    def table(self, event: str, games: Sequence[str], kind: str, jobs: int | str) -> dict[str, Any]:
        """Return what a configuration of a format `kind` has by these terms, but for its bots."""
        return {
            "event": event,
            "games": [lasting(one) for one in games],
            "format": kind,
            "rounds": ROUNDS,
            "seed": self.seed,
            "jobs": jobs,
            "time": time_table(time_of(self.tc)),
            **({"sprt": sprt_table(self.sprt)} if self.sprt else {}),
            **({"openings": self.openings} if self.openings else {}),
        }

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
                # A match lays pages of ours beside the bots that it is of.
                found = [
                    (path, path.stat())
                    for path in files_in(one.where)
                    if path.suffix != ".html" or not made_by(path)
                ]
                rows += [(str(path), file.st_size, file.st_mtime_ns) for path, file in found]
            else:
                spec = spec_of({"name": one.name, "command": list(one.words), **one.parts})
                rows += [spec.command, fingerprints([spec])]
        return hashlib.sha256(json.dumps(rows, default=str).encode()).hexdigest()[:10]


def folder_of(both: Sequence[str], digest: str) -> Path:
    """Return where a match is kept that nobody names a directory for: out of the user's way."""
    try:
        state = user_folder("state")
    except RuntimeError as error:
        raise ConfigError(
            "--output: needed, because no home folder exists for the match"
        ) from error
    names = "".join(
        letter if letter.isalnum() or letter in "-_." else "_" for letter in "-".join(both)
    )
    return state / "matches" / f"{names[:60]}-{digest}"


BUILDS: Final = "checkouts"
"""The folder of a match in which revisions are while it is played."""


def shop_for(origins: Sequence[BotOrigin], folder: Path) -> AbstractContextManager[Workshop | None]:
    """Return where bots that are revisions are built; it gives None where none is one."""
    is_needed = any(one.revision for one in origins)
    return workshop((folder / BUILDS).absolute()) if is_needed else nullcontext()


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
            f"{home / CONFIG}: games: {own[0]!r} is a file that would run outside the sandbox "
            f"{asked!r}; expected names of games",
            hint="--game GAME|FILE names the games yourself",
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
            hint = "" if has_build else "--build CMD builds a git revision first"
            hints = "\n".join(filter(None, (error.hint, hint)))
            raise ArenaError(error.message, hint=hints) from error
        common = [game for game in common if greeting.plays(game)]
    if not common:
        raise ArenaError(
            f"{' and '.join(str(table['name']) for table in tables)}: no installed game is played "
            f"by {'both bots' if len(tables) > 1 else 'this bot'}",
            hint="arena games",
        )
    return common


def refuse_another(out: Path, event: str) -> None:
    """Raise ConfigError where a directory that was named holds something else."""
    if (out / CONFIG).is_file() and (held := read_toml(out / CONFIG)[0].get("event")) != event:
        raise ConfigError(
            f"{out}: holds another match, {held!r}, with other bots, files or terms; "
            "choose another --output, or none"
        )


Word = Literal["better", "not better", "worse", "undecided"]
"""What a match says of the new bot."""


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
        note("OLD and NEW are the same commit, so their strength is equal")
    if old.name.casefold() == new.name.casefold():
        return old._replace(name="old"), new._replace(name="new")
    return old, new


def _note_times(tables: Sequence[Mapping[str, Any]], note: Callable[[str], None]) -> None:
    """Say which bot plays with a time of its own, where the other does not have the same."""
    if tables[0].get("time") != tables[1].get("time"):
        for table in tables:
            if "time" in table:
                note(f"{table['name']} has its own time control, {time_in(table)}")


_ROLES: Final = ("old", "new")


def held(request: MatchRequest, audience: Audience) -> PlayedMatch:
    """Play a match, or go on with one, and return how it ended; raises ArenaError."""
    if request.new is None:
        raise ConfigError("NEW: missing; name the bot to compare with OLD")
    names, sandbox = (in_words(request.old), in_words(request.new)), request.sandbox
    with signals.interruptible():
        # Both revisions are of one repository: if one of them is not trusted, it is not.
        of_git = minimum.strongest(sandbox, *map(sandbox_in, names))
        old, new = (
            origin_of(name, role, sandbox, of_git=of_git)
            for name, role in zip(names, _ROLES, strict=True)
        )
        both = _named_apart(old, new, audience.note)
        if request.build and all(one.kind == "command" for one in both):
            raise ConfigError(
                "--build: needs a folder or git revision; for a command use '; build=CMD'"
            )
        if request.run and all(one.kind == "command" for one in both):
            raise ConfigError(
                "--run: needs a folder or git revision; a command names its program itself"
            )
        terms = MatchTerms.of(request, usual_time(both), request.sprt or SPRT)
        digest = terms.digest(both)
    where = request.folder or folder_of([one.name for one in both], digest)
    event = f"{both[0].name} - {both[1].name} ({digest})"
    refuse_another(where, event)
    with shop_for(both, where) as shop:
        audience.close()
        on_cluster = request.cluster is not None
        bots = list(entered(both, _ROLES, terms, shop, audience.tell, on_cluster=on_cluster))
        tables = [table for table, _ in bots]
        _note_times(tables, audience.note)
        asked = minimum.for_files(both[1].asked, on_cluster=on_cluster)
        named = [] if terms.games else games_of(bots[1][1], asked)
        common = both_play(tables, named, where, has_build=bool(request.build) or shop is None)
        wanted = terms.games or [one for one in named if one in common] or common
        toml = terms.table(event, wanted, "match", jobs_of(request))
        # The new bot is the first, of whom the test asks whether it is better.
        config = build({**toml, "bot": [tables[1], tables[0]]}, Path.cwd())
        # What another match would be has another digest: a build is never twice the same.
        summary, progress = played(request, config, where, audience, force=True)
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


@door(MatchRequest)
def match(request: MatchRequest) -> MatchResult:
    """Say whether a bot is better than another, or than it was, as `arena match` does.

    The arguments are the fields of `MatchRequest`. Without `tc` a contest's bot has the contest's
    time, and others have `TIME`.

    Ctrl-C and errors are as of `lath.arena.tournament`; a bot that does not start is an ArenaError
    here.
    """
    with heard_by(request.on_event) as hearing:
        ended = held(request, Audience(watched=hearing))
    (old, new), _, folder, summary, progress, _ = ended
    result = result_of(summary, progress, folder, MatchResult, old=old, new=new)
    for words in summary.unable(ended.names):
        raise ArenaError(words)
    return result
