"""How this checkout's folders become the package `lath`: links to work in, paths in a wheel."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FLOORS = ("games", "notation", "bots", "reports", "arena")
FRONT = "front.py"
BESIDE = {
    FRONT: "lath/__init__.py",
    "grammar.lark": "lath/notation/grammar.lark",
    "examples/bots": "lath/arena/starters",
}


class Folders(BuildHookInterface[Any]):
    """Puts the top-level folders under one name, where they collide with nobody's own."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Make `.links/lath/`, which git ignores, for `pip install -e`; else fill the wheel."""
        root = Path(self.root)
        if version != "editable":
            build_data["force_include"] |= {name: f"lath/{name}" for name in FLOORS} | BESIDE
            return
        links = root / ".links" / "lath"
        links.mkdir(parents=True, exist_ok=True)
        for name, target in {
            "__init__.py": FRONT,
            **dict(zip(FLOORS, FLOORS, strict=True)),
        }.items():
            link = links / name
            if not link.is_symlink():
                link.symlink_to(Path("..", "..", target), target_is_directory=target != FRONT)
