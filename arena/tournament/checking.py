"""Unknown keys and wrong values of a configuration, each with the place where it stands.

Must not know what the values mean: the keys do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from lath.arena.errors import ConfigError
from lath.arena.tournament.keys import BOT_KEYS, TABLES, TOP_KEYS, Key
from lath.arena.tournament.places import Source
from lath.arena.tournament.values import shown


@dataclass(frozen=True)
class Check:
    """Finds unknown keys and wrong values, and where they stand."""

    source: Source

    def all(self, told: Mapping[str, Any]) -> None:
        """Raise ConfigError at the first thing that is wrong."""
        self._table(told, {**TOP_KEYS, **dict.fromkeys((*TABLES, "bot"))}, "")
        for name, keys in TABLES.items():
            table = told.get(name, {})
            if not isinstance(table, dict):
                self._fail(name, "", table, f"a table [{name}]")
            self._table(table, keys, name)
        bots = told.get("bot", [])
        if not isinstance(bots, list) or not all(isinstance(row, dict) for row in bots):
            self._fail("bot", "", bots, "tables [[bot]]")
        for index, row in enumerate(bots):
            self._table(row, BOT_KEYS, f"bot {index}")
            if "name" not in row:
                place = self.source.place("name", f"bot {index}")
                raise ConfigError(f"{place}: bot: expected a name")

    def _table(self, told: Mapping[str, Any], keys: Mapping[str, Key | None], table: str) -> None:
        for name, value in told.items():
            if name not in keys:
                raise self._unknown(name, keys, table)
            key = keys[name]
            if key is None:
                continue
            try:
                key.read(value)
            except (TypeError, ValueError) as error:
                self._fail(name, table, value, key.allowed, error)

    def _unknown(self, name: str, keys: Mapping[str, Key | None], table: str) -> ConfigError:
        where = f" in [{table.partition(' ')[0]}]" if table else ""
        alike = get_close_matches(name.lower(), keys, n=1)
        meant = f"; did you mean {alike[0]!r}?" if alike else ""
        return ConfigError(
            f"{self.source.place(name, table)}: unknown key {name!r}{where}, expected one of "
            f"{', '.join(keys)}{meant}"
        )

    def _fail(
        self, name: str, table: str, value: Any, allowed: str, error: Exception | None = None
    ) -> None:
        raise ConfigError(
            f"{self.source.place(name, table)}: {name} = {shown(value)}, expected {allowed}"
        ) from error
