"""What a run that goes on with a tournament may do otherwise than those before it.

The same games are played, or it is refused; what may decide them nevertheless is noted. A
tournament that goes on with another program under the same name compares nothing: so the files of
bots have fingerprints. Must not know how games are played, nor who asks.
"""

from __future__ import annotations

import datetime as dt
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

from lath.arena.errors import ConfigError
from lath.arena.referee.conversation import BotSpec
from lath.arena.schedule.formats import FORMATS
from lath.arena.schedule.openings import digest
from lath.arena.tournament.config import SIZES, Config, Noted
from lath.arena.tournament.database import CHANGES, FILES, ROUNDS, SETTINGS
from lath.arena.tournament.programs import is_there
from lath.arena.tournament.store import Store
from lath.reports.outcome import Change

Files = dict[str, dict[str, str]]
"""For each bot, by name, the SHA-256 of its files by their paths."""


def fingerprints(bots: Iterable[BotSpec]) -> Files:
    """Return the fingerprints of every program and argument that is a file; raises ConfigError.

    The Python that runs the arena is none of a bot's files, nor is a program found on PATH.
    """
    return {
        bot.name: {
            str(path): digest(path)
            for path in map(Path, bot.command)
            if path.is_absolute()
            and is_there(path, Path.is_file)
            and not path.samefile(sys.executable)
        }
        for bot in bots
    }


def changes(
    before: Mapping[str, Mapping[str, str]], now: Mapping[str, Mapping[str, str]]
) -> list[tuple[str, str]]:
    """Return bots with a file that is another one now, or has come or gone, by name and path."""
    return [
        (name, path)
        for name, files in before.items()
        if name in now
        for path in sorted({*files, *now[name]})
        if files.get(path) != now[name].get(path)
    ]


FORMER: Final = ("bots.greedy", "bots.monte_carlo", "bots.random_mover")
"""The modules of the bundled bots in 0.1.0, as directories of that time have them."""


def todays(command: Sequence[str]) -> tuple[str, ...]:
    """Return a command, that of a bundled bot of 0.1.0 as this installation has it.

    >>> todays(["/old/python", "-P", "-m", "bots.greedy"])[1:]
    ('-P', '-m', 'lath.bots.greedy')
    """
    match tuple(command):
        case (_, "-P", "-m", module) if module in FORMER:
            return (sys.executable, "-P", "-m", f"lath.{module}")
        case words:
            return words


def resumed(store: Store, config: Config, folder: Path) -> Config:
    """Return the configuration that `folder` goes on with; raises ConfigError.

    Without games that is `config`. Else `config` must play the same games; rounds that it does not
    name are those of before, and others are not fewer. Either may have been written by 0.1.0.
    """
    bots = tuple(replace(bot, command=todays(bot.command)) for bot in config.bots)
    config = replace(config, bots=bots)
    theirs: dict[str, Any] | None = store.tournament()
    if theirs is None or not (store.has_games() or store.walkovers()):
        return config
    for bot in theirs.get("bots", ()):
        bot["command"] = list(todays(bot["command"]))
    if theirs != config.identity():
        raise _another(theirs, config, folder)
    before = store.note(ROUNDS)
    if before is None or "rounds" not in FORMATS[config.format].settings:
        return config
    if "rounds" not in config.as_written:
        return replace(config, rounds=before, as_written={**config.as_written, "rounds": before})
    if config.rounds < before:
        raise ConfigError(
            f"{folder} holds games of a tournament with rounds = {before}, and rounds = "
            f"{config.rounds} are fewer; choose another --out, or go on with {before} or more"
        )
    return config


def _another(theirs: Mapping[str, object], config: Config, folder: Path) -> ConfigError:
    ours = config.identity()
    different = [key for key in ours if ours[key] != theirs.get(key)]
    before = theirs.get("openings")
    if different == ["openings"] and config.openings and isinstance(before, dict):
        now = config.openings.identity()
        if {**before, "sha256": now["sha256"]} == now:
            return ConfigError(
                f"{config.openings.path}: what is in the opening book has changed since games were "
                "played; choose another --out, or put the old book back"
            )
    return ConfigError(
        f"{folder} holds a tournament with another configuration ({', '.join(different)}); "
        "choose another --out, or leave these flags out to resume it"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class NotedChange(Change):
    """A change as the store has it."""

    was: object
    """The value that it was before."""

    @property
    def words(self) -> str:
        """Return it in a sentence."""
        of = f"{self.setting} of bot {self.bot!r}" if self.bot else self.setting
        return f"{of} was {self.before} and is {self.now} from here on, after {self.games} games"


def note_changes(
    store: Store, config: Config, files: Files
) -> tuple[dict[str, object], list[NotedChange]]:
    """Return notes of how settings are now, and what is another than in the games that are stored.

    What was not noted, as by 0.1.0, is not known to be another. Raises StoreError, and
    whatever a damaged note gives rise to.
    """
    games = sum(tally.games for tally in store.tally())
    kept: list[dict[str, Any]] = []
    before = _with_files(store.note(SETTINGS) or {}, store.note(FILES) or {})
    for row in store.note(CHANGES) or ():
        if row["games"] < games:
            kept.append(row)
        else:  # no game was played with it
            before[row["bot"]][row["setting"]] = row["was"]
    date = dt.datetime.now().astimezone().isoformat(timespec="seconds")
    new = []
    for bot, values in _with_files(config.noted, files).items() if games else ():
        for setting, now in values.items():
            if (was := before.get(bot, {}).get(setting, now)) != now:
                words = dict(zip(("before", "now"), changed_words(setting, was, now), strict=True))
                new.append(
                    NotedChange(setting=setting, bot=bot, **words, games=games, date=date, was=was)
                )
    rows = [*kept, *map(asdict, new)]
    return {FILES: files, SETTINGS: config.noted, CHANGES: rows}, new


def _with_files(settings: Noted, files: Files) -> dict[str, dict[str, Any]]:
    """Return settings with the fingerprints of the bots' files among them."""
    both = {bot: dict(values) for bot, values in settings.items()}
    for bot, prints in files.items():
        both.setdefault(bot, {}).update({f"file {path}": value for path, value in prints.items()})
    return both


def changed_words(setting: str, before: Any, now: Any) -> tuple[str, str]:
    """Return in words what a setting was and is; of variables their names, for they may be secret.

    >>> changed_words("memory", 0, 512 << 20), changed_words("time.margin", 0.05, 0.1)
    (('no limit', '512 MiB'), ('0.05 s', '0.1 s'))
    >>> changed_words("env", {"KEY": "1"}, {"KEY": "2"})
    ('KEY', 'KEY (another value)')
    """

    def words(value: Any) -> str:
        match setting.split("."), value:
            case ["memory"], 0:
                return "no limit"
            case ["memory"], int(size):
                unit = next((unit for unit, of in SIZES.items() if size % (of << 10)), "GiB")
                return f"{size // SIZES[unit]} {unit}"
            case ["time", _], float(time_s):
                return f"{time_s:g} s"
            case [word, *_], str(text) if word.startswith("file "):
                return f"SHA-256 {text[:12]}…"
            case ["cwd"], "":
                return "a scratch folder"
            case ["env"], dict(variables):
                return ", ".join(variables) or "nothing"
        return f"{value}"

    was, is_ = words(before), words(now)
    return was, f"{is_} (another value)" if was == is_ else is_


def refuse_changed(store: Store, files: Files, *, force: bool) -> list[str]:
    """Return which bots with stored games are not what they were; raises ConfigError instead."""
    changed = changes(store.note(FILES) or {}, files) if store.has_games() else []
    words = [f"bot {name!r}: {path} has changed since games were played" for name, path in changed]
    if words and not force:
        raise ConfigError(f"{words[0]}; choose another --out, or go on all the same with --force")
    return words
