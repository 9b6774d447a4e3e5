"""The page of the site that lists the commands: everything comes from the program itself."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import typer

from lath.arena.cli.help import MOST_IN_ONE, AboutCommand, HelpRow, Printed, Topic, anchor_of
from lath.arena.cli.main import TREE, app
from lath.arena.errors import STATUSES
from lath.reports.counting.columns import COLUMNS

HOW_TO: Final = {
    "init": "tutorials/your-first-bot",
    "run": "how-to/run-a-tournament",
    "match": "how-to/test-a-new-version",
    "tune": "how-to/tune-a-bot",
    "serve": "how-to/use-the-local-site",
    "bot check": "how-to/check-a-bot",
    "bot pack": "how-to/connect-other-protocols",
    "bot log": "how-to/run-a-tournament",
    "bot replay": "how-to/check-a-bot",
    "rate": "explanation/ratings",
    "report": "how-to/publish-results",
    "check": "explanation/durability",
    "convert": "how-to/convert-records",
    "select": "how-to/manage-archives",
    "analyze": "how-to/solve-and-make-puzzles",
    "edit": "how-to/manage-archives",
    "diff": "how-to/manage-archives",
    "stats": "reference/game-metrics",
    "explore": "how-to/explore-positions",
    "explain": "how-to/find-where-a-bot-loses",
    "solve": "how-to/solve-and-make-puzzles",
    "puzzles": "how-to/solve-and-make-puzzles",
    "games": "tutorials/add-a-game",
}
"""The page that shows how a command is used."""

TERMS: Final = {
    "Time control": "bots-and-times.md#time-controls",
    "settings follow after ';'": "bots-and-times.md#a-bot-in-one-text",
    "Configuration": "tournament-toml.md",
    "Query": "query-language.md",
    "Events": "events.md",
    "game metrics": "game-metrics.md",
    "canonical form": "notation.md#the-canonical-form",
    "Weakest sandbox": "../how-to/run-untrusted-bots.md",
    "SPRT": "tournament-toml.md#sprt",
    "Dask cluster": "../how-to/run-on-several-machines.md",
    "Pool": "../how-to/keep-a-pool.md",
    "near-duplicates": "../how-to/manage-archives.md",
    "public pages of a league": "../how-to/publish-results.md",
    "conservative rating": "../explanation/ratings.md",
}
"""The pages that explain terms of the help."""


class DocumentedCommand(NamedTuple):
    """A command, or a group of them."""

    words: tuple[str, ...]
    """What is typed after `arena`."""

    command: Any
    context: Any

    @property
    def about(self) -> AboutCommand:
        """The example, the exit statuses and what `--json` prints."""
        about: AboutCommand = self.command.about
        return about


def commands() -> Iterator[DocumentedCommand]:
    """Yield each command, groups before their members, in the order of `arena --help`."""
    program: Any = typer.main.get_command(app)
    top = typer.Context(program, info_name="arena", **program.context_settings)
    for name in (name for group in TREE.values() for name in group):
        command: Any = program.get_command(top, name)
        context = typer.Context(command, info_name=name, parent=top)
        yield DocumentedCommand((name,), command, context)
        for inner, each in getattr(command, "commands", {}).items():
            below = typer.Context(each, info_name=inner, parent=context)
            yield DocumentedCommand((name, inner), each, below)


def sections() -> str:
    """Return the sections of all commands as Markdown."""
    found = list(commands())
    parts = ["## Exit status", *_statuses(STATUSES)]
    for heading, names in TREE.items():
        parts.append(f"## {heading}")
        for each in found:
            if each.words[0] in names:
                parts += _section(each)
    return "\n\n".join(parts)


def _section(each: DocumentedCommand) -> Iterator[str]:
    """Yield the paragraphs about a command."""
    command, context, about = each.command, each.context, each.about
    summary, *more = (" ".join(text.split()) for text in command.help.split("\n\n"))
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    yield f"{'#' * (2 + len(each.words))} `{' '.join(('arena', *each.words))}`"
    yield _marked(summary)
    yield f"```text\n{usage}\n```"
    yield from map(_marked, more)
    for name, inner in getattr(command, "commands", {}).items():
        words = (*each.words, name)
        yield f"- [`arena {' '.join(words)}`](#{anchor_of(words)}): {inner.help.partition('.')[0]}."
    options = sum(
        len(rows) for heading, rows in command.sections(context) if heading != "Arguments"
    )
    for heading, rows in command.sections(context):
        if options > MOST_IN_ONE and heading in list(Topic):
            yield f"**{heading}**"
        yield _table(heading, rows)
    if about.statuses:
        yield from _statuses(about.statuses, has_more=True)
    if about.prints:
        yield " ".join(map(_printed, about.prints))
    if each.words == ("rate",):
        yield from _columns()
    yield f"```console\n$ {about.example}\n```"
    if page := HOW_TO.get(" ".join(each.words)):
        *_, name = page.split("/")
        yield f"See also: [{name.replace('-', ' ')}](../{page}.md)."


def _table(heading: str, rows: Sequence[HelpRow]) -> str:
    what = "argument" if heading == "Arguments" else "option"
    lines = [f"| {what} | meaning | default |", "| --- | --- | --- |"]
    for row in rows:
        names = ", ".join(f"`{_cell(name)}`" for name in row.names.split(", "))
        lines.append(f"| {names} | {_cell(_marked(row.says))} | {_cell(row.default)} |")
    return "\n".join(lines)


def _statuses(statuses: Mapping[int, str], *, has_more: bool = False) -> Iterator[str]:
    lines = ["| exit status | meaning |", "| --- | --- |"]
    lines += [f"| {status} | {_cell(_marked(text))} |" for status, text in statuses.items()]
    if has_more:
        lines.append("| 2–5 | otherwise as for [all commands](#exit-status) |")
    yield "\n".join(lines)


def _printed(one: Printed) -> str:
    """Return a sentence on what `--json` prints."""
    begins = f"{_marked(one.when)}, it prints" if one.when else "`--json` prints"
    what = one.shape
    if one.keys:
        *names, last = (f"`{name}`" for name in one.keys.split())
        what += f" with {', '.join(names)} and {last}" if names else f" with {last}"
    if one.schema:
        what += f", see [`arena schema {one.schema}`](#arena-schema)"
    return f"{begins} {what}."


def _columns() -> Iterator[str]:
    """Yield the columns of the ratings."""
    yield "#### Columns"
    lines = ["| name | meaning |", "| --- | --- |"]
    yield "\n".join([*lines, *(f"| `{one.name}` | {_cell(one.says)} |" for one in COLUMNS)])


def _marked(text: str) -> str:
    """Return text with its options as code, and its terms as links."""
    text = re.sub(r"(?<![\w`-])--[a-z][a-z-]*", r"`\g<0>`", text)
    terms = "|".join(TERMS)
    return re.sub(rf"\b(?:{terms})", lambda term: f"[{term[0]}]({TERMS[term[0]]})", text, count=1)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
