"""What all tests of the site have."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sites import guest

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["guest"]


@pytest.fixture(scope="session", autouse=True)
def state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Sites note their runs in a folder of the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield
