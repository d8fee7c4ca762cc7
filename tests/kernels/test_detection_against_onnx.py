"""CropAndResize, ROIPooling and NonMaxSuppression against ONNX Runtime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from lite_delegate_kernels import Array

from tests.kernels.single_node import normal, run, run_onnx

X = normal(2, 3, 12, 10, seed=7)


@pytest.mark.parametrize("size", [(5, 7), (13, 9), (1, 4), (1, 1), (20, 3)])
@pytest.mark.parametrize(
    "box", [(0.0, 0.0, 1.0, 1.0), (0.2, 0.1, 0.7, 0.95), (0.9, 0.6, 0.1, 0.2), (-0.3, 0.2, 1.2, 0.7)]
)
def test_crop_and_resize(box: tuple[float, ...], size: tuple[int, int]) -> None:
    corners = np.array(box, dtype=np.float32)
    roi = np.concatenate([[0, 0], corners[:2], [1, 1], corners[2:]]).astype(np.float32)
    sizes = np.array([2, 3, *size], dtype=np.int64)
    attributes: dict[str, Any] = {
        "mode": "linear",
        "coordinate_transformation_mode": "tf_crop_and_resize",
        "extrapolation_value": 9.0,
    }
    wanted = run_onnx("Resize", [X, roi, None, sizes], **attributes)[0]
    boxes, index = np.stack([corners] * 2), np.arange(2, dtype=np.int32)
    got = run(
        "CropAndResize", X.transpose(0, 2, 3, 1), boxes, index, np.array(size, dtype=np.int32), extrapolation_value=9.0
    )
    np.testing.assert_allclose(got, wanted.transpose(0, 2, 3, 1), rtol=1e-4, atol=1e-5, strict=True)


@pytest.mark.parametrize("scale", [1.0, 0.5, 0.0625])
@pytest.mark.parametrize("bins", [(1, 1), (2, 2), (3, 4)])
def test_roi_pooling(scale: float, bins: tuple[int, int]) -> None:
    rng = np.random.default_rng(11)
    corners = rng.uniform(-1, 6, size=(20, 2, 2))
    corners[:, 1] = corners[:, 0] + rng.uniform(0, 5, size=(20, 2))
    rois = np.concatenate([rng.integers(2, size=(20, 1)), corners.reshape(20, 4) / scale], axis=1).astype(np.float32)
    wanted = run_onnx("MaxRoiPool", [X, rois], pooled_shape=list(bins), spatial_scale=scale)[0]
    got = run("ROIPooling", X.transpose(0, 2, 3, 1), rois, pooled_h=bins[0], pooled_w=bins[1], scale=scale)
    np.testing.assert_array_equal(got, wanted.transpose(0, 2, 3, 1), strict=True)


def _boxes(center: int) -> tuple[Array, Array]:
    rng = np.random.default_rng(12 + center)
    boxes = rng.uniform(0, 1, size=(2, 30, 4)).astype(np.float32)
    return boxes, rng.uniform(size=(2, 3, 30)).astype(np.float32)


@pytest.mark.parametrize("center", [0, 1])
@pytest.mark.parametrize("limit", [0, 1, 5, 30])
@pytest.mark.parametrize(("iou", "least"), [(0.0, 0.0), (0.3, 0.2), (0.7, 0.5), (1.0, 0.9)])
def test_non_max_suppression(center: int, limit: int, iou: float, least: float) -> None:
    boxes, scores = _boxes(center)
    counts = np.array([limit], dtype=np.int64)
    thresholds = [np.array([v], dtype=np.float32) for v in (iou, least)]
    wanted = run_onnx("NonMaxSuppression", [boxes, scores, counts, *thresholds], center_point_box=center)[0]
    got = run("NonMaxSuppression", boxes, scores, counts, *thresholds, center_point_box=center)
    np.testing.assert_array_equal(got, wanted.astype(np.int32), strict=True)
