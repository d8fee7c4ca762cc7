"""DetectionPostProcess against LiteRT's TFLite_Detection_PostProcess."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.kernels.litert_node import run_litert
from tests.kernels.single_node import run


@pytest.mark.parametrize("regular", [False, True])
@pytest.mark.parametrize("background", [0, 1])
@pytest.mark.parametrize("classes_per_detection", [1, 2])
@pytest.mark.parametrize("seed", [0, 1])
def test_detection_post_process(regular: bool, background: int, classes_per_detection: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    count, classes = 40, 5
    anchors = np.concatenate([rng.uniform(size=(count, 2)), rng.uniform(0.1, 0.4, size=(count, 2))], axis=1)
    boxes = (rng.normal(size=(1, count, 4)) * 0.5).astype(np.float32)
    scores = rng.uniform(size=(1, count, classes + background)).astype(np.float32)
    shared: dict[str, Any] = {
        "max_detections": 10,
        "max_classes_per_detection": classes_per_detection,
        "detections_per_class": 4,
        "use_regular_nms": regular,
        "nms_score_threshold": 0.3,
        "nms_iou_threshold": 0.45,
        "num_classes": classes,
    }
    scales = {"y_scale": 10.0, "x_scale": 8.0, "h_scale": 5.0, "w_scale": 4.0}
    inputs = (boxes, scores, anchors.astype(np.float32))
    theirs = run_litert(
        "TFLite_Detection_PostProcess", inputs, 4, constants=[2], options={**shared, **scales}, custom=True
    )
    ours = run("DetectionPostProcess", *inputs, scale=(5.0, 4.0, 8.0, 10.0), **shared)
    found = int(ours[3][0])
    # LiteRT counts boxes where MindSpore Lite counts rows, one for each class of a box.
    assert found == int(theirs[3][0]) * (1 if regular else classes_per_detection) > 0
    for mine, other in zip(ours[:3], theirs[:3], strict=True):
        np.testing.assert_allclose(mine[:, :found], other[:, :found], rtol=1e-5, atol=1e-6)
