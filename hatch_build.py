"""How this checkout's folders become the package `lath`: links to work in, paths in a wheel."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

FLOORS = ("games", "notation", "bots", "reports", "arena")
FRONT = "front.py"
BESIDE = {
    FRONT: "lath/__init__.py",
    "py.typed": "lath/py.typed",
    "grammar.lark": "lath/notation/grammar.lark",
    "examples/bots": "lath/arena/starters",
    "examples/new-game": "lath/arena/new_game",
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
            "py.typed": "py.typed",
            **dict(zip(FLOORS, FLOORS, strict=True)),
        }.items():
            link = links / name
            if not link.is_symlink():
                link.symlink_to(Path("..", "..", target), target_is_directory=target in FLOORS)


class Description(MetadataHookInterface):
    """Gives the package README.md as its description, with whole addresses instead of paths."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the description: a registry has neither the documents nor the pictures."""
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        repository = metadata["urls"]["Homepage"]
        for pattern, address in (
            (r"docs/([\w/-]+)\.md", metadata["urls"]["Documentation"] + r"\1/"),
            (r"docs/(images/[\w.-]+)", metadata["urls"]["Documentation"] + r"\1"),
            (r"(?![\w+.-]+:|#)([^)\s]+)", rf"{repository}/blob/main/\1"),
        ):
            text = re.sub(rf"(?<=\]\(){pattern}(?=[)#])", address, text)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
