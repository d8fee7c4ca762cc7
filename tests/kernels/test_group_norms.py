"""InstanceNorm, GroupNormFusion, L2NormalizeFusion, LpNormalization, LRN: rejections and unknown dimensions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from lite_delegate_kernels import ArraySpec, KernelInputError

from tests.kernels.single_node import infer, run, spec, unranked

U = unranked()
INTS = spec(2, 3, 4, dtype="int32")
FLOATS_ONLY = "must be one of float32, float16, float64, got int32"


@pytest.mark.parametrize(
    ("op", "specs", "attributes"),
    [
        ("InstanceNorm", (spec(-1, -1, 5, 3), spec(3), U), {}),
        ("InstanceNorm", (U, spec(3), spec(-1)), {}),
        ("GroupNormFusion", (spec(-1, 4, -1), spec(4), U), {"num_groups": 2}),
        ("GroupNormFusion", (spec(2, -1, 3), U, U), {"num_groups": 5}),
        ("GroupNormFusion", (U, U, spec(4)), {"num_groups": 2}),
        ("L2NormalizeFusion", (spec(2, -1),), {"axis": (-1,)}),
        ("L2NormalizeFusion", (U,), {"axis": (7,)}),
        ("LpNormalization", (spec(-1, 3),), {"axis": 1, "p": 2}),
        ("LpNormalization", (U,), {"axis": 9, "p": 1}),
        ("LRN", (spec(1, -1, 3),), {}),
        ("LRN", (U,), {}),
    ],
)
def test_the_shape_stays(op: str, specs: tuple[ArraySpec, ...], attributes: dict[str, Any]) -> None:
    assert infer(op, *specs, **attributes).shape == specs[0].shape


@pytest.mark.parametrize(
    ("op", "specs", "attributes", "message"),
    [
        (
            "InstanceNorm",
            (spec(2, 3), spec(3), spec(3)),
            {},
            r"must be \(N, ..., C\) with dims between, got .*\(2, 3\)",
        ),
        ("InstanceNorm", (spec(2, 2, 3), spec(2), spec(3)), {}, r"gamma must have one element per channel.*\(3,\)"),
        ("InstanceNorm", (spec(2, 2, 3), spec(3), spec(4)), {}, r"beta must have one element per channel.*\(3,\)"),
        ("InstanceNorm", (INTS, spec(4), spec(4)), {}, f"input 0 {FLOATS_ONLY}"),
        ("InstanceNorm", (spec(2, 3, 4), spec(4, dtype="int32"), spec(4)), {}, f"gamma {FLOATS_ONLY}"),
        ("GroupNormFusion", (spec(4), spec(4), spec(4)), {"num_groups": 2}, r"must be \(N, C, ...\), got shape \(4,\)"),
        ("GroupNormFusion", (spec(2, 4), spec(3), U), {"num_groups": 2}, r"scale must have shape \(4,\), got \(3,\)"),
        (
            "GroupNormFusion",
            (spec(2, 4), U, spec(4, 1)),
            {"num_groups": 2},
            r"bias must have shape \(4,\), got \(4, 1\)",
        ),
        ("GroupNormFusion", (spec(2, 4), U, U), {"num_groups": 3}, "divide the 4 channels, got 3"),
        ("GroupNormFusion", (U, U, spec(4)), {"num_groups": 3}, "divide the 4 channels, got 3"),
        ("GroupNormFusion", (U, U, U), {}, "num_groups must be at least 1 .*, got 0"),
        ("GroupNormFusion", (INTS, U, U), {"num_groups": 1}, f"input 0 {FLOATS_ONLY}"),
        ("L2NormalizeFusion", (spec(2, 3),), {"axis": (2,)}, "axis 2 is out of range for rank 2"),
        ("L2NormalizeFusion", (spec(2, 3),), {"axis": (1, -1)}, "name one axis twice"),
        ("L2NormalizeFusion", (INTS,), {}, f"input 0 {FLOATS_ONLY}"),
        ("LpNormalization", (spec(2, 3),), {"axis": -3, "p": 1}, "axis -3 is out of range for rank 2"),
        ("LpNormalization", (spec(),), {"p": 1}, "axis 0 is out of range for rank 0"),
        ("LpNormalization", (U,), {}, "p must be 1 or 2, got 0"),
        ("LpNormalization", (U,), {"p": 3}, "p must be 1 or 2, got 3"),
        ("LpNormalization", (INTS,), {"p": 1}, f"input 0 {FLOATS_ONLY}"),
        ("LRN", (spec(),), {}, "input 0 must have a channel dim, got rank 0"),
        ("LRN", (U,), {"depth_radius": -1}, "depth_radius must not be negative, got -1"),
        ("LRN", (U,), {"norm_region": "WITHIN_CHANNEL"}, "norm_region must be ACROSS_CHANNELS, got WITHIN_CHANNEL"),
        ("LRN", (INTS,), {}, f"input 0 {FLOATS_ONLY}"),
    ],
)
def test_rejections(op: str, specs: tuple[ArraySpec, ...], attributes: dict[str, Any], message: str) -> None:
    with pytest.raises(KernelInputError, match=message):
        infer(op, *specs, **attributes)


def test_the_mean_of_many_pixels_keeps_its_precision() -> None:
    x = np.random.default_rng(5).normal(loc=50, size=(1, 200, 300, 2)).astype(np.float32)
    ones, zeros = np.ones(2, dtype=np.float32), np.zeros(2, dtype=np.float32)
    wide = x.astype(np.float64)
    wanted = (wide - wide.mean(axis=(1, 2))) / wide.std(axis=(1, 2))
    np.testing.assert_allclose(run("InstanceNorm", x, ones, zeros), wanted, rtol=1e-4, atol=2e-5)
