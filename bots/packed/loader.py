"""The start of a packed bot: its modules are imported from texts that follow this one."""

from __future__ import annotations

import sys
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any


class Packed(Loader):
    """An importer of the modules in `sources`."""

    sources: dict[str, str] = {}  # noqa: RUF012 - the class is used as its only instance
    packages: set[str] = set()  # noqa: RUF012

    def find_spec(
        self, name: str, _path: object = None, _target: object = None
    ) -> ModuleSpec | None:
        """Return the spec of a module; None if it is not packed."""
        if name not in self.sources:
            return None
        return ModuleSpec(name, self, is_package=name in self.packages)

    def exec_module(self, module: ModuleType) -> None:
        """Run a module that is being imported."""
        self.run(module.__name__, vars(module))

    def run(self, name: str, names: dict[str, Any]) -> None:
        """Run the text of a module with these names."""
        file = name.replace(".", "/") + ".py"
        exec(compile(self.sources[name], file, "exec", dont_inherit=True), names)  # noqa: S102

    def get_source(self, name: str) -> str:
        """Return the text of a module, for tracebacks."""
        return self.sources[name]


def unpack(packed: str) -> None:
    """Add the modules from a compressed text."""
    import base64  # most bots are packed without compression
    import json
    import zlib

    code = base64.b85decode(packed.replace("\n", ""))
    Packed.sources.update(json.loads(zlib.decompress(code)))


def start(names: dict[str, Any], **contest: Any) -> None:
    """Run the bot with the names of this file, with the protocol of a `contest` if one is given."""
    loader = names["__loader__"] = Packed()
    sys.meta_path.insert(0, loader)
    if contest:
        from lath.bots.contests import speak  # only packed if it is needed

        speak(**contest)
    loader.run("__main__", names)
