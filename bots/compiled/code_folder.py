"""The folder of compiled code: one for each version, machine and state of the source."""

from __future__ import annotations

import os
import platform
import sys
from hashlib import blake2b
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from shutil import copytree, rmtree
from types import ModuleType
from typing import Final

from lath.games.errors import LathError
from lath.notation.files.folders import user_folder

_HERE: Final = Path(__file__).parent

WHOLE: Final = "whole"
"""The file with the digests of all other files of its folder; it exists if all was compiled."""


class ColdError(LathError):
    """The compiled form is not available; the text has the reason."""

    def __init__(self, why: str, remedy: str = "", *, can_compile: bool = False) -> None:
        """Take the reason, without paths of this machine, and whether compiling would help."""
        super().__init__(f"{why}{remedy}")
        self.why = why
        self.can_compile = can_compile


SOURCES: Final = ("arrays.py", "groups.py", "kernels.py", "search.py", "sight.py")
"""The modules of this folder that are compiled."""

COMMAND: Final = f"{sys.executable} -m lath.bots.compiled"


def possible_folders() -> list[Path]:
    """Return the possible folders of compiled code for this version, machine and source."""
    told = [sys.version, platform.machine(), version("numba")]
    for name in SOURCES:
        status = (_HERE / name).stat()
        told.append(f"{_HERE / name} {status.st_mtime_ns} {status.st_size}")
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
        told += next(([line] for line in lines if line.startswith(("flags", "Features"))), [])
    except OSError:
        told.append(platform.processor())
    name = "fast-" + blake2b("\n".join(told).encode(), digest_size=6).hexdigest()
    return [_HERE / "__pycache__" / name, user_folder("cache") / name]


def digests_in(folder: Path) -> bytes:
    """Return the names and digests of all files of a folder. Raises OSError."""
    lines = []
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.name != WHOLE:
            digest = blake2b(path.read_bytes(), digest_size=16).hexdigest()
            lines.append(f"{digest} {path.relative_to(folder)}\n")
    return "".join(lines).encode()


def is_whole(folder: Path) -> bool:
    """Return whether all files of a folder are unchanged."""
    try:
        said = (folder / WHOLE).read_bytes()
        return said != b"" and said == digests_in(folder)
    except OSError:
        return False


def whole_folder() -> Path:
    """Return the folder with complete compiled code.

    Raises ColdError if it is missing.
    """
    missing = ColdError("numba is missing", ", which the extra 'fast' installs")
    try:
        folders = possible_folders()
    except PackageNotFoundError:
        raise missing from None
    except NotADirectoryError:
        raise ColdError(
            f"{_HERE} is in an archive, and code in an archive cannot be compiled"
        ) from None
    if find_spec("numba") is None:
        raise missing
    for folder in folders:
        if is_whole(folder):
            return folder
    damaged = next((folder for folder in folders if (folder / WHOLE).exists()), None)
    if damaged is not None:
        remedy = f", in {damaged}; run {COMMAND} to compile it again"
        raise ColdError("the compiled code is damaged", remedy, can_compile=True)
    raise ColdError("the code is not compiled yet", f"; run {COMMAND}", can_compile=True)


def is_writable(folder: Path) -> bool:
    """Return whether compiled code can be stored in a folder."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK)


MODULES: Final[list[tuple[ModuleType, ModuleType]]] = []
"""The kernels and the searches, once they are loaded."""


def loaded(folder: Path) -> tuple[ModuleType, ModuleType]:
    """Return the kernels and the searches, with their compiled code in a folder."""
    import numba  # from an extra

    if not is_writable(folder):  # numba does not read from folders that it cannot write
        import atexit  # start-up time
        import tempfile

        copy = tempfile.mkdtemp(prefix="lath-fast-")
        atexit.register(rmtree, copy, ignore_errors=True)
        folder = Path(copytree(folder, copy, dirs_exist_ok=True))
    vars(numba.config)["CACHE_DIR"] = str(folder)
    from lath.bots.compiled import kernels, search  # start-up time

    MODULES.append((kernels, search))
    return MODULES[0]
