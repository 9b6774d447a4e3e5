"""The reference of `tournament.toml`, generated from the model that reads the file."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lath.arena.entrants.bot_table import DURATION, SOME_TIME, KeyTable
from lath.arena.entrants.toml_text import shown
from lath.arena.tournament.configuration.keys import TABLES, meanings, on_change

EXAMPLE = """\
event = "Autumn cup"
games = ["yavalath", "manalath"]
format = "gauntlet"
challengers = 1               # `mine` plays all the others
rounds = 20
seed = "secret"
jobs = "auto"
openings = "random:4"
bench_after = 3

[time]
initial = "10s"
increment = "0.1s"
margin = "100ms"

[adjudication]
plies = 300
win_eval = 0.95
win_after = 6

[anchors]
random = 0                    # Elo

[[bot]]
name = "mine"
command = ["python", "mybot.py", "--fast"]
options = { depth = 4 }
env = { MYBOT_LOG = "0" }
memory = "512MiB"

[[bot]]
name = "mcts"                 # a bundled bot needs no command
options = { level = 2 }
time = { move = "50ms", first = "1s" }

[[bot]]
name = "random"
"""

HEAD = f"""\
# tournament.toml

The keys of a tournament's configuration, which `arena run FILE.toml` plays.

`arena init` writes a first file. `arena schema config` prints this reference as a JSON Schema for
editors.
[Run a tournament](../how-to/run-a-tournament.md) shows the jobs that the keys are for.

```toml
{EXAMPLE}```

- The arena checks the whole file first. It reports up to a hundred mistakes, with line, key and
  allowed values.
- Options of `arena run` override the file.
- Relative paths start at the folder of the file. `python` is the interpreter that runs the arena.
- A configuration starts programs. Read a file from others as you would read a script.
- A duration is a number of seconds, or a text with `ms`, `s`, `m`, `min` or `h`, such as `"1.5h"`.
- The file has at most 1,048,576 characters and eight levels of tables and lists.

The column *on resume* says what happens to another value when you run the tournament again:

| word | meaning |
| --- | --- |
| refused | the arena does not resume; a [pool](../how-to/keep-a-pool.md) accepts the value |
| recorded | the arena accepts the value, and lists the change in the report and in `arena rate` |
| accepted | the arena accepts the value; for `rounds`, a smaller number is refused |

A [changed file](../how-to/rule-on-games.md#changes) of a bot, game or book is refused too.
"""

_TITLES = {"": "Top level", "bot": "[[bot]]"}
"""Headings other than `[table]`. Their anchors are the words without brackets."""

_TOML = re.compile(r"\[[^\]]*\]+|\{[^}]*\}|'[^']*'")
"""Values among the words that say what a key takes."""


def tournament_toml() -> str:
    """Return the page as Markdown."""
    return "\n".join([HEAD, *(line for table in TABLES for line in _section(table))])


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
