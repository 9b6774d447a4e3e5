"""A whole league behind walls, of which some entrants attack whatever they can think of."""

from __future__ import annotations

import secrets
from pathlib import Path

import pytest
import tomlkit
from arena_runs import PATIENCE_S, Range, numbers, stored
from league import ATTACKS, League, listening, living
from processes import gone
from tools import needs

pytestmark = needs("bwrap")


def with_in(words: str) -> list[int]:
    """Return the processes whose command line has these words."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and words.encode() in (entry / "cmdline").read_bytes():
                found.append(int(entry.name))
        except OSError:
            pass
    return found


@pytest.mark.parametrize(("honest", "attackers", "rounds"), [(2, 2, 1)])
def test_honest_bots_play_on_and_nothing_is_lost_read_or_left(
    honest: int, attackers: int, rounds: int, tmp_path: Path
) -> None:
    with (
        listening() as (listener, called),
        living() as victim,
        Range(tmp_path) as place,
    ):
        mark = f"league-{secrets.token_hex(4)}"
        league = League(tmp_path, listener, victim=victim.pid, mark=mark)
        for number in range(honest):
            league.enter(f"honest-{number}")
        for number in range(attackers):  # all attacks are somebody's
            league.enter(f"eve-{number}", ATTACKS[number::attackers])
        config = tmp_path / "league.toml"
        told = {"games": ["yavalath"], "format": "swiss", "rounds": rounds, "sandbox": "bwrap"}
        times = {"move": "20s", "first": "60s", "startup": "60s"}
        rows = {"openings": "random:0", "jobs": 2, "time": times, "bot": league.bots}
        config.write_text(tomlkit.dumps({**told, **rows}))
        run = place.begin("run", config, "--output", league.out, "--no-report", "-q")
        _, said = run.communicate(timeout=20 * PATIENCE_S if honest > 2 else PATIENCE_S)
        assert run.returncode == 0, said
        assert gone(lambda: with_in(f": {league.mark}"))
        assert called == []
        assert victim.poll() is None
    games = stored(league.out, "number, first, second, result, termination, record")
    assert len(numbers(league.out)) == len(games) == 2 * rounds * ((honest + attackers) // 2)
    for _, first, second, result, termination, _ in games:
        if termination not in ("rules", "adjudication"):  # only who attacks loses otherwise
            loser = {"1-0": second, "0-1": first}[str(result)]
            assert str(loser).startswith("eve"), (first, second, result, termination)
    about = place.arena("rate", league.out)
    assert about.returncode == 0, about.stderr
    database = (league.out / "tournament.db").read_bytes()
    assert league.secret.encode() not in database
    assert b"LOOT" not in database
    assert b"nobody" in database  # what they say of themselves is kept
    left = {path.name for path in tmp_path.rglob("*") if path.name.startswith(("LEFT", "FORGED"))}
    assert left == set()
