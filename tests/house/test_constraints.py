"""What demo and tests install is said in constraints/: all of it, exactly, and with hashes."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from places import ROOT

PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT = PYPROJECT["project"]
BUILD = PYPROJECT["build-system"]["requires"]

WANTED: Mapping[str, Sequence[str]] = {
    "build": BUILD,
    "demo": PROJECT["dependencies"],
    "tests": [*BUILD, *PROJECT["dependencies"], *PROJECT["optional-dependencies"]["dev"]],
}


def pins(name: str) -> dict[str, str]:
    """Return the version of each package; each stands once, with hashes and nothing else."""
    text = (ROOT / f"constraints/{name}.txt").read_text()
    assert "://" not in text
    lines = [line for line in text.replace("\\\n", "").splitlines() if not line.startswith("#")]
    form = re.compile(
        r"([a-z0-9-]+)(?:\[[a-z,]+\])?==(\S+) (?:; [^#]+? )?( *--hash=sha256:[0-9a-f]{64})+"
    )
    found = [form.fullmatch(line) for line in lines]
    versions = {pin[1]: pin[2] for pin in found if pin}
    assert len(versions) == len(lines), [
        line for line, pin in zip(lines, found, strict=True) if not pin
    ]
    return versions


@pytest.mark.parametrize("name", WANTED)
def test_all_that_is_asked_for_is_pinned_to_a_version_that_will_do(name: str) -> None:
    """`make pins` writes them anew."""
    pinned = pins(name)
    for wanted in map(Requirement, WANTED[name]):
        assert wanted.specifier.contains(pinned[canonicalize_name(wanted.name)]), wanted


@pytest.mark.parametrize("name", ["build", "demo"])
def test_tests_have_the_same_versions(name: str) -> None:
    assert pins(name).items() <= pins("tests").items()
