"""A folder of pages that is written again and again: which of its files are ours, and which go.

Nobody else's file is written over or removed. Must not know what is on the pages.
"""

from __future__ import annotations

import hashlib
import json
import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from lath.arena.errors import ConfigError, reading
from lath.arena.tournament.database import DATABASE, RECORDS
from lath.arena.tournament.sources import made_by
from lath.notation.files import write_atomically

MANIFEST: Final = ".lath-site.json"
"""What was written there last: by name, the SHA-256."""

PLAIN: Final = ".nojekyll"
"""An empty file, by which GitHub Pages takes the others as they are."""

_OURS: Final = re.compile(
    rf"[a-z-]{{1,40}}\.html|{re.escape(PLAIN)}|(?:bots|events)/[a-z0-9][a-z0-9-]{{0,120}}\.html"
)
"""Names that may be ours: a manifest that somebody else has made leads nowhere else."""


class Website:
    """A folder as it is being written."""

    def __init__(self, folder: Path) -> None:
        """See what is there; raises ConfigError where it is nothing that pages may be put into."""
        self.folder: Final = folder
        self.size = 0
        """Bytes of all that was put there."""
        self._before: Final = _manifest_of(folder)
        self._now: Final[dict[str, str]] = {}

    def put(self, name: str, content: bytes) -> None:
        """Write a file whole or not at all; one that is the same already stays untouched.

        Raises ConfigError where another's file would be replaced, and OSError.
        """
        assert _OURS.fullmatch(name), name
        path = self.folder / name
        self.refuse(name)
        self._now[name] = hashlib.sha256(content).hexdigest()
        self.size += len(content)
        if path.is_file() and path.read_bytes() == content:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, [content])

    def refuse(self, name: str) -> None:
        """Raise ConfigError where a file of this name is there that is not ours."""
        path = self.folder / name
        if name in self._before or not path.exists() or name == PLAIN:
            return
        if not path.is_file() or made_by(path) is None:
            raise ConfigError(
                f"{path} is there already, and no page of ours: name another folder for --site, or "
                f"move it away"
            )

    def finish(self) -> list[str]:
        """Remove pages that were written before and not now; return those that somebody changed.

        These stay. Raises OSError.
        """
        self.put(PLAIN, b"")
        kept = []
        for name in sorted(self._before.keys() - self._now.keys()):
            path = self.folder / name
            if not path.is_file():
                continue
            if hashlib.sha256(path.read_bytes()).hexdigest() != self._before[name]:
                kept.append(name)
                continue
            path.unlink()
        told = {"made by": "arena report --site", "files": dict(sorted(self._now.items()))}
        write_atomically(self.folder / MANIFEST, [(json.dumps(told, indent=1) + "\n").encode()])
        return kept


def _manifest_of(folder: Path) -> Mapping[str, str]:
    """Return what was written into a folder last; raises ConfigError."""
    if folder.exists() and not folder.is_dir():
        raise ConfigError(f"--site {folder} is no folder")
    for name in (DATABASE, RECORDS):
        if (folder / name).exists():
            other = shlex.quote(f"{folder}-site")
            raise ConfigError(f"{folder} is a tournament; name a folder for pages: --site {other}")
    path = folder / MANIFEST
    if not path.is_file():
        return {}
    try:
        with reading(path):
            files = json.loads(path.read_bytes())["files"]
        return {
            name: digest
            for name, digest in files.items()
            if _OURS.fullmatch(name) and isinstance(digest, str)
        }
    except (AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        raise ConfigError(
            f"{path} is damaged: {error}; without it, nothing that is there would be removed"
        ) from error
