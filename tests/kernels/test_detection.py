"""CropAndResize, ROIPooling, NonMaxSuppression, DetectionPostProcess, PriorBox: rejections and unknown dimensions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from lite_delegate_kernels import ArraySpec, KernelInputError, spec_of

from tests.kernels.single_node import infer, run, spec, unranked

U = unranked()
INT = unranked("int32")
SIZE = spec_of(np.array([4, 5], dtype=np.int32))
FLOATS_ONLY = "must be one of float32, float16, float64, got int32"
DETECTION: dict[str, Any] = {
    "scale": (5.0, 5.0, 10.0, 10.0),
    "max_detections": 3,
    "max_classes_per_detection": 2,
    "num_classes": 4,
}
PRIORS: dict[str, Any] = {"min_sizes": (4,), "variances": (0.1,) * 4}
POOLED = {"pooled_h": 2, "pooled_w": 3, "scale": 1.0}


@pytest.mark.parametrize(
    ("op", "specs", "attributes", "expected"),
    [
        ("CropAndResize", (spec(1, 8, 8, 3), spec(-1, 4), INT, SIZE), {}, (-1, 4, 5, 3)),
        ("CropAndResize", (U, U, spec(6, dtype="int32"), SIZE), {}, (6, 4, 5, -1)),
        ("CropAndResize", (U, spec(6, 4), INT, spec(2, dtype="int32")), {}, (6, -1, -1, -1)),
        ("ROIPooling", (spec(1, 8, 8, 3), U), POOLED, (-1, 2, 3, 3)),
        ("ROIPooling", (U, spec(7, 5)), POOLED, (7, 2, 3, -1)),
        ("NonMaxSuppression", (U, U, spec(1, dtype="int32")), {}, (-1, 3)),
        ("NonMaxSuppression", (spec(1, 6, 4), spec(1, 2, 6)), {}, (0, 3)),
        ("NonMaxSuppression", (spec(6, 4), U, INT), {}, (-1,)),
        ("NonMaxSuppression", (U, spec(6), INT), {}, (-1,)),
        ("PriorBox", (spec(1, 2, 3, 7), U), PRIORS, (1, 24, 1, 2)),
        ("PriorBox", (spec(1, -1, 3, 7), U), PRIORS, (1, -1, 1, 2)),
        ("PriorBox", (U, U), PRIORS, (1, -1, 1, 2)),
    ],
)
def test_what_is_known_of_the_shape(
    op: str, specs: tuple[ArraySpec, ...], attributes: dict[str, Any], expected: tuple[int, ...]
) -> None:
    assert infer(op, *specs, **attributes).shape == expected


def test_detections_have_a_known_shape_in_any_case() -> None:
    for specs in ((U, U, U), (spec(1, 9, 4), spec(1, 9, 5), spec(9, 4))):
        shapes = [s.shape for s in infer("DetectionPostProcess", *specs, **DETECTION)]
        assert shapes == [(1, 6, 4), (1, 6), (1, 6), (1,)]


CROP = (spec(1, 8, 8, 3), spec(2, 4), spec(2, dtype="int32"), SIZE)


def _replaced(specs: tuple[ArraySpec, ...], position: int, other: ArraySpec) -> tuple[ArraySpec, ...]:
    return (*specs[:position], other, *specs[position + 1 :])


@pytest.mark.parametrize(
    ("position", "other", "message"),
    [
        (0, spec(8, 8, 3), r"x must have shape \(\?, \?, \?, \?\), got \(8, 8, 3\)"),
        (0, spec(1, 0, 8, 3), r"x must have at least one row and one column, got \(1, 0, 8, 3\)"),
        (0, spec(1, 8, 8, 3, dtype="int32"), f"input 0 {FLOATS_ONLY}"),
        (1, spec(2, 5), r"boxes must have shape \(\?, 4\), got \(2, 5\)"),
        (1, spec(2, 4, dtype="int32"), f"boxes {FLOATS_ONLY}"),
        (2, spec(3, dtype="int32"), r"box_index must have shape \(2,\), got \(3,\)"),
        (2, spec(2), "box_index must be one of int32, int64, got float32"),
        (3, spec(3, dtype="int32"), r"size must have shape \(2,\), got \(3,\)"),
        (3, spec_of(np.array([4, 0])), r"size must hold a height and a width of at least 1, got \[4, 0\]"),
        (3, spec(2), "size must hold integers, got dtype float32"),
    ],
)
def test_crop_and_resize_rejections(position: int, other: ArraySpec, message: str) -> None:
    with pytest.raises(KernelInputError, match=message):
        infer("CropAndResize", *_replaced(CROP, position, other))


def test_crop_and_resize_rejects_methods_and_images() -> None:
    with pytest.raises(KernelInputError, match="method must be one of LINEAR, NEAREST, got CUBIC"):
        infer("CropAndResize", *CROP, method="CUBIC")
    x, boxes = np.zeros((2, 3, 3, 1), dtype=np.float32), np.zeros((1, 4), dtype=np.float32)
    for wrong in (-1, 2):
        with pytest.raises(KernelInputError, match=f"box_index must name one of 2 images, got {wrong}"):
            run("CropAndResize", x, boxes, np.array([wrong]), np.array([2, 2]))


@pytest.mark.parametrize(
    ("specs", "attributes", "message"),
    [
        ((spec(8, 8, 3), U), POOLED, r"x must have shape \(\?, \?, \?, \?\), got \(8, 8, 3\)"),
        ((U, spec(3, 4)), POOLED, r"rois must have shape \(\?, 5\), got \(3, 4\)"),
        ((U, U), {"pooled_h": 2}, "pooled_h and pooled_w must be at least 1, got 2 and 0"),
        ((INT, U), POOLED, f"input 0 {FLOATS_ONLY}"),
        ((U, INT), POOLED, f"rois {FLOATS_ONLY}"),
    ],
)
def test_roi_pooling_rejections(specs: tuple[ArraySpec, ...], attributes: dict[str, Any], message: str) -> None:
    with pytest.raises(KernelInputError, match=message):
        infer("ROIPooling", *specs, **attributes)


@pytest.mark.parametrize("image", [-1, 2, np.nan])
def test_roi_pooling_rejects_an_image_that_is_not_there(image: float) -> None:
    rois = np.array([[image, 0, 0, 1, 1]], dtype=np.float32)
    with pytest.raises(KernelInputError, match="a region must name one of 2 images, got"):
        run("ROIPooling", np.zeros((2, 3, 3, 1), dtype=np.float32), rois, **POOLED)


@pytest.mark.parametrize("corner", [np.inf, np.nan])
def test_roi_pooling_rejects_corners_that_are_not_finite(corner: float) -> None:
    rois = np.array([[0, 0, 0, 1, corner]], dtype=np.float32)
    with pytest.raises(KernelInputError, match="the corners of a region must be finite"):
        run("ROIPooling", np.zeros((2, 3, 3, 1), dtype=np.float32), rois, **POOLED)


@pytest.mark.parametrize(
    ("specs", "attributes", "message"),
    [
        ((spec(1, 6, 5), U), {}, r"boxes must have shape \(\?, \?, 4\), got \(1, 6, 5\)"),
        ((spec(6, 5), U), {}, r"boxes must have shape \(\?, 4\), got \(6, 5\)"),
        ((spec(1, 6, 4), spec(2, 1, 6)), {}, r"scores must have shape \(1, \?, 6\), got \(2, 1, 6\)"),
        ((spec(1, 6, 4), spec(1, 1, 7)), {}, r"scores must have shape \(1, \?, 6\), got \(1, 1, 7\)"),
        ((spec(6, 4), spec(7)), {}, r"scores must have shape \(6,\), got \(7,\)"),
        ((U, U), {"center_point_box": 2}, "center_point_box must be 0 or 1, got 2"),
        ((INT, U), {}, f"boxes {FLOATS_ONLY}"),
        ((U, INT), {}, f"scores {FLOATS_ONLY}"),
        ((U, U, U), {}, "max_output_per_class must be one of int32, int64, got float32"),
        ((U, U, spec(2, dtype="int32")), {}, r"max_output_per_class must hold one value, got shape \(2,\)"),
        ((U, U, INT, INT), {}, f"iou_threshold {FLOATS_ONLY}"),
        ((U, U, INT, U, spec(0)), {}, r"score_threshold must hold one value, got shape \(0,\)"),
    ],
)
def test_non_max_suppression_rejections(specs: tuple[ArraySpec, ...], attributes: dict[str, Any], message: str) -> None:
    with pytest.raises(KernelInputError, match=message):
        infer("NonMaxSuppression", *specs, **attributes)


@pytest.mark.parametrize(
    ("specs", "changed", "message"),
    [
        ((spec(2, 9, 4), U, U), {}, r"boxes must have shape \(1, \?, 4\), got \(2, 9, 4\)"),
        ((spec(1, 9, 4), U, spec(8, 4)), {}, r"anchors must have shape \(9, 4\), got \(8, 4\)"),
        ((spec(1, 9, 4), spec(1, 8, 4), U), {}, r"scores must have shape \(1, 9, \?\), got \(1, 8, 4\)"),
        ((U, spec(1, 8, 3), U), {}, "scores must have at least 4 classes, got 3"),
        ((U, U, U), {"scale": None}, "scale must hold four values, h, w, x and y, got None"),
        ((U, U, U), {"scale": (1.0, 2.0)}, r"scale must hold four values, h, w, x and y, got \[1.0, 2.0\]"),
        ((U, U, U), {"max_detections": 0}, "max_detections must be at least 1, got 0"),
        ((U, U, U), {"max_classes_per_detection": 0}, "max_classes_per_detection must be at least 1, got 0"),
        ((U, U, U), {"num_classes": 0}, "num_classes must be at least 1, got 0"),
        ((U, U, U), {"use_regular_nms": True}, "detections_per_class must be at least 1, got 0"),
        ((INT, U, U), {}, f"boxes {FLOATS_ONLY}"),
    ],
)
def test_detection_post_process_rejections(specs: tuple[ArraySpec, ...], changed: dict[str, Any], message: str) -> None:
    with pytest.raises(KernelInputError, match=message):
        infer("DetectionPostProcess", *specs, **{**DETECTION, **changed})


@pytest.mark.parametrize(
    ("specs", "changed", "message"),
    [
        ((spec(2, 3, 4), U), {}, r"feature_map must have shape \(\?, \?, \?, \?\), got \(2, 3, 4\)"),
        ((spec(1, 0, 3, 4), U), {}, "feature_map must have at least one row and one column"),
        ((U, spec(1, 3, 0, 4)), {}, "image must have at least one row and one column"),
        ((U, U), {"min_sizes": None}, "there must be min_sizes, and sizes of at least 1, got None and None"),
        ((U, U), {"min_sizes": (0,)}, r"sizes of at least 1, got \(0,\) and None"),
        ((U, U), {"max_sizes": (-2,)}, r"sizes of at least 1, got \(4,\) and \(-2,\)"),
        ((U, U), {"max_sizes": (5, 6)}, "there must be as many max_sizes as min_sizes, got 2"),
        ((U, U), {"aspect_ratios": (2.0, 0.0)}, r"aspect_ratios must be above 0, got \[2.0, 0.0\]"),
        ((U, U), {"variances": None}, "variances must hold four values, got None"),
        ((U, U), {"variances": (0.1,)}, r"variances must hold four values, got \[0.1\]"),
    ],
)
def test_prior_box_rejections(specs: tuple[ArraySpec, ...], changed: dict[str, Any], message: str) -> None:
    with pytest.raises(KernelInputError, match=message):
        infer("PriorBox", *specs, **{**PRIORS, **changed})
