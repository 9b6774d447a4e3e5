"""What is wrong with what stands beside the moves: tags, numbers and annotations.

Must not know any rules.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from lath.notation.errors import Fault, Place
from lath.notation.record import Annotation, Comment, Record


def tag_faults(record: Record) -> Iterator[Fault]:
    """Yield what is wrong with the tags of a record whatever its game: order and repetition."""
    names = [name for name, _ in record.tags]
    if "Game" not in names:
        yield _without_game(names)
    elif names[0] != "Game":
        yield Fault("tag", f"the tag {names[0]} stands before Game", "Game first", at=0)
    counts = Counter(names)
    for name in sorted(name for name in counts if counts[name] > 1):
        often = "twice" if counts[name] == 2 else f"{counts[name]} times"
        message = f"the tag {name} stands there {often}"
        yield Fault("tag", message, "each tag once", tag=name)


def _without_game(names: list[str]) -> Fault:
    expected = 'a tag such as [Game "mammalath"]'
    for name in names:
        if name.lower() == "game":
            return Fault("tag", f"the tag is called {name}", expected, tag=name, meant="Game")
    return Fault("tag", "the tag Game is missing", expected, at=0)


def wrong_numbers(places: Sequence[Place], first_number: int) -> dict[int, Fault]:
    """Return the faults of the numbers before plies, by ply.

    Numbers that only follow from a wrong one before them are not told of again: those that count
    on from it, or count pairs of moves as it does.
    """
    faults: dict[int, Fault] = {}
    ahead, in_pairs = 0, False
    for ply, place in enumerate(places, first_number):
        number = place.number
        if number is None or (ahead and number == ply + ahead):
            continue
        if in_pairs and number == (ply + 1) // 2:
            continue
        ahead, in_pairs = number - ply, number != ply and number == (ply + 1) // 2
        if not ahead:
            continue
        why = ", for each ply has a number of its own" if in_pairs else ""
        message = f"ply number {number}. stands before ply {ply}"
        at = place.number_at
        faults[ply] = Fault("ply-number", message, f"{ply}.{why}", at, ply=ply)
    return faults


def annotation_faults(
    comments: Sequence[Comment], notes: Sequence[int], at: int | None, number: int | None = None
) -> Iterator[Fault]:
    """Yield what is wrong with annotations; `notes` are their places, `at` is told without."""
    annotations = [part for comment in comments for part in comment if isinstance(part, Annotation)]
    for index, part in enumerate(annotations):
        if wrong := _wrong_with(part):
            message = f"{part} is not {wrong}"
            yield Fault("annotation", message, at=notes[index] if notes else at, ply=number)


def _wrong_with(note: Annotation) -> str | None:
    """Return what a known annotation should have been; None where it is right or unknown."""
    number = note.number
    if note.name in ("emt", "clk"):
        right = number is not None and 0 <= number < float("inf")
        return None if right else "a time in seconds, 0 or more"
    if note.name == "eval":
        return None if number is not None and -1 <= number <= 1 else "a number from -1 to 1"
    if note.name in ("depth", "nodes"):
        return None if note.value.isascii() and note.value.isdigit() else "a whole number"
    return None
