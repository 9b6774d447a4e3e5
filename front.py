"""What `import lath` brings: `lath.open` opens a database of games for SQL.

The folders beside this file are packages of `lath`; nothing of them is loaded before it is used.
`hatch_build.py` puts this file where it is `lath/__init__.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from lath.notation.database.opening import open_database as open  # noqa: A004 - its name here

__all__ = ["DOCUMENTATION", "open"]

DOCUMENTATION: Final = "https://lath-arena.github.io/lath-arena/"
"""Where the documents are read: each is a folder there, and nothing of docs/ is installed."""


def refuse_other_systems() -> None:
    """Raise ImportError on a system on which bots cannot be started, nor files locked."""
    try:
        import fcntl  # noqa: F401 - it is there or not
    except ImportError:
        where = "Linux and macOS, and on Windows in WSL (learn.microsoft.com/windows/wsl)"
        raise ImportError(f"Lath Arena runs on {where}.") from None


if not TYPE_CHECKING:  # for whom any name would be there

    def __getattr__(name: str) -> Any:
        if name != "open":
            raise AttributeError(f"module 'lath' has no attribute {name!r}")
        from lath.notation.database.opening import open_database  # start-up time

        return open_database
