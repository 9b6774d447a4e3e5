"""Errors of the option parser, in the words and the format of all other errors."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

from lath.notation.record.errors import shortened


def usage_text(error: Any, typed: str) -> str:
    """Return an option parser's error as `OBJECT: what is wrong`, with a hint.

    The hint is a close match, or the help of the command that was `typed`. The parser's classes of
    errors are private, so each is recognised by the fields that only it has.
    """
    command = error.ctx.command_path if error.ctx else typed
    text, hint = str(error.message), f"{command} --help"
    if hasattr(error, "possibilities"):
        text = f"{error.option_name}: not an option of `{command}`"
        known = [name for param in error.ctx.command.get_params(error.ctx) for name in param.opts]
        hint = meant(error.option_name, known) or hint
    elif hasattr(error, "option_name"):
        has_value = text.endswith("does not take a value.")
        text = f"{error.option_name}: {'takes no value' if has_value else 'needs a value'}"
    elif hasattr(error, "param_type"):
        text = f"{_named(error.param)}: this {error.param.param_type_name} is missing"
    elif getattr(error, "param", None) is not None:
        text = f"{_named(error.param)}: {text}"
    elif text.startswith("Got unexpected extra"):
        extra = text.partition("(s) (")[2].removesuffix(")")
        text = f"{shortened(extra)}: `{command}` takes no more arguments"
    return text if "\nhint: " in text else f"{text}\nhint: {hint}"


def meant(name: str, known: Iterable[str]) -> str:
    """Return a question with the `known` name closest to `name`; empty if none is close.

    >>> meant("--round", ["--rounds", "--jobs"]), meant("-x", ["--exit"])
    ('did you mean --rounds?', '')
    """
    bare = {each.lstrip("-"): each for each in known}
    close = get_close_matches(name.lstrip("-"), bare, n=1)
    return f"did you mean {bare[close[0]]}?" if close else ""


def _named(param: Any) -> str:
    """Return the long name of an option, or the name of an argument in the help."""
    if param.param_type_name == "option":
        return str(max(param.opts, key=len))
    return str(param.get_error_hint()).strip("'").removesuffix("...")
