"""The layout of a command's help: options by task, exit statuses, an example and an address."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any, Final, NamedTuple

from lath import DOCUMENTATION


class Topic(StrEnum):
    """The task of an option; help lists the topics in this order."""

    MOST_USED = "Most used"
    GAMES = "Bots and games"
    PAIRING = "Pairing"
    RESOURCES = "Resources"
    SANDBOX = "Sandbox and cluster"
    POOLS = "Pools and seasons"
    RULINGS = "Rulings"
    POSITION = "Position"
    DRAWING = "Drawing"
    CHANGES = "Changes"
    SORTING = "Sorting and splitting"
    RATINGS = "Ratings"
    PAGES = "Pages"
    PUBLIC = "Public pages"
    RECORDS = "Records"
    OUTPUT = "Output"


MOST_IN_ONE: Final = 10
"""The most options in a single list; longer lists are divided by topic."""

MOST_SHOWN: Final = 1_000_000
"""The largest maximum of a value that help names."""


class Printed(NamedTuple):
    """The keys and the shape of the output of `--json`."""

    keys: str = ""
    """Names of the keys, with a space between two."""

    shape: str = "an object"
    when: str = ""
    """When the command prints this, such as `With --plan`; empty for the usual output."""

    schema: str = ""
    """The name of its format for `arena schema`; empty if no schema describes it."""


LIST: Final = "a list of objects"
LINES: Final = "an object per line"


class AboutCommand(NamedTuple):
    """The parts of a command's help besides its summary, arguments and options."""

    example: str = ""
    """A command line that can be run."""

    statuses: Mapping[int, str] = {}
    """Exit statuses with a meaning of their own; `errors.STATUSES` has the others."""

    prints: Sequence[Printed] = ()


class HelpRow(NamedTuple):
    """One argument or option in the help."""

    names: str
    says: str
    default: str
    """The default as text; empty if the help shows no default."""

    @property
    def text(self) -> str:
        """Return the meaning with the default at its end."""
        return f"{self.says} Default: {self.default}." if self.default else self.says


class Documented:
    """A command whose help has options by topic, exit statuses, an example and an address."""

    about: AboutCommand = AboutCommand()

    def sections(self, ctx: Any) -> Iterator[tuple[str, list[HelpRow]]]:
        """Yield each heading with its rows. More than ten options are divided by topic."""
        params = [param for param in ctx.command.get_params(ctx) if not param.hidden]
        options = [param for param in params if param.param_type_name == "option"]
        panels: dict[str, list[Any]] = {
            "Arguments": [param for param in params if param not in options],
            **{panel: [] for panel in Topic if len(options) > MOST_IN_ONE},
        }
        for param in options:
            panel = param.rich_help_panel or ""
            panels.setdefault(panel if panel in panels else "Options", []).append(param)
        for heading, members in panels.items():
            if members:
                yield str(heading), [row_of(param, ctx) for param in members]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write what each argument and each option means."""
        for heading, rows in self.sections(ctx):
            with formatter.section(heading):
                formatter.write_dl([(row.names, row.text) for row in rows])

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the exit statuses, an example and the address of the command's documentation."""
        words = words_of(ctx)
        if statuses := self.about.statuses:
            rows = [(str(status), f"{text}.") for status, text in statuses.items()]
            if words:
                rows.append(("2-5", "As for all commands: see `arena --help`."))
            with formatter.section("Exit status"):
                formatter.write_dl(rows)
        formatter.write_paragraph()
        if self.about.example:
            formatter.write(f"Example: {self.about.example}\n")
        formatter.write(f"Docs: {address_of(words) if words else DOCUMENTATION}\n")


def with_about(cls: type, about: AboutCommand) -> Any:
    """Return a class like `cls` for the one command with these notes."""
    return type(cls.__name__, (cls,), {"about": about})


def words_of(ctx: Any) -> tuple[str, ...]:
    """Return the words that name a command after `arena`."""
    return (*words_of(ctx.parent), ctx.info_name) if ctx.parent else ()


def anchor_of(words: Sequence[str]) -> str:
    """Return the anchor of a command in the reference.

    >>> anchor_of(["bot", "check"])
    'arena-bot-check'
    """
    return "-".join(("arena", *words))


PAGE: Final = "reference/commands"
"""The page of the reference, without its suffix."""


def address_of(words: Sequence[str]) -> str:
    """Return the address of a command in the reference on the site."""
    return f"{DOCUMENTATION}{PAGE}/#{anchor_of(words)}"


def row_of(param: Any, ctx: Any) -> HelpRow:
    """Return an argument or option with its meaning and its default."""
    names, _ = param.get_help_record(ctx)
    # The option parser adds the Python type: `FILE... <list[Path]>`.
    names, says = names.partition(" <")[0], param.help
    if param.max is not None and param.max <= MOST_SHOWN:
        says += f" Range: {param.min:g} to {param.max:g}."
    if param.required and param.param_type_name == "option":
        says += " Required."
    return HelpRow(names, says, _default_of(param))


def _default_of(param: Any) -> str:
    """Return the default as text, or none for a flag and for what the command computes."""
    if isinstance(param.show_default, str):
        return param.show_default
    value = param.default
    if not param.show_default or value is None or isinstance(value, bool | list):
        return ""
    return f"{value:g}" if isinstance(value, float) else str(value)
