"""Conformance cases of DetectionPostProcess, one box and one class at a time."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..judging.case import Array, ConformanceCase
from .loops.boxes import Box, by_falling_score, survivors

Found = list[tuple[int, int]]


def _decode(box: Sequence[float], anchor: Sequence[float], scale: Sequence[float]) -> Box:
    hs, ws, xs, ys = scale
    y, x = box[0] / ys * anchor[2] + anchor[0], box[1] / xs * anchor[3] + anchor[1]
    h, w = math.exp(box[2] / hs) * anchor[2] / 2, math.exp(box[3] / ws) * anchor[3] / 2
    return y - h, x - w, y + h, x + w


def _regular(corners: Sequence[Box], scores: Sequence[Sequence[float]], a: Mapping[str, Any]) -> Found:
    found: Found = []
    for c in range(a["num_classes"]):
        values = [row[c] for row in scores]
        good = [i for i, v in enumerate(values) if v >= a["nms_score_threshold"]]
        order = by_falling_score(values, good)
        found += [(i, c) for i in survivors(corners, order, a["detections_per_class"], a["nms_iou_threshold"])]
    best = by_falling_score([scores[i][c] for i, c in found], range(len(found)))
    return [found[i] for i in best[: a["max_detections"]]]


def _fast(corners: Sequence[Box], scores: Sequence[Sequence[float]], a: Mapping[str, Any]) -> Found:
    values = [max(row) for row in scores]
    good = [i for i, v in enumerate(values) if v >= a["nms_score_threshold"]]
    order = by_falling_score(values, good)
    kept = survivors(corners, order, a["max_detections"], a["nms_iou_threshold"])
    return [
        (i, c)
        for i in kept
        for c in by_falling_score(scores[i], range(a["num_classes"]))[: a["max_classes_per_detection"]]
    ]


def _loop(boxes: Array, scores: Array, anchors: Array, a: Mapping[str, Any]) -> tuple[Array, ...]:
    corners = [_decode(b, k, a["scale"]) for b, k in zip(boxes[0].tolist(), anchors.tolist(), strict=True)]
    per_class = [row[len(row) - a["num_classes"] :] for row in scores[0].tolist()]
    found = (_regular if a["use_regular_nms"] else _fast)(corners, per_class, a)
    rows = a["max_detections"] * a["max_classes_per_detection"]
    outputs = [np.zeros(shape, dtype=np.float32) for shape in ((1, rows, 4), (1, rows), (1, rows))]
    for row, (i, c) in enumerate(found):
        outputs[0][0, row], outputs[1][0, row], outputs[2][0, row] = corners[i], c, per_class[i][c]
    return (*outputs, np.array([len(found)], dtype=np.float32))


def _inputs(
    rng: np.random.Generator, count: int, classes: int, dtype: str = "float32", clusters: int = 3
) -> tuple[Array, Array, Array]:
    places = rng.uniform(0.2, 0.8, size=(clusters, 2))[rng.integers(clusters, size=count)]
    anchors = np.concatenate([places, rng.uniform(0.2, 0.4, size=(count, 2))], axis=1)
    boxes = rng.normal(size=(1, count, 4)) * 0.5
    return boxes.astype(dtype), rng.uniform(size=(1, count, classes)).astype(dtype), anchors.astype(dtype)


def _case(name: str, inputs: tuple[Array, Array, Array], **changed: Any) -> ConformanceCase:
    attributes: dict[str, Any] = {
        "scale": (5.0, 5.0, 10.0, 10.0),
        "nms_iou_threshold": 0.5,
        "nms_score_threshold": 0.25,
        "max_detections": 6,
        "detections_per_class": 4,
        "max_classes_per_detection": 1,
        "num_classes": inputs[1].shape[2],
        "use_regular_nms": False,
        **changed,
    }
    expected = _loop(*inputs, attributes)
    return ConformanceCase(
        name, "DetectionPostProcess", inputs, expected, attributes, frozenset({2}), rtol=1e-5, atol=1e-6
    )


def cases() -> Iterator[ConformanceCase]:
    """Both kinds of suppression: background, limits, thresholds, ties, scales, dtypes, nothing found, no boxes."""
    rng = np.random.default_rng(46)
    for mode, regular in (("fast", False), ("regular", True)):
        some = _inputs(rng, 16, 4)
        yield _case(mode, some, use_regular_nms=regular)
        yield _case(f"{mode}_background_first", some, use_regular_nms=regular, num_classes=3)
        yield _case(f"{mode}_two_background_classes", some, use_regular_nms=regular, num_classes=2)
        yield _case(f"{mode}_one_class", _inputs(rng, 12, 1), use_regular_nms=regular)
        yield _case(f"{mode}_three_classes_per_detection", some, use_regular_nms=regular, max_classes_per_detection=3)
        yield _case(f"{mode}_more_classes_than_there_are", some, use_regular_nms=regular, max_classes_per_detection=9)
        yield _case(f"{mode}_one_detection", some, use_regular_nms=regular, max_detections=1)
        yield _case(f"{mode}_room_for_more_detections", some, use_regular_nms=regular, max_detections=40)
        yield _case(f"{mode}_one_detection_per_class", some, use_regular_nms=regular, detections_per_class=1)
        yield _case(f"{mode}_iou_threshold_0", some, use_regular_nms=regular, nms_iou_threshold=0.0)
        yield _case(f"{mode}_iou_threshold_1", some, use_regular_nms=regular, nms_iou_threshold=1.0)
        yield _case(f"{mode}_score_threshold_0", some, use_regular_nms=regular, nms_score_threshold=0.0)
        yield _case(f"{mode}_nothing_good_enough", some, use_regular_nms=regular, nms_score_threshold=1.5)
        yield _case(f"{mode}_scales_differ", some, use_regular_nms=regular, scale=(1.0, 2.0, 4.0, 8.0))
        boxes, scores, anchors = some
        ties = (np.round(scores * 4) / 4).astype(np.float32)
        yield _case(
            f"{mode}_equal_scores", (boxes, ties, anchors), use_regular_nms=regular, max_classes_per_detection=2
        )
        yield _case(f"{mode}_score_at_the_threshold", (boxes, ties, anchors), use_regular_nms=regular)
        yield _case(f"{mode}_float16", _inputs(rng, 8, 3, "float16", 8), use_regular_nms=regular)
        yield _case(f"{mode}_float64", _inputs(rng, 8, 3, "float64"), use_regular_nms=regular)
        yield _case(f"{mode}_no_boxes", _inputs(rng, 0, 3), use_regular_nms=regular)
    yield _case("attributes_without_effect", some, format="NHWC", input_size=9, out_quantized=True)
