"""What demo and tests install is said in constraints/: all of it, exactly, and with hashes.

`.ci/install` installs it.
"""

from __future__ import annotations

import re
import subprocess
import tomllib
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path

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


@pytest.mark.parametrize("name", WANTED)
def test_all_that_a_package_needs_is_pinned_with_it(name: str) -> None:
    """Nothing is resolved when they are installed: what is not there is missing."""
    pinned, text = pins(name), (ROOT / f"constraints/{name}.txt").read_text()
    for package in pinned:
        asked = re.search(rf"^{package}\[([a-z,]+)\]==", text, re.MULTILINE)
        extras = ["", *(asked[1].split(",") if asked else ())]
        try:
            needs = [*map(Requirement, requires(package) or ())]
        except PackageNotFoundError:  # of another system or Python
            continue
        for need in needs:
            if not need.marker or any(need.marker.evaluate({"extra": extra}) for extra in extras):
                assert need.specifier.contains(pinned[canonicalize_name(need.name)]), need


PIP = """#!/bin/sh
echo "Ignoring colorama: markers don't match your environment"
echo "Collecting jinja2==3.1.6 (from -r constraints/demo.txt (line 2))"
echo "  Downloading jinja2-3.1.6-py3-none-any.whl (134 kB)"
echo "Processing /some/where/pyarrow-24.0.0-cp311-cp311-linux_x86_64.whl (from -r a (line 3))"
echo "  Downloading pyarrow-24.0.0-cp311-cp311-linux_x86_64.whl (44.5 MB)"
echo "Requirement already satisfied: six==1.17.0 in ./site-packages (from -r a (line 4)) (1.17.0)"
echo "Installing collected packages: pyarrow, jinja2"
exit ${STATUS:-0}
"""


def test_an_installation_tells_of_each_package_and_fails_as_pip_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python, pinned = tmp_path / "python", tmp_path / "pinned.txt"
    python.write_text(PIP)
    python.chmod(0o755)
    pinned.write_text("colorama==1\njinja2==3.1.6\npyarrow==24.0.0\nsix==1.17.0\n")
    words = [ROOT / ".ci" / "install", python, pinned]
    told = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout
    assert [line.strip() for line in told.splitlines()] == [
        "2 of 4: jinja2",
        "3 of 4: pyarrow",
        "3 of 4: pyarrow, 44.5 MB",
        "4 of 4: six",
        "unpacking 4 packages",
    ]
    monkeypatch.setenv("STATUS", "7")
    assert subprocess.run(words, check=False, stdout=subprocess.PIPE).returncode == 7


@pytest.mark.parametrize("name", ["build", "demo"])
def test_tests_have_the_same_versions(name: str) -> None:
    assert pins(name).items() <= pins("tests").items()
