"""Test whether a new bot is better than an old one, for `arena match` and for Python."""

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
"""The maximum; the test or the budget ends a match earlier."""

TIME: Final = "0.5+0.01 first 1"
"""A time control for games of 1–2 s: dozens of them fit into 2 minutes on two cores."""


def usual_time(origins: Sequence[BotOrigin]) -> str:
    """Return the default time control: that of the contest for a contest's bot, or `TIME`.

    A bot in a folder belongs to a contest if the configuration in the folder says so.
    """
    said = set[str]()
    for one in origins:
        said.add(one.parts.get("protocol", ""))
        if one.kind == "folder" and not one.asked:
            with suppress(ConfigError):  # reported later, when the file is used
                bots = read_toml(one.where / CONFIG)[0].get("bot")
                tables = bots if isinstance(bots, list) else []
                said |= {str(bot.get("protocol")) for bot in tables if isinstance(bot, dict)}
    return next((one.tc for one in CONTESTS.values() if one.id in said), TIME)


def clock_of(table: Mapping[str, Any], tc: str) -> str:
    """Return the time control of a bot."""
    return time_in(table) if "time" in table else tc


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchTerms:
    """The terms of a match: everything except the bots."""

    build: str
    run: str
    games: tuple[str, ...]
    tc: str
    sprt: str
    openings: str
    seed: int

    @classmethod
    def of(cls, request: MatchRequest, tc: str, sprt: str) -> MatchTerms:
        """Return the terms of a request, with ids of game types and a normalised time.

        `tc` is the default time control; `sprt` is empty without a test. Raises ArenaError.
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
        """Return a configuration of the format `kind` with these terms, without bots."""
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
        """Return a hash that differs for other bots, versions of bots or terms.

        Raises ConfigError if a file of openings cannot be read.
        """
        rows: list[object] = [self.build, self.run, self.games, self.tc, self.sprt, self.seed]
        if self.openings:
            table = openings_table(self.openings, Path.cwd())
            rows.append(
                table | {"file": sha256_of(Path(table["file"]))} if "file" in table else table
            )
        rows += [
            each.sha256 or each.name
            for one in self.games
            if (each := known_games.rules_origin(one))
        ]
        for one in both:
            rows += [one.name, one.kind, dict(one.parts)]
            if one.revision is not None:
                rows += one.revision[1:3]
            elif one.kind == "folder":  # the contents of a build would take too long to read
                # The arena writes reports into bot folders; they do not change the bot.
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
    """Return the default directory of a match, among the user's state files."""
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
"""The folder in a match's directory for checked-out revisions, used during the match."""


def shop_for(origins: Sequence[BotOrigin], folder: Path) -> AbstractContextManager[Workshop | None]:
    """Return the context manager of the workshop for git revisions; it gives None without any."""
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
    """Yield each bot's table and folder; revisions are checked out and built first."""
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
    """Return the game types named by the configuration in a folder; empty without a file.

    Game files among them are loaded before the bots start. The arena runs game files outside the
    sandbox, so with a sandbox they raise ConfigError. Also raises GameFileError.
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
    """Return the game types that all bots play, those in `named` first; raises ArenaError."""
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
    """Raise ConfigError if the chosen directory holds another match."""
    if (out / CONFIG).is_file() and (held := read_toml(out / CONFIG)[0].get("event")) != event:
        raise ConfigError(
            f"{out}: already contains another match, {held!r}, with other bots, files or options",
            hint="--output OTHER, or no --output",
        )


Word = Literal["better", "not better", "worse", "undecided"]
"""The verdict on the new bot."""


def verdict_of(test: Mapping[str, Any]) -> tuple[int, Word]:
    """Return the exit status and the word for the verdict of a test."""
    if test["verdict"] == "H1":
        return BETTER, "better"
    if test["verdict"] is None:
        return UNDECIDED, "undecided"
    high = test["elo_high"]
    return NOT_BETTER, "worse" if high is not None and high < 0 else "not better"


class PlayedMatch(NamedTuple):
    """A match at the end of a run; a later run can resume it."""

    names: tuple[str, str]
    """The names of the old and the new bot."""

    is_of_old: bool
    """True if the old bot is the user's own and the new one is bundled."""

    folder: Path
    summary: RunSummary
    progress: Progress
    clocks: tuple[str, ...] = ()
    """The time control of each bot, in the order of `names`."""


def _named_apart(
    old: BotOrigin, new: BotOrigin, note: Callable[[str], None]
) -> tuple[BotOrigin, BotOrigin]:
    """Return both bots under different names; `note` gets notes for the user."""
    for one in (old, new):
        if one.note:
            note(one.note)
    if old.revision and old.revision == new.revision:
        note("OLD and NEW are the same commit, so their strength is equal")
    if old.name.casefold() == new.name.casefold():
        return old._replace(name="old"), new._replace(name="new")
    return old, new


def _note_times(tables: Sequence[Mapping[str, Any]], note: Callable[[str], None]) -> None:
    """Note which bots have their own time control, if the two differ."""
    if tables[0].get("time") != tables[1].get("time"):
        for table in tables:
            if "time" in table:
                note(f"{table['name']} has its own time control, {time_in(table)}")


_ROLES: Final = ("old", "new")


def held(request: MatchRequest, audience: Audience) -> PlayedMatch:
    """Start or resume a match and return its state at the end of the run; raises ArenaError."""
    if request.new is None:
        raise ConfigError("NEW: the bot to compare with OLD is missing")
    names, sandbox = (in_words(request.old), in_words(request.new)), request.sandbox
    with signals.interruptible():
        # Both revisions are of one repository: it is untrusted if one of the bots is.
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
        # The test asks about the first bot, so the new one comes first.
        config = build({**toml, "bot": [tables[1], tables[0]]}, Path.cwd())
        # The digest excludes other matches; a rebuilt bot has other bytes but is the same.
        summary, progress = played(request, config, where, audience, force=True)
    is_of_old = both[0].is_own and not both[1].is_own
    clocks = tuple(clock_of(table, terms.tc) for table in tables)
    return PlayedMatch((both[0].name, both[1].name), is_of_old, where, summary, progress, clocks)


# The Python interface


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchResult(RunResult):
    """The result of a match."""

    old: str
    """The old bot's name in the match."""

    new: str

    @property
    def decision(self) -> Decision:
        """The state of the test, with the new bot as the first."""
        return Decision.of(self.outcome)

    @property
    def verdict(self) -> Word:
        """The test's verdict on the new bot."""
        return verdict_of(self.outcome.data["sprt"])[1]

    @property
    def is_better(self) -> bool:
        """True if the test accepted that the new bot is better."""
        return self.verdict == "better"


@door(MatchRequest)
def match(request: MatchRequest) -> MatchResult:
    """Test whether a new bot is better than an old one, as `arena match` does.

    The arguments are the fields of `MatchRequest`. The default `tc` is the contest's time for a
    contest's bot and `TIME` for other bots.

    Ctrl-C and errors are handled as in `lath.arena.tournament`. Raises ArenaError if a bot does not
    start.
    """
    with heard_by(request.on_event) as hearing:
        ended = held(request, Audience(watched=hearing))
    (old, new), _, folder, summary, progress, _ = ended
    result = result_of(summary, progress, folder, MatchResult, old=old, new=new)
    for words in summary.unable(ended.names):
        raise ArenaError(words)
    return result
