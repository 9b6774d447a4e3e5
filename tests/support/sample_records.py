"""Records for tests: random games by seed, and the failures that can end a game."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from lath import games
from lath.games.core import Move, Result
from lath.notation.record.record import Comment, Ply, Record, bare_plies, comment, record_as_read

BUILT_IN = games.builtin_ids()

HOSTILE_NAMES = (
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(2)>",
    "\"'><svg/onload=alert(3)>",
    "\u202ertl\u202c & <b>bold</b>",
    "=1+1",
    "x" * 500,
)


def random_game(
    game_id: str,
    seed: int,
    *,
    first: str = "ann",
    second: str = "bob",
    annotated: bool = False,
    **tags: str,
) -> Record:
    """Return a finished record of random legal moves, with further tags such as `Round="3"`."""
    setup, moves, result = _played(game_id, seed)
    all_tags = {"Game": game_id, "Event": "Sample", "Round": "1", "First": first, "Second": second}
    if setup is not None:
        all_tags["Setup"] = setup
    all_tags |= {"Termination": "rules", **tags}
    comments = _annotations(seed) if annotated else {}
    plies = tuple(Ply(move, comments=comments.get(i % 7, ())) for i, move in enumerate(moves))
    return Record((*all_tags.items(), ("Result", result)), plies, Result(result))


@cache
def _played(game_id: str, seed: int) -> tuple[str | None, tuple[Move, ...], str]:
    """Return setup, moves and result of a random game; many tests use the same ones."""
    game = games.get(game_id)
    setup = game.draw_setup(seed)
    position = game.start(setup)
    chance = random.Random(f"{game_id} {seed}")
    moves = []
    while choices := position.legal_moves():
        moves.append(chance.choice(choices))
        position = position.play(moves[-1])
    outcome = position.outcome()
    assert outcome is not None
    return setup, tuple(moves), outcome.result


def _annotations(seed: int) -> dict[int, tuple[Comment, ...]]:
    chance = random.Random(seed)
    return {
        i: (comment(f"[%emt {chance.random():.3f}] [%eval {chance.uniform(-1, 1):.2f}]"),)
        for i in range(7)
    }


def bare(first: str, second: str, result: str, *, game_id: str = "yavalath", **tags: str) -> Record:
    """Return a record without moves, for statistics; values can be hostile."""
    termination = tags.pop("Termination", "rules")
    pairs = {"Game": game_id, "First": first, "Second": second, **tags, "Termination": termination}
    return record_as_read((*pairs.items(), ("Result", result)), (), Result(result))


def with_tags(record: Record, **tags: str) -> Record:
    """Return the record with these tags' values in place of its own, or at the end."""
    known = dict(record.tags) | tags
    return replace(
        record, tags=tuple(known.items()), result=Result(tags.get("Result", record.result))
    )


def cut(record: Record, plies: int, termination: str, result: str) -> Record:
    """Return the record stopped after `plies` for a reason outside the rules."""
    short = replace(record, plies=record.plies[:plies])
    return with_tags(short, Termination=termination, Result=result)


def tournament(
    names: Sequence[str],
    rounds: int,
    *,
    game_ids: Sequence[str] = BUILT_IN,
    annotated: bool = False,
) -> list[Record]:
    """Return a round robin over the game types, each pairing on both sides, all games random."""
    pairings = [(a, b) for a in names for b in names if a != b]
    return [
        random_game(
            game_id,
            1000 * round_number + i,
            first=first,
            second=second,
            annotated=annotated,
            Round=str(round_number + 1),
        )
        for round_number in range(rounds)
        for game_id in game_ids
        for i, (first, second) in enumerate(pairings)
    ]


def hostile_records() -> list[Record]:
    """Return a game per hostile name, with hostile text in every part of a record."""
    bad = "</script><script>alert(4)</script><!-- \u202e {{ 7*7 }}"
    records = []
    for i, name in enumerate(HOSTILE_NAMES):
        record = random_game("yavalath", i, first=name, second=HOSTILE_NAMES[0], Event=bad)
        record = with_tags(record, Round=bad, Site=bad, Termination=name, X=bad)
        first_ply = replace(record.plies[0], comments=(comment(bad),))
        plies = (first_ply, *record.plies[1:])
        records.append(replace(record, plies=plies, comments=(comment(bad),)))
    unknown = with_tags(records[0], Game="<img src=x onerror=alert(5)>")
    illegal = replace(records[0], plies=bare_plies(["</script>", "a  b"]))
    return [*records, unknown, illegal]
