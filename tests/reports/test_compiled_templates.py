"""Compiled templates are kept for the next run, and nothing depends on it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from jinja2 import Environment  # noqa: TC002 - a type alone

from lath.reports.page.page import environment_of

NAME = "words.html.j2"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's cache, empty."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


def another(templates: Path | None = None) -> Environment:
    """Return what another process would have."""
    environment_of.cache_clear()
    return environment_of(templates)


def kept(cache: Path) -> list[Path]:
    return sorted(path for path in cache.rglob("*") if path.is_file())


def compiled(environment: Environment, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Return whether a template had to be compiled."""
    calls = []
    compile_ = environment.compile

    def counted(*args: object, **named: object) -> object:
        calls.append(args)
        return compile_(*args, **named)  # type: ignore[call-overload]

    monkeypatch.setattr(environment, "compile", counted)
    environment.get_template(NAME)
    return bool(calls)


def test_a_template_is_compiled_once(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert compiled(another(), monkeypatch)
    assert len(kept(cache)) == 1
    assert not compiled(another(), monkeypatch)


@pytest.mark.parametrize("damage", [b"", b"nonsense", None], ids=["empty", "nonsense", "cut"])
def test_what_is_damaged_is_made_anew(
    cache: Path, monkeypatch: pytest.MonkeyPatch, damage: bytes | None
) -> None:
    another().get_template(NAME)
    [path] = kept(cache)
    whole = path.read_bytes()
    path.write_bytes(whole[:-9] if damage is None else damage)
    assert compiled(another(), monkeypatch)
    assert path.read_bytes() == whole


def test_the_folder_is_the_users_alone(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    another().get_template(NAME)
    [path] = kept(cache)
    assert path.parent.stat().st_mode & 0o077 == 0
    path.parent.chmod(0o777)
    assert compiled(another(), monkeypatch)


def test_a_users_template_is_compiled_each_time(cache: Path, tmp_path: Path) -> None:
    (tmp_path / NAME).write_text("mine", encoding="utf-8")
    assert another(tmp_path).get_template(NAME).render() == "mine"
    assert kept(cache) == []
    assert another().get_template(NAME).render() != "mine"
    (tmp_path / NAME).write_text("mine again", encoding="utf-8")
    assert another(tmp_path).get_template(NAME).render() == "mine again"


@pytest.mark.parametrize("place", ["/proc/nowhere", "in/this/folder"])
def test_without_a_place_for_it_templates_work(monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", place)
    assert compiled(another(), monkeypatch)
    assert not Path("in").exists()


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    """Leave no environment of this module behind."""
    yield
    environment_of.cache_clear()
