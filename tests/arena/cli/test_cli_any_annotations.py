"""What bots said of their moves and clocks, or did not, ends no command that counts games."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
from commands import arena
from sample_records import random_game

from lath.notation.record.record import Record, comment
from lath.notation.text.writer import format_record

SAID = {
    "nothing": (),
    "proofs": ("[%emt 0.000] [%eval 1.0]", "[%emt 0.001] [%eval -1.0]"),
    "no time": ("[%emt 0] [%clk 0] [%eval 0]",),
    "evaluations": ("[%eval 0.25]", "[%eval -0.5]"),
    "times": ("[%emt 0.010] [%clk 0.2]",),
    "much": ("[%emt 1e3] [%clk 0] [%eval 0.999] [%depth 0] [%nodes 0]", ""),
}
"""What may stand at each move of a record."""

CONTROLS = ("0.2+0.005", "nodes 5", "none", "1+0")


def games_of(game_id: str, chance: random.Random, said: list[str]) -> list[Record]:
    """Return up to fourteen games of three bots, of which each says one kind of thing."""
    found = []
    for number in range(1, chance.choice((1, 2, 14)) + 1):
        first, second = chance.sample(("ann", "bob", "cat"), 2)
        record = random_game(
            game_id,
            chance.randrange(3),
            first=first,
            second=second,
            Number=str(number),
            TimeControl=chance.choice(CONTROLS),
        )
        kinds = [SAID[said[ord(name[0]) - ord("a")]] for name in (first, second)]
        plies = tuple(
            replace(ply, comments=(comment(text),)) if text else ply
            for at, ply in enumerate(record.plies)
            for text in [chance.choice(kinds[at % 2] or ("",))]
        )
        found.append(replace(record, plies=plies))
    return found


COMMANDS = (
    "explain ann a.lath",
    "explain bob a.lath b.lath",
    "stats a.lath",
    "stats a.lath --measures",
    "stats a.lath b.lath --measures --compare",
    "rate a.lath b.lath",
    "rate a.lath --by-game",
    "explore a.lath --all",
    "report a.lath b.lath -o page.html",
)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_no_command_falls_over_what_is_said_of_moves_or_is_not(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    chance = random.Random(seed)
    said = [chance.choice([*SAID]) for _ in range(3)]
    for file, game_id in (("a.lath", "yavalath"), ("b.lath", "surikata")):
        records = games_of(game_id, chance, said)
        Path(file).write_text("\n".join(map(format_record, records)), encoding="utf-8")
    for command in COMMANDS:
        ran = arena(*command.split())
        is_refused = ran.status == 2 and "'ann' has no games" in ran.err
        assert ran.status == 0 or is_refused, (command, ran.err)
