"""The log of a game: each line with its time and sender, as text and read back."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

from lath.arena.referee.process import Piece, shortened
from lath.notation.record.errors import escaped

MOST_OF_A_LOG: Final = 256 << 10
"""The number of characters of a log that is kept: its beginning and its end."""


def log_of(exchanges: Mapping[str, Iterable[Piece]], errors: Mapping[str, str]) -> str:
    """Return the log of a game: one line for each line sent, then the end of each stderr.

    `exchanges` and `errors` are by the bots' names. Times are seconds from the first line. `>`
    marks lines of the arena, `<` lines of the bot. Control characters are escaped.
    """
    timed = [(at_s, name, line) for name in exchanges for at_s, line in lines_of(exchanges[name])]
    timed.sort(key=itemgetter(0))
    width = max(map(len, exchanges), default=0)
    lines = [f"{at_s - timed[0][0]:12.6f} {name:{width}} {line}" for at_s, name, line in timed]
    for name, said in errors.items():
        lines += ["", _SAID.format(name), *said.splitlines()]
    text = "".join(f"{escaped(line)}\n" for line in lines)
    if len(text) <= MOST_OF_A_LOG:
        return text
    begin = text[: text.rindex("\n", 0, MOST_OF_A_LOG // 2) + 1]
    end = text[text.index("\n", len(text) - MOST_OF_A_LOG // 2) + 1 :]
    return f"{begin}[... {len(text) - len(begin) - len(end)} letters ...]\n{end}"


_LOGGED: Final = re.compile(r" *([0-9]+\.[0-9]{6}) (.*)", re.DOTALL)
_SAID: Final = "-- {}, standard error --"


def read_log(text: str, names: Collection[str]) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """Return the lines of a log of these bots, and the end of each bot's standard error.

    A line has `at_s`, `bot`, `by` (`arena` or `bot`) and `line`. The mark of an omitted part has
    `line` alone.
    """
    headings = {_SAID.format(escaped(name)): name for name in names}
    shown = {escaped(name): name for name in sorted(names, key=len, reverse=True)}
    lines: list[dict[str, Any]] = []
    said: dict[str, list[str]] = {}
    for line in text.splitlines():
        if line in headings:
            said[headings[line]] = []
        elif said:
            said[list(said)[-1]].append(line)
        elif match := _LOGGED.fullmatch(line):
            name = next((name for name in shown if match[2].startswith(f"{name} ")), "")
            way, _, words = match[2][len(name) :].lstrip().partition(" ")
            by = "arena" if way == ">" else "bot"
            lines.append(
                {"at_s": float(match[1]), "bot": shown.get(name, name), "by": by, "line": words}
            )
        elif line:
            lines.append({"line": line})
    return lines, {name: "\n".join(words).rstrip("\n") for name, words in said.items()}


def lines_of(exchange: Iterable[Piece]) -> Iterator[tuple[float, str]]:
    """Yield the time and text of each line, after `> ` if the arena wrote it, or `< `.

    An unfinished line at the end of a piece ends with three dots.
    """
    for is_sent, pieces in groupby(exchange, itemgetter(1)):
        joined = [(0.0, b"\n")]
        for at_s, _, data in pieces:
            begun_s, begun = joined[-1]
            if begun.endswith(b"\n"):
                joined.append((at_s, data))
            else:  # a bot may write character by character
                joined[-1] = begun_s, shortened(begun + data)
        for at_s, data in joined[1:]:
            *whole, rest = data.decode("utf-8", "replace").split("\n")
            lines = [line.removesuffix("\r") for line in whole]
            for line in [*lines, f"{rest} ..."] if rest else lines:
                yield at_s, f"{'>' if is_sent else '<'} {line}"
