"""DetectionPostProcess: boxes decoded from their anchors, then non-maximum suppression."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ._boxes import suppress_overlaps
from ._dtypes import FLOATS, check_dtype, widen
from ._expect import expect_shape
from ._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel

Detections = tuple[Array, Array, Array]
"""Which boxes were found, their classes and their scores, each (count,)."""

_DTYPE = np.dtype(np.float32)


@np.errstate(all="ignore")
def detection_post_process(
    boxes: Array,
    scores: Array,
    anchors: Array,
    *,
    format: str = "NCHW",
    input_size: int = 0,
    scale: Sequence[float] | None = None,
    nms_iou_threshold: float = 0.0,
    nms_score_threshold: float = 0.0,
    max_detections: int = 0,
    detections_per_class: int = 0,
    max_classes_per_detection: int = 0,
    num_classes: int = 0,
    use_regular_nms: bool = False,
    out_quantized: bool = False,
) -> tuple[Array, ...]:
    """The detections of one image, as TensorFlow Lite's TFLite_Detection_PostProcess finds them.

    A box (dy, dx, dh, dw) on the anchor (y, x, h, w) has the center ``dy / ys * h + y`` and the height
    ``exp(dh / hs) * h``, and likewise across. Of equal scores the lower index comes first.

    Args:
        boxes: (1, N, 4), float.
        scores: (1, N, C), float; classes before the last ``num_classes`` are background.
        anchors: (N, 4), float.
        scale: hs, ws, xs, ys.
        nms_iou_threshold: boxes that overlap a better one by more go.
        nms_score_threshold: scores below it do not take part.
        max_detections: the most boxes found.
        detections_per_class: the most of one class, with ``use_regular_nms``.
        max_classes_per_detection: how many classes each box found is given with, without ``use_regular_nms``.
        num_classes: classes without background.
        use_regular_nms: True suppresses within each class; False suppresses once, by each box's best class.
        format, input_size, out_quantized: no effect.

    Returns:
        float32, with M = ``max_detections * max_classes_per_detection``: boxes (1, M, 4) as ymin, xmin, ymax, xmax,
        classes (1, M) counted without background, scores (1, M), all zero past the last one found, and how many rows
        were found (1,).

    NOTE: the number counts rows, as in MindSpore Lite; TensorFlow Lite counts boxes, of which each may have several
    rows without ``use_regular_nms``.
    """
    assert scale is not None
    corners = _decode(widen(boxes)[0], widen(anchors), scale)
    per_class = widen(scores)[0, :, scores.shape[2] - num_classes :]
    threshold = nms_score_threshold
    if use_regular_nms:
        limits = (max_detections, detections_per_class)
        found = _by_class(corners, per_class, limits, nms_iou_threshold, threshold)
    else:
        limits = (max_detections, min(max_classes_per_detection, num_classes))
        found = _by_best_class(corners, per_class, limits, nms_iou_threshold, threshold)
    return _padded(corners, found, max_detections * max_classes_per_detection)


def infer_detection_post_process(
    boxes: ArraySpec,
    scores: ArraySpec,
    anchors: ArraySpec,
    *,
    scale: Sequence[float] | None,
    max_detections: int,
    detections_per_class: int,
    max_classes_per_detection: int,
    num_classes: int,
    use_regular_nms: bool,
) -> tuple[ArraySpec, ...]:
    """The four outputs' specs; raises KernelInputError for dtypes, shapes or attributes that do not fit."""
    for name, spec in {"boxes": boxes, "scores": scores, "anchors": anchors}.items():
        check_dtype(spec, FLOATS, name)
    if scale is None or len(scale) != 4:
        raise KernelInputError(f"scale must hold four values, h, w, x and y, got {scale and list(scale)}")
    least = {"max_detections": max_detections, "max_classes_per_detection": max_classes_per_detection}
    least["num_classes"] = num_classes
    if use_regular_nms:
        least["detections_per_class"] = detections_per_class
    for name, value in least.items():
        if value < 1:
            raise KernelInputError(f"{name} must be at least 1, got {value}")
    _, count, _ = expect_shape("boxes", boxes, (1, UNKNOWN, 4))
    count, _ = expect_shape("anchors", anchors, (count, 4))
    *_, classes = expect_shape("scores", scores, (1, count, UNKNOWN))
    if UNKNOWN != classes < num_classes:
        raise KernelInputError(f"scores must have at least {num_classes} classes, got {classes}")
    rows = max_detections * max_classes_per_detection
    return tuple(ArraySpec(_DTYPE, shape) for shape in ((1, rows, 4), (1, rows), (1, rows), (1,)))


def _decode(boxes: Array, anchors: Array, scale: Sequence[float]) -> Array:
    h, w, x, y = scale
    middle = boxes[:, :2] / np.array([y, x], dtype=boxes.dtype) * anchors[:, 2:] + anchors[:, :2]
    half = np.exp(boxes[:, 2:] / np.array([h, w], dtype=boxes.dtype)) * anchors[:, 2:] / 2
    return np.concatenate([middle - half, middle + half], axis=1)


def _by_class(corners: Array, scores: Array, limits: tuple[int, int], iou: float, threshold: float) -> Detections:
    kept = [
        (box, c)
        for c in range(scores.shape[1])
        for box in suppress_overlaps(corners, scores[:, c], np.flatnonzero(scores[:, c] >= threshold), limits[1], iou)
    ]
    boxes, classes = np.array(kept, dtype=np.intp).reshape(len(kept), 2).T
    best = np.argsort(-scores[boxes, classes], kind="stable")[: limits[0]]
    return boxes[best], classes[best], scores[boxes[best], classes[best]]


def _by_best_class(corners: Array, scores: Array, limits: tuple[int, int], iou: float, threshold: float) -> Detections:
    best = scores.max(axis=1)
    kept = suppress_overlaps(corners, best, np.flatnonzero(best >= threshold), limits[0], iou)
    boxes = np.repeat(np.array(kept, dtype=np.intp), limits[1])
    classes = np.argsort(-scores[kept], axis=1, kind="stable")[:, : limits[1]].ravel()
    return boxes, classes, scores[boxes, classes]


def _padded(corners: Array, found: Detections, rows: int) -> tuple[Array, ...]:
    boxes, classes, scores = found
    outputs = []
    for values in (corners[boxes], classes, scores):
        padded = np.zeros((1, rows, *values.shape[1:]), dtype=_DTYPE)
        padded[0, : len(values)] = values
        outputs.append(padded)
    return (*outputs, np.array([len(boxes)], dtype=_DTYPE))


KERNEL = ReferenceKernel("DetectionPostProcess", detection_post_process, infer_detection_post_process, FLOATS)
