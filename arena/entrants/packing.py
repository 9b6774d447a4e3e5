"""One file with a bot and all `lath` modules it needs, for contests that take a single file.

Finds the imports of a bot by reading its code, without running it.
"""

from __future__ import annotations

import ast
import json
import re
import sys
import zlib
from base64 import b85encode
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from lath import games
from lath.arena.entrants.programs import bundled
from lath.arena.errors import ConfigError
from lath.arena.referee.bots import OURS
from lath.arena.referee.bridges import CONTESTS

MOST_LETTERS: Final = 100_000
"""The size limit of CodinGame, less one."""

_ROOT: Final = Path(games.__file__).parent.parent
"""The folder that contains the package `lath`."""

_HOLLOW: Final = ("lath", "lath.bots", "lath.notation")
"""Packages that are packed without the code of their `__init__.py`."""

_LEFT_OUT: Final = ("lath.games.trial", "lath.games.faults", "lath.games.drawing")
"""Modules that a packed bot never needs: trials and failures of game files, and pictures."""

_CONTEST_GAMES: Final = {name: contest.games for name, contest in CONTESTS.items()}

_NONE: Final[Mapping[str, str]] = {}

_MAIN: Final = "__main__"

_STAND_INS: Final = _ROOT / "bots" / "packed"
"""The folder of replacement modules and of the loader."""

_BUILTIN: Final = "lath.games.builtin"

_INSTEAD: Final = {
    _BUILTIN: _STAND_INS / "builtin.py",
    "lath.games.authors": _STAND_INS / "authors.py",
    "lath.games.files": _STAND_INS / "files.py",
    "lath.games.naming": _STAND_INS / "naming.py",
    "lath.games.plugins": _STAND_INS / "plugins.py",
    "lath.bots.compiled.searches": _STAND_INS / "searches.py",
    "lath.bots.learned.book": _STAND_INS / "book.py",
    "lath.bots.learned.patterns": _STAND_INS / "patterns.py",
}
"""The replacements of modules that are useless in a packed bot."""

_NEEDS: Final = "this file needs Python 3.11 or later, and nothing else"


def pack(
    bot: str,
    *,
    plays: Sequence[str] = (),
    protocol: str = OURS,
    tc: str = "none",
    seed: int = 1,
    options: Mapping[str, str] = _NONE,
) -> str:
    """Return the text of one file that contains the bot and needs only the standard library.

    `bot` is a file or the name of a bundled bot. `plays` are ids of the built-in games that it can
    play. Default: all. It speaks `protocol`; `tc`, `seed` and `options` apply if the protocol does
    not set them. A file over MOST_LETTERS is packed more tightly. Raises ConfigError.
    """
    path = _file_of(bot)
    ids = tuple(plays or _CONTEST_GAMES.get(protocol) or games.builtin_ids())
    if unknown := [game for game in ids if game not in games.builtin_ids()]:
        known = ", ".join(games.builtin_ids())
        raise ConfigError(
            f"--game: only built-in games can be packed, not {', '.join(unknown)}: choose {known}"
        )
    wanted = [f"lath.games.{game.replace('-', '_')}" for game in ids]
    begin = "start(globals())"
    if protocol != OURS:
        wanted.append("lath.bots.contests")
        terms = f"tc={tc!r}, seed={seed}, options={dict(options)!r}"
        begin = f"start(globals(), contest={protocol!r}, {terms})"
    sources = _Sources(path)
    for module in (_MAIN, "lath.games", *wanted):
        sources.add(module)
    sources.texts[_BUILTIN] += f"\nIDS = {ids!r}"
    sources.drop_unused()
    text = _file(path.name, sources, _as_they_stand(sources.texts), begin)
    if len(text) >= MOST_LETTERS:
        text = _file(path.name, sources, _compressed(sources.texts), begin)
    if len(text) >= MOST_LETTERS:
        fewer = "; pack it for fewer games with --game" if len(ids) > 1 else ""
        raise ConfigError(
            f"{bot}: {len(text)} characters are too many, the limit is {MOST_LETTERS}{fewer}"
        )
    return text


def _file_of(bot: str) -> Path:
    path = Path(bot)
    if path.is_file():
        return path
    if bot in bundled():
        return _ROOT.joinpath(*bundled()[bot][-1].split(".")[1:]).with_suffix(".py")
    raise ConfigError(f"{bot}: not found; expected a Python file or one of {', '.join(bundled())}")


class _Import(NamedTuple):
    """A module that an import line may mean."""

    name: str
    line: int
    may_fail: bool
    """True if the line works without the module."""

    is_guess: bool
    """True if the name may be an object in a module instead of a module."""


class _Sources:
    """The source code of a bot, module by module."""

    def __init__(self, main: Path) -> None:
        self._main: Final = main
        self.texts: Final[dict[str, str]] = {}
        """The texts by module name, without comments and docstrings."""
        self.packages: Final[set[str]] = set()

    def add(self, name: str, *, may_fail: bool = False) -> None:
        """Add a module and everything that it imports; raises ConfigError.

        The importer works without a module that `may_fail`.
        """
        if name in self.texts or (path := self._path(name)) is None:
            return
        if path.name == "__init__.py" or path.is_dir():
            self.packages.add(name)
        if package := name.rpartition(".")[0]:
            self.add(package)
        self.texts[name] = ""
        if name in _HOLLOW or path.is_dir():
            return
        try:
            text = path.read_text(encoding="utf-8")
            tree = ast.parse(text, str(path))
        except (RecursionError, MemoryError) as error:  # beyond Python's own limits
            raise ConfigError(f"{path}: cannot be packed: it is nested too deeply") from error
        except (OSError, ValueError, SyntaxError) as error:
            raise ConfigError(f"{path}: cannot be packed: {error}") from error
        for each in _imports(tree, name if name in self.packages else package):
            # Third-party modules in `lath` are optional and only for speed.
            self._follow(each, path, may_fail=may_fail or path.is_relative_to(_ROOT))
        keeps_types = not path.is_relative_to(_ROOT)  # users' code may read its own types
        self.texts[name] = _plain(tree, keeps_docs="__doc__" in text, keeps_types=keeps_types)

    def _follow(self, each: _Import, path: Path, *, may_fail: bool) -> None:
        top = each.name.partition(".")[0]
        if each.name.startswith(_LEFT_OUT) or (top in sys.stdlib_module_names and top != "lath"):
            return
        may_fail = may_fail or each.may_fail
        if self._path(each.name) is not None:
            self.add(each.name, may_fail=may_fail)
        elif not (may_fail or each.is_guess):
            raise ConfigError(
                f"{path}:{each.line}: {each.name} cannot be packed: it is neither in Python's "
                f"standard library nor beside {self._main.name}"
            )

    def drop_unused(self) -> None:
        """Remove functions, constants and methods of `lath` whose names the code does not use."""
        ours = {name: ast.parse(text) for name, text in self.texts.items() if name[:5] == "lath."}
        while True:
            used = Counter(_NAME.findall("\n".join([_loader(), *self.texts.values()])))
            owners = list(_own_classes(ours.values()))
            methods = Counter(_method(node) for owner in owners for node in owner.body)
            count = 0
            for owner in owners:
                kept = [node for node in owner.body if used[name := _method(node)] != methods[name]]
                count += len(owner.body) - len(kept)
                owner.body = kept or [ast.Pass()]
            for name, tree in ours.items():
                kept = [node for node in tree.body if used[_defined(node)] != 1]
                count += len(tree.body) - len(kept)
                tree.body = kept
                self.texts[name] = ast.unparse(tree)
            if not count:
                return

    def _path(self, name: str) -> Path | None:
        """Return the file of a module, or the folder of a namespace package; None if not found."""
        if name == _MAIN:
            return self._main
        if name in _INSTEAD:
            return _INSTEAD[name]
        top, *rest = name.split(".")
        place = (_ROOT if top == "lath" else self._main.parent / top).joinpath(*rest)
        for path in (place / "__init__.py", place.with_name(f"{place.name}.py")):
            if path.is_file() and name != "lath":
                return path
        return place if place.is_dir() and (name == "lath" or top != "lath") else None


def _own_classes(trees: Iterable[ast.Module]) -> Iterator[ast.ClassDef]:
    """Yield the classes without a base from elsewhere, which could call methods by other names."""
    classes = {
        node.name: node for tree in trees for node in tree.body if isinstance(node, ast.ClassDef)
    }
    known = {"ABC"}
    while found := [
        name
        for name, node in classes.items()
        if name not in known and {ast.unparse(base) for base in node.bases} <= known
    ]:
        known.update(found)
    yield from (node for name, node in classes.items() if name in known)


def _imports(tree: ast.AST, package: str, *, may_fail: bool = False) -> Iterator[_Import]:
    """Yield the imports that run with a part of a module of this package."""
    for node in ast.iter_child_nodes(tree):
        match node:
            case ast.If(test=test) if _is_of_types(test):
                for each in node.orelse:
                    yield from _imports(ast.Module([each], []), package, may_fail=may_fail)
            case ast.Try():
                fails = may_fail or any(map(_takes_import_errors, node.handlers))
                yield from _imports(ast.Module(node.body, []), package, may_fail=fails)
                rest = [*node.handlers, *node.orelse, *node.finalbody]
                yield from _imports(ast.Module(rest, []), package, may_fail=may_fail)  # type: ignore[arg-type]
            case ast.Import():
                yield from (
                    _Import(alias.name, node.lineno, may_fail, is_guess=False)
                    for alias in node.names
                )
            case ast.ImportFrom():
                base = node.module or ""
                if node.level:
                    parts = package.split(".")[: len(package.split(".")) - node.level + 1]
                    base = ".".join(filter(None, [*parts, base]))
                yield _Import(base, node.lineno, may_fail, is_guess=False)
                yield from (
                    _Import(f"{base}.{alias.name}", node.lineno, may_fail, is_guess=True)
                    for alias in node.names
                )
            case _:
                yield from _imports(node, package, may_fail=may_fail)


def _is_of_types(test: ast.expr) -> bool:
    return ast.unparse(test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")


def _takes_import_errors(handler: ast.ExceptHandler) -> bool:
    taken = "BaseException" if handler.type is None else ast.unparse(handler.type)
    return any(name in taken for name in ("ImportError", "ModuleNotFoundError", "Exception"))


_NAME: Final = re.compile(r"\b\w+\b")


def _defined(node: ast.stmt) -> str:
    """Return the name of a function or constant that does nothing else; empty for others."""
    match node:
        case ast.FunctionDef(name=name, decorator_list=[]):
            return name
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.Constant() | ast.Dict()):
            return name
    return ""


def _method(node: ast.stmt) -> str:
    """Return the name of a method that only code with its name calls; empty for others."""
    match node:
        case ast.FunctionDef(name=name, decorator_list=[]) if not name.startswith("__"):
            return name
    return ""


class _Bare(ast.NodeTransformer):
    """A transformer that removes docstrings, and code only for type checkers and readers."""

    def __init__(self, *, keeps_docs: bool, keeps_types: bool) -> None:
        self._keeps_docs: Final = keeps_docs
        self._keeps_types: Final = keeps_types

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Remove the types of a function, too."""
        if not self._keeps_types:
            node.returns = None
            for each in ast.walk(node.args):
                if isinstance(each, ast.arg):
                    each.annotation = None
        return self.generic_visit(node)

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """Visit the children of a node, and clean its blocks."""
        super().generic_visit(node)
        for name in ("body", "orelse"):
            block = getattr(node, name, None)
            if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                kept = [each for each in block if not self._is_spare(each)]
                is_needed = name == "body" and not isinstance(node, ast.Module)
                setattr(node, name, kept or ([ast.Pass()] if is_needed else []))
        return node

    def _is_spare(self, node: ast.stmt) -> bool:
        match node:
            case ast.Expr(value=ast.Constant(value=str())):
                return not self._keeps_docs
            case ast.If(test=test, orelse=[]):
                return _is_of_types(test)
            case ast.FunctionDef(name="card" | "lessons", decorator_list=[ast.Name(id="property")]):
                return not self._keeps_types
        return False


def _plain(tree: ast.Module, *, keeps_docs: bool = False, keeps_types: bool = False) -> str:
    return ast.unparse(_Bare(keeps_docs=keeps_docs, keeps_types=keeps_types).visit(tree))


_LINE: Final = 100


def _file(name: str, sources: _Sources, texts: str, begin: str) -> str:
    """Return the text of a packed bot; `texts` is the code that contains its modules."""
    parts = (
        f"# {name}, packed by `arena bot pack`: {_NEEDS}.",
        _loader(),
        f"Packed.packages.update({sorted(sources.packages)!r})",
        texts,
        begin,
    )
    return "\n\n".join(parts) + "\n"


def _loader() -> str:
    return _plain(ast.parse((_STAND_INS / "loader.py").read_text(encoding="utf-8")))


def _as_they_stand(texts: Mapping[str, str]) -> str:
    lines = (f"Packed.sources[{name!r}] = {_quoted(text)}" for name, text in texts.items())
    return "\n\n".join(lines)


def _compressed(texts: Mapping[str, str]) -> str:
    code = b85encode(zlib.compress(json.dumps(texts).encode(), 9)).decode()
    lines = (code[at : at + _LINE] for at in range(0, len(code), _LINE))
    return "\n".join(['unpack("""', *lines, '""")'])


def _quoted(text: str) -> str:
    """Return a Python literal of a text, raw if possible."""
    quoted = f"r'''\n{text}\n'''"
    return quoted if "'''" not in text else repr(text)
