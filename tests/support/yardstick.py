"""The stored list of mistakes that tests must notice, and their places in any later tree.

`tests/yardstick/*.jsonl` has one entry per line: a small mistake (a mutant) or a fix from the
history, reverted. An entry names functions and the text of statements, never lines. So it remains
valid if modules move and the code around it changes.
"""

from __future__ import annotations

import ast
import copy
import dataclasses
import io
import json
import textwrap
import tokenize
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple

LAYERS: Final = ("games", "notation", "bots", "reports", "arena")
"""The product folders at the top of the tree."""

BESIDE: Final = ("front.py", "grammar.lark")
"""Product files outside these folders."""

KILLED: Final = "killed"
SURVIVED: Final = "survived"
OUT_OF_TIME: Final = "out of time"

LONG_ENOUGH: Final = 40
"""Characters of a statement that can be found by its text alone, if the text is unique."""


class LostError(Exception):
    """An edit cannot be placed in this tree; the message says why."""


class Span(NamedTuple):
    """The bytes of a file to replace, from `start` on and before `end`."""

    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """One replacement: of statements in a function of a module, or of plain text in a file."""

    file: str = ""
    """Path of a file whose text is replaced; then `module` is empty."""

    module: str = ""
    """Path of the Python file from the root of the tree when the entry was made."""

    function: str = ""
    """`function`, `Class.method` or `outer.inner`; "" is the level of the module."""

    before: str
    """Whole statements in sequence, or one header such as `if a < b:`."""

    after: str
    """The replacement; "" removes the statements."""

    nth: int = 1
    """The number of the occurrence, if the function has the same statements several times."""

    of: int = 1
    """The number of occurrences in the function."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A mistake, with the recorded verdict of the tests."""

    id: str
    topic: str
    kind: str
    edits: tuple[Edit, ...]
    seed: str = ""
    title: str = ""
    """The title of a reverted fix."""

    tests: tuple[str, ...] = ()
    """Tests or files of tests to run first."""

    verdict: str = ""
    """killed, survived or out of time; "" if untested."""

    test: str = ""
    """The name of one test that notices it."""

    test_s: float = 0.0
    """The seconds that this test takes, with its fixtures, on the tree without the mistake."""

    def to_line(self) -> str:
        """Return the entry as a line of the list; fields with their default are left out."""
        told: dict[str, Any] = asdict(self)
        told["edits"] = [_told(asdict(edit), Edit) for edit in self.edits]
        return json.dumps(_told(told, Entry), ensure_ascii=False)

    @classmethod
    def from_line(cls, line: str) -> Entry:
        """Return the entry of a line; an invalid one raises ValueError, KeyError or TypeError."""
        told = json.loads(line)
        edits = tuple(Edit(**edit) for edit in told.pop("edits"))
        return cls(edits=edits, tests=tuple(told.pop("tests", ())), **told)


def _told(fields: dict[str, Any], kind: type[Edit | Entry]) -> dict[str, Any]:
    defaults = {one.name: one.default for one in dataclasses.fields(kind)}
    return {name: value for name, value in fields.items() if value != defaults[name]}


def read(path: Path) -> list[Entry]:
    """Return the entries of a list; raises SystemExit with file and line for an invalid one."""
    entries = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            entries.append(Entry.from_line(line))
        except (ValueError, KeyError, TypeError) as error:
            raise SystemExit(f"{path}:{number}: not an entry: {error}") from error
    return entries


def write(path: Path, entries: Iterable[Entry]) -> None:
    """Replace a list atomically, so that a killed run leaves the old or the new one."""
    new = path.with_name(f".{path.name}.new")
    new.write_text("".join(f"{entry.to_line()}\n" for entry in entries), encoding="utf-8")
    new.replace(path)


@dataclass(frozen=True)
class Source:
    """A Python file with the places of its statements."""

    path: str
    data: bytes

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.data)

    @cached_property
    def _lines(self) -> list[int]:
        """The offset of each line."""
        starts = [0]
        for line in self.data.splitlines(keepends=True):
            starts.append(starts[-1] + len(line))
        return starts

    @cached_property
    def blocks(self) -> dict[str, list[list[ast.stmt]]]:
        """The blocks of statements of each function, class and the module, by qualified name."""
        found: dict[str, list[list[ast.stmt]]] = {}
        _gather(self.tree, "", found)
        return found

    @cached_property
    def functions(self) -> frozenset[str]:
        """The qualified names of functions, without classes and the module itself."""
        return frozenset(_functions(self.tree, ""))

    @cached_property
    def texts(self) -> dict[str, set[str]]:
        """The statements of each function in the form for comparisons."""
        return {
            name: {form(one) for block in blocks for one in block}
            for name, blocks in self.blocks.items()
        }

    def spans(self, function: str, before: str) -> list[Span]:
        """Return all places in the function with these statements."""
        blocks = self.blocks.get(function, [])
        if is_header(before):
            wanted = _header_form(before)
            return sorted(
                self._header_span(one)
                for block in blocks
                for one in block
                if isinstance(one, HEADED) and header_form(one) == wanted
            )
        texts = [ast.unparse(one) for one in parsed(before)]
        return sorted(
            Span(self._start(run[0]), self._end(run[-1]))
            for block in blocks
            for run in _runs(block, len(texts))
            if [ast.unparse(one) for one in run] == texts
        )

    def replaced(self, span: Span, after: str) -> bytes:
        """Return the file with other statements, or another header, in place of a span."""
        begin = self.data.rfind(b"\n", 0, span.start) + 1
        indent = self.data[begin : span.start].decode()
        if indent.strip():  # `case 1: return 2` or `a; b`: after something else in its line
            indent = indent[: len(indent) - len(indent.lstrip())]
        if is_header(after):
            is_elif = self.data[span.start : span.start + 4] == b"elif"
            text = "el" * is_elif + _header_form(after)
        else:
            after = textwrap.dedent(after) if after[:1].isspace() else after
            text = indented(after.strip("\n") or "pass", indent).lstrip(" \t")
        return self.data[: span.start] + text.encode() + self.data[span.end :]

    def span(self, node: ast.stmt) -> Span:
        """Return the place of a statement, or of the header of a compound one."""
        if isinstance(node, HEADED):
            return self._header_span(node)
        return Span(self._start(node), self._end(node))

    def _place(self, line: int, column: int) -> int:
        return self._lines[line - 1] + column

    def _start(self, node: ast.stmt) -> int:
        decorators = getattr(node, "decorator_list", [])
        if decorators:
            first = self._place(decorators[0].lineno, decorators[0].col_offset)
            return self.data.rfind(b"@", 0, first)
        return self._place(node.lineno, node.col_offset)

    def _end(self, node: ast.stmt) -> int:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self._place(node.end_lineno, node.end_col_offset)

    def _header_span(self, node: ast.stmt) -> Span:
        start = self._place(node.lineno, node.col_offset)
        text = self.data[start : self._end(node)].decode()
        return Span(start, start + len(text[: _colon(text) + 1].encode()))


HEADED: Final = (
    *(ast.If, ast.While, ast.For, ast.With, ast.Match),
    *(ast.AsyncFor, ast.AsyncWith, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef),
)
"""Statements with a header, which can be replaced alone."""


def is_header(text: str) -> bool:
    """Return whether a text is the header of a compound statement, without its block."""
    try:
        parsed(text)
    except SyntaxError:
        return text.rstrip().endswith(":")
    return False


def header_form(node: ast.stmt) -> str:
    """Return the header of a compound statement in the form for comparisons."""
    alone = without_block(node)
    lines = ast.unparse(alone).split("\n")
    # without the placeholder of the block, and without decorators
    kept = lines[: -2 if isinstance(node, ast.Match) else -1]
    return "\n".join(kept[len(getattr(node, "decorator_list", [])) :])


def form(node: ast.stmt) -> str:
    """Return the text for looking up a statement: the header of a compound one."""
    return header_form(node) if isinstance(node, HEADED) else ast.unparse(node)


def parsed(text: str) -> list[ast.stmt]:
    """Return the statements of a text, which may be indented; raises SyntaxError."""
    return ast.parse(textwrap.dedent(text) if text[:1].isspace() else text).body


def indented(text: str, indent: str) -> str:
    """Return statements with each line indented that does not begin inside a string."""
    lines = text.split("\n")
    inside = {
        number
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Constant | ast.JoinedStr)
        for number in range(node.lineno, node.end_lineno or 0)
    }
    return "\n".join(
        line if number in inside or not line else f"{indent}{line}"
        for number, line in enumerate(lines)
    )


def without_block(node: ast.stmt) -> ast.stmt:
    """Return a compound statement with a minimal block."""
    new = copy.copy(node)
    if isinstance(new, ast.Match):
        new.cases = [ast.match_case(ast.MatchAs(), None, [ast.Pass()])]
    else:
        for name in {"body", "orelse"} & {*new._fields}:
            setattr(new, name, [ast.Pass()] if name == "body" else [])
    return new


def _header_form(text: str) -> str:
    text = textwrap.dedent(text).strip()
    text = text.removeprefix("el") if text.startswith("elif") else text
    block = "\n case _: pass" if text.startswith("match ") else " pass"
    return header_form(ast.parse(text + block).body[0])


def _colon(text: str) -> int:
    """Return the place of the colon at the end of the header that begins a text."""
    depth = 0
    lambdas: list[int] = []
    lines = text.splitlines(keepends=True)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        depth += (token.string in {"(", "[", "{"}) - (token.string in {")", "]", "}"})
        if token.string == "lambda":
            lambdas.append(depth)
        elif token.string == ":" and lambdas and lambdas[-1] == depth:
            lambdas.pop()
        elif token.string == ":" and depth == 0:
            row, column = token.start
            return sum(map(len, lines[: row - 1])) + column
    raise AssertionError(text)


def _runs(block: Sequence[ast.stmt], length: int) -> Iterator[Sequence[ast.stmt]]:
    return (block[at : at + length] for at in range(len(block) - length + 1))


def _gather(node: ast.AST, name: str, found: dict[str, list[list[ast.stmt]]]) -> None:
    """Note each block below a node under the name of its function or class."""
    for _, value in ast.iter_fields(node):
        if not isinstance(value, list):
            continue
        if value and isinstance(value[0], ast.stmt):
            found.setdefault(name, []).append(value)
        for child in value:
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                _gather(child, f"{name}.{child.name}".lstrip("."), found)
            elif isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case):
                _gather(child, name, found)


def _functions(node: ast.AST, name: str) -> Iterator[str]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            below = f"{name}.{child.name}".lstrip(".")
            if not isinstance(child, ast.ClassDef):
                yield below
            yield from _functions(child, below)
        elif isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case):
            yield from _functions(child, name)


@dataclass(frozen=True, slots=True)
class Placed:
    """The place of an edit in a tree, and the way it was found."""

    path: str
    function: str
    how: str
    """there, moved, renamed, or by its text alone"""

    span: Span


@dataclass
class Product:
    """The product files of a tree, each read once and never written."""

    root: Path
    sources: dict[str, Source] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.sources = {
            path: Source(path, (self.root / path).read_bytes()) for path in modules(self.root)
        }

    def place(self, edit: Edit) -> Placed:
        """Return the place of the edit; raises LostError if it is not certain."""
        return self._place_text(edit) if edit.file else self._place_statements(edit)

    def edited(self, entry: Entry) -> dict[str, bytes]:
        """Return the files that the entry changes, with their new content."""
        current = Product.__new__(Product)
        current.root, current.sources = self.root, dict(self.sources)
        texts: dict[str, bytes] = {}
        for edit in entry.edits:
            if edit.file and not edit.file.endswith(".py"):
                placed = self._place_text(edit, texts)
                data = texts.get(placed.path) or (self.root / placed.path).read_bytes()
                start, end = placed.span
                texts[placed.path] = data[:start] + edit.after.encode() + data[end:]
                continue
            placed = current.place(edit)
            source = current.sources[placed.path]
            if edit.file:
                start, end = placed.span
                data = source.data[:start] + edit.after.encode() + source.data[end:]
            else:
                data = source.replaced(placed.span, edit.after)
            try:
                ast.parse(data)
            except SyntaxError as error:
                raise LostError(f"{placed.path} would not be Python: {error}") from error
            texts[placed.path] = data
            current.sources[placed.path] = Source(placed.path, data)
        return texts

    def _place_statements(self, edit: Edit) -> Placed:
        try:
            first = _header_form(edit.before) if is_header(edit.before) else None
            first = first or form(parsed(edit.before)[0])
        except SyntaxError as error:
            raise LostError(f"`before` is not Python: {error}") from error
        for how, candidates in (
            ("there", [(edit.module, edit.function)]),
            ("moved", [(path, edit.function) for path in self.sources]),
            ("renamed", list(self._of_last_name(edit.function))),
            ("by its text alone", list(self._functions()) if _is_telling(edit.before) else []),
        ):
            found = {
                (path, name): spans
                for path, name in candidates
                if path in self.sources
                and first in self.sources[path].texts.get(name, ())
                and (spans := self.sources[path].spans(name, edit.before))
            }
            if len(found) > 1:
                where = ", ".join(f"{path} {name}" for path, name in found)
                raise LostError(f"several functions have it: {where}")
            for (path, name), spans in found.items():
                if len(spans) != edit.of:
                    raise LostError(f"{path} {name} has it {len(spans)} times, not {edit.of}")
                return Placed(path, name, how, spans[edit.nth - 1])
        if any(edit.function in source.blocks for source in self.sources.values()):
            raise LostError(f"{edit.function or edit.module} has no such statement any more")
        raise LostError(f"there is no function {edit.function}, and no other has the statement")

    def _of_last_name(self, function: str) -> Iterator[tuple[str, str]]:
        last = function.rpartition(".")[2]
        return ((path, name) for path, name in self._functions() if last and _last(name) == last)

    def _functions(self) -> Iterator[tuple[str, str]]:
        return ((path, name) for path, source in self.sources.items() for name in source.blocks)

    def _place_text(self, edit: Edit, edited: dict[str, bytes] | None = None) -> Placed:
        wanted = edit.before.encode()
        for how, paths in (("there", [edit.file]), ("moved", texts(self.root))):
            found = []
            for path in paths:
                data = (edited or {}).get(path) or self._bytes(path)
                found += [(path, data.find(wanted))] * min(data.count(wanted), 2)
            if len(found) > 1:
                raise LostError(f"its text is there several times: {found[0][0]}, {found[1][0]}")
            for path, start in found:
                return Placed(path, "", how, Span(start, start + len(wanted)))
        raise LostError(f"no product file has its text, neither {edit.file} nor another")

    def _bytes(self, path: str) -> bytes:
        if path in self.sources:
            return self.sources[path].data
        whole = self.root / path
        return whole.read_bytes() if whole.is_file() else b""


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _is_telling(text: str) -> bool:
    return len(text) >= LONG_ENOUGH


def modules(root: Path) -> list[str]:
    """Return the product's Python files, by their paths from the root."""
    return [path for path in texts(root) if path.endswith(".py")]


def texts(root: Path) -> list[str]:
    """Return all product files: modules, templates, scripts, tables."""
    found = [root / name for name in BESIDE if (root / name).exists()]
    for layer in LAYERS:
        found += sorted(path for path in (root / layer).rglob("*") if path.is_file())
    paths = (path.relative_to(root) for path in found if path.suffix != ".pyc")
    return [path.as_posix() for path in paths if "__pycache__" not in path.parts]
