"""Checks and notes of a run that resumes a tournament.

The run must play the same games, or it is refused; settings that can still decide games are noted.
A tournament resumed with another program under the same name would compare nothing, so the files of
bots have fingerprints.
"""

from __future__ import annotations

import datetime as dt
import json
import shlex
import sys
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, cast

from lath import games
from lath.arena.directory import DATABASE
from lath.arena.entrants.programs import files_in, is_there, todays
from lath.arena.entrants.sizes import SIZES
from lath.arena.errors import ConfigError
from lath.arena.machine import system
from lath.arena.referee.bots import BotSpec, Greeting
from lath.arena.referee.originals import Original, file_as_it_is, folder_as_it_is
from lath.arena.schedule.core import seed_digest
from lath.arena.schedule.formats import FORMATS
from lath.arena.schedule.openings import BookChoice, digest
from lath.arena.tournament.configuration.config import Config, Noted
from lath.arena.tournament.outcome.versions import POOL
from lath.arena.tournament.run.benches import Benches
from lath.arena.tournament.store.database import CHANGES, FILES, PROVENANCE, ROUNDS, SETTINGS
from lath.arena.tournament.store.store import Store
from lath.games import origin, rules_origin
from lath.games.core import FIRST_VERSION, version_of
from lath.reports.notes.notes import Change, Entrant, Machine, Options, OtherMachine, Provenance

Files = dict[str, dict[str, str]]
"""SHA-256 of each bot's files by path; under GAMES those of game types."""

GAMES: Final = ""
"""The key for files of game types, which belong to no bot."""

MOST_SAID: Final = 200
"""The most characters to keep of each text in a bot's handshake."""


def fingerprints(bots: Iterable[BotSpec]) -> Files:
    """Return the fingerprints of all programs, arguments and other files of bots.

    The Python that runs the arena is not a bot's file, nor is a program found on PATH. Raises
    ConfigError.
    """
    return {
        bot.name: {
            str(path): digest(path)
            for path in (
                *filter(_is_own, map(Path, bot.command)),
                *(file for path in bot.files for file in files_in(Path(path))),
            )
        }
        for bot in bots
    }


def watched(bots: Iterable[BotSpec], files: Files) -> tuple[BotSpec, ...]:
    """Return the bots with the state of their files, so that changes during play are noticed.

    `files` are their fingerprints. For a bot that plays in a copy, only the program counts: it may
    write to its copy. Raises ConfigError if a file has changed since.
    """
    return tuple(
        replace(bot, originals=tuple(_originals(bot, files.get(bot.name, {})))) for bot in bots
    )


def _originals(bot: BotSpec, known: Mapping[str, str]) -> Iterator[Original]:
    own = [word for word in bot.command if _is_own(Path(word))]
    inner = [str(file) for path in bot.files for file in files_in(Path(path))]
    is_copy = {*own, *inner} != {*known}
    for path in dict.fromkeys(own if is_copy else (*own, *inner)):
        try:
            found = file_as_it_is(path)
        except OSError as error:
            raise ConfigError(f"bot {bot.name!r}: {path}: {error.strerror}") from error
        if not is_copy and found.sha256 != known[path]:
            raise ConfigError(f"bot {bot.name!r}: {path} has just changed; start the run again")
        yield found
    folders = () if is_copy else bot.files
    yield from (folder_as_it_is(path, DATABASE) for path in folders if Path(path).is_dir())


def fingerprints_of_games(game_ids: Iterable[str]) -> Files:
    """Return the fingerprints of the files of game types; empty without any.

    A game type of a distribution has that and its modules, and any installed one has the version of
    its rules, if that is not the first.
    """
    prints = {}
    for game_id in game_ids:
        if file := origin(game_id):
            prints[f"of {game_id}"] = file.sha256
            continue
        if package := rules_origin(game_id):
            prints[f"{_OF_PACKAGE}{game_id}"] = package.tag
        if (version := version_of(games.get(game_id))) != FIRST_VERSION:
            prints[f"with the rules of {game_id}"] = version
    return {GAMES: prints} if prints else {}


_OF_PACKAGE: Final = "of the package of "
"""The beginning of the key of a distribution; the notes of earlier versions do not have it."""


def _is_own(path: Path) -> bool:
    """Return whether a word of a command is a file of the bot."""
    return path.is_absolute() and is_there(path, Path.is_file) and not path.samefile(sys.executable)


def changes(
    before: Mapping[str, Mapping[str, str]], now: Mapping[str, Mapping[str, str]]
) -> list[tuple[str, str]]:
    """Return bots with changed, new or removed files, by name and path."""
    return [
        (name, path)
        for name, files in before.items()
        if name in now
        for path in sorted({*files, *now[name]})
        if files.get(path) != now[name].get(path)
    ]


def resumed(store: Store, config: Config, folder: Path) -> Config:
    """Return the configuration to resume `folder` with; raises ConfigError.

    Without games that is `config`. Otherwise `config` must play the same games. Rounds default to
    the earlier number, and must not be fewer. Notes of version 0.1.0 are accepted.
    """
    config = replace(
        config, bots=tuple(replace(bot, command=todays(bot.command)) for bot in config.bots)
    )
    theirs: dict[str, Any] | None = store.tournament()
    config = as_begun(config, theirs or {})
    if config.format == POOL or theirs is None or not (store.has_games() or store.walkovers()):
        return config
    for bot in theirs.get("bots", ()):
        bot["command"] = list(todays(bot["command"]))
    ours = {bot["name"]: bot for bot in config.identity()["bots"]}  # type: ignore[attr-defined]
    mended = Benches(store).now
    theirs["bots"] = [
        ours.get(bot["name"], bot) if bot["name"] in mended else bot
        for bot in theirs.get("bots", ())
    ]
    if theirs != config.identity():
        raise _another(theirs, config, folder)
    before = store.note(ROUNDS)
    if before is None or "rounds" not in FORMATS[config.format].settings:
        return config
    if "rounds" not in config.as_written:
        return replace(config, rounds=before, as_written={**config.as_written, "rounds": before})
    if config.rounds < before:
        raise ConfigError(
            f"{folder}: has games of {before} rounds, more than rounds = {config.rounds}",
            hint=f"--rounds {before} resumes it, and --output OTHER begins a new tournament\n"
            f"{_way_out(folder)}",
        )
    return config


def _way_out(folder: Path) -> str:
    return f"arena run {shlex.quote(str(folder))} --format pool turns it into a pool"


def as_begun(config: Config, theirs: Mapping[str, Any]) -> Config:
    """Return `config` with openings made as in the tournament that is resumed.

    Older versions made no openings by default, and used all entries of a book, even those of the
    same game.
    """
    openings, before = config.openings, theirs.get("openings")
    if theirs and before is None and "openings" not in config.as_written:
        return config.beginning(None)
    if isinstance(openings, BookChoice) and isinstance(before, dict) and "sha256" in before:
        return config.beginning(replace(openings, folded="folded" in before))
    return config


def _another(theirs: Mapping[str, object], config: Config, folder: Path) -> ConfigError:
    if theirs.get("format") == POOL:
        return ConfigError(
            f'{folder}: a pool keeps format = "pool"', hint="--output OTHER for another format"
        )
    ours = config.identity()
    different = [key for key in ours if ours[key] != theirs.get(key)]
    before = theirs.get("openings")
    if (
        different == ["openings"]
        and isinstance(config.openings, BookChoice)
        and isinstance(before, dict)
    ):
        now = config.openings.identity()
        if {**before, "sha256": now["sha256"]} == now:
            return ConfigError(
                f"{config.openings.path}: the opening book has changed since games were played",
                hint="restore the old book, or begin a new tournament with --output OTHER\n"
                f"{_way_out(folder)}",
            )
    return ConfigError(
        f"{folder}: contains a tournament with another configuration ({', '.join(different)})",
        hint="leave these settings out to resume it, or begin a new one with --output OTHER\n"
        f"{_way_out(folder)}",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class NotedChange(Change):
    """A change in the notes of the store."""

    was: object
    """The value before the change."""

    @property
    def words(self) -> str:
        """Return the change as a sentence."""
        of = f"{self.setting} of bot {self.bot!r}" if self.bot else self.setting
        return f"{of} changed from {self.before} to {self.now} after {self.games} games"


def note_changes(
    store: Store, config: Config, files: Files
) -> tuple[dict[str, object], list[NotedChange]]:
    """Return notes of the current settings, and the changes since the stored games.

    A setting without a note, as by 0.1.0, does not count as changed. Raises StoreError, and what
    reading a damaged note raises.
    """
    games = sum(tally.games for tally in store.tally())
    kept: list[dict[str, Any]] = []
    before = _with_files(store.note(SETTINGS) or {}, store.note(FILES) or {})
    for row in store.note(CHANGES) or ():
        if row["games"] < games:
            kept.append(row)
        else:  # the change has no games
            before[row["bot"]][row["setting"]] = row["was"]
    date = dt.datetime.now().astimezone().isoformat(timespec="seconds")
    new = []
    # An edited bot of a pool is a new version.
    checked = {GAMES: files.get(GAMES, {})} if config.format == POOL else files
    for bot, values in _with_files(config.noted, checked).items() if games else ():
        for setting, now in values.items():
            if (was := before.get(bot, {}).get(setting, now)) != now:
                words = dict(zip(("before", "now"), changed_words(setting, was, now), strict=True))
                new.append(
                    NotedChange(setting=setting, bot=bot, **words, games=games, date=date, was=was)
                )
    return {FILES: files, SETTINGS: config.noted, CHANGES: [*kept, *map(asdict, new)]}, new


def note_provenance(
    store: Store,
    config: Config,
    files: Files,
    said: Mapping[str, Greeting],
    hosts: Sequence[OtherMachine] = (),
) -> None:
    """Note what games are played with from now on, if it has changed.

    `said` has the handshakes of the bots that could be started; `hosts` are the machines of a
    cluster. Raises StoreError, and what reading a damaged note raises.
    """
    games = sum(tally.games for tally in store.tally())
    noted = store.note(PROVENANCE) or []
    kept = [row for row in noted if row["games"] < games]  # the other rows have no games
    now = json.loads(json.dumps(asdict(_provenance(config, files, said, games, hosts))))
    if kept:
        _spell(now, kept[-1])
    same = {"games": 0, "date": ""}
    if not kept or {**now, **same} != {"game_files": {}, "hosts": [], **kept[-1], **same}:
        kept.append(now)
    if kept != noted:
        store.keep_notes({PROVENANCE: kept})


def _spell(now: dict[str, Any], before: Mapping[str, Any]) -> None:
    """Spell paths as the earlier row does: a resumed run reads them from where it wrote them."""
    if now["resolved"] == before["resolved"]:
        now["configuration"] = before["configuration"]
    known = {bot["name"]: bot for bot in before["bots"]}
    for bot in now["bots"]:
        if same := known.get(bot["name"]):  # any other bot is refused, or another version
            bot["command"] = same["command"]
            if sorted(bot["files"].values()) == sorted(same["files"].values()):
                bot["files"] = same["files"]


def _provenance(
    config: Config,
    files: Files,
    said: Mapping[str, Greeting],
    games: int,
    hosts: Sequence[OtherMachine],
) -> Provenance:
    import tomlkit  # start-up time

    rows: Sequence[Mapping[str, Any]] = config.given.get("bot") or [{}] * len(config.bots)
    shown = [
        {**row, "env": dict.fromkeys(row["env"], "(not shown)")} if row.get("env") else row
        for row in rows
    ]
    return Provenance(
        games=games,
        date=dt.datetime.now().astimezone().isoformat(timespec="seconds"),
        arena=version("lath-arena"),
        machine=Machine(**system.machine()),
        jobs=config.jobs,
        cores=() if hosts else tuple(config.shares or ()),
        hosts=tuple(hosts),
        seed=config.seed,
        seed_sha256=seed_digest(config.seed),
        game_files={each.name: each.sha256 for one in config.games if (each := rules_origin(one))},
        bots=tuple(
            _entrant(bot, row, config, files.get(bot.name, {}), said.get(bot.name, Greeting()))
            for bot, row in zip(config.bots, rows, strict=True)
        ),
        configuration=tomlkit.dumps({**config.given, "bot": shown}),
        resolved=sha256(json.dumps(config.as_written, sort_keys=True).encode()).hexdigest(),
    )


def _entrant(
    bot: BotSpec, row: Mapping[str, Any], config: Config, files: Mapping[str, str], said: Greeting
) -> Entrant:
    """Return a bot as it plays, with paths as in its table in the configuration."""
    words = {
        **dict(zip(bot.command, row.get("command", bot.command), strict=False)),
        **dict(zip(bot.files, row.get("files", ()), strict=False)),
        sys.executable: "python",
    }

    def spelled(path: str) -> str:
        place = next((place for place in words if Path(path).is_relative_to(place)), path)
        return str(Path(words.get(place, place)) / Path(path).relative_to(place))

    words_said = {"says": said.name, "author": said.author, "version": said.version}
    return Entrant(
        name=bot.name,
        command=tuple(words.get(word, word) for word in bot.command),
        options=cast("Options", bot.options),
        time=str(bot.time or config.limits.time),
        files={spelled(path): digest_ for path, digest_ in files.items()},
        **{what: text[:MOST_SAID] for what, text in words_said.items()},
    )


def _with_files(settings: Noted, files: Files) -> dict[str, dict[str, Any]]:
    """Return settings that include the fingerprints of the bots' files."""
    both = {bot: dict(values) for bot, values in settings.items()}
    for bot, prints in files.items():
        both.setdefault(bot, {}).update({f"file {path}": value for path, value in prints.items()})
    return both


def changed_words(setting: str, before: Any, now: Any) -> tuple[str, str]:
    """Return the old and new value of a setting in words; values of variables stay secret.

    >>> changed_words("memory", 0, 512 << 20), changed_words("time.margin", 0.05, 0.1)
    (('no limit', '512 MiB'), ('0.05 s', '0.1 s'))
    >>> changed_words("env", {"KEY": "1"}, {"KEY": "2"})
    ('KEY', 'KEY (another value)')
    """

    def words(value: Any) -> str:
        match setting.split("."), value:
            case ["memory" | "cache"], 0:
                return "no limit" if setting == "memory" else "none"
            case ["memory" | "cache"], int(size):
                unit = next((unit for unit, of in SIZES.items() if size % (of << 10)), "GiB")
                return f"{size // SIZES[unit]} {unit}"
            case ((["time", _] | ["startup" | "margin" | "stop"]), (float() | None) as time_s):
                return "the tournament's" if time_s is None else f"{time_s:g} s"
            case [word, *_], str(text) if word.startswith("file "):
                return f"SHA-256 {text[:12]}…"
            case ["seed"], int(seed):  # the seed is published at the end
                return f"SHA-256 {seed_digest(seed)[:12]}…"
            case ["cwd"], "":
                return "a scratch folder"
            case ["hosts"], dict():
                return ", ".join(f"{host}: {command}" for host, command in value.items()) or "none"
            case (["env"], dict()) | (["reads"], list()):
                return ", ".join(map(str, value)) or "nothing"
        return f"{value}"

    was, is_ = words(before), words(now)
    return was, f"{is_} (another value)" if was == is_ else is_


def refuse_changed(
    store: Store, files: Files, *, force: bool, mended: Container[str] = ()
) -> list[str]:
    """Return messages on changed files of bots with stored games, and of game types.

    Raises ConfigError instead, unless `force` is set or the bots are in `mended`, because they are
    benched.
    """
    before: Files = {GAMES: {}} | (store.note(FILES) or {})
    changed = [
        each
        for each in (changes(before, files) if store.has_games() else ())
        if (each[0] == GAMES and not _is_new_key(each[1], before))
        or (each[0] != GAMES and store.last_games(each[0], 1))
    ]
    refused = [] if force else [each for each in changed if each[0] not in mended]
    if refused:
        raise ConfigError(
            _changed_file(*refused[0]),
            hint="--force resumes it, and --output OTHER begins a new tournament"
            + (f"\n{_way_out(store.folder)}" if refused[0][0] != GAMES else ""),
        )
    return [
        f"{_changed_file(whose, path)}; earlier games used "
        f"{'other rules' if whose == GAMES else 'another program'}"
        for whose, path in changed
    ]


def _is_new_key(path: str, before: Files) -> bool:
    """Return whether an earlier version did not note this fingerprint of a game type."""
    return path.startswith(_OF_PACKAGE) and path not in before[GAMES]


def _changed_file(whose: str, path: str) -> str:
    file = f"games: the file {path}" if whose == GAMES else f"bot {whose!r}: {path}"
    is_gone = Path(path).is_absolute() and not is_there(Path(path), Path.exists)
    return f"{file} {'was removed' if is_gone else 'has changed'} since games were played"
