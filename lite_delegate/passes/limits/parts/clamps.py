"""Clamps as a Maximum and a Minimum."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from ....ir import Node
from ...clamp import clamp_of
from ..facts import RewriteFacts
from .parts import parts_for


def clamp_parts(node: Node, facts: RewriteFacts) -> Iterator[Sequence[Node]]:
    """Clip, HARD_TANH and the like: a Maximum for a lower bound, a Minimum for an upper bound.

    Exact, for every element type.
    """
    clamp, parts = clamp_of(node, facts.draft), parts_for(node, facts)
    if clamp is None or parts is None or not (math.isfinite(clamp.low) or math.isfinite(clamp.high)):
        return
    result = parts.x
    if math.isfinite(clamp.low):
        result = parts.of("Maximum", result, parts.number(clamp.low))
    if math.isfinite(clamp.high):
        result = parts.of("Minimum", result, parts.number(clamp.high))
    yield parts.done()
