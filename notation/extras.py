"""The optional extras of the installation, with their features and modules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Extra:
    """An optional part of the installation."""

    name: str
    """The name in brackets for pip."""

    gives: str
    """The features that the extra adds, in a few words."""

    modules: tuple[str, ...]
    """The modules that must be importable; the first one is named after its distribution."""

    @property
    def install(self) -> str:
        """Return the command that installs the extra."""
        return f"pip install 'lath-arena[{self.name}]'"

    @property
    def missing(self) -> tuple[str, ...]:
        """Return its modules that are not installed."""
        from importlib.util import find_spec  # start-up time

        return tuple(module for module in self.modules if find_spec(module) is None)


EXTRAS: Final[Mapping[str, Extra]] = {
    extra.name: extra
    for extra in (
        Extra("arrow", "Parquet and Arrow tables", ("pyarrow",)),
        Extra("dask", "tournaments on other machines", ("distributed",)),
        Extra("duckdb", "databases of games", ("duckdb", "numpy", "pyarrow")),
        Extra("fast", "bundled bots that are compiled", ("numba",)),
        Extra("images", "pictures of boards", ("resvg_py", "PIL")),
        Extra("web", "the local site of arena serve", ("starlette", "uvicorn")),
    )
}
"""All extras by name."""
