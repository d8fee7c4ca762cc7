"""Overlaps and suppression, one box at a time, for case files of detection operators."""

from __future__ import annotations

from collections.abc import Sequence

Box = Sequence[float]
"""ymin, xmin, ymax, xmax."""


def overlap(a: Box, b: Box) -> float:
    """The shared area over the area of both, 0 when either has none."""
    areas = [(box[2] - box[0]) * (box[3] - box[1]) for box in (a, b)]
    if min(areas) <= 0:
        return 0.0
    height = min(a[2], b[2]) - max(a[0], b[0])
    width = min(a[3], b[3]) - max(a[1], b[1])
    shared = max(height, 0.0) * max(width, 0.0)
    return shared / (sum(areas) - shared)


def survivors(boxes: Sequence[Box], order: Sequence[int], limit: int, threshold: float) -> list[int]:
    """The boxes of ``order`` that overlap none of the earlier survivors by more than ``threshold``."""
    kept: list[int] = []
    for candidate in order:
        if len(kept) < limit and all(overlap(boxes[k], boxes[candidate]) <= threshold for k in kept):
            kept.append(candidate)
    return kept


def by_falling_score(scores: Sequence[float], indices: Sequence[int]) -> list[int]:
    """``indices``, the best score first, the lower index first where two are equal."""
    return sorted(indices, key=lambda i: (-scores[i], i))
