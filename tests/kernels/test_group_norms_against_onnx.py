"""InstanceNorm, GroupNormFusion, LpNormalization, LRN and L2NormalizeFusion against ONNX Runtime."""

from __future__ import annotations

import numpy as np
import pytest
from lite_delegate_kernels import Array

from tests.kernels.single_node import normal, run, run_onnx

X = normal(2, 8, 5, 4, seed=1) * np.float32(3) + np.float32(1)
SCALE, BIAS = normal(8, seed=2), normal(8, seed=3)


def _close(got: Array, want: Array) -> None:
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5, strict=True)


@pytest.mark.parametrize("epsilon", [1e-5, 0.3])
def test_instance_norm(epsilon: float) -> None:
    wanted = run_onnx("InstanceNormalization", [X, SCALE, BIAS], epsilon=epsilon)[0]
    got = run("InstanceNorm", X.transpose(0, 2, 3, 1), SCALE, BIAS, epsilon=epsilon)
    _close(got, wanted.transpose(0, 2, 3, 1))


@pytest.mark.parametrize("groups", [1, 2, 4, 8])
@pytest.mark.parametrize("epsilon", [1e-5, 0.3])
def test_group_norm(groups: int, epsilon: float) -> None:
    wanted = run_onnx("GroupNormalization", [X, SCALE, BIAS], opset=21, num_groups=groups, epsilon=epsilon)[0]
    _close(run("GroupNormFusion", X, SCALE, BIAS, num_groups=groups, epsilon=epsilon), wanted)


@pytest.mark.parametrize("p", [1, 2])
@pytest.mark.parametrize("axis", [-4, -1, 0, 1, 3])
def test_lp_normalization(p: int, axis: int) -> None:
    x = X.copy()
    x[1] = 0
    _close(run("LpNormalization", x, axis=axis, p=p), run_onnx("LpNormalization", [x], axis=axis, p=p)[0])


@pytest.mark.parametrize("size", [1, 3, 5, 9])
@pytest.mark.parametrize(("bias", "alpha", "beta"), [(1.0, 1e-4, 0.75), (2.0, 0.5, 0.4)])
def test_lrn(size: int, bias: float, alpha: float, beta: float) -> None:
    wanted = run_onnx("LRN", [X], size=size, bias=bias, alpha=alpha * size, beta=beta)[0]
    got = run("LRN", X.transpose(0, 2, 3, 1), depth_radius=size // 2, bias=bias, alpha=alpha, beta=beta)
    _close(got, wanted.transpose(0, 2, 3, 1))


@pytest.mark.parametrize("axis", [0, 1, 3])
def test_l2_normalize_is_lp_normalization_where_epsilon_does_not_bind(axis: int) -> None:
    _close(run("L2NormalizeFusion", X, axis=(axis,)), run_onnx("LpNormalization", [X], axis=axis, p=2)[0])
