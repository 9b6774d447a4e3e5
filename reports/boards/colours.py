"""Colours on boards: what can be read on what.

Must not know any game, nor what is drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

_INKS: Final = ("#ffffff", "#000000")


def ink(ground: str) -> str:
    """Return white or black, whichever is easier to read on `ground`: 4.58:1 or more."""
    return max(_INKS, key=lambda colour: contrast(colour, ground))


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two colours in 1..21, as WCAG 2.2 defines it."""
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def shaded(colour: str, factor: float) -> str:
    """Return `colour` darkened: 1 leaves it, 0 makes it black."""
    return "#" + "".join(f"{round(channel * factor):02x}" for channel in channels(colour))


def linear(colour: str) -> tuple[float, float, float]:
    """Return red, green and blue in 0..1 of light, as sRGB defines it."""
    red, green, blue = (
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
        for c in (channel / 255 for channel in channels(colour))
    )
    return red, green, blue


def _luminance(colour: str) -> float:
    red, green, blue = linear(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def channels(colour: str) -> Sequence[int]:
    """Return red, green and blue in 0..255; a text that is no `#rrggbb` counts as grey."""
    try:
        value = int(colour.removeprefix("#"), 16) if len(colour) == 7 else 0x808080
    except ValueError:
        value = 0x808080
    return (value >> 16 & 255, value >> 8 & 255, value & 255)
