"""Control groups: where they can be made, what bounds them, and that nothing leaves them alive."""

from __future__ import annotations

import pytest

from lath.arena.walls import cgroups


@pytest.mark.parametrize(
    ("root", "mount", "own", "homes"),
    [
        ("/", "/sys/fs/cgroup", "/a/b.scope", ["/a/b.scope", "/a", ""]),
        ("/", "/sys/fs/cgroup", "/", [""]),
        ("/a", "/run/control\\040groups", "/a/b.scope", ["/b.scope", ""]),
        ("/elsewhere", "/sys/fs/cgroup", "/a", []),
        ("/", "/sys/fs/cgroup", "/../outside", []),
    ],
)
def test_our_group_and_those_around_it_are_found_where_they_are_mounted(
    root: str, mount: str, own: str, homes: list[str]
) -> None:
    mounts = (
        "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
        f"41 31 0:38 {root} {mount} rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"
    )
    found = cgroups.candidates(mounts, f"4:cpu:/old\n0::{own}\n")
    assert found == [mount.replace("\\040", " ") + home for home in homes]
