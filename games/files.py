"""Games from files that users name: `./mygame.py` is loaded, and its games are then known by id.

An environment variable passes the files to child processes, so that workers and bots find the games
too.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator
from types import ModuleType
from typing import Any, Final, NamedTuple, cast

from lath.games.builtin import builtin_ids
from lath.games.capabilities import can_vary, lacking, parameters_of
from lath.games.contract import Game
from lath.games.errors import GameFileError, UnknownGameError, error_words
from lath.games.parameters import made
from lath.games.plugins import ID, is_of_pack, is_plugin
from lath.games.sources import GameSource, forget, plain_names, run, source_of

VARIABLE: Final = "LATH_GAMES"
"""The absolute paths of the files, joined by `os.pathsep`.

A path is followed by its hash, `#sha256=…`, if the arena has loaded it: a process that starts later
refuses a changed file. The id of a game of a pack that is in use has the form `id=…`.
"""

_PINNED: Final = re.compile(r"#sha256=([0-9a-f]{64})\Z")

_OF_PACK: Final = "id="
"""The beginning of an entry in the environment variable that is the id of a game of a pack."""


class GameFileOrigin(NamedTuple):
    """The file that defines a game."""

    path: str
    """The absolute path."""

    sha256: str
    """The SHA-256 of the loaded file with its own modules, in 64 hexadecimal digits."""

    @property
    def name(self) -> str:
        """Return the name of the file without its folders."""
        return os.path.basename(self.path)

    @property
    def tag(self) -> str:
        """Return the value of the tag `GameFile` in records of the game.

        >>> GameFileOrigin("/home/ann/mygame.py", "1f3a").tag
        'mygame.py sha256:1f3a'
        """
        return f"{self.name} sha256:{self.sha256}"


class LoadedFile(NamedTuple):
    """A loaded file of games."""

    origin: GameFileOrigin
    source: GameSource
    games: tuple[Game, ...]
    is_pinned: bool
    """True if the parent of this process has loaded it, and so has tried its games."""


_ADDED: Final[dict[str, tuple[Game, LoadedFile]]] = {}
"""The games of the loaded files, by id."""

_TRIED: Final[set[tuple[str, str]]] = set()
"""Ids and file hashes of the games that passed the trial."""

_TRYING: Final[set[tuple[str, str]]] = set()
"""Ids and file hashes of the games on trial, which must be found meanwhile."""

_LOADING: Final[set[str]] = set()
"""Paths of the files that are being loaded: a game file can ask for another game."""


def add(path: str | os.PathLike[str], sha256: str = "", *, name: str = "") -> Game:
    """Return the game that a file defines, and register all its games under their ids.

    This process executes the file, and so does each child process that asks for a game of it.
    `name` is the id of the game, if the file defines several. A file that was added before returns
    the same game. Raises GameFileError in these cases:

    - the file does not define valid games, or another game has an id of them
    - the file has changed since it was added, or has another hash than `sha256` (default: any hash)
    - the game fails its trial
    """
    said = os.fsdecode(path)
    before = dict(_ADDED)
    file = _load(said, sha256)
    game = _named(file, name, said)
    try:
        if not file.is_pinned:
            try_out(game.id, said)
    except GameFileError:
        if game.id not in before:
            _forget(file)
        raise
    return game


def add_all(path: str | os.PathLike[str], sha256: str = "") -> tuple[Game, ...]:
    """Return all games that a file defines, and register them under their ids, as `add` does.

    Each game is tried when it is first used.
    """
    return _load(os.fsdecode(path), sha256).games


def _named(file: LoadedFile, name: str, said: str) -> Game:
    ids = {game.id: game for game in file.games}
    if name in ids:
        return ids[name]
    if not name and len(ids) == 1:
        return file.games[0]
    what = f"defines {len(ids)} games" if not name else f"does not define the game {name!r}"
    also = f": {', '.join(ids)}; name one of them" if not name else f", only {', '.join(ids)}"
    raise GameFileError(f"{said} {what}{also}, such as {said}:{file.games[0].id}")


def _load(said: str, sha256: str) -> LoadedFile:
    full = os.path.abspath(said)
    source = source_of(full, _read(said, full))
    origin = GameFileOrigin(full, source.sha256)
    if sha256 and origin.sha256 != sha256:
        raise _changed(said, source)
    for file in loaded_files():
        if file.origin.sha256 == origin.sha256:
            _tell_processes(file.origin)
            return file
        if file.origin.path == full:
            raise _changed(said, source, file.source)
    _LOADING.add(full)
    try:
        module = _run(source, said, origin)
        games = tuple(_checked(module, said))
    except GameFileError:
        raise
    except Exception as error:  # properties of the game can raise anything
        raise GameFileError(_told(error, said, source)) from error
    finally:
        _LOADING.discard(full)
    file = LoadedFile(origin, source, games, bool(sha256))
    _ADDED.update({game.id: (game, file) for game in games})
    _tell_processes(origin)
    return file


def _changed(said: str, now: GameSource, before: GameSource | None = None) -> GameFileError:
    """Return the error for a file that has changed, or whose own modules have."""
    what = f"{said} or a module that it imports" if now.modules else said
    if before is not None and before.text == now.text:
        names = [*before.texts, *now.texts]
        name = next(name for name in names if before.texts.get(name) != now.texts.get(name))
        what = f"{name}, which {said} imports,"
    return GameFileError(f"{what} has changed since it was loaded; start the program again")


def _forget(file: LoadedFile) -> None:
    """Forget a loaded file, so that a corrected version of it can be loaded."""
    for game in file.games:
        _ADDED.pop(game.id, None)
    forget(_module_name(file.origin))
    rest = [text for path, text in _in_environment() if path != file.origin.path]
    _set_environment([*rest, *_texts_of_ids()])


def variable_of(files: Iterable[GameFileOrigin], game_ids: Iterable[str]) -> str:
    """Return the value of the environment variable for these files, and for games of packs."""
    bases = dict.fromkeys(game_id.partition(":")[0] for game_id in game_ids)
    return os.pathsep.join(
        (*map(_pinned, files), *(f"{_OF_PACK}{base}" for base in bases if is_of_pack(base)))
    )


def _pinned(origin: GameFileOrigin) -> str:
    return f"{origin.path}#sha256={origin.sha256}"


def _tell_processes(origin: GameFileOrigin) -> None:
    """Make processes that start from now on load a file, and refuse a changed version of it."""
    others = (text for path, text in _in_environment() if path != origin.path)
    _set_environment([*others, _pinned(origin), *_texts_of_ids()])


def tell_id(game_id: str) -> None:
    """Make processes that start from now on know that a game of a pack is in use."""
    if game_id not in ids_in_use():
        files = (text for _, text in _in_environment())
        _set_environment([*files, *_texts_of_ids(), f"{_OF_PACK}{game_id}"])


def ids_in_use() -> tuple[str, ...]:
    """Return the ids of the games of packs that this process or its parent uses."""
    return tuple(
        dict.fromkeys(
            game_id
            for text in _texts_of_ids()
            if is_of_pack(game_id := text.removeprefix(_OF_PACK))
        )
    )


def try_out(game_id: str, said: str) -> None:
    """Raise GameFileError if random games show a fault in the game of a file."""
    base, colon, _ = game_id.partition(":")
    game, file = _ADDED[base]
    tried = game_id, file.origin.sha256
    if tried in _TRIED or tried in _TRYING:
        return
    from contextlib import redirect_stdout  # start-up time

    from lath.games.trial import wrong_with  # only needed when a game is added

    _TRYING.add(tried)
    is_named = len(file.games) == 1 or f":{base}" in said
    shown = said if is_named else f"{said}:{base}"
    try:
        with redirect_stdout(sys.stderr):
            wrong = wrong_with(made(game, game_id) if colon else game)
    except UnknownGameError:  # the game refuses its parameters
        raise
    except Exception as error:
        raise GameFileError(_told(error, said, file.source, shown)) from error
    finally:
        _TRYING.discard(tried)
    if wrong:
        raise GameFileError(f"{shown}: {wrong}")
    _TRIED.add(tried)


def blamed(error: BaseException) -> str:
    """Return the place in a game's file where an error was raised, with its text; empty if none."""
    sources = ((file.origin.path, file.source) for file in loaded_files())
    return next((_told(error, path, one) for path, one in sources if _place_of(error, one)), "")


def paths() -> tuple[str, ...]:
    """Return the paths of the files that were added in this process."""
    return tuple(file.origin.path for file in loaded_files())


def loaded_files() -> tuple[LoadedFile, ...]:
    """Return the files that were added in this process, in order."""
    return tuple({file.origin.path: file for _, file in _ADDED.values()}.values())


def _texts() -> list[str]:
    return list(filter(None, os.environ.get(VARIABLE, "").split(os.pathsep)))


def _texts_of_ids() -> list[str]:
    return [text for text in _texts() if text.startswith(_OF_PACK)]


def _in_environment() -> tuple[tuple[str, str], ...]:
    """Return the absolute paths in the environment variable, each with its text there."""
    texts = [text for text in _texts() if not text.startswith(_OF_PACK)]
    return tuple((os.path.abspath(_PINNED.sub("", text)), text) for text in texts)


def _set_environment(texts: Iterable[str]) -> None:
    os.environ[VARIABLE] = os.pathsep.join(texts)
    if not os.environ[VARIABLE]:
        del os.environ[VARIABLE]


def named_files() -> tuple[tuple[str, str], ...]:
    """Return the absolute paths in the environment variable, each with its hash.

    The hash is empty if no process of the arena has loaded the file.
    """
    found = ((path, _PINNED.search(text)) for path, text in _in_environment())
    return tuple((path, pinned[1] if pinned else "") for path, pinned in found)


def paths_of(path: str) -> tuple[str, ...]:
    """Return a path of a file, and the paths of its own modules. Raises GameFileError."""
    full = os.path.abspath(path)
    return source_of(full, _read(path, full)).paths


def _read(said: str, full: str) -> bytes:
    if os.pathsep in full or not full.isprintable():
        raise GameFileError(
            f"{full!r}: expected a path of printable characters without {os.pathsep}"
        )
    if not os.path.isfile(full):
        what = "not a regular file" if os.path.exists(full) else "file not found"
        what = "a folder" if os.path.isdir(full) else what
        raise GameFileError(f"{said}: {what}, expected a Python file that defines GAME")
    try:
        with open(full, "rb") as file:
            return file.read()
    except OSError as error:
        raise GameFileError(f"{said} cannot be read: {error.strerror}") from error


def _module_name(origin: GameFileOrigin) -> str:
    return f"lath_game_{origin.sha256[:16]}"


def _run(source: GameSource, said: str, origin: GameFileOrigin) -> ModuleType:
    """Return the module of a file; its output goes to standard error, as bots load games too."""
    from contextlib import redirect_stdout  # start-up time

    try:
        with redirect_stdout(sys.stderr):
            return run(source, _module_name(origin))
    except (Exception, SystemExit) as error:
        told = _told(error, said, source)
        if isinstance(error, ModuleNotFoundError) and error.name:
            beside = os.path.join(os.path.dirname(source.path), error.name.partition(".")[0])
            if os.path.isfile(f"{beside}.py") or os.path.isdir(beside):
                told += "; a module in the folder of the file needs an import statement"
        raise GameFileError(told) from error


def _told(error: BaseException, said: str, source: GameSource, whole: str = "") -> str:
    """Return one line with the place in the file where an error was raised, and its text.

    Without a place, it begins with `whole`. Default: `said`.
    """
    where = whole or said
    if place := _place_of(error, source):
        path, line = place
        inner = os.path.relpath(path, os.path.dirname(source.path))
        file = said if path == source.path else os.path.join(os.path.dirname(said), inner)
        where = f"{file}:{line}"
    text = error.msg if isinstance(error, SyntaxError) else plain_names(str(error))
    what = f"{where}: {error_words(error, text)}"
    notes = getattr(error, "__notes__", ())  # from a trial: the moves that led there
    return f"{what} ({'; '.join(notes)})" if notes else what


def _place_of(error: BaseException, source: GameSource) -> tuple[str, int] | None:
    """Return the last line of a file or its own modules in a traceback, with its path; or None."""
    paths = source.paths
    if isinstance(error, SyntaxError) and error.filename in paths:
        return error.filename, error.lineno or 0
    place, trace = None, error.__traceback__
    while trace is not None:
        if (path := trace.tb_frame.f_code.co_filename) in paths:
            place = path, trace.tb_lineno
        trace = trace.tb_next
    return place


def _checked(module: ModuleType, said: str) -> Iterator[Game]:
    """Yield the games of a module. Raises GameFileError if one is not valid."""
    found = list(_defined(module, said))
    if not found:
        raise GameFileError(f"{said} does not define GAME, GAMES or games()")
    ids = set[str]()
    for what, game in found:
        _require_valid(game, what, said)
        owner = ""
        if game.id in ids:
            owner = "is in the same file"
        elif game.id in builtin_ids():
            owner = "is built in"
        elif game.id in _ADDED:
            owner = f"is from {_ADDED[game.id][1].origin.path}"
        elif is_plugin(game.id):
            owner = "is installed"
        if owner:
            raise GameFileError(
                f"{said}: {what}.id is {game.id!r}, but another game with this id {owner}"
            )
        ids.add(game.id)
        yield game


def _defined(module: ModuleType, said: str) -> Iterator[tuple[str, Any]]:
    """Yield each object that a module defines as a game once, with its name there."""
    names, seen = vars(module), set[int]()
    rows = [] if names.get("GAME") is None else [("GAME", names["GAME"])]
    for what, all_ in (("GAMES", names.get("GAMES")), ("games()", names.get("games"))):
        if all_ is None or (what == "games()" and not callable(all_)):  # such as `lath.games`
            continue
        listed = all_() if callable(all_) else all_
        if not isinstance(listed, Iterable) or isinstance(listed, str):
            raise GameFileError(
                f"{said}: {what} is {type(listed).__name__}, expected several games, such as "
                "(A(), B())"
            )
        rows += [(f"{what}[{number}]", game) for number, game in enumerate(listed)]
    for what, game in rows:
        if id(game) not in seen:
            seen.add(id(game))
            yield what, game


def _require_valid(game: Any, what: str, said: str) -> None:
    """Raise GameFileError if an object is not a game with a valid id."""
    if isinstance(game, type):
        made_so = f"{what} = {game.__name__}()" if what == "GAME" else f"{game.__name__}()"
        raise GameFileError(f"{said}: {what} is a class, expected {made_so}")
    if missing := lacking(game, Game):
        raise GameFileError(f"{said}: {what} lacks {', '.join(missing)}")
    if not isinstance(game.id, str) or not ID.fullmatch(game.id):
        raise GameFileError(
            f"{said}: {what}.id is {game.id!r}, expected lowercase letters, digits and hyphens, "
            "such as my-game"
        )
    if parameters_of(game) and not can_vary(cast("Game", game)):
        raise GameFileError(
            f"{said}: {what} has parameters, but does not define variant(game_id, **values)"
        )


def added_ids() -> tuple[str, ...]:
    """Return the ids of the games that were added in this process or its parent.

    Raises GameFileError if a file cannot be loaded.
    """
    loaded = {*paths(), *_LOADING}
    for path, sha256 in named_files():
        if path not in loaded:
            try:
                add_all(path, sha256)
            except GameFileError as error:
                raise GameFileError(f"{VARIABLE}: {error}") from error
    return tuple(_ADDED)


def added(game_id: str, *, is_used: bool = True) -> Game | None:
    """Return the added game with this id, or None. Raises GameFileError for a faulty file.

    A game that is used for the first time is tried, unless the parent of this process did so.
    """
    if game_id not in added_ids():
        return None
    game, file = _ADDED[game_id]
    if is_used and not file.is_pinned:
        try_out(game_id, file.origin.path)
    return game


def hash_of(said: str, path: str) -> str:
    """Return the SHA-256 of a file that the user named. Raises GameFileError on failure."""
    full = os.path.abspath(path)
    return source_of(full, _read(said, full)).sha256


def added_hashes() -> frozenset[str]:
    """Return the hashes of the files that were added here."""
    return frozenset(file.origin.sha256 for file in loaded_files())


def origin(game_id: str) -> GameFileOrigin | None:
    """Return the file of a game; None if it is built in, installed or unknown.

    Parameters in the id are ignored.
    """
    file = file_of(game_id)
    return None if file is None else file.origin


def file_of(game_id: str) -> LoadedFile | None:
    """Return the loaded file of a game; None if it is built in, installed or unknown."""
    base = game_id.partition(":")[0]
    if base in builtin_ids() or base not in added_ids():
        return None
    return _ADDED[base][1]
