"""ReduceFusion: errors, inference with unknown axes and dimensions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from lite_delegate_kernels import ArraySpec, KernelInputError, spec_of
from lite_delegate_kernels.op_reduce_fusion import KERNEL as REDUCE_FUSION
from lite_delegate_kernels.op_reduce_fusion import reduce_fusion


def _spec(*shape: int, dtype: str = "float32") -> ArraySpec:
    return ArraySpec(np.dtype(dtype), shape)


def _axes(*axes: int) -> ArraySpec:
    return spec_of(np.array(axes, dtype=np.int32))


UNRANKED = ArraySpec(np.dtype("float32"), None)
X = _spec(2, -1, 4)


@pytest.mark.parametrize(
    ("x", "axes", "attributes", "shape"),
    [
        (X, _axes(0), {}, (-1, 4)),
        (X, _axes(-2), {"keep_dims": True}, (2, 1, 4)),
        (X, None, {}, ()),
        (X, _axes(), {"keep_dims": True}, (1, 1, 1)),
        (X, _axes(1), {"reduce_to_end": True, "keep_dims": True}, (2,)),
        (UNRANKED, None, {}, ()),
        (UNRANKED, _axes(), {}, ()),
        (UNRANKED, None, {"keep_dims": True}, None),
        (UNRANKED, _axes(1), {}, None),
        (UNRANKED, _axes(1), {"reduce_to_end": True}, None),
        (X, _spec(2, dtype="int32"), {}, (-1,)),
        (X, _spec(dtype="int64"), {}, (-1, -1)),
        (X, _spec(0, dtype="int32"), {}, ()),
        (X, _spec(2, dtype="int32"), {"keep_dims": True}, (-1, -1, -1)),
        (X, _spec(-1, dtype="int32"), {}, None),
        (X, _spec(1, dtype="int32"), {"reduce_to_end": True}, None),
        (UNRANKED, _spec(1, dtype="int32"), {"keep_dims": True}, None),
    ],
)
def test_inferred_shapes(x: ArraySpec, axes: ArraySpec | None, attributes: dict[str, Any], shape: Any) -> None:
    assert REDUCE_FUSION.infer(x, axes, **attributes).shape == shape


@pytest.mark.parametrize(
    ("x", "axes", "attributes", "message"),
    [
        (X, _axes(3), {}, "axis 3 is out of range for rank 3"),
        (X, _axes(-4), {}, "axis -4 is out of range for rank 3"),
        (X, _axes(0, -3), {}, r"axes \[0, 0\] name one axis twice"),
        (X, _spec(4, dtype="int32"), {}, "4 axes named for rank 3"),
        (X, _spec(1), {}, "axes must be one of int8, .*, got float32"),
        (X, _axes(0, 1), {"reduce_to_end": True}, r"exactly one axis, got \[0, 1\]"),
        (X, None, {"reduce_to_end": True}, r"exactly one axis, got \[\]"),
        (X, _axes(0), {"mode": "ReduceMedian"}, "mode must be one of ReduceMean, .*, got ReduceMedian"),
        (X, _axes(0), {"mode": "ReduceAll"}, "input 0 of ReduceAll must be one of bool, got float32"),
        (_spec(2, dtype="bool"), _axes(0), {"mode": "ReduceSum"}, "input 0 of ReduceSum must be .*, got bool"),
        (_spec(2, dtype="int32"), _axes(0), {"mode": "ReduceL2"}, "input 0 of ReduceL2 must be .*, got int32"),
        (
            _spec(2, dtype="int32"),
            _axes(0),
            {"reduce_to_end": True, "coeff": 2.0},
            "input 0 of ReduceMean with coeff 2.0 must be .*, got int32",
        ),
    ],
)
def test_rejections(x: ArraySpec, axes: ArraySpec | None, attributes: dict[str, Any], message: str) -> None:
    with pytest.raises(KernelInputError, match=message):
        REDUCE_FUSION.infer(x, axes, **attributes)


def test_axes_that_are_out_of_range_are_rejected_when_run() -> None:
    with pytest.raises(KernelInputError, match="axis 2 is out of range for rank 2"):
        reduce_fusion(np.zeros((2, 3), dtype=np.float32), np.array([2], dtype=np.int32))


def test_an_integer_mean_over_no_elements_is_rejected() -> None:
    with pytest.raises(KernelInputError, match="integer division by zero"):
        reduce_fusion(np.zeros((2, 0), dtype=np.int32), np.array([1], dtype=np.int32))


def test_a_small_integer_mean_does_not_wrap() -> None:
    x = np.full(1000, 100, dtype=np.int8)
    np.testing.assert_array_equal(reduce_fusion(x), np.array(100, dtype=np.int8))
