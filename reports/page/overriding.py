"""A user's folder of templates: which files there may come before ours, and what is wrong in one.

Must not know what a template shows.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Final

TEMPLATES: Final = Path(__file__).parent.parent / "templates"
"""Where ours are."""

KINDS: Final = (".j2", ".css", ".js")


def names() -> tuple[str, ...]:
    """Return our files, as paths within the folder, sorted."""
    found = (path for path in TEMPLATES.rglob("*") if path.suffix in KINDS)
    return tuple(sorted(path.relative_to(TEMPLATES).as_posix() for path in found))


def in_use(folder: Path) -> tuple[str, ...]:
    """Return those of `names` that `folder` has, too."""
    return tuple(name for name in names() if (folder / name).is_file())


def copy_to(folder: Path) -> Iterator[tuple[str, bool]]:
    """Copy ours to begin from; yield each name and whether it was copied.

    What is there already stays as it is. Raises OSError.
    """
    for name in names():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            with target.open("xb") as file:
                file.write((TEMPLATES / name).read_bytes())
        except FileExistsError:
            yield name, False
        else:
            yield name, True


def fault_of(error: Exception, folder: Path) -> str | None:
    """Say where in `folder` an error of a rendering arose, and what it is; None if not there.

    As `FILE:LINE: what`, or `FILE: what` where there is no line.
    """
    from jinja2 import TemplateNotFound, TemplateSyntaxError

    if isinstance(error, TemplateSyntaxError) and _is_within(error.filename, folder):
        return f"{error.filename}:{error.lineno}: {error.message}"
    if isinstance(error, UnicodeDecodeError):
        wrong = next(filter(_is_no_text, (folder / name for name in in_use(folder))), None)
        return None if wrong is None else f"{wrong}: it is not UTF-8: {error.reason}"
    frames = traceback.extract_tb(error.__traceback__)
    places = [frame for frame in frames if _is_within(frame.filename, folder)]
    if not places:
        return None
    what = f"there is no template {error}" if isinstance(error, TemplateNotFound) else str(error)
    return f"{places[-1].filename}:{places[-1].lineno}: {what or type(error).__name__}"


def _is_within(name: str | None, folder: Path) -> bool:
    return name is not None and Path(name).resolve().is_relative_to(folder.resolve())


def _is_no_text(path: Path) -> bool:
    try:
        path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return True
    return False
