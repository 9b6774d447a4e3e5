"""Draw positions as SVG, and with the extra `images` as PNG or as an animated GIF.

The same SVG gives the same bytes with the same versions of the two libraries. Text uses Pillow's
own typeface, because the typefaces of machines differ.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from lath.arena.errors import ConfigError
from lath.games.core import Position
from lath.games.drawing import board, changes
from lath.notation.extras import EXTRAS
from lath.notation.record.errors import printable
from lath.notation.record.record import Record

if TYPE_CHECKING:
    from PIL.Image import Image

WIDTH: Final = 480
"""The default width of a picture in pixels."""

FRAME_MS: Final = 900
LAST_FRAME_MS: Final = 4000
"""The time that one ply is shown, and the time of the last one."""

_COLOURS: Final = 256
_BOLD: Final = re.compile(r'<g font-size="([0-9]+)" fill="([^"]+)">')
_SAMPLES: Final = 8
"""The number of frames from which the colours of a GIF are chosen."""


def refuse_without_libraries(what: str) -> None:
    """Raise ConfigError if the extra is not installed; `what` needs it."""
    if not has_libraries():
        install = EXTRAS["images"].install
        raise ConfigError(
            f"{what}: needs resvg_py and Pillow, which are not installed", hint=install
        )


def has_libraries() -> bool:
    """Return whether the extra is installed."""
    return not EXTRAS["images"].missing


def caption(record: Record) -> str:
    """Return the title of a record's drawing."""
    return printable(f"{record.first} - {record.second}, {record.game}")


def _strip(record: Record, title: str, ply: int) -> tuple[str, str, str]:
    """Return the lines below a picture: the players, and the game type, the ply and the result."""
    result = record.result if record.result.is_finished else "unfinished"
    told = f"{title} · ply {ply} of {len(record.plies)} · {result}"
    return printable(record.first), printable(record.second), told


def moved(played: Sequence[Position], ply: int) -> list[str]:
    """Return the cells that a ply changed; none for ply 0, the start."""
    return changes.changed_cells(played[ply - 1], played[ply]) if ply else []


def svg(
    record: Record, played: Sequence[Position], ply: int, *, aids: bool = False, legal: bool = False
) -> str:
    """Return the position after a ply as SVG, with the last move and the deciding cells."""
    outcome = played[ply].outcome()
    return board.svg(
        played[ply],
        title=caption(record),
        highlight=outcome.cells if outcome else (),
        is_loss=bool(outcome and outcome.is_loss),
        last=moved(played, ply),
        aids=aids,
        legal=legal,
        strip=_strip(record, played[ply].game.title, ply),
    )


def png(drawn: str, width: int = WIDTH) -> bytes:
    """Return a board's SVG as a PNG of the given width in pixels, with a transparent background."""
    with _typeface() as (file, family):
        return _rendered(drawn, width, file, family)


def gif(svgs: Sequence[str], width: int = WIDTH) -> bytes:
    """Return boards of the same size as a GIF that repeats; at least one board.

    The background is white. All frames share the most frequent colours.
    """
    from PIL.Image import Dither  # of an extra

    with _typeface() as (file, family):
        frames = [_on_white(_rendered(drawn, width, file, family)) for drawn in svgs]
    palette = _palette(frames)
    first, *others = (frame.quantize(palette=palette, dither=Dither.NONE) for frame in frames)
    written = io.BytesIO()
    first.save(
        written,
        format="GIF",
        save_all=True,
        append_images=others,
        duration=[FRAME_MS] * (len(frames) - 1) + [LAST_FRAME_MS],
        loop=0,
        optimize=False,
    )
    return written.getvalue()


@contextmanager
def _typeface() -> Iterator[tuple[str, str]]:
    """Give the file and the name of the typeface."""
    with TemporaryDirectory(prefix="lath-") as folder:
        content, family = _font()
        file = Path(folder) / "letters.ttf"
        file.write_bytes(content)
        yield str(file), family


@cache
def _font() -> tuple[bytes, str]:
    from PIL import ImageFont  # of an extra

    font = ImageFont.load_default(20)
    assert isinstance(font, ImageFont.FreeTypeFont)  # Pillow includes FreeType since 10.1
    return font.font_bytes, str(font.getname()[0])


def _rendered(drawn: str, width: int, file: str, family: str) -> bytes:
    from resvg_py import svg_to_bytes  # of an extra

    # The typeface has no bold letters; an outline replaces them.
    bold = _BOLD.sub(
        lambda found: f'{found[0][:-1]} stroke="{found[2]}" stroke-width="{int(found[1]) / 18:g}">',
        drawn,
    )
    made: bytes = svg_to_bytes(
        svg_string=bold,
        width=width,
        skip_system_fonts=True,
        font_files=[file],
        sans_serif_family=family,
    )
    return made


def _on_white(content: bytes) -> Image:
    from PIL import Image  # of an extra

    drawn = Image.open(io.BytesIO(content)).convert("RGBA")
    return Image.alpha_composite(Image.new("RGBA", drawn.size, "white"), drawn).convert("RGB")


def _palette(frames: Sequence[Image]) -> Image:
    """Return an image whose palette has the most frequent colours of some frames."""
    from PIL import Image  # of an extra

    step = max(1, len(frames) // _SAMPLES)
    counts: dict[int, int] = {}
    for frame in [*frames[::step], frames[-1]]:
        for count, colour in frame.getcolors(frame.width * frame.height) or ():
            assert isinstance(colour, tuple)
            key = sum(channel << shift for channel, shift in zip(colour, (16, 8, 0), strict=True))
            counts[key] = counts.get(key, 0) + count
    chosen = sorted(counts, key=lambda key: (-counts[key], key))[:_COLOURS]
    palette = Image.new("P", (1, 1))
    palette.putpalette(b"".join(key.to_bytes(3, "big") for key in chosen))
    return palette
