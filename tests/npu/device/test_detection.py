from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from lite_delegate.npu.device.instructions.detection import Detect, overlaps
from tests.npu.graphs import half
from tests.npu.loops import corner_boxes, detections, overlap

PLAIN = Detect(
    scale=(5.0, 4.0, 10.0, 8.0),
    overlap=0.4,
    least_score=0.3,
    boxes_kept=6,
    classes=3,
    classes_per_box=1,
    kept_per_class=0,
    rows=6,
)


def operands(seed, count=20, classes=4, levels=16):
    """Boxes on a grid of anchors, and scores of few different values, so that there are ties."""
    rng = np.random.default_rng(seed)
    anchors = np.stack([*rng.integers(0, 8, (2, count)) / 8, *rng.integers(2, 6, (2, count)) / 8], axis=1)
    scores = rng.integers(0, levels, (1, count, classes)) / levels
    return [half((1, count, 4), seed), scores.astype(np.float16), anchors.astype(np.float16)]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(
    "attributes",
    [
        {},
        {"classes": 4},
        {"classes_per_box": 2, "rows": 12},
        {"overlap": 0.0},
        {"overlap": 1.0},
        {"least_score": 0.99},
        {"least_score": 0.875},
        {"kept_per_class": 3},
        {"kept_per_class": 9, "overlap": 0.7, "rows": 12},
        {"boxes_kept": 50, "rows": 50},
    ],
    ids=str,
)
def test_finds_what_the_loop_finds(attributes, seed):
    instruction = replace(PLAIN, **attributes)
    given = operands(seed)
    got = instruction.run(given)
    found = detections(given, instruction)
    assert got.dtype == np.float32
    assert got.shape == (instruction.rows + 1, 6)
    assert got[-1].tolist() == [len(found), 0, 0, 0, 0, 0]
    np.testing.assert_array_equal(got[: len(found), 4:], np.array([row[4:] for row in found]).reshape(-1, 2))
    np.testing.assert_allclose(got[: len(found), :4], np.array([row[:4] for row in found]).reshape(-1, 4), rtol=1e-4)
    assert not got[len(found) : -1].any()


def test_boxes_are_decoded_from_their_anchors():
    boxes, anchors = np.array([[[8, -10, 5 * math.log(2), 0]]]), np.array([[0.5, 0.25, 0.5, 1.0]])
    given = [boxes.astype(np.float16), np.ones((1, 1, 1), np.float16), anchors.astype(np.float16)]
    got = replace(PLAIN, classes=1).run(given)
    # center (8 / 8 * 0.5 + 0.5, -10 / 10 * 1 + 0.25), height 2 * 0.5, width 1
    np.testing.assert_allclose(got[0], [0.5, -1.25, 1.5, -0.25, 0, 1], atol=1e-3)
    np.testing.assert_allclose(corner_boxes(given[0], given[2], PLAIN.scale)[0], got[0, :4], atol=1e-5)


def test_overlap_of_boxes():
    others = np.array([[0, 0, 2, 2], [1, 1, 3, 3], [2, 2, 3, 3], [0, 0, 2, 0], [5, 5, 4, 4]], np.float32)
    got = overlaps(others[0], others)
    assert got.tolist() == [1.0, np.float32(1 / 7), 0.0, 0.0, 0.0]
    np.testing.assert_allclose(got, [overlap(others[0].tolist(), other.tolist()) for other in others], rtol=1e-6)
    assert not overlaps(others[3], others).any()


def test_work_grows_with_boxes_classes_and_what_is_kept():
    shapes = [(1, 1024, 4), (1, 1024, 5), (1024, 4)]
    assert PLAIN.work(shapes, (7, 6)).vector == 1024 * (16 * 7 + 5 * 10)
    assert replace(PLAIN, kept_per_class=3).work(shapes, (7, 6)).vector == 1024 * (16 * 10 + 5 * 10)
    assert PLAIN.reordered((1, 0)) is None
