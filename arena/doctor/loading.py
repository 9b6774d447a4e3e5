"""A program that loads a bot's module in a separate process and reports an error.

If the module starts to play when it is loaded, it finds an empty input and ends.
"""

from __future__ import annotations

import importlib
import sys


def main() -> None:
    """Load the module in the first argument; the last line of standard error reports a failure."""
    try:
        importlib.import_module(sys.argv[1])
    except BaseException as error:  # noqa: BLE001 - a bot may fail in any way
        sys.exit(f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    main()
