"""Games from files that users name: `./mygame.py` is loaded, and its game is then known by its id.

An environment variable passes the files to child processes, so that workers and bots find the games
too.
"""

from __future__ import annotations

import os
import re
import sys
from types import ModuleType
from typing import Any, Final, NamedTuple, cast

from lath.games.builtin import builtin_ids, plugin_ids
from lath.games.capabilities import can_vary, lacking, parameters_of
from lath.games.contract import Game
from lath.games.errors import GameFileError, UnknownGameError
from lath.games.parameters import made

VARIABLE: Final = "LATH_GAMES"
"""The absolute paths of the files, joined by `os.pathsep`.

A path is followed by its hash, `#sha256=…`, if the arena has loaded it: a process that starts later
refuses a changed file.
"""

_PINNED: Final = re.compile(r"#sha256=([0-9a-f]{64})\Z")
_ID: Final = re.compile(r"[a-z][a-z0-9-]{0,59}")


class GameFileOrigin(NamedTuple):
    """The file that defines a game."""

    path: str
    """The absolute path."""

    sha256: str
    """The SHA-256 of the loaded file, in 64 hexadecimal digits."""

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


_ADDED: Final[dict[str, tuple[Game, GameFileOrigin]]] = {}
"""The loaded games with their files, by id."""

_TRIED: Final[set[tuple[str, str]]] = set()
"""Ids and file hashes of the games that passed the trial."""

_LOADING: Final[set[str]] = set()
"""Paths of the files that are being loaded: a game file can ask for another game."""


def add(path: str | os.PathLike[str], sha256: str = "") -> Game:
    """Return the game that a file defines as `GAME`, and register it under its id.

    The file is executed in this process, and in each child process that asks for the game. A file
    that was added before returns the same game. Raises GameFileError if the file does not define a
    valid GAME, or if another game has its id. It is also raised if the file has changed since it
    was added, or has another hash than `sha256` (default: any hash).
    """
    said = os.fsdecode(path)
    full = os.path.abspath(said)
    source = _read(said, full)
    origin = GameFileOrigin(full, _digest(source))
    if sha256 and origin.sha256 != sha256:
        raise GameFileError(f"{said} has changed since it was loaded; start the program again")
    for game, other in _ADDED.values():
        if other.sha256 == origin.sha256:
            _tell_processes(other)
            return game
        if other.path == full:
            raise GameFileError(f"{said} has changed since it was loaded; start the program again")
    _LOADING.add(full)
    try:
        game = _checked(_run(source, said, origin), said)
    except GameFileError:
        raise
    except Exception as error:  # properties of the game can raise anything
        raise GameFileError(_told(error, said, full)) from error
    finally:
        _LOADING.discard(full)
    _ADDED[game.id] = game, origin
    if not sha256:
        try:
            try_out(game.id, said)
        except GameFileError:
            del _ADDED[game.id]
            raise
    _tell_processes(origin)
    return game


def _tell_processes(origin: GameFileOrigin) -> None:
    """Make processes that start from now on load a file, and refuse a changed version of it."""
    others = (text for path, text in _in_environment() if path != origin.path)
    os.environ[VARIABLE] = os.pathsep.join((*others, f"{origin.path}#sha256={origin.sha256}"))


def try_out(game_id: str, said: str) -> None:
    """Raise GameFileError if random games show a fault in the game of a file."""
    from contextlib import redirect_stdout

    from lath.games.trial import wrong_with  # only needed when a game is added

    base, colon, _ = game_id.partition(":")
    game, origin = _ADDED[base]
    tried = game_id, origin.sha256
    if tried in _TRIED:
        return
    try:
        with redirect_stdout(sys.stderr):
            wrong = wrong_with(made(game, game_id) if colon else game)
    except UnknownGameError:  # the game refuses its parameters
        raise
    except Exception as error:
        raise GameFileError(_told(error, said, origin.path)) from error
    if wrong:
        raise GameFileError(f"{said}: {wrong}")
    _TRIED.add(tried)


def blamed(error: BaseException) -> str:
    """Return the place in a game's file where an error was raised, with its text; empty if none."""
    return next((_told(error, path, path) for path in paths() if _line_of(error, path)), "")


def paths() -> tuple[str, ...]:
    """Return the paths of the files that were added in this process."""
    return tuple(origin.path for _, origin in _ADDED.values())


def _in_environment() -> tuple[tuple[str, str], ...]:
    """Return the absolute paths in the environment variable, each with its text there."""
    texts = filter(None, os.environ.get(VARIABLE, "").split(os.pathsep))
    return tuple((os.path.abspath(_PINNED.sub("", text)), text) for text in texts)


def _digest(source: bytes) -> str:
    from hashlib import sha256  # start-up time

    return sha256(source).hexdigest()


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


def _run(source: bytes, said: str, origin: GameFileOrigin) -> ModuleType:
    """Return the module of a file; its output goes to standard error, as bots load games too."""
    from contextlib import redirect_stdout  # start-up time

    module = ModuleType(f"lath_game_{origin.sha256[:16]}")
    module.__file__ = origin.path
    sys.modules[module.__name__] = module
    try:
        with redirect_stdout(sys.stderr):
            exec(compile(source, origin.path, "exec", dont_inherit=True), vars(module))  # noqa: S102 - the user named this file
    except (Exception, SystemExit) as error:
        del sys.modules[module.__name__]
        told = _told(error, said, origin.path)
        if isinstance(error, ModuleNotFoundError) and error.name:
            beside = os.path.join(os.path.dirname(origin.path), error.name.partition(".")[0])
            if os.path.exists(f"{beside}.py") or os.path.isdir(beside):
                told += (
                    "; a game is one file: install what it imports, or add its folder to PYTHONPATH"
                )
        raise GameFileError(told) from error
    return module


def _told(error: BaseException, said: str, path: str) -> str:
    """Return one line with the place in the file where an error was raised, and its text."""
    where = f"{said}:{line}" if (line := _line_of(error, path)) else said
    words = " ".join((error.msg if isinstance(error, SyntaxError) else str(error)).split())
    what = (
        f"{where}: {type(error).__name__}: {words}" if words else f"{where}: {type(error).__name__}"
    )
    notes = getattr(error, "__notes__", ())  # from a trial: the moves that led there
    return f"{what} ({'; '.join(notes)})" if notes else what


def _line_of(error: BaseException, path: str) -> int:
    """Return the last line of a file in an error's traceback; 0 if the file is not part of it."""
    if isinstance(error, SyntaxError) and error.filename == path:
        return error.lineno or 0
    line, trace = 0, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == path:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def _checked(module: ModuleType, said: str) -> Game:
    """Return the game of a module. Raises GameFileError if `GAME` is not a valid game."""
    game: Any = vars(module).get("GAME")
    if game is None:
        raise GameFileError(f"{said} does not define GAME")
    if isinstance(game, type):
        raise GameFileError(f"{said}: GAME is a class, expected GAME = {game.__name__}()")
    if missing := lacking(game, Game):
        raise GameFileError(f"{said}: GAME lacks {', '.join(missing)}")
    if not isinstance(game.id, str) or not _ID.fullmatch(game.id):
        raise GameFileError(
            f"{said}: GAME.id is {game.id!r}, expected lowercase letters, digits and hyphens, "
            "such as my-game"
        )
    owner = ""
    if game.id in builtin_ids():
        owner = "is built in"
    elif game.id in plugin_ids():
        owner = "is installed"
    elif game.id in _ADDED:
        owner = f"is from {_ADDED[game.id][1].path}"
    if owner:
        raise GameFileError(
            f"{said}: GAME.id is {game.id!r}, but another game with this id {owner}"
        )
    if parameters_of(game) and not can_vary(game):
        raise GameFileError(
            f"{said}: GAME has parameters, but does not define variant(game_id, **values)"
        )
    return cast("Game", game)


def added_ids() -> tuple[str, ...]:
    """Return the ids of the games that were added in this process or its parent.

    Raises GameFileError if a file cannot be loaded.
    """
    loaded = {origin.path for _, origin in _ADDED.values()} | _LOADING
    for path, text in _in_environment():
        if path not in loaded:
            pinned = _PINNED.search(text)
            try:
                add(path, pinned[1] if pinned else "")
            except GameFileError as error:
                raise GameFileError(f"{VARIABLE}: {error}") from error
    return tuple(_ADDED)


def added(game_id: str) -> Game | None:
    """Return the added game with this id, or None. Raises GameFileError for a faulty file."""
    return _ADDED[game_id][0] if game_id in added_ids() else None


def hash_of(said: str, path: str) -> str:
    """Return the SHA-256 of a file that the user named. Raises GameFileError on failure."""
    return _digest(_read(said, os.path.abspath(path)))


def added_hashes() -> frozenset[str]:
    """Return the hashes of the files that were added here."""
    return frozenset(origin.sha256 for _, origin in _ADDED.values())


def origin(game_id: str) -> GameFileOrigin | None:
    """Return the file of a game; None if it is built in, installed or unknown.

    Parameters in the id are ignored.
    """
    base = game_id.partition(":")[0]
    if base in builtin_ids() or added(base) is None:
        return None
    return _ADDED[base][1]
