"""The HTML report: one file with standings, endings and a replay of every game, from records alone.

Must not know any game. Nothing of the file is fetched, and nothing of a record is ever markup or
script: the template escapes all of it, the script brings it out as text, and a policy in the file
lets no other script or style run. The same records give the same bytes.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from games.board import Shape
from notation.record import Record
from reports import board, drawing, views
from reports.packing import Pack, PackedBoard, pack
from reports.standings import compute

TEMPLATES: Final = Path(__file__).parent / "templates"

DEFAULT_TITLE: Final = "Bot tournament"
"""Where neither the caller nor an `Event` tag has a title."""

_MOVED: Final = "#36c5f0"
"""Rings of the cells that a move changed."""

_NO_CONTROLS: Final = {code: "\ufffd" for code in range(32) if chr(code) not in "\t\n\r"}
"""Control characters are not allowed in HTML."""


def render(records: Sequence[Record], *, title: str | None = None) -> str:
    """Return a self-contained HTML file on `records`, whose order is that of the games.

    Without `title` it is the records' events, or else DEFAULT_TITLE. Without records the tables
    are empty. Games that cannot be replayed are listed with the reason. The text can be encoded
    as UTF-8 whatever the records hold.
    """
    standings = compute(records)
    packed = pack(records)
    css, script = _part("page.css"), _part("page.js")
    endings = views.ending_rows(standings)
    template = _environment().get_template("page.html.j2")
    html = template.render(
        title=title or " · ".join(standings.events) or DEFAULT_TITLE,
        lead=" · ".join(filter(None, (views.dates(records), *(row.title for row in endings)))),
        policy=_policy(css, script),
        css=Markup(css),  # noqa: S704 - a file of this package
        script=Markup(script),  # noqa: S704 - likewise
        standings=standings,
        intervals=views.intervals(standings.rows),
        crosstable=views.crosstable(standings),
        ending_rows=endings,
        left_out=views.left_out(standings),
        boards=[_board_markup(one) for one in packed.boards],
        sprites=_sprites(packed),
        data=packed.data,
    )
    return _encodable(html)


def _encodable(html: str) -> str:
    return html.translate(_NO_CONTROLS).encode("utf-8", "replace").decode("utf-8")


def _part(name: str) -> str:
    return (TEMPLATES / name).read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.policies["json.dumps_kwargs"] = {"ensure_ascii": False, "separators": (",", ":")}
    environment.filters |= {
        "count": views.count,
        "forfeits": views.forfeits,
        "percent": views.percent,
        "points": views.points,
    }
    environment.globals["interval_width"] = views.INTERVAL_WIDTH
    return environment


def _policy(css: str, script: str) -> str:
    """Return the Content-Security-Policy that allows exactly these two."""
    return (
        f"default-src 'none'; style-src {_hash(css)}; script-src {_hash(script)}; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def _board_markup(packed: PackedBoard) -> Markup:
    """Return the empty board, on which the script puts the pieces."""
    its_board = packed.game.board
    return Markup(  # noqa: S704 - drawn by this package, which escapes what games say
        f'<svg viewBox="{board.view_box(its_board)}" role="img" data-shape="{its_board.shape}">'
        f"<title></title><desc></desc>{board.ground(its_board)}</svg>"
    )


def _sprites(packed: Pack) -> Markup:
    """Return every stack of every board, `s0-3` being stack 3 of board 0, and the rings."""
    drawn = [
        f'<g id="s{i}-{number}">{_stack(content, one)}</g>'
        for i, one in enumerate(packed.boards)
        for content, number in one.stacks.items()
        if content
    ]
    shapes = sorted({one.game.board.shape for one in packed.boards})
    return Markup("".join((*drawn, *_rings(shapes))))  # noqa: S704 - as in `_board_markup`


def _stack(content: str, packed: PackedBoard) -> str:
    return drawing.stack(content, board.pieces_of(packed.game), packed.game.board.shape)


def _rings(shapes: Iterable[Shape]) -> Iterable[str]:
    for shape in shapes:
        yield f'<g id="moved-{shape}">{drawing.ring(shape, _MOVED, 4)}</g>'
        yield f'<g id="deciding-{shape}">{drawing.ring(shape, board.DECIDING)}</g>'
