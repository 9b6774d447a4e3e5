"""The source of a game file: its text and its own modules, which together identify the rules.

The own modules of a file are those in its folder and below that it imports, also indirectly. They
are found without running them. Import statements of the file and its modules find them before
installed modules, but not before those of the standard library. They are not visible to anything
else, so the files of two folders can both import a `util.py` of their own.
"""

from __future__ import annotations

import ast
import builtins
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, Final, NamedTuple, cast

from lath.games.errors import GameFileError


class OwnModule(NamedTuple):
    """A module that a game file imports from its folder or below."""

    path: str
    """The absolute path; for a folder without `__init__.py`, that of the folder."""

    source: bytes | None
    """The text; None for a folder without `__init__.py`."""

    is_package: bool


class GameSource(NamedTuple):
    """A game file with its own modules."""

    path: str
    """The absolute path of the file."""

    text: bytes
    modules: Mapping[str, OwnModule]
    """The own modules by their names below the folder, such as `shared.lines`."""

    @property
    def texts(self) -> dict[str, bytes]:
        """Return the texts of the own modules by their paths below the folder, in order."""
        folder = os.path.dirname(self.path)
        found = ((os.path.relpath(one.path, folder), one.source) for one in self.modules.values())
        return {name: text for name, text in sorted(found) if text is not None}

    @property
    def sha256(self) -> str:
        """Return the identity of the rules: `digest` of the file and its own modules."""
        return digest(self.text, self.texts)

    @property
    def paths(self) -> tuple[str, ...]:
        """Return the absolute paths of the file and its own modules."""
        folder = os.path.dirname(self.path)
        return (self.path, *(os.path.join(folder, name) for name in self.texts))


def digest(text: bytes, modules: Mapping[str, bytes]) -> str:
    """Return the SHA-256 of a file; with own modules, that of the list of all hashes and names.

    `modules` are texts by relative path. The name of the file does not matter.

    >>> digest(b"GAME = 1", {}) == digest(b"GAME = 1", {"util.py": b""})
    False
    """
    from hashlib import sha256  # start-up time

    own = sha256(text).hexdigest()
    if not modules:
        return own
    rows = [own, *(f"{sha256(modules[name]).hexdigest()} {name}" for name in sorted(modules))]
    return sha256("\n".join(rows).encode()).hexdigest()


def source_of(path: str, text: bytes) -> GameSource:
    """Return the source of a game file with this text. Raises GameFileError for own modules.

    Code is not executed. A module with a syntax error has no own modules.
    """
    folder, found = os.path.dirname(path), dict[str, OwnModule]()
    waiting = [("", text)]
    while waiting:
        package, source = waiting.pop()
        for name in _imported(source, package):
            for part, module in _on_the_way(folder, name):
                if part not in found and module.path != path:
                    found[part] = module
                    inner = part if module.is_package else part.rpartition(".")[0]
                    waiting.append((inner, module.source or b""))
    return GameSource(path, text, found)


def _on_the_way(folder: str, name: str) -> list[tuple[str, OwnModule]]:
    """Return the packages above a module and the module itself, as far as they exist."""
    found: list[tuple[str, OwnModule]] = []
    place, seen = folder, ""
    for word in name.split("."):
        place, seen = os.path.join(place, word), f"{seen}.{word}" if seen else word
        module = _module_at(place)
        if module is None:
            break
        found.append((seen, module))
        if not module.is_package:
            break
    while found and found[-1][1].source is None:  # a folder without any module that is imported
        found.pop()
    return found


def _module_at(place: str) -> OwnModule | None:
    for path, is_package in ((os.path.join(place, "__init__.py"), True), (f"{place}.py", False)):
        if os.path.isfile(path):
            return OwnModule(path, _read(path), is_package)
    return OwnModule(place, None, is_package=True) if os.path.isdir(place) else None


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise GameFileError(f"{path} cannot be read: {error.strerror}") from error


@lru_cache(maxsize=256)
def _imported(text: bytes, package: str) -> tuple[str, ...]:
    """Return the names of all modules that import statements may mean as own modules.

    `package` is the package of the module, empty in the folder of the game file.
    """
    try:
        tree = compile(text, "", "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError):  # reported when the module is run
        return ()
    return tuple(dict.fromkeys(_names_in(tree, package)))


def _names_in(tree: ast.AST, package: str) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if _may_be_own(alias.name))
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".") if package else []
            if node.level > len(above) + 1:
                continue
            base = above[: len(above) + 1 - node.level] if node.level else []
            name = ".".join([*base, *filter(None, [node.module])])
            if node.level or _may_be_own(name):
                yield from filter(None, [name])
                yield from (f"{name}.{alias.name}".lstrip(".") for alias in node.names)


def _may_be_own(name: str) -> bool:
    """Return whether an absolute import may mean an own module."""
    top = name.partition(".")[0]
    return top != "lath" and top not in sys.stdlib_module_names


# Running


def run(source: GameSource, name: str) -> ModuleType:
    """Return the module of a game file, which is executed under this name.

    Raises any exception of its code.
    """
    module = ModuleType(name)
    module.__file__ = source.path
    sys.modules[name] = module
    if source.modules:
        _provide(source, module)
    try:
        exec(compile(source.text, source.path, "exec", dont_inherit=True), vars(module))  # noqa: S102 - the user named this file
    except BaseException:
        forget(name)
        raise
    return module


def forget(name: str) -> None:
    """Remove the module of a game file and its own modules, so that they can be executed again."""
    own = _package_of(name)
    _PROVIDED.pop(own, None)
    for one in [one for one in sys.modules if one == name or f"{one}.".startswith(f"{own}.")]:
        del sys.modules[one]


def plain_names(words: str) -> str:
    """Return a message with the names of own modules as their authors write them."""
    return _PACKAGE.sub("", words)


_PROVIDED: Final[dict[str, GameSource]] = {}
"""The sources of the game files with own modules, by the package that holds the modules."""


def _package_of(name: str) -> str:
    """Return the package for the own modules of a game file that runs under a name.

    It is not that module itself: Python sets each imported module as an attribute of its package,
    which would replace a variable of the file.
    """
    return f"{name}_own"


_PACKAGE: Final = re.compile(r"\b\w+_own\.")


def _provide(source: GameSource, module: ModuleType) -> None:
    """Let the import statements of a game file find its own modules."""
    name = _package_of(module.__name__)
    package, stem = ModuleType(name), os.path.splitext(os.path.basename(source.path))[0]
    package.__path__ = []
    module.__package__ = name
    _PROVIDED[name] = source
    sys.modules |= {name: package, f"{name}.{stem}": module}  # its modules can import the file
    setattr(package, stem, module)
    vars(module)["__builtins__"] = _builtins(name)
    if not any(isinstance(one, _Finder) for one in sys.meta_path):
        sys.meta_path.append(_Finder())


def _builtins(package: str) -> dict[str, Any]:
    """Return the built-in names, with an `__import__` that prefers the modules of a package."""

    def import_own(
        name: str,
        globals: Mapping[str, object] | None = None,  # noqa: A002 - Python names it so
        locals: Mapping[str, object] | None = None,  # noqa: A002
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> ModuleType:
        top = name.partition(".")[0]
        is_own = f"{package}.{top}" in sys.modules or top in _PROVIDED[package].modules
        if level or not is_own or not _may_be_own(name):
            return builtins.__import__(name, globals, locals, fromlist or (), level)
        found = builtins.__import__(f"{package}.{name}", globals, locals, fromlist or (), 0)
        return found if fromlist else sys.modules[f"{package}.{top}"]

    return {**vars(builtins), "__import__": import_own}


class _Finder:
    """The finder and loader of own modules: it executes the texts that were hashed."""

    @staticmethod
    def find_spec(name: str, _path: object = None, _target: object = None) -> ModuleSpec | None:
        """Return the spec of an own module; None for other modules."""
        package, _, inner = name.partition(".")
        source = _PROVIDED.get(package)
        found = source.modules.get(inner) if source else None
        if found is None:
            return None
        loader = cast("Any", _Finder())  # importing `importlib.abc.Loader` takes long
        spec = ModuleSpec(name, loader, origin=found.path, is_package=found.is_package)
        spec.has_location = found.source is not None
        return spec

    @staticmethod
    def create_module(_spec: ModuleSpec) -> None:
        """Return None, so that Python creates the module."""

    @staticmethod
    def exec_module(module: ModuleType) -> None:
        """Execute the text of an own module."""
        package, _, inner = module.__name__.partition(".")
        found = _PROVIDED[package].modules[inner]
        vars(module)["__builtins__"] = _builtins(package)
        exec(compile(found.source or b"", found.path, "exec", dont_inherit=True), vars(module))  # noqa: S102 - a file that the user named imports it


# Installed packages


def digest_of_package(module: str) -> str:
    """Return the SHA-256 of the modules of an installed package, which is not imported.

    It is that of the list of their hashes and names; of a single module, that of its file. Empty if
    they are not files.
    """
    from importlib.util import find_spec  # start-up time

    try:
        spec = find_spec(module.partition(".")[0])
    except (ImportError, ValueError):
        spec = None
    if spec is None:
        return ""
    if spec.submodule_search_locations is None:
        is_file = spec.origin is not None and os.path.isfile(spec.origin)
        return digest(_read(spec.origin or ""), {}) if is_file else ""
    texts = dict(_texts_below(spec.submodule_search_locations))
    return digest(b"", texts) if texts else ""


def _texts_below(folders: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    for folder in folders:
        for place, _, names in os.walk(folder):
            for name in names:
                if name.endswith(".py"):
                    path = os.path.join(place, name)
                    yield os.path.relpath(path, folder), _read(path)
