"""How exactly a page tells times, evaluations and what else bots say of their moves.

Must not know how they are stored. Moves, tags, comments and variations are always kept whole.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from lath.notation.record import Annotation
from lath.reports.page.notes import Slot

TIMES, EVALUATIONS, CLOCKS = "emt", "eval", "clk"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """Steps in place of exact numbers; either factor is 0."""

    ratio: float = 0.0
    """Steps grow: step n (from 1) stands for ratio^(n-1) thousandths, 0 for none."""

    steps: int = 0
    """Steps are equal: n stands for n/steps, in -1..1."""

    def step(self, value: float) -> int:
        """Return the step of a value (seconds, or an evaluation)."""
        if self.steps:
            return round(min(max(value, -1.0), 1.0) * self.steps)
        thousandths = value * 1000
        return 0 if thousandths < 0.5 else 1 + max(0, round(math.log(thousandths, self.ratio)))


EXACT: Final = Scale()


@dataclass(frozen=True, slots=True)
class Detail:
    """What is told of each ply beside the move and words."""

    scales: dict[str, Scale]
    """How each annotation is told, by name."""

    everything: bool = False
    """Whether annotations that `scales` does not name are told, too."""

    def keeps(self, part: Annotation | Slot) -> bool:
        """Return whether an annotation is told."""
        if part.name not in self.scales:
            return self.everything
        return isinstance(part, Slot) or self.scales[part.name] == EXACT

    def told(self, slot: Slot, values: Sequence[int]) -> list[int]:
        """Return the numbers of a slot as they are told."""
        scale = self.scales.get(slot.name, EXACT)
        if scale == EXACT:
            return list(values)
        unit: float = 10**slot.decimals
        steps = {value: scale.step(value / unit) for value in set(values)}
        return [steps[value] for value in values]


DETAILS: Final = (
    Detail({TIMES: EXACT, EVALUATIONS: EXACT, CLOCKS: EXACT}, everything=True),
    Detail({TIMES: EXACT, EVALUATIONS: EXACT}),
    # 33 steps each: 1 ms to 7 min to within 23 %, and evaluations to within 0.03.
    Detail({TIMES: Scale(ratio=1.5), EVALUATIONS: Scale(steps=16)}),
    Detail({EVALUATIONS: Scale(steps=16)}),
    Detail({EVALUATIONS: Scale(steps=4)}),
    Detail({}),
)
"""From the most to the least; a page has the first that fits."""
