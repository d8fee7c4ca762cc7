"""Conformance cases of NonMaxSuppression, one class of one image at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ..judging.case import Array, ConformanceCase
from .loops.boxes import Box, by_falling_score, survivors


def _corners(box: Sequence[float], center_point_box: int) -> Box:
    a, b, c, d = (float(v) for v in box)
    if center_point_box:
        return b - d / 2, a - c / 2, b + d / 2, a + c / 2
    return min(a, c), min(b, d), max(a, c), max(b, d)


def _loop(boxes: Array, scores: Array, limit: int, iou: float, least: float, center_point_box: int) -> Array:
    found = []
    for b in range(boxes.shape[0]):
        corners = [_corners(box, center_point_box) for box in boxes[b].tolist()]
        for c in range(scores.shape[1]):
            values = [float(v) for v in scores[b, c]]
            order = by_falling_score(values, [i for i, v in enumerate(values) if v > least])
            found += [(b, c, i) for i in survivors(corners, order, limit, iou)]
    return np.array(found, dtype=np.int32).reshape(len(found), 3)


def _random(rng: np.random.Generator, batch: int, classes: int, count: int) -> tuple[Array, Array]:
    first = rng.uniform(0, 0.7, size=(batch, count, 2))
    last = first + rng.uniform(0.1, 0.5, size=(batch, count, 2))
    boxes = np.concatenate([first, last], axis=2).astype(np.float32)
    return boxes, rng.uniform(size=(batch, classes, count)).astype(np.float32)


def _case(
    name: str,
    boxes: Array,
    scores: Array,
    limit: int | None = 10,
    iou: float | None = 0.4,
    least: float | None = 0.1,
    *,
    center_point_box: int = 0,
    rank: int = 1,
    limit_dtype: str = "int32",
) -> ConformanceCase:
    optional: list[Array | None] = [
        None if value is None else np.full((1,) * rank, value, dtype=dtype)
        for value, dtype in ((limit, limit_dtype), (iou, "float32"), (least, "float32"))
    ]
    while optional and optional[-1] is None:
        optional.pop()
    threshold = float(np.float32(iou or 0)), float(np.float32(least or 0))
    flat = boxes.ndim == 2
    images, classes = (boxes[None], scores[None, None]) if flat else (boxes, scores)
    expected = _loop(images, classes, limit or 0, *threshold, center_point_box)
    attributes = {"center_point_box": center_point_box}
    outputs = (expected[:, 2].copy() if flat else expected,)
    inputs = (boxes, scores, *optional)
    return ConformanceCase(name, "NonMaxSuppression", inputs, outputs, attributes, frozenset({2, 3, 4}))


def cases() -> Iterator[ConformanceCase]:
    """Images and classes, limits, thresholds given and absent, centered and flipped boxes, ties, no boxes at all."""
    rng = np.random.default_rng(104)
    boxes, scores = _random(rng, 2, 3, 20)
    yield _case("images_and_classes", boxes, scores)
    yield _case("one_image_one_class", boxes[:1], scores[:1, :1])
    yield _case("limit_2", boxes, scores, 2)
    yield _case("limit_0", boxes, scores, 0)
    yield _case("limit_int64", boxes, scores, 3, limit_dtype="int64")
    yield _case("limit_absent_means_none", boxes, scores, None, None, None)
    yield _case("limit_absent_thresholds_given", boxes, scores, None, 0.5, 0.0)
    yield _case("thresholds_absent_mean_0", boxes, scores - np.float32(0.3), 10, None, None)
    yield _case("score_threshold_absent", boxes, scores, 10, 0.5, None)
    yield _case("iou_threshold_absent", boxes, scores, 10, None, 0.3)
    yield _case("iou_threshold_1_keeps_all", boxes, scores, 50, 1.0, 0.0)
    yield _case("score_threshold_drops_all", boxes, scores, 10, 0.5, 1.5)
    yield _case("negative_score_threshold", boxes, scores - np.float32(0.5), 10, 0.5, -1.0)
    yield _case("scalars_of_rank_0", boxes, scores, rank=0)
    equal = np.repeat(np.array([0.5, 0.5, 0.9, 0.5], dtype=np.float32), 5).reshape(1, 1, 20)
    yield _case("equal_scores_keep_their_order", boxes[:1], equal)
    at_threshold = np.array([[[0.25, 0.5, 0.75]]], dtype=np.float32)
    yield _case("a_score_at_the_threshold_goes", boxes[:1, :3], at_threshold, 5, 1.0, 0.5)
    halves = np.array([[[0, 0, 1, 1], [0, 0, 1, 0.5], [0, 0, 0.5, 0.5]]], dtype=np.float32)
    descending = np.array([[[0.9, 0.8, 0.7]]], dtype=np.float32)
    yield _case("an_overlap_at_the_threshold_stays", halves, descending, 5, 0.5, 0.0)
    yield _case("corners_in_any_order", boxes[:, :, [2, 1, 0, 3]], scores)
    centered = np.concatenate([boxes[..., :2] + boxes[..., 2:], 2 * (boxes[..., 2:] - boxes[..., :2])], axis=2) / 2
    yield _case("center_point_box", centered.astype(np.float32), scores, center_point_box=1)
    wide = np.array([[[0.5, 0.5, 1.0, 0.2], [0.5, 0.5, 0.2, 1.0], [0.9, 0.5, 0.2, 0.2]]], dtype=np.float32)
    yield _case("center_point_box_is_x_before_y", wide, descending, 5, 0.1, 0.0, center_point_box=1)
    empty = np.zeros((1, 3, 4), dtype=np.float32)
    yield _case("boxes_without_area_stay", empty, descending, 5, 0.0, 0.0)
    yield _case("boxes_without_images", boxes[0], scores[0, 0])
    yield _case("boxes_without_images_limit_3", boxes[1], scores[1, 2], 3)
    yield _case("float16", boxes.astype(np.float16), scores.astype(np.float16))
    yield _case("float64", boxes.astype(np.float64), scores.astype(np.float64))
    yield _case("no_boxes", np.zeros((1, 0, 4), dtype=np.float32), np.zeros((1, 2, 0), dtype=np.float32))
    yield _case("no_classes", boxes, scores[:, :0])
    holed = scores.copy()
    holed[0, 0, 3], holed[1, 1, 4], holed[1, 2, 5] = np.nan, np.inf, -np.inf
    yield _case("scores_of_nan_and_infinity", boxes, holed)
