"""The keys in the reference of `tournament.toml`, from the model that reads the file."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lath.arena.entrants.bot_table import DURATION, SOME_TIME, KeyTable
from lath.arena.entrants.toml_text import shown
from lath.arena.tournament.configuration.keys import TABLES, meanings, on_change

_TITLES = {"": "Top level", "bot": "[[bot]]"}
"""Headings other than `[table]`. Their anchors are the words without brackets."""

_TOML = re.compile(r"\[[^\]]*\]+|\{[^}]*\}|'[^']*'")
"""Values among the words that say what a key takes."""


def sections() -> str:
    """Return the sections of all keys as Markdown."""
    return "\n".join(line for table in TABLES for line in _section(table)).rstrip()


def _section(table: str) -> Iterator[str]:
    """Yield the lines of a table of the file, with an anchor for each key."""
    title = _TITLES.get(table, f"[{table}]")
    yield f"## {title}\n"
    yield meanings(TABLES[""])[table] if table else "These keys come first in the file."
    yield "\n| key | meaning | value | default | on resume |\n| --- | --- | --- | --- | --- |"
    for key, meaning in meanings(TABLES[table]).items():
        if table or key not in TABLES:
            yield _row(table, key, meaning)
    yield ""


def _row(table: str, key: str, meaning: str) -> str:
    anchor = f"{table}-{key}" if table else key
    takes = TABLES[table].model_fields[key].description or ""
    takes = _TOML.sub(lambda value: f"`{value[0]}`", takes)
    words, _, default = meaning.partition(" Default: ")
    default = default.removesuffix(".") or _default(TABLES[table], key)
    cells = (f'<a id="{anchor}"></a>`{key}`', words, takes, default, on_change(table, key))
    return f"| {' | '.join(cells)} |"


def _default(table: type[KeyTable], key: str) -> str:
    """Return a default as the file has it; empty if the key does nothing without a value."""
    field = table.model_fields[key]
    value = field.default
    if field.is_required():
        return "required"
    if field.description in (DURATION, SOME_TIME):
        value = value and (f"{value:g}s" if value >= 1 else f"{1000 * value:g}ms")
    return f"`{shown(value)}`" if value or value is False else ""
