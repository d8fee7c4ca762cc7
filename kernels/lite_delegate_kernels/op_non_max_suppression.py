"""NonMaxSuppression: per class, the boxes that no better box of the class overlaps."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._boxes import suppress_overlaps
from ._dtypes import FLOATS, check_dtype, widen
from ._expect import expect_shape
from ._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel
from ._movement import vector_length

_DTYPE = np.dtype(np.int32)


@np.errstate(all="ignore")
def non_max_suppression(
    boxes: Array,
    scores: Array,
    max_output_per_class: Array | None = None,
    iou_threshold: Array | None = None,
    score_threshold: Array | None = None,
    *,
    center_point_box: int = 0,
) -> Array:
    """Greedy suppression for each image and class on its own; see ``_boxes.suppress_overlaps``.

    Args:
        boxes: (B, N, 4), float. With ``center_point_box`` 0 the rows are y1, x1, y2, x2, two opposite corners in any
            order; with 1 they are the center's x and y, the width and the height.
        scores: (B, C, N), float.
        max_output_per_class: one integer, the most boxes per image and class; absent means 0, none.
        iou_threshold: one float; boxes that overlap a better one by more go. Absent means 0.
        score_threshold: one float; only scores above it take part. Absent means 0.

    Returns:
        int32 (M, 3): image, class and box, in the order of images, then classes, then falling scores. Where ``boxes``
        is (N, 4) and ``scores`` is (N,), as in TensorFlow, only the boxes, (M,).

    NOTE: MindSpore Lite's kernel counts all images and classes together against the limit; here, as in ONNX, each
    class of each image has its own.
    """
    limit, iou, least = (_scalar(v) for v in (max_output_per_class, iou_threshold, score_threshold))
    flat = boxes.ndim == 2
    per_image = widen(scores[None, None] if flat else scores)
    corners = _corners(widen(boxes[None] if flat else boxes), center_point_box)
    found = [
        (b, c, box)
        for b, c in np.ndindex(*per_image.shape[:2])
        for box in suppress_overlaps(
            corners[b], per_image[b, c], np.flatnonzero(per_image[b, c] > least), int(limit), iou
        )
    ]
    picked = np.array(found, dtype=_DTYPE).reshape(len(found), 3)
    return np.ascontiguousarray(picked[:, 2]) if flat else picked


def infer_non_max_suppression(
    boxes: ArraySpec,
    scores: ArraySpec,
    max_output_per_class: ArraySpec | None = None,
    iou_threshold: ArraySpec | None = None,
    score_threshold: ArraySpec | None = None,
    *,
    center_point_box: int,
) -> ArraySpec:
    """int32 (M, 3), or (M,) for boxes without images; M is known only where no box may stay."""
    check_dtype(boxes, FLOATS, "boxes")
    check_dtype(scores, FLOATS, "scores")
    if center_point_box not in (0, 1):
        raise KernelInputError(f"center_point_box must be 0 or 1, got {center_point_box}")
    _check_scalar("max_output_per_class", max_output_per_class, ("int32", "int64"))
    _check_scalar("iou_threshold", iou_threshold, FLOATS)
    _check_scalar("score_threshold", score_threshold, FLOATS)
    rows = 0 if max_output_per_class is None else UNKNOWN
    if boxes.rank == 2 or (boxes.rank is None and scores.rank == 1):
        count, _ = expect_shape("boxes", boxes, (UNKNOWN, 4))
        expect_shape("scores", scores, (count,))
        return ArraySpec(_DTYPE, (rows,))
    images, count, _ = expect_shape("boxes", boxes, (UNKNOWN, UNKNOWN, 4))
    expect_shape("scores", scores, (images, UNKNOWN, count))
    return ArraySpec(_DTYPE, (rows, 3))


def _check_scalar(name: str, spec: ArraySpec | None, dtypes: tuple[str, ...]) -> None:
    if spec is None:
        return
    check_dtype(spec, dtypes, name)
    if vector_length(spec) not in (None, 1):
        raise KernelInputError(f"{name} must hold one value, got shape {spec.shape}")


def _scalar(value: Array | None) -> Any:
    return 0 if value is None else value.reshape(())[()]


def _corners(boxes: Array, center_point_box: int) -> Array:
    """(B, N, 4) as ymin, xmin, ymax, xmax."""
    if center_point_box:
        middle, half = boxes[..., 1::-1], boxes[..., :1:-1] / 2
        return np.concatenate([middle - half, middle + half], axis=-1)
    first, second = boxes[..., :2], boxes[..., 2:]
    return np.concatenate([np.minimum(first, second), np.maximum(first, second)], axis=-1)


KERNEL = ReferenceKernel("NonMaxSuppression", non_max_suppression, infer_non_max_suppression, FLOATS)
