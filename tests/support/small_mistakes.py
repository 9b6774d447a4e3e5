"""Small mistakes in the product's functions, and a sample of them.

Such as an inverted comparison, a bound moved by one, or a missing statement: tests should notice.
"""

from __future__ import annotations

import ast
import copy
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import PurePosixPath
from typing import Final

from yardstick import HEADED, Edit, Entry, Product, Source, form, without_block

ORDERS: Final[Mapping[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}

SUMS: Final[Mapping[type[ast.operator], type[ast.operator]]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}

Change = tuple[str, ast.AST]
"""The kind of a mistake, and the node with it."""


def changes(node: ast.AST) -> Iterator[Change]:
    """Yield each small mistake at this node."""
    if isinstance(node, ast.stmt):
        yield from _changes_of_statement(node)
    elif isinstance(node, ast.expr):
        yield from _changes_of_expression(node)


def _changes_of_statement(node: ast.stmt) -> Iterator[Change]:
    match node:
        case ast.If() | ast.While() if not isinstance(node.test, ast.Compare | ast.Constant):
            new = copy.deepcopy(node)
            new.test = ast.UnaryOp(ast.Not(), new.test)
            yield "condition turned", new
        case ast.Return(value=ast.expr() as value) if ast.unparse(value) != "None":
            yield "nothing returned", ast.Return(ast.Constant(None))
        case ast.Assign() | ast.AugAssign() | ast.Raise():
            yield "left out", ast.Pass()
        case ast.Expr(value=ast.Call() | ast.Yield() | ast.YieldFrom()):
            yield "left out", ast.Pass()
        case ast.Continue():
            yield "break for continue", ast.Break()
        case ast.Break():
            yield "continue for break", ast.Continue()


def _changes_of_expression(node: ast.expr) -> Iterator[Change]:
    match node:
        case ast.Compare(ops=[order, *_]) if type(order) in ORDERS:
            new = copy.deepcopy(node)
            new.ops[0] = ORDERS[type(order)]()
            yield "comparison turned", new
        case ast.BoolOp(op=op, values=values):
            yield (
                "and for or",
                ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values),
            )
        case ast.UnaryOp(op=ast.Not()):
            yield "not left out", node.operand
        case ast.BinOp(op=op) if type(op) in SUMS:
            yield "operator", ast.BinOp(node.left, SUMS[type(op)](), node.right)
        case ast.IfExp():
            yield "condition turned", ast.IfExp(node.test, node.orelse, node.body)
        case ast.Constant(value=bool() as value):
            yield "constant", ast.Constant(not value)
        case ast.Constant(value=int() | float() as value):
            yield "one more", ast.Constant(value + 1)
            yield "one less", ast.Constant(value - 1)


def topics(product: Product) -> dict[str, list[Source]]:
    """Return the modules of each product folder, by its path."""
    found: dict[str, list[Source]] = {}
    for path, source in product.sources.items():
        if len(PurePosixPath(path).parts) > 1:
            found.setdefault(PurePosixPath(path).parent.as_posix(), []).append(source)
    return found


def sample(topic: str, sources: list[Source], count: int, seed: str) -> list[Entry]:
    """Return random mutants of a folder's modules."""
    every = [found for source in sources for found in _mutants(source)]
    chance = random.Random(f"{seed} {topic}")
    entries: list[Entry] = []
    for source, function, node, number in chance.sample(every, len(every)):
        if len(entries) == count:
            break
        kind, after = next(islice(_mistakes(node), number, None))
        edit = _edit(source, function, node, after)
        if edit is not None:
            name = f"{topic} {len(entries) + 1:02}"
            entries.append(Entry(id=name, topic=topic, kind=kind, edits=(edit,), seed=seed))
    return entries


Found = tuple[Source, str, ast.stmt, int]
"""The module, the function, the statement, and the number of the mistake in it."""


def _mutants(source: Source) -> Iterator[Found]:
    """Yield every mutant inside a function of a module."""
    for function, blocks in source.blocks.items():
        for node in (node for block in blocks for node in block):
            if function in source.functions and not isinstance(node, DEFINITIONS):
                for number in range(sum(1 for _ in _changes(node))):
                    yield source, function, node, number


DEFINITIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)

BLOCKS: Final = frozenset({"body", "orelse", "finalbody", "handlers", "cases"})


def _changes(node: ast.stmt) -> Iterator[tuple[str, ast.AST, Place | None]]:
    """Yield the kind, the new node and the place of each mistake in a statement or header."""
    for kind, new in changes(node):
        yield kind, new, None
    for place in _places(node):
        for kind, new in changes(place.node):
            yield kind, new, place


def _mistakes(node: ast.stmt) -> Iterator[tuple[str, str]]:
    """Yield the kind of each mistake in a statement or header, and its text with the mistake."""
    whole = copy.deepcopy(without_block(node) if isinstance(node, HEADED) else node)
    for kind, new, place in _changes(whole):
        if place is None:
            assert isinstance(new, ast.stmt)
            yield kind, form(new)
        else:
            place.put(ast.copy_location(new, place.node))
            yield kind, form(ast.fix_missing_locations(whole))
            place.put(place.node)


@dataclass(frozen=True, slots=True)
class Place:
    """The place of an expression: a field of the parent node, and an index in a list."""

    node: ast.expr
    above: ast.AST
    field: str
    index: int | None

    def put(self, node: ast.AST) -> None:
        if self.index is None:
            setattr(self.above, self.field, node)
        else:
            getattr(self.above, self.field)[self.index] = node


def _places(node: ast.AST) -> Iterator[Place]:
    """Yield each expression in a statement or header, without annotations."""
    for field, value in ast.iter_fields(node):
        if field == "annotation" or (isinstance(node, ast.stmt) and field in BLOCKS):
            continue
        for index, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if isinstance(child, ast.expr):
                yield Place(child, node, field, index)
            if isinstance(child, ast.AST):
                yield from _places(child)


def _edit(source: Source, function: str, node: ast.stmt, after: str) -> Edit | None:
    """Return a mutant as an edit, or None if its text parses to another tree."""
    before = form(node)
    spans = source.spans(function, before)
    span = source.span(node)
    if span not in spans:
        return None
    edit = Edit(
        module=source.path,
        function=function,
        before=before,
        after="" if after == "pass" else after,
        nth=spans.index(span) + 1,
        of=len(spans),
    )
    try:
        new = ast.parse(source.replaced(span, edit.after))
    except SyntaxError:
        return None
    return edit if ast.dump(new) != ast.dump(source.tree) else None
