"""The file of compiled code: one for each version, machine and state of the source."""

from __future__ import annotations

import os
import platform
import sys
from _blake2 import blake2b  # hashlib loads OpenSSL too
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from lath.games.errors import LathError
from lath.notation.files.folders import user_folder

_HERE: Final = Path(__file__).parent

_DIGEST: Final = 32
"""The length of the digest of the code, with which the file begins."""


class ColdError(LathError):
    """The compiled form is not available; the text has the reason."""

    def __init__(self, why: str, remedy: str = "", *, can_compile: bool = False) -> None:
        """Take the reason, without paths of this machine, and whether compiling would help."""
        super().__init__(f"{why}{remedy}")
        self.why = why
        self.can_compile = can_compile


SOURCES: Final = (
    *("arrays.py", "entries.py", "groups.py", "kernels.py", "search.py", "sight.py"),
    *("../learned/patterns.py", "../search.py"),  # whose constants are compiled too
)
"""The modules that are compiled, from this folder."""

COMMAND: Final = f"{sys.executable} -m lath.bots.compiled"


def possible_files() -> list[Path]:
    """Return the possible files of compiled code for this version, machine and source.

    Raises ColdError without numba.
    """
    numba = find_spec("numba")
    if numba is None or numba.origin is None:
        raise ColdError("numba is missing", ", which the extra 'fast' installs")
    told = blake2b(platform.machine().encode(), digest_size=6)
    for path in sorted(Path(numba.origin).parents[1].iterdir()):
        if path.name.startswith(("numba-", "llvmlite-")):  # the names have the versions
            told.update(path.name.encode())
    try:
        for name in SOURCES:
            told.update((_HERE / name).read_bytes())
    except NotADirectoryError:
        raise ColdError(
            f"{_HERE} is in an archive, and code in an archive cannot be compiled"
        ) from None
    told.update(_features().encode())
    name = f"fast-{told.hexdigest()}"
    return [_HERE / "__pycache__" / name, user_folder("cache") / name]


def _features() -> str:
    """Return the features of this processor."""
    try:
        with Path("/proc/cpuinfo").open(encoding="utf-8") as lines:
            return next((line for line in lines if line.startswith(("flags", "Features"))), "")
    except OSError:
        return platform.processor()


def whole_file() -> tuple[Path, bytes]:
    """Return the file with complete compiled code, and the code.

    Raises ColdError if it is missing.
    """
    damaged = None
    for file in possible_files():
        try:
            held = file.read_bytes()
        except OSError:
            continue
        if held[:_DIGEST] == blake2b(held[_DIGEST:], digest_size=_DIGEST).digest():
            return file, held[_DIGEST:]
        damaged = file
    if damaged is not None:
        remedy = f", in {damaged}; run {COMMAND} to compile it again"
        raise ColdError("the compiled code is damaged", remedy, can_compile=True)
    raise ColdError("the code is not compiled yet", f"; run {COMMAND}", can_compile=True)


def writable_file() -> Path:
    """Return the file in which to store compiled code. Raises ColdError without one."""
    files = possible_files()
    for file in files:
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(file.parent, os.W_OK):
            return file
    places = " or in ".join(str(file.parent) for file in files)
    raise ColdError(f"compiled code cannot be stored in {places}")


def store(file: Path, code: bytes) -> None:
    """Store compiled code, in place of a previous file. Raises ColdError if that fails."""
    from lath.notation.files.files import write_atomically  # start-up time

    try:
        write_atomically(file, [blake2b(code, digest_size=_DIGEST).digest(), code])
    except OSError as error:
        raise ColdError(f"compiled code cannot be stored: {error}") from error
