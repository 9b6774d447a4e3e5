"""Games of files that somebody names: `./mygame.py` is loaded, and its game known by its id.

A variable of the environment tells the processes that this one starts which files these are: so
workers and bots find the games, too.
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
"""The absolute paths of the files, with `os.pathsep` between two.

What the arena has loaded has its hash behind it, `#sha256=…`: a process that is started later
refuses another file.
"""

_PINNED: Final = re.compile(r"#sha256=([0-9a-f]{64})\Z")
_ID: Final = re.compile(r"[a-z][a-z0-9-]{0,59}")


class GameFileOrigin(NamedTuple):
    """The file that a game is from."""

    path: str
    """Absolute."""

    sha256: str
    """Of what was loaded, in 64 hexadecimal digits."""

    @property
    def name(self) -> str:
        """Return the name of the file without its folders."""
        return os.path.basename(self.path)

    @property
    def tag(self) -> str:
        """Return the value of the tag `GameFile` that records of the game have.

        >>> GameFileOrigin("/home/ann/mygame.py", "1f3a").tag
        'mygame.py sha256:1f3a'
        """
        return f"{self.name} sha256:{self.sha256}"


_ADDED: Final[dict[str, tuple[Game, GameFileOrigin]]] = {}
"""By their ids."""

_TRIED: Final[set[tuple[str, str]]] = set()
"""Ids, and hashes of the files, of those in which nothing was found to be wrong."""

_LOADING: Final[set[str]] = set()
"""Paths of the files that are being loaded: one may ask for another game."""


def add(path: str | os.PathLike[str], sha256: str = "") -> Game:
    """Return the game that a file defines as `GAME`, which is known by its id from then on.

    The file is run, in this process and in those that it starts and that ask for the game. One that
    was added before is the same game. Raises GameFileError: no such file, no GAME, an error in it,
    an id that another game has, a file that has changed since it was added, or whose hash is not
    `sha256`, unless that is empty.
    """
    said = os.fsdecode(path)
    full = os.path.abspath(said)
    source = _read(said, full)
    origin = GameFileOrigin(full, _digest(source))
    if sha256 and origin.sha256 != sha256:
        raise GameFileError(f"{said} has changed since it was loaded: begin anew")
    for game, other in _ADDED.values():
        if other.sha256 == origin.sha256:
            _tell_processes(other)
            return game
        if other.path == full:
            raise GameFileError(f"{said} has changed since it was loaded: begin anew")
    _LOADING.add(full)
    try:
        game = _checked(_run(source, said, origin), said)
    except GameFileError:
        raise
    except Exception as error:  # of a property
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
    """Have processes that are started from now on find a file, and refuse another text of it."""
    others = (text for path, text in _in_environment() if path != origin.path)
    os.environ[VARIABLE] = os.pathsep.join((*others, f"{origin.path}#sha256={origin.sha256}"))


def try_out(game_id: str, said: str) -> None:
    """Raise GameFileError where a game at random shows a slip, of the game of a file."""
    from contextlib import redirect_stdout

    from lath.games.trial import wrong_with  # only who adds a game needs it

    base, colon, _ = game_id.partition(":")
    game, origin = _ADDED[base]
    tried = game_id, origin.sha256
    if tried in _TRIED:
        return
    try:
        with redirect_stdout(sys.stderr):
            wrong = wrong_with(made(game, game_id) if colon else game)
    except UnknownGameError:  # it refuses its parameters
        raise
    except Exception as error:
        raise GameFileError(_told(error, said, origin.path)) from error
    if wrong:
        raise GameFileError(f"{said}: {wrong}")
    _TRIED.add(tried)


def blamed(error: BaseException) -> str:
    """Return where in the file of a game an error came up, and what it is; empty: in none.

    Rules of one's own may go wrong in any way at any ply.
    """
    return next((_told(error, path, path) for path in paths() if _line_of(error, path)), "")


def paths() -> tuple[str, ...]:
    """Return the files that were added here: what looks like a slip of ours may be theirs."""
    return tuple(origin.path for _, origin in _ADDED.values())


def _in_environment() -> tuple[tuple[str, str], ...]:
    """Return the absolute paths of the files that the environment names, and how it does."""
    texts = filter(None, os.environ.get(VARIABLE, "").split(os.pathsep))
    return tuple((os.path.abspath(_PINNED.sub("", text)), text) for text in texts)


def _digest(source: bytes) -> str:
    from hashlib import sha256  # start-up time

    return sha256(source).hexdigest()


def _read(said: str, full: str) -> bytes:
    if os.pathsep in full or not full.isprintable():
        raise GameFileError(f"{full!r}: expected a path of printable letters without {os.pathsep}")
    if not os.path.isfile(full):
        what = "is no regular file" if os.path.exists(full) else "there is no such file"
        what = "is a folder" if os.path.isdir(full) else what
        raise GameFileError(f"{said}: {what}, expected a Python file that defines GAME")
    try:
        with open(full, "rb") as file:
            return file.read()
    except OSError as error:
        raise GameFileError(f"{said} cannot be read: {error.strerror}") from error


def _run(source: bytes, said: str, origin: GameFileOrigin) -> ModuleType:
    """Return the module of a file; what it prints goes to standard error: bots load games, too."""
    from contextlib import redirect_stdout  # start-up time

    module = ModuleType(f"lath_game_{origin.sha256[:16]}")
    module.__file__ = origin.path
    sys.modules[module.__name__] = module
    try:
        with redirect_stdout(sys.stderr):
            exec(compile(source, origin.path, "exec", dont_inherit=True), vars(module))  # noqa: S102 - somebody named it
    except (Exception, SystemExit) as error:
        del sys.modules[module.__name__]
        told = _told(error, said, origin.path)
        if isinstance(error, ModuleNotFoundError) and error.name:
            beside = os.path.join(os.path.dirname(origin.path), error.name.partition(".")[0])
            if os.path.exists(f"{beside}.py") or os.path.isdir(beside):
                told += "; a game is one file: what it imports is installed, or on PYTHONPATH"
        raise GameFileError(told) from error
    return module


def _told(error: BaseException, said: str, path: str) -> str:
    """Return in one line where in a file an error came up, and what it is."""
    where = f"{said}:{line}" if (line := _line_of(error, path)) else said
    words = " ".join((error.msg if isinstance(error, SyntaxError) else str(error)).split())
    what = (
        f"{where}: {type(error).__name__}: {words}" if words else f"{where}: {type(error).__name__}"
    )
    notes = getattr(error, "__notes__", ())  # of a trial: the moves that led there
    return f"{what} ({'; '.join(notes)})" if notes else what


def _line_of(error: BaseException, path: str) -> int:
    """Return the last line of a file that an error has come by; 0 where it came by none."""
    if isinstance(error, SyntaxError) and error.filename == path:
        return error.lineno or 0
    line, trace = 0, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == path:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def _checked(module: ModuleType, said: str) -> Game:
    """Return the game of a module; raises GameFileError for what is none."""
    game: Any = vars(module).get("GAME")
    if game is None:
        raise GameFileError(f"{said} defines no GAME")
    if isinstance(game, type):
        raise GameFileError(f"{said}: GAME is a class, expected GAME = {game.__name__}()")
    if missing := lacking(game, Game):
        raise GameFileError(f"{said}: GAME has no {', '.join(missing)}")
    if not isinstance(game.id, str) or not _ID.fullmatch(game.id):
        raise GameFileError(
            f"{said}: GAME.id is {game.id!r}, expected small letters, digits and hyphens, "
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
        raise GameFileError(f"{said}: GAME.id is {game.id!r}, but the game of this id {owner}")
    if parameters_of(game) and not can_vary(game):
        raise GameFileError(f"{said}: GAME has parameters, but no variant(game_id, **values)")
    return cast("Game", game)


def added_ids() -> tuple[str, ...]:
    """Return the ids of the games that were added, here or by who has started this process.

    Raises GameFileError for a file that cannot be loaded here.
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
    """Return the game of this id that was added; None where none was. Raises GameFileError."""
    return _ADDED[game_id][0] if game_id in added_ids() else None


def hash_of(said: str, path: str) -> str:
    """Return the SHA-256 of a file that somebody names; raises GameFileError."""
    return _digest(_read(said, os.path.abspath(path)))


def added_hashes() -> frozenset[str]:
    """Return the hashes of the files that were added here."""
    return frozenset(origin.sha256 for _, origin in _ADDED.values())


def origin(game_id: str) -> GameFileOrigin | None:
    """Return the file that a game is from; None where it is built in, installed or unknown.

    Parameters of the id make no difference.
    """
    base = game_id.partition(":")[0]
    if base in builtin_ids() or added(base) is None:
        return None
    return _ADDED[base][1]
