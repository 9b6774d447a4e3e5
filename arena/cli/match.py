"""`arena match`: is the new bot better than the old one? Two bots from anywhere, a verdict.

Must not know how a tournament is played, nor how a test decides.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import shlex
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from lath import games
from lath.arena import signals
from lath.arena.cli.ending import at_cluster, print_faults, unhurt_output
from lath.arena.cli.main import (
    App,
    AsJson,
    Cluster,
    HostsAlike,
    Sandbox,
    argument,
    flag,
    option,
    whole,
)
from lath.arena.errors import (
    BETTER,
    FAULT,
    INTERRUPTED,
    NOT_BETTER,
    UNDECIDED,
    ArenaError,
    ConfigError,
    GameVoidError,
)
from lath.arena.referee import trees
from lath.arena.referee.clock import Limits
from lath.arena.referee.conversation import Bot
from lath.arena.referee.process import Watch
from lath.arena.schedule.openings import digest as sha256_of
from lath.arena.schedule.sprt import score_of
from lath.arena.terminal.layout import Output
from lath.arena.terminal.live import screen
from lath.arena.tournament.builds import ready
from lath.arena.tournament.config import (
    Config,
    budget_of,
    build,
    openings_table,
    read_toml,
    sprt_table,
    time_table,
)
from lath.arena.tournament.database import CONFIG
from lath.arena.tournament.entrants import (
    Origin,
    executables,
    origin_of,
    spec_of,
    table_in,
    time_of,
)
from lath.arena.tournament.events import Progress, Summary, end_words
from lath.arena.tournament.folder import run as play
from lath.arena.tournament.programs import files_in
from lath.arena.tournament.resuming import fingerprints
from lath.arena.tournament.revisions import Workshop, workshop
from lath.arena.tournament.sources import records_of
from lath.arena.walls.limits import close_to_others
from lath.games.files import lasting
from lath.notation.record import Record
from lath.notation.suggestions import is_game
from lath.reports.outcome import Outcome

app = App()

ROUNDS: Final = 100_000
"""At most; the test or the budget ends it before."""

TIME: Final = "0.5+0.01 first 1"
"""Games of a second or two, so that some dozens fit into two minutes of two cores."""

SPRT: Final = "0,40"
"""Elo: what some hundred games can tell from nothing."""

BUILDS: Final = "checkouts"
"""The folder of a match in which revisions are while it is played."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What decides a match besides who plays."""

    build: str
    run: str
    games: tuple[str, ...]
    tc: str
    sprt: str
    openings: str
    seed: int

    def digest(self, both: Sequence[Origin]) -> str:
        """Return what another match has otherwise: other bots, another version, other terms.

        Raises ConfigError where a file of openings cannot be read.
        """
        rows: list[object] = [self.build, self.run, self.games, self.tc, self.sprt, self.seed]
        if self.openings:
            table = openings_table(self.openings, Path.cwd())
            rows.append(
                table | {"file": sha256_of(Path(table["file"]))} if "file" in table else table
            )
        rows += [file.sha256 for one in self.games if (file := games.origin(one))]
        for one in both:
            rows += [one.name, one.kind, dict(one.parts)]
            if one.revision is not None:
                rows += one.revision[1:]
            elif one.kind == "folder":  # to read all that a build has left there takes too long
                found = [(path, path.stat()) for path in files_in(one.where)]
                rows += [(str(path), file.st_size, file.st_mtime_ns) for path, file in found]
            else:
                spec = spec_of({"name": one.name, "command": list(one.words), **one.parts})
                rows += [spec.command, fingerprints([spec])]
        return hashlib.sha256(json.dumps(rows, default=str).encode()).hexdigest()[:10]


def folder_of(both: Sequence[Origin], digest: str) -> Path:
    """Return where a match is kept that nobody names a directory for: out of the user's way."""
    try:
        state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    except RuntimeError as error:
        raise ConfigError(
            "there is no home folder to keep the match in: name one, --out"
        ) from error
    names = "".join(
        letter if letter.isalnum() or letter in "-_." else "_"
        for letter in f"{both[0].name}-{both[1].name}"
    )
    return Path(state) / "lath-arena" / "matches" / f"{names[:60]}-{digest}"


def _entered(
    both: Sequence[Origin], terms: Terms, shop: Workshop | None, tell: Callable[[str], None]
) -> Iterator[tuple[dict[str, Any], Path | None]]:
    """Yield the table of each bot and its folder, checked out and built where it is a revision."""
    for one, role in zip(both, ("old", "new"), strict=True):
        home, made = one.where, set[Path]()
        if one.revision is not None and shop is not None:
            home = shop.check_out(one.revision, role)
            if terms.build:
                before = executables(home)
                tell(f"building {one.name}: {terms.build}")
                shop.build(terms.build, home, role)
                made = executables(home) - before
        if one.kind == "command":
            table: dict[str, Any] = {"command": list(one.words)}
        else:
            table = table_in(home, terms.run, made, f"{role.upper()}, {one.name}")
        yield {**table, **one.parts, "name": one.name}, None if one.kind == "command" else home


def _games_of(home: Path | None) -> list[str]:
    """Return the games that the configuration in a folder names; none without one.

    Those of files are added, before bots are asked what they play. Raises GameFileError.
    """
    if home is None or not (home / CONFIG).is_file():
        return []
    named = read_toml(home / CONFIG)[0].get("games")
    texts = [text for text in named if isinstance(text, str)] if isinstance(named, list) else []
    return [game for text in texts if is_game(game := games.named(text, home))]


def _both_play(
    tables: Iterable[Mapping[str, Any]], named: Iterable[str], has_build: bool
) -> list[str]:
    """Return the games that both bots say that they play, `named` ones first; raises ArenaError."""
    common = list(dict.fromkeys((*named, *games.ids())))
    watch = Watch()
    for table in tables:
        bot = Bot(ready(spec_of(dict(table))), watch, tree=f"match-{secrets.token_hex(4)}.")
        try:
            with signals.interruptible():
                bot.start(Limits(time=time_of("none")))
            common = [game for game in common if bot.greeting.plays(game)]
        except GameVoidError as error:
            hint = "" if has_build else "; --build CMD builds a git revision first"
            raise ArenaError(f"{error}{hint}") from error
        finally:
            bot.quit()
    if not common:
        raise ArenaError("there is no installed game that both bots say that they play")
    return common


def _configured(
    tables: Sequence[dict[str, Any]], played: Sequence[str], terms: Terms, event: str
) -> Config:
    """Return the match; the new bot is the first, of whom the test asks whether it is better."""
    toml = {
        "event": event,
        "games": [lasting(one) for one in played],
        "format": "match",
        "rounds": ROUNDS,
        "seed": terms.seed,
        "jobs": "auto",
        "time": time_table(time_of(terms.tc)),
        "sprt": sprt_table(terms.sprt),
        **({"openings": terms.openings} if terms.openings else {}),
        "bot": [tables[1], tables[0]],
    }
    return build(toml, Path.cwd())


def _refuse_another(out: Path, event: str) -> None:
    """Raise ConfigError where a directory that was named holds something else."""
    if (out / CONFIG).is_file() and (held := read_toml(out / CONFIG)[0].get("event")) != event:
        raise ConfigError(
            f"{out} holds {held!r}, which is not this match: its bots, their files or its terms "
            "are others; choose another --out, or none"
        )


# What it came to


def verdict_of(test: Mapping[str, Any]) -> tuple[int, str]:
    """Return the exit status that a test comes to, and the word for it."""
    if test["verdict"] == "H1":
        return BETTER, "better"
    if test["verdict"] is None:
        return UNDECIDED, "undecided"
    high = test["elo_high"]
    return NOT_BETTER, "worse" if high is not None and high < 0 else "not better"


def _sentences(outcome: Outcome, new: str) -> Iterator[str]:
    """Yield in plain words what a match has found of the new bot."""
    test = outcome.data["sprt"]
    status, word = verdict_of(test)
    yield outcome.verdict if status == UNDECIDED else f"{word}: {outcome.verdict}"
    games = f"of {2 * sum(test['counts'])} games"
    if test["repeating"]:
        games += f" that count ({2 * test['repeating']} more in pairs that repeat a game)"
    if test["elo"] is not None:
        low, high = (
            "unbounded" if elo is None else f"{elo:+.0f}"
            for elo in (test["elo_low"], test["elo_high"])
        )
        score = f"expected score {score_of(test['elo']):.1%}"
        yield f"{score}, {test['elo']:+.0f} Elo (95 %: {low} to {high}), {games}"
    elif any(test["counts"]):
        yield f"{new} has {'won' if test['counts'][4] else 'lost'} all {games}"


def _losses(records: Iterable[object], new: str) -> Iterator[str]:
    """Yield where the new bot lost points: by seat, by game, in which opening most."""
    scores: dict[str, Counter[str]] = {}
    for record in records:
        if not isinstance(record, Record):
            continue
        seat = "first" if record.first == new else "second"
        half = {"1-0": 2, "0-1": 0, "1/2-1/2": 1}.get(record.result, 0)
        half = half if seat == "first" else 2 - half
        opening = record.tag("Opening") or record.tag("Setup") or "its start"
        for key in (f"as {seat}", f"at {record.game}", f"at {record.game} from {opening}"):
            scores.setdefault(key, Counter()).update(games=1, halves=half)

    def words(key: str) -> str:
        one = scores[key]
        return f"{one['halves'] / 2 / one['games']:.0%} {key} ({one['games']} games)"

    seats = [f"as {seat}" for seat in ("first", "second") if f"as {seat}" in scores]
    played = [key for key in scores if is_game(key.removeprefix("at "))]
    if seats:
        yield f"{new} scored {', '.join(map(words, seats))}"
    if len(played) > 1:
        worst = min(played, key=lambda key: scores[key]["halves"] / scores[key]["games"])
        yield f"least: {words(worst)}"
    starts = [key for key in scores if key not in seats and key not in played]
    if len(starts) > len(played):
        lost = {key: 2 * scores[key]["games"] - scores[key]["halves"] for key in starts}
        worst = max(starts, key=lambda key: lost[key] - scores[key]["halves"])
        if lost[worst] > scores[worst]["halves"]:
            yield f"least from one opening: {words(worst)}"


def _print_verdict(
    summary: Summary, names: tuple[str, str], out: Path, *, as_json: bool, quiet: bool
) -> None:
    with unhurt_output("the verdict"):
        if as_json:
            print(_as_json(summary.outcome.data["sprt"], names, out, summary))
            return
        print(*_sentences(summary.outcome, names[1]), sep="\n")
        if quiet:
            return
        for words in _losses(records_of([out], rules=False), names[1]):
            print(words)
        for bot in summary.bots:
            faults = [f"{count} by {ending}" for ending, count in bot.lost_by.items() if count]
            if faults:
                print(f"{bot.name} lost by its own fault: {', '.join(faults)}")
    print_faults(summary, out, Output(to_stdout=True, of_run=True))


def _as_json(test: Mapping[str, Any], names: tuple[str, str], out: Path, summary: Summary) -> str:
    elo = test["elo"]
    return json.dumps(
        {
            "verdict": verdict_of(test)[1],
            **dict(zip(("old", "new"), names, strict=True)),
            "score": None if elo is None else round(score_of(elo), 6),
            **{key: test[key] for key in ("elo", "elo_low", "elo_high", "llr")},
            "games": 2 * sum(test["counts"]),
            "lost_by": {bot.name: dict(bot.lost_by) for bot in summary.bots},
            "folder": str(out),
        },
        indent=2,
        ensure_ascii=False,
    )


@app.command()
def match(
    old: Annotated[str, argument("OLD", "A folder, git revision, file, command or bundled bot.")],
    new: Annotated[str, argument("NEW", "The same: is it better? NAME=NEW gives it a name.")],
    build_: Annotated[
        str, option("--build", "CMD", "Builds a git revision, in its own checkout.")
    ] = "",
    run: Annotated[
        str, option("--run", "CMD", "Starts the bot of a folder or revision, taken from there.")
    ] = "",
    game: Annotated[
        list[str] | None,
        option("--game", "GAME", "A game or file to play; else what both play."),
    ] = None,
    tc: Annotated[str, option("--tc", "TIME", "As for `arena run`.")] = TIME,
    budget: Annotated[
        str, option("--budget", "N|TIME", "End undecided after N games, or 90s, 10m, 2h.")
    ] = "2m",
    sprt: Annotated[
        str, option("--sprt", "ELO0,ELO1", "No better than ELO0, or better by ELO1?")
    ] = SPRT,
    openings: Annotated[
        str, option("--openings", "random:N|FILE[:N]", "Where games begin: as of `arena run`.")
    ] = "",
    seed: Annotated[int, option("--seed", "N", "For all chance.", **whole(0))] = 1,
    sandbox: Sandbox = None,
    cluster: Cluster = None,
    hosts_alike: HostsAlike = False,
    out: Annotated[Path | None, option("--out", "DIR", "Where the match is kept.")] = None,
    as_json: AsJson = False,
    quiet: Annotated[bool, flag("--quiet -q", "Say the verdict only.")] = False,
) -> None:
    """Say whether a bot is better than another, or than it was.

    The same command again goes on with the match, unless a bot or the terms are others by then.

    Exit status 10 when NEW is better, 11 when it is not, 12 when that is undecided; else as of
    `arena run`.

    Example: arena match main HEAD --build make
    """
    allowed, _ = budget_of(budget), sprt_table(sprt)  # before anything is built
    with signals.interruptible():
        both = origin_of(old, "old"), origin_of(new, "new")
        for one in both:
            if one.note:
                print(f"note: {one.note}", file=sys.stderr)
        if both[0].revision and both[0].revision == both[1].revision:
            print("note: OLD and NEW are the same commit", file=sys.stderr)
        if both[0].name.casefold() == both[1].name.casefold():
            both = both[0]._replace(name="old"), both[1]._replace(name="new")
        if build_ and not any(one.revision for one in both):
            raise ConfigError("--build is for git revisions; folders and commands are as they are")
        if run and all(one.kind == "command" for one in both):
            raise ConfigError("--run is for folders and git revisions; a command says it itself")
        terms = Terms(
            build=build_,
            run=run,
            games=tuple(games.get(games.named(one)).id for one in game or ()),
            tc=str(time_of(tc)),
            sprt=sprt,
            openings=openings,
            seed=seed,
        )
        digest = terms.digest(both)
    where = folder_of(both, digest) if out is None else out
    event = f"{both[0].name} - {both[1].name} ({digest})"
    _refuse_another(where, event)
    with ExitStack() as stack:
        shop = None
        if any(one.revision for one in both):
            shop = stack.enter_context(workshop((where / BUILDS).absolute()))
        trees.adopt_orphans()  # of bots; who clears up has begun before
        close_to_others()
        tell = (lambda _: None) if quiet else partial(print, file=sys.stderr)
        entered = list(_entered(both, terms, shop, tell))
        tables = [({"sandbox": sandbox} if sandbox else {}) | table for table, _ in entered]
        named = _games_of(entered[1][1])
        common = _both_play(tables, named, has_build=bool(build_) or shop is None)
        wanted = terms.games or [one for one in named if one in common] or common
        config = _configured(tables, wanted, terms, event)
        progress = Progress(config)
        with (
            at_cluster(cluster, hosts_alike=hosts_alike) as elsewhere,
            screen(progress, quiet=quiet, verbose=False, is_shared=False),
        ):
            # What another match would be has another digest: a build is never twice the same.
            summary = play(config, where, progress, force=True, budget=allowed, elsewhere=elsewhere)
        status = _told(summary, progress, both, where, as_json=as_json, quiet=quiet)
    raise typer.Exit(status)


def _told(
    summary: Summary,
    progress: Progress,
    both: Sequence[Origin],
    out: Path,
    *,
    as_json: bool,
    quiet: bool,
) -> int:
    """Say what a match came to, and return the exit status."""
    names = both[0].name, both[1].name
    test = summary.outcome.data["sprt"]
    _print_verdict(summary, names, out, as_json=as_json, quiet=quiet)
    for words in end_words(summary.stopped, progress.warnings):
        print(f"arena: {words}", file=sys.stderr)
    if not quiet:
        print(f"look further: arena rate {shlex.quote(str(out))}", file=sys.stderr)
        if summary.unreported is None:
            print(f"report: {out / 'report.html'}", file=sys.stderr)
    if summary.unreported is not None:
        raise summary.unreported  # a bug: its place is told
    if summary.interrupted:
        print("arena: interrupted; the same command goes on", file=sys.stderr)
        return INTERRUPTED
    if summary.stopped:
        return FAULT
    status, _ = verdict_of(test)
    if status == UNDECIDED and not (quiet or test["has_stopped"]):
        print("the same command plays on, with --budget 10m for longer", file=sys.stderr)
    return status
