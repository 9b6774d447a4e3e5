"""A record as notebooks show it: the last position, the moves, the tags.

The HTML is complete and runs no scripts. It uses the colours of the page, except for the board.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from html import escape
from typing import Final

from lath.games.core import Position
from lath.games.drawing.board import UNTOUCHED, html
from lath.games.drawing.changes import changed_cells
from lath.games.errors import GameError
from lath.notation.edits.changes import strip
from lath.notation.record.errors import printable
from lath.notation.record.record import Record, record_as_read
from lath.notation.rules.replay import positions
from lath.notation.rules.validation import check
from lath.notation.text.writer import format_record

_MOST: Final = 12_000
"""The most characters of moves that are shown, so that a page of a hundred records stays small."""

_TAGS: Final = 40
"""The most tags that are shown."""

_SHOWN_APART: Final = ("First", "Second", "Result")
"""The tags in the heading."""


_LONG: Final = 200
"""The most characters of a name or value that are shown."""


def html_of(record: Record) -> str:
    """Return the HTML of a record: its last position, its moves without annotations, its tags.

    For an invalid record, the board shows the position before the first illegal move, and the first
    problem is included.
    """
    faults = [fault.message for fault in check(record)[:1]]
    return (
        f'<div class="{UNTOUCHED}" style="display:flex;flex-wrap:wrap;gap:1.5em">'
        f'{_board(record)}<div style="flex:1 1 20em;min-width:0;text-align:left">'
        f"<b>{_shown(record.first)} – {_shown(record.second)}, {record.result}</b>"
        f"{''.join(map(_fault, faults))}"
        f'<div style="white-space:pre-wrap;overflow-wrap:anywhere;margin:.7em 0">{_moves(record)}'
        f'</div><table style="margin:0">{"".join(_rows(record))}</table></div></div>'
    )


def _shown(text: str) -> str:
    return escape(printable(text if len(text) <= _LONG else f"{text[:_LONG]}…"))


def _fault(message: str) -> str:
    style = "border-left:.25em solid #c0392b;padding-left:.5em;margin-top:.7em"
    return f'<div style="{style}">{_shown(message)}</div>'


def _board(record: Record) -> str:
    """Return the drawing of the last legal position; empty if the start is invalid."""
    last_two: deque[Position] = deque(maxlen=2)
    reached = -1
    with suppress(GameError):
        for position in positions(record):
            last_two.append(position)
            reached += 1
    if reached < 0:
        return ""
    position = last_two[-1]
    move = f"after {reached}. {record.plies[reached - 1].move}" if reached else "at the start"
    changed = changed_cells(*last_two) if reached else ()
    drawn = html(position, last=changed, caption=f"{position.game.title}, {move}")
    return f'<div style="flex:0 1 24em">{drawn}</div>'


def _moves(record: Record) -> str:
    plain = record_as_read((), record.plies, record.result, record.comments)
    text = format_record(strip(plain, annotations=True)).strip()
    if ";" not in text:  # a comment to the end of its line needs its line end
        text = text.replace("\n", " ")
    if len(text) > _MOST:
        text = f"{text[:_MOST].rpartition(' ')[0]} … ({len(record.plies)} plies in all)"
    return "\n".join(escape(printable(line)) for line in text.split("\n"))


def _rows(record: Record) -> Iterator[str]:
    cell = '<td style="text-align:left;overflow-wrap:anywhere">'
    others = [tag for tag in record.tags if tag[0] not in _SHOWN_APART]
    for name, value in others[:_TAGS]:
        yield f"<tr>{cell}{_shown(name)}</td>{cell}{_shown(value)}</td></tr>"
    if len(others) > _TAGS:
        yield f"<tr>{cell}…</td>{cell}{len(others) - _TAGS} more</td></tr>"
