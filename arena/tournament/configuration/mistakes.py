"""All mistakes in the configuration of a tournament at once, each with its place.

`of_keys` checks each key by itself with the models of `keys`. `together` then checks combinations
of those keys that are valid.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from difflib import get_close_matches
from functools import reduce
from operator import getitem
from pathlib import Path
from typing import Any, Final, NamedTuple
from unicodedata import normalize

from pydantic import ValidationError

from lath import games
from lath.arena.entrants.bot_table import BotTable, BotTime
from lath.arena.entrants.programs import advice_on, bundled, is_there
from lath.arena.entrants.sizes import MOST
from lath.arena.entrants.toml_text import Place, shown
from lath.arena.errors import TYPED, ConfigError
from lath.arena.referee.bridges import refuse_options
from lath.arena.schedule.formats import FORMATS
from lath.arena.schedule.openings import digest
from lath.arena.schedule.sprt import MOST_ELO
from lath.arena.tournament.configuration.keys import (
    TABLES,
    AdjudicationTable,
    ConfigTable,
    OpeningsTable,
    SprtTable,
)
from lath.games.errors import GameFileError, UnknownGameError, hinted
from lath.reports.counting.scale import unknown_words

MOST_MISTAKES: Final = 100
"""The most mistakes that are reported at once."""


class Mistake(NamedTuple):
    """A mistake in the value of a key."""

    place: Place
    what: str
    unfit: str = ""
    """The bot that cannot be started although its key is valid, because a file is missing or
    unusable; otherwise empty."""

    @property
    def text(self) -> str:
        """Return the message, with the name of an unfit bot."""
        return f"bot {self.unfit!r}: {self.what}" if self.unfit else self.what

    def placed(self, name: str, lines: Mapping[Place, int]) -> tuple[int, str]:
        """Return the line, for sorting, and the message with its place.

        `name` and `lines` belong to the file; they are empty for a flag. If the key has no line,
        the line is that of its table, or left out if that is unknown too.
        """
        if not name:
            typed = TYPED.get()
            option = f"--{self.place[0]}" if self.place else ""
            is_option = any(word.partition("=")[0] == option for word in typed)
            given = option if is_option else "the command line" if typed else "the arguments"
            return MOST, f"{given}: {self.text}"
        line = lines.get(self.place) or lines.get(self.place[:-1])
        return (line, f"{name}:{line}: {self.text}") if line else (MOST, f"{name}: {self.text}")


def of_keys(toml: Mapping[str, Any]) -> tuple[ConfigTable, list[Mistake]]:
    """Return a model of the valid keys, and the mistakes of single keys."""
    mistakes: list[Mistake] = []
    sound = deepcopy(dict(toml))
    while True:
        try:
            return ConfigTable.model_validate(sound), mistakes
        except ValidationError as error:
            for place, each in {_place_of(each["loc"]): each for each in error.errors()}.items():
                kind = each["type"] if each["loc"] == place else "something in its value"
                if len(mistakes) < MOST_MISTAKES:
                    mistakes.append(Mistake(place, _text(kind, place, toml)))
                _leave_out(sound, place)


def _place_of(loc: Place) -> Place:
    """Return the place of the key that a pydantic error is about, without places in its value."""
    size = 3 if loc[0] == "bot" else 2 if loc[0] in TABLES else 1
    return loc[:size] if len(loc) >= size else loc[:1]


def _leave_out(toml: Any, place: Place) -> None:
    """Remove an invalid key, and its table if the key is required; a bot gets a default name."""
    *table, key = place
    if place[0] not in toml:
        return  # an earlier mistake has removed it
    row = reduce(getitem, table, toml)
    field = TABLES[place[0] if table else ""].model_fields.get(key)
    if field is not None and field.is_required():
        if place[0] == "bot":
            row["name"] = f"bot {place[1]}"
        else:
            toml[place[0]] = None
    elif row is not None:
        row.pop(key, None)


def _text(kind: str, place: Place, toml: Any) -> str:
    *table, key = place
    keys = TABLES[place[0] if table else ""].model_fields
    if kind == "extra_forbidden":
        where = f" in [{table[0]}]" if table else ""
        alike = get_close_matches(key.lower(), keys, n=1)
        meant = f"did you mean {alike[0]!r}?" if alike else f"expected one of {', '.join(keys)}"
        return f"unknown key {key!r}{where}; {meant}"
    if kind == "missing":
        needed = {"name": "a name"}.get(key, key)
        return f"{table[0]}: expected {needed}"
    value = reduce(getitem, place, toml)
    return f"{key} = {shown(value)}, expected {keys[key].description}"


def together(
    model: ConfigTable, wrong: Iterable[Mistake], folder: Path, played: Container[str]
) -> Iterator[Mistake]:
    """Yield mistakes in combinations of keys that are valid by themselves."""
    from lath.arena.tournament.configuration.about import read_about  # start-up time

    places = {mistake.place for mistake in wrong}
    yield from _of_games(model.games, folder)
    if ("format",) not in places:
        yield from _of_format(model)
    yield from _of_time(model.time, ("time",))
    yield from _of_adjudication(model.adjudication, places)
    if model.sprt is not None:
        yield from _of_sprt(model.sprt)
    if model.league.about:
        try:
            read_about(folder / model.league.about, "about")
        except ConfigError as error:
            yield Mistake(("league", "about"), f"league: {error}")
    if model.openings is not None:
        yield from _of_openings(model.openings, folder, places)
    if ("bot",) not in places:
        yield from _of_bots(model.bot, folder, places, played)
    if model.format != "pool":  # a pool's former bots can be anchors
        yield from _of_anchors(model, played)


def _of_games(named: Iterable[str], folder: Path) -> Iterator[Mistake]:
    found: dict[str, str] = {}  # by id: two texts may name one game type
    for text in named:
        try:
            game_id = games.get(games.named(text, folder)).id
        except UnknownGameError as error:
            way = "; --game replaces games" if isinstance(error, GameFileError) else ""
            yield Mistake(("games",), f"games: {error}{way}")
            continue
        if other := found.get(game_id):
            yield Mistake(
                ("games",), f"games: {other!r} and {text!r} are the same game type, {game_id!r}"
            )
        found[game_id] = text


def _of_openings(table: OpeningsTable, folder: Path, wrong: Container[Place]) -> Iterator[Mistake]:
    yield from (
        Mistake(("openings", key), f"openings: {key} cannot be combined with random")
        for key in ("file", "order", "plies", "start")
        if table.random is not None and key in table.model_fields_set
    )
    if table.file:
        try:
            digest(folder / table.file)
        except ConfigError as error:
            yield Mistake(("openings", "file"), f"openings: {error}")
    elif table.random is None and not any(("openings", key) in wrong for key in ("file", "random")):
        yield Mistake(("openings", "file"), "openings: expected a file, or random")


SETTINGS: Final = ("pairs", "challengers", "sprt", "tune", "season")
"""Keys that only some formats take. All take `rounds`; a knockout may end earlier."""


def _of_format(model: ConfigTable) -> Iterator[Mistake]:
    name, bots = model.format, len(model.bot)
    for setting in SETTINGS:
        if setting in model.model_fields_set and setting not in FORMATS[name].settings:
            fitting = [each for each, format_ in FORMATS.items() if setting in format_.settings]
            yield Mistake((setting,), f"{setting} needs format {' or '.join(fitting)}, not {name}")
    if "tune" in FORMATS[name].settings:
        yield from (
            Mistake((setting,), f"a {name} needs a table [{setting}]")
            for setting in ("tune", "sprt")
            if setting not in model.model_fields_set
        )
    if model.season is not None and model.season.legs > model.rounds:
        yield Mistake(
            ("season", "legs"),
            f"season: legs = {model.season.legs}, expected at most rounds = {model.rounds}",
        )
    if (most := FORMATS[name].max_bots) is not None and bots > most:
        yield Mistake(("format",), f"a {name} is between {most} bots, found {bots}")
    if "challengers" in FORMATS[name].settings and model.challengers >= bots >= 2:
        yield Mistake(
            ("challengers",),
            f"challengers = {model.challengers}, expected fewer than the {bots} bots",
        )


def _of_time(table: BotTime, place: Place, bot: str = "") -> Iterator[Mistake]:
    """Yield mistakes in a time control, the bot's own if `bot` is not empty."""
    kinds = [kind for kind in ("initial", "move", "nodes") if getattr(table, kind)]
    where = f"bot {bot!r}: time" if bot else "time"
    if bot and not table.model_fields_set:
        yield Mistake(place, f"time = {{}}, expected {BotTable.model_fields['time'].description}")
    if len(kinds) > 1:
        yield Mistake(
            place if bot else (*place, kinds[1]),
            f"{where}: {kinds[0]} cannot be combined with {' or '.join(kinds[1:])}",
        )
    if "increment" in table.model_fields_set and "initial" not in kinds:
        yield Mistake(place if bot else (*place, "increment"), f"{where}: increment needs initial")


def _of_adjudication(table: AdjudicationTable, wrong: Iterable[Place]) -> Iterator[Mistake]:
    given = {*table.model_fields_set, *(place[-1] for place in wrong if place[0] == "adjudication")}
    for one, other in (("win_eval", "win_after"), ("draw_eval", "draw_after")):
        if (one in given) != (other in given):
            yield Mistake(
                ("adjudication", one if one in given else other),
                f"adjudication: {one} and {other} need each other",
            )
    if "win_eval" in table.model_fields_set and table.win_eval <= table.draw_eval:
        yield Mistake(
            ("adjudication", "win_eval"),
            "adjudication: win_eval must be greater than draw_eval and 0",
        )


def _of_sprt(table: SprtTable) -> Iterator[Mistake]:
    most = MOST_ELO[table.model]
    if max(abs(table.elo0), abs(table.elo1)) > most:
        key = "elo0" if abs(table.elo0) > most else "elo1"
        yield Mistake(("sprt", key), f"sprt: expected {table.model} Elo from -{most:g} to {most:g}")
    if table.elo0 >= table.elo1:
        yield Mistake(
            ("sprt", "elo0"),
            f"sprt: elo0 = {table.elo0:g}, expected less than elo1 = {table.elo1:g}",
        )


def _of_anchors(model: ConfigTable, played: Container[str]) -> Iterator[Mistake]:
    names = [bot.name for bot in model.bot]
    for name in model.anchors:
        if name not in names and name not in played:
            words = " ".join(filter(None, unknown_words(name, names)))
            yield Mistake(("anchors", name), f"anchors: {name!r}: {words}")


def _of_bots(
    bots: list[BotTable], folder: Path, wrong: Container[Place], played: Container[str]
) -> Iterator[Mistake]:
    if len(bots) < 2:
        yield Mistake(("bot",), f"expected at least two bots, found {len(bots)}")
    names: dict[str, str] = {}  # by folded name: new bots must not differ in case alone
    for index, bot in enumerate(bots):
        called = f"bot {bot.name!r}"
        folded = normalize("NFKC", normalize("NFKC", bot.name).casefold())
        looks = bot.name if bot.name in played else folded
        if other := names.get(looks):
            either = repr(bot.name) if bot.name == other else f"{other!r} and {bot.name!r}"
            yield Mistake(
                ("bot", index, "name"), f"two bots have the name {either}; expected different names"
            )
        names[looks] = bot.name
        yield from _of_files(bot, folder, ("bot", index))
        if not (bot.command or bot.name in bundled() or ("bot", index, "name") in wrong):
            known = ", ".join(bundled())
            yield Mistake(
                ("bot", index, "name"),
                f"{called} has no command and is not one of the bundled bots: {known}",
            )
        if why := refuse_options(bot.name, bot.protocol, bot.options):
            yield Mistake(("bot", index, "options"), why)
        if bot.time is not None:
            yield from _of_time(bot.time, ("bot", index, "time"), bot.name)


def _of_files(bot: BotTable, folder: Path, place: Place) -> Iterator[Mistake]:
    """Yield mistakes in the files and folders of a bot, or in its command."""
    home = folder / bot.cwd
    if bot.cwd and not home.is_dir():
        yield Mistake((*place, "cwd"), f"cwd {str(home)!r} is not a folder", bot.name)
    named = [
        *(("files", home / path) for path in bot.files),
        *(("reads", folder / path) for path in bot.reads),
    ]
    yield from (
        Mistake((*place, key), f"{key}: {str(path)!r} does not exist", bot.name)
        for key, path in named
        if not is_there(path, Path.exists)
    )
    if bot.build and not bot.cwd:
        yield Mistake(
            (*place, "build"),
            f"bot {bot.name!r}: build needs cwd, the folder to build in",
        )
    if bot.command and not bot.build and (advice := advice_on(tuple(bot.command), home)):
        write = f"command = {shown(list(advice.words))}"
        yield Mistake((*place, "command"), hinted(advice.why, advice.hint(write)), bot.name)


def unfit_ones(mistakes: Sequence[Mistake], model: ConfigTable) -> dict[str, str]:
    """Return the bots that cannot be started now by name, with reasons.

    Empty if there are other mistakes, or if fewer than two bots remain.
    """
    unfit: dict[str, list[str]] = {}
    for mistake in mistakes:
        if not mistake.unfit:
            return {}
        unfit.setdefault(mistake.unfit, []).append(mistake.what.replace("\nhint: ", "; "))
    if len(model.bot) - len(unfit) < 2:
        return {}
    return {name: "; ".join(texts) for name, texts in unfit.items()}
