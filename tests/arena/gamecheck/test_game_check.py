"""`arena games check` as a library: sound games pass, and each planted fault is named.

The bundled bots play in `tests/arena/cli/test_cli_games_check.py`.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from types import SimpleNamespace
from typing import Any, get_args

import pytest
from faulty_games import FAULTS, SOUND
from game_files import EXAMPLES, write_game
from places import OURS, ROOT

from lath import games
from lath.arena.botcheck.check import Report
from lath.arena.botcheck.points import Verdict
from lath.arena.errors import ConfigError
from lath.arena.gamecheck.check import IDS, check, loaded, verdict_words
from lath.arena.gamecheck.drawing import DISTINCT
from lath.arena.gamecheck.lab import GameLab
from lath.arena.gamecheck.points import GamePoint
from lath.arena.gamecheck.rules import LAWS, MEND, form_of_a_lesson
from lath.arena.gamecheck.speed import FASTER, costs_of
from lath.games.cards import lesson_faults
from lath.games.contract import Piece, PieceShape
from lath.games.core import Lesson
from lath.games.errors import GameFileError, UnknownGameError
from lath.games.laws import Law
from lath.games.simple import SimpleGame

EFFORT = 0.02
"""The share of the usual time that a check in these tests takes."""

ALONE = {*IDS} - {"tournament", "search"}
"""The points without bots and without the speed of another game."""


def points_of(named: Path | str, only: Collection[str] = ALONE) -> list[GamePoint]:
    """Return the points of a game."""
    game_id, unloaded = loaded(str(named))
    if unloaded is not None:
        return [unloaded]
    return list(check(GameLab(games.get(game_id), str(named), effort=EFFORT), only))


def bad(points: list[GamePoint]) -> list[str]:
    return [f"{point.id}: {point.seen}" for point in points if point.verdict is not Verdict.OK]


def test_a_sound_game_has_each_point_and_no_finding(tmp_path: Path) -> None:
    points = points_of(write_game(tmp_path, SOUND))
    assert bad(points) == []
    assert [*dict.fromkeys(point.id for point in points)] == [id_ for id_ in IDS if id_ in ALONE]
    assert verdict_words(points) == "fit for tournaments"


@pytest.mark.parametrize(
    "named",
    [
        *OURS,
        "yavalath:size=3",
        *sorted(EXAMPLES.glob("*.py")),
        ROOT / "examples/new-game/mygame.py",
        ROOT / "examples/plugins/breakthrough/lath_breakthrough.py",
    ],
    ids=lambda named: Path(named).stem,
)
def test_the_built_in_games_and_the_examples_have_no_fault(named: Path | str) -> None:
    points = points_of(named, ALONE - {"processes", "variants"})
    assert [one.seen for one in points if one.verdict.is_bad and one.id != "speed"] == []
    assert len(points) > 20


@pytest.mark.parametrize("kind", get_args(PieceShape))
def test_pieces_differ_if_their_drawings_do(kind: PieceShape) -> None:
    glyphs = ("M-30-40H-20V40H-30z", "M20-40H30V40H20z", "M-40-40H40V40H-40z")
    pieces = [
        Piece(code, f"{code} piece", kind, "#b08040", glyph)
        for code, glyph in zip("abcd", (*glyphs, glyphs[0]), strict=True)
    ]
    lab: Any = SimpleNamespace(game=SimpleNamespace(pieces=pieces[:3]))
    assert [one.verdict for one in DISTINCT.run(lab)] == [Verdict.OK]
    lab.game.pieces = pieces
    (alike,) = (one.seen for one in DISTINCT.run(lab) if one.verdict is Verdict.FAULT)
    assert alike.startswith("a (a piece) and d (d piece) look alike")


@pytest.mark.parametrize("file", sorted(EXAMPLES.glob("*.py")), ids=lambda file: file.stem)
def test_remedies_name_members_that_authors_write_and_a_lesson_to_copy(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = games.add(file)
    lab = GameLab(game, str(file), effort=EFFORT)
    costs = costs_of(lab)
    assert {*costs} <= {*FASTER}
    own = [name.removesuffix("()") for name in costs if name.endswith("()")]
    owners = (type(game),) if isinstance(game, SimpleGame) else (type(game), type(game.start()))
    assert all(any(name in dir(owner) for owner in owners) for name in own)
    lesson = eval(form_of_a_lesson(lab), {"Lesson": Lesson})
    monkeypatch.setattr(type(game), "lessons", (lesson,), raising=False)
    assert [*lesson_faults(game)] == []


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_named_with_its_remedy(name: str, tmp_path: Path) -> None:
    planted = FAULTS[name]
    assert planted.right in SOUND
    path = write_game(tmp_path, SOUND.replace(planted.right, planted.wrong, 1))
    points = points_of(path, {planted.point})
    told = [point for point in points if planted.words in point.seen]
    assert told, bad(points)
    assert (told[0].id, told[0].verdict) == (planted.point, planted.verdict)
    assert told[0].mend


def test_all_faults_are_told_of_and_each_once_with_its_place(tmp_path: Path) -> None:
    """A crash does not hide the other faults, and what needs sound rules is not tested."""
    text = SOUND
    names = ("a crash at the board's edge", "no reason for an illegal move", "the wrong winner")
    for name in names:
        assert FAULTS[name].right in text
        text = text.replace(FAULTS[name].right, FAULTS[name].wrong, 1)
    path = write_game(tmp_path, text)
    points = points_of(path)
    faults = [point for point in points if point.verdict is Verdict.FAULT]
    for name in names:
        assert sum(FAULTS[name].words in point.seen for point in faults) == 1, bad(points)
    (crash,) = [point for point in faults if point.id == "exceptions"]
    line = next(at for at, row in enumerate(text.splitlines(), 1) if "chr(ord(" in row)
    assert crash.where == f"{path}:{line}"
    assert "(play('c" in crash.seen
    report = Report()
    told = [*report.add(crash), *report.rest()]
    assert told[0] == "contract"
    assert told[-2:] == [f"              {crash.where}", f"            fix: {MEND[Law.RAISES]}"]
    (wrong,) = [point for point in faults if FAULTS["the wrong winner"].words in point.seen]
    assert wrong.way.startswith("ply ")
    assert f"              {wrong.way}" in [*report.add(wrong)]
    assert {point.seen for point in points if point.id in ("speed", "length", "drawn")} == {
        "the rules have a fault: see exceptions"
    }
    assert verdict_words(points) == f"{len(faults)} faults: not fit for tournaments"


def test_a_file_without_a_game_is_one_fault_and_a_name_of_no_game_is_an_error(
    tmp_path: Path,
) -> None:
    (point,) = points_of(write_game(tmp_path, SOUND.replace("GAME = Passing()", "GAME = Pass()")))
    assert (point.id, point.verdict) == ("members", "fault")
    assert "NameError: name 'Pass' is not defined" in point.seen
    with pytest.raises(GameFileError, match="file not found"):
        loaded(str(tmp_path / "other.py"))
    with pytest.raises(UnknownGameError):
        games.get(loaded("chess")[0])
    with pytest.raises(ConfigError, match="--only: 'legal-move' is not a check"):
        points_of("yavalath", {"legal-move"})


def test_each_law_of_a_trial_has_a_point_and_a_remedy() -> None:
    assert MEND.keys() == {*Law}
    assert sorted(law for laws in LAWS.values() for law in laws) == sorted(Law)
    assert {*LAWS} <= {*IDS}


def test_each_planted_kind_stands_for_a_point() -> None:
    """A point without a planted fault would be a check that cannot fail."""
    assert {planted.point for planted in FAULTS.values()} | {"drawn", "tournament", "search"} == {
        *IDS
    }
