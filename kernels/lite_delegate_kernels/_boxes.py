"""Boxes: how much two overlap, and which of many remain when the overlapping ones go."""

from __future__ import annotations

import numpy as np

from ._kernel import Array


def intersection_over_union(box: Array, others: Array) -> Array:
    """The area that ``box`` shares with each other box, over the area that the two cover; 0 for an empty box.

    Args:
        box: (4,), ymin, xmin, ymax, xmax.
        others: (K, 4), the same.

    Returns:
        (K,), the dtype of the boxes.
    """
    low = np.maximum(box[:2], others[:, :2])
    high = np.minimum(box[2:], others[:, 2:])
    shared = np.maximum(high - low, 0).prod(axis=1)
    area, areas = (box[2:] - box[:2]).prod(), (others[:, 2:] - others[:, :2]).prod(axis=1)
    empty = (area <= 0) | (areas <= 0)
    return np.asarray(np.where(empty, 0, shared / np.where(empty, 1, area + areas - shared)))


def suppress_overlaps(corners: Array, scores: Array, candidates: Array, limit: int, iou_threshold: float) -> list[int]:
    """Greedy non-maximum suppression: the best candidate stays, what overlaps it goes, and so on.

    Args:
        corners: (N, 4), ymin, xmin, ymax, xmax.
        scores: (N,).
        candidates: which boxes take part, indices in rising order; of equal scores the lower index is the better.
        limit: the most boxes that stay.
        iou_threshold: a box goes whose intersection over union with a better one is above it.

    Returns:
        The indices of those that stay, best first.
    """
    remaining = candidates[np.argsort(-scores[candidates], kind="stable")]
    kept: list[int] = []
    while remaining.size and len(kept) < limit:
        best, rest = remaining[0], remaining[1:]
        kept.append(int(best))
        remaining = rest[~(intersection_over_union(corners[best], corners[rest]) > iou_threshold)]
    return kept
