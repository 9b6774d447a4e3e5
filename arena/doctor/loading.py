"""Loads the module of a bot in a process of its own, which ends with what is wrong with it.

A bot that begins to play when it is loaded finds nobody to talk to, and ends.
"""

from __future__ import annotations

import importlib
import sys


def main() -> None:
    """Load the module that the argument names; the last line of standard error says what fails."""
    try:
        importlib.import_module(sys.argv[1])
    except BaseException as error:  # noqa: BLE001 - a bot may fail in any way
        sys.exit(f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    main()
